/* A log of `exec --log` as a report. Each launch is a line of the log, and so is the report of each launch that is the
 * longest so far of its kernel. The report made here has one launch for each kernel, its longest. The launch's "exec"
 * has what the lines of all launches of the kernel add up to.
 *
 * Kernels are in the order of their names, so that two logs match however their programs mix launches.
 *
 * Not compared: transfers, failed commands, and which launches run at once; what these share counts for each. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/json.h"
#include "sim/base/need.h"
#include "tools/diff/diff.h"

/* As in check.c: with numbers below this, sums of many stay below 2^64. */
#define MOST ((uint64_t)1 << 48)

/* ---- lines ------------------------------------------------------------------------------------------------ */

static json_t *parse_line(const char *text, size_t length) {
  return json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
}

bool diff_is_log(const char *text, size_t length) {
  const char *end = memchr(text, '\n', length);
  json_t *line = end ? parse_line(text, (size_t)(end - text)) : NULL;
  const bool is = diff_word(line, "command") || diff_word(line, "failure") || diff_word(line, "hazard") ||
                  diff_word(line, "report");
  json_decref(line);
  return is;
}

/* What was read so far: objects with a member for each kernel. */
struct log {
  json_t *sums, *launches;
  json_t *base;    /* the first report, without launches; NULL: none so far */
  json_t *machine; /* part of `base` */
  bool checked;
};

static uint64_t add_to(json_t *sums, const char *key, uint64_t more) {
  const uint64_t sum = diff_whole(sums, key) + more;
  json_object_set_new(sums, key, json_integer((json_int_t)sum));
  return sum;
}

static bool take_command(struct log *log, const struct document *document, const json_t *line) {
  const struct place at = {NULL, "kernel", 0}, cycles = {NULL, "cycles", 0};
  if (strcmp(diff_word(line, "command"), "kernel") != 0)
    return true;
  const char *kernel = json_word(document, &at, json_object_get(line, "kernel"));
  const json_t *value = json_object_get(line, "cycles");
  if (!kernel)
    return false;
  const double more = json_number_value(value);
  if (value && !(json_is_number(value) && more >= 0 && more < (double)MOST))
    return json_fail(document, &cycles, "is not a number in [0, 2^48)");
  if (!json_object_get(log->sums, kernel))
    json_object_set_new(log->sums, kernel, json_object());
  json_t *sums = json_object_get(log->sums, kernel);
  log->checked |= json_is_true(json_object_get(line, "checked"));
  add_to(sums, "launches", 1);
  return add_to(sums, "cycles", (uint64_t)more) < MOST ||
         json_fail(document, &cycles, "the launches of '%.60s' add up to 2^48 or more", kernel);
}

/* The launch of the kernel with the most cycles among those of a report, which has several if they ran at once. */
static json_t *longest_of(const json_t *report, const char *kernel) {
  json_t *launch, *longest = NULL;
  size_t i;
  json_array_foreach(json_object_get(report, "launches"), i, launch) {
    if (strcmp(diff_word(launch, "kernel"), kernel) == 0 &&
        (!longest || diff_whole(launch, "cycles") > diff_whole(longest, "cycles")))
      longest = launch;
  }
  return longest;
}

static bool is_timed(const json_t *report) {
  const json_t *launch;
  size_t i;
  json_array_foreach(json_object_get(report, "launches"), i, launch) {
    if (json_is_true(json_object_get(launch, "functional")))
      return false;
  }
  return true;
}

static bool take_report(struct log *log, const struct document *document, const json_t *line) {
  const struct place at = {NULL, "kernel", 0}, values = {NULL, "values", 0};
  const char *kernel = json_word(document, &at, json_object_get(line, "kernel"));
  json_t *report = json_object_get(line, "values");
  if (!kernel)
    return false;
  if (!report || !is_timed(report)) /* costs of launches that were executed without timing are not known */
    return report || json_fail(document, &values, "is missing");
  if (!diff_check(report, document->file, document->text, document->length, document->message))
    return false;
  if (log->base && !json_equal(log->machine, json_object_get(report, "machine")))
    return json_fail(document, &values,
                     "is of another machine than the reports before it; `diff` compares logs of one");
  json_t *launch = longest_of(report, kernel);
  if (!launch)
    return json_fail(document, &values, "has no launch of the kernel");
  json_object_set_new(launch, "together", json_array());
  json_object_set(launch, "together_cycles", json_object_get(launch, "cycles"));
  const json_t *before = json_object_get(log->launches, kernel);
  if (!before || diff_whole(launch, "cycles") > diff_whole(before, "cycles"))
    json_object_set(log->launches, kernel, launch);
  if (!log->base) {
    log->base = json_copy(report);
    log->machine = json_object_get(log->base, "machine");
  }
  return true;
}

static bool take_line(struct log *log, const char *file, const char *text, size_t length, struct message *message) {
  const struct document document = {file, text, length, message};
  json_t *line = parse_line(text, length);
  bool good = json_is_object(line) || json_fail(&document, NULL, "is not a line of `exec --log`");
  if (good && diff_word(line, "command"))
    good = take_command(log, &document, line);
  else if (good && diff_word(line, "report"))
    good = take_report(log, &document, line);
  json_decref(line);
  return good;
}

/* ---- the report --------------------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static json_t *launch_list(const struct log *log) {
  const size_t count = json_object_size(log->launches);
  const char **kernels = need(count + 1, sizeof *kernels);
  json_t *list = json_array();
  size_t used = 0;
  for (void *it = json_object_iter(log->launches); it; it = json_object_iter_next(log->launches, it))
    kernels[used++] = json_object_iter_key(it);
  qsort(kernels, count, sizeof *kernels, by_name);
  for (size_t i = 0; i < count; i++) {
    json_t *launch = json_object_get(log->launches, kernels[i]);
    json_object_set(launch, "exec", json_object_get(log->sums, kernels[i]));
    json_array_append(list, launch);
  }
  free(kernels);
  return list;
}

bool diff_read_log(struct diff_side *side, const char *text, size_t length, struct message *message) {
  struct log log = {.sums = json_object(), .launches = json_object()};
  char file[340];
  bool good = true;
  size_t number = 1;
  for (const char *at = text; good && at < text + length; number++) {
    const char *end = memchr(at, '\n', (size_t)(text + length - at));
    const size_t size = (size_t)((end ? end : text + length) - at);
    snprintf(file, sizeof file, "%.300s:%zu", side->path, number);
    good = take_line(&log, file, at, size, message);
    at += size + 1;
  }
  if (good && !log.base)
    good = message_fail(message, "%.300s: has no report of a timed launch", side->path);
  if (good) {
    json_object_set_new(log.base, "launches", launch_list(&log));
    json_object_set_new(
        log.base, "name",
        json_string(log.checked ? "longest launch of each kernel (checked)" : "longest launch of each kernel"));
    side->report = json_incref(log.base);
  }
  json_decref(log.base);
  json_decref(log.sums);
  json_decref(log.launches);
  return good;
}
