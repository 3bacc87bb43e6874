/* Made-up traces: random programs, and warps that walk through them as kernels do: loops, strides, masks, now and then
 * anything at all. Each operation can be made again from the seed, so that nothing of a long trace need be kept. */
#ifndef TESTS_TRACES_MADE_H
#define TESTS_TRACES_MADE_H

#include "traces/trace.h"

enum { MADE_PCS = 40 };

/* What a walk is like. */
struct made {
  uint64_t seed;
  uint32_t lanes, groups, warps, operations; /* per warp */
  unsigned wild;                             /* of 100 operations: those with anything at all */
};

/* A warp under way, and the values that its operation points to. */
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

/* The next operation, in warp->op. False when there is no more. */
bool made_next(struct made_warp *warp);

/* Writes the whole trace: groups resident four at a time, two on each of two compute units, stepped in one order or the
 * other. */
void made_write(const struct made *made, const char *path, bool backwards);

/* Notes what differs between the trace and what it was made from; what the intact prefix lacks is passed over. Returns
 * the operations that were read. */
uint64_t made_check(const struct made *made, struct trace *trace, bool prefix);

/* A file of the test's own, to be unlinked by it. */
const char *made_path(const char *name);

/* All of a file, which the caller frees, and one of these bytes. */
uint8_t *made_read(const char *path, size_t *size);
void made_put(const char *path, const uint8_t *bytes, size_t size);

/* Whether the reader in Python prints of the file at `path` what is in `path`.text; removes both. */
void made_python(const char *path, bool salvage);

#endif
