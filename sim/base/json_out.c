#include "sim/base/json_out.h"

#include <stdlib.h>

#include "sim/base/text.h"

enum { REAL_DIGITS = 9 };

bool json_is_text(const char *text) {
  json_t *string = json_string(text);
  json_decref(string);
  return string;
}

json_t *json_of_whole(uint64_t value) { return json_integer((json_int_t)value); }

json_t *json_of_word(const char *text) {
  json_t *string = json_string(text);
  return string ? string : json_string("(not UTF-8)");
}

json_t *json_of_bytes(const char *bytes, size_t length) {
  static const char unknown[] = "\xef\xbf\xbd";
  json_t *string = json_stringn(bytes ? bytes : "", length);
  struct text text = {0};
  if (string)
    return string;
  for (size_t i = 0; i < length; i++)
    text_add(&text, bytes[i] & 0x80 ? unknown : &bytes[i], bytes[i] & 0x80 ? sizeof unknown - 1 : 1);
  string = json_stringn(text.data, text.length);
  free(text.data);
  return string;
}

json_t *json_of_triple(const uint32_t value[3]) {
  return json_pack("[I,I,I]", (json_int_t)value[0], (json_int_t)value[1], (json_int_t)value[2]);
}

void json_set_whole(json_t *object, const char *key, uint64_t value) {
  json_object_set_new(object, key, json_of_whole(value));
}

void json_set_word(json_t *object, const char *key, const char *text) {
  json_object_set_new(object, key, json_of_word(text));
}

char *json_lines(json_t *root) {
  char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(REAL_DIGITS));
  struct text lines = {0};
  json_decref(root);
  text_print(&lines, "%s\n", text ? text : "");
  free(text);
  return lines.data;
}
