#include "sim/report/lines.h"

#include <stdlib.h>

#include "sim/base/need.h"

static void add(struct line_cost *line, const struct pc_result *at) {
  pc_result_add(&line->cost, at);
  for (unsigned i = 0; i < STALLS; i++)
    line->cycles += at->stalls[i];
}

static bool costs(const struct pc_result *at) {
  bool any = at->issues > 0;
  for (unsigned i = 0; i < STALLS; i++)
    any |= at->stalls[i] > 0;
  return any;
}

static int by_place(const void *left, const void *right) {
  const struct line_cost *a = left, *b = right;
  if (a->source != b->source)
    return a->source < b->source ? -1 : 1;
  return (a->line > b->line) - (a->line < b->line);
}

/* Starts with a row per instruction, sorts the rows, then merges those of one line. Sums do not depend on the order of
 * ties. */
struct line_cost *lines_of(const struct isa_program *program, const struct launch_result *result, size_t *count) {
  struct line_cost *lines = need(program->count, sizeof *lines);
  size_t rows = 0, merged = 0;
  for (uint32_t pc = 0; pc < program->count; pc++) {
    uint32_t line = program->line ? program->line[pc] : 0;
    if (!costs(&result->by_pc[pc]))
      continue;
    lines[rows] = (struct line_cost){.source = line && program->source ? program->source[pc] : 0, .line = line};
    add(&lines[rows++], &result->by_pc[pc]);
  }
  qsort(lines, rows, sizeof *lines, by_place);
  for (size_t i = 0; i < rows; i++)
    if (merged && by_place(&lines[merged - 1], &lines[i]) == 0)
      add(&lines[merged - 1], &lines[i].cost);
    else
      lines[merged++] = lines[i];
  *count = merged;
  return lines;
}

enum stall line_stall(const struct line_cost *line) {
  enum stall longest = STALL_ISSUED;
  for (unsigned i = 0; i < STALLS; i++)
    if (i != STALL_ISSUED && line->cost.stalls[i] &&
        (longest == STALL_ISSUED || line->cost.stalls[i] > line->cost.stalls[longest]))
      longest = (enum stall)i;
  return longest;
}
