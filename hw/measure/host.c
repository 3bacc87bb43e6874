/* How long a GPU's host takes to pass commands and bytes to it, from OpenCL events. Prints the section [host] of a
 * machine file (docs/parameters.md), as medians of some tens of commands, with a wait after each.
 *
 * usage: host    measures the first GPU of the first platform; nothing else should use it */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

enum { TIMES = 41, MANY = 1000 };
#define LARGE ((size_t)256 << 20)

static void check(cl_int status, const char *call) {
  if (status == CL_SUCCESS)
    return;
  fprintf(stderr, "%s: %d\n", call, status);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return values[count / 2];
}

/* ---- commands ------------------------------------------------------------------------------------------------- */

static cl_command_queue queue;
static cl_kernel empty;
static cl_mem from, to;
static char *host; /* pinned */

enum what { KERNEL, WRITE, READ, COPY };

static cl_event enqueue(enum what what, size_t bytes) {
  const size_t one = 1;
  cl_event event = NULL;
  switch (what) {
  case KERNEL:
    check(clEnqueueNDRangeKernel(queue, empty, 1, NULL, &one, &one, 0, NULL, &event), "clEnqueueNDRangeKernel");
    break;
  case WRITE:
    check(clEnqueueWriteBuffer(queue, to, CL_FALSE, 0, bytes, host, 0, NULL, &event), "clEnqueueWriteBuffer");
    break;
  case READ:
    check(clEnqueueReadBuffer(queue, to, CL_FALSE, 0, bytes, host, 0, NULL, &event), "clEnqueueReadBuffer");
    break;
  case COPY:
    check(clEnqueueCopyBuffer(queue, from, to, 0, 0, bytes, 0, NULL, &event), "clEnqueueCopyBuffer");
  }
  check(clFinish(queue), "clFinish");
  return event;
}

/* Nanoseconds from one of the event's times to the next: 0 from QUEUED, 1 from SUBMIT, 2 from START. */
static double between(cl_event event, cl_uint first) {
  cl_ulong at, then;
  check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + first, sizeof at, &at, NULL), "profiling");
  check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_SUBMIT + first, sizeof then, &then, NULL), "profiling");
  return (double)then - (double)at;
}

static double measure(enum what what, size_t bytes, cl_uint first, int times) {
  double taken[TIMES];
  clReleaseEvent(enqueue(what, bytes));
  for (int i = 0; i < times; i++) {
    cl_event event = enqueue(what, bytes);
    taken[i] = between(event, first);
    clReleaseEvent(event);
  }
  return median(taken, times);
}

/* The host's time per command when many are enqueued one after the other. */
static double call(cl_context context, cl_device_id device) {
  const size_t one = 1;
  cl_int status;
  cl_command_queue plain = clCreateCommandQueue(context, device, 0, &status);
  check(status, "clCreateCommandQueue");
  const double begun = now();
  for (int i = 0; i < MANY; i++)
    check(clEnqueueNDRangeKernel(plain, empty, 1, NULL, &one, &one, 0, NULL, NULL), "clEnqueueNDRangeKernel");
  const double taken = now() - begun;
  check(clFinish(plain), "clFinish");
  clReleaseCommandQueue(plain);
  return taken / MANY;
}

/* ---- the program ----------------------------------------------------------------------------------------------- */

static void prepare(cl_context context, cl_device_id device) {
  const char *source = "kernel void empty(void) {}\n";
  cl_int status;
  queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  check(status, "clCreateCommandQueue");
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
  check(status, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
  empty = clCreateKernel(program, "empty", &status);
  check(status, "clCreateKernel");
  from = clCreateBuffer(context, CL_MEM_READ_WRITE, LARGE, NULL, &status);
  check(status, "clCreateBuffer");
  to = clCreateBuffer(context, CL_MEM_READ_WRITE, LARGE, NULL, &status);
  check(status, "clCreateBuffer");
  cl_mem pinned = clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, LARGE, NULL, &status);
  check(status, "clCreateBuffer");
  host = clEnqueueMapBuffer(queue, pinned, CL_TRUE, CL_MAP_WRITE, 0, LARGE, 0, NULL, NULL, &status);
  check(status, "clEnqueueMapBuffer");
  memset(host, 1, LARGE);
}

static void transfers(enum what what, const char *name) {
  const double latency = measure(what, 4, 2, TIMES), large = measure(what, LARGE, 2, 7);
  printf("%s_latency = %.0f ; measured: START to END of 4 bytes\n", name, latency);
  printf("%s_width = %.0f ; measured: 256 MiB\n", name, (double)LARGE / (large - latency));
}

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int status;
  char name[200] = "";
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL), "clGetDeviceIDs");
  check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL), "clGetDeviceInfo");
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status, "clCreateContext");
  prepare(context, device);
  printf("; %s\n[host]\n", name);
  printf("call = %.0f ; measured: a call that enqueues an empty kernel\n", call(context, device));
  printf("submit = %.0f ; measured: QUEUED to SUBMIT of an empty kernel\n", measure(KERNEL, 0, 0, TIMES));
  printf("start = %.0f ; measured: SUBMIT to START of an empty kernel\n", measure(KERNEL, 0, 1, TIMES));
  transfers(WRITE, "write");
  transfers(READ, "read");
  printf("copy_latency = %.0f ; measured: a copy of 4 bytes\n", measure(COPY, 4, 2, TIMES));
  return 0;
}
