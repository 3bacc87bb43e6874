/* The verbs of `warpwait sweep` that are in C: running a sweep file's points into a results file, and working on such
 * files. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/reads.h"
#include "sim/base/workers.h"
#include "sim/cli/cli.h"
#include "sim/cli/help.h"
#include "sim/cli/output.h"
#include "sim/cli/terminal.h"
#include "tools/sweep/session.h"
#include "tools/verbs/job_options.h"

/* ---- info ------------------------------------------------------------------------------------------ */

static bool info(const char *path, const struct store_order *best, struct text *text, struct message *message) {
  struct store *store = store_open_to_read(path, message);
  const bool good = store && store_info(store, best, text, message);
  if (store)
    store_close(store);
  return good;
}

int verb_sweep_info(struct command *command) {
  struct store_order best = {.metric = command_word(command, OPTION_BY), .most = command_has(command, OPTION_MOST)};
  struct text text = {0};
  struct message message;
  uint64_t count = 5;
  command_number(command, OPTION_COUNT, &count);
  best.count = (uint32_t)count;
  const bool good = info(command_operand(command, 0), &best, &text, &message);
  if (good)
    help_next(VERB_SWEEP_INFO, &text);
  return cli_end(&text, good, &message);
}

/* ---- csv ------------------------------------------------------------------------------------------- */

static bool csv_to_screen(struct store *store, struct message *message) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  bool good = stream && store_csv(store, stream, message);
  if (!stream)
    message_fail(message, "out of memory");
  if (stream && fclose(stream) != 0)
    good = message_fail(message, "out of memory");
  good = good && console_output(NULL, text, size, message);
  free(text);
  return good;
}

static bool csv_to_output(struct store *store, struct message *message) {
  if (isatty(STDOUT_FILENO))
    return csv_to_screen(store, message);
  return store_csv(store, stdout, message) && console_flush(message);
}

/* Writes the points to a file, completely or not at all; NULL: to standard output. */
static bool write_csv(struct store *store, const char *path, struct message *message) {
  struct output file;
  if (!path)
    return csv_to_output(store, message);
  if (!output_begin(&file, path, message))
    return false;
  return output_end(&file, store_csv(store, file.stream, message), message);
}

static bool csv(const char *path, const char *out, struct message *message) {
  if (out && file_is_same(path, out))
    return message_fail(message, "%s: is also the input", out);
  struct store *store = store_open_to_read(path, message);
  if (!store)
    return false;
  const bool good = write_csv(store, out, message);
  store_close(store);
  return good;
}

int verb_sweep_csv(struct command *command) {
  struct message message;
  return csv(command_operand(command, 0), command_word(command, OPTION_OUT), &message) ? STATUS_FINE
                                                                                       : console_bad_input(&message);
}

/* ---- merge ----------------------------------------------------------------------------------------- */

static bool merge_into(struct store *store, const struct words *paths, struct message *message) {
  uint64_t added = 0;
  for (size_t i = 1; i < paths->count; i++)
    if (!store_merge(store, paths->word[i], &added, message))
      return false;
  return store_commit(store, message);
}

/* Merges all of them, or none: removes a file that it has just created if it fails. Writes to the first path. */
static bool merge(const struct words *paths, struct message *message) {
  const char *out = paths->word[0];
  const bool fresh = !file_exists(out);
  struct store *store = store_open_like(out, paths->word[1], message);
  if (!store)
    return false;
  const bool good = merge_into(store, paths, message);
  store_close(store);
  if (!good && fresh)
    unlink(out);
  return good;
}

int verb_sweep_merge(struct command *command) {
  struct message message;
  return merge(&command->operands, &message) ? STATUS_FINE : console_bad_input(&message);
}

/* ---- run ------------------------------------------------------------------------------------------- */

struct call {
  struct message message;
  const char *path, *out, *csv, *points;
  struct session_options options;
  bool dry, left;
  struct terminal terminal;
  struct reads reads;
};

static bool read_shard(const char *word, struct session_options *to, struct message *message) {
  const char *at = word;
  return (text_read_whole(&at, &to->shard) && *at++ == '/' && text_read_whole(&at, &to->shards) && !*at &&
          to->shard < to->shards && to->shards <= SESSION_GRID) ||
         message_fail(message, "--shard: '%.60s' is not I/N, such as 0/8, with I in [0, N - 1] and N up to %d", word,
                      SESSION_GRID);
}

static bool take_options(struct command *command, struct session_options *to, struct message *message) {
  size_t at = 0;
  to->shards = 1;
  to->limit = UINT64_MAX;
  to->jobs = workers_online();
  to->again = command_has(command, OPTION_AGAIN);
  command_number(command, OPTION_JOBS, &to->jobs);
  command_number(command, OPTION_LIMIT, &to->limit);
  command_number(command, OPTION_MAX_CYCLES, &to->max_cycles);
  for (const char *word; (word = command_next(command, OPTION_SHARD, &at));)
    if (!read_shard(word, to, message))
      return false;
  return !command_has(command, OPTION_SHARDS) || command_has(command, OPTION_DASK) ||
         message_fail(message, "--shards: needs --dask; --shard I/N runs one shard");
}

static bool read_options(struct command *command, struct call *call) {
  call->path = command_operand(command, 0);
  call->out = command_word(command, OPTION_OUT);
  call->csv = command_word(command, OPTION_CSV);
  call->points = command_word(command, OPTION_POINTS);
  call->dry = command_has(command, OPTION_DRY_RUN);
  call->left = command_has(command, OPTION_LEFT);
  reads_options(command, &call->reads);
  terminal_open(&call->terminal, command_has(command, OPTION_QUIET));
  call->options.reads = &call->reads;
  call->options.caller = &call->terminal.caller;
  return take_options(command, &call->options, &call->message);
}

/* A results file with a default name must not be a link: the author of the sweep file may have planted one to overwrite
 * another file. */
static bool out_leads_nowhere(const char *out, struct message *message) {
  struct stat status;
  return lstat(out, &status) != 0 || !S_ISLNK(status.st_mode) ||
         message_fail(message, "%.300s: is a symbolic link; name the file of results itself with --out", out);
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
  if (!plan_read(call->path, plan, &call->message))
    return false;
  if (!call->points)
    return true;
  /* Points that are named are not sampled. */
  plan->sample = SWEEP_GRID;
  plan->points = plan->grid;
  return session_points_read(call->points, plan->grid, &call->options.points, &call->message);
}

/* The CSV file must not replace an input. */
static bool check_csv(struct call *call, const struct sweep_plan *plan, const char *out) {
  const char *const used[] = {out, call->path, plan->launch, plan->trace, call->points};
  if (!output_possible(call->csv, &call->message))
    return message_within(&call->message, "--csv");
  for (size_t i = 0; i < sizeof used / sizeof *used; i++)
    if (used[i] && file_is_same(used[i], call->csv))
      return message_fail(&call->message, "--csv: %.300s: is also %s", call->csv,
                          i ? "an input of the sweep" : "the file of results");
  return true;
}

static void print_left(const struct sweep_run *run) {
  for (size_t i = 0; i < run->tasks; i++)
    printf("%" PRIu64 "\n", run->task[i].number);
}

static int run_sweep(struct call *call, struct sweep_plan *plan, const char *out) {
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
    good = session_run(&session, message) && (!call->csv || write_csv(session.store, call->csv, message)) &&
           session_sum_up(&session, out, &text, message);
  if (good && !call->reads.listed && !call->left && !call->dry)
    help_next(VERB_SWEEP_RUN, &text);
  session_close(&session);
  return cli_end(&text, good, message);
}

int verb_sweep_run(struct command *command) {
  struct call call = {0};
  struct sweep_plan plan = {0};
  bool good = read_options(command, &call);
  if (good && command_has(command, OPTION_DASK))
    return verb_sweep_python(command);
  if (good)
    reads_begin(&call.reads, call.path);
  good = good && read_plan(&call, &plan);
  char *out = !good ? NULL : call.out ? need_copy(call.out) : usual_out(call.path);
  good = good && (call.out || out_leads_nowhere(out, &call.message)) && (!call.csv || check_csv(&call, &plan, out));
  const int status = good ? run_sweep(&call, &plan, out) : console_bad_input(&call.message);
  plan_free(&plan);
  reads_free(&call.reads);
  free(call.options.points.number);
  free(out);
  return status;
}
