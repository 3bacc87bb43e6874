/* What `run` and `replay` have in common: options of the run and of its report, what is checked before it, what is
 * written and told after it. */
#ifndef SIM_CLI_RUN_CALL_H
#define SIM_CLI_RUN_CALL_H

#include <argp.h>

#include "sim/base/words.h"
#include "sim/cli/terminal.h"
#include "sim/cli/timeline_options.h"
#include "sim/explain/why.h"
#include "sim/page/page.h"
#include "sim/report/report.h"
#include "sim/session/run.h"

struct run_call {
  struct message message; /* first: see cli_parse() */
  struct words sets;
  const char *machine, *out, *vcd;
  bool quiet, json, annotate, host_given, order_given, cycles_given;
  enum why why;
  struct run_options run;
  struct terminal terminal;
  struct timeline_options timeline;
  struct page page;
};

enum {
  KEY_HTML = 320,
  KEY_HTML_VARY,
};
enum {
  KEY_VCD = 256,
  KEY_ANNOTATE,
  KEY_HOST,
  KEY_MAX_CYCLES,
  KEY_ORDER,
  KEY_WHY,
  KEY_OF_VERB = 384, /* and up: each verb's own */
};

/* Rows of a table of options: the report's, then (group 3) the run's, without and with a timeline. `cycles` says
 * --max-cycles' default. */
#define REPORT_OPTIONS                                                                                                 \
  {"report", 'r', "text|json", 0, "Form of the report (default: text)", 2},                                            \
      {"annotate",                                                                                                     \
       KEY_ANNOTATE,                                                                                                   \
       NULL,                                                                                                           \
       0,                                                                                                              \
       "After the text report, the source with its costs in the margin (the JSON report has them as by_line)",         \
       2},                                                                                                             \
      {"out", 'o', "FILE", 0, "Write the report to a file, without what work-items print", 2}, {                       \
    "vcd", KEY_VCD, "FILE", 0, "Write a waveform for GTKWave", 2                                                       \
  }
#define STEP_OPTIONS(cycles)                                                                                           \
  {"quiet", 'q', NULL, 0, "No progress on the terminal", 2},                                                           \
      {"host",                                                                                                         \
       KEY_HOST,                                                                                                       \
       "systemc|plain",                                                                                                \
       0,                                                                                                              \
       "Who steps the model: SystemC (default) or a plain loop; the result is the same",                               \
       3},                                                                                                             \
      {"max-cycles", KEY_MAX_CYCLES, "N", 0, "Give a launch up after N cycles (default: " cycles ")", 3}, {            \
    "order", KEY_ORDER, "ORDER", OPTION_HIDDEN, "ascending, descending or shuffled[:SEED] stepping, plain host", 3     \
  }
#define PAGE_OPTIONS(group)                                                                                            \
  {"html", KEY_HTML, "FILE", 0, "Write a page for a browser: timeline, banks, source and stalls", group}, {            \
    "html-vary", KEY_HTML_VARY, "KEY=VALUES", 0,                                                                       \
        "What the page's slider goes through: dma.setup=0,20,40, DEPTH=1..4 or arg.tiles=8,16", group                  \
  }
#define WHY_OPTIONS                                                                                                    \
  {                                                                                                                    \
    "why", KEY_WHY, "yes|no", OPTION_ARG_OPTIONAL,                                                                     \
        "Lift the machine's limits one at a time to say what bounds each launch, and show the best two (default: "     \
        "for the sentence, of runs of up to 200000 warp-instructions; no: go by accounts)",                            \
        2                                                                                                              \
  }
#define RUN_OPTIONS(cycles) WHY_OPTIONS, STEP_OPTIONS(cycles), PAGE_OPTIONS(2), TIMELINE_OPTIONS(2, 6)

/* A call before its options are read; freed with all but the job. */
struct run_call run_call_new(void);
void run_call_free(struct run_call *call);

/* One option into *call, which is the state's input or starts it. ARGP_ERR_UNKNOWN when it is none of these. */
error_t run_option(int key, const char *word, struct argp_state *state, struct run_call *call);

/* A file of a call: its option, and its path; NULL: there is none. */
struct run_file {
  const char *option, *path;
};

/* Refuses an output that is an input, or another output. `files`: so many inputs, then the verb's own outputs. */
bool run_files_apart(struct run_call *call, const struct run_file *files, size_t inputs, size_t count);

/* Options that do not go together are refused, and outputs that cannot be written. */
bool run_settle(struct run_call *call);
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
