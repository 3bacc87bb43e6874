/* Extracts what the user should read from the output of a clang that fails. Its errors are recognized by their wording.
 * If it crashes, it prints a stack, which is not shown. */
#include "opencl/clang/tool_errors.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/clang/source_name.h"
#include "sim/base/text.h"

enum { SHOWN = 300 };

bool tool_fail(const struct reporter *reporter, const char *format, ...) {
  char text[sizeof reporter->error->text];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  snprintf(reporter->error->text, sizeof reporter->error->text, "%.200s: %.300s", reporter->path, text);
  return false;
}

void tool_blame(const struct reporter *reporter, enum opencl_part part) {
  if (reporter->blamed)
    *reporter->blamed = part;
}

/* An error from clang, "k.cl:3:5: error: ..."; the driver's own errors have no place. */
static bool is_error(const char *line, size_t length) {
  return memmem(line, length, ": error: ", 9) || memmem(line, length, ": fatal error: ", 15) ||
         strncmp(line, "error: ", 7) == 0;
}

/* Counts the lines that `wanted` accepts, and returns the first one in *first. */
static size_t count_lines(const char *text, bool (*wanted)(const char *line, size_t length), const char **first,
                          size_t *first_length) {
  size_t count = 0;
  for (const char *line = text; *line;) {
    size_t length = strcspn(line, "\n");
    if (wanted(line, length) && !count++) {
      *first = line;
      *first_length = length;
    }
    line += length + (line[length] == '\n');
  }
  return count;
}

/* A crashed tool's own message, not its stack, whose entries start with a number. */
static bool is_last_word(const char *line, size_t length) {
  return length && *line != ' ' && *line != '#' && strncmp(line, "PLEASE submit", 13) != 0 &&
         strncmp(line, "Stack dump", 10) != 0 && strncmp(line + strspn(line, "0123456789"), ".\t", 2) != 0;
}

static bool fail_missing(const struct reporter *reporter, const char *tool) {
  return tool_fail(reporter, "%s is not installed: apt-get install clang-15, or give a .spv or .ll file", tool);
}

static bool fail_crash(const struct reporter *reporter, const char *tool, const struct process_end *end) {
  const char *line = "it gives no reason; it cannot compile something in the program";
  size_t length = strlen(line);
  count_lines(end->text, is_last_word, &line, &length);
  int shown = (int)(length < SHOWN ? length : SHOWN);
  if (end->signal)
    return tool_fail(reporter, "%s was killed by signal %d: %.*s", tool, end->signal, shown, line);
  return tool_fail(reporter, "%s failed with exit status %d: %.*s", tool, end->status, shown, line);
}

static bool crashed(const struct process_end *end) {
  return end->signal || end->status > 128 || strstr(end->text, "PLEASE submit a bug report");
}

/* The length of the line and column, with colons, at the end of "k.cl:3:5: "; 0 if there are none. */
static size_t place_length(const char *line, size_t length) {
  size_t at = length, colons = 0;
  if (at >= 2 && line[at - 2] == ':' && line[at - 1] == ' ')
    for (at -= 2; at && colons < 2 && (isdigit((unsigned char)line[at - 1]) || line[at - 1] == ':'); at--)
      colons += line[at - 1] == ':';
  return colons == 2 ? length - at : 0;
}

/* clang's names for text that comes from options instead of a file. */
static bool is_of_options(const char *line) {
  return strncmp(line, "<command line>:", 15) == 0 || strncmp(line, "<built-in>:", 11) == 0;
}

/* The path of the file that a line from clang refers to; the caller frees it. NULL if it refers to none. */
static char *placed_in(const char *line, size_t length) {
  for (size_t at = 2; at + 1 < length; at++) {
    const size_t place = line[at] == ' ' && line[at - 1] == ':' ? place_length(line, at + 1) : 0;
    if (place)
      return strndup(line, at + 1 - place);
  }
  return NULL;
}

/* May this line be shown? If not, `text` says why. */
static bool is_quotable(const struct reporter *reporter, const char *line, size_t length, char *text, size_t size) {
  char *path = placed_in(line, length);
  const bool own = path && reporter->in_memory && strcmp(path, reporter->path) == 0;
  bool good = !path || own || !reporter->reads || strncmp(path, reporter->folder, strlen(reporter->folder)) == 0 ||
              reporter->reads->allow(reporter->reads->self, path, text, size);
  if (good && path && !own && !source_is_named(path)) {
    snprintf(text, size, "is not OpenCL C; only files named as sources are quoted (" SOURCE_NAMES ")");
    good = false;
  }
  free(path);
  return good;
}

/* clang escapes the text that it quotes, but not file names from #line. Control characters must not reach the terminal.
 */
static void say_line(const struct reporter *reporter, const char *line, size_t length) {
  struct text text = {0};
  text_add(&text, "", 0);
  for (size_t i = 0; i < length; i++) {
    const unsigned char c = (unsigned char)line[i];
    const bool second = c >= 0x80 && c < 0xa0 && i && (unsigned char)line[i - 1] == 0xc2;
    if ((c < ' ' && c != '\t') || c == 0x7f || second)
      text_print(&text, "\\x%02x", c);
    else
      text_add(&text, &line[i], 1);
  }
  reporter->say(reporter->self, text.data);
  free(text.data);
}

/* Is the error in a source file, and not in one of ours? */
static bool has_place(const struct reporter *reporter, const char *line, size_t length) {
  static const char fatal[] = "fatal ";
  size_t before = (size_t)((const char *)memmem(line, length, "error: ", 7) - line), word = sizeof fatal - 1;
  if (before >= word && memcmp(line + before - word, fatal, word) == 0)
    before -= word;
  return strncmp(line, reporter->folder, strlen(reporter->folder)) != 0 && !is_of_options(line) &&
         place_length(line, before);
}

static bool is_uninitialized(const char *line, size_t length) {
  return memmem(line, length, TOOL_UNINITIALIZED, strlen(TOOL_UNINITIALIZED));
}

void tool_report(const struct reporter *reporter, const struct process_end *end, bool everything) {
  char why[OPENCL_WHY];
  const char *first;
  size_t length;
  const bool several = !crashed(end) && count_lines(end->text, is_error, &first, &length) > 1;
  if (!reporter->say)
    return;
  for (const char *line = end->text; *line; line += length + (line[length] == '\n')) {
    length = strcspn(line, "\n");
    if ((everything || (several && is_error(line, length) && has_place(reporter, line, length)) ||
         (process_good(end) && is_uninitialized(line, length))) &&
        is_quotable(reporter, line, length, why, sizeof why))
      say_line(reporter, line, length);
  }
}

/* The part of the build that an error without a source position is about. */
static enum opencl_part part_of(const char *what, size_t length) {
  if (memmem(what, length, "-cl-std=", 8))
    return OPENCL_STANDARD;
  if (length > 14 && memcmp(what, "no extension '", 14) == 0) /* the wording of our header */
    return OPENCL_EXTENSIONS;
  return memmem(what, length, "argument: '-", 12) ? OPENCL_OPTIONS : OPENCL_SOURCE;
}

#define CHANNELS "; channels need #pragma OPENCL EXTENSION cl_intel_channels : enable"

/* What clang does not say: it cannot compile `event_t e[2] = {0, 0};`, and has no channels itself. */
static const char *hint(const char *what, size_t length) {
  static const struct {
    const char *words, *hint;
  } hints[] = {
      {"cannot compile this aggregate expression yet",
       "; declare an array of events without a value, and assign its elements"},
      {"unknown type name 'channel'", CHANNELS},
      {"undeclared identifier 'read_channel_", CHANNELS},
      {"undeclared identifier 'write_channel_", CHANNELS},
  };
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
    if (memmem(what, length, hints[i].words, strlen(hints[i].words)))
      return hints[i].hint;
  return "";
}

/* "k.cl:3:5: error: what (the first of 3 errors)". An error without a position gets the program's name. */
static bool fail_source(const struct reporter *reporter, const char *tool, const struct process_end *end) {
  const char *line = NULL;
  size_t length = 0, count = count_lines(end->text, is_error, &line, &length);
  char more[48] = "";
  if (!count || crashed(end))
    return fail_crash(reporter, tool, end);
  if (count > 1)
    snprintf(more, sizeof more, " (the first of %zu errors)", count);
  bool placed = has_place(reporter, line, length);
  char why[OPENCL_WHY];
  if (placed && !is_quotable(reporter, line, length, why, sizeof why)) {
    snprintf(reporter->error->text, sizeof reporter->error->text, "%.*s%s",
             (int)((const char *)memmem(line, length, "error: ", 7) + 7 - line), line, why);
    return false;
  }
  const char *what = placed ? line : (const char *)memmem(line, length, "error: ", 7) + 7;
  size_t used = length - (size_t)(what - line), room = placed ? sizeof reporter->error->text - sizeof more : SHOWN;
  int shown = (int)(used < room ? used : room);
  if (!placed)
    tool_blame(reporter, is_of_options(line) ? OPENCL_WORDS : part_of(what, used));
  if (!placed)
    return tool_fail(reporter, "%s%.*s%s%s", is_of_options(line) ? "in the options of the build: " : "", shown, what,
                     memmem(what, used, "-cl-std=", 8) ? "; legal: CL1.0, CL1.1, CL1.2, CL2.0, CL3.0" : "", more);
  snprintf(reporter->error->text, sizeof reporter->error->text, "%.*s%s%s", shown, what, hint(what, used), more);
  return false;
}

bool tool_failed(const struct reporter *reporter, const char *tool, const struct process_end *end) {
  if (end->error == ENOENT)
    return fail_missing(reporter, tool);
  if (end->error)
    return tool_fail(reporter, "%s cannot be run: %s", tool, text_errno(end->error));
  if (end->cancelled)
    return tool_fail(reporter, "interrupted while %s was running", tool);
  if (end->why)
    return tool_fail(reporter, "%s was stopped: it %s", tool, end->why);
  return fail_source(reporter, tool, end);
}
