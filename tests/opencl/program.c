/* Statements: arithmetic on a pool of values, private variables of 8 to 64 bits, loads and stores with indices that are
 * computed in 32 and 64 bits as compiled OpenCL C does, conditions, and counted loops. Values of an arm leave the pool
 * with it; variables carry them out. */
#include "tests/opencl/program.h"
#include "isa/ops.h"
#include "opencl/passes/kinds.h"
#include "tests/ct.h"
#include "tests/opencl/lane.h"

enum { POOL = 48, VARIABLES = 6, MOST_DEPTH = 4 };

struct pool {
  ir_ref item[POOL];
  uint32_t count;
};

struct program {
  struct ir *ir;
  uint64_t seed;
  uint32_t block, left, depth, line;
  struct pool pool[IR_W4]; /* by width */
  uint32_t slot[VARIABLES];
};

static uint32_t pick(struct program *p, uint32_t count) { return (uint32_t)(ct_random(&p->seed) >> 33) % count; }

static ir_ref put(struct program *p, uint16_t op, enum ir_width width, ir_ref a, ir_ref b, ir_ref c, uint64_t imm) {
  const ir_ref operand[] = {a, b, c};
  const ir_ref ref = ir_make(p->ir, op, width, operand,
                             c   ? 3
                             : b ? 2
                             : a ? 1
                                 : 0,
                             imm, (struct ir_place){.line = ++p->line});
  ir_append(p->ir, p->block, ref);
  return ref;
}

static ir_ref op(struct program *p, enum isa_op what, ir_ref a, ir_ref b, ir_ref c) {
  return put(p, (uint16_t)what, ir_width_of(what), a, b, c, 0);
}

static ir_ref constant(struct program *p, enum ir_width width) {
  static const uint64_t corners[] = {0,
                                     1,
                                     2,
                                     3,
                                     4,
                                     7,
                                     8,
                                     16,
                                     24,
                                     31,
                                     32,
                                     63,
                                     255,
                                     256,
                                     65535,
                                     UINT64_MAX,
                                     INT32_MAX,
                                     UINT32_MAX,
                                     UINT64_C(0x80000000),
                                     UINT64_C(0xffffffff00000000),
                                     UINT64_C(0x8000000000000000),
                                     0x3f800000,
                                     UINT64_C(0x3ff0000000000000)};
  const uint32_t which = pick(p, 30);
  return ir_const(p->ir, width, which < 23 ? corners[which] : ct_random(&p->seed));
}

static void keep(struct program *p, ir_ref ref) {
  struct pool *pool = &p->pool[p->ir->inst[ref].width];
  const uint32_t at = pool->count < POOL ? pool->count++ : pick(p, POOL);
  pool->item[at] = ref;
}

static ir_ref any(struct program *p, enum ir_width width) {
  const struct pool *pool = &p->pool[width];
  if (!pool->count || !pick(p, 4))
    return constant(p, width);
  return pool->item[pool->count - 1 - pick(p, pool->count < 8 || !pick(p, 3) ? pool->count : 8)];
}

static enum ir_width width_of(uint8_t type) {
  return type == TYPE_PRED ? IR_PRED : isa_types[type].registers == 2 ? IR_W2 : IR_W1;
}

/* A row of arithmetic, mostly integers. More rows would change the kernels for the seeds in tests/corpus; passes
 * generate the other operations. */
static void arithmetic(struct program *p) {
  uint16_t what;
  do
    what = (uint16_t)pick(p, ISA_LOP3);
  while (isa_rows[what].format != FORMAT_ALU || (kind_of(what) == KIND_OTHER && pick(p, 4)) ||
         isa_rows[what].class_ == ISA_CLASS_SPECIAL);
  const struct isa_row *row = &isa_rows[what];
  if (isa_rows[what].b == TYPE_NONE || row->class_ < ISA_CLASS_BRANCH) {
    const ir_ref a = any(p, width_of(row->a)), b = row->b ? any(p, width_of(row->b)) : 0;
    const ir_ref c = row->c ? any(p, width_of(row->c)) : 0;
    keep(p, op(p, (enum isa_op)what, a, b, c));
  }
}

static void words(struct program *p) {
  if (pick(p, 2)) {
    const uint32_t which = pick(p, 2);
    keep(p, put(p, IR_WORD, IR_W1, any(p, IR_W2), 0, 0, which));
    return;
  }
  const ir_ref low = any(p, IR_W1);
  keep(p, put(p, IR_JOIN, IR_W2, low, any(p, IR_W1), 0, 0));
}

static void query(struct program *p) {
  const ir_ref id = put(p, ISA_GET_LOCAL_ID, IR_W1, 0, 0, 0, pick(p, 3));
  keep(p, id);
  keep(p, op(p, ISA_CVT_U64_U32, id, 0, 0));
}

/* ---- memory ---------------------------------------------------------------------------------------- */

/* An index below `count`, in 64 bits, as size_t or as an extended int. */
static ir_ref index_of(struct program *p, uint32_t count) {
  const bool wide = pick(p, 2);
  const ir_ref most = ir_const(p->ir, wide ? IR_W2 : IR_W1, count - 1);
  if (wide)
    return op(p, ISA_AND_64, any(p, IR_W2), most, 0);
  const ir_ref index = op(p, ISA_AND_32, any(p, IR_W1), most, 0);
  const ir_ref plus = pick(p, 2) ? op(p, ISA_ADD_32, index, ir_const(p->ir, IR_W1, pick(p, 4)), 0) : index;
  return op(p, pick(p, 2) ? ISA_CVT_S64_S32 : ISA_CVT_U64_U32, plus, 0, 0);
}

static ir_ref global_address(struct program *p) {
  const ir_ref bytes = ir_const(p->ir, IR_W2, 8), by = op(p, ISA_MUL_64, index_of(p, 256), bytes, 0);
  const ir_ref base = ir_const(p->ir, IR_W2, ISA_GLOBAL_BASE);
  const ir_ref there = op(p, ISA_ADD_64, base, by, 0);
  return op(p, ISA_ADD_64, there, ir_const(p->ir, IR_W2, 8 * pick(p, 4)), 0);
}

static ir_ref lds_address(struct program *p) {
  const ir_ref index = op(p, ISA_CVT_U32_U64, index_of(p, 32), 0, 0);
  const ir_ref by = op(p, ISA_SHL_32, index, ir_const(p->ir, IR_W1, 3), 0);
  return op(p, ISA_ADD_32, by, ir_const(p->ir, IR_W1, 8 * pick(p, 8)), 0);
}

static void memory(struct program *p) {
  static const uint16_t loads[] = {ISA_LD_GLOBAL_U8, ISA_LD_GLOBAL_S16, ISA_LD_GLOBAL_32, ISA_LD_GLOBAL_64,
                                   ISA_LD_LDS_S8,    ISA_LD_LDS_U16,    ISA_LD_LDS_32,    ISA_LD_LDS_64};
  static const uint16_t stores[] = {ISA_ST_GLOBAL_8, ISA_ST_GLOBAL_16, ISA_ST_GLOBAL_32, ISA_ST_GLOBAL_64,
                                    ISA_ST_LDS_8,    ISA_ST_LDS_16,    ISA_ST_LDS_32,    ISA_ST_LDS_64};
  const uint32_t which = pick(p, 8);
  const ir_ref address = which < 4 ? global_address(p) : lds_address(p);
  if (pick(p, 2)) {
    keep(p, op(p, (enum isa_op)loads[which], address, 0, 0));
    return;
  }
  const ir_ref operand[] = {address, 0, any(p, which % 4 == 3 ? IR_W2 : IR_W1)};
  const ir_ref store = ir_make(p->ir, stores[which], IR_NOTHING, operand, 3, 0, (struct ir_place){.line = ++p->line});
  ir_append(p->ir, p->block, store);
}

/* ---- variables: 16 bytes each ------------------------------------------------------------------------ */

static ir_ref variable(struct program *p, uint32_t slot, uint32_t offset) {
  const ir_ref base = put(p, IR_SLOT, IR_W1, 0, 0, 0, slot);
  return offset ? op(p, ISA_ADD_32, base, ir_const(p->ir, IR_W1, offset), 0) : base;
}

static void set(struct program *p, uint32_t slot, uint32_t offset, enum isa_op store, ir_ref value) {
  const ir_ref operand[] = {variable(p, slot, offset), 0, value};
  ir_append(p->ir, p->block, ir_make(p->ir, (uint16_t)store, IR_NOTHING, operand, 3, 0, (struct ir_place){0}));
}

static ir_ref fetch(struct program *p, uint32_t slot, uint32_t offset, enum isa_op load) {
  return op(p, load, variable(p, slot, offset), 0, 0);
}

static void use_variable(struct program *p) {
  static const struct {
    uint16_t load, store;
    uint8_t bytes;
  } ways[] = {{ISA_LD_PRIVATE_32, ISA_ST_PRIVATE_32, 4},  {ISA_LD_PRIVATE_64, ISA_ST_PRIVATE_64, 8},
              {ISA_LD_PRIVATE_U8, ISA_ST_PRIVATE_8, 1},   {ISA_LD_PRIVATE_S8, ISA_ST_PRIVATE_8, 1},
              {ISA_LD_PRIVATE_S16, ISA_ST_PRIVATE_16, 2}, {ISA_LD_PRIVATE_U16, ISA_ST_PRIVATE_16, 2}};
  const uint32_t which = pick(p, VARIABLES); /* the first few are only used in one way, as in real programs */
  const uint32_t way = which < 2 ? which : which == 2 ? 2 + pick(p, 2) : pick(p, 6);
  const uint32_t offset = pick(p, 16 / ways[way].bytes) * ways[way].bytes;
  if (pick(p, 2))
    set(p, p->slot[which], offset, (enum isa_op)ways[way].store, any(p, ways[way].bytes == 8 ? IR_W2 : IR_W1));
  else
    keep(p, fetch(p, p->slot[which], offset, (enum isa_op)ways[way].load));
}

/* ---- control flow ------------------------------------------------------------------------------------- */

static void statements(struct program *p, uint32_t most);

/* Runs `most` statements in a new block, which leads to `to`. */
static uint32_t arm(struct program *p, uint32_t most, uint32_t to) {
  struct pool saved[IR_W4];
  for (int i = 0; i < IR_W4; i++)
    saved[i] = p->pool[i];
  const uint32_t start = p->block = ir_block_new(p->ir);
  statements(p, most);
  ir_goto(p->ir, p->block, to, (struct ir_place){0});
  for (int i = 0; i < IR_W4; i++)
    p->pool[i] = saved[i];
  return start;
}

static void condition(struct program *p) {
  const uint32_t above = p->block, join = ir_block_new(p->ir);
  const ir_ref predicate = any(p, IR_PRED);
  const uint32_t yes = arm(p, 1 + pick(p, 4), join), no = pick(p, 2) ? arm(p, 1 + pick(p, 4), join) : join;
  if (pick(p, 2))
    ir_if(p->ir, above, predicate, yes, no, (struct ir_place){0});
  else
    ir_if(p->ir, above, predicate, no, yes, (struct ir_place){0});
  p->block = join;
}

/* a && b: the second condition has its own block. */
static void chain(struct program *p) {
  const uint32_t above = p->block, join = ir_block_new(p->ir), other = ir_block_new(p->ir);
  const ir_ref first = any(p, IR_PRED);
  const uint32_t way = pick(p, 4);
  const uint32_t yes = arm(p, 2, join);
  const uint32_t second = p->block = ir_block_new(p->ir);
  if (pick(p, 2))
    arithmetic(p);
  const ir_ref b = any(p, IR_W1), next = op(p, ISA_SETP_LT_S32, any(p, IR_W1), b, 0);
  p->pool[IR_W1].count = p->pool[IR_W2].count = p->pool[IR_PRED].count = 0;
  ir_if(p->ir, second, next, way & 1 ? yes : other, way & 1 ? other : yes, (struct ir_place){0});
  ir_if(p->ir, above, first, way & 2 ? second : other, way & 2 ? other : second, (struct ir_place){0});
  p->block = other;
  statements(p, 1);
  ir_goto(p->ir, p->block, join, (struct ir_place){0});
  p->pool[IR_W1].count = p->pool[IR_W2].count = p->pool[IR_PRED].count = 0;
  p->block = join;
}

/* for (i = a; i < b; i += c), in 32 or 64 bits, up or down; i is in the pool inside. */
static void loop(struct program *p) {
  const bool wide = pick(p, 2), is_signed = pick(p, 2), down = pick(p, 3) == 0;
  const enum ir_width width = wide ? IR_W2 : IR_W1;
  const enum isa_op load = wide ? ISA_LD_PRIVATE_64 : ISA_LD_PRIVATE_32;
  const enum isa_op store = wide ? ISA_ST_PRIVATE_64 : ISA_ST_PRIVATE_32;
  const uint32_t slot = ir_slot_new(p->ir, 8, 8), header = ir_block_new(p->ir);
  const ir_ref few = ir_const(p->ir, width, pick(p, 8));
  const ir_ref bound = pick(p, 2) ? few : op(p, wide ? ISA_AND_64 : ISA_AND_32, any(p, width), few, 0);
  set(p, slot, 0, store, down ? bound : ir_const(p->ir, width, pick(p, 3)));
  ir_goto(p->ir, p->block, header, (struct ir_place){0});
  p->block = header;
  const ir_ref i = fetch(p, slot, 0, load);
  const enum kind kind = down ? KIND_GT_U : is_signed ? KIND_LT_S : KIND_LT_U;
  const ir_ref go = op(p, (enum isa_op)kind_op(kind, wide ? 64 : 32), i, down ? ir_const(p->ir, width, 0) : bound, 0);
  const uint32_t body = ir_block_new(p->ir), after = ir_block_new(p->ir);
  ir_if(p->ir, header, go, body, after, (struct ir_place){0});
  struct pool saved[IR_W4];
  for (int k = 0; k < IR_W4; k++)
    saved[k] = p->pool[k];
  p->block = body;
  keep(p, i);
  statements(p, 1 + pick(p, 6));
  const ir_ref step = ir_const(p->ir, width, down ? UINT64_MAX : 1 + pick(p, 2));
  set(p, slot, 0, store, op(p, wide ? ISA_ADD_64 : ISA_ADD_32, fetch(p, slot, 0, load), step, 0));
  ir_goto(p->ir, p->block, header, (struct ir_place){0});
  for (int k = 0; k < IR_W4; k++)
    p->pool[k] = saved[k];
  p->block = after;
}

static void statement(struct program *p) {
  const uint32_t what = pick(p, 20);
  if (what < 8)
    arithmetic(p);
  else if (what < 11)
    use_variable(p);
  else if (what < 14)
    memory(p);
  else if (what == 14)
    words(p);
  else if (what == 15)
    query(p);
  else if (what == 16 && p->depth == 1)
    op(p, ISA_BAR, 0, 0, 0);
  else if (p->depth < MOST_DEPTH && what == 17)
    loop(p);
  else if (p->depth < MOST_DEPTH && what == 18)
    chain(p);
  else if (p->depth < MOST_DEPTH)
    condition(p);
}

static void statements(struct program *p, uint32_t most) {
  p->depth++;
  for (uint32_t i = 0; i < most && p->left; i++) {
    p->left--;
    statement(p);
  }
  p->depth--;
}

struct ir *program_random(uint64_t seed, uint32_t size) {
  struct program p = {.ir = ir_new("random"), .seed = seed * 2 + 1, .left = size};
  for (int i = 0; i < 8; i++)
    ct_random(&p.seed);
  for (int i = 0; i < VARIABLES; i++) {
    p.slot[i] = ir_slot_new(p.ir, 16, 8);
    for (uint32_t offset = 0; offset < 16; offset += 4)
      set(&p, p.slot[i], offset, ISA_ST_PRIVATE_32, constant(&p, IR_W1));
  }
  keep(&p, put(&p, ISA_LD_ARG_64, IR_W2, 0, 0, 0, 0));
  keep(&p, put(&p, ISA_LD_ARG_32, IR_W1, 0, 0, 0, 8));
  keep(&p, put(&p, ISA_LD_ARG_S8, IR_W1, 0, 0, 0, 12));
  while (p.left)
    statements(&p, size);
  for (int i = 0; i < VARIABLES; i++) /* stores everything at the end */
    for (uint32_t offset = 0; offset < 16; offset += 4) {
      const ir_ref value = fetch(&p, p.slot[i], offset, ISA_LD_PRIVATE_32);
      const ir_ref operand[] = {ir_const(p.ir, IR_W1, offset + 16 * (uint32_t)i), 0, value};
      ir_append(p.ir, p.block, ir_make(p.ir, ISA_ST_LDS_32, IR_NOTHING, operand, 3, 0, (struct ir_place){0}));
    }
  ir_exit(p.ir, p.block, (struct ir_place){0});
  return p.ir;
}
