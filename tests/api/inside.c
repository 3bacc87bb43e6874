/* What callers cannot see: an internal error of the library, and what a device keeps. */
#include <assert.h>

#include "sim/api/api.h"
#include "sim/base/need.h"
#include "tests/api/rig.h"
#include "tests/ct.h"

static ww_status break_one(void *self, struct message *message) {
  need(10, 1);
  assert(self == message);
  return WW_OK;
}

static ww_status say_so(void *self, struct message *message) {
  (void)self;
  message_fail(message, "a worker has met a defect");
  return WW_DEFECT;
}

TEST(inside, an_internal_error_reports_its_location) {
  ww_error error = {.text = ""};
  struct heap_pool pool = {0};
  EXPECT_EQ(api_try(&pool, break_one, NULL, &error), WW_DEFECT);
  EXPECT_EQ(error.status, WW_DEFECT);
  EXPECT_CONTAINS(error.text, "a defect of Warpwait, please report it: tests/api/inside.c:");
  EXPECT_CONTAINS(error.text, "self == message");
  EXPECT_EQ(pool.count, 0);
  EXPECT_EQ(api_try(NULL, say_so, NULL, &error), WW_DEFECT);
  EXPECT_STREQ(error.text, "a worker has met a defect");
}

TEST(inside, a_device_forgets_variables_of_freed_programs) {
  static const char source[] = "global int count = 5;\nkernel void k(void) { count++; }";
  ct_freed(rig_free) struct rig rig = rig_with("teaching", source);
  for (int i = 0; i < 5; i++) {
    ct_freed(ww_program_unref_at) ww_program *program = NULL;
    ct_freed(ww_launch_unref_at) ww_launch *launch = NULL;
    rig_fine(&rig, ww_program_build(rig.context, ww_text(source), NULL, &program, &rig.error));
    rig_fine(&rig, ww_launch_new(rig.device, program, ww_program_kernel_at(program, 0), &launch, &rig.error));
    rig_fine(&rig, ww_launch_range(launch, 1, NULL, &(uint64_t){1}, NULL, &rig.error));
    rig_fine(&rig, ww_run(rig.device, &launch, 1, NULL, NULL, &rig.error));
    EXPECT_EQ(rig.device->variable_count, 1);
  }
}
