/* The OpenCL driver: an installable platform whose devices are simulated machines.
 *
 *     program ──► loader (libOpenCL.so) ──► cl*() ──► objects ──► commands ──► libwarpwait
 *                                             one lock            in the order in which they may run
 *
 * Every function of OpenCL holds the driver's one lock from beginning to end, except while it waits and while it calls
 * back. A command runs as soon as all that it waits for has ended, in the thread that made it so: a call that enqueues
 * it, or one that ends a user event. So a program's commands run in the same order each time, and so does simulated
 * time (times.c).
 *
 * Invariant: an object is in the registry from when it is made until it is neither referred to nor used; pointers that
 * are not there, or are of another kind, are refused with the code that OpenCL has for them.
 *
 * Not there: device-side queues, native kernels. */
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

/* Of cl_khr_kernel_clock, which headers may be too old for. */
#ifndef CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR
#define CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR 0x1076
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR (1 << 0)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR (1 << 1)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR (1 << 2)
#endif

/* And of cl_ext_float_atomics. */
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

/* What the loader looks for by name; all else goes through the table. */
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
  cl_uint references;       /* the program's */
  cl_uint uses;             /* our own: by other objects and by commands */
  struct icd_object *chain; /* of the registry */
};

extern const cl_icd_dispatch icd_dispatch;

/* The lock. icd_leave() calls back whom the call has made due, without the lock; it returns the status. */
void icd_enter(void);
cl_int icd_leave(cl_int status);

/* Waits until something changes, or calls back who is due. */
void icd_wait_for_change(void);
void icd_changed(void);

/* A callback that is due: call(self), without the lock. */
bool icd_call_later(void (*call)(void *self), void *self);

/* A new object with one reference; NULL: there is no memory. */
void *icd_new(enum icd_kind kind, size_t size);
bool icd_is(const void *object, enum icd_kind kind);

/* It is used once more, or once less; NULL is neither. With the last use or reference it is destroyed. */
void *icd_ref(void *object);
void icd_unref(void *object);

/* The program's reference that icd_new() made, or one that it gives up. */
void icd_give_up(void *object);

/* clRetainX() and clReleaseX(): `invalid` if it is none. */
cl_int icd_retain(void *object, enum icd_kind kind, cl_int invalid);
cl_int icd_release(void *object, enum icd_kind kind, cl_int invalid);

/* What clGetXInfo() is asked for: where the answer goes. */
struct icd_query {
  size_t size;
  void *value;
  size_t *needed;
};
cl_int icd_tell(struct icd_query query, const void *data, size_t bytes);
#define ICD_TELL(type, ...) return icd_tell(query, &(type){__VA_ARGS__}, sizeof(type))
#define ICD_TELL_TEXT(text) return icd_tell(query, (text), strlen(text) + 1)
#define ICD_TELL_NOTHING return icd_tell(query, NULL, 0)

/* A list of properties, ended by 0, that an object is asked for again; NULL: there is none. */
struct icd_properties {
  cl_ulong *list;
  size_t count; /* with the 0 */
};
bool icd_keep_properties(struct icd_properties *properties, const cl_ulong *list);
cl_int icd_tell_properties(struct icd_query query, const struct icd_properties *properties);

/* Callbacks of an object that is destroyed, or of an event: the last one that was set is called first. */
struct icd_callback {
  void (*call)(void); /* of the type that its owner knows */
  void *self;
  cl_int status; /* of an event */
  struct icd_callback *next;
};
bool icd_add_callback(struct icd_callback **list, void (*call)(void), void *self, cl_int status);
/* Of an object that is destroyed: each is called later, with the pointer that was the object. */
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

/* Simulated nanoseconds: of a device, until when each of its parts is busy. */
enum icd_part { ICD_COMPUTE, ICD_TO_DEVICE, ICD_TO_HOST, ICD_PARTS };

/* What the machine's parameters say of its host: ns, and bytes in a ns. */
struct icd_host {
  cl_ulong call, submit, start, latency[ICD_PARTS], width[ICD_PARTS];
  cl_ulong launch_cycles; /* cu.launch_overhead: what events around a launch measure besides its cycles */
};

struct _cl_device_id {
  struct icd_object object;
  ww_machine *machine;
  ww_device *device;
  cl_device_id parent; /* of a sub-device; a reference */
  struct icd_properties partition;
  cl_uint number; /* of the environment's devices; a part of one has its number */
  char name[80];
  char *asked; /* the machine's word, of WARPWAIT_MACHINE; NULL: a part of a device */
  double clock_ghz;
  cl_uint compute_units, warp_size;
  size_t most_items; /* in a work-group */
  cl_ulong local_bytes;
  struct icd_host host;
  cl_ulong busy[ICD_PARTS];
};

/* The devices of the environment; made when the first call asks. */
extern cl_device_id *icd_devices;
extern cl_uint icd_device_count;
extern ww_context *icd_context;
void icd_begin(void);

/* Fills in what the machine says of the device, and makes it work. */
bool icd_describe_device(cl_device_id device, ww_machine *machine, ww_error *error);
cl_int icd_tell_extensions(struct icd_query query);

/* A parameter of a machine. */
cl_ulong icd_parameter(const ww_machine *machine, const char *key);

/* Most work-items of a group of the kernel on the device. */
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
int icd_index_of(cl_context context, cl_device_id device); /* of one that it has */

/* Says on the context's callback, later, what went wrong. */
void icd_notify(cl_context context, const char *text);

/* ---- memory --------------------------------------------------------------------------------------------- */

#define ICD_MOST_BYTES (UINT64_C(4) << 30)
enum { ICD_IMAGE_2D = 16384, ICD_IMAGE_3D = 2048, ICD_IMAGE_LAYERS = 2048, ICD_IMAGE_BUFFER = 1 << 27 }; /* texels */

/* What only images have. */
struct icd_image {
  ww_image_format texel;
  ww_shape shape;
  size_t pitch[2];                /* of rows, and slices or layers, where bytes are the host's or a buffer's */
  ww_image *on[ICD_MOST_DEVICES]; /* of each device of the context; NULL: not yet */
};

/* A buffer or an image lies on one device of its context at a time; what a sub-buffer has is its parent's. */
struct _cl_mem {
  struct icd_object object;
  cl_context context;
  cl_mem_object_type type;
  cl_mem_flags flags;
  cl_mem parent; /* whose bytes a part or an image has: a reference; NULL: it has bytes of its own */
  size_t origin, size;
  void *host;
  ww_buffer *buffer[ICD_MOST_DEVICES]; /* of each device of the context; NULL: not yet */
  int newest;                          /* the device that has the bytes; -1: none has, they are zeros */
  bool in_svm;                         /* they are at `host`, in shared virtual memory */
  struct icd_image *image;             /* NULL: it is none */
  ww_pipe *pipe;
  cl_uint packet_bytes, packets, mapped;
  struct icd_properties properties;
  struct icd_callback *destroyed;
  struct icd_map *maps;
};

/* A mapped region; a host pointer's bytes are brought up to date. */
struct icd_map {
  void *at;
  size_t offset, size;
  cl_map_flags flags;
  size_t image_at[3], region[3], pitch[2]; /* of an image */
  void *own;                               /* memory of the map alone; NULL: none */
  struct icd_map *next;
};

/* Shared virtual memory of a context, which each of its devices has. */
struct icd_svm {
  cl_context context; /* a reference */
  uint8_t *at;
  size_t size;
  ww_buffer *buffer[ICD_MOST_DEVICES];
  struct icd_svm *next;
};
/* That which holds all of these bytes; NULL: none does. */
const struct icd_svm *icd_find_svm(cl_context context, const void *at, size_t size);
/* The buffer of it on a device. */
ww_buffer *icd_svm_on_device(const struct icd_svm *svm, cl_device_id device);

/* Its bytes where the host can use them, from its own origin; NULL: there is no memory. */
uint8_t *icd_bytes(cl_mem memory);
/* The same on that device of its context, and whose buffer has them at which offset. */
ww_buffer *icd_on_device(cl_mem memory, cl_device_id device, uint64_t *offset);
cl_int icd_check_range(cl_mem memory, size_t offset, size_t size);

/* Flags of a new object, and of one that has the bytes of another: what may be done with it is no more. */
cl_int icd_check_flags(cl_mem_flags flags, const void *host);
cl_int icd_part_flags(cl_mem whole, cl_mem_flags asked, cl_mem_flags *flags);
cl_mem_flags icd_with_access(cl_mem_flags flags);

/* The image on that device; and where it is. NULL: there is no memory. */
ww_image *icd_image_on(cl_mem memory, cl_device_id device);
ww_image *icd_image_here(cl_mem memory);
/* All texels, without gaps, from the image or to it. */
bool icd_image_texels(cl_mem memory, void *bytes, bool write);
void icd_free_image(struct icd_image *image);
/* Enqueues the end of a map, which is no longer its image's. */
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
/* As the library takes it. */
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
  cl_uint number; /* in the order in which they were made, from 1 */
  struct icd_properties properties;
  cl_event last, barrier;        /* uses; NULL when they have ended */
  cl_ulong ended, barrier_ended; /* when the last of all commands has, and the last barrier */
};

/* What a command does when its turn comes: CL_COMPLETE or an error. It says which part of the device it takes for how
 * many nanoseconds. */
struct icd_work {
  enum icd_part part;
  double ns;
  size_t bytes; /* that it moves */
};
typedef cl_int icd_run(struct icd_command *command, struct icd_work *work);

enum { ICD_PATTERN = 128 };

struct icd_command {
  icd_run *run;
  void (*drop)(struct icd_command *command); /* of what only this kind has; NULL: nothing */
  cl_event event;
  cl_event *waits; /* references */
  size_t wait_count;
  bool all; /* of the queue's commands before it must have ended */
  bool flushed;
  struct icd_command *next;
  /* What it is about. */
  cl_mem from, to;
  void *host;
  const void *source;
  struct icd_free *freed;                                             /* of shared virtual memory */
  void *own;                                                          /* memory of a map that ends */
  size_t from_at[3], to_at[3], region[3], from_pitch[2], to_pitch[2]; /* bytes, rows, slices */
  uint8_t pattern[ICD_PATTERN];
  size_t pattern_size;
  struct icd_launch *launch;
};

/* A command of the type on the queue; `status` when it cannot be one. */
struct icd_command *icd_command(cl_command_queue queue, cl_command_type type, cl_uint wait_count, const cl_event *waits,
                                icd_run *run, cl_int *status);
/* Enqueues it, and waits for it if it blocks. The command is no longer the caller's. */
cl_int icd_enqueue(struct icd_command *command, bool blocking, cl_event *event);
void icd_drop(struct icd_command *command);

/* Runs what can be run. */
void icd_advance(void);
/* Waits until the event has ended. */
void icd_wait(cl_event event);
/* Sets its status, and tells who waits for it. */
void icd_set_status(cl_event event, cl_int status);

/* ---- simulated time: times.c ----------------------------------------------------------------------------- */

cl_ulong icd_host_now(void);
void icd_host_waits_until(cl_ulong when);
/* The event's times, from when it was enqueued and what it waited for. */
void icd_time_queued(cl_event event);
/* Of commands that start together, and take the same part of one device. */
void icd_time_commands(struct icd_command *const *commands, const struct icd_work *works, size_t count);
/* Of a command that moves bytes: between host and device, or on the device, where a fill has them go one way and a copy
 * there and back. */
struct icd_work icd_moving(const struct icd_command *command, enum icd_part part, size_t bytes, unsigned ways);
/* The device's parameters host.*. */
void icd_read_host(cl_device_id device);

/* ---- programs and kernels ---------------------------------------------------------------------------------- */

/* A text that grows; what there is no memory for is left out. */
struct icd_text {
  char *text;
  size_t length;
};
bool icd_add(void *text, const void *data, size_t size); /* as a sink takes bytes */
void icd_add_line(struct icd_text *text, const char *line);

/* A translation unit, compiled. */
struct icd_unit {
  void *data;
  size_t size;
};

/* A specialization constant that was set. */
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
  struct icd_unit *units; /* of what was compiled, and of libraries */
  size_t unit_count;
  cl_program_binary_type type;
  cl_build_status status;
  char *options, *log;
  struct icd_constant *constants;
  size_t constant_count;
  cl_uint kernels; /* that are attached */
};

/* In parts: program.c, link.c. */
cl_program icd_new_program(cl_context context, cl_int *status);
cl_int icd_check_devices(cl_context context, cl_uint count, const cl_device_id *devices);
bool icd_add_unit(cl_program program, const void *data, size_t size);
/* What it is built of, and its constants for that; the caller frees these. False: there is no memory. */
ww_bytes icd_source(const struct _cl_program *program);
bool icd_give_constants(const struct _cl_program *program, ww_build *build);
/* What comes of a build that may have failed: status, log and options; `failure` is the code of what is no other. The
 * log is the program's. */
cl_int icd_end_build(cl_program program, ww_status status, const ww_error *error, struct icd_text *log,
                     const char *options, cl_int failure);

struct icd_argument {
  bool set;
  ww_argument_kind kind;
  size_t size;
  cl_mem memory; /* of a launch, a reference; NULL: the null pointer, or `pointer` */
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

/* A place in an object file of the process. */
struct icd_caller {
  const char *object;
  uint64_t offset;
};

/* What became of a launch. */
struct icd_outcome {
  bool functional; /* it was executed without timing */
  double cycles;   /* from START to END */
  char *bound;     /* the report's sentence; NULL: there is none */
  uint64_t hazards;
};

/* A kernel as it was enqueued. */
struct icd_launch {
  cl_kernel kernel; /* a reference */
  struct icd_argument *arguments;
  cl_uint dimensions;
  uint64_t offset[3], global[3], local[3];
  bool has_local;
  struct icd_caller caller;
  struct icd_outcome outcome;
};

/* In parts: kernel.c, launch.c. */
void icd_unset_arguments(struct icd_argument *arguments, size_t count);
cl_int icd_run_launch(struct icd_command *command, struct icd_work *work);
/* Launches of one program on one device, at once; what each is for the device is at works[i]. */
cl_int icd_run_launches(struct icd_command *const *commands, size_t count, struct icd_work *works);
/* Whether kernels of its program may wait for each other's packets, so that it must run at once with others. */
bool icd_has_channels(const struct icd_launch *launch);
/* The work-groups that a run of it would have on the device. */
cl_int icd_find_local(const struct icd_launch *launch, cl_device_id device, uint64_t local[3]);
void icd_free_launch(struct icd_launch *launch);
void icd_drop_launch(struct icd_command *command);

/* ---- launches as launch files: capture.c -------------------------------------------------------------------- */

/* Where WARPWAIT_CAPTURE names a folder: a folder in it for each launch that differs from those before in its kernel,
 * NDRange or values, with inputs, and after the run what its buffers hold. NULL: it is not captured. */
struct icd_capture;
struct icd_capture *icd_capture_begin(const struct icd_launch *launch, cl_device_id device);
void icd_capture_end(struct icd_capture *capture, bool good);

/* ---- what the environment asks for: wishes.c ---------------------------------------------------------------- */

/* NULL and false: it is not asked for. */
struct icd_wishes {
  const char *log;     /* a file for lines of JSON: log.c */
  const char *capture; /* a folder for launch files: capture.c */
  const char *html;    /* a folder for pages of reports: launch.c */
  const char *trace;   /* a file for a trace of all launches: record.c */
  const char *only;    /* kernels that are of interest, with commas between */
  bool check;          /* look for all hazards that there are rules for */
  bool functional;     /* execute kernels that are of no interest without timing; all of them if `only` names none */
  uint32_t threads;    /* that step the compute units; 0: as many as help */
};
const struct icd_wishes *icd_wishes(void);

/* Whether the kernel is of interest. */
bool icd_is_wanted(const char *kernel);

/* The place in the program that called the driver; `object` NULL: it is not known. Found while it is in the call. */
struct icd_caller icd_find_caller(void);

/* ---- a trace of all launches: record.c ------------------------------------------------------------------------ */

/* If there is to be one: the device's launches from now on go into it. */
void icd_record(const struct _cl_device_id *device);

/* ---- what was done, line by line: log.c --------------------------------------------------------------------- */

void icd_log_command(const struct icd_command *command, struct icd_work work, cl_int status);
void icd_log_hazard(const struct icd_launch *launch, const ww_hazard *hazard);
void icd_log_report(const struct icd_launch *launch, const ww_machine *machine, const ww_report *report);

/* Whether no launch of the kernel on the machine has been longer; it is the longest from now on. */
bool icd_is_longest(const struct icd_launch *launch, const ww_machine *machine);

#endif
