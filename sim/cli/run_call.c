#include "sim/cli/run_call.h"

#include <inttypes.h>
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
  return host_systemc(islands, count, clock_mhz, why);
}

struct run_call run_call_new(void) {
  return (struct run_call){.run = {.make_host = make_systemc, .max_cycles = RUN_MAX_CYCLES},
                           .timeline = timeline_options_new()};
}

void run_call_free(struct run_call *call) {
  free(call->sets.word);
  page_free(&call->page);
}

/* ---- options ----------------------------------------------------------------------------------- */

static error_t choose(struct argp_state *state, const char *option, const char *word, const char *first,
                      const char *second, bool *is_second) {
  *is_second = strcmp(word, second) == 0;
  return *is_second || strcmp(word, first) == 0
             ? 0
             : cli_refuse(state, "%s: '%.60s' is not one of: %s %s", option, word, first, second);
}

static error_t parse_max_cycles(struct argp_state *state, const char *word, struct run_call *call) {
  call->cycles_given = true;
  return cli_number(state, "--max-cycles", word, 1, UINT64_MAX, " cycles", &call->run.max_cycles);
}

static error_t parse_order(struct argp_state *state, const char *word, struct run_call *call) {
  uint64_t seed = 1;
  call->order_given = true;
  if (strcmp(word, "ascending") == 0 || strcmp(word, "descending") == 0) {
    call->run.order = *word == 'a' ? ORDER_ASCENDING : ORDER_DESCENDING;
    return 0;
  }
  call->run.order = ORDER_SHUFFLED;
  error_t error = 0;
  if (strncmp(word, "shuffled:", 9) == 0)
    error = cli_number(state, "--order", word + 9, 0, UINT32_MAX, "", &seed);
  else if (strcmp(word, "shuffled") != 0)
    error = cli_refuse(state, "--order: '%.60s' is not one of: ascending descending shuffled[:SEED]", word);
  call->run.seed = (uint32_t)seed;
  return error;
}

static error_t parse_host(struct argp_state *state, const char *word, struct run_call *call) {
  bool plain = false;
  error_t error = choose(state, "--host", word, "systemc", "plain", &plain);
  call->host_given = true;
  call->run.make_host = plain ? NULL : make_systemc;
  return error;
}

static error_t parse_why(struct argp_state *state, const char *word, struct run_call *call) {
  bool no = false;
  const error_t error = word ? choose(state, "--why", word, "yes", "no", &no) : 0;
  call->why = no ? WHY_NEVER : WHY_ALWAYS;
  return error;
}

/* Options whose value is kept as it is. */
static const char **place_of_word(struct run_call *call, int key) {
  switch (key) {
  case 'm':
    return &call->machine;
  case 'o':
    return &call->out;
  case KEY_VCD:
    return &call->vcd;
  case KEY_HTML:
    return &call->page.path;
  case KEY_HTML_VARY:
    return &call->page.vary;
  default:
    return NULL;
  }
}

error_t run_option(int key, const char *word, struct argp_state *state, struct run_call *call) {
  const char **kept = place_of_word(call, key);
  if (kept) {
    *kept = word;
    return 0;
  }
  switch (key) {
  case 's':
    words_add(&call->sets, word);
    return 0;
  case 'r':
    return choose(state, "--report", word, "text", "json", &call->json);
  case 'q':
    call->quiet = true;
    return 0;
  case KEY_ANNOTATE:
    call->annotate = true;
    return 0;
  case KEY_HOST:
    return parse_host(state, word, call);
  case KEY_MAX_CYCLES:
    return parse_max_cycles(state, word, call);
  case KEY_ORDER:
    return parse_order(state, word, call);
  case KEY_WHY:
    return parse_why(state, word, call);
  default:
    return timeline_option(key, word, state, &call->timeline);
  }
}

/* ---- before the run ---------------------------------------------------------------------------- */

/* An order is the plain host's business. */
bool run_settle(struct run_call *call) {
  if (call->order_given && call->host_given && call->run.make_host)
    return message_fail(&call->message, "--order: only the plain host has one");
  if (call->order_given)
    call->run.make_host = NULL;
  if (call->annotate && call->json)
    return message_fail(&call->message, "--annotate: the JSON report has the same costs in by_line");
  terminal_open(&call->terminal, call->quiet);
  call->run.caller = &call->terminal.caller;
  call->timeline.page = call->page.path;
  return page_settle(&call->page, &call->message) && timeline_settle(&call->timeline, &call->message);
}

bool run_can_write(struct run_call *call, const char *option, const char *path) {
  return !path || output_possible(path, &call->message) ? true : message_within(&call->message, option);
}

static const char the_report[] = "the report";

/* Two documents in one stream are none. */
static bool one_to_standard_output(struct run_call *call, const struct run_file *output, const struct run_file *other) {
  if (!output_is_standard(output->path) || !other->path || !output_is_standard(other->path))
    return true;
  const bool report = output->option == the_report;
  const struct run_file *first = report ? other : output, *second = report ? output : other;
  message_fail(&call->message, "%s: %s: %s goes to standard output, too%s", first->option, first->path, second->option,
               second->option == the_report ? "; let --out FILE take it" : "");
  return false;
}

static bool is_apart(struct run_call *call, const struct run_file *output, const struct run_file *other,
                     bool is_input) {
  if (output->path && !is_input && !one_to_standard_output(call, output, other))
    return false;
  if (!output->path || !other->path || !file_is_same(output->path, other->path))
    return true;
  message_fail(&call->message, "%s: %.300s: is %s%s, too", output->option, output->path, is_input ? "" : "the file of ",
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

/* The run, and its timeline. */
static bool run_told(struct run_call *call, struct job *job, struct run_options *how, struct launch_result **results,
                     size_t *count) {
  call->timeline.then = call->page.path ? take_timeline : NULL;
  call->timeline.self = &call->page;
  if (!timeline_begin(&call->timeline, job, how, &call->message))
    return false;
  const bool good = run_job(job, how, results, count, &call->message);
  return timeline_end(&call->timeline, job, *results, *count, good, &call->message);
}

/* That, with what the page has of lanes. */
static bool run_seen(struct run_call *call, struct job *job, struct run_options *how, struct launch_result **results,
                     size_t *count) {
  if (!call->page.path)
    return run_told(call, job, how, results, count);
  struct page_lanes *lanes = page_lanes_new();
  const struct run_watcher watcher = page_lanes_watcher(lanes);
  run_watch(how, &watcher);
  const bool good = run_told(call, job, how, results, count);
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
    return run_seen(call, job, &how, results, count);
  if (!output_begin(&waveform, call->vcd, &call->message))
    return message_within(&call->message, "--vcd");
  how.vcd = waveform.stream;
  const bool good = run_seen(call, job, &how, results, count);
  return output_end(&waveform, good, &call->message) || (good && message_within(&call->message, "--vcd"));
}

bool run_find_why(struct run_call *call, struct report *report, const struct why_subject *subject, int *status) {
  return why_find(call->why, &call->run, report, subject, status, &call->message);
}

/* A run like the first, with one more word; it writes nothing but its point. */
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
  call->run.make_host = NULL; /* of SystemC a process has one; the result is the same */
  for (size_t i = 0; good && i < call->page.axis.count; i++)
    good = run_point(call, i, again) || message_within(&call->message, "--html-vary");
  call->run = how;
  call->timeline.path = timeline;
  call->vcd = vcd;
  return good;
}

/* ---- after it ---------------------------------------------------------------------------------- */

/* What work-items have printed, ended by a newline of ours if they did not, so that the report starts on a line. */
static void add_printed(const struct report *report, struct text *text) {
  for (size_t i = 0; i < report->count; i++) {
    const struct printed *printed = &report->job->launches[i].printed;
    if (printed->length)
      text_add(text, printed->text, printed->length);
    if (printed->length && text->data[text->length - 1] != '\n')
      text_print(text, "\n");
    if (printed->truncated)
      text_print(text, "... truncated: launch %zu printed more than the %d MiB that are kept\n", i + 1,
                 PRINTED_BYTES >> 20);
  }
}

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

bool run_write(struct run_call *call, const struct report *report) {
  struct text text = {0};
  bool apart = call->out; /* what work-items print is for standard output, unless JSON, which holds it, is there */
  if (!call->json || apart)
    add_printed(report, &text);
  if (!write_page(call, report) ||
      (apart && !cli_output(NULL, text.data ? text.data : "", text.length, &call->message))) {
    free(text.data);
    return false;
  }
  text.length = apart ? 0 : text.length;
  add_owned(&text, call->json ? report_json(report) : report_text(report));
  if (call->annotate)
    add_owned(&text, report_annotate(report));
  bool good = cli_output(call->out, text.data, text.length, &call->message);
  free(text.data);
  return good;
}

/* A hazard is no failure of the run, but nobody should overlook it. */
static void warn_of_hazards(const struct report *report) {
  struct message message;
  char place[PROGRAM_PLACE];
  const struct launch_result *first = NULL;
  const struct isa_program *program = NULL;
  uint64_t count = 0;
  for (size_t i = 0; i < report->count; i++) {
    const struct launch_result *result = &report->results[i];
    count += result->hazard_count;
    if (first || !result->hazard_count)
      continue;
    first = result;
    program = report->job->launches[i].isa.program;
  }
  if (!first)
    return;
  program_place(program, first->hazards[0].first.pc, place);
  message_fail(&message, "%" PRIu64 " hazard%s, the first at %s: %s", count, count == 1 ? "" : "s", place,
               isa_hazard_rows[first->hazards[0].first.rule].rule);
  message_print(&message);
}

bool run_tell_unfinished(const struct run_call *call, const struct job *job, const struct launch_result *results,
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

/* Says on stderr what went wrong in the simulated world. */
int run_conclude(const struct run_call *call, const struct report *report) {
  int status = STATUS_FINE;
  struct message message;
  warn_of_hazards(report);
  for (size_t i = 0; i < report->verdict_count; i++)
    if (!report->verdicts[i].passed) {
      status = STATUS_WENT_WRONG;
      message_fail(&message, "verify: %s (%s): %s", report->verdicts[i].what, report->verdicts[i].mode,
                   report->verdicts[i].text);
      message_print(&message);
    }
  return run_tell_unfinished(call, report->job, report->results, report->count) ? STATUS_WENT_WRONG : status;
}
