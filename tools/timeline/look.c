#include "tools/timeline/look.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "sim/base/need.h"
#include "sim/base/text.h"
#include "tools/timeline/run.h"

struct timeline_file *timeline_look(const char *path, enum trace_open_mode mode, const struct caller *caller,
                                    struct message *message) {
  struct timeline_file *file = timeline_open_file(path, mode, message);
  if (file && message->text[0]) {
    struct message prefix;
    message_fail(&prefix, "%.500s; %" PRIu64 " events before it are read", message->text,
                 timeline_extent_of(file).events);
    caller_warn(caller, &prefix);
  }
  return file;
}

bool timeline_check(const char *path, enum trace_open_mode mode, const struct caller *caller, struct message *message) {
  if (mode == TRACE_SALVAGE) {
    struct timeline_file *file = timeline_look(path, mode, caller, message);
    timeline_close(file);
    return file;
  }
  return timeline_validate(path, message);
}

/* ---- info -------------------------------------------------------------------------------------- */

struct counts {
  uint64_t kind[TIMELINE_KINDS], cycles[TIMELINE_KINDS];
  uint64_t *cu;
  uint32_t cus;
};

static void count_event(struct counts *counts, const struct timeline_event *event) {
  if (event->cu >= counts->cus) {
    const uint32_t cus = 2 * (event->cu + 1);
    counts->cu = need_more(counts->cu, cus, sizeof *counts->cu);
    for (; counts->cus < cus; counts->cus++)
      counts->cu[counts->cus] = 0;
  }
  counts->kind[event->kind]++;
  counts->cycles[event->kind] += event->to - event->from;
  counts->cu[event->cu]++;
}

static void print_run(struct text *text, const struct timeline_run *run) {
  text_print(text, "machine        %s\n", run->machine);
  for (size_t i = 0; i < run->launches; i++) {
    const struct timeline_launch *launch = &run->launch[i];
    text_print(text, "launch %-7zu kernel '%s', cycles %" PRIu64 " to %" PRIu64 "\n", i + 1, launch->kernel,
               launch->start, launch->start + launch->cycles);
  }
}

static void print_counts(struct text *text, const struct counts *counts) {
  text_print(text, "\n      events          cycles  block   kind\n");
  for (unsigned kind = 0; kind < TIMELINE_KINDS; kind++)
    if (counts->kind[kind])
      text_print(text, "%12" PRIu64 "  %14" PRIu64 "  %-6s  %s\n", counts->kind[kind], counts->cycles[kind],
                 timeline_block_rows[timeline_kind_rows[kind].block].name, timeline_kind_rows[kind].name);
  text_print(text, "\n      events  compute unit\n");
  for (uint32_t cu = 0; cu < counts->cus; cu++)
    if (counts->cu[cu])
      text_print(text, "%12" PRIu64 "  %" PRIu32 "\n", counts->cu[cu], cu);
}

static bool print_info(const char *path, struct timeline_file *file, const struct timeline_run *run,
                       const struct sink *sink, struct message *message) {
  const struct timeline_extent extent = timeline_extent_of(file);
  struct counts counts = {.cu = NULL};
  struct timeline_event event;
  struct text text = {0};
  struct stat stats = {0};
  while (timeline_next(file, &event))
    count_event(&counts, &event);
  stat(path, &stats);
  print_run(&text, run);
  if (extent.events) {
    text_print(
        &text, "events         %" PRIu64 " from cycle %" PRIu64 " to %" PRIu64 ", in %lld bytes: %.2f bytes an event\n",
        extent.events, extent.from, extent.to, (long long)stats.st_size, (double)stats.st_size / (double)extent.events);
    print_counts(&text, &counts);
  } else
    text_print(&text, "events         0 in %lld bytes\n", (long long)stats.st_size);
  const bool good = timeline_failed(file) ? message_fail(message, "%s", timeline_failed(file)->text)
                                          : sink_text(sink, &text, message);
  free(counts.cu);
  free(text.data);
  return good;
}

bool timeline_info(const char *path, enum trace_open_mode mode, const struct sink *sink, const struct caller *caller,
                   struct message *message) {
  struct timeline_run run;
  struct timeline_file *file = timeline_look(path, mode, caller, message);
  if (!file)
    return false;
  const bool good = (timeline_run_read(file, &run, message) || message_within(message, path)) &&
                    print_info(path, file, &run, sink, message);
  timeline_run_free(&run);
  timeline_close(file);
  return good;
}

/* ---- head -------------------------------------------------------------------------------------- */

static void print_event(struct text *text, const struct timeline_run *run, const struct timeline_event *event) {
  const struct timeline_kind_row *row = &timeline_kind_rows[event->kind];
  const struct timeline_code *code = timeline_code_of(run, event);
  text_print(text, "%10" PRIu64 " %10" PRIu64 "  %4" PRIu32 "  %-6s  %-9s  %4" PRIu32 " ", event->from, event->to,
             event->cu, timeline_block_rows[row->block].name, row->name, event->unit);
  for (unsigned i = 0; i < row->fields; i++) {
    char value[TIMELINE_VALUE];
    text_print(text, " %s=%s", row->field[i].name, timeline_value(run, event, i, value));
  }
  if (code)
    text_print(text, "  %s:%" PRIu32 "  %s", code->file, code->line, code->text);
  text_print(text, "\n");
}

bool timeline_head(const char *path, enum trace_open_mode mode, uint64_t count, const struct sink *sink,
                   const struct caller *caller, struct message *message) {
  struct timeline_run run;
  struct timeline_event event;
  struct text text = {0};
  struct timeline_file *file = timeline_look(path, mode, caller, message);
  if (!file)
    return false;
  bool good = timeline_run_read(file, &run, message) || message_within(message, path);
  text_print(&text, "      from         to    cu  block   kind       unit  fields\n");
  for (uint64_t i = 0; good && i < count && timeline_next(file, &event); i++) {
    print_event(&text, &run, &event);
    good = sink_some(sink, &text, message);
  }
  if (good)
    good = timeline_failed(file) ? message_fail(message, "%s", timeline_failed(file)->text)
                                 : sink_text(sink, &text, message);
  free(text.data);
  timeline_run_free(&run);
  timeline_close(file);
  return good;
}
