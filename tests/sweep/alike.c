/* Each point's result does not depend on the kind or number of workers. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/need.h"
#include "sim/base/workers.h"
#include "sim/cli/processes.h"
#include "tests/ct.h"
#include "tests/sweep/fixture.h"
#include "tools/sweep/functional.h"

enum { MOST = 200 };

struct taken {
  uint64_t points;
  size_t replayed;
  struct sweep_outcome outcome[MOST];
};

static bool take(void *self, uint64_t number, const struct sweep_outcome *outcome) {
  struct taken *taken = self;
  taken->outcome[number] = *outcome;
  taken->outcome[number].seconds = 0;
  taken->replayed += outcome->replayed;
  return true;
}

static bool tick(void *self) {
  (void)self;
  return true;
}

static struct taken *swept(const char *text, const struct worker_pool *pool, unsigned workers) {
  struct message why[1] = {{""}};
  struct message message = {""};
  ct_freed(plan_free) struct sweep_plan plan = {0};
  struct sweep_target target = {0};
  struct taken *taken = need(1, sizeof *taken);
  uint32_t value[PLAN_AXES];
  const bool good = plan_parse(text, "s.ini", &plan, why) && sweep_target_open(&target, &plan, NULL, NULL, &message);
  ct_note("%s%s", why->text, message.text);
  EXPECT_TRUE(good);
  struct sweep_run run = {.bench = {.target = &target, .max_cycles = 1000000},
                          .pool = pool,
                          .jobs = workers,
                          .take = take,
                          .tick = tick,
                          .self = taken};
  taken->points = good ? plan.points : 0;
  for (uint64_t i = 0; i < taken->points; i++)
    if (plan_point(&plan, i, value))
      sweep_add(&run, i, value);
  sweep_group_all(&run);
  EXPECT_TRUE(sweep_run_all(&run, &message));
  sweep_run_free(&run);
  sweep_target_close(&target);
  return taken;
}

static void same_whoever_works(const char *text, size_t replayed) {
  ct_freed(ct_free) struct taken *expected = swept(text, &serial_workers, 1);
  EXPECT_GT(expected->points, 1);
  EXPECT_GE(expected->replayed, replayed);
  for (unsigned i = 0; i < 2; i++) {
    ct_freed(ct_free) struct taken *taken = swept(text, i ? &processes : NULL, 4);
    for (uint64_t point = 0; point < expected->points; point++) {
      ct_note("%s, point %d", i ? "processes" : "threads", (int)point);
      EXPECT_TRUE(memcmp(&taken->outcome[point], &expected->outcome[point], sizeof *taken->outcome) == 0);
    }
  }
}

/* Points with the same number of tiles are replayed; an unknown machine is refused. */
TEST(sweep_alike, machines_and_arguments_give_the_same_rows) {
  same_whoever_works("[sweep]\nlaunch = examples/05_double_buffer/launch.json\n"
                     "[axes]\narg.tiles = 4 8 16\ndma.channels = 1 2 8\nmem.dram_latency = 100 400\ncu.warps = 2 48\n",
                     12);
}

TEST(sweep_alike, programs_compiled_in_parallel_give_the_same_rows) {
  same_whoever_works("[sweep]\nlaunch = examples/15_sweep/launch_deep_buffer.json\n"
                     "[axes]\ndefine.DEPTH = 1 2 3 4\ndma.queue = 1 8\n",
                     4);
}

/* Each replay starts with the pipe as the launch has it, not as the previous replay left it. */
TEST(sweep_alike, pipes_give_the_same_rows) {
  same_whoever_works("[sweep]\nlaunch = tests/explain/kernels/pipe.json\n"
                     "[axes]\nmem.dram_latency = 100 200 300 400\ncu.schedulers = 1 2\n",
                     7);
}
