#include "opencl/ir/target.h"

#include "isa/isa.h"

#include <string.h>

const struct opencl_pass_row opencl_pass[OPENCL_PASSES] = {
#define PASS(name, level, text) {#name, level, text},
#include "opencl/ir/passes.def"
#undef PASS
};

struct opencl_target opencl_usual_target(void) {
  enum { off, on, placed = ISA_PLACED };
  return (struct opencl_target){.registers = ISA_REGISTERS,
                                .optimize = OPENCL_USUAL_LEVEL,
                                .isa = {
#define PARAM(name, initial, ...) .name = (initial),
#define POW2 PARAM
#define ENUM PARAM
#define SWITCH PARAM
#include "isa/isa.params.def"
#undef PARAM
#undef POW2
#undef ENUM
#undef SWITCH
                                }};
}

bool opencl_same_target(const struct opencl_target *a, const struct opencl_target *b) {
  return a->registers == b->registers && a->optimize == b->optimize && a->without == b->without &&
         a->checked == b->checked && isa_same_features(&a->isa, &b->isa);
}

enum opencl_pass opencl_find_pass(const char *name) {
  enum opencl_pass pass = 0;
  while (pass < OPENCL_PASSES && strcmp(opencl_pass[pass].name, name) != 0)
    pass++;
  return pass;
}

bool opencl_pass_runs(const struct opencl_target *target, enum opencl_pass pass) {
  return pass == PASS_meet || (target->optimize >= opencl_pass[pass].level && !(target->without >> pass & 1));
}
