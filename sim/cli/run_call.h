/* What `run` and `replay` have in common: options of the run and of its report, what is checked before it, what is
 * written and told after it. */
#ifndef SIM_CLI_RUN_CALL_H
#define SIM_CLI_RUN_CALL_H

#include "sim/base/words.h"
#include "sim/cli/timeline_options.h"
#include "sim/console/terminal.h"
#include "sim/explain/why.h"
#include "sim/page/page.h"
#include "sim/report/report.h"
#include "sim/session/run.h"

struct run_call {
  struct message message;
  struct words sets;
  const char *machine, *out, *vcd;
  bool json, annotate, cycles_given;
  enum why why;
  struct run_options run;
  struct terminal terminal;
  struct timeline_options timeline;
  struct page page;
};

/* Into an empty call what the command says of the run, its report and its other outputs, the `run` with defaults.
 * Options that do not go together are refused. The caller frees it, whatever comes back. */
bool run_take(struct command *command, struct run_call *call);
void run_call_free(struct run_call *call);

/* A file of a call: its option, and its path; NULL: there is none. */
struct run_file {
  const char *option, *path;
};

/* Refuses an output that is an input, or another output. `files`: so many inputs, then the verb's own outputs. */
bool run_files_apart(struct run_call *call, const struct run_file *files, size_t inputs, size_t count);

/* Outputs that cannot be written are refused. */
bool run_can_write(struct run_call *call, const char *option, const char *path);
bool run_outputs_possible(struct run_call *call, const struct job *job);

/* run_job() as the options say: with the waveform, the timeline and the page that they ask for. */
bool run_call_job(struct run_call *call, struct job *job, struct launch_result **results, size_t *count);

/* Makes points of the page, if one is asked for: of the run that has been, and of one for each value of its axis.
 * `again` loads the job of value `number` as the call's sets now have it, and with `define` if that is not NULL, runs
 * it, and gives its report to page_add(). */
struct run_again {
  bool (*run)(void *self, size_t number, const char *define);
  void *self;
};
bool run_points(struct run_call *call, const struct report *report, const struct run_again *again);

/* Writes what was printed, the page, and the report. */
bool run_write(struct run_call *call, const struct report *report);

/* Says on stderr which launches did not come to their end, and returns whether there are any. */
bool run_tell_unfinished(const struct run_call *call, const struct job *job, const struct launch_result *results,
                         size_t count);

/* Says on stderr what went wrong in the simulated world; returns the exit status. */
int run_conclude(const struct run_call *call, const struct report *report);

/* What a run of the call is told of: limits that are lifted, as --why asks for. */
bool run_find_why(struct run_call *call, struct report *report, const struct why_subject *subject, int *status);

#endif
