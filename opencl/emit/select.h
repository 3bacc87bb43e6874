/* What select.c shares with wanted.c, constants.c and phis.c. */
#ifndef OPENCL_EMIT_SELECT_H
#define OPENCL_EMIT_SELECT_H

#include "opencl/emit/machine.h"

enum word_is { WORD_ANY, WORD_CONST, WORD_VREG };

struct word {
  uint32_t is;   /* enum word_is */
  uint32_t what; /* the constant or vreg */
};

struct value {
  struct word word[4];
  bool wanted;
  bool run; /* some instruction wants its words side by side */
};

/* A constant in a register, made in a block. */
struct shared {
  uint64_t imm;
  uint32_t kind; /* words, 0 for a predicate */
  uint32_t block, vreg;
  uint32_t used; /* how many instructions the block had when it was asked for last */
};

struct select {
  struct ir *ir;
  struct machine *m;
  struct value *value; /* per ref */
  uint32_t *slot;      /* private addresses */
  uint32_t *between;   /* blocks on the edges of a block, two each; 0: none */
  struct shared *shared;
  uint32_t shared_count, shared_room;
  uint32_t at; /* the block that is being filled */
  struct ir_place place;
};

static inline struct word *select_words(struct select *s, ir_ref ref) { return s->value[ref].word; }
uint32_t select_width_words(enum ir_width width);

/* Adds a move to the newest copy. */
void select_move(struct select *s, struct machine_inst *copy, uint32_t to, struct word from);

/* ---- constants.c ---------------------------------------------------------------------------------- */

/* Are the first words of `ref` (0: anything) all known? Words that may be anything are 0. */
bool select_constant(struct select *s, ir_ref ref, uint32_t words, uint64_t *imm);

/* A run that holds the constant in the block at hand. */
uint32_t select_constant_vreg(struct select *s, uint64_t imm, enum vreg_kind kind, uint32_t words);

/* The instruction, which makes the whole run d, reads nothing: spilling repeats it. */
void select_can_be_made_again(struct machine *m, const struct machine_inst *inst);

/* ---- phis.c --------------------------------------------------------------------------------------- */

/* The copies for the phis of block `at`, once all blocks have their instructions. */
void select_phi_copies(struct select *s, uint32_t at);

/* Fills machine.order. */
void select_order(struct select *s);

/* ---- wanted.c ------------------------------------------------------------------------------------- */

/* An instruction as it will be: complements of predicates taken in. */
struct folded {
  uint16_t op;
  ir_ref operand[IR_MOST_OPERANDS];
  uint32_t count;
  bool zero_above; /* of a join: what has no operand is 0 */
};
struct folded select_fold(const struct ir *ir, ir_ref ref);

/* The predicate that `ref` is or is the complement of; flips *not in the second case. */
ir_ref select_plain(const struct ir *ir, ir_ref ref, bool * not );

/* Is this another way to put words together (IR_JOIN, pack, a zero-extension), and of which? */
bool select_is_join(const struct ir_inst *inst);
struct folded select_join(const struct ir *ir, ir_ref ref);

/* Is this one word of something? Of a join: it is what was joined, and may be no ref. */
bool select_is_word(const struct ir *ir, ir_ref ref, ir_ref *of, uint32_t *number);

/* Fills wanted and run of all values. */
void select_wanted(struct select *s);

#endif
