/* The form between ir.h and isa_program: instructions of the ISA on virtual registers.
 *
 * A *vreg* is one 32-bit word, one predicate or one word of private memory. Words that an instruction makes together (a
 * pair, a quad) are a *run*: vregs with consecutive numbers, which must get consecutive registers. An operand names the
 * first. If an instruction needs words together that were not made together, they are first copied into a new run; the
 * copy is free where the coalescer finds that both may share registers.
 *
 * Vregs are nearly SSA. Exceptions: a copy at the end of each predecessor writes a phi's result, and a copy in front
 * writes the register of a tied operand (a copy's event, what a guarded load keeps). Copies are parallel, MACHINE_COPY
 * with a list of moves, until all vregs have their places.
 *
 *     select ─► schedule ─► { live ─► coalesce ─► color ─► spill }, until all fits ─► finish
 *
 * Time: instruction number i reads at 2i and writes at 2i + 1. Numbers run through all blocks in `order`; each block
 * has one more number at its end, where its branch reads its condition. */
#ifndef OPENCL_EMIT_MACHINE_H
#define OPENCL_EMIT_MACHINE_H

#include "opencl/ir/ir.h"

enum vreg_kind { VREG_WORD, VREG_PRED, VREG_MEMORY, VREG_KINDS };

enum { RUN_MOST = 8 }; /* words that coalescing may tie together */

struct vreg {
  uint8_t kind;     /* enum vreg_kind */
  uint8_t index;    /* in its run */
  uint8_t words;    /* of the run */
  bool unspillable; /* lives around one instruction: spilling it gains nothing */
  uint32_t same;    /* the vreg that it is a copy of, or itself; copies may share a register while both are live */
  uint32_t remat;   /* 1 + index in machine_function.remat of the instruction that recomputes the run; 0 for none */
};

/* One move of a parallel copy. */
struct machine_move {
  uint32_t to;
  uint32_t from; /* 0: `value` */
  uint32_t value;
  bool undefined; /* any value will do: nothing moves, but `to` becomes live */
};

enum machine_op { MACHINE_COPY = IR_OPS };

struct machine_inst {
  uint16_t op;
  uint8_t flags; /* ISA_FLAG_* */
  bool guard_not;
  bool tied;            /* reads d before it writes it */
  bool fixed;           /* a volatile load: no other access moves across it */
  uint8_t order;        /* as in ir_inst */
  uint32_t guard;       /* predicate vreg or 0 */
  uint32_t d, a, b, c;  /* first vregs of runs, or 0; of a MACHINE_COPY, a and b are words that finish may use */
  uint32_t memory;      /* private words that a spill reads or writes; their address is added to imm at the end */
  uint32_t list, count; /* moves of a copy; events of a wait, stride of a copy, in machine.list */
  uint64_t imm;
  struct ir_place place;
};

struct machine_block {
  struct machine_inst *inst;
  uint32_t count;
  size_t room;
  uint8_t end; /* enum ir_end */
  bool condition_not;
  uint32_t condition; /* vreg */
  uint32_t to[2];
  struct ir_place place;
  uint32_t depth;
  uint32_t first;      /* number of its first instruction, by machine_number() */
  uint32_t from_count; /* number of predecessors, by machine_find_live() */
};

/* When a register is occupied: [start, end). `same` as in struct vreg. */
struct segment {
  uint32_t start, end, same;
};

struct live {
  struct segment *segment; /* sorted, disjoint */
  uint32_t count, room;    /* room 0: the segments are in machine.segment; they move to their own memory to grow */
  uint32_t near;           /* where live_meet_near() last found a conflict */
};

/* Consecutive blocks, by position in machine.order, at whose ends a vreg is live. */
struct span {
  uint32_t first, last;
};

/* A set of runs that get one place. The root's fields hold for all of them. */
struct bundle {
  uint32_t up;      /* first vreg of the next bundle on the way to the root; the root's is its own */
  int32_t offset;   /* from that bundle, in words */
  uint32_t start;   /* when the first of its words becomes live */
  uint32_t alive;   /* for how long, summed over its words */
  bool unspillable; /* see struct vreg */
  bool own;         /* `word` is an array of RUN_MOST of its own; otherwise it points to its run in machine.range */
  uint32_t words;
  struct live *word;
  uint32_t next;  /* next member; circular */
  double cost;    /* of spilling: accesses, weighted by loop depth */
  uint32_t place; /* of word 0: register, predicate, word of memory */
};

struct machine_function {
  struct vreg *vreg; /* vreg[0] is not used */
  uint32_t vregs;
  size_t vreg_room;
  struct machine_block *block;
  uint32_t blocks;
  uint32_t *order, ordered;
  struct machine_move *move;
  uint32_t moves;
  size_t move_room;
  uint32_t *list;
  uint32_t lists;
  size_t list_room;
  struct machine_inst *remat; /* see struct vreg */
  uint32_t remats;
  size_t remat_room;
  uint32_t frame; /* bytes of private variables; spilled words follow */
  uint32_t times; /* number of times, by machine_number() */
  /* Where the vregs below `spanned` are live across blocks, for all rounds: span[span_of[v] .. span_of[v + 1]). */
  struct span *span;
  uint32_t spans, *span_of, spanned;
  size_t span_room;
  /* Of the current round: */
  uint32_t ranged;            /* vregs at that time */
  struct live *range;         /* by vreg, from machine_find_live(); coalescing moves them into bundles */
  struct segment *segment;    /* of all ranges */
  uint32_t least[VREG_KINDS]; /* registers needed at least: the most different values that are live at once */
  struct bundle *bundle;      /* by first vreg of a run */
  /* Bounds and results: */
  uint32_t bound[VREG_KINDS];
  uint32_t used[VREG_KINDS];
  struct live *file[VREG_KINDS]; /* when each register is occupied and by what, from machine_color() */
};

/* ---- construction (machine.c) ---------------------------------------------------------------------- */

struct machine_function *machine_new(uint32_t blocks);
void machine_free(struct machine_function *m);

/* Returns the first of `words` new vregs. */
uint32_t machine_run(struct machine_function *m, enum vreg_kind kind, uint32_t words);
/* Numbers instructions: fills first and times. */
void machine_number(struct machine_function *m);
struct machine_inst *machine_append(struct machine_block *block, const struct machine_inst *inst);
void machine_move(struct machine_function *m, struct machine_inst *copy,
                  struct machine_move move); /* the newest copy only */
uint32_t machine_block_new(struct machine_function *m);

static inline uint32_t machine_head(const struct machine_function *m, uint32_t vreg) {
  return vreg - m->vreg[vreg].index;
}

/* A register operand of an instruction that is not a MACHINE_COPY. */
struct machine_operand {
  uint32_t *vreg;
  uint8_t words;
  bool reads, writes;
};

enum { MACHINE_OPERANDS = 16 };
uint32_t machine_operands(const struct machine_function *m, struct machine_inst *inst,
                          struct machine_operand operand[MACHINE_OPERANDS]);

/* Visits each word and predicate that an instruction reads, unless on_read is NULL, then each that it writes. */
typedef void machine_visit(void *self, uint32_t vreg);
void machine_each(const struct machine_function *m, const struct machine_inst *inst, machine_visit *on_read,
                  machine_visit *on_write, void *self);

/* ---- the steps -------------------------------------------------------------------------------------- */

/* The best order for the blocks (layout.c): ir->ordered numbers, which the caller frees. */
uint32_t *layout_order(const struct ir *ir);

/* Makes the machine form of a kernel (select.c). */
struct machine_function *machine_select(struct ir *ir);

/* Moves loads ahead while pending results take no more than `most` words, and nothing else (ahead.c). Returns whether
 * that changed anything. */
bool machine_load_ahead(struct machine_function *m, uint32_t most);

/* Puts instructions in a better order that uses about schedule_allowed() registers, as many as cost no occupancy
 * (schedule.c). `was` are the instructions in their original order, by number. */
struct schedule *schedule_new(struct machine_function *m, const struct machine_inst *was);
uint32_t schedule_allowed(const struct schedule *s);
/* Reschedules, with less[b] fewer registers in block b. Blocks already scheduled with that number stay. Returns whether
 * any instruction is not at its original position. */
bool schedule_again(struct schedule *s, const uint32_t *less);
void schedule_free(struct schedule *s);

/* When each vreg lives (live.c). */
void machine_find_live(struct machine_function *m);
void live_free(struct machine_function *m);
void live_forget(struct live *live);
/* How many vregs of a kind are live at each of the m->times times; the caller frees the array. If `distinct`, copies of
 * other vregs do not count. */
uint32_t *live_pressure(const struct machine_function *m, enum vreg_kind kind, bool distinct, uint32_t *most);
bool live_meet(const struct live *a, const struct live *b); /* are both live at once, with different values? */
/* The same for a long list `a` that is queried in roughly ascending order. */
bool live_meet_near(struct live *a, const struct live *b);
void live_merge(struct live *into, const struct live *from);

/* Joins runs into bundles of at most `most` words (coalesce.c). */
void machine_coalesce(struct machine_function *m, uint32_t most);
struct bundle *bundle_of(const struct machine_function *m, uint32_t vreg, uint32_t *offset);

/* Assigns places to all bundles of a kind (color.c). Returns 0 if all fit; otherwise, if `may_spill`, how many must be
 * spilled: their `place` is UINT32_MAX. */
uint32_t machine_color(struct machine_function *m, enum vreg_kind kind, bool may_spill);
uint32_t machine_place(const struct machine_function *m, uint32_t vreg);
/* A register that is free at instruction `number`, or UINT32_MAX. */
uint32_t machine_idle(const struct machine_function *m, enum vreg_kind kind, uint32_t number);

/* Moves bundles without a place to memory or words, with short-lived vregs at each use (spill.c). Returns whether that
 * changed anything. */
bool machine_spill(struct machine_function *m, enum vreg_kind kind);

/* Writes the code, with joins, into an empty program (finish.c). */
void machine_finish(struct machine_function *m, struct isa_program *program);

#endif
