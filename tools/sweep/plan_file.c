/* Reads sweep files. A key's text is collected over its continuation lines, and processed when the next key begins. */
#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/nearest.h"
#include "sim/base/need.h"
#include "sim/base/text.h"
#include "sim/base/vector.h"
#include "sim/core/params.h"
#include "tools/sweep/expression.h"
#include "tools/sweep/plan_parts.h"
#include "tools/sweep/values.h"

/* NAME: longest name of a key. SECTION: inih keeps 49 characters of a section. */
enum { NAME = 100, SECTION = 48 };

struct reading {
  struct sweep_plan *plan;
  struct message *message;
  const char *rest; /* unread text */
  int line;         /* number of the line read last */
  bool indented;    /* that line begins with a blank */
  char section[SECTION + 1], key[NAME + 1];
  char *text; /* collected so far; NULL: no key */
  int key_line;
  unsigned seen; /* a bit for each key of [sweep] so far */
  bool failed;   /* the message says why, at `key_line` */
};

#define FAIL(reading, ...) plan_fail((reading)->plan, (reading)->key_line, (reading)->message, __VA_ARGS__)

/* Reports at the key what a reader of its value left in the message. */
static bool fail_value(const struct reading *reading) {
  message_within(reading->message, reading->key);
  return message_at(reading->message, reading->plan->file, (uint64_t)reading->key_line);
}

/* ---- [sweep] ---------------------------------------------------------------------------------------- */

static bool take_job(struct reading *reading, char **path) {
  struct sweep_plan *plan = reading->plan;
  if (plan->job_line)
    return FAIL(reading, "%s: line %d already says what to run; legal: one launch or one trace", reading->key,
                plan->job_line);
  *path = file_beside(plan->file, reading->text);
  plan->job_line = reading->key_line;
  return true;
}

static bool take_launch(struct reading *reading) { return take_job(reading, &reading->plan->launch); }
static bool take_trace(struct reading *reading) { return take_job(reading, &reading->plan->trace); }

static bool take_machine(struct reading *reading) {
  reading->plan->machine = need_copy(reading->text);
  return true;
}

static bool take_build(struct reading *reading) {
  struct sweep_plan *plan = reading->plan;
  for (char *rest = NULL, *word = strtok_r(reading->text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
    *vector_next(plan->builds, plan->build_count, plan->build_room) = need_copy(word);
  }
  return true;
}

static bool take_sample(struct reading *reading) {
  static const char *const kinds[] = {[SWEEP_GRID] = "grid", [SWEEP_RANDOM] = "random", [SWEEP_LATIN] = "latin"};
  struct sweep_plan *plan = reading->plan;
  plan->sample_line = reading->key_line;
  for (int kind = SWEEP_GRID; kind <= SWEEP_LATIN; kind++) {
    const size_t length = strlen(kinds[kind]);
    if (strncmp(reading->text, kinds[kind], length) != 0)
      continue;
    const char *number = reading->text + length, *end = number + strspn(number, " \t");
    int64_t samples = 0;
    plan->sample = (enum sweep_sample)kind;
    if (kind == SWEEP_GRID && !*end)
      return true;
    if (end > number && values_whole(end, &end, &samples) && !*end && samples >= 1 && samples <= PLAN_SAMPLES) {
      plan->samples = (uint64_t)samples;
      if (kind != SWEEP_GRID)
        return true;
    }
  }
  return FAIL(reading, "sample: '%.60s'; legal: grid, random N, latin N, with N from 1 to %d", reading->text,
              PLAN_SAMPLES);
}

static bool take_seed(struct reading *reading) {
  const char *end = reading->text;
  int64_t seed = 0;
  if (!values_whole(end, &end, &seed) || *end || seed < 0)
    return FAIL(reading, "seed: '%.60s' is not a whole number from 0 to 2^53", reading->text);
  reading->plan->seed = (uint64_t)seed;
  return true;
}

static bool take_max_cycles(struct reading *reading) {
  const char *end = reading->text;
  int64_t cycles = 0;
  if (!values_whole(end, &end, &cycles) || *end || cycles < 1)
    return FAIL(reading, "max_cycles: '%.60s' is not a whole number of cycles from 1 to 2^53", reading->text);
  reading->plan->max_cycles = (uint64_t)cycles;
  return true;
}

static struct expression *take_expression(struct reading *reading) {
  struct expression *expression = expression_read(reading->text, reading->message, NULL);
  if (!expression)
    fail_value(reading);
  return expression;
}

static bool take_cost(struct reading *reading) {
  struct sweep_plan *plan = reading->plan;
  plan->cost = take_expression(reading);
  plan->cost_text = need_copy(reading->text);
  plan->cost_line = reading->key_line;
  return plan->cost;
}

static const struct sweep_key {
  const char *name;
  bool (*take)(struct reading *reading);
} sweep_keys[] = {{"launch", take_launch}, {"trace", take_trace},          {"machine", take_machine},
                  {"build", take_build},   {"sample", take_sample},        {"seed", take_seed},
                  {"cost", take_cost},     {"max_cycles", take_max_cycles}};
enum { SWEEP_KEYS = sizeof sweep_keys / sizeof *sweep_keys };

static bool take_sweep(struct reading *reading) {
  for (unsigned i = 0; i < SWEEP_KEYS; i++)
    if (strcmp(reading->key, sweep_keys[i].name) == 0) {
      if (reading->seen & 1u << i)
        return FAIL(reading, "%s: is already set", reading->key);
      reading->seen |= 1u << i;
      return sweep_keys[i].take(reading);
    }
  const char *nearest = nearest_word(reading->key, &sweep_keys[0].name, SWEEP_KEYS, sizeof *sweep_keys);
  return FAIL(reading, "[sweep] has no key '%.60s'%s%s%s", reading->key,
              nearest ? "; did you mean '" : "; legal: launch, trace, machine, build, sample, seed, cost, max_cycles",
              nearest ? nearest : "", nearest ? "'?" : "");
}

/* ---- [set], [axes], [zip NAME], [constraints] --------------------------------------------------------- */

/* Can expressions use the name? */
static bool is_name(const char *name) {
  return (isalpha((unsigned char)*name) || *name == '_') &&
         !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")];
}

static bool check_name(struct reading *reading) {
  return is_name(reading->key) ||
         FAIL(reading, "'%.60s' is not a name; legal: letters, digits, '_' and '.', a letter first", reading->key);
}

/* Names that differ only in case would be the same column of the results. */
static bool name_is_new(struct reading *reading) {
  const struct sweep_plan *plan = reading->plan;
  for (size_t i = 0; i < plan->axes; i++)
    if (strcasecmp(plan->axis[i].name, reading->key) == 0)
      return FAIL(reading, "%s: line %d already has this axis", reading->key, plan->axis[i].line);
  for (size_t i = 0; i < plan->setting_count; i++)
    if (strcasecmp(plan->settings[i].name, reading->key) == 0)
      return FAIL(reading, "%s: line %d already sets it for all points", reading->key, plan->settings[i].line);
  return true;
}

static bool take_setting(struct reading *reading) {
  struct sweep_plan *plan = reading->plan;
  struct sweep_axis one = {.name = NULL}; /* parsed like the values of an axis */
  if (!check_name(reading) || !name_is_new(reading))
    return false;
  bool good = values_add(&one, reading->text, reading->message) || fail_value(reading);
  good = good &&
         (one.count == 1 || FAIL(reading, "%s: has %zu values; put it in [axes] to vary it", reading->key, one.count));
  if (good) {
    *vector_next(plan->settings, plan->setting_count, plan->setting_room) =
        (struct sweep_setting){need_copy(reading->key), need_copy(one.value[0]), reading->key_line};
  }
  plan_free_values(&one);
  return good;
}

/* The factor of the zip, or a new factor. */
static size_t factor_of(struct sweep_plan *plan, const char *zip) {
  for (size_t i = 0; i < plan->axes && zip; i++)
    if (plan->axis[i].zip && strcmp(plan->axis[i].zip, zip) == 0)
      return plan->axis[i].factor;
  return plan->factors++;
}

static bool take_axis(struct reading *reading, const char *zip) {
  struct sweep_plan *plan = reading->plan;
  if (!check_name(reading) || !name_is_new(reading))
    return false;
  if (plan->axes == PLAN_AXES)
    return FAIL(reading, "%s: more than %d axes", reading->key, PLAN_AXES);
  const size_t factor = factor_of(plan, zip);
  struct sweep_axis *axis = &plan->axis[plan->axes++];
  *axis = (struct sweep_axis){
      .name = need_copy(reading->key), .zip = zip ? need_copy(zip) : NULL, .factor = factor, .line = reading->key_line};
  return values_add(axis, reading->text, reading->message) || fail_value(reading);
}

static bool take_product(struct reading *reading) { return take_axis(reading, NULL); }

static bool take_zip(struct reading *reading) {
  const char *name = reading->section + strlen("zip");
  name += strspn(name, " \t");
  return *name ? take_axis(reading, name) : FAIL(reading, "[zip] has no name; legal: [zip NAME]");
}

static bool take_constraint(struct reading *reading) {
  struct sweep_plan *plan = reading->plan;
  for (size_t i = 0; i < plan->constraint_count; i++)
    if (strcmp(plan->constraints[i].name, reading->key) == 0)
      return FAIL(reading, "%s: line %d already has this constraint", reading->key, plan->constraints[i].line);
  struct expression *test = take_expression(reading);
  if (!test)
    return false;
  *vector_next(plan->constraints, plan->constraint_count, plan->constraint_room) =
      (struct sweep_constraint){need_copy(reading->key), need_copy(reading->text), test, reading->key_line};
  return true;
}

static const struct sweep_section {
  const char *name;
  bool (*take)(struct reading *reading);
} sections[] = {{"sweep", take_sweep}, {"set", take_setting}, {"axes", take_product}, {"constraints", take_constraint}};
enum { SECTIONS = sizeof sections / sizeof *sections };

/* ---- lines ------------------------------------------------------------------------------------------ */

static bool take_key(struct reading *reading) {
  const char *section = reading->section;
  if (!*section)
    return FAIL(reading, "%.60s: precedes the first section; start with [sweep]", reading->key);
  if (!*reading->text)
    return FAIL(reading, "%.60s: has no value", reading->key);
  if (strcmp(section, "zip") == 0 || strncmp(section, "zip ", 4) == 0)
    return take_zip(reading);
  for (size_t i = 0; i < SECTIONS; i++)
    if (strcmp(section, sections[i].name) == 0)
      return sections[i].take(reading);
  const char *nearest = nearest_word(section, &sections[0].name, SECTIONS, sizeof *sections);
  return FAIL(reading, "no section [%s]%s%s%s", section,
              nearest ? "; did you mean [" : "; legal: [sweep], [set], [axes], [zip NAME], [constraints]",
              nearest ? nearest : "", nearest ? "]?" : "");
}

/* Processes the collected key, if any. */
static bool take_gathered(struct reading *reading) {
  if (!reading->text)
    return true;
  reading->failed = !take_key(reading);
  free(reading->text);
  reading->text = NULL;
  return !reading->failed;
}

static void gather(struct reading *reading, const char *value) {
  const size_t length = strlen(reading->text);
  reading->text = need_more(reading->text, length + strlen(value) + 2, 1);
  snprintf(reading->text + length, strlen(value) + 2, "%s%s", length ? " " : "", value);
}

static bool begin_key(struct reading *reading, const char *section, const char *name, const char *value) {
  reading->key_line = reading->line;
  snprintf(reading->section, sizeof reading->section, "%s", section);
  snprintf(reading->key, sizeof reading->key, "%s", name);
  reading->failed = true;
  if (strlen(section) >= SECTION)
    return FAIL(reading, "[%s...]: a section's name is longer than %d characters", reading->section, SECTION - 1);
  if (!*name)
    return FAIL(reading, "a value without a key; legal: key = value");
  if (strlen(name) > NAME)
    return FAIL(reading, "'%.60s...' is longer than %d characters", name, NAME);
  reading->failed = false;
  reading->text = need_copy(value);
  return true;
}

/* inih calls this for each key, and for each indented line after one. */
static int on_key(void *context, const char *section, const char *name, const char *value) {
  struct reading *reading = context;
  if (reading->failed)
    return 0;
  if (reading->indented && reading->text)
    gather(reading, value);
  else if (!take_gathered(reading) || !begin_key(reading, section, name, value))
    return 0;
  return 1;
}

/* inih strips comments from lines with a key, but not from continuation lines. */
static void strip_comment(char *line) {
  for (char *at = line + strspn(line, " \t"); (at = strchr(at, ';')); at++)
    if (strchr(" \t", at[-1])) {
      *at = '\0';
      return;
    }
}

/* inih reads its lines here, as from fgets(). Reading ends after the first bad key. */
static char *next_line(char *line, int size, void *context) {
  struct reading *reading = context;
  const size_t length = strcspn(reading->rest, "\n");
  if (!*reading->rest || reading->failed)
    return NULL;
  reading->line++;
  snprintf(line, (size_t)size, "%.*s", (int)length, reading->rest);
  reading->rest += length + (reading->rest[length] == '\n');
  reading->indented = *line == ' ' || *line == '\t';
  if (reading->indented && reading->text && line[strspn(line, " \t")] != ';')
    strip_comment(line);
  else if (*line == '[' && !take_gathered(reading))
    return NULL;
  return line;
}

static int long_line(const char *text) {
  for (int line = 1; *text; line++) {
    const size_t length = strcspn(text, "\n");
    if (length > PLAN_LINE)
      return line;
    text += length + (text[length] == '\n');
  }
  return 0;
}

static bool parse_lines(const char *text, struct sweep_plan *plan, struct message *message) {
  struct reading reading = {.plan = plan, .message = message, .rest = text};
  const int line = ini_parse_stream(next_line, &reading, on_key, &reading);
  const bool good = !reading.failed && take_gathered(&reading);
  const int first = reading.failed ? reading.key_line : 0;
  free(reading.text);
  if (line && (!first || line < first)) /* an error that inih found before ours */
    return plan_fail(plan, line, message, "not a [section], key = value or comment");
  return good;
}

/* ---- checks of several keys -------------------------------------------------------------------------- */

static bool check_zips(const struct sweep_plan *plan, struct message *message) {
  for (size_t i = 0; i < plan->axes; i++)
    for (size_t j = 0; j < i; j++) {
      const struct sweep_axis *a = &plan->axis[j], *b = &plan->axis[i];
      if (a->factor == b->factor && a->count != b->count)
        return plan_fail(plan, b->line, message,
                         "zip %s: %.60s has %zu values, and %.60s of line %d has %zu; a zip pairs values, so their "
                         "numbers must be equal",
                         b->zip, b->name, b->count, a->name, a->line, a->count);
    }
  return true;
}

/* The combined values of a factor's axes, one word for each: "16 32". */
static void add_tuples(const struct sweep_plan *plan, size_t factor, struct sweep_axis *tuples) {
  tuples->count = plan->levels[factor];
  tuples->value = need(tuples->count, sizeof *tuples->value);
  for (size_t i = 0; i < tuples->count; i++)
    for (const struct sweep_axis *axis = plan->axis; axis < plan->axis + plan->axes; axis++)
      if (axis->factor == factor) {
        char **at = &tuples->value[i];
        const size_t length = *at ? strlen(*at) + 1 : 0;
        *at = need_more(*at, length + strlen(axis->value[i]) + 1, 1);
        if (length)
          (*at)[length - 1] = ' ';
        strcpy(*at + length, axis->value[i]);
      }
}

/* A repeated value would repeat a point. Axes of a zip may repeat values, but not the combination. */
static bool check_values(const struct sweep_plan *plan, struct message *message) {
  bool good = true;
  for (size_t factor = 0; factor < plan->factors && good; factor++) {
    struct sweep_axis tuples = {.name = NULL};
    const struct sweep_axis *axis = plan->axis;
    while (axis->factor != factor)
      axis++;
    add_tuples(plan, factor, &tuples);
    good = values_distinct(&tuples, message);
    if (!good) {
      char what[120];
      snprintf(what, sizeof what, "%s%s", axis->zip ? "zip " : "", axis->zip ? axis->zip : axis->name);
      message_within(message, what);
      message_at(message, plan->file, (uint64_t)axis->line);
    }
    plan_free_values(&tuples);
  }
  return good;
}

static bool count_grid(struct sweep_plan *plan, struct message *message) {
  plan->grid = 1;
  for (size_t f = 0; f < plan->factors; f++) {
    if (plan->grid > (UINT64_C(1) << 63) / plan->levels[f])
      return plan_fail(plan, 0, message, "the axes have more than 2^63 points between them");
    plan->grid *= plan->levels[f];
  }
  plan->points = plan->sample == SWEEP_GRID ? plan->grid : plan->samples;
  return true;
}

/* Either [sweep] or an axis or setting may set the machine: one of them would be ignored. */
static bool check_machine(const struct sweep_plan *plan, struct message *message) {
  int line = 0;
  for (size_t i = 0; i < plan->axes; i++)
    line = strcmp(plan->axis[i].name, "machine") == 0 ? plan->axis[i].line : line;
  for (size_t i = 0; i < plan->setting_count; i++)
    line = strcmp(plan->settings[i].name, "machine") == 0 ? plan->settings[i].line : line;
  return !plan->machine || !line ||
         plan_fail(plan, line, message, "machine: [sweep] already sets '%.60s'; legal: one of the two", plan->machine);
}

static bool check_plan(struct sweep_plan *plan, struct message *message) {
  if (!plan->job_line)
    return plan_fail(plan, 0, message, "nothing to run; [sweep] needs launch = FILE or trace = FILE");
  if (!plan->axes)
    return plan_fail(plan, 0, message, "no axis; list what to vary in [axes] or [zip NAME]");
  if (!check_zips(plan, message))
    return false;
  for (size_t i = 0; i < plan->axes; i++)
    plan->levels[plan->axis[i].factor] = plan->axis[i].count;
  if (!check_machine(plan, message) || !check_values(plan, message) || !count_grid(plan, message))
    return false;
  if (plan->points > plan->grid)
    return plan_fail(plan, plan->sample_line, message,
                     "sample: %llu points, but there are only %llu; sample = grid runs them all",
                     (unsigned long long)plan->points, (unsigned long long)plan->grid);
  return true;
}

bool plan_parse(const char *text, const char *file, struct sweep_plan *plan, struct message *message) {
  *plan = (struct sweep_plan){.file = need_copy(file), .seed = 1};
  const int line = long_line(text);
  if (line)
    return plan_fail(plan, line, message, "longer than %d characters; an indented line continues the one above",
                     PLAN_LINE);
  return parse_lines(text, plan, message) && check_plan(plan, message);
}

static char *read_text(const char *path, size_t *size) {
  FILE *file = fopen(path, "rbe");
  if (!file)
    return NULL;
  char *text = need(PLAN_FILE_BYTES + 2, 1);
  *size = fread(text, 1, PLAN_FILE_BYTES + 1, file);
  const int error = ferror(file) ? errno : 0;
  fclose(file);
  if (!error)
    return text;
  free(text);
  errno = error;
  return NULL;
}

bool plan_read(const char *path, struct sweep_plan *plan, struct message *message) {
  size_t size = 0;
  *plan = (struct sweep_plan){.file = need_copy(path)};
  char *text = read_text(path, &size);
  if (!text)
    return plan_fail(plan, 0, message, "%s", text_errno(errno));
  bool good = false;
  if (size > PLAN_FILE_BYTES)
    plan_fail(plan, 0, message, "larger than %d bytes", PLAN_FILE_BYTES);
  else if (strlen(text) < size)
    plan_fail(plan, 0, message, "contains a zero byte; a sweep file is text");
  else {
    plan_free(plan);
    good = plan_parse(text, path, plan, message);
  }
  free(text);
  return good;
}
