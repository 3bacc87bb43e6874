/* The built-in machines, and parameters as text. */
#include "sim/launch/machines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "models/machine.h"
#include "sim/report/params.h"
#include "tests/cli/fixture.h"
#include "tests/cli/tool.h"
#include "tests/ct.h"
#include "tools/docs/manual.h"

TEST(machines, every_built_in_machine_parses_and_is_consistent) {
  for (size_t i = 0; i < preset_count; i++) {
    struct machine machine;
    struct message message = {""};
    char text[PARAM_MESSAGE] = "";
    ct_note("%s", presets[i].name);
    if (!EXPECT_TRUE(machine_load(presets[i].name, NULL, NULL, &machine, &message)))
      puts(message.text);
    EXPECT_STREQ(machine.name, presets[i].name);
    if (!EXPECT_TRUE(machine_check(&machine, text)))
      puts(text);
  }
}

TEST(machines, the_three_documented_machines_exist) {
  EXPECT_TRUE(preset_find("teaching") && preset_find("dsp") && preset_find("h200"));
}

#ifndef __SANITIZE_ADDRESS__ /* the sanitizer needs more address space than this limit leaves */
/* WebAssembly has only 2 GiB, so a machine must take memory when it uses a structure, not for all that it could
 * hold. */
TEST(machines, a_large_machine_takes_memory_only_for_what_is_used) {
  static const struct {
    unsigned mebibytes;
    const char *set;
  } rows[] = {
      {400, ""},
      {800, "--set mem.l2_size=1G"},
      {600, "--set dma.outstanding=4096"},
      {600, "--set cu.accesses=4096 --set cu.global_queue=256"},
      {600, "--set cu.groups=64 --set cu.registers=16M --set lds.size=16M"},
  };
  struct rlimit before;
  char launch[2000], arguments[200];
  fixture_folder();
  snprintf(launch, sizeof launch, fixture_launch, "");
  tool_file("l.json", launch);
  getrlimit(RLIMIT_AS, &before);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    snprintf(arguments, sizeof arguments, "run l.json --machine h200 --why=no %s", rows[i].set);
    ct_note("%s with %u MiB", arguments, rows[i].mebibytes);
    setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)rows[i].mebibytes << 20, before.rlim_max});
    ct_freed(outcome_free) struct outcome outcome = tool(arguments);
    setrlimit(RLIMIT_AS, &before);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_STREQ(outcome.err, "");
  }
}
#endif

TEST(machines, h200_gives_the_origin_of_each_value) {
  static const char *const sources[] = {
      "measured on an H200", "measured on an H100", "assumed",      "CUDA", "device query",
      "FlashGPU-Sim",        "white paper",         "of no effect", "fit:", "SASS:"};
  const char *text = preset_find("h200")->text;
  for (const char *at = text; *at; at += strcspn(at, "\n") + 1) {
    char line[256];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    if (!strchr(line, '=') || line[0] == ';')
      continue;
    bool sourced = false;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
      sourced |= strchr(line, ';') && strstr(strchr(line, ';'), sources[i]);
    ct_note("%s", line);
    EXPECT_TRUE(sourced);
  }
}

TEST(machines, h200_names_every_parameter) {
  const char *text = preset_find("h200")->text;
  for (size_t g = 0; g < MACHINE_GROUPS; g++)
    for (size_t i = 0; i < machine_groups[g].count; i++) {
      char key[64];
      snprintf(key, sizeof key, "\n%s ", machine_groups[g].rows[i].name);
      ct_note("%s.%s", machine_groups[g].name, machine_groups[g].rows[i].name);
      EXPECT_TRUE(strstr(text, key) != NULL);
    }
}

TEST(machines, params_lists_every_row_with_its_value) {
  struct machine machine;
  struct text text = {0};
  machine_defaults(&machine);
  machine.dma.channels = 61;
  report_params(&machine, NULL, false, &text);
  for (size_t g = 0; g < MACHINE_GROUPS; g++)
    for (size_t i = 0; i < machine_groups[g].count; i++) {
      char name[64];
      snprintf(name, sizeof name, "%s.%s ", machine_groups[g].name, machine_groups[g].rows[i].name);
      EXPECT_CONTAINS(text.data, name);
    }
  EXPECT_CONTAINS(text.data, " 61 ");
  free(text.data);
}

TEST(machines, params_prefix_selects) {
  tool_folder();
  struct outcome all = tool("params"), some = tool("params cu.int --machine h200"),
                 page = tool("params dma --markdown");
  EXPECT_CONTAINS(all.out, "mem.dram_width");
  EXPECT_CONTAINS(some.out, "cu.int_latency");
  EXPECT_TRUE(strstr(some.out, "cu.mul_latency") == NULL);
  EXPECT_CONTAINS(page.out, "| `dma.channels` | 4 | 4 | 1 to 64 |");
  outcome_free(&all);
  outcome_free(&some);
  outcome_free(&page);
}

TEST(machines, built_in_machines_print_as_written) {
  tool_folder();
  struct outcome list = tool("machines"), one = tool("machines dsp");
  EXPECT_CONTAINS(list.out, "teaching ");
  EXPECT_CONTAINS(list.out, "behind the cores' back.\n"); /* the whole first sentence, which spans lines */
  EXPECT_STREQ(one.out, preset_find("dsp")->text);
  outcome_free(&list);
  outcome_free(&one);
}

/* The example of docs/parameters.md is a machine file. */
TEST(machines, the_machine_file_in_the_manual_parses) {
  char *manual = params_manual(), *start = strstr(manual, "```ini\n");
  struct machine machine;
  struct message message = {""};
  ASSERT_TRUE(start != NULL);
  start += strlen("```ini\n");
  *strstr(start, "```") = '\0';
  if (!EXPECT_TRUE(machine_read(start, "mine.ini", &machine, &message)))
    puts(message.text);
  EXPECT_EQ(machine.lds.size, 128 * 1024);
  free(manual);
}
