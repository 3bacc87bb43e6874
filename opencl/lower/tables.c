/* Lays out the module's variables once for all kernels: __constant ones in the constant table, program-scope __global
 * ones in the image of the hidden buffer at ISA_VARIABLE_BASE. All variables are placed before initializers are
 * written, so that initializers may point to any variable. Channels follow (channel.c).
 *
 * OpenCL has no private variables at program scope. What clang puts there is the constant part of a private aggregate's
 * initializer. It is never written, so it is also in the constant table. */
#include "isa/rows.h"
#include "opencl/lower/build_core.h"
#include "sim/base/need.h"

#include <stdio.h>
#include <stdlib.h>

enum { WIDEST = 16 }; /* bytes of an access */

/* One of the two areas. */
struct area {
  const char *name;
  uint64_t used, most;
};

struct layout {
  const struct spirv *module;
  struct build_tables *tables;
  struct isa_error *error;
  struct area constants, variables;
};

static bool fail_variable(const struct layout *layout, uint32_t id, const char *what) {
  const char *name = layout->module->id[id].name;
  snprintf(layout->error->text, sizeof layout->error->text, "%.200s: variable '%.100s': %.150s", layout->module->file,
           name ? name : "", what);
  return false;
}

/* Annotation data of clang, which no function uses: ".str", ".args". */
static bool is_of_annotation(const struct spirv_id *row, const struct spirv_type *pointer) {
  return pointer->storage == SPIRV_FUNCTION_STORAGE && row->name && row->name[0] == '.';
}

/* The area of variable `id`; NULL for Workgroup and built-in variables, samplers and channels. */
static struct area *area_of(struct layout *layout, uint32_t id, const struct spirv_type **type) {
  const struct spirv *module = layout->module;
  const struct spirv_id *row = &module->id[id];
  if (row->kind != SPIRV_VARIABLE || row->decoration.builtin >= 0)
    return NULL;
  const struct spirv_type *pointer = spirv_type(module, row->type);
  *type = spirv_type(module, pointer->element);
  if ((*type)->kind == SPIRV_OPAQUE || layout->tables->channel_of[id] || is_of_annotation(row, pointer))
    return NULL;
  switch (pointer->storage) {
  case SPIRV_UNIFORM_CONSTANT:
  case SPIRV_FUNCTION_STORAGE:
    return &layout->constants;
  case SPIRV_CROSS_WORKGROUP:
    return &layout->variables;
  default:
    return NULL;
  }
}

static uint64_t base_of(const struct layout *layout, const struct area *area) {
  return area == &layout->variables ? ISA_VARIABLE_BASE : 0;
}

/* llvm-spirv turns memset into a copy from a new array of bytes, with the alignment of the destination only. So a
 * variable of any type is aligned for the widest access that its size allows. */
static uint64_t alignment_of(const struct spirv_id *row, const struct spirv_type *type) {
  uint64_t align = row->decoration.alignment > type->align ? row->decoration.alignment : type->align;
  while (align < WIDEST && 2 * align <= type->size)
    align *= 2;
  return align;
}

static bool place(struct layout *layout, uint32_t id) {
  const struct spirv_type *type = NULL;
  struct area *area = area_of(layout, id, &type);
  if (!area)
    return true;
  const struct spirv_id *row = &layout->module->id[id];
  if (row->import && layout->module->inst[row->index].words < 5)
    return fail_variable(layout, id, "declared here, but not defined in any file of the program");
  const uint64_t align = alignment_of(row, type);
  const uint64_t offset = (area->used + align - 1) / align * align;
  if (type->size > area->most || offset > area->most - type->size) {
    char what[150];
    snprintf(what, sizeof what, "%s take more than %llu bytes", area->name, (unsigned long long)area->most);
    return fail_variable(layout, id, what);
  }
  layout->tables->address[id] = base_of(layout, area) + offset;
  area->used = offset + type->size;
  return true;
}

/* The number that represents a pointer to a variable in memory. */
static uint64_t pointer_number(void *context, uint32_t id, uint64_t offset) {
  struct layout *layout = context;
  const struct spirv_type *type;
  const struct area *area = area_of(layout, id, &type);
  const uint64_t aperture = area == &layout->constants ? ISA_CONSTANT_APERTURE : 0;
  return area ? aperture + layout->tables->address[id] + offset : offset;
}

static bool fill(struct layout *layout, uint32_t id) {
  const struct spirv_type *type;
  const struct area *area = area_of(layout, id, &type);
  if (!area)
    return true;
  const struct spirv_inst *inst = &layout->module->inst[layout->module->id[id].index];
  struct build_tables *tables = layout->tables;
  uint8_t *bytes = area == &layout->constants ? tables->constants : tables->variables;
  if (inst->words < 5) /* no initializer: zeros */
    return true;
  return spirv_constant_bytes(layout->module, inst->word[4], bytes + (tables->address[id] - base_of(layout, area)),
                              pointer_number, layout) ||
         fail_variable(layout, id, "its initializer is not a constant that memory can hold");
}

static bool each_variable(struct layout *layout, bool (*what)(struct layout *layout, uint32_t id)) {
  for (uint32_t id = 1; id < layout->module->bound; id++)
    if (!what(layout, id))
      return false;
  return true;
}

bool build_tables(const struct spirv *module, struct build_tables *tables, struct isa_error *error) {
  struct layout layout = {.module = module,
                          .tables = tables,
                          .error = error,
                          .constants = {"__constant variables", 0, ISA_MOST_CONSTANT_BYTES},
                          .variables = {"__global variables of the program", 0, ISA_MOST_VARIABLE_BYTES}};
  *tables = (struct build_tables){.address = need(module->bound, sizeof *tables->address)};
  core_look(module, tables);
  core_open(module, tables);
  channels_find(module, tables);
  bool good = each_variable(&layout, place);
  if (good) {
    tables->constant_bytes = (size_t)layout.constants.used;
    tables->variable_bytes = (size_t)layout.variables.used;
    tables->constants = need(tables->constant_bytes, 1);
    tables->variables = need(tables->variable_bytes, 1);
    good = each_variable(&layout, fill) && channels_place(module, tables, error);
  }
  if (!good)
    build_tables_free(tables);
  return good;
}

void build_tables_free(struct build_tables *tables) {
  for (size_t i = 0; i < tables->channel_count; i++)
    free(tables->channels[i].name);
  free(tables->channels);
  free(tables->channel_of);
  free(tables->constants);
  free(tables->variables);
  free(tables->address);
  core_close(tables);
  *tables = (struct build_tables){0};
}
