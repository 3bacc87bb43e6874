#include "sim/core/port.h"

#include <stdlib.h>

bool port_init(struct port *port, size_t message_bytes, uint32_t capacity, cycle_t latency, struct component *sender,
               struct component *receiver) {
  assert(capacity > 0 && "a port holds a message");
  assert(latency > 0 && "every link takes at least one cycle");
  *port = (struct port){
      .slots = calloc(capacity, message_bytes),
      .stamp = calloc(capacity, sizeof *port->stamp),
      .bytes = message_bytes,
      .capacity = capacity,
      .latency = latency,
      .sender = sender,
      .receiver = receiver,
      .own_next = NEVER,
  };
  port->next = &port->own_next;
  if (port->slots && port->stamp)
    return true;
  port_free(port);
  return false;
}

void port_free(struct port *port) {
  free(port->slots);
  free(port->stamp);
  *port = (struct port){0};
}

void port_next_at(struct port *port, cycle_t *next) {
  assert(!port->count && "nothing has been sent yet");
  *next = NEVER;
  port->next = next;
}
