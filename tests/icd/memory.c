/* Buffers: sub-buffers, boxes, patterns, maps, and host memory. */
#include <string.h>

#include "tests/icd/rig.h"

TEST(memory, a_sub_buffer_shares_the_bytes_of_its_buffer) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS;
  cl_mem whole = rig_numbers(&rig);
  cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){128, 128}, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  cl_kernel plus = rig_plus(&rig, part, 1000);
  const size_t global = 32;
  EXPECT_EQ(clEnqueueNDRangeKernel(rig.queue, plus, 1, NULL, &global, NULL, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(rig_at(&rig, whole, 31), 31);
  EXPECT_EQ(rig_at(&rig, whole, 32), 1032);
  EXPECT_EQ(rig_at(&rig, part, 31), 1063);
  EXPECT_TRUE(!clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){4, 8}, &status));
  EXPECT_EQ(status, CL_MISALIGNED_SUB_BUFFER_OFFSET);
  EXPECT_TRUE(!clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){128, 129}, &status));
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_TRUE(!clCreateSubBuffer(part, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, 8}, &status));
  EXPECT_EQ(status, CL_INVALID_MEM_OBJECT);
  clReleaseMemObject(whole);
  EXPECT_EQ(rig_at(&rig, part, 0), 1032); /* the buffer lives as long as its sub-buffer */
  clReleaseKernel(plus);
  clReleaseMemObject(part);
}

TEST(memory, boxes_are_read_written_and_copied_by_rows_and_slices) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_mem data = rig_numbers(&rig); /* 4 slices of 4 rows of 4 numbers */
  cl_int got[8] = {0};
  const size_t at[] = {4, 1, 2}, zero[] = {0, 0, 0}, box[] = {8, 2, 2};
  EXPECT_EQ(clEnqueueReadBufferRect(rig.queue, data, CL_TRUE, at, zero, box, 16, 64, 8, 16, got, 0, NULL, NULL),
            CL_SUCCESS);
  const cl_int wanted[] = {37, 38, 41, 42, 53, 54, 57, 58};
  EXPECT_EQ(memcmp(got, wanted, sizeof wanted), 0);
  const cl_int put[8] = {-1, -2, -3, -4, -5, -6, -7, -8};
  EXPECT_EQ(clEnqueueWriteBufferRect(rig.queue, data, CL_TRUE, at, zero, box, 16, 64, 8, 16, put, 0, NULL, NULL),
            CL_SUCCESS);
  EXPECT_EQ(rig_at(&rig, data, 36), 36);
  EXPECT_EQ(rig_at(&rig, data, 57), -7);
  EXPECT_EQ(clEnqueueCopyBufferRect(rig.queue, data, data, at, zero, box, 16, 64, 16, 64, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(rig_at(&rig, data, 0), -1);
  EXPECT_EQ(rig_at(&rig, data, 5), -4);
  EXPECT_EQ(rig_at(&rig, data, 16), -5);
  EXPECT_EQ(clEnqueueCopyBufferRect(rig.queue, data, data, at, at, box, 16, 64, 16, 64, 0, NULL, NULL),
            CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(clEnqueueReadBufferRect(rig.queue, data, CL_TRUE, at, zero, box, 4, 64, 8, 16, got, 0, NULL, NULL),
            CL_INVALID_VALUE);
  const size_t far[] = {12, 3, 3};
  EXPECT_EQ(clEnqueueReadBufferRect(rig.queue, data, CL_TRUE, far, zero, box, 16, 64, 8, 16, got, 0, NULL, NULL),
            CL_INVALID_VALUE);
  clReleaseMemObject(data);
}

/* Pitches and origins whose products and sums exceed 64 bits. Each would wrap to a place within the buffer. */
TEST(memory, rectangles_that_exceed_64_bits_are_invalid) {
  const size_t half = (size_t)1 << 63, quarter = half / 2, most = SIZE_MAX;
  const struct {
    size_t at[3], region[3], row, slice;
  } rows[] = {
      {{0, 0, 0}, {4, 3, 1}, half, 0},         {{0, 0, 0}, {4, 3, 1}, half, half},
      {{0, 0, 0}, {4, 1, 3}, 4, half},         {{0, 0, 0}, {4, 1, 3}, 0, half},
      {{0, 0, 0}, {4, 5, 1}, quarter, 0},      {{0, 0, 0}, {4, 2, 5}, 4, quarter},
      {{half, half, 0}, {4, 1, 1}, 4, 0},      {{0, half, 0}, {4, 1, 1}, 4, 0},
      {{0, 0, half}, {4, 2, 1}, 4, 8},         {{half, 0, 0}, {4, 1, 1}, 0, 0},
      {{most - 3, 0, 0}, {4, 1, 1}, 0, 0},     {{most, 0, 0}, {1, 1, 1}, 0, 0},
      {{0, most, 0}, {4, 2, 1}, 4, 0},         {{0, 0, most}, {4, 1, 2}, 4, 0},
      {{0, 0, 0}, {4, half, 2}, 4, 0},         {{0, 0, 0}, {4, 2, half}, 4, 0},
      {{0, 0, 0}, {most, 1, 1}, 0, 0},         {{4, 0, 0}, {most - 3, 1, 1}, 0, 0},
      {{0, 0, 0}, {4, most, 1}, 4, 0},         {{0, 0, 0}, {4, 1, most}, 4, 0},
      {{0, 0, 0}, {4, half / 2 + 1, 1}, 4, 0}, {{0, 0, 0}, {4, 2, half / 4 + 1}, 4, 8},
      {{0, 1, 0}, {4, 1, 1}, most, most},      {{4, 1, 1}, {4, 1, 1}, half, half},
  };
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_mem data = rig_numbers(&rig), to = rig_numbers(&rig);
  cl_int got[64] = {0};
  const size_t zero[3] = {0, 0, 0};
  cl_command_queue q = rig.queue;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const size_t *at = rows[i].at, *region = rows[i].region, row = rows[i].row, slice = rows[i].slice;
    EXPECT_EQ(clEnqueueReadBufferRect(q, data, CL_TRUE, at, zero, region, row, slice, 0, 0, got, 0, NULL, NULL),
              CL_INVALID_VALUE);
    EXPECT_EQ(clEnqueueReadBufferRect(q, data, CL_TRUE, zero, at, region, 0, 0, row, slice, got, 0, NULL, NULL),
              CL_INVALID_VALUE);
    EXPECT_EQ(clEnqueueWriteBufferRect(q, data, CL_TRUE, at, zero, region, row, slice, 0, 0, got, 0, NULL, NULL),
              CL_INVALID_VALUE);
    EXPECT_EQ(clEnqueueWriteBufferRect(q, data, CL_TRUE, zero, at, region, 0, 0, row, slice, got, 0, NULL, NULL),
              CL_INVALID_VALUE);
    EXPECT_EQ(clEnqueueCopyBufferRect(q, data, to, at, zero, region, row, slice, 0, 0, 0, NULL, NULL),
              CL_INVALID_VALUE);
    EXPECT_EQ(clEnqueueCopyBufferRect(q, data, to, zero, at, region, 0, 0, row, slice, 0, NULL, NULL),
              CL_INVALID_VALUE);
    EXPECT_EQ(clEnqueueCopyBufferRect(q, data, data, zero, at, region, row, slice, row, slice, 0, NULL, NULL),
              CL_INVALID_VALUE);
  }
  EXPECT_EQ(got[0], 0);
  EXPECT_EQ(clEnqueueReadBufferRect(q, data, CL_TRUE, (size_t[]){8, 0, 0}, zero, (size_t[]){4, 1, 1}, half, half, most,
                                    most, got, 0, NULL, NULL),
            CL_SUCCESS); /* a pitch without a second row has no effect */
  EXPECT_EQ(got[0], 2);
  clReleaseMemObject(data);
  clReleaseMemObject(to);
}

/* Boxes with gaps may interleave without sharing a byte. The expected answer comes from comparing all bytes. */
TEST(memory, boxes_overlap_if_they_share_a_byte) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS, overlaps = 0, copies = 0;
  cl_mem whole = clCreateBuffer(rig.context, 0, 512, NULL, &status);
  cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){128, 384}, &status);
  unsigned random = 1;
  for (int round = 0; round < 3000; round++) {
    size_t at[2][3], region[3], row[2], slice[2];
    bool taken[512] = {false}, overlap = false;
    for (int i = 0; i < 3; i++)
      region[i] = 1 + (random = random * 1103515245 + 12345) / 65536 % 4;
    for (int box = 0; box < 2; box++) {
      row[box] = region[0] + (random = random * 1103515245 + 12345) / 65536 % 6;
      slice[box] = row[box] * (region[1] + (random = random * 1103515245 + 12345) / 65536 % 3);
      for (int i = 0; i < 3; i++)
        at[box][i] = (random = random * 1103515245 + 12345) / 65536 % (i ? 2 : 40);
    }
    if (round % 2) /* else of different sub-buffers, which may have other pitches */
      row[1] = row[0], slice[1] = slice[0];
    for (int box = 0; box < 2; box++)
      for (size_t i = 0; i < region[0] * region[1] * region[2]; i++) {
        const size_t x = i % region[0], y = i / region[0] % region[1], z = i / region[0] / region[1];
        const size_t byte = (box && round % 2 == 0 ? 128 : 0) + at[box][0] + x + (at[box][1] + y) * row[box] +
                            (at[box][2] + z) * slice[box];
        overlap = overlap || (box && taken[byte]);
        taken[byte] = true;
      }
    const cl_int got = clEnqueueCopyBufferRect(rig.queue, whole, round % 2 ? whole : part, at[0], at[1], region, row[0],
                                               slice[0], row[1], slice[1], 0, NULL, NULL);
    EXPECT_EQ(got, overlap ? CL_MEM_COPY_OVERLAP : CL_SUCCESS);
    *(overlap ? &overlaps : &copies) += 1;
  }
  EXPECT_TRUE(overlaps > 300 && copies > 300);
  clReleaseMemObject(part);
  clReleaseMemObject(whole);
}

TEST(memory, one_buffer_may_have_either_pitch_twice) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_mem data = rig_numbers(&rig);
  const size_t from[3] = {0, 0, 0}, to[3] = {128, 0, 0}, region[3] = {4, 2, 2};
  EXPECT_EQ(clEnqueueCopyBufferRect(rig.queue, data, data, from, to, region, 8, 16, 8, 32, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(rig_at(&rig, data, 32), 0);
  EXPECT_EQ(rig_at(&rig, data, 34), 2);
  EXPECT_EQ(rig_at(&rig, data, 40), 4);
  EXPECT_EQ(rig_at(&rig, data, 42), 6);
  EXPECT_EQ(clEnqueueCopyBufferRect(rig.queue, data, data, from, to, region, 8, 16, 4, 32, 0, NULL, NULL),
            CL_INVALID_VALUE);
  clReleaseMemObject(data);
}

TEST(memory, ranges_that_exceed_64_bits_are_invalid) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS, value = 0;
  cl_mem data = rig_numbers(&rig), to = rig_numbers(&rig);
  const size_t limits[] = {(size_t)1 << 32, (size_t)1 << 63, SIZE_MAX - 3, SIZE_MAX - 127};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    for (size_t other = 4; other <= 128; other *= 32) {
      const size_t huge = limits[i];
      const cl_buffer_region far = {huge, other}, big = {128, huge};
      EXPECT_EQ(clEnqueueReadBuffer(rig.queue, data, CL_TRUE, huge, other, &value, 0, NULL, NULL), CL_INVALID_VALUE);
      EXPECT_EQ(clEnqueueWriteBuffer(rig.queue, data, CL_TRUE, other, huge, &value, 0, NULL, NULL), CL_INVALID_VALUE);
      EXPECT_EQ(clEnqueueCopyBuffer(rig.queue, data, to, huge, 0, other, 0, NULL, NULL), CL_INVALID_VALUE);
      EXPECT_EQ(clEnqueueCopyBuffer(rig.queue, data, to, 0, huge, other, 0, NULL, NULL), CL_INVALID_VALUE);
      EXPECT_EQ(clEnqueueCopyBuffer(rig.queue, data, to, other, other, huge, 0, NULL, NULL), CL_INVALID_VALUE);
      EXPECT_EQ(clEnqueueFillBuffer(rig.queue, data, &value, 4, huge, other, 0, NULL, NULL), CL_INVALID_VALUE);
      EXPECT_EQ(clEnqueueFillBuffer(rig.queue, data, &value, 4, other, huge, 0, NULL, NULL), CL_INVALID_VALUE);
      EXPECT_EQ(clEnqueueFillBuffer(rig.queue, data, &value, huge, 0, 4, 0, NULL, NULL), CL_INVALID_VALUE);
      EXPECT_TRUE(!clEnqueueMapBuffer(rig.queue, data, CL_TRUE, CL_MAP_READ, huge, other, 0, NULL, NULL, &status));
      EXPECT_EQ(status, CL_INVALID_VALUE);
      EXPECT_TRUE(!clEnqueueMapBuffer(rig.queue, data, CL_TRUE, CL_MAP_READ, other, huge, 0, NULL, NULL, &status));
      EXPECT_EQ(status, CL_INVALID_VALUE);
      EXPECT_TRUE(!clCreateSubBuffer(data, 0, CL_BUFFER_CREATE_TYPE_REGION, &far, &status));
      EXPECT_EQ(status, CL_INVALID_VALUE);
      EXPECT_TRUE(!clCreateSubBuffer(data, 0, CL_BUFFER_CREATE_TYPE_REGION, &big, &status));
      EXPECT_EQ(status, CL_INVALID_VALUE);
    }
  const char *texts[] = {"kernel void k(void) {}", "kernel void l(void) {}"};
  const size_t lengths[2][2] = {{SIZE_MAX, 0}, {SIZE_MAX - 8, 10}};
  for (int i = 0; i < 2; i++) {
    EXPECT_TRUE(!clCreateProgramWithSource(rig.context, 2, texts, lengths[i], &status));
    EXPECT_EQ(status, CL_OUT_OF_HOST_MEMORY);
  }
  clReleaseMemObject(data);
  clReleaseMemObject(to);
}

TEST(memory, patterns_fill_and_ranges_are_copied) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_mem data = rig_numbers(&rig);
  const cl_int pattern[2] = {7, 8};
  EXPECT_EQ(clEnqueueFillBuffer(rig.queue, data, pattern, 8, 16, 24, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(rig_at(&rig, data, 3), 3);
  EXPECT_EQ(rig_at(&rig, data, 4), 7);
  EXPECT_EQ(rig_at(&rig, data, 9), 8);
  EXPECT_EQ(rig_at(&rig, data, 10), 10);
  EXPECT_EQ(clEnqueueFillBuffer(rig.queue, data, pattern, 8, 4, 24, 0, NULL, NULL), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueCopyBuffer(rig.queue, data, data, 16, 128, 24, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(rig_at(&rig, data, 32), 7);
  EXPECT_EQ(clEnqueueCopyBuffer(rig.queue, data, data, 16, 20, 24, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(clEnqueueCopyBuffer(rig.queue, data, data, 16, 250, 24, 0, NULL, NULL), CL_INVALID_VALUE);
  clReleaseMemObject(data);
}

TEST(memory, a_map_is_the_bytes_themselves) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS;
  cl_uint count = 0;
  cl_mem data = rig_numbers(&rig);
  cl_kernel plus = rig_plus(&rig, data, 5);
  cl_int *map =
      clEnqueueMapBuffer(rig.queue, data, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 16, 32, 0, NULL, NULL, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(map[0], 4);
  map[1] = 500;
  EXPECT_EQ(clGetMemObjectInfo(data, CL_MEM_MAP_COUNT, sizeof count, &count, NULL), CL_SUCCESS);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(clEnqueueUnmapMemObject(rig.queue, data, map + 1, 0, NULL, NULL), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueUnmapMemObject(rig.queue, data, map, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(rig_launch(&rig, rig.queue, plus, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(rig_at(&rig, data, 5), 505);
  clReleaseKernel(plus);
  clReleaseMemObject(data);
}

TEST(memory, host_memory_is_up_to_date_while_mapped) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int own[64] = {1, 2, 3}, status = CL_SUCCESS;
  cl_mem data = clCreateBuffer(rig.context, CL_MEM_USE_HOST_PTR, sizeof own, own, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  cl_kernel plus = rig_plus(&rig, data, 10);
  EXPECT_EQ(rig_launch(&rig, rig.queue, plus, 0, NULL, NULL), CL_SUCCESS);
  cl_int *map =
      clEnqueueMapBuffer(rig.queue, data, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 256, 0, NULL, NULL, &status);
  EXPECT_TRUE(map == own);
  EXPECT_EQ(own[2], 13);
  own[2] = 100;
  EXPECT_EQ(clEnqueueUnmapMemObject(rig.queue, data, map, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(rig_launch(&rig, rig.queue, plus, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(rig_at(&rig, data, 2), 110);
  clReleaseKernel(plus);
  clReleaseMemObject(data);
}

static void CL_CALLBACK note_end(cl_mem memory, void *self) {
  (void)memory;
  ++*(int *)self;
}

TEST(memory, destructor_callbacks_are_called) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_mem data = rig_numbers(&rig);
  int ends = 0;
  EXPECT_EQ(clSetMemObjectDestructorCallback(data, note_end, &ends), CL_SUCCESS);
  EXPECT_EQ(clRetainMemObject(data), CL_SUCCESS);
  EXPECT_EQ(clReleaseMemObject(data), CL_SUCCESS);
  EXPECT_EQ(ends, 0);
  EXPECT_EQ(clReleaseMemObject(data), CL_SUCCESS);
  EXPECT_EQ(ends, 1);
}

TEST(memory, a_kernel_does_not_keep_its_arguments_alive) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_mem data = rig_numbers(&rig);
  cl_kernel plus = rig_plus(&rig, data, 1);
  int ends = 0;
  EXPECT_EQ(clSetMemObjectDestructorCallback(data, note_end, &ends), CL_SUCCESS);
  EXPECT_EQ(clReleaseMemObject(data), CL_SUCCESS);
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(rig_launch(&rig, rig.queue, plus, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
  clReleaseKernel(plus);
}

TEST(memory, a_launch_keeps_its_arguments_alive) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS;
  cl_mem data = rig_numbers(&rig);
  cl_kernel plus = rig_plus(&rig, data, 1);
  cl_event user = clCreateUserEvent(rig.context, &status);
  int ends = 0;
  EXPECT_EQ(clSetMemObjectDestructorCallback(data, note_end, &ends), CL_SUCCESS);
  EXPECT_EQ(rig_launch(&rig, rig.queue, plus, 1, &user, NULL), CL_SUCCESS);
  EXPECT_EQ(clReleaseMemObject(data), CL_SUCCESS);
  EXPECT_EQ(ends, 0);
  EXPECT_EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(ends, 1);
  clReleaseEvent(user);
  clReleaseKernel(plus);
}
