/* cl_khr_integer_dot_product: sums of products of 8-bit integers, four in a vector or packed in a word, and the same
 * with a sum added that saturates. Our translator knows the instructions for vectors; what takes words comes as calls.
 *
 * The sum of four products is exact in 32 bits. */
#include <string.h>

#include "opencl/lower/build.h"
#include "opencl/lower/std.h"

enum { TERMS = 4, PACKED_4X8 = 0 };

/* A side of the products. */
struct side {
  uint32_t id;
  bool is_signed;
};

/* Byte `i` of a word, extended. */
static ir_ref byte_of(struct build *b, ir_ref word, uint32_t i, bool is_signed) {
  if (is_signed)
    return build_op(b, ISA_SHR_S32, build_op(b, ISA_SHL_32, word, build_32(b, 24 - 8 * i), 0), build_32(b, 24), 0);
  return build_op(b, ISA_AND_32, build_op(b, ISA_SHR_U32, word, build_32(b, 8 * i), 0), build_32(b, 255), 0);
}

static bool terms_of(struct build *b, struct side side, bool packed, ir_ref term[TERMS]) {
  const struct spirv_type *type = build_type(b, side.id), *scalar = build_scalar(b, type);
  const ir_ref *parts = build_parts(b, side.id);
  if (!parts || b->failed)
    return false;
  const uint32_t bits = packed ? 32 : 8, count = packed ? 1 : TERMS;
  if (!scalar || scalar->kind != SPIRV_INT || scalar->bits != bits || type->parts != count)
    return build_fail(b, "a dot product of integers is of vectors of four of 8 bits, or of four packed in a word");
  for (uint32_t i = 0; i < TERMS; i++)
    term[i] = packed ? byte_of(b, parts[0], i, side.is_signed) : build_extended(b, parts[i], 8, side.is_signed);
  return !b->failed;
}

/* `sum`: the id of what is added, 0 for nothing. */
static bool define_dot(struct build *b, uint32_t result, struct side x, struct side y, bool packed, uint32_t sum) {
  const struct spirv_type *type = build_type(b, result);
  if (type->kind != SPIRV_INT || type->bits != 32)
    return build_fail(b, "a dot product of integers gives one of 32 bits");
  ir_ref left[TERMS], right[TERMS];
  if (!terms_of(b, x, packed, left) || !terms_of(b, y, packed, right))
    return false;
  ir_ref dot = build_op(b, ISA_MUL_32, left[0], right[0], 0);
  for (uint32_t i = 1; i < TERMS; i++)
    dot = build_op(b, ISA_MAD_32, left[i], right[i], dot);
  if (sum) {
    struct std_lane lane = {.b = b, .bits = 32, .arg = {build_value(b, sum), dot}};
    dot = x.is_signed || y.is_signed ? std_s_add_sat(&lane) : std_u_add_sat(&lane);
  }
  ir_ref *part = build_define(b, result);
  if (part)
    *part = dot;
  return !b->failed;
}

bool build_dot(struct build *b, const struct spirv_inst *inst) {
  const bool saturates = inst->op >= OpSDotAccSat;
  const unsigned first = saturates ? OpSDotAccSat : OpSDot, kind = inst->op - first, words = saturates ? 6 : 5;
  const bool packed = inst->words > words;
  if (packed && inst->word[words] != PACKED_4X8)
    return build_fail(b, "unknown packed vector format %u", inst->word[words]);
  const struct side x = {inst->word[3], kind != OpUDot - OpSDot}, y = {inst->word[4], kind == 0};
  return define_dot(b, inst->word[2], x, y, packed, saturates ? inst->word[5] : 0);
}

/* dot_4x8packed_us_int and its like: the letters say which side is signed. */
bool build_dot_call(struct build *b, const struct spirv_inst *inst, const char *name) {
  const char *letters = strstr(name, "packed_") + strlen("packed_");
  const struct side x = {inst->word[4], letters[0] == 's'}, y = {inst->word[5], letters[1] == 's'};
  return define_dot(b, inst->word[2], x, y, true, inst->words > 6 ? inst->word[6] : 0);
}
