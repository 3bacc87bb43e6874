/* Collectives: the row of group.def for an instruction, and the forms that need no memory, over a warp and over
 * clusters of its lanes. workgroup.c has those over a work-group.
 *
 * Floats are summed in lane order over the active lanes: ((a0 + a1) + a2) + ... The last value of an inclusive scan
 * equals the reduction, and an item's exclusive value equals the previous item's inclusive value, bit for bit. */
#include "opencl/lower/group.h"

struct group_opcode {
  uint16_t opcode;
  uint8_t family;
};

enum family {
  FAMILY_IADD,
  FAMILY_IMUL,
  FAMILY_SMIN,
  FAMILY_SMAX,
  FAMILY_UMIN,
  FAMILY_UMAX,
  FAMILY_AND,
  FAMILY_OR,
  FAMILY_XOR,
  FAMILY_FADD,
  FAMILY_FMUL,
  FAMILY_FMIN,
  FAMILY_FMAX,
};

static const struct group_opcode opcodes[] = {
#define GROUP_OPCODE(opcode, family) {Op##opcode, FAMILY_##family},
#include "opencl/lower/group.def"
#undef GROUP_OPCODE
};
enum { OPCODES = sizeof opcodes / sizeof opcodes[0] };

static const struct group_row {
  enum family family;
  struct group_op op;
} rows[] = {
#define GROUP_ROW(family, kind, bits, combine, suffix, neutral, identity)                                              \
  {FAMILY_##family,                                                                                                    \
   {ISA_##combine, ISA_REDUCE_##suffix, ISA_SCAN_##suffix, ISA_SCANB_##suffix, bits, GROUP_##kind,                     \
    (uint64_t)(neutral), (uint64_t)(identity)}},
#include "opencl/lower/group.def"
#undef GROUP_ROW
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static const struct group_opcode *find_opcode(uint16_t opcode) {
  for (size_t i = 0; i < OPCODES; i++)
    if (opcodes[i].opcode == opcode)
      return &opcodes[i];
  return NULL;
}

static const struct group_op *find_row(uint8_t family, bool integer, unsigned bits) {
  for (size_t i = 0; i < ROWS; i++)
    if (rows[i].family == family && rows[i].op.bits == bits && (rows[i].op.kind != GROUP_FLOAT) == integer)
      return &rows[i].op;
  return NULL;
}

/* The row for this instruction on values of `scalar`; NULL after build_fail(). */
static const struct group_op *op_of(struct build *b, uint16_t opcode, const struct spirv_type *scalar) {
  const struct group_opcode *found = find_opcode(opcode);
  const bool integer = scalar && (scalar->kind == SPIRV_INT || scalar->kind == SPIRV_BOOL);
  const struct group_op *op = NULL;
  if (found && scalar && (integer || scalar->kind == SPIRV_FLOAT)) {
    op = find_row(found->family, integer, scalar->kind == SPIRV_BOOL ? 32 : scalar->bits);
    if (!op && integer)
      op = find_row(found->family, integer, 32);
  }
  if (!op) {
    char room[32];
    build_fail(b, "%s does not support values of this type", spirv_op_name(opcode, room));
  }
  return op;
}

static ir_ref constant(struct build *b, const struct group_op *op, uint64_t bits) {
  return op->bits == 64 ? build_64(b, bits) : build_32(b, (uint32_t)bits);
}

ir_ref build_over_warp(struct build *b, const struct group_op *op, uint32_t operation, ir_ref value) {
  if (operation == GroupOperationReduce)
    return build_op(b, (enum isa_op)op->reduce, value, 0, 0);
  if (operation == GroupOperationInclusiveScan)
    return build_op(b, (enum isa_op)op->scan, value, 0, 0);
  const ir_ref before = build_op(b, (enum isa_op)op->before, value, constant(b, op, op->neutral), 0);
  if (op->neutral == op->identity)
    return before;
  const ir_ref first = build_op(b, ISA_ELECT, 0, 0, 0);
  return build_select(b, first, constant(b, op, op->identity), before);
}

/* Reduces clusters of a constant number of lanes: adds up the active lanes of each lane's own cluster, in order. */
static ir_ref over_cluster(struct build *b, const struct group_op *op, uint64_t size, ir_ref value) {
  const ir_ref active = build_op(b, ISA_BALLOT, build_pred(b, true), 0, 0);
  const ir_ref first = build_with(b, ISA_AND_32, build_query(b, ISA_GET_LANE, 0), 0 - (uint32_t)size);
  ir_ref sum = constant(b, op, op->neutral);
  for (uint32_t i = 0; i < size; i++) {
    const ir_ref lane = build_with(b, ISA_ADD_32, first, i);
    const ir_ref on = build_has_lane(b, active, lane);
    const ir_ref other = build_move_lanes(b, ISA_SHFL_IDX, value, lane);
    sum = build_select(b, on, build_op(b, (enum isa_op)op->combine, sum, other, 0), sum);
  }
  return sum;
}

/* The number of lanes in a cluster, at most ISA_LANES: a larger cluster is the whole warp. 0 after build_fail(). */
static uint64_t cluster_size(struct build *b, const struct spirv_inst *inst) {
  uint64_t size = 0;
  if (inst->words >= 7 && spirv_integer(b->module, inst->word[6], &size) && size && !(size & (size - 1))) {
    build_expect(b, ISA_EXPECT_INSIDE, build_32(b, size <= UINT32_MAX ? (uint32_t)size - 1 : UINT32_MAX));
    return size < ISA_LANES ? size : ISA_LANES;
  }
  build_fail(b, "the size of a cluster must be a constant power of two");
  return 0;
}

static ir_ref combine(struct build *b, const struct spirv_inst *inst, const struct group_op *op, uint32_t scope,
                      ir_ref value) {
  const uint32_t operation = inst->word[4];
  if (operation == GroupOperationClusteredReduce) /* exists for sub-groups only */
    return over_cluster(b, op, cluster_size(b, inst), value);
  return scope == ScopeWorkgroup ? build_over_group(b, op, operation, value) : build_over_warp(b, op, operation, value);
}

/* One component. Booleans are computed as 0 and 1; narrow integers are extended where their row requires it. */
static ir_ref collect(struct build *b, const struct spirv_inst *inst, const struct spirv_type *scalar, uint32_t scope,
                      ir_ref value) {
  const struct group_op *op = op_of(b, inst->op, scalar);
  if (!op)
    return 0;
  if (scalar->kind == SPIRV_BOOL) {
    const ir_ref result = combine(b, inst, op, scope, build_op(b, ISA_CVT_U32_P, value, 0, 0));
    return build_with(b, ISA_SETP_NE_U32, result, 0);
  }
  if (op->kind == GROUP_SIGN || op->kind == GROUP_ZEROS)
    value = build_extended(b, value, scalar->bits, op->kind == GROUP_SIGN);
  return combine(b, inst, op, scope, value);
}

/* May diverged work-items call it? */
static bool is_non_uniform(uint16_t opcode) {
  return opcode >= OpGroupNonUniformElect && opcode <= OpGroupNonUniformLogicalXor;
}

/* type result scope operation value [cluster size] */
static bool lower_operation(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = build_type(b, inst->word[1]), *scalar = type ? build_scalar(b, type) : NULL;
  const uint32_t scope = build_scope(b, inst->word[3]);
  const ir_ref *value = build_parts(b, inst->word[5]);
  ir_ref *result = build_define(b, inst->word[2]);
  if (b->failed || !value || !result || !build_same_parts(b, inst->word[2], inst->word[5]))
    return false;
  if (!scalar || (scope != ScopeWorkgroup && scope != ScopeSubgroup) || inst->word[4] > GroupOperationClusteredReduce)
    return build_fail(b, "legal: collectives of a work-group or a sub-group over scalars and vectors");
  if (scope == ScopeSubgroup && !is_non_uniform(inst->op))
    build_expect(b, ISA_EXPECT_WARP, 0);
  for (uint32_t i = 0; i < build_components(type) && !b->failed; i++)
    result[i] = collect(b, inst, scalar, scope, value[i]);
  return !b->failed;
}

/* OpGroupAll, OpGroupAny: type result scope predicate */
static bool lower_vote(struct build *b, const struct spirv_inst *inst) {
  const bool all = inst->op == OpGroupAll;
  const uint32_t scope = build_scope(b, inst->word[3]);
  const ir_ref predicate = build_value(b, inst->word[4]);
  if (b->failed || !build_same_parts(b, inst->word[2], 0))
    return false;
  if (scope != ScopeWorkgroup)
    build_expect(b, ISA_EXPECT_WARP, 0);
  build_define(b, inst->word[2])[0] = scope == ScopeWorkgroup
                                          ? build_vote(b, all, predicate)
                                          : build_op(b, all ? ISA_VOTE_ALL : ISA_VOTE_ANY, predicate, 0, 0);
  return !b->failed;
}

/* The linear local id of the work-item at local id (x), (x, y) or (x, y, z). */
static ir_ref linear_id(struct build *b, uint32_t id) {
  const struct spirv_type *type = build_type(b, id);
  const ir_ref *at = build_parts(b, id);
  if (!type || !at)
    return 0;
  ir_ref linear = 0;
  for (uint32_t axis = build_components(type); axis-- > 0;) {
    const ir_ref here = build_low(b, at[axis]);
    linear = linear ? build_op(b, ISA_MAD_32, linear, build_query(b, ISA_GET_LOCAL_SIZE, axis), here) : here;
  }
  return linear;
}

/* OpGroupBroadcast: type result scope value local-id */
static bool lower_broadcast(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = build_type(b, inst->word[1]), *at = build_type(b, inst->word[5]);
  const uint32_t scope = build_scope(b, inst->word[3]);
  if (b->failed || !type || !at || build_components(at) > 3)
    return build_fail(b, "a broadcast takes a local id of 1 to 3 dimensions");
  if (!build_scalar(b, type))
    return build_fail(b, "a broadcast takes a scalar or a vector");
  if (!build_same_parts(b, inst->word[2], inst->word[4]))
    return false;
  const ir_ref linear = linear_id(b, inst->word[5]);
  if (scope != ScopeWorkgroup) {
    build_expect(b, ISA_EXPECT_WARP, 0);
    build_expect(b, ISA_EXPECT_LANE, linear);
    build_shuffle(b, ISA_SHFL_IDX, inst->word[2], inst->word[4], linear);
    return !b->failed;
  }
  const ir_ref *value = build_parts(b, inst->word[4]);
  ir_ref *result = build_define(b, inst->word[2]);
  for (uint32_t i = 0; value && i < build_components(type); i++)
    result[i] = build_broadcast(b, value[i], linear);
  return !b->failed;
}

bool build_is_collective(uint16_t opcode) {
  return find_opcode(opcode) || opcode == OpGroupAll || opcode == OpGroupAny || opcode == OpGroupBroadcast;
}

bool build_collective(struct build *b, const struct spirv_inst *inst) {
  if (inst->op == OpGroupBroadcast)
    return lower_broadcast(b, inst);
  return find_opcode(inst->op) ? lower_operation(b, inst) : lower_vote(b, inst);
}
