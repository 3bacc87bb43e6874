#include "tools/timeline/trace_events.h"

#include <inttypes.h>

void trace_event_word(struct trace_events *events, const char *word) {
  fputc('"', events->out);
  for (const char *c = word; *c; c++)
    if (*c == '"' || *c == '\\')
      fprintf(events->out, "\\%c", *c);
    else if ((unsigned char)*c < ' ')
      fprintf(events->out, "\\u%04x", (unsigned)*c);
    else
      fputc(*c, events->out);
  fputc('"', events->out);
}

void trace_event_begin(struct trace_events *events, const struct trace_event_head *head) {
  fprintf(events->out, "%s{\"ph\":\"%c\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"ts\":%" PRIu64 ".%03" PRIu64,
          events->any ? ",\n" : "\n", head->phase, head->process, head->track, head->at / 1000, head->at % 1000);
  if (head->category)
    fprintf(events->out, ",\"cat\":\"%s\"", head->category);
  fputs(",\"name\":", events->out);
  trace_event_word(events, head->name);
  events->any = true;
}

void trace_event_end(struct trace_events *events) { fputc('}', events->out); }

void trace_event_name(struct trace_events *events, const char *what, uint32_t process, uint32_t track,
                      const char *name) {
  trace_event_begin(events, &(struct trace_event_head){'M', process, track, 0, NULL, what});
  fputs(",\"args\":{\"name\":", events->out);
  trace_event_word(events, name);
  fputc('}', events->out);
  trace_event_end(events);
}

void trace_event_rank(struct trace_events *events, const char *what, uint32_t process, uint32_t track, uint32_t rank) {
  trace_event_begin(events, &(struct trace_event_head){'M', process, track, 0, NULL, what});
  fprintf(events->out, ",\"args\":{\"sort_index\":%" PRIu32 "}", rank);
  trace_event_end(events);
}

void trace_event_counter(struct trace_events *events, uint32_t process, cycle_t at, const char *name, const char *unit,
                         uint64_t thousandths) {
  trace_event_begin(events, &(struct trace_event_head){'C', process, 0, at, NULL, name});
  fputs(",\"args\":{", events->out);
  trace_event_word(events, unit);
  fprintf(events->out, ":%" PRIu64 ".%03" PRIu64 "}", thousandths / 1000, thousandths % 1000);
  trace_event_end(events);
}

void trace_event_arrow(struct trace_events *events, bool begins, uint64_t id, uint32_t process, uint32_t track,
                       cycle_t at, const char *name) {
  trace_event_begin(events, &(struct trace_event_head){begins ? 's' : 'f', process, track, at, name, name});
  fprintf(events->out, ",\"id\":%" PRIu64 "%s", id, begins ? "" : ",\"bp\":\"e\"");
  trace_event_end(events);
}
