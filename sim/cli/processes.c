#include "sim/cli/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/message.h"
#include "sim/base/need.h"
#include "sim/base/put.h"

enum { TICK_MS = 100, UNANSWERED = 4 /* exit status of a worker whose answer could not be written */ };

struct worker {
  pid_t pid; /* 0: no worker */
  int pipe;
  unsigned char *bytes; /* a partially received answer */
  size_t filled;
};

/* Shared by all processes. */
struct counter {
  _Atomic size_t next;             /* index of the next task */
  _Atomic size_t at[MOST_WORKERS]; /* 1 + the task of each worker; 0: none */
};

struct fate {
  bool done;
  unsigned char deaths, kills;
};

struct pool {
  const struct workload *work;
  struct worker worker[MOST_WORKERS];
  unsigned workers;
  struct counter *counter;
  size_t *todo, todo_count; /* this round's tasks */
  struct fate *fate;        /* one per task */
  unsigned char *answer;    /* a worker's buffer: the task's number, then the answer */
  size_t size;
  bool ended;
};

/* ---- in a worker ------------------------------------------------------------------------------------ */

/* SIGINT from a terminal is for the parent, which ends its workers. A worker builds thousands of machines, so it keeps
 * freed memory for the next one, except for large arrays: the system zeroes those more cheaply. */
static void settle_in(pid_t parent) {
  static const int ends[] = {SIGTERM, SIGHUP, SIGPIPE};
  mallopt(M_TOP_PAD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  mallopt(M_MMAP_THRESHOLD, 32 << 10);
  signal(SIGINT, SIG_IGN);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    signal(ends[i], SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1);
}

static void quote(void *self, const char *line) {
  (void)self;
  fprintf(stderr, "%s\n", line);
}

/* Workers need not poll: to stop the work, the parent kills them. */
static const struct caller nobody = {.quote = quote};

struct shift {
  struct pool *pool;
  unsigned number;
  int file;
};

static void work_on(void *self) {
  const struct shift *shift = self;
  struct pool *pool = shift->pool;
  const struct workload *work = pool->work;
  void *own = NULL;
  for (size_t place; (place = atomic_fetch_add(&pool->counter->next, 1)) < pool->todo_count;) {
    const size_t task = pool->todo[place];
    atomic_store(&pool->counter->at[shift->number], task + 1);
    memset(pool->answer, 0, pool->size);
    memcpy(pool->answer, &task, sizeof task);
    if (work->begin && !own)
      own = work->begin(work->self, &nobody);
    work->work(work->self, own, task, pool->answer + sizeof task);
    if (!put_all(shift->file, pool->answer, pool->size))
      _exit(UNANSWERED); /* the parent has closed the pipe, or the system fails to write */
  }
}

/* ---- in the parent ------------------------------------------------------------------------------------ */

static bool start(struct pool *pool, unsigned number) {
  struct worker *worker = &pool->worker[number];
  const pid_t parent = getpid();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return false;
  atomic_store(&pool->counter->at[number], 0);
  fflush(NULL);
  worker->pid = fork();
  if (worker->pid == 0) {
    settle_in(parent);
    /* After an out-of-memory error the parent reports it, once for all affected workers. */
    _exit(heap_try_last(work_on, &(struct shift){pool, number, ends[1]}, NULL) ? STATUS_FINE : STATUS_BAD_INPUT);
  }
  close(ends[1]);
  if (worker->pid < 0) {
    worker->pid = 0;
    close(ends[0]);
    return false;
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  worker->pipe = ends[0];
  worker->filled = 0;
  return true;
}

static void answered(struct pool *pool, const unsigned char *bytes) {
  size_t task = 0;
  memcpy(&task, bytes, sizeof task);
  if (pool->fate[task].done)
    return;
  pool->fate[task].done = true;
  pool->ended |= !pool->work->take(pool->work->self, task, bytes + sizeof task);
}

static bool ended_with(int status, int exit_status) { return WIFEXITED(status) && WEXITSTATUS(status) == exit_status; }

/* Failures of the system, not defects. */
static bool is_outside(int status) { return ended_with(status, STATUS_BAD_INPUT) || ended_with(status, UNANSWERED); }

/* Why a worker ended, and whether it caused that itself. */
static bool its_own(int status, char why[80]) {
  if (is_outside(status)) {
    snprintf(why, 80, ended_with(status, UNANSWERED) ? "its answer could not be written" : "out of memory");
    return true;
  }
  if (WIFEXITED(status)) {
    snprintf(why, 80, "the process that ran it ended with exit status %d", WEXITSTATUS(status));
    return true;
  }
  snprintf(why, 80, "the process that ran it was killed by SIG%s", sigabbrev_np(WTERMSIG(status)));
  return WTERMSIG(status) != SIGKILL && WTERMSIG(status) != SIGTERM;
}

static void died(struct pool *pool, unsigned number, int status) {
  const size_t at = atomic_load(&pool->counter->at[number]);
  char why[80];
  struct fate *fate = at ? &pool->fate[at - 1] : NULL;
  if (!fate || fate->done)
    return;
  const bool own = its_own(status, why);
  if (own ? ++fate->deaths < PROCESSES_DEATHS : ++fate->kills < PROCESSES_KILLS)
    return;
  fate->done = true;
  pool->ended |= !pool->work->lost(pool->work->self, at - 1, why, !is_outside(status));
}

/* Handles the end of a worker's pipe: the worker has ended. Starts another one if there are more tasks and it
 * failed. */
static void close_worker(struct pool *pool, unsigned number) {
  struct worker *worker = &pool->worker[number];
  int status = 0;
  close(worker->pipe);
  while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
    continue;
  worker->pid = 0;
  if (status)
    died(pool, number, status);
  if (status && !pool->ended && atomic_load(&pool->counter->next) < pool->todo_count)
    start(pool, number);
}

static void listen_to(struct pool *pool, unsigned number) {
  struct worker *worker = &pool->worker[number];
  ssize_t got = 1;
  while (!pool->ended && (got = read(worker->pipe, worker->bytes + worker->filled, pool->size - worker->filled)) > 0) {
    worker->filled += (size_t)got;
    if (worker->filled < pool->size)
      continue;
    worker->filled = 0;
    answered(pool, worker->bytes);
  }
  if (got == 0)
    close_worker(pool, number);
}

static void end_workers(struct pool *pool) {
  for (unsigned i = 0; i < pool->workers; i++)
    if (pool->worker[i].pid) {
      kill(pool->worker[i].pid, SIGKILL);
      close(pool->worker[i].pipe);
      while (waitpid(pool->worker[i].pid, NULL, 0) < 0 && errno == EINTR)
        continue;
      pool->worker[i].pid = 0;
    }
}

static bool listen_to_all(struct pool *pool) {
  struct pollfd polled[MOST_WORKERS];
  unsigned of[MOST_WORKERS];
  nfds_t count = 0;
  for (unsigned i = 0; i < pool->workers; i++)
    if (pool->worker[i].pid) {
      polled[count] = (struct pollfd){.fd = pool->worker[i].pipe, .events = POLLIN};
      of[count++] = i;
    }
  if (!count)
    return false;
  const int ready = poll(polled, count, TICK_MS);
  for (nfds_t i = 0; ready > 0 && i < count && !pool->ended; i++)
    if (polled[i].revents)
      listen_to(pool, of[i]);
  pool->ended |= !pool->work->tick(pool->work->self);
  return !pool->ended;
}

/* Deals all tasks that are neither answered nor lost. False if no worker could be started. */
static bool dispatch(struct pool *pool) {
  bool any = false;
  pool->todo_count = 0;
  for (size_t task = 0; task < pool->work->tasks; task++)
    if (!pool->fate[task].done)
      pool->todo[pool->todo_count++] = task;
  if (!pool->todo_count)
    return true;
  atomic_store(&pool->counter->next, 0);
  for (unsigned i = 0; i < pool->workers && i < pool->todo_count; i++)
    any |= start(pool, i);
  while (listen_to_all(pool))
    continue;
  end_workers(pool);
  return any && !pool->ended;
}

static bool all_done(const struct pool *pool) {
  for (size_t task = 0; task < pool->work->tasks; task++)
    if (!pool->fate[task].done)
      return false;
  return true;
}

static bool fail(struct message *message) {
  return message_fail(message, "no process could be started; are there too many already? --jobs N starts N");
}

/* Ends if all tasks are done, if the caller stops the work, or if no worker can be started. */
static bool run_all(struct pool *pool, struct message *message) {
  while (!all_done(pool))
    if (!dispatch(pool))
      return !pool->ended && fail(message);
  return true;
}

static bool run_processes(const struct workload *work, unsigned workers, struct message *message) {
  void *shared = mmap(NULL, sizeof(struct counter), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    return fail(message);
  struct pool *pool = need(1, sizeof *pool);
  pool->work = work;
  pool->workers = workers < MOST_WORKERS ? workers : MOST_WORKERS;
  pool->counter = shared;
  pool->todo = need(work->tasks, sizeof *pool->todo);
  pool->fate = need(work->tasks, sizeof *pool->fate);
  pool->size = sizeof(size_t) + work->answer_bytes;
  pool->answer = need(pool->size, 1);
  for (unsigned i = 0; i < pool->workers; i++)
    pool->worker[i].bytes = need(pool->size, 1);
  const bool good = run_all(pool, message);
  for (unsigned i = 0; i < pool->workers; i++)
    free(pool->worker[i].bytes);
  free(pool->answer);
  free(pool->fate);
  free(pool->todo);
  free(pool);
  munmap(shared, sizeof(struct counter));
  return good;
}

const struct worker_pool processes = {run_processes};
