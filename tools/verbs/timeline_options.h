/* The timeline options of `run` and `replay`, and the recording during the run. */
#ifndef TOOLS_VERBS_TIMELINE_OPTIONS_H
#define TOOLS_VERBS_TIMELINE_OPTIONS_H

#include "sim/cli/command.h"
#include "sim/cli/output.h"
#include "tools/timeline/record.h"

struct timeline_options {
  const char *path, *cus;        /* NULL: not given */
  const char *page;              /* a page that is also made from the timeline; NULL: none */
  struct timeline_window window; /* `cus` is set once the machine is known */
  /* Called with the finished timeline in our own format, which may be deleted afterwards. NULL: no call. */
  bool (*then)(void *self, const char *path, struct message *message);
  void *self;
  struct timeline_recording recording; /* during a run, */
  struct output output;                /* writes to the requested file, */
  int file;                            /* or to an unnamed one */
};

/* Reads the timeline options; `page` must be set. Refuses options that exclude each other. */
bool timeline_take(struct command *command, struct timeline_options *options, struct message *message);

/* Refuses, before a run, compute units that the machine lacks, and a file that cannot be written. */
bool timeline_possible(const struct timeline_options *options, const struct job *job, struct message *message);

/* Before and after a run: records the timeline, if one is requested. After an interrupt (`good` is false), the timeline
 * is valid up to its last block. False: `good` was false, or the message is filled. */
bool timeline_begin(struct timeline_options *options, const struct job *job, struct run_options *how,
                    struct message *message);
bool timeline_end(struct timeline_options *options, const struct job *job, const struct launch_result *results,
                  size_t count, bool good, struct message *message);

/* Exports the timeline in the file `from` in the format of the suffix of `to`. */
bool timeline_export_file(const char *from, enum trace_open_mode mode, const char *to, struct message *message);

#endif
