/* The LDS as a component, between a CU and DMA engines that follow a script and record events. */
#include <stdlib.h>
#include <string.h>

#include "lds/lds.h"
#include "tests/ct.h"

enum { ENTRIES = 4096, ENGINES = 2, ADDRESSES = 64 };

struct entry {
  cycle_t at;
  uint32_t tag, passes, conflict, contention, ways, queued;
};

struct diary {
  struct entry entry[ENTRIES];
  unsigned count;
};

struct access_plan {
  cycle_t at;
  struct lds_request request;
  uint64_t address[ADDRESSES];
};

struct transfer_plan {
  cycle_t at;
  struct transfer transfer;
};

struct rig;

struct engine {
  struct component component;
  struct rig *rig;
  unsigned index, sent, planned;
  struct transfer_plan plan[ENTRIES / 4];
  struct diary replies;
};

/* Global memory occupies the path from the cycle after `at` on. */
struct given {
  cycle_t at, cycles;
};

struct rig {
  struct island island;
  struct lds_params params;
  struct lds lds;
  struct component cu;
  unsigned sent, planned;
  struct access_plan plan[ENTRIES / 4];
  unsigned gave, gives;
  struct given give[ENTRIES / 4];
  struct engine engine[ENGINES];
  struct diary replies, commits; /* `passes` of a commit is its source: 0 warps, 1 + engine DMA */
  cycle_t (*lds_step)(void *self, cycle_t now);
  cycle_t now;
  unsigned lds_steps;
};

static void write_down(struct diary *diary, struct entry entry) {
  if (EXPECT_TRUE(diary->count < ENTRIES))
    diary->entry[diary->count++] = entry;
}

static cycle_t cu_step(void *self, cycle_t now) {
  struct rig *rig = self;
  const struct lds_reply *reply;
  while ((reply = port_peek(&rig->lds.to_cu, now))) {
    write_down(&rig->replies, (struct entry){now, reply->tag, reply->passes, reply->conflict_cycles,
                                             reply->contention_cycles, reply->ways, reply->queued_conflicts});
    port_take(&rig->lds.to_cu, now);
  }
  while (rig->sent < rig->planned && rig->plan[rig->sent].at <= now && port_can_send(&rig->lds.from_cu, now))
    port_send(&rig->lds.from_cu, &rig->plan[rig->sent++].request, now);
  cycle_t next = port_next(&rig->lds.to_cu);
  while (rig->gave < rig->gives && rig->give[rig->gave].at <= now)
    lds_yield(&rig->lds, now, rig->give[rig->gave++].cycles);
  if (rig->gave < rig->gives)
    next = cycle_min(next, rig->give[rig->gave].at);
  if (rig->sent < rig->planned)
    next = cycle_min(next, cycle_max(rig->plan[rig->sent].at, port_free_at(&rig->lds.from_cu)));
  return next;
}

static cycle_t engine_step(void *self, cycle_t now) {
  struct engine *engine = self;
  struct port *out = &engine->rig->lds.from_dma[engine->index], *in = &engine->rig->lds.to_dma[engine->index];
  const struct transfer_reply *reply;
  while ((reply = port_peek(in, now))) {
    write_down(&engine->replies, (struct entry){.at = now, .tag = reply->tag});
    port_take(in, now);
  }
  while (engine->sent < engine->planned && engine->plan[engine->sent].at <= now && port_can_send(out, now))
    port_send(out, &engine->plan[engine->sent++].transfer, now);
  cycle_t next = port_next(in);
  if (engine->sent < engine->planned)
    next = cycle_min(next, cycle_max(engine->plan[engine->sent].at, port_free_at(out)));
  return next;
}

static void commit_warp(void *context, uint32_t tag) {
  struct rig *rig = context;
  write_down(&rig->commits, (struct entry){.at = rig->now, .tag = tag});
}

static void commit_dma(void *context, unsigned engine, uint32_t tag) {
  struct rig *rig = context;
  write_down(&rig->commits, (struct entry){.at = rig->now, .tag = tag, .passes = 1 + engine});
}

static cycle_t watched_lds_step(void *self, cycle_t now) {
  struct rig *rig = self;
  const cycle_t last = rig->lds.to_cu.last;
  rig->now = now;
  rig->lds_steps++;
  const cycle_t next = rig->lds_step(&rig->lds, now);
  /* A late step may send what an earlier cycle produced, but never into its own cycle: the CU may already have been
   * stepped. */
  if (rig->lds.to_cu.last != last)
    EXPECT_LT(now, rig->lds.to_cu.last);
  return next;
}

static struct lds_params usual(void) {
  return (struct lds_params){.banks = 32,
                             .bank_bytes = 4,
                             .ports = 1,
                             .size = 65536,
                             .latency = 10,
                             .queue = 8,
                             .interleave = 1,
                             .swap_passes = 1};
}

enum { SHARED, SEPARATE };
enum { ALTERNATE, WARPS, DMA };

static struct rig *make_rig(struct lds_params params) {
  struct rig *rig = calloc(1, sizeof *rig);
  struct component *engines[ENGINES];
  rig->params = params;
  rig->cu = (struct component){.name = "cu", .step = cu_step, .self = rig};
  for (unsigned e = 0; e < ENGINES; e++) {
    rig->engine[e].component = (struct component){.name = "dma", .step = engine_step, .self = &rig->engine[e]};
    rig->engine[e].rig = rig;
    rig->engine[e].index = e;
    engines[e] = &rig->engine[e].component;
  }
  struct lds_commit commit = {.context = rig, .warp = commit_warp, .dma = commit_dma};
  lds_init(&rig->lds, &rig->params, &commit, &rig->cu, engines, ENGINES);
  rig->lds_step = rig->lds.component.step;
  rig->lds.component.step = watched_lds_step;
  rig->lds.component.self = rig;
  island_add(&rig->island, &rig->cu);
  island_add(&rig->island, &rig->lds.component);
  for (unsigned e = 0; e < ENGINES; e++)
    island_add(&rig->island, engines[e]);
  return rig;
}

static void free_rig(struct rig *rig) {
  lds_free(&rig->lds);
  free(rig);
}

/* `lanes` lanes of 4 bytes each, `step` bytes apart, from `start` on. */
static uint32_t plan_access(struct rig *rig, cycle_t at, enum lds_kind kind, unsigned lanes, uint64_t start,
                            uint64_t step) {
  struct access_plan *plan = &rig->plan[rig->planned];
  plan->at = at;
  for (unsigned lane = 0; lane < ADDRESSES; lane++)
    plan->address[lane] = start + lane * step;
  plan->request = (struct lds_request){.tag = rig->planned,
                                       .kind = (uint8_t)kind,
                                       .bytes = 4,
                                       .lanes = 32,
                                       .mask = (UINT64_C(1) << lanes) - 1,
                                       .address = plan->address};
  return rig->planned++;
}

static uint32_t plan_transfer(struct rig *rig, unsigned engine, cycle_t at, uint64_t address, uint32_t bytes,
                              uint32_t width) {
  struct engine *self = &rig->engine[engine];
  self->plan[self->planned] = (struct transfer_plan){
      at, {.tag = self->planned, .rect = {.base = address, .bytes = bytes, .lines = 1}, .width = width, .write = true}};
  return self->planned++;
}

static void run(struct rig *rig) { EXPECT_EQ(island_run(&rig->island, 1000000), NEVER); }

/* The same, for warp `warp`. */
static uint32_t plan_of_warp(struct rig *rig, cycle_t at, uint8_t warp, uint64_t stride) {
  uint32_t planned = plan_access(rig, at, LDS_READ, 32, 0, 4 * stride);
  rig->plan[planned].request.warp = warp;
  return planned;
}

static cycle_t replied(const struct rig *rig, uint32_t tag) {
  for (unsigned i = 0; i < rig->replies.count; i++)
    if (rig->replies.entry[i].tag == tag)
      return rig->replies.entry[i].at;
  return NEVER;
}

/* ---- latency and pipelining ------------------------------------------------------------------ */

TEST(lds, a_reply_arrives_exactly_passes_plus_latency_after_sending) {
  for (uint32_t latency = 1; latency <= 12; latency++)
    for (uint64_t stride = 1; stride <= 32; stride *= 2) {
      struct lds_params params = usual();
      params.latency = latency;
      struct rig *rig = make_rig(params);
      plan_access(rig, 5, LDS_READ, 32, 0, 4 * stride);
      ct_note("latency %u, stride %u", latency, (unsigned)stride);
      cycle_t ready = 5 + stride + latency;
      island_run(&rig->island, ready);
      EXPECT_EQ(rig->replies.count, 0); /* all cycles up to ready - 1 have passed */
      island_run(&rig->island, ready + 1);
      EXPECT_EQ(rig->replies.count, 1);
      EXPECT_EQ(rig->replies.entry[0].at, ready);
      EXPECT_EQ(rig->replies.entry[0].passes, stride);
      EXPECT_EQ(rig->replies.entry[0].conflict, stride - 1);
      EXPECT_EQ(rig->replies.entry[0].contention, 0);
      EXPECT_EQ(rig->replies.entry[0].ways, stride);
      EXPECT_EQ(rig->commits.entry[0].at, 6); /* its first pass */
      free_rig(rig);
    }
}

TEST(lds, accesses_follow_each_other_without_a_gap) {
  static const uint64_t strides[] = {1, 4, 1, 32, 2, 1, 1, 8};
  enum { N = sizeof strides / sizeof *strides };
  for (uint32_t latency = 1; latency <= 3; latency++) {
    struct lds_params params = usual();
    params.latency = latency;
    struct rig *rig = make_rig(params);
    for (unsigned i = 0; i < N; i++)
      plan_access(rig, i < 4 ? 0 : i, LDS_WRITE, 32, 0, 4 * strides[i]);
    run(rig);
    cycle_t last = 0;
    ASSERT_EQ(rig->replies.count, N);
    for (unsigned i = 0; i < N; i++) {
      ct_note("access %u, latency %u", i, latency);
      EXPECT_EQ(rig->commits.entry[i].at, last + 1);
      last += strides[i];
      EXPECT_EQ(rig->replies.entry[i].tag, i);
      EXPECT_EQ(rig->replies.entry[i].at, last + latency);
    }
    EXPECT_EQ(rig->lds.stats.busy_cycles, last);
    free_rig(rig);
  }
}

/* The banks: access 0 in cycles 1..8, 1 in 9..12, 2 in 13, 3 in 14 and 15, the others in 16 to 19. A wait counts from
 * the cycle of arrival, one after sending. */
TEST(lds, a_reply_reports_the_conflicts_that_delayed_it_in_the_queue) {
  static const struct {
    cycle_t at;
    uint32_t passes, queued;
  } rows[] = {{0, 8, 0},     {0, 4, 7},      {0, 1, 7 + 3},  {8, 2, 3},
              {9, 1, 3 + 1}, {10, 1, 2 + 1}, {11, 1, 1 + 1}, {12, 1, 1}};
  enum { N = sizeof rows / sizeof *rows };
  struct rig *rig = make_rig(usual());
  for (unsigned i = 0; i < N; i++)
    plan_access(rig, rows[i].at, LDS_READ, 32, 0, 4 * rows[i].passes);
  plan_access(rig, 19, LDS_READ, 32, 0, 128);    /* arrives when the banks are idle */
  plan_access(rig, 19 + 32, LDS_READ, 32, 0, 4); /* and in the cycle after its last pass */
  run(rig);
  ASSERT_EQ(rig->replies.count, N + 2);
  for (unsigned i = 0; i < N + 2; i++) {
    ct_note("access %u", i);
    EXPECT_EQ(rig->replies.entry[i].queued, i < N ? rows[i].queued : 0);
  }
  free_rig(rig);
}

struct ear {
  struct timeline timeline;
  struct timeline_event event[8];
  unsigned heard;
};

static void take(void *self, uint32_t stream, cycle_t now, const struct timeline_event *event) {
  struct ear *ear = self;
  EXPECT_EQ(stream, 0);
  EXPECT_EQ(event->from, now);
  EXPECT_EQ(event->to, now + 1);
  if (EXPECT_TRUE(ear->heard < 8))
    ear->event[ear->heard++] = *event;
}

/* 32 words, four apart: four passes over every fourth bank in cycles 1 to 4. An engine's 32 bytes: one beat. */
TEST(lds, passes_and_beats_report_their_banks_and_instruction_to_a_timeline) {
  struct ear ear = {.timeline = {.take = take, .self = &ear, .kinds = 1u << TIMELINE_BANKS, .launch = 10}};
  struct rig *rig = make_rig(usual());
  rig->lds.tap = (struct timeline_tap){.timeline = &ear.timeline};
  rig->lds.every_cycle = true;
  uint32_t access = plan_access(rig, 0, LDS_READ, 32, 0, 16), beat = plan_transfer(rig, 1, 9, 64, 32, 32);
  rig->plan[access].request.origin = (struct lds_origin){.pc = 7, .launch = 2, .warp = 3};
  rig->engine[1].plan[beat].transfer.origin = 8;
  rig->engine[1].plan[beat].transfer.launch = 1;
  run(rig);
  ASSERT_EQ(ear.heard, 4 + 1);
  for (unsigned i = 0; i < 5; i++) {
    const struct timeline_event *event = &ear.event[i];
    const bool pass = i < 4;
    ct_note("event %u", i);
    EXPECT_EQ(event->from, pass ? 1 + i : 10);
    EXPECT_EQ(event->unit, pass ? 0 : 2);
    EXPECT_EQ(event->field[TIMELINE_BANKS_BANKS], pass ? 0x11111111 : 0x00ff0000);
    EXPECT_EQ(event->field[TIMELINE_BANKS_WARP], pass ? 3 : 0);
    EXPECT_EQ(event->field[TIMELINE_BANKS_PC], pass ? 7 : 8);
    EXPECT_EQ(event->field[TIMELINE_BANKS_LAUNCH], pass ? 12 : 11);
    EXPECT_EQ(event->field[TIMELINE_BANKS_PASS], pass ? i : 0);
  }
  free_rig(rig);
}

TEST(lds, an_access_of_many_passes_needs_few_steps) {
  struct rig *rig = make_rig(usual());
  for (unsigned i = 0; i < 8; i++)
    plan_access(rig, 0, LDS_READ, 32, 0, 128);
  run(rig);
  EXPECT_EQ(rig->lds.stats.passes, 8 * 32);
  EXPECT_LE(rig->lds_steps, 8 + 4);
  free_rig(rig);
}

TEST(lds, a_queue_slot_is_free_from_the_first_pass_on) {
  struct lds_params params = usual();
  params.queue = 1;
  struct rig *rig = make_rig(params);
  plan_access(rig, 0, LDS_READ, 32, 0, 16); /* passes 1..4 */
  plan_access(rig, 0, LDS_READ, 32, 0, 4);  /* sent at 2, when the credit has returned; pass 5 */
  plan_access(rig, 0, LDS_READ, 32, 0, 4);  /* sent at 6, pass 7 */
  run(rig);
  EXPECT_EQ(rig->commits.entry[1].at, 5);
  EXPECT_EQ(rig->commits.entry[2].at, 7);
  free_rig(rig);
}

/* Cycle 0 sends; the first pass is in cycle 1. */
TEST(lds, two_warps_alternate_at_the_banks_and_a_single_warp_gets_every_second_pass) {
  struct lds_params params = usual();
  params.interleave = 2;
  for (uint64_t stride = 1; stride <= 32; stride *= 2) {
    struct rig *rig = make_rig(params);
    uint32_t first = plan_of_warp(rig, 0, 0, stride), second = plan_of_warp(rig, 0, 1, stride);
    uint32_t third = plan_of_warp(rig, 0, 2, stride);
    run(rig);
    ct_note("stride %u", (unsigned)stride);
    EXPECT_EQ(replied(rig, first), 1 + 2 * (stride - 1) + 10);
    EXPECT_EQ(replied(rig, second), 2 + 2 * (stride - 1) + 10);
    EXPECT_EQ(replied(rig, third), 1 + 2 * stride + 2 * (stride - 1) + 10); /* in the first one's slot */
    EXPECT_EQ(rig->lds.stats.passes, 3 * stride);
    free_rig(rig);
  }
}

TEST(lds, accesses_of_one_warp_are_serial_and_other_warps_pass_them) {
  struct lds_params params = usual();
  params.interleave = 2;
  struct rig *rig = make_rig(params);
  uint32_t first = plan_of_warp(rig, 0, 5, 4), again = plan_of_warp(rig, 0, 5, 4), other = plan_of_warp(rig, 0, 6, 4);
  run(rig);
  EXPECT_EQ(replied(rig, first), 1 + 6 + 10);
  EXPECT_EQ(replied(rig, other), 2 + 6 + 10); /* the younger access runs beside it */
  EXPECT_EQ(replied(rig, again), 1 + 8 + 6 + 10);
  free_rig(rig);
}

/* Warp 5 has two accesses before a barrier; warp 6, of work-group `group`, has one after its own group's barrier. */
static struct rig *beside(uint8_t group, uint32_t phase, uint32_t tag[static 3]) {
  struct lds_params params = usual();
  params.interleave = 2;
  struct rig *rig = make_rig(params);
  for (unsigned i = 0; i < 3; i++)
    tag[i] = plan_of_warp(rig, 0, i < 2 ? 5 : 6, 4);
  rig->plan[tag[2]].request.group = group;
  rig->plan[tag[2]].request.phase = phase;
  run(rig);
  return rig;
}

TEST(lds, accesses_after_a_barrier_start_after_their_groups_accesses_before_it) {
  static const struct {
    uint8_t group;
    uint32_t phase;
    bool waits;
  } rows[] = {{0, 0, false}, {0, 1, true}, {1, 1, false}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint32_t tag[3];
    struct rig *rig = beside(rows[i].group, rows[i].phase, tag);
    ct_note("group %u, phase %u", rows[i].group, rows[i].phase);
    EXPECT_EQ(rig->commits.entry[0].tag, tag[0]);
    EXPECT_EQ(rig->commits.entry[1].tag, rows[i].waits ? tag[1] : tag[2]);
    EXPECT_EQ(replied(rig, tag[1]), 1 + 8 + 6 + 10);
    EXPECT_EQ(replied(rig, tag[2]), rows[i].waits ? 1 + 8 + 1 + 6 + 10 : 2 + 6 + 10);
    free_rig(rig);
  }
}

/* When an access of `passes` gets its reply if it is sent together with accesses to global memory of `cycles`
 * cycles. */
static cycle_t replied_beside(uint32_t global_port, uint32_t interleave, uint64_t passes, cycle_t cycles) {
  struct lds_params params = usual();
  params.global_port = global_port;
  params.interleave = interleave;
  struct rig *rig = make_rig(params);
  const uint32_t access = plan_of_warp(rig, 0, 0, passes), other = plan_of_warp(rig, 0, 1, passes);
  rig->give[rig->gives++] = (struct given){0, cycles / 2};
  rig->give[rig->gives++] = (struct given){0, cycles - cycles / 2};
  run(rig);
  const cycle_t last = replied(rig, interleave == 1 ? access : other);
  EXPECT_EQ(rig->lds.stats.contention_cycles, global_port == LDS_GLOBAL_SHARED ? cycles : 0);
  EXPECT_EQ(rig->lds.stats.passes, 2 * passes);
  free_rig(rig);
  return last;
}

TEST(lds, passes_and_cycles_of_global_memory_take_turns_and_add_up) {
  for (uint64_t passes = 1; passes <= 32; passes *= 2)
    for (cycle_t cycles = 1; cycles <= passes; cycles++) {
      ct_note("%u passes, %u cycles", (unsigned)passes, (unsigned)cycles);
      EXPECT_EQ(replied_beside(LDS_GLOBAL_SHARED, 1, passes, cycles), passes + cycles + 10);
      EXPECT_EQ(replied_beside(LDS_GLOBAL_SEPARATE, 1, passes, cycles), passes + 10);
      EXPECT_EQ(replied_beside(LDS_GLOBAL_SHARED, 2, passes, cycles), 2 * passes + cycles + 10);
      EXPECT_EQ(replied_beside(LDS_GLOBAL_SEPARATE, 2, passes, cycles), 2 * passes + 10);
    }
}

TEST(lds, cycles_that_global_memory_took_before_delay_nothing) {
  struct lds_params params = usual();
  params.global_port = LDS_GLOBAL_SHARED;
  struct rig *rig = make_rig(params);
  rig->give[rig->gives++] = (struct given){0, 5}; /* 1 .. 5 */
  const uint32_t in_turn = plan_of_warp(rig, 4, 0, 1), after = plan_of_warp(rig, 20, 0, 1);
  run(rig);
  EXPECT_EQ(replied(rig, in_turn), 6 + 10); /* in cycle 5 it had to wait */
  EXPECT_EQ(replied(rig, after), 21 + 10);
  free_rig(rig);
}

TEST(lds, accesses_without_a_warp_run_side_by_side) {
  struct lds_params params = usual();
  params.interleave = 2;
  struct rig *rig = make_rig(params);
  uint32_t first = plan_of_warp(rig, 0, LDS_NO_WARP, 4), second = plan_of_warp(rig, 0, LDS_NO_WARP, 4);
  run(rig);
  EXPECT_EQ(replied(rig, second), replied(rig, first) + 1);
  free_rig(rig);
}

/* A store of 16 bytes by one lane has three empty phases, which delay the next access but not its own reply. */
TEST(lds, empty_phases_occupy_the_banks_and_delay_no_reply) {
  struct lds_params params = usual();
  params.empty = LDS_EMPTY_PASS;
  for (uint32_t latency = 1; latency <= 6; latency++) {
    params.latency = latency;
    struct rig *rig = make_rig(params);
    uint32_t wide = plan_access(rig, 0, LDS_WRITE, 1, 0, 0), next = plan_access(rig, 0, LDS_READ, 1, 0, 0);
    rig->plan[wide].request.bytes = 16;
    run(rig);
    ct_note("latency %u", latency);
    EXPECT_EQ(replied(rig, wide), 1 + latency);
    EXPECT_EQ(replied(rig, next), 5 + latency);
    EXPECT_EQ(rig->lds.stats.passes, 5);
    free_rig(rig);
  }
}

/* The CU has slots for as many accesses as the LDS can hold at once: queued, waiting, at the banks, and on their way
 * back. */
TEST(lds, accesses_in_flight_reach_but_never_exceed_the_capacity) {
  for (uint32_t interleave = 1; interleave <= 4; interleave++) {
    struct lds_params params = usual();
    params.interleave = interleave;
    params.queue = 2;
    params.latency = 1; /* a larger latency would hide the queues */
    struct rig *rig = make_rig(params);
    for (unsigned i = 0; i < 200; i++) /* the queues fill while a few accesses with conflicts are at the banks */
      plan_of_warp(rig, 0, (uint8_t)(i % 16), i < 4 ? 32 : 1);
    unsigned most = 0;
    for (cycle_t now = 0; island_run(&rig->island, now + 1) != NEVER; now++)
      if (most < rig->sent - rig->replies.count)
        most = rig->sent - rig->replies.count;
    ct_note("interleave %u: %u in flight", interleave, most);
    EXPECT_LE(params.queue * (interleave > 1 ? 2 : 1) + interleave, most);
    EXPECT_LE(most, lds_capacity(&params));
    free_rig(rig);
  }
}

TEST(lds, an_access_starts_when_its_data_have_arrived) {
  struct lds_params params = usual();
  for (params.interleave = 1; params.interleave <= 2; params.interleave++)
    for (uint16_t delay = 0; delay <= 8; delay++) {
      struct rig *rig = make_rig(params);
      rig->plan[plan_access(rig, 0, LDS_WRITE, 32, 0, 4)].request.delay = delay;
      run(rig);
      EXPECT_EQ(rig->replies.entry[0].at, 1u + delay + 10);
      free_rig(rig);
    }
}

/* A slow kind's reply delays those behind it, which would otherwise overtake it. */
TEST(lds, replies_leave_in_order) {
  struct lds_params params = usual();
  params.atomic_latency = 7;
  struct rig *rig = make_rig(params);
  uint32_t atomic = plan_access(rig, 0, LDS_ATOMIC, 32, 0, 4), read = plan_access(rig, 0, LDS_READ, 32, 0, 4);
  uint32_t late = plan_access(rig, 9, LDS_READ, 32, 0, 4);
  run(rig);
  EXPECT_EQ(replied(rig, atomic), 1 + 10 + 7);
  EXPECT_EQ(replied(rig, read), 1 + 10 + 7);
  EXPECT_EQ(replied(rig, late), 10 + 10);
  free_rig(rig);
}

TEST(lds, a_transfer_of_b_beats_is_answered_b_plus_one_cycles_after_the_sending) {
  static const struct {
    uint32_t address, bytes, width, beats;
  } rows[] = {{0, 1, 64, 1},    {0, 64, 64, 1},    {0, 65, 64, 2},   {63, 2, 64, 2},  {60, 256, 64, 5},
              {0, 256, 256, 2}, {0, 256, 0, 2},    {0, 64, 1, 64},   {10, 30, 12, 4}, {128, 128, 128, 1},
              {4, 128, 128, 2}, {4, 124, 1024, 1}, {100, 200, 0, 3}, {96, 48, 48, 1}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct rig *rig = make_rig(usual());
    plan_transfer(rig, 0, 3, rows[i].address, rows[i].bytes, rows[i].width);
    ct_note("row %u", i);
    cycle_t ready = 3 + rows[i].beats + 1;
    island_run(&rig->island, ready);
    EXPECT_EQ(rig->engine[0].replies.count, 0);
    run(rig);
    EXPECT_EQ(rig->engine[0].replies.entry[0].at, ready);
    EXPECT_EQ(rig->commits.entry[0].at, ready - 1); /* its last beat */
    EXPECT_EQ(rig->commits.entry[0].passes, 1);
    EXPECT_EQ(rig->lds.stats.dma_beats, rows[i].beats);
    EXPECT_EQ(rig->lds.stats.dma_bytes, rows[i].bytes);
    EXPECT_EQ(rig->lds.stats.busy_cycles, rows[i].beats);
    free_rig(rig);
  }
}

/* Counts beats byte by byte: one ends at a multiple of the width, at a line's end, and before a gap between lines. */
static uint32_t slow_beats(const struct transfer *transfer, uint32_t row) {
  uint32_t width = transfer->width && transfer->width < row ? transfer->width : row, beats = 0;
  uint64_t before = UINT64_MAX;
  for (uint32_t line = 0; line < transfer->rect.lines; line++)
    for (uint32_t i = 0; i < transfer->rect.bytes; i++) {
      uint64_t at = transfer->rect.base + line * transfer->rect.pitch + i;
      beats += at != before + 1 || at % width == 0;
      before = at;
    }
  return beats;
}

TEST(lds, lines_have_separate_beats_unless_they_are_adjacent) {
  static const struct {
    uint32_t address, bytes, lines, pitch, width, beats;
  } rows[] = {{12, 4, 3, 4, 16, 2},  {12, 4, 3, 8, 16, 3},  {0, 1, 64, 1, 64, 1},
              {0, 1, 64, 2, 64, 64}, {0, 64, 4, 64, 64, 4}, {8, 64, 4, 72, 64, 8},
              {0, 32, 3, 48, 12, 9}, {100, 7, 9, 0, 4, 18}, {0, 20, 5, 128, 16, 10}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct rig *rig = make_rig(usual());
    struct transfer *transfer =
        &rig->engine[0].plan[plan_transfer(rig, 0, 3, rows[i].address, rows[i].bytes, rows[i].width)].transfer;
    transfer->rect.lines = rows[i].lines;
    transfer->rect.pitch = rows[i].pitch;
    run(rig);
    ct_note("row %u", i);
    EXPECT_EQ(slow_beats(transfer, 128), rows[i].beats);
    EXPECT_EQ(rig->engine[0].replies.entry[0].at, 3 + rows[i].beats + 1);
    EXPECT_EQ(rig->commits.count, 1);
    EXPECT_EQ(rig->lds.stats.dma_beats, rows[i].beats);
    EXPECT_EQ(rig->lds.stats.dma_bytes, rows[i].bytes * rows[i].lines);
    free_rig(rig);
  }
}

TEST(lds, transfers_of_one_engine_follow_each_other_without_a_gap) {
  struct rig *rig = make_rig(usual());
  for (unsigned i = 0; i < 100; i++)
    plan_transfer(rig, 0, 0, 64 * i, 64, 64);
  run(rig);
  ASSERT_EQ(rig->engine[0].replies.count, 100);
  for (unsigned i = 0; i < 100; i++)
    EXPECT_EQ(rig->engine[0].replies.entry[i].at, 2 + i);
  free_rig(rig);
}

TEST(lds, two_engines_alternate_beats) {
  struct rig *rig = make_rig(usual());
  plan_transfer(rig, 0, 0, 0, 48, 16);  /* beats in 1, 3, 5 */
  plan_transfer(rig, 1, 0, 64, 80, 16); /* beats in 2, 4, 6, 7, 8 */
  run(rig);
  EXPECT_EQ(rig->engine[0].replies.entry[0].at, 6);
  EXPECT_EQ(rig->engine[1].replies.entry[0].at, 9);
  EXPECT_EQ(rig->lds.stats.busy_cycles, 8);
  EXPECT_EQ(rig->lds.stats.dma_bytes, 128);
  free_rig(rig);
}

/* ---- contention -------------------------------------------------------------------------------
 *
 * Four lanes access four words of bank 0 (passes a b c d); a transfer of four beats accesses banks 0-3, 4-7, 8-11,
 * 12-15 (w x y z). Only w conflicts in bank 0.
 *
 *     cycle          1   2   3   4   5   6   7   8
 *     alternate      a   w   b/x c/y d/z                 the warp wins the first conflict, then w
 *     warps          a   b   c   d   w   x   y   z       w loses four times
 *     dma            w   a/x b/y c/z d                   a loses once
 *     separate       a/w b/x c/y d/z */
TEST(lds, contention_matches_hand_calculation) {
  static const struct {
    const char *name;
    unsigned port, priority, warp_last, dma_last, warp_waits, dma_waits, busy;
  } rows[] = {{"alternate", SHARED, ALTERNATE, 5, 5, 1, 1, 5},
              {"warps", SHARED, WARPS, 4, 8, 0, 4, 8},
              {"dma", SHARED, DMA, 5, 4, 1, 0, 5},
              {"separate, alternate", SEPARATE, ALTERNATE, 4, 4, 0, 0, 4},
              {"separate, warps", SEPARATE, WARPS, 4, 4, 0, 0, 4},
              {"separate, dma", SEPARATE, DMA, 4, 4, 0, 0, 4}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
    for (uint32_t latency = 1; latency <= 10; latency += 9) {
      struct lds_params params = usual();
      params.dma_port = rows[i].port;
      params.priority = rows[i].priority;
      params.latency = latency;
      struct rig *rig = make_rig(params);
      plan_access(rig, 0, LDS_READ, 4, 0, 128);
      plan_transfer(rig, 0, 0, 0, 64, 16);
      run(rig);
      ct_note("%s", rows[i].name);
      const struct lds_stats *stats = &rig->lds.stats;
      EXPECT_EQ(rig->replies.entry[0].at, rows[i].warp_last + latency);
      EXPECT_EQ(rig->replies.entry[0].contention, rows[i].warp_waits);
      EXPECT_EQ(rig->replies.entry[0].conflict, 3);
      EXPECT_EQ(rig->engine[0].replies.entry[0].at, rows[i].dma_last + 1);
      EXPECT_EQ(stats->contention_cycles, rows[i].warp_waits);
      EXPECT_EQ(stats->dma_contention_cycles, rows[i].dma_waits);
      EXPECT_EQ(stats->busy_cycles, rows[i].busy);
      EXPECT_EQ(stats->conflict_cycles, 3);
      free_rig(rig);
    }
}

TEST(lds, an_access_that_loses_its_first_pass_commits_a_cycle_later_and_keeps_its_slot) {
  struct lds_params params = usual();
  params.priority = DMA;
  params.queue = 1;
  struct rig *rig = make_rig(params);
  plan_transfer(rig, 0, 0, 0, 8, 4);       /* beats in 1 (bank 0) and 2 (bank 1) */
  plan_access(rig, 0, LDS_WRITE, 1, 0, 0); /* waits in 1, pass in 2, credit usable at 3 */
  plan_access(rig, 0, LDS_WRITE, 1, 0, 0);
  run(rig);
  EXPECT_EQ(rig->commits.entry[0].at, 2); /* banks 0-15 */
  EXPECT_EQ(rig->commits.entry[0].passes, 0);
  EXPECT_EQ(rig->commits.entry[1].at, 2);
  EXPECT_EQ(rig->commits.entry[1].passes, 1);
  EXPECT_EQ(rig->commits.entry[2].at, 4);
  free_rig(rig);
}

TEST(lds, a_beat_on_other_banks_delays_nothing) {
  struct rig *rig = make_rig(usual());
  plan_access(rig, 0, LDS_READ, 16, 0, 4); /* banks 0-15 */
  plan_transfer(rig, 0, 0, 64, 64, 64);    /* banks 16-31 */
  run(rig);
  EXPECT_EQ(rig->lds.stats.contention_cycles + rig->lds.stats.dma_contention_cycles, 0);
  EXPECT_EQ(rig->lds.stats.busy_cycles, 1);
  free_rig(rig);
}

TEST(lds, every_counter_is_zero_when_nothing_of_its_kind_happens) {
  struct rig *rig = make_rig(usual());
  run(rig);
  for (size_t i = 0; i < lds_stat_group.count; i++)
    EXPECT_EQ(stat_value(&lds_stat_group.rows[i], &rig->lds.stats), 0);
  plan_access(rig, 10, LDS_READ, 32, 0, 8); /* two passes, no DMA */
  component_wake(&rig->cu, 10);
  run(rig);
  EXPECT_EQ(rig->lds.stats.accesses, 1);
  EXPECT_EQ(rig->lds.stats.passes, 2);
  EXPECT_EQ(rig->lds.stats.conflict_cycles, 1);
  EXPECT_EQ(rig->lds.stats.busy_cycles, 2);
  EXPECT_EQ(rig->lds.stats.dma_beats + rig->lds.stats.dma_bytes, 0);
  EXPECT_EQ(rig->lds.stats.contention_cycles + rig->lds.stats.dma_contention_cycles, 0);
  free_rig(rig);
}

/* ---- order and spurious steps ----------------------------------------------------------------- */

/* A transfer of several short lines. */
static void make_lines(struct transfer *transfer, uint64_t *random) {
  transfer->rect.bytes = 1 + transfer->rect.bytes % 16;
  transfer->rect.lines = 1 + (uint32_t)(ct_random(random) % 16);
  transfer->rect.pitch = transfer->rect.bytes + ct_random(random) % 20;
}

static void plan_soak(struct rig *rig, uint64_t seed) {
  uint64_t random = seed * 77 + 1;
  cycle_t at = 0;
  for (unsigned i = 0; i < 300; i++) {
    at += ct_random(&random) % 6 == 0 ? ct_random(&random) % 40 : ct_random(&random) % 2;
    unsigned lanes = 1 + (unsigned)(ct_random(&random) % 32);
    const uint64_t stride = ct_random(&random) % 5 * 8, first = ct_random(&random) % 1024;
    plan_access(rig, at, (enum lds_kind)(ct_random(&random) % 3), lanes, first, stride);
    rig->plan[i].request.warp = (uint8_t)(ct_random(&random) % 4);
    rig->plan[i].request.delay = (uint16_t)(ct_random(&random) % 8 ? 0 : ct_random(&random) % 20);
  }
  for (at = 0; rig->gives < 100; at += ct_random(&random) % 12)
    rig->give[rig->gives++] = (struct given){at, ct_random(&random) % 9};
  for (unsigned e = 0; e < ENGINES; e++) {
    at = 0;
    for (unsigned i = 0; i < (seed % 3 == 0 && e ? 0 : 200); i++) {
      at += ct_random(&random) % 5 == 0 ? ct_random(&random) % 60 : 0;
      const uint32_t width = (uint32_t)(ct_random(&random) % 140), bytes = 1 + (uint32_t)(ct_random(&random) % 200);
      plan_transfer(rig, e, at, ct_random(&random) % 2048, bytes, width);
      if (ct_random(&random) % 3 == 0)
        make_lines(&rig->engine[e].plan[i].transfer, &random);
    }
  }
}

static struct lds_params soak_params(uint64_t seed) {
  struct lds_params params = usual();
  params.latency = 1 + (uint32_t)(seed % 4);
  params.queue = 1 + (uint32_t)(seed / 2 % 5);
  params.priority = (uint32_t)(seed % 3);
  params.dma_port = seed / 3 % 2;
  params.banks = 16u << seed % 3;
  params.interleave = 1 + (uint32_t)(seed / 4 % 3);
  params.atomic_latency = (uint32_t)(seed / 5 % 3);
  params.global_port = seed / 7 % 2;
  return params;
}

static void expect_same(const struct diary *a, const struct diary *b, const char *what) {
  if (EXPECT_EQ(a->count, b->count) && memcmp(a->entry, b->entry, a->count * sizeof *a->entry) == 0)
    return;
  EXPECT_STREQ(what, "the same");
}

static void expect_same_rigs(const struct rig *a, const struct rig *b) {
  expect_same(&a->replies, &b->replies, "replies");
  expect_same(&a->commits, &b->commits, "commits");
  for (unsigned e = 0; e < ENGINES; e++)
    expect_same(&a->engine[e].replies, &b->engine[e].replies, "replies to an engine");
  EXPECT_EQ(memcmp(&a->lds.stats, &b->lds.stats, sizeof a->lds.stats), 0);
}

static struct rig *soaked(uint64_t seed, const size_t *order) {
  struct rig *rig = make_rig(soak_params(seed));
  plan_soak(rig, seed);
  if (order)
    island_order(&rig->island, order);
  run(rig);
  return rig;
}

TEST(lds, the_order_of_steps_changes_nothing) {
  static const size_t orders[][4] = {{3, 2, 1, 0}, {1, 0, 2, 3}, {2, 0, 3, 1}, {1, 3, 0, 2}};
  for (uint64_t seed = 0; seed < 60; seed++) {
    struct rig *plain = soaked(seed, NULL);
    for (unsigned o = 0; o < 4; o++) {
      struct rig *other = soaked(seed, orders[o]);
      ct_note("seed %u, order %u", (unsigned)seed, o);
      expect_same_rigs(plain, other);
      free_rig(other);
    }
    free_rig(plain);
  }
}

/* Steps every component twice in every cycle: nothing may rely on being called only when due. */
TEST(lds, steps_that_are_not_due_change_nothing) {
  for (uint64_t seed = 0; seed < 60; seed++) {
    struct rig *plain = soaked(seed, NULL), *eager = make_rig(soak_params(seed));
    plan_soak(eager, seed);
    eager->lds.every_cycle = seed % 2;
    for (cycle_t now = 0; now < 20000; now++)
      for (unsigned i = 0; i < 2 * eager->island.parts; i++) {
        struct component *part = eager->island.part[i % eager->island.parts];
        ASSERT_TRUE(now < part->step(part->self, now));
      }
    ct_note("seed %u", (unsigned)seed);
    expect_same_rigs(plain, eager);
    free_rig(plain);
    free_rig(eager);
  }
}

TEST(lds, passes_beats_and_replies_balance) {
  for (uint64_t seed = 0; seed < 60; seed++) {
    struct rig *rig = soaked(seed, NULL);
    uint64_t passes = 0, contention = 0, conflict = 0, bytes = 0, beats = 0;
    ct_note("seed %u", (unsigned)seed);
    ASSERT_EQ(rig->replies.count, rig->planned);
    for (unsigned i = 0; i < rig->replies.count; i++) {
      if (rig->lds.params->interleave == 1)
        EXPECT_EQ(rig->replies.entry[i].tag, i);
      passes += rig->replies.entry[i].passes;
      contention += rig->replies.entry[i].contention;
      conflict += rig->replies.entry[i].conflict;
    }
    for (unsigned e = 0; e < ENGINES; e++) {
      ASSERT_EQ(rig->engine[e].replies.count, rig->engine[e].planned);
      for (unsigned i = 0; i < rig->engine[e].planned; i++) {
        const struct transfer *transfer = &rig->engine[e].plan[i].transfer;
        bytes += transfer->rect.bytes * transfer->rect.lines;
        beats += slow_beats(transfer, rig->lds.params->banks * 4);
      }
    }
    const struct lds_stats *stats = &rig->lds.stats;
    EXPECT_EQ(stats->accesses, rig->planned);
    EXPECT_EQ(stats->passes, passes);
    EXPECT_EQ(stats->contention_cycles, contention);
    EXPECT_EQ(stats->conflict_cycles, conflict);
    EXPECT_EQ(stats->dma_bytes, bytes);
    EXPECT_EQ(stats->dma_beats, beats);
    EXPECT_LE(stats->busy_cycles, passes + stats->dma_beats);
    EXPECT_LE(cycle_max(passes, stats->dma_beats), stats->busy_cycles);
    if (rig->lds.params->dma_port == SEPARATE && rig->lds.params->global_port == LDS_GLOBAL_SEPARATE)
      EXPECT_EQ(contention + stats->dma_contention_cycles, 0);
    free_rig(rig);
  }
}

/* Compares the busy cycles with the probes, cycle by cycle. */
TEST(lds, probes_show_every_cycle_of_work_on_request) {
  for (uint64_t seed = 0; seed < 12; seed++) {
    struct rig *rig = make_rig(soak_params(seed));
    plan_soak(rig, seed);
    rig->lds.every_cycle = true;
    uint64_t busy = 0;
    for (cycle_t now = 0; island_run(&rig->island, now + 1) != NEVER; now++)
      busy += rig->lds.probe_warp_banks || rig->lds.probe_dma_banks;
    ct_note("seed %u", (unsigned)seed);
    EXPECT_EQ(busy, rig->lds.stats.busy_cycles);
    free_rig(rig);
  }
}

/* 4 beats of 4 banks; under `warps`, every pass of the warp except the last keeps the engine off its banks. */
TEST(lds, a_waiting_beat_shows_no_banks_for_the_engine) {
  struct lds_params params = usual();
  params.priority = WARPS;
  struct rig *rig = make_rig(params);
  plan_access(rig, 0, LDS_READ, 4, 0, 128);
  plan_transfer(rig, 0, 0, 0, 64, 16);
  rig->lds.every_cycle = true;
  unsigned banks = 0;
  for (cycle_t now = 0; island_run(&rig->island, now + 1) != NEVER; now++) {
    EXPECT_TRUE(!rig->lds.probe_warp_banks || !rig->lds.probe_dma_banks);
    banks += rig->lds.probe_dma_banks;
  }
  EXPECT_EQ(rig->lds.stats.dma_contention_cycles, 4);
  EXPECT_EQ(banks, 64 / 4);
  free_rig(rig);
}
