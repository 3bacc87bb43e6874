/* Out of memory at every single allocation in turn.
 *
 * A scenario calls every function of warpwait.h and analyse.h. It runs again and again: in run N the Nth allocation
 * during the calls fails, wherever it is made (ours, jansson's, zlib's, the C library's), or, with --staying, that one
 * and all later ones. The invariants:
 *
 *     the call in which it fails returns WW_NO_MEMORY, or does without; no other call fails
 *     the same call then works, and the scenario ends with the results of an undisturbed one
 *     when all objects are released, nothing is left: no block, no open file
 *
 * usage: exhaust [--staying] [--analysis] [--log] [--every N] [--from N] [--trace N]
 *   --analysis   also explain and sweep
 *   --log        clang compiles the OpenCL C, for its log, instead of taking it from the cache: slow
 *   --trace N    print where allocation N of a run is made
 *
 * This program defines malloc() and its relatives, and all libraries use them. */
#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <warpwait.h>
#include <warpwait/analyse.h>

/* ---- malloc() ---------------------------------------------------------------------------------------------- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *block);

static atomic_bool counts;        /* a call is in progress */
static atomic_size_t made;        /* allocations of calls in this run */
static size_t failing = SIZE_MAX; /* the number of the allocation that fails, from 1 */
static size_t shown = SIZE_MAX;   /* the number of the allocation whose place is printed */
static bool staying;              /* all later ones fail too */
static atomic_bool failed;        /* an allocation has failed */
static atomic_llong live;         /* bytes */

static void print_place(void) {
  void *place[40];
  shown = SIZE_MAX;
  atomic_store(&counts, false);
  backtrace_symbols_fd(place, backtrace(place, 40), 2);
  atomic_store(&counts, true);
}

static bool fails(void) {
  if (!atomic_load(&counts))
    return false;
  const size_t number = atomic_fetch_add(&made, 1) + 1;
  if (number == shown)
    print_place();
  if (number != failing && !(staying && number > failing))
    return false;
  atomic_store(&failed, true);
  errno = ENOMEM;
  return true;
}

static void *taken(void *block) {
  if (block)
    atomic_fetch_add(&live, (long long)malloc_usable_size(block));
  return block;
}

static void given(void *block) {
  if (block)
    atomic_fetch_sub(&live, (long long)malloc_usable_size(block));
}

/* All libraries must find these. */
#pragma GCC visibility push(default)
void *malloc(size_t size) { return fails() ? NULL : taken(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return fails() ? NULL : taken(__libc_calloc(count, size)); }
void free(void *block) {
  given(block);
  __libc_free(block);
}
void *realloc(void *old, size_t size) {
  if (fails())
    return NULL;
  given(old);
  void *block = __libc_realloc(old, size);
  taken(block ? block : size ? old : NULL);
  return block;
}
#pragma GCC visibility pop

/* ---- calls ------------------------------------------------------------------------------------------------- */

static ww_error error;
static const char *wrong; /* the first thing that is wrong */
static char what[900];

static bool is_right(bool right, const char *text) {
  if (!right && !wrong) {
    snprintf(what, sizeof what, "%s: %s, \"%s\"", text, ww_status_name(error.status), error.text);
    wrong = what;
  }
  return right;
}

/* Makes the call; if it runs out of memory, calls again with as much memory as it wants. */
static bool expect(ww_status (*call)(void), const char *text) {
  atomic_store(&counts, true);
  ww_status status = call();
  atomic_store(&counts, false);
  if (status == WW_OK)
    return true;
  if (!is_right(status == WW_NO_MEMORY && error.status == status && atomic_load(&failed), text))
    return false;
  return !staying && is_right(call() == WW_OK, text);
}
#define CALL(name, expression)                                                                                         \
  static ww_status name(void) { return expression; }
#define DO(name) (wrong || expect(name, #name))

/* ---- the scenario ------------------------------------------------------------------------------------------ */

static const char assembly[] = ".kernel tile\n.arg from global\n.arg data global\n.arg add u32\n.arg room local\n"
                               ".reg i, v, n\n.reg64 p\n.lds tile 256\n"
                               "  ld.arg.b64 p, from\n"
                               "  copy.to_lds n, [tile], [p], 64, size=4\n"
                               "  wait n\n"
                               "  get.local_id i, x\n"
                               "  shl.b32 n, i, 2\n"
                               "  ld.lds.b32 v, [n+tile]\n"
                               "  ld.arg.b32 n, add\n"
                               "  add.i32 v, v, n\n"
                               "  ld.arg.b64 p, data\n"
                               "  get.global_id i, x\n"
                               "  mad.wide.u32 p, i, 4, p\n"
                               "  st.global.b32 [p], v\n"
                               "  exit\n"
                               ".kernel other\n.arg p pipe\n.reg i\n"
                               "  exit\n";
static const char opencl[] = "global int runs = 0;\n"
                             "kernel void put(write_only pipe int p, global int *out) {\n"
                             "  int x = ++runs;\n"
                             "  write_pipe(p, &x);\n"
                             "  printf(\"%d\\n\", x);\n"
                             "  out[1000 + x] = x;\n" /* beyond its end: a hazard */
                             "}\n";
static const char ini[] = "base = teaching\n[dma]\nchannels = 2\n";

struct bytes {
  char *at;
  size_t size;
};

/* The objects of the scenario. */
static struct {
  ww_context *context;
  ww_machine *loaded, *parsed, *machine, *recorded;
  ww_program *program, *built;
  ww_device *device;
  ww_buffer *from, *data, *shared, *over;
  ww_pipe *pipe;
  ww_image *image, *image_over;
  ww_launch *launch, *put;
  const ww_kernel *kernel;
  ww_report *report, *other, *replayed, *file;
  ww_trace *trace;
  struct bytes trace_bytes, device_bytes;
  uint64_t points, events;
} s;

/* Allocations of callbacks do not count. */
static bool keep(void *self, const void *data, size_t size) {
  struct bytes *bytes = self;
  atomic_store(&counts, false);
  bytes->at = realloc(bytes->at, bytes->size + size);
  atomic_store(&counts, true);
  memcpy(bytes->at + bytes->size, data, size);
  bytes->size += size;
  return true;
}

static bool take(void *self, const void *data, size_t size) {
  (void)self, (void)data, (void)size;
  return true;
}
static const ww_sink taker = {take, NULL};

static bool tick(void *self, uint64_t now, uint64_t done, uint64_t groups) {
  (void)self, (void)now, (void)done, (void)groups;
  return true;
}
static void event(void *self, const ww_event *told) {
  (void)self, (void)told;
  s.events++;
}
static void print(void *self, uint32_t launch, const char *text, size_t size) {
  (void)self, (void)launch, (void)text, (void)size;
}
static void hazard(void *self, const ww_hazard *told) { (void)self, (void)told; }
/* A single point may have run out of memory. */
static bool point(void *self, const ww_point *at) {
  (void)self;
  if (at->report)
    s.points++;
  else
    is_right(at->error->status == WW_NO_MEMORY && atomic_load(&failed), "a point of the sweep");
  return true;
}
static bool go_on(void *self) {
  (void)self;
  return true;
}

CALL(new_context, ww_context_new(&(ww_options){.size = sizeof(ww_options), .temporary = "/tmp"}, &s.context, &error))
CALL(load_machine, ww_machine_load(s.context, "teaching", &s.loaded, &error))
CALL(parse_machine, ww_machine_parse(s.context, ww_text(ini), &s.parsed, &error))
CALL(change_machine, ww_machine_with(s.parsed, (const char *[]){"dma.setup=30", "cu.count=2"}, 2, &s.machine, &error))
CALL(ask_machine, ww_machine_value(s.machine, "dma.setup", &(uint64_t){0}, (char[WW_WORD]){0}, &error))
CALL(assemble, ww_program_build(s.context, ww_text(assembly), NULL, &s.program, &error))
static struct bytes log_bytes;

static ww_status build(void) {
  const ww_build how = {.size = sizeof how, .options = "-D N=4", .go_on = go_on};
  return ww_program_build(s.context, ww_text(opencl), &how, &s.built, &error);
}
static ww_status build_with_log(void) {
  log_bytes.size = 0;
  const ww_build how = {.size = sizeof how, .options = "-D N=4 -Wall", .log = {keep, &log_bytes}, .go_on = go_on};
  ww_program *other = NULL;
  const ww_status status = ww_program_build(s.context, ww_text(opencl), &how, &other, &error);
  ww_program_unref(other);
  return status;
}
static struct bytes spirv_bytes;
static ww_status build_spirv(void) {
  static const int value = 8;
  static const char text[] = "int __attribute__((overloadable)) __spirv_SpecConstant(int id, int usual);\n"
                             "kernel void k(global int *d) { *d = __spirv_SpecConstant(7, 10); }";
  const ww_constant constant = {7, &value, sizeof value};
  const ww_build how = {.size = sizeof how, .constants = &constant, .constant_count = 1, .go_on = go_on};
  ww_program *other = NULL, *again = NULL;
  spirv_bytes.size = 0;
  ww_status status = ww_program_build(s.context, ww_text(text), NULL, &other, &error);
  if (status == WW_OK)
    status = ww_program_write(other, WW_PROGRAM_SPIRV, (ww_sink){keep, &spirv_bytes}, &error);
  const ww_bytes spirv = {spirv_bytes.at, spirv_bytes.size, NULL};
  if (status == WW_OK)
    status = ww_program_build(s.context, spirv, &how, &again, &error);
  if (status == WW_OK)
    status = ww_unit_compile(s.context, spirv, &how, taker, &error);
  ww_program_unref(other);
  ww_program_unref(again);
  return status;
}
static struct bytes unit_bytes;
static ww_status compile_unit(void) {
  static const ww_bytes header = {"#define N 4", 11, "n.h"};
  const ww_build how = {.size = sizeof how, .headers = &header, .header_count = 1, .go_on = go_on};
  unit_bytes.size = 0;
  return ww_unit_compile(s.context, ww_text("#include <n.h>\nkernel void k(global int *d) { *d = N; }"), &how,
                         (ww_sink){keep, &unit_bytes}, &error);
}
static ww_status link_units(void) {
  const ww_bytes units[] = {{unit_bytes.at, unit_bytes.size, NULL}};
  ww_program *linked = NULL;
  const ww_status status = ww_program_link(s.context, units, 1, NULL, &linked, &error);
  ww_program_unref(linked);
  return status;
}
CALL(write_object, ww_program_write(s.program, WW_PROGRAM_OBJECT, taker, &error))
CALL(write_assembly, ww_program_write(s.built, WW_PROGRAM_ASSEMBLY, taker, &error))
CALL(write_spirv, ww_program_write(s.built, WW_PROGRAM_SPIRV, taker, &error))
CALL(new_device, ww_device_new(s.machine, &s.device, &error))
CALL(new_from, ww_buffer_new(s.device, "from", 256, &s.from, &error))
CALL(new_data, ww_buffer_new(s.device, "data", 512, &s.data, &error))
CALL(new_shared, ww_buffer_new_shared(s.device, "shared", 64, NULL, &s.shared, &error))
static uint8_t own_bytes[64];
CALL(new_over, ww_buffer_new_over(s.device, "over", own_bytes, sizeof own_bytes, &s.over, &error))
CALL(new_pipe, ww_pipe_new(s.device, "pipe", 4, 16, &s.pipe, &error))
static const ww_shape shape = {.size = sizeof shape, .kind = "2d", .format = "r.unorm_int8", .width = 4, .height = 4};
CALL(new_image, ww_image_new(s.device, "image", &shape, &s.image, &error))
CALL(new_image_over, ww_image_new_over(s.from, 16, "image over", &shape, &s.image_over, &error))
CALL(find_tile, ww_program_kernel(s.program, "tile", &s.kernel, &error))
CALL(new_launch, ww_launch_new(s.device, s.program, s.kernel, &s.launch, &error))
CALL(set_range, ww_launch_range(s.launch, 1, NULL, (uint64_t[]){128}, (uint64_t[]){64}, &error))
CALL(set_from, ww_launch_buffer(s.launch, 0, s.from, 0, &error))
CALL(set_data, ww_launch_buffer(s.launch, 1, s.data, 0, &error))
CALL(set_add, ww_launch_value(s.launch, 2, &(uint32_t){5}, 4, &error))
CALL(set_room, ww_launch_local(s.launch, 3, 64, &error))
CALL(find_local, ww_launch_local_size(s.launch, (uint64_t[3]){0}, &error))
CALL(find_put, ww_program_kernel(s.built, "put", &s.kernel, &error))
CALL(new_put, ww_launch_new(s.device, s.built, s.kernel, &s.put, &error))
CALL(set_put, ww_launch_range(s.put, 1, NULL, (uint64_t[]){1}, NULL, &error))
CALL(set_pipe, ww_launch_pipe(s.put, 0, s.pipe, &error))
CALL(set_out, ww_launch_buffer(s.put, 1, s.data, 0, &error))

static ww_status run_plain(void) { return ww_run(s.device, &s.launch, 1, NULL, &s.other, &error); }

/* The trace of an earlier attempt is not part of this one's. */
static ww_status run_watched(void) {
  s.trace_bytes.size = 0;
  const ww_watch watch = {.size = sizeof watch,
                          .tick = tick,
                          .event = event,
                          .event_kinds = 0,
                          .print = print,
                          .trace = {keep, &s.trace_bytes},
                          .page = true,
                          .timeline = {take, NULL}};
  return ww_run(s.device, &s.launch, 1, &watch, &s.report, &error);
}

static ww_status run_events(void) {
  const ww_watch watch = {.size = sizeof watch, .event = event, .event_kinds = ~UINT64_C(0)};
  return ww_run(s.device, &s.launch, 1, &watch, NULL, &error);
}

/* A lost recording, or one of a failed run, is useless: a new one begins. */
static ww_status record_runs(void) {
  s.device_bytes.size = 0;
  ww_status status = ww_device_record(s.device, (ww_sink){keep, &s.device_bytes}, &error);
  if (status != WW_OK)
    return status;
  status = ww_run(s.device, &s.launch, 1, NULL, NULL, &error);
  if (status == WW_OK)
    status = ww_run(s.device, &s.launch, 1, NULL, NULL, &error);
  if (status == WW_OK)
    return ww_device_record_end(s.device, &error);
  ww_device_record_end(s.device, NULL);
  return status;
}

/* A run that ran out of memory may already have counted its variable. */
static ww_status run_checked(void) {
  const ww_watch watch = {.size = sizeof watch, .hazard = hazard, .check = true};
  ww_report *report = NULL;
  ww_launch *both[] = {s.launch, s.put};
  ww_status status = ww_run(s.device, both, 2, &watch, &report, &error);
  if (status == WW_OK)
    status = ww_report_write(report, WW_SARIF, (ww_sink){take, NULL}, &error);
  ww_report_unref(report);
  return status;
}

static ww_status run_functional(void) {
  const ww_watch watch = {.size = sizeof watch, .functional = true};
  ww_report *report = NULL;
  ww_status status = ww_run(s.device, &s.launch, 1, &watch, &report, &error);
  if (status == WW_OK)
    status = ww_report_write(report, WW_JSON, (ww_sink){take, NULL}, &error);
  ww_report_unref(report);
  return status;
}

static ww_status run_printing(void) {
  const ww_watch watch = {.size = sizeof watch, .print = print};
  return ww_run(s.device, &s.put, 1, &watch, NULL, &error);
}

/* All results exist; a missing one means out of memory. */
static ww_status ask(void) {
  double value = 0;
  const char *text = NULL, *unit = NULL;
  const bool good = ww_report_number(s.report, "launches[0].cycles", &value, &unit) && unit && *unit &&
                    ww_report_text(s.report, "launches[0].kernel", &text) && ww_report_count(s.report, "launches") &&
                    ww_report_count(s.report, "launches[0].memory") && ww_report_member(s.report, "launches[0]", 0);
  error = (ww_error){.status = good ? WW_OK : WW_NO_MEMORY, .text = "no memory to tell"};
  return error.status;
}

CALL(write_text, ww_report_write(s.report, WW_TEXT, taker, &error))
CALL(write_json, ww_report_write(s.report, WW_JSON, taker, &error))
CALL(write_source, ww_report_write(s.report, WW_SOURCE, taker, &error))
CALL(write_html, ww_report_write(s.report, WW_HTML, taker, &error))
CALL(open_trace,
     ww_trace_open(s.context, (ww_bytes){s.trace_bytes.at, s.trace_bytes.size, "t"}, false, &s.trace, &error))
static ww_status open_recorded(void) {
  ww_trace *trace = NULL;
  const ww_status status =
      ww_trace_open(s.context, (ww_bytes){s.device_bytes.at, s.device_bytes.size, "d"}, false, &trace, &error);
  ww_trace_unref(trace);
  return status;
}
CALL(find_recorded, ww_trace_machine(s.trace, &s.recorded, &error))
static const ww_watch paged = {.size = sizeof paged, .page = true};
CALL(replay, ww_trace_replay(s.trace, s.machine, &paged, &s.replayed, &error))
CALL(diff, ww_diff(s.report, s.replayed, WW_TEXT, taker, NULL, &error))
CALL(diff_json, ww_diff(s.report, s.replayed, WW_JSON, taker, NULL, &error))
static bool metric(void *self, const ww_metric *row) {
  (void)self;
  return row->value >= 0;
}
CALL(metrics, ww_report_metrics(s.report, metric, NULL, &error))
static const ww_work one = {.size = sizeof one, .threads = 1};
static ww_status find_why(void) {
  ww_report *lifted = NULL;
  ww_status status = ww_report_why(s.replayed, s.trace, true, &one, &lifted, &error);
  if (status == WW_OK)
    status = ww_report_write(lifted, WW_TEXT, taker, &error);
  ww_report_unref(lifted);
  return status;
}
CALL(explain, ww_explain(s.trace, NULL, &one, WW_TEXT, taker, &error))
static ww_status sweep(void) {
  const ww_axis axes[] = {{"dma.channels", (const char *[]){"1", "2"}, 2}, {"dma.setup", (const char *[]){"9"}, 1}};
  return ww_sweep(s.trace, NULL, axes, 2, &one, point, NULL, &error);
}
static ww_status evaluate(void) {
  static const double numbers[] = {1, 2};
  static const char *const words[] = {"a", "64K"};
  const ww_column columns[] = {{.numbers = numbers}, {.words = words}};
  double values[2] = {0, 0}, number = 0;
  ww_expression *expression = NULL;
  ww_status status = ww_expression_new("max(a, 1) + 2 == 3 && b == 'a'", &expression, &error);
  if (status == WW_OK)
    status = ww_expression_value(expression, columns, 2, values, &error);
  if (status == WW_OK && !(values[0] > values[1] && ww_number("64K", &number)))
    wrong = "an expression has another value";
  ww_expression_unref(expression);
  return status;
}
static struct bytes launch_file;
CALL(run_file, ww_file_run(s.context, (ww_bytes){launch_file.at, launch_file.size, "examples/03_padding/launch.json"},
                           NULL, NULL, true, NULL, &s.file, &error))

static ww_status find_why_of_file(void) {
  ww_report *lifted = NULL;
  const ww_status status = ww_report_why(s.file, NULL, false, &one, &lifted, &error);
  ww_report_unref(lifted);
  return status;
}

static bool with_analysis, with_log;

static void make_objects(void) {
  (void)(DO(new_context) && DO(load_machine) && DO(parse_machine) && DO(change_machine) && DO(ask_machine) &&
         DO(assemble) && DO(build) && DO(write_object) && DO(write_assembly) && DO(write_spirv) && DO(new_device) &&
         DO(new_from) && DO(new_data) && DO(new_shared) && DO(new_over) && DO(new_pipe) && DO(new_image) &&
         DO(new_image_over) && DO(find_tile) && DO(new_launch) && DO(set_range) && DO(set_from) && DO(set_data) &&
         DO(set_add) && DO(set_add) && DO(set_room) && DO(find_local) && DO(find_put) && DO(new_put) && DO(set_put) &&
         DO(set_pipe) && DO(set_out) &&
         (!with_log || (DO(build_with_log) && DO(build_spirv) && DO(compile_unit) && DO(link_units))));
}

static void run_all(void) {
  (void)(s.put && s.launch && DO(run_watched) && DO(run_plain) && DO(run_events) && DO(record_runs) &&
         DO(run_checked) && DO(run_functional) && DO(run_printing) && DO(ask) && DO(write_text) && DO(write_json) &&
         DO(write_source) && DO(write_html) && DO(open_trace) && DO(open_recorded) && DO(find_recorded) && DO(replay) &&
         DO(diff) && DO(diff_json) && DO(metrics) && DO(evaluate) && DO(run_file) &&
         (!with_analysis || (DO(explain) && DO(sweep) && DO(find_why) && DO(find_why_of_file))));
}

static void give_up(void) {
  ww_report_unref(s.file);
  ww_report_unref(s.replayed);
  ww_report_unref(s.other);
  ww_report_unref(s.report);
  ww_trace_unref(s.trace);
  ww_launch_unref(s.put);
  ww_launch_unref(s.launch);
  ww_pipe_unref(s.pipe);
  ww_image_unref(s.image);
  ww_image_unref(s.image_over);
  ww_buffer_unref(s.data);
  ww_buffer_unref(s.shared);
  ww_buffer_unref(s.over);
  ww_buffer_unref(s.from);
  ww_device_unref(s.device);
  ww_program_unref(s.built);
  ww_program_unref(s.program);
  ww_machine_unref(s.recorded);
  ww_machine_unref(s.machine);
  ww_machine_unref(s.parsed);
  ww_machine_unref(s.loaded);
  ww_context_unref(s.context);
  free(s.trace_bytes.at);
  free(s.device_bytes.at);
  free(log_bytes.at);
  log_bytes = (struct bytes){0};
  free(unit_bytes.at);
  unit_bytes = (struct bytes){0};
  memset(&s, 0, sizeof s);
}

static size_t open_files(void) {
  size_t count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (folder && readdir(folder))
    count++;
  closedir(folder);
  return count;
}

/* The result of an undisturbed run. */
struct outcome {
  uint64_t allocations;
  uint32_t sum; /* of what the kernels have left in memory */
};

static struct outcome run_scenario(void) {
  atomic_store(&made, 0);
  atomic_store(&failed, false);
  wrong = NULL;
  make_objects();
  run_all();
  struct outcome outcome = {0};
  for (size_t i = 0; s.data && i < ww_buffer_bytes(s.data) / 4; i++)
    outcome.sum += ((uint32_t *)ww_buffer_data(s.data))[i];
  give_up();
  outcome.allocations = atomic_load(&made);
  return outcome;
}

int main(int argc, char **argv) {
  size_t from = 1, every = 1, points = 0, faults = 0;
  for (int i = 1; i < argc; i++) {
    staying = staying || strcmp(argv[i], "--staying") == 0;
    with_analysis = with_analysis || strcmp(argv[i], "--analysis") == 0;
    with_log = with_log || strcmp(argv[i], "--log") == 0;
    if (strcmp(argv[i], "--every") == 0 && i + 1 < argc)
      every = strtoull(argv[++i], NULL, 10);
    else if (strcmp(argv[i], "--from") == 0 && i + 1 < argc)
      from = strtoull(argv[++i], NULL, 10);
    else if (strcmp(argv[i], "--trace") == 0 && i + 1 < argc)
      shown = strtoull(argv[++i], NULL, 10);
  }
  static char out[1 << 12];
  setvbuf(stdout, out, _IOLBF, sizeof out); /* no allocated buffer */
  FILE *file = fopen("examples/03_padding/launch.json", "rb");
  launch_file.at = malloc(1 << 16);
  launch_file.size = file ? fread(launch_file.at, 1, 1 << 16, file) : 0;
  if (file)
    fclose(file);
  const size_t asked = shown;
  shown = SIZE_MAX;
  for (int i = 0; i < 2; i++) /* everything that is made once is made now; programs are in the cache */
    run_scenario();
  shown = asked;
  const struct outcome right = run_scenario();
  if (wrong || right.sum == 0) {
    printf("without any failure: %s\n", wrong ? wrong : "nothing came out");
    return 1;
  }
  const size_t files = open_files();
  const long long before = atomic_load(&live);
  for (failing = from; failing <= right.allocations; failing += every, points++) {
    const struct outcome outcome = run_scenario();
    const long long left = atomic_load(&live) - before;
    const size_t open = open_files() - files;
    const bool other = !staying && outcome.sum != right.sum;
    if (!wrong && !left && !open && !other)
      continue;
    printf("allocation %zu: %s%s, %lld bytes and %zu files are left\n", failing, wrong ? wrong : "fine",
           other ? ", but other results" : "", left, open);
    if (++faults == 20 || left || open)
      break; /* a leak would show in all later runs */
  }
  printf("%zu of %zu allocations failed in turn, from %zu on%s: %zu faults\n", points, (size_t)right.allocations, from,
         staying ? ", with all later ones" : "", faults);
  return faults > 0;
}
