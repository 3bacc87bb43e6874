/* OpenCL C types of values: their names and sizes, and values read from text.
 *
 * There are eleven scalars, alone or in vectors of 2, 3, 4, 8 and 16. A vector of 3 has the size of a vector of 4. */
#ifndef SIM_LAUNCH_TYPE_H
#define SIM_LAUNCH_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/message.h"

enum type_kind { TYPE_SIGNED, TYPE_UNSIGNED, TYPE_FLOATING };

struct type {
  enum type_kind kind;
  unsigned bytes;      /* of one component */
  unsigned components; /* 1 for a scalar */
};

enum { TYPE_BYTES = 128 /* the widest: long16 */ };

/* Finds a type by name, such as "float4"; false when there is none. */
bool type_find(const char *name, struct type *type);

/* Bytes of an element in memory. */
static inline unsigned type_size(struct type type) { return type.bytes * (type.components == 3 ? 4 : type.components); }

#define TYPE_LEGAL                                                                                                     \
  "char uchar short ushort int uint long ulong half float double, each with 2, 3, 4, 8, 16 or nothing after it"

/* Fails with a message: no such type, perhaps a suggestion, and the legal types. Returns false. */
bool type_refuse(const char *name, struct message *message);

/* The scalar type nearest to `name`, with its vector size; "" if none is near. */
void type_nearest(const char *name, char near[32]);

/* Reads one component from text ("7", "-0x10", "0.5", "nan") into little-endian bytes at `to`. The message says what is
 * wrong and what is legal. */
bool type_parse(struct type type, const char *text, uint8_t *to, struct message *message);

/* Reads a value of the type called `name`: components, separated by commas. At `to` are TYPE_BYTES zeroed bytes. */
bool type_read(struct type type, const char *name, const char *text, uint8_t *to, struct message *message);

/* Bytes from hexadecimal, two digits each; NULL if malformed. The caller frees them. */
uint8_t *type_bytes(const char *hex, size_t *count);

/* One component as text, with enough digits to read it back exactly. */
void type_print(struct type type, const uint8_t *from, char text[40]);

/* One component as a number, for tolerances; exact except for 64-bit integers. */
double type_number(struct type type, const uint8_t *from);

/* Stores a number as a floating-point component, rounded to nearest. */
void type_store(struct type type, double value, uint8_t *to);

/* A floating-point component as an integer that counts representable values: the difference of two is their distance in
 * units in the last place. */
int64_t type_ordinal(struct type type, const uint8_t *from);

#endif
