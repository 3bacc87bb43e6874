/* Images: formats, regions, numbers, and kernels that read and write them. */
#include <stdlib.h>

#include "tests/api/rig.h"
#include "tests/ct.h"

static const char source[] = "kernel void invert(read_only image2d_t from, write_only image2d_t to, sampler_t s) {\n"
                             "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
                             "  write_imagef(to, at, 1.0f - read_imagef(from, s, convert_float2(at) + 0.5f));\n"
                             "}\n"
                             "kernel void layer(read_only image1d_array_t from, global uint *to) {\n"
                             "  to[get_global_id(0)] = read_imageui(from, (int2)(get_global_id(0), 1)).x;\n"
                             "}\n";

static const ww_shape rgba = {.size = sizeof rgba, .kind = "2d", .format = "rgba.unorm_int8", .width = 20, .height = 9};

static ww_image *new_image(struct rig *rig, const char *name, const ww_shape *shape) {
  ww_image *image = NULL;
  rig_fine(rig, ww_image_new(rig->device, name, shape, &image, &rig->error));
  return image;
}

static const uint32_t origin[3] = {0, 0, 0}, all[3] = {20, 9, 1};

/* The rows of both images, with and without a pitch, in either layout. */
static void expect_regions(const char *machine) {
  ct_freed(rig_free) struct rig rig = rig_with(machine, source);
  ct_freed(ww_image_unref_at) ww_image *image = new_image(&rig, NULL, &rgba);
  uint8_t bytes[9 * 20 * 4], got[9 * 20 * 4] = {1};
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (uint8_t)(i * 7 + i / 80);
  rig_fine(&rig, ww_image_read(image, origin, all, got, 0, 0, &rig.error));
  EXPECT_EQ(got[0], 0);
  rig_fine(&rig, ww_image_write(image, origin, all, bytes, 0, 0, &rig.error));
  rig_fine(&rig, ww_image_read(image, origin, all, got, 0, 0, &rig.error));
  EXPECT_EQ(memcmp(got, bytes, sizeof got), 0);
  const uint32_t at[3] = {17, 7, 0}, region[3] = {3, 2, 1};
  rig_fine(&rig, ww_image_fill(image, at, region, (float[]){1, 0, 0.5f, 2}, &rig.error));
  rig_fine(&rig, ww_image_read(image, at, region, got, 80, 0, &rig.error));
  EXPECT_EQ(memcmp(got + 80 + 8, (uint8_t[]){255, 0, 128, 255}, 4), 0);
  rig_fine(&rig, ww_image_read(image, (uint32_t[]){16, 7, 0}, region, got, 0, 0, &rig.error));
  EXPECT_EQ(memcmp(got, bytes + 7 * 80 + 64, 4), 0);
}

TEST(image, a_region_is_read_written_and_filled_in_either_layout) {
  expect_regions("teaching");
  expect_regions("h200");
}

TEST(image, formats_have_the_names_sizes_and_numbers_of_opencl) {
  ww_image_format format = {.size = sizeof format};
  size_t count = 0;
  bool found = false;
  for (; ww_image_format_at(count, &format); count++) {
    EXPECT_TRUE(format.bytes && format.bytes <= 16 && strchr(format.name, '.'));
    if (strcmp(format.name, "bgra.unorm_int8") != 0)
      continue;
    found = true;
    EXPECT_EQ(format.order, 0x10b6);
    EXPECT_EQ(format.type, 0x10d2);
    EXPECT_EQ(format.bytes, 4);
    EXPECT_TRUE(!format.integer);
  }
  EXPECT_TRUE(found);
  EXPECT_GT(count, 60);
}

static ww_launch *invert(struct rig *rig, ww_image *from, ww_image *to) {
  ww_launch *launch = rig_launch(rig, "invert", 20, 0);
  const uint64_t global[2] = {20, 9};
  (void)(rig_fine(rig, ww_launch_range(launch, 2, NULL, global, NULL, &rig->error)) &&
         rig_fine(rig, ww_launch_image(launch, 0, from, &rig->error)) &&
         rig_fine(rig, ww_launch_image(launch, 1, to, &rig->error)) &&
         rig_fine(rig, ww_launch_sampler(launch, 2, "clamp_to_edge,nearest", &rig->error)));
  return launch;
}

TEST(image, a_kernel_reads_one_image_and_writes_another_over_a_buffer) {
  ct_freed(rig_free) struct rig rig = rig_with("h200", source);
  ct_freed(ww_buffer_unref_at) ww_buffer *buffer = NULL;
  ww_image *from = new_image(&rig, "from", &rgba), *to = NULL;
  ww_shape over = rgba;
  over.row_pitch = 128;
  rig_fine(&rig, ww_buffer_new(rig.device, "bytes", 2048, &buffer, &rig.error));
  rig_fine(&rig, ww_image_new_over(buffer, 256, "to", &over, &to, &rig.error));
  rig_fine(&rig, ww_image_fill(from, origin, all, (float[]){1, 0, 0.2f, 0}, &rig.error));
  ct_freed(ww_launch_unref_at) ww_launch *launch = invert(&rig, from, to);
  rig_fine(&rig, ww_run(rig.device, &launch, 1, NULL, NULL, &rig.error));
  const uint8_t *bytes = ww_buffer_data(buffer), wanted[4] = {0, 255, 204, 255};
  EXPECT_EQ(memcmp(bytes + 256, wanted, 4), 0);
  EXPECT_EQ(memcmp(bytes + 256 + 8 * 128 + 19 * 4, wanted, 4), 0);
  EXPECT_EQ(bytes[255] + bytes[256 + 80], 0);
  ww_image_unref(from);
  ww_image_unref(to);
}

TEST(image, arguments_report_their_image_type_and_access) {
  ct_freed(rig_free) struct rig rig = rig_with("teaching", source);
  const ww_kernel *kernel = NULL;
  rig_fine(&rig, ww_program_kernel(rig.program, "invert", &kernel, &rig.error));
  const ww_argument *from = ww_kernel_argument(kernel, 0), *to = ww_kernel_argument(kernel, 1);
  EXPECT_EQ(from->kind, WW_ARGUMENT_IMAGE);
  EXPECT_STREQ(from->image, "2d");
  EXPECT_STREQ(from->access, "read_only");
  EXPECT_STREQ(to->access, "write_only");
  EXPECT_STREQ(to->source_type, "image2d_t");
  EXPECT_EQ(ww_kernel_argument(kernel, 2)->kind, WW_ARGUMENT_SAMPLER);
  EXPECT_TRUE(!ww_kernel_argument(kernel, 2)->image);
}

TEST(image, layers_of_an_array_are_its_slices) {
  ct_freed(rig_free) struct rig rig = rig_with("teaching", source);
  const ww_shape shape = {
      .size = sizeof shape, .kind = "1d_array", .format = "r.unsigned_int32", .width = 64, .layers = 2};
  ct_freed(ww_image_unref_at) ww_image *image = new_image(&rig, NULL, &shape);
  ct_freed(ww_buffer_unref_at) ww_buffer *to = NULL;
  uint32_t bytes[128];
  for (uint32_t i = 0; i < 128; i++)
    bytes[i] = 1000 + i;
  rig_fine(&rig, ww_image_write(image, origin, (uint32_t[]){64, 1, 2}, bytes, 0, 0, &rig.error));
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_launch(&rig, "layer", 64, 0);
  rig_fine(&rig, ww_buffer_new(rig.device, "to", 256, &to, &rig.error));
  rig_fine(&rig, ww_launch_image(launch, 0, image, &rig.error));
  rig_fine(&rig, ww_launch_buffer(launch, 1, to, 0, &rig.error));
  rig_fine(&rig, ww_run(rig.device, &launch, 1, NULL, NULL, &rig.error));
  EXPECT_EQ(((uint32_t *)ww_buffer_data(to))[5], 1064 + 5);
}

/* Each run has its own images, which are freed before the next. */
static uint64_t run_again(struct rig *rig, uint32_t width) {
  ww_shape shape = rgba;
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  shape.width = width;
  ww_image *from = new_image(rig, "from", &shape), *to = new_image(rig, "to", &shape);
  ct_freed(ww_launch_unref_at) ww_launch *launch = invert(rig, from, to);
  rig_fine(rig, ww_run(rig->device, &launch, 1, NULL, &report, &rig->error));
  const uint64_t cycles = ww_report_cycles(report, 0);
  ww_image_unref(from);
  ww_image_unref(to);
  return cycles;
}

TEST(image, a_recording_contains_images_created_and_freed_between_runs) {
  ct_freed(rig_free) struct rig rig = rig_with("teaching", source);
  struct kept kept = {NULL, 0};
  ct_freed(ww_trace_unref_at) ww_trace *trace = NULL;
  ct_freed(ww_report_unref_at) ww_report *replay = NULL;
  uint64_t cycles[3];
  run_again(&rig, 33);
  rig_fine(&rig, ww_device_record(rig.device, rig_sink(&kept), &rig.error));
  for (uint32_t i = 0; i < 3; i++)
    cycles[i] = run_again(&rig, 20 + i * 8);
  rig_fine(&rig, ww_device_record_end(rig.device, &rig.error));
  rig_fine(&rig, ww_trace_open(rig.context, (ww_bytes){kept.text, kept.length, NULL}, false, &trace, &rig.error));
  rig_fine(&rig, ww_trace_replay(trace, NULL, NULL, &replay, &rig.error));
  for (size_t i = 0; i < 3; i++)
    EXPECT_EQ(ww_report_cycles(replay, i), cycles[i]);
  free(kept.text);
}

TEST(image, a_recording_ends_when_image_numbers_run_out) {
  ct_freed(rig_free) struct rig rig = rig_with("teaching", source);
  struct kept kept = {NULL, 0};
  const ww_shape small = {.size = sizeof small, .kind = "1d", .format = "r.float", .width = 1};
  rig_fine(&rig, ww_device_record(rig.device, rig_sink(&kept), &rig.error));
  run_again(&rig, 20);
  for (int i = 0; i < 4096; i++)
    ww_image_unref(new_image(&rig, NULL, &small));
  run_again(&rig, 28);
  rig_refused(&rig, ww_device_record_end(rig.device, &rig.error), WW_UNSUPPORTED,
              "the trace ends with launch 1: image 'from' has the number of one that was released");
  free(kept.text);
}

TEST(image, numbers_are_reused_after_their_images_are_freed) {
  ct_freed(rig_free) struct rig rig = rig_with("teaching", source);
  const ww_shape small = {.size = sizeof small, .kind = "1d", .format = "r.float", .width = 1};
  for (int i = 0; i < 5000; i++) {
    ct_freed(ww_image_unref_at) ww_image *image = NULL;
    if (!rig_fine(&rig, ww_image_new(rig.device, NULL, &small, &image, &rig.error)))
      break;
  }
}

TEST(image, errors_are_reported) {
  ct_freed(rig_free) struct rig rig = rig_with("teaching", source);
  ww_image *image = NULL, *good = new_image(&rig, NULL, &rgba);
  ct_freed(ww_buffer_unref_at) ww_buffer *buffer = NULL;
  ww_error *error = &rig.error;
  uint8_t bytes[4096];
  ww_shape shape = rgba;
  rig_fine(&rig, ww_buffer_new(rig.device, NULL, 700, &buffer, error));
  rig_refused(&rig, ww_image_new(NULL, NULL, &rgba, &image, error), WW_BAD_INPUT, "device: is NULL");
  rig_refused(&rig, ww_image_new(rig.device, "", &rgba, &image, error), WW_BAD_INPUT, "name: ");
  shape.format = "rgba.unorm_int9";
  rig_refused(&rig, ww_image_new(rig.device, NULL, &shape, &image, error), WW_BAD_INPUT,
              "shape: no channel type 'unorm_int9'");
  shape.format = NULL;
  rig_refused(&rig, ww_image_new(rig.device, NULL, &shape, &image, error), WW_BAD_INPUT, "shape: has no format");
  shape = rgba;
  shape.kind = "4d";
  rig_refused(&rig, ww_image_new(rig.device, NULL, &shape, &image, error), WW_BAD_INPUT, "no kind of image '4d'");
  shape = rgba;
  shape.height = 0;
  rig_refused(&rig, ww_image_new(rig.device, NULL, &shape, &image, error), WW_BAD_INPUT, "shape: 20 x 0 x 1 texels");
  shape = rgba;
  shape.row_pitch = 128;
  rig_refused(&rig, ww_image_new(rig.device, NULL, &shape, &image, error), WW_BAD_INPUT,
              "shape: only an image over a buffer");
  rig_refused(&rig, ww_image_new_over(buffer, 0, NULL, &rgba, &image, error), WW_BAD_INPUT,
              "shape: the image has 720 bytes, but buffer 'buffer' has 700 after");
  /* Sizes that are small again if their product wraps. */
  shape = (ww_shape){
      .size = sizeof shape, .kind = "2d_array", .format = "r.unorm_int8", .width = 1, .height = 2, .layers = 9};
  shape.row_pitch = UINT64_C(1) << 63;
  rig_refused(&rig, ww_image_new_over(buffer, 0, NULL, &shape, &image, error), WW_BAD_INPUT, "shape.row_pitch: 2 rows");
  shape.slice_pitch = 2;
  rig_refused(&rig, ww_image_new_over(buffer, 0, NULL, &shape, &image, error), WW_BAD_INPUT, "less than 2^40 bytes");
  shape.row_pitch = 0;
  shape.slice_pitch = UINT64_C(1) << 61;
  rig_refused(&rig, ww_image_new_over(buffer, 0, NULL, &shape, &image, error), WW_BAD_INPUT, "less than 2^40 bytes");
  shape.layers = (1 << 25) + 1;
  shape.slice_pitch = UINT64_C(1) << 39;
  rig_refused(&rig, ww_image_new_over(buffer, 0, NULL, &shape, &image, error), WW_BAD_INPUT, "less than 2^40 bytes");
  shape = rgba;
  shape.height = 2;
  rig_refused(&rig, ww_image_new_over(buffer, 6, NULL, &shape, &image, error), WW_BAD_INPUT,
              "offset: 6 is not a multiple");
  EXPECT_TRUE(!image);
  rig_refused(&rig, ww_image_read(good, (uint32_t[]){1, 0, 0}, all, bytes, 0, 0, error), WW_BAD_INPUT,
              "region[0]: 20 texels starting at 1 are not in [0, 19]");
  rig_refused(&rig, ww_image_read(good, origin, (uint32_t[]){1, 1, 0}, bytes, 0, 0, error), WW_BAD_INPUT, "region[2]");
  rig_refused(&rig, ww_image_write(good, origin, all, bytes, 79, 0, error), WW_BAD_INPUT, "row_pitch: 79 is less");
  rig_refused(&rig, ww_image_write(good, origin, all, bytes, 0, 719, error), WW_BAD_INPUT, "slice_pitch: 719 is less");
  rig_refused(&rig, ww_image_read(good, origin, all, bytes, UINT64_C(1) << 62, 0, error), WW_BAD_INPUT,
              "row_pitch: 9 rows");
  rig_refused(&rig, ww_image_read(good, origin, all, bytes, UINT64_C(1) << 60, 0, error), WW_BAD_INPUT,
              "pitch: 1 slices");
  rig_refused(&rig, ww_image_fill(good, origin, all, NULL, error), WW_BAD_INPUT, "color: is NULL");
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_launch(&rig, "layer", 64, 0);
  rig_refused(&rig, ww_launch_image(launch, 0, good, error), WW_BAD_INPUT,
              "image 'image' is of kind 2d, but the kernel's argument 'from' is image1d_array");
  rig_refused(&rig, ww_launch_image(launch, 1, good, error), WW_BAD_INPUT, "an image does not fit");
  rig_refused(&rig, ww_launch_sampler(launch, 1, "linear", error), WW_BAD_INPUT, "a sampler does not fit");
  rig_refused(&rig, ww_launch_sampler(launch, 1, "cubic", error), WW_BAD_INPUT, "sampler: a sampler has no 'cubic'");
  rig_refused(&rig, ww_launch_buffer(launch, 0, buffer, 0, error), WW_BAD_INPUT, "a buffer does not fit");
  ww_image_unref(NULL);
  EXPECT_TRUE(!ww_image_ref(NULL));
  ww_image_unref(good);
}
