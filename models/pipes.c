#include "models/pipes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "models/memory.h"
#include "sim/base/need.h"

void pipes_launch(struct mem_pipes *pipes, struct isa_memory *memory, uint32_t limit, uint32_t room, cycle_t start) {
  assert(!pipes->parked_count && "the launch before has ended");
  pipes->memory = memory;
  pipes->counted = pipes->changed = start;
  pipes->dismissed = false;
  for (size_t i = 0; memory && i < memory->pipe_count; i++)
    isa_pipe_launch(&memory->pipes[i], limit);
  if (pipes->parked || !memory || !memory->pipe_count)
    return;
  pipes->parked_room = room;
  pipes->parked = need(room, sizeof *pipes->parked);
}

void pipes_free(struct mem_pipes *pipes) {
  free(pipes->parked);
  *pipes = (struct mem_pipes){0};
}

void pipes_count(struct mem_pipes *pipes, cycle_t now) {
  if (!pipes->memory || now <= pipes->counted)
    return;
  for (size_t i = 0; i < pipes->memory->pipe_count; i++) {
    struct isa_pipe *pipe = &pipes->memory->pipes[i];
    pipe->stats.packet_cycles += isa_pipe_present(pipe) * (now - pipes->counted);
  }
  pipes->counted = now;
}

bool pipes_serve(struct memory *memory, uint32_t index, cycle_t now) {
  struct mem_event *event = &memory->events[index];
  pipes_count(&memory->pipes, now);
  commit_now(&memory->commits, event->client, &event->message);
  if (memory->pipes.dismissed)
    isa_pipe_dismiss(event->message.access);
  if (event->message.access->pipe.changed)
    memory->pipes.changed = now;
  return !event->message.access->pipe.waiting;
}

bool pipes_accept(struct memory *memory, uint32_t index, cycle_t now) {
  struct mem_pipes *pipes = &memory->pipes;
  if (pipes_serve(memory, index, now))
    return true;
  assert(pipes->parked_count < pipes->parked_room && "there is room for all that can be parked");
  pipes->parked[pipes->parked_count++] = index;
  return false;
}

uint32_t pipes_unpark(struct memory *memory, cycle_t now) {
  struct mem_pipes *pipes = &memory->pipes;
  for (uint32_t i = 0; i < pipes->parked_count; i++) {
    const uint32_t index = pipes->parked[i];
    if (!pipes_serve(memory, index, now))
      continue;
    memmove(&pipes->parked[i], &pipes->parked[i + 1], (--pipes->parked_count - i) * sizeof *pipes->parked);
    return index;
  }
  return WHEEL_NONE;
}
