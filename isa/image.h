/* Images: texels of one format in up to three dimensions, read through a sampler.
 *
 *     coordinates ──sampler──► up to 8 texels ──format──► numbers ──weights──► four 32-bit channels
 *
 * A *format* is an order of channels and a type of channel (isa/image.def). Its texels have 1, 2, 4, 8 or 16 bytes and
 * lie in a buffer of global memory, by rows or in blocks:
 *
 *     rows     row after row, row_pitch apart; slices and layers slice_pitch apart
 *     blocks   64 bytes of 8 rows side by side are a block of 512 bytes, in which sectors of 32 bytes hold 16 bytes of
 *              two rows: neighbors in both directions share a line. Rows of blocks are 8 * row_pitch apart.
 *
 * A program has a *handle* of an image, 64 bits that are no address. All lanes of an instruction use the handle, and
 * the sampler, of the lowest active one.
 *
 * A *sampler* is a word: bit 0 coordinates are normalized, bits 1..3 addressing mode, bit 4 linear filter.
 *
 * Arithmetic. Coordinates are computed in single precision, operation by operation as the OpenCL specification writes
 * them; a NaN counts as 0, and what is beyond 2^30 as that. Channels become floats by the nearest float of the exact
 * quotient; linear filters add the products of floats and weights in double precision and round once. Stored floats are
 * multiplied in single precision and rounded to the nearest integer, ties to even, saturating; a NaN becomes 0. Halves
 * are rounded to the nearest, ties to even. A format that holds integers is never filtered. With addressing mode none,
 * and where none is said, texels outside read as the border. Repeating modes want normalized coordinates and are none
 * without.
 *
 * Loads and stores are accesses to global memory: described at issue, carried out when the L2 accepts them. A store
 * outside of the image is dropped.
 *
 * Not modelled: mipmaps, multisampling, formats of three bytes or more than one plane. */
#ifndef ISA_IMAGE_H
#define ISA_IMAGE_H

#include "isa/isa.h"

enum isa_image_kind {
#define IMAGE_KIND(id, ...) ISA_IMAGE_##id,
#include "isa/image.def"
  ISA_IMAGE_KINDS
};

enum isa_image_order {
#define IMAGE_ORDER(id, ...) ISA_ORDER_##id,
#include "isa/image.def"
  ISA_IMAGE_ORDERS
};

enum isa_image_type {
#define IMAGE_TYPE(id, ...) ISA_TEXEL_##id,
#include "isa/image.def"
  ISA_IMAGE_TYPES
};

enum isa_image_address {
#define IMAGE_ADDRESS(id, ...) ISA_ADDRESS_##id,
#include "isa/image.def"
  ISA_IMAGE_ADDRESSES
};

enum isa_image_query {
#define IMAGE_QUERY(id, ...) ISA_IMAGE_QUERY_##id,
#include "isa/image.def"
  ISA_IMAGE_QUERIES
};

enum isa_image_layout { ISA_IMAGE_ROWS, ISA_IMAGE_BLOCKS };

/* What texels hold, and what an instruction takes them for: floats or integers, or, whatever the format, rows of
 * numbers of so many bits, which coordinates count instead of texels. */
enum isa_image_number {
  ISA_NUMBER_FLOAT,
  ISA_NUMBER_INT,
  ISA_NUMBER_BITS_8,
  ISA_NUMBER_BITS_16,
  ISA_NUMBER_BITS_32,
  ISA_NUMBER_BITS_64,
  ISA_IMAGE_NUMBERS
};

enum {
  ISA_IMAGE_BLOCK_BYTES = 64, /* of a row, in a block */
  ISA_IMAGE_BLOCK_ROWS = 8,
  ISA_IMAGE_TEXELS = 8, /* that one lane can want at once */
  ISA_MOST_IMAGES = 4096,
  ISA_MOST_IMAGE_SIZE = 1 << 27, /* texels in any direction */
};

#define ISA_IMAGE_HANDLE UINT64_C(0xf0000000) /* of image 0; no address of memory, nor of an aperture's use */

enum { ISA_SAMPLER_NORMALIZED = 1, ISA_SAMPLER_ADDRESS = 1, ISA_SAMPLER_LINEAR = 16, ISA_SAMPLERS = 32 };

static inline uint32_t isa_sampler(bool normalized, enum isa_image_address address, bool linear) {
  return (normalized ? ISA_SAMPLER_NORMALIZED : 0) | (uint32_t)address << ISA_SAMPLER_ADDRESS |
         (linear ? ISA_SAMPLER_LINEAR : 0);
}
static inline bool isa_sampler_good(uint32_t sampler) {
  return sampler < ISA_SAMPLERS && (sampler >> ISA_SAMPLER_ADDRESS & 7) < ISA_IMAGE_ADDRESSES;
}

struct isa_image_kind_row {
  const char *name;
  uint8_t coordinates;
  const char *text;
};
struct isa_image_order_row {
  const char *name, *channels;
  uint8_t border_alpha;
};
struct isa_image_type_row {
  const char *name;
  uint8_t bytes;
  char number; /* f n s u */
  bool packed;
};
extern const struct isa_image_kind_row isa_image_kinds[ISA_IMAGE_KINDS];
extern const struct isa_image_order_row isa_image_orders[ISA_IMAGE_ORDERS];
extern const struct isa_image_type_row isa_image_types[ISA_IMAGE_TYPES];
extern const char *const isa_image_addresses[ISA_IMAGE_ADDRESSES];
extern const char *const isa_image_queries[ISA_IMAGE_QUERIES];
extern const char *const isa_image_numbers[ISA_IMAGE_NUMBERS]; /* "float", "int", "b8", ... */

struct isa_image {
  char name[64];
  enum isa_image_kind kind;
  enum isa_image_order order;
  enum isa_image_type type;
  enum isa_image_layout layout;
  bool of_buffer;                        /* made of a buffer's bytes: lies in rows, whatever the machine's layout */
  bool gone;                             /* its number is taken, but no handle leads to it */
  uint32_t width, height, depth, layers; /* 1 where the kind has none; `layers` of arrays alone */
  uint32_t texel_bytes;
  uint64_t row_pitch, slice_pitch; /* bytes */
  uint64_t base;                   /* address of the first texel */
};

/* The kind whose arguments have this type, "image2d"; ISA_IMAGE_KINDS: none. */
enum isa_image_kind isa_image_argument(const char *type, size_t length);

/* Has it one dimension, besides layers? */
bool isa_image_is_flat(enum isa_image_kind kind);

/* Bytes of a texel; 0: no such format. */
uint32_t isa_texel_bytes(enum isa_image_order order, enum isa_image_type type);

/* What its channels are read as. */
enum isa_image_number isa_texel_number(enum isa_image_type type);

/* Fills texel_bytes, and pitches that are 0, of an image whose kind, format, layout and size are there: with what suits
 * either layout, so that an image has its size whatever its layout. One dimension lies in rows. NULL, or what is wrong
 * with it. */
const char *isa_image_init(struct isa_image *image);

/* Bytes that all of its texels take, from `base` on; and without gaps. */
uint64_t isa_image_bytes(const struct isa_image *image);
uint64_t isa_image_packed_bytes(const struct isa_image *image);

/* Where a texel lies: offset from `base`. x, y and z, a slice or layer, are inside. */
uint64_t isa_texel_offset(const struct isa_image *image, uint32_t x, uint32_t y, uint32_t z);

static inline uint32_t isa_image_slices(const struct isa_image *image) { return image->depth * image->layers; }
static inline uint64_t isa_image_handle(size_t number) { return ISA_IMAGE_HANDLE + number; }
const struct isa_image *isa_image_find(const struct isa_memory *memory, uint64_t handle);

/* A texel from its bytes and back: four channels, floats by their bits. */
void isa_texel_read(const struct isa_image *image, const uint8_t *bytes, uint32_t channel[4]);
void isa_texel_write(const struct isa_image *image, const uint32_t channel[4], uint8_t *bytes);

/* Texels between an image at `texels` and bytes without gaps, row by row, slice by slice. */
void isa_image_pack(const struct isa_image *image, const uint8_t *texels, uint8_t *bytes);
void isa_image_unpack(const struct isa_image *image, const uint8_t *bytes, uint8_t *texels);

/* What a lane wants of an image. */
struct isa_samples {
  unsigned count; /* 1, or 2, 4, 8 of a linear filter; x differs first, then y, then z */
  bool border[ISA_IMAGE_TEXELS];
  uint64_t address[ISA_IMAGE_TEXELS]; /* of those that are no border */
  float weight[3];                    /* of the second texel in each direction */
  bool outside;                       /* a coordinate lies where no addressing mode says what to read */
};

/* `coordinate`: as many words as the kind has coordinates; floats by their bits with `is_float`, else integers. */
void isa_image_samples(const struct isa_image *image, uint32_t sampler, bool is_float, const uint32_t coordinate[3],
                       struct isa_samples *samples);

/* Where a texel is stored at integer coordinates, as many words as the kind has, `stride` apart; false: nowhere. */
bool isa_image_place(const struct isa_image *image, const uint32_t *coordinate, uint32_t stride, uint64_t *address);

/* The image as an instruction takes it: itself, or in *room as rows of numbers of other bits. */
const struct isa_image *isa_image_as(const struct isa_image *image, const struct isa_inst *inst,
                                     struct isa_image *room);

/* Of an access to an image under way: is it a read, and of which texels? */
bool isa_is_image_read(const struct isa_access *access);
void isa_access_samples(const struct isa_access *access, uint32_t lane, struct isa_samples *samples);

#endif
