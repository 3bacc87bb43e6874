/* How an access uses the banks. Pure functions: no cycles here. */
#include <assert.h>
#include <string.h>

#include "lds/lds.h"

enum phase_order { IN_ORDER, CROSSED };
enum { WIDTHS = 4, CROSSED_PHASES = 4 };

struct phase_shape {
  uint8_t lanes; /* of a phase */
  uint8_t order;
};

/* clang-format off */
static const struct phase_shape shapes[][WIDTHS][2] = {
#define PHASES(rule, bytes, read, read_order, write, write_order) \
  [LDS_PHASES_##rule][(bytes) / 4 - 1] = {{read, read_order}, {write, write_order}},
#include "lds/phases.def"
#undef PHASES
};
static const uint32_t crossed[CROSSED_PHASES] = {
#define CROSSED_PHASE(mask) mask,
#include "lds/phases.def"
#undef CROSSED_PHASE
};
/* clang-format on */

/* Inputs of every step of lds_plan(). */
struct view {
  const struct lds_params *params;
  const struct lds_request *request;
  struct phase_shape shape;
  unsigned word_log2, banks;
};

static uint64_t low_bits(unsigned count) { return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1; }

static uint64_t phase_lanes(struct phase_shape shape, unsigned phase) {
  if (shape.order == CROSSED)
    return (uint64_t)crossed[phase % CROSSED_PHASES] << (phase / CROSSED_PHASES * 32);
  return low_bits(shape.lanes) << (phase * shape.lanes);
}

unsigned lds_bank(const struct lds_params *params, uint64_t word) {
  uint64_t row = params->hash == LDS_HASH_XOR ? word / params->banks : 0;
  return (unsigned)(word ^ row) & (params->banks - 1);
}

/* `count` banks from `first` on, in a circle. */
static uint64_t run_of_banks(unsigned first, unsigned count, unsigned banks) {
  if (count >= banks)
    return low_bits(banks);
  uint64_t run = low_bits(count) << first;
  return first + count > banks ? (run | low_bits(first + count - banks)) & low_bits(banks) : run;
}

uint64_t lds_banks(const struct lds_params *params, uint64_t first, unsigned count) {
  uint64_t mask = 0;
  if (params->hash == LDS_HASH_NONE)
    return run_of_banks(lds_bank(params, first), count, params->banks);
  for (uint64_t word = first; word < first + count; word++)
    mask |= UINT64_C(1) << lds_bank(params, word);
  return mask;
}

/* ---- evenly spaced lanes ------------------------------------------------------------------
 *
 * Most accesses of real kernels: every lane active, addresses evenly spaced, whole words. A phase then wants N words at
 * a stride of s, which use banks / gcd(s, banks) banks in turn. If N is a multiple of that, every one of them has the
 * same number of words; if s is 1, the banks are consecutive. All other accesses use schedule_any(). */

static bool evenly_spaced(const uint64_t *address, unsigned lanes, uint64_t step) {
  uint64_t expected = address[0], difference = 0;
  for (unsigned lane = 0; lane < lanes; lane++, expected += step)
    difference |= address[lane] ^ expected;
  return !difference;
}

/* Words that the busiest bank delivers, when its lanes want `words`. */
static uint32_t counted(const struct lds_params *params, uint32_t words) {
  return params->conflicts == LDS_CONFLICTS_NONE ? 1 : words;
}

/* A phase in which each of `banks` delivers `words` words. */
static void add_uniform(const struct view *view, struct lds_schedule *schedule, uint32_t words, uint64_t banks) {
  uint32_t passes = (uint32_t)div_up(counted(view->params, words), view->params->ports);
  for (uint32_t i = 0; i < passes; i++)
    schedule->bank_mask[schedule->passes++] = banks;
  schedule->phases++;
  if (passes > schedule->ways)
    schedule->ways = passes;
}

/* Every `spacing`-th bank from `first` on; `spacing` is a power of two. */
static uint64_t spaced_banks(unsigned first, unsigned spacing, unsigned banks) {
  uint64_t mask = 1;
  for (unsigned reach = spacing; reach < banks; reach *= 2)
    mask |= mask << reach;
  return mask << first % spacing;
}

static bool schedule_even(const struct view *view, struct lds_schedule *schedule) {
  const struct lds_request *request = view->request;
  const uint64_t *address = request->address;
  unsigned lanes = request->lanes, bytes = request->bytes, banks = view->banks;
  uint64_t in_word = (UINT64_C(1) << view->word_log2) - 1;
  if (view->params->hash != LDS_HASH_NONE || request->kind == LDS_ATOMIC || request->mask != low_bits(lanes) ||
      view->shape.order != IN_ORDER)
    return false;
  uint64_t step = address[1] - address[0];
  if ((address[0] | step | bytes) & in_word || !(request->even || evenly_spaced(address, lanes, step)))
    return false;
  unsigned group = view->shape.lanes < lanes ? view->shape.lanes : lanes;
  unsigned words = bytes >> view->word_log2, run = step ? group * words : words;
  uint64_t stride = step >> view->word_log2;
  if (step && words > 1 && stride != words)
    return false;
  bool contiguous = !step || stride == words;
  unsigned spacing = contiguous ? 1 : stride % banks ? 1u << __builtin_ctzll(stride) : banks; /* gcd(stride, banks) */
  unsigned round = banks / spacing;
  bool whole_rounds = run % round == 0;
  if (!whole_rounds && (!contiguous || run > banks))
    return false;
  for (unsigned lane = 0; lane < lanes; lane += group) {
    unsigned first = (unsigned)(address[lane] >> view->word_log2) & (banks - 1);
    if (whole_rounds)
      add_uniform(view, schedule, run / round, spaced_banks(first, spacing, banks));
    else
      add_uniform(view, schedule, 1, run_of_banks(first, run, banks));
  }
  return true;
}

/* ---- any lanes ---------------------------------------------------------------------------- */

/* What one phase wants from the banks. */
struct demand {
  bool shared;        /* lanes that want the same word share it; false for atomics */
  uint32_t each;      /* passes that each word takes */
  uint64_t wanted;    /* banks with at least one word */
  uint64_t first[64]; /* of a wanted bank: its first word */
  uint16_t count[64]; /* of a wanted bank: its words */
  unsigned others;    /* words other than the first of their bank, in all banks */
  uint64_t other[LDS_WORDS];
};

static bool has_other(const struct demand *demand, uint64_t word) {
  for (unsigned i = 0; i < demand->others; i++)
    if (demand->other[i] == word)
      return true;
  return false;
}

static void want(struct demand *demand, unsigned bank, uint64_t word) {
  uint64_t bit = UINT64_C(1) << bank;
  if (!(demand->wanted & bit)) {
    demand->wanted |= bit;
    demand->first[bank] = word;
    demand->count[bank] = 1;
  } else if (!demand->shared) {
    demand->count[bank]++;
  } else if (demand->first[bank] != word && !has_other(demand, word)) {
    demand->other[demand->others++] = word;
    demand->count[bank]++;
  }
}

static void add_phase(const struct view *view, struct lds_schedule *schedule, const struct demand *demand) {
  uint64_t *mask = schedule->bank_mask + schedule->passes;
  uint32_t passes = 1, ports = view->params->ports;
  mask[0] = demand->wanted;
  for (uint64_t left = demand->wanted; left; left &= left - 1) {
    unsigned bank = (unsigned)__builtin_ctzll(left);
    uint32_t needed = (uint32_t)div_up(counted(view->params, demand->count[bank]) * demand->each, ports);
    for (; passes < needed; passes++)
      mask[passes] = 0;
    for (unsigned pass = 1; pass < needed; pass++)
      mask[pass] |= UINT64_C(1) << bank;
  }
  schedule->passes += passes;
  schedule->phases += (uint32_t)div_up(demand->each, ports);
  if (passes > schedule->ways)
    schedule->ways = passes;
}

static void schedule_any(const struct view *view, struct lds_schedule *schedule) {
  const struct lds_request *request = view->request;
  struct demand demand;
  demand.shared = request->kind != LDS_ATOMIC;
  demand.each = request->kind == LDS_ATOMIC && request->swap ? view->params->swap_passes : 1;
  uint64_t left = request->mask;
  for (unsigned phase = 0; left; phase++) {
    uint64_t lanes = left & phase_lanes(view->shape, phase);
    if (!lanes)
      continue;
    left &= ~lanes;
    demand.wanted = 0;
    demand.others = 0;
    for (; lanes; lanes &= lanes - 1) {
      uint64_t address = request->address[__builtin_ctzll(lanes)];
      uint64_t word = address >> view->word_log2, last = (address + request->bytes - 1) >> view->word_log2;
      for (; word <= last; word++)
        want(&demand, lds_bank(view->params, word), word);
    }
    add_phase(view, schedule, &demand);
  }
}

/* Each lane reads the same words as the lane whose number differs in `bit`, if both are active. */
static bool lanes_agree(const struct lds_request *request, unsigned bit) {
  uint64_t difference = 0;
  if (request->even)
    return request->address[0] == request->address[1];
  for (unsigned lane = 0; lane < request->lanes; lane++)
    if (!(lane & bit) && request->mask >> lane & request->mask >> (lane | bit) & 1)
      difference |= request->address[lane] ^ request->address[lane | bit];
  return !difference;
}

/* Two phases become one: lds.merge pairs. */
static bool merges(const struct lds_params *params, const struct lds_request *request, struct phase_shape shape) {
  return params->merge == LDS_MERGE_PAIRS && request->kind == LDS_READ && shape.order == IN_ORDER &&
         shape.lanes < request->lanes && (lanes_agree(request, 1) || lanes_agree(request, 2));
}

/* What phases cost in addition to their passes. */
static void add_phase_costs(const struct view *view, struct lds_schedule *schedule) {
  const struct lds_params *params = view->params;
  uint32_t lanes = view->request->lanes, group = view->shape.lanes, phases = lanes > group ? lanes / group : 1;
  schedule->late =
      params->phase_latency * (phases - 1) + (view->request->kind == LDS_ATOMIC ? params->atomic_latency : 0);
  schedule->idle = params->empty == LDS_EMPTY_PASS && phases > schedule->passes ? phases - schedule->passes : 0;
}

/* No lane is active. The access still takes a pass for each phase. */
static void schedule_empty(const struct view *view, struct lds_schedule *schedule) {
  const uint32_t lanes = view->request->lanes, group = view->shape.lanes;
  schedule->passes = schedule->phases = lanes > group ? lanes / group : 1;
  schedule->ways = 1;
  for (uint32_t pass = 0; pass < schedule->passes; pass++)
    schedule->bank_mask[pass] = 0;
}

static struct view view_of(const struct lds_params *params, const struct lds_request *request) {
  assert(!(request->mask & ~low_bits(request->lanes)) && "an access has no lane beyond its warp");
  assert(request->bytes >= 1 && request->bytes <= 16 && "an access is at most 16 bytes a lane");
  const unsigned width = (request->bytes + 3u) / 4 - 1;
  struct view view = {.params = params,
                      .request = request,
                      .shape = shapes[params->phases][width][request->kind != LDS_READ],
                      .word_log2 = (unsigned)__builtin_ctz(params->bank_bytes),
                      .banks = params->banks};
  if (merges(params, request, view.shape))
    view.shape.lanes *= 2;
  return view;
}

bool lds_plan_even(const struct lds_params *params, const struct lds_request *request, struct lds_schedule *schedule) {
  const struct view view = view_of(params, request);
  schedule->passes = schedule->phases = schedule->ways = 0;
  if (!schedule_even(&view, schedule))
    return false;
  add_phase_costs(&view, schedule);
  return true;
}

void lds_plan(const struct lds_params *params, const struct lds_request *request, struct lds_schedule *schedule) {
  const struct view view = view_of(params, request);
  schedule->passes = schedule->phases = schedule->ways = 0;
  if (!request->mask)
    schedule_empty(&view, schedule);
  else if (!schedule_even(&view, schedule))
    schedule_any(&view, schedule);
  add_phase_costs(&view, schedule);
}
