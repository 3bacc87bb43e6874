/* libFuzzer: words of a command line that define what to run, one per line. A line's first byte is the option. They are
 * refused in one line, or make a job. Runs from the root of the project, where examples/01_seed/kernel.wws is. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/verbs/job_options.h"

enum { LINES = 16, LONGEST_NUMBER = 6 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Gigabytes of buffers are legal and slow; this fuzzer does not test files. */
static bool is_costly(const char *text) {
  size_t digits = 0;
  for (; *text; text++) {
    digits = isalnum((unsigned char)*text) ? digits + 1 : 0;
    if ((digits > LONGEST_NUMBER && isdigit((unsigned char)*text)) || *text == '@')
      return true;
  }
  return false;
}

/* "--machine=" for the line's first byte, and the rest of the line. */
static char *option_of(const char *line) {
  static const char *const names[] = {"arg",    "global", "local", "offset", "kernel",     "set",   "machine",
                                      "sample", "cu",     "from",  "events", "max-cycles", "order", "host"};
  const char *name = names[(unsigned char)*line % (sizeof names / sizeof *names)];
  const size_t size = strlen(name) + strlen(line) + 4;
  char *option = malloc(size);
  snprintf(option, size, "--%s=%s", name, line + 1);
  return option;
}

static bool run(char **words) {
  struct run_call call = {0};
  struct subject subject = {0};
  struct command command;
  struct job job = {0};
  const bool good = command_parse(&command, VERB_RUN, words, &call.message) && run_take(&command, &call) &&
                    job_take(&command, &subject, &call.message) && job_load(&subject, &call, false, &job);
  const bool told = good || call.message.text[0];
  job_free(&job);
  subject_free(&subject);
  run_call_free(&call);
  command_free(&command);
  return told;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *words[LINES + 2] = {(char[]){"examples/01_seed/kernel.wws"}};
  char *text = malloc(size + 1), *rest = text, *line;
  size_t count = 1;
  memcpy(text, data, size);
  text[size] = '\0';
  const bool costly = is_costly(text);
  while (count <= LINES && (line = strsep(&rest, "\n")))
    if (*line)
      words[count++] = option_of(line);
  if (!costly && !run(words))
    abort();
  while (--count)
    free(words[count]);
  free(text);
  return 0;
}
