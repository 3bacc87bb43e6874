/* The verbs of `warpwait sweep` that are in Python: the command warpwait-sweep, which `make install` puts beside
 * warpwait, and which is in sim/sweep of the source tree. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/need.h"
#include "sim/cli/cli.h"
#include "sim/cli/python.h"
#include "sim/cli/sweep_verbs.h"

int sweep_verb_python(int argc, char **argv) {
  /* build/warpwait, and that of a build with sanitizers */
  static const char *const places[] = {"warpwait-sweep", "../sim/sweep/warpwait-sweep",
                                       "../../sim/sweep/warpwait-sweep"};
  char folder[PYTHON_PATH], path[PYTHON_PATH + 64];
  char **words = need((size_t)argc + 2, sizeof *words);
  python_folder(folder);
  /* argv[0] is "warpwait sweep VERB" */
  words[0] = (char[]){"warpwait-sweep"};
  words[1] = strrchr(argv[0], ' ') + 1;
  memcpy(words + 2, argv + 1, (size_t)(argc - 1) * sizeof *words);
  snprintf(path, sizeof path, "%swarpwait", folder);
  setenv("WARPWAIT", path, 0); /* for searches, which have points run */
  python_become(places, sizeof places / sizeof *places, words);
  if (errno == ENOENT)
    execvp(words[0], words);
  struct message message;
  message_fail(&message, "warpwait-sweep, which answers this, cannot be started: %s", strerror(errno));
  free(words);
  return cli_bad_input(&message);
}
