/* How a kernel's code uses its pipes and images. Follows an argument's address along the control flow from where it is
 * loaded, through moves and selects of pairs. */
#include <stdlib.h>

#include "isa/cfg.h"
#include "isa/ops.h"
#include "isa/rows.h"
#include "sim/base/need.h"

/* The registers that may hold the address, a bit each. */
struct held {
  uint64_t bits[(ISA_NO_REGISTER + 1) / 64];
};

struct flow {
  const struct isa_program *program;
  const struct isa_kernel *kernel;
  const struct isa_arg *arg;
  struct held *before; /* before each instruction of the kernel */
  uint32_t *waiting;   /* work list of instructions, without duplicates thanks to `is_waiting` */
  bool *is_waiting;
  uint32_t waiting_count;
};

static bool holds(const struct held *held, unsigned reg) { return held->bits[reg / 64] >> reg % 64 & 1; }

static void push(struct flow *flow, uint32_t pc) {
  bool *is_waiting = &flow->is_waiting[pc - flow->kernel->entry];
  if (!*is_waiting)
    flow->waiting[flow->waiting_count++] = pc;
  *is_waiting = true;
}

static bool loads(const struct flow *flow, uint32_t pc) {
  const struct isa_inst *inst = &flow->program->code[pc];
  return inst->op == ISA_LD_ARG_64 && (uint32_t)inst->imm == flow->arg->offset;
}

static struct held after(const struct flow *flow, uint32_t pc) {
  const struct isa_inst *inst = &flow->program->code[pc];
  const struct isa_info *info = &flow->program->info[pc];
  struct held held = flow->before[pc - flow->kernel->entry];
  const bool moves = (inst->op == ISA_MOV_64 && holds(&held, inst->a)) ||
                     (inst->op == ISA_SEL_64 && (holds(&held, inst->a) || holds(&held, inst->b)));
  for (unsigned i = 0; i < info->writes && !inst->guard; i++)
    if (info->slot[i] < ISA_NO_REGISTER)
      held.bits[info->slot[i] / 64] &= ~(UINT64_C(1) << info->slot[i] % 64);
  if (moves || loads(flow, pc))
    held.bits[inst->d / 64] |= UINT64_C(1) << inst->d % 64;
  return held;
}

/* Passes what may hold after an instruction on to its successors. */
static void pass_on(struct flow *flow, uint32_t pc) {
  const struct held held = after(flow, pc);
  uint32_t to[2];
  for (uint32_t i = cfg_successors(flow->program->code, pc, to); i--;) {
    struct held *before = &flow->before[to[i] - flow->kernel->entry];
    bool more = false;
    for (unsigned word = 0; word < sizeof held.bits / sizeof *held.bits; word++) {
      more |= (held.bits[word] & ~before->bits[word]) != 0;
      before->bits[word] |= held.bits[word];
    }
    if (more)
      push(flow, to[i]);
  }
}

static void follow(struct flow *flow) {
  for (uint32_t pc = flow->kernel->entry; pc < flow->kernel->end; pc++)
    if (loads(flow, pc))
      push(flow, pc);
  while (flow->waiting_count) {
    const uint32_t pc = flow->waiting[--flow->waiting_count];
    flow->is_waiting[pc - flow->kernel->entry] = false;
    pass_on(flow, pc);
  }
}

static bool goes(const struct isa_inst *inst, enum isa_pipe_direction direction) {
  switch (isa_rows[inst->op].format) {
  case FORMAT_PIPE_RESERVE:
  case FORMAT_PIPE_COMMIT:
    return direction == (isa_is_pipe_write(inst->op) ? ISA_PIPE_WRITE : ISA_PIPE_READ);
  case FORMAT_IMAGE_READ:
    return direction == ISA_PIPE_READ;
  case FORMAT_IMAGE_STORE:
    return direction == ISA_PIPE_WRITE;
  default:
    return false;
  }
}

uint32_t isa_arg_first_use(const struct isa_program *program, const struct isa_kernel *kernel,
                           const struct isa_arg *arg, enum isa_pipe_direction direction) {
  const size_t count = kernel->end - kernel->entry;
  struct flow flow = {.program = program,
                      .kernel = kernel,
                      .arg = arg,
                      .before = need(count, sizeof *flow.before),
                      .waiting = need(count, sizeof *flow.waiting),
                      .is_waiting = need(count, sizeof *flow.is_waiting)};
  follow(&flow);
  uint32_t pc = kernel->entry;
  while (pc < kernel->end &&
         !(goes(&program->code[pc], direction) && holds(&flow.before[pc - kernel->entry], program->code[pc].a)))
    pc++;
  free(flow.before);
  free(flow.waiting);
  free(flow.is_waiting);
  return pc;
}

unsigned isa_arg_directions(const struct isa_program *program, const struct isa_kernel *kernel,
                            const struct isa_arg *arg) {
  unsigned found = 0;
  for (unsigned direction = ISA_PIPE_READ; direction <= ISA_PIPE_WRITE; direction++)
    if (isa_arg_first_use(program, kernel, arg, (enum isa_pipe_direction)direction) < kernel->end)
      found |= 1u << direction;
  return found;
}
