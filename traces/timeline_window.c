/* Which events are kept. */
#include "traces/timeline_window.h"

/* Whether [from, to) has a cycle of the samples. */
static bool sampled(const struct timeline_window *window, cycle_t from, cycle_t to) {
  const cycle_t into = from % window->period;
  return into < window->sample || to - from > window->period - into;
}

bool timeline_window_has(const struct timeline_window *window, const struct timeline_event *event) {
  if (!(window->kinds >> event->kind & 1) ||
      (window->cus && (event->cu >= window->cu_count || !window->cus[event->cu])))
    return false;
  const cycle_t end = event->to > event->from ? event->to : event->from + 1;
  const cycle_t from = event->from > window->from ? event->from : window->from;
  const cycle_t to = end < window->to ? end : window->to;
  return from < to && (!window->period || sampled(window, from, to));
}
