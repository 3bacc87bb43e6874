/* Makes integers as narrow as their possible values allow (range.h), then as their uses allow (demand.h).
 *
 * OpenCL's size_t has 64 bits, so every index goes through 64-bit arithmetic, of which 32 bits are nearly always
 * enough. The first half of the pass replaces values by equal ones: x64 becomes an extension of x32 if the interval
 * fits, a comparison becomes a 32-bit one or a constant, and a mask or sign-extension that changes nothing becomes its
 * operand. The second half keeps only bits that are used. The halves must not be mixed: the second changes unused bits,
 * which would invalidate the intervals of the first. */
#include "opencl/passes/demand.h"
#include "opencl/passes/identity.h"
#include "opencl/passes/passes.h"
#include "opencl/passes/range.h"

#include <stdlib.h>

#include "sim/base/need.h"

struct narrow {
  struct ranges ranges;
  struct demands demands;
  uint32_t refs; /* how many existed before the pass */
  ir_ref *phi;   /* 32-bit phis whose operands are still 64-bit values */
  uint32_t phis, room;
};

/* The low word of a pair: the original if the pair is an extension. */
static ir_ref low_word(struct rewrite *rw, ir_ref pair) { return rewrite_word(rw, pair, 0); }

/* ---- 64 bits to 32 ---------------------------------------------------------------------------------- */

/* A phi's operands may not be visited yet; finish_phis() takes their low words at the end. */
static ir_ref low_phi(struct rewrite *rw, ir_ref ref) {
  struct narrow *narrow = rw->context;
  const uint32_t count = rw->ir->inst[ref].count;
  ir_ref *pair = need(count, sizeof *pair);
  for (uint32_t i = 0; i < count; i++)
    pair[i] = rw->ir->operand[rw->ir->inst[ref].operands + i];
  const ir_ref phi = rewrite_make(rw, IR_PHI, IR_W1, pair, count, 0);
  free(pair);
  if (narrow->phis == narrow->room) {
    narrow->room = narrow->room ? 2 * narrow->room : 16;
    narrow->phi = need_more(narrow->phi, narrow->room, sizeof *narrow->phi);
  }
  narrow->phi[narrow->phis++] = phi;
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

static bool run(struct ir *ir, struct narrow *narrow, ir_ref (*rule)(struct rewrite *, ir_ref)) {
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
  const bool changed = run(ir, &narrow, range_rule);
  ranges_free(&narrow.ranges);
  if (changed)
    pass_simplify(ir);
  demands_find(&narrow.demands, ir);
  run(ir, &narrow, demand_rule);
  demands_free(&narrow.demands);
  free(narrow.phi);
}
