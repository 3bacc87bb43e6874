/* Timelines in files: events in the window read back as written, and damage is reported. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/ct.h"
#include "tests/traces/made.h"
#include "traces/block.h"
#include "traces/timeline_code.h"
#include "traces/timeline_file.h"

CT_FREES(struct timeline_file, timeline_close)

enum { STREAMS = 5 };

/* Events as blocks hold them: stream s belongs to compute unit s / 2. */
struct made_timeline {
  uint64_t seed;
  uint32_t events; /* of each stream */
  unsigned wild;   /* of 100 */
  bool alike;      /* all streams have the same events, so they close their batches in the same cycles */
};

struct told {
  uint32_t stream;
  cycle_t now;
  struct timeline_event event;
};

static const struct timeline_window everything = {.to = NEVER, .kinds = UINT32_MAX};
static const struct made_timeline small = {.seed = 3, .events = 20000, .wild = 5};

static uint64_t of_any_length(uint64_t *state) {
  const uint64_t bits = ct_random(state);
  return bits >> ct_random(state) % 64;
}

/* Makes the stream's next event from the previous one. */
static void make(struct told *told, uint64_t *state, unsigned wild) {
  struct timeline_event *event = &told->event;
  const uint64_t dice = ct_random(state);
  told->now += dice % 3;
  event->kind = (enum timeline_kind)(dice >> 8 & 3 ? TIMELINE_WARP : (dice >> 16) % TIMELINE_KINDS);
  event->unit = (event->unit + 1) % 16;
  event->from = told->now > 40 ? told->now - (dice >> 24) % 40 : 0;
  event->to = event->from + (dice >> 32) % 50;
  for (unsigned i = 0; i < TIMELINE_FIELDS; i++)
    event->field[i] = i < timeline_kind_rows[event->kind].fields ? (dice >> 40) % (i + 2) : 0;
  if (dice >> 56 >= wild * 256u / 100)
    return;
  event->unit = (uint32_t)(ct_random(state) % TIMELINE_UNITS);
  event->from = of_any_length(state);
  event->to = event->from + ct_random(state) % (NEVER - event->from);
  for (unsigned i = 0; i < timeline_kind_rows[event->kind].fields; i++)
    event->field[i] = of_any_length(state);
}

/* Makes all events, stream after stream. The caller frees them. */
static struct told *make_all(const struct made_timeline *made) {
  struct told *all = calloc(made->events * STREAMS, sizeof *all);
  for (uint32_t stream = 0; stream < STREAMS; stream++) {
    uint64_t state = made->seed + (made->alike ? 0 : stream * UINT64_C(0x9e3779b97f4a7c15));
    struct told told = {.stream = stream, .event.cu = stream / 2};
    for (uint32_t i = 0; i < made->events; i++) {
      make(&told, &state, made->wild);
      all[stream * made->events + i] = told;
    }
  }
  return all;
}

/* Writes them cycle by cycle, and within a cycle stream after stream in either order. */
static void report_all(const struct made_timeline *made, struct timeline_writer *writer, bool backwards) {
  ct_freed(ct_free) struct told *all = make_all(made);
  struct timeline *timeline = timeline_writer_listener(writer);
  uint32_t next[STREAMS] = {0}, left = made->events * STREAMS;
  for (cycle_t now = 0; left; now++) {
    for (uint32_t i = 0; i < STREAMS; i++) {
      const uint32_t stream = backwards ? STREAMS - 1 - i : i;
      for (; next[stream] < made->events; next[stream]++, left--) {
        const struct told *told = &all[stream * made->events + next[stream]];
        if (told->now > now)
          break;
        if (timeline->kinds >> told->event.kind & 1)
          timeline->take(timeline->self, stream, now, &told->event);
      }
    }
    if (now % (backwards ? 77 : 1000) == 0)
      timeline_writer_settle(writer, now);
  }
}

static void write_made(const struct made_timeline *made, const struct timeline_window *window, const char *path,
                       bool backwards) {
  struct message error;
  struct timeline_writer *writer = timeline_writer_open(path, window, &error);
  timeline_write_meta(writer, "run", "first", 5);
  report_all(made, writer, backwards);
  timeline_write_meta(writer, "run", "second", 6);
  EXPECT_TRUE(timeline_writer_close(writer, &error));
}

static bool same_event(const struct timeline_event *a, const struct timeline_event *b) {
  return a->kind == b->kind && a->cu == b->cu && a->unit == b->unit && a->from == b->from && a->to == b->to &&
         memcmp(a->field, b->field, sizeof a->field) == 0;
}

/* Whether the window includes the event, stated in another way: any of its cycles counts. */
static bool wanted(const struct timeline_window *window, const struct timeline_event *event) {
  if (!(window->kinds >> event->kind & 1) || (window->cus && !window->cus[event->cu]))
    return false;
  const cycle_t length = event->to - event->from ? event->to - event->from : 1;
  for (cycle_t i = 0; i < length; i++) {
    const cycle_t cycle = event->from + i;
    if (cycle >= window->from && cycle < window->to && (!window->period || cycle % window->period < window->sample))
      return true;
  }
  return false;
}

/* Each event read must be the next wanted one of its stream. Files do not contain stream numbers, so an event is looked
 * up in the streams of its compute unit. Returns the number of events read. */
static uint64_t check(const struct made_timeline *made, const struct timeline_window *window,
                      struct timeline_file *file) {
  ct_freed(ct_free) struct told *all = make_all(made);
  uint32_t next[STREAMS] = {0};
  uint64_t events = 0;
  struct timeline_event event;
  for (; timeline_next(file, &event); events++) {
    bool found = false;
    for (uint32_t stream = 0; stream < STREAMS && !found; stream++) {
      uint32_t i = next[stream];
      while (i < made->events && window != &everything && !wanted(window, &all[stream * made->events + i].event))
        i++;
      found = i < made->events && same_event(&event, &all[stream * made->events + i].event);
      next[stream] = found ? i + 1 : next[stream];
    }
    if (!EXPECT_TRUE(found))
      break;
  }
  return events;
}

TEST(timelines, events_survive_a_round_trip) {
  const char *path = made_path("all.wtl");
  static const struct made_timeline rows[] = {
      {3, 10000, 5, false}, {4, 3000, 100, false}, {5, 1, 0, false}, {6, 8193, 0, false}};
  struct message error;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_note("row %zu", i);
    write_made(&rows[i], &everything, path, false);
    EXPECT_TRUE(timeline_validate(path, &error));
    EXPECT_STREQ(error.text, "");
    ct_freed(timeline_close_at) struct timeline_file *file = timeline_open_file(path, TRACE_WHOLE, &error);
    ASSERT_TRUE(file);
    EXPECT_EQ(check(&rows[i], &everything, file), rows[i].events * STREAMS);
    EXPECT_TRUE(!timeline_failed(file));
    EXPECT_EQ(timeline_extent_of(file).events, rows[i].events * STREAMS);
    timeline_rewind(file);
    EXPECT_EQ(check(&rows[i], &everything, file), rows[i].events * STREAMS);
  }
  unlink(path);
}

TEST(timelines, the_last_of_two_metas_with_one_name_counts) {
  const char *path = made_path("meta.wtl");
  struct message error;
  size_t size;
  write_made(&small, &everything, path, false);
  ct_freed(timeline_close_at) struct timeline_file *file = timeline_open_file(path, TRACE_WHOLE, &error);
  EXPECT_STREQ(timeline_meta(file, "run", &size), "second");
  EXPECT_EQ(size, 6);
  EXPECT_TRUE(!timeline_meta(file, "other", NULL));
  EXPECT_TRUE(timeline_is_one(path));
  EXPECT_FALSE(timeline_is_one("/nonexistent"));
  EXPECT_FALSE(timeline_is_one("README.md"));
  unlink(path);
}

TEST(timelines, an_empty_timeline_is_complete) {
  const char *path = made_path("empty.wtl");
  const struct made_timeline none = {.events = 0};
  struct message error;
  struct timeline_event event;
  write_made(&none, &everything, path, false);
  EXPECT_TRUE(timeline_validate(path, &error));
  ct_freed(timeline_close_at) struct timeline_file *file = timeline_open_file(path, TRACE_WHOLE, &error);
  EXPECT_FALSE(timeline_next(file, &event));
  EXPECT_EQ(timeline_extent_of(file).events, 0);
  unlink(path);
}

TEST(timelines, bytes_do_not_depend_on_the_order_in_which_streams_report) {
  static const struct made_timeline alike = {.seed = 7, .events = 20000, .alike = true};
  const char *path = made_path("order.wtl");
  for (unsigned row = 0; row < 2; row++) {
    size_t size[2];
    uint8_t *bytes[2];
    for (unsigned i = 0; i < 2; i++) {
      write_made(row ? &alike : &small, &everything, path, i);
      bytes[i] = made_read(path, &size[i]);
    }
    EXPECT_EQ(size[0], size[1]);
    EXPECT_EQ(memcmp(bytes[0], bytes[1], size[0]), 0);
    free(bytes[0]);
    free(bytes[1]);
  }
  unlink(path);
}

TEST(timelines, a_window_keeps_the_events_with_a_cycle_in_it) {
  static const uint8_t cus[] = {0, 1, 0};
  static const struct made_timeline made = {.seed = 8, .events = 3000, .wild = 0};
  static const struct timeline_window windows[] = {
      {1000, 1300, 0, 0, NULL, 0, UINT32_MAX},
      {0, NEVER, 0, 0, cus, 3, UINT32_MAX},
      {0, NEVER, 0, 0, cus, 2, UINT32_MAX},
      {0, NEVER, 3, 200, NULL, 0, UINT32_MAX},
      {500, 900, 1, 64, cus, 3, 1 << TIMELINE_WARP | 1 << TIMELINE_BANKS},
      {700, 701, 0, 0, NULL, 0, UINT32_MAX},
  };
  const char *path = made_path("window.wtl");
  struct message error;
  ct_freed(ct_free) struct told *all = make_all(&made);
  for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
    struct timeline_window finite = windows[i];
    finite.to = finite.to == NEVER ? 1 << 20 : finite.to;
    uint64_t expected = 0;
    for (uint32_t event = 0; event < made.events * STREAMS; event++)
      expected += wanted(&finite, &all[event].event);
    ct_note("window %zu", i);
    write_made(&made, &windows[i], path, false);
    ct_freed(timeline_close_at) struct timeline_file *file = timeline_open_file(path, TRACE_WHOLE, &error);
    ASSERT_TRUE(file);
    EXPECT_EQ(check(&made, &finite, file), expected);
    EXPECT_GT(expected, 0);
  }
  unlink(path);
}

TEST(timelines, an_event_without_duration_is_in_the_window_of_its_start) {
  const struct timeline_event event = {.kind = TIMELINE_WAITED, .from = 7, .to = 7};
  const struct timeline_window here = {7, 8, 0, 0, NULL, 0, UINT32_MAX}, later = {8, 9, 0, 0, NULL, 0, UINT32_MAX},
                               sampled = {0, NEVER, 1, 7, NULL, 0, UINT32_MAX},
                               missed = {0, NEVER, 1, 8, NULL, 0, UINT32_MAX};
  EXPECT_TRUE(timeline_window_has(&here, &event));
  EXPECT_FALSE(timeline_window_has(&later, &event));
  EXPECT_TRUE(timeline_window_has(&sampled, &event));
  EXPECT_FALSE(timeline_window_has(&missed, &event));
}

/* ---- damage ---------------------------------------------------------------------------------- */

static uint64_t offset_of(const struct message *error) {
  return strtoull(strstr(error->text, ": offset ") + strlen(": offset "), NULL, 10);
}

/* The damage must be reported with a file offset, and the salvaged events must be those written. Returns their
 * number. */
static uint64_t told_and_salvaged(const char *path, size_t size) {
  struct message error;
  EXPECT_FALSE(timeline_validate(path, &error));
  EXPECT_CONTAINS(error.text, ": offset ");
  EXPECT_CONTAINS(error.text, ": expected ");
  EXPECT_LE(offset_of(&error), size);
  ct_freed(timeline_close_at) struct timeline_file *file = timeline_open_file(path, TRACE_SALVAGE, &error);
  if (!file) { /* the file's header is damaged */
    EXPECT_LT(offset_of(&error), FILE_HEADER);
    return 0;
  }
  EXPECT_CONTAINS(error.text, ", found ");
  const uint64_t events = check(&small, &everything, file);
  EXPECT_TRUE(!timeline_failed(file));
  EXPECT_EQ(timeline_extent_of(file).events, events);
  return events;
}

TEST(timelines, a_batch_of_an_impossible_compute_unit_is_refused) {
  for (uint64_t cu = TIMELINE_CUS - 1; cu <= TIMELINE_CUS; cu++) {
    const struct timeline_event event = {.kind = TIMELINE_WARP, .cu = 0, .from = 1, .to = 2};
    struct timeline_encoder encoder = {.cu = 0};
    struct timeline_decoder decoder = {.layout = timeline_layout()};
    struct bytes batch = {0}, changed = {0};
    timeline_encode(&encoder, &event);
    timeline_encode_batch(&encoder, 0, &batch);
    bytes_varint(&changed, 0);
    bytes_varint(&changed, cu);
    bytes_add(&changed, batch.at + 2, batch.size - 2); /* after the stream and compute unit 0 */
    struct cursor cursor = {changed.at, changed.at + changed.size, false};
    EXPECT_EQ(timeline_decode_batch(&decoder, &cursor), cu < TIMELINE_CUS);
    timeline_encoder_free(&encoder);
    timeline_decoder_free(&decoder);
    free(batch.at);
    free(changed.at);
  }
}

TEST(timelines, a_timeline_cut_at_any_block_is_reported_and_read_up_to_the_cut) {
  const char *path = made_path("cut.wtl");
  size_t size;
  write_made(&small, &everything, path, false);
  ct_freed(ct_free) uint8_t *bytes = made_read(path, &size);
  uint64_t before = 0;
  unsigned blocks = 0;
  for (size_t at = FILE_HEADER; at < size; at += BLOCK_HEADER + get32(bytes + at + 16), blocks++) {
    made_put(path, bytes, at);
    ct_note("cut at %zu", at);
    const uint64_t events = told_and_salvaged(path, at);
    EXPECT_GE(events, before);
    before = events;
  }
  EXPECT_GT(blocks, 6);
  EXPECT_EQ(before, small.events * STREAMS);
  unlink(path);
}

TEST(timelines, a_flipped_bit_is_reported) {
  const struct made_timeline made = {.seed = 6, .events = 300};
  const char *path = made_path("bit.wtl");
  uint64_t state = 4;
  size_t size;
  write_made(&made, &everything, path, false);
  ct_freed(ct_free) uint8_t *bytes = made_read(path, &size);
  for (unsigned i = 0; i < 1000; i++) {
    const size_t bit = i < 8 * 60 ? i : ct_random(&state) % (8 * size);
    struct message error;
    bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    made_put(path, bytes, size);
    ct_note("bit %zu of byte %zu", bit % 8, bit / 8);
    EXPECT_FALSE(timeline_validate(path, &error));
    EXPECT_CONTAINS(error.text, ": offset ");
    ct_freed(timeline_close_at) struct timeline_file *file = timeline_open_file(path, TRACE_SALVAGE, &error);
    if (file)
      check(&made, &everything, file);
    bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
  }
  unlink(path);
}

TEST(timelines, a_killed_writer_leaves_what_it_has_written) {
  const char *path = made_path("killed.wtl");
  struct message error;
  struct timeline_writer *writer = timeline_writer_open(path, &everything, &error);
  report_all(&small, writer, false);
  timeline_writer_abandon(writer);
  size_t size;
  free(made_read(path, &size));
  EXPECT_GT(told_and_salvaged(path, size), small.events);
  unlink(path);
}

TEST(timelines, a_full_disk_is_reported_and_keeps_what_was_written) {
  const char *path = made_path("full.wtl");
  struct message error;
  struct rlimit before, limit;
  getrlimit(RLIMIT_FSIZE, &before);
  limit = before;
  limit.rlim_cur = 250000;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limit);
  struct timeline_writer *writer = timeline_writer_open(path, &everything, &error);
  report_all(&small, writer, false);
  EXPECT_FALSE(timeline_writer_good(writer));
  EXPECT_FALSE(timeline_writer_close(writer, &error));
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_DFL);
  EXPECT_CONTAINS(error.text, "offset 250000: cannot be written: File too large");
  EXPECT_GT(told_and_salvaged(path, 250000), small.events);
  unlink(path);
  EXPECT_TRUE(!timeline_writer_open("/dev/full", &everything, &error));
  EXPECT_CONTAINS(error.text, "/dev/full: cannot be written: No space left on device");
}

/* ---- the other reader ------------------------------------------------------------------------ */

/* Prints the same lines as `python3 -m warpwait.trace`. */
static void print_events(const char *path, struct timeline_file *timeline) {
  FILE *file = fopen(path, "w");
  struct timeline_event event;
  while (timeline_next(timeline, &event)) {
    const struct timeline_kind_row *row = &timeline_kind_rows[event.kind];
    fprintf(file, "%s %u %u %" PRIu64 " %" PRIu64, row->name, event.cu, event.unit, event.from, event.to);
    for (unsigned i = 0; i < row->fields; i++)
      fprintf(file, " %s=%" PRIx64, row->field[i].name, event.field[i]);
    fputc('\n', file);
  }
  fclose(file);
}

static void compare(const struct made_timeline *made, bool salvage) {
  const char *path = made_path("python.wtl");
  char command[1024];
  struct message error;
  const struct timeline_window quiet = {.to = NEVER, .kinds = UINT32_MAX};
  write_made(made, &quiet, path, false);
  if (salvage) {
    snprintf(command, sizeof command, "truncate -s -40 %s", path);
    EXPECT_EQ(system(command), 0);
  }
  snprintf(command, sizeof command, "%s.text", path);
  ct_freed(timeline_close_at) struct timeline_file *timeline =
      timeline_open_file(path, salvage ? TRACE_SALVAGE : TRACE_WHOLE, &error);
  print_events(command, timeline);
  made_python(path, salvage);
}

TEST(timelines, the_python_reader_reads_the_same_as_the_c_reader) {
  compare(&(struct made_timeline){.seed = 41, .events = 5000, .wild = 10}, false);
  compare(&(struct made_timeline){.seed = 42, .events = 100, .wild = 100}, false);
  compare(&(struct made_timeline){.seed = 43, .events = 5000}, true);
}

/* ---- the page -------------------------------------------------------------------------------- */

/* The batch of docs/timeline-format.md, and the bytes stated there. */
TEST(timelines, the_example_on_the_page_is_correct) {
  static const struct timeline_event events[] = {
      {TIMELINE_WARP, 1, 0, 10, 11, {0, 4, 0, 7, 0}},       {TIMELINE_WARP, 1, 1, 10, 12, {3, 4, 0, 7, 1}},
      {TIMELINE_BANKS, 1, 0, 12, 13, {0xff, 0, 4, 0, 0}},   {TIMELINE_WARP, 1, 0, 11, 15, {8, 5, 0, 7, 0}},
      {TIMELINE_BANKS, 1, 0, 13, 14, {0xff00, 0, 4, 0, 1}}, {TIMELINE_WARP, 1, 0, 15, 16, {0, 5, 0, 7, 0}},
  };
  ct_freed(ct_free) struct timeline_encoder *encoder = calloc(1, sizeof *encoder);
  struct bytes batch = {0};
  static char page[40000];
  for (size_t i = 0; i < sizeof events / sizeof *events; i++)
    timeline_encode(encoder, &events[i]);
  timeline_encode_batch(encoder, 2, &batch);
  char hex[400] = "";
  for (size_t i = 0; i < batch.size; i++)
    snprintf(hex + strlen(hex), sizeof hex - strlen(hex), "%s%02x", i ? " " : "`", batch.at[i]);
  strcat(hex, "`");
  FILE *file = fopen("docs/timeline-format.md", "r");
  ASSERT_TRUE(file);
  page[fread(page, 1, sizeof page - 1, file)] = 0;
  fclose(file);
  EXPECT_CONTAINS(page, hex);
  timeline_encoder_free(encoder);
  free(batch.at);
}
