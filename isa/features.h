/* Operations that some machines have and others lack: the group `isa` of a machine's parameters. Compilers generate
 * code for it. The executor runs every operation on any machine. */
#ifndef ISA_FEATURES_H
#define ISA_FEATURES_H

#include "sim/core/params.h"

#define PARAM(...)
#define POW2(...)
#define SWITCH(...)
#define CHOICE(id, word) id,
#define ENUM(name, initial, choices, ...) enum isa_##name{choices};
#include "isa/isa.params.def"
#undef PARAM
#undef POW2
#undef SWITCH
#undef CHOICE
#undef ENUM

struct isa_features {
#define PARAM PARAM_FIELD
#define POW2 PARAM_FIELD
#define ENUM PARAM_FIELD
#define SWITCH PARAM_FIELD
#include "isa/isa.params.def"
#undef PARAM
#undef POW2
#undef ENUM
#undef SWITCH
};

static inline bool isa_same_features(const struct isa_features *a, const struct isa_features *b) {
  bool same = true;
#define PARAM(name, ...) same &= a->name == b->name;
#define POW2 PARAM
#define ENUM PARAM
#define SWITCH PARAM
#include "isa/isa.params.def"
#undef PARAM
#undef POW2
#undef ENUM
#undef SWITCH
  return same;
}

#endif
