/* Shared by the files that build kernels; the rest of the folder includes build.h.
 *
 * Ids are unique in a module and no function is active twice (recursion is refused), so one table by id holds the
 * values of all functions being inlined. Entering a function clears what its ids held the last time. */
#ifndef OPENCL_LOWER_BUILD_CORE_H
#define OPENCL_LOWER_BUILD_CORE_H

#include "opencl/lower/build.h"

enum {
  CORE_MOST_WORK = 1 << 20,   /* limit per kernel, for SPIR-V instructions inlined and for instructions created */
  CORE_MOST_DEPTH = 128,      /* of calls */
  CORE_NULL_ROOM = 16,        /* if null pointers exist, no object is below this offset, because null is 0 in memory */
  CORE_NULL_OFFSET = 3 << 28, /* null as an offset in a register */
};

/* An edge from one SPIR-V block to another as it was lowered; one branch may become several. */
struct core_edge {
  uint32_t from, to; /* labels */
  uint32_t block;    /* the IR block that ends in it */
};

struct core_return {
  uint32_t block;
  const ir_ref *part; /* NULL: no value */
  struct ir_place place;
};

/* A function being inlined. */
struct core_frame {
  const struct spirv_function *function;
  const struct core_frame *caller;
  const struct spirv_inst *call; /* in the caller, NULL for the entry point */
  uint32_t label;                /* of the block being lowered */
  uint32_t *start;               /* the IR block of each SPIR-V block */
  struct core_edge *edge;
  uint32_t edges;
  struct core_return *back;
  uint32_t backs;
  size_t edge_room, back_room;
};

/* Where a pointer may point: bits 1 << space, and BUILD_MAYBE_NULL. */
enum {
  IN_GLOBAL = 1 << SPACE_GLOBAL,
  IN_LOCAL = 1 << SPACE_LOCAL,
  IN_PRIVATE = 1 << SPACE_PRIVATE,
  IN_TABLE = 1 << SPACE_TABLE,
  IN_SPACES = IN_GLOBAL | IN_LOCAL | IN_PRIVATE | IN_TABLE,
  IN_NULL = BUILD_MAYBE_NULL,
};

/* A function's blocks in reverse post-order: definitions come before uses, except in phis. */
struct core_plan {
  uint32_t *order; /* block numbers; NULL: not computed yet */
  uint32_t count;
  bool active;
};

/* A large private variable, which another call can reuse once the call that has it returns. */
struct core_spare {
  uint32_t slot, bytes, align;
  uint32_t depth; /* of the call that uses it; 0: free */
};

/* Tables by id and by function. They are allocated once for the module, because kernels are built one after another.
 * Between kernels `part` and `lds` are empty; the others are written before they are read. */
struct core_ids {
  ir_ref **part;          /* by id: its parts; NULL: none yet */
  uint8_t *spaces;        /* by pointer id: where it may point */
  uint8_t *cell;          /* by id of a private variable that holds one pointer: where that pointer may point */
  bool *is_cell;          /* by id: such a variable, which only loads and stores use */
  uint32_t *block_of;     /* by label: its block's number in its function */
  uint64_t *lds;          /* by id of a Workgroup variable: 1 + its offset */
  struct core_plan *plan; /* by function */
  uint32_t plans;
  bool *is_listed;  /* by id: whether it is in `listed` */
  uint32_t *listed; /* the ids that have parts in this kernel */
  uint32_t count;
};

struct core_chunk;

struct build_core {
  const struct spirv_entry *entry;
  struct core_chunk *chunk; /* memory for parts */
  struct core_ids ids;
  struct core_frame *frame;
  struct core_spare *spare;
  uint32_t spares;
  size_t spare_room;
  uint32_t depth, work;
  uint8_t exists;     /* spaces that this kernel's generic pointers can point to */
  bool has_nulls;     /* the module may have null pointers to the LDS or private memory */
  uint32_t inferring; /* depth of calls that spaces.c is examining */
  uint64_t looked;    /* instructions that spaces.c has examined */
};

/* ---- values.c ------------------------------------------------------------------------------------ */

ir_ref *core_room(struct build *b, uint64_t count); /* valid while the kernel is being built */
ir_ref *core_set(struct build *b, uint32_t id, ir_ref *part);
void core_room_free(struct build *b);
enum ir_width core_width(const struct spirv_type *type); /* of a scalar, event or pointer, by its storage */
/* The widths of a type's parts, in order; false after build_fail(). */
bool core_widths(struct build *b, const struct spirv_type *type, uint8_t *width);
/* Sets all parts of a type to undefined or zero. */
bool core_undefined(struct build *b, const struct spirv_type *type, ir_ref *part);
bool core_zero(struct build *b, const struct spirv_type *type, ir_ref *part);
bool core_part_count(struct build *b, const struct spirv_type *type, uint32_t *count);
/* An integer's low word, of narrow ones zero-extended; fails with the message if it is not an integer. */
ir_ref core_word(struct build *b, uint32_t id, const char *wrong);
/* Reports that an instruction's operands do not fit; returns false. */
bool core_misfit(struct build *b, const struct spirv_inst *inst);

/* core_look() finds what kernels need to know about the whole module, once for all; core_open() allocates the tables by
 * id. */
void core_look(const struct spirv *module, struct build_tables *tables);
void core_open(const struct spirv *module, struct build_tables *tables);
void core_close(struct build_tables *tables);

/* ---- channel.c ----------------------------------------------------------------------------------- */

/* Channels are found first and placed once variable_bytes is known; false with *error filled. */
void channels_find(const struct spirv *module, struct build_tables *tables);
bool channels_place(const struct spirv *module, struct build_tables *tables, struct isa_error *error);
/* The address of the pipe that a pointer to a channel stands for, and its packets' size and alignment. */
ir_ref channel_pipe(struct build *b, uint32_t id, uint32_t *bytes, uint32_t *align);
/* Whether a pointer points to memory; reports a pointer to a channel, which is not memory. */
bool channel_is_memory(struct build *b, uint32_t id);
/* Sets ir.autorun for an autorun kernel; false if it cannot be autorun. */
bool channel_autorun(struct build *b, const struct spirv_entry *entry);

/* ---- pointers.c ---------------------------------------------------------------------------------- */

enum build_space core_space(const struct spirv_type *pointer, uint8_t spaces);
ir_ref core_convert(struct build *b, struct build_pointer pointer, enum build_space space);
bool core_same_shape(const struct spirv_type *left, const struct spirv_type *right);
bool core_define_pointer(struct build *b, uint32_t id, struct build_pointer pointer);
/* A type's null pointer, as a register holds it. */
ir_ref core_null(struct build *b, const struct spirv_type *pointer);
/* Converts a pointer to the form that memory and structs hold, which depends only on its type's storage, and back. */
ir_ref core_plain(struct build *b, uint32_t id);
struct build_pointer core_from_plain(struct build *b, const struct spirv_type *pointer, ir_ref part,
                                     uint8_t spaces /* where it may point; 0: anywhere that its type allows */);
/* A pointer from memory. It may be null, and null is still in the form that memory holds. */
struct build_pointer core_maybe_plain(const struct spirv_type *pointer, ir_ref part);
bool lower_pointer(struct build *b, const struct spirv_inst *inst);
bool lower_semantics(struct build *b, const struct spirv_inst *inst);
bool lower_chain(struct build *b, const struct spirv_inst *inst);
bool lower_pointer_compare(struct build *b, const struct spirv_inst *inst);
bool core_is_pointer(struct build *b, uint32_t id);

/* ---- spaces.c ------------------------------------------------------------------------------------ */

/* Finds where a function's pointers may point, given what is known about its parameters. */
void core_infer(struct build *b, const struct spirv_function *function);
uint8_t core_spaces(struct build *b, uint32_t id);
/* Whether the opcode's result points into the same object as its first operand. */
bool core_stays_in(uint32_t opcode);

/* ---- memory.c, copies.c -------------------------------------------------------------------------- */

/* The places of an access: every possible space, and an offset that applies to all addresses. */
struct core_access {
  struct build_place place[4];
  unsigned places; /* 0: the argument block */
  uint64_t offset;
  uint32_t align; /* of the address before a load or store adds `offset` */
};
struct core_access core_access(struct build *b, struct build_pointer pointer, uint32_t align);
/* 1, 2, 4, 8 or 16 bytes, aligned; narrow ones zero-extended. */
ir_ref core_load_bytes(struct build *b, const struct core_access *access, uint64_t offset, uint32_t bytes);
void core_store_bytes(struct build *b, const struct core_access *access, uint64_t offset, uint32_t bytes, ir_ref value);
void core_load(struct build *b, const struct core_access *access, const struct spirv_type *type, ir_ref *part);
/* Copies a constant number of bytes, without a loop if they are few. */
void core_copy_access(struct build *b, const struct core_access *to, const struct core_access *from, uint64_t bytes);
bool lower_load(struct build *b, const struct spirv_inst *inst);
bool lower_store(struct build *b, const struct spirv_inst *inst);
bool lower_copy_memory(struct build *b, const struct spirv_inst *inst);
bool lower_variable(struct build *b, const struct spirv_inst *inst);
void core_copy(struct build *b, struct build_pointer to, struct build_pointer from, uint64_t bytes, uint32_t align);
struct build_pointer core_slot(struct build *b, uint64_t bytes, uint32_t align);

/* ---- calls.c, flow.c ----------------------------------------------------------------------------- */

/* Inlines a function whose parameters are defined, and defines the call's result if there is one. */
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

/* ---- other files --------------------------------------------------------------------------------- */

bool core_lower(struct build *b, const struct spirv_inst *inst);
bool core_arguments(struct build *b, const struct spirv_function *function);
bool lower_arithmetic(struct build *b, const struct spirv_inst *inst);
bool core_has_row(uint16_t op); /* whether it is a row of arithmetic.def */
bool lower_modulo(struct build *b, const struct spirv_inst *inst);
bool lower_bits(struct build *b, const struct spirv_inst *inst);
bool lower_two_results(struct build *b, const struct spirv_inst *inst);
bool lower_bit_field(struct build *b, const struct spirv_inst *inst);
bool lower_remainder(struct build *b, const struct spirv_inst *inst);
bool lower_float_test(struct build *b, const struct spirv_inst *inst);
bool lower_scaled(struct build *b, const struct spirv_inst *inst);
bool lower_dot(struct build *b, const struct spirv_inst *inst);
bool lower_any_all(struct build *b, const struct spirv_inst *inst);
bool lower_logical_equal(struct build *b, const struct spirv_inst *inst);
bool lower_composite_extract(struct build *b, const struct spirv_inst *inst);
bool lower_composite_insert(struct build *b, const struct spirv_inst *inst);
bool lower_composite_construct(struct build *b, const struct spirv_inst *inst);
bool lower_vector_shuffle(struct build *b, const struct spirv_inst *inst);
bool lower_select(struct build *b, const struct spirv_inst *inst);
bool lower_bitcast(struct build *b, const struct spirv_inst *inst); /* including from and to pointers */
bool lower_copy_object(struct build *b, const struct spirv_inst *inst);
bool lower_extract_dynamic(struct build *b, const struct spirv_inst *inst);
bool lower_insert_dynamic(struct build *b, const struct spirv_inst *inst);

#endif
