/* In the place of opencl/clang: a browser has no clang, and programs of OpenCL C come compiled ahead. Beside kernel.cl
 * lies kernel.cl.ahead, which holds the text that was compiled, without any options, and what it became:
 *
 *     "WWAHEAD1"   8 bytes
 *     size         8 bytes, little-endian
 *     the text     as many bytes
 *     SPIR-V       the rest
 *
 * A text that has been changed since is one that wants clang. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/clang/clang.h"
#include "sim/cli/file.h"
#include "sim/core/need.h"

enum { MAGIC = 8, HEAD = 16, MOST = 64 << 20 };

const char *const opencl_route_names[OPENCL_ROUTES] = {"ssa", "O0", "O2"};

bool opencl_options_good(const char *const *options, char *text, size_t size) {
  (void)options;
  (void)text;
  (void)size;
  return true;
}

static bool refuse(struct isa_error *error, const char *path, const char *why) {
  snprintf(error->text, sizeof error->text,
           "%.200s:%s OpenCL C needs clang, which a browser has not; run it with warpwait's command line, or let "
           "`warpwait asm` make a .wwo file there and name that one here",
           path, why);
  return false;
}

static uint64_t little(const uint8_t *bytes) {
  uint64_t number = 0;
  for (int i = 8; i-- > 0;)
    number = number << 8 | bytes[i];
  return number;
}

/* The size of the text that was compiled; 0 when the file is not one of ours. */
static size_t text_size(const uint8_t *ahead, size_t size) {
  if (size < HEAD || memcmp(ahead, "WWAHEAD1", MAGIC) != 0)
    return 0;
  const uint64_t text = little(ahead + MAGIC);
  return text <= size - HEAD ? (size_t)text : 0;
}

/* Nothing was asked of the build that would make another program of the same text. */
static bool is_plain(const struct opencl_build *build) {
  const char *const *const lists[] = {build->defines, build->includes, build->extensions, build->options};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (lists[i] && *lists[i])
      return false;
  return !build->standard && build->route == OPENCL_ROUTE_SSA;
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
  const size_t compiled = both ? text_size((const uint8_t *)ahead, ahead_size) : 0;
  const bool same = compiled && compiled == source_size && memcmp(source, ahead + HEAD, compiled) == 0;
  const bool good = same && is_plain(build);
  if (build->blamed)
    *build->blamed = OPENCL_SOURCE;
  if (good) {
    *size = ahead_size - HEAD - compiled;
    *spirv = need(*size, 1);
    memcpy(*spirv, ahead + HEAD + compiled, *size);
  }
  free(source);
  free(ahead);
  if (good)
    return true;
  return refuse(error, path,
                same       ? " compiled ahead for other options;"
                : compiled ? " changed since it was compiled;"
                           : "");
}
