/* The verbs of `warpwait trace`: reading options and naming files. The work is in tools/trace, tools/timeline and
 * tools/import. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/cli/cli.h"
#include "sim/cli/help.h"
#include "sim/cli/output.h"
#include "sim/cli/terminal.h"
#include "tools/import/sass_job.h"
#include "tools/timeline/export.h"
#include "tools/timeline/look.h"
#include "tools/trace/convert.h"
#include "tools/trace/diff.h"
#include "tools/trace/head.h"
#include "tools/trace/info.h"
#include "tools/trace/merge.h"
#include "tools/trace/slice.h"
#include "tools/verbs/timeline_options.h"

static enum trace_open_mode mode_of(struct command *command) {
  return command_has(command, OPTION_SALVAGE) ? TRACE_SALVAGE : TRACE_WHOLE;
}

static bool take_path(const struct command *command, size_t number, const char **path, struct message *message) {
  return console_input(command_operand(command, number), path, message);
}

static int status_of(bool good, const struct message *message) {
  return good ? STATUS_FINE : console_bad_input(message);
}

/* Writes a trace next to `path`, reads its job like a replay, which refuses a trace without one, and then renames it to
 * `path`. `write` takes over the descriptor, and returns false with the message filled. */
static bool write_trace(const char *path,
                        bool (*write)(void *self, int file, const char *name, struct message *message), void *self,
                        struct message *message) {
  struct output file;
  if (!output_begin(&file, path, message))
    return false;
  const bool good =
      file.temporary
          ? write(self, output_duplicate(&file), path, message) && trace_can_be_replayed(file.temporary, path, message)
          : message_fail(message, "%s: cannot be written: a trace must be a regular file", path);
  return output_end(&file, good, message);
}

static bool is_no_input(const char *path, const char *out, const char *what, struct message *message) {
  return !file_is_same(path, out) || message_fail(message, "%s: is also %s input", out, what);
}

/* ---- info, validate, head ------------------------------------------------------------------------ */

static bool report_timeline(const char *path, enum trace_open_mode mode, const struct trace_info_form *form,
                            struct message *message) {
  if (form->lines || form->json)
    return message_fail(message, "%.300s: is a timeline; --lines and --json are for traces", path);
  return timeline_info(path, mode, &console_sink, &console_caller, message);
}

static bool report_trace(const char *path, enum trace_open_mode mode, const struct trace_info_form *form,
                         struct message *message) {
  struct recording opened = {0};
  struct text text = {0};
  const bool good =
      trace_look(path, mode, &console_caller, &opened, message) && trace_info(&opened, path, form, &text, message);
  if (good && !form->json && !form->brief)
    help_next(VERB_TRACE_INFO, &text);
  const bool written = good && sink_text(&console_sink, &text, message);
  recording_close(&opened);
  free(text.data);
  return written;
}

int verb_trace_info(struct command *command) {
  const struct trace_info_form form = {.brief = command_has(command, OPTION_BRIEF),
                                       .lines = command_has(command, OPTION_LINES),
                                       .json = command_has(command, OPTION_JSON)};
  const enum trace_open_mode mode = mode_of(command);
  const char *path = NULL;
  struct message message;
  bool good = !form.brief || (!form.lines && !form.json) ||
              message_fail(&message, "--brief: cannot be combined with --lines or --json");
  good = good && take_path(command, 0, &path, &message) &&
         (timeline_is_one(path) ? report_timeline : report_trace)(path, mode, &form, &message);
  return status_of(good, &message);
}

int verb_trace_validate(struct command *command) {
  const char *path = NULL;
  struct message message;
  const enum trace_open_mode mode = mode_of(command);
  const bool good = take_path(command, 0, &path, &message) &&
                    (timeline_is_one(path) ? timeline_check : trace_check)(path, mode, &console_caller, &message);
  return status_of(good, &message);
}

static bool show_head(const char *path, enum trace_open_mode mode, const struct trace_head *settings,
                      struct message *message) {
  struct recording opened = {0};
  const bool good = trace_look(path, mode, &console_caller, &opened, message) &&
                    trace_head(&opened, path, settings, &console_sink, message);
  recording_close(&opened);
  return good;
}

int verb_trace_head(struct command *command) {
  struct trace_head settings = {.launch = 1, .count = 20};
  const enum trace_open_mode mode = mode_of(command);
  const char *path = NULL;
  struct message message;
  command_number(command, OPTION_COUNT, &settings.count);
  const bool launch = command_number(command, OPTION_LAUNCH, &settings.launch);
  const bool group = command_number(command, OPTION_GROUP, &settings.group);
  const bool warp = command_number(command, OPTION_WARP, &settings.warp);
  bool good = take_path(command, 0, &path, &message);
  if (good && !timeline_is_one(path))
    good = show_head(path, mode, &settings, &message);
  else if (good && (launch || group || warp))
    good = message_fail(
        &message, "--launch, --group, --warp: only for traces; a timeline's events are shown in the file's order");
  else
    good = good && timeline_head(path, mode, settings.count, &console_sink, &console_caller, &message);
  return status_of(good, &message);
}

/* ---- diff ---------------------------------------------------------------------------------------- */

static bool take_diff(struct command *command, struct trace_diff *settings, struct message *message) {
  command_number(command, OPTION_COUNT, &settings->most);
  command_number(command, OPTION_CONTEXT, &settings->context);
  if (command_has(command, OPTION_ALL))
    settings->most = UINT64_MAX;
  settings->time = command_has(command, OPTION_TIME);
  settings->any_machine = command_has(command, OPTION_ANY_MACHINE);
  settings->mode = mode_of(command);
  if (settings->context > TRACE_DIFF_CONTEXT)
    return message_fail(message, "--context: %s is more than %d", command_word(command, OPTION_CONTEXT),
                        TRACE_DIFF_CONTEXT);
  return take_path(command, 0, &settings->path[0], message) && take_path(command, 1, &settings->path[1], message);
}

int verb_trace_diff(struct command *command) {
  struct trace_diff settings = {.most = 1, .context = 3};
  struct message message;
  bool differ = false;
  if (!take_diff(command, &settings, &message) ||
      !trace_diff(&settings, &console_sink, &console_caller, &differ, &message))
    return console_bad_input(&message);
  return differ ? STATUS_WENT_WRONG : STATUS_FINE;
}

/* ---- slice --------------------------------------------------------------------------------------- */

/* Every value given must be legal; the last one counts. */
static bool take_range(struct command *command, enum option option, uint64_t minimum, struct trace_range *range,
                       struct message *message) {
  const char *word = command_word(command, option);
  char first[32];
  if (!word)
    return true;
  const char *name = option == OPTION_LAUNCH ? "--launch" : "--group";
  const size_t length = strcspn(word, "-");
  snprintf(first, sizeof first, "%.*s", (int)(length < 31 ? length : 31), word);
  bool good = read_number(name, first, minimum, UINT32_MAX, "", &range->first, message);
  range->given = true;
  range->last = range->first;
  if (good && word[length])
    good = read_number(name, word + length + 1, minimum, UINT32_MAX, "", &range->last, message);
  if (!good)
    return message_fail(message,
                        "%s: '%.60s' is not a whole number in [%" PRIu64 ", %u], or a range of them such as 2-5", name,
                        word, minimum, UINT32_MAX);
  return range->last >= range->first || message_fail(message, "%s: '%.60s' ends before it begins", name, word);
}

static bool take_slice(struct command *command, struct trace_slice *settings, const char *out,
                       struct message *message) {
  settings->to = NEVER;
  settings->window = command_number(command, OPTION_FROM, &settings->from);
  settings->window = command_number(command, OPTION_TO, &settings->to) || settings->window;
  settings->mode = mode_of(command);
  if (!take_range(command, OPTION_LAUNCH, 1, &settings->launches, message) ||
      !take_range(command, OPTION_GROUP, 0, &settings->groups, message))
    return false;
  if (!out)
    return message_fail(message, "-o FILE is missing: the trace to write");
  if (settings->from >= settings->to)
    return message_fail(message, "--to: %" PRIu64 " is not after --from, %" PRIu64, settings->to, settings->from);
  return take_path(command, 0, &settings->path, message) && is_no_input(settings->path, out, "an", message);
}

static bool write_slice(void *self, int file, const char *name, struct message *message) {
  return trace_slice(self, file, name, &console_caller, message);
}

int verb_trace_slice(struct command *command) {
  struct trace_slice settings = {0};
  struct message message;
  const char *out = command_word(command, OPTION_OUT);
  const bool good = take_slice(command, &settings, out, &message) && write_trace(out, write_slice, &settings, &message);
  return status_of(good, &message);
}

/* ---- merge --------------------------------------------------------------------------------------- */

static bool take_merge(struct command *command, struct trace_merge *settings, const char *out,
                       struct message *message) {
  const char *memory = command_word(command, OPTION_MEMORY);
  const bool shared = memory && strcmp(memory, "shared") == 0;
  settings->together = command_has(command, OPTION_TOGETHER);
  settings->mode = mode_of(command);
  settings->memory = !memory ? TRACE_MEMORY_FITTING : shared ? TRACE_MEMORY_SHARED : TRACE_MEMORY_APART;
  if (memory && !shared && strcmp(memory, "apart") != 0)
    return message_fail(message, "--memory: '%.60s' is not one of: shared apart", memory);
  if (!out)
    return message_fail(message, "-o FILE is missing: the trace to write");
  for (; settings->count < command->operands.count; settings->count++)
    if (!take_path(command, settings->count, &settings->path[settings->count], message) ||
        !is_no_input(settings->path[settings->count], out, "an", message))
      return false;
  return true;
}

static bool write_merged(void *self, int file, const char *name, struct message *message) {
  return trace_merge(self, file, name, &console_caller, message);
}

int verb_trace_merge(struct command *command) {
  struct trace_merge settings = {0};
  struct message message;
  const char *out = command_word(command, OPTION_OUT);
  const bool good =
      take_merge(command, &settings, out, &message) && write_trace(out, write_merged, &settings, &message);
  return status_of(good, &message);
}

/* ---- convert ------------------------------------------------------------------------------------- */

/* Timelines convert to other formats than traces. */
static bool convert_timeline(const struct trace_conversion *conversion, struct message *message) {
  char legal[64];
  timeline_export_suffixes(legal, sizeof legal);
  if (!timeline_export_of(conversion->out))
    return message_fail(message, "%s: a timeline cannot be converted to '%s'; legal:%s", conversion->in,
                        conversion->out, legal);
  return timeline_export_file(conversion->in, conversion->mode, conversion->out, message);
}

static bool convert(struct trace_conversion *conversion, struct message *message) {
  struct output out;
  if (timeline_is_one(conversion->in))
    return convert_timeline(conversion, message);
  if (!trace_conversion_choose(conversion, message) || !output_begin(&out, conversion->out, message))
    return false;
  const bool good = conversion->to_text ? trace_to_text(conversion, out.stream, message)
                                        : trace_from_text(conversion, output_duplicate(&out), message);
  return output_end(&out, good, message);
}

int verb_trace_convert(struct command *command) {
  struct trace_conversion conversion = {.mode = mode_of(command), .caller = &console_caller};
  struct message message;
  const char *in = NULL;
  const bool good = command_in_and_out(command, &in, &conversion.out, &message) &&
                    console_input(in, &conversion.in, &message) &&
                    is_no_input(conversion.in, conversion.out, "the", &message) && convert(&conversion, &message);
  return status_of(good, &message);
}

/* ---- import -------------------------------------------------------------------------------------- */

struct importing {
  struct sass_import *import;
  struct job job;
};

static bool write_import(void *self, int file, const char *name, struct message *message) {
  struct importing *importing = self;
  return sass_record(importing->import, &importing->job, file, name, message);
}

static bool import(struct command *command, struct importing *importing, const struct caller *caller,
                   struct message *message) {
  const char *machine = command_word(command, OPTION_MACHINE), *list = NULL, *out = NULL;
  const bool strict = command_has(command, OPTION_STRICT);
  struct words sets = command_words(command, OPTION_SET);
  const struct machine_request request = {
      .name = machine ? machine : "h200", .set = sets.word, .set_count = sets.count};
  const struct sass_watch watch = {(void *)caller, sass_report_progress};
  bool good = command_in_and_out(command, &list, &out, message) && output_possible(out, message) &&
              is_no_input(list, out, "the", message);
  good = good && (importing->import = sass_import_open(list, &watch, message));
  good = good && (!strict || sass_all_known(importing->import, message)) &&
         sass_job(importing->import, list, &request, &importing->job, message) &&
         trace_job_possible(&importing->job, message) && write_trace(out, write_import, importing, message);
  free(sets.word);
  return good;
}

int verb_trace_import(struct command *command) {
  struct importing importing = {0};
  struct message message;
  struct terminal terminal;
  terminal_open(&terminal, command_has(command, OPTION_QUIET));
  const bool good = import(command, &importing, &terminal.caller, &message);
  terminal_clear(&terminal);
  if (good)
    sass_report_lost(importing.import, &console_caller);
  if (importing.import)
    sass_import_free(importing.import);
  job_free(&importing.job);
  return status_of(good, &message);
}
