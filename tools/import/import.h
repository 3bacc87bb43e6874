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

enum { SASS_REGION = 1 << 30, SASS_REGIONS = 1 << 12 };

struct sass_import {
  char *list;
  const struct sass_watch *watch;
  struct sass_launch *launches;
  size_t launch_count, launch_room;
  struct sass_kernel *kernels;
  size_t kernel_count, kernel_room;
  struct isa_program *program;
  struct sass_count *unknown;
  size_t unknown_count, unknown_room;
  struct sass_count lost[SASS_LOSSES];
  uint64_t *regions; /* memory that prefetches access, ascending, without duplicates */
  size_t region_count;
  uint64_t copies;
  uint64_t instructions, total; /* lines read in this reading, and in total */
};

/* The first reading: the list and all its traces. NULL with the message filled. */
struct sass_import *sass_import_open(const char *list, const struct sass_watch *watch, struct message *message);
void sass_import_free(struct sass_import *import);

/* The second reading: writes the program's kinds, launches and operations. */
bool sass_import_write(struct sass_import *import, struct trace_writer *writer, struct message *message);

/* ---- for both readings ---- */

/* Counts a loss; records the place of the first one. */
void sass_lose(struct sass_import *import, enum sass_loss loss, const char *path, uint64_t line);

/* Reports that a line was read. */
void sass_report(struct sass_import *import, size_t launch);

#endif
