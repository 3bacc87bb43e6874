/* Images of a device: their shapes, their numbers, and the host's reads and writes.
 *
 *     ww_image ──► ww_buffer       its texels: a buffer of its own, or part of another
 *         └──────► device.images   by number, which is what kernels receive
 *
 * Freeing an image frees its number. While the device is recorded, a trace needs each number to stay one image's, so
 * freed numbers are reused only when no other is left. */
#include <inttypes.h>
#include <stdio.h>

#include "models/machine.h"
#include "sim/api/api.h"
#include "sim/base/need.h"
#include "sim/base/sizes.h"
#include "sim/base/vector.h"
#include "sim/launch/job_images.h"

enum { OPENCL_ORDER = 0x10b0, OPENCL_TYPE = 0x10d0 }; /* CL_R, CL_SNORM_INT8 */

/* ---- formats ---------------------------------------------------------------------------------------------------- */

static ww_image_format describe(enum isa_image_order order, enum isa_image_type type) {
  ww_image_format format = {.size = sizeof format,
                            .bytes = isa_texel_bytes(order, type),
                            .order = OPENCL_ORDER + (uint32_t)order,
                            .type = OPENCL_TYPE + (uint32_t)type,
                            .integer = isa_texel_number(type) == ISA_NUMBER_INT};
  snprintf(format.name, sizeof format.name, "%.20s.%.20s", isa_image_orders[order].name, isa_image_types[type].name);
  return format;
}

bool ww_image_format_at(size_t i, ww_image_format *format) {
  if (!format || format->size < sizeof *format)
    return false;
  for (unsigned order = 0; order < ISA_IMAGE_ORDERS; order++)
    for (unsigned type = 0; type < ISA_IMAGE_TYPES; type++) {
      if (!isa_texel_bytes((enum isa_image_order)order, (enum isa_image_type)type) || i--)
        continue;
      const uint32_t size = format->size;
      *format = describe((enum isa_image_order)order, (enum isa_image_type)type);
      format->size = size;
      return true;
    }
  return false;
}

/* ---- shapes ----------------------------------------------------------------------------------------------------- */

struct image_call {
  ww_device *device;
  const char *name;
  ww_shape given;
  struct isa_image shape;
  ww_buffer *buffer;
  uint64_t offset;
  ww_image *made;
};

static void take_size(uint32_t *size, uint32_t given, bool wanted) { *size = given || wanted ? given : 1; }

static bool read_shape(struct image_call *call, bool of_buffer, struct message *message) {
  const ww_shape *given = &call->given;
  struct isa_image *shape = &call->shape;
  *shape = (struct isa_image){.width = given->width, .of_buffer = of_buffer};
  if (!given->kind || !given->format)
    return message_fail(message, "shape: has no %s", given->kind ? "format" : "kind");
  if (!of_buffer && (given->row_pitch || given->slice_pitch))
    return message_fail(message, "shape: only an image over a buffer has pitches");
  if (!job_image_kind(given->kind, &shape->kind, message) || !job_image_format(given->format, shape, message))
    return message_within(message, "shape");
  const bool layered = shape->kind == ISA_IMAGE_1D_ARRAY || shape->kind == ISA_IMAGE_2D_ARRAY;
  const unsigned directions = isa_image_kinds[shape->kind].coordinates - layered;
  take_size(&shape->height, given->height, directions > 1);
  take_size(&shape->depth, given->depth, directions > 2);
  take_size(&shape->layers, given->layers, layered);
  const bool blocks = !of_buffer && call->device->machine->machine->texture.layout == TEXTURE_BLOCKS;
  shape->layout = blocks ? ISA_IMAGE_BLOCKS : ISA_IMAGE_ROWS;
  if (of_buffer) {
    const uint32_t bytes = isa_texel_bytes(shape->order, shape->type);
    shape->row_pitch = given->row_pitch ? given->row_pitch : (uint64_t)shape->width * bytes;
    shape->slice_pitch = given->slice_pitch;
    if (!shape->slice_pitch && !size_times(shape->row_pitch, shape->height, &shape->slice_pitch))
      return message_fail(message,
                          "shape.row_pitch: %" PRIu32 " rows, %" PRIu64 " bytes apart, have more than 2^64 bytes",
                          shape->height, shape->row_pitch);
  }
  const char *fault = isa_image_init(shape);
  return !fault ||
         message_fail(message, "shape: %u x %u x %u texels, row_pitch %" PRIu64 ", slice_pitch %" PRIu64 ": %s",
                      shape->width, shape->height, isa_image_slices(shape), shape->row_pitch, shape->slice_pitch,
                      fault);
}

static ww_status read_own(void *self, struct message *message) { return api_judge(read_shape(self, false, message)); }

static ww_status read_over(void *self, struct message *message) {
  struct image_call *call = self;
  const struct isa_image *shape = &call->shape;
  const uint64_t room = call->offset < call->buffer->bytes ? call->buffer->bytes - call->offset : 0;
  if (!read_shape(call, true, message))
    return WW_BAD_INPUT;
  if (!*call->name || strlen(call->name) >= sizeof shape->name)
    return api_judge(message_fail(message, "name: must have 1 to %zu bytes", sizeof shape->name - 1));
  if (call->offset % shape->texel_bytes)
    return api_judge(message_fail(message, "offset: %" PRIu64 " is not a multiple of a texel's %" PRIu32 " bytes",
                                  call->offset, shape->texel_bytes));
  if (isa_image_bytes(shape) > room)
    return api_judge(message_fail(
        message, "shape: the image has %" PRIu64 " bytes, but buffer '%s' has %" PRIu64 " after the offset",
        isa_image_bytes(shape), call->buffer->name, room));
  return WW_OK;
}

/* ---- creating and freeing --------------------------------------------------------------------------------------- */

/* The lowest free number; while the device is recorded, the lowest that no image has had, while there is one.
 * ISA_MOST_IMAGES: there is none. */
static size_t free_number(const ww_device *device) {
  size_t number = 0;
  while (number < device->image_count && (device->recorded || !device->images[number].gone))
    number++;
  if (number == ISA_MOST_IMAGES)
    for (number = 0; number < device->image_count && !device->images[number].gone;)
      number++;
  return number;
}

static void make_room(ww_device *device) {
  device->images = vector_room(device->images, &device->image_room, device->image_count + 1, sizeof *device->images);
}

static ww_status make_image(void *self, struct message *message) {
  struct image_call *call = self;
  ww_device *device = call->device;
  API_LOCKED(device);
  const size_t number = free_number(device);
  if (number == ISA_MOST_IMAGES)
    return api_judge(message_fail(message, "more than %d images on the device", ISA_MOST_IMAGES));
  ww_image *image = need(1, sizeof *image);
  make_room(device);
  atomic_init(&image->references, 1);
  image->buffer = call->buffer;
  image->number = number;
  image->shape = call->shape;
  image->shape.base = call->buffer->base + call->offset;
  snprintf(image->shape.name, sizeof image->shape.name, "%s", call->name);
  device->images[number] = image->shape;
  device->image_count += number == device->image_count;
  call->made = image;
  return WW_OK;
}

/* Takes over the call's reference to the buffer. */
static ww_status finish(struct image_call *call, ww_image **image, ww_error *error) {
  const ww_status status = api_try(NULL, make_image, call, error);
  if (status != WW_OK)
    ww_buffer_unref(call->buffer);
  *image = status == WW_OK ? call->made : NULL;
  return status;
}

ww_status ww_image_new(ww_device *device, const char *name, const ww_shape *shape, ww_image **image, ww_error *error) {
  struct image_call call = {.device = device, .name = name ? name : "image"};
  API_MADE(image);
  API_GIVEN(device);
  API_GIVEN(shape);
  API_TAKE(call.given, shape);
  ww_status status = api_try(NULL, read_own, &call, error);
  /* The size covers either layout, so that the addresses of buffers do not depend on the layout. */
  if (status == WW_OK)
    status = ww_buffer_new(device, call.name, isa_image_room(&call.shape), &call.buffer, error);
  return status == WW_OK ? finish(&call, image, error) : status;
}

ww_status ww_image_new_over(ww_buffer *buffer, uint64_t offset, const char *name, const ww_shape *shape,
                            ww_image **image, ww_error *error) {
  struct image_call call = {.name = name ? name : "image", .buffer = buffer, .offset = offset};
  API_MADE(image);
  API_GIVEN(buffer);
  API_GIVEN(shape);
  API_TAKE(call.given, shape);
  call.device = buffer->device;
  const ww_status status = api_try(NULL, read_over, &call, error);
  if (status != WW_OK)
    return status;
  ww_buffer_ref(buffer);
  return finish(&call, image, error);
}

API_REF(ww_image)

void ww_image_unref(ww_image *image) {
  if (!image || !api_unref(&image->references))
    return;
  ww_device *device = image->buffer->device;
  api_device_lock(device);
  device->images[image->number].gone = true;
  while (!device->recorded && device->image_count && device->images[device->image_count - 1].gone)
    device->image_count--;
  api_device_unlock(device);
  ww_buffer_unref(image->buffer);
  free(image);
}

/* ---- texels ----------------------------------------------------------------------------------------------------- */

struct texels_call {
  const ww_image *image;
  const uint32_t *at, *region;
  uint8_t *bytes;
  uint64_t row_pitch, slice_pitch;
  enum { READ, WRITE, FILL } what;
  uint8_t texel[16]; /* for FILL */
};

static bool check_texels(struct texels_call *call, struct message *message) {
  const struct isa_image *shape = &call->image->shape;
  const uint32_t sizes[3] = {shape->width, shape->height, isa_image_slices(shape)}, *region = call->region;
  for (unsigned i = 0; i < 3; i++)
    if (!region[i] || (uint64_t)call->at[i] + region[i] > sizes[i])
      return message_fail(message, "region[%u]: %" PRIu32 " texels starting at %" PRIu32 " are not in [0, %" PRIu32 "]",
                          i, region[i], call->at[i], sizes[i] - 1);
  const uint64_t row = (uint64_t)region[0] * shape->texel_bytes;
  call->row_pitch = call->row_pitch ? call->row_pitch : row;
  if (call->row_pitch < row)
    return message_fail(message, "row_pitch: %" PRIu64 " is less than a row's %" PRIu64 " bytes", call->row_pitch, row);
  uint64_t slice, size;
  if (!size_times(call->row_pitch, region[1], &slice))
    return message_fail(message, "row_pitch: %" PRIu32 " rows, %" PRIu64 " bytes apart, have more than 2^64 bytes",
                        region[1], call->row_pitch);
  call->slice_pitch = call->slice_pitch ? call->slice_pitch : slice;
  if (call->slice_pitch < slice)
    return message_fail(message, "slice_pitch: %" PRIu64 " is less than a slice's %" PRIu64 " bytes", call->slice_pitch,
                        slice);
  return size_of_planes(row, region[1], call->row_pitch, region[2], call->slice_pitch, &size) && size <= PTRDIFF_MAX
             ? true
             : message_fail(message,
                            "slice_pitch: %" PRIu32 " slices, %" PRIu64 " bytes apart, have more than %td bytes",
                            region[2], call->slice_pitch, PTRDIFF_MAX);
}

/* `count` adjacent texels */
static void copy_texels(const struct texels_call *call, uint8_t *texels, uint64_t at, uint32_t count) {
  const uint32_t bytes = call->image->shape.texel_bytes;
  if (call->what == READ)
    memcpy(call->bytes + at, texels, (size_t)count * bytes);
  else if (call->what == WRITE)
    memcpy(texels, call->bytes + at, (size_t)count * bytes);
  else
    for (uint32_t i = 0; i < count; i++)
      memcpy(texels + (size_t)i * bytes, call->texel, bytes);
}

static ww_status move_texels(void *self, struct message *message) {
  struct texels_call *call = self;
  const struct isa_image *shape = &call->image->shape;
  uint8_t *texels = call->image->buffer->data + (shape->base - call->image->buffer->base);
  const uint32_t *at = call->at, *region = call->region;
  if (!check_texels(call, message))
    return WW_BAD_INPUT;
  const uint32_t step = shape->layout == ISA_IMAGE_ROWS ? region[0] : 1;
  for (uint32_t z = 0; z < region[2]; z++)
    for (uint32_t y = 0; y < region[1]; y++)
      for (uint32_t x = 0; x < region[0]; x += step)
        copy_texels(call, texels + isa_texel_offset(shape, at[0] + x, at[1] + y, at[2] + z),
                    z * call->slice_pitch + y * call->row_pitch + (uint64_t)x * shape->texel_bytes, step);
  return WW_OK;
}

ww_status ww_image_read(const ww_image *image, const uint32_t at[3], const uint32_t region[3], void *bytes,
                        uint64_t row_pitch, uint64_t slice_pitch, ww_error *error) {
  struct texels_call call = {image, at, region, bytes, row_pitch, slice_pitch, READ, {0}};
  API_GIVEN(image);
  API_GIVEN(at);
  API_GIVEN(region);
  API_GIVEN(bytes);
  return api_try(NULL, move_texels, &call, error);
}

ww_status ww_image_write(ww_image *image, const uint32_t at[3], const uint32_t region[3], const void *bytes,
                         uint64_t row_pitch, uint64_t slice_pitch, ww_error *error) {
  struct texels_call call = {image, at, region, (uint8_t *)(uintptr_t)bytes, row_pitch, slice_pitch, WRITE, {0}};
  API_GIVEN(image);
  API_GIVEN(at);
  API_GIVEN(region);
  API_GIVEN(bytes);
  return api_try(NULL, move_texels, &call, error);
}

ww_status ww_image_fill(ww_image *image, const uint32_t at[3], const uint32_t region[3], const void *color,
                        ww_error *error) {
  struct texels_call call = {image, at, region, NULL, 0, 0, FILL, {0}};
  uint32_t channel[4];
  API_GIVEN(image);
  API_GIVEN(at);
  API_GIVEN(region);
  API_GIVEN(color);
  memcpy(channel, color, sizeof channel);
  isa_texel_write(&image->shape, channel, call.texel);
  return api_try(NULL, move_texels, &call, error);
}
