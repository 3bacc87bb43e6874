/* What a timeline records about its run: the meta "run", JSON text. docs/timeline-format.md has its keys. */
#ifndef TOOLS_TIMELINE_JOB_H
#define TOOLS_TIMELINE_JOB_H

#include "models/result.h"
#include "sim/launch/job.h"
#include "traces/timeline_file.h"

/* Writes it: before the run without results, and again after the run with those of the first `count` launches. */
void timeline_job_write(const struct job *job, const struct launch_result *results, size_t count,
                        struct timeline_writer *writer);

#endif
