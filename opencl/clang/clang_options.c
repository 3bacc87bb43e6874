/* The user's own options for clang: a table of those that would break the pipeline, and why, and one of those let
 * through. */
#include "opencl/clang/clang_options.h"

#include <stdio.h>
#include <string.h>

#define WHOLE_PIPELINE "warpwait decides what clang makes"
#define ONE_FILE "the program is the only input"

/* A word that ends with '*' stands for all that start so. */
static const struct refusal {
  const char *word, *why;
} refused[] = {
    {"-o*", WHOLE_PIPELINE},
    {"-c", WHOLE_PIPELINE},
    {"-S", WHOLE_PIPELINE},
    {"-E", WHOLE_PIPELINE},
    {"-M*", WHOLE_PIPELINE},
    {"-P", WHOLE_PIPELINE},
    {"-emit-*", WHOLE_PIPELINE},
    {"--output*", WHOLE_PIPELINE},
    {"-fsyntax-only", WHOLE_PIPELINE},
    {"-save-temps*", WHOLE_PIPELINE},
    {"--save-temps*", WHOLE_PIPELINE},
    {"-###", WHOLE_PIPELINE},
    {"--help*", WHOLE_PIPELINE},
    {"--version", WHOLE_PIPELINE},
    {"-flto*", WHOLE_PIPELINE},
    {"-g*", "source lines are always kept"},
    {"-target*", "the target is always spir64"},
    {"--target*", "the target is always spir64"},
    {"-m32", "the target is always spir64"},
    {"-m64", "the target is always spir64"},
    {"-march*", "the target is always spir64"},
    {"-O*", "choose a route instead: ssa, O0 or O2"},
    {"-x*", "the language is always OpenCL C"},
    {"--language*", "the language is always OpenCL C"},
    {"-std=*", "the standard is -cl-std"},
    {"-Xclang", "options past clang's driver are not let through"},
    {"-Xpreprocessor", "options past clang's driver are not let through"},
    {"-mllvm", "options past clang's driver are not let through"},
    {"-Wp,*", "options past clang's driver are not let through"},
    {"-Wl,*", "options past clang's driver are not let through"},
    {"-Wa,*", "options past clang's driver are not let through"},
    {"-fplugin*", "options past clang's driver are not let through"},
    {"--", ONE_FILE},
    {"-", ONE_FILE},
    {"@*", "files of options are not let through"},
};

/* What is let through. Launch files come from anywhere, and clang has options that write files or load code: those that
 * are not here are refused. */
static const char *const allowed[] = {
    "-D*",
    "-U*",
    "-I*",
    "-include*",
    "-isystem*",
    "-iquote*",
    "-cl-*",
    "-w",
    "-W*",
    "-pedantic*",
    "-ffast-math",
    "-fno-fast-math",
    "-ffp-contract=*",
    "-ffinite-math-only",
    "-fno-finite-math-only",
    "-funsafe-math-optimizations",
    "-fno-unsafe-math-optimizations",
};
#define ALLOWED_TEXT "legal: -D, -U, -I, -include, -isystem, -iquote, -cl-..., -w, -W..., -f... of floating point"

/* Options whose value may be a word of its own. */
static const char *const with_value[] = {"-D", "-U", "-I", "-include", "-isystem", "-iquote"};

static bool matches(const char *pattern, const char *word) {
  size_t length = strlen(pattern);
  if (pattern[length - 1] == '*')
    return strncmp(pattern, word, length - 1) == 0;
  return strcmp(pattern, word) == 0;
}

static bool wants_value(const char *word) {
  for (size_t i = 0; i < sizeof with_value / sizeof *with_value; i++)
    if (strcmp(word, with_value[i]) == 0)
      return true;
  return false;
}

static const char *why_not(const char *word) {
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    if (matches(refused[i].word, word))
      return refused[i].why;
  if (*word != '-')
    return ONE_FILE;
  for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
    if (matches(allowed[i], word))
      return NULL;
  return ALLOWED_TEXT;
}

bool clang_options_check(const char *const *words, struct clang_options *options, char *text, size_t size) {
  *options = (struct clang_options){0};
  for (; words && *words; words++) {
    const char *why = why_not(*words);
    if (why) {
      snprintf(text, size, "build option '%.60s' is not let through: %s", *words, why);
      return false;
    }
    options->standard |= strncmp(*words, "-cl-std", 7) == 0;
    options->warnings |= strncmp(*words, "-W", 2) == 0;
    if (!wants_value(*words))
      continue;
    if (!words[1]) {
      snprintf(text, size, "build option '%.60s' needs a value", *words);
      return false;
    }
    words++;
  }
  return true;
}
