/* The rows of parameters and statistics, and their texts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dma/dma.h"
#include "lds/lds.h"
#include "sim/base/nearest.h"
#include "sim/core/histogram.h"
#include "tests/ct.h"

struct machine {
  struct lds_params lds;
  struct dma_params dma;
};

enum { GROUPS = 2 };

/* The numbers of rows are not constant expressions. */
static const struct param_group *groups(void) {
  static struct param_group group[GROUPS];
  group[0] = (struct param_group){"lds", "LDS", lds_param_rows, lds_param_count, offsetof(struct machine, lds)};
  group[1] = (struct param_group){"dma", "DMA", dma_param_rows, dma_param_count, offsetof(struct machine, dma)};
  return group;
}

static bool set(struct machine *machine, const char *group, const char *name, const char *value, char *message) {
  char key[64];
  snprintf(key, sizeof key, "%s.%s", group, name);
  return param_set(groups(), GROUPS, machine, key, value, message);
}

/* Runs `body` for each row as `row` of `group`. */
#define EACH_ROW(group, row)                                                                                           \
  for (const struct param_group *group = groups(); group < groups() + GROUPS; group++)                                 \
    for (const struct param_row *row = group->rows; row < group->rows + group->count; row++)

TEST(params, names_are_unique_and_every_row_has_text) {
  EACH_ROW(group, row) {
    ct_note("%s.%s", group->name, row->name);
    for (const struct param_row *other = group->rows; other < row; other++) {
      EXPECT_TRUE(strcmp(row->name, other->name) != 0);
      EXPECT_TRUE(row->offset != other->offset);
    }
    size_t length = strlen(row->text);
    EXPECT_LT(10, length);
    EXPECT_EQ(row->text[length - 1], '.');
    EXPECT_TRUE(row->seen != NULL);
    EXPECT_EQ(row->kind == PARAM_CHOICE, row->choices != NULL);
    EXPECT_EQ(*row->unit == '\0', row->kind == PARAM_CHOICE);
  }
}

TEST(params, defaults_are_in_range_and_survive_print_and_parse) {
  struct machine machine;
  memset(&machine, 0xFF, sizeof machine);
  param_defaults(groups(), GROUPS, &machine);
  EACH_ROW(group, row) {
    char text[32];
    ct_note("%s.%s", group->name, row->name);
    param_text(group, row, &machine, text);
    EXPECT_STREQ(text, row->initial);
    if (row->kind == PARAM_CHOICE)
      continue;
    EXPECT_LE(row->minimum, param_value(group, row, &machine));
    EXPECT_LE(param_value(group, row, &machine), row->maximum);
  }
}

TEST(params, both_ends_of_a_range_are_legal_and_values_beyond_are_refused_with_the_range) {
  struct machine machine = {0};
  char message[PARAM_MESSAGE], value[32], range[64];
  EACH_ROW(group, row) {
    if (row->kind == PARAM_CHOICE)
      continue;
    uint64_t tries[] = {row->minimum, row->maximum, (uint64_t)row->minimum - 1, (uint64_t)row->maximum + 1};
    snprintf(range, sizeof range, "[%u, %u]", row->minimum, row->maximum);
    for (unsigned i = 0; i < 4; i++) {
      if (i == 2 && !row->minimum)
        continue;
      snprintf(value, sizeof value, "%llu", (unsigned long long)tries[i]);
      ct_note("%s.%s = %s", group->name, row->name, value);
      EXPECT_EQ(set(&machine, group->name, row->name, value, message), i < 2);
      if (i < 2) {
        EXPECT_EQ(param_value(group, row, &machine), tries[i]);
      } else {
        EXPECT_CONTAINS(message, row->name);
        EXPECT_CONTAINS(message, value);
        EXPECT_CONTAINS(message, range);
        EXPECT_CONTAINS(message, row->unit);
      }
    }
  }
}

TEST(params, every_choice_is_accepted_and_other_words_get_the_list) {
  struct machine machine = {0};
  char message[PARAM_MESSAGE], word[32], text[32];
  EACH_ROW(group, row) {
    if (row->kind != PARAM_CHOICE)
      continue;
    ct_note("%s.%s", group->name, row->name);
    uint32_t count = 0;
    for (; param_choice(row->choices, count, word); count++) {
      EXPECT_TRUE(set(&machine, group->name, row->name, word, message));
      EXPECT_EQ(param_value(group, row, &machine), count);
      param_text(group, row, &machine, text);
      EXPECT_STREQ(text, word);
    }
    EXPECT_LT(1, count);
    EXPECT_FALSE(set(&machine, group->name, row->name, "nonsense", message));
    EXPECT_CONTAINS(message, row->choices);
    EXPECT_FALSE(set(&machine, group->name, row->name, "", message));
    EXPECT_FALSE(set(&machine, group->name, row->name, "1", message));
  }
}

TEST(params, numbers_may_have_suffixes_k_m_g_and_no_others) {
  static const struct {
    const char *text;
    bool legal;
    uint32_t value;
  } rows[] = {{"4K", true, 4096},
              {"1m", true, 1 << 20},
              {"0x1000", true, 4096},
              {"2048", true, 2048},
              {"4KB", false, 0},
              {"", false, 0},
              {" 4096", false, 0},
              {"-1", false, 0},
              {"4096.0", false, 0},
              {"4 K", false, 0},
              {"K", false, 0},
              {"1G", false, 0},
              {"99999999999999999999", false, 0},
              {"99999999999999G", false, 0},
              {"4096x", false, 0}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct machine machine = {0};
    char message[PARAM_MESSAGE] = "";
    ct_note("'%s'", rows[i].text);
    EXPECT_EQ(param_set(groups(), GROUPS, &machine, "lds.size", rows[i].text, message), rows[i].legal);
    EXPECT_EQ(machine.lds.size, rows[i].value);
    if (!rows[i].legal)
      EXPECT_CONTAINS(message, "lds.size: ");
  }
}

TEST(params, messages_have_the_expected_wording) {
  struct machine machine = {0};
  static const struct {
    const char *key, *value, *message;
  } rows[] = {
      {"lds.banks", "500", "lds.banks: 500 is outside [1, 64] banks"},
      {"lds.banks", "48", "lds.banks: 48 is not a power of two in [1, 64] banks"},
      {"lds.banks", "many", "lds.banks: 'many' is not a whole number in [1, 64] banks"},
      {"lds.priority", "cats", "lds.priority: 'cats' is not one of: alternate warps dma"},
      {"lds.bank", "4", "no parameter 'lds.bank'; did you mean 'lds.banks'? ('warpwait params' lists them)"},
      {"channels", "4", "no parameter 'channels'; did you mean 'dma.channels'? ('warpwait params' lists them)"},
      {"chanels", "4", "no parameter 'chanels'; did you mean 'dma.channels'? ('warpwait params' lists them)"},
      {"LDS.BANK", "4", "no parameter 'LDS.BANK'; did you mean 'lds.banks'? ('warpwait params' lists them)"},
      {"queue", "4", "no parameter 'queue' ('warpwait params' lists them)"}, /* of the LDS or of the DMA engine */
      {"dma.chan", "4", "no parameter 'dma.chan'; did you mean 'dma.channels'? ('warpwait params' lists them)"},
      {"dma.chanels", "4", "no parameter 'dma.chanels'; did you mean 'dma.channels'? ('warpwait params' lists them)"},
      {"quite.something.else", "4", "no parameter 'quite.something.else' ('warpwait params' lists them)"},
  };
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    char message[PARAM_MESSAGE] = "";
    EXPECT_FALSE(param_set(groups(), GROUPS, &machine, rows[i].key, rows[i].value, message));
    EXPECT_STREQ(message, rows[i].message);
  }
}

TEST(params, absurdly_long_keys_and_values_are_refused_quietly) {
  static char text[100000];
  struct machine machine = {0};
  char message[PARAM_MESSAGE];
  memset(text, 'x', sizeof text - 1);
  EXPECT_FALSE(param_set(groups(), GROUPS, &machine, text, "1", message));
  EXPECT_FALSE(param_set(groups(), GROUPS, &machine, "lds.banks", text, message));
  EXPECT_FALSE(param_set(groups(), GROUPS, &machine, "lds.priority", text, message));
  memset(text, '9', sizeof text - 1);
  EXPECT_FALSE(param_set(groups(), GROUPS, &machine, "lds.banks", text, message));
}

TEST(words, the_suggestion_is_the_word_nearest_to_a_typo) {
  static const char *const words[] = {"run", "replay", "sweep",  "check",    "explain",
                                      "asm", "dis",    "params", "machines", "trace"};
  enum { N = sizeof words / sizeof *words };
  static const struct {
    const char *typed, *meant;
  } rows[] = {
      {"runn", "run"},      {"rnu", "run"},          {"repaly", "replay"}, {"sweeps", "sweep"},      {"chekc", "check"},
      {"param", "params"},  {"machine", "machines"}, {"asm", "asm"},       {"elephant-house", NULL}, {"axe", NULL},
      {"Replay", "replay"}, {"DSI", "dis"},          {"q", NULL},          {"runner", NULL},         {"despair", NULL}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
    EXPECT_STREQ(nearest_word(rows[i].typed, words, N, sizeof *words), rows[i].meant);
  EXPECT_STREQ(nearest_word("run", words, 0, sizeof *words), NULL);
}

TEST(stats, names_are_unique_and_addition_covers_every_row) {
  const struct stat_group *all[] = {&lds_stat_group, &dma_stat_group};
  for (unsigned g = 0; g < 2; g++) {
    uint64_t into[64] = {0}, from[64];
    for (unsigned i = 0; i < 64; i++)
      from[i] = i + 1;
    stats_add(all[g], into, from);
    stats_add(all[g], into, from);
    for (size_t i = 0; i < all[g]->count; i++) {
      const struct stat_row *row = &all[g]->rows[i];
      ct_note("%s.%s", all[g]->name, row->name);
      EXPECT_EQ(stat_value(row, into), 2 * (row->offset / 8 + 1));
      EXPECT_LT(0, strlen(row->unit));
      EXPECT_EQ(row->text[strlen(row->text) - 1], '.');
      for (size_t j = 0; j < i; j++)
        EXPECT_TRUE(strcmp(row->name, all[g]->rows[j].name) != 0);
    }
  }
  EXPECT_EQ(lds_stat_group.count * 8, sizeof(struct lds_stats));
  EXPECT_EQ(dma_stat_group.count * 8, sizeof(struct dma_stats));
}

/* ---- histogram ---------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

TEST(histogram, quantiles_are_exact_below_256_and_at_most_a_128th_low_above) {
  enum { N = 1000 };
  static uint64_t value[N];
  uint64_t random = 11;
  for (unsigned range = 1; range <= 63; range++) {
    struct histogram histogram = {0};
    uint64_t sum = 0;
    unsigned count = range % 7 ? N : 1 + range;
    for (unsigned i = 0; i < count; i++) {
      value[i] = ct_random(&random) >> (64 - range);
      sum += value[i];
      histogram_add(&histogram, value[i]);
    }
    qsort(value, count, sizeof *value, ascending);
    EXPECT_EQ(histogram.count, count);
    EXPECT_EQ(histogram.sum, sum);
    EXPECT_EQ(histogram.minimum, value[0]);
    EXPECT_EQ(histogram.maximum, value[count - 1]);
    for (unsigned percent = 0; percent <= 100; percent++) {
      size_t rank = (size_t)div_up((uint64_t)count * percent, 100);
      uint64_t exact = value[rank ? rank - 1 : 0], got = histogram_quantile(&histogram, percent);
      ct_note("range %u bits, %u %%", range, percent);
      EXPECT_TRUE(got <= exact ? exact - got <= exact / 128 : got == value[count - 1] && got - exact <= exact / 128);
      if (exact < 256)
        EXPECT_EQ(got, exact);
    }
  }
}

TEST(histogram, bins_cover_all_numbers_without_gap_or_overlap) {
  EXPECT_EQ(histogram_low(0), 0);
  for (unsigned bin = 1; bin < HISTOGRAM_BINS; bin++) {
    struct histogram histogram = {0};
    ct_note("bin %u", bin);
    EXPECT_TRUE(histogram_low(bin) > histogram_low(bin - 1));
    histogram_add(&histogram, histogram_low(bin));
    histogram_add(&histogram, histogram_low(bin) - 1);
    EXPECT_EQ(histogram.bin[bin], 1);
    EXPECT_EQ(histogram.bin[bin - 1], 1);
  }
  struct histogram histogram = {0};
  histogram_add(&histogram, UINT64_MAX);
  EXPECT_EQ(histogram.bin[HISTOGRAM_BINS - 1], 1);
  EXPECT_TRUE(histogram_quantile(&histogram, 50) == UINT64_MAX); /* the minimum, above its bin's edge */
  EXPECT_EQ(histogram_quantile(&(struct histogram){0}, 50), 0);
}
