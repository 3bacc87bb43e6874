/* What the files that lower group operations share: group.c (barriers, and which instruction is lowered by whom),
 * async.c (copies, events), clock.c, collective.c (reductions, scans, votes, broadcasts), workgroup.c (those over a
 * work-group), subgroup.c (shuffles, ballots), atomic.c.
 *
 * A sub-group is a warp: it runs in lockstep, so its collectives are single instructions of the ISA over the lanes
 * that are active. A work-group's collectives are made of those and of the LDS. */
#ifndef OPENCL_LOWER_GROUP_H
#define OPENCL_LOWER_GROUP_H

#include "opencl/lower/build.h"

/* How values of one type are combined: group.def, a row each. */
struct group_op {
  uint16_t combine;              /* of two values */
  uint16_t reduce, scan, before; /* across the lanes of a warp */
  uint8_t bits;
  bool extended, is_signed; /* narrow operands must be, and how */
  uint64_t neutral;         /* combine(x, neutral) is x, to the bit */
  uint64_t identity;        /* what an exclusive scan gives to its first item */
};

/* collective.c: OpGroupAll and Any, OpGroupBroadcast, and all instructions of group.def. */
bool group_is_collective(uint16_t opcode);
bool group_collective(struct build *b, const struct spirv_inst *inst);

/* Both lower one instruction whose operands are one row of parts; `operation` is Reduce, InclusiveScan, .... */
ir_ref group_over_warp(struct build *b, const struct group_op *op, uint32_t operation, ir_ref value);
ir_ref group_over_group(struct build *b, const struct group_op *op, uint32_t operation, ir_ref value);

/* work_group_all, work_group_any of a predicate. */
ir_ref group_vote(struct build *b, bool all, ir_ref predicate);

/* `value` of the work-item with this linear local id. */
ir_ref group_broadcast(struct build *b, ir_ref value, ir_ref linear);

/* `value` of the work-items where `first` holds, which is one, in all of them; a barrier must be in front. 64 bits. */
ir_ref group_from(struct build *b, ir_ref value, ir_ref first);

/* Values move between lanes as 32-bit words: `op` is one of the shuffles, `with` its second operand or 0. */
ir_ref group_move(struct build *b, enum isa_op op, ir_ref value, ir_ref with);

/* subgroup.c: OpGroupNonUniform*, OpSubgroup*, and the broadcast of OpGroupBroadcast in a sub-group. */
bool group_lane(struct build *b, const struct spirv_inst *inst);
void group_shuffle(struct build *b, enum isa_op op, uint32_t result, uint32_t value, ir_ref with);

/* async.c: OpGroupAsyncCopy, OpGroupWaitEvents, and calls of imported functions, which have so many arguments. */
enum { ASYNC_ARGUMENTS_2D = 10, ASYNC_ARGUMENTS_3D = 13 };
bool async_copy(struct build *b, const struct spirv_inst *inst);
bool async_wait(struct build *b, const struct spirv_inst *inst);
bool async_copy_lines(struct build *b, const struct spirv_inst *inst, const char *name);
bool async_copy_fence(struct build *b, const struct spirv_inst *inst, const char *name);

/* clock.c: OpReadClockKHR, and the calls of cl_khr_kernel_clock. */
bool clock_read(struct build *b, const struct spirv_inst *inst);
bool clock_call(struct build *b, const struct spirv_inst *inst, const char *name);

/* Whether the values of two ids have as many parts; false after build_fail(). With `like` 0: whether it is one. */
bool group_fits(struct build *b, uint32_t id, uint32_t like);

/* The scope operand; UINT32_MAX after build_fail(). */
uint32_t group_scope(struct build *b, uint32_t id);

/* The fence that memory semantics ask for; all of it where they name no kind of memory. None when the instruction
 * before is the same. */
void group_fence(struct build *b, uint64_t semantics);

/* An operation on a value and a 32-bit constant. (Two calls that make instructions never stand in one argument list:
 * the compiler may take either first, and programs must come out the same.) */
ir_ref group_with(struct build *b, enum isa_op op, ir_ref value, uint32_t constant);

/* A set of lanes in a pair: whether it has this one; all lanes that a warp of the machine may have. */
ir_ref group_has_lane(struct build *b, ir_ref mask, ir_ref lane);
ir_ref group_all_lanes(struct build *b);

/* Work-items of this work-group. */
ir_ref group_items(struct build *b);

/* The low word of a 64-bit value; any other as it is. */
ir_ref group_low(struct build *b, ir_ref value);

/* A memory operation at address and under the guard of `place`; the other lanes keep `keep` (0: nobody cares). */
ir_ref group_memory(struct build *b, enum isa_op op, struct build_place place, ir_ref compare, ir_ref value,
                    ir_ref keep);

#endif
