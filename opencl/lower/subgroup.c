/* Operations among the lanes of a warp beyond reductions: shuffles, broadcasts, votes, ballots. A sub-group is a warp,
 * and its local id is the lane. As in the ISA, a lane is active if it is on the current path of the program, so uniform
 * and non-uniform forms are the same.
 *
 * A ballot is four 32-bit words in OpenCL; a warp has at most 64 lanes, so two of them are zero. */
#include "opencl/lower/build_core.h"
#include "opencl/lower/group.h"

static ir_ref move_word(struct build *b, enum isa_op op, ir_ref word, ir_ref with) {
  return build_op(b, op, word, with, 0);
}

ir_ref build_move_lanes(struct build *b, enum isa_op op, ir_ref value, ir_ref with) {
  const uint8_t width = b->ir->inst[value].width;
  if (width == IR_W2) {
    const ir_ref low = move_word(b, op, build_word(b, value, 0), with);
    return build_pair(b, low, move_word(b, op, build_word(b, value, 1), with));
  }
  if (width != IR_PRED)
    return move_word(b, op, value, with);
  const ir_ref moved = move_word(b, op, build_op(b, ISA_CVT_U32_P, value, 0, 0), with);
  return build_with(b, ISA_SETP_NE_U32, moved, 0);
}

static uint32_t parts_of(struct build *b, uint32_t id) {
  const struct spirv_type *type = build_type(b, id);
  return type ? type->parts : 0;
}

void build_shuffle(struct build *b, enum isa_op op, uint32_t result, uint32_t value, ir_ref with) {
  const ir_ref *from = build_parts(b, value);
  ir_ref *to = build_define(b, result);
  const uint32_t parts = parts_of(b, value);
  if (!build_same_parts(b, result, value) || b->failed || !from || !to)
    return;
  for (uint32_t i = 0; i < parts; i++)
    to[i] = build_move_lanes(b, op, from[i], with);
}

static ir_ref lane(struct build *b) { return build_query(b, ISA_GET_LANE, 0); }

ir_ref build_has_lane(struct build *b, ir_ref mask, ir_ref bit) {
  const ir_ref shifted = build_word(b, build_op(b, ISA_SHR_U64, mask, bit, 0), 0);
  return build_with(b, ISA_SETP_NE_U32, build_with(b, ISA_AND_32, shifted, 1), 0);
}

ir_ref build_all_lanes(struct build *b) {
  const ir_ref size = build_query(b, ISA_GET_MAX_WARP_SIZE, 0);
  const ir_ref absent = build_op(b, ISA_SUB_32, build_32(b, ISA_LANES), size, 0);
  return build_op(b, ISA_SHR_U64, build_64(b, UINT64_MAX), absent, 0);
}

/* The words of a ballot that hold lanes. */
static ir_ref ballot_of(struct build *b, uint32_t id) {
  const ir_ref *word = build_parts(b, id);
  if (!word || parts_of(b, id) != 4) {
    build_fail(b, "a ballot must be a vector of 4 words");
    return 0;
  }
  return build_pair(b, word[0], word[1]);
}

static void define(struct build *b, const struct spirv_inst *inst, ir_ref value) {
  if (value && build_same_parts(b, inst->word[2], 0))
    build_define(b, inst->word[2])[0] = value;
}

/* ---- one function per form: type result scope operands... --------------------------------------------- */

static void lower_elect(struct build *b, const struct spirv_inst *inst) {
  define(b, inst, build_op(b, ISA_ELECT, 0, 0, 0));
}

static void lower_vote(struct build *b, const struct spirv_inst *inst) {
  const enum isa_op op = inst->op == OpGroupNonUniformAll ? ISA_VOTE_ALL : ISA_VOTE_ANY;
  define(b, inst, build_op(b, op, build_value(b, inst->word[4]), 0, 0));
}

/* Floats compare as numbers, so any NaN makes the result false; integers compare by their extended bits. */
static ir_ref equals_first(struct build *b, const struct spirv_type *scalar, ir_ref value) {
  if (scalar->kind == SPIRV_BOOL)
    return build_op(b, ISA_VOTE_SAME, value, 0, 0);
  if (scalar->kind == SPIRV_INT)
    value = build_extended(b, value, scalar->bits, false);
  const ir_ref first = build_move_lanes(b, ISA_BCAST, value, 0);
  const bool real = scalar->kind == SPIRV_FLOAT;
  const enum isa_op compare = scalar->bits == 64   ? (real ? ISA_SETP_FEQ_F64 : ISA_SETP_EQ_U64)
                              : !real              ? ISA_SETP_EQ_U32
                              : scalar->bits == 16 ? ISA_SETP_FEQ_F16
                                                   : ISA_SETP_FEQ_F32;
  return build_op(b, ISA_VOTE_ALL, build_op(b, compare, value, first, 0), 0, 0);
}

static void lower_all_equal(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = build_type(b, inst->word[4]), *scalar = type ? build_scalar(b, type) : NULL;
  const ir_ref *value = build_parts(b, inst->word[4]);
  ir_ref same = 0;
  if (!scalar || !value) {
    build_fail(b, "sub_group_non_uniform_all_equal takes scalars and vectors");
    return;
  }
  for (uint32_t i = 0; i < type->parts; i++) {
    const ir_ref equal = equals_first(b, scalar, value[i]);
    same = same ? build_op(b, ISA_AND_P, same, equal, 0) : equal;
  }
  define(b, inst, same);
}

static void lower_broadcast_first(struct build *b, const struct spirv_inst *inst) {
  build_shuffle(b, ISA_BCAST, inst->word[2], inst->word[4], 0);
}

static void lower_shuffle(struct build *b, const struct spirv_inst *inst) {
  const enum isa_op op = inst->op == OpGroupNonUniformShuffleXor    ? ISA_SHFL_XOR
                         : inst->op == OpGroupNonUniformShuffleUp   ? ISA_SHFL_UP
                         : inst->op == OpGroupNonUniformShuffleDown ? ISA_SHFL_DOWN
                                                                    : ISA_SHFL_IDX;
  const ir_ref with = build_value(b, inst->word[5]);
  if (b->failed)
    return;
  if (inst->op == OpGroupNonUniformBroadcast)
    build_expect(b, ISA_EXPECT_LANE, build_low(b, with));
  build_shuffle(b, op, inst->word[2], inst->word[4], build_low(b, with));
}

/* Reads the lane `delta` above, wrapping around at the end of the warp or cluster. */
static void lower_rotate(struct build *b, const struct spirv_inst *inst) {
  const ir_ref delta = build_value(b, inst->word[5]);
  const ir_ref size = inst->words > 6 ? build_value(b, inst->word[6]) : build_query(b, ISA_GET_MAX_WARP_SIZE, 0);
  if (b->failed)
    return;
  build_expect(b, ISA_EXPECT_SAME, delta);
  const ir_ref mask = build_with(b, ISA_SUB_32, size, 1), me = lane(b);
  const ir_ref inside = build_op(b, ISA_AND_32, build_op(b, ISA_ADD_32, me, delta, 0), mask, 0);
  const ir_ref outside = build_op(b, ISA_AND_32, me, build_op(b, ISA_NOT_32, mask, 0, 0), 0);
  build_shuffle(b, ISA_SHFL_IDX, inst->word[2], inst->word[4], build_op(b, ISA_OR_32, inside, outside, 0));
}

static void lower_ballot(struct build *b, const struct spirv_inst *inst) {
  const ir_ref predicate = build_value(b, inst->word[4]);
  ir_ref *result = build_define(b, inst->word[2]);
  if (b->failed || parts_of(b, inst->word[2]) != 4) {
    build_fail(b, "a ballot must be a vector of 4 words");
    return;
  }
  const ir_ref votes = build_op(b, ISA_BALLOT, predicate, 0, 0);
  result[0] = build_word(b, votes, 0);
  result[1] = build_word(b, votes, 1);
  result[2] = result[3] = build_32(b, 0);
}

static void lower_ballot_bit(struct build *b, const struct spirv_inst *inst) {
  const ir_ref ballot = ballot_of(b, inst->word[4]);
  const bool inverse = inst->op == OpGroupNonUniformInverseBallot;
  const ir_ref bit = inverse ? lane(b) : build_value(b, inst->word[5]);
  if (b->failed)
    return;
  for (uint32_t word = 0; inverse && word < 2; word++)
    build_expect(b, ISA_EXPECT_SAME, build_word(b, ballot, word));
  define(b, inst, build_has_lane(b, ballot, build_low(b, bit)));
}

/* The bits below this lane; `inclusive`: and its own. */
static ir_ref bits_below(struct build *b, bool inclusive) {
  const ir_ref me = lane(b);
  const ir_ref one = build_op(b, ISA_SHL_64, build_64(b, inclusive ? 2 : 1), me, 0);
  return build_op(b, ISA_SUB_64, one, build_64(b, 1), 0);
}

/* type result scope operation ballot */
static void lower_ballot_count(struct build *b, const struct spirv_inst *inst) {
  const ir_ref ballot = ballot_of(b, inst->word[5]);
  const uint32_t operation = inst->word[4];
  if (operation > GroupOperationExclusiveScan)
    build_fail(b, "a ballot can be counted only by a reduction or an inclusive or exclusive scan");
  if (b->failed)
    return;
  const ir_ref mask =
      operation == GroupOperationReduce ? build_all_lanes(b) : bits_below(b, operation == GroupOperationInclusiveScan);
  define(b, inst, build_op(b, ISA_POPC_64, build_op(b, ISA_AND_64, ballot, mask, 0), 0, 0));
}

static void lower_ballot_find(struct build *b, const struct spirv_inst *inst) {
  const ir_ref ballot = ballot_of(b, inst->word[4]);
  if (b->failed)
    return;
  const ir_ref bits = build_op(b, ISA_AND_64, ballot, build_all_lanes(b), 0);
  if (inst->op == OpGroupNonUniformBallotFindLSB)
    define(b, inst, build_op(b, ISA_CTZ_64, bits, 0, 0));
  else /* 63 - n is n ^ 63 for n below 64 */
    define(b, inst, build_with(b, ISA_XOR_32, build_op(b, ISA_CLZ_64, bits, 0, 0), 63));
}

/* ---- cl_intel_subgroups: type result operands..., no scope -------------------------------------------- */

static void lower_intel_shuffle(struct build *b, const struct spirv_inst *inst) {
  const enum isa_op op = inst->op == OpSubgroupShuffleXorINTEL ? ISA_SHFL_XOR : ISA_SHFL_IDX;
  const ir_ref with = build_value(b, inst->word[4]);
  if (!b->failed)
    build_shuffle(b, op, inst->word[2], inst->word[3], with);
}

/* Down: the first value of lane + delta, or, past the end of the warp, the second value from its beginning. Up: the
 * second value of lane - delta, or, below its beginning, the first value from its end. Both read a window of two
 * warps. */
static void lower_intel_window(struct build *b, const struct spirv_inst *inst) {
  const ir_ref *first = build_parts(b, inst->word[3]), *second = build_parts(b, inst->word[4]);
  const ir_ref delta = build_value(b, inst->word[5]);
  ir_ref *result = build_define(b, inst->word[2]);
  if (!build_same_parts(b, inst->word[3], inst->word[2]) || !build_same_parts(b, inst->word[4], inst->word[2]) ||
      b->failed)
    return;
  const bool down = inst->op == OpSubgroupShuffleDownINTEL;
  const ir_ref size = build_query(b, ISA_GET_MAX_WARP_SIZE, 0);
  const ir_ref from = build_op(b, down ? ISA_ADD_32 : ISA_SUB_32, lane(b), delta, 0);
  const ir_ref around = build_op(b, ISA_AND_32, from, build_with(b, ISA_SUB_32, size, 1), 0);
  const ir_ref inside = build_op(b, ISA_SETP_LT_U32, from, size, 0);
  for (uint32_t i = 0; i < parts_of(b, inst->word[3]); i++) {
    const ir_ref near = build_move_lanes(b, ISA_SHFL_IDX, down ? first[i] : second[i], around);
    result[i] = build_select(b, inside, near, build_move_lanes(b, ISA_SHFL_IDX, down ? second[i] : first[i], around));
  }
}

/* The element of this lane in a block that a sub-group reads or writes, `part` full rows of lanes further. */
static struct build_pointer block_place(struct build *b, uint32_t pointer, uint32_t part, uint64_t bytes) {
  const ir_ref size = build_query(b, ISA_GET_MAX_WARP_SIZE, 0);
  const ir_ref own = lane(b), index = build_op(b, ISA_MAD_32, size, build_32(b, part), own);
  const ir_ref wide = build_op(b, ISA_CVT_U64_U32, index, 0, 0);
  return build_index(b, build_pointer(b, pointer), wide, bytes);
}

/* type result pointer, or pointer value: a lane's component i is i sub-groups behind its first one. */
static void lower_intel_block(struct build *b, const struct spirv_inst *inst) {
  const bool reads = inst->op == OpSubgroupBlockReadINTEL;
  const uint32_t value = inst->word[2], pointer = inst->word[reads ? 3 : 1];
  const struct spirv_type *scalar = build_scalar(b, build_type(b, value));
  if (!scalar || !core_is_pointer(b, pointer)) {
    core_misfit(b, inst);
    return;
  }
  build_expect(b, ISA_EXPECT_WARP, 0);
  const ir_ref address = build_pointer(b, pointer).address;
  for (uint32_t word = 0; word < (b->ir->inst[address].width == IR_W2 ? 2 : 1); word++)
    build_expect(b, ISA_EXPECT_SAME, b->ir->inst[address].width == IR_W2 ? build_word(b, address, word) : address);
  ir_ref *part = reads ? build_define(b, value) : NULL;
  const ir_ref *from = reads ? NULL : build_parts(b, value);
  for (uint32_t i = 0; i < parts_of(b, value) && !b->failed; i++)
    if (reads)
      build_load(b, block_place(b, pointer, i, scalar->size), scalar, (uint32_t)scalar->size, &part[i]);
    else
      build_store(b, block_place(b, pointer, i, scalar->size), scalar, (uint32_t)scalar->size, &from[i]);
}

static const struct lane_row {
  uint16_t opcode;
  bool scoped;
  void (*lower)(struct build *b, const struct spirv_inst *inst);
} rows[] = {
    {OpGroupNonUniformElect, true, lower_elect},
    {OpGroupNonUniformAll, true, lower_vote},
    {OpGroupNonUniformAny, true, lower_vote},
    {OpGroupNonUniformAllEqual, true, lower_all_equal},
    {OpGroupNonUniformBroadcast, true, lower_shuffle},
    {OpGroupNonUniformBroadcastFirst, true, lower_broadcast_first},
    {OpGroupNonUniformBallot, true, lower_ballot},
    {OpGroupNonUniformInverseBallot, true, lower_ballot_bit},
    {OpGroupNonUniformBallotBitExtract, true, lower_ballot_bit},
    {OpGroupNonUniformBallotBitCount, true, lower_ballot_count},
    {OpGroupNonUniformBallotFindLSB, true, lower_ballot_find},
    {OpGroupNonUniformBallotFindMSB, true, lower_ballot_find},
    {OpGroupNonUniformShuffle, true, lower_shuffle},
    {OpGroupNonUniformShuffleXor, true, lower_shuffle},
    {OpGroupNonUniformShuffleUp, true, lower_shuffle},
    {OpGroupNonUniformShuffleDown, true, lower_shuffle},
    {OpGroupNonUniformRotateKHR, true, lower_rotate},
    {OpSubgroupShuffleINTEL, false, lower_intel_shuffle},
    {OpSubgroupShuffleXorINTEL, false, lower_intel_shuffle},
    {OpSubgroupShuffleDownINTEL, false, lower_intel_window},
    {OpSubgroupShuffleUpINTEL, false, lower_intel_window},
    {OpSubgroupBlockReadINTEL, false, lower_intel_block},
    {OpSubgroupBlockWriteINTEL, false, lower_intel_block},
};

bool build_lane_op(struct build *b, const struct spirv_inst *inst) {
  char room[32];
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (rows[i].opcode != inst->op)
      continue;
    if (rows[i].scoped && build_scope(b, inst->word[3]) != ScopeSubgroup)
      return build_fail(b, "%s is only for sub-groups", spirv_op_name(inst->op, room));
    rows[i].lower(b, inst);
    return !b->failed;
  }
  return build_fail(b, "%s is not supported", spirv_op_name(inst->op, room));
}
