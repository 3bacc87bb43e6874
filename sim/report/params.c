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
  for (struct machine_param at = {0}; machine_param_next(&at);) {
    char range[160];
    print_range(at.row, range);
    widest = strlen(range) > widest ? strlen(range) : widest;
  }
  return (int)widest;
}

/* `machine` is NULL in the manual, which shows no values. */
static void print_row(const struct machine_param *at, const struct machine *machine, bool markdown, struct text *text) {
  const struct param_row *row = at->row;
  const char *name = at->key;
  char range[160], value[36] = "";
  print_range(row, range);
  if (machine)
    param_text(at->group, row, machine, value);
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
  const struct param_group *group = NULL;
  for (struct machine_param at = {0}; machine_param_next(&at);) {
    if (prefix && strncmp(at.key, prefix, strlen(prefix)) != 0)
      continue;
    if (at.group != group)
      print_head(at.group, machine, markdown, text);
    group = at.group;
    print_row(&at, machine, markdown, text);
  }
}
