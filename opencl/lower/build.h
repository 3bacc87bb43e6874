/* From SPIR-V to IR (ir.h): one kernel with all calls inlined.
 *
 * Every SPIR-V value is an array of *parts*, one ref per scalar: an int has 1, a float4 has 4, a struct as many as it
 * has scalars. The width of a part: IR_PRED for bool; IR_W1 for 8-, 16- and 32-bit integers, float, half, events, and
 * pointers to LDS and private memory; IR_W2 for 64-bit integers, double, and pointers to global, constant and generic
 * memory.
 *
 * A pointer's *space* is where it really points, as far as that is known. A private array passed to a helper as a
 * generic pointer is still PRIVATE inside the inlined helper (32-bit offset), and loads from it are private loads. Only
 * a pointer whose space is unknown is SPACE_GENERIC; its loads access each possible space under a guard.
 *
 * dispatch.c selects the file that lowers an instruction. All of them share struct build; build_core.h declares what
 * belongs to which file. */
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
  uint8_t maybe; /* SPACE_GENERIC: a bit 1 << space for each possible space, and BUILD_MAYBE_NULL; 0: unknown */
};
enum { BUILD_MAYBE_NULL = 1 << SPACE_GENERIC };

/* One of the spaces that a pointer may point to: the access happens there under the guard (0: always), see
 * build_spaces(). */
struct build_place {
  enum build_space space; /* never SPACE_GENERIC */
  ir_ref address;         /* as that space represents it; for SPACE_TABLE the 32-bit offset in the table */
  ir_ref guard;
  bool guard_not;
};

/* Constant table, program-scope variables and channels of the whole module, laid out once (tables.c). */
struct build_tables {
  uint8_t *constants, *variables;
  size_t constant_bytes, variable_bytes;
  struct isa_channel *channels;
  size_t channel_count;
  uint32_t *channel_of; /* by id of a module-scope variable: its channel's number, from 1; otherwise 0 */
  uint64_t *address;    /* by id of a module-scope variable: offset in the table, global address; otherwise 0 */
  bool has_nulls;       /* the module may have null pointers to the LDS or private memory */
  uint8_t spaces;       /* what a generic pointer of any kernel may point to, one bit each */
  struct core_ids *ids; /* this and struct build_core are private to opencl/lower */
};

struct build_core;

struct build {
  const struct spirv *module;
  struct build_tables *tables;
  struct ir *ir;
  uint32_t block;        /* where instructions are added */
  struct ir_place place; /* their source line */
  struct isa_error *error;
  bool failed; /* *error is filled and stays so; callers may continue or stop */
  struct build_core *core;
  bool copy_loops;      /* asynchronous copies become loops of accesses */
  uint32_t collectives; /* 1 + offset of the LDS scratch of the kernel's collectives; 0: not allocated yet */
};

/* Reports what is wrong at the current place; only the first call counts. Returns false. */
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
                    ir_ref no); /* any width up to a pair, including predicates */

/* ---- control flow within an expansion ------------------------------------------------------------- */

uint32_t build_block(struct build *b);         /* a new, empty block */
void build_goto(struct build *b, uint32_t to); /* ends b->block */
void build_if(struct build *b, ir_ref predicate, uint32_t yes, uint32_t no);
void build_enter(struct build *b, uint32_t block); /* b->block = block */
/* Variables for loops: private slots, which the promote pass turns into phis. */
uint32_t build_variable(struct build *b, enum ir_width width); /* a slot */
ir_ref build_get(struct build *b, uint32_t slot, enum ir_width width);
void build_set(struct build *b, uint32_t slot, ir_ref value);

/* ---- SPIR-V values -------------------------------------------------------------------------------- */

/* An id's parts in the function being inlined, type->parts of them; NULL after build_fail(). */
const ir_ref *build_parts(struct build *b, uint32_t id);
/* The part of a value that has one. */
ir_ref build_value(struct build *b, uint32_t id);
/* Room for an instruction's result, which the caller fills. */
ir_ref *build_define(struct build *b, uint32_t id);

const struct spirv_type *build_type(struct build *b, uint32_t id); /* a value's type; a type id's type is itself */
/* The type of a scalar or of a vector's components; NULL for other types. */
const struct spirv_type *build_scalar(struct build *b, const struct spirv_type *type);
static inline uint32_t build_components(const struct spirv_type *type) {
  return type->kind == SPIRV_VECTOR ? type->count : 1;
}

/* Cleans a narrow integer's upper bits: sign- or zero-extends 8 or 16 bits; returns wider values unchanged. */
ir_ref build_extended(struct build *b, ir_ref value, unsigned bits, bool is_signed);

/* ---- memory --------------------------------------------------------------------------------------- */

struct build_pointer build_pointer(struct build *b, uint32_t id);
struct build_pointer build_offset(struct build *b, struct build_pointer pointer, uint64_t bytes);
/* Adds a 64-bit index of elements of `size` bytes. */
struct build_pointer build_index(struct build *b, struct build_pointer pointer, ir_ref index64, uint64_t size);
/* As a 64-bit generic address; null is 0. */
ir_ref build_generic(struct build *b, struct build_pointer pointer);

/* Every space that the pointer may point to in this kernel, in places[0 .. result - 1]; a single one has no guard. An
 * access is one instruction per place, under the place's guard (ir_inst.guard); ir_inst.keep chains the results. */
unsigned build_spaces(struct build *b, struct build_pointer pointer, struct build_place places[4]);

/* Loads or stores all parts of a value of `type`; `align` is the address's known alignment in bytes. */
void build_load(struct build *b, struct build_pointer pointer, const struct spirv_type *type, uint32_t align,
                ir_ref *parts);
/* Makes loads volatile, from instruction number `first` on. */
void build_volatile(struct build *b, uint32_t first);
void build_store(struct build *b, struct build_pointer pointer, const struct spirv_type *type, uint32_t align,
                 const ir_ref *parts);

/* Converts parts of 8, 16, 32 or 64 bits to 32-bit words, low first, and back; (count * bits + 31) / 32 words. Narrow
 * parts need not have clean upper bits. If `half`, the 16-bit parts returned do. */
void build_to_words(struct build *b, const ir_ref *part, uint32_t count, unsigned bits, ir_ref *word);
void build_from_words(struct build *b, const ir_ref *word, uint32_t count, unsigned bits, bool half, ir_ref *part);

/* Allocates scratch in the LDS for the kernel, once; returns its offset. */
uint32_t build_scratch(struct build *b, uint32_t bytes, uint32_t align);

/* ---- instruction families; each lowers `inst` and returns false after build_fail() ----------------- */

bool build_std(struct build *b, const struct spirv_inst *inst); /* OpExtInst of OpenCL.std */
bool build_convert(struct build *b,
                   const struct spirv_inst *inst); /* OpConvert*, Op[SUF]Convert, OpQuantize, OpSatConvert* */
bool build_atomic(struct build *b, const struct spirv_inst *inst);
bool build_group(struct build *b, const struct spirv_inst *inst); /* barriers, OpGroup*, sub-groups */
bool build_pipe(struct build *b, const struct spirv_inst *inst);  /* opcodes 274 to 288 */
bool build_image(struct build *b, const struct spirv_inst *inst); /* opcodes 86 to 107 */
bool build_dot(struct build *b, const struct spirv_inst *inst);   /* opcodes 4450 to 4455 */
bool build_compare_exchange_call(struct build *b, const struct spirv_inst *inst, const char *name);
bool build_arm_dot_call(struct build *b, const struct spirv_inst *inst, const char *name);
/* Whether the kernel starts with each launch of the program's other kernels. */
bool build_is_autorun(const struct spirv *module, uint32_t entry);
bool build_channel_call(struct build *b, const struct spirv_inst *inst, const char *name);
bool build_dot_call(struct build *b, const struct spirv_inst *inst, const char *name); /* `name` as in import.c */
bool build_printf(struct build *b, const struct spirv_inst *inst);
/* Loads a built-in Input variable: `parts` of its type. */
bool build_builtin(struct build *b, unsigned builtin, const struct spirv_type *type, ir_ref *parts);
/* The value beyond the end of a vector that was loaded from a built-in variable, for calls like get_local_size(5): 1
 * for sizes, 0 for others. Returns 0 (no ref) for any other vector. */
ir_ref build_beyond(struct build *b, uint32_t vector);
/* Lowers a call of an imported function (asynchronous 2D copies and others) by its name. */
bool build_import(struct build *b, const struct spirv_inst *inst, const char *name);

/* Lays out constants and variables of the module. */
bool build_tables(const struct spirv *module, struct build_tables *tables, struct isa_error *error);
void build_tables_free(struct build_tables *tables);

/* Builds the IR of entry number `entry` for the target; returns NULL with *error filled. `copy_loops`: asynchronous
 * copies become loops of accesses. */
struct ir *build_kernel(const struct spirv *module, uint32_t entry, struct build_tables *tables,
                        const struct opencl_target *target, bool copy_loops, struct isa_error *error);

#endif
