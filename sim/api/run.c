/* Runs on a device, behind two recovery points:
 *
 *     launches ──► job of the report ──► engine, watchers ──► results in the report
 *                  a pool of its own     the device's pool    they leave it: heap_disown()
 *
 * What the engine and the watchers own is in the device's pool: an out-of-memory error during the run frees it all at
 * once, and the device makes another engine for its next run. The report is not in that pool. */
#include <assert.h>
#include <stdio.h>

#include "models/result.h"
#include "sim/api/api.h"
#include "sim/base/need.h"
#include "sim/core/histogram.h"

struct run_call {
  ww_device *device;
  ww_launch *const *launches;
  size_t count;
  ww_watch watch;
  ww_program *owner;         /* of program-scope variables and channels; NULL: there are none */
  struct api_variables made; /* the owner's, on its first run on the device */
  ww_report *report;
  cycle_t before; /* cycle 0 of the run in the device's time */
};

static_assert((int)WW_TOGETHER == (int)RESULT_TOGETHER, "as many as the machine takes");

/* ---- the job: buffers, pipes and images ----------------------------------------------------------------- */

static void add_buffer(struct job *job, const char *name, uint64_t base, uint64_t bytes, uint8_t *data) {
  struct isa_buffer *buffer = &job->memory.buffers[job->memory.count];
  *buffer = (struct isa_buffer){.base = base, .bytes = bytes, .data = data};
  strcpy(buffer->name, name); /* names of ww_buffer fit */
  job->elements[job->memory.count++] = (struct type){TYPE_UNSIGNED, 1, 1};
}

/* Everything on the device, in the order of addresses. Bytes and reservations remain the device's. */
static void take_memory(struct job *job, ww_device *device, bool to_run) {
  API_LOCKED(device);
  device->run += to_run;
  job->memory.buffers = need(device->count + 1, sizeof *job->memory.buffers);
  job->elements = need(device->count + 1, sizeof *job->elements);
  job->memory.pipes = need(device->count, sizeof *job->memory.pipes);
  for (size_t i = 0; i < device->count; i++) {
    const struct ww_buffer *buffer = device->buffers[i];
    add_buffer(job, buffer->name, buffer->base, buffer->bytes, buffer->data);
    if (buffer->pipe.data)
      job->memory.pipes[job->memory.pipe_count++] = buffer->pipe;
  }
  job->memory.images = need(device->image_count, sizeof *job->memory.images);
  job->memory.image_count = device->image_count;
  if (device->image_count)
    memcpy(job->memory.images, device->images, device->image_count * sizeof *device->images);
}

/* Returns bytes and reservations to the device; the report keeps none. */
static void give_back_memory(struct job *job) {
  for (size_t i = 0; i < job->memory.count; i++)
    job->memory.buffers[i].data = NULL;
  for (size_t i = 0; i < job->memory.pipe_count; i++) {
    struct isa_pipe *pipe = &job->memory.pipes[i];
    pipe->data = pipe->written = NULL;
    pipe->queue[ISA_PIPE_READ] = pipe->queue[ISA_PIPE_WRITE] = (struct isa_pipe_queue){0};
  }
}

/* ---- program-scope variables and channels --------------------------------------------------------------- */

/* Only one program of a run may have variables: the variables of every program begin at the same address. */
static ww_status find_owner(struct run_call *call, struct message *message) {
  for (size_t i = 0; i < call->count; i++) {
    ww_program *program = call->launches[i]->program;
    if (!isa_variable_room(program->program.isa) || program == call->owner)
      continue;
    if (call->owner) {
      message_fail(message,
                   "'%.60s' and '%.60s' cannot run at once: only one program of them may have program-scope variables "
                   "or channels",
                   call->owner->program.path, program->program.path);
      return WW_UNSUPPORTED;
    }
    call->owner = program;
  }
  return WW_OK;
}

static const struct api_variables *variables_of(const ww_device *device, const ww_program *program) {
  for (size_t i = 0; i < device->variable_count; i++)
    if (device->variables[i].program == program)
      return &device->variables[i];
  return NULL;
}

/* Drops the variables of programs that only devices still reference: nobody can launch them any more. */
static void drop_variables(ww_device *device) {
  size_t kept = 0;
  for (size_t i = 0; i < device->variable_count; i++) {
    struct api_variables variables = device->variables[i];
    if (atomic_load(&variables.program->references) > atomic_load(&variables.program->devices))
      device->variables[kept++] = variables;
    else
      api_variables_free(device, &variables);
  }
  device->variable_count = kept;
}

/* Open reservations are in the device's pool. */
static ww_status free_channels(void *self, struct message *message) {
  const struct api_variables *variables = self;
  (void)message;
  for (size_t i = 0; i < variables->channel_count; i++)
    isa_pipe_free(&variables->channels[i]);
  return WW_OK;
}

void api_variables_free(ww_device *device, struct api_variables *variables) {
  api_try(&device->pool, free_channels, variables, NULL);
  atomic_fetch_sub(&variables->program->devices, 1);
  ww_program_unref(variables->program);
  free(variables->channels);
  free(variables->data);
}

/* For a program's first run on the device: variables with their initial values. add_variables() gives them to it. */
static void make_variables(struct run_call *call) {
  ww_device *device = call->device;
  const struct isa_program *isa = call->owner->program.isa;
  struct api_variables *made = &call->made;
  *made = (struct api_variables){.data = need(need_size(isa_variable_room(isa)), 1),
                                 .channel_count = isa_channel_pipes(isa)};
  if (isa->variable_bytes)
    memcpy(made->data, isa->variables, isa->variable_bytes);
  made->channels = need(made->channel_count, sizeof *made->channels);
  isa_channels_init(isa, made->data, made->channels);
  device->variables = need_more(device->variables, device->variable_count + 1, sizeof *device->variables);
  heap_disown(device->variables);
}

/* There is room, so this cannot fail. */
static void add_variables(struct run_call *call) {
  ww_device *device = call->device;
  drop_variables(device);
  atomic_fetch_add(&call->owner->devices, 1);
  call->made.program = ww_program_ref(call->owner);
  device->variables[device->variable_count++] = call->made;
}

/* The run was refused, so the device does not get them. */
static void drop_made(struct api_variables *made) {
  free_channels(made, NULL);
  free(made->channels);
  free(made->data);
}

/* Channels follow the device's pipes. */
static bool take_channels(const struct run_call *call, const struct api_variables *variables, struct message *message) {
  struct isa_memory *memory = &call->report->job.memory;
  const size_t count = variables->channel_count;
  if (!count)
    return true;
  for (size_t i = 0; i < memory->pipe_count; i++)
    if (memory->pipes[i].number + count > ISA_MOST_PIPES)
      return message_fail(message, "more than %d pipes and channels", ISA_MOST_PIPES);
  memory->pipes = need_more(memory->pipes, memory->pipe_count + count, sizeof *memory->pipes);
  memcpy(memory->pipes + memory->pipe_count, variables->channels, count * sizeof *variables->channels);
  memory->pipe_count += count;
  return true;
}

/* ---- the job: launches ---------------------------------------------------------------------------------- */

static size_t number_of(const struct job *job, uint64_t base) {
  size_t number = 0;
  while (job->memory.buffers[number].base != base)
    number++;
  return number;
}

static size_t pipe_number_of(const struct job *job, uint64_t base) {
  size_t number = 0;
  while (job->memory.pipes[number].base != base)
    number++;
  return number;
}

static struct job_argument argument_of(const struct job *job, const struct api_argument *set) {
  struct job_argument argument = set->value;
  if (argument.kind == ARGUMENT_BUFFER)
    argument.buffer = number_of(job, set->buffer->base);
  if (argument.kind == ARGUMENT_PIPE)
    argument.buffer = pipe_number_of(job, set->buffer->base);
  if (argument.kind == ARGUMENT_IMAGE)
    argument.buffer = set->image->number;
  return argument;
}

static bool add_launch(struct job *job, const ww_launch *launch, struct message *message) {
  const size_t count = launch->kernel->argument_count;
  struct job_argument *arguments = need(count, sizeof *arguments);
  struct launch_fault fault = {.field = LAUNCH_KERNEL};
  struct launch from = launch->as_set;
  char place[160];
  for (size_t i = 0; i < count; i++)
    arguments[i] = argument_of(job, &launch->arguments[i]);
  from.arguments = arguments;
  from.argument_count = count;
  bool good = from.dimensions ? job_add(job, &from, &fault, message) : message_fail(message, "its NDRange is not set");
  free(arguments);
  if (!good && fault.field >= LAUNCH_GLOBAL)
    message_within(message, launch_field_names[fault.field]);
  snprintf(place, sizeof place, "kernel '%.60s'", launch->kernel->name);
  return good || (strncmp(message->text, place, strlen(place)) != 0 && message_within(message, place));
}

/* The report holds references to what it describes. Nothing may fail after this. */
static void keep_alive(const struct run_call *call) {
  ww_report *report = call->report;
  report->machine = ww_machine_ref(call->device->machine);
  for (size_t i = 0; i < call->count; i++)
    report->programs[report->program_count++] = ww_program_ref(call->launches[i]->program);
}

/* A job named after the program, without memory and launches. */
static void begin_job(struct job *job, ww_device *device, const ww_program *program) {
  job->file = need_copy(program->program.path);
  job_set_machine(job, device->machine->machine, device->machine->file);
}

static ww_status prepare(void *self, struct message *message) {
  struct run_call *call = self;
  for (size_t i = 0; i < call->count; i++)
    if (!call->launches[i] || call->launches[i]->device != call->device)
      return api_judge(
          message_fail(message, "launches[%zu]: is %s", i, call->launches[i] ? "from another device" : "NULL"));
  const ww_status owned = find_owner(call, message);
  if (owned != WW_OK)
    return owned;
  const struct api_variables *variables = call->owner ? variables_of(call->device, call->owner) : NULL;
  if (call->owner && !variables) {
    make_variables(call);
    variables = &call->made;
  }
  ww_report *report = call->report = api_report_new();
  struct job *job = &report->job;
  size_t shared = 0;
  report->programs = need(call->count, sizeof *report->programs);
  report->results = need(WW_TOGETHER, sizeof *report->results);
  begin_job(job, call->device, call->launches[0]->program);
  take_memory(job, call->device, true);
  bool good = !variables || take_channels(call, variables, message);
  for (size_t i = 0; good && i < call->count; i++)
    good = add_launch(job, call->launches[i], message);
  if (!good || !job_together(job, 0, &shared, message) || !api_watch_fits(&call->watch, job, message) ||
      !api_record_fits(call->device, &call->watch, message))
    return WW_BAD_INPUT;
  keep_alive(call);
  return WW_OK;
}

/* ---- behind the device's recovery point ------------------------------------------------------------------------- */

static ww_status run_on_engine(ww_device *device, ww_report *report, const struct run_options *options, size_t *done,
                               struct message *message) {
  struct job *job = &report->job;
  if (!device->engine)
    device->engine = engine_new(job->machine);
  if (engine_run(device->engine, job, options, report->results, done, message))
    return WW_OK;
  return *done < job->launch_count ? WW_NO_MEMORY : WW_BAD_INPUT;
}

/* Simulated time continues; the next run makes another engine. */
static void drop_engine(ww_device *device, const struct launch_result *results, size_t done) {
  cycle_t now = ww_device_now(device);
  for (size_t i = 0; i < done; i++)
    now = cycle_max(now, device->before + results[i].start + results[i].together_cycles);
  engine_free(device->engine);
  device->engine = NULL;
  device->before = now;
}

/* The report owns its results, whatever becomes of the device's pool. */
static void keep_results(const struct run_call *call, size_t done) {
  ww_report *report = call->report;
  for (size_t i = 0; i < done; i++) {
    struct launch_result *result = &report->results[i];
    result->start += call->before;
    heap_disown(result->by_pc);
    heap_disown(result->pipes);
    heap_disown(result->dma_latency);
    heap_disown(report->job.launches[i].printed.text);
  }
  report->count = done;
}

/* The report shows nothing of a run that failed. */
static void drop_results(const struct run_call *call, size_t done) {
  struct job *job = &call->report->job;
  for (size_t i = 0; i < done; i++)
    launch_result_free(&call->report->results[i]);
  for (size_t i = 0; i < job->launch_count; i++)
    printed_free(&job->launches[i].printed);
}

static ww_status run_watched(void *self, struct message *message) {
  struct run_call *call = self;
  ww_device *device = call->device;
  ww_report *report = call->report;
  struct api_recording *recording = call->watch.functional ? NULL : device->recording;
  struct run_options options = {0};
  struct job *job = &report->job;
  struct api_watchers *watchers;
  size_t done = 0;
  api_record_run(recording, job, &options);
  ww_status status = api_watch_begin(&call->watch, job, device->before, &options, &watchers, message);
  if (call->owner) /* Watchers know the memory by now; a replay learns from the program where variables are. */
    add_buffer(job, "program variables", ISA_VARIABLE_BASE, isa_variable_room(call->owner->program.isa),
               variables_of(device, call->owner)->data);
  if (status == WW_OK)
    status = run_on_engine(device, report, &options, &done, message);
  status = api_watch_end(watchers, job, report->results, done, status, message);
  const bool finished = run_finished(job, report->results, done);
  api_record_ran(recording, job, report->results, done, options.max_cycles, status == WW_OK && finished);
  if (status != WW_OK || !finished)
    drop_engine(device, report->results, done);
  if (status == WW_OK)
    api_watch_keep(watchers, report);
  api_watch_free(watchers);
  if (status == WW_OK)
    keep_results(call, done);
  else
    drop_results(call, done);
  return status;
}

/* The recovery point has freed all that the run allocated. */
static void keep_nothing(ww_report *report) {
  report->hazard_count = 0;
  report->hazards = NULL;
  report->page = (struct text){0};
  for (size_t i = 0; i < report->job.launch_count; i++)
    report->job.launches[i].printed = (struct printed){0};
}

/* ---- the call ------------------------------------------------------------------------------------------- */

/* Copies back the state in which the launches left the pipes. The device may have gained pipes meanwhile. */
static void settle_pipes(const struct run_call *call) {
  const struct isa_memory *memory = &call->report->job.memory;
  size_t next = 0;
  api_device_lock(call->device);
  for (size_t i = 0; i < call->device->count && next < memory->pipe_count; i++) {
    if (isa_pipe_is_channel(&memory->pipes[next]))
      break;
    struct isa_pipe *pipe = &call->device->buffers[i]->pipe;
    if (pipe->data && pipe->base == memory->pipes[next].base)
      *pipe = memory->pipes[next++];
  }
  api_device_unlock(call->device);
  const struct api_variables *variables = variables_of(call->device, call->owner);
  for (size_t i = 0; next < memory->pipe_count; i++)
    variables->channels[i] = memory->pipes[next++];
}

static ww_status run_call(struct run_call *call, ww_error *error) {
  ww_device *device = call->device;
  const cycle_t now = ww_device_now(device);
  ww_status status = api_try(NULL, prepare, call, error);
  if (api_lost(status)) {
    call->report = NULL;
  } else if (status != WW_OK) {
    drop_made(&call->made);
  } else {
    if (call->made.data)
      add_variables(call);
    call->before = device->before;
    status = api_try(&device->pool, run_watched, call, error);
    if (api_lost(status)) {
      api_device_lose(device, now);
      keep_nothing(call->report);
    } else {
      settle_pipes(call);
    }
  }
  if (call->report)
    give_back_memory(&call->report->job);
  return status;
}

ww_status ww_run(ww_device *device, ww_launch *const *launches, size_t count, const ww_watch *watch, ww_report **report,
                 ww_error *error) {
  ww_launch *kept[WW_TOGETHER];
  struct run_call call = {.device = device, .launches = kept, .count = count};
  if (report)
    *report = NULL;
  API_GIVEN(device);
  API_GIVEN(launches);
  API_TAKE_WATCH(call.watch, watch);
  if (!count || count > WW_TOGETHER)
    return api_fail(error, WW_BAD_INPUT, "count: %zu is outside [1, %d] launches at once", count, WW_TOGETHER);
  if (!api_device_begin(device))
    return api_fail(error, WW_BAD_INPUT, "device: is running launches");
  for (size_t i = 0; i < count; i++)
    kept[i] = ww_launch_ref(launches[i]); /* other threads may release theirs during the run */
  ww_status status = run_call(&call, error);
  for (size_t i = 0; i < count; i++)
    ww_launch_unref(kept[i]);
  api_device_end(device);
  if (status == WW_OK)
    api_notify(&call.watch, call.report);
  if (status == WW_OK && report)
    *report = call.report;
  else
    ww_report_unref(call.report);
  return status;
}

/* ---- the work-group size that a run would choose -------------------------------------------------------- */

struct local_call {
  ww_launch *launch;
  uint64_t *local;
  ww_report *report; /* for the job, which does not run */
};

static bool has_memory(const ww_launch *launch) {
  size_t i = 0;
  while (i < launch->kernel->argument_count && !launch->arguments[i].buffer && !launch->arguments[i].image)
    i++;
  return i < launch->kernel->argument_count;
}

/* The driver asks at each enqueue, with null pointers, so it does not pay for a list of all buffers. */
static ww_status find_local(void *self, struct message *message) {
  struct local_call *call = self;
  ww_report *report = call->report = api_report_new();
  begin_job(&report->job, call->launch->device, call->launch->program);
  if (has_memory(call->launch))
    take_memory(&report->job, call->launch->device, false);
  if (!add_launch(&report->job, call->launch, message))
    return WW_BAD_INPUT;
  for (unsigned i = 0; i < 3; i++)
    call->local[i] = report->job.launches[0].isa.local[i];
  return WW_OK;
}

ww_status ww_launch_local_size(ww_launch *launch, uint64_t local[3], ww_error *error) {
  struct local_call call = {.launch = launch, .local = local};
  API_GIVEN(launch);
  API_GIVEN(local);
  const ww_status status = api_try(NULL, find_local, &call, error);
  if (api_lost(status))
    return status;
  give_back_memory(&call.report->job);
  ww_report_unref(call.report);
  return status;
}
