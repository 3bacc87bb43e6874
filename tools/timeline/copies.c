#include "tools/timeline/copies.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"

void timeline_copies_note(struct timeline_copies *copies, const struct timeline_event *event) {
  if (event->kind == TIMELINE_COPY) {
    *vector_next(copies->copy, copies->copies, copies->copy_room) =
        (struct timeline_copy){.event = *event, .served_from = NEVER, .wait = TIMELINE_NO_WAIT};
  } else if (event->kind == TIMELINE_WAITED) {
    *vector_next(copies->wait, copies->waits, copies->wait_room) = (struct timeline_wait){.event = *event};
  } else if (event->kind == TIMELINE_CHANNEL) {
    *vector_next(copies->part, copies->parts, copies->part_room) = (struct timeline_part){
        event->field[TIMELINE_CHANNEL_COPY], event->from, event->to, (uint32_t)event->field[TIMELINE_CHANNEL_OF]};
  }
}

/* ---- orders. Orders for sorting distinguish any two rows, so that the result does not depend on the algorithm  */

static int order(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int by_rest(const struct timeline_event *a, const struct timeline_event *b) {
  const int cu = order(a->cu, b->cu), unit = order(a->unit, b->unit), to = order(a->to, b->to);
  return to ? to : cu ? cu : unit ? unit : memcmp(a->field, b->field, sizeof a->field);
}

static int by_issue(const void *one, const void *other) {
  const struct timeline_event *a = &((const struct timeline_copy *)one)->event;
  const struct timeline_event *b = &((const struct timeline_copy *)other)->event;
  const int cu = order(a->cu, b->cu), from = order(a->from, b->from);
  return cu ? cu : from ? from : order(a->field[TIMELINE_COPY_COPY], b->field[TIMELINE_COPY_COPY]);
}

static int by_issue_and_rest(const void *one, const void *other) {
  const int issue = by_issue(one, other);
  return issue ? issue
               : by_rest(&((const struct timeline_copy *)one)->event, &((const struct timeline_copy *)other)->event);
}

static int by_copy(const void *one, const void *other) {
  const struct timeline_part *a = one, *b = other;
  const int cu = order(a->cu, b->cu);
  return cu ? cu : order(a->copy, b->copy);
}

static int by_copy_and_time(const void *one, const void *other) {
  const struct timeline_part *a = one, *b = other;
  const int copy = by_copy(one, other), from = order(a->from, b->from);
  return copy ? copy : from ? from : order(a->to, b->to);
}

static int compare_waits(const struct timeline_event *a, uint64_t launch, uint64_t group, uint64_t event,
                         cycle_t from) {
  const int by[] = {order(a->field[TIMELINE_WAITED_LAUNCH], launch), order(a->field[TIMELINE_WAITED_GROUP], group),
                    order(a->field[TIMELINE_WAITED_EVENT], event), order(a->from, from)};
  int found = 0;
  for (size_t i = 0; i < sizeof by / sizeof *by && !found; i++)
    found = by[i];
  return found;
}

static int by_event(const void *one, const void *other) {
  const struct timeline_event *a = &((const struct timeline_wait *)one)->event;
  const struct timeline_event *b = &((const struct timeline_wait *)other)->event;
  const int found = compare_waits(a, b->field[TIMELINE_WAITED_LAUNCH], b->field[TIMELINE_WAITED_GROUP],
                                  b->field[TIMELINE_WAITED_EVENT], b->from);
  return found ? found : by_rest(a, b);
}

/* The last cycle of a wait. */
static cycle_t last_cycle(const struct timeline_event *wait) {
  return wait->to > wait->from ? wait->to - 1 : wait->from;
}

/* Compares pointers into the array of waits. */
static int by_release(const void *one, const void *other) {
  struct timeline_wait *const *x = one, *const *y = other;
  const struct timeline_event *a = &(*x)->event, *b = &(*y)->event;
  const int cu = order(a->cu, b->cu), last = order(last_cycle(a), last_cycle(b));
  return cu ? cu : last ? last : (*x > *y) - (*x < *y);
}

/* ---- sorting and searching: without rows there is no array, but qsort() and bsearch() require one ------------ */

static void sort(void *rows, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  if (count)
    qsort(rows, count, size, compare);
}

static const void *find(const void *wanted, const void *rows, size_t count, size_t size,
                        int (*compare)(const void *, const void *)) {
  return count ? bsearch(wanted, rows, count, size, compare) : NULL;
}

/* ---- joining ---- */

static void join_wait(struct timeline_copies *copies, struct timeline_copy *copy) {
  const uint64_t *field = copy->event.field;
  const uint64_t launch = field[TIMELINE_COPY_LAUNCH], group = field[TIMELINE_COPY_GROUP],
                 event = field[TIMELINE_COPY_EVENT];
  size_t low = 0, high = copies->waits;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (compare_waits(&copies->wait[middle].event, launch, group, event, copy->event.from) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == copies->waits)
    return;
  const uint64_t *found = copies->wait[low].event.field;
  if (found[TIMELINE_WAITED_LAUNCH] == launch && found[TIMELINE_WAITED_GROUP] == group &&
      found[TIMELINE_WAITED_EVENT] == event)
    copy->wait = (uint32_t)low;
}

static void join_parts(const struct timeline_copies *copies, struct timeline_copy *copy) {
  const struct timeline_part wanted = {.copy = copy->event.field[TIMELINE_COPY_COPY], .cu = copy->event.cu};
  const struct timeline_part *part = find(&wanted, copies->part, copies->parts, sizeof *part, by_copy);
  if (!part)
    return;
  const struct timeline_part *end = copies->part + copies->parts;
  while (part > copies->part && by_copy(part - 1, &wanted) == 0)
    part--;
  for (; part < end && by_copy(part, &wanted) == 0; part++) {
    copy->served_from = cycle_min(copy->served_from, part->from);
    if (part->to > copy->served_to)
      copy->served_to = part->to;
  }
}

void timeline_copies_join(struct timeline_copies *copies) {
  sort(copies->copy, copies->copies, sizeof *copies->copy, by_issue_and_rest);
  sort(copies->wait, copies->waits, sizeof *copies->wait, by_event);
  sort(copies->part, copies->parts, sizeof *copies->part, by_copy_and_time);
  for (size_t i = 0; i < copies->copies; i++) {
    join_wait(copies, &copies->copy[i]);
    join_parts(copies, &copies->copy[i]);
  }
  copies->release = need(copies->waits + 1, sizeof *copies->release);
  for (size_t i = 0; i < copies->waits; i++)
    copies->release[i] = &copies->wait[i];
  sort(copies->release, copies->waits, sizeof *copies->release, by_release);
}

void timeline_copies_free(struct timeline_copies *copies) {
  free(copies->copy);
  free(copies->wait);
  free(copies->part);
  free(copies->release);
}

const struct timeline_copy *timeline_copies_find(const struct timeline_copies *copies,
                                                 const struct timeline_event *event) {
  const struct timeline_copy wanted = {.event = *event};
  return find(&wanted, copies->copy, copies->copies, sizeof wanted, by_issue);
}

/* ---- flows ---- */

static bool same_group(const struct timeline_event *warp, uint64_t launch, uint64_t group) {
  return warp->field[TIMELINE_WARP_LAUNCH] == launch && warp->field[TIMELINE_WARP_GROUP] == group;
}

/* Whether cycle `at` of `cu` precedes the warp event's first cycle. */
static bool is_before(uint32_t cu, cycle_t at, const struct timeline_event *warp) {
  return cu < warp->cu || (cu == warp->cu && at < warp->from);
}

static void bind_issues(struct timeline_copies *copies, const struct timeline_event *warp, uint32_t track) {
  size_t low = 0, high = copies->copies;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const struct timeline_event *event = &copies->copy[middle].event;
    if (is_before(event->cu, event->from, warp))
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < copies->copies; low++) {
    struct timeline_copy *copy = &copies->copy[low];
    const struct timeline_event *event = &copy->event;
    if (event->cu != warp->cu || event->from >= warp->to)
      break;
    if (!copy->issue.track && event->field[TIMELINE_COPY_PC] == warp->field[TIMELINE_WARP_PC] &&
        same_group(warp, event->field[TIMELINE_COPY_LAUNCH], event->field[TIMELINE_COPY_GROUP]))
      copy->issue = (struct timeline_flow_end){event->from, track};
  }
}

static void bind_releases(struct timeline_copies *copies, const struct timeline_event *warp, uint32_t track) {
  size_t low = 0, high = copies->waits;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const struct timeline_event *event = &copies->release[middle]->event;
    if (is_before(event->cu, last_cycle(event), warp))
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < copies->waits; low++) {
    struct timeline_wait *wait = copies->release[low];
    const struct timeline_event *event = &wait->event;
    if (event->cu != warp->cu || last_cycle(event) >= warp->to)
      break;
    if (!wait->release.track &&
        same_group(warp, event->field[TIMELINE_WAITED_LAUNCH], event->field[TIMELINE_WAITED_GROUP]))
      wait->release = (struct timeline_flow_end){last_cycle(event), track};
  }
}

void timeline_copies_bind(struct timeline_copies *copies, const struct timeline_event *warp, bool issued,
                          uint32_t track) {
  if (issued)
    bind_issues(copies, warp, track);
  bind_releases(copies, warp, track);
}
