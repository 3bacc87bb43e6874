/* From SPIR-V to ir.h: one kernel with all calls inlined.
 *
 * Every SPIR-V value is a row of *parts*, one ref per scalar: an int is 1, a float4 is 4, a struct as many as its
 * scalars have. Part kinds: bool IR_PRED; 8, 16 and 32-bit ints, float, half IR_W1; 64-bit ints, double, pointers to
 * global, constant and generic memory IR_W2; pointers to LDS and private memory IR_W1; events IR_W1.
 *
 * A pointer's *space* is where it really points, as far as can be seen: a private array passed to a helper as a generic
 * pointer is still PRIVATE inside the inlined helper (32-bit offset), and loads from it are private loads. Only where
 * that cannot be seen is it SPACE_GENERIC, and a load tries each space under a guard.
 *
 * The parts of this folder that lower instructions share struct build: build.c (functions, blocks, arithmetic,
 * composites), memory.c (pointers, loads, stores, copies of memory), std.c (OpenCL.std), convert.c, atomic.c, group.c
 * (barriers, async copies, collectives, sub-groups, built-in variables), printf.c. */
#ifndef OPENCL_LOWER_BUILD_H
#define OPENCL_LOWER_BUILD_H

#include "opencl/ir/ir.h"
#include "opencl/spirv/spirv.h"

enum build_space {
  SPACE_GLOBAL,  /* 64-bit address */
  SPACE_LOCAL,   /* 32-bit offset in the LDS */
  SPACE_PRIVATE, /* 32-bit offset in private memory */
  SPACE_TABLE,   /* 64 bits: ISA_CONSTANT_APERTURE + offset in the program's constant table */
  SPACE_GENERIC, /* 64 bits: any of them, by aperture */
};

struct build_pointer {
  enum build_space space;
  ir_ref address;
  uint8_t maybe; /* SPACE_GENERIC: a bit 1 << space for each that it may point to, and BUILD_MAYBE_NULL; 0: unknown */
};
enum { BUILD_MAYBE_NULL = 1 << SPACE_GENERIC };

/* One of the spaces that a pointer may point to: do it there under the guard (0: always), see build_spaces(). */
struct build_place {
  enum build_space space; /* never SPACE_GENERIC */
  ir_ref address;         /* as that space has it; for SPACE_TABLE the 32-bit offset in the table */
  ir_ref guard;
  bool guard_not;
};

/* Constant table, program-scope variables and channels of the whole module: laid out once (tables.c). */
struct build_tables {
  uint8_t *constants, *variables;
  size_t constant_bytes, variable_bytes;
  struct isa_channel *channels;
  size_t channel_count;
  uint32_t *channel_of; /* per id of a module-scope variable: the number of its channel, from 1; else 0 */
  uint64_t *address;    /* per id of a module-scope variable: offset in the table, global address; else 0 */
  bool has_nulls;       /* the module has null pointers into the LDS or private memory, perhaps */
  uint8_t spaces;       /* what a generic pointer of any of its kernels may point to, a bit each */
  struct core_ids *ids; /* this and struct build_core are for opencl/lower alone */
};

struct build_core;

struct build {
  const struct spirv *module;
  struct build_tables *tables;
  struct ir *ir;
  uint32_t block;        /* where instructions go */
  struct ir_place place; /* their source line */
  struct isa_error *error;
  bool failed; /* *error is filled; go on or stop, it stays */
  struct build_core *core;
  bool copy_loops;      /* asynchronous copies are loops of accesses */
  uint32_t collectives; /* 1 + offset of the LDS scratch of the kernel's collectives; 0: it has none yet */
};

/* Says what is wrong at the current place, once; returns false. */
__attribute__((format(printf, 2, 3))) bool build_fail(struct build *b, const char *format, ...);

/* ---- instructions -------------------------------------------------------------------------------- */

ir_ref build_32(struct build *b, uint32_t value);
ir_ref build_64(struct build *b, uint64_t value);
ir_ref build_pred(struct build *b, bool value);

/* An operation of the ISA on up to three operands (0: none). */
ir_ref build_op(struct build *b, enum isa_op op, ir_ref a, ir_ref x, ir_ref c);
ir_ref build_query(struct build *b, enum isa_op op, unsigned axis);
ir_ref build_word(struct build *b, ir_ref pair, unsigned word); /* 32 bits of a pair or quad */
ir_ref build_pair(struct build *b, ir_ref low, ir_ref high);
ir_ref build_select(struct build *b, ir_ref predicate, ir_ref yes,
                    ir_ref no); /* any width up to a pair, predicates too */

/* ---- control flow inside an expansion ------------------------------------------------------------- */

uint32_t build_block(struct build *b);         /* a new block, nothing in it */
void build_goto(struct build *b, uint32_t to); /* ends b->block */
void build_if(struct build *b, ir_ref predicate, uint32_t yes, uint32_t no);
void build_enter(struct build *b, uint32_t block); /* b->block = block */
/* Variables for loops: private slots, which promotion turns into phis. */
uint32_t build_variable(struct build *b, enum ir_width width); /* a slot */
ir_ref build_get(struct build *b, uint32_t slot, enum ir_width width);
void build_set(struct build *b, uint32_t slot, ir_ref value);

/* ---- SPIR-V values -------------------------------------------------------------------------------- */

/* The parts of an id in the function being inlined, type->parts of them; NULL after build_fail(). */
const ir_ref *build_parts(struct build *b, uint32_t id);
/* One-part values. */
ir_ref build_value(struct build *b, uint32_t id);
/* Room for the result of an instruction, to be filled. */
ir_ref *build_define(struct build *b, uint32_t id);

const struct spirv_type *build_type(struct build *b, uint32_t id); /* of a value; its own for a type id */
/* The scalar type of a scalar's or vector's components; NULL otherwise. */
const struct spirv_type *build_scalar(struct build *b, const struct spirv_type *type);
static inline uint32_t build_components(const struct spirv_type *type) {
  return type->kind == SPIRV_VECTOR ? type->count : 1;
}

/* A narrow integer with clean upper bits: bits 8 or 16 extended, as signed or not; others as they are. */
ir_ref build_extended(struct build *b, ir_ref value, unsigned bits, bool is_signed);

/* ---- memory --------------------------------------------------------------------------------------- */

struct build_pointer build_pointer(struct build *b, uint32_t id);
struct build_pointer build_offset(struct build *b, struct build_pointer pointer, uint64_t bytes);
/* index in elements of `size` bytes; a 64-bit index. */
struct build_pointer build_index(struct build *b, struct build_pointer pointer, ir_ref index64, uint64_t size);
/* As a 64-bit generic number, null as 0. */
ir_ref build_generic(struct build *b, struct build_pointer pointer);

/* Every space that the pointer may point to in this kernel, in places[0 .. result - 1]: one without a guard when
 * that is known. An access through it is an instruction per place, under the place's guard (ir_inst.guard); the
 * results are chained through ir_inst.keep. */
unsigned build_spaces(struct build *b, struct build_pointer pointer, struct build_place places[4]);

/* All parts of a value of `type` from or to memory; `align` is what is known of the address, bytes. */
void build_load(struct build *b, struct build_pointer pointer, const struct spirv_type *type, uint32_t align,
                ir_ref *parts);
/* Loads among the instructions from number `first` on are volatile. */
void build_volatile(struct build *b, uint32_t first);
void build_store(struct build *b, struct build_pointer pointer, const struct spirv_type *type, uint32_t align,
                 const ir_ref *parts);

/* The parts of 8, 16, 32 or 64 bits each as 32-bit words, low first, and back; (count * bits + 31) / 32 words.
 * Narrow parts need not be clean; parts of 16 bits come back clean when `half`. */
void build_to_words(struct build *b, const ir_ref *part, uint32_t count, unsigned bits, ir_ref *word);
void build_from_words(struct build *b, const ir_ref *word, uint32_t count, unsigned bits, bool half, ir_ref *part);

/* The kernel's scratch in the LDS, once: its offset. */
uint32_t build_scratch(struct build *b, uint32_t bytes, uint32_t align);

/* ---- instruction families; each lowers `inst` and returns false after build_fail() ----------------- */

bool build_std(struct build *b, const struct spirv_inst *inst); /* OpExtInst of OpenCL.std */
bool build_convert(struct build *b,
                   const struct spirv_inst *inst); /* OpConvert*, Op[SUF]Convert, OpQuantize, OpSatConvert* */
bool build_atomic(struct build *b, const struct spirv_inst *inst);
bool build_group(struct build *b, const struct spirv_inst *inst); /* barriers, OpGroup*, sub-groups */
bool build_pipe(struct build *b, const struct spirv_inst *inst);  /* 274 to 288 */
bool build_image(struct build *b, const struct spirv_inst *inst); /* 86 to 107 */
bool build_dot(struct build *b, const struct spirv_inst *inst);   /* 4450 to 4455 */
bool build_compare_exchange_call(struct build *b, const struct spirv_inst *inst, const char *name);
bool build_arm_dot_call(struct build *b, const struct spirv_inst *inst, const char *name);
/* Whether the kernel runs along with the program's others. */
bool build_is_autorun(const struct spirv *module, uint32_t entry);
bool build_channel_call(struct build *b, const struct spirv_inst *inst, const char *name);
bool build_dot_call(struct build *b, const struct spirv_inst *inst, const char *name); /* as import.c has them */
bool build_printf(struct build *b, const struct spirv_inst *inst);
/* A load of a built-in Input variable: `parts` of its type. */
bool build_builtin(struct build *b, unsigned builtin, const struct spirv_type *type, ir_ref *parts);
/* What a vector has beyond its end if it was loaded from a built-in variable: get_local_size(5) and the like look
 * there. Sizes are 1, all else 0. 0 (no ref) for any other value. */
ir_ref build_beyond(struct build *b, uint32_t vector);
/* A call of an imported function (async 2D copies and the like): by name. */
bool build_import(struct build *b, const struct spirv_inst *inst, const char *name);

/* Lays out constants and variables of the module. */
bool build_tables(const struct spirv *module, struct build_tables *tables, struct isa_error *error);
void build_tables_free(struct build_tables *tables);

/* The ir of entry number `entry`; NULL with *error filled. `copy_loops`: asynchronous copies are loops of accesses. */
struct ir *build_kernel(const struct spirv *module, uint32_t entry, struct build_tables *tables, bool copy_loops,
                        struct isa_error *error);

#endif
