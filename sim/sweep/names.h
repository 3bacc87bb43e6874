/* The names of axes and settings, and their words: what sweep_point.c has of them. */
#ifndef SIM_SWEEP_NAMES_H
#define SIM_SWEEP_NAMES_H

#include <jansson.h>

#include "sim/sweep/point.h"

/* Says what each name of the plan is; words of parameters become numbers. */
bool sweep_names_read(struct sweep_target *target, struct message *message);
void sweep_names_free(struct sweep_target *target);

/* Fills the message with "FILE:LINE: NAME: " and what it says already; returns false. */
bool sweep_names_fail(const struct sweep_target *target, const struct sweep_name *name, struct message *message);

/* Finds the arguments that are named among those of the job's kernels, and holds their words against the types that
 * the launch file gives them. */
bool sweep_arguments_find(struct sweep_target *target, const struct job *job, struct message *message);

/* Gives the arguments of a point their values in `root`, a copy of the launch file. */
void sweep_arguments_give(const struct sweep_target *target, const uint32_t *value, json_t *root);

/* Launch number `number` of the launch file, those that run at once counted each. NULL: there is none. */
json_t *sweep_launch_of(const json_t *root, size_t number);

#endif
