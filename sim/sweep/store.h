/* The results of a sweep, in one SQLite file (docs/sweep-store.md has the schema):
 *
 *     sweep(name, value)                  provenance: version, files and their hashes, plan, base machine;
 *                                         `factors`: axes of the product, those of a zip with + between
 *     axes(position, name, kind, words)   columns of `points` that say which point it is
 *     metrics(position, name, unit, text) columns of `points` that say what came out
 *     points(key PRIMARY KEY, number, status, reason, "dma.channels", ..., "cycles", ...)   a row for a point
 *     effort(key, seconds, how)           what it took: not part of the result
 *
 * A point that did not finish has a status that says so, a reason in a line, and metrics that may be NULL.
 *
 * Invariant: rows are written in transactions, so a process that is killed loses at most those since the last
 * store_commit(), and the file is always whole; a point that is there is never written again, but for store_again().
 * The table `points` depends on the plan and the program alone, not on jobs, shards or the order in which points were
 * run.
 *
 * One process at a time has the file open to write; a lock says so, which ends with the process, however that ends,
 * and with its children, which are to end when it does. Others may read meanwhile. The journal is SQLite's rollback
 * journal, not its write-ahead log: what was committed is in the file itself, wherever it is copied, and it works over
 * a network's file system. A journal that a kill has left beside the file is taken back by whoever opens the file next.
 * Whoever reads holds a commit up for as long as one statement of theirs runs.
 *
 * Not modelled: a file that one process has open twice, or uses on both sides of fork(). */
#ifndef SIM_SWEEP_STORE_H
#define SIM_SWEEP_STORE_H

#include <stdio.h>

#include "sim/sweep/plan.h"

enum { STORE_VERSION = 1 };

struct store;

struct store_metric {
  const char *name, *unit, *text;
};

struct store_fact {
  const char *name, *value;
};

/* Of rows: what became of a point. */
#define STORE_STATUSES(X)                                                                                              \
  X(finished, "all launches ended")                                                                                    \
  X(deadlock, "warps waited for one another forever")                                                                  \
  X(cycle_limit, "a launch reached the cycle limit")                                                                   \
  X(refused, "the machine, or the launch on it, is not legal")                                                         \
  X(failed, "the process that ran it died, twice")

/* What the file must be about: made with it, or held against what is there. Facts whose name begins with '~' may
 * differ. The plan lives as long as the store. */
struct store_subject {
  const struct sweep_plan *plan;
  const struct store_metric *metrics;
  size_t metric_count;
  const struct store_fact *facts;
  size_t fact_count;
};

/* Opens the file to write, or makes it. NULL with the message filled: not a database, of another version, of another
 * sweep (which fact differs), being written by another process, read-only, a full disk. A file that could not be made
 * is not left behind. */
struct store *store_open(const char *path, const struct store_subject *subject, char message[PLAN_MESSAGE]);

/* The same with the subject of `other`, a file: for store_merge() alone. */
struct store *store_open_like(const char *path, const char *other, char message[PLAN_MESSAGE]);

/* Opens an existing file to read it. */
struct store *store_open_to_read(const char *path, char message[PLAN_MESSAGE]);

/* Rows since the last store_commit() are given up. */
void store_close(struct store *store);

/* ---- rows ---------------------------------------------------------------------------------------- */

bool store_has(struct store *store, const char *key);
uint64_t store_count(struct store *store);

/* From now on points that were refused, or that failed, count as not there, and store_add() puts another row in place
 * of theirs: why they could not be run may be gone, such as a full disk. To be called before rows are added. */
void store_again(struct store *store);

struct store_row {
  const char *key;
  uint64_t number;
  const uint32_t *value; /* of each axis the number of its value */
  const char *status, *reason;
  const double *metric; /* NaN: none; NULL: no metrics at all */
  double seconds;
  const char *how; /* "replay", "run" */
};

/* Adds a row to the transaction under way. False with the message filled. */
bool store_add(struct store *store, const struct store_row *row, char message[PLAN_MESSAGE]);

/* False with the message filled: the rows since the last one are lost, and the file is as it was then. */
bool store_commit(struct store *store, char message[PLAN_MESSAGE]);

/* Adds all rows of another file about the same sweep to the transaction under way; those that are there are held to be
 * equal. */
bool store_merge(struct store *store, const char *path, uint64_t *added, char message[PLAN_MESSAGE]);

/* ---- looking ------------------------------------------------------------------------------------- */

/* Writes points as CSV, a line each, ordered by number, below a line of names. What `file` cannot take, it keeps as its
 * error. */
bool store_csv(struct store *store, FILE *file, char message[PLAN_MESSAGE]);

/* Is told names with their values. */
typedef void store_listener(void *context, const char *name, const char *value);

/* Facts; axes with their words; statuses with their numbers of points, metrics with their units. */
bool store_facts(struct store *store, store_listener *listener, void *context, char message[PLAN_MESSAGE]);
bool store_axes(struct store *store, store_listener *listener, void *context, char message[PLAN_MESSAGE]);
bool store_metrics(struct store *store, store_listener *listener, void *context, char message[PLAN_MESSAGE]);
bool store_statuses(struct store *store, store_listener *listener, void *context, char message[PLAN_MESSAGE]);

/* False with the message filled, which suggests another, when there is no such metric. */
bool store_has_metric(struct store *store, const char *metric, char message[PLAN_MESSAGE]);

/* The keys and values of the `count` finished points that have least of a metric, or most; of equals, those that come
 * first. */
struct store_order {
  const char *metric;
  bool most;
  uint32_t count;
};
bool store_best(struct store *store, const struct store_order *order, store_listener *listener, void *context,
                char message[PLAN_MESSAGE]);

/* What `warpwait sweep info` says: what the file is of, how many points ended how, and the best ones. `metric` may be
 * NULL: the first that there is. */
struct text;
bool store_info(struct store *store, const struct store_order *best, struct text *text, char message[PLAN_MESSAGE]);

#endif
