/* Hazards that somebody has looked at and does not want to see again: `warpwait check --suppress FILE`.
 *
 *     # the reader polls on purpose
 *     M6 poll.cl:12 poll.cl:30
 *     X8-* fill.cl
 *
 * A line a suppression: a rule, then where the hazard is reported, then its other place; either place may be left out.
 * Rules, files, lines and columns are patterns with * and ?. A file fits the end of a path: "a/k.cl" that of
 * "src/a/k.cl", but not that of "src/ba/k.cl". */
#ifndef SIM_CHECK_SUPPRESS_H
#define SIM_CHECK_SUPPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/caller.h"

struct suppression;

struct suppressions {
  struct suppression *line;
  size_t count;
};

/* Where something is; line and column are 0 when they are not known. */
struct suppress_place {
  const char *path;
  uint32_t line, column;
};

/* Adds the lines of a file. False with the message filled, "file:line: ...". */
bool suppressions_read(struct suppressions *all, const char *path, struct message *message);

/* Whether any line is meant for a hazard of this rule ("X5-...") there; `other` is NULL when it has one place only.
 * Each that is counts as used. */
bool suppressions_fit(struct suppressions *all, const char *rule, const struct suppress_place *here,
                      const struct suppress_place *other);

/* A warning for each line that nothing has fitted. */
void suppressions_tell_unused(const struct suppressions *all, const struct caller *caller);

void suppressions_free(struct suppressions *all);

#endif
