/* Loads, stores and atomics of every width and space, in bounds and out. */
#include "isa/ops.h"
#include "isa/rows.h"
#include "tests/ct.h"
#include "tests/isa/oracle.h"
#include "tests/isa/rig.h"

#include <stdio.h>
#include <string.h>

/* The kernel's arguments are two buffers; r0 is the lane, p the first buffer. */
#define HEAD                                                                                                           \
  ".kernel k\n.arg a global\n.arg b global\n.reg lane, at, x, y\n.reg64 p, w, v\n.reg q[4]\n.pred t\n.private 64\n"    \
  "get.local_id lane, x\nld.arg.b64 p, a\n"

static bool run(struct rig *rig, const char *source, uint32_t items) {
  return rig_open(rig, source, items, 32) && EXPECT_TRUE(rig_run(rig, 10000));
}

static const char *const spaces[] = {"global", "lds", "private"};

/* Stores and loads of each width in each space are little-endian and change no neighboring bytes. */
TEST(memory, every_width_survives_a_round_trip_through_every_space) {
  static const struct {
    const char *store, *load, *from, *to;
    unsigned bytes;
    uint32_t expected[4];
  } widths[] = {
      {"b8", "u8", "x", "y", 1, {0xf4}},
      {"b8", "s8", "x", "y", 1, {0xfffffff4}},
      {"b16", "u16", "x", "y", 2, {0xf2f4}},
      {"b16", "s16", "x", "y", 2, {0xfffff2f4}},
      {"b32", "b32", "x", "y", 4, {0xf0f1f2f4}},
      {"b64", "b64", "q[0]", "w", 8, {0xf0f1f2f4, 0x01020304}},
      {"b128", "b128", "q", "q", 16, {0xf0f1f2f4, 0x01020304, 0x05060708, 0x90a0b0c0}},
  };
  for (int space = 0; space < 3; space++)
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
      char source[1024];
      const char *address = space == 0 ? "p + at + 16" : space == 1 ? "at + 16" : "16";
      snprintf(source, sizeof source,
               HEAD "mul.i32 at, lane, 16\nmov.b32 x, 0xf0f1f2f4\nmov.b32 q[0], 0xf0f1f2f4\nmov.b32 q[1], 0x01020304\n"
                    "mov.b32 q[2], 0x05060708\nmov.b32 q[3], 0x90a0b0c0\nst.%s.%s [%s], %s\n"
                    "ld.%s.%s %s, [%s]\nexit\n",
               spaces[space], widths[i].store, address, widths[i].from, spaces[space], widths[i].load, widths[i].to,
               address);
      ct_freed(rig_close) struct rig rig;
      ct_note("%s.%s", spaces[space], widths[i].load);
      ASSERT_TRUE(run(&rig, source, 32));
      EXPECT_EQ(rig.hazards, 0);
      const uint32_t first = widths[i].to[0] == 'y' ? 3 : widths[i].to[0] == 'w' ? 6 : 10;
      for (uint32_t lane = 0; lane < 32; lane += 7)
        for (unsigned word = 0; word < (widths[i].bytes + 3) / 4; word++)
          EXPECT_EQ(rig_reg(&rig, first + word, lane), widths[i].expected[word]);
      const uint8_t *bytes = space == 0 ? rig.buffers[0].data : space == 1 ? rig.lds : rig.warp[0].private_memory;
      EXPECT_EQ(bytes[15], 0);
      EXPECT_EQ(bytes[16], 0xf4);
      EXPECT_EQ(bytes[16 + widths[i].bytes], space == 2 || widths[i].bytes < 16 ? 0 : 0xf4);
    }
}

TEST(memory, constants_and_arguments_are_read_in_each_width) {
  ct_freed(rig_close) struct rig rig;
  ASSERT_TRUE(run(&rig,
                  ".const table u32 7, 0x80ff8081, 3, 4\n.kernel k\n.arg a global\n.arg b global\n.reg i, x, y, q[4]\n"
                  ".reg64 w\n"
                  "get.lane i\nand.b32 i, i, 1\nshl.b32 i, i, 2\nld.const.b32 x, [table + i]\n"
                  "ld.const.s16 y, [table + 4]\nld.const.b128 q, [table]\nld.arg.b64 w, b\nexit\n",
                  32));
  EXPECT_EQ(rig_reg(&rig, 1, 0), 7);
  EXPECT_EQ(rig_reg(&rig, 1, 1), 0x80ff8081);
  EXPECT_EQ(rig_reg(&rig, 2, 5), 0xffff8081);
  EXPECT_EQ(rig_reg(&rig, 6, 5), 4);
  EXPECT_EQ(rig_pair(&rig, 7, 31), rig.buffers[1].base);
}

TEST(memory, private_memory_belongs_to_one_lane) {
  ct_freed(rig_close) struct rig rig;
  ASSERT_TRUE(run(&rig, HEAD "st.private.b32 [4], lane\nld.private.b32 x, [4]\nexit\n", 40));
  for (uint32_t lane = 0; lane < 40; lane++)
    EXPECT_EQ(rig_reg(&rig, 2, lane), lane);
}

TEST(memory, an_lds_access_names_bytes_of_the_cus_lds) {
  ct_freed(rig_close) struct rig rig;
  ASSERT_TRUE(rig_open(&rig, HEAD "shl.b32 at, lane, 2\nld.lds.b32 x, [at + 8]\nexit\n", 20, 32));
  for (int i = 0; i < 4; i++)
    rig_step(&rig, 0);
  EXPECT_EQ(rig.access.mask, (1 << 20) - 1);
  EXPECT_EQ(rig.access.bytes, 4);
  EXPECT_EQ(rig.access.pc, 3);
  EXPECT_EQ(rig.access.address[3], rig.group.lds_base + 8 + 12);
}

/* The value is captured when the store issues and reaches memory when the store commits. */
TEST(memory, stores_keep_the_value_of_their_issue_until_their_commit) {
  ct_freed(rig_close) struct rig rig;
  struct isa_access_lanes lanes;
  struct isa_access first = isa_access_with(&lanes);
  ASSERT_TRUE(rig_open(&rig, HEAD "mov.b32 x, 5\nst.lds.b32 [0], x\nmov.b32 x, 6\nexit\n", 1, 32));
  for (int i = 0; i < 3; i++)
    rig_step(&rig, 0);
  isa_step(&rig.warp[0], &first, &rig.last);
  rig_step(&rig, 0);
  EXPECT_EQ(rig.lds[0], 0);
  isa_access_commit(&first);
  EXPECT_EQ(rig.lds[0], 5);
}

static void expect_hazard(const struct rig *rig, enum isa_hazard_rule rule, uint32_t item, const char *detail) {
  EXPECT_EQ(rig->hazards, 1);
  EXPECT_EQ(rig->hazard[0].rule, rule);
  EXPECT_EQ(rig->hazard[0].item, item);
  EXPECT_STREQ(rig->hazard[0].detail, detail);
}

TEST(memory, lanes_out_of_bounds_are_reported_once_and_read_zero) {
  struct rig rig;
  /* lanes 0 to 15 access the buffer's last 16 words */
  ASSERT_TRUE(run(&rig, HEAD "shl.b32 at, lane, 2\nmov.b32 x, 9\nld.global.b32 x, [p + at + 65472]\nexit\n", 32));
  expect_hazard(&rig, HAZARD_M1, 16, "address 0x100010000, 4 bytes: offset 65536 of 'a', which has 65536");
  EXPECT_EQ(rig.hazard[0].pc, 4);
  EXPECT_EQ(rig_reg(&rig, 2, 16), 0);
  EXPECT_EQ(rig_reg(&rig, 2, 31), 0);
  rig_close(&rig);

  ASSERT_TRUE(run(&rig, HEAD "st.global.b32 [p + lane - 4], lane\nexit\n", 1));
  expect_hazard(&rig, HAZARD_M1, 0, "address 0xfffffffc, 4 bytes, is below every buffer");
  rig_close(&rig);

  ASSERT_TRUE(run(&rig, HEAD "mov.b32 x, 7\nshl.b32 at, lane, 7\nst.lds.b32 [at + 128], x\nexit\n", 32));
  expect_hazard(&rig, HAZARD_M1, 31, "LDS offset 4096, 4 bytes; there are 4096");
  EXPECT_EQ(rig.lds[31 * 128], 7);
  rig_close(&rig);

  ASSERT_TRUE(run(&rig, HEAD "mov.b32 x, 7\nld.private.b64 w, [lane + 57]\nexit\n", 1));
  EXPECT_EQ(rig.hazard[0].rule, HAZARD_M1);
  rig_close(&rig);

  ASSERT_TRUE(run(&rig, HEAD "mov.b32 x, 7\nld.const.b32 x, [0]\nexit\n", 1));
  expect_hazard(&rig, HAZARD_M1, 0, "constant offset 0, 4 bytes; there are 0");
  EXPECT_EQ(rig_reg(&rig, 2, 0), 0);
  rig_close(&rig);
}

/* The last byte counts: an access that starts inside and ends outside is outside. */
TEST(memory, bounds_are_exact_to_the_byte) {
  for (uint32_t offset = 65528; offset < 65540; offset++) {
    ct_freed(rig_close) struct rig rig;
    char source[512];
    snprintf(source, sizeof source, HEAD "ld.global.b64 w, [p + %u]\nexit\n", offset);
    ASSERT_TRUE(run(&rig, source, 1));
    ct_note("offset %u", offset);
    EXPECT_EQ(rig.hazards, offset == 65528 ? 0 : 1);
  }
}

/* `body` ends with an access, which is not performed. */
static bool is_run(const char *body, uint32_t items) {
  ct_freed(rig_close) struct rig rig;
  char text[512];
  snprintf(text, sizeof text, HEAD "%sexit\n", body);
  if (!rig_open(&rig, text, items, 32))
    return false;
  while (rig.program->code[rig.warp[0].pc].op != ISA_EXIT)
    rig_step(&rig, 0);
  return rig.access.run;
}

TEST(memory, a_run_needs_all_lanes_adjacent_in_one_buffer) {
  static const struct {
    const char *body;
    uint32_t items;
    bool run;
  } rows[] = {
      {"shl.b32 at, lane, 2\nld.global.b32 x, [p + at]\n", 32, true},
      {"shl.b32 at, lane, 2\nst.global.b32 [p + at + 65408], x\n", 32, true},  /* the buffer's last */
      {"shl.b32 at, lane, 2\nst.global.b32 [p + at + 65412], x\n", 32, false}, /* and one word beyond */
      {"shl.b32 at, lane, 2\nld.global.b32 x, [p + at]\n", 31, false},         /* a lane is missing */
      {"shl.b32 at, lane, 2\nld.global.b32 x, [p + at + 2]\n", 32, false},     /* not aligned */
      {"shl.b32 at, lane, 3\nld.global.b32 x, [p + at]\n", 32, false},         /* gaps */
      {"ld.global.u8 x, [p + lane]\n", 32, true},
      {"ld.global.b32 x, [p]\n", 32, false},                          /* one word for all lanes */
      {"xor.b32 at, lane, 1\nld.global.u8 x, [p + at]\n", 32, false}, /* another order */
      {"sub.i32 at, 31, lane\nshl.b32 at, at, 2\nld.global.b32 x, [p + at]\n", 32, false},
      {"shl.b32 at, lane, 2\nld.lds.b32 x, [at]\n", 32, true}, /* the LDS counts as one buffer */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_note("%s", rows[i].body);
    EXPECT_EQ(is_run(rows[i].body, rows[i].items), rows[i].run);
  }
}

TEST(memory, lanes_may_be_in_different_buffers) {
  ct_freed(rig_close) struct rig rig;
  ASSERT_TRUE(run(&rig,
                  HEAD "ld.arg.b64 w, b\nand.b32 x, lane, 1\nsetp.eq.u32 t, x, 0\nsel.b64 w, p, w, t\n"
                       "shl.b32 at, lane, 2\nst.global.b32 [w + at], lane\nld.global.b32 y, [w + at]\nexit\n",
                  32));
  EXPECT_EQ(rig.hazards, 0);
  EXPECT_EQ(rig_words(&rig)[4], 4);
  EXPECT_EQ(rig_words(&rig)[5], 0);
  EXPECT_EQ(rig.buffers[1].data[20], 5);
  EXPECT_EQ(rig_reg(&rig, 3, 31), 31);
}

TEST(memory, misaligned_lanes_are_reported_once_and_still_served) {
  ct_freed(rig_close) struct rig rig;
  ASSERT_TRUE(run(&rig, HEAD "mov.b32 x, 0x01020304\nmul.i32 at, lane, 5\nst.global.b32 [p + at], x\nexit\n", 2));
  expect_hazard(&rig, HAZARD_M2, 1, "global address 0x100000005 of a 4-byte access");
  EXPECT_EQ(rig.buffers[0].data[5], 4);
  EXPECT_EQ(rig.buffers[0].data[8], 1);
}

TEST(memory, an_access_is_aligned_only_at_multiples_of_its_size) {
  static const char *const widths[] = {"u8 x", "u16 x", "b32 x", "b64 w", "b128 q"};
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
    for (uint32_t offset = 0; offset <= 16; offset++) {
      ct_freed(rig_close) struct rig rig;
      char source[512];
      snprintf(source, sizeof source, HEAD "ld.global.%s, [p + %u]\nexit\n", widths[i], offset);
      ASSERT_TRUE(run(&rig, source, 1));
      ct_note("%s at %u", widths[i], offset);
      EXPECT_EQ(rig.hazards, offset % (1u << i) != 0);
    }
}

TEST(memory, inactive_lanes_access_nothing) {
  ct_freed(rig_close) struct rig rig;
  ASSERT_TRUE(run(&rig,
                  HEAD "setp.eq.u32 t, lane, 3\nmov.b32 at, 0x7fffffff\n@t mov.b32 at, 12\n"
                       "@t st.lds.b32 [at], lane\nexit\n",
                  32));
  EXPECT_EQ(rig.hazards, 0);
  EXPECT_EQ(rig.lds[12], 3);
}

TEST(memory, a_prefetch_lists_each_lanes_bytes_and_changes_nothing) {
  ct_freed(rig_close) struct rig rig;
  ASSERT_TRUE(rig_open(&rig,
                       HEAD "shl.b32 at, lane, 6\nadd.i32 x, lane, 1\nprefetch [p + at], x\n"
                            "prefetch [p], 256\nexit\n",
                       32, 32));
  for (int i = 0; i < 5; i++)
    rig_step(&rig, 0);
  EXPECT_EQ(rig.access.mask, UINT32_MAX);
  EXPECT_EQ(rig.access.address[2], ISA_GLOBAL_BASE + 128);
  EXPECT_EQ(rig.access.data[2], 3);
  rig_step(&rig, 0);
  EXPECT_EQ(rig.access.data[31], 256);
  EXPECT_EQ(rig.hazards, 0);
}

/* ---- atomics ------------------------------------------------------------------------------------- */

static uint64_t atomic_oracle(const struct isa_row *row, uint64_t old, uint64_t b, uint64_t c) {
  const char *name = row->mnemonic + strlen(strstr(row->mnemonic, ".lds.") ? "atom.lds." : "atom.global.");
  if (strncmp(name, "xchg", 4) == 0)
    return c;
  return strncmp(name, "cas", 3) == 0 ? (old == b ? c : old) : oracle_named(name, old, c);
}

/* All 32 lanes hit the same word: the oracle applies them in lane order. */
TEST(memory, every_atomic_applies_its_lanes_in_order_and_returns_the_old_values) {
  uint64_t seed = 5;
  unsigned checked = 0;
  for (enum isa_op op = 0; op < ISA_OPS; op++) {
    const struct isa_row *row = &isa_rows[op];
    const bool lds = row->format == FORMAT_ATOMIC_LDS || row->format == FORMAT_CAS_LDS;
    const bool cas = row->format == FORMAT_CAS_LDS || row->format == FORMAT_CAS_GLOBAL;
    if (!lds && row->format != FORMAT_ATOMIC_GLOBAL && row->format != FORMAT_CAS_GLOBAL)
      continue;
    checked++;
    const bool wide = isa_types[row->c].registers == 2;
    char source[256];
    snprintf(source, sizeof source, ".kernel k\n.arg a global\nld.arg.b64 r0, a\n%s r2, [%s + 8], %sr6\nexit\n",
             row->mnemonic, lds ? "r8" : "r0", cas ? "r4, " : "");
    ct_freed(rig_close) struct rig rig;
    ct_note("%s", row->mnemonic);
    ASSERT_TRUE(rig_open(&rig, source, 32, 32));
    uint64_t value = oracle_value(row->c, &seed);
    uint8_t *at = (lds ? rig.lds : rig.buffers[0].data) + 8;
    memcpy(at, &value, wide ? 8 : 4);
    uint64_t expected_old[32];
    for (uint32_t lane = 0; lane < 32; lane++) {
      const uint64_t c = oracle_value(row->c, &seed);
      const uint64_t b = lane % 3 ? value : ct_random(&seed) & UINT32_MAX;
      for (uint32_t word = 0; word < 2; word++) {
        if (wide || !word)
          rig.warp[0].reg[(6 + word) * 32 + lane] = (uint32_t)(c >> 32 * word);
        if (cas && (wide || !word))
          rig.warp[0].reg[(4 + word) * 32 + lane] = (uint32_t)(b >> 32 * word);
      }
      expected_old[lane] = value;
      value = atomic_oracle(row, value, b, c);
    }
    rig_step(&rig, 0);
    rig_step(&rig, 0);
    uint64_t found = 0;
    memcpy(&found, at, wide ? 8 : 4);
    EXPECT_EQ(found, value);
    for (uint32_t lane = 0; lane < 32; lane++)
      EXPECT_EQ(wide ? rig_pair(&rig, 2, lane) : rig_reg(&rig, 2, lane), expected_old[lane]);
    EXPECT_EQ(rig.hazards, 0);
  }
  EXPECT_EQ(checked, 52);
}

TEST(memory, an_atomic_without_destination_only_changes_memory) {
  ct_freed(rig_close) struct rig rig;
  ASSERT_TRUE(run(&rig, HEAD "mov.b32 x, 2\natom.lds.add.i32 _, [4], x\nexit\n", 64));
  EXPECT_EQ(rig.lds[4], 128);
}

/* ---- buffers ------------------------------------------------------------------------------------- */

TEST(memory, buffers_are_found_exactly_and_messages_name_the_nearest_below) {
  uint8_t one[16], two[32];
  struct isa_buffer buffers[] = {{"one", 0x1000, 16, one}, {"two", 0x2000, 32, two}};
  struct isa_memory memory = {.buffers = buffers, .count = 2};
  EXPECT_TRUE(isa_memory_at(&memory, 0x2000, 32) == two);
  EXPECT_EQ(memory.last, 1);
  EXPECT_TRUE(isa_memory_at(&memory, 0x100f, 1) == one + 15);
  EXPECT_TRUE(isa_memory_at(&memory, 0x100f, 2) == NULL);
  EXPECT_TRUE(isa_memory_at(&memory, 0xfff, 1) == NULL);
  EXPECT_TRUE(isa_memory_at(&memory, 0x2000, 33) == NULL);
  EXPECT_TRUE(isa_memory_at(&memory, UINT64_MAX, 2) == NULL);
  EXPECT_STREQ(isa_memory_near(&memory, 0x1fff)->name, "one");
  EXPECT_STREQ(isa_memory_near(&memory, 0x9999)->name, "two");
  EXPECT_TRUE(isa_memory_near(&memory, 0xfff) == NULL);
}

/* Each lane's bytes do not pass through registers; lanes whose bytes are outside on either side are left out, with a
 * hazard. */
TEST(memory, a_lane_copies_its_own_bytes_into_the_lds) {
  for (unsigned bytes = 4; bytes <= 16; bytes *= 2) {
    char source[512];
    snprintf(source, sizeof source,
             HEAD
             "setp.eq.u32 t, lane, 31\nmul.i32 at, lane, 16\nmov.b32 x, 0xf0f1f2f4\nst.global.b32 [p + at + %u], x\n"
             "@t mov.b32 at, 0x7fffff00\ncopy.lane.b%u [at], [p + at]\ncopy.lane.commit\ncopy.lane.wait 0\nexit\n",
             bytes - 4, 8 * bytes);
    ct_freed(rig_close) struct rig rig;
    ct_note("%u bytes", bytes);
    ASSERT_TRUE(run(&rig, source, 32));
    EXPECT_EQ(rig.hazards, 1); /* the last lane is outside */
    for (uint32_t lane = 0; lane < 31; lane++) {
      uint32_t word;
      memcpy(&word, rig.lds + 16 * lane + bytes - 4, 4);
      EXPECT_EQ(word, 0xf0f1f2f4);
    }
  }
}

TEST(memory, a_report_names_its_work_group) {
  static const uint32_t global[3] = {6, 10, 14}, local[3] = {2, 2, 2}, offset[3] = {0, 0, 0};
  for (uint32_t linear = 0; linear < 3 * 5 * 7; linear += 13) {
    ct_freed(rig_close) struct rig rig;
    ASSERT_TRUE(rig_open_range(&rig, HEAD "ld.const.b32 x, [0]\nexit\n", 3, global, local, offset, linear, 32));
    EXPECT_TRUE(rig_run(&rig, 100));
    ct_note("group %u", linear);
    EXPECT_EQ(rig.hazards, 1);
    EXPECT_EQ(rig.hazard[0].group[0], linear % 3);
    EXPECT_EQ(rig.hazard[0].group[1], linear / 3 % 5);
    EXPECT_EQ(rig.hazard[0].group[2], linear / 15);
  }
}

/* Vector loads read them, and no two warps share a cache line of the host. */
TEST(memory, a_warps_storage_fills_whole_cache_lines_of_the_host) {
  for (uint32_t registers = 1; registers <= 40; registers++)
    for (uint32_t warp_size = 16; warp_size <= 64; warp_size *= 2) {
      char source[100];
      ct_freed(rig_close) struct rig rig;
      snprintf(source, sizeof source, ".kernel k\n.registers %u\n.private %u\nexit\n", registers, 4 * registers);
      ASSERT_TRUE(rig_open(&rig, source, warp_size, warp_size));
      ct_note("%u registers, warps of %u", registers, warp_size);
      EXPECT_EQ(isa_warp_bytes(&rig.launch) % 64, 0);
    }
}
