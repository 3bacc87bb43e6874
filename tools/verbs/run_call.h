/* What `run` and `replay` share: options of the run and its report, checks before it, and outputs after it. */
#ifndef TOOLS_VERBS_RUN_CALL_H
#define TOOLS_VERBS_RUN_CALL_H

#include "sim/base/words.h"
#include "sim/cli/terminal.h"
#include "sim/report/report.h"
#include "sim/session/run.h"
#include "tools/explain/why.h"
#include "tools/page/page.h"
#include "tools/verbs/timeline_options.h"

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

/* Fills an empty call with the options of the run, its report and other outputs; `run` has its defaults. Refuses
 * options that exclude each other. The caller frees the call, also after a failure. */
bool run_take(struct command *command, struct run_call *call);
void run_call_free(struct run_call *call);

/* A file of a call: its option and its path (NULL: no file). */
struct run_file {
  const char *option, *path;
};

/* Refuses an output that is also an input or another output. `files` lists `inputs` inputs, then the verb's own
 * outputs. */
bool run_files_apart(struct run_call *call, const struct run_file *files, size_t inputs, size_t count);

/* Refuse outputs that cannot be written. */
bool run_can_write(struct run_call *call, const char *option, const char *path);
bool run_outputs_possible(struct run_call *call, const struct job *job);

/* run_job() with the waveform, timeline and page that the options request. */
bool run_call_job(struct run_call *call, struct job *job, struct launch_result **results, size_t *count);

/* Adds points to the page, if there is one: one for the finished run, and one for each value of the axis. `again` loads
 * the job of value `number` with the call's current sets, and with `define` unless NULL, runs it, and passes its report
 * to page_add(). */
struct run_again {
  bool (*run)(void *self, size_t number, const char *define);
  void *self;
};
bool run_points(struct run_call *call, const struct report *report, const struct run_again *again);

/* Writes what work-items printed, the page, and the report. */
bool run_write(struct run_call *call, const struct report *report);

/* Reports on stderr which launches did not finish; true: there are some. */
bool run_report_unfinished(const struct run_call *call, const struct job *job, const struct launch_result *results,
                           size_t count);

/* Reports on stderr what went wrong in the simulated run; returns the exit status. */
int run_conclude(const struct run_call *call, const struct report *report);

/* Lifts limits for the report, as --why requests. */
bool run_find_why(struct run_call *call, struct report *report, const struct why_subject *subject, int *status);

#endif
