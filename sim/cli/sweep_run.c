/* warpwait sweep run: from a sweep file to a file of results. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/reads.h"
#include "sim/cli/build_options.h"
#include "sim/cli/cli.h"
#include "sim/cli/output.h"
#include "sim/cli/sweep_verbs.h"
#include "sim/cli/terminal.h"
#include "sim/sweep/session.h"
#include "sim/sweep/workers.h"

struct call {
  struct message message; /* first: see cli_parse() */
  const char *path, *out, *csv, *points, *dask;
  struct session_options options;
  bool dry, left, shards, quiet;
  struct terminal terminal;
  struct reads reads;
};

enum {
  KEY_DRY = 256,
  KEY_SHARD,
  KEY_CSV,
  KEY_LIMIT,
  KEY_CYCLES,
  KEY_POINTS,
  KEY_LEFT,
  KEY_DASK,
  KEY_SHARDS,
  KEY_AGAIN
};

static const struct argp_option options[] = {
    {"out", 'o', "FILE", 0, "The file of results (default: the sweep file's name with .sqlite)", 1},
    {"csv", KEY_CSV, "FILE", 0, "At the end, write all points that are in it as comma-separated values", 1},
    {"jobs", 'j', "N", 0, "Processes that run points (default: one a processor)", 2},
    {"shard", KEY_SHARD, "I/N", 0, "Only points whose number modulo N is I, from 0 to N - 1", 2},
    {"points", KEY_POINTS, "FILE", 0, "Only points whose numbers in the grid are in FILE, one a line", 2},
    {"limit", KEY_LIMIT, "N", 0, "Run N points at most", 2},
    {"max-cycles", KEY_CYCLES, "N", 0,
     "Give a launch up after N cycles (default: the sweep file's max_cycles, else 1000000000, or the recording's "
     "limit)",
     2},
    {"again", KEY_AGAIN, NULL, 0, "Run points once more that are in the file as refused or failed", 2},
    {"dry-run", KEY_DRY, NULL, 0, "Count points, run a few of them, and say how long all would take", 2},
    {"left", KEY_LEFT, NULL, 0, "Print the numbers of the points that are not in the file yet, and run nothing", 2},
    {"quiet", 'q', NULL, 0, "No progress on the terminal", 2},
    READ_OPTIONS(4),
    {"dask", KEY_DASK, "ADDRESS", 0, "Have shards run by the workers of the Dask scheduler there", 3},
    {"shards", KEY_SHARDS, "N", 0, "With --dask: how many (default: four a thread of the workers)", 3},
    {0}};

static const char documentation[] = "Runs the points of a sweep file, and keeps what came of them in one SQLite file.\v"
                                    "Points that are in the file already are not run again: a sweep that was\n"
                                    "interrupted, or killed, goes on with the same command. A point that is no\n"
                                    "legal machine or launch, or that deadlocks, is kept with its reason, and the\n"
                                    "sweep goes on. Points that differ in times alone are replayed from one\n"
                                    "recording, which is kept in $TMPDIR (/tmp) meanwhile.\n"
                                    "\n"
                                    "Exit status: 0 all points are there, whatever became of them; 2 bad input;\n"
                                    "3 a defect of warpwait; 130 interrupted.\n";

static error_t parse_shard(struct argp_state *state, const char *word, struct session_options *to) {
  const char *at = word;
  if (text_read_whole(&at, &to->shard) && *at++ == '/' && text_read_whole(&at, &to->shards) && !*at && to->shard < to->shards &&
      to->shards <= SESSION_GRID)
    return 0;
  return cli_refuse(state, "--shard: '%.60s' is not I/N with I in [0, N - 1] and N up to %d, such as 0/8", word,
                    SESSION_GRID);
}

static error_t parse_path(struct argp_state *state, const char *word, struct call *call) {
  if (call->path)
    return cli_refuse(state, "%.60s: one sweep file is enough", word);
  call->path = word;
  return 0;
}

static error_t parse_option(int key, char *word, struct argp_state *state) {
  struct call *call = state->input;
  struct session_options *to = &call->options;
  switch (key) {
  case 'o':
    call->out = word;
    return 0;
  case KEY_CSV:
    call->csv = word;
    return 0;
  case 'j':
    return cli_number(state, "--jobs", word, 1, SWEEP_WORKERS, " processes", &to->jobs);
  case KEY_SHARD:
    return parse_shard(state, word, to);
  case KEY_POINTS:
    call->points = word;
    return 0;
  case KEY_LIMIT:
    return cli_number(state, "--limit", word, 1, UINT64_MAX, " points", &to->limit);
  case KEY_CYCLES:
    return cli_number(state, "--max-cycles", word, 1, INT64_MAX, " cycles", &to->max_cycles);
  case KEY_AGAIN:
    to->again = true;
    return 0;
  case KEY_LEFT:
    call->left = true;
    return 0;
  case KEY_DASK:
    call->dask = word;
    return 0;
  case KEY_SHARDS:
    call->shards = true;
    return 0;
  case KEY_FILES:
    call->reads.listed = true;
    return 0;
  case KEY_CONFINED:
    call->reads.confined = true;
    return 0;
  case KEY_DRY:
    call->dry = true;
    return 0;
  case 'q':
    call->quiet = true;
    return 0;
  case ARGP_KEY_ARG:
    return parse_path(state, word, call);
  case ARGP_KEY_END:
    if (call->shards && !call->dask)
      return cli_refuse(state, "--shards: goes with --dask; one shard alone is --shard I/N");
    return call->path ? 0 : cli_refuse(state, "a sweep file is missing; --help says more");
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

/* A file of results that nobody has named must not lead elsewhere: whoever made the sweep file may have put a link
 * there.
 */
static bool out_leads_nowhere(const char *out, struct message *message) {
  struct stat status;
  return lstat(out, &status) != 0 || !S_ISLNK(status.st_mode) ||
         message_fail(message, "%.300s: is a symbolic link; --out names the file of results that you want", out);
}

/* "study.ini" -> "study.sqlite" */
static char *usual_out(const char *path) {
  const size_t stem = strlen(path) - strlen(file_extension(path));
  char *out = need(stem + sizeof ".sqlite", 1);
  memcpy(out, path, stem);
  strcpy(out + stem, ".sqlite");
  return out;
}

static bool read_plan(struct call *call, struct sweep_plan *plan) {
  char text[PLAN_MESSAGE];
  if (!plan_read(call->path, plan, text))
    return message_fail(&call->message, "%s", text);
  if (!call->points)
    return true;
  /* Whoever names points draws no sample. */
  plan->sample = SWEEP_GRID;
  plan->points = plan->grid;
  return session_points_read(call->points, plan->grid, &call->options.points, &call->message);
}

/* What is read stays as it is. */
static bool check_csv(struct call *call, const struct sweep_plan *plan, const char *out) {
  const char *const used[] = {out, call->path, plan->launch, plan->trace, call->points};
  if (!output_possible(call->csv, &call->message))
    return message_within(&call->message, "--csv");
  for (size_t i = 0; i < sizeof used / sizeof *used; i++)
    if (used[i] && file_is_same(used[i], call->csv))
      return message_fail(&call->message, "--csv: %.300s: is %s, too", call->csv,
                          i ? "read for the sweep" : "the file of results");
  return true;
}

static void print_left(const struct sweep_run *run) {
  for (size_t i = 0; i < run->tasks; i++)
    printf("%" PRIu64 "\n", run->task[i].number);
}

static int run(struct call *call, struct sweep_plan *plan, const char *out) {
  struct session session;
  struct text text = {0};
  struct message *message = &call->message;
  const bool runs = !call->dry && !call->left && !call->reads.listed;
  bool good = session_open(&session, plan, &call->options, runs || file_exists(out) ? out : NULL, message);
  if (good && call->reads.listed)
    reads_print(&call->reads, &text);
  else if (good && call->left)
    print_left(&session.run);
  else if (good && call->dry)
    good = session_estimate(&session, &text, message);
  else if (good)
    good = session_run(&session, message) && (!call->csv || sweep_write_csv(session.store, call->csv, message)) &&
           session_sum_up(&session, out, &text, message);
  good = good && sink_text(&cli_sink, &text, message);
  free(text.data);
  session_close(&session);
  if (!good)
    message_print(message);
  return good ? STATUS_FINE : STATUS_BAD_INPUT;
}

int sweep_verb_run(int argc, char **argv) {
  static const struct argp argp = {options, parse_option, "FILE.ini", documentation, NULL, NULL, NULL};
  struct call call = {.options = {.shards = 1, .limit = UINT64_MAX}};
  struct sweep_plan plan = {0};
  call.options.jobs = sweep_workers_online();
  call.options.reads = &call.reads;
  bool good = cli_parse(&argp, argc, argv, &call.message);
  terminal_open(&call.terminal, call.quiet);
  call.options.caller = &call.terminal.caller;
  if (good && call.dask) {
    argv[0] = (char[]){"warpwait sweep run"}; /* also when it was called by its short form */
    return sweep_verb_python(argc, argv);
  }
  if (good)
    reads_begin(&call.reads, call.path);
  good = good && read_plan(&call, &plan);
  char *out = !good ? NULL : call.out ? need_copy(call.out) : usual_out(call.path);
  good = good && (call.out || out_leads_nowhere(out, &call.message)) && (!call.csv || check_csv(&call, &plan, out));
  const int status = good ? run(&call, &plan, out) : cli_bad_input(&call.message);
  plan_free(&plan);
  reads_free(&call.reads);
  free(call.options.points.number);
  free(out);
  return status;
}
