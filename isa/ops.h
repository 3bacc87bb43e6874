/* Operations: the rows of isa/ops.def. Code that only handles instructions as a whole does not need their names. */
#ifndef ISA_OPS_H
#define ISA_OPS_H

enum isa_op {
#define OP(id, ...) ISA_##id,
#include "isa/ops.def"
#undef OP
  ISA_OPS
};

#endif
