/* Built-in variables: each is an ISA query or computed from a few. The machine's numbers have 32 bits. They are widened
 * to 64 here where OpenCL requires it, in explicit instructions that the narrow pass can undo. */
#include "opencl/lower/group.h"

struct query {
  int16_t builtin;
  uint16_t op;
  bool by_axis;
  uint8_t beyond; /* its value in a fourth dimension */
};

static const struct query queries[] = {
    {BuiltInNumWorkgroups, ISA_GET_NUM_GROUPS, true, 1},
    {BuiltInWorkgroupSize, ISA_GET_LOCAL_SIZE, true, 1},
    {BuiltInWorkgroupId, ISA_GET_GROUP_ID, true, 0},
    {BuiltInLocalInvocationId, ISA_GET_LOCAL_ID, true, 0},
    {BuiltInGlobalInvocationId, ISA_GET_GLOBAL_ID, true, 0},
    {BuiltInLocalInvocationIndex, ISA_GET_LOCAL_LINEAR_ID, false, 0},
    {BuiltInWorkDim, ISA_GET_WORK_DIM, false, 0},
    {BuiltInGlobalSize, ISA_GET_GLOBAL_SIZE, true, 1},
    {BuiltInEnqueuedWorkgroupSize, ISA_GET_ENQUEUED_LOCAL_SIZE, true, 1},
    {BuiltInGlobalOffset, ISA_GET_GLOBAL_OFFSET, true, 0},
    {BuiltInGlobalLinearId, ISA_GET_GLOBAL_LINEAR_ID, false, 0},
    {BuiltInSubgroupSize, ISA_GET_WARP_SIZE, false, 0},
    {BuiltInSubgroupMaxSize, ISA_GET_MAX_WARP_SIZE, false, 0},
    {BuiltInNumSubgroups, ISA_GET_NUM_WARPS, false, 0},
    {BuiltInSubgroupId, ISA_GET_WARP, false, 0},
    {BuiltInSubgroupLocalInvocationId, ISA_GET_LANE, false, 0},
};

static const struct query *find(unsigned builtin) {
  for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++)
    if ((unsigned)queries[i].builtin == builtin)
      return &queries[i];
  return NULL;
}

ir_ref build_beyond(struct build *b, uint32_t vector) {
  const struct spirv *module = b->module;
  const struct spirv_id *id = &module->id[vector];
  if (id->kind != SPIRV_VALUE || module->inst[id->index].op != OpLoad)
    return 0;
  const struct spirv_id *from = &module->id[module->inst[id->index].word[3]];
  const struct spirv_type *scalar = build_scalar(b, build_type(b, vector));
  if (from->kind != SPIRV_VARIABLE || from->decoration.builtin < 0 || !scalar || scalar->kind != SPIRV_INT)
    return 0;
  const struct query *query = find((unsigned)from->decoration.builtin);
  const uint32_t value = query ? query->beyond : 0;
  return scalar->bits == 64 ? build_64(b, value) : build_32(b, value);
}

static ir_ref product(struct build *b, enum isa_op query) {
  ir_ref items = build_query(b, query, 0);
  for (unsigned axis = 1; axis < 3; axis++)
    items = build_op(b, ISA_MUL_32, items, build_query(b, query, axis), 0);
  return items;
}

ir_ref build_group_items(struct build *b) { return product(b, ISA_GET_LOCAL_SIZE); }

/* Warps in a work-group of the enqueued size. */
static ir_ref enqueued_warps(struct build *b) {
  const ir_ref items = product(b, ISA_GET_ENQUEUED_LOCAL_SIZE);
  const ir_ref size = build_query(b, ISA_GET_MAX_WARP_SIZE, 0);
  const ir_ref up = build_op(b, ISA_ADD_32, items, build_with(b, ISA_SUB_32, size, 1), 0);
  return build_op(b, ISA_DIV_U32, up, size, 0);
}

/* The lanes of a full warp that are on one side of this lane, as bits of a pair. */
static ir_ref lane_mask(struct build *b, unsigned builtin) {
  const ir_ref lane = build_query(b, ISA_GET_LANE, 0);
  const ir_ref own = build_op(b, ISA_SHL_64, build_64(b, 1), lane, 0);
  if (builtin == BuiltInSubgroupEqMask)
    return own;
  const bool with = builtin == BuiltInSubgroupGtMask || builtin == BuiltInSubgroupLeMask;
  const ir_ref next = with ? build_op(b, ISA_SHL_64, build_64(b, 2), lane, 0) : own;
  const ir_ref below = build_op(b, ISA_SUB_64, next, build_64(b, 1), 0);
  if (builtin == BuiltInSubgroupLtMask || builtin == BuiltInSubgroupLeMask)
    return below;
  const ir_ref above = build_op(b, ISA_NOT_64, below, 0, 0);
  return build_op(b, ISA_AND_64, build_all_lanes(b), above, 0);
}

static void build_mask(struct build *b, unsigned builtin, const struct spirv_type *type, ir_ref *parts) {
  const ir_ref mask = lane_mask(b, builtin);
  for (uint32_t i = 0; i < type->parts; i++)
    parts[i] = i < 2 ? build_word(b, mask, i) : build_32(b, 0);
}

/* One component of `bits` bits. */
static ir_ref widened(struct build *b, ir_ref value, unsigned bits) {
  return bits == 64 ? build_op(b, ISA_CVT_U64_U32, value, 0, 0) : value;
}

bool build_builtin(struct build *b, unsigned builtin, const struct spirv_type *type, ir_ref *parts) {
  const struct spirv_type *scalar = build_scalar(b, type);
  const struct query *query = find(builtin);
  if (!scalar || scalar->kind != SPIRV_INT || scalar->bits < 32)
    return build_fail(b, "built-in variable %u has a type that it cannot have", builtin);
  if (builtin == BuiltInNumEnqueuedSubgroups && type->parts == 1)
    parts[0] = widened(b, enqueued_warps(b), scalar->bits);
  else if (builtin >= BuiltInSubgroupEqMask && builtin <= BuiltInSubgroupLtMask && scalar->bits == 32)
    build_mask(b, builtin, type, parts);
  else if (query)
    for (uint32_t i = 0; i < type->parts; i++)
      parts[i] = i > 2 ? widened(b, build_32(b, query->beyond), scalar->bits)
                       : widened(b, build_query(b, (enum isa_op)query->op, query->by_axis ? i : 0), scalar->bits);
  else
    return build_fail(b, "built-in variable %u is not supported", builtin);
  return !b->failed;
}
