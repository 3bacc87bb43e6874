#include "tools/page/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "tools/timeline/run.h"

enum { WINDOWS = 8192, BANKS = 64, UNITS = 65 /* of the LDS: the warps' passes, and the beats of each engine */ };

/* For one unit of the LDS: the slice that grows while the number of busy banks stays the same. */
struct banks_run {
  cycle_t to;
  unsigned level; /* 1 + number of busy banks; 0: nothing yet */
  size_t kept;    /* its index among the slices kept */
};

/* One instruction's use of the banks. */
struct bank_use {
  uint64_t bank[BANKS]; /* passes that used the bank */
  uint64_t accesses, passes, conflicts, contention;
};

struct reading {
  struct timeline_file *file;
  struct timeline_run run;
  struct timeline_extent extent;
  struct timeline_event *kept;
  size_t count;
  cycle_t cut;            /* slices that begin at this cycle or later are left out; NEVER: none */
  struct bank_use ***use; /* by launch and pc */
  struct banks_run *runs; /* UNITS per compute unit */
  size_t cus;
};

static bool is_shown(enum timeline_kind kind) {
  static const bool shown[TIMELINE_KINDS] = {
      [TIMELINE_WARP] = true,    [TIMELINE_ACCESS] = true, [TIMELINE_GLOBAL] = true, [TIMELINE_MEET] = true,
      [TIMELINE_COPY] = true,    [TIMELINE_WAITED] = true, [TIMELINE_BANKS] = true,  [TIMELINE_QUEUE] = true,
      [TIMELINE_CHANNEL] = true, [TIMELINE_PASSED] = true, [TIMELINE_SERVED] = true,
  };
  return shown[kind];
}

/* ---- first pass: counting slices and the use of banks -------------------------------------------- */

static struct bank_use *use_at(struct reading *reading, uint64_t launch, uint64_t pc) {
  const struct timeline_run *run = &reading->run;
  if (launch >= run->launches || pc >= run->launch[launch].codes)
    return NULL;
  if (!reading->use[launch])
    reading->use[launch] = need(run->launch[launch].codes, sizeof(void *));
  struct bank_use **use = &reading->use[launch][pc];
  if (!*use)
    *use = need(1, sizeof **use);
  return *use;
}

static void count_banks(struct reading *reading, const struct timeline_event *event) {
  const uint64_t *field = event->field;
  struct bank_use *use = NULL;
  if (event->kind == TIMELINE_BANKS && !event->unit)
    use = use_at(reading, field[TIMELINE_BANKS_LAUNCH], field[TIMELINE_BANKS_PC]);
  if (use)
    for (uint64_t left = field[TIMELINE_BANKS_BANKS]; left; left &= left - 1)
      use->bank[__builtin_ctzll(left)] += event->to - event->from;
  use =
      event->kind == TIMELINE_ACCESS ? use_at(reading, field[TIMELINE_ACCESS_LAUNCH], field[TIMELINE_ACCESS_PC]) : NULL;
  if (!use)
    return;
  use->accesses++;
  use->passes += field[TIMELINE_ACCESS_PASSES];
  use->conflicts += field[TIMELINE_ACCESS_CONFLICTS];
  use->contention += field[TIMELINE_ACCESS_CONTENTION];
}

/* ---- busy banks --------------------------------------------------------------------------------- */

static struct banks_run *banks_run_at(struct reading *reading, const struct timeline_event *event) {
  if (event->cu >= reading->cus) {
    const size_t cus = event->cu + 1;
    reading->runs = need_more(reading->runs, cus * UNITS, sizeof *reading->runs);
    memset(&reading->runs[reading->cus * UNITS], 0, (cus - reading->cus) * UNITS * sizeof *reading->runs);
    reading->cus = cus;
  }
  return &reading->runs[event->cu * UNITS + (event->unit < UNITS ? event->unit : UNITS - 1)];
}

/* Whether the event only extends its unit's last slice: a slice for each cycle would fill the page. */
static bool lengthens(struct reading *reading, const struct timeline_event *event) {
  if (event->kind != TIMELINE_BANKS)
    return false;
  struct banks_run *run = banks_run_at(reading, event);
  const unsigned level = 1 + (unsigned)__builtin_popcountll(event->field[TIMELINE_BANKS_BANKS]);
  const bool same = run->to == event->from && run->level == level;
  run->to = event->to;
  run->level = level;
  return same;
}

static void forget_runs(struct reading *reading) {
  if (reading->runs)
    memset(reading->runs, 0, reading->cus * UNITS * sizeof *reading->runs);
}

/* Counts the slices that begin in each of WINDOWS windows from cycle `first` on, and moves the cut to the first window
 * that exceeds the maximum. */
static void count_windows(struct reading *reading, cycle_t first, cycle_t window, size_t most, bool banks) {
  size_t *begin = need(WINDOWS, sizeof *begin);
  struct timeline_event event;
  forget_runs(reading);
  while (timeline_next(reading->file, &event)) {
    if (banks)
      count_banks(reading, &event);
    if (is_shown(event.kind) && !lengthens(reading, &event) && event.from >= first &&
        (event.from - first) / window < WINDOWS)
      begin[(event.from - first) / window]++;
  }
  reading->cut = NEVER;
  for (size_t i = 0; i < WINDOWS && reading->cut == NEVER; i++) {
    if (reading->count + begin[i] > most)
      reading->cut = first + i * window;
    else
      reading->count += begin[i];
  }
  free(begin);
}

/* In a long run, one window may exceed what the page takes: divides it again, down to a cycle. */
static void look_over(struct reading *reading, size_t most) {
  cycle_t window = (reading->extent.to - reading->extent.from) / WINDOWS + 1;
  count_windows(reading, reading->extent.from, window, most, true);
  while (reading->cut != NEVER && window > 1) {
    window = window / WINDOWS + 1;
    timeline_rewind(reading->file);
    count_windows(reading, reading->cut, window, most, false);
  }
}

/* ---- second pass: the slices -------------------------------------------------------------------- */

static void keep_shown(struct reading *reading) {
  struct timeline_event event;
  size_t count = 0;
  reading->kept = need(reading->count + 1, sizeof *reading->kept);
  timeline_rewind(reading->file);
  forget_runs(reading);
  while (timeline_next(reading->file, &event)) {
    if (!is_shown(event.kind) || event.from >= reading->cut)
      continue;
    if (lengthens(reading, &event)) {
      reading->kept[banks_run_at(reading, &event)->kept].to = event.to;
      continue;
    }
    if (event.kind == TIMELINE_BANKS)
      banks_run_at(reading, &event)->kept = count;
    reading->kept[count++] = event;
  }
  reading->count = count;
}

static int order(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int by_track(const void *one, const void *other) {
  const struct timeline_event *a = one, *b = other;
  const int by[] = {order(a->kind, b->kind), order(a->cu, b->cu), order(a->unit, b->unit), order(a->from, b->from),
                    order(a->to, b->to)};
  for (size_t i = 0; i < sizeof by / sizeof *by; i++)
    if (by[i])
      return by[i];
  return memcmp(a->field, b->field, sizeof a->field);
}

static bool same_track(const struct timeline_event *a, const struct timeline_event *b) {
  return a->kind == b->kind && a->cu == b->cu && a->unit == b->unit;
}

/* ---- JSON --------------------------------------------------------------------------------------- */

/* For banks, the page has only the number of busy ones: instruction and pass change from cycle to cycle. */
static unsigned fields_of(enum timeline_kind kind) {
  return kind == TIMELINE_BANKS ? TIMELINE_BANKS_BANKS + 1 : timeline_kind_rows[kind].fields;
}

static uint64_t column_value(const struct timeline_event *event, unsigned field) {
  const uint64_t value = event->field[field];
  const char *type = timeline_kind_rows[event->kind].field[field].type;
  if (strcmp(type, "mask") == 0) /* 64 bits do not fit a JavaScript number */
    return (uint64_t)__builtin_popcountll(value);
  return strcmp(type, "cycle") != 0 ? value : value >= event->from ? value - event->from + 1 : 0;
}

static void print_column(const struct timeline_event *event, size_t count, unsigned field, struct text *text) {
  text_print(text, ",\"%s\":[", timeline_kind_rows[event->kind].field[field].name);
  for (size_t i = 0; i < count; i++)
    text_print(text, "%s%" PRIu64, i ? "," : "", column_value(&event[i], field));
  text_print(text, "]");
}

static void print_track(const struct timeline_event *event, size_t count, struct text *text) {
  const struct timeline_kind_row *row = &timeline_kind_rows[event->kind];
  text_print(text, "{\"track\":\"%s\",\"cu\":%u,\"unit\":%u,\"from\":[", row->name, event->cu, event->unit);
  for (size_t i = 0; i < count; i++)
    text_print(text, "%s%" PRIu64, i ? "," : "", event[i].from - (i ? event[i - 1].from : 0));
  text_print(text, "],\"cycles\":[");
  for (size_t i = 0; i < count; i++)
    text_print(text, "%s%" PRIu64, i ? "," : "", event[i].to - event[i].from);
  text_print(text, "]");
  for (unsigned field = 0; field < fields_of(event->kind); field++)
    print_column(event, count, field, text);
  text_print(text, "}");
}

static void print_kinds(struct text *text) {
  const char *comma = "";
  text_print(text, "{");
  for (unsigned kind = 0; kind < TIMELINE_KINDS; kind++) {
    const struct timeline_kind_row *row = &timeline_kind_rows[kind];
    if (!is_shown(kind))
      continue;
    text_print(text, "%s\"%s\":[", comma, row->name);
    for (unsigned i = 0; i < fields_of(kind); i++)
      text_print(text, "%s[\"%s\",\"%s\"]", i ? "," : "", row->field[i].name, row->field[i].type);
    text_print(text, "]");
    comma = ",";
  }
  text_print(text, "}");
}

static void print_use(const struct bank_use *use, uint64_t banks, struct text *text) {
  text_print(text, "\"accesses\":%" PRIu64 ",\"passes\":%" PRIu64 ",\"conflicts\":%" PRIu64 ",\"contention\":%" PRIu64,
             use->accesses, use->passes, use->conflicts, use->contention);
  text_print(text, ",\"bank\":[");
  for (uint64_t i = 0; i < banks && i < BANKS; i++)
    text_print(text, "%s%" PRIu64, i ? "," : "", use->bank[i]);
  text_print(text, "]}");
}

static void print_banks(const struct reading *reading, struct text *text) {
  const uint64_t banks = timeline_run_parameter(&reading->run, "lds.banks");
  const char *comma = "";
  text_print(text, "[");
  for (size_t launch = 0; launch < reading->run.launches; launch++)
    for (uint32_t pc = 0; reading->use[launch] && pc < reading->run.launch[launch].codes; pc++)
      if (reading->use[launch][pc]) {
        text_print(text, "%s\n{\"launch\":%zu,\"pc\":%u,", comma, launch, pc);
        print_use(reading->use[launch][pc], banks, text);
        comma = ",";
      }
  text_print(text, "]");
}

static void print_reading(const struct reading *reading, struct text *text) {
  char *run = json_dumps(reading->run.root, JSON_COMPACT);
  text_print(text, "{\"from\":%" PRIu64 ",\"to\":%" PRIu64 ",\"cut\":", reading->extent.from, reading->extent.to);
  if (reading->cut == NEVER)
    text_print(text, "null");
  else
    text_print(text, "%" PRIu64, reading->cut);
  text_print(text, ",\"slices\":%zu,\"run\":", reading->count);
  text_add(text, run, strlen(run));
  free(run);
  text_print(text, ",\n\"kinds\":");
  print_kinds(text);
  text_print(text, ",\n\"tracks\":[");
  for (size_t i = 0, count; i < reading->count; i += count) {
    for (count = 1; i + count < reading->count && same_track(&reading->kept[i], &reading->kept[i + count]); count++)
      continue;
    text_print(text, i ? ",\n" : "\n");
    print_track(&reading->kept[i], count, text);
  }
  text_print(text, "],\n\"banks\":");
  print_banks(reading, text);
  text_print(text, "}");
}

static void free_reading(struct reading *reading) {
  for (size_t launch = 0; launch < reading->run.launches; launch++) {
    for (uint32_t pc = 0; reading->use[launch] && pc < reading->run.launch[launch].codes; pc++)
      free(reading->use[launch][pc]);
    free(reading->use[launch]);
  }
  free(reading->use);
  free(reading->runs);
  free(reading->kept);
}

bool page_timeline_print(const struct trace_place *place, size_t most, struct text *text, struct message *message) {
  struct reading reading = {.file = timeline_open_at(place, TRACE_WHOLE, message)};
  if (!reading.file)
    return false;
  bool good = timeline_run_read(reading.file, &reading.run, message);
  reading.use = need(reading.run.launches + 1, sizeof *reading.use);
  if (good) {
    reading.extent = timeline_extent_of(reading.file);
    look_over(&reading, most);
    keep_shown(&reading);
    if (reading.count)
      qsort(reading.kept, reading.count, sizeof *reading.kept, by_track);
    good = !timeline_failed(reading.file) || message_fail(message, "%s", timeline_failed(reading.file)->text);
  }
  if (good)
    print_reading(&reading, text);
  free_reading(&reading);
  timeline_run_free(&reading.run);
  timeline_close(reading.file);
  return good;
}
