/* A job: everything that `warpwait run` needs to know, checked. It comes from a launch file (launch.h) or from the
 * command line (direct.h).
 *
 * Buffers start at ISA_GLOBAL_BASE, one after the other, each at a multiple of 4 KiB. At least 64 KiB between two
 * buffers belong to neither, so that a work-item that runs past the end of one is caught. Local arguments follow the
 * kernel's own LDS, each at a multiple of 128 bytes, the size of the widest vector. */
#ifndef SIM_LAUNCH_JOB_H
#define SIM_LAUNCH_JOB_H

#include "isa/features.h"
#include "isa/isa.h"
#include "sim/base/message.h"
#include "sim/base/reads.h"
#include "sim/core/time.h"
#include "sim/launch/printed.h"
#include "sim/launch/program.h"
#include "sim/launch/type.h"

struct machine;

#define JOB_MEMORY_BYTES (UINT64_C(4) << 30) /* most bytes of all buffers of a launch file together */
#define JOB_DEVICE_BYTES (UINT64_C(1) << 40) /* most bytes of one device of the library */
#define JOB_BUFFERS 4096                     /* most buffers: an access searches them linearly */
#define JOB_ITEMS (UINT64_C(1) << 40)        /* most work-items of a launch */
#define JOB_FILE_BYTES ((size_t)64 << 20)    /* largest launch file */

/* What the machine determines about a launch, except its local size. */
struct job_fit {
  bool lowered;            /* the program comes from OpenCL C or SPIR-V: it is compiled for the machine */
  struct isa_features isa; /* if lowered: the instructions that it uses */
  uint32_t registers;      /* per lane, of the kernel without a limit on registers */
  uint32_t fitted;         /* register limit of the second lowering; 0: lowered once */
};

struct job_launch {
  struct isa_launch isa;   /* `args` points to `args` below */
  struct program *program; /* that contains the kernel; NULL: the job's own */
  uint8_t *args;
  bool *given;            /* per argument of the kernel */
  bool local_chosen;      /* by job_add(), not by the user */
  bool refitted;          /* the program was lowered again, with fewer registers */
  size_t first, together; /* launches [first, first + together) run at once, this one among them */
  uint64_t shift;         /* of a replay: how far global memory lies above the recording's */
  cycle_t max_cycles;     /* of a replay: where the recording ended this launch; 0: the usual limit */
  struct job_fit fit;     /* by job_add(); of a replay: the recording's */
  struct printed printed;
};

/* The value of a launch argument. */
struct job_argument {
  enum {
    ARGUMENT_MISSING,
    ARGUMENT_BUFFER,
    ARGUMENT_NULL, /* address 0 */
    ARGUMENT_LOCAL,
    ARGUMENT_VALUE,
    ARGUMENT_PIPE,
    ARGUMENT_IMAGE,
    ARGUMENT_SAMPLER
  } kind;
  size_t buffer;    /* the number of a buffer, or of a pipe or an image in their own lists */
  uint32_t sampler; /* ARGUMENT_SAMPLER */
  uint64_t bytes;   /* offset in the buffer; size in the LDS; size of the value */
  const uint8_t *value;
  const char *type;     /* of the value, for messages */
  bool floating, whole; /* ARGUMENT_VALUE: the kind of its numbers; both false for raw bytes */
};

/* A launch as somebody describes it: a launch file, the command line, a program. */
struct launch {
  struct program *program; /* which outlives the job; NULL: the job's own */
  const char *kernel;
  uint32_t dimensions, global[3], local[3], offset[3]; /* global of unused dimensions: 1; local[0] 0: to be chosen */
  const struct job_argument *arguments;                /* in the kernel's order */
  size_t argument_count;
};

/* What is wrong with a launch: where its reader's message points to. */
struct launch_fault {
  enum launch_field {
    LAUNCH_KERNEL,    /* there is none of this name, or it cannot run */
    LAUNCH_FIT,       /* the kernel fits no compute unit, whatever the rest of the launch */
    LAUNCH_ARGUMENTS, /* one is missing */
    LAUNCH_ARGUMENT,
    LAUNCH_GLOBAL,
    LAUNCH_LOCAL,
    LAUNCH_OFFSET
  } field;
  size_t argument; /* LAUNCH_ARGUMENT: its number, from 0 */
};
extern const char *const launch_field_names[]; /* the keys of launch files */

enum check_mode { CHECK_EXACT, CHECK_TOLERANCE, CHECK_MULTISET, CHECK_ELEMENTS };

struct job_check {
  enum check_mode mode;
  size_t buffer;                 /* of a pipe: the packets left in it */
  const struct isa_image *image; /* compare this image's packed bytes; NULL: no image */
  uint8_t *expected;             /* as large as the buffer; NULL unless checks were requested */
  uint64_t expected_bytes;       /* of a pipe: any number of packets */
  struct type type;              /* CHECK_TOLERANCE, CHECK_ELEMENTS */
  bool by_abs, by_rel, by_ulp;
  double abs, rel;
  uint64_t ulp;
  uint64_t packet;     /* CHECK_MULTISET: bytes */
  uint32_t components; /* CHECK_ELEMENTS: a bit per component to compare */
};

/* Replaces parts of what the launch file or the command line says, in every launch to which they apply. */
struct job_change {
  const char *argument, *word;            /* the numeric argument of this name gets this value; NULL: none does */
  uint32_t lds_times, lds_over;           /* scales local arguments by times / over; times 0: unchanged */
  uint32_t local_times[3], local_over[3]; /* scales the local size the same way; over 0: unchanged */
  uint32_t global_over;                   /* divides the first global size; 0: unchanged */
  uint32_t groups;                        /* work-groups of a one-dimensional launch; 0: unchanged */
};

/* Where the warps' operations come from. */
enum job_origin { JOB_EXECUTED, JOB_RECORDED, JOB_IMPORTED /* another simulator's trace */ };

struct job {
  enum job_origin origin;
  const struct job_change *change;        /* NULL: none */
  char *file;                             /* the launch file or kernel, as named by the user */
  char *name;                             /* the launch file's "name", or NULL */
  struct machine *machine, *machine_file; /* as it runs; as in its file, before any settings; NULL: not read yet */
  char **sets;                            /* "key=value", from the launch file's `set` */
  size_t set_count;
  struct program_build build;
  struct reads reads; /* of a job made in parallel with others: see job_reads() */
  struct program program;
  struct isa_program **refitted; /* of a replay: the programs of launches other than the first one */
  size_t refitted_count;
  struct isa_memory memory;
  struct type *elements; /* per buffer */
  struct job_launch *launches;
  size_t launch_count;
  struct job_check *checks;
  size_t check_count;
  char **diagnostics; /* rules, at least one of which must be reported; empty: none is required */
  size_t diagnostic_count;
};

void job_free(struct job *job);

/* Replaces the job's machine, and that of its file (NULL: leaves it). */
void job_set_machine(struct job *job, const struct machine *machine, const struct machine *file);

/* Gives an empty job its own copy of the permissions `reads`: threads that make jobs at the same time must not share a
 * list. NULL, which allows every file, when `reads` is NULL. */
struct reads *job_reads(struct job *job, const struct reads *reads);

static inline const struct program *job_program(const struct job *job, const struct job_launch *launch) {
  return launch->program ? launch->program : &job->program;
}

void job_say_set(struct job *job, const char *key, const char *value);

/* Bytes of program-scope variables and channels, of the program that needs most. */
uint64_t job_variable_bytes(const struct job *job);

/* If the program has program-scope variables, adds them as an unnamed buffer after all others, and its channels as
 * pipes in that buffer. If they exist already, resets them to their initial values. */
bool job_variables(struct job *job, struct message *message);

/* Adds a zeroed buffer. Its number is job->memory.count - 1. */
bool job_buffer(struct job *job, const char *name, uint64_t bytes, struct type element, struct message *message);

/* Does it have pipes, or channels? job_variables() adds the channels' pipes. */
bool job_has_pipes(const struct job *job);

/* Adds an empty pipe. Its buffer is hidden from job_find_buffer(). */
bool job_pipe(struct job *job, const char *name, uint32_t packet_size, uint32_t max_packets, struct message *message);

/* Finds a pipe by name; when there is none, the message suggests the nearest name. */
bool job_find_pipe(const struct job *job, const char *name, size_t *pipe, struct message *message);

/* The pipe in this buffer, or NULL. */
const struct isa_pipe *job_pipe_of(const struct job *job, size_t buffer);

/* A hash of the contents of buffers and images, for comparing two runs. It leaves out program-scope variables, which
 * belong to the kernel, and pipes, whose packets may lie anywhere in their buffer. */
uint64_t job_hash_buffers(const struct job *job);

/* The packets that a kernel could read now, oldest first; the caller frees them. */
uint8_t *job_packets(const struct isa_pipe *pipe, uint64_t *bytes);

/* Finds a buffer by name; when there is none, the message suggests the nearest name. */
bool job_find_buffer(const struct job *job, const char *name, size_t *buffer, struct message *message);

enum job_fill { FILL_ZERO, FILL_IOTA, FILL_RANDOM };
extern const char *const job_fill_names[3];

/* Fills a buffer. FILL_IOTA sets every component of element i to i. FILL_RANDOM is pseudo-random (integers: all values;
 * floating point: [0, 1)), and the same seed gives the same values on every host. Both need a whole number of
 * elements. */
bool job_fill(struct job *job, size_t buffer, enum job_fill fill, uint64_t seed, struct message *message);

/* Checks a launch and appends it to job->launches: all launches that run come through here. Chooses the local size if
 * local[0] is 0. Lowers the program again if the machine has other instructions, or too few registers. */
bool job_add(struct job *job, const struct launch *launch, struct launch_fault *fault, struct message *message);

/* Makes the launches from `first` to the last run at once, and adds those of autorun kernels. False when the code shows
 * that two of them write, or read, the same pipe; *launch is then the later one. */
bool job_together(struct job *job, size_t first, size_t *launch, struct message *message);

/* Does the argument's kind and size match the kernel's parameter? */
bool job_argument_fits(const struct isa_arg *arg, const struct job_argument *argument, struct message *message);

/* Can a recorded launch be replayed on job->machine? It can if a run on that machine would have the same work-groups
 * and the same program. */
bool job_fits(const struct job *job, const struct job_launch *launch, struct message *message);

#endif
