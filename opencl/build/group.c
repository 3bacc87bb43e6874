/* What a work-group does together: barriers, fences, asynchronous copies and their events, prefetches; and which file
 * lowers which group instruction.
 *
 * A barrier of a sub-group is a fence and nothing else: a warp is in lockstep, so all its lanes are there already; only
 * what they have stored may not have arrived. Memory semantics choose the fence by the kinds of memory that they name;
 * the order (acquire, release, both) makes no difference to a fence of the ISA, which holds back everything. */
#include "opencl/build/group.h"

#include "opencl/build/std.h"

bool group_fits(struct build *b, uint32_t id, uint32_t like) {
  const struct spirv_type *type = build_type(b, id), *other = like ? build_type(b, like) : NULL;
  const bool fits = type && type->parts == (like ? (other ? other->parts : 0) : 1) && type->parts;
  return fits || build_fail(b, "the operands and the result of a group instruction do not fit together");
}

uint32_t group_scope(struct build *b, uint32_t id) {
  uint64_t scope;
  if (spirv_integer(b->module, id, &scope) && scope <= ScopeInvocation)
    return (uint32_t)scope;
  build_fail(b, "a memory or execution scope must be a constant from 0 to %d", ScopeInvocation);
  return UINT32_MAX;
}

/* What the bits say: 0 nothing, 1 LDS, 2 global memory, 3 both. */
static unsigned memories(uint64_t semantics) {
  const uint64_t global = MemorySemanticsCrossWorkgroupMemory | MemorySemanticsImageMemory;
  return (semantics & MemorySemanticsWorkgroupMemory ? SYNC_LDS : 0) | (semantics & global ? SYNC_GLOBAL : 0);
}

void group_fence(struct build *b, uint64_t semantics) {
  static const uint16_t fences[] = {ISA_FENCE_ALL, ISA_FENCE_LDS, ISA_FENCE_GLOBAL, ISA_FENCE_ALL};
  const uint16_t op = fences[memories(semantics)];
  const struct ir_block *block = &b->ir->block[b->block];
  if (!block->count || b->ir->inst[block->inst[block->count - 1]].op != op)
    build_op(b, (enum isa_op)op, 0, 0, 0);
}

/* Semantics that are no constant are the strictest. */
static uint64_t semantics_of(struct build *b, uint32_t id) {
  uint64_t semantics;
  const uint64_t all =
      MemorySemanticsSequentiallyConsistent | MemorySemanticsWorkgroupMemory | MemorySemanticsCrossWorkgroupMemory;
  return spirv_integer(b->module, id, &semantics) ? semantics : all;
}

static bool lower_barrier(struct build *b, const struct spirv_inst *inst) {
  static const uint16_t barriers[] = {ISA_BAR, ISA_BAR_LDS, ISA_BAR_GLOBAL, ISA_BAR_ALL};
  const uint32_t scope = group_scope(b, inst->word[1]);
  const uint64_t semantics = semantics_of(b, inst->word[3]);
  if (scope == ScopeWorkgroup)
    build_op(b, (enum isa_op)barriers[memories(semantics)], 0, 0, 0);
  else if (scope == ScopeSubgroup && memories(semantics))
    group_fence(b, semantics);
  else if (scope < ScopeWorkgroup)
    return build_fail(b, "a barrier across work-groups is not supported; legal are work-group and sub-group barriers");
  return !b->failed;
}

static bool lower_fence(struct build *b, const struct spirv_inst *inst) {
  const uint32_t scope = group_scope(b, inst->word[1]);
  const uint64_t semantics = semantics_of(b, inst->word[2]);
  if (memories(semantics) && scope < ScopeInvocation)
    group_fence(b, semantics);
  return !b->failed;
}

ir_ref group_with(struct build *b, enum isa_op op, ir_ref value, uint32_t constant) {
  return build_op(b, op, value, build_32(b, constant), 0);
}

ir_ref group_low(struct build *b, ir_ref value) {
  const struct ir_inst *inst = &b->ir->inst[value];
  if (inst->width != IR_W2)
    return value;
  return inst->op == IR_CONST ? build_32(b, (uint32_t)inst->imm) : build_word(b, value, 0);
}

ir_ref group_memory(struct build *b, enum isa_op op, struct build_place place, ir_ref compare, ir_ref value,
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

/* ---- asynchronous copies ---------------------------------------------------------------------------- */

static const struct spirv_type *pointee(struct build *b, uint32_t id) {
  const struct spirv_type *type = build_type(b, id);
  if (type && type->kind == SPIRV_POINTER)
    return spirv_type(b->module, type->element);
  build_fail(b, "a pointer is expected here");
  return NULL;
}

static bool check_element(struct build *b, const struct spirv_type *type) {
  const bool fits = type->size && type->size <= 128 && !(type->size & (type->size - 1));
  return fits || build_fail(b, "async_work_group_copy of elements of %llu bytes; legal are scalars and vectors",
                            (unsigned long long)type->size);
}

/* Counts and strides are 64 bits wide in the language and 32 in the machine, whose memories hold no more. */
static ir_ref number(struct build *b, uint32_t id, const char *what) {
  uint64_t value;
  if (spirv_integer(b->module, id, &value) && value > UINT32_MAX)
    build_fail(b, "%s of async_work_group_copy is %llu; legal are numbers below 2^32", what, (unsigned long long)value);
  return group_low(b, build_value(b, id));
}

/* OpGroupAsyncCopy type result scope destination source count stride event */
static bool lower_copy(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = pointee(b, inst->word[4]);
  const struct build_pointer to = build_pointer(b, inst->word[4]), from = build_pointer(b, inst->word[5]);
  const bool inward = to.space == SPACE_LOCAL && from.space == SPACE_GLOBAL;
  if (b->failed || !check_element(b, type) || !group_fits(b, inst->word[2], 0))
    return false;
  if (!inward && (to.space != SPACE_GLOBAL || from.space != SPACE_LOCAL))
    return build_fail(b,
                      "async_work_group_copy is from local to global memory or back; here it cannot be seen which of "
                      "the two its pointers point to");
  uint64_t step;
  const bool plain = spirv_integer(b->module, inst->word[7], &step) && step == 1;
  const enum isa_op op = inward ? (plain ? ISA_COPY_TO_LDS : ISA_COPY_TO_LDS_STRIDED)
                                : (plain ? ISA_COPY_TO_GLOBAL : ISA_COPY_TO_GLOBAL_STRIDED);
  ir_ref operand[5] = {inward ? to.address : from.address, inward ? from.address : to.address};
  operand[2] = number(b, inst->word[6], "the count");
  operand[3] = plain ? 0 : number(b, inst->word[7], "the stride");
  operand[4] = build_value(b, inst->word[8]);
  const ir_ref event = ir_make(b->ir, (uint16_t)op, IR_W1, operand, 5, type->size, b->place);
  ir_append(b->ir, b->block, event);
  build_define(b, inst->word[2])[0] = event;
  return !b->failed;
}

/* A list of events lies in memory, usually in a private array that promotion dissolves. */
static const struct spirv_type event_type = {.kind = SPIRV_EVENT, .size = 8, .align = 8, .parts = 1};

static ir_ref event_at(struct build *b, struct build_pointer list, uint64_t index) {
  ir_ref event = 0;
  build_load(b, build_offset(b, list, 8 * index), &event_type, 8, &event);
  return event;
}

static void wait_for(struct build *b, const ir_ref *event, uint32_t count) {
  const ir_ref wait = ir_make(b->ir, ISA_WAIT, IR_NOTHING, event, count, 0, b->place);
  ir_append(b->ir, b->block, wait);
}

/* As many events a wait as it takes. */
static void wait_straight(struct build *b, struct build_pointer list, uint64_t count) {
  for (uint64_t done = 0; done < count; done += ISA_WAIT_EVENTS) {
    ir_ref event[ISA_WAIT_EVENTS];
    const uint32_t now = count - done < ISA_WAIT_EVENTS ? (uint32_t)(count - done) : ISA_WAIT_EVENTS;
    for (uint32_t i = 0; i < now; i++)
      event[i] = event_at(b, list, done + i);
    wait_for(b, event, now);
  }
}

/* for (int i = 0; i < count; i++) wait(list[i]); */
static void wait_in_loop(struct build *b, struct build_pointer list, ir_ref count) {
  const uint32_t i = build_variable(b, IR_W1);
  const uint32_t head = build_block(b), body = build_block(b), done = build_block(b);
  build_set(b, i, build_32(b, 0));
  build_goto(b, head);
  build_enter(b, head);
  const ir_ref index = build_get(b, i, IR_W1);
  build_if(b, build_op(b, ISA_SETP_LT_S32, index, count, 0), body, done);
  build_enter(b, body);
  ir_ref event = 0;
  build_load(b, build_index(b, list, build_op(b, ISA_CVT_U64_U32, index, 0, 0), 8), &event_type, 8, &event);
  wait_for(b, &event, 1);
  build_set(b, i, group_with(b, ISA_ADD_32, index, 1));
  build_goto(b, head);
  build_enter(b, done);
}

/* OpGroupWaitEvents scope count list */
static bool lower_wait(struct build *b, const struct spirv_inst *inst) {
  enum { MOST_STRAIGHT = 64 };
  const struct build_pointer list = build_pointer(b, inst->word[3]);
  const ir_ref count = group_low(b, build_value(b, inst->word[2]));
  if (b->failed)
    return false;
  const struct ir_inst *known = &b->ir->inst[count];
  if (known->op != IR_CONST || (int32_t)known->imm > MOST_STRAIGHT)
    wait_in_loop(b, list, count);
  else if ((int32_t)known->imm > 0)
    wait_straight(b, list, known->imm);
  return !b->failed;
}

/* prefetch(pointer, count): only global memory has an L2 to go to; elsewhere it is a hint that says nothing. */
bool build_prefetch(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = pointee(b, inst->word[5]);
  const struct build_pointer pointer = build_pointer(b, inst->word[5]);
  const ir_ref count = build_value(b, inst->word[6]);
  if (b->failed || pointer.space != SPACE_GLOBAL)
    return !b->failed;
  const ir_ref bytes = build_op(b, ISA_MUL_64, count, build_64(b, type->size), 0);
  const ir_ref most = build_op(b, ISA_MIN_U64, bytes, build_64(b, UINT32_MAX), 0);
  build_op(b, ISA_PREFETCH, pointer.address, 0, build_word(b, most, 0));
  return !b->failed;
}

bool build_group(struct build *b, const struct spirv_inst *inst) {
  static const struct {
    uint16_t opcode;
    bool (*lower)(struct build *b, const struct spirv_inst *inst);
  } lowered[] = {
      {OpControlBarrier, lower_barrier},
      {OpMemoryBarrier, lower_fence},
      {OpGroupAsyncCopy, lower_copy},
      {OpGroupWaitEvents, lower_wait},
  };
  for (size_t i = 0; i < sizeof lowered / sizeof lowered[0]; i++)
    if (lowered[i].opcode == inst->op)
      return lowered[i].lower(b, inst);
  return group_is_collective(inst->op) ? group_collective(b, inst) : group_lane(b, inst);
}
