/* The meta "run" of a trace, as it is written; trace_job.c reads it. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/json_out.h"
#include "sim/base/version.h"
#include "sim/replay/job.h"

/* All parameters of `machine`, or those that differ from `other`. */
static json_t *parameters(const struct machine *machine, const struct machine *other) {
  json_t *object = json_object();
  for (size_t g = 0; g < MACHINE_GROUPS; g++)
    for (size_t i = 0; i < machine_groups[g].count; i++) {
      const struct param_row *row = &machine_groups[g].rows[i];
      char key[96], value[32];
      if (other && param_value(&machine_groups[g], row, machine) == param_value(&machine_groups[g], row, other))
        continue;
      snprintf(key, sizeof key, "%s.%s", machine_groups[g].name, row->name);
      param_text(&machine_groups[g], row, machine, value);
      json_object_set_new(object, key, json_string(value));
    }
  return object;
}

static json_t *machine_object(const struct job *job) {
  json_t *sets = json_array();
  for (size_t i = 0; i < job->set_count; i++)
    json_array_append_new(sets, json_string(job->sets[i]));
  return json_pack("{s:s, s:o, s:o, s:o}", "name", job->machine.name, "parameters", parameters(&job->machine, NULL),
                   "file", parameters(&job->machine_file, &job->machine), "set", sets);
}

static json_t *buffer_list(const struct isa_memory *memory) {
  json_t *list = json_array();
  for (size_t i = 0; i < memory->count; i++) {
    const struct isa_buffer *buffer = &memory->buffers[i];
    json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "name", buffer->name, "base", json_of_whole(buffer->base),
                                          "bytes", json_of_whole(buffer->bytes)));
  }
  return list;
}

static json_t *pipe_list(const struct isa_memory *memory) {
  json_t *list = json_array();
  for (size_t i = 0; i < memory->pipe_count; i++) {
    const struct isa_pipe *pipe = &memory->pipes[i];
    size_t buffer = 0;
    while (memory->buffers[buffer].base != pipe->base)
      buffer++;
    json_array_append_new(list,
                          json_pack("{s:o, s:o, s:o, s:o, s:o}", "buffer", json_of_whole(buffer), "packet_size",
                                    json_of_whole(pipe->packet_size), "max_packets", json_of_whole(pipe->max_packets),
                                    "read", json_of_whole(pipe->done[ISA_PIPE_READ]), "written",
                                    json_of_whole(pipe->done[ISA_PIPE_WRITE])));
  }
  return list;
}

static json_t *launch_list(const struct job *job) {
  json_t *list = json_array();
  for (size_t i = 0; i < job->launch_count; i++) {
    const struct job_launch *launch = &job->launches[i];
    const struct job_fit fit = job_fit(job, launch);
    json_t *object =
        json_pack("{s:s, s:o, s:o, s:o, s:o}", "kernel", launch->isa.kernel->name, "dimensions",
                  json_of_whole(launch->isa.dimensions), "global", json_of_triple(launch->isa.global), "local",
                  json_of_triple(launch->isa.local), "offset", json_of_triple(launch->isa.offset));
    json_object_set_new(object, "lds_bytes", json_of_whole(launch->isa.lds_bytes));
    json_object_set_new(object, "together", json_of_whole(launch->together));
    json_object_set_new(object, "first", json_of_whole(launch->first));
    json_object_set_new(object, "local_chosen", json_boolean(launch->local_chosen));
    json_object_set_new(object, "lowered", json_boolean(fit.lowered));
    json_object_set_new(object, "registers", json_of_whole(fit.registers));
    json_object_set_new(object, "fitted", json_of_whole(fit.fitted));
    if (launch->isa.part_groups) {
      json_object_set_new(object, "first_group", json_of_whole(launch->isa.first_group));
      json_object_set_new(object, "part_groups", json_of_whole(launch->isa.part_groups));
    }
    json_array_append_new(list, object);
  }
  return list;
}

bool trace_job_possible(const struct job *job, struct message *message) {
  const char *wrong = NULL;
  const char *const names[] = {job->name ? job->name : file_base(job->file), job->machine.name};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    wrong = json_is_text(names[i]) ? wrong : names[i];
  for (size_t i = 0; i < job->memory.count; i++)
    wrong = json_is_text(job->memory.buffers[i].name) ? wrong : job->memory.buffers[i].name;
  for (size_t i = 0; i < job->launch_count; i++)
    wrong = json_is_text(job->launches[i].isa.kernel->name) ? wrong : job->launches[i].isa.kernel->name;
  for (size_t i = 0; i < job->build.defines.count; i++)
    wrong = json_is_text(job->build.defines.word[i]) ? wrong : job->build.defines.word[i];
  return !wrong || message_fail(message, "the name '%.300s' is not UTF-8, as a trace's names are", wrong);
}

void trace_job_write(const struct job *job, cycle_t max_cycles, struct trace_writer *writer) {
  json_t *root = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "warpwait", WARPWAIT_VERSION, "name",
                           job->name ? job->name : file_base(job->file), "machine", machine_object(job), "defines",
                           program_json_defines(&job->build), "max_cycles", json_of_whole(max_cycles), "buffers",
                           buffer_list(&job->memory), "pipes", pipe_list(&job->memory), "launches", launch_list(job));
  char *text = root ? json_dumps(root, JSON_COMPACT) : NULL;
  if (text)
    trace_write_meta(writer, "run", text, strlen(text));
  free(text);
  json_decref(root);
}
