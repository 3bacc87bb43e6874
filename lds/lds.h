/* The local data store of a compute unit: banks, width phases, and who uses a bank in which cycle.
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
 * Bank conflicts are exact. An access is divided into phases: the lanes that go to the banks together at its width
 * (phases.def). A phase takes as many passes as its busiest bank needs to deliver its distinct words, `ports` of them a
 * pass; lanes that read or write the same word share it (broadcast). An atomic counts lanes instead of distinct words,
 * because each lane's update needs the word for itself. Pass k of a phase uses the banks that still have a word left
 * after k passes. Accesses are served in the order in which they were sent.
 *
 * A beat moves at most one word of every bank, however wide the engine: a bank delivers one word a cycle. A beat also
 * ends at a multiple of the engine's width and at the end of a line.
 *
 * Invariant: bytes move in one place and in one order. A warp access commits in the cycle of its first pass; a DMA
 * transfer commits all its lines in the cycle of its last beat. Both use the callbacks given at construction; the LDS
 * itself holds no data. Within a cycle, the warps' pass commits before the DMA beat.
 *
 * In an idle LDS, an access sent at cycle t passes in t + 1 .. t + passes, and its reply arrives at t + passes +
 * latency. A DMA transfer of b beats works in t + 1 .. t + b, and its reply arrives at t + b + 1. Accesses follow each
 * other without a gap, and so do the transfers of one engine. docs/closed-forms.md has worked examples.
 *
 * Not modeled: more than one warp pass a cycle; queues in the schedulers, before the banks. On an H200, four warps that
 * loop over conflicting loads, one warp on each scheduler, lose up to 12 % to the order in which these queues are
 * served. */
#ifndef LDS_LDS_H
#define LDS_LDS_H

#include "sim/core/component.h"
#include "sim/core/params.h"
#include "sim/core/port.h"
#include "sim/core/stats.h"
#include "sim/core/timeline.h"
#include "sim/core/transfer.h"

#define PARAMS_FILE "lds/lds.params.def"
#define PARAMS_STRUCT lds_params
#define PARAMS_ENUM(name) lds_##name
#include "sim/core/params_struct.def"

struct lds_stats {
#define STAT STAT_FIELD
#include "lds/lds.stats.def"
#undef STAT
};

extern const struct param_row lds_param_rows[];
extern const size_t lds_param_count;
extern const struct stat_group lds_stat_group;

/* LDS_WORDS: 16 bytes touch at most 5 words of 4 bytes (4 if aligned), and lanes may share none of them. */
enum { LDS_LANES = 64, LDS_ENGINES = 8, LDS_WORDS = LDS_LANES * 5, LDS_PASSES = 2 * LDS_WORDS, LDS_AT_BANKS = 4 };
enum { LDS_NO_WARP = UINT8_MAX };

enum lds_kind { LDS_READ, LDS_WRITE, LDS_ATOMIC };

/* Whose access it is. Only timelines use it. */
struct lds_origin {
  uint32_t pc;
  uint16_t launch, warp; /* index among the launches that run at once; slot */
};

/* A warp's access, from the CU to the LDS. */
struct lds_request {
  uint32_t tag;            /* the sender's identifier, returned in the reply */
  uint8_t kind;            /* enum lds_kind */
  uint8_t bytes;           /* per lane: 1, 2, 4, 8, 12 or 16 */
  uint8_t lanes;           /* width of the warp: 16, 32 or 64 */
  bool swap;               /* an atomic that compares and swaps */
  uint8_t warp;            /* accesses of one warp are served one after the other; or LDS_NO_WARP */
  uint8_t group;           /* accesses of a group are served phase by phase, see `phase` */
  uint32_t phase;          /* calls that the warp has reached in its group: barriers, copies, waits */
  bool even;               /* all lanes are active, and their addresses are consecutive or all the same */
  uint16_t delay;          /* cycles from the request's arrival until its data arrive */
  uint64_t mask;           /* active lanes; 0: it only takes its passes */
  const uint64_t *address; /* byte offset in the LDS, per lane; valid until the reply */
  struct lds_origin origin;
};

struct lds_reply {
  uint32_t tag;
  uint32_t passes;            /* bank passes that it took, and those that it still takes after this reply */
  uint32_t conflict_cycles;   /* of these, the passes beyond one per active phase */
  uint32_t queued_conflicts;  /* conflict passes of earlier accesses during its wait in the queue */
  uint32_t contention_cycles; /* cycles in which its passes waited for DMA beats, or for global memory */
  uint32_t ways;              /* most passes that one of its phases took */
};

/* How an access uses the banks: a pure function of its lanes. */
struct lds_schedule {
  uint32_t passes, phases, ways;  /* phases: passes without conflicts, swap_passes / ports of them per active phase of a
                                     compare-and-swap, one of any other */
  uint32_t idle;                  /* passes that no result waits for, which use no bank: `empty` pass */
  uint32_t late;                  /* cycles added to its latency */
  uint64_t bank_mask[LDS_PASSES]; /* banks that pass k uses */
};

/* `phase_latency` delays the result by that much for each phase after the first. With `merge` pairs, two phases of a
 * load are one if each lane wants the same words as a neighbor, lane l ^ 1 or lane l ^ 2; pairs with an inactive lane
 * do not count. With `conflicts` none, a phase takes the passes of a bank that delivers one word. No hardware works
 * like that: it shows what conflicts cost. */
void lds_plan(const struct lds_params *params, const struct lds_request *request, struct lds_schedule *schedule);

/* The same, for requests that a fast method covers. False: this is not one of them. */
bool lds_plan_even(const struct lds_params *params, const struct lds_request *request, struct lds_schedule *schedule);

/* The most accesses that can be between issue and reply. */
uint32_t lds_capacity(const struct lds_params *params);

/* The bank of a word; the banks of `count` consecutive words. */
unsigned lds_bank(const struct lds_params *params, uint64_t word);
uint64_t lds_banks(const struct lds_params *params, uint64_t first, unsigned count);

struct lds_commit {
  void *context;
  void (*warp)(void *context, uint32_t tag);
  void (*dma)(void *context, unsigned engine, uint32_t tag);
};

struct lds {
  struct component component;
  const struct lds_params *params;
  struct lds_stats stats;
  struct lds_commit commit;
  unsigned engines;
  struct port from_cu; /* struct lds_request; of params.queue; a slot is free from the access's first pass on */
  struct port to_cu;   /* struct lds_reply; in order: a late reply (an atomic, a wide load) delays those behind it */
  struct port from_dma[LDS_ENGINES];          /* struct transfer; a slot is free from the transfer's first beat on */
  struct port to_dma[LDS_ENGINES];            /* struct transfer_reply */
  uint32_t probe_warp_banks, probe_dma_banks; /* with every_cycle: how many banks worked in the last cycle stepped */
  cycle_t yield_from, yield_until;            /* the latest cycles that global memory claims: a shared global_port */
  bool yielded;            /* in the last of these cycles in which a pass was due, global memory went first */
  bool every_cycle;        /* steps in every cycle of work, so that probes show each one; changes nothing else */
  struct timeline_tap tap; /* BANKS, with every_cycle */
  struct lds_work *work;   /* what is in progress */
};

/* Builds an LDS between `cu` and `engines` DMA components. */
void lds_init(struct lds *lds, const struct lds_params *params, const struct lds_commit *commit, struct component *cu,
              struct component *const *dma, unsigned engines);
void lds_free(struct lds *lds);

/* An access to global memory that issues at `now` uses the data path of a shared global_port for `cycles` cycles. They
 * start in the next cycle, behind those of earlier accesses. If a pass is due in one of them, global memory and the
 * passes take turns, as on an H100. For a load of 3 lines that hits in the L1 and an access of 3 passes, both sent at
 * t:
 *
 *     cycle          t   t+1   t+2   t+3   t+4   t+5   t+6
 *     global memory      l0          l1          l2
 *     banks                    pass        pass        pass
 *
 * One interval is enough to hold the claims, because an LDS with work steps in every cycle: earlier cycles are done. */
static inline void lds_yield(struct lds *lds, cycle_t now, uint64_t cycles) {
  if (lds->params->global_port == LDS_GLOBAL_SEPARATE)
    return;
  if (lds->yield_until <= now)
    lds->yield_from = lds->yield_until = now + 1;
  lds->yield_until += cycles;
}

/* Counts what the cycles before `end` did. A run that is cut short needs this: the next step may be due later. */
void lds_abandon(struct lds *lds, cycle_t end);

#endif
