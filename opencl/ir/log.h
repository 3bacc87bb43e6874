/* What passes did to a kernel, line by line, for `warpwait dis --explain-passes`.
 *
 * If ir.log is NULL, nothing is counted. An operation is what may become an instruction: not a phi, a constant or the
 * extraction of a word, but a conditional branch counts as one. */
#ifndef OPENCL_IR_LOG_H
#define OPENCL_IR_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "opencl/ir/place.h"
#include "opencl/ir/target.h"

struct ir;

/* A pass changed the number of operations of a line, or has a note about it. */
struct ir_change {
  enum opencl_pass pass;
  uint32_t step; /* number of the pass in execution order */
  uint32_t line;
  uint16_t source;
  uint32_t before, after; /* operations */
  char *note;             /* NULL: the count changed */
};

struct ir_lines; /* operations of lines */

struct ir_log {
  struct ir_change *change; /* sorted by step, then source and line */
  size_t count, room;
  enum opencl_pass pass; /* the running pass */
  uint32_t step;
};

/* Called before and after each pass. */
struct ir_lines *ir_log_begin(struct ir *ir, enum opencl_pass pass);
void ir_log_end(struct ir *ir, struct ir_lines *before);

/* Logs what a pass did at a place: "4 copies of the body". */
__attribute__((format(printf, 3, 4))) void ir_note(struct ir *ir, struct ir_place place, const char *format, ...);

void ir_log_free(struct ir_log *log);

#endif
