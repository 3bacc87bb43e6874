/* SystemC as a host (sim/host/host.h), with one SC_METHOD per island. It is a separate library to which the simulator
 * does not refer, so that SystemC is optional. The command line loads it when it is asked for: linked in, SystemC would
 * more than double the time of every start. */
#ifndef BINDINGS_SYSTEMC_SYSTEMC_H
#define BINDINGS_SYSTEMC_SYSTEMC_H

#include "sim/host/host.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the SystemC host, which a process can do only once. NULL: *message (static text) says why it failed. */
struct host *host_systemc(struct island **islands, size_t count, uint32_t clock_mhz, const char **message);

/* The same, from the library warpwait-systemc.so of this installation (tools/verbs/load_systemc.c). */
struct host *load_systemc(struct island **islands, size_t count, uint32_t clock_mhz, const char **message);

#ifdef __cplusplus
}
#endif

#endif
