#include "sim/launch/kernels.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/reads.h"
#include "sim/launch/program.h"

enum { MOST_BYTES = 16 << 20 };

/* ---- OpenCL C ---------------------------------------------------------------------------------- */

static bool begins_comment(const char *at) { return at[0] == '/' && (at[1] == '/' || at[1] == '*'); }

static const char *skip_comment(const char *at) {
  const char *end = at[1] == '/' ? strchr(at, '\n') : strstr(at + 2, "*/");
  return !end ? at + strlen(at) : at[1] == '/' ? end : end + 2;
}

static const char *skip_string(const char *at) {
  const char quote = *at++;
  while (*at && *at != quote && *at != '\n')
    at += *at == '\\' && at[1] ? 2 : 1;
  return at + (*at == quote);
}

static const char *skip_blanks(const char *at) {
  while (isspace((unsigned char)*at) || begins_comment(at))
    at = begins_comment(at) ? skip_comment(at) : at + 1;
  return at;
}

static bool is_letter(char letter) { return isalnum((unsigned char)letter) || letter == '_'; }

static size_t length_of_name(const char *at) {
  size_t length = 0;
  while (is_letter(at[length]))
    length++;
  return length;
}

static bool is_word(const char *at, size_t length, const char *word) {
  return strlen(word) == length && strncmp(at, word, length) == 0;
}

/* Skips "(...)". */
static const char *skip_parentheses(const char *at) {
  size_t depth = 0;
  for (; *at; at++) {
    depth += *at == '(';
    depth -= *at == ')';
    if (!depth)
      return at + 1;
  }
  return at;
}

/* Finds the kernel's name after `kernel`: the first name before a parenthesis, skipping attributes. */
static const char *take_name(const char *at, struct text *names) {
  while (*(at = skip_blanks(at)) && !strchr(";{}(", *at)) {
    const size_t length = length_of_name(at);
    const char *behind = skip_blanks(at + length);
    if (is_word(at, length, "__attribute__")) {
      at = *behind == '(' ? skip_parentheses(behind) : behind;
    } else if (length && *behind == '(') {
      text_line(names, "%.*s", (int)length, at);
      return behind;
    } else {
      at += length ? length : 1;
    }
  }
  return at;
}

static void scan_opencl(const char *at, struct text *names) {
  while (*(at = skip_blanks(at))) {
    const size_t length = length_of_name(at);
    const bool kernel = is_word(at, length, "kernel") || is_word(at, length, "__kernel");
    if (kernel)
      at = take_name(at + length, names);
    else if (*at == '"' || *at == '\'')
      at = skip_string(at);
    else
      at += length ? length : 1;
  }
}

/* ---- SPIR-V ------------------------------------------------------------------------------------ */

/* OpEntryPoint has the execution model, an id, and the name. Modules in the other byte order are ignored. */
static void scan_spirv(const char *bytes, size_t size, struct text *names) {
  enum { HEADER = 5, OP_ENTRY_POINT = 15, NAME = 3, MAGIC = 0x07230203 };
  uint32_t word = 0;
  if (size < 4 * HEADER || (memcpy(&word, bytes, 4), word != MAGIC))
    return;
  for (size_t at = 4 * HEADER; at + 4 <= size;) {
    memcpy(&word, bytes + at, 4);
    const size_t length = 4 * (size_t)(word >> 16);
    if (!length || length > size - at)
      return;
    if ((word & 0xffff) == OP_ENTRY_POINT && length > 4 * NAME)
      text_line(names, "%.*s", (int)(length - 4 * NAME), bytes + at + 4 * NAME);
    at += length;
  }
}

/* Text is translated, which is quick; bitcode would need clang. */
static void scan_llvm(const char *text, size_t size, struct text *names) {
  struct isa_error error;
  uint8_t *spirv = NULL;
  size_t bytes = 0;
  if (llvm_is_text((const uint8_t *)text, size) && llvm_to_spirv(text, size, "", &spirv, &bytes, &error))
    scan_spirv((const char *)spirv, bytes, names);
  free(spirv);
}

/* ---- files ------------------------------------------------------------------------------------- */

/* Assembly and object files load quickly. */
static void load(const char *path, struct text *names) {
  struct program program = {0};
  const struct program_build build = {0};
  struct message message;
  bool inside;
  if (program_load(&program, path, &build, &inside, &message))
    for (size_t i = 0; i < program.isa->kernel_count; i++)
      text_line(names, "%s", program.isa->kernels[i].name);
  program_free(&program);
}

void kernels_of_file(const char *path, struct text *names) {
  const enum program_language language = program_language(path);
  char *data = NULL;
  size_t size = 0;
  struct message message;
  if (language == PROGRAM_ASSEMBLY || language == PROGRAM_OBJECT) {
    load(path, names);
  } else if (language != PROGRAM_LANGUAGES && reads_file(NULL, path, MOST_BYTES, &data, &size, &message)) {
    if (language == PROGRAM_OPENCL_C)
      scan_opencl(data, names);
    else if (language == PROGRAM_LLVM)
      scan_llvm(data, size, names);
    else
      scan_spirv(data, size, names);
  }
  free(data);
}
