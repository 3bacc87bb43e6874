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

/* What a reader or a run left in the message is bad input; or `good`. */
static inline ww_status api_judge(bool good) { return good ? WW_OK : WW_BAD_INPUT; }

/* As many bytes of a caller's structure as both sides know, over defaults that are there. */
void api_take(void *to, size_t size, const void *from);
#define API_TAKE(to, from)                                                                                             \
  do {                                                                                                                 \
    if (from)                                                                                                          \
      api_take(&(to), sizeof(to), (from));                                                                             \
  } while (0)

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

struct ww_program {
  atomic_uint references;
  struct program program;
  ww_kernel *kernels; /* those that can be run first */
  size_t kernel_count;
  ww_argument *arguments; /* of all kernels */
};

struct ww_device {
  atomic_uint references;
  ww_machine *machine;
  struct heap_pool pool;      /* what the engine owns, and reservations that are open in pipes */
  struct engine *engine;      /* NULL: not made yet, or gone */
  cycle_t before;             /* its cycle 0 */
  bool runs;                  /* a run is under way */
  struct ww_buffer **buffers; /* that are alive, by address; each holds the device */
  size_t count, room;
  struct api_variables *variables; /* of each program that has run, if it has any */
  size_t variable_count;
};

/* Program-scope variables of a program on a device. */
struct api_variables {
  ww_program *program;
  uint8_t *data;
};

/* A buffer, or a pipe: then `pipe.data` is there. */
struct ww_buffer {
  atomic_uint references;
  ww_device *device;
  char name[64];
  uint64_t base, bytes;
  uint8_t *data;
  struct isa_pipe pipe;
};
struct ww_pipe {
  struct ww_buffer buffer;
};

/* An argument as it was set. */
struct api_argument {
  bool set, is_pipe;
  struct job_argument value;
  struct ww_buffer *buffer; /* a reference; NULL: none */
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

struct ww_report {
  atomic_uint references;
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
  struct text page; /* HTML; empty: none */
  pthread_mutex_t lock;
  struct json_t *member[REPORT_MEMBER_COUNT]; /* of the report as JSON, once somebody has asked for a key in it */
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

/* Tells the watch's print() and hazard() of a report. */
void api_tell(const ww_watch *watch, const ww_report *report);

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

#endif
