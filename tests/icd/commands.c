/* Commands: their order, their dependencies, and their times. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <warpwait.h>

#include "tests/icd/rig.h"

TEST(commands, kernels_change_buffers_and_hosts_read_them) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_mem data = rig_numbers(&rig);
  cl_kernel plus = rig_plus(&rig, data, 5);
  EXPECT_EQ(rig_launch(&rig, rig.queue, plus, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(rig_launch(&rig, rig.queue, plus, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(rig_at(&rig, data, 7), 17);
  clReleaseKernel(plus);
  clReleaseMemObject(data);
}

TEST(commands, arguments_are_captured_at_enqueue) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_mem data = rig_numbers(&rig);
  cl_kernel plus = rig_plus(&rig, data, 5);
  cl_int status = CL_SUCCESS;
  cl_event gate = clCreateUserEvent(rig.context, &status);
  EXPECT_EQ(rig_launch(&rig, rig.queue, plus, 1, &gate, NULL), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(plus, 1, 4, &(cl_int){100}), CL_SUCCESS);
  clReleaseKernel(plus);
  EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(rig_at(&rig, data, 7), 12);
  clReleaseEvent(gate);
  clReleaseMemObject(data);
}

static void CL_CALLBACK note(cl_event event, cl_int status, void *self) {
  (void)event;
  char *told = self;
  strcat(told, status == CL_SUBMITTED ? "s" : status == CL_RUNNING ? "r" : status == CL_COMPLETE ? "c" : "e");
}

TEST(commands, a_user_event_blocks_its_waiters_and_callbacks_report_progress) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_mem data = rig_numbers(&rig);
  cl_kernel plus = rig_plus(&rig, data, 5);
  cl_int status = CL_SUCCESS;
  char told[8] = "";
  cl_event gate = clCreateUserEvent(rig.context, &status), ran = NULL;
  EXPECT_EQ(rig_launch(&rig, rig.queue, plus, 1, &gate, &ran), CL_SUCCESS);
  EXPECT_EQ(rig_status(ran), CL_QUEUED);
  EXPECT_EQ(clSetEventCallback(ran, CL_COMPLETE, note, told), CL_SUCCESS);
  EXPECT_EQ(clSetEventCallback(ran, CL_RUNNING, note, told), CL_SUCCESS);
  EXPECT_EQ(clSetEventCallback(ran, CL_SUBMITTED, note, told), CL_SUCCESS);
  EXPECT_STREQ(told, "");
  EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
  EXPECT_EQ(rig_status(ran), CL_COMPLETE);
  EXPECT_STREQ(told, "src");
  EXPECT_EQ(clSetEventCallback(ran, CL_COMPLETE, note, told), CL_SUCCESS); /* at once */
  EXPECT_STREQ(told, "srcc");
  clReleaseEvent(gate);
  clReleaseEvent(ran);
  clReleaseKernel(plus);
  clReleaseMemObject(data);
}

TEST(commands, an_error_reaches_every_waiting_command) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_mem data = rig_numbers(&rig);
  cl_kernel plus = rig_plus(&rig, data, 5);
  cl_int status = CL_SUCCESS;
  char told[8] = "";
  cl_event gate = clCreateUserEvent(rig.context, &status), ran = NULL, after = NULL;
  EXPECT_EQ(rig_launch(&rig, rig.queue, plus, 1, &gate, &ran), CL_SUCCESS);
  EXPECT_EQ(clEnqueueMarkerWithWaitList(rig.queue, 1, &ran, &after), CL_SUCCESS);
  EXPECT_EQ(clSetEventCallback(after, CL_COMPLETE, note, told), CL_SUCCESS);
  EXPECT_EQ(clSetUserEventStatus(gate, -77), CL_SUCCESS);
  EXPECT_EQ(rig_status(ran), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(rig_status(after), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_STREQ(told, "e");
  EXPECT_EQ(clWaitForEvents(1, &ran), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  clReleaseEvent(gate);
  clReleaseEvent(ran);
  clReleaseEvent(after);
  clReleaseKernel(plus);
  clReleaseMemObject(data);
}

TEST(commands, out_of_order_ready_commands_run_and_a_barrier_holds_later_ones) {
  ct_freed(rig_free) struct rig rig = rig_new();
  const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  cl_int status = CL_SUCCESS, zero = 0;
  cl_command_queue queue = clCreateCommandQueueWithProperties(rig.context, rig.device[0], list, &status);
  cl_mem data = rig_numbers(&rig);
  cl_event gate = clCreateUserEvent(rig.context, &status), held = NULL, free_one = NULL, barrier = NULL, behind = NULL;
  EXPECT_EQ(clEnqueueFillBuffer(queue, data, &zero, 4, 0, 4, 1, &gate, &held), CL_SUCCESS);
  EXPECT_EQ(clEnqueueFillBuffer(queue, data, &zero, 4, 4, 4, 0, NULL, &free_one), CL_SUCCESS);
  EXPECT_EQ(clEnqueueBarrierWithWaitList(queue, 0, NULL, &barrier), CL_SUCCESS);
  EXPECT_EQ(clEnqueueFillBuffer(queue, data, &zero, 4, 8, 4, 0, NULL, &behind), CL_SUCCESS);
  EXPECT_EQ(rig_status(held), CL_QUEUED);
  EXPECT_EQ(rig_status(free_one), CL_COMPLETE);
  EXPECT_EQ(rig_status(barrier), CL_QUEUED);
  EXPECT_EQ(rig_status(behind), CL_QUEUED);
  EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(rig_status(behind), CL_COMPLETE);
  cl_event all[] = {gate, held, free_one, barrier, behind};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    clReleaseEvent(all[i]);
  clReleaseMemObject(data);
  clReleaseCommandQueue(queue);
}

TEST(commands, a_buffer_migrates_between_devices) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS;
  cl_command_queue other = clCreateCommandQueueWithProperties(rig.context, rig.device[1], NULL, &status);
  cl_mem data = rig_numbers(&rig);
  cl_kernel plus = rig_plus(&rig, data, 5);
  EXPECT_EQ(rig_launch(&rig, rig.queue, plus, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(rig_launch(&rig, other, plus, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(rig_launch(&rig, rig.queue, plus, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(rig_at(&rig, data, 7), 22);
  clReleaseKernel(plus);
  clReleaseMemObject(data);
  clReleaseCommandQueue(other);
}

TEST(commands, pipes_carry_packets_from_kernel_to_kernel) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS;
  cl_mem pipe = clCreatePipe(rig.context, 0, 4, 64, NULL, &status), data = rig_numbers(&rig);
  cl_kernel fill = rig_kernel(&rig, "fill"), drain = rig_kernel(&rig, "drain");
  EXPECT_EQ(clEnqueueFillBuffer(rig.queue, data, &(cl_int){-1}, 4, 0, 256, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(fill, 0, sizeof pipe, &pipe), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(drain, 0, sizeof pipe, &pipe), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(drain, 1, sizeof data, &data), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(drain, 0, sizeof data, &data), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(rig_launch(&rig, rig.queue, fill, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(rig_launch(&rig, rig.queue, drain, 0, NULL, NULL), CL_SUCCESS);
  cl_int sum = 0;
  for (size_t i = 0; i < 64; i++)
    sum += rig_at(&rig, data, i);
  EXPECT_EQ(sum, 63 * 64 / 2);
  clReleaseKernel(fill);
  clReleaseKernel(drain);
  clReleaseMemObject(pipe);
  clReleaseMemObject(data);
}

static void launch_one(cl_command_queue queue, cl_kernel kernel, cl_event *event) {
  EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &(size_t){1}, &(size_t){1}, 0, NULL, event), CL_SUCCESS);
}

/* put() on one queue and take() on another, connected by a channel of two packets and an autorun kernel. */
struct connected {
  cl_program program;
  cl_kernel put, take;
  cl_command_queue other;
  cl_mem data;
};

static struct connected connect(struct rig *rig) {
  static const char *source =
      "#pragma OPENCL EXTENSION cl_intel_channels : enable\n"
      "channel int in __attribute__((depth(2))), out __attribute__((depth(2)));\n"
      "kernel void put(int n) { for (int i = 0; i < n; i++) write_channel_intel(in, i); }\n"
      "kernel void take(global int *a, int n) { for (int i = 0; i < n; i++) a[i] = read_channel_intel(out); }\n"
      "__attribute__((autorun)) kernel void twice(void) { write_channel_intel(out, 2 * read_channel_intel(in)); }\n";
  cl_int status = CL_SUCCESS, n = 64;
  const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  struct connected made = {.program = clCreateProgramWithSource(rig->context, 1, &source, NULL, &status)};
  EXPECT_EQ(clBuildProgram(made.program, 0, NULL, "-cl-std=CL1.2", NULL, NULL), CL_SUCCESS);
  made.put = clCreateKernel(made.program, "put", &status);
  made.take = clCreateKernel(made.program, "take", &status);
  made.other = clCreateCommandQueueWithProperties(rig->context, rig->device[0], list, &status);
  made.data = rig_numbers(rig);
  EXPECT_EQ(clSetKernelArg(made.put, 0, sizeof n, &n), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(made.take, 0, sizeof made.data, &made.data), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(made.take, 1, sizeof n, &n), CL_SUCCESS);
  return made;
}

static void disconnect(struct connected *made) {
  clReleaseKernel(made->put);
  clReleaseKernel(made->take);
  clReleaseCommandQueue(made->other);
  clReleaseMemObject(made->data);
  clReleaseProgram(made->program);
}

TEST(commands, connected_kernels_are_gathered_until_the_host_waits) {
  ct_freed(rig_free) struct rig rig = rig_new();
  struct connected made = connect(&rig);
  for (int round = 0; round < 3; round++) {
    cl_event put = NULL, take = NULL;
    launch_one(rig.queue, made.put, &put);
    EXPECT_EQ(clFlush(rig.queue), CL_SUCCESS); /* put alone would never end */
    launch_one(made.other, made.take, &take);
    EXPECT_EQ(clFlush(made.other), CL_SUCCESS);
    EXPECT_EQ(clFinish(round ? made.other : rig.queue), CL_SUCCESS);
    EXPECT_EQ(rig_status(put), CL_COMPLETE);
    EXPECT_EQ(rig_status(take), CL_COMPLETE);
    EXPECT_EQ(rig_time(put, CL_PROFILING_COMMAND_START), rig_time(take, CL_PROFILING_COMMAND_START));
    EXPECT_LE(rig_time(put, CL_PROFILING_COMMAND_END), rig_time(take, CL_PROFILING_COMMAND_END));
    clReleaseEvent(put);
    clReleaseEvent(take);
    for (cl_int i = 0; i < 64; i++)
      EXPECT_EQ(rig_at(&rig, made.data, (size_t)i), 2 * i);
  }
  disconnect(&made);
}

static void CL_CALLBACK note_end(cl_event event, cl_int status, void *self) {
  (void)event;
  EXPECT_EQ(status, CL_COMPLETE);
  ++*(int *)self;
}

TEST(commands, connected_kernels_run_when_the_host_polls_or_has_a_callback) {
  ct_freed(rig_free) struct rig rig = rig_new();
  struct connected made = connect(&rig);
  cl_event put = NULL, take = NULL;
  int called = 0;
  launch_one(rig.queue, made.put, &put);
  launch_one(made.other, made.take, &take);
  EXPECT_EQ(rig_status(take), CL_COMPLETE);
  clReleaseEvent(put);
  clReleaseEvent(take);
  launch_one(rig.queue, made.put, &put);
  launch_one(made.other, made.take, &take);
  EXPECT_EQ(clSetEventCallback(take, CL_COMPLETE, note_end, &called), CL_SUCCESS);
  EXPECT_EQ(called, 0);
  EXPECT_EQ(clFlush(made.other), CL_SUCCESS);
  EXPECT_EQ(called, 1);
  clReleaseEvent(put);
  clReleaseEvent(take);
  launch_one(rig.queue, made.put, &put);
  EXPECT_EQ(clFlush(rig.queue), CL_SUCCESS);
  launch_one(made.other, made.take, &take);
  EXPECT_EQ(clFlush(made.other), CL_SUCCESS);
  EXPECT_EQ(clSetEventCallback(take, CL_COMPLETE, note_end, &called), CL_SUCCESS);
  EXPECT_EQ(called, 2);
  clReleaseEvent(put);
  clReleaseEvent(take);
  disconnect(&made);
}

static void *open_gate(void *gate) {
  struct timespec some = {.tv_nsec = 50000000};
  nanosleep(&some, NULL); /* meanwhile the other thread waits */
  EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  return NULL;
}

TEST(commands, connected_kernels_may_become_ready_while_the_host_waits) {
  ct_freed(rig_free) struct rig rig = rig_new();
  struct connected made = connect(&rig);
  cl_int status = CL_SUCCESS;
  cl_event gate = clCreateUserEvent(rig.context, &status), put = NULL, take = NULL;
  const size_t one = 1;
  pthread_t other;
  EXPECT_EQ(clEnqueueNDRangeKernel(rig.queue, made.put, 1, NULL, &one, &one, 1, &gate, &put), CL_SUCCESS);
  EXPECT_EQ(clEnqueueNDRangeKernel(made.other, made.take, 1, NULL, &one, &one, 1, &gate, &take), CL_SUCCESS);
  EXPECT_EQ(pthread_create(&other, NULL, open_gate, gate), 0);
  EXPECT_EQ(clFinish(rig.queue), CL_SUCCESS);
  pthread_join(other, NULL);
  EXPECT_EQ(rig_status(put), CL_COMPLETE);
  EXPECT_EQ(rig_status(take), CL_COMPLETE);
  clReleaseEvent(gate);
  clReleaseEvent(put);
  clReleaseEvent(take);
  disconnect(&made);
}

TEST(commands, a_connected_kernel_without_its_partner_fails) {
  ct_freed(rig_free) struct rig rig = rig_new();
  struct connected made = connect(&rig);
  cl_event put = NULL;
  launch_one(rig.queue, made.put, &put);
  EXPECT_EQ(clFinish(rig.queue), CL_SUCCESS);
  EXPECT_EQ(rig_status(put), CL_OUT_OF_RESOURCES);
  clReleaseEvent(put);
  disconnect(&made);
}

static cl_uint context_references(cl_context context) {
  cl_uint count = 0;
  EXPECT_EQ(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL), CL_SUCCESS);
  return count;
}

static void CL_CALLBACK note_context(cl_context context, void *self) {
  (void)context;
  ++*(int *)self;
}

TEST(commands, released_objects_do_not_keep_a_context_alive) {
  struct rig rig = rig_new();
  int ends = 0;
  cl_uint count = 9;
  EXPECT_EQ(clSetContextDestructorCallback(rig.context, note_context, &ends), CL_SUCCESS);
  cl_mem data = rig_numbers(&rig);
  cl_kernel plus = rig_plus(&rig, data, 5);
  cl_event event = NULL;
  EXPECT_EQ(rig_launch(&rig, rig.queue, plus, 0, NULL, &event), CL_SUCCESS);
  EXPECT_EQ(clEnqueueBarrierWithWaitList(rig.queue, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(clGetMemObjectInfo(data, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL), CL_SUCCESS);
  EXPECT_EQ(count, 1); /* an argument does not count as a reference of the program */
  EXPECT_EQ(context_references(rig.context), 1);
  cl_mem part = clCreateSubBuffer(data, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, 8}, NULL);
  clReleaseMemObject(data);
  EXPECT_EQ(clReleaseMemObject(data), CL_INVALID_MEM_OBJECT); /* its sub-buffer still uses it */
  clReleaseMemObject(part);
  clReleaseKernel(plus);
  clReleaseEvent(event);
  clReleaseProgram(rig.program);
  clReleaseCommandQueue(rig.queue);
  EXPECT_EQ(ends, 0);
  clReleaseContext(rig.context);
  EXPECT_EQ(ends, 1);
}

static void CL_CALLBACK ask_back(const char *text, const void *data, size_t size, void *self) {
  (void)data, (void)size;
  cl_uint count = 0;
  EXPECT_CONTAINS(text, "undeclared identifier");
  EXPECT_EQ(clGetDeviceIDs(NULL, CL_DEVICE_TYPE_GPU, 0, NULL, &count), CL_SUCCESS); /* no thread holds the lock */
  *(cl_uint *)self += count;
}

TEST(commands, a_context_is_notified_of_errors_and_may_call_the_api) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS;
  cl_uint told = 0;
  const char *text = "kernel void k() { x; }";
  cl_context context = clCreateContext(NULL, 1, rig.device, ask_back, &told, &status);
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
  EXPECT_EQ(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_EQ(told, 2);
  clReleaseProgram(program);
  clReleaseContext(context);
}

struct shift {
  struct rig *rig;
  int number, wrong;
};

/* Works with its own queue, buffer and kernel. */
static void *work_a_shift(void *self) {
  struct shift *shift = self;
  struct rig *rig = shift->rig;
  cl_int status = CL_SUCCESS, numbers[64] = {0};
  cl_command_queue queue =
      clCreateCommandQueueWithProperties(rig->context, rig->device[shift->number % 2], NULL, &status);
  cl_kernel plus = clCreateKernel(rig->program, "plus", &status);
  for (cl_int i = 0; i < 20; i++) {
    cl_mem data = clCreateBuffer(rig->context, CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers, &status);
    cl_event event = NULL;
    clSetKernelArg(plus, 0, sizeof data, &data);
    clSetKernelArg(plus, 1, sizeof i, &i);
    rig_launch(rig, queue, plus, 0, NULL, &event);
    cl_int got = -1;
    shift->wrong += clEnqueueReadBuffer(queue, data, CL_TRUE, 12, 4, &got, 1, &event, NULL) != CL_SUCCESS || got != i;
    clReleaseEvent(event);
    clReleaseMemObject(data);
  }
  clReleaseKernel(plus);
  clReleaseCommandQueue(queue);
  return NULL;
}

TEST(commands, threads_can_share_a_context) {
  enum { THREADS = 4 };
  ct_freed(rig_free) struct rig rig = rig_new();
  struct shift shift[THREADS];
  pthread_t thread[THREADS];
  for (int i = 0; i < THREADS; i++) {
    shift[i] = (struct shift){&rig, i, 0};
    EXPECT_EQ(pthread_create(&thread[i], NULL, work_a_shift, &shift[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(thread[i], NULL);
    EXPECT_EQ(shift[i].wrong, 0);
  }
  EXPECT_EQ(context_references(rig.context), 1);
}

/* ---- times ---------------------------------------------------------------------------------------------------- */

/* The time that the library reports for the same launch on a fresh device, from event to event. */
static double library_ns(void) {
  static const char source[] = "kernel void plus(global int *data, int add) { data[get_global_id(0)] += add; }\n";
  ww_context *context = NULL;
  ww_machine *h200 = NULL, *machine = NULL;
  ww_program *program = NULL;
  ww_device *device = NULL;
  ww_buffer *data = NULL;
  ww_launch *launch = NULL;
  ww_report *report = NULL;
  const ww_kernel *kernel = NULL;
  ww_error error;
  double cycles = -1;
  uint64_t mhz = 0;
  const bool good =
      !ww_context_new(NULL, &context, &error) && !ww_machine_load(context, "h200", &h200, &error) &&
      !ww_machine_with(h200, (const char *[]){"cu.count=1"}, 1, &machine, &error) &&
      !ww_machine_value(machine, "cu.clock_mhz", &mhz, NULL, &error) &&
      !ww_program_build(context, ww_text(source), NULL, &program, &error) &&
      !ww_program_kernel(program, "plus", &kernel, &error) && !ww_device_new(machine, &device, &error) &&
      !ww_buffer_new(device, NULL, 256, &data, &error) && !ww_launch_new(device, program, kernel, &launch, &error) &&
      !ww_launch_range(launch, 1, NULL, (uint64_t[]){64}, (uint64_t[]){8}, &error) &&
      !ww_launch_buffer(launch, 0, data, 0, &error) && !ww_launch_value(launch, 1, &(cl_int){5}, 4, &error) &&
      !ww_run(device, &launch, 1, NULL, &report, &error) &&
      ww_report_number(report, "launches[0].event_cycles", &cycles, NULL);
  EXPECT_TRUE(good);
  ww_report_unref(report);
  ww_launch_unref(launch);
  ww_buffer_unref(data);
  ww_device_unref(device);
  ww_program_unref(program);
  ww_machine_unref(machine);
  ww_machine_unref(h200);
  ww_context_unref(context);
  return cycles * 1000 / (double)mhz;
}

/* The sub-device has not been used yet. */
TEST(commands, a_kernel_takes_the_time_that_the_library_reports) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS;
  cl_device_id part = NULL;
  const cl_device_partition_property list[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END,
                                               0};
  EXPECT_EQ(clCreateSubDevices(rig.device[1], list, 1, &part, NULL), CL_SUCCESS);
  struct rig own = {{part, NULL}, clCreateContext(NULL, 1, &part, NULL, NULL, &status), NULL, NULL};
  const cl_queue_properties profiling[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  own.queue = clCreateCommandQueueWithProperties(own.context, part, profiling, &status);
  const char *text = "kernel void plus(global int *data, int add) { data[get_global_id(0)] += add; }\n";
  own.program = clCreateProgramWithSource(own.context, 1, &text, NULL, &status);
  EXPECT_EQ(clBuildProgram(own.program, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
  cl_mem data = rig_numbers(&own);
  cl_kernel plus = rig_plus(&own, data, 5);
  cl_event event = NULL;
  EXPECT_EQ(rig_launch(&own, own.queue, plus, 0, NULL, &event), CL_SUCCESS);
  EXPECT_EQ(rig_time(event, CL_PROFILING_COMMAND_END) - rig_time(event, CL_PROFILING_COMMAND_START),
            (cl_ulong)(library_ns() + 0.5));
  clReleaseEvent(event);
  clReleaseKernel(plus);
  clReleaseMemObject(data);
  rig_free(&own);
  clReleaseDevice(part);
}

/* Teaching has one compute unit. */
TEST(commands, a_device_cannot_be_partitioned_into_itself) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_uint units = 0, count = 0;
  cl_device_partition_property kinds[2] = {99, 99};
  size_t bytes = 0;
  EXPECT_EQ(clGetDeviceInfo(rig.device[1], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL), CL_SUCCESS);
  cl_device_partition_property list[] = {CL_DEVICE_PARTITION_EQUALLY, units, 0};
  EXPECT_EQ(clCreateSubDevices(rig.device[1], list, 0, NULL, &count), CL_DEVICE_PARTITION_FAILED);
  list[1] = units + 1;
  EXPECT_EQ(clCreateSubDevices(rig.device[1], list, 0, NULL, &count), CL_INVALID_DEVICE_PARTITION_COUNT);
  list[1] = units / 2;
  EXPECT_EQ(clCreateSubDevices(rig.device[1], list, 0, NULL, &count), CL_SUCCESS);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(clGetDeviceInfo(rig.device[0], CL_DEVICE_PARTITION_PROPERTIES, sizeof kinds, kinds, &bytes), CL_SUCCESS);
  EXPECT_EQ(bytes, sizeof *kinds);
  EXPECT_EQ(kinds[0], 0);
}

/* CL_DEVICE_UUID_KHR, CL_DRIVER_UUID_KHR and CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR, which old headers lack. */
TEST(commands, devices_have_unique_ids_and_separate_clocks) {
  ct_freed(rig_free) struct rig rig = rig_new();
  unsigned char first[16], again[16], second[16], driver[16];
  cl_ulong clocks = 0;
  char extensions[2000] = "";
  EXPECT_EQ(clGetDeviceInfo(rig.device[0], 0x106a, sizeof first, first, NULL), CL_SUCCESS);
  EXPECT_EQ(clGetDeviceInfo(rig.device[0], 0x106a, sizeof again, again, NULL), CL_SUCCESS);
  EXPECT_EQ(clGetDeviceInfo(rig.device[1], 0x106a, sizeof second, second, NULL), CL_SUCCESS);
  EXPECT_EQ(clGetDeviceInfo(rig.device[1], 0x106b, sizeof driver, driver, NULL), CL_SUCCESS);
  EXPECT_TRUE(memcmp(first, again, 16) == 0);
  EXPECT_TRUE(memcmp(first, second, 16) != 0);
  EXPECT_TRUE(memcmp(first, driver, 16) != 0);
  EXPECT_EQ(clGetDeviceInfo(rig.device[0], 0x1076, sizeof clocks, &clocks, NULL), CL_SUCCESS);
  EXPECT_EQ(clocks, 7);
  EXPECT_EQ(clGetDeviceInfo(rig.device[0], CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL), CL_SUCCESS);
  EXPECT_CONTAINS(extensions, "cl_khr_subgroup_clustered_reduce");
  EXPECT_CONTAINS(extensions, "cl_khr_suggested_local_work_size");
}

/* Compares what each work-item sees with what was suggested before. */
static void expect_suggested(struct rig *rig, clGetKernelSuggestedLocalWorkSizeKHR_fn suggest, cl_kernel kernel,
                             cl_mem seen, cl_uint dimensions, const size_t *global) {
  size_t suggested[4] = {0, 0, 0, 99};
  cl_int sizes[3] = {0, 0, 0};
  EXPECT_EQ(suggest(rig->queue, kernel, dimensions, NULL, global, suggested), CL_SUCCESS);
  EXPECT_EQ(clEnqueueNDRangeKernel(rig->queue, kernel, dimensions, NULL, global, NULL, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(clEnqueueReadBuffer(rig->queue, seen, CL_TRUE, 0, sizeof sizes, sizes, 0, NULL, NULL), CL_SUCCESS);
  for (cl_uint i = 0; i < dimensions; i++)
    EXPECT_EQ(suggested[i], sizes[i]);
  EXPECT_EQ(suggested[3], 99);
}

TEST(commands, the_suggested_work_group_size_equals_the_default) {
  static const char *const options[] = {"-cl-std=CL1.2", "-cl-std=CL3.0", "-cl-std=CL3.0 -DREQUIRED"};
  static const char *const text = "#ifdef REQUIRED\n"
                                  "__attribute__((reqd_work_group_size(4, 2, 1)))\n"
                                  "#endif\n"
                                  "kernel void sizes(global int *seen, local int *room) {\n"
                                  "  room[get_local_id(0)] = 1;\n"
                                  "  if (get_group_id(0) + get_group_id(1) == 0)\n"
                                  "    for (int i = 0; i < 3; i++)\n"
                                  "      seen[i] = get_local_size(i);\n"
                                  "}\n";
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_platform_id platform = NULL;
  cl_int status = clGetDeviceInfo(rig.device[0], CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
  cl_mem seen = rig_numbers(&rig);
  union {
    void *object;
    clGetKernelSuggestedLocalWorkSizeKHR_fn call;
  } suggest = {clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR")};
  ASSERT_TRUE(suggest.object != NULL);
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    ct_note("%s", options[i]);
    cl_program program = clCreateProgramWithSource(rig.context, 1, (const char **)&text, NULL, &status);
    EXPECT_EQ(clBuildProgram(program, 0, NULL, options[i], NULL, NULL), CL_SUCCESS);
    cl_kernel sizes = clCreateKernel(program, "sizes", &status);
    EXPECT_EQ(suggest.call(rig.queue, sizes, 2, NULL, (size_t[]){8, 8}, (size_t[2]){0}), CL_INVALID_KERNEL_ARGS);
    EXPECT_EQ(clSetKernelArg(sizes, 0, sizeof seen, &seen), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(sizes, 1, 16384, NULL), CL_SUCCESS);
    expect_suggested(&rig, suggest.call, sizes, seen, 2, (size_t[]){8, 8});
    expect_suggested(&rig, suggest.call, sizes, seen, 2, (size_t[]){100, 2});
    expect_suggested(&rig, suggest.call, sizes, seen, 3, (size_t[]){500, 2, 1});
    EXPECT_EQ(suggest.call(rig.queue, sizes, 2, NULL, NULL, (size_t[2]){0}), CL_INVALID_GLOBAL_WORK_SIZE);
    EXPECT_EQ(suggest.call(rig.queue, sizes, 2, NULL, (size_t[]){8, 0}, (size_t[2]){0}), CL_INVALID_GLOBAL_WORK_SIZE);
    EXPECT_EQ(suggest.call(rig.queue, sizes, 2, NULL, (size_t[]){8, 8}, NULL), CL_INVALID_VALUE);
    EXPECT_EQ(suggest.call(rig.queue, sizes, 4, NULL, (size_t[]){8, 8}, (size_t[2]){0}), CL_INVALID_WORK_DIMENSION);
    EXPECT_EQ(suggest.call(NULL, sizes, 2, NULL, (size_t[]){8, 8}, (size_t[2]){0}), CL_INVALID_COMMAND_QUEUE);
    EXPECT_EQ(suggest.call(rig.queue, NULL, 2, NULL, (size_t[]){8, 8}, (size_t[2]){0}), CL_INVALID_KERNEL);
    clReleaseKernel(sizes);
    clReleaseProgram(program);
  }
  clReleaseMemObject(seen);
}

/* For single, double and half precision: all operations in both memories, and none for halves. */
TEST(commands, float_atomics_are_reported_by_precision) {
  static const cl_device_info names[] = {0x4231, 0x4232, 0x4233};
  static const cl_ulong wanted[] = {0x70007, 0x70007, 0};
  ct_freed(rig_free) struct rig rig = rig_new();
  char extensions[2000] = "";
  for (size_t i = 0; i < 3; i++) {
    cl_ulong told = 99;
    EXPECT_EQ(clGetDeviceInfo(rig.device[0], names[i], sizeof told, &told, NULL), CL_SUCCESS);
    EXPECT_EQ(told, wanted[i]);
  }
  EXPECT_EQ(clGetDeviceInfo(rig.device[0], CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL), CL_SUCCESS);
  EXPECT_CONTAINS(extensions, "cl_ext_float_atomics");
}

TEST(commands, the_timer_lies_between_finished_and_future_commands) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_ulong before = 0, after = 0, host = 0;
  cl_event event = NULL;
  cl_mem data = rig_numbers(&rig);
  EXPECT_EQ(clGetDeviceAndHostTimer(rig.device[0], &before, &host), CL_SUCCESS);
  EXPECT_EQ(clEnqueueFillBuffer(rig.queue, data, &(cl_int){3}, 4, 0, 256, 0, NULL, &event), CL_SUCCESS);
  EXPECT_EQ(clFinish(rig.queue), CL_SUCCESS);
  EXPECT_EQ(clGetDeviceAndHostTimer(rig.device[0], &after, &host), CL_SUCCESS);
  EXPECT_LT(before, rig_time(event, CL_PROFILING_COMMAND_QUEUED));
  EXPECT_LT(rig_time(event, CL_PROFILING_COMMAND_END), after);
  clReleaseEvent(event);
  clReleaseMemObject(data);
}

TEST(commands, event_times_are_in_order) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_mem data = rig_numbers(&rig);
  cl_kernel plus = rig_plus(&rig, data, 5);
  cl_ulong before = 0;
  for (int i = 0; i < 5; i++) {
    cl_event event = NULL;
    EXPECT_EQ(i % 2 ? rig_launch(&rig, rig.queue, plus, 0, NULL, &event)
                    : clEnqueueFillBuffer(rig.queue, data, &(cl_int){3}, 4, 0, 256, 0, NULL, &event),
              CL_SUCCESS);
    EXPECT_LT(rig_time(event, CL_PROFILING_COMMAND_QUEUED), rig_time(event, CL_PROFILING_COMMAND_SUBMIT));
    EXPECT_LE(rig_time(event, CL_PROFILING_COMMAND_SUBMIT), rig_time(event, CL_PROFILING_COMMAND_START));
    EXPECT_LE(before, rig_time(event, CL_PROFILING_COMMAND_START));
    EXPECT_LT(rig_time(event, CL_PROFILING_COMMAND_START), rig_time(event, CL_PROFILING_COMMAND_END));
    before = rig_time(event, CL_PROFILING_COMMAND_END);
    clReleaseEvent(event);
  }
  clReleaseKernel(plus);
  clReleaseMemObject(data);
}

/* As the machine's parameters host.* specify; teaching has the defaults. */
TEST(commands, transfers_take_a_latency_plus_a_time_per_byte) {
  ct_freed(rig_free) struct rig rig = rig_new();
  enum { BYTES = 1 << 20 };
  cl_int status = CL_SUCCESS;
  cl_mem large = clCreateBuffer(rig.context, 0, BYTES, NULL, &status);
  char *bytes = calloc(1, BYTES);
  cl_event write = NULL, read = NULL, fill = NULL;
  EXPECT_EQ(clEnqueueWriteBuffer(rig.queue, large, CL_FALSE, 0, BYTES, bytes, 0, NULL, &write), CL_SUCCESS);
  EXPECT_EQ(clEnqueueReadBuffer(rig.queue, large, CL_FALSE, 0, 16, bytes, 0, NULL, &read), CL_SUCCESS);
  EXPECT_EQ(clEnqueueFillBuffer(rig.queue, large, "x", 1, 0, BYTES, 0, NULL, &fill), CL_SUCCESS);
  const cl_event events[] = {write, read, fill};
  const cl_ulong ns[] = {1000 + BYTES / 16, 1000 + 1, 1000 + BYTES / 64};
  for (int i = 0; i < 3; i++) {
    EXPECT_EQ(rig_time(events[i], CL_PROFILING_COMMAND_END) - rig_time(events[i], CL_PROFILING_COMMAND_START), ns[i]);
    EXPECT_EQ(rig_time(events[i], CL_PROFILING_COMMAND_SUBMIT) - rig_time(events[i], CL_PROFILING_COMMAND_QUEUED),
              1000);
    clReleaseEvent(events[i]);
  }
  free(bytes);
  clReleaseMemObject(large);
}

TEST(commands, a_copy_on_another_queue_overlaps_a_kernel) {
  ct_freed(rig_free) struct rig rig = rig_new();
  enum { BYTES = 1 << 20 };
  const cl_queue_properties profiling[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  cl_int status = CL_SUCCESS;
  cl_command_queue other = clCreateCommandQueueWithProperties(rig.context, rig.device[0], profiling, &status);
  cl_mem data = rig_numbers(&rig), large = clCreateBuffer(rig.context, 0, BYTES, NULL, &status);
  cl_kernel plus = rig_plus(&rig, data, 5);
  char *bytes = calloc(1, BYTES);
  cl_event copy = NULL, kernel = NULL;
  EXPECT_EQ(clEnqueueWriteBuffer(other, large, CL_FALSE, 0, BYTES, bytes, 0, NULL, &copy), CL_SUCCESS);
  EXPECT_EQ(rig_launch(&rig, rig.queue, plus, 0, NULL, &kernel), CL_SUCCESS);
  EXPECT_LT(rig_time(kernel, CL_PROFILING_COMMAND_START), rig_time(copy, CL_PROFILING_COMMAND_END));
  EXPECT_LT(rig_time(copy, CL_PROFILING_COMMAND_START), rig_time(kernel, CL_PROFILING_COMMAND_END));
  free(bytes);
  clReleaseEvent(copy);
  clReleaseEvent(kernel);
  clReleaseKernel(plus);
  clReleaseMemObject(data);
  clReleaseMemObject(large);
  clReleaseCommandQueue(other);
}
