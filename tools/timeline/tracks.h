/* Tracks of a viewer: where events of a timeline are drawn.
 *
 *   CU 0, warp 3, memory       ████  ██████    a place: section, unit and part of a compute unit
 *   CU 0, warp 3, memory (2)      ██████       its second lane
 *
 * Viewers cannot draw overlapping events on one track, so overlapping events of one place (such as a warp's accesses to
 * memory) go to different lanes. Events arrive mostly in the order of their ends. Each takes the lane that became free
 * last before it begins, so there are no more lanes than overlapping events. An event that arrives late may need
 * another lane; none ever overlaps.
 *
 * Invariant: once all events have been seen, tracks are numbered from 1 by section, unit, part and lane. After
 * timeline_tracks_restart(), a second pass over the same events gives each the same lane. */
#ifndef TOOLS_TIMELINE_TRACKS_H
#define TOOLS_TIMELINE_TRACKS_H

#include <stddef.h>

#include "sim/core/timeline.h"

/* In the order of display. */
enum timeline_section {
  SECTION_GROUPS,
  SECTION_MEETS,
  SECTION_COPIES,
  SECTION_WARPS,
  SECTION_SCHEDULERS,
  SECTION_BANKS,
  SECTION_QUEUES,
  SECTION_CHANNELS,
  SECTION_PORT,
  SECTION_MEMORY
};

/* Parts of a warp and of a channel. */
enum { PART_ITSELF, PART_LDS, PART_MEMORY, PART_REQUESTS };

/* Number of banks that share a track. */
enum { TIMELINE_BANK_GROUP = 8 };

struct timeline_place {
  uint32_t cu; /* below 2^20 */
  enum timeline_section section;
  uint32_t unit, part; /* below TIMELINE_UNITS and 256 */
};

struct timeline_track {
  struct timeline_place place;
  uint32_t lane;
  uint64_t key; /* combines the fields above, in this order */
  cycle_t free; /* the cycle in which the lane's last event ends */
};

struct timeline_tracks {
  struct timeline_track *track;
  size_t count, room;
};

/* The number of the place's first lane, even if it is in use. */
uint32_t timeline_tracks_at(struct timeline_tracks *tracks, struct timeline_place place);
/* Takes a lane of the place that is free in [from, to), and returns its number. 0: there would be more than
 * TIMELINE_LANES, which no machine needs, because at most 4096 accesses are in flight. */
enum { TIMELINE_LANES = 1 << 13 };
uint32_t timeline_tracks_lane(struct timeline_tracks *tracks, struct timeline_place place, cycle_t from, cycle_t to);
/* Frees all lanes. */
void timeline_tracks_restart(struct timeline_tracks *tracks);
void timeline_tracks_free(struct timeline_tracks *tracks);

enum { TIMELINE_TRACK_NAME = 64 };
void timeline_track_name(const struct timeline_track *track, char name[TIMELINE_TRACK_NAME]);

#endif
