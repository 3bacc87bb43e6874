/* The text of source files, for reports. */
#ifndef OPENCL_SOURCES_H
#define OPENCL_SOURCES_H

#include "opencl/clang/clang.h"
#include "opencl/spirv/spirv.h"

/* Fills program->sources with all files of the module, and loads the text of the readable ones that instructions of the
 * program come from. `text`, if not NULL, is the text of the module's own source, which is then not read from disk. */
void sources_fill(const struct spirv *module, const struct opencl_reads *reads, const char *text,
                  struct isa_program *program);

#endif
