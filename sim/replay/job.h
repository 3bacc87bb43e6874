/* A job in a trace: what a report needs besides the operations. It is the trace's meta "run", JSON text
 * (docs/trace-format.md has its keys), and its programs. */
#ifndef SIM_REPLAY_JOB_H
#define SIM_REPLAY_JOB_H

#include "sim/session/launch.h"
#include "traces/trace.h"

#define TRACE_JOB_SHIFT (ISA_VARIABLE_BASE << 16) /* no buffer begins beyond it */

/* Refuses, before a run, names that the meta cannot have: they are words of JSON. */
bool trace_job_possible(const struct job *job, struct message *message);

/* Says what is to be run, before it is. */
void trace_job_write(const struct job *job, cycle_t max_cycles, struct trace_writer *writer);

/* The same of several jobs that run one after the other, on the machine of the first. A buffer that takes the place of
 * one that is gone is the same to a replay, which has all of them from its beginning on. */
struct trace_jobs;
struct trace_jobs *trace_jobs_new(const struct job *first);
void trace_jobs_free(struct trace_jobs *jobs);

/* Takes the job's buffers and pipes, before it runs. False, with nothing taken, when there is no saying so: a pipe has
 * the place or the number of another one, or the place of a buffer. */
bool trace_jobs_memory(struct trace_jobs *jobs, const struct job *job, struct message *message);

/* Takes its launches, of which each may take `max_cycles`, and how it leaves the pipes, once it has run. `cut`: the
 * cycle in which the launches were ended; 0: they were not. */
void trace_jobs_launches(struct trace_jobs *jobs, const struct job *job, cycle_t max_cycles, cycle_t cut);

/* Their launches. */
size_t trace_jobs_count(const struct trace_jobs *jobs);

void trace_jobs_write(const struct trace_jobs *jobs, struct trace_writer *writer);

/* Reads the job of a trace into an empty *job: programs, the machine with what `request` changes in it, launches,
 * buffers without bytes, pipes. The caller frees the job, whatever comes back. False with the message filled when the
 * trace is not what it should be, or cannot be replayed on this machine. */
bool trace_job_read(struct trace *trace, const char *path, const struct job_request *request, struct job *job,
                    cycle_t *max_cycles, struct message *message);

/* The machine alone: into job->machine and job->machine_file. */
bool trace_job_machine(struct trace *trace, const char *path, const struct job_request *request, struct job *job,
                       struct message *message);

/* Whether the trace can be replayed on job->machine, which may have been changed since it was read. */
bool trace_job_fits(const struct job *job, struct message *message);

/* Parameters that say which bytes a copy brings, and where. */
enum { TRACE_BYTE_KEYS = 6 };
extern const char *const trace_byte_keys[TRACE_BYTE_KEYS];

/* A place in a launch where what the kernel does depends on time (sim/replay/marks.h). */
struct trace_mark {
  uint32_t launch, pc;
  const char *text; /* why, as a sentence */
};

/* The marks of the trace, of launches that the job has. The caller frees them. */
struct trace_mark *trace_job_marks(struct trace *trace, const struct job *job, size_t *count);

/* Warns the caller, a line a launch, that there are some; and that the machine changes bytes by which a kernel goes. */
void trace_job_warn(struct trace *trace, const struct job *job, const struct caller *caller);

#endif
