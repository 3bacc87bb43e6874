#include "tools/trace/merge.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/machine_groups.h"
#include "models/result.h"
#include "sim/base/need.h"
#include "tools/trace/edit.h"

enum { PLACE_STEP = 2 << 20, PLACE_GAP = 64 << 10 };

/* When a launch of an input began and ended. */
struct span {
  cycle_t from, to;
};

struct merge {
  const struct trace_merge *settings;
  struct trace_edit edit;
  uint64_t shift[TRACE_MERGE_MOST];     /* added to each input's addresses */
  struct span *spans[TRACE_MERGE_MOST]; /* of each input's launches */
  uint32_t begun[TRACE_MERGE_MOST];     /* its launches that are already in the output */
  cycle_t end;                          /* of the launches already in the output */
  json_t *buffers, *launches;
  struct message *message;
};

/* ---- checks ---------------------------------------------------------------------------------------- */

static uint32_t lanes_of(const struct trace_input *input) { return machine_cu(input->opened.job.machine)->warp_size; }

/* Imported and handwritten traces have no hazards and no rules. */
static bool same_rules(const struct trace_input *a, const struct trace_input *b) {
  const char *of_a = trace_meta(a->opened.trace, "rules", NULL), *of_b = trace_meta(b->opened.trace, "rules", NULL);
  return !of_a || !of_b || strcmp(of_a, of_b) == 0;
}

static bool check_input(const struct merge *merge, size_t i) {
  const struct trace_input *first = &merge->edit.inputs[0], *input = &merge->edit.inputs[i];
  const struct job *job = &input->opened.job;
  if (lanes_of(input) != lanes_of(first))
    return message_fail(merge->message, "%.300s: has warps of %u lanes, but %.300s of %u", input->path, lanes_of(input),
                        first->path, lanes_of(first));
  for (size_t before = 0; before < i; before++)
    if (!same_rules(input, &merge->edit.inputs[before]))
      return message_fail(merge->message,
                          "%.300s: numbers hazards differently than %.300s, because another version recorded it",
                          input->path, merge->edit.inputs[before].path);
  if (i && job_has_pipes(job))
    return message_fail(merge->message, "%.300s: has pipes or channels, which only the first trace may have",
                        input->path);
  if (i && job->memory.image_count)
    return message_fail(merge->message, "%.300s: has images, which only the first trace may have", input->path);
  if (i + 1 < merge->edit.input_count && job->launch_count > trace_launches(input->opened.trace))
    return message_fail(merge->message, "%.300s: was cut before its launch %u, so nothing can follow it", input->path,
                        trace_launches(input->opened.trace) + 1);
  return true;
}

static bool same_machine(const struct machine *a, const struct machine *b) {
  for (struct machine_param at = {0}; machine_param_next(&at);)
    if (param_value(at.group, at.row, a) != param_value(at.group, at.row, b))
      return false;
  return true;
}

/* Warns which traces lose their machine. */
static void report_machines(const struct merge *merge, const struct caller *caller) {
  const struct trace_input *first = &merge->edit.inputs[0];
  for (size_t i = 1; i < merge->edit.input_count; i++) {
    const struct trace_input *input = &merge->edit.inputs[i];
    struct message message;
    if (same_machine(input->opened.job.machine, first->opened.job.machine))
      continue;
    message_fail(&message, "%.300s: was recorded on another machine than %.300s; the latter's machine '%s' is kept",
                 input->path, first->path, machine_name(first->opened.job.machine));
    caller_warn(caller, &message);
  }
}

/* ---- memory ---------------------------------------------------------------------------------------- */

static bool same_buffers(const struct trace_input *a, const struct trace_input *b) {
  return json_equal(json_object_get(a->run, "buffers"), json_object_get(b->run, "buffers")) &&
         job_variable_bytes(&a->opened.job) == job_variable_bytes(&b->opened.job);
}

static bool choose_memory(const struct merge *merge, bool *apart) {
  const struct trace_input *first = &merge->edit.inputs[0];
  size_t other = 1;
  while (other < merge->edit.input_count && same_buffers(first, &merge->edit.inputs[other]))
    other++;
  const bool alike = other == merge->edit.input_count;
  *apart = merge->settings->memory == TRACE_MEMORY_APART || !alike;
  return alike || merge->settings->memory != TRACE_MEMORY_SHARED ||
         message_fail(merge->message, "--memory: the buffers of %.300s differ from those of %.300s",
                      merge->edit.inputs[other].path, first->path);
}

static void add_buffer(json_t *buffers, const char *name, uint64_t base, uint64_t bytes) {
  json_array_append_new(
      buffers, json_pack("{s:s, s:I, s:I}", "name", name, "base", (json_int_t)base, "bytes", (json_int_t)bytes));
}

/* Where an input's memory begins and ends, including program-scope variables. */
static void extent(const struct trace_input *input, uint64_t *from, uint64_t *to) {
  const struct isa_memory *memory = &input->opened.job.memory;
  const uint64_t variables = job_variable_bytes(&input->opened.job);
  *from = variables ? ISA_VARIABLE_BASE : ISA_GLOBAL_BASE;
  *to = variables ? ISA_VARIABLE_BASE + variables : ISA_GLOBAL_BASE;
  if (memory->count)
    *to = memory->buffers[memory->count - 1].base + memory->buffers[memory->count - 1].bytes;
}

/* The first input's memory stays in place. The others follow, with gaps, so that addresses that share a page or a DRAM
 * row still do. */
static bool place_memory(struct merge *merge) {
  uint64_t from = 0, end = 0;
  extent(&merge->edit.inputs[0], &from, &end);
  for (size_t i = 1; i < merge->edit.input_count; i++) {
    const struct trace_input *input = &merge->edit.inputs[i];
    const struct isa_memory *memory = &input->opened.job.memory;
    const uint64_t variables = job_variable_bytes(&input->opened.job);
    uint64_t to = 0;
    extent(input, &from, &to);
    const uint64_t shift = from < end + PLACE_GAP ? div_up(end + PLACE_GAP - from, PLACE_STEP) * PLACE_STEP : 0;
    if (to + shift >= TRACE_JOB_SHIFT)
      return message_fail(merge->message, "%.300s: no room for its memory after that of the others", input->path);
    if (variables)
      add_buffer(merge->buffers, "program variables", ISA_VARIABLE_BASE + shift, variables);
    for (size_t b = 0; b < memory->count; b++)
      add_buffer(merge->buffers, memory->buffers[b].name, memory->buffers[b].base + shift, memory->buffers[b].bytes);
    merge->shift[i] = shift;
    end = to + shift;
  }
  return true;
}

/* ---- launches -------------------------------------------------------------------------------------- */

static void widen(void *context, const struct trace_batch *batch) {
  struct span *span = (struct span *)context + batch->launch;
  span->from = cycle_min(span->from, batch->from);
  span->to = cycle_max(span->to, batch->to);
}

static bool find_spans(struct merge *merge, size_t i) {
  struct trace_input *input = &merge->edit.inputs[i];
  const size_t count = input->opened.job.launch_count;
  merge->spans[i] = need(count, sizeof *merge->spans[i]);
  for (size_t k = 0; k < count; k++)
    merge->spans[i][k].from = NEVER;
  return trace_input_batches(input, widen, merge->spans[i], merge->message);
}

static void add_launch(struct merge *merge, size_t i, uint32_t number, cycle_t later) {
  struct trace_input *input = &merge->edit.inputs[i];
  const bool begun = number < trace_launches(input->opened.trace);
  json_t *launch = json_deep_copy(trace_input_launch(input, number));
  const uint64_t shift = input->opened.job.launches[number].shift + merge->shift[i];
  if (shift)
    json_object_set_new(launch, "shift", json_integer((json_int_t)shift));
  json_array_append_new(merge->launches, launch);
  if (!begun)
    return;
  struct trace_part *part = &merge->edit.parts[merge->edit.part_count++];
  *part = (struct trace_part){.input = (uint32_t)i, .launch = number, .later = later};
  trace_input_groups(input, number, &part->first, &part->groups);
}

/* Adds an input's next launches (those that run at once) to start in cycle `start` of the output; or when they started
 * in the recording, if that is later and `may_wait`. */
static void add_next(struct merge *merge, size_t i, cycle_t start, bool may_wait) {
  const struct job *job = &merge->edit.inputs[i].opened.job;
  const uint32_t first = merge->begun[i], count = (uint32_t)job->launches[first].together;
  struct span all = {NEVER, 0};
  for (uint32_t k = first; k < first + count; k++) {
    all.from = cycle_min(all.from, merge->spans[i][k].from);
    all.to = cycle_max(all.to, merge->spans[i][k].to);
  }
  if (all.from == NEVER) /* none of them started */
    all.from = 0;
  if (may_wait && all.from > start)
    start = all.from;
  for (uint32_t k = first; k < first + count; k++)
    add_launch(merge, i, k, start - all.from);
  merge->begun[i] += count;
  merge->end = cycle_max(merge->end, start + all.to - all.from);
}

static bool is_left(const struct merge *merge, size_t i) {
  return merge->begun[i] < merge->edit.inputs[i].opened.job.launch_count;
}

/* Records that launches of the output from `first` on run at once. */
static bool say_together(struct merge *merge, size_t first) {
  const size_t count = json_array_size(merge->launches) - first;
  for (size_t i = first; i < first + count; i++) {
    json_t *launch = json_array_get(merge->launches, i);
    json_object_set_new(launch, "first", json_integer((json_int_t)first));
    json_object_set_new(launch, "together", json_integer((json_int_t)count));
  }
  return count <= RESULT_TOGETHER ||
         message_fail(merge->message, "--together: %zu launches would run at once; at most %d can", count,
                      RESULT_TOGETHER);
}

static bool add_in_turn(struct merge *merge) {
  for (size_t i = 0; i < merge->edit.input_count; i++)
    while (is_left(merge, i)) {
      const size_t first = json_array_size(merge->launches);
      add_next(merge, i, merge->end, true);
      if (!say_together(merge, first))
        return false;
    }
  return true;
}

static bool add_at_once(struct merge *merge) {
  for (bool more = true; more;) {
    const size_t first = json_array_size(merge->launches);
    const cycle_t start = merge->end;
    for (size_t i = 0; i < merge->edit.input_count; i++)
      if (is_left(merge, i))
        add_next(merge, i, start, false);
    more = json_array_size(merge->launches) > first;
    if (!say_together(merge, first))
      return false;
  }
  return true;
}

/* ---- the merged trace ------------------------------------------------------------------------------ */

/* A report's list of macros is for all launches, so it stays only if all inputs have the same. */
static void keep_defines(const struct trace_edit *edit) {
  for (size_t i = 1; i < edit->input_count; i++)
    if (!json_equal(json_object_get(edit->inputs[i].run, "defines"), json_object_get(edit->run, "defines"))) {
      json_object_del(edit->run, "defines");
      return;
    }
}

/* What is known of the errors of recordings does not hold if one of the inputs is another simulator's trace. */
static void keep_imported(const struct trace_edit *edit) {
  for (size_t i = 1; i < edit->input_count; i++)
    if (json_is_true(json_object_get(edit->inputs[i].run, "imported")))
      json_object_set_new(edit->run, "imported", json_true());
}

static bool merge_all(struct merge *merge, const struct caller *caller) {
  struct trace_edit *edit = &merge->edit;
  size_t launches = 0;
  bool apart = false;
  for (size_t i = 0; i < edit->input_count; i++) {
    if (!check_input(merge, i) || !find_spans(merge, i))
      return false;
    launches += edit->inputs[i].opened.job.launch_count;
  }
  if (!choose_memory(merge, &apart))
    return false;
  json_int_t cycles = 0;
  for (size_t i = 0; i < edit->input_count; i++)
    cycles = (json_int_t)cycle_max((cycle_t)cycles, edit->inputs[i].opened.max_cycles);
  edit->parts = need(launches, sizeof *edit->parts);
  edit->run = json_copy(edit->inputs[0].run);
  keep_defines(edit);
  keep_imported(edit);
  merge->launches = json_array();
  merge->buffers = json_copy(json_object_get(edit->run, "buffers"));
  json_object_set_new(edit->run, "max_cycles", json_integer(cycles));
  json_object_set_new(edit->run, "launches", merge->launches);
  json_object_set_new(edit->run, "buffers", merge->buffers);
  if ((apart && !place_memory(merge)) || !(merge->settings->together ? add_at_once : add_in_turn)(merge))
    return false;
  report_machines(merge, caller);
  return true;
}

bool trace_merge(const struct trace_merge *settings, int file, const char *name, const struct caller *caller,
                 struct message *message) {
  struct merge merge = {.settings = settings, .message = message};
  bool good = true;
  merge.edit.inputs = need(settings->count, sizeof *merge.edit.inputs);
  for (; good && merge.edit.input_count < settings->count; merge.edit.input_count++)
    good = trace_input_open(settings->path[merge.edit.input_count], settings->mode, caller,
                            &merge.edit.inputs[merge.edit.input_count], message);
  if (good && merge_all(&merge, caller))
    good = trace_edit_write(&merge.edit, file, name, message);
  else
    good = (close(file), false);
  for (size_t i = 0; i < merge.edit.input_count; i++) {
    trace_input_free(&merge.edit.inputs[i]);
    free(merge.spans[i]);
  }
  free(merge.edit.inputs);
  free(merge.edit.parts);
  json_decref(merge.edit.run);
  return good;
}
