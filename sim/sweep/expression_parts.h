/* What an expression is inside: steps for a stack of doubles. */
#ifndef SIM_SWEEP_EXPRESSION_PARTS_H
#define SIM_SWEEP_EXPRESSION_PARTS_H

#include "sim/sweep/expression.h"

enum step_kind {
  STEP_NUMBER, /* pushes a number */
  STEP_NAME,   /* pushes the number of names[a] */
  STEP_WORD,   /* words[a]; stands only until the comparison that it belongs to is read */
  STEP_SAME,   /* pushes whether the operands a and b are the same; not below 0: names, below: words[-1 - it], of which
                  `number` is what it says */
  STEP_NOT_SAME,
  /* Of the value on top. */
  STEP_MINUS,
  STEP_NOT,
  STEP_ABS,
  STEP_LOG2,
  STEP_CEIL,
  STEP_FLOOR,
  /* Of the two on top. */
  STEP_OR,
  STEP_AND,
  STEP_EQUAL,
  STEP_UNEQUAL,
  STEP_BELOW,
  STEP_AT_MOST,
  STEP_ABOVE,
  STEP_AT_LEAST,
  STEP_ADD,
  STEP_SUBTRACT,
  STEP_MULTIPLY,
  STEP_DIVIDE,
  STEP_REMAINDER,
  STEP_POWER,
  STEP_MIN,
  STEP_MAX,
};

struct step {
  enum step_kind kind;
  int a, b;
  double number;
};

/* Values that wait for their right side: at most one for each level of binding and of nesting. */
enum { EXPRESSION_LEVELS = 8, EXPRESSION_STACK = EXPRESSION_LEVELS * (EXPRESSION_NESTING + 1) };

struct expression {
  struct step *steps;
  size_t step_count;
  char **names, **words;
  size_t name_count, word_count;
};

/* The number that a text begins with, which has a digit or a point first; `*end` is behind it. */
double expression_number(const char *text, const char **end);

#endif
