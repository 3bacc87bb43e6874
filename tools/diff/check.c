/* Refuses reports that were edited or cut, so that the rest of the comparison may rely on what it reads. */
#include <inttypes.h>
#include <string.h>

#include "sim/base/json.h"
#include "sim/base/version.h"
#include "sim/report/report.h"
#include "tools/diff/diff.h"

/* With numbers below this, sums of many stay below 2^64. */
#define MOST (UINT64_MAX >> 16)

static bool is_whole(const struct document *document, const struct place *parent, const json_t *object, const char *key,
                     uint64_t *number) {
  const struct place place = {parent, key, 0};
  const json_t *value = json_object_get(object, key);
  *number = 0;
  return value ? json_whole(document, &place, value, 0, MOST, "", number)
               : json_fail(document, &place, "is missing, so this is not a complete report");
}

/* Checks the number of a source line. */
static bool is_number(const struct document *document, const struct place *parent, const json_t *object) {
  uint64_t number;
  return is_whole(document, parent, object, "line", &number) &&
         (number <= UINT32_MAX || json_fail(document, &(struct place){parent, "line", 0}, "is not a line of a file"));
}

static bool is_word(const struct document *document, const struct place *parent, const json_t *object,
                    const char *key) {
  const struct place place = {parent, key, 0};
  return json_word(document, &place, json_object_get(object, key)) != NULL;
}

/* An object or a list that must be present; NULL: missing, and reported. */
static const json_t *inner(const struct document *document, const struct place *place, const json_t *object,
                           json_type type) {
  const json_t *value = json_object_get(object, place->key);
  if (!value) {
    json_fail(document, place, "is missing, so this is not a complete report");
    return NULL;
  }
  return json_is(document, place, value, type) ? value : NULL;
}

/* A list that must be present, whose elements pass the check. */
static bool
check_list(const struct document *document, const struct place *parent, const json_t *object, const char *key,
           bool (*check)(const struct document *document, const struct place *place, const json_t *element)) {
  const struct place place = {parent, key, 0};
  const json_t *list = inner(document, &place, object, JSON_ARRAY);
  for (struct place at = {&place, NULL, 0}; at.index < json_array_size(list); at.index++)
    if (!check(document, &at, json_array_get(list, at.index)))
      return false;
  return list;
}

static bool has_rows(const struct document *document, const struct place *parent, const json_t *launch, const char *key,
                     const struct stat_group *group) {
  const struct place place = {parent, key, 0};
  const json_t *object = inner(document, &place, launch, JSON_OBJECT);
  uint64_t number;
  for (size_t i = 0; object && i < group->count; i++)
    if (!is_whole(document, &place, object, group->rows[i].name, &number))
      return false;
  return object;
}

/* ---- stalls and lines ------------------------------------------------------------------------------ */

/* Adds up an object of stalls, whose keys must be stall buckets. */
static bool add_stalls(const struct document *document, const struct place *place, const json_t *stalls,
                       uint64_t *sum) {
  const char *legal[STALLS];
  for (unsigned i = 0; i < STALLS; i++)
    legal[i] = stall_rows[i].name;
  *sum = 0;
  if (!json_keys(document, place, stalls, legal, STALLS))
    return false;
  for (unsigned i = 0; i < STALLS; i++) {
    uint64_t number = 0;
    if (json_object_get(stalls, legal[i]) && !is_whole(document, place, stalls, legal[i], &number))
      return false;
    *sum += number;
  }
  return true;
}

static bool check_line(const struct document *document, const struct place *place, const json_t *line,
                       uint64_t *cycles) {
  const struct place stalls = {place, "stalls", 0};
  uint64_t number, sum;
  if (!json_is(document, place, line, JSON_OBJECT) || !is_word(document, place, line, "file") ||
      !is_number(document, place, line))
    return false;
  for (unsigned i = 0; i < DIFF_COST_COUNT; i++)
    if (!is_whole(document, place, line, diff_cost_rows[i].key, &number))
      return false;
  const json_t *buckets = inner(document, &stalls, line, JSON_OBJECT);
  if (!buckets || !add_stalls(document, &stalls, buckets, &sum))
    return false;
  *cycles = diff_whole(line, "cycles");
  return sum == *cycles ? true
                        : json_fail(document, &stalls, "add up to %" PRIu64 ", but `cycles` is %" PRIu64, sum, *cycles);
}

static bool check_lines(const struct document *document, const struct place *parent, const json_t *launch,
                        uint64_t resident) {
  const struct place place = {parent, "by_line", 0};
  const json_t *list = inner(document, &place, launch, JSON_ARRAY);
  uint64_t sum = 0, cycles;
  for (struct place at = {&place, NULL, 0}; at.index < json_array_size(list); at.index++, sum += cycles)
    if (!check_line(document, &at, json_array_get(list, at.index), &cycles))
      return false;
  if (list && sum != resident)
    return json_fail(document, &place, "lines add up to %" PRIu64 " cycles, but `resident_cycles` is %" PRIu64, sum,
                     resident);
  return list;
}

static bool check_stalls(const struct document *document, const struct place *parent, const json_t *launch) {
  const struct place place = {parent, "stalls", 0};
  const json_t *stalls = inner(document, &place, launch, JSON_OBJECT);
  uint64_t sum, resident;
  if (!stalls || !add_stalls(document, &place, stalls, &sum) ||
      !is_whole(document, parent, launch, "resident_cycles", &resident))
    return false;
  if (sum != resident)
    return json_fail(document, &place, "add up to %" PRIu64 ", but `resident_cycles` is %" PRIu64, sum, resident);
  return check_lines(document, parent, launch, resident);
}

/* ---- a launch ---------------------------------------------------------------------------------------- */

static bool check_hazard(const struct document *document, const struct place *place, const json_t *hazard) {
  uint64_t number;
  return json_is(document, place, hazard, JSON_OBJECT) && is_word(document, place, hazard, "rule") &&
         is_word(document, place, hazard, "message") && is_word(document, place, hazard, "file") &&
         is_number(document, place, hazard) && is_whole(document, place, hazard, "count", &number);
}

static bool check_pipe(const struct document *document, const struct place *place, const json_t *pipe) {
  uint64_t number;
  if (!json_is(document, place, pipe, JSON_OBJECT) || !is_word(document, place, pipe, "name"))
    return false;
  for (size_t row = 0; row < isa_pipe_stat_group.count; row++)
    if (!is_whole(document, place, pipe, isa_pipe_stat_group.rows[row].name, &number))
      return false;
  return true;
}

static bool check_other(const struct document *document, const struct place *place, const json_t *other) {
  uint64_t number;
  return json_whole(document, place, other, 1, UINT32_MAX, "", &number);
}

static bool check_launch(const struct document *document, const struct place *place, const json_t *launch) {
  static const char *const integers[] = {"cycles", "together_cycles", "warp_instructions", "work_groups"};
  static const char *const words[] = {"kernel", "end", "trace_hash"};
  const struct place bottleneck = {place, "bottleneck", 0};
  uint64_t number;
  if (json_is_object(launch) && json_is_true(json_object_get(launch, "functional")))
    return json_fail(document, place, "was executed without timing, so it has no costs to compare");
  bool good = json_is(document, place, launch, JSON_OBJECT) && inner(document, &bottleneck, launch, JSON_OBJECT) &&
              is_word(document, &bottleneck, json_object_get(launch, "bottleneck"), "sentence");
  for (size_t i = 0; good && i < sizeof words / sizeof *words; i++)
    good = is_word(document, place, launch, words[i]);
  for (size_t i = 0; good && i < sizeof integers / sizeof *integers; i++)
    good = is_whole(document, place, launch, integers[i], &number);
  return good && check_stalls(document, place, launch) && has_rows(document, place, launch, "cu", &cu_stat_group) &&
         has_rows(document, place, launch, "lds", &lds_stat_group) &&
         has_rows(document, place, launch, "dma", &dma_stat_group) &&
         has_rows(document, place, launch, "memory", &mem_stat_group) &&
         check_list(document, place, launch, "pipes", check_pipe) &&
         check_list(document, place, launch, "together", check_other) &&
         check_list(document, place, launch, "hazards", check_hazard);
}

/* ---- the report ---------------------------------------------------------------------------------------- */

static bool check_machine(const struct document *document, const json_t *report) {
  const struct place place = {NULL, "machine", 0}, within = {&place, "parameters", 0};
  const json_t *machine = inner(document, &place, report, JSON_OBJECT);
  if (!machine || !is_word(document, &place, machine, "name"))
    return false;
  const json_t *parameters = inner(document, &within, machine, JSON_OBJECT);
  for (void *it = json_object_iter((json_t *)parameters); it; it = json_object_iter_next((json_t *)parameters, it)) {
    const json_t *value = json_object_get(json_object_iter_value(it), "value");
    const struct place at = {&within, json_object_iter_key(it), 0};
    if (!json_is_integer(value) && !json_is_string(value))
      return json_fail(document, &at, "needs a `value`: a whole number or a word");
  }
  return parameters;
}

/* Other JSON files that a user may mistake for a report. */
static bool refuse_kind(const json_t *report, const struct document *document) {
  const char *kind = "not a report of `warpwait run` or `warpwait replay`";
  if (json_object_get(report, "transfers"))
    kind = "a report of `warpwait exec`; `exec --log` keeps a log, which `diff` compares";
  else if (json_object_get(report, "program"))
    kind = "a launch file, not a report; `warpwait run --report json` makes one";
  else if (json_object_get(report, "checked"))
    kind = "a report of `warpwait check`, which has no cycles; `warpwait run --report json` makes one that has";
  else if (json_object_get(report, "depends_on_time"))
    kind = "an explanation of `warpwait explain`; only reports, traces and logs are compared";
  else if (json_object_get(report, "same"))
    kind = "a comparison of `warpwait diff`; only reports, traces and logs are compared";
  return message_fail(document->message, "%.300s: is %s", document->file, kind);
}

bool diff_check(const json_t *report, const char *path, const char *text, size_t length, struct message *message) {
  const struct document document = {path, text, length, message};
  const struct place version = {NULL, "warpwait", 0};
  const char *word = json_string_value(json_object_get(report, "warpwait"));
  if (!word || !json_object_get(report, "units") || !json_object_get(report, "launches"))
    return refuse_kind(report, &document);
  if (strcmp(word, WARPWAIT_VERSION) != 0)
    return json_fail(&document, &version, "the report is from '%.40s'; this is " WARPWAIT_VERSION, word);
  return is_word(&document, NULL, report, "name") && check_machine(&document, report) &&
         check_list(&document, NULL, report, "launches", check_launch);
}
