#include "tools/timeline/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/asm/asm.h"
#include "models/machine_groups.h"
#include "models/result.h"
#include "sim/base/file.h"
#include "sim/base/json_out.h"
#include "sim/base/need.h"
#include "sim/base/version.h"

/* ---- the meta "run", JSON text; docs/timeline-format.md has its keys ---- */

/* The parameters: numbers as numbers, choices as words. */
static json_t *machine_object(const struct machine *machine) {
  json_t *parameters = json_object();
  for (struct machine_param at = {0}; machine_param_next(&at);) {
    char text[32];
    param_text(at.group, at.row, machine, text);
    json_object_set_new(parameters, at.key,
                        at.row->kind == PARAM_CHOICE ? json_of_word(text)
                                                     : json_of_whole(param_value(at.group, at.row, machine)));
  }
  return json_pack("{s:o, s:o}", "name", json_of_word(machine_name(machine)), "parameters", parameters);
}

static json_t *stall_list(void) {
  json_t *list = json_array();
  for (unsigned i = 0; i < STALLS; i++)
    json_array_append_new(list, json_pack("{s:s, s:s}", "name", stall_rows[i].name, "text", stall_rows[i].text));
  return list;
}

/* Adds the text of an instruction's source line under its file and line number. */
static void add_source(json_t *source, const char *file, uint32_t line, const char *text) {
  char number[16];
  json_t *lines = json_object_get(source, file);
  if (!lines) {
    lines = json_object();
    json_object_set_new(source, file, lines);
  }
  snprintf(number, sizeof number, "%u", line);
  json_object_set_new(lines, number, json_of_word(text));
}

static json_t *program_object(const struct isa_program *program) {
  json_t *code = json_array(), *source = json_object();
  for (uint32_t pc = 0; pc < program->count; pc++) {
    char text[200];
    const uint32_t line = program->line ? program->line[pc] : 0;
    const char *name = isa_source_name(program, pc), *said = isa_source_text(program, pc);
    const char *file = file_base(name ? name : program->file);
    isa_print(program, pc, text, sizeof text);
    json_t *named = json_of_word(file);
    if (line && said)
      add_source(source, json_string_value(named), line, said);
    json_array_append_new(
        code, json_pack("{s:o, s:o, s:o}", "text", json_of_word(text), "line", json_of_whole(line), "file", named));
  }
  return json_pack("{s:o, s:o, s:o}", "file", json_of_word(file_base(program->file)), "code", code, "source", source);
}

static json_t *launch_object(const struct job_launch *launch, size_t program, const struct launch_result *result) {
  static const char *const ends[] = {"finished", "deadlock", "cycle_limit", "stopped"};
  json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:o}", "kernel", json_of_word(launch->isa.kernel->name), "program",
                             json_of_whole(program), "groups", json_of_triple(launch->isa.groups), "local",
                             json_of_triple(launch->isa.local), "warp_size", json_of_whole(launch->isa.warp_size));
  if (result) {
    json_object_set_new(object, "start", json_of_whole(result->start));
    json_object_set_new(object, "cycles", json_of_whole(result->cycles));
    json_object_set_new(object, "end", json_of_word(ends[result->end]));
  }
  return object;
}

/* Before the run without results, and again after it with those of the first `count` launches. */
static void timeline_job_write(const struct job *job, const struct launch_result *results, size_t count,
                               struct timeline_writer *writer) {
  const struct isa_program **programs = need(job->launch_count + 1, sizeof *programs);
  json_t *program_list = json_array(), *launches = json_array();
  size_t known = 0;
  for (size_t i = 0; i < job->launch_count; i++) {
    size_t program = 0;
    while (program < known && programs[program] != job->launches[i].isa.program)
      program++;
    if (program == known) {
      programs[known++] = job->launches[i].isa.program;
      json_array_append_new(program_list, program_object(programs[program]));
    }
    json_array_append_new(launches, launch_object(&job->launches[i], program, i < count ? &results[i] : NULL));
  }
  json_t *root =
      json_pack("{s:s, s:o, s:o, s:o, s:o}", "version", WARPWAIT_VERSION, "machine", machine_object(job->machine),
                "stalls", stall_list(), "programs", program_list, "launches", launches);
  char *text = json_dumps(root, JSON_COMPACT);
  timeline_write_meta(writer, "run", text, strlen(text));
  free(text);
  json_decref(root);
  free(programs);
}

/* ---- recording ---- */

static bool settle(void *self, cycle_t now, uint64_t done, uint64_t groups) {
  (void)done, (void)groups;
  timeline_writer_settle(self, now);
  return timeline_writer_good(self);
}

static bool begin(struct timeline_recording *recording, struct timeline_writer *writer, const struct job *job) {
  if (!writer)
    return false;
  timeline_job_write(job, NULL, 0, writer);
  *recording = (struct timeline_recording){
      writer, {.self = writer, .timeline = timeline_writer_listener(writer), .settle = settle}};
  return true;
}

bool timeline_record(struct timeline_recording *recording, int file, const char *name,
                     const struct timeline_window *window, const struct job *job, struct message *message) {
  return begin(recording, timeline_writer_open_on(file, name, window, message), job);
}

bool timeline_record_sink(struct timeline_recording *recording, const struct sink *sink,
                          const struct timeline_window *window, const struct job *job, struct message *message) {
  return begin(recording, timeline_writer_open_sink(sink, "the timeline", window, message), job);
}

bool timeline_recorded(struct timeline_recording *recording, const struct job *job, const struct launch_result *results,
                       size_t count, bool good, struct message *message) {
  struct timeline_writer *writer = recording->writer;
  if (good || !timeline_writer_good(writer)) {
    timeline_job_write(job, results, count, writer);
    return timeline_writer_close(writer, message) && good;
  }
  timeline_writer_abandon(writer);
  return false;
}
