#include "tools/trace/edit.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/text.h"

/* ---- inputs ---------------------------------------------------------------------------------------- */

bool trace_input_open(const char *path, enum trace_open_mode mode, const struct caller *caller,
                      struct trace_input *input, struct message *message) {
  *input = (struct trace_input){.path = path};
  if (!trace_look(path, mode, caller, &input->opened, message))
    return false;
  input->run = json_loads(trace_meta(input->opened.trace, "run", NULL), 0, NULL);
  return input->run || message_fail(message, "out of memory");
}

void trace_input_free(struct trace_input *input) {
  recording_close(&input->opened);
  json_decref(input->run);
  free(input->programs);
  free(input->parts);
}

json_t *trace_input_launch(const struct trace_input *input, uint32_t number) {
  return json_array_get(json_object_get(input->run, "launches"), number);
}

void trace_input_groups(const struct trace_input *input, uint32_t launch, uint32_t *first, uint32_t *groups) {
  const struct isa_launch *isa = &input->opened.job.launches[launch].isa;
  *first = isa->first_group;
  *groups = (uint32_t)isa_launch_groups(isa);
}

bool trace_input_batches(struct trace_input *input, void (*visit)(void *context, const struct trace_batch *batch),
                         void *context, struct message *message) {
  struct trace *trace = input->opened.trace;
  const uint32_t *order = trace_file_order(trace);
  for (uint32_t i = 0; i < trace_batches(trace); i++) {
    struct trace_batch batch;
    if (!trace_batch(trace, order[i], &batch, message))
      return false;
    visit(context, &batch);
  }
  return true;
}

/* ---- metas and programs ---------------------------------------------------------------------------- */

static bool is_program(const char *name) {
  return strncmp(name, "program", 7) == 0 && name[7] && !name[7 + strspn(name + 7, "0123456789")];
}

/* Metas that the output does not copy: it writes its own. */
static bool is_own(const char *name) {
  return strcmp(name, "run") == 0 || strcmp(name, "marks") == 0 || is_program(name);
}

/* The numbering of hazards comes from the first input that has any. */
static void write_rules(const struct trace_edit *edit, struct trace_writer *writer) {
  for (size_t i = 0; i < edit->input_count; i++) {
    size_t size = 0;
    const char *rules = trace_meta(edit->inputs[i].opened.trace, "rules", &size);
    if (!rules)
      continue;
    if (i) /* the first input's metas have been copied */
      trace_write_meta(writer, "rules", rules, size);
    return;
  }
}

static void write_metas(const struct trace_edit *edit, struct trace_writer *writer) {
  struct trace *first = edit->inputs[0].opened.trace;
  const char *name;
  for (uint32_t i = 0; (name = trace_meta_name(first, i)); i++) {
    size_t size = 0;
    const char *bytes = trace_meta(first, name, &size);
    if (!is_own(name))
      trace_write_meta(writer, name, bytes, size);
  }
  write_rules(edit, writer);
  char *run = json_dumps(edit->run, JSON_COMPACT);
  if (run)
    trace_write_meta(writer, "run", run, strlen(run));
  free(run);
}

static const char *program_bytes(const struct trace_input *input, uint32_t program, size_t *size) {
  char name[32];
  snprintf(name, sizeof name, "program%u", program);
  return trace_meta(input->opened.trace, name, size);
}

/* The output's number of a program that an earlier input also has; `count`: there is none. */
static uint32_t same_program(const struct trace_edit *edit, size_t inputs, const char *bytes, size_t size,
                             uint32_t count) {
  for (size_t i = 0; i < inputs; i++)
    for (uint32_t program = 0; program < trace_programs(edit->inputs[i].opened.trace); program++) {
      size_t other_size = 0;
      const char *other = program_bytes(&edit->inputs[i], program, &other_size);
      if (size == other_size && memcmp(bytes, other, size) == 0)
        return edit->inputs[i].programs[program];
    }
  return count;
}

static void write_programs(const struct trace_edit *edit, struct trace_writer *writer) {
  uint32_t count = 0;
  for (size_t i = 0; i < edit->input_count; i++) {
    struct trace_input *input = &edit->inputs[i];
    const uint32_t programs = trace_programs(input->opened.trace);
    input->programs = need(programs, sizeof *input->programs);
    for (uint32_t program = 0; program < programs; program++) {
      uint32_t pcs = 0;
      size_t size = 0;
      char name[32];
      const char *bytes = program_bytes(input, program, &size);
      const uint8_t *kinds = trace_program(input->opened.trace, program, &pcs);
      input->programs[program] = same_program(edit, i, bytes, size, count);
      if (input->programs[program] < count)
        continue;
      snprintf(name, sizeof name, "program%u", count++);
      trace_write_program(writer, kinds, pcs);
      trace_write_meta(writer, name, bytes, size);
    }
  }
}

static void write_launches(const struct trace_edit *edit, struct trace_writer *writer) {
  for (size_t i = 0; i < edit->part_count; i++) {
    const struct trace_part *part = &edit->parts[i];
    const struct trace_input *input = &edit->inputs[part->input];
    struct trace_launch launch = *trace_launch(input->opened.trace, part->launch);
    launch.program = input->programs[launch.program];
    trace_write_launch(writer, &launch);
  }
}

/* A mark is a line "launch pc name". */
static void write_marks(const struct trace_edit *edit, struct trace_writer *writer) {
  struct text text = {0};
  text_print(&text, "%s", "");
  for (size_t i = 0; i < edit->part_count; i++) {
    const struct trace_part *part = &edit->parts[i];
    const char *line = trace_meta(edit->inputs[part->input].opened.trace, "marks", NULL);
    for (; line && *line; line += line[strcspn(line, "\n")] ? strcspn(line, "\n") + 1 : strlen(line)) {
      char *rest = NULL;
      const unsigned long launch = strtoul(line, &rest, 10);
      if (rest > line && launch == part->launch)
        text_print(&text, "%zu%.*s\n", i, (int)strcspn(rest, "\n"), rest);
    }
  }
  trace_write_meta(writer, "marks", text.data, text.length);
  free(text.data);
}

/* ---- batches --------------------------------------------------------------------------------------- */

#define NO_PART UINT32_MAX

/* Maps launches of the inputs to parts. */
static void number_parts(const struct trace_edit *edit) {
  for (size_t i = 0; i < edit->input_count; i++) {
    const uint32_t launches = trace_launches(edit->inputs[i].opened.trace);
    edit->inputs[i].parts = need(launches, sizeof *edit->inputs[i].parts);
    for (uint32_t launch = 0; launch < launches; launch++)
      edit->inputs[i].parts[launch] = NO_PART;
  }
  for (uint32_t i = 0; i < edit->part_count; i++)
    edit->inputs[edit->parts[i].input].parts[edit->parts[i].launch] = i;
}

/* The part that a batch belongs to, or NO_PART. */
static uint32_t part_of(const struct trace_edit *edit, const struct trace_input *input,
                        const struct trace_batch *batch) {
  const uint32_t number = input->parts[batch->launch];
  const struct trace_part *part = &edit->parts[number == NO_PART ? 0 : number];
  return number != NO_PART && batch->group >= part->first && batch->group - part->first < part->groups ? number
                                                                                                       : NO_PART;
}

/* An input's next batch that is part of the output, and when it was closed; NEVER at the end. */
struct upcoming {
  uint32_t row, part;
  struct trace_batch batch;
  cycle_t to;
};

static bool look_ahead(const struct trace_edit *edit, size_t number, struct upcoming *upcoming,
                       struct message *message) {
  struct trace_input *input = &edit->inputs[number];
  struct trace *trace = input->opened.trace;
  const uint32_t *order = trace_file_order(trace);
  const cycle_t before = upcoming->to;
  upcoming->to = NEVER;
  while (upcoming->to == NEVER && input->next < trace_batches(trace)) {
    upcoming->row = order[input->next++];
    if (!trace_batch(trace, upcoming->row, &upcoming->batch, message))
      return false;
    upcoming->part = part_of(edit, input, &upcoming->batch);
    if (upcoming->part != NO_PART)
      upcoming->to = upcoming->batch.to + edit->parts[upcoming->part].later;
  }
  return upcoming->to >= before || message_fail(message, "%.300s: its batches are not in order of time", input->path);
}

/* Merges the batches of all inputs in the order of time, so that none is kept longer than its cycle. */
static bool write_batches(const struct trace_edit *edit, struct trace_writer *writer, struct message *message) {
  struct upcoming *upcoming = need(edit->input_count, sizeof *upcoming);
  bool good = true;
  number_parts(edit);
  for (size_t i = 0; good && i < edit->input_count; i++)
    good = look_ahead(edit, i, &upcoming[i], message);
  while (good && trace_writer_good(writer)) {
    size_t first = 0;
    for (size_t i = 1; i < edit->input_count; i++)
      first = upcoming[i].to < upcoming[first].to ? i : first;
    const struct upcoming *next = &upcoming[first];
    if (next->to == NEVER)
      break;
    trace_writer_settle(writer, next->to);
    good = trace_write_batch(writer, edit->inputs[first].opened.trace, next->row, next->part, next->batch.group,
                             edit->parts[next->part].later, message);
    good = good && look_ahead(edit, first, &upcoming[first], message);
  }
  free(upcoming);
  return good;
}

/* ---- the trace ------------------------------------------------------------------------------------- */

bool trace_edit_write(struct trace_edit *edit, int file, const char *name, struct message *message) {
  assert(edit->part_count && "a trace has launches");
  struct trace_writer *writer = trace_writer_open_on(file, name, message);
  if (!writer)
    return false;
  write_metas(edit, writer);
  write_programs(edit, writer);
  write_launches(edit, writer);
  const bool good = write_batches(edit, writer, message);
  trace_writer_settle(writer, NEVER);
  write_marks(edit, writer);
  if (!good) {
    trace_writer_abandon(writer);
    return false;
  }
  return trace_writer_close(writer, message);
}
