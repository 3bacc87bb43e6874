#include "tools/trace/opened.h"

#include <inttypes.h>

void trace_report_prefix(struct trace *trace, const struct message *damage, const struct caller *caller) {
  struct message message;
  const uint32_t *order = trace_file_order(trace);
  struct trace_batch batch;
  uint64_t operations = 0, groups = 0;
  if (!damage->text[0])
    return;
  for (uint32_t i = 0; i < trace_batches(trace) && trace_batch(trace, order[i], &batch, &message); i++) {
    groups += batch.first;
    operations += batch.operations;
  }
  message_fail(&message,
               "%.500s; before it, %" PRIu64 " operations of %" PRIu64 " work-group%s in %u launch%s are read",
               damage->text, operations, groups, groups == 1 ? "" : "s", trace_launches(trace),
               trace_launches(trace) == 1 ? "" : "es");
  caller_warn(caller, &message);
}

bool trace_look(const char *path, enum trace_open_mode mode, const struct caller *caller, struct recording *opened,
                struct message *message) {
  *opened = (struct recording){.trace = trace_open(path, mode, message)};
  if (!opened->trace)
    return false;
  trace_report_prefix(opened->trace, message, caller);
  return recording_read(opened, path, message);
}

bool trace_can_be_replayed(const char *written, const char *path, struct message *message) {
  struct recording opened = {.trace = trace_open(written, TRACE_WHOLE, message)};
  const bool good = opened.trace && recording_read(&opened, path, message);
  recording_close(&opened);
  return good;
}

static bool check_prefix(const char *path, const struct caller *caller, struct message *message) {
  struct message damage;
  if (!trace_validate_prefix(path, &damage, message))
    return false;
  struct trace *trace = trace_open(path, TRACE_SALVAGE, message);
  if (!trace)
    return false;
  trace_report_prefix(trace, &damage, caller);
  trace_close(trace);
  return true;
}

bool trace_check(const char *path, enum trace_open_mode mode, const struct caller *caller, struct message *message) {
  if (mode == TRACE_SALVAGE)
    return check_prefix(path, caller, message);
  return trace_validate(path, message);
}
