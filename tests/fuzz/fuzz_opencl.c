/* The driver survives any calls in any order, on existing objects, objects of another kind, and released ones: each
 * byte chooses a function, the next bytes its objects and numbers, some of them near powers of two. The invariants: a
 * call that creates an object succeeds or gives its reason; a region that succeeds is within its object, as floating
 * point computes it, which does not wrap; a launch that was enqueued fits; what is left at the end can be released. At
 * exit, stderr shows the number of calls. */
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

static unsigned long all_calls;

__attribute__((destructor)) static void report_calls(void) { fprintf(stderr, "%lu calls\n", all_calls); }

static unsigned char *binary;
static size_t binary_size;

static unsigned byte(struct state *s) { return s->at < s->end ? *s->at++ : 0; }
static unsigned pick(struct state *s) { return byte(s) % EACH; }

/* A number near a power of two, or near 2^64. */
static size_t huge(struct state *s) {
  static const unsigned powers[] = {12, 20, 31, 32, 33, 56, 57, 60, 61, 62, 63, 63, 64, 64, 64, 64};
  const unsigned power = powers[byte(s) % 16];
  return (power < 64 ? (size_t)1 << power : 0) + byte(s) % 8 - 4;
}

static size_t number(struct state *s) {
  const unsigned first = byte(s);
  return first < 2 ? first : first < 16 ? huge(s) : first < 200 ? first : first << 3 | byte(s);
}

static size_t small(struct state *s) { return byte(s) % 16 ? byte(s) : huge(s); }

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

/* ---- regions ------------------------------------------------------------------------------------------------------
 */

struct region {
  size_t at[3], size[3], pitch[2]; /* pitch of 0: no gaps */
};

/* A small region of which up to three numbers are huge. */
static struct region region_of(struct state *s) {
  struct region r = {
      {byte(s) % 64, byte(s) % 4, byte(s) % 2}, {1 + byte(s) % 48, 1 + byte(s) % 4, 1 + byte(s) % 3}, {0, 0}};
  size_t *const numbers[] = {&r.at[0],   &r.at[1],   &r.at[2],    &r.size[0],
                             &r.size[1], &r.size[2], &r.pitch[0], &r.pitch[1]};
  for (unsigned i = 0; i < 2; i++)
    r.pitch[i] = byte(s) % 2 ? 0 : r.size[0] * (i ? r.size[1] : 1) + byte(s) % 32;
  for (unsigned count = byte(s) % 4; count; count--)
    *numbers[byte(s) % 8] = huge(s);
  return r;
}

/* Where the region ends, in bytes; `unit` are the bytes of at[0] and size[0]. */
static double end_of(const struct region *r, double unit) {
  const double row = r->pitch[0] ? (double)r->pitch[0] : unit * (double)r->size[0];
  const double slice = r->pitch[1] ? (double)r->pitch[1] : row * (double)r->size[1];
  return ((double)r->at[2] + (double)r->size[2] - 1) * slice + ((double)r->at[1] + (double)r->size[1] - 1) * row +
         unit * ((double)r->at[0] + (double)r->size[0]);
}

/* Whether the driver may be asked: the host's memory has so many bytes, or no computer has. */
static bool can_ask(double end) { return end <= HOST || end >= 0x1p57; }

static double bytes_of(cl_mem memory) {
  size_t bytes = 0;
  return clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof bytes, &bytes, NULL) == CL_SUCCESS ? (double)bytes : 0;
}

/* After a command with the region: it succeeds only within `most` bytes. */
static cl_int within(cl_int status, double end, double most) {
  if (status == CL_SUCCESS && !(end <= most))
    abort();
  return status;
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

/* Whether a launch fits is known when a launch is enqueued, not only when it runs. */
static void expect_resources(cl_event event) {
  cl_int status = CL_COMPLETE;
  clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
  if (status == CL_OUT_OF_RESOURCES)
    abort();
}

static void take_event(struct state *s, cl_event made) {
  const unsigned to = pick(s);
  if (!made)
    return;
  clSetUserEventStatus(s->event[to], CL_COMPLETE);
  expect_resources(s->event[to]);
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
  struct waits made = {byte(s) % 4 ? 0 : byte(s) % 3, {NULL, NULL}, NULL};
  for (cl_uint i = 0; i < made.count; i++)
    made.list[i] = HANDLE(event);
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

/* Images over host memory have 4 GiB at most. */
static cl_mem make_image(struct state *s, cl_mem_flags flags, cl_int *status) {
  static const cl_image_format formats[] = {
      {CL_RGBA, CL_UNORM_INT8}, {CL_R, CL_FLOAT}, {CL_RGBA, CL_FLOAT}, {CL_RG, CL_UNSIGNED_INT8}};
  static const double texels[] = {4, 4, 16, 2};
  const unsigned format = byte(s) % 4;
  const struct region r = region_of(s);
  const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D + byte(s) % 6,
                              .image_width = r.size[0],
                              .image_height = r.size[1],
                              .image_depth = r.size[2],
                              .image_array_size = r.size[2],
                              .image_row_pitch = r.pitch[0],
                              .image_slice_pitch = r.pitch[1],
                              .mem_object = byte(s) % 4 ? NULL : HANDLE(memory)};
  const struct region whole = {{0, 0, 0}, {r.size[0], r.size[1], r.size[2]}, {r.pitch[0], r.pitch[1]}};
  void *host = byte(s) % 2 ? s->host : NULL;
  const double end = end_of(&whole, texels[format]);
  *status = CL_INVALID_VALUE;
  if (host && end > HOST && end <= 0x1p33)
    return NULL;
  return clCreateImage(HANDLE(context), host && byte(s) % 2 ? CL_MEM_COPY_HOST_PTR : flags, &formats[format], &desc,
                       host, status);
}

static void make_memory(struct state *s) {
  cl_int status = CL_SUCCESS;
  cl_mem made = NULL;
  const unsigned to = pick(s), what = byte(s) % 6;
  const cl_buffer_region region = {byte(s) % 2 ? byte(s) % 4 * 128 : small(s), small(s)};
  const cl_mem_flags flags = byte(s) % 4 ? 0 : (cl_mem_flags)1 << byte(s) % 12;
  if (what == 0) {
    cl_mem whole = HANDLE(memory);
    made = clCreateSubBuffer(whole, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    within(status, (double)region.origin + (double)region.size, bytes_of(whole));
  } else if (what < 3)
    made = make_image(s, flags, &status);
  else if (what == 3)
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
    judge(clSetKernelArg(kernel, index, byte(s) % 4 ? 4 : huge(s), NULL));
    break;
  case 1:
    judge(clSetKernelArg(kernel, index, byte(s) % 8 ? 4 : 16, s->host));
    break;
  default:
    judge(clSetKernelArg(kernel, index, sizeof memory, byte(s) % 8 ? &memory : NULL));
  }
}

/* Of "plus" two, of "more" five. */
static void set_arguments_of(cl_kernel kernel, cl_mem data, size_t local, const void *value, cl_mem constants,
                             cl_mem pipe) {
  static const cl_float vector[4] = {1, 2, 3, 4};
  judge(clSetKernelArg(kernel, 0, sizeof data, &data));
  judge(clSetKernelArg(kernel, 1, local, value));
  judge(clSetKernelArg(kernel, 2, sizeof constants, &constants));
  judge(clSetKernelArg(kernel, 3, sizeof vector, vector));
  judge(clSetKernelArg(kernel, 4, sizeof pipe, &pipe));
}

/* Mostly with the objects of begin(), so that launches are reached. */
static void set_all_arguments(struct state *s) {
  cl_kernel kernel = byte(s) % 4 ? s->kernel[1] : HANDLE(kernel);
  cl_mem memory = byte(s) % 4 ? s->memory[0] : HANDLE(memory), other = byte(s) % 4 ? s->memory[3] : HANDLE(memory);
  cl_mem pipe = byte(s) % 4 ? s->memory[1] : HANDLE(memory);
  set_arguments_of(kernel, memory, byte(s) % 4 ? 4 : huge(s), byte(s) % 8 ? NULL : s->host, other, pipe);
}

/* ---- commands -------------------------------------------------------------------------------------------------------
 */

static cl_int launch(struct state *s, struct waits w, cl_event *event) {
  size_t global[3] = {small(s), byte(s) % 4, number(s) % 3}, local[3] = {byte(s) % 65, byte(s) % 32 ? 1 : huge(s), 1};
  global[0] = global[0] > UINT32_MAX ? global[0] : global[0] % 5000;
  const size_t offset[3] = {number(s), 0, 0};
  return clEnqueueNDRangeKernel(HANDLE(queue), HANDLE(kernel), byte(s) % 8 ? 1 : byte(s) % 5,
                                byte(s) % 8 ? NULL : offset, byte(s) % 32 ? global : NULL, byte(s) % 2 ? local : NULL,
                                w.count, w.waits, event);
}

static cl_int boxes(struct state *s, struct waits w, cl_event *event) {
  struct region r = region_of(s), other = region_of(s);
  cl_command_queue queue = HANDLE(queue);
  cl_mem memory = HANDLE(memory), to = HANDLE(memory);
  const unsigned what = byte(s) % 3;
  memcpy(other.size, r.size, sizeof other.size);
  const double end = end_of(&r, 1), host_end = end_of(&other, 1), most = bytes_of(memory);
  if (what == 0)
    return within(within(clEnqueueCopyBufferRect(queue, memory, to, r.at, other.at, r.size, r.pitch[0], r.pitch[1],
                                                 other.pitch[0], other.pitch[1], w.count, w.waits, event),
                         end, most),
                  host_end, bytes_of(to));
  if (!can_ask(host_end))
    return CL_INVALID_VALUE;
  const cl_int status =
      what == 1 ? clEnqueueReadBufferRect(queue, memory, CL_FALSE, r.at, other.at, r.size, r.pitch[0], r.pitch[1],
                                          other.pitch[0], other.pitch[1], s->host, w.count, w.waits, event)
                : clEnqueueWriteBufferRect(queue, memory, CL_FALSE, r.at, other.at, r.size, r.pitch[0], r.pitch[1],
                                           other.pitch[0], other.pitch[1], s->host, w.count, w.waits, event);
  return within(within(status, end, most), host_end, HOST);
}

/* The bytes of a texel; 1: not an image. */
static double texel_of(cl_mem memory) {
  size_t bytes = 1;
  clGetImageInfo(memory, CL_IMAGE_ELEMENT_SIZE, sizeof bytes, &bytes, NULL);
  return (double)bytes;
}

static cl_int map_image(struct state *s, cl_command_queue queue, cl_mem image, const struct region *r, struct waits w,
                        cl_event *event) {
  cl_int status = CL_SUCCESS;
  size_t row = 0, slice = 0;
  void *at = clEnqueueMapImage(queue, image, CL_FALSE, byte(s) % 8, r->at, r->size, &row, byte(s) % 8 ? &slice : NULL,
                               w.count, w.waits, event, &status);
  if (!at != (status != CL_SUCCESS))
    abort();
  if (at && byte(s) % 8)
    judge(clEnqueueUnmapMemObject(queue, image, at, 0, NULL, NULL));
  return status;
}

/* The driver checks regions of images texel by texel; here their sum must be within the bytes of the whole image. */
static cl_int images(struct state *s, struct waits w, cl_event *event) {
  struct region r = region_of(s), packed = r;
  cl_command_queue queue = HANDLE(queue);
  cl_mem image = byte(s) % 4 ? s->memory[2] : HANDLE(memory), other = HANDLE(memory);
  const double texel = texel_of(image);
  packed.pitch[0] = packed.pitch[1] = 0;
  if (byte(s) % 2)
    r.pitch[byte(s) % 2] = huge(s);
  memset(r.at, 0, sizeof r.at); /* of the host's bytes */
  const double host_end = end_of(&r, texel), bytes = texel * (double)r.size[0] * (double)r.size[1] * (double)r.size[2];
  const size_t offset = small(s);
  cl_int status = CL_INVALID_VALUE;
  switch (byte(s) % 7) {
  case 0:
    if (can_ask(host_end))
      status = within(clEnqueueReadImage(queue, image, CL_FALSE, packed.at, r.size, r.pitch[0], r.pitch[1], s->host,
                                         w.count, w.waits, event),
                      host_end, HOST);
    break;
  case 1:
    if (can_ask(host_end))
      status = within(clEnqueueWriteImage(queue, image, CL_FALSE, packed.at, r.size, r.pitch[0], r.pitch[1], s->host,
                                          w.count, w.waits, event),
                      host_end, HOST);
    break;
  case 2:
    status = clEnqueueFillImage(queue, image, s->host, packed.at, r.size, w.count, w.waits, event);
    break;
  case 3:
    status = clEnqueueCopyImage(queue, image, other, packed.at, r.at, r.size, w.count, w.waits, event);
    break;
  case 4:
    status = within(clEnqueueCopyImageToBuffer(queue, image, other, packed.at, r.size, offset, w.count, w.waits, event),
                    (double)offset + bytes, bytes_of(other));
    break;
  case 5:
    status = within(clEnqueueCopyBufferToImage(queue, other, image, offset, packed.at, r.size, w.count, w.waits, event),
                    (double)offset + bytes, bytes_of(other));
    break;
  default:
    status = map_image(s, queue, image, &packed, w, event);
  }
  return within(status, bytes, bytes_of(image));
}

/* Shared virtual memory is not where sanitizers run, so all pointers are the host's: only a copy may succeed. */
static cl_int shared(struct state *s, struct waits w, cl_event *event) {
  cl_command_queue queue = HANDLE(queue);
  const size_t size = small(s), begin = byte(s) % 32 * 8, pattern = byte(s) % 8 ? 4 : number(s);
  uint8_t *from = s->host + begin, *to = from + HOST / 2;
  const double end = (double)begin + (double)size;
  const unsigned what = byte(s) % 4;
  if (end > HOST / 2 && end < 0x1p57)
    return CL_INVALID_VALUE;
  if (what == 0)
    return within(clEnqueueSVMMemcpy(queue, CL_FALSE, to, from, size, w.count, w.waits, event), end, HOST / 2);
  if (what == 1)
    return within(clEnqueueSVMMemFill(queue, to, s->host, pattern, size, w.count, w.waits, event), end, 0);
  if (what == 2)
    return within(clEnqueueSVMMap(queue, CL_FALSE, CL_MAP_READ, to, size, w.count, w.waits, event), end, 0);
  return within(clEnqueueSVMMigrateMem(queue, 1, (const void *[]){to}, &size, 0, w.count, w.waits, event), end, 0);
}

static cl_int map(struct state *s, struct waits w, cl_event *event) {
  cl_int status = CL_SUCCESS;
  cl_command_queue queue = HANDLE(queue);
  cl_mem memory = HANDLE(memory);
  const size_t offset = small(s), size = small(s);
  void *at = clEnqueueMapBuffer(queue, memory, CL_FALSE, byte(s) % 8, offset, size, w.count, w.waits, event, &status);
  if (!at != (status != CL_SUCCESS))
    abort();
  within(status, (double)offset + (double)size, bytes_of(memory));
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
  const size_t offset = small(s), size = small(s), to = small(s);
  const double end = (double)offset + (double)size, most = bytes_of(memory);
  switch (byte(s) % 16) {
  case 0:
    status =
        within(clEnqueueReadBuffer(HANDLE(queue), memory, CL_FALSE, offset, size, s->host, w.count, w.waits, wanted),
               end, most);
    break;
  case 1:
    status =
        within(clEnqueueWriteBuffer(HANDLE(queue), memory, CL_FALSE, offset, size, s->host, w.count, w.waits, wanted),
               end, most);
    break;
  case 2:
    status = within(clEnqueueCopyBuffer(HANDLE(queue), memory, both[1], offset, to, size, w.count, w.waits, wanted),
                    end, most);
    within(status, (double)to + (double)size, bytes_of(both[1]));
    break;
  case 3:
    status = within(clEnqueueFillBuffer(HANDLE(queue), memory, s->host, byte(s) % 8 ? 1u << byte(s) % 8 : number(s),
                                        offset, size, w.count, w.waits, wanted),
                    end, most);
    break;
  case 4:
  case 14:
  case 15:
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
  case 9:
  case 10:
    status = images(s, w, wanted);
    break;
  case 11:
    status = shared(s, w, wanted);
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

/* Sub-groups of a work-group, which floating point counts, too. */
static void ask_sub_groups(struct state *s) {
  const size_t local[3] = {small(s), small(s), small(s)}, count = number(s);
  cl_kernel kernel = HANDLE(kernel);
  cl_device_id device = HANDLE(device);
  size_t warp = 1, most = 0, got[3] = {0, 0, 0};
  judge(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof warp, &(size_t){1},
                                sizeof warp, &warp, NULL));
  clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
  const double items = (double)local[0] * (double)local[1] * (double)local[2];
  if (clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof local, local, sizeof *got,
                              got, NULL) == CL_SUCCESS &&
      !((double)*got * (double)warp >= items * 0.999 && ((double)*got - 1) * (double)warp <= items * 1.001))
    abort();
  if (clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof count, &count,
                              sizeof got, got, NULL) == CL_SUCCESS &&
      *got && (*got != count * warp || *got > most || count > most))
    abort();
}

static void ask(struct state *s) {
  char room[256];
  size_t needed = 0;
  const size_t size = byte(s) % 4 ? sizeof room : byte(s) % 16;
  const unsigned name = byte(s) % 64;
  void *value = byte(s) % 8 ? room : NULL;
  switch (byte(s) % 11) {
  case 10:
    ask_sub_groups(s);
    break;
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
  all_calls++;
}

/* ---- the whole test
 * ----------------------------------------------------------------------------------------------- */

/* Initial objects, so that commands are reached. */
static void begin(struct state *s) {
  cl_int status = CL_SUCCESS;
  const unsigned char *bytes = binary;
  clGetDeviceIDs(NULL, CL_DEVICE_TYPE_GPU, 1, s->device, NULL);
  s->context[0] = clCreateContext(NULL, 1, s->device, NULL, NULL, &status);
  for (unsigned i = 0; i < EACH; i++) {
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, i % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, 0};
    s->queue[i] = clCreateCommandQueueWithProperties(s->context[0], s->device[0], list, &status);
  }
  s->memory[0] = clCreateBuffer(s->context[0], 0, 1024, NULL, &status);
  s->memory[1] = clCreatePipe(s->context[0], 0, 4, 8, NULL, &status);
  const cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 16, .image_height = 8, .image_depth = 4};
  s->memory[2] = clCreateImage(s->context[0], 0, &(cl_image_format){CL_RGBA, CL_UNORM_INT8}, &desc, NULL, &status);
  s->memory[3] = clCreateBuffer(s->context[0], 0, 2048, NULL, &status);
  s->program[0] = clCreateProgramWithBinary(s->context[0], 1, s->device, &binary_size, &bytes, NULL, &status);
  judge(clBuildProgram(s->program[0], 0, NULL, NULL, NULL, NULL));
  for (unsigned i = 0; i < EACH; i++) {
    s->kernel[i] = clCreateKernel(s->program[0], i % 2 ? "more" : "plus", &status);
    set_arguments_of(s->kernel[i], s->memory[0], 4, i % 2 ? NULL : s->host, s->memory[3], s->memory[1]);
  }
}

/* Releases everything; the command of an event may still wait for a user event. */
static void end(struct state *s) {
  s->at = s->end;
  settle(s);
  for (unsigned i = 0; i < EACH; i++) {
    expect_resources(s->event[i]);
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
