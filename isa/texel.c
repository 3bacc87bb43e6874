/* Image formats: conversion of texels to and from bytes. */
#include "isa/image.h"
#include "isa/numbers.h"

#include <string.h>

const struct isa_image_order_row isa_image_orders[ISA_IMAGE_ORDERS] = {
#define IMAGE_ORDER(id, name, channels, alpha) {name, channels, alpha},
#include "isa/image.def"
};
const struct isa_image_type_row isa_image_types[ISA_IMAGE_TYPES] = {
#define IMAGE_TYPE(id, name, bytes, number, packed) {name, bytes, number, packed},
#include "isa/image.def"
};

/* The pairs of order and type that OpenCL allows. */
uint32_t isa_texel_bytes(enum isa_image_order order, enum isa_image_type type) {
  const struct isa_image_type_row *row = &isa_image_types[type];
  const uint32_t channels = (uint32_t)strlen(isa_image_orders[order].channels);
  bool good = false;
  switch (order) {
  case ISA_ORDER_R:
  case ISA_ORDER_A:
  case ISA_ORDER_RG:
  case ISA_ORDER_RA:
  case ISA_ORDER_RX:
  case ISA_ORDER_RGX:
    good = !row->packed;
    break;
  case ISA_ORDER_RGB:
  case ISA_ORDER_RGBX:
    good = row->packed && type != ISA_TEXEL_UNORM_101010_2;
    break;
  case ISA_ORDER_RGBA:
    good = !row->packed || type == ISA_TEXEL_UNORM_101010_2;
    break;
  case ISA_ORDER_BGRA:
  case ISA_ORDER_ARGB:
  case ISA_ORDER_ABGR:
    good = type == ISA_TEXEL_UNORM_INT8 || type == ISA_TEXEL_SNORM_INT8 || type == ISA_TEXEL_SIGNED_INT8 ||
           type == ISA_TEXEL_UNSIGNED_INT8;
    break;
  case ISA_ORDER_INTENSITY:
  case ISA_ORDER_LUMINANCE:
    good = !row->packed && (row->number == 'n' || row->number == 'f');
    break;
  case ISA_ORDER_DEPTH:
    good = type == ISA_TEXEL_UNORM_INT16 || type == ISA_TEXEL_FLOAT;
    break;
  case ISA_ORDER_SRGBA:
  case ISA_ORDER_SBGRA:
    good = type == ISA_TEXEL_UNORM_INT8;
    break;
  default:
    break;
  }
  return !good ? 0 : row->packed ? row->bytes : row->bytes * channels;
}

enum isa_image_number isa_texel_number(enum isa_image_type type) {
  const char number = isa_image_types[type].number;
  return number == 's' || number == 'u' ? ISA_NUMBER_INT : ISA_NUMBER_FLOAT;
}

/* ---- a channel ------------------------------------------------------------------------------------ */

static uint32_t unorm(uint32_t value, uint32_t most) { return float_raw((float)value / (float)most); }

static uint32_t snorm(int32_t value, int32_t most) {
  return float_raw(value < -most ? -1.0f : (float)value / (float)most);
}

static uint32_t stored(const uint8_t *bytes, unsigned size) {
  uint32_t word;
  uint16_t half;
  if (size == 1)
    return *bytes;
  if (size == 2)
    return memcpy(&half, bytes, sizeof half), half;
  return memcpy(&word, bytes, sizeof word), word;
}

static uint32_t channel_read(enum isa_image_type type, const uint8_t *bytes) {
  const uint32_t value = stored(bytes, isa_image_types[type].bytes);
  switch (type) {
  case ISA_TEXEL_SNORM_INT8:
    return snorm((int8_t)value, INT8_MAX);
  case ISA_TEXEL_SNORM_INT16:
    return snorm((int16_t)value, INT16_MAX);
  case ISA_TEXEL_UNORM_INT8:
    return unorm(value, UINT8_MAX);
  case ISA_TEXEL_UNORM_INT16:
    return unorm(value, UINT16_MAX);
  case ISA_TEXEL_SIGNED_INT8:
    return (uint32_t)(int8_t)value;
  case ISA_TEXEL_SIGNED_INT16:
    return (uint32_t)(int16_t)value;
  case ISA_TEXEL_HALF_FLOAT:
    return float_bits(half_of(value));
  default: /* unchanged */
    return value;
  }
}

/* The nearest integer, ties to even, saturated. A NaN gives 0. */
static uint32_t norm(uint32_t channel, int32_t least, int32_t most) {
  const float scaled = float_of(channel) * (float)most;
  return (uint32_t)saturate_s32(rint((double)scaled), least, most);
}

static uint32_t saturated(int32_t value, int32_t least, int32_t most) {
  return (uint32_t)(value < least ? least : value > most ? most : value);
}

static uint32_t channel_bits(enum isa_image_type type, uint32_t channel) {
  switch (type) {
  case ISA_TEXEL_SNORM_INT8:
    return norm(channel, INT8_MIN, INT8_MAX);
  case ISA_TEXEL_SNORM_INT16:
    return norm(channel, INT16_MIN, INT16_MAX);
  case ISA_TEXEL_UNORM_INT8:
    return norm(channel, 0, UINT8_MAX);
  case ISA_TEXEL_UNORM_INT16:
    return norm(channel, 0, UINT16_MAX);
  case ISA_TEXEL_SIGNED_INT8:
    return saturated((int32_t)channel, INT8_MIN, INT8_MAX);
  case ISA_TEXEL_SIGNED_INT16:
    return saturated((int32_t)channel, INT16_MIN, INT16_MAX);
  case ISA_TEXEL_UNSIGNED_INT8:
    return channel < UINT8_MAX ? channel : UINT8_MAX;
  case ISA_TEXEL_UNSIGNED_INT16:
    return channel < UINT16_MAX ? channel : UINT16_MAX;
  case ISA_TEXEL_HALF_FLOAT:
    return half_bits((double)float_of(channel));
  default:
    return channel;
  }
}

/* ---- packed texels: fields of bits, the first channel highest --------------------------------------- */

static const uint8_t *packed_fields(enum isa_image_type type) {
  static const uint8_t fields_565[4] = {5, 6, 5, 0}, fields_555[4] = {5, 5, 5, 0}, fields_1010[4] = {10, 10, 10, 0},
                       fields_2[4] = {10, 10, 10, 2};
  return type == ISA_TEXEL_UNORM_565      ? fields_565
         : type == ISA_TEXEL_UNORM_555    ? fields_555
         : type == ISA_TEXEL_UNORM_101010 ? fields_1010
                                          : fields_2;
}

static void packed_read(enum isa_image_type type, const uint8_t *bytes, uint32_t channel[4]) {
  const uint8_t *fields = packed_fields(type);
  const uint32_t word = stored(bytes, isa_image_types[type].bytes);
  uint32_t shift = 0;
  for (unsigned i = 4; i-- > 0;) {
    const uint32_t most = (1u << fields[i]) - 1;
    if (most)
      channel[i] = unorm(word >> shift & most, most);
    shift += fields[i];
  }
}

static void packed_write(enum isa_image_type type, const uint32_t channel[4], uint8_t *bytes) {
  const uint8_t *fields = packed_fields(type);
  uint32_t word = 0;
  for (unsigned i = 0; i < 4; i++)
    word = word << fields[i] | (fields[i] ? norm(channel[i], 0, (1 << fields[i]) - 1) : 0);
  memcpy(bytes, &word, isa_image_types[type].bytes);
}

/* ---- sRGB ------------------------------------------------------------------------------------------- */

static bool is_srgb(enum isa_image_order order) { return order == ISA_ORDER_SRGBA || order == ISA_ORDER_SBGRA; }

static uint32_t from_srgb(uint32_t byte) {
  const double c = byte / 255.0;
  return float_raw((float)(c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4)));
}

static uint32_t to_srgb(uint32_t channel) {
  const double c = (double)float_of(channel);
  const double srgb = c < 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
  return (uint32_t)saturate_s32(rint(255.0 * (c >= 1 ? 1 : c > 0 ? srgb : 0)), 0, UINT8_MAX);
}

/* ---- texels ----------------------------------------------------------------------------------------- */

/* Which of red, green, blue and alpha a letter of an order is. A letter that stands for several gives the first. */
static unsigned place_of(char letter) { return letter == 'g' ? 1 : letter == 'b' ? 2 : letter == 'a' ? 3 : 0; }

void isa_texel_read(const struct isa_image *image, const uint8_t *bytes, uint32_t channel[4]) {
  const char *letter = isa_image_orders[image->order].channels;
  const bool is_int = isa_texel_number(image->type) == ISA_NUMBER_INT;
  channel[0] = channel[1] = channel[2] = 0;
  channel[3] = is_int ? 1 : float_raw(1);
  if (isa_image_types[image->type].packed) {
    packed_read(image->type, bytes, channel);
    return;
  }
  const bool srgb = is_srgb(image->order);
  const uint32_t size = isa_image_types[image->type].bytes;
  for (unsigned i = 0; letter[i]; i++)
    channel[place_of(letter[i])] =
        srgb && letter[i] != 'a' ? from_srgb(bytes[i]) : channel_read(image->type, bytes + i * size);
  if (*letter == 'i' || *letter == 'l')
    channel[1] = channel[2] = channel[0];
  if (*letter == 'i')
    channel[3] = channel[0];
}

void isa_texel_write(const struct isa_image *image, const uint32_t channel[4], uint8_t *bytes) {
  const char *letter = isa_image_orders[image->order].channels;
  const uint32_t size = isa_image_types[image->type].bytes;
  if (isa_image_types[image->type].packed) {
    packed_write(image->type, channel, bytes);
    return;
  }
  for (unsigned i = 0; letter[i]; i++) {
    const uint32_t value = channel[place_of(letter[i])];
    const bool srgb = is_srgb(image->order) && letter[i] != 'a';
    const uint32_t bits = srgb ? to_srgb(value) : channel_bits(image->type, value);
    memcpy(bytes + i * size, &bits, size);
  }
}
