#include "sim/cli/trace_verbs.h"

#include <inttypes.h>
#include <stdlib.h>

#include "sim/cli/cli.h"
#include "sim/cli/file.h"

error_t trace_number(struct argp_state *state, const char *option, const char *word, uint64_t minimum,
                     uint64_t *number) {
  return cli_number(state, option, word, minimum, UINT32_MAX, "", number);
}

error_t trace_option(int key, const char *word, struct argp_state *state) {
  struct trace_call *call = state->input;
  switch (key) {
  case KEY_SALVAGE:
    call->salvage = true;
    return 0;
  case ARGP_KEY_ARG:
    if (call->path)
      return cli_refuse(state, "%.60s: one trace is enough", word);
    return cli_input(state, word, &call->path);
  case ARGP_KEY_END:
    return call->path ? 0 : cli_refuse(state, "a trace is missing; --help says more");
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

bool trace_fail(struct message *message, const struct trace_error *error) {
  return message_fail(message, "%s", error->text);
}

void trace_tell_prefix(struct trace *trace, const struct trace_error *damage) {
  struct message message;
  const uint32_t *order = trace_file_order(trace);
  struct trace_batch batch;
  struct trace_error error;
  uint64_t operations = 0, groups = 0;
  if (!damage->text[0])
    return;
  for (uint32_t i = 0; order && i < trace_batches(trace) && trace_batch(trace, order[i], &batch, &error); i++) {
    groups += batch.first;
    operations += batch.operations;
  }
  message_fail(&message,
               "%.500s; what is before is read: %" PRIu64 " operations of %" PRIu64 " work-group%s in %u launch%s",
               damage->text, operations, groups, groups == 1 ? "" : "s", trace_launches(trace),
               trace_launches(trace) == 1 ? "" : "es");
  message_print(&message);
}

bool trace_look(struct trace_call *call, struct opened_trace *opened) {
  const struct job_request request = {0};
  struct trace_error error = {0};
  *opened = (struct opened_trace){.trace = trace_open(call->path, call->salvage ? TRACE_SALVAGE : TRACE_WHOLE, &error)};
  if (!opened->trace)
    return trace_fail(&call->message, &error);
  trace_tell_prefix(opened->trace, &error);
  return trace_job_read(opened->trace, call->path, &request, &opened->job, &opened->max_cycles, &call->message);
}

static bool can_be_replayed(const char *written, const char *path, struct message *message) {
  const struct job_request request = {0};
  struct trace_error error = {0};
  struct opened_trace opened = {.trace = trace_open(written, TRACE_WHOLE, &error)};
  const bool good = opened.trace
                        ? trace_job_read(opened.trace, path, &request, &opened.job, &opened.max_cycles, message)
                        : trace_fail(message, &error);
  trace_shut(&opened);
  return good;
}

bool trace_write_file(const char *path, bool (*write)(void *self, const struct output *out, struct message *message),
                      void *self, struct message *message) {
  struct output file;
  if (!output_begin(&file, path, message))
    return false;
  const bool good = file.temporary
                        ? write(self, &file, message) && can_be_replayed(file.temporary, path, message)
                        : message_fail(message, "%s: cannot be written: a trace can only be an ordinary file", path);
  return output_end(&file, good, message);
}

void trace_shut(struct opened_trace *opened) {
  job_free(&opened->job);
  if (opened->trace)
    trace_close(opened->trace);
}
