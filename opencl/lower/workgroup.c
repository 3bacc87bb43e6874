/* Collectives over a work-group, through the LDS.
 *
 *     every warp      reduces its lanes; lane 0 stores the partial result in the warp's slot; barrier
 *     warp 0          combines the slots in warp order, a lane each, as many at a time as it has lanes. The total goes
 *                     to slot TOTAL; in a scan, the result of the warps before each warp goes to its slot; barrier
 *     every warp      loads the total, or combines the previous warps' result with its own scan
 *
 * Warp 0 combines them because it is full whenever there is a second warp. One scratch area serves all collectives of a
 * kernel, also in sequence and in loops, without a barrier in front. Before the first barrier, only warp w writes slot
 * w, after its own read of that slot. What warp 0 overwrites between the barriers has been read by every warp that
 * reached the first one. A broadcast needs a barrier in front because any warp may write TOTAL.
 *
 * For the program these are barriers without fences: its own accesses stay unordered. The checker distinguishes these
 * barriers and the scratch from the program's.
 *
 * Floats are summed within each warp by lane, then over warps. Scans follow the same order, so the last inclusive value
 * equals the reduction. Linear local ids count lanes, then warps. */
#include "opencl/lower/group.h"

enum {
  MOST_WARPS = 64, /* in a work-group: the most that a CU can hold (cu.warps) */
  TOTAL = MOST_WARPS,
  SLOT_BYTES = 8, /* for all types, so that collectives of different widths agree on the slots' places */
  LOG2_SLOT_BYTES = 3,
  LEAST_WARP = 16, /* lanes in the smallest warp of any machine */
};

static uint32_t scratch(struct build *b) {
  if (!b->collectives)
    b->collectives = 1 + build_scratch(b, (MOST_WARPS + 1) * SLOT_BYTES, SLOT_BYTES);
  return b->collectives - 1;
}

static struct build_place slot(struct build *b, ir_ref number, ir_ref guard) {
  const ir_ref offset = build_with(b, ISA_SHL_32, number, LOG2_SLOT_BYTES);
  const ir_ref address = build_with(b, ISA_ADD_32, offset, scratch(b));
  return (struct build_place){.space = SPACE_LOCAL, .address = address, .guard = guard};
}

static struct build_place total(struct build *b, ir_ref guard) {
  const ir_ref address = build_32(b, scratch(b) + TOTAL * SLOT_BYTES);
  return (struct build_place){.space = SPACE_LOCAL, .address = address, .guard = guard};
}

static void put(struct build *b, struct build_place place, ir_ref value) {
  const bool wide = b->ir->inst[value].width == IR_W2;
  build_memory_op(b, wide ? ISA_ST_LDS_64 : ISA_ST_LDS_32, place, 0, value, 0);
}

static ir_ref take(struct build *b, struct build_place place, bool wide, ir_ref keep) {
  return build_memory_op(b, wide ? ISA_LD_LDS_64 : ISA_LD_LDS_32, place, 0, 0, keep);
}

static ir_ref constant(struct build *b, const struct group_op *op, uint64_t bits) {
  return op->bits == 64 ? build_64(b, bits) : build_32(b, (uint32_t)bits);
}

static ir_ref is_zero(struct build *b, ir_ref value) { return build_with(b, ISA_SETP_EQ_U32, value, 0); }

static ir_ref first_lane(struct build *b) { return is_zero(b, build_query(b, ISA_GET_LANE, 0)); }

/* Warp 0 combines the slots from number `base` on and returns the total so far. Its first lane adds the previous total,
 * `carry`. */
static ir_ref combine_chunk(struct build *b, const struct group_op *op, bool scans, ir_ref base, ir_ref carry) {
  const ir_ref lane = build_query(b, ISA_GET_LANE, 0), number = build_op(b, ISA_ADD_32, base, lane, 0);
  const ir_ref exists = build_op(b, ISA_SETP_LT_U32, number, build_query(b, ISA_GET_NUM_WARPS, 0), 0);
  const struct build_place place = slot(b, number, exists);
  const ir_ref part = take(b, place, op->bits == 64, constant(b, op, op->neutral));
  if (scans)
    put(b, place, build_op(b, (enum isa_op)op->before, part, carry, 0));
  const ir_ref both = build_op(b, (enum isa_op)op->combine, carry, part, 0);
  return build_op(b, (enum isa_op)op->reduce, build_select(b, is_zero(b, lane), both, part), 0, 0);
}

static void combine_slots(struct build *b, const struct group_op *op, bool scans) {
  const enum ir_width width = op->bits == 64 ? IR_W2 : IR_W1;
  const uint32_t base = build_variable(b, IR_W1), carry = build_variable(b, width);
  const uint32_t loop = build_block(b), done = build_block(b);
  build_set(b, base, build_32(b, 0));
  build_set(b, carry, constant(b, op, op->neutral));
  build_goto(b, loop);
  build_enter(b, loop);
  const ir_ref from = build_get(b, base, IR_W1);
  const ir_ref sum = combine_chunk(b, op, scans, from, build_get(b, carry, width));
  const ir_ref next = build_op(b, ISA_ADD_32, from, build_query(b, ISA_GET_MAX_WARP_SIZE, 0), 0);
  build_set(b, base, next);
  build_set(b, carry, sum);
  build_if(b, build_op(b, ISA_SETP_LT_U32, next, build_query(b, ISA_GET_NUM_WARPS, 0), 0), loop, done);
  build_enter(b, done);
  if (!scans)
    put(b, total(b, first_lane(b)), sum);
}

/* Both barriers and the code between them; `mine` is this warp's partial result. */
static void gather(struct build *b, const struct group_op *op, bool scans, ir_ref mine) {
  const ir_ref warp = build_query(b, ISA_GET_WARP, 0);
  put(b, slot(b, warp, first_lane(b)), mine);
  build_op(b, ISA_BAR_GROUP, 0, 0, 0);
  const uint32_t first = build_block(b), rest = build_block(b);
  build_if(b, is_zero(b, warp), first, rest);
  build_enter(b, first);
  combine_slots(b, op, scans);
  build_goto(b, rest);
  build_enter(b, rest);
  build_op(b, ISA_BAR_GROUP, 0, 0, 0);
}

/* A work-group that fits in the smallest warp needs no LDS. */
static bool is_one_warp(const struct build *b) {
  const uint32_t *size = b->ir->required_local;
  const uint64_t items = (uint64_t)size[0] * size[1];
  return items && items <= LEAST_WARP && size[2] && items * size[2] <= LEAST_WARP;
}

ir_ref build_over_group(struct build *b, const struct group_op *op, uint32_t operation, ir_ref value) {
  if (is_one_warp(b))
    return build_over_warp(b, op, operation, value);
  const bool scans = operation != GroupOperationReduce;
  gather(b, op, scans, build_op(b, (enum isa_op)op->reduce, value, 0, 0));
  if (!scans)
    return take(b, total(b, 0), op->bits == 64, 0);
  const ir_ref below = take(b, slot(b, build_query(b, ISA_GET_WARP, 0), 0), op->bits == 64, 0);
  const ir_ref own = operation == GroupOperationInclusiveScan
                         ? build_op(b, (enum isa_op)op->scan, value, 0, 0)
                         : build_op(b, (enum isa_op)op->before, value, constant(b, op, op->neutral), 0);
  const ir_ref result = build_op(b, (enum isa_op)op->combine, below, own, 0);
  if (operation == GroupOperationInclusiveScan || op->neutral == op->identity)
    return result;
  const ir_ref first = is_zero(b, build_query(b, ISA_GET_LOCAL_LINEAR_ID, 0));
  return build_select(b, first, constant(b, op, op->identity), result);
}

ir_ref build_vote(struct build *b, bool all, ir_ref predicate) {
  static const struct group_op both = {ISA_AND_32, ISA_REDUCE_AND_32, 0, 0, 32, GROUP_ANY, 1, 1};
  static const struct group_op either = {ISA_OR_32, ISA_REDUCE_OR_32, 0, 0, 32, GROUP_ANY, 0, 0};
  const ir_ref vote = build_op(b, all ? ISA_VOTE_ALL : ISA_VOTE_ANY, predicate, 0, 0);
  if (is_one_warp(b))
    return vote;
  gather(b, all ? &both : &either, false, build_op(b, ISA_CVT_U32_P, vote, 0, 0));
  return build_with(b, ISA_SETP_NE_U32, take(b, total(b, 0), false, 0), 0);
}

ir_ref build_broadcast(struct build *b, ir_ref value, ir_ref linear) {
  const bool boolean = b->ir->inst[value].width == IR_PRED, wide = b->ir->inst[value].width == IR_W2;
  if (is_one_warp(b))
    return build_move_lanes(b, ISA_SHFL_IDX, value, linear);
  const ir_ref stored = boolean ? build_op(b, ISA_CVT_U32_P, value, 0, 0) : value;
  const ir_ref me = build_query(b, ISA_GET_LOCAL_LINEAR_ID, 0);
  build_op(b, ISA_BAR_GROUP, 0, 0, 0);
  put(b, total(b, build_op(b, ISA_SETP_EQ_U32, me, linear, 0)), stored);
  build_op(b, ISA_BAR_GROUP, 0, 0, 0);
  const ir_ref result = take(b, total(b, 0), wide, 0);
  return boolean ? build_with(b, ISA_SETP_NE_U32, result, 0) : result;
}

ir_ref build_broadcast_from(struct build *b, ir_ref value, ir_ref first) {
  put(b, total(b, first), value);
  build_op(b, ISA_BAR_GROUP, 0, 0, 0);
  return take(b, total(b, 0), true, 0);
}
