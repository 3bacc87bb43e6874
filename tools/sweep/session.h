/* One call of `warpwait sweep run`: the points to run, the file for the results, and the caller.
 *
 * Invariant: only the file records which points are done. A session looks them up before it runs anything. */
#ifndef TOOLS_SWEEP_SESSION_H
#define TOOLS_SWEEP_SESSION_H

#include "sim/base/text.h"
#include "tools/sweep/functional.h"

/* Most points that one call runs, and most points of a grid that it lists. */
enum { SESSION_POINTS = 10000000, SESSION_GRID = 1000000000 };

/* Numbers of points, ascending, each once. */
struct session_points {
  uint64_t *number; /* NULL: all */
  size_t count;
};

/* Reads a file with one number below `grid` on each line. The caller frees the numbers, also after a failure. */
bool session_points_read(const char *path, uint64_t grid, struct session_points *points, struct message *message);

struct session_options {
  struct reads *reads;
  struct session_points points;
  uint64_t jobs, shard, shards, limit; /* `limit`: most points to run */
  cycle_t max_cycles;                  /* 0: default */
  const struct caller *caller;
  bool again; /* run points again that were refused or failed */
};

struct session {
  const struct session_options *options;
  struct sweep_plan *plan;
  struct sweep_target target;
  struct sweep_metrics metrics;
  struct store *store; /* NULL: none, or a dry run */
  struct sweep_run run;
  bool known;              /* the file already has points */
  uint64_t there;          /* points that the file already had */
  uint64_t asked;          /* points of the plan and the shard that satisfy the constraints */
  uint64_t done;           /* finished tasks of `run` */
  uint64_t pending;        /* rows since the last commit */
  double start, committed; /* seconds */
  double least;            /* cycles of the best point of this session */
  char *best;              /* its key */
  double replay_seconds;
  struct message message; /* about the file, when a row could not be written */
};

/* Reads what the plan names, opens the file `out` unless that is NULL, and lists the points that it does not have. The
 * caller closes the session, also after a failure. */
bool session_open(struct session *session, struct sweep_plan *plan, const struct session_options *options,
                  const char *out, struct message *message);
void session_close(struct session *session);

/* Runs the points. False with the message filled, also when the caller stops it. */
bool session_run(struct session *session, struct message *message);

/* Runs a few points without storing them, and reports the number of points and the estimated time for all. */
bool session_estimate(struct session *session, struct text *text, struct message *message);

/* Summarizes what the file contains now. */
bool session_sum_up(struct session *session, const char *out, struct text *text, struct message *message);

#endif
