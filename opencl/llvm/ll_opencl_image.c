/* Images, samplers and pipes. */
#include "opencl/llvm/ll_opencl.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/need.h"

enum { OPERAND_LOD = 2 };

/* "image2d_array", if the first argument is an image; otherwise NULL. */
static const char *image_of(const struct opencl *o) {
  const struct ll_type *type = o->call->count ? ll_type(o->ll, o->call->argument[0].type) : NULL;
  return type && type->kind == LL_HANDLE && !strncmp(type->name, "image", 5) ? type->name : NULL;
}

static uint32_t handle(struct ll *ll, const char *name) {
  return ll_add_type(ll, (struct ll_type){.kind = LL_HANDLE, .name = need_copy(name)});
}

/* read_imagef(image, sampler, coordinates [, lod]), read_imageui(image, coordinates) */
static bool read_image(const struct opencl *o, uint32_t *id) {
  struct ll *ll = o->ll;
  const bool sampled = o->call->count > 1 && ll_type(ll, o->call->argument[1].type)->kind == LL_HANDLE;
  const uint32_t image = opencl_argument(o, 0), type = opencl_result(o);
  if (!sampled && o->call->count == 2) {
    *id = ll_make(ll, OpImageRead, type, image, opencl_argument(o, 1));
    return true;
  }
  if (!sampled || (o->call->count != 3 && o->call->count != 4))
    return false;
  const uint32_t image_type = ll_spirv_type(ll, o->call->argument[0].type);
  ll_begin(ll, LL_DEFINITIONS, OpTypeSampledImage);
  ll_put(ll, 0);
  ll_put(ll, image_type);
  const uint32_t both_type = ll_finish_once(ll, 1);
  const uint32_t both = ll_make(ll, OpSampledImage, both_type, image, opencl_argument(o, 1));
  const uint32_t lod = o->call->count == 4 ? opencl_argument(o, 3) : ll_real(ll, ll_real_type(ll, 32), 0);
  *id = ll_make(ll, OpImageSampleExplicitLod, type, both, opencl_argument(o, 2), OPERAND_LOD, lod);
  return true;
}

/* write_imagef(image, coordinates, color) */
static bool write_image(const struct opencl *o, uint32_t *id) {
  *id = 0;
  if (o->call->count != 3)
    return false;
  ll_emit(o->ll, LL_CODE, OpImageWrite, opencl_argument(o, 0), opencl_argument(o, 1), opencl_argument(o, 2));
  return true;
}

/* The sizes along the axes and the number of layers: a scalar or vector of 32 bits. */
static struct ll_value sizes(const struct opencl *o, const char *image) {
  struct ll *ll = o->ll;
  const bool array = strstr(image, "array") != NULL;
  const uint32_t axes = (uint32_t)(image[5] - '0') + array, word = ll_int_type(ll, 32);
  const uint32_t type = axes > 1 ? ll_vector_type(ll, word, axes) : word;
  const uint32_t written = ll_spirv_type(ll, type), from = opencl_argument(o, 0);
  if (strstr(image, "buffer"))
    return ll_value(ll_make(ll, OpImageQuerySize, written, from), type);
  return ll_value(ll_make(ll, OpImageQuerySizeLod, written, from, ll_word(ll, 0)), type);
}

static bool query(const struct opencl *o, const char *what, uint32_t *id) {
  static const char *const axes[] = {"width", "height", "depth"};
  struct ll *ll = o->ll;
  const char *image = image_of(o);
  const uint32_t type = opencl_result(o);
  if (!image || o->call->count != 1)
    return false;
  /* OpenCL numbers channel orders and types from these bases, SPIR-V from 0. */
  const bool order = !strcmp(what, "channel_order");
  if (order || !strcmp(what, "channel_data_type")) {
    const uint32_t number = ll_make(ll, order ? OpImageQueryOrder : OpImageQueryFormat, type, opencl_argument(o, 0));
    *id = ll_make(ll, OpIAdd, type, number, ll_word(ll, order ? 0x10b0 : 0x10d0));
    return true;
  }
  for (uint32_t i = 0; i < 3; i++)
    if (!strcmp(what, axes[i])) {
      *id = ll_extract(ll, sizes(o, image), i);
      return true;
    }
  if (!strcmp(what, "array_size")) {
    const struct ll_value all = sizes(o, image);
    const uint32_t word = ll_int_type(ll, 32);
    const uint32_t layers = ll_extract(ll, all, ll_components(ll, all.type) - 1);
    *id = ll_convert(ll, "zext", ll_value(layers, word), o->call->result);
    return true;
  }
  if (strcmp(what, "dim"))
    return false;
  const struct ll_value all = sizes(o, image);
  uint32_t part[4];
  const uint32_t count = ll_components(ll, o->call->result);
  for (uint32_t i = 0; i < count && i < 4; i++)
    part[i] =
        i < ll_components(ll, all.type) && i < (uint32_t)(image[5] - '0') ? ll_extract(ll, all, i) : ll_word(ll, 0);
  *id = ll_make_words(ll, OpCompositeConstruct, type, part, count);
  return true;
}

/* A sampler in the program has its properties in a number: 1 normalized, addressing mode from bit 1 on, 0x20 linear. */
static bool sampler(const struct opencl *o, uint32_t *id) {
  struct ll *ll = o->ll;
  uint64_t value;
  if (o->call->count != 1 || !ll_constant_value(ll, opencl_argument(o, 0), &value)) {
    *id = ll_unsupported(ll, o->call->result, "a sampler that is not constant");
    return true;
  }
  const uint32_t type = ll_spirv_type(ll, handle(ll, "sampler"));
  ll_begin(ll, LL_DEFINITIONS, OpConstantSampler);
  ll_put(ll, type);
  ll_put(ll, 0);
  ll_put(ll, (uint32_t)(value >> 1 & 7));
  ll_put(ll, (uint32_t)value & 1);
  ll_put(ll, value & 0x20 ? 1 : 0);
  *id = ll_finish_once(ll, 2);
  return true;
}

bool opencl_image(const struct opencl *o, uint32_t *id) {
  const char *name = o->name.name, *rest;
  if (!strcmp(o->call->name, "__translate_sampler_initializer"))
    return sampler(o, id);
  if (opencl_begins(name, "get_image_", &rest))
    return query(o, rest, id);
  if (!image_of(o))
    return false;
  if (opencl_begins(name, "read_image", &rest))
    return read_image(o, id);
  return opencl_begins(name, "write_image", &rest) && write_image(o, id);
}

/* ---- pipes --------------------------------------------------------------------------------------- */

bool opencl_pipe(const struct opencl *o, uint32_t *id) {
  /* `group`: the scope of a function that all work-items of a group call together; 0: each by itself */
  static const struct {
    const char *name;
    uint16_t op;
    uint8_t arguments, group;
    bool truth; /* the result is a truth value */
  } rows[] = {
      {"__read_pipe_2", OpReadPipe, 4, 0, false},
      {"__write_pipe_2", OpWritePipe, 4, 0, false},
      {"__read_pipe_4", OpReservedReadPipe, 6, 0, false},
      {"__write_pipe_4", OpReservedWritePipe, 6, 0, false},
      {"__reserve_read_pipe", OpReserveReadPipePackets, 4, 0, false},
      {"__reserve_write_pipe", OpReserveWritePipePackets, 4, 0, false},
      {"__commit_read_pipe", OpCommitReadPipe, 4, 0, false},
      {"__commit_write_pipe", OpCommitWritePipe, 4, 0, false},
      {"__work_group_reserve_read_pipe", OpGroupReserveReadPipePackets, 4, ScopeWorkgroup, false},
      {"__work_group_reserve_write_pipe", OpGroupReserveWritePipePackets, 4, ScopeWorkgroup, false},
      {"__work_group_commit_read_pipe", OpGroupCommitReadPipe, 4, ScopeWorkgroup, false},
      {"__work_group_commit_write_pipe", OpGroupCommitWritePipe, 4, ScopeWorkgroup, false},
      {"__sub_group_reserve_read_pipe", OpGroupReserveReadPipePackets, 4, ScopeSubgroup, false},
      {"__sub_group_reserve_write_pipe", OpGroupReserveWritePipePackets, 4, ScopeSubgroup, false},
      {"__sub_group_commit_read_pipe", OpGroupCommitReadPipe, 4, ScopeSubgroup, false},
      {"__sub_group_commit_write_pipe", OpGroupCommitWritePipe, 4, ScopeSubgroup, false},
      {"__get_pipe_num_packets_ro", OpGetNumPipePackets, 3, 0, false},
      {"__get_pipe_num_packets_wo", OpGetNumPipePackets, 3, 0, false},
      {"__get_pipe_max_packets_ro", OpGetMaxPipePackets, 3, 0, false},
      {"__get_pipe_max_packets_wo", OpGetMaxPipePackets, 3, 0, false},
      {"is_valid_reserve_id", OpIsValidReserveId, 1, 0, true},
  };
  struct ll *ll = o->ll;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(o->name.name, rows[i].name) || o->call->count != rows[i].arguments)
      continue;
    uint32_t words[8], count = 0;
    if (rows[i].group)
      words[count++] = ll_word(ll, rows[i].group);
    for (unsigned k = 0; k < o->call->count; k++)
      words[count++] = opencl_argument(o, k);
    *id = 0;
    if (ll_type(ll, o->call->result)->kind == LL_VOID) {
      ll_emit_words(ll, LL_CODE, rows[i].op, words, count);
      return true;
    }
    const uint32_t boolean = ll_int_type(ll, 1);
    *id = ll_make_words(ll, rows[i].op, rows[i].truth ? ll_spirv_type(ll, boolean) : opencl_result(o), words, count);
    if (rows[i].truth)
      *id = ll_convert(ll, "zext", ll_value(*id, boolean), o->call->result);
    return true;
  }
  return false;
}
