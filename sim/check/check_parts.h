/* Inside the checker.
 *
 *     check.c     the warp source: what a step is, and to whom it goes
 *     order.c     a work-group's own time: its calls, barriers, copies in flight
 *     handover.c  what atomics and mbarriers hand over, from warp to warp and from work-group to work-group
 *     known.c     how much of other groups' times is over (known.h)
 *     touch.c     touches of bytes, and which two of them are a hazard
 *     copies.c    a copy's two sides, element by element; lanes' own copies
 *     events.c    events that are not live, and copies that nobody waits for
 *     unwritten.c reads of LDS that nobody has written
 *     packets.c   ids of pipes' reservations
 *     parting.c   where work-items that are missing at a call have parted from the others
 *     results.c   what the simulation itself has found
 *     hazards.c   the hazards found
 *
 * A work-group's time is a count that goes up whenever one of its warps does what may order accesses. What a warp does
 * next is later than all that it has done before; what two warps do between barriers has times that say nothing of
 * their order, and nobody compares them. */
#ifndef SIM_CHECK_CHECK_PARTS_H
#define SIM_CHECK_CHECK_PARTS_H

#include "isa/rows.h"
#include "models/executor.h"
#include "sim/base/need.h"
#include "sim/check/check.h"
#include "sim/check/known.h"
#include "sim/check/shadow.h"

enum {
  CHECK_SPACES = 3,
  CHECK_AHEAD = 16,    /* calls that warps may be ahead of each other */
  CHECK_RELEASED = 64, /* released events whose waits are remembered */
  CHECK_COPIES = 16,   /* copies in flight of one instruction that are remembered of a cell */
  CHECK_WITNESSES = 8, /* other groups whose atomics are remembered of a cell, and reads, if groups know of others */
  CHECK_MOST_WITNESSES = 64, /* and whose writes are */
  CHECK_PARTED = 4096,       /* work-groups of which it is remembered where their warps have parted */
};

/* What a step of an instruction means here: made once per program. */
enum act {
  ACT_NONE,
  ACT_ACCESS,
  ACT_TEXELS,
  ACT_LANE_COPY,
  ACT_LANE_COMMIT,
  ACT_LANE_WAIT,
  ACT_MBARRIER,
  ACT_BARRIER, /* the first of the calls of the whole work-group */
  ACT_COPY_FENCE,
  ACT_COPY,
  ACT_WAIT, /* the last of them */
  ACT_FENCE,
  ACT_IMAGE_FENCE, /* of a work-item alone */
  ACT_WARP_BARRIER,
  ACT_PIPE_RESERVE,
  ACT_PIPE_COMMIT,
  ACT_PIPE_SLOT,
  ACT_BRANCH, /* or an exit, for some lanes */
};

struct act_row {
  uint8_t act;
  uint8_t space; /* of an access: enum check_space */
  uint8_t kind;  /* of an access: enum touch_kind */
  uint8_t sync;  /* SYNC_* of a barrier or fence */
  uint32_t site; /* of what touches memory; of a branch, its number among them */
};

/* An instruction that touches memory. */
struct site {
  uint32_t launch; /* among those that run at once */
  uint32_t pc;
};

/* An event that a wait has released. */
struct released {
  uint32_t event; /* 0: none */
  uint32_t pc;    /* of the wait */
};

/* A copy from its call on, until all warps have passed the wait for it. */
struct copy_in_flight {
  uint32_t pc;
  uint32_t when; /* in the group's time: its call was complete */
  uint32_t call; /* number of its call */
  uint32_t event;
  uint32_t waited; /* number of the call that waits for it, or UINT32_MAX */
};

/* A call that some warps have come to. */
struct pending_call {
  uint32_t pc, arrived;
  uint8_t act;
  struct isa_copy copy;
  struct isa_wait wait;
  uint32_t *stamp; /* per warp: the group's time when it came */
};

/* A read of LDS bytes that nobody has written so far. */
struct unwritten {
  uint32_t address; /* in the compute unit's LDS */
  uint32_t bytes, site, item, when;
  bool copy;
};

/* Until when what a warp has done is over, and for whom. This machine keeps the lanes of a warp in step: what one of
 * them releases is over for all. By OpenCL it is for that lane, and for the others until their last barrier. */
struct handed_time {
  uint32_t accesses, atomics; /* atomics are handed over without a fence behind them */
  uint32_t all;               /* accesses, of all lanes by OpenCL */
  uint64_t lanes;             /* that have released: theirs until `accesses` */
};

/* What is handed over inside a group, at an mbarrier or an atomic's address. */
struct handed {
  uint64_t address;         /* in the compute unit's LDS, or global: no address is both */
  struct handed_time *time; /* per warp */
  struct known known;
};

struct check_group {
  const struct isa_group *shape;
  uint32_t number; /* among all groups of the run, from 1 */
  uint32_t launch; /* among those that run at once */
  uint32_t time;
  uint32_t warps, left;              /* left: that have not ended */
  uint32_t calls;                    /* complete */
  bool broken;                       /* its work-items have not stayed together: nothing more is checked */
  uint32_t epoch[CHECK_SPACES + 1];  /* per space: time of the last barrier that fences it */
  uint32_t barrier;                  /* of the last barrier of any kind */
  uint32_t fenced[CHECK_SPACES + 1]; /* per space: time of the last copy fence */
  struct pending_call pending[CHECK_AHEAD];
  uint32_t last_pc;                         /* the lowest instruction at which one of its warps has ended */
  struct released released[CHECK_RELEASED]; /* the latest, a ring */
  uint32_t released_count;
  uint32_t events_made;          /* they are numbered from 1 */
  struct copy_in_flight *copies; /* the oldest first */
  uint32_t copy_count, copy_room;
  struct handed *handed; /* a hash table by address; `time` NULL: free */
  uint32_t handed_count, handed_room;
  struct handed_time *seen; /* per warp what it has taken of each, and then what all its lanes have; NULL: nothing */
  bool is_offered;          /* some warp is offered what it may take, or has taken what the others may */
  struct known known;       /* of other groups, through atomics and a barrier */
  struct unwritten *unwritten;
  uint32_t unwritten_count, unwritten_room;
  struct reserve_call *reserves; /* packets.c */
  uint32_t reserve_count, reserve_room;
  uint32_t parted; /* 1 + the number of its note; 0: none */
};

/* A copy.lane of a warp, until the wait for its batch. */
struct lane_copy {
  uint32_t site, bytes, batch;
  uint32_t when; /* in the group's time: its issue */
  uint64_t mask, place[ISA_LANES];
};

struct check_warp {
  uint32_t number; /* of its group, as in check_group */
  uint32_t group;  /* slot */
  uint32_t index;
  uint32_t calls;                    /* that it has come to */
  uint32_t epoch[CHECK_SPACES + 1];  /* per space: time of its last warp barrier */
  uint32_t fenced[CHECK_SPACES + 1]; /* and of its last fence */
  struct known known;                /* of other groups, through its own atomics, */
  struct known shared;               /* and of that what all its lanes know by OpenCL; */
  uint64_t takers;                   /* these know all of it */
  struct known offered;              /* what its next fence takes: its atomics have read where it was handed over, */
  struct handed_time *offered_times; /* and of its own group, as in struct handed; NULL: nothing, */
  uint64_t offered_lanes;            /* in these lanes */
  uint32_t asked, answered;          /* its atomics that read the LDS: so many are issued, and carried out; */
  uint32_t
      fenced_reads; /* issued in front of its last local fence, which, where the LDS keeps the order, waits for none */
  struct lane_copy *lane_copies; /* in flight */
  uint32_t lane_copy_count, lane_copy_room;
  uint32_t batches;             /* of these that it has closed */
  struct pipe_step *pipe_steps; /* its last operations on packets and commits, packets.c; NULL: none so far */
  uint32_t pipe_step_count;
  struct went *went;          /* per branch, parting.c; NULL: it has come to none */
  uint32_t came[CHECK_AHEAD]; /* the instructions of its last calls, and how many it has come to in all: also when it */
  uint32_t came_count;        /* has not stayed together with others, */
  uint32_t came_lane;         /* and the first lane of the last one */
};

struct check_unit;

struct listener {
  struct check_unit *unit;
  const struct isa_launch *outer;
};

/* Of a compute unit. */
struct check_unit {
  struct warp_source source;
  struct checker *checker;
  const struct executor *executor;
  const struct warp_source *inner;
  struct isa_launch launches[RESULT_TOGETHER];
  struct listener listeners[RESULT_TOGETHER];
  struct shadow lds;
  uint8_t *written; /* per byte of the LDS: somebody of the group that has it has written it */
  uint32_t cu;
  struct check_warp *warps;
  uint32_t warp_count;
  struct check_group *groups;
  uint32_t group_count;
  bool reported;             /* the step under way has reported that the work-items are not together, */
  struct isa_hazard missing; /* and that they are not all there: to be told with both places behind the step */
  bool has_missing;
};

/* A place where groups hand over: an atomic's address. */
struct handover {
  uint64_t address;
  struct known known;
};

struct checker {
  struct check_unit **units;
  uint32_t unit_count;
  uint32_t first_launch, next_launch; /* numbers in the job of the first that runs, and of the one after them all */
  struct isa_launch launch[RESULT_TOGETHER]; /* those that run at once */
  struct act_row *acts[RESULT_TOGETHER];     /* per pc */
  uint32_t branch_count[RESULT_TOGETHER];    /* of each of their programs */
  uint32_t launch_count;
  bool has_fences;                       /* some program has fences: atomics may hand over */
  bool hands_over;                       /* between work-groups: it has atomics on global memory, too */
  bool orders_warps;                     /* some program orders warps by less than barriers of the work-group */
  uint32_t base, next_base;              /* number of the first group of those that run, less 1; of the next ones */
  uint32_t first_group[RESULT_TOGETHER]; /* per launch: of its group 0, less 1 */
  struct site *sites;
  uint32_t site_count, site_room;
  struct shadow global;
  struct touch_pool pool;
  struct handover *handovers; /* a hash table by address; address 0: free */
  uint32_t handover_count, handover_room;
  struct named_packets *packets; /* packets.c */
  uint32_t packet_count, packet_room;
  struct reserved_by *reserved; /* a hash table, packets.c */
  uint32_t reserved_count, reserved_room;
  struct check_hazard *hazards;
  size_t hazard_count, hazard_room;
  uint32_t *buckets; /* of hazards, by rule and sites */
  uint32_t bucket_count;
  struct check_hazard *sorted; /* as they are shown */
  struct check_counts counts;
  struct check_hazard *parted; /* places of calls that not all warps have come to, parting.c */
  uint32_t parted_count;
};

/* Whoever touches bytes: a work-item in a step of its warp, or a copy. */
struct party {
  struct check_unit *unit;
  struct check_group *group;
  const struct check_warp *warp;   /* NULL: a copy */
  const struct pending_call *call; /* of a copy */
  const struct isa_access *access; /* of a warp's store: what it stores */
  enum check_space space;
  uint32_t site, item, when, kind;
  uint32_t since;     /* of a copy.lane that ends: its issue; else 0 */
  uint32_t bytes;     /* of a lane's access, or of a copy's element */
  uint64_t at;        /* of the cell that is being looked at */
  uint32_t epoch;     /* of the space: what is older is over in the group */
  uint32_t oldest;    /* `when` of the oldest copy in flight, or UINT32_MAX */
  bool ahead;         /* its warp has come to calls that others of the group have not */
  struct touch fresh; /* what a cell keeps of it that has nothing else */
};

/* ---- check.c */

/* Not all work-items are where some are. */
static inline bool check_is_divergence(enum isa_hazard_rule rule) {
  return rule == HAZARD_G2 || rule == HAZARD_G3 || rule == HAZARD_N3 || rule == HAZARD_M8 || rule == HAZARD_R10;
}

/* ---- order.c */

static inline uint32_t group_ticks(struct check_group *group) { return ++group->time; }

void order_start(struct check_group *group);
void order_forget(struct check_group *group);

/* A warp has come to a call of its work-group. The call, once all have; else NULL. */
struct pending_call *order_arrive(struct check_unit *unit, struct check_warp *warp, const struct act_row *row,
                                  const struct isa_result *result);
/* The call is over for the group; *call is then free for another. */
void order_complete(struct check_unit *unit, struct check_group *group, struct pending_call *call, uint8_t sync);
void order_copy(struct check_group *group, const struct pending_call *call);

bool order_waits_for(const struct isa_wait *wait, uint32_t event);

/* The copy with this name, or NULL when all have waited for it. */
const struct copy_in_flight *order_find_copy(const struct check_group *group, uint32_t when);

/* Of the oldest copy in flight, or UINT32_MAX. */
static inline uint32_t order_oldest_copy(const struct check_group *group) {
  return group->copy_count ? group->copies[0].when : UINT32_MAX;
}

void order_warp_barrier(struct check_group *group, struct check_warp *warp, uint8_t sync);
/* Texels that the warp's work-items have stored are read by themselves from now on. */
void order_image_fence(struct check_group *group, struct check_warp *warp);

/* ---- handover.c */

/* A warp's atomics have been issued: those that write hand over what was before the warp's last fence. */
void handover_release(struct check_unit *unit, struct check_group *group, struct check_warp *warp,
                      enum check_space space, uint64_t mask, const uint64_t *address);
/* They have been carried out: one that reads offers what has been handed over there, to the warp's next fence. */
void handover_offer(struct check_unit *unit, struct check_group *group, struct check_warp *warp, uint32_t lane,
                    uint64_t address);
void handover_fence(struct check_group *group, struct check_warp *warp, uint8_t sync);

/* An atomic of the warp has read the LDS, and handover_offer() was called: what a fence behind it, already passed,
 * takes. */
void handover_answered(struct check_group *group, struct check_warp *warp);
/* All lanes of the warp have met: what some have taken, all have. */
void handover_share(struct check_group *group, struct check_warp *warp);
/* At a barrier that fences global memory: what one warp knows, all know. */
void handover_join(struct check_unit *unit, struct check_group *group);

void handover_arrive(struct check_group *group, const struct check_warp *warp, uint64_t mbarrier);
void handover_pass(struct check_group *group, struct check_warp *warp, uint64_t mbarrier);

enum relation {
  OPEN,    /* nothing orders the two */
  IN_STEP, /* only that lanes of a warp are in step does */
  ORDERED, /* the touch is before this one */
  OVER,    /* and before all that the group will still do */
};

/* Whether the lane of a warp has taken that a touch is over: of another warp of its group, or of another group. */
enum relation handover_in_group(const struct check_group *group, const struct check_warp *warp, uint32_t lane,
                                const struct touch *touch);
enum relation handover_from_group(const struct check_group *group, const struct check_warp *warp, uint32_t lane,
                                  const struct touch *touch);
/* Whether a touch of another group is known to be over. */
bool handover_knows(const struct known *known, const struct touch *touch, uint32_t lanes);

void handover_free_warp(struct check_warp *warp);
void handover_free_group(struct check_group *group);
void handover_free(struct checker *checker);

/* ---- events.c */

/* A copy's or a wait's call is complete, but not yet counted: which of its events are not live? */
void events_check(struct check_unit *unit, struct check_group *group, const struct pending_call *call);
/* A wait is over that ends its list. */
void events_release(struct check_group *group, uint32_t pc);
/* The group has ended: copies that nobody has waited for. */
void events_end(struct check_unit *unit, struct check_group *group);
/* What the simulation says of an event is known here, and with both places. */
bool events_know(const struct checker *checker, enum isa_hazard_rule rule);

/* ---- touch.c */

struct party party_of_warp(struct check_unit *unit, struct check_group *group, const struct check_warp *warp,
                           enum check_space space, uint32_t site, uint32_t kind, uint32_t bytes);
struct party party_of_copy(struct check_unit *unit, struct check_group *group, const struct pending_call *call,
                           enum check_space space, uint32_t site, uint32_t kind);

/* Lanes of a warp touch party->bytes each. */
void touch_lanes(struct party *party, uint64_t mask, const uint64_t *address);
/* A copy touches [address, address + bytes). */
void touch_run(struct party *party, uint64_t address, uint64_t bytes);

/* ---- copies.c */

/* Whether a sound inbound copy fills [address, address + bytes) of the LDS. */
bool copies_fill(const struct check_group *group, const struct isa_copy *copy, uint64_t address, uint32_t bytes);

void copies_issue(struct check_unit *unit, struct check_group *group, const struct pending_call *call, uint32_t site);

void copies_lanes(struct check_unit *unit, struct check_group *group, struct check_warp *warp, uint32_t site,
                  const struct isa_access *access);
/* All batches of the warp's copy.lane but the last `left` are in the LDS. */
void copies_lanes_over(struct check_unit *unit, struct check_group *group, struct check_warp *warp, uint32_t left);
void copies_free_warp(struct check_warp *warp);

/* ---- unwritten.c */

void unwritten_start(struct check_unit *unit, struct check_group *group);
void unwritten_free(struct check_group *group);
/* Lanes or a copy write LDS bytes. */
void unwritten_filled(struct party *party, uint64_t address, uint32_t bytes);
void unwritten_lanes_filled(struct party *party, uint64_t mask, const uint64_t *address);
/* They read some: noted when nobody has written them. */
void unwritten_read(struct party *party, uint64_t address, uint32_t bytes);
void unwritten_lanes_read(struct party *party, uint64_t mask, const uint64_t *address);
/* A barrier, or the group's end: what was read and has not been written meanwhile is reported. */
void unwritten_settle(struct check_unit *unit, struct check_group *group);

/* ---- packets.c */

/* Before a step of pipe.slot: its operands. */
void packets_operands(struct check_warp *warp, const struct isa_warp *isa);
/* After it. */
void packets_slot(struct check_unit *unit, struct check_group *group, const struct check_warp *warp, uint32_t site,
                  const struct isa_warp *isa, const struct isa_result *result);
void packets_commit(struct check_unit *unit, struct check_warp *warp, const struct isa_access *access);
void packets_reserve(struct check_group *group, const struct check_warp *warp, uint32_t site,
                     const struct isa_access *access);
void packets_reserved(struct check_unit *unit, struct check_group *group, const struct check_warp *warp,
                      const struct isa_access *access);
/* What the executor says of an id may be something else, of which this knows more: then it is reported, and true. */
bool packets_take(struct check_unit *unit, struct check_group *group, const struct check_warp *warp,
                  const struct isa_hazard *hazard);
void packets_free_group(struct check_group *group);
void packets_free_warp(struct check_warp *warp);
/* At the end of a launch, and of all. */
void packets_free(struct checker *checker);
void packets_free_reserved(struct checker *checker);

/* ---- parting.c */

/* Lanes of a warp have come to a branch, or to an exit for some of them. */
void parting_branch(const struct checker *checker, const struct check_group *group, struct check_warp *warp,
                    const struct act_row *row, uint64_t active, uint64_t taken);
/* Some lanes of the warp are at a call, and not all: tells it with the place where they have parted. False: nobody
 * knows it. */
bool parting_tell_lanes(struct check_unit *unit, const struct check_group *group, const struct check_warp *warp,
                        const struct isa_hazard *hazard, uint64_t here);
/* A warp has come to a call or has ended, and others have come to a call: what the machine may tell of it is noted, */
void parting_note(struct check_unit *unit, struct check_group *group);
/* and is taken up: adds the other place, if it is known. */
void parting_take(const struct checker *checker, struct check_hazard *hazard);
void parting_free_warp(struct check_warp *warp);

/* ---- hazards.c */

struct check_side check_side_of(const struct checker *checker, uint32_t site, uint32_t group, uint32_t item,
                                bool whole_group);

/* Counts one more of these, or keeps it as the first. */
void hazards_add(struct checker *checker, const struct check_hazard *hazard);
void hazards_free(struct checker *checker);

#endif
