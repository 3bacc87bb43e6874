/* SystemC as a host (sim/host/host.h), with one SC_METHOD per island. It is a separate library to which the simulator
 * does not refer, so that SystemC is optional. */
#ifndef BINDINGS_SYSTEMC_SYSTEMC_H
#define BINDINGS_SYSTEMC_SYSTEMC_H

#include "sim/host/host.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the SystemC host, which a process can do only once. NULL: *message (static text) says why it failed. */
struct host *host_systemc(struct island **islands, size_t count, uint32_t clock_mhz, const char **message);

#ifdef __cplusplus
}
#endif

#endif
