#include "isa/rows.h"

#include <assert.h>
#include <string.h>

#include "isa/ops.h"

const struct isa_type_row isa_types[ISA_TYPES] = {
#define TYPE(id, text, c_type, registers, bytes) {#id, text, registers, bytes},
#include "isa/types.def"
#undef TYPE
};

enum { SOME, PURE }; /* the column EFFECT */
const struct isa_format_row isa_formats[ISA_FORMATS] = {
#define FORMAT(id, operands, effect) {#id, operands, effect, 0, false},
#define COPY_FORMAT(id, operands, form, to_lds) {#id, operands, SOME, ISA_COPY_##form, to_lds},
#include "isa/formats.def"
#undef FORMAT
#undef COPY_FORMAT
};

#define NONE
#define OWN(f) .named = {{FIELD_##f, TYPE_NONE}},
#define OF(f, type) .named = {{FIELD_##f, TYPE_##type}},
#define TWO(f, type, f2, type2) .named = {{FIELD_##f, TYPE_##type}, {FIELD_##f2, TYPE_##type2}},
#define LIST(count, bit) .listed = (count), .shift = (bit),
const struct isa_operand isa_operands[128] = {
#define OPERAND(letter, text, what, registers, flag, ...)                                                              \
  [letter] = {.shape = text, .role = OPERAND_##what, registers.number = flag},
#include "isa/operands.def"
#undef OPERAND
};
#undef NONE
#undef OWN
#undef OF
#undef TWO
#undef LIST

/* clang-format off */
#define OP(id, mnemonic, format, class_, d, a, b, c, text, ...) \
  {mnemonic, FORMAT_##format, ISA_CLASS_##class_, TYPE_##d, TYPE_##a, TYPE_##b, TYPE_##c, \
   ISA_SPACE_NONE, ISA_ACCESS_NONE, ISA_VIA_PLAIN, text, #__VA_ARGS__},
#define ACCESS(space, access, via, id, mnemonic, format, class_, d, a, b, c, text, ...) \
  {mnemonic, FORMAT_##format, ISA_CLASS_##class_, TYPE_##d, TYPE_##a, TYPE_##b, TYPE_##c, \
   ISA_SPACE_##space, ISA_ACCESS_##access, ISA_VIA_##via, text, #__VA_ARGS__},
/* clang-format on */
const struct isa_row isa_rows[ISA_OPS] = {
#include "isa/ops.def"
};
#undef OP

/* Plain loads and stores by what they do; 0: there is no such row. */
static const uint16_t accesses[ISA_SPACES][ISA_ACCESSES][ISA_VIAS][ISA_TYPES] = {
#define OP(...)
#define ACCESS(space, access, via, id, mnemonic, format, class_, d, a, ...)                                            \
  [ISA_SPACE_##space][ISA_ACCESS_##access][ISA_VIA_##via][TYPE_##a] = ISA_##id,
#include "isa/ops.def"
#undef OP
};

uint16_t isa_access_op(enum isa_space space, enum isa_access_kind access, enum isa_via via, enum isa_type type) {
  const uint16_t op = accesses[space][access][via][type];
  assert(op && "the row exists");
  return op;
}

enum isa_type isa_memory_type(uint32_t bytes, bool is_signed) {
  return bytes == 1   ? is_signed ? TYPE_S8 : TYPE_U8
         : bytes == 2 ? is_signed ? TYPE_S16 : TYPE_U16
         : bytes == 4 ? TYPE_B32
         : bytes == 8 ? TYPE_B64
                      : TYPE_B128;
}

const struct isa_copy_operand isa_copy_operands[COPY_NAMED_3D] = {
#define COPY_FIELD(...)
#define COPY_NAMED(byte, operand, id, ...) [byte] = {operand, operand "=", COPY_##id},
    COPY_ROWS(COPY_FIELD, COPY_NAMED)
#undef COPY_FIELD
#undef COPY_NAMED
};

static const struct {
  const char *name;
  enum isa_runs runs;
} classes[ISA_CLASSES] = {
#define CLASS(id, name, runs, text) {name, ISA_RUNS_##runs},
#include "isa/classes.def"
#undef CLASS
};

bool isa_has_high_number(enum isa_format format) { return strpbrk(isa_formats[format].operands, "kpyhKq"); }

const char *isa_op_name(unsigned op) { return op < ISA_OPS ? isa_rows[op].mnemonic : "?"; }

const char *isa_class_name(enum isa_class class_) { return class_ < ISA_CLASSES ? classes[class_].name : "?"; }

enum isa_runs isa_class_runs(enum isa_class class_) { return classes[class_].runs; }

/* The expression of a barrier or fence is its set of SYNC_* bits. */
unsigned isa_row_sync(unsigned op) {
  const struct isa_row *row = &isa_rows[op];
  if (row->class_ != ISA_CLASS_BARRIER && row->class_ != ISA_CLASS_FENCE && row->class_ != ISA_CLASS_COPY_FENCE)
    return 0;
  return (strstr(row->expression, "SYNC_LDS") ? SYNC_LDS : 0u) |
         (strstr(row->expression, "SYNC_GLOBAL") ? SYNC_GLOBAL : 0u) |
         (strstr(row->expression, "SYNC_IMAGE") ? SYNC_IMAGE : 0u);
}
