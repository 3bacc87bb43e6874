/* Copies that warps carry out themselves (dma.copy lanes and blocking): the same bytes as with an engine, and times
 * calculated by hand on the default machine. */
#include <stdio.h>
#include <string.h>

#include "tests/ct.h"
#include "tests/models/rig.h"

enum { START = 10, LDS = 16384 };

/* A load from DRAM, from sending to the arrival of its data: docs/closed-forms.md. */
enum { R = 302 };

#define HEAD                                                                                                           \
  ".kernel k\n.arg src global\n.arg all global\n.arg out global\n.lds t 16384\n.reg e, f, i, v, n, next, "             \
  "this\n.reg64 p, q, r, o\n"                                                                                          \
  ".pred c\n ld.arg.b64 p, src\n ld.arg.b64 q, all\n ld.arg.b64 r, out\n"

/* ---- the same bytes ---------------------------------------------------------------------------- */

static const char *const modes[] = {
    "dma.copy=engine",
    "dma.copy=lanes",
    "dma.copy=lanes dma.lane_bytes=4 cu.warp_size=64 cu.schedulers=2",
    "dma.copy=blocking",
    "dma.copy=blocking cu.accesses=2 cu.copy_unroll=16 lds.queue=1 dma.lane_bytes=8",
};
enum { MODES = sizeof modes / sizeof *modes };

/* A copy in, a copy of the whole LDS out, and a copy out of the same shape as the copy in. */
struct shape {
  uint32_t size, count, stride; /* stride 0: a plain copy */
  uint32_t from, lds, to;       /* offsets in bytes */
};

static void write_kernel(char *text, size_t room, const struct shape *shape) {
  char in[96], out[96];
  if (shape->stride) {
    snprintf(in, sizeof in, "copy.to_lds.strided e, [%u], [p], %u, %u", shape->lds, shape->count, shape->stride);
    snprintf(out, sizeof out, "copy.to_global.strided e, [r], [%u], %u, %u", shape->lds, shape->count, shape->stride);
  } else {
    snprintf(in, sizeof in, "copy.to_lds e, [%u], [p], %u", shape->lds, shape->count);
    snprintf(out, sizeof out, "copy.to_global e, [r], [%u], %u", shape->lds, shape->count);
  }
  snprintf(text, room,
           HEAD " mov.b64 o, %u\n add.i64 p, p, o\n mov.b64 o, %u\n add.i64 r, r, o\n %s, size=%u\n wait e\n"
                " mov.b32 e, 0\n copy.to_global e, [q], [t], %u, size=1\n mov.b32 f, 0\n wait e\n"
                " mov.b32 e, 0\n %s, size=%u\n wait e\n exit\n",
           shape->from, shape->to, in, shape->size, LDS, out, shape->size);
}

/* Computes what the two buffers must hold in the end. */
static void expect(const struct shape *shape, const uint8_t *src, uint8_t *all, uint8_t *out) {
  uint32_t pitch = (shape->stride ? shape->stride : 1) * shape->size;
  for (uint32_t i = 0; i < shape->count; i++) {
    memcpy(all + shape->lds + i * shape->size, src + shape->from + i * pitch, shape->size);
    memcpy(out + shape->to + i * pitch, src + shape->from + i * pitch, shape->size);
  }
}

static void try_shape(const struct shape *shape, const char *mode) {
  static uint8_t all[RIG_BUFFER], out[RIG_BUFFER];
  char kernel[1024];
  ct_freed(rig_free) struct rig rig;
  memset(all, 0, sizeof all);
  memset(out, 0, sizeof out);
  write_kernel(kernel, sizeof kernel, shape);
  ct_note("%s: %u x %u bytes, stride %u, from %u by %u to %u", mode, shape->count, shape->size, shape->stride,
          shape->from, shape->lds, shape->to);
  rig_run(&rig, mode, 96, 96, kernel);
  expect(shape, rig.buffers[0].data, all, out);
  EXPECT_EQ(rig.result.end, END_FINISHED);
  EXPECT_EQ(rig.result.hazard_count, 0);
  EXPECT_EQ(memcmp(rig.buffers[1].data, all, sizeof all), 0);
  EXPECT_EQ(memcmp(rig.buffers[2].data, out, sizeof out), 0);
  EXPECT_EQ(rig.result.cu.warp_copies, strstr(mode, "engine") ? 0 : 3);
}

TEST(lane_copy, moves_the_same_bytes_as_an_engine) {
  static const uint32_t counts[] = {1, 3, 17, 97, 400};
  for (uint32_t size = 1; size <= 16; size *= 2)
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
      for (uint32_t stride = 0; stride <= 7; stride += 1 + stride % 3 * 2)
        for (size_t m = 0; m < MODES; m++) {
          uint32_t odd = size * (3 + (uint32_t)c);
          try_shape(&(struct shape){size, counts[c], stride, odd, odd + size, 5 * odd}, modes[m]);
        }
}

TEST(lane_copy, moves_bytes_at_any_alignment) {
  for (uint32_t lds = 0; lds < 20; lds += 3)
    for (uint32_t to = 0; to < 18; to += 5)
      for (size_t m = 0; m < MODES; m++)
        try_shape(&(struct shape){1, 200 + to, 0, lds + to, lds, to}, modes[m]);
}

/* DRAM answers the first copy long after the last has begun. */
TEST(lane_copy, any_number_of_copies_can_be_in_flight) {
  enum { COPIES = 20, BYTES = 64 };
  char kernel[COPIES * 80 + 1024] = HEAD " mov.b64 o, 64\n";
  size_t used = strlen(kernel);
  ct_freed(rig_free) struct rig rig;
  for (unsigned i = 0; i < COPIES; i++)
    used += (size_t)snprintf(kernel + used, sizeof kernel - used,
                             " copy.to_lds e, [t + %u], [p], %u, size=1\n add.i64 p, p, o\n", i * BYTES, BYTES);
  snprintf(kernel + used, sizeof kernel - used,
           " wait e\n mov.b32 e, 0\n copy.to_global e, [q], [t], %u, size=1\n wait e\n exit\n", COPIES * BYTES);
  rig_run(&rig, "dma.copy=lanes mem.dram_latency=5000", 32, 32, kernel);
  EXPECT_LT(rig.result.cycles, 2 * 5000);
  EXPECT_EQ(rig.result.cu.warp_copies, COPIES + 1);
  EXPECT_EQ(memcmp(rig.buffers[1].data, rig.buffers[0].data, COPIES * BYTES), 0);
}

TEST(lane_copy, an_empty_copy_completes_and_takes_no_slot) {
  for (size_t m = 1; m < MODES; m++) {
    ct_freed(rig_free) struct rig rig;
    rig_run(&rig, modes[m], 64, 64, HEAD " copy.to_lds e, [t], [p], 0, size=4\n wait e\n exit\n");
    EXPECT_EQ(rig.result.end, END_FINISHED);
    EXPECT_EQ(rig.result.cu.warp_copies, 1);
    EXPECT_EQ(rig.result.cu.copy_slots, 0);
    EXPECT_EQ(rig.result.dma_latency->count, 1);
  }
}

TEST(lane_copy, bytes_are_stale_until_the_wait_except_for_blocking_copies) {
  const char *text = HEAD " get.local_id i, x\n shl.b32 i, i, 2\n copy.to_lds e, [t], [p], 64, size=4\n"
                          " ld.lds.b32 v, [t + i]\n st.global.b32 [q + i], v\n wait e\n ld.lds.b32 v, [t + i]\n"
                          " st.global.b32 [r + i], v\n exit\n";
  for (size_t m = 0; m < MODES; m++) {
    ct_freed(rig_free) struct rig rig;
    bool blocking = strstr(modes[m], "blocking");
    ct_note("%s", modes[m]);
    rig_run(&rig, modes[m], 64, 64, text);
    /* a warp that blocks has at least its own share: here warp 0 has all of it */
    for (uint32_t i = 0; i < 32; i++) {
      EXPECT_EQ(rig_word(&rig, 1, i), blocking ? i : 0);
      EXPECT_EQ(rig_word(&rig, 2, i), i);
    }
  }
}

TEST(lane_copy, elements_outside_the_buffer_are_zero_or_unchanged) {
  /* 16 elements, of which the buffer has 6; the LDS holds 7s before */
  const char *text =
      HEAD " mov.b64 o, %u\n add.i64 p, p, o\n add.i64 o, q, o\n get.local_id i, x\n shl.b32 i, i, 2\n mov.b32 v, 7\n"
           " st.lds.b32 [t + i], v\n bar.lds\n copy.to_lds e, [t], [p], 16, size=4\n wait e\n ld.lds.b32 v, [t + i]\n"
           " st.global.b32 [r + i], v\n mov.b32 e, 0\n copy.to_global e, [o], [t], 16, size=4\n wait e\n exit\n";
  for (unsigned zero = 0; zero < 2; zero++)
    for (unsigned blocking = 0; blocking < 2; blocking++) {
      char kernel[1024], settings[96];
      ct_freed(rig_free) struct rig rig;
      snprintf(kernel, sizeof kernel, text, RIG_BUFFER - 6 * 4);
      snprintf(settings, sizeof settings, "dma.copy=%s dma.out_of_bounds=%s", blocking ? "blocking" : "lanes",
               zero ? "zero" : "skip");
      ct_note("%s", settings);
      rig_run(&rig, settings, 32, 32, kernel);
      EXPECT_EQ(rig.result.hazard_count, 0);
      for (uint32_t i = 0; i < 16; i++)
        EXPECT_EQ(rig_word(&rig, 2, i), i < 6 ? RIG_BUFFER / 4 - 6 + i : zero ? 0 : 7);
      for (uint32_t i = 0; i < 6; i++)
        EXPECT_EQ(rig_word(&rig, 1, RIG_BUFFER / 4 - 6 + i), RIG_BUFFER / 4 - 6 + i);
    }
}

/* ---- times ------------------------------------------------------------------------------------- */

/* The round trip of `bytes` from the start of a line on the default machine. */
static uint64_t round_trip(uint64_t bytes) {
  struct machine machine;
  rig_machine(&machine, "");
  const struct mem_params *mem = &machine.mem;
  return 1 + mem->link_latency + div_up(bytes, mem->l2_width) - 1 + mem->l2_latency + mem->dram_latency +
         div_up(bytes, mem->dram_width) - 1 + div_up(bytes, mem->link_width) + mem->link_latency;
}

/* 512 bytes, one warp of 32 lanes: docs/closed-forms.md. ld.arg's result is used 10 cycles after the third. */
static const char *const example = HEAD " copy.to_lds e, [t], [p], 512, size=1\n wait e\n exit\n";

TEST(lane_copy, the_worked_example_is_exact_to_the_cycle) {
  ct_freed(rig_free) struct rig lanes, blocking;
  uint64_t issue = START + 10, done = 5 + round_trip(512) + 4 + 10;
  rig_run(&lanes, "dma.copy=lanes", 32, 32, example);
  rig_run(&blocking, "dma.copy=blocking", 32, 32, example);
  EXPECT_EQ(lanes.result.dma_latency->maximum, done);
  EXPECT_EQ(blocking.result.dma_latency->maximum, done);
  /* lanes: the wait releases 4 cycles later, then the exit. blocking: the wait issues when the store is done and
   * releases 4 cycles after that. */
  EXPECT_EQ(lanes.result.cycles, issue + done + 4 + 1);
  EXPECT_EQ(blocking.result.cycles, issue + done + 4 + 1);
  EXPECT_EQ(lanes.result.cu.exposed_cycles, done - 6); /* the warp continues 6 cycles after its copy, with the wait */
  EXPECT_EQ(blocking.result.cu.exposed_cycles, done);
  EXPECT_EQ(lanes.result.stalls[STALL_COPY_WAIT], done - 7);
  EXPECT_EQ(blocking.result.stalls[STALL_COPY_WAIT], 0);
  EXPECT_EQ(lanes.result.cu.copy_slots, 2);
  EXPECT_EQ(blocking.result.cu.copy_slots, 3);
  EXPECT_EQ(rig_pc(&lanes, "copy.to_lds")->lds_passes, 4);
  EXPECT_EQ(rig_pc(&lanes, "copy.to_lds")->sectors, 16);
}

/* Four planes of four lines of 64 bytes. The arguments are the plane pitches, in elements of 4 bytes. */
#define PLANES(global, lds)                                                                                            \
  "mov.b32 v, t\n mov.b32 n, 16\n mov.b32 f, 4\n mov.b32 next, " #global "\n mov.b32 this, " #lds                      \
  "\n copy.to_lds.3d e, [v], [p], n, size=f, lines=f, planes=f, global_line=n, lds_line=n, global_plane=next, "        \
  "lds_plane=this"

TEST(lane_copy, the_number_of_accesses_is_bytes_over_lanes_times_the_widest_common_piece) {
  static const struct {
    const char *settings, *copy;
    uint32_t accesses;
  } rows[] = {
      {"", "copy.to_lds e, [t], [p], 4096, size=1", 4096 / (32 * 16)},
      {"dma.lane_bytes=8", "copy.to_lds e, [t], [p], 4096, size=1", 4096 / (32 * 8)},
      {"dma.lane_bytes=4", "copy.to_lds e, [t], [p], 4096, size=1", 4096 / (32 * 4)},
      {"cu.warp_size=64", "copy.to_lds e, [t], [p], 4096, size=1", 4096 / (64 * 16)},
      {"", "copy.to_lds e, [t + 8], [p], 4096, size=1", 4096 / (32 * 8)},
      {"", "copy.to_lds e, [t + 2], [p], 4096, size=1", 4096 / (32 * 2)},
      {"", "copy.to_lds e, [t], [p], 4095, size=1", 4096 / 32},
      {"", "copy.to_lds.strided e, [t], [p], 1024, 3, size=4", 1024 / 32},
      {"", "copy.to_lds.strided e, [t], [p], 1024, 1, size=4", 4096 / (32 * 16)},
      {"", "copy.to_global e, [q], [t], 1000, size=4", 8},
      {"", PLANES(64, 64), 1024 / (32 * 16)},
      {"", PLANES(66, 64), 1024 / (32 * 8)},
      {"", PLANES(65, 64), 1024 / (32 * 4)},
      {"", PLANES(64, 65), 1024 / (32 * 4)},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (unsigned blocking = 0; blocking < 2; blocking++) {
      char kernel[1024], settings[96];
      ct_freed(rig_free) struct rig rig;
      snprintf(kernel, sizeof kernel, HEAD " %s\n wait e\n exit\n", rows[i].copy);
      snprintf(settings, sizeof settings, "cu.copy_overhead=3 dma.copy=%s %s", blocking ? "blocking" : "lanes",
               rows[i].settings);
      ct_note("%s: %s", settings, rows[i].copy);
      rig_run(&rig, settings, 64, 64, kernel);
      EXPECT_EQ(rig.result.cu.copy_accesses, rows[i].accesses);
      EXPECT_EQ(rig.result.cu.copy_slots, rows[i].accesses * (blocking ? 5 : 4));
      EXPECT_EQ(rig.result.dma.descriptors, 0);
    }
}

static uint64_t copy_latency(const char *settings, const char *copy, uint32_t items) {
  char kernel[512];
  ct_freed(rig_free) struct rig rig;
  snprintf(kernel, sizeof kernel, HEAD " %s\n wait e\n exit\n", copy);
  rig_run(&rig, settings, items, items, kernel);
  uint64_t latency = rig.result.dma_latency->maximum;
  return latency;
}

TEST(lane_copy, one_more_slot_per_access_is_one_more_cycle_per_access) {
  /* 128 accesses of one warp and one scheduler, undisturbed */
  const char *copy = "copy.to_lds e, [t], [p], 4095, size=1";
  const char *settings = "dma.copy=lanes cu.accesses=4096 cu.copy_overhead=%u";
  char with[96];
  snprintf(with, sizeof with, settings, 1u);
  uint64_t last = copy_latency(with, copy, 32);
  for (unsigned overhead = 2; overhead < 6; overhead++) {
    snprintf(with, sizeof with, settings, overhead);
    uint64_t latency = copy_latency(with, copy, 32);
    EXPECT_EQ(latency, last + 128);
    last = latency;
  }
}

/* The copy's slots end long before its wait and do not delay it: instructions issue in the same cycles whether an
 * access takes two slots or three. */
TEST(lane_copy, the_hash_of_issues_includes_slots_of_copies) {
  const char *kernel = HEAD " ld.global.b32 v, [p]\n copy.to_lds e, [t], [p], 512, size=1\n mov.b32 v, v\n"
                            " ld.global.b32 n, [q]\n mov.b32 n, n\n wait e\n exit\n";
  ct_freed(rig_free) struct rig two, again, three;
  rig_run(&two, "dma.copy=lanes cu.copy_overhead=1", 32, 32, kernel);
  rig_run(&again, "dma.copy=lanes cu.copy_overhead=1", 32, 32, kernel);
  rig_run(&three, "dma.copy=lanes cu.copy_overhead=2", 32, 32, kernel);
  EXPECT_EQ(two.result.cu.copy_slots, 2);
  EXPECT_EQ(three.result.cu.copy_slots, 3);
  EXPECT_EQ(three.result.cycles, two.result.cycles);
  EXPECT_EQ(three.result.stalls[STALL_MEMORY] + three.result.stalls[STALL_ISSUED],
            two.result.stalls[STALL_MEMORY] + two.result.stalls[STALL_ISSUED]);
  EXPECT_EQ(again.result.trace_hash, two.result.trace_hash);
  EXPECT_NE(three.result.trace_hash, two.result.trace_hash);
}

/* Two work-groups on separate schedulers. Their loads of one sector make them continue in the same cycles, and make
 * them wait while the copy of one of them takes its slots. The other's copy is empty. */
TEST(lane_copy, the_hash_of_issues_depends_on_which_warp_had_the_copy_slot) {
  struct rig rig[2];
  for (uint32_t who = 0; who < 2; who++) {
    rig[who] = (struct rig){.order = ORDER_ASCENDING, .value = {who}};
    if (rig_build(&rig[who], "dma.copy=lanes cu.schedulers=2", 64, 32,
                  ".kernel k\n.arg src global\n.arg all global\n.arg who u32\n.lds t 512\n.reg e, g, v, n\n"
                  ".reg64 p, q\n ld.arg.b64 p, src\n ld.arg.b64 q, all\n ld.arg.b32 v, who\n get.group_id g, x\n"
                  " xor.b32 g, g, v\n xor.b32 g, g, 1\n shl.b32 n, g, 9\n ld.global.b32 v, [p]\n mov.b32 v, v\n"
                  " ld.global.b32 v, [q]\n copy.to_lds e, [t], [p], n, size=1\n mov.b32 v, v\n"
                  " ld.global.b32 v, [q + 4096]\n mov.b32 v, v\n wait e\n exit\n"))
      rig_start(&rig[who]);
    EXPECT_EQ(rig[who].result.cu.copy_slots, 2);
  }
  EXPECT_EQ(rig[1].result.cycles, rig[0].result.cycles);
  EXPECT_EQ(memcmp(rig[1].result.stalls, rig[0].result.stalls, sizeof rig[0].result.stalls), 0);
  EXPECT_NE(rig[1].result.trace_hash, rig[0].result.trace_hash);
  rig_free(&rig[0]);
  rig_free(&rig[1]);
}

TEST(lane_copy, a_blocking_loop_pays_the_latency_once_per_batch_of_loads) {
  /* 16 accesses of 512 bytes by one warp */
  uint64_t last = 0;
  for (unsigned unroll = 1; unroll <= 16; unroll *= 2) {
    char settings[96];
    snprintf(settings, sizeof settings, "dma.copy=blocking cu.copy_unroll=%u", unroll);
    uint64_t latency = copy_latency(settings, "copy.to_lds e, [t], [p], 8192, size=1", 32);
    ct_note("%s: %llu cycles", settings, (unsigned long long)latency);
    EXPECT_GE(latency, 16 / unroll * (uint64_t)R);
    EXPECT_LE(latency, 16 / unroll * (uint64_t)(R + 30) + 16 * 30);
    if (last)
      EXPECT_LT(latency, last);
    last = latency;
  }
}

TEST(lane_copy, warps_share_a_copy) {
  const char *copy = "copy.to_lds e, [t], [p], 16384, size=1";
  uint64_t one = copy_latency("dma.copy=blocking", copy, 32), four = copy_latency("dma.copy=blocking", copy, 128);
  EXPECT_LT(four * 2, one);
}

TEST(lane_copy, an_outbound_copy_reads_the_lds_and_stores) {
  /* 128 bytes: 32 lanes of 4, one pass. Load slot at 5; pass 1, latency 10; store: a cycle of the port, 128 bytes on
   * the 64-byte uplink, L2, back. */
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "dma.copy=lanes dma.lane_bytes=4", 32, 32,
          HEAD " copy.to_global e, [q], [t], 128, size=1\n wait e\n exit\n");
  const struct mem_params *mem = &rig.machine.mem;
  uint64_t up = 1 + div_up(128, mem->link_width) + mem->link_latency;
  EXPECT_EQ(rig.result.dma_latency->maximum,
            5 + 1 + 10 + up + div_up(128, mem->l2_width) - 1 + mem->l2_latency + mem->link_latency);
  EXPECT_EQ(rig.result.mem.stores, 1);
}

/* A tile is used for `work` rounds while the next one is copied: engines leave the issue slots to the work. */
static uint64_t double_buffer(const char *settings, unsigned work, uint32_t items) {
  const char *text = HEAD /* two tiles of 4 KiB, used for 16 tiles in all */
      " mov.b64 o, 4096\n copy.to_lds this, [0], [p], 4096, size=1\n"
      "tile: add.i64 p, p, o\n mov.b32 next, 0\n copy.to_lds next, [4096], [p], 4096, size=1\n wait this\n"
      " mov.b32 i, 0\nwork: add.i32 v, v, 3\n add.i32 f, f, 5\n add.i32 i, i, 1\n setp.lt.u32 c, i, %u\n"
      "@c bra work\n bar.lds\n mov.b32 this, next\n add.i32 n, n, 1\n setp.lt.u32 c, n, 15\n@c bra tile\n wait this\n"
      " exit\n";
  char kernel[1024];
  snprintf(kernel, sizeof kernel, text, work);
  return rig_cycles(settings, items, items, kernel);
}

TEST(lane_copy, with_full_issue_slots_an_engine_beats_lanes_and_lanes_beat_blocking) {
  for (uint32_t items = 64; items <= 256; items *= 2) {
    uint64_t engine = double_buffer("dma.outstanding=256", 40, items);
    uint64_t lanes = double_buffer("dma.outstanding=256 dma.copy=lanes", 40, items);
    uint64_t blocking = double_buffer("dma.outstanding=256 dma.copy=blocking", 40, items);
    ct_note("%u work-items: %llu, %llu, %llu", items, (unsigned long long)engine, (unsigned long long)lanes,
            (unsigned long long)blocking);
    EXPECT_LT(engine, lanes);
    EXPECT_LT(lanes, blocking);
  }
}
