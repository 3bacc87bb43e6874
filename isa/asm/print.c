/* Writes a program as text that assembles to the same bytes: bare registers, explicit joins, labels by instruction
 * number. */
#include "isa/asm/asm.h"
#include "isa/numbers.h"
#include "isa/ops.h"
#include "isa/rows.h"
#include "sim/base/need.h"
#include "sim/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ------------------------------------------------------------------------------------ */

static void put_integer(struct text *text, uint64_t value, bool is_signed, bool wide) {
  const int64_t signed_value = wide ? (int64_t)value : (int32_t)(uint32_t)value;
  if (is_signed || (signed_value >= -65536 && signed_value <= 65535))
    text_print(text, "%" PRId64, signed_value);
  else
    text_print(text, "0x%" PRIx64, value);
}

/* Decimal if that reads back as the same bits, with a point so that it looks like a float. */
static void put_float(struct text *text, enum isa_type type, uint64_t bits) {
  char decimal[48];
  const double value = type == TYPE_F16   ? half_of((uint32_t)bits)
                       : type == TYPE_F32 ? float_of((uint32_t)bits)
                                          : double_of(bits);
  snprintf(decimal, sizeof decimal, type == TYPE_F64 ? "%.17g" : type == TYPE_F32 ? "%.9g" : "%.6g", value);
  const uint64_t read = type == TYPE_F16   ? half_bits(strtod(decimal, NULL))
                        : type == TYPE_F32 ? float_raw(strtof(decimal, NULL))
                                           : double_raw(strtod(decimal, NULL));
  if (!isfinite(value) || read != bits)
    text_print(text, type == TYPE_F16 ? "0h%04" PRIX64 : type == TYPE_F32 ? "0f%08" PRIX64 : "0d%016" PRIX64, bits);
  else
    text_print(text, "%s%s", decimal, strpbrk(decimal, ".e") ? "" : ".0");
}

static void put_number(struct text *text, enum isa_type type, uint64_t bits) {
  if (type == TYPE_F16 || type == TYPE_F32 || type == TYPE_F64)
    put_float(text, type, bits);
  else
    put_integer(text, bits, type == TYPE_S32 || type == TYPE_S64, isa_types[type].registers == 2);
}

/* ---- operands ----------------------------------------------------------------------------------- */

static void put_register(struct text *text, uint8_t field, enum isa_type type) {
  if (field == ISA_NO_REGISTER)
    text_print(text, "_");
  else
    text_print(text, "%c%u", type == TYPE_PRED ? 'p' : 'r', field);
}

static void put_source(struct text *text, const struct isa_inst *inst, unsigned flag, uint8_t field,
                       enum isa_type type) {
  if (inst->flags & flag)
    put_number(text, type, isa_types[type].registers == 2 ? inst->imm : (uint32_t)inst->imm);
  else
    put_register(text, field, type);
}

/* [a + b + imm], without the parts that are absent. */
static void put_address(struct text *text, uint8_t a, uint8_t b, int64_t imm, bool wide) {
  const uint64_t size = imm < 0 ? 0 - (uint64_t)imm : (uint64_t)imm;
  text_print(text, "[");
  if (a != ISA_NO_REGISTER)
    text_print(text, "r%u", a);
  if (b != ISA_NO_REGISTER)
    text_print(text, "%sr%u", a != ISA_NO_REGISTER ? " + " : "", b);
  if (a == ISA_NO_REGISTER)
    text_print(text, "%" PRIu64, wide ? (uint64_t)imm : (uint32_t)imm);
  else if (imm)
    text_print(text, " %c %" PRIu64, imm < 0 ? '-' : '+', size);
  text_print(text, "]");
}

static void put_packed(struct text *text, bool immediate, uint32_t number, uint8_t field) {
  if (immediate)
    text_print(text, "%u", number);
  else
    text_print(text, "r%u", field);
}

static void put_target(struct text *text, const struct isa_inst *inst) {
  text_print(text, "L%u", isa_branch_target(inst));
  if (!inst->guard)
    return;
  if (isa_branch_join(inst) == ISA_NEVER)
    text_print(text, ", join=never");
  else
    text_print(text, ", join=L%u", isa_branch_join(inst));
}

/* The name of the argument that starts at `offset`, if there is one. */
static void put_argument(struct text *text, const struct isa_kernel *kernel, uint64_t offset) {
  for (size_t i = 0; kernel && i < kernel->arg_count; i++)
    if (kernel->args[i].offset == offset) {
      text_print(text, "%s", kernel->args[i].name);
      return;
    }
  text_print(text, "%" PRIu64, offset);
}

static void put_events(struct text *text, const struct isa_inst *inst) {
  for (unsigned i = 0; i < ISA_WAIT_EVENTS && wait_register(inst, i) != ISA_NO_REGISTER; i++)
    text_print(text, "%sr%u", i ? ", " : "", wait_register(inst, i));
}

static void put_copy_fields(struct text *text, const struct isa_inst *inst, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    text_print(text, "%s%s=r%u", i ? ", " : "", isa_copy_operands[i].name, copy_register(inst, i));
}

static void put_lds_side(struct text *text, const struct isa_inst *inst) {
  text_print(text, "[");
  put_packed(text, inst->flags & ISA_FLAG_IMM_A, copy_lds(inst), inst->a);
  text_print(text, "]");
}

static void put_operand(struct text *text, char letter, const struct isa_kernel *kernel, const struct isa_inst *inst) {
  const struct isa_row *row = &isa_rows[inst->op];
  switch (letter) {
#define OPERAND(letter, shape, role, registers, number, take, put, check)                                              \
  case letter:                                                                                                         \
    put;                                                                                                               \
    break;
#include "isa/operands.def"
#undef OPERAND
  default:
    break;
  }
}

static void put_instruction(struct text *text, const struct isa_kernel *kernel, const struct isa_inst *inst) {
  char guard[8] = "";
  if (inst->guard)
    snprintf(guard, sizeof guard, "@%sp%u", (inst->guard - 1) & 1 ? "!" : "", (inst->guard - 1u) >> 1 & 31);
  const struct isa_row *row = &isa_rows[inst->op];
  const char *letters = isa_formats[row->format].operands;
  text_print(text, *letters ? "%-8s%-14s " : "%-8s%s", guard, row->mnemonic);
  bool first = true;
  for (; *letters; letters++) {
    if (!isa_has_operand(row, *letters))
      continue;
    text_print(text, "%s", first ? "" : ", ");
    put_operand(text, *letters, kernel, inst);
    first = false;
  }
}

/* ---- kernels ------------------------------------------------------------------------------------ */

/* An argument with words for its kind and size. Always writes its offset. */
static void put_arg(struct text *text, const struct isa_arg *arg) {
  static const char *const kinds[ISA_ARG_KINDS] = {
      [ISA_ARG_GLOBAL] = "global", [ISA_ARG_LOCAL] = "local", [ISA_ARG_PIPE] = "pipe", [ISA_ARG_SAMPLER] = "sampler"};
  text_print(text, ".arg    %s ", arg->name);
  if (arg->kind == ISA_ARG_VALUE && isa_value_bytes(arg->type, strlen(arg->type)) == arg->bytes)
    text_print(text, "%s", arg->type);
  else if (arg->kind == ISA_ARG_VALUE)
    text_print(text, "bytes %u", arg->bytes);
  else
    text_print(text, "%s", arg->kind == ISA_ARG_IMAGE ? arg->type : kinds[arg->kind]);
  text_print(text, " at %u\n", arg->offset);
}

/* A block of the LDS: the directive up to its size. Moves *end behind the block. Without `align`, a block is placed
 * at the next multiple of 16. If this one is elsewhere, a nameless block fills the space before it. */
static void put_lds_block(struct text *text, const char *directive, const char *name, uint32_t *end, uint32_t offset,
                          uint32_t bytes) {
  if (offset > *end && offset != (*end + 15) / 16 * 16)
    put_lds_block(text, ".lds    ", "_", end, *end, offset - *end);
  text_print(text, "%s%s %u%s\n", directive, name, bytes, offset == (*end + 15) / 16 * 16 ? "" : " align 1");
  *end = offset + bytes;
}

static void put_scratch(struct text *text, const struct isa_kernel *kernel, uint32_t *end) {
  put_lds_block(text, ".scratch", "", end, kernel->scratch, kernel->scratch_bytes);
}

static void put_lds(struct text *text, const struct isa_kernel *kernel) {
  uint32_t end = 0;
  bool scratch = kernel->scratch_bytes > 0; /* still to be written */
  for (size_t i = 0; i < kernel->lds_count; i++) {
    const struct isa_lds_variable *variable = &kernel->lds[i];
    if (scratch && kernel->scratch < variable->offset) {
      put_scratch(text, kernel, &end);
      scratch = false;
    }
    put_lds_block(text, ".lds    ", variable->name, &end, variable->offset, variable->bytes);
  }
  if (scratch)
    put_scratch(text, kernel, &end);
  if (kernel->lds_bytes > end)
    put_lds_block(text, ".lds    ", "_", &end, end, kernel->lds_bytes - end);
}

static void put_header(struct text *text, const struct isa_kernel *kernel) {
  text_print(text, ".kernel %s\n.registers %u\n", kernel->name, kernel->registers);
  for (size_t i = 0; i < kernel->arg_count; i++)
    put_arg(text, &kernel->args[i]);
  put_lds(text, kernel);
  if (kernel->private_bytes)
    text_print(text, ".private %u\n", kernel->private_bytes);
  if (kernel->spilled)
    text_print(text, ".spilled %u\n", kernel->spilled);
  if (kernel->required_local[0])
    text_print(text, ".reqd_local %u, %u, %u\n", kernel->required_local[0], kernel->required_local[1],
               kernel->required_local[2]);
  if (kernel->autorun[0])
    text_print(text, ".autorun %u, %u, %u\n", kernel->autorun[0], kernel->autorun[1], kernel->autorun[2]);
}

/* Whether an argument or an LDS block of a kernel, or another channel, has this name. */
static bool is_taken(const struct isa_program *program, const char *name, const struct isa_channel *by) {
  for (size_t i = 0; i < program->channel_count; i++)
    if (&program->channels[i] != by && strcmp(program->channels[i].name, name) == 0)
      return true;
  for (size_t k = 0; k < program->kernel_count; k++) {
    const struct isa_kernel *kernel = &program->kernels[k];
    for (size_t i = 0; i < kernel->arg_count; i++)
      if (strcmp(kernel->args[i].name, name) == 0)
        return true;
    for (size_t i = 0; i < kernel->lds_count; i++)
      if (strcmp(kernel->lds[i].name, name) == 0)
        return true;
  }
  return false;
}

/* The code contains a channel's address. So the name is only for reports, and a taken name may be changed. */
static void put_channel(struct text *text, const struct isa_program *program, const struct isa_channel *channel) {
  text_print(text, ".channel ");
  const size_t name = text->length;
  text_print(text, "%s", channel->name);
  while (is_taken(program, text->data + name, channel))
    text_print(text, "_%zu", (size_t)(channel - program->channels));
  if (channel->count > 1)
    text_print(text, "[%u]", channel->count);
  text_print(text, " %u %u\n", channel->packet_size, channel->max_packets);
}

static void put_image(struct text *text, const char *directive, const uint8_t *bytes, size_t count) {
  enum { A_LINE = 16 };
  for (size_t i = 0; i < count; i++) {
    if (i % A_LINE == 0)
      text_print(text, "%s _ b8 ", directive);
    text_print(text, "%s0x%02x%s", i % A_LINE ? ", " : "", bytes[i],
               i % A_LINE == A_LINE - 1 || i + 1 == count ? "\n" : "");
  }
}

/* Flags the instructions that a branch names. */
static uint8_t *find_labels(const struct isa_program *program) {
  uint8_t *labels = need((size_t)program->count + 1, 1);
  for (uint32_t pc = 0; pc < program->count; pc++) {
    const struct isa_inst *inst = &program->code[pc];
    if (inst->op != ISA_BRA)
      continue;
    labels[isa_branch_target(inst)] = 1;
    if (isa_branch_join(inst) != ISA_NEVER)
      labels[isa_branch_join(inst)] = 1;
  }
  return labels;
}

char *isa_disassemble(const struct isa_program *program) {
  struct text text = {0};
  uint8_t *labels = find_labels(program);
  put_image(&text, ".const ", program->constants, program->constant_bytes);
  put_image(&text, ".variable", program->variables, program->variable_bytes);
  for (size_t i = 0; i < program->channel_count; i++)
    put_channel(&text, program, &program->channels[i]);
  for (size_t i = 0; i < program->kernel_count; i++) {
    const struct isa_kernel *kernel = &program->kernels[i];
    put_header(&text, kernel);
    for (uint32_t pc = kernel->entry; pc < kernel->end; pc++) {
      if (labels[pc])
        text_print(&text, "L%u:\n", pc);
      put_instruction(&text, kernel, &program->code[pc]);
      text_print(&text, "\n");
    }
  }
  free(labels);
  return text.data;
}

void isa_print(const struct isa_program *program, uint32_t pc, char *out, size_t size) {
  struct text text = {0};
  const struct isa_kernel *kernel = NULL;
  for (size_t i = 0; i < program->kernel_count; i++)
    if (pc >= program->kernels[i].entry && pc < program->kernels[i].end)
      kernel = &program->kernels[i];
  put_instruction(&text, kernel, &program->code[pc]);
  const char *at = text.data ? text.data : "";
  if (!program->code[pc].guard)
    at += strspn(at, " ");
  if (size)
    snprintf(out, size, "%s", at);
  free(text.data);
}
