/* A port: a FIFO of fixed-size messages between one sender and one receiver.
 *
 *     sender  --- message, arrives `latency` or more cycles later --->  receiver
 *             <-- credit, a freed slot is usable `latency` later -----
 *
 * Invariant: a message sent at `now` is never seen before `now + latency`, and a slot freed
 * at `now` is never reused before `now + latency`, with latency >= 1. So it does not matter
 * which side is stepped first in a cycle, nor, within `latency` cycles, which island runs
 * ahead of the other.
 *
 * Not modelled: width. Bandwidth is the sender's business (see rate.h): it sends with
 * port_send_at() when serialisation delays the arrival. Arrivals never overtake. */
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
  cycle_t *stamp;       /* of a full slot: its arrival; of a free one: first use */
  size_t bytes;
  uint32_t capacity;
  uint32_t count;      /* messages in the port */
  uint32_t head, tail; /* slot of the oldest message; slot of the next one sent */
  cycle_t latency;
  cycle_t last;     /* latest arrival promised, for the order check */
  cycle_t *next;    /* arrival of the oldest message, or NEVER: see port_next() */
  cycle_t own_next; /* where `next` points unless the receiver keeps these side by side */
  struct component *sender, *receiver;
};

/* Sizes the port. Returns false when memory runs out. */
bool port_init(struct port *port, size_t message_bytes, uint32_t capacity, cycle_t latency, struct component *sender,
               struct component *receiver);
void port_free(struct port *port);

/* Makes the port larger if fewer than `room` of its slots are free: for one that holds what has come for a latency that
 * may be long, so that what is under way sizes it and not the latency. Not between port_peek() and port_take(). */
void port_widen(struct port *port, uint32_t room);

/* Keeps what port_next() answers at *next, for a receiver of many ports that looks at all of them. Call it
 * before the first message. */
void port_next_at(struct port *port, cycle_t *next);

/* The earliest cycle at which the sender has a free slot, as far as it can know: NEVER means
 * it will be woken when a slot is freed. */
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

/* Sends a message that arrives at `arrival`, at least `latency` after `now`. Macros, so that the size is
 * known where the bytes are copied. */
#define port_send_at(port, message, now, arrival) port_send_bytes(port, message, sizeof *(message), now, arrival)

#define port_send(port, message, now) port_send_at(port, message, now, (now) + (port)->latency)

/* The oldest message that has arrived, or NULL. */
static inline const void *port_peek(const struct port *port, cycle_t now) {
  if (*port->next > now)
    return NULL;
  return port->slots + port->head * port->bytes;
}

/* The oldest message, on its way or here, or NULL: for a receiver that has its things brought into the host's caches.
 */
static inline const void *port_coming(const struct port *port) {
  return port->count ? port->slots + port->head * port->bytes : NULL;
}

/* Frees the slot of the message that port_peek() showed. */
static inline void port_take(struct port *port, cycle_t now) {
  assert(port_peek(port, now) && "only an arrived message is taken");
  bool was_full = port->count == port->capacity;
  port->stamp[port->head] = now + port->latency;
  port->head = port->head + 1 == port->capacity ? 0 : port->head + 1;
  *port->next = --port->count ? port->stamp[port->head] : NEVER;
  if (was_full && port->sender)
    component_wake(port->sender, now + port->latency);
}

/* The arrival of the oldest message, or NEVER: what a receiver's step returns at least. */
static inline cycle_t port_next(const struct port *port) { return *port->next; }

#endif
