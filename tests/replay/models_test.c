/* Everything that the model tests run is also replayed (tests/models/rig_replay.h), including hazards, deadlocks,
 * pipes, lane copies, clocks and limits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/ct.h"

TEST(replay, every_launch_of_the_model_tests_replays_as_it_ran) {
  char path[900], command[2000];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  ASSERT_TRUE(length > 0);
  path[length] = '\0';
  *strrchr(path, '/') = '\0';
  /* law_test.c replays the kernels of the laws */
  snprintf(command, sizeof command,
           "WARPWAIT_RIG_REPLAY=1 '%s/models' --gtest_brief=1 --gtest_filter=-laws.* >'%s/models.replayed' 2>&1", path,
           path);
  ct_note("%s", command);
  EXPECT_EQ(system(command), 0);
}
