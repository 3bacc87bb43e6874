/* Assigns each bundle the lowest place where all its words are free whenever they are live. For each register, a sorted
 * list says when it is occupied and by which value, so lives with holes can interleave.
 *
 * Coloring the lives of SSA values in the order of their starts needs no more registers than are live at once. Bundles
 * of several words fit better if they go first. If the first order needs more registers than are live at once, the
 * second order is tried, and used if it needs fewer.
 *
 * If neither fits the bound, then wherever more words are live than there are registers, the bundles that are cheapest
 * to spill for the room they free get no place. If there are never too many words, but they do not fit side by side,
 * bundles go in the order of that cost or of their starts, whichever costs less, and those that find no place are left
 * over. Bundles that live around one instruction then go before all others, wide ones first: they are a handful of
 * words and always fit. */
#include "opencl/emit/machine.h"
#include "sim/base/need.h"

#include <stdlib.h>
#include <string.h>

enum order { BY_START, BY_WIDTH, BY_COST, BRIEF_FIRST };

struct entry {
  struct bundle *bundle;
  double density;
  uint32_t start, up, place; /* the bundle's; `place` saves its place while another order is tried */
  uint8_t words;
  bool unspillable;
};

enum { AT_ONCE = 16 /* places tested together */ };

/* The occupied places. */
struct places {
  struct live *file;
  uint32_t bound;
  /* By place, plus padding: the segment that last blocked it, which usually blocks it again. */
  uint32_t *start, *end, *same;
};

static uint32_t alignment(const struct bundle *bundle, enum vreg_kind kind) {
  if (kind != VREG_MEMORY || bundle->words == 1)
    return 1;
  return bundle->words == 2 ? 2 : 4;
}

/* A bit for each place from `at` on where the saved segment is in the way. The bits come from a table because many
 * vector units cannot shift each lane by a different amount. */
static uint32_t conflicts(const struct places *places, uint32_t at, const struct segment *next) {
  static const uint32_t bit[AT_ONCE] = {1 << 0, 1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                                        1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
  const uint32_t *start = places->start + at, *end = places->end + at, *same = places->same + at;
  uint32_t conflict = 0;
  for (uint32_t i = 0; i < AT_ONCE; i++)
    conflict |= ((start[i] < next->end) & (next->start < end[i]) & (same[i] != next->same)) ? bit[i] : 0;
  return conflict;
}

static void hold(const struct places *places, uint32_t at, const struct segment *held) {
  places->start[at] = held->start;
  places->end[at] = held->end;
  places->same[at] = held->same;
}

static bool fits(const struct places *places, const struct bundle *bundle, uint32_t at) {
  for (uint32_t i = 0; i < bundle->words; i++) {
    struct live *file = &places->file[at + i];
    if (!live_meet_near(file, &bundle->word[i]))
      continue;
    if (file->near < file->count)
      hold(places, at + i, &file->segment[file->near]);
    return false;
  }
  return true;
}

/* The lowest place for the bundle; UINT32_MAX if there is none. */
static uint32_t find_place(const struct places *places, const struct bundle *bundle, uint32_t alignment) {
  for (uint32_t from = 0; from + bundle->words <= places->bound; from += AT_ONCE) {
    uint32_t conflict = 0;
    for (uint32_t i = 0; i < bundle->words; i++)
      if (bundle->word[i].count)
        conflict |= conflicts(places, from + i, &bundle->word[i].segment[0]);
    for (uint32_t i = 0; i < AT_ONCE && from + i + bundle->words <= places->bound; i += alignment)
      if (!(conflict >> i & 1) && fits(places, bundle, from + i))
        return from + i;
  }
  return UINT32_MAX;
}

/* Returns the end of the bundle's place; 0 if there is none. */
static uint32_t assign_place(const struct places *places, struct bundle *bundle, enum vreg_kind kind) {
  bundle->place = find_place(places, bundle, alignment(bundle, kind));
  if (bundle->place == UINT32_MAX)
    return 0;
  for (uint32_t i = 0; i < bundle->words; i++) {
    live_merge(&places->file[bundle->place + i], &bundle->word[i]);
    if (bundle->word[i].count)
      hold(places, bundle->place + i, &bundle->word[i].segment[0]);
  }
  return bundle->place + bundle->words;
}

static int earliest(const struct entry *a, const struct entry *b) {
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  return (a->up > b->up) - (a->up < b->up);
}

static int by_start(const void *x, const void *y) {
  const struct entry *a = x, *b = y;
  if (a->start == b->start && a->words != b->words)
    return a->words > b->words ? -1 : 1;
  return earliest(a, b);
}

static int by_width(const void *x, const void *y) {
  const struct entry *a = x, *b = y;
  if (a->words != b->words)
    return a->words > b->words ? -1 : 1;
  return earliest(a, b);
}

static int by_cost(const void *x, const void *y) {
  const struct entry *a = x, *b = y;
  if (a->unspillable != b->unspillable)
    return a->unspillable ? -1 : 1;
  if (!a->unspillable && (a->density < b->density || a->density > b->density))
    return a->density > b->density ? -1 : 1;
  return by_width(x, y);
}

static int brief_first(const void *x, const void *y) {
  const struct entry *a = x, *b = y;
  if (a->unspillable != b->unspillable)
    return a->unspillable ? -1 : 1;
  return a->unspillable ? by_width(x, y) : by_start(x, y);
}

/* Returns how many bundles found no place below `bound`; stops at the first if `all_or_none`. */
static uint32_t color(struct machine_function *m, enum vreg_kind kind, struct entry *all, uint32_t count,
                      enum order order, uint32_t bound, bool all_or_none) {
  static int (*const orders[])(const void *, const void *) = {by_start, by_width, by_cost, brief_first};
  const size_t room = (size_t)bound + AT_ONCE + RUN_MOST;
  uint32_t *held = need(3 * room, sizeof *held);
  const struct places places = {m->file[kind], bound, held, held + room, held + 2 * room};
  uint32_t left = 0;
  qsort(all, count, sizeof *all, orders[order]);
  for (uint32_t i = 0; i < m->bound[kind]; i++)
    places.file[i].count = 0;
  m->used[kind] = 0;
  for (uint32_t i = 0; i < count && !(left && all_or_none); i++) {
    const uint32_t end = assign_place(&places, all[i].bundle, kind);
    left += end == 0;
    m->used[kind] = end > m->used[kind] ? end : m->used[kind];
  }
  free(held);
  return left;
}

/* The cost of spilling for the room it frees. A value that can be recomputed is not even stored. */
static double density_of(const struct machine_function *m, const struct bundle *bundle) {
  const bool again = m->vreg[bundle->up].remat && bundle->next == bundle->up;
  return bundle->cost / bundle->alive * (again ? 0.25 : 1);
}

static uint32_t list_bundles(const struct machine_function *m, enum vreg_kind kind, struct entry *all) {
  uint32_t count = 0;
  for (uint32_t v = 1; v < m->vregs; v += m->vreg[v].words) {
    struct bundle *bundle = &m->bundle[v];
    if (bundle->up == v && m->vreg[v].kind == kind && bundle->alive)
      all[count++] = (struct entry){bundle, density_of(m, bundle),  bundle->start,      v,
                                    0,      (uint8_t)bundle->words, bundle->unspillable};
  }
  return count;
}

/* ---- too many live at once --------------------------------------------------------------------------- */

/* A time during which a word is live. */
struct interval {
  uint32_t start, end, entry;
};

static int by_interval_start(const void *x, const void *y) {
  const struct interval *a = x, *b = y;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  if (a->entry != b->entry)
    return a->entry < b->entry ? -1 : 1;
  return (a->end > b->end) - (a->end < b->end);
}

static uint32_t list_intervals(const struct entry *all, uint32_t count, struct interval *out) {
  uint32_t intervals = 0;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < all[i].bundle->words; k++)
      for (uint32_t j = 0; j < all[i].bundle->word[k].count; j++, intervals++)
        if (out)
          out[intervals] =
              (struct interval){all[i].bundle->word[k].segment[j].start, all[i].bundle->word[k].segment[j].end, i};
  return intervals;
}

/* The live bundle that is cheapest to spill; UINT32_MAX if none can be. */
static uint32_t cheapest(const struct entry *all, const struct interval *live, uint32_t count) {
  uint32_t best = UINT32_MAX;
  for (uint32_t i = 0; i < count; i++)
    if (!all[live[i].entry].bundle->unspillable &&
        (best == UINT32_MAX || all[live[i].entry].density < all[best].density))
      best = live[i].entry;
  return best;
}

/* Drops intervals that are over or whose bundle gets no place. */
static uint32_t still_live(const struct entry *all, struct interval *live, uint32_t count, uint32_t now) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; i++)
    if (live[i].end > now && all[live[i].entry].bundle->place != UINT32_MAX)
      live[kept++] = live[i];
  return kept;
}

/* Takes places from bundles where too many words are live. Returns how many bundles lost theirs. */
static uint32_t lower_pressure(const struct entry *all, uint32_t count, uint32_t bound) {
  const uint32_t intervals = list_intervals(all, count, NULL);
  struct interval *interval = need(2 * (size_t)intervals, sizeof *interval), *live = interval + intervals;
  list_intervals(all, count, interval);
  qsort(interval, intervals, sizeof *interval, by_interval_start);
  for (uint32_t i = 0; i < count; i++)
    all[i].bundle->place = 0;
  uint32_t lives = 0, left = 0;
  for (uint32_t i = 0; i < intervals; i++) {
    if (all[interval[i].entry].bundle->place == UINT32_MAX)
      continue;
    live[lives++] = interval[i];
    if (lives > bound)
      lives = still_live(all, live, lives, interval[i].start);
    while (lives > bound) {
      const uint32_t least = cheapest(all, live, lives);
      if (least == UINT32_MAX)
        break;
      all[least].bundle->place = UINT32_MAX;
      left++;
      lives = still_live(all, live, lives, interval[i].start);
    }
  }
  free(interval);
  return left;
}

static double cost_left(const struct entry *all, uint32_t count) {
  double cost = 0;
  for (uint32_t i = 0; i < count; i++)
    if (all[i].bundle->place == UINT32_MAX)
      cost += all[i].bundle->cost;
  return cost;
}

static uint32_t color_some(struct machine_function *m, enum vreg_kind kind, struct entry *all, uint32_t count) {
  const uint32_t bound = m->bound[kind];
  uint32_t left = color(m, kind, all, count, BY_COST, bound, false);
  const double cost = cost_left(all, count);
  left = left ? color(m, kind, all, count, BRIEF_FIRST, bound, false) : 0;
  return left && cost_left(all, count) > cost ? color(m, kind, all, count, BY_COST, bound, false) : left;
}

/* ---- the whole ---------------------------------------------------------------------------------------- */

static void file_free(struct live *file, uint32_t bound) {
  for (uint32_t i = 0; i < bound; i++)
    live_forget(&file[i]);
  free(file);
}

/* Does every bundle get a place? Tries the order of starts; if that takes more registers than are live at once, tries
 * wide bundles first and keeps the better result. */
static bool color_all(struct machine_function *m, enum vreg_kind kind, struct entry *all, uint32_t count) {
  const uint32_t bound = m->bound[kind], least = m->least[kind];
  if (least > bound)
    return false;
  const bool good = !color(m, kind, all, count, BY_START, bound, true);
  const uint32_t used = m->used[kind];
  if (good && used == least)
    return true;
  struct live *file = m->file[kind];
  m->file[kind] = need(bound, sizeof *file);
  for (uint32_t i = 0; i < count; i++)
    all[i].place = all[i].bundle->place;
  if (!color(m, kind, all, count, BY_WIDTH, good ? used - 1 : bound, true)) {
    file_free(file, bound);
    return true;
  }
  file_free(m->file[kind], bound);
  m->file[kind] = file;
  m->used[kind] = used;
  for (uint32_t i = 0; i < count; i++)
    all[i].bundle->place = all[i].place;
  return good;
}

uint32_t machine_color(struct machine_function *m, enum vreg_kind kind, bool may_spill) {
  m->file[kind] = need(m->bound[kind], sizeof *m->file[kind]);
  struct entry *all = need(m->vregs, sizeof *all);
  const uint32_t count = list_bundles(m, kind, all);
  uint32_t left = !color_all(m, kind, all, count);
  if (left && may_spill) {
    qsort(all, count, sizeof *all, by_start);
    left = lower_pressure(all, count, m->bound[kind]);
    left = left ? left : color_some(m, kind, all, count);
  }
  free(all);
  return left;
}

uint32_t machine_place(const struct machine_function *m, uint32_t vreg) {
  uint32_t offset;
  const struct bundle *bundle = bundle_of(m, vreg, &offset);
  return bundle->place + offset;
}

uint32_t machine_idle(const struct machine_function *m, enum vreg_kind kind, uint32_t number) {
  struct segment now = {2 * number, 2 * number + 2, 0};
  const struct live moment = {&now, 1, 1, 0};
  for (uint32_t i = 0; i < m->used[kind]; i++)
    if (!live_meet(&m->file[kind][i], &moment))
      return i;
  return UINT32_MAX;
}
