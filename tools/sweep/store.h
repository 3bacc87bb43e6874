/* The results of a sweep, in one SQLite file (docs/sweep-store.md has the schema):
 *
 *     sweep(name, value)                  provenance: version, files and their hashes, plan, base machine;
 *                                         `factors`: axes of the product, those of a zip joined by +
 *     axes(position, name, kind, words)   columns of `points` that identify the point
 *     metrics(position, name, unit, text) columns of `points` with the results
 *     points(key PRIMARY KEY, number, status, reason, "dma.channels", ..., "cycles", ...)   a row per point
 *     effort(key, seconds, how)           the time that it took: not part of the result
 *
 * A point that did not finish has a status, a reason in one line, and metrics that may be NULL.
 *
 * Invariant: rows are written in transactions, so a process that is killed loses at most the rows since the last
 * store_commit(), and the file is always consistent. A stored point is never overwritten, except after store_again().
 * The table `points` depends only on the plan and the program, not on jobs, shards or the order of runs.
 *
 * Only one process at a time may have the file open to write. It holds a lock, which ends when the process and its
 * children end. Others may read meanwhile; a reader delays a commit while one of its statements runs. The journal is
 * SQLite's rollback journal, not its write-ahead log, so that committed rows are in the file itself when it is copied,
 * and network file systems work. If a killed process leaves a journal beside the file, the next one that opens the file
 * rolls it back.
 *
 * Not modeled: a file that one process opens twice, or uses on both sides of fork(). */
#ifndef TOOLS_SWEEP_STORE_H
#define TOOLS_SWEEP_STORE_H

#include <stdio.h>

#include "tools/sweep/plan.h"

enum { STORE_VERSION = 1 };

struct store;

struct store_metric {
  const char *name, *unit, *text;
};

struct store_fact {
  const char *name, *value;
};

/* What the file must be about: written to a new file, compared with an existing one. Facts whose name begins with '~'
 * may differ. The plan must outlive the store. */
struct store_subject {
  const struct sweep_plan *plan;
  const struct store_metric *metrics;
  size_t metric_count;
  const struct store_fact *facts;
  size_t fact_count;
};

/* Opens the file to write, and creates it if necessary. NULL with the message filled: not a database, another version,
 * another sweep (the message says which fact differs), another process is writing, read-only, disk full. A file that
 * could not be completed is removed. */
struct store *store_open(const char *path, const struct store_subject *subject, struct message *message);

/* Like store_open(), with the subject of the file `other`; only for store_merge(). */
struct store *store_open_like(const char *path, const char *other, struct message *message);

/* Opens an existing file to read it. */
struct store *store_open_to_read(const char *path, struct message *message);

/* Discards the rows since the last store_commit(). */
void store_close(struct store *store);

/* ---- rows ---------------------------------------------------------------------------------------- */

bool store_has(struct store *store, const char *key);
uint64_t store_count(struct store *store);

/* From now on, points that were refused or failed count as missing, and store_add() replaces their rows: the cause,
 * such as a full disk, may be gone. Call it before adding rows. */
void store_again(struct store *store);

struct store_row {
  const char *key;
  uint64_t number;
  const uint32_t *value; /* the index of its value on each axis */
  const char *status, *reason;
  const double *metric; /* NaN: none; NULL: no metrics */
  double seconds;
  const char *how; /* "replay", "run" */
};

/* Adds a row to the current transaction. False with the message filled. */
bool store_add(struct store *store, const struct store_row *row, struct message *message);

/* On failure (false, with the message filled) the rows since the last commit are lost, and the file is as it was
 * then. */
bool store_commit(struct store *store, struct message *message);

/* Adds all rows of another file about the same sweep to the current transaction. Points that both files have must have
 * equal rows. */
bool store_merge(struct store *store, const char *path, uint64_t *added, struct message *message);

/* ---- reading ------------------------------------------------------------------------------------------ */

/* Writes points as CSV: a line of names, then a line per point, ordered by number. If writing fails, `file` has its
 * error flag set. */
bool store_csv(struct store *store, FILE *file, struct message *message);

/* Receives a name and its value. */
typedef void store_listener(void *context, const char *name, const char *value);

/* Facts; axes with their words; metrics with their units; statuses with their numbers of points. */
bool store_facts(struct store *store, store_listener *listener, void *context, struct message *message);
bool store_axes(struct store *store, store_listener *listener, void *context, struct message *message);
bool store_metrics(struct store *store, store_listener *listener, void *context, struct message *message);
bool store_statuses(struct store *store, store_listener *listener, void *context, struct message *message);

/* Does an axis vary the clock, so that cycles of two points are not comparable? */
bool store_clocks_vary(const struct store *store);

/* False when there is no such metric; the message suggests another. */
bool store_has_metric(struct store *store, const char *metric, struct message *message);

/* The keys and values of the `count` finished points with the least (`most`: the largest) values of a metric. Of equal
 * points, those with the lower numbers come first. */
struct store_order {
  const char *metric;
  bool most;
  uint32_t count;
};
bool store_best(struct store *store, const struct store_order *order, store_listener *listener, void *context,
                struct message *message);

/* The output of `warpwait sweep info`: what the file is about, the number of points by status, and the best points. If
 * best->metric is NULL, it is the first metric of the file. */
struct text;
bool store_info(struct store *store, const struct store_order *best, struct text *text, struct message *message);

#endif
