/* Writing JSON: values, and members of objects.
 *
 * Text may contain any bytes, but JSON requires UTF-8: a word that is not UTF-8 becomes "(not UTF-8)". Numbers have
 * 63 bits. */
#ifndef SIM_BASE_JSON_OUT_H
#define SIM_BASE_JSON_OUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/base/caller.h"
#include "sim/base/text.h"

bool json_is_text(const char *text); /* UTF-8 */

json_t *json_of_whole(uint64_t value);
json_t *json_of_word(const char *text);
/* Text with all its bytes, including zeros. If it is not UTF-8, each byte above 127 becomes U+FFFD. */
json_t *json_of_bytes(const char *bytes, size_t length);
json_t *json_of_triple(const uint32_t value[3]);

void json_set_whole(json_t *object, const char *key, uint64_t value);
void json_set_word(json_t *object, const char *key, const char *text);

/* The text of `root`, with an end of line after each line. Frees `root`. The caller frees the text. */
char *json_lines(json_t *root);

/* Writes the same bytes piece by piece, for documents that are too large for memory. Only the text of the latest value
 * is kept.
 *
 *     json_open(w, NULL, '{')   json_put(w, "name", value)   json_open(w, "launches", '[')   json_put(w, NULL, value)
 *     json_close(w, ']')   json_close(w, '}')   json_written(w)
 *
 * Members of objects have a key, elements of arrays have none. Keys are plain words. */
struct json_writer {
  const struct sink *sink;
  struct message *message;
  struct text text;
  unsigned depth;
  bool more;   /* the current brackets already contain a value */
  bool failed; /* the sink failed: everything else is dropped */
};

void json_open(struct json_writer *writer, const char *key, char bracket);
void json_put(struct json_writer *writer, const char *key, json_t *value); /* frees the value */
void json_close(struct json_writer *writer, char bracket);
bool json_written(struct json_writer *writer); /* on failure, sets the message and returns false */

#endif
