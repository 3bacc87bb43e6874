/* Simulated time, in nanoseconds of one clock for host and devices.
 *
 *     host   ──queued──submit┐            ┌── waits for the end
 *     device                 └─start──end─┘    compute units, to the device, to the host: one command each at a time
 *
 * A call advances the host's clock by its cost; waiting for a command advances it to the command's end. A command
 * starts when it has been submitted, what it waits for has ended, and the part of the device that it occupies is free.
 * The machine's parameters host.* give the durations. So times depend only on the program's calls.
 *
 * Not modeled: the host's work between calls, which takes no time, and pinned or pageable host memory. */
#include "bindings/icd/icd.h"

static cl_ulong host_now;

cl_ulong icd_host_now(void) { return host_now; }

void icd_host_waits_until(cl_ulong when) {
  if (when > host_now)
    host_now = when;
}

void icd_read_host(cl_device_id device) {
  struct icd_host *host = &device->host;
  const struct {
    const char *key;
    cl_ulong *to;
  } rows[] = {{"host.call", &host->call},
              {"host.submit", &host->submit},
              {"host.start", &host->start},
              {"host.write_latency", &host->latency[ICD_TO_DEVICE]},
              {"host.write_width", &host->width[ICD_TO_DEVICE]},
              {"host.read_latency", &host->latency[ICD_TO_HOST]},
              {"host.read_width", &host->width[ICD_TO_HOST]},
              {"host.copy_latency", &host->latency[ICD_COMPUTE]},
              {"cu.launch_overhead", &host->launch_cycles}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    *rows[i].to = icd_parameter(device->machine, rows[i].key);
  host->width[ICD_COMPUTE] = (cl_ulong)((double)icd_parameter(device->machine, "mem.dram_width") * device->clock_ghz);
  if (!host->width[ICD_COMPUTE])
    host->width[ICD_COMPUTE] = 1;
}

void icd_time_queued(cl_event event) {
  const struct icd_host *host = &event->queue->device->host;
  event->queued = host_now;
  event->submit = host_now + host->submit;
  host_now += host->call;
}

struct icd_work icd_moving(const struct icd_command *command, enum icd_part part, size_t bytes, unsigned ways) {
  const struct icd_host *host = &command->event->queue->device->host;
  struct icd_work work = {.part = part, .bytes = bytes};
  if (bytes)
    work.ns = (double)host->latency[part] + ways * (double)bytes / (double)host->width[part];
  return work;
}

static cl_ulong later(cl_ulong a, cl_ulong b) { return a > b ? a : b; }

/* When a command could start if all parts of the device were free. */
static cl_ulong free_start(const struct icd_command *command) {
  const cl_event event = command->event;
  const cl_command_queue queue = event->queue;
  const bool in_order = !(queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_ulong start =
      later(event->submit + queue->device->host.start, in_order || command->all ? queue->ended : queue->barrier_ended);
  for (size_t i = 0; i < command->wait_count; i++)
    start = later(start, command->waits[i]->end);
  return start;
}

void icd_time_commands(struct icd_command *const *commands, const struct icd_work *works, size_t count) {
  const cl_device_id device = commands[0]->event->queue->device;
  cl_ulong *busy = works[0].part < ICD_PARTS ? &device->busy[works[0].part] : NULL;
  cl_ulong start = busy ? *busy : 0;
  for (size_t i = 0; i < count; i++)
    start = later(start, free_start(commands[i]));
  for (size_t i = 0; i < count; i++) {
    cl_event event = commands[i]->event;
    event->start = start;
    event->end = start + (cl_ulong)(works[i].ns + 0.5);
    if (busy)
      *busy = later(*busy, event->end);
  }
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *of_device, cl_ulong *of_host) {
  cl_int status = CL_SUCCESS;
  ICD_LOCKED;
  if (!icd_is(device, ICD_DEVICE))
    status = CL_INVALID_DEVICE;
  else if (!of_device || !of_host)
    status = CL_INVALID_VALUE;
  else
    *of_device = *of_host = host_now + 1;
  host_now += 2; /* so that the answer is later than everything that has ended, and earlier than what follows */
  return status;
}

CL_API_ENTRY cl_int CL_API_CALL clGetHostTimer(cl_device_id device, cl_ulong *of_host) {
  cl_ulong of_device;
  return clGetDeviceAndHostTimer(device, &of_device, of_host);
}
