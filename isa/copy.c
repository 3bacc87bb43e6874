/* A copy and its fields: the only place where elements become bytes, and bytes elements. */
#include "isa/isa.h"

/* Bytes that a field counts in. Elements of 0 bytes count as 1, so that the fields of a copy of nothing are kept. */
static uint64_t unit_of(uint64_t element_bytes) { return element_bytes ? element_bytes : 1; }

struct isa_copy isa_copy_of(const uint64_t field[COPY_FIELDS]) {
  const uint64_t element = unit_of((uint32_t)field[COPY_ELEMENT_BYTES]);
  struct isa_copy copy = {0};
#define COPY_FIELD(id, type, place, unit, ...) copy.place = (type)field[COPY_##id] * unit;
#define COPY_NAMED(byte, operand, ...) COPY_FIELD(__VA_ARGS__)
  COPY_ROWS(COPY_FIELD, COPY_NAMED)
#undef COPY_FIELD
  copy.form &= ISA_COPY_FORMS - 1; /* a trace may be damaged */
  copy.lds.bytes = copy.global.bytes;
  copy.lds.lines = copy.global.lines;
  copy.lds.planes = copy.global.planes;
  return copy;
}

void isa_copy_fields(const struct isa_copy *copy, uint64_t field[COPY_FIELDS]) {
  const uint64_t element = unit_of(copy->element_bytes);
#define COPY_FIELD(id, type, place, unit, ...) field[COPY_##id] = (uint64_t)copy->place / unit;
  COPY_ROWS(COPY_FIELD, COPY_NAMED)
#undef COPY_FIELD
}

/* The event that covers a copy is no argument: warps that missed a copy count on. */
bool isa_same_copy(const struct isa_copy *a, const struct isa_copy *b) {
#define COPY_FIELD(id, type, place, ...) &&(COPY_##id == COPY_EVENT || a->place == b->place)
  return true COPY_ROWS(COPY_FIELD, COPY_NAMED);
#undef COPY_FIELD
}
#undef COPY_NAMED
