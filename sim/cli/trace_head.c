/* warpwait trace head: the first operations of a warp. */
#include <inttypes.h>
#include <stdlib.h>

#include "isa/asm/asm.h"
#include "sim/base/text.h"
#include "sim/cli/cli.h"
#include "sim/cli/trace_verbs.h"
#include "sim/report/report.h"
#include "sim/timeline/look.h"

struct invocation {
  struct trace_call common;
  uint64_t launch, group, warp, count;
  bool one_warp; /* any of the first three was given */
};

/* As the text of traces has numbers: small ones decimal. */
static void print_number(struct text *text, uint64_t value) {
  text_print(text, value < 10000 ? "%" PRIu64 : "0x%" PRIx64, value);
}

/* A line over the lanes as in the text of traces; of others the first value. */
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

static bool head(struct invocation *call, struct trace *trace, const struct job *job) {
  struct trace_warp *warp = trace_warp_new(trace);
  struct message *message = &call->common.message;
  struct trace_op op;
  struct text text = {0};
  uint32_t pc = 0;
  bool good = warp && call->launch <= trace_launches(trace) &&
              trace_warp_start(warp, (uint32_t)call->launch - 1, (uint32_t)call->group, (uint32_t)call->warp, &pc);
  if (!good && trace_failed(trace))
    trace_fail(message, trace_failed(trace));
  else if (!good)
    message_fail(message, "%.300s: has no warp %" PRIu64 " of work-group %" PRIu64 " of launch %" PRIu64,
                 call->common.path, call->warp, call->group, call->launch);
  if (good) {
    const struct isa_launch *launch = &job->launches[call->launch - 1].isa;
    text_print(&text, "    pc  %-*s  place                instruction\n", (int)launch->warp_size / 4, "lanes");
    for (uint64_t i = 0; good && i < call->count && trace_decode(warp, &op); i++) {
      print_operation(&text, launch->program, &op, launch->warp_size);
      good = console_output_some(&text, message);
    }
    if (good)
      good = trace_failed(trace) ? trace_fail(message, trace_failed(trace))
                                 : console_output(NULL, text.data, text.length, message);
  }
  free(text.data);
  trace_warp_free(warp);
  return good;
}

static bool head_of_timeline(struct invocation *call) {
  if (call->one_warp)
    return message_fail(&call->common.message,
                        "--launch, --group, --warp: a timeline's events are shown in the file's order");
  return timeline_head(call->common.path, call->common.mode, call->count, &console_sink, &console_caller,
                       &call->common.message);
}

int verb_trace_head(struct command *command) {
  struct invocation call = {.launch = 1, .count = 20};
  struct opened_trace opened = {0};
  command_number(command, OPTION_COUNT, &call.count);
  call.one_warp = command_number(command, OPTION_LAUNCH, &call.launch) |
                  command_number(command, OPTION_GROUP, &call.group) | command_number(command, OPTION_WARP, &call.warp);
  bool good = trace_take(command, &call.common);
  if (good && timeline_is_one(call.common.path))
    good = head_of_timeline(&call);
  else
    good = good && trace_look_at(&call.common, &opened) && head(&call, opened.trace, &opened.job);
  trace_shut(&opened);
  return good ? STATUS_FINE : console_bad_input(&call.common.message);
}
