#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "opencl/clang/key.h"
#include "opencl/clang/tools.h"
#include "sim/base/need.h"

void key_tool(const char *name, char *text, size_t size) {
  char found[PATH_MAX], real[PATH_MAX];
  struct stat status;
  if (tool_path(name, found) && realpath(found, real) && stat(real, &status) == 0)
    snprintf(text, size, "%s %lld %lld.%09ld", real, (long long)status.st_size, (long long)status.st_mtim.tv_sec,
             status.st_mtim.tv_nsec);
  else
    snprintf(text, size, "%s", name);
}

/* Every directive that reads another file and every macro for date or time contains one of these words. Pasted tokens
 * may form one. */
static bool asks_for_more(const char *text) {
  static const char *const words[] = {"include", "import", "embed", "__DATE__", "__TIME", "##", "%:%:", "\?\?="};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strstr(text, words[i]))
      return true;
  return false;
}

/* A backslash at the end of a line may split such a word. clang allows blanks after it and ends lines with '\n', '\r'
 * or both in either order. Joining too much finds more words, never fewer. */
static void join_lines(char *text) {
  char *to = text;
  for (const char *from = text; *from;) {
    const size_t blanks = *from == '\\' ? strspn(from + 1, " \t\f\v\r\n") : 0;
    if (blanks)
      from += blanks + 1;
    else
      *to++ = *from++;
  }
  *to = '\0';
}

static bool any_asks_for_more(const char *const *words) {
  for (; words && *words; words++)
    if (asks_for_more(*words))
      return true;
  return false;
}

bool key_is_whole(const char *text, size_t size, const char *const *options, const char *const *defines) {
  if (any_asks_for_more(options) || any_asks_for_more(defines))
    return false;
  char *joined = need(size + 1, 1);
  memcpy(joined, text, size);
  joined[size] = '\0';
  bool whole = strlen(joined) == size && !strstr(joined, "\?\?/"); /* a trigraph is a backslash, too */
  join_lines(joined);
  whole = whole && !asks_for_more(joined);
  free(joined);
  return whole;
}
