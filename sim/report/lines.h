/* Costs by source line: what a profiler's annotated source shows. */
#ifndef SIM_REPORT_LINES_H
#define SIM_REPORT_LINES_H

#include "models/result.h"

struct line_cost {
  uint32_t source, line; /* file: index in program->sources; line 0: instructions without a known line */
  uint64_t cycles;       /* warp-cycles: the sum of stalls[] */
  struct pc_result cost; /* of all its instructions */
};

/* The lines with costs, by file and line. The caller frees them. */
struct line_cost *lines_of(const struct isa_program *program, const struct launch_result *result, size_t *count);

/* The bucket with most of the line's cycles, except STALL_ISSUED; STALL_ISSUED: there is none. */
enum stall line_stall(const struct line_cost *line);

#endif
