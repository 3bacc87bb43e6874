/* What `warpwait check` has found, for people (text), for programs (JSON) and for tools that review code (SARIF).
 *
 * All three name the same hazards. Files are named so that they can be opened from where the user stands. Nothing holds
 * a time of day or anything else that could differ between two runs of the same job. docs/check.md explains each. */
#ifndef SIM_CHECK_REPORT_H
#define SIM_CHECK_REPORT_H

#include "sim/base/text.h"
#include "sim/check/check.h"
#include "sim/check/suppress.h"
#include "sim/session/job.h"

struct check_report {
  const struct job *job;
  const struct launch_result *results; /* of the first `count` launches: those that were run */
  size_t count;
  const struct check_hazard *hazards;
  size_t hazard_count;
  const bool *suppressed; /* of each */
  struct check_counts checked;
  size_t most; /* that text and JSON show */
};

/* The caller frees what they return. SARIF holds suppressed hazards, too, and as many as there are. */
char *check_text(const struct check_report *report, bool colours);
char *check_json(const struct check_report *report);
char *check_sarif(const struct check_report *report);

/* ---- what they all work out ---- */

/* Which hazards these leave out, which count that; the caller frees it. And how many the report leaves out. */
bool *check_find_suppressed(const struct check_report *report, struct suppressions *all);
size_t check_suppressed(const struct check_report *report);

/* The launches that ran were all of the job, and each came to its end. */
bool check_whole(const struct check_report *report);

struct check_place {
  const char *name; /* of the file, without its folder */
  const char *path; /* of the file, from here */
  uint32_t line;    /* from 1; 0: not known */
  uint32_t column;  /* byte of the line, from 1; 0: not known */
  const char *text; /* of the line; NULL: not known */
};
struct check_place check_place(const struct check_side *side);
struct suppress_place check_suppress_place(const struct check_side *side);

/* What a hazard's other place is: "the copy", "the other access", after the advice of its row. */
void check_other_name(enum isa_hazard_rule rule, char text[static 64]);

/* Advice with the lines of both places, where these are of one file. */
void check_advice(const struct check_hazard *hazard, char text[static ISA_ADVICE]);

/* A side's work-item as (x, y, z) of its work-group. */
void check_local_id(const struct isa_launch *launch, const struct check_side *side, uint32_t id[3]);

/* Whose bytes a hazard is about. */
struct check_bytes {
  const char *name;                /* of the buffer, the variable or the argument; NULL: not known */
  uint64_t offset;                 /* in it, or in the LDS of the work-group when there is no name */
  const struct isa_buffer *beyond; /* the buffer that `offset` is behind the end of; NULL: of none */
};
struct check_bytes check_bytes(const struct job *job, const struct check_hazard *hazard);

/* The keys of the JSON report: sim/check/report.keys.def, a row each. */
struct check_key {
  const char *key, *text;
};
extern const struct check_key check_keys[];
extern const size_t check_key_count;

#endif
