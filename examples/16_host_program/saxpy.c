/* y = a x + y on any OpenCL device. Nothing in this program is specific to Warpwait. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1 << 16 };

static const char *source = "kernel void saxpy(float a, global const float *x, global float *y) {\n"
                            "  size_t i = get_global_id(0);\n"
                            "  y[i] = a * x[i] + y[i];\n"
                            "}\n";

static void check(cl_int status, const char *call) {
  if (status == CL_SUCCESS)
    return;
  fprintf(stderr, "%s: %d\n", call, status);
  exit(1);
}

int main(void) {
  static float x[COUNT], y[COUNT];
  cl_platform_id platform;
  cl_device_id device;
  cl_int status;
  char name[100];
  cl_ulong start, end;
  for (int i = 0; i < COUNT; i++)
    x[i] = (float)i, y[i] = 1;
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL), "clGetDeviceIDs");
  check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL), "clGetDeviceInfo");
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status, "clCreateContext");
  const cl_queue_properties profiling[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, profiling, &status);
  check(status, "clCreateCommandQueueWithProperties");
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
  check(status, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
  cl_kernel saxpy = clCreateKernel(program, "saxpy", &status);
  check(status, "clCreateKernel");
  cl_mem x_on_device = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof x, x, &status);
  check(status, "clCreateBuffer");
  cl_mem y_on_device = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof y, y, &status);
  check(status, "clCreateBuffer");
  const float a = 2;
  check(clSetKernelArg(saxpy, 0, sizeof a, &a), "clSetKernelArg");
  check(clSetKernelArg(saxpy, 1, sizeof x_on_device, &x_on_device), "clSetKernelArg");
  check(clSetKernelArg(saxpy, 2, sizeof y_on_device, &y_on_device), "clSetKernelArg");
  const size_t global = COUNT, local = 256;
  cl_event event;
  check(clEnqueueNDRangeKernel(queue, saxpy, 1, NULL, &global, &local, 0, NULL, &event), "clEnqueueNDRangeKernel");
  check(clEnqueueReadBuffer(queue, y_on_device, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL), "clEnqueueReadBuffer");
  for (int i = 0; i < COUNT; i++)
    if (y[i] != a * x[i] + 1)
      return printf("y[%d] is %g\n", i, (double)y[i]), 1;
  check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL), "START");
  check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), "END");
  printf("%s: %d elements in %.3f us\n", name, COUNT, (double)(end - start) / 1000);
  clReleaseEvent(event);
  clReleaseMemObject(x_on_device);
  clReleaseMemObject(y_on_device);
  clReleaseKernel(saxpy);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}
