#include "sim/explain/pace.h"

#include <string.h>

/* ---- telling --------------------------------------------------------------------------------------- */

static void widen(struct pace *pace, struct pace_stalls *stalls) {
  for (size_t i = 0; i < PACE_BINS / 2; i++) {
    pace->issues[i] = pace->issues[2 * i] + pace->issues[2 * i + 1];
    for (size_t s = 0; stalls && s < STALLS; s++)
      stalls->stalls[i][s] = stalls->stalls[2 * i][s] + stalls->stalls[2 * i + 1][s];
  }
  memset(pace->issues + PACE_BINS / 2, 0, sizeof pace->issues / 2);
  if (stalls)
    memset(stalls->stalls + PACE_BINS / 2, 0, sizeof stalls->stalls / 2);
  pace->width *= 2;
}

/* The pace of a launch, with room for what is over before cycle `end`. All that a launch does comes behind all that
 * those before it did. */
static struct pace *pace_until(struct pace_log *log, uint32_t launch, cycle_t end) {
  struct pace *pace = &log->pace[launch];
  if (!pace->width) {
    pace->origin = log->end;
    pace->width = 1;
  }
  while (end - pace->origin > pace->width * PACE_BINS)
    widen(pace, log->stalls ? &log->stalls[launch] : NULL);
  log->end = cycle_max(log->end, end);
  return pace;
}

void pace_issue(struct pace_log *log, uint32_t launch, cycle_t now) {
  if (launch >= log->launches)
    return;
  struct pace *pace = pace_until(log, launch, now + 1);
  pace->issues[(now - pace->origin) / pace->width]++;
}

static void take(void *self, uint32_t stream, cycle_t now, const struct timeline_event *event) {
  struct pace_log *log = self;
  const uint32_t launch = log->timeline.launch;
  (void)stream, (void)now;
  if (launch >= log->launches || event->kind != TIMELINE_WARP)
    return;
  const struct pace *pace = pace_until(log, launch, event->to);
  const cycle_t end = event->to - pace->origin;
  for (cycle_t at = event->from - pace->origin; at < end;) {
    const size_t bin = (size_t)(at / pace->width);
    const cycle_t until = cycle_min((bin + 1) * pace->width, end);
    log->stalls[launch].stalls[bin][event->field[TIMELINE_WARP_STALL]] += until - at;
    at = until;
  }
}

void pace_log_begin(struct pace_log *log, struct pace *pace, struct pace_stalls *stalls, uint32_t launches) {
  *log = (struct pace_log){.pace = pace, .stalls = stalls, .launches = launches};
  log->timeline = (struct timeline){.take = take, .self = log, .kinds = UINT32_C(1) << TIMELINE_WARP};
}

/* ---- asking ---------------------------------------------------------------------------------------- */

double pace_when(const struct pace *pace, double share, cycle_t start, cycle_t cycles) {
  uint64_t all = 0;
  for (size_t i = 0; i < PACE_BINS; i++)
    all += pace->issues[i];
  if (share <= 0 || share >= 1 || !all)
    return share <= 0 ? 0 : share >= 1 ? (double)cycles : share * (double)cycles;
  const double wanted = share * (double)all;
  double before = 0;
  size_t bin = 0;
  while (before + (double)pace->issues[bin] < wanted)
    before += (double)pace->issues[bin++];
  const double within = (wanted - before) / (double)pace->issues[bin];
  const double at = ((double)bin + within) * (double)pace->width + (double)pace->origin - (double)start;
  return at < 0 ? 0 : at > (double)cycles ? (double)cycles : at;
}

void pace_between(const struct pace *pace, const struct pace_stalls *stalls, cycle_t start, double from, double to,
                  double sum[STALLS]) {
  const double shift = (double)start - (double)pace->origin, width = (double)pace->width;
  for (size_t i = 0; i < PACE_BINS; i++) {
    const double first = (double)i * width, last = first + width;
    const double low = first > from + shift ? first : from + shift, high = last < to + shift ? last : to + shift;
    for (size_t s = 0; high > low && s < STALLS; s++)
      sum[s] += (double)stalls->stalls[i][s] * (high - low) / width;
  }
}
