/* Captures launches as launch files: DIR/003-saxpy/launch.json with the program as SPIR-V, its source if there is one,
 * and the bytes of each buffer and image before and after.
 *
 * Not captured: memory that kernels reach only through pointers stored in memory, packets of pipes, and values of
 * program-scope variables. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "bindings/icd/icd.h"
#include "bindings/icd/json.h"

enum { PATH = 3000, MOST = 1000 /* launches, and folders */ };

/* The bytes of an argument: a buffer of the launch file, or an image with a copy of its texels, without gaps. */
struct region {
  char name[16];
  const uint8_t *data;
  size_t size;
  cl_mem image;    /* NULL: a buffer */
  uint8_t *texels; /* of an image */
};

struct icd_capture {
  char folder[PATH];
  json_t *file;
  struct region *region;
  size_t count;
};

/* ---- files ---------------------------------------------------------------------------------------------------- */

static bool write_bytes(const struct icd_capture *capture, const char *name, const void *data, size_t size) {
  char path[PATH + 64];
  snprintf(path, sizeof path, "%s/%s", capture->folder, name);
  return icd_write_file(path, data, size);
}

/* Source is preferred to SPIR-V because it is readable, but only if it includes no files, which the folder lacks. */
static bool is_whole(const struct _cl_program *program) {
  return program->source && !strstr(program->source, "include") &&
         !(program->options && strstr(program->options, "-include"));
}

static bool write_source(const struct icd_capture *capture, const struct _cl_program *program) {
  json_object_set_new(capture->file, "program", json_string("kernel.cl"));
  if (program->options && *program->options)
    json_object_set_new(capture->file, "build", json_pack("{s:s}", "options", program->options));
  return write_bytes(capture, "kernel.cl", program->source, strlen(program->source));
}

static bool write_program(const struct icd_capture *capture, const struct _cl_kernel *kernel) {
  struct icd_text bytes = {NULL, 0};
  const ww_sink sink = {icd_add, &bytes};
  if (is_whole(kernel->program))
    return write_source(capture, kernel->program);
  const bool spirv = ww_program_write(kernel->built, WW_PROGRAM_SPIRV, sink, NULL) == WW_OK;
  bool good = spirv || ww_program_write(kernel->built, WW_PROGRAM_OBJECT, sink, NULL) == WW_OK;
  const char *name = spirv ? "kernel.spv" : "kernel.wwo";
  good = good && write_bytes(capture, name, bytes.text, bytes.length);
  free(bytes.text);
  json_object_set_new(capture->file, "program", json_string(name));
  return good;
}

/* ---- contents of the launch file -------------------------------------------------------------------------------- */

static void add_machine(json_t *file, cl_device_id device) {
  const char *set = getenv("WARPWAIT_SET");
  json_t *changes = json_object();
  char *text = strdup(set ? set : ""), *rest = NULL;
  for (cl_device_id whole = device; whole && !device->asked; whole = whole->parent)
    device = whole;
  if (device->asked)
    json_object_set_new(file, "machine", json_string(device->asked));
  for (char *word = text ? strtok_r(text, " ,", &rest) : NULL; word; word = strtok_r(NULL, " ,", &rest)) {
    char *equals = strchr(word, '=');
    if (equals) {
      *equals = '\0';
      json_object_set_new(changes, word, json_string(equals + 1));
    }
  }
  free(text);
  json_object_set_new(file, "set", changes);
}

json_t *icd_text_of(const char *text, size_t length) {
  json_t *made = json_stringn(text, length);
  char *copy = made ? NULL : malloc(length + 1);
  for (size_t i = 0; copy && i < length; i++)
    copy[i] = (unsigned char)text[i] > 0x7f ? '?' : text[i];
  made = copy ? json_stringn(copy, length) : made;
  free(copy);
  return made;
}

json_t *icd_list_of(const uint64_t *numbers, cl_uint count) {
  json_t *list = json_array();
  for (cl_uint i = 0; i < count; i++)
    json_array_append_new(list, json_integer((json_int_t)numbers[i]));
  return list;
}

/* The region with these bytes; several arguments may share one. */
static const struct region *region_of(struct icd_capture *capture, const uint8_t *data, size_t size) {
  for (size_t i = 0; i < capture->count; i++)
    if (capture->region[i].data == data)
      return &capture->region[i];
  struct region *made = &capture->region[capture->count];
  snprintf(made->name, sizeof made->name, "b%zu", capture->count++);
  made->data = data;
  made->size = size;
  return made;
}

/* NULL: the bytes are not available. */
static json_t *buffer_json(struct icd_capture *capture, const struct icd_launch *launch,
                           const struct icd_argument *argument) {
  cl_mem memory = argument->memory, root = memory && memory->parent ? memory->parent : memory;
  const struct icd_svm *svm =
      argument->pointer ? icd_find_svm(launch->kernel->program->context, argument->pointer, 1) : NULL;
  if (!memory && !svm)
    return json_pack("{s:n}", "buffer");
  const uint8_t *data = root ? icd_bytes(root) : svm->at, *at = memory ? icd_bytes(memory) : argument->pointer;
  if (!data || !at)
    return NULL;
  const struct region *region = region_of(capture, data, root ? root->size : svm->size);
  return json_pack("{s:s, s:I}", "buffer", region->name, "offset", (json_int_t)(at - data));
}

/* In the launch file, an image over a buffer becomes an independent image. */
static json_t *image_json(struct icd_capture *capture, cl_mem memory) {
  const ww_shape *shape = &memory->image->shape;
  size_t i = 0;
  while (i < capture->count && capture->region[i].image != memory)
    i++;
  struct region *region = &capture->region[i];
  if (i == capture->count) {
    snprintf(region->name, sizeof region->name, "i%zu", i % 1000);
    region->size = (size_t)shape->width * shape->height * shape->depth * shape->layers * memory->image->texel.bytes;
    region->texels = malloc(region->size);
    if (!region->texels || !icd_image_texels(memory, region->texels, false))
      return NULL;
    region->data = region->texels;
    region->image = memory;
    capture->count++;
  }
  return json_pack("{s:s}", "image", region->name);
}

static json_t *value_json(const struct icd_argument *argument) {
  char *hex = malloc(2 * argument->size + 1);
  for (size_t i = 0; hex && i < argument->size; i++)
    snprintf(hex + 2 * i, 3, "%02x", ((const uint8_t *)argument->value)[i]);
  json_t *made = hex ? json_pack("{s:s}", "bytes", hex) : NULL;
  free(hex);
  return made;
}

/* NULL: a launch file cannot express the argument. */
static json_t *argument_json(struct icd_capture *capture, const struct icd_launch *launch,
                             const struct icd_argument *argument) {
  switch (argument->kind) {
  case WW_ARGUMENT_BUFFER:
    return buffer_json(capture, launch, argument);
  case WW_ARGUMENT_LOCAL:
    return json_pack("{s:I}", "local", (json_int_t)argument->size);
  case WW_ARGUMENT_VALUE:
    return value_json(argument);
  case WW_ARGUMENT_IMAGE:
    return image_json(capture, argument->memory);
  case WW_ARGUMENT_SAMPLER:
    return json_pack("{s:s}", "sampler", argument->sampler);
  case WW_ARGUMENT_PIPE:
    break;
  }
  return NULL;
}

static bool add_launch(struct icd_capture *capture, const struct icd_launch *launch) {
  json_t *arguments = json_array(), *made = NULL;
  bool good = true;
  for (size_t i = 0; good && i < launch->kernel->kernel->argument_count; i++)
    good = json_array_append_new(arguments, argument_json(capture, launch, &launch->arguments[i])) == 0;
  if (good)
    made = json_pack("{s:s, s:o, s:o}", "kernel", launch->kernel->kernel->name, "global",
                     icd_list_of(launch->global, launch->dimensions), "offset",
                     icd_list_of(launch->offset, launch->dimensions));
  if (made && launch->has_local)
    json_object_set_new(made, "local", icd_list_of(launch->local, launch->dimensions));
  json_object_set(made, "args", arguments);
  json_decref(arguments);
  return made && json_object_set_new(capture->file, "launches", json_pack("[o]", made)) == 0;
}

/* ---- choosing launches ------------------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
  for (size_t i = 0; bytes && i < size; i++)
    hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
  return hash;
}

/* A hash of the program's source, SPIR-V, binary and build options. */
static uint64_t number_of(const struct _cl_program *program) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  hash = mix(hash, program->source, program->source ? strlen(program->source) : 0);
  hash = mix(hash, program->options, program->options ? strlen(program->options) : 0);
  return mix(mix(hash, program->il, program->il_size), program->binary, program->binary_size);
}

/* Whether no launch with the same program and the same text of the launch file has been captured; the buffers' bytes do
 * not count. */
static bool is_new(const json_t *launches, const struct _cl_program *program) {
  static json_t *seen;
  char *lines = json_dumps(launches, JSON_COMPACT | JSON_SORT_KEYS), *text = NULL;
  if (!lines || asprintf(&text, "%016" PRIx64 " %s", number_of(program), lines) < 0)
    text = NULL;
  free(lines);
  seen = seen ? seen : json_object();
  const bool is_first = text && json_object_size(seen) < MOST && !json_object_get(seen, text);
  if (is_first)
    json_object_set_new(seen, text, json_true());
  free(text);
  return is_first;
}

/* Folders of earlier programs stay. */
static bool make_folder(struct icd_capture *capture, const char *in, const char *kernel) {
  static unsigned number;
  int status = mkdir(in, 0777);
  if (status != 0 && errno != EEXIST) {
    icd_report_lost(in, errno);
    return false;
  }
  do {
    const int length = snprintf(capture->folder, sizeof capture->folder, "%s/%03u-%.60s", in, ++number, kernel);
    errno = ENAMETOOLONG;
    status = length < PATH ? mkdir(capture->folder, 0777) : -1;
  } while (status != 0 && errno == EEXIST);
  if (status != 0)
    icd_report_lost(capture->folder, errno);
  return status == 0;
}

static void free_capture(struct icd_capture *capture) {
  json_decref(capture->file);
  for (size_t i = 0; i < capture->count; i++)
    free(capture->region[i].texels);
  free(capture->region);
  free(capture);
}

static json_t *shape_json(const struct icd_image *image, const char *file) {
  const ww_shape *shape = &image->shape;
  return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:s}", "kind", shape->kind, "format", image->texel.name, "width",
                   (json_int_t)shape->width, "height", (json_int_t)shape->height, "depth", (json_int_t)shape->depth,
                   "layers", (json_int_t)shape->layers, "file", file);
}

static bool write_inputs(struct icd_capture *capture) {
  json_t *buffers = json_object(), *images = json_object();
  bool good = true;
  for (size_t i = 0; good && i < capture->count; i++) {
    const struct region *region = &capture->region[i];
    char file[24];
    snprintf(file, sizeof file, "%s.in", region->name);
    good = write_bytes(capture, file, region->data, region->size);
    if (region->image)
      json_object_set_new(images, region->name, shape_json(region->image->image, file));
    else
      json_object_set_new(
          buffers, region->name,
          json_pack("{s:I, s:s, s:s}", "bytes", (json_int_t)region->size, "elem", "uchar", "file", file));
  }
  json_object_set_new(capture->file, "buffers", buffers);
  if (json_object_size(images))
    json_object_set(capture->file, "images", images);
  json_decref(images);
  return good;
}

struct icd_capture *icd_capture_begin(const struct icd_launch *launch, cl_device_id device) {
  const char *in = icd_settings()->capture, *kernel = launch->kernel->kernel->name;
  struct icd_capture *made = in && *in ? calloc(1, sizeof *made) : NULL;
  if (!made)
    return NULL;
  made->file = json_pack("{s:s}", "name", kernel);
  made->region = calloc(launch->kernel->kernel->argument_count + 1, sizeof *made->region);
  if (made->region && add_launch(made, launch) &&
      is_new(json_object_get(made->file, "launches"), launch->kernel->program) && make_folder(made, in, kernel) &&
      write_program(made, launch->kernel) && write_inputs(made)) {
    add_machine(made->file, device);
    return made;
  }
  free_capture(made);
  return NULL;
}

void icd_capture_end(struct icd_capture *capture, bool good) {
  if (!capture)
    return;
  json_t *checks = json_array();
  for (size_t i = 0; good && i < capture->count; i++) {
    const struct region *region = &capture->region[i];
    char file[24];
    snprintf(file, sizeof file, "%s.out", region->name);
    good = (!region->image || icd_image_texels(region->image, region->texels, false)) &&
           write_bytes(capture, file, region->data, region->size);
    json_array_append_new(checks, json_pack("{s:s, s:s, s:s}", region->image ? "image" : "buffer", region->name, "mode",
                                            "exact", "expected", file));
  }
  if (json_array_size(checks))
    json_object_set(capture->file, "check", checks);
  json_decref(checks);
  char *text = good ? json_dumps(capture->file, JSON_INDENT(1)) : NULL;
  if (text)
    write_bytes(capture, "launch.json", text, strlen(text));
  else if (good)
    icd_report_lost(capture->folder, ENOMEM);
  free(text);
  free_capture(capture);
}
