#include "isa/asm/lexer.h"

#include <stdlib.h>
#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool in_word(char c) { return is_letter(c) || is_digit(c) || c == '.'; }

/* Whether the number starts with a base prefix. Then an `e` in it is not an exponent. */
static bool has_base(const char *text, size_t length) {
  return length > 1 && text[0] == '0' && strchr("xXbBhHfFdD", text[1]);
}

static const char *number_end(const char *at, const char *end) {
  const char *start = at;
  while (at < end && in_word(*at)) {
    const bool exponent = (*at == 'e' || *at == 'E') && !has_base(start, (size_t)(end - start));
    at++;
    if (exponent && at < end && (*at == '+' || *at == '-'))
      at++;
  }
  return at;
}

static struct token scan(struct lexer *lexer) {
  while (lexer->at < lexer->end && (*lexer->at == ' ' || *lexer->at == '\t' || *lexer->at == '\r'))
    lexer->at++;
  const char *at = lexer->at, *end = lexer->end;
  struct token token = {.text = at, .line = lexer->line, .column = (uint32_t)(at - lexer->start) + 1};
  if (at == end || *at == ';' || (*at == '/' && end - at > 1 && at[1] == '/'))
    return token;
  if (is_digit(*at)) {
    token.kind = TOKEN_NUMBER;
    at = number_end(at, end);
  } else if (is_letter(*at) || *at == '.') {
    token.kind = TOKEN_WORD;
    while (at < end && in_word(*at))
      at++;
  } else {
    token.kind = TOKEN_SIGN;
    at++;
  }
  token.length = (size_t)(at - token.text);
  lexer->at = at;
  return token;
}

void lexer_start(struct lexer *lexer, const char *line, size_t length, uint32_t number) {
  *lexer = (struct lexer){.at = line, .end = line + length, .start = line, .line = number};
  lexer->next = scan(lexer);
}

struct token lexer_take(struct lexer *lexer) {
  const struct token token = lexer->next;
  if (token.kind != TOKEN_END)
    lexer->next = scan(lexer);
  return token;
}

bool lexer_take_sign(struct lexer *lexer, char sign) {
  if (!token_is_sign(lexer->next, sign))
    return false;
  lexer_take(lexer);
  return true;
}

struct token lexer_signed(const struct lexer *lexer) {
  struct token token = lexer->next;
  struct lexer ahead = *lexer;
  if (lexer_take_sign(&ahead, '-') && ahead.next.kind != TOKEN_END)
    token.length = (size_t)(ahead.next.text - token.text) + ahead.next.length;
  return token;
}

bool token_is(struct token token, const char *text) {
  return token.length == strlen(text) && strncmp(token.text, text, token.length) == 0;
}

bool token_is_sign(struct token token, char sign) { return token.kind == TOKEN_SIGN && token.text[0] == sign; }

static int digit_value(char c) {
  if (is_digit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

static bool digits(const char *text, size_t length, unsigned base, uint64_t *value) {
  *value = 0;
  for (size_t i = 0; i < length; i++) {
    const int digit = digit_value(text[i]);
    if (digit >= (int)base || *value > (UINT64_MAX - (unsigned)digit) / base)
      return false;
    *value = *value * base + (unsigned)digit;
  }
  return length > 0;
}

bool token_integer(struct token token, uint64_t *value) {
  if (token.kind != TOKEN_NUMBER)
    return false;
  if (token.length > 2 && token.text[0] == '0' && (token.text[1] == 'x' || token.text[1] == 'X'))
    return digits(token.text + 2, token.length - 2, 16, value);
  if (token.length > 2 && token.text[0] == '0' && (token.text[1] == 'b' || token.text[1] == 'B'))
    return digits(token.text + 2, token.length - 2, 2, value);
  return digits(token.text, token.length, 10, value);
}

bool token_real(struct token token, double *value) {
  char text[64];
  if (token.kind != TOKEN_NUMBER || token.length >= sizeof text || has_base(token.text, token.length))
    return false;
  memcpy(text, token.text, token.length);
  text[token.length] = '\0';
  char *end = NULL;
  *value = strtod(text, &end);
  return *end == '\0';
}

bool token_bits(struct token token, char *letter, uint64_t *bits) {
  if (token.kind != TOKEN_NUMBER || token.length < 3 || token.text[0] != '0')
    return false;
  *letter = (char)(token.text[1] | 0x20);
  const size_t wanted = *letter == 'h' ? 4 : *letter == 'f' ? 8 : *letter == 'd' ? 16 : 0;
  return wanted && token.length == wanted + 2 && digits(token.text + 2, wanted, 16, bits);
}

bool token_looks_real(struct token token) {
  if (token.kind != TOKEN_NUMBER)
    return false;
  if (has_base(token.text, token.length))
    return strchr("hHfFdD", token.text[1]) != NULL;
  return memchr(token.text, '.', token.length) || memchr(token.text, 'e', token.length) ||
         memchr(token.text, 'E', token.length);
}
