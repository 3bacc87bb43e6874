/* The memory with an outside memory instead of its L2 and DRAM.
 *
 *   load, DMA read     fetch the bytes into the launch's memory, then commit, then reply
 *   store, DMA write   commit, then send the changed bytes, then reply
 *   atomic             fetch, commit, send, reply: not atomic for other users of the outside memory
 *   prefetch           no transaction: caching is up to the outside memory
 *
 * Each line of a DMA request is a transaction; `bypass` has no effect. The launch's memory is a mirror: what is read is
 * fresh, and only bytes that the kernel wrote are sent. */
#include "models/memory.h"

/* Starts one transaction, tagged with its message. Bytes outside all buffers do not leave: they read as 0, and writes
 * to them are dropped. */
static void start_piece(struct memory *memory, uint32_t index, cycle_t now, bool write, uint64_t address,
                        uint64_t bytes) {
  uint8_t *data = isa_memory_at(memory->commits.memory, address, bytes);
  const struct transfer transfer = {
      .tag = index, .rect = {.base = address, .bytes = bytes, .lines = 1, .planes = 1}, .write = write};
  if (!data)
    return;
  memory->events[index].pieces++;
  memory->stats.outside_requests++;
  memory->outside->start(memory->outside, now, &transfer, data);
}

/* The run [address, address + bytes), cut at lines. */
static void start_run(struct memory *memory, uint32_t index, cycle_t now, bool write, uint64_t address,
                      uint64_t bytes) {
  while (bytes) {
    uint64_t room = memory->params->line - address % memory->params->line, part = bytes < room ? bytes : room;
    start_piece(memory, index, now, write, address, part);
    address += part;
    bytes -= part;
  }
}

/* The bytes of a warp's access; adjacent lanes are joined. */
static void start_access(struct memory *memory, uint32_t index, cycle_t now, bool write) {
  const struct isa_access *access = memory->events[index].message.access;
  uint64_t from = 0, to = 0;
  for (uint64_t lanes = access->mask; lanes; lanes &= lanes - 1) {
    uint64_t address = access->address[__builtin_ctzll(lanes)], end = address + access->bytes;
    if (address < from || address > to) {
      start_run(memory, index, now, write, from, to - from);
      from = to = address;
    }
    to = end > to ? end : to;
  }
  start_run(memory, index, now, write, from, to - from);
}

static void settle(struct memory *memory, uint32_t index) {
  struct mem_event *event = &memory->events[index];
  if (--event->pieces)
    return;
  wheel_add(&memory->done, index, event->latest);
  component_wake(&memory->component, event->latest);
}

static void start_all(struct memory *memory, uint32_t index, cycle_t now, bool write) {
  struct mem_event *event = &memory->events[index];
  event->phase = write ? MEM_SENDING : MEM_FETCHING;
  event->latest = now + 1;
  /* An extra piece keeps the message open while transactions start, because one may complete at once. */
  event->pieces = 1;
  const struct rect *rect = &event->message.rect;
  if (mem_is_dma(event->message.kind))
    for (uint32_t line = 0; line < rect->lines; line++)
      start_run(memory, index, now, write, rect_line(rect, 0, line), (uint32_t)rect->bytes);
  else
    start_access(memory, index, now, write);
  settle(memory, index);
}

static void on_done(void *context, uint32_t tag, cycle_t at, bool good) {
  struct memory *memory = context;
  struct mem_event *event = &memory->events[tag];
  memory->stats.outside_errors += !good;
  /* The way back is a link like any other: one cycle. */
  event->latest = cycle_max(event->latest, at + 1);
  settle(memory, tag);
}

bool memory_start_outside(struct memory *memory, uint32_t index, cycle_t now) {
  const struct mem_event *event = &memory->events[index];
  enum mem_kind kind = event->message.kind;
  if (kind == MEM_PREFETCH || event->phase == MEM_SENDING)
    return false;
  if (event->phase == MEM_ACCEPTED && mem_reads(kind)) {
    start_all(memory, index, now, false);
    return true;
  }
  if (event->message.pipe) {
    if (!pipes_serve(memory, index, now))
      isa_pipe_refuse(event->message.access);
  } else {
    commit_now(&memory->commits, event->client, &event->message);
    if (mem_writes(kind))
      memory->pipes.changed = now;
  }
  if (!mem_writes(kind))
    return false;
  start_all(memory, index, now, true);
  return true;
}

void memory_attach(struct memory *memory, struct outside *outside) {
  memory->outside = outside;
  outside->done = on_done;
  outside->context = memory;
}
