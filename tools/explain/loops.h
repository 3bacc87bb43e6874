/* Loops of one form: for ([TYPE] I = FIRST; I < END; I += STEP) BODY. BODY does not change I and contains no loops,
 * jumps or directives. Only edits.c includes this header. */
#ifndef TOOLS_EXPLAIN_LOOPS_H
#define TOOLS_EXPLAIN_LOOPS_H

#include "tools/explain/source.h"

struct loop {
  struct span whole, head, body;      /* `head`: from "for" to its ")" */
  struct span init, first, end, next; /* "int i = a", "a", "n", "i += s" */
  char name[64];                      /* I */
  char *step;                         /* "s", which loop_free() frees */
};

/* Finds the next such loop at or after *at and moves *at behind the loop's "for". */
bool loop_next(const struct source *source, size_t *at, struct loop *loop);
void loop_free(struct loop *loop);

/* Does the body assign the name, or take its address? */
bool loop_changes(const struct source *source, struct span body, const char *name);

#endif
