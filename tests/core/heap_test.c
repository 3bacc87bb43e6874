/* Recovery points, where out of memory ends. The sanitizer finds leaks. */
#include <assert.h>
#include <locale.h>

#include "sim/base/heap.h"
#include "sim/base/need.h"
#include "tests/ct.h"

enum { SOME = 1000 };

struct work {
  struct heap_pool pool;
  void *outside; /* a block that belongs to somebody else */
  int dropped, held[3];
  bool runs_out;
};

static void note_drop(void *thing) {
  int *held = thing;
  *held = 1;
}

static void allocate_some(void *self) {
  struct work *work = self;
  void *block[SOME];
  for (int i = 0; i < SOME; i++)
    block[i] = need(1, (size_t)i);
  for (int i = 0; i < SOME; i += 2)
    free(block[i]);
  for (int i = 1; i < SOME; i += 2)
    block[i] = need_more(block[i], 3, (size_t)i);
  work->outside = need_more(work->outside, 1 << 20, 1);
  for (int i = 0; i < 3; i++)
    heap_hold(note_drop, &work->held[i]);
  heap_release(&work->held[1]);
  if (work->runs_out)
    need(SIZE_MAX / 4, 2);
  heap_release(&work->held[0]);
  heap_release(&work->held[2]);
}

TEST(heap, a_pool_lists_what_the_work_left_allocated) {
  struct work work = {.outside = malloc(1)};
  EXPECT_TRUE(heap_try(&work.pool, allocate_some, &work, NULL));
  EXPECT_EQ(work.pool.count, SOME / 2);
  EXPECT_EQ(work.held[0] + work.held[1] + work.held[2], 0);
  heap_pool_empty(&work.pool);
  EXPECT_EQ(work.pool.count, 0);
  free(work.outside);
}

TEST(heap, out_of_memory_empties_the_pool_and_drops_held_resources) {
  struct work work = {.outside = malloc(1), .runs_out = true};
  size_t wanted = 0;
  EXPECT_FALSE(heap_try(&work.pool, allocate_some, &work, &wanted));
  EXPECT_EQ(wanted, SIZE_MAX / 4 * 2);
  EXPECT_EQ(work.pool.count, 0);
  EXPECT_EQ(work.pool.room, 0);
  EXPECT_EQ(work.held[0], 1);
  EXPECT_EQ(work.held[1], 0);
  EXPECT_EQ(work.held[2], 1);
  memset(work.outside, 1, 1 << 20); /* it moved and still belongs to its owner */
  free(work.outside);
}

/* A block that leaves the pool, and one that stays. */
static void disown_one(void *self) {
  struct work *work = self;
  work->outside = need_copy("kept");
  need(1, 1);
  heap_disown(work->outside);
  heap_disown(NULL);
  if (work->runs_out)
    need(SIZE_MAX / 2, 1);
}

TEST(heap, a_disowned_block_outlives_the_pool) {
  struct work work = {.runs_out = false};
  EXPECT_TRUE(heap_try(&work.pool, disown_one, &work, NULL));
  EXPECT_EQ(work.pool.count, 1);
  heap_pool_empty(&work.pool);
  EXPECT_STREQ((const char *)work.outside, "kept");
  free(work.outside);
#ifndef __SANITIZE_ADDRESS__
  work.runs_out = true;
  EXPECT_FALSE(heap_try(&work.pool, disown_one, &work, NULL));
  EXPECT_STREQ((const char *)work.outside, "kept");
  free(work.outside);
#endif
}

TEST(heap, a_block_size_that_overflows_is_refused) { EXPECT_TRUE(reallocarray(NULL, SIZE_MAX, 2) == NULL); }

static void nest(void *self) {
  struct work *work = self;
  struct work inner = {.runs_out = true};
  ct_freed(ct_free) char *kept = need_copy("kept");
  EXPECT_FALSE(heap_try(NULL, allocate_some, &inner, NULL));
  EXPECT_STREQ(kept, "kept");
  inner.runs_out = false;
  inner.outside = NULL;
  EXPECT_TRUE(heap_try(&inner.pool, allocate_some, &inner, NULL));
  work->dropped = (int)inner.pool.count;
  heap_pool_empty(&inner.pool);
}

TEST(heap, an_inner_recovery_point_does_not_affect_the_outer_one) {
  struct work work = {.outside = NULL};
  EXPECT_TRUE(heap_try(&work.pool, nest, &work, NULL));
  EXPECT_EQ(work.dropped, SOME / 2 + 1); /* and the block that belonged to nobody before */
  EXPECT_EQ(work.pool.count, 0);
  heap_pool_empty(&work.pool);
}

/* Work that is passed through: its blocks are listed with those of the caller. */
struct passed {
  bool runs_out, came_back;
  size_t wanted;
};

static void need_some(void *self) {
  const struct passed *passed = self;
  need(10, 1);
  if (passed->runs_out)
    need(SIZE_MAX / 2, 1);
}

static void pass(void *self) {
  struct passed *passed = self;
  need(20, 1);
  passed->came_back = !heap_pass(need_some, passed, &passed->wanted);
  if (passed->came_back)
    heap_out(passed->wanted);
}

TEST(heap, an_intermediate_caller_learns_first_of_out_of_memory) {
  struct heap_pool pool = {0};
  struct passed passed = {.runs_out = false};
  EXPECT_TRUE(heap_try(&pool, pass, &passed, NULL));
  EXPECT_FALSE(passed.came_back);
  EXPECT_EQ(pool.count, 2);
#ifndef __SANITIZE_ADDRESS__
  size_t wanted = 0;
  passed.runs_out = true;
  EXPECT_FALSE(heap_try(&pool, pass, &passed, &wanted));
  EXPECT_TRUE(passed.came_back);
  EXPECT_EQ(wanted, SIZE_MAX / 2);
  EXPECT_EQ(pool.count, 0);
#endif
  heap_pool_empty(&pool);
}

struct churn {
  struct heap_pool pool;
  uint64_t random;
  void *block[SOME];
  size_t live;
};

static void churn(void *self) {
  struct churn *churn = self;
  for (int i = 0; i < 200 * SOME; i++) {
    void **block = &churn->block[ct_random(&churn->random) % SOME];
    const size_t size = 1 + ct_random(&churn->random) % 300;
    churn->live += !*block;
    if (*block && size % 2) {
      free(*block);
      *block = NULL;
      churn->live--;
    } else {
      *block = *block ? need_more(*block, size, 1) : need(size, 1);
    }
  }
}

TEST(heap, the_table_is_correct_for_any_order_of_calls) {
  struct churn state = {.random = 7};
  for (int i = 0; i < 3; i++) {
    EXPECT_TRUE(heap_try(&state.pool, churn, &state, NULL));
    EXPECT_EQ(state.pool.count, state.live);
  }
  heap_pool_empty(&state.pool);
}

/* ---- internal errors
 * ---------------------------------------------------------------------------------------------- */

static void break_one(void *self) {
  struct work *work = self;
  need(10, 1);
  heap_hold(note_drop, &work->held[0]);
  assert(work->runs_out && "this is a test");
}

static void pass_broken(void *self) {
  size_t wanted = 0;
  EXPECT_FALSE(heap_pass(break_one, self, &wanted));
  EXPECT_EQ(wanted, HEAP_DEFECT);
  heap_out(wanted);
}

TEST(heap, a_broken_invariant_ends_at_the_recovery_point) {
  struct work work = {.runs_out = false};
  size_t wanted = 0;
  EXPECT_FALSE(heap_try(&work.pool, break_one, &work, &wanted));
  EXPECT_EQ(wanted, HEAP_DEFECT);
  EXPECT_CONTAINS(heap_defect_text(), "a defect of Warpwait, please report it: tests/core/heap_test.c:");
  EXPECT_CONTAINS(heap_defect_text(), "break_one("); /* clang's assert() adds the parameters */
  EXPECT_CONTAINS(heap_defect_text(), "(): work->runs_out");
  EXPECT_EQ(work.pool.count, 0);
  EXPECT_EQ(work.held[0], 1);
  EXPECT_FALSE(heap_try(&work.pool, pass_broken, &work, &wanted));
  EXPECT_EQ(wanted, HEAP_DEFECT);
}

/* ---- locales
 * ------------------------------------------------------------------------------------------------------ */

struct spoken {
  locale_t inside, suspended, resumed;
};

static locale_t spoken_now(void) { return uselocale((locale_t)0); }

static void listen_inside(void *self) {
  struct spoken *spoken = self;
  spoken->inside = spoken_now();
  struct recovery *recovery = heap_suspend();
  spoken->suspended = spoken_now();
  heap_resume(recovery);
  spoken->resumed = spoken_now();
}

static void listen(void *self) {
  size_t wanted = 0;
  EXPECT_TRUE(heap_pass(listen_inside, self, &wanted));
  need(SIZE_MAX / 4, 2);
}

TEST(heap, inside_a_recovery_point_the_locale_is_c_and_outside_it_is_the_threads) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), own = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
  struct spoken spoken = {0};
  if (!EXPECT_TRUE(own && own != c))
    return;
  locale_t before = uselocale(own);
  EXPECT_FALSE(heap_try(NULL, listen, &spoken, NULL));
  EXPECT_TRUE(spoken.inside == c && spoken.resumed == c);
  EXPECT_TRUE(spoken.suspended == own);
  EXPECT_TRUE(spoken_now() == own);
  uselocale(before);
  freelocale(own);
}
