/* The header that goes before each program, with what clang's own lacks: the asynchronous copies of
 * cl_khr_extended_async_copies, the clocks of cl_khr_kernel_clock, cl_intel_subgroups, and channels. It takes away what
 * clang says of spir64 and this machine does not have. */
#ifndef OPENCL_CLANG_PRELUDE_H
#define OPENCL_CLANG_PRELUDE_H

#include <stdbool.h>

/* Its text, for a program that is built with these extensions (NULL: none) enabled; the caller frees it. */
char *prelude_text(const char *const *extensions);

/* Whether a program uses channels, by a pragma in its text or by how it is built. The header then wants
 * PRELUDE_CHANNELS defined: `channel` is a common word. */
#define PRELUDE_CHANNELS "__OCL_CHANNELS"
bool prelude_has_channels(const char *text, const char *const *extensions);

#endif
