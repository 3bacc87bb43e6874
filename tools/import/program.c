/* Translates kernels' instructions: the operation of each, and its registers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ops.h"
#include "isa/rows.h"
#include "sim/base/need.h"
#include "tools/import/kernel.h"

enum {
  NO_PAIR = ISA_NO_REGISTER,
  QUIET_PREDICATE = ISA_PREDICATES - 1, /* never written */
  LEAST_REGISTERS = 8,                  /* room for the widest operand */
};

/* The registers that an instruction reads, and the first that it writes. Arithmetic omits RZ; other instructions keep
 * it, in the place of an address or of data. */
struct operands {
  uint8_t result, sources, source[SASS_SOURCES];
};

/* If a predicate precedes the result, the tracer takes the result for the first source. */
static struct operands operands_of(const struct sass_inst *inst) {
  struct operands operands = {.result = inst->result};
  const bool keep_zeros = !sass_is_alu(inst->family);
  unsigned from = 0;
  if (inst->result == SASS_ZERO && inst->sources >= 2 && inst->opcode && inst->opcode->result_first)
    operands.result = inst->source[from++];
  for (unsigned i = from; i < inst->sources; i++)
    if (keep_zeros || inst->source[i] != SASS_ZERO)
      operands.source[operands.sources++] = inst->source[i];
  return operands;
}

/* ---- operations -------------------------------------------------------------------------------------------- */

static enum isa_op alu_op(enum sass_family family, const struct operands *operands) {
  const uint16_t *op = sass_families[family].op;
  if (operands->result == SASS_ZERO)
    return (enum isa_op)op[3];
  return (enum isa_op)op[operands->sources > 2 ? 2 : operands->sources == 2 ? 1 : 0];
}

/* Which sides of a conversion are pairs: in F2F and similar opcodes, the first width among the modifiers is the
 * result's. */
static enum isa_op conversion(const struct sass_inst *inst, const struct operands *operands) {
  static const uint16_t ops[2][2] = {{ISA_CVT_F32_S32, ISA_CVT_F32_S64}, {ISA_CVT_F64_S32, ISA_CVT_F64_S64}};
  const char *name = inst->name;
  const bool wide_float = sass_modified(name, "F64");
  const bool wide_int = sass_modified(name, "S64") || sass_modified(name, "U64");
  const char *first = strchr(name, '.');
  if (operands->result == SASS_ZERO)
    return ISA_SETP_EQ_U32;
  if (strncmp(name, "F2I", 3) == 0)
    return (enum isa_op)ops[wide_int][wide_float];
  if (strncmp(name, "I2F", 3) == 0)
    return (enum isa_op)ops[wide_float][wide_int];
  if (!wide_float && !wide_int)
    return ISA_CVT_F32_S32;
  const bool result =
      first && strstr(first, "64") && (!strstr(first, "32") || strstr(first, "64") < strstr(first, "32"));
  return (enum isa_op)ops[result][!result || strncmp(name, "FRND", 4) == 0];
}

static enum isa_op load(enum isa_space space, enum isa_via via, const struct sass_inst *inst) {
  return isa_access_op(space, ISA_ACCESS_LOAD, via, isa_memory_type(inst->bytes, inst->is_signed));
}

static enum isa_op atomic(const struct sass_inst *inst, bool global) {
  const bool wide = inst->bytes >= 8;
  if (sass_modified(inst->name, "CAS"))
    return global ? wide ? ISA_ATOM_GLOBAL_CAS_64 : ISA_ATOM_GLOBAL_CAS_32
           : wide ? ISA_ATOM_LDS_CAS_64
                  : ISA_ATOM_LDS_CAS_32;
  return global ? wide ? ISA_ATOM_GLOBAL_ADD_64 : ISA_ATOM_GLOBAL_ADD_32
         : wide ? ISA_ATOM_LDS_ADD_64
                : ISA_ATOM_LDS_ADD_32;
}

static bool past_l1(const char *name) {
  return sass_modified(name, "STRONG") && (sass_modified(name, "GPU") || sass_modified(name, "SYS"));
}

/* Loads, stores and atomics. A load to RZ still loads, into the pair that nothing writes. */
static enum isa_op access_op(const struct sass_inst *inst) {
  switch (inst->family) {
  case SASS_LOCAL_LOAD:
    return load(ISA_SPACE_PRIVATE, ISA_VIA_PLAIN, inst);
  case SASS_LOCAL_STORE:
    return isa_store(ISA_SPACE_PRIVATE, inst->bytes);
  case SASS_SHARED_LOAD:
  case SASS_MATRIX_LOAD:
    return load(ISA_SPACE_LDS, ISA_VIA_PLAIN, inst);
  case SASS_SHARED_STORE:
  case SASS_MATRIX_STORE:
    return isa_store(ISA_SPACE_LDS, inst->bytes);
  case SASS_MBARRIER:
    return sass_modified(inst->name, "ARRIVE") ? ISA_ATOM_LDS_ADD_64 : ISA_LD_LDS_64;
  case SASS_GLOBAL_LOAD:
    return load(ISA_SPACE_GLOBAL, past_l1(inst->name) ? ISA_VIA_PAST_L1 : ISA_VIA_PLAIN, inst);
  case SASS_GLOBAL_STORE:
    return isa_store(ISA_SPACE_GLOBAL, inst->bytes);
  default:
    return atomic(inst, inst->family == SASS_GLOBAL_ATOMIC);
  }
}

static bool is_access(enum sass_family family) {
  return sass_families[family].space < SASS_SPACES || family == SASS_MBARRIER;
}

static enum isa_op op_of(const struct sass_inst *inst, const struct sass_kernel *kernel,
                         const struct operands *operands) {
  switch (inst->family) {
  case SASS_CONVERT:
    return conversion(inst, operands);
  case SASS_BRANCH:
    return ISA_BRA;
  case SASS_EXIT:
    return ISA_EXIT;
  case SASS_CONSTANT:
  case SASS_TEXTURE:
    return operands->result == SASS_ZERO ? alu_op(SASS_INT, operands) : load(ISA_SPACE_CONSTANT, ISA_VIA_PLAIN, inst);
  case SASS_CACHE:
    return ISA_PREFETCH;
  case SASS_BARRIER:
    return ISA_BAR_LDS;
  case SASS_FENCE:
    return sass_modified(inst->name, "CTA") ? ISA_FENCE_LDS : ISA_FENCE_GLOBAL;
  case SASS_LANE_COPY:
    return inst->bytes == 16 ? ISA_COPY_LANE_128 : inst->bytes == 8 ? ISA_COPY_LANE_64 : ISA_COPY_LANE_32;
  case SASS_LANE_COMMIT:
    return ISA_COPY_LANE_COMMIT;
  case SASS_LANE_WAIT:
    return kernel->lane_copies ? ISA_COPY_LANE_WAIT : alu_op(SASS_INT, operands);
  case SASS_YIELD:
    return ISA_YIELD;
  default:
    if (is_access(inst->family))
      return access_op(inst);
    return alu_op(sass_is_alu(inst->family) ? inst->family : SASS_INT, operands);
  }
}

/* ---- registers --------------------------------------------------------------------------------------------- */

struct choice {
  const struct operands *operands;
  uint32_t registers; /* the kernel's */
  uint32_t quiet;     /* first of a pair that nothing writes, or NO_PAIR */
  uint32_t place;
  unsigned next; /* index of the next source to use */
};

/* The register, or a lower one if a value of this type needs more registers than follow it. */
static uint8_t within(const struct choice *choice, uint32_t field, enum isa_type type) {
  const uint32_t most = choice->registers - isa_types[type].registers;
  return (uint8_t)(field < most ? field : most);
}

static uint8_t missing(const struct choice *choice, enum isa_type type) {
  const struct operands *operands = choice->operands;
  const uint8_t first = operands->sources ? operands->source[0] : SASS_ZERO;
  const uint32_t field = choice->quiet != NO_PAIR        ? choice->quiet
                         : first != SASS_ZERO            ? first
                         : operands->result != SASS_ZERO ? operands->result
                                                         : 0;
  return within(choice, field, type);
}

/* The next source, if the operation has one. */
static uint8_t take_source(struct choice *choice, enum isa_type type) {
  if (type == TYPE_NONE)
    return ISA_NO_REGISTER;
  if (type == TYPE_PRED)
    return QUIET_PREDICATE;
  const bool more = choice->next < choice->operands->sources;
  const uint8_t source = more ? choice->operands->source[choice->next++] : SASS_ZERO;
  return source == SASS_ZERO ? missing(choice, type) : within(choice, source, type);
}

/* LDS accesses and similar operations may lack an address register. */
static uint8_t take_offset(struct choice *choice) {
  const bool more = choice->next < choice->operands->sources;
  if (more && choice->operands->source[choice->next] != SASS_ZERO)
    return take_source(choice, TYPE_U32);
  choice->next += more;
  return ISA_NO_REGISTER;
}

static uint8_t take_result(const struct choice *choice, enum isa_type type, bool optional) {
  if (type == TYPE_PRED)
    return (uint8_t)(choice->place % QUIET_PREDICATE);
  if (choice->operands->result != SASS_ZERO)
    return within(choice, choice->operands->result, type);
  return optional ? ISA_NO_REGISTER : missing(choice, type);
}

/* Fills the operands of the format. Like in SASS, copy destinations and addresses come first. */
static void fill(struct isa_inst *inst, const struct isa_row *row, struct choice *choice) {
  for (const char *letter = isa_formats[row->format].operands; *letter; letter++) {
    switch (*letter) {
    case 'd':
    case 'D':
      inst->d = take_result(choice, row->d, *letter == 'D');
      break;
    case 'a':
      inst->a = take_source(choice, row->a);
      break;
    case 'b':
    case 'B':
      inst->b = take_source(choice, row->b);
      break;
    case 'c':
    case 'C':
      inst->c = take_source(choice, row->c);
      break;
    case 'R':
      inst->c = take_source(choice, TYPE_U32);
      break;
    case 'G':
    case 'H':
    case 'I':
      inst->a = take_source(choice, TYPE_U64);
      break;
    case 'L':
      inst->a = take_offset(choice);
      break;
    default:
      break;
    }
  }
}

static struct isa_inst translate(const struct sass_inst *inst, const struct sass_kernel *kernel, uint32_t registers,
                                 uint32_t quiet) {
  struct operands operands = operands_of(inst);
  struct isa_inst made = {.op = (uint16_t)op_of(inst, kernel, &operands),
                          .d = ISA_NO_REGISTER,
                          .a = ISA_NO_REGISTER,
                          .b = ISA_NO_REGISTER,
                          .c = ISA_NO_REGISTER};
  const struct isa_row *row = &isa_rows[made.op];
  struct choice choice = {.operands = &operands, .registers = registers, .quiet = quiet, .place = inst->place};
  if (inst->family == SASS_WIDE && operands.sources == 2 && row->c != TYPE_NONE) { /* the last source is the addend */
    operands.source[2] = operands.source[1];
    operands.source[1] = operands.source[0];
    operands.sources = 3;
  }
  fill(&made, row, &choice);
  if (made.op == ISA_BRA) /* the trace determines the target */
    made.imm = (uint64_t)ISA_NEVER << 32 | kernel->end;
  if (made.op == ISA_COPY_LANE_WAIT && inst->has_immediate)
    made.imm = inst->immediate < 0                  ? 0
               : inst->immediate > ISA_LANE_BATCHES ? ISA_LANE_BATCHES
                                                    : (uint64_t)inst->immediate;
  return made;
}

static uint32_t registers_of(const struct sass_kernel *kernel) {
  uint32_t registers = kernel->registers > LEAST_REGISTERS ? kernel->registers : LEAST_REGISTERS;
  for (uint32_t i = 0; i < kernel->count; i++) {
    const struct operands operands = operands_of(&kernel->insts[i]);
    if (operands.result != SASS_ZERO && operands.result >= registers)
      registers = operands.result + 1u;
    for (unsigned k = 0; k < operands.sources; k++)
      if (operands.source[k] != SASS_ZERO && operands.source[k] >= registers)
        registers = operands.source[k] + 1u;
  }
  return registers < ISA_REGISTERS ? registers : ISA_REGISTERS;
}

/* The highest pair of adjacent registers that no instruction of the kernel writes. */
static uint32_t find_quiet(const struct sass_kernel *kernel, uint32_t registers) {
  bool written[ISA_SLOTS] = {false};
  for (uint32_t i = 0; i < kernel->count; i++) {
    const struct isa_inst inst = translate(&kernel->insts[i], kernel, registers, NO_PAIR);
    struct isa_info info;
    isa_describe(&inst, &info);
    for (unsigned k = 0; k < info.writes; k++)
      written[info.slot[k]] = true;
  }
  for (uint32_t first = registers - 1; first--;)
    if (!written[first] && !written[first + 1])
      return first;
  return NO_PAIR;
}

/* ---- the program --------------------------------------------------------------------------------------------- */

static int by_pc(const void *a, const void *b) {
  const struct sass_inst *left = *(const struct sass_inst *const *)a, *right = *(const struct sass_inst *const *)b;
  if (left->pc != right->pc)
    return left->pc < right->pc ? -1 : 1;
  return left < right ? -1 : left > right;
}

/* Places a kernel's instructions from `entry` on, in the order of their PCs. The caller frees the list. */
static struct sass_inst **place_all(struct sass_kernel *kernel, uint32_t entry) {
  struct sass_inst **order = need(kernel->count + 1, sizeof *order);
  for (uint32_t i = 0; i < kernel->count; i++)
    order[i] = &kernel->insts[i];
  qsort(order, kernel->count, sizeof *order, by_pc);
  for (uint32_t i = 0; i < kernel->count; i++)
    order[i]->place = entry + i;
  kernel->end = entry + kernel->count;
  return order;
}

/* A line of the listing that serves as the kernel's source. */
static char *listing_line(const struct sass_inst *inst) {
  char text[256];
  int at = snprintf(text, sizeof text, "%04llx %s", (unsigned long long)inst->pc, inst->name);
  if (inst->result != SASS_ZERO)
    at += snprintf(text + at, sizeof text - (size_t)at, " R%u", inst->result);
  for (unsigned i = 0; i < inst->sources; i++)
    at += snprintf(text + at, sizeof text - (size_t)at, "%s R%u", i ? "," : " <-", inst->source[i]);
  if (inst->source_line)
    snprintf(text + at, sizeof text - (size_t)at, "  (line %u)", inst->source_line);
  return need_copy(text);
}

static struct isa_source listing(const char *name, struct sass_inst *const *order, uint32_t count) {
  struct isa_source source = {.lines = count + 1, .text = need(count + 1, sizeof *source.text)};
  source.name = need_print("%s.sass", name);
  for (uint32_t i = 0; i < count; i++)
    source.text[i] = listing_line(order[i]);
  source.text[count] = need_copy("     (end)");
  return source;
}

/* A name of letters, digits and underscores that no earlier kernel has. */
static char *legal_name(const char *name, const struct isa_program *program) {
  char *text = need(ISA_LONGEST_NAME + 1, 1);
  for (unsigned number = 1;; number++) {
    char tail[16] = "";
    size_t length = 0;
    if (number > 1)
      snprintf(tail, sizeof tail, "_%u", number);
    if (!isa_is_name(name, strlen(name)) && name[0] >= '0' && name[0] <= '9')
      text[length++] = '_';
    for (const char *c = name; *c && length + strlen(tail) < ISA_LONGEST_NAME; c++)
      text[length++] =
          (char)((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ? *c : '_');
    strcpy(text + length, tail);
    if (isa_is_name(text, strlen(text)) && !isa_find_kernel(program, text))
      return text;
  }
}

static void add_kernel(struct isa_program *program, struct sass_kernel *kernel) {
  const uint32_t entry = program->count, source = program->source_count;
  struct sass_inst **order = place_all(kernel, entry);
  const uint32_t registers = registers_of(kernel), quiet = find_quiet(kernel, registers);
  program->count = kernel->end + 1;
  program->code = need_more(program->code, program->count, sizeof *program->code);
  program->line = need_more(program->line, program->count, sizeof *program->line);
  program->column = need_more(program->column, program->count, sizeof *program->column);
  program->source = need_more(program->source, program->count, sizeof *program->source);
  for (uint32_t pc = entry; pc < program->count; pc++) {
    program->code[pc] =
        pc < kernel->end
            ? translate(order[pc - entry], kernel, registers, quiet)
            : (struct isa_inst){ISA_EXIT, 0, 0, ISA_NO_REGISTER, ISA_NO_REGISTER, ISA_NO_REGISTER, ISA_NO_REGISTER, 0};
    program->line[pc] = pc - entry + 1;
    program->column[pc] = 0;
    program->source[pc] = (uint16_t)source;
  }
  const struct isa_kernel made = {
      .name = legal_name(kernel->name, program), .entry = entry, .end = program->count, .registers = registers};
  program->kernels[program->kernel_count++] = made;
  program->sources[program->source_count++] = listing(made.name, order, kernel->count);
  free(order);
}

struct isa_program *sass_program(struct sass_kernel *kernels, size_t count, const char *file, struct message *message) {
  struct isa_error wrong = {0};
  struct isa_program *program = isa_program_new(file);
  program->kernels = need(count + 1, sizeof *program->kernels);
  program->sources = need(count + 1, sizeof *program->sources);
  program->sources[program->source_count++] = (struct isa_source){.name = need_copy(file)};
  for (size_t i = 0; i < count; i++)
    add_kernel(program, &kernels[i]);
  program->info = need(program->count + 1, sizeof *program->info);
  if (isa_validate(program, &wrong))
    return program;
  message_fail_at(message, file, 0, "%s", wrong.text);
  isa_program_free(program);
  return NULL;
}
