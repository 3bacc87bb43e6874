/* One call of `warpwait sweep run`: the points that are to be run, the file that they go to, and who waits for them.
 *
 * Invariant: the file alone knows which points are done; what this process does with it is looked up there before
 * anything is run. */
#ifndef SIM_SWEEP_SESSION_H
#define SIM_SWEEP_SESSION_H

#include "sim/base/text.h"
#include "sim/sweep/functional.h"

/* Points that are run in one call, of a grid of so many: a list of them is kept. */
enum { SESSION_POINTS = 10000000, SESSION_GRID = 1000000000 };

/* Numbers of points in order, each once. */
struct session_points {
  uint64_t *number; /* NULL: all */
  size_t count;
};

/* Reads a file with a number on each line, below `grid`. The caller frees them, whatever comes back. */
bool session_points_read(const char *path, uint64_t grid, struct session_points *points, struct message *message);

struct session_options {
  struct reads *reads;
  struct session_points points;
  uint64_t jobs, shard, shards, limit; /* `limit`: points that are run at most */
  cycle_t max_cycles;                  /* 0: not said */
  const struct caller *caller;
  bool again; /* points that were refused, or that failed, are run once more */
};

struct session {
  const struct session_options *options;
  struct sweep_plan *plan;
  struct sweep_target target;
  struct sweep_metrics metrics;
  struct store *store; /* NULL: of a dry run */
  struct sweep_run run;
  bool known;              /* the file has points already */
  uint64_t there;          /* points that the file had already */
  uint64_t asked;          /* of the plan and the shard, constraints held */
  uint64_t done;           /* of run.tasks */
  uint64_t pending;        /* rows since the last commit */
  double start, committed; /* seconds */
  double least;            /* cycles of the best point of this call */
  char *best;              /* its key */
  double replay_seconds;
  struct message message; /* of the file, when a row could not be written */
};

/* Reads what the plan names, opens the file `out` unless that is NULL, and lists the points that it has not. The caller
 * closes the session, whatever comes back. */
bool session_open(struct session *session, struct sweep_plan *plan, const struct session_options *options,
                  const char *out, struct message *message);
void session_close(struct session *session);

/* Runs the points. False with the message filled, also when the caller has stopped it. */
bool session_run(struct session *session, struct message *message);

/* Runs a few points, keeps nothing, and says how many there are and how long all would take. */
bool session_estimate(struct session *session, struct text *text, struct message *message);

/* Says what the file has now. */
bool session_sum_up(struct session *session, const char *out, struct text *text, struct message *message);

#endif
