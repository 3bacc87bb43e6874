/* Timelines in other formats: a table with one row per file suffix.
 *
 * Each function reads the whole file and writes to the stream; false, with the message filled and naming the output, on
 * failure. The output depends only on the file. docs/timeline-export.md describes what is shown where. */
#ifndef TOOLS_TIMELINE_EXPORT_H
#define TOOLS_TIMELINE_EXPORT_H

#include <stdio.h>

#include "sim/base/message.h"
#include "traces/timeline_file.h"

/* One row per event, for spreadsheets and scripts (docs/timeline.md). `name` is the output's, for messages. */
bool timeline_export_csv(struct timeline_file *file, const char *name, FILE *stream, struct message *message);

/* JSON in the Trace Event Format, for ui.perfetto.dev and chrome://tracing. A cycle is shown as a nanosecond. */
bool timeline_export_perfetto(struct timeline_file *file, const char *name, FILE *stream, struct message *message);

/* A waveform for GTKWave. A cycle takes its time at the machine's clock. */
bool timeline_export_vcd(struct timeline_file *file, const char *name, FILE *stream, struct message *message);

struct timeline_export_row {
  const char *suffix; /* ".csv" */
  bool (*write)(struct timeline_file *file, const char *name, FILE *stream, struct message *message);
};
extern const struct timeline_export_row timeline_export_rows[];
extern const size_t timeline_export_count;

/* The row for a path's suffix, or NULL; and all suffixes for messages, each after a blank. */
const struct timeline_export_row *timeline_export_of(const char *path);
void timeline_export_suffixes(char *text, size_t size);

#endif
