/* The machine's parameters as a whole: every row of every group. */
#include <stdio.h>
#include <string.h>

#include "models/machine.h"
#include "models/result.h"
#include "tests/ct.h"

TEST(machine, defaults_are_legal_alone_and_together) {
  struct machine machine;
  char message[PARAM_MESSAGE] = "";
  machine_defaults(&machine);
  EXPECT_TRUE(machine_check(&machine, message));
  EXPECT_STREQ(message, "");
}

TEST(machine, every_row_accepts_both_ends_of_its_range_and_nothing_beyond) {
  for (size_t g = 0; g < MACHINE_GROUPS; g++)
    for (size_t i = 0; i < machine_groups[g].count; i++) {
      const struct param_row *row = &machine_groups[g].rows[i];
      struct machine machine;
      char key[64], value[32], message[PARAM_MESSAGE] = "";
      machine_defaults(&machine);
      snprintf(key, sizeof key, "%s.%s", machine_groups[g].name, row->name);
      ct_note("%s", key);
      EXPECT_TRUE(strlen(row->text) > 10 && row->text[strlen(row->text) - 1] == '.');
      if (row->kind == PARAM_CHOICE) {
        for (uint32_t c = 0; param_choice(row->choices, c, value); c++) {
          EXPECT_TRUE(param_set(machine_groups, MACHINE_GROUPS, &machine, key, value, message));
          EXPECT_EQ(param_value(&machine_groups[g], row, &machine), c);
        }
        EXPECT_FALSE(param_set(machine_groups, MACHINE_GROUPS, &machine, key, "nonsense", message));
        continue;
      }
      uint64_t ends[] = {row->minimum, row->maximum};
      for (unsigned e = 0; e < 2; e++) {
        snprintf(value, sizeof value, "%llu", (unsigned long long)ends[e]);
        EXPECT_TRUE(param_set(machine_groups, MACHINE_GROUPS, &machine, key, value, message));
        EXPECT_EQ(param_value(&machine_groups[g], row, &machine), ends[e]);
      }
      snprintf(value, sizeof value, "%llu", (unsigned long long)row->maximum + 1);
      EXPECT_FALSE(param_set(machine_groups, MACHINE_GROUPS, &machine, key, value, message));
      EXPECT_CONTAINS(message, key);
    }
}

/* Models compare parameters with the index of a word: the enum must have the row's order. */
TEST(machine, the_words_of_choices_are_in_the_order_of_their_enums) {
  static const struct {
    const char *key;
    uint32_t index;
    const char *word;
  } rows[] = {
      {"cu.policy", CU_ROUND_ROBIN, "round_robin"},
      {"cu.policy", CU_GREEDY_OLDEST, "greedy_oldest"},
      {"cu.policy", CU_OLDEST, "oldest"},
      {"cu.dependence", CU_SCOREBOARD, "scoreboard"},
      {"cu.dependence", CU_FIXED, "fixed"},
      {"lds.dma_port", LDS_PORT_SHARED, "shared"},
      {"lds.dma_port", LDS_PORT_SEPARATE, "separate"},
      {"lds.priority", LDS_ALTERNATE, "alternate"},
      {"lds.priority", LDS_WARPS_FIRST, "warps"},
      {"lds.priority", LDS_DMA_FIRST, "dma"},
      {"lds.hash", LDS_HASH_NONE, "none"},
      {"lds.hash", LDS_HASH_XOR, "xor"},
      {"lds.conflicts", LDS_CONFLICTS_REAL, "real"},
      {"lds.conflicts", LDS_CONFLICTS_NONE, "none"},
      {"lds.phases", LDS_PHASES_nvidia, "nvidia"},
      {"lds.phases", LDS_PHASES_cdna3, "cdna3"},
      {"lds.phases", LDS_PHASES_cdna4, "cdna4"},
      {"lds.phases", LDS_PHASES_whole, "whole"},
      {"dma.arbitration", DMA_ROUND_ROBIN, "round_robin"},
      {"dma.arbitration", DMA_OLDEST, "oldest"},
      {"dma.arbitration", DMA_PRIORITY, "priority"},
      {"mem.l2_hash", L2_XOR, "xor"},
      {"mem.l2_write", L2_AROUND, "around"},
      {"mem.mshr_prefetch", MSHR_DROP, "drop"},
      {"mem.dram", DRAM_BANKED, "banked"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct param_row *row = param_find(machine_groups, MACHINE_GROUPS, rows[i].key, NULL, NULL);
    char word[32] = "";
    ct_note("%s", rows[i].key);
    EXPECT_TRUE(row && param_choice(row->choices, rows[i].index, word));
    EXPECT_STREQ(word, rows[i].word);
  }
}

TEST(machine, parameters_that_conflict_are_refused_with_both_names) {
  static const struct {
    const char *key, *value, *other;
  } rows[] = {{"mem.sector", "256", "mem.line"},
              {"mem.l1_size", "511", "mem.l1_ways"},
              {"mem.l2_size", "1024", "mem.l2_ways"},
              {"cu.lds_unit", "2048", "lds.size"},
              {"mem.l2_size", "2048", "mem.l2_slices"},
              {"mem.dram_row_miss", "1", "mem.dram_row_hit"},
              {"mem.dram_row_conflict", "1", "mem.dram_row_miss"},
              {"mem.dram_refresh_cycles", "100", "mem.dram_refresh"},
              {"dma.copy", "lanes", "dma.swizzle"},
              {"dma.copy", "blocking", "dma.swizzle"},
              {"dma.copy", "lanes", "dma.pad"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct machine machine;
    char message[PARAM_MESSAGE] = "";
    machine_defaults(&machine);
    machine.lds.size = 1024;
    machine.cu.lds_unit = 128;
    machine.mem.l2_slices = 2;
    machine.mem.dram = DRAM_BANKED;
    machine.mem.dram_refresh = 100;
    machine.dma.swizzle = strstr(rows[i].other, "swizzle") ? DMA_SWIZZLE_64 : DMA_LINEAR;
    machine.dma.pad = machine.dma.pad_interval = 128; /* legal with an engine, and so is the swizzle */
    EXPECT_TRUE(param_set(machine_groups, MACHINE_GROUPS, &machine, rows[i].key, rows[i].value, message));
    EXPECT_FALSE(machine_check(&machine, message));
    EXPECT_CONTAINS(message, rows[i].key);
    EXPECT_CONTAINS(message, rows[i].other);
  }
}
