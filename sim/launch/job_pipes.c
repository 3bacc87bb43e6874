/* Pipes of a job. A pipe is a buffer, hidden from job_find_buffer(), and a description (isa/pipe.h). */
#include <stdlib.h>
#include <string.h>

#include "models/result.h"
#include "sim/base/need.h"
#include "sim/launch/job.h"

/* The element type for printing a packet: one number, words, or bytes. */
static struct type element_of(uint32_t packet_size) {
  const bool power = packet_size <= 8 && !(packet_size & (packet_size - 1));
  const uint8_t bytes = (uint8_t)(power ? packet_size : packet_size % 4 ? 1 : 4);
  return (struct type){TYPE_UNSIGNED, bytes, 1};
}

bool job_pipe(struct job *job, const char *name, uint32_t packet_size, uint32_t max_packets, struct message *message) {
  struct isa_memory *memory = &job->memory;
  for (size_t i = 0; i < memory->count; i++)
    if (strcmp(memory->buffers[i].name, name) == 0)
      return message_fail(message, "'%.60s' is already a %s", name, job_pipe_of(job, i) ? "pipe" : "buffer");
  if (memory->pipe_count == ISA_MOST_PIPES)
    return message_fail(message, "more than %d pipes", ISA_MOST_PIPES);
  if (!job_buffer(job, name, isa_pipe_bytes(packet_size, max_packets), element_of(packet_size), message))
    return false;
  const struct isa_buffer *buffer = &memory->buffers[memory->count - 1];
  memory->pipes = need_more(memory->pipes, memory->pipe_count + 1, sizeof *memory->pipes);
  struct isa_pipe *pipe = &memory->pipes[memory->pipe_count++];
  isa_pipe_init(pipe, name, (uint32_t)memory->pipe_count, buffer->base, buffer->data, packet_size, max_packets);
  return true;
}

bool job_has_pipes(const struct job *job) { return job->memory.pipe_count || isa_channel_pipes(job->program.isa); }

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

/* A bit for each direction in which the launch may use the pipe, as far as its code shows. */
static unsigned directions(const struct job_launch *launch, const struct isa_pipe *pipe) {
  const struct isa_kernel *kernel = launch->isa.kernel;
  unsigned found = 0;
  for (size_t i = 0; i < kernel->arg_count; i++) {
    uint64_t address = 0;
    if (kernel->args[i].kind != ISA_ARG_PIPE)
      continue;
    memcpy(&address, launch->args + kernel->args[i].offset, sizeof address);
    if (address == pipe->base)
      found |= isa_arg_directions(launch->isa.program, kernel, &kernel->args[i]);
  }
  return found;
}

static bool fail_shared(const struct job *job, const struct isa_pipe *pipe, unsigned shared, size_t other,
                        struct message *message) {
  return message_fail(message, "pipe '%s' is also %s by kernel '%.60s'; only one kernel at a time may do so",
                      pipe->name, shared & 1u << ISA_PIPE_WRITE ? "written" : "read",
                      job->launches[other].isa.kernel->name);
}

static bool is_launched(const struct job *job, size_t first, const struct program *program, const char *kernel) {
  for (size_t i = first; i < job->launch_count; i++)
    if (job->launches[i].program == program && strcmp(job->launches[i].isa.kernel->name, kernel) == 0)
      return true;
  return false;
}

/* The launch has as many dimensions as the kernel's compute units. */
static bool launch_autorun(struct job *job, struct program *program, const struct isa_kernel *kernel,
                           struct message *message) {
  struct launch_fault fault = {0};
  struct launch launch = {.program = program, .kernel = kernel->name};
  launch.dimensions = kernel->autorun[2] > 1 ? 3 : kernel->autorun[1] > 1 ? 2 : 1;
  for (unsigned axis = 0; axis < 3; axis++) {
    launch.local[axis] = kernel->required_local[0] ? kernel->required_local[axis] : 1;
    launch.global[axis] = kernel->autorun[axis] * launch.local[axis];
  }
  return job_add(job, &launch, &fault, message) ||
         (fault.field != LAUNCH_KERNEL && message_within(message, kernel->name));
}

/* Autorun kernels run with every launch of their program. */
static bool add_autoruns(struct job *job, size_t first, struct message *message) {
  for (size_t i = first, said = job->launch_count; i < said; i++) {
    struct program *program = job->launches[i].program;
    const struct program *from = job_program(job, &job->launches[i]);
    const struct isa_program *isa = from->isa;
    for (size_t k = 0; k < from->refusals.count; k++)
      if (from->refusals.row[k].autorun)
        return message_fail(message, "%s", from->refusals.row[k].error.text);
    for (size_t k = 0; k < isa->kernel_count; k++)
      if (isa->kernels[k].autorun[0] && !is_launched(job, first, program, isa->kernels[k].name) &&
          !launch_autorun(job, program, &isa->kernels[k], message))
        return false;
  }
  return job->launch_count - first <= RESULT_TOGETHER ||
         message_fail(message, "%zu launches would run at once, including autorun kernels; at most %d can",
                      job->launch_count - first, RESULT_TOGETHER);
}

bool job_together(struct job *job, size_t first, size_t *launch, struct message *message) {
  *launch = first;
  if (!add_autoruns(job, first, message))
    return false;
  for (size_t i = first; i < job->launch_count; i++) {
    job->launches[i].first = first;
    job->launches[i].together = job->launch_count - first;
  }
  for (size_t p = 0; p < job->memory.pipe_count; p++)
    for (*launch = first; *launch < job->launch_count; ++*launch)
      for (size_t other = first; other < *launch; other++) {
        const struct isa_pipe *pipe = &job->memory.pipes[p];
        unsigned shared = directions(&job->launches[*launch], pipe) & directions(&job->launches[other], pipe);
        if (shared)
          return fail_shared(job, pipe, shared, other, message);
      }
  return true;
}

uint8_t *job_packets(const struct isa_pipe *pipe, uint64_t *bytes) {
  const uint64_t count = isa_pipe_available(pipe, ISA_PIPE_READ);
  *bytes = count * pipe->packet_size;
  uint8_t *packets = need(need_size(*bytes + 1), 1);
  for (uint64_t i = 0; i < count; i++)
    memcpy(packets + i * pipe->packet_size, isa_pipe_packet(pipe, i), pipe->packet_size);
  return packets;
}
