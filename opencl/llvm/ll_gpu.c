/* Intrinsics of NVIDIA's and AMD's targets. */
#include "opencl/llvm/ll.h"

#include <stdio.h>
#include <string.h>

/* Registers that are built-in variables. */
static const struct {
  const char *name;
  uint8_t builtin;
  int8_t component; /* or LL_SCALAR */
} registers[] = {
#define AXES(name, builtin)                                                                                            \
  {name ".x", builtin, 0}, {name ".y", builtin, 1}, { name ".z", builtin, 2 }
    AXES("llvm.nvvm.read.ptx.sreg.tid", BuiltInLocalInvocationId),
    AXES("llvm.nvvm.read.ptx.sreg.ntid", BuiltInWorkgroupSize),
    AXES("llvm.nvvm.read.ptx.sreg.ctaid", BuiltInWorkgroupId),
    AXES("llvm.nvvm.read.ptx.sreg.nctaid", BuiltInNumWorkgroups),
    {"llvm.nvvm.read.ptx.sreg.laneid", BuiltInSubgroupLocalInvocationId, LL_SCALAR},
    {"llvm.nvvm.read.ptx.sreg.warpsize", BuiltInSubgroupMaxSize, LL_SCALAR},
    {"llvm.nvvm.read.ptx.sreg.warpid", BuiltInSubgroupId, LL_SCALAR},
    AXES("llvm.amdgcn.workitem.id", BuiltInLocalInvocationId),
    AXES("llvm.amdgcn.workgroup.id", BuiltInWorkgroupId),
#undef AXES
};

/* Barriers of a work-group. NVIDIA's order all memory; AMD's only meets, and clang puts fences around it. */
static const struct {
  const char *name;
  uint32_t semantics;
} barriers[] = {
    {"llvm.nvvm.barrier0",
     MemorySemanticsSequentiallyConsistent | MemorySemanticsWorkgroupMemory | MemorySemanticsCrossWorkgroupMemory},
    {"llvm.nvvm.barrier.cta.sync.aligned.all",
     MemorySemanticsSequentiallyConsistent | MemorySemanticsWorkgroupMemory | MemorySemanticsCrossWorkgroupMemory},
    {"llvm.amdgcn.s.barrier", MemorySemanticsSequentiallyConsistent | MemorySemanticsWorkgroupMemory},
};

/* Approximations, of float: ".f" and ".ftz.f". */
static const struct {
  const char *name;
  uint32_t instruction;
} approximations[] = {{"ex2", LL_STD_native_exp2},    {"lg2", LL_STD_native_log2},  {"sqrt", LL_STD_native_sqrt},
                      {"rsqrt", LL_STD_native_rsqrt}, {"rcp", LL_STD_native_recip}, {"sin", LL_STD_native_sin},
                      {"cos", LL_STD_native_cos}};

/* "llvm.nvvm.ex2.approx.ftz.f" */
static bool call_approximation(struct ll *ll, const struct ll_call *call, uint32_t *id) {
  for (size_t i = 0; i < sizeof approximations / sizeof *approximations && call->count == 1; i++) {
    char name[2][40];
    snprintf(name[0], sizeof name[0], "llvm.nvvm.%s.approx.f", approximations[i].name);
    snprintf(name[1], sizeof name[1], "llvm.nvvm.%s.approx.ftz.f", approximations[i].name);
    if (!strcmp(call->name, name[0]) || !strcmp(call->name, name[1])) {
      *id = ll_std(ll, approximations[i].instruction, call->result, 1, call->argument[0].id);
      return true;
    }
  }
  return false;
}

/* "llvm.nvvm.shfl.sync.bfly.i32(mask, value, b, c)": the value of another lane of the segment, else the lane's own. The
 * low byte of c is the last lane that may be read, the next one the bits of a lane's number that name its segment. */
static bool call_shuffle(struct ll *ll, const struct ll_call *call, uint32_t *id) {
  static const char begin[] = "llvm.nvvm.shfl.sync.";
  enum { UP, DOWN, BFLY, IDX, MODES };
  static const char *const modes[MODES] = {"up.", "down.", "bfly.", "idx."};
  int mode = 0;
  if (strncmp(call->name, begin, sizeof begin - 1) || call->count != 4 || call->result != call->argument[1].type)
    return false;
  while (mode < MODES && strncmp(call->name + sizeof begin - 1, modes[mode], strlen(modes[mode])))
    mode++;
  if (mode == MODES)
    return false;
  const uint32_t word = ll_int_type(ll, 32), written = ll_spirv_type(ll, word),
                 boolean = ll_spirv_type(ll, ll_int_type(ll, 1)), last = ll_word(ll, 31);
  const uint32_t lane = ll_builtin(ll, BuiltInSubgroupLocalInvocationId, LL_SCALAR), b = call->argument[2].id,
                 c = call->argument[3].id;
  const uint32_t segment =
      ll_make(ll, OpBitwiseAnd, written, ll_make(ll, OpShiftRightLogical, written, c, ll_word(ll, 8)), last);
  const uint32_t inside = ll_make(ll, OpBitwiseXor, written, segment, last),
                 first = ll_make(ll, OpBitwiseAnd, written, lane, segment),
                 end = ll_make(ll, OpBitwiseOr, written, first, ll_make(ll, OpBitwiseAnd, written, c, inside));
  const uint32_t from = mode == UP     ? ll_make(ll, OpISub, written, lane, b)
                        : mode == DOWN ? ll_make(ll, OpIAdd, written, lane, b)
                        : mode == BFLY
                            ? ll_make(ll, OpBitwiseXor, written, lane, b)
                            : ll_make(ll, OpBitwiseOr, written, first, ll_make(ll, OpBitwiseAnd, written, b, inside));
  const uint32_t legal = ll_make(ll, mode == UP ? OpSGreaterThanEqual : OpSLessThanEqual, boolean, from, end);
  *id = ll_make(ll, OpGroupNonUniformShuffle, ll_spirv_type(ll, call->result), ll_word(ll, ScopeSubgroup),
                call->argument[1].id, ll_select(ll, word, legal, from, lane));
  return true;
}

bool ll_call_gpu(struct ll *ll, const struct ll_call *call, uint32_t *id) {
  *id = 0;
  if (call_shuffle(ll, call, id) || call_approximation(ll, call, id))
    return true;
  for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
    if (!strcmp(call->name, registers[i].name)) {
      const uint32_t value = ll_builtin(ll, registers[i].builtin, registers[i].component);
      const uint32_t type = ll_int_type(ll, registers[i].component == LL_SCALAR ? 32 : 64);
      *id = ll_convert(ll, "trunc", ll_value(value, type), call->result);
      return true;
    }
  for (size_t i = 0; i < sizeof barriers / sizeof *barriers; i++)
    if (!strcmp(call->name, barriers[i].name)) {
      const uint32_t scope = ll_word(ll, ScopeWorkgroup);
      ll_emit(ll, LL_CODE, OpControlBarrier, scope, scope, ll_word(ll, barriers[i].semantics));
      return true;
    }
  return false;
}
