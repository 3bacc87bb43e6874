/* warpwait playground: the playground's folder, served to browsers on this computer by Python
 * (sim/playground/serve.py).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/cli/cli.h"
#include "sim/cli/python.h"

enum { MOST_PORT = 65535 };

struct serving {
  struct message message; /* first: see cli_parse() */
  const char *folder;     /* NULL: that of this program */
  uint64_t port;          /* 0: one that is free */
};

static error_t parse_option(int key, char *word, struct argp_state *state) {
  struct serving *serving = state->input;
  switch (key) {
  case 'p':
    return cli_number(state, "--port", word, 1, MOST_PORT, "", &serving->port);
  case 'f':
    serving->folder = word;
    return 0;
  case ARGP_KEY_ARG:
    return cli_refuse(state, "%.60s: there is nothing to name; --folder has a folder", word);
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

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

int verb_playground(int argc, char **argv) {
  static const struct argp_option options[] = {
      {"port", 'p', "N", 0, "The port to listen at (default: 8040, or else the next that is free)", 0},
      {"folder", 'f', "DIR", 0, "The playground's folder (default: the one that was built or installed)", 0},
      {0}};
  static const struct argp argp = {
      options,
      parse_option,
      NULL,
      "Serves the playground, which is the command line in a browser, to browsers on this computer alone, until it is "
      "interrupted. `make playground` makes its folder, which any other web server can serve, too.",
      NULL,
      NULL,
      NULL};
  struct serving serving = {0};
  char found[PYTHON_PATH + 64];
  if (!cli_parse(&argp, argc, argv, &serving.message))
    return cli_bad_input(&serving.message);
  if (serving.folder && !is_playground(serving.folder))
    message_fail(&serving.message, "--folder: %.300s is not a playground, which `make playground` makes",
                 serving.folder);
  else if (!serving.folder && !find_folder(found))
    message_fail(&serving.message, "the playground was not built: `make playground` does it");
  else
    serve(serving.folder ? serving.folder : found, serving.port, &serving.message);
  return cli_bad_input(&serving.message);
}
