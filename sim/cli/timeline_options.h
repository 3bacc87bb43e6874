/* The options of `run` and `replay` that ask for a timeline, and the run that somebody listens to. */
#ifndef SIM_CLI_TIMELINE_OPTIONS_H
#define SIM_CLI_TIMELINE_OPTIONS_H

#include "sim/cli/command.h"
#include "sim/console/output.h"
#include "sim/timeline/record.h"

struct timeline_options {
  const char *path, *cus;        /* NULL: not given */
  const char *page;              /* a page that is made of the timeline, too; NULL: none */
  struct timeline_window window; /* `cus` is filled in when the machine is known */
  /* Told of the timeline in our own format, which may be gone after it. NULL: nobody. */
  bool (*then)(void *self, const char *path, struct message *message);
  void *self;
  struct timeline_recording recording; /* while a run goes on, */
  struct output output;                /* into the file that was asked for, */
  int file;                            /* or one without a name */
};

/* What the command says of a timeline; `page` is there. Refuses what does not go together. */
bool timeline_take(struct command *command, struct timeline_options *options, struct message *message);

/* Refuses, before a run, compute units that the machine has not, and a file that cannot be written. */
bool timeline_possible(const struct timeline_options *options, const struct job *job, struct message *message);

/* Before and after a run: the timeline that is asked for, if any. Interrupted (`good` is false), the timeline stays as
 * it is: good up to its last block. False: the run is not good, or the message is filled. */
bool timeline_begin(struct timeline_options *options, const struct job *job, struct run_options *how,
                    struct message *message);
bool timeline_end(struct timeline_options *options, const struct job *job, const struct launch_result *results,
                  size_t count, bool good, struct message *message);

/* Writes the timeline in file `from` in the form that the name `to` ends in. */
bool timeline_export_file(const char *from, enum trace_open_mode mode, const char *to, struct message *message);

#endif
