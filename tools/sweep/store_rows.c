/* Rows of points: adding one at a time, or all of another file. */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/sweep/store_parts.h"

/* ---- finding --------------------------------------------------------------------------------------- */

/* The row of `points` with this key, which the caller resets; NULL when there is none. */
static sqlite3_stmt *find(struct store *store, const char *key) {
  struct message message;
  if (!store->find)
    store->find = store_prepare(store, sqlite3_mprintf("SELECT * FROM points WHERE key = ?"), &message);
  if (!store->find)
    return NULL;
  sqlite3_bind_text(store->find, 1, key, -1, SQLITE_TRANSIENT);
  if (sqlite3_step(store->find) == SQLITE_ROW)
    return store->find;
  sqlite3_reset(store->find);
  return NULL;
}

static bool may_run_again(sqlite3_stmt *row) {
  const char *status = (const char *)sqlite3_column_text(row, COLUMN_STATUS);
  return strcmp(status, "refused") == 0 || strcmp(status, "failed") == 0;
}

bool store_has(struct store *store, const char *key) {
  sqlite3_stmt *row = find(store, key);
  const bool has = row && !(store->again && may_run_again(row));
  sqlite3_reset(row);
  return has;
}

void store_again(struct store *store) {
  assert(!store->insert && "rows are added afterwards");
  store->again = true;
}

uint64_t store_count(struct store *store) {
  sqlite3_stmt *statement = NULL;
  uint64_t count = 0;
  if (sqlite3_prepare_v2(store->database, "SELECT count(*) FROM points", -1, &statement, NULL) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW)
    count = (uint64_t)sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return count;
}

/* ---- adding ---------------------------------------------------------------------------------------- */

static const char *replaces(const struct store *store) { return store->again ? " OR REPLACE" : ""; }

static char *say_insert(const struct store *store) {
  sqlite3_str *sql = sqlite3_str_new(NULL);
  sqlite3_str_appendf(sql, "INSERT%s INTO points VALUES(?", replaces(store));
  for (size_t i = 1; i < COLUMNS_FIXED + store->about.axes.count + store->about.metrics.count; i++)
    sqlite3_str_appendall(sql, ", ?");
  sqlite3_str_appendall(sql, ")");
  return sqlite3_str_finish(sql);
}

static bool prepare_insert(struct store *store, struct message *message) {
  if (!store->insert)
    store->insert = store_prepare(store, say_insert(store), message);
  if (!store->insert_effort)
    store->insert_effort =
        store_prepare(store, sqlite3_mprintf("INSERT%s INTO effort VALUES(?, ?, ?)", replaces(store)), message);
  return store->insert && store->insert_effort;
}

/* Is it a number that C and parameters read alike? One with a leading zero is stored as a word. */
static bool is_number(const char *word) {
  word += *word == '-';
  return isdigit((unsigned char)word[0]) && (word[0] != '0' || !isdigit((unsigned char)word[1]));
}

static void bind_word(sqlite3_stmt *statement, int column, const char *word) {
  char *end = NULL;
  errno = 0;
  const bool hex = word[0] == '0' && (word[1] | 32) == 'x';
  const long long whole = strtoll(word, &end, hex ? 16 : 10);
  if (is_number(word) && !*end && !errno) {
    sqlite3_bind_int64(statement, column, whole);
    return;
  }
  const double number = strtod(word, &end);
  if (is_number(word) && !*end && isfinite(number))
    sqlite3_bind_double(statement, column, number);
  else
    sqlite3_bind_text(statement, column, word, -1, SQLITE_STATIC);
}

/* The column's type, NUMERIC, stores whole numbers as INTEGER. */
static void bind_metric(sqlite3_stmt *statement, int column, double metric) {
  if (isfinite(metric))
    sqlite3_bind_double(statement, column, metric);
  else
    sqlite3_bind_null(statement, column);
}

static void bind_row(const struct store *store, const struct store_row *row) {
  sqlite3_stmt *insert = store->insert;
  const struct sweep_plan *plan = store->plan;
  const size_t metrics = store->about.metrics.count;
  sqlite3_bind_text(insert, 1 + COLUMN_KEY, row->key, -1, SQLITE_STATIC);
  sqlite3_bind_int64(insert, 1 + COLUMN_NUMBER, (sqlite3_int64)row->number);
  sqlite3_bind_text(insert, 1 + COLUMN_STATUS, row->status, -1, SQLITE_STATIC);
  sqlite3_bind_text(insert, 1 + COLUMN_REASON, row->reason, -1, SQLITE_STATIC);
  int column = 1 + COLUMNS_FIXED;
  for (size_t i = 0; i < plan->axes; i++)
    bind_word(insert, column++, plan->axis[i].value[row->value[i]]);
  for (size_t i = 0; i < metrics; i++)
    bind_metric(insert, column++, row->metric ? row->metric[i] : NAN);
}

/* Runs both statements, after their values are bound. */
static bool insert(struct store *store, const char *key, struct message *message) {
  bool good = sqlite3_step(store->insert) == SQLITE_DONE && sqlite3_step(store->insert_effort) == SQLITE_DONE;
  if (!good && sqlite3_extended_errcode(store->database) == SQLITE_CONSTRAINT_PRIMARYKEY)
    message_fail(message, "%.250s: already has the point: %.200s", store->path, key);
  else if (!good)
    store_fail(store, message);
  sqlite3_reset(store->insert);
  sqlite3_reset(store->insert_effort);
  return good;
}

bool store_add(struct store *store, const struct store_row *row, struct message *message) {
  assert(store->plan && "a file that was opened to merge into has no plan to take values from");
  if (!store_begin(store, message) || !prepare_insert(store, message))
    return false;
  bind_row(store, row);
  sqlite3_bind_text(store->insert_effort, 1, row->key, -1, SQLITE_STATIC);
  sqlite3_bind_double(store->insert_effort, 2, row->seconds);
  sqlite3_bind_text(store->insert_effort, 3, row->how, -1, SQLITE_STATIC);
  return insert(store, row->key, message);
}

/* ---- merging --------------------------------------------------------------------------------------- */

static bool same_cell(sqlite3_stmt *a, sqlite3_stmt *b, int column) {
  const int type = sqlite3_column_type(a, column);
  if (type != sqlite3_column_type(b, column))
    return false;
  if (type == SQLITE_FLOAT) /* not as text, which has only 15 digits */
    return sqlite3_column_double(a, column) == sqlite3_column_double(b, column);
  return type == SQLITE_NULL ||
         strcmp((const char *)sqlite3_column_text(a, column), (const char *)sqlite3_column_text(b, column)) == 0;
}

/* Compares two rows with the same key. */
static bool same_row(const struct store *store, sqlite3_stmt *here, sqlite3_stmt *there, const char *path,
                     struct message *message) {
  for (int column = 0; column < sqlite3_column_count(here); column++)
    if (!same_cell(here, there, column)) {
      char numbers[2][32];
      const char *mine = store_cell(here, column, numbers[0]), *other = store_cell(there, column, numbers[1]);
      return message_fail(message, "%.120s: %.30s is %.30s, but %.30s in %.100s, for the point %.120s", path,
                          sqlite3_column_name(here, column), *other ? other : "missing", *mine ? mine : "missing",
                          store->path, (const char *)sqlite3_column_text(here, COLUMN_KEY));
    }
  return true;
}

/* A row of the other file has the columns of `points`, then seconds and how. */
static bool take_row(struct store *store, sqlite3_stmt *there, const char *path, uint64_t *added,
                     struct message *message) {
  const char *key = (const char *)sqlite3_column_text(there, COLUMN_KEY);
  const int columns = sqlite3_bind_parameter_count(store->insert);
  sqlite3_stmt *here = find(store, key);
  if (here) {
    const bool good = same_row(store, here, there, path, message);
    sqlite3_reset(here);
    return good;
  }
  for (int i = 0; i < columns; i++)
    sqlite3_bind_value(store->insert, i + 1, sqlite3_column_value(there, i));
  sqlite3_bind_value(store->insert_effort, 1, sqlite3_column_value(there, COLUMN_KEY));
  for (int i = 0; i < 2; i++)
    sqlite3_bind_value(store->insert_effort, i + 2, sqlite3_column_value(there, columns + i));
  ++*added;
  return insert(store, key, message);
}

static bool take_rows(struct store *store, struct store *other, uint64_t *added, struct message *message) {
  static const char sql[] = "SELECT points.*, seconds, how FROM points LEFT JOIN effort USING (key) "
                            "ORDER BY points.rowid";
  sqlite3_stmt *rows = store_prepare(other, sqlite3_mprintf("%s", sql), message);
  int status = SQLITE_DONE;
  bool good = rows;
  while (good && (status = sqlite3_step(rows)) == SQLITE_ROW)
    good = take_row(store, rows, other->path, added, message);
  if (good)
    return store_finish(other, rows, status, message);
  sqlite3_finalize(rows);
  return false;
}

static bool is_same_file(const char *a, const char *b) {
  struct stat first, second;
  return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

bool store_merge(struct store *store, const char *path, uint64_t *added, struct message *message) {
  *added = 0;
  if (is_same_file(store->path, path)) {
    return message_fail(message, "%.300s: cannot be merged with itself", path);
  }
  struct store *other = store_open_to_read(path, message);
  if (!other)
    return false;
  const bool good = about_same(&store->about, path, &other->about, message) && store_begin(store, message) &&
                    prepare_insert(store, message) && take_rows(store, other, added, message);
  store_close(other);
  return good;
}
