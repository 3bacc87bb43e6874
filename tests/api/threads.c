/* Runs in several threads report the same as runs in one. */
#include <stdlib.h>

#include "tests/api/rig.h"
#include "tests/ct.h"
#include "tests/kernels.h"

enum { WORDS = 1 << 16 };

/* Adds and copies until enough windows have passed for threads to start. */

static char *run(struct rig *rig, uint32_t threads, uint32_t *sum) {
  const ww_watch watch = {.size = sizeof watch, .threads = threads};
  ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_launch(rig, "add", WORDS, 256);
  (void)(rig_fine(rig, ww_buffer_new(rig->device, NULL, 4 * WORDS, &data, &rig->error)) &&
         rig_fine(rig, ww_launch_buffer(launch, 0, data, 0, &rig->error)) &&
         rig_fine(rig, ww_run(rig->device, &launch, 1, &watch, &report, &rig->error)));
  *sum = 0;
  for (size_t i = 0; i < WORDS; i++)
    *sum += ((const uint32_t *)ww_buffer_data(data))[i];
  char *text = rig_write(rig, report, WW_JSON);
  return text;
}

TEST(threads_api, any_number_of_threads_gives_the_same_report) {
  static const uint32_t threads[] = {1, 2, 5, 0};
  ct_freed(ct_free) char *first = NULL;
  for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
    ct_freed(rig_free) struct rig rig = rig_with("h200", CT_KERNEL(source));
    uint32_t sum = 0;
    ct_freed(ct_free) char *text = run(&rig, threads[i], &sum);
    ct_note("%u threads", threads[i]);
    EXPECT_EQ(sum, 780u * WORDS);
    if (first)
      EXPECT_STREQ(text, first);
    else
      first = strdup(text);
  }
}

TEST(threads_api, a_device_can_change_their_number_between_runs) {
  struct rig one = rig_with("h200", CT_KERNEL(source)), other = rig_with("h200", CT_KERNEL(source));
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t sum = 0;
    char *expected = run(&one, 1, &sum), *got = run(&other, 4 - i, &sum);
    EXPECT_STREQ(got, expected);
    free(expected);
    free(got);
  }
  rig_free(&one);
  rig_free(&other);
}

TEST(threads_api, too_many_are_refused) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  const ww_watch watch = {.size = sizeof watch, .threads = WW_THREADS + 1};
  ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_plus(&rig, &data, 5);
  rig_refused(&rig, ww_run(rig.device, &launch, 1, &watch, NULL, &rig.error), WW_BAD_INPUT,
              "threads: 65 is not in [0, 64]");
}
