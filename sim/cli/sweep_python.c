/* The verbs of `warpwait sweep` that are in Python: the command warpwait-sweep, which `make install` puts beside
 * warpwait, and which is in sim/sweep of the source tree. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/cli.h"
#include "sim/cli/sweep_verbs.h"
#include "sim/core/need.h"

enum { PATH_BYTES = 4096 };

/* The folder of this program, with a slash at its end; "" when it is not known. */
static void own_folder(char folder[PATH_BYTES]) {
  const ssize_t length = readlink("/proc/self/exe", folder, PATH_BYTES - 1);
  folder[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(folder, '/');
  folder[slash ? slash + 1 - folder : 0] = '\0';
}

int sweep_verb_python(int argc, char **argv) {
  /* build/warpwait, and that of a build with sanitizers */
  static const char *const places[] = {"warpwait-sweep", "../sim/sweep/warpwait-sweep",
                                       "../../sim/sweep/warpwait-sweep"};
  char folder[PATH_BYTES], path[PATH_BYTES + 64];
  char **words = need((size_t)argc + 2, sizeof *words);
  own_folder(folder);
  /* argv[0] is "warpwait sweep VERB" */
  words[0] = (char[]){"warpwait-sweep"};
  words[1] = strrchr(argv[0], ' ') + 1;
  memcpy(words + 2, argv + 1, (size_t)(argc - 1) * sizeof *words);
  snprintf(path, sizeof path, "%swarpwait", folder);
  setenv("WARPWAIT", path, 0); /* for searches, which have points run */
  for (size_t i = 0; *folder && i < sizeof places / sizeof *places; i++) {
    snprintf(path, sizeof path, "%s%s", folder, places[i]);
    execv(path, words);
    if (errno != ENOENT && errno != ENOTDIR)
      break;
  }
  if (errno == ENOENT || errno == ENOTDIR)
    execvp(words[0], words);
  struct message message;
  message_fail(&message, "warpwait-sweep, which answers this, cannot be started: %s", strerror(errno));
  free(words);
  return cli_bad_input(&message);
}
