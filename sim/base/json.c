#include "sim/base/json.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding a place in the text, which is well-formed, though nothing depends on that ---- */

struct cursor {
  const char *at, *end;
};

static void skip_blanks(struct cursor *cursor) {
  while (cursor->at < cursor->end && isspace((unsigned char)*cursor->at))
    cursor->at++;
}

static void skip_string(struct cursor *cursor) {
  for (cursor->at++; cursor->at < cursor->end && *cursor->at != '"'; cursor->at++)
    if (*cursor->at == '\\' && cursor->at + 1 < cursor->end)
      cursor->at++;
  if (cursor->at < cursor->end)
    cursor->at++;
}

/* Leaves the cursor at the ',' or closing bracket after the value. */
static void skip_value(struct cursor *cursor) {
  unsigned depth = 0;
  while (cursor->at < cursor->end) {
    char c = *cursor->at;
    if (c == '"') {
      skip_string(cursor);
      continue;
    }
    if (!depth && (c == ',' || c == '}' || c == ']'))
      return;
    depth += c == '{' || c == '[';
    depth -= c == '}' || c == ']';
    cursor->at++;
  }
}

static bool key_is(const char *token, size_t length, const char *key) {
  json_t *word = json_loadb(token, length, JSON_DECODE_ANY, NULL);
  bool same = json_is_string(word) && strcmp(json_string_value(word), key) == 0;
  json_decref(word);
  return same;
}

/* Moves from the start of an object or array to the member. If there is none, the cursor stays. A member of an object
 * starts at its key, because that is the line that a user looks for. */
static bool enter(struct cursor *cursor, const struct place *place) {
  struct cursor at = *cursor;
  if (at.at >= at.end || *at.at != (place->key ? '{' : '['))
    return false;
  at.at++;
  for (size_t index = 0; at.at < at.end; index++) {
    skip_blanks(&at);
    const char *start = at.at;
    if (at.at >= at.end || *at.at == '}' || *at.at == ']')
      return false;
    if (place->key) {
      skip_string(&at);
      bool found = key_is(start, (size_t)(at.at - start), place->key);
      skip_blanks(&at);
      at.at += at.at < at.end;
      skip_blanks(&at);
      if (found) {
        *cursor = at;
        return true;
      }
    } else if (index == place->index) {
      cursor->at = start;
      return true;
    }
    skip_value(&at);
    at.at += at.at < at.end;
  }
  return false;
}

static bool descend(struct cursor *cursor, const struct place *place) {
  return !place || (descend(cursor, place->parent) && enter(cursor, place));
}

int json_line(const struct document *document, const struct place *place) {
  struct cursor cursor = {document->text, document->text + document->length};
  skip_blanks(&cursor);
  descend(&cursor, place);
  int line = 1;
  for (const char *at = document->text; at < cursor.at; at++)
    line += *at == '\n';
  return line;
}

/* ---- messages -------------------------------------------------------------------------------- */

static size_t print_path(const struct place *place, char *text, size_t size) {
  if (!place)
    return 0;
  size_t used = print_path(place->parent, text, size);
  if (used >= size)
    return used;
  int more = place->key ? snprintf(text + used, size - used, "%s%.60s", used ? "." : "", place->key)
                        : snprintf(text + used, size - used, "[%zu]", place->index);
  return used + (size_t)more;
}

bool json_fail(const struct document *document, const struct place *place, const char *format, ...) {
  char path[256] = "", what[700];
  va_list list;
  va_start(list, format);
  vsnprintf(what, sizeof what, format, list);
  va_end(list);
  print_path(place, path, sizeof path);
  return message_fail(document->message, "%.300s:%d: %s%s%s", document->file, json_line(document, place), path,
                      *path ? ": " : "", what);
}

json_t *json_read(const struct document *document) {
  json_error_t error;
  json_t *root = json_loadb(document->text, document->length, JSON_REJECT_DUPLICATES, &error);
  if (!root) {
    message_fail(document->message, "%.300s:%d:%d: %s", document->file, error.line < 1 ? 1 : error.line,
                 error.column < 1 ? 1 : error.column, error.text);
    return NULL;
  }
  if (json_is_object(root))
    return root;
  json_fail(document, NULL, "a launch file is one JSON object, { ... }");
  json_decref(root);
  return NULL;
}

bool json_keys(const struct document *document, const struct place *place, const json_t *object,
               const char *const *legal, size_t count) {
  for (void *it = json_object_iter((json_t *)object); it; it = json_object_iter_next((json_t *)object, it)) {
    const char *key = json_object_iter_key(it);
    bool known = false;
    for (size_t i = 0; i < count; i++)
      known |= strcmp(legal[i], key) == 0;
    if (known)
      continue;
    char hint[400];
    message_suggest(hint, sizeof hint, key, legal, count);
    return json_fail(document, &(struct place){place, key, 0}, "no such key%s", hint);
  }
  return true;
}

static bool whole_text(const char *text, uint64_t *number) {
  char *end = NULL;
  errno = 0;
  *number = strtoull(text, &end, 0);
  return isdigit((unsigned char)*text) && !*end && !errno;
}

bool json_whole(const struct document *document, const struct place *place, const json_t *value, uint64_t minimum,
                uint64_t maximum, const char *unit, uint64_t *number) {
  char shown[64];
  bool whole = false;
  if (json_is_integer(value)) {
    json_int_t integer = json_integer_value(value);
    snprintf(shown, sizeof shown, "%" JSON_INTEGER_FORMAT, integer);
    whole = integer >= 0;
    *number = (uint64_t)integer;
  } else if (json_is_string(value)) {
    snprintf(shown, sizeof shown, "'%.40s'", json_string_value(value));
    whole = whole_text(json_string_value(value), number);
  } else if (json_is_real(value)) {
    snprintf(shown, sizeof shown, "%g", json_real_value(value));
  } else {
    snprintf(shown, sizeof shown, "this");
  }
  if (whole && *number >= minimum && *number <= maximum)
    return true;
  return json_fail(document, place, "%s is not a whole number in [%" PRIu64 ", %" PRIu64 "]%s%s", shown, minimum,
                   maximum, *unit ? " " : "", unit);
}

const char *json_word(const struct document *document, const struct place *place, const json_t *value) {
  if (json_is_string(value) && strlen(json_string_value(value)) == json_string_length(value))
    return json_string_value(value);
  json_fail(document, place, "is not a string");
  return NULL;
}

bool json_is(const struct document *document, const struct place *place, const json_t *value, json_type type) {
  if (json_typeof(value) == type)
    return true;
  return json_fail(document, place, "is not %s", type == JSON_OBJECT ? "an object, { ... }" : "a list, [ ... ]");
}
