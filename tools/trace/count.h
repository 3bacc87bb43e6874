/* Counts what warps did in a trace: by instruction, and from that by kernel, by kind of instruction and by line.
 *
 * Launches of one kernel of one program are counted together. Operations count per warp. All warps of a work-group call
 * its copies, so each copy counts once, with the group's first warp.
 *
 * Invariant: memory is bounded by programs and kernels, not by the trace's length. */
#ifndef TOOLS_TRACE_COUNT_H
#define TOOLS_TRACE_COUNT_H

#include "sim/launch/job.h"
#include "traces/trace.h"

enum { COPY_FORMS = 4 };

struct op_count {
  uint64_t operations, lanes; /* lanes: sum of the active lanes */
  uint64_t accesses;          /* operations with active lanes that access the LDS or global memory */
  uint64_t bytes;             /* bytes that these lanes moved, or requested to prefetch */
  uint64_t copies, copy_bytes;
};

struct copy_count {
  uint64_t copies, bytes;
};

struct kernel_count {
  const struct isa_program *program;
  const struct isa_kernel *kernel;
  uint64_t launches;
  struct op_count all, *by_pc;             /* program->count elements */
  struct copy_count copies[2][COPY_FORMS]; /* [to the LDS][form] */
};

struct trace_count {
  struct kernel_count *kernels; /* in the order of their first launches */
  size_t count, room;
};

/* Reads the whole trace. False with *error filled on failure. Free the count in either case. */
bool trace_count_read(struct trace *trace, const struct job *job, struct trace_count *count, struct message *error);
void trace_count_free(struct trace_count *count);

/* Adds the counts of one instruction. */
void op_count_add(struct op_count *sum, const struct op_count *at);

/* A source line with the counts of its instructions. Line 0: instructions without a known line. */
struct line_count {
  uint32_t source, line; /* source: index in program->sources */
  struct op_count count;
};

/* The lines with counts, by file and line. The caller frees them. */
struct line_count *trace_count_lines(const struct kernel_count *kernel, size_t *count);

#endif
