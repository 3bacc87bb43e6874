/* Running tools: their output is complete when they have ended, even if another process holds the outputs open.
 *
 * Time limit: a tool whose child keeps running has 15 s to end. */
#include "opencl/clang/process.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/ct.h"

static struct process_end run(const char *script) {
  const char *const argv[] = {"sh", "-c", script, NULL};
  struct process_end end;
  process_run(&(struct process){.argv = argv, .folder = "/tmp", .input = "in\n", .input_bytes = 3}, &end);
  return end;
}

TEST(process, has_everything_that_a_tool_writes) {
  struct process_end end = run("cat; echo wrong >&2; head -c 300000 /dev/zero; exit 3");
  EXPECT_EQ(end.error, 0);
  EXPECT_EQ(end.status, 3);
  EXPECT_EQ(end.output_bytes, 300003);
  EXPECT_TRUE(memcmp(end.output, "in\n", 4) == 0);
  EXPECT_STREQ(end.text, "wrong\n");
  process_free(&end);
}

/* Like a process that another thread forks while the tool starts. */
TEST(process, ends_with_its_tool_though_another_process_holds_the_outputs) {
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  struct process_end end = run("sleep 30 & echo $!; echo told >&2");
  clock_gettime(CLOCK_MONOTONIC, &after);
  EXPECT_LT(after.tv_sec - before.tv_sec, 15);
  EXPECT_TRUE(process_good(&end));
  EXPECT_STREQ(end.text, "told\n");
  const pid_t other = (pid_t)strtol(end.output, NULL, 10);
  EXPECT_GT(other, 1);
  if (other > 1)
    kill(other, SIGKILL);
  process_free(&end);
}
