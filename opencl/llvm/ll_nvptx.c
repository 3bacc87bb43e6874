/* Intrinsics of NVIDIA's target. */
#include "opencl/llvm/ll.h"

#include <string.h>

bool ll_call_nvptx(struct ll *ll, const struct ll_call *call, uint32_t *id) {
  static const struct {
    const char *name;
    uint8_t builtin;
    int8_t component;
  } registers[] = {
      {"tid.x", BuiltInLocalInvocationId, 0},
      {"tid.y", BuiltInLocalInvocationId, 1},
      {"tid.z", BuiltInLocalInvocationId, 2},
      {"ntid.x", BuiltInWorkgroupSize, 0},
      {"ntid.y", BuiltInWorkgroupSize, 1},
      {"ntid.z", BuiltInWorkgroupSize, 2},
      {"ctaid.x", BuiltInWorkgroupId, 0},
      {"ctaid.y", BuiltInWorkgroupId, 1},
      {"ctaid.z", BuiltInWorkgroupId, 2},
      {"nctaid.x", BuiltInNumWorkgroups, 0},
      {"nctaid.y", BuiltInNumWorkgroups, 1},
      {"nctaid.z", BuiltInNumWorkgroups, 2},
      {"laneid", BuiltInSubgroupLocalInvocationId, -1},
      {"warpsize", BuiltInSubgroupMaxSize, -1},
      {"warpid", BuiltInSubgroupId, -1},
  };
  static const char sreg[] = "llvm.nvvm.read.ptx.sreg.";
  const char *name = call->name;
  *id = 0;
  for (size_t i = 0; !strncmp(name, sreg, sizeof sreg - 1) && i < sizeof registers / sizeof *registers; i++)
    if (!strcmp(name + sizeof sreg - 1, registers[i].name)) {
      const uint32_t value = ll_builtin(ll, registers[i].builtin, registers[i].component);
      const uint32_t wide = ll_int_type(ll, registers[i].component >= 0 ? 64 : 32);
      *id = ll_convert(ll, "trunc", ll_value(value, wide), call->result);
      return true;
    }
  if (!strcmp(name, "llvm.nvvm.barrier0") || !strcmp(name, "llvm.nvvm.barrier.cta.sync.aligned.all")) {
    ll_emit(ll, LL_CODE, OpControlBarrier, ll_word(ll, ScopeWorkgroup), ll_word(ll, ScopeWorkgroup),
            ll_word(ll, MemorySemanticsSequentiallyConsistent | MemorySemanticsWorkgroupMemory |
                            MemorySemanticsCrossWorkgroupMemory));
    return true;
  }
  return false;
}
