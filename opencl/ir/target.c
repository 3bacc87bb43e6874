#include "opencl/ir/target.h"

#include "isa/isa.h"

const struct opencl_pass_row opencl_pass[OPENCL_PASSES] = {
#define PASS(name, level, text) {#name, level, text},
#include "opencl/ir/passes.def"
#undef PASS
};

struct opencl_target opencl_usual_target(void) {
  return (struct opencl_target){.registers = ISA_REGISTERS, .optimize = OPENCL_USUAL_LEVEL};
}

bool opencl_pass_runs(const struct opencl_target *target, enum opencl_pass pass) {
  return pass == PASS_meet || (target->optimize >= opencl_pass[pass].level && !(target->without >> pass & 1));
}
