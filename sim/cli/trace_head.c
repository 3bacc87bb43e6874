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
  struct trace_call common; /* first: see cli_parse() */
  uint64_t launch, group, warp, count;
  bool one_warp; /* any of the first three was given */
};

enum { KEY_LAUNCH = KEY_OF_TRACE_VERB, KEY_GROUP, KEY_WARP };

static const struct argp_option options[] = {
    {"count", 'n', "N", 0, "Operations or events (default: 20)", 1},
    {"launch", KEY_LAUNCH, "N", 0, "Of which launch, from 1 (default: 1)", 1},
    {"group", KEY_GROUP, "N", 0, "Of which of its work-groups, from 0 (default: 0)", 1},
    {"warp", KEY_WARP, "N", 0, "Of which of its warps, from 0 (default: 0)", 1},
    SALVAGE_OPTION,
    {0}};

static error_t parse_option(int key, char *word, struct argp_state *state) {
  struct invocation *call = state->input;
  call->one_warp |= key == KEY_LAUNCH || key == KEY_GROUP || key == KEY_WARP;
  switch (key) {
  case 'n':
    return trace_number(state, "--count", word, 1, &call->count);
  case KEY_LAUNCH:
    return trace_number(state, "--launch", word, 1, &call->launch);
  case KEY_GROUP:
    return trace_number(state, "--group", word, 0, &call->group);
  case KEY_WARP:
    return trace_number(state, "--warp", word, 0, &call->warp);
  default:
    return trace_option(key, word, state);
  }
}

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
      good = cli_output_some(&text, message);
    }
    if (good)
      good = trace_failed(trace) ? trace_fail(message, trace_failed(trace))
                                 : cli_output(NULL, text.data, text.length, message);
  }
  free(text.data);
  trace_warp_free(warp);
  return good;
}

static bool head_of_timeline(struct invocation *call) {
  if (call->one_warp)
    return message_fail(&call->common.message,
                        "--launch, --group, --warp: a timeline's events are shown in the file's order");
  return timeline_head(call->common.path, trace_mode(&call->common), call->count, &cli_sink, &cli_caller,
                       &call->common.message);
}

int trace_verb_head(int argc, char **argv) {
  static const char documentation[] = "Shows the first operations of a warp, or the first events of a timeline.";
  static const struct argp argp = {options, parse_option, "TRACE.wwt|TIMELINE.wtl", documentation, NULL, NULL, NULL};
  struct invocation call = {.launch = 1, .count = 20};
  struct opened_trace opened = {0};
  bool good = cli_parse(&argp, argc, argv, &call.common.message);
  if (good && timeline_is_one(call.common.path))
    good = head_of_timeline(&call);
  else
    good = good && trace_look_at(&call.common, &opened) && head(&call, opened.trace, &opened.job);
  trace_shut(&opened);
  return good ? STATUS_FINE : cli_bad_input(&call.common.message);
}
