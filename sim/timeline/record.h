/* The timeline of a run, written in our own format (traces/timeline_file.h) while it goes on. */
#ifndef SIM_TIMELINE_RECORD_H
#define SIM_TIMELINE_RECORD_H

#include "sim/session/run.h"
#include "traces/timeline_file.h"

struct timeline_recording {
  struct timeline_writer *writer;
  struct run_watcher watcher; /* for the run */
};

/* Begins. Takes the descriptor; `name` is the file's in messages. False with the message filled. */
bool timeline_record(struct timeline_recording *recording, int file, const char *name,
                     const struct timeline_window *window, const struct job *job, struct message *message);

/* The same into a sink, which outlives the recording. */
bool timeline_record_sink(struct timeline_recording *recording, const struct sink *sink,
                          const struct timeline_window *window, const struct job *job, struct message *message);

/* Ends, with the results of the first `count` launches. Of a run that was ended early (`good` is false) the file stays
 * as it is: good up to its last block. False when that was so, or with the message filled. */
bool timeline_recorded(struct timeline_recording *recording, const struct job *job, const struct launch_result *results,
                       size_t count, bool good, struct message *message);

#endif
