/* Timelines for other people's viewers. Each reads all of the file and writes to the stream; false, with the message
 * filled, which names the output, when it cannot be done. The bytes depend on the file's alone. docs/timeline-export.md
 * says what is shown where. */
#ifndef SIM_TIMELINE_VIEWERS_H
#define SIM_TIMELINE_VIEWERS_H

#include <stdio.h>

#include "sim/base/message.h"
#include "traces/timeline_file.h"

/* JSON in the Trace Event Format, for ui.perfetto.dev and chrome://tracing. A cycle is shown as a nanosecond. */
bool timeline_export_perfetto(struct timeline_file *file, const char *name, FILE *stream, struct message *message);

/* A waveform for GTKWave. A cycle takes what it takes at the machine's clock. */
bool timeline_export_vcd(struct timeline_file *file, const char *name, FILE *stream, struct message *message);

#endif
