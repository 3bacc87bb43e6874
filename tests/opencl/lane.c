/* A walk over blocks. Arithmetic is the executor's own, through constant folding. */
#include "tests/opencl/lane.h"
#include "isa/ops.h"
#include "opencl/passes/kinds.h"
#include "tests/ct.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 200000 };

struct value {
  uint32_t word[4];
};

struct run {
  struct lane *lane;
  const struct ir *ir;
  struct value *value;
};

void lane_start(struct lane *lane, uint64_t seed, uint32_t id) {
  *lane = (struct lane){.id = id};
  for (int i = 0; i < LANE_GLOBAL; i++)
    lane->global[i] = (uint8_t)(ct_random(&seed) >> 32);
  for (int i = 0; i < LANE_LDS; i++)
    lane->lds[i] = (uint8_t)(ct_random(&seed) >> 32);
  for (int i = 0; i < LANE_ARGS; i++)
    lane->args[i] = (uint8_t)(ct_random(&seed) >> 32);
}

static uint64_t mixed(uint64_t digest, uint64_t word) {
  return (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15) + (digest >> 31);
}

static void note(struct lane *lane, uint64_t what) { lane->digest = mixed(lane->digest, what); }

static uint64_t digest_of(uint64_t digest, const uint8_t *memory, size_t bytes) {
  for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
    uint64_t word;
    memcpy(&word, memory + i, sizeof word);
    digest = mixed(digest, word);
  }
  return digest;
}

static void note_memory(struct lane *lane) {
  if (lane->is_watched)
    lane->seen = digest_of(digest_of(lane->seen, lane->global, sizeof lane->global), lane->lds, sizeof lane->lds);
}

static struct value get(const struct run *run, ir_ref ref) {
  const struct ir_inst *inst = &run->ir->inst[ref];
  if (inst->op == IR_CONST)
    return (struct value){{(uint32_t)inst->imm, (uint32_t)(inst->imm >> 32), 0, 0}};
  return ref ? run->value[ref] : (struct value){{0}};
}

static uint64_t bits(struct value value) { return (uint64_t)value.word[1] << 32 | value.word[0]; }

static struct value of_bits(uint64_t from, uint8_t width) {
  return (struct value){{(uint32_t)from, width == IR_W2 ? (uint32_t)(from >> 32) : 0, 0, 0}};
}

static uint32_t slot_offset(const struct ir *ir, uint64_t slot) {
  uint32_t offset = 0;
  for (uint64_t i = 0; i < slot; i++)
    offset += (ir->slot[i].bytes + 7) & ~7u;
  return offset;
}

/* The bytes that an access refers to, or NULL. */
static uint8_t *place(const struct run *run, ir_ref ref, uint32_t bytes, uint64_t *address) {
  const struct ir_inst *inst = &run->ir->inst[ref];
  const struct isa_row *row = &isa_rows[inst->op];
  const uint64_t base = bits(get(run, ir_operand(run->ir, ref, 0)));
  struct lane *lane = run->lane;
  uint8_t *memory = lane->args;
  uint64_t room = LANE_ARGS;
  *address = inst->imm;
  if (row->class_ == ISA_CLASS_GLOBAL) {
    *address = base + bits(get(run, ir_operand(run->ir, ref, 1))) + inst->imm - ISA_GLOBAL_BASE;
    memory = lane->global;
    room = LANE_GLOBAL;
  } else if (row->class_ == ISA_CLASS_LDS || row->class_ == ISA_CLASS_PRIVATE) {
    *address = (uint32_t)(base + inst->imm);
    memory = row->class_ == ISA_CLASS_LDS ? lane->lds : lane->private_memory;
    room = row->class_ == ISA_CLASS_LDS ? LANE_LDS : LANE_PRIVATE;
  }
  return bytes <= room && *address <= room - bytes ? memory + *address : NULL;
}

static void access(struct run *run, ir_ref ref) {
  const struct ir_inst *inst = &run->ir->inst[ref];
  const struct isa_row *row = &isa_rows[inst->op];
  const uint32_t bytes = isa_types[row->a].bytes;
  uint64_t address;
  uint8_t *at = place(run, ref, bytes, &address);
  if (inst->guard && (get(run, inst->guard).word[0] & 1) == inst->guard_not) {
    run->value[ref] = get(run, inst->keep);
    return;
  }
  if (!at) {
    run->lane->failed = true;
    return;
  }
  if (inst->width == IR_NOTHING) {
    const struct value value = get(run, ir_operand(run->ir, ref, 2));
    memcpy(at, &value, bytes);
    if (row->class_ == ISA_CLASS_PRIVATE)
      return;
    note(run->lane, address);
    for (uint32_t i = 0; i < bytes; i++)
      note(run->lane, at[i]);
    return;
  }
  struct value value = {{0}};
  memcpy(&value, at, bytes);
  if (row->a == TYPE_S8)
    value.word[0] = (uint32_t)(int8_t)value.word[0];
  if (row->a == TYPE_S16)
    value.word[0] = (uint32_t)(int16_t)value.word[0];
  run->value[ref] = value;
}

static struct value own(const struct run *run, ir_ref ref) {
  const struct ir *ir = run->ir;
  const struct ir_inst *inst = &ir->inst[ref];
  struct value value = {{0}};
  if (inst->op == IR_WORD)
    value.word[0] = get(run, ir_operand(ir, ref, 0)).word[inst->imm];
  else if (inst->op == IR_SLOT)
    value.word[0] = slot_offset(ir, inst->imm);
  else if (inst->op == IR_JOIN)
    for (uint32_t i = 0; i < inst->count; i++)
      value.word[i] = get(run, ir_operand(ir, ref, i)).word[0];
  return value;
}

static void run_one(struct run *run, ir_ref ref) {
  const struct ir_inst *inst = &run->ir->inst[ref];
  uint64_t operand[3], result;
  run->lane->steps++;
  if (inst->op >= ISA_OPS) {
    run->value[ref] = own(run, ref);
    return;
  }
  const struct isa_row *row = &isa_rows[inst->op];
  for (uint32_t i = 0; i < 3; i++)
    operand[i] = bits(get(run, ir_operand(run->ir, ref, i)));
  if (fold_numbered(inst->op, inst->imm, operand, &result))
    run->value[ref] = of_bits(result, inst->width);
  else if (row->format == FORMAT_QUERY_AXIS || row->format == FORMAT_QUERY)
    run->value[ref] = of_bits(run->lane->id + inst->op % 3 + 1 + inst->imm, inst->width);
  else if (row->class_ == ISA_CLASS_BARRIER) {
    note(run->lane, inst->op);
    note_memory(run->lane);
  } else
    access(run, ref);
}

/* Reads all phis of a block before writing any. */
static uint32_t run_phis(struct run *run, uint32_t block, uint32_t from) {
  const struct ir *ir = run->ir;
  const struct ir_block *in = &ir->block[block];
  uint32_t count = 0;
  ct_freed(ct_free) struct value *brought = calloc(in->count + 1, sizeof *brought);
  while (count < in->count && ir->inst[in->inst[count]].op == IR_PHI) {
    const struct ir_inst *phi = &ir->inst[in->inst[count]];
    for (uint32_t i = 0; i < phi->count; i += 2)
      if (ir->operand[phi->operands + i] == from)
        brought[count] = get(run, ir->operand[phi->operands + i + 1]);
    count++;
  }
  for (uint32_t k = 0; k < count; k++)
    run->value[in->inst[k]] = brought[k];
  return count;
}

void lane_run(struct lane *lane, const struct ir *ir) {
  struct run run = {lane, ir, calloc(ir->count, sizeof(struct value))};
  uint32_t block = 0, from = 0;
  while (!lane->failed) {
    const struct ir_block *in = &ir->block[block];
    for (uint32_t k = run_phis(&run, block, from); k < in->count && !lane->failed; k++)
      run_one(&run, in->inst[k]);
    if (in->end != IR_END_GOTO && in->end != IR_END_IF)
      break;
    from = block;
    block = in->to[in->end == IR_END_IF && !(get(&run, in->condition).word[0] & 1)];
    lane->failed |= ++lane->steps > MOST_STEPS;
  }
  note_memory(lane);
  free(run.value);
}

void lane_same_after(struct ir *ir, void (*pass)(struct ir *)) {
  enum { LANES = 16 };
  static struct lane before[LANES], after;
  for (uint32_t i = 0; i < LANES; i++) {
    lane_start(&before[i], i, i);
    lane_run(&before[i], ir);
  }
  pass(ir);
  char room[IR_FAULT];
  const char *fault = ir_fault(ir, room);
  EXPECT_STREQ(fault ? fault : "", "");
  for (uint32_t i = 0; i < LANES && !fault; i++) {
    ct_note("lane %u", i);
    lane_start(&after, i, i);
    lane_run(&after, ir);
    EXPECT_FALSE(before[i].failed);
    EXPECT_EQ(after.digest, before[i].digest);
  }
}
