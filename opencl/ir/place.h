/* Where an instruction comes from. */
#ifndef OPENCL_IR_PLACE_H
#define OPENCL_IR_PLACE_H

#include <stdint.h>

/* Sources are numbered as in isa_program. Line 0 and column 0 mean unknown. */
struct ir_place {
  uint32_t line;
  uint16_t source, column;
};

#endif
