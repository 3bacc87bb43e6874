/* Hosts: they step the islands. The plain loop is here, in one thread or in several; SystemC is separate
 * (bindings/systemc), and a client may supply another.
 *
 * All hosts let an island run ahead of their clock by its lookahead. All give the same cycles, the same results and the
 * same trace, bit for bit; a test checks this. */
#ifndef SIM_HOST_HOST_H
#define SIM_HOST_HOST_H

#ifdef __cplusplus
extern "C" {
#endif

#include "sim/core/host.h"

enum host_order { ORDER_ASCENDING, ORDER_DESCENDING, ORDER_SHUFFLED };

/* A plain loop. `order` is the order in which islands, and the components in them, are stepped. ORDER_SHUFFLED shuffles
 * them again in each window, starting with `seed`. */
struct host *host_plain(struct island **islands, size_t count, enum host_order order, uint32_t seed);

/* When threads share the work of islands. */
struct host_sharing {
  unsigned threads; /* at most HOST_THREADS, with the caller's; they share all islands except the hub, */
  size_t islands;   /* in windows in which at least this many have work, */
  size_t later;     /* after this many runs of islands in such windows: starting threads does not pay for a short
                     * launch */
};

/* Like host_plain() in ascending order, in several threads. */
enum { HOST_THREADS = 64 };
struct host *host_threads(struct island **islands, size_t count, const struct host_sharing *sharing);

/* Makes a host for a run; the islands' clock has `clock_mhz`. NULL on failure, with *why set to a permanent text. */
typedef struct host *host_make(void *self, struct island **islands, size_t count, uint32_t clock_mhz, const char **why);

#ifdef __cplusplus
}
#endif

#endif
