/* warpwait check: from a job to its hazards.
 *
 * Order matters as for run: everything that can be refused is refused before the run, and nothing is written before all
 * of it is known. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/check/report.h"
#include "sim/cli/cli.h"
#include "sim/cli/job_options.h"

struct invocation {
  struct run_call common; /* first: see cli_parse() */
  struct subject job;
  struct words suppress;
  const char *sarif;
  uint64_t most;
};

enum { KEY_SARIF = KEY_OF_VERB, KEY_MAX_HAZARDS, KEY_SUPPRESS };

static const struct argp_option options[] = {
    MACHINE_OPTIONS(1),
    {"report", 'r', "text|json", 0, "Form of the report (default: text)", 2},
    {"out", 'o', "FILE", 0, "Write the report to a file", 2},
    {"sarif", KEY_SARIF, "FILE", 0,
     "Write the hazards as SARIF, too, for tools that review code; -: to standard output, if --out takes the report",
     2},
    {"max-hazards", KEY_MAX_HAZARDS, "N", 0, "Show the first N hazards, count the rest (default: 100)", 2},
    {"suppress", KEY_SUPPRESS, "FILE", 0, "Leave out the hazards that this file names (repeatable), see below", 2},
    STEP_OPTIONS("1000000000"),
    JOB_OPTIONS(4),
    {0}};

static const char documentation[] =
    "Runs a launch file, or a kernel given by options, and names every misuse of asynchronous copies, events, pipes, "
    "barriers and memory that it meets: the rule, both source lines, the work-group and the work-items. Races are "
    "found "
    "whether or not the machine's timing shows them.\v"
    "A hazard is reported once for each rule and pair of instructions, and counted.\n"
    "What work-items print is in the JSON report alone.\n"
    "\n"
    "A file for --suppress has a line for each kind of hazard to leave out: the\n"
    "rule, where it is reported, and where its other place is:\n"
    "  RULE [FILE[:LINE[:COLUMN]] [FILE[:LINE[:COLUMN]]]]    # a comment\n"
    "  X5 kernel.cl:14 kernel.cl:9\n"
    "  M6-global-race legacy/*\n"
    "Each may hold * and ?; a FILE is the end of a path. Hazards left out are\n"
    "counted and do not change the exit status; of a line that leaves out nothing\n"
    "a note is on stderr.\n"
    "\n" JOB_ARGUMENTS "\n" JOB_PROGRAMS "\n"
    "Exit status: 0 nothing found; 1 a hazard, a deadlock or the cycle limit; 2 bad\n"
    "input; 3 a defect of warpwait; 130 interrupted.\n";

static error_t parse_option(int key, char *word, struct argp_state *state) {
  struct invocation *call = state->input;
  switch (key) {
  case KEY_SARIF:
    call->sarif = word;
    return 0;
  case KEY_MAX_HAZARDS:
    return cli_number(state, "--max-hazards", word, 0, UINT32_MAX, " hazards", &call->most);
  case KEY_SUPPRESS:
    return (words_add(&call->suppress, word), 0);
  default:
    break;
  }
  const error_t error = run_option(key, word, state, &call->common);
  return error == ARGP_ERR_UNKNOWN ? job_option(key, word, state, &call->job) : error;
}

/* ---- before the run ---------------------------------------------------------------------------- */

static bool read_suppressions(struct invocation *call, struct suppressions *all) {
  for (size_t i = 0; i < call->suppress.count; i++)
    if (!suppressions_read(all, call->suppress.word[i], &call->common.message))
      return false;
  return true;
}

static bool files_apart(struct invocation *call, const struct job *job) {
  const size_t inputs = call->suppress.count + 2;
  struct run_file *files = need(inputs + 1, sizeof *files);
  files[0] = (struct run_file){"the input", call->job.direct.program};
  files[1] = (struct run_file){"the program", job->program.path};
  for (size_t i = 0; i < call->suppress.count; i++)
    files[i + 2] = (struct run_file){"a file of --suppress", call->suppress.word[i]};
  files[inputs] = (struct run_file){"--sarif", call->sarif};
  const bool good = run_files_apart(&call->common, files, inputs, inputs + 1);
  free(files);
  return good;
}

static bool outputs_possible(struct invocation *call, const struct job *job) {
  return files_apart(call, job) && run_outputs_possible(&call->common, job) &&
         run_can_write(&call->common, "--sarif", call->sarif);
}

/* ---- after it ---------------------------------------------------------------------------------- */

static bool *find_suppressed(struct suppressions *all, const struct check_report *report) {
  bool *suppressed = need(report->hazard_count, sizeof *suppressed);
  for (size_t i = 0; i < report->hazard_count; i++) {
    const struct check_hazard *hazard = &report->hazards[i];
    const bool pair = hazard->other.program;
    const struct suppress_place here = check_suppress_place(&hazard->here);
    const struct suppress_place other = pair ? check_suppress_place(&hazard->other) : here;
    suppressed[i] = suppressions_fit(all, isa_hazard_rows[hazard->rule].rule, &here, pair ? &other : NULL);
  }
  return suppressed;
}

static bool wants_colours(const struct invocation *call) {
  const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
  return !call->common.out && isatty(STDOUT_FILENO) && !(no && *no) && terminal && strcmp(terminal, "dumb") != 0;
}

static bool write_text(const char *path, const char *option, char *text, struct message *message) {
  const bool good = path ? cli_output(path, text, strlen(text), message) : cli_output_painted(text, message);
  free(text);
  return good ? true : option && message_within(message, option);
}

static bool write_outputs(struct invocation *call, const struct check_report *report) {
  struct message *message = &call->common.message;
  if (call->sarif && !write_text(call->sarif, "--sarif", check_sarif(report), message))
    return false;
  return write_text(call->common.out, NULL,
                    call->common.json ? check_json(report) : check_text(report, wants_colours(call)), message);
}

static int conclude(struct invocation *call, struct suppressions *all, struct check_report *report) {
  bool *suppressed = find_suppressed(all, report);
  int status = STATUS_BAD_INPUT;
  report->suppressed = suppressed;
  if (write_outputs(call, report)) {
    const bool unfinished = run_tell_unfinished(&call->common, report->job, report->results, report->count);
    status = unfinished || check_suppressed(report) < report->hazard_count ? STATUS_WENT_WRONG : STATUS_FINE;
    suppressions_tell_unused(all, call->common.run.caller);
  } else {
    message_print(&call->common.message);
  }
  free(suppressed);
  return status;
}

/* ---- the run ----------------------------------------------------------------------------------- */

static int run_and_report(struct invocation *call, struct job *job, struct suppressions *all) {
  struct checker *checker = checker_new();
  const struct run_watcher watcher = checker_watcher(checker);
  struct check_report report = {.job = job, .most = need_size(call->most)};
  struct launch_result *results = NULL;
  int status = STATUS_BAD_INPUT;
  run_watch(&call->common.run, &watcher);
  if (run_job(job, &call->common.run, &results, &report.count, &call->common.message)) {
    for (size_t i = 0; i < report.count; i++)
      checker_take(checker, (uint32_t)i, &job->launches[i].isa, &results[i]);
    report.results = results;
    report.hazards = checker_hazards(checker, &report.hazard_count);
    report.checked = checker_counts(checker);
    status = conclude(call, all, &report);
  } else {
    message_print(&call->common.message);
  }
  run_free(results, report.count);
  checker_free(checker);
  return status;
}

int verb_check(int argc, char **argv) {
  static const struct argp argp = {
      options, parse_option, "LAUNCH.json\nKERNEL --global X[,Y[,Z]] --arg ...", documentation, NULL, NULL, NULL};
  struct invocation call = {.common = run_call_new(), .most = 100};
  struct suppressions all = {0};
  struct job job = {0};
  const bool good = cli_parse(&argp, argc, argv, &call.common.message) && run_settle(&call.common) &&
                    read_suppressions(&call, &all) && job_load(&call.job, &call.common, false, &job) &&
                    outputs_possible(&call, &job);
  const int status = !good                   ? cli_bad_input(&call.common.message)
                     : call.job.reads.listed ? job_options_list(&call.job.reads, &call.common.message)
                                             : run_and_report(&call, &job, &all);
  job_free(&job);
  suppressions_free(&all);
  free(call.common.sets.word);
  free(call.suppress.word);
  subject_free(&call.job);
  return status;
}
