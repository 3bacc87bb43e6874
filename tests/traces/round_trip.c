/* What goes into a trace comes out of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/ct.h"
#include "tests/traces/made.h"

static void round_trip(const struct made *made) {
  const char *path = made_path("round");
  struct trace_error error;
  made_write(made, path, false);
  struct trace *trace = trace_open(path, TRACE_WHOLE, &error);
  ct_note("%s", error.text);
  if (EXPECT_TRUE(trace != NULL)) {
    EXPECT_EQ(made_check(made, trace, false), (uint64_t)made->groups * made->warps * made->operations);
    EXPECT_STREQ(trace_meta(trace, "machine", NULL), "of a test");
    trace_close(trace);
  }
  unlink(path);
}

TEST(round_trip, operations_come_back_as_they_were) {
  static const uint32_t lanes[] = {1, 16, 32, 33, 64};
  for (unsigned i = 0; i < 40; i++)
    round_trip(&(struct made){.seed = 1 + i,
                              .lanes = lanes[i % 5],
                              .groups = 1 + i % 7,
                              .warps = 1 + i % 4,
                              .operations = 1 + i * 37,
                              .wild = i % 3 * 20});
}

TEST(round_trip, streams_of_many_blocks_come_back_as_they_were) {
  round_trip(&(struct made){.seed = 77, .lanes = 32, .groups = 9, .warps = 3, .operations = 5000, .wild = 60});
}
