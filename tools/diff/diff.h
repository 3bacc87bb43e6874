/* warpwait diff: compares two reports, and shows where the cycles went.
 *
 *     report ──────────────► read.c ──────┐
 *     trace ── replayed ──►  a checked    ├─► compare.c ─► struct diff ─► text.c, json.c
 *     log ── log.c ───────►  JSON report ─┘   lines.c
 *
 * A trace is replayed first, and a log of `exec` becomes a report; these are then treated like any other. The launches
 * of a side are added up, and so are the costs of a source line.
 *
 * Invariant: on both sides the stall buckets add up to the warp-cycles, and so do the lines, so that their changes add
 * up to the total change. A report that violates this is refused.
 *
 * Not compared: what work-items print, the outcome of --verify, names of files, single instructions. */
#ifndef TOOLS_DIFF_DIFF_H
#define TOOLS_DIFF_DIFF_H

#include <jansson.h>

#include "models/result.h"
#include "sim/launch/launch_file.h"

enum { DIFF_A, DIFF_B, DIFF_SIDES };

#define DIFF_NONE SIZE_MAX

/* ---- a side: read.c ------------------------------------------------------------------------------ */

struct diff_side {
  const char *path;
  json_t *report; /* checked: the code below may rely on every key that it reads */
  bool replayed;
};

/* Whether the file begins like a trace. */
bool diff_is_trace(const char *path);

/* Reads a report, or replays a trace on the request's machine. Free the side's report, also after a failure. */
bool diff_read(struct diff_side *side, const struct job_request *request, const struct caller *caller,
               struct message *message);

/* Refuses anything but a report of this version. `text` is the source of the JSON. */
bool diff_check(const json_t *report, const char *path, const char *text, size_t length, struct message *message);

/* log.c: whether the text is a log of `exec --log`; reads it as a report of the longest launch of each kernel. */
bool diff_is_log(const char *text, size_t length);
bool diff_read_log(struct diff_side *side, const char *text, size_t length, struct message *message);

/* ---- sequences: match.c -------------------------------------------------------------------------- */

/* A longest common subsequence: counterpart[i] is the index in b of a[i]'s partner, or DIFF_NONE. */
void diff_match(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count, size_t *counterpart);

/* ---- the comparison ------------------------------------------------------------------------------ */

/* A launch of both sides, or of one: its index in the report, DIFF_NONE on the side that lacks it. */
struct diff_pair {
  size_t of[DIFF_SIDES];
  uint64_t cycles[DIFF_SIDES];
};

/* A figure over all compared launches. */
struct diff_figure {
  char key[96]; /* as in the report: "lds.passes" */
  const char *unit;
  bool real, main; /* `main`: the text shows it without --all */
  uint64_t count[DIFF_SIDES];
  double rate[DIFF_SIDES]; /* if `real` */
};

/* Costs of a line other than its stalls; keys of by_line. The units are for the text. */
#define DIFF_COSTS(COST)                                                                                               \
  COST(cycles, "warp-cycles")                                                                                          \
  COST(issues, "issues")                                                                                               \
  COST(lds_conflict_cycles, "LDS conflict cycles")                                                                     \
  COST(sectors, "sectors")                                                                                             \
  COST(copies, "copies")                                                                                               \
  COST(copy_bytes, "copied bytes")                                                                                     \
  COST(copy_requests, "requests")
enum diff_cost {
#define COST(name, unit) DIFF_##name,
  DIFF_COSTS(COST)
#undef COST
      DIFF_COST_COUNT
};
extern const struct diff_cost_row { const char *key, *unit; } diff_cost_rows[DIFF_COST_COUNT];

/* A source line of both sides, or of one. */
struct diff_line {
  bool is[DIFF_SIDES];
  bool edited;                  /* the line's text differs between the sides */
  const char *file[DIFF_SIDES]; /* NULL on the side that lacks it, like `text` */
  const char *text[DIFF_SIDES]; /* NULL if unknown */
  uint32_t line[DIFF_SIDES];    /* 0: of instructions without a known line */
  uint64_t cost[DIFF_COST_COUNT][DIFF_SIDES];
  uint64_t stalls[STALLS][DIFF_SIDES];
};

/* A hazard at a line; count 0 on the side that lacks it. */
struct diff_hazard {
  const char *rule, *message, *file[DIFF_SIDES];
  uint32_t line[DIFF_SIDES];
  uint64_t count[DIFF_SIDES];
};

/* A fact: a property that cannot be added up: a parameter of the machine, or a launch's kernel, size, ... */
struct diff_fact {
  const char *key, *unit;
  size_t pair;                     /* if it is a launch's */
  const json_t *value[DIFF_SIDES]; /* NULL on the side that lacks it */
};

struct diff_facts {
  struct diff_fact *fact;
  size_t count, room;
};

struct diff {
  const struct diff_side *side; /* both */
  bool exec;                    /* a side is a log, of whose launches only the longest of each kernel are compared */
  size_t chosen;                /* the only pair compared; DIFF_NONE: all launches */
  struct diff_pair *pairs;
  size_t pair_count, pair_room;
  struct diff_figure *figures;
  size_t figure_count, figure_room;
  uint64_t stalls[STALLS][DIFF_SIDES], resident[DIFF_SIDES];
  struct diff_line *lines; /* in source order */
  size_t line_count, line_room;
  struct diff_hazard *hazards;
  size_t hazard_count, hazard_room;
  struct diff_facts parameters, launches; /* those that differ */
  bool order;                             /* the issue order differs in some launch */
  bool differ;                            /* something of the above differs */
};

/* Compares two reports; or, if `number` counts launches from 1, one launch of A with one of B. 0 for B means the
 * partner of A's launch, 0 for A all launches. False: there is no such launch. */
bool diff_compare(struct diff *diff, const struct diff_side side[DIFF_SIDES], const size_t number[DIFF_SIDES],
                  struct message *message);
void diff_free(struct diff *diff);

/* Indices in the report of the side's compared launches. The caller frees them. */
size_t *diff_chosen(const struct diff *diff, int side, size_t *count);

/* lines.c: fills lines and hazards. */
void diff_take_lines(struct diff *diff);
void diff_take_hazards(struct diff *diff);

/* The value at a path of keys such as "dma.latency.mean"; NULL: there is none. */
const json_t *diff_at(const json_t *object, const char *path);
static inline uint64_t diff_whole(const json_t *object, const char *key) {
  return (uint64_t)json_integer_value(json_object_get(object, key));
}
static inline const char *diff_word(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}
static inline const json_t *diff_launches(const struct diff *diff, int side) {
  return json_object_get(diff->side[side].report, "launches");
}

bool diff_line_differs(const struct diff_line *line);
static inline bool diff_figure_differs(const struct diff_figure *figure) {
  return figure->real ? figure->rate[DIFF_A] != figure->rate[DIFF_B] : figure->count[DIFF_A] != figure->count[DIFF_B];
}

/* ---- output: the caller frees it ------------------------------------------------------------------ */

struct diff_view {
  uint64_t top; /* maximum number of lines and launches shown */
  bool all;     /* show every counter */
};
char *diff_text(const struct diff *diff, const struct diff_view *view); /* "" when nothing differs */
char *diff_json(const struct diff *diff);

#endif
