/* The compiler's intermediate representation (IR) of a kernel: scalar SSA over the operations of the ISA.
 *
 *     SPIR-V module ──build──► ir ──promote, simplify, narrow, ...──► ir ──emit──► isa_program
 *
 * A kernel is a graph of blocks. Calls are inlined, and vectors and structs are split, so a value fits one register,
 * pair, quad or predicate. An instruction is a row of isa/ops.def or one of the few operations below that the ISA does
 * not need. The row defines its meaning: constant folding runs the executor's own code.
 *
 * Operands are positional: operands 0, 1, 2 are a, b, c of isa_inst. An operand is 0 (no ref) if the row has none or
 * the instruction omits it, like the index of a global address. Any operand may be an IR_CONST: emit decides which
 * constant becomes an immediate and which needs a register. `imm` is the constant offset of memory operations, the axis
 * of queries, and the offset of ld.arg and printf. Other positions:
 *
 *     copies   0 LDS address, 1 global address, 2 element count, 3 stride or 0, 4 the input event;
 *              imm is the element's size in bytes; the result is the output event
 *     2D, 3D   3 element size, 5 lines, 6 and 7 from line to line on the global side and in the LDS;
 *              8 planes, 9 and 10 from plane to plane
 *     wait     0 to 7 the events; 8 how many of them (wait.first)
 *     IR_PHI   pairs: a predecessor block's number, the value that comes from it
 *     guarded  lanes whose guard is false keep the value `keep`; 0: any value
 *
 * Integers narrower than 32 bits have no type here. They are 32-bit values with undefined upper bits; an operation that
 * needs clean upper bits applies ISA_EXT_* first. Halves are 32-bit values whose upper bits are zero. Pointers are
 * numbers: 64 bits for global, constant and generic memory, 32 bits (an offset) for the LDS and private memory.
 * isa/isa.h describes the apertures of generic pointers.
 *
 * Invariant: a definition dominates each of its uses (for a phi's operand: the end of the predecessor), in each lane's
 * own path. Lanes of a warp take different paths. A transformation is legal if it is legal for each lane alone and
 * keeps operations that involve other lanes (ir_is_convergent) under the same conditions.
 *
 * Not modeled: register pressure, and instruction order within a block beyond data and memory dependences. */
#ifndef OPENCL_IR_IR_H
#define OPENCL_IR_IR_H

#include "isa/isa.h"
#include "isa/ops.h"
#include "isa/rows.h"
#include "opencl/ir/place.h"
#include "opencl/ir/target.h"
#include "sim/base/map.h"

typedef uint32_t ir_ref; /* an instruction's number; 0: none */

/* What a result occupies. */
enum ir_width { IR_NOTHING, IR_PRED, IR_W1, IR_W2, IR_W4 };

enum ir_op {
  IR_CONST = ISA_OPS, /* imm, of any width but IR_W4 */
  IR_UNDEF,           /* any value */
  IR_PHI,
  IR_WORD, /* 32-bit word number imm of operand 0, a pair or quad */
  IR_JOIN, /* a pair or quad of its 2 or 4 operands, words, low first; an operand may be 0: any value */
  IR_SLOT, /* the private address of ir.slot[imm] */
  IR_COPY, /* of operand 0; only emit creates them */
  IR_OPS
};

/* Operand positions that are not the row's a, b or c; see above. */
enum {
  IR_COPY_LDS,
  IR_COPY_GLOBAL,
  IR_COPY_ELEMENTS,
  IR_COPY_STRIDE,
  IR_COPY_SIZE = IR_COPY_STRIDE,
  IR_COPY_EVENT,
  IR_COPY_LINES,
  IR_COPY_GLOBAL_LINE,
  IR_COPY_LDS_LINE,
  IR_COPY_PLANES,
  IR_COPY_GLOBAL_PLANE,
  IR_COPY_LDS_PLANE,
  IR_MOST_OPERANDS,
  IR_WAIT_COUNT = ISA_WAIT_EVENTS,
};

/* The program is undefined if the exact result does not fit. A pass that replaces an operation or its operands with
 * unequal ones clears these flags. */
enum { IR_NO_WRAP_SIGNED = 1, IR_NO_WRAP_UNSIGNED = 2 };

struct ir_inst {
  uint16_t op;       /* enum isa_op or enum ir_op */
  uint8_t width;     /* enum ir_width of the result */
  bool guard_not;    /* the guard is the complement of `guard` */
  bool is_volatile;  /* a load that is never removed or merged with another */
  uint8_t no_wrap;   /* IR_NO_WRAP_*: for sums, differences and products */
  uint8_t order;     /* ISA_ORDERS_*: of atomics, fences and barriers */
  ir_ref guard;      /* a predicate; 0: always. Only on memory operations and IR_COPY */
  ir_ref keep;       /* see above */
  uint32_t operands; /* index of the first one in ir.operand */
  uint32_t count;    /* of operands */
  uint64_t imm;
  struct ir_place place;
  uint32_t block; /* the block that holds it; IR_NOWHERE for constants, undef and removed instructions */
};

#define IR_NOWHERE UINT32_MAX

enum ir_end {
  IR_END_OPEN, /* under construction */
  IR_END_GOTO, /* to[0] */
  IR_END_IF,   /* condition ? to[0] : to[1]; to[0] != to[1] */
  IR_END_EXIT,
};

struct ir_block {
  ir_ref *inst; /* phis first */
  uint32_t count, room;
  bool own_inst, own_from; /* the block owns `inst` and `from`; otherwise they are in ir.list and ir.from */
  uint8_t end;             /* enum ir_end */
  ir_ref condition;
  uint32_t to[2];
  struct ir_place place; /* of the terminator */
  uint32_t copies; /* for a loop header: copies of the body that the source requests; 1: do not unroll; 0: no request */
  uint32_t *from;  /* predecessors, each once, by ir_analyze() */
  uint32_t from_count;
  uint32_t dominator; /* immediate, by ir_analyze(); block 0 is its own */
  uint32_t loop;      /* header of the innermost loop; IR_NOWHERE: in no loop; by ir_analyze(). A header's is itself */
  uint32_t outer;     /* for a loop header: the header of the enclosing loop, or IR_NOWHERE, by ir_analyze() */
  uint32_t depth;     /* loop nesting, by ir_analyze() */
  uint32_t order;     /* index in ir.order, IR_NOWHERE if unreachable, by ir_analyze() */
  uint32_t enter, leave; /* numbers in the dominator tree, by ir_analyze(), for ir_dominates() */
};

/* A block's successors; IR_NOWHERE: none. */
struct ir_ways {
  uint32_t to[2];
};

/* A pass's temporary number for each value or block: at[i].value is set if at[i].stamp == now. */
struct ir_room {
  struct {
    uint32_t value, stamp;
  } * at;
  size_t room;
  uint32_t now;
};

/* A private variable. */
struct ir_slot {
  uint32_t bytes, align;
  bool gone; /* promoted: needs no memory */
};

struct ir {
  struct ir_inst *inst; /* inst[0] is not used */
  uint32_t count;
  size_t room;
  ir_ref *operand;
  uint32_t operand_count;
  size_t operand_room;
  struct ir_block *block; /* block[0] is the entry and has no predecessor */
  uint32_t blocks;
  size_t block_room;
  /* Lists of all blocks, one after another, so that a walk over all of them is fast: instruction lists that have not
   * grown since ir_compact(), and predecessor lists as ir_analyze() made them. */
  ir_ref *list;
  uint32_t *from, from_room;
  uint32_t *order; /* reachable blocks in reverse post-order, the blocks of a loop together, by ir_analyze() */
  uint32_t ordered;
  bool simple;           /* nothing has changed since pass_simplify() found nothing more to do */
  struct ir_ways *known; /* of each block, at the last ir_analyze(): if they are unchanged, the next one does nothing */
  uint32_t known_blocks;
  struct ir_room turn, copy, copy_block; /* used by passes/ir_loop.c */
  struct ir_slot *slot;
  uint32_t slots;
  size_t slot_room;
  struct map shared; /* constants and undef */
  /* The kernel's interface, as in isa_kernel. */
  char *name;
  struct isa_arg *args;
  size_t arg_count;
  uint32_t arg_bytes, lds_bytes, scratch, scratch_bytes, required_local[3], autorun[3];
  struct isa_lds_variable *lds;
  uint32_t *lds_align; /* alignment of each variable, as the source gives it */
  size_t lds_count;
  uint32_t null_room; /* private variables begin at this offset, so that none is at 0, the null pointer */
  struct opencl_target target;
  struct ir_log *log; /* log.h; NULL: passes log nothing */
};

struct ir *ir_new(const char *name);
void ir_free(struct ir *ir);

/* ---- construction -------------------------------------------------------------------------------- */

uint32_t ir_block_new(struct ir *ir);
uint32_t ir_slot_new(struct ir *ir, uint32_t bytes, uint32_t align);

/* Constants are shared: equal bits and width give the same ref. */
ir_ref ir_const(struct ir *ir, enum ir_width width, uint64_t bits);
ir_ref ir_undef(struct ir *ir, enum ir_width width);

/* Creates an instruction that is in no block yet; copies the operands. */
ir_ref ir_make(struct ir *ir, uint16_t op, enum ir_width width, const ir_ref *operand, uint32_t count, uint64_t imm,
               struct ir_place place);

/* Inserts `ref` at the end of `block`. */
void ir_append(struct ir *ir, uint32_t block, ir_ref ref);
/* Ensures room for `count` instructions in a block's list. */
void ir_make_room(struct ir *ir, uint32_t block, uint32_t count);
void ir_free_lists(struct ir_block *block);
void ir_insert(struct ir *ir, uint32_t block, uint32_t at, ir_ref ref);

/* The width of the result of an operation of the ISA. */
enum ir_width ir_width_of(enum isa_op op);

void ir_goto(struct ir *ir, uint32_t block, uint32_t to, struct ir_place place);
void ir_if(struct ir *ir, uint32_t block, ir_ref condition, uint32_t yes, uint32_t no, struct ir_place place);
void ir_exit(struct ir *ir, uint32_t block, struct ir_place place);

/* Adds a (block, value) pair to a phi. */
void ir_phi_add(struct ir *ir, ir_ref phi, uint32_t from, ir_ref value);

/* ---- queries ------------------------------------------------------------------------------------- */

/* How the operation's row reads operand `position`; TYPE_NONE: no such operand. Addresses are TYPE_U64 or TYPE_U32,
 * indices and LDS addresses TYPE_U32. Only for operations of the ISA, not for those of enum ir_op. */
enum isa_type ir_operand_type(enum isa_op op, uint32_t position);

/* The row of an operation; for those of enum ir_op, one that accesses nothing. */
static inline const struct isa_row *ir_row(const struct ir *ir, ir_ref ref) {
  const uint16_t op = ir->inst[ref].op;
  return &isa_rows[op < ISA_OPS ? op : ISA_MOV_32];
}

static inline ir_ref ir_operand(const struct ir *ir, ir_ref ref, uint32_t position) {
  const struct ir_inst *inst = &ir->inst[ref];
  return position < inst->count ? ir->operand[inst->operands + position] : 0;
}

/* May be removed if unused, merged with an equal instruction, and moved to any place where its operands are available:
 * arithmetic, queries, loads of arguments and constants. Never a guarded instruction. */
bool ir_is_pure(const struct ir *ir, ir_ref ref);

/* May be removed if its result is unused: everything above, loads (not atomics), lane operations. */
bool ir_is_removable(const struct ir *ir, ir_ref ref);

/* Must stay even if its result is unused: what may not be removed, and, when hazards are checked, every load from the
 * LDS, global memory or an image, because it may be out of bounds or race. */
bool ir_is_kept(const struct ir *ir, ir_ref ref);

/* Depends on which other lanes execute it: lane operations, barriers, copies, waits. */
bool ir_is_convergent(const struct ir *ir, ir_ref ref);

static inline bool ir_is_const(const struct ir *ir, ir_ref ref) { return ref && ir->inst[ref].op == IR_CONST; }

/* ---- changes ------------------------------------------------------------------------------------- */

/* Replaces all uses in operands, guards, keeps and conditions at once: with[old] is the new ref, or 0 to leave `old`
 * alone. Chains of replacements are followed. `with` has ir->count entries. */
void ir_replace(struct ir *ir, const ir_ref *with);

/* Removes instructions whose block has become IR_NOWHERE from the blocks' lists. */
void ir_sweep(struct ir *ir);

/* Fills from, dominator, loop, depth, order, and drops phi operands that come from no predecessor. Call it again after
 * each change of the graph. Only natural loops count: a cycle with two entries is no loop, and passes leave it as it
 * is. */
void ir_analyze(struct ir *ir);
/* Adds a predecessor, until the next ir_analyze() finds it by itself. */
void ir_from_add(struct ir *ir, uint32_t block, uint32_t from);
bool ir_dominates(const struct ir *ir, uint32_t above, uint32_t below);
/* Whether the block is in the loop of `header` or in a loop nested in it. */
bool ir_in_loop(const struct ir *ir, uint32_t block, uint32_t header);

/* Removes everything that is in no reachable block, except constants, from the arrays, and sorts lists in block order.
 * What remains is renumbered but keeps its relative order, so that passes that compare numbers decide as before. The
 * result is analyzed, as after ir_analyze(). */
void ir_compact(struct ir *ir);

/* ---- inspection ---------------------------------------------------------------------------------- */

/* The IR as text, for people and tests; the caller frees it. */
char *ir_text(const struct ir *ir);

/* The first violation of the IR's rules, in `text`; NULL: none. Checks operand widths against rows, dominance, phis
 * against predecessors, positions. Tests and debug builds run it after each pass. */
enum { IR_FAULT = 160 };
const char *ir_fault(struct ir *ir, char text[IR_FAULT]);

#endif
