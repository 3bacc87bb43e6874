/* Plans of sweeps: which points there are. A plan comes from a sweep file (INI, docs/sweep.md):
 *
 *     [sweep]
 *     launch = launch.json        ; or trace = T.wwt; beside this file
 *     machine = h200              ; the base of all points; without it the launch file's
 *     build = -cl-mad-enable      ; options of OpenCL C's compiler
 *     sample = latin 500          ; grid (all points: the default), random N, latin N
 *     seed = 1
 *     max_cycles = 1000000        ; a launch that takes more is given up
 *     cost = define.DEPTH * 4096 + dma.queue * 64
 *     [set]                       ; what all points have, by the names that axes have
 *     mem.l1_size = 0
 *     [axes]                      ; their product
 *     dma.channels = 1 2 4 8
 *     dma.queue = 1..64*2         ; A..B by 1, A..B:STEP, A..B*FACTOR
 *     define.DEPTH = 1..6         ; -D of OpenCL C
 *     arg.tiles = 16 64           ; a launch argument, by its name or number; launch.2.arg.tiles of the second launch
 *     machine = teaching h200     ; presets or files, when [sweep] says none
 *     [zip widths]                ; axes that go together, value by value: one factor of the product
 *     dma.read_width = 16 32 64
 *     dma.write_width = 16 32 64
 *     [constraints]               ; points for which one is false are left out
 *     room = dma.channels <= dma.queue
 *
 * A point is a value for each axis. Values are kept as the words that they were written as; ranges, and numbers that
 * end in K, M or G, as the numbers that they are. What a word means (a parameter, a define, an argument) is settled by
 * whoever runs points, who checks each axis's words before the first point is run.
 *
 * Invariant: points are numbered, and number i is the same point each time the same file is read, whatever else has
 * been asked before; grids are not kept in memory, so that counting a plan takes no room. A point's key (its axes with
 * their values, sorted by axis) names it across plans, shards and machines.
 *
 * Not modelled: axes without an end. Random samples draw from the values that an axis lists. */
#ifndef SIM_SWEEP_PLAN_H
#define SIM_SWEEP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLAN_AXES = 64, PLAN_VALUES = 65536 /* of an axis */, PLAN_SAMPLES = 1000000, PLAN_MESSAGE = 512 };
enum { PLAN_LINE = 198 /* inih's limit */, PLAN_FILE_BYTES = 1 << 20 };

struct sweep_axis {
  char *name;   /* "dma.channels", "define.DEPTH", "arg.tiles", "machine" */
  char *zip;    /* the name of its zip, or NULL */
  char **value; /* `count` words, each once; in a zip, each tuple once */
  size_t count;
  size_t factor; /* axes of a zip share one */
  int line;      /* of the file */
};

struct sweep_setting {
  char *name, *value; /* the name is no axis's */
  int line;
};

enum sweep_sample { SWEEP_GRID, SWEEP_RANDOM, SWEEP_LATIN };

struct expression;
struct plan_bound;

struct sweep_constraint {
  char *name, *text;
  struct expression *test;
  int line;
};

struct sweep_plan {
  char *file;           /* as named by the user */
  char *launch, *trace; /* paths from where the user is; one of them is NULL */
  int job_line;         /* of that one */
  char *machine;        /* as written: a preset, or a file beside this one; NULL: not said */
  struct sweep_setting *settings;
  size_t setting_count;
  char **builds; /* options of OpenCL C's compiler, a word each */
  size_t build_count;
  struct sweep_axis axis[PLAN_AXES];
  size_t axes, factors;
  size_t levels[PLAN_AXES]; /* of each factor: values of its axes */
  struct sweep_constraint *constraints;
  size_t constraint_count;
  struct expression *cost; /* NULL: none */
  char *cost_text;
  int cost_line;
  enum sweep_sample sample;
  int sample_line;
  uint64_t samples, seed;
  uint64_t max_cycles; /* 0: not said */
  uint64_t grid;       /* points of the product of the factors */
  uint64_t points;     /* numbered from 0: the grid's, before constraints, or those that were drawn */

  /* Of samples, made by plan_settle(): */
  uint64_t *drawn;          /* the number in the grid of each point */
  uint64_t excluded;        /* drawn, and left out by a constraint: for `random`, others were drawn in their place */
  uint64_t repeated;        /* latin: drawn a second time, and left out */
  struct plan_bound *bound; /* names of constraints and of the cost, looked up */
};

/* The text of a name that is no axis and no setting: a parameter of the base machine, or of `machine`, a word of the
 * axis of that name, unless that is NULL. It lives until the next call. NULL: there is no such name, and `nearest` is
 * the one that is closest, if any. Words of the axis `machine` have been checked by then. */
typedef const char *plan_constant(void *context, const char *machine, const char *name, char nearest[64]);

/* Reads a file: all but what depends on the machine. The caller frees the plan, whatever comes back. False with the
 * message "FILE:LINE: ..." filled. plan_parse() takes the text of a file that `file` names. */
bool plan_read(const char *path, struct sweep_plan *plan, char message[PLAN_MESSAGE]);
bool plan_parse(const char *text, const char *file, struct sweep_plan *plan, char message[PLAN_MESSAGE]);
void plan_free(struct sweep_plan *plan);

/* Looks up the names that constraints and the cost use, draws the sample, and refuses constraints that leave no point.
 * To be called once, before points are asked for. `constant` may be NULL: names are those of axes and settings. */
bool plan_settle(struct sweep_plan *plan, plan_constant *constant, void *context, char message[PLAN_MESSAGE]);

/* Point `number`: for each axis the number of its value. False when a constraint leaves the point out. */
bool plan_point(const struct sweep_plan *plan, uint64_t number, uint32_t value[PLAN_AXES]);

/* The number of point `number` in the grid: the same for a sample, for another one, and for the whole grid. */
uint64_t plan_grid_number(const struct sweep_plan *plan, uint64_t number);

/* What a point costs; not a number when the plan has no cost. */
double plan_cost(const struct sweep_plan *plan, const uint32_t value[PLAN_AXES]);

/* The key of a point: "axis=value" joined by spaces, sorted by axis; the caller frees it. */
char *plan_key(const struct sweep_plan *plan, const uint32_t value[PLAN_AXES]);

/* How many points satisfy the constraints. Exact when the axes that constraints use have at most 10^7 points between
 * them, else an estimate from 10^6 points of the grid. */
struct plan_counted {
  uint64_t points;
  bool exact;
};
struct plan_counted plan_count(const struct sweep_plan *plan);

#endif
