/* Reports of a run, as text and as JSON.
 *
 * Both contain the same facts. Neither contains a time of day, a host's path or anything else that could differ between
 * two runs of the same job. docs/report.md defines every number; it is generated from the rows and from
 * report_manual(). */
#ifndef SIM_REPORT_REPORT_H
#define SIM_REPORT_REPORT_H

#include "dma/stats.h"
#include "models/result.h"
#include "sim/launch/job.h"
#include "sim/report/bottleneck.h"
#include "sim/report/fidelity.h"
#include "sim/session/verify.h"

struct report {
  const struct job *job;
  const struct launch_result *results; /* of the first `count` launches, those that ran */
  size_t count;
  const struct verdict *verdicts; /* NULL unless checks were requested */
  size_t verdict_count;
  const struct bottleneck *bottlenecks;  /* of each launch; NULL: no limits were lifted */
  bool why;                              /* also state the gain of lifting them */
  const enum fidelity_machine *measured; /* result of fidelity_of_machine(); NULL: not determined yet */
};

static inline enum fidelity_machine report_measured(const struct report *report) {
  return report->measured ? *report->measured : fidelity_of_machine(report->job->machine, report->job->machine_file);
}

/* The command that helps next, with which the text ends if all launches finished. */
#define REPORT_NEXT "`warpwait explain` shows which limits and changes matter; --annotate, the cost of each line."

/* The caller frees the text. */
char *report_text(const struct report *report);
char *report_json(const struct report *report);
/* The same into a sink, one launch at a time, because the JSON of many launches is large. False with the message
 * filled. */
struct sink;
bool report_json_write(const struct report *report, const struct sink *sink, struct message *message);
char *report_annotate(const struct report *report); /* the source, with costs */

/* The members of the JSON report, in order. Each can be made alone. */
#define REPORT_MEMBERS(ROW)                                                                                            \
  ROW(warpwait) ROW(name) ROW(machine) ROW(defines) ROW(units) ROW(launches) ROW(hazards) ROW(verify)
enum report_member {
#define ROW(name) REPORT_##name,
  REPORT_MEMBERS(ROW)
#undef ROW
      REPORT_MEMBER_COUNT
};
extern const char *const report_member_names[REPORT_MEMBER_COUNT];

/* NULL: this report has none. */
struct json_t *report_json_member(const struct report *report, enum report_member member);
struct json_t *report_json_tree(const struct report *report);

/* What work-items printed; adds a final newline if it lacks one, so that a report after it starts on a new line. */
struct text;
void report_printed(const struct report *report, struct text *text);

/* Unrolling makes several instructions of one line. The number of instructions that share rule and line with a launch's
 * hazard `number`, and in *times how often these occurred; 0 if an earlier hazard shares them. */
size_t report_hazard_instructions(const struct isa_program *program, const struct launch_result *result, size_t number,
                                  uint64_t *times);

/* Hazards do not fail a run, but must not be missed: the message has their number, and the first. False: there are
 * none. */
bool report_warning(const struct report *report, struct message *message);

/* ---- values that both reports derive from a result ---- */

/* Services that use a resource: a bitmap. */
enum report_service {
  SERVES_ISSUE = 1,
  SERVES_UNITS = 2,
  SERVES_LDS = 4,
  SERVES_COPIES = 8,
  SERVES_MEMORY = 16,
  SERVES_TEXTURES = 32
};

/* How much of its peak a resource delivered. `peak` is what it could deliver during the launch: for a CU's own
 * resources, in the cycles in which the CU held warps; for shared ones, in all cycles. */
struct utilization {
  const char *key;  /* in the JSON report: "issue_slots" */
  const char *name; /* in the text report: "issue slots" */
  const char *said; /* after "Bound by": "the link from L2" */
  const char *unit;
  double used, peak;
  double waits;    /* part of `used` in which it was held but waited for another resource */
  unsigned serves; /* enum report_service */
  bool idle_held;  /* possibly held for long, but nothing waited for it: no limit */
  bool minor;      /* the text report leaves it out */
};

/* A scheduler's units: the classes with an initiation interval. */
#define CLASS(id, name, runs, text) +(ISA_RUNS_##runs != ISA_RUNS_ELSEWHERE)
enum {
  REPORT_UNITS = 0
#include "isa/classes.def"
  ,
  UTILIZATIONS = 10 + REPORT_UNITS
};
#undef CLASS

void report_utilizations(const struct machine *machine, const struct launch_result *result,
                         struct utilization all[UTILIZATIONS]);

/* What was found by lifting limits of a launch; NULL: none was lifted. */
static inline const struct bottleneck *report_tried(const struct report *report, size_t launch) {
  return report->bottlenecks && report->bottlenecks[launch].cycles ? &report->bottlenecks[launch] : NULL;
}

/* What bounds a launch, by the rule in docs/report.md: a few sentences, which the caller frees; and the report's
 * object. `tried` is the result of report_tried(). */
char *report_bottleneck(const struct machine *machine, const struct launch_result *result,
                        const struct bottleneck *tried);
struct json_t *report_json_bottleneck(const struct machine *machine, const struct launch_result *result,
                                      const struct bottleneck *tried);

/* The limit found by accounting, whatever lifting limits finds: a resource with its share of peak, or a bucket with its
 * share of warps' time. */
struct report_likely {
  const char *key;  /* in `utilization` or `stalls`; NULL: nothing waits, or the launch did not finish */
  const char *said; /* after "bound by" */
  double share;
};
struct report_likely report_likely(const struct machine *machine, const struct launch_result *result);

static inline double per(double count, double whole) { return whole > 0 ? count / whole : 0; }

/* Descriptors that normalization reduced to one line: all but the counted 2D and 3D ones. */
static inline uint64_t report_one_dimensional(const struct dma_stats *dma) {
  return dma->descriptors - dma->descriptors_2d - dma->descriptors_3d;
}

/* Accesses to DRAM rows; 0 unless DRAM is banked. */
static inline uint64_t report_row_accesses(const struct mem_stats *mem) {
  return mem->dram_row_hits + mem->dram_row_misses + mem->dram_row_conflicts;
}

/* Traffic of the busiest L2 slice over the mean: 1 if all slices had the same, 0 without traffic. */
double report_l2_imbalance(const struct machine *machine, const struct mem_stats *mem);

/* The same for DRAM channels; 0 unless DRAM is banked. */
double report_dram_imbalance(const struct machine *machine, const struct mem_stats *mem);

/* The mean over an interval of the timeline and all engines. */
double report_engine_mean(const struct machine *machine, const struct launch_result *result,
                          const uint64_t sum[TIMELINE], uint32_t interval);

/* Follows the name of something that launches at once shared. */
static inline const char *report_of_all(const struct launch_result *result) {
  return result->together > 1 ? ", of these launches" : "";
}

/* "plain", "strided", "2D", "3D", "mixed"; NULL: no copies. `forms` as in struct pc_result. */
const char *report_copy_kind(uint64_t forms);

/* ---- sections of the text report: traffic.c, and of --why: bounds.c ------------- */

struct text;
void report_why(const struct machine *machine, const struct bottleneck *tried, struct text *text);
void report_copies(const struct machine *machine, const struct launch_result *result, struct text *text);
void report_hiding(const struct launch_result *result, struct text *text);
void report_memory(const struct machine *machine, const struct launch_result *result, struct text *text);
void report_pipe(const struct launch_result *result, const struct pipe_result *at, struct text *text);

/* The parameters that the run changed from the machine's file: a line of text if there are any; and the report's
 * `changed`. */
void report_print_changed(const struct job *job, struct text *text);
struct json_t *report_json_changed(const struct job *job);

struct limit_row {
  const char *key, *name; /* "lds", "LDS" */
};
extern const struct limit_row occupancy_limit_rows[OCCUPANCY_LIMITS];

/* Where other warps of a mismatched warp's work-group are; its own pc if none was recorded. */
uint32_t report_elsewhere(const struct launch_result *result, const struct stuck_warp *warp);

/* Whether the launch set this parameter to another value than the machine's file. */
static inline bool report_changed(const struct job *job, const struct param_group *group, const struct param_row *row) {
  return param_value(group, row, job->machine) != param_value(group, row, job->machine_file);
}

/* Keys of the JSON report that are not counters: sim/report/report.keys.def, one row each. */
struct report_key {
  const char *key, *unit, *text;
};
extern const struct report_key report_keys[];
extern const size_t report_key_count;

#endif
