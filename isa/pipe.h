/* Pipes: FIFOs of equally sized packets in global memory.
 *
 *     base                     base + 128
 *     │ header: a line         │ packets: a ring of max_packets
 *     ▼                        ▼
 *     ┌───────────┬────────┬───┬────┬────┬────┬────┬────┬────┐
 *     │ counters  │ sizes  │   │ 0  │ 1  │ 2  │ 3  │ 4  │ 5  │
 *     └───────────┴────────┴───┴────┴────┴────┴────┴────┴────┘
 *
 * A writer reserves room, stores the packets with ordinary stores, and commits. A reader reserves packets, loads them,
 * and commits. Four counters hold the state. They count packets since the pipe was created and never decrease:
 *
 *     done[READ] <= reserved[READ] <= done[WRITE] <= reserved[WRITE] <= done[READ] + max_packets
 *     room freed    taken by readers  readable       given to writers
 *
 * In each direction, reservations take effect in the order in which they were made: a committed reservation waits for
 * earlier ones. So packets come out as blocks, in the order of the write reservations.
 *
 * A reservation's id is 64 bits that contain everything about it that never changes. So finding packet `index` takes
 * only arithmetic, and no access to the pipe:
 *
 *     bits 0..23 position of the first packet in the ring   24..47 count   48..53 lap of the ring, modulo 64
 *     54 direction   55..56 kind   57..63 number of the pipe, from 1
 *
 * An id is never 0 (a failed reservation) or all ones (the null reservation).
 *
 * Operations are accesses to the header's line: described at issue like an atomic, and carried out, lane by lane, when
 * the L2 accepts them. The access keeps what went wrong until its reply arrives; then it is reported.
 *
 * Not modeled: what a memory without a pipe unit would do with packets (locks, polling in the cache). */
#ifndef ISA_PIPE_H
#define ISA_PIPE_H

#include "isa/isa.h"
#include "sim/core/stats.h"

enum {
  ISA_PIPE_HEADER = 128,            /* bytes in front of the packets */
  ISA_PIPE_SIZES = 32,              /* offset in the header of packet_size and max_packets, 4 bytes each */
  ISA_MOST_PACKETS = (1 << 24) - 1, /* in a pipe: positions and counts have 24 bits */
  ISA_MOST_PIPES = 126,
  ISA_MOST_PACKET_BYTES = 1 << 20,
};

enum isa_pipe_direction { ISA_PIPE_READ, ISA_PIPE_WRITE };

/* Who made a reservation: a work-item, a work-group, a sub-group, or read_pipe and write_pipe themselves for one
 * packet. The program does not see the last kind, and it does not count against the limit. */
enum isa_pipe_kind { ISA_PIPE_ITEM, ISA_PIPE_GROUP, ISA_PIPE_SUBGROUP, ISA_PIPE_PACKET, ISA_PIPE_KINDS };
extern const char *const isa_pipe_kinds[ISA_PIPE_KINDS]; /* "item", "group", "subgroup", "packet" */

struct isa_pipe_stats {
#define STAT STAT_FIELD
#include "isa/pipe.stats.def"
#undef STAT
};
extern const struct stat_group isa_pipe_stat_group;

/* Who requested a reservation, for messages. `kernel` is the number of its launch among concurrent launches. */
struct isa_pipe_user {
  uint32_t pc, group[3], item, kernel;
};

struct isa_reservation {
  uint64_t id, first; /* `first` counts packets since the pipe was created */
  uint32_t count;
  uint32_t launch;
  bool committed;
  struct isa_pipe_user user;
};

/* Reservations of one direction, oldest first: a ring. Committed ones stay until all earlier ones are committed. */
struct isa_pipe_queue {
  struct isa_reservation *at;
  uint32_t room, first, count;
};

struct isa_pipe {
  char name[64];
  uint64_t base;
  uint8_t *data; /* of the header; the packets follow */
  uint32_t packet_size, max_packets;
  uint32_t number;      /* among the pipes, from 1 */
  uint32_t limit, open; /* most reservations that may be open at a time; how many are */
  uint32_t launch;      /* counts the launches of the launch file, to detect ids of earlier ones */
  uint64_t reserved[2], done[2];
  struct isa_pipe_queue queue[2];
  uint8_t *written; /* a bit per packet of the ring: pipe.slot.write was executed for it since it was reserved */
  struct isa_pipe_stats stats;
};

/* Creates an empty pipe with its header at `data`: isa_pipe_bytes() bytes. */
void isa_pipe_init(struct isa_pipe *pipe, const char *name, uint32_t number, uint64_t base, uint8_t *data,
                   uint32_t packet_size, uint32_t max_packets);
void isa_pipe_free(struct isa_pipe *pipe);
uint64_t isa_pipe_bytes(uint32_t packet_size, uint32_t max_packets);

/* isa_channel_pipes() returns how many pipes the program's channels are. isa_channels_init() creates them, empty, in
 * the isa_variable_room() bytes at `variables`. They always have the highest numbers, so that a replay recognizes them
 * by their ids. */
size_t isa_channel_pipes(const struct isa_program *program);
void isa_channels_init(const struct isa_program *program, uint8_t *variables, struct isa_pipe *pipes);

static inline bool isa_pipe_is_channel(const struct isa_pipe *pipe) { return pipe->base < ISA_GLOBAL_BASE; }

/* The pipe whose header is at `address`, or NULL. */
struct isa_pipe *isa_pipe_find(const struct isa_memory *memory, uint64_t address);

/* How much can be reserved now: packets to read, or room to write. */
uint64_t isa_pipe_available(const struct isa_pipe *pipe, enum isa_pipe_direction direction);

/* Packets in the pipe: readable, or reserved by readers and not freed yet. */
static inline uint64_t isa_pipe_present(const struct isa_pipe *pipe) {
  return pipe->done[ISA_PIPE_WRITE] - pipe->done[ISA_PIPE_READ];
}

/* Returns the id of a new reservation; 0 if too little is available, `count` is 0, or too many are open. */
uint64_t isa_pipe_reserve(struct isa_pipe *pipe, enum isa_pipe_direction direction, enum isa_pipe_kind kind,
                          uint32_t count, const struct isa_pipe_user *user);

/* Commits a reservation. Returns HAZARDS on success, else the broken rule. With R2, R4 and R9 nothing changes. */
enum isa_hazard_rule isa_pipe_commit(struct isa_pipe *pipe, enum isa_pipe_direction direction, enum isa_pipe_kind kind,
                                     uint64_t id);

/* The address of packet `index` of the reservation. If there is no such packet, returns 0 and sets *rule. */
uint64_t isa_pipe_slot(const struct isa_pipe *pipe, enum isa_pipe_direction direction, uint64_t id, uint32_t index,
                       enum isa_hazard_rule *rule);

/* A packet by its number, counted from the oldest readable one; number < isa_pipe_available(pipe, ISA_PIPE_READ). */
const uint8_t *isa_pipe_packet(const struct isa_pipe *pipe, uint64_t number);

/* One or several concurrent launches begin: resets the statistics and invalidates the ids of earlier launches. */
void isa_pipe_launch(struct isa_pipe *pipe, uint32_t limit);

/* Launch number `kernel` of the concurrent launches has ended: passes its reservations that are still open to `report`,
 * as R5 or R6. */
void isa_pipe_end(const struct isa_pipe *pipe, uint32_t kernel,
                  void (*report)(void *context, const struct isa_hazard *hazard), void *context);

/* ---- for the executor and the compute unit ------------------------------------------------------- */

bool isa_is_pipe_write(unsigned op);
bool isa_is_pipe_wait(unsigned op); /* waits in memory */

/* The directions in which the kernel's code uses the pipe or image of an argument, a bit per direction. The analysis
 * follows the control flow from the load of the argument, through moves and selects of pairs, but not through memory
 * (isa/arg_use.c). */
unsigned isa_arg_directions(const struct isa_program *program, const struct isa_kernel *kernel,
                            const struct isa_arg *arg);

/* The first instruction of the kernel that this analysis finds to use the argument's pipe or image in this direction.
 * kernel->end: none. */
uint32_t isa_arg_first_use(const struct isa_program *program, const struct isa_kernel *kernel,
                           const struct isa_arg *arg, enum isa_pipe_direction direction);

/* Reports what isa_access_commit() found wrong with an operation on a pipe. */
void isa_pipe_report(const struct isa_access *access);

/* Ends the wait of all lanes that still wait: they get 0 as an id. */
void isa_pipe_refuse(struct isa_access *access);

/* Ends an autorun kernel: lanes that still wait or were refused get this as an id. */
#define ISA_PIPE_DISMISSED UINT64_MAX
void isa_pipe_dismiss(struct isa_access *access);

#endif
