/* Hosts: who steps the islands. The plain loop is here, in one thread or in several; SystemC is a part of its own
 * (bindings/systemc), and a client may bring another.
 *
 * All hosts let an island run ahead of their clock by its lookahead, and give the same cycles, the
 * same results and the same trace to the bit; a test holds it. */
#ifndef SIM_HOST_HOST_H
#define SIM_HOST_HOST_H

#ifdef __cplusplus
extern "C" {
#endif

#include "sim/core/host.h"

enum host_order { ORDER_ASCENDING, ORDER_DESCENDING, ORDER_SHUFFLED };

/* A plain loop. `order` is the order in which islands, and components within them, are stepped;
 * the seed serves ORDER_SHUFFLED, which permutes them anew for each window. NULL: out of memory. */
struct host *host_plain(struct island **islands, size_t count, enum host_order order, uint32_t seed);

/* When threads share what islands have to do. */
struct host_sharing {
  unsigned threads; /* with the caller's, HOST_THREADS at most; they share the islands besides the hub, */
  size_t islands;   /* in windows in which so many have something to do, */
  size_t later;     /* after so many runs of islands in such windows: to wake threads for a short launch does not pay */
};

/* The same in ascending order, in several threads. */
enum { HOST_THREADS = 64 };
struct host *host_threads(struct island **islands, size_t count, const struct host_sharing *sharing);

/* Whoever makes a host for a run: of islands whose clock has so many MHz. NULL with *why filled, a text that stays,
 * when it cannot be had. */
typedef struct host *host_make(void *self, struct island **islands, size_t count, uint32_t clock_mhz, const char **why);

#ifdef __cplusplus
}
#endif

#endif
