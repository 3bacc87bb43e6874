/* Which private variables may become values, and in which pieces (promote_pieces.c). promote.c makes the change.
 *
 * A *piece* is a variable of SSA construction: a pair that is only accessed whole; a word; or a byte or half of a word
 * that is only accessed in bytes and halves that do not partly overlap. Piece numbers are 4 * word + byte, counting the
 * words of all slots, so a piece is found by arithmetic. A word that is accessed both whole and in parts is one piece;
 * its parts are extracted and inserted. */
#ifndef OPENCL_PASSES_PROMOTE_H
#define OPENCL_PASSES_PROMOTE_H

#include "opencl/passes/rewrite.h"

struct pieces {
  const struct ir *ir;
  uint32_t *slot;    /* by ref: the slot of the address that it is, plus one; 0 if it is no address */
  uint32_t *offset;  /* by ref: the address's offset in the slot */
  uint32_t refs;     /* entries of `slot` and `offset` */
  bool *stays;       /* by slot: it must stay in memory */
  uint32_t *first;   /* by slot: its first word */
  uint16_t *touched; /* by word: how it is accessed */
  uint32_t words;
};

/* One private access at a constant offset. */
struct piece_access {
  bool store;
  uint32_t word, byte, bytes; /* byte: within the word */
};

void pieces_find(struct pieces *pieces, const struct ir *ir);
void pieces_free(struct pieces *pieces);
/* Is `ref` an access to a slot that becomes values? If so, fills *access. */
bool pieces_access(const struct pieces *pieces, ir_ref ref, struct piece_access *access);

bool pieces_is_pair(const struct pieces *pieces, uint32_t word);  /* this word and the next are one piece */
bool pieces_is_split(const struct pieces *pieces, uint32_t word); /* each byte and half that is accessed is a piece */
/* The piece of `word` that an access reads or writes. */
uint32_t pieces_number(const struct pieces *pieces, uint32_t word, const struct piece_access *access);

#endif
