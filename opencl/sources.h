/* The text of source files, for reports. */
#ifndef OPENCL_SOURCES_H
#define OPENCL_SOURCES_H

#include "opencl/clang/clang.h"
#include "opencl/spirv/spirv.h"

/* Fills program->sources with all files of the module, and with the text of those that instructions of the program
 * come from, if they can be read; `text` is that of the module's own source, which is then not looked for. */
void sources_fill(const struct spirv *module, const struct opencl_reads *reads, const char *text,
                  struct isa_program *program);

#endif
