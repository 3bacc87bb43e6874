/* Makes integers as narrow as their possible values allow (range.h), then as their uses allow.
 *
 * OpenCL's size_t has 64 bits, so every index goes through 64-bit arithmetic, of which 32 bits are nearly always
 * enough. The first half of the pass replaces values by equal ones: x64 becomes an extension of x32 if the interval
 * fits, a comparison becomes a 32-bit one or a constant, and a mask or sign-extension that changes nothing becomes its
 * operand. The second half keeps only bits that are used. The halves must not be mixed: the second changes unused bits,
 * which would invalidate the intervals of the first. */
#include "opencl/passes/identity.h"
#include "opencl/passes/passes.h"
#include "opencl/passes/range.h"

#include <stdlib.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"

/* ---- which bits of each value are used --------------------------------------------------------------- */

/* Walks backward from whatever has effects until nothing changes: an instruction demands of its operands the bits that
 * its own demanded bits depend on. An instruction without demanded bits passes nothing on. */
struct demands {
  uint64_t *of;   /* by ref: bits that change what the kernel does; 1 for a predicate */
  bool *extended; /* by ref: some user sign-extends the low 8 or 16 bits */
};

static uint64_t up_to_highest(uint64_t bits) { return bits ? UINT64_MAX >> __builtin_clzll(bits) : 0; }

static bool constant_operand(const struct ir *ir, ir_ref ref, uint32_t position, uint64_t *value) {
  const ir_ref operand = ir_operand(ir, ref, position);
  *value = ir_is_const(ir, operand) ? ir->inst[operand].imm : 0;
  return ir_is_const(ir, operand);
}

static uint64_t of_shift(enum kind kind, uint64_t wanted, unsigned by, unsigned bits) {
  if (kind == KIND_SHL)
    return wanted >> by;
  const uint64_t low = wanted << by & kind_mask(bits);
  const bool sign = kind == KIND_SHR_S && by && wanted >> (bits - by);
  return low | (sign ? UINT64_C(1) << (bits - 1) : 0);
}

/* The demanded bits of operand `position`, for an operation of kinds.def. */
static uint64_t of_kind(const struct ir *ir, ir_ref ref, uint32_t position, uint64_t wanted) {
  const enum kind kind = kind_of(ir->inst[ref].op);
  const unsigned bits = kind_bits(ir->inst[ref].op);
  uint64_t other;
  const bool known = constant_operand(ir, ref, 1, &other);
  switch (kind) {
  case KIND_ADD:
  case KIND_SUB:
  case KIND_MUL:
  case KIND_MAD:
  case KIND_NEG:
    return up_to_highest(wanted);
  case KIND_AND:
    return known ? wanted & other : wanted;
  case KIND_OR:
    return known ? wanted & ~other : wanted;
  case KIND_MOV:
  case KIND_XOR:
  case KIND_NOT:
    return wanted;
  case KIND_SEL:
    return position == 2 ? 1 : wanted;
  case KIND_SHL:
  case KIND_SHR_U:
  case KIND_SHR_S:
    if (position == 0 && known)
      return of_shift(kind, wanted, (unsigned)(other & (bits - 1)), bits);
    return position == 0 ? UINT64_MAX : bits - 1;
  case KIND_ROTL:
  case KIND_ROTR:
    return position == 0 ? UINT64_MAX : bits - 1;
  default:
    return UINT64_MAX;
  }
}

static uint64_t of_extension(uint64_t wanted, unsigned bits) {
  const uint64_t mask = kind_mask(bits);
  return (wanted & mask) | (wanted & ~mask ? UINT64_C(1) << (bits - 1) : 0);
}

static bool is_store(const struct isa_row *row, uint32_t position, unsigned bytes) {
  return row->access == ISA_ACCESS_STORE && position == 2 && isa_types[row->a].bytes == bytes;
}

static uint64_t of_operand(const struct ir *ir, ir_ref ref, uint32_t position, uint64_t wanted) {
  const struct ir_inst *inst = &ir->inst[ref];
  switch (inst->op) {
  case IR_PHI:
  case IR_COPY:
    return wanted;
  case IR_WORD:
    return ir->inst[ir_operand(ir, ref, 0)].width == IR_W2 ? wanted << 32 * inst->imm : UINT64_MAX;
  case IR_JOIN:
    return inst->width == IR_W2 ? wanted >> 32 * position & UINT32_MAX : UINT32_MAX;
  case ISA_CVT_U64_U32:
    return wanted & UINT32_MAX;
  case ISA_CVT_S64_S32:
    return of_extension(wanted, 32);
  case ISA_EXT_U8:
    return wanted & UINT8_MAX;
  case ISA_EXT_U16:
    return wanted & UINT16_MAX;
  case ISA_EXT_S8:
    return of_extension(wanted, 8);
  case ISA_EXT_S16:
    return of_extension(wanted, 16);
  default:
    break;
  }
  if (kind_of(inst->op) != KIND_OTHER)
    return of_kind(ir, ref, position, wanted);
  if (inst->op < ISA_OPS && is_store(&isa_rows[inst->op], position, 1))
    return UINT8_MAX;
  if (inst->op < ISA_OPS && is_store(&isa_rows[inst->op], position, 2))
    return UINT16_MAX;
  return UINT64_MAX;
}

/* The bits demanded so far, and whether the instruction has passed them on to its operands. */
struct asking {
  const struct ir *ir;
  uint64_t *of;
  bool *extended, *propagated;
};

static bool ask(const struct asking *asking, ir_ref ref, uint64_t bits) {
  const uint64_t old = asking->of[ref];
  asking->of[ref] |= asking->ir->inst[ref].width == IR_W1 ? bits & UINT32_MAX : bits;
  if (asking->of[ref] == old)
    return false;
  asking->propagated[ref] = false;
  return true;
}

static bool pass_on(const struct asking *asking, ir_ref ref) {
  const struct ir *ir = asking->ir;
  const struct ir_inst *inst = &ir->inst[ref];
  const uint64_t wanted = ir_is_kept(ir, ref) ? UINT64_MAX : asking->of[ref];
  bool changed = false;
  asking->propagated[ref] = true;
  if (!wanted)
    return false;
  for (uint32_t i = first_value(inst); i < inst->count; i += value_step(inst)) {
    const ir_ref operand = ir->operand[inst->operands + i];
    changed |= ask(asking, operand, of_operand(ir, ref, i, wanted));
    asking->extended[operand] |= inst->op == ISA_EXT_S8 || inst->op == ISA_EXT_S16;
  }
  changed |= ask(asking, inst->guard, 1);
  return changed | ask(asking, inst->keep, wanted);
}

static bool demand_round(const struct asking *asking) {
  const struct ir *ir = asking->ir;
  bool changed = false;
  for (uint32_t i = ir->ordered; i--;) {
    const struct ir_block *block = &ir->block[ir->order[i]];
    changed |= ask(asking, block->condition, 1);
    for (uint32_t k = block->count; k--;)
      if (!asking->propagated[block->inst[k]])
        changed |= pass_on(asking, block->inst[k]);
  }
  return changed;
}

static void find_demands(struct demands *demands, const struct ir *ir) {
  *demands = (struct demands){need(ir->count, sizeof(uint64_t)), need(ir->count, sizeof(bool))};
  const struct asking asking = {ir, demands->of, demands->extended, need(ir->count, sizeof(bool))};
  while (demand_round(&asking))
    ; /* about one extra round per level of loop nesting */
  free(asking.propagated);
}

/* ---- 64 bits to 32 ---------------------------------------------------------------------------------- */

struct narrow {
  struct ranges ranges;
  struct demands demands;
  uint32_t refs; /* how many existed before the pass */
  ir_ref *phi;   /* 32-bit phis whose operands are still 64-bit values */
  uint32_t phis;
  size_t room;
};

/* The low word of a pair: the original if the pair is an extension. */
static ir_ref low_word(struct rewrite *rw, ir_ref pair) { return rewrite_word(rw, pair, 0); }

/* A phi's operands may not be visited yet; finish_phis() takes their low words at the end. */
static ir_ref low_phi(struct rewrite *rw, ir_ref ref) {
  struct narrow *narrow = rw->context;
  const uint32_t count = rw->ir->inst[ref].count;
  ir_ref *pair = need(count, sizeof *pair);
  for (uint32_t i = 0; i < count; i++)
    pair[i] = rw->ir->operand[rw->ir->inst[ref].operands + i];
  const ir_ref phi = rewrite_make(rw, IR_PHI, IR_W1, pair, count, 0);
  free(pair);
  *vector_next(narrow->phi, narrow->phis, narrow->room) = phi;
  return phi;
}

/* The low word of an operation's result, computed in 32 bits from the operands' low words; 0 if that is impossible. */
static ir_ref low_result(struct rewrite *rw, ir_ref ref) {
  const struct term t = term_of(rw->ir, ref);
  if (t.op == IR_PHI)
    return low_phi(rw, ref);
  if (t.op == ISA_MULW_U32 || t.op == ISA_MULW_S32)
    return rewrite_put(rw, ISA_MUL_32, t.a, t.b, 0);
  if (t.op == ISA_MADW_U32 || t.op == ISA_MADW_S32)
    return rewrite_put(rw, ISA_MAD_32, t.a, t.b, low_word(rw, t.c));
  if (t.bits != 64)
    return 0;
  if (t.kind == KIND_SHL && known(rw, t.b) && bits_of(rw, t.b) < 32)
    return rewrite_put(rw, ISA_SHL_32, low_word(rw, t.a), t.b, 0);
  if (!kind_is_low(t.kind))
    return 0;
  const ir_ref a = low_word(rw, t.a), b = t.b ? low_word(rw, t.b) : 0;
  const ir_ref c = t.kind == KIND_SEL ? t.c : t.c ? low_word(rw, t.c) : 0;
  return rewrite_put(rw, kind_op(t.kind, 32), a, b, c);
}

/* ---- by interval ----------------------------------------------------------------------------------- */

static bool both_unsigned(struct range a, struct range b) {
  return !range_empty(a) && !range_empty(b) && range_is_unsigned(a, 32) && range_is_unsigned(b, 32);
}

static bool both_signed(struct range a, struct range b) {
  return !range_empty(a) && !range_empty(b) && range_is_signed(a, 32) && range_is_signed(b, 32);
}

/* The unsigned counterpart of a signed operation, for operands that are not negative. */
static enum kind unsigned_kind(enum kind kind) {
  static const uint8_t likeness[KINDS] = {
      [KIND_DIV_S] = KIND_DIV_U, [KIND_REM_S] = KIND_REM_U, [KIND_SHR_S] = KIND_SHR_U,
      [KIND_MIN_S] = KIND_MIN_U, [KIND_MAX_S] = KIND_MAX_U, [KIND_LT_S] = KIND_LT_U,
      [KIND_LE_S] = KIND_LE_U,   [KIND_GT_S] = KIND_GT_U,   [KIND_GE_S] = KIND_GE_U,
  };
  return (enum kind)likeness[kind];
}

static bool compares_signed(enum kind kind) { return kind_is_compare(kind) && unsigned_kind(kind) != KIND_OTHER; }

static ir_ref range_comparison(struct rewrite *rw, const struct term *t, struct range a, struct range b) {
  const int known_answer = range_compare(t->kind, a, b);
  if (known_answer >= 0)
    return ir_const(rw->ir, IR_PRED, (unsigned)known_answer);
  if (t->bits != 64)
    return 0;
  const bool sign = compares_signed(t->kind), equality = t->kind == KIND_EQ_U || t->kind == KIND_NE_U;
  if (both_signed(a, b) && (sign || equality))
    return rewrite_put(rw, kind_op(t->kind, 32), low_word(rw, t->a), low_word(rw, t->b), 0);
  if (both_unsigned(a, b))
    return rewrite_put(rw, kind_op(sign ? unsigned_kind(t->kind) : t->kind, 32), low_word(rw, t->a), low_word(rw, t->b),
                       0);
  return 0;
}

/* If the operands fit, quotients and similar results are those of the low words. */
static ir_ref range_whole(struct rewrite *rw, const struct term *t, struct range a, struct range b) {
  switch (t->kind) {
  case KIND_DIV_U:
  case KIND_REM_U:
  case KIND_MIN_U:
  case KIND_MAX_U:
    if (both_unsigned(a, b))
      return rewrite_put(rw, kind_op(t->kind, 32), low_word(rw, t->a), low_word(rw, t->b), 0);
    return 0;
  case KIND_DIV_S:
  case KIND_REM_S:
  case KIND_MIN_S:
  case KIND_MAX_S:
    if (both_signed(a, b) && b.least >= 0)
      return rewrite_put(rw, kind_op(t->kind, 32), low_word(rw, t->a), low_word(rw, t->b), 0);
    return 0;
  case KIND_SHR_U:
    if (range_is_unsigned(a, 32) && b.high < 32)
      return rewrite_put(rw, ISA_SHR_U32, low_word(rw, t->a), t->b, 0);
    return 0;
  case KIND_SHR_S:
    if (range_is_signed(a, 32) && b.high < 32)
      return rewrite_put(rw, ISA_SHR_S32, low_word(rw, t->a), t->b, 0);
    return 0;
  default:
    return 0;
  }
}

/* A quotient by 0 is all ones, and 64 bits have more of them. */
static bool may_divide(const struct term *t, struct range b) {
  const bool divides = t->kind == KIND_DIV_U || t->kind == KIND_DIV_S;
  return !divides || b.low > 0;
}

static ir_ref range_pair(struct rewrite *rw, const struct term *t, struct range range, struct range a, struct range b) {
  const bool plus = range_is_unsigned(range, 32), minus = range_is_signed(range, 32);
  if (t->op == ISA_CVT_S64_S32 && plus)
    return rewrite_put(rw, ISA_CVT_U64_U32, t->a, 0, 0);
  if (t->op == ISA_CVT_S64_S32 || t->op == ISA_CVT_U64_U32 || (!plus && !minus) || range_empty(range))
    return 0;
  ir_ref low = t->bits == 64 && may_divide(t, b) ? range_whole(rw, t, a, b) : 0;
  if (!low)
    low = low_result(rw, t->ref);
  return low ? rewrite_put(rw, plus ? ISA_CVT_U64_U32 : ISA_CVT_S64_S32, low, 0, 0) : 0;
}

static ir_ref range_word(struct rewrite *rw, const struct term *t, struct range a, struct range b) {
  const bool positive = !range_empty(a) && !range_empty(b) && a.least >= 0 && (b.least >= 0 || t->kind == KIND_SHR_S);
  if (positive && unsigned_kind(t->kind) != KIND_OTHER && !kind_is_compare(t->kind))
    return term_put(rw, t, unsigned_kind(t->kind), t->a, t->b);
  if (t->kind == KIND_AND && known(rw, t->b) && power_of(bits_of(rw, t->b) + 1) >= 0 && a.high <= bits_of(rw, t->b))
    return t->a;
  if (t->op == ISA_EXT_S8 && range_is_signed(a, 8))
    return t->a;
  return t->op == ISA_EXT_S16 && range_is_signed(a, 16) ? t->a : 0;
}

/* New instructions only get their simplest form. */
static ir_ref new_rule(struct rewrite *rw, ir_ref ref) {
  const ir_ref better = ir_is_pure(rw->ir, ref) ? identity_of(rw, ref) : 0;
  return better ? better : ref;
}

static ir_ref by_range(struct rewrite *rw, ir_ref ref, bool phi) {
  const struct narrow *narrow = rw->context;
  const struct term t = term_of(rw->ir, ref);
  const struct range a = range_of(&narrow->ranges, phi ? 0 : t.a), b = range_of(&narrow->ranges, phi ? 0 : t.b);
  const enum ir_width width = (enum ir_width)rw->ir->inst[ref].width;
  ir_ref result = 0;
  if (width == IR_PRED)
    return kind_is_compare(t.kind) && (result = range_comparison(rw, &t, a, b)) ? result : ref;
  if (width != IR_W1 && width != IR_W2)
    return ref;
  const struct range range = narrow->ranges.of[ref];
  if (!range_empty(range) && range.low == range.high)
    return ir_const(rw->ir, width, range.low);
  if (!phi)
    result = range_word(rw, &t, a, b);
  if (!result && width == IR_W2)
    result = range_pair(rw, &t, range, a, b);
  return result ? result : ref;
}

static ir_ref range_rule(struct rewrite *rw, ir_ref ref) {
  struct narrow *narrow = rw->context;
  const bool phi = rw->ir->inst[ref].op == IR_PHI;
  if (ref >= narrow->refs)
    return new_rule(rw, ref);
  if (!phi && !ir_is_pure(rw->ir, ref))
    return ref;
  const ir_ref result = by_range(rw, ref, phi);
  if (result != ref && !ir_is_const(rw->ir, result) && rw->ir->inst[ref].width != IR_PRED)
    ranges_same(&narrow->ranges, result, ref);
  return result;
}

/* ---- by demand ------------------------------------------------------------------------------------- */

static ir_ref demand_word(struct rewrite *rw, const struct term *t, uint64_t wanted) {
  const uint64_t mask = t->b && known(rw, t->b) ? bits_of(rw, t->b) : 0;
  if (t->kind == KIND_AND && known(rw, t->b) && !(wanted & ~mask))
    return t->a;
  if ((t->kind == KIND_OR || t->kind == KIND_XOR) && known(rw, t->b) && !(wanted & mask))
    return t->a;
  if ((t->op == ISA_EXT_S8 && wanted <= UINT8_MAX) || (t->op == ISA_EXT_S16 && wanted <= UINT16_MAX))
    return t->a;
  return 0;
}

/* If only the bits in memory matter, a narrow load may sign-extend, as its user wants. */
static void sign_load(struct rewrite *rw, ir_ref ref, const struct demands *demands) {
  const struct isa_row *row = ir_row(rw->ir, ref);
  const unsigned bytes = isa_types[row->a].bytes;
  if (row->access == ISA_ACCESS_LOAD && row->via == ISA_VIA_PLAIN && row->d == TYPE_U32 && demands->extended[ref] &&
      demands->of[ref] <= kind_mask(8 * bytes)) {
    rw->ir->inst[ref].op = isa_access_op(row->space, ISA_ACCESS_LOAD, ISA_VIA_PLAIN, isa_memory_type(bytes, true));
    rw->changed = true;
  }
}

static ir_ref demand_rule(struct rewrite *rw, ir_ref ref) {
  struct narrow *narrow = rw->context;
  if (ref >= narrow->refs)
    return new_rule(rw, ref);
  const uint64_t wanted = narrow->demands.of[ref];
  const enum ir_width width = (enum ir_width)rw->ir->inst[ref].width;
  const bool phi = rw->ir->inst[ref].op == IR_PHI;
  sign_load(rw, ref, &narrow->demands);
  if (wanted != kind_mask(width == IR_W2 ? 64 : 32) && rw->ir->inst[ref].no_wrap) {
    rw->ir->inst[ref].no_wrap = 0; /* operands may differ in unused bits now */
    rw->changed = true;
  }
  if ((!phi && !ir_is_pure(rw->ir, ref)) || !wanted || (width != IR_W1 && width != IR_W2))
    return ref;
  const struct term t = term_of(rw->ir, ref);
  const ir_ref same = phi ? 0 : demand_word(rw, &t, wanted);
  if (same)
    return same;
  if (width == IR_W1 || wanted > UINT32_MAX)
    return ref;
  const ir_ref words[] = {low_result(rw, ref), 0};
  return words[0] ? rewrite_make(rw, IR_JOIN, IR_W2, words, 2, 0) : ref;
}

/* ---- the pass -------------------------------------------------------------------------------------- */

/* The low word of `pair`, at the end of `block`. */
static ir_ref low_at_end(struct ir *ir, ir_ref pair, uint32_t block) {
  const struct ir_inst *inst = &ir->inst[pair];
  const ir_ref low = ir_operand(ir, pair, 0);
  if (inst->op == IR_CONST)
    return ir_const(ir, IR_W1, inst->imm);
  if (inst->op == IR_UNDEF)
    return ir_undef(ir, IR_W1);
  if (low && (inst->op == ISA_CVT_U64_U32 || inst->op == ISA_CVT_S64_S32 || inst->op == IR_JOIN))
    return low;
  const ir_ref word = ir_make(ir, IR_WORD, IR_W1, &pair, 1, 0, inst->place);
  ir_append(ir, block, word);
  return word;
}

static void finish_phis(struct ir *ir, const struct narrow *narrow) {
  for (uint32_t i = 0; i < narrow->phis; i++) {
    const struct ir_inst phi = ir->inst[narrow->phi[i]];
    for (uint32_t k = 0; k < phi.count; k += 2) {
      const ir_ref value = ir->operand[phi.operands + k + 1];
      if (ir->inst[value].width == IR_W2) {
        const ir_ref low = low_at_end(ir, value, ir->operand[phi.operands + k]);
        ir->operand[phi.operands + k + 1] = low;
      }
    }
  }
}

static bool rewrite_by(struct ir *ir, struct narrow *narrow, ir_ref (*rule)(struct rewrite *, ir_ref)) {
  narrow->refs = ir->count;
  narrow->phis = 0;
  struct rewrite rewrite = {.rule = rule, .context = narrow};
  const bool changed = rewrite_run(&rewrite, ir);
  finish_phis(ir, narrow);
  return changed;
}

void pass_narrow(struct ir *ir) {
  struct narrow narrow = {0};
  ir_analyze(ir);
  ranges_find(&narrow.ranges, ir);
  const bool changed = rewrite_by(ir, &narrow, range_rule);
  ranges_free(&narrow.ranges);
  if (changed)
    pass_simplify(ir);
  find_demands(&narrow.demands, ir);
  rewrite_by(ir, &narrow, demand_rule);
  free(narrow.demands.of);
  free(narrow.demands.extended);
  free(narrow.phi);
}
