#include "sim/cli/json_out.h"

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

json_t *json_of_triple(const uint32_t value[3]) {
  return json_pack("[I,I,I]", (json_int_t)value[0], (json_int_t)value[1], (json_int_t)value[2]);
}

void json_set_whole(json_t *object, const char *key, uint64_t value) {
  json_object_set_new(object, key, json_of_whole(value));
}

void json_set_word(json_t *object, const char *key, const char *text) {
  json_object_set_new(object, key, json_of_word(text));
}
