#include "sim/cli/job_options.h"

#include <stdlib.h>

#include "sim/base/file.h"
#include "sim/cli/cli.h"

/* ---- options ----------------------------------------------------------------------------------- */

static error_t take_program(struct argp_state *state, const char *word, struct subject *subject) {
  if (subject->direct.program)
    return cli_refuse(state, "%.60s: one launch file or kernel is enough", word);
  subject->direct.program = word;
  return 0;
}

/* Options whose value is kept as it is. */
static const char **place_of_word(struct subject *subject, int key) {
  switch (key) {
  case KEY_KERNEL:
    return &subject->direct.kernel;
  case KEY_GLOBAL:
    return &subject->direct.global;
  case KEY_LOCAL:
    return &subject->direct.local;
  case KEY_OFFSET:
    return &subject->direct.offset;
  default:
    return NULL;
  }
}

error_t job_option(int key, const char *word, struct argp_state *state, struct subject *subject) {
  const char **kept = place_of_word(subject, key);
  subject->build.reads = &subject->reads;
  if (kept) {
    *kept = word;
    return 0;
  }
  switch (key) {
  case KEY_ARG:
    words_add(&subject->args, word);
    return 0;
  case ARGP_KEY_ARG:
    return take_program(state, word, subject);
  case ARGP_KEY_END:
    return subject->direct.program ? 0 : cli_refuse(state, "a launch file or a kernel is missing; --help says more");
  default:
    return build_option(key, word, state, &subject->build);
  }
}

bool job_load(struct subject *subject, struct run_call *call, bool verify, struct job *job) {
  const struct subject_machine machine = {call->machine, call->sets.word, call->sets.count};
  subject->build.caller = call->run.caller;
  return subject_load(subject, &machine, verify, job, &call->message);
}

int job_options_list(const struct reads *reads, struct message *message) {
  struct text text = {0};
  reads_print(reads, &text);
  const bool good = sink_text(&cli_sink, &text, message);
  free(text.data);
  return good ? STATUS_FINE : cli_bad_input(message);
}
