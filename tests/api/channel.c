/* Channels in runs: connected kernels, autorun kernels, and what persists between runs. */
#include <stdlib.h>
#include <string.h>

#include "tests/api/rig.h"
#include "tests/ct.h"
#include "tests/kernels.h"

/* put: writes 0 .. n-1 into `in`; take: reads n from `out`. step is an autorun kernel: each of its four work-groups
 * adds 1. */

static ww_launch *launch(struct rig *rig, const char *kernel, ww_buffer *data, int n) {
  ww_launch *made = rig_launch(rig, kernel, 1, 1);
  if (data)
    rig_fine(rig, ww_launch_buffer(made, 0, data, 0, &rig->error));
  rig_fine(rig, ww_launch_value(made, data ? 1 : 0, &n, sizeof n, &rig->error));
  return made;
}

static ww_buffer *numbers(struct rig *rig) {
  ww_buffer *data = NULL;
  rig_fine(rig, ww_buffer_new(rig->device, "data", 400, &data, &rig->error));
  return data;
}

static void run(struct rig *rig, ww_launch **launches, size_t count, bool functional, ww_report **report) {
  const ww_watch watch = {.size = sizeof watch, .functional = functional};
  rig_fine(rig, ww_run(rig->device, launches, count, &watch, report, &rig->error));
}

TEST(channel_api, autorun_kernels_run_and_end_with_the_other_kernels) {
  for (int functional = 0; functional < 2; functional++) {
    ct_freed(rig_free) struct rig rig = rig_with("teaching", CT_KERNEL(source));
    ct_freed(ww_buffer_unref_at) ww_buffer *data = numbers(&rig);
    ww_report *report = NULL;
    ww_launch *both[2] = {launch(&rig, "put", NULL, 100), launch(&rig, "take", data, 100)};
    EXPECT_EQ(ww_program_channels(rig.program), 6);
    EXPECT_EQ(ww_program_channels(NULL), 0);
    for (int again = 0; again < 3; again++) {
      memset(ww_buffer_data(data), 0, 400);
      run(&rig, both, 2, functional, &report);
      EXPECT_TRUE(ww_report_finished(report));
      for (int i = 0; i < 100; i++)
        EXPECT_EQ(((int *)ww_buffer_data(data))[i], i + 4);
      const char *kernel = NULL;
      EXPECT_TRUE(ww_report_text(report, "launches[2].kernel", &kernel));
      EXPECT_STREQ(kernel, "step");
      EXPECT_EQ(rig_number(report, "launches[2].work_groups"), 4);
      ww_report_unref(report);
    }
    /* Run alone, it never finishes: no packets arrive. */
    run(&rig, both + 1, 1, functional, &report);
    EXPECT_FALSE(ww_report_finished(report));
    ww_report_unref(report);
    run(&rig, both, 2, functional, &report);
    EXPECT_TRUE(ww_report_finished(report));
    ww_report_unref(report);
    ww_launch_unref(both[0]);
    ww_launch_unref(both[1]);
  }
}

/* Replays the trace of a run with channels: the same cycles, launch by launch. */
static void expect_same_replay(struct rig *rig, const struct kept *kept, size_t launches, const ww_report *report) {
  ct_freed(ww_trace_unref_at) ww_trace *trace = NULL;
  ct_freed(ww_report_unref_at) ww_report *replayed = NULL;
  const ww_bytes bytes = {.data = kept->text, .size = kept->length, .name = "t"};
  rig_fine(rig, ww_trace_open(rig->context, bytes, false, &trace, &rig->error));
  rig_fine(rig, ww_trace_replay(trace, NULL, NULL, &replayed, &rig->error));
  for (size_t i = 0; i < launches; i++)
    EXPECT_EQ(ww_report_cycles(replayed, i), ww_report_cycles(report, i));
}

/* merge polls two channels in turn, so the device is never idle; pass waits for merge. */

TEST(channel_api, autorun_kernels_that_poll_end_with_the_other_kernels) {
  for (int functional = 0; functional < 2; functional++) {
    ct_freed(rig_free) struct rig rig = rig_with("teaching", CT_KERNEL(polling_source));
    ct_freed(ww_buffer_unref_at) ww_buffer *data = numbers(&rig);
    ww_report *report = NULL;
    struct kept kept = {NULL, 0};
    ww_launch *all[3] = {launch(&rig, "put_low", NULL, 50), launch(&rig, "put_high", NULL, 50),
                         launch(&rig, "take", data, 100)};
    memset(ww_buffer_data(data), 0, 400);
    ww_watch watch = {.size = sizeof watch, .functional = functional};
    if (!functional)
      watch.trace = rig_sink(&kept);
    rig_fine(&rig, ww_run(rig.device, all, 3, &watch, &report, &rig.error));
    EXPECT_TRUE(ww_report_finished(report));
    for (int i = 0; i < 100; i++)
      EXPECT_EQ(((int *)ww_buffer_data(data))[i], 1);
    if (!functional)
      expect_same_replay(&rig, &kept, 5, report);
    ww_report_unref(report);
    free(kept.text);
    /* A launch that waits for a packet that never arrives is still reported, although the autorun kernels poll. */
    run(&rig, all + 2, 1, functional, &report);
    EXPECT_FALSE(ww_report_finished(report));
    const char *end = "";
    EXPECT_TRUE(ww_report_text(report, "launches[0].end", &end));
    EXPECT_STREQ(end, "deadlock");
    ww_report_unref(report);
    for (int i = 0; i < 3; i++)
      ww_launch_unref(all[i]);
  }
}

/* On either side there are more work-items than the channel has room for. */

TEST(channel_api, work_items_of_a_warp_take_turns_if_the_channel_lacks_room_for_all) {
  static const char *const pairs[][2] = {{"put_all", "take_each"}, {"put_each", "take_all"}, {"put_all", "take_all"}};
  for (int i = 0; i < 6; i++) {
    ct_freed(rig_free) struct rig rig = rig_with("teaching", CT_KERNEL(wide_source));
    ww_buffer *from = numbers(&rig), *to = numbers(&rig);
    ct_freed(ww_report_unref_at) ww_report *report = NULL;
    ww_launch *both[2] = {launch(&rig, pairs[i / 2][0], from, 32), launch(&rig, pairs[i / 2][1], to, 32)};
    for (int k = 0; k < 32; k++)
      ((int *)ww_buffer_data(from))[k] = 7 * k;
    for (int k = 0; k < 2; k++)
      if (strstr(pairs[i / 2][k], "all"))
        rig_fine(&rig, ww_launch_range(both[k], 1, NULL, &(uint64_t){32}, &(uint64_t){32}, &rig.error));
    run(&rig, both, 2, i % 2, &report);
    EXPECT_TRUE(ww_report_finished(report));
    for (int k = 0; k < 32; k++)
      EXPECT_EQ(((int *)ww_buffer_data(to))[k], 7 * k);
    ww_launch_unref(both[0]);
    ww_launch_unref(both[1]);
    ww_buffer_unref(from);
    ww_buffer_unref(to);
  }
}

TEST(channel_api, an_index_outside_an_array_names_no_channel) {
  static const int bad[] = {3, -1, 1 << 30, 9};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ct_freed(rig_free) struct rig rig = rig_with("teaching", CT_KERNEL(wide_source));
    ct_freed(ww_buffer_unref_at) ww_buffer *data = numbers(&rig);
    ct_freed(ww_report_unref_at) ww_report *report = NULL;
    ct_freed(ww_launch_unref_at) ww_launch *one = launch(&rig, "beyond", data, bad[i]);
    run(&rig, &one, 1, false, &report);
    EXPECT_TRUE(ww_report_finished(report));
    const char *rule = "";
    EXPECT_TRUE(ww_report_text(report, "launches[0].hazards[0].rule", &rule));
    EXPECT_STREQ(rule, "M1-access-out-of-bounds");
  }
}

TEST(channel_api, a_refused_autorun_kernel_is_reported) {
  struct rig rig = rig_with("teaching", "#pragma OPENCL EXTENSION cl_intel_channels : enable\n"
                                        "channel int c;\nkernel void give(void) { write_channel_intel(c, 1); }\n"
                                        "__attribute__((autorun)) kernel void self(void) { c = 2; }\n"
                                        "kernel void take(void) { read_channel_intel(c); }\n");
  ct_freed(ww_launch_unref_at) ww_launch *one = rig_launch(&rig, "give", 1, 1);
  rig_refused(&rig, ww_run(rig.device, &one, 1, NULL, NULL, &rig.error), WW_BAD_INPUT, "channel 'c' is not a variable");
  rig_free(&rig);
}

TEST(channel_api, packets_stay_until_read_and_devices_do_not_share_them) {
  ct_freed(rig_free) struct rig rig = rig_with("teaching", CT_KERNEL(source));
  ct_freed(ww_device_unref_at) ww_device *other = NULL;
  rig_fine(&rig, ww_device_new(rig.machine, &other, &rig.error));
  ct_freed(ww_buffer_unref_at) ww_buffer *data = numbers(&rig);
  ww_launch *keep = launch(&rig, "keep", NULL, 3), *give = launch(&rig, "give", data, 5);
  for (int functional = 0; functional < 2; functional++) {
    run(&rig, &keep, 1, functional, NULL);
    run(&rig, &keep, 1, !functional, NULL);
    run(&rig, &give, 1, functional, NULL);
    static const int first[] = {10, 11, 12, 10, 11}, rest[] = {12, -1, -1, -1, -1};
    EXPECT_EQ(memcmp(ww_buffer_data(data), first, sizeof first), 0);
    run(&rig, &give, 1, !functional, NULL);
    EXPECT_EQ(memcmp(ww_buffer_data(data), rest, sizeof rest), 0);
  }
  run(&rig, &keep, 1, false, NULL);
  struct rig there = rig;
  there.device = other;
  ct_freed(ww_buffer_unref_at) ww_buffer *its = numbers(&there);
  ct_freed(ww_launch_unref_at) ww_launch *empty = launch(&there, "give", its, 1);
  run(&there, &empty, 1, false, NULL);
  EXPECT_EQ(*(int *)ww_buffer_data(its), -1);
  ww_launch_unref(keep);
  ww_launch_unref(give);
}

TEST(channel_api, a_trace_contains_the_channels_and_every_kernel_that_ran) {
  ct_freed(rig_free) struct rig rig = rig_with("teaching", CT_KERNEL(source));
  ct_freed(ww_buffer_unref_at) ww_buffer *data = numbers(&rig);
  ww_report *report = NULL;
  struct kept kept = {NULL, 0};
  ww_launch *both[2] = {launch(&rig, "put", NULL, 50), launch(&rig, "take", data, 50)};
  const ww_watch watch = {.size = sizeof watch, .trace = rig_sink(&kept)};
  rig_fine(&rig, ww_run(rig.device, both, 2, &watch, &report, &rig.error));
  expect_same_replay(&rig, &kept, 3, report);
  ww_report_unref(report);
  free(kept.text);
  kept = (struct kept){NULL, 0};
  rig_fine(&rig, ww_device_record(rig.device, rig_sink(&kept), &rig.error));
  run(&rig, both, 2, false, &report);
  rig_fine(&rig, ww_device_record_end(rig.device, &rig.error));
  expect_same_replay(&rig, &kept, 3, report);
  ww_report_unref(report);
  free(kept.text);
  /* Packets from before the recording are not in it. */
  kept = (struct kept){NULL, 0};
  ct_freed(ww_launch_unref_at) ww_launch *keep = launch(&rig, "keep", NULL, 3);
  run(&rig, &keep, 1, false, NULL);
  rig_fine(&rig, ww_device_record(rig.device, rig_sink(&kept), &rig.error));
  run(&rig, both, 2, false, NULL);
  rig_refused(&rig, ww_device_record_end(rig.device, &rig.error), WW_UNSUPPORTED, "channel 'deep' holds packets");
  free(kept.text);
  ww_launch_unref(both[0]);
  ww_launch_unref(both[1]);
}

TEST(channel_api, pipes_and_channels_share_one_range_of_numbers) {
  ct_freed(rig_free) struct rig rig = rig_with("teaching", CT_KERNEL(source));
  ww_pipe *pipes[121];
  ct_freed(ww_launch_unref_at) ww_launch *keep = launch(&rig, "keep", NULL, 1);
  for (int i = 0; i < 121; i++)
    rig_fine(&rig, ww_pipe_new(rig.device, NULL, 4, 1, &pipes[i], &rig.error));
  rig_refused(&rig, ww_run(rig.device, &keep, 1, NULL, NULL, &rig.error), WW_BAD_INPUT,
              "more than 126 pipes and channels");
  ww_pipe_unref(pipes[120]);
  rig_fine(&rig, ww_run(rig.device, &keep, 1, NULL, NULL, &rig.error));
  for (int i = 0; i < 120; i++)
    ww_pipe_unref(pipes[i]);
}
