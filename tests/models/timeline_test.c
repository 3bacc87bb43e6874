/* A timeline's events agree with the report: a listener in memory, for random kernels on the machines of the laws. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/memory.h"
#include "tests/ct.h"
#include "tests/models/random_kernel.h"
#include "tests/models/rig.h"

enum { KERNELS = 4, SLOTS = 64, CUS = 8 };

/* ---- a listener ------------------------------------------------------------------------------- */

struct heard {
  uint32_t stream;
  cycle_t now;
  struct timeline_event event;
};

struct ear {
  struct timeline timeline;
  struct heard *heard;
  size_t count, room;
};

static void take(void *self, uint32_t stream, cycle_t now, const struct timeline_event *event) {
  struct ear *ear = self;
  if (ear->count == ear->room) {
    ear->room = ear->room ? 2 * ear->room : 4096;
    ear->heard = realloc(ear->heard, ear->room * sizeof *ear->heard);
  }
  ear->heard[ear->count++] = (struct heard){stream, now, *event};
}

static struct ear *open_ear(uint32_t kinds) {
  struct ear *ear = calloc(1, sizeof *ear);
  ear->timeline = (struct timeline){.take = take, .self = ear, .kinds = kinds};
  return ear;
}

static void close_ear(struct ear *ear) {
  free(ear->heard);
  free(ear);
}

/* The first event of a kind, or the one after `event`; NULL if there is none. */
static const struct timeline_event *next_of(const struct ear *ear, enum timeline_kind kind,
                                            const struct timeline_event *event) {
  size_t at = 0;
  if (event)
    at = ((size_t)((const char *)event - (const char *)ear->heard) - offsetof(struct heard, event)) /
             sizeof *ear->heard +
         1;
  while (at < ear->count && ear->heard[at].event.kind != kind)
    at++;
  return at < ear->count ? &ear->heard[at].event : NULL;
}

#define FOR_EACH(each, ear, kind)                                                                                      \
  for (const struct timeline_event *each = next_of(ear, kind, NULL); each; each = next_of(ear, kind, each))

static cycle_t cycles_of(const struct timeline_event *event) { return event->to - event->from; }

static uint64_t count(const struct ear *ear, enum timeline_kind kind) {
  uint64_t sum = 0;
  FOR_EACH(event, ear, kind)
  sum++;
  return sum;
}

/* ---- runs ------------------------------------------------------------------------------------- */

/* Runs random kernel `seed` on a machine, with a listener unless `ear` is NULL. */
static bool run(struct rig *rig, unsigned machine, uint64_t seed, struct ear *ear, enum host_order order,
                cycle_t limit) {
  ct_freed(ct_free) char *text = calloc(1, RANDOM_TEXT);
  random_kernel(text, "k", seed);
  *rig = (struct rig){.order = order, .limit = limit};
  bool built = rig_build(rig, machines[machine], 64 + 32 * (uint32_t)(seed % 9), 64, text);
  if (built && ear)
    simulation_emit(rig->simulation, &ear->timeline);
  if (built)
    rig_start(rig);
  return built && rig->ok;
}

typedef void (*check)(const struct rig *rig, const struct ear *ear);

static void over_machines(check holds, cycle_t limit) {
  for (unsigned machine = 0; machine < MACHINES; machine++)
    for (unsigned i = 0; i < KERNELS; i++) {
      ct_freed(rig_free) struct rig rig;
      struct ear *ear = open_ear(UINT32_MAX);
      ct_note("machine %u (%s), kernel %u", machine, machines[machine], i);
      if (run(&rig, machine, machine * KERNELS + i + 1, ear, ORDER_ASCENDING, limit))
        holds(&rig, ear);
      close_ear(ear);
    }
}

/* ---- accounts --------------------------------------------------------------------------------- */

static void warps_have_their_accounts(const struct rig *rig, const struct ear *ear) {
  uint64_t stalls[STALLS] = {0}, resident = 0;
  const uint32_t instructions = rig->program->count;
  uint64_t(*by_pc)[STALLS] = calloc(instructions, sizeof *by_pc);
  FOR_EACH(event, ear, TIMELINE_WARP) {
    const uint64_t stall = event->field[TIMELINE_WARP_STALL], pc = event->field[TIMELINE_WARP_PC];
    EXPECT_LT(stall, STALLS);
    EXPECT_LT(pc, instructions);
    EXPECT_TRUE(stall != STALL_ISSUED || cycles_of(event) == 1);
    stalls[stall] += cycles_of(event);
    by_pc[pc][stall] += cycles_of(event);
    resident += cycles_of(event);
  }
  EXPECT_EQ(resident, rig->result.resident_cycles);
  for (unsigned stall = 0; stall < STALLS; stall++) {
    EXPECT_EQ(stalls[stall], rig->result.stalls[stall]);
    for (uint32_t pc = 0; pc < instructions; pc++)
      EXPECT_EQ(by_pc[pc][stall], rig->result.by_pc[pc].stalls[stall]);
  }
  free(by_pc);
}

TEST(timeline, warp_events_equal_the_accounts_by_bucket_and_instruction) {
  over_machines(warps_have_their_accounts, 0);
}

TEST(timeline, warp_events_equal_the_accounts_of_a_run_cut_short) { over_machines(warps_have_their_accounts, 700); }

/* Each warp's events follow each other, from the work-group's start until its end at the latest. */
static void warps_are_recorded_without_gap(const struct rig *rig, const struct ear *ear) {
  struct {
    cycle_t to;
    uint64_t group, index;
  } last[CUS][SLOTS] = {0};
  uint64_t warps = 0;
  FOR_EACH(event, ear, TIMELINE_WARP) {
    const uint64_t group = event->field[TIMELINE_WARP_GROUP] + 1, index = event->field[TIMELINE_WARP_INDEX];
    EXPECT_LT(event->from, event->to);
    if (last[event->cu][event->unit].group == group && last[event->cu][event->unit].index == index)
      EXPECT_EQ(event->from, last[event->cu][event->unit].to);
    else
      warps++;
    EXPECT_LE(last[event->cu][event->unit].to, event->from);
    last[event->cu][event->unit].to = event->to;
    last[event->cu][event->unit].group = group;
    last[event->cu][event->unit].index = index;
  }
  uint64_t wanted = 0;
  FOR_EACH(event, ear, TIMELINE_GROUP)
  wanted += event->field[TIMELINE_GROUP_WARPS];
  EXPECT_EQ(warps, wanted);
  EXPECT_EQ(count(ear, TIMELINE_GROUP), rig->result.work_groups);
}

TEST(timeline, warp_events_have_no_gaps) { over_machines(warps_are_recorded_without_gap, 0); }

/* A scheduler's issues are the instructions of its warps and the slots of their copies. Its events follow each other or
 * skip cycles in which it has no warps. */
static void schedulers_issue_what_warps_issue(const struct rig *rig, const struct ear *ear) {
  cycle_t last[CUS][SLOTS] = {0};
  uint64_t issued = 0;
  FOR_EACH(event, ear, TIMELINE_SCHEDULER) {
    EXPECT_LT(event->from, event->to);
    EXPECT_LE(last[event->cu][event->unit], event->from);
    last[event->cu][event->unit] = event->to;
    issued += event->field[TIMELINE_SCHEDULER_STALL] == STALL_ISSUED ? cycles_of(event) : 0;
  }
  EXPECT_EQ(issued, rig->result.stalls[STALL_ISSUED]);
}

TEST(timeline, scheduler_events_equal_the_issues_of_warps) { over_machines(schedulers_issue_what_warps_issue, 0); }

/* ---- accesses, meetings, copies ----------------------------------------------------------------- */

static void accesses_are_those_of_the_report(const struct rig *rig, const struct ear *ear) {
  const struct launch_result *result = &rig->result;
  struct sums {
    uint64_t accesses, passes, conflicts, contention;
  } *by_pc = calloc(rig->program->count, sizeof *by_pc);
  uint64_t bytes = 0, kinds[TIMELINE_FIELDS] = {0};
  FOR_EACH(event, ear, TIMELINE_ACCESS) {
    struct sums *sums = &by_pc[event->field[TIMELINE_ACCESS_PC]];
    EXPECT_LT(event->from, event->to);
    sums->accesses++;
    sums->passes += event->field[TIMELINE_ACCESS_PASSES];
    sums->conflicts += event->field[TIMELINE_ACCESS_CONFLICTS];
    sums->contention += event->field[TIMELINE_ACCESS_CONTENTION];
  }
  for (uint32_t pc = 0; pc < rig->program->count; pc++) {
    EXPECT_EQ(by_pc[pc].accesses, result->by_pc[pc].lds_accesses);
    EXPECT_EQ(by_pc[pc].passes, result->by_pc[pc].lds_passes);
    EXPECT_EQ(by_pc[pc].conflicts, result->by_pc[pc].lds_conflict_cycles);
    EXPECT_EQ(by_pc[pc].contention, result->by_pc[pc].lds_contention_cycles);
  }
  FOR_EACH(event, ear, TIMELINE_GLOBAL) {
    EXPECT_LT(event->from, event->to);
    bytes += event->field[TIMELINE_GLOBAL_BYTES];
    kinds[event->field[TIMELINE_GLOBAL_KIND]]++;
  }
  EXPECT_EQ(bytes, result->mem.sectors * rig->machine.mem.sector);
  EXPECT_EQ(kinds[3], result->mem.prefetches);
  EXPECT_EQ(kinds[5], result->cu.copy_accesses);
  free(by_pc);
}

TEST(timeline, accesses_match_the_report) { over_machines(accesses_are_those_of_the_report, 0); }

static void groups_meet_as_the_report_says(const struct rig *rig, const struct ear *ear) {
  uint64_t kinds[TIMELINE_FIELDS] = {0}, waited = 0;
  FOR_EACH(event, ear, TIMELINE_MEET) {
    kinds[event->field[TIMELINE_MEET_KIND]]++;
    EXPECT_LE(event->from, event->field[TIMELINE_MEET_LAST]);
    EXPECT_LT(event->field[TIMELINE_MEET_LAST], event->to);
  }
  FOR_EACH(event, ear, TIMELINE_WAITED) {
    EXPECT_LT(event->from, event->to);
    waited++;
  }
  EXPECT_EQ(kinds[0], rig->result.cu.barriers);
  EXPECT_EQ(kinds[1], rig->result.cu.copies);
  EXPECT_EQ(kinds[2], rig->result.cu.copy_fences);
  EXPECT_EQ(kinds[3], rig->result.cu.waits);
  EXPECT_GE(waited, rig->result.cu.waits);
}

TEST(timeline, meetings_of_work_groups_match_the_report) { over_machines(groups_meet_as_the_report_says, 0); }

static void copies_are_those_of_the_report(const struct rig *rig, const struct ear *ear) {
  uint64_t copies = 0, bytes = 0, forms[ISA_COPY_3D + 1] = {0}, last[CUS] = {0};
  cycle_t longest = 0;
  FOR_EACH(event, ear, TIMELINE_COPY) {
    copies++;
    bytes += event->field[TIMELINE_COPY_BYTES];
    forms[event->field[TIMELINE_COPY_FORM]]++;
    last[event->cu] =
        last[event->cu] > event->field[TIMELINE_COPY_COPY] ? last[event->cu] : event->field[TIMELINE_COPY_COPY];
    longest = cycles_of(event) > longest ? cycles_of(event) : longest;
    EXPECT_LE(event->from, event->field[TIMELINE_COPY_HANDED]);
    EXPECT_LE(event->field[TIMELINE_COPY_HANDED], event->field[TIMELINE_COPY_DONE]);
    EXPECT_LE(event->field[TIMELINE_COPY_DONE], event->to);
  }
  uint64_t numbered = 0;
  for (unsigned cu = 0; cu < CUS; cu++)
    numbered += last[cu];
  EXPECT_EQ(copies, rig->result.cu.copies);
  EXPECT_EQ(numbered, copies);
  EXPECT_EQ(bytes, rig->result.cu.copy_bytes);
  EXPECT_EQ(forms[ISA_COPY_PLAIN], rig->result.cu.copies_plain);
  EXPECT_EQ(forms[ISA_COPY_STRIDED], rig->result.cu.copies_strided);
  EXPECT_LE(launch_copy_latency(&rig->result)->maximum, longest);
}

TEST(timeline, copies_match_the_report) { over_machines(copies_are_those_of_the_report, 0); }

/* ---- banks -------------------------------------------------------------------------------------- */

static void banks_work_as_the_report_says(const struct rig *rig, const struct ear *ear) {
  uint64_t passes = 0, beats = 0, busy = 0;
  cycle_t last[CUS][1 + LDS_ENGINES] = {0}, worked[CUS] = {0};
  FOR_EACH(event, ear, TIMELINE_BANKS) {
    EXPECT_EQ(cycles_of(event), 1);
    EXPECT_LE(last[event->cu][event->unit], event->from);
    last[event->cu][event->unit] = event->to;
    passes += event->unit == 0;
    beats += event->unit != 0;
    EXPECT_TRUE(event->field[TIMELINE_BANKS_BANKS] != 0);
    EXPECT_TRUE(event->field[TIMELINE_BANKS_BANKS] <= UINT64_MAX >> (64 - rig->machine.lds.banks));
    busy += event->to > worked[event->cu];
    worked[event->cu] = event->to;
  }
  EXPECT_EQ(passes, rig->result.lds.passes);
  EXPECT_EQ(beats, rig->result.lds.dma_beats);
  EXPECT_EQ(busy, rig->result.lds.busy_cycles);
}

TEST(timeline, bank_events_match_the_report) { over_machines(banks_work_as_the_report_says, 0); }

/* Whether a copy of the instruction was in flight in that cycle. */
static bool copy_is_in_flight(const struct ear *ear, const struct timeline_event *beat) {
  FOR_EACH(copy, ear, TIMELINE_COPY)
  if (copy->cu == beat->cu && copy->field[TIMELINE_COPY_PC] == beat->field[TIMELINE_BANKS_PC] &&
      copy->field[TIMELINE_COPY_LAUNCH] == beat->field[TIMELINE_BANKS_LAUNCH] && copy->from < beat->from &&
      beat->to <= copy->to)
    return true;
  return false;
}

static void beats_are_of_the_copys_instruction(const struct rig *rig, const struct ear *ear) {
  (void)rig;
  FOR_EACH(event, ear, TIMELINE_BANKS)
  EXPECT_TRUE(!event->unit || copy_is_in_flight(ear, event));
}

TEST(timeline, beats_name_the_copys_instruction) { over_machines(beats_are_of_the_copys_instruction, 0); }

/* ---- engines ------------------------------------------------------------------------------------ */

static void engines_are_those_of_the_report(const struct rig *rig, const struct ear *ear) {
  const struct dma_stats *dma = &rig->result.dma;
  uint64_t queued = 0, held = 0, parts = 0, bytes = 0, requests = 0, moved = 0;
  FOR_EACH(event, ear, TIMELINE_QUEUE) {
    EXPECT_LT(event->from, event->to);
    EXPECT_LT(event->unit, rig->machine.dma.engines);
    queued += cycles_of(event);
  }
  FOR_EACH(event, ear, TIMELINE_CHANNEL) {
    EXPECT_LT(event->unit / TIMELINE_CHANNELS, rig->machine.dma.engines);
    EXPECT_LT(event->unit % TIMELINE_CHANNELS, rig->machine.dma.channels);
    held += cycles_of(event);
    parts++;
    bytes += event->field[TIMELINE_CHANNEL_BYTES];
    requests += event->field[TIMELINE_CHANNEL_REQUESTS];
  }
  FOR_EACH(event, ear, TIMELINE_REQUEST) {
    EXPECT_LT(event->from, event->field[TIMELINE_REQUEST_READ]);
    EXPECT_LT(event->field[TIMELINE_REQUEST_READ], event->to);
    moved += event->field[TIMELINE_REQUEST_BYTES];
  }
  EXPECT_EQ(queued, dma->queue_cycles);
  EXPECT_EQ(held, dma->channel_cycles);
  EXPECT_EQ(parts, dma->descriptors - dma->splits + dma->parts);
  EXPECT_EQ(bytes, dma->bytes);
  EXPECT_EQ(requests, dma->requests);
  EXPECT_EQ(moved, dma->bytes - dma->skipped_bytes);
}

TEST(timeline, engines_match_the_report) { over_machines(engines_are_those_of_the_report, 0); }

/* A copy moves what its channels and requests move, and these lie within it. */
static void requests_lie_within_their_copies(const struct rig *rig, const struct ear *ear) {
  (void)rig;
  FOR_EACH(copy, ear, TIMELINE_COPY) {
    uint64_t of_channels = 0, of_requests = 0;
    FOR_EACH(event, ear, TIMELINE_CHANNEL)
    if (event->field[TIMELINE_CHANNEL_OF] == copy->cu &&
        event->field[TIMELINE_CHANNEL_COPY] == copy->field[TIMELINE_COPY_COPY]) {
      of_channels += event->field[TIMELINE_CHANNEL_BYTES];
      EXPECT_LT(copy->from, event->from);
      EXPECT_LT(event->to, copy->to);
    }
    FOR_EACH(event, ear, TIMELINE_REQUEST)
    if (event->field[TIMELINE_REQUEST_OF] == copy->cu &&
        event->field[TIMELINE_REQUEST_COPY] == copy->field[TIMELINE_COPY_COPY]) {
      of_requests += event->field[TIMELINE_REQUEST_BYTES];
      EXPECT_EQ(event->field[TIMELINE_REQUEST_TO_LDS], copy->field[TIMELINE_COPY_TO_LDS]);
    }
    if (rig->machine.dma.copy == DMA_BY_ENGINE) {
      EXPECT_EQ(of_channels, copy->field[TIMELINE_COPY_BYTES]);
      EXPECT_EQ(of_requests, copy->field[TIMELINE_COPY_BYTES]);
    }
  }
}

TEST(timeline, requests_lie_within_their_copies) { over_machines(requests_lie_within_their_copies, 0); }

/* ---- the path to memory ---------------------------------------------------------------------------- */

static void memory_is_that_of_the_report(const struct rig *rig, const struct ear *ear) {
  const struct mem_stats *mem = &rig->result.mem;
  uint64_t passed[MEM_DMA_WRITE + 1] = {0}, served[MEM_DMA_WRITE + 1] = {0}, bytes[MEM_DMA_WRITE + 1] = {0};
  FOR_EACH(event, ear, TIMELINE_PASSED) {
    const bool dma = mem_is_dma((enum mem_kind)event->field[TIMELINE_PASSED_KIND]);
    EXPECT_EQ(event->unit != 0, dma);
    EXPECT_LE(event->unit, rig->machine.dma.engines);
    EXPECT_LT(event->from, event->to);
    passed[event->field[TIMELINE_PASSED_KIND]] += event->field[TIMELINE_PASSED_BYTES];
  }
  FOR_EACH(event, ear, TIMELINE_SERVED) {
    EXPECT_LT(event->from, event->to);
    EXPECT_LT(event->to, event->field[TIMELINE_SERVED_ARRIVES]);
    served[event->field[TIMELINE_SERVED_KIND]]++;
    bytes[event->field[TIMELINE_SERVED_KIND]] += event->field[TIMELINE_SERVED_BYTES];
  }
  for (unsigned kind = 0; kind <= MEM_DMA_WRITE; kind++)
    EXPECT_EQ(passed[kind], bytes[kind]);
  EXPECT_EQ(served[MEM_LOAD], mem->loads);
  EXPECT_EQ(served[MEM_STORE], mem->stores);
  EXPECT_EQ(served[MEM_ATOMIC], mem->atomics);
  EXPECT_EQ(served[MEM_PREFETCH], mem->prefetches);
  EXPECT_EQ(bytes[MEM_DMA_READ] + bytes[MEM_DMA_WRITE], mem->dma_sector_bytes);
  EXPECT_EQ(bytes[MEM_LOAD] + bytes[MEM_ATOMIC] + bytes[MEM_DMA_READ], mem->link_down_bytes);
  EXPECT_EQ(bytes[MEM_STORE] + bytes[MEM_ATOMIC] + bytes[MEM_DMA_WRITE], mem->link_up_bytes);
}

TEST(timeline, memory_events_match_the_report) { over_machines(memory_is_that_of_the_report, 0); }

/* Listens to one kernel of a test. */
static struct ear *listen(struct rig *rig, const char *settings, uint32_t global, const char *text) {
  struct ear *ear = open_ear(UINT32_MAX);
  *rig = (struct rig){.order = ORDER_ASCENDING};
  if (rig_build(rig, settings, global, 32, text)) {
    simulation_emit(rig->simulation, &ear->timeline);
    rig_start(rig);
  }
  return ear;
}

TEST(timeline, a_load_that_the_l1_serves_moves_no_bytes_and_ends_after_its_latency) {
  ct_freed(rig_free) struct rig rig;
  struct ear *ear = listen(&rig, "mem.l1_size=8K mem.l1_latency=33", 32,
                           ".kernel k\n.arg a global\n.reg x, y\n.reg64 p\n ld.arg.b64 p, a\n"
                           " ld.global.b32 x, [p]\n mov.b32 x, x\n ld.global.b32 y, [p]\n exit\n");
  const struct timeline_event *miss = next_of(ear, TIMELINE_GLOBAL, NULL);
  const struct timeline_event *hit = next_of(ear, TIMELINE_GLOBAL, miss);
  ASSERT_TRUE(miss && hit);
  EXPECT_EQ(miss->field[TIMELINE_GLOBAL_BYTES], rig.machine.mem.sector);
  EXPECT_EQ(hit->field[TIMELINE_GLOBAL_BYTES], 0);
  EXPECT_EQ(cycles_of(hit), 33); /* one sector passes the L1 in the cycle of the issue */
  EXPECT_LE(miss->to, hit->from);
  EXPECT_EQ(count(ear, TIMELINE_SERVED), 1);
  close_ear(ear);
}

TEST(timeline, lane_copies_write_the_lds_inbound_and_read_it_outbound) {
  ct_freed(rig_free) struct rig rig;
  struct ear *ear = listen(&rig, "dma.copy=lanes", 32,
                           ".kernel k\n.arg a global\n.arg b global\n.lds t 1024\n.reg e, f\n.reg64 p, q\n"
                           " ld.arg.b64 p, a\n ld.arg.b64 q, b\n copy.to_lds e, [t], [p], 32, size=4\n wait e\n"
                           " copy.to_global f, [q], [t], 32, size=4\n wait f\n exit\n");
  const struct timeline_event *in = next_of(ear, TIMELINE_ACCESS, NULL), *out = next_of(ear, TIMELINE_ACCESS, in);
  ASSERT_TRUE(in && out);
  EXPECT_EQ(count(ear, TIMELINE_ACCESS), 2);
  EXPECT_EQ(in->field[TIMELINE_ACCESS_KIND], LDS_WRITE);
  EXPECT_EQ(out->field[TIMELINE_ACCESS_KIND], LDS_READ);
  close_ear(ear);
}

TEST(timeline, a_scheduler_gap_shows_the_longest_wait_of_its_next_warp) {
  /* The wait's release takes 7 cycles after a copy of hundreds: the gap is attributed to the copy. */
  ct_freed(rig_free) struct rig rig;
  struct ear *ear =
      listen(&rig, "cu.wait_latency=7", 32,
             ".kernel k\n.arg a global\n.lds t 1024\n.reg e, x\n.reg64 p\n ld.arg.b64 p, a\n mov.b32 e, 0\n"
             " copy.to_lds e, [t], [p], 256, size=4\n wait e\n ld.global.b32 x, [p]\n mov.b32 x, x\n exit\n");
  uint64_t longest = 0, behind = 0;
  FOR_EACH(event, ear, TIMELINE_SCHEDULER) {
    if (event->field[TIMELINE_SCHEDULER_STALL] == STALL_COPY_WAIT)
      longest = cycles_of(event);
    behind += event->field[TIMELINE_SCHEDULER_STALL] == STALL_MEMORY ? cycles_of(event) : 0;
    EXPECT_NE(event->field[TIMELINE_SCHEDULER_STALL], STALL_WAIT_JOIN);
  }
  EXPECT_GE(longest, rig.result.stalls[STALL_COPY_WAIT] + rig.result.stalls[STALL_WAIT_JOIN] - 1);
  EXPECT_GE(behind, rig.result.stalls[STALL_MEMORY] - 1);
  close_ear(ear);
}

TEST(timeline, a_copy_of_several_descriptors_is_one_event_with_all_their_channels) {
  /* Lines of 8 elements, 16 apart; the buffer ends in the middle of the fifth: four and a half lines. */
  ct_freed(rig_free) struct rig rig;
  struct ear *ear =
      listen(&rig, "", 32,
             ".kernel k\n.arg a global\n.lds t 1024\n.reg e, n, l, g, at, z\n.reg64 p, q\n ld.arg.b64 p, a\n"
             " mov.b64 q, 261872\n add.i64 p, p, q\n"
             " mov.b32 e, 0\n mov.b32 z, 4\n mov.b32 at, t\n mov.b32 n, 8\n mov.b32 l, 5\n mov.b32 g, 16\n"
             " copy.to_lds.2d e, [at], [p], n, size=z, lines=l, global_line=g, lds_line=n\n"
             " wait e\n exit\n");
  const struct timeline_event *copy = next_of(ear, TIMELINE_COPY, NULL);
  ASSERT_TRUE(copy);
  EXPECT_EQ(count(ear, TIMELINE_COPY), 1);
  EXPECT_EQ(copy->field[TIMELINE_COPY_BYTES], (4 * 8 + 4) * 4);
  EXPECT_EQ(copy->field[TIMELINE_COPY_FORM], ISA_COPY_2D);
  EXPECT_EQ(rig.result.dma.descriptors, 2);
  EXPECT_EQ(count(ear, TIMELINE_CHANNEL), 2);
  FOR_EACH(event, ear, TIMELINE_CHANNEL) {
    EXPECT_EQ(event->field[TIMELINE_CHANNEL_COPY], 1);
    EXPECT_LT(event->to, copy->to);
  }
  close_ear(ear);
}

/* Three work-groups in a compute unit, so that each has its own engine. Unit 0 stands for the warps, which request
 * nothing. */
TEST(timeline, messages_are_reported_with_their_engine) {
  ct_freed(rig_free) struct rig rig;
  struct ear *ear = listen(&rig, "dma.engines=3", 96,
                           ".kernel k\n.arg a global\n.lds t 256\n.reg e\n.reg64 p\n ld.arg.b64 p, a\n"
                           " copy.to_lds e, [t], [p], 256, size=1\n wait e\n exit\n");
  uint64_t passed[4] = {0}, served[4] = {0};
  FOR_EACH(event, ear, TIMELINE_PASSED)
  passed[event->unit & 3] += event->field[TIMELINE_PASSED_BYTES];
  FOR_EACH(event, ear, TIMELINE_SERVED)
  served[event->unit & 3] += event->field[TIMELINE_SERVED_BYTES];
  for (unsigned unit = 0; unit < 4; unit++) {
    EXPECT_EQ(passed[unit], unit ? 256 : 0);
    EXPECT_EQ(served[unit], unit ? 256 : 0);
  }
  close_ear(ear);
}

TEST(timeline, passes_that_use_no_bank_are_reported_as_such) {
  ct_freed(rig_free) struct rig rig;
  struct ear *ear = listen(&rig, "lds.empty=pass", 32,
                           ".kernel k\n.lds t 1024\n.reg x, y[4]\n.pred c\n get.local_id x, x\n"
                           " setp.lt.u32 c, x, 1\n shl.b32 x, x, 4\n@c ld.lds.b128 y, [x]\n exit\n");
  uint64_t idle = 0;
  FOR_EACH(event, ear, TIMELINE_BANKS)
  idle += !event->field[TIMELINE_BANKS_BANKS];
  EXPECT_EQ(count(ear, TIMELINE_BANKS), rig.result.lds.passes);
  EXPECT_GT(idle, 0);
  EXPECT_EQ(rig_pc(&rig, "ld.lds")->lds_passes, rig.result.lds.passes); /* if they are also its instruction's */
  close_ear(ear);
}

/* ---- runs that are cut short ---------------------------------------------------------------------- */

/* Events whose end is known and reported early: releases, loads that the L1 serves, messages in the memory port. */
static bool may_end_later(enum timeline_kind kind) {
  return kind == TIMELINE_MEET || kind == TIMELINE_WAITED || kind == TIMELINE_GLOBAL || kind == TIMELINE_PASSED;
}

/* Events still in progress are reported with the end of the run as their end: nothing is missing. */
static void what_is_cut_short_is_told(const struct rig *rig, const struct ear *ear) {
  const struct launch_result *result = &rig->result;
  const struct isa_program *program = rig->program;
  uint64_t sent = 0, queued = 0, held = 0, bytes = 0, sectors = 0;
  for (size_t i = 0; i < ear->count; i++) {
    const struct timeline_event *event = &ear->heard[i].event;
    if (!may_end_later(event->kind))
      EXPECT_LE(event->to, result->cycles);
    EXPECT_LE(event->from, event->to);
  }
  for (uint32_t pc = 0; pc < program->count; pc++) {
    sent += result->by_pc[pc].lds_accesses;
    sectors += result->by_pc[pc].sectors;
  }
  FOR_EACH(event, ear, TIMELINE_QUEUE)
  queued += cycles_of(event);
  FOR_EACH(event, ear, TIMELINE_CHANNEL)
  held += cycles_of(event);
  FOR_EACH(event, ear, TIMELINE_GLOBAL)
  bytes += event->field[TIMELINE_GLOBAL_BYTES];
  EXPECT_EQ(count(ear, TIMELINE_ACCESS), sent);
  EXPECT_EQ(queued, result->dma.queue_cycles);
  EXPECT_EQ(held, result->dma.channel_cycles);
  EXPECT_EQ(count(ear, TIMELINE_COPY), result->cu.copies);
  EXPECT_EQ(count(ear, TIMELINE_GROUP), result->work_groups - result->never_started);
  if (!rig->machine.mem.l1_size)
    EXPECT_EQ(bytes, sectors * rig->machine.mem.sector);
  uint64_t served = 0;
  FOR_EACH(event, ear, TIMELINE_SERVED)
  served += event->field[TIMELINE_SERVED_KIND] < MEM_DMA_READ;
  EXPECT_EQ(served, result->mem.loads + result->mem.stores + result->mem.atomics + result->mem.prefetches);
  FOR_EACH(event, ear, TIMELINE_REQUEST) /* an engine starts at most one a cycle: no two are equal */
  for (const struct timeline_event *other = event; (other = next_of(ear, TIMELINE_REQUEST, other));)
    EXPECT_FALSE(other->cu == event->cu && other->from == event->from &&
                 other->unit / TIMELINE_CHANNELS == event->unit / TIMELINE_CHANNELS);
}

TEST(timeline, events_cut_short_are_reported) {
  over_machines(what_is_cut_short_is_told, 300);
  over_machines(what_is_cut_short_is_told, 1100);
}

TEST(timeline, a_deadlock_shows_waiting_warps_until_its_end) {
  ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING};
  struct ear *ear = open_ear(UINT32_MAX);
  ASSERT_TRUE(rig_build(&rig, "", 64, 64,
                        ".kernel k\n.reg x\n.pred c\n get.local_id x, x\n setp.lt.u32 c, x, 32\n@c bra over\n bar\n"
                        "over: exit\n"));
  simulation_emit(rig.simulation, &ear->timeline);
  rig_start(&rig);
  EXPECT_EQ(rig.result.end, END_DEADLOCK);
  const struct timeline_event *meet = next_of(ear, TIMELINE_MEET, NULL), *group = next_of(ear, TIMELINE_GROUP, NULL);
  ASSERT_TRUE(meet && group);
  EXPECT_EQ(meet->to, rig.result.cycles);
  EXPECT_EQ(meet->field[TIMELINE_MEET_LAST], rig.result.cycles);
  EXPECT_EQ(group->to, rig.result.cycles);
  warps_have_their_accounts(&rig, ear);
  close_ear(ear);
}
