/* Shared by the replayer's files: replayer.c supplies operations to warps, replayer_pipes.c those on pipes. */
#ifndef SIM_REPLAY_REPLAYER_PARTS_H
#define SIM_REPLAY_REPLAYER_PARTS_H

#include "isa/pipe.h"
#include "models/warp_source.h"
#include "sim/replay/replayer.h"

/* Recorded and replayed ids of a pipe's reservations in one direction, by the position of their first packet. */
struct renamed {
  uint64_t recorded, replayed;
};

struct replayed_pipe {
  struct renamed *id[2]; /* max_packets elements each; NULL: none yet */
};

/* The replayer's part of a compute unit. */
struct unit {
  struct warp_source source;
  struct replayer *replayer;
  const struct isa_launch *launches;
  struct isa_warp *warps; /* only group and index are used, and shared dummy registers */
  struct trace_warp **streams;
  uint32_t warp_count;
  struct isa_group *groups;
  uint64_t *calls, *made; /* for a prefix: number of calls that each group's warps make (prefix.h); number that each
                           * warp has made */
  uint32_t *registers;
  uint32_t group_count;
  uint8_t **lds;       /* of the work-group in each slot, */
  uint32_t *lds_bytes; /* and its size */
};

struct replayer {
  struct trace *trace;
  uint64_t *shift; /* per launch of the trace */
  struct unit **units;
  size_t unit_count, unit_room;
  uint32_t first, next; /* numbers of the first launch that runs now, and of the first one after those that run */
  uint16_t *rules;      /* the recording's hazard numbers, translated to this program's */
  uint32_t rule_count;
  struct replayed_pipe pipes[ISA_MOST_PIPES];
  bool faulty, damaged;
  bool prefix;                /* the trace is incomplete: streams may end anywhere */
  struct trace_warp *decoder; /* for a prefix, to find where streams end */
  uint64_t cut_short;
  char fault[600];
};

/* Records that the trace is damaged: the error of the trace, or else `what`. */
void replayer_damage(struct replayer *replayer, const char *what);

/* ---- replayer_pipes.c ------------------------------------------------------------------------------- */

/* Translates a recorded id; unknown ids stay unchanged. */
uint64_t replayer_id_here(struct replayer *replayer, const struct isa_memory *memory, uint64_t recorded);

/* An operation on pipes: its operands, and its recorded outcome. */
void replayer_give_pipe(struct unit *unit, struct isa_access *access, const struct trace_op *op,
                        const struct isa_launch *launch);

/* The effect of pipe.slot: marks packets as named. */
void replayer_name_slots(struct unit *unit, const struct trace_op *op, const struct isa_launch *launch);

/* Carries out operations on pipes and mbarriers. Other operations have no effect in a replay. */
void replayer_commit(void *self, struct isa_access *access);

#endif
