/* Values of events as people read them: words for numbers that stand for words, 0x for masks and addresses. */
#ifndef SIM_TIMELINE_VALUE_H
#define SIM_TIMELINE_VALUE_H

#include "sim/timeline/run.h"

enum { TIMELINE_VALUE = 32 };

/* Word number `value` of "a|b|c"; false, with "" in `text`, when there are fewer. */
bool timeline_word(const char *words, uint64_t value, char text[TIMELINE_VALUE]);

/* The field's value; it lies in `text` or in the run. */
const char *timeline_value(const struct timeline_run *run, const struct timeline_event *event, unsigned field,
                           char text[TIMELINE_VALUE]);

/* The instruction that the event's pc means; NULL when it has none, or nobody knows. */
const struct timeline_code *timeline_code_of(const struct timeline_run *run, const struct timeline_event *event);

#endif
