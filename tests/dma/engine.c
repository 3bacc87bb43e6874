/* A DMA engine between a CU that follows a script, the real LDS, and a memory of constant latency. */
#include <stdlib.h>
#include <string.h>

#include "dma/dma.h"
#include "lds/lds.h"
#include "tests/ct.h"

enum { COPIES = 256, GLOBAL_BYTES = 1 << 18, LDS_BYTES = 1 << 18, MEMORY_LATENCY = 2 };

struct rig {
  struct island island;
  struct dma dma;
  struct lds lds;
  struct component cu, memory;
  /* the CU's script and its diary: when each copy was sent, when its event completed */
  struct dma_descriptor copy[COPIES];
  cycle_t at[COPIES], sent[COPIES], done[COPIES];
  uint32_t order[COPIES]; /* tags in the order of completion */
  unsigned planned, next_copy, completed;
  /* memory: a reply arrives `read` or `write` cycles after the request was sent; it takes a request
   * in every `gap` cycles */
  cycle_t read, write, gap, last_taken;
  uint64_t read_requests, write_requests, largest, hash;
  uint8_t touched_global[GLOBAL_BYTES], touched_lds[LDS_BYTES]; /* times that a byte was read or written */
};

static cycle_t cu_step(void *self, cycle_t now) {
  struct rig *rig = self;
  const struct dma_done *done;
  while ((done = port_peek(&rig->dma.to_cu, now))) {
    rig->done[done->tag] = now;
    rig->order[rig->completed++] = (uint32_t)done->tag;
    port_take(&rig->dma.to_cu, now);
  }
  while (rig->next_copy < rig->planned && rig->at[rig->next_copy] <= now && port_can_send(&rig->dma.from_cu, now)) {
    rig->sent[rig->next_copy] = now;
    port_send(&rig->dma.from_cu, &rig->copy[rig->next_copy++], now);
  }
  cycle_t next = port_next(&rig->dma.to_cu);
  if (rig->next_copy < rig->planned)
    next = cycle_min(next, cycle_max(rig->at[rig->next_copy], port_free_at(&rig->dma.from_cu)));
  return next;
}

static cycle_t memory_step(void *self, cycle_t now) {
  struct rig *rig = self;
  const struct transfer *transfer;
  while ((transfer = port_peek(&rig->dma.to_memory, now)) && (!rig->gap || now >= rig->last_taken + rig->gap)) {
    struct dma_request covers = dma_covers(&rig->dma, transfer->tag);
    EXPECT_EQ(covers.to_lds, !transfer->write);
    EXPECT_EQ(covers.global, transfer->address);
    EXPECT_EQ(covers.bytes, transfer->bytes);
    for (uint32_t i = 0; i < covers.bytes; i++)
      rig->touched_global[covers.global + i]++;
    rig->hash = (rig->hash ^ now ^ transfer->address << 20 ^ transfer->tag) * UINT64_C(1099511628211);
    rig->largest = transfer->bytes > rig->largest ? transfer->bytes : rig->largest;
    rig->read_requests += !transfer->write;
    rig->write_requests += transfer->write;
    cycle_t arrival = now - 1 + (transfer->write ? rig->write : rig->read);
    struct transfer_reply reply = {.tag = transfer->tag};
    EXPECT_TRUE(port_can_send(&rig->dma.from_memory, now));
    port_take(&rig->dma.to_memory, now);
    rig->last_taken = now;
    port_send_at(&rig->dma.from_memory, &reply, now, cycle_max(arrival, rig->dma.from_memory.last));
  }
  return cycle_max(now + 1, cycle_max(port_next(&rig->dma.to_memory), rig->gap ? rig->last_taken + rig->gap : 0));
}

static void commit_dma(void *context, unsigned engine, uint32_t tag) {
  struct rig *rig = context;
  struct dma_request covers = dma_covers(&rig->dma, tag);
  EXPECT_EQ(engine, 0);
  for (uint32_t i = 0; i < covers.bytes; i++)
    rig->touched_lds[covers.lds + i]++;
}

static struct dma_params usual(void) {
  return (struct dma_params){.engines = 1,
                             .channels = 4,
                             .queue = 8,
                             .issue_gap = 1,
                             .setup = 20,
                             .completion = 10,
                             .outstanding = 64,
                             .granularity = 64,
                             .burst = 256,
                             .read_width = 64,
                             .write_width = 64};
}

static struct rig *make_rig(struct dma_params params) {
  struct rig *rig = calloc(1, sizeof *rig);
  struct lds_params lds = {.banks = 32, .bank_bytes = 4, .size = LDS_BYTES, .latency = 10, .queue = 8};
  struct lds_commit commit = {.context = rig, .dma = commit_dma};
  struct component *engine = &rig->dma.component;
  rig->read = rig->write = 30;
  rig->cu = (struct component){.name = "cu", .step = cu_step, .self = rig};
  rig->memory = (struct component){.name = "memory", .step = memory_step, .self = rig};
  EXPECT_TRUE(lds_init(&rig->lds, &lds, &commit, &rig->cu, &engine, 1));
  EXPECT_TRUE(
      dma_init(&rig->dma, &params, &rig->cu, &rig->memory, MEMORY_LATENCY, &rig->lds.from_dma[0], &rig->lds.to_dma[0]));
  struct component *parts[] = {&rig->cu, &rig->dma.component, &rig->lds.component, &rig->memory};
  for (unsigned i = 0; i < 4; i++)
    island_add(&rig->island, parts[i]);
  return rig;
}

static void free_rig(struct rig *rig) {
  dma_free(&rig->dma);
  lds_free(&rig->lds);
  free(rig);
}

static struct dma_descriptor *plan(struct rig *rig, cycle_t at, struct dma_descriptor copy) {
  copy.tag = rig->planned;
  copy.issued = at;
  rig->at[rig->planned] = at;
  rig->copy[rig->planned] = copy;
  return &rig->copy[rig->planned++];
}

static struct dma_descriptor *plan_plain(struct rig *rig, cycle_t at, bool to_lds, uint64_t global, uint32_t lds,
                                         uint32_t bytes) {
  return plan(rig, at,
              (struct dma_descriptor){.to_lds = to_lds, .global = global, .lds = lds, .line_bytes = bytes, .lines = 1});
}

static void run(struct rig *rig) {
  EXPECT_EQ(island_run(&rig->island, 10000000), NEVER);
  EXPECT_EQ(rig->completed, rig->planned);
}

/* The cycle in which the event of one copy, sent at 0 to an idle engine, completes. */
static cycle_t alone(struct dma_params params, struct dma_descriptor copy, cycle_t memory) {
  struct rig *rig = make_rig(params);
  rig->read = rig->write = memory;
  plan(rig, 0, copy);
  run(rig);
  cycle_t done = rig->done[0];
  free_rig(rig);
  return done;
}

static struct dma_descriptor plain(bool to_lds, uint64_t global, uint32_t lds, uint32_t bytes) {
  return (struct dma_descriptor){.to_lds = to_lds, .global = global, .lds = lds, .line_bytes = bytes, .lines = 1};
}

/* ---- closed forms ----------------------------------------------------------------------------- */

TEST(dma, one_request_takes_the_sum_of_its_stages_and_not_a_cycle_less) {
  for (unsigned to_lds = 0; to_lds < 2; to_lds++)
    for (uint32_t bytes = 1; bytes <= 64; bytes++)
      for (unsigned widths = 0; widths < 9; widths++) {
        struct dma_params params = usual();
        params.read_width = widths % 3 == 0 ? 64 : widths % 3 == 1 ? 16 : 7;
        params.write_width = widths / 3 == 0 ? 64 : widths / 3 == 1 ? 16 : 7;
        cycle_t sides = div_up(bytes, params.read_width) + div_up(bytes, params.write_width);
        struct rig *rig = make_rig(params);
        plan_plain(rig, 4, to_lds, 0, 0, bytes);
        cycle_t done = 4 + 1 + params.setup + rig->read + sides + params.completion;
        ct_note("to_lds %u, %u bytes, widths %u and %u", to_lds, bytes, params.read_width, params.write_width);
        island_run(&rig->island, done);
        EXPECT_EQ(rig->completed, 0);
        run(rig);
        EXPECT_EQ(rig->done[0], done);
        EXPECT_EQ(rig->dma.latency.maximum, done - 4);
        free_rig(rig);
      }
}

/* dma.h's formula for n equal requests, none waiting for another to land. */
static cycle_t streaming(const struct dma_params *params, uint64_t bytes, cycle_t memory) {
  uint64_t g = params->granularity, n = bytes / g;
  uint64_t read = div_up(g, params->read_width), write = div_up(g, params->write_width);
  uint64_t slowest = cycle_max(1, cycle_max(read, write));
  return 1 + params->setup + (n - 1) * slowest + read + memory + write + params->completion;
}

TEST(dma, a_long_copy_goes_at_the_pace_of_its_narrowest_part) {
  static const struct {
    const char *narrowest;
    uint32_t granularity, read_width, write_width;
  } rows[] = {{"one request a cycle", 64, 128, 128},
              {"one request a cycle, equal widths", 64, 64, 64},
              {"one request a cycle, short ones", 16, 64, 64},
              {"read width", 64, 16, 64},
              {"read width", 128, 32, 64},
              {"write width", 64, 64, 8},
              {"write width", 128, 128, 64},
              {"write width", 32, 16, 1}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
    for (unsigned to_lds = 0; to_lds < 2; to_lds++)
      for (uint32_t bytes = rows[i].granularity; bytes <= 65536; bytes *= 4) {
        struct dma_params params = usual();
        params.granularity = rows[i].granularity;
        params.read_width = rows[i].read_width;
        params.write_width = rows[i].write_width;
        params.outstanding = 4096;
        ct_note("%s, to_lds %u, %u bytes", rows[i].narrowest, to_lds, bytes);
        EXPECT_EQ(alone(params, plain(to_lds, 4096, 0, bytes), 100), streaming(&params, bytes, 100));
      }
}

/* When `outstanding` requests do not cover the way there and back, they go in rounds of it. */
TEST(dma, a_long_copy_goes_at_the_pace_of_its_outstanding_requests) {
  for (unsigned to_lds = 0; to_lds < 2; to_lds++)
    for (uint32_t outstanding = 1; outstanding <= 24; outstanding++)
      for (uint32_t n = 1; n <= 100; n += 3) {
        struct dma_params params = usual();
        params.outstanding = outstanding;
        params.read_width = n % 2 ? 64 : 32;
        params.write_width = n % 5 ? 64 : 16;
        cycle_t read = 64 / params.read_width, write = 64 / params.write_width;
        cycle_t trip = read + 100 + write, slowest = cycle_max(read, write); /* 24 x 4 cycles do not cover a trip */
        cycle_t last = (n - 1) / outstanding * trip + (n - 1) % outstanding * slowest;
        ct_note("to_lds %u, %u outstanding, %u requests", to_lds, outstanding, n);
        EXPECT_EQ(alone(params, plain(to_lds, 0, 0, 64 * n), 100), 1 + params.setup + last + trip + params.completion);
      }
}

TEST(dma, the_copy_drawn_in_the_header_takes_17_cycles) {
  struct dma_params params = usual();
  params.granularity = 128;
  params.write_width = 32;
  params.setup = 2;
  params.completion = 3;
  EXPECT_EQ(alone(params, plain(true, 0, 0, 128), 5), 17);
}

/* dma.h's recurrence, for any copy and any parameters, with an idle LDS and a memory that answers after
 * `memory` cycles. */
static cycle_t recurrence(const struct dma_params *params, const struct dma_descriptor *copy, cycle_t memory) {
  static cycle_t landed[1 << 16];
  const uint32_t row = 32 * 4;
  uint32_t lds_width = copy->to_lds ? params->write_width : params->read_width;
  uint32_t far_width = copy->to_lds ? params->read_width : params->write_width;
  lds_width = lds_width < row ? lds_width : row;
  cycle_t ready = 1 + params->setup, beats_end = 0, done = 0;
  uint64_t side = 0; /* when the far side is free, in bytes */
  size_t n = 0;
  for (uint32_t line = 0; line < copy->lines; line++, ready += params->line_cycles)
    for (uint32_t at = 0; at < copy->line_bytes;) {
      uint64_t global = copy->global + line * copy->global_pitch + at;
      uint32_t lds = copy->lds + line * copy->lds_pitch + at,
               bytes = params->granularity - (uint32_t)(global % params->granularity);
      if (bytes > copy->line_bytes - at)
        bytes = copy->line_bytes - at;
      at += bytes;
      cycle_t sent = ready;
      if (n >= params->outstanding)
        sent = cycle_max(sent, landed[n - params->outstanding]);
      ready = sent + 1;
      uint32_t beats = (lds + bytes - 1) / lds_width - lds / lds_width + 1;
      if (copy->to_lds) {
        side = cycle_max(side, (sent + memory) * far_width) + bytes;
        beats_end = cycle_max(beats_end, div_up(side, far_width) - 1) + beats;
        landed[n] = beats_end + 1;
      } else {
        beats_end = cycle_max(beats_end, sent) + beats;
        side = cycle_max(side, (beats_end + 1) * far_width) + bytes;
        landed[n] = div_up(side, far_width) - 1 + memory;
      }
      done = landed[n++];
    }
  return (n ? done : 1 + params->setup) + cycle_max(params->completion, 1); /* a link takes a cycle */
}

static struct dma_descriptor random_copy(uint64_t *random) {
  struct dma_descriptor copy = {
      .to_lds = ct_random(random) % 2, .global = ct_random(random) % 4096, .lds = (uint32_t)(ct_random(random) % 4096)};
  if (ct_random(random) % 3) {
    copy.lines = 1;
    copy.line_bytes = (uint32_t)(ct_random(random) % (UINT64_C(1) << ct_random(random) % 17));
  } else {
    copy.lines = (uint32_t)(ct_random(random) % 40);
    copy.line_bytes = (uint32_t)(ct_random(random) % (UINT64_C(1) << ct_random(random) % 9));
    copy.global_pitch = copy.line_bytes + ct_random(random) % 300;
    copy.lds_pitch = copy.line_bytes + (uint32_t)(ct_random(random) % 10);
  }
  return copy;
}

static struct dma_params random_params(uint64_t *random) {
  struct dma_params params = usual();
  params.channels = 1 + (uint32_t)(ct_random(random) % 6);
  params.queue = 1 + (uint32_t)(ct_random(random) % 9);
  params.issue_gap = 1 + (uint32_t)(ct_random(random) % 8);
  params.setup = (uint32_t)(ct_random(random) % 25);
  params.completion = (uint32_t)(ct_random(random) % 15);
  params.outstanding = ct_random(random) % 2 ? 1 + (uint32_t)(ct_random(random) % 10) : 200;
  params.granularity = 16u << ct_random(random) % 5;
  params.burst = 4u << ct_random(random) % 11;
  params.read_width = 1 + (uint32_t)(ct_random(random) % 256);
  params.write_width = 1 + (uint32_t)(ct_random(random) % 256);
  params.line_cycles = (uint32_t)(ct_random(random) % 4);
  params.arbitration = (uint32_t)(ct_random(random) % 3);
  return params;
}

TEST(dma, any_copy_on_an_idle_engine_is_as_the_recurrence_says) {
  uint64_t random = 3;
  for (unsigned i = 0; i < 3000; i++) {
    struct dma_params params = random_params(&random);
    struct dma_descriptor copy = random_copy(&random);
    cycle_t memory = 1 + MEMORY_LATENCY + ct_random(&random) % 80;
    ct_note("case %u: to_lds %d, %u lines of %u, outstanding %u, widths %u %u, granularity %u", i, copy.to_lds,
            copy.lines, copy.line_bytes, params.outstanding, params.read_width, params.write_width, params.granularity);
    if (!EXPECT_EQ(alone(params, copy, memory), recurrence(&params, &copy, memory)))
      return;
  }
}

TEST(dma, a_copy_of_nothing_completes_after_setup_and_completion) {
  static const struct dma_descriptor nothing[] = {
      {.line_bytes = 0, .lines = 5}, {.line_bytes = 64, .lines = 0}, {.to_lds = true}};
  for (unsigned i = 0; i < 3; i++)
    for (uint32_t setup = 0; setup < 3; setup++)
      for (uint32_t completion = 0; completion < 3; completion++) {
        struct dma_params params = usual();
        params.setup = setup;
        params.completion = completion;
        cycle_t done = 1 + setup + completion;
        ct_note("setup %u, completion %u", setup, completion);
        EXPECT_EQ(alone(params, nothing[i], 30), completion ? done : done + 1); /* a link takes a cycle */
      }
}

/* ---- every parameter moves the result ----------------------------------------------------------- */

TEST(dma, more_of_a_parameter_makes_a_copy_slower_or_faster_as_it_should) {
  struct dma_descriptor copy = {.to_lds = true, .line_bytes = 256, .lines = 8, .global_pitch = 512, .lds_pitch = 256};
  struct dma_params base = usual(), p;
  base.outstanding = 8;
  base.read_width = base.write_width = 32;
  cycle_t usually = alone(base, copy, 60);
  p = base, p.setup++;
  EXPECT_EQ(alone(p, copy, 60), usually + 1);
  p = base, p.setup = 0;
  EXPECT_EQ(alone(p, copy, 60), usually - base.setup);
  p = base, p.completion++;
  EXPECT_EQ(alone(p, copy, 60), usually + 1);
  p = base, p.outstanding = 16;
  EXPECT_LT(alone(p, copy, 60), usually);
  p = base, p.granularity = 16;
  EXPECT_LT(usually, alone(p, copy, 60));
  p = base, p.read_width = 4;
  EXPECT_LT(usually, alone(p, copy, 60));
  p = base, p.write_width = 4;
  EXPECT_LT(usually, alone(p, copy, 60));
  p = base, p.line_cycles = 64;
  EXPECT_LT(usually, alone(p, copy, 60));
}

TEST(dma, following_lines_start_line_cycles_later) {
  struct dma_params params = usual();
  struct dma_descriptor copy = {.to_lds = true, .line_bytes = 4, .lines = 10, .global_pitch = 64, .lds_pitch = 4};
  cycle_t without = alone(params, copy, 30);
  for (uint32_t cycles = 1; cycles < 20; cycles++) {
    params.line_cycles = cycles;
    EXPECT_EQ(alone(params, copy, 30), without + 9 * cycles);
  }
}

TEST(dma, descriptors_are_accepted_issue_gap_cycles_apart) {
  for (uint32_t gap = 1; gap < 30; gap += 7) {
    struct dma_params params = usual();
    params.issue_gap = gap;
    params.channels = 64;
    struct rig *rig = make_rig(params);
    for (unsigned i = 0; i < 8; i++)
      plan_plain(rig, 0, true, 64 * i, 64 * i, 64);
    run(rig);
    for (unsigned i = 0; i < 8; i++)
      EXPECT_EQ(rig->done[i], rig->done[0] + i * gap);
    /* Descriptor i arrives at 1 and waits i gaps. */
    EXPECT_EQ(rig->dma.stats.queue_cycles, 28 * gap);
    EXPECT_EQ(rig->dma.queue_peak, 7); /* one is accepted as they arrive */
    free_rig(rig);
  }
}

TEST(dma, a_full_queue_holds_the_sender_until_a_channel_takes_a_descriptor) {
  struct dma_params params = usual();
  params.channels = 1;
  params.queue = 2;
  struct rig *rig = make_rig(params);
  for (unsigned i = 0; i < 5; i++)
    plan_plain(rig, 0, true, 64 * i, 64 * i, 64);
  run(rig);
  /* The channel is held from acceptance to landing; a slot is seen free a cycle after acceptance. */
  cycle_t held = params.setup + 30 + 1 + 1;
  EXPECT_EQ(rig->sent[0], 0);
  EXPECT_EQ(rig->sent[1], 0);
  for (unsigned i = 2; i < 5; i++) {
    EXPECT_EQ(rig->sent[i], 1 + (i - 2) * held + 1);
    EXPECT_EQ(rig->done[i], 1 + (i + 1) * held + params.completion);
  }
  free_rig(rig);
}

TEST(dma, more_channels_overlap_more_copies) {
  cycle_t before = NEVER;
  for (uint32_t channels = 1; channels <= 8; channels *= 2) {
    struct dma_params params = usual();
    params.channels = channels;
    struct rig *rig = make_rig(params);
    for (unsigned i = 0; i < 8; i++)
      plan_plain(rig, 0, i % 2, 64 * i, 64 * i, 64);
    run(rig);
    EXPECT_TRUE(rig->done[7] < before);
    before = rig->done[7];
    free_rig(rig);
  }
}

/* ---- arbitration -------------------------------------------------------------------------------- */

enum { ROUND_ROBIN, OLDEST, PRIORITY };

/* Three copies of 512 bytes in three channels; their order of completion and where the last of each ends. */
static struct rig *three(uint32_t arbitration, uint32_t burst) {
  struct dma_params params = usual();
  params.arbitration = arbitration;
  params.burst = burst;
  struct rig *rig = make_rig(params);
  for (unsigned i = 0; i < 3; i++)
    plan_plain(rig, 0, true, 4096 * i, 4096 * i, 512);
  run(rig);
  return rig;
}

TEST(dma, arbitration_decides_who_sends_the_next_burst) {
  /* Channel i is ready i cycles after the first. Eight requests each; requests leave in cycles
   * 0 .. 23 after the first. round robin, bursts of 4: a a a a b b b b c c c c a a a a b b b b c c c c. */
  cycle_t first = 1 + usual().setup, rest = 30 + 1 + 1 + usual().completion;
  static const struct {
    uint32_t arbitration, burst, last[3];
  } rows[] = {{ROUND_ROBIN, 256, {15, 19, 23}},
              {ROUND_ROBIN, 4096, {7, 15, 23}},
              {OLDEST, 256, {7, 15, 23}},
              {PRIORITY, 256, {7, 15, 23}},
              /* bursts of one: a b c a b c ... */
              {ROUND_ROBIN, 64, {21, 22, 23}},
              {ROUND_ROBIN, 4, {21, 22, 23}}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct rig *rig = three(rows[i].arbitration, rows[i].burst);
    for (unsigned copy = 0; copy < 3; copy++) {
      ct_note("row %u, copy %u", i, copy);
      EXPECT_EQ(rig->done[copy], first + rows[i].last[copy] + rest);
    }
    EXPECT_EQ(rig->dma.stats.bursts, 3 * (rows[i].burst < 64 ? 8 : 512 / cycle_min(rows[i].burst, 512)));
    free_rig(rig);
  }
}

/* Channel 0 frees first and takes the youngest descriptor: the lowest channel is not the oldest. */
TEST(dma, oldest_and_priority_differ_when_a_low_channel_holds_a_young_descriptor) {
  cycle_t done[3][3];
  for (uint32_t arbitration = ROUND_ROBIN; arbitration <= PRIORITY; arbitration++) {
    struct dma_params params = usual();
    params.arbitration = arbitration;
    params.channels = 2;
    params.setup = 0;
    struct rig *rig = make_rig(params);
    rig->read = 3;
    plan_plain(rig, 0, true, 0, 0, 64);
    plan_plain(rig, 0, true, 4096, 4096, 4096);
    plan_plain(rig, 0, true, 8192, 8192, 2048);
    run(rig);
    for (unsigned i = 0; i < 3; i++)
      done[arbitration][i] = rig->done[i];
    free_rig(rig);
  }
  EXPECT_LT(done[OLDEST][1], done[OLDEST][2]);
  EXPECT_LT(done[PRIORITY][2], done[PRIORITY][1]);
  EXPECT_LT(done[PRIORITY][2], done[ROUND_ROBIN][2]);
  EXPECT_LT(done[ROUND_ROBIN][2], done[OLDEST][2]);
}

TEST(dma, bursts_end_at_multiples_of_burst_and_at_line_ends) {
  struct dma_params params = usual();
  struct rig *rig = make_rig(params);
  plan_plain(rig, 0, true, 200, 0, 400); /* 200-255 | 256-511 | 512-599 */
  plan(rig, 500,
       (struct dma_descriptor){.to_lds = true, .line_bytes = 16, .lines = 5, .global_pitch = 16, .lds_pitch = 16});
  run(rig);
  EXPECT_EQ(rig->dma.stats.bursts, 3 + 5);
  EXPECT_EQ(rig->dma.stats.requests, 1 + 4 + 2 + 5);
  free_rig(rig);
}

/* ---- counters ------------------------------------------------------------------------------------ */

TEST(dma, every_counter_is_zero_on_an_idle_engine) {
  struct rig *rig = make_rig(usual());
  run(rig);
  for (size_t i = 0; i < dma_stat_group.count; i++)
    EXPECT_EQ(stat_value(&dma_stat_group.rows[i], &rig->dma.stats), 0);
  EXPECT_EQ(rig->dma.latency.count, 0);
  EXPECT_EQ(rig->dma.queue_peak, 0);
  free_rig(rig);
}

/* One channel, two requests under way at most, memory 10 cycles: round trip 12 from sending to landing.
 *
 *     cycle        1    21  22   33  34   45      46
 *     copy 0       acc  r0  r1   r2  r3   r2 lands r3 lands: acceptance 1, finished 46
 *     copy 1       (arrives at 1, waits)           acc 46, 66 r0, lands 78                    */
TEST(dma, counters_are_as_worked_out_by_hand) {
  struct dma_params params = usual();
  params.channels = 1;
  params.outstanding = 2;
  struct rig *rig = make_rig(params);
  rig->read = 10;
  plan_plain(rig, 0, true, 0, 0, 256);
  plan_plain(rig, 0, true, 256, 256, 64);
  run(rig);
  const struct dma_stats *stats = &rig->dma.stats;
  EXPECT_EQ(stats->descriptors, 2);
  EXPECT_EQ(stats->lines, 2);
  EXPECT_EQ(stats->bursts, 2);
  EXPECT_EQ(stats->requests, 5);
  EXPECT_EQ(stats->bytes, 320);
  EXPECT_EQ(stats->busy_cycles, 78 - 1);
  EXPECT_EQ(stats->channel_cycles, 45 + 32);
  EXPECT_EQ(stats->queue_cycles, 45);
  EXPECT_EQ(stats->outstanding_cycles, 5 * 12);
  EXPECT_EQ(stats->outstanding_full_cycles, 33 - 23); /* r2 is ready in 23 and leaves in 33; r3 in 34 */
  EXPECT_EQ(rig->dma.queue_peak, 1);
  EXPECT_EQ(rig->dma.latency.minimum, 46 + 10);
  EXPECT_EQ(rig->dma.latency.maximum, 78 + 10);
  EXPECT_EQ(rig->done[1], 78 + 10);
  free_rig(rig);
}

/* One request under way, memory 10 cycles, so 12 from sending to landing. */
TEST(dma, waiting_for_outstanding_requests_counts_when_a_request_is_ready_and_nobody_sends) {
  struct dma_params params = usual();
  params.outstanding = 1;
  params.line_cycles = 5;
  struct rig *rig = make_rig(params);
  rig->read = 10;
  plan(rig, 0,
       (struct dma_descriptor){.to_lds = true, .line_bytes = 4, .lines = 2, .global_pitch = 64, .lds_pitch = 4});
  run(rig);
  EXPECT_EQ(rig->dma.stats.outstanding_full_cycles, 33 - 27); /* sent in 21; the second line is ready in 27 */
  free_rig(rig);
  rig = make_rig(params);
  rig->read = 10;
  plan_plain(rig, 0, true, 0, 0, 128);    /* sent in 21 and 33, in one burst */
  plan_plain(rig, 0, true, 256, 256, 64); /* ready in 22; in 33 it loses the turn, not a slot; sent in 45 */
  run(rig);
  EXPECT_EQ(rig->dma.stats.outstanding_full_cycles, (33 - 22) + (45 - 34));
  EXPECT_EQ(rig->done[1], 45 + 12 + 10);
  free_rig(rig);
}

TEST(dma, of_two_copies_that_land_in_one_cycle_the_older_completes_first) {
  for (unsigned to_lds = 0; to_lds < 2; to_lds++) {
    struct rig *rig = make_rig(usual());
    rig->read = to_lds ? 30 : 29; /* the second is accepted a cycle later */
    rig->write = to_lds ? 29 : 30;
    plan_plain(rig, 0, to_lds, 0, 0, 64);
    plan_plain(rig, 0, !to_lds, 64, 64, 64);
    run(rig);
    EXPECT_EQ(rig->done[0], rig->done[1]);
    EXPECT_EQ(rig->order[0], 0);
    free_rig(rig);
  }
}

TEST(dma, a_descriptor_that_finds_a_free_channel_does_not_count_as_waiting) {
  struct rig *rig = make_rig(usual());
  plan_plain(rig, 0, true, 0, 0, 64);
  run(rig);
  EXPECT_EQ(rig->dma.stats.queue_cycles, 0);
  EXPECT_EQ(rig->dma.stats.outstanding_full_cycles, 0);
  EXPECT_EQ(rig->dma.queue_peak, 0);
  EXPECT_EQ(rig->dma.stats.busy_cycles, 20 + 30 + 2);
  free_rig(rig);
}

/* ---- bytes ---------------------------------------------------------------------------------------- */

static void expect_bytes(const struct rig *rig) {
  static uint8_t global[GLOBAL_BYTES], lds[LDS_BYTES];
  memset(global, 0, sizeof global);
  memset(lds, 0, sizeof lds);
  uint64_t bytes = 0, lines = 0;
  for (unsigned c = 0; c < rig->planned; c++) {
    const struct dma_descriptor *copy = &rig->copy[c];
    bytes += (uint64_t)copy->line_bytes * copy->lines;
    lines += copy->line_bytes ? copy->lines : 0;
    for (uint32_t line = 0; line < copy->lines; line++)
      for (uint32_t i = 0; i < copy->line_bytes; i++) {
        global[copy->global + line * copy->global_pitch + i]++;
        lds[copy->lds + line * copy->lds_pitch + i]++;
      }
  }
  EXPECT_EQ(memcmp(global, rig->touched_global, sizeof global), 0);
  EXPECT_EQ(memcmp(lds, rig->touched_lds, sizeof lds), 0);
  EXPECT_EQ(rig->dma.stats.bytes, bytes);
  EXPECT_EQ(rig->dma.stats.lines, lines);
  EXPECT_EQ(rig->dma.stats.descriptors, rig->planned);
  EXPECT_EQ(rig->dma.stats.requests, rig->read_requests + rig->write_requests);
  EXPECT_LE(rig->largest, rig->dma.params.granularity);
  EXPECT_EQ(rig->lds.stats.dma_bytes, bytes);
}

TEST(dma, every_byte_is_in_exactly_one_request) {
  for (unsigned to_lds = 0; to_lds < 2; to_lds++)
    for (uint32_t bytes = 1; bytes <= 65536; bytes += 1 + bytes / 2)
      for (uint64_t start = 0; start < 70; start += 23) {
        struct rig *rig = make_rig(usual());
        plan_plain(rig, 0, to_lds, 1000 + start, 3 * (uint32_t)start, bytes);
        run(rig);
        ct_note("to_lds %u, %u bytes from %u", to_lds, bytes, (unsigned)start);
        expect_bytes(rig);
        EXPECT_EQ(rig->dma.stats.requests, (1000 + start + bytes - 1) / 64 - (1000 + start) / 64 + 1);
        free_rig(rig);
      }
}

/* ---- soak ----------------------------------------------------------------------------------------- */

static struct rig *soak(uint64_t seed) {
  uint64_t random = seed * 31 + 5;
  struct rig *rig = make_rig(random_params(&random));
  rig->read = 1 + MEMORY_LATENCY + ct_random(&random) % 100;
  rig->write = 1 + MEMORY_LATENCY + ct_random(&random) % 100;
  rig->gap = ct_random(&random) % 4;
  cycle_t at = 0;
  for (unsigned i = 0; i < 40; i++) {
    at += ct_random(&random) % 3 ? 0 : ct_random(&random) % 400;
    struct dma_descriptor copy = random_copy(&random);
    copy.line_bytes %= 3000;
    plan(rig, at, copy);
  }
  return rig;
}

TEST(dma, a_random_crowd_of_copies_keeps_the_books) {
  for (uint64_t seed = 0; seed < 150; seed++) {
    struct rig *rig = soak(seed);
    ct_note("seed %u", (unsigned)seed);
    run(rig);
    expect_bytes(rig);
    const struct dma_stats *stats = &rig->dma.stats;
    uint64_t latency = 0, queue = 0;
    cycle_t last = 0;
    for (unsigned i = 0; i < rig->planned; i++) {
      latency += rig->done[i] - rig->at[i];
      queue += rig->sent[i] - rig->at[i];
      last = cycle_max(last, rig->done[i]);
    }
    EXPECT_EQ(rig->dma.latency.sum, latency);
    EXPECT_EQ(rig->dma.latency.count, rig->planned);
    EXPECT_LE(rig->dma.queue_peak, rig->dma.params.queue);
    EXPECT_LE(stats->channel_cycles + stats->queue_cycles + queue, latency);
    EXPECT_LE(stats->channel_cycles, rig->dma.params.channels * stats->busy_cycles);
    EXPECT_LE(stats->outstanding_cycles, rig->dma.params.outstanding * stats->busy_cycles);
    EXPECT_LE(stats->outstanding_full_cycles, stats->busy_cycles);
    EXPECT_LE(stats->busy_cycles, last);
    EXPECT_LE(stats->requests, stats->busy_cycles); /* one a cycle */
    EXPECT_LE(stats->bursts, stats->requests);
    free_rig(rig);
  }
}

static void expect_same(const struct rig *a, const struct rig *b) {
  EXPECT_EQ(memcmp(a->done, b->done, sizeof a->done), 0);
  EXPECT_EQ(memcmp(a->sent, b->sent, sizeof a->sent), 0);
  EXPECT_EQ(memcmp(a->order, b->order, sizeof a->order), 0);
  EXPECT_EQ(a->hash, b->hash);
  EXPECT_EQ(memcmp(&a->dma.stats, &b->dma.stats, sizeof a->dma.stats), 0);
  EXPECT_EQ(memcmp(&a->dma.latency, &b->dma.latency, sizeof a->dma.latency), 0);
  EXPECT_EQ(memcmp(&a->lds.stats, &b->lds.stats, sizeof a->lds.stats), 0);
  EXPECT_EQ(a->dma.queue_peak, b->dma.queue_peak);
}

TEST(dma, the_order_of_stepping_changes_nothing) {
  static const size_t orders[][4] = {{3, 2, 1, 0}, {1, 0, 2, 3}, {2, 0, 3, 1}, {1, 3, 0, 2}, {3, 0, 1, 2}};
  for (uint64_t seed = 0; seed < 60; seed++) {
    struct rig *straight = soak(seed);
    run(straight);
    for (unsigned o = 0; o < 5; o++) {
      struct rig *other = soak(seed);
      island_order(&other->island, orders[o]);
      run(other);
      ct_note("seed %u, order %u", (unsigned)seed, o);
      expect_same(straight, other);
      free_rig(other);
    }
    free_rig(straight);
  }
}

/* Every component in every cycle, twice: the lazily kept counters must come out the same. */
TEST(dma, steps_that_are_not_due_change_nothing) {
  for (uint64_t seed = 0; seed < 60; seed++) {
    struct rig *straight = soak(seed), *eager = soak(seed);
    run(straight);
    for (cycle_t now = 0; eager->completed < eager->planned && now < 1000000; now++)
      for (unsigned i = 0; i < 8; i++) {
        struct component *part = eager->island.part[i % 4];
        ASSERT_TRUE(now < part->step(part->self, now));
      }
    ct_note("seed %u", (unsigned)seed);
    expect_same(straight, eager);
    free_rig(straight);
    free_rig(eager);
  }
}

/* Cycles with a channel ready and everything under way, counted by looking at every cycle. */
TEST(dma, lazily_kept_integrals_equal_sums_over_cycles) {
  for (uint64_t seed = 0; seed < 60; seed++) {
    struct rig *rig = soak(seed);
    uint64_t queue = 0, channels = 0, outstanding = 0, busy = 0;
    for (cycle_t now = 0; island_run(&rig->island, now + 1) != NEVER; now++) {
      queue += rig->dma.probe_queue;
      channels += rig->dma.probe_channels;
      outstanding += rig->dma.probe_outstanding;
      busy += rig->dma.probe_queue || rig->dma.probe_channels;
    }
    ct_note("seed %u", (unsigned)seed);
    EXPECT_EQ(rig->dma.stats.queue_cycles, queue);
    EXPECT_EQ(rig->dma.stats.channel_cycles, channels);
    EXPECT_EQ(rig->dma.stats.outstanding_cycles, outstanding);
    EXPECT_EQ(rig->dma.stats.busy_cycles, busy);
    free_rig(rig);
  }
}
