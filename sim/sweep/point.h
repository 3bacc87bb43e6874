/* What the words of a plan mean: from a point to a machine and a launch.
 *
 *     machine             a preset, or a file beside the sweep file
 *     GROUP.NAME          a parameter of the machine, as --set has it
 *     define.NAME         -D NAME=WORD, for OpenCL C
 *     arg.NAME, arg.2     the argument of that name, or the second one: of each launch that has it
 *     launch.2.arg.NAME   of the second launch alone
 *
 * A vector's word is 1:2:3:4, its components.
 *
 * The same words name axes, each with its values, and settings, each with its one. A point's machine is the base (the
 * word of `machine`, else the plan's, else that of the launch file or of the recording) with what the launch file sets,
 * then with the settings, then with the point's own parameters: `warpwait run --machine BASE --set ...` has the same.
 *
 * Invariant: every word of every axis and setting is checked before the first point is run. What only shows of several
 * together (machine_check(), what the compiler says, a work-group that does not fit) is the point's own matter.
 *
 * Not modelled: axes over buffers, pipes and NDRanges; whoever wants them writes several launch files. */
#ifndef SIM_SWEEP_POINT_H
#define SIM_SWEEP_POINT_H

#include "sim/replay/job.h"
#include "sim/sweep/plan.h"

enum sweep_kind { SWEEP_MACHINE, SWEEP_PARAMETER, SWEEP_DEFINE, SWEEP_ARGUMENT };

/* An axis or a setting. */
struct sweep_name {
  enum sweep_kind kind;
  const char *name;   /* "dma.channels" */
  char *const *value; /* `count` words */
  size_t count;
  int line; /* of the sweep file */
  const struct param_group *group;
  const struct param_row *row;
  uint32_t *number;  /* SWEEP_PARAMETER: what each word is */
  const char *last;  /* SWEEP_DEFINE, SWEEP_ARGUMENT: "NAME" */
  size_t launch;     /* SWEEP_ARGUMENT: of which launch, from 1; 0: of each that has it */
  int32_t *argument; /* of each launch: its number there; negative: none */
};

struct sweep_target {
  struct sweep_plan *plan;
  struct reads *reads;
  struct program_words defines, options; /* the plan's */
  struct sweep_name *name;               /* the axes in the plan's order, then the settings */
  size_t names;
  size_t machine;       /* the number of that for the machine; `names`: there is none */
  struct machine *base; /* one per word of it, or one */
  char *text;           /* the launch file's */
  size_t length;
  struct json_t *root;
  size_t launches;
  struct trace *trace;
  struct job recorded;                  /* the trace's */
  cycle_t max_cycles;                   /* the recording's */
  char constant[32];                    /* the text of a parameter that an expression has asked for */
  char program_hash[33], data_hash[33]; /* of what is run; of the bytes that buffers begin with, "" of a trace */
};

/* Reads the plan's launch file or trace, checks all words, and settles the plan. `reads` (reads.h) lasts as long as the
 * target; `caller` waits for the compiler, or is NULL. The caller closes the target, whatever comes back. */
bool sweep_target_open(struct sweep_target *target, struct sweep_plan *plan, struct reads *reads,
                       const struct caller *caller, struct message *message);
void sweep_target_close(struct sweep_target *target);

/* The word of name number `i` of a point. */
static inline const char *sweep_word(const struct sweep_target *target, size_t i, const uint32_t *value) {
  return target->name[i].value[i < target->plan->axes ? value[i] : 0];
}

/* The machine of a point. False with the message filled when it is none. */
bool sweep_machine(const struct sweep_target *target, const uint32_t *value, struct machine *machine,
                   struct message *message);

/* Reads the launch file as the point has it, on `machine`, for a caller that may stop the compiler (NULL: nobody).
 * Several threads may make jobs at once. The caller frees the job, whatever comes back. */
bool sweep_job(const struct sweep_target *target, const uint32_t *value, const struct machine *machine,
               const struct caller *caller, struct job *job, struct message *message);

/* Points for which this is the same do the same on all machines, at other times: one recording serves them all, as far
 * as it fits (trace_job_fits()). */
struct sweep_function {
  uint64_t high, low;
};
struct sweep_function sweep_function(const struct sweep_target *target, const uint32_t *value,
                                     const struct machine *machine);

/* The hash of some bytes, as hexadecimal. */
void sweep_hash(const void *data, size_t size, char text[33]);

#endif
