/* Names of axes and settings, and their words, for point.c. */
#ifndef TOOLS_SWEEP_NAMES_H
#define TOOLS_SWEEP_NAMES_H

#include <jansson.h>

#include "tools/sweep/point.h"

/* Determines what each name of the plan means, and converts words of parameters to numbers. */
bool sweep_names_read(struct sweep_target *target, struct message *message);
void sweep_names_free(struct sweep_target *target);

/* The name of an axis that is nearest to `name`: a parameter, `machine`, or another kind of name with the same end. ""
 * if none is near. */
void sweep_name_nearest(const char *name, char nearest[64]);

/* Puts "FILE:LINE: NAME: " before the message; returns false. */
bool sweep_names_fail(const struct sweep_target *target, const struct sweep_name *name, struct message *message);

/* Finds the named arguments in the job's kernels, and checks their words against the types in the launch file. */
bool sweep_arguments_find(struct sweep_target *target, const struct job *job, struct message *message);

/* Sets the arguments of a point in `root`, a copy of the launch file. */
void sweep_arguments_give(const struct sweep_target *target, const uint32_t *value, json_t *root);

/* Launch number `number` of the launch file, counting launches that run at once separately. NULL: there is none. */
json_t *sweep_launch_of(const json_t *root, size_t number);

#endif
