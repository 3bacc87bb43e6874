/* Values of OpenCL C types: sizes, text, half precision, distances; and fills. */
#include "sim/launch/type.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/launch/job.h"
#include "tests/ct.h"

static struct type type_of(const char *name) {
  struct type type = {TYPE_SIGNED, 0, 0};
  EXPECT_TRUE(type_find(name, &type));
  return type;
}

TEST(types, sizes_are_those_of_opencl) {
  static const struct {
    const char *name;
    unsigned bytes;
  } rows[] = {{"char", 1},    {"uchar2", 2},   {"short3", 8},  {"ushort4", 8}, {"int", 4},
              {"uint3", 16},  {"long16", 128}, {"ulong8", 64}, {"half", 2},    {"half3", 8},
              {"float4", 16}, {"double", 8},   {"double3", 32}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_note("%s", rows[i].name);
    EXPECT_EQ(type_size(type_of(rows[i].name)), rows[i].bytes);
  }
}

TEST(types, unknown_types_are_refused) {
  static const char *const rows[] = {"", "int5", "int1", "4", "float 4", "bool", "inta", "int44"};
  struct type type;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_note("'%s'", rows[i]);
    EXPECT_FALSE(type_find(rows[i], &type));
  }
}

/* The text of every half reads back as the same half. */
TEST(types, all_65536_halves_survive_print_and_parse) {
  struct type half = type_of("half");
  for (unsigned bits = 0; bits < 65536; bits++) {
    uint16_t in = (uint16_t)bits, out = 0;
    struct message message;
    char text[40];
    type_print(half, (uint8_t *)&in, text);
    ct_note("0x%04x %s", bits, text);
    EXPECT_TRUE(type_parse(half, text, (uint8_t *)&out, &message));
    if (isnan(type_number(half, (uint8_t *)&in)))
      EXPECT_TRUE(isnan(type_number(half, (uint8_t *)&out)));
    else
      EXPECT_EQ(out, in);
  }
}

TEST(types, halves_round_to_nearest_even) {
  static const struct {
    const char *text;
    uint16_t bits;
  } rows[] = {{"0", 0},           {"-0.0", 0x8000},        {"1", 0x3c00},    {"65504", 0x7bff}, {"65519.9", 0x7bff},
              {"65520", 0x7c00},  {"2049", 0x6800},        {"2051", 0x6802}, {"6e-8", 0x0001},  {"2.9e-8", 0},
              {"6.1e-5", 0x03ff}, {"6.103516e-5", 0x0400}, {"inf", 0x7c00},  {"-inf", 0xfc00},  {"0.1", 0x2e66}};
  struct type half = type_of("half");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint16_t bits = 1;
    struct message message;
    ct_note("%s", rows[i].text);
    EXPECT_TRUE(type_parse(half, rows[i].text, (uint8_t *)&bits, &message));
    EXPECT_EQ(bits, rows[i].bits);
  }
}

TEST(types, a_number_of_many_digits_is_read_whole) {
  const struct type pair = {TYPE_FLOATING, 8, 2};
  struct message message;
  char text[200] = "1";
  uint8_t bytes[TYPE_BYTES] = {0};
  double value[2];
  memset(text + 1, '0', 70);
  strcpy(text + 71, ",2.5");
  EXPECT_TRUE(type_read(pair, "double2", text, bytes, &message));
  memcpy(value, bytes, sizeof value);
  EXPECT_TRUE(value[0] == 1e70 && value[1] == 2.5);
}

TEST(types, a_value_has_as_many_components_as_its_type) {
  const struct type pair = {TYPE_SIGNED, 4, 2};
  struct message message;
  uint8_t bytes[TYPE_BYTES] = {0};
  EXPECT_FALSE(type_read(pair, "int2", "1", bytes, &message));
  EXPECT_STREQ(message.text, "1 component, not the 2 of int2");
  EXPECT_FALSE(type_read(pair, "int2", "1,2,3", bytes, &message));
  EXPECT_STREQ(message.text, "3 components, not the 2 of int2");
  EXPECT_FALSE(type_read(pair, "int2", "1,", bytes, &message));
  EXPECT_CONTAINS(message.text, "'' is not a whole number");
}

TEST(types, integers_beyond_their_limits_are_refused) {
  static const struct {
    const char *type, *text;
    bool legal;
  } rows[] = {{"char", "-128", true},
              {"char", "-129", false},
              {"char", "127", true},
              {"char", "128", false},
              {"uchar", "255", true},
              {"uchar", "256", false},
              {"uchar", "-1", false},
              {"int", "-0x80000000", true},
              {"uint", "0xffffffff", true},
              {"uint", "4294967296", false},
              {"long", "-9223372036854775808", true},
              {"long", "9223372036854775808", false},
              {"ulong", "18446744073709551615", true},
              {"ulong", "18446744073709551616", false},
              {"int", "", false},
              {"int", " 1", false},
              {"int", "1 ", false},
              {"int", "--1", false},
              {"int", "1.0", false},
              {"float", "", false},
              {"float", "x", false},
              {"float", "1e400", true},
              {"float", " 1", false}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint8_t bytes[8];
    struct message message;
    ct_note("%s %s", rows[i].type, rows[i].text);
    EXPECT_EQ(type_parse(type_of(rows[i].type), rows[i].text, bytes, &message), rows[i].legal);
  }
}

TEST(types, ordinals_count_representable_values) {
  struct type type = type_of("float");
  const float one = 1, next = nextafterf(1, 2), zero = 0, minus = -0.0f, tiny = nextafterf(0, -1);
  EXPECT_EQ(type_ordinal(type, (const uint8_t *)&next) - type_ordinal(type, (const uint8_t *)&one), 1);
  EXPECT_EQ(type_ordinal(type, (const uint8_t *)&zero), type_ordinal(type, (const uint8_t *)&minus));
  EXPECT_EQ(type_ordinal(type, (const uint8_t *)&zero) - type_ordinal(type, (const uint8_t *)&tiny), 1);
}

TEST(job, buffers_are_aligned_and_do_not_overlap) {
  ct_freed(job_free) struct job job = {0};
  struct message message;
  for (unsigned i = 0; i < 5; i++) {
    char name[2] = {(char)('a' + i), '\0'};
    EXPECT_TRUE(job_buffer(&job, name, 1 + 5000 * i, type_of("uchar"), &message));
  }
  EXPECT_EQ(job.memory.buffers[0].base, ISA_GLOBAL_BASE);
  for (unsigned i = 1; i < 5; i++) {
    EXPECT_EQ(job.memory.buffers[i].base % 4096, 0);
    EXPECT_GE(job.memory.buffers[i].base - job.memory.buffers[i - 1].base - job.memory.buffers[i - 1].bytes, 65536);
  }
}

TEST(job, iota_counts_elements_and_random_repeats) {
  ct_freed(job_free) struct job job = {0};
  struct message message;
  job_buffer(&job, "a", 64, type_of("float4"), &message);
  job_buffer(&job, "b", 64, type_of("float"), &message);
  job_buffer(&job, "c", 64, type_of("float"), &message);
  EXPECT_TRUE(job_fill(&job, 0, FILL_IOTA, 0, &message));
  EXPECT_TRUE(job_fill(&job, 1, FILL_RANDOM, 9, &message));
  EXPECT_TRUE(job_fill(&job, 2, FILL_RANDOM, 9, &message));
  const float *a = (const float *)(const void *)job.memory.buffers[0].data;
  const float *b = (const float *)(const void *)job.memory.buffers[1].data;
  EXPECT_TRUE(a[0] == 0 && a[3] == 0 && a[4] == 1 && a[15] == 3);
  for (unsigned i = 0; i < 16; i++)
    EXPECT_TRUE(b[i] >= 0 && b[i] < 1);
  EXPECT_TRUE(b[0] != b[1]);
  EXPECT_EQ(memcmp(b, job.memory.buffers[2].data, 64), 0);
}
