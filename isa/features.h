/* Operations that some machines have and others lack: the group `isa` of a machine's parameters. Compilers generate
 * code for it. The executor runs every operation on any machine. */
#ifndef ISA_FEATURES_H
#define ISA_FEATURES_H

#include <string.h>

#include "sim/core/params.h"

#define PARAMS_FILE "isa/isa.params.def"
#define PARAMS_STRUCT isa_features
#define PARAMS_ENUM(name) isa_##name
#include "sim/core/params_struct.def"

/* The struct has no padding: every parameter is a uint32_t. */
static inline bool isa_same_features(const struct isa_features *a, const struct isa_features *b) {
  return memcmp(a, b, sizeof *a) == 0;
}

#endif
