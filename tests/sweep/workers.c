/* Workers: which one does which task, and how often, for each kind of worker. */
#include "sim/base/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sim/base/need.h"
#include "tests/ct.h"

enum { TASKS = 500, MOST = 7 };

struct rig {
  pthread_t caller;
  _Atomic int times[TASKS], begun, ended, elsewhere; /* `elsewhere`: tasks that were not in the caller's thread */
  size_t taken[TASKS], takes, losses, drops, ticks, limit, tick_limit;
  bool away; /* something that belongs to the caller was not in its thread */
};

/* State private to a worker. */
struct seat {
  const struct caller *caller;
  pthread_t thread;
};

static void here(struct rig *rig) { rig->away |= !pthread_equal(pthread_self(), rig->caller); }

static void *begin(void *self, const struct caller *caller) {
  struct rig *rig = self;
  struct seat *seat = need(1, sizeof *seat);
  *seat = (struct seat){caller, pthread_self()};
  rig->begun++;
  return seat;
}

static void end(void *self, void *own) {
  struct rig *rig = self;
  rig->ended++;
  free(own);
}

/* The answer is wrong if the worker is not the seat's. */
static void square(void *self, void *own, size_t task, void *answer) {
  struct rig *rig = self;
  const struct seat *seat = own;
  const size_t before = *(size_t *)answer, result = pthread_equal(seat->thread, pthread_self()) ? task * task : 0;
  rig->times[task]++;
  rig->elsewhere += !pthread_equal(pthread_self(), rig->caller);
  *(size_t *)answer = before + result;
}

enum { GREEDY = 9 }; /* one in this many tasks is exceptional */

/* Runs forever unless it is ended. */
static void wait_for_the_end(void *self, void *own, size_t task, void *answer) {
  const struct seat *seat = own;
  square(self, own, task, answer);
  while (!caller_stops(seat->caller))
    usleep(1000);
}

static bool take(void *self, size_t task, const void *answer) {
  struct rig *rig = self;
  size_t result = 0;
  here(rig);
  memcpy(&result, answer, sizeof result);
  EXPECT_EQ(result, task * task);
  rig->taken[task]++;
  return ++rig->takes < rig->limit;
}

static bool lose(void *self, size_t task, const char *why, bool defect) {
  struct rig *rig = self;
  here(rig);
  EXPECT_STREQ(why, "out of memory");
  EXPECT_EQ(task % GREEDY, 0);
  EXPECT_FALSE(defect);
  rig->losses++;
  return true;
}

static void drop(void *self, const void *answer) {
  struct rig *rig = self;
  (void)answer;
  here(rig);
  rig->drops++;
}

static bool tick(void *self) {
  struct rig *rig = self;
  here(rig);
  return ++rig->ticks < rig->tick_limit;
}

static struct rig *rig_new(void) {
  struct rig *rig = need(1, sizeof *rig);
  rig->caller = pthread_self();
  rig->limit = rig->tick_limit = SIZE_MAX;
  return rig;
}

static bool run(struct rig *rig, void (*work)(void *self, void *own, size_t task, void *answer), size_t tasks,
                unsigned workers) {
  const struct workload all = {.tasks = tasks,
                               .answer_bytes = sizeof(size_t),
                               .self = rig,
                               .begin = begin,
                               .work = work,
                               .end = end,
                               .take = take,
                               .lost = lose,
                               .tick = tick,
                               .drop = drop};
  struct message message = {""};
  const bool good = workers_run(NULL, &all, workers, &message);
  EXPECT_STREQ(message.text, "");
  EXPECT_TRUE(!rig->away);
  EXPECT_EQ(rig->begun, rig->ended + (int)rig->losses); /* a worker that has lost a task starts again */
  return good;
}

TEST(sweep_workers, each_task_is_answered_once_and_each_worker_starts_and_ends_once) {
  for (unsigned workers = 1; workers <= MOST; workers++) {
    ct_freed(ct_free) struct rig *rig = rig_new();
    EXPECT_TRUE(run(rig, square, TASKS, workers));
    ct_note("%u workers", workers);
    for (size_t task = 0; task < TASKS; task++) {
      EXPECT_EQ(rig->times[task], 1);
      EXPECT_EQ(rig->taken[task], 1);
    }
    EXPECT_GE(rig->begun, 1);
    EXPECT_LE(rig->begun, (int)workers);
    EXPECT_EQ(rig->elsewhere, workers == 1 ? 0 : TASKS);
  }
}

TEST(sweep_workers, an_empty_list_of_tasks_finishes_immediately) {
  ct_freed(ct_free) struct rig *rig = rig_new();
  EXPECT_TRUE(run(rig, square, 0, 3));
  EXPECT_EQ(rig->takes, 0);
  EXPECT_EQ(rig->begun, 0);
}

TEST(sweep_workers, no_more_workers_than_tasks_are_started) {
  ct_freed(ct_free) struct rig *rig = rig_new();
  EXPECT_TRUE(run(rig, square, 2, MOST_WORKERS + 1));
  EXPECT_LE(rig->begun, 2);
}

/* Counts the threads of this process. */
static size_t threads(void) {
  unsigned long count = 0;
  char line[200];
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "Threads: %lu", &count) == 1)
      break;
  fclose(file);
  return count;
}

#ifndef __SANITIZE_ADDRESS__ /* the sanitizer itself ends a process that allocates so much */

/* Some tasks ask for more memory than there is, while they hold some. */
static void want_too_much(void *self, void *own, size_t task, void *answer) {
  square(self, own, task, answer);
  if (task % GREEDY)
    return;
  need(100, 1);
  need(SIZE_MAX / 2, 1);
}

TEST(sweep_workers, a_task_out_of_memory_is_lost_and_the_others_finish) {
  for (unsigned workers = 1; workers <= MOST; workers += 3) {
    ct_freed(ct_free) struct rig *rig = rig_new();
    ct_note("%u workers", workers);
    EXPECT_TRUE(run(rig, want_too_much, TASKS, workers));
    for (size_t task = 0; task < TASKS; task++)
      EXPECT_EQ(rig->taken[task], task % GREEDY != 0);
    EXPECT_EQ(rig->losses, (TASKS + GREEDY - 1) / GREEDY);
  }
}

/* A caller that is itself out of memory while it takes an answer: outside its recovery point, no worker is left. */
static bool take_too_much(void *self, size_t task, const void *answer) {
  take(self, task, answer);
  return need(SIZE_MAX / 2, 1);
}

static void run_out(void *self) {
  const struct workload all = {.tasks = TASKS,
                               .answer_bytes = sizeof(size_t),
                               .self = self,
                               .begin = begin,
                               .work = square,
                               .end = end,
                               .take = take_too_much,
                               .lost = lose,
                               .tick = tick,
                               .drop = drop};
  struct message message;
  workers_run(NULL, &all, 3, &message);
}

TEST(sweep_workers, no_worker_outlives_a_caller_that_is_out_of_memory) {
  ct_freed(ct_free) struct rig *rig = rig_new();
  const size_t before = threads();
  size_t wanted = 0;
  EXPECT_FALSE(heap_try(NULL, run_out, rig, &wanted));
  EXPECT_EQ(wanted, SIZE_MAX / 2);
  EXPECT_EQ(rig->takes, 1);
  EXPECT_EQ(rig->begun, rig->ended);
  EXPECT_EQ(threads(), before);
}
#endif

TEST(sweep_workers, the_receiver_of_answers_can_stop_and_no_worker_is_left) {
  for (unsigned workers = 1; workers <= MOST; workers += 3) {
    ct_freed(ct_free) struct rig *rig = rig_new();
    const size_t before = threads();
    rig->limit = 5;
    EXPECT_TRUE(!run(rig, square, TASKS, workers));
    EXPECT_EQ(rig->takes, 5);
    EXPECT_EQ(threads(), before);
    size_t done = 0;
    for (size_t task = 0; task < TASKS; task++)
      done += (size_t)rig->times[task];
    EXPECT_EQ(rig->drops, done - 5);
  }
}

TEST(sweep_workers, running_tasks_are_notified_of_the_end) {
  for (unsigned workers = 1; workers <= MOST; workers += 3) {
    ct_freed(ct_free) struct rig *rig = rig_new();
    rig->tick_limit = 3;
    EXPECT_TRUE(!run(rig, wait_for_the_end, TASKS, workers));
    EXPECT_GE(rig->ticks, 3);
    EXPECT_EQ(rig->takes, 0);
  }
}

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* the sanitizers themselves need address space */
static void *wait_for_mutex(void *mutex) {
  pthread_mutex_lock(mutex);
  pthread_mutex_unlock(mutex);
  return NULL;
}

/* Stacks of ended threads are reused, so the threads here hold all that exist. */
TEST(sweep_workers, without_threads_the_caller_does_all_tasks) {
  enum { HELD = 64, SPARE = 120 << 10, STACK = 8 << 20 };
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_t held[HELD];
  pthread_attr_t attributes;
  struct rlimit before, none;
  unsigned count = 0;
  ct_freed(ct_free) struct rig *rig = rig_new();
  void *spare = need(1, SPARE); /* for allocations in the meantime */
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  getrlimit(RLIMIT_AS, &before);
  none = (struct rlimit){1, before.rlim_max};
  pthread_mutex_lock(&mutex);
  setrlimit(RLIMIT_AS, &none);
  while (count < HELD && pthread_create(&held[count], &attributes, wait_for_mutex, &mutex) == 0)
    count++;
  EXPECT_LT(count, HELD);
  free(spare);
  EXPECT_TRUE(run(rig, square, TASKS, 4));
  setrlimit(RLIMIT_AS, &before);
  pthread_mutex_unlock(&mutex);
  for (unsigned i = 0; i < count; i++)
    pthread_join(held[i], NULL);
  EXPECT_EQ(rig->elsewhere, 0);
  EXPECT_EQ(rig->takes, TASKS);
  pthread_attr_destroy(&attributes);
}
#endif
