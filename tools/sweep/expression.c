#include "tools/sweep/expression.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "tools/sweep/expression_parts.h"

double expression_number(const char *text, const char **end) {
  char *behind = NULL;
  double number = strtod(text, &behind);
  static const char suffix[] = "KMG";
  const char *at = *behind ? strchr(suffix, toupper((unsigned char)*behind)) : NULL;
  if (at)
    number = ldexp(number, 10 * (int)(at - suffix + 1));
  *end = behind + (at != NULL);
  return number;
}

struct expression_operand expression_operand(const char *text) {
  const char *digits = text + (*text == '-' || *text == '+'), *end = digits;
  double number = NAN;
  if (isdigit((unsigned char)*digits) || (*digits == '.' && isdigit((unsigned char)digits[1])))
    number = expression_number(digits, &end);
  const bool whole = end > digits && !*end && isfinite(number);
  return (struct expression_operand){text, !whole ? NAN : *text == '-' ? -number : number};
}

bool expression_is_octal(const char *text) {
  const char *digits = text + (*text == '-');
  return *digits == '0' && digits[1] && !digits[strspn(digits, "0123456789")];
}

static struct expression_operand operand_of(const struct expression *expression,
                                            const struct expression_operand *operand, int which) {
  return which >= 0 ? operand[which] : (struct expression_operand){expression->words[-1 - which], NAN};
}

static bool is_nothing(struct expression_operand operand) { return !operand.text && isnan(operand.number); }

/* Compares two operands: as numbers if both are, else as words. False if an operand has no value, for == and for !=
 * alike. */
static double compare(const struct expression *expression, const struct expression_operand *operand,
                      const struct step *step) {
  struct expression_operand a = operand_of(expression, operand, step->a), b = operand_of(expression, operand, step->b);
  if (is_nothing(a) || is_nothing(b))
    return 0;
  if (step->a < 0 && !b.text)
    a.number = step->number;
  if (step->b < 0 && !a.text)
    b.number = step->number;
  const bool numbers = !isnan(a.number) && !isnan(b.number);
  const bool same =
      numbers ? !(a.number < b.number || a.number > b.number) : a.text && b.text && strcmp(a.text, b.text) == 0;
  return same == (step->kind == STEP_SAME);
}

static double of_one(enum step_kind kind, double a) {
  switch (kind) {
  case STEP_MINUS:
    return -a;
  case STEP_NOT:
    return !expression_true(a);
  case STEP_ABS:
    return fabs(a);
  case STEP_LOG2:
    return a > 0 ? log2(a) : NAN;
  case STEP_CEIL:
    return ceil(a);
  default:
    return floor(a);
  }
}

static bool is_zero(double a) { return fpclassify(a) == FP_ZERO; }

static double arithmetic(enum step_kind kind, double a, double b) {
  switch (kind) {
  case STEP_ADD:
    return a + b;
  case STEP_SUBTRACT:
    return a - b;
  case STEP_MULTIPLY:
    return a * b;
  case STEP_DIVIDE:
    return is_zero(b) ? NAN : a / b;
  case STEP_REMAINDER:
    return is_zero(b) ? NAN : fmod(a, b);
  case STEP_POWER: /* 0 to a negative power divides by zero; pow() returns numbers for NaN ^ 0 and 1 ^ NaN */
    return isnan(a) || isnan(b) || (is_zero(a) && b < 0) ? NAN : pow(a, b);
  case STEP_MIN:
    return isnan(a) || isnan(b) ? NAN : fmin(a, b);
  default:
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
  }
}

static double of_two(enum step_kind kind, double a, double b) {
  switch (kind) {
  case STEP_OR:
    return expression_true(a) || expression_true(b);
  case STEP_AND:
    return expression_true(a) && expression_true(b);
  case STEP_EQUAL:
    return a <= b && a >= b;
  case STEP_UNEQUAL:
    return a < b || a > b;
  case STEP_BELOW:
    return a < b;
  case STEP_AT_MOST:
    return a <= b;
  case STEP_ABOVE:
    return a > b;
  case STEP_AT_LEAST:
    return a >= b;
  default:
    return arithmetic(kind, a, b);
  }
}

double expression_of(const struct expression *expression, const struct expression_operand *operand) {
  double stack[EXPRESSION_STACK];
  size_t height = 0;
  for (const struct step *step = expression->steps; step < expression->steps + expression->step_count; step++) {
    if (step->kind >= STEP_OR) {
      height--;
      stack[height - 1] = of_two(step->kind, stack[height - 1], stack[height]);
    } else if (step->kind >= STEP_MINUS) {
      stack[height - 1] = of_one(step->kind, stack[height - 1]);
    } else {
      assert(height < EXPRESSION_STACK && "nesting is bounded, and so are the values that wait");
      stack[height++] = step->kind == STEP_NUMBER ? step->number
                        : step->kind == STEP_NAME ? operand[step->a].number
                                                  : compare(expression, operand, step);
    }
  }
  assert(height == 1 && "an expression leaves one value");
  return stack[0];
}

double expression_value(const struct expression *expression, expression_lookup *lookup, void *context) {
  struct expression_operand *operand = need(expression->name_count + 1, sizeof *operand);
  for (size_t i = 0; i < expression->name_count; i++) {
    const char *text = lookup(context, expression->names[i]);
    operand[i] = text ? expression_operand(text) : (struct expression_operand){NULL, NAN};
  }
  double value = expression_of(expression, operand);
  free(operand);
  return value;
}

const char *const *expression_names(const struct expression *expression, size_t *count) {
  *count = expression->name_count;
  return (const char *const *)expression->names;
}

void expression_free(struct expression *expression) {
  if (!expression)
    return;
  for (size_t i = 0; i < expression->name_count; i++)
    free(expression->names[i]);
  for (size_t i = 0; i < expression->word_count; i++)
    free(expression->words[i]);
  free(expression->names);
  free(expression->words);
  free(expression->steps);
  free(expression);
}
