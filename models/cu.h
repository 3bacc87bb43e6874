/* A compute unit: warps, the schedulers that issue them, and what makes them wait.
 *
 *   dispatcher ─► groups ─► warps ─► scheduler 0..n ─► execution units   (latency, interval)
 *                  │  ▲                  │        ├──► LDS                (queue, reply)
 *      barrier,    │  │ done             │        └──► memory port        (accesses, reply)
 *      copy, wait  ▼  │                  ▼
 *               rendezvous ──► DMA engines ──► events
 *
 * A warp is in one place at a time:
 *
 *   ready     its next instruction may issue; its scheduler chooses
 *   asleep    a result with a known cycle is missing (timing wheel)
 *   resting   its work-group's rendezvous is over, the latency of the release is not
 *   blocked   it waits for a reply, or for its work-group (rendezvous)
 *   done      it has exited and its accesses are performed
 *
 * Warps issue in order, at most one instruction a cycle each; a scoreboard slot per register and
 * predicate says when it may be read or overwritten. Barriers, copies and waits are rendezvous of
 * the work-group: they take an issue slot when a warp arrives and let all warps go together,
 * barrier_latency, copy_latency or wait_latency cycles after the last condition is met; with cu.meet
 * barriers, copies and waits hold each warp for itself (group.h). Arrivals at barriers, of whatever
 * work-group, are noted one every barrier_interval cycles:
 *
 *   cycle   0   1   2   3   4   5   6   7      barrier_interval = 2, barrier_latency = 4
 *   warp 0  bar |noted|                 x
 *   warp 1  bar         |noted|         x
 *
 * At mbarriers warps wait for themselves (mbarrier.h).
 *
 * With barrier_blocks accesses a warp goes on from a barrier until it comes to what must wait for its release.
 * A copy then becomes one descriptor, or accesses of the warps themselves (lane_copy.h).
 *
 * Invariant (accounts): for every warp, `since` to now belongs to its current bucket, so its
 * buckets sum to its residency at any time; this is asserted when it ends.
 *
 * Launches that run at once share all of this; a warp leads to its kernel, which has its program and its account.
 *
 * A result may be used by the unit that made it a class's latency after its issue, by another one forward_latency
 * later. A branch costs the same taken or not, and divergence_latency more when its lanes part.
 *
 * Not modelled: instruction fetch (so far jumps cost what near ones do), jumps by a table, register-file banks and
 * write-back ports, scoreboards too few for all loads under way, warps that leave a wait one after the other. */
#ifndef MODELS_CU_H
#define MODELS_CU_H

#include "models/mem/l1.h"
#include "models/memory.h"
#include "models/result.h"

enum { CU_SCHEDULERS = 8, CU_WARPS = 64, CU_WHEEL = 64, CU_DESCRIPTORS = 16, CU_AHEAD = 4, CU_CHUNK = 32 };

#define CU_NO_UNIT ((uint8_t)ISA_CLASSES)

/* What a ready warp wants, besides an instruction's class: to store, for which there may be no room, or its task. */
enum { CU_WANTS_STORE = ISA_CLASSES, CU_WANTS_TASK, CU_WANTS };

/* What a warp does with its issue slots instead of its instructions: try again to hand its group's copy to an engine,
 * or carry out its share of a copy. */
enum cu_task { TASK_NONE, TASK_RETRY, TASK_COPY };

enum warp_state { WARP_FREE, WARP_READY, WARP_ASLEEP, WARP_RESTING, WARP_BLOCKED, WARP_DONE };

/* A kernel at work in this CU: its part of one of the launches that run at once, and that launch's account. */
struct cu_kernel {
  struct cu *cu;
  const struct isa_launch *launch;
  const struct isa_program *program;
  const struct isa_info *info; /* the program's */
  uint32_t lds_per_group;
  bool ordered;            /* local_fence order, and no copies of any kind: the LDS keeps the order at barriers */
  struct pc_result *by_pc; /* shared by all CUs: sums and maxima only */
  struct cu_stats stats;
  uint64_t stalls[STALLS];
  uint64_t resident_cycles;
  uint64_t trace_hash;
  uint32_t resident; /* warps */
  cycle_t resident_since;
  cycle_t issued_at; /* the last cycle that issue_cycles counts, plus 1 */
  cycle_t last_end;  /* when the last of its groups here has ended */
  size_t hazard_count;
  uint64_t hazards_dropped;
  uint32_t descriptors[CU_DESCRIPTORS]; /* 1 + pc of the last copy of lines whose pc has this place: its descriptor is
                                           in the engine */
  /* What follows, nobody clears: the first `hazard_count` count. */
  cycle_t hazard_cycle[RESULT_HAZARDS];
  struct hazard_result hazards[RESULT_HAZARDS];
};

/* Batches of copies that a warp's lanes make by themselves (copy.lane): how many of its accesses are under way in each
 * of the last ISA_LANE_BATCHES and the open one. */
struct cu_batches {
  uint32_t open, oldest; /* numbers; all before `oldest` are complete */
  uint32_t under_way[ISA_LANE_BATCHES + 1];
};

#define CU_LATER ((UINT64_C(1) << 48) - 1) /* longer than any run */

/* What the scoreboard knows of a register or predicate. A compute unit has thousands of them. */
struct cu_operand {
  uint64_t ready : 48;   /* when the unit that makes it may use it; CU_LATER: a reply will tell */
  uint64_t maker : 8;    /* that unit, or CU_NO_UNIT */
  uint64_t producer : 8; /* enum stall of whoever waits for it */
  cycle_t held;          /* with an operand_latency: until when an access has yet to read it */
};

struct cu_warp {
  /* Used by every instruction: */
  struct cu_kernel *kernel;
  struct cu_scheduler *scheduler;
  struct cu_operand *operand; /* by cu_operand_of() */
  cycle_t since;
  cycle_t wake;     /* asleep or resting: until when */
  uint32_t pc;      /* the instruction that it will issue next */
  uint32_t charged; /* the instruction that pays for waiting: pc, or the rendezvous it stands at */
  uint32_t issued;  /* the one that has paid for its last issue */
  enum warp_state state;
  enum stall stall; /* the bucket that the cycles from `since` on belong to */
  enum cu_task task;
  /* Used by most: */
  cycle_t held_last; /* the latest of its operands' `held` */
  cycle_t lds_next;  /* its next LDS instruction may issue */
  cycle_t released;  /* with barrier_blocks accesses: when its last barrier lets it go; NEVER: not known yet */
  uint32_t barrier;  /* which is this one */
  uint32_t lds_under_way, global_under_way;
  uint32_t phase_wait; /* 1 + the mbarrier.try_wait that it may not go on from; 0: none */
  uint32_t group;      /* slot */
  uint32_t index;      /* in its group */
  uint32_t calls;      /* of its group at which it has arrived */
  bool suspended;      /* phase_wait has found that it must wait for arrivals */
  bool exited;
  uint64_t stalls[STALLS];
  /* Used by few: */
  bool tries; /* its last reservation was refused */
  cycle_t started;
  cycle_t refused_at;  /* a pipe has refused it: when last, 0: never; */
  uint64_t refused_by; /* the pipe's address, */
  uint32_t refused_pc; /* and the instruction */
  uint32_t tried_pc;   /* when it last issued a reservation in a pipe: the instruction, */
  cycle_t tried_at;    /* and the cycle */
  struct cu_batches batches;
};

/* Events of a work-group that are live: made by a copy, not yet released by a wait. */
struct cu_event {
  uint32_t id;
  uint32_t under_way; /* copies it covers that are not complete */
  bool to_lds;        /* one of its copies is inbound */
  bool leaving;       /* a wait for a part of a list has named it: released with the rest of the list */
};

/* What of a copy is to be moved: its first elements, plane after plane and line after line; and the bounds of the
 * buffer on its global side. */
struct copy_scope {
  uint64_t elements;
  uint64_t from, to;
  bool clipped; /* some of these elements are not in that buffer: dma.out_of_bounds is zero or skip */
};

/* A call at which a work-group's warps meet: a barrier, a copy, a copy fence or a wait. */
struct cu_call {
  uint64_t standing;   /* slots of the warps that stand at it */
  uint32_t count;      /* warps that have arrived, those that have gone on too */
  uint32_t pc;         /* of the first to arrive, */
  uint32_t first_warp; /* which is this one */
  bool mismatched;     /* another warp stands at another instruction: it is over for all of them */
  uint32_t least;      /* of the instructions that they stand at, the first in the program; */
  uint32_t least_warp; /* the first warp that stands there; */
  uint32_t other;      /* and the second of these instructions */
  uint32_t differs;    /* 1 + the first warp whose arguments are others than those of the first to arrive; 0: none */
  uint32_t lanes;      /* that have come with their warps */
  bool told;           /* what is wrong with the call has been reported */
  cycle_t opened;      /* when the first one arrived, */
  cycle_t complete_at; /* and the last */
  struct isa_copy copy;
  struct isa_wait wait;
  uint64_t pipe[2];      /* what the warps at a bar.pipe must agree on */
  uint32_t last_arrived; /* warp slot */
};

struct cu_group {
  bool active;
  struct cu_kernel *kernel;
  uint64_t warps; /* slots of its warps */
  uint32_t warp_count, exited, finished;
  uint32_t id[3];
  uint32_t lds_base, lds_given; /* where its LDS is, and where the dispatcher has given it some */
  uint32_t linear;              /* its number in the launch */
  cycle_t started;
  /* rendezvous */
  uint64_t standing;              /* slots of the warps that stand at a call */
  uint32_t calls;                 /* that all warps have left */
  struct cu_call call;            /* the next, at which some have yet to arrive or stand still */
  struct cu_call ahead[CU_AHEAD]; /* and those after it, at which warps are already: with cu.meet barriers */
  uint32_t ahead_count;
  /* the copy that waits for room in its engine's queue */
  struct copy_scope scope;
  uint64_t number; /* its, among the CU's copies */
  uint64_t handed; /* elements of it that are in descriptors */
  /* copy fences */
  uint8_t after;                      /* DMA_FENCE_* since the last copy, if any was under way */
  uint64_t copy_number;               /* of its last copy; 0: none yet */
  uint64_t fenced_lds, fenced_global; /* the last copy before the last fence of each space */
  /* events */
  struct cu_event *events;
  uint32_t event_count, event_room, events_made;
  uint32_t copies_under_way;
  cycle_t copies_since; /* when the first of them was issued */
};

struct cu_scheduler {
  uint64_t ready;             /* warp slots */
  uint64_t held;              /* of these, whose current bucket is a structural one */
  uint64_t wanted;            /* what its ready warps want, as bits: as in cu.wants */
  uint64_t by_want[CU_WANTS]; /* the ready warps that want it: the same thing holds all of them */
  uint32_t last;              /* slot issued last; CU_WARPS: none yet */
  uint8_t age[CU_WARPS];      /* its resident warps' slots, oldest first */
  uint32_t aged;
  cycle_t unit_free[ISA_CLASSES];
  cycle_t free; /* from when on it issues, after an instruction of several slots */
};

/* Dispatcher to CU, and back when a group has ended. `lds` is the LDS that it was given. */
struct cu_start {
  uint32_t launch, linear, lds;
};
struct cu_finish {
  cycle_t at;
  uint32_t launch, lds;
};

#define CU_OWN_COPY UINT32_MAX /* cu_access.copy: a copy.lane of its warp */

/* A memory instruction under way; `isa` is first, so that one leads to the other. */
struct cu_access {
  struct isa_access isa;
  struct mem_line *lines; /* room for two of each lane; of a read of an image `texels`, and `room` has the other */
  struct mem_line *texels, *room;
  struct l1 *cache; /* whose lines `fills` and `joined` are */
  uint32_t index;   /* in cu.accesses */
  uint32_t warp;
  bool prefetch;
  uint32_t fills;  /* lines of the cache that may wait for it */
  uint32_t joined; /* lines behind those that it waits for, or reads when it need not wait any more: l1.h */
  uint32_t all;    /* of a load that only joins others: its lines, */
  uint64_t moved;  /* and the bytes of its sectors */
  uint32_t stored; /* bytes of cu.stored_bytes */
  bool loaded;     /* of a copy: the first of its two sides has been read */
  uint32_t copy;   /* whose it is, if isa.copy says that it is one's; or CU_OWN_COPY */
  uint64_t number; /* in that copy; of an own one, its batch */
};

/* Accesses that have been made together, as wide as the machine's warps. */
struct cu_chunk {
  struct cu_chunk *next;
  uint32_t used;
  struct cu_access *access[CU_CHUNK]; /* they lie behind this */
};

/* Accesses not in use: a stack of their numbers. */
struct cu_pool {
  uint32_t *unused, count;
};

struct cu {
  struct component component;
  uint32_t index;
  struct cu_params params;
  uint64_t all_lanes; /* of a whole warp */
  struct mem_params mem;
  struct texture_params texture;
  struct dma_params dma_params;
  uint32_t latency[ISA_CLASSES], interval[ISA_CLASSES];
  uint8_t unit[ISA_CLASSES];                      /* whose initiation interval counts */
  uint32_t follow[ISA_CLASSES];                   /* from an issue to the warp's next possible one */
  uint32_t forward[ISA_CLASSES][ISA_CLASSES + 1]; /* how much later a class may use what a unit, or CU_NO_UNIT, makes */
  const struct warp_source *source;
  struct cu_kernel *kernels; /* those at work */
  uint32_t kernel_count, kernel_room;

  struct port from_dispatcher; /* struct cu_start */
  struct port to_dispatcher;   /* struct cu_finish */
  struct port *to_lds, *from_lds;
  struct lds *lds; /* told of accesses to global memory alone */
  struct port *to_memory;
  struct port *from_memory;                                 /* the memory's, set by whoever builds both */
  struct port *to_dma[LDS_ENGINES], *from_dma[LDS_ENGINES]; /* set by whoever builds the engines */
  unsigned engines;
  uint64_t copies; /* that groups have issued, ever: they number them, from 1 */
  uint64_t queued; /* groups whose copy waits for room in an engine's queue */

  struct cu_warp *warps;
  struct cu_operand *operands; /* of all warps, */
  uint32_t operand_room;       /* as many of each as the kernels at work need */
  uint64_t turn[CU_WARPS];     /* of each warp: when it has issued last, or started, times CU_WARPS, plus its slot */
  /* Of each ready warp, so that schedulers need not look at those that they do not choose: */
  uint8_t wants[CU_WARPS]; /* enum isa_class of its instruction, CU_WANTS_STORE or CU_WANTS_TASK, */
  uint8_t waits[CU_WARPS]; /* and the bucket it waits in, as in cu_warp.stall */
  struct cu_group *groups;
  struct cu_scheduler schedulers[CU_SCHEDULERS];
  uint32_t resident; /* warps */
  uint32_t held;     /* work-groups, whose copies may outlive their warps */
  cycle_t held_since;

  struct l1 l1, texels;        /* the latter: the texture unit's own cache */
  struct rate texture_unit;    /* TEXTURE_TURN for each turn */
  struct late_queue *late;     /* its loads that the memory has accepted, and that it is to carry out */
  struct cu_access **accesses; /* the LDS's, then global memory's; NULL: never under way so far */
  struct cu_chunk *chunks;     /* where they are */
  struct cu_pool lds_pool, global_pool;
  cycle_t constants_free;          /* when the path to the constants is */
  uint64_t stored_bytes;           /* of the warps' stores under way, with their masks: with store_room */
  struct lane_copies *lane_copies; /* copies that warps carry out, or their lanes by themselves: lane_copy.h */
  uint32_t lined_up;               /* their accesses that have been read and wait to be written */
  struct histogram *copy_latency;  /* of these, and of all engines' copies; set by whoever builds the CU */

  uint64_t wheel[CU_WHEEL]; /* warps to wake, by cycle modulo CU_WHEEL */
  uint64_t wheel_slots;     /* slots that hold any */
  cycle_t wheel_at;         /* first cycle that the wheel has not yet given up */

  cycle_t phase_free;     /* when the next access to an mbarrier may be handed to the LDS */
  cycle_t barriers_noted; /* when the arrivals at barriers so far are, or will be, noted */

  uint64_t active_cycles; /* in which it held work-groups, of whatever kernel */
  uint64_t lds_max_ways;
  cycle_t now;         /* of the step under way: dates hazards */
  cycle_t last_active; /* the last cycle in which something was issued or came back */
  uint32_t probe_resident, probe_issued;
  bool every_cycle;  /* step in the cycle after an issue, so that the probe shows its end; changes nothing else */
  struct tell *tell; /* what it tells a timeline, or NULL: models/tell.h */
  /* Nobody steps it, nothing takes time, and copies are carried out as they are handed over (models/functional.h).
   * NULL: engines do. */
  void (*carry)(struct cu *cu, const struct dma_descriptor *copy);
};

bool cu_init(struct cu *cu, uint32_t index, const struct machine *machine, struct component *dispatcher,
             struct lds *lds, struct mem_port *port, const struct warp_source *source);
void cu_free(struct cu *cu);

/* Gets ready for `count` launches that run at once: statistics to zero. Each is then told by cu_launch_kernel(), with
 * the LDS that its groups take and where its instructions' costs go. `lds`: bytes that groups can hold at once. False
 * when memory is out. */
bool cu_launch(struct cu *cu, uint32_t count, uint64_t lds);
void cu_launch_kernel(struct cu *cu, const struct isa_launch *launch, uint32_t lds_per_group, bool copies,
                      struct pc_result *by_pc);

/* A work-group takes group slot `slot`, with no warp yet; returns its shape at the source. */
const struct isa_group *cu_open_group(struct cu *cu, uint32_t slot, const struct cu_start *start, cycle_t now);

/* Every resident warp has been refused by a pipe since cycle `since`, is one of `parked`, or stands at a call of its
 * work-group; *refused is set if one of the first kind is there. */
bool cu_only_refused(const struct cu *cu, cycle_t since, uint64_t parked, bool *refused);

/* The cycle after the last one in which it did something: issued, had a reply, or let a warp that waited for one thing
 * wait for another. */
cycle_t cu_last_end(const struct cu *cu);

/* Closes the accounts of warps that a deadlock or a cycle limit has left resident, at cycle `end`. */
void cu_abandon(struct cu *cu, cycle_t end);

/* Notes a hazard; the context of isa_launch's report is the struct cu_kernel. */
void cu_report(void *kernel, const struct isa_hazard *hazard);

/* ---- inside the CU ------------------------------------------------------------------------
 *
 * cu.c takes replies and work-groups and steps, warp.c holds a warp's account and sleep, issue.c what
 * schedulers do, texture.h reads of images, group.h and its files what a work-group does together, lane_copy.h copies
 * without an engine, tell.h what a timeline hears of all this. */

static inline uint64_t cu_bit(uint32_t slot) { return UINT64_C(1) << slot; }

static inline struct cu_warp *cu_warp(struct cu *cu, uint32_t slot) { return &cu->warps[slot]; }

/* Where a scoreboard slot is among a warp's operands: predicates first, so that a kernel of few registers needs few. */
static inline uint32_t cu_operand_of(uint32_t slot) {
  return slot < ISA_SLOTS - ISA_PREDICATES ? slot + ISA_PREDICATES : slot - (ISA_SLOTS - ISA_PREDICATES);
}

/* The warp's part of all warps' operands. */
static inline void cu_give_operands(struct cu *cu, uint32_t slot) {
  cu->warps[slot].operand = cu->operands + (size_t)slot * cu->operand_room;
}

static inline bool cu_is_resident(const struct cu_warp *warp) {
  return warp->state != WARP_FREE && warp->state != WARP_DONE;
}

static inline void cu_note_turn(struct cu *cu, uint32_t slot, cycle_t now) { cu->turn[slot] = now * CU_WARPS + slot; }

/* Runs on an execution unit, and commits at issue. */
static inline bool cu_on_unit(const struct isa_info *info) { return info->class_ < ISA_CLASS_LDS; }

/* How long an instruction keeps its scheduler's unit from the next one of its kind. */
static inline uint32_t cu_interval(const struct cu *cu, const struct isa_info *info) {
  uint32_t data = info->class_ == ISA_CLASS_LDS ? cu->params.lds_data_interval * info->sent : 0;
  return cu->interval[info->class_] + data;
}

/* A machine may allow far more accesses than are ever under way: each takes memory when it is first taken. */
void cu_make_access(struct cu *cu, uint32_t index);
void cu_free_accesses(struct cu *cu);

static inline uint32_t cu_take_access(struct cu *cu, struct cu_pool *pool) {
  const uint32_t index = pool->unused[--pool->count];
  if (!cu->accesses[index])
    cu_make_access(cu, index);
  return index;
}

static inline void cu_free_access(struct cu_pool *pool, uint32_t index) { pool->unused[pool->count++] = index; }

/* Cycles that an access of `lines` takes in the memory port. */
static inline uint32_t cu_passes(const struct cu *cu, enum mem_kind kind, uint32_t lines) {
  uint32_t passes = mem_reads(kind) ? lines * cu->params.line_interval : 0;
  return passes ? passes : 1;
}

static inline bool cu_batches_done(const struct cu_batches *batches) {
  return batches->oldest == batches->open && !batches->under_way[batches->open % (ISA_LANE_BATCHES + 1)];
}

/* With barrier_blocks accesses warps go on from a barrier at once, until something must wait for its release. */
static inline bool cu_computes_on(const struct cu *cu, enum isa_class class_) {
  return class_ == ISA_CLASS_BARRIER && cu->params.barrier_blocks == CU_BARRIER_BLOCKS_ACCESSES;
}

/* The warp stands at a call of its work-group, and nothing but that lets it go. */
static inline bool cu_stands(const struct cu *cu, uint32_t slot) {
  return cu->groups[cu->warps[slot].group].standing & cu_bit(slot) && cu->warps[slot].released != NEVER;
}

static inline bool cu_drained(const struct cu_warp *warp) {
  return !warp->lds_under_way && !warp->global_under_way && cu_batches_done(&warp->batches);
}

/* Puts `cycles` of the warp into a bucket, its own and its instruction's. */
static inline void cu_charge(struct cu_warp *warp, enum stall stall, uint64_t cycles) {
  warp->stalls[stall] += cycles;
  warp->kernel->by_pc[warp->charged].stalls[stall] += cycles;
}

/* Closes the warp's account up to `now` and opens one in bucket `stall`. */
static inline void cu_account(struct cu_warp *warp, enum stall stall, cycle_t now) {
  if (now > warp->since) { /* a warp that issues at `now` is already paid up to now + 1 */
    cu_charge(warp, warp->stall, now - warp->since);
    warp->since = now;
  }
  warp->stall = stall;
}

/* The warp's next instruction may be looked at from cycle `from` on: makes it ready, asleep or blocked. */
void cu_plan(struct cu *cu, uint32_t slot, cycle_t from, cycle_t now);

/* The warp may issue at `at`, and waits for that in bucket `stall`. */
void cu_ready_at(struct cu *cu, uint32_t slot, enum stall stall, cycle_t at, cycle_t now);

/* The warp stays at its rendezvous, in bucket `stall`, until cycle `until`. */
void cu_rest(struct cu *cu, uint32_t slot, enum stall stall, cycle_t until, cycle_t now);

/* The warp waits in bucket `stall` until somebody plans it again. */
void cu_block(struct cu *cu, uint32_t slot, enum stall stall, cycle_t now);

/* Wakes the warps that are due, and says when the next ones are. */
void cu_turn_wheel(struct cu *cu, cycle_t now);
cycle_t cu_next_waking(const struct cu *cu);

/* What an instruction writes may be used at `ready`, by the execution unit `maker` that makes it (or is CU_NO_UNIT);
 * whoever waits for it is in bucket `producer`. */
void cu_set_results(struct cu_warp *warp, const struct isa_info *info, cycle_t ready, uint8_t maker,
                    enum stall producer);

/* Hands a message to the memory port, as if sent at `from`, but never ahead of those that were sent before it. */
static inline void cu_send_memory(struct cu *cu, const struct mem_message *message, cycle_t from, cycle_t now) {
  port_send_at(cu->to_memory, message, now, cycle_max(from + cu->to_memory->latency, cu->to_memory->last));
}

/* Cycles that an L1 takes to look up so many lines of a load. */
static inline uint32_t cu_l1_tags(const struct cu *cu, uint32_t lines) {
  return (uint32_t)div_up((uint64_t)lines * cu->params.line_interval, cu->mem.l1_tags);
}

/* Throws out all that its caches of global memory hold; lines that are written. */
void cu_clear_caches(struct cu *cu);
void cu_written(struct cu *cu, const struct mem_line *lines, uint32_t count);

/* The L1 reads so many lines for a load, the sectors' bytes for all of its lanes; returns when it has passed them. */
cycle_t cu_read_l1(struct cu *cu, struct cu_access *access, uint32_t lines, uint64_t bytes, cycle_t now);

/* An access of a warp is performed: what it loaded may be used from cycle `ready` on, and what waited for it looks
 * again. */
void cu_access_done(struct cu *cu, uint32_t index, enum stall producer, cycle_t ready, cycle_t now);

/* Issues at most one instruction; lowers *next to when the scheduler wants to look again. */
bool cu_schedule(struct cu *cu, struct cu_scheduler *scheduler, cycle_t now, cycle_t *next);

/* The warp has exited and its accesses are performed; its last cycle was `end` - 1. */
void cu_finish_warp(struct cu *cu, uint32_t slot, cycle_t end);

/* A warp arrives at a barrier, a copy or a wait with a non-empty mask. */
void group_arrive(struct cu *cu, uint32_t slot, uint32_t pc, const struct isa_result *result, cycle_t now);

/* The group of a copy under way, by the copy's tag. */
struct cu_group *group_of_copy(struct cu *cu, uint64_t tag);

/* A copy, or a part of it, has completed, as far as its event is concerned: its tag. */
void group_copy_complete(struct cu *cu, uint64_t tag, cycle_t now);

/* It has landed: its work-group may end. */
void group_copy_landed(struct cu *cu, uint64_t tag, cycle_t now);

/* Hands over copies that wait for room in an engine's queue. Returns when to try again, or NEVER. */
cycle_t group_hand_over(struct cu *cu, cycle_t now);

/* With dma.full retry: the warp has issued its group's copy again. */
void group_retry(struct cu *cu, uint32_t slot, cycle_t now);

/* The warp has exited. */
void group_exit(struct cu *cu, uint32_t slot);

/* Closes the copy and exposed cycles of a group that will not end. */
void group_abandon(struct cu *cu, uint32_t group_slot, cycle_t end);

/* Ends the group at cycle `now` if its warps have finished and its copies are complete. */
void group_finish(struct cu *cu, uint32_t group_slot, cycle_t now);

#endif
