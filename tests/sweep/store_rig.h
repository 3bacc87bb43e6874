/* A small plan, its points, and result files, for the tests of the store. */
#ifndef TESTS_SWEEP_STORE_RIG_H
#define TESTS_SWEEP_STORE_RIG_H

#include "tools/sweep/store.h"

/* dma.channels = 1 2 4, define.T = half float 1.5 010, machine = h200 "my,machine"; cycles, microseconds, and "odd
 * name"; facts "kernel.cl", "seed" and "~host". */
extern const struct sweep_plan rig_plan;
extern const struct store_subject rig_subject;
enum { RIG_POINTS = 24 };

/* The row of a point; it depends only on the point's number. Every seventh is a deadlock. What it points to lives until
 * the next call. */
struct store_row rig_row(uint64_t number);

/* "FOLDER/name" in the test's own folder, which is emptied when the program ends; the last 8 results stay valid. */
const char *rig_path(const char *name);
bool rig_exists(const char *name);
void rig_remove(const char *name);

/* Opens it, or fails the test. */
struct store *rig_open(const char *name);

/* Adds the points from `first` on, every `of`-th of them, commits, and closes. */
void rig_fill(const char *name, uint64_t first, uint64_t of);

/* The result of a query through a separate connection, cells separated by '|' and rows by newlines; valid until the
 * next call. */
const char *rig_query(const char *name, const char *sql);

/* The last message of another process, or "". As root, it first becomes nobody if the test needs a user without root's
 * rights. The text lives until the next call. */
typedef void rig_child(struct message *message);
const char *rig_ask(rig_child *child, bool nobody);

/* All rows of `points`, by key. */
const char *rig_points(const char *name);

#endif
