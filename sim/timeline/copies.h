/* Copies of a timeline, joined with what else it says about them: when channels had them, and which wait they release.
 *
 * A copy releases the first wait for its event, of its work-group, that the warps arrive at after its issue. A copy
 * that nobody waits for, or whose wait lies outside the window, has none.
 *
 * Memory: some 200 bytes a copy and 40 a wait or part; a timeline has few of these beside its other events. */
#ifndef SIM_TIMELINE_COPIES_H
#define SIM_TIMELINE_COPIES_H

#include "sim/core/timeline.h"

#define TIMELINE_NO_WAIT UINT32_MAX

/* Where a viewer's arrow begins or ends: a slice of a warp's track; track 0: nowhere. */
struct timeline_mooring {
  cycle_t at;
  uint32_t track;
};

struct timeline_copy {
  struct timeline_event event;    /* COPY */
  cycle_t served_from, served_to; /* in channels; from > to: in none that the timeline has */
  uint32_t wait;                  /* TIMELINE_NO_WAIT, or a place in `wait` */
  struct timeline_mooring issue;
};

struct timeline_wait {
  struct timeline_event event; /* WAITED */
  struct timeline_mooring release;
};

struct timeline_part {
  uint64_t copy;
  cycle_t from, to;
  uint32_t cu; /* whose copy it is; another may have told of it */
};

struct timeline_copies {
  struct timeline_copy *copy; /* by compute unit, then issue */
  struct timeline_wait *wait; /* by launch, work-group, event and arrival */
  struct timeline_part *part;
  struct timeline_wait **release; /* the waits by compute unit, then release */
  size_t copies, waits, parts, copy_room, wait_room, part_room;
};

/* Takes COPY, WAITED and CHANNEL events; others leave it as it is. */
void timeline_copies_note(struct timeline_copies *copies, const struct timeline_event *event);
/* All events have been noted. */
void timeline_copies_join(struct timeline_copies *copies);
void timeline_copies_free(struct timeline_copies *copies);

/* The copy that an event of kind COPY told. */
const struct timeline_copy *timeline_copies_find(const struct timeline_copies *copies,
                                                 const struct timeline_event *event);

/* A WARP event is shown on `track`: issues and releases that fall into it are moored there, unless another warp's were
 * before. `issued`: whether it is one in which the warp issued. */
void timeline_copies_moor(struct timeline_copies *copies, const struct timeline_event *warp, bool issued,
                          uint32_t track);

#endif
