/* Images and samplers: opcodes 86 to 107, and blocks, as operations on an image's handle (isa/image.h).
 *
 *     read_imagef(i, s, c)     OpSampledImage i s; OpImageSampleExplicitLod   image.sample; image.load if c is integer
 *     read_imagef(i, c)        OpImageRead                                    image.load with sampler 0
 *     write_imagef(i, c, v)    OpImageWrite                                   image.store
 *     get_image_width(i)       OpImageQuerySize[Lod]                          image.query
 *
 * Blocks of cl_intel_subgroups, whose first coordinate counts bytes:
 *
 *     intel_sub_group_block_read2(i, c)    OpSubgroupImageBlockReadINTEL      an image.load of b32 for each component
 *
 * A vector of coordinates may have more components than the image's kind has coordinates; the rest are ignored. */
#include "opencl/lower/build_core.h"
#include "opencl/lower/group.h"

enum { ImageOperandsLod = 2, ImageOperandsGrad = 4 };

/* The image type of an id that is an image or a sampled image. */
static const struct spirv_type *image_type(struct build *b, uint32_t id) {
  const struct spirv_type *type = build_type(b, id);
  if (type && type->kind == SPIRV_SAMPLED_IMAGE)
    type = spirv_type(b->module, type->element);
  return type && type->kind == SPIRV_IMAGE ? type : NULL;
}

static unsigned coordinates_of(const struct spirv_type *image) { return isa_image_kinds[image->image].coordinates; }

/* By the image's number of coordinates. */
#define SHAPES(id)                                                                                                     \
  { ISA_IMAGE_##id##_1D, ISA_IMAGE_##id##_2D, ISA_IMAGE_##id##_3D }
static const enum isa_op samples[] = SHAPES(SAMPLE), loads[] = SHAPES(LOAD), stores[] = SHAPES(STORE);

static ir_ref operate(struct build *b, enum isa_op op, const ir_ref operand[3], uint32_t count, uint64_t number) {
  const ir_ref ref = ir_make(b->ir, (uint16_t)op, ir_width_of(op), operand, count, number, b->place);
  ir_append(b->ir, b->block, ref);
  return ref;
}

/* Joins words into a word, a pair or a quad. */
static ir_ref joined(struct build *b, const ir_ref *word, uint32_t count) {
  ir_ref part[4] = {0, 0, 0, 0};
  for (uint32_t i = 0; i < count; i++)
    part[i] = word[i];
  if (count == 1)
    return part[0];
  const ir_ref ref = ir_make(b->ir, IR_JOIN, count == 2 ? IR_W2 : IR_W4, part, count == 2 ? 2 : 4, 0, b->place);
  ir_append(b->ir, b->block, ref);
  return ref;
}

/* The coordinates that an image of this type has; *is_float: they are floats. 0 after build_fail(). */
static ir_ref coordinates(struct build *b, const struct spirv_inst *inst, const struct spirv_type *image, uint32_t id,
                          bool *is_float) {
  const struct spirv_type *type = build_type(b, id), *scalar = build_scalar(b, type);
  const unsigned count = coordinates_of(image);
  if (!scalar || scalar->bits != 32 || build_components(type) < count) {
    core_misfit(b, inst);
    return 0;
  }
  *is_float = scalar->kind == SPIRV_FLOAT;
  const ir_ref *part = build_parts(b, id);
  return part ? joined(b, part, count) : 0;
}

/* Without mipmaps the level of detail must be 0. Gradients select a level, so they are refused. */
static bool check_operands(struct build *b, const struct spirv_inst *inst, unsigned position) {
  const uint32_t mask = inst->words > position ? inst->word[position] : 0;
  if (mask & ImageOperandsGrad)
    return build_fail(b, "mipmaps (cl_khr_mipmap_image) are not supported, so images cannot be read with gradients");
  if (!(mask & ImageOperandsLod) || inst->words <= position + 1)
    return true;
  const struct spirv_id *level = &b->module->id[inst->word[position + 1]];
  return (level->kind == SPIRV_CONSTANT && level->value == 0) ||
         build_fail(b,
                    "mipmaps (cl_khr_mipmap_image) are not supported, so images cannot be read at a level of detail");
}

/* Defines the result from the four words of a texel, as floats, halves or integers: a vector, or the first
 * component. */
static bool define_texel(struct build *b, const struct spirv_inst *inst, ir_ref quad) {
  const struct spirv_type *type = build_type(b, inst->word[2]), *scalar = build_scalar(b, type);
  const uint32_t count = type ? build_components(type) : 0;
  if (!scalar || (scalar->bits != 32 && !(scalar->kind == SPIRV_FLOAT && scalar->bits == 16)) || count > 4)
    return core_misfit(b, inst);
  ir_ref *part = build_define(b, inst->word[2]);
  for (uint32_t i = 0; i < count; i++) {
    const ir_ref word = build_word(b, quad, i);
    part[i] = scalar->bits == 16 ? build_op(b, ISA_CVT_F16_F32, word, 0, 0) : word;
  }
  return !b->failed;
}

static uint64_t number_of(const struct spirv_type *scalar) {
  return scalar->kind == SPIRV_FLOAT ? ISA_NUMBER_FLOAT : ISA_NUMBER_INT;
}

/* type result image|sampled coordinates operands... */
static bool lower_read(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *image = image_type(b, inst->word[3]);
  const struct spirv_type *scalar = build_scalar(b, build_type(b, inst->word[2]));
  bool is_float = false;
  if (!image || !scalar)
    return core_misfit(b, inst);
  const bool sampled = build_type(b, inst->word[3])->kind == SPIRV_SAMPLED_IMAGE;
  const ir_ref at = coordinates(b, inst, image, inst->word[4], &is_float);
  const ir_ref *part = build_parts(b, inst->word[3]);
  if (!at || !part || !check_operands(b, inst, 5))
    return false;
  const ir_ref operand[3] = {part[0], sampled ? part[1] : build_32(b, 0), at};
  return define_texel(
      b, inst, operate(b, (is_float ? samples : loads)[coordinates_of(image) - 1], operand, 3, number_of(scalar)));
}

/* image coordinates texel operands... */
static bool lower_write(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *image = image_type(b, inst->word[1]);
  const struct spirv_type *type = build_type(b, inst->word[3]), *scalar = build_scalar(b, type);
  bool is_float = false;
  if (!image || !scalar || build_components(type) > 4)
    return core_misfit(b, inst);
  const ir_ref at = coordinates(b, inst, image, inst->word[2], &is_float), handle = build_value(b, inst->word[1]);
  const ir_ref *part = build_parts(b, inst->word[3]);
  if (!at || !part || b->failed || !check_operands(b, inst, 4))
    return false;
  ir_ref word[4];
  for (uint32_t i = 0; i < 4; i++) {
    word[i] = i < build_components(type) ? part[i] : build_32(b, 0);
    if (scalar->bits == 16)
      word[i] = build_op(b, ISA_CVT_F32_F16, word[i], 0, 0);
  }
  const ir_ref operand[3] = {handle, at, joined(b, word, 4)};
  operate(b, stores[coordinates_of(image) - 1], operand, 3, number_of(scalar));
  return !b->failed;
}

/* ---- blocks ------------------------------------------------------------------------------------------- */

/* What each lane of a sub-group accesses: adjacent numbers in a row; further components are in the rows below. */
struct block {
  ir_ref handle, x, y;
  uint64_t number;
};

static bool find_block(struct build *b, const struct spirv_inst *inst, uint32_t image, uint32_t at, uint32_t value,
                       struct block *block) {
  const struct spirv_type *kind = image_type(b, image), *type = build_type(b, value), *scalar = build_scalar(b, type);
  bool is_float = false;
  if (!kind || kind->image != ISA_IMAGE_2D || !scalar || scalar->kind != SPIRV_INT || scalar->bits < 8)
    return core_misfit(b, inst);
  const uint32_t shift = scalar->bits == 64 ? 3 : scalar->bits == 32 ? 2 : scalar->bits == 16 ? 1 : 0;
  const ir_ref both = coordinates(b, inst, kind, at, &is_float);
  if (!both || is_float)
    return core_misfit(b, inst);
  const ir_ref x = build_word(b, both, 0);
  build_expect(b, ISA_EXPECT_WARP, 0);
  build_expect(b, ISA_EXPECT_SAME, x);
  build_expect(b, ISA_EXPECT_SAME, build_word(b, both, 1));
  const ir_ref first = build_op(b, ISA_SHR_S32, x, build_32(b, shift), 0);
  const ir_ref handle = build_value(b, image);
  const ir_ref column = build_op(b, ISA_ADD_32, first, build_query(b, ISA_GET_LANE, 0), 0);
  *block = (struct block){handle, column, build_word(b, both, 1), ISA_NUMBER_BITS_8 + shift};
  return !b->failed;
}

static ir_ref row_of(struct build *b, const struct block *block, uint32_t row) {
  const ir_ref at[2] = {block->x, build_op(b, ISA_ADD_32, block->y, build_32(b, row), 0)};
  return joined(b, at, 2);
}

/* type result image coordinates */
static bool lower_block_read(struct build *b, const struct spirv_inst *inst) {
  struct block block;
  if (!find_block(b, inst, inst->word[3], inst->word[4], inst->word[2], &block))
    return false;
  ir_ref *part = build_define(b, inst->word[2]);
  for (uint32_t i = 0; part && i < build_components(build_type(b, inst->word[2])); i++) {
    const ir_ref sampler = build_32(b, 0);
    const ir_ref operand[3] = {block.handle, sampler, row_of(b, &block, i)};
    const ir_ref quad = operate(b, ISA_IMAGE_LOAD_2D, operand, 3, block.number);
    part[i] = build_word(b, quad, 0);
    if (block.number == ISA_NUMBER_BITS_64)
      part[i] = build_pair(b, part[i], build_word(b, quad, 1));
  }
  return !b->failed;
}

/* image coordinates value */
static bool lower_block_write(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = build_type(b, inst->word[3]);
  const ir_ref *part = build_parts(b, inst->word[3]);
  struct block block;
  if (!part || !find_block(b, inst, inst->word[1], inst->word[2], inst->word[3], &block))
    return false;
  for (uint32_t i = 0; i < build_components(type); i++) {
    const bool wide = block.number == ISA_NUMBER_BITS_64;
    const ir_ref low =
        wide ? build_word(b, part[i], 0) : build_extended(b, part[i], build_scalar(b, type)->bits, false);
    const ir_ref high = wide ? build_word(b, part[i], 1) : build_32(b, 0), zero = build_32(b, 0);
    const ir_ref word[4] = {low, high, zero, zero};
    const ir_ref row = row_of(b, &block, i);
    const ir_ref operand[3] = {block.handle, row, joined(b, word, 4)};
    operate(b, ISA_IMAGE_STORE_2D, operand, 3, block.number);
  }
  return !b->failed;
}

/* ---- queries -------------------------------------------------------------------------------------------- */

static ir_ref query(struct build *b, ir_ref handle, enum isa_image_query what) {
  const ir_ref operand[3] = {handle, 0, 0};
  return operate(b, ISA_IMAGE_QUERY, operand, 1, what);
}

/* A 32-bit number as an integer of the result's width. */
static ir_ref as_wide(struct build *b, const struct spirv_type *scalar, ir_ref value) {
  return scalar->bits == 64 ? build_op(b, ISA_CVT_U64_U32, value, 0, 0) : value;
}

/* type result image [level]: the sizes, in the order of the coordinates */
static bool lower_size(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *image = image_type(b, inst->word[3]);
  const struct spirv_type *type = build_type(b, inst->word[2]), *scalar = build_scalar(b, type);
  if (!image || !scalar || scalar->kind != SPIRV_INT || build_components(type) < coordinates_of(image))
    return core_misfit(b, inst);
  const ir_ref handle = build_value(b, inst->word[3]);
  const enum isa_image_kind kind = (enum isa_image_kind)image->image;
  const bool tall = !isa_image_is_flat(kind);
  if (b->failed)
    return false;
  ir_ref *part = build_define(b, inst->word[2]);
  for (uint32_t i = 0; i < build_components(type); i++) {
    const bool last = i + 1 == coordinates_of(image);
    const enum isa_image_query what = i == 0                 ? ISA_IMAGE_QUERY_WIDTH
                                      : i == 1 && tall       ? ISA_IMAGE_QUERY_HEIGHT
                                      : kind == ISA_IMAGE_3D ? ISA_IMAGE_QUERY_DEPTH
                                                             : ISA_IMAGE_QUERY_LAYERS;
    part[i] = i == 0 || (i == 1 && tall) || last ? as_wide(b, scalar, query(b, handle, what)) : build_32(b, 0);
  }
  return !b->failed;
}

/* type result image */
static bool lower_question(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *image = image_type(b, inst->word[3]);
  const struct spirv_type *scalar = build_scalar(b, build_type(b, inst->word[2]));
  if (!image || !scalar || scalar->kind != SPIRV_INT)
    return core_misfit(b, inst);
  const ir_ref handle = build_value(b, inst->word[3]);
  if (b->failed)
    return false;
  ir_ref value = 0;
  if (inst->op == OpImageQueryOrder || inst->op == OpImageQueryFormat)
    value = query(b, handle, inst->op == OpImageQueryOrder ? ISA_IMAGE_QUERY_ORDER : ISA_IMAGE_QUERY_TYPE);
  else /* levels and samples */
    value = build_32(b, 1);
  build_define(b, inst->word[2])[0] = as_wide(b, scalar, value);
  return !b->failed;
}

/* type result image sampler */
static bool lower_sampled(struct build *b, const struct spirv_inst *inst) {
  const ir_ref image = build_value(b, inst->word[3]), sampler = build_value(b, inst->word[4]);
  const struct spirv_type *type = build_type(b, inst->word[4]);
  if (b->failed)
    return false;
  if (!image_type(b, inst->word[3]) || !type || type->kind != SPIRV_SAMPLER)
    return core_misfit(b, inst);
  ir_ref *part = build_define(b, inst->word[2]);
  part[0] = image;
  part[1] = sampler;
  return !b->failed;
}

/* type result sampled */
static bool lower_image_of(struct build *b, const struct spirv_inst *inst) {
  const ir_ref *part = build_parts(b, inst->word[3]);
  if (!part || !image_type(b, inst->word[3]))
    return core_misfit(b, inst);
  build_define(b, inst->word[2])[0] = part[0];
  return !b->failed;
}

bool build_image(struct build *b, const struct spirv_inst *inst) {
  char room[32];
  switch (inst->op) {
  case OpSampledImage:
    return lower_sampled(b, inst);
  case OpImage:
    return lower_image_of(b, inst);
  case OpImageSampleExplicitLod:
  case OpImageFetch:
  case OpImageRead:
    return lower_read(b, inst);
  case OpImageWrite:
    return lower_write(b, inst);
  case OpSubgroupImageBlockReadINTEL:
    return lower_block_read(b, inst);
  case OpSubgroupImageBlockWriteINTEL:
    return lower_block_write(b, inst);
  case OpImageQuerySize:
  case OpImageQuerySizeLod:
    return lower_size(b, inst);
  case OpImageQueryFormat:
  case OpImageQueryOrder:
  case OpImageQueryLevels:
  case OpImageQuerySamples:
    return lower_question(b, inst);
  default:
    return build_fail(b, "%s is not supported", spirv_op_name(inst->op, room));
  }
}
