#include "sim/cli/manual.h"

#include <stdio.h>
#include <string.h>

#include "models/result.h"
#include "sim/cli/machines.h"

/* ---- parameters -------------------------------------------------------------------------------- */

/* "1 to 64", or a choice's words. */
static void print_range(const struct param_row *row, char text[160]) {
  if (row->kind == PARAM_CHOICE)
    snprintf(text, 160, "%s", row->choices);
  else
    snprintf(text, 160, "%u to %u%s", row->minimum, row->maximum,
             row->kind == PARAM_POWER_OF_TWO ? ", power of 2" : "");
}

static void print_row(const struct param_group *group, const struct param_row *row, const struct machine *machine,
                      bool markdown, struct text *text) {
  char range[160], value[32], name[64];
  print_range(row, range);
  param_text(group, row, machine, value);
  snprintf(name, sizeof name, "%s.%s", group->name, row->name);
  if (markdown)
    text_print(text, "| `%s` | %s | %s | %s | %s | %s | %s |\n", name, value, row->initial, range, row->unit, row->text,
               row->seen);
  else
    text_print(text, "%-24s %12s %12s  %-24s %-14s %s%s%s%s\n", name, value, row->initial, range, row->unit, row->text,
               *row->seen ? " [" : "", row->seen, *row->seen ? "]" : "");
}

static void print_head(const struct param_group *group, bool markdown, struct text *text) {
  if (markdown)
    text_print(text,
               "\n## %s (`%s`)\n\n| parameter | value | default | range | unit | meaning | seen |\n"
               "|---|---|---|---|---|---|---|\n",
               group->title, group->name);
  else
    text_print(text, "%s%-24s %12s %12s  %-24s %-14s %s\n", text->length ? "\n" : "", "parameter", "value", "default",
               "range", "unit", "meaning [seen]");
}

void manual_params(const struct machine *machine, const char *prefix, bool markdown, struct text *text) {
  for (size_t g = 0; g < MACHINE_GROUPS; g++) {
    const struct param_group *group = &machine_groups[g];
    bool headed = false;
    for (size_t i = 0; i < group->count; i++) {
      char name[64];
      snprintf(name, sizeof name, "%s.%s", group->name, group->rows[i].name);
      if (prefix && strncmp(name, prefix, strlen(prefix)) != 0)
        continue;
      if (!headed)
        print_head(group, markdown, text);
      headed = true;
      print_row(group, &group->rows[i], machine, markdown, text);
    }
  }
}

static void params_page_row(const struct param_row *row, const char *group, struct text *text) {
  char range[160];
  print_range(row, range);
  text_print(text, "| `%s.%s` | %s | %s | %s | %s | %s |\n", group, row->name, row->initial, range, row->unit,
             row->text, row->seen);
}

char *params_manual(void) {
  struct text text = {0};
  text_print(&text, "# Parameters\n\n"
                    "Made by `make docs` from the rows in `*.params.def`. Each can be set in a machine file and by "
                    "`--set`; `warpwait params --machine NAME` shows the values of a machine. Sizes may end in K, M or "
                    "G (powers of 1024).\n");
  for (size_t g = 0; g < MACHINE_GROUPS; g++) {
    const struct param_group *group = &machine_groups[g];
    text_print(&text,
               "\n## %s (`%s`)\n\n| parameter | default | range | unit | meaning | seen |\n|---|---|---|---|---|---|\n",
               group->title, group->name);
    for (size_t i = 0; i < group->count; i++)
      params_page_row(&group->rows[i], group->name, &text);
  }
  text_print(&text, "\n## Built-in machines\n");
  for (size_t i = 0; i < preset_count; i++)
    text_print(&text, "\n### %s\n\n```ini\n%s```\n", presets[i].name, presets[i].text);
  return text.data;
}

/* ---- the report -------------------------------------------------------------------------------- */

/* Numbers that are worked out from rows: what the rows cannot say. */
static const struct {
  const char *key, *unit, *text;
} derived[] = {
    {"warpwait", "", "Version of the program that wrote the report."},
    {"name", "", "The launch file's `name`, or the file's own name."},
    {"machine.name", "", "Name of the machine file."},
    {"machine.parameters", "", "Every parameter: its value and its unit."},
    {"units", "", "The unit of every number below that has one."},
    {"verify[]", "", "With `--verify`: each check, whether it passed, and the first difference."},
    {"hazards[]", "", "The hazards of all launches, one after the other."},
    {"launches[].end", "", "`finished`, `deadlock` or `cycle_limit`."},
    {"cycles", "cycles", "From the launch's start to the end of its last work-group."},
    {"microseconds", "us", "`cycles` at `cu.clock_mhz`."},
    {"warp_instructions", "warp-instructions", "Instructions issued by warps."},
    {"work_groups", "work-groups", "Work-groups finished."},
    {"trace_hash", "",
     "Hash of every issue: its cycle, CU, warp slot, instruction and lanes. Equal hashes: the same run."},
    {"bottleneck", "",
     "One sentence: the resource at 60 % or more of its peak that is nearest to it; if there is none, the "
     "bucket in which warps wait most."},
    {"utilisation", "of peak",
     "Used over available. Of issue slots, LDS passes, DMA engines (at their narrower side) and "
     "links: in the cycles in which a CU held warps. Of L2 and DRAM: in all cycles. `dma.outstanding`: cycles in "
     "which an engine had a request to send but as many as that were under way."},
    {"occupancy", "", "Work-groups that a CU can hold, what limits them, and what each limit alone would allow."},
    {"stalls", "warp-cycles",
     "Every cycle of every resident warp is in exactly one bucket; they add up to `resident_cycles`."},
    {"resident_cycles", "warp-cycles", "Cycles times warps in a slot of a CU."},
    {"lds.max_ways", "passes", "Most passes of one phase of an access: 1 means no bank conflict."},
    {"lds.by_instruction[]", "", "The counters of each instruction that accessed the LDS, with its source line."},
    {"dma.bytes_per_cycle", "bytes/cycle", "`bytes` over `busy_cycles`."},
    {"dma.latency", "cycles",
     "From a copy's issue by its last warp to the completion of its event: exact minimum, mean and "
     "maximum; p50 and p99 exact below 256 cycles and at most 0.8 % too low above."},
    {"dma.queue_full_cycles", "warp-cycles",
     "Cycles that warps stood at a copy because the queue was full: the bucket `dma_queue`."},
    {"dma.queue_mean", "descriptors", "`queue_cycles` over `busy_cycles`."},
    {"dma.queue_peak", "descriptors", "Most descriptors that waited at once in any engine."},
    {"hiding.copy_cycles", "group-cycles",
     "Cycles in which a work-group had at least one copy under way, summed over work-groups."},
    {"hiding.exposed_cycles", "group-cycles",
     "Of these, cycles in which all its warps stood at a wait for copies still under way, or at a copy that an "
     "engine's queue had no room for."},
    {"hiding.hidden_cycles", "group-cycles", "`copy_cycles` less `exposed_cycles`."},
    {"by_instruction[]", "",
     "Per instruction: issues, lanes, the warp-cycles spent before it could issue by bucket (non-zero "
     "ones), sectors, copies and their bytes."},
    {"stuck[]", "",
     "In a deadlock: warps that wait for ever (at most 64 of `stuck_count`), where, in which bucket, how many "
     "warps of their work-group are missing, how many of those have exited, which event is not completed."},
};

static void stat_table(const struct stat_group *group, const char *key, struct text *text) {
  text_print(text, "\n## %s (`%s`)\n\n| key | unit | meaning |\n|---|---|---|\n", group->title, key);
  for (size_t i = 0; i < group->count; i++)
    text_print(text, "| `%s.%s` | %s | %s |\n", key, group->rows[i].name, group->rows[i].unit, group->rows[i].text);
}

char *report_manual(void) {
  struct text text = {0};
  text_print(&text, "# The report\n\n"
                    "Made by `make docs`. Names are those of the JSON report, below `launches[]` where nothing else is "
                    "said; the text report says the same facts. All counters start at zero with each launch and are "
                    "summed over compute units.\n\n| key | unit | meaning |\n|---|---|---|\n");
  for (size_t i = 0; i < sizeof derived / sizeof *derived; i++)
    text_print(&text, "| `%s` | %s | %s |\n", derived[i].key, derived[i].unit, derived[i].text);
  text_print(&text, "\n## Where warps are (`stalls`)\n\n| bucket | the warp waits for |\n|---|---|\n");
  for (size_t i = 0; i < STALLS; i++)
    text_print(&text, "| `%s` | %s |\n", stall_rows[i].name, stall_rows[i].text);
  stat_table(&cu_stat_group, "cu", &text);
  stat_table(&lds_stat_group, "lds", &text);
  stat_table(&dma_stat_group, "dma", &text);
  stat_table(&mem_stat_group, "memory", &text);
  return text.data;
}

char *hazards_manual(void) {
  struct text text = {0};
  text_print(&text,
             "# Hazards\n\n"
             "Made by `make docs` from `isa/hazards.def`. A run reports each hazard once per instruction, with its "
             "first occurrence and a count.\n\n| rule | what is wrong | advice |\n|---|---|---|\n");
  for (size_t i = 0; i < HAZARDS; i++)
    text_print(&text, "| `%s` | %s | %s |\n", isa_hazard_rows[i].rule, isa_hazard_rows[i].text,
               isa_hazard_rows[i].advice);
  return text.data;
}
