/* The way from several compute units to an engine that they share (dma.cus), and back.
 *
 *   CU 0 ──► from_cu[0] ┐  in turn            ┌─ to_lds[0] ──► LDS 0
 *   CU 1 ──► from_cu[1] ├────────► engine ──►─┤  to_lds[1] ──► LDS 1     by the owner of the request
 *   CU n ──► from_cu[n] ┘             │       └─ ...
 *        ◄── to_cu[k] ◄───── done ◄───┘
 *
 * Descriptors wait in the CUs' own queues, each of dma.queue, until the engine's queue has room. CUs with a descriptor
 * are served in turn. Every message takes a cycle more than without a hub. A copy of one request takes 4 cycles more:
 * one each for its descriptor, its data on the way to the LDS, the reply of the LDS, and its completion. A copy limited
 * by dma.outstanding takes 2 cycles more each time that it waits for a landing.
 *
 * Invariant: the order of each CU's descriptors is kept; nothing is lost or duplicated; a transfer goes to the LDS of
 * the CU whose descriptor it belongs to. Transfers keep the engine's order: if an LDS has no room for one, those behind
 * it wait, too. The hub holds four transfers, as many as the port of an LDS.
 *
 * Each LDS moves data at the engine's width, and all LDSs do so at the same time. So the engine has its width once for
 * each CU on the side of the LDSs, and only once on the side of memory.
 *
 * A copy's latency ends when its completion arrives here. The engine's queue counters cover only its own queue. A warp
 * that waits because its CU's queue is full is in the bucket dma_queue; other waits in front of the hub are not
 * counted.
 *
 * Not modeled: the distance between the hub and a CU, and the width of their connection. */
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
  unsigned turn;                      /* CU that is first in line for its next descriptor */
  struct port from_cu[HUB_CLIENTS];   /* struct dma_descriptor */
  struct port to_cu[HUB_CLIENTS];     /* struct dma_done */
  struct port *to_lds[HUB_CLIENTS];   /* struct transfer; owned by the LDSs */
  struct port *from_lds[HUB_CLIENTS]; /* struct transfer_reply */
  struct port from_engine;            /* struct transfer; the engine's to_lds */
  struct port to_engine;              /* struct transfer_reply; the engine's from_lds */
};

/* Builds the hub of `dma`, without CUs. The engine is built afterwards, with the hub in place of its CU and LDS. */
void dma_hub_init(struct dma_hub *hub, struct dma *dma, const struct dma_params *params);

/* Connects the next CU, and the ports for this engine that its LDS owns. */
void dma_hub_connect(struct dma_hub *hub, const struct dma_params *params, struct component *cu, struct port *to_lds,
                     struct port *from_lds);
void dma_hub_free(struct dma_hub *hub);

#endif
