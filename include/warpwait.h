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
 * Objects are opaque and reference-counted. A function that makes one stores it at its `ww_x **` with one reference,
 * which is the caller's, and stores NULL if it fails. ww_x_ref() adds a reference, ww_x_unref() gives one up; both take
 * NULL. An object keeps alive what it is made of: a launch its device and program, a device its machine.
 *
 * Errors. A function that can fail returns a ww_status and fills *error unless `error` is NULL. Arguments that are NULL
 * without being allowed to are WW_BAD_INPUT. After WW_NO_MEMORY all that the call had taken is free again, and the next
 * call works; a run that ended so may have written to buffers, pipes and program-scope variables, and the device has
 * forgotten what its caches held. What goes wrong inside the simulated machine (a hazard, a deadlock, the cycle limit)
 * is no error: the report says so.
 *
 * Threads. A context, machine, program, report and trace never change, and any number of threads may use them at once.
 * A device, with its buffers, pipes, images and launches, belongs to one thread at a time, except that buffers, pipes
 * and images may be made, and all objects given up, by any thread at any time, during a run too. Different devices are
 * independent.
 *
 * A forked process has copies of all objects. It may use those that never change, and a device and what belongs to it
 * unless another thread was in a call with one of these at the fork.
 *
 * Callbacks return: they neither throw nor longjmp() past the library, and call it only where it says so.
 *
 * The library prints nothing, never ends the process, starts no process but the compiler (clang and llvm-spirv, for
 * OpenCL C), and leaves signals, locale and environment alone. jansson has one allocator for the whole process, which
 * the library sets unless somebody has set another; for everyone else it stays malloc().
 *
 * Units. Times are cycles of the compute units' clock, sizes are bytes, NDRanges are work-items. Messages count
 * arguments from 1, as people do.
 *
 * Compatibility. Structures of options, which a caller fills and hands over by pointer (ww_options, ww_parameter,
 * ww_build, ww_image_format, ww_shape, ww_watch, ww_work), begin with `size`, to be set to sizeof: fields may be added
 * at their end. Structures that the library returns by pointer may grow at their end, too. The others stay as they are.
 * Text is UTF-8. */
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

#define WW_VERSION_MAJOR 0
#define WW_VERSION_MINOR 1
#define WW_VERSION_PATCH 0
#define WW_VERSION ((WW_VERSION_MAJOR << 16) | (WW_VERSION_MINOR << 8) | WW_VERSION_PATCH)

/* The version of the library that runs, as WW_VERSION has it. */
WW_API uint32_t ww_version(void);

/* ---- errors ---------------------------------------------------------------------------------------------------- */

typedef enum ww_status {
  WW_OK = 0,
  WW_BAD_INPUT,   /* an argument, a text, a file or a program that is not legal */
  WW_NO_MEMORY,   /* memory ran out */
  WW_CANCELLED,   /* a callback ended the work */
  WW_UNSUPPORTED, /* legal, but not modelled */
  WW_DEFECT,      /* an invariant of the library is broken: please report it. Else as WW_NO_MEMORY */
} ww_status;

/* What is wrong. `text` is one line that says it all: where, what, and what is legal. The other fields repeat the place
 * for tools: "" and 0 when there is none. A longer text is cut. After WW_OK all of it is "" and 0. */
typedef struct ww_error {
  ww_status status;
  uint32_t line, column; /* from 1 */
  char file[256];
  char key[128]; /* a parameter ("dma.channels") or a place in a JSON file ("launches[0].args[2]") */
  char text[640];
} ww_error;

/* "bad input", ...: never NULL. */
WW_API const char *ww_status_name(ww_status status);

/* ---- bytes in, bytes out --------------------------------------------------------------------------------------- */

/* Bytes that the caller keeps until the call returns. `name` stands for them in messages and reports, and has no
 * control characters; NULL: a usual one. `data` need not end with a zero byte. */
typedef struct ww_bytes {
  const void *data;
  size_t size;
  const char *name;
} ww_bytes;

static inline ww_bytes ww_text(const char *text) {
  ww_bytes bytes = {text, text ? strlen(text) : 0, NULL};
  return bytes;
}

/* Takes bytes, piece by piece, in the thread of the call. False ends the call with WW_CANCELLED. */
typedef struct ww_sink {
  bool (*write)(void *self, const void *data, size_t size);
  void *self;
} ww_sink;

/* ---- context --------------------------------------------------------------------------------------------------- */

typedef struct ww_context ww_context;

/* NULL: what the environment variable in brackets says, else the default. */
typedef struct ww_options {
  uint32_t size;
  const char *cache;      /* folder for compiled OpenCL C [WARPWAIT_CACHE]; "": keep nothing. Default:
                             $XDG_CACHE_HOME/warpwait or ~/.cache/warpwait */
  const char *clang;      /* [WARPWAIT_CLANG]; default: clang-15 */
  const char *llvm_spirv; /* [WARPWAIT_LLVM_SPIRV]; default: llvm-spirv-15 */
  const char *temporary;  /* in it each build has a folder while the compiler runs [TMPDIR]; default: /tmp */
} ww_options;

/* What programs are built with. `options` may be NULL. */
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
  const char *unit;          /* "cycles"; "" of a choice */
  const char *text;          /* one sentence */
  const char *choices;       /* words with blanks between; NULL: a number */
  const char *usual;         /* the default, as a word */
  uint64_t minimum, maximum; /* of a number, both legal */
} ww_parameter;

/* Fills *parameter, whose `size` is set, with row i. False when there are not so many. */
WW_API bool ww_parameter_at(size_t i, ww_parameter *parameter);

/* Names of the built-in machines: "teaching", "h200", ... NULL when i is not below the count. */
WW_API const char *ww_preset_at(size_t i);

/* A built-in machine by its name, or an INI file by its path (with a '/' or an extension). */
WW_API ww_status ww_machine_load(ww_context *context, const char *name, ww_machine **machine, ww_error *error);

/* A machine from the text of an INI file (docs/parameters.md). A `base` that it names is a built-in machine or a file.
 */
WW_API ww_status ww_machine_parse(ww_context *context, ww_bytes ini, ww_machine **machine, ww_error *error);

/* A copy of `machine` with parameters changed: `count` words "key=value", in order. Reports say what was changed. */
WW_API ww_status ww_machine_with(const ww_machine *machine, const char *const *changes, size_t count,
                                 ww_machine **changed, ww_error *error);

WW_API ww_machine *ww_machine_ref(ww_machine *machine);
WW_API void ww_machine_unref(ww_machine *machine);

/* The preset's or the file's name, without folder and extension. */
WW_API const char *ww_machine_name(const ww_machine *machine);

/* A parameter's value; of a choice, its index. `word` gets it as text, as ww_machine_with() takes it. Either may be
 * NULL. */
enum { WW_WORD = 32 };
WW_API ww_status ww_machine_value(const ww_machine *machine, const char *key, uint64_t *value, char word[WW_WORD],
                                  ww_error *error);

/* ---- program --------------------------------------------------------------------------------------------------- */

/* A program of the kernel ISA, built for any machine. */
typedef struct ww_program ww_program;

/* A specialization constant of SPIR-V, by its SpecId, and its value: of a boolean one byte. */
typedef struct ww_constant {
  uint32_t id;
  const void *value;
  size_t size;
} ww_constant;

typedef struct ww_build {
  uint32_t size;
  const char
      *options;       /* of OpenCL C, as clBuildProgram() takes them: "-DN=4 -cl-std=CL2.0 -I 'a folder'"; NULL: none */
  const char *route;  /* through LLVM: "ssa" (default), "O0", "O2" */
  const char *copies; /* what becomes of asynchronous copies: "machine" (default) or "loop" */
  uint32_t registers; /* most registers a lane, 16 to 255; 0: 255 */
  ww_sink log;        /* gets what clang says, warnings too, as it words it; also if the build fails */
  const ww_bytes *headers; /* OpenCL C that #include finds by these names, relative paths; before any folder */
  size_t header_count;
  bool (*go_on)(void *self); /* asked ten times a second while the compiler runs; false: WW_CANCELLED. NULL: always */
  void *self;                /* of go_on */
  const ww_constant *constants; /* of SPIR-V: values in place of those in the module */
  size_t constant_count;
  const char *optimize; /* how much: "0" (code near the source) to "3"; NULL: "2", or "0" with -cl-opt-disable */
  const char *without;  /* passes of the compiler that are left out: "unroll,hoist"; NULL: none */
  bool checked; /* as `warpwait check` compiles, for launches with ww_watch.check: at level 0 unless `optimize` says
                 * otherwise, with accesses whose value nobody uses, and loops as they are written */
} ww_build;

/* Bytes that the value of a specialization constant of SPIR-V takes; 0: there is no such constant in it. */
WW_API size_t ww_constant_bytes(ww_bytes spirv, uint32_t id);

/* Builds a program of OpenCL C text, SPIR-V words (any byte order), assembly or an object file (.wwo): what it is shows
 * in its first bytes. `build` may be NULL. OpenCL C needs clang and llvm-spirv. A kernel that cannot be translated is
 * no error as long as there is another one: see ww_kernel.refused. */
WW_API ww_status ww_program_build(ww_context *context, ww_bytes source, const ww_build *build, ww_program **program,
                                  ww_error *error);
/* A program of several translation units. ww_unit_compile() compiles one, of OpenCL C or SPIR-V that may call what
 * another one has, into LLVM bitcode for the sink; ww_program_link() makes the program. `copies`, `registers`,
 * `optimize`, `without`, `checked` and `route` of the build are the link's; headers are the units'. Needs clang and
 * llvm-spirv. */
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
  const char *name, *type; /* as in the source; as assembly's .arg has it: "global", "u32", "f32x4", ... */
  ww_argument_kind kind;
  uint32_t bytes;                              /* of a value */
  const char *source_type, *source_qualifiers; /* as OpenCL C has them: "float4*", "restrict const"; NULL: not known */
  bool constant;                               /* a buffer in constant memory */
  const char *access; /* of a pipe or image: "read_only", "write_only" or, of an image, "read_write"; NULL: not known */
  const char *image;  /* the kind of image that it wants: "2d", ...; NULL: none */
} ww_argument;

/* Strings and lists live as long as the program. */
typedef struct ww_kernel {
  const char *name;
  const char *refused; /* why it cannot be run, in a line; NULL: it can. The rest is 0 then */
  size_t argument_count;
  uint32_t registers;         /* a lane's */
  uint32_t lds_bytes;         /* a work-group's, without local arguments */
  uint32_t private_bytes;     /* a lane's */
  uint32_t spilled;           /* 32-bit words of these that registers were spilled to */
  uint32_t required_local[3]; /* reqd_work_group_size; 0 0 0: any */
  const char *attributes;     /* of OpenCL C: "reqd_work_group_size(8,1,1)"; "": none */
  bool uniform_groups;        /* the local size must divide the global one */
} ww_kernel;

WW_API size_t ww_program_kernel_count(const ww_program *program);
/* Bytes of program-scope variables, without constant ones. */
WW_API size_t ww_program_variable_bytes(const ww_program *program);
/* Channels (cl_intel_channels), elements of arrays counted. Kernels that they connect are for one ww_run(): a launch
 * that waits for a packet, or for room, which only a later run would bring, is a deadlock. */
WW_API size_t ww_program_channels(const ww_program *program);
/* Kernels that run along with every run of the program's others (autorun), and count among its WW_TOGETHER launches. */
WW_API size_t ww_program_autoruns(const ww_program *program);
/* NULL when i is not below the count. */
WW_API const ww_kernel *ww_program_kernel_at(const ww_program *program, size_t i);

/* An argument of the kernel; NULL when i is not below its count. */
WW_API const ww_argument *ww_kernel_argument(const ww_kernel *kernel, size_t i);

/* The kernel of that name; NULL there: the only one. One that was refused is WW_BAD_INPUT. */
WW_API ww_status ww_program_kernel(const ww_program *program, const char *name, const ww_kernel **kernel,
                                   ww_error *error);

typedef enum ww_program_form {
  WW_PROGRAM_OBJECT,   /* .wwo: ww_program_build() takes it */
  WW_PROGRAM_ASSEMBLY, /* .wws: likewise */
  WW_PROGRAM_SPIRV,    /* of OpenCL C and SPIR-V; else WW_UNSUPPORTED */
} ww_program_form;
WW_API ww_status ww_program_write(const ww_program *program, ww_program_form form, ww_sink sink, ww_error *error);

/* ---- device, buffers, pipes, images ---------------------------------------------------------------------------- */

/* A machine at work, with memory. Simulated time, the contents of memory, of caches and of program-scope variables go
 * on from run to run. A run that does not finish (a deadlock, the cycle limit, cancelled) leaves caches empty. One
 * without timing (ww_watch.functional) begins and ends in the same cycle. */
typedef struct ww_device ww_device;
typedef struct ww_buffer ww_buffer;
typedef struct ww_pipe ww_pipe;
typedef struct ww_image ww_image;

WW_API ww_status ww_device_new(ww_machine *machine, ww_device **device, ww_error *error);
WW_API ww_device *ww_device_ref(ww_device *device);
WW_API void ww_device_unref(ww_device *device);

/* The cycle in which the next run starts: 0 of a new device. */
WW_API uint64_t ww_device_now(const ww_device *device);
WW_API ww_machine *ww_device_machine(const ww_device *device); /* no new reference */

/* Records all runs of the device from now on as one trace (.wwt). The sink gets it piece by piece, during runs and
 * until ww_device_record_end(), under the rules for ww_watch's callbacks. A replay (ww_trace_replay()) takes the cycles
 * that the runs take; for that, caches are empty when the recording begins. Runs without timing are left out. The
 * recording ends early with a run that does not finish, and before one that a trace cannot hold: a name is not UTF-8,
 * a pipe has the place of one that was given up, or there have been more than 4096 images. Runs go on all the same,
 * also when the sink takes no more. Meanwhile `check` and `trace` of ww_watch are refused. */
WW_API ww_status ww_device_record(ww_device *device, ww_sink sink, ww_error *error);
/* Ends the recording: the sink gets the rest of the trace. WW_UNSUPPORTED if the trace is whole but lacks runs, or has
 * none: the message names the last launch and the reason. There is no trace with WW_CANCELLED (the sink took no more)
 * and WW_NO_MEMORY (also because memory ran out in an earlier run). A device that is given up while it is recorded
 * leaves a trace without an end. */
WW_API ww_status ww_device_record_end(ww_device *device, ww_error *error);

/* Global memory of `bytes` bytes, zeroed, at least 1. `name` (at most 63 bytes; NULL: "buffer") is for reports. A
 * device has at most 4096 buffers, pipes and images, all within WW_DEVICE_BYTES. */
#define WW_DEVICE_BYTES (UINT64_C(1) << 40)
WW_API ww_status ww_buffer_new(ww_device *device, const char *name, uint64_t bytes, ww_buffer **buffer,
                               ww_error *error);
/* The same, but its memory is the caller's: kernels read and write `data` in place. It is neither copied nor zeroed and
 * may have any alignment; nothing beyond `bytes` is touched. Only stores of kernels write to it, so it may be read-only
 * as long as no kernel stores there. During a run of the device nobody else may write to it, nor read what kernels
 * write. The caller keeps `data` until the last reference to the buffer is gone (a launch has one while the buffer is
 * its argument) and, if a run of the device was under way then, until that ww_run() returns. Reports and traces keep
 * none of it. Of two buffers over the same bytes, a kernel may find in one what was there before it stored to the
 * other. */
WW_API ww_status ww_buffer_new_over(ww_device *device, const char *name, void *data, uint64_t bytes, ww_buffer **buffer,
                                    ww_error *error);
/* Memory of a new buffer that host and kernels find at one address: ww_buffer_address() is that of ww_buffer_data(), so
 * that pointers in it hold for both. `with` is a shared buffer of another device, whose memory this one has as well,
 * `bytes` and all; NULL: new memory. */
WW_API ww_status ww_buffer_new_shared(ww_device *device, const char *name, uint64_t bytes, const ww_buffer *with,
                                      ww_buffer **buffer, ww_error *error);
WW_API ww_buffer *ww_buffer_ref(ww_buffer *buffer);
WW_API void ww_buffer_unref(ww_buffer *buffer);

/* The buffer's bytes, to be read and written in place, but not during a run. They stay where they are. */
WW_API void *ww_buffer_data(ww_buffer *buffer);
WW_API uint64_t ww_buffer_bytes(const ww_buffer *buffer);
/* Where kernels find it: a buffer may hold the address of another one. */
WW_API uint64_t ww_buffer_address(const ww_buffer *buffer);

/* An empty FIFO of up to `packets` (1 to 2^24 - 1) packets of `packet_bytes` bytes. A device has at most 126 pipes, and
 * with the channels of a program that runs there are no more than that. */
WW_API ww_status ww_pipe_new(ww_device *device, const char *name, uint32_t packet_bytes, uint32_t packets,
                             ww_pipe **pipe, ww_error *error);
WW_API ww_pipe *ww_pipe_ref(ww_pipe *pipe);
WW_API void ww_pipe_unref(ww_pipe *pipe);

/* Packets that could be read, and packet `i` of them, the oldest first; NULL when i is not below the count. Its bytes
 * stay until the next run. */
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

/* Fills *format, whose `size` is set, with format i. False when there are not so many. */
WW_API bool ww_image_format_at(size_t i, ww_image_format *format);

/* What an image is. Sizes are texels, 1 to 2^27; 0 where the kind has none, or one. */
typedef struct ww_shape {
  uint32_t size;
  const char *kind;                      /* "1d", "1d_array", "1d_buffer", "2d", "2d_array", "3d" */
  const char *format;                    /* "rgba.unorm_int8" */
  uint32_t width, height, depth, layers; /* `layers` of arrays alone */
  uint64_t row_pitch, slice_pitch;       /* of ww_image_new_over(), bytes; 0: without gaps */
} ww_shape;

/* An image of zeros, in memory of its own where texels lie as the machine's texture.layout says. `name` NULL: "image".
 */
WW_API ww_status ww_image_new(ww_device *device, const char *name, const ww_shape *shape, ww_image **image,
                              ww_error *error);
/* An image whose texels are bytes of the buffer, row after row, from `offset` on; offset and pitches are multiples of a
 * texel's bytes. It keeps the buffer. A kernel that uses both may find in one what was there before it stored to the
 * other. */
WW_API ww_status ww_image_new_over(ww_buffer *buffer, uint64_t offset, const char *name, const ww_shape *shape,
                                   ww_image **image, ww_error *error);
WW_API ww_image *ww_image_ref(ww_image *image);
WW_API void ww_image_unref(ww_image *image);

/* Between runs: copies the texels of a region to bytes, from bytes, or fills it with a color. The region begins at x,
 * y, and slice or layer, 0 where the kind has none, and has so many texels, 1 where it has none. In the bytes, rows are
 * `row_pitch` apart and slices or layers `slice_pitch`; 0: no gaps. A color is red, green, blue and alpha: four floats,
 * or 32-bit integers if the format holds integers. */
WW_API ww_status ww_image_read(const ww_image *image, const uint32_t at[3], const uint32_t region[3], void *bytes,
                               uint64_t row_pitch, uint64_t slice_pitch, ww_error *error);
WW_API ww_status ww_image_write(ww_image *image, const uint32_t at[3], const uint32_t region[3], const void *bytes,
                                uint64_t row_pitch, uint64_t slice_pitch, ww_error *error);
WW_API ww_status ww_image_fill(ww_image *image, const uint32_t at[3], const uint32_t region[3], const void *color,
                               ww_error *error);

/* ---- launch ---------------------------------------------------------------------------------------------------- */

/* A kernel with its NDRange and arguments, which may be changed and run any number of times. */
typedef struct ww_launch ww_launch;

WW_API ww_status ww_launch_new(ww_device *device, ww_program *program, const ww_kernel *kernel, ww_launch **launch,
                               ww_error *error);
WW_API ww_launch *ww_launch_ref(ww_launch *launch);
WW_API void ww_launch_unref(ww_launch *launch);
WW_API ww_device *ww_launch_device(const ww_launch *launch); /* no new reference */

/* The NDRange, of 1 to 3 dimensions; each list has so many numbers, below 2^32, and there are at most 2^40 work-items.
 * `offset` NULL: zeros. `local` NULL: the machine chooses; it need not divide `global`, unless the program promises so.
 * What does not fit the machine, ww_run() says. */
WW_API ww_status ww_launch_range(ww_launch *launch, uint32_t dimensions, const uint64_t *offset, const uint64_t *global,
                                 const uint64_t *local, ww_error *error);

/* The size of work-groups that a run gives the launch as it is set by now: the one that was said, or the one that the
 * machine chooses. It takes all arguments, for the machine looks at what they take of the LDS. */
WW_API ww_status ww_launch_local_size(ww_launch *launch, uint64_t local[3], ww_error *error);

/* Arguments, counted from 0; setting one again replaces it. All must be set before a run. A value has the argument's
 * bytes exactly. A buffer's argument points `offset` bytes into the buffer; `buffer` NULL is the null pointer. */
WW_API ww_status ww_launch_value(ww_launch *launch, uint32_t index, const void *value, size_t size, ww_error *error);
WW_API ww_status ww_launch_buffer(ww_launch *launch, uint32_t index, ww_buffer *buffer, uint64_t offset,
                                  ww_error *error);
WW_API ww_status ww_launch_local(ww_launch *launch, uint32_t index, uint64_t bytes, ww_error *error);
WW_API ww_status ww_launch_pipe(ww_launch *launch, uint32_t index, ww_pipe *pipe, ww_error *error);
WW_API ww_status ww_launch_image(ww_launch *launch, uint32_t index, ww_image *image, ww_error *error);
/* A sampler is words in any order with commas between: "normalized"; one of "none", "clamp_to_edge", "clamp", "repeat",
 * "mirrored_repeat"; "nearest" or "linear". "": not normalized, none, nearest. */
WW_API ww_status ww_launch_sampler(ww_launch *launch, uint32_t index, const char *sampler, ww_error *error);

/* ---- run ------------------------------------------------------------------------------------------------------- */

typedef struct ww_report ww_report;

/* One thing that happened in the machine: docs/timeline-events.md has the kinds and their fields. */
typedef struct ww_event {
  uint32_t kind;     /* as ww_event_kind() counts them */
  uint32_t cu, unit; /* compute unit; warp slot, scheduler, bank, channel, ... of the kind */
  uint64_t from, to; /* cycles of the device: up to, but without, `to` */
  uint32_t launch;   /* of the run, from 0; launches that run at once share the machine, and all their events have 0 */
  uint32_t field_count;
  const uint64_t *fields;
} ww_event;

/* The number of the kind of that name ("warp", "copy", ...), or UINT32_MAX; the name of a kind, and of a field of its
 * events. NULL of a number that is not below the count. */
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
  uint64_t count; /* occurrences; the rest is of the first one */
} ww_hazard;

/* Who is told while a run goes on. Begin with = {.size = sizeof(ww_watch)}; what is NULL or 0 is not wanted. All calls
 * come in the thread of the run, and what they are handed lives until they return. They must not use the run's device
 * and launches, except to give them up, nor read and write its buffers and pipes. Watching changes no result. */
typedef struct ww_watch {
  uint32_t size;
  void *self;           /* handed to the callbacks */
  uint64_t cycle_limit; /* a launch that takes more cycles is ended; 0: 10^9, or a trace's own */
  /* Told now and then, every 100,000 cycles (or instructions, if `functional`) at least; by ww_file_run() also while
   * programs are compiled, then with zeros. False: the run ends with WW_CANCELLED, but for one that has just finished.
   */
  bool (*tick)(void *self, uint64_t now, uint64_t groups_done, uint64_t groups);
  /* Events of the kinds in `event_kinds`, a bit each; in the order in which each block tells them. */
  void (*event)(void *self, const ww_event *event);
  uint64_t event_kinds;
  /* What work-items print, after the run, by work-group, work-item and call; not ended by a zero byte. A run that fails
   * tells neither this nor hazards. */
  void (*print)(void *self, uint32_t launch, const char *text, size_t size);
  /* Hazards, after the run: those that a run finds for free; with `check` all of docs/check.md. */
  void (*hazard)(void *self, const ww_hazard *hazard);
  bool check;
  ww_sink trace; /* gets a trace of the run (.wwt), for ww_trace_open(); not together with `check` */
  bool page;     /* keep what ww_report_write() needs for WW_HTML; costs memory and time */
  /* Execute the launches without timing, as fast as the host can: memory, pipes and variables, `print` and `hazard` are
   * as of any run, but no cycle is simulated. The device's time and caches stay as they are, and the report counts
   * instructions and has no cycles. `cycle_limit` is then how many instructions a warp executes at most. Not together
   * with `event`, `check`, `trace`, `page` and `timeline`. */
  bool functional;
  /* Gets a timeline with events of all kinds (.wtl, docs/timeline-format.md), piece by piece during the run. Cycles are
   * the device's, as those of ww_event: of a new device, of a replay and of a launch file they count from 0, and the
   * bytes are what `--timeline FILE.wtl` writes. A timeline is whole once the call returns WW_OK; up to then it is
   * good up to its last block. */
  ww_sink timeline;
  /* Threads that step the compute units, with the caller's, at most WW_THREADS; 0: as many as help. The result is the
   * same with any number. A run with `event`, `check`, `trace`, `page` or `timeline`, a replay, and a launch with pipes
   * have one. */
  uint32_t threads;
} ww_watch;

enum { WW_THREADS = 64 };

enum { WW_TOGETHER = 8 /* most launches that run at once */ };

/* Runs `count` launches at once (1 to WW_TOGETHER) until all have ended. They begin in the same cycle and share the
 * machine. `watch` may be NULL, and so may `report`. Errors in a launch begin with its kernel. Of those that run at
 * once only one program may have program-scope variables: else WW_UNSUPPORTED. */
WW_API ww_status ww_run(ww_device *device, ww_launch *const *launches, size_t count, const ww_watch *watch,
                        ww_report **report, ww_error *error);

/* ---- report ---------------------------------------------------------------------------------------------------- */

WW_API ww_report *ww_report_ref(ww_report *report);
WW_API void ww_report_unref(ww_report *report);

/* All launches have finished: neither deadlock nor cycle limit. */
WW_API bool ww_report_finished(const ww_report *report);

/* The device's cycle in which a launch of the report began; reports themselves count from there. */
WW_API uint64_t ww_report_start(const ww_report *report, size_t launch);

/* Cycles that a launch took, as "launches[i].cycles" has them, but at no cost. */
WW_API uint64_t ww_report_cycles(const ww_report *report, size_t launch);

/* A number or a text of the JSON report by its key, as in docs/report.md: "launches[0].cycles",
 * "launches[0].lds.conflict_cycles", "launches[0].end". False when there is none of that kind. *unit is "" of what has
 * none; `unit` may be NULL. Truth values are numbers, too. Texts and units live as long as the report. Also false when
 * there is no memory to find out. */
WW_API bool ww_report_number(const ww_report *report, const char *key, double *value, const char **unit);
WW_API bool ww_report_text(const ww_report *report, const char *key, const char **text);
/* Elements of a list or members of an object; 0 of what is neither. */
WW_API size_t ww_report_count(const ww_report *report, const char *key);
/* The name of member i of an object; "" as the key is the report itself. NULL when there is none. */
WW_API const char *ww_report_member(const ww_report *report, const char *key, size_t i);

typedef enum ww_form {
  WW_TEXT,   /* for a person: as `warpwait run --why=no` prints it; of ww_report_why() without that option */
  WW_JSON,   /* docs/report.md */
  WW_SOURCE, /* the source with its costs in the margin; of a run without timing WW_UNSUPPORTED */
  WW_CHECK,  /* hazards, as `warpwait check` prints them; of a run with ww_watch.check, else WW_UNSUPPORTED */
  WW_SARIF,  /* the same for tools that review code; likewise */
  WW_HTML,   /* a page for a browser; of a run with ww_watch.page, else WW_UNSUPPORTED */
} ww_form;
WW_API ww_status ww_report_write(const ww_report *report, ww_form form, ww_sink sink, ww_error *error);

/* ---- trace ----------------------------------------------------------------------------------------------------- */

/* What the warps of a run did, without its data: it can be run again on any machine. */
typedef struct ww_trace ww_trace;

/* Opens a trace, of which the bytes are copied. `salvage`: of a damaged one what is whole. */
WW_API ww_status ww_trace_open(ww_context *context, ww_bytes bytes, bool salvage, ww_trace **trace, ww_error *error);
WW_API ww_trace *ww_trace_ref(ww_trace *trace);
WW_API void ww_trace_unref(ww_trace *trace);

/* The machine that it was recorded on: a new reference. */
WW_API ww_status ww_trace_machine(const ww_trace *trace, ww_machine **machine, ww_error *error);

/* Runs the trace again, on `machine` (NULL: the recording's), from cycle 0 and with empty caches. The report is that of
 * a run there, but for the machine's isa.*, which are the recording's: the trace has the code that it has.
 * WW_UNSUPPORTED when another machine would run another program, or other work-groups. `check`, `trace`
 * and `functional` of the watch are refused: a trace has no data. */
WW_API ww_status ww_trace_replay(const ww_trace *trace, const ww_machine *machine, const ww_watch *watch,
                                 ww_report **report, ww_error *error);

/* ---- launch files ---------------------------------------------------------------------------------------------- */

/* Runs a launch file (docs/launch.md) from its text. `name` of the bytes is its path: what it names is read from beside
 * it. `machine` NULL: the one that it names; else it is taken as it is, and the file's `set` is left out. What it
 * expects is checked if `verify`: *passed says whether it came out. It is false if nothing was checked; NULL: nobody
 * asks. */
WW_API ww_status ww_file_run(ww_context *context, ww_bytes launch_file, const ww_machine *machine,
                             const ww_watch *watch, bool verify, bool *passed, ww_report **report, ww_error *error);

#ifdef __cplusplus
}
#endif

#endif
