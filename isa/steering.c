#include "isa/steering.h"

#include <stdlib.h>
#include <string.h>

#include "isa/rows.h"

/* Registers and predicates whose values steer: the scoreboard's slots. */
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
  bool lds, private_memory; /* what is in them steers */
  bool changed;
};

static void add(struct slots *slots, uint32_t slot) { slots->word[slot / 64] |= UINT64_C(1) << slot % 64; }

static bool has(const struct slots *slots, uint32_t slot) { return slots->word[slot / 64] >> slot % 64 & 1; }

static void add_operand(struct slots *slots, uint8_t field, enum isa_type type) {
  if (field == ISA_NO_REGISTER || type == TYPE_NONE)
    return;
  if (type == TYPE_PRED) {
    add(slots, 256u + field);
    return;
  }
  for (uint32_t i = 0; i < isa_types[type].registers; i++)
    add(slots, (uint32_t)field + i);
}

static void raise_flag(struct flow *flow, bool *flag) {
  flow->changed |= !*flag;
  *flag = true;
}

/* ---- what an instruction reads ----------------------------------------------------------------------- */

/* Operands that only values are made of. An immediate in the place of a register names none. */
static void add_values(struct slots *slots, const struct isa_inst *inst, const struct isa_row *row) {
  for (const char *letter = isa_formats[row->format].operands; *letter; letter++)
    switch (*letter) {
    case 'a':
      if (!(inst->flags & ISA_FLAG_IMM_A))
        add_operand(slots, inst->a, row->a);
      break;
    case 'b':
    case 'B':
      if (!(inst->flags & ISA_FLAG_IMM_B))
        add_operand(slots, inst->b, row->b);
      break;
    case 'c':
    case 'C':
      if (!(inst->flags & ISA_FLAG_IMM_C))
        add_operand(slots, inst->c, row->c);
      break;
    default:
      break;
    }
}

/* Operands that steer by themselves: addresses, and what copies, waits and pipes are told. */
static void add_steering(struct slots *slots, const struct isa_inst *inst, const struct isa_row *row) {
  for (const char *letter = isa_formats[row->format].operands; *letter; letter++)
    switch (*letter) {
    case 'G':
    case 'I':
      add_operand(slots, inst->b, TYPE_U32);
      add_operand(slots, inst->a, TYPE_U64);
      break;
    case 'H':
    case 'P':
      add_operand(slots, inst->a, TYPE_U64);
      break;
    case 'L':
    case 'r':
      add_operand(slots, inst->a, TYPE_U32);
      break;
    case 'l':
      if (!(inst->flags & ISA_FLAG_IMM_A))
        add_operand(slots, inst->a, TYPE_U32);
      break;
    case 'g':
      add_operand(slots, inst->b, TYPE_U64);
      break;
    case 'n':
    case 'N':
    case 'R':
      if (!(inst->flags & ISA_FLAG_IMM_C))
        add_operand(slots, inst->c, TYPE_U32);
      break;
    case 't':
      if (!(inst->flags & ISA_FLAG_IMM_STRIDE))
        add(slots, copy_stride(inst));
      break;
    case 's':
    case 'S':
      for (unsigned i = 0; i < copy_fields(*letter); i++)
        add(slots, copy_register(inst, i));
      break;
    case 'w':
      for (unsigned i = 0; i < ISA_WAIT_EVENTS && wait_register(inst, i) != ISA_NO_REGISTER; i++)
        add(slots, wait_register(inst, i));
      break;
    default:
      break;
    }
  if (row->class_ == ISA_CLASS_COPY)
    add(slots, inst->d);
  if (inst->guard)
    add(slots, 256u + ((inst->guard - 1u) >> 1));
}

/* ---- a step backwards ---------------------------------------------------------------------------------- */

/* Whether the instruction's own value operands steer, when what it makes does or does not; it may be what tells that a
 * space of memory steers. */
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
    return flow->steering->global;
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
    if (!inst->guard) /* else a lane may keep what it had */
      slots.word[info->slot[i] / 64] &= ~(UINT64_C(1) << info->slot[i] % 64);
  }
  if (values_steer(flow, (enum isa_format)row->format, made))
    add_values(&slots, inst, row);
  add_steering(&slots, inst, row);
  /* the number of a copy's event is a count */
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

static bool follow_kernel(const struct isa_program *program, const struct isa_kernel *kernel,
                          struct isa_steering *steering) {
  struct flow flow = {.program = program, .entry = kernel->entry, .end = kernel->end, .steering = steering};
  flow.in = calloc(kernel->end - kernel->entry, sizeof *flow.in);
  if (!flow.in)
    return false;
  follow(&flow);
  steering->lds |= flow.lds;
  free(flow.in);
  return true;
}

/* What one kernel leaves in global memory another may load: until nothing new is found. */
bool isa_steering_find(const struct isa_program *program, struct isa_steering *steering) {
  bool good = true, before;
  *steering = (struct isa_steering){.steers = calloc(program->count + 1, sizeof(bool))};
  if (!steering->steers)
    return false;
  do {
    before = steering->global;
    for (size_t i = 0; good && i < program->kernel_count; i++)
      good = follow_kernel(program, &program->kernels[i], steering);
  } while (good && steering->global != before);
  return good;
}
