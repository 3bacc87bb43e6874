/* The texture unit: what reads of images take, to the cycle, and what they see. */
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

/* Cycles that the last `text` of a kernel takes. */
static uint64_t cycles_of(const char *settings, const char *before, const char *text, enum isa_image_type type) {
  uint64_t cycles[2];
  for (int with = 0; with < 2; with++) {
    char kernel[2048];
    snprintf(kernel, sizeof kernel, "%s%s%s exit\n", HEAD, before, with ? text : "");
    struct rig rig = {.order = ORDER_ASCENDING, .image_type = type};
    EXPECT_TRUE(rig_build(&rig, settings, 32, 32, kernel));
    rig_start(&rig);
    cycles[with] = rig.result.cycles;
    rig_free(&rig);
  }
  return cycles[1] - cycles[0];
}

/* A second read of the same texels: from its issue to that of the move that uses it. */
static uint64_t hit(const char *settings, const char *sampler, enum isa_image_type type) {
  char before[256];
  snprintf(before, sizeof before, "%s" READ, sampler);
  return cycles_of(settings, before, READ, type) - 1;
}

TEST(texture, a_hit_takes_its_quads_and_the_latency) {
  const struct {
    const char *settings, *sampler;
    enum isa_image_type type;
    uint64_t turns; /* of a quad */
  } rows[] = {
      {"", "", ISA_TEXEL_UNORM_INT8, 1},
      {"", "", ISA_TEXEL_HALF_FLOAT, 1},
      {"", "", ISA_TEXEL_FLOAT, 2}, /* 16 bytes, 8 in a turn */
      {"texture.texel_width=16", "", ISA_TEXEL_FLOAT, 1},
      {"texture.texel_width=1", "", ISA_TEXEL_UNORM_INT8, 4},
      {BLOCKS, LINEAR, ISA_TEXEL_UNORM_INT8, 1}, /* four texels of 4 bytes, 32 in a turn */
      {BLOCKS " texture.filter_width=4", LINEAR, ISA_TEXEL_UNORM_INT8, 4},
      {BLOCKS, LINEAR, ISA_TEXEL_HALF_FLOAT, 2}, /* the fifth texel of a row lies in the bank of the first */
      {BLOCKS " texture.banks=32", LINEAR, ISA_TEXEL_HALF_FLOAT, 2},
      {BLOCKS " texture.banks=64", LINEAR, ISA_TEXEL_HALF_FLOAT, 1},
      {BLOCKS " texture.banks=64", LINEAR, ISA_TEXEL_FLOAT, 4}, /* two words a texel, each filtered in two turns */
      {BLOCKS " texture.banks=64 texture.filter_width=64", LINEAR, ISA_TEXEL_FLOAT, 2},
      {"", LINEAR, ISA_TEXEL_UNSIGNED_INT8, 1}, /* is not filtered */
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

/* Lanes read texels of one column. */
static uint64_t column(const char *settings) {
  return cycles_of(settings, " pack.b64 at, y, x\n" READ, READ, ISA_TEXEL_UNORM_INT8) - 1;
}

/* In rows of two lines a quad wants four lines, every second one. */
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
TEST(texture, words_in_one_bank_take_a_turn_each) {
  static const unsigned turns[][2] = {{16, 4}, {32, 4}, {64, 2}, {128, 1}};
  for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
    char settings[64];
    snprintf(settings, sizeof settings, "texture.tag_banks=4096 texture.banks=%u", turns[i][0]);
    ct_note("%s", settings);
    EXPECT_EQ(column(settings), 8 * turns[i][1] - 1 + 60);
  }
}

/* Lanes as many texels apart in both directions, from one on the diagonal: the turns that an H200 takes for rgba8. Of
 * the last row the fourth line has its tag in the bank of the first, because it is in the next row of blocks. */
TEST(texture, blocks_keep_neighbors_out_of_each_others_banks) {
  static const struct { unsigned from, apart, turns; } rows[] = {{0, 1, 1}, {0, 2, 2}, {0, 4, 4}, {0, 8, 4}, {3, 2, 3}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char before[300];
    snprintf(before, sizeof before,
             " get.lane x\n and.b32 x, x, 3\n mul.i32 x, x, %u\n add.i32 x, x, %u\n cvt.f32.u32 x, x\n"
             " add.f32 x, x, 0.5\n pack.b64 at, x, x\n" READ,
             rows[i].apart, rows[i].from);
    ct_note("%u apart from %u on", rows[i].apart, rows[i].from);
    EXPECT_EQ(cycles_of(BLOCKS, before, READ, ISA_TEXEL_UNORM_INT8) - 1, 8 * rows[i].turns - 1 + 60);
  }
}

TEST(texture, reads_pass_one_after_the_other) {
  /* the second one's quads come after those of the first, which is issued a cycle earlier */
  EXPECT_EQ(cycles_of("", READ " image.sample.2d w, [p], s, at, as=float\n", READ, ISA_TEXEL_UNORM_INT8) - 1,
            8 + 8 - 1 - 1 + 60);
}

/* No texel is there that nobody has written: the border costs a hit. */
TEST(texture, what_lies_outside_asks_nobody) {
  struct rig rig;
  rig_run(&rig, "", 32, 32, HEAD " mov.b32 s, 4\n mov.b32 y, 0xc0000000\n pack.b64 at, x, y\n" READ " exit\n");
  EXPECT_EQ(rig.result.cu.texture_misses, 0);
  EXPECT_EQ(rig.result.mem.loads, 0);
  EXPECT_EQ(rig.result.stalls[STALL_TEXTURE], 7 + 60 - 1);
  rig_free(&rig);
}

TEST(texture, a_warp_reads_what_it_has_stored) {
  for (int fence = 0; fence < 2; fence++)
    for (int own = 0; own < 2; own++) {
      char text[1024];
      snprintf(text, sizeof text,
               ".kernel k\n.arg src image2d\n.arg out global\n.reg v[4], s, x, y\n.reg64 p, at, q\n ld.arg.b64 p, src\n"
               " ld.arg.b64 q, out\n get.lane x\n pack.b64 at, x, y\n image.load.2d v, [p], s, at, as=int\n"
               " add.i32 v[0], x, 7\n image.store.2d [p], at, v, as=int\n%s image.load.2d v, [p], s, at, as=int\n"
               " shl.b32 x, x, 2\n st.global.b32 [q + x], v[0]\n exit\n",
               fence ? " fence.global\n" : "");
      struct rig rig = {.order = ORDER_ASCENDING, .image_type = ISA_TEXEL_UNSIGNED_INT8};
      ASSERT_TRUE(rig_build(&rig, own ? "" : "texture.cache_size=0 mem.l1_size=16K", 32, 32, text));
      rig_start(&rig);
      ct_note("fence %d, own cache %d", fence, own);
      for (uint32_t lane = 0; lane < 32; lane++) /* the store throws its line out of the cache in any case */
        EXPECT_EQ(rig_word(&rig, 0, lane), lane + 7);
      rig_free(&rig);
    }
}

TEST(texture, an_image_of_one_dimension_has_a_latency_of_its_own) {
  static const char kernel[] = ".kernel k\n.arg src image1d\n.reg v[4], s, x\n.reg64 p\n ld.arg.b64 p, src\n%s exit\n";
  static const char read[] = " image.load.1d v, [p], s, v[0], as=float\n";
  uint64_t cycles[2];
  for (int with = 0; with < 2; with++) {
    char reads[400], text[800];
    snprintf(reads, sizeof reads, "%s%s mov.b32 x, v[0]\n", read,
             with ? " image.load.1d v, [p], s, v[0], as=float\n" : "");
    snprintf(text, sizeof text, kernel, reads);
    struct rig rig;
    rig_run(&rig, "", 32, 32, text);
    cycles[with] = rig.result.cycles;
    rig_free(&rig);
  }
  EXPECT_EQ(cycles[1] - cycles[0], 8 - 1 + 40);
}
