/* A port: a FIFO of fixed-size messages between one sender and one receiver.
 *
 *     sender  --- message, arrives `latency` or more cycles later --->  receiver
 *             <-- credit, a freed slot is usable `latency` later -----
 *
 * Invariant: a message sent at `now` is never seen before `now + latency`, and a slot freed at `now` is never reused
 * before `now + latency`, with latency >= 1. So it does not matter which side is stepped first in a cycle, or, within
 * `latency` cycles, which island runs ahead of the other.
 *
 * Not modeled: width. Bandwidth is up to the sender (rate.h), which uses port_send_at() if serialization delays the
 * arrival. Messages never overtake each other. */
#ifndef SIM_CORE_PORT_H
#define SIM_CORE_PORT_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "sim/core/component.h"
#include "sim/core/time.h"

struct port {
  unsigned char *slots; /* capacity messages of `bytes` */
  cycle_t *stamp;       /* of a full slot: its arrival; of a free one: when it can be used */
  size_t bytes;
  uint32_t capacity;
  uint32_t count;      /* messages in the port */
  uint32_t head, tail; /* slot of the oldest message; slot of the next one sent */
  cycle_t latency;
  cycle_t last;     /* latest arrival so far, to check the order */
  cycle_t *next;    /* arrival of the oldest message, or NEVER: see port_next() */
  cycle_t own_next; /* where `next` points unless port_next_at() changed it */
  struct component *sender, *receiver;
};

void port_init(struct port *port, size_t message_bytes, uint32_t capacity, cycle_t latency, struct component *sender,
               struct component *receiver);
void port_free(struct port *port);

/* Enlarges the port if fewer than `room` of its slots are free. For ports with a potentially long latency: the messages
 * in flight determine the size, not the latency. Not allowed between port_peek() and port_take(). */
void port_widen(struct port *port, uint32_t room);

/* Keeps the result of port_next() at *next, so that a receiver of many ports can read them side by side. To be called
 * before the first message. */
void port_next_at(struct port *port, cycle_t *next);

/* The earliest cycle at which the sender has a free slot, as far as it can know. NEVER: it is woken when a slot is
 * freed. */
static inline cycle_t port_free_at(const struct port *port) {
  return port->count == port->capacity ? NEVER : port->stamp[port->tail];
}

static inline bool port_can_send(const struct port *port, cycle_t now) { return port_free_at(port) <= now; }

static inline void port_send_bytes(struct port *port, const void *message, size_t bytes, cycle_t now, cycle_t arrival) {
  assert(bytes == port->bytes && "a port carries messages of one type");
  assert(port_can_send(port, now) && "a sender asks before it sends");
  assert(arrival >= now + port->latency && "a link takes at least its latency");
  assert(arrival >= port->last && "messages of a port arrive in order");
  (void)now;
  memcpy(port->slots + port->tail * bytes, message, bytes);
  port->stamp[port->tail] = arrival;
  port->last = arrival;
  port->tail = port->tail + 1 == port->capacity ? 0 : port->tail + 1;
  if (!port->count++)
    *port->next = arrival;
  component_wake(port->receiver, arrival);
}

/* Sends a message that arrives at `arrival`, at least `latency` after `now`. A macro, so that the compiler knows the
 * size of the copy. */
#define port_send_at(port, message, now, arrival) port_send_bytes(port, message, sizeof *(message), now, arrival)

#define port_send(port, message, now) port_send_at(port, message, now, (now) + (port)->latency)

/* The oldest message that has arrived, or NULL. */
static inline const void *port_peek(const struct port *port, cycle_t now) {
  if (*port->next > now)
    return NULL;
  return port->slots + port->head * port->bytes;
}

/* The oldest message, arrived or in flight, or NULL. For receivers that prefetch into the host's caches. */
static inline const void *port_coming(const struct port *port) {
  return port->count ? port->slots + port->head * port->bytes : NULL;
}

/* Frees the slot of the message that port_peek() returned. */
static inline void port_take(struct port *port, cycle_t now) {
  assert(port_peek(port, now) && "only an arrived message is taken");
  bool was_full = port->count == port->capacity;
  port->stamp[port->head] = now + port->latency;
  port->head = port->head + 1 == port->capacity ? 0 : port->head + 1;
  *port->next = --port->count ? port->stamp[port->head] : NEVER;
  if (was_full && port->sender)
    component_wake(port->sender, now + port->latency);
}

/* The arrival of the oldest message, or NEVER. A receiver's step must return no later cycle. */
static inline cycle_t port_next(const struct port *port) { return *port->next; }

#endif
