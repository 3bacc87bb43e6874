/* Images: creation, queries, and where their texels are.
 *
 * Like a buffer, an image is on one device of its context at a time; an image over a buffer is where the buffer is.
 * Only texels in host memory or in a buffer have pitches. All other texels are without gaps, in the machine's own
 * layout. */
#include <stdlib.h>

#include "bindings/icd/icd.h"
#include "bindings/icd/sizes.h"

/* ---- formats -------------------------------------------------------------------------------------------- */

/* Depth formats exist only for 2D images and arrays of them. Orders with an x are not offered: the specification says
 * that their border's alpha is 0, the conformance tests say 1. */
static bool has_format(cl_mem_object_type type, const ww_image_format *format) {
  const uint32_t order = format->order;
  return order != CL_Rx && order != CL_RGx && order != CL_RGBx &&
         (order != CL_DEPTH || type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY);
}

/* The list of all formats, built once, because programs make thousands of images. */
static const ww_image_format *all_formats(size_t *count) {
  enum { ROOM = 400 };
  static ww_image_format formats[ROOM];
  static size_t known;
  bool more = !known;
  while (more && known < ROOM) {
    formats[known].size = sizeof *formats;
    more = ww_image_format_at(known, &formats[known]);
    known += more;
  }
  *count = known;
  return formats;
}

static bool find_format(const cl_image_format *wanted, ww_image_format *format) {
  size_t count = 0;
  const ww_image_format *all = all_formats(&count);
  for (size_t i = 0; i < count; i++)
    if (all[i].order == wanted->image_channel_order && all[i].type == wanted->image_channel_data_type) {
      *format = all[i];
      return true;
    }
  return false;
}

/* Distinguishes an order or type that does not exist from a valid pair of them that is not supported. The specification
 * allows the unsupported pairs depth with stencil and sRGB with three channels. */
static cl_int format_status(cl_mem_object_type type, const cl_image_format *wanted, ww_image_format *format) {
  if (!wanted)
    return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
  if (find_format(wanted, format))
    return has_format(type, format) ? CL_SUCCESS : CL_IMAGE_FORMAT_NOT_SUPPORTED;
  const cl_channel_order order = wanted->image_channel_order;
  const cl_channel_type channel = wanted->image_channel_data_type;
  const bool stencil = order == CL_DEPTH_STENCIL && (channel == CL_UNORM_INT24 || channel == CL_FLOAT);
  const bool srgb = (order == CL_sRGB || order == CL_sRGBx) && channel == CL_UNORM_INT8;
  return stencil || srgb ? CL_IMAGE_FORMAT_NOT_SUPPORTED : CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
}

/* The library's name of the kind; NULL: not an image. */
static const char *kind_of(cl_mem_object_type type) {
  switch (type) {
  case CL_MEM_OBJECT_IMAGE1D:
    return "1d";
  case CL_MEM_OBJECT_IMAGE1D_ARRAY:
    return "1d_array";
  case CL_MEM_OBJECT_IMAGE1D_BUFFER:
    return "1d_buffer";
  case CL_MEM_OBJECT_IMAGE2D:
    return "2d";
  case CL_MEM_OBJECT_IMAGE2D_ARRAY:
    return "2d_array";
  case CL_MEM_OBJECT_IMAGE3D:
    return "3d";
  default:
    return NULL;
  }
}

CL_API_ENTRY cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                                           cl_mem_object_type type, cl_uint room,
                                                           cl_image_format *formats, cl_uint *count) {
  ICD_LOCKED;
  size_t all = 0;
  cl_uint found = 0;
  const ww_image_format *format = all_formats(&all);
  if (!icd_is(context, ICD_CONTEXT))
    return CL_INVALID_CONTEXT;
  if (icd_check_flags(flags & ~(cl_mem_flags)CL_MEM_KERNEL_READ_AND_WRITE, NULL) == CL_INVALID_VALUE ||
      !kind_of(type) || (formats && !room))
    return CL_INVALID_VALUE;
  for (size_t i = 0; i < all; i++) {
    if (!has_format(type, &format[i]))
      continue;
    if (formats && found < room)
      formats[found] = (cl_image_format){format[i].order, format[i].type};
    found++;
  }
  if (count)
    *count = found;
  return CL_SUCCESS;
}

/* ---- creating images ------------------------------------------------------------------------------------ */

static bool is_layered(cl_mem_object_type type) {
  return type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

static bool is_flat(cl_mem_object_type type) {
  return type == CL_MEM_OBJECT_IMAGE1D || type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
}

static cl_int size_status(const cl_image_desc *desc) {
  const bool deep = desc->image_type == CL_MEM_OBJECT_IMAGE3D, flat = is_flat(desc->image_type);
  const bool layered = is_layered(desc->image_type);
  if (!desc->image_width || (!flat && !desc->image_height) || (deep && !desc->image_depth) ||
      (layered && !desc->image_array_size))
    return CL_INVALID_IMAGE_DESCRIPTOR;
  const size_t most = desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? ICD_IMAGE_BUFFER
                      : deep                                           ? ICD_IMAGE_3D
                                                                       : ICD_IMAGE_2D;
  return desc->image_width <= most && (flat || desc->image_height <= most) && (!deep || desc->image_depth <= most) &&
                 (!layered || desc->image_array_size <= ICD_IMAGE_LAYERS)
             ? CL_SUCCESS
             : CL_INVALID_IMAGE_SIZE;
}

/* Reads from the description the sizes that the kind has, and the pitches. `end` receives the size of the image, from
 * its first texel to its last, with gaps between. */
static cl_int take_shape(struct icd_image *image, const cl_image_desc *desc, bool has_pitches, size_t *end) {
  const cl_mem_object_type type = desc->image_type;
  const size_t texel = image->texel.bytes, start[3] = {0, 0, 0};
  ww_shape *shape = &image->shape;
  *shape = (ww_shape){.size = sizeof *shape, .kind = kind_of(type), .width = (uint32_t)desc->image_width};
  shape->height = is_flat(type) ? 1 : (uint32_t)desc->image_height;
  shape->depth = type == CL_MEM_OBJECT_IMAGE3D ? (uint32_t)desc->image_depth : 1;
  shape->layers = is_layered(type) ? (uint32_t)desc->image_array_size : 1;
  if (!has_pitches && (desc->image_row_pitch || desc->image_slice_pitch))
    return CL_INVALID_IMAGE_DESCRIPTOR;
  const bool has_slices = is_layered(type) || type == CL_MEM_OBJECT_IMAGE3D;
  const size_t box[3] = {desc->image_width * texel, shape->height, (size_t)shape->depth * shape->layers};
  image->pitch[0] = desc->image_row_pitch;
  image->pitch[1] = has_slices ? desc->image_slice_pitch : 0;
  if (!icd_box_end(start, box, image->pitch, end) || image->pitch[0] % texel || image->pitch[1] % image->pitch[0])
    return CL_INVALID_IMAGE_DESCRIPTOR;
  shape->row_pitch = image->pitch[0];
  shape->slice_pitch = image->pitch[1];
  return image->pitch[1] > ICD_MOST_BYTES / box[2] ? CL_INVALID_IMAGE_SIZE : CL_SUCCESS;
}

/* Checks the description's memory object, which can only be a buffer. */
static cl_int parent_status(cl_context context, const cl_image_desc *desc, const void *host) {
  const cl_mem parent = desc->mem_object;
  const bool wants = desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
  if (!parent)
    return wants ? CL_INVALID_IMAGE_DESCRIPTOR : CL_SUCCESS;
  if (!wants && desc->image_type != CL_MEM_OBJECT_IMAGE2D)
    return CL_INVALID_IMAGE_DESCRIPTOR;
  if (!icd_is(parent, ICD_MEMORY) || parent->type != CL_MEM_OBJECT_BUFFER)
    return CL_INVALID_MEM_OBJECT;
  if (parent->context != context)
    return CL_INVALID_CONTEXT;
  return host ? CL_INVALID_HOST_PTR : CL_SUCCESS;
}

static cl_int check_image(cl_context context, const cl_mem_properties *list, cl_mem_flags *flags,
                          const cl_image_format *format, const cl_image_desc *desc, const void *host,
                          struct icd_image *image) {
  if (!icd_is(context, ICD_CONTEXT))
    return CL_INVALID_CONTEXT;
  if (list && *list)
    return CL_INVALID_PROPERTY;
  if (!desc || !kind_of(desc->image_type) || desc->num_mip_levels || desc->num_samples)
    return format ? CL_INVALID_IMAGE_DESCRIPTOR : CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
  const cl_mem parent = desc->mem_object;
  size_t end = 0;
  cl_int status = parent_status(context, desc, host);
  if (status == CL_SUCCESS)
    status = parent ? icd_part_flags(parent, *flags, flags) : icd_check_flags(*flags, host);
  if (status == CL_SUCCESS)
    status = format_status(desc->image_type, format, &image->texel);
  if (status == CL_SUCCESS)
    status = size_status(desc);
  if (status == CL_SUCCESS)
    status = take_shape(image, desc, host || parent, &end);
  if (status != CL_SUCCESS)
    return status;
  return parent && (end > parent->size || parent->origin % image->texel.bytes) ? CL_INVALID_IMAGE_SIZE : CL_SUCCESS;
}

/* Copies the host's texels to a new image. */
static bool take_texels(cl_mem memory, const void *host) {
  const ww_shape *shape = &memory->image->shape;
  const uint32_t at[3] = {0, 0, 0}, region[3] = {shape->width, shape->height, shape->depth * shape->layers};
  ww_image *image = icd_image_here(memory);
  return image &&
         ww_image_write(image, at, region, host, memory->image->pitch[0], memory->image->pitch[1], NULL) == WW_OK;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context, const cl_mem_properties *list,
                                                            cl_mem_flags flags, const cl_image_format *format,
                                                            const cl_image_desc *desc, void *host, cl_int *error) {
  cl_int *status = error ? error : &(cl_int){CL_SUCCESS};
  ICD_LOCKED;
  struct icd_image image = {.texel = {.size = sizeof image.texel}};
  *status = check_image(context, list, &flags, format, desc, host, &image);
  cl_mem made = icd_create(ICD_MEMORY, sizeof *made, status);
  if (!made)
    return NULL;
  made->context = icd_ref(context);
  made->parent = icd_ref(desc->mem_object);
  made->type = desc->image_type;
  made->flags = icd_with_access(flags);
  made->newest = -1;
  made->host = made->parent ? made->parent->host : flags & CL_MEM_USE_HOST_PTR ? host : NULL;
  made->size = image.pitch[1] * image.shape.depth * image.shape.layers;
  made->image = malloc(sizeof image);
  if (made->image) {
    *made->image = image;
    made->image->shape.format = made->image->texel.name;
  }
  if (made->image && icd_keep_properties(&made->properties, list) && (!host || take_texels(made, host)))
    return made;
  icd_give_up(made);
  *status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  return NULL;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                              const cl_image_desc *desc, void *host, cl_int *error) {
  return clCreateImageWithProperties(context, NULL, flags, format, desc, host, error);
}

/* The old functions report a wrong size with another error code. */
static cl_mem create_of_old(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                            const cl_image_desc *desc, void *host, cl_int *error) {
  cl_int status = CL_SUCCESS;
  cl_mem made = clCreateImageWithProperties(context, NULL, flags, format, desc, host, &status);
  if (error)
    *error = status == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : status;
  return made;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                                size_t width, size_t height, size_t pitch, void *host, cl_int *error) {
  const cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height, .image_row_pitch = pitch};
  return create_of_old(context, flags, format, &desc, host, error);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                                size_t width, size_t height, size_t depth, size_t pitch, size_t slice,
                                                void *host, cl_int *error) {
  const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                              .image_width = width,
                              .image_height = height,
                              .image_depth = depth,
                              .image_row_pitch = pitch,
                              .image_slice_pitch = slice};
  return create_of_old(context, flags, format, &desc, host, error);
}

void icd_free_image(struct icd_image *image) {
  for (int i = 0; image && i < ICD_MOST_DEVICES; i++)
    ww_image_unref(image->on[i]);
  free(image);
}

/* ---- where the texels are ------------------------------------------------------------------------------- */

static bool move_image(cl_mem memory, ww_image *from, ww_image *to) {
  const ww_shape *shape = &memory->image->shape;
  const uint32_t at[3] = {0, 0, 0}, region[3] = {shape->width, shape->height, shape->depth * shape->layers};
  void *bytes = malloc(memory->size);
  const bool good = bytes && ww_image_read(from, at, region, bytes, 0, 0, NULL) == WW_OK &&
                    ww_image_write(to, at, region, bytes, 0, 0, NULL) == WW_OK;
  free(bytes);
  return good;
}

/* An image over a buffer comes to the device with the buffer's bytes. */
static ww_image *over_buffer(cl_mem memory, int i) {
  struct icd_image *image = memory->image;
  uint64_t offset = 0;
  ww_buffer *buffer = icd_on_device(memory->parent, memory->context->device[i], &offset);
  if (buffer && !image->on[i] && ww_image_new_over(buffer, offset, NULL, &image->shape, &image->on[i], NULL) != WW_OK)
    return NULL;
  return buffer ? image->on[i] : NULL;
}

static ww_image *image_on(cl_mem memory, int i) {
  struct icd_image *image = memory->image;
  ww_shape own = image->shape;
  own.row_pitch = own.slice_pitch = 0;
  if (memory->parent)
    return over_buffer(memory, i);
  if (!image->on[i] && ww_image_new(memory->context->device[i]->device, NULL, &own, &image->on[i], NULL) != WW_OK)
    return NULL;
  if (memory->newest >= 0 && memory->newest != i && !move_image(memory, image->on[memory->newest], image->on[i]))
    return NULL;
  memory->newest = i;
  return image->on[i];
}

ww_image *icd_image_on(cl_mem memory, cl_device_id device) {
  return image_on(memory, icd_index_of(memory->context, device));
}

ww_image *icd_image_here(cl_mem memory) {
  cl_mem root = memory;
  while (root->parent)
    root = root->parent;
  return image_on(memory, root->newest < 0 ? 0 : root->newest);
}

/* ---- queries -------------------------------------------------------------------------------------------- */

CL_API_ENTRY cl_int CL_API_CALL clGetImageInfo(cl_mem memory, cl_image_info name, size_t size, void *value,
                                               size_t *needed) {
  const struct icd_query query = {size, value, needed};
  ICD_LOCKED;
  if (!icd_is(memory, ICD_MEMORY) || !memory->image)
    return CL_INVALID_MEM_OBJECT;
  const struct icd_image *image = memory->image;
  const ww_shape *shape = &image->shape;
  const bool deep = memory->type == CL_MEM_OBJECT_IMAGE3D, layered = is_layered(memory->type);
  switch (name) {
  case CL_IMAGE_FORMAT:
    ICD_ANSWER(cl_image_format, image->texel.order, image->texel.type);
  case CL_IMAGE_ELEMENT_SIZE:
    ICD_ANSWER(size_t, image->texel.bytes);
  case CL_IMAGE_ROW_PITCH:
    ICD_ANSWER(size_t, image->pitch[0]);
  case CL_IMAGE_SLICE_PITCH:
    ICD_ANSWER(size_t, deep || layered ? image->pitch[1] : 0);
  case CL_IMAGE_WIDTH:
    ICD_ANSWER(size_t, shape->width);
  case CL_IMAGE_HEIGHT:
    ICD_ANSWER(size_t, is_flat(memory->type) ? 0 : shape->height);
  case CL_IMAGE_DEPTH:
    ICD_ANSWER(size_t, deep ? shape->depth : 0);
  case CL_IMAGE_ARRAY_SIZE:
    ICD_ANSWER(size_t, layered ? shape->layers : 0);
  case CL_IMAGE_BUFFER:
    ICD_ANSWER(cl_mem, memory->parent);
  case CL_IMAGE_NUM_MIP_LEVELS:
  case CL_IMAGE_NUM_SAMPLES:
    ICD_ANSWER(cl_uint, 0);
  default:
    return CL_INVALID_VALUE;
  }
}
