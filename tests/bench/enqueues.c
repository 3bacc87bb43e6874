/* How long it takes to enqueue an empty kernel repeatedly on the first OpenCL device.
 *
 * usage: enqueues COUNT [wait]    prints the microseconds per enqueue, including the wait for the last, or for each, of
 * them */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

static void expect(cl_int status, const char *call) {
  if (status == CL_SUCCESS)
    return;
  fprintf(stderr, "%s: %d\n", call, status);
  exit(2);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
  const char *source = "kernel void empty(void) {}\n";
  const size_t one = 1;
  const unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
  cl_platform_id platform;
  cl_device_id device;
  cl_int status;
  const int waits = argc > 2;
  if (!count) {
    fprintf(stderr, "usage: enqueues COUNT [wait]\n");
    return 2;
  }
  expect(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  expect(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  expect(status, "clCreateContext");
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  expect(status, "clCreateCommandQueue");
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
  expect(status, "clCreateProgramWithSource");
  expect(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
  cl_kernel kernel = clCreateKernel(program, "empty", &status);
  expect(status, "clCreateKernel");
  double begun = 0;
  for (unsigned long i = 0; i <= count; i++) {
    expect(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    if (!i || waits)
      expect(clFinish(queue), "clFinish");
    if (!i) /* it may have had to be compiled */
      begun = seconds();
  }
  expect(clFinish(queue), "clFinish");
  printf("%.2f\n", 1e6 * (seconds() - begun) / (double)count);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}
