/* The description of a file of results: facts, axes and metrics. It determines the columns of `points`. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"
#include "sim/replay/trial.h"
#include "tools/sweep/store_parts.h"

enum { APPLICATION = 0x57577377 /* "WWsw" */, SHOWN = 40 /* characters of a value that fit a message */ };

/* ---- in memory ------------------------------------------------------------------------------------- */

static void list_add(struct store_list *list, const char *name, const char *first, const char *second) {
  *vector_next(list->entries, list->count, list->room) =
      (struct store_entry){need_copy(name), need_copy(first), need_copy(second)};
}

static void list_free(struct store_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    free(list->entries[i].name);
    free(list->entries[i].first);
    free(list->entries[i].second);
  }
  free(list->entries);
}

void about_free(struct store_about *about) {
  list_free(&about->facts);
  list_free(&about->axes);
  list_free(&about->metrics);
}

static const char *kind_of(const char *axis) {
  if (strncmp(axis, "define.", 7) == 0)
    return "define";
  if (strncmp(axis, "arg.", 4) == 0 || strncmp(axis, "launch.", 7) == 0)
    return "argument";
  return strcmp(axis, "machine") == 0 ? "machine" : "parameter";
}

static char *words_of(const struct sweep_axis *axis) {
  size_t length = 1;
  for (size_t i = 0; i < axis->count; i++)
    length += strlen(axis->value[i]) + 1;
  char *words = need(length, 1), *at = words;
  for (size_t i = 0; i < axis->count; i++) {
    at = i ? stpcpy(at, " ") : at;
    at = stpcpy(at, axis->value[i]);
  }
  return words;
}

/* The factors of the product, separated by spaces: an axis, or the axes of a zip joined by +. */
static char *factors_of(const struct sweep_plan *plan) {
  size_t length = 1;
  for (size_t i = 0; i < plan->axes; i++)
    length += strlen(plan->axis[i].name) + 1;
  char *factors = need(length, 1), *at = factors;
  *at = '\0';
  for (size_t factor = 0; factor < plan->factors; factor++) {
    const char *between = factor ? " " : "";
    for (size_t i = 0; i < plan->axes; i++)
      if (plan->axis[i].factor == factor) {
        at = stpcpy(stpcpy(at, between), plan->axis[i].name);
        between = "+";
      }
  }
  return factors;
}

void about_of_subject(struct store_about *about, const struct store_subject *subject) {
  *about = (struct store_about){0};
  char *factors = factors_of(subject->plan);
  list_add(&about->facts, "factors", factors, "");
  free(factors);
  for (size_t i = 0; i < subject->fact_count; i++)
    list_add(&about->facts, subject->facts[i].name, subject->facts[i].value, "");
  for (size_t i = 0; i < subject->plan->axes; i++) {
    const struct sweep_axis *axis = &subject->plan->axis[i];
    char *words = words_of(axis);
    list_add(&about->axes, axis->name, kind_of(axis->name), words);
    free(words);
  }
  for (size_t i = 0; i < subject->metric_count; i++)
    list_add(&about->metrics, subject->metrics[i].name, subject->metrics[i].unit, subject->metrics[i].text);
}

/* ---- from a file ----------------------------------------------------------------------------------- */

static const char *column(sqlite3_stmt *statement, int number) {
  const char *text = (const char *)sqlite3_column_text(statement, number);
  return text ? text : "";
}

static bool list_read(struct store *store, struct store_list *list, const char *sql, struct message *message) {
  sqlite3_stmt *statement = store_prepare(store, sqlite3_mprintf("%s", sql), message);
  int status = SQLITE_DONE;
  while (statement && (status = sqlite3_step(statement)) == SQLITE_ROW)
    list_add(list, column(statement, 0), column(statement, 1), column(statement, 2));
  return statement && store_finish(store, statement, status, message);
}

/* SQLite treats the name of a missing column as a string, so report here if the tables do not match. */
static bool columns_fit(struct store *store, const struct store_about *about, struct message *message) {
  const struct store_list *const lists[] = {&about->axes, &about->metrics};
  sqlite3_stmt *row = store_prepare(store, sqlite3_mprintf("SELECT * FROM points LIMIT 0"), message);
  if (!row)
    return false;
  const int columns = sqlite3_column_count(row);
  int at = COLUMNS_FIXED;
  bool fit = (size_t)columns == COLUMNS_FIXED + about->axes.count + about->metrics.count;
  for (size_t i = 0; i < 2; i++)
    for (size_t k = 0; fit && k < lists[i]->count; k++)
      fit = strcmp(sqlite3_column_name(row, at++), lists[i]->entries[k].name) == 0;
  sqlite3_finalize(row);
  if (!fit)
    message_fail(message, "%.300s: is damaged: the columns of `points` do not match `axes` and `metrics`", store->path);
  return fit;
}

bool about_of_file(struct store *store, struct store_about *about, struct message *message) {
  *about = (struct store_about){0};
  return list_read(store, &about->facts, "SELECT name, value, '' FROM sweep ORDER BY name", message) &&
         list_read(store, &about->axes, "SELECT name, kind, words FROM axes ORDER BY position", message) &&
         list_read(store, &about->metrics, "SELECT name, unit, text FROM metrics ORDER BY position", message) &&
         columns_fit(store, about, message);
}

static bool read_number(struct store *store, const char *sql, sqlite3_int64 *number, struct message *message) {
  sqlite3_stmt *statement = store_prepare(store, sqlite3_mprintf("%s", sql), message);
  int status = statement ? sqlite3_step(statement) : SQLITE_ERROR;
  if (status == SQLITE_ROW) {
    *number = sqlite3_column_int64(statement, 0);
    status = sqlite3_step(statement);
  }
  return statement && store_finish(store, statement, status, message);
}

bool about_recognize(struct store *store, bool *empty, struct message *message) {
  sqlite3_int64 application = 0, version = 0, tables = 0;
  if (!read_number(store, "PRAGMA application_id", &application, message) ||
      !read_number(store, "PRAGMA user_version", &version, message) ||
      !read_number(store, "SELECT count(*) FROM sqlite_schema", &tables, message))
    return false;
  *empty = !application && !version && !tables;
  if (*empty || (application == APPLICATION && version == STORE_VERSION))
    return true;
  if (application == APPLICATION)
    return message_fail(message, "%.300s: has version %lld, but this program reads version %d", store->path,
                        (long long)version, STORE_VERSION);
  return message_fail(message, "%.300s: is a database, but not a sweep's", store->path);
}

/* ---- comparison ------------------------------------------------------------------------------------ */

static const struct store_entry *list_find(const struct store_list *list, const char *name) {
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->entries[i].name, name) == 0)
      return &list->entries[i];
  return NULL;
}

static bool fail_same(const char *path, const char *what, const char *name, const char *how, struct message *message) {
  return message_fail(message, "%.250s: belongs to another sweep: %s%.100s %.120s", path, what, name, how);
}

/* Compares the value of a fact, the words of an axis, or the unit of a metric. */
static bool same_value(const char *path, const char *what, const struct store_entry *here,
                       const struct store_entry *there, bool second, struct message *message) {
  const char *mine = second ? here->second : here->first, *other = second ? there->second : there->first;
  char how[120] = "has changed";
  if (here->name[0] == '~' || strcmp(mine, other) == 0)
    return true;
  if (strlen(mine) <= SHOWN && strlen(other) <= SHOWN)
    snprintf(how, sizeof how, "has changed: there '%s', here '%s'", other, mine);
  return fail_same(path, what, here->name, how, message);
}

struct list_kind {
  const char *what;
  bool second, ordered;
};

static bool list_same(const struct list_kind *kind, const struct store_list *here, const char *path,
                      const struct store_list *there, struct message *message) {
  for (size_t i = 0; i < here->count; i++) {
    const struct store_entry *entry = &here->entries[i], *other = list_find(there, entry->name);
    if (!other && entry->name[0] != '~')
      return fail_same(path, kind->what, entry->name, "is missing there", message);
    if (other && !same_value(path, kind->what, entry, other, kind->second, message))
      return false;
  }
  for (size_t i = 0; i < there->count; i++)
    if (there->entries[i].name[0] != '~' && !list_find(here, there->entries[i].name))
      return fail_same(path, kind->what, there->entries[i].name, "is only there", message);
  for (size_t i = 0; kind->ordered && i < here->count; i++)
    if (strcmp(here->entries[i].name, there->entries[i].name) != 0)
      return fail_same(path, kind->what, there->entries[i].name, "is in another place", message);
  return true;
}

bool about_same(const struct store_about *about, const char *path, const struct store_about *there,
                struct message *message) {
  static const struct list_kind facts = {"", false, false}, axes = {"axis ", true, true},
                                metrics = {"metric ", false, true};
  return list_same(&axes, &about->axes, path, &there->axes, message) &&
         list_same(&facts, &about->facts, path, &there->facts, message) &&
         list_same(&metrics, &about->metrics, path, &there->metrics, message);
}

/* ---- writing --------------------------------------------------------------------------------------- */

/* SQLite's column names are case-insensitive. */
bool about_columns_differ(struct store *store, struct message *message) {
  static const char *const fixed[COLUMNS_FIXED] = {"key", "number", "status", "reason"};
  const struct store_about *about = &store->about;
  const size_t count = COLUMNS_FIXED + about->axes.count + about->metrics.count;
  const char **names = need(count, sizeof *names);
  size_t used = 0;
  bool good = true;
  for (size_t i = 0; i < COLUMNS_FIXED; i++)
    names[used++] = fixed[i];
  for (size_t i = 0; i < about->axes.count; i++)
    names[used++] = about->axes.entries[i].name;
  for (size_t i = 0; i < about->metrics.count; i++)
    names[used++] = about->metrics.entries[i].name;
  for (size_t i = 0; good && i < count; i++)
    for (size_t k = 0; good && k < i; k++)
      if (sqlite3_stricmp(names[i], names[k]) == 0) {
        message_fail(message, "%.250s: cannot have both columns '%.60s' and '%.60s'", store->path, names[k], names[i]);
        good = false;
      }
  free(names);
  return good;
}

static void say_columns(sqlite3_str *sql, const struct store_about *about) {
  for (size_t i = 0; i < about->axes.count; i++)
    sqlite3_str_appendf(sql, ", \"%w\"", about->axes.entries[i].name);
  for (size_t i = 0; i < about->metrics.count; i++)
    sqlite3_str_appendf(sql, ", \"%w\" NUMERIC", about->metrics.entries[i].name);
}

static void say_entries(sqlite3_str *sql, const char *table, const struct store_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    const struct store_entry *entry = &list->entries[i];
    sqlite3_str_appendf(sql, "INSERT INTO %s VALUES(%d, %Q, %Q, %Q);\n", table, (int)i, entry->name, entry->first,
                        entry->second);
  }
}

static void say_statuses(sqlite3_str *sql) {
  for (size_t i = 0; i < OUTCOME_COUNT; i++)
    sqlite3_str_appendf(sql, "%s'%s'", i ? ", " : "", outcome_names[i]);
}

static char *say_tables(const struct store_about *about) {
  static const char tables[] =
      "CREATE TABLE sweep(name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL);\n"
      "CREATE TABLE axes(position INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, kind TEXT NOT NULL, "
      "words TEXT NOT NULL);\n"
      "CREATE TABLE metrics(position INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, unit TEXT NOT NULL, "
      "text TEXT NOT NULL);\n"
      "CREATE TABLE effort(key TEXT PRIMARY KEY NOT NULL, seconds REAL, how TEXT);\n"
      "CREATE TABLE points(key TEXT PRIMARY KEY NOT NULL, number INTEGER NOT NULL, status TEXT NOT NULL "
      "CHECK(status IN (";
  sqlite3_str *sql = sqlite3_str_new(NULL);
  sqlite3_str_appendf(sql, "PRAGMA application_id = %d;\nPRAGMA user_version = %d;\n", APPLICATION, STORE_VERSION);
  sqlite3_str_appendall(sql, tables);
  say_statuses(sql);
  sqlite3_str_appendall(sql, ")), reason TEXT");
  say_columns(sql, about);
  sqlite3_str_appendall(sql, ");\nCREATE INDEX points_by_number ON points(number);\n");
  for (size_t i = 0; i < about->facts.count; i++)
    sqlite3_str_appendf(sql, "INSERT INTO sweep VALUES(%Q, %Q);\n", about->facts.entries[i].name,
                        about->facts.entries[i].first);
  say_entries(sql, "axes", &about->axes);
  say_entries(sql, "metrics", &about->metrics);
  return sqlite3_str_finish(sql);
}

bool about_write(struct store *store, struct message *message) {
  return store_begin(store, message) && store_execute(store, say_tables(&store->about), message) &&
         store_commit(store, message);
}

bool about_try_to_write(struct store *store, struct message *message) {
  return store_begin(store, message) &&
         store_execute(store, sqlite3_mprintf("PRAGMA user_version = %d", STORE_VERSION), message) &&
         store_commit(store, message);
}
