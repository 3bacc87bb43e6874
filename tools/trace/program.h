/* Programs in the text of traces: objects to assembly with the object's other contents, and back. */
#ifndef TOOLS_TRACE_PROGRAM_H
#define TOOLS_TRACE_PROGRAM_H

#include "isa/isa.h"
#include "traces/text.h"

/* An object as text that reads back to the same bytes; the caller frees it. NULL: not possible. */
char *trace_program_text(const void *object, size_t size);

/* A program from such text, or from assembly alone, which is then the source file `name`. NULL with *error filled. */
struct isa_program *trace_program_read(const struct text_block *block, const char *name, struct message *error);

#endif
