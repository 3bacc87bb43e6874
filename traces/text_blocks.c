/* Statements with a block: metas, programs, and those of hooks. */
#include "traces/text_meta.h"
#include "traces/text_reader.h"

static bool is_end(const struct bytes *line) {
  size_t size = line->size;
  while (size && strchr(" \t\r", line->at[size - 1]))
    size--;
  return size == 1 && *line->at == '}';
}

/* Takes the lines up to one that is `}`, without their indentation of two blanks. */
static bool take_block(struct text_reader *reader, struct text_block *block) {
  const uint64_t head = reader->lex.line;
  bool good = true;
  reader->block.size = 0;
  while (text_next_line(reader, &good) && !is_end(&reader->line)) {
    const uint8_t *at = reader->line.at;
    size_t size = reader->line.size, blanks = 0;
    while (blanks < 2 && blanks < size && at[blanks] == ' ')
      blanks++;
    if (size > blanks && at[size - 1] == '\r')
      size--;
    if (reader->block.size + size > TEXT_BLOCK_BYTES)
      return lex_fail(&reader->lex, "the block has more than %d bytes", TEXT_BLOCK_BYTES);
    bytes_add(&reader->block, at + blanks, size - blanks);
    bytes_add(&reader->block, "\n", 1);
  }
  if (good && !is_end(&reader->line)) {
    reader->lex.line = head;
    good = lex_fail(&reader->lex, "the block that begins here does not end; legal: a line with only '}'");
  }
  if (!good)
    return false;
  bytes_add(&reader->block, "", 1);
  *block =
      (struct text_block){reader->lex.path, (const char *)reader->block.at, reader->block.size - 1, (uint32_t)head + 1};
  return true;
}

/* Takes a name: a plain word or a string. */
static bool take_name(struct text_reader *reader, const char *what, struct bytes *name) {
  struct lex *lex = &reader->lex;
  if (!lex_more(lex))
    return lex_fail(lex, "%s is missing", what);
  if (*lex->at == '"') {
    const char *wrong = text_take_string(&lex->at, lex->end, name);
    if (wrong)
      return lex_fail(lex, "%s: expected %s", what, wrong);
  } else {
    const struct slice word = lex_word(lex);
    bytes_add(name, word.at, word.size);
  }
  if (memchr(name->at ? name->at : (const uint8_t *)"", 0, name->size))
    return lex_fail(lex, "%s has a zero byte", what);
  bytes_add(name, "", 1);
  return true;
}

bool text_expect_brace(struct text_reader *reader) {
  struct lex *lex = &reader->lex;
  if (!lex_more(lex) || !slice_is(lex_word(lex), "{"))
    return lex_fail(lex, "expected a block, which begins with '{' at the line's end");
  return text_expect_end(reader);
}

/* ---- metas --------------------------------------------------------------------------------------- */

static bool take_own_form(struct text_reader *reader, const char *form, const char *name) {
  struct text_block block;
  struct bytes bytes = {0};
  if (!take_block(reader, &block))
    return false;
  const char *wrong = text_take_meta(form, block.text, block.size, &bytes);
  if (!wrong)
    trace_write_meta(reader->writer, name, bytes.at, bytes.size);
  free(bytes.at);
  return !wrong || lex_fail(&reader->lex, "the block that ends here: expected %s", wrong);
}

static bool take_hooked_form(struct text_reader *reader, const char *form, const char *name) {
  struct text_block block;
  size_t size = 0;
  if (!take_block(reader, &block))
    return false;
  void *bytes = reader->hooks->take_meta(reader->hooks->self, form, name, &block, &size, reader->lex.error);
  if (!bytes)
    return false;
  trace_write_meta(reader->writer, name, bytes, size);
  free(bytes);
  return true;
}

static bool take_string_meta(struct text_reader *reader, const char *name) {
  struct bytes bytes = {0};
  const char *wrong = text_take_string(&reader->lex.at, reader->lex.end, &bytes);
  bool good = wrong ? lex_fail(&reader->lex, "expected %s", wrong) : text_expect_end(reader);
  if (good)
    trace_write_meta(reader->writer, name, bytes.at, bytes.size);
  free(bytes.at);
  return good;
}

static bool take_meta_of(struct text_reader *reader, const char *name) {
  const char *const *more = reader->hooks->forms;
  const char *words[16] = {NULL};
  size_t count = 0, number;
  if (lex_more(&reader->lex) && *reader->lex.at == '"')
    return take_string_meta(reader, name);
  while (text_forms[count])
    words[count] = text_forms[count], count++;
  const size_t own = count;
  for (; more && *more; more++)
    words[count++] = *more;
  const struct slice form = lex_more(&reader->lex) ? lex_word(&reader->lex) : (struct slice){"", 0};
  if (!lex_one_of(&reader->lex, "meta", form, words, &number) || !text_expect_brace(reader))
    return false;
  return number < own ? take_own_form(reader, words[number], name) : take_hooked_form(reader, words[number], name);
}

bool text_take_meta_line(struct text_reader *reader) {
  struct bytes name = {0};
  const bool good = take_name(reader, "the meta's name", &name) && take_meta_of(reader, (const char *)name.at);
  free(name.at);
  return good;
}

/* ---- programs ------------------------------------------------------------------------------------ */

static bool add_kinds(struct lex *lex, struct slice word, struct bytes *kinds) {
  const char *names[TRACE_KINDS + 1] = {NULL}, *star = memchr(word.at, '*', word.size);
  const struct slice name = {word.at, star ? (size_t)(star - word.at) : word.size};
  size_t kind = 0;
  uint64_t times = 1;
  for (unsigned i = 0; i < TRACE_KINDS; i++)
    names[i] = trace_kind_rows[i].name;
  if (!lex_one_of(lex, "program", name, names, &kind) ||
      (star && !lex_number(lex, "program", (struct slice){star + 1, word.size - name.size - 1}, 1, TEXT_PROGRAM,
                           "a number of instructions", &times)))
    return false;
  if (kinds->size + times > TEXT_PROGRAM)
    return lex_fail(lex, "the program has more than %d instructions", TEXT_PROGRAM);
  bytes_reserve(kinds, (size_t)times);
  memset(kinds->at + kinds->size, (int)kind, (size_t)times);
  kinds->size += (size_t)times;
  return true;
}

bool text_take_program(struct text_reader *reader) {
  struct text_block block = {.text = ""};
  struct bytes kinds = {0};
  bool good = text_expect_brace(reader) && take_block(reader, &block);
  struct lex lex = reader->lex;
  lex.line = good ? block.line : lex.line;
  for (const char *at = block.text; good && *at; at += *at == '\n', lex.line++) {
    lex.at = at;
    lex.end = at = strchr(at, '\n');
    while (good && lex_more(&lex))
      good = add_kinds(&lex, lex_word(&lex), &kinds);
  }
  if (good)
    trace_write_program(reader->writer, kinds.at, (uint32_t)kinds.size);
  free(kinds.at);
  return good;
}

/* ---- statements of hooks ------------------------------------------------------------------------------- */

bool text_take_hooked(struct text_reader *reader, const char *head) {
  struct bytes name = {0};
  struct text_block block;
  struct lex *lex = &reader->lex;
  bool good = true;
  if (lex_more(lex) && *lex->at != '{')
    good = take_name(reader, "the block's name", &name);
  else
    bytes_add(&name, "", 1);
  good = good && text_expect_brace(reader) && take_block(reader, &block) &&
         reader->hooks->take_block(reader->hooks->self, head, (const char *)name.at, &block, reader->writer,
                                   reader->lex.error);
  free(name.at);
  return good;
}
