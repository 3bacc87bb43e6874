/* Pictures in files: PNG by libpng, and binary PGM and PPM, which are a line of text and the samples.
 *
 * A picture has 1 to 4 channels (gray; gray and alpha; red, green, blue; and alpha) of 8 or 16 bits, row by row without
 * gaps, 16 bits in the order of the host. Palettes become their colors, and fewer bits than 8 become 8. Not read:
 * gamma and color profiles. */
#ifndef SIM_SESSION_PICTURE_H
#define SIM_SESSION_PICTURE_H

#include <stdint.h>

#include "sim/base/message.h"

struct picture {
  uint32_t width, height;
  unsigned channels, bits;
  uint8_t *sample; /* the owner frees it */
};

enum { PICTURE_MOST_SIZE = 65535 }; /* in either direction */

/* Whether a file of this name is one: .png, .pgm, .ppm. */
bool picture_named(const char *path);

bool picture_read(const uint8_t *bytes, size_t size, struct picture *picture, struct message *message);

/* The file of this name, in memory that the caller frees. .pgm takes one channel, .ppm three, .png any. */
bool picture_write(const struct picture *picture, const char *path, uint8_t **bytes, size_t *size,
                   struct message *message);

#endif
