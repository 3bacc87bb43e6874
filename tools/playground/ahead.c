/* Replaces opencl/clang: a browser has no clang, so OpenCL C programs come precompiled. Next to kernel.cl is
 * kernel.cl.ahead, with the text that was compiled, and the result for one or more sets of defines:
 *
 *     "WWAHEAD2"   8 bytes
 *     size         8 bytes, little-endian, followed by that many bytes of text
 *     then for each set:
 *     size         8 bytes, followed by that many bytes of words, "NAME=VALUE" each, with a final newline
 *     size         8 bytes, followed by that many bytes of SPIR-V
 *
 * A changed text, or other defines, would need clang. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/clang/clang.h"
#include "sim/base/file.h"
#include "sim/base/need.h"

enum { MAGIC = 8, MOST = 64 << 20 };

/* No build with options is precompiled, so the options need no check. */
bool opencl_option_good(const char *option, const char *value, char *text, size_t size) {
  (void)option;
  (void)value;
  (void)text;
  (void)size;
  return true;
}

bool opencl_options_each(const char *const *words, void (*say)(void *self, const char *word), void *self, char *text,
                         size_t size) {
  (void)text;
  (void)size;
  for (; words && *words; words++)
    say(self, *words);
  return true;
}

const char *opencl_option_path(const char *word, const char **option) {
  (void)word;
  (void)option;
  return NULL;
}

static bool refuse(struct isa_error *error, const char *path, const char *why) {
  snprintf(error->text, sizeof error->text,
           "%.200s:%s OpenCL C needs clang, and browsers have none; run this with the command line, or compile it "
           "there with `warpwait asm` and use the .wwo file here",
           path, why);
  return false;
}

/* A part of the file. */
struct part {
  const uint8_t *bytes;
  size_t size;
};

/* Takes the next part, which its size precedes; false at the end, or if the file is damaged. */
static bool take(struct part *rest, struct part *taken) {
  uint64_t size = 0;
  if (rest->size < 8)
    return false;
  for (int i = 8; i-- > 0;)
    size = size << 8 | rest->bytes[i];
  if (size > rest->size - 8)
    return false;
  *taken = (struct part){rest->bytes + 8, (size_t)size};
  *rest = (struct part){taken->bytes + size, rest->size - 8 - (size_t)size};
  return true;
}

/* Whether a later word defines the same name, and so replaces this one. */
static bool is_superseded(const char *const *word) {
  const size_t name = strcspn(*word, "=");
  for (const char *const *later = word + 1; *later; later++)
    if (strcspn(*later, "=") == name && memcmp(*later, *word, name) == 0)
      return true;
  return false;
}

static bool has_word(struct part words, const char *word) {
  const size_t size = strlen(word);
  for (const uint8_t *line = words.bytes, *end = line + words.size, *stop; line < end; line = stop + 1) {
    stop = memchr(line, '\n', (size_t)(end - line));
    if (!stop)
      return false;
    if ((size_t)(stop - line) == size && memcmp(line, word, size) == 0)
      return true;
  }
  return false;
}

/* Whether the words are exactly the build's defines, in any order. */
static bool are_defined(struct part words, const char *const *defines) {
  size_t size = 0;
  for (; defines && *defines; defines++)
    if (!is_superseded(defines)) {
      if (!has_word(words, *defines))
        return false;
      size += strlen(*defines) + 1;
    }
  return size == words.size;
}

/* Whether no other option of the build would change the program. */
static bool is_plain(const struct opencl_build *build) {
  const char *const *const lists[] = {build->includes, build->extensions, build->options};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (lists[i] && *lists[i])
      return false;
  return !build->standard && !build->text;
}

/* The SPIR-V of the text with the build's defines. */
static bool find(struct part rest, const struct opencl_build *build, struct part *spirv) {
  struct part words;
  while (take(&rest, &words) && take(&rest, spirv))
    if (are_defined(words, build->defines))
      return is_plain(build);
  return false;
}

/* A build with this option has no precompiled program. */
void opencl_describe_tools(char *text, size_t size) { snprintf(text, size, "compiled ahead"); }

bool opencl_uniform_groups(const struct opencl_build *build) {
  (void)build;
  return false;
}

bool opencl_is_unoptimized(const struct opencl_build *build) {
  (void)build;
  return false;
}

bool opencl_compile(const char *path, const struct opencl_build *build, uint8_t **spirv, size_t *size,
                    struct isa_error *error) {
  char beside[4096];
  struct message ignored;
  char *source = NULL, *ahead = NULL;
  size_t source_size = 0, ahead_size = 0;
  snprintf(beside, sizeof beside, "%s.ahead", path);
  const bool both =
      file_read(path, MOST, &source, &source_size, &ignored) && file_read(beside, MOST, &ahead, &ahead_size, &ignored);
  struct part rest = {(const uint8_t *)ahead, ahead_size}, text = {0}, compiled = {0};
  bool known = both && ahead_size >= MAGIC && memcmp(ahead, "WWAHEAD2", MAGIC) == 0;
  if (known) {
    rest = (struct part){rest.bytes + MAGIC, rest.size - MAGIC};
    known = take(&rest, &text);
  }
  const bool same = known && text.size == source_size && memcmp(source, text.bytes, text.size) == 0;
  const bool good = same && find(rest, build, &compiled);
  if (build->blamed)
    *build->blamed = OPENCL_SOURCE;
  if (good) {
    *size = compiled.size;
    *spirv = need(*size, 1);
    memcpy(*spirv, compiled.bytes, *size);
  }
  free(source);
  free(ahead);
  if (good)
    return true;
  return refuse(error, path,
                same    ? " was compiled in advance for other options or defines;"
                : known ? " changed after it was compiled;"
                        : "");
}
