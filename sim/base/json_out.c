#include "sim/base/json_out.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"

enum { REAL_DIGITS = 9, INDENT = 2 };
#define LINES (JSON_INDENT(INDENT) | JSON_REAL_PRECISION(REAL_DIGITS))

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
  char *text = json_dumps(root, LINES);
  struct text lines = {0};
  json_decref(root);
  text_print(&lines, "%s\n", text ? text : "");
  free(text);
  return lines.data;
}

/* ---- piece by piece ---------------------------------------------------------------------------- */

static void new_line(struct json_writer *writer) {
  text_add(&writer->text, "\n", 1);
  for (unsigned i = 0; i < writer->depth; i++)
    text_add(&writer->text, "  ", INDENT);
}

/* Writes what precedes a value. */
static void begin(struct json_writer *writer, const char *key) {
  if (writer->more)
    text_add(&writer->text, ",", 1);
  if (writer->depth)
    new_line(writer);
  if (key)
    text_print(&writer->text, "\"%s\": ", key);
}

/* A value is complete: passes the text so far to the sink. */
static void end(struct json_writer *writer) {
  writer->more = true;
  writer->failed = writer->failed || !sink_some(writer->sink, &writer->text, writer->message);
  writer->text.length = writer->failed ? 0 : writer->text.length;
}

void json_open(struct json_writer *writer, const char *key, char bracket) {
  begin(writer, key);
  text_add(&writer->text, &bracket, 1);
  writer->depth++;
  writer->more = false;
}

void json_close(struct json_writer *writer, char bracket) {
  writer->depth--;
  if (writer->more)
    new_line(writer);
  text_add(&writer->text, &bracket, 1);
  end(writer);
}

/* Indents the lines of a value to the current depth. Strings contain no ends of lines; they are written as \n. */
static int take(const char *bytes, size_t size, void *self) {
  struct json_writer *writer = self;
  const char *at = bytes, *const over = bytes + size;
  for (const char *stop; (stop = memchr(at, '\n', (size_t)(over - at))); at = stop + 1) {
    text_add(&writer->text, at, (size_t)(stop - at));
    new_line(writer);
  }
  text_add(&writer->text, at, (size_t)(over - at));
  return 0;
}

void json_put(struct json_writer *writer, const char *key, json_t *value) {
  begin(writer, key);
  json_dump_callback(value, take, writer, LINES | JSON_ENCODE_ANY);
  json_decref(value);
  end(writer);
}

bool json_written(struct json_writer *writer) {
  text_add(&writer->text, "\n", 1);
  const bool good = !writer->failed && sink_text(writer->sink, &writer->text, writer->message);
  free(writer->text.data);
  writer->text = (struct text){0};
  return good;
}
