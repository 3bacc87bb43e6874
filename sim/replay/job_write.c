/* Writes the meta "run" of a trace; job.c reads it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/image.h"
#include "isa/pipe.h"
#include "models/machine_groups.h"
#include "sim/base/file.h"
#include "sim/base/json_out.h"
#include "sim/base/need.h"
#include "sim/base/text.h"
#include "sim/base/version.h"
#include "sim/replay/trace_job.h"

/* All parameters of `machine`, or only those that differ from `other`. */
static json_t *parameters(const struct machine *machine, const struct machine *other) {
  json_t *object = json_object();
  for (struct machine_param at = {0}; machine_param_next(&at);) {
    char value[32];
    if (other && param_value(at.group, at.row, machine) == param_value(at.group, at.row, other))
      continue;
    param_text(at.group, at.row, machine, value);
    json_object_set_new(object, at.key, json_string(value));
  }
  return object;
}

static json_t *machine_object(const struct job *job) {
  json_t *sets = json_array();
  for (size_t i = 0; i < job->set_count; i++)
    json_array_append_new(sets, json_string(job->sets[i]));
  return json_pack("{s:s, s:o, s:o, s:o}", "name", machine_name(job->machine), "parameters",
                   parameters(job->machine, NULL), "file", parameters(job->machine_file, job->machine), "set", sets);
}

bool trace_job_possible(const struct job *job, struct message *message) {
  const char *wrong = NULL;
  const char *const names[] = {job->name ? job->name : file_base(job->file), machine_name(job->machine)};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    wrong = json_is_text(names[i]) ? wrong : names[i];
  for (size_t i = 0; i < job->memory.count; i++)
    wrong = json_is_text(job->memory.buffers[i].name) ? wrong : job->memory.buffers[i].name;
  for (size_t i = 0; i < job->launch_count; i++)
    wrong = json_is_text(job->launches[i].isa.kernel->name) ? wrong : job->launches[i].isa.kernel->name;
  for (size_t i = 0; i < job->build.defines.count; i++)
    wrong = json_is_text(job->build.defines.word[i]) ? wrong : job->build.defines.word[i];
  return !wrong || message_fail(message, "the name '%.300s' is not UTF-8, which a trace's names must be", wrong);
}

/* ---- several jobs ------------------------------------------------------------------------------------ */

struct known_pipe {
  struct isa_pipe first; /* as it was before the first job that has it; its pointers are not used */
  uint64_t done[2];      /* as the last job left it */
};

struct trace_jobs {
  json_t *head;               /* the first keys of the meta */
  struct isa_buffer *buffers; /* sorted by address */
  size_t buffer_count;
  struct known_pipe pipes[ISA_MOST_PIPES];
  size_t pipe_count;
  struct isa_image *images; /* by number */
  size_t image_count;
  cycle_t max_cycles;
  struct text launches; /* JSON text: objects would take ten times the memory */
  size_t launch_count;
  bool not_utf8; /* a name is not UTF-8: see trace_job_possible() */
};

struct trace_jobs *trace_jobs_new(const struct job *first) {
  struct trace_jobs *jobs = need(1, sizeof *jobs);
  jobs->head = json_pack("{s:s, s:s, s:o, s:o}", "warpwait", WARPWAIT_VERSION, "name",
                         first->name ? first->name : file_base(first->file), "machine", machine_object(first),
                         "defines", program_json_defines(&first->build));
  if (first->origin == JOB_IMPORTED)
    json_object_set_new(jobs->head, "imported", json_true());
  return jobs;
}

void trace_jobs_free(struct trace_jobs *jobs) {
  json_decref(jobs->head);
  free(jobs->buffers);
  free(jobs->images);
  free(jobs->launches.data);
  free(jobs);
}

size_t trace_jobs_count(const struct trace_jobs *jobs) { return jobs->launch_count; }

/* ---- memory ------------------------------------------------------------------------------------------ */

static uint64_t end_of(const struct isa_buffer *buffer) { return buffer->base + buffer->bytes; }

/* All buffers sorted by address, with overlapping ones merged. The caller frees them. */
static struct isa_buffer *join(const struct trace_jobs *jobs, const struct isa_memory *memory, size_t *count) {
  struct isa_buffer *all = need(jobs->buffer_count + memory->count + 1, sizeof *all);
  *count = 0;
  for (size_t old = 0, new = 0; old < jobs->buffer_count || new < memory->count;) {
    const bool is_old =
        new == memory->count || (old < jobs->buffer_count && jobs->buffers[old].base <= memory->buffers[new].base);
    const struct isa_buffer *next = is_old ? &jobs->buffers[old++] : &memory->buffers[new ++];
    struct isa_buffer *last = &all[*count - (*count > 0)];
    if (next->base < end_of(last) && last->base < end_of(next))
      last->bytes = cycle_max(end_of(last), end_of(next)) - last->base;
    else
      all[(*count)++] = *next;
  }
  return all;
}

static bool is_same(const struct known_pipe *known, const struct isa_pipe *pipe) {
  return known->first.base == pipe->base && known->first.number == pipe->number &&
         known->first.packet_size == pipe->packet_size && known->first.max_packets == pipe->max_packets &&
         memcmp(known->done, pipe->done, sizeof known->done) == 0;
}

/* The known pipe with the place or number of `pipe`: the same pipe, or another one. */
static struct known_pipe *find_known(struct trace_jobs *jobs, const struct isa_pipe *pipe) {
  for (size_t i = 0; i < jobs->pipe_count; i++)
    if (jobs->pipes[i].first.base == pipe->base || jobs->pipes[i].first.number == pipe->number)
      return &jobs->pipes[i];
  return NULL;
}

/* Is the pipe's buffer used only by the pipe? */
static bool is_alone(const struct isa_pipe *pipe, const struct isa_buffer *buffers, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (buffers[i].base == pipe->base)
      return buffers[i].bytes == isa_pipe_bytes(pipe->packet_size, pipe->max_packets);
  return false;
}

static bool check_pipes(struct trace_jobs *jobs, const struct isa_memory *memory, const struct isa_buffer *buffers,
                        size_t count, struct message *message) {
  for (size_t i = 0; i < memory->pipe_count; i++) {
    const struct known_pipe *known = find_known(jobs, &memory->pipes[i]);
    const bool channel = isa_pipe_is_channel(&memory->pipes[i]);
    if ((known && !is_same(known, &memory->pipes[i])) || (!channel && !is_alone(&memory->pipes[i], buffers, count)))
      return message_fail(message, "pipe '%s' has the address or the number of something released",
                          memory->pipes[i].name);
    if (channel && !known && isa_pipe_present(&memory->pipes[i]))
      return message_fail(message, "channel '%s' holds packets from before the recording", memory->pipes[i].name);
  }
  for (size_t i = 0; i < jobs->pipe_count; i++)
    if (!isa_pipe_is_channel(&jobs->pipes[i].first) && !is_alone(&jobs->pipes[i].first, buffers, count))
      return message_fail(message, "a buffer has the address of pipe '%s', which was released",
                          jobs->pipes[i].first.name);
  return true;
}

static bool same_image(const struct isa_image *a, const struct isa_image *b) {
  return a->kind == b->kind && a->order == b->order && a->type == b->type && a->width == b->width &&
         a->height == b->height && a->depth == b->depth && a->layers == b->layers && a->row_pitch == b->row_pitch &&
         a->slice_pitch == b->slice_pitch && a->base == b->base;
}

/* A number always refers to the same image. */
static bool check_images(const struct trace_jobs *jobs, const struct isa_memory *memory, struct message *message) {
  for (size_t i = 0; i < memory->image_count && i < jobs->image_count; i++)
    if (!same_image(&jobs->images[i], &memory->images[i]))
      return message_fail(message, "image '%s' has the number of one that was released", memory->images[i].name);
  return true;
}

static void take_images(struct trace_jobs *jobs, const struct isa_memory *memory) {
  if (memory->image_count <= jobs->image_count)
    return;
  jobs->images = need_more(jobs->images, memory->image_count, sizeof *jobs->images);
  memcpy(jobs->images + jobs->image_count, memory->images + jobs->image_count,
         (memory->image_count - jobs->image_count) * sizeof *jobs->images);
  jobs->image_count = memory->image_count;
}

bool trace_jobs_memory(struct trace_jobs *jobs, const struct job *job, struct message *message) {
  const struct isa_memory *memory = &job->memory;
  size_t count = 0;
  struct isa_buffer *buffers = join(jobs, memory, &count);
  if (!check_pipes(jobs, memory, buffers, count, message) || !check_images(jobs, memory, message)) {
    free(buffers);
    return false;
  }
  free(jobs->buffers);
  jobs->buffers = buffers;
  jobs->buffer_count = count;
  take_images(jobs, memory);
  for (size_t i = 0; i < memory->pipe_count; i++)
    if (!find_known(jobs, &memory->pipes[i]))
      jobs->pipes[jobs->pipe_count++].first = memory->pipes[i];
  return true;
}

/* ---- launches ---------------------------------------------------------------------------------------- */

static json_t *launch_object(const struct job_launch *launch, size_t before, cycle_t cut) {
  const struct job_fit fit = launch->fit;
  json_t *object = json_pack("{s:s, s:o, s:o, s:o, s:o}", "kernel", launch->isa.kernel->name, "dimensions",
                             json_of_whole(launch->isa.dimensions), "global", json_of_triple(launch->isa.global),
                             "local", json_of_triple(launch->isa.local), "offset", json_of_triple(launch->isa.offset));
  json_object_set_new(object, "lds_bytes", json_of_whole(launch->isa.lds_bytes));
  json_object_set_new(object, "together", json_of_whole(launch->together));
  json_object_set_new(object, "first", json_of_whole(before + launch->first));
  json_object_set_new(object, "local_chosen", json_boolean(launch->local_chosen));
  json_object_set_new(object, "lowered", json_boolean(fit.lowered));
  json_object_set_new(object, "registers",
                      json_of_whole(fit.registers ? fit.registers : launch->isa.kernel->registers));
  json_object_set_new(object, "fitted", json_of_whole(fit.fitted));
  if (launch->isa.part_groups) {
    json_object_set_new(object, "first_group", json_of_whole(launch->isa.first_group));
    json_object_set_new(object, "part_groups", json_of_whole(launch->isa.part_groups));
  }
  if (cut || launch->max_cycles)
    json_object_set_new(object, "max_cycles", json_of_whole(cut ? cut : launch->max_cycles));
  return object;
}

static void take_launch(struct trace_jobs *jobs, json_t *object) {
  char *text = json_dumps(object, JSON_COMPACT);
  if (text && jobs->launches.length)
    text_add(&jobs->launches, ",", 1);
  if (text)
    text_add(&jobs->launches, text, strlen(text));
  jobs->not_utf8 |= !text;
  free(text);
  json_decref(object);
}

void trace_jobs_launches(struct trace_jobs *jobs, const struct job *job, cycle_t max_cycles, cycle_t cut) {
  for (size_t i = 0; i < job->launch_count; i++)
    take_launch(jobs, launch_object(&job->launches[i], jobs->launch_count, cut));
  jobs->launch_count += job->launch_count;
  jobs->max_cycles = cycle_max(jobs->max_cycles, max_cycles);
  for (size_t i = 0; i < job->memory.pipe_count; i++)
    memcpy(find_known(jobs, &job->memory.pipes[i])->done, job->memory.pipes[i].done, sizeof jobs->pipes->done);
}

/* ---- the meta ---------------------------------------------------------------------------------------- */

static json_t *buffer_list(const struct trace_jobs *jobs) {
  json_t *list = json_array();
  for (size_t i = 0; i < jobs->buffer_count; i++) {
    const struct isa_buffer *buffer = &jobs->buffers[i];
    json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "name", buffer->name, "base", json_of_whole(buffer->base),
                                          "bytes", json_of_whole(buffer->bytes)));
  }
  return list;
}

static json_t *pipe_list(const struct trace_jobs *jobs) {
  json_t *list = json_array();
  for (size_t i = 0; i < jobs->pipe_count; i++) {
    const struct isa_pipe *pipe = &jobs->pipes[i].first;
    size_t buffer = 0;
    if (isa_pipe_is_channel(pipe)) /* it belongs to the program, which is in the trace */
      continue;
    while (jobs->buffers[buffer].base != pipe->base)
      buffer++;
    json_t *object =
        json_pack("{s:o, s:o, s:o, s:o, s:o}", "buffer", json_of_whole(buffer), "packet_size",
                  json_of_whole(pipe->packet_size), "max_packets", json_of_whole(pipe->max_packets), "read",
                  json_of_whole(pipe->done[ISA_PIPE_READ]), "written", json_of_whole(pipe->done[ISA_PIPE_WRITE]));
    if (pipe->number != json_array_size(list) + 1)
      json_object_set_new(object, "number", json_of_whole(pipe->number));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *image_list(const struct trace_jobs *jobs) {
  json_t *list = json_array();
  for (size_t i = 0; i < jobs->image_count; i++) {
    const struct isa_image *image = &jobs->images[i];
    char format[48];
    snprintf(format, sizeof format, "%s.%s", isa_image_orders[image->order].name, isa_image_types[image->type].name);
    json_t *object = json_pack("{s:s, s:s, s:s, s:b}", "name", image->name, "kind", isa_image_kinds[image->kind].name,
                               "format", format, "of_buffer", image->of_buffer);
    const struct {
      const char *key;
      uint64_t value;
    } numbers[] = {{"width", image->width},   {"height", image->height},       {"depth", image->depth},
                   {"layers", image->layers}, {"row_pitch", image->row_pitch}, {"slice_pitch", image->slice_pitch},
                   {"base", image->base}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
      json_object_set_new(object, numbers[k].key, json_of_whole(numbers[k].value));
    json_array_append_new(list, object);
  }
  return list;
}

void trace_jobs_write(const struct trace_jobs *jobs, struct trace_writer *writer) {
  json_t *root = json_copy(jobs->head);
  json_object_set_new(root, "max_cycles", json_of_whole(jobs->max_cycles));
  json_object_set_new(root, "buffers", buffer_list(jobs));
  json_object_set_new(root, "pipes", pipe_list(jobs));
  if (jobs->image_count)
    json_object_set_new(root, "images", image_list(jobs));
  char *head = root ? json_dumps(root, JSON_COMPACT) : NULL;
  struct text text = {0};
  if (head && !jobs->not_utf8) {
    text_add(&text, head, strlen(head) - 1);
    text_print(&text, ",\"launches\":[%s]}", jobs->launches.length ? jobs->launches.data : "");
    trace_write_meta(writer, "run", text.data, text.length);
  }
  free(text.data);
  free(head);
  json_decref(root);
}

void trace_job_write(const struct job *job, cycle_t max_cycles, struct trace_writer *writer) {
  struct trace_jobs *jobs = trace_jobs_new(job);
  struct message message;
  if (trace_jobs_memory(jobs, job, &message)) {
    trace_jobs_launches(jobs, job, max_cycles, 0);
    trace_jobs_write(jobs, writer);
  }
  trace_jobs_free(jobs);
}
