#include "tools/trace/slice.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/need.h"
#include "tools/trace/edit.h"

/* ---- selecting work-groups ------------------------------------------------------------------------- */

/* For each launch of the trace, the first and the last work-group to keep. */
struct kept {
  const struct trace_slice *settings;
  struct trace_range *groups;
};

/* A group's first batch begins when the group does. */
static void keep_begun(void *context, const struct trace_batch *batch) {
  const struct kept *kept = context;
  struct trace_range *range = &kept->groups[batch->launch];
  if (!batch->first || batch->from < kept->settings->from || batch->from >= kept->settings->to)
    return;
  range->first = range->given && range->first < batch->group ? range->first : batch->group;
  range->last = range->given && range->last > batch->group ? range->last : batch->group;
  range->given = true;
}

static void keep_in(struct trace_range *range, uint64_t first, uint64_t last) {
  range->first = range->first > first ? range->first : first;
  range->last = range->last < last ? range->last : last;
  range->given = range->given && range->first <= range->last;
}

static struct trace_range *find_kept(const struct trace_slice *settings, struct trace_input *input,
                                     struct message *message) {
  const uint32_t count = trace_launches(input->opened.trace);
  struct kept kept = {.settings = settings, .groups = need(count, sizeof *kept.groups)};
  if (settings->window && !trace_input_batches(input, keep_begun, &kept, message)) {
    free(kept.groups);
    return NULL;
  }
  for (uint32_t i = 0; i < count; i++) {
    struct trace_range *range = &kept.groups[i];
    uint32_t first = 0, groups = 0;
    trace_input_groups(input, i, &first, &groups);
    if (!settings->window)
      *range = (struct trace_range){first, first + groups - 1, true};
    keep_in(range, first, first + groups - 1);
    if (settings->groups.given)
      keep_in(range, settings->groups.first, settings->groups.last);
    range->given &=
        !settings->launches.given || (i + 1 >= settings->launches.first && i + 1 <= settings->launches.last);
  }
  return kept.groups;
}

/* ---- the slice ------------------------------------------------------------------------------------- */

static bool is_whole(const struct trace_input *input, uint32_t launch, const struct trace_range *range) {
  uint32_t first = 0, groups = 0;
  trace_input_groups(input, launch, &first, &groups);
  return range->given && range->first == first && range->last == first + groups - 1;
}

/* Pipes at the start of a launch contain what earlier launches left in them. */
static bool pipes_allow(const struct trace_input *input, const struct trace_range *kept, struct message *message) {
  const uint32_t count = trace_launches(input->opened.trace);
  uint32_t i = 0;
  while (i < count && is_whole(input, i, &kept[i]))
    i++;
  if (i < count && input->opened.job.launches[i].first < i) /* it runs at once with a launch that is kept */
    i = count + 1;
  while (i < count && !kept[i].given)
    i++;
  return i == count || !job_has_pipes(&input->opened.job) ||
         message_fail(message,
                      "%.300s: has pipes or channels, which keep packets between launches and work-groups, so a slice "
                      "must consist of whole launches, starting with the first",
                      input->path);
}

/* The launch in the output's meta. */
static void say_part(json_t *launches, const struct trace_input *input, uint32_t number,
                     const struct trace_range *range) {
  json_t *launch = json_deep_copy(trace_input_launch(input, number));
  if (!is_whole(input, number, range)) {
    json_object_set_new(launch, "first_group", json_integer((json_int_t)range->first));
    json_object_set_new(launch, "part_groups", json_integer((json_int_t)(range->last - range->first + 1)));
  }
  json_array_append_new(launches, launch);
}

/* Launches that ran at once still do, if they are kept. */
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

/* Launches that never began, after one that did not finish, have no operations; they are kept together with it. */
static size_t add_never_begun(const struct trace_slice *settings, const struct trace_input *input, json_t *launches) {
  const size_t begun = trace_launches(input->opened.trace), all = input->opened.job.launch_count;
  size_t added = 0;
  for (size_t i = begun; i < all && !settings->window && !settings->groups.given; i++) {
    if (settings->launches.given && (i + 1 < settings->launches.first || i + 1 > settings->launches.last))
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
  return message_fail(message, "%.300s: has none of these work-groups; it has launches 1 to %u, work-groups 0 to %u",
                      input->path, launches, last);
}

static bool write_slice(const struct trace_slice *settings, struct trace_input *input, const struct trace_range *kept,
                        int file, const char *name, struct message *message) {
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
  for (size_t i = 0, added = add_never_begun(settings, input, launches); i < added; i++)
    parts[named++].launch = (uint32_t)(input->opened.job.launch_count - added + i);
  say_together(launches, &input->opened.job, parts, named);
  const bool good = edit.part_count ? trace_edit_write(&edit, file, name, message) : fail_none(input, message);
  json_decref(run);
  free(parts);
  return good;
}

bool trace_slice(const struct trace_slice *settings, int file, const char *name, const struct caller *caller,
                 struct message *message) {
  struct trace_input input = {0};
  struct trace_range *kept = NULL;
  const bool good = trace_input_open(settings->path, settings->mode, caller, &input, message) &&
                    (kept = find_kept(settings, &input, message)) && pipes_allow(&input, kept, message) &&
                    write_slice(settings, &input, kept, file, name, message);
  if (!good)
    close(file);
  trace_input_free(&input);
  free(kept);
  return good;
}
