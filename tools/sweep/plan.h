/* Plans of sweeps: which points there are. A plan comes from a sweep file (INI, docs/sweep.md):
 *
 *     [sweep]
 *     launch = launch.json        ; or trace = T.wwt; relative to this file
 *     machine = h200              ; the base of all points; default: the launch file's
 *     build = -cl-mad-enable      ; options of OpenCL C's compiler
 *     sample = latin 500          ; grid (all points: the default), random N, latin N
 *     seed = 1
 *     max_cycles = 1000000        ; a launch that takes more is stopped
 *     cost = define.DEPTH * 4096 + dma.queue * 64
 *     [set]                       ; the same for all points; names as in [axes]
 *     mem.l1_size = 0
 *     [axes]                      ; their product
 *     dma.channels = 1 2 4 8
 *     dma.queue = 1..64*2         ; A..B by 1, A..B:STEP, A..B*FACTOR
 *     define.DEPTH = 1..6         ; -D of OpenCL C
 *     arg.tiles = 16 64           ; a launch argument, by name or number; launch.2.arg.tiles: of the second launch
 *     machine = teaching h200     ; presets or files, if [sweep] has no machine
 *     [zip widths]                ; these axes advance together: one factor of the product
 *     dma.read_width = 16 32 64
 *     dma.write_width = 16 32 64
 *     [constraints]               ; each must be true of a point
 *     room = dma.channels <= dma.queue
 *
 * A point is a value for each axis. Values are kept as written, except that ranges, and numbers that end in K, M or G,
 * become plain numbers. This module does not know what a word means (a parameter, a define, an argument). point.h does,
 * and checks the words of all axes before the first point runs.
 *
 * Invariant: point number i is the same each time the same file is read, in whatever order points are requested. Grids
 * are not stored, so counting a plan takes no memory. A point's key (its axes with their values, sorted by axis)
 * identifies it across plans, shards and machines.
 *
 * Not modeled: continuous axes. Random samples draw from the values that an axis lists. */
#ifndef TOOLS_SWEEP_PLAN_H
#define TOOLS_SWEEP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/message.h"

enum { PLAN_AXES = 64, PLAN_VALUES = 65536 /* of an axis */, PLAN_SAMPLES = 1000000 };
enum { PLAN_LINE = 198 /* inih's limit */, PLAN_FILE_BYTES = 1 << 20 };

struct sweep_axis {
  char *name;   /* "dma.channels", "define.DEPTH", "arg.tiles", "machine" */
  char *zip;    /* the name of its zip, or NULL */
  char **value; /* `count` words, each once; in a zip, each tuple once */
  size_t count, room;
  size_t factor; /* the axes of a zip share one */
  int line;      /* in the sweep file */
};

struct sweep_setting {
  char *name, *value; /* no axis has this name */
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
  char *launch, *trace; /* relative to the current folder; one of them is NULL */
  int job_line;         /* the line that names it */
  char *machine;        /* as written: a preset, or a file relative to this one; NULL: none */
  struct sweep_setting *settings;
  size_t setting_count, setting_room;
  char **builds; /* options of OpenCL C's compiler, a word each */
  size_t build_count, build_room;
  struct sweep_axis axis[PLAN_AXES];
  size_t axes, factors;
  size_t levels[PLAN_AXES]; /* number of values of each factor */
  struct sweep_constraint *constraints;
  size_t constraint_count, constraint_room;
  struct expression *cost; /* NULL: none */
  char *cost_text;
  int cost_line;
  enum sweep_sample sample;
  int sample_line;
  uint64_t samples, seed;
  uint64_t max_cycles; /* 0: default */
  uint64_t grid;       /* points of the product of the factors */
  uint64_t points;     /* numbered from 0: the whole grid before constraints, or the sample */

  /* Of samples, set by plan_settle(): */
  uint64_t *drawn;          /* each point's number in the grid */
  uint64_t excluded;        /* drawn, but excluded by a constraint; `random` draws another instead */
  uint64_t repeated;        /* latin: drawn again, and dropped */
  struct plan_bound *bound; /* resolved names of constraints and of the cost */
};

/* Looks up a name that is neither an axis nor a setting: a parameter of `machine`, which is a word of the axis
 * `machine`, or of the base machine if that is NULL. Returns its text, which lives until the next call. NULL when there
 * is no such name; `nearest` is then the closest one, or empty. The words of the axis `machine` are already checked. */
typedef const char *plan_constant(void *context, const char *machine, const char *name, char nearest[64]);

/* Reads a sweep file, except what depends on the machine. False with the message "FILE:LINE: ..." filled. The caller
 * frees the plan, also after a failure. plan_parse() takes the text; `file` names it. */
bool plan_read(const char *path, struct sweep_plan *plan, struct message *message);
bool plan_parse(const char *text, const char *file, struct sweep_plan *plan, struct message *message);
void plan_free(struct sweep_plan *plan);

/* Resolves the names in constraints and in the cost, refuses constraints that exclude every point, and draws the
 * sample. Call it once, before requesting points. Without `constant` (NULL), only axes and settings have names. */
bool plan_settle(struct sweep_plan *plan, plan_constant *constant, void *context, struct message *message);

/* Point `number`, as the index of its value on each axis. False when a constraint excludes the point. */
bool plan_point(const struct sweep_plan *plan, uint64_t number, uint32_t value[PLAN_AXES]);

/* The number of point `number` in the grid, which does not depend on the sample. */
uint64_t plan_grid_number(const struct sweep_plan *plan, uint64_t number);

/* The cost of a point; NaN when the plan has no cost. */
double plan_cost(const struct sweep_plan *plan, const uint32_t value[PLAN_AXES]);

/* The key of a point: "axis=value" joined by spaces, sorted by axis; the caller frees it. */
char *plan_key(const struct sweep_plan *plan, const uint32_t value[PLAN_AXES]);

/* The number of points that satisfy the constraints. It is exact when the axes in the constraints have at most 10^7
 * combinations, else an estimate from 10^6 points of the grid. */
struct plan_counted {
  uint64_t points;
  bool exact;
};
struct plan_counted plan_count(const struct sweep_plan *plan);

#endif
