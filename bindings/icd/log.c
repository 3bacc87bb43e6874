/* A log of the devices' work. WARPWAIT_LOG names a file, to which each command appends a line of JSON when it has
 * ended. Each line is one write() at the file's end, so the file has only complete lines even if the program crashes,
 * and several processes can share it. Only a full disk cuts a line.
 *
 *     {"command": "kernel", "pid": 4711, "device": 0, "machine": "h200", "queue": 1, "times": [0, 2900, 7000, 11955],
 *      "kernel": "saxpy", "global": [4096], "cycles": 9811, "overhead": 2100, "bound": "...", "hazards": 0}
 *     {"failure": "kernel", "pid": 4711, "device": 0, "machine": "h200", "queue": 1, "error": "CL_OUT_OF_RESOURCES",
 *      "reason": "...", "kernel": "saxpy"}
 *     {"hazard": "X1-stride-zero", "kernel": "saxpy", "message": ..., "file": ..., "line": 7, "count": 3, ...}
 *     {"report": "text of the report", "kernel": "saxpy", "machine": "h200", "values": {the report as JSON}}
 *
 * A report is written for each launch that is the longest so far of its kernel on its machine. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "bindings/icd/icd.h"
#include "bindings/icd/json.h"

/* ---- the file --------------------------------------------------------------------------------------------- */

static int file = -2; /* not yet opened; -1: there is none */

static int log_file(void) {
  const char *path = icd_settings()->log;
  if (file == -2) {
    file = path ? icd_open(path, O_APPEND) : -1;
    if (path && file < 0)
      icd_report_lost(path, errno);
  }
  return file;
}

static void set_text(json_t *line, const char *key, const char *text) {
  json_object_set_new(line, key, icd_text_of(text, strlen(text)));
}

/* Takes over the reference to the object. A line that is not whole is this process's last one: what follows would
 * continue it. */
static void add_line(json_t *object) {
  char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
  const size_t length = text ? strlen(text) : 0;
  errno = ENOMEM;
  if (text)
    text[length] = '\n'; /* replaces the final zero */
  if (!text || !icd_write(log_file(), text, length + 1)) {
    icd_report_lost(icd_settings()->log, errno);
    close(file);
    file = -1;
  }
  free(text);
  json_decref(object);
}

/* ---- commands --------------------------------------------------------------------------------------------- */

static const char *command_name(cl_command_type type) {
  switch (type) {
  case CL_COMMAND_NDRANGE_KERNEL:
  case CL_COMMAND_TASK:
    return "kernel";
  case CL_COMMAND_READ_BUFFER:
  case CL_COMMAND_READ_IMAGE:
  case CL_COMMAND_READ_BUFFER_RECT:
    return "read";
  case CL_COMMAND_WRITE_BUFFER:
  case CL_COMMAND_WRITE_IMAGE:
  case CL_COMMAND_WRITE_BUFFER_RECT:
    return "write";
  case CL_COMMAND_COPY_BUFFER:
  case CL_COMMAND_COPY_IMAGE:
  case CL_COMMAND_COPY_IMAGE_TO_BUFFER:
  case CL_COMMAND_COPY_BUFFER_TO_IMAGE:
  case CL_COMMAND_COPY_BUFFER_RECT:
  case CL_COMMAND_SVM_MEMCPY:
    return "copy";
  case CL_COMMAND_FILL_BUFFER:
  case CL_COMMAND_FILL_IMAGE:
  case CL_COMMAND_SVM_MEMFILL:
    return "fill";
  case CL_COMMAND_MAP_BUFFER:
  case CL_COMMAND_MAP_IMAGE:
  case CL_COMMAND_SVM_MAP:
    return "map";
  case CL_COMMAND_UNMAP_MEM_OBJECT:
  case CL_COMMAND_SVM_UNMAP:
    return "unmap";
  case CL_COMMAND_MIGRATE_MEM_OBJECTS:
  case CL_COMMAND_SVM_MIGRATE_MEM:
    return "migrate";
  case CL_COMMAND_SVM_FREE:
    return "free";
  case CL_COMMAND_MARKER:
    return "marker";
  default:
    return "barrier";
  }
}

/* The part of a launch's time that its report does not count, in nanoseconds. Both times are rounded as an event's. */
static json_int_t overhead_of(const struct icd_outcome *outcome, const struct _cl_device_id *device) {
  const double overhead = (double)device->host.launch_cycles, ghz = device->clock_ghz;
  if (outcome->cycles < overhead)
    return 0; /* it did not run, or without timing */
  return (json_int_t)(outcome->cycles / ghz + 0.5) - (json_int_t)((outcome->cycles - overhead) / ghz + 0.5);
}

static void add_launch(json_t *line, const struct icd_launch *launch, const struct _cl_device_id *device) {
  const struct icd_outcome *outcome = &launch->outcome;
  set_text(line, "kernel", launch->kernel->kernel->name);
  json_object_set_new(line, "global", icd_list_of(launch->global, launch->dimensions));
  if (launch->has_local)
    json_object_set_new(line, "local", icd_list_of(launch->local, launch->dimensions));
  if (outcome->functional)
    json_object_set_new(line, "functional", json_true());
  else
    json_object_set_new(line, "cycles", json_real(outcome->cycles));
  json_object_set_new(line, "overhead", json_integer(overhead_of(outcome, device)));
  if (outcome->checked)
    json_object_set_new(line, "checked", json_true());
  if (outcome->bound)
    set_text(line, "bound", outcome->bound);
  json_object_set_new(line, "hazards", json_integer((json_int_t)outcome->hazards));
}

void icd_log_command(const struct icd_command *command, struct icd_work work, cl_int status) {
  static const char *const parts[] = {
      [ICD_COMPUTE] = "compute", [ICD_TO_DEVICE] = "to device", [ICD_TO_HOST] = "to host"};
  const cl_event event = command->event;
  if (log_file() < 0)
    return;
  const uint64_t times[] = {event->queued, event->submit, event->start, event->end};
  json_t *line =
      json_pack("{s:s, s:i, s:i, s:i, s:o}", "command", command_name(event->type), "pid", (int)getpid(), "device",
                (int)event->queue->device->number, "queue", (int)event->queue->number, "times", icd_list_of(times, 4));
  set_text(line, "machine", ww_machine_name(event->queue->device->machine));
  if (work.part < ICD_PARTS)
    json_object_set_new(line, "part", json_string(parts[work.part]));
  if (work.bytes)
    json_object_set_new(line, "bytes", json_integer((json_int_t)work.bytes));
  if (command->launch)
    add_launch(line, command->launch, event->queue->device);
  if (status < 0)
    json_object_set_new(line, "error", json_integer(status));
  add_line(line);
}

/* ---- failures --------------------------------------------------------------------------------------------- */

/* All codes with which commands fail, and the reason of those that have only one. */
static const struct code {
  cl_int status;
  const char *name, *reason;
} codes[] = {{CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE", "out of memory"},
             {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY", "out of memory"},
             {CL_MAP_FAILURE, "CL_MAP_FAILURE", "out of memory"},
             {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
              "an event that it waits for has failed"},
             {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES", ""}};

void icd_log_failure(const struct icd_command *command, cl_int status) {
  const cl_event event = command->event;
  const struct code *code = codes;
  if (log_file() < 0)
    return;
  while (code->status != status && code->status != CL_OUT_OF_RESOURCES)
    code++;
  json_t *line =
      json_pack("{s:s, s:i, s:i, s:i, s:s}", "failure", command_name(event->type), "pid", (int)getpid(), "device",
                (int)event->queue->device->number, "queue", (int)event->queue->number, "error", code->name);
  set_text(line, "machine", ww_machine_name(event->queue->device->machine));
  set_text(line, "reason", *command->reason ? command->reason : code->reason);
  if (command->launch)
    set_text(line, "kernel", command->launch->kernel->kernel->name);
  add_line(line);
}

/* ---- hazards ---------------------------------------------------------------------------------------------- */

void icd_log_hazard(const struct icd_launch *launch, const ww_hazard *hazard) {
  if (log_file() < 0)
    return;
  json_t *line = json_pack("{s:s, s:I, s:I}", "hazard", hazard->rule, "line", (json_int_t)hazard->line, "count",
                           (json_int_t)hazard->count);
  set_text(line, "kernel", launch->kernel->kernel->name);
  set_text(line, "message", hazard->message);
  set_text(line, "detail", hazard->detail);
  set_text(line, "file", hazard->file);
  if (line && launch->caller.object)
    json_object_set_new(line, "caller",
                        json_pack("[o, I]", icd_text_of(launch->caller.object, strlen(launch->caller.object)),
                                  (json_int_t)launch->caller.offset));
  add_line(line);
}

/* ---- reports ---------------------------------------------------------------------------------------------- */

/* The longest launch so far of each kernel on each machine. */
struct longest {
  char *kernel;
  const ww_machine *machine;
  double cycles;
  struct longest *next;
};

bool icd_is_longest(const struct icd_launch *launch, const ww_machine *machine) {
  static struct longest *first;
  const char *kernel = launch->kernel->kernel->name;
  struct longest *at = first;
  while (at && (at->machine != machine || strcmp(at->kernel, kernel) != 0))
    at = at->next;
  if (at) {
    const bool longer = launch->outcome.cycles > at->cycles;
    at->cycles = longer ? launch->outcome.cycles : at->cycles;
    return longer;
  }
  struct longest *made = malloc(sizeof *made);
  char *name = strdup(kernel);
  if (!made || !name) {
    free(made);
    free(name);
    return false;
  }
  *made = (struct longest){name, machine, launch->outcome.cycles, first};
  first = made;
  return true;
}

void icd_log_report(const struct icd_launch *launch, const ww_machine *machine, const ww_report *report) {
  struct icd_text text = {NULL, 0}, values = {NULL, 0};
  if (log_file() < 0)
    return;
  if (ww_report_write(report, WW_TEXT, (ww_sink){icd_add, &text}, NULL) == WW_OK &&
      ww_report_write(report, WW_JSON, (ww_sink){icd_add, &values}, NULL) == WW_OK) {
    json_t *line = json_pack("{s:o, s:o}", "report", icd_text_of(text.text, text.length), "values",
                             json_loadb(values.text, values.length, JSON_ALLOW_NUL, NULL));
    set_text(line, "kernel", launch->kernel->kernel->name);
    set_text(line, "machine", ww_machine_name(machine));
    add_line(line);
  } else {
    icd_report_lost(icd_settings()->log, ENOMEM);
  }
  free(text.text);
  free(values.text);
}
