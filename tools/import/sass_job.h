/* An import as a job that a trace can contain: sequential launches on a machine, with buffers that have no data. */
#ifndef TOOLS_IMPORT_SASS_JOB_H
#define TOOLS_IMPORT_SASS_JOB_H

#include "sim/base/caller.h"
#include "sim/replay/trace_job.h"
#include "tools/import/import.h"

/* For a sass_watch: `self` is a caller, who gets the progress. */
void sass_report_progress(void *self, size_t launch, size_t launches, uint64_t instructions, uint64_t total);

/* False with the message filled if an opcode is unknown. */
bool sass_all_known(const struct sass_import *import, struct message *message);

/* Fills an empty *job, on the request's machine with its settings; `list` is the file that was read. The caller frees
 * the job, also after a failure. */
bool sass_job(const struct sass_import *import, const char *list, const struct machine_request *request,
              struct job *job, struct message *message);

/* Writes the trace. Takes over the descriptor; `name` is the file's in messages. */
bool sass_record(struct sass_import *import, struct job *job, int file, const char *name, struct message *message);

/* Warns of what sass_record() lost. */
void sass_report_lost(const struct sass_import *import, const struct caller *caller);

#endif
