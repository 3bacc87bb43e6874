/* Accel-Sim's traces of NVIDIA's machine instructions (SASS), made into traces of ours.
 *
 *     kernelslist.g ─► kernel-1.traceg ... ──1st reading──► distinct instructions ─► a program, launches
 *                                          └─2nd reading──► operations of warps  ─► trace_writer (traces/trace.h)
 *
 * Each line of the list is a launch, in their order; lines of copies by the host are counted and passed over. Kernels
 * of one name and as many registers are one kernel of the program. Thread blocks are work-groups, numbered as x runs
 * fastest; lanes, masks and the order of each warp's instructions are the trace's. Shared addresses become offsets in
 * the work-group's LDS, which is as large as the trace says; where they begin a KiB later, as they do on GPUs that keep
 * one of each block, that is taken off. Times of batches count operations: an Accel-Sim trace has none.
 *
 * Invariant: a line of the trace is an operation, but for copies from global to shared memory, of which newer tracers
 * write two lines. What cannot be kept is counted, with its first place. Memory is bounded by a thread block's warps
 * (of raw files: by those of the blocks under way) and by the distinct instructions, not by the length of the trace.
 *
 * Not modelled: launches that run at once in several streams; all that docs/accel-sim.md says is lost. */
#ifndef SIM_IMPORT_IMPORT_H
#define SIM_IMPORT_IMPORT_H

#include <stddef.h>

#include "sim/import/kernel.h"
#include "traces/trace.h"

struct sass_launch {
  char *path;
  uint32_t kernel; /* of the program */
  uint32_t grid[3], block[3];
  uint32_t groups, warps;
  uint32_t lds_bytes, lds_shift; /* what addresses begin later */
  uint64_t instructions;
};

/* What has been counted. */
struct sass_count {
  char *what; /* "opcode 'FOO'", or a loss's name */
  const char *text;
  uint64_t count;
  char *place; /* FILE:LINE of the first */
};

/* Told now and then while a trace is read; `total` is what the first reading has found, 0 before. */
struct sass_watch {
  void *self;
  void (*read)(void *self, size_t launch, size_t launches, uint64_t instructions, uint64_t total);
};

struct sass_import;

/* Reads a list and all its traces once. NULL with *error filled. */
struct sass_import *sass_import_open(const char *list, const struct sass_watch *watch, struct sass_error *error);
void sass_import_free(struct sass_import *import);

const struct isa_program *sass_import_program(const struct sass_import *import);
const struct sass_launch *sass_import_launch(const struct sass_import *import,
                                             size_t number);   /* NULL beyond the last */
uint64_t sass_import_copies(const struct sass_import *import); /* lines of copies by the host */

/* The memory that prefetches go to, as a replay needs it: pieces of SASS_REGION bytes, ascending. False beyond the
 * last. */
enum { SASS_REGION = 1 << 30, SASS_REGIONS = 1 << 12 };
bool sass_import_region(const struct sass_import *import, size_t number, uint64_t *base);

/* Opcodes that are not known. NULL beyond the last. */
const struct sass_count *sass_import_unknown(const struct sass_import *import, size_t number);

/* Reads the traces again and writes the program's kinds, launches and operations. */
bool sass_import_write(struct sass_import *import, struct trace_writer *writer, struct sass_error *error);

/* What was lost, after that; a count of 0: nothing. */
struct sass_count sass_import_lost(const struct sass_import *import, enum sass_loss loss);

#endif
