/* Any launch file gives an error in one line, or a job. Runs from the root of the project, so that a file that starts
 * like examples/01_seed/launch.json finds its kernel. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/session/launch.h"

enum { LONGEST_NUMBER = 6 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Gigabytes of buffers are legal and slow. */
static bool has_long_number(const uint8_t *data, size_t size) {
  size_t digits = 0;
  for (size_t i = 0; i < size; i++) {
    digits = isalnum(data[i]) ? digits + 1 : 0; /* also hexadecimal numbers and exponents */
    if (digits > LONGEST_NUMBER && isdigit(data[i]))
      return true;
  }
  return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct job_request request = {.verify = true};
  struct message message = {""};
  struct job job = {0};
  if (has_long_number(data, size))
    return 0;
  char *text = malloc(size + 1);
  memcpy(text, data, size);
  text[size] = '\0';
  bool good = launch_parse(text, size, "examples/01_seed/launch.json", &request, &job, &message);
  if (good ? !job.launch_count : !message.text[0])
    abort();
  job_free(&job);
  free(text);
  return 0;
}
