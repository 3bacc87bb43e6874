/* A timeline as the page has it: tracks of slices, in columns, and how often each instruction used each bank.
 *
 * A track has the events of one kind and unit of a compute unit, by their first cycles. Columns are lists of numbers:
 * `from` as differences, `cycles`, then the kind's fields; of a field of type cycle the distance from the event's first
 * cycle plus 1, or 0; of a mask how many bits it has. Cycles in which as many banks work are one slice, which has that
 * number alone. "kinds" has the fields' names and types, from the rows of sim/core/timeline.def.
 *
 * A page does not grow without end: of a timeline with more slices than it takes, those that begin before some cycle
 * are kept, and "cut" is that cycle. Banks are counted over all of it. */
#ifndef SIM_PAGE_TIMELINE_H
#define SIM_PAGE_TIMELINE_H

#include "sim/base/message.h"
#include "sim/base/text.h"

struct trace_place;

/* Appends a JSON object made of the timeline, with at most `most` slices. */
bool page_timeline_print(const struct trace_place *place, size_t most, struct text *text, struct message *message);

#endif
