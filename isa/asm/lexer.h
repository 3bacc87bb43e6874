/* Words, numbers and signs of one source line.
 *
 * A word is made of letters, digits, `_` and `.`; a number starts with a digit; anything else is a sign
 * of one character. `;` and `//` start a comment. */
#ifndef ISA_ASM_LEXER_H
#define ISA_ASM_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_NUMBER, TOKEN_SIGN };

struct token {
  enum token_kind kind;
  const char *text;
  size_t length;
  uint32_t line, column; /* from 1 */
};

struct lexer {
  const char *at, *end; /* of the line */
  const char *start;
  uint32_t line;
  struct token next; /* the next token, not taken yet */
};

void lexer_start(struct lexer *lexer, const char *line, size_t length, uint32_t number);

/* Takes the next token. At the end of the line, always returns TOKEN_END. */
struct token lexer_take(struct lexer *lexer);

/* Takes the next token if it is this sign. */
bool lexer_take_sign(struct lexer *lexer, char sign);

/* For messages about numbers: the next token, extended by the one after it if it is a minus. */
struct token lexer_signed(const struct lexer *lexer);

bool token_is(struct token token, const char *text);
bool token_is_sign(struct token token, char sign);

/* An integer: decimal, 0x or 0b. Returns false if it is malformed or exceeds 64 bits. */
bool token_integer(struct token token, uint64_t *value);

/* The value of a real number: 1.5, 2e-3 or 7. */
bool token_real(struct token token, double *value);

/* The bits after 0h, 0f or 0d, which must have 4, 8 or 16 digits. *letter is the h, f or d. */
bool token_bits(struct token token, char *letter, uint64_t *bits);

/* Whether a number is written as a real: with a point, with an exponent, or as bits. */
bool token_looks_real(struct token token);

#endif
