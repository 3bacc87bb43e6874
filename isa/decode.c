/* Reads a program from an object file; encode.c has the format. Nothing is trusted: counts are compared with the
 * remaining bytes before anything is allocated, and isa_validate() checks the meaning. */
#include "isa/pipe.h"
#include "isa/rows.h"
#include "sim/base/need.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
  const uint8_t *at;
  size_t left;
  uint8_t version;
  bool failed; /* too few bytes, or an impossible count */
};

static uint64_t read_number(struct reader *reader, unsigned bytes) {
  uint64_t value = 0;
  if (reader->left < bytes) {
    reader->failed = true;
    reader->left = 0;
    return 0;
  }
  for (unsigned i = 0; i < bytes; i++)
    value |= (uint64_t)reader->at[i] << 8 * i;
  reader->at += bytes;
  reader->left -= bytes;
  return value;
}

static uint32_t read_u32(struct reader *reader) { return (uint32_t)read_number(reader, 4); }

/* A count of things that take at least `bytes` each in the file. */
static uint32_t read_count(struct reader *reader, size_t bytes, uint32_t most) {
  const uint32_t count = read_u32(reader);
  if (count <= most && count <= reader->left / bytes)
    return count;
  reader->failed = true;
  return 0;
}

static char *read_string(struct reader *reader, uint32_t most) {
  const uint32_t length = read_count(reader, 1, most);
  reader->failed |= !reader->failed && memchr(reader->at, 0, length); /* text contains no zero */
  if (reader->failed)
    return NULL;
  char *text = need_bytes((const char *)reader->at, length);
  reader->at += length;
  reader->left -= length;
  return text;
}

enum {
  ARG_BYTES = 20,
  KERNEL_BYTES = 48,
  INSTRUCTION_BYTES = 16,
  PLACE_BYTES = 6, /* source place of an instruction, without the column */
  LDS_VARIABLE_BYTES = 12,
  CHANNEL_BYTES = 16,
  SOURCE_BYTES = 8,
  LONGEST_PATH = 4096,
  LONGEST_LINE = 1 << 20,
};

static void read_args(struct reader *reader, struct isa_kernel *kernel) {
  const uint32_t count = read_count(reader, ARG_BYTES, ISA_MOST_ARGS);
  kernel->args = need(count, sizeof *kernel->args);
  for (uint32_t i = 0; i < count && !reader->failed; i++) {
    struct isa_arg *arg = &kernel->args[kernel->arg_count++];
    arg->name = read_string(reader, ISA_LONGEST_NAME);
    arg->type = read_string(reader, ISA_LONGEST_NAME);
    const uint32_t kind = read_u32(reader);
    reader->failed |= kind >= ISA_ARG_KINDS;
    arg->kind = kind >= ISA_ARG_KINDS ? ISA_ARG_VALUE : (enum isa_arg_kind)kind;
    arg->bytes = read_u32(reader);
    arg->offset = read_u32(reader);
  }
}

static void read_lds(struct reader *reader, struct isa_kernel *kernel) {
  const uint32_t count = read_count(reader, LDS_VARIABLE_BYTES, ISA_MOST_LDS_VARIABLES);
  kernel->lds = need(count, sizeof *kernel->lds);
  for (uint32_t i = 0; i < count && !reader->failed; i++) {
    struct isa_lds_variable *variable = &kernel->lds[kernel->lds_count++];
    variable->name = read_string(reader, ISA_LONGEST_NAME);
    variable->offset = read_u32(reader);
    variable->bytes = read_u32(reader);
  }
  kernel->scratch = read_u32(reader);
  kernel->scratch_bytes = read_u32(reader);
}

static void read_kernels(struct reader *reader, struct isa_program *program, uint32_t count) {
  program->kernels = need(count, sizeof *program->kernels);
  for (uint32_t i = 0; i < count && !reader->failed; i++) {
    struct isa_kernel *kernel = &program->kernels[program->kernel_count++];
    kernel->name = read_string(reader, ISA_LONGEST_NAME);
    kernel->entry = read_u32(reader);
    kernel->end = read_u32(reader);
    kernel->registers = read_u32(reader);
    kernel->lds_bytes = read_u32(reader);
    kernel->private_bytes = read_u32(reader);
    kernel->spilled = read_u32(reader);
    for (int axis = 0; axis < 3; axis++)
      kernel->required_local[axis] = read_u32(reader);
    kernel->arg_bytes = read_u32(reader);
    read_args(reader, kernel);
    if (reader->version > 2)
      read_lds(reader, kernel);
    for (int axis = 0; axis < 3 && reader->version > 3; axis++)
      kernel->autorun[axis] = read_u32(reader);
  }
}

static void read_code(struct reader *reader, struct isa_program *program, uint32_t count) {
  if (reader->failed || reader->left / (INSTRUCTION_BYTES + PLACE_BYTES) < count) {
    reader->failed = true;
    return;
  }
  program->code = need(count, sizeof *program->code);
  program->line = need(count, sizeof *program->line);
  program->column = need(count, sizeof *program->column);
  program->source = need(count, sizeof *program->source);
  program->info = need(count, sizeof *program->info);
  program->count = count;
  for (uint32_t pc = 0; pc < count; pc++) {
    struct isa_inst *inst = &program->code[pc];
    inst->op = (uint16_t)read_number(reader, 2);
    uint8_t *const fields[] = {&inst->guard, &inst->flags, &inst->d, &inst->a, &inst->b, &inst->c};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
      *fields[i] = (uint8_t)read_number(reader, 1);
    inst->imm = read_number(reader, 8);
  }
  for (uint32_t pc = 0; pc < count; pc++)
    program->line[pc] = read_u32(reader);
  for (uint32_t pc = 0; pc < count && reader->version > 2; pc++)
    program->column[pc] = (uint16_t)read_number(reader, 2);
  for (uint32_t pc = 0; pc < count; pc++)
    program->source[pc] = (uint16_t)read_number(reader, 2);
}

/* Reads `count` bytes into new memory, which *bytes owns. */
static void read_image(struct reader *reader, uint8_t **bytes, size_t *size, uint32_t count) {
  if (reader->failed || reader->left < count) {
    reader->failed = true;
    return;
  }
  *bytes = need_more(NULL, count, 1);
  memcpy(*bytes, reader->at, count);
  *size = count;
  reader->at += count;
  reader->left -= count;
}

/* Reads channels. Their places are computed. A packet size of 0 is invalid. */
static void read_channels(struct reader *reader, struct isa_program *program) {
  const uint32_t count = read_count(reader, CHANNEL_BYTES, ISA_MOST_PIPES);
  program->channels = need(count, sizeof *program->channels);
  for (uint32_t i = 0; i < count && !reader->failed; i++) {
    struct isa_channel *channel = &program->channels[i];
    channel->name = read_string(reader, ISA_LONGEST_NAME);
    channel->packet_size = read_u32(reader);
    channel->max_packets = read_u32(reader);
    channel->count = read_u32(reader);
    reader->failed |=
        channel->count > ISA_MOST_PIPES || !channel->packet_size || channel->packet_size > ISA_MOST_PACKET_BYTES;
    if (!reader->failed)
      isa_place_channel(isa_variable_room(program), channel);
    program->channel_count++;
  }
}

static void read_source(struct reader *reader, struct isa_source *source) {
  source->name = read_string(reader, LONGEST_PATH);
  const uint32_t count = read_count(reader, 4, UINT32_MAX);
  if (reader->failed || !count)
    return;
  source->text = need(count, sizeof *source->text);
  while (source->lines < count && !reader->failed) {
    source->text[source->lines] = read_string(reader, LONGEST_LINE);
    source->lines += !reader->failed;
  }
}

static void read_sources(struct reader *reader, struct isa_program *program, uint32_t count) {
  if (!count || reader->failed || reader->left / SOURCE_BYTES < count) {
    reader->failed |= count > 0;
    return;
  }
  program->sources = need(count, sizeof *program->sources);
  while (program->source_count < count && !reader->failed)
    read_source(reader, &program->sources[program->source_count++]);
}

static void read_program(struct reader *reader, struct isa_program *program) {
  const uint32_t instructions = read_count(reader, INSTRUCTION_BYTES, ISA_MOST_INSTRUCTIONS);
  const uint32_t kernels = read_count(reader, KERNEL_BYTES, ISA_MOST_KERNELS);
  const uint32_t constants = read_count(reader, 1, ISA_MOST_CONSTANT_BYTES);
  const uint32_t variables = read_count(reader, 1, ISA_MOST_VARIABLE_BYTES);
  const uint32_t sources = read_count(reader, SOURCE_BYTES, ISA_MOST_SOURCES);
  char *file = reader->failed ? NULL : read_string(reader, LONGEST_PATH);
  if (file) {
    free(program->file);
    program->file = file;
  }
  if (!reader->failed)
    read_kernels(reader, program, kernels);
  read_image(reader, &program->constants, &program->constant_bytes, constants);
  read_image(reader, &program->variables, &program->variable_bytes, variables);
  if (reader->version > 3)
    read_channels(reader, program);
  read_code(reader, program, instructions);
  read_sources(reader, program, sources);
  reader->failed |= reader->left > 0;
}

static struct isa_program *refuse(struct isa_program *program, struct isa_error *error, const char *file,
                                  const char *what) {
  snprintf(error->text, sizeof error->text, "%.200s: %s", file, what);
  isa_program_free(program);
  return NULL;
}

struct isa_program *isa_decode(const uint8_t *bytes, size_t size, const char *file, struct isa_error *error) {
  struct isa_program *program = isa_program_new(file);
  if (size < 4 || memcmp(bytes, "WWO", 3) != 0 || bytes[3] < 2 || bytes[3] > 4)
    return refuse(program, error, file, "not an object file of this version; one starts with 'WWO' 2, 3 or 4");
  struct reader reader = {.at = bytes + 4, .left = size - 4, .version = bytes[3]};
  read_program(&reader, program);
  if (reader.failed)
    return refuse(program, error, file, "the object file is cut off, or a count in it is impossible");
  char what[sizeof error->text];
  if (isa_validate(program, error))
    return program;
  snprintf(what, sizeof what, "%s", error->text);
  isa_program_free(program);
  snprintf(error->text, sizeof error->text, "%.500s", what);
  return NULL;
}
