/* Recording of a device: all its runs in one trace.
 *
 *     ww_device_record() ──► ww_run() ──► ww_run() ──► ... ──► ww_device_record_end()
 *     creates an engine      operations and metas, piece by piece   "run", "marks", index
 *
 * The recording is in the device's pool, since runs write into it: an out-of-memory error loses it together with the
 * engine. A replay runs all launches on one machine from cycle 0. So a recording begins with an engine that has not
 * run, and ends with the run after which the device replaces its engine. */
#include <inttypes.h>

#include "sim/api/api.h"
#include "sim/base/need.h"
#include "sim/replay/recorder.h"
#include "sim/replay/trace_job.h"

struct api_recording {
  struct api_sink sink;
  struct recorder *recorder;
  struct run_watcher watcher;
  struct trace_jobs *jobs; /* NULL: nothing has run yet */
  bool takes;              /* whether the current run is recorded */
  struct message why;      /* why no more runs are recorded; "": they are */
  uint64_t missed;         /* runs that were not recorded */
};

/* ---- beginning ------------------------------------------------------------------------------------------------- */

/* If the sink refuses more bytes, the run continues. */
static bool settle(void *self, cycle_t now, uint64_t done, uint64_t groups) {
  (void)done, (void)groups;
  trace_writer_settle(recorder_writer(self), now);
  return true;
}

/* Whether the sink accepts the bytes. */
static bool is_written(const struct api_recording *recording) {
  return trace_writer_good(recorder_writer(recording->recorder));
}

/* While the device is recorded, new images get new numbers. */
static void record_numbers(ww_device *device, bool recorded) {
  API_LOCKED(device);
  device->recorded = recorded;
}

struct record_call {
  ww_device *device;
  ww_sink sink;
};

static ww_status begin(void *self, struct message *message) {
  const struct record_call *call = self;
  ww_device *device = call->device;
  struct api_recording *recording = need(1, sizeof *recording);
  api_sink(&recording->sink, call->sink);
  recording->recorder = recorder_new(trace_writer_open_sink(&recording->sink.sink, "the trace", message));
  if (!recording->recorder || !is_written(recording)) {
    if (recording->recorder)
      recorder_close(recording->recorder, message);
    free(recording);
    return WW_CANCELLED;
  }
  recording->watcher = recorder_watcher(recording->recorder);
  recording->watcher.settle = settle;
  device->before = ww_device_now(device);
  engine_free(device->engine);
  device->engine = NULL;
  device->recording = recording;
  record_numbers(device, true);
  return WW_OK;
}

/* Requires that api_device_begin() has reserved the device. */
static ww_status change(struct record_call *call, api_work *work, ww_error *error) {
  const cycle_t now = ww_device_now(call->device);
  const ww_status status = api_try(&call->device->pool, work, call, error);
  if (api_lost(status)) {
    api_device_lose(call->device, now);
    call->device->recording_lost = false;
  }
  return status;
}

ww_status ww_device_record(ww_device *device, ww_sink sink, ww_error *error) {
  struct record_call call = {device, sink};
  API_GIVEN(device);
  API_GIVEN(sink.write);
  if (!api_device_begin(device))
    return api_fail(error, WW_BAD_INPUT, "device: is running launches");
  ww_status status;
  if (device->recording)
    status = api_fail(error, WW_BAD_INPUT, "device: is already being recorded");
  else if ((status = change(&call, begin, error)) == WW_OK)
    device->recording_lost = false;
  api_device_end(device);
  return status;
}

/* ---- runs ------------------------------------------------------------------------------------------------------ */

bool api_record_fits(const ww_device *device, const ww_watch *watch, struct message *message) {
  return !device->recording || !(watch->check || watch->trace.write) ||
         message_fail(message, "%s: the device is being recorded, so its runs cannot be checked or recorded again",
                      watch->check ? "check" : "trace");
}

void api_record_run(struct api_recording *recording, const struct job *job, struct run_options *options) {
  if (!recording)
    return;
  struct message *why = &recording->why;
  recording->takes = !*why->text && trace_job_possible(job, why);
  if (recording->takes && !recording->jobs)
    recording->jobs = trace_jobs_new(job);
  recording->takes = recording->takes && trace_jobs_memory(recording->jobs, job, why);
  if (recording->takes)
    run_watch(options, &recording->watcher);
  else
    recording->missed++;
}

/* The cycle in which the launches were cut off; 0: they were not, or they deadlocked, as they will in a replay. */
static cycle_t cut(const struct launch_result *results, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (results[i].end == END_CYCLE_LIMIT || results[i].end == END_STOPPED)
      return results[i].together_cycles;
  return 0;
}

void api_record_ran(struct api_recording *recording, const struct job *job, const struct launch_result *results,
                    size_t count, cycle_t max_cycles, bool finished) {
  if (!recording || !recording->takes)
    return;
  recorder_rest(recording->recorder);
  const bool written = is_written(recording);
  if (count)
    trace_jobs_launches(recording->jobs, job, max_cycles, cut(results, count));
  if (!finished)
    message_fail(&recording->why, "its run did not finish");
  else if (!written)
    message_fail(&recording->why, "it could not be written");
}

/* ---- ending ---------------------------------------------------------------------------------------------------- */

/* Reports whether the finished trace lacks runs of the device. */
static ww_status report_missing(size_t launches, uint64_t missed, const struct message *why, struct message *message) {
  if (!launches)
    message_fail(message, "the trace has no launch: %.900s", *why->text ? why->text : "nothing was run");
  else if (missed)
    message_fail(message, "the trace ends with launch %zu: %.800s; later runs are missing: %" PRIu64, launches,
                 why->text, missed);
  return launches && !missed ? WW_OK : WW_UNSUPPORTED;
}

static ww_status end(void *self, struct message *message) {
  const struct record_call *call = self;
  struct api_recording *recording = call->device->recording;
  struct message error;
  const size_t launches = recording->jobs ? trace_jobs_count(recording->jobs) : 0;
  if (launches)
    trace_jobs_write(recording->jobs, recorder_writer(recording->recorder));
  const bool good = recorder_close(recording->recorder, &error);
  const ww_status status = report_missing(launches, recording->missed, &recording->why, message);
  if (recording->jobs)
    trace_jobs_free(recording->jobs);
  free(recording);
  call->device->recording = NULL;
  record_numbers(call->device, false);
  if (good)
    return status;
  *message = error;
  return WW_CANCELLED;
}

static ww_status fail_none(ww_device *device, ww_error *error) {
  if (!device->recording_lost)
    return api_fail(error, WW_BAD_INPUT, "device: is not being recorded");
  device->recording_lost = false;
  return api_fail(error, WW_NO_MEMORY, "the recording is lost: out of memory during a run");
}

ww_status ww_device_record_end(ww_device *device, ww_error *error) {
  struct record_call call = {.device = device};
  API_GIVEN(device);
  if (!api_device_begin(device))
    return api_fail(error, WW_BAD_INPUT, "device: is running launches");
  const ww_status status = device->recording ? change(&call, end, error) : fail_none(device, error);
  api_device_end(device);
  return status;
}
