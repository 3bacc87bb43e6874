#include "dma/dma.h"
#include "models/machine.h"
#include "models/memory.h"

/* Places that a write of the warps takes in the queue for the link. */
static uint32_t places(const struct mem_port *port, const struct mem_message *write) {
  const uint32_t place = port->params->link_up_place, all = port->params->link_up_queue;
  if (!place)
    return 1;
  const uint32_t bytes = (uint32_t)__builtin_popcountll(write->access->mask) * write->access->bytes;
  const uint32_t taken = (bytes + place - 1) / place;
  return taken < 1 ? 1 : taken > all ? all : taken;
}

/* When the oldest access of the warps may pass. */
static cycle_t cu_next(const struct mem_port *port, cycle_t now) {
  const struct mem_message *waiting = port_peek(&port->from_cu, now);
  if (!waiting || !port->params->link_up_queue || !mem_writes(waiting->kind))
    return cycle_max(port_next(&port->from_cu), port->cu_free);
  const uint32_t last = port->oldest_write + places(port, waiting) - 1, all = port->params->link_up_queue;
  return cycle_max(port->cu_free, port->write_passed[last < all ? last : last - all]);
}

static bool take_from_cu(struct mem_port *port, cycle_t now, struct mem_message *message) {
  const struct mem_message *waiting = port_peek(&port->from_cu, now);
  if (!waiting || cu_next(port, now) > now)
    return false;
  *message = *waiting;
  port->cu_free = now + message->passes;
  port_take(&port->from_cu, now);
  return true;
}

uint64_t mem_bytes_up(const struct mem_params *params, const struct mem_message *message) {
  uint64_t bytes = mem_writes(message->kind) ? message->moved : 0;
  uint32_t sectors;
  if (message->kind == MEM_STORE && params->write_mask)
    bytes += (uint64_t)params->write_mask *
             mem_partial_lines(params, message->access, message->lines, message->count, &sectors);
  return bytes;
}

static bool take_from_dma(struct mem_port *port, unsigned engine, cycle_t now, struct mem_message *message) {
  const struct transfer *waiting = port_peek(port->from_dma[engine], now);
  if (!waiting)
    return false;
  *message = (struct mem_message){
      .kind = waiting->write ? MEM_DMA_WRITE : MEM_DMA_READ,
      .tag = waiting->tag,
      .engine = (uint8_t)engine,
      .bypass = waiting->bypass,
      .train = waiting->train,
      .rect = waiting->rect,
  };
  struct rect first = message->rect; /* all runs of a train have the same offset in their lines */
  first.lines = message->train ? 1 : first.lines;
  message->moved = mem_sector_bytes(port->params, &first) * (message->train ? message->rect.lines : 1);
  port_take(port->from_dma[engine], now);
  return true;
}

/* Input 0 is the CU, input 1 + e is engine e. The input after the last one served is first in line. */
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

/* The write that has just passed replaces the oldest in the ring, once for each of its places. */
static void queue_write(struct mem_port *port, const struct mem_message *write) {
  for (uint32_t left = places(port, write); left; left--) {
    port->write_passed[port->oldest_write] = port->passed;
    port->oldest_write = port->oldest_write + 1 == port->params->link_up_queue ? 0 : port->oldest_write + 1;
  }
}

static void emit_passed(const struct mem_port *port, const struct mem_message *message, cycle_t now) {
  const bool dma = mem_is_dma(message->kind);
  timeline_emit(&port->tap, now,
                (struct timeline_event){
                    .kind = TIMELINE_PASSED,
                    .unit = dma ? 1 + message->engine : 0,
                    .from = now,
                    .to = cycle_max(port->passed, dma ? now + 1 : port->cu_free),
                    .field = {[TIMELINE_PASSED_KIND] = message->kind, [TIMELINE_PASSED_BYTES] = message->moved}});
}

static cycle_t mem_port_step(void *self, cycle_t now) {
  struct mem_port *port = self;
  struct mem_message message;
  if (port_can_send(&port->link, now) && arbitrate(port, now, &message)) {
    cycle_t from = mem_is_dma(message.kind) ? now : port->cu_free - 1;
    port->passed =
        cycle_max(port->passed, cycle_max(from, rate_take(&port->up, now, mem_bytes_up(port->params, &message))));
    port_send_at(&port->link, &message, now, port->passed + port->link.latency);
    if (port->params->link_up_queue && mem_writes(message.kind) && !mem_is_dma(message.kind))
      queue_write(port, &message);
    if (timeline_wants(&port->tap, TIMELINE_PASSED))
      emit_passed(port, &message, now);
    port->probe_messages++;
  }
  cycle_t next = cu_next(port, now);
  for (unsigned engine = 0; engine < port->engines; engine++)
    next = cycle_min(next, port_next(port->from_dma[engine]));
  return next == NEVER ? NEVER : cycle_max(next, now + 1);
}

void mem_port_init(struct mem_port *port, const struct machine *machine, struct component *cu, struct dma *dma,
                   unsigned engines, struct component *memory) {
  *port = (struct mem_port){
      .component = {.name = "memory_port", .step = mem_port_step, .self = port},
      .engines = engines,
      .params = &machine->mem,
      .up = {.per_cycle = machine->mem.link_up_width ? machine->mem.link_up_width : machine->mem.link_width},
  };
  for (unsigned engine = 0; engine < port->engines; engine++)
    port->from_dma[engine] = &dma[engine].to_memory;
  /* Room for all that can be in flight and one more, so that no message waits for a credit. The memory is simulated so
   * much later than the CU that the credit would arrive too late. */
  const uint32_t in_flight = machine->cu.accesses + machine->dma.engines * machine->dma.outstanding + 1;
  port_init(&port->from_cu, sizeof(struct mem_message), machine->cu.global_queue, 1, cu, &port->component);
  port_init(&port->link, sizeof(struct mem_message), in_flight, machine->mem.link_latency, &port->component, memory);
}

void mem_port_free(struct mem_port *port) {
  port_free(&port->from_cu);
  port_free(&port->link);
}
