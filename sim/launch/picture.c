#include "sim/launch/picture.h"

#include <inttypes.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/need.h"

enum kind { KIND_PNG, KIND_PGM, KIND_PPM, KINDS };

static enum kind kind_of(const char *path) {
  static const char *const extensions[KINDS] = {".png", ".pgm", ".ppm"};
  unsigned kind = 0;
  while (kind < KINDS && strcmp(file_extension(path), extensions[kind]) != 0)
    kind++;
  return (enum kind)kind;
}

bool picture_named(const char *path) { return kind_of(path) < KINDS; }

static size_t row_bytes(const struct picture *picture) {
  return (size_t)picture->width * picture->channels * picture->bits / 8;
}

static bool has_size(const struct picture *picture, struct message *message) {
  return (picture->width >= 1 && picture->width <= PICTURE_MOST_SIZE && picture->height >= 1 &&
          picture->height <= PICTURE_MOST_SIZE) ||
         message_fail(message, "a picture must have 1 to %d pixels in each direction", PICTURE_MOST_SIZE);
}

/* ---- PGM and PPM ------------------------------------------------------------------------------------ */

struct reader {
  const uint8_t *at;
  size_t left;
};

static bool is_blank(uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

/* A number of the header, after white space and comments; 0 if there is none. */
static uint32_t header_number(struct reader *reader) {
  uint32_t number = 0;
  bool comment = false;
  while (reader->left && (comment || *reader->at < '0' || *reader->at > '9')) {
    comment = comment ? *reader->at != '\n' : *reader->at == '#';
    if (!comment && !is_blank(*reader->at))
      return 0;
    reader->at++;
    reader->left--;
  }
  for (; reader->left && *reader->at >= '0' && *reader->at <= '9' && number <= PICTURE_MOST_SIZE; reader->left--)
    number = 10 * number + (uint32_t)(*reader->at++ - '0');
  return number;
}

static bool netpbm_read(const uint8_t *bytes, size_t size, struct picture *picture, struct message *message) {
  struct reader reader = {bytes + 2, size - 2};
  picture->channels = bytes[1] == '6' ? 3 : 1;
  picture->width = header_number(&reader);
  picture->height = header_number(&reader);
  const uint32_t most = header_number(&reader);
  picture->bits = most > UINT8_MAX ? 16 : 8;
  if (!has_size(picture, message))
    return false;
  if (most != UINT8_MAX && most != UINT16_MAX)
    return message_fail(message, "samples up to %u; legal: up to 255 or 65535", most);
  if (reader.left && !is_blank(*reader.at))
    return message_fail(message, "byte 0x%02x follows the header; legal: one character of white space", *reader.at);
  const uint64_t all = (uint64_t)row_bytes(picture) * picture->height;
  if (reader.left < 1 || reader.left - 1 < all)
    return message_fail(message, "the picture is cut off: %u x %u pixels take %" PRIu64 " bytes", picture->width,
                        picture->height, all);
  const size_t wanted = (size_t)all;
  picture->sample = need(wanted, 1);
  memcpy(picture->sample, reader.at + 1, wanted);
  for (size_t i = 0; picture->bits == 16 && i < wanted; i += 2) { /* the file has the high byte first */
    const uint16_t sample = (uint16_t)(picture->sample[i] << 8 | picture->sample[i + 1]);
    memcpy(picture->sample + i, &sample, sizeof sample);
  }
  return true;
}

static bool netpbm_write(const struct picture *picture, enum kind kind, uint8_t **bytes, size_t *size,
                         struct message *message) {
  char header[64];
  if (picture->channels != (kind == KIND_PPM ? 3 : 1))
    return message_fail(message, "%u channels do not fit a .%s, which has %s; a .png takes any", picture->channels,
                        kind == KIND_PPM ? "ppm" : "pgm", kind == KIND_PPM ? "3" : "1");
  const size_t length = (size_t)snprintf(header, sizeof header, "P%c\n%u %u\n%u\n", kind == KIND_PPM ? '6' : '5',
                                         picture->width, picture->height, (1u << picture->bits) - 1);
  const size_t samples = row_bytes(picture) * picture->height;
  *size = length + samples;
  *bytes = need(*size, 1);
  memcpy(*bytes, header, length);
  memcpy(*bytes + length, picture->sample, samples);
  for (size_t i = length; picture->bits == 16 && i < *size; i += 2) {
    uint16_t sample;
    memcpy(&sample, *bytes + i, sizeof sample);
    (*bytes)[i] = (uint8_t)(sample >> 8);
    (*bytes)[i + 1] = (uint8_t)sample;
  }
  return true;
}

/* ---- PNG -------------------------------------------------------------------------------------------- */

/* The state of a call to libpng, which jumps to `failed` on an error. */
struct png_work {
  jmp_buf failed;
  struct message *message;
  struct picture *picture; /* to read */
  bool whole;              /* read to the end */
  uint8_t *bytes;          /* written so far */
  size_t size, room;
};

static void png_fails(png_structp png, png_const_charp text) {
  struct png_work *work = png_get_error_ptr(png);
  message_fail(work->message, "not a valid PNG: %.100s", text);
  longjmp(work->failed, 1);
}

static void png_warns(png_structp png, png_const_charp text) { (void)png, (void)text; }
static png_voidp png_take(png_structp png, png_alloc_size_t size) { return (void)png, malloc(size); }
static void png_give(png_structp png, png_voidp block) { (void)png, free(block); }

static void png_writes(png_structp png, png_bytep from, size_t size) {
  struct png_work *work = png_get_io_ptr(png);
  if (size > work->room - work->size) {
    const size_t room = 2 * (work->size + size);
    uint8_t *bytes = realloc(work->bytes, room);
    if (!bytes)
      png_error(png, "out of memory");
    work->bytes = bytes;
    work->room = room;
  }
  memcpy(work->bytes + work->size, from, size);
  work->size += size;
}

static void png_flushes(png_structp png) { (void)png; }

static bool is_moderate(const struct picture *picture, struct message *message) {
  return (uint64_t)picture->width * picture->height <= PICTURE_MOST_PNG ||
         message_fail(message, "%u x %u pixels; legal: at most %d in all in a PNG", picture->width, picture->height,
                      PICTURE_MOST_PNG);
}

/* Reads samples as 8 or 16 bits a channel. */
static void begin_picture(png_structp png, png_infop info) {
  struct png_work *work = png_get_progressive_ptr(png);
  struct picture *picture = work->picture;
  picture->width = png_get_image_width(png, info);
  picture->height = png_get_image_height(png, info);
  if (!is_moderate(picture, work->message))
    longjmp(work->failed, 1);
  png_set_expand(png);
  if (png_get_bit_depth(png, info) == 16)
    png_set_swap(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  picture->channels = png_get_channels(png, info);
  picture->bits = png_get_bit_depth(png, info);
  const size_t row = row_bytes(picture);
  if (png_get_rowbytes(png, info) != row)
    png_error(png, "its rows do not have the size of its pixels");
  picture->sample = calloc(picture->height, row);
  if (!picture->sample)
    png_error(png, "out of memory");
}

static void take_row(png_structp png, png_bytep row, png_uint_32 y, int pass) {
  const struct picture *picture = ((struct png_work *)png_get_progressive_ptr(png))->picture;
  (void)pass;
  png_progressive_combine_row(png, picture->sample + y * row_bytes(picture), row);
}

static void end_picture(png_structp png, png_infop info) {
  (void)info;
  ((struct png_work *)png_get_progressive_ptr(png))->whole = true;
}

/* The work must not exceed the pixels and the file, however little of the file is pixels. So libpng skips texts and
 * color profiles, which may be compressed a thousandfold; and it gets the file piece by piece, because then it does not
 * decompress what follows the last pixel. */
static bool png_picture_read(const uint8_t *bytes, size_t size, struct picture *picture, struct message *message) {
  struct png_work work = {.message = message, .picture = picture};
  png_structp png =
      png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &work, png_fails, png_warns, NULL, png_take, png_give);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info) {
    png_destroy_read_struct(&png, NULL, NULL);
    return message_fail(message, "out of memory");
  }
  const bool good = !setjmp(work.failed);
  if (good) {
    png_set_user_limits(png, PICTURE_MOST_SIZE, PICTURE_MOST_SIZE);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_progressive_read_fn(png, &work, begin_picture, take_row, end_picture);
    png_process_data(png, info, (png_bytep)(uintptr_t)bytes, size);
    if (!work.whole)
      png_error(png, "it is cut off");
  } else {
    free(picture->sample);
    picture->sample = NULL;
  }
  png_destroy_read_struct(&png, &info, NULL);
  return good;
}

static void write_samples(png_structp png, png_infop info, const struct picture *picture) {
  static const int colors[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                               PNG_COLOR_TYPE_RGB_ALPHA};
  png_set_IHDR(png, info, picture->width, picture->height, (int)picture->bits, colors[picture->channels - 1],
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  if (picture->bits == 16)
    png_set_swap(png);
  for (uint32_t y = 0; y < picture->height; y++)
    png_write_row(png, picture->sample + y * row_bytes(picture));
  png_write_end(png, NULL);
}

static bool png_picture_write(const struct picture *picture, uint8_t **bytes, size_t *size, struct message *message) {
  struct png_work work = {.message = message};
  png_structp png =
      png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &work, png_fails, png_warns, NULL, png_take, png_give);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info) {
    png_destroy_write_struct(&png, NULL);
    return message_fail(message, "out of memory");
  }
  const bool good = !setjmp(work.failed);
  if (good) {
    png_set_user_limits(png, PICTURE_MOST_SIZE, PICTURE_MOST_SIZE);
    png_set_write_fn(png, &work, png_writes, png_flushes);
    write_samples(png, info, picture);
  }
  png_destroy_write_struct(&png, &info);
  *bytes = work.bytes;
  *size = work.size;
  if (!good)
    free(work.bytes);
  return good;
}

/* ---- any format ------------------------------------------------------------------------------------- */

bool picture_read(const uint8_t *bytes, size_t size, struct picture *picture, struct message *message) {
  *picture = (struct picture){0};
  if (size >= 8 && png_sig_cmp(bytes, 0, 8) == 0)
    return png_picture_read(bytes, size, picture, message);
  if (size > 2 && bytes[0] == 'P' && (bytes[1] == '5' || bytes[1] == '6') && (is_blank(bytes[2]) || bytes[2] == '#'))
    return netpbm_read(bytes, size, picture, message);
  return message_fail(message, "neither a PNG nor a binary PGM or PPM (P5, P6)");
}

bool picture_write(const struct picture *picture, const char *path, uint8_t **bytes, size_t *size,
                   struct message *message) {
  const enum kind kind = kind_of(path);
  if (!has_size(picture, message))
    return false;
  return kind == KIND_PNG ? png_picture_write(picture, bytes, size, message)
                          : netpbm_write(picture, kind, bytes, size, message);
}
