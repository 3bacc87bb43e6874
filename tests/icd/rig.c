#include "tests/icd/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 64 };

static const char source[] =
    "kernel void plus(global int *data, int add) { data[get_global_id(0)] += add; }\n"
    "kernel void hello(void) { printf(\"hello %d\\n\", (int)get_global_id(0)); }\n"
    "kernel void big(global int *data, local int *room) {\n"
    "  room[get_local_id(0)] = data[get_global_id(0)];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  data[get_global_id(0)] = room[get_local_size(0) - 1 - get_local_id(0)];\n"
    "}\n"
    "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eight(global int *data) { data[get_global_id(0)] = 8; "
    "}\n"
    "kernel void fill(write_only pipe int p) { int x = get_global_id(0); write_pipe(p, &x); }\n"
    "kernel void drain(read_only pipe int p, global int *data) { read_pipe(p, &data[get_global_id(0)]); }\n";

/* Runs before the loader looks for drivers. */
__attribute__((constructor)) static void choose_driver(void) {
  const char *command = getenv("WARPWAIT");
  char path[4096];
  snprintf(path, sizeof path, "%s", command ? command : "build/warpwait");
  char *slash = strrchr(path, '/');
  snprintf(slash ? slash + 1 : path, 40, "libwarpwait-opencl.so");
  ct_freed(ct_free) char *real = realpath(path, NULL);
  setenv("OCL_ICD_VENDORS", real ? real : path, 1);
  setenv("WARPWAIT_MACHINE", "teaching,h200", 1);
}

struct rig rig_new(void) {
  struct rig rig = {{NULL}, NULL, NULL, NULL};
  const char *text = source;
  const cl_queue_properties profiling[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  cl_platform_id platform = NULL;
  cl_uint count = 0;
  cl_int status = clGetPlatformIDs(1, &platform, NULL);
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 2, rig.device, &count), CL_SUCCESS);
  EXPECT_EQ(count, 2);
  rig.context = clCreateContext(NULL, 2, rig.device, NULL, NULL, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  rig.queue = clCreateCommandQueueWithProperties(rig.context, rig.device[0], profiling, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  rig.program = clCreateProgramWithSource(rig.context, 1, &text, NULL, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(clBuildProgram(rig.program, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
  return rig;
}

void rig_free(struct rig *rig) {
  clReleaseProgram(rig->program);
  clReleaseCommandQueue(rig->queue);
  clReleaseContext(rig->context);
}

cl_kernel rig_kernel(struct rig *rig, const char *name) {
  cl_int status = CL_SUCCESS;
  cl_kernel kernel = clCreateKernel(rig->program, name, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  return kernel;
}

cl_mem rig_numbers(struct rig *rig) {
  cl_int numbers[NUMBERS], status = CL_SUCCESS;
  for (cl_int i = 0; i < NUMBERS; i++)
    numbers[i] = i;
  cl_mem data = clCreateBuffer(rig->context, CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  return data;
}

cl_kernel rig_plus(struct rig *rig, cl_mem data, cl_int add) {
  cl_kernel kernel = rig_kernel(rig, "plus");
  EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof data, &data), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof add, &add), CL_SUCCESS);
  return kernel;
}

cl_int rig_launch(struct rig *rig, cl_command_queue queue, cl_kernel kernel, cl_uint count, const cl_event *waits,
                  cl_event *event) {
  const size_t global = NUMBERS, local = 8;
  (void)rig;
  return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, count, waits, event);
}

cl_int rig_at(struct rig *rig, cl_mem data, size_t i) {
  cl_int value = -1;
  EXPECT_EQ(clEnqueueReadBuffer(rig->queue, data, CL_TRUE, 4 * i, 4, &value, 0, NULL, NULL), CL_SUCCESS);
  return value;
}

cl_int rig_status(cl_event event) {
  cl_int status = 99;
  EXPECT_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), CL_SUCCESS);
  return status;
}

cl_ulong rig_time(cl_event event, cl_profiling_info name) {
  cl_ulong time = 0;
  EXPECT_EQ(clGetEventProfilingInfo(event, name, sizeof time, &time, NULL), CL_SUCCESS);
  return time;
}
