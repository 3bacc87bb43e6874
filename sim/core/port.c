#include "sim/core/port.h"

#include <stdlib.h>

#include "sim/base/need.h"

void port_init(struct port *port, size_t message_bytes, uint32_t capacity, cycle_t latency, struct component *sender,
               struct component *receiver) {
  assert(capacity > 0 && "a port holds a message");
  assert(latency > 0 && "every link takes at least one cycle");
  *port = (struct port){
      .slots = need_more(NULL, capacity, message_bytes), /* not cleared, because most are never used */
      .stamp = need(capacity, sizeof *port->stamp),
      .bytes = message_bytes,
      .capacity = capacity,
      .latency = latency,
      .sender = sender,
      .receiver = receiver,
      .own_next = NEVER,
  };
  port->next = &port->own_next;
}

void port_free(struct port *port) {
  free(port->slots);
  free(port->stamp);
  *port = (struct port){0};
}

/* Messages come first, in order, then the new slots, then those that were already free, because the credits of the
 * latter are still on their way. */
void port_widen(struct port *port, uint32_t room) {
  const uint32_t before = port->capacity;
  if (before - port->count >= room)
    return;
  const uint32_t more = before > room ? before : room;
  unsigned char *slots = need(before + more, port->bytes);
  cycle_t *stamp = need(before + more, sizeof *stamp);
  for (uint32_t i = 0; i < before; i++) {
    const uint32_t from = (port->head + i) % before, to = i < port->count ? i : i + more;
    memcpy(slots + to * port->bytes, port->slots + from * port->bytes, port->bytes);
    stamp[to] = port->stamp[from];
  }
  free(port->slots);
  free(port->stamp);
  port->slots = slots;
  port->stamp = stamp;
  port->capacity = before + more;
  port->head = 0;
  port->tail = port->count;
}

void port_next_at(struct port *port, cycle_t *next) {
  assert(!port->count && "nothing has been sent yet");
  *next = NEVER;
  port->next = next;
}
