#include "tools/page/page.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "models/machine.h"
#include "sim/base/file.h"
#include "sim/base/json_out.h"
#include "sim/base/need.h"
#include "sim/base/version.h"
#include "sim/launch/machines.h"
#include "tools/page/timeline.h"
#include "tools/sweep/names.h"
#include "tools/sweep/values.h"
#include "tools/sweep/vary.h"

enum { COMPRESS_BYTES = 256 << 10 /* large enough for zlib */ };

/* ---- the axis ----------------------------------------------------------------------------------- */

bool page_defines(const struct page *page) { return page->key && strncmp(page->key, "define.", 7) == 0; }

bool page_varies_arguments(const struct page *page) {
  return page->key && (strncmp(page->key, "arg.", 4) == 0 || strncmp(page->key, "launch.", 7) == 0);
}

static bool check_parameter(const struct page *page, struct message *message) {
  const struct param_group *group = NULL;
  struct machine machine;
  char nearest[64], hint[MESSAGE_HINT];
  machine_defaults(&machine);
  if (!param_find(machine_groups, MACHINE_GROUPS, page->key, &group, NULL)) {
    sweep_name_nearest(page->key, nearest);
    return message_fail(message, "'%.60s' is not a parameter of a machine, a DEFINE or arg.NAME%s", page->key,
                        message_hint(hint, nearest));
  }
  for (size_t i = 0; i < page->axis.count; i++)
    if (!machine_put(&machine, page->key, page->axis.value[i], message))
      return false;
  return true;
}

static bool read_axis(struct page *page, struct message *message) {
  const char *equals = strchr(page->vary, '=');
  if (!equals || equals == page->vary || !equals[1])
    return message_fail(message, "'%.60s' is not KEY=VALUES, as in dma.setup=0,20,40", page->vary);
  page->key = vary_name(page->vary);
  if (!values_add(&page->axis, equals + 1, message) || !values_distinct(&page->axis, message))
    return false;
  if (page->axis.count > PAGE_POINTS)
    return message_fail(message, "%zu values are outside [1, %d]", page->axis.count, PAGE_POINTS);
  if (page_defines(page) && page->built)
    return message_fail(message, "%.60s: a recording has its program already", page->key);
  if (page_varies_arguments(page) && page->built)
    return message_fail(message, "%.60s: a recording has its arguments already", page->key);
  return page_defines(page) || page_varies_arguments(page) || check_parameter(page, message);
}

bool page_settle(struct page *page, struct message *message) {
  if (!page->vary)
    return true;
  if (!page->path)
    return message_fail(message, "--html-vary: needs --html");
  return read_axis(page, message) ? true : message_within(message, "--html-vary");
}

void page_free(struct page *page) {
  for (size_t i = 0; i < page->axis.count; i++)
    free(page->axis.value[i]);
  for (size_t i = 0; i < page->points; i++) {
    free(page->point[i].label);
    free(page->point[i].timeline);
    free(page->point[i].data);
    json_decref(page->point[i].summary);
  }
  free(page->axis.value);
  free(page->key);
  free(page->timeline);
  free(page->lanes);
}

/* ---- a run -------------------------------------------------------------------------------------- */

bool page_take_timeline(struct page *page, const struct trace_place *timeline, struct message *message) {
  struct text text = {0};
  const size_t share = PAGE_SLICES / (page->axis.count + 1);
  free(page->timeline);
  const bool good =
      page_timeline_print(timeline, share < PAGE_POINT_SLICES ? share : PAGE_POINT_SLICES, &text, message);
  page->timeline = text.data;
  return good ? true : message_within(message, "--html");
}

void page_take_lanes(struct page *page, const struct page_lanes *lanes) {
  struct text text = {0};
  page_lanes_print(lanes, &text);
  free(page->lanes);
  page->lanes = text.data;
}

/* ---- a point ------------------------------------------------------------------------------------ */

/* The lines of each file, by file name. */
static json_t *sources_object(const struct job *job) {
  json_t *files = json_object();
  for (size_t i = 0; i < job->launch_count; i++) {
    const struct isa_program *program = job->launches[i].isa.program;
    for (uint32_t s = 0; s < program->source_count; s++) {
      const struct isa_source *source = &program->sources[s];
      json_t *lines = json_array();
      for (uint32_t line = 0; source->text && line < source->lines; line++)
        json_array_append_new(lines, json_of_bytes(source->text[line], strcspn(source->text[line], "\r\n")));
      json_t *name = json_of_word(file_base(source->name));
      json_object_set_new(files, json_string_value(name), lines);
      json_decref(name);
    }
  }
  return files;
}

/* What the page shows of all points at once. */
static json_t *summary_list(const struct report *report) {
  json_t *launches = json_array();
  for (size_t i = 0; i < report->count; i++) {
    json_t *stalls = json_object();
    for (unsigned s = 0; s < STALLS; s++)
      if (report->results[i].stalls[s])
        json_set_whole(stalls, stall_rows[s].name, report->results[i].stalls[s]);
    json_array_append_new(launches, json_pack("{s:o, s:o, s:o, s:b, s:o}", "kernel",
                                              json_of_word(report->job->launches[i].isa.kernel->name), "start",
                                              json_of_whole(report->results[i].start), "cycles",
                                              json_of_whole(report->results[i].cycles), "finished",
                                              report->results[i].end == END_FINISHED, "stalls", stalls));
  }
  return launches;
}

static char *base64(const unsigned char *bytes, size_t size) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char *text = need((size + 2) / 3 * 4 + 1, 1), *at = text;
  for (size_t i = 0; i < size; i += 3) {
    const unsigned left = size - i < 3 ? (unsigned)(size - i) : 3;
    const unsigned group = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                           (left > 2 ? (unsigned)bytes[i + 2] : 0);
    for (unsigned digit = 0; digit < 4; digit++)
      *at++ = digit <= left ? digits[group >> (18 - 6 * digit) & 63] : '=';
  }
  return text;
}

static char *packed(const char *text, size_t length) {
  uLongf size = compressBound((uLong)length);
  unsigned char *bytes = need(size, 1);
  if (compress2(bytes, &size, (const unsigned char *)text, (uLong)length, Z_BEST_COMPRESSION) != Z_OK)
    heap_out(COMPRESS_BYTES);
  char *data = base64(bytes, size);
  free(bytes);
  return data;
}

void page_add(struct page *page, const char *label, const struct report *report) {
  struct text text = {0};
  json_t *sources = sources_object(report->job);
  char *lines = json_dumps(sources, JSON_COMPACT), *json = report_json(report);
  text_print(&text, "{\"timeline\":%s,\n\"lanes\":%s,\n\"sources\":%s,\n\"report\":%s}\n", page->timeline, page->lanes,
             lines, json);
  page->point[page->points++] = (struct page_point){.label = need_copy(label),
                                                    .timeline = need_copy(page->timeline),
                                                    .data = packed(text.data, text.length),
                                                    .summary = summary_list(report),
                                                    .left = page->built ? 0 : job_hash_buffers(report->job)};
  json_decref(sources);
  free(lines);
  free(json);
  free(text.data);
}

/* ---- the file ----------------------------------------------------------------------------------- */

static const char *unit_of(const struct page *page) {
  const struct param_group *group = NULL;
  char nearest[64];
  const struct param_row *row =
      page->key && !page_defines(page) ? param_find(machine_groups, MACHINE_GROUPS, page->key, &group, nearest) : NULL;
  return row && row->kind != PARAM_CHOICE ? row->unit : "";
}

static bool same_results(const struct page *page, size_t point) {
  return page->point[point].left == page->point[0].left;
}

/* The point that the page shows first. Leaves out the original run, which is point 0, if another point is identical. */
static size_t first_point(const struct page *page, bool *leave) {
  *leave = false;
  for (size_t i = 1; i < page->points; i++)
    if (same_results(page, i) && strcmp(page->point[i].timeline, page->point[0].timeline) == 0) {
      *leave = true;
      return i;
    }
  return 0;
}

static char *index_text(const struct page *page, const struct job *job, size_t start, bool leave) {
  json_t *points = json_array();
  for (size_t i = leave; i < page->points; i++)
    json_array_append_new(points, json_pack("{s:o, s:O, s:b}", "label", json_of_word(page->point[i].label), "launches",
                                            page->point[i].summary, "same_results", same_results(page, i)));
  json_t *root = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "version", WARPWAIT_VERSION, "name",
                           json_of_word(job->name ? job->name : file_base(job->file)), "key",
                           page->key ? json_of_word(page->key) : json_null(), "unit", json_of_word(unit_of(page)),
                           "start", json_of_whole(start - leave), "points", points);
  char *text = json_dumps(root, JSON_COMPACT);
  json_decref(root);
  return text;
}

/* Prints JSON inside a script element, where `<` would begin a tag. */
static void print_safe(struct text *text, const char *json) {
  for (size_t plain; *json; json += plain) {
    plain = strcspn(json, "<");
    text_add(text, json, plain);
    if (json[plain] == '<') {
      text_print(text, "\\u003c");
      plain++;
    }
  }
}

static void print_data(const struct page *page, const struct job *job, struct text *text) {
  bool leave = false;
  const size_t start = first_point(page, &leave);
  char *index = index_text(page, job, start, leave);
  text_print(text, "<script type=\"application/json\" id=\"index\">");
  print_safe(text, index);
  text_print(text, "</script>\n");
  free(index);
  for (size_t i = leave; i < page->points; i++) {
    text_print(text, "<script type=\"text/plain\" id=\"point-%zu\">", i - leave);
    text_add(text, page->point[i].data, strlen(page->point[i].data));
    text_print(text, "</script>\n");
  }
}

void page_print(const struct page *page, const struct job *job, struct text *text) {
  const char *template = (const char *)page_template, *mark = strstr(template, PAGE_MARK);
  text_add(text, template, (size_t)(mark - template));
  print_data(page, job, text);
  text_add(text, mark + strlen(PAGE_MARK), strlen(mark + strlen(PAGE_MARK)));
}
