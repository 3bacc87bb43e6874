/* Which values are the same in all lanes of a warp because they are computed from constants, arguments and the
 * work-group's place only. Only for estimates: a phi of uniform values counts as uniform, although lanes may have taken
 * different edges. */
#ifndef OPENCL_PASSES_UNIFORM_H
#define OPENCL_PASSES_UNIFORM_H

#include "opencl/ir/ir.h"

/* By ref; the caller frees it. */
bool *uniform_values(const struct ir *ir);

#endif
