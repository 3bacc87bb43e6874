#include "models/memory.h"

#include <stdlib.h>

struct l2_line {
  uint64_t tag;          /* line number + 1; 0: empty */
  cycle_t ready;         /* when the last fill under way is done */
  uint64_t used;         /* memory->uses of the last access */
  uint32_t valid, dirty; /* sectors, those on their way included */
  uint32_t coming;       /* sectors on their way until `ready` */
};

/* Sectors [first, last] of a line as a mask. */
static uint32_t sector_span(uint64_t first, uint64_t last) { return (2u << last) - (1u << first); }

/* Sectors of the run [address, address + bytes) in line `line`, as a mask. */
static uint32_t sectors_in(const struct mem_params *params, uint64_t address, uint64_t bytes, uint64_t line) {
  unsigned shift = (unsigned)__builtin_ctz(params->line), sector = (unsigned)__builtin_ctz(params->sector);
  uint64_t last = address + bytes - 1, in_line = params->line - 1;
  uint64_t from = line == address >> shift ? address & in_line : 0,
           to = line == last >> shift ? last & in_line : in_line;
  return sector_span(from >> sector, to >> sector);
}

/* ---- memory port ------------------------------------------------------------------------ */

static bool take_from_cu(struct mem_port *port, cycle_t now, struct mem_message *message) {
  const struct mem_message *waiting = port_peek(&port->from_cu, now);
  if (!waiting)
    return false;
  *message = *waiting;
  port_take(&port->from_cu, now);
  return true;
}

/* Bytes of the sectors that a run touches. */
static uint64_t sector_reach(uint32_t sector, uint64_t address, uint64_t bytes) {
  uint64_t in_sector = sector - 1;
  return ((address + bytes + in_sector) & ~in_sector) - (address & ~in_sector);
}

static bool take_from_dma(struct mem_port *port, unsigned engine, cycle_t now, struct mem_message *message) {
  const struct transfer *waiting = port_peek(port->from_dma[engine], now);
  if (!waiting)
    return false;
  *message = (struct mem_message){
      .kind = waiting->write ? MEM_DMA_WRITE : MEM_DMA_READ,
      .engine = engine,
      .tag = waiting->tag,
      .address = waiting->address,
      .bytes = waiting->bytes,
      .runs = waiting->lines,
      .pitch = waiting->pitch,
  };
  for (uint32_t run = 0; run < waiting->lines; run++)
    message->moved += sector_reach(port->sector, waiting->address + run * waiting->pitch, waiting->bytes);
  port_take(port->from_dma[engine], now);
  return true;
}

/* Input 0 is the CU, input 1 + e engine e; the one after the last served is asked first. */
static bool arbitrate(struct mem_port *port, cycle_t now, struct mem_message *message) {
  unsigned input = port->turn;
  for (unsigned asked = 0; asked <= port->engines; asked++) {
    bool taken = input ? take_from_dma(port, input - 1, now, message) : take_from_cu(port, now, message);
    input = input == port->engines ? 0 : input + 1;
    if (taken) {
      port->turn = input;
      return true;
    }
  }
  return false;
}

static cycle_t mem_port_step(void *self, cycle_t now) {
  struct mem_port *port = self;
  struct mem_message message;
  /* The link has room for everything that can be under way; a full one only means a short stop. */
  if (port_can_send(&port->link, now) && arbitrate(port, now, &message)) {
    uint64_t bytes = mem_writes(message.kind) ? message.moved : 0;
    cycle_t passed = cycle_max(now, rate_take(&port->up, now, bytes));
    port_send_at(&port->link, &message, now, passed + port->link.latency);
    port->probe_messages++;
  }
  cycle_t next = port_next(&port->from_cu);
  for (unsigned engine = 0; engine < port->engines; engine++)
    next = cycle_min(next, port_next(port->from_dma[engine]));
  return next == NEVER ? NEVER : cycle_max(next, now + 1);
}

bool mem_port_init(struct mem_port *port, const struct machine *machine, struct component *cu, struct dma *dma,
                   struct component *memory) {
  *port = (struct mem_port){
      .component = {.name = "memory_port", .step = mem_port_step, .self = port},
      .engines = machine->dma.engines,
      .sector = machine->mem.sector,
      .up = {.per_cycle = machine->mem.link_width},
  };
  for (unsigned engine = 0; engine < port->engines; engine++)
    port->from_dma[engine] = &dma[engine].to_memory;
  uint32_t under_way = machine->cu.accesses + machine->dma.engines * machine->dma.outstanding;
  return port_init(&port->from_cu, sizeof(struct mem_message), 4, 1, cu, &port->component) &&
         port_init(&port->link, sizeof(struct mem_message), under_way, machine->mem.link_latency, &port->component,
                   memory);
}

void mem_port_free(struct mem_port *port) {
  port_free(&port->from_cu);
  port_free(&port->link);
}

/* ---- merging ---------------------------------------------------------------------------- */

static struct mem_line *find_line(struct mem_line *lines, uint32_t *count, uint64_t line) {
  /* Lanes mostly walk upwards: the last line is the likely one. */
  for (uint32_t i = *count; i-- > 0;)
    if (lines[i].line == line)
      return &lines[i];
  lines[*count] = (struct mem_line){.line = line};
  return &lines[(*count)++];
}

uint32_t mem_merge(const struct mem_params *params, const struct isa_access *access, struct mem_line *lines,
                   uint32_t *sectors) {
  unsigned shift = (unsigned)__builtin_ctz(params->line);
  uint32_t count = 0;
  for (uint64_t lanes = access->mask; lanes; lanes &= lanes - 1) {
    uint64_t first = access->address[__builtin_ctzll(lanes)], last = first + access->bytes - 1;
    for (uint64_t line = first >> shift; line <= last >> shift; line++)
      find_line(lines, &count, line)->sectors |= sectors_in(params, first, access->bytes, line);
  }
  *sectors = 0;
  for (uint32_t i = 0; i < count; i++)
    *sectors += (uint32_t)__builtin_popcount(lines[i].sectors);
  return count;
}

/* ---- L2 and DRAM ------------------------------------------------------------------------ */

static uint64_t sector_bytes(const struct memory *memory, uint32_t sectors) {
  return (uint64_t)__builtin_popcount(sectors) * memory->params.sector;
}

/* The way that holds `line`, or else the one to replace: an empty or the least recently used one. */
static struct l2_line *look_up(struct memory *memory, uint64_t line) {
  /* Short divisions are quick, and most machines' lines have short numbers. */
  uint64_t index = line <= UINT32_MAX ? (uint32_t)line % (uint32_t)memory->sets : line % memory->sets;
  struct l2_line *set = memory->lines + index * memory->params.l2_ways;
  struct l2_line *victim = set;
  for (uint32_t way = 0; way < memory->params.l2_ways; way++) {
    if (set[way].tag == line + 1)
      return &set[way];
    if (set[way].used < victim->used)
      victim = &set[way];
  }
  return victim;
}

static void replace(struct memory *memory, struct l2_line *victim, uint64_t line, cycle_t now) {
  if (victim->dirty) {
    uint64_t bytes = sector_bytes(memory, victim->dirty);
    rate_take(&memory->dram, now, bytes);
    memory->stats.l2_writebacks++;
    memory->stats.dram_bytes += bytes;
  }
  *victim = (struct l2_line){.tag = line + 1};
}

/* The cycle in which DRAM has delivered `bytes` for an access that passed the L2 in cycle `passed`. */
static cycle_t dram_read(struct memory *memory, cycle_t passed, uint64_t bytes) {
  memory->stats.dram_bytes += bytes;
  return rate_take(&memory->dram, passed, bytes) - 1 + memory->params.dram_latency;
}

/* A line without an L2 before it. What an atomic operation reads goes first on DRAM's wires. */
static cycle_t access_dram(struct memory *memory, cycle_t passed, uint32_t sectors, bool read, bool write) {
  uint64_t bytes = sector_bytes(memory, sectors);
  cycle_t done = dram_read(memory, passed, bytes);
  return read && write ? dram_read(memory, done, bytes) : done;
}

/* One line of a message that passed the L2 in cycle `passed`; returns when its data depart. */
static cycle_t access_line(struct memory *memory, cycle_t passed, uint64_t line, uint32_t sectors, bool read,
                           bool write) {
  if (!memory->sets)
    return access_dram(memory, passed, sectors, read, write);
  struct l2_line *entry = look_up(memory, line);
  if (entry->tag != line + 1)
    replace(memory, entry, line, passed);
  uint32_t missing = sectors & ~entry->valid;
  cycle_t done = passed + memory->params.l2_latency;
  if (entry->ready <= passed)
    entry->coming = 0;
  entry->used = ++memory->uses;
  entry->valid |= sectors;
  entry->dirty |= write ? sectors : 0;
  if (missing)
    memory->stats.l2_misses++;
  else
    memory->stats.l2_hits++;
  if (!read)
    return done;
  if (missing) {
    entry->coming |= missing;
    entry->ready =
        cycle_max(entry->ready, dram_read(memory, passed, sector_bytes(memory, missing)) + memory->params.l2_latency);
  }
  return sectors & entry->coming ? cycle_max(done, entry->ready) : done;
}

/* The run [address, address + bytes), line by line. */
static cycle_t access_run(struct memory *memory, cycle_t passed, uint64_t address, uint64_t bytes, bool write) {
  unsigned shift = (unsigned)__builtin_ctz(memory->params.line);
  cycle_t done = passed;
  for (uint64_t line = address >> shift; line <= (address + bytes - 1) >> shift; line++) {
    uint32_t sectors = sectors_in(&memory->params, address, bytes, line);
    done = cycle_max(done, access_line(memory, passed, line, sectors, !write, write));
  }
  return done;
}

/* The message's last byte passes the L2, if there is one, in the cycle that is returned. */
static cycle_t pass_l2(struct memory *memory, cycle_t now, uint64_t bytes) {
  if (!bytes || !memory->sets)
    return now;
  memory->stats.l2_bytes += bytes;
  return rate_take(&memory->l2, now, bytes) - 1;
}

/* A run that lanes want prefetched: what lies in a buffer, and no more than the L2 holds, since the rest
 * would only throw out what came before. It costs the L2 no width: no data move to the CU. */
static void prefetch_run(struct memory *memory, cycle_t now, uint64_t from, uint64_t to) {
  const struct isa_buffer *buffer = isa_memory_near(memory->mirror, from);
  if (!memory->sets || from == to || !buffer || from >= buffer->base + buffer->bytes)
    return;
  uint64_t end = cycle_min(cycle_min(to, buffer->base + buffer->bytes), from + memory->params.l2_size);
  access_run(memory, now, from, end - from, false);
}

/* Lanes mostly want what lies side by side, or the same: their runs are joined. */
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
  return now + memory->params.l2_latency;
}

static cycle_t accept_access(struct memory *memory, cycle_t now, const struct mem_message *message) {
  bool read = mem_reads(message->kind), write = mem_writes(message->kind);
  cycle_t passed = pass_l2(memory, now, message->moved), done = passed;
  for (uint32_t i = 0; i < message->count; i++)
    done = cycle_max(done, access_line(memory, passed, message->lines[i].line, message->lines[i].sectors, read, write));
  return done;
}

static cycle_t accept_runs(struct memory *memory, cycle_t now, const struct mem_message *message) {
  cycle_t passed = pass_l2(memory, now, message->moved), done = passed;
  for (uint32_t run = 0; run < message->runs; run++)
    done = cycle_max(done, access_run(memory, passed, message->address + run * message->pitch, message->bytes,
                                      message->kind == MEM_DMA_WRITE));
  return done;
}

void memory_commit(const struct memory *memory, const struct mem_event *event) {
  const struct warp_source *source = memory->clients[event->client].source;
  const struct mem_message *message = &event->message;
  if (mem_is_dma(message->kind))
    source->commit_dma_memory(source->self, message->engine, message->tag);
  else if (message->kind != MEM_PREFETCH)
    source->commit(source->self, message->access);
}

static void count(struct memory *memory, const struct mem_message *message) {
  uint64_t *const counters[] = {
      [MEM_LOAD] = &memory->stats.loads,         [MEM_STORE] = &memory->stats.stores,
      [MEM_ATOMIC] = &memory->stats.atomics,     [MEM_PREFETCH] = &memory->stats.prefetches,
      [MEM_DMA_READ] = &memory->stats.dma_reads, [MEM_DMA_WRITE] = &memory->stats.dma_writes,
  };
  ++*counters[message->kind];
  if (mem_writes(message->kind))
    memory->stats.link_up_bytes += message->moved;
  for (uint32_t i = 0; i < message->count; i++)
    memory->stats.sectors += (uint64_t)__builtin_popcount(message->lines[i].sectors);
}

/* Takes a message through the L2; returns when its data depart. */
static cycle_t pass(struct memory *memory, cycle_t now, const struct mem_message *message) {
  switch (message->kind) {
  case MEM_PREFETCH:
    return accept_prefetch(memory, now, message);
  case MEM_DMA_READ:
  case MEM_DMA_WRITE:
    return accept_runs(memory, now, message);
  default:
    return accept_access(memory, now, message);
  }
}

/* ---- step ------------------------------------------------------------------------------- */

static void reply(struct memory *memory, cycle_t now, const struct mem_event *event) {
  struct mem_client *client = &memory->clients[event->client];
  const struct mem_message *to = &event->message;
  uint64_t bytes = mem_reads(to->kind) ? to->moved : 0;
  cycle_t passed = cycle_max(now, rate_take(&client->down, now, bytes));
  cycle_t arrival = passed + memory->params.link_latency;
  memory->stats.link_down_bytes += bytes;
  memory->last_arrival = cycle_max(memory->last_arrival, arrival);
  if (mem_is_dma(to->kind)) {
    struct transfer_reply message = {.tag = to->tag};
    port_send_at(client->to_dma[to->engine], &message, now, arrival);
  } else {
    struct mem_reply message = {.tag = to->tag};
    port_send_at(&client->to_cu, &message, now, arrival);
  }
}

static void accept_all(struct memory *memory, uint32_t client, cycle_t now) {
  struct port *link = memory->clients[client].link;
  const struct mem_message *message;
  while ((message = port_peek(link, now))) {
    uint32_t index = memory->unused[--memory->unused_count];
    struct mem_event *event = &memory->events[index];
    *event = (struct mem_event){.message = *message, .client = client};
    port_take(link, now);
    count(memory, &event->message);
    if (memory->outside) {
      if (!memory_start_outside(memory, index, now))
        wheel_add(&memory->done, index, now + 1);
    } else {
      memory_commit(memory, event);
      wheel_add(&memory->done, index, cycle_max(pass(memory, now, &event->message), now + 1));
    }
  }
}

static cycle_t memory_step(void *self, cycle_t now) {
  struct memory *memory = self;
  cycle_t next = NEVER;

  /* (1) replies whose data are ready */
  for (uint32_t event; (event = wheel_take(&memory->done, now)) != WHEEL_NONE;) {
    if (memory->outside && memory_start_outside(memory, event, now))
      continue; /* an atomic operation has been fetched and is on its way back */
    reply(memory, now, &memory->events[event]);
    memory->unused[memory->unused_count++] = event;
  }
  /* (2) messages that have arrived, clients in turn */
  uint32_t count = memory->client_count, first = memory->turn;
  for (uint32_t i = 0; i < count; i++)
    next = cycle_min(next, memory->arrivals[i]);
  if (next <= now) {
    for (uint32_t i = first; i < count; i++)
      if (memory->arrivals[i] <= now)
        accept_all(memory, i, now);
    for (uint32_t i = 0; i < first; i++)
      if (memory->arrivals[i] <= now)
        accept_all(memory, i, now);
    memory->turn = first + 1 == count ? 0 : first + 1;
    next = NEVER;
    for (uint32_t i = 0; i < count; i++)
      next = cycle_min(next, memory->arrivals[i]);
  }
  memory->probe_events = memory->event_room - memory->unused_count;
  return cycle_min(next, wheel_next(&memory->done));
}

bool memory_init(struct memory *memory, const struct machine *machine) {
  const struct mem_params *params = &machine->mem;
  *memory = (struct memory){
      .component = {.name = "memory", .step = memory_step, .self = memory},
      .params = *params,
      .client_count = machine->cu.count,
      .l2 = {.per_cycle = params->l2_width},
      .dram = {.per_cycle = params->dram_width},
      .sets = params->l2_size / ((uint64_t)params->line * params->l2_ways),
  };
  memory->event_room = machine->cu.count * (machine->cu.accesses + machine->dma.engines * machine->dma.outstanding);
  memory->clients = calloc(machine->cu.count, sizeof *memory->clients);
  memory->arrivals = calloc(machine->cu.count, sizeof *memory->arrivals);
  memory->events = calloc(memory->event_room, sizeof *memory->events);
  memory->unused = calloc(memory->event_room, sizeof *memory->unused);
  memory->lines = memory->sets ? calloc(memory->sets * params->l2_ways, sizeof *memory->lines) : NULL;
  if (!memory->clients || !memory->arrivals || !memory->events || !memory->unused ||
      !(memory->lines || !memory->sets) || !wheel_init(&memory->done, memory->event_room)) {
    memory_free(memory);
    return false;
  }
  for (uint32_t i = 0; i < memory->event_room; i++)
    memory->unused[memory->unused_count++] = memory->event_room - 1 - i;
  return true;
}

bool memory_connect(struct memory *memory, uint32_t client, struct mem_port *port, struct component *cu,
                    struct dma *dma, unsigned engines, const struct warp_source *source,
                    const struct machine *machine) {
  struct mem_client *to = &memory->clients[client];
  *to = (struct mem_client){
      .link = &port->link,
      .source = source,
      .down = {.per_cycle = machine->mem.link_width},
  };
  for (unsigned engine = 0; engine < engines; engine++)
    to->to_dma[engine] = &dma[engine].from_memory;
  port_next_at(&port->link, &memory->arrivals[client]);
  return port_init(&to->to_cu, sizeof(struct mem_reply), machine->cu.accesses, machine->mem.link_latency,
                   &memory->component, cu);
}

void memory_free(struct memory *memory) {
  for (uint32_t i = 0; memory->clients && i < memory->client_count; i++)
    port_free(&memory->clients[i].to_cu);
  free(memory->clients);
  free(memory->arrivals);
  free(memory->events);
  free(memory->unused);
  wheel_free(&memory->done);
  free(memory->lines);
  *memory = (struct memory){0};
}
