/* The way from several compute units to an engine that they share (dma.cus), and back.
 *
 *   CU 0 ──► from_cu[0] ┐  in turn            ┌─ to_lds[0] ──► LDS 0
 *   CU 1 ──► from_cu[1] ├────────► engine ──►─┤  to_lds[1] ──► LDS 1     by the owner of the request
 *   CU n ──► from_cu[n] ┘             │       └─ ...
 *        ◄── to_cu[k] ◄───── done ◄───┘
 *
 * Descriptors wait in the CUs' own queues, dma.queue in each, until the engine's queue has room; CUs that have one are
 * served in turn. Every message takes a cycle more than without a hub: a copy of one request starts a cycle later, its
 * data reach the LDS a cycle later, its landing is known a cycle later, and so is its completion: 4 cycles in all. A
 * copy that dma.outstanding limits takes 2 cycles more for each time that it waits for a landing.
 *
 * Invariant: the order of each CU's descriptors is kept; nothing is lost or made; a transfer goes to the LDS of the CU
 * whose descriptor it belongs to. Transfers keep the engine's order: one that its LDS has no room for holds up those
 * behind it. The hub holds four of them, as many as the port of an LDS.
 *
 * Each LDS takes and gives what the engine's widths say, side by side with the others: towards the LDSs the engine is
 * as wide for each CU, towards memory once.
 *
 * A copy's latency is counted up to its completion's arrival here, and the engine's counters of its queue are of its
 * own alone: what waits in front of the hub is in the CUs' bucket dma_queue, when their queues are full, and nowhere
 * else.
 *
 * Not modelled: distance between the hub and a CU, and the width of what connects them. */
#ifndef MODELS_DMA_HUB_H
#define MODELS_DMA_HUB_H

#include "dma/dma.h"
#include "sim/core/component.h"
#include "sim/core/port.h"

enum { HUB_CLIENTS = 8, HUB_GROUPS = 64 }; /* group slots of a CU: an owner is CU * HUB_GROUPS + slot */

struct dma_hub {
  struct component component;
  struct dma *dma;
  unsigned clients;
  unsigned turn;                      /* CU that is asked first for its next descriptor */
  struct port from_cu[HUB_CLIENTS];   /* struct dma_descriptor */
  struct port to_cu[HUB_CLIENTS];     /* struct dma_done */
  struct port *to_lds[HUB_CLIENTS];   /* struct transfer: those that the LDSs keep for this engine */
  struct port *from_lds[HUB_CLIENTS]; /* struct transfer_reply */
  struct port from_engine;            /* struct transfer: what the engine takes for its LDS */
  struct port to_engine;              /* struct transfer_reply */
};

/* Builds the hub of `dma` for no CU yet; the engine is then built with the hub in the place of its CU and LDS. False
 * when memory runs out. */
bool dma_hub_init(struct dma_hub *hub, struct dma *dma, const struct dma_params *params);

/* Connects the next CU and the ports that its LDS keeps for the engine. */
bool dma_hub_connect(struct dma_hub *hub, const struct dma_params *params, struct component *cu, struct port *to_lds,
                     struct port *from_lds);
void dma_hub_free(struct dma_hub *hub);

#endif
