/* 32-bit and 64-bit arithmetic on operands of all shapes that passes have information about, and chains of operations
 * with constants. At the corners of the operands' types, a lane stores the same before and after. */
#include "isa/ops.h"
#include "opencl/passes/kinds.h"
#include "opencl/passes/passes.h"
#include "tests/ct.h"
#include "tests/opencl/lane.h"

#include <stdlib.h>
#include <string.h>

/* ---- kernels of one expression ----------------------------------------------------------------------- */

struct maker {
  struct ir *ir;
};

static ir_ref make(struct maker *m, uint16_t op, ir_ref a, ir_ref b, ir_ref c, uint64_t imm) {
  const ir_ref operand[] = {a, b, c};
  const enum ir_width width = op == IR_JOIN ? IR_W2 : op == IR_WORD ? IR_W1 : ir_width_of((enum isa_op)op);
  const ir_ref ref = ir_make(m->ir, op, width, operand, c ? 3 : b ? 2 : a ? 1 : 0, imm, (struct ir_place){.line = 1});
  ir_append(m->ir, 0, ref);
  return ref;
}

static ir_ref constant(struct maker *m, unsigned bits, uint64_t value) {
  return ir_const(m->ir, bits == 64 ? IR_W2 : IR_W1, value);
}

static void store(struct maker *m, ir_ref value) {
  const bool predicate = m->ir->inst[value].width == IR_PRED;
  if (predicate)
    value = make(m, ISA_CVT_U32_P, value, 0, 0, 0);
  const ir_ref operand[] = {constant(m, 32, 0), 0, value};
  const uint16_t op = m->ir->inst[value].width == IR_W2 ? ISA_ST_LDS_64 : ISA_ST_LDS_32;
  ir_append(m->ir, 0, ir_make(m->ir, op, IR_NOTHING, operand, 3, 0, (struct ir_place){.line = 1}));
}

/* ---- the same before and after ----------------------------------------------------------------------- */

static const uint32_t corners[] = {0,      1,      31,     32,         33,         63,          64,    127,  128, 255,
                                   0x8000, 0xffff, 123457, 0x7fffffff, 0x80000000, 0xffff8000u, -128u, -33u, -2u, -1u};
enum { CORNERS = sizeof corners / sizeof *corners };

/* Runs the kernel with these two arguments. Returns the digest of what it stores. */
static uint64_t stored(const struct ir *ir, uint32_t a, uint32_t b) {
  static struct lane lane;
  memset(&lane, 0, sizeof lane);
  memcpy(lane.args, &a, sizeof a);
  memcpy(lane.args + 4, &b, sizeof b);
  lane_run(&lane, ir);
  EXPECT_FALSE(lane.failed);
  return lane.digest;
}

/* Finishes the kernel and frees it. */
static bool stays_with(struct maker *m, void (*pass)(struct ir *), uint32_t more) {
  static uint64_t before[CORNERS * CORNERS];
  ir_exit(m->ir, 0, (struct ir_place){.line = 1});
  for (uint32_t i = 0; i < CORNERS; i++)
    for (uint32_t k = 0; k < more; k++)
      before[i * CORNERS + k] = stored(m->ir, corners[i], corners[k]);
  pass(m->ir);
  char room[IR_FAULT];
  const char *fault = ir_fault(m->ir, room);
  bool good = EXPECT_STREQ(fault ? fault : "", "");
  for (uint32_t i = 0; i < CORNERS && good; i++)
    for (uint32_t k = 0; k < more && good; k++)
      good = EXPECT_EQ(stored(m->ir, corners[i], corners[k]), before[i * CORNERS + k]);
  ir_free(m->ir);
  return good;
}

/* ---- pairs of shapes ----------------------------------------------------------------------------------- */

enum shape {
  ANY,
  SIGNED,
  UNSIGNED,
  BYTE,
  SIGNED_BYTE,
  SHIFT,
  NOT_ZERO,
  NEGATIVE,
  FORTY_BITS, /* in 32 bits: all bits of a word */
  SIGNED_FORTY_BITS,
  CONSTANT_20,
  CONSTANT_37,
  NEGATIVE_CONSTANT,
  SHAPES
};

/* A word from the argument at `offset`, as a value about which more or less is known. */
static ir_ref shaped(struct maker *m, enum shape shape, unsigned bits, uint32_t offset) {
  const ir_ref word = make(m, ISA_LD_ARG_32, 0, 0, 0, offset);
  const bool sign = shape == SIGNED || shape == SIGNED_BYTE || shape == NEGATIVE;
  ir_ref value = word;
  switch (shape) {
  case ANY:
    return bits == 32 ? word : make(m, IR_JOIN, word, make(m, ISA_LD_ARG_32, 0, 0, 0, 4 - offset), 0, 0);
  case BYTE:
    value = make(m, ISA_AND_32, word, constant(m, 32, 255), 0, 0);
    break;
  case SIGNED_BYTE:
    value = make(m, ISA_EXT_S8, word, 0, 0, 0);
    break;
  case SHIFT:
    value = make(m, ISA_AND_32, word, constant(m, 32, 63), 0, 0);
    break;
  case NOT_ZERO:
    value = make(m, ISA_OR_32, make(m, ISA_AND_32, word, constant(m, 32, 127), 0, 0), constant(m, 32, 1), 0, 0);
    break;
  case NEGATIVE:
    value = make(m, ISA_SUB_32, make(m, ISA_AND_32, word, constant(m, 32, 127), 0, 0), constant(m, 32, 128), 0, 0);
    break;
  case FORTY_BITS:
    value = shaped(m, ANY, bits, offset);
    return bits == 32 ? value : make(m, ISA_AND_64, value, constant(m, 64, (UINT64_C(1) << 40) - 1), 0, 0);
  case SIGNED_FORTY_BITS:
    value = shaped(m, FORTY_BITS, bits, offset);
    return bits == 32 ? value : make(m, ISA_SUB_64, value, constant(m, 64, UINT64_C(1) << 39), 0, 0);
  case CONSTANT_20:
    return constant(m, bits, 20);
  case CONSTANT_37:
    return constant(m, bits, 37);
  case NEGATIVE_CONSTANT:
    return constant(m, bits, bits == 64 ? UINT64_MAX - 4 : UINT32_MAX - 4);
  default:
    break;
  }
  return bits == 32 ? value : make(m, sign ? ISA_CVT_S64_S32 : ISA_CVT_U64_U32, value, 0, 0, 0);
}

static bool shifts(enum kind kind) {
  return kind == KIND_SHL || kind == KIND_SHR_U || kind == KIND_SHR_S || kind == KIND_ROTL || kind == KIND_ROTR;
}

/* Tests kinds with two operands that are not both constants; shifts take a word in both widths. */
static bool stays(enum kind kind, unsigned bits, enum shape left, enum shape right, void (*pass)(struct ir *)) {
  struct maker m = {ir_new("k")};
  const ir_ref a = shaped(&m, left, bits, 0);
  const ir_ref b = shaped(&m, right, shifts(kind) ? 32 : bits, 4);
  store(&m, make(&m, kind_op(kind, bits), a, b, 0, 0));
  ct_note("kind %d in %u bits, shapes %d and %d", (int)kind, bits, (int)left, (int)right);
  return stays_with(&m, pass, CORNERS);
}

static void all_shapes(void (*pass)(struct ir *)) {
  for (enum kind kind = KIND_ADD; kind <= KIND_GE_U; kind++) {
    if (kind == KIND_MAD || kind == KIND_ABS || kind == KIND_NEG || kind == KIND_NOT)
      continue;
    for (unsigned bits = 32; bits <= 64; bits += 32)
      for (enum shape left = 0; left < SHAPES; left++)
        for (enum shape right = 0; right < SHAPES; right++)
          if (!stays(kind, bits, left, right, pass))
            return;
  }
}

TEST(narrow, results_in_32_bits_equal_those_in_64_bits) { all_shapes(pass_narrow); }

/* The same operations, with users that need only the low word or less. */
TEST(narrow, unused_bits_do_not_affect_the_others) {
  static const uint64_t masks[] = {0xff, 0xffff, UINT32_MAX, UINT64_C(0xff00000000), UINT64_C(0x1ffffffff),
                                   0 /* word 0 */};
  static const enum shape right[] = {ANY, CONSTANT_37};
  for (enum kind kind = KIND_ADD; kind <= KIND_ROTR; kind++) {
    if (kind == KIND_MAD || kind == KIND_ABS || kind == KIND_NEG || kind == KIND_NOT)
      continue;
    for (enum shape left = 0; left < SHAPES; left++)
      for (size_t i = 0; i < 2 * sizeof masks / sizeof *masks; i++) {
        struct maker m = {ir_new("k")};
        const ir_ref a = shaped(&m, left, 64, 0), b = shaped(&m, right[i % 2], shifts(kind) ? 32 : 64, 4);
        const ir_ref result = make(&m, kind_op(kind, 64), a, b, 0, 0);
        const uint64_t mask = masks[i / 2];
        store(&m,
              mask ? make(&m, ISA_AND_64, result, constant(&m, 64, mask), 0, 0) : make(&m, IR_WORD, result, 0, 0, 0));
        ct_note("kind %d, shape %d, mask %zu", (int)kind, (int)left, i);
        if (!stays_with(&m, pass_narrow, CORNERS))
          return;
      }
  }
}

/* ---- a constant on either side ------------------------------------------------------------------------- */

TEST(narrow, an_operation_with_a_constant_is_simplified_exactly) {
  static const uint64_t constants[] = {0,         1, 2, 3, 5, 32, 0x80000000, 0x7fffffff, UINT32_MAX, (uint64_t)1 << 63,
                                       UINT64_MAX};
  for (enum kind kind = KIND_ADD; kind <= KIND_GE_U; kind++) {
    if (kind == KIND_MAD || kind == KIND_ABS || kind == KIND_NEG || kind == KIND_NOT)
      continue;
    for (unsigned bits = 32; bits <= 64; bits += 32)
      for (size_t i = 0; i < 2 * sizeof constants / sizeof *constants; i++) {
        struct maker m = {ir_new("k")};
        const bool left = i % 2;
        const uint64_t value = bits == 64 ? constants[i / 2] : (uint32_t)constants[i / 2];
        const unsigned right_bits = shifts(kind) ? 32 : bits;
        const ir_ref a = left ? constant(&m, bits, value) : shaped(&m, ANY, bits, 0);
        const ir_ref b = left ? shaped(&m, ANY, right_bits, 4)
                              : constant(&m, right_bits, right_bits == 64 ? value : (uint32_t)value);
        store(&m, make(&m, kind_op(kind, bits), a, b, 0, 0));
        ct_note("kind %d in %u bits, %llx on the %s", (int)kind, bits, (unsigned long long)value,
                left ? "left" : "right");
        if (!stays_with(&m, pass_simplify, CORNERS))
          return;
      }
  }
}

/* ---- two successive operations with constants ---------------------------------------------------------- */

static const uint64_t shift_constants[] = {0, 1, 8, 15, 16, 17, 24, 31, 32, 33, 40, 48, 63, 64, 65};
static const uint64_t mask_constants[] = {0,
                                          1,
                                          0x7f,
                                          0xff,
                                          0x100,
                                          0xffff,
                                          0x10000,
                                          0x7fffffff,
                                          0x80000000,
                                          UINT32_MAX,
                                          UINT64_C(0xff00000000),
                                          UINT64_C(0xffffffff00000000),
                                          UINT64_MAX};

struct step {
  enum kind kind;
  const uint64_t *constant;
  size_t count;
};
#define SHIFTS(kind)                                                                                                   \
  { kind, shift_constants, sizeof shift_constants / sizeof *shift_constants }
#define MASKS(kind)                                                                                                    \
  { kind, mask_constants, sizeof mask_constants / sizeof *mask_constants }
static const struct step steps[] = {SHIFTS(KIND_SHL),  SHIFTS(KIND_SHR_U), SHIFTS(KIND_SHR_S), SHIFTS(KIND_ROTL),
                                    SHIFTS(KIND_ROTR), MASKS(KIND_AND),    MASKS(KIND_OR),     MASKS(KIND_XOR),
                                    MASKS(KIND_MUL),   MASKS(KIND_ADD)};
enum { STEPS = sizeof steps / sizeof *steps };

static ir_ref stepped(struct maker *m, const struct step *step, size_t number, unsigned bits, ir_ref value) {
  const uint64_t mask = bits == 64 ? UINT64_MAX : UINT32_MAX;
  const ir_ref by = constant(m, shifts(step->kind) ? 32 : bits, step->constant[number] & mask);
  return make(m, kind_op(step->kind, bits), value, by, 0, 0);
}

static bool chain_stays(const struct step *first, size_t i, const struct step *second, size_t k, unsigned bits) {
  struct maker m = {ir_new("k")};
  ct_note("kind %d by %llx, then %d by %llx in %u bits", (int)first->kind, (unsigned long long)first->constant[i],
          (int)second->kind, (unsigned long long)second->constant[k], bits);
  store(&m, stepped(&m, second, k, bits, stepped(&m, first, i, bits, shaped(&m, ANY, bits, 0))));
  return stays_with(&m, pass_simplify, 3);
}

TEST(narrow, two_successive_shifts_or_masks_are_merged_exactly) {
  for (const struct step *first = steps; first < steps + STEPS; first++)
    for (const struct step *second = steps; second < steps + STEPS; second++)
      for (size_t i = 0; i < first->count; i++)
        for (size_t k = 0; k < second->count; k++)
          for (unsigned bits = 32; bits <= 64; bits += 32)
            if (!chain_stays(first, i, second, k, bits))
              return;
}

/* An extension is a mask, too. */
TEST(narrow, extensions_under_masks_and_shifts_keep_the_visible_bits) {
  static const uint16_t extensions[] = {ISA_EXT_S8, ISA_EXT_S16};
  for (size_t e = 0; e < 2; e++)
    for (const struct step *step = steps; step < steps + STEPS; step++)
      for (size_t i = 0; i < step->count; i++) {
        struct maker m = {ir_new("k")};
        const ir_ref inner = make(&m, extensions[e], make(&m, ISA_LD_ARG_32, 0, 0, 0, 0), 0, 0, 0);
        const ir_ref once = stepped(&m, step, i, 32, inner);
        store(&m, once);
        store(&m, make(&m, extensions[e], once, 0, 0, 0));
        ct_note("extension %zu, kind %d by %llx", e, (int)step->kind, (unsigned long long)step->constant[i]);
        if (!stays_with(&m, opencl_passes, 1))
          return;
      }
}

/* (x >> 16) >> 16 is 0, not x. */
TEST(narrow, shifting_out_all_bits_leaves_zero) {
  struct maker m = {ir_new("k")};
  const ir_ref half = make(&m, ISA_SHR_U32, make(&m, ISA_LD_ARG_32, 0, 0, 0, 0), constant(&m, 32, 16), 0, 0);
  store(&m, make(&m, ISA_SHR_U32, half, constant(&m, 32, 16), 0, 0));
  ir_exit(m.ir, 0, (struct ir_place){.line = 1});
  pass_simplify(m.ir);
  ct_freed(ct_free) char *text = ir_text(m.ir);
  EXPECT_STREQ(strchr(text, '\n') + 1, "block 0:\n  st.lds.b32 0 _ 0\n  exit\n");
  ir_free(m.ir);
}

/* The text of a kernel that stores a pair shifted successively by these constants. */
static char *shifted_text(enum kind first, unsigned by, enum kind second, unsigned then) {
  struct maker m = {ir_new("k")};
  const ir_ref once = make(&m, kind_op(first, 64), shaped(&m, ANY, 64, 0), constant(&m, 32, by), 0, 0);
  store(&m, then ? make(&m, kind_op(second, 64), once, constant(&m, 32, then), 0, 0) : once);
  ir_exit(m.ir, 0, (struct ir_place){.line = 1});
  pass_simplify(m.ir);
  char *text = ir_text(m.ir);
  ir_free(m.ir);
  return text;
}

TEST(narrow, a_pair_shifted_by_32_or_more_is_shifted_as_words) {
  for (unsigned by = 32; by < 64; by++)
    for (enum kind kind = KIND_SHL; kind <= KIND_SHR_S; kind++) {
      char *text = shifted_text(kind, by, kind, 0), *back = shifted_text(KIND_SHL, by, kind, by);
      ct_note("kind %d by %u:\n%s%s", (int)kind, by, text, back);
      EXPECT_TRUE(!strstr(text, "shl.b64") && !strstr(text, "shr.u64") && !strstr(text, "shr.s64"));
      EXPECT_TRUE(!strstr(back, "shl.b64") && !strstr(back, "shr.u64") && !strstr(back, "shr.s64"));
      free(text);
      free(back);
    }
}

/* An `or` shows whether its bit is demanded: it is left out otherwise. */
TEST(narrow, an_arithmetic_shift_demands_the_sign_for_each_bit_that_it_fills) {
  for (unsigned bits = 32; bits <= 64; bits += 32)
    for (unsigned by = 1; by < bits; by++)
      for (unsigned seen = 0; seen < bits; seen += by < bits / 2 ? bits - 1 : by) {
        struct maker m = {ir_new("k")};
        const ir_ref sign = constant(&m, bits, UINT64_C(1) << (bits - 1));
        const uint64_t other = 2 * by < bits ? UINT64_C(1) << by : 0; /* a bit that is not the sign */
        const ir_ref negative = make(&m, kind_op(KIND_OR, bits), shaped(&m, ANY, bits, 0), sign, 0, 0);
        const ir_ref shifted = make(&m, kind_op(KIND_SHR_S, bits), negative, constant(&m, 32, by), 0, 0);
        store(&m, make(&m, kind_op(KIND_AND, bits), shifted, constant(&m, bits, UINT64_C(1) << seen | other), 0, 0));
        ct_note("%u bits by %u, bit %u", bits, by, seen);
        if (!stays_with(&m, pass_narrow, 1))
          return;
      }
}

TEST(narrow, a_shift_demands_each_bit_of_its_amount) {
  for (enum kind kind = KIND_SHL; kind <= KIND_ROTR; kind++)
    for (unsigned bits = 32; shifts(kind) && bits <= 64; bits += 32)
      for (unsigned bit = 1; bit < bits; bit *= 2) {
        struct maker m = {ir_new("k")};
        const ir_ref by = make(&m, ISA_OR_32, make(&m, ISA_LD_ARG_32, 0, 0, 0, 4), constant(&m, 32, bit), 0, 0);
        store(&m, make(&m, kind_op(kind, bits), shaped(&m, ANY, bits, 0), by, 0, 0));
        ct_note("kind %d in %u bits, bit %u", (int)kind, bits, bit);
        if (!stays_with(&m, pass_narrow, CORNERS))
          return;
      }
}

static bool text_has(struct maker *m, void (*pass)(struct ir *), const char *what) {
  ir_exit(m->ir, 0, (struct ir_place){.line = 1});
  pass(m->ir);
  ct_freed(ct_free) char *text = ir_text(m->ir);
  const bool found = strstr(text, what);
  ct_note("%s", text);
  ir_free(m->ir);
  return found;
}

TEST(narrow, logic_with_a_half_that_decides_works_on_the_other_half) {
  static const uint64_t easy[] = {UINT64_C(0x1234500000000), 0x12345, UINT64_C(0xffffffff00012345),
                                  UINT64_C(0x12345ffffffff)};
  for (size_t i = 0; i < sizeof easy / sizeof *easy; i++) {
    struct maker m = {ir_new("k")};
    store(&m, make(&m, ISA_AND_64, shaped(&m, ANY, 64, 0), constant(&m, 64, easy[i]), 0, 0));
    EXPECT_FALSE(text_has(&m, pass_simplify, "and.b64"));
  }
}

TEST(narrow, a_mask_absorbs_the_extension_under_it) {
  static const struct {
    uint16_t extension;
    uint32_t mask;
    bool stays;
  } rows[] = {{ISA_EXT_S8, 0x7f, false},    {ISA_EXT_S8, 0xff, false},   {ISA_EXT_S8, 0x101, true},
              {ISA_EXT_S16, 0xffff, false}, {ISA_EXT_S16, 0x3f0, false}, {ISA_EXT_S16, 0x1ffff, true}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct maker m = {ir_new("k")};
    const ir_ref x = make(&m, rows[i].extension, make(&m, ISA_LD_ARG_32, 0, 0, 0, 0), 0, 0, 0);
    store(&m, make(&m, ISA_AND_32, x, constant(&m, 32, rows[i].mask), 0, 0));
    EXPECT_EQ(text_has(&m, pass_simplify, "ext.s"), rows[i].stays);
  }
}

TEST(narrow, either_half_of_a_pair_may_be_undefined) {
  for (unsigned high = 0; high < 2; high++) {
    struct maker m = {ir_new("k")};
    const ir_ref word = make(&m, ISA_LD_ARG_32, 0, 0, 0, 0);
    const ir_ref undef = ir_make(m.ir, IR_UNDEF, IR_W1, NULL, 0, 0, (struct ir_place){.line = 1});
    ir_append(m.ir, 0, undef);
    const ir_ref half[] = {high ? word : undef, high ? undef : word};
    const ir_ref both = ir_make(m.ir, IR_JOIN, IR_W2, half, 2, 0, (struct ir_place){.line = 1});
    ir_append(m.ir, 0, both);
    store(&m, both);
    EXPECT_FALSE(text_has(&m, pass_simplify, "undef"));
  }
}
