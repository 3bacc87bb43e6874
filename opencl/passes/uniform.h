/* Which values are the same in all lanes of a warp, wherever they come from constants, arguments and the work-group's
 * place alone. For estimates: a phi counts as uniform where its values are, though lanes may have come different ways.
 */
#ifndef OPENCL_PASSES_UNIFORM_H
#define OPENCL_PASSES_UNIFORM_H

#include "opencl/ir/ir.h"

/* By ref; the caller frees it. */
bool *uniform_values(const struct ir *ir);

#endif
