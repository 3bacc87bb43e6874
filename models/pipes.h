/* What the memory does for pipes beyond carrying their operations out (isa/pipe.h).
 *
 *     L2 ── accepts ──► carried out ──► reply
 *                        │      ▲
 *                not yet ▼      │ a commit has changed a pipe
 *                       parked, oldest first
 *
 * An operation on a pipe costs what an atomic operation on the header's line costs: one message of a warp
 * instruction. One that waits (pipe.reserve.*.wait) is parked until the packets or the room are there for all its
 * lanes, and passes the L2 then.
 *
 * Invariant: a parked message waits for a commit, so only commits look at the parked; in one cycle the oldest is
 * served first. Requests that do not wait may overtake them.
 *
 * Kernels that spin. A loop around a reservation that fails would go on for ever when nobody can help it. When for
 * PIPES_SPIN_CYCLES nothing has been stored to global memory, no pipe has changed and no work-group has ended, and
 * every warp has been refused lately, is parked, or stands at a call of its work-group, it is a deadlock
 * (models/simulation.c).
 *
 * Autorun kernels (isa_kernel's autorun) loop for ever. When only such are left, and nothing happens any more or they
 * have spun for PIPES_QUIET_CYCLES, they are dismissed: from then on the memory answers what it would refuse, or park,
 * with ISA_PIPE_DISMISSED, on which an autorun kernel ends.
 *
 * A parked message keeps its place among the CU's cu.accesses: many of them leave no room for the access that they
 * wait for.
 *
 * Not modelled: the room that parked messages take in the L2; an outside memory does not park: what would wait is
 * refused, and it must hold the pipes' headers as they are at first. */
#ifndef MODELS_PIPES_H
#define MODELS_PIPES_H

#include "isa/pipe.h"
#include "sim/core/time.h"

enum { PIPES_SPIN_CYCLES = 1000000, PIPES_QUIET_CYCLES = 10000 };

struct memory;
struct mem_event;

struct mem_pipes {
  struct isa_memory *memory; /* of the launch */
  uint32_t *parked;          /* events of the memory, oldest first */
  uint32_t parked_count, parked_room;
  cycle_t counted; /* packet_cycles go up to here */
  cycle_t changed; /* the last change of global memory or of a pipe */
  bool dismissed;  /* the autorun kernels are */
};

/* A launch begins at `start`: at most `room` messages can be parked. False when memory is out. */
bool pipes_launch(struct mem_pipes *pipes, struct isa_memory *memory, uint32_t limit, uint32_t room, cycle_t start);
void pipes_free(struct mem_pipes *pipes);

/* Adds the packets that are in the pipes to their packet_cycles, up to `now`. */
void pipes_count(struct mem_pipes *pipes, cycle_t now);

/* Carries out the operation of event `index` at `now`, once more or for the first time; false: lanes still wait. */
bool pipes_serve(struct memory *memory, uint32_t index, cycle_t now);

/* Carries out the operation of event `index`, which the L2 accepts at `now`; false: it is parked. */
bool pipes_accept(struct memory *memory, uint32_t index, cycle_t now);

/* The oldest parked event that can be served now, or WHEEL_NONE. */
uint32_t pipes_unpark(struct memory *memory, cycle_t now);

#endif
