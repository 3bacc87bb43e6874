/* warpwait sweep info, csv and merge: files of results. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/cli/cli.h"
#include "sim/cli/sweep_verbs.h"
#include "sim/console/output.h"
#include "sim/sweep/store.h"

/* A call of a verb that reads one file. */
struct call {
  struct message message;
  const char *path, *out;
  struct store_order best;
};

static bool fail(struct message *message, const char *why) { return message_fail(message, "%s", why); }

/* ---- info ------------------------------------------------------------------------------------------ */

enum { WIDTH = 100 /* of words that are shown */ };

static void print_named(void *context, const char *name, const char *value) {
  (void)context;
  const int cut = strlen(value) > WIDTH;
  console_print("  %-20s %.*s%s\n", name, WIDTH, value, cut ? "..." : "");
}

static void print_best(void *context, const char *key, const char *value) {
  (void)context;
  console_print("  %-20s %s\n", value, key);
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

int verb_sweep_info(struct command *command) {
  struct call call = {.path = command_operand(command, 0),
                      .best = {.metric = command_word(command, OPTION_BY), .most = command_has(command, OPTION_MOST)}};
  uint64_t count = 5;
  command_number(command, OPTION_COUNT, &count);
  call.best.count = (uint32_t)count;
  return info(&call) ? STATUS_FINE : console_bad_input(&call.message);
}

/* ---- csv ------------------------------------------------------------------------------------------- */

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
  good = good && console_output(NULL, text, size, message);
  free(text);
  return good;
}

static bool csv_to_output(struct store *store, struct message *message) {
  char why[PLAN_MESSAGE];
  if (isatty(STDOUT_FILENO))
    return csv_to_screen(store, message);
  if (!store_csv(store, stdout, why))
    return fail(message, why);
  return console_flush(message);
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

int verb_sweep_csv(struct command *command) {
  struct call call = {.path = command_operand(command, 0), .out = command_word(command, OPTION_OUT)};
  return csv(&call) ? STATUS_FINE : console_bad_input(&call.message);
}

/* ---- merge ----------------------------------------------------------------------------------------- */

static bool merge_into(struct store *store, const struct words *paths, char *why) {
  uint64_t added = 0;
  for (size_t i = 1; i < paths->count; i++)
    if (!store_merge(store, paths->word[i], &added, why))
      return false;
  return store_commit(store, why);
}

/* All of them, or none: a file that was not there before is gone again. The first one is written. */
static bool merge(const struct words *paths, struct message *message) {
  char why[PLAN_MESSAGE];
  const char *out = paths->word[0];
  const bool fresh = !file_exists(out);
  struct store *store = store_open_like(out, paths->word[1], why);
  if (!store)
    return fail(message, why);
  const bool good = merge_into(store, paths, why);
  store_close(store);
  if (!good && fresh)
    unlink(out);
  return good || fail(message, why);
}

int verb_sweep_merge(struct command *command) {
  struct message message;
  return merge(&command->operands, &message) ? STATUS_FINE : console_bad_input(&message);
}
