/* Maps instructions to the functions that lower them. A row is a range of opcodes (spirv_ops.def); a function reports
 * by name an instruction that it does not support. */
#include "opencl/lower/build_core.h"

typedef bool lower_function(struct build *b, const struct spirv_inst *inst);

static bool nothing(struct build *b, const struct spirv_inst *inst) {
  (void)inst;
  return !b->failed;
}

static bool undefined(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = build_type(b, inst->word[2]);
  if (type && type->kind == SPIRV_POINTER)
    return core_define_pointer(b, inst->word[2], (struct build_pointer){SPACE_GENERIC, build_64(b, 0), IN_NULL});
  return core_undefined(b, type, build_define(b, inst->word[2]));
}

/* Instruction sets other than OpenCL.std hold debug information and hints. */
static bool extended(struct build *b, const struct spirv_inst *inst) {
  enum { STD_PRINTF = 184 };
  if (inst->word[3] != b->module->opencl_std)
    return true;
  return inst->word[4] == STD_PRINTF ? build_printf(b, inst) : build_std(b, inst);
}

static const struct {
  uint16_t first, last;
  lower_function *lower;
} rows[] = {
    {OpNop, OpNop, nothing},
    {OpUndef, OpUndef, undefined},
    {OpExtInst, OpExtInst, extended},
    {OpFunctionCall, OpFunctionCall, lower_call},
    {OpVariable, OpVariable, lower_variable},
    {OpLoad, OpLoad, lower_load},
    {OpStore, OpStore, lower_store},
    {OpCopyMemory, OpCopyMemorySized, lower_copy_memory},
    {OpAccessChain, OpPtrAccessChain, lower_chain},
    {OpInBoundsPtrAccessChain, OpInBoundsPtrAccessChain, lower_chain},
    {OpSampledImage, OpImageSampleExplicitLod, build_image},
    {OpImageFetch, OpImageFetch, build_image},
    {OpImageRead, OpImageQuerySamples, build_image},
    {OpSubgroupImageBlockReadINTEL, OpSubgroupImageBlockWriteINTEL, build_image},
    {OpVectorExtractDynamic, OpVectorExtractDynamic, lower_extract_dynamic},
    {OpVectorInsertDynamic, OpVectorInsertDynamic, lower_insert_dynamic},
    {OpVectorShuffle, OpVectorShuffle, lower_vector_shuffle},
    {OpCompositeConstruct, OpCompositeConstruct, lower_composite_construct},
    {OpCompositeExtract, OpCompositeExtract, lower_composite_extract},
    {OpCompositeInsert, OpCompositeInsert, lower_composite_insert},
    {OpCopyObject, OpCopyObject, lower_copy_object},
    {OpConvertFToU, OpQuantizeToF16, build_convert},
    {OpConvertPtrToU, OpConvertPtrToU, lower_pointer},
    {OpSatConvertSToU, OpSatConvertUToS, build_convert},
    {OpConvertUToPtr, OpGenericCastToPtrExplicit, lower_pointer},
    {OpBitcast, OpBitcast, lower_bitcast},
    {OpGenericPtrMemSemantics, OpGenericPtrMemSemantics, lower_semantics},
    {OpSMod, OpSMod, lower_modulo},
    {OpFRem, OpFMod, lower_remainder},
    {OpVectorTimesScalar, OpVectorTimesScalar, lower_scaled},
    {OpDot, OpDot, lower_dot},
    {OpIAddCarry, OpSMulExtended, lower_two_results},
    {OpAny, OpAll, lower_any_all},
    {OpIsNan, OpSignBitSet, lower_float_test},
    {OpLogicalEqual, OpLogicalEqual, lower_logical_equal},
    {OpSelect, OpSelect, lower_select},
    {OpBitFieldInsert, OpBitFieldUExtract, lower_bit_field},
    {OpBitReverse, OpBitCount, lower_bits},
    {OpControlBarrier, OpMemoryBarrier, build_group},
    {OpAtomicLoad, OpAtomicXor, build_atomic},
    {OpLoopMerge, OpSelectionMerge, nothing},
    {OpBranch, OpSwitch, lower_flow},
    {OpReturn, OpUnreachable, lower_flow},
    {OpLifetimeStart, OpLifetimeStop, nothing},
    {OpGroupAsyncCopy, OpGroupSMax, build_group},
    {OpReadPipe, OpGroupCommitWritePipe, build_pipe},
    {OpAtomicFlagTestAndSet, OpAtomicFlagClear, build_atomic},
    {OpModuleProcessed, OpModuleProcessed, nothing},
    {OpGroupNonUniformElect, OpGroupNonUniformQuadSwap, build_group},
    {OpCopyLogical, OpCopyLogical, lower_copy_object},
    {OpPtrEqual, OpPtrDiff, lower_pointer_compare},
    {OpUntypedAccessChainKHR, OpUntypedInBoundsAccessChainKHR, lower_chain},
    {OpSubgroupBallotKHR, OpSubgroupFirstInvocationKHR, build_group},
    {OpUntypedPtrAccessChainKHR, OpUntypedInBoundsPtrAccessChainKHR, lower_chain},
    {OpSubgroupAllKHR, OpSubgroupReadInvocationKHR, build_group},
    {OpSubgroupShuffleINTEL, OpSubgroupBlockWriteINTEL, build_group},
    {OpSDot, OpSUDotAccSat, build_dot},
    {OpReadClockKHR, OpReadClockKHR, build_group},
    {OpAtomicFMinEXT, OpAtomicFMaxEXT, build_atomic},
    {OpAssumeTrueKHR, OpAssumeTrueKHR, nothing},
    {OpExpectKHR, OpExpectKHR, lower_copy_object},
    {OpAtomicFAddEXT, OpAtomicFAddEXT, build_atomic},
    {OpGroupIMulKHR, OpGroupLogicalXorKHR, build_group},
};

bool core_lower(struct build *b, const struct spirv_inst *inst) {
  char room[32];
  if (core_has_row(inst->op))
    return lower_arithmetic(b, inst);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].first <= inst->op && inst->op <= rows[i].last)
      return rows[i].lower(b, inst) && !b->failed;
  return build_fail(b, "%s is not supported", spirv_op_name(inst->op, room));
}
