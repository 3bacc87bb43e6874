/* libFuzzer: any text as the text of a trace. What can be read gives a trace that validates, and becomes text again
 * that gives the same trace. Inputs that could describe a long loop, or many work-groups, are skipped. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/trace/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bounds how often something would be done: the product of the numbers after `repeat` and `..`. */
static bool takes_long(const uint8_t *data, size_t size) {
  double turns = 1;
  for (size_t i = 0; i + 6 < size; i++) {
    const bool range = memcmp(data + i, "..", 2) == 0;
    if (!range && memcmp(data + i, "repeat", 6) != 0)
      continue;
    char number[24] = "";
    size_t at = i + (range ? 2 : 6), count = 0;
    while (at < size && isspace(data[at]))
      at++;
    while (at < size && count < sizeof number - 1 && isdigit(data[at]))
      number[count++] = (char)data[at++];
    turns *= at < size && (data[at] == 'x' || data[at] == 'X') ? 1e9 : 1 + strtod(number, NULL);
  }
  return turns > 1e5;
}

static bool read_text(FILE *from, const char *path) {
  struct message error;
  struct trace_writer *writer = trace_writer_open(path, &error);
  struct trace_text *text = trace_text_new(NULL);
  const struct text_hooks hooks = trace_text_hooks(text);
  const bool good = trace_text_read(from, "text", writer, &hooks, &error);
  if (good && !trace_writer_close(writer, &error))
    abort();
  if (!good && (trace_writer_abandon(writer), !error.text[0]))
    abort();
  trace_text_free(text);
  return good;
}

static void write_text(const char *path, FILE *to) {
  struct message error;
  struct trace *trace = trace_open(path, TRACE_WHOLE, &error);
  if (!trace)
    abort();
  struct trace_text *text = trace_text_new(trace);
  const struct text_hooks hooks = trace_text_hooks(text);
  if (!trace_text_write(trace, to, &hooks, &error))
    abort();
  trace_text_free(text);
  trace_close(trace);
}

static int make_file(char path[64]) {
  const int file = memfd_create("trace", 0);
  if (file < 0)
    abort();
  snprintf(path, 64, "/proc/self/fd/%d", file);
  return file;
}

static bool same(int a, int b) {
  const off_t size = lseek(a, 0, SEEK_END);
  if (size != lseek(b, 0, SEEK_END))
    return false;
  void *of_a = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, a, 0);
  void *of_b = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, b, 0);
  const bool equal = memcmp(of_a, of_b, (size_t)size) == 0;
  munmap(of_a, (size_t)size);
  munmap(of_b, (size_t)size);
  return equal;
}

static void come_back(const char *path, int file) {
  char other[64];
  const int again = make_file(other);
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  write_text(path, stream);
  fclose(stream);
  stream = fmemopen(text, size, "r");
  if (!read_text(stream, other) || !same(file, again))
    abort();
  fclose(stream);
  free(text);
  close(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct message error;
  char path[64];
  if (!size || takes_long(data, size))
    return 0;
  const int file = make_file(path);
  FILE *from = fmemopen((void *)(uintptr_t)data, size, "r");
  if (read_text(from, path)) {
    if (!trace_validate(path, &error))
      abort();
    come_back(path, file);
  }
  fclose(from);
  close(file);
  return 0;
}
