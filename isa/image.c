/* Images: where texels lie, which of them a sampler reads, and what numbers they give. */
#include "isa/image.h"
#include "isa/numbers.h"
#include "isa/ops.h"
#include "isa/step.h"
#include "sim/base/sizes.h"

#include <inttypes.h>
#include <string.h>

const struct isa_image_kind_row isa_image_kinds[ISA_IMAGE_KINDS] = {
#define IMAGE_KIND(id, name, coordinates, text) {name, coordinates, text},
#include "isa/image.def"
};
const char *const isa_image_addresses[ISA_IMAGE_ADDRESSES] = {
#define IMAGE_ADDRESS(id, name) name,
#include "isa/image.def"
};
const char *const isa_image_queries[ISA_IMAGE_QUERIES] = {
#define IMAGE_QUERY(id, name, ...) name,
#include "isa/image.def"
};
const char *const isa_image_numbers[ISA_IMAGE_NUMBERS] = {"float", "int", "b8", "b16", "b32", "b64"};

enum isa_image_kind isa_image_argument(const char *type, size_t length) {
  static const char prefix[] = "image";
  const size_t before = sizeof prefix - 1;
  unsigned kind = length > before && memcmp(type, prefix, before) == 0 ? 0 : ISA_IMAGE_KINDS;
  while (kind < ISA_IMAGE_KINDS && (strlen(isa_image_kinds[kind].name) != length - before ||
                                    memcmp(isa_image_kinds[kind].name, type + before, length - before) != 0))
    kind++;
  return (enum isa_image_kind)kind;
}

/* ---- where texels lie ------------------------------------------------------------------------------- */

static uint64_t round_up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

bool isa_image_is_flat(enum isa_image_kind kind) {
  return kind == ISA_IMAGE_1D || kind == ISA_IMAGE_1D_ARRAY || kind == ISA_IMAGE_1D_BUFFER;
}

static bool is_layered(enum isa_image_kind kind) { return kind == ISA_IMAGE_1D_ARRAY || kind == ISA_IMAGE_2D_ARRAY; }

/* The rows per slice if the layout is blocks. */
static uint32_t block_rows(const struct isa_image *image) {
  return isa_image_is_flat(image->kind) ? 1 : (uint32_t)round_up(image->height, ISA_IMAGE_BLOCK_ROWS);
}

static bool is_sized(uint32_t size, bool wanted) {
  return wanted ? size >= 1 && size <= ISA_MOST_IMAGE_SIZE : size == 1;
}

const char *isa_image_init(struct isa_image *image) {
  static const char too_large[] = "an image must have less than 2^40 bytes";
  const bool flat = isa_image_is_flat(image->kind);
  image->texel_bytes = isa_texel_bytes(image->order, image->type);
  if (!image->texel_bytes)
    return "this channel order cannot be combined with this channel type";
  if (!is_sized(image->width, true) || !is_sized(image->height, !flat) ||
      !is_sized(image->depth, image->kind == ISA_IMAGE_3D) || !is_sized(image->layers, is_layered(image->kind)))
    return "an image must have 1 to 134,217,728 texels in each direction";
  if (flat)
    image->layout = ISA_IMAGE_ROWS;
  const bool blocks = image->layout == ISA_IMAGE_BLOCKS;
  const uint64_t row = (uint64_t)image->width * image->texel_bytes;
  image->row_pitch = image->row_pitch ? image->row_pitch : round_up(row, ISA_IMAGE_BLOCK_BYTES);
  if (image->row_pitch < row || image->row_pitch % (blocks ? ISA_IMAGE_BLOCK_BYTES : image->texel_bytes))
    return blocks ? "the row pitch must be at least a row, and a multiple of 64 bytes"
                  : "the row pitch must be at least a row, and a multiple of a texel's bytes";
  uint64_t padded, slice, whole;
  if (!size_times(image->row_pitch, block_rows(image), &padded) ||
      !size_times(image->row_pitch, blocks ? block_rows(image) : image->height, &slice))
    return too_large;
  image->slice_pitch = image->slice_pitch ? image->slice_pitch : padded;
  if (image->slice_pitch < slice || image->slice_pitch % image->texel_bytes)
    return "the slice pitch must be at least a slice, and a multiple of a texel's bytes";
  return size_times(image->slice_pitch, isa_image_slices(image), &whole) && !(whole >> 40) ? NULL : too_large;
}

uint64_t isa_image_room(const struct isa_image *image) { return image->slice_pitch * isa_image_slices(image); }

uint64_t isa_image_bytes(const struct isa_image *image) {
  const uint64_t before = image->slice_pitch * (isa_image_slices(image) - 1);
  if (image->layout == ISA_IMAGE_BLOCKS)
    return before + image->row_pitch * block_rows(image);
  return before + image->row_pitch * (image->height - 1) + (uint64_t)image->width * image->texel_bytes;
}

uint64_t isa_image_packed_bytes(const struct isa_image *image) {
  return (uint64_t)image->width * image->height * isa_image_slices(image) * image->texel_bytes;
}

/* The offset in a block of 512 bytes, from high to low bit: x 5, y 2..1, x 4, y 0, x 3..0. */
static uint64_t in_block(uint64_t x, uint32_t y) {
  return (x & 32) << 3 | (y & 6) << 5 | (x & 16) << 1 | (y & 1) << 4 | (x & 15);
}

uint64_t isa_texel_offset(const struct isa_image *image, uint32_t x, uint32_t y, uint32_t z) {
  const uint64_t byte = (uint64_t)x * image->texel_bytes, slice = z * image->slice_pitch;
  if (image->layout == ISA_IMAGE_ROWS)
    return slice + y * image->row_pitch + byte;
  const uint64_t row = y / ISA_IMAGE_BLOCK_ROWS * (image->row_pitch * ISA_IMAGE_BLOCK_ROWS);
  const uint64_t block = byte / ISA_IMAGE_BLOCK_BYTES * (ISA_IMAGE_BLOCK_BYTES * ISA_IMAGE_BLOCK_ROWS);
  return slice + row + block + in_block(byte % ISA_IMAGE_BLOCK_BYTES, y % ISA_IMAGE_BLOCK_ROWS);
}

/* Copies all texels between the image and bytes without gaps. */
static void move_texels(const struct isa_image *image, uint8_t *texels, uint8_t *bytes, bool pack) {
  const uint64_t row = (uint64_t)image->width * image->texel_bytes;
  const uint32_t step = image->layout == ISA_IMAGE_ROWS ? image->width : 1;
  const size_t piece = (size_t)step * image->texel_bytes;
  uint8_t *at = bytes;
  for (uint32_t z = 0; z < isa_image_slices(image); z++)
    for (uint32_t y = 0; y < image->height; y++, at += row)
      for (uint32_t x = 0; x < image->width; x += step) {
        uint8_t *texel = texels + isa_texel_offset(image, x, y, z), *byte = at + (uint64_t)x * image->texel_bytes;
        memcpy(pack ? byte : texel, pack ? texel : byte, piece);
      }
}

void isa_image_pack(const struct isa_image *image, const uint8_t *texels, uint8_t *bytes) {
  move_texels(image, (uint8_t *)(uintptr_t)texels, bytes, true);
}

void isa_image_unpack(const struct isa_image *image, const uint8_t *bytes, uint8_t *texels) {
  move_texels(image, texels, (uint8_t *)(uintptr_t)bytes, false);
}

const struct isa_image *isa_image_find(const struct isa_memory *memory, uint64_t handle) {
  const uint64_t number = handle - ISA_IMAGE_HANDLE;
  return number < memory->image_count && !memory->images[number].gone ? &memory->images[number] : NULL;
}

/* ---- samplers --------------------------------------------------------------------------------------- */

/* What a sampler reads in one direction: one texel, or two and the weight of the second. */
struct axis {
  int64_t at[2];
  float weight;
};

static int64_t whole(float value) {
  const float most = 0x1p30f;
  return value != value ? 0 : (int64_t)(value > most ? most : value < -most ? -most : floorf(value));
}

static int64_t clamped(int64_t at, int64_t least, int64_t most) { return at < least ? least : at > most ? most : at; }

/* Applies an addressing mode that clamps. Indices -1 and `size` are the border. */
static int64_t addressed(enum isa_image_address mode, int64_t at, int64_t size) {
  return mode == ISA_ADDRESS_CLAMP_TO_EDGE ? clamped(at, 0, size - 1) : clamped(at, -1, size);
}

static struct axis pair_around(float u) {
  const float from = u - 0.5f;
  const int64_t low = whole(from);
  return (struct axis){{low, low + 1}, from != from || fabsf(from) > 0x1p30f ? 0 : from - floorf(from)};
}

static struct axis repeated(float s, uint32_t size, bool linear) {
  const float u = (s - floorf(s)) * (float)size;
  const int64_t n = size;
  if (!linear) {
    const int64_t at = whole(u);
    return (struct axis){{at > n - 1 ? at - n : at, 0}, 0};
  }
  struct axis axis = pair_around(u);
  axis.at[0] += axis.at[0] < 0 ? n : 0;
  axis.at[1] -= axis.at[1] > n - 1 ? n : 0;
  return axis;
}

static struct axis mirrored(float s, uint32_t size, bool linear) {
  const float u = fabsf(s - 2.0f * rintf(0.5f * s)) * (float)size;
  const int64_t n = size;
  if (!linear) {
    const int64_t at = whole(u);
    return (struct axis){{at < n - 1 ? at : n - 1, 0}, 0};
  }
  struct axis axis = pair_around(u);
  axis.at[0] = axis.at[0] > 0 ? axis.at[0] : 0;
  axis.at[1] = axis.at[1] < n - 1 ? axis.at[1] : n - 1;
  return axis;
}

static struct axis along(float coordinate, uint32_t size, uint32_t sampler, bool linear) {
  const bool normalized = sampler & ISA_SAMPLER_NORMALIZED;
  const enum isa_image_address mode = (enum isa_image_address)(sampler >> ISA_SAMPLER_ADDRESS & 7);
  struct axis axis;
  if (normalized && mode == ISA_ADDRESS_REPEAT)
    axis = repeated(coordinate, size, linear);
  else if (normalized && mode == ISA_ADDRESS_MIRRORED_REPEAT)
    axis = mirrored(coordinate, size, linear);
  else {
    const float u = normalized ? coordinate * (float)size : coordinate;
    axis = linear ? pair_around(u) : (struct axis){{whole(u), 0}, 0};
  }
  /* If a float cannot represent the size, rounding can lead past the end in repeating modes, too. */
  axis.at[0] = addressed(mode, axis.at[0], size);
  axis.at[1] = addressed(mode, axis.at[1], size);
  return axis;
}

static struct axis along_whole(int32_t coordinate, uint32_t size, uint32_t sampler) {
  const enum isa_image_address mode = (enum isa_image_address)(sampler >> ISA_SAMPLER_ADDRESS & 7);
  return (struct axis){{addressed(mode, coordinate, size), 0}, 0};
}

static struct axis layer_of(uint32_t coordinate, bool is_float, uint32_t layers) {
  const int64_t layer = is_float ? whole(rintf(float_of(coordinate))) : (int32_t)coordinate;
  return (struct axis){{clamped(layer, 0, (int64_t)layers - 1), 0}, 0};
}

static bool is_outside(int64_t at, uint32_t size) { return at < 0 || at >= (int64_t)size; }

/* Whether texel i contributes to a filter's result. At the center of a texel the next one has weight 0. */
static bool has_weight(const float weight[3], unsigned i) {
  for (unsigned direction = 0; direction < 3; direction++)
    if (i >> direction & 1 && weight[direction] == 0)
      return false;
  return true;
}

void isa_image_samples(const struct isa_image *image, uint32_t sampler, bool is_float, const uint32_t coordinate[3],
                       struct isa_samples *samples) {
  const bool linear = is_float && sampler & ISA_SAMPLER_LINEAR && isa_texel_number(image->type) == ISA_NUMBER_FLOAT;
  const enum isa_image_address mode = (enum isa_image_address)(sampler >> ISA_SAMPLER_ADDRESS & 7);
  const unsigned coordinates = isa_image_kinds[image->kind].coordinates;
  const bool layered = is_layered(image->kind);
  const unsigned directions = coordinates - layered;
  const uint32_t size[3] = {image->width, image->height, image->depth};
  struct axis axis[3] = {{{0, 0}, 0}, {{0, 0}, 0}, {{0, 0}, 0}};
  for (unsigned i = 0; i < directions; i++) {
    axis[i] = is_float ? along(float_of(coordinate[i]), size[i], sampler, linear)
                       : along_whole((int32_t)coordinate[i], size[i], sampler);
    samples->weight[i] = axis[i].weight;
  }
  const struct axis layer = layered ? layer_of(coordinate[directions], is_float, image->layers) : axis[2];
  samples->count = linear ? 1u << directions : 1;
  samples->outside = false;
  for (unsigned i = 0; i < samples->count; i++) {
    const int64_t x = axis[0].at[i & 1], y = axis[1].at[i >> 1 & 1], z = layered ? layer.at[0] : axis[2].at[i >> 2];
    samples->border[i] = is_outside(x, size[0]) || is_outside(y, size[1]) || (!layered && is_outside(z, size[2]));
    samples->address[i] =
        samples->border[i] ? 0 : image->base + isa_texel_offset(image, (uint32_t)x, (uint32_t)y, (uint32_t)z);
    samples->outside |= samples->border[i] && mode != ISA_ADDRESS_CLAMP && has_weight(samples->weight, i);
  }
}

bool isa_image_place(const struct isa_image *image, const uint32_t *coordinate, uint32_t stride, uint64_t *address) {
  const bool layered = is_layered(image->kind), tall = !isa_image_is_flat(image->kind);
  const uint32_t x = coordinate[0], y = tall ? coordinate[stride] : 0,
                 z = layered || image->kind == ISA_IMAGE_3D ? coordinate[(1 + tall) * stride] : 0;
  if (x >= image->width || y >= image->height || z >= isa_image_slices(image))
    return false;
  *address = image->base + isa_texel_offset(image, x, y, z);
  return true;
}

const struct isa_image *isa_image_as(const struct isa_image *image, const struct isa_inst *inst,
                                     struct isa_image *room) {
  static const enum isa_image_type types[] = {ISA_TEXEL_UNSIGNED_INT8, ISA_TEXEL_UNSIGNED_INT16,
                                              ISA_TEXEL_UNSIGNED_INT32, ISA_TEXEL_UNSIGNED_INT32};
  const unsigned number = high_number(inst);
  if (number < ISA_NUMBER_BITS_8)
    return image;
  *room = *image;
  room->order = number == ISA_NUMBER_BITS_64 ? ISA_ORDER_RG : ISA_ORDER_R;
  room->type = types[number - ISA_NUMBER_BITS_8];
  room->texel_bytes = isa_texel_bytes(room->order, room->type);
  room->width = (uint32_t)((uint64_t)image->width * image->texel_bytes / room->texel_bytes);
  return room;
}

/* ---- instructions ----------------------------------------------------------------------------------- */

bool isa_is_image_read(const struct isa_access *access) {
  return access->image && isa_rows[access->inst->op].format == FORMAT_IMAGE_READ;
}

static bool is_sample(enum isa_op op) {
  return op == ISA_IMAGE_SAMPLE_1D || op == ISA_IMAGE_SAMPLE_2D || op == ISA_IMAGE_SAMPLE_3D;
}

void isa_access_samples(const struct isa_access *access, uint32_t lane, struct isa_samples *samples) {
  const uint32_t stride = access->warp->group->launch->warp_size;
  const uint32_t coordinate[3] = {access->data[lane], access->data[stride + lane], access->data[2 * stride + lane]};
  struct isa_image room;
  isa_image_samples(isa_image_as(access->image, access->inst, &room), access->sampler,
                    is_sample((enum isa_op)access->inst->op), coordinate, samples);
}

/* The image of the lanes' handle. Reports a wrong handle and returns NULL. */
static const struct isa_image *image_of(struct isa_warp *warp, const struct isa_inst *inst, uint32_t pc,
                                        uint64_t mask) {
  const uint32_t stride = warp->group->launch->warp_size, lane = first_lane(mask);
  const uint32_t *row = register_row(warp, inst->a, stride) + lane;
  const uint64_t handle = (uint64_t)row[stride] << 32 | row[0];
  const struct isa_image *image = isa_image_find(warp->group->launch->memory, handle);
  if (!image)
    step_report(warp, pc, HAZARD_M1, lane, "0x%" PRIx64 " is not an image", handle);
  return image;
}

/* The same, also checking that the image has the shape of the access. NULL if no lane takes part, too. */
static const struct isa_image *image_to_access(struct isa_warp *warp, const struct isa_inst *inst,
                                               const struct isa_access *access, enum isa_type coordinates) {
  if (!access->mask)
    return NULL;
  const struct isa_image *image = image_of(warp, inst, access->pc, access->mask);
  const unsigned given = coordinates == TYPE_B128 ? 3 : isa_types[coordinates].registers;
  if (!image)
    return NULL;
  if (given != isa_image_kinds[image->kind].coordinates) {
    step_report(warp, access->pc, HAZARD_I1, first_lane(access->mask), "'%s' is of kind %s and needs %s", image->name,
                isa_image_kinds[image->kind].name, isa_image_kinds[image->kind].text);
    return NULL;
  }
  if (high_number(inst) < ISA_NUMBER_BITS_8 && high_number(inst) != isa_texel_number(image->type))
    step_report(warp, access->pc, HAZARD_I2, first_lane(access->mask), "'%s' holds %s", image->name,
                isa_image_types[image->type].name);
  return image;
}

/* Why OpenCL does not allow to read with this sampler; NULL: it does. "The read_image{i|ui} calls support a nearest
 * filter only." With integer coordinates, read_imagef also needs coordinates that are not normalized, and a mode that
 * does not repeat. */
static const char *against_sampler(const struct isa_inst *inst, uint32_t sampler) {
  const bool sample = is_sample((enum isa_op)inst->op);
  const enum isa_image_address mode = (enum isa_image_address)(sampler >> ISA_SAMPLER_ADDRESS & 7);
  if (sampler & ISA_SAMPLER_LINEAR && high_number(inst) != ISA_NUMBER_FLOAT)
    return "is read as integers with a linear filter";
  if (sample)
    return NULL;
  if (sampler & ISA_SAMPLER_LINEAR)
    return "is read at integer coordinates with a linear filter";
  if (sampler & ISA_SAMPLER_NORMALIZED)
    return "is read at integer coordinates with normalized coordinates";
  return mode == ISA_ADDRESS_REPEAT || mode == ISA_ADDRESS_MIRRORED_REPEAT
             ? "is read at integer coordinates with an addressing mode that repeats"
             : NULL;
}

static void clear(struct isa_warp *warp, const struct isa_inst *inst, uint64_t lanes) {
  const uint32_t stride = warp->group->launch->warp_size;
  for (uint32_t word = 0; word < 4; word++)
    EACH_LANE(lane, lanes) warp->reg[(size_t)(inst->d + word) * stride + lane] = 0;
}

void image_read(struct isa_warp *warp, const struct isa_inst *inst, struct isa_access *access) {
  const uint32_t stride = warp->group->launch->warp_size;
  const uint64_t mask = access->mask;
  access->bytes = 0;
  access->image = image_to_access(warp, inst, access, (enum isa_type)isa_rows[inst->op].c);
  if (!access->image) {
    clear(warp, inst, mask);
    access->mask = 0;
    return;
  }
  struct isa_image room;
  access->sampler = register_row(warp, inst->b, stride)[first_lane(mask)];
  access->bytes = (uint8_t)isa_image_as(access->image, inst, &room)->texel_bytes;
  const unsigned coordinates = isa_image_kinds[access->image->kind].coordinates;
  memcpy(access->data, register_row(warp, inst->c, stride), coordinates * stride * sizeof *access->data);
  const char *const against = against_sampler(inst, access->sampler);
  if (against)
    step_report(warp, access->pc, HAZARD_I6, first_lane(mask), "'%s' %s", access->image->name, against);
  bool reported = against != NULL; /* then what is outside has no meaning */
  EACH_LANE(lane, mask) {
    struct isa_samples samples;
    isa_access_samples(access, (uint32_t)lane, &samples);
    access->address[lane] = samples.address[0];
    if (samples.outside && !reported)
      step_report(warp, access->pc, HAZARD_I3, (uint32_t)lane,
                  "'%s' has %" PRIu32 " x %" PRIu32 " x %" PRIu32 " texels", access->image->name, access->image->width,
                  access->image->height, isa_image_slices(access->image));
    reported |= samples.outside;
  }
}

void image_store(struct isa_warp *warp, const struct isa_inst *inst, struct isa_access *access) {
  const uint32_t stride = warp->group->launch->warp_size;
  const uint32_t *coordinates = register_row(warp, inst->b, stride), *data = register_row(warp, inst->c, stride);
  const uint64_t mask = access->mask;
  access->bytes = 0;
  access->image = image_to_access(warp, inst, access, (enum isa_type)isa_rows[inst->op].b);
  access->mask = 0;
  if (!access->image)
    return;
  struct isa_image room;
  const struct isa_image *image = isa_image_as(access->image, inst, &room);
  access->bytes = (uint8_t)image->texel_bytes;
  EACH_LANE(lane, mask) {
    const uint32_t channel[4] = {data[lane], data[stride + lane], data[2 * stride + lane], data[3 * stride + lane]};
    uint8_t bytes[16] = {0};
    if (!isa_image_place(image, coordinates + lane, stride, &access->address[lane]))
      continue;
    isa_texel_write(image, channel, bytes);
    for (uint32_t word = 0; word < 4; word++)
      memcpy(&access->data[word * stride + lane], bytes + 4 * word, 4);
    access->mask |= UINT64_C(1) << lane;
  }
}

void image_query(struct isa_warp *warp, const struct isa_inst *inst, uint32_t pc, uint64_t mask) {
  if (!mask)
    return;
  const uint32_t stride = warp->group->launch->warp_size;
  const struct isa_image *image = image_of(warp, inst, pc, mask);
  uint32_t value = 0;
  switch (image ? (enum isa_image_query)high_number(inst) : ISA_IMAGE_QUERIES) {
#define IMAGE_QUERY(id, name, ...)                                                                                     \
  case ISA_IMAGE_QUERY_##id:                                                                                           \
    value = (uint32_t)(__VA_ARGS__);                                                                                   \
    break;
#include "isa/image.def"
  case ISA_IMAGE_QUERIES:
    break;
  }
  EACH_LANE(lane, mask) warp->reg[(size_t)inst->d * stride + lane] = value;
}

/* ---- at commit -------------------------------------------------------------------------------------- */

static const uint8_t *texel_at(const struct isa_access *access, uint64_t address) {
  const struct isa_cache *cache = access->cache;
  if (!cache)
    return isa_memory_at(access->warp->group->launch->memory, address, access->bytes);
  return cache->at(cache->self, address & ~(cache->line - 1)) + (address & (cache->line - 1));
}

static void sample_channels(const struct isa_access *access, const struct isa_samples *samples, unsigned i,
                            uint32_t channel[4]) {
  struct isa_image room;
  const struct isa_image *image = isa_image_as(access->image, access->inst, &room);
  if (samples->border[i]) {
    const bool is_int = isa_texel_number(image->type) == ISA_NUMBER_INT;
    const uint32_t alpha = isa_image_orders[image->order].border_alpha;
    memset(channel, 0, 4 * sizeof *channel);
    channel[3] = !alpha ? 0 : is_int ? 1 : float_raw(1);
    return;
  }
  isa_texel_read(image, texel_at(access, samples->address[i]), channel);
}

static void filter(const struct isa_access *access, const struct isa_samples *samples, uint32_t result[4]) {
  double sum[4] = {0};
  for (unsigned i = 0; i < samples->count; i++) {
    uint32_t channel[4];
    double weight = 1;
    for (unsigned axis = 0; 1u << axis < samples->count; axis++)
      weight *= i >> axis & 1 ? (double)samples->weight[axis] : 1 - (double)samples->weight[axis];
    sample_channels(access, samples, i, channel);
    for (unsigned k = 0; k < 4; k++)
      sum[k] += weight * (double)float_of(channel[k]);
  }
  for (unsigned k = 0; k < 4; k++)
    result[k] = float_bits((float)sum[k]);
}

static void commit_read(const struct isa_access *access) {
  const uint32_t stride = access->warp->group->launch->warp_size;
  uint32_t *d = access->warp->reg + (size_t)access->inst->d * stride;
  EACH_LANE(lane, access->mask) {
    struct isa_samples samples;
    uint32_t result[4];
    isa_access_samples(access, (uint32_t)lane, &samples);
    if (samples.count == 1)
      sample_channels(access, &samples, 0, result);
    else
      filter(access, &samples, result);
    for (uint32_t word = 0; word < 4; word++)
      d[word * stride + lane] = result[word];
  }
}

static void commit_store(const struct isa_access *access) {
  const uint32_t stride = access->warp->group->launch->warp_size;
  struct isa_memory *memory = access->warp->group->launch->memory;
  EACH_LANE(lane, access->mask) {
    uint32_t words[4];
    for (uint32_t word = 0; word < 4; word++)
      words[word] = access->data[word * stride + lane];
    memcpy(isa_memory_at(memory, access->address[lane], access->bytes), words, access->bytes);
  }
}

void image_commit(struct isa_access *access) {
  if (isa_is_image_read(access))
    commit_read(access);
  else
    commit_store(access);
}
