/* Global memory: a handful of buffers, found by walking them from the one found last. */
#include "isa/isa.h"

static bool holds(const struct isa_buffer *buffer, uint64_t address, uint64_t bytes) {
  return address >= buffer->base && bytes <= buffer->bytes && address - buffer->base <= buffer->bytes - bytes;
}

uint8_t *isa_memory_at(struct isa_memory *memory, uint64_t address, uint64_t bytes) {
  for (size_t tried = 0, i = memory->last; tried < memory->count; tried++, i++) {
    if (i >= memory->count)
      i = 0;
    const struct isa_buffer *buffer = &memory->buffers[i];
    if (holds(buffer, address, bytes)) {
      memory->last = i;
      return buffer->data + (address - buffer->base);
    }
  }
  return NULL;
}

const struct isa_buffer *isa_memory_near(const struct isa_memory *memory, uint64_t address) {
  const struct isa_buffer *nearest = NULL;
  for (size_t i = 0; i < memory->count; i++) {
    const struct isa_buffer *buffer = &memory->buffers[i];
    if (buffer->base <= address && (!nearest || buffer->base > nearest->base))
      nearest = buffer;
  }
  return nearest;
}
