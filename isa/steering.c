#include "isa/steering.h"

#include <stdlib.h>
#include <string.h>

#include "isa/ops.h"
#include "isa/rows.h"
#include "sim/base/need.h"

/* Registers and predicates whose values steer, as scoreboard slots. */
enum { WORDS = (ISA_SLOTS + 63) / 64 };
struct slots {
  uint64_t word[WORDS];
};

/* A kernel under analysis. */
struct flow {
  const struct isa_program *program;
  uint32_t entry, end;
  struct slots *in; /* before each instruction */
  struct isa_steering *steering;
  bool lds, private_memory; /* their contents steer */
  bool changed;
};

static void add(struct slots *slots, uint32_t slot) { slots->word[slot / 64] |= UINT64_C(1) << slot % 64; }

static bool has(const struct slots *slots, uint32_t slot) { return slots->word[slot / 64] >> slot % 64 & 1; }

static void raise_flag(struct flow *flow, bool *flag) {
  flow->changed |= !*flag;
  *flag = true;
}

/* ---- what an instruction reads ----------------------------------------------------------------------- */

static void add_operand(struct slots *slots, const struct isa_inst *inst, char letter) {
  uint16_t slot[ISA_OPERAND_SLOTS];
  const unsigned count = isa_operand_slots(inst, letter, slot);
  for (unsigned i = 0; i < count; i++)
    add(slots, slot[i]);
}

/* Adds the registers of the operands with this role: those that values are computed from, or those that always
 * steer. */
static void add_operands(struct slots *slots, const struct isa_inst *inst, enum isa_operand_role role) {
  for (const char *letter = isa_formats[isa_rows[inst->op].format].operands; *letter; letter++)
    if (isa_operand(*letter)->role == role)
      add_operand(slots, inst, *letter);
}

static void add_steering(struct slots *slots, const struct isa_inst *inst, const struct isa_row *row) {
  add_operands(slots, inst, OPERAND_STEERS);
  if (row->format == FORMAT_IMAGE_STORE)
    add_operand(slots, inst, 'B'); /* the coordinates, which are an address */
  if (row->class_ == ISA_CLASS_COPY)
    add(slots, inst->d);
  if (inst->guard)
    add(slots, 256u + ((inst->guard - 1u) >> 1));
}

/* ---- a step backwards ---------------------------------------------------------------------------------- */

/* Whether the value operands of an instruction steer, given whether its result steers. Notes when a load reveals that a
 * memory space steers. */
static bool values_steer(struct flow *flow, enum isa_format format, bool made) {
  switch (format) {
  case FORMAT_LOAD_PRIVATE:
    if (made)
      raise_flag(flow, &flow->private_memory);
    return false;
  case FORMAT_PRINTF:
    raise_flag(flow, &flow->private_memory);
    return false;
  case FORMAT_STORE_PRIVATE:
    return flow->private_memory;
  case FORMAT_LOAD_LDS:
    if (made)
      raise_flag(flow, &flow->lds);
    return false;
  case FORMAT_ATOMIC_LDS:
  case FORMAT_CAS_LDS:
    if (made)
      raise_flag(flow, &flow->lds);
    return flow->lds;
  case FORMAT_STORE_LDS:
    return flow->lds;
  case FORMAT_LOAD_GLOBAL:
    if (made)
      raise_flag(flow, &flow->steering->global);
    return false;
  case FORMAT_ATOMIC_GLOBAL:
  case FORMAT_CAS_GLOBAL:
    if (made)
      raise_flag(flow, &flow->steering->global);
    return flow->steering->global;
  case FORMAT_STORE_GLOBAL:
  case FORMAT_IMAGE_STORE:
    return flow->steering->global;
  case FORMAT_IMAGE_READ: /* sampler and coordinates decide which texels memory serves */
    if (made)
      raise_flag(flow, &flow->steering->global);
    return true;
  case FORMAT_PREFETCH:
  case FORMAT_PIPE_RESERVE:
  case FORMAT_PIPE_COMMIT:
  case FORMAT_PIPE_SLOT:
  case FORMAT_PIPE_BAR:
  case FORMAT_MBARRIER_INIT:
  case FORMAT_MBARRIER_TEST:
    return true;
  default:
    return made;
  }
}

static bool copies(const struct isa_info *info) {
  return info->class_ == ISA_CLASS_COPY || info->class_ == ISA_CLASS_COPY_LANE;
}

/* Copies move bytes from one space to the other. */
static bool moves_steering(struct flow *flow, const struct isa_info *info) {
  if (!(info->to_global ? flow->steering->global : flow->lds))
    return false;
  raise_flag(flow, info->to_global ? &flow->lds : &flow->steering->global);
  return true;
}

static struct slots after(const struct flow *flow, uint32_t pc) {
  const struct isa_inst *inst = &flow->program->code[pc];
  struct slots out = {{0}};
  if ((inst->guard || (inst->op != ISA_BRA && inst->op != ISA_EXIT)) && pc + 1 < flow->end)
    out = flow->in[pc + 1 - flow->entry];
  if (inst->op == ISA_BRA)
    for (unsigned i = 0; i < WORDS; i++)
      out.word[i] |= flow->in[isa_branch_target(inst) - flow->entry].word[i];
  return out;
}

static void step_back(struct flow *flow, uint32_t pc) {
  const struct isa_inst *inst = &flow->program->code[pc];
  const struct isa_row *row = &isa_rows[inst->op];
  const struct isa_info *info = &flow->program->info[pc];
  struct slots slots = after(flow, pc);
  bool made = false;
  for (unsigned i = 0; i < info->writes; i++) {
    made |= has(&slots, info->slot[i]);
    if (!inst->guard) /* otherwise lanes may keep the old value */
      slots.word[info->slot[i] / 64] &= ~(UINT64_C(1) << info->slot[i] % 64);
  }
  if (values_steer(flow, (enum isa_format)row->format, made))
    add_operands(&slots, inst, OPERAND_VALUE);
  add_steering(&slots, inst, row);
  /* an event's number only counts copies, so it does not steer */
  flow->steering->steers[pc] = copies(info) ? moves_steering(flow, info) : made;
  struct slots *in = &flow->in[pc - flow->entry];
  flow->changed |= memcmp(in, &slots, sizeof slots) != 0;
  *in = slots;
}

static void follow(struct flow *flow) {
  do {
    flow->changed = false;
    for (uint32_t pc = flow->end; pc-- > flow->entry;)
      step_back(flow, pc);
  } while (flow->changed);
}

static void follow_kernel(const struct isa_program *program, const struct isa_kernel *kernel,
                          struct isa_steering *steering) {
  struct flow flow = {.program = program, .entry = kernel->entry, .end = kernel->end, .steering = steering};
  flow.in = need(kernel->end - kernel->entry, sizeof *flow.in);
  follow(&flow);
  steering->lds |= flow.lds;
  free(flow.in);
}

/* One kernel may load what another leaves in global memory, so this repeats until nothing new is found. */
void isa_steering_find(const struct isa_program *program, struct isa_steering *steering) {
  bool before;
  *steering = (struct isa_steering){.steers = need(program->count + 1, sizeof(bool))};
  do {
    before = steering->global;
    for (size_t i = 0; i < program->kernel_count; i++)
      follow_kernel(program, &program->kernels[i], steering);
  } while (steering->global != before);
}
