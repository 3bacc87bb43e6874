/* The inside of an expression: steps of a stack machine over doubles. */
#ifndef TOOLS_SWEEP_EXPRESSION_PARTS_H
#define TOOLS_SWEEP_EXPRESSION_PARTS_H

#include "tools/sweep/expression.h"

enum step_kind {
  STEP_NUMBER, /* pushes a number */
  STEP_NAME,   /* pushes the number of names[a] */
  STEP_WORD,   /* words[a]; replaced when the comparison around it is read */
  STEP_SAME,   /* pushes whether operands a and b are equal; an operand >= 0 is a name, one below 0 is words[-1 -
                * operand], and `number` is that word's value */
  STEP_NOT_SAME,
  /* Replace the value on top. */
  STEP_MINUS,
  STEP_NOT,
  STEP_ABS,
  STEP_LOG2,
  STEP_CEIL,
  STEP_FLOOR,
  /* Replace the two values on top. */
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

/* Most values on the stack: one for each level of binding and of nesting. */
enum { EXPRESSION_LEVELS = 8, EXPRESSION_STACK = EXPRESSION_LEVELS * (EXPRESSION_NESTING + 1) };

struct expression {
  struct step *steps;
  size_t step_count, step_room;
  char **names, **words;
  size_t name_count, word_count;
};

/* The number at the start of a text, which begins with a digit or a point; `*end` points after it. */
double expression_number(const char *text, const char **end);

#endif
