/* Pipes: opcodes 274 to 288 as operations on a pipe's header (isa/pipe.h) and copies of packets.
 *
 *     read_pipe(p, &x)              id = reserve 1; if (id) { copy the packet; fence; commit } result: 0 or -1
 *     read_channel_intel(c)         the same, but the reservation waits for a packet; c is a pipe (channel.c)
 *     read_channel_nb_intel(c, &v)  like read_pipe; v says whether there was a packet
 *     read_pipe(p, id, i, &x)       address of packet i; if there is one, copy it
 *     reserve_read_pipe             the ISA operation, each lane for itself
 *     commit_read_pipe              fence, so that the lane's accesses to packets are complete; then the operation
 *     sub_group_...                 one lane does it; a broadcast gives the id to all
 *     work_group_reserve_...        barrier; work-item 0 does it; the LDS and a barrier give the id to all
 *     work_group_commit_...         barrier with a fence, so that all packets are complete; work-item 0; barrier
 *
 * The barriers of a work-group's calls are bar.pipe, which check that all work-items have the same pipe, count and id.
 * A failed reservation's id is 0; CLK_NULL_RESERVE_ID is all ones. */
#include <string.h>

#include "isa/pipe.h"
#include "opencl/lower/build_core.h"
#include "opencl/lower/group.h"

/* What most of the instructions have in common. */
struct pipe_call {
  bool write, wait; /* wait: reservations wait until they can be granted */
  ir_ref pipe;
  uint32_t bytes, align; /* of a packet */
};

static bool is_write(uint16_t opcode) {
  switch (opcode) {
  case OpWritePipe:
  case OpReservedWritePipe:
  case OpReserveWritePipePackets:
  case OpCommitWritePipe:
  case OpGroupReserveWritePipePackets:
  case OpGroupCommitWritePipe:
    return true;
  default:
    return false;
  }
}

/* Reads the pipe at word `pipe`. The instruction's last two words are the size and alignment of its packets. */
static bool take_call(struct build *b, const struct spirv_inst *inst, unsigned pipe, struct pipe_call *call) {
  const struct spirv_type *type = build_type(b, inst->word[pipe]);
  uint64_t bytes, align;
  if (!type || type->kind != SPIRV_PIPE)
    return core_misfit(b, inst);
  if (!spirv_integer(b->module, inst->word[inst->words - 2], &bytes) ||
      !spirv_integer(b->module, inst->word[inst->words - 1], &align) || !bytes || bytes > ISA_MOST_PACKET_BYTES)
    return build_fail(b, "the size and the alignment of a pipe's packets must be constants, of at most %d bytes",
                      ISA_MOST_PACKET_BYTES);
  if (!align || bytes % align || align & (align - 1))
    return build_fail(b,
                      "the alignment of a pipe's packets, %llu, must be a power of two that divides their size, %llu",
                      (unsigned long long)align, (unsigned long long)bytes);
  *call = (struct pipe_call){.write = is_write(inst->op),
                             .pipe = build_value(b, inst->word[pipe]),
                             .bytes = (uint32_t)bytes,
                             .align = (uint32_t)align};
  return !b->failed;
}

/* ---- operations of the ISA ------------------------------------------------------------------------ */

/* `high` goes into the high half of the instruction's number; `guard` 0: always. */
static ir_ref operate(struct build *b, enum isa_op op, const ir_ref operand[3], uint32_t high, ir_ref guard) {
  const ir_ref ref = ir_make(b->ir, (uint16_t)op, ir_width_of(op), operand, operand[2] ? 3 : 1, high, b->place);
  b->ir->inst[ref].guard = guard;
  ir_append(b->ir, b->block, ref);
  return ref;
}

static ir_ref reserve(struct build *b, const struct pipe_call *call, enum isa_pipe_kind kind, ir_ref count,
                      ir_ref guard) {
  static const enum isa_op ops[2][2] = {{ISA_PIPE_RESERVE_READ, ISA_PIPE_RESERVE_READ_WAIT},
                                        {ISA_PIPE_RESERVE_WRITE, ISA_PIPE_RESERVE_WRITE_WAIT}};
  const ir_ref operand[3] = {call->pipe, 0, count};
  return operate(b, ops[call->write][call->wait], operand, kind, guard);
}

static void commit(struct build *b, const struct pipe_call *call, enum isa_pipe_kind kind, ir_ref id, ir_ref guard) {
  const ir_ref operand[3] = {call->pipe, 0, id};
  operate(b, call->write ? ISA_PIPE_COMMIT_WRITE : ISA_PIPE_COMMIT_READ, operand, kind, guard);
}

static ir_ref slot(struct build *b, const struct pipe_call *call, ir_ref id, ir_ref index) {
  const ir_ref operand[3] = {call->pipe, id, index};
  return operate(b, call->write ? ISA_PIPE_SLOT_WRITE : ISA_PIPE_SLOT_READ, operand, call->bytes, 0);
}

static void barrier(struct build *b, enum isa_op op, const struct pipe_call *call, ir_ref value64) {
  const ir_ref operand[3] = {call->pipe, 0, value64};
  operate(b, op, operand, 0, 0);
}

static void fence(struct build *b) { build_fence(b, MemorySemanticsCrossWorkgroupMemory); }

/* ---- packets -------------------------------------------------------------------------------------- */

static void copy_packet(struct build *b, const struct pipe_call *call, ir_ref address, struct build_pointer pointer) {
  const struct build_pointer packet = {SPACE_GLOBAL, address, IN_GLOBAL};
  if (call->write)
    core_copy(b, packet, pointer, call->bytes, call->align);
  else
    core_copy(b, pointer, packet, call->bytes, call->align);
}

/* Defines the result: 0, or -1 if there was no packet. */
static bool give_result(struct build *b, const struct spirv_inst *inst, ir_ref good) {
  const struct spirv_type *type = build_type(b, inst->word[2]);
  if (!type || type->kind != SPIRV_INT || type->bits != 32)
    return core_misfit(b, inst);
  const ir_ref zero = build_32(b, 0);
  build_define(b, inst->word[2])[0] = build_select(b, good, zero, build_32(b, UINT32_MAX));
  return !b->failed;
}

static ir_ref is_not_zero(struct build *b, ir_ref value64) {
  return build_op(b, ISA_SETP_NE_U64, value64, build_64(b, 0), 0);
}

/* Copies the packet of a reservation of one, and commits it. */
static void pass_packet(struct build *b, const struct pipe_call *call, ir_ref id, struct build_pointer pointer) {
  copy_packet(b, call, slot(b, call, id, build_32(b, 0)), pointer);
  fence(b);
  commit(b, call, ISA_PIPE_PACKET, id, 0);
}

/* Reserves one packet. An autorun kernel exits when the pipe dismisses it. */
static ir_ref reserve_packet(struct build *b, const struct pipe_call *call) {
  const ir_ref id = reserve(b, call, ISA_PIPE_PACKET, build_32(b, 1), 0);
  if (b->ir->autorun[0]) {
    const uint32_t dismissed = build_block(b), goes_on = build_block(b);
    build_if(b, build_op(b, ISA_SETP_EQ_U64, id, build_64(b, ISA_PIPE_DISMISSED), 0), dismissed, goes_on);
    build_enter(b, dismissed);
    ir_exit(b->ir, b->block, b->place);
    build_enter(b, goes_on);
  }
  return id;
}

/* Passes one packet if there is one, or room for one; returns whether it did, as a predicate. */
static ir_ref try_packet(struct build *b, const struct pipe_call *call, struct build_pointer pointer) {
  const ir_ref id = reserve_packet(b, call);
  const ir_ref good = is_not_zero(b, id);
  const uint32_t there = build_block(b), after = build_block(b);
  build_if(b, good, there, after);
  build_enter(b, there);
  pass_packet(b, call, id, pointer);
  build_goto(b, after);
  build_enter(b, after);
  return good;
}

/* type result pipe pointer size alignment */
static bool lower_packet(struct build *b, const struct spirv_inst *inst) {
  struct pipe_call call;
  const struct build_pointer pointer = build_pointer(b, inst->word[4]);
  if (b->failed || !take_call(b, inst, 3, &call))
    return false;
  return give_result(b, inst, try_packet(b, &call, pointer));
}

/* Passes one packet as soon as there is one, or room for one. Lanes that are served pass their packets before the
 * others retry, because the others may be waiting for exactly that. */
static void await_packet(struct build *b, const struct pipe_call *call, struct build_pointer pointer) {
  const uint32_t again = build_block(b), served = build_block(b), after = build_block(b), done = build_block(b);
  build_goto(b, again);
  build_enter(b, again);
  const ir_ref id = reserve_packet(b, call), good = is_not_zero(b, id);
  build_if(b, good, served, after);
  build_enter(b, served);
  pass_packet(b, call, id, pointer);
  build_goto(b, after);
  build_enter(b, after);
  build_if(b, good, done, again);
  build_enter(b, done);
}

/* type result function channel pointer */
bool build_channel_call(struct build *b, const struct spirv_inst *inst, const char *name) {
  const struct build_pointer pointer = build_pointer(b, inst->word[5]);
  const bool tries = strstr(name, "_nb_");
  struct pipe_call call = {.write = strncmp(name, "write", 5) == 0, .wait = !tries};
  call.pipe = channel_pipe(b, inst->word[4], &call.bytes, &call.align);
  if (b->failed)
    return false;
  if (tries)
    build_define(b, inst->word[2])[0] = try_packet(b, &call, pointer);
  else
    await_packet(b, &call, pointer);
  return !b->failed;
}

/* type result pipe id index pointer size alignment */
static bool lower_reserved(struct build *b, const struct spirv_inst *inst) {
  struct pipe_call call;
  const ir_ref id = build_value(b, inst->word[4]), index = build_value(b, inst->word[5]);
  const struct build_pointer pointer = build_pointer(b, inst->word[6]);
  if (b->failed || !take_call(b, inst, 3, &call))
    return false;
  const ir_ref address = slot(b, &call, id, build_low(b, index));
  const ir_ref good = is_not_zero(b, address);
  const uint32_t there = build_block(b), after = build_block(b);
  build_if(b, good, there, after);
  build_enter(b, there);
  copy_packet(b, &call, address, pointer);
  build_goto(b, after);
  build_enter(b, after);
  return give_result(b, inst, good);
}

/* ---- reservations --------------------------------------------------------------------------------- */

static ir_ref first_item(struct build *b) {
  return build_with(b, ISA_SETP_EQ_U32, build_query(b, ISA_GET_LOCAL_LINEAR_ID, 0), 0);
}

static ir_ref reserve_group(struct build *b, const struct pipe_call *call, ir_ref count) {
  barrier(b, ISA_BAR_PIPE, call, build_op(b, ISA_CVT_U64_U32, count, 0, 0));
  const ir_ref first = first_item(b);
  return build_broadcast_from(b, reserve(b, call, ISA_PIPE_GROUP, count, first), first);
}

static ir_ref reserve_subgroup(struct build *b, const struct pipe_call *call, ir_ref count) {
  const ir_ref elected = build_op(b, ISA_ELECT, 0, 0, 0);
  return build_move_lanes(b, ISA_BCAST, reserve(b, call, ISA_PIPE_SUBGROUP, count, elected), 0);
}

/* type result [scope] pipe count size alignment */
static bool lower_reserve(struct build *b, const struct spirv_inst *inst) {
  const bool item = inst->op == OpReserveReadPipePackets || inst->op == OpReserveWritePipePackets;
  const uint32_t scope = item ? ScopeInvocation : build_scope(b, inst->word[3]);
  struct pipe_call call;
  if (b->failed || !take_call(b, inst, item ? 3 : 4, &call) || !build_same_parts(b, inst->word[2], 0))
    return false;
  const ir_ref count = build_low(b, build_value(b, inst->word[item ? 4 : 5]));
  if (b->failed)
    return false;
  if (!item && scope != ScopeWorkgroup && scope != ScopeSubgroup)
    return build_fail(b, "a group's reservation in a pipe must be a work-group's or a sub-group's");
  build_define(b, inst->word[2])[0] = item                      ? reserve(b, &call, ISA_PIPE_ITEM, count, 0)
                                      : scope == ScopeWorkgroup ? reserve_group(b, &call, count)
                                                                : reserve_subgroup(b, &call, count);
  return !b->failed;
}

static void commit_group(struct build *b, const struct pipe_call *call, ir_ref id) {
  barrier(b, ISA_BAR_PIPE_GLOBAL, call, id);
  commit(b, call, ISA_PIPE_GROUP, id, first_item(b));
  barrier(b, ISA_BAR_PIPE, call, id);
}

static void commit_subgroup(struct build *b, const struct pipe_call *call, ir_ref id) {
  fence(b);
  commit(b, call, ISA_PIPE_SUBGROUP, id, build_op(b, ISA_ELECT, 0, 0, 0));
}

static void commit_item(struct build *b, const struct pipe_call *call, ir_ref id) {
  fence(b);
  commit(b, call, ISA_PIPE_ITEM, id, 0);
}

/* [scope] pipe id size alignment */
static bool lower_commit(struct build *b, const struct spirv_inst *inst) {
  const bool item = inst->op == OpCommitReadPipe || inst->op == OpCommitWritePipe;
  const uint32_t scope = item ? ScopeInvocation : build_scope(b, inst->word[1]);
  struct pipe_call call;
  if (b->failed || !take_call(b, inst, item ? 1 : 2, &call))
    return false;
  const ir_ref id = build_value(b, inst->word[item ? 2 : 3]);
  if (b->failed)
    return false;
  if (item)
    commit_item(b, &call, id);
  else if (scope == ScopeWorkgroup)
    commit_group(b, &call, id);
  else if (scope == ScopeSubgroup)
    commit_subgroup(b, &call, id);
  else
    return build_fail(b, "a group's commit in a pipe must be a work-group's or a sub-group's");
  return !b->failed;
}

/* ---- queries -------------------------------------------------------------------------------------- */

/* type result id: neither 0 nor all ones */
static bool lower_is_valid(struct build *b, const struct spirv_inst *inst) {
  const ir_ref id = build_value(b, inst->word[3]);
  if (b->failed || !build_same_parts(b, inst->word[2], 0))
    return false;
  const ir_ref next = build_op(b, ISA_ADD_64, id, build_64(b, 1), 0);
  build_define(b, inst->word[2])[0] = build_op(b, ISA_SETP_GT_U64, next, build_64(b, 1), 0);
  return !b->failed;
}

/* type result pipe size alignment */
static bool lower_count(struct build *b, const struct spirv_inst *inst) {
  struct pipe_call call;
  if (!take_call(b, inst, 3, &call) || !build_same_parts(b, inst->word[2], 0))
    return false;
  const ir_ref operand[3] = {call.pipe, 0, 0};
  ir_ref count = 0;
  if (inst->op == OpGetNumPipePackets) {
    count = operate(b, ISA_PIPE_NUM, operand, 0, 0);
  } else { /* a word of the header that never changes */
    const struct build_place place = {
        .space = SPACE_GLOBAL, .address = build_op(b, ISA_ADD_64, call.pipe, build_64(b, ISA_PIPE_SIZES + 4), 0)};
    count = build_memory_op(b, ISA_LD_GLOBAL_32, place, 0, 0, 0);
  }
  build_define(b, inst->word[2])[0] = count;
  return !b->failed;
}

bool build_pipe(struct build *b, const struct spirv_inst *inst) {
  switch (inst->op) {
  case OpReadPipe:
  case OpWritePipe:
    return lower_packet(b, inst);
  case OpReservedReadPipe:
  case OpReservedWritePipe:
    return lower_reserved(b, inst);
  case OpIsValidReserveId:
    return lower_is_valid(b, inst);
  case OpGetNumPipePackets:
  case OpGetMaxPipePackets:
    return lower_count(b, inst);
  case OpReserveReadPipePackets:
  case OpReserveWritePipePackets:
  case OpGroupReserveReadPipePackets:
  case OpGroupReserveWritePipePackets:
    return lower_reserve(b, inst);
  default:
    return lower_commit(b, inst);
  }
}
