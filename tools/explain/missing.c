#include <stdlib.h>

#include "tools/explain/report.h"

enum { NAMED = 6 /* machines and values to name in one line */ };

struct missing {
  struct text names;
  const char *why; /* the first one's reason */
  size_t count, of;
};

/* Counts a result, which is missing if there is a reason. Frees the text. */
static void count_in(struct missing *missing, struct text *name, const char *why) {
  missing->of++;
  if (why && missing->count++ < NAMED)
    text_print(&missing->names, "%s%s", missing->names.length ? ", " : "", name->data);
  if (why && !missing->why)
    missing->why = why;
  free(name->data);
}

bool explain_missing(const struct explain_run *run, const struct explain_tries *tries, struct message *message) {
  const struct explain_vary *vary = tries->vary;
  const struct explain_changes *changes = tries->changes;
  struct missing missing = {0};
  for (size_t i = 1; i < run->explain.count; i++) {
    const struct explain_case *at = &run->explain.cases[i];
    struct text name = {0};
    text_print(&name, "lifting ");
    explain_words(at->lifted, &name);
    count_in(&missing, &name, at->status == OUTCOME_failed ? at->reason : NULL);
  }
  for (size_t i = 0; vary && i < vary->count; i++) {
    const struct explain_case *value = &vary->cases[i];
    struct text name = {0};
    text_print(&name, "%s = %s", vary->name, value->name);
    count_in(&missing, &name, value->status == OUTCOME_failed ? value->reason : NULL);
  }
  for (size_t i = 0; changes && i < changes->count; i++) {
    const struct explain_case *change = &changes->cases[i];
    struct text name = {0};
    text_print(&name, "%s", change->name);
    count_in(&missing, &name, change->status == OUTCOME_failed ? change->reason : NULL);
  }
  if (!missing.count)
    return false;
  if (missing.count > NAMED)
    text_print(&missing.names, " and %zu more", missing.count - NAMED);
  message_fail(message, "%zu of %zu results are missing from the report: %.600s: %.200s", missing.count, missing.of,
               missing.names.data, missing.why);
  free(missing.names.data);
  return true;
}
