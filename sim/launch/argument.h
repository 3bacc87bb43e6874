/* Arguments as words: a kind and a value, as launch files and the command line write them.
 *
 *     buffer a    null    local 512    pipe p    image i    sampler "clamp linear"    int 7    float4 1,2,3,4    bytes
 * 00ff
 *
 * job_add() checks whether the kernel takes them. */
#ifndef SIM_LAUNCH_ARGUMENT_H
#define SIM_LAUNCH_ARGUMENT_H

#include "sim/launch/job.h"

/* Reads one argument. Its value, if it has one, is the argument's own. */
bool argument_read(const struct job *job, const char *kind, const char *value, struct job_argument *argument,
                   struct message *message);

/* Frees arguments and their values. */
void arguments_free(struct job_argument *arguments, size_t count);

#endif
