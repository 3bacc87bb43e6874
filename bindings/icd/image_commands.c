/* Commands that move texels: between host and images, between images and buffers, by mapping.
 *
 * A command's region is x, y, and slices or layers. For an array of 1D images, the program gives the layers second. */
#include <stdlib.h>

#include "bindings/icd/icd.h"
#include "bindings/icd/sizes.h"

#define NOT_READ (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)
#define NOT_WRITTEN (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)

/* ---- checks --------------------------------------------------------------------------------------------- */

/* Checks that the image belongs to the queue's context and allows the access; `refused` are flags that forbid it. */
static cl_int check_image(cl_command_queue queue, cl_mem memory, cl_mem_flags refused) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  if (!icd_is(memory, ICD_MEMORY) || !memory->image)
    return CL_INVALID_MEM_OBJECT;
  if (memory->context != queue->context)
    return CL_INVALID_CONTEXT;
  return memory->flags & refused ? CL_INVALID_OPERATION : CL_SUCCESS;
}

static bool is_line_array(const struct _cl_mem *memory) { return memory->type == CL_MEM_OBJECT_IMAGE1D_ARRAY; }

static bool has_slices(const struct _cl_mem *memory) {
  return memory->type == CL_MEM_OBJECT_IMAGE3D || memory->type == CL_MEM_OBJECT_IMAGE2D_ARRAY || is_line_array(memory);
}

/* Converts the position to x, y and slices; false: the region is outside the image. */
static bool take_place(const struct _cl_mem *memory, const size_t *at, const size_t *region, size_t from[3]) {
  const ww_shape *shape = &memory->image->shape;
  const size_t sizes[3] = {shape->width, shape->height, (size_t)shape->depth * shape->layers};
  if (!at || !region)
    return false;
  const bool lines = is_line_array(memory);
  for (size_t i = 0; i < 3; i++)
    from[i] = at[i];
  if (lines) {
    from[1] = at[2];
    from[2] = at[1];
  }
  for (size_t i = 0; i < 3; i++) {
    const size_t count = region[lines && i ? 3 - i : i];
    if (!count || from[i] >= sizes[i] || count > sizes[i] - from[i])
      return false;
  }
  return true;
}

static void take_region(const struct _cl_mem *memory, const size_t *region, size_t to[3]) {
  const bool lines = is_line_array(memory);
  to[0] = region[0];
  to[1] = region[lines ? 2 : 1];
  to[2] = region[lines ? 1 : 2];
}

/* The pitches of the host's bytes. A pitch of 0 means that the region has no gaps. */
static bool take_pitches(const struct _cl_mem *memory, const size_t region[3], size_t row, size_t slice,
                         size_t pitch[2]) {
  const size_t start[3] = {0, 0, 0}, box[3] = {region[0] * memory->image->texel.bytes, region[1], region[2]};
  size_t end;
  pitch[0] = row;
  pitch[1] = slice;
  return (!slice || has_slices(memory)) && icd_box_end(start, box, pitch, &end) && end <= ICD_MOST_HOST;
}

/* ---- moving texels -------------------------------------------------------------------------------------- */

struct place {
  uint32_t at[3], region[3];
};

static struct place place_of(const size_t at[3], const size_t region[3]) {
  struct place place;
  for (size_t i = 0; i < 3; i++) {
    place.at[i] = (uint32_t)at[i];
    place.region[i] = (uint32_t)region[i];
  }
  return place;
}

static size_t bytes_of(const struct _cl_mem *memory, const size_t region[3]) {
  return region[0] * region[1] * region[2] * memory->image->texel.bytes;
}

static bool read_texels(cl_mem memory, const size_t at[3], const size_t region[3], void *to, const size_t pitch[2]) {
  const struct place place = place_of(at, region);
  const ww_image *image = icd_image_here(memory);
  return image && ww_image_read(image, place.at, place.region, to, pitch[0], pitch[1], NULL) == WW_OK;
}

static bool write_texels(cl_mem memory, const size_t at[3], const size_t region[3], const void *from,
                         const size_t pitch[2]) {
  const struct place place = place_of(at, region);
  ww_image *image = icd_image_here(memory);
  return image && ww_image_write(image, place.at, place.region, from, pitch[0], pitch[1], NULL) == WW_OK;
}

bool icd_image_texels(cl_mem memory, void *bytes, bool write) {
  const ww_shape *shape = &memory->image->shape;
  const size_t at[3] = {0, 0, 0}, none[2] = {0, 0};
  const size_t region[3] = {shape->width, shape->height, (size_t)shape->depth * shape->layers};
  return write ? write_texels(memory, at, region, bytes, none) : read_texels(memory, at, region, bytes, none);
}

/* ---- between host and image ----------------------------------------------------------------------------- */

static cl_int run_read(struct icd_command *command, struct icd_work *work) {
  if (!read_texels(command->from, command->from_at, command->region, command->host, command->to_pitch))
    return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  *work = icd_moving(command, ICD_TO_HOST, bytes_of(command->from, command->region), 1);
  return CL_COMPLETE;
}

static cl_int run_write(struct icd_command *command, struct icd_work *work) {
  if (!write_texels(command->to, command->to_at, command->region, command->host, command->from_pitch))
    return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  *work = icd_moving(command, ICD_TO_DEVICE, bytes_of(command->to, command->region), 1);
  return CL_COMPLETE;
}

static cl_int enqueue_texels(cl_command_queue queue, bool reads, cl_mem memory, const size_t *at, const size_t *region,
                             size_t row, size_t slice, void *host, bool blocking, ICD_WAITS) {
  size_t from[3], size[3], pitch[2];
  cl_int status = check_image(queue, memory, reads ? NOT_READ : NOT_WRITTEN);
  if (status != CL_SUCCESS)
    return status;
  if (!host || !take_place(memory, at, region, from))
    return CL_INVALID_VALUE;
  take_region(memory, region, size);
  if (!take_pitches(memory, size, row, slice, pitch))
    return CL_INVALID_VALUE;
  struct icd_command *command = icd_command(queue, reads ? CL_COMMAND_READ_IMAGE : CL_COMMAND_WRITE_IMAGE, count, waits,
                                            reads ? run_read : run_write, &status);
  if (!command)
    return status;
  *(reads ? &command->from : &command->to) = icd_ref(memory);
  command->host = host;
  memcpy(command->region, size, sizeof size);
  memcpy(reads ? command->from_at : command->to_at, from, sizeof from);
  memcpy(reads ? command->to_pitch : command->from_pitch, pitch, sizeof pitch);
  return icd_enqueue(command, blocking, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                                   const size_t *at, const size_t *region, size_t row, size_t slice,
                                                   void *host, ICD_WAITS) {
  ICD_LOCKED;
  return enqueue_texels(queue, true, image, at, region, row, slice, host, blocking, count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                                    const size_t *at, const size_t *region, size_t row, size_t slice,
                                                    const void *host, ICD_WAITS) {
  ICD_LOCKED;
  return enqueue_texels(queue, false, image, at, region, row, slice, (void *)(uintptr_t)host, blocking, count, waits,
                        event);
}

/* ---- filling -------------------------------------------------------------------------------------------- */

static cl_int run_fill(struct icd_command *command, struct icd_work *work) {
  const struct place place = place_of(command->to_at, command->region);
  ww_image *image = icd_image_here(command->to);
  if (!image || ww_image_fill(image, place.at, place.region, command->pattern, NULL) != WW_OK)
    return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  *work = icd_moving(command, ICD_COMPUTE, bytes_of(command->to, command->region), 1);
  return CL_COMPLETE;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue queue, cl_mem memory, const void *color,
                                                   const size_t *at, const size_t *region, ICD_WAITS) {
  ICD_LOCKED;
  size_t to[3];
  cl_int status = check_image(queue, memory, 0);
  if (status != CL_SUCCESS)
    return status;
  if (!color || !take_place(memory, at, region, to))
    return CL_INVALID_VALUE;
  struct icd_command *command = icd_command(queue, CL_COMMAND_FILL_IMAGE, count, waits, run_fill, &status);
  if (!command)
    return status;
  command->to = icd_ref(memory);
  memcpy(command->to_at, to, sizeof to);
  take_region(memory, region, command->region);
  memcpy(command->pattern, color,
         memory->image->texel.order == CL_DEPTH ? 4 : 16); /* a depth is one float, a color four */
  return icd_enqueue(command, false, event);
}

/* ---- copying: through host memory, in the time that the device would take --------------------------------- */

static cl_int run_copy(struct icd_command *command, struct icd_work *work) {
  const size_t bytes = bytes_of(command->from, command->region), none[2] = {0, 0};
  void *texels = malloc(bytes);
  size_t turned[3] = {command->region[0], command->pattern[0] ? command->region[2] : command->region[1],
                      command->pattern[0] ? command->region[1] : command->region[2]};
  const bool good = texels && read_texels(command->from, command->from_at, command->region, texels, none) &&
                    write_texels(command->to, command->to_at, turned, texels, none);
  free(texels);
  if (!good)
    return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  *work = icd_moving(command, ICD_COMPUTE, bytes, 2);
  return CL_COMPLETE;
}

static bool overlap(const size_t a[3], const size_t b[3], const size_t region[3]) {
  for (size_t i = 0; i < 3; i++)
    if (a[i] + region[i] <= b[i] || b[i] + region[i] <= a[i])
      return false;
  return true;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue queue, cl_mem from, cl_mem to,
                                                   const size_t *from_at, const size_t *to_at, const size_t *region,
                                                   ICD_WAITS) {
  ICD_LOCKED;
  size_t here[3], there[3], size[3];
  cl_int status = check_image(queue, from, 0);
  if (status == CL_SUCCESS)
    status = check_image(queue, to, 0);
  if (status != CL_SUCCESS)
    return status;
  if (from->image->texel.order != to->image->texel.order || from->image->texel.type != to->image->texel.type)
    return CL_IMAGE_FORMAT_MISMATCH;
  if (!take_place(from, from_at, region, here) || !take_place(to, to_at, region, there))
    return CL_INVALID_VALUE;
  take_region(from, region, size);
  if (from == to && overlap(here, there, size))
    return CL_MEM_COPY_OVERLAP;
  struct icd_command *command = icd_command(queue, CL_COMMAND_COPY_IMAGE, count, waits, run_copy, &status);
  if (!command)
    return status;
  command->from = icd_ref(from);
  command->to = icd_ref(to);
  memcpy(command->from_at, here, sizeof here);
  memcpy(command->to_at, there, sizeof there);
  memcpy(command->region, size, sizeof size);
  command->pattern[0] = is_line_array(from) != is_line_array(to);
  return icd_enqueue(command, false, event);
}

static cl_int run_copy_buffer(struct icd_command *command, struct icd_work *work) {
  const size_t none[2] = {0, 0};
  const bool out = command->from->image;
  uint8_t *bytes = icd_bytes(out ? command->to : command->from);
  const bool good =
      bytes && (out ? read_texels(command->from, command->from_at, command->region, bytes + command->to_at[0], none)
                    : write_texels(command->to, command->to_at, command->region, bytes + command->from_at[0], none));
  if (!good)
    return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  *work = icd_moving(command, ICD_COMPUTE, bytes_of(out ? command->from : command->to, command->region), 2);
  return CL_COMPLETE;
}

/* `out`: from the image to the buffer. */
static cl_int enqueue_copy_buffer(cl_command_queue queue, bool out, cl_mem image, cl_mem buffer, const size_t *at,
                                  const size_t *region, size_t offset, ICD_WAITS) {
  size_t place[3], size[3];
  cl_int status = check_image(queue, image, 0);
  if (status != CL_SUCCESS)
    return status;
  if (!icd_is(buffer, ICD_MEMORY) || buffer->type != CL_MEM_OBJECT_BUFFER)
    return CL_INVALID_MEM_OBJECT;
  if (buffer->context != queue->context)
    return CL_INVALID_CONTEXT;
  if (!take_place(image, at, region, place))
    return CL_INVALID_VALUE;
  take_region(image, region, size);
  status = icd_check_range(buffer, offset, bytes_of(image, size));
  struct icd_command *command =
      status == CL_SUCCESS ? icd_command(queue, out ? CL_COMMAND_COPY_IMAGE_TO_BUFFER : CL_COMMAND_COPY_BUFFER_TO_IMAGE,
                                         count, waits, run_copy_buffer, &status)
                           : NULL;
  if (!command)
    return status;
  command->from = icd_ref(out ? image : buffer);
  command->to = icd_ref(out ? buffer : image);
  memcpy(out ? command->from_at : command->to_at, place, sizeof place);
  *(out ? command->to_at : command->from_at) = offset;
  memcpy(command->region, size, sizeof size);
  return icd_enqueue(command, false, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                                           const size_t *from_at, const size_t *region, size_t to_at,
                                                           ICD_WAITS) {
  ICD_LOCKED;
  return enqueue_copy_buffer(queue, true, from, to, from_at, region, to_at, count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem from, cl_mem to,
                                                           size_t from_at, const size_t *to_at, const size_t *region,
                                                           ICD_WAITS) {
  ICD_LOCKED;
  return enqueue_copy_buffer(queue, false, to, from, to_at, region, from_at, count, waits, event);
}

/* ---- mapping: the host's memory, a buffer's bytes, or memory of the map ------------------------------------ */

/* Whether a map points to the texels themselves, not to a copy. */
static bool is_itself(cl_mem memory) {
  return memory->parent && (!memory->host || icd_bytes(memory->parent) == memory->host);
}

static cl_int run_map(struct icd_command *command, struct icd_work *work) {
  cl_mem memory = command->from;
  /* pattern[0] is false for CL_MAP_WRITE_INVALIDATE_REGION: the old contents are not needed. The bytes of an image over
   * a buffer need no copy. */
  if (command->pattern[0] && !is_itself(memory) &&
      !read_texels(memory, command->from_at, command->region, command->host, command->to_pitch))
    return CL_MAP_FAILURE;
  *work = icd_moving(command, ICD_TO_HOST, command->pattern[0] ? bytes_of(memory, command->region) : 0, 1);
  return CL_COMPLETE;
}

/* Where the texel at `at` is in the host's or the buffer's bytes, with the image's pitches; NULL: the image has
 * neither. */
static uint8_t *linear_at(cl_mem memory, const size_t at[3]) {
  uint8_t *bytes = memory->host ? memory->host : memory->parent ? icd_bytes(memory->parent) : NULL;
  const struct icd_image *image = memory->image;
  return bytes ? bytes + at[0] * image->texel.bytes + at[1] * image->pitch[0] + at[2] * image->pitch[1] : NULL;
}

/* A new map of a region. `own` is memory that belongs to the map. */
static struct icd_map *new_map(cl_mem memory, const size_t at[3], const size_t region[3], cl_map_flags flags) {
  struct icd_map *map = calloc(1, sizeof *map);
  if (!map)
    return NULL;
  const size_t row = region[0] * memory->image->texel.bytes;
  map->at = linear_at(memory, at);
  map->flags = flags;
  memcpy(map->pitch, memory->image->pitch, sizeof map->pitch);
  if (!map->at) {
    map->pitch[0] = row;
    map->pitch[1] = row * region[1];
    map->at = map->own = malloc(row * region[1] * region[2]);
  }
  memcpy(map->image_at, at, sizeof map->image_at);
  memcpy(map->region, region, sizeof map->region);
  if (map->at)
    return map;
  free(map);
  return NULL;
}

static cl_int check_map(cl_command_queue queue, cl_mem memory, cl_map_flags flags, const size_t *row,
                        const size_t *slice) {
  const cl_map_flags writes = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
  const cl_int status =
      check_image(queue, memory, (flags & CL_MAP_READ ? NOT_READ : 0) | (flags & writes ? NOT_WRITTEN : 0));
  if (status != CL_SUCCESS)
    return status;
  if (flags & ~(CL_MAP_READ | writes) ||
      (flags & CL_MAP_WRITE_INVALIDATE_REGION && flags & (CL_MAP_READ | CL_MAP_WRITE)))
    return CL_INVALID_VALUE;
  return row && (slice || !has_slices(memory)) ? CL_SUCCESS : CL_INVALID_VALUE;
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem memory, cl_bool blocking,
                                                 cl_map_flags flags, const size_t *at, const size_t *region,
                                                 size_t *row, size_t *slice, ICD_WAITS, cl_int *error) {
  cl_int *status = error ? error : &(cl_int){CL_SUCCESS};
  ICD_LOCKED;
  size_t from[3], size[3];
  *status = check_map(queue, memory, flags, row, slice);
  if (*status == CL_SUCCESS && !take_place(memory, at, region, from))
    *status = CL_INVALID_VALUE;
  if (*status != CL_SUCCESS)
    return NULL;
  take_region(memory, region, size);
  struct icd_map *map = new_map(memory, from, size, flags);
  if (!map) {
    *status = CL_MAP_FAILURE;
    return NULL;
  }
  struct icd_command *command = icd_command(queue, CL_COMMAND_MAP_IMAGE, count, waits, run_map, status);
  if (!command) {
    free(map->own);
    free(map);
    return NULL;
  }
  map->next = memory->maps;
  memory->maps = map;
  memory->mapped++;
  command->from = icd_ref(memory);
  command->host = map->at;
  memcpy(command->from_at, from, sizeof from);
  memcpy(command->region, size, sizeof size);
  memcpy(command->to_pitch, map->pitch, sizeof map->pitch);
  command->pattern[0] = flags != CL_MAP_WRITE_INVALIDATE_REGION;
  *row = map->pitch[0];
  if (slice)
    *slice = has_slices(memory) ? map->pitch[1] : 0;
  void *mapped = map->at;
  *status = icd_enqueue(command, blocking, event);
  return *status == CL_SUCCESS ? mapped : NULL;
}

static cl_int run_unmap(struct icd_command *command, struct icd_work *work) {
  cl_mem memory = command->to;
  const bool writes = command->pattern[0];
  if (writes && !is_itself(memory) &&
      !write_texels(memory, command->to_at, command->region, command->host, command->from_pitch))
    return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  memory->mapped--;
  *work = icd_moving(command, ICD_TO_DEVICE, writes ? bytes_of(memory, command->region) : 0, 1);
  return CL_COMPLETE;
}

static void drop_own(struct icd_command *command) { free(command->own); }

cl_int icd_unmap_image(cl_command_queue queue, cl_mem memory, struct icd_map **map, ICD_WAITS) {
  cl_int status = CL_SUCCESS;
  struct icd_command *command = icd_command(queue, CL_COMMAND_UNMAP_MEM_OBJECT, count, waits, run_unmap, &status);
  if (!command)
    return status;
  struct icd_map *gone = *map;
  command->to = icd_ref(memory);
  command->host = gone->at;
  command->own = gone->own;
  command->drop = drop_own;
  memcpy(command->to_at, gone->image_at, sizeof gone->image_at);
  memcpy(command->region, gone->region, sizeof gone->region);
  memcpy(command->from_pitch, gone->pitch, sizeof gone->pitch);
  command->pattern[0] = gone->flags != CL_MAP_READ;
  *map = gone->next;
  free(gone);
  return icd_enqueue(command, false, event);
}
