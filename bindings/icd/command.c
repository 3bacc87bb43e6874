/* Commands: enqueueing them, running them when everything that they wait for has ended, and waiting for them. */
#include <stdio.h>
#include <stdlib.h>

#include "bindings/icd/icd.h"
#include "bindings/icd/kinds.h"

/* All commands that have not run, in the order in which they were enqueued. */
static struct icd_command *first, **last = &first;

static bool has_ended(cl_event event) { return !event || event->status <= CL_COMPLETE; }

/* ---- creating commands ---------------------------------------------------------------------------------- */

static cl_int check_waits(cl_context context, cl_uint count, const cl_event *waits) {
  if (!waits != !count)
    return CL_INVALID_EVENT_WAIT_LIST;
  for (cl_uint i = 0; i < count; i++) {
    if (!icd_is(waits[i], ICD_EVENT))
      return CL_INVALID_EVENT_WAIT_LIST;
    if (waits[i]->context != context)
      return CL_INVALID_CONTEXT;
  }
  return CL_SUCCESS;
}

static void add_wait(struct icd_command *command, cl_event event) {
  command->waits[command->wait_count++] = icd_ref(event);
}

/* A new event with its context, queue and type. */
static cl_event new_event(cl_command_queue queue, cl_command_type type) {
  cl_event event = icd_new(ICD_EVENT, sizeof *event);
  if (!event)
    return NULL;
  event->context = icd_ref(queue->context);
  event->queue = icd_ref(queue);
  event->type = type;
  event->status = CL_QUEUED;
  event->object.references = 0; /* the program may take one later */
  return icd_ref(event);
}

struct icd_command *icd_command(cl_command_queue queue, cl_command_type type, cl_uint wait_count, const cl_event *waits,
                                icd_run *run, cl_int *status) {
  *status = icd_is(queue, ICD_QUEUE) ? check_waits(queue->context, wait_count, waits) : CL_INVALID_COMMAND_QUEUE;
  if (*status != CL_SUCCESS)
    return NULL;
  struct icd_command *made = calloc(1, sizeof *made);
  if (made) {
    made->waits = calloc((size_t)wait_count + 2, sizeof(cl_event));
    made->event = new_event(queue, type);
  }
  if (!made || !made->waits || !made->event) {
    *status = CL_OUT_OF_HOST_MEMORY;
    icd_drop(made);
    return NULL;
  }
  made->run = run;
  for (cl_uint i = 0; i < wait_count; i++)
    add_wait(made, waits[i]);
  return made;
}

void icd_drop(struct icd_command *command) {
  if (!command)
    return;
  if (command->drop)
    command->drop(command);
  for (size_t i = 0; i < command->wait_count; i++)
    icd_unref(command->waits[i]);
  icd_unref(command->from);
  icd_unref(command->to);
  icd_unref(command->event);
  free(command->waits);
  free(command);
}

void icd_explain(struct icd_command *command, const char *reason) {
  snprintf(command->reason, sizeof command->reason, "%s", reason);
  icd_notify(command->event->context, reason);
}

/* ---- enqueueing ----------------------------------------------------------------------------------------- */

static void set(cl_event *at, cl_event event) {
  cl_event before = *at;
  *at = icd_ref(event);
  icd_unref(before);
}

/* Makes the command wait for the one before it in an in-order queue, or for the last barrier in an out-of-order queue.
 */
static void add_order(struct icd_command *command, cl_command_queue queue) {
  const bool in_order = !(queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_event before = in_order ? queue->last : queue->barrier;
  if (before)
    add_wait(command, before);
  set(&queue->last, command->event);
  if (command->event->type == CL_COMMAND_BARRIER)
    set(&queue->barrier, command->event);
}

cl_int icd_enqueue(struct icd_command *command, bool blocking, cl_event *event) {
  cl_event own = icd_ref(command->event);
  add_order(command, own->queue);
  icd_time_queued(own);
  command->next = NULL;
  *last = command;
  last = &command->next;
  if (event) {
    *event = own;
    own->object.references++;
  }
  icd_advance();
  cl_int status = CL_SUCCESS;
  if (blocking) {
    icd_wait(own);
    status = own->status; /* CL_COMPLETE is CL_SUCCESS */
  }
  icd_unref(own);
  return status;
}

/* ---- running -------------------------------------------------------------------------------------------- */

/* Whether all earlier commands of its queue have run. */
static bool is_first_of_queue(const struct icd_command *command) {
  for (const struct icd_command *at = first; at != command; at = at->next)
    if (at->event->queue == command->event->queue)
      return false;
  return true;
}

static bool is_ready(const struct icd_command *command) {
  for (size_t i = 0; i < command->wait_count; i++)
    if (!has_ended(command->waits[i]))
      return false;
  return !command->all || is_first_of_queue(command);
}

static bool has_failed(const struct icd_command *command) {
  for (size_t i = 0; i < command->wait_count; i++)
    if (command->waits[i]->status < 0)
      return true;
  return false;
}

/* Later commands of the queue no longer wait for this event; the queue remembers when it ended. */
static void forget(cl_event event) {
  cl_command_queue queue = event->queue;
  queue->ended = event->end > queue->ended ? event->end : queue->ended;
  if (queue->barrier == event) {
    queue->barrier_ended = event->end;
    set(&queue->barrier, NULL);
  }
  if (queue->last == event)
    set(&queue->last, NULL);
}

static void end(struct icd_command *command, struct icd_work work, cl_int status) {
  icd_log_command(command, work, status);
  if (status < 0)
    icd_log_failure(command, status);
  forget(command->event);
  icd_set_status(command->event, status);
  icd_drop(command);
}

static void run_command(struct icd_command *command) {
  struct icd_work work = {ICD_PARTS, 0, 0};
  icd_set_status(command->event, CL_SUBMITTED);
  cl_int status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  if (!has_failed(command)) {
    icd_set_status(command->event, CL_RUNNING);
    status = command->run ? command->run(command, &work) : CL_COMPLETE;
  }
  icd_time_commands(&command, &work, 1);
  end(command, work, status);
}

/* Removes the command from the list. */
static struct icd_command *unlink_command(struct icd_command **at) {
  struct icd_command *command = *at;
  *at = command->next;
  if (last == &command->next)
    last = at;
  return command;
}

/* ---- launches that run at once ------------------------------------------------------------------------------ */

/* Programs enqueue kernels that channels connect one after the other, each on its own queue. These launches are kept
 * until the program waits, and then run at once, because each alone would wait forever. */
static bool is_kept(const struct icd_command *command) {
  return command->launch && command->run && icd_has_channels(command->launch) && !has_failed(command);
}

static bool goes_with(const struct icd_command *command, const struct icd_command *other) {
  return command->launch->kernel->built == other->launch->kernel->built &&
         command->event->queue->device == other->event->queue->device;
}

static void run_at_once(struct icd_command *const *commands, size_t count) {
  struct icd_work works[WW_TOGETHER] = {{ICD_PARTS, 0, 0}};
  for (size_t i = 0; i < count; i++)
    icd_set_status(commands[i]->event, CL_SUBMITTED);
  for (size_t i = 0; i < count; i++)
    icd_set_status(commands[i]->event, CL_RUNNING);
  const cl_int status = icd_run_launches(commands, count, works);
  icd_time_commands(commands, works, count);
  for (size_t i = 0; i < count; i++)
    end(commands[i], works[i], status);
}

/* Runs the kept launches that are ready and can run with the first of them. False: there are none. */
static bool run_kept(void) {
  struct icd_command *commands[WW_TOGETHER];
  size_t count = 0;
  size_t most = WW_TOGETHER; /* autorun kernels count, too */
  for (struct icd_command **at = &first; *at && count < most;)
    if (is_ready(*at) && is_kept(*at) && (!count || goes_with(*at, commands[0]))) {
      const size_t autoruns = ww_program_autoruns((*at)->launch->kernel->built);
      most = autoruns < WW_TOGETHER ? WW_TOGETHER - autoruns : 1;
      commands[count++] = unlink_command(at);
    } else {
      at = &(*at)->next;
    }
  if (count)
    run_at_once(commands, count);
  return count;
}

/* Starts over after each command, because an earlier command of another queue may have waited for it. */
static void advance(bool all) {
  static bool advances; /* a running command enqueues none, but a callback of it may complete a user event */
  if (advances)
    return;
  advances = true;
  do
    for (struct icd_command **at = &first; *at;)
      if (!is_ready(*at) || is_kept(*at)) {
        at = &(*at)->next;
      } else {
        run_command(unlink_command(at));
        at = &first;
      }
  while (all && run_kept());
  advances = false;
}

void icd_advance(void) { advance(false); }

/* If a flushed command's event has a callback, runs everything that is ready, kept launches too: the program may never
 * wait for it in another way. */
static void advance_flushed(void) {
  bool awaited = false;
  for (const struct icd_command *at = first; at; at = at->next)
    awaited = awaited || (at->event->callbacks && at->flushed);
  advance(awaited);
}

void icd_wait(cl_event event) {
  for (advance(!has_ended(event)); !has_ended(event); advance(true))
    icd_wait_for_change(); /* a callback may make more commands ready */
  icd_host_waits_until(event->end);
}

/* ---- events --------------------------------------------------------------------------------------------- */

struct notice {
  cl_event event;
  void(CL_CALLBACK *call)(cl_event, cl_int, void *);
  void *self;
  cl_int status;
};

static void notify(void *self) {
  struct notice *notice = self;
  notice->call(notice->event, notice->status, notice->self);
  ICD_LOCKED;
  icd_unref(notice->event);
  free(notice);
}

static void call_later(cl_event event, const struct icd_callback *callback, cl_int status) {
  struct notice *notice = malloc(sizeof *notice);
  if (!notice)
    return;
  *notice = (struct notice){icd_ref(event), (void(CL_CALLBACK *)(cl_event, cl_int, void *))callback->call,
                            callback->self, status};
  icd_call_later(notify, notice);
}

/* Statuses count down, and errors are negative, so an error triggers the callbacks for all later statuses. */
void icd_set_status(cl_event event, cl_int status) {
  event->status = status;
  for (struct icd_callback **at = &event->callbacks; *at;) {
    struct icd_callback *callback = *at;
    if (callback->status < status) {
      at = &callback->next;
      continue;
    }
    call_later(event, callback, status < 0 ? status : callback->status);
    *at = callback->next;
    free(callback);
  }
  icd_changed();
}

void icd_destroy_event(cl_event event) {
  for (struct icd_callback *next, *at = event->callbacks; at; at = next) {
    next = at->next;
    free(at);
  }
  icd_unref(event->queue);
  icd_unref(event->context);
}

CL_API_ENTRY cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int *error) {
  cl_int *status = error ? error : &(cl_int){CL_SUCCESS};
  ICD_LOCKED;
  *status = icd_is(context, ICD_CONTEXT) ? CL_SUCCESS : CL_INVALID_CONTEXT;
  cl_event event = icd_create(ICD_EVENT, sizeof *event, status);
  if (!event)
    return NULL;
  event->context = icd_ref(context);
  event->type = CL_COMMAND_USER;
  event->status = CL_SUBMITTED;
  return event;
}

CL_API_ENTRY cl_int CL_API_CALL clSetUserEventStatus(cl_event event, cl_int to) {
  cl_int status = CL_SUCCESS;
  ICD_LOCKED;
  if (!icd_is(event, ICD_EVENT) || event->type != CL_COMMAND_USER)
    status = CL_INVALID_EVENT;
  else if (to > CL_COMPLETE)
    status = CL_INVALID_VALUE;
  else if (has_ended(event))
    status = CL_INVALID_OPERATION;
  else {
    event->end = icd_host_now();
    icd_set_status(event, to);
    icd_advance();
  }
  return status;
}

ICD_COUNTED(Event, cl_event, ICD_EVENT, CL_INVALID_EVENT)

CL_API_ENTRY cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event *events) {
  ICD_LOCKED;
  cl_int status = CL_SUCCESS;
  if (!count || !events)
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; i++) {
    if (!icd_is(events[i], ICD_EVENT))
      return CL_INVALID_EVENT;
    if (events[i]->context != events[0]->context)
      return CL_INVALID_CONTEXT;
  }
  for (cl_uint i = 0; i < count; i++) {
    icd_ref(events[i]);
    icd_wait(events[i]);
    if (events[i]->status < 0)
      status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    icd_unref(events[i]);
  }
  return status;
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info name, size_t size, void *value,
                                               size_t *needed) {
  const struct icd_query query = {size, value, needed};
  ICD_LOCKED;
  if (!icd_is(event, ICD_EVENT))
    return CL_INVALID_EVENT;
  switch (name) {
  case CL_EVENT_COMMAND_QUEUE:
    ICD_ANSWER(cl_command_queue, event->queue);
  case CL_EVENT_CONTEXT:
    ICD_ANSWER(cl_context, event->context);
  case CL_EVENT_COMMAND_TYPE:
    ICD_ANSWER(cl_command_type, event->type);
  case CL_EVENT_COMMAND_EXECUTION_STATUS:
    if (!has_ended(event)) /* a program that polls the status is waiting, too */
      advance(true);
    ICD_ANSWER(cl_int, event->status);
  case CL_EVENT_REFERENCE_COUNT:
    ICD_ANSWER(cl_uint, event->object.references);
  default:
    return CL_INVALID_VALUE;
  }
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t size,
                                                        void *value, size_t *needed) {
  const struct icd_query query = {size, value, needed};
  ICD_LOCKED;
  if (!icd_is(event, ICD_EVENT))
    return CL_INVALID_EVENT;
  if (!event->queue || !(event->queue->flags & CL_QUEUE_PROFILING_ENABLE) || event->status != CL_COMPLETE)
    return CL_PROFILING_INFO_NOT_AVAILABLE;
  switch (name) {
  case CL_PROFILING_COMMAND_QUEUED:
    ICD_ANSWER(cl_ulong, event->queued);
  case CL_PROFILING_COMMAND_SUBMIT:
    ICD_ANSWER(cl_ulong, event->submit);
  case CL_PROFILING_COMMAND_START:
    ICD_ANSWER(cl_ulong, event->start);
  case CL_PROFILING_COMMAND_END:
  case CL_PROFILING_COMMAND_COMPLETE:
    ICD_ANSWER(cl_ulong, event->end);
  default:
    return CL_INVALID_VALUE;
  }
}

CL_API_ENTRY cl_int CL_API_CALL clSetEventCallback(cl_event event, cl_int when,
                                                   void(CL_CALLBACK *call)(cl_event, cl_int, void *), void *self) {
  cl_int status = CL_SUCCESS;
  ICD_LOCKED;
  if (!icd_is(event, ICD_EVENT))
    status = CL_INVALID_EVENT;
  else if (!call || (when != CL_SUBMITTED && when != CL_RUNNING && when != CL_COMPLETE))
    status = CL_INVALID_VALUE;
  else if (event->status <= when)
    call_later(event, &(struct icd_callback){(void (*)(void))call, self, when, NULL},
               event->status < 0 ? event->status : when);
  else if (!icd_add_callback(&event->callbacks, (void (*)(void))call, self, when))
    status = CL_OUT_OF_HOST_MEMORY;
  else
    advance_flushed();
  return status;
}

/* ---- commands that only wait ------------------------------------------------------------------------------- */

static cl_int enqueue_wait(cl_command_queue queue, cl_command_type type, ICD_WAITS) {
  cl_int status = CL_SUCCESS;
  struct icd_command *command = icd_command(queue, type, count, waits, NULL, &status);
  if (!command)
    return status;
  command->all = !count;
  return icd_enqueue(command, false, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue, ICD_WAITS) {
  ICD_LOCKED;
  return enqueue_wait(queue, CL_COMMAND_MARKER, count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue queue, ICD_WAITS) {
  ICD_LOCKED;
  return enqueue_wait(queue, CL_COMMAND_BARRIER, count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarker(cl_command_queue queue, cl_event *event) {
  ICD_LOCKED;
  const bool is = icd_is(queue, ICD_QUEUE);
  return is && !event ? CL_INVALID_VALUE : enqueue_wait(queue, CL_COMMAND_MARKER, 0, NULL, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue queue) {
  ICD_LOCKED;
  return enqueue_wait(queue, CL_COMMAND_BARRIER, 0, NULL, NULL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count, const cl_event *waits) {
  cl_int status = CL_INVALID_COMMAND_QUEUE;
  ICD_LOCKED;
  if (icd_is(queue, ICD_QUEUE))
    status = !count || !waits ? CL_INVALID_VALUE : enqueue_wait(queue, CL_COMMAND_BARRIER, count, waits, NULL);
  return status == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : status;
}

CL_API_ENTRY cl_int CL_API_CALL clFlush(cl_command_queue queue) {
  ICD_LOCKED;
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  for (struct icd_command *at = first; at; at = at->next)
    at->flushed = at->flushed || at->event->queue == queue;
  advance_flushed();
  return CL_SUCCESS;
}

/* Waits for all commands of the queue so far. */
CL_API_ENTRY cl_int CL_API_CALL clFinish(cl_command_queue queue) {
  ICD_LOCKED;
  cl_event event = NULL;
  cl_int status = enqueue_wait(queue, CL_COMMAND_BARRIER, 0, NULL, &event);
  if (status != CL_SUCCESS)
    return status;
  icd_wait(event);
  icd_give_up(event);
  return CL_SUCCESS;
}
