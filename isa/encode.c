/* Writes a program as an object file (.wwo). All numbers are little-endian; a string is its length and its bytes.
 *
 *     "WWO\4"                                                       magic and version
 *     u32 instructions, kernels, constant bytes, variable bytes, source files
 *     string file
 *     kernels:       string name; u32 entry, end, registers, lds, private, spilled, required_local[3],
 *                    arg bytes, args; the arguments; u32 LDS variables; the LDS variables;
 *                    u32 scratch, scratch bytes; u32 autorun[3]
 *       args:        string name, type; u32 kind, bytes, offset
 *       variables:   string name; u32 offset, bytes
 *     constants:     bytes
 *     variables:     bytes
 *     u32 channels
 *     channels:      string name; u32 packet size, max packets, count
 *     instructions:  16 bytes each: u16 op; u8 guard, flags, d, a, b, c; u64 imm
 *     line numbers:  u32 each
 *     columns:       u16 each
 *     files:         u16 each
 *     source files:  string name; u32 lines
 *       lines:       string each
 *
 * decode.c still reads versions 2 and 3. They have no channels and no autorun; version 2 also has no LDS variables, no
 * scratch and no columns.
 *
 * stack_entries and info are not stored: the reader computes them, which also checks the code. */
#include "isa/rows.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/vector.h"

struct writer {
  uint8_t *bytes;
  size_t count, room;
};

static void write_bytes(struct writer *writer, const void *bytes, size_t count) {
  if (!count)
    return;
  writer->bytes = vector_room(writer->bytes, &writer->room, writer->count + count, 1);
  memcpy(writer->bytes + writer->count, bytes, count);
  writer->count += count;
}

static void write_number(struct writer *writer, uint64_t value, unsigned bytes) {
  uint8_t little[8];
  for (unsigned i = 0; i < bytes; i++)
    little[i] = (uint8_t)(value >> 8 * i);
  write_bytes(writer, little, bytes);
}

static void write_u32(struct writer *writer, size_t value) { write_number(writer, value, 4); }

static void write_string(struct writer *writer, const char *text) {
  const size_t length = strlen(text);
  write_u32(writer, length);
  write_bytes(writer, text, length);
}

static void write_kernel(struct writer *writer, const struct isa_kernel *kernel) {
  write_string(writer, kernel->name);
  write_u32(writer, kernel->entry);
  write_u32(writer, kernel->end);
  write_u32(writer, kernel->registers);
  write_u32(writer, kernel->lds_bytes);
  write_u32(writer, kernel->private_bytes);
  write_u32(writer, kernel->spilled);
  for (int axis = 0; axis < 3; axis++)
    write_u32(writer, kernel->required_local[axis]);
  write_u32(writer, kernel->arg_bytes);
  write_u32(writer, kernel->arg_count);
  for (size_t i = 0; i < kernel->arg_count; i++) {
    const struct isa_arg *arg = &kernel->args[i];
    write_string(writer, arg->name);
    write_string(writer, arg->type);
    write_u32(writer, arg->kind);
    write_u32(writer, arg->bytes);
    write_u32(writer, arg->offset);
  }
  write_u32(writer, kernel->lds_count);
  for (size_t i = 0; i < kernel->lds_count; i++) {
    write_string(writer, kernel->lds[i].name);
    write_u32(writer, kernel->lds[i].offset);
    write_u32(writer, kernel->lds[i].bytes);
  }
  write_u32(writer, kernel->scratch);
  write_u32(writer, kernel->scratch_bytes);
  for (int axis = 0; axis < 3; axis++)
    write_u32(writer, kernel->autorun[axis]);
}

static void write_channels(struct writer *writer, const struct isa_program *program) {
  write_u32(writer, program->channel_count);
  for (size_t i = 0; i < program->channel_count; i++) {
    const struct isa_channel *channel = &program->channels[i];
    write_string(writer, channel->name);
    write_u32(writer, channel->packet_size);
    write_u32(writer, channel->max_packets);
    write_u32(writer, channel->count);
  }
}

static void write_instruction(struct writer *writer, const struct isa_inst *inst) {
  write_number(writer, inst->op, 2);
  const uint8_t fields[] = {inst->guard, inst->flags, inst->d, inst->a, inst->b, inst->c};
  write_bytes(writer, fields, sizeof fields);
  write_number(writer, inst->imm, 8);
}

static void write_source(struct writer *writer, const struct isa_source *source) {
  const uint32_t lines = source->text ? source->lines : 0;
  write_string(writer, source->name);
  write_u32(writer, lines);
  for (uint32_t i = 0; i < lines; i++)
    write_string(writer, source->text[i]);
}

uint8_t *isa_encode(const struct isa_program *program, size_t *size) {
  struct writer writer = {0};
  write_bytes(&writer, "WWO\4", 4);
  write_u32(&writer, program->count);
  write_u32(&writer, program->kernel_count);
  write_u32(&writer, program->constant_bytes);
  write_u32(&writer, program->variable_bytes);
  write_u32(&writer, program->source_count);
  write_string(&writer, program->file);
  for (size_t i = 0; i < program->kernel_count; i++)
    write_kernel(&writer, &program->kernels[i]);
  write_bytes(&writer, program->constants, program->constant_bytes);
  write_bytes(&writer, program->variables, program->variable_bytes);
  write_channels(&writer, program);
  for (uint32_t pc = 0; pc < program->count; pc++)
    write_instruction(&writer, &program->code[pc]);
  for (uint32_t pc = 0; pc < program->count; pc++)
    write_u32(&writer, program->line[pc]);
  for (uint32_t pc = 0; pc < program->count; pc++)
    write_number(&writer, program->column[pc], 2);
  for (uint32_t pc = 0; pc < program->count; pc++)
    write_number(&writer, program->source[pc], 2);
  for (uint32_t i = 0; i < program->source_count; i++)
    write_source(&writer, &program->sources[i]);
  *size = writer.count;
  return writer.bytes;
}
