#include "isa/isa.h"

const struct isa_hazard_row isa_hazard_rows[HAZARDS] = {
#define HAZARD(id, rule, text, advice) {rule, text, advice},
#include "isa/hazards.def"
#undef HAZARD
};
