/* libFuzzer: two texts separated by a zero byte, or one twice, as JSON reports or logs that `warpwait diff` compares.
 * Each is refused in one line or compared, and compared with itself it has no difference. */
#include <stdlib.h>
#include <string.h>

#include "tools/diff/diff.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_side(struct diff_side *side, const char *text, size_t length) {
  struct message message = {""};
  side->path = "fuzz.json";
  if (diff_is_log(text, length)) {
    if (diff_read_log(side, text, length, &message))
      return true;
    if (!message.text[0])
      abort();
    return false;
  }
  side->report = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
  const bool good = side->report && diff_check(side->report, side->path, text, length, &message);
  if (side->report && !good && !message.text[0])
    abort();
  return good;
}

static void compare(const struct diff_side side[DIFF_SIDES], bool same) {
  static const struct diff_view views[] = {{.top = 20}, {.top = 1, .all = true}};
  static const size_t numbers[][DIFF_SIDES] = {{0, 0}, {1, 0}, {1, 2}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct diff diff = {0};
    struct message message = {""};
    const bool good = diff_compare(&diff, side, numbers[i], &message);
    if (!good && !message.text[0])
      abort();
    for (size_t v = 0; good && v < sizeof views / sizeof *views; v++)
      free(diff_text(&diff, &views[v]));
    if (good)
      free(diff_json(&diff));
    if (good && same && !numbers[i][DIFF_A] && diff.differ)
      abort();
    diff_free(&diff);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data, *zero = size ? memchr(text, '\0', size) : NULL;
  const size_t length = zero ? (size_t)(zero - text) : size;
  struct diff_side side[DIFF_SIDES] = {{0}};
  const char *second = zero ? zero + 1 : text;
  if (read_side(&side[DIFF_A], text, length) && read_side(&side[DIFF_B], second, zero ? size - length - 1 : size))
    compare(side, !zero);
  for (int i = 0; i < DIFF_SIDES; i++)
    json_decref(side[i].report);
  return 0;
}
