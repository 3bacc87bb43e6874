/* libFuzzer: any bytes as a file of suppressions, and as a file of point numbers: each is read, or refused in one
 * line. */
#include "sim/check/suppress.h"
#include "tests/fuzz/folder.h"
#include "tools/sweep/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const struct suppress_place here = {"src/kernel.cl", 12, 3}, other = {"a b].cl", 0, 0};
  struct suppressions all = {0};
  struct session_points points = {0};
  struct message message = {""};
  const char *path = fuzz_file_put("input", data, size);
  if (!suppressions_read(&all, path, &message) && !message.text[0])
    abort();
  suppressions_fit(&all, "M5-lds-race", &here, &other);
  suppressions_fit(&all, "M5-lds-race", &other, NULL);
  suppressions_free(&all);
  message.text[0] = '\0';
  if (!session_points_read(path, 1000, &points, &message) && !message.text[0])
    abort();
  for (size_t i = 0; i < points.count && !message.text[0]; i++)
    if (points.number[i] >= 1000)
      abort();
  free(points.number);
  return 0;
}
