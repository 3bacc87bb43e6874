/* Made-up traces: random programs, and warps that walk through them as kernels do, with loops, strides, masks, and
 * sometimes arbitrary values. Each operation can be made again from the seed, so a long trace need not be kept in
 * memory. */
#ifndef TESTS_TRACES_MADE_H
#define TESTS_TRACES_MADE_H

#include "traces/trace.h"

enum { MADE_PCS = 40 };

/* Describes a walk. */
struct made {
  uint64_t seed;
  uint32_t lanes, groups, warps, operations; /* per warp */
  unsigned wild;                             /* of 100 operations: those with arbitrary values */
};

/* A warp in progress, and the values that its operation points to. */
struct made_warp {
  const struct made *made;
  const uint8_t *kinds;
  uint64_t state;
  uint32_t left, turn;
  struct trace_op op;
  uint64_t field[TRACE_FIELDS], value[TRACE_VECTORS][TRACE_LANES];
  uint64_t note_value[3];
  struct trace_note note;
};

void made_kinds(const struct made *made, uint8_t kinds[MADE_PCS]);
void made_start(struct made_warp *warp, const struct made *made, const uint8_t *kinds, uint32_t group, uint32_t index);

/* Makes the next operation, in warp->op. False if there are no more. */
bool made_next(struct made_warp *warp);

/* Writes the whole trace: four groups are resident at a time, two on each of two compute units, stepped in either
 * order. */
void made_write(const struct made *made, const char *path, bool backwards);

/* Reports differences between the trace and what it was made from; with `prefix`, missing operations at the end are
 * allowed. Returns the number of operations read. */
uint64_t made_check(const struct made *made, struct trace *trace, bool prefix);

/* A file for this test, which the test must unlink. */
const char *made_path(const char *name);

/* Reads a whole file, which the caller frees; writes a file with these bytes. */
uint8_t *made_read(const char *path, size_t *size);
void made_put(const char *path, const uint8_t *bytes, size_t size);

/* Compares the output of the Python reader for the file at `path` with `path`.text; removes both files. */
void made_python(const char *path, bool salvage);

#endif
