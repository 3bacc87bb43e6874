/* The texture unit: how long reads of images take, to the cycle, and what they return. */
#include <stdio.h>

#include "models/texture.h"
#include "tests/ct.h"
#include "tests/models/rig.h"

#define HEAD                                                                                                           \
  ".kernel k\n.arg src image2d\n.reg v[4], w[4], s, x, y, z\n.reg64 p, at\n ld.arg.b64 p, src\n get.lane x\n"          \
  " cvt.f32.u32 x, x\n add.f32 x, x, 0.5\n mov.b32 y, 0x3fc00000\n pack.b64 at, x, y\n"
#define READ " image.sample.2d v, [p], s, at, as=float\n mov.b32 z, v[0]\n"
#define LINEAR " mov.b32 s, 16\n"
#define BLOCKS "texture.layout=blocks"

/* Cycles that the final part `text` of a kernel takes. */
static uint64_t cycles_of(const char *settings, const char *before, const char *text, enum isa_image_type type) {
  uint64_t cycles[2];
  for (int with = 0; with < 2; with++) {
    char kernel[2048];
    snprintf(kernel, sizeof kernel, "%s%s%s exit\n", HEAD, before, with ? text : "");
    ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING, .image_type = type};
    EXPECT_TRUE(rig_build(&rig, settings, 32, 32, kernel));
    rig_start(&rig);
    cycles[with] = rig.result.cycles;
  }
  return cycles[1] - cycles[0];
}

/* A second read of the same texels: cycles from its issue to that of the move that uses it. */
static uint64_t hit(const char *settings, const char *sampler, enum isa_image_type type) {
  char before[256];
  snprintf(before, sizeof before, "%s" READ, sampler);
  return cycles_of(settings, before, READ, type) - 1;
}

TEST(texture, a_hit_takes_its_quads_plus_the_latency) {
  const struct {
    const char *settings, *sampler;
    enum isa_image_type type;
    uint64_t turns; /* of a quad */
  } rows[] = {
      {"", "", ISA_TEXEL_UNORM_INT8, 1},
      {"", "", ISA_TEXEL_HALF_FLOAT, 1},
      {"", "", ISA_TEXEL_FLOAT, 2}, /* 16 bytes, 8 per turn */
      {"texture.texel_width=16", "", ISA_TEXEL_FLOAT, 1},
      {"texture.texel_width=1", "", ISA_TEXEL_UNORM_INT8, 4},
      {BLOCKS, LINEAR, ISA_TEXEL_UNORM_INT8, 1}, /* four lanes of four words */
      {BLOCKS " texture.filter_words=8", LINEAR, ISA_TEXEL_UNORM_INT8, 2},
      {BLOCKS " texture.filter_words=4", LINEAR, ISA_TEXEL_UNORM_INT8, 4},
      {BLOCKS " texture.filter_words=2", LINEAR, ISA_TEXEL_UNORM_INT8, 8},
      {BLOCKS, LINEAR, ISA_TEXEL_HALF_FLOAT, 2}, /* the fifth texel of a row is in the same bank as the first */
      {BLOCKS " texture.banks=32", LINEAR, ISA_TEXEL_HALF_FLOAT, 2},
      {BLOCKS " texture.banks=64", LINEAR, ISA_TEXEL_HALF_FLOAT, 1},
      {BLOCKS, LINEAR, ISA_TEXEL_FLOAT, 4}, /* two lanes, one word of each texel */
      {BLOCKS " texture.filter_words=8", LINEAR, ISA_TEXEL_FLOAT, 8},
      {BLOCKS " texture.banks=64 texture.filter_words=32", LINEAR, ISA_TEXEL_FLOAT, 4}, /* five columns of lines */
      {"", LINEAR, ISA_TEXEL_UNSIGNED_INT8, 1},                                         /* is not filtered */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_note("row %zu", i);
    EXPECT_EQ(hit(rows[i].settings, rows[i].sampler, rows[i].type), 8 * rows[i].turns - 1 + 60);
  }
}

TEST(texture, the_rate_is_in_turns_of_100_cycles) {
  const struct {
    const char *settings;
    uint64_t quads; /* what 8 of them take */
  } rows[] = {{"texture.quad_rate=50", 16},
              {"texture.quad_rate=90", 9},
              {"texture.quad_rate=400", 2},
              {"texture.quad_rate=10000", 1}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_note("%s", rows[i].settings);
    EXPECT_EQ(hit(rows[i].settings, "", ISA_TEXEL_UNORM_INT8), rows[i].quads - 1 + 60);
  }
}

/* 150 hundredths for each group, 8 quads of one group: 12 turns. Quads of two turns take 16. */
TEST(texture, a_group_takes_at_least_its_minimum_of_a_turn) {
  const struct {
    const char *settings;
    enum isa_image_type type;
    uint64_t cycles;
  } rows[] = {{"texture.group_turns=150", ISA_TEXEL_UNORM_INT8, 12},
              {"texture.group_turns=101", ISA_TEXEL_UNORM_INT8, 9}, /* 8.08 */
              {"texture.group_turns=200", ISA_TEXEL_FLOAT, 16},
              {"texture.group_turns=210", ISA_TEXEL_FLOAT, 17}, /* 16.8 */
              {"texture.group_turns=150 texture.quad_rate=50", ISA_TEXEL_UNORM_INT8, 24}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_note("%s", rows[i].settings);
    EXPECT_EQ(hit(rows[i].settings, "", rows[i].type), rows[i].cycles - 1 + 60);
  }
}

/* Lanes read texels of one column. */
static uint64_t column(const char *settings) {
  return cycles_of(settings, " pack.b64 at, y, x\n" READ, READ, ISA_TEXEL_UNORM_INT8) - 1;
}

/* In rows of two lines, a quad reads four lines, every second one. */
TEST(texture, a_quad_reads_a_line_of_each_tag_bank_at_a_time) {
  static const unsigned groups[][2] = {{1, 4}, {2, 4}, {4, 2}, {8, 1}};
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
    char settings[64];
    snprintf(settings, sizeof settings, "texture.banks=65536 texture.tag_banks=%u", groups[i][0]);
    ct_note("%s", settings);
    EXPECT_EQ(column(settings), 8 * groups[i][1] - 1 + 60);
  }
  EXPECT_EQ(column(BLOCKS " texture.tag_banks=1"), 8 - 1 + 60); /* four rows are a line */
}

/* Words of a column are 32 apart. */
TEST(texture, words_in_one_bank_take_one_turn_each) {
  static const unsigned turns[][2] = {{16, 4}, {32, 4}, {64, 2}, {128, 1}};
  for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
    char settings[64];
    snprintf(settings, sizeof settings, "texture.tag_banks=4096 texture.banks=%u", turns[i][0]);
    ct_note("%s", settings);
    EXPECT_EQ(column(settings), 8 * turns[i][1] - 1 + 60);
  }
}

/* A second read of texels at (x + l dx, y + l dy) for lane l of each quad. */
static uint64_t placed(const char *sampler, enum isa_image_type type, const unsigned from[2], const unsigned apart[2]) {
  char before[400];
  snprintf(before, sizeof before,
           "%s get.lane z\n and.b32 z, z, 3\n mul.i32 x, z, %u\n add.i32 x, x, %u\n mul.i32 y, z, %u\n"
           " add.i32 y, y, %u\n cvt.f32.u32 x, x\n cvt.f32.u32 y, y\n add.f32 x, x, %s\n add.f32 y, y, %s\n"
           " pack.b64 at, x, y\n" READ,
           sampler, apart[0], from[0], apart[1], from[1], *sampler ? "0.75" : "0.5", *sampler ? "0.75" : "0.5");
  return cycles_of(BLOCKS, before, READ, type) - 1;
}

/* The turns that an H200 takes for rgba8. In the last row, the fourth line's tag is in the first one's bank, because it
 * is in the next row of blocks. */
TEST(texture, blocks_keep_neighbors_in_different_banks) {
  static const struct { unsigned from, apart, turns; } rows[] = {{0, 1, 1}, {0, 2, 2}, {0, 4, 4}, {0, 8, 4}, {3, 2, 3}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_note("%u apart from %u on", rows[i].apart, rows[i].from);
    EXPECT_EQ(placed("", ISA_TEXEL_UNORM_INT8, (unsigned[]){rows[i].from, rows[i].from},
                     (unsigned[]){rows[i].apart, rows[i].apart}),
              8 * rows[i].turns - 1 + 60);
  }
}

/* Lanes 48 bytes apart, in lines 0, 1, 3 and 4 of a row. Lanes 0 and 2 each take a line of the first two tag banks, in
 * two turns, and then lanes 1 and 3 do. In lane order, 0 and 1 would pass in one turn, and so would 2 and 3. */
TEST(texture, lane_2_of_a_quad_is_served_before_lane_1) {
  EXPECT_EQ(placed("", ISA_TEXEL_UNORM_INT8, (unsigned[]){0, 0}, (unsigned[]){12, 0}), 8 * 4 - 1 + 60);
  EXPECT_EQ(placed("", ISA_TEXEL_HALF_FLOAT, (unsigned[]){0, 0}, (unsigned[]){6, 0}), 8 * 4 - 1 + 60);
  EXPECT_EQ(placed(LINEAR, ISA_TEXEL_HALF_FLOAT, (unsigned[]){2, 0}, (unsigned[]){5, 0}), 8 * 3 - 1 + 60);
}

/* The turns that an H200 takes for rgba32f. One line has two texels of each of four rows. */
TEST(texture, wide_texels_have_their_own_banks) {
  static const struct {
    unsigned from[2], apart[2], nearest, linear;
  } rows[] = {
      {{0, 0}, {0, 0}, 2, 4}, /* the words of a texel; two parts, one word each */
      {{1, 0}, {2, 0}, 2, 4}, /* lines in a row have four tag banks */
      {{0, 0}, {3, 0}, 3, 8}, /* the fourth lane's line is in the first one's tag bank: two turns and one */
      {{1, 0}, {3, 0}, 2, 8},  {{0, 0}, {4, 0}, 4, 8}, /* two groups whose words conflict */
      {{0, 0}, {6, 0}, 2, 4},  {{1, 0}, {6, 0}, 2, 8}, /* filters read two lines of one tag bank */
      {{0, 0}, {7, 0}, 3, 8},  {{1, 0}, {7, 0}, 2, 8}, /* lanes 0 and 2, 1 and 3 */
      {{0, 0}, {8, 0}, 4, 8},                          /* each lane alone */
      {{0, 0}, {0, 2}, 2, 4},  {{0, 2}, {0, 2}, 2, 4}, /* three lanes in a turn */
      {{0, 3}, {0, 4}, 2, 12}, /* for each part and word, one group of two turns and one of one turn */
      {{0, 1}, {0, 5}, 3, 8},  {{0, 0}, {0, 8}, 4, 8}, {{1, 1}, {1, 1}, 2, 4},
      {{1, 1}, {2, 2}, 2, 8},  {{0, 0}, {4, 4}, 4, 8},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_note("(%u, %u) apart from (%u, %u) on", rows[i].apart[0], rows[i].apart[1], rows[i].from[0], rows[i].from[1]);
    EXPECT_EQ(placed("", ISA_TEXEL_FLOAT, rows[i].from, rows[i].apart), 8 * rows[i].nearest - 1 + 60);
    EXPECT_EQ(placed(LINEAR, ISA_TEXEL_FLOAT, rows[i].from, rows[i].apart), 8 * rows[i].linear - 1 + 60);
  }
}

/* What 8 quads take to sample a volume between slices 1 and 2 and rows `row` and `row` + 1, from texel 3 on. */
static uint64_t volume(const char *settings, enum isa_image_type type, const char *row) {
  static const char read[] = " image.sample.3d v, [p], s, c, as=float\n mov.b32 x, v[0]\n";
  uint64_t cycles[2];
  for (int with = 0; with < 2; with++) {
    char kernel[800];
    snprintf(kernel, sizeof kernel,
             ".kernel k\n.arg src image3d\n.reg v[4], s, x, c[4]\n.reg64 p\n ld.arg.b64 p, src\n get.lane x\n"
             " and.b32 x, x, 3\n cvt.f32.u32 c[0], x\n add.f32 c[0], c[0], 3.75\n mov.b32 c[1], %s\n"
             " mov.b32 c[2], 2.25\n" LINEAR "%s%s exit\n",
             row, read, with ? read : "");
    ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING, .image_type = type};
    EXPECT_TRUE(rig_build(&rig, settings, 32, 32, kernel));
    rig_start(&rig);
    cycles[with] = rig.result.cycles;
  }
  return cycles[1] - cycles[0] - 1;
}

/* Texels 3 to 7. With 8-byte texels, the first is in another line than the others. */
TEST(texture, volume_filters_take_two_lanes_at_a_time_or_one_lane_and_slice_for_wide_texels) {
  const struct {
    const char *settings;
    enum isa_image_type type;
    const char *row;
    uint64_t turns;
  } rows[] = {
      {BLOCKS, ISA_TEXEL_UNORM_INT8, "1.75", 2},
      {BLOCKS, ISA_TEXEL_UNORM_INT8, "3.75", 2}, /* four lines, in rows 3 and 4 of slices 1 and 2 */
      {BLOCKS, ISA_TEXEL_UNORM_INT8, "7.75", 2}, /* in the next row of blocks */
      {BLOCKS, ISA_TEXEL_HALF_FLOAT, "1.75", 2},
      {BLOCKS, ISA_TEXEL_HALF_FLOAT, "3.75", 3}, /* the first two lanes need eight lines */
      {BLOCKS, ISA_TEXEL_FLOAT, "1.75", 16},
      {BLOCKS, ISA_TEXEL_FLOAT, "3.75", 16},
      {BLOCKS " texture.filter_words=32", ISA_TEXEL_UNORM_INT8, "1.75", 1},
      {BLOCKS " texture.filter_words=32", ISA_TEXEL_FLOAT, "1.75", 8},
      {BLOCKS " texture.filter_words=8", ISA_TEXEL_UNORM_INT8, "1.75", 4},
      {BLOCKS " texture.filter_words=4", ISA_TEXEL_UNORM_INT8, "1.75", 8}, /* two turns a lane */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_note("row %zu", i);
    EXPECT_EQ(volume(rows[i].settings, rows[i].type, rows[i].row), 8 * rows[i].turns - 1 + 60);
  }
}

TEST(texture, reads_are_served_one_at_a_time) {
  /* the second read's quads follow those of the first, which issues a cycle earlier */
  EXPECT_EQ(cycles_of("", READ " image.sample.2d w, [p], s, at, as=float\n", READ, ISA_TEXEL_UNORM_INT8) - 1,
            8 + 8 - 1 - 1 + 60);
}

/* The border needs no texel from memory: reading it costs a hit. */
TEST(texture, texels_outside_the_image_are_not_fetched) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 32, 32, HEAD " mov.b32 s, 4\n mov.b32 y, 0xc0000000\n pack.b64 at, x, y\n" READ " exit\n");
  EXPECT_EQ(rig.result.cu.texture_misses, 0);
  EXPECT_EQ(rig.result.mem.loads, 0);
  EXPECT_EQ(rig.result.stalls[STALL_TEXTURE], 7 + 60 - 1);
}

TEST(texture, a_warp_reads_its_own_stores) {
  for (int fence = 0; fence < 2; fence++)
    for (int own = 0; own < 2; own++) {
      char text[1024];
      snprintf(text, sizeof text,
               ".kernel k\n.arg src image2d\n.arg out global\n.reg v[4], s, x, y\n.reg64 p, at, q\n ld.arg.b64 p, src\n"
               " ld.arg.b64 q, out\n get.lane x\n pack.b64 at, x, y\n image.load.2d v, [p], s, at, as=int\n"
               " add.i32 v[0], x, 7\n image.store.2d [p], at, v, as=int\n%s image.load.2d v, [p], s, at, as=int\n"
               " shl.b32 x, x, 2\n st.global.b32 [q + x], v[0]\n exit\n",
               fence ? " fence.global\n" : "");
      ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING, .image_type = ISA_TEXEL_UNSIGNED_INT8};
      ASSERT_TRUE(rig_build(&rig, own ? "" : "texture.cache_size=0 mem.l1_size=16K", 32, 32, text));
      rig_start(&rig);
      ct_note("fence %d, own cache %d", fence, own);
      for (uint32_t lane = 0; lane < 32; lane++) /* the store evicts its line from the cache in any case */
        EXPECT_EQ(rig_word(&rig, 0, lane), lane + 7);
    }
}

TEST(texture, one_dimensional_images_have_their_own_latency) {
  static const char kernel[] = ".kernel k\n.arg src image1d\n.reg v[4], s, x\n.reg64 p\n ld.arg.b64 p, src\n%s exit\n";
  static const char read[] = " image.load.1d v, [p], s, v[0], as=float\n";
  uint64_t cycles[2];
  for (int with = 0; with < 2; with++) {
    char reads[400], text[800];
    snprintf(reads, sizeof reads, "%s%s mov.b32 x, v[0]\n", read,
             with ? " image.load.1d v, [p], s, v[0], as=float\n" : "");
    snprintf(text, sizeof text, kernel, reads);
    ct_freed(rig_free) struct rig rig;
    rig_run(&rig, "", 32, 32, text);
    cycles[with] = rig.result.cycles;
  }
  EXPECT_EQ(cycles[1] - cycles[0], 8 - 1 + 40);
}
