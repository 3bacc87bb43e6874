/* What a timeline says of its run: the meta "run", JSON text, whose keys docs/timeline-format.md has. */
#ifndef SIM_TIMELINE_JOB_H
#define SIM_TIMELINE_JOB_H

#include "sim/session/job.h"
#include "traces/timeline_file.h"

/* Writes it: before the run without results, and again when those of the first `count` launches are known. */
void timeline_job_write(const struct job *job, const struct launch_result *results, size_t count,
                        struct timeline_writer *writer);

#endif
