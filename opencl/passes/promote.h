/* Which private variables may become values, and in what pieces (promote_pieces.c); promote.c does it.
 *
 * A *piece* is a variable of SSA construction: a pair that is only accessed whole, a word, or, where a word is only
 * accessed in bytes and halves that never overlap otherwise, one of them. Piece numbers are 4 * word + byte over the
 * words of all slots, so that a piece is found by arithmetic. A word that is accessed whole and in parts is one piece,
 * and the parts are cut out of it and put into it. */
#ifndef OPENCL_PASSES_PROMOTE_H
#define OPENCL_PASSES_PROMOTE_H

#include "opencl/passes/rewrite.h"

struct pieces {
  const struct ir *ir;
  uint32_t *slot;    /* of the address that a ref is, plus one; 0 if it is none */
  uint32_t *offset;  /* of that address in the slot */
  uint32_t refs;     /* entries of the two above */
  bool *stays;       /* slots that must stay in memory */
  uint32_t *first;   /* word of each slot */
  uint16_t *touched; /* how each word is accessed */
  uint32_t words;
};

/* One private access at a known place. */
struct piece_access {
  bool store;
  uint32_t word, byte, bytes; /* byte: in the word */
};

void pieces_find(struct pieces *pieces, const struct ir *ir);
void pieces_free(struct pieces *pieces);
/* Says whether `ref` is an access to a slot that becomes values. */
bool pieces_access(const struct pieces *pieces, ir_ref ref, struct piece_access *access);

bool pieces_is_pair(const struct pieces *pieces, uint32_t word);  /* this and the next word are one piece */
bool pieces_is_split(const struct pieces *pieces, uint32_t word); /* that is accessed: bytes and halves of its own */
/* The piece that holds byte `byte` of `word`, of an access of `bytes`. */
uint32_t pieces_number(const struct pieces *pieces, uint32_t word, const struct piece_access *access);

#endif
