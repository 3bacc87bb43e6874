/* Private variables, and copies from memory to memory. A copy uses accesses as wide as the alignment allows, issues
 * several loads before their stores, and becomes a loop if there are many. */
#include <string.h>

#include "opencl/lower/build_core.h"
#include "sim/base/vector.h"

enum {
  MOST_ACCESSES = 128, /* of a copy without a loop */
  AT_ONCE = 8,         /* loads in flight */
  LARGE = 256,         /* bytes; smaller private variables are not shared between calls */
};

/* ---- private variables --------------------------------------------------------------------------- */

/* Reuses the slots of finished calls if they are large. Small ones become values anyway. */
static uint32_t large_slot(struct build *b, uint32_t bytes, uint32_t align) {
  struct build_core *core = b->core;
  for (uint32_t i = 0; i < core->spares; i++) {
    struct core_spare *spare = &core->spare[i];
    if (spare->depth == 0 && spare->bytes == bytes && spare->align == align) {
      spare->depth = core->depth;
      return spare->slot;
    }
  }
  const uint32_t slot = ir_slot_new(b->ir, bytes, align);
  *vector_next(core->spare, core->spares, core->spare_room) = (struct core_spare){slot, bytes, align, core->depth};
  return slot;
}

struct build_pointer core_slot(struct build *b, uint64_t bytes, uint32_t align) {
  if (bytes > ISA_MOST_PRIVATE_BYTES) {
    build_fail(b, "a private variable of %llu bytes; legal: at most %d", (unsigned long long)bytes,
               ISA_MOST_PRIVATE_BYTES);
    bytes = 1;
  }
  const uint32_t size = bytes ? (uint32_t)bytes : 1;
  align = align && align <= 128 && !(align & (align - 1)) ? align : 16;
  const uint32_t slot = size < LARGE ? ir_slot_new(b->ir, size, align) : large_slot(b, size, align);
  const ir_ref address = ir_make(b->ir, IR_SLOT, IR_W1, NULL, 0, slot, b->place);
  ir_append(b->ir, b->block, address);
  return (struct build_pointer){SPACE_PRIVATE, address, IN_PRIVATE};
}

bool lower_variable(struct build *b, const struct spirv_inst *inst) {
  const uint32_t id = inst->word[2];
  const struct spirv_type *pointer = build_type(b, id);
  const struct spirv_type *type =
      pointer && pointer->kind == SPIRV_POINTER ? spirv_type(b->module, pointer->element) : NULL;
  if (!type || pointer->storage != SPIRV_FUNCTION_STORAGE)
    return core_misfit(b, inst);
  if (type->kind == SPIRV_OPAQUE)
    return build_fail(b, "a variable of type %s is not supported", type->name);
  const uint32_t said = b->module->id[id].decoration.alignment;
  const struct build_pointer slot = core_slot(b, type->size, said > type->align ? said : type->align);
  *build_define(b, id) = slot.address;
  if (inst->words <= 4 || b->failed)
    return !b->failed;
  const ir_ref *part = build_parts(b, inst->word[4]);
  if (!part || !core_same_shape(build_type(b, inst->word[4]), type))
    return part ? core_misfit(b, inst) : false;
  const ir_ref plain = type->kind == SPIRV_POINTER ? core_plain(b, inst->word[4]) : 0;
  build_store(b, slot, type, type->align, plain ? &plain : part);
  return !b->failed;
}

/* ---- copies -------------------------------------------------------------------------------------- */

/* The widest access at an offset, up to 16 bytes, that both alignments and the remaining bytes allow. */
static uint32_t width_at(const struct core_access *to, const struct core_access *from, uint64_t offset,
                         uint64_t bytes) {
  uint32_t width = 16;
  while (width > 1 && (width > to->align || width > from->align || (to->offset + offset) % width ||
                       (from->offset + offset) % width || offset + width > bytes))
    width /= 2;
  return width;
}

static void copy_in_line(struct build *b, const struct core_access *to, const struct core_access *from, uint64_t begin,
                         uint64_t end) {
  while (begin < end && !b->failed) {
    ir_ref value[AT_ONCE];
    uint64_t offset[AT_ONCE];
    uint32_t width[AT_ONCE], count = 0;
    for (; begin < end && count < AT_ONCE; begin += width[count++]) {
      width[count] = width_at(to, from, begin, end);
      offset[count] = begin;
      value[count] = core_load_bytes(b, from, begin, width[count]);
    }
    for (uint32_t i = 0; i < count; i++)
      core_store_bytes(b, to, offset[i], width[i], value[i]);
  }
}

static struct core_access moved(struct build *b, const struct core_access *access, ir_ref index) {
  struct core_access result = *access;
  const ir_ref wide = build_op(b, ISA_CVT_U64_U32, index, 0, 0);
  for (unsigned i = 0; i < access->places; i++) {
    const bool global = access->place[i].space == SPACE_GLOBAL;
    result.place[i].address =
        build_op(b, global ? ISA_ADD_64 : ISA_ADD_32, access->place[i].address, global ? wide : index, 0);
  }
  return result;
}

/* `bytes` is a word, a multiple of `width`, possibly 0. */
static void copy_loop(struct build *b, const struct core_access *to, const struct core_access *from, ir_ref bytes,
                      uint32_t width) {
  const uint32_t counter = build_variable(b, IR_W1);
  const uint32_t head = build_block(b), body = build_block(b), after = build_block(b);
  build_set(b, counter, build_32(b, 0));
  build_goto(b, head);
  build_enter(b, head);
  const ir_ref at = build_get(b, counter, IR_W1);
  build_if(b, build_op(b, ISA_SETP_LT_U32, at, bytes, 0), body, after);
  build_enter(b, body);
  const struct core_access source = moved(b, from, at), target = moved(b, to, at);
  core_store_bytes(b, &target, 0, width, core_load_bytes(b, &source, 0, width));
  build_set(b, counter, build_op(b, ISA_ADD_32, at, build_32(b, width), 0));
  build_goto(b, head);
  build_enter(b, after);
}

void core_copy_access(struct build *b, const struct core_access *to, const struct core_access *from, uint64_t bytes) {
  const uint32_t width = width_at(to, from, 0, bytes);
  if (!from->places || bytes / width <= MOST_ACCESSES) {
    copy_in_line(b, to, from, 0, bytes);
    return;
  }
  const uint64_t whole = bytes / width * width;
  copy_loop(b, to, from, build_32(b, (uint32_t)whole), width);
  copy_in_line(b, to, from, whole, bytes);
}

void core_copy(struct build *b, struct build_pointer to, struct build_pointer from, uint64_t bytes, uint32_t align) {
  const struct core_access source = core_access(b, from, align), target = core_access(b, to, align);
  core_copy_access(b, &target, &source, bytes);
}

/* Copies an unknown number of bytes, one at a time. Such sizes come from the program, which gives no alignment. */
static bool copy_unknown(struct build *b, const struct spirv_inst *inst, struct build_pointer to,
                         struct build_pointer from) {
  const struct spirv_type *type = build_type(b, inst->word[3]);
  if (!type || type->kind != SPIRV_INT)
    return core_misfit(b, inst);
  const ir_ref bytes = build_extended(b, build_value(b, inst->word[3]), type->bits, false);
  const struct core_access source = core_access(b, from, 1), target = core_access(b, to, 1);
  if (!b->failed)
    copy_loop(b, &target, &source, type->bits == 64 ? build_word(b, bytes, 0) : bytes, 1);
  return !b->failed;
}

bool lower_copy_memory(struct build *b, const struct spirv_inst *inst) {
  const struct build_pointer to = build_pointer(b, inst->word[1]), from = build_pointer(b, inst->word[2]);
  const bool sized = inst->op == OpCopyMemorySized;
  if (b->failed)
    return false;
  const struct spirv_type *type = spirv_type(b->module, build_type(b, inst->word[1])->element);
  uint64_t bytes = sized ? 0 : type->size;
  const uint32_t said = spirv_alignment(inst, sized ? 4 : 3);
  if (sized && !spirv_integer(b->module, inst->word[3], &bytes))
    return copy_unknown(b, inst, to, from);
  if (bytes > UINT32_MAX)
    return build_fail(b, "a copy of %llu bytes", (unsigned long long)bytes);
  core_copy(b, to, from, bytes, said ? said : sized ? 1 : type->align);
  return !b->failed;
}
