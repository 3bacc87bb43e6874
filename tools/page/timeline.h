/* A timeline in the page's form: tracks of slices, in columns, and how often each instruction used each bank.
 *
 * A track has the events of one kind and unit of a compute unit, sorted by first cycle. Columns are lists of numbers:
 * `from` as differences, `cycles`, then the kind's fields. A field of type cycle is the distance from the event's first
 * cycle plus 1, or 0; a mask is its number of bits. Consecutive cycles with the same number of busy banks are one
 * slice, which has only that number. "kinds" has the fields' names and types, from the rows of sim/core/timeline.def.
 *
 * The size of a page is limited: of a timeline with too many slices, the page keeps those that begin before the cycle
 * "cut". The use of banks is counted over the whole timeline. */
#ifndef TOOLS_PAGE_TIMELINE_H
#define TOOLS_PAGE_TIMELINE_H

#include "sim/base/message.h"
#include "sim/base/text.h"

struct trace_place;

/* Appends the timeline as a JSON object with at most `most` slices. */
bool page_timeline_print(const struct trace_place *place, size_t most, struct text *text, struct message *message);

#endif
