/* The header in front of each program. It adds what clang's own header lacks: the asynchronous copies of
 * cl_khr_extended_async_copies, the clocks of cl_khr_kernel_clock, cl_intel_subgroups, and channels. It removes what
 * clang claims for spir64 and this machine does not have. */
#ifndef OPENCL_CLANG_PRELUDE_H
#define OPENCL_CLANG_PRELUDE_H

#include <stdbool.h>

/* The header's text for a program built with these extensions enabled (NULL: none); the caller frees it. */
char *prelude_text(const char *const *extensions);

/* Does a program use channels, by a pragma in its text or by an enabled extension? If so, PRELUDE_CHANNELS must be
 * defined; it is off otherwise because `channel` is a common word. */
#define PRELUDE_CHANNELS "__OCL_CHANNELS"
bool prelude_has_channels(const char *text, const char *const *extensions);

#endif
