/* The OpenCL driver: an installable platform whose devices are simulated machines.
 *
 *     program ──► loader (libOpenCL.so) ──► cl*() ──► objects ──► commands ──► libwarpwait
 *                                             one lock            in the order in which they may run
 *
 * Every OpenCL function holds the driver's one lock from beginning to end, except while it waits or calls back. A
 * command runs as soon as everything that it waits for has ended, in the thread that made it ready: a call that
 * enqueues a command or sets the status of a user event. So a program's commands run in the same order each time, and
 * simulated time is reproducible (times.c).
 *
 * Invariant: an object is in the registry from its creation until its last reference and use are gone. A pointer that
 * is not in the registry, or is of another kind, is refused with OpenCL's code for it.
 *
 * Not supported: device-side queues, native kernels. */
#ifndef BINDINGS_ICD_ICD_H
#define BINDINGS_ICD_ICD_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#include <warpwait.h>

/* cl_khr_kernel_clock, for older headers. */
#ifndef CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR
#define CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR 0x1076
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR (1 << 0)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR (1 << 1)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR (1 << 2)
#endif

/* cl_ext_float_atomics, for older headers. */
#ifndef CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT
#define CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT 0x4231
#define CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT 0x4232
#define CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT 0x4233
#define CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 0)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT (1 << 1)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT (1 << 2)
#define CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 16)
#define CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT (1 << 17)
#define CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT (1 << 18)
#endif

/* Functions that the loader finds by name. It calls all others through the dispatch table. */
#define ICD_EXPORT __attribute__((visibility("default")))

/* ---- objects: objects.c ------------------------------------------------------------------------------- */

enum icd_kind {
  ICD_DEVICE = 1,
  ICD_CONTEXT,
  ICD_QUEUE,
  ICD_MEMORY,
  ICD_PROGRAM,
  ICD_KERNEL,
  ICD_EVENT,
  ICD_SAMPLER,
};

struct icd_object {
  const cl_icd_dispatch *dispatch; /* first, for the loader */
  enum icd_kind kind;
  cl_uint references;       /* by the program */
  cl_uint uses;             /* by the driver's other objects and commands */
  struct icd_object *chain; /* of the registry */
};

extern const cl_icd_dispatch icd_dispatch;

/* Holds the lock to the end of the block, and then makes the callbacks that have become due. */
#define ICD_LOCKED __attribute__((cleanup(icd_leave), unused)) const bool locked = icd_enter()
bool icd_enter(void);
void icd_leave(const bool *locked);

/* The wait list and the event of a command, as the last parameters of clEnqueueX(). */
#define ICD_WAITS cl_uint count, const cl_event *waits, cl_event *event

/* Makes due callbacks, or if there are none waits until icd_changed(). */
void icd_wait_for_change(void);
void icd_changed(void);

/* Adds a due callback: call(self), without the lock. */
bool icd_call_later(void (*call)(void *self), void *self);

/* A new object with one reference; NULL: out of memory. */
void *icd_new(enum icd_kind kind, size_t size);
/* The same for clCreateX(): NULL if *status is an error, or becomes one. */
void *icd_create(enum icd_kind kind, size_t size, cl_int *status);
bool icd_is(const void *object, enum icd_kind kind);

/* Add and remove a use; both ignore NULL. An object is destroyed with its last use or reference. */
void *icd_ref(void *object);
void icd_unref(void *object);

/* Removes a reference: the one that icd_new() made, or one that the program releases. */
void icd_give_up(void *object);

/* clRetainX() and clReleaseX(). They return `invalid` if the object is not of that kind. */
cl_int icd_retain(void *object, enum icd_kind kind, cl_int invalid);
cl_int icd_release(void *object, enum icd_kind kind, cl_int invalid);
#define ICD_COUNTED(X, type, kind, invalid)                                                                            \
  CL_API_ENTRY cl_int CL_API_CALL clRetain##X(type object) { return icd_retain(object, kind, invalid); }               \
  CL_API_ENTRY cl_int CL_API_CALL clRelease##X(type object) { return icd_release(object, kind, invalid); }

/* Where the answer of clGetXInfo() goes. */
struct icd_query {
  size_t size;
  void *value;
  size_t *needed;
};
cl_int icd_answer(struct icd_query query, const void *data, size_t bytes);
#define ICD_ANSWER(type, ...) return icd_answer(query, &(type){__VA_ARGS__}, sizeof(type))
#define ICD_ANSWER_TEXT(text) return icd_answer(query, (text), strlen(text) + 1)
#define ICD_ANSWER_NOTHING return icd_answer(query, NULL, 0)

/* The list of properties, ended by 0, with which an object was created, for later queries; NULL: none. */
struct icd_properties {
  cl_ulong *list;
  size_t count; /* including the 0 */
};
bool icd_keep_properties(struct icd_properties *properties, const cl_ulong *list);
cl_int icd_answer_properties(struct icd_query query, const struct icd_properties *properties);

/* Callbacks of an event, or for when an object is destroyed. The last one set is called first. */
struct icd_callback {
  void (*call)(void); /* its owner knows the type */
  void *self;
  cl_int status; /* of an event: call back at this status */
  struct icd_callback *next;
};
bool icd_add_callback(struct icd_callback **list, void (*call)(void), void *self, cl_int status);
/* Makes all callbacks of a destroyed object due, each with the object's former pointer. */
void icd_call_destroyed(struct icd_callback *list, void *object);

/* ---- platform and devices: platform.c, device.c --------------------------------------------------------- */

struct _cl_platform_id {
  const cl_icd_dispatch *dispatch;
};
extern struct _cl_platform_id icd_platform;
#define ICD_EXTENSIONS                                                                                                 \
  "cl_khr_icd cl_khr_byte_addressable_store cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "    \
  "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics cl_khr_int64_base_atomics "                     \
  "cl_khr_int64_extended_atomics cl_khr_fp16 cl_khr_fp64 cl_khr_il_program cl_khr_create_command_queue "               \
  "cl_khr_extended_async_copies cl_khr_subgroups cl_khr_subgroup_extended_types cl_khr_subgroup_non_uniform_vote "     \
  "cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_shuffle "                             \
  "cl_khr_subgroup_shuffle_relative cl_khr_subgroup_clustered_reduce cl_khr_subgroup_rotate cl_khr_kernel_clock "      \
  "cl_khr_spirv_no_integer_wrap_decoration cl_khr_expect_assume cl_khr_integer_dot_product cl_khr_device_uuid "        \
  "cl_khr_3d_image_writes cl_khr_depth_images cl_khr_image2d_from_buffer cl_khr_srgb_image_writes "                    \
  "cl_khr_suggested_local_work_size cl_ext_float_atomics cl_intel_channels cl_altera_channels "                        \
  "cl_arm_integer_dot_product_int8 "                                                                                   \
  "cl_arm_integer_dot_product_accumulate_int8 cl_arm_integer_dot_product_accumulate_int16 "                            \
  "cl_arm_integer_dot_product_accumulate_saturate_int8"

/* The parts of a device that commands occupy. */
enum icd_part { ICD_COMPUTE, ICD_TO_DEVICE, ICD_TO_HOST, ICD_PARTS };

/* The machine's parameters host.*, in ns and bytes per ns. */
struct icd_host {
  cl_ulong call, submit, start, latency[ICD_PARTS], width[ICD_PARTS];
  cl_ulong launch_cycles; /* cu.launch_overhead: events around a launch measure these in addition to its cycles */
};

struct _cl_device_id {
  struct icd_object object;
  ww_machine *machine;
  ww_device *device;
  cl_device_id parent; /* of a sub-device; a reference */
  struct icd_properties partition;
  cl_uint number; /* in WARPWAIT_MACHINE's list; a sub-device has its parent's */
  char name[80];
  char *asked; /* the machine's name in WARPWAIT_MACHINE; NULL: a sub-device */
  double clock_ghz;
  cl_uint compute_units, warp_size;
  size_t most_items; /* in a work-group */
  cl_ulong local_bytes;
  struct icd_host host;
  cl_ulong busy[ICD_PARTS]; /* until this simulated time, in ns */
};

/* The devices that the environment names. The first call that needs them makes them with icd_begin(). */
extern cl_device_id *icd_devices;
extern cl_uint icd_device_count;
extern ww_context *icd_context;
void icd_begin(void);

/* Creates the simulated device of a machine and fills the fields of `device` from its parameters. */
bool icd_describe_device(cl_device_id device, ww_machine *machine, ww_error *error);
cl_int icd_answer_extensions(struct icd_query query);

/* The value of a machine's parameter. */
cl_ulong icd_parameter(const ww_machine *machine, const char *key);

/* The most work-items that a work-group of the kernel can have on the device. */
size_t icd_most_items(cl_device_id device, const ww_kernel *kernel);

/* ---- contexts ------------------------------------------------------------------------------------------- */

enum { ICD_MOST_DEVICES = 16 };

struct _cl_context {
  struct icd_object object;
  cl_device_id device[ICD_MOST_DEVICES];
  cl_uint devices;
  struct icd_properties properties;
  void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *);
  void *notify_self;
  struct icd_callback *destroyed;
};
bool icd_context_has(cl_context context, cl_device_id device);
int icd_index_of(cl_context context, cl_device_id device); /* the context must have it */

/* Passes an error text to the context's callback, later. */
void icd_notify(cl_context context, const char *text);

/* ---- memory --------------------------------------------------------------------------------------------- */

#define ICD_MOST_BYTES (UINT64_C(4) << 30)
enum { ICD_IMAGE_2D = 16384, ICD_IMAGE_3D = 2048, ICD_IMAGE_LAYERS = 2048, ICD_IMAGE_BUFFER = 1 << 27 }; /* texels */

/* The additional fields of an image. */
struct icd_image {
  ww_image_format texel;
  ww_shape shape;
  size_t pitch[2];                /* of rows, and of slices or layers, in the host's or a buffer's bytes */
  ww_image *on[ICD_MOST_DEVICES]; /* on each device of the context; NULL: not yet */
};

/* A buffer or image is on one device of its context at a time. A sub-buffer's bytes are its parent's. */
struct _cl_mem {
  struct icd_object object;
  cl_context context;
  cl_mem_object_type type;
  cl_mem_flags flags;
  cl_mem parent; /* of a sub-buffer or an image over a buffer; a reference; NULL: it has its own bytes */
  size_t origin, size;
  void *host;
  ww_buffer *buffer[ICD_MOST_DEVICES]; /* on each device of the context; NULL: not yet */
  int newest;                          /* index of the device that has the bytes; -1: none, they are zeros */
  bool in_svm;                         /* the bytes are at `host`, in shared virtual memory */
  struct icd_image *image;             /* NULL: not an image */
  ww_pipe *pipe;
  cl_uint packet_bytes, packets, mapped;
  struct icd_properties properties;
  struct icd_callback *destroyed;
  struct icd_map *maps;
};

/* A mapped region. If the memory object has a host pointer, mapping updates the bytes there. */
struct icd_map {
  void *at;
  size_t offset, size;
  cl_map_flags flags;
  size_t image_at[3], region[3], pitch[2]; /* of an image */
  void *own;                               /* memory allocated for this map; NULL: none */
  struct icd_map *next;
};

/* Shared virtual memory of a context, on each of its devices. */
struct icd_svm {
  cl_context context; /* a reference */
  uint8_t *at;
  size_t size;
  ww_buffer *buffer[ICD_MOST_DEVICES];
  struct icd_svm *next;
};
/* The allocation that contains all of these bytes; NULL: none. */
const struct icd_svm *icd_find_svm(cl_context context, const void *at, size_t size);
/* Its buffer on a device. */
ww_buffer *icd_svm_on_device(const struct icd_svm *svm, cl_device_id device);

/* The memory object's bytes for the host, from its own origin; NULL: out of memory. */
uint8_t *icd_bytes(cl_mem memory);
/* Brings the bytes to that device of its context, and returns the buffer that has them, at `offset`. */
ww_buffer *icd_on_device(cl_mem memory, cl_device_id device, uint64_t *offset);
cl_int icd_check_range(cl_mem memory, size_t offset, size_t size);

/* Check the flags of a new object, and of a sub-buffer or image over a buffer, which may not allow more accesses than
 * the whole. */
cl_int icd_check_flags(cl_mem_flags flags, const void *host);
cl_int icd_part_flags(cl_mem whole, cl_mem_flags asked, cl_mem_flags *flags);
cl_mem_flags icd_with_access(cl_mem_flags flags);

/* The image on that device, and the image where its newest texels are. NULL: out of memory. */
ww_image *icd_image_on(cl_mem memory, cl_device_id device);
ww_image *icd_image_here(cl_mem memory);
/* Reads or writes all texels; `bytes` has no gaps. */
bool icd_image_texels(cl_mem memory, void *bytes, bool write);
void icd_free_image(struct icd_image *image);
/* Enqueues the end of a map and removes the map from its image. */
cl_int icd_unmap_image(cl_command_queue queue, cl_mem memory, struct icd_map **map, cl_uint count,
                       const cl_event *waits, cl_event *event);

enum { ICD_SAMPLER_WORDS = 48 };

struct _cl_sampler {
  struct icd_object object;
  cl_context context;
  cl_bool normalized;
  cl_addressing_mode addressing;
  cl_filter_mode filter;
  struct icd_properties properties;
};
/* The sampler in the words of ww_launch_sampler(). */
void icd_sampler_words(const struct _cl_sampler *sampler, char words[ICD_SAMPLER_WORDS]);

/* ---- commands ------------------------------------------------------------------------------------------- */

struct icd_command;

struct _cl_event {
  struct icd_object object;
  cl_context context;
  cl_command_queue queue; /* a reference; NULL: a user event */
  cl_command_type type;
  cl_int status;
  cl_ulong queued, submit, start, end;
  struct icd_callback *callbacks;
};

struct _cl_command_queue {
  struct icd_object object;
  cl_context context;
  cl_device_id device;
  cl_command_queue_properties flags;
  cl_uint number; /* in the order of creation, from 1 */
  struct icd_properties properties;
  cl_event last, barrier;        /* uses; NULL after they have ended */
  cl_ulong ended, barrier_ended; /* when the last command ended, and the last barrier */
};

/* Executes a command and returns CL_COMPLETE or an error. `work` receives which part of the device it occupies, and for
 * how many nanoseconds. */
struct icd_work {
  enum icd_part part;
  double ns;
  size_t bytes; /* moved */
};
typedef cl_int icd_run(struct icd_command *command, struct icd_work *work);

enum { ICD_PATTERN = 128, ICD_REASON = 800 };

struct icd_command {
  icd_run *run;
  void (*drop)(struct icd_command *command); /* frees what only this kind of command has; NULL: nothing */
  cl_event event;
  cl_event *waits; /* references */
  size_t wait_count;
  bool all; /* wait for all earlier commands of the queue */
  bool flushed;
  struct icd_command *next;
  /* Operands, depending on the kind. */
  cl_mem from, to;
  void *host;
  const void *source;
  struct icd_free *freed;                                             /* of clEnqueueSVMFree() */
  void *own;                                                          /* memory of a map that ends */
  size_t from_at[3], to_at[3], region[3], from_pitch[2], to_pitch[2]; /* bytes, rows, slices */
  uint8_t pattern[ICD_PATTERN];
  size_t pattern_size;
  struct icd_launch *launch;
  char reason[ICD_REASON]; /* why it failed; "": its status says it */
};

/* A new command for the queue; NULL and *status if its arguments are not valid. */
struct icd_command *icd_command(cl_command_queue queue, cl_command_type type, cl_uint wait_count, const cl_event *waits,
                                icd_run *run, cl_int *status);
/* Enqueues a command, and waits for it if `blocking`. The command no longer belongs to the caller. */
cl_int icd_enqueue(struct icd_command *command, bool blocking, cl_event *event);
void icd_drop(struct icd_command *command);
/* Keeps why the command fails, for the log, and passes it to the context's callback: a status has no words. */
void icd_explain(struct icd_command *command, const char *reason);

/* Runs all commands that are ready. */
void icd_advance(void);
/* Waits until the event has ended. */
void icd_wait(cl_event event);
/* Sets the event's status and makes the callbacks for it due. */
void icd_set_status(cl_event event, cl_int status);

/* ---- simulated time: times.c ----------------------------------------------------------------------------- */

cl_ulong icd_host_now(void);
void icd_host_waits_until(cl_ulong when);
/* Sets the event's times `queued` and `submit`, and charges the host for the call. */
void icd_time_queued(cl_event event);
/* Sets `start` and `end` of commands that start together and occupy the same part of one device. */
void icd_time_commands(struct icd_command *const *commands, const struct icd_work *works, size_t count);
/* The work of a command that moves bytes between host and device, or within the device. `ways` is 2 for a copy within
 * the device, which reads and writes each byte, and 1 otherwise. */
struct icd_work icd_moving(const struct icd_command *command, enum icd_part part, size_t bytes, unsigned ways);
/* Fills device->host from the machine's parameters. */
void icd_read_host(cl_device_id device);

/* ---- programs and kernels ---------------------------------------------------------------------------------- */

/* A text that grows. What no longer fits in memory is left out. */
struct icd_text {
  char *text;
  size_t length;
};
bool icd_add(void *text, const void *data, size_t size); /* a ww_sink's write */
void icd_add_line(struct icd_text *text, const char *line);

/* A compiled translation unit. */
struct icd_unit {
  void *data;
  size_t size;
};

/* A specialization constant with its value. */
struct icd_constant {
  cl_uint id;
  size_t size;
  uint8_t value[8];
};

struct _cl_program {
  struct icd_object object;
  cl_context context;
  char *source;
  void *il, *binary;
  size_t il_size, binary_size;
  ww_program *program;
  struct icd_unit *units; /* of a compiled program or a library */
  size_t unit_count;
  cl_program_binary_type type;
  cl_build_status status;
  char *options, *log;
  struct icd_constant *constants;
  size_t constant_count;
  cl_uint kernels; /* attached to the program */
};

/* Implemented in program.c and link.c. */
cl_program icd_new_program(cl_context context, cl_int *status);
cl_int icd_check_devices(cl_context context, cl_uint count, const cl_device_id *devices);
bool icd_add_unit(cl_program program, const void *data, size_t size);
/* The program's source for a build, and its constants, which the caller frees. False: out of memory. */
ww_bytes icd_source(const struct _cl_program *program);
bool icd_give_constants(const struct _cl_program *program, ww_build *build);
/* Stores the result of a build, failed or not: status, log and options. Returns `failure` for errors that have no code
 * of their own. The program takes over the log. */
cl_int icd_end_build(cl_program program, ww_status status, const ww_error *error, struct icd_text *log,
                     const char *options, cl_int failure);

struct icd_argument {
  bool set;
  ww_argument_kind kind;
  size_t size;
  cl_mem memory; /* a reference if it is a launch's argument; NULL: the null pointer, or `pointer` */
  const void *pointer;
  void *value;
  char sampler[ICD_SAMPLER_WORDS];
};

struct _cl_kernel {
  struct icd_object object;
  cl_program program;
  ww_program *built; /* a reference */
  const ww_kernel *kernel;
  struct icd_argument *arguments;
};

/* A code address, as an offset in one of the process's object files. */
struct icd_caller {
  const char *object;
  uint64_t offset;
};

/* The results of a launch. */
struct icd_outcome {
  bool functional; /* executed without timing */
  bool checked;    /* by all rules */
  double cycles;   /* from START to END */
  char *bound;     /* the report's sentence on what bounds it; NULL: none */
  uint64_t hazards;
};

/* A kernel with its state when it was enqueued. */
struct icd_launch {
  cl_kernel kernel; /* a reference */
  struct icd_argument *arguments;
  cl_uint dimensions;
  uint64_t offset[3], global[3], local[3];
  bool has_local;
  struct icd_caller caller;
  struct icd_outcome outcome;
};

/* Implemented in kernel.c and launch.c. */
void icd_unset_arguments(struct icd_argument *arguments, size_t count);
cl_int icd_run_launch(struct icd_command *command, struct icd_work *work);
/* Runs launches of one program on one device at once; works[i] receives the work of launch i. */
cl_int icd_run_launches(struct icd_command *const *commands, size_t count, struct icd_work *works);
/* Whether kernels of its program can wait for each other's packets. Such launches must run at once. */
bool icd_has_channels(const struct icd_launch *launch);
/* The work-group size with which the launch would run on the device. An error, with its reason, if it would not run:
 * for example, if it needs more local memory than there is. */
cl_int icd_find_local(const struct icd_launch *launch, cl_device_id device, uint64_t local[3], ww_error *error);
void icd_free_launch(struct icd_launch *launch);
void icd_drop_launch(struct icd_command *command);

/* ---- launches as launch files: capture.c -------------------------------------------------------------------- */

/* With WARPWAIT_CAPTURE=FOLDER, each launch whose kernel, NDRange or values differ from all before gets a folder there,
 * with its inputs and, after the run, the contents of its buffers. NULL: the launch is not captured. */
struct icd_capture;
struct icd_capture *icd_capture_begin(const struct icd_launch *launch, cl_device_id device);
void icd_capture_end(struct icd_capture *capture, bool good);

/* ---- options from the environment: settings.c ----------------------------------------------------------------- */

/* NULL and false: the option is off. */
struct icd_settings {
  const char *log;     /* a file for lines of JSON: log.c */
  const char *capture; /* a folder for launch files: capture.c */
  const char *html;    /* a folder for pages of reports: launch.c */
  const char *trace;   /* a file for a trace of all launches: record.c */
  const char *only;    /* the kernels to report, check and capture, separated by commas; NULL: all */
  bool check;          /* detect all hazards that have rules */
  bool functional;     /* execute kernels that `only` does not list without timing; all kernels if it is NULL */
  uint32_t threads;    /* number that step the compute units; 0: as many as are useful */
};
const struct icd_settings *icd_settings(void);

/* Whether `only` is NULL or lists the kernel. */
bool icd_is_wanted(const char *kernel);

/* The place in the program from which the driver was called; `object` NULL: not known. Works only during that call. */
struct icd_caller icd_find_caller(void);

/* ---- files: files.c --------------------------------------------------------------------------------------------- */

enum { ICD_PATH = 4096 };

/* Reports, once for the process, that a file lacks what should be in it. */
void icd_report_lost(const char *path, int error);
/* Opens a file for writing, and creates it if needed. */
int icd_open(const char *path, int flags);
/* Writes all bytes, also if a call writes some of them or is interrupted. False, with errno: not all are written. */
bool icd_write(int file, const void *data, size_t size);
/* Closes the file and renames it if it is whole: if it was opened and written (`good`; else errno says what failed).
 * Otherwise removes it and reports the loss. */
bool icd_finish_file(int file, bool good, const char *unfinished, const char *path);
/* The file appears only when it is whole. */
bool icd_write_file(const char *path, const void *data, size_t size);

/* ---- a trace of all launches: record.c ------------------------------------------------------------------------ */

/* With WARPWAIT_TRACE: records the device's launches from now on. */
void icd_record(const struct _cl_device_id *device);

/* ---- a log of commands, hazards and reports: log.c ----------------------------------------------------------- */

void icd_log_command(const struct icd_command *command, struct icd_work work, cl_int status);
/* A command that failed, or that was refused instead of enqueued. */
void icd_log_failure(const struct icd_command *command, cl_int status);
void icd_log_hazard(const struct icd_launch *launch, const ww_hazard *hazard);
void icd_log_report(const struct icd_launch *launch, const ww_machine *machine, const ww_report *report);

/* Whether the launch is longer than all earlier ones of its kernel on the machine. If so, later launches are compared
 * with it. */
bool icd_is_longest(const struct icd_launch *launch, const ww_machine *machine);

#endif
