/* What the text of traces (traces/text.h) has of instructions and launches: programs as assembly, operations with their
 * instruction as a comment, and by hand a launch file in the place of metas, programs and launches.
 *
 * A program's object is more than its assembly: lines and files of a source. Assembly that is its own source needs
 * nothing else; other programs' sources and line numbers stand before it (docs/trace-text.md).
 *
 * Invariant: an object that does not come back to the byte is not written as assembly, but as bytes. */
#ifndef SIM_TRACETOOLS_TEXT_H
#define SIM_TRACETOOLS_TEXT_H

#include "traces/text.h"

struct trace_text;

/* For writing the trace; for reading when it is NULL. */
struct trace_text *trace_text_new(struct trace *trace);
void trace_text_free(struct trace_text *text);

struct text_hooks trace_text_hooks(struct trace_text *text);

#endif
