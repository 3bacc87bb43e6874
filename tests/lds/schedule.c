/* lds_plan() compared with an oracle that works differently: it marks the bytes of each phase's lanes on a map of words
 * and counts per bank. Phases come from formulas, not from the table. */
#include <string.h>

#include "lds/lds.h"
#include "tests/ct.h"

enum { NVIDIA, CDNA3, CDNA4, WHOLE, RULES };
enum { WORDS = 8192 };

static const char *const rule_names[RULES] = {"nvidia", "cdna3", "cdna4", "whole"};

static unsigned phase_of(unsigned rule, enum lds_kind kind, unsigned bytes, unsigned lane) {
  unsigned words = bytes <= 4 ? 1 : bytes / 4, quad = lane % 32 / 4;
  switch (rule) {
  case NVIDIA:
    return words == 1 ? lane / 32 : words == 2 ? lane / 16 : lane / 8;
  case CDNA3:
    if (words == 4 && kind == LDS_READ)
      return lane / 32 * 4 + (quad < 4 ? quad : (quad - 4) ^ 1);
    return words == 1 ? lane / 32 : words == 2 ? lane / 16 : lane / 8;
  case CDNA4:
    return words == 1 ? 0 : words == 2 ? lane / 32 : lane / 16;
  default:
    return 0;
  }
}

/* Counts the words that each bank delivers in a phase; returns their total. */
static unsigned demand(const struct lds_params *params, const struct lds_request *request, unsigned phase,
                       unsigned count[64]) {
  static uint16_t lanes_of[WORDS]; /* all 0 between calls */
  uint64_t low = WORDS, high = 0;
  unsigned all = 0;
  memset(count, 0, 64 * sizeof *count);
  for (unsigned lane = 0; lane < request->lanes; lane++) {
    if (!(request->mask >> lane & 1) || phase_of(params->phases, request->kind, request->bytes, lane) != phase)
      continue;
    uint64_t before = UINT64_MAX;
    for (unsigned byte = 0; byte < request->bytes; byte++) {
      uint64_t word = (request->address[lane] + byte) / params->bank_bytes;
      if (word != before)
        lanes_of[word]++;
      before = word;
      low = word < low ? word : low;
      high = word > high ? word : high;
    }
  }
  for (uint64_t word = low; word <= high && word < WORDS; word++)
    if (lanes_of[word]) {
      unsigned wanted = request->kind == LDS_ATOMIC ? lanes_of[word] : 1;
      unsigned row = params->hash ? (unsigned)(word / params->banks % params->banks) : 0;
      count[word % params->banks ^ row] += wanted;
      all += wanted;
      lanes_of[word] = 0;
    }
  return all;
}

static bool agrees(const struct lds_params *params, const struct lds_request *request) {
  struct lds_schedule got;
  lds_plan(params, request, &got);
  uint32_t passes = 0, phases = 0, ways = 0;
  for (unsigned phase = 0; phase < 8; phase++) {
    unsigned count[64], most = 0;
    if (!demand(params, request, phase, count))
      continue;
    for (unsigned bank = 0; bank < 64; bank++) {
      count[bank] = (count[bank] + params->ports - 1) / params->ports;
      most = count[bank] > most ? count[bank] : most;
    }
    for (unsigned pass = 0; pass < most; pass++, passes++) {
      uint64_t mask = 0;
      for (unsigned bank = 0; bank < 64; bank++)
        mask |= (uint64_t)(count[bank] > pass) << bank;
      if (passes < got.passes && !EXPECT_EQ(got.bank_mask[passes], mask))
        return false;
    }
    phases++;
    ways = most > ways ? most : ways;
  }
  bool same = EXPECT_EQ(got.passes, passes);
  same &= EXPECT_EQ(got.phases, phases);
  return EXPECT_EQ(got.ways, ways) && same;
}

static struct lds_params plain(uint32_t banks, uint32_t bank_bytes, uint32_t rule) {
  return (struct lds_params){.banks = banks,
                             .bank_bytes = bank_bytes,
                             .phases = rule,
                             .ports = 1,
                             .latency = 10,
                             .queue = 8,
                             .size = 65536,
                             .interleave = 1,
                             .swap_passes = 1};
}

static void note(const struct lds_params *params, const struct lds_request *request, const char *what, uint64_t which) {
  ct_note("%u banks of %u B, rule %s, kind %u, %u B a lane, %u lanes, mask %llx, %s %llu", params->banks,
          params->bank_bytes, rule_names[params->phases], request->kind, request->bytes, request->lanes,
          (unsigned long long)request->mask, what, (unsigned long long)which);
}

static uint64_t all_lanes(unsigned lanes) { return lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1; }

static const uint8_t widths[] = {1, 2, 4, 8, 12, 16};
enum { WIDTHS = sizeof widths };

/* One of every shape: banks x bank width x rule x kind x bytes x lanes. Ports and hash vary along with them; 7 is
 * coprime to the other factors. */
enum { SHAPES = 3 * 2 * RULES * 3 * WIDTHS * 3 };

static void shape(unsigned index, struct lds_params *params, struct lds_request *request) {
  unsigned banks = 16u << index % 3, bank_bytes = 4u << index / 3 % 2, rule = index / 6 % RULES;
  *params = plain(banks, bank_bytes, rule);
  params->ports = index % 7 == 3 ? 2 : index % 7 == 5 ? 3 : 1;
  params->hash = index % 7 == 1 || index % 7 == 5;
  index /= 6 * RULES;
  *request = (struct lds_request){
      .kind = (uint8_t)(index % 3), .bytes = widths[index / 3 % WIDTHS], .lanes = (uint8_t)(16u << index / 3 / WIDTHS)};
  request->mask = all_lanes(request->lanes);
}

TEST(lds_schedule, every_stride_of_every_shape_matches_the_oracle) {
  for (unsigned s = 0; s < SHAPES; s++)
    for (unsigned stride = 0; stride <= 64; stride++) {
      struct lds_params params;
      struct lds_request request;
      uint64_t address[64];
      shape(s, &params, &request);
      request.address = address;
      for (unsigned lane = 0; lane < 64; lane++)
        address[lane] = 64 + (uint64_t)lane * stride * 4;
      note(&params, &request, "stride", stride);
      if (!agrees(&params, &request))
        return;
    }
}

TEST(lds_schedule, adjacent_lanes_in_either_direction_match_the_oracle_from_any_start) {
  for (unsigned s = 0; s < SHAPES; s++)
    for (unsigned start = 0; start < 300; start += s % 2 ? 4 : 7)
      for (unsigned down = 0; down < 2; down++) {
        struct lds_params params;
        struct lds_request request;
        uint64_t address[64];
        shape(s, &params, &request);
        request.address = address;
        for (unsigned lane = 0; lane < 64; lane++)
          address[lane] = start + (down ? 63 - lane : lane) * request.bytes;
        note(&params, &request, down ? "down from" : "up from", start);
        if (!agrees(&params, &request))
          return;
      }
}

TEST(lds_schedule, random_addresses_and_masks_match_the_oracle) {
  uint64_t random = 7;
  for (unsigned i = 0; i < 30000; i++) {
    struct lds_params params;
    struct lds_request request;
    uint64_t address[64];
    shape((unsigned)(ct_random(&random) % SHAPES), &params, &request);
    params.banks = 1u << ct_random(&random) % 7;
    request.address = address;
    /* Few distinct addresses make shared words; unaligned ones straddle words. */
    uint64_t space = UINT64_C(16) << ct_random(&random) % 11, align = UINT64_C(1) << ct_random(&random) % 5;
    for (unsigned lane = 0; lane < 64; lane++)
      address[lane] = ct_random(&random) % space / align * align;
    if (ct_random(&random) % 4) {
      const uint64_t some = ct_random(&random);
      request.mask &= some | UINT64_C(1) << ct_random(&random) % request.lanes;
    }
    note(&params, &request, "seed step", i);
    if (!agrees(&params, &request))
      return;
  }
}

static struct lds_schedule stride_of(const struct lds_params *params, enum lds_kind kind, unsigned bytes,
                                     unsigned lanes, unsigned step) {
  uint64_t address[64];
  for (unsigned lane = 0; lane < 64; lane++)
    address[lane] = (uint64_t)lane * step;
  struct lds_schedule schedule;
  lds_plan(params,
           &(struct lds_request){.kind = (uint8_t)kind,
                                 .bytes = (uint8_t)bytes,
                                 .lanes = (uint8_t)lanes,
                                 .mask = all_lanes(lanes),
                                 .address = address},
           &schedule);
  return schedule;
}

static unsigned gcd(unsigned a, unsigned b) { return b ? gcd(b, a % b) : a; }

TEST(lds_schedule, stride_s_of_32_lanes_takes_gcd_of_s_and_32_passes) {
  struct lds_params params = plain(32, 4, NVIDIA);
  EXPECT_EQ(stride_of(&params, LDS_READ, 4, 32, 0).passes, 1);
  for (unsigned s = 1; s <= 256; s++) {
    ct_note("stride %u", s);
    EXPECT_EQ(stride_of(&params, LDS_READ, 4, 32, 4 * s).passes, gcd(s, 32));
    EXPECT_EQ(stride_of(&params, LDS_WRITE, 4, 32, 4 * s).ways, gcd(s, 32));
  }
}

TEST(lds_schedule, consecutive_wide_accesses_take_one_pass_per_phase) {
  static const struct {
    unsigned rule, banks, lanes, phases[4]; /* of 4, 8, 12 and 16 bytes */
  } rows[] = {{NVIDIA, 32, 32, {1, 2, 4, 4}}, {CDNA3, 32, 64, {2, 4, 8, 8}}, {CDNA4, 64, 64, {1, 2, 4, 4}}};
  for (unsigned r = 0; r < 3; r++)
    for (unsigned w = 0; w < 4; w++)
      for (unsigned kind = LDS_READ; kind <= LDS_WRITE; kind++) {
        ct_note("rule %s, %u bytes, kind %u", rule_names[rows[r].rule], 4 * (w + 1), kind);
        struct lds_params params = plain(rows[r].banks, 4, rows[r].rule);
        struct lds_schedule schedule = stride_of(&params, kind, 4 * (w + 1), rows[r].lanes, 4 * (w + 1));
        /* A crossed phase of consecutive lanes has lanes 0-3 and 20-23: banks 0-15 and 16-31. */
        EXPECT_EQ(schedule.phases, rows[r].phases[w]);
        EXPECT_EQ(schedule.passes, rows[r].phases[w]);
        EXPECT_EQ(schedule.ways, 1);
      }
}

/* Each pair of lanes alone: they are in one phase exactly if two words of one bank take two passes in one phase, not
 * one in each of two. */
TEST(lds_schedule, cdna3_reads_of_16_bytes_pair_lanes_across_and_writes_do_not) {
  static const uint8_t partner_phase[8] = {0, 1, 2, 3, 1, 0, 3, 2}; /* of each quad of 32 lanes */
  struct lds_params params = plain(32, 4, CDNA3);
  for (unsigned a = 0; a < 64; a++)
    for (unsigned b = 0; b < 64; b++) {
      if (a == b)
        continue;
      uint64_t address[64] = {0};
      address[b] = 128; /* same banks, different words */
      struct lds_request request = {
          .bytes = 16, .lanes = 64, .mask = UINT64_C(1) << a | UINT64_C(1) << b, .address = address};
      struct lds_schedule schedule;
      ct_note("lanes %u and %u", a, b);
      lds_plan(&params, &request, &schedule);
      bool together = a / 32 == b / 32 && partner_phase[a % 32 / 4] == partner_phase[b % 32 / 4];
      EXPECT_EQ(schedule.phases, together ? 1 : 2);
      EXPECT_EQ(schedule.passes, 2);
      request.kind = LDS_WRITE;
      lds_plan(&params, &request, &schedule);
      EXPECT_EQ(schedule.phases, a / 8 == b / 8 ? 1 : 2);
    }
}

TEST(lds_schedule, bytes_of_one_word_count_as_one_word) {
  struct lds_params params = plain(32, 4, NVIDIA);
  EXPECT_EQ(stride_of(&params, LDS_READ, 1, 32, 1).passes, 1);
  EXPECT_EQ(stride_of(&params, LDS_READ, 1, 32, 1).bank_mask[0], 0xFF);
  EXPECT_EQ(stride_of(&params, LDS_WRITE, 2, 32, 2).bank_mask[0], 0xFFFF);
}

TEST(lds_schedule, an_atomic_of_32_lanes_on_one_word_takes_32_passes) {
  struct lds_params params = plain(32, 4, NVIDIA);
  EXPECT_EQ(stride_of(&params, LDS_READ, 4, 32, 0).passes, 1);
  EXPECT_EQ(stride_of(&params, LDS_ATOMIC, 4, 32, 0).passes, 32);
  EXPECT_EQ(stride_of(&params, LDS_ATOMIC, 4, 32, 4).passes, 1);
}

TEST(lds_schedule, the_worst_access_fits) {
  struct lds_params params = plain(1, 4, WHOLE);
  uint64_t address[64];
  for (unsigned lane = 0; lane < 64; lane++)
    address[lane] = 2 + lane * 32u;
  struct lds_request request = {.bytes = 16, .lanes = 64, .mask = UINT64_MAX, .address = address};
  struct lds_schedule schedule;
  for (unsigned kind = LDS_READ; kind <= LDS_ATOMIC; kind++) {
    request.kind = (uint8_t)kind;
    lds_plan(&params, &request, &schedule);
    EXPECT_EQ(schedule.passes, LDS_WORDS);
  }
  params.swap_passes = 2;
  request.swap = true;
  lds_plan(&params, &request, &schedule);
  EXPECT_EQ(schedule.passes, LDS_PASSES);
}

TEST(lds_schedule, phases_without_lanes_cost_nothing) {
  struct lds_params params = plain(32, 4, NVIDIA);
  uint64_t address[32] = {0};
  struct lds_request request = {.bytes = 16, .lanes = 32, .mask = 0x00FF0000, .address = address};
  struct lds_schedule schedule;
  lds_plan(&params, &request, &schedule);
  EXPECT_EQ(schedule.passes, 1);
  EXPECT_EQ(schedule.phases, 1);
}

TEST(lds_schedule, a_hash_spreads_a_column_over_all_banks) {
  struct lds_params params = plain(32, 4, NVIDIA);
  uint64_t address[64];
  struct lds_request request = {.kind = LDS_READ, .bytes = 4, .lanes = 32, .mask = UINT32_MAX, .address = address};
  struct lds_schedule schedule;
  for (unsigned lane = 0; lane < 32; lane++)
    address[lane] = lane * 128;
  lds_plan(&params, &request, &schedule);
  EXPECT_EQ(schedule.passes, 32);
  params.hash = 1;
  lds_plan(&params, &request, &schedule);
  EXPECT_EQ(schedule.passes, 1);
}

TEST(lds_schedule, the_banks_of_a_run_equal_those_of_its_words) {
  for (unsigned hash = 0; hash < 2; hash++) {
    const struct lds_params params = {.banks = 32, .bank_bytes = 4, .ports = 1, .hash = hash};
    for (uint64_t first = 0; first < 100; first++) {
      uint64_t expected = 0;
      for (unsigned count = 1; count <= 40; count++) {
        expected |= UINT64_C(1) << lds_bank(&params, first + count - 1);
        ct_note("hash %u, %u words from %u on", hash, count, (unsigned)first);
        ASSERT_EQ(lds_banks(&params, first, count), expected);
      }
    }
  }
}

TEST(lds_schedule, a_second_port_halves_the_passes_of_a_conflict) {
  struct lds_params params = plain(32, 4, NVIDIA);
  uint64_t address[64];
  struct lds_request request = {.kind = LDS_READ, .bytes = 4, .lanes = 32, .mask = UINT32_MAX, .address = address};
  struct lds_schedule schedule;
  for (unsigned lane = 0; lane < 32; lane++)
    address[lane] = lane * 128;
  for (uint32_t ports = 1; ports <= 4; ports++) {
    params.ports = ports;
    lds_plan(&params, &request, &schedule);
    EXPECT_EQ(schedule.passes, div_up(32, ports));
  }
}

TEST(lds_schedule, without_conflicts_a_phase_takes_one_pass_whatever_its_stride) {
  struct lds_params params = plain(32, 4, NVIDIA);
  uint64_t address[64];
  struct lds_request request = {.lanes = 32, .mask = UINT32_MAX, .address = address};
  struct lds_schedule schedule;
  params.conflicts = LDS_CONFLICTS_NONE;
  for (enum lds_kind kind = LDS_READ; kind <= LDS_ATOMIC; kind++)
    for (uint8_t bytes = 4; bytes <= 16; bytes *= 2)
      for (unsigned stride = 0; stride <= 33; stride++) {
        for (unsigned lane = 0; lane < 32; lane++)
          address[lane] = lane * (lane % 3 ? stride : 32) * bytes;
        request.kind = (uint8_t)kind;
        request.bytes = bytes;
        lds_plan(&params, &request, &schedule);
        EXPECT_EQ(schedule.passes, bytes / 4);
        EXPECT_EQ(schedule.phases, bytes / 4);
        EXPECT_EQ(schedule.ways, 1);
        for (unsigned lane = 0; lane < 32; lane++)
          address[lane] = (uint64_t)lane * stride * bytes;
        lds_plan(&params, &request, &schedule);
        EXPECT_EQ(schedule.passes, bytes / 4);
      }
}

/* The elements that the lanes of a load read. */
static uint64_t same(unsigned lane) { return lane - lane; }
static uint64_t own(unsigned lane) { return lane; }
static uint64_t beside(unsigned lane) { return lane / 2; }
static uint64_t two_on(unsigned lane) { return lane % 2; }
static uint64_t four_on(unsigned lane) { return lane % 4; }
static uint64_t columns(unsigned lane) { return lane / 16 * 32; }
static uint64_t nearly(unsigned lane) { return lane == 31 ? 32 : lane / 2; }

static struct lds_schedule load_of(const struct lds_params *params, uint8_t bytes, uint64_t (*element)(unsigned),
                                   enum lds_kind kind, uint32_t mask) {
  static uint64_t address[64];
  for (unsigned lane = 0; lane < 32; lane++)
    address[lane] = element(lane) * bytes;
  struct lds_request request = {.kind = (uint8_t)kind, .bytes = bytes, .lanes = 32, .mask = mask, .address = address};
  struct lds_schedule schedule;
  lds_plan(params, &request, &schedule);
  return schedule;
}

TEST(lds_schedule, loads_of_neighbors_that_agree_take_half_the_phases) {
  static const struct {
    uint64_t (*element)(unsigned);
    uint32_t passes[3]; /* of 4, 8 and 16 bytes */
  } rows[] = {{same, {1, 1, 2}},    {own, {1, 2, 4}},     {beside, {1, 1, 2}}, {two_on, {1, 1, 2}},
              {four_on, {1, 2, 4}}, {columns, {2, 2, 2}}, {nearly, {2, 2, 4}}};
  struct lds_params params = plain(32, 4, NVIDIA);
  params.merge = LDS_MERGE_PAIRS;
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
    for (unsigned width = 0; width < 3; width++) {
      ct_note("row %u, %u bytes", i, 4 << width);
      EXPECT_EQ(load_of(&params, (uint8_t)(4 << width), rows[i].element, LDS_READ, UINT32_MAX).passes,
                rows[i].passes[width]);
    }
  EXPECT_EQ(load_of(&params, 8, beside, LDS_WRITE, UINT32_MAX).passes, 2); /* only loads */
  EXPECT_EQ(load_of(&params, 8, own, LDS_READ, 0x55555555).phases, 1);     /* no active neighbor can disagree */
  params.merge = LDS_MERGE_NONE;
  EXPECT_EQ(load_of(&params, 8, beside, LDS_READ, UINT32_MAX).passes, 2);
}

TEST(lds_schedule, empty_phases_can_take_passes_that_delay_nothing) {
  struct lds_params params = plain(32, 4, NVIDIA);
  EXPECT_EQ(load_of(&params, 16, own, LDS_WRITE, 1).idle, 0);
  params.empty = LDS_EMPTY_PASS;
  EXPECT_EQ(load_of(&params, 16, own, LDS_WRITE, 1).passes, 1);
  EXPECT_EQ(load_of(&params, 16, own, LDS_WRITE, 1).idle, 3);
  EXPECT_EQ(load_of(&params, 8, own, LDS_WRITE, 1).idle, 1);
  EXPECT_EQ(load_of(&params, 4, own, LDS_WRITE, 1).idle, 0);
  EXPECT_EQ(load_of(&params, 16, own, LDS_WRITE, UINT32_MAX).idle, 0);
  EXPECT_EQ(load_of(&params, 16, columns, LDS_ATOMIC, 0xFF).idle, 0); /* 8 passes in one of the four phases */
}

TEST(lds_schedule, an_access_without_lanes_takes_one_pass_per_phase_and_no_bank) {
  struct lds_params params = plain(32, 4, NVIDIA);
  for (uint8_t bytes = 4; bytes <= 16; bytes *= 2) {
    const uint64_t address[LDS_LANES] = {0};
    const struct lds_request request = {.kind = LDS_READ, .bytes = bytes, .lanes = 32, .address = address};
    struct lds_schedule schedule;
    lds_plan(&params, &request, &schedule);
    ct_note("%u bytes", bytes);
    EXPECT_EQ(schedule.passes, bytes / 4);
    EXPECT_EQ(schedule.phases, bytes / 4);
    EXPECT_EQ(schedule.idle, 0);
    for (uint32_t pass = 0; pass < schedule.passes; pass++)
      EXPECT_EQ(schedule.bank_mask[pass], 0);
  }
}

TEST(lds_schedule, a_results_latency_depends_on_its_phases_and_kind) {
  struct lds_params params = plain(32, 4, NVIDIA);
  params.phase_latency = 3;
  params.atomic_latency = 7;
  EXPECT_EQ(load_of(&params, 4, own, LDS_READ, 1).late, 0);
  EXPECT_EQ(load_of(&params, 8, own, LDS_READ, 1).late, 3);
  EXPECT_EQ(load_of(&params, 16, own, LDS_READ, 1).late, 9);
  EXPECT_EQ(load_of(&params, 4, own, LDS_ATOMIC, 1).late, 7);
  params.merge = LDS_MERGE_PAIRS;
  EXPECT_EQ(load_of(&params, 16, same, LDS_READ, UINT32_MAX).late, 3); /* two phases for four */
}

TEST(lds_schedule, a_compare_and_swap_takes_its_passes_twice) {
  struct lds_params params = plain(32, 4, NVIDIA);
  uint64_t address[32] = {0, 128, 4}; /* two words of one bank, one of another */
  struct lds_request request = {
      .kind = LDS_ATOMIC, .bytes = 4, .lanes = 32, .swap = true, .mask = 7, .address = address};
  struct lds_schedule schedule;
  lds_plan(&params, &request, &schedule);
  EXPECT_EQ(schedule.passes, 2);
  params.swap_passes = 2;
  lds_plan(&params, &request, &schedule);
  EXPECT_EQ(schedule.passes, 4);
  EXPECT_EQ(schedule.passes - schedule.phases, 2);
  request.swap = false;
  lds_plan(&params, &request, &schedule);
  EXPECT_EQ(schedule.passes, 2);
}

TEST(lds_schedule, a_compare_and_swap_shared_by_two_ports_adds_no_conflicts) {
  struct lds_params params = plain(32, 4, NVIDIA);
  uint64_t address[32] = {0, 4, 128}; /* one per bank, then one more of the first */
  struct lds_request request = {
      .kind = LDS_ATOMIC, .bytes = 4, .lanes = 32, .swap = true, .mask = 3, .address = address};
  struct lds_schedule schedule;
  params.swap_passes = params.ports = 2;
  lds_plan(&params, &request, &schedule);
  EXPECT_EQ(schedule.passes, 1);
  EXPECT_EQ(schedule.passes - schedule.phases, 0);
  request.mask = 7;
  lds_plan(&params, &request, &schedule);
  EXPECT_EQ(schedule.passes, 2);
  EXPECT_EQ(schedule.passes - schedule.phases, 1);
}
