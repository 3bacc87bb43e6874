/* The parts of the text of traces (traces/text.h) that concern instructions and launches: programs as assembly,
 * operations with their instruction as a comment, and, in handwritten traces, a launch file in place of metas, programs
 * and launches.
 *
 * A program's object contains more than its assembly: lines and files of a source. Assembly that is its own source
 * needs nothing else; for other programs, sources and line numbers precede the assembly (docs/trace-text.md).
 *
 * Invariant: an object that would not read back to the same bytes is written as bytes, not as assembly. */
#ifndef TOOLS_TRACE_TEXT_H
#define TOOLS_TRACE_TEXT_H

#include "traces/text.h"

struct trace_text;

/* For writing the trace; for reading if `trace` is NULL. */
struct trace_text *trace_text_new(struct trace *trace);
void trace_text_free(struct trace_text *text);

struct text_hooks trace_text_hooks(struct trace_text *text);

#endif
