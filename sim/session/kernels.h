/* Names of the kernels in a file, for who completes a command line: quickly, so OpenCL C is scanned and not compiled.
 * Clang takes from a tenth of a second to several, which is too long behind a key, and a result in its cache is one of
 * other options.
 *
 * Not found: kernels that macros make, or that an included file has. Those that #if leaves out are found. */
#ifndef SIM_SESSION_KERNELS_H
#define SIM_SESSION_KERNELS_H

#include "sim/base/text.h"

/* Appends a line for each; nothing if the file cannot be read. */
void kernels_of_file(const char *path, struct text *names);

#endif
