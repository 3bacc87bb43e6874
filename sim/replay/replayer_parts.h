/* What the files of the replayer share: replayer.c feeds warps their operations, replayer_pipes.c those on pipes. */
#ifndef SIM_REPLAY_REPLAYER_PARTS_H
#define SIM_REPLAY_REPLAYER_PARTS_H

#include "isa/pipe.h"
#include "models/warp_source.h"
#include "sim/replay/replayer.h"

/* What became of the ids of a pipe's reservations of one direction, by the place of the first packet. */
struct renamed {
  uint64_t recorded, replayed;
};

struct replayed_pipe {
  struct renamed *id[2]; /* max_packets of them; NULL: none yet */
};

/* Of a compute unit. */
struct unit {
  struct warp_source source;
  struct replayer *replayer;
  const struct isa_launch *launches;
  struct isa_warp *warps; /* of these, group and index alone, and registers that are of no warp */
  struct trace_warp **streams;
  uint32_t warp_count;
  struct isa_group *groups;
  uint64_t *calls, *made; /* of a prefix: how many a group's warps make (prefix.h); how many a warp has made */
  uint32_t *registers;
  uint32_t group_count;
  uint8_t **lds;       /* of the work-group in each slot, */
  uint32_t *lds_bytes; /* and how large that is */
};

struct replayer {
  struct trace *trace;
  uint64_t *shift; /* of each launch of the trace */
  struct unit **units;
  uint32_t unit_count;
  uint32_t first, next; /* numbers of the first of the launches that run at once, and of the one after them */
  uint16_t *rules;      /* this program's numbers of the recording's hazards */
  uint32_t rule_count;
  struct replayed_pipe pipes[ISA_MOST_PIPES];
  bool faulty, damaged;
  bool prefix;                /* of a trace that is not whole: streams may end anywhere */
  struct trace_warp *decoder; /* of a prefix, to see where */
  uint64_t cut_short;
  char fault[600];
};

/* Notes that the trace cannot be what was recorded: what has failed in it, or else `what`. */
void replayer_damage(struct replayer *replayer, const char *what);

/* ---- replayer_pipes.c ------------------------------------------------------------------------------- */

/* The id here of one in the recording; ids that were never given stay what they are. */
uint64_t replayer_id_here(struct replayer *replayer, const struct isa_memory *memory, uint64_t recorded);

/* An operation on pipes: its operands, and what it led to in the recording. */
void replayer_give_pipe(struct unit *unit, struct isa_access *access, const struct trace_op *op,
                        const struct isa_launch *launch);

/* What pipe.slot leaves behind: packets that have been named. */
void replayer_name_slots(struct unit *unit, const struct trace_op *op, const struct isa_launch *launch);

/* Carries out operations on pipes and mbarriers; of others nothing is known that could be. */
void replayer_commit(void *self, struct isa_access *access);

#endif
