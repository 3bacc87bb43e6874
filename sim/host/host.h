/* Hosts: who steps the islands.
 *
 * Both hosts let an island run ahead of their clock by its lookahead, and give the same cycles, the
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

/* One SC_METHOD an island on SystemC. One SystemC host may exist in a process. NULL with *message filled (static text)
 * when it cannot be had. */
struct host *host_systemc(struct island **islands, size_t count, uint32_t clock_mhz, const char **message);

#ifdef __cplusplus
}
#endif

#endif
