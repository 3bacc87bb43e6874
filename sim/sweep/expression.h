/* Expressions over names: constraints and costs of sweeps.
 *
 *     dma.channels <= dma.queue && !(define.DEPTH > 4 || mem.l1_size == 0)
 *     define.DEPTH * 4096 + max(dma.queue, 8) * 64
 *
 * Numbers (with K, M, G), names, + - * / % ^, comparisons, && || !, parentheses, min, max, abs, log2, ceil, floor. All
 * values are doubles; a comparison is 1 or 0. Words of parameters that are no numbers compare with == and != to a word
 * in quotes, or to another name's word.
 *
 *     binds loosest   ||   &&   == != < <= > >=   + -   * / %   ! -   ^   binds tightest
 *
 * Comparisons do not chain, ^ is right-associative, and -2^2 is -4. The remainder has the sign of the dividend.
 *
 * Invariant: an expression is checked when it is read: names by the caller, everything else here; evaluating cannot
 * fail. A division by zero, and a word where a number is wanted, is not a number: no comparison holds for it, and it is
 * not true. */
#ifndef SIM_SWEEP_EXPRESSION_H
#define SIM_SWEEP_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

enum { EXPRESSION_NESTING = 64, EXPRESSION_STEPS = 4096, EXPRESSION_NAMES = 64, EXPRESSION_MESSAGE = 256 };

struct expression;

/* The text of a name's value, or NULL when there is no such name: it is not a number then. */
typedef const char *expression_lookup(void *context, const char *name);

/* A name's value: its text, and the number that the text is. A number that was never written has no text: a word in
 * quotes beside it is meant as the number that it says. Without either there is no value. */
struct expression_operand {
  const char *text;
  double number; /* not a number: a word */
};

/* The operand that a text is: 7, -1.5e3, 0x40, 4K, or a word. It points to the text. */
struct expression_operand expression_operand(const char *text);

/* A whole number that begins with a 0 that says nothing: 010 is 10 in an expression, and 8 in C. */
bool expression_is_octal(const char *text);

/* NULL with `message` filled: what was expected where. `at` (it may be NULL) gets how many bytes stand before that. */
struct expression *expression_read(const char *text, char *message, size_t size, size_t *at);
void expression_free(struct expression *expression);

/* Names that it uses, `*count` of them, each once; they live as long as the expression. */
const char *const *expression_names(const struct expression *expression, size_t *count);

/* The value, with an operand for each name in the order of expression_names(). */
double expression_of(const struct expression *expression, const struct expression_operand *operand);

/* The same with names looked up now: their texts must live until it returns. */
double expression_value(const struct expression *expression, expression_lookup *lookup, void *context);

/* Whether a constraint of this value lets a point in. */
static inline bool expression_true(double value) { return value < 0 || value > 0; }

#endif
