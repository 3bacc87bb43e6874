/* Values of JSON that is written, and members of objects.
 *
 * Text may hold any bytes, and JSON wants UTF-8: a word that is none is "(not UTF-8)". Numbers are those of 63 bits. */
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
/* Text with all its bytes, zeros too; if it is not UTF-8, each beyond ASCII becomes U+FFFD. */
json_t *json_of_bytes(const char *bytes, size_t length);
json_t *json_of_triple(const uint32_t value[3]);

void json_set_whole(json_t *object, const char *key, uint64_t value);
void json_set_word(json_t *object, const char *key, const char *text);

/* The whole in lines, the last of them ended; frees `root`. The caller frees the text. */
char *json_lines(json_t *root);

/* The same bytes piece by piece, for what is too large to be in memory as a whole: values go as they come, and of the
 * text no more is kept than the last of them.
 *
 *     json_open(w, NULL, '{')   json_put(w, "name", value)   json_open(w, "launches", '[')   json_put(w, NULL, value)
 *     json_close(w, ']')   json_close(w, '}')   json_written(w)
 *
 * Members have a key, values of arrays none. Keys are plain words. */
struct json_writer {
  const struct sink *sink;
  struct message *message;
  struct text text;
  unsigned depth;
  bool more;   /* a value stands before, in the same brackets */
  bool failed; /* the sink takes no more: what is written is dropped */
};

void json_open(struct json_writer *writer, const char *key, char bracket);
void json_put(struct json_writer *writer, const char *key, json_t *value); /* frees the value */
void json_close(struct json_writer *writer, char bracket);
bool json_written(struct json_writer *writer); /* false with the message filled */

#endif
