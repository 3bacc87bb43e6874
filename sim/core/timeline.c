#include "sim/core/timeline.h"

/* clang-format off */
#define FIELD(event, id, name, type, text) {name, type, text},
#define EVENT(id, block, name, unit, text, fields) \
  {name, unit, text, TIMELINE_BLOCK_##block, TIMELINE_##id##_COUNT, {fields{0}}},
const struct timeline_kind_row timeline_kind_rows[TIMELINE_KINDS] = {
#include "sim/core/timeline.def"
};
#undef EVENT
#undef FIELD

#define BLOCK(id, name, text) {name, text},
const struct timeline_block_row timeline_block_rows[TIMELINE_BLOCKS] = {
#include "sim/core/timeline.def"
};
#undef BLOCK
/* clang-format on */

void timeline_emit(const struct timeline_tap *tap, cycle_t now, struct timeline_event event) {
  event.cu = tap->cu;
  tap->timeline->take(tap->timeline->self, tap->stream, now, &event);
}
