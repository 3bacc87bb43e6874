/* What select.c shares with wanted.c, constants.c and phis.c. */
#ifndef OPENCL_EMIT_SELECT_H
#define OPENCL_EMIT_SELECT_H

#include "opencl/emit/machine.h"
#include "sim/base/map.h"

enum word_is { WORD_ANY, WORD_CONST, WORD_VREG };

struct word {
  uint32_t is;   /* enum word_is */
  uint32_t what; /* the constant or vreg */
};

struct value {
  struct word word[4];
  bool wanted;
  bool run; /* some instruction needs its words side by side */
};

/* A constant in a register of some block. */
struct shared {
  uint64_t imm;
  uint32_t kind; /* number of words; 0 for a predicate */
  uint32_t block, vreg;
  uint32_t used; /* the block's instruction count at its last use */
};

struct select {
  struct ir *ir;
  struct machine_function *m;
  struct value *value; /* per ref */
  uint32_t *slot;      /* private addresses */
  uint32_t *between;   /* blocks on the outgoing edges of a block, two each; 0 for none */
  struct shared *shared;
  size_t shared_count, shared_room;
  struct map by_imm; /* indices of `shared` by imm, kind and block */
  uint32_t at;       /* the block being filled */
  struct ir_place place;
};

static inline struct word *select_words(struct select *s, ir_ref ref) { return s->value[ref].word; }
uint32_t select_width_words(enum ir_width width);

/* Adds a move to the newest copy. */
void select_move(struct select *s, struct machine_inst *copy, uint32_t to, struct word from);

/* ---- constants.c ---------------------------------------------------------------------------------- */

/* Are the first words of `ref` constant? Undefined words, and all words if `ref` is 0, count as 0. */
bool select_constant(struct select *s, ir_ref ref, uint32_t words, uint64_t *imm);

/* A run that holds the constant in the current block. */
uint32_t select_constant_vreg(struct select *s, uint64_t imm, enum vreg_kind kind, uint32_t words);

/* Records that spilling may repeat the instruction, which makes the whole run d and reads no registers. */
void select_can_be_made_again(struct machine_function *m, const struct machine_inst *inst);

/* ---- phis.c --------------------------------------------------------------------------------------- */

/* Makes the copies for the phis of block `at`, once all blocks have their instructions. */
void select_phi_copies(struct select *s, uint32_t at);

/* Fills machine.order. */
void select_order(struct select *s);

/* ---- wanted.c ------------------------------------------------------------------------------------- */

/* An instruction with complements of predicates folded into it. */
struct folded {
  uint16_t op;
  ir_ref operand[IR_MOST_OPERANDS];
  uint32_t count;
  bool zero_above; /* of a join: words without an operand above the first are 0 */
};
struct folded select_fold(const struct ir *ir, ir_ref ref);

/* Strips complements off `ref`, flipping *not for each. */
ir_ref select_plain(const struct ir *ir, ir_ref ref, bool * not );

/* Does the instruction only join words (IR_JOIN, pack, a zero-extension)? select_join() returns its parts. */
bool select_is_join(const struct ir_inst *inst);
struct folded select_join(const struct ir *ir, ir_ref ref);

/* Is this one word of a value? Word *number of *of; a word of a join is the joined value itself, which may be 0. */
bool select_is_word(const struct ir *ir, ir_ref ref, ir_ref *of, uint32_t *number);

/* Fills wanted and run of all values. */
void select_wanted(struct select *s);

#endif
