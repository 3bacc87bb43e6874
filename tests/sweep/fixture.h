/* Plans from texts, as if from a file s.ini in folder d; and pages of the docs. */
#ifndef TESTS_SWEEP_FIXTURE_H
#define TESTS_SWEEP_FIXTURE_H

#include "tests/ct.h"
#include "tools/sweep/plan.h"

#define SWEEP "[sweep]\nlaunch = l.json\n"

/* Constants of two machines: "teaching", the base, and "h200". mem.l1_size is 32768 and 262144, cu.policy "oldest" and
 * "fair". Other names are unknown; "mem.l1_size" is the nearest to all that begin with 'm'. */
const char *fixture_constant(void *context, const char *machine, const char *name, char nearest[64]);

/* Parses and settles a plan; expects success. */
bool fixture_plan(const char *text, struct sweep_plan *plan);

/* The value of one axis at a point. */
const char *fixture_word(const struct sweep_plan *plan, const uint32_t *value, const char *axis);

/* A page's text, which the caller frees; empty if there is none. */
char *fixture_page(const char *path);

#endif
