/* warpwait trace slice: some launches of a trace, or some work-groups of them, as a trace. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/cli/file.h"
#include "sim/cli/trace_edit.h"
#include "sim/core/need.h"

struct range {
  uint64_t first, last;
  bool given;
};

struct invocation {
  struct trace_call common; /* first: see cli_parse() */
  const char *out;
  struct range launches, groups;
  uint64_t from, to;
  bool window;
};

enum { KEY_LAUNCH = KEY_OF_TRACE_VERB, KEY_GROUP, KEY_FROM, KEY_TO };

static const struct argp_option options[] = {
    {"out", 'o', "FILE", 0, "The trace to write", 1},
    {"launch", KEY_LAUNCH, "N[-M]", 0, "These launches, from 1", 1},
    {"group", KEY_GROUP, "N[-M]", 0, "These work-groups of each launch, from 0; launches without them are left out", 1},
    {"from", KEY_FROM, "CYCLE", 0, "Work-groups that began in this cycle of the recording or later", 1},
    {"to", KEY_TO, "CYCLE", 0, "Work-groups that began before this one", 1},
    SALVAGE_OPTION,
    {0}};

static const char documentation[] = "Writes a part of a trace as a trace, which `warpwait replay` takes as any other.\v"
                                    "Work-groups are kept whole and keep their numbers. Of a launch, all from the\n"
                                    "first to the last that is asked for are kept: groups begin in the order of\n"
                                    "their numbers, so those that began in a window of time follow one another.\n"
                                    "Of several options, each asks for less.\n"
                                    "\n"
                                    "A replay of a slice is a run of these work-groups alone: it begins with an\n"
                                    "empty machine, and with nothing of what was left out. Of a trace with pipes,\n"
                                    "only whole launches can be kept, from the first one on.\n";

/* ---- what is asked for ----------------------------------------------------------------------------- */

static error_t parse_range(struct argp_state *state, const char *option, const char *word, uint64_t minimum,
                           struct range *range) {
  const size_t length = strcspn(word, "-");
  char first[32];
  snprintf(first, sizeof first, "%.*s", (int)(length < 31 ? length : 31), word);
  error_t error = trace_number(state, option, first, minimum, &range->first);
  range->given = true;
  range->last = range->first;
  if (!error && word[length])
    error = trace_number(state, option, word + length + 1, minimum, &range->last);
  if (error)
    return cli_refuse(state, "%s: '%.60s' is not a whole number in [%" PRIu64 ", %u], or a range of them such as 2-5",
                      option, word, minimum, UINT32_MAX);
  if (range->last < range->first)
    return cli_refuse(state, "%s: '%.60s' ends before it begins", option, word);
  return 0;
}

static error_t parse_option(int key, char *word, struct argp_state *state) {
  struct invocation *call = state->input;
  switch (key) {
  case 'o':
    call->out = word;
    return 0;
  case KEY_LAUNCH:
    return parse_range(state, "--launch", word, 1, &call->launches);
  case KEY_GROUP:
    return parse_range(state, "--group", word, 0, &call->groups);
  case KEY_FROM:
    call->window = true;
    return cli_number(state, "--from", word, 0, NEVER, " cycles", &call->from);
  case KEY_TO:
    call->window = true;
    return cli_number(state, "--to", word, 0, NEVER, " cycles", &call->to);
  case ARGP_KEY_END:
    if (call->common.path && !call->out)
      return cli_refuse(state, "-o FILE is missing: the trace to write");
    if (call->from >= call->to)
      return cli_refuse(state, "--to: %" PRIu64 " is not after --from, %" PRIu64, call->to, call->from);
    return trace_option(key, word, state);
  default:
    return trace_option(key, word, state);
  }
}

/* ---- what is kept ---------------------------------------------------------------------------------- */

/* Work-groups of each launch of the trace: from the first to the last. */
struct kept {
  const struct invocation *call;
  struct range *groups;
};

/* A group's first batch begins when the group does. */
static void keep_begun(void *context, const struct trace_batch *batch) {
  const struct kept *kept = context;
  struct range *range = &kept->groups[batch->launch];
  if (!batch->first || batch->from < kept->call->from || batch->from >= kept->call->to)
    return;
  range->first = range->given && range->first < batch->group ? range->first : batch->group;
  range->last = range->given && range->last > batch->group ? range->last : batch->group;
  range->given = true;
}

static void keep_in(struct range *range, uint64_t first, uint64_t last) {
  range->first = range->first > first ? range->first : first;
  range->last = range->last < last ? range->last : last;
  range->given = range->given && range->first <= range->last;
}

static struct range *find_kept(const struct invocation *call, struct trace_input *input, struct message *message) {
  const uint32_t count = trace_launches(input->opened.trace);
  struct kept kept = {.call = call, .groups = need(count, sizeof *kept.groups)};
  if (call->window && !trace_input_batches(input, keep_begun, &kept, message)) {
    free(kept.groups);
    return NULL;
  }
  for (uint32_t i = 0; i < count; i++) {
    struct range *range = &kept.groups[i];
    uint32_t first = 0, groups = 0;
    trace_input_groups(input, i, &first, &groups);
    if (!call->window)
      *range = (struct range){first, first + groups - 1, true};
    keep_in(range, first, first + groups - 1);
    if (call->groups.given)
      keep_in(range, call->groups.first, call->groups.last);
    range->given &= !call->launches.given || (i + 1 >= call->launches.first && i + 1 <= call->launches.last);
  }
  return kept.groups;
}

/* ---- the slice ------------------------------------------------------------------------------------- */

static bool is_whole(const struct trace_input *input, uint32_t launch, const struct range *range) {
  uint32_t first = 0, groups = 0;
  trace_input_groups(input, launch, &first, &groups);
  return range->given && range->first == first && range->last == first + groups - 1;
}

/* What is in pipes when a launch begins is what those before it have left there. */
static bool pipes_allow(const struct trace_input *input, const struct range *kept, struct message *message) {
  const uint32_t count = trace_launches(input->opened.trace);
  uint32_t i = 0;
  while (i < count && is_whole(input, i, &kept[i]))
    i++;
  if (i < count && input->opened.job.launches[i].first < i) /* it runs at once with one that is kept */
    i = count + 1;
  while (i < count && !kept[i].given)
    i++;
  return i == count || !input->opened.job.memory.pipe_count ||
         message_fail(message,
                      "%.300s: has pipes, which hold what launches and work-groups have put there: a slice must be of "
                      "whole launches, from the first one on",
                      input->path);
}

/* The launch as the output's meta has it. */
static void say_part(json_t *launches, const struct trace_input *input, uint32_t number, const struct range *range) {
  json_t *launch = json_deep_copy(trace_input_launch(input, number));
  if (!is_whole(input, number, range)) {
    json_object_set_new(launch, "first_group", json_integer((json_int_t)range->first));
    json_object_set_new(launch, "part_groups", json_integer((json_int_t)(range->last - range->first + 1)));
  }
  json_array_append_new(launches, launch);
}

/* Launches that ran at once still do, those of them that are there. */
static void say_together(json_t *launches, const struct job *job, const struct trace_part *parts, size_t count) {
  for (size_t i = 0, together; i < count; i += together) {
    for (together = 1; i + together < count &&
                       job->launches[parts[i + together].launch].first == job->launches[parts[i].launch].first;)
      together++;
    for (size_t k = i; k < i + together; k++) {
      json_object_set_new(json_array_get(launches, k), "first", json_integer((json_int_t)i));
      json_object_set_new(json_array_get(launches, k), "together", json_integer((json_int_t)together));
    }
  }
}

/* Launches that were never begun, behind one that did not finish, have no operations; they come along with it. */
static size_t add_never_begun(const struct invocation *call, const struct trace_input *input, json_t *launches) {
  const size_t begun = trace_launches(input->opened.trace), all = input->opened.job.launch_count;
  size_t added = 0;
  for (size_t i = begun; i < all && !call->window && !call->groups.given; i++) {
    if (call->launches.given && (i + 1 < call->launches.first || i + 1 > call->launches.last))
      continue;
    json_array_append(launches, trace_input_launch(input, (uint32_t)i));
    added++;
  }
  return added;
}

static bool fail_none(const struct trace_input *input, struct message *message) {
  const uint32_t launches = trace_launches(input->opened.trace);
  uint32_t last = 0;
  for (uint32_t i = 0; i < launches; i++) {
    uint32_t first = 0, groups = 0;
    trace_input_groups(input, i, &first, &groups);
    last = first + groups - 1 > last ? first + groups - 1 : last;
  }
  return message_fail(message,
                      "%.300s: has no work-group that is asked for; its launches are 1 to %u, its work-groups 0 to %u",
                      input->path, launches, last);
}

static bool write_slice(const struct invocation *call, struct trace_input *input, const struct range *kept,
                        struct message *message) {
  const uint32_t count = trace_launches(input->opened.trace);
  struct trace_part *parts = need(count + input->opened.job.launch_count, sizeof *parts);
  json_t *run = json_copy(input->run), *launches = json_array();
  struct trace_edit edit = {.inputs = input, .input_count = 1, .parts = parts, .run = run};
  for (uint32_t i = 0; i < count; i++) {
    if (!kept[i].given)
      continue;
    parts[edit.part_count++] = (struct trace_part){
        .launch = i, .first = (uint32_t)kept[i].first, .groups = (uint32_t)(kept[i].last - kept[i].first + 1)};
    say_part(launches, input, i, &kept[i]);
  }
  json_object_set_new(run, "launches", launches);
  size_t named = edit.part_count;
  for (size_t i = 0, added = add_never_begun(call, input, launches); i < added; i++)
    parts[named++].launch = (uint32_t)(input->opened.job.launch_count - added + i);
  say_together(launches, &input->opened.job, parts, named);
  const bool good = edit.part_count ? trace_edit_write(&edit, call->out, message) : fail_none(input, message);
  json_decref(run);
  free(parts);
  return good;
}

static bool slice(struct invocation *call) {
  struct message *message = &call->common.message;
  struct trace_input input = {0};
  struct range *kept = NULL;
  const bool good = trace_input_open(&call->common, call->common.path, &input) &&
                    (kept = find_kept(call, &input, message)) && pipes_allow(&input, kept, message) &&
                    write_slice(call, &input, kept, message);
  trace_input_free(&input);
  free(kept);
  return good;
}

int trace_verb_slice(int argc, char **argv) {
  static const struct argp argp = {options, parse_option, "TRACE.wwt -o OUT.wwt", documentation, NULL, NULL, NULL};
  struct invocation call = {.to = NEVER};
  const bool good = cli_parse(&argp, argc, argv, &call.common.message) && slice(&call);
  return good ? CLI_FINE : cli_bad_input(&call.common.message);
}
