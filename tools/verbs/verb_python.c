/* Verbs in Python: their program replaces this process. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/cli/cli.h"
#include "sim/cli/help.h"

/* ---- companion programs -------------------------------------------------------------------------- */

/* Passes the verb's word, if any, and all words after it; the environment's WARPWAIT is this program. */
static int run_other(char *name, char *verb, const char *const *places, size_t count, struct command *command) {
  char folder[CONSOLE_PATH], path[CONSOLE_PATH + 64];
  char **words = need(command->word_count + 3, sizeof *words);
  size_t used = 0;
  words[used++] = name;
  if (verb)
    words[used++] = verb;
  memcpy(words + used, command->words, command->word_count * sizeof *words);
  console_own_folder(folder);
  snprintf(path, sizeof path, "%swarpwait", folder);
  setenv("WARPWAIT", path, 0);
  console_become(places, count, words);
  if (errno == ENOENT)
    execvp(words[0], words);
  struct message message;
  message_fail(&message, "%s cannot be started: %s", name, strerror(errno));
  free(words);
  return console_bad_input(&message);
}

/* `make install` puts it next to warpwait. In the source tree the path starts at build/warpwait, or one folder deeper
 * in a build with sanitizers. */
int verb_sweep_python(struct command *command) {
  static const char *const places[] = {"warpwait-sweep", "../bindings/python/warpwait-sweep",
                                       "../../bindings/python/warpwait-sweep"};
  char verb[32];
  snprintf(verb, sizeof verb, "%s", verb_word(command->verb));
  return run_other((char[]){"warpwait-sweep"}, verb, places, sizeof places / sizeof *places, command);
}

int verb_exec(struct command *command) {
  static const char *const places[] = {"../share/warpwait/warpwait-exec", "../bindings/icd/warpwait-exec",
                                       "../../bindings/icd/warpwait-exec"};
  struct text next = {0};
  help_next(VERB_EXEC, &next);
  setenv("WARPWAIT_NEXT", next.data, 1); /* for the end of the table */
  free(next.data);
  return run_other((char[]){"warpwait-exec"}, NULL, places, sizeof places / sizeof *places, command);
}

/* ---- playground ---------------------------------------------------------------------------------- */

static bool is_playground(const char *folder) {
  static const char *const files[] = {"index.html", "warpwait.wasm", "examples.json"};
  char path[2 * CONSOLE_PATH];
  size_t found = 0;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(path, sizeof path, "%.4200s/%s", folder, files[i]);
    found += file_exists(path);
  }
  return found == sizeof files / sizeof *files;
}

/* Where the playground is built (also in a build with sanitizers) or installed. */
static bool find_folder(char path[CONSOLE_PATH + 64]) {
  static const char *const places[] = {"playground", "../playground", "../share/warpwait/playground"};
  char folder[CONSOLE_PATH];
  console_own_folder(folder);
  for (size_t i = 0; *folder && i < sizeof places / sizeof *places; i++) {
    snprintf(path, CONSOLE_PATH + 64, "%s%s", folder, places[i]);
    if (is_playground(path))
      return true;
  }
  return false;
}

static void serve(const char *folder, uint64_t port, struct message *message) {
  static const char *const places[] = {"../tools/playground/serve.py", "../../tools/playground/serve.py",
                                       "../share/warpwait/serve.py"};
  char own[CONSOLE_PATH + 64], number[24];
  snprintf(own, sizeof own, "%s", folder);
  snprintf(number, sizeof number, "%u", (unsigned)port);
  char *words[] = {(char[]){"serve.py"}, own, number, NULL};
  console_become(places, sizeof places / sizeof *places, words);
  message_fail(message, "serve.py cannot be started: %s", strerror(errno));
}

int verb_playground(struct command *command) {
  const char *folder = command_word(command, OPTION_FOLDER);
  uint64_t port = 0; /* any free port */
  char found[CONSOLE_PATH + 64];
  struct message message;
  command_number(command, OPTION_PORT, &port);
  if (folder && !is_playground(folder))
    message_fail(&message, "--folder: %.300s is not a playground; `make playground` builds one", folder);
  else if (!folder && !find_folder(found))
    message_fail(&message, "the playground is not built; run `make playground`");
  else
    serve(folder ? folder : found, port, &message);
  return console_bad_input(&message);
}
