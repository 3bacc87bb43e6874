/* A job: everything that `warpwait run` needs to know, checked. It comes from a launch file
 * (launch.h) or from the command line (direct.h).
 *
 * Buffers lie one after the other from ISA_GLOBAL_BASE, each at a multiple of 4 KiB, with at least
 * 64 KiB between two that belong to nobody, so that a work-item that runs over the end of one is
 * found out. Local arguments follow the kernel's own LDS, each at a multiple of 128 bytes, the size
 * of the widest vector. */
#ifndef SIM_SESSION_JOB_H
#define SIM_SESSION_JOB_H

#include "isa/pipe.h"
#include "models/simulation.h"
#include "sim/base/message.h"
#include "sim/base/reads.h"
#include "sim/session/printed.h"
#include "sim/session/program.h"
#include "sim/session/type.h"

#define JOB_MEMORY_BYTES (UINT64_C(4) << 30) /* most bytes that all buffers of a launch file may have together */
#define JOB_DEVICE_BYTES (UINT64_C(1) << 40) /* most bytes that a device of the library has */
#define JOB_BUFFERS 4096                     /* most buffers: accesses look for theirs one by one */
#define JOB_ITEMS (UINT64_C(1) << 40)        /* most work-items of a launch */
#define JOB_FILE_BYTES ((size_t)64 << 20)    /* largest launch file */

/* What the machine has decided of a launch besides its local size. */
struct job_fit {
  bool lowered;            /* the program comes from OpenCL C or SPIR-V: it is made for the machine */
  struct isa_features isa; /* for these instructions, if it was lowered */
  uint32_t registers;      /* a lane's, of the kernel without a bound to them */
  uint32_t fitted;         /* for how many it was lowered again; 0: it was not */
};

struct job_launch {
  struct isa_launch isa;   /* `args` points to `args` below */
  struct program *program; /* whose kernel it is; NULL: the job's own */
  uint8_t *args;
  bool *given;            /* per argument of the kernel */
  bool local_chosen;      /* by job_ready(), not by the user */
  bool refitted;          /* the program was lowered again, for fewer registers */
  size_t first, together; /* it runs at once with others: launches [first, first + together), itself among them */
  uint64_t shift;         /* of a replay: global memory lies so much higher than in the recording */
  cycle_t max_cycles;     /* of a replay: the recording ended it there; 0: as all launches */
  struct job_fit fit;     /* by job_ready(); of a replay: what was so in the recording */
  struct printed printed;
};

/* What an argument of a launch is given. */
struct job_argument {
  enum {
    ARGUMENT_BUFFER,
    ARGUMENT_NULL, /* address 0 */
    ARGUMENT_LOCAL,
    ARGUMENT_VALUE,
    ARGUMENT_PIPE,
    ARGUMENT_IMAGE,
    ARGUMENT_SAMPLER
  } kind;
  size_t buffer;    /* the number of a buffer, or of a pipe or an image among these */
  uint32_t sampler; /* ARGUMENT_SAMPLER */
  uint64_t bytes;   /* offset in the buffer; size in the LDS; size of the value */
  const uint8_t *value;
  const char *type;     /* of the value, for messages */
  bool floating, whole; /* ARGUMENT_VALUE: numbers of that kind; neither for bytes */
};

/* A typed value at `bytes`; `name` is the type's. */
static inline struct job_argument job_value(struct type type, const uint8_t *bytes, const char *name) {
  return (struct job_argument){.kind = ARGUMENT_VALUE,
                               .bytes = type_size(type),
                               .value = bytes,
                               .type = name,
                               .floating = type.kind == TYPE_FLOATING,
                               .whole = type.kind != TYPE_FLOATING};
}

enum check_mode { CHECK_EXACT, CHECK_TOLERANCE, CHECK_MULTISET, CHECK_ELEMENTS };

struct job_check {
  enum check_mode mode;
  size_t buffer;                 /* of a pipe: the packets that are left in it */
  const struct isa_image *image; /* the buffer is this one's: its packed bytes; else NULL */
  uint8_t *expected;             /* as many bytes as the buffer; NULL unless checks were asked for */
  uint64_t expected_bytes;       /* of a pipe: any number of packets */
  struct type type;              /* CHECK_TOLERANCE, CHECK_ELEMENTS */
  bool by_abs, by_rel, by_ulp;
  double abs, rel;
  uint64_t ulp;
  uint64_t packet;     /* CHECK_MULTISET: bytes */
  uint32_t components; /* CHECK_ELEMENTS: a bit per component that counts */
};

/* What is run in place of what the launch file or the command line says: of each launch that it fits. */
struct job_change {
  const char *argument, *word;            /* the argument of that name, one number, is this; NULL: none */
  uint32_t lds_times, lds_over;           /* local arguments have so many times their bytes, over so many; 0: as said */
  uint32_t local_times[3], local_over[3]; /* likewise the work-items of a work-group, in each dimension */
  uint32_t global_over;                   /* work-items of the first dimension, over so many; 0: as said */
  uint32_t groups;                        /* work-groups of a launch of one dimension; 0: as said */
};

struct job {
  const struct job_change *change;      /* NULL: nothing is otherwise */
  char *file;                           /* the launch file or kernel, as named by the user */
  char *name;                           /* of the launch file's "name", or NULL */
  struct machine machine, machine_file; /* as it runs; as its file has it, before any `set` */
  char **sets;                          /* "key=value": what the launch file's `set` says */
  size_t set_count;
  struct program_build build;
  struct reads reads; /* of a job that is made beside others: see job_reads() */
  struct program program;
  struct isa_program **refitted; /* of a replay: the programs that launches ran besides the first */
  size_t refitted_count;
  struct isa_memory memory;
  struct type *elements; /* per buffer */
  struct job_launch *launches;
  size_t launch_count;
  struct job_check *checks;
  size_t check_count;
  char **diagnostics; /* rules of which one must be reported; none if there are none */
  size_t diagnostic_count;
};

void job_free(struct job *job);

/* What an empty job may read, for a request that leaves `reads` as it is: jobs that are made at the same time, in
 * several threads, must not share a list. NULL when `reads` is, which allows all. */
struct reads *job_reads(struct job *job, const struct reads *reads);

static inline const struct program *job_program(const struct job *job, const struct job_launch *launch) {
  return launch->program ? launch->program : &job->program;
}

void job_say_set(struct job *job, const char *key, const char *value);

/* Bytes of program-scope variables and channels: those of the program that has most of them. */
uint64_t job_variable_bytes(const struct job *job);

/* Adds program-scope variables, if the program has any, as a buffer that nobody can name: after all others; and its
 * channels, as pipes in it. When they are there already, they are again as they began. */
bool job_variables(struct job *job, struct message *message);

/* Adds a zeroed buffer. Its number is job->memory.count - 1. */
bool job_buffer(struct job *job, const char *name, uint64_t bytes, struct type element, struct message *message);

/* Pipes, or channels of its program, which come with job_variables(). */
bool job_has_pipes(const struct job *job);

/* Adds an empty pipe, as a buffer that only the functions below find. */
bool job_pipe(struct job *job, const char *name, uint32_t packet_size, uint32_t max_packets, struct message *message);

/* The number of a pipe, or false with the nearest name in the message. */
bool job_find_pipe(const struct job *job, const char *name, size_t *pipe, struct message *message);

/* The pipe that a buffer is, or NULL. */
const struct isa_pipe *job_pipe_of(const struct job *job, size_t buffer);

/* A hash of what the buffers hold: after runs that leave the same, the same. Program variables are the kernel's own
 * affair, and so is where a pipe keeps what. */
uint64_t job_hash_buffers(const struct job *job);

/* The packets that could be read, oldest first; the caller frees them. */
uint8_t *job_packets(const struct isa_pipe *pipe, uint64_t *bytes);

/* The number of a buffer, or false with the nearest name in the message. */
bool job_find_buffer(const struct job *job, const char *name, size_t *buffer, struct message *message);

enum job_fill { FILL_ZERO, FILL_IOTA, FILL_RANDOM };
extern const char *const job_fill_names[3];

/* Fills a buffer, which must hold whole elements unless with zeros: counting 0, 1, 2, ... per component, or
 * pseudo-random (integers: all values; floating point: [0, 1)), the same for the same seed everywhere. */
bool job_fill(struct job *job, size_t buffer, enum job_fill fill, uint64_t seed, struct message *message);

/* Starts a launch of `kernel`, of the job's own program or (NULL: of that) another, which outlives the job; it becomes
 * the last of job->launches. */
bool job_launch(struct job *job, struct program *program, const char *kernel, struct message *message);

/* Says that launches from `first` to the last run at once, and adds those of autorun kernels. False when
 * two of them write one pipe, or read one, as far as their code shows it; *launch is then the later one. */
bool job_together(struct job *job, size_t first, size_t *launch, struct message *message);

/* Whether what an argument is given is of its kind, and as large. */
bool job_argument_fits(const struct isa_arg *arg, const struct job_argument *argument, struct message *message);

/* Gives argument `index` of the last launch its value, checked against the kernel's. */
bool job_argument(struct job *job, size_t index, const struct job_argument *argument, struct message *message);

/* Says that there is no such kind of argument, which one may be meant, and what is legal; returns false. */
bool job_refuse_kind(const char *word, struct message *message);

/* Checks the last launch's NDRange and arguments together and against the machine; local[0] = 0
 * asks for a local size to be chosen. A program is lowered again for a machine with other instructions, or with too few
 * registers. On failure
 * *field names what is wrong: "global", "args", or "kernel" when no NDRange and no arguments could make it right. */
bool job_ready(struct job *job, const char **field, struct message *message);

/* Whether a recorded launch can be on job->machine what a run would have there: the same work-groups, of the same
 * program. */
bool job_fits(const struct job *job, const struct job_launch *launch, struct message *message);

#endif
