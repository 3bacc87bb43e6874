/* Addressing modes and multiply-adds:
 *
 *     [base + c]                    constants move into imm, in any space
 *     [pair + ext(index)]           a zero-extended 32-bit index beside the pair
 *     pair + ext(x) * m             mad.wide, signed or unsigned; also for m = 2^k and for plain ext(x)
 *     x * m + y, (x << k) + y       mad, where the product is used only in sums of the same loop
 *
 * Each is exact modulo the width of the address. */
#include "opencl/passes/address.h"
#include "opencl/passes/passes.h"

#include <stdlib.h>

#include "sim/base/need.h"

struct address {
  uint32_t *uses, refs;
  uint32_t *sums; /* uses in sums that may absorb a product, in the product's own loop */
};

/* ---- addressing modes ------------------------------------------------------------------------------ */

static void set_operand(struct ir *ir, ir_ref ref, uint32_t position, ir_ref value) {
  ir->operand[ir->inst[ref].operands + position] = value;
}

/* base + constant: the constant goes into imm. */
static bool take_constant(struct rewrite *rw, ir_ref ref, uint16_t add, uint64_t mask) {
  struct ir *ir = rw->ir;
  const ir_ref base = arg(rw, ref, 0);
  if (!is_op(ir, base, add) || !known(rw, arg(rw, base, 1)))
    return false;
  ir->inst[ref].imm = (ir->inst[ref].imm + bits_of(rw, arg(rw, base, 1))) & mask;
  set_operand(ir, ref, 0, arg(rw, base, 0));
  return true;
}

/* Gives a load that has no index operand an empty one. */
static void make_room(struct ir *ir, ir_ref ref) {
  const ir_ref operand[] = {ir_operand(ir, ref, 0), 0, 0};
  if (ir->inst[ref].count >= 2)
    return;
  const struct ir_inst *inst = &ir->inst[ref];
  const ir_ref wider = ir_make(ir, inst->op, (enum ir_width)inst->width, operand, 2, inst->imm, inst->place);
  ir->inst[ref].operands = ir->inst[wider].operands;
  ir->inst[ref].count = 2;
}

/* pair + ext(index), if the index operand is still empty. */
static bool take_index(struct rewrite *rw, ir_ref ref) {
  const ir_ref base = arg(rw, ref, 0);
  if (arg(rw, ref, 1) || !is_op(rw->ir, base, ISA_ADD_64))
    return false;
  for (uint32_t side = 0; side < 2; side++) {
    const ir_ref index = arg(rw, base, side);
    if (!is_op(rw->ir, index, ISA_CVT_U64_U32))
      continue;
    make_room(rw->ir, ref);
    set_operand(rw->ir, ref, 1, arg(rw, index, 0));
    set_operand(rw->ir, ref, 0, arg(rw, base, !side));
    return true;
  }
  return false;
}

/* A constant inside the index stays there. It may only move out if the index does not wrap, which pass_spread()
 * decides. */
static void global_mode(struct rewrite *rw, ir_ref ref, enum space_form form) {
  bool again = true;
  while (again) {
    again = form != FORM_INDEX && take_constant(rw, ref, ISA_ADD_64, UINT64_MAX);
    again |= form != FORM_CAS && take_index(rw, ref);
  }
}

static void offset_mode(struct rewrite *rw, ir_ref ref) {
  while (take_constant(rw, ref, ISA_ADD_32, UINT32_MAX))
    ;
  const ir_ref base = arg(rw, ref, 0);
  if (!base || !known(rw, base))
    return;
  rw->ir->inst[ref].imm = (rw->ir->inst[ref].imm + bits_of(rw, base)) & UINT32_MAX;
  set_operand(rw->ir, ref, 0, 0);
}

/* ---- multiply-adds --------------------------------------------------------------------------------- */

/* A product of 32-bit values with the full 64-bit result. */
struct product {
  bool is_signed;
  ir_ref a, b;
};

/* The 32-bit value that a pair extends. A constant that fits counts as signed and as unsigned. */
static ir_ref unextended(struct rewrite *rw, ir_ref pair, bool is_signed) {
  if (is_op(rw->ir, pair, is_signed ? ISA_CVT_S64_S32 : ISA_CVT_U64_U32))
    return arg(rw, pair, 0);
  if (!known(rw, pair))
    return 0;
  const uint64_t bits = bits_of(rw, pair);
  const bool fits = is_signed ? bits == (uint64_t)kind_signed(bits, 32) : bits <= UINT32_MAX;
  return fits ? rewrite_32(rw, bits) : 0;
}

static bool wide_product(struct rewrite *rw, ir_ref ref, struct product *product) {
  const struct term t = term_of(rw->ir, ref);
  if (t.op == ISA_MULW_U32 || t.op == ISA_MULW_S32) {
    *product = (struct product){t.op == ISA_MULW_S32, t.a, t.b};
    return true;
  }
  const bool shift = t.op == ISA_SHL_64 && known(rw, t.b);
  if (t.op != ISA_MUL_64 && !(shift && bits_of(rw, t.b) < 31))
    return false;
  for (int is_signed = 0; is_signed < 2; is_signed++) {
    const ir_ref a = unextended(rw, t.a, is_signed);
    const ir_ref b = shift ? rewrite_32(rw, UINT64_C(1) << bits_of(rw, t.b)) : unextended(rw, t.b, is_signed);
    *product = (struct product){is_signed, a, b};
    if (a && b)
      return true;
  }
  return false;
}

static ir_ref multiply_wide(struct rewrite *rw, ir_ref ref) {
  struct product product;
  if (rw->ir->inst[ref].op == ISA_MULW_U32 || rw->ir->inst[ref].op == ISA_MULW_S32)
    return 0;
  if (!wide_product(rw, ref, &product))
    return 0;
  return rewrite_put(rw, product.is_signed ? ISA_MULW_S32 : ISA_MULW_U32, product.a, product.b, 0);
}

/* Do sums absorb every use of it, so that it disappears? */
static bool only_in_sums(const struct rewrite *rw, ir_ref ref) {
  const struct address *address = rw->context;
  return ref < address->refs && address->uses[ref] == address->sums[ref];
}

/* A product that was hoisted out of the loop stays outside. */
static bool in_same_loop(const struct rewrite *rw, ir_ref ref) {
  const struct ir *ir = rw->ir;
  return ir->inst[ref].block != IR_NOWHERE && ir->block[ir->inst[ref].block].loop == ir->block[rw->block].loop;
}

static ir_ref add_wide(struct rewrite *rw, const struct term *t, uint32_t side) {
  const ir_ref factor = side ? t->b : t->a, other = side ? t->a : t->b;
  struct product product;
  if (!in_same_loop(rw, factor))
    return 0;
  if (wide_product(rw, factor, &product))
    return rewrite_put(rw, product.is_signed ? ISA_MADW_S32 : ISA_MADW_U32, product.a, product.b, other);
  if ((is_op(rw->ir, factor, ISA_CVT_U64_U32) || is_op(rw->ir, factor, ISA_CVT_S64_S32)) && only_in_sums(rw, factor))
    return rewrite_put(rw, is_op(rw->ir, factor, ISA_CVT_S64_S32) ? ISA_MADW_S32 : ISA_MADW_U32, arg(rw, factor, 0),
                       rewrite_32(rw, 1), other);
  return 0;
}

/* x * m + y and (x << k) + y. Only one operand may be an immediate, so two constants gain nothing, except in a loop:
 * there, emit loads the other constant once in front of the loop. */
static ir_ref add_product(struct rewrite *rw, const struct term *t, uint32_t side) {
  const ir_ref factor = side ? t->b : t->a, other = side ? t->a : t->b;
  const bool product = is_kind(rw, t, factor, KIND_MUL);
  const bool shift = is_kind(rw, t, factor, KIND_SHL) && known(rw, arg(rw, factor, 1));
  if ((!product && !shift) || !only_in_sums(rw, factor) || !in_same_loop(rw, factor))
    return 0;
  const ir_ref by = arg(rw, factor, 1);
  if (known(rw, by) && known(rw, other) && rw->ir->block[rw->block].loop == IR_NOWHERE)
    return 0;
  const ir_ref m = shift ? term_const(rw, t, UINT64_C(1) << bits_of(rw, by)) : by;
  return rewrite_put(rw, kind_op(KIND_MAD, t->bits), arg(rw, factor, 0), m, other);
}

static ir_ref multiply_add(struct rewrite *rw, ir_ref ref) {
  const struct term t = term_of(rw->ir, ref);
  ir_ref result = 0;
  for (uint32_t side = 0; side < 2 && !result && t.bits == 64; side++)
    result = add_wide(rw, &t, side);
  for (uint32_t side = 0; side < 2 && !result; side++)
    result = add_product(rw, &t, side);
  return result;
}

/* ---- the pass -------------------------------------------------------------------------------------- */

static ir_ref mode_rule(struct rewrite *rw, ir_ref ref) {
  const enum space_form form = address_form(rw->ir, ref);
  if (form == FORM_OFFSET)
    offset_mode(rw, ref);
  else if (form != FORM_NONE)
    global_mode(rw, ref, form);
  return ref;
}

static ir_ref product_rule(struct rewrite *rw, ir_ref ref) {
  const enum kind kind = kind_of(rw->ir->inst[ref].op);
  const unsigned bits = kind_bits(rw->ir->inst[ref].op);
  ir_ref result = 0;
  if (kind == KIND_ADD)
    result = multiply_add(rw, ref);
  else if (bits == 64 && (kind == KIND_MUL || kind == KIND_SHL))
    result = multiply_wide(rw, ref);
  return result ? result : ref;
}

/* May a sum in `loop` absorb this operand? */
static bool is_product_of(const struct ir *ir, ir_ref ref, uint32_t loop) {
  const enum kind kind = kind_of(ir->inst[ref].op);
  return (kind == KIND_MUL || kind == KIND_SHL) && ir->block[ir->inst[ref].block].loop == loop;
}

/* A sum of two products absorbs only the left one. Outside loops, a sum with a constant stays a plain sum with an
 * immediate. */
static void count_sum(const struct ir *ir, ir_ref ref, uint32_t *sums) {
  const uint32_t loop = ir->block[ir->inst[ref].block].loop;
  if (kind_of(ir->inst[ref].op) != KIND_ADD)
    return;
  for (uint32_t side = 0; side < 2; side++) {
    const ir_ref product = ir_operand(ir, ref, side), other = ir_operand(ir, ref, !side);
    const bool taken = side == 0 || !is_product_of(ir, other, loop);
    if ((!ir_is_const(ir, other) || loop != IR_NOWHERE) && taken && ir->inst[product].block != IR_NOWHERE &&
        ir->block[ir->inst[product].block].loop == loop)
      sums[product]++;
  }
}

static uint32_t *count_sums(const struct ir *ir) {
  uint32_t *sums = need(ir->count, sizeof *sums);
  for (uint32_t i = 0; i < ir->ordered; i++)
    for (uint32_t k = 0; k < ir->block[ir->order[i]].count; k++)
      count_sum(ir, ir->block[ir->order[i]].inst[k], sums);
  return sums;
}

static void rewrite_by(struct ir *ir, ir_ref (*rule)(struct rewrite *, ir_ref)) {
  struct address address = {count_uses(ir), ir->count, count_sums(ir)};
  struct rewrite rewrite = {.rule = rule, .context = &address};
  rewrite_run(&rewrite, ir);
  free(address.uses);
  free(address.sums);
  remove_unused(ir);
}

void pass_address(struct ir *ir) {
  ir_analyze(ir);
  rewrite_by(ir, mode_rule);
  rewrite_by(ir, product_rule);
}
