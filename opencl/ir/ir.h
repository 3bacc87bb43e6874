/* The compiler's own form of a kernel: scalar SSA over the operations of the ISA.
 *
 *     SPIR-V module ──build──► ir ──promote, simplify, narrow, ...──► ir ──emit──► isa_program
 *
 * A kernel is a graph of blocks; calls are inlined, vectors and structs are taken apart, so that a value is what
 * one register, pair, quad or predicate holds. An instruction is a row of isa/ops.def or one of the few below
 * that the ISA has no need of. What an instruction means is what the row says: the folder of constants runs the
 * executor's own code.
 *
 * Operands stand by position: operand 0, 1, 2 are what isa_inst calls a, b, c; 0 (no ref) where the row has none
 * or the instruction leaves it out (the index of a global address). Any operand may be an IR_CONST: which of them
 * becomes an immediate, and which needs a register, is emit's business. `imm` is the constant offset of memory
 * operations, the axis of queries, the offset of ld.arg and printf. Further positions:
 *
 *     copies   0 LDS side, 1 global side, 2 element count, 3 stride or 0, 4 the event that goes in;
 *              imm is the element's size in bytes; the result is the event that comes out
 *     2D, 3D   3 element size, 5 lines, 6 and 7 from line to line on the global side and in the LDS;
 *              8 planes, 9 and 10 from plane to plane
 *     wait     0 to 7, the events; 8 how many of them (wait.first)
 *     IR_PHI   pairs: the number of a predecessor block, the value that comes from it
 *     guarded  the value that lanes keep whose guard does not hold is `keep`, 0 when nobody cares
 *
 * Integers narrower than 32 bits have none of their own types here: they are 32-bit values whose upper bits mean
 * nothing, and whoever needs them clean applies ISA_EXT_*. Halves are 32-bit values whose upper bits are zero.
 * Pointers are numbers: 64 bits into global memory and for generic and constant pointers, 32 bits (an offset)
 * into the LDS and private memory. See isa/isa.h for the apertures of generic pointers.
 *
 * The invariant: every use is dominated by its definition (a phi's operand: at the end of its block), in each
 * lane's own path. Lanes of a warp take different paths; a transformation is legal if it is for each lane alone
 * and leaves operations that look at other lanes (ir_is_convergent) under the same conditions as before.
 *
 * Not here: register pressure, instruction order inside a block beyond data and memory dependence. */
#ifndef OPENCL_IR_IR_H
#define OPENCL_IR_IR_H

#include "isa/isa.h"
#include "isa/rows.h"
#include "opencl/ir/target.h"

typedef uint32_t ir_ref; /* number of an instruction; 0 is none */

/* What a result takes. */
enum ir_width { IR_NOTHING, IR_PRED, IR_W1, IR_W2, IR_W4 };

enum ir_op {
  IR_CONST = ISA_OPS, /* imm, of any width but IR_W4 */
  IR_UNDEF,           /* any value will do */
  IR_PHI,
  IR_WORD, /* 32-bit word number imm of operand 0, a pair or quad */
  IR_JOIN, /* a pair or quad of its 2 or 4 operands, words, low first; operands may be 0: any value */
  IR_SLOT, /* the private address of variable number imm of ir.slot, plus nothing */
  IR_COPY, /* of operand 0; only emit makes them */
  IR_OPS
};

/* Positions of operands that are no row's a, b or c; see above. */
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

/* Where in the source: sources are numbered as in isa_program. Line 0 is unknown, and so is column 0. */
struct ir_place {
  uint32_t line;
  uint16_t source, column;
};

/* The program is wrong if the exact result does not fit. Whoever changes an operation or its operands to others that
 * are not equal takes these away. */
enum { IR_NO_WRAP_SIGNED = 1, IR_NO_WRAP_UNSIGNED = 2 };

struct ir_inst {
  uint16_t op;       /* enum isa_op or enum ir_op */
  uint8_t width;     /* enum ir_width of the result */
  bool guard_not;    /* the guard is the complement of `guard` */
  bool is_volatile;  /* a load that is never left out and never taken for another */
  uint8_t no_wrap;   /* IR_NO_WRAP_*: of sums, differences and products */
  ir_ref guard;      /* a predicate; 0: always. Only on memory operations and IR_COPY */
  ir_ref keep;       /* see above */
  uint32_t operands; /* where in ir.operand */
  uint32_t count;    /* of operands */
  uint64_t imm;
  struct ir_place place;
  uint32_t block; /* that holds it; IR_NOWHERE for constants, undef and what was removed */
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
  bool own_inst, own_from; /* `inst` and `from` are of its own; else they lie in ir.list and ir.from */
  uint8_t end;             /* enum ir_end */
  ir_ref condition;
  uint32_t to[2];
  struct ir_place place; /* of the end */
  uint32_t
      copies; /* of a loop's header: as many copies of the body are asked for; 1: it stays as it is; 0: nobody asks */
  uint32_t *from; /* predecessors, each once, by ir_analyse() */
  uint32_t from_count;
  uint32_t dominator;    /* immediate, by ir_analyse(); block 0's is itself */
  uint32_t loop;         /* innermost loop's header, IR_NOWHERE outside, by ir_analyse(); a header's is itself */
  uint32_t outer;        /* of a loop's header: the header of the loop around it, or IR_NOWHERE, by ir_analyse() */
  uint32_t depth;        /* of loops, by ir_analyse() */
  uint32_t order;        /* in ir.order, IR_NOWHERE when unreachable, by ir_analyse() */
  uint32_t enter, leave; /* numbers of the dominator tree, by ir_analyse(), for ir_dominates() */
};

/* Where a block leads; IR_NOWHERE where it does not. */
struct ir_ways {
  uint32_t to[2];
};

/* A number for each value or block that a pass notes for a while: value[i] is set where stamp[i] is now. */
struct ir_room {
  uint32_t *value, *stamp, room, now;
};

/* A private variable. */
struct ir_slot {
  uint32_t bytes, align;
  bool gone; /* promoted: needs no room */
};

struct ir {
  struct ir_inst *inst; /* inst[0] is not used */
  uint32_t count, room;
  ir_ref *operand;
  uint32_t operand_count, operand_room;
  struct ir_block *block; /* block[0] is the entry and has no predecessor */
  uint32_t blocks, block_room;
  /* Lists of blocks, one behind the other, so that a walk over all of them is fast: those of instructions as far as
   * they have not grown since ir_compact(), those of predecessors as ir_analyse() made them. */
  ir_ref *list;
  uint32_t *from, from_room;
  uint32_t *order; /* reachable blocks in reverse post-order, the blocks of a loop together, by ir_analyse() */
  uint32_t ordered;
  bool simple;           /* pass_simplify() would change nothing, and nothing has changed since it was asked */
  struct ir_ways *known; /* of each block, when ir_analyse() last looked: the same again needs no work */
  uint32_t known_blocks;
  struct ir_room turn, copy, copy_block; /* of passes/ir_loop.c */
  struct ir_slot *slot;
  uint32_t slots, slot_room;
  ir_ref *shared; /* constants and undef, a hash table */
  uint32_t shared_count, shared_room;
  /* The kernel around it, as isa_kernel has it. */
  char *name;
  struct isa_arg *args;
  size_t arg_count;
  uint32_t arg_bytes, lds_bytes, scratch, scratch_bytes, required_local[3], autorun[3];
  struct isa_lds_variable *lds;
  uint32_t *lds_align; /* of each, what the source says */
  size_t lds_count;
  uint32_t null_room; /* private variables begin here: null is 0, and points to none of them */
  struct opencl_target target;
  struct ir_log *log; /* log.h; NULL: nobody asks what passes do */
};

struct ir *ir_new(const char *name);
void ir_free(struct ir *ir);

/* ---- making -------------------------------------------------------------------------------------- */

uint32_t ir_block_new(struct ir *ir);
uint32_t ir_slot_new(struct ir *ir, uint32_t bytes, uint32_t align);

/* Constants are shared: the same bits and width are the same ref. */
ir_ref ir_const(struct ir *ir, enum ir_width width, uint64_t bits);
ir_ref ir_undef(struct ir *ir, enum ir_width width);

/* A new instruction that is in no block yet; operands are copied. */
ir_ref ir_make(struct ir *ir, uint16_t op, enum ir_width width, const ir_ref *operand, uint32_t count, uint64_t imm,
               struct ir_place place);

/* Puts `ref` at the end of `block`, or in front of position `at`. */
void ir_append(struct ir *ir, uint32_t block, ir_ref ref);
/* Room for `count` instructions in a block's list. */
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

/* ---- asking -------------------------------------------------------------------------------------- */

/* How the row of an operation reads operand `position`: TYPE_NONE where there is none. Addresses are TYPE_U64 or
 * TYPE_U32, indices and LDS sides TYPE_U32. Of phis, words, joins and copies: not asked here. */
enum isa_type ir_operand_type(enum isa_op op, uint32_t position);

static inline ir_ref ir_operand(const struct ir *ir, ir_ref ref, uint32_t position) {
  const struct ir_inst *inst = &ir->inst[ref];
  return position < inst->count ? ir->operand[inst->operands + position] : 0;
}

/* May be removed when unused, repeated, and moved to where its operands are known: arithmetic, queries, loads
 * of arguments and constants. Never a guarded instruction. */
bool ir_is_pure(const struct ir *ir, ir_ref ref);

/* May be removed when nobody uses its result: all of the above, loads (not atomics), lane operations. */
bool ir_is_removable(const struct ir *ir, ir_ref ref);

/* Is to stay though nobody uses its result: what may not be removed, and what is to be checked: an access that no value
 * needs may lie out of bounds, or race, all the same. */
bool ir_is_kept(const struct ir *ir, ir_ref ref);

/* Depends on which other lanes run it: lane operations, barriers, copies, waits. */
bool ir_is_convergent(const struct ir *ir, ir_ref ref);

static inline bool ir_is_const(const struct ir *ir, ir_ref ref) { return ref && ir->inst[ref].op == IR_CONST; }

/* ---- changing ------------------------------------------------------------------------------------ */

/* Uses of `old` in operands, guards, keeps and conditions become uses of its replacement, for all pairs at once:
 * with[old] is the new ref or 0, followed through chains. `with` has ir->count entries. */
void ir_replace(struct ir *ir, const ir_ref *with);

/* Takes instructions out of their blocks that have become IR_NOWHERE. */
void ir_sweep(struct ir *ir);

/* Fills from, dominator, loop, depth, order; drops phi operands that come from no predecessor. Again after each
 * change of the graph. Loops are natural ones; cycles with two entries are no loops here, and stay as they are. */
void ir_analyse(struct ir *ir);
/* One more predecessor, until ir_analyse() finds it. */
void ir_from_add(struct ir *ir, uint32_t block, uint32_t from);
bool ir_dominates(const struct ir *ir, uint32_t above, uint32_t below);
/* Is the block in the loop of `header`, or in one within it? */
bool ir_in_loop(const struct ir *ir, uint32_t block, uint32_t header);

/* Takes out of the arrays what is in no reachable block, but for constants, and puts lists in the order of blocks.
 * Everything that stays gets another number, and keeps its place among the others: whoever goes by numbers decides as
 * before. Analysed, as ir_analyse() does. */
void ir_compact(struct ir *ir);

/* ---- looking ------------------------------------------------------------------------------------- */

/* As text, for people and tests; the caller frees. */
char *ir_text(const struct ir *ir);

/* What is wrong with the form, in `text`, or NULL: widths of operands against rows, dominance, phis that do not fit the
 * predecessors, positions. Tests and debug builds run it after each pass. */
enum { IR_FAULT = 160 };
const char *ir_fault(struct ir *ir, char text[IR_FAULT]);

#endif
