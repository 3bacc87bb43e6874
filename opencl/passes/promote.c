/* Private variables become values: SSA construction over the pieces of promote.h, after Cytron and others (1991), with
 * phis only where the piece is live ("pruned").
 *
 *   1. Which blocks write each piece, and which read it before they write it.
 *   2. Where pieces are live, backward from their reads, many pieces at once; phis on the dominance frontiers of each
 *      piece's writes.
 *   3. One walk down the dominator tree (rewrite.h) with the current value of each piece: loads become that value,
 * stores disappear, ends of blocks feed the phis of their successors.
 *
 * A piece that was never written is IR_UNDEF, as in OpenCL. Slots whose address escapes are left alone. */
#include "opencl/passes/promote.h"
#include "opencl/passes/passes.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"

/* Growing array of numbers, also used as a stack. */
struct list {
  uint32_t *item, count;
  size_t room;
};

static void push(struct list *list, uint32_t item) { *vector_next(list->item, list->count, list->room) = item; }

/* Lists by number, all in one array. The list of number n starts at first[n]. */
struct chains {
  uint32_t *first; /* index plus one */
  struct list item, next;
};

static void chain(struct chains *chains, uint32_t number, uint32_t item) {
  push(&chains->item, item);
  push(&chains->next, chains->first[number]);
  chains->first[number] = chains->item.count;
}

static void chains_free(struct chains *chains) {
  free(chains->first);
  free(chains->item.item);
  free(chains->next.item);
}

#define EACH_IN_CHAIN(at, chains, number)                                                                              \
  for (uint32_t at##_ = (chains)->first[number], at = 0; at##_ && (at = (chains)->item.item[at##_ - 1], true);         \
       at##_ = (chains)->next.item[at##_ - 1])

struct undo {
  uint32_t piece, block;
  ir_ref value;
};

enum { TOGETHER = 64 /* pieces whose liveness is computed at once */ };

/* What is known of a block: a bit for each of these pieces, and the last piece that got a phi here, plus one. */
struct mark {
  uint64_t live, wrote;
  uint32_t placed;
};

struct promote {
  struct ir *ir;
  struct pieces pieces;
  uint32_t count;              /* of piece numbers */
  struct chains writes, reads; /* blocks, by piece */
  struct chains frontier;      /* blocks, by block */
  struct chains phis;          /* indices into phi and phi_piece, by block */
  struct list phi, phi_piece;
  struct mark *mark; /* by block */
  struct list work, touched;
  ir_ref *value; /* by piece: its current value in the walk */
  struct undo *undo;
  uint32_t undos;
  size_t undo_room;
  uint32_t before; /* the block that the walk visited before this one */
};

/* ---- 1. reads and writes --------------------------------------------------------------------------- */

/* An access to part of a word that is one piece: a store reads the piece as well as writing it. */
static bool is_partial(const struct promote *promote, const struct piece_access *access) {
  return access->bytes < 4 && !pieces_is_split(&promote->pieces, access->word);
}

/* The pieces of an access, in order; returns how many. */
static uint32_t pieces_of(const struct promote *promote, const struct piece_access *access, uint32_t piece[4]) {
  if (access->bytes == 8 && pieces_is_pair(&promote->pieces, access->word)) {
    piece[0] = 4 * access->word;
    return 1;
  }
  const uint32_t count = access->bytes < 4 ? 1 : access->bytes / 4;
  for (uint32_t i = 0; i < count; i++)
    piece[i] = pieces_number(&promote->pieces, access->word + i, access);
  return count;
}

static void note_access(struct promote *promote, uint32_t block, const struct piece_access *access, uint32_t *wrote) {
  uint32_t piece[4];
  const uint32_t count = pieces_of(promote, access, piece);
  for (uint32_t i = 0; i < count; i++) {
    if (wrote[piece[i]] == block + 1)
      continue;
    if (!access->store || is_partial(promote, access))
      chain(&promote->reads, piece[i], block);
    if (access->store) {
      chain(&promote->writes, piece[i], block);
      wrote[piece[i]] = block + 1;
    }
  }
}

static void note_accesses(struct promote *promote) {
  const struct ir *ir = promote->ir;
  uint32_t *wrote = need(promote->count + 1, sizeof *wrote); /* by piece: the last block that writes it, plus one */
  for (uint32_t i = 0; i < ir->ordered; i++) {
    const struct ir_block *block = &ir->block[ir->order[i]];
    struct piece_access access;
    for (uint32_t k = 0; k < block->count; k++)
      if (pieces_access(&promote->pieces, block->inst[k], &access))
        note_access(promote, ir->order[i], &access, wrote);
  }
  free(wrote);
}

/* ---- 2. phis --------------------------------------------------------------------------------------- */

static void find_frontiers(struct promote *promote) {
  const struct ir *ir = promote->ir;
  for (uint32_t i = 0; i < ir->ordered; i++) {
    const uint32_t join = ir->order[i];
    const struct ir_block *block = &ir->block[join];
    for (uint32_t k = 0; k < block->from_count && block->from_count > 1; k++)
      for (uint32_t at = block->from[k]; at != block->dominator; at = ir->block[at].dominator) {
        const uint32_t last = promote->frontier.first[at];
        if (last && promote->frontier.item.item[last - 1] == join)
          break; /* all its dominators have it too */
        chain(&promote->frontier, at, join);
      }
  }
}

/* A block's mark; find_live() clears it before the next pieces. */
static struct mark *touch(struct promote *promote, uint32_t block) {
  struct mark *mark = &promote->mark[block];
  if (!(mark->live | mark->wrote))
    push(&promote->touched, block);
  return mark;
}

/* Adds live bits to a block; if any are new, its predecessors are visited again. */
static void mark_live(struct promote *promote, uint32_t block, uint64_t bits) {
  if (!(bits & ~promote->mark[block].live))
    return;
  touch(promote, block)->live |= bits;
  push(&promote->work, block);
}

static void find_live(struct promote *promote, const uint32_t *piece, uint32_t count) {
  while (promote->touched.count) {
    struct mark *mark = &promote->mark[promote->touched.item[--promote->touched.count]];
    mark->live = mark->wrote = 0;
  }
  for (uint32_t i = 0; i < count; i++) {
    EACH_IN_CHAIN(block, &promote->writes, piece[i]) touch(promote, block)->wrote |= UINT64_C(1) << i;
    EACH_IN_CHAIN(block, &promote->reads, piece[i]) mark_live(promote, block, UINT64_C(1) << i);
  }
  while (promote->work.count) {
    const uint32_t at = promote->work.item[--promote->work.count];
    const struct ir_block *block = &promote->ir->block[at];
    for (uint32_t k = 0; k < block->from_count; k++)
      mark_live(promote, block->from[k], promote->mark[at].live & ~promote->mark[block->from[k]].wrote);
  }
}

static enum ir_width piece_width(const struct promote *promote, uint32_t piece) {
  return piece % 4 == 0 && pieces_is_pair(&promote->pieces, piece / 4) ? IR_W2 : IR_W1;
}

/* The walk fills in the values. */
static void make_phi(struct promote *promote, uint32_t block, uint32_t piece) {
  struct ir *ir = promote->ir;
  const uint32_t count = ir->block[block].from_count;
  ir_ref *pair = need(2 * count, sizeof *pair);
  for (uint32_t k = 0; k < count; k++)
    pair[2 * k] = ir->block[block].from[k];
  const ir_ref phi = ir_make(ir, IR_PHI, piece_width(promote, piece), pair, 2 * count, 0, (struct ir_place){.line = 0});
  free(pair);
  chain(&promote->phis, block, promote->phi.count);
  push(&promote->phi, phi);
  push(&promote->phi_piece, piece);
}

static void place_phis_of(struct promote *promote, uint32_t piece, uint64_t bit) {
  struct list *work = &promote->work;
  EACH_IN_CHAIN(block, &promote->writes, piece) push(work, block);
  while (work->count) {
    const uint32_t at = work->item[--work->count];
    EACH_IN_CHAIN(join, &promote->frontier, at) {
      if (!(promote->mark[join].live & bit) || promote->mark[join].placed == piece + 1)
        continue;
      promote->mark[join].placed = piece + 1;
      make_phi(promote, join, piece);
      push(work, join);
    }
  }
}

static void place_phis(struct promote *promote) {
  uint32_t piece[TOGETHER], next = 0;
  while (next < promote->count) {
    uint32_t count = 0;
    for (; next < promote->count && count < TOGETHER; next++)
      if (promote->writes.first[next] && promote->reads.first[next])
        piece[count++] = next;
    if (count)
      find_live(promote, piece, count);
    for (uint32_t i = 0; i < count; i++)
      place_phis_of(promote, piece[i], UINT64_C(1) << i);
  }
}

static void put_phis(struct promote *promote) {
  struct list phis = {0};
  for (uint32_t i = 0; i < promote->ir->ordered; i++) {
    const uint32_t block = promote->ir->order[i];
    phis.count = 0;
    EACH_IN_CHAIN(at, &promote->phis, block) push(&phis, promote->phi.item[at]);
    if (phis.count)
      prepend(promote->ir, block, phis.item, phis.count);
  }
  free(phis.item);
}

/* ---- 3. values ------------------------------------------------------------------------------------- */

static void set_value(struct promote *promote, uint32_t block, uint32_t piece, ir_ref value) {
  *vector_next(promote->undo, promote->undos, promote->undo_room) = (struct undo){piece, block, promote->value[piece]};
  promote->value[piece] = value;
}

static ir_ref get_value(const struct promote *promote, uint32_t piece) {
  const ir_ref value = promote->value[piece];
  return value ? value : ir_undef(promote->ir, piece_width(promote, piece));
}

static void feed_phis(struct promote *promote, uint32_t block) {
  struct ir *ir = promote->ir;
  for (uint32_t k = 0; k < ends(&ir->block[block]); k++)
    EACH_IN_CHAIN(at, &promote->phis, ir->block[block].to[k])
  phi_set(ir, promote->phi.item[at], block, get_value(promote, promote->phi_piece.item[at]));
}

static void enter(struct rewrite *rewrite, uint32_t block) {
  struct promote *promote = rewrite->context;
  if (promote->before != IR_NOWHERE)
    feed_phis(promote, promote->before);
  promote->before = block;
  while (promote->undos && !ir_dominates(rewrite->ir, promote->undo[promote->undos - 1].block, block)) {
    const struct undo *undo = &promote->undo[--promote->undos];
    promote->value[undo->piece] = undo->value;
  }
  EACH_IN_CHAIN(at, &promote->phis, block)
  set_value(promote, block, promote->phi_piece.item[at], promote->phi.item[at]);
}

/* Extends a value like the narrow load that it replaces. */
static ir_ref widened(struct rewrite *rewrite, uint16_t op, ir_ref value) {
  static const uint16_t extensions[ISA_TYPES] = {
      [TYPE_U8] = ISA_EXT_U8, [TYPE_S8] = ISA_EXT_S8, [TYPE_U16] = ISA_EXT_U16, [TYPE_S16] = ISA_EXT_S16};
  const uint16_t extension = extensions[isa_rows[op].a];
  return extension ? rewrite_put(rewrite, extension, value, 0, 0) : value;
}

static ir_ref load(struct rewrite *rewrite, ir_ref ref, const struct piece_access *access) {
  const struct promote *promote = rewrite->context;
  const uint16_t op = rewrite->ir->inst[ref].op;
  uint32_t piece[4];
  const uint32_t count = pieces_of(promote, access, piece);
  ir_ref value[4] = {0};
  for (uint32_t i = 0; i < count; i++)
    value[i] = get_value(promote, piece[i]);
  if (is_partial(promote, access) && access->byte)
    value[0] = rewrite_put(rewrite, ISA_SHR_U32, value[0], rewrite_32(rewrite, 8 * access->byte), 0);
  if (count == 1)
    return widened(rewrite, op, value[0]);
  return rewrite_make(rewrite, IR_JOIN, count == 2 ? IR_W2 : IR_W4, value, count, 0);
}

/* The word with some of its bytes replaced. */
static ir_ref inserted(struct rewrite *rewrite, ir_ref word, ir_ref value, const struct piece_access *access) {
  const uint32_t mask = access->bytes == 1 ? UINT8_MAX : UINT16_MAX, shift = 8 * access->byte;
  const ir_ref part = rewrite_put(rewrite, ISA_AND_32, value, rewrite_32(rewrite, mask), 0);
  const ir_ref there = rewrite_put(rewrite, ISA_SHL_32, part, rewrite_32(rewrite, shift), 0);
  const ir_ref rest = rewrite_put(rewrite, ISA_AND_32, word, rewrite_32(rewrite, ~(mask << shift)), 0);
  return rewrite_put(rewrite, ISA_OR_32, rest, there, 0);
}

static void store(struct rewrite *rewrite, ir_ref ref, const struct piece_access *access) {
  struct promote *promote = rewrite->context;
  const ir_ref whole = ir_operand(rewrite->ir, ref, 2);
  uint32_t piece[4];
  const uint32_t count = pieces_of(promote, access, piece);
  for (uint32_t i = 0; i < count; i++) {
    ir_ref value = count == 1 ? whole : rewrite_word(rewrite, whole, i);
    if (is_partial(promote, access))
      value = inserted(rewrite, get_value(promote, piece[i]), value, access);
    set_value(promote, rewrite->block, piece[i], value);
  }
}

static ir_ref promote_one(struct rewrite *rewrite, ir_ref ref) {
  const struct promote *promote = rewrite->context;
  struct piece_access access;
  if (!pieces_access(&promote->pieces, ref, &access))
    return ref;
  if (!access.store)
    return load(rewrite, ref, &access);
  store(rewrite, ref, &access);
  return 0;
}

/* ---- the pass -------------------------------------------------------------------------------------- */

static void open(struct promote *promote, struct ir *ir) {
  promote->ir = ir;
  promote->before = IR_NOWHERE;
  promote->count = 4 * promote->pieces.words;
  promote->writes.first = need(promote->count + 1, sizeof(uint32_t));
  promote->reads.first = need(promote->count + 1, sizeof(uint32_t));
  promote->value = need(promote->count + 1, sizeof(ir_ref));
  promote->frontier.first = need(ir->blocks, sizeof(uint32_t));
  promote->phis.first = need(ir->blocks, sizeof(uint32_t));
  promote->mark = need(ir->blocks, sizeof *promote->mark);
}

static void close(struct promote *promote) {
  pieces_free(&promote->pieces);
  chains_free(&promote->writes);
  chains_free(&promote->reads);
  chains_free(&promote->frontier);
  chains_free(&promote->phis);
  free(promote->phi.item);
  free(promote->phi_piece.item);
  free(promote->work.item);
  free(promote->touched.item);
  free(promote->mark);
  free(promote->value);
  free(promote->undo);
}

void pass_promote(struct ir *ir) {
  struct promote promote = {0};
  ir_analyze(ir);
  pieces_find(&promote.pieces, ir);
  open(&promote, ir);
  note_accesses(&promote);
  find_frontiers(&promote);
  place_phis(&promote);
  put_phis(&promote);
  struct rewrite rewrite = {.rule = promote_one, .enter = enter, .context = &promote};
  rewrite_run(&rewrite, ir);
  feed_phis(&promote, promote.before);
  for (uint32_t i = 0; i < ir->slots; i++)
    ir->slot[i].gone |= !promote.pieces.stays[i];
  close(&promote);
}
