/* The specification's codes for each error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/icd/rig.h"

/* A pointer to a released object. */
static cl_mem released(struct rig *rig) {
  cl_mem data = rig_numbers(rig);
  clReleaseMemObject(data);
  return data;
}

TEST(driver_errors, of_contexts_and_queues) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS;
  const cl_context_properties bad[] = {0x7777, 0, 0}, platform[] = {CL_CONTEXT_PLATFORM, 0, 0};
  EXPECT_TRUE(!clCreateContext(bad, 1, rig.device, NULL, NULL, &status));
  EXPECT_EQ(status, CL_INVALID_PROPERTY);
  EXPECT_TRUE(!clCreateContext(platform, 1, rig.device, NULL, NULL, &status));
  EXPECT_EQ(status, CL_INVALID_PLATFORM);
  EXPECT_TRUE(!clCreateContext(NULL, 1, rig.device, NULL, &rig, &status));
  EXPECT_EQ(status, CL_INVALID_VALUE);
  const cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES,
                                           CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  EXPECT_TRUE(!clCreateCommandQueueWithProperties(rig.context, rig.device[0], on_device, &status));
  EXPECT_EQ(status, CL_INVALID_QUEUE_PROPERTIES);
  const cl_queue_properties unknown[] = {CL_QUEUE_PROPERTIES, 1 << 20, 0};
  EXPECT_TRUE(!clCreateCommandQueueWithProperties(rig.context, rig.device[0], unknown, &status));
  EXPECT_EQ(status, CL_INVALID_VALUE);
  cl_uint size = 0;
  EXPECT_EQ(clGetCommandQueueInfo(rig.queue, CL_QUEUE_SIZE, sizeof size, &size, NULL), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clGetContextInfo(rig.context, 0x7777, 0, NULL, NULL), CL_INVALID_VALUE);
}

TEST(driver_errors, of_buffers) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS, value = 0;
  EXPECT_TRUE(!clCreateBuffer(rig.context, 0, 0, NULL, &status));
  EXPECT_EQ(status, CL_INVALID_BUFFER_SIZE);
  EXPECT_TRUE(!clCreateBuffer(rig.context, 0, SIZE_MAX, NULL, &status));
  EXPECT_EQ(status, CL_INVALID_BUFFER_SIZE);
  EXPECT_TRUE(!clCreateBuffer(rig.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, NULL, &status));
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_TRUE(!clCreateBuffer(rig.context, CL_MEM_COPY_HOST_PTR, 4, NULL, &status));
  EXPECT_EQ(status, CL_INVALID_HOST_PTR);
  EXPECT_TRUE(!clCreateBuffer(rig.context, 0, 4, &value, &status));
  EXPECT_EQ(status, CL_INVALID_HOST_PTR);
  cl_mem hidden = clCreateBuffer(rig.context, CL_MEM_HOST_NO_ACCESS, 4, NULL, &status), data = rig_numbers(&rig);
  EXPECT_EQ(clEnqueueReadBuffer(rig.queue, hidden, CL_TRUE, 0, 4, &value, 0, NULL, NULL), CL_INVALID_OPERATION);
  EXPECT_EQ(clEnqueueReadBuffer(rig.queue, data, CL_TRUE, 0, 4, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueReadBuffer(rig.queue, data, CL_TRUE, 254, 4, &value, 0, NULL, NULL), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueReadBuffer(rig.queue, data, CL_TRUE, SIZE_MAX, 4, &value, 0, NULL, NULL), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueReadBuffer(rig.queue, released(&rig), CL_TRUE, 0, 4, &value, 0, NULL, NULL),
            CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueReadBuffer(rig.queue, (cl_mem)rig.queue, CL_TRUE, 0, 4, &value, 0, NULL, NULL),
            CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueReadBuffer(rig.queue, data, CL_TRUE, 0, 4, &value, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(clEnqueueReadBuffer(rig.queue, data, CL_TRUE, 0, 4, &value, 1, (cl_event *)&data, NULL),
            CL_INVALID_EVENT_WAIT_LIST);
  clReleaseMemObject(hidden);
  clReleaseMemObject(data);
}

TEST(driver_errors, of_programs_and_kernels) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS, value = 0;
  const char *wrong = "kernel void k(void) {\n  x = 1;\n}", *none = NULL;
  char log[400] = "";
  cl_program program = clCreateProgramWithSource(rig.context, 1, &wrong, NULL, &status);
  EXPECT_TRUE(!clCreateKernel(program, "k", &status));
  EXPECT_EQ(status, CL_INVALID_PROGRAM_EXECUTABLE);
  EXPECT_EQ(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_EQ(clGetProgramBuildInfo(program, rig.device[0], CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL), CL_SUCCESS);
  EXPECT_CONTAINS(log, "kernel.cl:2:3: error: use of undeclared identifier 'x'");
  EXPECT_EQ(clBuildProgram(program, 0, NULL, "-no-such-option", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
  EXPECT_TRUE(!clCreateProgramWithSource(rig.context, 1, &none, NULL, &status));
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_TRUE(!clCreateProgramWithIL(rig.context, "no SPIR-V", 9, &status));
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_TRUE(!clCreateKernel(rig.program, "minus", &status));
  EXPECT_EQ(status, CL_INVALID_KERNEL_NAME);
  cl_kernel plus = rig_kernel(&rig, "plus");
  EXPECT_EQ(clBuildProgram(rig.program, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
  EXPECT_EQ(clSetKernelArg(plus, 2, 4, &value), CL_INVALID_ARG_INDEX);
  EXPECT_EQ(clSetKernelArg(plus, 1, 8, &value), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(clSetKernelArg(plus, 1, 4, NULL), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(clSetKernelArg(plus, 0, 4, &value), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(clSetKernelArg(plus, 0, sizeof plus, &plus), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(rig_launch(&rig, rig.queue, plus, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
  clReleaseKernel(plus);
  clReleaseProgram(program);
}

TEST(driver_errors, of_launches) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_mem data = rig_numbers(&rig);
  cl_kernel plus = rig_plus(&rig, data, 1), eight = rig_kernel(&rig, "eight");
  const size_t global[3] = {64, 64, 64}, none[1] = {0}, huge[1] = {4096}, odd[1] = {7}, nothing[1] = {0};
  EXPECT_EQ(clSetKernelArg(eight, 0, sizeof data, &data), CL_SUCCESS);
  EXPECT_EQ(clEnqueueNDRangeKernel(rig.queue, plus, 0, NULL, global, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
  EXPECT_EQ(clEnqueueNDRangeKernel(rig.queue, plus, 4, NULL, global, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
  EXPECT_EQ(clEnqueueNDRangeKernel(rig.queue, plus, 1, NULL, global, huge, 0, NULL, NULL), CL_INVALID_WORK_ITEM_SIZE);
  EXPECT_EQ(clEnqueueNDRangeKernel(rig.queue, plus, 1, NULL, global, none, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(clEnqueueNDRangeKernel(rig.queue, plus, 3, NULL, global, global, 0, NULL, NULL),
            CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(clEnqueueNDRangeKernel(rig.queue, eight, 1, NULL, global, odd, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(clEnqueueNDRangeKernel(rig.queue, eight, 1, NULL, global, NULL, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(rig_at(&rig, data, 63), 8);
  EXPECT_EQ(clEnqueueNDRangeKernel(rig.queue, plus, 1, NULL, nothing, NULL, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(clEnqueueNDRangeKernel(NULL, plus, 1, NULL, global, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
  clReleaseKernel(plus);
  clReleaseKernel(eight);
  clReleaseMemObject(data);
}

static void CL_CALLBACK note_reason(const char *text, const void *data, size_t size, void *self) {
  (void)data, (void)size;
  snprintf(self, 400, "%s", text);
}

/* Local memory that does not fit, declared, as arguments, or both, on each device. */
/* OpenCL 2.1 and later: such a launch does nothing, and its event completes. */
TEST(driver_errors, a_launch_without_work_items_is_none) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_mem data = rig_numbers(&rig);
  cl_kernel plus = rig_plus(&rig, data, 1);
  const size_t none[3] = {4, 0, 4};
  for (cl_uint dimensions = 1; dimensions <= 3; dimensions++)
    EXPECT_EQ(clEnqueueNDRangeKernel(rig.queue, plus, dimensions, NULL, NULL, NULL, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(clEnqueueNDRangeKernel(rig.queue, plus, 3, NULL, none, NULL, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(clFinish(rig.queue), CL_SUCCESS);
  clReleaseKernel(plus);
  clReleaseMemObject(data);
}

TEST(driver_errors, launches_that_cannot_fit_are_refused_when_they_are_enqueued) {
  ct_freed(rig_free) struct rig rig = rig_new();
  const char *text = "kernel void given(global int *o, local int *a, local int *b) { a[0] = b[0] = 1; o[0] = a[0]; }\n"
                     "kernel void declared(global int *o) { local int a[1 << 18]; a[o[0]] = 1; o[0] = a[o[1]]; }\n"
                     "kernel void both(global int *o, local int *b) { local int a[1 << 11]; a[o[0]] = b[0] = 1; o[0] = "
                     "a[o[1]]; }\n";
  char reason[400] = "";
  cl_int status = CL_SUCCESS;
  cl_context context = clCreateContext(NULL, 2, rig.device, note_reason, reason, &status);
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
  cl_mem data = clCreateBuffer(context, 0, 64, NULL, &status);
  EXPECT_EQ(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
  cl_kernel given = clCreateKernel(program, "given", &status), declared = clCreateKernel(program, "declared", &status);
  cl_kernel both = clCreateKernel(program, "both", &status);
  const size_t one = 1, half = (size_t)1 << 63;
  for (int i = 0; i < 2; i++) {
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, rig.device[i], NULL, &status);
    cl_ulong all = 0, used = 0;
    clGetDeviceInfo(rig.device[i], CL_DEVICE_LOCAL_MEM_SIZE, sizeof all, &all, NULL);
    const size_t pairs[][2] = {{1 << 20, 4},       {half, 4},          {half, half},  {SIZE_MAX, SIZE_MAX},
                               {SIZE_MAX - 3, 16}, {(size_t)all, 512}, {4, SIZE_MAX}, {UINT32_MAX, UINT32_MAX}};
    cl_event event = NULL;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
      EXPECT_EQ(clSetKernelArg(given, 0, sizeof data, &data), CL_SUCCESS);
      EXPECT_EQ(clSetKernelArg(given, 1, pairs[k][0], NULL), CL_SUCCESS);
      EXPECT_EQ(clSetKernelArg(given, 2, pairs[k][1], NULL), CL_SUCCESS);
      *reason = '\0';
      EXPECT_EQ(clEnqueueNDRangeKernel(queue, given, 1, NULL, &one, &one, 0, NULL, &event), CL_OUT_OF_RESOURCES);
      EXPECT_TRUE(!event);
      EXPECT_CONTAINS(reason, "lds.size");
      EXPECT_EQ(clGetKernelWorkGroupInfo(given, rig.device[i], CL_KERNEL_LOCAL_MEM_SIZE, sizeof used, &used, NULL),
                CL_SUCCESS);
      EXPECT_TRUE(used > all);
    }
    EXPECT_EQ(clSetKernelArg(declared, 0, sizeof data, &data), CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(queue, declared, 1, NULL, &one, NULL, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    EXPECT_CONTAINS(reason, "(1048576 declared");
    EXPECT_EQ(clSetKernelArg(both, 0, sizeof data, &data), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(both, 1, (size_t)all - 4096, NULL), CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(queue, both, 1, NULL, &one, NULL, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    EXPECT_EQ(clSetKernelArg(both, 1, 512, NULL), CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(queue, both, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    clReleaseCommandQueue(queue);
  }
  clReleaseKernel(given);
  clReleaseKernel(declared);
  clReleaseKernel(both);
  clReleaseProgram(program);
  clReleaseMemObject(data);
  clReleaseContext(context);
}

TEST(driver_errors, of_ndranges_that_exceed_the_ids_of_work_items) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_mem data = rig_numbers(&rig);
  cl_kernel plus = rig_plus(&rig, data, 1), eight = rig_kernel(&rig, "eight");
  size_t suggested[3];
  EXPECT_EQ(clSetKernelArg(eight, 0, sizeof data, &data), CL_SUCCESS);
  cl_platform_id platform = NULL;
  clGetPlatformIDs(1, &platform, NULL);
  clGetKernelSuggestedLocalWorkSizeKHR_fn suggest =
      (clGetKernelSuggestedLocalWorkSizeKHR_fn)(uintptr_t)clGetExtensionFunctionAddressForPlatform(
          platform, "clGetKernelSuggestedLocalWorkSizeKHR");
  ASSERT_TRUE(suggest);
  const size_t limits[] = {(size_t)1 << 32, ((size_t)1 << 32) + 8, (size_t)1 << 63, SIZE_MAX - 7, SIZE_MAX};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    for (cl_uint k = 0; k < 3; k++) {
      size_t global[3] = {8, 8, 8}, offset[3] = {0, 0, 0}, local[3] = {8, 1, 1};
      global[k] = limits[i];
      EXPECT_EQ(clEnqueueNDRangeKernel(rig.queue, plus, 3, NULL, global, NULL, 0, NULL, NULL),
                CL_INVALID_GLOBAL_WORK_SIZE);
      EXPECT_EQ(suggest(rig.queue, plus, 3, NULL, global, suggested), CL_INVALID_GLOBAL_WORK_SIZE);
      global[k] = 8;
      offset[k] = limits[i];
      EXPECT_EQ(clEnqueueNDRangeKernel(rig.queue, plus, 3, offset, global, NULL, 0, NULL, NULL),
                CL_INVALID_GLOBAL_OFFSET);
      EXPECT_EQ(suggest(rig.queue, plus, 3, offset, global, suggested), CL_INVALID_GLOBAL_OFFSET);
      local[k] = limits[i];
      EXPECT_EQ(clEnqueueNDRangeKernel(rig.queue, plus, 3, NULL, global, local, 0, NULL, NULL),
                CL_INVALID_WORK_ITEM_SIZE);
    }
  const size_t most[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX}; /* each fits, but not their product */
  EXPECT_EQ(clEnqueueNDRangeKernel(rig.queue, plus, 3, NULL, most, NULL, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(suggest(rig.queue, plus, 3, NULL, most, suggested), CL_OUT_OF_RESOURCES);
  clReleaseKernel(plus);
  clReleaseKernel(eight);
  clReleaseMemObject(data);
}

TEST(driver_errors, queries_of_sub_groups_do_not_wrap) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_mem data = rig_numbers(&rig);
  cl_kernel plus = rig_plus(&rig, data, 1);
  cl_device_id device = rig.device[0];
  size_t warp = 0, got[3], most = 0;
  clGetKernelWorkGroupInfo(plus, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof warp, &warp, NULL);
  clGetKernelWorkGroupInfo(plus, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
  const size_t half = (size_t)1 << 63, word = (size_t)1 << 32;
  const struct {
    size_t local[3], dimensions, warps; /* 0: more work-items than a number can count */
  } rows[] = {{{word, word, 1}, 3, 0},        {{half, 2, 1}, 3, 0},
              {{SIZE_MAX, 1, 2}, 3, 0},       {{SIZE_MAX, 1, 1}, 1, SIZE_MAX / warp + 1},
              {{half, 1, 1}, 2, half / warp}, {{warp + 1, 3, 1}, 2, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const size_t want = i < 5 ? rows[i].warps : (3 * (warp + 1) + warp - 1) / warp;
    const cl_kernel_sub_group_info names[] = {CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
                                              CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE};
    for (int k = 0; k < 2; k++) {
      const cl_int status = clGetKernelSubGroupInfo(plus, device, names[k], rows[i].dimensions * sizeof(size_t),
                                                    rows[i].local, sizeof *got, got, NULL);
      EXPECT_EQ(status, want ? CL_SUCCESS : CL_INVALID_VALUE);
      EXPECT_TRUE(!want || *got == (k ? warp : want));
    }
  }
  const size_t counts[] = {most / warp, most / warp + 1, half / warp * 2, half / warp * 2 + 1, SIZE_MAX};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    EXPECT_EQ(clGetKernelSubGroupInfo(plus, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof *counts,
                                      &counts[i], sizeof got, got, NULL),
              CL_SUCCESS);
    EXPECT_EQ(got[0], i ? 0 : most);
  }
  clReleaseKernel(plus);
  clReleaseMemObject(data);
}

TEST(driver_errors, of_work_groups_that_a_program_requires_to_be_uniform) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS;
  const char *text = "kernel void k(void) {}",
             *options[] = {"-cl-std=CL3.0 -cl-uniform-work-group-size", "-cl-std=CL1.2"};
  for (size_t i = 0; i < 2; i++) {
    cl_program program = clCreateProgramWithSource(rig.context, 1, &text, NULL, &status);
    EXPECT_EQ(clBuildProgram(program, 0, NULL, options[i], NULL, NULL), CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(program, "k", &status);
    EXPECT_EQ(clEnqueueNDRangeKernel(rig.queue, kernel, 1, NULL, (size_t[]){4}, (size_t[]){3}, 0, NULL, NULL),
              CL_INVALID_WORK_GROUP_SIZE);
    EXPECT_EQ(clEnqueueNDRangeKernel(rig.queue, kernel, 1, NULL, (size_t[]){4}, (size_t[]){2}, 0, NULL, NULL),
              CL_SUCCESS);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
  }
}

static void CL_CALLBACK keep_words(const char *words, const void *more, size_t size, void *self) {
  (void)more, (void)size;
  snprintf(self, 200, "%s", words);
}

TEST(driver_errors, a_deadlock_is_reported_to_the_context) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS;
  char words[200] = "";
  const char *text = "kernel void part(void) { if (get_local_id(0) < 32) barrier(CLK_LOCAL_MEM_FENCE); }";
  cl_context context = clCreateContext(NULL, 1, rig.device, keep_words, words, &status);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, rig.device[0], NULL, &status);
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
  EXPECT_EQ(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
  cl_kernel kernel = clCreateKernel(program, "part", &status);
  cl_event event = NULL;
  EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){64}, (size_t[]){64}, 0, NULL, &event),
            CL_SUCCESS);
  EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  EXPECT_EQ(rig_status(event), CL_OUT_OF_RESOURCES);
  EXPECT_STREQ(words, "kernel part does not finish: deadlock: its warps wait forever; `warpwait exec` reports where");
  clReleaseEvent(event);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
}

TEST(driver_errors, of_events) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS;
  cl_ulong time = 0;
  cl_event user = clCreateUserEvent(rig.context, &status), marker = NULL;
  EXPECT_EQ(clSetUserEventStatus(user, CL_RUNNING), CL_INVALID_VALUE);
  EXPECT_EQ(clGetEventProfilingInfo(user, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
            CL_PROFILING_INFO_NOT_AVAILABLE);
  EXPECT_EQ(clEnqueueMarkerWithWaitList(rig.queue, 0, NULL, &marker), CL_SUCCESS);
  EXPECT_EQ(clSetUserEventStatus(marker, CL_COMPLETE), CL_INVALID_EVENT);
  EXPECT_EQ(clSetEventCallback(marker, CL_QUEUED, NULL, NULL), CL_INVALID_VALUE);
  EXPECT_EQ(clWaitForEvents(0, NULL), CL_INVALID_VALUE);
  EXPECT_EQ(clWaitForEvents(1, (cl_event *)&rig.queue), CL_INVALID_EVENT);
  EXPECT_EQ(clGetEventInfo(marker, 0x7777, 0, NULL, NULL), CL_INVALID_VALUE);
  clReleaseEvent(user);
  clReleaseEvent(marker);
}

TEST(driver_errors, answers_that_do_not_fit_are_refused_and_their_size_is_returned) {
  ct_freed(rig_free) struct rig rig = rig_new();
  char name[4];
  size_t size = 0;
  EXPECT_EQ(clGetDeviceInfo(rig.device[0], CL_DEVICE_NAME, sizeof name, name, NULL), CL_INVALID_VALUE);
  EXPECT_EQ(clGetDeviceInfo(rig.device[0], CL_DEVICE_NAME, 0, NULL, &size), CL_SUCCESS);
  EXPECT_EQ(size, strlen("teaching (simulated)") + 1);
  EXPECT_EQ(clGetDeviceInfo((cl_device_id)rig.context, CL_DEVICE_NAME, 0, NULL, &size), CL_INVALID_DEVICE);
}

/* A used object lives until its users are released, but the program no longer owns it. */
TEST(driver_errors, used_objects_survive_their_release_and_can_be_queried) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS;
  cl_device_id part[2] = {NULL, NULL};
  cl_context of_queue = NULL;
  const cl_device_partition_property list[] = {CL_DEVICE_PARTITION_EQUALLY, 66, 0};
  EXPECT_EQ(clCreateSubDevices(rig.device[1], list, 2, part, NULL), CL_SUCCESS);
  cl_context context = clCreateContext(NULL, 1, part, NULL, NULL, &status);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, part[0], NULL, &status);
  EXPECT_EQ(clReleaseDevice(part[0]), CL_SUCCESS);
  EXPECT_EQ(clReleaseDevice(part[0]), CL_INVALID_DEVICE);
  EXPECT_EQ(clReleaseContext(context), CL_SUCCESS);
  EXPECT_EQ(clReleaseContext(context), CL_INVALID_CONTEXT);
  EXPECT_EQ(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof of_queue, &of_queue, NULL), CL_SUCCESS);
  EXPECT_TRUE(of_queue == context);
  EXPECT_EQ(clRetainContext(of_queue), CL_SUCCESS);
  EXPECT_EQ(clReleaseContext(of_queue), CL_SUCCESS);
  EXPECT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
  EXPECT_EQ(clReleaseDevice(part[1]), CL_SUCCESS);
}

/* A kernel does not retain its arguments. */
TEST(driver_errors, of_arguments_that_were_released) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS;
  cl_mem data = rig_numbers(&rig);
  cl_kernel plus = rig_plus(&rig, data, 5);
  EXPECT_EQ(clReleaseMemObject(data), CL_SUCCESS);
  EXPECT_EQ(rig_launch(&rig, rig.queue, plus, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
  EXPECT_EQ(clSetKernelArg(plus, 0, sizeof data, &data), CL_INVALID_MEM_OBJECT);
  cl_mem pipe = clCreatePipe(rig.context, 0, 4, 8, NULL, &status); /* which may get its address */
  EXPECT_EQ(rig_launch(&rig, rig.queue, plus, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
  clReleaseMemObject(pipe);
  clReleaseKernel(plus);
}
