/* warpwait trace: what is in a trace, and whether it is whole. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <argp.h>

#include "sim/cli/cli.h"
#include "sim/cli/file.h"
#include "sim/cli/report.h"
#include "sim/cli/text.h"
#include "sim/cli/trace_job.h"

struct invocation {
  struct message message; /* first: see cli_parse() */
  const char *what, *trace;
  uint64_t launch, group, warp, count;
  bool salvage;
};

enum { KEY_SALVAGE = 256, KEY_LAUNCH, KEY_GROUP, KEY_WARP };

static const struct argp_option options[] = {
    {"salvage", KEY_SALVAGE, NULL, 0, "Read what is intact of a damaged trace", 1},
    {NULL, 0, NULL, 0, "head:", 2},
    {"count", 'n', "N", 0, "Operations (default: 20)", 2},
    {"launch", KEY_LAUNCH, "N", 0, "Of which launch, from 1 (default: 1)", 2},
    {"group", KEY_GROUP, "N", 0, "Of which of its work-groups, from 0 (default: 0)", 2},
    {"warp", KEY_WARP, "N", 0, "Of which of its warps, from 0 (default: 0)", 2},
    {0}};

static const char documentation[] = "Shows what is in a trace that `warpwait run --trace` has recorded.\v"
                                    "  info TRACE      what was recorded, how much of it there is, where it depends\n"
                                    "                  on time\n"
                                    "  validate TRACE  reads all of it: exit status 2, and the offset, if anything\n"
                                    "                  is wrong\n"
                                    "  head TRACE      the first operations of a warp\n";

static error_t parse_number(struct argp_state *state, const char *option, const char *word, uint64_t minimum,
                            uint64_t *number) {
  char *end = NULL;
  errno = 0;
  *number = strtoull(word, &end, 10);
  if (*word >= '0' && *word <= '9' && !*end && !errno && *number >= minimum && *number <= UINT32_MAX)
    return 0;
  return cli_refuse(state, "%s: '%.60s' is not a whole number in [%" PRIu64 ", %u]", option, word, minimum, UINT32_MAX);
}

static error_t parse_word(struct argp_state *state, const char *word, struct invocation *call) {
  static const char *const verbs[] = {"info", "validate", "head"};
  if (call->trace)
    return cli_refuse(state, "%.60s: one trace is enough", word);
  if (call->what) {
    call->trace = word;
    return 0;
  }
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
    if (strcmp(word, verbs[i]) == 0)
      call->what = verbs[i];
  return call->what ? 0 : cli_refuse(state, "'%.60s' is not one of: info validate head", word);
}

static error_t parse_option(int key, char *word, struct argp_state *state) {
  struct invocation *call = state->input;
  switch (key) {
  case KEY_SALVAGE:
    call->salvage = true;
    return 0;
  case 'n':
    return parse_number(state, "--count", word, 1, &call->count);
  case KEY_LAUNCH:
    return parse_number(state, "--launch", word, 1, &call->launch);
  case KEY_GROUP:
    return parse_number(state, "--group", word, 0, &call->group);
  case KEY_WARP:
    return parse_number(state, "--warp", word, 0, &call->warp);
  case ARGP_KEY_ARG:
    return parse_word(state, word, call);
  case ARGP_KEY_END:
    return call->trace ? 0 : cli_refuse(state, "what to do, and with which trace? --help says more");
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static bool fail_trace(struct invocation *call, const struct trace_error *error) {
  return message_fail(&call->message, "%s", error->text);
}

/* ---- info ------------------------------------------------------------------------------------------ */

/* Operations of each launch, and of all. */
static bool count_operations(struct trace *trace, uint64_t *operations, uint64_t *all, struct trace_error *error) {
  *all = 0;
  for (uint32_t i = 0; i < trace_batches(trace); i++) {
    struct trace_batch batch;
    if (!trace_batch(trace, i, &batch, error))
      return false;
    operations[batch.launch] += batch.operations;
    *all += batch.operations;
  }
  return true;
}

static void print_triple(struct text *text, const uint32_t value[3], uint32_t dimensions) {
  for (uint32_t i = 0; i < dimensions; i++)
    text_print(text, "%s%" PRIu32, i ? " x " : "", value[i]);
}

static void print_launch(struct text *text, const struct job *job, size_t number, uint64_t operations) {
  const struct job_launch *launch = &job->launches[number];
  text_print(text, "launch %-7zu kernel '%s', ", number + 1, launch->isa.kernel->name);
  print_triple(text, launch->isa.global, launch->isa.dimensions);
  text_print(text, " work-items in groups of ");
  print_triple(text, launch->isa.local, launch->isa.dimensions);
  text_print(text, ": %" PRIu64 " operations of warps\n", operations);
}

static void print_marks(struct text *text, struct trace *trace, const struct job *job) {
  size_t count = 0;
  struct trace_mark *marks = trace_job_marks(trace, job, &count);
  for (size_t i = 0; i < count; i++) {
    char place[REPORT_PLACE];
    report_place(job->launches[marks[i].launch].isa.program, marks[i].pc, place);
    text_print(text, "depends on time  launch %" PRIu32 ", %s: %s\n", marks[i].launch + 1, place, marks[i].text);
  }
  free(marks);
}

static bool info(struct invocation *call, struct trace *trace, const struct job *job) {
  struct text text = {0};
  struct stat file = {0};
  struct trace_error error = {0};
  uint64_t *operations = calloc(trace_launches(trace) + 1, sizeof *operations), all = 0;
  if (!operations || !count_operations(trace, operations, &all, &error)) {
    free(operations);
    return fail_trace(call, &error);
  }
  stat(call->trace, &file);
  text_print(&text, "recording      %s, on machine %s\n", job->name, job->machine.name);
  for (size_t i = 0; i < job->launch_count; i++)
    print_launch(&text, job, i, i < trace_launches(trace) ? operations[i] : 0);
  text_print(&text, "operations     %" PRIu64 " in %lld bytes: %.4f bytes an operation\n", all, (long long)file.st_size,
             per((double)file.st_size, (double)all));
  print_marks(&text, trace, job);
  free(operations);
  const bool good = cli_output(NULL, text.data, text.length, &call->message);
  free(text.data);
  return good;
}

/* ---- head ------------------------------------------------------------------------------------------- */

static void print_vector(struct text *text, const char *name, const struct trace_op *op,
                         const struct trace_vector *vector, uint32_t lanes) {
  const uint64_t mask = trace_lanes(op);
  uint64_t value[TRACE_LANES];
  if (!mask)
    return;
  const unsigned first = (unsigned)__builtin_ctzll(mask);
  trace_spread(vector, lanes, value);
  text_print(text, "  %s 0x%" PRIx64, name, value[first]);
  if (!vector->offset && mask & (mask - 1))
    text_print(text, " step %" PRId64, (int64_t)vector->stride);
  else if (vector->offset)
    text_print(text, " ...");
}

static void print_operation(struct text *text, const struct isa_program *program, const struct trace_op *op,
                            uint32_t lanes) {
  const struct trace_kind_row *row = &trace_kind_rows[op->kind];
  char place[REPORT_PLACE], instruction[200];
  report_place(program, op->pc, place);
  isa_print(program, op->pc, instruction, sizeof instruction);
  text_print(text, "%6" PRIu32 "  %0*" PRIx64 "  %-20s %s", op->pc, (int)lanes / 4, op->mask, place, instruction);
  for (unsigned i = 0; op->mask && i < row->fields; i++)
    if (op->field[i])
      text_print(text, "  %s %" PRIu64, row->field[i].name, op->field[i]);
  for (unsigned i = 0; op->mask && i < row->vectors; i++)
    print_vector(text, row->vector[i].name, op, &op->vector[i], lanes);
  for (uint32_t i = 0; i < op->notes; i++)
    text_print(text, "  %s", trace_note_names[op->note[i].kind]);
  text_print(text, "%s%s\n", op->flags & TRACE_DIVERGED ? "  diverged" : "", op->flags & TRACE_DONE ? "  done" : "");
}

static bool head(struct invocation *call, struct trace *trace, const struct job *job) {
  struct trace_warp *warp = trace_warp_new(trace);
  struct trace_op op;
  struct text text = {0};
  uint32_t pc = 0;
  bool good = warp && call->launch <= trace_launches(trace) &&
              trace_warp_start(warp, (uint32_t)call->launch - 1, (uint32_t)call->group, (uint32_t)call->warp, &pc);
  if (!good && trace_failed(trace))
    fail_trace(call, trace_failed(trace));
  else if (!good)
    message_fail(&call->message, "%.300s: has no warp %" PRIu64 " of work-group %" PRIu64 " of launch %" PRIu64,
                 call->trace, call->warp, call->group, call->launch);
  if (good) {
    const struct isa_launch *launch = &job->launches[call->launch - 1].isa;
    text_print(&text, "    pc  %-*s  place                instruction\n", (int)launch->warp_size / 4, "lanes");
    for (uint64_t i = 0; i < call->count && trace_decode(warp, &op); i++)
      print_operation(&text, launch->program, &op, launch->warp_size);
    good = trace_failed(trace) ? fail_trace(call, trace_failed(trace))
                               : cli_output(NULL, text.data, text.length, &call->message);
  }
  free(text.data);
  trace_warp_free(warp);
  return good;
}

/* ---- the whole --------------------------------------------------------------------------------------- */

static bool validate(struct invocation *call) {
  struct trace_error error = {0};
  return trace_validate(call->trace, &error) ? true : fail_trace(call, &error);
}

static bool look_into(struct invocation *call) {
  const struct job_request request = {0};
  struct trace_error error = {0};
  struct job job = {0};
  cycle_t max_cycles = 0;
  struct trace *trace = trace_open(call->trace, call->salvage ? TRACE_SALVAGE : TRACE_WHOLE, &error);
  if (!trace)
    return fail_trace(call, &error);
  const bool good = trace_job_read(trace, call->trace, &request, &job, &max_cycles, &call->message) &&
                    (strcmp(call->what, "info") == 0 ? info : head)(call, trace, &job);
  job_free(&job);
  trace_close(trace);
  return good;
}

int verb_trace(int argc, char **argv) {
  static const struct argp argp = {options, parse_option, "info|validate|head TRACE.wwt", documentation, NULL,
                                   NULL,    NULL};
  struct invocation call = {.launch = 1, .count = 20};
  const bool good =
      cli_parse(&argp, argc, argv, &call.message) && (strcmp(call.what, "validate") == 0 ? validate : look_into)(&call);
  return good ? CLI_FINE : cli_bad_input(&call.message);
}
