/* The report of `warpwait check` as SARIF 2.1.0, the Static Analysis Results Interchange Format of OASIS, for editors
 * and code review tools.
 *
 * It has a rule for each row of isa/hazards.def, found or not, and a result for each hazard. Paths are relative to the
 * folder where the program ran (%SRCROOT%, which a reader replaces by its own copy of the sources), unless the file
 * lies outside it. Fingerprints do not contain line numbers, so a hazard keeps its fingerprint when lines are added
 * above it. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sim/base/json_out.h"
#include "sim/base/need.h"
#include "sim/base/version.h"
#include "sim/check/report.h"

#define SARIF_SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

/* {"text": ...} */
static json_t *message(const char *text) {
  json_t *object = json_object();
  json_set_word(object, "text", text);
  return object;
}

/* ---- rules -------------------------------------------------------------------------------------- */

/* Converts "X5-destination-read-in-flight" to the readable name "DestinationReadInFlight". */
static void rule_name(const char *rule, char name[static 64]) {
  size_t length = 0;
  bool begins = true;
  for (const char *at = rule + strcspn(rule, "-"); *at && length < 63; at++) {
    if (*at != '-')
      name[length++] = (char)(begins && *at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
    begins = *at == '-';
  }
  name[length] = '\0';
}

/* What is wrong, as a sentence, followed by `more`, which may be empty. */
static json_t *rule_message(const struct isa_hazard_row *row, const char *more) {
  struct text text = {0};
  text_print(&text, "%c%s.%s", toupper((unsigned char)row->text[0]), row->text + 1, more);
  json_t *object = message(text.data);
  free(text.data);
  return object;
}

static json_t *rule_object(enum isa_hazard_rule rule) {
  const struct isa_hazard_row *row = &isa_hazard_rows[rule];
  json_t *object = json_object(), *configuration = json_object();
  char name[64], advice[ISA_ADVICE], more[ISA_ADVICE + 16];
  rule_name(row->rule, name);
  isa_hazard_advice(rule, 0, 0, advice);
  json_set_word(object, "id", row->rule);
  json_set_word(object, "name", name);
  snprintf(more, sizeof more, " Advice: %s.", advice);
  json_object_set_new(object, "shortDescription", rule_message(row, ""));
  json_object_set_new(object, "fullDescription", rule_message(row, more));
  json_object_set_new(object, "help", message(advice));
  json_set_word(configuration, "level", isa_hazard_levels[row->level]);
  json_object_set_new(object, "defaultConfiguration", configuration);
  return object;
}

static json_t *tool_object(void) {
  json_t *tool = json_object(), *driver = json_object(), *rules = json_array();
  json_set_word(driver, "name", "Warpwait");
  json_set_word(driver, "version", WARPWAIT_VERSION);
  json_set_word(driver, "semanticVersion", WARPWAIT_VERSION);
  for (enum isa_hazard_rule rule = 0; rule < HAZARDS; rule++)
    json_array_append_new(rules, rule_object(rule));
  json_object_set_new(driver, "rules", rules);
  json_object_set_new(tool, "driver", driver);
  return tool;
}

/* ---- places ------------------------------------------------------------------------------------- */

/* Percent-encodes all characters except those that RFC 3986 allows in a path. */
static void add_encoded(struct text *text, const char *path) {
  static const char alone[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/!$&'()*+,;=@";
  for (; *path; path++)
    if (strchr(alone, *path))
      text_add(text, path, 1);
    else
      text_print(text, "%%%02X", (unsigned char)*path);
}

static bool leads_out(const char *path) {
  for (const char *at = path; at; at = strchr(at, '/'), at = at ? at + 1 : NULL)
    if (strncmp(at, "..", 2) == 0 && (!at[2] || at[2] == '/'))
      return true;
  return path[0] == '/';
}

static json_t *artifact_location(const char *path) {
  json_t *object = json_object();
  const bool absolute = leads_out(path);
  char *whole = absolute ? realpath(path, NULL) : NULL;
  struct text uri = {0};
  if (absolute)
    text_print(&uri, "file://");
  add_encoded(&uri, whole ? whole : path);
  json_set_word(object, "uri", uri.data);
  if (!absolute)
    json_set_word(object, "uriBaseId", "%SRCROOT%");
  free(uri.data);
  free(whole);
  return object;
}

/* SARIF's columns count characters, ours count bytes. */
static uint32_t character(const struct check_place *place) {
  uint32_t count = place->column;
  for (uint32_t i = 0; place->text && i + 1 < place->column && place->text[i]; i++)
    count -= (place->text[i] & 0xc0) == 0x80;
  return count;
}

static json_t *region_object(const struct check_place *place) {
  json_t *region = json_object();
  json_set_whole(region, "startLine", place->line);
  if (place->column)
    json_set_whole(region, "startColumn", character(place));
  if (place->text && json_is_text(place->text))
    json_object_set_new(region, "snippet", message(place->text));
  return region;
}

static json_t *location_object(const struct check_side *side, const char *text) {
  const struct check_place place = check_place(side);
  json_t *location = json_object(), *physical = json_object();
  json_object_set_new(physical, "artifactLocation", artifact_location(place.path));
  if (place.line)
    json_object_set_new(physical, "region", region_object(&place));
  json_object_set_new(location, "physicalLocation", physical);
  if (text)
    json_object_set_new(location, "message", message(text));
  return location;
}

/* ---- results ------------------------------------------------------------------------------------ */

static void add_who(struct text *text, const struct check_side *side) {
  if (side->whole_group)
    text_print(text, "all work-items");
  else
    text_print(text, "work-item %" PRIu32, side->item);
  text_print(text, " of work-group (%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")", side->group[0], side->group[1],
             side->group[2]);
}

static json_t *result_message(const struct check_report *report, const struct check_hazard *hazard) {
  const struct check_bytes bytes = check_bytes(report->job, hazard);
  const char *what = isa_hazard_rows[hazard->rule].text;
  struct text text = {0};
  char advice[ISA_ADVICE];
  check_advice(hazard, advice);
  text_print(&text, "%c%s (", toupper((unsigned char)what[0]), what + 1);
  add_who(&text, &hazard->here);
  if (bytes.name)
    text_print(&text, ", byte %" PRIu64 " of '%s'", bytes.offset, bytes.name);
  text_print(&text, "%s%s). Advice: %s.", *hazard->detail ? "; " : "", hazard->detail, advice);
  json_t *object = message(text.data);
  free(text.data);
  return object;
}

static json_t *related_list(const struct check_hazard *hazard) {
  json_t *list = json_array();
  struct text text = {0};
  char name[64];
  check_other_name(hazard->rule, name);
  text_print(&text, "%s, ", name);
  add_who(&text, &hazard->other);
  json_t *location = location_object(&hazard->other, text.data);
  json_set_whole(location, "id", 1);
  json_array_append_new(list, location);
  free(text.data);
  return list;
}

/* A line without the blanks around it. */
static void add_trimmed(struct text *text, const struct check_side *side) {
  const struct check_place place = check_place(side);
  const char *line = place.text ? place.text + strspn(place.text, " \t") : "";
  size_t length = strlen(line);
  while (length && strchr(" \t", line[length - 1]))
    length--;
  text_print(text, "%s|%.*s|", place.name, (int)length, line);
}

static uint64_t fingerprint(const struct check_report *report, const struct check_hazard *hazard) {
  struct text text = {0};
  text_print(&text, "%s|%s|", isa_hazard_rows[hazard->rule].rule,
             report->job->launches[hazard->launch].isa.kernel->name);
  add_trimmed(&text, &hazard->here);
  if (hazard->other.program)
    add_trimmed(&text, &hazard->other);
  const uint64_t hash = XXH64(text.data, text.length, 0);
  free(text.data);
  return hash;
}

/* A number distinguishes hazards with the same text. */
static json_t *fingerprints_object(const uint64_t *prints, size_t index) {
  json_t *object = json_object();
  char text[48];
  size_t same = 1;
  for (size_t i = 0; i < index; i++)
    same += prints[i] == prints[index];
  snprintf(text, sizeof text, "%016" PRIx64 ":%zu", prints[index], same);
  json_set_word(object, "warpwaitSourceText/v1", text);
  return object;
}

static json_t *properties_object(const struct check_report *report, const struct check_hazard *hazard) {
  json_t *object = json_object();
  json_set_word(object, "kernel", report->job->launches[hazard->launch].isa.kernel->name);
  json_set_whole(object, "launch", hazard->launch + 1);
  json_object_set_new(object, "workGroup", json_of_triple(hazard->here.group));
  return object;
}

static json_t *suppressions_list(bool suppressed) {
  return suppressed ? json_pack("[{s:s}]", "kind", "external") : json_array();
}

static json_t *result_object(const struct check_report *report, size_t index, const uint64_t *prints) {
  const struct check_hazard *hazard = &report->hazards[index];
  const struct isa_hazard_row *row = &isa_hazard_rows[hazard->rule];
  json_t *object = json_object(), *locations = json_array();
  json_set_word(object, "ruleId", row->rule);
  json_set_whole(object, "ruleIndex", hazard->rule);
  json_set_word(object, "level", isa_hazard_levels[row->level]);
  json_object_set_new(object, "message", result_message(report, hazard));
  json_array_append_new(locations, location_object(&hazard->here, NULL));
  json_object_set_new(object, "locations", locations);
  if (hazard->other.program)
    json_object_set_new(object, "relatedLocations", related_list(hazard));
  json_set_whole(object, "occurrenceCount", hazard->count);
  json_object_set_new(object, "partialFingerprints", fingerprints_object(prints, index));
  json_object_set_new(object, "suppressions", suppressions_list(report->suppressed[index]));
  json_object_set_new(object, "properties", properties_object(report, hazard));
  return object;
}

static json_t *results_list(const struct check_report *report) {
  json_t *list = json_array();
  uint64_t *prints = need(report->hazard_count, sizeof *prints);
  for (size_t i = 0; i < report->hazard_count; i++)
    prints[i] = fingerprint(report, &report->hazards[i]);
  for (size_t i = 0; i < report->hazard_count; i++)
    json_array_append_new(list, result_object(report, i, prints));
  free(prints);
  return list;
}

/* ---- the report --------------------------------------------------------------------------------- */

static void add_artifact(json_t *list, const struct check_side *side) {
  json_t *location = artifact_location(check_place(side).path), *artifact;
  size_t index;
  bool there = false;
  json_array_foreach(list, index, artifact) there |= json_equal(json_object_get(artifact, "location"), location);
  if (!there)
    json_array_append_new(list, json_pack("{s:O}", "location", location));
  json_decref(location);
}

static json_t *artifacts_list(const struct check_report *report) {
  json_t *list = json_array();
  for (size_t i = 0; i < report->job->launch_count; i++)
    add_artifact(list, &(struct check_side){.program = report->job->launches[i].isa.program, .pc = UINT32_MAX});
  for (size_t i = 0; i < report->hazard_count; i++) {
    add_artifact(list, &report->hazards[i].here);
    if (report->hazards[i].other.program)
      add_artifact(list, &report->hazards[i].other);
  }
  return list;
}

static json_t *bases_object(void) {
  json_t *bases = json_object(), *root = json_object();
  json_object_set_new(root, "description", message("the folder that warpwait check ran in"));
  json_object_set_new(bases, "%SRCROOT%", root);
  return bases;
}

char *check_sarif(const struct check_report *report) {
  json_t *root = json_object(), *run = json_object(), *runs = json_array(), *invocations = json_array();
  json_set_word(root, "$schema", SARIF_SCHEMA);
  json_set_word(root, "version", "2.1.0");
  json_object_set_new(run, "tool", tool_object());
  json_array_append_new(invocations, json_pack("{s:b}", "executionSuccessful", check_whole(report)));
  json_object_set_new(run, "invocations", invocations);
  json_object_set_new(run, "originalUriBaseIds", bases_object());
  json_set_word(run, "columnKind", "unicodeCodePoints");
  json_object_set_new(run, "artifacts", artifacts_list(report));
  json_object_set_new(run, "results", results_list(report));
  json_array_append_new(runs, run);
  json_object_set_new(root, "runs", runs);
  return json_lines(root);
}
