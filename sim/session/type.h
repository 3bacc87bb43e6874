/* OpenCL C types of values: their names, sizes, and values read from text.
 *
 * Eleven scalars, alone or in vectors of 2, 3, 4, 8 and 16; a vector of 3 takes the room of 4. */
#ifndef SIM_SESSION_TYPE_H
#define SIM_SESSION_TYPE_H

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

/* "float4" -> a type; false when there is none of that name. */
bool type_find(const char *name, struct type *type);

/* Bytes that an element takes in memory. */
static inline unsigned type_size(struct type type) { return type.bytes * (type.components == 3 ? 4 : type.components); }

#define TYPE_LEGAL                                                                                                     \
  "char uchar short ushort int uint long ulong half float double, each with 2, 3, 4, 8, 16 or nothing after it"

/* Says that there is no type of that name, which one may be meant, and what is legal; returns false. */
bool type_refuse(const char *name, struct message *message);

/* The name of the scalar type nearest to `name`, vector size kept when there is one; "" if none is near. */
void type_nearest(const char *name, char near[32]);

/* Reads one component from text ("7", "-0x10", "0.5", "nan"): little-endian bytes at `to`. Says what is
 * wrong and what is legal. */
bool type_parse(struct type type, const char *text, uint8_t *to, struct message *message);

/* Bytes from hexadecimal, two digits each; NULL when it is not that. The caller frees them. */
uint8_t *type_bytes(const char *hex, size_t *count);

/* One component as text, exact enough to read back. */
void type_print(struct type type, const uint8_t *from, char text[40]);

/* One component as a number, for tolerances: exact but for 64-bit integers. */
double type_number(struct type type, const uint8_t *from);

/* Stores a number as a floating-point component, rounded to nearest. */
void type_store(struct type type, double value, uint8_t *to);

/* Floating-point components as integers that count representable values: the difference of two is
 * their distance in units in the last place. */
int64_t type_ordinal(struct type type, const uint8_t *from);

#endif
