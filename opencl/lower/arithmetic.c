/* Arithmetic, component by component. What is one ISA operation is a row of arithmetic.def; the rest is below. */
#include "opencl/lower/build_core.h"

/* How narrow operands are extended; of a shift, only the first one. */
enum clean {
  ANY,
  SIGNED = 1,
  UNSIGNED = 2,
  SHIFT = 4,
  SHIFT_ANY = SHIFT,
  SHIFT_SIGNED = SHIFT | SIGNED,
  SHIFT_UNSIGNED = SHIFT | UNSIGNED
};

struct row {
  uint16_t op;
  uint8_t kind; /* enum spirv_type_kind of the operands */
  uint8_t clean;
  uint16_t narrow, single, wide; /* enum isa_op: halves, 32 bits and predicates, 64 bits */
};

static const struct row rows[] = {
#define INTEGER(op, narrow, wide, clean) {op, SPIRV_INT, clean, 0, ISA_##narrow, ISA_##wide},
#define BOOLEAN(op, only) {op, SPIRV_BOOL, ANY, 0, ISA_##only, 0},
#define FLOAT(op, half, single, wide) {op, SPIRV_FLOAT, ANY, ISA_##half, ISA_##single, ISA_##wide},
#include "opencl/lower/arithmetic.def"
#undef INTEGER
#undef BOOLEAN
#undef FLOAT
};

/* ---- operands ------------------------------------------------------------------------------------ */

/* An instruction whose operands, word[3] and on, are scalars or vectors of one kind, with as many components as the
 * result. `bits` is the first operand's width. */
struct lanes {
  const struct spirv_inst *inst;
  const struct spirv_type *type; /* of the result */
  uint32_t count, operands;
  unsigned bits;
  const ir_ref *part[3];
  unsigned bits_of[3];
};

static bool take_operand(struct build *b, struct lanes *lanes, unsigned i, enum spirv_type_kind kind) {
  const uint32_t id = lanes->inst->word[3 + i];
  const struct spirv_type *type = build_type(b, id), *scalar = build_scalar(b, type);
  if (!scalar || scalar->kind != kind || build_components(type) != lanes->count)
    return core_misfit(b, lanes->inst);
  lanes->bits_of[i] = scalar->bits;
  lanes->part[i] = build_parts(b, id);
  return lanes->part[i] != NULL;
}

static bool read_operands(struct build *b, const struct spirv_inst *inst, uint32_t operands, enum spirv_type_kind kind,
                          struct lanes *lanes) {
  *lanes = (struct lanes){.inst = inst, .operands = operands};
  if (inst->words < 3 + operands || !build_scalar(b, build_type(b, inst->word[2])))
    return core_misfit(b, inst);
  lanes->type = build_type(b, inst->word[2]);
  lanes->count = build_components(lanes->type);
  if (lanes->count > SPIRV_MOST_COMPONENTS)
    return core_misfit(b, inst);
  for (unsigned i = 0; i < operands; i++)
    if (!take_operand(b, lanes, i, kind))
      return false;
  lanes->bits = lanes->bits_of[0];
  return true;
}

/* ---- rows ---------------------------------------------------------------------------------------- */

static ir_ref cleaned(struct build *b, ir_ref value, unsigned bits, uint8_t clean, unsigned operand) {
  if (clean & SHIFT && operand == 1) /* all bits that matter in a legal amount are in the low byte */
    return bits == 64 ? build_word(b, value, 0) : value;
  return clean & (SIGNED | UNSIGNED) ? build_extended(b, value, bits, clean & SIGNED) : value;
}

static bool kept_within(uint16_t op) { return op == OpIAdd || op == OpISub || op == OpIMul; }

static uint8_t no_wrap(const struct spirv_decoration *decoration) {
  return (uint8_t)((decoration->no_signed_wrap ? IR_NO_WRAP_SIGNED : 0) |
                   (decoration->no_unsigned_wrap ? IR_NO_WRAP_UNSIGNED : 0));
}

static bool by_row(struct build *b, const struct spirv_inst *inst, const struct row *row) {
  struct lanes lanes;
  const uint32_t operands = inst->words >= 5 ? 2 : 1;
  if (!read_operands(b, inst, operands, (enum spirv_type_kind)row->kind, &lanes))
    return false;
  if (operands == 2 && !(row->clean & SHIFT) && lanes.bits_of[1] != lanes.bits)
    return core_misfit(b, inst);
  const bool half = row->kind == SPIRV_FLOAT && lanes.bits == 16;
  const enum isa_op op = (enum isa_op)(lanes.bits == 64 ? row->wide : half ? row->narrow : row->single);
  ir_ref *result = build_define(b, inst->word[2]);
  for (uint32_t i = 0; i < lanes.count; i++) {
    const ir_ref left = cleaned(b, lanes.part[0][i], lanes.bits, row->clean, 0);
    const ir_ref right = operands == 2 ? cleaned(b, lanes.part[1][i], lanes.bits_of[1], row->clean, 1) : 0;
    result[i] = build_op(b, op, left, right, 0);
    if (lanes.bits >= 32 && kept_within(inst->op))
      b->ir->inst[result[i]].no_wrap = no_wrap(&b->module->id[inst->word[2]].decoration);
  }
  return !b->failed;
}

static const struct row *find_row(uint16_t op) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].op == op)
      return &rows[i];
  return NULL;
}

/* ---- integers that take several operations -------------------------------------------------------- */

/* a mod b with the sign of b: the remainder, plus b if the signs differ and the remainder is not 0. */
static ir_ref modulo(struct build *b, ir_ref left, ir_ref right, bool wide) {
  const ir_ref zero = wide ? build_64(b, 0) : build_32(b, 0);
  const ir_ref rest = build_op(b, wide ? ISA_REM_S64 : ISA_REM_S32, left, right, 0);
  const ir_ref mixed = build_op(b, wide ? ISA_XOR_64 : ISA_XOR_32, rest, right, 0);
  const ir_ref differ = build_op(b, wide ? ISA_SETP_LT_S64 : ISA_SETP_LT_S32, mixed, zero, 0);
  const ir_ref some = build_op(b, wide ? ISA_SETP_NE_U64 : ISA_SETP_NE_U32, rest, zero, 0);
  const ir_ref more = build_op(b, wide ? ISA_ADD_64 : ISA_ADD_32, rest, right, 0);
  return build_select(b, build_op(b, ISA_AND_P, differ, some, 0), more, rest);
}

bool lower_modulo(struct build *b, const struct spirv_inst *inst) {
  struct lanes lanes;
  if (!read_operands(b, inst, 2, SPIRV_INT, &lanes) || lanes.bits != lanes.bits_of[1])
    return b->failed ? false : core_misfit(b, inst);
  ir_ref *result = build_define(b, inst->word[2]);
  for (uint32_t i = 0; i < lanes.count; i++) {
    const ir_ref left = build_extended(b, lanes.part[0][i], lanes.bits, true);
    result[i] = modulo(b, left, build_extended(b, lanes.part[1][i], lanes.bits, true), lanes.bits == 64);
  }
  return !b->failed;
}

static ir_ref bit_count(struct build *b, ir_ref value, unsigned bits) {
  if (bits < 64)
    return build_op(b, ISA_POPC_32, build_extended(b, value, bits, false), 0, 0);
  return build_op(b, ISA_CVT_U64_U32, build_op(b, ISA_POPC_64, value, 0, 0), 0, 0);
}

static ir_ref bits_reversed(struct build *b, ir_ref value, unsigned bits) {
  if (bits == 64)
    return build_op(b, ISA_BREV_64, value, 0, 0);
  const ir_ref reversed = build_op(b, ISA_BREV_32, value, 0, 0);
  return bits == 32 ? reversed : build_op(b, ISA_SHR_U32, reversed, build_32(b, 32 - bits), 0);
}

bool lower_bits(struct build *b, const struct spirv_inst *inst) {
  struct lanes lanes;
  if (!read_operands(b, inst, 1, SPIRV_INT, &lanes))
    return false;
  ir_ref *result = build_define(b, inst->word[2]);
  for (uint32_t i = 0; i < lanes.count; i++)
    result[i] = inst->op == OpBitCount ? bit_count(b, lanes.part[0][i], lanes.bits)
                                       : bits_reversed(b, lanes.part[0][i], lanes.bits);
  return !b->failed;
}

/* ---- two results in a struct ----------------------------------------------------------------------- */

/* Low and high half of a product. A narrow product fits in 32 bits, so its high half is one shift away. */
static void wide_product(struct build *b, ir_ref left, ir_ref right, unsigned bits, bool is_signed, ir_ref half[2]) {
  const ir_ref a = build_extended(b, left, bits, is_signed), x = build_extended(b, right, bits, is_signed);
  half[0] = build_op(b, bits == 64 ? ISA_MUL_64 : ISA_MUL_32, a, x, 0);
  if (bits < 32)
    half[1] = build_op(b, ISA_SHR_U32, half[0], build_32(b, bits), 0);
  else if (bits == 32)
    half[1] = build_op(b, is_signed ? ISA_MULHI_S32 : ISA_MULHI_U32, a, x, 0);
  else
    half[1] = build_op(b, is_signed ? ISA_MULHI_S64 : ISA_MULHI_U64, a, x, 0);
}

/* The sum or difference, and 1 if it overflows. */
static void with_carry(struct build *b, ir_ref left, ir_ref right, unsigned bits, bool subtract, ir_ref half[2]) {
  const bool wide = bits == 64;
  const ir_ref a = build_extended(b, left, bits, false), x = build_extended(b, right, bits, false);
  const enum isa_op op = subtract ? wide ? ISA_SUB_64 : ISA_SUB_32 : wide ? ISA_ADD_64 : ISA_ADD_32;
  half[0] = build_op(b, op, a, x, 0);
  const ir_ref clean = build_extended(b, half[0], bits, false);
  const ir_ref over = build_op(b, wide ? ISA_SETP_LT_U64 : ISA_SETP_LT_U32, subtract ? a : clean, subtract ? x : a, 0);
  const ir_ref one = build_op(b, ISA_CVT_U32_P, over, 0, 0);
  half[1] = wide ? build_op(b, ISA_CVT_U64_U32, one, 0, 0) : one;
}

bool lower_two_results(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = build_type(b, inst->word[3]), *scalar = build_scalar(b, type);
  const struct spirv_type *both = build_type(b, inst->word[2]);
  if (!scalar || scalar->kind != SPIRV_INT || !core_same_shape(type, build_type(b, inst->word[4])) || !both ||
      both->kind != SPIRV_STRUCT || both->parts != 2 * type->parts)
    return core_misfit(b, inst);
  const ir_ref *left = build_parts(b, inst->word[3]), *right = build_parts(b, inst->word[4]);
  ir_ref *result = build_define(b, inst->word[2]);
  for (uint32_t i = 0; left && right && i < type->parts; i++) {
    ir_ref half[2];
    if (inst->op == OpUMulExtended || inst->op == OpSMulExtended)
      wide_product(b, left[i], right[i], scalar->bits, inst->op == OpSMulExtended, half);
    else
      with_carry(b, left[i], right[i], scalar->bits, inst->op == OpISubBorrow, half);
    result[i] = half[0];
    result[type->parts + i] = half[1];
  }
  return !b->failed;
}

/* ---- bit fields ------------------------------------------------------------------------------------ */

/* Ones in the low `count` bits; `count` is a word, 0 to the width. 0 is selected separately, because its shift would be
 * the whole width. */
static ir_ref low_ones(struct build *b, ir_ref count, bool wide) {
  const ir_ref all = wide ? build_64(b, UINT64_MAX) : build_32(b, UINT32_MAX);
  const ir_ref none = wide ? build_64(b, 0) : build_32(b, 0);
  const ir_ref away = build_op(b, ISA_SUB_32, build_32(b, wide ? 64 : 32), count, 0);
  const ir_ref mask = build_op(b, wide ? ISA_SHR_U64 : ISA_SHR_U32, all, away, 0);
  return build_select(b, build_op(b, ISA_SETP_EQ_U32, count, build_32(b, 0), 0), none, mask);
}

/* Shifts the field up to the top bit, then down with its sign or zeros. */
static ir_ref field(struct build *b, ir_ref base, ir_ref offset, ir_ref count, bool wide, bool is_signed) {
  const ir_ref width = build_32(b, wide ? 64 : 32), none = wide ? build_64(b, 0) : build_32(b, 0);
  const ir_ref up = build_op(b, ISA_SUB_32, build_op(b, ISA_SUB_32, width, offset, 0), count, 0);
  const ir_ref down = build_op(b, ISA_SUB_32, width, count, 0);
  const ir_ref top = build_op(b, wide ? ISA_SHL_64 : ISA_SHL_32, base, up, 0);
  const enum isa_op op = is_signed ? wide ? ISA_SHR_S64 : ISA_SHR_S32 : wide ? ISA_SHR_U64 : ISA_SHR_U32;
  const ir_ref value = build_op(b, op, top, down, 0);
  return build_select(b, build_op(b, ISA_SETP_EQ_U32, count, build_32(b, 0), 0), none, value);
}

bool lower_bit_field(struct build *b, const struct spirv_inst *inst) {
  struct lanes lanes;
  const bool insert = inst->op == OpBitFieldInsert;
  if (!read_operands(b, inst, insert ? 2 : 1, SPIRV_INT, &lanes))
    return false;
  const bool wide = lanes.bits == 64;
  const char *wrong = "a bit field has an offset or a size that is not an integer";
  const ir_ref offset = core_word(b, inst->word[insert ? 5 : 4], wrong);
  const ir_ref count = core_word(b, inst->word[insert ? 6 : 5], wrong);
  ir_ref *result = build_define(b, inst->word[2]);
  const enum isa_op shl = wide ? ISA_SHL_64 : ISA_SHL_32, and = wide ? ISA_AND_64 : ISA_AND_32;
  for (uint32_t i = 0; i < lanes.count && !b->failed; i++) {
    if (!insert) {
      result[i] = field(b, lanes.part[0][i], offset, count, wide, inst->op == OpBitFieldSExtract);
      continue;
    }
    const ir_ref mask = build_op(b, shl, low_ones(b, count, wide), offset, 0);
    const ir_ref kept = build_op(b, and, lanes.part[0][i], build_op(b, wide ? ISA_NOT_64 : ISA_NOT_32, mask, 0, 0), 0);
    const ir_ref put = build_op(b, and, build_op(b, shl, lanes.part[1][i], offset, 0), mask, 0);
    result[i] = build_op(b, wide ? ISA_OR_64 : ISA_OR_32, kept, put, 0);
  }
  return !b->failed;
}

/* Integer comparisons of pointers arrive as the same instructions. */
bool lower_arithmetic(struct build *b, const struct spirv_inst *inst) {
  const struct row *row = find_row(inst->op);
  if (inst->words >= 5 && core_is_pointer(b, inst->word[3]) && core_is_pointer(b, inst->word[4]))
    return lower_pointer_compare(b, inst);
  return row ? by_row(b, inst, row) : core_misfit(b, inst);
}

bool core_has_row(uint16_t op) { return find_row(op) != NULL; }
