/* Images and samplers: created, queried, copied, mapped, and read and written by kernels. */
#include <stdlib.h>
#include <string.h>

#include "tests/icd/rig.h"
#include "tests/kernels.h"

enum { WIDTH = 20, HEIGHT = 9, TEXELS = WIDTH * HEIGHT };

static const cl_image_format rgba = {CL_RGBA, CL_UNORM_INT8};
static const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
static const size_t origin[3] = {0, 0, 0}, all[3] = {WIDTH, HEIGHT, 1};

static cl_mem new_image(struct rig *rig, cl_mem_flags flags, const cl_image_desc *desc, void *host) {
  cl_int status = CL_SUCCESS;
  cl_mem image = clCreateImage(rig->context, flags, &rgba, desc, host, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  return image;
}

/* Texels that count up, with the same value in all four bytes. */
static void count_up(cl_uint texels[TEXELS]) {
  for (cl_uint i = 0; i < TEXELS; i++)
    texels[i] = i * 0x01010101u;
}

static cl_uint texel(struct rig *rig, cl_mem image, size_t x, size_t y) {
  cl_uint value = 0;
  EXPECT_EQ(clEnqueueReadImage(rig->queue, image, CL_TRUE, (size_t[]){x, y, 0}, (size_t[]){1, 1, 1}, 0, 0, &value, 0,
                               NULL, NULL),
            CL_SUCCESS);
  return value;
}

TEST(images, texels_are_written_read_filled_and_copied) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_uint texels[TEXELS], got[TEXELS];
  cl_mem a = new_image(&rig, 0, &plane, NULL), b = new_image(&rig, 0, &plane, NULL);
  count_up(texels);
  EXPECT_EQ(clEnqueueWriteImage(rig.queue, a, CL_TRUE, origin, all, 0, 0, texels, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(texel(&rig, a, 3, 2), 43 * 0x01010101u);
  const size_t at[3] = {4, 1, 0}, to[3] = {10, 5, 0}, region[3] = {3, 2, 1};
  EXPECT_EQ(clEnqueueCopyImage(rig.queue, a, b, at, to, region, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(texel(&rig, b, 12, 6), 46 * 0x01010101u);
  EXPECT_EQ(texel(&rig, b, 13, 6), 0);
  EXPECT_EQ(clEnqueueFillImage(rig.queue, b, (cl_float[]){0, 1, 0, 1}, at, region, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(texel(&rig, b, 6, 2), 0xff00ff00u);
  EXPECT_EQ(clEnqueueReadImage(rig.queue, a, CL_TRUE, at, region, 32, 0, got, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(got[8], 44 * 0x01010101u);
  EXPECT_EQ(clEnqueueReadImage(rig.queue, a, CL_TRUE, at, region, 8, 0, got, 0, NULL, NULL), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueReadImage(rig.queue, a, CL_TRUE, to, all, 0, 0, got, 0, NULL, NULL), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueCopyImage(rig.queue, a, a, at, (size_t[]){5, 2, 0}, region, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
  clReleaseMemObject(a);
  clReleaseMemObject(b);
}

TEST(images, texels_are_copied_to_and_from_buffers) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_mem numbers = rig_numbers(&rig), image = new_image(&rig, 0, &plane, NULL);
  const size_t at[3] = {2, 3, 0}, region[3] = {4, 2, 1};
  EXPECT_EQ(clEnqueueCopyBufferToImage(rig.queue, numbers, image, 40, at, region, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(texel(&rig, image, 5, 4), 17);
  EXPECT_EQ(clEnqueueCopyImageToBuffer(rig.queue, image, numbers, at, region, 0, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(rig_at(&rig, numbers, 7), 17);
  EXPECT_EQ(clEnqueueCopyImageToBuffer(rig.queue, image, numbers, at, region, 240, 0, NULL, NULL), CL_INVALID_VALUE);
  clReleaseMemObject(image);
  clReleaseMemObject(numbers);
}

TEST(images, a_map_shows_texels_and_unmapping_writes_them_back) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_uint own[TEXELS];
  cl_int status = CL_SUCCESS;
  size_t row = 0, slice = 1;
  count_up(own);
  cl_mem image = new_image(&rig, CL_MEM_COPY_HOST_PTR, &plane, own);
  cl_mem lent = new_image(&rig, CL_MEM_USE_HOST_PTR, &plane, own);
  const size_t at[3] = {2, 3, 0}, region[3] = {4, 2, 1};
  cl_uint *map = clEnqueueMapImage(rig.queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, at, region, &row, &slice, 0,
                                   NULL, NULL, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(slice, 0);
  EXPECT_EQ(map[row / 4 + 1], 83 * 0x01010101u);
  map[row / 4 + 1] = 7;
  EXPECT_EQ(clEnqueueUnmapMemObject(rig.queue, image, map, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(texel(&rig, image, 3, 4), 7);
  EXPECT_EQ(clEnqueueUnmapMemObject(rig.queue, image, map, 0, NULL, NULL), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueFillImage(rig.queue, lent, (cl_float[]){1, 1, 1, 1}, at, region, 0, NULL, NULL), CL_SUCCESS);
  map = clEnqueueMapImage(rig.queue, lent, CL_TRUE, CL_MAP_READ, at, region, &row, NULL, 0, NULL, NULL, &status);
  EXPECT_TRUE(map == &own[3 * WIDTH + 2]);
  EXPECT_EQ(row, WIDTH * 4);
  EXPECT_EQ(map[WIDTH + 3], 0xffffffffu);
  EXPECT_EQ(clEnqueueUnmapMemObject(rig.queue, lent, map, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_TRUE(
      !clEnqueueMapImage(rig.queue, image, CL_TRUE, CL_MAP_READ, at, region, NULL, NULL, 0, NULL, NULL, &status));
  EXPECT_EQ(status, CL_INVALID_VALUE);
  clReleaseMemObject(image);
  clReleaseMemObject(lent);
}

TEST(images, layers_of_1d_arrays_use_the_second_coordinate) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_uint texels[TEXELS], got[6];
  const cl_image_desc lines = {
      .image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = WIDTH, .image_array_size = HEIGHT};
  const cl_image_desc planes = {
      .image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = WIDTH, .image_height = 3, .image_array_size = 3};
  count_up(texels);
  cl_mem image = new_image(&rig, CL_MEM_COPY_HOST_PTR, &lines, texels);
  cl_mem other = new_image(&rig, CL_MEM_COPY_HOST_PTR, &planes, texels);
  const size_t at[3] = {2, 4, 0}, region[3] = {3, 2, 1}, in_plane[3] = {2, 1, 1};
  EXPECT_EQ(clEnqueueReadImage(rig.queue, image, CL_TRUE, at, region, 0, 0, got, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(got[5], 104 * 0x01010101u);
  EXPECT_EQ(clEnqueueReadImage(rig.queue, other, CL_TRUE, in_plane, region, 0, 0, got, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(got[5], 104 * 0x01010101u);
  EXPECT_EQ(clEnqueueCopyImage(rig.queue, image, other, origin, origin, region, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(texel(&rig, other, 2, 1), 22 * 0x01010101u);
  clReleaseMemObject(image);
  clReleaseMemObject(other);
}

/* ---- kernels ---------------------------------------------------------------------------------------------- */

static cl_program build(struct rig *rig) {
  const char *text = CT_KERNEL(kernels);
  cl_int status = CL_SUCCESS;
  cl_program program = clCreateProgramWithSource(rig->context, 1, &text, NULL, &status);
  EXPECT_EQ(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0 -cl-kernel-arg-info", NULL, NULL), CL_SUCCESS);
  return program;
}

static void launch(cl_command_queue queue, cl_kernel kernel) {
  const size_t global[2] = {WIDTH, HEIGHT};
  EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL), CL_SUCCESS);
}

/* From one device to the other, and over a buffer. */
TEST(images, kernels_read_and_write_images_on_either_device) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS;
  cl_program program = build(&rig);
  cl_command_queue other = clCreateCommandQueueWithProperties(rig.context, rig.device[1], NULL, &status);
  const cl_sampler_properties nearest[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, CL_SAMPLER_ADDRESSING_MODE,
                                           CL_ADDRESS_CLAMP_TO_EDGE, 0};
  cl_sampler sampler = clCreateSamplerWithProperties(rig.context, nearest, &status);
  cl_mem from = new_image(&rig, CL_MEM_READ_ONLY, &plane, NULL);
  cl_mem buffer = clCreateBuffer(rig.context, 0, 96 * HEIGHT, NULL, &status);
  cl_image_desc over = plane;
  over.image_row_pitch = 96;
  over.mem_object = buffer;
  cl_mem to = new_image(&rig, 0, &over, NULL);
  cl_kernel invert = clCreateKernel(program, "invert", &status), twice = clCreateKernel(program, "twice", &status);
  EXPECT_EQ(clSetKernelArg(invert, 0, sizeof from, &from), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(invert, 1, sizeof to, &to), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(invert, 2, sizeof sampler, &sampler), CL_SUCCESS);
  EXPECT_EQ(clReleaseSampler(sampler), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(twice, 0, sizeof to, &to), CL_SUCCESS);
  EXPECT_EQ(clEnqueueFillImage(rig.queue, from, (cl_float[]){1, 0.8f, 0, 0.8f}, origin, all, 0, NULL, NULL),
            CL_SUCCESS);
  launch(rig.queue, invert);
  EXPECT_EQ(texel(&rig, to, 19, 8), 0x33ff3300u);
  EXPECT_EQ(clFinish(rig.queue), CL_SUCCESS);
  launch(other, twice);
  EXPECT_EQ(clFinish(other), CL_SUCCESS);
  EXPECT_EQ(texel(&rig, to, 19, 8), 0x66ff6600u);
  EXPECT_EQ((cl_uint)rig_at(&rig, buffer, 8 * 24 + 19), 0x66ff6600u);
  EXPECT_EQ(rig_at(&rig, buffer, 8 * 24 + 20), 0);
  EXPECT_EQ(clReleaseMemObject(buffer), CL_SUCCESS); /* the image keeps the buffer alive */
  EXPECT_EQ(texel(&rig, to, 0, 0), 0x66ff6600u);
  clReleaseKernel(invert);
  clReleaseKernel(twice);
  clReleaseMemObject(from);
  clReleaseMemObject(to);
  clReleaseCommandQueue(other);
  clReleaseProgram(program);
}

TEST(images, a_1d_buffer_image_shares_its_buffers_memory) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS;
  cl_float numbers[64], got[8];
  for (int i = 0; i < 64; i++)
    numbers[i] = (cl_float)i;
  cl_program program = build(&rig);
  cl_kernel line = clCreateKernel(program, "line", &status);
  cl_mem whole = clCreateBuffer(rig.context, CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers, &status);
  cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){128, 128}, &status);
  cl_mem to = clCreateBuffer(rig.context, 0, sizeof got, NULL, &status), found = NULL;
  const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 8, .mem_object = part};
  cl_mem image = clCreateImage(rig.context, 0, &(cl_image_format){CL_RG, CL_FLOAT}, &desc, NULL, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(line, 0, sizeof image, &image), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(line, 1, sizeof to, &to), CL_SUCCESS);
  EXPECT_EQ(clEnqueueNDRangeKernel(rig.queue, line, 1, NULL, (size_t[]){8}, NULL, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(clEnqueueReadBuffer(rig.queue, to, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(got[3], 39);
  EXPECT_EQ(clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof found, &found, NULL), CL_SUCCESS);
  EXPECT_TRUE(found == part);
  EXPECT_EQ(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof found, &found, NULL), CL_SUCCESS);
  EXPECT_TRUE(found == part);
  clReleaseMemObject(part);
  clReleaseMemObject(whole);
  clReleaseMemObject(image);
  clReleaseMemObject(to);
  clReleaseKernel(line);
  clReleaseProgram(program);
}

TEST(images, arguments_are_checked_and_described) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS;
  cl_program program = build(&rig);
  cl_kernel invert = clCreateKernel(program, "invert", &status), line = clCreateKernel(program, "line", &status);
  cl_kernel twice = clCreateKernel(program, "twice", &status);
  cl_mem read = new_image(&rig, CL_MEM_READ_ONLY, &plane, NULL),
         write = new_image(&rig, CL_MEM_WRITE_ONLY, &plane, NULL);
  cl_mem numbers = rig_numbers(&rig), none = NULL;
  EXPECT_EQ(clSetKernelArg(invert, 0, sizeof write, &write), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(clSetKernelArg(invert, 1, sizeof read, &read), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(clSetKernelArg(twice, 0, sizeof read, &read), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(clSetKernelArg(line, 0, sizeof read, &read), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(clSetKernelArg(line, 1, sizeof read, &read), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clSetKernelArg(invert, 0, sizeof numbers, &numbers), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clSetKernelArg(invert, 0, sizeof none, &none), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clSetKernelArg(invert, 0, 4, &read), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(clSetKernelArg(invert, 2, sizeof read, &read), CL_INVALID_SAMPLER);
  EXPECT_EQ(clSetKernelArg(invert, 2, 4, &read), CL_INVALID_ARG_SIZE);
  cl_kernel_arg_access_qualifier access = 0;
  cl_kernel_arg_address_qualifier place = 0;
  char name[32];
  EXPECT_EQ(clGetKernelArgInfo(invert, 1, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL), CL_SUCCESS);
  EXPECT_EQ(access, CL_KERNEL_ARG_ACCESS_WRITE_ONLY);
  EXPECT_EQ(clGetKernelArgInfo(twice, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL), CL_SUCCESS);
  EXPECT_EQ(access, CL_KERNEL_ARG_ACCESS_READ_WRITE);
  EXPECT_EQ(clGetKernelArgInfo(invert, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL), CL_SUCCESS);
  EXPECT_STREQ(name, "image2d_t");
  EXPECT_EQ(clGetKernelArgInfo(invert, 2, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL), CL_SUCCESS);
  EXPECT_STREQ(name, "sampler_t");
  EXPECT_EQ(clGetKernelArgInfo(invert, 2, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof place, &place, NULL), CL_SUCCESS);
  EXPECT_EQ(place, CL_KERNEL_ARG_ADDRESS_PRIVATE);
  clReleaseMemObject(read);
  clReleaseMemObject(write);
  clReleaseMemObject(numbers);
  clReleaseKernel(invert);
  clReleaseKernel(line);
  clReleaseKernel(twice);
  clReleaseProgram(program);
}

/* ---- queries ----------------------------------------------------------------------------------------------- */

static bool has_format(const cl_image_format *formats, cl_uint count, cl_channel_order order, cl_channel_type type) {
  for (cl_uint i = 0; i < count; i++)
    if (formats[i].image_channel_order == order && formats[i].image_channel_data_type == type)
      return true;
  return false;
}

TEST(images, all_formats_of_the_full_profile_are_supported) {
  static const cl_channel_type types[] = {CL_UNORM_INT8,     CL_UNORM_INT16,    CL_SNORM_INT8,   CL_SNORM_INT16,
                                          CL_SIGNED_INT8,    CL_SIGNED_INT16,   CL_SIGNED_INT32, CL_UNSIGNED_INT8,
                                          CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT,   CL_FLOAT};
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_image_format formats[200];
  cl_uint count = 0;
  EXPECT_EQ(clGetSupportedImageFormats(rig.context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 200, formats, &count),
            CL_SUCCESS);
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    EXPECT_TRUE(has_format(formats, count, CL_R, types[i]) && has_format(formats, count, CL_RG, types[i]) &&
                has_format(formats, count, CL_RGBA, types[i]));
  EXPECT_TRUE(has_format(formats, count, CL_BGRA, CL_UNORM_INT8) && has_format(formats, count, CL_DEPTH, CL_FLOAT) &&
              has_format(formats, count, CL_sRGBA, CL_UNORM_INT8));
  EXPECT_EQ(clGetSupportedImageFormats(rig.context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE3D, 200, formats, &count),
            CL_SUCCESS);
  EXPECT_TRUE(!has_format(formats, count, CL_DEPTH, CL_FLOAT));
  EXPECT_EQ(clGetSupportedImageFormats(rig.context, 0, CL_MEM_OBJECT_BUFFER, 0, NULL, &count), CL_INVALID_VALUE);
}

static size_t info(cl_mem image, cl_image_info name) {
  size_t value = 99;
  EXPECT_EQ(clGetImageInfo(image, name, sizeof value, &value, NULL), CL_SUCCESS);
  return value;
}

TEST(images, images_answer_queries_until_they_are_freed) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_image_format format = {0, 0};
  const cl_image_desc deep = {
      .image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 4, .image_height = 3, .image_depth = 2};
  cl_mem image = new_image(&rig, 0, &deep, NULL), flat = new_image(&rig, 0, &plane, NULL), numbers = rig_numbers(&rig);
  EXPECT_EQ(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof format, &format, NULL), CL_SUCCESS);
  EXPECT_EQ(format.image_channel_order, CL_RGBA);
  EXPECT_EQ(info(image, CL_IMAGE_ELEMENT_SIZE), 4);
  EXPECT_EQ(info(image, CL_IMAGE_ROW_PITCH), 16);
  EXPECT_EQ(info(image, CL_IMAGE_SLICE_PITCH), 48);
  EXPECT_EQ(info(image, CL_IMAGE_DEPTH), 2);
  EXPECT_EQ(info(flat, CL_IMAGE_DEPTH), 0);
  EXPECT_EQ(info(flat, CL_IMAGE_SLICE_PITCH), 0);
  EXPECT_EQ(clGetImageInfo(numbers, CL_IMAGE_WIDTH, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
  cl_bool has = CL_FALSE;
  EXPECT_EQ(clGetDeviceInfo(rig.device[0], CL_DEVICE_IMAGE_SUPPORT, sizeof has, &has, NULL), CL_SUCCESS);
  EXPECT_TRUE(has);
  clReleaseMemObject(image);
  clReleaseMemObject(flat);
  clReleaseMemObject(numbers);
}

static void refused(struct rig *rig, cl_mem_flags flags, cl_image_format format, cl_image_desc desc, void *host,
                    cl_int wanted) {
  cl_int status = CL_SUCCESS;
  EXPECT_TRUE(!clCreateImage(rig->context, flags, &format, &desc, host, &status));
  EXPECT_EQ(status, wanted);
}

TEST(images, invalid_images_are_refused) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_uint texels[TEXELS];
  cl_image_desc wrong = plane;
  wrong.image_width = 0;
  refused(&rig, 0, rgba, wrong, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
  wrong.image_width = 16385;
  refused(&rig, 0, rgba, wrong, NULL, CL_INVALID_IMAGE_SIZE);
  wrong = plane;
  wrong.image_row_pitch = 96;
  refused(&rig, 0, rgba, wrong, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
  wrong.image_row_pitch = 76;
  refused(&rig, CL_MEM_COPY_HOST_PTR, rgba, wrong, texels, CL_INVALID_IMAGE_DESCRIPTOR);
  wrong = plane;
  wrong.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
  refused(&rig, 0, rgba, wrong, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
  refused(&rig, 0, rgba, plane, texels, CL_INVALID_HOST_PTR);
  refused(&rig, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, rgba, plane, NULL, CL_INVALID_VALUE);
  refused(&rig, 0, (cl_image_format){CL_RGB, CL_UNORM_INT8}, plane, NULL, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  refused(&rig, 0, (cl_image_format){CL_sRGB, CL_UNORM_INT8}, plane, NULL, CL_IMAGE_FORMAT_NOT_SUPPORTED);
  refused(&rig, 0, (cl_image_format){CL_Rx, CL_UNORM_INT8}, plane, NULL, CL_IMAGE_FORMAT_NOT_SUPPORTED);
  wrong = plane;
  wrong.mem_object = rig_numbers(&rig);
  refused(&rig, 0, rgba, wrong, NULL, CL_INVALID_IMAGE_SIZE);
  clReleaseMemObject(wrong.mem_object);
}

/* ---- samplers ----------------------------------------------------------------------------------------------- */

static void check_far(struct rig *rig, cl_mem image, const cl_mem buffer, const size_t at[3], const size_t region[3],
                      size_t row, size_t slice) {
  cl_command_queue q = rig->queue;
  cl_uint got[TEXELS];
  cl_int status = CL_SUCCESS;
  const bool of_host = row || slice; /* only the host's bytes have pitches */
  EXPECT_EQ(clEnqueueReadImage(q, image, CL_TRUE, at, region, row, slice, got, 0, NULL, NULL), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueWriteImage(q, image, CL_TRUE, at, region, row, slice, got, 0, NULL, NULL), CL_INVALID_VALUE);
  if (of_host)
    return;
  EXPECT_EQ(clEnqueueFillImage(q, image, (cl_float[4]){0}, at, region, 0, NULL, NULL), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueCopyImage(q, image, image, at, origin, region, 0, NULL, NULL), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueCopyImage(q, image, image, origin, at, region, 0, NULL, NULL), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueCopyImageToBuffer(q, image, buffer, at, region, 0, 0, NULL, NULL), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueCopyBufferToImage(q, buffer, image, 0, at, region, 0, NULL, NULL), CL_INVALID_VALUE);
  EXPECT_TRUE(!clEnqueueMapImage(q, image, CL_TRUE, CL_MAP_READ, at, region, &row, &slice, 0, NULL, NULL, &status));
  EXPECT_EQ(status, CL_INVALID_VALUE);
}

TEST(images, regions_and_pitches_that_exceed_64_bits_are_invalid) {
  ct_freed(rig_free) struct rig rig = rig_new();
  const size_t half = (size_t)1 << 63, most = SIZE_MAX, word = (size_t)1 << 32;
  const cl_image_desc descs[] = {
      {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 4, .image_height = 4, .image_depth = 4},
      {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 4, .image_height = 4, .image_array_size = 4},
      {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 4, .image_array_size = 4}};
  cl_mem numbers = rig_numbers(&rig);
  for (size_t i = 0; i < 3; i++) {
    cl_mem image = new_image(&rig, 0, &descs[i], NULL);
    const bool lines = i == 2;
    const size_t two[3] = {1, lines ? 3 : 1, lines ? 1 : 3}, all_of[3] = {4, 4, lines ? 1 : 4};
    for (size_t k = 0; k < 3; k++)
      for (size_t limit = 0; limit < 4; limit++) {
        const size_t huge = (size_t[]){half, most, word, most - 3}[limit], one[3] = {1, 1, 1};
        size_t at[3] = {0, 0, 0}, region[3] = {1, 1, 1};
        at[k] = huge;
        check_far(&rig, image, numbers, at, one, 0, 0);
        region[k] = huge;
        check_far(&rig, image, numbers, at, region, 0, 0);
        at[k] = 1;
        check_far(&rig, image, numbers, at, region, 0, 0);
      }
    check_far(&rig, image, numbers, origin, two, 0, half); /* 3 slices: the last is at 2^64 */
    check_far(&rig, image, numbers, origin, all_of, 0, half);
    check_far(&rig, image, numbers, origin, all_of, 0, (size_t)1 << 62);
    check_far(&rig, image, numbers, origin, all_of, 0, most);
    if (!lines) {
      check_far(&rig, image, numbers, origin, all_of, half, 0);
      check_far(&rig, image, numbers, origin, all_of, half, half);
      check_far(&rig, image, numbers, origin, (size_t[]){1, 2, 1}, half, 0);
      check_far(&rig, image, numbers, origin, (size_t[]){1, 3, 1}, half, most);
      check_far(&rig, image, numbers, origin, (size_t[]){1, 4, 1}, (size_t)1 << 62, 0);
    }
    clReleaseMemObject(image);
  }
  clReleaseMemObject(numbers);
}

TEST(images, images_whose_pitches_exceed_64_bits_are_refused) {
  ct_freed(rig_free) struct rig rig = rig_new();
  const size_t half = (size_t)1 << 63;
  cl_uint texels[TEXELS];
  cl_mem numbers = rig_numbers(&rig);
  count_up(texels);
  const cl_image_desc descs[] = {
      {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 2, .image_row_pitch = half},
      {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4, .image_row_pitch = half / 2},
      {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 3, .image_row_pitch = half},
      {.image_type = CL_MEM_OBJECT_IMAGE3D,
       .image_width = 4,
       .image_height = 2,
       .image_depth = 3,
       .image_row_pitch = half,
       .image_slice_pitch = half},
      {.image_type = CL_MEM_OBJECT_IMAGE3D,
       .image_width = 4,
       .image_height = 2,
       .image_depth = 2,
       .image_slice_pitch = half},
      {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 4, .image_array_size = 2, .image_slice_pitch = half},
      {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
       .image_width = 4,
       .image_height = 2,
       .image_array_size = 3,
       .image_row_pitch = half},
  };
  for (size_t i = 0; i < sizeof descs / sizeof *descs; i++) {
    const cl_mem_flags flags[] = {CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR};
    for (int k = 0; k < 2; k++) {
      cl_int status = CL_SUCCESS;
      EXPECT_TRUE(!clCreateImage(rig.context, flags[k], &rgba, &descs[i], texels, &status));
      EXPECT_TRUE(status == CL_INVALID_IMAGE_DESCRIPTOR || status == CL_INVALID_IMAGE_SIZE);
    }
    cl_image_desc over = descs[i];
    cl_int status = CL_SUCCESS;
    over.mem_object = numbers;
    EXPECT_TRUE(!clCreateImage(rig.context, 0, &rgba, &over, NULL, &status));
    EXPECT_TRUE(status == CL_INVALID_IMAGE_DESCRIPTOR || status == CL_INVALID_IMAGE_SIZE);
  }
  clReleaseMemObject(numbers);
}

TEST(images, samplers_report_their_parameters) {
  ct_freed(rig_free) struct rig rig = rig_new();
  const cl_sampler_properties list[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_ADDRESSING_MODE,
                                        CL_ADDRESS_REPEAT, 0};
  const cl_sampler_properties twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE,
                                         CL_FILTER_LINEAR, 0};
  cl_sampler_properties got[5];
  cl_int status = CL_SUCCESS;
  cl_sampler sampler = clCreateSamplerWithProperties(rig.context, list, &status);
  cl_bool normalized = CL_FALSE;
  cl_addressing_mode mode = 0;
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof normalized, &normalized, NULL), CL_SUCCESS);
  EXPECT_TRUE(normalized);
  EXPECT_EQ(clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof mode, &mode, NULL), CL_SUCCESS);
  EXPECT_EQ(mode, CL_ADDRESS_REPEAT);
  EXPECT_EQ(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, sizeof got, got, NULL), CL_SUCCESS);
  EXPECT_EQ(memcmp(got, list, sizeof got), 0);
  EXPECT_TRUE(!clCreateSamplerWithProperties(rig.context, twice, &status));
  EXPECT_EQ(status, CL_INVALID_VALUE);
  const cl_sampler_properties no_mode[] = {CL_SAMPLER_ADDRESSING_MODE, CL_FILTER_LINEAR, 0};
  EXPECT_TRUE(!clCreateSamplerWithProperties(rig.context, no_mode, &status));
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clRetainSampler(sampler), CL_SUCCESS);
  EXPECT_EQ(clReleaseSampler(sampler), CL_SUCCESS);
  EXPECT_EQ(clReleaseSampler(sampler), CL_SUCCESS);
}

TEST(images, image_commands_take_the_time_of_buffer_commands) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_uint texels[TEXELS];
  cl_event events[2];
  cl_int status = CL_SUCCESS;
  cl_mem image = new_image(&rig, 0, &plane, NULL),
         buffer = clCreateBuffer(rig.context, 0, sizeof texels, NULL, &status);
  EXPECT_EQ(clEnqueueReadImage(rig.queue, image, CL_TRUE, origin, all, 0, 0, texels, 0, NULL, &events[0]), CL_SUCCESS);
  EXPECT_EQ(clEnqueueReadBuffer(rig.queue, buffer, CL_TRUE, 0, sizeof texels, texels, 0, NULL, &events[1]), CL_SUCCESS);
  cl_ulong time[2];
  for (int i = 0; i < 2; i++) {
    time[i] = rig_time(events[i], CL_PROFILING_COMMAND_END) - rig_time(events[i], CL_PROFILING_COMMAND_START);
    clReleaseEvent(events[i]);
  }
  EXPECT_EQ(time[0], time[1]);
  EXPECT_GT(time[0], 0);
  clReleaseMemObject(image);
  clReleaseMemObject(buffer);
}
