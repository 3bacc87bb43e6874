/* What the executor requires of a program. Assembled programs pass by construction; those from an object file may
 * contain anything. For safety not required, but checked: fields that a format does not use have their one neutral
 * value, so that a program has one encoding. */
#include "isa/cfg.h"
#include "isa/ops.h"
#include "isa/pipe.h"
#include "isa/rows.h"
#include "sim/base/need.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check {
  struct isa_program *program;
  const struct isa_kernel *kernel;
  struct isa_error *error;
};

__attribute__((format(printf, 2, 3))) static bool wrong(const struct check *check, const char *format, ...) {
  char what[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  snprintf(check->error->text, sizeof check->error->text, "%s: %s", check->program->file, what);
  return false;
}

/* ---- names ------------------------------------------------------------------------------------- */

static int bare(const char *name, size_t length, char letter, int most) {
  if (length < 2 || length > 4 || name[0] != letter || (name[1] == '0' && length > 2))
    return -1;
  int number = 0;
  for (size_t i = 1; i < length; i++) {
    if (name[i] < '0' || name[i] > '9')
      return -1;
    number = 10 * number + (name[i] - '0');
  }
  return number <= most ? number : -1;
}

int isa_bare_register(const char *name, size_t length) { return bare(name, length, 'r', ISA_REGISTERS - 1); }
int isa_bare_predicate(const char *name, size_t length) { return bare(name, length, 'p', ISA_PREDICATES - 1); }

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool isa_is_name(const char *name, size_t length) {
  if (!length || length > ISA_LONGEST_NAME || !is_letter(name[0]) || (length == 1 && name[0] == '_'))
    return false;
  for (size_t i = 1; i < length; i++)
    if (!is_letter(name[i]) && (name[i] < '0' || name[i] > '9'))
      return false;
  return isa_bare_register(name, length) < 0 && isa_bare_predicate(name, length) < 0;
}

/* ---- kernels ----------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Names must be legal in a source, and unique. */
static bool check_names(const struct check *check, const char *what, char **names, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!isa_is_name(names[i], strlen(names[i])))
      return wrong(check, "%s %zu has an illegal name", what, i);
  qsort(names, count, sizeof *names, by_name);
  for (size_t i = 1; i < count; i++)
    if (strcmp(names[i - 1], names[i]) == 0)
      return wrong(check, "%s '%.60s' is already defined", what, names[i]);
  return true;
}

static bool check_arg(const struct check *check, const struct isa_arg *arg) {
  static const uint32_t pointer_bytes[] = {
      [ISA_ARG_GLOBAL] = 8, [ISA_ARG_LOCAL] = 4, [ISA_ARG_PIPE] = 8, [ISA_ARG_IMAGE] = 8, [ISA_ARG_SAMPLER] = 4};
  if (arg->kind != ISA_ARG_VALUE && (arg->kind >= ISA_ARG_KINDS || arg->bytes != pointer_bytes[arg->kind]))
    return wrong(check, "argument '%.60s' has a bad kind or size", arg->name);
  if (arg->kind == ISA_ARG_IMAGE && isa_image_argument(arg->type, strlen(arg->type)) == ISA_IMAGE_KINDS)
    return wrong(check, "argument '%.60s' has an unknown kind of image", arg->name);
  if (!arg->bytes || arg->bytes > ISA_MOST_ARG_BYTES || arg->offset > ISA_MOST_ARG_BYTES)
    return wrong(check, "argument '%.60s' has a bad size or offset", arg->name);
  if (arg->offset + arg->bytes > check->kernel->arg_bytes)
    return wrong(check, "argument '%.60s' is outside the argument block", arg->name);
  return true;
}

static bool check_args(const struct check *check) {
  const struct isa_kernel *kernel = check->kernel;
  if (kernel->arg_count > ISA_MOST_ARGS || kernel->arg_bytes > ISA_MOST_ARG_BYTES)
    return wrong(check, "kernel '%.60s' has too many arguments", kernel->name);
  uint32_t end = 0;
  for (size_t i = 0; i < kernel->arg_count; i++) {
    if (!check_arg(check, &kernel->args[i]))
      return false;
    const uint32_t arg_end = kernel->args[i].offset + kernel->args[i].bytes;
    end = arg_end > end ? arg_end : end;
  }
  if (end != kernel->arg_bytes)
    return wrong(check, "kernel '%.60s' has an argument block of the wrong size", kernel->name);
  char **names = need(kernel->arg_count, sizeof *names);
  for (size_t i = 0; i < kernel->arg_count; i++)
    names[i] = kernel->args[i].name;
  const bool good = check_names(check, "argument", names, kernel->arg_count);
  free(names);
  return good;
}

static bool check_lds_variables(const struct check *check) {
  const struct isa_kernel *kernel = check->kernel;
  if (kernel->lds_count > ISA_MOST_LDS_VARIABLES)
    return wrong(check, "kernel '%.60s' has too many LDS variables", kernel->name);
  char **names = need(kernel->lds_count + kernel->arg_count, sizeof *names);
  bool good = true;
  uint32_t end = 0;
  for (size_t i = 0; good && i < kernel->lds_count; i++) {
    const struct isa_lds_variable *variable = &kernel->lds[i];
    good = variable->offset >= end && variable->offset <= kernel->lds_bytes &&
           variable->bytes <= kernel->lds_bytes - variable->offset;
    if (!good)
      wrong(check, "LDS variable '%.60s' is outside the LDS, or not after the one before", variable->name);
    end = variable->offset + variable->bytes;
    names[i] = variable->name;
  }
  for (size_t i = 0; i < kernel->arg_count; i++)
    names[kernel->lds_count + i] = kernel->args[i].name;
  good = good && check_names(check, "LDS variable or argument", names, kernel->lds_count + kernel->arg_count);
  free(names);
  return good;
}

static bool check_scratch(const struct check *check) {
  const struct isa_kernel *kernel = check->kernel;
  const uint64_t start = kernel->scratch, end = start + kernel->scratch_bytes;
  bool good = end > start ? end <= kernel->lds_bytes : !start;
  for (size_t i = 0; good && i < kernel->lds_count; i++) {
    const struct isa_lds_variable *variable = &kernel->lds[i];
    good = variable->offset >= end || variable->offset + variable->bytes <= start;
  }
  return good || wrong(check, "kernel '%.60s' has its scratch outside the LDS, or on a variable", kernel->name);
}

static bool check_required_local(const struct check *check) {
  const uint32_t *local = check->kernel->required_local;
  if (!local[0] && !local[1] && !local[2])
    return true;
  uint64_t items = 1;
  for (int axis = 0; axis < 3; axis++)
    items = items > ISA_MOST_GROUP_ITEMS ? items : items * local[axis];
  return (items && items <= ISA_MOST_GROUP_ITEMS) ||
         wrong(check, "kernel '%.60s' requires work-groups of %u x %u x %u work-items; legal: 1 to %u",
               check->kernel->name, local[0], local[1], local[2], ISA_MOST_GROUP_ITEMS);
}

static bool check_autorun(const struct check *check) {
  const uint32_t *groups = check->kernel->autorun;
  uint64_t all = 1;
  for (int axis = 0; axis < 3; axis++)
    all = all > ISA_MOST_GROUP_ITEMS ? all : all * groups[axis];
  if (!groups[0] && !groups[1] && !groups[2])
    return true;
  if (check->kernel->arg_count)
    return wrong(check, "autorun kernel '%.60s' has arguments, which cannot be set", check->kernel->name);
  return (all && all <= ISA_MOST_GROUP_ITEMS) ||
         wrong(check, "autorun kernel '%.60s' has %u x %u x %u work-groups; legal: 1 to %u", check->kernel->name,
               groups[0], groups[1], groups[2], ISA_MOST_GROUP_ITEMS);
}

static bool check_kernel(const struct check *check, uint32_t entry) {
  const struct isa_kernel *kernel = check->kernel;
  if (kernel->entry != entry || kernel->end <= entry || kernel->end > check->program->count)
    return wrong(check, "kernel '%.60s' has no instructions", kernel->name);
  if (!kernel->registers || kernel->registers > ISA_REGISTERS)
    return wrong(check, "kernel '%.60s' has %u registers, not 1 to 255", kernel->name, kernel->registers);
  if (kernel->lds_bytes > ISA_MOST_LDS_BYTES || kernel->private_bytes > ISA_MOST_PRIVATE_BYTES)
    return wrong(check, "kernel '%.60s' needs too much LDS or private memory", kernel->name);
  if (kernel->spilled > kernel->private_bytes / 4)
    return wrong(check, "kernel '%.60s' spills more registers than its private memory holds", kernel->name);
  const struct isa_inst *last = &check->program->code[kernel->end - 1];
  if (last->guard || (last->op != ISA_EXIT && last->op != ISA_BRA))
    return wrong(check, "kernel '%.60s' must end in exit or an unguarded bra", kernel->name);
  return check_args(check) && check_lds_variables(check) && check_scratch(check) && check_required_local(check) &&
         check_autorun(check);
}

/* ---- instructions ------------------------------------------------------------------------------- */

static bool fits(const struct check *check, uint8_t field, enum isa_type type) {
  if (type == TYPE_PRED)
    return field < ISA_PREDICATES;
  return (uint32_t)field + isa_types[type].registers <= check->kernel->registers;
}

/* Whether an operand of this type can be this number: whole words of the type. */
static bool immediate_fits(uint64_t imm, enum isa_type type) {
  if (type == TYPE_PRED)
    return imm <= 1;
  if (type == TYPE_F16)
    return imm <= UINT16_MAX;
  return isa_types[type].registers == 2 || imm <= UINT32_MAX;
}

/* The fields that no operand has used yet. Each operand removes those that it uses. */
struct rest {
  struct isa_inst inst;
  bool imm_used;
};

/* A source operand that may be an immediate. */
static bool check_source(const struct check *check, struct rest *rest, uint8_t *field, unsigned flag,
                         enum isa_type type) {
  const bool high = isa_has_high_number((enum isa_format)isa_rows[rest->inst.op].format);
  const uint64_t imm = high ? (uint32_t)rest->inst.imm : rest->inst.imm;
  if (type == TYPE_NONE)
    return true;
  if (!(rest->inst.flags & flag)) {
    const bool good = fits(check, *field, type);
    *field = ISA_NO_REGISTER;
    return good;
  }
  if (*field != ISA_NO_REGISTER || rest->imm_used || !immediate_fits(imm, type))
    return false;
  rest->inst.flags &= (uint8_t)~flag;
  rest->imm_used = true;
  return true;
}

static bool check_register(const struct check *check, uint8_t *field, enum isa_type type, bool optional) {
  const bool good = (optional && *field == ISA_NO_REGISTER) || fits(check, *field, type);
  *field = ISA_NO_REGISTER;
  return good;
}

static bool check_branch(const struct check *check, struct rest *rest) {
  const struct isa_kernel *kernel = check->kernel;
  const uint32_t target = isa_branch_target(&rest->inst), join = isa_branch_join(&rest->inst);
  rest->imm_used = true;
  if (target < kernel->entry || target >= kernel->end)
    return false;
  return rest->inst.guard ? join == ISA_NEVER || (join >= kernel->entry && join < kernel->end) : join == ISA_NEVER;
}

static bool check_arg_load(const struct check *check, struct rest *rest, uint32_t bytes) {
  rest->imm_used = true;
  return rest->inst.imm <= check->kernel->arg_bytes && rest->inst.imm + bytes <= check->kernel->arg_bytes;
}

static bool check_wait(const struct check *check, struct rest *rest) {
  unsigned count = 0;
  rest->imm_used = true;
  while (count < ISA_WAIT_EVENTS && wait_register(&rest->inst, count) != ISA_NO_REGISTER)
    if (wait_register(&rest->inst, count++) >= check->kernel->registers)
      return false;
  for (unsigned i = count; i < ISA_WAIT_EVENTS; i++)
    if (wait_register(&rest->inst, i) != ISA_NO_REGISTER)
      return false;
  return count > 0;
}

/* A copy's number: in a register or packed into imm. */
static bool check_packed(const struct check *check, struct rest *rest, uint8_t *field, unsigned flag, uint32_t packed) {
  rest->imm_used = true;
  if (!(rest->inst.flags & flag))
    return packed == 0 && check_register(check, field, TYPE_U32, false);
  rest->inst.flags &= (uint8_t)~flag;
  return *field == ISA_NO_REGISTER;
}

static bool check_stride(const struct check *check, struct rest *rest) {
  const bool immediate = rest->inst.flags & ISA_FLAG_IMM_STRIDE;
  rest->inst.flags &= (uint8_t)~ISA_FLAG_IMM_STRIDE;
  return immediate || copy_stride(&rest->inst) < check->kernel->registers;
}

static bool check_copy_fields(const struct check *check, struct rest *rest, unsigned count) {
  rest->imm_used = true;
  for (unsigned i = 0; i < sizeof rest->inst.imm; i++)
    if (i < count ? copy_register(&rest->inst, i) >= check->kernel->registers
                  : copy_register(&rest->inst, i) != ISA_NO_REGISTER)
      return false;
  return true;
}

/* A number in the high half of imm. The low half belongs to another operand or is unused. */
static bool check_high(struct rest *rest, uint32_t least, uint32_t most) {
  const uint32_t high = (uint32_t)(rest->inst.imm >> 32);
  const bool good = (rest->imm_used || !(uint32_t)rest->inst.imm) && high >= least && high <= most;
  rest->imm_used = true;
  return good;
}

/* A number that uses all of imm. */
static bool check_number(struct rest *rest, uint64_t most) {
  rest->imm_used = true;
  return rest->inst.imm <= most;
}

static bool check_pair_address(const struct check *check, struct rest *rest, bool index, bool number) {
  rest->imm_used |= number;
  return (!index || check_register(check, &rest->inst.b, TYPE_U32, true)) &&
         check_register(check, &rest->inst.a, TYPE_U64, false);
}

/* The high half of imm may belong to printf's descriptor. */
static bool check_offset(const struct check *check, struct rest *rest, const struct isa_row *row) {
  rest->imm_used = true;
  return (rest->inst.imm <= UINT32_MAX || row->format == FORMAT_PRINTF) &&
         check_register(check, &rest->inst.a, TYPE_U32, true);
}

static bool check_operand(const struct check *check, const struct isa_row *row, char letter, struct rest *rest) {
  struct isa_inst *inst = &rest->inst;
  switch (letter) {
#define OPERAND(letter, shape, role, registers, number, take, put, check)                                              \
  case letter:                                                                                                         \
    return check;
#include "isa/operands.def"
#undef OPERAND
  default:
    return false;
  }
}

static bool check_instruction(const struct check *check, uint32_t pc) {
  struct rest rest = {.inst = check->program->code[pc]};
  if (rest.inst.op >= ISA_OPS)
    return wrong(check, "instruction %u has an unknown operation, %u", pc, rest.inst.op);
  if (rest.inst.guard > 2 * ISA_PREDICATES)
    return wrong(check, "instruction %u has a bad guard", pc);
  const struct isa_row *row = &isa_rows[rest.inst.op];
  for (const char *letter = isa_formats[row->format].operands; *letter; letter++)
    if (!check_operand(check, row, *letter, &rest))
      return wrong(check, "instruction %u, %s, has an operand that the kernel does not have", pc, row->mnemonic);
  const struct isa_inst *left = &rest.inst;
  if (left->flags || (left->imm && !rest.imm_used) || left->d != ISA_NO_REGISTER || left->a != ISA_NO_REGISTER ||
      left->b != ISA_NO_REGISTER || left->c != ISA_NO_REGISTER)
    return wrong(check, "instruction %u, %s, has undefined bits set", pc, row->mnemonic);
  return true;
}

/* ---- joins -------------------------------------------------------------------------------------- */

static bool check_joins(const struct check *check) {
  const struct isa_kernel *kernel = check->kernel;
  struct isa_program *program = check->program;
  uint32_t *join = need(kernel->end - kernel->entry, sizeof *join), depth = 0;
  cfg_joins(program->code, kernel->entry, kernel->end, join, &depth);
  bool good = true;
  for (uint32_t pc = kernel->entry; good && pc < kernel->end; pc++)
    if (program->code[pc].op == ISA_BRA && isa_branch_join(&program->code[pc]) != join[pc - kernel->entry])
      good = wrong(check, "instruction %u, bra, does not join where its sides meet", pc);
  free(join);
  if (program->stack_entries < depth + ISA_LANES)
    program->stack_entries = depth + ISA_LANES;
  return good;
}

static bool check_channels(const struct check *check) {
  const struct isa_program *program = check->program;
  char *names[ISA_MOST_PIPES];
  uint64_t pipes = 0;
  for (size_t i = 0; i < program->channel_count; i++) {
    const struct isa_channel *channel = &program->channels[i];
    pipes += channel->count;
    names[i] = channel->name;
    if (!channel->max_packets || channel->max_packets > ISA_MOST_PACKETS || !channel->count)
      return wrong(check, "channel %zu holds %u packets in %u pipes; legal: 1 to %d in at least one", i,
                   channel->max_packets, channel->count, ISA_MOST_PACKETS);
    if (pipes > ISA_MOST_PIPES || isa_variable_room(program) > ISA_MOST_VARIABLE_BYTES + ISA_MOST_CHANNEL_BYTES)
      return wrong(check, "the program has more than %d channels, or more than %d MiB of them", ISA_MOST_PIPES,
                   ISA_MOST_CHANNEL_BYTES >> 20);
  }
  return check_names(check, "channel", names, program->channel_count);
}

bool isa_validate(struct isa_program *program, struct isa_error *error) {
  struct check check = {.program = program, .error = error};
  if (!program->kernel_count || program->kernel_count > ISA_MOST_KERNELS)
    return wrong(&check, "a program must have 1 to %d kernels", ISA_MOST_KERNELS);
  if (program->count > ISA_MOST_INSTRUCTIONS || program->constant_bytes > ISA_MOST_CONSTANT_BYTES ||
      program->variable_bytes > ISA_MOST_VARIABLE_BYTES || program->source_count > ISA_MOST_SOURCES)
    return wrong(&check, "the program is too large");
  if (!check_channels(&check))
    return false;
  char **names = need(program->kernel_count, sizeof *names);
  for (size_t i = 0; i < program->kernel_count; i++)
    names[i] = program->kernels[i].name;
  const bool named = check_names(&check, "kernel", names, program->kernel_count);
  free(names);
  if (!named)
    return false;
  program->stack_entries = 0;
  uint32_t at = 0;
  for (size_t i = 0; i < program->kernel_count; i++) {
    check.kernel = &program->kernels[i];
    if (!check_kernel(&check, at))
      return false;
    for (; at < check.kernel->end; at++)
      if (!check_instruction(&check, at))
        return false;
    if (!check_joins(&check))
      return false;
  }
  if (at != program->count)
    return wrong(&check, "instructions from %u on belong to no kernel", at);
  for (uint32_t pc = 0; pc < program->count; pc++)
    if (program->source[pc] && program->source[pc] >= program->source_count)
      return wrong(&check, "instruction %u has an unknown source file", pc);
  for (uint32_t pc = 0; pc < program->count; pc++)
    isa_describe(&program->code[pc], &program->info[pc]);
  for (size_t i = 0; i < program->kernel_count; i++)
    cfg_loops(program, &program->kernels[i]);
  return true;
}
