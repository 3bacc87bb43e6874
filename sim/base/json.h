/* JSON input with errors that name a place.
 *
 * A place is a chain from a value up to the document: launches[0].args[2].int. jansson keeps no positions, so the line
 * of a place is searched in the text when a message needs it. */
#ifndef SIM_BASE_JSON_H
#define SIM_BASE_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "sim/base/message.h"

struct document {
  const char *file;
  const char *text;
  size_t length;
  struct message *message;
};

struct place {
  const struct place *parent; /* NULL: the document itself */
  const char *key;            /* NULL: element `index` */
  size_t index;
};

/* Fails with "file:line: path: ...". */
bool json_fail(const struct document *document, const struct place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The line of a place. If it does not exist, the line of its innermost part that does. */
int json_line(const struct document *document, const struct place *place);

/* Parses the document's text, which must be an object. Returns NULL and sets the message if it is not. */
json_t *json_read(const struct document *document);

/* Checks that every key of `object` is in `legal`. `what` describes the object in words. */
bool json_keys(const struct document *document, const struct place *place, const json_t *object,
               const char *const *legal, size_t count);

/* A whole number in [minimum, maximum]. It may be a string, for numbers that are too big for JSON readers. */
bool json_whole(const struct document *document, const struct place *place, const json_t *value, uint64_t minimum,
                uint64_t maximum, const char *unit, uint64_t *number);

/* The text of `value`, which must be a string without zero bytes. Otherwise returns NULL and sets the message. */
const char *json_word(const struct document *document, const struct place *place, const json_t *value);

bool json_is(const struct document *document, const struct place *place, const json_t *value, json_type type);

#endif
