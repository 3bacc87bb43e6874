/* warpwait playground: the playground's folder, served to browsers on this computer by Python
 * (sim/playground/serve.py).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/cli/cli.h"
#include "sim/cli/python.h"

static bool is_playground(const char *folder) {
  static const char *const files[] = {"index.html", "warpwait.wasm", "examples.json"};
  char path[2 * PYTHON_PATH];
  size_t found = 0;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(path, sizeof path, "%.4200s/%s", folder, files[i]);
    found += file_exists(path);
  }
  return found == sizeof files / sizeof *files;
}

/* Where it is built, also for a build with sanitizers, or installed. */
static bool find_folder(char path[PYTHON_PATH + 64]) {
  static const char *const places[] = {"playground", "../playground", "../share/warpwait/playground"};
  char folder[PYTHON_PATH];
  python_folder(folder);
  for (size_t i = 0; *folder && i < sizeof places / sizeof *places; i++) {
    snprintf(path, PYTHON_PATH + 64, "%s%s", folder, places[i]);
    if (is_playground(path))
      return true;
  }
  return false;
}

static void serve(const char *folder, uint64_t port, struct message *message) {
  static const char *const places[] = {"../sim/playground/serve.py", "../../sim/playground/serve.py",
                                       "../share/warpwait/serve.py"};
  char own[PYTHON_PATH + 64], number[24];
  snprintf(own, sizeof own, "%s", folder);
  snprintf(number, sizeof number, "%u", (unsigned)port);
  char *words[] = {(char[]){"serve.py"}, own, number, NULL};
  python_become(places, sizeof places / sizeof *places, words);
  message_fail(message, "serve.py, which answers this, cannot be started: %s", strerror(errno));
}

int verb_playground(struct command *command) {
  const char *folder = command_word(command, OPTION_FOLDER);
  uint64_t port = 0; /* one that is free */
  char found[PYTHON_PATH + 64];
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
