#include "models/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dma/dma.h"
#include "models/machine.h"
#include "sim/base/need.h"

/* ---- through the L2 ------------------------------------------------------------------------ */

/* Prefetches a run for lanes: the part in a buffer, up to the size of the L2. More would only replace what came
 * before. */
static void prefetch_run(struct memory *memory, cycle_t now, uint64_t from, uint64_t to) {
  const struct isa_buffer *buffer = isa_memory_near(memory->commits.memory, from);
  if (from == to || !buffer || from >= buffer->base + buffer->bytes)
    return;
  l2_prefetch(&memory->l2, now, from, cycle_min(to, buffer->base + buffer->bytes));
}

/* Joins the runs of lanes, which are usually contiguous or the same. */
static cycle_t accept_prefetch(struct memory *memory, cycle_t now, const struct mem_message *message) {
  const struct isa_access *access = message->access;
  uint64_t from = 0, to = 0;
  for (uint64_t lanes = access->mask; lanes; lanes &= lanes - 1) {
    unsigned lane = (unsigned)__builtin_ctzll(lanes);
    uint64_t address = access->address[lane], end = address + access->data[lane];
    if (address < from || address > to) {
      prefetch_run(memory, now, from, to);
      from = to = address;
    }
    to = end > to ? end : to;
  }
  prefetch_run(memory, now, from, to);
  return now + memory->params->l2_latency;
}

/* The unit of a line. Each round of consecutive stripes has one stripe for each unit; a hash of the round rotates the
 * order. */
static struct rate *unit_of(const struct memory *memory, uint64_t line) {
  const uint64_t stripe = line * memory->params->line / memory->params->atomic_stripe,
                 units = memory->params->atomic_units;
  const uint64_t round = stripe / units, turn = mem_hash(round) * units >> 32, unit = stripe - round * units + turn;
  return &memory->units[unit < units ? unit : unit - units];
}

/* Updates a line of an atomic access in its unit; returns the cycle of the last update. A unit takes accesses in
 * order. */
static cycle_t update(struct memory *memory, cycle_t now, const struct mem_line *line, uint64_t updates) {
  return rate_take(unit_of(memory, line->line), now, updates * memory->params->atomic_interval) - 1;
}

/* Updates all lines. Returns how many cycles after the L2 the last unit is done; *results is what the way back
 * carries. */
static cycle_t update_all(struct memory *memory, cycle_t now, const struct mem_line *lines, uint32_t count,
                          uint32_t *results) {
  cycle_t done = now;
  *results = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t sectors = sector_count(lines[i].sectors), updates = lines[i].updates;
    updates = updates > sectors ? updates : sectors;
    *results += updates;
    done = cycle_max(done, update(memory, now, &lines[i], updates));
  }
  return done - now;
}

static cycle_t accept_access(struct memory *memory, cycle_t now, struct mem_event *event, unsigned use) {
  const struct mem_message *message = &event->message;
  const struct mem_params *params = memory->params;
  use |= (mem_reads(message->kind) ? L2_READ : 0) | (mem_writes(message->kind) ? L2_WRITE : 0);
  if (message->kind == MEM_STORE && params->l2_write == L2_AROUND)
    use |= L2_PAST;
  if (message->kind != MEM_ATOMIC || !params->atomic_interval)
    return l2_access(&memory->l2, now, message->lines, message->count, use);
  struct mem_line lines[MEM_ACCESS_LINES];
  memcpy(lines, message->lines, message->count * sizeof *lines);
  mem_count_updates(params, message->access, lines, message->count);
  if (params->atomic_units)
    return l2_access(&memory->l2, now, message->lines, message->count, use) +
           update_all(memory, now, lines, message->count, &event->results);
  return l2_access(&memory->l2, now, lines, message->count, use);
}

/* One run, of at most a request. */
static cycle_t accept_run(struct memory *memory, cycle_t now, const struct rect *run, uint64_t bytes, unsigned use) {
  struct mem_line lines[MEM_ACCESS_LINES];
  if (mem_one_line(memory->params, run, lines))
    return l2_access_line(&memory->l2, now, lines, bytes, use);
  struct mem_cursor cursor = {.left = *run};
  uint32_t count = mem_gather(memory->params, &cursor, lines, MEM_ACCESS_LINES);
  return l2_access(&memory->l2, now, lines, count, use);
}

/* Accepts each run of a train like a message, all in this cycle. Returns when the data of the first run depart: late
 * enough that the data of every run, a cycle apart, are ready. */
static cycle_t accept_train(struct memory *memory, cycle_t now, const struct mem_message *message, unsigned use) {
  struct rect run = {.base = message->rect.base, .bytes = message->rect.bytes, .lines = 1};
  uint64_t bytes = message->moved / message->rect.lines, pitch = message->rect.pitch;
  unsigned line_log2 = (unsigned)__builtin_ctz(memory->params->line);
  cycle_t last = now;
  struct mem_line line = {0};
  /* Most trains have runs at the same offset in each line, which need no cutting. */
  const bool alike = !(pitch & (memory->params->line - 1)) && mem_one_line(memory->params, &run, &line);
  for (uint32_t i = 0; i < message->rect.lines; i++, run.base += pitch) {
    line.line = run.base >> line_log2;
    cycle_t done =
        alike ? l2_access_line(&memory->l2, now, &line, bytes, use) : accept_run(memory, now, &run, bytes, use);
    last = cycle_max(last, done + i);
  }
  return last - (message->rect.lines - 1);
}

static cycle_t accept_runs(struct memory *memory, cycle_t now, const struct mem_message *message, unsigned use) {
  use |= (message->kind == MEM_DMA_WRITE ? L2_WRITE : L2_READ) | (message->bypass ? L2_PAST : 0);
  if (message->train)
    return accept_train(memory, now, message, use);
  struct mem_line lines[MEM_ACCESS_LINES];
  if (mem_one_line(memory->params, &message->rect, lines))
    return l2_access_line(&memory->l2, now, lines, message->moved, use);
  struct mem_cursor cursor = {.left = message->rect};
  cycle_t done = now;
  while (cursor.left.lines) {
    uint32_t count = mem_gather(memory->params, &cursor, lines, MEM_ACCESS_LINES);
    done = cycle_max(done, l2_access(&memory->l2, now, lines, count, use));
  }
  return done;
}

static void count(struct memory *memory, const struct mem_message *message) {
  uint64_t *const counters[] = {
      [MEM_LOAD] = &memory->stats.loads,         [MEM_STORE] = &memory->stats.stores,
      [MEM_ATOMIC] = &memory->stats.atomics,     [MEM_PREFETCH] = &memory->stats.prefetches,
      [MEM_DMA_READ] = &memory->stats.dma_reads, [MEM_DMA_WRITE] = &memory->stats.dma_writes,
  };
  *counters[message->kind] += message->train ? message->rect.lines : 1;
  if (mem_is_dma(message->kind)) {
    memory->stats.dma_bytes += (uint64_t)message->rect.bytes * message->rect.lines;
    memory->stats.dma_sector_bytes += message->moved;
  }
  if (mem_writes(message->kind))
    memory->stats.link_up_bytes += message->moved;
  for (uint32_t i = 0; i < message->count; i++)
    memory->stats.sectors += sector_count(message->lines[i].sectors);
}

void memory_launch(struct memory *memory, struct isa_memory *mirror, cycle_t start, cycle_t ahead_until) {
  const bool sends_ahead = !memory->outside && memory->params->l2_size && start < ahead_until;
  memory->ahead = sends_ahead ? memory->params->l2_latency : 0;
  memory->ahead_until = ahead_until;
  memory->stats = (struct mem_stats){.dram_early_bytes = dram_backlog(&memory->l2.dram, start)};
  memory->commits.memory = mirror;
  l2_launch(&memory->l2);
}

cycle_t memory_lookahead(const struct memory *memory, bool copies) {
  return memory->ahead + memory->params->link_latency + (copies ? 0 : memory->params->fill_latency);
}

struct mem_stats memory_stats(const struct memory *memory, cycle_t end) {
  struct mem_stats stats = memory->stats;
  stats.dram_late_bytes = dram_backlog(&memory->l2.dram, end);
  return stats;
}

/* ---- step ------------------------------------------------------------------------------- */

static void emit_served(const struct memory *memory, const struct mem_event *event, cycle_t end, cycle_t arrives,
                        cycle_t now) {
  const struct mem_message *message = &event->message;
  const struct timeline_tap *tap = &memory->clients[event->client].tap;
  if (timeline_wants(tap, TIMELINE_SERVED))
    timeline_emit(tap, now,
                  (struct timeline_event){.kind = TIMELINE_SERVED,
                                          .unit = mem_is_dma(message->kind) ? 1 + message->engine : 0,
                                          .from = event->accepted,
                                          .to = end,
                                          .field = {[TIMELINE_SERVED_KIND] = message->kind,
                                                    [TIMELINE_SERVED_BYTES] = message->moved,
                                                    [TIMELINE_SERVED_ARRIVES] = arrives}});
}

static void reply(struct memory *memory, cycle_t now, const struct mem_event *event) {
  struct mem_client *client = &memory->clients[event->client];
  const struct mem_message *to = &event->message;
  uint64_t bytes = mem_reads(to->kind) ? to->moved : 0;
  cycle_t behind =
      to->train ? to->rect.lines - 1 : 0; /* of a train: cycles from the first run, at `now`, to the last */
  cycle_t passed = cycle_max(now + behind, rate_take(&client->down, now, bytes));
  if (client->cluster)
    passed = cycle_max(passed, rate_take(&client->cluster->down, now, bytes));
  if (to->returns && event->results)
    passed =
        cycle_max(passed, rate_take(&client->results, now, (uint64_t)event->results * memory->params->atomic_return));
  cycle_t arrival = passed + memory->params->link_latency;
  memory->stats.link_down_bytes += bytes;
  memory->last_arrival = cycle_max(memory->last_arrival, arrival + memory->params->fill_latency);
  if (mem_is_dma(to->kind)) {
    struct transfer_reply message = {.tag = to->tag};
    struct port *engine = client->to_dma[to->engine];
    arrival = cycle_max(engine->last, arrival - behind);
    port_send_at(engine, &message, now, arrival);
  } else {
    struct mem_reply message = {.tag = to->tag};
    client->last_reply = cycle_max(client->last_reply, arrival + (to->past ? 0 : memory->params->fill_latency));
    arrival = client->last_reply;
    port_send_at(&client->to_cu, &message, now, arrival);
  }
  if (client->tap.timeline)
    emit_served(memory, event, now, arrival, now);
}

/* Takes a message through the L2, and what it writes through its cluster's port, towards the L2. */
static void start(struct memory *memory, uint32_t index, cycle_t now) {
  struct mem_event *event = &memory->events[index];
  const struct mem_message *message = &event->message;
  const struct mem_client *client = &memory->clients[event->client];
  cycle_t through = now + 1; /* the earliest cycle in which the L2 can be done with it */
  if (client->cluster && mem_writes(message->kind))
    through =
        rate_take(&client->cluster->up, now, mem_bytes_up(memory->params, message)) - 1 + memory->params->l2_latency;
  const cycle_t departs = message->kind == MEM_PREFETCH ? accept_prefetch(memory, now, message)
                          : mem_is_dma(message->kind)   ? accept_runs(memory, now, message, client->from)
                                                        : accept_access(memory, now, event, client->from);
  const cycle_t done = cycle_max(departs, through);
  assert(done >= now + memory->ahead && "nothing is faster than the L2");
  wheel_add(&memory->done, index, done < memory->ahead_until ? done - memory->ahead : done);
}

static void unpark(struct memory *memory, cycle_t now) {
  for (uint32_t parked; (parked = pipes_unpark(memory, now)) != WHEEL_NONE;)
    start(memory, parked, now);
}

/* A commit may be what parked operations wait for. */
static void accept_pipe(struct memory *memory, uint32_t index, cycle_t now) {
  if (!pipes_accept(memory, index, now))
    return;
  start(memory, index, now);
  if (memory->events[index].message.access->pipe.changed)
    unpark(memory, now);
}

void memory_dismiss(struct memory *memory, cycle_t now) {
  memory->pipes.dismissed = true;
  unpark(memory, cycle_max(now, memory->done.from));
  component_wake(&memory->component, wheel_next(&memory->done));
}

/* Makes room as needed: a machine may allow far more messages than are ever in flight. The lowest entries are used
 * first. */
static void make_room_for_events(struct memory *memory) {
  enum { FIRST = 64 };
  const uint32_t before = memory->event_room, room = before ? 2 * before : FIRST;
  assert(before < memory->event_most && "a message in flight is an access or a request of its client");
  memory->events = need_more(memory->events, room, sizeof *memory->events);
  memory->unused = need_more(memory->unused, room, sizeof *memory->unused);
  wheel_widen(&memory->done, room);
  for (uint32_t i = before; i < room; i++)
    memory->events[i].accepted = NEVER;
  for (uint32_t i = room; i-- > before;)
    memory->unused[memory->unused_count++] = i;
  memory->event_room = room;
}

static void accept_all(struct memory *memory, uint32_t client, cycle_t now) {
  struct port *link = memory->clients[client].link;
  const struct mem_message *message;
  while ((message = port_peek(link, now))) {
    if (!memory->unused_count)
      make_room_for_events(memory);
    uint32_t index = memory->unused[--memory->unused_count];
    struct mem_event *event = &memory->events[index];
    *event = (struct mem_event){.message = *message, .client = client, .accepted = now};
    port_take(link, now);
    count(memory, &event->message);
    if (memory->outside) {
      if (!memory_start_outside(memory, index, now))
        wheel_add(&memory->done, index, now + 1);
    } else if (event->message.pipe) {
      accept_pipe(memory, index, now);
    } else {
      if (mem_writes(event->message.kind))
        memory->pipes.changed = now;
      commit_accept(&memory->commits, client, &event->message);
      start(memory, index, now);
    }
  }
}

/* Brings the data that accept_all() needs into the host's caches: those of 132 compute units are cold, and so are the
 * L2's tags of their lines. Each loop uses what the one before has fetched. */
static void fetch_ahead(const struct memory *memory, const uint32_t *due, uint32_t count, cycle_t now) {
  enum { HOST_LINE = 64, LINES = 7 }; /* struct cu_access and the addresses of 32 lanes: add_chunk() in cu.c */
  for (uint32_t i = 0; i < count; i++) {
    const struct mem_message *message = port_peek(memory->clients[due[i]].link, now);
    const char *access = (const char *)message->access;
    __builtin_prefetch(message->lines);
    for (uint32_t line = 0; access && line < LINES; line++)
      __builtin_prefetch(access + HOST_LINE * line);
  }
  for (uint32_t i = 0; i < count; i++) {
    const struct mem_client *client = &memory->clients[due[i]];
    const struct mem_message *message = port_peek(client->link, now);
    if (!mem_is_dma(message->kind))
      l2_fetch(&memory->l2, message->lines, message->count, client->from | (mem_writes(message->kind) ? L2_WRITE : 0));
  }
}

/* When the next message arrives. Most steps only send replies, and need nothing else of the clients. */
static cycle_t next_arrival(const struct memory *memory) {
  cycle_t next = NEVER;
  for (const cycle_t *at = memory->arrivals, *const end = at + memory->client_count; at < end; at++)
    next = cycle_min(next, *at);
  return next;
}

/* Takes the messages that have arrived, from clients in turn. Returns when the next ones arrive. */
static cycle_t accept_due(struct memory *memory, cycle_t now) {
  const uint32_t clients = memory->client_count;
  const cycle_t next = next_arrival(memory);
  uint32_t count = 0;
  if (next > now)
    return next;
  for (uint32_t i = 0, client = memory->turn; i < clients; i++, client = client + 1 == clients ? 0 : client + 1)
    if (memory->arrivals[client] <= now)
      memory->due[count++] = client;
  commits_end_round(&memory->commits, now, memory->params->link_latency);
  fetch_ahead(memory, memory->due, count, now);
  for (uint32_t i = 0; i < count; i++)
    accept_all(memory, memory->due[i], now);
  memory->turn = memory->turn + 1 == clients ? 0 : memory->turn + 1;
  return next_arrival(memory);
}

static cycle_t memory_step(void *self, cycle_t now) {
  struct memory *memory = self;

  /* (1) messages that have arrived */
  const cycle_t next = accept_due(memory, now);
  /* (2) replies */
  const cycle_t ready = now < memory->ahead_until ? now + memory->ahead : now;
  for (uint32_t event; (event = wheel_take(&memory->done, now)) != WHEEL_NONE;) {
    if (memory->outside && memory_start_outside(memory, event, now))
      continue; /* an atomic operation that was fetched is now written back */
    reply(memory, ready, &memory->events[event]);
    memory->events[event].accepted = NEVER;
    memory->unused[memory->unused_count++] = event;
  }
  memory->probe_events = memory->event_room - memory->unused_count;
  return cycle_min(next, wheel_next(&memory->done));
}

void memory_emit_cut(const struct memory *memory, cycle_t end, cycle_t now) {
  for (uint32_t i = 0; i < memory->event_room; i++)
    if (memory->events[i].accepted < end)
      emit_served(memory, &memory->events[i], end, 0, now);
}

void memory_init(struct memory *memory, const struct machine *machine) {
  const struct mem_params *params = &machine->mem;
  *memory = (struct memory){
      .component = {.name = "memory", .step = memory_step, .self = memory},
      .params = params,
      .client_count = machine->cu.count,
  };
  memory->event_most = machine->cu.count * (machine->cu.accesses + machine->dma.engines * machine->dma.outstanding);
  memory->clients = need(machine->cu.count, sizeof *memory->clients);
  memory->clusters = need(params->clusters + 1, sizeof *memory->clusters);
  memory->units = need(params->atomic_units + 1, sizeof *memory->units);
  memory->arrivals = need(machine->cu.count, sizeof *memory->arrivals);
  memory->due = need(machine->cu.count, sizeof *memory->due);
  l2_init(&memory->l2, params, &memory->stats);
  commits_init(&memory->commits, machine->cu.count);
  wheel_init(&memory->done, 0);
  for (uint32_t i = 0; i < params->atomic_units; i++)
    memory->units[i].per_cycle = params->atomic_updates;
  for (uint32_t i = 0; i < params->clusters; i++)
    memory->clusters[i] =
        (struct mem_cluster){{.per_cycle = params->cluster_up_width}, {.per_cycle = params->cluster_width}};
  for (uint32_t i = 0; i < machine->cu.count; i++)
    memory->arrivals[i] = NEVER;
}

static struct mem_cluster *cluster_of(struct memory *memory, uint32_t client) {
  uint64_t clusters = memory->params->clusters, unit = memory->params->cluster_unit;
  uint64_t units = (memory->client_count + unit - 1) / unit;
  return clusters ? &memory->clusters[client / unit * clusters / units] : NULL;
}

/* L2_FROM for CUs near the second partition of the L2; 0 for the others. */
static unsigned partition_of(const struct machine *machine, uint32_t client) {
  const struct mem_params *params = &machine->mem;
  if (params->l2_partition_cus)
    return params->l2_partitions > 1 && client / params->l2_partition_cus & 1 ? L2_FROM : 0;
  return client * (uint64_t)params->l2_partitions / machine->cu.count ? L2_FROM : 0;
}

void memory_connect(struct memory *memory, uint32_t client, struct mem_port *port, struct component *cu,
                    struct dma *dma, unsigned engines, const struct warp_source *source,
                    const struct machine *machine) {
  struct mem_client *to = &memory->clients[client];
  *to = (struct mem_client){
      .link = &port->link,
      .down = {.per_cycle = machine->mem.link_width},
      .results = {.per_cycle = machine->mem.atomic_updates},
      .cluster = cluster_of(memory, client),
      .from = partition_of(machine, client),
  };
  memory->commits.source[client] = source;
  for (unsigned engine = 0; engine < engines; engine++)
    to->to_dma[engine] = &dma[engine].from_memory;
  port_next_at(&port->link, &memory->arrivals[client]);
  port_init(&to->to_cu, sizeof(struct mem_reply), machine->cu.accesses, machine->mem.link_latency, &memory->component,
            cu);
}

void memory_free(struct memory *memory) {
  for (uint32_t i = 0; memory->clients && i < memory->client_count; i++)
    port_free(&memory->clients[i].to_cu);
  free(memory->clients);
  free(memory->clusters);
  free(memory->units);
  free(memory->arrivals);
  free(memory->due);
  free(memory->events);
  free(memory->unused);
  wheel_free(&memory->done);
  l2_free(&memory->l2);
  pipes_free(&memory->pipes);
  commits_free(&memory->commits);
  *memory = (struct memory){0};
}
