/* Expressions over names: constraints and costs of sweeps.
 *
 *     dma.channels <= dma.queue && !(define.DEPTH > 4 || mem.l1_size == 0)
 *     define.DEPTH * 4096 + max(dma.queue, 8) * 64
 *
 * Numbers (with K, M, G), names, + - * / % ^, comparisons, && || !, parentheses, min, max, abs, log2, ceil, floor. All
 * values are doubles; a comparison is 1 or 0. Words of parameters that are no numbers compare with == and != to a word
 * in quotes.
 *
 * Invariant: an expression is checked when it is read: names by the caller, everything else here; evaluating cannot
 * fail, and a division by zero is not a number, which no comparison holds for. */
#ifndef SIM_SWEEP_EXPRESSION_H
#define SIM_SWEEP_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

struct expression;

/* The text of a name's value, or NULL when there is no such name. */
typedef const char *expression_lookup(void *context, const char *name);

/* NULL with `message` filled: what was expected where. */
struct expression *expression_read(const char *text, char *message, size_t size);
void expression_free(struct expression *expression);

/* Names that it uses, `*count` of them; they live as long as the expression. */
const char *const *expression_names(const struct expression *expression, size_t *count);

double expression_value(const struct expression *expression, expression_lookup *lookup, void *context);

#endif
