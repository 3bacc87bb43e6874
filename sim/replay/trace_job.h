/* The job in a trace: everything that a report needs apart from the operations. It is the trace's meta "run", JSON text
 * (docs/trace-format.md has its keys), and its programs. */
#ifndef SIM_REPLAY_TRACE_JOB_H
#define SIM_REPLAY_TRACE_JOB_H

#include "sim/launch/launch_file.h"
#include "traces/trace.h"

#define TRACE_JOB_SHIFT (ISA_VARIABLE_BASE << 16) /* highest base address of a buffer */

/* Call it before a run: refuses names that the meta, JSON text, cannot hold. */
bool trace_job_possible(const struct job *job, struct message *message);

/* Writes what is to be run. Call it before the run. */
void trace_job_write(const struct job *job, cycle_t max_cycles, struct trace_writer *writer);

/* Collects several jobs that run one after the other, on the machine of the first. A replay has all buffers from its
 * beginning, so it treats a buffer that takes the place of an earlier one as the same. */
struct trace_jobs;
struct trace_jobs *trace_jobs_new(const struct job *first);
void trace_jobs_free(struct trace_jobs *jobs);

/* Adds the job's buffers and pipes, before it runs. False, with nothing added, when the trace cannot express them: a
 * pipe has the place or the number of an earlier one, or the place of a buffer. */
bool trace_jobs_memory(struct trace_jobs *jobs, const struct job *job, struct message *message);

/* Adds the job's launches, each with the limit `max_cycles`, and the final state of its pipes, after it ran. `cut`: the
 * cycle in which the launches were stopped; 0: they were not. */
void trace_jobs_launches(struct trace_jobs *jobs, const struct job *job, cycle_t max_cycles, cycle_t cut);

/* The number of launches so far. */
size_t trace_jobs_count(const struct trace_jobs *jobs);

void trace_jobs_write(const struct trace_jobs *jobs, struct trace_writer *writer);

/* Reads the job of a trace into an empty *job: programs, the machine with the changes of `request`, launches, buffers
 * without bytes, pipes. False with the message filled when the trace is malformed, or cannot be replayed on this
 * machine. The caller frees the job, also after a failure. */
bool trace_job_read(struct trace *trace, const char *path, const struct job_request *request, struct job *job,
                    cycle_t *max_cycles, struct message *message);

/* Reads only the machine, into job->machine and job->machine_file. */
bool trace_job_machine(struct trace *trace, const char *path, const struct job_request *request, struct job *job,
                       struct message *message);

/* Can the trace be replayed on job->machine, which may have changed since it was read? */
bool trace_job_fits(const struct job *job, struct message *message);

/* Parameters that determine which bytes a copy moves, and where. */
enum { TRACE_BYTE_KEYS = 6 };
extern const char *const trace_byte_keys[TRACE_BYTE_KEYS];

/* A place in a launch where the kernel's behavior depends on time (sim/replay/marks.h). */
struct trace_mark {
  uint32_t launch, pc;
  const char *text; /* the reason, as a sentence */
};

/* The trace's marks in launches of the job. The caller frees them. */
struct trace_mark *trace_job_marks(struct trace *trace, const struct job *job, size_t *count);

/* Warns the caller of marks, one line per launch, and of a machine on which copies may move other bytes that the kernel
 * depends on. */
void trace_job_warn(struct trace *trace, const struct job *job, const struct caller *caller);

#endif
