/* What warps did in a trace, counted: by instruction, and from that by kernel, by kind of instruction and by line.
 *
 * Launches of one kernel of one program are counted together. Operations are warps'; a copy of a work-group, which all
 * of its warps call, is counted once, by the group's first warp.
 *
 * Invariant: memory is bounded by programs and kernels, not by the trace's length. */
#ifndef SIM_TRACETOOLS_COUNT_H
#define SIM_TRACETOOLS_COUNT_H

#include "sim/session/job.h"
#include "traces/trace.h"

enum { COPY_FORMS = 4 };

struct op_count {
  uint64_t operations, lanes; /* lanes that ran them */
  uint64_t accesses;          /* of them, those of the LDS or of global memory that had lanes */
  uint64_t bytes;             /* that the lanes of these moved, or wanted prefetched */
  uint64_t copies, copy_bytes;
};

struct copy_count {
  uint64_t copies, bytes;
};

struct kernel_count {
  const struct isa_program *program;
  const struct isa_kernel *kernel;
  uint64_t launches;
  struct op_count all, *by_pc;             /* program->count of them */
  struct copy_count copies[2][COPY_FORMS]; /* [to the LDS][form] */
};

struct trace_count {
  struct kernel_count *kernels; /* in the order of their first launches */
  size_t count;
};

/* Reads all of the trace. False, with *error filled, when it cannot be read. Free it, whatever comes back. */
bool trace_count_read(struct trace *trace, const struct job *job, struct trace_count *count, struct trace_error *error);
void trace_count_free(struct trace_count *count);

/* Adds the counts of one instruction. */
void op_count_add(struct op_count *sum, const struct op_count *at);

/* A source line with what its instructions did. Line 0: no line is known of them. */
struct line_count {
  uint32_t source, line; /* its file in program->sources */
  struct op_count count;
};

/* The lines that did anything, by file and line. The caller frees them. */
struct line_count *trace_count_lines(const struct kernel_count *kernel, size_t *count);

#endif
