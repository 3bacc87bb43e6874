#include "tools/trace/head.h"

#include <inttypes.h>
#include <stdlib.h>

#include "isa/asm/asm.h"
#include "sim/base/text.h"

/* Prints numbers as in the text of traces: small ones in decimal. */
static void print_number(struct text *text, uint64_t value) {
  text_print(text, value < 10000 ? "%" PRIu64 : "0x%" PRIx64, value);
}

/* Prints a vector that is linear over the lanes as in the text of traces; of others, only the first value. */
static void print_vector(struct text *text, const char *name, const struct trace_op *op,
                         const struct trace_vector *vector, uint32_t lanes) {
  const uint64_t mask = trace_lanes(op);
  uint64_t value[TRACE_LANES];
  if (!mask)
    return;
  const unsigned first = (unsigned)__builtin_ctzll(mask);
  const bool one = !(mask & (mask - 1)), line = !one && !vector->offset;
  const int64_t stride = line ? (int64_t)vector->stride : 0;
  trace_spread(vector, lanes, value);
  text_print(text, "  %s=%s", name, one || line ? "" : "[");
  const uint64_t base = value[first] - first * (uint64_t)stride;
  if (base || !stride)
    print_number(text, base);
  if (stride)
    text_print(text, base ? "%+" PRId64 "*lane" : "%" PRId64 "*lane", stride);
  text_print(text, "%s", one || line ? "" : " ...]");
}

static void print_operation(struct text *text, const struct isa_program *program, const struct trace_op *op,
                            uint32_t lanes) {
  const struct trace_kind_row *row = &trace_kind_rows[op->kind];
  char place[PROGRAM_PLACE], instruction[200];
  program_place(program, op->pc, place);
  isa_print(program, op->pc, instruction, sizeof instruction);
  text_print(text, "%6" PRIu32 "  %0*" PRIx64 "  %-20s %s", op->pc, (int)lanes / 4, op->mask, place, instruction);
  for (unsigned i = 0; op->mask && i < row->fields; i++)
    if (op->field[i]) {
      text_print(text, "  %s=", row->field[i].name);
      print_number(text, op->field[i]);
    }
  for (unsigned i = 0; op->mask && i < row->vectors; i++)
    print_vector(text, row->vector[i].name, op, &op->vector[i], lanes);
  for (uint32_t i = 0; i < op->notes; i++)
    text_print(text, "  %s", trace_note_names[op->note[i].kind]);
  text_print(text, "%s%s\n", op->flags & TRACE_DIVERGED ? "  diverged" : "", op->flags & TRACE_DONE ? "  done" : "");
}

static bool print_operations(const struct recording *opened, struct trace_warp *warp, const struct trace_head *settings,
                             const struct sink *sink, struct message *message) {
  const struct isa_launch *launch = &opened->job.launches[settings->launch - 1].isa;
  struct trace_op op;
  struct text text = {0};
  bool good = true;
  text_print(&text, "    pc  %-*s  place                instruction\n", (int)launch->warp_size / 4, "lanes");
  for (uint64_t i = 0; good && i < settings->count && trace_decode(warp, &op); i++) {
    print_operation(&text, launch->program, &op, launch->warp_size);
    good = sink_some(sink, &text, message);
  }
  if (good && trace_failed(opened->trace)) {
    *message = *trace_failed(opened->trace);
    good = false;
  }
  good = good && sink_text(sink, &text, message);
  free(text.data);
  return good;
}

bool trace_head(const struct recording *opened, const char *path, const struct trace_head *settings,
                const struct sink *sink, struct message *message) {
  struct trace *trace = opened->trace;
  struct trace_warp *warp = trace_warp_new(trace);
  uint32_t pc = 0;
  bool good =
      settings->launch <= trace_launches(trace) &&
      trace_warp_start(warp, (uint32_t)settings->launch - 1, (uint32_t)settings->group, (uint32_t)settings->warp, &pc);
  if (!good && trace_failed(trace))
    *message = *trace_failed(trace);
  else if (!good)
    message_fail(message, "%.300s: has no warp %" PRIu64 " of work-group %" PRIu64 " of launch %" PRIu64, path,
                 settings->warp, settings->group, settings->launch);
  good = good && print_operations(opened, warp, settings, sink, message);
  trace_warp_free(warp);
  return good;
}
