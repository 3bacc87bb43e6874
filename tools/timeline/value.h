/* Values of events as text: words for numbers that encode words, 0x for masks and addresses. */
#ifndef TOOLS_TIMELINE_VALUE_H
#define TOOLS_TIMELINE_VALUE_H

#include "tools/timeline/run.h"

enum { TIMELINE_VALUE = 32 };

/* Word number `value` of "a|b|c"; false, with "" in `text`, if there are fewer words. */
bool timeline_word(const char *words, uint64_t value, char text[TIMELINE_VALUE]);

/* The field's value, in `text` or in the run. */
const char *timeline_value(const struct timeline_run *run, const struct timeline_event *event, unsigned field,
                           char text[TIMELINE_VALUE]);

/* The instruction at the event's pc; NULL: the event has none, or it is unknown. */
const struct timeline_code *timeline_code_of(const struct timeline_run *run, const struct timeline_event *event);

#endif
