/* What the memory does for pipes in addition to their operations (isa/pipe.h).
 *
 *     L2 ── accepts ──► carried out ──► reply
 *                        │      ▲
 *                not yet ▼      │ a commit has changed a pipe
 *                       parked, oldest first
 *
 * An operation on a pipe costs as much as an atomic operation on the line of the pipe's header: one message for a warp
 * instruction. An operation that waits (pipe.reserve.*.wait) is parked until there are packets, or room, for all its
 * lanes; then it passes the L2.
 *
 * Invariant: a parked message waits for a commit, so only commits check the parked messages, the oldest first. Requests
 * that do not wait may overtake them.
 *
 * Kernels that spin. A loop around a failing reservation would run forever if nothing can help it. It is a deadlock
 * when, for PIPES_SPIN_CYCLES, nothing was stored to global memory, no pipe changed, no work-group ended, and every
 * warp was refused lately, is parked, or waits at a call of its work-group (models/simulation.c).
 *
 * Autorun kernels (isa_kernel.autorun) loop forever. When only autorun kernels are left, and nothing happens any more
 * or they have spun for PIPES_QUIET_CYCLES, they are dismissed: from then on, the memory replies ISA_PIPE_DISMISSED to
 * what it would refuse or park, and an autorun kernel ends.
 *
 * A parked message still counts in its CU's accesses. If there are many, no access is left for the operation that
 * they wait for.
 *
 * Not modeled: the room of parked messages in the L2. An outside memory does not park: operations that would wait are
 * refused. It must hold the initial headers of the pipes. */
#ifndef MODELS_PIPES_H
#define MODELS_PIPES_H

#include "isa/pipe.h"
#include "sim/core/time.h"

enum { PIPES_SPIN_CYCLES = 1000000, PIPES_QUIET_CYCLES = 10000 };

struct memory;
struct mem_event;

struct mem_pipes {
  struct isa_memory *memory; /* the launch's memory */
  uint32_t *parked;          /* indices of memory.events, oldest first */
  uint32_t parked_count, parked_room;
  cycle_t counted; /* packet_cycles are counted up to this cycle */
  cycle_t changed; /* last change of global memory or of a pipe */
  bool dismissed;  /* the autorun kernels are dismissed */
};

/* Starts a launch at `start`. At most `room` messages can be parked, and `limit` reservations can be open in a pipe. */
void pipes_launch(struct mem_pipes *pipes, struct isa_memory *memory, uint32_t limit, uint32_t room, cycle_t start);
void pipes_free(struct mem_pipes *pipes);

/* Counts the packets in the pipes up to `now`, in packet_cycles. */
void pipes_count(struct mem_pipes *pipes, cycle_t now);

/* Tries the operation of event `index` at `now`; false: some of its lanes still wait. */
bool pipes_serve(struct memory *memory, uint32_t index, cycle_t now);

/* Tries the operation of event `index` when the L2 accepts it at `now`; false: it is parked. */
bool pipes_accept(struct memory *memory, uint32_t index, cycle_t now);

/* Takes out and returns the oldest parked event that can be served now, or WHEEL_NONE. */
uint32_t pipes_unpark(struct memory *memory, cycle_t now);

#endif
