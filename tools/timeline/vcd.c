/* A timeline as waves. Every wave is a sum: an event adds to it in its first cycle, and subtracts after its last. If
 * the events of a wave do not overlap, the sum is the event's value; if they do, it is their number.
 *
 * Changes must be written in the order of time, and may not all fit into memory. So the file is read repeatedly, each
 * time for as many cycles as fit into ROOM changes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/text.h"
#include "sim/base/vector.h"
#include "sim/host/vcd.h"
#include "tools/timeline/export.h"
#include "tools/timeline/run.h"

enum {
  ROOM = 1 << 18,      /* changes in memory, 24 bytes each */
  CLOCK_MOST = 100000, /* MHz; maximum of cu.clock_mhz */
  NAME = 64
};
static const cycle_t longest = UINT64_C(1) << 43; /* 64 bits hold this many cycles in picoseconds, even at 1 MHz */

/* The part of the event's unit that appears in the wave's name, between the texts of its row. */
enum naming { BY_NONE, BY_UNIT, BY_CHANNEL, BY_SOURCE };

/* WAVE(kind, naming, "before", "after", bits, what the event adds): `field` is the event's. */
/* clang-format off */
#define WAVES                                                                                                          \
  WAVE(GROUP,     BY_UNIT,    "slot",      ".group",           32, 1 + field[TIMELINE_GROUP_GROUP])                    \
  WAVE(MEET,      BY_UNIT,    "slot",      ".meeting",         8,  1 + field[TIMELINE_MEET_KIND])                      \
  WAVE(COPY,      BY_NONE,    "copies",    "",                 16, 1)                                                  \
  WAVE(WARP,      BY_UNIT,    "warp",      ".state",           8,  1 + field[TIMELINE_WARP_STALL])                     \
  WAVE(WARP,      BY_UNIT,    "warp",      ".pc",              32, field[TIMELINE_WARP_PC])                            \
  WAVE(ACCESS,    BY_UNIT,    "warp",      ".lds_accesses",    16, 1)                                                  \
  WAVE(GLOBAL,    BY_UNIT,    "warp",      ".memory_accesses", 16, 1)                                                  \
  WAVE(SCHEDULER, BY_UNIT,    "scheduler", ".state",           8,  1 + field[TIMELINE_SCHEDULER_STALL])                \
  WAVE(BANKS,     BY_SOURCE,  "lds.",      ".banks",           64, field[TIMELINE_BANKS_BANKS])                        \
  WAVE(QUEUE,     BY_UNIT,    "engine",    ".queue",           16, 1)                                                  \
  WAVE(CHANNEL,   BY_CHANNEL, "engine",    ".copy",            32, field[TIMELINE_CHANNEL_COPY])                       \
  WAVE(REQUEST,   BY_CHANNEL, "engine",    ".requests",        16, 1)                                                  \
  WAVE(PASSED,    BY_SOURCE,  "port.",     ".messages",        16, 1)                                                  \
  WAVE(SERVED,    BY_SOURCE,  "memory.",   ".messages",        16, 1)
/* clang-format on */

static const struct row {
  enum timeline_kind kind;
  enum naming naming;
  const char *before, *after;
  unsigned bits;
} rows[] = {
#define WAVE(kind, naming, before, after, bits, value) {TIMELINE_##kind, naming, before, after, bits},
    WAVES
#undef WAVE
};
enum { ROWS = sizeof rows / sizeof *rows };

static uint64_t value_of(unsigned row, const uint64_t *field) {
  const uint64_t values[] = {
#define WAVE(kind, naming, before, after, bits, value) value,
      WAVES
#undef WAVE
  };
  return values[row];
}

/* A wave increases by `step` from cycle `at` on. */
struct change {
  cycle_t at;
  uint64_t step;
  uint32_t wave;
};

struct player {
  struct timeline_file *file;
  uint64_t *key; /* each wave's compute unit, row and unit, sorted */
  size_t count, room;
  struct change *change; /* the pass's changes in [from, to), sorted at its end */
  size_t changes, change_room;
  cycle_t from, to;
};

/* ---- the waves ---- */

static uint64_t key_of(const struct timeline_event *event, unsigned row) {
  const uint32_t unit = rows[row].naming == BY_NONE ? 0 : event->unit;
  return (uint64_t)event->cu << 32 | (uint64_t)row << 16 | unit;
}

/* The first wave with a key of at least `key`. */
static size_t find(const struct player *player, uint64_t key) {
  size_t low = 0, high = player->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (player->key[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void note_wave(struct player *player, uint64_t key) {
  const size_t at = find(player, key);
  if (at < player->count && player->key[at] == key)
    return;
  player->key = vector_room(player->key, &player->room, player->count + 1, sizeof *player->key);
  memmove(player->key + at + 1, player->key + at, (player->count++ - at) * sizeof *player->key);
  player->key[at] = key;
}

static void note_waves(struct player *player) {
  struct timeline_event event;
  while (timeline_next(player->file, &event))
    for (unsigned row = 0; row < ROWS; row++)
      if (rows[row].kind == event.kind)
        note_wave(player, key_of(&event, row));
}

/* "cu0.warp3.state" */
static char *name_of(uint64_t key) {
  const struct row *row = &rows[key >> 16 & 0xffff];
  const unsigned cu = (unsigned)(key >> 32), unit = (unsigned)(key & 0xffff);
  char name[NAME];
  int length = snprintf(name, sizeof name, "cu%u.%s", cu, row->before);
  char *middle = name + length;
  const size_t room = sizeof name - (size_t)length;
  if (row->naming == BY_UNIT)
    snprintf(middle, room, "%u%s", unit, row->after);
  else if (row->naming == BY_CHANNEL)
    snprintf(middle, room, "%u.channel%u%s", unit / TIMELINE_CHANNELS, unit % TIMELINE_CHANNELS, row->after);
  else if (row->naming == BY_SOURCE && unit)
    snprintf(middle, room, "engine%u%s", unit - 1, row->after);
  else if (row->naming == BY_SOURCE)
    snprintf(middle, room, "warps%s", row->after);
  return need_copy(name);
}

/* ---- changes in the order of time ---- */

static int by_time(const void *one, const void *other) {
  const struct change *a = one, *b = other;
  if (a->at != b->at)
    return a->at < b->at ? -1 : 1;
  if (a->wave != b->wave)
    return a->wave < b->wave ? -1 : 1;
  return (a->step > b->step) - (a->step < b->step);
}

/* Drops the later half of the changes, for the next pass; or makes room for more, if all are in one cycle. */
static void make_room(struct player *player) {
  qsort(player->change, player->changes, sizeof *player->change, by_time);
  const cycle_t middle = player->change[player->changes / 2].at;
  if (middle == player->change[0].at) {
    player->change_room *= 2;
    player->change = need_more(player->change, player->change_room, sizeof *player->change);
    return;
  }
  player->to = middle;
  while (player->change[player->changes - 1].at >= middle)
    player->changes--;
}

static void note_change(struct player *player, cycle_t at, uint32_t wave, uint64_t step) {
  if (player->changes == player->change_room)
    make_room(player);
  if (at >= player->from && at < player->to && step)
    player->change[player->changes++] = (struct change){at, step, wave};
}

/* One pass: collects the changes from `from` on that fit. */
static void note_changes(struct player *player) {
  struct timeline_event event;
  player->to = NEVER;
  player->changes = 0;
  timeline_rewind(player->file);
  while (timeline_next(player->file, &event))
    for (unsigned row = 0; row < ROWS && event.from < event.to; row++)
      if (rows[row].kind == event.kind) {
        const uint32_t wave = (uint32_t)find(player, key_of(&event, row));
        const uint64_t value = value_of(row, event.field);
        note_change(player, event.from, wave, value);
        note_change(player, event.to, wave, -value);
      }
  qsort(player->change, player->changes, sizeof *player->change, by_time);
}

static void play_changes(struct player *player, FILE *stream, struct vcd *vcd) {
  for (player->to = 0; player->to != NEVER && !ferror(stream) && !timeline_failed(player->file);) {
    player->from = player->to;
    note_changes(player);
    for (size_t i = 0; i < player->changes; i++)
      vcd_add(vcd, player->change[i].at, player->change[i].wave, player->change[i].step);
  }
}

/* ---- the file ---- */

/* The meaning of the values. The caller frees it. */
static char *describe(const struct timeline_run *run) {
  struct text text = {0};
  text_print(&text, "Warpwait %s, machine %s\nstates: 0 no warp", run->version, run->machine);
  for (size_t i = 0; i < run->stalls; i++)
    text_print(&text, ", %zu %s", i + 1, run->stall[i]);
  text_print(&text, "\nmeetings: 0 none");
  unsigned number = 0;
  for (const char *word = timeline_kind_rows[TIMELINE_MEET].field[TIMELINE_MEET_KIND].type; word; number++) {
    const int length = (int)strcspn(word, "|");
    text_print(&text, ", %u %.*s", number + 1, length, word);
    word = word[length] ? word + length + 1 : NULL;
  }
  /* Words from outside must not end the VCD comment. */
  for (char *dollar = strchr(text.data, '$'); dollar; dollar = strchr(dollar, '$'))
    *dollar = '?';
  return text.data;
}

static void play(struct player *player, const struct timeline_run *run, FILE *stream) {
  struct wave *wave = need(player->count + 1, sizeof *wave);
  char *comment = describe(run);
  for (size_t i = 0; i < player->count; i++)
    wave[i] = (struct wave){name_of(player->key[i]), rows[player->key[i] >> 16 & 0xffff].bits};
  struct vcd *vcd =
      vcd_new(stream, wave, player->count, (uint32_t)timeline_run_parameter(run, "cu.clock_mhz"), comment);
  player->change_room = ROOM;
  player->change = need(ROOM, sizeof *player->change);
  play_changes(player, stream, vcd);
  vcd_free(vcd);
  for (size_t i = 0; i < player->count; i++)
    free((char *)wave[i].name);
  free(wave);
  free(comment);
}

static bool check_times(const struct timeline_run *run, struct timeline_extent extent, struct message *message) {
  const uint64_t clock = timeline_run_parameter(run, "cu.clock_mhz");
  if (clock < 1 || clock > CLOCK_MOST)
    return message_fail(message, "the timeline's meta 'run': cu.clock_mhz %" PRIu64 " is outside [1, %d] MHz", clock,
                        CLOCK_MOST);
  return extent.to <= longest
             ? true
             : message_fail(message, "the timeline ends at cycle %" PRIu64 ", but a waveform must end by %" PRIu64,
                            extent.to, longest);
}

static bool play_into(struct player *player, const struct timeline_run *run, FILE *stream, struct message *message) {
  play(player, run, stream);
  return timeline_failed(player->file) ? message_fail(message, "%s", timeline_failed(player->file)->text) : true;
}

bool timeline_export_vcd(struct timeline_file *file, const char *name, FILE *stream, struct message *message) {
  struct player player = {.file = file};
  struct timeline_run run;
  timeline_rewind(file);
  bool good = timeline_run_read(file, &run, message) && check_times(&run, timeline_extent_of(file), message);
  if (good)
    note_waves(&player);
  if (good && timeline_failed(file))
    good = message_fail(message, "%s", timeline_failed(file)->text);
  good = good ? play_into(&player, &run, stream, message) : message_within(message, name);
  timeline_run_free(&run);
  free(player.key);
  free(player.change);
  return good;
}
