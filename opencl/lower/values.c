/* The parts of an id: created on demand for constants, found in the table for results. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/rows.h"
#include "opencl/lower/build_core.h"
#include "sim/base/need.h"

/* ---- memory for parts ---------------------------------------------------------------------------- */

enum { CHUNK = 1 << 14 };

struct core_chunk {
  struct core_chunk *next;
  uint64_t used, room;
  ir_ref ref[];
};

/* Chunks never move, because parts are referenced while more are allocated. */
ir_ref *core_room(struct build *b, uint64_t count) {
  struct core_chunk *chunk = b->core->chunk;
  if (!chunk || chunk->room - chunk->used < count) {
    const uint64_t room = count > CHUNK ? count : CHUNK;
    chunk = need(1, need_size(sizeof *chunk + room * sizeof(ir_ref)));
    *chunk = (struct core_chunk){.next = b->core->chunk, .room = room};
    b->core->chunk = chunk;
  }
  ir_ref *room = chunk->ref + chunk->used;
  chunk->used += count;
  return room;
}

void core_room_free(struct build *b) {
  while (b->core->chunk) {
    struct core_chunk *next = b->core->chunk->next;
    free(b->core->chunk);
    b->core->chunk = next;
  }
}

/* ---- types --------------------------------------------------------------------------------------- */

const struct spirv_type *build_type(struct build *b, uint32_t id) { return spirv_type_of(b->module, id); }

const struct spirv_type *build_scalar(struct build *b, const struct spirv_type *type) {
  const struct spirv_type *scalar = type && type->kind == SPIRV_VECTOR ? spirv_type(b->module, type->element) : type;
  const bool good = scalar && (scalar->kind == SPIRV_BOOL || scalar->kind == SPIRV_INT || scalar->kind == SPIRV_FLOAT);
  return good ? scalar : NULL;
}

enum ir_width core_width(const struct spirv_type *type) {
  switch ((enum spirv_type_kind)type->kind) {
  case SPIRV_BOOL:
    return IR_PRED;
  case SPIRV_INT:
  case SPIRV_FLOAT:
    return type->bits == 64 ? IR_W2 : IR_W1;
  case SPIRV_POINTER:
    return type->storage == SPIRV_WORKGROUP || type->storage == SPIRV_FUNCTION_STORAGE ? IR_W1 : IR_W2;
  case SPIRV_EVENT:
  case SPIRV_SAMPLER:
    return IR_W1;
  case SPIRV_PIPE:
  case SPIRV_IMAGE:
    return IR_W2;
  default:
    return IR_NOTHING;
  }
}

bool core_part_count(struct build *b, const struct spirv_type *type, uint32_t *count) {
  if (!type)
    return build_fail(b, "a value has no type");
  if (type->kind == SPIRV_OPAQUE)
    return build_fail(b, "%s is not supported", type->name);
  if (type->parts > SPIRV_MOST_PARTS)
    return build_fail(b, "a value of more than %d scalars; copy it in memory instead", SPIRV_MOST_PARTS);
  *count = type->parts;
  return true;
}

static uint8_t *put_widths(struct build *b, const struct spirv_type *type, uint8_t *width) {
  switch ((enum spirv_type_kind)type->kind) {
  case SPIRV_VECTOR:
  case SPIRV_ARRAY:
    for (uint32_t i = 0; i < type->count; i++)
      width = put_widths(b, spirv_type(b->module, type->element), width);
    return width;
  case SPIRV_STRUCT:
    for (uint32_t i = 0; i < type->count; i++)
      width = put_widths(b, spirv_type(b->module, type->member[i]), width);
    return width;
  case SPIRV_SAMPLED_IMAGE:
    width[0] = IR_W2;
    width[1] = IR_W1;
    return width + 2;
  default:
    *width = (uint8_t)core_width(type);
    if (*width == IR_NOTHING)
      build_fail(b, "%s is not supported", type->name ? type->name : "a value of this type");
    return width + 1;
  }
}

bool core_widths(struct build *b, const struct spirv_type *type, uint8_t *width) {
  uint32_t count = 0;
  if (!core_part_count(b, type, &count))
    return false;
  const uint8_t *end = put_widths(b, type, width);
  assert((b->failed || end == width + count) && "a type has as many scalars as its parts say");
  (void)end;
  return !b->failed;
}

bool core_undefined(struct build *b, const struct spirv_type *type, ir_ref *part) {
  uint8_t width[SPIRV_MOST_PARTS];
  if (!core_widths(b, type, width))
    return false;
  for (uint32_t i = 0; i < type->parts; i++)
    part[i] = ir_undef(b->ir, (enum ir_width)width[i]);
  return true;
}

bool core_zero(struct build *b, const struct spirv_type *type, ir_ref *part) {
  uint8_t width[SPIRV_MOST_PARTS];
  if (!core_widths(b, type, width))
    return false;
  for (uint32_t i = 0; i < type->parts; i++)
    part[i] = ir_const(b->ir, (enum ir_width)width[i], 0);
  return true;
}

/* Different type ids may denote the same type, because translators duplicate types. */
bool core_same_shape(const struct spirv_type *left, const struct spirv_type *right) {
  return left == right || (left && right && left->kind == right->kind && left->parts == right->parts &&
                           left->bits == right->bits && left->storage == right->storage);
}

ir_ref core_word(struct build *b, uint32_t id, const char *wrong) {
  const struct spirv_type *type = build_type(b, id);
  if (!type || type->kind != SPIRV_INT) {
    build_fail(b, "%s", wrong);
    return build_32(b, 0);
  }
  const ir_ref value = build_extended(b, build_value(b, id), type->bits, false);
  return type->bits == 64 ? build_word(b, value, 0) : value;
}

bool core_misfit(struct build *b, const struct spirv_inst *inst) {
  char room[32];
  return build_fail(b, "%s has operands of the wrong type", spirv_op_name(inst->op, room));
}

/* ---- constants ----------------------------------------------------------------------------------- */

static bool constant_composite(struct build *b, const struct spirv_inst *inst, uint32_t count, ir_ref *part) {
  uint32_t filled = 0;
  for (uint32_t i = 3; i < inst->words; i++) {
    const struct spirv_type *type = build_type(b, inst->word[i]);
    const ir_ref *from = build_parts(b, inst->word[i]);
    if (!from || type->parts > count - filled)
      return from ? core_misfit(b, inst) : false;
    memcpy(part + filled, from, type->parts * sizeof *part);
    if (type->kind == SPIRV_POINTER)
      part[filled] = core_plain(b, inst->word[i]);
    filled += type->parts;
  }
  return filled == count || core_misfit(b, inst);
}

/* A scalar's bits from the words of its OpConstant, where narrow ones are already extended. */
static bool constant_scalar(struct build *b, const struct spirv_inst *inst, const struct spirv_type *type,
                            ir_ref *part) {
  const bool wide = type->bits == 64;
  if ((type->kind != SPIRV_INT && type->kind != SPIRV_FLOAT) || inst->words < (wide ? 5 : 4))
    return core_misfit(b, inst);
  const uint64_t bits = wide ? (uint64_t)inst->word[4] << 32 | inst->word[3] : inst->word[3];
  const bool narrow_float = type->kind == SPIRV_FLOAT && type->bits == 16;
  *part = ir_const(b->ir, core_width(type), narrow_float ? bits & 0xffff : bits);
  return true;
}

/* A constant that needs instructions is lowered at each use and not kept: only the entry block dominates all uses. */
static const ir_ref *constant_operation(struct build *b, const struct spirv_inst *inst) {
  uint32_t word[64] = {0};
  const uint32_t id = inst->word[2];
  if (inst->words < 5 || inst->words > sizeof word / sizeof *word) {
    core_misfit(b, inst);
    return NULL;
  }
  word[1] = inst->word[1];
  word[2] = id;
  memcpy(word + 3, inst->word + 4, (inst->words - 4u) * sizeof *word);
  word[0] = (uint32_t)(inst->words - 1) << 16 | inst->word[3];
  const struct spirv_inst made = {word, (uint16_t)inst->word[3], (uint16_t)(inst->words - 1), inst->place};
  const bool good =
      ++b->core->depth <= CORE_MOST_DEPTH ? core_lower(b, &made) : build_fail(b, "constants are nested too deep");
  b->core->depth--;
  const ir_ref *part = good ? b->core->ids.part[id] : NULL;
  b->core->ids.part[id] = NULL;
  return part;
}

static bool constant_parts(struct build *b, const struct spirv_inst *inst, const struct spirv_type *type,
                           ir_ref *part) {
  switch (inst->op) {
  case OpConstantTrue:
  case OpConstantFalse:
  case OpSpecConstantTrue:
  case OpSpecConstantFalse:
    *part = build_pred(b, inst->op == OpConstantTrue || inst->op == OpSpecConstantTrue);
    return type->kind == SPIRV_BOOL || core_misfit(b, inst);
  case OpConstant:
  case OpSpecConstant:
    return constant_scalar(b, inst, type, part);
  case OpConstantNull:
    if (type->kind != SPIRV_POINTER)
      return core_zero(b, type, part);
    *part = core_null(b, type);
    return true;
  case OpConstantSampler:
    *part = build_32(b, (uint32_t)b->module->id[inst->word[2]].value);
    return !b->failed;
  case OpUndef:
    return core_undefined(b, type, part);
  case OpConstantComposite:
  case OpSpecConstantComposite:
    return constant_composite(b, inst, type->parts, part);
  default: {
    char room[32];
    return build_fail(b, "%s is not supported", spirv_op_name(inst->op, room));
  }
  }
}

static const ir_ref *constant(struct build *b, uint32_t id) {
  const struct spirv_inst *inst = &b->module->inst[b->module->id[id].index];
  if (inst->op == OpSpecConstantOp)
    return constant_operation(b, inst);
  const struct spirv_type *type = build_type(b, id);
  uint32_t count = 0;
  if (!core_part_count(b, type, &count))
    return NULL;
  ir_ref *part = core_room(b, count);
  if (!constant_parts(b, inst, type, part))
    return NULL;
  return core_set(b, id, part);
}

/* ---- variables of the module --------------------------------------------------------------------- */

static uint32_t take_lds(struct build *b, uint32_t bytes, uint32_t align) {
  uint64_t at = b->ir->lds_bytes;
  if (b->core->has_nulls && at < CORE_NULL_ROOM)
    at = CORE_NULL_ROOM;
  at = (at + align - 1) / align * align;
  if (at + bytes > ISA_MOST_LDS_BYTES) {
    build_fail(b, "kernel '%.60s' has more than %d bytes of local variables", b->ir->name, ISA_MOST_LDS_BYTES);
    return 0;
  }
  b->ir->lds_bytes = (uint32_t)(at + bytes);
  return (uint32_t)at;
}

uint32_t build_scratch(struct build *b, uint32_t bytes, uint32_t align) {
  b->ir->scratch = take_lds(b, bytes, align);
  b->ir->scratch_bytes = b->failed ? 0 : bytes;
  return b->ir->scratch;
}

static bool is_taken(const struct ir *ir, const char *name) {
  for (size_t i = 0; i < ir->arg_count; i++)
    if (strcmp(ir->args[i].name, name) == 0)
      return true;
  for (size_t i = 0; i < ir->lds_count; i++)
    if (strcmp(ir->lds[i].name, name) == 0)
      return true;
  return false;
}

/* A local variable's name in the source, for reports. clang's name is "kernel.name", with ".1" after it for a
 * duplicate. A name that is taken (a called kernel's variable may have the caller's name) or is a register's ("p1")
 * gets a number. */
static void local_name(const struct build *b, uint32_t id, char name[static ISA_LONGEST_NAME + 1]) {
  enum { ROOM = 12 }; /* for a number */
  const char *said = b->module->id[id].name ? b->module->id[id].name : "", *dot = strchr(said, '.');
  const char *word = dot ? dot + 1 : said;
  const size_t size = strcspn(word, ".");
  const int length = size < ISA_LONGEST_NAME - ROOM ? (int)size : ISA_LONGEST_NAME - ROOM;
  snprintf(name, ISA_LONGEST_NAME + 1, "%.*s", length, word);
  for (size_t number = b->ir->lds_count + 1; !isa_is_name(name, strlen(name)) || is_taken(b->ir, name); number++) {
    snprintf(name, ISA_LONGEST_NAME + 1, "%.*s_%zu", length, word, number);
    if (!isa_is_name(name, strlen(name)))
      snprintf(name, ISA_LONGEST_NAME + 1, "local_%zu", number);
  }
}

static void name_local(struct build *b, uint32_t id, uint32_t offset, uint32_t bytes, uint32_t align) {
  struct ir *ir = b->ir;
  if (b->failed || ir->lds_count == ISA_MOST_LDS_VARIABLES)
    return;
  char *name = need(ISA_LONGEST_NAME + 1, 1);
  local_name(b, id, name);
  ir->lds = need_more(ir->lds, ir->lds_count + 1, sizeof *ir->lds);
  ir->lds_align = need_more(ir->lds_align, ir->lds_count + 1, sizeof *ir->lds_align);
  ir->lds_align[ir->lds_count] = align;
  ir->lds[ir->lds_count++] = (struct isa_lds_variable){need_copy(name), offset, bytes};
  free(name);
}

/* Allocates a kernel's local variables in the order of their first use. */
static ir_ref local_variable(struct build *b, uint32_t id) {
  const struct spirv_type *type = spirv_type(b->module, build_type(b, id)->element);
  if (!b->core->ids.lds[id]) {
    const uint32_t said = b->module->id[id].decoration.alignment, natural = type->align ? type->align : 1;
    const uint32_t align = said > natural && said <= 4096 && !(said & (said - 1)) ? said : natural;
    const uint32_t bytes = type->size > ISA_MOST_LDS_BYTES ? ISA_MOST_LDS_BYTES + 1 : (uint32_t)type->size;
    const uint32_t offset = take_lds(b, bytes, align);
    name_local(b, id, offset, bytes, align);
    b->core->ids.lds[id] = 1 + (uint64_t)offset;
  }
  return build_32(b, (uint32_t)(b->core->ids.lds[id] - 1));
}

static const ir_ref *variable(struct build *b, uint32_t id) {
  const struct spirv_type *type = build_type(b, id);
  ir_ref *part = core_room(b, 1);
  if (!type || type->kind != SPIRV_POINTER) {
    build_fail(b, "a variable is not a pointer");
    return NULL;
  }
  switch (type->storage) {
  case SPIRV_WORKGROUP:
    *part = local_variable(b, id);
    break;
  case SPIRV_UNIFORM_CONSTANT:
  case SPIRV_FUNCTION_STORAGE: /* see tables.c */
    *part = build_64(b, ISA_CONSTANT_APERTURE + b->tables->address[id]);
    break;
  case SPIRV_CROSS_WORKGROUP:
    *part = build_64(b, b->tables->address[id]);
    break;
  default:
    build_fail(b, "a built-in variable is used other than by a load");
    return NULL;
  }
  return core_set(b, id, part);
}

/* ---- ids ----------------------------------------------------------------------------------------- */

const ir_ref *build_parts(struct build *b, uint32_t id) {
  if (b->core->ids.part[id])
    return b->core->ids.part[id];
  switch ((enum spirv_kind)b->module->id[id].kind) {
  case SPIRV_CONSTANT:
    return constant(b, id);
  case SPIRV_VARIABLE:
    return variable(b, id);
  default:
    build_fail(b, "value %u is used before it is defined", id);
    return NULL;
  }
}

ir_ref build_value(struct build *b, uint32_t id) {
  const struct spirv_type *type = build_type(b, id);
  const ir_ref *part = build_parts(b, id);
  if (part && type && type->parts == 1)
    return *part;
  build_fail(b, "value %u has more than one part", id);
  return 0;
}

ir_ref *core_set(struct build *b, uint32_t id, ir_ref *part) {
  struct core_ids *ids = &b->core->ids;
  if (!ids->is_listed[id])
    ids->listed[ids->count++] = id;
  ids->is_listed[id] = true;
  return ids->part[id] = part;
}

/* Returns room even after build_fail(), so that callers need not check before they fill it. */
ir_ref *build_define(struct build *b, uint32_t id) {
  uint32_t count = 0;
  if (!core_part_count(b, build_type(b, id), &count))
    count = SPIRV_MOST_PARTS + 1;
  ir_ref *part = core_room(b, count ? count : 1);
  if (b->module->id[id].kind != SPIRV_VALUE && b->module->id[id].kind != SPIRV_CONSTANT)
    build_fail(b, "id %u is not a value", id);
  return core_set(b, id, part);
}
