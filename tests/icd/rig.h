/* The common start of the driver's tests: a context on the devices that WARPWAIT_MACHINE names, reached through the
 * loader as any program reaches them. */
#ifndef TESTS_ICD_RIG_H
#define TESTS_ICD_RIG_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "tests/ct.h"

struct rig {
  cl_device_id device[2]; /* teaching, h200 */
  cl_context context;     /* of both */
  cl_command_queue queue; /* in order, with profiling, on the first */
  cl_program program;
};

/* plus(data, add): data[i] += add. hello(): prints. big(data, room): needs local memory. wrong(data): writes out of
 * bounds. */
struct rig rig_new(void);
void rig_free(struct rig *rig);
cl_kernel rig_kernel(struct rig *rig, const char *name);

/* A buffer of 64 numbers 0, 1, 2, ..., and plus() over it. */
cl_mem rig_numbers(struct rig *rig);
cl_kernel rig_plus(struct rig *rig, cl_mem data, cl_int add);
cl_int rig_launch(struct rig *rig, cl_command_queue queue, cl_kernel kernel, cl_uint count, const cl_event *waits,
                  cl_event *event);

/* Number i of a buffer. */
cl_int rig_at(struct rig *rig, cl_mem data, size_t i);
cl_int rig_status(cl_event event);
cl_ulong rig_time(cl_event event, cl_profiling_info name);

#endif
