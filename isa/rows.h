/* The rows of ops.def, formats.def, operands.def and types.def as tables. Everything in isa/ that needs to know what an
 * operation looks like reads them. */
#ifndef ISA_ROWS_H
#define ISA_ROWS_H

#include "isa/image.h"
#include "isa/isa.h"
#include "isa/pipe.h"

enum isa_type {
#define TYPE(id, ...) TYPE_##id,
#include "isa/types.def"
#undef TYPE
  ISA_TYPES
};

enum isa_format {
#define FORMAT(id, ...) FORMAT_##id,
#define COPY_FORMAT FORMAT
#include "isa/formats.def"
#undef FORMAT
#undef COPY_FORMAT
  ISA_FORMATS
};

struct isa_type_row {
  const char *name, *text;
  uint8_t registers; /* that hold one value */
  uint8_t bytes;     /* in memory */
};

struct isa_format_row {
  const char *name;
  const char *operands; /* letters, rows of operands.def */
  bool pure;            /* only computes a result */
  uint8_t form;         /* of a copy: enum isa_copy_form */
  bool to_lds;          /* of a copy */
};

/* Fields of an instruction that can name registers. */
enum isa_field { FIELD_NONE, FIELD_D, FIELD_A, FIELD_B, FIELD_C, ISA_FIELDS };

enum isa_operand_role { OPERAND_NUMBER, OPERAND_RESULT, OPERAND_VALUE, OPERAND_STEERS };

struct isa_operand_register {
  uint8_t field, type; /* TYPE_NONE: the type that the row has for the field */
};

/* A row of operands.def. Its registers are in fields or in the bytes of imm. */
struct isa_operand {
  const char *shape;
  uint8_t role;
  struct isa_operand_register named[2];
  uint8_t listed, shift; /* up to `listed` 32-bit registers, in the bytes of imm from bit `shift` on */
  uint8_t number;        /* ISA_FLAG_*: if set, the operand is a number instead of registers */
};

enum { ISA_OPERAND_SLOTS = 8 }; /* most that one operand can take */

/* What a plain load or store accesses; NONE for all other operations, with atomic ones that compute. */
enum isa_space {
  ISA_SPACE_NONE,
  ISA_SPACE_ARG,
  ISA_SPACE_CONSTANT,
  ISA_SPACE_PRIVATE,
  ISA_SPACE_LDS,
  ISA_SPACE_GLOBAL,
  ISA_SPACES
};
enum isa_access_kind { ISA_ACCESS_NONE, ISA_ACCESS_LOAD, ISA_ACCESS_STORE, ISA_ACCESSES };
/* PAST_L1: bypasses the L1. ATOMIC: does not race with other atomic operations; a load bypasses the L1, too. */
enum isa_via { ISA_VIA_PLAIN, ISA_VIA_PAST_L1, ISA_VIA_ATOMIC, ISA_VIAS };

struct isa_row {
  const char *mnemonic;
  uint8_t format, class_;
  uint8_t d, a, b, c;         /* enum isa_type */
  uint8_t space, access, via; /* enums isa_space, isa_access_kind and isa_via */
  const char *text, *expression;
};

extern const struct isa_type_row isa_types[ISA_TYPES];
extern const struct isa_format_row isa_formats[ISA_FORMATS];
extern const struct isa_operand isa_operands[128]; /* by letter */
extern const struct isa_row isa_rows[];            /* ISA_OPS of them (isa/ops.h) */

static inline const struct isa_operand *isa_operand(char letter) { return &isa_operands[letter & 127]; }

static inline enum isa_type isa_operand_type(const struct isa_row *row, struct isa_operand_register named) {
  const uint8_t own[ISA_FIELDS] = {TYPE_NONE, row->d, row->a, row->b, row->c};
  return (enum isa_type)(named.type == TYPE_NONE ? own[named.field] : named.type);
}

/* Whether the row has an operand for this letter of its format. ALU formats list a, b and c for all rows. */
static inline bool isa_has_operand(const struct isa_row *row, char letter) {
  const struct isa_operand *operand = isa_operand(letter);
  return operand->role != OPERAND_VALUE || isa_operand_type(row, operand->named[0]) != TYPE_NONE;
}

/* Writes the scoreboard slots that the operand of this letter names. Returns how many. */
unsigned isa_operand_slots(const struct isa_inst *inst, char letter, uint16_t slot[ISA_OPERAND_SLOTS]);

/* The plain load or store of a value with this type in memory. There must be one. */
uint16_t isa_access_op(enum isa_space space, enum isa_access_kind access, enum isa_via via, enum isa_type type);

/* The type in memory of 1, 2, 4, 8 or 16 bytes, and the operations for it. */
enum isa_type isa_memory_type(uint32_t bytes, bool is_signed);
static inline uint16_t isa_load(enum isa_space space, uint32_t bytes) {
  return isa_access_op(space, ISA_ACCESS_LOAD, ISA_VIA_PLAIN, isa_memory_type(bytes, false));
}
static inline uint16_t isa_store(enum isa_space space, uint32_t bytes) {
  return isa_access_op(space, ISA_ACCESS_STORE, ISA_VIA_PLAIN, isa_memory_type(bytes, false));
}

/* The SYNC_* bits of a barrier or fence; 0 for any other operation. */
enum { SYNC_LDS = 1, SYNC_GLOBAL = 2, SYNC_IMAGE = 4 };
unsigned isa_row_sync(unsigned op);

/* Limits that the assembler and the object reader share. */
enum {
  ISA_MOST_INSTRUCTIONS = 1 << 20,
  ISA_MOST_KERNELS = 1 << 12,
  ISA_MOST_ARGS = 1 << 10,
  ISA_MOST_LDS_VARIABLES = 1 << 10,
  ISA_MOST_ARG_BYTES = 1 << 16,
  ISA_MOST_CONSTANT_BYTES = 64 << 20,
  ISA_MOST_VARIABLE_BYTES = 64 << 20,
  ISA_MOST_CHANNEL_BYTES = 256 << 20,
  ISA_MOST_SOURCES = 1 << 16,
  ISA_MOST_LDS_BYTES = 16 << 20,
  ISA_MOST_PRIVATE_BYTES = 256 << 20, /* half of the private aperture, 512 MiB */
  ISA_MOST_GROUP_ITEMS = 1 << 16,
  ISA_LONGEST_NAME = UINT16_MAX, /* generated programs have names of thousands of letters */
};

/* How a copy packs its numbers into imm. */
enum {
  COPY_LDS_SHIFT = 3,
  COPY_COUNT_SHIFT = 27,
  COPY_STRIDE_SHIFT = 48,
  COPY_MOST_LDS = (1 << 24) - 1,
  COPY_MOST_COUNT = (1 << 21) - 1,
  COPY_MOST_STRIDE = (1 << 16) - 1,
};

static inline uint32_t copy_bytes(const struct isa_inst *inst) { return 1u << (inst->imm & 7); }
static inline uint32_t copy_lds(const struct isa_inst *inst) { return inst->imm >> COPY_LDS_SHIFT & COPY_MOST_LDS; }
static inline uint32_t copy_count(const struct isa_inst *inst) {
  return inst->imm >> COPY_COUNT_SHIFT & COPY_MOST_COUNT;
}
static inline uint32_t copy_stride(const struct isa_inst *inst) { return (uint32_t)(inst->imm >> COPY_STRIDE_SHIFT); }

/* The named operands of a copy of lines or planes: the register of operand i is in byte i of imm. */
enum { COPY_NAMED_2D = 4, COPY_NAMED_3D = 7 };
struct isa_copy_operand {
  const char *name, *label; /* in the source; for messages */
  enum copy_field field;
};
extern const struct isa_copy_operand isa_copy_operands[COPY_NAMED_3D];

static inline uint8_t copy_register(const struct isa_inst *inst, unsigned i) { return (uint8_t)(inst->imm >> 8 * i); }

/* Event register number `i` of a wait, or ISA_NO_REGISTER. */
static inline uint8_t wait_register(const struct isa_inst *inst, unsigned i) { return (uint8_t)(inst->imm >> 8 * i); }

/* What a printf descriptor consists of: two strings. */
struct isa_printf {
  const char *types; /* of the arguments (isa/printf.c) */
  const char *format;
};

/* The high half of imm in operations on pipes. */
static inline enum isa_pipe_kind pipe_kind(const struct isa_inst *inst) {
  return (enum isa_pipe_kind)(inst->imm >> 32);
}
static inline uint32_t pipe_size(const struct isa_inst *inst) { return (uint32_t)(inst->imm >> 32); }

/* The number of formats LOGIC and SHIFT. */
static inline uint32_t high_number(const struct isa_inst *inst) { return (uint32_t)(inst->imm >> 32); }

/* Whether the format has a number in the high half of imm. An immediate operand then has only the low 32 bits. */
bool isa_has_high_number(enum isa_format format);

static inline uint32_t printf_descriptor(const struct isa_inst *inst) { return (uint32_t)(inst->imm >> 32); }

/* Finds the descriptor at `offset` of the program's constants. Returns false if there is none, or it is malformed. */
bool isa_find_printf(const struct isa_program *program, uint32_t offset, struct isa_printf *out);

/* Whether `name` can name a kernel, an argument and so on: a word that is not a bare register. */
bool isa_is_name(const char *name, size_t length);

/* The number of r0..r254 or p0..p15, or -1. */
int isa_bare_register(const char *name, size_t length);
int isa_bare_predicate(const char *name, size_t length);

/* The bytes of a value argument's type in assembly: u32, f32x4. A vector of 3 takes the room of 4, as in OpenCL. 0 for
 * any other text. */
uint32_t isa_value_bytes(const char *text, size_t length);

/* Checks everything that the executor relies on: opcodes, operands, registers, branch targets, joins, and that kernels
 * end properly. Fills in program->info and stack_entries. Returns false and sets *error if something is wrong. */
bool isa_validate(struct isa_program *program, struct isa_error *error);

/* An empty program with a file name. */
struct isa_program *isa_program_new(const char *file);

/* Frees what a kernel points to. */
void isa_kernel_free(struct isa_kernel *kernel);

#endif
