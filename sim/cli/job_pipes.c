/* Pipes of a job. A pipe is a buffer of its own, which nobody can name as one, and what isa/pipe.h knows of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/job.h"
#include "sim/core/need.h"

/* What prints a packet best: as one number, as words, or as bytes. */
static struct type element_of(uint32_t packet_size) {
  const bool power = packet_size <= 8 && !(packet_size & (packet_size - 1));
  const uint8_t bytes = (uint8_t)(power ? packet_size : packet_size % 4 ? 1 : 4);
  return (struct type){TYPE_UNSIGNED, bytes, 1};
}

bool job_pipe(struct job *job, const char *name, uint32_t packet_size, uint32_t max_packets, struct message *message) {
  struct isa_memory *memory = &job->memory;
  for (size_t i = 0; i < memory->count; i++)
    if (strcmp(memory->buffers[i].name, name) == 0)
      return message_fail(message, "'%.60s' is a %s already", name, job_pipe_of(job, i) ? "pipe" : "buffer");
  if (memory->pipe_count == ISA_MOST_PIPES)
    return message_fail(message, "there are more than %d pipes", ISA_MOST_PIPES);
  if (!job_buffer(job, name, isa_pipe_bytes(packet_size, max_packets), element_of(packet_size), message))
    return false;
  const struct isa_buffer *buffer = &memory->buffers[memory->count - 1];
  memory->pipes = need_more(memory->pipes, memory->pipe_count + 1, sizeof *memory->pipes);
  struct isa_pipe *pipe = &memory->pipes[memory->pipe_count++];
  return isa_pipe_init(pipe, name, (uint32_t)memory->pipe_count, buffer->base, buffer->data, packet_size,
                       max_packets) ||
         message_fail(message, "no memory for a pipe of %u packets", max_packets);
}

const struct isa_pipe *job_pipe_of(const struct job *job, size_t buffer) {
  return isa_pipe_find(&job->memory, job->memory.buffers[buffer].base);
}

bool job_find_pipe(const struct job *job, const char *name, size_t *pipe, struct message *message) {
  const size_t count = job->memory.pipe_count;
  for (*pipe = 0; *pipe < count; (*pipe)++)
    if (strcmp(job->memory.pipes[*pipe].name, name) == 0)
      return true;
  const char **names = need(count, sizeof *names);
  char hint[400];
  for (size_t i = 0; i < count; i++)
    names[i] = job->memory.pipes[i].name;
  message_suggest(hint, sizeof hint, name, names, count);
  free(names);
  return message_fail(message, "no pipe '%.60s'%s", name, count ? hint : "; there are no pipes");
}

uint8_t *job_packets(const struct isa_pipe *pipe, uint64_t *bytes) {
  const uint64_t count = isa_pipe_available(pipe, ISA_PIPE_READ);
  *bytes = count * pipe->packet_size;
  uint8_t *packets = need(*bytes + 1, 1);
  for (uint64_t i = 0; i < count; i++)
    memcpy(packets + i * pipe->packet_size, isa_pipe_packet(pipe, i), pipe->packet_size);
  return packets;
}
