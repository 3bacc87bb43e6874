/* Random kernels: straight-line code on pairs, quads and predicates, nested ifs and loops, phis that swap, guarded
 * loads that keep the old value. Each lane has its own 2 KiB of memory and stores all live values at the end. */
#include "isa/ops.h"
#include "sim/base/need.h"
#include "tests/ct.h"
#include "tests/opencl/emit_rig.h"

#include <stdlib.h>

enum { POOL_MOST = 400, LANE_BYTES = 2048 };

/* Values in scope, by width. */
struct pool {
  ir_ref ref[IR_W4 + 1][POOL_MOST];
  uint32_t count[IR_W4 + 1];
};

struct chance {
  struct ir *ir;
  uint64_t state;
  uint32_t at, most;
  struct pool pool;
  ir_ref memory;
};

static const struct ir_place nowhere = {0};

static uint32_t below(struct chance *k, uint32_t bound) { return (uint32_t)(ct_random(&k->state) >> 33) % bound; }

static ir_ref add(struct chance *k, uint16_t op, enum ir_width width, const ir_ref *operand, uint32_t count,
                  uint64_t imm) {
  const ir_ref ref = ir_make(k->ir, op, width, operand, count, imm, nowhere);
  ir_append(k->ir, k->at, ref);
  return ref;
}

static ir_ref add3(struct chance *k, uint16_t op, ir_ref a, ir_ref b, ir_ref c, uint64_t imm) {
  return add(k, op, ir_width_of(op), (const ir_ref[]){a, b, c}, c ? 3 : b ? 2 : a ? 1 : 0, imm);
}

static void keep(struct chance *k, ir_ref ref) {
  const enum ir_width width = k->ir->inst[ref].width;
  struct pool *pool = &k->pool;
  const uint32_t most = k->most < POOL_MOST ? k->most : POOL_MOST;
  const uint32_t i = pool->count[width] < most ? pool->count[width]++ : below(k, most);
  pool->ref[width][i] = ref;
}

static ir_ref any(struct chance *k, enum ir_width width) {
  if (below(k, 6) == 0 && width != IR_W4)
    return ir_const(k->ir, width,
                    width == IR_PRED ? below(k, 2)
                    : width == IR_W1 ? below(k, 99)
                                     : ct_random(&k->state));
  if (width == IR_W4 && !k->pool.count[IR_W4]) {
    const ir_ref word[4] = {any(k, IR_W1), any(k, IR_W1), any(k, IR_W1), any(k, IR_W1)};
    return add(k, IR_JOIN, IR_W4, word, 4, 0);
  }
  return k->pool.ref[width][below(k, k->pool.count[width])];
}

static void arithmetic(struct chance *k) {
  static const struct {
    uint16_t op;
    uint8_t a, b, c;
  } rows[] = {
      {ISA_ADD_32, IR_W1, IR_W1, 0},       {ISA_SUB_32, IR_W1, IR_W1, 0},       {ISA_MUL_32, IR_W1, IR_W1, 0},
      {ISA_MAD_32, IR_W1, IR_W1, IR_W1},   {ISA_XOR_32, IR_W1, IR_W1, 0},       {ISA_ADD_64, IR_W2, IR_W2, 0},
      {ISA_MAD_64, IR_W2, IR_W2, IR_W2},   {ISA_XOR_64, IR_W2, IR_W2, 0},       {ISA_MADW_U32, IR_W1, IR_W1, IR_W2},
      {ISA_CVT_U64_U32, IR_W1, 0, 0},      {ISA_CVT_U32_U64, IR_W2, 0, 0},      {ISA_PACK, IR_W1, IR_W1, 0},
      {ISA_SEL_32, IR_W1, IR_W1, IR_PRED}, {ISA_SEL_64, IR_W2, IR_W2, IR_PRED}, {ISA_SETP_LT_U32, IR_W1, IR_W1, 0},
      {ISA_SETP_NE_U32, IR_W1, IR_W1, 0},  {ISA_SETP_LT_U64, IR_W2, IR_W2, 0},  {ISA_NOT_P, IR_PRED, 0, 0},
      {ISA_AND_P, IR_PRED, IR_PRED, 0},    {ISA_OR_P, IR_PRED, IR_PRED, 0},     {ISA_XOR_P, IR_PRED, IR_PRED, 0},
      {ISA_CVT_U32_P, IR_PRED, 0, 0},      {ISA_GET_GLOBAL_ID, 0, 0, 0},        {ISA_GET_LOCAL_SIZE, 0, 0, 0},
      {ISA_ANDN_P, IR_PRED, IR_PRED, 0},   {ISA_SHL_64, IR_W2, IR_W1, 0},
  };
  const uint32_t i = below(k, sizeof rows / sizeof *rows);
  const ir_ref a = rows[i].a ? any(k, rows[i].a) : 0, b = rows[i].b ? any(k, rows[i].b) : 0;
  keep(k, add3(k, rows[i].op, a, b, rows[i].c ? any(k, rows[i].c) : 0, 0));
}

static void naming(struct chance *k) {
  const uint32_t what = below(k, 5);
  ir_ref word[4] = {any(k, IR_W1), any(k, IR_W1), any(k, IR_W1), any(k, IR_W1)};
  if (below(k, 3) == 0)
    word[1] = word[0];
  if (below(k, 4) == 0)
    word[3] = ir_const(k->ir, IR_W1, 0);
  if (what == 0)
    keep(k, add(k, IR_JOIN, IR_W2, word, 2, 0));
  else if (what == 1)
    keep(k, add(k, IR_JOIN, IR_W4, word, 4, 0));
  else {
    const bool quad = what < 4 && k->pool.count[IR_W4];
    const uint32_t number = below(k, quad ? 4 : 2);
    const ir_ref of = quad ? any(k, IR_W4) : k->pool.ref[IR_W2][below(k, k->pool.count[IR_W2])];
    keep(k, add(k, IR_WORD, IR_W1, &of, 1, number));
  }
}

static uint32_t width_bytes(enum ir_width width) { return width == IR_W4 ? 16 : width == IR_W2 ? 8 : 4; }

static uint16_t access_op(bool store, enum ir_width width) {
  if (store)
    return width == IR_W4 ? ISA_ST_GLOBAL_128 : width == IR_W2 ? ISA_ST_GLOBAL_64 : ISA_ST_GLOBAL_32;
  return width == IR_W4 ? ISA_LD_GLOBAL_128 : width == IR_W2 ? ISA_LD_GLOBAL_64 : ISA_LD_GLOBAL_32;
}

static void memory(struct chance *k) {
  const enum ir_width width = IR_W1 + below(k, 3);
  const bool store = below(k, 3) == 0;
  const uint64_t offset = below(k, LANE_BYTES / 16) * 16;
  const ir_ref index = below(k, 2) ? ir_const(k->ir, IR_W1, 0) : 0;
  const ir_ref data = store ? any(k, width) : 0;
  const ir_ref operand[3] = {k->memory, index, data};
  const ir_ref guard = below(k, 2) ? any(k, IR_PRED) : 0, kept = guard && !store ? any(k, width) : 0;
  const ir_ref ref = add(k, access_op(store, width), store ? IR_NOTHING : width, operand, store ? 3 : 2, offset);
  k->ir->inst[ref].guard = guard;
  k->ir->inst[ref].guard_not = guard && below(k, 2);
  k->ir->inst[ref].keep = kept;
  if (!store)
    keep(k, ref);
}

static void private_variable(struct chance *k) {
  const uint32_t slot = ir_slot_new(k->ir, 16, 8);
  const ir_ref address = add(k, IR_SLOT, IR_W1, NULL, 0, slot);
  add(k, ISA_ST_PRIVATE_64, IR_NOTHING, (ir_ref[]){address, 0, any(k, IR_W2)}, 3, 8);
  keep(k, add(k, ISA_LD_PRIVATE_64, IR_W2, (ir_ref[]){address}, 1, 8));
}

static void line(struct chance *k) {
  for (uint32_t i = 3 + below(k, 12); i--;) {
    const uint32_t what = below(k, 12);
    if (what < 7)
      arithmetic(k);
    else if (what < 9)
      naming(k);
    else if (what < 11)
      memory(k);
    else
      private_variable(k);
  }
}

static void code(struct chance *k, uint32_t depth);

static ir_ref phi(struct chance *k, enum ir_width width) { return add(k, IR_PHI, width, NULL, 0, 0); }

/* if (any) { ... } else { ... }, with phis for some of the values that differ. */
static void branch(struct chance *k, uint32_t depth) {
  const uint32_t yes = ir_block_new(k->ir), no = ir_block_new(k->ir), after = ir_block_new(k->ir);
  const bool has_else = below(k, 2);
  const uint32_t from = k->at;
  ir_if(k->ir, k->at, any(k, IR_PRED), yes, has_else ? no : after, nowhere);
  struct pool *before = need(1, sizeof *before), *other = need(1, sizeof *other);
  *before = k->pool;
  k->at = yes;
  code(k, depth + 1);
  const uint32_t end_yes = k->at;
  ir_goto(k->ir, k->at, after, nowhere);
  *other = k->pool;
  k->pool = *before;
  k->at = no;
  if (has_else)
    code(k, depth + 1);
  else
    ir_exit(k->ir, no, nowhere);
  const uint32_t end_no = has_else ? k->at : from;
  if (has_else)
    ir_goto(k->ir, k->at, after, nowhere);
  k->at = after;
  ct_freed(ct_free) struct pool *last = need(1, sizeof *last);
  *last = k->pool;
  k->pool = *before;
  for (enum ir_width width = IR_PRED; width <= IR_W4; width++)
    for (uint32_t i = 0; i < last->count[width] && i < other->count[width]; i++)
      if (last->ref[width][i] != other->ref[width][i]) {
        const ir_ref ref = phi(k, width);
        ir_phi_add(k->ir, ref, end_yes, other->ref[width][i]);
        ir_phi_add(k->ir, ref, end_no, last->ref[width][i]);
        k->pool.ref[width][i] = ref;
        if (i == k->pool.count[width])
          k->pool.count[width]++;
      }
  free(before);
  free(other);
}

/* A loop of a few iterations, a different number per lane, with its test at the top or bottom and values that rotate
 * and swap. */
static void loop(struct chance *k, uint32_t depth) {
  enum { WEBS = 12 };
  const uint32_t header = ir_block_new(k->ir), body = ir_block_new(k->ir), after = ir_block_new(k->ir);
  const bool test_above = below(k, 2);
  ir_ref lanes = add3(k, ISA_GET_LANE, 0, 0, 0, 0);
  lanes = add3(k, ISA_AND_32, lanes, ir_const(k->ir, IR_W1, 3), 0, 0);
  const uint32_t before = k->at, webs = 1 + below(k, WEBS);
  ir_goto(k->ir, k->at, header, nowhere);
  k->at = header;
  const ir_ref counter = phi(k, IR_W1);
  ir_phi_add(k->ir, counter, before, ir_const(k->ir, IR_W1, 0));
  ir_ref web[WEBS];
  enum ir_width width[WEBS];
  for (uint32_t i = 0; i < webs; i++) {
    width[i] = IR_PRED + below(k, 4);
    if (!k->pool.count[width[i]])
      width[i] = IR_W1;
    const ir_ref first = k->pool.ref[width[i]][below(k, k->pool.count[width[i]])];
    web[i] = phi(k, width[i]);
    ir_phi_add(k->ir, web[i], before, first);
  }
  for (uint32_t i = 0; i < webs; i++)
    keep(k, web[i]);
  struct pool *outside = need(1, sizeof *outside);
  *outside = k->pool;
  if (test_above) {
    const ir_ref more = add3(k, ISA_SETP_LT_U32, counter, lanes, 0, 0);
    ir_if(k->ir, k->at, more, body, after, nowhere);
    *outside = k->pool;
    k->at = body;
  }
  const bool leaves = below(k, 2);
  if (leaves) { /* an exit in the middle */
    const uint32_t on = ir_block_new(k->ir);
    line(k);
    ir_if(k->ir, k->at, any(k, IR_PRED), after, on, nowhere);
    k->at = on;
  }
  code(k, depth + 1);
  const ir_ref next = add3(k, ISA_ADD_32, counter, ir_const(k->ir, IR_W1, 1), 0, 0);
  for (uint32_t i = 0; i < webs; i++) { /* often another web's value, so that they swap */
    ir_ref value = any(k, width[i]);
    for (uint32_t j = 0; j < webs; j++)
      if (width[j] == width[i] && j != i && below(k, 2))
        value = web[j];
    ir_phi_add(k->ir, web[i], k->at, value);
  }
  ir_phi_add(k->ir, counter, k->at, next);
  if (test_above) {
    ir_goto(k->ir, k->at, header, nowhere);
    k->pool = *outside;
  } else {
    const ir_ref more = add3(k, ISA_SETP_LT_U32, next, lanes, 0, 0);
    ir_if(k->ir, k->at, more, header, after, nowhere);
    ir_exit(k->ir, body, nowhere);
    if (leaves)
      k->pool = *outside;
  }
  free(outside);
  k->at = after;
}

static void code(struct chance *k, uint32_t depth) {
  for (uint32_t i = 1 + below(k, 3); i--;) {
    line(k);
    const uint32_t what = depth < 3 ? below(k, 4) : 9;
    if (what == 0)
      branch(k, depth);
    else if (what == 1)
      loop(k, depth);
  }
  line(k);
}

static void store_all(struct chance *k) {
  uint64_t offset = 0;
  for (enum ir_width width = IR_W4; width >= IR_PRED; width--)
    for (uint32_t i = 0; i < k->pool.count[width] && offset + 16 <= LANE_BYTES; i++) {
      ir_ref ref = k->pool.ref[width][i];
      if (width == IR_PRED)
        ref = add3(k, ISA_CVT_U32_P, ref, 0, 0, 0);
      add(k, access_op(true, width == IR_PRED ? IR_W1 : width), IR_NOTHING, (ir_ref[]){k->memory, 0, ref}, 3, offset);
      offset += width_bytes(width);
    }
}

struct ir *emit_random(uint64_t seed, uint32_t live) {
  ct_freed(ct_free) struct chance *k = need(1, sizeof *k);
  k->ir = emit_kernel_new();
  k->state = seed * 2654435761u + 88172645463325252u;
  k->most = live;
  const ir_ref id = add3(k, ISA_GET_GLOBAL_ID, 0, 0, 0, 0);
  const ir_ref base = add(k, ISA_LD_ARG_64, IR_W2, NULL, 0, 0);
  k->memory = add3(k, ISA_MADW_U32, id, ir_const(k->ir, IR_W1, LANE_BYTES), base, 0);
  for (uint32_t i = 0; i < 4; i++) {
    const ir_ref number = add(k, ISA_LD_ARG_32, IR_W1, NULL, 0, 8 + 4 * i);
    keep(k, number);
    keep(k, add3(k, ISA_MADW_U32, id, number, ir_const(k->ir, IR_W2, i), 0));
    keep(k, add3(k, ISA_SETP_LT_U32, id, ir_const(k->ir, IR_W1, 5 * i), 0, 0));
  }
  for (uint32_t i = 0; i < live; i++)
    arithmetic(k);
  code(k, 0);
  store_all(k);
  ir_exit(k->ir, k->at, nowhere);
  struct ir *ir = k->ir;
  ir_analyze(ir);
  return ir;
}
