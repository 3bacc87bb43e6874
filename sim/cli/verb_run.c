/* warpwait run: from a job to a report.
 *
 * Order matters: everything that can be refused is refused before the run, and nothing is written
 * before all of it is known. */
#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/build_options.h"
#include "sim/cli/cli.h"
#include "sim/cli/direct.h"
#include "sim/cli/file.h"
#include "sim/cli/report.h"
#include "sim/cli/runner.h"
#include "sim/cli/text.h"
#include "sim/core/need.h"

/* A list of option values. */
struct words {
  const char **word;
  size_t count;
};

struct invocation {
  struct message message; /* first: see cli_parse() */
  struct direct direct;   /* `program` is the launch file or the kernel */
  struct words args, sets, dumps;
  struct program_build build;
  const char *machine, *out;
  bool json, annotate, verify, host_given, order_given;
  struct run_options run;
};

enum {
  KEY_OUT = 256,
  KEY_VCD,
  KEY_DUMP,
  KEY_VERIFY,
  KEY_ANNOTATE,
  KEY_HOST,
  KEY_MAX_CYCLES,
  KEY_KERNEL,
  KEY_GLOBAL,
  KEY_LOCAL,
  KEY_OFFSET,
  KEY_ARG,
  KEY_ORDER,
};

static const struct argp_option options[] = {
    {"machine", 'm', "NAME|FILE", 0, "The machine: built in, or an INI file (default: the launch file's, or teaching)",
     1},
    {"set", 's', "KEY=VALUE", 0, "Set a parameter of the machine, after the launch file's (repeatable)", 1},
    {"report", 'r', "text|json", 0, "Form of the report (default: text)", 2},
    {"annotate", KEY_ANNOTATE, NULL, 0,
     "After the text report, the source with its costs in the margin (the JSON report has them as by_line)", 2},
    {"out", KEY_OUT, "FILE", 0, "Write the report to a file, without what work-items print", 2},
    {"dump", KEY_DUMP, "BUFFER=FILE", 0,
     "Write a buffer's final bytes, or the packets left in a pipe, to a file (repeatable)", 2},
    {"vcd", KEY_VCD, "FILE", 0, "Write a waveform for GTKWave; needs the SystemC host", 2},
    {"verify", KEY_VERIFY, NULL, 0, "Hold the launch file's checks against the outcome: exit status 1 if one fails", 2},
    {"quiet", 'q', NULL, 0, "No progress on the terminal", 2},
    {"host", KEY_HOST, "systemc|plain", 0,
     "Who steps the model: SystemC (default) or a plain loop; the result is the same", 3},
    {"max-cycles", KEY_MAX_CYCLES, "N", 0, "Give a launch up after N cycles (default: 1000000000)", 3},
    {NULL, 0, NULL, 0, "Without a launch file:", 4},
    {"kernel", KEY_KERNEL, "NAME", 0, "The kernel, if the program has several", 4},
    {"global", KEY_GLOBAL, "X[,Y[,Z]]", 0, "Work-items", 4},
    {"local", KEY_LOCAL, "X[,Y[,Z]]", 0, "Work-items of a work-group (default: the machine chooses)", 4},
    {"offset", KEY_OFFSET, "X[,Y[,Z]]", 0, "First identifiers", 4},
    {"arg", KEY_ARG, "KIND:VALUE", 0, "The next argument (repeatable), see below", 4},
    BUILD_OPTIONS(5),
    {"order", KEY_ORDER, "ORDER", OPTION_HIDDEN, "ascending, descending or shuffled[:SEED] stepping, plain host", 6},
    {0}};

static const char documentation[] =
    "Runs a launch file, or a kernel given by options, and reports where its warps waited. Kernels are OpenCL C (.cl), "
    "SPIR-V (.spv), assembly (.wws) or object files (.wwo).\v"
    "Kinds of arguments:\n" /* argp breaks what is longer than 78 characters */
    "  buffer:NAME=BYTES[:TYPE[:FILL]]  new buffer; FILL: zero, iota, random, @FILE\n"
    "  buffer:NAME                      a buffer made by an earlier argument\n"
    "  null                             no buffer: a pointer that is NULL\n"
    "  local:BYTES                      room in the LDS\n"
    "  pipe:NAME=SIZE:COUNT             a new pipe for COUNT packets of SIZE bytes\n"
    "  pipe:NAME                        a pipe made by an earlier argument\n"
    "  TYPE:VALUE[,VALUE...]            int:7, float4:1,2,3,4: OpenCL C's types\n"
    "  bytes:HEX                        a struct by value\n"
    "\n"
    "What work-items print comes before the report, by work-group, work-item and\n"
    "call. With --out it stays on standard output and the report alone goes to\n"
    "the file. The JSON report holds it; without --out it is nowhere else.\n"
    "What clang made is kept in $WARPWAIT_CACHE, $XDG_CACHE_HOME/warpwait or\n"
    "~/.cache/warpwait, the first that is set. $WARPWAIT_CLANG and\n"
    "$WARPWAIT_LLVM_SPIRV name other programs than clang-15 and llvm-spirv-15.\n"
    "\n"
    "Exit status: 0 fine; 1 a check failed, a deadlock or the cycle limit; 2 bad\n"
    "input; 3 a defect of warpwait; 130 interrupted. A hazard is reported and told\n"
    "on stderr, but alone does not change the exit status.\n";

/* ---- options ----------------------------------------------------------------------------------- */

static error_t add(struct words *words, const char *word) {
  words->word = need_more(words->word, words->count + 1, sizeof *words->word);
  words->word[words->count++] = word;
  return 0;
}

static error_t choose(struct argp_state *state, const char *option, const char *word, const char *first,
                      const char *second, bool *is_second) {
  *is_second = strcmp(word, second) == 0;
  return *is_second || strcmp(word, first) == 0
             ? 0
             : cli_refuse(state, "%s: '%.60s' is not one of: %s %s", option, word, first, second);
}

static error_t parse_max_cycles(struct argp_state *state, const char *word, cycle_t *cycles) {
  char *end = NULL;
  errno = 0;
  *cycles = strtoull(word, &end, 10);
  if (*word < '0' || *word > '9' || *end || errno || !*cycles)
    return cli_refuse(state, "--max-cycles: '%.60s' is not a whole number in [1, %" PRIu64 "] cycles", word,
                      UINT64_MAX);
  return 0;
}

static error_t parse_order(struct argp_state *state, const char *word, struct invocation *call) {
  char *end = NULL;
  call->order_given = true;
  if (strcmp(word, "ascending") == 0 || strcmp(word, "descending") == 0) {
    call->run.order = *word == 'a' ? ORDER_ASCENDING : ORDER_DESCENDING;
    return 0;
  }
  call->run.order = ORDER_SHUFFLED;
  call->run.seed = 1;
  if (strcmp(word, "shuffled") == 0)
    return 0;
  if (strncmp(word, "shuffled:", 9) == 0) {
    errno = 0;
    uint64_t seed = strtoull(word + 9, &end, 10);
    call->run.seed = (uint32_t)seed;
    if (isdigit((unsigned char)word[9]) && !*end && !errno && seed <= UINT32_MAX)
      return 0;
    return cli_refuse(state, "--order: '%.60s' is not a whole number in [0, %u]", word + 9, UINT32_MAX);
  }
  return cli_refuse(state, "--order: '%.60s' is not one of: ascending descending shuffled[:SEED]", word);
}

static error_t parse_program(struct argp_state *state, const char *word, struct invocation *call) {
  if (call->direct.program)
    return cli_refuse(state, "%.60s: one launch file or kernel is enough", word);
  call->direct.program = word;
  return 0;
}

/* Options whose value is kept as it is. */
static const char **place_of_word(struct invocation *call, int key) {
  switch (key) {
  case 'm':
    return &call->machine;
  case KEY_OUT:
    return &call->out;
  case KEY_VCD:
    return &call->run.vcd;
  case KEY_KERNEL:
    return &call->direct.kernel;
  case KEY_GLOBAL:
    return &call->direct.global;
  case KEY_LOCAL:
    return &call->direct.local;
  case KEY_OFFSET:
    return &call->direct.offset;
  default:
    return NULL;
  }
}

/* Options that may be repeated. */
static struct words *place_of_words(struct invocation *call, int key) {
  return key == 's' ? &call->sets : key == KEY_DUMP ? &call->dumps : key == KEY_ARG ? &call->args : NULL;
}

static error_t parse_host(struct argp_state *state, const char *word, struct invocation *call) {
  bool plain = false;
  error_t error = choose(state, "--host", word, "systemc", "plain", &plain);
  call->host_given = true;
  call->run.systemc = !plain;
  return error;
}

static error_t parse_option(int key, char *word, struct argp_state *state) {
  struct invocation *call = state->input;
  const char **kept = place_of_word(call, key);
  struct words *list = place_of_words(call, key);
  if (list)
    return add(list, word);
  if (kept) {
    *kept = word;
    return 0;
  }
  switch (key) {
  case 'r':
    return choose(state, "--report", word, "text", "json", &call->json);
  case 'q':
    call->run.quiet = true;
    return 0;
  case KEY_VERIFY:
    call->verify = true;
    return 0;
  case KEY_ANNOTATE:
    call->annotate = true;
    return 0;
  case KEY_HOST:
    return parse_host(state, word, call);
  case KEY_MAX_CYCLES:
    return parse_max_cycles(state, word, &call->run.max_cycles);
  case KEY_ORDER:
    return parse_order(state, word, call);
  case ARGP_KEY_ARG:
    return parse_program(state, word, call);
  case ARGP_KEY_END:
    return call->direct.program ? 0 : cli_refuse(state, "a launch file or a kernel is missing; --help says more");
  default:
    return build_option(key, word, state, &call->build);
  }
}

/* ---- before the run ---------------------------------------------------------------------------- */

/* An order is the plain host's business, a waveform SystemC's. */
static bool settle_host(struct invocation *call) {
  if (call->order_given && call->host_given && call->run.systemc)
    return message_fail(&call->message, "--order: only the plain host has one");
  if (call->order_given)
    call->run.systemc = false;
  if (call->run.vcd && !call->run.systemc)
    return message_fail(&call->message, "--vcd: only the SystemC host writes waveforms");
  if (call->annotate && call->json)
    return message_fail(&call->message, "--annotate: the JSON report has the same costs in by_line");
  return true;
}

static bool only_direct(struct invocation *call) {
  const struct {
    const char *option;
    bool given;
  } direct[] = {{"--kernel", call->direct.kernel},
                {"--global", call->direct.global},
                {"--local", call->direct.local},
                {"--offset", call->direct.offset},
                {"--arg", call->args.count > 0}};
  for (size_t i = 0; i < sizeof direct / sizeof *direct; i++)
    if (direct[i].given)
      return message_fail(&call->message, "%s: the launch file says this", direct[i].option);
  return true;
}

/* A folder was named where a file is wanted: the first launch file in it, or one folder deeper. */
static bool fail_folder(const char *folder, struct message *message) {
  static const char *const patterns[] = {"launch*.json", "*/launch*.json"};
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
    char pattern[1024];
    glob_t found = {0};
    size_t length = strlen(folder);
    const char *slash = length && folder[length - 1] == '/' ? "" : "/";
    snprintf(pattern, sizeof pattern, "%.900s%s%s", folder, slash, patterns[i]);
    bool any = glob(pattern, 0, NULL, &found) == 0;
    if (any)
      message_fail(message, "%s: is a directory; %s launch file is %s", folder,
                   found.gl_pathc > 1 ? "its first" : "its", found.gl_pathv[0]);
    globfree(&found);
    if (any)
      return false;
  }
  return message_fail(message, "%s: is a directory, without a launch file", folder);
}

static bool load(struct invocation *call, struct job *job) {
  const struct job_request request = {call->machine, call->sets.word, call->sets.count, call->build, call->verify};
  if (file_is_folder(call->direct.program))
    return fail_folder(call->direct.program, &call->message);
  if (strcmp(file_extension(call->direct.program), ".json") == 0 && !file_exists(call->direct.program))
    return message_fail(&call->message, "%.300s: %s", call->direct.program, strerror(ENOENT));
  if (strcmp(file_extension(call->direct.program), ".json") == 0)
    return only_direct(call) && launch_load(call->direct.program, &request, job, &call->message);
  if (call->verify)
    return message_fail(&call->message, "--verify: needs a launch file, which says what to expect");
  call->direct.args = call->args.word;
  call->direct.arg_count = call->args.count;
  return direct_job(&call->direct, &request, job, &call->message);
}

/* "BUFFER=FILE": the buffer's or else the pipe's number, and the file. */
static bool find_dump(const struct job *job, const char *dump, size_t *number, bool *pipe, const char **path,
                      struct message *message) {
  const char *equals = strchr(dump, '=');
  if (!equals || !equals[1])
    return message_fail(message, "--dump: '%.60s' is not BUFFER=FILE", dump);
  char *name = need_copy(dump);
  name[equals - dump] = '\0';
  struct message ignored;
  *pipe = job_find_pipe(job, name, number, &ignored);
  bool found = *pipe || job_find_buffer(job, name, number, message);
  free(name);
  *path = equals + 1;
  return found ? true : message_within(message, "--dump");
}

static bool can_write(struct invocation *call, const char *option, const char *path) {
  return !path || file_can_write(path, &call->message) ? true : message_within(&call->message, option);
}

static bool outputs_possible(struct invocation *call, const struct job *job) {
  for (size_t i = 0; i < call->dumps.count; i++) {
    size_t number = 0;
    bool pipe = false;
    const char *path = NULL;
    if (!find_dump(job, call->dumps.word[i], &number, &pipe, &path, &call->message) || !can_write(call, "--dump", path))
      return false;
  }
  return can_write(call, "--out", call->out) && can_write(call, "--vcd", call->run.vcd);
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

static bool write_dump(const struct job *job, const char *dump, struct message *message) {
  size_t number = 0;
  bool pipe = false;
  const char *path = NULL;
  if (!find_dump(job, dump, &number, &pipe, &path, message))
    return false;
  const struct isa_buffer *buffer = &job->memory.buffers[pipe ? 0 : number];
  uint64_t bytes = pipe ? 0 : buffer->bytes;
  uint8_t *packets = pipe ? job_packets(&job->memory.pipes[number], &bytes) : NULL;
  bool good = file_write(path, pipe ? packets : buffer->data, bytes, message);
  free(packets);
  return good ? true : message_within(message, "--dump");
}

static bool write_outputs(struct invocation *call, const struct report *report) {
  for (size_t i = 0; i < call->dumps.count; i++)
    if (!write_dump(report->job, call->dumps.word[i], &call->message))
      return false;
  struct text text = {0};
  bool apart = call->out; /* what work-items print is for standard output, unless JSON, which holds it, is there */
  if (!call->json || apart)
    add_printed(report, &text);
  if (apart && !cli_output(NULL, text.data ? text.data : "", text.length, &call->message)) {
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
  char place[REPORT_PLACE];
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
  report_place(program, first->hazards[0].first.pc, place);
  message_fail(&message, "%" PRIu64 " hazard%s, the first at %s: %s", count, count == 1 ? "" : "s", place,
               isa_hazard_rows[first->hazards[0].first.rule].rule);
  message_print(&message);
}

/* A launch that has not come to its end. */
static void tell_unfinished(const struct invocation *call, const struct report *report, size_t index) {
  const struct launch_result *result = &report->results[index];
  const char *kernel = report->job->launches[index].isa.kernel->name;
  struct message message;
  if (result->end == END_DEADLOCK)
    message_fail(&message, "launch %zu, kernel '%s': deadlock at cycle %" PRIu64 ": %zu warp%s for ever", index + 1,
                 kernel, result->cycles, result->stuck_count, result->stuck_count == 1 ? " waits" : "s wait");
  else
    message_fail(&message, "launch %zu, kernel '%s': not finished after %" PRIu64 " cycles (--max-cycles)", index + 1,
                 kernel, call->run.max_cycles);
  message_print(&message);
}

/* Says on stderr what went wrong in the simulated world. */
static int conclude(const struct invocation *call, const struct report *report) {
  int status = CLI_FINE;
  struct message message;
  warn_of_hazards(report);
  for (size_t i = 0; i < report->verdict_count; i++)
    if (!report->verdicts[i].passed) {
      status = CLI_WENT_WRONG;
      message_fail(&message, "verify: %s (%s): %s", report->verdicts[i].what, report->verdicts[i].mode,
                   report->verdicts[i].text);
      message_print(&message);
    }
  for (size_t i = 0; i < report->count; i++)
    if (report->results[i].end != END_FINISHED) {
      status = CLI_WENT_WRONG;
      tell_unfinished(call, report, i);
    }
  return status;
}

static int run_and_report(struct invocation *call, struct job *job) {
  struct launch_result *results = NULL;
  struct report report = {.job = job};
  int status = CLI_BAD_INPUT;
  bool stopped = false, good = run_job(job, &call->run, &results, &report.count, &stopped, &call->message);
  report.results = results;
  struct verdict *verdicts = NULL;
  if (good && call->verify)
    report.verdicts = verdicts = verify_job(job, results, report.count, &report.verdict_count);
  if (good && write_outputs(call, &report))
    status = conclude(call, &report);
  else
    message_print(&call->message);
  if (stopped)
    status = CLI_INTERRUPTED;
  free(verdicts);
  run_free(results, report.count);
  return status;
}

int verb_run(int argc, char **argv) {
  static const struct argp argp = {
      options, parse_option, "LAUNCH.json\nKERNEL --global X[,Y[,Z]] --arg ...", documentation, NULL, NULL, NULL};
  struct invocation call = {.run = {.systemc = true, .max_cycles = 1000000000}};
  struct job job = {0};
  bool good = cli_parse(&argp, argc, argv, &call.message) && settle_host(&call) && load(&call, &job) &&
              outputs_possible(&call, &job);
  int status = good ? run_and_report(&call, &job) : cli_bad_input(&call.message);
  job_free(&job);
  free(call.args.word);
  free(call.sets.word);
  free(call.dumps.word);
  program_build_free(&call.build);
  return status;
}
