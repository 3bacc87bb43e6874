/* Constants move outward in address arithmetic:
 *
 *     (x + c) * m  becomes  x * m + c * m       also shifts
 *     y + (x + c)  becomes  (y + x) + c
 *     ext(x + c)   becomes  ext(x) + ext(c)     if x + c does not wrap: by range.h, because x has only zeros where c
 *                                               has bits, or, from level 1 on, because the source guarantees it
 *
 * so a[i - 1], a[i] and a[i + 1] are one address with three offsets. Only values that lead to an address change:
 * elsewhere, the sum would cost as much outside as inside. */
#include "opencl/passes/address.h"
#include "opencl/passes/passes.h"
#include "opencl/passes/range.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

enum space_form address_form(const struct ir *ir, ir_ref ref) {
  const struct isa_row *row = ir_row(ir, ref);
  if (row->space == ISA_SPACE_GLOBAL)
    return FORM_GLOBAL;
  if (row->space != ISA_SPACE_NONE && row->space != ISA_SPACE_ARG)
    return FORM_OFFSET;
  switch ((enum isa_format)row->format) {
  case FORMAT_ATOMIC_LDS:
  case FORMAT_CAS_LDS:
    return FORM_OFFSET;
  case FORMAT_ATOMIC_GLOBAL:
    return FORM_GLOBAL;
  case FORMAT_CAS_GLOBAL:
    return FORM_CAS;
  case FORMAT_PREFETCH:
    return FORM_INDEX;
  default:
    return FORM_NONE;
  }
}

/* Does the operation compute an address from its operands, so that they lead to an address, too? */
static bool passes_on(uint16_t op) {
  switch (kind_of(op)) {
  case KIND_ADD:
  case KIND_SHL:
  case KIND_MUL:
  case KIND_MAD:
    return true;
  default:
    return op == ISA_CVT_U64_U32 || op == ISA_CVT_S64_S32 || op == ISA_MULW_U32 || op == ISA_MULW_S32 ||
           op == ISA_MADW_U32 || op == ISA_MADW_S32;
  }
}

static void mark_block(const struct ir *ir, const struct ir_block *block, bool *marked) {
  for (uint32_t k = block->count; k--;) {
    const ir_ref ref = block->inst[k];
    const struct ir_inst *inst = &ir->inst[ref];
    if (address_form(ir, ref) != FORM_NONE)
      marked[ir_operand(ir, ref, 0)] = true;
    else if (inst->op < ISA_OPS && isa_rows[inst->op].class_ == ISA_CLASS_COPY)
      marked[ir_operand(ir, ref, 1)] = true; /* no addressing modes, but multiply-adds */
    else if (marked[ref] && passes_on(inst->op))
      for (uint32_t i = 0; i < inst->count; i++)
        marked[ir->operand[inst->operands + i]] = true;
  }
}

/* One walk backward: except for phis, an address is computed from earlier values. */
bool *address_values(const struct ir *ir) {
  bool *marked = need(ir->count, sizeof *marked);
  for (uint32_t i = ir->ordered; i--;)
    mark_block(ir, &ir->block[ir->order[i]], marked);
  return marked;
}

struct spread {
  struct ranges ranges;
  bool *leads;
  uint32_t refs;
};

static bool is_sum(const struct rewrite *rw, const struct term *t, ir_ref ref) {
  return is_kind(rw, t, ref, KIND_ADD) && known(rw, arg(rw, ref, 1));
}

/* If neither an index nor a part of it wraps, the same sum in another order does not wrap either: it could only do so
 * if the index were within a constant of the smallest or largest number, 2^31 elements away from the memory. */
static uint8_t kept(const struct rewrite *rw, ir_ref index, ir_ref part) {
  return rw->ir->inst[index].no_wrap & rw->ir->inst[part].no_wrap;
}

static ir_ref keep_no_wrap(struct rewrite *rw, ir_ref ref, uint8_t no_wrap) {
  if (kind_of(rw->ir->inst[ref].op) == KIND_ADD)
    rw->ir->inst[ref].no_wrap |= no_wrap;
  return ref;
}

/* Moves the constant out of a product. */
static ir_ref spread_product(struct rewrite *rw, const struct term *t) {
  if (!known(rw, t->b) || !is_sum(rw, t, t->a))
    return 0;
  const uint8_t no_wrap = kept(rw, t->ref, t->a);
  const uint64_t plus = bits_of(rw, arg(rw, t->a, 1)), by = bits_of(rw, t->b);
  const ir_ref product = term_put(rw, t, t->kind, arg(rw, t->a, 0), t->b);
  const uint64_t outside = t->kind == KIND_SHL ? plus << by : plus * by;
  return keep_no_wrap(rw, term_put(rw, t, KIND_ADD, product, term_const(rw, t, outside)), no_wrap);
}

static ir_ref spread_sum(struct rewrite *rw, const struct term *t) {
  if (known(rw, t->b))
    return 0;
  const bool left = is_sum(rw, t, t->a);
  if (!left && !is_sum(rw, t, t->b))
    return 0;
  const ir_ref sum = left ? t->a : t->b, other = left ? t->b : t->a;
  const uint8_t no_wrap = kept(rw, t->ref, sum);
  const ir_ref inner = keep_no_wrap(rw, term_put(rw, t, KIND_ADD, arg(rw, sum, 0), other), no_wrap);
  return keep_no_wrap(rw, term_put(rw, t, KIND_ADD, inner, arg(rw, sum, 1)), no_wrap);
}

/* ext(x << k) and ext(x * c) become 64-bit products, which multiply-adds absorb. */
static ir_ref spread_extended_product(struct rewrite *rw, const struct term *t) {
  const struct spread *spread = rw->context;
  const bool shift = is_op(rw->ir, t->a, ISA_SHL_32);
  const ir_ref x = arg(rw, t->a, 0), by = arg(rw, t->a, 1);
  if ((!shift && !is_op(rw->ir, t->a, ISA_MUL_32)) || !known(rw, by) || bits_of(rw, by) > (shift ? 30 : INT32_MAX))
    return 0;
  const uint64_t factor = shift ? UINT64_C(1) << bits_of(rw, by) : bits_of(rw, by);
  const struct range range = range_of(&spread->ranges, x);
  if (range_empty(range) || t->op != ISA_CVT_U64_U32 || !factor || range.high > UINT32_MAX / factor)
    return 0;
  const ir_ref wide = rewrite_put(rw, t->op, x, 0, 0);
  return shift ? rewrite_put(rw, ISA_SHL_64, wide, by, 0)
               : rewrite_put(rw, ISA_MUL_64, wide, rewrite_64(rw, factor), 0);
}

/* Does the source guarantee that x + plus does not wrap in the extension's reading? */
static bool declared_no_wrap(const struct ir_inst *sum, bool is_signed, struct range x, int64_t plus) {
  if (is_signed)
    return sum->no_wrap & IR_NO_WRAP_SIGNED;
  return plus >= 0 && (sum->no_wrap & IR_NO_WRAP_UNSIGNED || (sum->no_wrap & IR_NO_WRAP_SIGNED && x.least >= 0));
}

/* Does x have only zeros where the constant has bits, so that there is no carry? */
static bool fits_in(const struct ir *ir, ir_ref x, int64_t plus) {
  const unsigned zeros = zero_bits(ir, x);
  return plus >= 0 && zeros < 32 && plus >> zeros == 0;
}

/* In this order: C leaves open which argument of a call comes first. */
static ir_ref sum_of_extended(struct rewrite *rw, uint16_t extend, ir_ref x, int64_t plus) {
  const ir_ref number = rewrite_64(rw, (uint64_t)plus), wide = rewrite_put(rw, extend, x, 0, 0);
  return rewrite_put(rw, ISA_ADD_64, wide, number, 0);
}

static ir_ref spread_extension(struct rewrite *rw, const struct term *t) {
  const struct spread *spread = rw->context;
  if (!is_op(rw->ir, t->a, ISA_ADD_32) || !known(rw, arg(rw, t->a, 1)))
    return 0;
  const ir_ref x = arg(rw, t->a, 0);
  const int64_t plus = kind_signed(bits_of(rw, arg(rw, t->a, 1)), 32);
  const bool is_new = rw->ir->target.optimize && x >= spread->refs &&
                      rw->ir->inst[x].op != IR_CONST; /* computed from values whose range is known */
  const struct range range = is_new ? range_of_op(&spread->ranges, x) : range_of(&spread->ranges, x);
  if (range_empty(range))
    return 0;
  const bool is_signed = t->op == ISA_CVT_S64_S32;
  if (fits_in(rw->ir, x, plus) ||
      (rw->ir->target.optimize && declared_no_wrap(&rw->ir->inst[t->a], is_signed, range, plus)))
    return sum_of_extended(rw, t->op, x, plus);
  const int64_t least = (is_signed ? range.least : (int64_t)range.low) + plus;
  const int64_t most = (is_signed ? range.most : (int64_t)range.high) + plus;
  if (is_signed ? least < INT32_MIN || most > INT32_MAX : least < 0 || most > UINT32_MAX)
    return 0;
  return sum_of_extended(rw, t->op, x, plus);
}

static ir_ref spread_term(struct rewrite *rw, ir_ref ref) {
  const struct term t = term_of(rw->ir, ref);
  if (t.kind == KIND_ADD)
    return spread_sum(rw, &t);
  if (t.kind == KIND_SHL || t.kind == KIND_MUL)
    return spread_product(rw, &t);
  if (t.op != ISA_CVT_U64_U32 && t.op != ISA_CVT_S64_S32)
    return 0;
  const ir_ref result = spread_extension(rw, &t);
  return result ? result : spread_extended_product(rw, &t);
}

/* New instructions lead to an address, too. They only get their simplest form; a later visit spreads products and sums
 * of them. */
static ir_ref spread_rule(struct rewrite *rw, ir_ref ref) {
  const struct spread *spread = rw->context;
  if (rw->ir->inst[ref].op == IR_PHI || !ir_is_pure(rw->ir, ref))
    return ref;
  if (ref >= spread->refs) {
    const ir_ref better = identity_of(rw, ref);
    return better ? better : ref;
  }
  const ir_ref result = spread->leads[ref] ? spread_term(rw, ref) : 0;
  return result ? result : ref;
}

void pass_spread(struct ir *ir) {
  struct spread spread = {0};
  ir_analyze(ir);
  ranges_find(&spread.ranges, ir);
  spread.leads = address_values(ir);
  spread.refs = ir->count;
  struct rewrite rewrite = {.rule = spread_rule, .context = &spread};
  rewrite_run(&rewrite, ir);
  ranges_free(&spread.ranges);
  free(spread.leads);
}
