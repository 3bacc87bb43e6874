/* The copies of a timeline, joined with related events: when channels served them, and which wait they release.
 *
 * A copy releases its work-group's first wait for its event that warps reach after the copy's issue. It has none if no
 * warp waits for it, or if the wait is outside the window.
 *
 * Memory: some 200 bytes per copy and 40 per wait or part; a timeline has few of these compared with its other
 * events. */
#ifndef TOOLS_TIMELINE_COPIES_H
#define TOOLS_TIMELINE_COPIES_H

#include "sim/core/timeline.h"

#define TIMELINE_NO_WAIT UINT32_MAX

/* An end of a viewer's arrow: a slice on a warp's track; track 0: none. */
struct timeline_flow_end {
  cycle_t at;
  uint32_t track;
};

struct timeline_copy {
  struct timeline_event event;    /* COPY */
  cycle_t served_from, served_to; /* in channels; from > to: the timeline has no channel event of it */
  uint32_t wait;                  /* an index in `wait`, or TIMELINE_NO_WAIT */
  struct timeline_flow_end issue;
};

struct timeline_wait {
  struct timeline_event event; /* WAITED */
  struct timeline_flow_end release;
};

struct timeline_part {
  uint64_t copy;
  cycle_t from, to;
  uint32_t cu; /* the copy's; another may have recorded the event */
};

struct timeline_copies {
  struct timeline_copy *copy; /* sorted by compute unit, then issue */
  struct timeline_wait *wait; /* sorted by launch, work-group, event and arrival */
  struct timeline_part *part;
  struct timeline_wait **release; /* the waits, sorted by compute unit, then release */
  size_t copies, waits, parts, copy_room, wait_room, part_room;
};

/* Takes COPY, WAITED and CHANNEL events; ignores others. */
void timeline_copies_note(struct timeline_copies *copies, const struct timeline_event *event);
/* Joins them, after all events have been noted. */
void timeline_copies_join(struct timeline_copies *copies);
void timeline_copies_free(struct timeline_copies *copies);

/* The copy of a COPY event. */
const struct timeline_copy *timeline_copies_find(const struct timeline_copies *copies,
                                                 const struct timeline_event *event);

/* Binds to `track`, which shows this WARP event, the issues and releases within the event that are not bound yet.
 * `issued`: whether the warp issues in it. */
void timeline_copies_bind(struct timeline_copies *copies, const struct timeline_event *warp, bool issued,
                          uint32_t track);

#endif
