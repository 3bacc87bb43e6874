/* The results of a sweep, in one SQLite file (docs/sweep-store.md has the schema):
 *
 *     sweep(name, value)              provenance: version, files and their hashes, plan, base machine
 *     axes(position, name, kind)      columns of `points` that say which point it is
 *     metrics(position, name, unit, text)   columns of `points` that say what came out
 *     points(key PRIMARY KEY, number, status, reason, "dma.channels", ..., "cycles", ...)   one row a point that is
 * done effort(key, seconds, how)       what it took: not part of the result
 *
 * status: 'finished'; 'deadlock', 'cycle_limit', 'refused' (the point is no legal machine or launch), 'failed' (the
 * process that ran it died): then `reason` says why in a line, and metrics may be NULL.
 *
 * Invariant: rows are written in transactions, so a process that is killed loses at most those since the last
 * store_commit(), and the file is always whole; a point that is there is never written again. The table `points`
 * depends on the plan and the program alone, not on jobs, shards or the order in which points were run. */
#ifndef SIM_SWEEP_STORE_H
#define SIM_SWEEP_STORE_H

#include "sim/sweep/plan.h"

enum { STORE_VERSION = 1 };

struct store;

struct store_metric {
  const char *name, *unit, *text;
};

struct store_fact {
  const char *name, *value;
};

/* What the file must be about: made with it, or held against what is there. Facts whose name begins with '~' may
 * differ. */
struct store_subject {
  const struct sweep_plan *plan;
  const struct store_metric *metrics;
  size_t metric_count;
  const struct store_fact *facts;
  size_t fact_count;
};

/* Opens or makes the file. NULL with the message filled: not a database, of another version, of another sweep (which
 * fact differs), locked by another process, read-only, a full disk. */
struct store *store_open(const char *path, const struct store_subject *subject, char message[PLAN_MESSAGE]);

/* Opens an existing file to read it. */
struct store *store_open_to_read(const char *path, char message[PLAN_MESSAGE]);
void store_close(struct store *store);

bool store_has(struct store *store, const char *key);
uint64_t store_count(struct store *store);

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
bool store_commit(struct store *store, char message[PLAN_MESSAGE]);

/* Adds all rows of another file about the same sweep; those that are there are held to be equal. */
bool store_merge(struct store *store, const char *path, uint64_t *added, char message[PLAN_MESSAGE]);

/* Writes points as CSV, ordered by number. */
bool store_csv(struct store *store, const char *path, char message[PLAN_MESSAGE]);

#endif
