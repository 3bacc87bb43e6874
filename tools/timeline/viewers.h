/* Timelines for other viewers. Each function reads the whole file and writes to the stream; false, with the message
 * filled and naming the output, on failure. The output depends only on the file. docs/timeline-export.md describes what
 * is shown where. */
#ifndef TOOLS_TIMELINE_VIEWERS_H
#define TOOLS_TIMELINE_VIEWERS_H

#include <stdio.h>

#include "sim/base/message.h"
#include "traces/timeline_file.h"

/* JSON in the Trace Event Format, for ui.perfetto.dev and chrome://tracing. A cycle is shown as a nanosecond. */
bool timeline_export_perfetto(struct timeline_file *file, const char *name, FILE *stream, struct message *message);

/* A waveform for GTKWave. A cycle takes its time at the machine's clock. */
bool timeline_export_vcd(struct timeline_file *file, const char *name, FILE *stream, struct message *message);

#endif
