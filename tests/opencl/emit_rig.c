#include "tests/opencl/emit_rig.h"
#include "isa/ops.h"
#include "opencl/emit/emit.h"
#include "sim/base/need.h"
#include "tests/ct.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ir *emit_kernel_new(void) {
  struct ir *ir = ir_new("made");
  ir->arg_count = 9;
  ir->args = need(ir->arg_count, sizeof *ir->args);
  for (uint32_t i = 0; i < 9; i++) {
    char name[8];
    snprintf(name, sizeof name, "n%u", i);
    ir->args[i] = (struct isa_arg){.name = need_copy(name),
                                   .type = need_copy(i ? "u32" : "global"),
                                   .kind = i ? ISA_ARG_VALUE : ISA_ARG_GLOBAL,
                                   .bytes = i ? 4 : 8,
                                   .offset = i ? 4 + 4 * i : 0};
  }
  ir->arg_bytes = 8 + 8 * 4;
  if (!ir->blocks)
    ir_block_new(ir);
  return ir;
}

static void fill(struct emit_rig *rig) {
  const uint64_t base = ISA_GLOBAL_BASE;
  memcpy(rig->args, &base, sizeof base);
  for (uint32_t i = 0; i < 8; i++) {
    const uint32_t number = 0x9e3779b9u * (i + 1);
    memcpy(rig->args + 8 + 4 * i, &number, sizeof number);
  }
  uint64_t random = 1234567;
  for (uint32_t i = 0; i < EMIT_BYTES; i++)
    rig->memory[i] = (uint8_t)(ct_random(&random) >> 40);
}

bool emit_rig_open(struct emit_rig *rig, struct ir *ir, uint32_t registers) {
  struct isa_error error = {""};
  memset(rig, 0, sizeof *rig);
  rig->program = isa_program_new("made.cl");
  ir->target.registers = registers;
  if (emit_kernel(ir, rig->program, &error) && isa_validate(rig->program, &error) &&
      rig->program->kernels[0].registers <= registers)
    return true;
  ct_true(false, error.text, __FILE__, __LINE__);
  if (getenv("EMIT_SHOW")) {
    ct_freed(ct_free) char *text = ir_text(ir);
    fputs(text, stdout);
  }
  return false;
}

static void note_hazard(void *context, const struct isa_hazard *hazard) {
  struct emit_rig *rig = context;
  rig->hazards++;
  (void)hazard;
}

static bool run_warp(struct emit_rig *rig, struct isa_warp *warp) {
  static struct isa_access_lanes lanes;
  struct isa_access access = isa_access_with(&lanes);
  struct isa_result result;
  while (warp->live) {
    if (rig->steps++ > 10000000)
      return ct_true(false, "the kernel ends", __FILE__, __LINE__);
    isa_step(warp, &access, &result);
    const uint8_t class_ = rig->program->info[result.pc].class_;
    if (class_ == ISA_CLASS_LDS || class_ == ISA_CLASS_GLOBAL)
      isa_access_commit(&access);
  }
  return true;
}

bool emit_rig_run(struct emit_rig *rig) {
  fill(rig);
  rig->steps = 0;
  uint8_t lds[256] = {0};
  struct isa_buffer buffer = {.name = "memory", .base = ISA_GLOBAL_BASE, .bytes = EMIT_BYTES, .data = rig->memory};
  struct isa_memory memory = {.buffers = &buffer, .count = 1};
  const struct isa_launch launch = {.program = rig->program,
                                    .kernel = &rig->program->kernels[0],
                                    .dimensions = 1,
                                    .global = {EMIT_LANES, 1, 1},
                                    .local = {EMIT_LANES, 1, 1},
                                    .groups = {1, 1, 1},
                                    .warp_size = EMIT_LANES,
                                    .args = rig->args,
                                    .memory = &memory,
                                    .lds_bytes = sizeof lds,
                                    .report = note_hazard,
                                    .report_context = rig};
  struct isa_group group = {.lds = lds};
  isa_group_place(&group, &launch, 0);
  ct_freed(ct_free) void *storage = aligned_alloc(64, (isa_warp_bytes(&launch) + 63) / 64 * 64);
  struct isa_warp warp;
  isa_warp_place(&warp, &launch, storage);
  isa_warp_start(&warp, &group, 0);
  return run_warp(rig, &warp);
}

void emit_rig_close(struct emit_rig *rig) { isa_program_free(rig->program); }

uint32_t emit_rig_count(const struct emit_rig *rig, enum isa_op op) {
  uint32_t count = 0;
  for (uint32_t pc = 0; pc < rig->program->count; pc++)
    count += rig->program->code[pc].op == op;
  return count;
}

/* ---- the interpreter ------------------------------------------------------------------------------------ */

struct lane {
  const struct ir *ir;
  struct emit_rig *rig;
  uint32_t (*word)[4];
  uint8_t *private_bytes; /* slot by slot, 64 bytes each */
  uint32_t id;
};

static uint64_t value64(const struct lane *l, ir_ref ref) {
  if (!ref)
    return 0;
  const struct ir_inst *inst = &l->ir->inst[ref];
  if (inst->op == IR_CONST)
    return inst->imm;
  return l->word[ref][0] | (uint64_t)l->word[ref][1] << 32;
}

static uint32_t value(const struct lane *l, ir_ref ref) {
  return l->ir->inst[ref].op == IR_SLOT ? 64 * (uint32_t)l->ir->inst[ref].imm : (uint32_t)value64(l, ref);
}

static uint8_t *memory_at(const struct lane *l, ir_ref ref) {
  const struct ir_inst *inst = &l->ir->inst[ref];
  const ir_ref *operand = &l->ir->operand[inst->operands];
  if (isa_rows[inst->op].class_ == ISA_CLASS_PRIVATE)
    return l->private_bytes + value(l, operand[0]) + inst->imm;
  return l->rig->memory + (value64(l, operand[0]) - ISA_GLOBAL_BASE + value(l, operand[1]) + inst->imm);
}

/* Loads, stores and renamings; false for anything else. */
static bool move_words(struct lane *l, ir_ref ref) {
  const struct ir_inst *inst = &l->ir->inst[ref];
  const ir_ref *operand = &l->ir->operand[inst->operands];
  uint32_t *d = l->word[ref];
  switch (inst->op) {
  case ISA_LD_GLOBAL_32:
  case ISA_LD_GLOBAL_64:
  case ISA_LD_GLOBAL_128:
  case ISA_LD_PRIVATE_32:
  case ISA_LD_PRIVATE_64:
    memcpy(d, memory_at(l, ref), isa_types[isa_rows[inst->op].a].bytes);
    return true;
  case ISA_ST_GLOBAL_32:
  case ISA_ST_GLOBAL_64:
  case ISA_ST_GLOBAL_128:
  case ISA_ST_PRIVATE_32:
  case ISA_ST_PRIVATE_64: {
    const uint64_t number = value64(l, operand[2]);
    const bool constant = l->ir->inst[operand[2]].op == IR_CONST;
    memcpy(memory_at(l, ref), constant ? (const void *)&number : l->word[operand[2]],
           isa_types[isa_rows[inst->op].a].bytes);
    return true;
  }
  case ISA_LD_ARG_32:
  case ISA_LD_ARG_64:
    memcpy(d, l->rig->args + inst->imm, isa_types[isa_rows[inst->op].a].bytes);
    return true;
  case IR_WORD:
    d[0] = inst->imm < 2 ? (uint32_t)(value64(l, operand[0]) >> 32 * inst->imm) : l->word[operand[0]][inst->imm];
    return true;
  case IR_JOIN:
    for (uint32_t i = 0; i < inst->count; i++)
      d[i] = operand[i] ? value(l, operand[i]) : 0;
    return true;
  default:
    return false;
  }
}

static bool compute(struct lane *l, ir_ref ref) {
  const struct ir_inst *inst = &l->ir->inst[ref];
  const uint64_t a = value64(l, ir_operand(l->ir, ref, 0)), b = value64(l, ir_operand(l->ir, ref, 1));
  const uint64_t c = value64(l, ir_operand(l->ir, ref, 2));
  uint64_t d;
  switch (inst->op) {
#define ROW(op, expression)                                                                                            \
  case op:                                                                                                             \
    d = (expression);                                                                                                  \
    break;
    /* clang-format off */
    ROW(ISA_ADD_32, (uint32_t)(a + b)) ROW(ISA_SUB_32, (uint32_t)(a - b)) ROW(ISA_MUL_32, (uint32_t)(a * b))
    ROW(ISA_MAD_32, (uint32_t)(a * b + c)) ROW(ISA_XOR_32, a ^ b) ROW(ISA_ADD_64, a + b) ROW(ISA_SUB_64, a - b)
    ROW(ISA_MAD_64, a * b + c) ROW(ISA_XOR_64, a ^ b) ROW(ISA_MADW_U32, (uint64_t)(uint32_t)a * (uint32_t)b + c)
    ROW(ISA_CVT_U64_U32, (uint32_t)a) ROW(ISA_CVT_U32_U64, (uint32_t)a) ROW(ISA_PACK, (uint32_t)a | b << 32)
    ROW(ISA_SEL_32, c & 1 ? a : b) ROW(ISA_SEL_64, c & 1 ? a : b) ROW(ISA_SETP_LT_U32, (uint32_t)a < (uint32_t)b)
    ROW(ISA_SETP_NE_U32, (uint32_t)a != (uint32_t)b) ROW(ISA_SETP_LT_U64, a < b) ROW(ISA_NOT_P, !(a & 1))
    ROW(ISA_AND_P, a & b & 1) ROW(ISA_ANDN_P, a & ~b & 1) ROW(ISA_OR_P, (a | b) & 1) ROW(ISA_XOR_P, (a ^ b) & 1)
    ROW(ISA_CVT_U32_P, a & 1) ROW(ISA_GET_GLOBAL_ID, l->id) ROW(ISA_GET_LANE, l->id)
    ROW(ISA_GET_LOCAL_SIZE, EMIT_LANES) ROW(ISA_SHL_64, a << (b & 63)) ROW(ISA_SHR_U64, a >> (b & 63))
    ROW(ISA_AND_32, a & b)
    /* clang-format on */
#undef ROW
                                                default
        : return ct_true(false, "the interpreter knows the operation", __FILE__, __LINE__);
  }
  l->word[ref][0] = (uint32_t)d;
  l->word[ref][1] = (uint32_t)(d >> 32);
  return true;
}

static bool interpret(struct lane *l, ir_ref ref) {
  const struct ir_inst *inst = &l->ir->inst[ref];
  if (inst->guard && (value64(l, inst->guard) & 1) == inst->guard_not) {
    if (inst->keep)
      for (uint32_t i = 0; i < 4; i++)
        l->word[ref][i] = l->ir->inst[inst->keep].op == IR_CONST
                              ? (i < 2 ? (uint32_t)(l->ir->inst[inst->keep].imm >> 32 * i) : 0)
                              : l->word[inst->keep][i];
    return true;
  }
  return inst->op == IR_SLOT || move_words(l, ref) || compute(l, ref);
}

/* Reads all phis before writing any. */
static void enter(struct lane *l, uint32_t from, uint32_t at) {
  const struct ir_block *block = &l->ir->block[at];
  uint32_t(*read)[4] = need(block->count, sizeof *read);
  uint32_t phis = 0;
  for (; phis < block->count && l->ir->inst[block->inst[phis]].op == IR_PHI; phis++)
    for (uint32_t i = 0; i < l->ir->inst[block->inst[phis]].count; i += 2)
      if (ir_operand(l->ir, block->inst[phis], i) == from) {
        const ir_ref ref = ir_operand(l->ir, block->inst[phis], i + 1);
        const uint64_t low = value64(l, ref);
        memcpy(read[phis], l->word[ref], sizeof *read);
        memcpy(read[phis], &low, sizeof low);
      }
  for (uint32_t i = 0; i < phis; i++)
    memcpy(l->word[block->inst[i]], read[i], sizeof *read);
  free(read);
}

static bool interpret_lane(struct lane *l) {
  for (uint32_t at = 0;;) {
    const struct ir_block *block = &l->ir->block[at];
    for (uint32_t i = 0; i < block->count; i++)
      if (l->ir->inst[block->inst[i]].op != IR_PHI && !interpret(l, block->inst[i]))
        return false;
    if (block->end == IR_END_EXIT)
      return true;
    const uint32_t to = block->to[block->end == IR_END_IF && !(value64(l, block->condition) & 1)];
    enter(l, at, to);
    at = to;
  }
}

bool emit_rig_interpret(struct emit_rig *rig, const struct ir *ir) {
  bool good = true;
  fill(rig);
  for (uint32_t id = 0; good && id < EMIT_LANES; id++) {
    struct lane lane = {ir, rig, need(ir->count, sizeof *lane.word), need(ir->slots + 1, 64), id};
    good = interpret_lane(&lane);
    free(lane.word);
    free(lane.private_bytes);
  }
  return good;
}
