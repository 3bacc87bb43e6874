/* The output of printf, and its handling of malformed formats and memory. */
#include "isa/rows.h"
#include "tests/ct.h"
#include "tests/isa/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRIVATE = 256, MOST = 1 << 17 };

/* What was printed, line by line in order of arrival, with the items that printed. */
struct heard {
  char text[MOST];
  size_t length, calls;
  uint32_t item[64];
};

static struct heard heard;
static struct rig rig;

static void hear(void *context, const struct isa_group *group, uint32_t item, const char *text, size_t length) {
  struct heard *to = context;
  EXPECT_TRUE(group == &rig.group);
  if (to->calls < 64)
    to->item[to->calls] = item;
  to->calls++;
  if (length < MOST - to->length) {
    memcpy(to->text + to->length, text, length);
    to->length += length;
    to->text[to->length] = '\0';
  }
}

/* Appends a string and its zero byte to a .const line. */
static size_t add_string(char *source, size_t at, const char *string) {
  for (const char *c = string;; c++) {
    at += (size_t)sprintf(source + at, "%s0x%02x", at ? ", " : "", (unsigned char)*c);
    if (!*c)
      return at;
  }
}

/* A kernel that prints the block at private address 0 with the descriptor at constant offset 0; `more` follows it in
 * the constants. */
static bool open_print(const char *types, const char *format, const char *more, uint32_t items) {
  char *source = malloc(MOST), bytes[8192];
  size_t at = add_string(bytes, 0, types);
  at = add_string(bytes, at, format);
  if (more)
    add_string(bytes, at, more);
  snprintf(source, MOST, ".const _ b8 %s\n.kernel k\n.private %d\n.pred p\n.reg at\nprintf [at], 0\nexit\n", bytes,
           PRIVATE);
  heard = (struct heard){0};
  const bool good = rig_open(&rig, source, items, 32);
  free(source);
  rig.launch.print = hear;
  rig.launch.print_context = &heard;
  return good;
}

/* The text that one work-item prints. */
static const char *printed(const char *types, const char *format, const void *block, size_t bytes) {
  if (!open_print(types, format, NULL, 1))
    return "";
  memcpy(rig.warp[0].private_memory, block, bytes);
  rig_step(&rig, 0);
  rig_close(&rig);
  ct_note("%s", format);
  EXPECT_EQ(heard.calls, 1);
  return heard.text;
}

static const char *of_words(const char *types, const char *format, const uint64_t *slots, size_t count) {
  return printed(types, format, slots, 8 * count);
}

#define WORDS(types, format, ...)                                                                                      \
  of_words(types, format, (const uint64_t[]){__VA_ARGS__}, sizeof(uint64_t[]){__VA_ARGS__} / 8)

static uint64_t real(double value) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  return bits;
}

static uint64_t single(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits;
}

TEST(printf, whole_numbers_have_flags_width_and_precision) {
  EXPECT_STREQ(WORDS("w", "%d|\n", (uint32_t)-7), "-7|\n");
  EXPECT_STREQ(WORDS("www", "%5d|%-5i|%+05d", 42, 42, 42), "   42|42   |+0042");
  EXPECT_STREQ(WORDS("wwww", "%u %o %x %#X", UINT32_MAX, 8, 255, 255), "4294967295 10 ff 0XFF");
  EXPECT_STREQ(WORDS("w", "%.4d", 7), "0007");
  EXPECT_STREQ(WORDS("w", "%8.3d|", 7), "     007|");
  EXPECT_STREQ(WORDS("w", "% d", 7), " 7");
}

TEST(printf, length_modifiers_set_how_many_bits_count) {
  EXPECT_STREQ(WORDS("w", "%hhd", 0x1ff), "-1");
  EXPECT_STREQ(WORDS("w", "%hhu", 0x1ff), "255");
  EXPECT_STREQ(WORDS("w", "%hd", 0x18000), "-32768");
  EXPECT_STREQ(WORDS("d", "%ld", UINT64_MAX), "-1");
  EXPECT_STREQ(WORDS("d", "%lx", UINT64_C(0x123456789abcdef0)), "123456789abcdef0");
  EXPECT_STREQ(WORDS("d", "%x", UINT64_C(0x123456789abcdef0)), "9abcdef0");
  EXPECT_STREQ(WORDS("w", "%ld", UINT32_MAX), "-1"); /* there are no more bits */
}

TEST(printf, floats_are_passed_as_doubles_floats_or_halves) {
  EXPECT_STREQ(WORDS("d", "%f", real(1.5)), "1.500000");
  EXPECT_STREQ(WORDS("w", "%f", single(-0.25f)), "-0.250000");
  EXPECT_STREQ(WORDS("h", "%.1f", 0x3e00), "1.5");
  EXPECT_STREQ(WORDS("ddd", "%e %G %a", real(1234.5), real(1e-10), real(1)), "1.234500e+03 1E-10 0x1p+0");
  EXPECT_STREQ(WORDS("d", "%8.2f|", real(3.14159)), "    3.14|");
  EXPECT_STREQ(WORDS("dd", "%f %F", UINT64_C(0x7ff8000000000000), UINT64_C(0xfff0000000000000)), "nan -INF");
}

TEST(printf, vectors_are_separated_by_commas) {
  const uint32_t ints[4] = {1, 2, (uint32_t)-3, 4};
  EXPECT_STREQ(printed("4w", "%v4hld", ints, 16), "1,2,-3,4");
  EXPECT_STREQ(printed("4w", "[%4v4hld]", ints, 16), "[   1,   2,  -3,   4]");
  EXPECT_STREQ(printed("3b", "%v3hhu", "\1\2\377", 3), "1,2,255");
  EXPECT_STREQ(printed("2h", "%v2hx", (const uint16_t[]){0xabcd, 1}, 4), "abcd,1");
  EXPECT_STREQ(printed("2w", "%v2hlf", (const float[]){1, -2.5f}, 8), "1.000000,-2.500000");
  EXPECT_STREQ(printed("2d", "%v2lg", (const double[]){1, 0.5}, 16), "1,0.5");
  EXPECT_STREQ(printed("4w", "%v4d", ints, 16), "1,2,-3,4");
}

TEST(printf, arguments_are_at_multiples_of_8_bytes) {
  struct {
    uint32_t three[3], gap;
    uint8_t byte, rest[7];
    double last;
  } block = {{1, 2, 3}, 99, 65, {0}, 0.5};
  EXPECT_STREQ(printed("3wbd", "%v3hld %c %g%%", &block, sizeof block), "1,2,3 A 0.5%");
}

TEST(printf, characters_pointers_and_percent_signs_are_printed) {
  EXPECT_STREQ(WORDS("w", "<%3c>", 'x'), "<  x>");
  EXPECT_STREQ(WORDS("d", "%p", 0x1234), "0x1234");
  EXPECT_STREQ(WORDS("", "100%%\n", 0), "100%\n");
  WORDS("w", "a%cb", 0);
  EXPECT_EQ(heard.length, 3);
  EXPECT_EQ(memcmp(heard.text, "a\0b", 3), 0);
}

TEST(printf, malformed_conversions_and_missing_arguments_are_printed_literally) {
  EXPECT_STREQ(WORDS("w", "%d %d", 1), "1 %d");
  EXPECT_STREQ(WORDS("w", "%y %d", 1), "%y 1");
  EXPECT_STREQ(WORDS("w", "%n%d", 1), "%n1");
  EXPECT_STREQ(WORDS("w", "%v5d %d", 1), "%v5d 1");
  EXPECT_STREQ(WORDS("w", "%*d", 1), "%*d");
  EXPECT_STREQ(WORDS("w", "%99999d", 1), "%99999d");
  EXPECT_STREQ(WORDS("w", "%d %", 1), "1 %");
  EXPECT_STREQ(WORDS("w", "%d %-0 5.3", 1), "1 %-0 5.3");
}

/* The descriptor takes 2 + 9 bytes; the string follows it. */
TEST(printf, strings_are_read_from_constant_or_global_memory) {
  enum { AT = 11 };
  ASSERT_TRUE(open_print("s", "<%6.3s>%", "warp", 1));
  const uint64_t places[] = {ISA_CONSTANT_APERTURE + AT, ISA_GLOBAL_BASE + 16, 0, 5};
  static const char *const expected[] = {"<   war>%", "<   wai>%", "<   (nu>%", "<      >%"};
  memcpy(rig.buffers[0].data + 16, "wait", 5);
  for (int i = 0; i < 4; i++) {
    heard.length = 0;
    memcpy(rig.warp[0].private_memory, &places[i], 8);
    rig.warp[0].pc = 0;
    rig_step(&rig, 0);
    EXPECT_STREQ(heard.text, expected[i]);
    EXPECT_EQ(rig.hazards, i == 3);
  }
  EXPECT_EQ(rig.hazard[0].rule, HAZARD_M1);
  EXPECT_STREQ(rig.hazard[0].detail, "a string of printf at address 0x5");
  rig_close(&rig);
}

TEST(printf, an_unterminated_string_ends_with_its_memory) {
  ASSERT_TRUE(open_print("s", "%s", NULL, 1));
  const uint64_t at = ISA_GLOBAL_BASE + RIG_BYTES - 3;
  memset(rig.buffers[0].data, 'z', RIG_BYTES);
  memcpy(rig.warp[0].private_memory, &at, 8);
  rig_step(&rig, 0);
  EXPECT_STREQ(heard.text, "zzz");
  rig_close(&rig);
}

TEST(printf, text_is_cut_at_64_KiB) {
  ASSERT_TRUE(open_print("sss", "%s%s%4000s%d", NULL, 1));
  const uint64_t at[3] = {ISA_GLOBAL_BASE, ISA_GLOBAL_BASE, ISA_GLOBAL_BASE};
  memset(rig.buffers[0].data, 'z', RIG_BYTES);
  memcpy(rig.warp[0].private_memory, at, sizeof at);
  rig_step(&rig, 0);
  EXPECT_EQ(heard.length, 1 << 16);
  rig_close(&rig);
}

TEST(printf, active_lanes_print_in_lane_order) {
  ASSERT_TRUE(open_print("w", "%d ", NULL, 40));
  for (uint32_t lane = 0; lane < 40; lane++)
    rig.warp[lane / 32].private_memory[lane % 32 * PRIVATE] = (uint8_t)lane;
  rig.warp[0].active = 0x80000005;
  rig_step(&rig, 0);
  rig_step(&rig, 1);
  EXPECT_STREQ(heard.text, "0 2 31 32 33 34 35 36 37 38 39 ");
  EXPECT_EQ(heard.item[2], 31);
  EXPECT_EQ(heard.item[3], 32);
  EXPECT_EQ(rig.hazards, 0);
  rig_close(&rig);
}

TEST(printf, a_block_outside_private_memory_is_a_hazard_and_prints_nothing) {
  ASSERT_TRUE(open_print("wd", "%d %ld\n", NULL, 2)); /* 16 bytes */
  rig.warp[0].reg[0] = PRIVATE - 16;
  rig.warp[0].reg[1] = PRIVATE - 15;
  rig_step(&rig, 0);
  EXPECT_STREQ(heard.text, "0 0\n");
  EXPECT_EQ(rig.hazards, 1);
  EXPECT_STREQ(rig.hazard[0].detail, "private offset 241, 16 bytes; there are 256");
  EXPECT_EQ(rig.hazard[0].item, 1);
  rig_close(&rig);
}

TEST(printf, a_listener_is_optional) {
  ASSERT_TRUE(open_print("w", "%d\n", NULL, 2));
  rig.launch.print = NULL;
  rig_step(&rig, 0);
  EXPECT_EQ(heard.calls, 0);
  rig_close(&rig);
}

TEST(printf, a_descriptor_is_two_strings_in_the_constants) {
  static const struct {
    const char *bytes;
    size_t count;
    bool good;
  } tables[] = {
      {"w\0%d\0", 5, true},
      {"\0\0", 2, true},
      {"16b\0\0", 5, true},
      {"w\0%d", 4, false},
      {"w", 1, false},
      {"x\0%d\0", 5, false},
      {"0w\0\0", 4, false},
      {"17w\0\0", 5, false},
      {"3\0\0", 3, false},
      {"", 0, false},
      {"99999999999w\0\0", 14, false},
  };
  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
    struct isa_printf what;
    uint8_t *exact = malloc(tables[i].count + 1); /* so that a sanitizer detects a read beyond it */
    memcpy(exact, tables[i].bytes, tables[i].count);
    const struct isa_program program = {.constants = exact, .constant_bytes = tables[i].count};
    ct_note("table %zu", i);
    EXPECT_EQ(isa_find_printf(&program, 0, &what), tables[i].good);
    EXPECT_FALSE(isa_find_printf(&program, (uint32_t)tables[i].count, &what));
    free(exact);
  }
}
