/* Timelines for other people's viewers. Each reads all of the file and writes `path`, whole or not at all; false, with
 * the message filled, when one of them cannot be done. The bytes depend on the file's alone. docs/timeline-export.md
 * says what is shown where. */
#ifndef SIM_CLI_TIMELINE_VIEWERS_H
#define SIM_CLI_TIMELINE_VIEWERS_H

#include "sim/cli/message.h"
#include "traces/timeline_file.h"

/* JSON in the Trace Event Format, for ui.perfetto.dev and chrome://tracing. A cycle is shown as a nanosecond. */
bool timeline_export_perfetto(struct timeline_file *file, const char *path, struct message *message);

/* A waveform for GTKWave. A cycle takes what it takes at the machine's clock. */
bool timeline_export_vcd(struct timeline_file *file, const char *path, struct message *message);

#endif
