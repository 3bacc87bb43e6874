/* Shared by the files of the store: the connection, and the description of a file's contents. */
#ifndef TOOLS_SWEEP_STORE_PARTS_H
#define TOOLS_SWEEP_STORE_PARTS_H

#include <sqlite3.h>

#include "tools/sweep/store.h"

/* A row of a table that describes the file: a fact with its value, an axis with kind and words, a metric with unit and
 * text. */
struct store_entry {
  char *name, *first, *second;
};

struct store_list {
  struct store_entry *entries;
  size_t count, room;
};

/* A store_subject as text, which can also be read from a file. */
struct store_about {
  struct store_list facts, axes, metrics;
};

struct store {
  char *path;
  sqlite3 *database;
  int lock;                      /* a descriptor; -1: read only */
  bool made;                     /* the file is new */
  bool again;                    /* store_again() */
  const struct sweep_plan *plan; /* NULL: rows come only from other files */
  struct store_about about;
  sqlite3_stmt *find, *insert, *insert_effort; /* prepared on first use */
};

/* Columns of `points` before the axes. */
enum store_column { COLUMN_KEY, COLUMN_NUMBER, COLUMN_STATUS, COLUMN_REASON, COLUMNS_FIXED };

/* Converts SQLite's last error to a message; returns false. */
bool store_fail(struct store *store, struct message *message);

/* Execute a statement that gives no rows, or prepare one that does. They free `sql`, which may be NULL when out of
 * memory. */
bool store_execute(struct store *store, char *sql, struct message *message);
sqlite3_stmt *store_prepare(struct store *store, char *sql, struct message *message);

/* Ends a statement whose last step returned `status`. False with the message filled, unless that is the end of its
 * rows. */
bool store_finish(struct store *store, sqlite3_stmt *statement, int status, struct message *message);

/* The text of a cell, "" if it is empty; `number` is a buffer for a number. */
const char *store_cell(sqlite3_stmt *row, int column, char number[32]);

/* Begins a transaction unless one is active. */
bool store_begin(struct store *store, struct message *message);

/* ---- description of a file: store_about.c ---------------------------------------------------------- */

void about_of_subject(struct store_about *about, const struct store_subject *subject);
bool about_of_file(struct store *store, struct store_about *about, struct message *message);
void about_free(struct store_about *about);

/* False with the message filled when two columns would have the same name. */
bool about_columns_differ(struct store *store, struct message *message);

/* False with the message filled unless the file `path` is about the same sweep. */
bool about_same(const struct store_about *about, const char *path, const struct store_about *there,
                struct message *message);

/* Creates the tables in an empty file. */
bool about_write(struct store *store, struct message *message);

/* Rewrites a value unchanged, so that a folder without room for the journal is reported before the sweep starts. */
bool about_try_to_write(struct store *store, struct message *message);

/* Is the file still empty? False with the message filled when it contains something other than a sweep. */
bool about_recognize(struct store *store, bool *empty, struct message *message);

#endif
