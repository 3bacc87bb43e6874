/* Asynchronous copies, their events, fences between copies, and prefetches.
 *
 * A copy is one ISA instruction that the work-group executes together. Its event is a number in a register; 0 is no
 * event. Sizes are 64 bits wide in OpenCL and 32 in the ISA, whose memories hold no more. A larger size becomes
 * UINT32_MAX; no buffer is that large, so the bounds check reports it. Plain and strided copies are SPIR-V
 * instructions. 2D and 3D copies and the fence are functions that import.c finds by name.
 *
 * A wait names up to eight events. A longer list is split: the first parts release nothing (wait.more) and the last one
 * releases all (wait), because an event may be in a list twice. If the number of events is known only at run time, it
 * is an operand of the last wait (wait.first), so that the machine detects work-items that disagree and invalid
 * numbers.
 *
 * If copies are loops, there are no events. A wait is then a barrier, and its list is not read. */
#include "opencl/lower/build_core.h"
#include "opencl/lower/group.h"
#include "opencl/lower/std.h"

/* ---- operands --------------------------------------------------------------------------------------- */

static bool is_kind(struct build *b, uint32_t id, enum spirv_type_kind kind) {
  const struct spirv_type *type = build_type(b, id);
  return type && type->kind == kind;
}

/* A size_t, or a 32-bit integer. */
static ir_ref number(struct build *b, uint32_t id) {
  if (!is_kind(b, id, SPIRV_INT) || build_type(b, id)->bits < 32)
    build_fail(b, "the counts, sizes and strides of a copy are integers of 32 or 64 bits");
  return b->failed ? build_32(b, 0) : build_value(b, id);
}

/* Narrowed to 32 bits; larger values become the largest number. */
static ir_ref saturated(struct build *b, ir_ref value) {
  const struct ir_inst *inst = &b->ir->inst[value];
  if (inst->width != IR_W2)
    return value;
  if (inst->op == IR_CONST)
    return build_32(b, inst->imm < UINT32_MAX ? (uint32_t)inst->imm : UINT32_MAX);
  if (inst->op == ISA_CVT_U64_U32)
    return ir_operand(b->ir, value, 0);
  return build_word(b, build_op(b, ISA_MIN_U64, value, build_64(b, UINT32_MAX), 0), 0);
}

static ir_ref count_of(struct build *b, uint32_t id) { return saturated(b, number(b, id)); }

static ir_ref wide(struct build *b, ir_ref value) {
  const struct ir_inst *inst = &b->ir->inst[value];
  if (inst->width == IR_W2)
    return value;
  return inst->op == IR_CONST ? build_64(b, inst->imm) : build_op(b, ISA_CVT_U64_U32, value, 0, 0);
}

static bool events_fit(struct build *b, uint32_t result, uint32_t event) {
  return (is_kind(b, result, SPIRV_EVENT) && is_kind(b, event, SPIRV_EVENT)) ||
         build_fail(b, "a copy must take and return an event");
}

/* Finds the direction of a copy between these pointers; false after build_fail(). */
static bool direction(struct build *b, struct build_pointer to, struct build_pointer from, const char *name,
                      bool *inward) {
  *inward = to.space == SPACE_LOCAL && from.space == SPACE_GLOBAL;
  if (b->failed || *inward || (to.space == SPACE_GLOBAL && from.space == SPACE_LOCAL))
    return !b->failed;
  return build_fail(
      b, "%s copies between local and global memory, but it is unknown which of the two each pointer here points to",
      name);
}

static bool add_copy(struct build *b, uint32_t result, enum isa_op op, const ir_ref *operand, uint32_t count,
                     uint64_t element_bytes) {
  if (b->failed)
    return false;
  const ir_ref event = ir_make(b->ir, (uint16_t)op, IR_W1, operand, count, element_bytes, b->place);
  ir_append(b->ir, b->block, event);
  build_define(b, result)[0] = event;
  return !b->failed;
}

/* ---- plain and strided copies ----------------------------------------------------------------------- */

static const struct spirv_type *pointee(struct build *b, uint32_t id) {
  const struct spirv_type *type = build_type(b, id);
  if (type && type->kind == SPIRV_POINTER)
    return spirv_type(b->module, type->element);
  build_fail(b, "a pointer is expected here");
  return NULL;
}

static bool check_element(struct build *b, const struct spirv_type *type) {
  const bool fits = type->size && type->size <= 128 && !(type->size & (type->size - 1));
  return fits || build_fail(b, "async_work_group_copy of elements of %llu bytes; legal: scalars and vectors",
                            (unsigned long long)type->size);
}

static bool of_work_group(struct build *b, uint32_t scope) {
  const uint32_t found = build_scope(b, scope);
  return b->failed || found == ScopeWorkgroup
             ? !b->failed
             : build_fail(b, "copies and waits belong to a work-group, not to another scope");
}

/* for (i = local id; i < count; i += local size) to[i] = from[i]; the global side advances by the stride. Whole
 * elements as a DMA engine moves them: OpenCL copies vectors of three components like those of four. */
static bool copy_by_loop(struct build *b, const struct spirv_inst *inst, const struct spirv_type *type, bool inward) {
  const struct build_pointer to = build_pointer(b, inst->word[4]), from = build_pointer(b, inst->word[5]);
  const ir_ref count = wide(b, number(b, inst->word[6])), stride = wide(b, number(b, inst->word[7]));
  const uint32_t at = build_variable(b, IR_W2);
  const uint32_t head = build_block(b), body = build_block(b), done = build_block(b);
  const ir_ref items = wide(b, build_group_items(b));
  build_set(b, at, wide(b, build_query(b, ISA_GET_LOCAL_LINEAR_ID, 0)));
  build_goto(b, head);
  build_enter(b, head);
  b->ir->block[head].copies = 1; /* do not unroll: vendors' libraries have this loop as it is */
  const ir_ref index = build_get(b, at, IR_W2);
  build_if(b, build_op(b, ISA_SETP_LT_U64, index, count, 0), body, done);
  build_enter(b, body);
  const ir_ref far = build_op(b, ISA_MUL_64, index, stride, 0);
  const struct build_pointer source = build_index(b, from, inward ? far : index, type->size);
  const struct build_pointer target = build_index(b, to, inward ? index : far, type->size);
  core_copy(b, target, source, type->size, type->align);
  build_set(b, at, build_op(b, ISA_ADD_64, index, items, 0));
  build_goto(b, head);
  build_enter(b, done);
  build_define(b, inst->word[2])[0] = build_value(b, inst->word[8]);
  return !b->failed;
}

/* OpGroupAsyncCopy type result scope destination source count stride event */
bool async_copy(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = pointee(b, inst->word[4]);
  const struct build_pointer to = build_pointer(b, inst->word[4]), from = build_pointer(b, inst->word[5]);
  bool inward;
  if (!direction(b, to, from, "async_work_group_copy", &inward) || !check_element(b, type) ||
      !of_work_group(b, inst->word[3]) || !events_fit(b, inst->word[2], inst->word[8]))
    return false;
  if (b->copy_loops)
    return copy_by_loop(b, inst, type, inward);
  uint64_t step;
  const bool plain = spirv_integer(b->module, inst->word[7], &step) && step == 1;
  const enum isa_op op = inward ? (plain ? ISA_COPY_TO_LDS : ISA_COPY_TO_LDS_STRIDED)
                                : (plain ? ISA_COPY_TO_GLOBAL : ISA_COPY_TO_GLOBAL_STRIDED);
  ir_ref operand[] = {[IR_COPY_LDS] = inward ? to.address : from.address,
                      [IR_COPY_GLOBAL] = inward ? from.address : to.address,
                      [IR_COPY_EVENT] = 0};
  operand[IR_COPY_ELEMENTS] = count_of(b, inst->word[6]);
  operand[IR_COPY_STRIDE] = plain ? 0 : count_of(b, inst->word[7]);
  operand[IR_COPY_EVENT] = build_value(b, inst->word[8]);
  return add_copy(b, inst->word[2], op, operand, IR_COPY_EVENT + 1, type->size);
}

/* ---- 2D and 3D copies ------------------------------------------------------------------------------- */

static bool is_known(const struct build *b, ir_ref ref, uint64_t *value) {
  *value = b->ir->inst[ref].imm;
  return ir_is_const(b->ir, ref);
}

/* The address of element `offset` in global memory. An offset beyond 32 bits saturates, so that the address is beyond
 * every buffer instead of wrapping around. */
static ir_ref global_at(struct build *b, struct build_pointer pointer, ir_ref offset, ir_ref bytes) {
  uint64_t size;
  const ir_ref steps = saturated(b, offset), factor = saturated(b, bytes);
  if (is_known(b, factor, &size))
    return build_index(b, pointer, wide(b, steps), size).address;
  return build_op(b, ISA_ADD_64, pointer.address, build_op(b, ISA_MULW_U32, steps, factor, 0), 0);
}

/* The address of element `offset` in the LDS; an offset beyond 32 bits becomes an address beyond every LDS. */
static ir_ref lds_at(struct build *b, struct build_pointer pointer, ir_ref offset, ir_ref bytes) {
  uint64_t size, elements;
  const ir_ref steps = saturated(b, offset), factor = saturated(b, bytes);
  if (is_known(b, factor, &size) && is_known(b, steps, &elements) && size * elements <= INT32_MAX)
    return build_offset(b, pointer, size * elements).address;
  const ir_ref base = wide(b, pointer.address), further = build_op(b, ISA_MULW_U32, steps, factor, 0);
  return saturated(b, build_op(b, ISA_ADD_64, base, further, 0));
}

/* async_work_group_copy_2D2D(destination, its offset, source, its offset, bytes of an element, elements of a line,
 *                            lines, source's line pitch, destination's line pitch, event)
 * async_work_group_copy_3D3D( ... lines, planes, source's line and plane pitch, destination's, event) */
enum { DESTINATION = 4, SOURCE = 6, BYTES = 8, ELEMENTS, LINES, PLANES }; /* word numbers in the call */

bool async_copy_lines(struct build *b, const struct spirv_inst *inst, const char *name) {
  static const enum isa_op ops[2][2] = {{ISA_COPY_TO_GLOBAL_2D, ISA_COPY_TO_LDS_2D},
                                        {ISA_COPY_TO_GLOBAL_3D, ISA_COPY_TO_LDS_3D}};
  const uint32_t *word = inst->word, event = word[inst->words - 1];
  const struct build_pointer to = build_pointer(b, word[DESTINATION]), from = build_pointer(b, word[SOURCE]);
  const bool planes = inst->words == 4 + ASYNC_ARGUMENTS_3D;
  bool inward;
  if (b->copy_loops)
    return build_fail(b, "%s cannot become a loop; only copies of elements can", name);
  if (!direction(b, to, from, name, &inward) || !events_fit(b, word[2], event))
    return false;
  /* A pointer's offset follows it; the pitch of planes follows that of lines. */
  const uint32_t lds = inward ? DESTINATION : SOURCE, global = inward ? SOURCE : DESTINATION;
  const uint32_t source_pitch = planes ? PLANES + 1 : LINES + 1, target_pitch = source_pitch + (planes ? 2 : 1);
  const uint32_t lds_pitch = inward ? target_pitch : source_pitch, global_pitch = inward ? source_pitch : target_pitch;
  ir_ref operand[IR_MOST_OPERANDS] = {0};
  const ir_ref bytes = number(b, word[BYTES]);
  const ir_ref lds_offset = number(b, word[lds + 1]), global_offset = number(b, word[global + 1]);
  operand[IR_COPY_LDS] = lds_at(b, inward ? to : from, lds_offset, bytes);
  operand[IR_COPY_GLOBAL] = global_at(b, inward ? from : to, global_offset, bytes);
  operand[IR_COPY_SIZE] = saturated(b, bytes);
  operand[IR_COPY_ELEMENTS] = count_of(b, word[ELEMENTS]);
  operand[IR_COPY_LINES] = count_of(b, word[LINES]);
  operand[IR_COPY_GLOBAL_LINE] = count_of(b, word[global_pitch]);
  operand[IR_COPY_LDS_LINE] = count_of(b, word[lds_pitch]);
  if (planes) {
    operand[IR_COPY_PLANES] = count_of(b, word[PLANES]);
    operand[IR_COPY_GLOBAL_PLANE] = count_of(b, word[global_pitch + 1]);
    operand[IR_COPY_LDS_PLANE] = count_of(b, word[lds_pitch + 1]);
  }
  operand[IR_COPY_EVENT] = build_value(b, event);
  return add_copy(b, word[2], ops[planes][inward], operand, planes ? IR_COPY_LDS_PLANE + 1 : IR_COPY_LDS_LINE + 1, 0);
}

/* ---- fences between copies -------------------------------------------------------------------------- */

/* Adds the fence for SYNC_LDS and SYNC_GLOBAL, which equal CLK_LOCAL_MEM_FENCE and CLK_GLOBAL_MEM_FENCE. A fence of no
 * memory is a barrier. */
static void fence(struct build *b, unsigned flags) {
  static const uint16_t fences[] = {ISA_BAR, ISA_COPY_FENCE_LDS, ISA_COPY_FENCE_GLOBAL, ISA_COPY_FENCE_ALL};
  static const uint16_t barriers[] = {ISA_BAR, ISA_BAR_LDS, ISA_BAR_GLOBAL, ISA_BAR_ALL};
  build_op(b, (enum isa_op)(b->copy_loops ? barriers : fences)[flags], 0, 0, 0);
}

/* Branches on flags known only at run time. They are equal in all work-items, so the work-items take the same
 * branch. */
static void fence_by_flags(struct build *b, ir_ref flags, unsigned known, unsigned bit) {
  if (bit > SYNC_GLOBAL) {
    fence(b, known);
    return;
  }
  const uint32_t with = build_block(b), without = build_block(b), after = build_block(b);
  const ir_ref set = build_with(b, ISA_AND_32, flags, bit);
  build_if(b, build_op(b, ISA_SETP_NE_U32, set, build_32(b, 0), 0), with, without);
  build_enter(b, with);
  fence_by_flags(b, flags, known | bit, 2 * bit);
  build_goto(b, after);
  build_enter(b, without);
  fence_by_flags(b, flags, known, 2 * bit);
  build_goto(b, after);
  build_enter(b, after);
}

/* async_work_group_copy_fence(flags) */
bool async_copy_fence(struct build *b, const struct spirv_inst *inst, const char *name) {
  uint64_t known;
  if (!is_kind(b, inst->word[4], SPIRV_INT))
    return build_fail(b, "%s takes flags", name);
  const ir_ref flags = build_low(b, build_value(b, inst->word[4]));
  if (b->failed)
    return false;
  if (is_known(b, flags, &known))
    fence(b, known & (SYNC_LDS | SYNC_GLOBAL));
  else
    fence_by_flags(b, flags, 0, SYNC_LDS);
  return !b->failed;
}

/* ---- waits ------------------------------------------------------------------------------------------ */

/* A list of events is in memory, usually in a private array that the promote pass turns into values. */
static const struct spirv_type event_type = {.kind = SPIRV_EVENT, .size = 8, .align = 8, .parts = 1};

static ir_ref event_at(struct build *b, struct build_pointer list, uint64_t index) {
  ir_ref event = 0;
  build_load(b, build_offset(b, list, event_type.size * index), &event_type, event_type.align, &event);
  return event;
}

/* Waits for `count` events. For wait.first, `wanted` says how many of them count. */
static void wait_for(struct build *b, enum isa_op op, const ir_ref *event, uint32_t count, ir_ref wanted) {
  ir_ref operand[IR_WAIT_COUNT + 1] = {0};
  for (uint32_t i = 0; i < count; i++)
    operand[i] = event[i];
  operand[IR_WAIT_COUNT] = wanted;
  ir_append(b->ir, b->block,
            ir_make(b->ir, (uint16_t)op, IR_NOTHING, operand, wanted ? IR_WAIT_COUNT + 1 : count, 0, b->place));
}

/* The number of events from the pointer to the end of its variable, if the variable is known. */
static bool list_length(const struct build *b, struct build_pointer list, uint64_t *length) {
  ir_ref base = list.address;
  uint64_t offset = 0;
  if (b->ir->inst[base].op == ISA_ADD_32 && is_known(b, ir_operand(b->ir, base, 1), &offset))
    base = ir_operand(b->ir, base, 0);
  const struct ir_inst *inst = &b->ir->inst[base];
  if (list.space != SPACE_PRIVATE || inst->op != IR_SLOT)
    return false;
  const uint32_t bytes = b->ir->slot[inst->imm].bytes;
  *length = offset < bytes ? (bytes - offset) / event_type.size : 0;
  return true;
}

/* One wait.first for the `length` events of the list; `wanted` says how many of them count. */
static void wait_first(struct build *b, struct build_pointer list, ir_ref wanted, uint32_t length) {
  ir_ref event[ISA_WAIT_EVENTS] = {build_32(b, 0)};
  for (uint32_t i = 0; i < length; i++)
    event[i] = event_at(b, list, i);
  wait_for(b, ISA_WAIT_FIRST, event, length ? length : 1, wanted);
}

static void wait_straight(struct build *b, struct build_pointer list, uint64_t count) {
  for (uint64_t done = 0; done < count; done += ISA_WAIT_EVENTS) {
    ir_ref event[ISA_WAIT_EVENTS];
    const uint32_t now = count - done < ISA_WAIT_EVENTS ? (uint32_t)(count - done) : ISA_WAIT_EVENTS;
    for (uint32_t i = 0; i < now; i++)
      event[i] = event_at(b, list, done + i);
    wait_for(b, done + now < count ? ISA_WAIT_MORE : ISA_WAIT, event, now, 0);
  }
}

/* for (at = 0; count - at > 8; at += 8) wait.more(list[at .. at + 7]); returns `at`. */
static ir_ref wait_for_whole_parts(struct build *b, struct build_pointer list, ir_ref count) {
  const uint32_t at = build_variable(b, IR_W1);
  const uint32_t head = build_block(b), body = build_block(b), done = build_block(b);
  build_set(b, at, build_32(b, 0));
  build_goto(b, head);
  build_enter(b, head);
  const ir_ref index = build_get(b, at, IR_W1);
  const ir_ref left = build_op(b, ISA_SUB_32, count, index, 0);
  build_if(b, build_op(b, ISA_SETP_GT_S32, left, build_32(b, ISA_WAIT_EVENTS), 0), body, done);
  build_enter(b, body);
  const struct build_pointer part = build_index(b, list, wide(b, index), event_type.size);
  ir_ref event[ISA_WAIT_EVENTS];
  for (uint32_t i = 0; i < ISA_WAIT_EVENTS; i++)
    event[i] = event_at(b, part, i);
  wait_for(b, ISA_WAIT_MORE, event, ISA_WAIT_EVENTS, 0);
  build_set(b, at, build_with(b, ISA_ADD_32, index, ISA_WAIT_EVENTS));
  build_goto(b, head);
  build_enter(b, done);
  return build_get(b, at, IR_W1);
}

/* list[i] if `count` is larger than i; never reads beyond the list. */
static ir_ref event_if(struct build *b, struct build_pointer list, uint32_t i, ir_ref count) {
  const uint32_t event = build_variable(b, IR_W1), there = build_block(b), after = build_block(b);
  build_set(b, event, build_32(b, 0));
  build_if(b, build_op(b, ISA_SETP_GT_S32, count, build_32(b, i), 0), there, after);
  build_enter(b, there);
  build_set(b, event, event_at(b, list, i));
  build_goto(b, after);
  build_enter(b, after);
  return build_get(b, event, IR_W1);
}

static void wait_in_parts(struct build *b, struct build_pointer list, ir_ref count) {
  const ir_ref at = wait_for_whole_parts(b, list, count);
  const struct build_pointer rest = build_index(b, list, wide(b, at), event_type.size);
  const ir_ref left = build_op(b, ISA_SUB_32, count, at, 0);
  ir_ref event[ISA_WAIT_EVENTS];
  for (uint32_t i = 0; i < ISA_WAIT_EVENTS; i++)
    event[i] = event_if(b, rest, i, left);
  wait_for(b, ISA_WAIT_FIRST, event, ISA_WAIT_EVENTS, left);
}

/* OpGroupWaitEvents scope count list */
bool async_wait(struct build *b, const struct spirv_inst *inst) {
  enum { MOST_STRAIGHT = 64 };
  const struct build_pointer list = build_pointer(b, inst->word[3]);
  const ir_ref count = build_low(b, number(b, inst->word[2]));
  if (b->failed || !of_work_group(b, inst->word[1]))
    return false;
  if (b->copy_loops) {
    build_op(b, ISA_BAR_LDS, 0, 0, 0);
    return !b->failed;
  }
  uint64_t known = 0, length = UINT64_MAX;
  const bool is_constant = is_known(b, count, &known), is_list = list_length(b, list, &length);
  if (is_constant && !known)
    build_op(b, ISA_BAR, 0, 0, 0);
  else if (is_constant && (int32_t)known < 0)
    wait_first(b, list, count, 0);
  else if (is_constant && known <= length && known <= MOST_STRAIGHT)
    wait_straight(b, list, known);
  else if (is_list && length <= ISA_WAIT_EVENTS)
    wait_first(b, list, count, (uint32_t)length);
  else
    wait_in_parts(b, list, count);
  return !b->failed;
}

/* ---- prefetches ------------------------------------------------------------------------------------- */

/* prefetch(pointer, count). Only global memory has an L2 to prefetch to; elsewhere the hint is ignored. */
bool build_prefetch(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = pointee(b, inst->word[5]);
  const struct build_pointer pointer = build_pointer(b, inst->word[5]);
  const ir_ref count = count_of(b, inst->word[6]);
  if (b->failed || pointer.space != SPACE_GLOBAL)
    return !b->failed;
  const ir_ref size = build_32(b, type->size < UINT32_MAX ? (uint32_t)type->size : UINT32_MAX);
  build_op(b, ISA_PREFETCH, pointer.address, 0, saturated(b, build_op(b, ISA_MULW_U32, count, size, 0)));
  return !b->failed;
}
