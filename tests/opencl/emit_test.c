/* EMIT_SEEDS=N tries N random kernels; EMIT_SHOW=1 prints code, and the form that could not be emitted. */
#include "isa/asm/asm.h"
#include "isa/ops.h"
#include "opencl/emit/emit.h"
#include "opencl/emit/machine.h"
#include "sim/base/need.h"
#include "tests/ct.h"
#include "tests/opencl/emit_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CT_FREES(struct ir, ir_free)
CT_FREES(struct isa_program, isa_program_free)

/* ---- random kernels ------------------------------------------------------------------------------------- */

static void same_at_all_limits(uint64_t seed, uint32_t live) {
  static const uint32_t limits[] = {255, 64, 24, 16};
  static struct emit_rig expected, rig;
  ct_freed(ir_free_at) struct ir *ir = emit_random(seed, live);
  ct_note("seed %llu, %u values", (unsigned long long)seed, live);
  char room[IR_FAULT];
  const char *fault = ir_fault(ir, room);
  EXPECT_STREQ(fault ? fault : "", "");
  bool good = !fault && emit_rig_interpret(&expected, ir);
  for (uint32_t i = 0; good && i < sizeof limits / sizeof *limits; i++) {
    ct_note("seed %llu, %u values, %u registers", (unsigned long long)seed, live, limits[i]);
    good = emit_rig_open(&rig, ir, limits[i]) && emit_rig_run(&rig);
    if (good) {
      EXPECT_EQ(rig.hazards, 0);
      good = EXPECT_EQ(memcmp(rig.memory, expected.memory, sizeof rig.memory), 0);
    }
    emit_rig_close(&rig);
  }
}

TEST(emit, random_kernels_compute_the_same_with_any_number_of_registers) {
  const char *many = getenv("EMIT_SEEDS");
  const uint64_t seeds = many ? strtoull(many, NULL, 10) : 150;
  for (uint64_t seed = 1; seed <= seeds; seed++)
    same_at_all_limits(seed, 4 + (uint32_t)(seed * 7 % 60));
}

TEST(emit, three_hundred_live_values_fit_into_sixteen_registers) {
  for (uint64_t seed = 1; seed <= 4; seed++)
    same_at_all_limits(1000 + seed, 300);
}

/* ---- live ranges ------------------------------------------------------------------------------------------ */

enum { MOMENTS = 128, VALUE = 16 }; /* VALUE: consecutive moments with the same value */

/* Segments for `moments`: as long as possible, or one per moment. */
static struct live live_at(const bool *moments, bool longest) {
  struct live made = {.segment = need(MOMENTS + 1, sizeof *made.segment), .room = MOMENTS + 1};
  for (uint32_t t = 0; t < MOMENTS; t++) {
    struct segment *last = made.count ? &made.segment[made.count - 1] : NULL;
    if (moments[t] && longest && last && last->end == t && last->same == t / VALUE)
      last->end++;
    else if (moments[t])
      made.segment[made.count++] = (struct segment){t, t + 1, t / VALUE};
  }
  return made;
}

static void expect_live(const struct live *live, const bool *moments) {
  bool found[MOMENTS] = {false};
  uint32_t behind = 0;
  for (uint32_t i = 0; i < live->count; i++) {
    const struct segment *segment = &live->segment[i];
    ASSERT_TRUE(behind <= segment->start && segment->start < segment->end && segment->end <= MOMENTS);
    behind = segment->end;
    for (uint32_t t = segment->start; t < segment->end; t++) {
      EXPECT_EQ(segment->same, t / VALUE);
      found[t] = true;
    }
  }
  EXPECT_EQ(memcmp(found, moments, sizeof found), 0);
}

TEST(emit, merged_ranges_cover_all_moments_of_either) {
  uint64_t random = 1;
  for (uint32_t i = 0; i < 2000; i++) {
    bool into[MOMENTS], from[MOMENTS];
    const uint32_t start = (uint32_t)(ct_random(&random) >> 33) % MOMENTS,
                   few = (uint32_t)(ct_random(&random) >> 33) % 40;
    for (uint32_t t = 0; t < MOMENTS; t++) {
      into[t] = ct_random(&random) >> 63;
      from[t] = i % 2 ? ct_random(&random) >> 63 : t - start < few; /* many, or one long segment that covers several */
    }
    struct live a = live_at(into, i % 4 < 2), b = live_at(from, true);
    live_merge(&a, &b);
    ct_note("merge %u", i);
    for (uint32_t t = 0; t < MOMENTS; t++)
      into[t] |= from[t];
    expect_live(&a, into);
    free(a.segment);
    free(b.segment);
  }
}

/* The result does not depend on where the search starts. */
TEST(emit, ranges_conflict_regardless_of_where_the_search_starts) {
  uint64_t random = 1;
  bool moments[MOMENTS];
  for (uint32_t t = 0; t < MOMENTS; t++)
    moments[t] = ct_random(&random) >> 62 == 0;
  struct live many = live_at(moments, true);
  for (uint32_t i = 0; i < many.count; i++)
    many.segment[i].same = 1;
  for (uint32_t i = 0; i < 5000; i++) {
    const uint32_t start = (uint32_t)(ct_random(&random) >> 33) % (MOMENTS + 8);
    struct segment one = {start, start + 1 + (uint32_t)(ct_random(&random) >> 33) % 4, 2};
    const struct live live = {.segment = &one, .count = 1};
    if (i % 7 == 0)
      many.near = (uint32_t)(ct_random(&random) >> 33) % (many.count + 3); /* the list may be shorter now */
    const bool meet = live_meet(&many, &live);
    EXPECT_EQ(live_meet_near(&many, &live), meet);
  }
  free(many.segment);
}

/* ---- handmade kernels ------------------------------------------------------------------------------------ */

struct hand {
  struct ir *ir;
  uint32_t at;
};

static ir_ref made(struct hand *h, uint16_t op, enum ir_width width, const ir_ref *operand, uint32_t count,
                   uint64_t imm) {
  const ir_ref ref = ir_make(h->ir, op, width, operand, count, imm, (struct ir_place){.line = 1});
  ir_append(h->ir, h->at, ref);
  return ref;
}

static ir_ref op3(struct hand *h, enum isa_op op, ir_ref a, ir_ref b, ir_ref c) {
  return made(h, (uint16_t)op, ir_width_of(op), (const ir_ref[]){a, b, c}, c ? 3 : b ? 2 : a ? 1 : 0, 0);
}

static ir_ref argument(struct hand *h, uint32_t number) {
  return number ? made(h, ISA_LD_ARG_32, IR_W1, NULL, 0, 4 + 4 * number) : made(h, ISA_LD_ARG_64, IR_W2, NULL, 0, 0);
}

static ir_ref load(struct hand *h, enum isa_op op, ir_ref base, ir_ref index, uint64_t offset) {
  return made(h, (uint16_t)op, ir_width_of(op), (const ir_ref[]){base, index}, 2, offset);
}

static void store(struct hand *h, enum isa_op op, ir_ref base, ir_ref index, ir_ref data, uint64_t offset) {
  made(h, (uint16_t)op, IR_NOTHING, (const ir_ref[]){base, index, data}, 3, offset);
}

static ir_ref number(struct hand *h, uint32_t value) { return ir_const(h->ir, IR_W1, value); }

static struct hand begin(void) { return (struct hand){emit_kernel_new(), 0}; }

/* Emits, and runs if that succeeded. */
static bool end(struct hand *h, struct emit_rig *rig, uint32_t registers) {
  const bool good = emit_rig_open(rig, h->ir, registers) && emit_rig_run(rig);
  if (good && getenv("EMIT_SHOW")) {
    ct_freed(ct_free) char *text = isa_disassemble(rig->program);
    puts(text);
  }
  ir_free(h->ir);
  return good;
}

static const struct ir_place nowhere;

/* for (i = 0; i < 10; i++) sum += i; in clang's blocks: header, body, jump back. */
TEST(emit, a_loop_of_an_add_costs_four_instructions_per_iteration) {
  static struct emit_rig rig;
  struct hand h = begin();
  const uint32_t header = ir_block_new(h.ir), body = ir_block_new(h.ir), after = ir_block_new(h.ir);
  const ir_ref base = argument(&h, 0);
  ir_goto(h.ir, 0, header, nowhere);
  h.at = header;
  const ir_ref i = made(&h, IR_PHI, IR_W1, NULL, 0, 0), sum = made(&h, IR_PHI, IR_W1, NULL, 0, 0);
  ir_if(h.ir, header, op3(&h, ISA_SETP_LT_U32, i, number(&h, 10), 0), body, after, nowhere);
  h.at = body;
  const ir_ref more = op3(&h, ISA_ADD_32, sum, i, 0), next = op3(&h, ISA_ADD_32, i, number(&h, 1), 0);
  ir_goto(h.ir, body, header, nowhere);
  ir_phi_add(h.ir, i, 0, number(&h, 0));
  ir_phi_add(h.ir, i, body, next);
  ir_phi_add(h.ir, sum, 0, number(&h, 0));
  ir_phi_add(h.ir, sum, body, more);
  h.at = after;
  store(&h, ISA_ST_GLOBAL_32, base, 0, sum, 0);
  ir_exit(h.ir, after, nowhere);
  ASSERT_TRUE(end(&h, &rig, 64));
  uint32_t stored;
  memcpy(&stored, rig.memory, sizeof stored);
  EXPECT_EQ(stored, 45);
  /* address, one move for both zeros, jump to the test; (test, branch) 11 times, two adds 10 times; store, exit */
  EXPECT_EQ(rig.steps, 3 + 11 * 2 + 10 * 2 + 2);
  EXPECT_EQ(rig.program->kernels[0].registers, 4);
  emit_rig_close(&rig);
}

/* a, b = b, a, three times: three instructions per iteration, whether or not a register is free. */
TEST(emit, phis_that_swap_take_three_instructions) {
  static struct emit_rig rig;
  struct hand h = begin();
  const uint32_t loop = ir_block_new(h.ir), after = ir_block_new(h.ir);
  const ir_ref base = argument(&h, 0), one = argument(&h, 1), two = argument(&h, 2);
  ir_goto(h.ir, 0, loop, nowhere);
  h.at = loop;
  const ir_ref i = made(&h, IR_PHI, IR_W1, NULL, 0, 0), a = made(&h, IR_PHI, IR_W1, NULL, 0, 0);
  const ir_ref b = made(&h, IR_PHI, IR_W1, NULL, 0, 0), next = op3(&h, ISA_ADD_32, i, number(&h, 1), 0);
  ir_if(h.ir, loop, op3(&h, ISA_SETP_LT_U32, next, number(&h, 4), 0), loop, after, nowhere);
  ir_phi_add(h.ir, i, 0, number(&h, 0));
  ir_phi_add(h.ir, i, loop, next);
  ir_phi_add(h.ir, a, 0, one);
  ir_phi_add(h.ir, a, loop, b);
  ir_phi_add(h.ir, b, 0, two);
  ir_phi_add(h.ir, b, loop, a);
  h.at = after;
  store(&h, ISA_ST_GLOBAL_32, base, 0, a, 0);
  store(&h, ISA_ST_GLOBAL_32, base, 0, b, 4);
  ir_exit(h.ir, after, nowhere);
  ASSERT_TRUE(end(&h, &rig, 64));
  EXPECT_EQ(memcmp(rig.memory, rig.args + 12, 4), 0);
  EXPECT_EQ(memcmp(rig.memory + 4, rig.args + 8, 4), 0);
  EXPECT_EQ(rig.program->kernels[0].registers, 5);
  EXPECT_EQ(emit_rig_count(&rig, ISA_XOR_32), 3);
  emit_rig_close(&rig);
}

/* *(float4 *)(p + 16) = *(float4 *)p + 1, word by word. */
TEST(emit, vectors_are_split_and_joined_without_moves) {
  static struct emit_rig rig;
  struct hand h = begin();
  const ir_ref base = argument(&h, 0), quad = load(&h, ISA_LD_GLOBAL_128, base, 0, 0);
  ir_ref word[4];
  for (uint32_t i = 0; i < 4; i++)
    word[i] = op3(&h, ISA_ADD_32, made(&h, IR_WORD, IR_W1, &quad, 1, i), number(&h, 1), 0);
  store(&h, ISA_ST_GLOBAL_128, base, 0, made(&h, IR_JOIN, IR_W4, word, 4, 0), 16);
  ir_exit(h.ir, 0, nowhere);
  ASSERT_TRUE(end(&h, &rig, 64));
  EXPECT_EQ(rig.program->count, 1 + 1 + 4 + 1 + 1);
  EXPECT_EQ(rig.program->kernels[0].registers, 6);
  emit_rig_close(&rig);
}

TEST(emit, widening_a_number_takes_one_instruction) {
  static struct emit_rig rig;
  struct hand h = begin();
  const ir_ref base = argument(&h, 0), a = argument(&h, 1);
  const ir_ref wide = made(&h, IR_JOIN, IR_W2, (ir_ref[]){a, number(&h, 0)}, 2, 0);
  store(&h, ISA_ST_GLOBAL_64, base, 0, op3(&h, ISA_MAD_64, wide, wide, wide), 0);
  store(&h, ISA_ST_GLOBAL_32, base, 0, a, 8);
  ir_exit(h.ir, 0, nowhere);
  ASSERT_TRUE(end(&h, &rig, 64));
  uint64_t stored;
  uint32_t alone;
  memcpy(&stored, rig.memory, sizeof stored);
  memcpy(&alone, rig.memory + 8, sizeof alone);
  EXPECT_EQ(stored, (uint64_t)alone * alone + alone);
  EXPECT_EQ(rig.program->count, 2 + 1 + 1 + 2 + 1);
  emit_rig_close(&rig);
}

TEST(emit, an_early_return_is_a_guarded_exit) {
  static struct emit_rig rig;
  struct hand h = begin();
  const uint32_t body = ir_block_new(h.ir), after = ir_block_new(h.ir);
  const ir_ref base = argument(&h, 0), id = op3(&h, ISA_GET_GLOBAL_ID, 0, 0, 0);
  const ir_ref inside = op3(&h, ISA_NOT_P, op3(&h, ISA_SETP_LT_U32, id, number(&h, 7), 0), 0, 0);
  ir_if(h.ir, 0, inside, after, body, nowhere);
  h.at = body;
  const ir_ref offset = op3(&h, ISA_SHL_32, id, number(&h, 2), 0);
  store(&h, ISA_ST_GLOBAL_32, base, offset, id, 0);
  ir_goto(h.ir, body, after, nowhere);
  ir_exit(h.ir, after, nowhere);
  ASSERT_TRUE(end(&h, &rig, 64));
  EXPECT_EQ(emit_rig_count(&rig, ISA_EXIT), 2);
  EXPECT_EQ(emit_rig_count(&rig, ISA_BRA), 0);
  EXPECT_EQ(emit_rig_count(&rig, ISA_NOT_P), 0);
  EXPECT_EQ(rig.program->count, 3 + 1 + 2 + 1);
  emit_rig_close(&rig);
}

/* A constant that needs a register is made once, in front of the loop. */
TEST(emit, constants_in_a_loop_are_made_outside) {
  static struct emit_rig rig;
  struct hand h = begin();
  const uint32_t loop = ir_block_new(h.ir), after = ir_block_new(h.ir);
  const ir_ref base = argument(&h, 0);
  ir_goto(h.ir, 0, loop, nowhere);
  h.at = loop;
  const ir_ref i = made(&h, IR_PHI, IR_W1, NULL, 0, 0);
  store(&h, ISA_ST_GLOBAL_32, base, i, number(&h, 77), 0);
  const ir_ref next = op3(&h, ISA_ADD_32, i, number(&h, 4), 0);
  ir_if(h.ir, loop, op3(&h, ISA_SETP_LT_U32, next, number(&h, 40), 0), loop, after, nowhere);
  ir_phi_add(h.ir, i, 0, number(&h, 0));
  ir_phi_add(h.ir, i, loop, next);
  ir_exit(h.ir, after, nowhere);
  ASSERT_TRUE(end(&h, &rig, 64));
  EXPECT_EQ(rig.steps, 2 + 1 + 10 * 4 + 1);
  emit_rig_close(&rig);
}

/* A copy's event enters and leaves in one register; a second copy uses it without a move. */
TEST(emit, chained_copies_keep_their_event_in_one_register) {
  static struct emit_rig rig;
  struct hand h = begin();
  const ir_ref base = argument(&h, 0), zero = number(&h, 0), count = number(&h, 16);
  const ir_ref first = made(&h, ISA_COPY_TO_LDS, IR_W1, (ir_ref[]){zero, base, count, 0, zero}, 5, 4);
  const ir_ref second =
      made(&h, ISA_COPY_TO_LDS_STRIDED, IR_W1, (ir_ref[]){number(&h, 64), base, count, number(&h, 3), first}, 5, 4);
  made(&h, ISA_WAIT, IR_NOTHING, &second, 1, 0);
  ir_exit(h.ir, 0, nowhere);
  ASSERT_TRUE(end(&h, &rig, 64));
  const struct isa_inst *copy = &rig.program->code[3];
  EXPECT_EQ(rig.program->count, 6); /* address, mov event 0, two copies, wait, exit */
  EXPECT_EQ(copy->op, ISA_COPY_TO_LDS_STRIDED);
  EXPECT_EQ(copy_lds(copy), 64);
  EXPECT_EQ(copy_count(copy), 16);
  EXPECT_EQ(copy_stride(copy), 3);
  EXPECT_EQ(copy_bytes(copy), 4);
  EXPECT_EQ(copy->d, rig.program->code[2].d);
  EXPECT_EQ(wait_register(&rig.program->code[4], 0), copy->d);
  emit_rig_close(&rig);
}

/* for (i = 0; i < 4; i++) barrier(); with nothing before: the move of the zero is the program's first instruction. */
TEST(emit, a_kernel_may_start_with_a_move) {
  static struct emit_rig rig;
  struct hand h = begin();
  const uint32_t loop = ir_block_new(h.ir), after = ir_block_new(h.ir);
  ir_goto(h.ir, 0, loop, nowhere);
  h.at = loop;
  const ir_ref i = made(&h, IR_PHI, IR_W1, NULL, 0, 0), next = op3(&h, ISA_ADD_32, i, number(&h, 1), 0);
  ir_if(h.ir, loop, op3(&h, ISA_SETP_LT_U32, next, number(&h, 4), 0), loop, after, nowhere);
  ir_phi_add(h.ir, i, 0, number(&h, 0));
  ir_phi_add(h.ir, i, loop, next);
  ir_exit(h.ir, after, nowhere);
  ASSERT_TRUE(end(&h, &rig, 64));
  EXPECT_EQ(rig.program->code[0].op, ISA_MOV_32);
  /* move; (add, test, branch) 4 times; exit */
  EXPECT_EQ(rig.steps, 1 + 4 * 3 + 1);
  emit_rig_close(&rig);
}

TEST(emit, an_endless_loop_is_one_branch) {
  struct isa_error error;
  struct hand h = begin();
  const uint32_t a = ir_block_new(h.ir), b = ir_block_new(h.ir);
  ir_goto(h.ir, 0, a, nowhere);
  ir_goto(h.ir, a, b, nowhere);
  ir_goto(h.ir, b, a, nowhere);
  ct_freed(isa_program_free_at) struct isa_program *program = isa_program_new("made.cl");
  EXPECT_TRUE(emit_kernel(h.ir, program, &error));
  EXPECT_TRUE(isa_validate(program, &error));
  EXPECT_LE(program->count, 2);
  ir_free(h.ir);
}

TEST(emit, too_much_private_memory_is_an_error) {
  struct isa_error error = {""};
  struct hand h = begin();
  ir_slot_new(h.ir, ISA_MOST_PRIVATE_BYTES + 4, 4);
  ir_exit(h.ir, 0, nowhere);
  ct_freed(isa_program_free_at) struct isa_program *program = isa_program_new("made.cl");
  EXPECT_FALSE(emit_kernel(h.ir, program, &error));
  EXPECT_STREQ(error.text, "made.cl: kernel 'made' has private variables of more than 256 MiB");
  ir_free(h.ir);
}

/* The sum of a[i] * b[i], four times, as after unrolling. */
TEST(emit, loads_move_ahead_of_arithmetic_that_does_not_need_them) {
  static struct emit_rig rig;
  struct hand h = begin();
  const ir_ref base = argument(&h, 0);
  ir_ref sum = number(&h, 0);
  for (uint32_t i = 0; i < 4; i++) {
    const ir_ref a = load(&h, ISA_LD_GLOBAL_32, base, 0, 8 * i), b = load(&h, ISA_LD_GLOBAL_32, base, 0, 8 * i + 4);
    sum = op3(&h, ISA_MAD_32, a, b, sum);
  }
  store(&h, ISA_ST_GLOBAL_32, base, 0, sum, 0);
  ir_exit(h.ir, 0, nowhere);
  ASSERT_TRUE(end(&h, &rig, 64));
  for (uint32_t i = 0; i < 8; i++)
    EXPECT_EQ(rig.program->code[1 + i].op, ISA_LD_GLOBAL_32);
  EXPECT_EQ(rig.program->count, 1 + 8 + 4 + 1 + 1);
  emit_rig_close(&rig);
}

/* How many results of loads `op` the next instruction waits for. */
static uint32_t waited_for_at_once(const struct isa_program *program, enum isa_op op) {
  uint32_t result = 0;
  for (uint32_t pc = 0; pc + 1 < program->count; pc++) {
    const struct isa_inst *inst = &program->code[pc], *next = inst + 1;
    result += inst->op == op && (next->a == inst->d || next->b == inst->d || next->c == inst->d);
  }
  return result;
}

/* After a barrier, 24 values each are replaced with the help of an LDS word; their registers make room for more words.
 */
TEST(emit, values_that_end_make_room_for_loads) {
  enum { VALUES = 24 };
  static struct emit_rig rig;
  struct hand h = begin();
  const ir_ref base = argument(&h, 0), x = argument(&h, 1);
  ir_ref value[VALUES];
  for (uint32_t i = 0; i < VALUES; i++)
    value[i] = load(&h, ISA_LD_GLOBAL_32, base, 0, 4 * i);
  op3(&h, ISA_BAR, 0, 0, 0);
  for (uint32_t i = 0; i < VALUES; i++) {
    const ir_ref word = load(&h, ISA_LD_LDS_32, number(&h, 0), 0, 4 * i);
    value[i] = op3(&h, ISA_MAD_32, x, value[i], op3(&h, ISA_MUL_32, x, word, 0));
  }
  op3(&h, ISA_BAR, 0, 0, 0);
  for (uint32_t i = 0; i < VALUES; i++)
    store(&h, ISA_ST_GLOBAL_32, base, 0, value[i], 4 * i);
  ir_exit(h.ir, 0, nowhere);
  ASSERT_TRUE(end(&h, &rig, 64));
  EXPECT_EQ(waited_for_at_once(rig.program, ISA_LD_LDS_32), 0);
  emit_rig_close(&rig);
}

/* A sum of products of words, one of each two at a loaded index. If all indices were loaded first because the most
 * depends on them, they would leave room for only one product at a time. */
TEST(emit, dependent_loads_are_in_flight_together_in_few_registers) {
  enum { TURNS = 16 };
  static struct emit_rig rig;
  struct hand h = begin();
  const ir_ref base = argument(&h, 0);
  ir_ref sum = number(&h, 0);
  for (uint32_t i = 0; i < TURNS; i++) {
    const ir_ref index = op3(&h, ISA_AND_32, load(&h, ISA_LD_GLOBAL_32, base, 0, 8 * i), number(&h, 63), 0);
    const ir_ref word = load(&h, ISA_LD_GLOBAL_32, base, 0, 8 * i + 4);
    const ir_ref at = op3(&h, ISA_MADW_U32, index, number(&h, 4), base);
    sum = op3(&h, ISA_MAD_32, word, load(&h, ISA_LD_GLOBAL_32, at, 0, 0), sum);
  }
  store(&h, ISA_ST_GLOBAL_32, base, 0, sum, 0);
  ir_exit(h.ir, 0, nowhere);
  ASSERT_TRUE(end(&h, &rig, 14));
  EXPECT_LE(waited_for_at_once(rig.program, ISA_LD_GLOBAL_32), TURNS / 2);
  emit_rig_close(&rig);
}

/* Sums of LDS words whose addresses take two dependent steps each, twelve times. */
TEST(emit, address_steps_alternate_with_arithmetic) {
  static struct emit_rig rig;
  struct hand h = begin();
  const ir_ref base = argument(&h, 0), id = op3(&h, ISA_GET_LOCAL_ID, 0, 0, 0);
  ir_ref sum = number(&h, 0);
  for (uint32_t i = 0; i < 12; i++) {
    const ir_ref at = op3(&h, ISA_AND_32, op3(&h, ISA_ADD_32, id, number(&h, 4 * i), 0), number(&h, 252), 0);
    const ir_ref word = load(&h, ISA_LD_LDS_32, at, 0, 0);
    for (uint32_t again = 0; again < 4; again++)
      sum = op3(&h, ISA_MAD_32, word, sum, word);
  }
  store(&h, ISA_ST_GLOBAL_32, base, 0, sum, 0);
  ir_exit(h.ir, 0, nowhere);
  ASSERT_TRUE(end(&h, &rig, 40));
  uint32_t alone = 0, steps = 0;
  for (uint32_t pc = 1; pc < rig.program->count; pc++) {
    const struct isa_inst *inst = &rig.program->code[pc];
    steps += inst->op == ISA_AND_32;
    alone += inst->op == ISA_AND_32 && inst[-1].op == ISA_ADD_32 && inst[-1].d == inst->a;
  }
  EXPECT_EQ(steps, 12);
  EXPECT_EQ(alone, 0);
  emit_rig_close(&rig);
}

/* Twenty comparisons that are all used at the end. */
TEST(emit, predicates_beyond_sixteen_are_kept_in_registers) {
  enum { PREDICATES = 20 };
  static struct emit_rig rig;
  struct hand h = begin();
  const ir_ref base = argument(&h, 0), id = op3(&h, ISA_GET_GLOBAL_ID, 0, 0, 0);
  ir_ref less[PREDICATES], sum = number(&h, 0);
  for (uint32_t i = 0; i < PREDICATES; i++)
    less[i] = op3(&h, ISA_SETP_LT_U32, id, number(&h, i), 0);
  for (uint32_t i = 0; i < PREDICATES; i++)
    sum = op3(&h, ISA_ADD_32, sum, op3(&h, ISA_CVT_U32_P, less[i], 0, 0), 0);
  store(&h, ISA_ST_GLOBAL_32, base, op3(&h, ISA_SHL_32, id, number(&h, 2), 0), sum, 0);
  ir_exit(h.ir, 0, nowhere);
  ASSERT_TRUE(end(&h, &rig, 64));
  for (uint32_t lane = 0; lane < EMIT_LANES; lane++) {
    uint32_t stored;
    memcpy(&stored, rig.memory + 4 * lane, sizeof stored);
    EXPECT_EQ(stored, lane < PREDICATES - 1 ? PREDICATES - 1 - lane : 0);
  }
  EXPECT_EQ(rig.program->kernels[0].spilled, 0);
  emit_rig_close(&rig);
}

/* During compilation, halves may have any upper bits; an immediate may not. */
TEST(emit, a_half_with_upper_bits_is_not_an_immediate) {
  static struct emit_rig rig;
  struct hand h = begin();
  const ir_ref base = argument(&h, 0), zero = op3(&h, ISA_AND_32, argument(&h, 1), number(&h, 0), 0);
  const ir_ref sum = op3(&h, ISA_FADD_F16, zero, number(&h, 0xffffbc00), 0); /* 0 + -1 */
  store(&h, ISA_ST_GLOBAL_16, base, 0, sum, 0);
  ir_exit(h.ir, 0, nowhere);
  ASSERT_TRUE(end(&h, &rig, 64));
  EXPECT_EQ(rig.memory[1], 0xbc);
  emit_rig_close(&rig);
}

TEST(emit, an_instruction_that_needs_more_registers_than_allowed_is_an_error) {
  struct isa_error error = {""};
  struct hand h = begin();
  const ir_ref base = argument(&h, 0), a = load(&h, ISA_LD_GLOBAL_64, base, 0, 0),
               b = load(&h, ISA_LD_GLOBAL_64, base, 0, 8);
  store(&h, ISA_ST_GLOBAL_64, base, 0, op3(&h, ISA_XOR_64, a, b, 0), 16);
  ir_exit(h.ir, 0, nowhere);
  ct_freed(isa_program_free_at) struct isa_program *program = isa_program_new("made.cl");
  h.ir->target.registers = 3;
  EXPECT_FALSE(emit_kernel(h.ir, program, &error)); /* two adjacent pairs take four */
  EXPECT_STREQ(error.text, "made.cl: kernel 'made' has an instruction that needs more registers than are allowed");
  EXPECT_EQ(program->kernel_count, 0);
  ir_free(h.ir);
}

TEST(emit, private_variables_take_whole_words) {
  for (uint32_t bytes = 0; bytes < 10; bytes++) {
    struct isa_error error = {""};
    struct hand h = begin();
    ir_slot_new(h.ir, bytes, 1);
    ir_exit(h.ir, 0, nowhere);
    ct_freed(isa_program_free_at) struct isa_program *program = isa_program_new("made.cl");
    ASSERT_TRUE(emit_kernel(h.ir, program, &error));
    EXPECT_EQ(program->kernels[0].private_bytes, 4 * ((bytes + 3) / 4));
    ir_free(h.ir);
  }
}

/* Forty values that are all used at the end, and a variable of five bytes. */
TEST(emit, spilled_words_follow_the_variables_at_the_end_of_private_memory) {
  enum { VALUES = 40, VARIABLE = 5 };
  static struct emit_rig rig;
  struct hand h = begin();
  ir_slot_new(h.ir, VARIABLE, 1);
  const ir_ref base = argument(&h, 0);
  ir_ref value[VALUES], sum = number(&h, 0);
  for (uint32_t i = 0; i < VALUES; i++)
    value[i] = load(&h, ISA_LD_GLOBAL_32, base, 0, 4 * i);
  for (uint32_t i = 0; i < VALUES; i++)
    sum = op3(&h, ISA_MAD_32, sum, value[i], value[VALUES - 1 - i]);
  store(&h, ISA_ST_GLOBAL_32, base, 0, sum, 0);
  ir_exit(h.ir, 0, nowhere);
  ASSERT_TRUE(end(&h, &rig, 16));
  uint64_t first = UINT64_MAX, last = 0;
  for (uint32_t pc = 0; pc < rig.program->count; pc++) {
    const struct isa_inst *inst = &rig.program->code[pc];
    if (isa_rows[inst->op].format != FORMAT_STORE_PRIVATE)
      continue;
    first = inst->imm < first ? inst->imm : first;
    last = inst->imm + isa_types[isa_rows[inst->op].a].bytes > last ? inst->imm + isa_types[isa_rows[inst->op].a].bytes
                                                                    : last;
  }
  EXPECT_GE(first, VARIABLE);
  EXPECT_EQ(last - first, 4 * (uint64_t)rig.program->kernels[0].spilled);
  EXPECT_EQ(last, rig.program->kernels[0].private_bytes);
  emit_rig_close(&rig);
}

TEST(emit, a_constant_index_is_part_of_the_offset) {
  static struct emit_rig rig, expected;
  struct hand h = begin();
  const ir_ref base = argument(&h, 0);
  store(&h, ISA_ST_GLOBAL_32, base, number(&h, 64), load(&h, ISA_LD_GLOBAL_32, base, number(&h, 20), 8), 4);
  ir_exit(h.ir, 0, nowhere);
  EXPECT_TRUE(emit_rig_interpret(&expected, h.ir));
  ASSERT_TRUE(end(&h, &rig, 64));
  EXPECT_EQ(memcmp(rig.memory, expected.memory, sizeof rig.memory), 0);
  EXPECT_EQ(memcmp(rig.memory + 68, rig.memory + 28, 4), 0);
  EXPECT_EQ(rig.program->count, 4); /* address, load, store, exit */
  emit_rig_close(&rig);
}

/* An undefined word, alone and as the low word of a pair. */
TEST(emit, undefined_values_cost_nothing) {
  static struct emit_rig rig;
  struct hand h = begin();
  const ir_ref base = argument(&h, 0), any = ir_undef(h.ir, IR_W1), a = argument(&h, 1);
  store(&h, ISA_ST_GLOBAL_32, base, 0, any, 0);
  store(&h, ISA_ST_GLOBAL_64, base, 0, made(&h, IR_JOIN, IR_W2, (ir_ref[]){any, a}, 2, 0), 8);
  ir_exit(h.ir, 0, nowhere);
  ASSERT_TRUE(end(&h, &rig, 64));
  EXPECT_EQ(memcmp(rig.memory + 12, rig.args + 8, 4), 0);
  EXPECT_EQ(rig.program->count, 5); /* address, argument, two stores, exit */
  emit_rig_close(&rig);
}

/* The square of lds[id], and a second word whose address takes twelve steps: the square waits for the first word, the
 * steps do not. */
TEST(emit, work_that_needs_no_lds_word_goes_before_work_that_does) {
  enum { STEPS = 12 };
  static struct emit_rig rig;
  struct hand h = begin();
  const ir_ref id = op3(&h, ISA_GET_LOCAL_ID, 0, 0, 0), word = load(&h, ISA_LD_LDS_32, id, 0, 0);
  const ir_ref first = op3(&h, ISA_MUL_32, word, word, 0);
  ir_ref at = id;
  for (uint32_t i = 1; i <= STEPS; i++)
    at = op3(&h, ISA_ADD_32, at, number(&h, 4 * i), 0);
  const ir_ref sum = op3(&h, ISA_XOR_32, first, load(&h, ISA_LD_LDS_32, at, 0, 0), 0);
  store(&h, ISA_ST_GLOBAL_32, argument(&h, 0), 0, sum, 0);
  ir_exit(h.ir, 0, nowhere);
  const bool good = emit_rig_open(&rig, h.ir, 64);
  ir_free(h.ir);
  ASSERT_TRUE(good);
  uint32_t loaded = UINT32_MAX, used = 0, steps = 0;
  for (uint32_t pc = 0; pc < rig.program->count; pc++) {
    const uint16_t op = rig.program->code[pc].op;
    loaded = op == ISA_LD_LDS_32 && pc < loaded ? pc : loaded;
    used = op == ISA_MUL_32 ? pc : used;
    steps += op == ISA_ADD_32 && loaded < pc && !used;
  }
  EXPECT_LT(loaded, used);
  EXPECT_GE(steps, STEPS / 2);
  emit_rig_close(&rig);
}

/* Eight arguments that are all used at the end, twice. */
TEST(emit, an_argument_is_loaded_again_if_no_register_keeps_it) {
  enum { NUMBERS = 8 };
  static struct emit_rig rig, expected;
  struct hand h = begin();
  const ir_ref base = argument(&h, 0);
  ir_ref value[NUMBERS], sum = number(&h, 0);
  for (uint32_t i = 0; i < NUMBERS; i++)
    value[i] = argument(&h, 1 + i);
  for (uint32_t i = 0; i < 2 * NUMBERS; i++)
    sum = op3(&h, ISA_MAD_32, sum, value[i % NUMBERS], value[NUMBERS - 1 - i % NUMBERS]);
  store(&h, ISA_ST_GLOBAL_32, base, 0, sum, 0);
  ir_exit(h.ir, 0, nowhere);
  EXPECT_TRUE(emit_rig_interpret(&expected, h.ir));
  ASSERT_TRUE(end(&h, &rig, 6));
  EXPECT_EQ(memcmp(rig.memory, expected.memory, sizeof rig.memory), 0);
  EXPECT_EQ(rig.program->kernels[0].spilled, 0);
  EXPECT_GT(emit_rig_count(&rig, ISA_LD_ARG_32), NUMBERS);
  emit_rig_close(&rig);
}

/* The second of three arguments. */
TEST(emit, a_phi_with_one_predecessor_is_only_another_name) {
  static struct emit_rig rig;
  struct hand h = begin();
  const uint32_t next = ir_block_new(h.ir);
  const ir_ref base = argument(&h, 0), one = argument(&h, 1), two = argument(&h, 2), three = argument(&h, 3);
  ir_goto(h.ir, 0, next, nowhere);
  h.at = next;
  const ir_ref phi = made(&h, IR_PHI, IR_W1, NULL, 0, 0);
  ir_phi_add(h.ir, phi, 0, two);
  store(&h, ISA_ST_GLOBAL_32, base, 0, phi, 4);
  store(&h, ISA_ST_GLOBAL_32, base, 0, three, 8);
  store(&h, ISA_ST_GLOBAL_32, base, 0, one, 0);
  ir_exit(h.ir, next, nowhere);
  ASSERT_TRUE(end(&h, &rig, 64));
  EXPECT_EQ(memcmp(rig.memory, rig.args + 8, 12), 0);
  EXPECT_EQ(rig.program->count, 8); /* address, three arguments and stores, exit */
  emit_rig_close(&rig);
}
