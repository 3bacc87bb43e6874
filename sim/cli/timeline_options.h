/* The options of `run` and `replay` that ask for a timeline, and the run that somebody listens to. */
#ifndef SIM_CLI_TIMELINE_OPTIONS_H
#define SIM_CLI_TIMELINE_OPTIONS_H

#include <argp.h>

#include "sim/cli/output.h"
#include "sim/timeline/record.h"

struct timeline_options {
  const char *path, *cus; /* NULL: not given */
  const char *page;       /* a page that is made of the timeline, too; NULL: none */
  bool from_given, to_given, sample_given, events_given;
  struct timeline_window window; /* `cus` is filled in when the machine is known */
  /* Told of the timeline in our own format, which may be gone after it. NULL: nobody. */
  bool (*then)(void *self, const char *path, struct message *message);
  void *self;
  struct timeline_recording recording; /* while a run goes on, */
  struct output output;                /* into the file that was asked for, */
  int file;                            /* or one without a name */
};

enum { KEY_TIMELINE = 300, KEY_FROM, KEY_TO, KEY_CU, KEY_SAMPLE, KEY_EVENTS };

/* Rows of a table of options: the file among outputs, and what is kept in a group of its own. */
#define TIMELINE_OPTIONS(outputs, parts)                                                                               \
  {"timeline",                                                                                                         \
   KEY_TIMELINE,                                                                                                       \
   "FILE",                                                                                                             \
   0,                                                                                                                  \
   "Write what each part of the machine did, and when: .wtl, .json (Perfetto), .vcd (GTKWave), .csv",                  \
   outputs},                                                                                                           \
      {NULL, 0, NULL, 0, "Parts of a timeline, each a further condition:", parts},                                     \
      {"from", KEY_FROM, "CYCLE", 0, "What happens from this cycle on", parts},                                        \
      {"to", KEY_TO, "CYCLE", 0, "What happens before this cycle", parts},                                             \
      {"cu", KEY_CU, "LIST", 0, "These compute units: 0,2,5-7", parts},                                                \
      {"sample", KEY_SAMPLE, "LENGTH/PERIOD", 0, "The first LENGTH cycles of every PERIOD", parts}, {                  \
    "events", KEY_EVENTS, "LIST", 0, "These kinds of events, or all of these blocks: lds,copy", parts                  \
  }

/* Options before any is read. */
struct timeline_options timeline_options_new(void);

/* One option. ARGP_ERR_UNKNOWN when it is none of these. */
error_t timeline_option(int key, const char *word, struct argp_state *state, struct timeline_options *options);

/* Refuses what does not go together. */
bool timeline_settle(const struct timeline_options *options, struct message *message);

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
