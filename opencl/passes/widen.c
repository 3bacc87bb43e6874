/* Loads of neighboring words become one load of 64 or 128 bits, and so do stores. Constants are only joined to 64 bits.
 *
 * Joins accesses of one block between two operations whose order others may observe: accesses with the same base and
 * index and consecutive offsets, if the first address is known to be aligned and nothing in between may touch the same
 * bytes. The wide load replaces the first load, the wide store the last store. The target limits the width. Runs after
 * pass_address(), which forms bases and offsets.
 *
 * An address's alignment follows from its computation: shifts and products by constants, and sums of these. A local
 * array has the alignment of its place or, if the target says so, the declared one. Pointers in arguments are aligned
 * to what they point to only, and that is not known here. */
#include "opencl/passes/passes.h"
#include "opencl/passes/rewrite.h"

#include <stdlib.h>

#include "sim/base/need.h"

enum { NEAR = 64, WORD = 4 }; /* NEAR: accesses of one stretch that are considered together */

struct widen {
  struct ir *ir;
  ir_ref *with;
  uint32_t known;
};

/* ---- accesses --------------------------------------------------------------------------------------- */

struct access {
  ir_ref ref, base, index;
  uint32_t at, bytes;
  int64_t offset;
  enum isa_space space;
  bool store;
};

/* False for accesses that cannot be widened. */
static bool find_access(const struct ir *ir, ir_ref ref, uint32_t at, struct access *access) {
  const struct ir_inst *inst = &ir->inst[ref];
  const struct isa_row *row = ir_row(ir, ref);
  const bool global = row->space == ISA_SPACE_GLOBAL;
  if (row->via != ISA_VIA_PLAIN || (!global && row->space != ISA_SPACE_LDS && row->space != ISA_SPACE_CONSTANT))
    return false;
  *access = (struct access){.ref = ref,
                            .base = ir_operand(ir, ref, 0),
                            .index = global ? ir_operand(ir, ref, 1) : 0,
                            .at = at,
                            .bytes = isa_types[row->a].bytes,
                            .offset = global ? (int64_t)inst->imm : (int32_t)(uint32_t)inst->imm,
                            .space = row->space,
                            .store = row->access == ISA_ACCESS_STORE};
  return true;
}

static bool same_place(const struct access *a, const struct access *b) {
  return a->base == b->base && a->index == b->index && a->space == b->space;
}

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

static bool overlap(const struct access *a, const struct access *b) {
  return a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
}

/* May one lane's access be to the same bytes as another lane's other one? All bases are multiples of one power of two.
 * Only the offsets' remainders tell them apart, unless the base is constant. */
static bool lanes_overlap(const struct ir *ir, const struct access *a, const struct access *b) {
  const int64_t grain = INT64_C(1) << least(zero_bits(ir, a->base), 16);
  const int64_t distance = ((b->offset - a->offset) % grain + grain) % grain;
  return a->base && !ir_is_const(ir, a->base) && (distance < a->bytes || grain - distance < b->bytes);
}

/* Lanes of a warp see each other's accesses to the LDS in program order. */
static bool may_touch(const struct ir *ir, const struct access *a, const struct access *b) {
  if (a->space != b->space)
    return false;
  return !same_place(a, b) || overlap(a, b) || (a->space == ISA_SPACE_LDS && lanes_overlap(ir, a, b));
}

/* Can it be part of a wider access? Yes for an unguarded word, or a pair, two of which make a quad. */
static bool is_part(const struct ir *ir, const struct access *access) {
  const struct ir_inst *inst = &ir->inst[access->ref];
  return !inst->guard && !inst->is_volatile && (access->bytes == WORD || access->bytes == 2 * WORD) &&
         (inst->width == IR_W1 || inst->width == IR_W2 || access->store);
}

/* The stretch's accesses so far. */
struct stretch {
  struct access access[NEAR];
  uint32_t count;
};

/* Does nothing between the first and the last access conflict? */
static bool may_meet(const struct ir *ir, const struct stretch *stretch, const uint32_t *part, uint32_t parts) {
  uint32_t low = part[0], high = part[0];
  for (uint32_t i = 0; i < parts; i++) {
    low = part[i] < low ? part[i] : low;
    high = part[i] > high ? part[i] : high;
  }
  for (uint32_t k = low; k <= high; k++)
    for (uint32_t i = 0; i < parts; i++) {
      const struct access *one = &stretch->access[part[i]], *other = &stretch->access[k];
      if (k != part[i] && (one->store || other->store) && may_touch(ir, one, other))
        return false;
    }
  return true;
}

/* ---- joining ---------------------------------------------------------------------------------------- */

static uint32_t place_of(const struct ir *ir, uint32_t block, ir_ref ref) {
  uint32_t at = 0;
  while (ir->block[block].inst[at] != ref)
    at++;
  return at;
}

/* A word of a value, inserted before position `at`. */
static ir_ref word_at(struct ir *ir, uint32_t block, uint32_t *at, ir_ref of, uint64_t number) {
  if (ir->inst[of].width == IR_W1)
    return of;
  const ir_ref word = ir_make(ir, IR_WORD, IR_W1, &of, 1, number, ir->inst[of].place);
  ir_insert(ir, block, (*at)++, word);
  return word;
}

static void join_stores(struct ir *ir, uint32_t block, const struct access *const *part, uint32_t parts,
                        uint32_t bytes) {
  ir_ref word[4], value, last = part[0]->ref;
  uint32_t words = 0;
  for (uint32_t i = 1; i < parts; i++)
    last = place_of(ir, block, part[i]->ref) > place_of(ir, block, last) ? part[i]->ref : last;
  uint32_t at = place_of(ir, block, last);
  for (uint32_t i = 0; i < parts; i++)
    for (uint32_t k = 0; k < part[i]->bytes / WORD; k++)
      word[words++] = word_at(ir, block, &at, ir_operand(ir, part[i]->ref, 2), k);
  value = ir_make(ir, IR_JOIN, bytes == 16 ? IR_W4 : IR_W2, word, words, 0, ir->inst[last].place);
  ir_insert(ir, block, at++, value);
  const ir_ref operand[] = {part[0]->base, part[0]->index, value};
  const ir_ref store = ir_make(ir, isa_store(part[0]->space, bytes), IR_NOTHING, operand, 3, ir->inst[part[0]->ref].imm,
                               ir->inst[last].place);
  ir_insert(ir, block, at, store);
  for (uint32_t i = 0; i < parts; i++)
    ir->inst[part[i]->ref].block = IR_NOWHERE;
}

static void join_loads(struct widen *widen, uint32_t block, const struct access *const *part, uint32_t parts,
                       uint32_t bytes) {
  struct ir *ir = widen->ir;
  ir_ref first = part[0]->ref;
  for (uint32_t i = 1; i < parts; i++)
    first = place_of(ir, block, part[i]->ref) < place_of(ir, block, first) ? part[i]->ref : first;
  uint32_t at = place_of(ir, block, first), word = 0;
  const ir_ref operand[] = {part[0]->base, part[0]->index};
  const enum ir_width width = bytes == 16 ? IR_W4 : IR_W2;
  const ir_ref load = ir_make(ir, isa_load(part[0]->space, bytes), width, operand, part[0]->index ? 2 : 1,
                              ir->inst[part[0]->ref].imm, ir->inst[first].place);
  ir_insert(ir, block, at++, load);
  for (uint32_t i = 0; i < parts; i++) {
    ir_ref piece[2];
    for (uint32_t k = 0; k < part[i]->bytes / WORD; k++)
      piece[k] = word_at(ir, block, &at, load, word++);
    ir_ref value = piece[0];
    if (part[i]->bytes == 2 * WORD) {
      value = ir_make(ir, IR_JOIN, IR_W2, piece, 2, 0, ir->inst[part[i]->ref].place);
      ir_insert(ir, block, at++, value);
    }
    widen->with[part[i]->ref] = value;
    ir->inst[part[i]->ref].block = IR_NOWHERE;
  }
}

/* Collects the accesses that follow `first` without a gap, `bytes` in all. Returns their number; 0 if there are too
 * few. */
static uint32_t gather(const struct ir *ir, const struct stretch *stretch, uint32_t first, uint32_t bytes,
                       uint32_t *part) {
  const struct access *from = &stretch->access[first];
  uint32_t parts = 0;
  int64_t next = from->offset;
  for (bool again = true; again && next < from->offset + bytes;) {
    again = false;
    for (uint32_t i = 0; i < stretch->count && !again; i++) {
      const struct access *access = &stretch->access[i];
      if (!access->ref || access->store != from->store || !same_place(access, from) || access->offset != next ||
          !is_part(ir, access))
        continue;
      part[parts++] = i;
      next += access->bytes;
      again = true;
    }
  }
  return next == from->offset + bytes && parts > 1 ? parts : 0;
}

/* Does the source declare an alignment of `bytes` for the local array of an access, or for all if the array is not
 * known? */
static bool is_declared(const struct ir *ir, const struct access *access, uint32_t bytes) {
  const struct ir_inst *base = &ir->inst[access->base];
  const int64_t at = access->offset + (access->base && base->op == IR_CONST ? (int64_t)base->imm : 0);
  bool all = true;
  for (size_t i = 0; i < ir->lds_count; i++) {
    const bool good = ir->lds_align[i] >= bytes;
    if (at >= ir->lds[i].offset && at < (int64_t)ir->lds[i].offset + ir->lds[i].bytes)
      return good;
    all = all && good;
  }
  return all;
}

static bool is_aligned(const struct ir *ir, const struct access *access, uint32_t bytes) {
  if (access->offset % bytes || (1u << least(zero_bits(ir, access->base), 4)) < bytes ||
      (1u << least(zero_bits(ir, access->index), 4)) < bytes)
    return false;
  return access->space != ISA_SPACE_LDS || ir->target.isa.local_alignment == ISA_PLACED ||
         is_declared(ir, access, bytes);
}

static bool join(struct widen *widen, uint32_t block, struct stretch *stretch, uint32_t first, uint32_t bytes) {
  const struct ir *ir = widen->ir;
  const struct access *from = &stretch->access[first];
  uint32_t part[4];
  if (!is_aligned(ir, from, bytes) || (from->space == ISA_SPACE_CONSTANT && bytes > 2 * WORD))
    return false;
  const uint32_t parts = gather(ir, stretch, first, bytes, part);
  if (!parts || !may_meet(ir, stretch, part, parts))
    return false;
  const struct access *list[4];
  for (uint32_t i = 0; i < parts; i++)
    list[i] = &stretch->access[part[i]];
  if (from->store)
    join_stores(widen->ir, block, list, parts, bytes);
  else
    join_loads(widen, block, list, parts, bytes);
  for (uint32_t i = 0; i < parts; i++)
    stretch->access[part[i]].ref = 0;
  return true;
}

static bool join_all(struct widen *widen, uint32_t block, struct stretch *stretch) {
  bool any = false;
  for (uint32_t bytes = widen->ir->target.isa.vector_bytes; bytes > WORD; bytes /= 2)
    for (uint32_t i = 0; i < stretch->count; i++)
      if (stretch->access[i].ref && is_part(widen->ir, &stretch->access[i]) && stretch->access[i].bytes < bytes)
        any |= join(widen, block, stretch, i, bytes);
  stretch->count = 0;
  return any;
}

static bool widen_block(struct widen *widen, uint32_t number) {
  struct ir *ir = widen->ir;
  struct stretch stretch = {.count = 0};
  bool any = false;
  const uint32_t count = ir->block[number].count;
  ir_ref *list = need(count + 1, sizeof *list);
  for (uint32_t k = 0; k < count; k++)
    list[k] = ir->block[number].inst[k];
  for (uint32_t k = 0; k < count; k++) {
    struct access access;
    const bool plain = find_access(ir, list[k], k, &access) && !ir->inst[list[k]].is_volatile;
    if (plain ? stretch.count == NEAR : !ir_is_removable(ir, list[k]))
      any |= join_all(widen, number, &stretch);
    if (plain)
      stretch.access[stretch.count++] = access;
  }
  any |= join_all(widen, number, &stretch);
  free(list);
  return any;
}

void pass_widen(struct ir *ir) {
  ir_analyze(ir);
  struct widen widen = {.ir = ir, .with = need(ir->count, sizeof(ir_ref)), .known = ir->count};
  bool any = false;
  for (uint32_t i = 0; i < ir->ordered; i++)
    any |= widen_block(&widen, ir->order[i]);
  if (any) {
    ir_ref *with = need(ir->count, sizeof *with);
    for (uint32_t i = 0; i < widen.known; i++)
      with[i] = widen.with[i];
    ir_replace(ir, with);
    free(with);
    ir_sweep(ir);
  }
  free(widen.with);
}
