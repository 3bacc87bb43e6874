/* OpenCL.std: finds an instruction's row, checks the call against the row's signature, and runs the row for each
 * component or for the whole call. The expansions are in std_math.c, std_geometric.c, std_integer.c and
 * std_vector.c. */
#include "opencl/lower/std.h"
#include "isa/numbers.h"
#include "sim/base/need.h"

#include <stdlib.h>
#include <string.h>

static bool std_printf(const struct std_call *call) { return build_printf(call->b, call->inst); }
static bool std_prefetch(const struct std_call *call) { return build_prefetch(call->b, call->inst); }

const struct std_row std_rows[] = {
#define FLOATS(ID) .op = {ISA_##ID##_F16, ISA_##ID##_F32, ISA_##ID##_F64}
#define MATH(ID) .op = {0, ISA_##ID##_F32, ISA_##ID##_F64}, .wide = true
#define NATIVE(ID) .op = {0, ISA_##ID##_NATIVE, ISA_##ID##_F64}, .wide = true
#define INTS(ID32, ID64, extension) .op = {0, ISA_##ID32, ISA_##ID64}, .extend = extension
#define LANE(f) .lane = f
#define WIDE(f) .lane = f, .wide = true
#define NARROW(f, extension) .lane = f, .extend = extension
#define WHOLE(f) .whole = f
#define STD(n, text, letters, ...) {.number = n, .name = #text, .signature = letters, __VA_ARGS__},
#include "opencl/lower/std.def"
#undef STD
#undef FLOATS
#undef MATH
#undef NATIVE
#undef INTS
#undef LANE
#undef WIDE
#undef NARROW
#undef WHOLE
};
const unsigned std_row_count = sizeof std_rows / sizeof std_rows[0];

const struct std_row *std_find(uint32_t number) {
  for (unsigned i = 0; i < std_row_count; i++)
    if (std_rows[i].number == number)
      return &std_rows[i];
  return NULL;
}

ir_ref std_float(const struct std_lane *lane, double value) {
  if (lane->bits == 64)
    return build_64(lane->b, double_bits(value));
  return build_32(lane->b, lane->bits == 32 ? float_bits((float)value) : half_bits(value));
}

ir_ref std_int(const struct std_lane *lane, uint64_t value) {
  return lane->bits == 64 ? build_64(lane->b, value) : build_32(lane->b, (uint32_t)value);
}

/* ---- the signature -------------------------------------------------------------------------------- */

/* What the letters of one call have in common; 0: not known yet. */
struct shape {
  unsigned bits, wide_bits;
  uint32_t count, own_count;
};

static bool agrees(uint32_t *known, uint32_t now) {
  if (!*known)
    *known = now;
  return *known == now;
}

static bool fits_numbers(struct build *b, struct shape *shape, char letter, const struct spirv_type *type) {
  const struct spirv_type *scalar = build_scalar(b, type);
  if (!scalar || (scalar->kind != SPIRV_INT && scalar->kind != SPIRV_FLOAT))
    return false;
  const bool is_float = scalar->kind == SPIRV_FLOAT;
  if (!agrees(letter == 'F' ? &shape->own_count : &shape->count, build_components(type)))
    return false;
  switch (letter) {
  case 'k':
    return !is_float && scalar->bits == 32;
  case 'w':
    return !is_float && agrees(&shape->wide_bits, scalar->bits);
  case 'f':
  case 'F':
    return is_float && agrees(&shape->bits, scalar->bits);
  default:
    return (letter == 'x' || !is_float) && agrees(&shape->bits, scalar->bits);
  }
}

static bool fits(struct build *b, struct shape *shape, char letter, const struct spirv_type *type) {
  switch (letter) {
  case 'v':
    return type->kind == SPIRV_VOID;
  case 'p':
    return type->kind == SPIRV_POINTER;
  case 'P':
  case 'K': {
    const struct spirv_type *second = type->kind == SPIRV_POINTER ? spirv_type(b->module, type->element) : NULL;
    return second && fits_numbers(b, shape, letter == 'P' ? 'f' : 'k', second);
  }
  case 'o':
    return type->kind == SPIRV_INT && type->bits >= 32;
  case 'X':
    return build_scalar(b, type) != NULL && build_scalar(b, type)->kind != SPIRV_BOOL;
  default:
    return fits_numbers(b, shape, letter, type);
  }
}

static bool check(const struct std_call *call) {
  struct build *b = call->b;
  const char *letters = call->row->signature;
  struct shape shape = {0};
  const unsigned given = call->inst->words - 5u;
  if (!fits(b, &shape, letters[0], call->type))
    return build_fail(b, "the OpenCL built-in '%s' cannot have a result of this type", call->row->name);
  for (unsigned i = 1; letters[i] && letters[i] != '.'; i++) {
    if (i > given || (letters[i + 1] == 0 && given != i))
      return build_fail(b, "the OpenCL built-in '%s' has %u operands, not %u", call->row->name,
                        (unsigned)strlen(letters) - 1, given);
    if (letters[i] == 'l')
      continue;
    const struct spirv_type *type = build_type(b, call->operand[i - 1]);
    if (!type || !fits(b, &shape, letters[i], type))
      return build_fail(b, "operand %u of the OpenCL built-in '%s' has a type that does not fit the others", i,
                        call->row->name);
  }
  return !shape.wide_bits || shape.wide_bits == 2 * shape.bits ||
         build_fail(b, "the result of '%s' must have twice the bits of its operands", call->row->name);
}

/* ---- components ----------------------------------------------------------------------------------- */

/* The width that a row works on: its first operand's. (The operand of nan() is as wide as its result.) */
static const struct spirv_type *worked_on(const struct std_call *call) {
  return build_scalar(call->b, build_type(call->b, call->operand[0]));
}

static bool in_float(const struct std_call *call) { return call->row->wide && worked_on(call)->bits == 16; }

static ir_ref operand(const struct std_call *call, unsigned i, ir_ref part) {
  struct build *b = call->b;
  if (call->row->extend != STD_AS_IS)
    return build_extended(b, part, worked_on(call)->bits, call->row->extend == STD_SIGNED);
  if (call->row->signature[i + 1] == 'f' && in_float(call))
    return build_op(b, ISA_CVT_F32_F16, part, 0, 0);
  return part;
}

static ir_ref lower_lane(struct std_lane *lane) {
  const struct std_row *row = lane->row;
  if (row->lane)
    return row->lane(lane);
  const unsigned form = lane->bits == 64 ? 2 : lane->bits == 16 && row->op[0] ? 0 : 1;
  return build_op(lane->b, (enum isa_op)row->op[form], lane->arg[0], lane->arg[1], lane->arg[2]);
}

/* One component. Its second result, if any, goes to *second. */
static ir_ref component(const struct std_call *call, uint32_t at, ir_ref *second) {
  struct build *b = call->b;
  const char *letters = call->row->signature;
  const bool wide = in_float(call);
  struct std_lane lane = {.b = b, .row = call->row, .bits = wide ? 32 : worked_on(call)->bits};
  unsigned i = 0;
  for (; letters[i + 1] && !strchr("PK", letters[i + 1]); i++) {
    const ir_ref *parts = build_parts(b, call->operand[i]);
    if (!parts)
      return 0;
    lane.arg[i] = operand(call, i, parts[at]);
  }
  const ir_ref result = lower_lane(&lane);
  *second = wide && letters[i + 1] == 'P' ? build_op(b, ISA_CVT_F16_F32, lane.second, 0, 0) : lane.second;
  return wide && letters[0] == 'f' ? build_op(b, ISA_CVT_F16_F32, result, 0, 0) : result;
}

static bool components(const struct std_call *call) {
  struct build *b = call->b;
  const uint32_t count = build_components(call->type);
  const char *letters = call->row->signature, *pointer = strpbrk(letters, "PK");
  ir_ref *first = need(2 * (size_t)count, sizeof *first), *second = first + count;
  for (uint32_t i = 0; i < count && !b->failed; i++)
    first[i] = component(call, i, &second[i]);
  if (pointer && !b->failed) {
    const uint32_t to = call->operand[pointer - letters - 1];
    const struct spirv_type *type = spirv_type(b->module, build_type(b, to)->element);
    build_store(b, build_pointer(b, to), type, type->align, second);
  }
  if (!b->failed)
    memcpy(build_define(b, call->result), first, count * sizeof *first);
  free(first);
  return !b->failed;
}

bool build_std(struct build *b, const struct spirv_inst *inst) {
  /* OpExtInst: word 1 is the result type, 2 the result, 3 the set, 4 the instruction; operands follow. */
  const uint32_t number = inst->words > 4 ? inst->word[4] : UINT32_MAX;
  const struct std_row *row = std_find(number);
  if (!row)
    return build_fail(b, "the OpenCL.std instruction %u is undefined", number);
  const struct spirv_type *type = spirv_type(b->module, inst->word[1]);
  const struct std_call call = {b, inst, row, inst->word[2], type, inst->word + 5};
  if (!type || !check(&call))
    return b->failed ? false : build_fail(b, "the result of '%s' has no type", row->name);
  return row->whole ? row->whole(&call) : components(&call);
}
