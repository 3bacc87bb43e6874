/* Programs in the text of traces: objects as assembly, with what else they hold, and back. */
#ifndef SIM_TRACETOOLS_PROGRAM_H
#define SIM_TRACETOOLS_PROGRAM_H

#include "isa/isa.h"
#include "traces/text.h"

/* An object as text that comes back to the same bytes, which the caller frees. NULL: there is none. */
char *trace_program_text(const void *object, size_t size);

/* A program from such text, or from assembly alone, which `name` is then the file of. NULL with *error filled. */
struct isa_program *trace_program_read(const struct text_block *block, const char *name, struct trace_error *error);

#endif
