/* What the files that build kernels share among themselves; the rest of the folder sees build.h.
 *
 * Ids are unique in a module and no function is active twice (recursion is refused), so one table for all ids holds
 * the values of every function that is being inlined: entering a function forgets what it held last time. */
#ifndef OPENCL_LOWER_BUILD_CORE_H
#define OPENCL_LOWER_BUILD_CORE_H

#include "opencl/lower/build.h"

enum {
  CORE_MOST_WORK = 1 << 20,   /* SPIR-V instructions inlined, and instructions made, in a kernel */
  CORE_MOST_DEPTH = 128,      /* of calls */
  CORE_NULL_ROOM = 16,        /* where null pointers exist, no object lies below this offset: in memory null is 0 */
  CORE_NULL_OFFSET = 3 << 28, /* null, as an offset that is at hand */
};

/* A branch from one SPIR-V block to another, as it came out: one branch may be several. */
struct core_edge {
  uint32_t from, to; /* labels */
  uint32_t block;    /* of the ir, that ends in it */
};

struct core_return {
  uint32_t block;
  const ir_ref *part; /* NULL: no value */
  struct ir_place place;
};

/* A function that is being inlined. */
struct core_frame {
  const struct spirv_function *function;
  const struct core_frame *caller;
  const struct spirv_inst *call; /* in the caller, NULL for the entry point */
  uint32_t label;                /* of the block being lowered */
  uint32_t *start;               /* the ir block of each SPIR-V block */
  struct core_edge *edge;
  uint32_t edges, edge_room;
  struct core_return *back;
  uint32_t backs, back_room;
};

/* Where a pointer parameter, a value, a variable may point to: bits 1 << space, and BUILD_MAYBE_NULL. */
enum {
  IN_GLOBAL = 1 << SPACE_GLOBAL,
  IN_LOCAL = 1 << SPACE_LOCAL,
  IN_PRIVATE = 1 << SPACE_PRIVATE,
  IN_TABLE = 1 << SPACE_TABLE,
  IN_SPACES = IN_GLOBAL | IN_LOCAL | IN_PRIVATE | IN_TABLE,
  IN_NULL = BUILD_MAYBE_NULL,
};

/* A function's blocks in reverse post-order: definitions come before uses, phis apart. */
struct core_plan {
  uint32_t *order; /* of block numbers; NULL: not made yet */
  uint32_t count;
  bool active;
};

/* A large private variable: free for another call when the one that had it is over. */
struct core_spare {
  uint32_t slot, bytes, align;
  uint32_t depth; /* of the call that has it, 0: free */
};

/* By id and by function: made once for the module, since kernels are built one after the other. `part` and `lds` are
 * empty between two of them; the others are set before they are read. */
struct core_ids {
  ir_ref **part;          /* per id: its parts, NULL: none yet */
  uint8_t *spaces;        /* per id of a pointer: where it may point to */
  uint8_t *cell;          /* per id of a private variable that holds one pointer: where that may point to */
  bool *is_cell;          /* per id: such a variable, and nothing but loads and stores use it */
  uint32_t *block_of;     /* per label: the number of its block in its function */
  uint64_t *lds;          /* per id of a Workgroup variable: 1 + its offset */
  struct core_plan *plan; /* per function */
  uint32_t plans;
  bool *is_listed;  /* per id: is it in: */
  uint32_t *listed; /* the ids that this kernel has given parts */
  uint32_t count;
};

struct core_chunk;

struct build_core {
  const struct spirv_entry *entry;
  struct core_chunk *chunk; /* of the memory for parts */
  struct core_ids ids;
  struct core_frame *frame;
  struct core_spare *spare;
  uint32_t spares, spare_room;
  uint32_t depth, work;
  uint8_t exists;     /* spaces that generic pointers of this kernel can point to */
  bool has_nulls;     /* the module has null pointers into the LDS or private memory, perhaps */
  uint32_t inferring; /* depth of calls that spaces.c looks through */
  uint64_t looked;    /* instructions that it has looked at */
};

/* ---- values.c ------------------------------------------------------------------------------------ */

ir_ref *core_room(struct build *b, uint64_t count); /* lives as long as the kernel is built */
ir_ref *core_set(struct build *b, uint32_t id, ir_ref *part);
void core_room_free(struct build *b);
enum ir_width core_width(const struct spirv_type *type); /* of a scalar, event or pointer by its storage */
/* The widths of all parts of a type, in order; false after build_fail(). */
bool core_widths(struct build *b, const struct spirv_type *type, uint8_t *width);
/* All parts of a type set to undefined or zero. */
bool core_undefined(struct build *b, const struct spirv_type *type, ir_ref *part);
bool core_zero(struct build *b, const struct spirv_type *type, ir_ref *part);
bool core_part_count(struct build *b, const struct spirv_type *type, uint32_t *count);
/* Says that an instruction's operands do not fit; returns false. */
bool core_misfit(struct build *b, const struct spirv_inst *inst);

/* What kernels ask of the whole module, once for all of them; and where they note things by id. */
void core_look(const struct spirv *module, struct build_tables *tables);
void core_open(const struct spirv *module, struct build_tables *tables);
void core_close(struct build_tables *tables);

/* ---- channel.c ----------------------------------------------------------------------------------- */

/* The module's channels are found first, and placed when variable_bytes are known; false with *error. */
void channels_find(const struct spirv *module, struct build_tables *tables);
bool channels_place(const struct spirv *module, struct build_tables *tables, struct isa_error *error);
/* The address of the pipe that a pointer to a channel stands for, and what its packets are. */
ir_ref channel_pipe(struct build *b, uint32_t id, uint32_t *bytes, uint32_t *align);
/* Whether a pointer is one to a channel, which is no memory; says so. */
bool channel_is_memory(struct build *b, uint32_t id);
/* Says of an autorun kernel that it is one; false if it cannot be. */
bool channel_autorun(struct build *b, const struct spirv_entry *entry);

/* ---- pointers.c ---------------------------------------------------------------------------------- */

enum build_space core_space(const struct spirv_type *pointer, uint8_t spaces);
ir_ref core_convert(struct build *b, struct build_pointer pointer, enum build_space space);
bool core_same_shape(const struct spirv_type *left, const struct spirv_type *right);
bool core_define_pointer(struct build *b, uint32_t id, struct build_pointer pointer);
/* The null pointer of a type, at hand. */
ir_ref core_null(struct build *b, const struct spirv_type *pointer);
/* A pointer as values in memory and in structs have it, by its type's storage alone, and back. */
ir_ref core_plain(struct build *b, uint32_t id);
struct build_pointer core_from_plain(struct build *b, const struct spirv_type *pointer, ir_ref part,
                                     uint8_t spaces /* where it may point to; 0: wherever its type allows */);
/* All that comes out of memory may be null; null is not yet as pointers at hand have it. */
struct build_pointer core_maybe_plain(const struct spirv_type *pointer, ir_ref part);
bool lower_pointer(struct build *b, const struct spirv_inst *inst);
bool lower_semantics(struct build *b, const struct spirv_inst *inst);
bool lower_chain(struct build *b, const struct spirv_inst *inst);
bool lower_pointer_compare(struct build *b, const struct spirv_inst *inst);
bool core_is_pointer(struct build *b, uint32_t id);

/* ---- spaces.c ------------------------------------------------------------------------------------ */

/* Finds where the pointers of a function may point to, from what is known of its parameters. */
void core_infer(struct build *b, const struct spirv_function *function);
uint8_t core_spaces(struct build *b, uint32_t id);
/* Is the result of the opcode a pointer into what its first operand points into? */
bool core_stays_in(uint32_t opcode);

/* ---- memory.c, copies.c -------------------------------------------------------------------------- */

/* Where an access goes: every space that is possible, and an offset to all addresses. */
struct core_access {
  struct build_place place[4];
  unsigned places; /* 0: the argument block */
  uint64_t offset;
  uint32_t align; /* of the address without the offset that a load or store adds */
};
struct core_access core_access(struct build *b, struct build_pointer pointer, uint32_t align);
/* 1, 2, 4, 8 or 16 bytes, aligned; narrow ones zero-extended. */
ir_ref core_load_bytes(struct build *b, const struct core_access *access, uint64_t offset, uint32_t bytes);
void core_store_bytes(struct build *b, const struct core_access *access, uint64_t offset, uint32_t bytes, ir_ref value);
void core_load(struct build *b, const struct core_access *access, const struct spirv_type *type, ir_ref *part);
/* A known number of bytes, without a loop if that is short. */
void core_copy_access(struct build *b, const struct core_access *to, const struct core_access *from, uint64_t bytes);
bool lower_load(struct build *b, const struct spirv_inst *inst);
bool lower_store(struct build *b, const struct spirv_inst *inst);
bool lower_copy_memory(struct build *b, const struct spirv_inst *inst);
bool lower_variable(struct build *b, const struct spirv_inst *inst);
void core_copy(struct build *b, struct build_pointer to, struct build_pointer from, uint64_t bytes, uint32_t align);
struct build_pointer core_slot(struct build *b, uint64_t bytes, uint32_t align);

/* ---- calls.c, flow.c ----------------------------------------------------------------------------- */

/* Inlines a function whose parameters are defined; its result, if it has one, is defined by the call. */
bool core_inline(struct build *b, const struct spirv_function *function, const struct spirv_inst *call);
bool lower_call(struct build *b, const struct spirv_inst *inst);
const uint32_t *core_order(struct build *b, const struct spirv_function *function, uint32_t *count);
bool lower_flow(struct build *b, const struct spirv_inst *inst);
bool lower_switch(struct build *b, const struct spirv_inst *inst);
bool core_phis(struct build *b, const struct spirv_block *block);
bool core_fill_phis(struct build *b);
void core_branch(struct build *b, uint32_t label);
void core_branch_if(struct build *b, ir_ref predicate, uint32_t yes, uint32_t no);
uint32_t core_target(struct build *b, uint32_t label);
void core_edge(struct build *b, uint32_t label);

/* ---- the rest ------------------------------------------------------------------------------------ */

bool core_lower(struct build *b, const struct spirv_inst *inst);
bool core_arguments(struct build *b, const struct spirv_function *function);
bool lower_arithmetic(struct build *b, const struct spirv_inst *inst);
bool core_has_row(uint16_t op); /* is it a row of arithmetic.def? */
bool lower_integer(struct build *b, const struct spirv_inst *inst);
bool lower_float(struct build *b, const struct spirv_inst *inst);
bool lower_composite(struct build *b, const struct spirv_inst *inst);
bool lower_select(struct build *b, const struct spirv_inst *inst);
bool lower_bitcast(struct build *b, const struct spirv_inst *inst); /* also from and to pointers */
bool lower_copy_object(struct build *b, const struct spirv_inst *inst);
bool lower_dynamic(struct build *b, const struct spirv_inst *inst);

#endif
