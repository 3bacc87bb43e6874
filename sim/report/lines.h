/* Costs by source line: what a profiler's annotated source shows. */
#ifndef SIM_REPORT_LINES_H
#define SIM_REPORT_LINES_H

#include "models/result.h"

struct line_cost {
  uint32_t source, line; /* its file in program->sources; line 0: of instructions of which no line is known */
  uint64_t cycles;       /* warp-cycles: the sum of stalls[] */
  struct pc_result cost; /* of all its instructions */
};

/* The lines that cost anything, by file and line. The caller frees them. */
struct line_cost *lines_of(const struct isa_program *program, const struct launch_result *result, size_t *count);

/* The bucket, STALL_ISSUED aside, in which its warps were longest; STALL_ISSUED when there is none. */
enum stall line_stall(const struct line_cost *line);

#endif
