/* Intrinsics of NVIDIA's and AMD's targets. */
#include "opencl/llvm/ll.h"

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

bool ll_call_gpu(struct ll *ll, const struct ll_call *call, uint32_t *id) {
  *id = 0;
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
