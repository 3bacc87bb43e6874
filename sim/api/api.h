/* Inside the library's public face (include/warpwait.h): objects, and how a call ends.
 *
 *     ww_x() ──► arguments are there? ──► api_try(): behind a border (sim/base/heap.h) ──► ww_status, ww_error
 *
 * Each object begins with its number of references. What a call makes is listed at its border until it has succeeded,
 * so that running out of memory leaves nothing behind; what a device's engine owns is listed in the device's own pool.
 *
 * Invariant: whoever calls from outside is never called back while an object is half changed. */
#ifndef SIM_API_API_H
#define SIM_API_API_H

#include <pthread.h>
#include <stdatomic.h>

#include "include/warpwait.h"
#include "sim/base/heap.h"
#include "sim/check/report.h"
#include "sim/report/report.h"
#include "sim/session/run.h"

/* ---- how a call ends: error.c ------------------------------------------------------------------------- */

/* Fills *error, which may be NULL, with the status and the line, and the place that the line begins with. Returns the
 * status. */
ww_status api_fail(ww_error *error, ww_status status, const char *text);

/* An argument that must not be NULL is. */
ww_status api_missing(ww_error *error, const char *argument);
#define API_GIVEN(argument)                                                                                            \
  if (!(argument))                                                                                                     \
  return api_missing(error, #argument)

/* Work of a call: WW_OK, or what is wrong, with the message filled. */
typedef ww_status api_work(void *self, struct message *message);

/* Runs it behind a border with the pool (heap.h). */
ww_status api_try(struct heap_pool *pool, api_work *work, void *self, ww_error *error);

/* Whether all that the call had taken is free again: memory ran out, or the library is broken. */
static inline bool api_lost(ww_status status) { return status == WW_NO_MEMORY || status == WW_DEFECT; }

/* A caller's bytes, which go by a usual name if they have none. */
static inline ww_bytes api_named(ww_bytes bytes, const char *usual) {
  bytes.name = bytes.name ? bytes.name : usual;
  return bytes;
}

/* As api_try(), without a pool, of bytes that go by the name: what is wrong may be in them. */
ww_status api_try_named(const char *name, api_work *work, void *self, ww_error *error);

/* What a reader or a run left in the message is bad input; or `good`. */
static inline ww_status api_judge(bool good) { return good ? WW_OK : WW_BAD_INPUT; }

/* A caller's structure, over defaults that are there; NULL leaves these. It begins with its size, which is not below
 * `least`, that of version 0.1: what an older caller does not know stays as it is. What a newer caller says beyond the
 * `known` bytes is refused. */
ww_status api_take(void *to, size_t least, size_t known, const void *from, const char *name, ww_error *error);
#define API_TAKE_FROM(to, from, least)                                                                                 \
  do {                                                                                                                 \
    const ww_status taken = (from) ? api_take(&(to), (least), sizeof(to), (from), #from, error) : WW_OK;               \
    if (taken != WW_OK)                                                                                                \
      return taken;                                                                                                    \
  } while (0)
/* One that has not grown, and a watch. */
#define API_TAKE(to, from) API_TAKE_FROM(to, from, sizeof(to))
#define API_TAKE_WATCH(to, from) API_TAKE_FROM(to, from, offsetof(ww_watch, timeline))

/* A caller's sink as one of ours; the caller has ended it: *ended. */
struct api_sink {
  struct sink sink;
  ww_sink to;
  bool ended;
};
void api_sink(struct api_sink *sink, ww_sink to);

/* References. The last one to go: true. */
static inline void api_ref(atomic_uint *references) { atomic_fetch_add_explicit(references, 1, memory_order_relaxed); }
static inline bool api_unref(atomic_uint *references) {
  return atomic_fetch_sub_explicit(references, 1, memory_order_acq_rel) == 1;
}

/* ---- what SPIR-V says of its source: source.c ------------------------------------------------------------ */

/* Fills in what the argument of the kernel was; its strings are the caller's. */
void api_source_argument(const struct program *program, const char *kernel, size_t index, ww_argument *argument);
char *api_source_attributes(const struct program *program, const char *kernel);

/* ---- objects -------------------------------------------------------------------------------------------- */

struct ww_context {
  atomic_uint references;
  struct opencl_tools tools; /* whose strings it owns */
};

struct ww_machine {
  atomic_uint references;
  _Atomic(const enum fidelity_machine *) measured; /* NULL: no report has asked for it yet */
  struct machine machine, file;                    /* as it is; as it was loaded */
};

struct api_kernel {
  ww_kernel face; /* first */
  const ww_argument *arguments;
};

struct ww_program {
  atomic_uint references;
  atomic_uint devices; /* of the references, those of devices that keep its variables */
  struct program program;
  struct api_kernel *kernels; /* those that can be run first */
  size_t kernel_count;
  ww_argument *arguments; /* of all kernels */
  size_t argument_count;
};

struct ww_device {
  atomic_uint references;
  ww_machine *machine;
  struct heap_pool pool;           /* what the engine owns, reservations that are open in pipes, and the recording */
  struct engine *engine;           /* NULL: not made yet, or gone */
  struct api_recording *recording; /* NULL: there is none */
  bool recording_lost;             /* there was one when memory ran out */
  cycle_t before;                  /* its cycle 0 */
  /* Behind the lock: */
  pthread_mutex_t lock;
  bool runs;                  /* a run is under way: the pool, the engine and what buffers have are its */
  uint64_t run;               /* the last one that has taken the buffers */
  struct ww_buffer **buffers; /* that are alive, by address; each holds the device */
  size_t count, room;
  struct ww_buffer *given_up; /* by their last owners, while a run is under way */
  struct isa_image *images;   /* by number; of those that are gone, what they were */
  size_t image_count, image_room;
  bool recorded; /* numbers stay what they are */
  /* The runs' again: */
  struct api_variables *variables; /* of each program that has run, if it has any */
  size_t variable_count;
};

/* Program-scope variables of a program on a device, and its channels behind them. */
struct api_variables {
  ww_program *program;
  uint8_t *data;
  struct isa_pipe *channels;
  size_t channel_count;
};
void api_variables_free(ww_device *device, struct api_variables *variables);

/* The lock is let go of, too, when memory runs out. */
void api_device_lock(ww_device *device);
void api_device_unlock(ww_device *device);

/* The device is the run's alone, until what others have given up meanwhile is freed at its end. False: another run is
 * under way. */
bool api_device_begin(ww_device *device);
void api_device_end(ww_device *device);

/* Memory has run out, with the device's pool: all that is listed goes, whatever state it is in. Time goes on from
 * `now`. */
void api_device_lose(ww_device *device, cycle_t now);

/* Memory at an address that devices have for it, too. */
struct api_shared {
  atomic_uint references; /* buffers */
  void *at;
  size_t size;
};

/* A buffer, or a pipe: then `pipe.data` is there. */
struct ww_buffer {
  atomic_uint references;
  ww_device *device;
  char name[64];
  uint64_t base, bytes;
  uint8_t *data;
  struct api_shared *shared; /* `data` is a part of it; NULL: of none */
  bool over;                 /* `data` is the caller's; else, if it is not shared, its own */
  struct isa_pipe pipe;
  uint64_t run;           /* of the device, when it was made: later ones know of it */
  struct ww_buffer *next; /* given up */
};
struct ww_pipe {
  struct ww_buffer buffer;
};

struct ww_image {
  atomic_uint references;
  struct ww_buffer *buffer; /* a reference: where its texels are */
  size_t number;            /* of the device's images */
  struct isa_image shape;
};

/* An argument as it was set. */
struct api_argument {
  bool set, is_pipe;
  struct job_argument value;
  struct ww_buffer *buffer; /* a reference; NULL: none */
  ww_image *image;          /* a reference; NULL: none */
};

struct ww_launch {
  atomic_uint references;
  ww_device *device;
  ww_program *program;
  const ww_kernel *kernel;
  uint32_t dimensions; /* 0: not set yet */
  uint64_t offset[3], global[3], local[3];
  struct api_argument *arguments;
};

/* A launch file that was run, to be run again. */
struct api_file {
  ww_context *context; /* a reference */
  char *name, *text;
  size_t size;
};

/* Of one whose limits were lifted (why.c), all but the last three fields is that of the report `of`. */
struct ww_report {
  atomic_uint references;
  ww_report *of;       /* a reference; NULL: all is its own */
  ww_machine *machine; /* a reference; NULL: it was made for this report */
  struct job job;
  struct launch_result *results;
  size_t count;
  struct verdict *verdicts; /* of a launch file's checks */
  size_t verdict_count;
  ww_program **programs; /* that the launches are of */
  size_t program_count;
  bool checked;
  struct check_hazard *hazards;
  size_t hazard_count;
  struct check_counts counts;
  struct text page;               /* HTML; empty: none */
  struct api_file file;           /* `context` NULL: it is of none */
  struct bottleneck *bottlenecks; /* by lifting limits; NULL: by accounts */
  bool why;                       /* say what lifting them comes to */
  /* Of the report as JSON, once somebody has asked for a key in it. No lock, which a process that was forked meanwhile
   * would find closed for ever. */
  _Atomic(struct json_t *) member[REPORT_MEMBER_COUNT];
};

struct ww_trace {
  atomic_uint references;
  char *name;
  uint8_t *bytes;
  size_t size;
  bool salvage;
};

/* ---- what they do for each other ------------------------------------------------------------------------- */

ww_machine *api_machine_new(const struct machine *machine, const struct machine *file);

/* An empty one, and what the reports of sim/report look at. */
ww_report *api_report_new(void);
struct report api_report(const ww_report *report);

/* A reader of its bytes, and its job on `machine` (NULL: the recording's). */
struct trace;
struct trace *api_trace_open(const ww_trace *trace, struct message *message);
bool api_trace_job(struct trace *opened, const ww_trace *trace, const ww_machine *machine, struct job *job,
                   cycle_t *max_cycles, struct message *message);

/* Runs without timing have nothing to compare or to explain. */
static inline bool api_has_timing(const ww_report *report) { return !report->count || !report->results[0].functional; }

/* How many workers the caller lets have. */
struct ww_work;
unsigned api_threads(const struct ww_work *work);

/* Tells the watch's print() and hazard() of a report. */
void api_tell(const ww_watch *watch, const ww_report *report);

/* Whether the watch can watch the job: asked before anything begins. */
bool api_watch_fits(const ww_watch *watch, const struct job *job, struct message *message);

/* What a run of launches has to do with a watch: watchers for run_options, and what becomes of them. */
struct api_watchers;
ww_status api_watch_begin(const ww_watch *watch, const struct job *job, cycle_t before, struct run_options *options,
                          struct api_watchers **watchers, struct message *message);
/* The run is over. `good` false: what they were to write stays unfinished. */
ww_status api_watch_end(struct api_watchers *watchers, const struct job *job, const struct launch_result *results,
                        size_t count, ww_status status, struct message *message);
/* Takes what the report keeps of them. */
void api_watch_keep(const struct api_watchers *watchers, ww_report *report);
void api_watch_free(struct api_watchers *watchers);

/* What a run of a device has to do with its recording; NULL: there is none. Whether the watch allows for it, asked
 * before anything begins; */
struct api_recording;
bool api_record_fits(const ww_device *device, const ww_watch *watch, struct message *message);
/* behind the device's border, before all others who watch; */
void api_record_run(struct api_recording *recording, const struct job *job, struct run_options *options);
/* and once it has run, with results of `count` launches. Not `finished`: the device goes on with another engine. */
void api_record_ran(struct api_recording *recording, const struct job *job, const struct launch_result *results,
                    size_t count, cycle_t max_cycles, bool finished);

#endif
