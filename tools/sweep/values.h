/* Values of an axis as a sweep file writes them: words, separated by blanks or commas.
 *
 *     1 2 4 8     fair greedy     4K, 8K     1..6     0..64:8     1..64*2
 *
 * A range has whole numbers up to B: A..B increments by 1, A..B:STEP by STEP, and A..B*FACTOR multiplies by FACTOR. */
#ifndef TOOLS_SWEEP_VALUES_H
#define TOOLS_SWEEP_VALUES_H

#include "tools/sweep/plan.h"

/* Adds values to an axis. False with the message filled, without the axis's name. */
bool values_add(struct sweep_axis *axis, const char *text, struct message *message);

/* Is each value listed only once? 4K and 4096 are the same value. */
bool values_distinct(const struct sweep_axis *axis, struct message *message);

/* A whole number from -2^53 to 2^53, with an optional suffix K, M or G. */
bool values_whole(const char *text, const char **end, int64_t *number);

#endif
