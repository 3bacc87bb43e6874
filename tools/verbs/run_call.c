#include "tools/verbs/run_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/systemc/systemc.h"
#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/text.h"
#include "sim/cli/cli.h"
#include "sim/cli/output.h"

static struct host *make_systemc(void *self, struct island **islands, size_t count, uint32_t clock_mhz,
                                 const char **why) {
  (void)self;
  return load_systemc(islands, count, clock_mhz, why);
}

void run_call_free(struct run_call *call) {
  free(call->sets.word);
  page_free(&call->page);
}

/* ---- options ----------------------------------------------------------------------------------- */

static bool read_order(const char *word, struct run_options *run, struct message *message) {
  const bool seeded = strncmp(word, "shuffled:", 9) == 0;
  uint64_t seed = 1;
  if (seeded && !read_number("--order", word + 9, 0, UINT32_MAX, "", &seed, message))
    return false;
  run->seed = (uint32_t)seed;
  run->order = strcmp(word, "ascending") == 0    ? ORDER_ASCENDING
               : strcmp(word, "descending") == 0 ? ORDER_DESCENDING
                                                 : ORDER_SHUFFLED;
  return seeded || run->order != ORDER_SHUFFLED || strcmp(word, "shuffled") == 0 ||
         message_fail(message, "--order: '%.60s' is not one of: ascending descending shuffled[:SEED]", word);
}

/* --order and --threads need the plain host, and --order needs one thread. */
static bool take_host(struct command *command, struct run_options *run, struct message *message) {
  const bool systemc = command_choice(command, OPTION_HOST), ordered = command_has(command, OPTION_ORDER);
  const char *order;
  uint64_t threads = ordered || systemc ? 1 : RUN_BEST_THREADS;
  run->make_host = systemc ? make_systemc : NULL;
  if (ordered && systemc)
    return message_fail(message, "--order: only the plain host has an order");
  command_number(command, OPTION_THREADS, &threads);
  if (threads > 1 && (ordered || systemc))
    return message_fail(message, "--threads: only the plain host has threads, and only in its default order");
  run->threads = (unsigned)threads;
  for (size_t at = 0; (order = command_next(command, OPTION_ORDER, &at));)
    if (!read_order(order, run, message))
      return false;
  return true;
}

bool run_take(struct command *command, struct run_call *call) {
  call->sets = command_words(command, OPTION_SET);
  call->machine = command_word(command, OPTION_MACHINE);
  call->out = command_word(command, OPTION_OUT);
  call->vcd = command_word(command, OPTION_VCD);
  call->json = command_choice(command, OPTION_REPORT);
  call->annotate = command_has(command, OPTION_ANNOTATE);
  call->page.path = call->timeline.page = command_word(command, OPTION_HTML);
  call->page.vary = command_word(command, OPTION_HTML_VARY);
  call->why = !command_has(command, OPTION_WHY)     ? call->why
              : command_choice(command, OPTION_WHY) ? WHY_NEVER
                                                    : WHY_ALWAYS;
  call->run.max_cycles = RUN_MAX_CYCLES;
  call->cycles_given = command_number(command, OPTION_MAX_CYCLES, &call->run.max_cycles);
  terminal_open(&call->terminal, command_has(command, OPTION_QUIET));
  call->run.caller = &call->terminal.caller;
  if (!take_host(command, &call->run, &call->message))
    return false;
  if (call->annotate && call->json)
    return message_fail(&call->message, "--annotate: not with JSON, which has the same costs in by_line");
  return page_settle(&call->page, &call->message) && timeline_take(command, &call->timeline, &call->message);
}

/* ---- before the run ---------------------------------------------------------------------------- */

bool run_can_write(struct run_call *call, const char *option, const char *path) {
  return !path || output_possible(path, &call->message) ? true : message_within(&call->message, option);
}

static const char the_report[] = "the report";

/* Two documents must not share standard output. */
static bool one_to_standard_output(struct run_call *call, const struct run_file *output, const struct run_file *other) {
  if (!output_is_standard(output->path) || !other->path || !output_is_standard(other->path))
    return true;
  const bool report = output->option == the_report;
  const struct run_file *first = report ? other : output, *second = report ? output : other;
  message_fail(&call->message, "%s: %s: %s also goes to standard output%s", first->option, first->path, second->option,
               second->option == the_report ? "; write it with --out FILE" : "");
  return false;
}

static bool is_apart(struct run_call *call, const struct run_file *output, const struct run_file *other,
                     bool is_input) {
  if (output->path && !is_input && !one_to_standard_output(call, output, other))
    return false;
  if (!output->path || !other->path || !file_is_same(output->path, other->path))
    return true;
  message_fail(&call->message, "%s: %.300s: is also %s%s", output->option, output->path, is_input ? "" : "the file of ",
               other->option);
  return false;
}

bool run_files_apart(struct run_call *call, const struct run_file *files, size_t inputs, size_t count) {
  const struct run_file own[] = {
      {call->out && !output_is_standard(call->out) ? "--out" : the_report, call->out ? call->out : "-"},
      {"--vcd", call->vcd},
      {"--timeline", call->timeline.path},
      {"--html", call->page.path}};
  enum { OWN = sizeof own / sizeof *own };
  bool good = true;
  for (size_t i = inputs; good && i < count + OWN; i++)
    for (size_t j = 0; good && j < i; j++)
      good =
          is_apart(call, i < count ? &files[i] : &own[i - count], j < count ? &files[j] : &own[j - count], j < inputs);
  return good;
}

bool run_outputs_possible(struct run_call *call, const struct job *job) {
  return run_can_write(call, "--out", call->out) && run_can_write(call, "--vcd", call->vcd) &&
         run_can_write(call, "--html", call->page.path) && timeline_possible(&call->timeline, job, &call->message);
}

static bool take_timeline(void *self, const char *path, struct message *message) {
  return page_take_timeline(self, &(struct trace_place){.name = path}, message);
}

/* The run, with its timeline. */
static bool run_with_timeline(struct run_call *call, struct job *job, struct run_options *how,
                              struct launch_result **results, size_t *count) {
  call->timeline.then = call->page.path ? take_timeline : NULL;
  call->timeline.self = &call->page;
  if (!timeline_begin(&call->timeline, job, how, &call->message))
    return false;
  const bool good = run_job(job, how, results, count, &call->message);
  return timeline_end(&call->timeline, job, *results, *count, good, &call->message);
}

/* The same, also recording lanes for the page. */
static bool run_with_lanes(struct run_call *call, struct job *job, struct run_options *how,
                           struct launch_result **results, size_t *count) {
  if (!call->page.path)
    return run_with_timeline(call, job, how, results, count);
  struct page_lanes *lanes = page_lanes_new();
  const struct run_watcher watcher = page_lanes_watcher(lanes);
  run_watch(how, &watcher);
  const bool good = run_with_timeline(call, job, how, results, count);
  page_take_lanes(&call->page, lanes);
  page_lanes_free(lanes);
  return good;
}

bool run_call_job(struct run_call *call, struct job *job, struct launch_result **results, size_t *count) {
  struct run_options how = call->run;
  struct output waveform;
  *results = NULL;
  *count = 0;
  if (!call->vcd)
    return run_with_lanes(call, job, &how, results, count);
  if (!output_begin(&waveform, call->vcd, &call->message))
    return message_within(&call->message, "--vcd");
  how.vcd = waveform.stream;
  const bool good = run_with_lanes(call, job, &how, results, count);
  return output_end(&waveform, good, &call->message) || (good && message_within(&call->message, "--vcd"));
}

bool run_find_why(struct run_call *call, struct report *report, const struct why_subject *subject, int *status) {
  return why_find(call->why, &call->run, report, subject, status, &call->message);
}

/* Repeats the first run with one more setting; the only output is its point. */
static bool run_point(struct run_call *call, size_t number, const struct run_again *again) {
  const struct page *page = &call->page;
  const bool defines = page_defines(page), sets = !defines && !page_varies_arguments(page);
  const char *key = defines ? strchr(page->key, '.') + 1 : page->key, *value = page->axis.value[number];
  const size_t size = strlen(key) + strlen(value) + 2;
  char *word = need(size, 1);
  snprintf(word, size, "%s=%s", key, value);
  if (sets)
    words_add(&call->sets, word);
  const bool good = again->run(again->self, number, defines ? word : NULL);
  if (sets)
    call->sets.count--;
  if (!good)
    message_within(&call->message, word);
  free(word);
  return good;
}

bool run_points(struct run_call *call, const struct report *report, const struct run_again *again) {
  const char *timeline = call->timeline.path, *vcd = call->vcd;
  const struct run_options how = call->run;
  bool good = true;
  if (!call->page.path)
    return true;
  page_add(&call->page, "as run", report);
  call->vcd = call->timeline.path = NULL;
  call->run.make_host = NULL; /* SystemC can run only once in a process; the result is the same */
  for (size_t i = 0; good && i < call->page.axis.count; i++)
    good = run_point(call, i, again) || message_within(&call->message, "--html-vary");
  call->run = how;
  call->timeline.path = timeline;
  call->vcd = vcd;
  return good;
}

/* ---- after the run ----------------------------------------------------------------------------- */

static void add_owned(struct text *text, char *more) {
  text_add(text, more, strlen(more));
  free(more);
}

static bool write_page(struct run_call *call, const struct report *report) {
  struct text text = {0};
  if (!call->page.path)
    return true;
  page_print(&call->page, report->job, &text);
  const bool good = output_write(call->page.path, text.data, text.length, &call->message);
  free(text.data);
  return good || message_within(&call->message, "--html");
}

/* A text report follows what work-items printed; JSON is written as it is made, because many launches make it large. */
static bool write_report(struct run_call *call, const struct report *report, struct text *printed,
                         const struct sink *sink) {
  if (call->json && !report_json_write(report, sink, &call->message))
    return false;
  if (!call->json)
    add_owned(printed, report_text(report));
  if (call->annotate)
    add_owned(printed, report_annotate(report));
  return sink_text(sink, printed, &call->message);
}

static bool write_file(struct run_call *call, const struct report *report) {
  struct output output;
  struct text text = {0};
  if (!output_begin(&output, call->out, &call->message))
    return false;
  const struct sink sink = output_sink(&output);
  write_report(call, report, &text, &sink);
  free(text.data);
  return output_end(&output, true, &call->message);
}

bool run_write(struct run_call *call, const struct report *report) {
  struct text text = {0};
  bool apart =
      call->out; /* what work-items print goes to standard output, except with a JSON report there, which includes it */
  if (!call->json || apart)
    report_printed(report, &text);
  if (!write_page(call, report) ||
      (apart && !console_output(NULL, text.data ? text.data : "", text.length, &call->message))) {
    free(text.data);
    return false;
  }
  text.length = apart ? 0 : text.length;
  const bool good = apart ? write_file(call, report) : write_report(call, report, &text, &console_sink);
  free(text.data);
  return good;
}

bool run_report_unfinished(const struct run_call *call, const struct job *job, const struct launch_result *results,
                           size_t count) {
  struct message message;
  bool any = false;
  for (size_t i = 0; i < count; i++)
    if (results[i].end != END_FINISHED) {
      any = true;
      run_unfinished(job, results, i, call->run.max_cycles, &message);
      message_print(&message);
    }
  return any;
}

/* Reports on stderr what went wrong in the simulated run. */
int run_conclude(const struct run_call *call, const struct report *report) {
  int status = STATUS_FINE;
  struct message message;
  if (report_warning(report, &message))
    message_print(&message);
  for (size_t i = 0; i < report->verdict_count; i++)
    if (!report->verdicts[i].passed) {
      status = STATUS_WENT_WRONG;
      message_fail(&message, "verify: %s (%s): %s", report->verdicts[i].what, report->verdicts[i].mode,
                   report->verdicts[i].text);
      message_print(&message);
    }
  return run_report_unfinished(call, report->job, report->results, report->count) ? STATUS_WENT_WRONG : status;
}
