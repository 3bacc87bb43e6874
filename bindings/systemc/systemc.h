/* SystemC as a host (sim/host/host.h): one SC_METHOD an island. A library of its own: nothing below refers to it, and
 * whoever does not want SystemC need not have it. */
#ifndef BINDINGS_SYSTEMC_SYSTEMC_H
#define BINDINGS_SYSTEMC_SYSTEMC_H

#include "sim/host/host.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One SystemC host may exist in a process. NULL with *message filled (static text) when it cannot be had. */
struct host *host_systemc(struct island **islands, size_t count, uint32_t clock_mhz, const char **message);

#ifdef __cplusplus
}
#endif

#endif
