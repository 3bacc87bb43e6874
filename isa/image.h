/* Images: texels of one format in up to three dimensions, read through a sampler.
 *
 *     coordinates ──sampler──► up to 8 texels ──format──► numbers ──weights──► four 32-bit channels
 *
 * A *format* is an order of channels and a channel type (isa/image.def). A texel has 1, 2, 4, 8 or 16 bytes. Texels lie
 * in a buffer of global memory, by rows or in blocks:
 *
 *     rows     row after row, row_pitch apart; slices and layers slice_pitch apart
 *     blocks   64 bytes of each of 8 rows form a block of 512 bytes. Its sectors of 32 bytes hold 16 bytes of two rows,
 *              so that neighbors in both directions share a line. Rows of blocks are 8 * row_pitch apart.
 *
 * A program refers to an image by a *handle*, 64 bits that are not an address. All lanes of an instruction use the
 * handle and the sampler of the lowest active lane.
 *
 * A *sampler* is a word: bit 0 normalized coordinates, bits 1..3 addressing mode, bit 4 linear filter.
 *
 * Arithmetic. Coordinates are computed in single precision, operation by operation as the OpenCL specification writes
 * them. A NaN counts as 0, and a magnitude above 2^30 as 2^30. A channel becomes the float nearest to the exact
 * quotient. Linear filters add the products of floats and weights in double precision and round once. To store, floats
 * are multiplied in single precision and rounded to the nearest integer, ties to even, saturating; a NaN becomes 0.
 * Halves are rounded to the nearest, ties to even. Integer formats are never filtered. Texels outside read as the
 * border with addressing mode none, and wherever the mode does not define what to read. Repeating modes need normalized
 * coordinates; without them they act like mode none.
 *
 * Loads and stores are accesses to global memory: described at issue, carried out when the L2 accepts them. A store
 * outside the image is dropped.
 *
 * Not modeled: mipmaps, multisampling, formats of three bytes, formats with several planes. */
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

/* What texels hold, and what an instruction reads them as: floats or integers. With the BITS values an instruction
 * treats the image, whatever its format, as rows of numbers of that many bits, and coordinates count these numbers. */
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
  ISA_IMAGE_BLOCK_BYTES = 64, /* of each row of a block */
  ISA_IMAGE_BLOCK_ROWS = 8,
  ISA_IMAGE_TEXELS = 8, /* that one lane reads at most */
  ISA_MOST_IMAGES = 4096,
  ISA_MOST_IMAGE_SIZE = 1 << 27, /* texels in any direction */
};

#define ISA_IMAGE_HANDLE UINT64_C(0xf0000000) /* of image 0; in no buffer and in no used part of an aperture */

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
  bool of_buffer;                        /* created from a buffer: lies in rows, whatever the machine's layout */
  bool gone;                             /* deleted: its number stays taken, but its handle is invalid */
  uint32_t width, height, depth, layers; /* 1 where the kind has no such dimension */
  uint32_t texel_bytes;
  uint64_t row_pitch, slice_pitch; /* bytes */
  uint64_t base;                   /* address of the first texel */
};

/* The kind of an argument of this type, like "image2d". ISA_IMAGE_KINDS: none. */
enum isa_image_kind isa_image_argument(const char *type, size_t length);

/* Whether it has one dimension, not counting layers. */
bool isa_image_is_flat(enum isa_image_kind kind);

/* Bytes per texel. 0: no such format. */
uint32_t isa_texel_bytes(enum isa_image_order order, enum isa_image_type type);

/* What its channels read as. */
enum isa_image_number isa_texel_number(enum isa_image_type type);

/* Fills in texel_bytes, and the pitches that are 0, of an image whose kind, format, layout and size are set. The
 * pitches suit both layouts, so that an image has the same size in either. Images of one dimension lie in rows. Returns
 * NULL, or what is wrong. */
const char *isa_image_init(struct isa_image *image);

/* Below, *image has passed isa_image_init(), so that no size or offset in it reaches 2^40. */

/* Bytes that suit either layout; that all of its texels take up, from `base` on; and the same without gaps. */
uint64_t isa_image_room(const struct isa_image *image);
uint64_t isa_image_bytes(const struct isa_image *image);
uint64_t isa_image_packed_bytes(const struct isa_image *image);

/* A texel's offset from `base`. x, y and z (a slice or layer) must be inside the image. */
uint64_t isa_texel_offset(const struct isa_image *image, uint32_t x, uint32_t y, uint32_t z);

static inline uint32_t isa_image_slices(const struct isa_image *image) { return image->depth * image->layers; }
static inline uint64_t isa_image_handle(size_t number) { return ISA_IMAGE_HANDLE + number; }
const struct isa_image *isa_image_find(const struct isa_memory *memory, uint64_t handle);

/* Converts a texel between its bytes and four channels. Floats are passed as their bits. */
void isa_texel_read(const struct isa_image *image, const uint8_t *bytes, uint32_t channel[4]);
void isa_texel_write(const struct isa_image *image, const uint32_t channel[4], uint8_t *bytes);

/* Copies texels between an image at `texels` and bytes without gaps, row by row, slice by slice. */
void isa_image_pack(const struct isa_image *image, const uint8_t *texels, uint8_t *bytes);
void isa_image_unpack(const struct isa_image *image, const uint8_t *bytes, uint8_t *texels);

/* The texels that a lane reads. */
struct isa_samples {
  unsigned count; /* 1; with a linear filter 2, 4 or 8, where x varies fastest, then y, then z */
  bool border[ISA_IMAGE_TEXELS];
  uint64_t address[ISA_IMAGE_TEXELS]; /* valid unless `border` */
  float weight[3];                    /* of the second texel in each direction */
  bool outside;                       /* a texel is outside, and the addressing mode does not define what to read */
};

/* `coordinate` has as many words as the kind has coordinates: the bits of floats if `is_float`, else integers. */
void isa_image_samples(const struct isa_image *image, uint32_t sampler, bool is_float, const uint32_t coordinate[3],
                       struct isa_samples *samples);

/* The address of the texel at integer coordinates, one word per coordinate of the kind, `stride` apart. Returns false
 * if it is outside. */
bool isa_image_place(const struct isa_image *image, const uint32_t *coordinate, uint32_t stride, uint64_t *address);

/* The image as the instruction reads it: itself, or *room set up as rows of numbers of other bits. */
const struct isa_image *isa_image_as(const struct isa_image *image, const struct isa_inst *inst,
                                     struct isa_image *room);

/* For an image access in flight: whether it reads, and which texels. */
bool isa_is_image_read(const struct isa_access *access);
void isa_access_samples(const struct isa_access *access, uint32_t lane, struct isa_samples *samples);

#endif
