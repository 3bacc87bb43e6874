/* libFuzzer: what the playground reads by code of its own. Any text as a machine file gives the keys that inih finds,
 * and any bytes behind the text of a kernel that was compiled ahead are found to be SPIR-V or refused in one line. */
#include <ini.h>

#include "tests/fuzz/folder.h"

#define ini_parse_stream playground_ini_parse_stream
int playground_ini_parse_stream(ini_reader reader, void *stream, ini_handler handler, void *user);
#include "sim/playground/ini.c"
#undef ini_parse_stream

#define opencl_route_names playground_route_names
#define opencl_options_good playground_options_good
#define opencl_compile playground_compile
#include "sim/playground/ahead.c"

enum { TEXT = 1000, SAID = 200 * TEXT };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- machine files ------------------------------------------------------------------------------- */

/* What a reader told: "section|name|value" a line. A name that begins with 'x' is refused. */
struct told {
  const char *rest;
  size_t length;
  char text[SAID];
};

static char *next_line(char *line, int size, void *context) {
  struct told *told = context;
  const size_t length = strcspn(told->rest, "\n");
  if (!*told->rest)
    return NULL;
  snprintf(line, (size_t)size, "%.*s", (int)length, told->rest);
  told->rest += length + (told->rest[length] == '\n');
  return line;
}

static int on_key(void *context, const char *section, const char *name, const char *value) {
  struct told *told = context;
  const int length = snprintf(told->text + told->length, SAID - told->length, "%s|%s|%s\n", section, name, value);
  told->length += (size_t)length;
  if (told->length >= SAID)
    abort();
  return name[0] != 'x';
}

static void read_machine(const uint8_t *data, size_t size) {
  static struct told theirs, ours;
  static char text[TEXT];
  if (size >= TEXT)
    return;
  memcpy(text, data, size);
  text[size] = '\0';
  theirs.rest = ours.rest = text;
  theirs.length = ours.length = 0;
  theirs.text[0] = ours.text[0] = '\0';
  const int wrong = ini_parse_stream(next_line, &theirs, on_key, &theirs);
  if (playground_ini_parse_stream(next_line, &ours, on_key, &ours) != wrong || strcmp(ours.text, theirs.text) != 0)
    abort();
}

/* ---- kernels ------------------------------------------------------------------------------------- */

static void read_ahead(const uint8_t *data, size_t size) {
  static const uint8_t head[] = {'W', 'W', 'A', 'H', 'E', 'A', 'D', '2', 1, 0, 0, 0, 0, 0, 0, 0, 'k'};
  static const char *const defines[] = {"A=1", "B", "A=2", NULL}, *const none[] = {NULL};
  uint8_t *file = malloc(sizeof head + size), *spirv = NULL;
  memcpy(file, head, sizeof head);
  memcpy(file + sizeof head, data, size);
  fuzz_file_put("input.ahead", file, sizeof head + size);
  const char *path = fuzz_file_put("input", "k", 1);
  for (int i = 0; i < 2; i++) {
    const struct opencl_build build = {.defines = i ? defines : none};
    struct isa_error error = {""};
    size_t bytes = 0;
    if (playground_compile(path, &build, &spirv, &bytes, &error) ? bytes > size : !error.text[0])
      abort();
    free(spirv);
    spirv = NULL;
  }
  free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size)
    (data[0] & 1 ? read_machine : read_ahead)(data + 1, size - 1);
  return 0;
}
