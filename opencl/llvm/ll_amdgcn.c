/* Intrinsics of AMD's target. */
#include "opencl/llvm/ll.h"

#include <string.h>

bool ll_call_amdgcn(struct ll *ll, const struct ll_call *call, uint32_t *id) {
  static const struct {
    const char *name;
    uint8_t builtin;
    int8_t component;
  } registers[] = {
      {"llvm.amdgcn.workitem.id.x", BuiltInLocalInvocationId, 0},
      {"llvm.amdgcn.workitem.id.y", BuiltInLocalInvocationId, 1},
      {"llvm.amdgcn.workitem.id.z", BuiltInLocalInvocationId, 2},
      {"llvm.amdgcn.workgroup.id.x", BuiltInWorkgroupId, 0},
      {"llvm.amdgcn.workgroup.id.y", BuiltInWorkgroupId, 1},
      {"llvm.amdgcn.workgroup.id.z", BuiltInWorkgroupId, 2},
  };
  *id = 0;
  for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
    if (!strcmp(call->name, registers[i].name)) {
      const uint32_t value = ll_builtin(ll, registers[i].builtin, registers[i].component);
      *id = ll_convert(ll, "trunc", ll_value(value, ll_int_type(ll, 64)), call->result);
      return true;
    }
  if (strcmp(call->name, "llvm.amdgcn.s.barrier"))
    return false;
  ll_emit(ll, LL_CODE, OpControlBarrier, ll_word(ll, ScopeWorkgroup), ll_word(ll, ScopeWorkgroup),
          ll_word(ll, MemorySemanticsSequentiallyConsistent | MemorySemanticsWorkgroupMemory));
  return true;
}
