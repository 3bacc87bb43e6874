/* Integer dot products. cl_khr_integer_dot_product sums the products of 8-bit integers, four in a vector or packed in a
 * word; one form adds a number with saturation. Our translator knows the instructions on vectors; those on words arrive
 * as calls. cl_arm_integer_dot_product_int8 and its relatives also arrive as calls: vectors of four 8-bit or two 16-bit
 * integers, plus a number that is added with or without saturation.
 *
 * The sum of four 8-bit products is exact in 32 bits; that of two 16-bit products wraps around. */
#include <string.h>

#include "opencl/lower/build.h"
#include "opencl/lower/std.h"

enum { MOST_TERMS = 4, PACKED_4X8 = 0 };

/* One side of the products. */
struct side {
  uint32_t id;
  bool is_signed;
};

struct dot {
  struct side x, y;
  uint32_t terms, bits; /* number and width of the factors */
  bool packed, saturates;
  uint32_t sum; /* id of the number added; 0: none */
};

/* Byte `i` of a word, extended. */
static ir_ref byte_of(struct build *b, ir_ref word, uint32_t i, bool is_signed) {
  const ir_ref shifted = is_signed ? build_op(b, ISA_SHL_32, word, build_32(b, 24 - 8 * i), 0)
                                   : build_op(b, ISA_SHR_U32, word, build_32(b, 8 * i), 0);
  return is_signed ? build_op(b, ISA_SHR_S32, shifted, build_32(b, 24), 0)
                   : build_op(b, ISA_AND_32, shifted, build_32(b, 255), 0);
}

static bool terms_of(struct build *b, const struct dot *dot, struct side side, ir_ref term[MOST_TERMS]) {
  const struct spirv_type *type = build_type(b, side.id), *scalar = build_scalar(b, type);
  const ir_ref *parts = build_parts(b, side.id);
  if (!parts || b->failed)
    return false;
  const uint32_t bits = dot->packed ? 32 : dot->bits, count = dot->packed ? 1 : dot->terms;
  if (!scalar || scalar->kind != SPIRV_INT || scalar->bits != bits || type->parts != count)
    return build_fail(b, "a dot product of integers takes vectors of four 8-bit integers, or four packed in a word");
  for (uint32_t i = 0; i < dot->terms; i++)
    term[i] =
        dot->packed ? byte_of(b, parts[0], i, side.is_signed) : build_extended(b, parts[i], dot->bits, side.is_signed);
  return !b->failed;
}

static bool define_dot(struct build *b, uint32_t result, const struct dot *dot) {
  const struct spirv_type *type = build_type(b, result);
  if (!type || type->kind != SPIRV_INT || type->bits != 32)
    return build_fail(b, "a dot product of integers must return 32 bits");
  ir_ref left[MOST_TERMS], right[MOST_TERMS];
  if (!terms_of(b, dot, dot->x, left) || !terms_of(b, dot, dot->y, right))
    return false;
  const bool is_signed = dot->x.is_signed || dot->y.is_signed;
  const ir_ref added = dot->sum ? build_value(b, dot->sum) : 0;
  ir_ref sum = added && !dot->saturates ? build_op(b, ISA_MAD_32, left[0], right[0], added)
                                        : build_op(b, ISA_MUL_32, left[0], right[0], 0);
  for (uint32_t i = 1; i < dot->terms; i++)
    sum = build_op(b, ISA_MAD_32, left[i], right[i], sum);
  if (added && dot->saturates) {
    struct std_lane lane = {.b = b, .bits = 32, .arg = {added, sum}};
    sum = is_signed ? std_s_add_sat(&lane) : std_u_add_sat(&lane);
  }
  ir_ref *part = build_define(b, result);
  if (part)
    *part = sum;
  return !b->failed;
}

bool build_dot(struct build *b, const struct spirv_inst *inst) {
  const bool saturates = inst->op >= OpSDotAccSat;
  const unsigned first = saturates ? OpSDotAccSat : OpSDot, kind = inst->op - first, words = saturates ? 6 : 5;
  const bool packed = inst->words > words;
  if (packed && inst->word[words] != PACKED_4X8)
    return build_fail(b, "unknown packed vector format %u", inst->word[words]);
  const struct dot dot = {.x = {inst->word[3], kind != OpUDot - OpSDot},
                          .y = {inst->word[4], kind == 0},
                          .terms = 4,
                          .bits = 8,
                          .packed = packed,
                          .saturates = saturates,
                          .sum = saturates ? inst->word[5] : 0};
  return define_dot(b, inst->word[2], &dot);
}

/* A call with two sides and an optional number to add. */
static struct dot called(const struct spirv_inst *inst, bool x_signed, bool y_signed) {
  return (struct dot){.x = {inst->word[4], x_signed},
                      .y = {inst->word[5], y_signed},
                      .terms = 4,
                      .bits = 8,
                      .sum = inst->words > 6 ? inst->word[6] : 0};
}

/* dot_4x8packed_us_int and similar: the letters say which side is signed. */
bool build_dot_call(struct build *b, const struct spirv_inst *inst, const char *name) {
  const char *letters = strstr(name, "packed_") + strlen("packed_");
  struct dot dot = called(inst, letters[0] == 's', letters[1] == 's');
  dot.packed = dot.saturates = true;
  return define_dot(b, inst->word[2], &dot);
}

/* arm_dot_acc_ss and similar. */
bool build_arm_dot_call(struct build *b, const struct spirv_inst *inst, const char *name) {
  const struct spirv_type *type = build_type(b, inst->word[4]);
  const bool is_signed = name[strlen(name) - 1] == 's';
  struct dot dot = called(inst, is_signed, is_signed);
  dot.saturates = strstr(name, "_sat_");
  if (type && type->parts == 2) {
    dot.terms = 2;
    dot.bits = 16;
  }
  return define_dot(b, inst->word[2], &dot);
}
