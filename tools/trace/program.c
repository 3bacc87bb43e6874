#include "tools/trace/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/asm/asm.h"
#include "sim/base/need.h"
#include "sim/base/text.h"

/* ---- writing ----------------------------------------------------------------------------------- */

/* The source of a program that has only one and is its own source. */
static void put_source(struct text *text, const struct isa_program *program) {
  text_print(text, "file %s\ncode\n", program->file);
  for (uint32_t i = 0; i < program->sources[0].lines; i++)
    text_print(text, "%s\n", program->sources[0].text[i]);
}

static bool same_place(const struct isa_program *program, uint32_t a, uint32_t b) {
  return program->line[a] == program->line[b] && program->column[a] == program->column[b] &&
         program->source[a] == program->source[b];
}

/* Source, line and column of each instruction; equal neighbors share an entry. */
static void put_lines(struct text *text, const struct isa_program *program) {
  unsigned column = 0;
  for (uint32_t pc = 0, end; pc < program->count; pc = end) {
    for (end = pc + 1; end < program->count && same_place(program, pc, end);)
      end++;
    text_print(text, "%s %u:%" PRIu32, column ? "" : "lines", program->source[pc], program->line[pc]);
    if (program->column[pc])
      text_print(text, ":%u", program->column[pc]);
    text_print(text, "*%" PRIu32, end - pc);
    column = column < 9 && end < program->count ? column + 1 : 0;
    text_print(text, "%s", column ? "" : "\n");
  }
}

static void put_listing(struct text *text, const struct isa_program *program) {
  char *code = isa_disassemble(program);
  text_print(text, "file %s\n", program->file);
  for (uint32_t i = 0; i < program->source_count; i++) {
    const struct isa_source *source = &program->sources[i];
    text_print(text, "source %s\n", source->name);
    for (uint32_t line = 0; source->text && line < source->lines; line++)
      text_print(text, "|%s\n", source->text[line]);
  }
  put_lines(text, program);
  text_print(text, "code\n%s", code);
  free(code);
}

static bool same_object(const struct text *text, const void *object, size_t size) {
  const struct text_block block = {"", text->data, text->length, 1};
  struct message error;
  for (size_t i = 0; i < text->length; i++)
    if (text->data[i] == '\r' || (text->data[i] == '\n' && i + 1 < text->length && text->data[i + 1] == '}'))
      return false; /* such a line would change when read back, or end the block */
  struct isa_program *program = trace_program_read(&block, "", &error);
  size_t count = 0;
  uint8_t *bytes = program ? isa_encode(program, &count) : NULL;
  const bool same = bytes && count == size && memcmp(bytes, object, size) == 0;
  free(bytes);
  isa_program_free(program);
  return same;
}

char *trace_program_text(const void *object, size_t size) {
  struct isa_error error;
  struct text text = {0};
  struct isa_program *program = isa_decode(object, size, "", &error);
  bool good = false;
  if (program && program->source_count == 1 && program->sources[0].text) {
    put_source(&text, program);
    good = same_object(&text, object, size);
  }
  if (program && !good) {
    text.length = 0;
    put_listing(&text, program);
    good = same_object(&text, object, size);
  }
  isa_program_free(program);
  if (good)
    return text.data;
  free(text.data);
  return NULL;
}

/* ---- reading ----------------------------------------------------------------------------------- */

/* The part before the code. */
struct head {
  const struct text_block *block;
  struct message *error;
  const char *at; /* current line */
  uint32_t line;
  char *file;
  struct isa_source *sources;
  uint32_t source_count;
  uint32_t *lines; /* of each instruction: line, column, and source number */
  uint16_t *columns, *numbers;
  uint32_t count;
};

static bool fail(const struct head *head, const char *what) {
  return message_fail(head->error, "%.300s:%" PRIu32 ": %s", head->block->path, head->line, what);
}

static char *copy(const char *at, size_t size) {
  char *text = need(size + 1, 1);
  memcpy(text, at, size);
  return text;
}

static bool take_source(struct head *head, const char *name, size_t size) {
  if (head->source_count == UINT16_MAX)
    return fail(head, "a program has 65535 sources at most");
  head->sources = need_more(head->sources, head->source_count + 1, sizeof *head->sources);
  head->sources[head->source_count++] = (struct isa_source){.name = copy(name, size)};
  return true;
}

/* Room doubles whenever the number of lines is a power of two. */
static bool take_text(struct head *head, const char *text, size_t size) {
  if (!head->source_count)
    return fail(head, "a source's line without a 'source' before it");
  struct isa_source *source = &head->sources[head->source_count - 1];
  if (!(source->lines & (source->lines - 1)))
    source->text = need_more(source->text, source->lines ? 2 * source->lines : 1, sizeof *source->text);
  source->text[source->lines++] = copy(text, size);
  return true;
}

/* The common place of consecutive instructions. */
struct stretch {
  uint32_t source, line, column, count;
};

/* SOURCE:LINE*N or SOURCE:LINE:COLUMN*N. */
static bool take_stretch(const char *word, struct stretch *stretch) {
  int used = 0;
  *stretch = (struct stretch){0};
  if (sscanf(word, "%9" SCNu32 ":%9" SCNu32 "%n", &stretch->source, &stretch->line, &used) != 2)
    return false;
  word += used;
  used = 0;
  if (*word == ':' && sscanf(word, ":%9" SCNu32 "%n", &stretch->column, &used) != 1)
    return false;
  word += used;
  used = 0;
  return sscanf(word, "*%9" SCNu32 "%n", &stretch->count, &used) == 1 && !word[used];
}

/* Reads several of them. */
static bool take_lines(struct head *head, const char *at, const char *end) {
  static const char wrong[] = "expected SOURCE:LINE*N or SOURCE:LINE:COLUMN*N, with a source from above, a column "
                              "below 65536 and no more instructions than there are";
  while (at < end) {
    struct stretch stretch;
    char word[64] = "";
    const size_t size = strcspn(at, " \n");
    memcpy(word, at, size < sizeof word ? size : 0);
    if (!take_stretch(word, &stretch) || stretch.source >= (head->source_count ? head->source_count : 1) ||
        stretch.column > UINT16_MAX || !stretch.count || stretch.count > TEXT_PROGRAM - head->count)
      return fail(head, wrong);
    head->lines = need_more(head->lines, head->count + stretch.count, sizeof *head->lines);
    head->columns = need_more(head->columns, head->count + stretch.count, sizeof *head->columns);
    head->numbers = need_more(head->numbers, head->count + stretch.count, sizeof *head->numbers);
    for (uint32_t i = 0; i < stretch.count; i++, head->count++) {
      head->lines[head->count] = stretch.line;
      head->columns[head->count] = (uint16_t)stretch.column;
      head->numbers[head->count] = (uint16_t)stretch.source;
    }
    at += size;
    at += strspn(at, " ");
  }
  return true;
}

static bool starts(const char *line, const char *word) { return strncmp(line, word, strlen(word)) == 0; }

/* Reads a line before the code; sets *code at the line that starts it. */
static bool take_head_line(struct head *head, bool *code) {
  const char *line = head->at, *end = strchr(line, '\n');
  const size_t size = (size_t)(end - line);
  *code = size == 4 && starts(line, "code");
  if (starts(line, "file ") && !head->file)
    head->file = copy(line + 5, size - 5);
  else if (starts(line, "source ")) {
    if (!take_source(head, line + 7, size - 7))
      return false;
  } else if (*line == '|') {
    if (!take_text(head, line + 1, size - 1))
      return false;
  } else if (starts(line, "lines ")) {
    if (!take_lines(head, line + 6, end))
      return false;
  } else if (!*code)
    return fail(
        head,
        "does not belong in a program's head; legal: file NAME, source NAME, |TEXT, lines SOURCE:LINE:COLUMN*N, code");
  head->at = end + 1;
  head->line++;
  return true;
}

static bool take_head(struct head *head) {
  bool code = !starts(head->at, "file ");
  while (!code && *head->at)
    if (!take_head_line(head, &code))
      return false;
  return code || fail(head, "the line 'code', which ends a program's head, is missing");
}

static void free_sources(struct isa_source *sources, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t line = 0; line < sources[i].lines; line++)
      free(sources[i].text[line]);
    free(sources[i].text);
    free(sources[i].name);
  }
  free(sources);
}

/* Reports an error with the file's line numbers: puts enough empty lines before the code, and assembles that. */
static void report_error(const struct head *head) {
  const size_t size = head->block->size - (size_t)(head->at - head->block->text);
  char *text = need(head->line + size, 1);
  struct isa_error error = {""};
  memset(text, '\n', head->line - 1);
  memcpy(text + head->line - 1, head->at, size);
  struct isa_program *program = isa_assemble(text, head->line - 1 + size, head->block->path, &error);
  snprintf(head->error->text, sizeof head->error->text, "%s", error.text);
  isa_program_free(program);
  free(text);
}

/* Replaces the sources, lines and columns that the assembler has found. */
static bool give_lines(struct head *head, struct isa_program *program) {
  if (head->count != program->count)
    return fail(head, "'lines' of the program's head do not cover its instructions");
  free_sources(program->sources, program->source_count);
  free(program->line);
  free(program->column);
  free(program->source);
  program->sources = head->sources;
  program->source_count = head->source_count;
  program->line = head->lines ? head->lines : need(1, sizeof *program->line);
  program->column = head->columns ? head->columns : need(1, sizeof *program->column);
  program->source = head->numbers ? head->numbers : need(1, sizeof *program->source);
  head->sources = NULL;
  head->source_count = 0;
  head->lines = NULL;
  head->columns = NULL;
  head->numbers = NULL;
  return true;
}

static struct isa_program *assemble(struct head *head, const char *name) {
  const size_t size = head->block->size - (size_t)(head->at - head->block->text);
  struct isa_error error;
  struct isa_program *program = isa_assemble(head->at, size, head->file ? head->file : name, &error);
  if (!program)
    report_error(head);
  if (program && (head->count || head->source_count) && !give_lines(head, program)) {
    isa_program_free(program);
    program = NULL;
  }
  return program;
}

struct isa_program *trace_program_read(const struct text_block *block, const char *name, struct message *error) {
  struct head head = {.block = block, .error = error, .at = block->text, .line = block->line};
  struct isa_program *program = take_head(&head) ? assemble(&head, name) : NULL;
  free_sources(head.sources, head.source_count);
  free(head.file);
  free(head.lines);
  free(head.columns);
  free(head.numbers);
  return program;
}
