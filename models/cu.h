/* A compute unit: its warps, the schedulers that issue them, and what makes them wait.
 *
 *   dispatcher ─► groups ─► warps ─► scheduler 0..n ─► execution units   (latency, interval)
 *                  │  ▲                  │        ├──► LDS                (queue, reply)
 *      barrier,    │  │ done             │        └──► memory port        (accesses, reply)
 *      copy, wait  ▼  │                  ▼
 *               rendezvous ──► DMA engines ──► events
 *
 * A resident warp is in one of these states:
 *
 *   ready     its next instruction may issue; its scheduler chooses
 *   asleep    it waits for a result whose cycle is known (timing wheel)
 *   resting   its work-group's rendezvous is over, but not the latency of the release
 *   blocked   it waits for a reply, or for its work-group (rendezvous)
 *   done      it has exited, and its accesses are performed
 *
 * Warps issue in order, each at most one instruction a cycle. For every register and predicate, the scoreboard knows
 * when it may be read or overwritten. Barriers, copies and waits are rendezvous of the work-group (group.h). A warp
 * spends an issue slot when it arrives. All warps leave together, barrier_latency, copy_latency or wait_latency cycles
 * after the last condition is met. The CU notes the arrivals at barriers of all its work-groups, one every
 * barrier_interval cycles:
 *
 *   cycle   0   1   2   3   4   5   6   7      barrier_interval = 2, barrier_latency = 4
 *   warp 0  bar |noted|                 x
 *   warp 1  bar         |noted|         x
 *
 * At an mbarrier each warp waits separately (mbarrier.h). With barrier_blocks `accesses`, a warp at a barrier keeps
 * issuing until an instruction must wait for the release. A complete copy becomes one descriptor or, without an engine,
 * accesses of the warps (lane_copy.h).
 *
 * Invariant (accounts): for every warp, the cycles from `since` to now belong to its current bucket. So its buckets add
 * up to its residency at any time; this is asserted when it ends.
 *
 * Launches that run at once share the CU. Each warp points to its kernel, which has the program and the launch's
 * account.
 *
 * Not modeled: instruction fetch (a far jump costs as much as a near one), jumps through a table, register-file banks
 * and write-back ports, a limited number of scoreboards for loads in flight, warps that leave a wait one after the
 * other. */
#ifndef MODELS_CU_H
#define MODELS_CU_H

#include "models/mem/l1.h"
#include "models/memory.h"
#include "models/params.h"
#include "models/result.h"

struct dma_descriptor;
struct dma_params;

enum { CU_SCHEDULERS = 8, CU_WARPS = 64, CU_WHEEL = 64, CU_DESCRIPTORS = 16, CU_AHEAD = 4, CU_CHUNK = 32 };

#define CU_NO_UNIT ((uint8_t)ISA_CLASSES)

/* What a ready warp wants: the class of its instruction or, instead, a store (which may have to wait for room) or its
 * task. */
enum { CU_WANTS_STORE = ISA_CLASSES, CU_WANTS_TASK, CU_WANTS };

/* What a warp's issue slots do in place of its instructions: offer its group's copy to an engine again, or carry out
 * the warp's share of a copy. */
enum cu_task { TASK_NONE, TASK_RETRY, TASK_COPY };

enum warp_state { WARP_FREE, WARP_READY, WARP_ASLEEP, WARP_RESTING, WARP_BLOCKED, WARP_DONE };

/* A kernel in this CU: its part of one of the launches that run at once, and that launch's account. */
struct cu_kernel {
  struct cu *cu;
  const struct isa_launch *launch;
  const struct isa_program *program;
  const struct isa_info *info; /* of the program */
  uint32_t lds_per_group;
  bool ordered;            /* local_fence is `order`, and no copies of any kind: the LDS keeps the order at barriers */
  struct pc_result *by_pc; /* shared by all CUs, which only add and take maxima */
  struct cu_stats stats;
  uint64_t stalls[STALLS];
  uint64_t resident_cycles;
  uint64_t trace_hash;
  uint32_t resident; /* warps */
  cycle_t resident_since;
  cycle_t issued_at; /* 1 + the last cycle that issue_cycles counts */
  cycle_t last_end;  /* when the last of its groups in this CU ended */
  size_t hazard_count;
  uint64_t hazards_dropped;
  uint32_t descriptors[CU_DESCRIPTORS]; /* 1 + pc of a copy of lines whose descriptor the engine has fetched last, by pc
                                           modulo CU_DESCRIPTORS */
  /* Never cleared: only the first `hazard_count` entries are valid. */
  cycle_t hazard_cycle[RESULT_HAZARDS];
  struct hazard_result hazards[RESULT_HAZARDS];
};

/* Batches of a warp's own copies (copy.lane): its accesses in flight in the open batch and in each of the
 * ISA_LANE_BATCHES before it. */
struct cu_batches {
  uint32_t open, oldest; /* batch numbers; all batches before `oldest` are complete */
  uint32_t in_flight[ISA_LANE_BATCHES + 1];
};

#define CU_LATER ((UINT64_C(1) << 48) - 1) /* longer than any run */

/* A scoreboard entry of a register or predicate. A compute unit has thousands of them. */
struct cu_operand {
  uint64_t ready : 48;   /* when the unit that makes it may use it; CU_LATER: when a reply arrives */
  uint64_t maker : 8;    /* that unit, or CU_NO_UNIT */
  uint64_t producer : 8; /* enum stall of a warp that waits for it */
  cycle_t held;          /* with operand_latency: until when an access may still read it */
};

struct cu_warp {
  /* Used by every instruction: */
  struct cu_kernel *kernel;
  struct cu_scheduler *scheduler;
  struct cu_operand *operand; /* index: cu_operand_of() */
  cycle_t since;
  cycle_t wake;     /* asleep or resting: until this cycle */
  uint32_t pc;      /* the next instruction to issue */
  uint32_t charged; /* the instruction charged for waiting: pc, or that of the rendezvous */
  uint32_t issued;  /* the instruction charged for the last issue */
  enum warp_state state;
  enum stall stall; /* the bucket of the cycles from `since` on */
  enum cu_task task;
  /* Used by most: */
  cycle_t held_last; /* latest `held` of its operands */
  cycle_t lds_next;  /* when its next LDS instruction may issue */
  cycle_t released;  /* with barrier_blocks accesses: when its last barrier releases it; NEVER: not known yet */
  uint32_t barrier;  /* pc of that barrier */
  uint32_t lds_in_flight, global_in_flight;
  uint32_t phase_wait; /* 1 + pc of the mbarrier.try_wait that holds it; 0: none */
  uint32_t group;      /* slot */
  uint32_t index;      /* in its group */
  uint32_t calls;      /* calls of its group that it has reached */
  bool suspended;      /* phase_wait is set, and the phase is not complete: it waits for arrivals */
  bool exited;
  uint64_t stalls[STALLS];
  /* Used by few: */
  bool tries; /* the pipe refused its last reservation */
  cycle_t started;
  cycle_t refused_at;  /* when a pipe last refused it; 0: never */
  uint64_t refused_by; /* address of that pipe */
  uint32_t refused_pc; /* pc of the refused instruction */
  uint32_t tried_pc;   /* the last reservation that it issued: pc */
  cycle_t tried_at;    /* and cycle */
  struct cu_batches batches;
};

/* A live event of a work-group: a copy made it, and no wait has released it yet. */
struct cu_event {
  uint32_t id;
  uint32_t in_flight; /* its copies that are not complete */
  bool to_lds;        /* one of its copies is inbound */
  bool leaving;       /* a wait that released part of a list has named it: it is released with the rest */
};

/* What a copy moves: the first `bytes` of its sides, line by line and plane by plane. */
struct copy_scope {
  struct rect global, lds; /* in the compute unit's LDS; a strided copy of adjacent elements is one line */
  uint64_t bytes;
  uint64_t from, to; /* the buffer in global memory */
  bool clipped;      /* some of these bytes are outside the buffer: dma.out_of_bounds is zero or skip */
};

/* A call at which the warps of a work-group meet: a barrier, a copy, a copy fence or a wait. */
struct cu_call {
  uint64_t waiting;    /* slots of the warps that wait at it */
  uint32_t count;      /* warps that have arrived, including those that did not wait */
  uint32_t pc;         /* of the first warp to arrive */
  uint32_t first_warp; /* that warp's index */
  bool mismatched;     /* a warp has arrived at another instruction: the call will never complete */
  uint32_t least;      /* of the instructions that warps are at: the first in the program, */
  uint32_t least_warp; /* the lowest warp at it, */
  uint32_t other;      /* and the second instruction in the program */
  uint32_t differs;    /* 1 + the lowest warp whose arguments differ from those of first_warp; 0: none */
  uint32_t lanes;      /* lanes of the warps that have arrived */
  bool reported;       /* the error of this call has been reported */
  cycle_t opened;      /* when the first warp arrived */
  cycle_t complete_at; /* when the last warp arrived */
  struct isa_copy copy;
  struct isa_wait wait;
  uint64_t pipe[2];      /* operands of a bar.pipe, on which all warps must agree */
  uint32_t last_arrived; /* warp slot */
};

struct cu_group {
  bool active;
  struct cu_kernel *kernel;
  uint64_t warps; /* slots of its warps */
  uint32_t warp_count, exited, finished;
  uint32_t id[3];
  uint32_t lds_base, lds_given; /* where its LDS is; the dispatcher's place for it */
  uint32_t linear;              /* its number in the launch */
  cycle_t started;
  /* rendezvous */
  uint64_t waiting;               /* slots of the warps that wait at a call */
  uint32_t calls;                 /* calls that are over */
  struct cu_call call;            /* the first call that is not over */
  struct cu_call ahead[CU_AHEAD]; /* later calls that some warps have reached, with cu.meet barriers */
  uint32_t ahead_count;
  /* the copy that waits for room in the engine's queue */
  struct copy_scope scope;
  uint64_t number;    /* its number among the CU's copies */
  uint64_t submitted; /* bytes of it that have descriptors */
  /* copy fences */
  uint8_t after;                      /* DMA_FENCE_* since the last copy, if copies were in flight then */
  uint64_t copy_number;               /* number of its last copy; 0: none yet */
  uint64_t fenced_lds, fenced_global; /* number of the last copy before the last fence of each space */
  /* events */
  struct cu_event *events;
  uint32_t event_count, events_made;
  size_t event_room;
  uint32_t copies_in_flight;
  cycle_t copies_since; /* when the first of them was issued */
};

struct cu_scheduler {
  uint64_t ready;             /* warp slots */
  uint64_t held;              /* of these: warps in a structural bucket */
  uint64_t wanted;            /* what its ready warps want, as a mask of bits 1 << cu.wants */
  uint64_t by_want[CU_WANTS]; /* ready warps by what they want: the same condition holds all of them */
  uint32_t last;              /* slot that issued last; CU_WARPS: none yet */
  uint8_t age[CU_WARPS];      /* its resident warps' slots, oldest first */
  uint32_t age_count;
  cycle_t unit_free[ISA_CLASSES];
  cycle_t free; /* first cycle in which it may issue again, after an instruction of several slots */
};

/* From the dispatcher to a CU, and back when a group has ended. `lds`: the dispatcher's place for the group's LDS. */
struct cu_start {
  uint32_t launch, linear, lds;
};
struct cu_finish {
  cycle_t at;
  uint32_t launch, lds;
};

#define CU_OWN_COPY UINT32_MAX /* in cu_access.copy: a copy.lane of the access's own warp */

/* A memory instruction in flight. `isa` is first, so that a pointer to one is a pointer to the other. */
struct cu_access {
  struct isa_access isa;
  struct mem_line *lines; /* room for two per lane; an image read uses `texels` and keeps this room in `room` */
  struct mem_line *texels, *room;
  struct l1 *cache; /* of `fills` and `joined`; the cache */
  uint32_t index;   /* index in cu.accesses */
  uint32_t warp;
  bool prefetch;
  uint32_t fills;  /* lines of the cache that wait for it */
  uint32_t joined; /* lines after those, which it waits for or reads at the end: l1.h */
  uint32_t all;    /* of a load that only joins others: number of its lines */
  uint64_t moved;  /* and bytes of its sectors */
  uint32_t stored; /* bytes that it adds to cu.stored_bytes */
  bool loaded;     /* of a copy: the first of its two sides has been read */
  uint32_t copy;   /* if isa.copy: index of the copy, or CU_OWN_COPY */
  uint64_t number; /* number in that copy; with CU_OWN_COPY, the batch */
};

/* Accesses allocated together, for the warp size of the machine. */
struct cu_chunk {
  struct cu_chunk *next;
  uint32_t used;
  struct cu_access *access[CU_CHUNK]; /* in the same allocation */
};

/* Free accesses: a stack of their indices. */
struct cu_pool {
  uint32_t *unused, count;
};

/* Issue: which warps are ready, when others wake, and what instructions of a class cost: issue.c, warp.c. */
struct cu_issue {
  uint32_t latency[ISA_CLASSES], interval[ISA_CLASSES];
  uint8_t unit[ISA_CLASSES];    /* the class whose initiation interval applies */
  uint32_t follow[ISA_CLASSES]; /* from an issue to the warp's next possible one; same for a branch not taken */
  uint32_t forward[ISA_CLASSES]
                  [ISA_CLASSES + 1]; /* cycles added when a class uses a result of a unit, or of CU_NO_UNIT */
  struct cu_scheduler schedulers[CU_SCHEDULERS];
  uint64_t turn[CU_WARPS]; /* cycle of the warp's last issue, or of its start, times CU_WARPS plus its slot */
  /* Per ready warp, so that schedulers need not read the warps that they do not choose: */
  uint8_t wants[CU_WARPS];  /* enum isa_class of its instruction, CU_WANTS_STORE or CU_WANTS_TASK */
  uint8_t waits[CU_WARPS];  /* its bucket, same as cu_warp.stall */
  uint64_t wheel[CU_WHEEL]; /* slots of warps to wake, by cycle modulo CU_WHEEL */
  uint64_t wheel_slots;     /* wheel entries with warps, as a mask */
  cycle_t wheel_at;         /* first cycle whose warps have not been woken yet */
};

/* Load/store: accesses to the LDS, global memory and images, from their issue to their replies: cu.c, texture.c. */
struct cu_lsu {
  struct port *to_lds, *from_lds;
  struct lds *lds; /* only for lds_yield() and lds_plan() */
  struct port *to_memory;
  struct port *from_memory;    /* owned by the memory; set by the builder of both */
  struct l1 l1, texels;        /* texels: the texture unit's own cache */
  struct rate texture;         /* turns of the texture unit, each of which takes TEXTURE_TURN */
  struct commits *commits;     /* the memory's; this CU commits the loads that wait for it */
  struct cu_access **accesses; /* those of the LDS, then those of global memory; NULL: never used yet */
  struct cu_chunk *chunks;     /* their memory */
  struct cu_pool lds_pool, global_pool;
  cycle_t constants_free; /* when the path to the constants is free */
  uint64_t stored_bytes;  /* with store_room: bytes of stores in flight, with their masks */
};

/* Asynchronous copies, which engines or work-items carry out: group_copy.c, lane_copy.c. */
struct cu_copies {
  struct port *to_dma[LDS_ENGINES], *from_dma[LDS_ENGINES]; /* set by the engines' builder */
  unsigned engines;
  uint64_t issued;           /* copies that groups have issued since the start; their numbers start at 1 */
  uint64_t queued;           /* groups whose copy waits for room in an engine's queue */
  struct lane_copies *lanes; /* copies that warps or lanes carry out: lane_copy.h */
  uint32_t queued_stores;    /* accesses of these copies that are read and wait to be written */
  struct histogram *latency; /* of all copies, in engines or not; set by the CU's builder */
  /* Functional mode (models/functional.h): nothing steps the CU, nothing takes time, and this carries out a copy at
   * once. NULL: engines carry out copies. */
  void (*copy_now)(struct cu *cu, const struct dma_descriptor *copy);
};

struct cu {
  struct component component;
  uint32_t index;
  const struct cu_params *params;
  uint64_t all_lanes; /* mask of a full warp */
  const struct mem_params *mem;
  const struct texture_params *texture;
  const struct dma_params *dma_params;
  const struct warp_source *source;
  struct cu_kernel *kernels; /* kernels in execution */
  uint32_t kernel_count, kernel_room;

  struct cu_warp *warps;
  struct cu_operand *operands; /* of all warps */
  uint32_t operand_room;       /* operands per warp: the most that a kernel needs */
  struct cu_issue issue;
  struct cu_lsu lsu;
  struct cu_copies copy;

  /* Work-groups: group.h */
  struct port from_dispatcher; /* struct cu_start */
  struct port to_dispatcher;   /* struct cu_finish */
  struct cu_group *groups;
  uint32_t resident; /* warps */
  uint32_t held;     /* work-groups; their copies may outlive their warps */
  cycle_t held_since;
  cycle_t phase_free;     /* when the LDS may get the next access to an mbarrier */
  cycle_t barriers_noted; /* when the latest arrival at a barrier is noted */

  /* Accounts */
  uint64_t active_cycles; /* in which it held work-groups of any kernel */
  uint64_t lds_max_ways;
  cycle_t now;         /* of the current step; the date of hazards */
  cycle_t last_active; /* last cycle with an issue or a reply */
  uint32_t probe_resident, probe_issued;
  bool every_cycle; /* also steps in the cycle after an issue, so that the probe shows its end; changes nothing else */
  struct emitter *emitter; /* what it reports to a timeline, or NULL: models/emit.h */
};

void cu_init(struct cu *cu, uint32_t index, const struct machine *machine, struct component *dispatcher,
             struct lds *lds, struct mem_port *port, const struct warp_source *source);
void cu_free(struct cu *cu);

/* Prepares for `count` launches that run at once and clears the statistics. `lds`: bytes of LDS that groups can hold at
 * the same time. cu_launch_kernel() must follow for each launch, with the LDS of its groups and
 * where to charge its instructions. */
void cu_launch(struct cu *cu, uint32_t count, uint64_t lds);
void cu_launch_kernel(struct cu *cu, const struct isa_launch *launch, uint32_t lds_per_group, bool copies,
                      struct pc_result *by_pc);

/* Puts a work-group into group slot `slot`, without warps; returns its shape from the warp source. */
const struct isa_group *cu_open_group(struct cu *cu, uint32_t slot, const struct cu_start *start, cycle_t now);

/* True if each resident warp has been refused by a pipe since cycle `since`, is in `parked`, or waits at a call of its
 * work-group. *refused is set if there is one of the first kind. */
bool cu_only_refused(const struct cu *cu, cycle_t since, uint64_t parked, bool *refused);

/* The cycle after the last one in which it did something: an issue, a reply, or a warp that now waits for something
 * else. */
cycle_t cu_last_end(const struct cu *cu);

/* At cycle `end`, ends the accounts of warps that a deadlock or a cycle limit leaves resident. */
void cu_abandon(struct cu *cu, cycle_t end);

/* Notes a hazard. `kernel` is a struct cu_kernel, the context of isa_launch.report. */
void cu_report(void *kernel, const struct isa_hazard *hazard);

/* ---- inside the CU ------------------------------------------------------------------------
 *
 * cu.c has replies, new work-groups and the step; warp.c a warp's account and sleep; issue.c the schedulers; texture.h
 * image reads; group.h and its files what a work-group does together; lane_copy.h copies without an engine; emit.h what
 * a timeline receives. */

static inline uint64_t cu_bit(uint32_t slot) { return UINT64_C(1) << slot; }

static inline struct cu_warp *cu_warp(struct cu *cu, uint32_t slot) { return &cu->warps[slot]; }

/* Index of a scoreboard slot among a warp's operands. Predicates are first, so that a kernel with few registers needs
 * few operands. */
static inline uint32_t cu_operand_of(uint32_t slot) {
  return slot < ISA_SLOTS - ISA_PREDICATES ? slot + ISA_PREDICATES : slot - (ISA_SLOTS - ISA_PREDICATES);
}

/* Points the warp to its part of cu.operands. */
static inline void cu_give_operands(struct cu *cu, uint32_t slot) {
  cu->warps[slot].operand = cu->operands + (size_t)slot * cu->operand_room;
}

static inline bool cu_is_resident(const struct cu_warp *warp) {
  return warp->state != WARP_FREE && warp->state != WARP_DONE;
}

static inline void cu_note_turn(struct cu *cu, uint32_t slot, cycle_t now) {
  cu->issue.turn[slot] = now * CU_WARPS + slot;
}

/* Runs in an execution unit, and commits at issue. */
static inline bool cu_on_unit(const struct isa_info *info) { return info->on_unit; }

/* Cycles from an instruction to the next of its kind in the scheduler's unit. */
static inline uint32_t cu_interval(const struct cu *cu, const struct isa_info *info) {
  uint32_t data = info->class_ == ISA_CLASS_LDS ? cu->params->lds_data_interval * info->sent : 0;
  return cu->issue.interval[info->class_] + data;
}

/* Each access is allocated when it is first used: a machine may allow far more than are ever in flight. */
void cu_make_access(struct cu *cu, uint32_t index);
void cu_free_accesses(struct cu *cu);

static inline uint32_t cu_take_access(struct cu *cu, struct cu_pool *pool) {
  const uint32_t index = pool->unused[--pool->count];
  if (!cu->lsu.accesses[index])
    cu_make_access(cu, index);
  return index;
}

static inline void cu_free_access(struct cu_pool *pool, uint32_t index) { pool->unused[pool->count++] = index; }

/* Cycles that an access of `lines` takes in the memory port. */
static inline uint32_t cu_passes(const struct cu *cu, enum mem_kind kind, uint32_t lines) {
  uint32_t passes = mem_reads(kind) ? lines * cu->params->line_interval : 0;
  return passes ? passes : 1;
}

static inline bool cu_batches_done(const struct cu_batches *batches) {
  return batches->oldest == batches->open && !batches->in_flight[batches->open % (ISA_LANE_BATCHES + 1)];
}

/* With barrier_blocks accesses, a warp keeps issuing after a barrier until something must wait for the release. */
static inline bool cu_computes_on(const struct cu *cu, enum isa_class class_) {
  return class_ == ISA_CLASS_BARRIER && cu->params->barrier_blocks == CU_BARRIER_BLOCKS_ACCESSES;
}

/* The warp waits at a call of its work-group, and only the call can release it. */
static inline bool cu_waits_at_call(const struct cu *cu, uint32_t slot) {
  return cu->groups[cu->warps[slot].group].waiting & cu_bit(slot) && cu->warps[slot].released != NEVER;
}

static inline bool cu_drained(const struct cu_warp *warp) {
  return !warp->lds_in_flight && !warp->global_in_flight && cu_batches_done(&warp->batches);
}

/* Adds `cycles` to a bucket of the warp and of its current instruction. */
static inline void cu_charge(struct cu_warp *warp, enum stall stall, uint64_t cycles) {
  warp->stalls[stall] += cycles;
  warp->kernel->by_pc[warp->charged].stalls[stall] += cycles;
}

/* Ends the account of the warp's bucket at `now`, and starts bucket `stall`. */
static inline void cu_account(struct cu_warp *warp, enum stall stall, cycle_t now) {
  if (now > warp->since) { /* a warp that issues at `now` is already charged up to now + 1 */
    cu_charge(warp, warp->stall, now - warp->since);
    warp->since = now;
  }
  warp->stall = stall;
}

/* Decides when the warp's next instruction, from cycle `from` on, may issue: makes it ready, asleep or blocked. */
void cu_plan(struct cu *cu, uint32_t slot, cycle_t from, cycle_t now);

/* The warp may issue at `at`; until then it is in bucket `stall`. */
void cu_ready_at(struct cu *cu, uint32_t slot, enum stall stall, cycle_t at, cycle_t now);

/* The warp stays at its rendezvous until cycle `until`, in bucket `stall`. */
void cu_rest(struct cu *cu, uint32_t slot, enum stall stall, cycle_t until, cycle_t now);

/* The warp waits in bucket `stall` until another event plans it again. */
void cu_block(struct cu *cu, uint32_t slot, enum stall stall, cycle_t now);

/* Wakes the warps that are due; returns when the next ones are. */
void cu_turn_wheel(struct cu *cu, cycle_t now);
cycle_t cu_next_waking(const struct cu *cu);

/* Results of an instruction are ready at `ready` for execution unit `maker`, which makes them (or CU_NO_UNIT). A warp
 * that waits for one is in bucket `producer`. */
void cu_set_results(struct cu_warp *warp, const struct isa_info *info, cycle_t ready, uint8_t maker,
                    enum stall producer);

/* Sends a message to the memory port, as if sent at `from`, but behind earlier messages. */
static inline void cu_send_memory(struct cu *cu, const struct mem_message *message, cycle_t from, cycle_t now) {
  port_send_at(cu->lsu.to_memory, message, now, cycle_max(from + cu->lsu.to_memory->latency, cu->lsu.to_memory->last));
}

/* Cycles that an L1 takes to look up `lines` lines of a load. */
static inline uint32_t cu_l1_tags(const struct cu *cu, uint32_t lines) {
  return (uint32_t)div_up((uint64_t)lines * cu->params->line_interval, cu->mem->l1_tags);
}

/* Removes all global memory from its caches; removes lines that are written. */
void cu_clear_caches(struct cu *cu);
void cu_written(struct cu *cu, const struct mem_line *lines, uint32_t count);

/* The L1 reads `lines` lines for a load; `bytes` are those of their sectors. Returns the cycle in which they have
 * passed. */
cycle_t cu_read_l1(struct cu *cu, struct cu_access *access, uint32_t lines, uint64_t bytes, cycle_t now);

/* An access of a warp is performed: what it loaded is ready in cycle `ready`, and what waited for it is planned
 * again. */
void cu_access_done(struct cu *cu, uint32_t index, enum stall producer, cycle_t ready, cycle_t now);

/* Issues at most one instruction; lowers *next to the cycle in which the scheduler needs a step. */
bool cu_schedule(struct cu *cu, struct cu_scheduler *scheduler, cycle_t now, cycle_t *next);

/* The warp has exited, and its accesses are performed; its last cycle was `end` - 1. */
void cu_finish_warp(struct cu *cu, uint32_t slot, cycle_t end);

/* A warp with active lanes arrives at a barrier, a copy, a copy fence or a wait. */
void group_arrive(struct cu *cu, uint32_t slot, uint32_t pc, const struct isa_result *result, cycle_t now);

/* The group of a copy in flight, from the copy's tag. */
struct cu_group *group_of_copy(struct cu *cu, uint64_t tag);

/* A copy, or one of its descriptors, is complete for its event. */
void group_copy_complete(struct cu *cu, uint64_t tag, cycle_t now);

/* A copy, or one of its descriptors, has landed: the work-group may end. */
void group_copy_landed(struct cu *cu, uint64_t tag, cycle_t now);

/* Gives engines the copies that wait for room in a queue. Returns when to try again, or NEVER. */
cycle_t group_submit_copies(struct cu *cu, cycle_t now);

/* With dma.full retry: the warp has issued its group's copy again. */
void group_retry(struct cu *cu, uint32_t slot, cycle_t now);

/* The warp has exited. */
void group_exit(struct cu *cu, uint32_t slot);

/* Ends the account of copy and exposed cycles of a group that will not end. */
void group_abandon(struct cu *cu, uint32_t group_slot, cycle_t end);

/* Ends the group at cycle `now` if its warps are done and its copies have landed. */
void group_finish(struct cu *cu, uint32_t group_slot, cycle_t now);

#endif
