/* Workers that are threads. Each has two answers, so that it can work on one while the other waits for the caller. A
 * worker with two finished answers waits. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "sim/base/need.h"
#include "sim/base/signals.h"
#include "sim/base/workers.h"

enum {
  TICK_MS = 100,
  STACK_BYTES = 8 << 20 /* the usual stack of a process, whatever limit the user has set */
};

struct worker {
  struct pool *pool;
  pthread_t thread;
  struct worker_state state;
  unsigned char *answer;  /* in progress */
  unsigned char *waiting; /* for the caller, while `full` */
  size_t task;
  const char *why; /* why the task is lost; NULL: it is answered */
  bool full;
  bool left; /* work ended while this worker still had an answer in `answer` */
};

struct pool {
  const struct workload *work;
  struct caller caller; /* for tasks that ask whether to stop */
  atomic_size_t next;   /* the next task */
  atomic_bool ended;
  pthread_mutex_t mutex; /* protects `running` and the waiting answers */
  pthread_cond_t answered, taken;
  unsigned running; /* threads that have not ended */
  unsigned workers, started;
  struct worker worker[MOST_WORKERS];
};

/* ---- in a worker ------------------------------------------------------------------------------------ */

static bool stops(void *self) {
  const struct pool *pool = self;
  return atomic_load(&pool->ended);
}

static void post_answer(struct worker *worker, size_t task, const char *why) {
  struct pool *pool = worker->pool;
  pthread_mutex_lock(&pool->mutex);
  while (worker->full && !atomic_load(&pool->ended))
    pthread_cond_wait(&pool->taken, &pool->mutex);
  worker->left = worker->full && !why;
  if (!worker->full) {
    unsigned char *spare = worker->waiting;
    worker->waiting = worker->answer;
    worker->answer = spare;
    worker->task = task;
    worker->why = why;
    worker->full = true;
  }
  pthread_mutex_unlock(&pool->mutex);
  pthread_cond_signal(&pool->answered);
}

static void *work_on(void *self) {
  struct worker *worker = self;
  struct pool *pool = worker->pool;
  leave_signals_to_others();
  for (size_t task; !atomic_load(&pool->ended) && (task = atomic_fetch_add(&pool->next, 1)) < pool->work->tasks;)
    post_answer(worker, task, worker_try(&worker->state, task, worker->answer));
  worker_end(&worker->state);
  pthread_mutex_lock(&pool->mutex);
  pool->running--;
  pthread_cond_signal(&pool->answered);
  pthread_mutex_unlock(&pool->mutex);
  return NULL;
}

/* ---- in the caller ------------------------------------------------------------------------------------ */

/* A worker whose answer can be taken, or NULL. */
static struct worker *find_full(struct pool *pool) {
  for (unsigned i = 0; i < pool->workers; i++)
    if (pool->worker[i].full)
      return &pool->worker[i];
  return NULL;
}

/* Releases the mutex during the call, because taking an answer may take long. */
static void take_answer(struct pool *pool, struct worker *worker) {
  const struct workload *work = pool->work;
  pthread_mutex_unlock(&pool->mutex);
  const char *why = worker->why;
  const bool more = why ? work->lost(work->self, worker->task, why, worker_is_defect(why))
                        : work->take(work->self, worker->task, worker->waiting);
  pthread_mutex_lock(&pool->mutex);
  worker->full = false;
  if (!more)
    atomic_store(&pool->ended, true);
  pthread_cond_broadcast(&pool->taken);
}

static void tick(struct pool *pool) {
  pthread_mutex_unlock(&pool->mutex);
  if (!pool->work->tick(pool->work->self))
    atomic_store(&pool->ended, true);
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_broadcast(&pool->taken);
}

static void wait_for_answers(struct pool *pool) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += TICK_MS * 1000000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait(&pool->answered, &pool->mutex, &until);
}

static void attend(void *self) {
  struct pool *pool = self;
  pthread_mutex_lock(&pool->mutex);
  for (;;) {
    struct worker *worker;
    while (!atomic_load(&pool->ended) && (worker = find_full(pool)))
      take_answer(pool, worker);
    if (atomic_load(&pool->ended) || !pool->running)
      break;
    wait_for_answers(pool);
    tick(pool);
  }
  pthread_mutex_unlock(&pool->mutex);
}

static void make_answers(struct pool *pool, unsigned workers) {
  for (pool->workers = 0; pool->workers < workers; pool->workers++)
    pool->worker[pool->workers] = (struct worker){.pool = pool,
                                                  .state = {.work = pool->work, .caller = &pool->caller},
                                                  .answer = need(1, pool->work->answer_bytes),
                                                  .waiting = need(1, pool->work->answer_bytes)};
}

static void start(struct pool *pool) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  pthread_mutex_lock(&pool->mutex);
  while (pool->started < pool->workers &&
         pthread_create(&pool->worker[pool->started].thread, &attributes, work_on, &pool->worker[pool->started]) == 0)
    pool->started++;
  pool->running = pool->started;
  pthread_mutex_unlock(&pool->mutex);
  pthread_attr_destroy(&attributes);
}

static struct pool *pool_new(const struct workload *work, unsigned workers) {
  struct pool *pool = need(1, sizeof *pool);
  pthread_condattr_t attributes;
  pool->work = work;
  pool->caller = (struct caller){.self = pool, .stops = stops};
  make_answers(pool, workers < work->tasks ? workers : (unsigned)work->tasks);
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&pool->answered, &attributes);
  pthread_cond_init(&pool->taken, NULL);
  pthread_condattr_destroy(&attributes);
  return pool;
}

static void drop_answers(const struct pool *pool, const struct worker *worker) {
  const struct workload *work = pool->work;
  if (work->drop && worker->full && !worker->why)
    work->drop(work->self, worker->waiting);
  if (work->drop && worker->left)
    work->drop(work->self, worker->answer);
}

/* Ends all threads: none outlives the call. */
static void stop(struct pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  atomic_store(&pool->ended, true);
  pthread_cond_broadcast(&pool->taken);
  pthread_mutex_unlock(&pool->mutex);
  for (unsigned i = 0; i < pool->started; i++) {
    pthread_join(pool->worker[i].thread, NULL);
    drop_answers(pool, &pool->worker[i]);
  }
  pthread_cond_destroy(&pool->taken);
  pthread_cond_destroy(&pool->answered);
  pthread_mutex_destroy(&pool->mutex);
}

static void pool_free(struct pool *pool) {
  for (unsigned i = 0; i < pool->workers; i++) {
    free(pool->worker[i].answer);
    free(pool->worker[i].waiting);
  }
  free(pool);
}

static bool run_threads(const struct workload *work, unsigned workers, struct message *message) {
  if (workers < 2)
    return serial_workers.run(work, 1, message);
  struct pool *pool = pool_new(work, workers < MOST_WORKERS ? workers : MOST_WORKERS);
  size_t wanted = 0;
  start(pool);
  /* take_answer() may run out of memory. Threads use data in the frames of the caller, so they must end first. */
  const bool taken = heap_pass(attend, pool, &wanted), good = !atomic_load(&pool->ended), none = !pool->started;
  stop(pool);
  if (!taken)
    heap_out(wanted);
  pool_free(pool);
  return none ? serial_workers.run(work, 1, message) : good;
}

const struct worker_pool thread_workers = {run_threads};
