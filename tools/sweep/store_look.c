/* Reads a file of results: as CSV, and by name. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/csv.h"
#include "sim/base/message.h"
#include "sim/base/nearest.h"
#include "sim/base/need.h"
#include "sim/base/text.h"
#include "sim/core/params.h"
#include "tools/sweep/store_parts.h"

/* ---- CSV ------------------------------------------------------------------------------------------- */

/* The fewest digits that read back as the same number. */
static void say_number(char text[32], double number) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, 32, "%.*g", digits, number);
    if (strtod(text, NULL) == number)
      return;
  }
}

const char *store_cell(sqlite3_stmt *row, int column, char number[32]) {
  if (sqlite3_column_type(row, column) == SQLITE_FLOAT) {
    say_number(number, sqlite3_column_double(row, column));
    return number;
  }
  const char *text = (const char *)sqlite3_column_text(row, column);
  return text ? text : "";
}

static void print_plain(FILE *file, const char *number) { fputs(number, file); }

bool store_csv(struct store *store, FILE *file, struct message *message) {
  sqlite3_stmt *row = store_prepare(store, sqlite3_mprintf("SELECT * FROM points ORDER BY number, key"), message);
  int status = SQLITE_DONE;
  char number[32];
  if (!row)
    return false;
  const int columns = sqlite3_column_count(row);
  for (int i = COLUMN_NUMBER; i < columns; i++) {
    csv_cell(file, sqlite3_column_name(row, i));
    putc(i + 1 < columns ? ',' : '\n', file);
  }
  while (!ferror(file) && (status = sqlite3_step(row)) == SQLITE_ROW)
    for (int i = COLUMN_NUMBER; i < columns; i++) {
      (sqlite3_column_type(row, i) == SQLITE_TEXT ? csv_cell : print_plain)(file, store_cell(row, i, number));
      putc(i + 1 < columns ? ',' : '\n', file);
    }
  return store_finish(store, row, ferror(file) ? SQLITE_DONE : status, message);
}

/* ---- by name --------------------------------------------------------------------------------------- */

static bool report(struct store *store, char *sql, store_listener *listener, void *context, struct message *message) {
  sqlite3_stmt *row = store_prepare(store, sql, message);
  char name[32], value[32];
  int status = SQLITE_DONE;
  while (row && (status = sqlite3_step(row)) == SQLITE_ROW)
    listener(context, store_cell(row, 0, name), store_cell(row, 1, value));
  return row && store_finish(store, row, status, message);
}

bool store_facts(struct store *store, store_listener *listener, void *context, struct message *message) {
  return report(store, sqlite3_mprintf("SELECT name, value FROM sweep ORDER BY name"), listener, context, message);
}

bool store_axes(struct store *store, store_listener *listener, void *context, struct message *message) {
  return report(store, sqlite3_mprintf("SELECT name, words FROM axes ORDER BY position"), listener, context, message);
}

bool store_metrics(struct store *store, store_listener *listener, void *context, struct message *message) {
  return report(store, sqlite3_mprintf("SELECT name, unit FROM metrics ORDER BY position"), listener, context, message);
}

bool store_statuses(struct store *store, store_listener *listener, void *context, struct message *message) {
  return report(store, sqlite3_mprintf("SELECT status, count(*) FROM points GROUP BY status ORDER BY 2 DESC, 1"),
                listener, context, message);
}

bool store_clocks_vary(const struct store *store) {
  const struct store_list *axes = &store->about.axes;
  for (size_t i = 0; i < axes->count; i++)
    if ((strcmp(axes->entries[i].name, "machine") == 0 || strcmp(axes->entries[i].name, "cu.clock_mhz") == 0) &&
        strchr(axes->entries[i].second, ' '))
      return true;
  return false;
}

bool store_has_metric(struct store *store, const char *metric, struct message *message) {
  const struct store_list *metrics = &store->about.metrics;
  for (size_t i = 0; i < metrics->count; i++)
    if (strcmp(metrics->entries[i].name, metric) == 0)
      return true;
  const char *near = metrics->count ? nearest_word(metric, (const char *const *)&metrics->entries->name, metrics->count,
                                                   sizeof *metrics->entries)
                                    : NULL;
  char hint[MESSAGE_HINT];
  return message_fail(message, "%.250s: has no metric '%.60s'%s", store->path, metric, message_hint(hint, near));
}

bool store_best(struct store *store, const struct store_order *order, store_listener *listener, void *context,
                struct message *message) {
  if (!store_has_metric(store, order->metric, message))
    return false;
  char *sql = sqlite3_mprintf("SELECT key, \"%w\" FROM points WHERE status = 'finished' AND \"%w\" IS NOT NULL "
                              "ORDER BY 2 %s, number, key LIMIT %u",
                              order->metric, order->metric, order->most ? "DESC" : "ASC", order->count);
  return report(store, sql, listener, context, message);
}

/* ---- what the file is about ---- */

enum { WIDTH = 100 /* characters of a value to show */ };

static void print_named(void *context, const char *name, const char *value) {
  const int cut = strlen(value) > WIDTH;
  text_print(context, "  %-20s %.*s%s\n", name, WIDTH, value, cut ? "..." : "");
}

static void print_best(void *context, const char *key, const char *value) {
  text_print(context, "  %-20s %s\n", value, key);
}

static void keep_first(void *context, const char *name, const char *value) {
  char **first = context;
  (void)value;
  *first = *first ? *first : need_copy(name);
}

static bool print_points(struct store *store, const struct store_order *order, const char *metric, struct text *text,
                         struct message *message) {
  struct store_order best = *order;
  best.metric = metric;
  text_print(text, "points: %llu\n", (unsigned long long)store_count(store));
  if (!store_statuses(store, print_named, text, message))
    return false;
  if (!metric)
    return true;
  const bool mixed = store_clocks_vary(store) && strcmp(metric, "cycles") == 0;
  text_print(text, "%s %s%s:\n", best.most ? "most" : "least", metric,
             mixed ? " (clocks can differ; --by microseconds compares times)" : "");
  return store_best(store, &best, print_best, text, message);
}

bool store_info(struct store *store, const struct store_order *best, struct text *text, struct message *message) {
  char *first = NULL;
  bool good = (!best->metric || store_has_metric(store, best->metric, message)) &&
              store_metrics(store, keep_first, &first, message);
  text_print(text, "sweep:\n");
  good = good && store_facts(store, print_named, text, message);
  text_print(text, "axes:\n");
  good = good && store_axes(store, print_named, text, message);
  const char *metric = best->metric                                                                   ? best->metric
                       : store_clocks_vary(store) && store_has_metric(store, "microseconds", message) ? "microseconds"
                                                                                                      : first;
  good = good && print_points(store, best, metric, text, message);
  free(first);
  return good;
}
