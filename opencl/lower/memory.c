/* Loads and stores of any type. A value is a list of leaves: its scalars with their offsets. Neighbors that fill a
 * wider, aligned access are accessed together; an unaligned scalar is assembled from bytes. Each access repeats for
 * every space that the pointer may point to. A load of the constant table from a constant address becomes a
 * constant. */
#include <assert.h>
#include <string.h>

#include "opencl/lower/build_core.h"

/* ---- one access ---------------------------------------------------------------------------------- */

static const uint8_t isa_space[] = {[SPACE_GLOBAL] = ISA_SPACE_GLOBAL,
                                    [SPACE_LOCAL] = ISA_SPACE_LDS,
                                    [SPACE_PRIVATE] = ISA_SPACE_PRIVATE,
                                    [SPACE_TABLE] = ISA_SPACE_CONSTANT};

struct core_access core_access(struct build *b, struct build_pointer pointer, uint32_t align) {
  struct core_access access = {.align = align && !(align & (align - 1)) ? align : 1};
  access.places = build_spaces(b, pointer, access.place);
  return access;
}

static ir_ref memory_op(struct build *b, uint16_t op, const struct build_place *place, uint64_t offset, ir_ref value) {
  const ir_ref operand[] = {place->address, 0, value};
  const ir_ref ref = ir_make(b->ir, op, ir_width_of(op), operand, value ? 3 : 1, offset, b->place);
  b->ir->inst[ref].guard = place->guard;
  b->ir->inst[ref].guard_not = place->guard_not;
  ir_append(b->ir, b->block, ref);
  return ref;
}

static ir_ref quad(struct build *b, const ir_ref word[4]) {
  const ir_ref ref = ir_make(b->ir, IR_JOIN, IR_W4, word, 4, 0, b->place);
  ir_append(b->ir, b->block, ref);
  return ref;
}

/* The table's content at a constant address inside it; 0: it is not known. */
static ir_ref constant_content(struct build *b, const struct build_place *place, uint64_t offset, uint32_t bytes) {
  uint32_t word[4] = {0};
  if (place->space != SPACE_TABLE || place->guard || !ir_is_const(b->ir, place->address))
    return 0;
  const uint64_t at = (uint32_t)(b->ir->inst[place->address].imm + offset);
  if (at + bytes > b->tables->constant_bytes)
    return 0;
  memcpy(word, b->tables->constants + at, bytes);
  ir_ref part[4];
  for (unsigned i = 0; i < 4; i++)
    part[i] = build_32(b, word[i]);
  return bytes == 16 ? quad(b, part) : bytes == 8 ? build_pair(b, part[0], part[1]) : part[0];
}

ir_ref core_load_bytes(struct build *b, const struct core_access *access, uint64_t offset, uint32_t bytes) {
  offset += access->offset;
  if (!access->places) {
    const uint16_t op = isa_load(ISA_SPACE_ARG, bytes);
    const ir_ref ref = ir_make(b->ir, op, ir_width_of(op), NULL, 0, offset, b->place);
    ir_append(b->ir, b->block, ref);
    return ref;
  }
  ir_ref value = constant_content(b, &access->place[0], offset, bytes);
  for (unsigned i = 0; i < access->places && !(i == 0 && value); i++) {
    const struct build_place *place = &access->place[i];
    const ir_ref ref = memory_op(b, isa_load(isa_space[place->space], bytes), place, offset, 0);
    b->ir->inst[ref].keep = place->guard ? value : 0;
    value = ref;
  }
  return value;
}

void core_store_bytes(struct build *b, const struct core_access *access, uint64_t offset, uint32_t bytes,
                      ir_ref value) {
  for (unsigned i = 0; i < access->places; i++) {
    const struct build_place *place = &access->place[i];
    if (place->space == SPACE_TABLE) {
      if (access->places == 1)
        build_fail(b, "a store into constant memory");
      continue;
    }
    memory_op(b, isa_store(isa_space[place->space], bytes), place, offset + access->offset, value);
  }
}

/* ---- leaves -------------------------------------------------------------------------------------- */

struct leaf {
  uint64_t offset;
  const struct spirv_type *type;
  uint32_t bytes;
};

/* An event is one word, although its type occupies more. */
static uint32_t leaf_bytes(const struct spirv_type *type) {
  return type->kind == SPIRV_EVENT ? 4 : type->kind == SPIRV_BOOL ? 1 : (uint32_t)type->size;
}

static struct leaf *put_leaves(struct build *b, const struct spirv_type *type, uint64_t offset, struct leaf *leaf) {
  const struct spirv_type *element = NULL;
  switch ((enum spirv_type_kind)type->kind) {
  case SPIRV_VECTOR:
  case SPIRV_ARRAY:
    element = spirv_type(b->module, type->element);
    for (uint32_t i = 0; i < type->count; i++)
      leaf = put_leaves(b, element, offset + i * element->size, leaf);
    return leaf;
  case SPIRV_STRUCT:
    for (uint32_t i = 0; i < type->count; i++)
      leaf = put_leaves(b, spirv_type(b->module, type->member[i]), offset + type->offset[i], leaf);
    return leaf;
  default:
    *leaf = (struct leaf){offset, type, leaf_bytes(type)};
    if (core_width(type) == IR_NOTHING)
      build_fail(b, "%s in memory is not supported", type->name ? type->name : "a value of this type");
    return leaf + 1;
  }
}

static bool leaves_of(struct build *b, const struct spirv_type *type, struct leaf *leaf) {
  uint32_t count = 0;
  if (!core_part_count(b, type, &count))
    return false;
  const struct leaf *end = put_leaves(b, type, 0, leaf);
  assert((b->failed || end == leaf + count) && "a type has as many scalars as its parts say");
  (void)end;
  return !b->failed;
}

static bool aligned(const struct core_access *access, uint64_t offset, uint32_t bytes) {
  return access->align >= bytes && (offset + access->offset) % bytes == 0;
}

/* How many leaves are in the `bytes` from the first one's offset. 0 if one extends beyond them or if they fill only
 * half or less; without `holes`, also 0 if they leave any gap. */
static uint32_t leaves_in(const struct leaf *leaf, uint32_t count, uint32_t bytes, bool holes) {
  const uint64_t begin = leaf[0].offset;
  uint64_t end = begin;
  uint32_t taken = 0;
  for (; taken < count && leaf[taken].offset < begin + bytes; taken++) {
    if (leaf[taken].offset != end && (!holes || leaf[taken].offset < end))
      return 0;
    end = leaf[taken].offset + leaf[taken].bytes;
  }
  if (end > begin + bytes || (!holes && end != begin + bytes))
    return 0;
  return 2 * (end - begin) > bytes ? taken : 0;
}

/* The size of the widest access that covers more than the first leaf; 0: none. */
static uint32_t widest(const struct core_access *access, const struct leaf *leaf, uint32_t count, uint64_t size,
                       bool holes, uint32_t *taken) {
  for (uint32_t bytes = 16; bytes > leaf->bytes; bytes /= 2) {
    if (!aligned(access, leaf->offset, bytes) || leaf->offset + bytes > size)
      continue;
    *taken = leaves_in(leaf, count, bytes, holes);
    if (*taken > 1)
      return bytes;
  }
  return 0;
}

/* ---- loads --------------------------------------------------------------------------------------- */

/* A part from its bytes in memory; `clean`: the word's other bits are zero. */
static ir_ref part_of(struct build *b, const struct leaf *leaf, ir_ref raw, bool clean) {
  if (leaf->type->kind == SPIRV_BOOL) {
    const ir_ref byte = clean ? raw : build_extended(b, raw, 8, false);
    return build_op(b, ISA_SETP_NE_U32, byte, build_32(b, 0), 0);
  }
  if (leaf->type->kind == SPIRV_FLOAT && leaf->bytes == 2 && !clean)
    return build_extended(b, raw, 16, false);
  if (leaf->bytes == 8 && core_width(leaf->type) == IR_W1)
    return build_word(b, raw, 0);
  return raw;
}

static ir_ref load_apart(struct build *b, const struct core_access *access, uint64_t offset, uint32_t bytes) {
  if (aligned(access, offset, bytes) || bytes == 1)
    return core_load_bytes(b, access, offset, bytes);
  const ir_ref low = load_apart(b, access, offset, bytes / 2);
  const ir_ref high = load_apart(b, access, offset + bytes / 2, bytes / 2);
  if (bytes == 8)
    return build_pair(b, low, high);
  return build_op(b, ISA_OR_32, low, build_op(b, ISA_SHL_32, high, build_32(b, 4 * bytes), 0), 0);
}

static void split_words(struct build *b, ir_ref value, uint32_t bytes, ir_ref *word) {
  word[0] = value;
  for (uint32_t i = 0; bytes > 4 && i < bytes / 4; i++)
    word[i] = build_word(b, value, i);
}

static ir_ref from_chunk(struct build *b, const struct leaf *leaf, uint64_t at, const ir_ref *word) {
  const uint32_t shift = 8 * (uint32_t)(at % 4);
  ir_ref raw = word[at / 4];
  if (leaf->bytes == 8)
    raw = build_pair(b, raw, word[at / 4 + 1]);
  else if (shift)
    raw = build_op(b, ISA_SHR_U32, raw, build_32(b, shift), 0);
  return part_of(b, leaf, raw, shift + 8 * leaf->bytes == 32);
}

void core_load(struct build *b, const struct core_access *access, const struct spirv_type *type, ir_ref *part) {
  struct leaf leaf[SPIRV_MOST_PARTS];
  if (!leaves_of(b, type, leaf))
    return;
  for (uint32_t i = 0, taken = 0; i < type->parts && !b->failed; i += taken) {
    const uint32_t bytes = widest(access, &leaf[i], type->parts - i, type->size, true, &taken);
    if (!bytes) {
      part[i] = part_of(b, &leaf[i], load_apart(b, access, leaf[i].offset, leaf[i].bytes), true);
      taken = 1;
      continue;
    }
    ir_ref word[4];
    split_words(b, core_load_bytes(b, access, leaf[i].offset, bytes), bytes, word);
    for (uint32_t k = 0; k < taken; k++)
      part[i + k] = from_chunk(b, &leaf[i + k], leaf[i + k].offset - leaf[i].offset, word);
  }
}

void build_load(struct build *b, struct build_pointer pointer, const struct spirv_type *type, uint32_t align,
                ir_ref *parts) {
  const struct core_access access = core_access(b, pointer, align);
  core_load(b, &access, type, parts);
}

/* ---- stores -------------------------------------------------------------------------------------- */

static ir_ref raw_of(struct build *b, const struct leaf *leaf, ir_ref part) {
  if (leaf->type->kind == SPIRV_BOOL)
    return build_op(b, ISA_CVT_U32_P, part, 0, 0);
  if (leaf->bytes == 8 && core_width(leaf->type) == IR_W1)
    return build_pair(b, part, build_32(b, 0));
  return part;
}

static void store_apart(struct build *b, const struct core_access *access, uint64_t offset, uint32_t bytes,
                        ir_ref raw) {
  if (aligned(access, offset, bytes) || bytes == 1) {
    core_store_bytes(b, access, offset, bytes, raw);
    return;
  }
  const ir_ref low = bytes == 8 ? build_word(b, raw, 0) : raw;
  const ir_ref high = bytes == 8 ? build_word(b, raw, 1) : build_op(b, ISA_SHR_U32, raw, build_32(b, 4 * bytes), 0);
  store_apart(b, access, offset, bytes / 2, low);
  store_apart(b, access, offset + bytes / 2, bytes / 2, high);
}

/* Adds a leaf to the words of a chunk; narrow leaves are combined by OR. */
static void into_words(struct build *b, const struct leaf *leaf, uint64_t at, ir_ref part, ir_ref *word) {
  const uint32_t shift = 8 * (uint32_t)(at % 4);
  const ir_ref raw = raw_of(b, leaf, part);
  if (leaf->bytes == 8) {
    word[at / 4] = build_word(b, raw, 0);
    word[at / 4 + 1] = build_word(b, raw, 1);
    return;
  }
  const bool clean = leaf->bytes == 4 || shift + 8 * leaf->bytes == 32 || leaf->type->kind == SPIRV_BOOL ||
                     leaf->type->kind == SPIRV_FLOAT;
  ir_ref moved = clean ? raw : build_extended(b, raw, 8 * leaf->bytes, false);
  if (shift)
    moved = build_op(b, ISA_SHL_32, moved, build_32(b, shift), 0);
  word[at / 4] = word[at / 4] ? build_op(b, ISA_OR_32, word[at / 4], moved, 0) : moved;
}

static ir_ref chunk_of(struct build *b, const ir_ref *word, uint32_t bytes) {
  return bytes == 16 ? quad(b, word) : bytes == 8 ? build_pair(b, word[0], word[1]) : word[0];
}

static void core_store(struct build *b, const struct core_access *access, const struct spirv_type *type,
                       const ir_ref *part) {
  struct leaf leaf[SPIRV_MOST_PARTS];
  if (!leaves_of(b, type, leaf))
    return;
  for (uint32_t i = 0, taken = 0; i < type->parts && !b->failed; i += taken) {
    const uint32_t bytes = widest(access, &leaf[i], type->parts - i, type->size, false, &taken);
    if (!bytes) {
      store_apart(b, access, leaf[i].offset, leaf[i].bytes, raw_of(b, &leaf[i], part[i]));
      taken = 1;
      continue;
    }
    ir_ref word[4] = {0};
    for (uint32_t k = 0; k < taken; k++)
      into_words(b, &leaf[i + k], leaf[i + k].offset - leaf[i].offset, part[i + k], word);
    core_store_bytes(b, access, leaf[i].offset, bytes, chunk_of(b, word, bytes));
  }
}

void build_store(struct build *b, struct build_pointer pointer, const struct spirv_type *type, uint32_t align,
                 const ir_ref *parts) {
  const struct core_access access = core_access(b, pointer, align);
  core_store(b, &access, type, parts);
}

/* ---- the instructions ---------------------------------------------------------------------------- */

static uint32_t alignment(const struct spirv_inst *inst, unsigned position, const struct spirv_type *type) {
  const uint32_t said = spirv_alignment(inst, position);
  return said ? said : type->align;
}

/* Built-in variables are not in memory. */
static bool is_builtin(struct build *b, uint32_t id) {
  const struct spirv_id *row = &b->module->id[id];
  return row->kind == SPIRV_VARIABLE && row->decoration.builtin >= 0;
}

void build_volatile(struct build *b, uint32_t first) {
  for (uint32_t i = first; i < b->ir->count; i++) {
    const struct isa_row *row = ir_row(b->ir, i);
    struct ir_inst *inst = &b->ir->inst[i];
    inst->is_volatile =
        row->access == ISA_ACCESS_LOAD && row->space != ISA_SPACE_ARG && row->space != ISA_SPACE_CONSTANT;
    if (inst->is_volatile && row->space == ISA_SPACE_GLOBAL && row->via == ISA_VIA_PLAIN)
      inst->op = isa_access_op(ISA_SPACE_GLOBAL, ISA_ACCESS_LOAD, ISA_VIA_PAST_L1,
                               row->a); /* the L1 might return the same value forever */
  }
}

static void load(struct build *b, const struct spirv_inst *inst, const struct spirv_type *type, ir_ref *part) {
  const uint32_t first = b->ir->count;
  build_load(b, build_pointer(b, inst->word[3]), type, alignment(inst, 4, type), part);
  if (inst->words > 4 && inst->word[4] & MemoryAccessVolatile)
    build_volatile(b, first);
}

bool lower_load(struct build *b, const struct spirv_inst *inst) {
  const uint32_t id = inst->word[2], from = inst->word[3];
  const struct spirv_type *type = build_type(b, id);
  if (!type)
    return core_misfit(b, inst);
  if (is_builtin(b, from))
    return build_builtin(b, (unsigned)b->module->id[from].decoration.builtin, type, build_define(b, id));
  build_pointer(b, from);
  if (b->failed || !channel_is_memory(b, from))
    return false;
  if (type->kind != SPIRV_POINTER) {
    load(b, inst, type, build_define(b, id));
    return !b->failed;
  }
  ir_ref plain = 0;
  load(b, inst, type, &plain);
  if (b->failed)
    return false;
  return core_define_pointer(b, id, core_from_plain(b, type, plain, core_spaces(b, id)));
}

bool lower_store(struct build *b, const struct spirv_inst *inst) {
  const uint32_t value = inst->word[2];
  const struct build_pointer pointer = build_pointer(b, inst->word[1]);
  const ir_ref *part = build_parts(b, value);
  const struct spirv_type *type = build_type(b, value);
  if (b->failed || !part || !type)
    return b->failed ? false : core_misfit(b, inst);
  if (!channel_is_memory(b, inst->word[1]))
    return false;
  const ir_ref plain = type->kind == SPIRV_POINTER ? core_plain(b, value) : 0;
  build_store(b, pointer, type, alignment(inst, 3, type), plain ? &plain : part);
  return !b->failed;
}
