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

int verb_sweep_python(struct command *command) {
  /* build/warpwait, and that of a build with sanitizers */
  static const char *const places[] = {"warpwait-sweep", "../sim/sweep/warpwait-sweep",
                                       "../../sim/sweep/warpwait-sweep"};
  char folder[PYTHON_PATH], path[PYTHON_PATH + 64], verb[32];
  char **words = need(command->word_count + 3, sizeof *words);
  python_folder(folder);
  snprintf(verb, sizeof verb, "%s", verb_word(command->verb));
  words[0] = (char[]){"warpwait-sweep"};
  words[1] = verb;
  memcpy(words + 2, command->words, command->word_count * sizeof *words);
  snprintf(path, sizeof path, "%swarpwait", folder);
  setenv("WARPWAIT", path, 0); /* for searches, which have points run */
  python_become(places, sizeof places / sizeof *places, words);
  if (errno == ENOENT)
    execvp(words[0], words);
  struct message message;
  message_fail(&message, "warpwait-sweep, which answers this, cannot be started: %s", strerror(errno));
  free(words);
  return console_bad_input(&message);
}
