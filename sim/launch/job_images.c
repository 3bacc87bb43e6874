#include "sim/launch/job_images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/numbers.h"
#include "models/machine.h"
#include "sim/base/need.h"

/* ---- words ------------------------------------------------------------------------------------------ */

static const char *kind_name(unsigned number) { return isa_image_kinds[number].name; }

static const char *order_name(unsigned number) {
  return *isa_image_orders[number].channels ? isa_image_orders[number].name : NULL;
}

static const char *type_name(unsigned number) {
  return isa_image_types[number].bytes ? isa_image_types[number].name : NULL;
}

/* The number of a word in a list of names. For an unknown word it returns `count`, and the message lists the names. */
static unsigned choose(const char *what, const char *word, const char *(*name)(unsigned number), unsigned count,
                       struct message *message) {
  const char *names[ISA_IMAGE_ORDERS + ISA_IMAGE_TYPES];
  char hint[400];
  size_t there = 0;
  for (unsigned i = 0; i < count; i++) {
    if (!name(i))
      continue;
    if (strcmp(word, name(i)) == 0)
      return i;
    names[there++] = name(i);
  }
  message_suggest(hint, sizeof hint, word, names, there);
  message_fail(message, "no %s '%.40s'%s", what, word, hint);
  return count;
}

bool job_image_kind(const char *text, enum isa_image_kind *kind, struct message *message) {
  *kind = (enum isa_image_kind)choose("kind of image", text, kind_name, ISA_IMAGE_KINDS, message);
  return *kind < ISA_IMAGE_KINDS;
}

bool job_image_format(const char *text, struct isa_image *image, struct message *message) {
  const char *dot = strchr(text, '.');
  char order[32];
  if (!dot)
    return message_fail(message, "'%.60s' is not ORDER.TYPE, such as rgba.unorm_int8", text);
  snprintf(order, sizeof order, "%.*s", (int)(dot - text < 31 ? dot - text : 31), text);
  const unsigned o = choose("channel order", order, order_name, ISA_IMAGE_ORDERS, message);
  const unsigned t = o < ISA_IMAGE_ORDERS ? choose("channel type", dot + 1, type_name, ISA_IMAGE_TYPES, message) : 0;
  if (o == ISA_IMAGE_ORDERS || t == ISA_IMAGE_TYPES)
    return false;
  image->order = (enum isa_image_order)o;
  image->type = (enum isa_image_type)t;
  return isa_texel_bytes(image->order, image->type) ||
         message_fail(message, "channel order %s cannot be combined with channel type %s", order_name(o), type_name(t));
}

enum sampler_part { PART_COORDINATES, PART_FILTER, PART_ADDRESS, PARTS };
static const struct {
  const char *word;
  enum sampler_part part;
  uint32_t bits;
} sampler_words[] = {
    {"normalized", PART_COORDINATES, ISA_SAMPLER_NORMALIZED},
    {"nearest", PART_FILTER, 0},
    {"linear", PART_FILTER, ISA_SAMPLER_LINEAR},
#define IMAGE_ADDRESS(id, name) {name, PART_ADDRESS, (uint32_t)ISA_ADDRESS_##id << ISA_SAMPLER_ADDRESS},
#include "isa/image.def"
};
enum { SAMPLER_WORDS = sizeof sampler_words / sizeof *sampler_words };

/* Adds one word to the sampler, unless an earlier word set the same part to another value. */
static bool sampler_word(const char *word, uint32_t *sampler, const char *said[PARTS], struct message *message) {
  const char *words[SAMPLER_WORDS];
  char hint[300];
  for (size_t i = 0; i < SAMPLER_WORDS; i++) {
    words[i] = sampler_words[i].word;
    if (strcmp(word, words[i]) != 0)
      continue;
    const enum sampler_part part = sampler_words[i].part;
    if (said[part] && said[part] != words[i])
      return message_fail(message, "a sampler cannot be both '%s' and '%s'", said[part], words[i]);
    said[part] = words[i];
    *sampler |= sampler_words[i].bits;
    return true;
  }
  message_suggest(hint, sizeof hint, word, words, SAMPLER_WORDS);
  return message_fail(message, "a sampler has no '%.40s'%s", word, hint);
}

bool job_sampler(const char *text, uint32_t *sampler, struct message *message) {
  const char *said[PARTS] = {NULL};
  bool good = true;
  char *copy = need_copy(text), *word = copy;
  *sampler = 0;
  while (good && word) {
    char *end = strchr(word, ',');
    if (end)
      *end++ = '\0';
    good = sampler_word(word, sampler, said, message);
    word = end;
  }
  free(copy);
  return good;
}

/* ---- images ----------------------------------------------------------------------------------------- */

/* The type of one stored channel, or of a packed texel. */
static struct type element_of(enum isa_image_type type) {
  const struct isa_image_type_row *row = &isa_image_types[type];
  const bool is_float = row->number == 'f', is_signed = row->number == 's';
  return (struct type){is_float ? TYPE_FLOATING : is_signed ? TYPE_SIGNED : TYPE_UNSIGNED, row->bytes, 1};
}

bool job_image(struct job *job, const char *name, const struct isa_image *shape, struct message *message) {
  struct isa_memory *memory = &job->memory;
  struct isa_image image = *shape;
  image.layout = job->machine->texture.layout == TEXTURE_BLOCKS ? ISA_IMAGE_BLOCKS : ISA_IMAGE_ROWS;
  const char *fault = isa_image_init(&image);
  if (fault)
    return message_fail(message, "%u x %u x %u texels: %s", image.width, image.height, isa_image_slices(&image), fault);
  for (size_t i = 0; i < memory->count; i++)
    if (strcmp(memory->buffers[i].name, name) == 0)
      return message_fail(message, "'%.60s' is already defined", name);
  if (memory->image_count == ISA_MOST_IMAGES)
    return message_fail(message, "more than %d images", ISA_MOST_IMAGES);
  if (!job_buffer(job, name, isa_image_room(&image), element_of(image.type), message))
    return false;
  image.base = memory->buffers[memory->count - 1].base;
  snprintf(image.name, sizeof image.name, "%s", name);
  memory->images = need_more(memory->images, memory->image_count + 1, sizeof *memory->images);
  memory->images[memory->image_count++] = image;
  return true;
}

bool job_find_image(const struct job *job, const char *name, size_t *image, struct message *message) {
  const size_t count = job->memory.image_count;
  for (*image = 0; *image < count; (*image)++)
    if (strcmp(job->memory.images[*image].name, name) == 0)
      return true;
  const char **names = need(count, sizeof *names);
  char hint[400];
  for (size_t i = 0; i < count; i++)
    names[i] = job->memory.images[i].name;
  message_suggest(hint, sizeof hint, name, names, count);
  free(names);
  return message_fail(message, "no image '%.60s'%s", name, count ? hint : "; there are no images");
}

const struct isa_image *job_image_of(const struct job *job, size_t buffer) {
  for (size_t i = 0; i < job->memory.image_count; i++)
    if (job->memory.images[i].base == job->memory.buffers[buffer].base)
      return &job->memory.images[i];
  return NULL;
}

bool job_image_fits(const struct isa_arg *arg, const struct isa_image *image, struct message *message) {
  return isa_image_argument(arg->type, strlen(arg->type)) == image->kind ||
         message_fail(message, "image '%s' is of kind %s, but the kernel's argument '%s' is %s", image->name,
                      isa_image_kinds[image->kind].name, arg->name, arg->type);
}

size_t job_image_buffer(const struct job *job, const struct isa_image *image) {
  size_t buffer = 0;
  while (job->memory.buffers[buffer].base != image->base)
    buffer++;
  return buffer;
}

uint8_t *job_image_texels(const struct job *job, const struct isa_image *image) {
  return job->memory.buffers[job_image_buffer(job, image)].data;
}

uint8_t *job_image_bytes(const struct job *job, const struct isa_image *image, uint64_t *bytes) {
  *bytes = isa_image_packed_bytes(image);
  uint8_t *packed = need(need_size(*bytes), 1);
  isa_image_pack(image, job_image_texels(job, image), packed);
  return packed;
}

/* ---- pictures --------------------------------------------------------------------------------------- */

static uint32_t sample_at(const struct picture *picture, uint32_t x, uint32_t y, unsigned channel) {
  const size_t at = ((size_t)y * picture->width + x) * picture->channels + channel;
  uint16_t wide;
  if (picture->bits == 8)
    return picture->sample[at];
  memcpy(&wide, picture->sample + 2 * at, sizeof wide);
  return wide;
}

/* Red, green, blue and alpha of a pixel, in the form that the image's texels take. */
static void pixel(const struct picture *picture, uint32_t x, uint32_t y, enum isa_image_number number,
                  uint32_t channel[4]) {
  const bool gray = picture->channels < 3, alpha = picture->channels % 2 == 0;
  const uint32_t most = (1u << picture->bits) - 1;
  for (unsigned i = 0; i < 4; i++) {
    const uint32_t sample = i == 3 ? (alpha ? sample_at(picture, x, y, picture->channels - 1) : most)
                                   : sample_at(picture, x, y, gray ? 0 : i);
    channel[i] = number == ISA_NUMBER_INT ? sample : float_raw((float)sample / (float)most);
  }
}

bool job_pack_picture(const struct isa_image *image, const struct picture *picture, uint8_t *bytes,
                      struct message *message) {
  if (picture->width != image->width || picture->height != image->height)
    return message_fail(message, "the picture has %u x %u pixels, but the image has %u x %u texels", picture->width,
                        picture->height, image->width, image->height);
  memset(bytes, 0, (size_t)isa_image_packed_bytes(image));
  for (uint32_t y = 0; y < image->height; y++)
    for (uint32_t x = 0; x < image->width; x++, bytes += image->texel_bytes) {
      uint32_t channel[4];
      pixel(picture, x, y, isa_texel_number(image->type), channel);
      isa_texel_write(image, channel, bytes);
    }
  return true;
}

bool job_image_picture(struct job *job, size_t number, const struct picture *picture, struct message *message) {
  const struct isa_image *image = &job->memory.images[number];
  uint8_t *packed = need(need_size(isa_image_packed_bytes(image)), 1);
  const bool good = job_pack_picture(image, picture, packed, message);
  if (good)
    isa_image_unpack(image, packed, job_image_texels(job, image));
  free(packed);
  return good;
}

/* The number of channels of a picture of this image; *first is the first one's place among red, green, blue and
 * alpha. */
static unsigned picture_channels(const struct isa_image *image, unsigned *first) {
  const char *channels = isa_image_orders[image->order].channels;
  const size_t count = strlen(channels);
  *first = *channels == 'a' && count == 1 ? 3 : 0;
  return count == 1 ? 1 : strchr(channels, 'a') ? count == 2 ? 2 : 4 : 3;
}

static uint32_t sample_of(uint32_t channel, enum isa_image_type type, uint32_t most) {
  const char number = isa_image_types[type].number;
  if (number == 'u')
    return channel < most ? channel : most;
  if (number == 's')
    return (int32_t)channel < 0 ? 0 : channel < most ? channel : most;
  return (uint32_t)saturate_s32(rint((double)float_of(channel) * most), 0, (int32_t)most);
}

bool job_picture_of(const struct job *job, const struct isa_image *image, struct picture *picture,
                    struct message *message) {
  unsigned first;
  const bool wide = !isa_image_types[image->type].packed && isa_image_types[image->type].bytes == 2;
  *picture = (struct picture){.width = image->width, .height = image->height, .bits = wide ? 16 : 8};
  picture->channels = picture_channels(image, &first);
  if (image->width > PICTURE_MOST_SIZE || image->height > PICTURE_MOST_SIZE)
    return message_fail(message, "a picture can have at most %d pixels in each direction", PICTURE_MOST_SIZE);
  const uint8_t *texels = job_image_texels(job, image);
  const size_t bytes = picture->bits / 8;
  uint8_t *at = picture->sample = need((size_t)image->width * image->height * picture->channels, bytes);
  for (uint32_t y = 0; y < image->height; y++)
    for (uint32_t x = 0; x < image->width; x++) {
      uint32_t channel[4];
      isa_texel_read(image, texels + isa_texel_offset(image, x, y, 0), channel);
      for (unsigned i = 0; i < picture->channels; i++, at += bytes) {
        const unsigned which = picture->channels == 2 && i == 1 ? 3 : first + i;
        const uint16_t sample = (uint16_t)sample_of(channel[which], image->type, (1u << picture->bits) - 1);
        memcpy(at, &sample, bytes);
      }
    }
  return true;
}
