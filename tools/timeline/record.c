#include "tools/timeline/record.h"

#include "models/result.h"
#include "tools/timeline/job.h"

static bool settle(void *self, cycle_t now, uint64_t done, uint64_t groups) {
  (void)done, (void)groups;
  timeline_writer_settle(self, now);
  return timeline_writer_good(self);
}

static bool begin(struct timeline_recording *recording, struct timeline_writer *writer, const struct job *job,
                  const struct trace_error *error, struct message *message) {
  if (!writer)
    return message_fail(message, "%s", error->text);
  timeline_job_write(job, NULL, 0, writer);
  *recording = (struct timeline_recording){
      writer, {.self = writer, .timeline = timeline_writer_listener(writer), .settle = settle}};
  return true;
}

bool timeline_record(struct timeline_recording *recording, int file, const char *name,
                     const struct timeline_window *window, const struct job *job, struct message *message) {
  struct trace_error error;
  struct timeline_writer *writer = timeline_writer_open_on(file, name, window, &error);
  return begin(recording, writer, job, &error, message);
}

bool timeline_record_sink(struct timeline_recording *recording, const struct sink *sink,
                          const struct timeline_window *window, const struct job *job, struct message *message) {
  struct trace_error error;
  struct timeline_writer *writer = timeline_writer_open_sink(sink, "the timeline", window, &error);
  return begin(recording, writer, job, &error, message);
}

bool timeline_recorded(struct timeline_recording *recording, const struct job *job, const struct launch_result *results,
                       size_t count, bool good, struct message *message) {
  struct timeline_writer *writer = recording->writer;
  struct trace_error error;
  if (good || !timeline_writer_good(writer)) {
    timeline_job_write(job, results, count, writer);
    return timeline_writer_close(writer, &error) ? good : message_fail(message, "%s", error.text);
  }
  timeline_writer_abandon(writer);
  return false;
}
