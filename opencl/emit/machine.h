/* The form between ir.h and isa_program: instructions of the ISA on virtual registers.
 *
 * A *vreg* is one 32-bit word, one predicate or one word of private memory. Words that an instruction makes
 * together (a pair, a quad) are a *run*: vregs with consecutive numbers, which must get consecutive registers;
 * an operand names the first. Words that an instruction wants together without having been made so are copied
 * into a run of their own first; that copy costs nothing where the coalescer finds that both may share
 * registers.
 *
 * Vregs are nearly SSA: the result of a phi is written by a copy at the end of each predecessor, and the register
 * of a tied operand (a copy's event, what a guarded load keeps) by a copy in front. Copies are parallel, MACHINE_COPY
 * with a list of moves, until all vregs have their places.
 *
 *     select ─► schedule ─► { live ─► coalesce ─► colour ─► spill }, until all fits ─► finish
 *
 * Time: instruction number i reads at 2i and writes at 2i + 1; blocks are numbered through in `order`, each with one
 * more number at its end, where its branch reads its condition. */
#ifndef OPENCL_EMIT_MACHINE_H
#define OPENCL_EMIT_MACHINE_H

#include "opencl/ir/ir.h"

enum vreg_kind { VREG_WORD, VREG_PRED, VREG_MEMORY, VREG_KINDS };

enum { RUN_MOST = 8 }; /* words that may be tied together by coalescing */

struct vreg {
  uint8_t kind;   /* enum vreg_kind */
  uint8_t index;  /* in its run */
  uint8_t words;  /* of the run */
  bool brief;     /* lives around one instruction: gains nothing by spilling */
  uint32_t same;  /* the vreg that it is a copy of, or itself: they may share a register while both live */
  uint32_t again; /* 1 + number of the instruction in machine.again that makes the run anew; 0: there is none */
};

/* One move of a parallel copy. */
struct machine_move {
  uint32_t to;
  uint32_t from; /* 0: `value` */
  uint32_t value;
  bool undefined; /* any value will do: nothing moves, but `to` begins to live */
};

enum machine_op { MACHINE_COPY = IR_OPS };

struct machine_inst {
  uint16_t op;
  uint8_t flags; /* ISA_FLAG_* */
  bool guard_not;
  bool tied;            /* reads d before it writes it */
  bool fixed;           /* a volatile load: others stay on their side of it */
  uint32_t guard;       /* predicate vreg or 0 */
  uint32_t d, a, b, c;  /* first vregs of runs, or 0; of a MACHINE_COPY, a and b are words for finish to use */
  uint32_t memory;      /* private words that a spill reads or writes: imm is added to their address at last */
  uint32_t list, count; /* moves of a copy; events of a wait, stride of a copy, in machine.list */
  uint64_t imm;
  struct ir_place place;
};

struct machine_block {
  struct machine_inst *inst;
  uint32_t count, room;
  uint8_t end; /* enum ir_end */
  bool condition_not;
  uint32_t condition; /* vreg */
  uint32_t to[2];
  struct ir_place place;
  uint32_t depth;
  uint32_t first;      /* number of its first instruction, by machine_number() */
  uint32_t from_count; /* blocks that lead to it, by machine_find_live() */
};

/* When a register holds something: [start, end). `same` as in struct vreg. */
struct segment {
  uint32_t start, end, same;
};

struct live {
  struct segment *segment; /* sorted, disjoint */
  uint32_t count, room;    /* room 0: they lie in machine.segment, and move to a place of their own to grow */
  uint32_t near;           /* where live_meet_near() found something last */
};

/* Blocks one behind the other, by their places in machine.order, at whose ends a vreg lives. */
struct span {
  uint32_t first, last;
};

/* A set of runs that are placed as one. The root's fields hold for all. */
struct bundle {
  uint32_t up;    /* the first vreg of a bundle on the way to the root; its own there */
  int32_t offset; /* from that one, words */
  uint32_t start; /* when the first of its words begins to live */
  uint32_t alive; /* for how long, all words together */
  bool brief;     /* see struct vreg */
  bool own;       /* `word` has RUN_MOST words of its own; else it is where machine.range has its run */
  uint32_t words;
  struct live *word;
  uint32_t next;  /* member, a circle */
  double cost;    /* of spilling: accesses, weighted by loop depth */
  uint32_t place; /* of word 0: register, predicate, word of memory */
};

struct machine {
  struct vreg *vreg; /* vreg[0] is not used */
  uint32_t vregs, vreg_room;
  struct machine_block *block;
  uint32_t blocks;
  uint32_t *order, ordered;
  struct machine_move *move;
  uint32_t moves, move_room;
  uint32_t *list;
  uint32_t lists, list_room;
  struct machine_inst *again; /* see struct vreg */
  uint32_t agains, again_room;
  uint32_t frame; /* bytes of private variables; spilled words follow */
  uint32_t times; /* numbers of instructions, by machine_number() */
  /* What lives from block to block, of the vregs below `spanned`, for all rounds: span[span_of[v] .. span_of[v + 1]).
   */
  struct span *span;
  uint32_t spans, span_room, *span_of, spanned;
  /* Of the present round. */
  uint32_t ranged;            /* vregs at that time */
  struct live *range;         /* per vreg, by machine_find_live(); coalescing moves them into bundles */
  struct segment *segment;    /* of all of them */
  uint32_t least[VREG_KINDS]; /* registers without which it cannot do: so many different values live at once */
  struct bundle *bundle;      /* per first vreg of a run */
  /* Bounds and results. */
  uint32_t bound[VREG_KINDS];
  uint32_t used[VREG_KINDS];
  struct live *file[VREG_KINDS]; /* what each register holds and when, by machine_colour() */
};

/* ---- making (machine.c) ----------------------------------------------------------------------------- */

struct machine *machine_new(uint32_t blocks);
void machine_free(struct machine *m);

/* The first of `words` new vregs. */
uint32_t machine_run(struct machine *m, enum vreg_kind kind, uint32_t words);
/* Numbers instructions: fills first and times. */
void machine_number(struct machine *m);
struct machine_inst *machine_append(struct machine_block *block, const struct machine_inst *inst);
void machine_move(struct machine *m, struct machine_inst *copy, struct machine_move move); /* the newest copy's only */
uint32_t machine_block_new(struct machine *m);

static inline uint32_t machine_head(const struct machine *m, uint32_t vreg) { return vreg - m->vreg[vreg].index; }

/* A register operand of an instruction that is no MACHINE_COPY. */
struct machine_operand {
  uint32_t *vreg;
  uint8_t words;
  bool reads, writes;
};

enum { MACHINE_OPERANDS = 16 };
uint32_t machine_operands(const struct machine *m, struct machine_inst *inst,
                          struct machine_operand operand[MACHINE_OPERANDS]);

/* Each word and predicate that an instruction reads, unless on_read is NULL, then each that it writes. */
typedef void machine_visit(void *self, uint32_t vreg);
void machine_each(const struct machine *m, const struct machine_inst *inst, machine_visit *on_read,
                  machine_visit *on_write, void *self);

/* ---- the steps -------------------------------------------------------------------------------------- */

/* The order in which blocks are best laid out (layout.c): ir->ordered numbers, the caller frees. */
uint32_t *layout_order(const struct ir *ir);

/* A machine of a kernel (select.c). */
struct machine *machine_select(struct ir *ir);

/* Moves loads ahead, as long as results on their way take no more than `most` words, and nothing else (ahead.c).
 * Returns whether that changed anything. */
bool machine_load_ahead(struct machine *m, uint32_t most);

/* Puts instructions in a better order, in which about `allowed` registers are used: as many as cost no warp its place
 * (schedule.c). It begins with the instructions in the order that they have, numbered. */
struct schedule *schedule_new(struct machine *m, const struct machine_inst *was);
uint32_t schedule_allowed(const struct schedule *s);
/* With `less` fewer in each block. What has been made with as many before stays. Returns whether anything is not where
 * it was. */
bool schedule_again(struct schedule *s, const uint32_t *less);
void schedule_free(struct schedule *s);

/* When each vreg lives (live.c). */
void machine_find_live(struct machine *m);
void live_free(struct machine *m);
void live_forget(struct live *live);
/* How many vregs of a kind live at each time, m->times of them; the caller frees. If `distinct`, what is a copy
 * of another does not count. */
uint32_t *live_pressure(const struct machine *m, enum vreg_kind kind, bool distinct, uint32_t *most);
bool live_meet(const struct live *a, const struct live *b); /* with different values */
/* The same of a long list, which is asked about one time after another in about their order. */
bool live_meet_near(struct live *a, const struct live *b);
void live_merge(struct live *into, const struct live *from);

/* Bundles, of at most `most` words (coalesce.c). */
void machine_coalesce(struct machine *m, uint32_t most);
struct bundle *bundle_of(const struct machine *m, uint32_t vreg, uint32_t *offset);

/* Places for all bundles of a kind (colour.c). Returns 0 if all have one; if `may_spill`, how many have none and are to
 * be spilled, with `place` UINT32_MAX. */
uint32_t machine_colour(struct machine *m, enum vreg_kind kind, bool may_spill);
uint32_t machine_place(const struct machine *m, uint32_t vreg);
/* A register that holds nothing at instruction `number`, or UINT32_MAX. */
uint32_t machine_idle(const struct machine *m, enum vreg_kind kind, uint32_t number);

/* Gives what has no place one elsewhere, and short-lived vregs for each use (spill.c). Returns whether that
 * changed anything. */
bool machine_spill(struct machine *m, enum vreg_kind kind);

/* The code, with joins, into an empty program (finish.c). */
void machine_finish(struct machine *m, struct isa_program *program);

#endif
