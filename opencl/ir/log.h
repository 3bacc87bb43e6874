/* What passes did to a kernel, line by line, for whoever asks: `warpwait dis --explain-passes`.
 *
 * ir.log is NULL when nobody does, and then nothing is counted. Operations are those that may become instructions:
 * phis, constants and names for words of values are none, a branch with a condition is one. */
#ifndef OPENCL_IR_LOG_H
#define OPENCL_IR_LOG_H

#include "opencl/ir/ir.h"

/* A pass that changed how many operations a line has, or something to say of one. */
struct ir_change {
  enum opencl_pass pass;
  uint32_t step; /* number of the pass among those that ran */
  uint32_t line;
  uint16_t source;
  uint32_t before, after; /* operations */
  char *note;             /* NULL: it is a change of numbers */
};

struct ir_lines; /* operations of lines */

struct ir_log {
  struct ir_change *change; /* in the order of the steps, and in each of sources and lines */
  size_t count, room;
  enum opencl_pass pass; /* that runs */
  uint32_t step;
};

/* Around each pass. */
struct ir_lines *ir_log_begin(struct ir *ir, enum opencl_pass pass);
void ir_log_end(struct ir *ir, struct ir_lines *before);

/* A pass says what it did at a place: "4 copies of the body". */
__attribute__((format(printf, 3, 4))) void ir_note(struct ir *ir, struct ir_place place, const char *format, ...);

void ir_log_free(struct ir_log *log);

#endif
