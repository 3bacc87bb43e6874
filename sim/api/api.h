/* Internals of the public library (include/warpwait.h): its objects, and how a call ends.
 *
 *     ww_x() ──► arguments are there? ──► api_try(): behind a recovery point (sim/base/heap.h) ──► ww_status, ww_error
 *
 * Each object begins with its reference count. Everything that a call creates is listed at its recovery point until the
 * call succeeds, so an out-of-memory error leaks nothing. What a device's engine owns is listed in the device's own
 * pool.
 *
 * Invariant: no callback runs while an object is half changed. */
#ifndef SIM_API_API_H
#define SIM_API_API_H

#include <pthread.h>
#include <stdatomic.h>

#include "include/warpwait.h"
#include "isa/image.h"
#include "sim/base/heap.h"
#include "sim/check/report.h"
#include "sim/report/report.h"
#include "sim/session/run.h"

/* ---- how a call ends: error.c ------------------------------------------------------------------------- */

/* Fills *error (which may be NULL) with the status, the message, and the place that the message begins with. Returns
 * the status. */
ww_status api_fail(ww_error *error, ww_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Reports that an argument is NULL although it must not be. */
ww_status api_missing(ww_error *error, const char *argument);
#define API_GIVEN(argument)                                                                                            \
  if (!(argument))                                                                                                     \
  return api_missing(error, #argument)

/* The same of the place for the call's result, which is NULL unless the call succeeds. */
#define API_MADE(result)                                                                                               \
  API_GIVEN(result);                                                                                                   \
  *(result) = NULL

/* The work of a call. Returns WW_OK, or the error's status with the message filled. */
typedef ww_status api_work(void *self, struct message *message);

/* Runs the work behind a recovery point with this pool (heap.h). */
ww_status api_try(struct heap_pool *pool, api_work *work, void *self, ww_error *error);

/* Whether the recovery point has already freed everything that the call had allocated: out of memory, or a defect in
 * the library. */
static inline bool api_lost(ww_status status) { return status == WW_NO_MEMORY || status == WW_DEFECT; }

/* A caller's bytes, with a default name if they have none. */
static inline ww_bytes api_named(ww_bytes bytes, const char *usual) {
  bytes.name = bytes.name ? bytes.name : usual;
  return bytes;
}

/* Like api_try(), without a pool. `name` is the name of the caller's bytes, where the error may be. */
ww_status api_try_named(const char *name, api_work *work, void *self, ww_error *error);

/* WW_BAD_INPUT unless `good`: an error that a reader or a run has put into the message comes from the input. */
static inline ww_status api_judge(bool good) { return good ? WW_OK : WW_BAD_INPUT; }

/* Copies a caller's structure over the defaults in *to; NULL keeps the defaults. The structure begins with its size,
 * which is at least `least`, the size in version 0.1. Fields that an older caller does not know keep their defaults.
 * Nonzero bytes of a newer caller beyond the `known` ones are refused. */
ww_status api_take(void *to, size_t least, size_t known, const void *from, const char *name, ww_error *error);
#define API_TAKE_FROM(to, from, least)                                                                                 \
  do {                                                                                                                 \
    const ww_status taken = (from) ? api_take(&(to), (least), sizeof(to), (from), #from, error) : WW_OK;               \
    if (taken != WW_OK)                                                                                                \
      return taken;                                                                                                    \
  } while (0)
/* For a structure that has not grown since version 0.1, and for a watch, which has. */
#define API_TAKE(to, from) API_TAKE_FROM(to, from, sizeof(to))
#define API_TAKE_WATCH(to, from) API_TAKE_FROM(to, from, offsetof(ww_watch, timeline))

/* Wraps a caller's sink; `ended`: the caller refused more bytes. */
struct api_sink {
  struct sink sink;
  ww_sink to;
  bool ended;
};
void api_sink(struct api_sink *sink, ww_sink to);

/* Reference counts. api_unref() returns true when it drops the last reference. */
static inline void api_ref(atomic_uint *references) { atomic_fetch_add_explicit(references, 1, memory_order_relaxed); }
static inline bool api_unref(atomic_uint *references) {
  return atomic_fetch_sub_explicit(references, 1, memory_order_acq_rel) == 1;
}
#define API_REF(type)                                                                                                  \
  type *type##_ref(type *object) {                                                                                     \
    if (object)                                                                                                        \
      api_ref(&object->references);                                                                                    \
    return object;                                                                                                     \
  }

/* ---- what SPIR-V records about its source: source.c ------------------------------------------------------ */

/* Adds what SPIR-V records about the kernel's argument; the caller owns the strings. */
void api_source_argument(const struct program *program, const char *kernel, size_t index, ww_argument *argument);
char *api_source_attributes(const struct program *program, const char *kernel);

/* ---- objects -------------------------------------------------------------------------------------------- */

struct ww_context {
  atomic_uint references;
  struct opencl_tools tools; /* owns its strings */
};

struct ww_machine {
  atomic_uint references;
  _Atomic(const enum fidelity_machine *) measured; /* NULL: not determined yet */
  struct machine *machine, *file;                  /* current; as loaded */
};

struct api_kernel {
  ww_kernel face; /* first */
  const ww_argument *arguments;
};

struct ww_program {
  atomic_uint references;
  atomic_uint devices; /* those of the references that devices hold because they keep its variables */
  struct program program;
  struct api_kernel *kernels; /* kernels that can run come first */
  size_t kernel_count;
  ww_argument *arguments; /* of all kernels */
  size_t argument_count;
};

struct ww_device {
  atomic_uint references;
  ww_machine *machine;
  struct heap_pool pool;           /* what the engine owns, open pipe reservations, and the recording */
  struct engine *engine;           /* NULL: not created yet, or dropped */
  struct api_recording *recording; /* NULL: there is none */
  bool recording_lost;             /* a recording was lost to an out-of-memory error */
  cycle_t before;                  /* the engine's cycle 0 in the device's time */
  /* Protected by the lock: */
  pthread_mutex_t lock;
  bool runs;                  /* a run is in progress: the pool, the engine and the buffers' contents belong to it */
  uint64_t run;               /* number of the last run that took the buffers */
  struct ww_buffer **buffers; /* live buffers, by address; each holds a reference to the device */
  size_t count, room;
  struct ww_buffer *given_up; /* released by their last owners during a run; freed at its end */
  struct isa_image *images;   /* by number; entries of freed images keep their shape */
  size_t image_count, image_room;
  bool recorded; /* a recording is active: image numbers are not reused */
  /* Owned by the current run: */
  struct api_variables *variables; /* one entry for each program with variables that has run */
  size_t variable_count;
};

/* A program's program-scope variables on a device, with its channels behind them. */
struct api_variables {
  ww_program *program;
  uint8_t *data;
  struct isa_pipe *channels;
  size_t channel_count;
};
void api_variables_free(ww_device *device, struct api_variables *variables);

/* An out-of-memory error also releases the lock. */
void api_device_lock(ww_device *device);
void api_device_unlock(ww_device *device);

/* Holds the lock to the end of the block. */
static inline ww_device *api_device_locked(ww_device *device) {
  api_device_lock(device);
  return device;
}
static inline void api_device_leave(ww_device *const *device) { api_device_unlock(*device); }
#define API_LOCKED(device)                                                                                             \
  __attribute__((cleanup(api_device_leave), unused)) ww_device *const locked = api_device_locked(device)

/* Reserves the device for a run; false: another run is in progress. api_device_end() frees the buffers that were
 * released meanwhile. */
bool api_device_begin(ww_device *device);
void api_device_end(ww_device *device);

/* Out of memory behind a recovery point with the device's pool: frees everything in the pool, whatever its state.
 * Simulated time continues from `now`. */
void api_device_lose(ww_device *device, cycle_t now);

/* Memory of the process that lies at the same address on devices. */
struct api_shared {
  atomic_uint references; /* held by buffers */
  void *at;
  size_t size;
};

/* A buffer, or a pipe if `pipe.data` is set. */
struct ww_buffer {
  atomic_uint references;
  ww_device *device;
  char name[64];
  uint64_t base, bytes;
  uint8_t *data;
  struct api_shared *shared; /* `data` is part of it; NULL: not shared */
  bool over;                 /* the caller owns `data`; if it is neither this nor shared, the buffer owns it */
  struct isa_pipe pipe;
  uint64_t run;           /* the device's run number at creation: later runs know the buffer */
  struct ww_buffer *next; /* in the list `given_up` */
};
struct ww_pipe {
  struct ww_buffer buffer;
};

struct ww_image {
  atomic_uint references;
  struct ww_buffer *buffer; /* a reference: holds its texels */
  size_t number;            /* index in the device's images */
  struct isa_image shape;
};

/* An argument as the caller set it. */
struct api_argument {
  struct job_argument value; /* its number of a buffer, pipe or image is found when it runs */
  bool is_pipe;
  struct ww_buffer *buffer; /* a reference; NULL: none */
  ww_image *image;          /* a reference; NULL: none */
};

struct ww_launch {
  atomic_uint references;
  ww_device *device;
  ww_program *program;
  const ww_kernel *kernel;
  struct launch as_set; /* without arguments; `dimensions` 0: its NDRange is not set yet */
  struct api_argument *arguments;
};

/* A launch file that was run, kept to run it again. */
struct api_file {
  ww_context *context; /* a reference */
  char *name, *text;
  size_t size;
};

/* A report with lifted limits (why.c) owns only its last three fields; the others belong to the report `of`. */
struct ww_report {
  atomic_uint references;
  ww_report *of;       /* a reference; NULL: owns all fields */
  ww_machine *machine; /* a reference; NULL: created for this report alone */
  struct job job;
  struct launch_result *results;
  size_t count;
  struct verdict *verdicts; /* of a launch file's checks */
  size_t verdict_count;
  ww_program **programs; /* of the launches */
  size_t program_count;
  bool checked;
  struct check_hazard *hazards;
  size_t hazard_count;
  struct check_counts counts;
  struct text page;               /* HTML; empty: none */
  struct api_file file;           /* `context` NULL: not from a launch file */
  struct bottleneck *bottlenecks; /* found by lifting limits; NULL: by accounting */
  bool why;                       /* state the gain of lifting each limit */
  /* The report as JSON, created when the first key is read. There is no lock: a process forked while it is taken would
   * find it locked forever. */
  _Atomic(struct json_t *) member[REPORT_MEMBER_COUNT];
};

struct ww_trace {
  atomic_uint references;
  char *name;
  uint8_t *bytes;
  size_t size;
  bool salvage;
};

/* ---- what the files share -------------------------------------------------------------------------------- */

ww_machine *api_machine_new(const struct machine *machine, const struct machine *file);

/* An empty report, and the view of a report that sim/report uses. */
ww_report *api_report_new(void);
struct report api_report(const ww_report *report);

/* A reader of the trace's bytes, and the trace's job on `machine` (NULL: on the machine of the recording). */
struct trace;
struct trace *api_trace_open(const ww_trace *trace, struct message *message);
bool api_trace_job(struct trace *opened, const ww_trace *trace, const ww_machine *machine, struct job *job,
                   cycle_t *max_cycles, struct message *message);

/* Runs without timing have nothing to compare or explain. */
static inline bool api_has_timing(const ww_report *report) { return !report->count || !report->results[0].functional; }

/* Number of workers that the caller permits. */
struct ww_work;
unsigned api_threads(const struct ww_work *work);

/* Calls the watch's print() and hazard() for what is in the report. */
void api_notify(const ww_watch *watch, const ww_report *report);

/* Whether the job can be watched this way; checked before anything starts. */
bool api_watch_fits(const ww_watch *watch, const struct job *job, struct message *message);

/* The watchers that a watch needs in run_options, from the start of a run to its report. */
struct api_watchers;
ww_status api_watch_begin(const ww_watch *watch, const struct job *job, cycle_t before, struct run_options *options,
                          struct api_watchers **watchers, struct message *message);
/* The run has ended. `good` false: its outputs stay unfinished. */
ww_status api_watch_end(struct api_watchers *watchers, const struct job *job, const struct launch_result *results,
                        size_t count, ww_status status, struct message *message);
/* Moves into the report what it keeps of the watchers. */
void api_watch_keep(const struct api_watchers *watchers, ww_report *report);
void api_watch_free(struct api_watchers *watchers);

/* An event of an engine that started at the device's cycle `before`, in the device's time, with its fields of cycles,
 * where 0 means none. */
struct timeline_event api_event_since(const struct timeline_event *event, cycle_t before);

/* A run's timeline and page (ww_watch.timeline, ww_watch.page). The only thing that this folder needs of the tools: it
 * is declared here, and defined by them (tools/api/page.c). */
struct api_page;
bool api_page_begin(const ww_watch *watch, const struct job *job, cycle_t before, struct run_options *options,
                    struct api_page **page, struct message *message);
/* The caller's sink has refused more bytes. */
bool api_page_ended(const struct api_page *page);
/* The run has ended. Not `good`: the timeline stays unfinished. */
bool api_page_end(struct api_page *page, const struct job *job, const struct launch_result *results, size_t count,
                  bool good, struct message *message);
/* Appends the page, if it was requested. */
void api_page_keep(const struct api_page *page, struct text *to);
void api_page_free(struct api_page *page);

/* A run's part in the device's recording, which may be NULL. Checks before anything starts whether the watch permits a
 * recording. */
struct api_recording;
bool api_record_fits(const ww_device *device, const ww_watch *watch, struct message *message);
/* Adds the recorder, behind the device's recovery point and before all other watchers. */
void api_record_run(struct api_recording *recording, const struct job *job, struct run_options *options);
/* After the run, with the results of `count` launches. Not `finished`: the device continues with another engine. */
void api_record_ran(struct api_recording *recording, const struct job *job, const struct launch_result *results,
                    size_t count, cycle_t max_cycles, bool finished);

#endif
