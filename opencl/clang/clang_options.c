/* The user's options for clang. Launch files may come from anyone, and clang has options that write files or load code.
 * So an option is refused unless its full name is listed here, and so is a value that its kind does not allow. A value
 * is always joined to its option, so that no word can be read as another option's value. */
#include "opencl/clang/clang_options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define PIPELINE "Warpwait decides what clang produces"
#define ONE_FILE "the program must be the only input"
#define TARGET "the target is always spir64"
#define LANGUAGE "use -cl-std"
#define DRIVER "options that bypass clang's driver are not allowed"

/* Options that people try, and why they are refused. A trailing '*' matches any rest. */
static const struct refusal {
  const char *word, *why;
} refused[] = {
    {"-o*", PIPELINE},
    {"-c", PIPELINE},
    {"-S", PIPELINE},
    {"-E", PIPELINE},
    {"-M*", PIPELINE},
    {"-P", PIPELINE},
    {"-emit-*", PIPELINE},
    {"--output*", PIPELINE},
    {"-fsyntax-only", PIPELINE},
    {"-save-temps*", PIPELINE},
    {"--save-temps*", PIPELINE},
    {"-###", PIPELINE},
    {"--help*", PIPELINE},
    {"--version", PIPELINE},
    {"-flto*", PIPELINE},
    {"-g*", "source lines are always kept"},
    {"-target*", TARGET},
    {"--target*", TARGET},
    {"-m32", TARGET},
    {"-m64", TARGET},
    {"-march*", TARGET},
    {"-O*", "choose `optimize`, 0 to 3, instead"},
    {"--language*", LANGUAGE},
    {"-std=*", LANGUAGE},
    {"-Xclang", DRIVER},
    {"-Xpreprocessor", DRIVER},
    {"-mllvm", DRIVER},
    {"-Wp,*", DRIVER},
    {"-Wl,*", DRIVER},
    {"-Wa,*", DRIVER},
    {"-fplugin*", DRIVER},
    {"--", ONE_FILE},
    {"-", ONE_FILE},
    {"@*", "files of options are not allowed"},
};

enum value {
  NO_VALUE,
  IGNORED,    /* no value; clang does not know it, and Warpwait does not use what it permits */
  A_DEFINE,   /* NAME, NAME=VALUE, NAME(X)=VALUE */
  A_NAME,     /* an identifier */
  A_PATH,     /* one line that does not start with '-': -isystem-after is another option */
  A_WARNING,  /* the name of a warning, "error=NAME", or nothing for -W alone */
  A_LANGUAGE, /* OpenCL C; or C++ for OpenCL, under clang's name or AMD's */
  A_WORD      /* letters, digits and + - . _ , */
};

static const struct accepted {
  const char *word;
  enum value value;
  bool apart; /* the value may be a separate word */
} accepted[] = {
    {"-D", A_DEFINE, true},
    {"-U", A_NAME, true},
    {"-include", A_PATH, true},
    {"-isystem", A_PATH, true},
    {"-iquote", A_PATH, true},
    {"-I", A_PATH, true},
    {"-x", A_LANGUAGE, true},
    {"-cl-std=", A_WORD, false},
    {"-cl-ext=", A_WORD, false},
    {"-cl-denorms-are-zero", NO_VALUE, false},
    {"-cl-fast-relaxed-math", NO_VALUE, false},
    {"-cl-finite-math-only", NO_VALUE, false},
    {"-cl-fp32-correctly-rounded-divide-sqrt", NO_VALUE, false},
    {"-cl-kernel-arg-info", NO_VALUE, false},
    {"-cl-mad-enable", NO_VALUE, false},
    {"-cl-no-signed-zeros", NO_VALUE, false},
    {"-cl-no-subgroup-ifp", IGNORED, false},
    {"-cl-opt-disable", NO_VALUE, false},
    {"-cl-single-precision-constant", NO_VALUE, false},
    {"-cl-strict-aliasing", NO_VALUE, false},
    {"-cl-uniform-work-group-size", NO_VALUE, false},
    {"-cl-unsafe-math-optimizations", NO_VALUE, false},
    {"-w", NO_VALUE, false},
    {"-W", A_WARNING, false},
    {"-pedantic", NO_VALUE, false},
    {"-pedantic-errors", NO_VALUE, false},
    {"-ffast-math", NO_VALUE, false},
    {"-fno-fast-math", NO_VALUE, false},
    {"-ffp-contract=", A_WORD, false},
    {"-ffinite-math-only", NO_VALUE, false},
    {"-fno-finite-math-only", NO_VALUE, false},
    {"-funsafe-math-optimizations", NO_VALUE, false},
    {"-fno-unsafe-math-optimizations", NO_VALUE, false},
};
#define ACCEPTED_TEXT                                                                                                  \
  "legal: -D, -U, -I, -include, -isystem, -iquote, -cl-std=, OpenCL's other -cl-..., -w, -W..., -f... of floating "    \
  "point"

/* What a value must be, for messages. */
static const char *const wanted[] = {[A_DEFINE] = "NAME, NAME=VALUE or NAME(X)=VALUE",
                                     [A_NAME] = "the name of a macro",
                                     [A_PATH] = "a path (one that begins with '-' is written ./-...)",
                                     [A_WARNING] = "the name of a warning",
                                     [A_LANGUAGE] = "cl, clc++ or clcpp",
                                     [A_WORD] = "letters, digits and any of + - . _ ,"};

/* ---- values -------------------------------------------------------------------------------------- */

static bool starts_name(char c) { return isalpha((unsigned char)c) || c == '_' || c == '$'; }

static size_t name_length(const char *text) {
  size_t length = 0;
  while (starts_name(text[length]) || (length && isdigit((unsigned char)text[length])))
    length++;
  return length;
}

/* clang would read a second line as part of the program, and no folder or macro needs one. */
static bool is_one_line(const char *text) {
  for (; *text; text++)
    if (iscntrl((unsigned char)*text) && *text != '\t')
      return false;
  return true;
}

static bool is_define(const char *text) {
  const size_t length = name_length(text);
  const char *rest = text + length;
  if (*rest == '(') {
    rest += strcspn(rest, ")");
    rest += *rest == ')';
  }
  return length && is_one_line(text) && (!*rest || *rest == '=');
}

static bool is_word(const char *text) {
  for (; *text; text++)
    if (!isalnum((unsigned char)*text) && !strchr("+-._,", *text))
      return false;
  return true;
}

/* No commas: -Wl,... and similar options pass other options on. */
static bool is_warning(const char *text) {
  for (; *text; text++)
    if (!isalnum((unsigned char)*text) && !strchr("+-=_", *text))
      return false;
  return true;
}

static bool is_cpp_language(const char *text) { return strcmp(text, "clc++") == 0 || strcmp(text, "clcpp") == 0; }

static bool value_good(enum value value, const char *text) {
  switch (value) {
  case NO_VALUE:
  case IGNORED:
    return !*text;
  case A_DEFINE:
    return is_define(text);
  case A_NAME:
    return *text && !text[name_length(text)];
  case A_PATH:
    return *text && *text != '-' && is_one_line(text);
  case A_WARNING:
    return is_warning(text);
  case A_LANGUAGE:
    return strcmp(text, "cl") == 0 || is_cpp_language(text);
  case A_WORD:
    return *text && is_word(text);
  }
  return false;
}

/* ---- words --------------------------------------------------------------------------------------- */

static bool matches(const char *pattern, const char *word) {
  size_t length = strlen(pattern);
  if (pattern[length - 1] == '*')
    return strncmp(pattern, word, length - 1) == 0;
  return strcmp(pattern, word) == 0;
}

static const char *why_refused(const char *word) {
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    if (matches(refused[i].word, word))
      return refused[i].why;
  return *word == '-' ? ACCEPTED_TEXT : ONE_FILE;
}

/* An option with a value matches any word that starts with its name. */
static const struct accepted *find(const char *word) {
  for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
    const struct accepted *row = &accepted[i];
    if (row->value > IGNORED ? strncmp(row->word, word, strlen(row->word)) == 0 : strcmp(row->word, word) == 0)
      return row;
  }
  return NULL;
}

const char *clang_options_path(const char *word, const char **kind) {
  const struct accepted *row = find(word);
  if (!row || row->value != A_PATH)
    return NULL;
  *kind = row->word;
  return word + strlen(row->word);
}

static bool is_of_all(const char *warning) {
  return strcmp(warning, "all") == 0 || strcmp(warning, "most") == 0 || strcmp(warning, "everything") == 0 ||
         strcmp(warning, "uninitialized") == 0;
}

/* Reads the option at *words and its value; *words then points to its last word. */
static bool read_one(const char *const **words, struct clang_options *options, char *text, size_t size) {
  const char *word = **words;
  const struct accepted *row = find(word);
  /* -Wl,... looks like a warning; the message why it is refused is better. */
  if (!row || (row->value == A_WARNING && !is_warning(word + 2))) {
    snprintf(text, size, "build option '%.60s' is not allowed: %s", word, why_refused(word));
    return false;
  }
  const char *value = word + strlen(row->word);
  if (!*value && row->apart) {
    if (!(*words)[1]) {
      snprintf(text, size, "build option '%.60s' needs a value", word);
      return false;
    }
    value = *++*words;
  }
  if (!value_good(row->value, value)) {
    snprintf(text, size, "build option '%s': '%.60s' is not %s", row->word, value, wanted[row->value]);
    return false;
  }
  const char *standard = strcmp(row->word, "-cl-std=") == 0 ? value : NULL;
  if (row->value == A_LANGUAGE)
    standard = is_cpp_language(value) ? "CLC++" : NULL;
  else if (row->value != IGNORED && !standard)
    words_add_joined(&options->words, row->word, value);
  if (standard) {
    words_add_joined(&options->words, "-cl-std=", standard);
    options->standard = true;
    options->is_1 = clang_options_is_1(standard);
  }
  options->uniform |= strcmp(row->word, "-cl-uniform-work-group-size") == 0;
  options->unoptimized |= strcmp(row->word, "-cl-opt-disable") == 0;
  options->warnings |= row->value == A_WARNING;
  options->wants_all |= row->value == A_WARNING && is_of_all(value);
  return true;
}

bool clang_options_is_1(const char *standard) {
  return strncasecmp(standard, "cl1", 3) == 0 || strcasecmp(standard, "cl") == 0;
}

bool clang_options_read(const char *const *words, struct clang_options *options, char *text, size_t size) {
  *options = (struct clang_options){0};
  for (; words && *words; words++)
    if (!read_one(&words, options, text, size))
      return false;
  return true;
}

void clang_options_free(struct clang_options *options) { words_free(&options->words); }
