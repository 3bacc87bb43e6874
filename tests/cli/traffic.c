/* What the report says about copies, memory and DRAM: numbers calculated by hand, and nothing where there was no
 * traffic. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/cli/fixture.h"
#include "tests/cli/tool.h"
#include "tests/ct.h"

/* gather: planes 0 and 1 of lines 0 and 1 of 3 words; every 8th word, 4 of them; 64 words in one line. */
static const char gather[] =
    ".kernel gather\n.arg src global\n.lds t 1024\n.reg e, n, s, l, pl, at, z\n.reg64 p\n ld.arg.b64 p, src\n"
    " mov.b32 n, 3\n mov.b32 z, 4\n mov.b32 s, 8\n mov.b32 l, 2\n mov.b32 pl, 32\n mov.b32 at, 512\n mov.b32 e, 0\n"
    " copy.to_lds.3d e, [at], [p], n, size=z, lines=l, global_line=s, lds_line=s, planes=l, global_plane=pl, "
    "lds_plane=pl\n"
    " wait e\n mov.b32 n, 4\n mov.b32 e, 0\n"
    " copy.to_lds.strided e, [t], [p], n, s, size=4\n wait e\n mov.b32 e, 0\n"
    " copy.to_lds e, [t], [p], 64, size=4\n wait e\n exit\n";

/* pair: two copies of 64 words for one channel. */
static const char pair[] = ".kernel pair\n.arg src global\n.lds t 1024\n.reg e, f\n.reg64 p\n ld.arg.b64 p, src\n"
                           " copy.to_lds e, [t], [p], 64, size=4\n copy.to_lds f, [t + 256], [p], 64, size=4\n"
                           " wait e\n wait f\n exit\n";

static json_t *report(const char *arguments, json_t **root) {
  char line[500];
  json_error_t error;
  snprintf(line, sizeof line, "run %s --report json", arguments);
  ct_freed(outcome_free) struct outcome outcome = tool(line);
  ct_note("%s: %s", arguments, outcome.err);
  EXPECT_EQ(outcome.status, 0);
  *root = json_loads(outcome.out, 0, &error);
  return json_array_get(json_object_get(*root, "launches"), 0);
}

/* The value at a path such as "dma.timeline.interval" of a launch. */
static json_t *at(json_t *object, const char *path) {
  char name[64];
  while (*path && object) {
    size_t length = strcspn(path, ".");
    snprintf(name, sizeof name, "%.*s", (int)length, path);
    object = json_object_get(object, name);
    path += length + (path[length] == '.');
  }
  EXPECT_TRUE(object != NULL);
  return object;
}

static void expect_number(json_t *launch, const char *path, double expected) {
  double got = json_number_value(at(launch, path));
  ct_note("%s: %g instead of %g", path, got, expected);
  EXPECT_TRUE(fabs(got - expected) < 1e-6);
}

static const char *const keys[] = {
    "dma.descriptors_1d",        "dma.bytes_per_request",
    "dma.bytes_per_burst",       "dma.efficiency",
    "memory.l2_hit_rate",        "memory.l2_imbalance",
    "memory.l2_bypassed_bytes",  "memory.dram_row_hit_rate",
    "memory.dram_row_miss_rate", "memory.dram_row_conflict_rate",
    "memory.dram_imbalance",
};

TEST(traffic, a_kernel_that_moves_no_data_has_no_traffic_figures) {
  json_t *root;
  tool_folder();
  tool_file("nothing.wws", ".kernel nothing\n exit\n");
  json_t *launch = report("nothing.wws --global 32 --local 32", &root);
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    expect_number(launch, keys[i], 0);
  EXPECT_EQ(json_array_size(at(launch, "dma.timeline.queue")), 0);
  EXPECT_EQ(json_array_size(at(launch, "dma.timeline.channels")), 0);
  json_t *line = json_array_get(json_object_get(launch, "by_line"), 0);
  EXPECT_TRUE(json_is_null(json_object_get(line, "copy_kind")));
  expect_number(line, "copy_requests", 0);
  expect_number(line, "copy_request_bytes", 0);
  json_decref(root);
  ct_freed(outcome_free) struct outcome outcome = tool("run nothing.wws --global 32 --local 32");
  EXPECT_TRUE(!strstr(outcome.out, "DMA") && !strstr(outcome.out, "\nmemory") && !strstr(outcome.out, "over time"));
}

/* Sectors of 32 bytes, lines of 128, requests of 64.
 *
 *     3D        4 lines of 12 bytes in sectors 0, 1, 4, 5, one request per plane       48 of 128 bytes
 *     strided   4 lines of 4 bytes in sectors 0 to 3, one request                      16 of 128
 *     plain     256 bytes in 4 requests, one burst                                     256 of 256 */
TEST(traffic, kinds_and_efficiency_match_hand_calculation) {
  json_t *root;
  tool_folder();
  tool_file("gather.wws", gather);
  json_t *launch = report("gather.wws --global 32 --local 32 --arg buffer:a=4096", &root);
  expect_number(launch, "cu.copies_plain", 1);
  expect_number(launch, "cu.copies_strided", 1);
  expect_number(launch, "cu.copies_3d", 1);
  expect_number(launch, "dma.descriptors_1d", 1);
  expect_number(launch, "dma.descriptors_2d", 1);
  expect_number(launch, "dma.descriptors_3d", 1);
  expect_number(launch, "dma.bytes_per_request", (48 + 16 + 256) / (2 + 1 + 4.0));
  expect_number(launch, "dma.bytes_per_burst", (48 + 16 + 256) / 3.0);
  expect_number(launch, "dma.efficiency", (48 + 16 + 256) / (128 + 128 + 256.0));
  json_t *line = NULL;
  for (size_t i = 0; i < json_array_size(json_object_get(launch, "by_line")); i++) {
    json_t *other = json_array_get(json_object_get(launch, "by_line"), i);
    line = json_integer_value(json_object_get(other, "copies")) && !line ? other : line;
  }
  EXPECT_STREQ(json_string_value(json_object_get(line, "copy_kind")), "3D");
  expect_number(line, "copy_requests", 2);
  expect_number(line, "copy_request_bytes", 24);
  json_decref(root);
  ct_freed(outcome_free) struct outcome outcome =
      tool("run gather.wws --global 32 --local 32 --arg buffer:a=4096 --set dma.dimensions=2");
  EXPECT_CONTAINS(
      outcome.out,
      "\n  called: 1 plain, 1 strided, 1 3D; descriptors: 1 of one dimension, 1 of two "
      "dimensions, 1 of three\n    dimensions; 1 split into 2 parts\n  4 planes of 2.25 lines; 35.6 bytes a line; "
      "3 requests of several lines\n  ");
  EXPECT_CONTAINS(outcome.out, "; 62.5 % of the bytes moved were wanted: 320 of 512 in sectors\n");
}

/* One channel: the second copy waits while the first runs. The waits add up to the counters, and the other CU's idle
 * engine halves the means. */
TEST(traffic, waits_over_time_add_up_to_the_counters) {
  for (unsigned cus = 1; cus <= 2; cus++) {
    char arguments[200];
    json_t *root;
    double sum[2] = {0};
    tool_folder();
    tool_file("pair.wws", pair);
    snprintf(arguments, sizeof arguments,
             "pair.wws --global 32 --local 32 --arg buffer:a=4096 --set dma.channels=1 --set cu.count=%u", cus);
    json_t *launch = report(arguments, &root);
    json_t *queue = at(launch, "dma.timeline.queue"), *channels = at(launch, "dma.timeline.channels");
    double cycles = json_number_value(at(launch, "cycles"));
    double interval = json_number_value(at(launch, "dma.timeline.interval"));
    EXPECT_TRUE(interval * 60 >= cycles && interval * 30 < cycles);
    ASSERT_EQ(json_array_size(queue), (size_t)ceil(cycles / interval));
    for (size_t i = 0; i < json_array_size(queue); i++) {
      double length = fmin(interval, cycles - (double)i * interval);
      sum[0] += json_number_value(json_array_get(queue, i)) * length * cus;
      sum[1] += json_number_value(json_array_get(channels, i)) * length * cus;
    }
    EXPECT_TRUE(sum[0] > 0);
    expect_number(launch, "dma.queue_cycles", round(sum[0] * 100) / 100);
    expect_number(launch, "dma.channel_cycles", round(sum[1] * 100) / 100);
    json_decref(root);
  }
  struct outcome outcome =
      tool("run pair.wws --global 32 --local 32 --arg buffer:a=4096 --set dma.channels=1 --order descending");
  EXPECT_CONTAINS(outcome.out, "an engine over time, 16 cycles a character\n    channels |");
  EXPECT_CONTAINS(outcome.out, "| peak 1.00 of 1\n    queue    |");
  EXPECT_CONTAINS(outcome.out, "| peak 1.00 of 8\n");
  outcome_free(&outcome);
}

/* 320 bytes in 3 lines of one slice each: lines 0 and 1 miss and are joined or hit; with the bypass, none is kept. */
TEST(traffic, bytes_that_bypass_the_l2_are_counted) {
  json_t *root;
  tool_folder();
  tool_file("gather.wws", gather);
  json_t *launch = report("gather.wws --global 32 --local 32 --arg buffer:a=4096 --set dma.l2=bypass", &root);
  expect_number(launch, "memory.l2_bypassed_bytes", 512);
  expect_number(launch, "memory.l2_hit_rate", 0);
  json_decref(root);
  ct_freed(outcome_free) struct outcome outcome =
      tool("run gather.wws --global 32 --local 32 --arg buffer:a=4096 --set dma.l2=bypass");
  EXPECT_CONTAINS(outcome.out, "\n  past the L2: 16 sectors, 512 bytes\n");
}

/* A load of 64 lanes is two lines, one access by each warp; the plus kernel loads and stores 256 bytes. */
TEST(traffic, slices_and_rows_match_hand_calculation) {
  static const char *const run = "kernel.wws --global 64 --local 64 --arg buffer:a=256 --arg uint:1 --arg local:4 "
                                 "--set cu.warp_size=32 --set mem.l2_slices=4 --set mem.dram=banked "
                                 "--set mem.dram_channels=1";
  json_t *root;
  char line[400];
  fixture_folder();
  json_t *launch = report(run, &root);
  expect_number(launch, "memory.l2_hit_rate", 0.5);    /* loads miss lines 0 and 1, stores hit them */
  expect_number(launch, "memory.l2_imbalance", 4 / 2); /* 2 of 4 slices pass 256 bytes each */
  expect_number(launch, "memory.dram_row_hit_rate", 0.5);
  expect_number(launch, "memory.dram_row_miss_rate", 0.5);
  expect_number(launch, "memory.dram_row_conflict_rate", 0);
  expect_number(launch, "memory.dram_imbalance", 1); /* of one channel */
  json_decref(root);
  launch = report("kernel.wws --global 32 --local 32 --arg buffer:a=256 --arg uint:1 --arg local:4 "
                  "--set mem.dram=banked --set mem.dram_channels=8",
                  &root);
  expect_number(launch, "memory.dram_imbalance", 8); /* a line */
  json_decref(root);
  snprintf(line, sizeof line, "run %s", run);
  ct_freed(outcome_free) struct outcome outcome = tool(line);
  EXPECT_CONTAINS(outcome.out, "\n  L2 slices: the busiest of 4 passed 2.00 times the mean\n");
  EXPECT_CONTAINS(outcome.out, "\n  DRAM rows: 50.0 % of 2 accesses hit, 50.0 % missed, 0.0 % in conflict\n");
}

/* 64 lanes store to lines that evict each other from a small L2: at least 7/8 of the write-backs come after the end. */
TEST(traffic, dram_never_passes_more_than_its_peak) {
  static const char *const dram[] = {"simple", "banked"};
  static const char storm[] = ".kernel storm\n.arg dst global\n.reg i, n\n.reg64 q\n.pred more\n ld.arg.b64 q, dst\n"
                              " get.global_id i, x\n shl.b32 i, i, 7\n mov.b32 n, 64\n"
                              "again: st.global.b32 [q + i], n\n add.i32 i, i, 8192\n sub.i32 n, n, 1\n"
                              " setp.gt.u32 more, n, 0\n@more bra again\n exit\n";
  for (unsigned i = 0; i < 2; i++) {
    char arguments[300];
    json_t *root;
    tool_folder();
    tool_file("storm.wws", storm);
    snprintf(
        arguments, sizeof arguments,
        "storm.wws --global 64 --local 64 --arg buffer:a=1048576 --set mem.l2_size=4K --set mem.dram_width=4 --set "
        "mem.dram=%s",
        dram[i]);
    json_t *launch = report(arguments, &root);
    double share = json_number_value(at(launch, "utilization.dram"));
    double cycles = json_number_value(at(launch, "cycles"));
    EXPECT_TRUE(json_number_value(at(launch, "memory.dram_bytes")) > 2 * 4 * cycles);
    EXPECT_TRUE(share > 0.8 && share <= 1);
    json_decref(root);
  }
}

TEST(traffic, copies_by_warps_report_their_cost) {
  tool_folder();
  tool_file("pair.wws", pair);
  struct outcome outcome = tool("run pair.wws --global 32 --local 32 --arg buffer:a=4096 --set dma.copy=lanes "
                                "--annotate");
  /* each is an access of 16 bytes per lane, with a slot for its addresses; 6 other instructions */
  EXPECT_CONTAINS(outcome.out, "\ncopies by warps: 2, 512 bytes in total, in 2 accesses to global memory (256.0 bytes "
                               "each)\n  they took 4 issue slots, 40.0 % of all used ones\n");
  EXPECT_CONTAINS(outcome.out, "    plain           256      256.0 ");
  outcome_free(&outcome);
}

TEST(traffic, contention_is_with_global_accesses_only_if_these_share_the_path) {
  tool_folder();
  tool_file("lds.wws", ".kernel k\n.lds t 128\n.reg i\n  get.local_id i, x\n  shl.b32 i, i, 2\n  st.lds.b32 [i], i\n"
                       "  exit\n");
  ct_freed(outcome_free) struct outcome separate =
      tool("run lds.wws --global 32 --local 32 --set lds.global_port=separate");
  ct_freed(outcome_free) struct outcome shared =
      tool("run lds.wws --global 32 --local 32 --set lds.global_port=shared");
  EXPECT_CONTAINS(separate.out, "0 cycles of contention with copies\n    accesses ");
  EXPECT_CONTAINS(shared.out, "0 cycles of contention with copies\n    and global accesses\n");
}

/* One work-item loads a word, stores it, and copies a word that it then reads. */
TEST(traffic, singular_and_plural_are_correct) {
  static const char one[] = ".kernel one\n.arg src global\n.lds t 4\n.reg e, v\n.reg64 p\n ld.arg.b64 p, src\n"
                            " copy.to_lds e, [t], [p], 1, size=1\n wait e\n ld.lds.u8 v, [t]\n"
                            " st.global.b8 [p], v\n exit\n";
  tool_folder();
  tool_file("one.wws", one);
  ct_freed(outcome_free) struct outcome outcome =
      tool("run one.wws --global 1 --local 1 --arg buffer:a=4 --set dma.full=retry");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_CONTAINS(outcome.out, "\nLDS: 1 access in 1 pass, 0 added by conflicts (at most 1 way); 0 cycles of");
  EXPECT_CONTAINS(outcome.out, "\n     1 beat of copies; 0 cycles of");
  EXPECT_CONTAINS(outcome.out, "\nDMA: 1 descriptor, 1 byte, ");
  EXPECT_CONTAINS(outcome.out, "\nmemory: 1 access of warps (1.00 sectors each), 1 request of DMA engines\n");
}
