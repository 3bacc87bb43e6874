/* Pipes: FIFOs of packets of one size, in global memory.
 *
 *     base                     base + 128
 *     │ header: a line         │ packets: a ring of max_packets
 *     ▼                        ▼
 *     ┌───────────┬────────┬───┬────┬────┬────┬────┬────┬────┐
 *     │ counters  │ sizes  │   │ 0  │ 1  │ 2  │ 3  │ 4  │ 5  │
 *     └───────────┴────────┴───┴────┴────┴────┴────┴────┴────┘
 *
 * Who writes reserves room, stores the packets with ordinary stores, and commits; who reads reserves packets, loads
 * them, and commits. Four counters say it all; they count packets since the pipe was made, and never go back:
 *
 *     done[READ] <= reserved[READ] <= done[WRITE] <= reserved[WRITE] <= done[READ] + max_packets
 *     room freed    taken by readers  readable       given to writers
 *
 * Reservations of a direction take effect in the order in which they were made: one that is committed before an
 * earlier one waits for it. So packets come out in the order of the reservations for writing, as blocks.
 *
 * An id is 64 bits that hold all of the reservation that does not change, so that finding packet `index` of it takes
 * arithmetic only, and whoever holds the id need not ask anybody:
 *
 *     bits 0..23 position of the first packet in the ring   24..47 count   48..53 lap of the ring, modulo 64
 *     54 direction   55..56 kind   57..63 number of the pipe, from 1
 *
 * It is never 0 nor all ones, which are what failed and null reservations have.
 *
 * Operations are accesses to the header's line: described at issue like an atomic operation, and carried out, lane by
 * lane, when the L2 accepts them. What is wrong then is kept in the access and reported when its reply arrives.
 *
 * Not modelled: what a memory without a pipe unit would do with packets (locks, polling in the cache). */
#ifndef ISA_PIPE_H
#define ISA_PIPE_H

#include "isa/isa.h"
#include "sim/core/stats.h"

enum {
  ISA_PIPE_HEADER = 128,            /* bytes in front of the packets */
  ISA_PIPE_SIZES = 32,              /* where in it packet_size and max_packets lie, 4 bytes each */
  ISA_MOST_PACKETS = (1 << 24) - 1, /* of a pipe: positions and counts have 24 bits */
  ISA_MOST_PIPES = 126,
  ISA_MOST_PACKET_BYTES = 1 << 20,
};

enum isa_pipe_direction { ISA_PIPE_READ, ISA_PIPE_WRITE };

/* Who reserved: a work-item, a work-group, a sub-group, or read_pipe and write_pipe themselves, for one packet. The
 * last kind is no reservation that a program sees, and does not count against the limit. */
enum isa_pipe_kind { ISA_PIPE_ITEM, ISA_PIPE_GROUP, ISA_PIPE_SUBGROUP, ISA_PIPE_PACKET, ISA_PIPE_KINDS };
extern const char *const isa_pipe_kinds[ISA_PIPE_KINDS]; /* "item", "group", "subgroup", "packet" */

struct isa_pipe_stats {
#define STAT STAT_FIELD
#include "isa/pipe.stats.def"
#undef STAT
};
extern const struct stat_group isa_pipe_stat_group;

/* Who asks, for messages, and the number of its launch among those that run at once. */
struct isa_pipe_user {
  uint32_t pc, group[3], item, kernel;
};

struct isa_reservation {
  uint64_t id, first; /* `first` counts from the pipe's beginning */
  uint32_t count;
  uint32_t launch;
  bool committed;
  struct isa_pipe_user user;
};

/* Reservations of one direction, oldest first: a ring. Those that are committed wait for earlier ones. */
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
  uint32_t limit, open; /* reservations that may be open at a time, and are */
  uint32_t launch;      /* of the launch file, so that ids of earlier ones are told apart */
  uint64_t reserved[2], done[2];
  struct isa_pipe_queue queue[2];
  uint8_t *written; /* a bit per packet of the ring: pipe.slot.write has named it since it was reserved */
  struct isa_pipe_stats stats;
};

/* Makes an empty pipe whose header lies at `data`, ISA_PIPE_HEADER + packets bytes. False when memory is out. */
bool isa_pipe_init(struct isa_pipe *pipe, const char *name, uint32_t number, uint64_t base, uint8_t *data,
                   uint32_t packet_size, uint32_t max_packets);
void isa_pipe_free(struct isa_pipe *pipe);
uint64_t isa_pipe_bytes(uint32_t packet_size, uint32_t max_packets);

/* How many pipes the program's channels are, and these, empty, in the isa_variable_room() bytes at `variables`. They
 * have the highest numbers, whatever other pipes there are, so that a replay finds them by the ids. False when memory
 * is out; the rest is zeros then. */
size_t isa_channel_pipes(const struct isa_program *program);
bool isa_channels_init(const struct isa_program *program, uint8_t *variables, struct isa_pipe *pipes);

static inline bool isa_pipe_is_channel(const struct isa_pipe *pipe) { return pipe->base < ISA_GLOBAL_BASE; }

/* The pipe whose header is at `address`; NULL if there is none. */
struct isa_pipe *isa_pipe_find(const struct isa_memory *memory, uint64_t address);

/* What may be reserved now: packets to read, or room to write. */
uint64_t isa_pipe_available(const struct isa_pipe *pipe, enum isa_pipe_direction direction);

/* Packets in the pipe: readable, or reserved by readers and not yet freed. */
static inline uint64_t isa_pipe_present(const struct isa_pipe *pipe) {
  return pipe->done[ISA_PIPE_WRITE] - pipe->done[ISA_PIPE_READ];
}

/* The id of a new reservation; 0 when there is not enough, `count` is 0, or too many are open. */
uint64_t isa_pipe_reserve(struct isa_pipe *pipe, enum isa_pipe_direction direction, enum isa_pipe_kind kind,
                          uint32_t count, const struct isa_pipe_user *user);

/* Commits. Returns HAZARDS when all is well, else the rule that is broken, of which R2, R4 and R9 have no effect. */
enum isa_hazard_rule isa_pipe_commit(struct isa_pipe *pipe, enum isa_pipe_direction direction, enum isa_pipe_kind kind,
                                     uint64_t id);

/* Where packet `index` of the reservation lies; 0 with *rule filled in when there is no such packet. */
uint64_t isa_pipe_slot(const struct isa_pipe *pipe, enum isa_pipe_direction direction, uint64_t id, uint32_t index,
                       enum isa_hazard_rule *rule);

/* A packet by its number from the oldest that is readable; number < isa_pipe_available(pipe, ISA_PIPE_READ). */
const uint8_t *isa_pipe_packet(const struct isa_pipe *pipe, uint64_t number);

/* A launch begins, or several that run at once: statistics at zero, ids of earlier launches are foreign. */
void isa_pipe_launch(struct isa_pipe *pipe, uint32_t limit);

/* A launch has ended, number `kernel` of those that run at once: hands reservations of it that are still open to
 * `report`, as R5 or R6. */
void isa_pipe_end(const struct isa_pipe *pipe, uint32_t kernel,
                  void (*report)(void *context, const struct isa_hazard *hazard), void *context);

/* ---- what the executor and the compute unit do with accesses ------------------------------------- */

static inline bool isa_is_pipe_write(enum isa_op op) {
  return op == ISA_PIPE_RESERVE_WRITE || op == ISA_PIPE_RESERVE_WRITE_WAIT || op == ISA_PIPE_COMMIT_WRITE ||
         op == ISA_PIPE_SLOT_WRITE;
}
static inline bool isa_is_pipe_wait(enum isa_op op) {
  return op == ISA_PIPE_RESERVE_READ_WAIT || op == ISA_PIPE_RESERVE_WRITE_WAIT;
}

/* What the kernel's code does with the pipe, or image, of one of its arguments: a bit per direction. Followed along the
 * control flow from where the argument is loaded, through moves and selects of pairs; not through memory
 * (isa/arg_use.c). */
unsigned isa_arg_directions(const struct isa_program *program, const struct isa_kernel *kernel,
                            const struct isa_arg *arg);

/* The first instruction of the kernel that uses the argument's pipe or image in this direction, as far as that shows
 * it; kernel->end: none. */
uint32_t isa_arg_first_use(const struct isa_program *program, const struct isa_kernel *kernel,
                           const struct isa_arg *arg, enum isa_pipe_direction direction);

/* Reports what isa_access_commit() found to be wrong with an operation on a pipe. */
void isa_pipe_report(const struct isa_access *access);

/* Lanes that still wait get 0 as an id, and wait no more. */
void isa_pipe_refuse(struct isa_access *access);

/* Lanes that still wait, or were refused, get this as an id instead: an autorun kernel is to end. */
#define ISA_PIPE_DISMISSED UINT64_MAX
void isa_pipe_dismiss(struct isa_access *access);

#endif
