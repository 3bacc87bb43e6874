/* Tracks of a viewer: where events of a timeline are drawn.
 *
 *   CU 0, warp 3, memory       ████  ██████    a place: section, unit and part of a compute unit
 *   CU 0, warp 3, memory (2)      ██████       its second lane
 *
 * Viewers draw on a track what does not overlap; events of one place that do (a warp's accesses to memory) lie in
 * lanes. They come in the order of their ends, for the most part: each takes the lane that became free last before it
 * begins, which needs no more lanes than events overlap. One that comes late takes a lane more; none ever overlaps.
 *
 * Invariant: tracks are numbered from 1 in the order of section, unit, part and lane, once all have been seen; a second
 * pass over the same events, after timeline_tracks_restart(), gives each the same lane. */
#ifndef SIM_TIMELINE_TRACKS_H
#define SIM_TIMELINE_TRACKS_H

#include <stddef.h>

#include "sim/core/timeline.h"

/* In the order in which they are shown. */
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

/* How many banks share a track. */
enum { TIMELINE_BANK_GROUP = 8 };

struct timeline_place {
  uint32_t cu; /* below 2^20 */
  enum timeline_section section;
  uint32_t unit, part; /* below TIMELINE_UNITS, 256 */
};

struct timeline_track {
  struct timeline_place place;
  uint32_t lane;
  uint64_t key; /* the above, in their order */
  cycle_t free; /* what lies in the lane has ended */
};

struct timeline_tracks {
  struct timeline_track *track;
  size_t count, room;
};

/* The number of the place's first lane, whatever lies there. */
uint32_t timeline_tracks_at(struct timeline_tracks *tracks, struct timeline_place place);
/* The number of a lane of the place that is free in [from, to), and now is no more; 0 when there would be more than
 * TIMELINE_LANES, which no machine needs: accesses under way are 4096 at most. */
enum { TIMELINE_LANES = 1 << 13 };
uint32_t timeline_tracks_lane(struct timeline_tracks *tracks, struct timeline_place place, cycle_t from, cycle_t to);
/* All lanes are free again. */
void timeline_tracks_restart(struct timeline_tracks *tracks);
void timeline_tracks_free(struct timeline_tracks *tracks);

enum { TIMELINE_TRACK_NAME = 64 };
void timeline_track_name(const struct timeline_track *track, char name[TIMELINE_TRACK_NAME]);

#endif
