/* Creation, destruction and queries of programs. */
#include "isa/pipe.h"
#include "isa/rows.h"
#include "sim/base/need.h"

#include <stdlib.h>
#include <string.h>

struct isa_program *isa_program_new(const char *file) {
  struct isa_program *program = need(1, sizeof *program);
  program->file = need_copy(file);
  return program;
}

static void free_source(struct isa_source *source) {
  for (uint32_t i = 0; source->text && i < source->lines; i++)
    free(source->text[i]);
  free(source->text);
  free(source->name);
  free(source->path);
}

void isa_kernel_free(struct isa_kernel *kernel) {
  for (size_t i = 0; i < kernel->arg_count; i++) {
    free(kernel->args[i].name);
    free(kernel->args[i].type);
  }
  for (size_t i = 0; i < kernel->lds_count; i++)
    free(kernel->lds[i].name);
  free(kernel->args);
  free(kernel->lds);
  free(kernel->name);
}

void isa_program_free(struct isa_program *program) {
  if (!program)
    return;
  for (size_t i = 0; i < program->kernel_count; i++)
    isa_kernel_free(&program->kernels[i]);
  for (size_t i = 0; i < program->channel_count; i++)
    free(program->channels[i].name);
  free(program->channels);
  for (uint32_t i = 0; program->sources && i < program->source_count; i++)
    free_source(&program->sources[i]);
  free(program->sources);
  free(program->kernels);
  free(program->constants);
  free(program->variables);
  free(program->code);
  free(program->info);
  free(program->line);
  free(program->column);
  free(program->source);
  free(program->order);
  free(program->file);
  free(program);
}

const struct isa_kernel *isa_find_kernel(const struct isa_program *program, const char *name) {
  for (size_t i = 0; i < program->kernel_count; i++)
    if (strcmp(program->kernels[i].name, name) == 0)
      return &program->kernels[i];
  return NULL;
}

uint64_t isa_variable_room(const struct isa_program *program) {
  if (!program->channel_count)
    return program->variable_bytes;
  return isa_channel_end(&program->channels[program->channel_count - 1]);
}

uint64_t isa_channel_end(const struct isa_channel *channel) {
  return channel->offset + channel->pitch * channel->count;
}

void isa_place_channel(uint64_t room, struct isa_channel *channel) {
  /* `even` is the largest power of two that divides `size`. */
  const uint32_t size = channel->count > 1 ? channel->packet_size : 1, even = size & -size;
  const uint64_t unit = (uint64_t)size * (ISA_PIPE_HEADER / (even < ISA_PIPE_HEADER ? even : ISA_PIPE_HEADER));
  const uint64_t bytes = isa_pipe_bytes(channel->packet_size, channel->max_packets);
  channel->pitch = (bytes + unit - 1) / unit * unit;
  channel->offset = (room + ISA_PIPE_HEADER - 1) / ISA_PIPE_HEADER * ISA_PIPE_HEADER;
}

static const struct isa_source *source_of(const struct isa_program *program, uint32_t pc) {
  if (pc >= program->count || !program->line[pc] || program->source[pc] >= program->source_count)
    return NULL;
  return &program->sources[program->source[pc]];
}

const char *isa_source_name(const struct isa_program *program, uint32_t pc) {
  const struct isa_source *source = source_of(program, pc);
  return source ? source->name : NULL;
}

const char *isa_source_text(const struct isa_program *program, uint32_t pc) {
  const struct isa_source *source = source_of(program, pc);
  return source && source->text && program->line[pc] <= source->lines ? source->text[program->line[pc] - 1] : NULL;
}
