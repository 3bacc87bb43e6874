/* Shared by the files that lower group operations: group.c (barriers, and which file lowers an instruction), async.c
 * (copies, events), clock.c, collective.c (reductions, scans, votes, broadcasts), workgroup.c (the same over a
 * work-group), subgroup.c (shuffles, ballots), atomic.c.
 *
 * A sub-group is a warp. It runs in lockstep, so its collectives are single ISA instructions over the active lanes. A
 * work-group's collectives combine those through the LDS. */
#ifndef OPENCL_LOWER_GROUP_H
#define OPENCL_LOWER_GROUP_H

#include "opencl/lower/build.h"

/* How values of one type are combined: a row of group.def. */
struct group_op {
  uint16_t combine;              /* combines two values */
  uint16_t reduce, scan, before; /* across the lanes of a warp */
  uint8_t bits;
  enum { GROUP_FLOAT, GROUP_ANY, GROUP_ZEROS, GROUP_SIGN } kind; /* how narrow integers must be extended */
  uint64_t neutral;                                              /* combine(x, neutral) is x, bit for bit */
  uint64_t identity;                                             /* the first item's result of an exclusive scan */
};

/* collective.c: OpGroupAll and OpGroupAny, OpGroupBroadcast, and all instructions of group.def. */
bool build_is_collective(uint16_t opcode);
bool build_collective(struct build *b, const struct spirv_inst *inst);

/* Lower one collective of a single part; `operation` is Reduce, InclusiveScan or ExclusiveScan. */
ir_ref build_over_warp(struct build *b, const struct group_op *op, uint32_t operation, ir_ref value);
ir_ref build_over_group(struct build *b, const struct group_op *op, uint32_t operation, ir_ref value);

/* work_group_all or work_group_any of a predicate. */
ir_ref build_vote(struct build *b, bool all, ir_ref predicate);

/* Broadcasts `value` of the work-item with this linear local id. */
ir_ref build_broadcast(struct build *b, ir_ref value, ir_ref linear);

/* Broadcasts the 64-bit `value` of the one work-item for which `first` is true. The caller puts a barrier in front. */
ir_ref build_broadcast_from(struct build *b, ir_ref value, ir_ref first);

/* Moves a value between lanes in 32-bit words: `op` is a shuffle, `with` its second operand or 0. */
ir_ref build_move_lanes(struct build *b, enum isa_op op, ir_ref value, ir_ref with);

/* When hazards are checked: what the call of a sub-group's function requires, one of the EXPECT_ operations and its
 * operand, or 0. */
void build_expect(struct build *b, enum isa_op op, ir_ref value);

/* subgroup.c: OpGroupNonUniform*, OpSubgroup*, and OpGroupBroadcast in a sub-group. */
bool build_lane_op(struct build *b, const struct spirv_inst *inst);
void build_shuffle(struct build *b, enum isa_op op, uint32_t result, uint32_t value, ir_ref with);

/* async.c: OpGroupAsyncCopy, OpGroupWaitEvents, and calls of imported functions, with these numbers of arguments. */
enum { ASYNC_ARGUMENTS_2D = 10, ASYNC_ARGUMENTS_3D = 13 };
bool async_copy(struct build *b, const struct spirv_inst *inst);
bool async_wait(struct build *b, const struct spirv_inst *inst);
bool async_copy_lines(struct build *b, const struct spirv_inst *inst, const char *name);
bool async_copy_fence(struct build *b, const struct spirv_inst *inst, const char *name);

/* clock.c: OpReadClockKHR, and the calls of cl_khr_kernel_clock. */
bool clock_read(struct build *b, const struct spirv_inst *inst);
bool clock_call(struct build *b, const struct spirv_inst *inst, const char *name);

/* Whether the values of two ids have the same number of parts, or, if `like` is 0, whether `id` has one part; false
 * after build_fail(). */
bool build_same_parts(struct build *b, uint32_t id, uint32_t like);

/* The scope operand; UINT32_MAX after build_fail(). */
uint32_t build_scope(struct build *b, uint32_t id);
/* The same for the memory scope of a barrier or an atomic, which may be unknown: then it is the widest. */
uint64_t build_memory_scope(struct build *b, uint32_t id);

/* ISA_ORDERS_* of memory semantics and a memory scope. */
uint8_t build_order(uint64_t semantics, uint64_t scope);

/* The fence that memory semantics require as a part of another operation, whose order says what it promises; for all
 * memory if they name none. Omitted if the previous instruction is the same fence. */
void build_fence(struct build *b, uint64_t semantics);

/* An operation on a value and a 32-bit constant. Never put two calls that create instructions in one argument list: C
 * leaves their order open, but the program must not depend on the host's compiler. */
ir_ref build_with(struct build *b, enum isa_op op, ir_ref value, uint32_t constant);

/* For a set of lanes in a pair: whether it contains `lane`; the set of all lanes that a warp of the machine may
 * have. */
ir_ref build_has_lane(struct build *b, ir_ref mask, ir_ref lane);
ir_ref build_all_lanes(struct build *b);

/* Work-items of this work-group. */
ir_ref build_group_items(struct build *b);

/* The low word of a 64-bit value; other values unchanged. */
ir_ref build_low(struct build *b, ir_ref value);

/* A memory operation at the address and under the guard of `place`; the other lanes keep `keep` (0: any value). */
ir_ref build_memory_op(struct build *b, enum isa_op op, struct build_place place, ir_ref compare, ir_ref value,
                       ir_ref keep);

#endif
