/* Three-input operations, where the machine has them:
 *
 *     (a & b) ^ ~c, ...      lop3: any tree of and, or, exclusive or and not over up to three values
 *     a + b + c, a - b - c   add3, addsub, sub3
 *     (a << k) + b, - b      lea, leasub
 *
 * The pass visits instructions in order, so the lower part of a tree is already one instruction. A tree absorbs
 * operands that have no other use and are computed in its own loop. It tries all subsets of them at once: in the
 * majority (a & b) ^ (a & c) ^ (b & c), neither side fits alone. A complement is absorbed even if it has other uses,
 * because that costs nothing. Runs after pass_address(), which moves sums into addresses and products. */
#include "opencl/ir/log.h"
#include "opencl/passes/identity.h"
#include "opencl/passes/passes.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LEAVES = 3 };

struct fuse {
  uint32_t *uses, refs;
};

/* What an instruction computes from its leaves: a truth table, or a signed sum. */
struct tree {
  ir_ref leaf[MOST_LEAVES];
  unsigned leaves;
  uint8_t table;   /* logic: bit 4 a + 2 b + c */
  uint8_t minus;   /* sums: one bit for each leaf that is subtracted */
  uint32_t number; /* sums: constant addend */
};

static uint32_t uses_of(const struct rewrite *rw, ir_ref ref) {
  const struct fuse *fuse = rw->context;
  return ref < fuse->refs ? fuse->uses[ref] : UINT32_MAX;
}

/* Has no other use, and is computed in the loop that uses it. */
static bool can_go(const struct rewrite *rw, ir_ref ref) {
  const struct ir *ir = rw->ir;
  const uint32_t block = ir->inst[ref].block;
  return uses_of(rw, ref) == 1 && block != IR_NOWHERE && ir->block[block].loop == ir->block[rw->block].loop;
}

static bool has_tree(const struct ir *ir, ir_ref ref, bool logic) {
  switch (ir->inst[ref].op) {
  case ISA_AND_32:
  case ISA_OR_32:
  case ISA_XOR_32:
  case ISA_NOT_32:
  case ISA_BITSEL:
  case ISA_LOP3:
    return logic;
  case ISA_ADD_32:
  case ISA_SUB_32:
  case ISA_NEG_32:
  case ISA_ADD3:
  case ISA_ADDSUB:
  case ISA_SUB3:
    return !logic;
  default:
    return false;
  }
}

/* Removes one use. A value without uses releases its operands. */
static void release(const struct rewrite *rw, ir_ref ref, bool logic) {
  const struct fuse *fuse = rw->context;
  if (ref >= fuse->refs || !fuse->uses[ref] || --fuse->uses[ref] || !has_tree(rw->ir, ref, logic))
    return;
  for (uint32_t i = 0; i < rw->ir->inst[ref].count; i++)
    release(rw, arg(rw, ref, i), logic);
}

/* Turns `ref` into another operation in place, with any number of operands. */
static ir_ref replace_by(struct rewrite *rw, ir_ref ref, uint16_t op, const ir_ref *operand, uint32_t count,
                         uint64_t imm, bool logic) {
  struct ir *ir = rw->ir;
  const struct fuse *fuse = rw->context;
  for (uint32_t i = 0; i < count; i++)
    if (operand[i] < fuse->refs)
      fuse->uses[operand[i]]++;
  for (uint32_t i = 0; i < ir->inst[ref].count; i++)
    release(rw, arg(rw, ref, i), logic);
  const ir_ref made = ir_make(ir, op, IR_W1, operand, count, imm, ir->inst[ref].place);
  ir->inst[ref].operands = ir->inst[made].operands;
  ir->inst[ref].count = count;
  ir->inst[ref].op = op;
  ir->inst[ref].imm = imm;
  rw->changed = true;
  return ref;
}

/* ---- logic ------------------------------------------------------------------------------------------- */

static const uint8_t variable[MOST_LEAVES] = {0xf0, 0xcc, 0xaa}; /* truth tables of a, b and c themselves */

static struct tree logic_of(const struct ir *ir, ir_ref ref) {
  const struct ir_inst *inst = &ir->inst[ref];
  struct tree tree = {.leaves = inst->count};
  const uint8_t a = variable[0], b = variable[1], c = variable[2];
  for (uint32_t i = 0; i < inst->count; i++)
    tree.leaf[i] = ir_operand(ir, ref, i);
  switch (inst->op) {
  case ISA_AND_32:
    tree.table = a & b;
    break;
  case ISA_OR_32:
    tree.table = a | b;
    break;
  case ISA_XOR_32:
    tree.table = a ^ b;
    break;
  case ISA_NOT_32:
    tree.table = (uint8_t)~a;
    break;
  case ISA_BITSEL:
    tree.table = (uint8_t)((a & ~c) | (b & c));
    break;
  default:
    tree.table = (uint8_t)inst->imm;
    break;
  }
  return tree;
}

/* The index of a leaf, which is added if there is room; MOST_LEAVES: no room. */
static unsigned take_leaf(struct tree *tree, ir_ref leaf) {
  unsigned i = 0;
  while (i < tree->leaves && tree->leaf[i] != leaf)
    i++;
  if (i == tree->leaves && i < MOST_LEAVES)
    tree->leaf[tree->leaves++] = leaf;
  return i;
}

/* Removes leaves that the table does not depend on. */
static struct tree without_idle(const struct tree *tree) {
  struct tree less = {.table = tree->table};
  unsigned kept[MOST_LEAVES] = {0};
  for (unsigned i = 0; i < tree->leaves; i++) {
    const unsigned shift = 4u >> i;
    if (((tree->table >> shift ^ tree->table) & ~variable[i] & 0xff) != 0) {
      kept[less.leaves] = i;
      less.leaf[less.leaves++] = tree->leaf[i];
    }
  }
  less.table = 0;
  for (unsigned row = 0; row < 8; row++) {
    unsigned from = 0;
    for (unsigned i = 0; i < less.leaves; i++)
      from |= (row >> (2 - i) & 1) << (2 - kept[i]);
    less.table |= (uint8_t)((tree->table >> from & 1) << row);
  }
  return less;
}

/* Absorbs the leaves that `which` flags, one bit each; false if the result has too many leaves. */
static bool take_in(const struct ir *ir, const struct tree *tree, unsigned which, struct tree *result) {
  unsigned at[MOST_LEAVES][MOST_LEAVES];
  struct tree inner[MOST_LEAVES];
  *result = (struct tree){0};
  for (unsigned i = 0; i < tree->leaves; i++) {
    inner[i] = which >> i & 1 ? logic_of(ir, tree->leaf[i])
                              : (struct tree){.leaf = {tree->leaf[i]}, .leaves = 1, .table = variable[0]};
    for (unsigned k = 0; k < inner[i].leaves; k++)
      if ((at[i][k] = take_leaf(result, inner[i].leaf[k])) == MOST_LEAVES)
        return false;
  }
  for (unsigned row = 0; row < 8; row++) {
    unsigned outer = 0;
    for (unsigned i = 0; i < tree->leaves; i++) {
      unsigned index = 0;
      for (unsigned k = 0; k < inner[i].leaves; k++)
        index |= (row >> (2 - at[i][k]) & 1) << (2 - k);
      outer |= (unsigned)(inner[i].table >> index & 1) << (2 - i);
    }
    result->table |= (uint8_t)((tree->table >> outer & 1) << row);
  }
  *result = without_idle(result);
  return true;
}

static unsigned constants_among(const struct ir *ir, const struct tree *tree) {
  unsigned constants = 0;
  for (unsigned i = 0; i < tree->leaves; i++)
    constants += ir_is_const(ir, tree->leaf[i]);
  return constants;
}

/* Absorbs the largest possible set of leaves; false if there is none. */
static bool grow_logic(struct rewrite *rw, struct tree *tree) {
  unsigned can = 0, free_of_cost = 0, best = 0;
  struct tree grown, most = {0};
  for (unsigned i = 0; i < tree->leaves; i++)
    if (has_tree(rw->ir, tree->leaf[i], true)) {
      can |= (unsigned)can_go(rw, tree->leaf[i]) << i;
      free_of_cost |= (unsigned)is_op(rw->ir, tree->leaf[i], ISA_NOT_32) << i;
    }
  can |= free_of_cost;
  for (unsigned which = 1; which <= can; which++)
    if ((which & ~can) == 0 && __builtin_popcount(which) > __builtin_popcount(best) &&
        take_in(rw->ir, tree, which, &grown) && constants_among(rw->ir, &grown) <= 1) {
      best = which;
      most = grown;
    }
  if (best)
    *tree = most;
  return best;
}

static ir_ref put_logic(struct rewrite *rw, ir_ref ref, const struct tree *tree) {
  static const struct {
    uint8_t table;
    uint16_t op;
    uint8_t leaves;
  } plain[] = {
      {0xf0 & 0xcc, ISA_AND_32, 2}, {0xf0 | 0xcc, ISA_OR_32, 2}, {0xf0 ^ 0xcc, ISA_XOR_32, 2}, {0x0f, ISA_NOT_32, 1}};
  if (!tree->leaves)
    return rewrite_32(rw, tree->table & 1 ? UINT32_MAX : 0);
  if (tree->leaves == 1 && tree->table == variable[0])
    return tree->leaf[0];
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    if (tree->leaves == plain[i].leaves && tree->table == plain[i].table)
      return replace_by(rw, ref, plain[i].op, tree->leaf, tree->leaves, 0, true);
  const ir_ref operand[] = {tree->leaf[0], tree->leaf[1], tree->leaf[tree->leaves - 1]};
  return replace_by(rw, ref, ISA_LOP3, operand, 3, tree->table, true);
}

static ir_ref logic_rule(struct rewrite *rw, ir_ref ref) {
  struct tree tree = logic_of(rw->ir, ref);
  bool grown = false;
  while (grow_logic(rw, &tree))
    grown = true;
  return grown ? put_logic(rw, ref, &tree) : ref;
}

/* ---- sums -------------------------------------------------------------------------------------------- */

/* Adds a signed value; false if there is no room. */
static bool add_leaf(const struct ir *ir, struct tree *sum, ir_ref leaf, bool minus) {
  if (ir_is_const(ir, leaf)) {
    sum->number += minus ? 0u - (uint32_t)ir->inst[leaf].imm : (uint32_t)ir->inst[leaf].imm;
    return true;
  }
  if (sum->leaves == MOST_LEAVES)
    return false;
  sum->minus |= (uint8_t)(minus << sum->leaves);
  sum->leaf[sum->leaves++] = leaf;
  return true;
}

static unsigned minus_of(uint16_t op) {
  switch (op) {
  case ISA_NEG_32:
    return 1;
  case ISA_SUB_32:
    return 2;
  case ISA_ADDSUB:
    return 4;
  case ISA_SUB3:
    return 6;
  default:
    return 0;
  }
}

/* Adds the operands of `ref`, and for those that `which` flags, their operands instead. */
static bool add_up(const struct ir *ir, ir_ref ref, unsigned which, bool minus, struct tree *sum) {
  const struct ir_inst *inst = &ir->inst[ref];
  const unsigned signs = minus_of(inst->op);
  for (uint32_t i = 0; i < inst->count; i++) {
    const ir_ref operand = ir_operand(ir, ref, i);
    const bool negative = minus != (signs >> i & 1);
    if (!(which >> i & 1 ? add_up(ir, operand, 0, negative, sum) : add_leaf(ir, sum, operand, negative)))
      return false;
  }
  return true;
}

/* Sorts the operands, including the constant, for one instruction: subtracted values last. False if none fits. */
static bool sort_sum(struct rewrite *rw, const struct tree *sum, ir_ref operand[MOST_LEAVES], uint16_t *op,
                     uint32_t *count) {
  static const uint16_t ops[MOST_LEAVES + 1][MOST_LEAVES] = {
      {0}, {0}, {ISA_ADD_32, ISA_SUB_32, 0}, {ISA_ADD3, ISA_ADDSUB, ISA_SUB3}};
  unsigned plus = 0, minus = 0;
  for (unsigned i = 0; i < sum->leaves; i++)
    if (!(sum->minus >> i & 1))
      operand[plus++] = sum->leaf[i];
  if (sum->number && plus + (unsigned)__builtin_popcount(sum->minus) == MOST_LEAVES)
    return false;
  if (sum->number)
    operand[plus++] = rewrite_32(rw, sum->number);
  for (unsigned i = 0; i < sum->leaves; i++)
    if (sum->minus >> i & 1)
      operand[plus + minus++] = sum->leaf[i];
  *count = plus + minus;
  *op = minus < MOST_LEAVES ? ops[*count][minus] : 0;
  return plus && *op;
}

static bool grow_sum(struct rewrite *rw, ir_ref ref) {
  unsigned can = 0, best = 0;
  uint16_t op = 0, found = 0;
  uint32_t count = 0, operands = 0;
  ir_ref operand[MOST_LEAVES] = {0}, most[MOST_LEAVES] = {0};
  for (uint32_t i = 0; i < rw->ir->inst[ref].count; i++)
    can |= (unsigned)(has_tree(rw->ir, arg(rw, ref, i), false) && can_go(rw, arg(rw, ref, i))) << i;
  for (unsigned which = 1; which <= can; which++) {
    struct tree sum = {0};
    if ((which & ~can) == 0 && __builtin_popcount(which) > __builtin_popcount(best) &&
        add_up(rw->ir, ref, which, false, &sum) && sort_sum(rw, &sum, operand, &found, &count)) {
      best = which;
      op = found;
      operands = count;
      memcpy(most, operand, sizeof most);
    }
  }
  if (best)
    replace_by(rw, ref, op, most, operands, 0, false);
  return best;
}

static ir_ref sum_rule(struct rewrite *rw, ir_ref ref) {
  while (grow_sum(rw, ref))
    ;
  return ref;
}

static bool is_shift(const struct rewrite *rw, ir_ref ref) {
  return is_op(rw->ir, ref, ISA_SHL_32) && known(rw, arg(rw, ref, 1)) && can_go(rw, ref);
}

/* x * 2^k + y, as pass_address() forms it; (x << k) + y, which it leaves alone where y is constant; and (x << k) - y.
 */
static ir_ref shift_add(struct rewrite *rw, ir_ref ref) {
  const struct ir_inst *inst = &rw->ir->inst[ref];
  if (inst->op == ISA_MAD_32 && known(rw, arg(rw, ref, 1)) && power_of(bits_of(rw, arg(rw, ref, 1))) > 0) {
    const ir_ref operand[] = {arg(rw, ref, 0), arg(rw, ref, 2)};
    return replace_by(rw, ref, ISA_LEA, operand, 2, (uint64_t)power_of(bits_of(rw, arg(rw, ref, 1))), false);
  }
  const bool is_sum = inst->op == ISA_ADD_32;
  for (uint32_t side = 0; side < (is_sum ? 2 : inst->op == ISA_SUB_32); side++) {
    const ir_ref shifted = arg(rw, ref, side);
    if (!is_shift(rw, shifted))
      continue;
    const ir_ref operand[] = {arg(rw, shifted, 0), arg(rw, ref, !side)};
    return replace_by(rw, ref, is_sum ? ISA_LEA : ISA_LEASUB, operand, 2, bits_of(rw, arg(rw, shifted, 1)) & 31, false);
  }
  return 0;
}

/* Splits multiply-adds for machines that have none. */
static ir_ref without_mad(struct rewrite *rw, ir_ref ref) {
  static const uint16_t halves[][3] = {{ISA_MAD_32, ISA_MUL_32, ISA_ADD_32},
                                       {ISA_MAD_64, ISA_MUL_64, ISA_ADD_64},
                                       {ISA_MADW_S32, ISA_MULW_S32, ISA_ADD_64},
                                       {ISA_MADW_U32, ISA_MULW_U32, ISA_ADD_64}};
  for (size_t i = 0; i < sizeof halves / sizeof *halves; i++)
    if (is_op(rw->ir, ref, halves[i][0])) {
      const ir_ref product = rewrite_put(rw, halves[i][1], arg(rw, ref, 0), arg(rw, ref, 1), 0);
      return rewrite_put(rw, halves[i][2], product, arg(rw, ref, 2), 0);
    }
  return 0;
}

/* ---- the pass ---------------------------------------------------------------------------------------- */

static ir_ref fuse_rule(struct rewrite *rw, ir_ref ref) {
  const struct isa_features *isa = &rw->ir->target.isa;
  const ir_ref shifted = isa->shift_add && !rw->ir->inst[ref].guard ? shift_add(rw, ref) : 0;
  if (shifted)
    return shifted;
  const ir_ref apart = isa->mad ? 0 : without_mad(rw, ref);
  if (apart)
    return apart;
  if (isa->lop3 && has_tree(rw->ir, ref, true))
    return logic_rule(rw, ref);
  return isa->add3 && has_tree(rw->ir, ref, false) ? sum_rule(rw, ref) : ref;
}

static void note_all(struct ir *ir) {
  for (uint32_t i = 0; i < ir->ordered; i++)
    for (uint32_t k = 0; k < ir->block[ir->order[i]].count; k++) {
      const struct ir_inst *inst = &ir->inst[ir->block[ir->order[i]].inst[k]];
      if (inst->op == ISA_LOP3)
        ir_note(ir, inst->place, "lop3.b32 with table 0x%02x", (unsigned)inst->imm);
      else if (inst->op == ISA_ADD3 || inst->op == ISA_ADDSUB || inst->op == ISA_SUB3 || inst->op == ISA_LEA ||
               inst->op == ISA_LEASUB)
        ir_note(ir, inst->place, "%s", isa_op_name(inst->op));
    }
}

void pass_fuse(struct ir *ir) {
  const struct isa_features *isa = &ir->target.isa;
  if (!isa->lop3 && !isa->add3 && !isa->shift_add && isa->mad)
    return;
  ir_analyze(ir);
  struct fuse fuse = {count_uses(ir), ir->count};
  struct rewrite rewrite = {.rule = fuse_rule, .context = &fuse};
  rewrite_run(&rewrite, ir);
  remove_unused(ir);
  note_all(ir);
  free(fuse.uses);
}
