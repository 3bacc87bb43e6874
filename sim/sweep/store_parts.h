/* What the files of the store share: the connection, and what a file is about. */
#ifndef SIM_SWEEP_STORE_PARTS_H
#define SIM_SWEEP_STORE_PARTS_H

#include <sqlite3.h>

#include "sim/sweep/store.h"

/* A row of a table that says what is in a file: a fact with its value, an axis with kind and words, a metric with unit
 * and text. */
struct store_entry {
  char *name, *first, *second;
};

struct store_list {
  struct store_entry *entries;
  size_t count;
};

/* A store_subject with everything in words, which can also be read from a file. */
struct store_about {
  struct store_list facts, axes, metrics;
};

struct store {
  char *path;
  sqlite3 *database;
  int lock;                      /* a descriptor; -1: to read only */
  bool made;                     /* the file was not there before */
  bool again;                    /* store_again() */
  const struct sweep_plan *plan; /* NULL: rows come from other files alone */
  struct store_about about;
  sqlite3_stmt *find, *insert, *insert_effort; /* made when they are needed first */
};

/* Columns of `points` before the axes. */
enum store_column { COLUMN_KEY, COLUMN_NUMBER, COLUMN_STATUS, COLUMN_REASON, COLUMNS_FIXED };

/* The message that belongs to what SQLite has just said; returns false. */
bool store_fail(struct store *store, char message[PLAN_MESSAGE]);

/* Runs statements that give no rows, or makes one that does; `sql` is freed, and may be NULL when there was no memory.
 */
bool store_execute(struct store *store, char *sql, char message[PLAN_MESSAGE]);
sqlite3_stmt *store_prepare(struct store *store, char *sql, char message[PLAN_MESSAGE]);

/* Ends a statement whose last step gave `status`. False, with the message, unless it was the end of its rows. */
bool store_finish(struct store *store, sqlite3_stmt *statement, int status, char message[PLAN_MESSAGE]);

/* The text of a cell, "" when there is nothing in it; `number` is room for one. */
const char *store_cell(sqlite3_stmt *row, int column, char number[32]);

/* Begins a transaction unless one is under way. */
bool store_begin(struct store *store, char message[PLAN_MESSAGE]);

/* ---- what a file is about: store_about.c ---------------------------------------------------------- */

void about_of_subject(struct store_about *about, const struct store_subject *subject);
bool about_of_file(struct store *store, struct store_about *about, char message[PLAN_MESSAGE]);
void about_free(struct store_about *about);

/* False, with the message, when two columns would have one name. */
bool about_columns_differ(struct store *store, char message[PLAN_MESSAGE]);

/* False, with the message, unless the file `path` is about the same. */
bool about_same(const struct store_about *about, const char *path, const struct store_about *there,
                char message[PLAN_MESSAGE]);

/* Makes the tables in an empty file. */
bool about_write(struct store *store, char message[PLAN_MESSAGE]);

/* Writes what is there already: a folder without room for the journal is told before a sweep, not after its first
 * points. */
bool about_try_to_write(struct store *store, char message[PLAN_MESSAGE]);

/* Whether the file holds nothing yet; false, with the message, when it holds something else than a sweep. */
bool about_recognise(struct store *store, bool *empty, char message[PLAN_MESSAGE]);

#endif
