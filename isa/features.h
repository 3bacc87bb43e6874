/* Operations that some machines have and others lack: the group `isa` of a machine's parameters. Compilers generate
 * code for it. The executor runs every operation on any machine. */
#ifndef ISA_FEATURES_H
#define ISA_FEATURES_H

#include "sim/core/params.h"

/* In the order of the words in the ENUM rows. */
enum isa_local_alignment { ISA_PLACED, ISA_DECLARED };

struct isa_features {
#define PARAM PARAM_FIELD
#define POW2 PARAM_FIELD
#define ENUM PARAM_FIELD
#include "isa/isa.params.def"
#undef PARAM
#undef POW2
#undef ENUM
};

static inline bool isa_same_features(const struct isa_features *a, const struct isa_features *b) {
  bool same = true;
#define PARAM(name, ...) same &= a->name == b->name;
#define POW2 PARAM
#define ENUM PARAM
#include "isa/isa.params.def"
#undef PARAM
#undef POW2
#undef ENUM
  return same;
}

#endif
