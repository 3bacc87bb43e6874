/* warpwait diff: two reports held against each other, to say where the cycles went.
 *
 *     report ──────────────► diff_read.c ──┐
 *     trace ── replayed ──►  a checked     ├─► diff_compare.c ─► struct diff ─► diff_text.c, diff_json.c
 *                            JSON report ──┘   diff_lines.c
 *
 * A trace is replayed and then is a report like any other. Launches of a side are added up; lines of its source are
 * those of all its launches.
 *
 * Invariant: stall buckets add up to the warp-cycles of both sides, and lines do, so that their changes add up to the
 * change of the whole. A report in which they do not is refused.
 *
 * Not compared: what work-items print, the outcome of --verify, names of files, single instructions. */
#ifndef SIM_DIFF_DIFF_H
#define SIM_DIFF_DIFF_H

#include <jansson.h>

#include "models/result.h"
#include "sim/session/launch.h"

enum { DIFF_A, DIFF_B, DIFF_SIDES };

#define DIFF_NONE SIZE_MAX

/* ---- a side: diff_read.c ------------------------------------------------------------------------- */

struct diff_side {
  const char *path;
  json_t *report; /* checked: all that is read of it below is there */
  bool replayed;
};

/* The file begins as a trace does. */
bool diff_is_trace(const char *path);

/* Reads a report, or replays a trace on the request's machine. Free the side's report, whatever comes back. */
bool diff_read(struct diff_side *side, const struct job_request *request, const struct caller *caller,
               struct message *message);

/* Refuses what is no report of this version. `text` is what it was read from. */
bool diff_check(const json_t *report, const char *path, const char *text, size_t length, struct message *message);

/* ---- sequences: diff_match.c --------------------------------------------------------------------- */

/* A longest common subsequence: mate[i] becomes the place in b of a[i]'s partner, or DIFF_NONE. */
void diff_match(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count, size_t *mate);

/* ---- what is compared ---------------------------------------------------------------------------- */

/* A launch of both sides, or of one: its place in the report, DIFF_NONE on the side that lacks it. */
struct diff_pair {
  size_t of[DIFF_SIDES];
  uint64_t cycles[DIFF_SIDES];
};

/* A figure of all launches compared. */
struct diff_figure {
  char key[96]; /* as in the report: "lds.passes" */
  const char *unit;
  bool real, main; /* `main`: the text shows it without --all */
  uint64_t count[DIFF_SIDES];
  double rate[DIFF_SIDES]; /* if `real` */
};

/* Costs of a line besides its stalls; keys of by_line. Their unit is for the text. */
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

/* A line of the source, of both sides or of one. */
struct diff_line {
  bool is[DIFF_SIDES];
  bool edited;                  /* the sides' text is not the same */
  const char *file[DIFF_SIDES]; /* NULL on the side that lacks it; likewise `text` */
  const char *text[DIFF_SIDES]; /* NULL when nobody knows it */
  uint32_t line[DIFF_SIDES];    /* 0: of instructions of which no line is known */
  uint64_t cost[DIFF_COST_COUNT][DIFF_SIDES];
  uint64_t stalls[STALLS][DIFF_SIDES];
};

/* A hazard at a line; count 0 on the side that does not have it. */
struct diff_hazard {
  const char *rule, *message, *file[DIFF_SIDES];
  uint32_t line[DIFF_SIDES];
  uint64_t count[DIFF_SIDES];
};

/* Something that is no number to be added up: a parameter of the machine, or of a launch its kernel, size, ... */
struct diff_fact {
  const char *key, *unit;
  size_t pair;                     /* of a launch's */
  const json_t *value[DIFF_SIDES]; /* NULL on the side that lacks it */
};

struct diff_facts {
  struct diff_fact *fact;
  size_t count;
};

struct diff {
  const struct diff_side *side; /* both */
  size_t chosen;                /* the pair compared, alone; DIFF_NONE: all launches */
  struct diff_pair *pairs;
  size_t pair_count;
  struct diff_figure *figures;
  size_t figure_count;
  uint64_t stalls[STALLS][DIFF_SIDES], resident[DIFF_SIDES];
  struct diff_line *lines; /* in the order of the source */
  size_t line_count;
  struct diff_hazard *hazards;
  size_t hazard_count;
  struct diff_facts parameters, launches; /* those that differ */
  bool order;                             /* the order of issues differs, in any launch */
  bool differ;                            /* anything of all that */
};

/* Compares two reports, or a launch of A, by its number from 1, with one of B alone: 0 of B is its partner, and 0 of A
 * all launches. False: there is no such launch. */
bool diff_compare(struct diff *diff, const struct diff_side side[DIFF_SIDES], const size_t number[DIFF_SIDES],
                  struct message *message);
void diff_free(struct diff *diff);

/* Places in the report of the launches of a side that are compared. The caller frees them. */
size_t *diff_chosen(const struct diff *diff, int side, size_t *count);

/* diff_lines.c: fills lines and hazards. */
void diff_take_lines(struct diff *diff);
void diff_take_hazards(struct diff *diff);

/* Where a path of keys leads to, "dma.latency.mean"; NULL: nowhere. */
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

/* ---- what is said: the caller frees it ------------------------------------------------------------ */

struct diff_view {
  uint64_t top; /* lines and launches shown, at most */
  bool all;     /* every counter */
};
char *diff_text(const struct diff *diff, const struct diff_view *view); /* "" when nothing differs */
char *diff_json(const struct diff *diff);

#endif
