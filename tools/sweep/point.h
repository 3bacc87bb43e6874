/* What the words of a plan mean: from a point to a machine and a launch.
 *
 *     machine             a preset, or a file relative to the sweep file
 *     GROUP.NAME          a parameter of the machine, as in --set
 *     define.NAME         -D NAME=WORD, for OpenCL C
 *     arg.NAME, arg.2     the argument of that name, or the second one: of each launch that has it
 *     launch.2.arg.NAME   of the second launch only
 *
 * A vector is written 1:2:3:4.
 *
 * The same words name axes, with several values, and settings, with one. A point's machine starts from a base: the word
 * of `machine`, else the plan's machine, else that of the launch file or of the recording. The `set` of the launch
 * file, then the settings, then the point's own parameters are applied to it. `warpwait run --machine BASE --set ...`
 * gives the same machine.
 *
 * Invariant: every word of every axis and setting is checked before the first point runs. Errors that depend on several
 * words (machine_check(), compiler errors, a work-group that does not fit) are errors of one point.
 *
 * Not modeled: axes over buffers, pipes and NDRanges. They take several launch files. */
#ifndef TOOLS_SWEEP_POINT_H
#define TOOLS_SWEEP_POINT_H

#include "sim/replay/trace_job.h"
#include "tools/sweep/plan.h"

enum sweep_kind { SWEEP_MACHINE, SWEEP_PARAMETER, SWEEP_DEFINE, SWEEP_ARGUMENT };

/* An axis or a setting. */
struct sweep_name {
  enum sweep_kind kind;
  const char *name;   /* "dma.channels" */
  char *const *value; /* `count` words */
  size_t count;
  int line; /* in the sweep file */
  const struct param_group *group;
  const struct param_row *row;
  uint32_t *number;  /* SWEEP_PARAMETER: the value of each word */
  const char *last;  /* SWEEP_DEFINE, SWEEP_ARGUMENT: "NAME" */
  size_t launch;     /* SWEEP_ARGUMENT: of which launch, from 1; 0: of each launch that has it */
  int32_t *argument; /* per launch: the argument's index; negative: the launch has none */
};

struct sweep_target {
  struct sweep_plan *plan;
  struct reads *reads;
  struct program_words defines, options; /* the plan's */
  struct sweep_name *name;               /* the axes in the plan's order, then the settings */
  size_t names;
  size_t machine;       /* the index of the name that sets the machine; `names`: none */
  struct machine *base; /* one per word of that name, or one */
  char *text;           /* the launch file's */
  size_t length;
  struct json_t *root;
  size_t launches;
  struct trace *trace;
  struct job recorded;                  /* of the trace */
  cycle_t max_cycles;                   /* of the recording */
  char constant[32];                    /* text of the parameter that an expression looked up last */
  char program_hash[33], data_hash[33]; /* of the program; of the buffers' initial bytes, "" for a trace */
};

/* Reads the plan's launch file or trace, checks all words, and settles the plan. `reads` (reads.h) must outlive the
 * target; `caller` may stop the compiler, or is NULL. The caller closes the target, also after a failure. */
bool sweep_target_open(struct sweep_target *target, struct sweep_plan *plan, struct reads *reads,
                       const struct caller *caller, struct message *message);
void sweep_target_close(struct sweep_target *target);

/* A point's word for name number `i`. */
static inline const char *sweep_word(const struct sweep_target *target, size_t i, const uint32_t *value) {
  return target->name[i].value[i < target->plan->axes ? value[i] : 0];
}

/* The machine of a point. False with the message filled when its parameters are not legal together. */
bool sweep_machine(const struct sweep_target *target, const uint32_t *value, struct machine *machine,
                   struct message *message);

/* Fills an empty *job from the launch file with the point's words, on `machine`. `caller` may stop the compiler (NULL:
 * nobody can). Several threads may make jobs at the same time. The caller frees the job, also after a failure. */
bool sweep_job(const struct sweep_target *target, const uint32_t *value, const struct machine *machine,
               const struct caller *caller, struct job *job, struct message *message);

/* Points with the same function execute the same instructions on all machines, at different times. So one recording
 * serves all of them that it fits (trace_job_fits()). */
struct sweep_function {
  uint64_t high, low;
};
struct sweep_function sweep_function(const struct sweep_target *target, const uint32_t *value,
                                     const struct machine *machine);

/* The hash of some bytes, in hexadecimal. */
void sweep_hash(const void *data, size_t size, char text[33]);

#endif
