#include "sim/sweep/store.h"

#include <stdlib.h>
#include <string.h>

#include "tests/ct.h"
#include "tests/sweep/store_rig.h"

TEST(store, a_row_is_there_as_it_was_added) {
  rig_remove("a");
  rig_fill("a", 0, 1);
  EXPECT_STREQ(rig_query("a", "SELECT * FROM points WHERE number = 3"),
               "define.T=0x10 dma.channels=1 machine=h200 round=0|3|finished|NULL|1|16|h200|1010|0.551912568306011|"
               "NULL\n");
  EXPECT_STREQ(rig_query("a", "SELECT \"dma.channels\", status, reason, cycles, microseconds FROM points "
                              "WHERE number = 13"),
               "2|deadlock|warps 0, 1 \"wait\"\nin line 3|NULL|NULL\n");
  EXPECT_STREQ(rig_query("a", "SELECT * FROM effort ORDER BY key LIMIT 1"),
               "define.T=010 dma.channels=1 machine=h200 round=0|0.25|replay\n");
}

TEST(store, words_that_are_numbers_are_numbers) {
  rig_remove("a");
  rig_fill("a", 0, 1);
  EXPECT_STREQ(rig_query("a", "SELECT DISTINCT \"define.T\", typeof(\"define.T\") FROM points ORDER BY number"),
               "half|text\n16|integer\n1.5|real\n010|text\n");
  EXPECT_STREQ(rig_query("a", "SELECT DISTINCT typeof(\"dma.channels\"), typeof(machine), typeof(cycles), "
                              "typeof(microseconds) FROM points WHERE status = 'finished'"),
               "integer|text|integer|real\n");
}

TEST(store, axes_that_go_together_are_one_factor) {
  struct sweep_plan plan = rig_plan;
  struct store_subject subject = rig_subject;
  char message[PLAN_MESSAGE];
  plan.axis[1].factor = 0;
  for (size_t i = 2; i < plan.axes; i++)
    plan.axis[i].factor--;
  plan.factors--;
  subject.plan = &plan;
  rig_remove("zip");
  store_close(store_open(rig_path("zip"), &subject, message));
  EXPECT_STREQ(rig_query("zip", "SELECT substr(value, 1, 29) FROM sweep WHERE name = 'factors'"),
               "dma.channels+define.T machine\n");
}
