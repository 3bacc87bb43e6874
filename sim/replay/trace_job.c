/* Reads the job of a trace; job_write.c writes it. */
#include "sim/replay/trace_job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/rows.h"
#include "isa/steering.h"
#include "models/machine.h"
#include "models/result.h"
#include "sim/base/json.h"
#include "sim/base/need.h"
#include "sim/launch/job_images.h"
#include "sim/launch/machines.h"
#include "sim/replay/kinds.h"
#include "sim/replay/marks.h"

struct job_reader {
  struct document document;
  struct trace *trace;
  const struct job_request *request;
  struct job *job;
  struct isa_features isa; /* of the recorded machine */
};

static const json_t *member(struct job_reader *reader, const struct place *place, const json_t *object) {
  const json_t *value = json_object_get(object, place->key);
  if (!value)
    json_fail(&reader->document, place->parent, "'%s' is missing", place->key);
  return value;
}

static bool read_whole(struct job_reader *reader, const struct place *parent, const json_t *object, const char *key,
                       uint64_t minimum, uint64_t maximum, uint64_t *number) {
  const struct place place = {parent, key, 0};
  const json_t *value = member(reader, &place, object);
  return value && json_whole(&reader->document, &place, value, minimum, maximum, "", number);
}

static bool read_flag(struct job_reader *reader, const struct place *parent, const json_t *object, const char *key,
                      bool *flag) {
  const struct place place = {parent, key, 0};
  const json_t *value = member(reader, &place, object);
  if (value && !json_is_boolean(value))
    return json_fail(&reader->document, &place, "is neither true nor false");
  *flag = json_is_true(value);
  return value;
}

/* Reads an optional key, with default 0. */
static bool read_if_there(struct job_reader *reader, const struct place *parent, const json_t *object, const char *key,
                          uint64_t maximum, uint64_t *number) {
  return !json_object_get(object, key) || read_whole(reader, parent, object, key, 0, maximum, number);
}

static const char *read_word(struct job_reader *reader, const struct place *parent, const json_t *object,
                             const char *key) {
  const struct place place = {parent, key, 0};
  const json_t *value = member(reader, &place, object);
  return value ? json_word(&reader->document, &place, value) : NULL;
}

static bool read_triple(struct job_reader *reader, const struct place *parent, const json_t *object, const char *key,
                        uint32_t minimum, uint32_t to[3]) {
  const struct place place = {parent, key, 0};
  const json_t *value = member(reader, &place, object);
  if (!value)
    return false;
  for (struct place at = {&place, NULL, 0}; at.index < 3; at.index++) {
    uint64_t number = 0;
    if (!json_whole(&reader->document, &at, json_array_get(value, at.index), minimum, UINT32_MAX, "", &number))
      return false;
    to[at.index] = (uint32_t)number;
  }
  return true;
}

/* Reads each element of a list. */
typedef bool element_reader(struct job_reader *reader, const struct place *place, const json_t *element);

static bool read_list(struct job_reader *reader, const json_t *root, const char *key, element_reader *read) {
  const struct place place = {NULL, key, 0};
  const json_t *list = member(reader, &place, root);
  if (!list || !json_is(&reader->document, &place, list, JSON_ARRAY))
    return false;
  for (struct place at = {&place, NULL, 0}; at.index < json_array_size(list); at.index++)
    if (!read(reader, &at, json_array_get(list, at.index)))
      return false;
  return true;
}

/* ---- the machine */

static bool set_parameters(struct job_reader *reader, const struct place *parent, const json_t *machine,
                           const char *key, struct machine *to) {
  const struct place all = {parent, key, 0};
  const json_t *object = member(reader, &all, machine);
  if (!object || !json_is(&reader->document, &all, object, JSON_OBJECT))
    return false;
  for (void *it = json_object_iter((json_t *)object); it; it = json_object_iter_next((json_t *)object, it)) {
    const struct place place = {&all, json_object_iter_key(it), 0};
    const char *word = json_word(&reader->document, &place, json_object_iter_value(it));
    struct message why;
    if (!word)
      return false;
    if (!machine_put(to, place.key, word, &why))
      return json_fail(&reader->document, &all, "%s", why.text);
  }
  return true;
}

/* Another machine gets the settings of the launch file's `set`, as in a run. Its instruction set is the recording's. */
static bool take_machine(struct job_reader *reader, const struct place *place, const json_t *machine) {
  struct job *job = reader->job;
  struct message *message = reader->document.message;
  const struct place all = {place, "set", 0};
  const json_t *sets = member(reader, &all, machine);
  struct machine named;
  if (!machine_choose(&reader->request->machine, NULL, NULL, reader->request->build.reads, &named, message))
    return false;
  named.isa = reader->isa;
  job_set_machine(job, &named, &named);
  for (struct place at = {&all, NULL, 0}; at.index < json_array_size(sets); at.index++) {
    const char *word = json_word(&reader->document, &at, json_array_get(sets, at.index));
    if (!word || !machine_set(job->machine, word, message))
      return false;
  }
  return sets;
}

static bool read_machine(struct job_reader *reader, const json_t *root) {
  const struct place place = {NULL, "machine", 0};
  const json_t *machine = member(reader, &place, root);
  struct job *job = reader->job;
  if (!machine || !json_is(&reader->document, &place, machine, JSON_OBJECT))
    return false;
  struct machine recorded;
  machine_defaults(&recorded);
  if (!set_parameters(reader, &place, machine, "parameters", &recorded))
    return false;
  reader->isa = recorded.isa;
  const struct machine_request *request = &reader->request->machine;
  if (request->made) {
    job_set_machine(job, request->made, request->made);
    if (request->made_elsewhere)
      job->machine->isa = job->machine_file->isa = reader->isa;
  } else if (request->name) {
    if (!take_machine(reader, &place, machine))
      return false;
  } else {
    const char *name = read_word(reader, &place, machine, "name");
    if (!name)
      return false;
    snprintf(recorded.name, sizeof recorded.name, "%s", name);
    job_set_machine(job, &recorded, &recorded);
    if (!set_parameters(reader, &place, machine, "file", job->machine_file))
      return false;
  }
  return machine_adjust(request, job->machine, reader->document.message);
}

/* ---- programs */

/* Checks that the recorded kinds of operations match the program's instructions. */
static bool same_kinds(struct job_reader *reader, const struct isa_program *program, uint32_t number) {
  uint32_t count = 0;
  const uint8_t *kinds = trace_program(reader->trace, number, &count);
  uint8_t *expected = replay_kinds(program);
  const bool same = count == program->count && memcmp(kinds, expected, count) == 0;
  free(expected);
  return same ||
         message_fail(reader->document.message, "%.300s: the operations of program %u do not match its instructions",
                      reader->document.file, number);
}

static struct isa_program *read_program(struct job_reader *reader, uint32_t number) {
  char name[32];
  size_t size = 0;
  struct isa_error error;
  snprintf(name, sizeof name, "program%u", number);
  const char *bytes = trace_meta(reader->trace, name, &size);
  if (!bytes) {
    message_fail(reader->document.message, "%.300s: has no meta '%s'", reader->document.file, name);
    return NULL;
  }
  struct isa_program *program = isa_decode((const uint8_t *)bytes, size, name, &error);
  if (program && same_kinds(reader, program, number))
    return program;
  if (!program)
    message_fail(reader->document.message, "%.300s: %s", reader->document.file, error.text);
  isa_program_free(program);
  return NULL;
}

/* The first program becomes the job's own, the others its refitted ones. */
static bool read_programs(struct job_reader *reader) {
  struct job *job = reader->job;
  const uint32_t count = trace_programs(reader->trace);
  job->program.isa = count ? read_program(reader, 0) : NULL;
  if (!count)
    return message_fail(reader->document.message, "%.300s: has no program", reader->document.file);
  job->refitted = need(count, sizeof(void *));
  for (uint32_t i = 1; job->program.isa && i < count; i++) {
    job->refitted[i - 1] = read_program(reader, i);
    if (!job->refitted[i - 1])
      return false;
    job->refitted_count = i;
  }
  return job->program.isa;
}

/* ---- memory */

static bool read_buffer(struct job_reader *reader, const struct place *place, const json_t *object) {
  struct isa_memory *memory = &reader->job->memory;
  struct isa_buffer buffer = {.data = NULL};
  const char *name = read_word(reader, place, object, "name");
  const uint64_t from =
      memory->count ? memory->buffers[memory->count - 1].base + memory->buffers[memory->count - 1].bytes : 1;
  if (!name || !read_whole(reader, place, object, "base", from, TRACE_JOB_SHIFT, &buffer.base) ||
      !read_whole(reader, place, object, "bytes", 1, JOB_DEVICE_BYTES, &buffer.bytes))
    return false;
  if (strlen(name) >= sizeof buffer.name)
    return json_fail(&reader->document, place, "the name is longer than %zu characters", sizeof buffer.name - 1);
  strcpy(buffer.name, name);
  memory->buffers = need_more(memory->buffers, memory->count + 1, sizeof buffer);
  memory->buffers[memory->count++] = buffer;
  return true;
}

static bool has_number(const struct isa_memory *memory, uint64_t number) {
  for (size_t i = 0; i < memory->pipe_count; i++)
    if (memory->pipes[i].number == number)
      return true;
  return false;
}

/* The pipe's header is real memory; nothing reads the bytes of its packets. */
static bool read_pipe(struct job_reader *reader, const struct place *place, const json_t *object) {
  struct isa_memory *memory = &reader->job->memory;
  uint64_t buffer = 0, packet_size = 0, max_packets = 0, read = 0, written = 0, number = memory->pipe_count + 1;
  if (memory->pipe_count == ISA_MOST_PIPES)
    return json_fail(&reader->document, place, "there are more than %d pipes", ISA_MOST_PIPES);
  if (!read_whole(reader, place, object, "buffer", 0, memory->count ? memory->count - 1 : 0, &buffer) ||
      !read_whole(reader, place, object, "packet_size", 1, ISA_MOST_PACKET_BYTES, &packet_size) ||
      !read_whole(reader, place, object, "max_packets", 1, ISA_MOST_PACKETS, &max_packets) ||
      !read_whole(reader, place, object, "read", 0, INT64_MAX, &read) ||
      !read_whole(reader, place, object, "written", read, read + max_packets, &written) ||
      !read_if_there(reader, place, object, "number", ISA_MOST_PIPES, &number))
    return false;
  if (!number || has_number(memory, number))
    return json_fail(&reader->document, place, "'number' is 0 or another pipe's");
  struct isa_buffer *at = &memory->buffers[buffer];
  if (!memory->count || at->data || isa_pipe_bytes((uint32_t)packet_size, (uint32_t)max_packets) != at->bytes)
    return json_fail(&reader->document, place, "does not fit its buffer");
  at->data = calloc(need_size(at->bytes), 1);
  memory->pipes = need_more(memory->pipes, memory->pipe_count + 1, sizeof *memory->pipes);
  struct isa_pipe *pipe = &memory->pipes[memory->pipe_count];
  if (!at->data)
    return message_fail(reader->document.message, "out of memory for a pipe of %" PRIu64 " packets", max_packets);
  isa_pipe_init(pipe, at->name, (uint32_t)number, at->base, at->data, (uint32_t)packet_size, (uint32_t)max_packets);
  memory->pipe_count++;
  pipe->reserved[ISA_PIPE_READ] = pipe->done[ISA_PIPE_READ] = read;
  pipe->reserved[ISA_PIPE_WRITE] = pipe->done[ISA_PIPE_WRITE] = written;
  return true;
}

/* The same words as in launch files. */
static bool read_format(struct job_reader *reader, const struct place *parent, const json_t *object,
                        struct isa_image *image) {
  struct message why;
  const char *kind = read_word(reader, parent, object, "kind");
  if (!kind)
    return false;
  if (!job_image_kind(kind, &image->kind, &why))
    return json_fail(&reader->document, &(struct place){parent, "kind", 0}, "%s", why.text);
  const char *format = read_word(reader, parent, object, "format");
  if (!format)
    return false;
  return job_image_format(format, image, &why) ||
         json_fail(&reader->document, &(struct place){parent, "format", 0}, "%s", why.text);
}

/* The machine decides where texels lie, as it did in the recording. */
static bool read_image(struct job_reader *reader, const struct place *place, const json_t *object) {
  struct isa_memory *memory = &reader->job->memory;
  struct isa_image image = {.of_buffer = json_is_true(json_object_get(object, "of_buffer"))};
  const char *name = read_word(reader, place, object, "name");
  uint64_t width, height, depth, layers;
  if (!name || !read_format(reader, place, object, &image) ||
      !read_whole(reader, place, object, "width", 1, ISA_MOST_IMAGE_SIZE, &width) ||
      !read_whole(reader, place, object, "height", 1, ISA_MOST_IMAGE_SIZE, &height) ||
      !read_whole(reader, place, object, "depth", 1, ISA_MOST_IMAGE_SIZE, &depth) ||
      !read_whole(reader, place, object, "layers", 1, ISA_MOST_IMAGE_SIZE, &layers) ||
      !read_whole(reader, place, object, "row_pitch", 1, JOB_DEVICE_BYTES, &image.row_pitch) ||
      !read_whole(reader, place, object, "slice_pitch", 1, JOB_DEVICE_BYTES, &image.slice_pitch) ||
      !read_whole(reader, place, object, "base", 1, TRACE_JOB_SHIFT, &image.base))
    return false;
  image.width = (uint32_t)width;
  image.height = (uint32_t)height;
  image.depth = (uint32_t)depth;
  image.layers = (uint32_t)layers;
  image.layout =
      !image.of_buffer && reader->job->machine->texture.layout == TEXTURE_BLOCKS ? ISA_IMAGE_BLOCKS : ISA_IMAGE_ROWS;
  snprintf(image.name, sizeof image.name, "%s", name);
  const char *fault = isa_image_init(&image);
  if (fault)
    return json_fail(&reader->document, place, "%s", fault);
  memory->images = need_more(memory->images, memory->image_count + 1, sizeof *memory->images);
  memory->images[memory->image_count++] = image;
  return true;
}

/* Traces of programs without images have no list. */
static bool read_images(struct job_reader *reader, const json_t *root) {
  const struct place all = {NULL, "images", 0};
  const json_t *list = json_object_get(root, "images");
  if (list && (!json_is_array(list) || json_array_size(list) > ISA_MOST_IMAGES))
    return json_fail(&reader->document, &all, "is not a list of at most %d images", ISA_MOST_IMAGES);
  return !list || read_list(reader, root, "images", read_image);
}

/* ---- launches */

static const struct isa_program *program_of(const struct job_reader *reader, uint32_t number) {
  return number ? reader->job->refitted[number - 1] : reader->job->program.isa;
}

/* Launches after an unfinished one never began: they have no operations and no program. */
static const struct trace_launch *recorded_launch(const struct job_reader *reader, size_t number) {
  return trace_launch(reader->trace, number < trace_launches(reader->trace) ? (uint32_t)number : 0);
}

/* Sets the kernel and the NDRange, and compares them with the operations. */
static bool fill_launch(struct job_reader *reader, const struct place *place, size_t number, const char *kernel,
                        struct isa_launch *isa) {
  const struct trace_launch *recorded = recorded_launch(reader, number);
  uint64_t groups = 1, items = 1;
  isa->program = program_of(reader, recorded->program);
  isa->kernel = isa_find_kernel(isa->program, kernel);
  isa->warp_size = recorded->lanes;
  isa->memory = &reader->job->memory;
  if (!isa->kernel)
    return json_fail(&reader->document, place, "its program has no kernel '%.60s'", kernel);
  for (unsigned i = 0; i < 3; i++) {
    isa->groups[i] = (uint32_t)div_up(isa->global[i], isa->local[i]);
    if (isa->groups[i] > UINT32_MAX / groups || isa->local[i] > ISA_MOST_GROUP_ITEMS / items)
      return json_fail(&reader->document, place, "has too many work-groups or work-items");
    groups *= isa->groups[i];
    items *= isa->local[i];
  }
  if (number < trace_launches(reader->trace) &&
      (groups != recorded->groups || div_up(items, recorded->lanes) != recorded->warps))
    return json_fail(&reader->document, place, "does not have the work-groups of the operations");
  return true;
}

/* Reads which part of the work-groups is present, if not all are. */
static bool read_part(struct job_reader *reader, const struct place *place, const json_t *object,
                      struct isa_launch *isa) {
  const uint64_t all = isa_launch_groups(isa);
  uint64_t first = 0, part = 0;
  if (!read_if_there(reader, place, object, "first_group", all - 1, &first) ||
      !read_if_there(reader, place, object, "part_groups", all - first, &part))
    return false;
  if (first && !part)
    return json_fail(&reader->document, place, "has a 'first_group' without 'part_groups'");
  isa->first_group = (uint32_t)first;
  isa->part_groups = (uint32_t)part;
  return true;
}

static bool read_launch(struct job_reader *reader, const struct place *place, const json_t *object) {
  struct job *job = reader->job;
  const size_t number = job->launch_count;
  job->launches = need_more(job->launches, number + 1, sizeof *job->launches);
  struct job_launch *launch = &job->launches[number];
  struct job_fit *fit = &launch->fit;
  *launch = (struct job_launch){0};
  job->launch_count++;
  uint64_t dimensions = 0, lds = 0, together = 0, first = 0, registers = 0, fitted = 0;
  const char *kernel = read_word(reader, place, object, "kernel");
  if (!kernel || !read_whole(reader, place, object, "dimensions", 1, 3, &dimensions) ||
      !read_triple(reader, place, object, "global", 1, launch->isa.global) ||
      !read_triple(reader, place, object, "local", 1, launch->isa.local) ||
      !read_triple(reader, place, object, "offset", 0, launch->isa.offset) ||
      !read_whole(reader, place, object, "lds_bytes", 0, ISA_MOST_LDS_BYTES, &lds) ||
      !read_whole(reader, place, object, "together", 1, RESULT_TOGETHER, &together) ||
      !read_whole(reader, place, object, "first", 0, number, &first) ||
      !read_flag(reader, place, object, "local_chosen", &launch->local_chosen) ||
      !read_flag(reader, place, object, "lowered", &fit->lowered) ||
      !read_whole(reader, place, object, "registers", 1, UINT32_MAX >> 8, &registers) ||
      !read_whole(reader, place, object, "fitted", 0, UINT32_MAX >> 8, &fitted) ||
      !read_if_there(reader, place, object, "shift", TRACE_JOB_SHIFT, &launch->shift) ||
      !read_if_there(reader, place, object, "max_cycles", INT64_MAX, &launch->max_cycles))
    return false;
  launch->isa.dimensions = (uint32_t)dimensions;
  launch->isa.lds_bytes = (uint32_t)lds;
  launch->first = (size_t)first;
  launch->together = (size_t)together;
  fit->registers = (uint32_t)registers;
  fit->fitted = (uint32_t)fitted;
  fit->isa = reader->isa;
  launch->refitted = fitted;
  return fill_launch(reader, place, number, kernel, &launch->isa) && read_part(reader, place, object, &launch->isa);
}

/* Launches that run at once must have the same `first` and `together`, and there must be that many. */
static bool check_together(struct job_reader *reader, const struct place *all) {
  const struct job *job = reader->job;
  for (size_t i = 0; i < job->launch_count; i++) {
    const struct job_launch *launch = &job->launches[i], *first = &job->launches[launch->first];
    const struct place place = {all, NULL, i};
    if (first->first != launch->first || first->together != launch->together || i >= launch->first + launch->together ||
        launch->first + launch->together > job->launch_count)
      return json_fail(&reader->document, &place, "'first' and 'together' do not fit the other launches");
  }
  return job->launch_count >= trace_launches(reader->trace) ||
         message_fail(reader->document.message, "%.300s: has operations of launches that it does not describe",
                      reader->document.file);
}

static bool fits(const struct job *job, size_t number, struct message *message) {
  const struct job_launch *launch = &job->launches[number];
  char within[32];
  snprintf(within, sizeof within, "launch %zu", number + 1);
  const uint32_t lanes = launch->isa.warp_size, here = job->machine->cu.warp_size;
  const bool good =
      lanes == here
          ? job_fits(job, launch, message)
          : message_fail(message,
                         "was recorded with warps of %u lanes, but cu.warp_size is %u; %sset "
                         "cu.warp_size=%u",
                         lanes, here, job->origin == JOB_IMPORTED ? "" : "record on this machine, or ", lanes);
  return good ? true : message_within(message, within);
}

bool trace_job_fits(const struct job *job, struct message *message) {
  for (size_t i = 0; i < job->launch_count; i++)
    if (!fits(job, i, message))
      return false;
  return true;
}

static bool read_launches(struct job_reader *reader, const json_t *root) {
  const struct place all = {NULL, "launches", 0};
  const json_t *list = json_object_get(root, "launches");
  if (json_is_array(list) && (!json_array_size(list) || !trace_launches(reader->trace)))
    return message_fail(reader->document.message, "%.300s: has no launch", reader->document.file);
  return read_list(reader, root, "launches", read_launch) && check_together(reader, &all) &&
         trace_job_fits(reader->job, reader->document.message);
}

static bool read_define(struct job_reader *reader, const struct place *place, const json_t *define) {
  const char *word = json_word(&reader->document, place, define);
  if (word)
    program_say(&reader->job->build.defines, word);
  return word;
}

/* Traces of earlier versions have no defines. */
static bool read_defines(struct job_reader *reader, const json_t *root) {
  return !json_object_get(root, "defines") || read_list(reader, root, "defines", read_define);
}

static bool read_job(struct job_reader *reader, const json_t *root, cycle_t *max_cycles) {
  const char *name = read_word(reader, NULL, root, "name");
  if (!name)
    return false;
  bool imported = false;
  reader->job->name = need_copy(name);
  if (json_object_get(root, "imported") && !read_flag(reader, NULL, root, "imported", &imported))
    return false;
  reader->job->origin = imported ? JOB_IMPORTED : JOB_RECORDED;
  return read_whole(reader, NULL, root, "max_cycles", 1, INT64_MAX, max_cycles) && read_machine(reader, root) &&
         read_defines(reader, root) && read_programs(reader) && read_list(reader, root, "buffers", read_buffer) &&
         read_list(reader, root, "pipes", read_pipe) && read_images(reader, root) && read_launches(reader, root);
}

/* Reads the meta "run". NULL with the message filled. */
static json_t *read_meta(struct job_reader *reader) {
  reader->document.text = trace_meta(reader->trace, "run", &reader->document.length);
  reader->job->file = need_copy(reader->document.file);
  if (reader->document.text)
    return json_read(&reader->document);
  message_fail(reader->document.message, "%.300s: does not say what ran (it has no meta 'run')", reader->document.file);
  return NULL;
}

bool trace_job_read(struct trace *trace, const char *path, const struct job_request *request, struct job *job,
                    cycle_t *max_cycles, struct message *message) {
  struct job_reader reader = {{.file = path, .message = message}, trace, request, job, {0}};
  json_t *root = read_meta(&reader);
  const bool good = root && read_job(&reader, root, max_cycles);
  json_decref(root);
  return good;
}

bool trace_job_machine(struct trace *trace, const char *path, const struct job_request *request, struct job *job,
                       struct message *message) {
  struct job_reader reader = {{.file = path, .message = message}, trace, request, job, {0}};
  json_t *root = read_meta(&reader);
  const bool good = root && read_machine(&reader, root);
  json_decref(root);
  return good;
}

/* ---- marks ----------------------------------------------------------------------------------------- */

static bool read_mark(const char *line, const struct job *job, struct trace_mark *mark) {
  char name[16];
  if (sscanf(line, "%" SCNu32 " %" SCNu32 " %15[a-z]", &mark->launch, &mark->pc, name) != 3 ||
      mark->launch >= job->launch_count || mark->pc >= job->launches[mark->launch].isa.program->count)
    return false;
  for (unsigned i = 0; i < MARKS; i++)
    if (strcmp(mark_rows[i].name, name) == 0) {
      mark->text = mark_rows[i].text;
      return true;
    }
  return false;
}

struct trace_mark *trace_job_marks(struct trace *trace, const struct job *job, size_t *count) {
  const char *line = trace_meta(trace, "marks", NULL);
  struct trace_mark *marks = NULL;
  *count = 0;
  while (line && *line) {
    marks = need_more(marks, *count + 1, sizeof *marks);
    *count += read_mark(line, job, &marks[*count]);
    line += strcspn(line, "\n");
    line += *line == '\n';
  }
  return marks;
}

const char *const trace_byte_keys[TRACE_BYTE_KEYS] = {"dma.alignment",    "dma.misaligned", "dma.out_of_bounds",
                                                      "dma.pad_interval", "dma.pad",        "dma.swizzle"};

/* The first of these parameters that differs from the recording; NULL: none does. */
static const char *other_bytes(struct trace *trace, const struct job *job) {
  json_t *root = json_loads(trace_meta(trace, "run", NULL), 0, NULL);
  const json_t *recorded = json_object_get(json_object_get(root, "machine"), "parameters");
  const char *found = NULL;
  for (size_t i = 0; !found && i < TRACE_BYTE_KEYS; i++) {
    const struct param_group *group = NULL;
    const struct param_row *row = param_find(machine_groups, MACHINE_GROUPS, trace_byte_keys[i], &group, NULL);
    const char *before = json_string_value(json_object_get(recorded, trace_byte_keys[i]));
    char now[32];
    param_text(group, row, job->machine, now);
    found = before && strcmp(before, now) != 0 ? trace_byte_keys[i] : NULL;
  }
  json_decref(root);
  return found;
}

/* Do bytes that a copy moves steer a kernel of the program? */
static bool copies_steer(const struct isa_program *program) {
  struct isa_steering steering;
  bool found = false;
  isa_steering_find(program, &steering);
  for (uint32_t pc = 0; pc < program->count; pc++)
    found |= program->info[pc].class_ == ISA_CLASS_COPY && steering.steers[pc];
  free(steering.steers);
  return found;
}

static void warn_of_bytes(struct trace *trace, const struct job *job, const struct caller *caller) {
  const char *key = other_bytes(trace, job);
  struct message message;
  bool steer = false;
  for (size_t i = 0; key && i < job->launch_count; i++)
    steer |= copies_steer(job->launches[i].isa.program);
  if (!steer)
    return;
  message_fail(
      &message,
      "%s differs from the recording: copied data decides what the kernel does, and a run may copy different bytes",
      key);
  caller_warn(caller, &message);
}

void trace_job_warn(struct trace *trace, const struct job *job, const struct caller *caller) {
  size_t count = 0;
  warn_of_bytes(trace, job, caller);
  struct trace_mark *marks = trace_job_marks(trace, job, &count);
  for (size_t i = 0, places; i < count; i += places) {
    const struct isa_launch *launch = &job->launches[marks[i].launch].isa;
    struct message message;
    char place[PROGRAM_PLACE], more[48] = "";
    for (places = 1; i + places < count && marks[i + places].launch == marks[i].launch; places++)
      continue;
    program_place(launch->program, marks[i].pc, place);
    if (places > 1)
      snprintf(more, sizeof more, " (and %zu more place%s)", places - 1, places == 2 ? "" : "s");
    message_fail(
        &message,
        "launch %" PRIu32
        ", kernel '%.60s', depends on time: %s: %s%s; a run on another machine may behave differently than this replay",
        marks[i].launch + 1, launch->kernel->name, place, marks[i].text, more);
    caller_warn(caller, &message);
  }
  free(marks);
}
