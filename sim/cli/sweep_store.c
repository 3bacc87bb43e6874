/* warpwait sweep info, csv and merge: files of results. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/cli/cli.h"
#include "sim/cli/output.h"
#include "sim/cli/sweep_verbs.h"
#include "sim/sweep/store.h"

/* A call of a verb that reads one file. */
struct call {
  struct message message; /* first: see cli_parse() */
  const char *path, *out;
  struct store_order best;
};

static bool fail(struct message *message, const char *why) { return message_fail(message, "%s", why); }

static error_t parse_path(int key, const char *word, struct argp_state *state) {
  struct call *call = state->input;
  switch (key) {
  case ARGP_KEY_ARG:
    if (call->path)
      return cli_refuse(state, "%.60s: one file is enough", word);
    call->path = word;
    return 0;
  case ARGP_KEY_END:
    return call->path ? 0 : cli_refuse(state, "a file of results is missing; --help says more");
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

/* ---- info ------------------------------------------------------------------------------------------ */

enum { KEY_BY = 256, KEY_MOST, KEY_COUNT, WIDTH = 100 /* of words that are shown */ };

static const struct argp_option info_options[] = {
    {"by", KEY_BY, "METRIC", 0, "The best points have least of this (default: the first that there is)", 1},
    {"most", KEY_MOST, NULL, 0, "They have most of it", 1},
    {"count", KEY_COUNT, "N", 0, "How many of them are shown (default: 5)", 1},
    {0}};

static error_t parse_info(int key, char *word, struct argp_state *state) {
  struct call *call = state->input;
  char *end = NULL;
  unsigned long count = 0;
  switch (key) {
  case KEY_BY:
    call->best.metric = word;
    return 0;
  case KEY_MOST:
    call->best.most = true;
    return 0;
  case KEY_COUNT:
    count = strtoul(word, &end, 10);
    if (*word < '0' || *word > '9' || *end || count > 1000000)
      return cli_refuse(state, "--count: '%.60s' is not a whole number in [0, 1000000]", word);
    call->best.count = (uint32_t)count;
    return 0;
  default:
    return parse_path(key, word, state);
  }
}

static void print_named(void *context, const char *name, const char *value) {
  (void)context;
  const int cut = strlen(value) > WIDTH;
  cli_print("  %-20s %.*s%s\n", name, WIDTH, value, cut ? "..." : "");
}

static void print_best(void *context, const char *key, const char *value) {
  (void)context;
  cli_print("  %-20s %s\n", value, key);
}

static void keep_first(void *context, const char *name, const char *value) {
  char **first = context;
  (void)value;
  *first = *first ? *first : need_copy(name);
}

static bool print_points(struct store *store, const struct call *call, const char *metric, char *why) {
  struct store_order best = call->best;
  best.metric = metric;
  printf("points: %llu\n", (unsigned long long)store_count(store));
  if (!store_statuses(store, print_named, NULL, why))
    return false;
  if (!metric)
    return true;
  printf("%s %s:\n", best.most ? "most" : "least", metric);
  return store_best(store, &best, print_best, NULL, why);
}

static bool print_all(struct store *store, const struct call *call, char *why) {
  char *first = NULL;
  bool good = store_metrics(store, keep_first, &first, why);
  puts("sweep:");
  good = good && store_facts(store, print_named, NULL, why);
  puts("axes:");
  good = good && store_axes(store, print_named, NULL, why);
  good = good && print_points(store, call, call->best.metric ? call->best.metric : first, why);
  free(first);
  return good;
}

static bool info(struct call *call) {
  char why[PLAN_MESSAGE];
  struct store *store = store_open_to_read(call->path, why);
  if (!store)
    return fail(&call->message, why);
  const bool good =
      (!call->best.metric || store_has_metric(store, call->best.metric, why)) && print_all(store, call, why);
  store_close(store);
  return good || fail(&call->message, why);
}

int sweep_verb_info(int argc, char **argv) {
  static const char text[] = "Says what a file of results is of, how many points ended how, and which are the best.";
  static const struct argp argp = {info_options, parse_info, "FILE.sqlite", text, NULL, NULL, NULL};
  struct call call = {.best = {.count = 5}};
  return cli_parse(&argp, argc, argv, &call.message) && info(&call) ? STATUS_FINE : cli_bad_input(&call.message);
}

/* ---- csv ------------------------------------------------------------------------------------------- */

static const struct argp_option csv_options[] = {
    {"out", 'o', "FILE", 0, "Where to write (default: standard output)", 1}, {0}};

static error_t parse_csv(int key, char *word, struct argp_state *state) {
  struct call *call = state->input;
  if (key != 'o')
    return parse_path(key, word, state);
  call->out = word;
  return 0;
}

static bool csv_to_screen(struct store *store, struct message *message) {
  char why[PLAN_MESSAGE], *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  bool good = stream && store_csv(store, stream, why);
  if (!stream)
    message_fail(message, "out of memory");
  else if (!good)
    fail(message, why);
  if (stream && fclose(stream) != 0)
    good = message_fail(message, "out of memory");
  good = good && cli_output(NULL, text, size, message);
  free(text);
  return good;
}

static bool csv_to_output(struct store *store, struct message *message) {
  char why[PLAN_MESSAGE];
  if (isatty(STDOUT_FILENO))
    return csv_to_screen(store, message);
  if (!store_csv(store, stdout, why))
    return fail(message, why);
  return cli_flush(message);
}

bool sweep_write_csv(struct store *store, const char *path, struct message *message) {
  struct output file;
  char why[PLAN_MESSAGE];
  if (!path)
    return csv_to_output(store, message);
  if (!output_begin(&file, path, message))
    return false;
  return output_end(&file, store_csv(store, file.stream, why) || fail(message, why), message);
}

static bool csv(struct call *call) {
  char why[PLAN_MESSAGE];
  if (call->out && file_is_same(call->path, call->out))
    return message_fail(&call->message, "%s: is the input, too", call->out);
  struct store *store = store_open_to_read(call->path, why);
  if (!store)
    return fail(&call->message, why);
  const bool good = sweep_write_csv(store, call->out, &call->message);
  store_close(store);
  return good;
}

int sweep_verb_csv(int argc, char **argv) {
  static const char text[] = "Writes the points of a file of results as comma-separated values, ordered by number: "
                             "a line of names, then number, status, reason, axes and metrics of each. What is not "
                             "known is left empty.";
  static const struct argp argp = {csv_options, parse_csv, "FILE.sqlite", text, NULL, NULL, NULL};
  struct call call = {0};
  return cli_parse(&argp, argc, argv, &call.message) && csv(&call) ? STATUS_FINE : cli_bad_input(&call.message);
}

/* ---- merge ----------------------------------------------------------------------------------------- */

struct merge {
  struct message message; /* first: see cli_parse() */
  const char *out;
  const char **paths;
  size_t count;
};

static error_t parse_merge(int key, char *word, struct argp_state *state) {
  struct merge *call = state->input;
  switch (key) {
  case ARGP_KEY_ARG:
    if (!call->out)
      call->out = word;
    else
      call->paths[call->count++] = word;
    return 0;
  case ARGP_KEY_END:
    return call->count ? 0 : cli_refuse(state, "files are missing: the one to write, and those to merge");
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static bool merge_into(struct store *store, const struct merge *call, char *why) {
  uint64_t added = 0;
  for (size_t i = 0; i < call->count; i++)
    if (!store_merge(store, call->paths[i], &added, why))
      return false;
  return store_commit(store, why);
}

/* All of them, or none: a file that was not there before is gone again. */
static bool merge(struct merge *call) {
  char why[PLAN_MESSAGE];
  const bool fresh = !file_exists(call->out);
  struct store *store = store_open_like(call->out, call->paths[0], why);
  if (!store)
    return fail(&call->message, why);
  const bool good = merge_into(store, call, why);
  store_close(store);
  if (!good && fresh)
    unlink(call->out);
  return good || fail(&call->message, why);
}

int sweep_verb_merge(int argc, char **argv) {
  static const char text[] =
      "Adds the points of files of one sweep, those of its shards say, to the first of the files, which is made when "
      "it is not there.\vA point that is in several files must be the same in all.\n"
      "If anything is wrong, nothing is added.\n";
  static const struct argp argp = {NULL, parse_merge, "OUT.sqlite IN.sqlite...", text, NULL, NULL, NULL};
  struct merge call = {.paths = need((size_t)argc, sizeof *call.paths)};
  const bool good = cli_parse(&argp, argc, argv, &call.message) && merge(&call);
  free(call.paths);
  return good ? STATUS_FINE : cli_bad_input(&call.message);
}
