/* Types. Each one gets its size, alignment and number of scalars when it is defined, from types defined before it, so
 * nothing here recurses. A forward pointer gets its row immediately and its element later, because a pointer's size
 * does not depend on the element. */
#include "opencl/spirv/spirv_reader.h"
#include "sim/base/vector.h"

#include <string.h>

#define MOST_TYPE_BYTES (UINT64_C(1) << 47) /* the address space of 64-bit hosts */

/* Types that are refused where they are used. */
static const struct {
  uint16_t op;
  const char *name;
} opaque_types[] = {
    {OpTypeMatrix, "matrix"},
    {OpTypeRuntimeArray, "array of unknown length"},
    {OpTypeOpaque, "opaque type"},
    {OpTypeDeviceEvent, "clk_event_t"},
    {OpTypeQueue, "queue_t"},
    {OpTypePipeStorage, "pipe storage"},
    {OpTypeNamedBarrier, "named barrier"},
    {OpTypeBufferSurfaceINTEL, "buffer surface"},
};

/* By dimension, then not arrayed or arrayed. */
static const struct {
  const char *name;
  uint8_t kind;
} image_types[][2] = {
    {{"image1d_t", ISA_IMAGE_1D}, {"image1d_array_t", ISA_IMAGE_1D_ARRAY}},
    {{"image2d_t", ISA_IMAGE_2D}, {"image2d_array_t", ISA_IMAGE_2D_ARRAY}},
    {{"image3d_t", ISA_IMAGE_3D}, {NULL, 0}},
    {{NULL, 0}, {NULL, 0}}, /* cubes */
    {{NULL, 0}, {NULL, 0}}, /* rectangles */
    {{"image1d_buffer_t", ISA_IMAGE_1D_BUFFER}, {NULL, 0}},
};

static const char *opaque_name(const struct reader *r) {
  for (size_t i = 0; i < sizeof opaque_types / sizeof *opaque_types; i++)
    if (opaque_types[i].op == reader_op(r))
      return opaque_types[i].name;
  return NULL;
}

static struct spirv_type image_type(const struct reader *r) {
  const uint32_t dimension = reader_word(r, 3), arrayed = reader_word(r, 5), multisampled = reader_word(r, 6);
  const bool known = dimension < sizeof image_types / sizeof *image_types && arrayed < 2 && !multisampled &&
                     image_types[dimension][arrayed].name;
  return (struct spirv_type){.kind = known ? SPIRV_IMAGE : SPIRV_OPAQUE,
                             .image = known ? image_types[dimension][arrayed].kind : 0,
                             .size = 8,
                             .align = 8,
                             .parts = 1,
                             .name = known ? image_types[dimension][arrayed].name
                                           : "a cube, a rectangle or a multisampled image"};
}

bool reader_is_type(uint16_t op) {
  switch (op) {
  case OpTypeVoid:
  case OpTypeBool:
  case OpTypeInt:
  case OpTypeFloat:
  case OpTypeVector:
  case OpTypeArray:
  case OpTypeStruct:
  case OpTypePointer:
  case OpTypeUntypedPointerKHR:
  case OpTypeForwardPointer:
  case OpTypeEvent:
  case OpTypeReserveId:
  case OpTypePipe:
  case OpTypeFunction:
  case OpTypeImage:
  case OpTypeSampler:
  case OpTypeSampledImage:
    return true;
  default:
    for (size_t i = 0; i < sizeof opaque_types / sizeof *opaque_types; i++)
      if (opaque_types[i].op == op)
        return true;
    return false;
  }
}

const struct spirv_type *reader_type(struct reader *r, uint32_t position) {
  const struct spirv_type *type = spirv_type(r->module, reader_word(r, position));
  if (!type)
    reader_fail(r, "id %u is not a type defined before", reader_word(r, position));
  return type;
}

/* The type at `position` as part of another type: one that can be in memory. */
static const struct spirv_type *part_type(struct reader *r, uint32_t position) {
  const struct spirv_type *type = reader_type(r, position);
  if (type && (type->kind == SPIRV_VOID || type->kind == SPIRV_FUNCTION_TYPE)) {
    reader_fail(r, "id %u is void or a function type, which nothing can contain", reader_word(r, position));
    return NULL;
  }
  return type;
}

/* ---- scalars ------------------------------------------------------------------------------------- */

static bool read_scalar(struct reader *r, struct spirv_type *type, enum spirv_type_kind kind, unsigned least) {
  const uint32_t bits = reader_word(r, 2);
  if (bits < least || bits > 64 || bits & (bits - 1))
    return reader_fail(r, "%u bits; %s have %s", bits, kind == SPIRV_INT ? "integers" : "floats",
                       kind == SPIRV_INT ? "8, 16, 32 or 64" : "16, 32 or 64");
  *type = (struct spirv_type){.kind = (uint8_t)kind, .bits = (uint8_t)bits, .size = bits / 8, .align = bits / 8};
  type->parts = 1;
  return true;
}

/* ---- composites ---------------------------------------------------------------------------------- */

static uint64_t round_up(uint64_t value, uint64_t align) { return (value + align - 1) / align * align; }

static uint32_t most_parts(uint64_t parts) { return parts > SPIRV_MOST_PARTS ? SPIRV_MOST_PARTS + 1 : (uint32_t)parts; }

static bool check_composite(struct reader *r, const struct spirv_type *type) {
  if (type->size > MOST_TYPE_BYTES)
    return reader_fail(r, "a type larger than 2^47 bytes");
  return type->depth <= SPIRV_MOST_DEPTH || reader_fail(r, "types nest deeper than %u", SPIRV_MOST_DEPTH);
}

static bool read_vector(struct reader *r, struct spirv_type *type) {
  const struct spirv_type *element = reader_type(r, 2);
  const uint32_t count = reader_word(r, 3);
  if (!element)
    return false;
  if (element->kind != SPIRV_BOOL && element->kind != SPIRV_INT && element->kind != SPIRV_FLOAT)
    return reader_fail(r, "a vector of something other than numbers");
  if (count < 2 || count > SPIRV_MOST_COMPONENTS)
    return reader_fail(r, "a vector of %u components; legal: 2 to %d", count, SPIRV_MOST_COMPONENTS);
  const uint32_t room = 1u << (32 - __builtin_clz(count - 1)); /* the next power of 2 */
  const uint32_t bytes = (uint32_t)element->size * room;
  *type = (struct spirv_type){.kind = SPIRV_VECTOR,
                              .element = reader_word(r, 2),
                              .count = count,
                              .size = bytes,
                              .align = bytes,
                              .depth = 1,
                              .parts = count};
  return true;
}

static bool read_array(struct reader *r, struct spirv_type *type) {
  const struct spirv_type *element = part_type(r, 2);
  uint64_t count;
  if (!element)
    return false;
  if (!spirv_integer(r->module, reader_word(r, 3), &count))
    return reader_fail(r, "the length, id %u, is not an integer constant", reader_word(r, 3));
  if (count > UINT32_MAX)
    return reader_fail(r, "an array of %llu elements; legal: up to 2^32 - 1", (unsigned long long)count);
  if (!element->parts && count > SPIRV_MOST_PARTS)
    return reader_fail(r, "an array of %llu empty structs", (unsigned long long)count);
  *type = (struct spirv_type){.kind = SPIRV_ARRAY,
                              .element = reader_word(r, 2),
                              .count = (uint32_t)count,
                              .size = element->size && count > MOST_TYPE_BYTES / element->size ? MOST_TYPE_BYTES + 1
                                                                                               : count * element->size,
                              .align = element->align,
                              .depth = (uint8_t)(element->depth + 1),
                              .parts = most_parts(count * element->parts)};
  return check_composite(r, type);
}

/* Members are at their natural alignment, or adjacent if packed. The size is a multiple of the alignment. */
static bool read_struct(struct reader *r, struct spirv_type *type) {
  const uint32_t count = reader_words(r) - 2;
  const bool packed = r->module->id[reader_word(r, 1)].decoration.packed;
  *type = (struct spirv_type){.kind = SPIRV_STRUCT, .count = count, .align = 1, .depth = 1};
  type->member = reader_numbers(r, count);
  type->offset = reader_numbers(r, count);
  for (uint32_t i = 0; i < count; i++) {
    const struct spirv_type *member = part_type(r, 2 + i);
    if (!member)
      return false;
    const uint32_t align = packed ? 1 : member->align;
    const uint64_t offset = round_up(type->size, align);
    if (offset > UINT32_MAX)
      return reader_fail(r, "member %u is beyond 4 GiB", i);
    type->member[i] = reader_word(r, 2 + i);
    type->offset[i] = (uint32_t)offset;
    type->size = offset + member->size;
    type->align = align > type->align ? align : type->align;
    type->depth = member->depth >= type->depth ? (uint8_t)(member->depth + 1) : type->depth;
    type->parts = most_parts((uint64_t)type->parts + member->parts);
  }
  type->size = round_up(type->size, type->align);
  return check_composite(r, type);
}

static bool read_function_type(struct reader *r, struct spirv_type *type) {
  const uint32_t count = reader_words(r) - 3;
  *type = (struct spirv_type){.kind = SPIRV_FUNCTION_TYPE, .element = reader_word(r, 2), .count = count, .align = 1};
  type->member = reader_numbers(r, count);
  for (uint32_t i = 0; i < count; i++) {
    type->member[i] = reader_word(r, 3 + i);
    if (!part_type(r, 3 + i))
      return false;
  }
  return reader_type(r, 2) != NULL;
}

/* ---- pointers ------------------------------------------------------------------------------------ */

static struct spirv_type pointer_type(uint32_t storage, uint32_t element) {
  /* Storage classes of graphics and of vendors (0xFFFFFFFF in debug information) become one that nothing accepts. */
  return (struct spirv_type){.kind = SPIRV_POINTER,
                             .storage = storage < UINT8_MAX ? (uint8_t)storage : UINT8_MAX,
                             .element = element,
                             .size = 8,
                             .align = 8,
                             .parts = 1};
}

/* Completes a forward pointer if there is one. */
static bool complete_pointer(struct reader *r) {
  const struct spirv_id *id = &r->module->id[reader_word(r, 1)];
  struct spirv_type *type = &r->module->type[id->index];
  if (type->kind != SPIRV_POINTER || type->element || type->untyped || type->storage != reader_word(r, 2))
    return reader_fail(r, "id %u is already defined", reader_word(r, 1));
  type->element = reader_word(r, 3);
  return reader_type(r, 3) != NULL;
}

bool reader_types_done(struct reader *r) {
  r->at = READER_HEADER_WORDS;
  for (uint32_t i = 0; i < r->module->types; i++)
    if (r->module->type[i].kind == SPIRV_POINTER && !r->module->type[i].element && !r->module->type[i].untyped)
      return reader_fail(r, "a forward pointer's OpTypePointer is missing");
  return true;
}

/* ---- any type ------------------------------------------------------------------------------------ */

static bool make_type(struct reader *r, struct spirv_type *type) {
  switch (reader_op(r)) {
  case OpTypeVoid:
    *type = (struct spirv_type){.kind = SPIRV_VOID, .align = 1};
    return true;
  case OpTypeBool:
    *type = (struct spirv_type){.kind = SPIRV_BOOL, .size = 1, .align = 1, .parts = 1};
    return true;
  case OpTypeInt:
    return read_scalar(r, type, SPIRV_INT, 8);
  case OpTypeFloat:
    return read_scalar(r, type, SPIRV_FLOAT, 16);
  case OpTypeVector:
    return read_vector(r, type);
  case OpTypeArray:
    return read_array(r, type);
  case OpTypeStruct:
    return read_struct(r, type);
  case OpTypePointer:
    *type = pointer_type(reader_word(r, 2), reader_word(r, 3));
    return reader_type(r, 3) != NULL;
  case OpTypeUntypedPointerKHR:
    *type = pointer_type(reader_word(r, 2), 0);
    type->untyped = true;
    return true;
  case OpTypeForwardPointer:
    *type = pointer_type(reader_word(r, 2), 0);
    return true;
  case OpTypeEvent:
    *type = (struct spirv_type){.kind = SPIRV_EVENT, .size = 8, .align = 8, .parts = 1};
    return true;
  case OpTypeReserveId: /* a number; translators define several such types */
    *type = (struct spirv_type){.kind = SPIRV_INT, .bits = 64, .size = 8, .align = 8, .parts = 1};
    return true;
  case OpTypePipe:
    *type = (struct spirv_type){.kind = SPIRV_PIPE, .size = 8, .align = 8, .parts = 1};
    return true;
  case OpTypeFunction:
    return read_function_type(r, type);
  case OpTypeImage:
    *type = image_type(r);
    return true;
  case OpTypeSampler:
    *type = (struct spirv_type){.kind = SPIRV_SAMPLER, .bits = 32, .size = 4, .align = 4, .parts = 1};
    return true;
  case OpTypeSampledImage:
    *type = (struct spirv_type){
        .kind = SPIRV_SAMPLED_IMAGE, .element = reader_word(r, 2), .size = 16, .align = 8, .parts = 2};
    return reader_type(r, 2) != NULL;
  default:
    *type = (struct spirv_type){.kind = SPIRV_OPAQUE, .size = 8, .align = 8, .parts = 1, .name = opaque_name(r)};
    return true;
  }
}

bool reader_read_type(struct reader *r) {
  struct spirv *module = r->module;
  const uint32_t id = reader_word(r, 1);
  if (reader_op(r) == OpTypePointer && module->id[id].kind == SPIRV_TYPE)
    return complete_pointer(r);
  struct spirv_type type = {0};
  if (!make_type(r, &type))
    return false;
  *vector_next(module->type, module->types, module->type_room) = type;
  return reader_define(r, id, SPIRV_TYPE, 0, module->types - 1);
}
