/* Picture files: PNG (with libpng), and binary PGM and PPM, which are a text header and the samples.
 *
 * A picture has 1 to 4 channels (gray; gray and alpha; red, green and blue; these and alpha) of 8 or 16 bits, row by
 * row without gaps. 16-bit samples are in host byte order. Palettes become colors, and samples of fewer than 8 bits
 * become 8 bits. Not read: gamma and color profiles. */
#ifndef SIM_LAUNCH_PICTURE_H
#define SIM_LAUNCH_PICTURE_H

#include <stdint.h>

#include "sim/base/message.h"

struct picture {
  uint32_t width, height;
  unsigned channels, bits;
  uint8_t *sample; /* the caller frees it */
};

enum {
  PICTURE_MOST_SIZE = 65535,  /* in either direction */
  PICTURE_MOST_PNG = 1 << 26, /* pixels of a PNG to read: a few megabytes can hold gigabytes of them */
};

/* Does the name end in .png, .pgm or .ppm? */
bool picture_named(const char *path);

bool picture_read(const uint8_t *bytes, size_t size, struct picture *picture, struct message *message);

/* Encodes the picture for a file of this name, in memory that the caller frees. .pgm takes one channel, .ppm three,
 * .png any number. */
bool picture_write(const struct picture *picture, const char *path, uint8_t **bytes, size_t *size,
                   struct message *message);

#endif
