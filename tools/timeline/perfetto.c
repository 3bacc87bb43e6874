/* Reads the file twice: first to find the tracks, the waits that copies release, and the counters; then to write. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "models/machine.h"
#include "models/result.h"
#include "tools/timeline/copies.h"
#include "tools/timeline/counters.h"
#include "tools/timeline/export.h"
#include "tools/timeline/run.h"
#include "tools/timeline/trace_events.h"
#include "tools/timeline/tracks.h"

enum { PROCESS_RUN = 1, PROCESS_CU = 2 /* of CU 0 */, NAME = 256 };

/* Colors by family: issuing is green, waiting for the LDS yellow to red, for memory blue, for copies orange to brown,
 * for other warps gray. The names are chrome://tracing's, `grey` included: it refuses
 * a file with any other. Perfetto chooses its own colors. */
static const char *const colors[STALLS] = {
    [STALL_ISSUED] = "thread_state_running",
    [STALL_DEPENDENCY] = "thread_state_runnable",
    [STALL_UNIT] = "thread_state_runnable",
    [STALL_NOT_SELECTED] = "cq_build_abandoned",
    [STALL_LDS] = "yellow",
    [STALL_LDS_CONFLICT] = "terrible",
    [STALL_LDS_CONTENTION] = "bad",
    [STALL_LDS_QUEUE] = "olive",
    [STALL_MEMORY] = "rail_load",
    [STALL_TEXTURE] = "rail_animation",
    [STALL_MEMORY_QUEUE] = "rail_response",
    [STALL_FENCE] = "grey",
    [STALL_BARRIER] = "grey",
    [STALL_COPY_JOIN] = "grey",
    [STALL_DMA_QUEUE] = "thread_state_uninterruptible",
    [STALL_COPY_DATA] = "thread_state_iowait",
    [STALL_COPY_WAIT] = "thread_state_iowait",
    [STALL_WAIT_JOIN] = "grey",
    [STALL_PIPE] = "startup",
    [STALL_PIPE_EMPTY] = "startup",
    [STALL_PIPE_FULL] = "startup",
    [STALL_DRAIN] = "rail_idle",
};

struct exporter {
  struct trace_events events;
  struct timeline_run run;
  struct timeline_tracks tracks;
  struct timeline_copies copies;
  struct timeline_counters counters;
  struct timeline_extent extent;
  bool writes;  /* the second pass */
  bool crowded; /* no lane was left for an event */
  uint64_t id;  /* of the last slice that is not on a track */
};

/* ---- names and fields of events ---- */

static const char *stall_name(const struct exporter *exporter, uint64_t stall) {
  return timeline_run_stall(&exporter->run, stall);
}

static bool is_issue(const struct exporter *exporter, uint64_t stall) {
  return strcmp(stall_name(exporter, stall), stall_rows[STALL_ISSUED].name) == 0;
}

/* The color of a bucket, by its name: the file's bucket numbers are those of the version that wrote it. NULL: none. */
static const char *color_of(const char *stall) {
  for (size_t i = 0; i < STALLS; i++)
    if (strcmp(stall_rows[i].name, stall) == 0)
      return colors[i];
  return NULL;
}

/* The launch to which an event's pc belongs. */
static uint64_t launch_of(const struct timeline_event *event) {
  const struct timeline_kind_row *row = &timeline_kind_rows[event->kind];
  for (unsigned i = 0; i < row->fields; i++)
    if (strcmp(row->field[i].name, "launch") == 0)
      return event->field[i];
  return 0;
}

static void write_pc(struct exporter *exporter, uint64_t launch, uint64_t pc) {
  const struct timeline_code *code = timeline_run_code(&exporter->run, launch, pc);
  char line[NAME];
  fprintf(exporter->events.out, "%" PRIu64, pc);
  if (*code->text) {
    fputs(",\"instruction\":", exporter->events.out);
    trace_event_word(&exporter->events, code->text);
  }
  if (code->line) {
    snprintf(line, sizeof line, "%.200s:%" PRIu32, code->file, code->line);
    fputs(",\"line\":", exporter->events.out);
    trace_event_word(&exporter->events, line);
  }
}

static void write_field(struct exporter *exporter, const struct timeline_event *event, unsigned i) {
  const struct timeline_field_row *row = &timeline_kind_rows[event->kind].field[i];
  const uint64_t value = event->field[i];
  char word[TIMELINE_VALUE];
  fprintf(exporter->events.out, "%s\"%s\":", i ? "," : "", row->name);
  if (strcmp(row->type, "pc") == 0)
    write_pc(exporter, launch_of(event), value);
  else if (strcmp(row->type, "mask") == 0 || strcmp(row->type, "address") == 0)
    fprintf(exporter->events.out, "\"0x%" PRIx64 "\"", value);
  else if (strcmp(row->type, "stall") == 0)
    trace_event_word(&exporter->events, stall_name(exporter, value));
  else if (strchr(row->type, '|')) {
    timeline_word(row->type, value, word);
    trace_event_word(&exporter->events, word);
  } else
    fprintf(exporter->events.out, "%" PRIu64, value);
}

static void write_fields(struct exporter *exporter, const struct timeline_event *event) {
  for (unsigned i = 0; i < timeline_kind_rows[event->kind].fields; i++)
    write_field(exporter, event, i);
}

/* ---- slices ---- */

/* A slice on a free lane of the place, with the event's fields. Returns the track. */
static uint32_t slice(struct exporter *exporter, const struct timeline_event *event, struct timeline_place place,
                      const char *color, const char *format, ...) __attribute__((format(printf, 5, 6)));

static uint32_t slice(struct exporter *exporter, const struct timeline_event *event, struct timeline_place place,
                      const char *color, const char *format, ...) {
  place.cu = event->cu;
  const uint32_t track = timeline_tracks_lane(&exporter->tracks, place, event->from, event->to);
  exporter->crowded |= !track;
  if (!exporter->writes)
    return track;
  char name[NAME];
  va_list rest;
  va_start(rest, format);
  vsnprintf(name, sizeof name, format, rest);
  va_end(rest);
  struct trace_events *events = &exporter->events;
  const cycle_t cycles = event->to - event->from;
  trace_event_begin(events, &(struct trace_event_head){'X', PROCESS_CU + event->cu, track, event->from,
                                                       timeline_kind_rows[event->kind].name, name});
  fprintf(events->out, ",\"dur\":%" PRIu64 ".%03" PRIu64, cycles / 1000, cycles % 1000);
  if (color)
    fprintf(events->out, ",\"cname\":\"%s\"", color);
  fputs(",\"args\":{", events->out);
  write_fields(exporter, event);
  fputc('}', events->out);
  trace_event_end(events);
  return track;
}

/* The start or the end of an asynchronous slice; the caller closes it with trace_event_end(). */
static void beside(struct exporter *exporter, const struct timeline_event *event, uint32_t track, char phase,
                   cycle_t at, const char *name) {
  trace_event_begin(&exporter->events, &(struct trace_event_head){phase, PROCESS_CU + event->cu, track, at,
                                                                  timeline_kind_rows[event->kind].name, name});
  fprintf(exporter->events.out, ",\"id\":\"0x%" PRIx64 "\"", exporter->id);
}

/* Starts one with the event's fields. */
static void begin_beside(struct exporter *exporter, const struct timeline_event *event, uint32_t track,
                         const char *name) {
  exporter->id++;
  beside(exporter, event, track, 'b', event->from, name);
  fputs(",\"args\":{", exporter->events.out);
  write_fields(exporter, event);
}

static void end_beside(struct exporter *exporter, const struct timeline_event *event, uint32_t track, cycle_t at,
                       const char *name) {
  beside(exporter, event, track, 'e', at, name);
  trace_event_end(&exporter->events);
}

/* Writes one from start to end. */
static void take_beside(struct exporter *exporter, const struct timeline_event *event, struct timeline_place place,
                        const char *name) {
  place.cu = event->cu;
  const uint32_t track = timeline_tracks_at(&exporter->tracks, place);
  if (!exporter->writes)
    return;
  begin_beside(exporter, event, track, name);
  fputc('}', exporter->events.out);
  trace_event_end(&exporter->events);
  end_beside(exporter, event, track, event->to, name);
}

/* ---- copies: a slice from the issue to the wait's release, with the steps of the copy inside -------- */

/* A step of a copy, unless it took no time. Returns where the next one begins. */
static cycle_t step(struct exporter *exporter, const struct timeline_event *copy, uint32_t track, cycle_t from,
                    cycle_t to, const char *what) {
  char name[NAME];
  if (to <= from)
    return from;
  snprintf(name, sizeof name, "copy %" PRIu64 " %s", copy->field[TIMELINE_COPY_COPY], what);
  beside(exporter, copy, track, 'b', from, name);
  trace_event_end(&exporter->events);
  end_beside(exporter, copy, track, to, name);
  return to;
}

static void take_copy(struct exporter *exporter, const struct timeline_event *event) {
  const struct timeline_place place = {.cu = event->cu, .section = SECTION_COPIES};
  const uint32_t track = timeline_tracks_at(&exporter->tracks, place);
  const struct timeline_copy *copy = exporter->writes ? timeline_copies_find(&exporter->copies, event) : NULL;
  if (!copy)
    return;
  const struct timeline_wait *wait = copy->wait == TIMELINE_NO_WAIT ? NULL : &exporter->copies.wait[copy->wait];
  const char *name = event->field[TIMELINE_COPY_TO_LDS] ? "copy to LDS" : "copy to memory";
  const cycle_t end = cycle_max(event->to, wait ? wait->event.to : 0);
  begin_beside(exporter, event, track, name);
  fprintf(exporter->events.out, ",\"landed\":%" PRIu64, event->to);
  if (wait)
    fprintf(exporter->events.out, ",\"waited_from\":%" PRIu64 ",\"waited_to\":%" PRIu64, wait->event.from,
            wait->event.to);
  fputc('}', exporter->events.out);
  trace_event_end(&exporter->events);
  cycle_t at = step(exporter, event, track, event->from, cycle_min(event->field[TIMELINE_COPY_HANDED], event->to),
                    "is submitted");
  if (copy->served_from < copy->served_to) {
    at = step(exporter, event, track, at, cycle_min(copy->served_from, event->to), "in the queue");
    at = step(exporter, event, track, at, cycle_min(copy->served_to, event->to), "in channels");
  }
  at = step(exporter, event, track, at, event->to, "in flight");
  step(exporter, event, track, at, end, "has arrived");
  end_beside(exporter, event, track, end, name);
}

static void write_arrows(struct exporter *exporter) {
  const struct timeline_copies *copies = &exporter->copies;
  for (size_t i = 0; i < copies->copies; i++) {
    const struct timeline_copy *copy = &copies->copy[i];
    const struct timeline_wait *wait = copy->wait == TIMELINE_NO_WAIT ? NULL : &copies->wait[copy->wait];
    if (!copy->issue.track || !wait || !wait->release.track)
      continue;
    const uint32_t process = PROCESS_CU + copy->event.cu;
    trace_event_arrow(&exporter->events, true, i + 1, process, copy->issue.track, copy->issue.at, "copy");
    trace_event_arrow(&exporter->events, false, i + 1, process, wait->release.track, wait->release.at, "copy");
  }
}

/* ---- events by kind ---- */

static void take_warp(struct exporter *exporter, const struct timeline_event *event) {
  const uint64_t *field = event->field;
  const char *stall = stall_name(exporter, field[TIMELINE_WARP_STALL]);
  const bool issued = is_issue(exporter, field[TIMELINE_WARP_STALL]);
  const struct timeline_code *code =
      timeline_run_code(&exporter->run, field[TIMELINE_WARP_LAUNCH], field[TIMELINE_WARP_PC]);
  const uint32_t track = slice(exporter, event, (struct timeline_place){.section = SECTION_WARPS, .unit = event->unit},
                               color_of(stall), "%.200s", issued && *code->text ? code->text : stall);
  if (exporter->writes)
    timeline_copies_bind(&exporter->copies, event, issued, track);
}

/* A slice on the track of each group of banks in which a bank is busy. */
static void take_banks(struct exporter *exporter, const struct timeline_event *event) {
  const uint64_t group = (UINT64_C(1) << TIMELINE_BANK_GROUP) - 1, pass = event->field[TIMELINE_BANKS_PASS];
  for (uint32_t i = 0; i < 64 / TIMELINE_BANK_GROUP; i++) {
    const struct timeline_place place = {.section = SECTION_BANKS, .unit = i, .part = event->unit};
    if (!(event->field[TIMELINE_BANKS_BANKS] >> (i * TIMELINE_BANK_GROUP) & group))
      continue;
    if (event->unit)
      slice(exporter, event, place, "thread_state_iowait", "beat");
    else
      slice(exporter, event, place, pass ? "bad" : "good", "warp %" PRIu64 " pass %" PRIu64,
            event->field[TIMELINE_BANKS_WARP], pass);
  }
}

static void take_accesses(struct exporter *exporter, const struct timeline_event *event) {
  const uint64_t *field = event->field;
  const bool global = event->kind == TIMELINE_GLOBAL;
  const struct timeline_place place = {
      .section = SECTION_WARPS, .unit = event->unit, .part = global ? PART_MEMORY : PART_LDS};
  char word[TIMELINE_VALUE];
  timeline_word(timeline_kind_rows[event->kind].field[0].type, field[0], word);
  if (global)
    slice(exporter, event, place, NULL, "%s %" PRIu64 " bytes", word, field[TIMELINE_GLOBAL_BYTES]);
  else
    slice(exporter, event, place, field[TIMELINE_ACCESS_CONFLICTS] ? "bad" : NULL, "%s, passes %" PRIu64, word,
          field[TIMELINE_ACCESS_PASSES]);
}

/* Events named by the word in their first field. */
static void take_word(struct exporter *exporter, const struct timeline_event *event) {
  char word[TIMELINE_VALUE];
  timeline_word(timeline_kind_rows[event->kind].field[0].type, event->field[0], word);
  if (event->kind == TIMELINE_MEET)
    slice(exporter, event, (struct timeline_place){.section = SECTION_MEETS, .unit = event->unit}, NULL, "%s", word);
  else if (event->kind == TIMELINE_PASSED)
    slice(exporter, event, (struct timeline_place){.section = SECTION_PORT, .unit = event->unit}, NULL,
          "%s %" PRIu64 " bytes", word, event->field[TIMELINE_PASSED_BYTES]);
  else
    take_beside(exporter, event, (struct timeline_place){.section = SECTION_MEMORY, .unit = event->unit}, word);
}

/* Events named by the copy's number. Engines that several compute units share also have copies of the others. */
static void take_part(struct exporter *exporter, const struct timeline_event *event) {
  const bool queue = event->kind == TIMELINE_QUEUE;
  const struct timeline_place place = {.section = queue ? SECTION_QUEUES : SECTION_CHANNELS, .unit = event->unit};
  const uint64_t copy = event->field[queue ? TIMELINE_QUEUE_COPY : TIMELINE_CHANNEL_COPY];
  const uint64_t of = event->field[queue ? TIMELINE_QUEUE_OF : TIMELINE_CHANNEL_OF];
  if (of == event->cu)
    slice(exporter, event, place, NULL, "copy %" PRIu64, copy);
  else
    slice(exporter, event, place, NULL, "copy %" PRIu64 " of CU %" PRIu64, copy, of);
}

static void export_event(struct exporter *exporter, const struct timeline_event *event) {
  const char *stall;
  switch (event->kind) {
  case TIMELINE_GROUP:
    slice(exporter, event, (struct timeline_place){.section = SECTION_GROUPS, .unit = event->unit}, NULL,
          "work-group %" PRIu64, event->field[TIMELINE_GROUP_GROUP]);
    break;
  case TIMELINE_WARP:
    take_warp(exporter, event);
    break;
  case TIMELINE_SCHEDULER:
    stall = stall_name(exporter, event->field[TIMELINE_SCHEDULER_STALL]);
    slice(exporter, event, (struct timeline_place){.section = SECTION_SCHEDULERS, .unit = event->unit}, color_of(stall),
          "%.200s", stall);
    break;
  case TIMELINE_ACCESS:
  case TIMELINE_GLOBAL:
    take_accesses(exporter, event);
    break;
  case TIMELINE_COPY:
    take_copy(exporter, event);
    break;
  case TIMELINE_BANKS:
    take_banks(exporter, event);
    break;
  case TIMELINE_QUEUE:
  case TIMELINE_CHANNEL:
    take_part(exporter, event);
    break;
  case TIMELINE_REQUEST:
    take_beside(exporter, event,
                (struct timeline_place){.section = SECTION_CHANNELS, .unit = event->unit, .part = PART_REQUESTS},
                event->field[TIMELINE_REQUEST_TO_LDS] ? "read request" : "write request");
    break;
  case TIMELINE_MEET:
  case TIMELINE_PASSED:
  case TIMELINE_SERVED:
    take_word(exporter, event);
    break;
  case TIMELINE_WAITED: /* shown as the end of the copies that it waits for */
  case TIMELINE_KINDS:
    break;
  }
}

/* ---- the file ---- */

static bool read_events(struct exporter *exporter, struct timeline_file *file, const char *name,
                        struct message *message) {
  struct timeline_event event;
  timeline_rewind(file);
  timeline_tracks_restart(&exporter->tracks);
  while (!exporter->crowded && timeline_next(file, &event)) {
    if (!exporter->writes) {
      timeline_copies_note(&exporter->copies, &event);
      timeline_counters_take(&exporter->counters, &event);
    }
    export_event(exporter, &event);
  }
  const struct message *error = timeline_failed(file);
  if (exporter->crowded)
    return message_fail(message, "%s: cannot be created: more than %d events of one place overlap at cycle %" PRIu64,
                        name, TIMELINE_LANES, event.from);
  return error ? message_fail(message, "%s", error->text) : true;
}

static void write_names(struct exporter *exporter) {
  struct trace_events *events = &exporter->events;
  uint32_t last = UINT32_MAX;
  trace_event_name(events, "process_name", PROCESS_RUN, 0, "launches");
  trace_event_rank(events, "process_sort_index", PROCESS_RUN, 0, PROCESS_RUN);
  for (uint32_t i = 0; i < exporter->tracks.count; i++) {
    const struct timeline_track *track = &exporter->tracks.track[i];
    const uint32_t process = PROCESS_CU + track->place.cu;
    char name[TIMELINE_TRACK_NAME];
    if (track->place.cu != last) {
      last = track->place.cu;
      snprintf(name, sizeof name, "CU %" PRIu32, last);
      trace_event_name(events, "process_name", process, 0, name);
      trace_event_rank(events, "process_sort_index", process, 0, process);
    }
    timeline_track_name(track, name);
    trace_event_name(events, "thread_name", process, i + 1, name);
    trace_event_rank(events, "thread_sort_index", process, i + 1, i + 1);
  }
}

/* Launches, within the timeline's extent. Some run at once, so they are asynchronous slices. */
static void write_launches(struct exporter *exporter) {
  for (size_t i = 0; i < exporter->run.launches; i++) {
    const struct timeline_launch *launch = &exporter->run.launch[i];
    const cycle_t from = cycle_max(launch->start, exporter->extent.from);
    const cycle_t to = cycle_min(launch->start + launch->cycles, exporter->extent.to);
    if (to <= from)
      continue;
    for (unsigned end = 0; end < 2; end++) {
      trace_event_begin(&exporter->events, &(struct trace_event_head){end ? 'e' : 'b', PROCESS_RUN, 0, end ? to : from,
                                                                      "launch", launch->kernel});
      fprintf(exporter->events.out, ",\"id\":\"0x%zx\"", i + 1);
      if (!end)
        fprintf(exporter->events.out, ",\"args\":{\"launch\":%zu,\"start\":%" PRIu64 ",\"cycles\":%" PRIu64 "}", i,
                launch->start, launch->cycles);
      trace_event_end(&exporter->events);
    }
  }
}

static void write_counter(struct exporter *exporter, uint32_t cu, enum timeline_counter counter) {
  const struct timeline_counters *counters = &exporter->counters;
  const struct timeline_counter_row *row = &timeline_counter_rows[counter];
  const uint64_t *steps = timeline_counters_steps(counters, cu, counter);
  uint64_t sum = 0;
  if (!steps)
    return;
  for (size_t i = 0; i <= counters->windows; i++) {
    const cycle_t at = cycle_min(counters->from + i * counters->window, exporter->extent.to);
    sum = i < counters->windows ? sum + steps[i] : 0;
    if (i == 0 || i == counters->windows || steps[i])
      trace_event_counter(&exporter->events, PROCESS_CU + cu, at, row->name, row->unit,
                          (sum * 1000 + counters->window / 2) / counters->window);
  }
}

/* The parts of the file other than events. */
static void write_end(struct exporter *exporter) {
  struct trace_events *events = &exporter->events;
  fputs("\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"warpwait\":", events->out);
  trace_event_word(events, exporter->run.version);
  fputs(",\"machine\":", events->out);
  trace_event_word(events, exporter->run.machine);
  fprintf(events->out,
          ",\"clock\":\"%" PRIu64 " MHz\",\"time\":\"a cycle is shown as a nanosecond\","
          "\"counters\":\"means over %" PRIu64 " cycle%s\"}}\n",
          timeline_run_parameter(&exporter->run, "cu.clock_mhz"), exporter->counters.window,
          exporter->counters.window > 1 ? "s" : "");
}

static bool write_all(struct exporter *exporter, struct timeline_file *file, const char *name,
                      struct message *message) {
  exporter->writes = true;
  fputs("{\"traceEvents\":[", exporter->events.out);
  write_names(exporter);
  write_launches(exporter);
  if (!read_events(exporter, file, name, message))
    return false;
  write_arrows(exporter);
  for (uint32_t cu = 0; cu < exporter->counters.cus; cu++)
    for (unsigned counter = 0; counter < TIMELINE_COUNTERS; counter++)
      write_counter(exporter, cu, counter);
  write_end(exporter);
  return true;
}

static bool read_run(struct timeline_file *file, const char *name, struct timeline_run *run, struct message *message) {
  return timeline_run_read(file, run, message) || message_within(message, "cannot be created") ||
         message_within(message, name);
}

bool timeline_export_perfetto(struct timeline_file *file, const char *name, FILE *stream, struct message *message) {
  struct exporter exporter = {.extent = timeline_extent_of(file)};
  timeline_counters_start(&exporter.counters, exporter.extent);
  bool good = read_run(file, name, &exporter.run, message) && read_events(&exporter, file, name, message);
  if (good) {
    timeline_copies_join(&exporter.copies);
    exporter.events.out = stream;
    good = write_all(&exporter, file, name, message);
  }
  timeline_counters_free(&exporter.counters);
  timeline_copies_free(&exporter.copies);
  timeline_tracks_free(&exporter.tracks);
  timeline_run_free(&exporter.run);
  return good;
}
