/* Computes addresses that differ by a multiple of one value from each other (straight-line strength reduction):
 *
 *     base + ((a + 3) * v + r) * 4     becomes  (base + ((a + 2) * v + r) * 4) + v * 4
 *
 * where the second address is already known: one multiply-add instead of three operations. Unrolled loops that walk
 * down the rows of a matrix have such addresses. Only for indices whose sums and products do not wrap, by the source,
 * so that their 64-bit extension is the sum of the extensions. Runs before pass_address(), which forms the
 * multiply-add. */
#include "opencl/passes/address.h"
#include "opencl/passes/passes.h"

#include <stdlib.h>

#include "sim/base/need.h"

enum { REMEMBERED = 64, FURTHEST = 1 << 16 };

/* base + ((a + plus) * v + rest) * scale, and the value and block where it is available. */
struct form {
  ir_ref base, a, v, rest;
  uint64_t scale;
  int64_t plus;
  ir_ref address;
  uint32_t block;
};

struct chain {
  struct form known[REMEMBERED]; /* the newest at (count - 1) % REMEMBERED */
  uint32_t count;
  bool *leads;
  uint32_t refs;
};

static bool kept(const struct rewrite *rw, ir_ref ref) { return rw->ir->inst[ref].no_wrap & IR_NO_WRAP_SIGNED; }

/* (a + plus) * v */
static bool find_product(const struct rewrite *rw, ir_ref product, bool swapped, struct form *form) {
  if (!is_op(rw->ir, product, ISA_MUL_32) || !kept(rw, product))
    return false;
  const ir_ref sum = arg(rw, product, swapped);
  form->v = arg(rw, product, !swapped);
  form->a = sum;
  form->plus = 0;
  if (is_op(rw->ir, sum, ISA_ADD_32) && known(rw, arg(rw, sum, 1)) && kept(rw, sum)) {
    form->a = arg(rw, sum, 0);
    form->plus = kind_signed(bits_of(rw, arg(rw, sum, 1)), 32);
  }
  return !known(rw, form->v);
}

/* (a + plus) * v + rest */
static bool find_index(const struct rewrite *rw, ir_ref index, unsigned way, struct form *form) {
  form->rest = 0;
  ir_ref product = index;
  if (is_op(rw->ir, index, ISA_ADD_32)) {
    if (!kept(rw, index))
      return false;
    product = arg(rw, index, way & 1);
    form->rest = arg(rw, index, !(way & 1));
  }
  return find_product(rw, product, way & 2, form);
}

/* The index of ext(index) * scale. */
static ir_ref scaled_index(const struct rewrite *rw, ir_ref offset, uint64_t *scale) {
  *scale = 1;
  if (is_op(rw->ir, offset, ISA_SHL_64) && known(rw, arg(rw, offset, 1)) && bits_of(rw, arg(rw, offset, 1)) < 16) {
    *scale = UINT64_C(1) << bits_of(rw, arg(rw, offset, 1));
    offset = arg(rw, offset, 0);
  }
  return is_op(rw->ir, offset, ISA_CVT_S64_S32) ? arg(rw, offset, 0) : 0;
}

/* The nearest known address from which this one is some multiple of v away. */
static const struct form *find_near(const struct rewrite *rw, const struct form *form) {
  const struct chain *chain = rw->context;
  const struct form *best = NULL;
  for (uint32_t i = 0; i < chain->count && i < REMEMBERED; i++) {
    const struct form *at = &chain->known[i];
    const int64_t distance = form->plus - at->plus;
    if (at->base == form->base && at->a == form->a && at->v == form->v && at->rest == form->rest &&
        at->scale == form->scale && distance > 0 && distance * (int64_t)form->scale <= FURTHEST &&
        ir_dominates(rw->ir, at->block, rw->block) && (!best || at->plus > best->plus))
      best = at;
  }
  return best;
}

static ir_ref further(struct rewrite *rw, const struct form *from, const struct form *form) {
  const uint64_t by = (uint64_t)(form->plus - from->plus) * form->scale;
  const ir_ref step = rewrite_put(rw, ISA_CVT_S64_S32, form->v, 0, 0);
  const int shift = power_of(by);
  const ir_ref distance = shift == 0  ? step
                          : shift > 0 ? rewrite_put(rw, ISA_SHL_64, step, rewrite_32(rw, (unsigned)shift), 0)
                                      : rewrite_put(rw, ISA_MUL_64, step, rewrite_64(rw, by), 0);
  return rewrite_put(rw, ISA_ADD_64, from->address, distance, 0);
}

static void remember(struct chain *chain, struct form form, ir_ref address, uint32_t block) {
  form.address = address;
  form.block = block;
  chain->known[chain->count++ % REMEMBERED] = form;
}

static ir_ref chain_rule(struct rewrite *rw, ir_ref ref) {
  struct chain *chain = rw->context;
  if (ref >= chain->refs || !chain->leads[ref] || !is_op(rw->ir, ref, ISA_ADD_64))
    return ref;
  for (unsigned side = 0; side < 2; side++) {
    struct form form = {.base = arg(rw, ref, side)};
    const ir_ref index = scaled_index(rw, arg(rw, ref, !side), &form.scale);
    for (unsigned way = 0; index && way < 4; way++) {
      if (!find_index(rw, index, way, &form))
        continue;
      const struct form *near = find_near(rw, &form);
      const ir_ref address = near ? further(rw, near, &form) : ref;
      remember(chain, form, address, rw->block);
      if (near)
        return address;
    }
  }
  return ref;
}

void pass_chain(struct ir *ir) {
  ir_analyze(ir);
  struct chain *chain = need(1, sizeof *chain);
  chain->leads = address_values(ir);
  chain->refs = ir->count;
  struct rewrite rewrite = {.rule = chain_rule, .context = chain};
  rewrite_run(&rewrite, ir);
  free(chain->leads);
  free(chain);
}
