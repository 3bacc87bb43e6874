#include "sim/report/params.h"

#include <stdio.h>
#include <string.h>

#include "models/machine_groups.h"

/* "1 to 64", or a choice's words. */
static void print_range(const struct param_row *row, char text[160]) {
  if (row->kind == PARAM_CHOICE)
    snprintf(text, 160, "%s", row->choices);
  else
    snprintf(text, 160, "%u to %u%s", row->minimum, row->maximum,
             row->kind == PARAM_POWER_OF_TWO ? ", power of 2" : "");
}

/* Text columns are as wide as their widest row plus two blanks. */
static int widest_range(void) {
  size_t widest = 0;
  for (size_t g = 0; g < MACHINE_GROUPS; g++)
    for (size_t i = 0; i < machine_groups[g].count; i++) {
      char range[160];
      print_range(&machine_groups[g].rows[i], range);
      widest = strlen(range) > widest ? strlen(range) : widest;
    }
  return (int)widest;
}

/* `machine` is NULL in the manual, which shows no values. */
static void print_row(const struct param_group *group, const struct param_row *row, const struct machine *machine,
                      bool markdown, struct text *text) {
  char range[160], value[36] = "", name[64];
  print_range(row, range);
  snprintf(name, sizeof name, "%s.%s", group->name, row->name);
  if (machine)
    param_text(group, row, machine, value);
  if (!markdown)
    text_print(text, "%-24s %14s %14s  %-*s  %-16s %s%s%s%s\n", name, value, row->initial, widest_range(), range,
               row->unit, row->text, *row->seen ? " [" : "", row->seen, *row->seen ? "]" : "");
  else
    text_print(text, "| `%s` | %s%s%s | %s | %s | %s | %s |\n", name, value, machine ? " | " : "", row->initial, range,
               row->unit, row->text, row->seen);
}

static void print_head(const struct param_group *group, const struct machine *machine, bool markdown,
                       struct text *text) {
  if (!markdown)
    text_print(text, "%s%-24s %14s %14s  %-*s  %-16s %s\n", text->length ? "\n" : "", "parameter", "value", "default",
               widest_range(), "range", "unit", "meaning [seen]");
  else
    text_print(
        text,
        "\n## %s (`%s`)\n\n| parameter |%s default | range | unit | meaning | seen |\n|---|%s---|---|---|---|---|\n",
        group->title, group->name, machine ? " value |" : "", machine ? "---|" : "");
}

void report_params(const struct machine *machine, const char *prefix, bool markdown, struct text *text) {
  for (size_t g = 0; g < MACHINE_GROUPS; g++) {
    const struct param_group *group = &machine_groups[g];
    bool headed = false;
    for (size_t i = 0; i < group->count; i++) {
      char name[64];
      snprintf(name, sizeof name, "%s.%s", group->name, group->rows[i].name);
      if (prefix && strncmp(name, prefix, strlen(prefix)) != 0)
        continue;
      if (!headed)
        print_head(group, machine, markdown, text);
      headed = true;
      print_row(group, &group->rows[i], machine, markdown, text);
    }
  }
}
