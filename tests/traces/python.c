/* The Python reader, written from the page on the format, gives the same result as the C reader. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/ct.h"
#include "tests/traces/made.h"

CT_FREES(struct trace_warp, trace_warp_free)
CT_FREES(struct trace, trace_close)

static void print_words(FILE *file, const struct trace_op *op, unsigned lanes) {
  const struct trace_kind_row *row = &trace_kind_rows[op->kind];
  const uint64_t taking_part = row->vectors ? trace_lanes(op) : 0;
  for (unsigned i = 0; op->mask && i < row->fields; i++)
    fprintf(file, " %s=%" PRIx64, row->field[i].name, op->field[i]);
  for (unsigned i = 0; taking_part && i < row->vectors; i++) {
    uint64_t value[TRACE_LANES];
    const char *comma = "";
    trace_spread(&op->vector[i], lanes, value);
    fprintf(file, " %s=", row->vector[i].name);
    for (unsigned lane = 0; lane < lanes; lane++)
      if (taking_part >> lane & 1) {
        fprintf(file, "%s%u:%" PRIx64, comma, lane, value[lane]);
        comma = ",";
      }
  }
  for (uint32_t i = 0; i < op->notes; i++) {
    fprintf(file, " %s ", trace_note_names[op->note[i].kind]);
    for (uint32_t v = 0; v < op->note[i].values; v++)
      fprintf(file, "%s%" PRIx64, v ? "," : "", op->note[i].value[v]);
    fprintf(file, " %s", op->note[i].text);
  }
}

/* Prints the same lines as `python3 -m warpwait.trace`. */
static void print_trace(FILE *file, struct trace *trace, const struct made *made) {
  ct_freed(trace_warp_free_at) struct trace_warp *warp = trace_warp_new(trace);
  for (uint32_t group = 0, warps; group < made->groups; group++)
    for (uint32_t i = 0; trace_group_warps(trace, 0, group, &warps) && i < made->warps; i++) {
      struct trace_op op;
      uint32_t pc;
      fprintf(file, "launch 0 group %u warp %u\n", group, i);
      if (!EXPECT_TRUE(trace_warp_start(warp, 0, group, i, &pc)))
        continue;
      while (trace_decode(warp, &op)) {
        const bool done = op.flags & TRACE_DONE, diverged = op.flags & TRACE_DIVERGED;
        fprintf(file, "%u %u %" PRIx64 " %s%s%s %s", op.pc, op.next, op.mask,
                done       ? "done"
                : diverged ? ""
                           : "-",
                done && diverged ? "+" : "", diverged ? "diverged" : "", trace_kind_rows[op.kind].name);
        print_words(file, &op, made->lanes);
        fputc('\n', file);
      }
    }
}

/* Cuts off `cut` bytes and compares what is salvaged. */
static void compare(const struct made *made, unsigned cut) {
  const char *path = made_path("python");
  char command[1024];
  struct message error;
  made_write(made, path, false);
  if (cut) {
    snprintf(command, sizeof command, "truncate -s -%u %s", cut, path);
    EXPECT_EQ(system(command), 0);
  }
  snprintf(command, sizeof command, "%s.text", path);
  FILE *file = fopen(command, "w");
  ct_freed(trace_close_at) struct trace *trace = trace_open(path, cut ? TRACE_SALVAGE : TRACE_WHOLE, &error);
  print_trace(file, trace, made);
  fclose(file);
  made_python(path, cut);
}

TEST(python, reads_the_same_as_the_c_reader) {
  compare(&(struct made){.seed = 31, .lanes = 32, .groups = 4, .warps = 2, .operations = 1200, .wild = 30}, 0);
  compare(&(struct made){.seed = 32, .lanes = 64, .groups = 2, .warps = 1, .operations = 600, .wild = 0}, 0);
  compare(&(struct made){.seed = 33, .lanes = 16, .groups = 3, .warps = 3, .operations = 500, .wild = 90}, 0);
}

TEST(python, salvages_the_same_as_the_c_reader) {
  compare(&(struct made){.seed = 34, .lanes = 32, .groups = 4, .warps = 2, .operations = 700, .wild = 30}, 40);
  compare(&(struct made){.seed = 35, .lanes = 32, .groups = 20, .warps = 1, .operations = 50, .wild = 30}, 1500);
}
