#include "tools/verbs/timeline_options.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/machine_groups.h"
#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/cli/cli.h"
#include "sim/cli/output.h"
#include "tools/timeline/export.h"
#include "tools/timeline/look.h"
#include "tools/timeline/parts.h"

/* ---- options ----------------------------------------------------------------------------------- */

/* Refuses options that exclude each other. */
static bool settle(struct command *command, const struct timeline_options *options, struct message *message) {
  static const char *const parts[] = {"from", "to", "cu", "sample", "events"};
  for (size_t i = 0; !options->path && !options->page && i < sizeof parts / sizeof *parts; i++) {
    const struct option_row *row = option_named(command->verb, parts[i]);
    if (row && command_has(command, row->id))
      return message_fail(message, "--%s: needs --timeline", row->name);
  }
  if (options->window.from >= options->window.to)
    return message_fail(message, "--to: %" PRIu64 " is not after --from, %" PRIu64, options->window.to,
                        options->window.from);
  return true;
}

bool timeline_take(struct command *command, struct timeline_options *options, struct message *message) {
  struct timeline_window *window = &options->window;
  const char *sample = NULL, *events = NULL;
  bool good = true;
  options->path = command_word(command, OPTION_TIMELINE);
  options->cus = command_word(command, OPTION_CU);
  window->to = NEVER;
  command_number(command, OPTION_FROM, &window->from);
  command_number(command, OPTION_TO, &window->to);
  for (size_t at = 0; good && (sample = command_next(command, OPTION_SAMPLE, &at));)
    good = timeline_read_sample(sample, window, message);
  for (size_t at = 0; good && (events = command_next(command, OPTION_EVENTS, &at));)
    good = timeline_read_events(events, window, message);
  if (!command_has(command, OPTION_EVENTS))
    window->kinds = (UINT32_C(1) << TIMELINE_KINDS) - 1;
  return good && settle(command, options, message);
}

/* ---- before the run ---------------------------------------------------------------------------- */

bool timeline_possible(const struct timeline_options *options, const struct job *job, struct message *message) {
  char suffixes[100];
  const uint32_t count = machine_cu(job->machine)->count;
  if (!options->path && !options->page)
    return true;
  uint8_t *cus = need(count, 1);
  const bool good = !options->cus || timeline_read_cus(options->cus, cus, count, message);
  free(cus);
  if (!good || !options->path)
    return good;
  timeline_export_suffixes(suffixes, sizeof suffixes);
  if (strcmp(file_extension(options->path), ".wtl") != 0 && !timeline_export_of(options->path))
    return message_fail(message, "--timeline: '%.300s' does not end in one of: .wtl%s", options->path, suffixes);
  return output_possible(options->path, message) ? true : message_within(message, "--timeline");
}

/* ---- the run ----------------------------------------------------------------------------------- */

/* Adds the option that requested the timeline. */
static bool fail(const struct timeline_options *options, struct message *message) {
  return message_within(message, options->path ? "--timeline" : "--html");
}

/* The requested file is a timeline in our own format; other formats are made from an unnamed one. */
static bool is_own(const struct timeline_options *options) {
  return options->path && !timeline_export_of(options->path);
}

/* Starts writing to the descriptor, and takes it over. */
static bool record(struct timeline_options *options, int file, const char *name, const struct job *job,
                   struct message *message) {
  struct timeline_window window = options->window;
  const uint32_t count = machine_cu(job->machine)->count;
  uint8_t *cus = need(count, 1);
  if (options->cus && timeline_read_cus(options->cus, cus, count, message)) {
    window.cus = cus;
    window.cu_count = count;
  }
  const bool good = timeline_record(&options->recording, file, name, &window, job, message);
  free(cus);
  return good || fail(options, message);
}

static bool begin_nameless(struct timeline_options *options, const struct job *job, struct message *message) {
  char name[FILE_NAMELESS_NAME];
  options->file = file_nameless("timelines", message);
  if (options->file < 0)
    return fail(options, message);
  file_nameless_name("timelines", name);
  const bool good = record(options, fcntl(options->file, F_DUPFD_CLOEXEC, 0), name, job, message);
  if (!good)
    close(options->file);
  return good;
}

bool timeline_begin(struct timeline_options *options, const struct job *job, struct run_options *how,
                    struct message *message) {
  if (!options->path && !options->page)
    return true;
  if (!is_own(options)) {
    if (!begin_nameless(options, job, message))
      return false;
  } else {
    if (!output_begin(&options->output, options->path, message))
      return fail(options, message);
    if (!record(options, output_duplicate(&options->output), options->path, job, message))
      return output_end(&options->output, false, message);
  }
  run_watch(how, &options->recording.watcher);
  return true;
}

static bool report(const struct timeline_options *options, const char *path, struct message *message) {
  return !options->then || options->then(options->self, path, message);
}

bool timeline_export_file(const char *from, enum trace_open_mode mode, const char *to, struct message *message) {
  struct output output;
  struct timeline_file *file = timeline_look(from, mode, &console_caller, message);
  const bool good = file && output_begin(&output, to, message) &&
                    output_end(&output, timeline_export_of(to)->write(file, to, output.stream, message), message);
  timeline_close(file);
  return good;
}

static bool end_nameless(struct timeline_options *options, bool good, struct message *message) {
  char path[FILE_NAMELESS_PATH];
  file_nameless_path(options->file, path);
  if (good && options->path && !timeline_export_file(path, TRACE_WHOLE, options->path, message))
    good = message_within(message, "--timeline");
  good = good && report(options, path, message);
  close(options->file);
  return good;
}

bool timeline_end(struct timeline_options *options, const struct job *job, const struct launch_result *results,
                  size_t count, bool good, struct message *message) {
  if (!options->path && !options->page)
    return good;
  const bool whole = timeline_recorded(&options->recording, job, results, count, good, message);
  good = whole || (good && fail(options, message));
  if (!is_own(options))
    return end_nameless(options, good, message);
  const struct output *output = &options->output;
  good = good && report(options, output->temporary ? output->temporary : options->path, message);
  return output_end(&options->output, good, message) || (good && message_within(message, "--timeline"));
}
