/* Rewriting LLVM assembly line by line; llvm_text.h says what and why.
 *
 * LLVM prints one instruction a line, and a switch's cases a line each. Nothing here parses more than that: a line that
 * does not look exactly as LLVM prints it stays as it is, and the assembler has the last word. */
#include "opencl/llvm_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/need.h"

/* A value that was cut to an odd width, and is now masked in its old one. */
struct masked {
  const char *name; /* "%131", not terminated */
  size_t length;
  unsigned wide, narrow;
};

struct rewriter {
  FILE *out;
  struct masked *masked;
  size_t count;
  const struct masked *switching; /* of the switch whose cases follow */
};

static const char *find_in(const char *line, size_t length, const char *word) {
  return memmem(line, length, word, strlen(word));
}

/* Where an operand that starts at `at` ends: metadata or the line's end follows. */
static size_t operand_end(const char *at, size_t length) {
  const char *metadata = find_in(at, length, ", !");
  return metadata ? (size_t)(metadata - at) : length;
}

/* "  %x = freeze T %y, !dbg !1". The operand is the last word, or starts at the last " %" or " @". */
static bool rewrite_freeze(struct rewriter *rewriter, const char *line, size_t length) {
  static const char word[] = " = freeze ";
  const char *found = find_in(line, length, word);
  if (!found)
    return false;
  const char *type = found + sizeof word - 1;
  size_t rest = length - (size_t)(type - line), used = operand_end(type, rest), split = used;
  while (split && type[split] != ' ')
    split--;
  if (!split || *type == '{' || *type == '[') /* bitcast does not take aggregates */
    return false;
  fprintf(rewriter->out, "%.*s = bitcast %.*s to %.*s%.*s\n", (int)(found - line), line, (int)used, type, (int)split,
          type, (int)(rest - used), type + used);
  return true;
}

static bool is_odd(unsigned bits) { return bits > 1 && bits < 64 && bits != 8 && bits != 16 && bits != 32; }

/* "  %a = trunc i32 %b to i3, !dbg !1" */
static bool rewrite_trunc(struct rewriter *rewriter, const char *line, size_t length) {
  char name[64], value[64], copy[256];
  unsigned wide = 0, narrow = 0;
  int used = 0;
  if (length >= sizeof copy)
    return false;
  snprintf(copy, sizeof copy, "%.*s", (int)length, line);
  if (sscanf(copy, " %63s = trunc i%u %63s to i%u%n", name, &wide, value, &narrow, &used) != 4 || !used ||
      !is_odd(narrow) || wide > 64)
    return false;
  fprintf(rewriter->out, "  %s = and i%u %s, %llu%s\n", name, wide, value, (1ULL << narrow) - 1, copy + used);
  rewriter->masked = need_more(rewriter->masked, rewriter->count + 1, sizeof *rewriter->masked);
  const char *start = line + strspn(line, " ");
  rewriter->masked[rewriter->count++] = (struct masked){start, strlen(name), wide, narrow};
  return true;
}

static const struct masked *find_masked(const struct rewriter *rewriter, const char *name, size_t length) {
  for (size_t i = rewriter->count; i--;) /* names start anew in each function: the latest counts */
    if (rewriter->masked[i].length == length && memcmp(rewriter->masked[i].name, name, length) == 0)
      return &rewriter->masked[i];
  return NULL;
}

/* "  switch i3 %131, label %137 [" */
static bool rewrite_switch(struct rewriter *rewriter, const char *line, size_t length) {
  static const char word[] = "  switch i";
  if (length < sizeof word || strncmp(line, word, sizeof word - 1) != 0)
    return false;
  const char *name = find_in(line, length, " %");
  if (!name++)
    return false;
  size_t size = strcspn(name, ",\n");
  const struct masked *masked = find_masked(rewriter, name, size);
  if (!masked || (unsigned)strtoul(line + sizeof word - 1, NULL, 10) != masked->narrow)
    return false;
  fprintf(rewriter->out, "  switch i%u %.*s\n", masked->wide, (int)(length - (size_t)(name - line)), name);
  rewriter->switching = masked;
  return true;
}

/* "    i3 -4, label %136" */
static bool rewrite_case(struct rewriter *rewriter, const char *line, size_t length) {
  const struct masked *masked = rewriter->switching;
  if (!masked || strncmp(line, "    i", 5) != 0) {
    rewriter->switching = NULL;
    return false;
  }
  const char *value = memchr(line + 5, ' ', length - 5);
  char *rest = NULL;
  uint64_t number = (uint64_t)strtoll(value ? value : "", &rest, 10) & ((UINT64_C(1) << masked->narrow) - 1);
  if (!value || rest == value)
    return false;
  fprintf(rewriter->out, "    i%u %llu%.*s\n", masked->wide, (unsigned long long)number,
          (int)(length - (size_t)(rest - line)), rest);
  return true;
}

char *llvm_text_for_spirv(const char *text) {
  char *result = NULL;
  size_t size = 0;
  struct rewriter rewriter = {.out = open_memstream(&result, &size)};
  for (const char *line = text; rewriter.out && *line;) {
    size_t length = strcspn(line, "\n");
    if (!rewrite_case(&rewriter, line, length) && !rewrite_freeze(&rewriter, line, length) &&
        !rewrite_trunc(&rewriter, line, length) && !rewrite_switch(&rewriter, line, length))
      fprintf(rewriter.out, "%.*s\n", (int)length, line);
    line += length + (line[length] == '\n');
  }
  if (rewriter.out)
    fclose(rewriter.out);
  free(rewriter.masked);
  return result ? result : need_copy("");
}
