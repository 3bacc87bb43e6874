/* Inside the checker.
 *
 *     check.c     the warp source: interprets each step and passes it to the other parts
 *     order.c     a work-group's own time: its calls, barriers, copies in flight
 *     happens_before.c  releases and acquires by atomics and mbarriers, between warps and between work-groups
 *     clock.c     vector clocks of other groups (clock.h)
 *     touch.c     touches of bytes, and which pairs of them are a hazard
 *     copies.c    a copy's two sides, element by element; lanes' own copies
 *     events.c    events that are not live, and copies that nobody waits for
 *     unwritten.c reads of LDS that was never written
 *     packets.c   ids of pipes' reservations
 *     undefined.c values that a shuffle read from no lane
 *     divergence.c   where work-items that are missing at a call diverged from the others
 *     results.c   hazards that the simulation itself found
 *     hazards.c   the list of hazards
 *
 * A work-group's time is a counter. It increments whenever one of its warps does something that may order accesses.
 * What a warp does next is later than all that it has done. Between barriers, the times of two warps do not imply an
 * order, and are never compared. */
#ifndef SIM_CHECK_CHECK_PARTS_H
#define SIM_CHECK_CHECK_PARTS_H

#include "isa/rows.h"
#include "models/executor.h"
#include "models/source_filter.h"
#include "sim/base/map.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"
#include "sim/check/check.h"
#include "sim/check/clock.h"
#include "sim/check/shadow.h"

enum {
  CHECK_SPACES = 3,
  CHECK_AHEAD = 16,    /* most calls by which one warp may be ahead of another */
  CHECK_RELEASED = 64, /* most released events whose waits are remembered */
  CHECK_COPIES = 16,   /* most copies in flight that a cell remembers of one instruction */
  CHECK_WITNESSES = 8, /* most other groups whose atomics a cell remembers, and whose reads, if groups synchronize */
  CHECK_MOST_WITNESSES = 64, /* most other groups whose writes a cell remembers */
  CHECK_DIVERGED = 4096,     /* most work-groups for which the place is remembered where their warps diverged */
};

/* What the checker does with a step of an instruction; determined once per program. */
enum act {
  ACT_NONE,
  ACT_ACCESS,
  ACT_TEXELS,
  ACT_LANE_COPY,
  ACT_LANE_COMMIT,
  ACT_LANE_WAIT,
  ACT_MBARRIER,
  ACT_BARRIER, /* the first of the calls of a whole work-group */
  ACT_COPY_FENCE,
  ACT_COPY,
  ACT_WAIT, /* the last of these calls */
  ACT_FENCE,
  ACT_IMAGE_FENCE, /* of a single work-item */
  ACT_WARP_BARRIER,
  ACT_PIPE_RESERVE,
  ACT_PIPE_COMMIT,
  ACT_PIPE_SLOT,
  ACT_SHUFFLE,
  ACT_BRANCH, /* or an exit of some lanes */
};

struct act_row {
  uint8_t act;
  uint8_t space; /* of an access: enum check_space */
  uint8_t kind;  /* of an access: enum touch_kind; of a shuffle: 1 if its lane was expected, so that S2 covers it */
  uint8_t sync;  /* SYNC_* of a barrier or fence; of an atomic: the memories that it orders */
  uint8_t order; /* ISA_ORDERS_ACQUIRE and ISA_ORDERS_RELEASE of a fence or an atomic */
  uint8_t scope; /* of the same, and of a barrier: enum isa_scope */
  uint32_t site; /* its number among instructions that touch memory; of a branch, among branches */
};

/* An instruction that touches memory. */
struct site {
  uint32_t launch; /* index among those that run at once */
  uint32_t pc;
  bool examined;
  uint16_t kept; /* then: see unwritten_kept() */
};

/* An event that a wait has released. */
struct released {
  uint32_t event; /* 0: none */
  uint32_t pc;    /* of the wait */
};

/* A copy, from its call until all warps have passed the wait for it. */
struct copy_in_flight {
  uint32_t pc;
  uint32_t when; /* in the group's time: when its call was complete */
  uint32_t call; /* number of its call */
  uint32_t event;
  uint32_t waited; /* number of the call that waits for it; UINT32_MAX: none so far */
};

/* A call that some warps have reached. */
struct pending_call {
  uint32_t pc, arrived;
  uint8_t act;
  struct isa_copy copy;
  struct isa_wait wait;
  uint32_t *stamp; /* per warp: the group's time when it arrived */
};

/* Of the bytes that a store writes: those that are the loaded ones, unchanged, and those that depend on them in another
 * way (unwritten.c). */
struct flow {
  bool known; /* false: between the load and the store are branches, or values pass through private memory */
  uint32_t copied, used;
  bool mixed; /* bytes that are not copied depend on those that are */
};

struct cached_flow {
  bool found;
  uint32_t load, store; /* sites */
  int64_t ahead;        /* by how much the store's address is above that of the load */
  struct flow flow;
};

/* A read of LDS bytes that are unwritten so far. */
struct unwritten {
  uint32_t address; /* in the compute unit's LDS */
  uint32_t bytes, site, item, when;
  bool copy;
};

/* How much of what a warp did is over for those who acquire it. This machine keeps the lanes of a warp in step, so a
 * release by one lane covers the accesses of all. By OpenCL's rules it covers only that lane's own, and those of other
 * lanes up to their last barrier. Between lanes of one warp, only clocks of lanes decide (struct lane_clocks). */
struct warp_clock {
  uint32_t accesses, atomics; /* a later atomic releases an atomic even without a fence */
  uint32_t all;               /* accesses, of all lanes, by OpenCL's rules */
  uint64_t lanes;             /* lanes that released: by OpenCL's rules, theirs until `accesses` */
  uint32_t passed_on;         /* accesses, as far as another warp has acquired and released them */
};

/* OpenCL's two relations: local-happens-before orders accesses to the LDS, global-happens-before those to global memory
 * and images. Also used for the memory of an atomic's address. */
enum memory { MEMORY_LDS, MEMORY_GLOBAL, MEMORIES };

static inline bool memory_in(uint8_t sync, enum memory memory) {
  return sync & (memory == MEMORY_LDS ? SYNC_LDS : SYNC_GLOBAL);
}
static inline enum memory memory_of(enum check_space space) { return space == CHECK_LDS ? MEMORY_LDS : MEMORY_GLOBAL; }

/* What the lanes of a warp have acquired from each other: vector clocks, a row for each lane. Lanes may take and raise
 * a flag in one instruction, one after another, so the sets of lanes in struct warp_clock are too coarse for them. */
struct lane_clocks {
  uint32_t fenced[MEMORIES][ISA_LANES]; /* for atomics on each memory: the group's time at the last release fence */
  uint32_t release_time[ISA_LANES];     /* at the issue of the last atomic that releases */
  uint32_t *acquired;                   /* what the first lane has acquired from the second, per pair of lanes */
  uint32_t *pending[MEMORIES];          /* the same, read by atomics on each memory, for the next acquire fence */
};

/* The released clocks that a warp's relaxed atomics have read, for its next acquire fence. */
struct released_clock {
  struct warp_clock *times;        /* of its own group, as in struct group_release; NULL: nothing */
  struct vector_clock clock;       /* of other groups: through its own group, */
  struct vector_clock from_groups; /* and directly */
  uint64_t lanes, group_lanes;     /* the lanes that read the first two, and the last one */
};

/* A warp's part of one relation. */
struct warp_order {
  uint32_t fenced[MEMORIES];        /* for atomics on each memory: time of the last release fence for the work-group */
  uint32_t fenced_device[MEMORIES]; /* or wider, and for the device */
  struct released_clock released[MEMORIES]; /* by the memory of the atomics */
  uint64_t acquirers;                       /* lanes that have acquired all that the warp has */
  struct lane_clocks *lanes;                /* NULL: none of its lanes has released or acquired */
};

/* The clock that is released within a group, at an mbarrier or an atomic's address. */
struct group_release {
  uint64_t address;          /* in the compute unit's LDS, or global: the two ranges are disjoint */
  struct warp_clock *time;   /* per warp */
  uint32_t **lanes;          /* per warp, then per lane: accesses released to other lanes of the warp; NULL: nothing */
  struct vector_clock clock; /* of other groups */
};

/* A group's part of one relation. */
struct group_order {
  struct map release_map; /* by address */
  struct group_release *release;
  size_t release_count, release_room;
  struct warp_clock *acquired; /* per warp: what it acquired from each warp, then what all its lanes acquired; NULL:
                                * nothing */
};

struct check_group {
  const struct isa_group *shape;
  uint32_t number; /* among all groups of the run, from 1 */
  uint32_t launch; /* index among those that run at once */
  uint32_t time;
  uint32_t warps, left;              /* left: warps that have not ended */
  uint32_t calls;                    /* number of complete calls */
  bool broken;                       /* its work-items diverged at a call: nothing more is checked */
  uint32_t epoch[CHECK_SPACES + 1];  /* per space: time of the last barrier that fences it */
  uint32_t barrier;                  /* of the last barrier of any kind */
  uint32_t fenced[CHECK_SPACES + 1]; /* per space: time of the last copy fence */
  struct pending_call pending[CHECK_AHEAD];
  uint32_t last_pc;                         /* the lowest instruction at which one of its warps ended */
  struct released released[CHECK_RELEASED]; /* the latest ones, a ring */
  uint32_t released_count;
  uint32_t events_made;          /* number of events; they are numbered from 1 */
  struct copy_in_flight *copies; /* oldest first */
  uint32_t copy_count;
  size_t copy_room;
  struct group_order order[MEMORIES];
  uint32_t device_barrier;   /* time of the last barrier that fences global memory for the device; 0: none */
  bool has_released;         /* a warp has read a released clock that a fence or a barrier may acquire */
  struct vector_clock clock; /* of other groups, through atomics and a barrier */
  struct unwritten *unwritten;
  size_t unwritten_count, unwritten_room;
  struct reserve_call *reserves; /* packets.c */
  size_t reserve_count, reserve_room;
  uint32_t diverged; /* 1 + the index of its record in checker->divergences; 0: none */
};

/* A copy.lane of a warp, until the wait for its batch. */
struct warp_copy {
  uint32_t site, bytes, batch;
  uint32_t when; /* in the group's time: its issue */
  uint64_t mask, place[ISA_LANES];
};

struct check_warp {
  uint32_t number; /* of its group, see check_group */
  uint32_t group;  /* slot */
  uint32_t index;
  uint32_t calls;                   /* that it has reached */
  uint32_t epoch[CHECK_SPACES + 1]; /* per space: time of its last warp barrier */
  uint32_t image_fenced;            /* and of its last image fence */
  struct warp_order order[MEMORIES];
  struct vector_clock clock;           /* of other groups, through its own atomics; */
  struct vector_clock all_lanes_clock; /* what all its lanes have acquired by OpenCL's rules */
  uint32_t
      group_release_time; /* until when its whole group's accesses are over for its last release fence for the device */
  uint32_t lds_reads_issued, lds_reads_done; /* its atomics that read the LDS: number issued, and number served */
  uint32_t fenced_reads; /* value of `lds_reads_issued` at its last local acquire fence; if the LDS keeps the order, the
                            fence */
  uint8_t fence_sync, fence_scope; /* does not wait for them. What that fence orders, and its scope */
  struct warp_copy *lane_copies;   /* in flight */
  size_t lane_copy_count, lane_copy_room;
  uint32_t batches;             /* number of batches that it has closed */
  struct pipe_step *pipe_steps; /* its last operations on packets, and commits (packets.c); NULL: none so far */
  uint32_t pipe_step_count;
  struct undefined *undefined;   /* undefined.c; NULL: all its values are defined */
  struct branch_lanes *branches; /* per branch (divergence.c); NULL: it has reached none */
  uint32_t call_pc[CHECK_AHEAD]; /* the instructions of its last calls, */
  uint32_t call_count;           /* and the number of all its calls, counted even after the group diverged; */
  uint32_t call_lane;            /* the first lane of the last one */
};

/* The checker's part of a compute unit. */
struct check_unit {
  struct source_filter filter;
  struct checker *checker;
  struct shadow lds;
  uint8_t *written; /* per byte of the LDS: its current group has written it */
  struct check_warp *warps;
  uint32_t warp_count;
  struct check_group *groups;
  uint32_t group_count;
  bool reported;             /* the current step reported that the work-items diverged */
  struct isa_hazard missing; /* or that not all have arrived: passed on after the step, when both places are known */
  bool has_missing;
};

/* The clock that is released to other groups at an atomic's address. */
struct device_release {
  uint64_t address;
  struct vector_clock clock;
};

struct checker {
  struct source_filters filters;
  struct isa_launch launch[RESULT_TOGETHER];                        /* the launches that run at once */
  struct act_row *acts[RESULT_TOGETHER];                            /* per pc */
  uint32_t branch_count[RESULT_TOGETHER];                           /* of each program */
  uint32_t narrow[RESULT_TOGETHER][MEMORIES][ISA_SCOPE_DEVICE + 1]; /* 1 + its first instruction that orders a memory in
                                                                     * a scope; 0: none */
  uint32_t launch_count;
  bool has_fences;                       /* a program has fences: atomics may synchronize */
  bool syncs_groups;                     /* between work-groups, because there are also atomics on global memory */
  bool orders_warps;                     /* a program orders warps by something other than barriers of the work-group */
  uint32_t base, next_base;              /* number of the first group of the current launches, less 1; of the next
                                          * launches */
  uint32_t first_group[RESULT_TOGETHER]; /* per launch: of its group 0, less 1 */
  struct site *sites;
  uint32_t site_count;
  size_t site_room;
  struct shadow global;
  struct touch_pool pool;
  struct map device_release_map; /* by address */
  struct device_release *device_releases;
  size_t device_release_count, device_release_room;
  struct cached_flow flow;       /* the last one */
  struct named_packets *packets; /* packets.c */
  size_t packet_count, packet_room;
  struct map reserved_map; /* by position in the pipe, packets.c */
  struct reserved_by *reserved;
  size_t reserved_count, reserved_room;
  struct map hazard_map; /* by rule and pair of instructions */
  struct check_hazard *hazards;
  size_t hazard_count, hazard_room;
  struct check_hazard *sorted; /* for display */
  struct check_counts counts;
  struct check_hazard *diverged; /* places of calls that not all warps reached (divergence.c) */
  uint32_t diverged_count;
  size_t diverged_room;
};

/* The source of a touch: a work-item in a step of its warp, or a copy. */
struct accessor {
  struct check_unit *unit;
  struct check_group *group;
  const struct check_warp *warp;   /* NULL: a copy */
  const struct pending_call *call; /* of a copy */
  const struct isa_access *access; /* of a warp's store: its data */
  enum check_space space;
  uint32_t site, item, when, kind;
  uint32_t since;     /* of a copy.lane that ends: the time of its issue; else 0 */
  uint32_t bytes;     /* of a lane's access, or of a copy's element */
  uint64_t at;        /* address of the current cell */
  uint32_t cell;      /* its bytes */
  uint32_t epoch;     /* of the space: touches before it are over in the group */
  uint32_t oldest;    /* `when` of the oldest copy in flight, or UINT32_MAX */
  bool ahead;         /* its warp has reached calls that others of the group have not */
  struct touch fresh; /* what an otherwise empty cell stores */
};

/* ---- check.c */

/* Rules about calls that only some work-items reached. */
static inline bool check_is_divergence(enum isa_hazard_rule rule) {
  return rule == HAZARD_G2 || rule == HAZARD_G3 || rule == HAZARD_N3 || rule == HAZARD_M8 || rule == HAZARD_R10 ||
         rule == HAZARD_S1;
}

/* ---- order.c */

static inline uint32_t group_ticks(struct check_group *group) { return ++group->time; }

void order_start(struct check_group *group);
void order_forget(struct check_group *group);

/* A warp has reached a call of its work-group. Returns the call when all warps have, else NULL. */
struct pending_call *order_arrive(struct check_unit *unit, struct check_warp *warp, const struct act_row *row,
                                  const struct isa_result *result);
/* The group has completed the call; *call can be reused then. */
void order_complete(struct check_unit *unit, struct check_group *group, struct pending_call *call,
                    const struct act_row *row);
void order_copy(struct check_group *group, const struct pending_call *call);

bool order_waits_for(const struct isa_wait *wait, uint32_t event);

/* The copy in flight that was issued at this time, or NULL when all warps have waited for it. */
const struct copy_in_flight *order_find_copy(const struct check_group *group, uint32_t when);

/* `when` of the oldest copy in flight, or UINT32_MAX. */
static inline uint32_t order_oldest_copy(const struct check_group *group) {
  return group->copy_count ? group->copies[0].when : UINT32_MAX;
}

void order_warp_barrier(struct check_group *group, struct check_warp *warp, uint8_t sync);
/* From now on, the warp's work-items can read texels that they stored themselves. */
void order_image_fence(struct check_group *group, struct check_warp *warp);

/* ---- happens_before.c */

/* A warp has issued atomics that write. Each releases what the warp did before, if it has release order; else what
 * the warp did before its last release fence. */
void hb_release(struct check_unit *unit, struct check_group *group, struct check_warp *warp, const struct act_row *row,
                uint64_t mask, const uint64_t *address);
/* A lane's atomic has executed, after those of lower lanes of the same instruction. If it reads, it acquires what was
 * released at the address, now or at the next acquire fence. If it writes, it releases to other lanes of its warp. */
void hb_atomic(struct check_unit *unit, struct check_group *group, struct check_warp *warp, const struct act_row *row,
               uint32_t lane, uint64_t address, bool reads);
/* The lanes of `mask` pass a fence. */
void hb_fence(struct check_group *group, struct check_warp *warp, const struct act_row *row, uint64_t mask);

/* An atomic of the warp read the LDS; call it after hb_atomic(). If the fence after the atomic has already
 * passed, this acquires what it read. */
void hb_lds_reply(struct check_group *group, struct check_warp *warp, uint64_t mask);
/* All lanes of the warp have met at a barrier with these fences: all have acquired what one has. */
void hb_converge(struct check_group *group, struct check_warp *warp, uint8_t sync);
/* At a barrier that fences global memory: all warps have acquired what one has. */
void hb_barrier(struct check_unit *unit, struct check_group *group, const struct act_row *row);

void hb_arrive(struct check_group *group, struct check_warp *warp, uint32_t lane, uint64_t mbarrier);
void hb_pass(struct check_group *group, struct check_warp *warp, uint32_t lane, uint64_t mbarrier);

enum relation {
  OPEN,    /* nothing orders the two */
  IN_STEP, /* only the lockstep of a warp's lanes does */
  ORDERED, /* the touch precedes this one */
  OVER,    /* and precedes everything that the group will still do */
};

/* Has the lane of a warp acquired a touch: of another work-item of its group, or of another group? */
enum relation hb_in_group(const struct check_group *group, const struct check_warp *warp, uint32_t lane,
                          const struct touch *touch, enum memory memory);
enum relation hb_between_groups(const struct check_group *group, const struct check_warp *warp, uint32_t lane,
                                const struct touch *touch);
/* Does the clock cover a touch of another group? */
bool hb_covers(const struct vector_clock *clock, const struct touch *touch, uint32_t lanes);

void hb_free_warp(struct check_warp *warp);
void hb_free_group(struct check_group *group);
void hb_free(struct checker *checker);

/* ---- events.c */

/* A call of a copy or a wait is complete, but not yet counted. Reports those of its events that are not live. */
void events_check(struct check_unit *unit, struct check_group *group, const struct pending_call *call);
/* The last call of a wait's list is complete. */
void events_release(struct check_group *group, uint32_t pc);
/* The group has ended. Reports copies that nobody waited for. */
void events_end(struct check_unit *unit, struct check_group *group);
/* Has the checker found this hazard of an event, with both places? Then the simulation's own report is dropped. */
bool events_know(const struct checker *checker, enum isa_hazard_rule rule);

/* ---- touch.c */

struct accessor accessor_of_warp(struct check_unit *unit, struct check_group *group, const struct check_warp *warp,
                                 enum check_space space, uint32_t site, uint32_t kind, uint32_t bytes);
struct accessor accessor_of_copy(struct check_unit *unit, struct check_group *group, const struct pending_call *call,
                                 enum check_space space, uint32_t site, uint32_t kind);

/* Lanes of a warp touch accessor->bytes each. */
void touch_lanes(struct accessor *accessor, uint64_t mask, const uint64_t *address);
/* A copy touches [address, address + bytes). */
void touch_run(struct accessor *accessor, uint64_t address, uint64_t bytes);

/* ---- copies.c */

/* Does a valid inbound copy fill [address, address + bytes) of the LDS? */
bool copies_fill(const struct check_group *group, const struct isa_copy *copy, uint64_t address, uint32_t bytes);

void copies_issue(struct check_unit *unit, struct check_group *group, const struct pending_call *call, uint32_t site);

void copies_lanes(struct check_unit *unit, struct check_group *group, struct check_warp *warp, uint32_t site,
                  const struct isa_access *access);
/* All batches of the warp's copy.lane except the last `left` are complete in the LDS. */
void copies_lanes_over(struct check_unit *unit, struct check_group *group, struct check_warp *warp, uint32_t left);
void copies_free_warp(struct check_warp *warp);

/* ---- unwritten.c */

void unwritten_start(struct check_unit *unit, struct check_group *group);
void unwritten_free(struct check_group *group);
/* Lanes or a copy write LDS bytes. */
void unwritten_filled(struct accessor *accessor, uint64_t address, uint32_t bytes);
void unwritten_lanes_filled(struct accessor *accessor, uint64_t mask, const uint64_t *address);
/* They read LDS bytes; records reads of unwritten ones. */
void unwritten_read(struct accessor *accessor, uint64_t address, uint32_t bytes);
void unwritten_lanes_read(struct accessor *accessor, uint64_t mask, const uint64_t *address);
/* At a barrier, or at the group's end: reports recorded reads whose bytes are still unwritten. */
void unwritten_settle(struct check_unit *unit, struct check_group *group);
/* Of the bytes that a lane stores at a site: those that it loads in the same line and stores unchanged, because it sets
 * a component of a vector. Of the bytes that it loads: those that are only stored again in this way. */
uint16_t unwritten_kept(struct checker *checker, const struct check_group *group, uint32_t site);

/* ---- packets.c */

/* Records the operands before a step of pipe.slot. */
void packets_operands(struct check_warp *warp, const struct isa_warp *isa);
/* Checks the packet after that step. */
void packets_slot(struct check_unit *unit, struct check_group *group, const struct check_warp *warp, uint32_t site,
                  const struct isa_warp *isa, const struct isa_result *result);
void packets_commit(struct check_unit *unit, struct check_warp *warp, const struct isa_access *access);
void packets_reserve(struct check_group *group, const struct check_warp *warp, uint32_t site,
                     const struct isa_access *access);
void packets_reserved(struct check_unit *unit, struct check_group *group, const struct check_warp *warp,
                      const struct isa_access *access);
/* Replaces an executor's hazard of an id when the checker knows more about the id: reports its own and returns true. */
bool packets_take(struct check_unit *unit, struct check_group *group, const struct check_warp *warp,
                  const struct isa_hazard *hazard);
void packets_free_group(struct check_group *group);
void packets_free_warp(struct check_warp *warp);
/* At the end of a launch, and of all launches. */
void packets_free(struct checker *checker);
void packets_free_reserved(struct checker *checker);

/* ---- undefined.c */

/* The warp is about to execute an instruction. Reports the use of a value that a shuffle read from no lane. */
void undefined_step(struct check_unit *unit, const struct check_group *group, struct check_warp *warp,
                    const struct act_row *row, const struct isa_warp *isa);
void undefined_free_warp(struct check_warp *warp);

/* ---- divergence.c */

/* Lanes of a warp have reached a branch, or an exit of some of them. */
void divergence_branch(const struct checker *checker, const struct check_group *group, struct check_warp *warp,
                       const struct act_row *row, uint64_t active, uint64_t taken);
/* Only some lanes of the warp are at a call. Reports it with the branch at which they diverged. False when that branch
 * is unknown. */
bool divergence_report_lanes(struct check_unit *unit, const struct check_group *group, const struct check_warp *warp,
                             const struct isa_hazard *hazard, uint64_t here);
/* A warp has reached a call or has ended, while others wait at a call. Records where they diverged, because the machine
 * may report the call later, */
void divergence_note(struct check_unit *unit, struct check_group *group);
/* and then adds the other place to that hazard, if it is known. */
void divergence_take(const struct checker *checker, struct check_hazard *hazard);
void divergence_free_warp(struct check_warp *warp);

/* ---- hazards.c */

struct check_side check_side_of(const struct checker *checker, uint32_t site, uint32_t group, uint32_t item,
                                bool whole_group);

/* Adds a hazard, or increments the count of an equal one. Returns the one in the list, until the next is added. */
struct check_hazard *hazards_add(struct checker *checker, const struct check_hazard *hazard);
/* Not all occurrences of a race have the reason of the first one. */
void hazards_drop_why(struct check_hazard *hazard);
void hazards_free(struct checker *checker);

#endif
