/* libFuzzer: words of a command line that say what is to be run, one a line. A line's first byte is the option. They
 * are refused in a line, or make a job. Runs from the root of the project, where examples/01_seed/kernel.wws is. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/job_options.h"
#include "sim/cli/timeline_options.h"

enum { LINES = 16, LONGEST_NUMBER = 6 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Gigabytes of buffers are legal and slow; files are not what this reads. */
static bool is_costly(const char *text) {
  size_t digits = 0;
  for (; *text; text++) {
    digits = isalnum((unsigned char)*text) ? digits + 1 : 0;
    if ((digits > LONGEST_NUMBER && isdigit((unsigned char)*text)) || *text == '@')
      return true;
  }
  return false;
}

static bool take(char *line, struct subject *subject, struct run_call *call, struct argp_state *state) {
  static const int keys[] = {KEY_ARG,    KEY_GLOBAL, KEY_LOCAL, KEY_OFFSET, KEY_KERNEL,     's',       'm',
                             KEY_SAMPLE, KEY_CU,     KEY_FROM,  KEY_EVENTS, KEY_MAX_CYCLES, KEY_ORDER, KEY_HOST};
  const int key = keys[(unsigned char)*line % (sizeof keys / sizeof *keys)];
  error_t error = job_option(key, line + 1, state, subject);
  if (error == ARGP_ERR_UNKNOWN)
    error = run_option(key, line + 1, state, call);
  if (error && error != ARGP_ERR_UNKNOWN && !call->message.text[0])
    abort();
  return !error;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1), *rest = text, *line;
  memcpy(text, data, size);
  text[size] = '\0';
  struct run_call call = run_call_new();
  struct subject subject = {.direct.program = "examples/01_seed/kernel.wws"};
  struct argp_state state = {.input = &call};
  struct job job = {0};
  bool good = !is_costly(text);
  for (int count = 0; good && count < LINES && (line = strsep(&rest, "\n"));)
    if (*line) {
      good = take(line, &subject, &call, &state);
      count++;
    }
  if (good && !job_load(&subject, &call, false, &job) && !call.message.text[0])
    abort();
  job_free(&job);
  subject_free(&subject);
  run_call_free(&call);
  free(text);
  return 0;
}
