/* Buffers: sub-buffers, boxes, patterns, maps, and host memory. */
#include <string.h>

#include "tests/icd/rig.h"

TEST(memory, a_sub_buffer_shares_the_bytes_of_its_buffer) {
  struct rig rig = rig_new();
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
  rig_free(&rig);
}

TEST(memory, boxes_are_read_written_and_copied_by_rows_and_slices) {
  struct rig rig = rig_new();
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
  rig_free(&rig);
}

TEST(memory, patterns_fill_and_ranges_are_copied) {
  struct rig rig = rig_new();
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
  rig_free(&rig);
}

TEST(memory, a_map_is_the_bytes_themselves) {
  struct rig rig = rig_new();
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
  rig_free(&rig);
}

TEST(memory, host_memory_is_up_to_date_while_mapped) {
  struct rig rig = rig_new();
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
  rig_free(&rig);
}

static void CL_CALLBACK note_end(cl_mem memory, void *self) {
  (void)memory;
  ++*(int *)self;
}

TEST(memory, destructor_callbacks_are_called) {
  struct rig rig = rig_new();
  cl_mem data = rig_numbers(&rig);
  int ends = 0;
  EXPECT_EQ(clSetMemObjectDestructorCallback(data, note_end, &ends), CL_SUCCESS);
  EXPECT_EQ(clRetainMemObject(data), CL_SUCCESS);
  EXPECT_EQ(clReleaseMemObject(data), CL_SUCCESS);
  EXPECT_EQ(ends, 0);
  EXPECT_EQ(clReleaseMemObject(data), CL_SUCCESS);
  EXPECT_EQ(ends, 1);
  rig_free(&rig);
}

TEST(memory, a_kernel_does_not_keep_its_arguments_alive) {
  struct rig rig = rig_new();
  cl_mem data = rig_numbers(&rig);
  cl_kernel plus = rig_plus(&rig, data, 1);
  int ends = 0;
  EXPECT_EQ(clSetMemObjectDestructorCallback(data, note_end, &ends), CL_SUCCESS);
  EXPECT_EQ(clReleaseMemObject(data), CL_SUCCESS);
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(rig_launch(&rig, rig.queue, plus, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
  clReleaseKernel(plus);
  rig_free(&rig);
}

TEST(memory, a_launch_keeps_its_arguments_alive) {
  struct rig rig = rig_new();
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
  rig_free(&rig);
}
