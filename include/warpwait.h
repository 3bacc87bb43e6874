/* warpwait.h: where the warps of a GPU work-group wait, as a library.
 *
 * Warpwait simulates work-groups on a GPU: compute units, a banked local data store (LDS), DMA engines, caches and
 * DRAM, cycle by cycle. This header runs kernels and reports what they cost; warpwait/analyse.h compares, explains and
 * sweeps.
 *
 *     ww_context ── ww_machine ── ww_device ─┬─ ww_buffer, ww_pipe, ww_image
 *              └─── ww_program ──────────────┴─ ww_launch ──ww_run()──► ww_report
 *                                                              └──────► ww_trace ──ww_trace_replay()──► ww_report
 *
 *     ww_context *context = NULL;  ww_machine *machine = NULL;  ww_program *program = NULL;  ww_device *device = NULL;
 *     ww_error error;
 *     if (ww_context_new(NULL, &context, &error) || ww_machine_load(context, "h200", &machine, &error) ||
 *         ww_program_build(context, ww_text(source), NULL, &program, &error) ||
 *         ww_device_new(machine, &device, &error))
 *       fprintf(stderr, "%s\n", error.text);
 *
 * Objects are opaque and reference-counted. A function that creates an object stores it in its `ww_x **` with one
 * reference, which the caller owns, or stores NULL if it fails. ww_x_ref() adds a reference and ww_x_unref() releases
 * one; both accept NULL. An object keeps alive what it is made of: a launch its device and program, a device its
 * machine.
 *
 * Threads. A context, machine, program, report, trace or expression never changes; any number of threads may use it at
 * once. A device, with its buffers, pipes, images and launches, belongs to one thread at a time. Even during a run,
 * though, any thread may create buffers, pipes and images, and release any object. Different devices are independent.
 *
 * Processes. After fork(), the child has copies of all objects. It may use those that never change. It may use a device
 * and its objects only if no other thread was inside a call with one of them at the fork.
 *
 * The library prints nothing, never ends the process, starts no process but the compiler (clang, for
 * OpenCL C), and leaves signals, locale and environment alone. jansson has one allocator per process: the library sets
 * it unless somebody else has, and other users of jansson still get malloc().
 *
 * Units. Times are cycles of the compute units' clock, sizes are bytes, NDRanges are work-items. Text is UTF-8.
 * Messages count arguments from 1; functions count them from 0. */
#ifndef WARPWAIT_H
#define WARPWAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WW_API __attribute__((visibility("default")))
#else
#define WW_API
#endif

/* Compatibility. Structures of options, which a caller fills and passes by pointer (ww_options, ww_parameter, ww_build,
 * ww_image_format, ww_shape, ww_watch, ww_work), begin with `size`; set it to sizeof. New fields may be added at their
 * end, and also at the end of structures that the library returns by pointer. The other structures do not change. */
#define WW_VERSION_MAJOR 0
#define WW_VERSION_MINOR 1
#define WW_VERSION_PATCH 0
#define WW_VERSION ((WW_VERSION_MAJOR << 16) | (WW_VERSION_MINOR << 8) | WW_VERSION_PATCH)

/* The version of the library at run time, encoded like WW_VERSION. */
WW_API uint32_t ww_version(void);

/* ---- errors ---------------------------------------------------------------------------------------------------- */

/* A function that can fail returns a ww_status, and fills *error unless `error` is NULL. A NULL argument is
 * WW_BAD_INPUT where NULL is not allowed. After WW_NO_MEMORY, everything that the call allocated is free again and the
 * next call works. A run that ends with it may have written to buffers, pipes and program-scope variables, and leaves
 * the device's caches empty. Hazards, deadlocks and the cycle limit are results of the simulated machine, not errors:
 * the report has them. */
typedef enum ww_status {
  WW_OK = 0,
  WW_BAD_INPUT,   /* an argument, a text, a file or a program is not valid */
  WW_NO_MEMORY,   /* out of memory */
  WW_CANCELLED,   /* a callback ended the work */
  WW_UNSUPPORTED, /* valid, but not modeled */
  WW_DEFECT,      /* an invariant of the library is broken: please report it. Otherwise like WW_NO_MEMORY */
} ww_status;

/* What is wrong. `text` is a complete message in one line: where, what, and what would be valid. The other fields
 * repeat the place for tools, "" and 0 if there is none. Longer text is cut. After WW_OK all fields are "" and 0. */
typedef struct ww_error {
  ww_status status;
  uint32_t line, column; /* from 1 */
  char file[256];
  char key[128]; /* a parameter ("dma.channels") or a place in a JSON file ("launches[0].args[2]") */
  char text[640];
} ww_error;

/* "bad input", ...; never NULL. */
WW_API const char *ww_status_name(ww_status status);

/* ---- bytes in, bytes out --------------------------------------------------------------------------------------- */

/* Bytes that the caller keeps until the call returns. Messages and reports call them `name`, which has no control
 * characters; NULL: a default name. `data` need not end with a zero byte. */
typedef struct ww_bytes {
  const void *data;
  size_t size;
  const char *name;
} ww_bytes;

static inline ww_bytes ww_text(const char *text) {
  ww_bytes bytes = {text, text ? strlen(text) : 0, NULL};
  return bytes;
}

/* Receives bytes, piece by piece, in the thread of the call. False ends the call with WW_CANCELLED.
 *
 * This and every other callback must return: it must not throw or longjmp() past the library. It may call the library
 * only where its comment says so. */
typedef struct ww_sink {
  bool (*write)(void *self, const void *data, size_t size);
  void *self;
} ww_sink;

/* ---- context --------------------------------------------------------------------------------------------------- */

typedef struct ww_context ww_context;

/* For a field that is NULL, the environment variable in brackets counts, then the default. */
typedef struct ww_options {
  uint32_t size;
  const char *cache;      /* folder for compiled OpenCL C [WARPWAIT_CACHE]; "": keep nothing. Default:
                             $XDG_CACHE_HOME/warpwait or ~/.cache/warpwait */
  const char *clang;      /* [WARPWAIT_CLANG]; default: clang-15, or else the newest */
  const char
      *temporary; /* folder for the compiler's temporary files, removed after each build [TMPDIR]; default: /tmp */
} ww_options;

/* The compiler and cache that build programs. `options` may be NULL. */
WW_API ww_status ww_context_new(const ww_options *options, ww_context **context, ww_error *error);
WW_API ww_context *ww_context_ref(ww_context *context);
WW_API void ww_context_unref(ww_context *context);

/* ---- machine --------------------------------------------------------------------------------------------------- */

/* All parameters of a GPU, checked together: compute units (cu.*), LDS (lds.*), DMA engines (dma.*), memory (mem.*). */
typedef struct ww_machine ww_machine;

/* A row of docs/parameters.md. Strings live as long as the library. */
typedef struct ww_parameter {
  uint32_t size;
  char key[64];              /* "dma.channels" */
  const char *unit;          /* "cycles"; "" for a choice */
  const char *text;          /* one sentence */
  const char *choices;       /* words separated by blanks; NULL: the parameter is a number */
  const char *usual;         /* the default, as text */
  uint64_t minimum, maximum; /* of a number, inclusive */
} ww_parameter;

/* Fills *parameter, whose `size` is set, with row i. False if i is not below the count. */
WW_API bool ww_parameter_at(size_t i, ww_parameter *parameter);

/* Names of the built-in machines: "teaching", "h200", ... NULL if i is not below the count. */
WW_API const char *ww_preset_at(size_t i);

/* Loads a built-in machine by its name, or an INI file by its path, which has a '/' or an extension. */
WW_API ww_status ww_machine_load(ww_context *context, const char *name, ww_machine **machine, ww_error *error);

/* Reads a machine from the text of an INI file (docs/parameters.md). Its `base` is a built-in machine or a file. */
WW_API ww_status ww_machine_parse(ww_context *context, ww_bytes ini, ww_machine **machine, ww_error *error);

/* Copies `machine` and changes parameters: `count` words "key=value", in order. Reports list the changes. */
WW_API ww_status ww_machine_with(const ww_machine *machine, const char *const *changes, size_t count,
                                 ww_machine **changed, ww_error *error);

WW_API ww_machine *ww_machine_ref(ww_machine *machine);
WW_API void ww_machine_unref(ww_machine *machine);

/* The name of the built-in machine, or of the file without folder and extension. */
WW_API const char *ww_machine_name(const ww_machine *machine);

/* A parameter's value, or the index of a choice. `word` receives it as text that ww_machine_with() accepts. Either may
 * be NULL. */
enum { WW_WORD = 32 };
WW_API ww_status ww_machine_value(const ww_machine *machine, const char *key, uint64_t *value, char word[WW_WORD],
                                  ww_error *error);

/* ---- program --------------------------------------------------------------------------------------------------- */

/* A program of the kernel ISA, which runs on any machine. */
typedef struct ww_program ww_program;

/* A specialization constant of SPIR-V, by its SpecId, and its value. A boolean is one byte. */
typedef struct ww_constant {
  uint32_t id;
  const void *value;
  size_t size;
} ww_constant;

typedef struct ww_build {
  uint32_t size;
  const char *options;     /* for OpenCL C, as in clBuildProgram(): "-DN=4 -cl-std=CL2.0 -I 'a folder'"; NULL: none */
  const char *copies;      /* how to compile asynchronous copies: "machine" (default) or "loop" */
  uint32_t registers;      /* limit per lane, 16 to 255; 0: 255 */
  ww_sink log;             /* receives clang's messages unchanged, warnings too; also if the build fails */
  const ww_bytes *headers; /* OpenCL C that #include finds by these names, relative paths, before any folder */
  size_t header_count;
  bool (*go_on)(void *self); /* called ten times a second while the compiler runs; false: WW_CANCELLED; NULL: go on */
  void *self;                /* passed to go_on */
  const ww_constant *constants; /* for SPIR-V: values that replace those of the module */
  size_t constant_count;
  const char *optimize; /* level: "0" (code near the source) to "3"; NULL: "2", or "0" with -cl-opt-disable */
  const char *without;  /* compiler passes to leave out: "unroll,hoist"; NULL: none */
  bool checked; /* compile like `warpwait check`, for launches with ww_watch.check: at level 0 unless `optimize` is set,
                 * with accesses whose value is unused, and with loops as written */
} ww_build;

/* The size of a specialization constant's value; 0: the SPIR-V has no such constant. */
WW_API size_t ww_constant_bytes(ww_bytes spirv, uint32_t id);

/* Builds a program from OpenCL C text, SPIR-V words (any byte order), LLVM IR as text or bitcode, assembly or an object
 * file (.wwo). The first bytes show which it is. `build` may be NULL. OpenCL C and bitcode need clang. A kernel that
 * cannot be translated is an error only if no other kernel can: see ww_kernel.refused. */
WW_API ww_status ww_program_build(ww_context *context, ww_bytes source, const ww_build *build, ww_program **program,
                                  ww_error *error);
/* Builds a program from several translation units. ww_unit_compile() compiles one unit of OpenCL C, SPIR-V or LLVM IR,
 * which may call functions and name variables of other units, and writes SPIR-V to the sink. ww_program_link() links
 * units into a program: what one imports, another exports under the same name. `copies`, `registers`, `optimize`,
 * `without` and `checked` of the build apply to the link, the rest to the units. */
WW_API ww_status ww_unit_compile(ww_context *context, ww_bytes source, const ww_build *build, ww_sink sink,
                                 ww_error *error);
WW_API ww_status ww_program_link(ww_context *context, const ww_bytes *units, size_t count, const ww_build *build,
                                 ww_program **program, ww_error *error);
WW_API ww_program *ww_program_ref(ww_program *program);
WW_API void ww_program_unref(ww_program *program);

typedef enum ww_argument_kind {
  WW_ARGUMENT_BUFFER,
  WW_ARGUMENT_LOCAL,
  WW_ARGUMENT_VALUE,
  WW_ARGUMENT_PIPE,
  WW_ARGUMENT_IMAGE,
  WW_ARGUMENT_SAMPLER
} ww_argument_kind;

typedef struct ww_argument {
  const char *name, *type; /* name as in the source; type as in assembly's .arg: "global", "u32", "f32x4", ... */
  ww_argument_kind kind;
  uint32_t bytes;                              /* of a value */
  const char *source_type, *source_qualifiers; /* as in OpenCL C: "float4*", "restrict const"; NULL: not known */
  bool constant;                               /* a buffer in constant memory */
  const char *access; /* of a pipe or image: "read_only", "write_only", for images "read_write"; NULL: not known */
  const char *image;  /* the kind of image that it takes: "2d", ...; NULL: not an image */
} ww_argument;

/* Strings and lists live as long as the program. */
typedef struct ww_kernel {
  const char *name;
  const char *refused; /* why it cannot run, in one line, and all other fields but the name are 0; NULL: it can run */
  size_t argument_count;
  uint32_t registers;         /* per lane */
  uint32_t lds_bytes;         /* per work-group, without local arguments */
  uint32_t private_bytes;     /* per lane */
  uint32_t spilled;           /* 32-bit words of private_bytes that hold spilled registers */
  uint32_t required_local[3]; /* reqd_work_group_size; 0 0 0: any */
  const char *attributes;     /* of OpenCL C: "reqd_work_group_size(8,1,1)"; "": none */
  bool uniform_groups;        /* the local size must divide the global size */
} ww_kernel;

WW_API size_t ww_program_kernel_count(const ww_program *program);
/* Bytes of program-scope variables that are not constant. */
WW_API size_t ww_program_variable_bytes(const ww_program *program);
/* Number of channels (cl_intel_channels); each element of an array counts. Run the kernels that they connect in one
 * ww_run(): a launch deadlocks if only a later run would bring the packet or the room that it waits for. */
WW_API size_t ww_program_channels(const ww_program *program);
/* Number of autorun kernels. They run whenever another kernel of the program runs, and count as launches of that run
 * (WW_TOGETHER). */
WW_API size_t ww_program_autoruns(const ww_program *program);
/* NULL if i is not below the count. */
WW_API const ww_kernel *ww_program_kernel_at(const ww_program *program, size_t i);

/* An argument of the kernel; NULL if i is not below the count. */
WW_API const ww_argument *ww_kernel_argument(const ww_kernel *kernel, size_t i);

/* Finds a kernel by its name; `name` NULL: the only kernel. A refused kernel is WW_BAD_INPUT. */
WW_API ww_status ww_program_kernel(const ww_program *program, const char *name, const ww_kernel **kernel,
                                   ww_error *error);

typedef enum ww_program_form {
  WW_PROGRAM_OBJECT,   /* .wwo, which ww_program_build() reads */
  WW_PROGRAM_ASSEMBLY, /* .wws, which ww_program_build() reads */
  WW_PROGRAM_SPIRV,    /* if it was built from OpenCL C or SPIR-V; else WW_UNSUPPORTED */
} ww_program_form;
WW_API ww_status ww_program_write(const ww_program *program, ww_program_form form, ww_sink sink, ww_error *error);

/* ---- device, buffers, pipes, images ---------------------------------------------------------------------------- */

/* A machine at work, with memory. Simulated time and the contents of memory, caches and program-scope variables carry
 * over from run to run. A run that does not finish (a deadlock, the cycle limit, cancelled) leaves the caches empty. A
 * run without timing (ww_watch.functional) begins and ends in the same cycle. */
typedef struct ww_device ww_device;
typedef struct ww_buffer ww_buffer;
typedef struct ww_pipe ww_pipe;
typedef struct ww_image ww_image;

WW_API ww_status ww_device_new(ww_machine *machine, ww_device **device, ww_error *error);
WW_API ww_device *ww_device_ref(ww_device *device);
WW_API void ww_device_unref(ww_device *device);

/* The cycle in which the next run starts; 0 for a new device. */
WW_API uint64_t ww_device_now(const ww_device *device);
WW_API ww_machine *ww_device_machine(const ww_device *device); /* no new reference */

/* Records all later runs of the device as one trace (.wwt). The sink receives it piece by piece, during runs and until
 * ww_device_record_end(), under the rules for ww_watch's callbacks. A replay (ww_trace_replay()) takes as many cycles
 * as the runs: for that, the recording begins with empty caches. Runs without timing are left out.
 *
 * The recording ends early with a run that does not finish, or before a run that a trace cannot represent: a name is
 * not UTF-8, a pipe replaces a released one, channels are of a second program or hold older packets, or there have been
 * more than 4096 images. The runs themselves continue, even if the sink refuses data. While a device is recorded,
 * `check` and `trace` of ww_watch are not allowed. */
WW_API ww_status ww_device_record(ww_device *device, ww_sink sink, ww_error *error);
/* Ends the recording: the sink receives the rest of the trace. WW_UNSUPPORTED: the trace is complete but lacks runs, or
 * has none; the message names the last launch and the reason. WW_CANCELLED (the sink refused data) or WW_NO_MEMORY (now
 * or in an earlier run): there is no trace. A device that is released while it is recorded leaves a trace without an
 * end. */
WW_API ww_status ww_device_record_end(ww_device *device, ww_error *error);

/* Zeroed global memory of `bytes` bytes, at least 1. `name` (at most 63 bytes; NULL: "buffer") appears in reports. A
 * device has at most 4096 buffers, pipes and images, all within WW_DEVICE_BYTES. */
#define WW_DEVICE_BYTES (UINT64_C(1) << 40)
WW_API ww_status ww_buffer_new(ww_device *device, const char *name, uint64_t bytes, ww_buffer **buffer,
                               ww_error *error);
/* A buffer over the caller's memory: kernels read and write `data` in place. It is not copied or zeroed, may have any
 * alignment, and is not accessed beyond `bytes`. Only stores of kernels write to it, so it may be read-only if no
 * kernel stores there. During a run of the device, nobody else may write to it or read what kernels write.
 *
 * The caller keeps `data` until the last reference to the buffer is released (a launch has one while the buffer is its
 * argument) and, if a run of the device is in progress then, until that ww_run() returns. Reports and traces do not
 * refer to it. If two buffers share bytes, a kernel that stores through one may still read the old bytes through the
 * other. */
WW_API ww_status ww_buffer_new_over(ww_device *device, const char *name, void *data, uint64_t bytes, ww_buffer **buffer,
                                    ww_error *error);
/* A buffer with one address for host and kernels: ww_buffer_address() equals ww_buffer_data(), so pointers stored in
 * it are valid for both. `with` is a shared buffer of another device, whose memory the new buffer shares (`bytes` is
 * ignored); NULL: new memory. */
WW_API ww_status ww_buffer_new_shared(ww_device *device, const char *name, uint64_t bytes, const ww_buffer *with,
                                      ww_buffer **buffer, ww_error *error);
WW_API ww_buffer *ww_buffer_ref(ww_buffer *buffer);
WW_API void ww_buffer_unref(ww_buffer *buffer);

/* The buffer's bytes, to read and write in place, but not during a run. Their address never changes. */
WW_API void *ww_buffer_data(ww_buffer *buffer);
WW_API uint64_t ww_buffer_bytes(const ww_buffer *buffer);
/* The buffer's address in kernels: one buffer may contain the address of another. */
WW_API uint64_t ww_buffer_address(const ww_buffer *buffer);

/* An empty FIFO of up to `packets` (1 to 2^24 - 1) packets of `packet_bytes` bytes. A device has at most 126 pipes,
 * including the channels of a running program. */
WW_API ww_status ww_pipe_new(ww_device *device, const char *name, uint32_t packet_bytes, uint32_t packets,
                             ww_pipe **pipe, ww_error *error);
WW_API ww_pipe *ww_pipe_ref(ww_pipe *pipe);
WW_API void ww_pipe_unref(ww_pipe *pipe);

/* The number of packets that can be read, and packet `i`, the oldest first; NULL if i is not below the count. Its bytes
 * stay valid until the next run. */
WW_API uint32_t ww_pipe_packets(const ww_pipe *pipe);
WW_API const void *ww_pipe_packet(const ww_pipe *pipe, uint32_t i);

/* A format of texels: the order of channels and their type. */
typedef struct ww_image_format {
  uint32_t size;
  char name[48];        /* "rgba.unorm_int8" */
  uint32_t bytes;       /* of a texel */
  uint32_t order, type; /* as OpenCL numbers them: CL_RGBA, CL_UNORM_INT8 */
  bool integer;         /* colors are whole numbers, not floats */
} ww_image_format;

/* Fills *format, whose `size` is set, with format i. False if i is not below the count. */
WW_API bool ww_image_format_at(size_t i, ww_image_format *format);

/* The kind, format and size of an image. Sizes are in texels, 1 to 2^27; a dimension that the kind lacks is 0 or 1. */
typedef struct ww_shape {
  uint32_t size;
  const char *kind;                      /* "1d", "1d_array", "1d_buffer", "2d", "2d_array", "3d" */
  const char *format;                    /* "rgba.unorm_int8" */
  uint32_t width, height, depth, layers; /* `layers` only for arrays */
  uint64_t row_pitch, slice_pitch;       /* bytes, for ww_image_new_over(); 0: without gaps */
} ww_shape;

/* A zeroed image in its own memory, laid out by the machine's texture.layout. `name` NULL: "image". */
WW_API ww_status ww_image_new(ww_device *device, const char *name, const ww_shape *shape, ww_image **image,
                              ww_error *error);
/* An image whose texels are the buffer's bytes, row after row, from `offset` on; offset and pitches are multiples of a
 * texel's size. It keeps the buffer alive. A kernel that stores through one of them may still read the old bytes
 * through the other. */
WW_API ww_status ww_image_new_over(ww_buffer *buffer, uint64_t offset, const char *name, const ww_shape *shape,
                                   ww_image **image, ww_error *error);
WW_API ww_image *ww_image_ref(ww_image *image);
WW_API void ww_image_unref(ww_image *image);

/* Between runs: copy the texels of a region to bytes or from bytes, or fill the region with a color. `at` is its x, y,
 * and slice or layer, `region` its size in texels; a dimension that the kind lacks is 0 in `at` and 1 in `region`. In
 * the bytes, rows are `row_pitch` apart and slices or layers `slice_pitch`; 0: no gaps. A color is red, green, blue and
 * alpha: four floats, or four 32-bit integers for an integer format. */
WW_API ww_status ww_image_read(const ww_image *image, const uint32_t at[3], const uint32_t region[3], void *bytes,
                               uint64_t row_pitch, uint64_t slice_pitch, ww_error *error);
WW_API ww_status ww_image_write(ww_image *image, const uint32_t at[3], const uint32_t region[3], const void *bytes,
                                uint64_t row_pitch, uint64_t slice_pitch, ww_error *error);
WW_API ww_status ww_image_fill(ww_image *image, const uint32_t at[3], const uint32_t region[3], const void *color,
                               ww_error *error);

/* ---- launch ---------------------------------------------------------------------------------------------------- */

/* A kernel with its NDRange and arguments. It can run any number of times, and change between runs. */
typedef struct ww_launch ww_launch;

WW_API ww_status ww_launch_new(ww_device *device, ww_program *program, const ww_kernel *kernel, ww_launch **launch,
                               ww_error *error);
WW_API ww_launch *ww_launch_ref(ww_launch *launch);
WW_API void ww_launch_unref(ww_launch *launch);
WW_API ww_device *ww_launch_device(const ww_launch *launch); /* no new reference */

/* Sets the NDRange, of 1 to 3 dimensions. Each list has one number per dimension, below 2^32; there are at most 2^40
 * work-items. `offset` NULL: zeros. `local` NULL: the machine chooses. `local` need not divide `global` unless the
 * program promises it (ww_kernel.uniform_groups). ww_run() reports sizes that do not fit the machine. */
WW_API ww_status ww_launch_range(ww_launch *launch, uint32_t dimensions, const uint64_t *offset, const uint64_t *global,
                                 const uint64_t *local, ww_error *error);

/* The work-group size with which the launch would run: the one that ww_launch_range() set, or the machine's choice. Set
 * all arguments first, because the choice depends on the LDS that they take. */
WW_API ww_status ww_launch_local_size(ww_launch *launch, uint64_t local[3], ww_error *error);

/* Arguments, counted from 0; setting one again replaces it. All must be set before a run. A value has exactly the
 * argument's size. A buffer argument points `offset` bytes into the buffer; `buffer` NULL is the null pointer. */
WW_API ww_status ww_launch_value(ww_launch *launch, uint32_t index, const void *value, size_t size, ww_error *error);
WW_API ww_status ww_launch_buffer(ww_launch *launch, uint32_t index, ww_buffer *buffer, uint64_t offset,
                                  ww_error *error);
WW_API ww_status ww_launch_local(ww_launch *launch, uint32_t index, uint64_t bytes, ww_error *error);
WW_API ww_status ww_launch_pipe(ww_launch *launch, uint32_t index, ww_pipe *pipe, ww_error *error);
WW_API ww_status ww_launch_image(ww_launch *launch, uint32_t index, ww_image *image, ww_error *error);
/* A sampler is a list of words, separated by commas, in any order: "normalized"; one of "none", "clamp_to_edge",
 * "clamp", "repeat", "mirrored_repeat"; "nearest" or "linear". "": not normalized, none, nearest. */
WW_API ww_status ww_launch_sampler(ww_launch *launch, uint32_t index, const char *sampler, ww_error *error);

/* ---- run ------------------------------------------------------------------------------------------------------- */

typedef struct ww_report ww_report;

/* Something that a unit of the machine did. docs/timeline-events.md lists the kinds and their fields. */
typedef struct ww_event {
  uint32_t kind;     /* a number of ww_event_kind() */
  uint32_t cu, unit; /* compute unit; warp slot, scheduler, bank, channel, ..., depending on the kind */
  uint64_t from, to; /* cycles of the device; `to` is not included */
  uint32_t launch;   /* of the run, from 0; launches that run at once share the machine, and all their events have 0 */
  uint32_t field_count;
  const uint64_t *fields;
} ww_event;

/* The number of a kind by its name ("warp", "copy", ...), or UINT32_MAX; a kind's name; the name of a field of its
 * events. A name is NULL if the number is not below the count. */
WW_API uint32_t ww_event_kind(const char *name);
WW_API const char *ww_event_name(uint32_t kind);
WW_API const char *ww_event_field(uint32_t kind, uint32_t field);

/* A misuse of copies, events, pipes or memory. */
typedef struct ww_hazard {
  const char *rule;    /* "X1-stride-zero" */
  const char *message; /* what is wrong, one sentence */
  const char *detail;  /* values; may be "" */
  const char *file;    /* without its folder */
  uint32_t line;       /* from 1; 0: not known */
  uint32_t launch, work_group[3], work_item;
  uint64_t count; /* occurrences; the other fields describe the first one */
} ww_hazard;

/* Callbacks and options of a run. Begin with = {.size = sizeof(ww_watch)}; fields that are NULL or 0 are off. Callbacks
 * run in the thread of the run, and their arguments are valid until they return. They must not read or write the run's
 * buffers and pipes, and must not use its device and launches except to release them. Watching changes no result. */
typedef struct ww_watch {
  uint32_t size;
  void *self;           /* passed to the callbacks */
  uint64_t cycle_limit; /* ends a launch that takes more cycles; 0: 10^9, or the limit in a trace */
  /* Reports progress at least every 100,000 cycles (instructions, if `functional`); ww_file_run() also calls it while
   * programs are compiled, with zeros. False ends the run with WW_CANCELLED, unless it has just finished. */
  bool (*tick)(void *self, uint64_t now, uint64_t groups_done, uint64_t groups);
  /* Receives events of the kinds whose bits are set in `event_kinds`, for each unit in the order in which it emits
   * them. */
  void (*event)(void *self, const ww_event *event);
  uint64_t event_kinds;
  /* Receives what work-items print, after the run, in the order of work-group, work-item and call; no zero byte at the
   * end. A run that fails reports neither prints nor hazards. */
  void (*print)(void *self, uint32_t launch, const char *text, size_t size);
  /* Receives hazards, after the run: those that are cheap to detect, or with `check` all of docs/check.md. */
  void (*hazard)(void *self, const ww_hazard *hazard);
  bool check;
  ww_sink trace; /* receives a trace of the run (.wwt), for ww_trace_open(); not together with `check` */
  bool page;     /* keep what ww_report_write() needs for WW_HTML; costs memory and time */
  /* Execute the launches without timing, as fast as the host can. Memory, pipes, variables, `print` and `hazard` are
   * those of any run, but no cycle is simulated: the device's time and caches do not change, and the report counts
   * instructions, not cycles. `cycle_limit` then limits the instructions of each warp. Not together with `event`,
   * `check`, `trace`, `page` and `timeline`. */
  bool functional;
  /* Receives a timeline with events of all kinds (.wtl, docs/timeline-format.md), piece by piece during the run. Its
   * cycles are the device's, like those of ww_event. For a new device, a replay and a launch file they count from 0,
   * and the bytes are those of `--timeline FILE.wtl`. The timeline is complete when the call returns WW_OK; until then
   * it is valid up to its last block. */
  ww_sink timeline;
  /* Threads that step the compute units, including the caller's, at most WW_THREADS; 0: as many as help. The result
   * does not depend on it. Replays, launches with pipes, and runs with `event`, `check`, `trace`, `page` or `timeline`
   * use one thread. */
  uint32_t threads;
} ww_watch;

enum { WW_THREADS = 64 };

enum { WW_TOGETHER = 8 /* most launches that run at once */ };

/* Runs `count` launches at once (1 to WW_TOGETHER) until all have ended. They begin in the same cycle and share the
 * machine. `watch` and `report` may be NULL. An error message about a launch begins with its kernel. Only one of the
 * programs that run at once may have program-scope variables; else WW_UNSUPPORTED. */
WW_API ww_status ww_run(ww_device *device, ww_launch *const *launches, size_t count, const ww_watch *watch,
                        ww_report **report, ww_error *error);

/* ---- report ---------------------------------------------------------------------------------------------------- */

WW_API ww_report *ww_report_ref(ww_report *report);
WW_API void ww_report_unref(ww_report *report);

/* Whether all launches finished: no deadlock, no cycle limit. */
WW_API bool ww_report_finished(const ww_report *report);

/* How a launch ended: the value of "launches[i].end". A launch that did not begin has WW_END_STOPPED. */
typedef enum ww_end { WW_END_FINISHED, WW_END_DEADLOCK, WW_END_CYCLE_LIMIT, WW_END_STOPPED } ww_end;
WW_API ww_end ww_report_end(const ww_report *report, size_t launch);

/* The device's cycle in which a launch of the report began. Cycles inside reports count from there. */
WW_API uint64_t ww_report_start(const ww_report *report, size_t launch);

/* Cycles that a launch took: the value of "launches[i].cycles", without the cost of making the JSON report. */
WW_API uint64_t ww_report_cycles(const ww_report *report, size_t launch);

/* Hazard i of a report, of all its launches, as watch->hazard() was called with it. False if there are not so many.
 * Texts live as long as the report. */
WW_API bool ww_report_hazard(const ww_report *report, size_t i, ww_hazard *hazard);

/* A number or text of the JSON report by its key (docs/report.md): "launches[0].cycles",
 * "launches[0].lds.conflict_cycles", "launches[0].end". False if there is none of that type, or out of memory. *unit is
 * "" if the number has none; `unit` may be NULL. Booleans are numbers. Texts and units live as long as the report. */
WW_API bool ww_report_number(const ww_report *report, const char *key, double *value, const char **unit);
WW_API bool ww_report_text(const ww_report *report, const char *key, const char **text);
/* The number of elements of a list or members of an object; 0 for other values. */
WW_API size_t ww_report_count(const ww_report *report, const char *key);
/* The name of member i of an object; the key "" is the report itself. NULL if there is none. */
WW_API const char *ww_report_member(const ww_report *report, const char *key, size_t i);

typedef enum ww_form {
  WW_TEXT,   /* like `warpwait run --why=no`; for a report of ww_report_why(), like `warpwait run` */
  WW_JSON,   /* docs/report.md */
  WW_SOURCE, /* the source with its costs in the margin; WW_UNSUPPORTED for a run without timing */
  WW_CHECK,  /* hazards, like `warpwait check`; needs a run with ww_watch.check, else WW_UNSUPPORTED */
  WW_SARIF,  /* hazards for tools that review code; needs a run with ww_watch.check, else WW_UNSUPPORTED */
  WW_HTML,   /* a page for a browser; needs a run with ww_watch.page, else WW_UNSUPPORTED */
} ww_form;
WW_API ww_status ww_report_write(const ww_report *report, ww_form form, ww_sink sink, ww_error *error);

/* ---- trace ----------------------------------------------------------------------------------------------------- */

/* What the warps of a run did, without its data. It can be replayed on any machine. */
typedef struct ww_trace ww_trace;

/* Opens a trace; the bytes are copied. `salvage`: of a damaged trace, keep what is intact. */
WW_API ww_status ww_trace_open(ww_context *context, ww_bytes bytes, bool salvage, ww_trace **trace, ww_error *error);
WW_API ww_trace *ww_trace_ref(ww_trace *trace);
WW_API void ww_trace_unref(ww_trace *trace);

/* The machine on which the trace was recorded; a new reference. */
WW_API ww_status ww_trace_machine(const ww_trace *trace, ww_machine **machine, ww_error *error);

/* Replays the trace on `machine` (NULL: the recording's), from cycle 0 with empty caches. The report is that of a run
 * there, except that parameters isa.* are the recording's: the code in the trace was compiled for them. WW_UNSUPPORTED
 * if the other machine would run other code or other work-groups. `check`, `trace` and `functional` of the watch are
 * not allowed, because a trace has no data. */
WW_API ww_status ww_trace_replay(const ww_trace *trace, const ww_machine *machine, const ww_watch *watch,
                                 ww_report **report, ww_error *error);

/* ---- launch files ---------------------------------------------------------------------------------------------- */

/* Runs a launch file (docs/launch.md) from its text. `name` of the bytes is its path, from which relative paths in it
 * are resolved. `machine` NULL: the machine that the file names; otherwise `machine` is used unchanged and the file's
 * `set` is ignored. With `verify`, results are compared with what the file expects: *passed is true if the launches
 * finished and every comparison passed. `passed` may be NULL. */
WW_API ww_status ww_file_run(ww_context *context, ww_bytes launch_file, const ww_machine *machine,
                             const ww_watch *watch, bool verify, bool *passed, ww_report **report, ww_error *error);

#ifdef __cplusplus
}
#endif

#endif
