/* Which files' text may be quoted.
 *
 * Messages and reports only quote files that are named like sources (.cl, .h, .wws, ...), after following all symbolic
 * links. A stranger's program may include ~/.ssh/id_rsa or name it in its debug lines; no text of such a file is shown.
 */
#ifndef OPENCL_CLANG_SOURCE_NAME_H
#define OPENCL_CLANG_SOURCE_NAME_H

#include <stdbool.h>

#define SOURCE_NAMES                                                                                                   \
  ".cl, .clh, .clc, .clinc, .ocl, .opencl, .h, .hh, .hpp, .hxx, .cu, .cuh, .inc, .inl, .def, .ipp, .tpp, .c, .cc, "    \
  ".cpp, .wws"

bool source_is_named(const char *path);

#endif
