/* Work-group barriers and fences, and which file lowers a group instruction.
 *
 * A sub-group barrier takes no longer than a fence: a warp runs in lockstep, so all its lanes are already there, but
 * their stores may not be complete. It is an operation of its own because it orders one lane's accesses with another's.
 * Memory semantics select the fence by the kinds of memory that they name. The order (acquire, release, both) and the
 * scope do not matter, because an ISA fence orders all accesses for the device. They are kept for `warpwait check`. */
#include "opencl/lower/group.h"

void build_expect(struct build *b, enum isa_op op, ir_ref value) {
  if (b->ir->target.checked)
    build_op(b, op, value, 0, 0);
}

bool build_same_parts(struct build *b, uint32_t id, uint32_t like) {
  const struct spirv_type *type = build_type(b, id), *other = like ? build_type(b, like) : NULL;
  const bool fits = type && type->parts == (like ? (other ? other->parts : 0) : 1) && type->parts;
  return fits || build_fail(b, "the operands and the result of a group instruction do not fit together");
}

uint32_t build_scope(struct build *b, uint32_t id) {
  uint64_t scope;
  if (spirv_integer(b->module, id, &scope) && scope <= ScopeInvocation)
    return (uint32_t)scope;
  build_fail(b, "a memory or execution scope must be a constant from 0 to %d", ScopeInvocation);
  return UINT32_MAX;
}

/* Kinds of memory as bits: 1 LDS, 2 global memory, 4 images. */
static unsigned memories(uint64_t semantics) {
  return (semantics & MemorySemanticsWorkgroupMemory ? SYNC_LDS : 0) |
         (semantics & MemorySemanticsCrossWorkgroupMemory ? SYNC_GLOBAL : 0) |
         (semantics & MemorySemanticsImageMemory ? SYNC_IMAGE : 0);
}

/* llvm-spirv gives the atomics of OpenCL 1.x the scope of the work-group, too, although programs count with them on the
 * whole device. So a relaxed atomic with this scope may be one of these. */
uint8_t build_order(uint64_t semantics, uint64_t scope) {
  static const uint8_t scopes[] = {[ScopeCrossDevice] = ISA_SCOPE_DEVICE,
                                   [ScopeDevice] = ISA_SCOPE_DEVICE,
                                   [ScopeWorkgroup] = ISA_SCOPE_WORK_GROUP,
                                   [ScopeSubgroup] = ISA_SCOPE_SUB_GROUP,
                                   [ScopeInvocation] = ISA_SCOPE_ITEM};
  const uint64_t both = MemorySemanticsAcquireRelease | MemorySemanticsSequentiallyConsistent;
  const uint64_t strictest = MemorySemanticsSequentiallyConsistent;
  const bool acquires = semantics & (both | MemorySemanticsAcquire);
  const bool releases = semantics & (both | MemorySemanticsRelease);
  const bool relaxed = !acquires && !releases;
  return (uint8_t)(ISA_ORDERS_KNOWN | (acquires ? ISA_ORDERS_ACQUIRE : 0) | (releases ? ISA_ORDERS_RELEASE : 0) |
                   (semantics & (strictest | MemorySemanticsWorkgroupMemory) ? ISA_ORDERS_LDS : 0) |
                   (semantics & (strictest | MemorySemanticsCrossWorkgroupMemory) ? ISA_ORDERS_GLOBAL : 0) |
                   (relaxed && scope == ScopeWorkgroup ? ISA_SCOPE_DEVICE : scopes[scope]) << ISA_ORDERS_SCOPE);
}

/* The order of a fence that is a part of another operation. */
static const uint8_t nothing = ISA_ORDERS_KNOWN;

static void put(struct build *b, uint16_t op, uint8_t order) {
  const ir_ref ref = build_op(b, (enum isa_op)op, 0, 0, 0);
  b->ir->inst[ref].order = order;
}

/* Omits a fence directly after an equal one. A warp barrier includes the fence, so it replaces it. Of two orders, a
 * fence keeps the one that promises more; if each promises something of its own, both fences stay. */
static void put_fence(struct build *b, uint64_t semantics, bool warp, uint8_t order) {
  static const uint16_t fences[] = {ISA_FENCE_ALL, ISA_FENCE_LDS, ISA_FENCE_GLOBAL, ISA_FENCE_ALL};
  static const uint16_t barriers[] = {ISA_BAR_WARP_ALL, ISA_BAR_WARP_LDS, ISA_BAR_WARP_GLOBAL, ISA_BAR_WARP_ALL};
  const unsigned kinds = memories(semantics) & (SYNC_LDS | SYNC_GLOBAL);
  const uint16_t fence = fences[kinds], barrier = barriers[kinds];
  const struct ir_block *block = &b->ir->block[b->block];
  struct ir_inst *last = block->count ? &b->ir->inst[block->inst[block->count - 1]] : NULL;
  const bool same = last && (last->op == fence || last->op == barrier) &&
                    (order == last->order || order == nothing || last->order == nothing);
  if (!same)
    put(b, warp ? barrier : fence, order);
  else {
    last->op = warp ? barrier : last->op;
    last->order = order == nothing ? last->order : order;
  }
}

void build_fence(struct build *b, uint64_t semantics) { put_fence(b, semantics, false, nothing); }

/* Semantics and scopes that are not constant are treated as the strictest. */
static uint64_t semantics_of(struct build *b, uint32_t id) {
  uint64_t semantics;
  const uint64_t all = MemorySemanticsSequentiallyConsistent | MemorySemanticsWorkgroupMemory |
                       MemorySemanticsCrossWorkgroupMemory | MemorySemanticsImageMemory;
  return spirv_integer(b->module, id, &semantics) ? semantics : all;
}

uint64_t build_memory_scope(struct build *b, uint32_t id) {
  uint64_t scope;
  return spirv_integer(b->module, id, &scope) && scope <= ScopeInvocation ? scope : ScopeDevice;
}

/* Images have separate fences, after that of other memory: a work-item's, or a sub-group barrier's. */
static void put_fences(struct build *b, uint64_t semantics, bool warp, uint8_t order) {
  const unsigned kinds = memories(semantics);
  if (kinds & (SYNC_LDS | SYNC_GLOBAL))
    put_fence(b, semantics, warp, order);
  if (kinds & SYNC_IMAGE)
    put(b, warp ? ISA_BAR_WARP_IMAGE : ISA_FENCE_IMAGE, order);
}

/* What a fence or barrier promises; its operation says for which memories. */
static uint8_t fence_order(uint64_t semantics, uint64_t scope) {
  return build_order(semantics, scope) & (uint8_t) ~(ISA_ORDERS_LDS | ISA_ORDERS_GLOBAL);
}

static bool lower_barrier(struct build *b, const struct spirv_inst *inst) {
  static const uint16_t barriers[] = {ISA_BAR,       ISA_BAR_LDS,       ISA_BAR_GLOBAL, ISA_BAR_ALL,
                                      ISA_BAR_IMAGE, ISA_BAR_ALL_IMAGE, ISA_BAR_IMAGE,  ISA_BAR_ALL_IMAGE};
  const uint32_t scope = build_scope(b, inst->word[1]);
  const uint64_t semantics = semantics_of(b, inst->word[3]);
  const uint8_t order = fence_order(semantics | MemorySemanticsAcquireRelease, build_memory_scope(b, inst->word[2]));
  if (scope == ScopeWorkgroup)
    put(b, barriers[memories(semantics)], order);
  else if (scope == ScopeSubgroup) {
    put_fences(b, semantics, true, order);
    build_expect(b, ISA_EXPECT_WARP, 0);
  } else if (scope < ScopeWorkgroup)
    return build_fail(b, "a barrier across work-groups is not supported; legal: work-group and sub-group barriers");
  return !b->failed;
}

static bool lower_fence(struct build *b, const struct spirv_inst *inst) {
  const uint32_t scope = build_scope(b, inst->word[1]);
  const uint64_t semantics = semantics_of(b, inst->word[2]);
  put_fences(b, scope < ScopeInvocation ? semantics : semantics & MemorySemanticsImageMemory, false,
             fence_order(semantics, scope <= ScopeInvocation ? scope : ScopeDevice));
  return !b->failed;
}

ir_ref build_with(struct build *b, enum isa_op op, ir_ref value, uint32_t constant) {
  return build_op(b, op, value, build_32(b, constant), 0);
}

ir_ref build_low(struct build *b, ir_ref value) {
  const struct ir_inst *inst = &b->ir->inst[value];
  if (inst->width != IR_W2)
    return value;
  return inst->op == IR_CONST ? build_32(b, (uint32_t)inst->imm) : build_word(b, value, 0);
}

ir_ref build_memory_op(struct build *b, enum isa_op op, struct build_place place, ir_ref compare, ir_ref value,
                       ir_ref keep) {
  const ir_ref operand[] = {place.address, compare, value};
  const ir_ref ref = ir_make(b->ir, (uint16_t)op, ir_width_of(op), operand, value ? 3 : 1, 0, b->place);
  struct ir_inst *inst = &b->ir->inst[ref];
  inst->guard = place.guard;
  inst->guard_not = place.guard_not;
  inst->keep = place.guard ? keep : 0;
  ir_append(b->ir, b->block, ref);
  return ref;
}

bool build_group(struct build *b, const struct spirv_inst *inst) {
  static const struct {
    uint16_t opcode;
    bool (*lower)(struct build *b, const struct spirv_inst *inst);
  } lowered[] = {
      {OpControlBarrier, lower_barrier}, {OpMemoryBarrier, lower_fence}, {OpGroupAsyncCopy, async_copy},
      {OpGroupWaitEvents, async_wait},   {OpReadClockKHR, clock_read},
  };
  for (size_t i = 0; i < sizeof lowered / sizeof lowered[0]; i++)
    if (lowered[i].opcode == inst->op)
      return lowered[i].lower(b, inst);
  return build_is_collective(inst->op) ? build_collective(b, inst) : build_lane_op(b, inst);
}
