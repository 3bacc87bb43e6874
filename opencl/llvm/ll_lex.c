/* Tokens of LLVM's assembly, names, and failure. */
#include "opencl/llvm/ll.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

/* ---- failure ------------------------------------------------------------------------------------- */

static bool fail(struct ll *ll, uint32_t line, const char *format, va_list arguments) {
  char what[256];
  if (!ll->failed) {
    vsnprintf(what, sizeof what, format, arguments);
    snprintf(ll->error->text, sizeof ll->error->text, "%.200s:%u: %s", ll->file, line, what);
  }
  ll->failed = true;
  ll->next = ll->end;
  ll->token = (struct ll_token){.kind = LL_END, .at = ll->end, .line = line};
  return false;
}

bool ll_fail(struct ll *ll, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fail(ll, ll->token.line, format, arguments);
  va_end(arguments);
  return false;
}

bool ll_fail_at(struct ll *ll, uint32_t line, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fail(ll, line, format, arguments);
  va_end(arguments);
  return false;
}

/* ---- tokens -------------------------------------------------------------------------------------- */

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '-'; }

/* Skips blanks and comments. */
static void skip_blanks(struct ll *ll) {
  for (; ll->next < ll->end; ll->next++) {
    if (*ll->next == ';')
      while (ll->next < ll->end && *ll->next != '\n')
        ll->next++;
    if (ll->next == ll->end || !isspace((unsigned char)*ll->next))
      return;
    ll->next_line += *ll->next == '\n';
  }
}

static const char *name_end(const struct ll *ll, const char *at) {
  while (at < ll->end && is_name(*at))
    at++;
  return at;
}

/* Reads a quoted text that begins at ll->next. */
static void read_quoted(struct ll *ll, enum ll_kind kind) {
  const char *at = ll->next + 1, *end = at < ll->end ? memchr(at, '"', (size_t)(ll->end - at)) : NULL;
  if (!end) {
    ll_fail_at(ll, ll->next_line, "a quoted text does not end");
    return;
  }
  ll->token = (struct ll_token){kind, at, (size_t)(end - at), ll->next_line};
  for (const char *c = at; c < end; c++)
    ll->next_line += *c == '\n';
  ll->next = end + 1;
  if (kind == LL_STRING && ll->next < ll->end && *ll->next == ':') {
    ll->token.kind = LL_LABEL;
    ll->next++;
  }
}

/* A name behind a sigil, perhaps quoted. */
static void read_named(struct ll *ll, enum ll_kind kind) {
  ll->next++;
  if (ll->next < ll->end && *ll->next == '"') {
    read_quoted(ll, kind);
    return;
  }
  const char *at = ll->next;
  ll->next = name_end(ll, at);
  ll->token = (struct ll_token){kind, at, (size_t)(ll->next - at), ll->next_line};
}

/* -12, 1.5e+10, 0x3F..., 0xH3C00 or a word; either may be a label. */
static void read_word(struct ll *ll) {
  const char *at = ll->next, *end = at + (*at == '-' || *at == '+');
  const bool number = end < ll->end && isdigit((unsigned char)*end);
  bool real = false;
  if (!number)
    end = name_end(ll, at);
  for (; number && end < ll->end &&
         (isalnum((unsigned char)*end) || *end == '.' ||
          ((*end == '-' || *end == '+') && (end[-1] == 'e' || end[-1] == 'E')));
       end++)
    real |= *end == '.' || *end == 'x';
  ll->token = (struct ll_token){number ? real ? LL_FLOAT : LL_INTEGER : LL_WORD, at, (size_t)(end - at), ll->next_line};
  ll->next = end;
  const char *label = name_end(ll, at);
  if (label < ll->end && *label == ':' && label > at && (!number || label == end)) {
    ll->token.kind = LL_LABEL;
    ll->next = label + 1;
  }
}

static void read_token(struct ll *ll) {
  skip_blanks(ll);
  if (ll->next == ll->end) {
    ll->token = (struct ll_token){.kind = LL_END, .at = ll->end, .line = ll->next_line};
    return;
  }
  const char c = *ll->next;
  const size_t left = (size_t)(ll->end - ll->next);
  switch (c) {
  case '%':
    read_named(ll, LL_LOCAL);
    return;
  case '@':
    read_named(ll, LL_GLOBAL);
    return;
  case '$':
    read_named(ll, LL_COMDAT);
    return;
  case '!':
    if (left > 1 && ll->next[1] == '"') { /* !"text" */
      ll->next++;
      read_quoted(ll, LL_STRING);
      return;
    }
    read_named(ll, LL_META);
    return;
  case '#':
    read_named(ll, LL_GROUP);
    return;
  case '"':
    read_quoted(ll, LL_STRING);
    return;
  default:
    break;
  }
  if (c == 'c' && left > 1 && ll->next[1] == '"') {
    ll->next++;
    read_quoted(ll, LL_BYTES);
    return;
  }
  if (is_name(c) || (c == '+' && left > 1 && isdigit((unsigned char)ll->next[1]))) {
    if (left > 2 && c == '.' && !memcmp(ll->next, "...", 3)) {
      ll->token = (struct ll_token){LL_SIGN, ll->next, 3, ll->next_line};
      ll->next += 3;
      return;
    }
    read_word(ll);
    return;
  }
  ll->token = (struct ll_token){LL_SIGN, ll->next++, 1, ll->next_line};
}

/* A file of n bytes must not take n * n steps, because many of its parts name one long one. */
void ll_advance(struct ll *ll) {
  enum { MOST_TIMES = 256, SMALL = 1 << 20 };
  const char *before = ll->next;
  read_token(ll);
  ll->read += (uint64_t)(ll->next - before);
  if (ll->read > SMALL + MOST_TIMES * (uint64_t)(ll->end - ll->text))
    ll_fail(ll, "long metadata or annotations are named too often");
}

struct ll_mark ll_go(struct ll *ll, const char *at, uint32_t line) {
  const struct ll_mark mark = {ll->token, ll->next, ll->next_line, ll->block};
  ll->block = 0;
  ll->next = ll->failed ? ll->end : at;
  ll->next_line = line;
  ll_advance(ll);
  return mark;
}

void ll_return(struct ll *ll, struct ll_mark mark) {
  ll->block = mark.block;
  if (ll->failed)
    return;
  ll->token = mark.token;
  ll->next = mark.next;
  ll->next_line = mark.line;
}

const char *ll_behind(const struct ll_token *name) { return name->at + name->length + (name->at[-1] == '"'); }

bool ll_token_is(const struct ll_token *token, const char *word) {
  return token->length == strlen(word) && !memcmp(token->at, word, token->length);
}

bool ll_is(const struct ll *ll, const char *word) {
  return (ll->token.kind == LL_WORD || ll->token.kind == LL_SIGN) && ll_token_is(&ll->token, word);
}

bool ll_take(struct ll *ll, const char *word) {
  if (!ll_is(ll, word))
    return false;
  ll_advance(ll);
  return true;
}

const char *ll_text(const struct ll_token *token, char room[80]) {
  size_t length = 0;
  for (; length < token->length && length < 60; length++)
    room[length] = isprint((unsigned char)token->at[length]) ? token->at[length] : '?';
  snprintf(room + length, 80 - length, "%s", token->kind == LL_END ? "the end" : "");
  return room;
}

bool ll_expect(struct ll *ll, const char *word) {
  char room[80];
  return ll_take(ll, word) || ll_fail(ll, "'%s' is expected, not '%s'", word, ll_text(&ll->token, room));
}

bool ll_take_number(struct ll *ll, uint64_t *number) {
  *number = 0;
  if (ll->token.kind != LL_INTEGER || *ll->token.at == '-')
    return ll_fail(ll, "a number is expected");
  for (size_t i = 0; i < ll->token.length; i++) {
    const char c = ll->token.at[i];
    if (c < '0' || c > '9' || *number > (UINT64_MAX - 9) / 10)
      return ll_fail(ll, "a number of at most 64 bits is expected");
    *number = *number * 10 + (uint64_t)(c - '0');
  }
  ll_advance(ll);
  return true;
}

bool ll_take_comma(struct ll *ll) {
  const char *next = ll->next;
  while (next < ll->end && isspace((unsigned char)*next))
    next++;
  return !(next < ll->end && *next == '!') && ll_take(ll, ",");
}

void ll_skip_brackets(struct ll *ll) {
  uint64_t open = 0;
  do {
    if (ll->token.kind == LL_SIGN)
      switch (*ll->token.at) {
      case '(':
      case '[':
      case '{':
      case '<':
        open++;
        break;
      case ')':
      case ']':
      case '}':
      case '>':
        open--;
        break;
      default:
        break;
      }
    ll_advance(ll);
  } while (open && ll->token.kind != LL_END);
  if (open)
    ll_fail(ll, "a bracket does not close");
}

/* ---- texts --------------------------------------------------------------------------------------- */

static int hex(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                : -1;
}

size_t ll_unescape(const struct ll_token *token, char *to) {
  size_t length = 0;
  for (size_t i = 0; i < token->length; i++) {
    const bool escape =
        token->at[i] == '\\' && i + 2 < token->length && hex(token->at[i + 1]) >= 0 && hex(token->at[i + 2]) >= 0;
    if (escape) {
      to[length++] = (char)(hex(token->at[i + 1]) << 4 | hex(token->at[i + 2]));
      i += 2;
    } else if (token->at[i] == '\\' && i + 1 < token->length && token->at[i + 1] == '\\') {
      to[length++] = token->at[++i];
    } else {
      to[length++] = token->at[i];
    }
  }
  return length;
}

char *ll_string(const struct ll_token *token) {
  char *text = need(token->length + 1, 1);
  text[ll_unescape(token, text)] = '\0';
  return text;
}

/* ---- names --------------------------------------------------------------------------------------- */

struct ll_name *ll_find(struct ll_names *names, const char *at, size_t length) {
  const uint64_t hash = hash_bytes(at, length);
  for (size_t step = 0, i; map_next(&names->map, hash, &step, &i);)
    if (names->at[i].length == length && !memcmp(names->at[i].at, at, length))
      return &names->at[i];
  return NULL;
}

struct ll_name *ll_name(struct ll_names *names, const char *at, size_t length) {
  struct ll_name *found = ll_find(names, at, length);
  if (found)
    return found;
  map_add(&names->map, hash_bytes(at, length), names->count);
  struct ll_name *name = vector_next(names->at, names->count, names->room);
  *name = (struct ll_name){.at = at, .length = length};
  return name;
}

void ll_names_clear(struct ll_names *names) {
  map_clear(&names->map);
  names->count = 0;
}

void ll_names_free(struct ll_names *names) {
  map_free(&names->map);
  free(names->at);
}
