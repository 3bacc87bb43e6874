/* Expressions over names: constraints and costs of sweeps.
 *
 *     dma.channels <= dma.queue && !(define.DEPTH > 4 || mem.l1_size == 0)
 *     define.DEPTH * 4096 + max(dma.queue, 8) * 64
 *
 * Numbers (with K, M, G), names, + - * / % ^, comparisons, && || !, parentheses, min, max, abs, log2, ceil, floor. All
 * values are doubles; a comparison is 1 or 0. With == and !=, the word of a parameter that is not a number is compared
 * with a word in quotes, or with the word of another name.
 *
 *     binds loosest   ||   &&   == != < <= > >=   + -   * / %   ! -   ^   binds tightest
 *
 * Comparisons do not chain, ^ is right-associative, and -2^2 is -4. The remainder has the sign of the dividend.
 *
 * Invariant: evaluating cannot fail, because expressions are checked when they are read. The caller checks the names,
 * and this module everything else. A division by zero, or a word in place of a number, gives NaN: it is not true, and
 * every comparison with it is false. */
#ifndef TOOLS_SWEEP_EXPRESSION_H
#define TOOLS_SWEEP_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/base/message.h"

enum { EXPRESSION_NESTING = 64, EXPRESSION_STEPS = 4096, EXPRESSION_NAMES = 64 };

struct expression;

/* The text of a name's value, or NULL when there is no such name; its value is then NaN. */
typedef const char *expression_lookup(void *context, const char *name);

/* The value of a name: its text, and the text as a number. A number without a text compares by value with a word in
 * quotes. An operand with neither has no value. */
struct expression_operand {
  const char *text;
  double number; /* NaN: a word */
};

/* Parses a text as an operand: 7, -1.5e3, 0x40, 4K, or a word. The operand points to the text. */
struct expression_operand expression_operand(const char *text);

/* Is it a whole number with a leading zero? 010 is 10 in an expression and 8 in C. */
bool expression_is_octal(const char *text);

/* Parses an expression. NULL with `message` filled: what was expected where. `at` (may be NULL) receives the position
 * of the error in bytes. */
struct expression *expression_read(const char *text, struct message *message, size_t *at);
void expression_free(struct expression *expression);

/* The `*count` names that it uses, each once; they live as long as the expression. */
const char *const *expression_names(const struct expression *expression, size_t *count);

/* The value, given an operand for each name in the order of expression_names(). */
double expression_of(const struct expression *expression, const struct expression_operand *operand);

/* Like expression_of(), but looks the names up now; their texts must live until it returns. */
double expression_value(const struct expression *expression, expression_lookup *lookup, void *context);

/* Does a constraint with this value allow a point? */
static inline bool expression_true(double value) { return value < 0 || value > 0; }

#endif
