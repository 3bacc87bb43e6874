/* Shared by the reader's files: spirv.c (shape of the file), spirv_names.c (names, decorations, entry points, sources),
 * spirv_types.c, spirv_constants.c, spirv_functions.c, spirv_uses.c, spirv_flow.c.
 *
 * The reader passes over the words four times, in order and with constant work per word, so that time is linear in the
 * file's length. The passes read the shape (lengths, operands, ids below the bound), then names, then module scope and
 * functions, then what functions name. The last needs a pass of its own because blocks come in any order, so a
 * definition may follow its use. */
#ifndef OPENCL_SPIRV_SPIRV_READER_H
#define OPENCL_SPIRV_SPIRV_READER_H

#include "opencl/spirv/spirv.h"

struct reader {
  struct spirv *module;
  struct isa_error *error;
  uint32_t at;      /* word number of the current instruction */
  size_t text_used; /* bytes used in module->text */
  uint32_t numbers_used;
  /* Indexed by id: */
  uint32_t *owner;      /* number of the function that defines a value, + 1 */
  uint32_t *work;       /* constants: visits needed to write the bytes; strings: number of the source, + 1 */
  uint32_t *local_size; /* word number of a function's execution mode LocalSize */
  uint32_t *size_hint;  /* the same for LocalSizeHint */
  uint32_t *decorated;  /* word number of its last OpDecorate; 0: none, or the id is a decoration group */
  uint64_t total_work;  /* of all initializers */
};

enum {
  READER_HEADER_WORDS = 5,
  READER_MOST_BYTES = 64 << 20,
  READER_MOST_BOUND = 4194303, /* the specification's limit */
  READER_MOST_WORK = 1 << 26,  /* scalars of initializers; sharing parts lets a small file demand endlessly many */
  READER_MOST_SOURCES = 65535, /* limit of ir_place.source */
};

struct spirv_op_row {
  const char *name, *operands;
};
/* The opcode's row; NULL: spirv_ops.def does not list it. */
const struct spirv_op_row *spirv_op_row(uint32_t op);

/* Is the last operand of an instruction of OpenCL.std a literal instead of an id? */
bool spirv_ends_in_number(uint32_t instruction);

/* Reports "file: word 123 (OpLoad): what is wrong" about the current instruction; returns false. */
__attribute__((format(printf, 2, 3))) bool reader_fail(struct reader *r, const char *format, ...);

/* Word number `position` of the current instruction; position 0 holds length and opcode. */
static inline uint32_t reader_word(const struct reader *r, uint32_t position) {
  return r->module->words[r->at + position];
}
static inline uint32_t reader_words(const struct reader *r) { return reader_word(r, 0) >> 16; }
static inline uint16_t reader_op(const struct reader *r) { return (uint16_t)reader_word(r, 0); }

/* The string at word `position` of the current instruction, with control characters replaced; the module owns it. */
const char *reader_string(struct reader *r, uint32_t position);

/* Room for `count` numbers with the module's lifetime. */
uint32_t *reader_numbers(struct reader *r, uint32_t count);

/* Makes id `id` the result of the current instruction. */
bool reader_define(struct reader *r, uint32_t id, enum spirv_kind kind, uint32_t type, uint32_t index);

/* Adds the current instruction to module->inst; returns its index. */
uint32_t reader_keep(struct reader *r, struct ir_place place);

/* The type at word `position`; NULL after reader_fail(). */
const struct spirv_type *reader_type(struct reader *r, uint32_t position);

/* Read the current instruction, by family; false after reader_fail(). */
bool reader_name(struct reader *r);    /* spirv_names.c: everything that precedes types */
bool reader_entries(struct reader *r); /* spirv_names.c: entry points, once functions are known */
/* spirv_names.c: whether all decorated ids are defined, once definitions are read */
bool reader_check_decorations(struct reader *r);
bool reader_line(struct reader *r, struct ir_place *place);
void reader_sources_done(struct reader *r);
bool reader_is_type(uint16_t op);
bool reader_read_type(struct reader *r); /* spirv_types.c */
bool reader_types_done(struct reader *r);
bool reader_is_constant(uint16_t op);
bool reader_read_constant(struct reader *r); /* spirv_constants.c */
bool reader_read_variable(struct reader *r);
bool reader_read_function(struct reader *r); /* spirv_functions.c: moves r->at from OpFunction past its end */
void reader_functions_done(struct reader *r);
bool reader_check_values(struct reader *r); /* spirv_uses.c: what instructions in functions name */
bool reader_check_flow(struct reader *r);   /* spirv_flow.c: branches and phis; after reader_check_values() */

/* Whether `id` is a label of function number `function`. */
static inline bool reader_is_label(const struct reader *r, uint32_t id, uint32_t function) {
  const struct spirv *module = r->module;
  return module->id[id].kind == SPIRV_VALUE && r->owner[id] == function + 1 &&
         module->inst[module->id[id].index].op == OpLabel;
}

/* Whether this extended instruction can be skipped: debug information, non-semantic, or an instruction without a result
 * of a set other than OpenCL.std. */
bool reader_skips_extended(const struct reader *r);

#endif
