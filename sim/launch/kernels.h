/* Names of the kernels in a file, for shell completion, which must be quick. So OpenCL C is scanned and not compiled:
 * clang takes from a tenth of a second to several seconds, and a cached result may be from other options.
 *
 * Not found: kernels of LLVM bitcode, and those that macros define or that an included file contains. Kernels that #if
 * leaves out are found. */
#ifndef SIM_LAUNCH_KERNELS_H
#define SIM_LAUNCH_KERNELS_H

#include "sim/base/text.h"

/* Appends a line for each kernel; nothing if the file cannot be read. */
void kernels_of_file(const char *path, struct text *names);

#endif
