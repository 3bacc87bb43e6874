#include "models/dma_hub.h"

/* While a descriptor is in the engine, the top byte of its tag is the CU. */
enum { CLIENT_SHIFT = 56 };

static void pass_descriptor(struct dma_hub *hub, unsigned client, cycle_t now) {
  struct dma_descriptor descriptor = *(const struct dma_descriptor *)port_peek(&hub->from_cu[client], now);
  port_take(&hub->from_cu[client], now);
  descriptor.owner += client * HUB_GROUPS;
  descriptor.tag |= (uint64_t)client << CLIENT_SHIFT;
  port_send(&hub->dma->from_cu, &descriptor, now);
  hub->turn = client + 1 == hub->clients ? 0 : client + 1;
}

/* Passes one descriptor a cycle: from the CU whose turn it is, or the next one that has any. */
static void pass_descriptors(struct dma_hub *hub, cycle_t now) {
  if (!port_can_send(&hub->dma->from_cu, now))
    return;
  for (unsigned i = 0; i < hub->clients; i++) {
    unsigned client = (hub->turn + i) % hub->clients;
    if (!port_peek(&hub->from_cu[client], now))
      continue;
    pass_descriptor(hub, client, now);
    return;
  }
}

static void forward_notices(struct dma_hub *hub, cycle_t now) {
  const struct dma_done *message;
  while ((message = port_peek(&hub->dma->to_cu, now))) {
    struct dma_done done = *message;
    struct port *to = &hub->to_cu[done.tag >> CLIENT_SHIFT];
    if (!port_can_send(to, now))
      return;
    port_take(&hub->dma->to_cu, now);
    done.tag &= (UINT64_C(1) << CLIENT_SHIFT) - 1;
    port_send(to, &done, now);
  }
}

static struct port *lds_of(const struct dma_hub *hub, const struct transfer *transfer) {
  return hub->to_lds[dma_owner(hub->dma, transfer->tag) / HUB_GROUPS];
}

static void pass_transfers(struct dma_hub *hub, cycle_t now) {
  const struct transfer *message;
  while ((message = port_peek(&hub->from_engine, now))) {
    struct transfer transfer = *message;
    struct port *to = lds_of(hub, &transfer);
    if (!port_can_send(to, now))
      return;
    port_take(&hub->from_engine, now);
    port_send(to, &transfer, now);
  }
}

static void pass_replies(struct dma_hub *hub, cycle_t now) {
  const struct transfer_reply *message;
  for (unsigned client = 0; client < hub->clients; client++)
    while ((message = port_peek(hub->from_lds[client], now)) && port_can_send(&hub->to_engine, now)) {
      struct transfer_reply reply = *message;
      port_take(hub->from_lds[client], now);
      port_send(&hub->to_engine, &reply, now);
    }
}

/* When a message of `from` can move to `to`; a full port wakes its sender. */
static cycle_t next_of(const struct port *from, const struct port *to) {
  return from->count ? cycle_max(port_next(from), port_free_at(to)) : NEVER;
}

static cycle_t dma_hub_step(void *self, cycle_t now) {
  struct dma_hub *hub = self;
  pass_replies(hub, now);
  pass_transfers(hub, now);
  forward_notices(hub, now);
  pass_descriptors(hub, now);
  cycle_t next = NEVER;
  const struct transfer *transfer = port_peek(&hub->from_engine, now);
  next = cycle_min(next, transfer ? port_free_at(lds_of(hub, transfer)) : port_next(&hub->from_engine));
  const struct dma_done *done = port_peek(&hub->dma->to_cu, now);
  next = cycle_min(next, done ? port_free_at(&hub->to_cu[done->tag >> CLIENT_SHIFT]) : port_next(&hub->dma->to_cu));
  for (unsigned client = 0; client < hub->clients; client++) {
    next = cycle_min(next, next_of(hub->from_lds[client], &hub->to_engine));
    next = cycle_min(next, next_of(&hub->from_cu[client], &hub->dma->from_cu));
  }
  return next == NEVER ? NEVER : cycle_max(next, now + 1);
}

/* A reply takes a cycle to the engine, and its slot's credit another one. The engine leaves replies without room in the
 * port; there are never more of them than requests in flight. */
void dma_hub_init(struct dma_hub *hub, struct dma *dma, const struct dma_params *params) {
  enum { TRANSFERS = 4 };
  *hub = (struct dma_hub){.component = {.name = "dma_hub", .step = dma_hub_step, .self = hub}, .dma = dma};
  port_init(&hub->from_engine, sizeof(struct transfer), TRANSFERS, 1, &dma->component, &hub->component);
  port_init(&hub->to_engine, sizeof(struct transfer_reply), params->outstanding + 2 * HUB_CLIENTS, 1, &hub->component,
            &dma->component);
}

void dma_hub_connect(struct dma_hub *hub, const struct dma_params *params, struct component *cu, struct port *to_lds,
                     struct port *from_lds) {
  unsigned client = hub->clients++;
  hub->to_lds[client] = to_lds;
  hub->from_lds[client] = from_lds;
  port_init(&hub->from_cu[client], sizeof(struct dma_descriptor), params->queue, 1, cu, &hub->component);
  port_init(&hub->to_cu[client], sizeof(struct dma_done), params->channels + 4, 1, &hub->component, cu);
}

void dma_hub_free(struct dma_hub *hub) {
  port_free(&hub->from_engine);
  port_free(&hub->to_engine);
  for (unsigned client = 0; client < hub->clients; client++) {
    port_free(&hub->from_cu[client]);
    port_free(&hub->to_cu[client]);
  }
}
