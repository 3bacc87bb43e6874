/* A crew: it does every share once in each round, failures reach the caller, and a forked child can continue. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/crew.h"
#include "sim/base/heap.h"
#include "sim/base/need.h"
#include "tests/ct.h"

CT_FREES(struct crew, crew_free)

enum { SHARES = 7, ROUNDS = 3000 };

struct work {
  unsigned done[SHARES];
  unsigned failing; /* this share fails; SHARES: none */
  bool defect;      /* the share fails by a broken invariant; otherwise by running out of memory */
  struct crew *crew;
  unsigned rounds;
};

static void do_share(void *self, unsigned share) {
  struct work *work = self;
  work->done[share]++;
  if (share != work->failing)
    free(need(1, 100 + share));
  else if (work->defect)
    heap_defect("one is two", "crew_test.c", 1, "do_share");
  else
    need(SIZE_MAX / 2, 1);
}

static void do_rounds(void *self) {
  struct work *work = self;
  for (unsigned i = 0; i < work->rounds; i++)
    crew_round(work->crew);
}

static void expect_done(const struct work *work, unsigned times) {
  for (unsigned i = 0; i < SHARES; i++)
    EXPECT_EQ(work->done[i], times);
}

TEST(crew, any_number_of_threads_does_every_share_once_per_round) {
  for (unsigned threads = 1; threads <= 4; threads++) {
    struct work work = {.failing = SHARES, .rounds = ROUNDS};
    work.crew = crew_new(threads, SHARES, do_share, &work);
    ct_note("%u threads", threads);
    ASSERT_TRUE(work.crew != NULL);
    do_rounds(&work);
    expect_done(&work, ROUNDS);
    EXPECT_TRUE(heap_try(NULL, do_rounds, &work, NULL));
    expect_done(&work, 2 * ROUNDS);
    crew_free(work.crew);
  }
}

TEST(crew, a_failure_in_a_share_fails_in_the_caller_after_the_round) {
  for (unsigned defect = 0; defect < 2; defect++) {
    struct work work = {.failing = 3, .defect = defect, .rounds = 2};
    size_t wanted = 0;
    work.crew = crew_new(3, SHARES, do_share, &work);
    ASSERT_TRUE(work.crew != NULL);
    work.failing = SHARES;
    do_rounds(&work);
    expect_done(&work, 2);
    work.failing = 3;
    EXPECT_FALSE(heap_try(NULL, do_rounds, &work, &wanted));
    EXPECT_EQ(wanted, defect ? HEAP_DEFECT : SIZE_MAX / 2);
    EXPECT_EQ(strstr(heap_defect_text(), "one is two") != NULL, defect);
    expect_done(&work, 3);
    work.failing = SHARES;
    EXPECT_TRUE(heap_try(NULL, do_rounds, &work, &wanted));
    expect_done(&work, 5);
    crew_free(work.crew);
  }
}

static void *block;

static void keep(void *self, unsigned share) {
  (void)self;
  if (share == 1)
    block = need(1, 10);
}

static void make_crew(void *self) { *(struct crew **)self = crew_new(2, 2, keep, NULL); }

static void keep_round(void *self) { crew_round(self); }

TEST(crew, allocations_of_shares_are_in_the_caller_s_pool_and_freed_with_the_crew) {
  struct heap_pool pool = {0};
  struct crew *crew = NULL;
  ASSERT_TRUE(heap_try(&pool, make_crew, &crew, NULL));
  const size_t before = pool.count;
  for (unsigned i = 0; i < 100; i++) {
    ASSERT_TRUE(heap_try(&pool, keep_round, crew, NULL));
    EXPECT_EQ(pool.count, before + i + 1);
  }
  heap_pool_empty(&pool); /* frees the crew's threads and the crew too */
}

static void do_without(void *self, unsigned share) {
  (void)self;
  if (share == 1)
    free(malloc(SIZE_MAX / 2));
}

struct refusal {
  unsigned threads;
  size_t before, after; /* bytes refused to the caller, before and after a round */
};

static void refuse_one(void *self) {
  struct refusal *refusal = self;
  ct_freed(crew_free_at) struct crew *crew = crew_new(refusal->threads, 2, do_without, NULL);
  refusal->before = heap_refused();
  crew_round(crew);
  refusal->after = heap_refused();
}

TEST(crew, memory_refused_to_a_share_counts_as_refused_to_the_caller) {
  for (unsigned threads = 1; threads <= 3; threads++) {
    struct refusal refusal = {.threads = threads};
    ASSERT_TRUE(heap_try(NULL, refuse_one, &refusal, NULL));
    EXPECT_EQ(refusal.before, 0);
    EXPECT_EQ(refusal.after, SIZE_MAX / 2);
  }
}

TEST(crew, a_child_process_has_its_own_threads) {
  struct work work = {.failing = SHARES, .rounds = ROUNDS};
  int status = 1;
  work.crew = crew_new(3, SHARES, do_share, &work);
  ASSERT_TRUE(work.crew != NULL);
  do_rounds(&work);
  const pid_t child = fork();
  if (child == 0) {
    do_rounds(&work);
    crew_free(work.crew);
    _exit(work.done[SHARES - 1] == 2 * ROUNDS ? 0 : 1);
  }
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  do_rounds(&work);
  expect_done(&work, 2 * ROUNDS);
  crew_free(work.crew);
}

TEST(crew, an_idle_crew_has_no_threads) {
  struct work work = {.failing = SHARES};
  work.crew = crew_new(3, SHARES, do_share, &work);
  ASSERT_TRUE(work.crew != NULL);
  crew_free(work.crew);
}
