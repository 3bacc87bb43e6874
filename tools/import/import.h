/* Imports Accel-Sim's traces of NVIDIA's machine instructions (SASS).
 *
 *     kernelslist.g ─► kernel-1.traceg ... ──1st reading──► distinct instructions ─► a program, launches
 *                                          └─2nd reading──► operations of warps  ─► trace_writer (traces/trace.h)
 *
 * Each line of the list is a launch, in order; lines of copies by the host are counted and skipped. Kernels with the
 * same name and number of registers are one kernel of the program. Thread blocks are work-groups, numbered with x
 * fastest; lanes, masks and the order of each warp's instructions are the trace's. Shared addresses become offsets in
 * the work-group's LDS, whose size is the trace's. On GPUs that reserve a KiB of each block, shared addresses begin a
 * KiB later: the import subtracts it. Times of batches count operations, because an Accel-Sim trace has no times.
 *
 * Invariant: each line of the trace is one operation, except that newer tracers write two lines for a copy from global
 * to shared memory. What cannot be kept is counted, with the place of its first occurrence. Memory is bounded by the
 * warps of one thread block (in raw files: of the blocks in progress) and by the distinct instructions, not by the
 * length of the trace.
 *
 * Not modeled: launches that run at once in several streams; everything that docs/accel-sim.md lists as lost. */
#ifndef TOOLS_IMPORT_IMPORT_H
#define TOOLS_IMPORT_IMPORT_H

#include <stddef.h>

#include "tools/import/kernel.h"
#include "traces/trace.h"

struct sass_launch {
  char *path;
  uint32_t kernel; /* index in the program */
  uint32_t grid[3], block[3];
  uint32_t groups, warps;
  uint32_t lds_bytes, lds_shift; /* lds_shift: bytes by which addresses begin later */
  uint64_t instructions;
};

/* Something counted. */
struct sass_count {
  char *what; /* "opcode 'FOO'", or a loss's name */
  const char *text;
  uint64_t count;
  char *place; /* FILE:LINE of the first occurrence */
};

/* Progress while a trace is read; `total` is what the first reading found, 0 during it. */
struct sass_watch {
  void *self;
  void (*read)(void *self, size_t launch, size_t launches, uint64_t instructions, uint64_t total);
};

struct sass_import;

/* The first reading: the list and all its traces. NULL with *error filled. */
struct sass_import *sass_import_open(const char *list, const struct sass_watch *watch, struct sass_error *error);
void sass_import_free(struct sass_import *import);

const struct isa_program *sass_import_program(const struct sass_import *import);
const struct sass_launch *sass_import_launch(const struct sass_import *import,
                                             size_t number);   /* NULL beyond the last */
uint64_t sass_import_copies(const struct sass_import *import); /* copies by the host that the list has */

/* The memory that prefetches access, which a replay must know: pieces of SASS_REGION bytes, ascending. False beyond the
 * last. */
enum { SASS_REGION = 1 << 30, SASS_REGIONS = 1 << 12 };
bool sass_import_region(const struct sass_import *import, size_t number, uint64_t *base);

/* Unknown opcodes. NULL beyond the last. */
const struct sass_count *sass_import_unknown(const struct sass_import *import, size_t number);

/* The second reading: writes the program's kinds, launches and operations. */
bool sass_import_write(struct sass_import *import, struct trace_writer *writer, struct sass_error *error);

/* What the second reading lost; a count of 0: nothing. */
struct sass_count sass_import_lost(const struct sass_import *import, enum sass_loss loss);

#endif
