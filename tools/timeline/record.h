/* Records the timeline of a run in our own format (traces/timeline_file.h) while the run progresses. */
#ifndef TOOLS_TIMELINE_RECORD_H
#define TOOLS_TIMELINE_RECORD_H

#include "sim/session/run.h"
#include "traces/timeline_file.h"

struct timeline_recording {
  struct timeline_writer *writer;
  struct run_watcher watcher; /* for the run */
};

/* Starts. Takes over the descriptor; `name` is the file's in messages. False with the message filled. */
bool timeline_record(struct timeline_recording *recording, int file, const char *name,
                     const struct timeline_window *window, const struct job *job, struct message *message);

/* The same into a sink, which must outlive the recording. */
bool timeline_record_sink(struct timeline_recording *recording, const struct sink *sink,
                          const struct timeline_window *window, const struct job *job, struct message *message);

/* Finishes, with the results of the first `count` launches. If the run was stopped early (`good` is false), the file is
 * valid up to its last block. False: `good` was false, or the message is filled. */
bool timeline_recorded(struct timeline_recording *recording, const struct job *job, const struct launch_result *results,
                       size_t count, bool good, struct message *message);

#endif
