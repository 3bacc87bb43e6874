/* Plans of sweeps: which points there are. A plan comes from a sweep file (INI, docs/sweep.md):
 *
 *     [sweep]
 *     launch = launch.json        ; or trace = T.wwt; beside this file
 *     machine = h200              ; the base of all points; without it the launch file's
 *     sample = latin 500          ; grid (all points: the default), random N, latin N
 *     seed = 1
 *     cost = define.DEPTH * 4096 + dma.queue * 64
 *     [axes]                      ; their product
 *     dma.channels = 1 2 4 8
 *     dma.queue = 1..64*2         ; A..B by 1, A..B:STEP, A..B*FACTOR
 *     define.DEPTH = 1..6         ; -D of OpenCL C
 *     arg.tiles = 16 64           ; a launch argument, by its name or number; launch.2.arg.tiles of the second launch
 *     machine = teaching h200     ; presets or files
 *     [zip widths]                ; axes that go together, value by value: one factor of the product
 *     dma.read_width = 16 32 64
 *     dma.write_width = 16 32 64
 *     [constraints]               ; points for which one is false are left out
 *     room = dma.channels <= dma.queue
 *
 * A point is a value for each axis. Values are kept as the words that they were written as, ranges as the numbers that
 * they hold; what a word means (a parameter, a define, an argument) is settled by whoever runs points, who checks each
 * axis's words before the first point is run.
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

enum { PLAN_AXES = 64, PLAN_MESSAGE = 512 };

struct sweep_axis {
  char *name;   /* "dma.channels", "define.DEPTH", "arg.tiles", "machine" */
  char **value; /* `count` words, each once */
  size_t count;
  size_t factor; /* axes of a zip share one */
  int line;      /* of the file */
};

enum sweep_sample { SWEEP_GRID, SWEEP_RANDOM, SWEEP_LATIN };

struct expression;

struct sweep_constraint {
  char *name, *text;
  struct expression *test;
  int line;
};

struct sweep_plan {
  char *file;           /* as named by the user */
  char *launch, *trace; /* paths from where the user is; one of them is NULL */
  char *machine;        /* NULL: not said */
  char **sets;          /* "key=value" of all points, before the axes' */
  size_t set_count;
  char **builds; /* options of OpenCL C's compiler */
  size_t build_count;
  struct sweep_axis axis[PLAN_AXES];
  size_t axes, factors;
  struct sweep_constraint *constraints;
  size_t constraint_count;
  struct expression *cost; /* NULL: none */
  char *cost_text;
  enum sweep_sample sample;
  uint64_t samples, seed;
  uint64_t points; /* numbered from 0; of a grid before constraints */
};

/* Reads a file. The caller frees the plan, whatever comes back. False with the message "FILE:LINE: ..." filled. */
bool plan_read(const char *path, struct sweep_plan *plan, char message[PLAN_MESSAGE]);
void plan_free(struct sweep_plan *plan);

/* Point `number`: for each axis the number of its value. False when a constraint leaves the point out. */
bool plan_point(const struct sweep_plan *plan, uint64_t number, uint32_t value[PLAN_AXES]);

/* The key of a point: "axis=value" joined by spaces, sorted by axis; the caller frees it. */
char *plan_key(const struct sweep_plan *plan, const uint32_t value[PLAN_AXES]);

#endif
