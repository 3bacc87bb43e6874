/* Verbs that are in Python: this process becomes theirs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/cli/cli.h"

enum { PATH = 4096 };

/* The folder of this program, with a slash at its end; "" when it is not known. */
static void find_own_folder(char folder[PATH]) {
  const ssize_t length = readlink("/proc/self/exe", folder, PATH - 1);
  folder[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(folder, '/');
  folder[slash ? slash + 1 - folder : 0] = '\0';
}

/* Becomes the first of these commands, which are paths from that folder. Returns when there is none, or it cannot be
 * started: errno says why, ENOENT that there is none. */
static void become(const char *const *places, size_t count, char **words) {
  char folder[PATH], path[PATH + 64];
  find_own_folder(folder);
  errno = ENOENT;
  for (size_t i = 0; *folder && i < count; i++) {
    snprintf(path, sizeof path, "%s%s", folder, places[i]);
    execv(path, words);
    if (errno != ENOENT && errno != ENOTDIR)
      return;
  }
  errno = ENOENT;
}

/* ---- sweep --------------------------------------------------------------------------------------- */

/* The command warpwait-sweep, which `make install` puts beside warpwait, and which is in sim/sweep of the source tree.
 */
int verb_sweep_python(struct command *command) {
  /* build/warpwait, and that of a build with sanitizers */
  static const char *const places[] = {"warpwait-sweep", "../sim/sweep/warpwait-sweep",
                                       "../../sim/sweep/warpwait-sweep"};
  char folder[PATH], path[PATH + 64], verb[32];
  char **words = need(command->word_count + 3, sizeof *words);
  find_own_folder(folder);
  snprintf(verb, sizeof verb, "%s", verb_word(command->verb));
  words[0] = (char[]){"warpwait-sweep"};
  words[1] = verb;
  memcpy(words + 2, command->words, command->word_count * sizeof *words);
  snprintf(path, sizeof path, "%swarpwait", folder);
  setenv("WARPWAIT", path, 0); /* for searches, which have points run */
  become(places, sizeof places / sizeof *places, words);
  if (errno == ENOENT)
    execvp(words[0], words);
  struct message message;
  message_fail(&message, "warpwait-sweep, which answers this, cannot be started: %s", strerror(errno));
  free(words);
  return console_bad_input(&message);
}

/* ---- playground ---------------------------------------------------------------------------------- */

static bool is_playground(const char *folder) {
  static const char *const files[] = {"index.html", "warpwait.wasm", "examples.json"};
  char path[2 * PATH];
  size_t found = 0;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(path, sizeof path, "%.4200s/%s", folder, files[i]);
    found += file_exists(path);
  }
  return found == sizeof files / sizeof *files;
}

/* Where it is built, also for a build with sanitizers, or installed. */
static bool find_folder(char path[PATH + 64]) {
  static const char *const places[] = {"playground", "../playground", "../share/warpwait/playground"};
  char folder[PATH];
  find_own_folder(folder);
  for (size_t i = 0; *folder && i < sizeof places / sizeof *places; i++) {
    snprintf(path, PATH + 64, "%s%s", folder, places[i]);
    if (is_playground(path))
      return true;
  }
  return false;
}

static void serve(const char *folder, uint64_t port, struct message *message) {
  static const char *const places[] = {"../sim/playground/serve.py", "../../sim/playground/serve.py",
                                       "../share/warpwait/serve.py"};
  char own[PATH + 64], number[24];
  snprintf(own, sizeof own, "%s", folder);
  snprintf(number, sizeof number, "%u", (unsigned)port);
  char *words[] = {(char[]){"serve.py"}, own, number, NULL};
  become(places, sizeof places / sizeof *places, words);
  message_fail(message, "serve.py, which answers this, cannot be started: %s", strerror(errno));
}

int verb_playground(struct command *command) {
  const char *folder = command_word(command, OPTION_FOLDER);
  uint64_t port = 0; /* one that is free */
  char found[PATH + 64];
  struct message message;
  command_number(command, OPTION_PORT, &port);
  if (folder && !is_playground(folder))
    message_fail(&message, "--folder: %.300s is not a playground, which `make playground` makes", folder);
  else if (!folder && !find_folder(found))
    message_fail(&message, "the playground was not built: `make playground` does it");
  else
    serve(folder ? folder : found, port, &message);
  return console_bad_input(&message);
}
