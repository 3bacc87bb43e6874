/* The driver survives any calls in any order, on existing objects, objects of another kind, and released ones: each
 * byte chooses a function, the next bytes its objects and numbers. The invariants: a call that creates an object
 * succeeds or gives its reason, and what is left at the end can be released. */
#include <stdio.h>
#include <stdlib.h>

#include "bindings/icd/icd.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char source[] =
    "kernel void plus(global int *data, int add) { data[get_global_id(0)] += add; }\n"
    "kernel void more(global const int *from, local int *room, constant int *k, float3 f, read_only pipe int in) {\n"
    "  room[get_local_id(0)] = from[get_global_id(0)] + k[0]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (!get_global_id(0)) printf(\"%d %v3f\\n\", room[0], f); }\n";

enum { EACH = 4, MOST_CALLS = 100, HOST = 8192 };

/* Handles of one kind; released ones stay until another takes their place. */
struct state {
  const uint8_t *at, *end;
  cl_device_id device[EACH];
  cl_context context[EACH];
  cl_command_queue queue[EACH];
  cl_mem memory[EACH];
  cl_program program[EACH];
  cl_kernel kernel[EACH];
  cl_event event[EACH];
  uint8_t host[HOST];
};

static unsigned char *binary;
static size_t binary_size;

static unsigned byte(struct state *s) { return s->at < s->end ? *s->at++ : 0; }
static unsigned pick(struct state *s) { return byte(s) % EACH; }

static size_t number(struct state *s) {
  static const size_t limits[] = {0, 1, UINT32_MAX, (size_t)1 << 32, SIZE_MAX, INT64_MAX, 4096, 1 << 20};
  const unsigned first = byte(s);
  return first < 8 ? limits[first] : first < 200 ? first : first << 3 | byte(s);
}

static size_t small(struct state *s) { return byte(s) % 16 ? byte(s) : number(s); }

/* A handle of this kind or, rarely, of another. */
static void *handle(struct state *s, void *const *of) {
  const unsigned which = byte(s);
  void *const none[] = {NULL, s->context[which % EACH], s->event[which % EACH], s->host, s->queue[which % EACH]};
  return which < 236 ? of[which % EACH] : none[which % 5];
}
#define HANDLE(kind) handle(s, (void *const *)s->kind)

static void judge(cl_int status) {
  if (status > 0 || status < -2000)
    abort();
}

/* A new object replaces another. */
static void keep(void **slot, void *made, cl_int status) {
  judge(status);
  if (!made != (status != CL_SUCCESS))
    abort();
  if (made)
    *slot = made;
}

/* ---- user events: nothing may wait for one forever -------------------------------------------------------------- */

static void settle(struct state *s) {
  for (unsigned i = 0; i < EACH; i++)
    clSetUserEventStatus(s->event[i], byte(s) % 8 ? CL_COMPLETE : -7);
}

static void take_event(struct state *s, cl_event made) {
  const unsigned to = pick(s);
  if (!made)
    return;
  clSetUserEventStatus(s->event[to], CL_COMPLETE);
  clReleaseEvent(s->event[to]);
  s->event[to] = made;
}

/* ---- wait lists ---------------------------------------------------------------------------------------------------
 */

struct waits {
  cl_uint count;
  cl_event list[2], *waits;
};

static struct waits waits_of(struct state *s) {
  struct waits made = {byte(s) % 3, {HANDLE(event), HANDLE(event)}, NULL};
  made.waits = made.count && byte(s) % 32 ? made.list : NULL;
  return made;
}

/* ---- creation
 * ----------------------------------------------------------------------------------------------------- */

static void make_context(struct state *s) {
  cl_int status = CL_SUCCESS;
  const cl_device_id devices[] = {HANDLE(device), HANDLE(device)};
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)&icd_platform,
                                              byte(s) % 16 ? 0 : (cl_context_properties)number(s), 0, 0};
  const unsigned to = pick(s);
  cl_context made = clCreateContext(byte(s) % 2 ? properties : NULL, byte(s) % 3, devices, NULL, NULL, &status);
  clReleaseContext(made ? s->context[to] : NULL);
  keep((void **)&s->context[to], made, status);
}

static void make_queue(struct state *s) {
  cl_int status = CL_SUCCESS;
  const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, byte(s) % 8, 0};
  const unsigned to = pick(s);
  cl_command_queue made =
      clCreateCommandQueueWithProperties(HANDLE(context), HANDLE(device), byte(s) % 4 ? list : NULL, &status);
  if (made)
    settle(s);
  clReleaseCommandQueue(made ? s->queue[to] : NULL);
  keep((void **)&s->queue[to], made, status);
}

static void make_memory(struct state *s) {
  cl_int status = CL_SUCCESS;
  cl_mem made = NULL;
  const unsigned to = pick(s), what = byte(s) % 4;
  const cl_buffer_region region = {small(s), small(s)};
  const cl_mem_flags flags = byte(s) % 4 ? 0 : (cl_mem_flags)1 << byte(s) % 12;
  if (what == 0)
    made = clCreateSubBuffer(HANDLE(memory), flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  else if (what == 1)
    made = clCreatePipe(HANDLE(context), flags, (cl_uint)small(s), (cl_uint)(number(s) % 5000), NULL, &status);
  else
    made = clCreateBuffer(HANDLE(context), flags, number(s) % HOST, byte(s) % 2 ? s->host : NULL, &status);
  clReleaseMemObject(made ? s->memory[to] : NULL);
  keep((void **)&s->memory[to], made, status);
}

static void make_program(struct state *s) {
  cl_int status = CL_SUCCESS;
  const unsigned to = pick(s);
  cl_device_id device = HANDLE(device);
  const unsigned char *bytes = byte(s) % 8 ? binary : s->at;
  const size_t left = (size_t)(s->end - s->at), size = bytes == binary ? binary_size : left;
  cl_program made = byte(s) % 8 ? clCreateProgramWithBinary(HANDLE(context), 1, &device, &size, &bytes, NULL, &status)
                                : clCreateProgramWithIL(HANDLE(context), bytes, size, &status);
  if (made && byte(s) % 8)
    judge(clBuildProgram(made, byte(s) % 2, &device, byte(s) % 4 ? "" : "-nonsense", NULL, NULL));
  clReleaseProgram(made ? s->program[to] : NULL);
  keep((void **)&s->program[to], made, status);
}

static void make_kernel(struct state *s) {
  static const char *const names[] = {"plus", "more", "none", NULL};
  cl_int status = CL_SUCCESS;
  const unsigned to = pick(s);
  cl_kernel made = byte(s) % 4
                       ? clCreateKernel(HANDLE(program), names[byte(s) % 16 ? byte(s) % 2 : 2 + byte(s) % 2], &status)
                       : clCloneKernel(HANDLE(kernel), &status);
  clReleaseKernel(made ? s->kernel[to] : NULL);
  keep((void **)&s->kernel[to], made, status);
}

static void make_user_event(struct state *s) {
  cl_int status = CL_SUCCESS;
  cl_event made = clCreateUserEvent(HANDLE(context), &status);
  judge(status);
  take_event(s, made);
}

static void make_device(struct state *s) {
  const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, byte(s) % 4, 0};
  const cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, byte(s) % 4, byte(s) % 2, 0, 0};
  cl_device_id parts[2] = {NULL, NULL};
  cl_uint count = 0;
  const cl_int status = clCreateSubDevices(HANDLE(device), byte(s) % 2 ? equally : counts, 2, parts, &count);
  judge(status);
  for (cl_uint i = 0; status == CL_SUCCESS && i < count; i++) {
    const unsigned to = 1 + pick(s) % (EACH - 1);
    clReleaseDevice(s->device[to]);
    s->device[to] = parts[i];
  }
}

/* ---- arguments ------------------------------------------------------------------------------------------------------
 */

static void set_argument(struct state *s) {
  cl_kernel kernel = HANDLE(kernel);
  cl_mem memory = HANDLE(memory);
  const cl_uint index = byte(s) % 6;
  switch (byte(s) % 4) {
  case 0:
    judge(clSetKernelArg(kernel, index, byte(s) % 8 ? 4 : small(s), NULL));
    break;
  case 1:
    judge(clSetKernelArg(kernel, index, byte(s) % 8 ? 4 : 16, s->host));
    break;
  default:
    judge(clSetKernelArg(kernel, index, sizeof memory, byte(s) % 8 ? &memory : NULL));
  }
}

static void set_all_arguments(struct state *s) {
  cl_kernel kernel = HANDLE(kernel);
  cl_mem memory = HANDLE(memory), other = HANDLE(memory), pipe = HANDLE(memory);
  judge(clSetKernelArg(kernel, 0, sizeof memory, &memory));
  judge(clSetKernelArg(kernel, 1, 4, byte(s) % 2 ? s->host : NULL));
  judge(clSetKernelArg(kernel, 2, sizeof other, &other));
  judge(clSetKernelArg(kernel, 3, 16, s->host));
  judge(clSetKernelArg(kernel, 4, sizeof pipe, &pipe));
}

/* ---- commands -------------------------------------------------------------------------------------------------------
 */

static cl_int launch(struct state *s, struct waits w, cl_event *event) {
  const size_t global[3] = {small(s) % 5000, byte(s) % 4, number(s) % 3}, local[3] = {byte(s) % 65, 1, 1};
  const size_t offset[3] = {number(s), 0, 0};
  return clEnqueueNDRangeKernel(HANDLE(queue), HANDLE(kernel), byte(s) % 8 ? 1 : byte(s) % 5,
                                byte(s) % 8 ? NULL : offset, byte(s) % 32 ? global : NULL, byte(s) % 2 ? local : NULL,
                                w.count, w.waits, event);
}

static cl_int boxes(struct state *s, struct waits w, cl_event *event) {
  const size_t from[3] = {small(s), byte(s) % 4, byte(s) % 2}, to[3] = {small(s), byte(s) % 4, byte(s) % 2};
  const size_t region[3] = {small(s), byte(s) % 4, byte(s) % 3}, row = byte(s) % 4 ? 0 : byte(s), slice = 0;
  const size_t none[3] = {0, 0, 0}, box[3] = {region[0] % 64, region[1], region[2]};
  switch (byte(s) % 3) {
  case 0:
    return clEnqueueCopyBufferRect(HANDLE(queue), HANDLE(memory), HANDLE(memory), from, to, region, row, slice, row,
                                   number(s), w.count, w.waits, event);
  case 1:
    return clEnqueueReadBufferRect(HANDLE(queue), HANDLE(memory), CL_FALSE, from, none, box, row, slice, 0, 0, s->host,
                                   w.count, w.waits, event);
  default:
    return clEnqueueWriteBufferRect(HANDLE(queue), HANDLE(memory), CL_FALSE, from, none, box, row, slice, 0, 0, s->host,
                                    w.count, w.waits, event);
  }
}

static cl_int map(struct state *s, struct waits w, cl_event *event) {
  cl_int status = CL_SUCCESS;
  cl_command_queue queue = HANDLE(queue);
  cl_mem memory = HANDLE(memory);
  void *at =
      clEnqueueMapBuffer(queue, memory, CL_FALSE, byte(s) % 8, small(s), small(s), w.count, w.waits, event, &status);
  if (!at != (status != CL_SUCCESS))
    abort();
  if (at && byte(s) % 8)
    judge(clEnqueueUnmapMemObject(queue, memory, at, 0, NULL, NULL));
  return status;
}

static void enqueue(struct state *s) {
  cl_event event = NULL, *wanted = byte(s) % 4 ? &event : NULL;
  const struct waits w = waits_of(s);
  cl_int status = CL_SUCCESS;
  cl_mem memory = HANDLE(memory);
  const cl_mem both[] = {memory, HANDLE(memory)};
  const size_t offset = small(s), size = small(s) % HOST;
  switch (byte(s) % 10) {
  case 0:
    status = clEnqueueReadBuffer(HANDLE(queue), memory, CL_FALSE, offset, size, s->host, w.count, w.waits, wanted);
    break;
  case 1:
    status = clEnqueueWriteBuffer(HANDLE(queue), memory, CL_FALSE, offset, size, s->host, w.count, w.waits, wanted);
    break;
  case 2:
    status =
        clEnqueueCopyBuffer(HANDLE(queue), memory, HANDLE(memory), offset, small(s), size, w.count, w.waits, wanted);
    break;
  case 3:
    status = clEnqueueFillBuffer(HANDLE(queue), memory, s->host, byte(s), offset, size, w.count, w.waits, wanted);
    break;
  case 4:
    status = boxes(s, w, wanted);
    break;
  case 5:
    status = map(s, w, wanted);
    break;
  case 6:
    status = clEnqueueMarkerWithWaitList(HANDLE(queue), w.count, w.waits, wanted);
    break;
  case 7:
    status = clEnqueueBarrierWithWaitList(HANDLE(queue), w.count, w.waits, wanted);
    break;
  case 8:
    status = clEnqueueMigrateMemObjects(HANDLE(queue), byte(s) % 3, both, byte(s) % 4, w.count, w.waits, wanted);
    break;
  default:
    status = launch(s, w, wanted);
  }
  judge(status);
  if (status != CL_SUCCESS && event)
    abort();
  take_event(s, event);
}

/* ---- queries, waits and releases
 * ---------------------------------------------------------------------------------- */

static void ask(struct state *s) {
  char room[256];
  size_t needed = 0;
  const size_t size = byte(s) % 4 ? sizeof room : byte(s) % 16;
  const unsigned name = byte(s) % 64;
  void *value = byte(s) % 8 ? room : NULL;
  switch (byte(s) % 10) {
  case 0:
    judge(clGetDeviceInfo(HANDLE(device), 0x1000 + 2 * name, size, value, &needed));
    break;
  case 1:
    judge(clGetContextInfo(HANDLE(context), 0x1080 + name % 8, size, value, &needed));
    break;
  case 2:
    judge(clGetCommandQueueInfo(HANDLE(queue), 0x1090 + name % 16, size, value, &needed));
    break;
  case 3:
    judge(clGetMemObjectInfo(HANDLE(memory), 0x1100 + name % 16, size, value, &needed));
    break;
  case 4: /* binaries are written to the given pointers */
    judge(clGetProgramInfo(HANDLE(program), 0x1160 + (name % 16 == 6 ? 0 : name % 16), size, value, &needed));
    break;
  case 5:
    judge(clGetKernelInfo(HANDLE(kernel), 0x1190 + name % 8, size, value, &needed));
    break;
  case 6:
    judge(clGetKernelArgInfo(HANDLE(kernel), byte(s) % 8, 0x1196 + name % 8, size, value, &needed));
    break;
  case 7:
    judge(clGetKernelWorkGroupInfo(HANDLE(kernel), HANDLE(device), 0x11B0 + name % 8, size, value, &needed));
    break;
  case 8:
    judge(clGetEventProfilingInfo(HANDLE(event), 0x1280 + name % 8, size, value, &needed));
    break;
  default:
    judge(clGetProgramBuildInfo(HANDLE(program), HANDLE(device), 0x1181 + name % 8, size, value, &needed));
  }
}

static void wait(struct state *s) {
  const struct waits w = waits_of(s);
  settle(s);
  if (byte(s) % 2)
    judge(clWaitForEvents(w.count, w.waits));
  else
    judge(byte(s) % 2 ? clFinish(HANDLE(queue)) : clFlush(HANDLE(queue)));
}

static void release(struct state *s) {
  switch (byte(s) % 7) {
  case 0:
    judge(clReleaseContext(HANDLE(context)));
    break;
  case 1:
    settle(s);
    judge(clReleaseCommandQueue(HANDLE(queue)));
    break;
  case 2:
    judge(clReleaseMemObject(HANDLE(memory)));
    break;
  case 3:
    judge(clReleaseProgram(HANDLE(program)));
    break;
  case 4:
    judge(clReleaseKernel(HANDLE(kernel)));
    break;
  case 5:
    settle(s);
    judge(clReleaseEvent(HANDLE(event)));
    break;
  default:
    judge(clReleaseDevice(HANDLE(device)));
  }
}

static void call(struct state *s) {
  static void (*const calls[])(struct state *) = {
      make_context, make_queue,   make_memory,       make_memory, make_program, make_kernel, make_user_event,
      make_device,  set_argument, set_all_arguments, enqueue,     enqueue,      enqueue,     enqueue,
      ask,          wait,         release,           settle};
  calls[byte(s) % (sizeof calls / sizeof *calls)](s);
}

/* ---- the whole test
 * ----------------------------------------------------------------------------------------------- */

/* Initial objects, so that launches are reached. */
static void begin(struct state *s) {
  cl_int status = CL_SUCCESS;
  const unsigned char *bytes = binary;
  clGetDeviceIDs(NULL, CL_DEVICE_TYPE_GPU, 1, s->device, NULL);
  s->context[0] = clCreateContext(NULL, 1, s->device, NULL, NULL, &status);
  s->queue[0] = clCreateCommandQueueWithProperties(s->context[0], s->device[0], NULL, &status);
  s->memory[0] = clCreateBuffer(s->context[0], 0, 1024, NULL, &status);
  s->memory[1] = clCreatePipe(s->context[0], 0, 4, 8, NULL, &status);
  s->program[0] = clCreateProgramWithBinary(s->context[0], 1, s->device, &binary_size, &bytes, NULL, &status);
  judge(clBuildProgram(s->program[0], 0, NULL, NULL, NULL, NULL));
  s->kernel[0] = clCreateKernel(s->program[0], "plus", &status);
  s->kernel[1] = clCreateKernel(s->program[0], "more", &status);
}

/* Releases everything; the command of an event may still wait for a user event. */
static void end(struct state *s) {
  s->at = s->end;
  settle(s);
  for (unsigned i = 0; i < EACH; i++) {
    while (clReleaseEvent(s->event[i]) == CL_SUCCESS) {
    }
    while (clReleaseCommandQueue(s->queue[i]) == CL_SUCCESS) {
    }
    while (clReleaseKernel(s->kernel[i]) == CL_SUCCESS) {
    }
    while (clReleaseProgram(s->program[i]) == CL_SUCCESS) {
    }
    while (clReleaseMemObject(s->memory[i]) == CL_SUCCESS) {
    }
    while (clReleaseContext(s->context[i]) == CL_SUCCESS) {
    }
    if (i)
      clReleaseDevice(s->device[i]);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct state s = {.at = data, .end = data + size};
  begin(&s);
  for (int calls = 0; s.at < s.end && calls < MOST_CALLS; calls++)
    call(&s);
  end(&s);
  return 0;
}

/* Programs come from a binary that is built once. */
int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  cl_int status = CL_SUCCESS;
  cl_device_id device = NULL;
  const char *text = source;
  unsetenv("WARPWAIT_CLANG"); /* tests/fuzz/run disables the compiler for the other fuzzers */
  setenv("WARPWAIT_MACHINE", "teaching", 1);
  setenv("WARPWAIT_SET", "cu.count=2", 1);
  setenv("WARPWAIT_CHECK", "1", 1); /* this also looks up the calling place */
  if (!freopen("/dev/null", "w", stdout))
    return 1;
  clGetDeviceIDs(NULL, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
  if (clBuildProgram(program, 0, NULL, "-cl-std=CL3.0 -cl-kernel-arg-info", NULL, NULL) != CL_SUCCESS)
    abort();
  clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof binary_size, &binary_size, NULL);
  binary = malloc(binary_size);
  clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL);
  clReleaseProgram(program);
  clReleaseContext(context);
  return 0;
}
