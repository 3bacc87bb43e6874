/* Source files that a module's debug lines name. The paths come from the module, which may be hostile: only regular
 * files of a reasonable size are opened, and one that cannot be opened is skipped silently. */
#include "opencl/sources.h"
#include "opencl/clang/source_name.h"
#include "sim/base/file.h"
#include "sim/base/need.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  MOST_BYTES = 16 << 20,  /* per file */
  MOST_FILES = 256,       /* read per module */
  LONGEST_LINE = 1 << 16, /* longer lines are cut */
};

static char *copy_line(const char *text, size_t length) {
  if (length && text[length - 1] == '\r')
    length--;
  if (length > LONGEST_LINE)
    length = LONGEST_LINE;
  char *line = need(length + 1, 1);
  for (size_t i = 0; i < length; i++)
    line[i] = (char)(text[i] ? text[i] : ' '); /* a zero byte would end the line early */
  return line;
}

static void split_lines(struct isa_source *source, const char *text, size_t size) {
  size_t lines = 0;
  for (size_t i = 0; i < size; i++)
    lines += text[i] == '\n' || i + 1 == size;
  source->text = need(lines, sizeof *source->text);
  for (size_t at = 0; at < size;) {
    const char *end = memchr(text + at, '\n', size - at);
    const size_t length = end ? (size_t)(end - (text + at)) : size - at;
    source->text[source->lines++] = copy_line(text + at, length);
    at += length + 1;
  }
}

static char *read_allowed(const struct opencl_reads *reads, const char *path, size_t *size) {
  char why[OPENCL_WHY];
  const bool allowed =
      source_is_named(path) && (!reads || access(path, F_OK) != 0 || reads->allow(reads->self, path, why, sizeof why));
  char *text = NULL;
  if (!allowed || !file_read_regular(path, MOST_BYTES, &text, size))
    return text;
  free(text);
  return NULL;
}

/* A path of the module may be relative to an unknown directory. Then the name that the user gave may work. */
static void read_source(struct isa_source *source, const struct opencl_reads *reads, const char *path,
                        const char *other) {
  size_t size = 0;
  char *text = read_allowed(reads, path, &size);
  if (text)
    source->path = need_copy(path);
  else
    text = read_allowed(reads, other, &size);
  if (text && size)
    split_lines(source, text, size);
  free(text);
}

void sources_fill(const struct spirv *module, const struct opencl_reads *reads, const char *text,
                  struct isa_program *program) {
  bool *used = need(module->sources, sizeof *used);
  for (uint32_t pc = 0; pc < program->count; pc++)
    used[program->source[pc]] |= program->line[pc] > 0;
  program->sources = need(module->sources, sizeof *program->sources);
  program->source_count = module->sources;
  uint32_t files = 0;
  for (uint32_t i = 0; i < module->sources; i++) {
    program->sources[i].name = need_copy(module->source[i]);
    if (text && strcmp(module->source[i], module->file) == 0)
      split_lines(&program->sources[i], text, strlen(text));
    else if (used[i] && files++ < MOST_FILES)
      read_source(&program->sources[i], reads, module->path[i], module->source[i]);
  }
  free(used);
}
