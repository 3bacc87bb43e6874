/* warpwait trace info: what was recorded. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "sim/cli/cli.h"
#include "sim/cli/report.h"
#include "sim/cli/text.h"
#include "sim/cli/timeline_look.h"
#include "sim/cli/trace_verbs.h"

static const struct argp_option options[] = {SALVAGE_OPTION, {0}};

static error_t parse_option(int key, char *word, struct argp_state *state) { return trace_option(key, word, state); }

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

static bool info(struct trace_call *call, struct trace *trace, const struct job *job) {
  struct text text = {0};
  struct stat file = {0};
  struct trace_error error = {0};
  uint64_t *operations = calloc(trace_launches(trace) + 1, sizeof *operations), all = 0;
  if (!operations || !count_operations(trace, operations, &all, &error)) {
    free(operations);
    return trace_fail(&call->message, &error);
  }
  stat(call->path, &file);
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

int trace_verb_info(int argc, char **argv) {
  static const char documentation[] =
      "Says what a trace is of, how much of it there is, and where it depends on time; or of what kinds a timeline's "
      "events are.";
  static const struct argp argp = {options, parse_option, "TRACE.wwt|TIMELINE.wtl", documentation, NULL, NULL, NULL};
  struct trace_call call = {0};
  struct opened_trace opened = {0};
  bool good = cli_parse(&argp, argc, argv, &call.message);
  if (good && timeline_is_one(call.path))
    good = timeline_info(call.path, trace_mode(&call), &call.message);
  else
    good = good && trace_look(&call, &opened) && info(&call, opened.trace, &opened.job);
  trace_shut(&opened);
  return good ? CLI_FINE : cli_bad_input(&call.message);
}
