/* An import as a job that a trace can hold: launches one after the other, on a machine, with buffers without bytes. */
#ifndef SIM_IMPORT_JOB_H
#define SIM_IMPORT_JOB_H

#include "sim/base/caller.h"
#include "sim/import/import.h"
#include "sim/replay/job.h"

/* As a sass_watch has it: `self` is a caller, who hears how far the reading is. */
void sass_tell_progress(void *self, size_t launch, size_t launches, uint64_t instructions, uint64_t total);

/* False with the message filled when an opcode is not known. */
bool sass_all_known(const struct sass_import *import, struct message *message);

/* Fills an empty *job, on the machine of the request and what is set on it; `list` is the file that was read. The
 * caller frees the job, whatever comes back. */
bool sass_job(const struct sass_import *import, const char *list, const struct job_request *request, struct job *job,
              struct message *message);

/* Writes the trace. Takes the descriptor; `name` is the file's in messages. */
bool sass_record(struct sass_import *import, struct job *job, int file, const char *name, struct message *message);

/* Warns of what was lost, after that. */
void sass_tell_lost(const struct sass_import *import, const struct caller *caller);

#endif
