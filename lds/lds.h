/* The local data store of a compute unit: banks, width phases, and who gets them.
 *
 *            from_cu (queue)            from_dma[e]
 *                 │                         │
 *           ┌─────▼─────┐             ┌─────▼─────┐
 *           │  phases   │ 1 pass      │   beats   │ 1 beat a cycle
 *           │ -> passes │ a cycle     │           │ (engines round-robin)
 *           └─────┬─────┘             └─────┬─────┘
 *                 └──────► banks ◄──────────┘   same bank: `priority` decides, the loser waits
 *                 │                         │
 *              to_cu                     to_dma[e]
 *
 * The rule is exact. An access is cut into phases (lanes that go together at its width; tables in
 * phases.def). A phase takes as many passes as its busiest bank needs to deliver its distinct words,
 * `ports` of them a pass; lanes that read or write the same word share it (broadcast). An atomic counts
 * lanes instead of distinct words, since each lane's update needs the word for itself. Pass k of a phase
 * uses the banks that still have a word left after k passes. Accesses are served in the order in which
 * they were sent.
 *
 * Invariant: bytes change hands in one place and one order. A warp access commits in the cycle of its
 * first pass, a DMA transfer, all its lines, in the cycle of its last beat, through the callbacks given at
 * construction; the LDS itself holds no data. In one cycle the warps' pass commits before the DMA's.
 *
 * An unloaded access sent at cycle t passes in t + 1 .. t + passes, and its reply arrives at t + passes + latency; a
 * DMA transfer of b beats works in t + 1 .. t + b, its reply arrives at t + b + 1. Accesses follow each other without a
 * gap, and so do an engine's transfers. docs/closed-forms.md works examples. The reply of an access says how many of
 * the cycles that it waited were bank conflicts of the one before it.
 *
 * A request's slot in from_cu is free again from its first pass on, an engine's in from_dma from its first beat on.
 *
 * A beat is at most one word of every bank, however wide the engine: a bank delivers one word a cycle. Beats
 * also end at multiples of the engine's width, and at the end of a line: a transfer of several lines has the sum
 * of its lines' beats, unless they follow each other without a gap, which makes them one run.
 *
 * What wide accesses cost besides: with `empty` pass, one with lanes in few of its phases waits after its reply
 * for as many passes as it has phases; `phase_latency` delays its result for each phase after the first; with
 * `merge` pairs a load goes in half the phases if neighbouring lanes, l and l^1 or l and l^2, all want the same
 * words, as far as both are active.
 *
 * With `interleave` n, n accesses of as many warps are at the banks and take turns, a pass a cycle in all, each in
 * at most every n-th cycle; a warp's own follow each other. The oldest one whose warp is not there starts next, but
 * none while an older one of its work-group from another phase, in front of a barrier, has yet to start.
 *
 * With `conflicts` none a phase takes the passes of a bank that has one word to deliver, whatever its busiest bank has:
 * a machine that no hardware is, to hold others against.
 *
 * With `global_port` shared warps' accesses to global memory pass the same data path: the CU says how many cycles one
 * takes from the next one on, lds_give_way(), behind those that others still take, and no pass is done in these.
 *
 *     cycle          t   t+1  t+2  t+3  t+4       sent at t: a load of 3 lines that hits in the L1, and
 *     global memory      l0   l1   l2              an access of one pass
 *     banks                             pass
 *
 * Replies leave in order: one that is later than its passes and the latency, of an atomic or of a wide load, holds
 * up those behind it.
 *
 * Not modelled: more than one warp pass a cycle; queues of schedulers before the banks. On an H200 four warps
 * with loops of conflicting loads, one on each scheduler, lose up to 12 % to the order in which those are asked. */
#ifndef LDS_LDS_H
#define LDS_LDS_H

#include "sim/core/component.h"
#include "sim/core/params.h"
#include "sim/core/port.h"
#include "sim/core/stats.h"
#include "sim/core/timeline.h"
#include "sim/core/transfer.h"

struct lds_params {
#define PARAM PARAM_FIELD
#define POW2 PARAM_FIELD
#define ENUM PARAM_FIELD
#include "lds/lds.params.def"
#undef PARAM
#undef POW2
#undef ENUM
};

struct lds_stats {
#define STAT STAT_FIELD
#include "lds/lds.stats.def"
#undef STAT
};

extern const struct param_row lds_param_rows[];
extern const size_t lds_param_count;
extern const struct stat_group lds_stat_group;

/* An access of 16 bytes touches at most 5 words of 4 bytes (4 when aligned); at worst each lane's are alone. */
/* The order of the words in the ENUM rows. */
enum lds_phases { LDS_PHASES_nvidia, LDS_PHASES_cdna3, LDS_PHASES_cdna4, LDS_PHASES_whole, LDS_PHASE_RULES };
enum lds_hash { LDS_HASH_NONE, LDS_HASH_XOR };
enum lds_dma_port { LDS_PORT_SHARED, LDS_PORT_SEPARATE };
enum lds_merge { LDS_MERGE_NONE, LDS_MERGE_PAIRS };
enum lds_empty { LDS_EMPTY_SKIP, LDS_EMPTY_PASS };
enum lds_global_port { LDS_GLOBAL_SEPARATE, LDS_GLOBAL_SHARED };
enum lds_conflicts { LDS_CONFLICTS_REAL, LDS_CONFLICTS_NONE };
enum lds_priority { LDS_ALTERNATE, LDS_WARPS_FIRST, LDS_DMA_FIRST };

enum { LDS_LANES = 64, LDS_ENGINES = 8, LDS_WORDS = LDS_LANES * 5, LDS_PASSES = 2 * LDS_WORDS, LDS_AT_BANKS = 4 };
enum { LDS_NO_WARP = UINT8_MAX };

enum lds_kind { LDS_READ, LDS_WRITE, LDS_ATOMIC };

/* Whose access it is, for a timeline alone. */
struct lds_origin {
  uint32_t pc;
  uint16_t launch, warp; /* of those at once; slot */
};

/* A warp's access, CU to LDS. */
struct lds_request {
  uint32_t tag;            /* the sender's name for it */
  uint8_t kind;            /* enum lds_kind */
  uint8_t bytes;           /* per lane: 1, 2, 4, 8, 12 or 16 */
  uint8_t lanes;           /* width of the warp: 16, 32 or 64 */
  bool swap;               /* of an atomic: compare and swap */
  uint8_t warp;            /* whose accesses go one after the other, or LDS_NO_WARP */
  uint8_t group;           /* whose accesses of one phase go before those of the next */
  uint32_t phase;          /* barriers that its warp has passed in the group */
  bool even;               /* all lanes take part, and lie side by side, or all alike */
  uint16_t delay;          /* from its arrival until its data are there too */
  uint64_t mask;           /* lanes that take part; none: it only passes */
  const uint64_t *address; /* byte offset in the LDS, per lane; valid until the reply */
  struct lds_origin origin;
};

struct lds_reply {
  uint32_t tag;
  uint32_t passes;            /* bank passes it took, or will have after this */
  uint32_t conflict_cycles;   /* of these, beyond one per active phase */
  uint32_t queued_conflicts;  /* passes so added to accesses before it, while it waited in the queue for them */
  uint32_t contention_cycles; /* cycles its passes waited for DMA beats */
  uint32_t ways;              /* the most passes that one of its phases took */
};

/* How an access falls on the banks: a pure function of its lanes. */
struct lds_schedule {
  uint32_t passes, phases, ways;  /* phases: passes without conflicts, one of each active phase, but of a
                                     compare-and-swap as many as its swap_passes need; conflict cycles are the rest */
  uint32_t idle;                  /* further passes that use no bank and that no result waits for */
  uint32_t late;                  /* cycles that its result takes longer */
  uint64_t bank_mask[LDS_PASSES]; /* banks that pass k uses */
};

void lds_plan(const struct lds_params *params, const struct lds_request *request, struct lds_schedule *schedule);

/* The same, if that is quick: of requests that are even. False: it is not. */
bool lds_plan_even(const struct lds_params *params, const struct lds_request *request, struct lds_schedule *schedule);

/* The most accesses that can be between their issue and their reply. */
uint32_t lds_capacity(const struct lds_params *params);

/* The bank of a word, and those of `count` consecutive words. */
unsigned lds_bank(const struct lds_params *params, uint64_t word);
uint64_t lds_banks(const struct lds_params *params, uint64_t first, unsigned count);

struct lds_commit {
  void *context;
  void (*warp)(void *context, uint32_t tag);
  void (*dma)(void *context, unsigned engine, uint32_t tag);
};

struct lds {
  struct component component;
  struct lds_params params;
  struct lds_stats stats;
  struct lds_commit commit;
  unsigned engines;
  struct port from_cu;                        /* struct lds_request; owned here: capacity params.queue */
  struct port to_cu;                          /* struct lds_reply */
  struct port from_dma[LDS_ENGINES];          /* struct transfer */
  struct port to_dma[LDS_ENGINES];            /* struct transfer_reply */
  uint32_t probe_warp_banks, probe_dma_banks; /* with every_cycle, how many banks worked in the cycle last stepped */
  cycle_t given_from, given_until; /* with a shared global_port: cycles that global memory takes, the latest ones */
  bool gave_way;                   /* to it, the last time that a pass was due in one of them */
  bool every_cycle;                /* step in every cycle of work, so that the probes show each; changes nothing else */
  struct timeline_tap tap;         /* BANKS, with every_cycle */
  struct lds_work *work;           /* what is in progress */
};

/* Builds an LDS between `cu` and `engines` DMA components. False when memory runs out. */
bool lds_init(struct lds *lds, const struct lds_params *params, const struct lds_commit *commit, struct component *cu,
              struct component *const *dma, unsigned engines);
void lds_free(struct lds *lds);

/* With a shared global_port: an access to global memory that is issued at `now` takes so many cycles. A component that
 * has work steps in each of them, so that it knows what is older only from the cycle that it is in. */
static inline void lds_give_way(struct lds *lds, cycle_t now, uint64_t cycles) {
  if (lds->params.global_port == LDS_GLOBAL_SEPARATE)
    return;
  if (lds->given_until <= now)
    lds->given_from = lds->given_until = now + 1;
  lds->given_until += cycles;
}

/* Counts what the cycles before `end` did, where a run is cut short: steps may have been due later. */
void lds_abandon(struct lds *lds, cycle_t end);

#endif
