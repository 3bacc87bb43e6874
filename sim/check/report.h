/* The results of `warpwait check`: as text for people, JSON for programs, and SARIF for code review tools.
 *
 * All three contain the same hazards. Paths can be opened from the current folder. Nothing in them, such as the time of
 * day, differs between two runs of the same job. docs/check.md explains each format. */
#ifndef SIM_CHECK_REPORT_H
#define SIM_CHECK_REPORT_H

#include "sim/base/text.h"
#include "sim/check/check.h"
#include "sim/check/suppress.h"
#include "sim/launch/job.h"

struct check_report {
  const struct job *job;
  const struct launch_result *results; /* of the first `count` launches, those that ran */
  size_t count;
  const struct check_hazard *hazards;
  size_t hazard_count;
  const bool *suppressed; /* of each hazard */
  struct check_counts checked;
  size_t most; /* hazards that text and JSON show at most */
};

/* The caller frees the result. SARIF also contains suppressed hazards, and has no limit on their number. */
char *check_text(const struct check_report *report, bool colors);
char *check_json(const struct check_report *report);
char *check_sarif(const struct check_report *report);

/* ---- shared by all formats ---- */

/* Which hazards the suppressions remove; this counts as their use. The caller frees it. And how many are removed. */
bool *check_find_suppressed(const struct check_report *report, struct suppressions *all);
size_t check_suppressed(const struct check_report *report);

/* Did all launches of the job run, and finish? */
bool check_whole(const struct check_report *report);

struct check_place {
  const char *name; /* of the file, without its folder */
  const char *path; /* of the file, relative to the current folder */
  uint32_t line;    /* from 1; 0: unknown */
  uint32_t column;  /* byte in the line, from 1; 0: unknown */
  const char *text; /* of the line; NULL: unknown */
};
struct check_place check_place(const struct check_side *side);
struct suppress_place check_suppress_place(const struct check_side *side);

/* The name of a hazard's other place, from the advice of its row: "the copy", "the other access". */
void check_other_name(enum isa_hazard_rule rule, char text[static 64]);

/* The advice, with the lines of both places if they are in the same file. */
void check_advice(const struct check_hazard *hazard, char text[static ISA_ADVICE]);

/* A side's work-item, as (x, y, z) in its work-group. */
void check_local_id(const struct isa_launch *launch, const struct check_side *side, uint32_t id[3]);

/* The part of the LDS that a variable or local argument occupies; name NULL: unknown. */
struct check_variable {
  const char *name;
  uint64_t start, end;
};
struct check_variable check_variable_at(const struct isa_launch *launch, uint64_t offset);

/* The owner of the bytes that a hazard is about. */
struct check_bytes {
  const char *name;                /* of the buffer, variable or argument; NULL: unknown */
  uint64_t offset;                 /* in it, or in the work-group's LDS if there is no name */
  const struct isa_buffer *beyond; /* the buffer before `offset`, if it lies past the buffer's end; else NULL */
};
struct check_bytes check_bytes(const struct job *job, const struct check_hazard *hazard);

/* Keys of the JSON report: sim/check/report.keys.def, a row each. */
struct check_key {
  const char *key, *text;
};
extern const struct check_key check_keys[];
extern const size_t check_key_count;

#endif
