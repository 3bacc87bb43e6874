#include "sim/cli/processes.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/need.h"
#include "tests/ct.h"

enum { TASKS = 200, WORKERS = 3, DIES = 17, KILLED = 40, EXITS = 60 };

/* What work() has done, visible to all processes. */
struct seen {
  int times[TASKS];
};

struct rig {
  struct seen *seen;
  size_t taken[TASKS], takes, losses, lost, defects, limit;
  char why[100];
};

static struct rig rig_new(void) {
  struct rig rig = {.limit = TASKS + 1};
  rig.seen = mmap(NULL, sizeof *rig.seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return rig;
}

static void rig_free(struct rig *rig) { munmap(rig->seen, sizeof *rig->seen); }

static void square(void *self, void *own, size_t task, void *answer) {
  struct rig *rig = self;
  (void)own;
  const size_t result = task * task;
  rig->seen->times[task]++;
  memcpy(answer, &result, sizeof result);
}

static void die(void *self, void *own, size_t task, void *answer) {
  square(self, own, task, answer);
  signal(SIGSEGV, SIG_DFL); /* sanitizers install their own handler */
  if (task == DIES)
    raise(SIGSEGV);
}

static void leave(void *self, void *own, size_t task, void *answer) {
  square(self, own, task, answer);
  if (task == EXITS)
    _exit(3);
}

#ifndef __SANITIZE_ADDRESS__ /* the sanitizer itself ends a process that allocates so much */
static void want_too_much(void *self, void *own, size_t task, void *answer) {
  square(self, own, task, answer);
  if (task == EXITS)
    free(need(SIZE_MAX / 2, 1));
}
#endif

/* Dies the first time. */
static void be_killed(void *self, void *own, size_t task, void *answer) {
  const struct rig *rig = self;
  square(self, own, task, answer);
  if (task == KILLED && rig->seen->times[task] == 1)
    kill(getpid(), SIGKILL);
}

static bool take(void *self, size_t task, const void *answer) {
  struct rig *rig = self;
  size_t result = 0;
  memcpy(&result, answer, sizeof result);
  EXPECT_EQ(result, task * task);
  rig->taken[task]++;
  return ++rig->takes < rig->limit;
}

static bool lose(void *self, size_t task, const char *why, bool defect) {
  struct rig *rig = self;
  rig->defects += defect;
  rig->losses++;
  rig->lost = task;
  strcpy(rig->why, why);
  return true;
}

static bool tick(void *self) {
  (void)self;
  return true;
}

static bool run(struct rig *rig, void (*work)(void *self, void *own, size_t task, void *answer), size_t tasks) {
  const struct workload all = {.tasks = tasks,
                               .answer_bytes = sizeof(size_t),
                               .self = rig,
                               .work = work,
                               .take = take,
                               .lost = lose,
                               .tick = tick};
  struct message message = {""};
  const bool good = workers_run(&processes, &all, WORKERS, &message);
  EXPECT_STREQ(message.text, "");
  return good;
}

static void check_taken_but(const struct rig *rig, size_t lost) {
  for (size_t task = 0; task < TASKS; task++)
    EXPECT_EQ(rig->taken[task], task == lost ? 0 : 1);
}

TEST(processes, each_task_is_answered_once) {
  ct_freed(rig_free) struct rig rig = rig_new();
  EXPECT_TRUE(run(&rig, square, TASKS));
  check_taken_but(&rig, TASKS);
  for (size_t task = 0; task < TASKS; task++)
    EXPECT_EQ(rig.seen->times[task], 1);
}

TEST(processes, an_empty_list_of_tasks_finishes_immediately) {
  ct_freed(rig_free) struct rig rig = rig_new();
  EXPECT_TRUE(run(&rig, square, 0));
  EXPECT_EQ(rig.takes, 0);
}

TEST(processes, a_task_whose_worker_dies_twice_is_lost_and_the_others_finish) {
  ct_freed(rig_free) struct rig rig = rig_new();
  EXPECT_TRUE(run(&rig, die, TASKS));
  check_taken_but(&rig, DIES);
  EXPECT_EQ(rig.seen->times[DIES], PROCESSES_DEATHS);
  EXPECT_EQ(rig.losses, 1);
  EXPECT_EQ(rig.lost, DIES);
  EXPECT_EQ(rig.defects, 1);
  EXPECT_CONTAINS(rig.why, "SIGSEGV");
}

TEST(processes, a_worker_that_exits_counts_as_dead) {
  ct_freed(rig_free) struct rig rig = rig_new();
  EXPECT_TRUE(run(&rig, leave, TASKS));
  check_taken_but(&rig, EXITS);
  EXPECT_CONTAINS(rig.why, "exit status 3");
}

#ifndef __SANITIZE_ADDRESS__
TEST(processes, a_worker_out_of_memory_is_no_internal_error) {
  ct_freed(rig_free) struct rig rig = rig_new();
  EXPECT_TRUE(run(&rig, want_too_much, TASKS));
  check_taken_but(&rig, EXITS);
  EXPECT_EQ(rig.losses, 1);
  EXPECT_EQ(rig.defects, 0);
  EXPECT_STREQ(rig.why, "out of memory");
}
#endif

TEST(processes, a_killed_workers_task_is_assigned_again) {
  ct_freed(rig_free) struct rig rig = rig_new();
  EXPECT_TRUE(run(&rig, be_killed, TASKS));
  check_taken_but(&rig, TASKS);
  EXPECT_EQ(rig.seen->times[KILLED], 2);
  EXPECT_EQ(rig.losses, 0);
}

TEST(processes, the_receiver_of_answers_can_stop_and_no_worker_is_left) {
  ct_freed(rig_free) struct rig rig = rig_new();
  rig.limit = 5;
  EXPECT_TRUE(!run(&rig, square, TASKS));
  EXPECT_EQ(rig.takes, 5);
  EXPECT_EQ(waitpid(-1, NULL, WNOHANG), -1);
}
