/* JSON that is written piece by piece. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/json_out.h"
#include "tests/ct.h"

static const char written_whole[] =
    "{\"none\": [], \"empty\": {}, \"real\": 0.1, \"text\": \"a\\nb\\u0001\", \"list\": "
    "[1, [], {\"deep\": [null, {\"deeper\": {}}]}], \"last\": {\"a\": [\"\\n\"]}}";

/* Writes the members one by one, and the values of `list` too. */
static void write_pieces(const json_t *root, struct json_writer *writer) {
  const char *key;
  json_t *value;
  json_open(writer, NULL, '{');
  json_object_foreach((json_t *)(uintptr_t)root, key, value) {
    if (strcmp(key, "list") != 0 && strcmp(key, "none") != 0) {
      json_put(writer, key, json_incref(value));
      continue;
    }
    json_open(writer, key, '[');
    for (size_t i = 0; i < json_array_size(value); i++)
      json_put(writer, NULL, json_incref(json_array_get(value, i)));
    json_close(writer, ']');
  }
  json_close(writer, '}');
}

TEST(json_out, pieces_together_equal_the_whole) {
  json_t *root = json_loads(written_whole, 0, NULL);
  struct text text = {0};
  const struct sink sink = sink_into(&text);
  struct json_writer writer = {.sink = &sink};
  ASSERT_TRUE(root != NULL);
  write_pieces(root, &writer);
  EXPECT_TRUE(json_written(&writer));
  ct_freed(ct_free) char *whole = json_lines(root);
  EXPECT_STREQ(text.data, whole);
  free(text.data);
}

struct taken {
  size_t calls, most, bytes;
};

static bool take(void *self, const char *data, size_t size, struct message *message) {
  struct taken *taken = self;
  (void)data;
  taken->calls++;
  taken->bytes += size;
  taken->most = size > taken->most ? size : taken->most;
  return taken->calls < 3 || message_fail(message, "full");
}

TEST(json_out, the_text_of_many_values_is_never_in_memory_at_once) {
  enum { VALUES = 100, BYTES = 50000 };
  struct taken taken = {0};
  struct message message = {""};
  const struct sink sink = {take, &taken};
  struct json_writer writer = {.sink = &sink, .message = &message};
  ct_freed(ct_free) char *word = malloc(BYTES + 1);
  memset(word, 'x', BYTES);
  word[BYTES] = '\0';
  json_open(&writer, NULL, '[');
  for (int i = 0; i < VALUES; i++)
    json_put(&writer, NULL, json_string(word));
  json_close(&writer, ']');
  EXPECT_FALSE(json_written(&writer)); /* the sink was full after the third piece and was not called again */
  EXPECT_STREQ(message.text, "full");
  EXPECT_EQ(taken.calls, 3);
  EXPECT_LT(taken.most, 3 * BYTES);
}
