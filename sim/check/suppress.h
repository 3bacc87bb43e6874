/* Hazards that the user has examined and accepted: `warpwait check --suppress FILE`.
 *
 *     # the reader polls on purpose
 *     M6 poll.cl:12 poll.cl:30
 *     X8-* fill.cl
 *
 * Each line is a suppression: a rule, then where the hazard is reported, then its other place. Both places are
 * optional. Rules, files, lines and columns are patterns with * and ?. A file matches the end of a path: "a/k.cl"
 * matches "src/a/k.cl", but not "src/ba/k.cl". */
#ifndef SIM_CHECK_SUPPRESS_H
#define SIM_CHECK_SUPPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/caller.h"

struct suppression;

struct suppressions {
  struct suppression *line;
  size_t count, room;
};

/* A place; line and column are 0 if unknown. */
struct suppress_place {
  const char *path;
  uint32_t line, column;
};

/* Adds the lines of a file. False with the message filled, "file:line: ...". */
bool suppressions_read(struct suppressions *all, const char *path, struct message *message);

/* Does any line match a hazard of this rule ("X5-...") at these places? `other` is NULL for a hazard with one place.
 * Every line that matches counts as used. */
bool suppressions_fit(struct suppressions *all, const char *rule, const struct suppress_place *here,
                      const struct suppress_place *other);

/* Warns about each line that matched nothing. */
void suppressions_report_unused(const struct suppressions *all, const struct caller *caller);

void suppressions_free(struct suppressions *all);

#endif
