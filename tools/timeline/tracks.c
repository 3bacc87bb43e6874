#include "tools/timeline/tracks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/vector.h"

static uint64_t key_of(const struct timeline_place *place, uint32_t lane) {
  return (uint64_t)place->cu << 44 | (uint64_t)place->section << 40 | (uint64_t)place->unit << 28 |
         (uint64_t)place->part << 20 | lane;
}

/* The first track with a key of at least `key`. */
static size_t find(const struct timeline_tracks *tracks, uint64_t key) {
  size_t low = 0, high = tracks->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (tracks->track[middle].key < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void insert(struct timeline_tracks *tracks, size_t at, const struct timeline_place *place, uint32_t lane) {
  tracks->track = vector_room(tracks->track, &tracks->room, tracks->count + 1, sizeof *tracks->track);
  memmove(tracks->track + at + 1, tracks->track + at, (tracks->count++ - at) * sizeof *tracks->track);
  tracks->track[at] = (struct timeline_track){.place = *place, .lane = lane, .key = key_of(place, lane)};
}

uint32_t timeline_tracks_at(struct timeline_tracks *tracks, struct timeline_place place) {
  const uint64_t key = key_of(&place, 0);
  const size_t at = find(tracks, key);
  if (at == tracks->count || tracks->track[at].key != key)
    insert(tracks, at, &place, 0);
  return (uint32_t)at + 1;
}

uint32_t timeline_tracks_lane(struct timeline_tracks *tracks, struct timeline_place place, cycle_t from, cycle_t to) {
  const size_t first = find(tracks, key_of(&place, 0));
  size_t end = first, best = SIZE_MAX;
  for (; end < tracks->count && tracks->track[end].key == key_of(&place, (uint32_t)(end - first)); end++)
    if (tracks->track[end].free <= from && (best == SIZE_MAX || tracks->track[end].free > tracks->track[best].free))
      best = end;
  if (best == SIZE_MAX && end - first == TIMELINE_LANES)
    return 0;
  if (best == SIZE_MAX)
    insert(tracks, best = end, &place, (uint32_t)(end - first));
  tracks->track[best].free = cycle_max(from, to);
  return (uint32_t)best + 1;
}

void timeline_tracks_restart(struct timeline_tracks *tracks) {
  for (size_t i = 0; i < tracks->count; i++)
    tracks->track[i].free = 0;
}

void timeline_tracks_free(struct timeline_tracks *tracks) { free(tracks->track); }

/* "warps" or "engine 0". */
static const char *source_name(uint32_t source, char name[24]) {
  if (!source)
    return "warps";
  snprintf(name, 24, "engine %" PRIu32, source - 1);
  return name;
}

static void name_warp(const struct timeline_place *place, char *name) {
  static const char *const parts[] = {[PART_ITSELF] = "", [PART_LDS] = ", LDS", [PART_MEMORY] = ", memory"};
  snprintf(name, TIMELINE_TRACK_NAME, "warp %" PRIu32 "%s", place->unit, parts[place->part]);
}

static void name_place(const struct timeline_place *place, char *name) {
  const uint32_t unit = place->unit, part = place->part, bank = unit * TIMELINE_BANK_GROUP;
  const size_t size = TIMELINE_TRACK_NAME;
  char source[24];
  switch (place->section) {
  case SECTION_GROUPS:
    snprintf(name, size, "work-group slot %" PRIu32, unit);
    break;
  case SECTION_MEETS:
    snprintf(name, size, "work-group slot %" PRIu32 ", meetings", unit);
    break;
  case SECTION_COPIES:
    snprintf(name, size, "copies");
    break;
  case SECTION_WARPS:
    name_warp(place, name);
    break;
  case SECTION_SCHEDULERS:
    snprintf(name, size, "scheduler %" PRIu32, unit);
    break;
  case SECTION_BANKS:
    snprintf(name, size, "LDS banks %" PRIu32 "-%" PRIu32 ", %s", bank, bank + TIMELINE_BANK_GROUP - 1,
             source_name(part, source));
    break;
  case SECTION_QUEUES:
    snprintf(name, size, "engine %" PRIu32 ", queue", unit);
    break;
  case SECTION_CHANNELS:
    snprintf(name, size, "engine %" PRIu32 ", channel %" PRIu32 "%s", unit / TIMELINE_CHANNELS,
             unit % TIMELINE_CHANNELS, part == PART_REQUESTS ? ", requests" : "");
    break;
  case SECTION_PORT:
    snprintf(name, size, "memory port, %s", source_name(unit, source));
    break;
  case SECTION_MEMORY:
    snprintf(name, size, "global memory, %s", source_name(unit, source));
    break;
  }
}

void timeline_track_name(const struct timeline_track *track, char name[TIMELINE_TRACK_NAME]) {
  name_place(&track->place, name);
  const size_t length = strlen(name);
  if (track->lane)
    snprintf(name + length, TIMELINE_TRACK_NAME - length, " (%" PRIu32 ")", track->lane + 1);
}
