#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/launch/job_images.h"
#include "sim/launch/launch_file_parts.h"

static bool read_size(struct launch_reader *reader, const struct place *parent, const json_t *object, const char *key,
                      uint32_t *size) {
  const json_t *value = json_object_get(object, key);
  uint64_t number = 0;
  if (!value)
    return true;
  if (!json_whole(&reader->document, &(struct place){parent, key, 0}, value, 1, ISA_MOST_IMAGE_SIZE, "texels", &number))
    return false;
  *size = (uint32_t)number;
  return true;
}

static bool read_kind(struct launch_reader *reader, const struct place *place, const json_t *value,
                      enum isa_image_kind *kind) {
  const char *word = json_word(&reader->document, place, value);
  return word && (job_image_kind(word, kind, reader->document.message) || launch_refuse(reader, place));
}

/* Texels from a file: a picture if its name says so, else packed bytes. An image without a given size has the
 * picture's. */
struct texels {
  struct picture picture;
  uint8_t *bytes;
  size_t size;
};

static bool read_texels(struct launch_reader *reader, const struct place *place, const json_t *name,
                        struct texels *texels) {
  const char *word = json_word(&reader->document, place, name);
  char *raw = NULL;
  size_t size = 0;
  if (!word || !launch_file(reader, place, word, &raw, &size))
    return false;
  if (!raw || !picture_named(word)) {
    texels->bytes = (uint8_t *)raw;
    texels->size = size;
    return true;
  }
  const bool good = picture_read((const uint8_t *)raw, size, &texels->picture, reader->document.message) ||
                    launch_refuse(reader, place);
  free(raw);
  return good;
}

/* Converts what was read to packed bytes of an image; NULL if the file was only listed. */
static bool pack(struct launch_reader *reader, const struct place *place, const struct isa_image *image,
                 struct texels *texels, uint8_t **bytes) {
  const uint64_t wanted = isa_image_packed_bytes(image);
  if (texels->picture.sample) {
    *bytes = need(need_size(wanted), 1);
    return job_pack_picture(image, &texels->picture, *bytes, reader->document.message) || launch_refuse(reader, place);
  }
  *bytes = texels->bytes;
  texels->bytes = NULL;
  return !*bytes || texels->size == wanted ||
         json_fail(&reader->document, place, "has %zu bytes, not the image's %" PRIu64, texels->size, wanted);
}

static bool fill_image(struct launch_reader *reader, const struct place *place, size_t number, struct texels *texels) {
  const struct isa_image *image = &reader->job->memory.images[number];
  uint8_t *packed = NULL;
  const bool good = pack(reader, place, image, texels, &packed);
  if (good && packed)
    isa_image_unpack(image, packed, job_image_texels(reader->job, image));
  free(packed);
  return good;
}

static bool read_shape(struct launch_reader *reader, const struct place *place, const json_t *object,
                       struct isa_image *shape) {
  const json_t *kind = json_object_get(object, "kind"), *format = json_object_get(object, "format");
  const struct place kind_at = {place, "kind", 0}, format_at = {place, "format", 0};
  if (kind && !read_kind(reader, &kind_at, kind, &shape->kind))
    return false;
  const char *word = format ? json_word(&reader->document, &format_at, format) : "rgba.unorm_int8";
  if (!word)
    return false;
  if (!job_image_format(word, shape, reader->document.message))
    return launch_refuse(reader, &format_at);
  return read_size(reader, place, object, "width", &shape->width) &&
         read_size(reader, place, object, "height", &shape->height) &&
         read_size(reader, place, object, "depth", &shape->depth) &&
         read_size(reader, place, object, "layers", &shape->layers);
}

static bool make_image(struct launch_reader *reader, const struct place *place, const json_t *object,
                       struct texels *texels) {
  const struct place file_at = {place, "file", 0};
  const json_t *file = json_object_get(object, "file"), *fill = json_object_get(object, "fill");
  struct isa_image shape = {.kind = ISA_IMAGE_2D, .height = 1, .depth = 1, .layers = 1};
  if (!read_shape(reader, place, object, &shape) || (file && !read_texels(reader, &file_at, file, texels)))
    return false;
  if (file && fill)
    return json_fail(&reader->document, place, "an image cannot have both 'file' and 'fill'");
  if (texels->picture.sample && !shape.width) {
    shape.width = texels->picture.width;
    shape.height = texels->picture.height;
  }
  if (!shape.width)
    return json_fail(&reader->document, place, "'width' is missing: only an image from a picture can do without");
  if (!job_image(reader->job, place->key, &shape, reader->document.message))
    return launch_refuse(reader, place);
  const size_t number = reader->job->memory.image_count - 1;
  return fill ? launch_fill(reader, place, object, reader->job->memory.count - 1)
              : fill_image(reader, &file_at, number, texels);
}

static void texels_free(struct texels *texels) {
  free(texels->picture.sample);
  free(texels->bytes);
}

bool launch_image(struct launch_reader *reader, const struct place *place, const json_t *object) {
  static const char *const keys[] = {"kind", "format", "width", "height", "depth", "layers", "file", "fill", "seed"};
  struct texels texels = {0};
  if (!json_is(&reader->document, place, object, JSON_OBJECT) ||
      !json_keys(&reader->document, place, object, keys, COUNT(keys)))
    return false;
  const bool good = make_image(reader, place, object, &texels);
  texels_free(&texels);
  return good;
}

bool launch_texels(struct launch_reader *reader, const struct place *place, const json_t *name,
                   const struct isa_image *image, uint8_t **bytes) {
  struct texels texels = {0};
  *bytes = NULL;
  const bool good = read_texels(reader, place, name, &texels) && pack(reader, place, image, &texels, bytes);
  texels_free(&texels);
  return good;
}
