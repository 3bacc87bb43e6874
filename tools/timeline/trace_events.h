/* JSON in the Trace Event Format: a list of events on tracks, which are threads of processes.
 *
 *   X    a slice on a track              b, e   an asynchronous slice with an id; slices with one id nest
 *   s, f an arrow between two slices     C      a counter's value from now on     M   a name
 *
 * A cycle is written as a nanosecond, a thousandth of the format's unit: numbers have three decimals and are exact. */
#ifndef TOOLS_TIMELINE_TRACE_EVENTS_H
#define TOOLS_TIMELINE_TRACE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/core/time.h"

struct trace_events {
  FILE *out;
  bool any; /* an event has been written */
};

struct trace_event_head {
  char phase;
  uint32_t process, track;
  cycle_t at;
  const char *category, *name;
};

/* Opens an event: members of its object follow, until trace_event_end(). */
void trace_event_begin(struct trace_events *events, const struct trace_event_head *head);
void trace_event_end(struct trace_events *events);

/* A string in quotes, with the escapes that JSON requires. */
void trace_event_word(struct trace_events *events, const char *word);

void trace_event_name(struct trace_events *events, const char *what, uint32_t process, uint32_t track,
                      const char *name);
/* The position of a process or track among the others. */
void trace_event_rank(struct trace_events *events, const char *what, uint32_t process, uint32_t track, uint32_t rank);
/* `thousandths` of the counter's unit. */
void trace_event_counter(struct trace_events *events, uint32_t process, cycle_t at, const char *name, const char *unit,
                         uint64_t thousandths);
/* One end of an arrow. */
void trace_event_arrow(struct trace_events *events, bool begins, uint64_t id, uint32_t process, uint32_t track,
                       cycle_t at, const char *name);

#endif
