/* Expressions: values by a table, messages by a table, and random trees compared with a separate evaluator. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "tests/ct.h"
#include "tools/sweep/expression.h"

enum { NOT_A_NUMBER = -99999 };

static const char *const names[][2] = {{"two", "2"},     {"dma.queue", "8"},       {"define.DEPTH", "4"},
                                       {"size", "4K"},   {"cu.policy", "greedy"},  {"other", "greedy"},
                                       {"eight", "8.0"}, {"launch.2.arg.t", "-1"}, {"_hex", "0x10"},
                                       {"min", "5"},     {"float", "0.5f"}};

static const char *look_up(void *context, const char *name) {
  (void)context;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i][0], name) == 0)
      return names[i][1];
  return NULL;
}

static double value_of(const char *text) {
  struct message message[1] = {{""}};
  struct expression *expression = expression_read(text, message, NULL);
  EXPECT_STREQ(message->text, "");
  if (!expression)
    return NAN;
  double value = expression_value(expression, look_up, NULL);
  expression_free(expression);
  return value;
}

static const struct {
  const char *text;
  double value;
} values[] = {
    {"1 + 2 * 3", 7},
    {"(1 + 2) * 3", 9},
    {"10 - 4 - 3", 3},
    {"64 / 4 / 2", 8},
    {"17 % 5 * 2", 4},
    {"-7 % 3", -1},
    {"2 ^ 3 ^ 2", 512},
    {"-2 ^ 2", -4},
    {"2 ^ -1", 0.5},
    {"1.5K + 1M + 1G", 1536 + 1048576 + 1073741824.0},
    {"4k", 4096},
    {"0x10 + 1e3 + .5", 1016.5},
    {"two - -two", 4},
    {"define.DEPTH * 4096 + max(dma.queue, 8) * 64", 4 * 4096 + 8 * 64},
    {"size", 4096},
    {"_hex + launch.2.arg.t", 15},
    {"min + min(3, min, 4)", 8},
    {"max(1, 9, 3, two)", 9},
    {"abs(-3) + log2(8) + ceil(1.2) + floor(-1.2)", 3 + 3 + 2 - 2},
    {"1 < 2", 1},
    {"2 <= 1", 0},
    {"two == 2 && dma.queue > 7", 1},
    {"two != 2 || dma.queue >= 9", 0},
    {"1 || 0 && 0", 1},
    {"(1 < 2) == 1", 1},
    {"!0 + !3", 1},
    {"!two == 0", 1},
    {"!(two > 4 || size == 0)", 1},
    {"dma.queue == eight", 1}, /* as numbers, in any notation */
    {"dma.queue != eight", 0},
    {"cu.policy == 'greedy'", 1},
    {"\"fair\" == cu.policy", 0},
    {"cu.policy != \"fair\"", 1},
    {"(cu.policy) == other", 1},
    {"cu.policy != other", 0},
    {"dma.queue == '8'", 1}, /* as words, as written */
    {"'a' == 'a'", 1},
    {"cu.policy == two", 0},
    {"cu.policy != two", 1},
    /* Not a number equals nothing, not even itself. */
    {"1 / 0", NOT_A_NUMBER},
    {"1 % 0", NOT_A_NUMBER},
    {"0 ^ -1", NOT_A_NUMBER},
    {"(1 / 0) ^ 0", NOT_A_NUMBER},
    {"log2(0)", NOT_A_NUMBER},
    {"max(1, 1 / 0)", NOT_A_NUMBER},
    {"cu.policy + 1", NOT_A_NUMBER},
    {"float", NOT_A_NUMBER},
    {"nobody", NOT_A_NUMBER},
    {"1 / 0 == 1 / 0", 0},
    {"1 / 0 != 1 / 0", 0},
    {"1 / 0 < 1", 0},
    {"!(1 / 0)", 1},
    {"1 / 0 || 0", 0},
    {"nobody == nobody", 0},
    {"nobody != 'x'", 0},
};

TEST(sweep_expression, values_match_the_table) {
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    ct_note("%s", values[i].text);
    const double value = value_of(values[i].text);
    ct_note("%s is %g", values[i].text, value);
    EXPECT_TRUE(values[i].value == NOT_A_NUMBER ? isnan(value) : value == values[i].value);
  }
}

#define DEEP "(((((((((((((((((((((((((((((((("

static const struct {
  const char *text, *message;
} faults[] = {
    {"", "expected a number, a name or '(', at its end"},
    {"dma.channels <=", "expected a number, a name or '(', at its end"},
    {"1 + * 2", "expected a number, a name or '(', at '* 2'"},
    {"(1 + 2", "expected ')', at its end"},
    {"1 + 2)", "expected an operator, at ')'"},
    {"two = 2", "expected an operator ('==' compares), at '= 2'"},
    {"two three", "expected an operator, at 'three'"},
    {"12abc", "not a number, at '12abc'"},
    {"1..6", "not a number, at '1..6'"},
    {". + 1", "not a number, at '. + 1'"},
    {"1e999", "a number that is too large, at '1e999'"},
    {"1 < two < 3", "comparisons do not chain; write a < b && b < c, at '< 3'"},
    {"1 < 2 == 1", "comparisons do not chain; write a < b && b < c, at '== 1'"},
    {"sqrt(2)", "no such function (there are min, max, abs, log2, ceil, floor), at 'sqrt(2)'"},
    {"min(2)", "min() takes 2 arguments or more, at ')'"},
    {"min()", "expected a number, a name or '(', at ')'"},
    {"abs(1, 2)", "expected ')' after abs()'s argument, at ', 2)'"},
    {"max(1, 2", "expected ')' after max()'s arguments, at its end"},
    {"'greedy", "a quote that is not closed, at ''greedy'"},
    {"'a'", "a word in quotes can only be compared with a name, by == or !=, at its end"},
    {"-'a'", "a word in quotes can only be compared with a name, by == or !=, at its end"},
    {"1 + 'a' + 2", "a word in quotes can only be compared with a name, by == or !=, at '+ 2'"},
    {"'a' * 2", "a word in quotes can only be compared with a name, by == or !=, at ' 2'"},
    {"'a' ^ 2", "a word in quotes can only be compared with a name, by == or !=, at ' 2'"},
    {"2 ^ 'a'", "a word in quotes can only be compared with a name, by == or !=, at its end"},
    {"two && 'a'", "a word in quotes can only be compared with a name, by == or !=, at its end"},
    {"two < 'a'", "a word in quotes can only be compared with a name, by == or !=, at its end"},
    {"two + 1 == 'a'", "a word in quotes can only be compared with a name, by == or !=, at its end"},
    {"min('a', 2)", "a word in quotes can only be compared with a name, by == or !=, at ', 2)'"},
    {"two & 1", "expected an operator, at '& 1'"},
    {DEEP DEEP DEEP "1", "nested deeper than 64, at '((((((((((((((((((((((((((((((((1'"},
    {"a_name_that_is_longer_than_what_is_shown $ of the rest of a text that is longer",
     "expected an operator, at '$ of the rest of a text that is longer'"},
    {"$ 345678901234567890123456789012345678901234567890",
     "expected a number, a name or '(', at '$ 34567890123456789012345678901234567890...'"},
};

TEST(sweep_expression, errors_report_what_was_expected_and_where) {
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    struct message message[1] = {{""}};
    ct_note("%s", faults[i].text);
    struct expression *expression = expression_read(faults[i].text, message, NULL);
    EXPECT_TRUE(!expression);
    EXPECT_STREQ(message->text, faults[i].message);
    expression_free(expression);
  }
}

TEST(sweep_expression, too_many_terms_are_refused) {
  struct message message[1];
  char text[3 * EXPRESSION_STEPS];
  for (size_t i = 0; i + 2 < sizeof text; i += 2)
    memcpy(text + i, "1+", 2);
  strcpy(text + sizeof text - 2, "1");
  EXPECT_TRUE(!expression_read(text, message, NULL));
  EXPECT_CONTAINS(message->text, "longer than 4096 terms and signs");
}

TEST(sweep_expression, names_are_listed_once_in_order_of_first_use) {
  struct message message[1];
  struct expression *expression = expression_read("b + max(a.c, b) * a.c == 3 || d != 'word'", message, NULL);
  ASSERT_TRUE(expression);
  size_t count = 0;
  const char *const *name = expression_names(expression, &count);
  ASSERT_EQ(count, 3);
  EXPECT_STREQ(name[0], "b");
  EXPECT_STREQ(name[1], "a.c");
  EXPECT_STREQ(name[2], "d");
  expression_free(expression);
}

/* ---- random trees: written out, and evaluated at the same time --------------------------------------- */

struct writing {
  char text[4096];
  size_t length;
  uint64_t random;
};

static void put(struct writing *writing, const char *text) {
  writing->length += (size_t)snprintf(writing->text + writing->length, sizeof writing->text - writing->length, "%s%s",
                                      ct_random(&writing->random) >> 62 ? "" : " ", text);
}

/* Signs, their precedence, and what they compute. */
static const struct {
  const char *sign;
  int level;
} signs[] = {{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<", 3}, {"<=", 3}, {">", 3},
             {">=", 3}, {"+", 4},  {"-", 4},  {"*", 5},  {"/", 5}, {"%", 5},  {"^", 7}};

static bool holds(double a) { return !isnan(a) && a != 0; }

static double combined(const char *sign, double a, double b) {
  if (strcmp(sign, "||") == 0)
    return holds(a) || holds(b);
  if (strcmp(sign, "&&") == 0)
    return holds(a) && holds(b);
  const bool none = isnan(a) || isnan(b);
  switch (sign[0]) {
  case '=':
    return !none && a == b;
  case '!':
    return !none && a != b;
  case '<':
    return !none && (a < b || (sign[1] && a == b));
  case '>':
    return !none && (a > b || (sign[1] && a == b));
  }
  if (none || (strchr("/%", sign[0]) && b == 0) || (sign[0] == '^' && a == 0 && b < 0))
    return NAN;
  return sign[0] == '+'   ? a + b
         : sign[0] == '-' ? a - b
         : sign[0] == '*' ? a * b
         : sign[0] == '/' ? a / b
         : sign[0] == '%' ? fmod(a, b)
                          : pow(a, b);
}

static double write_tree(struct writing *writing, int depth, int level);

static double write_leaf(struct writing *writing) {
  static const struct {
    const char *text;
    double value;
  } leaves[] = {{"two", 2}, {"dma.queue", 8}, {"size", 4096}, {"log2(0)", NAN}, {"3", 3}, {"0", 0}, {".25", .25}};
  const size_t which = ct_random(&writing->random) % 7;
  put(writing, leaves[which].text);
  return leaves[which].value;
}

static double write_infix(struct writing *writing, int depth, int level) {
  const size_t which = ct_random(&writing->random) % (sizeof signs / sizeof *signs);
  const int own = signs[which].level, right_of_power = 6;
  const bool power = own == 7, comparison = own == 3;
  if (own < level)
    put(writing, "(");
  const double a = write_tree(writing, depth - 1, power ? 8 : own + comparison);
  put(writing, signs[which].sign);
  const double b = write_tree(writing, depth - 1, power ? right_of_power : own + 1);
  if (own < level)
    put(writing, ")");
  return combined(signs[which].sign, a, b);
}

static double write_function(struct writing *writing, int depth) {
  const unsigned which = (unsigned)ct_random(&writing->random) % 3;
  put(writing, which == 0 ? "min(" : which == 1 ? "max(" : "floor(");
  const double a = write_tree(writing, depth - 1, 0);
  double b = a;
  if (which < 2) {
    put(writing, ",");
    b = write_tree(writing, depth - 1, 0);
  }
  put(writing, ")");
  if (isnan(a) || isnan(b))
    return NAN;
  return which == 0 ? (a < b ? a : b) : which == 1 ? (a > b ? a : b) : floor(a);
}

static double write_prefix(struct writing *writing, int depth, int level) {
  const bool minus = ct_random(&writing->random) & 1;
  if (level > 6)
    put(writing, "(");
  put(writing, minus ? "-" : "!");
  const double a = write_tree(writing, depth - 1, 6);
  if (level > 6)
    put(writing, ")");
  return minus ? -a : !holds(a);
}

/* Writes a tree that binds at least as tightly as `level`, in parentheses if necessary. Its value is computed from the
 * tree, independently of the notation. */
static double write_tree(struct writing *writing, int depth, int level) {
  const unsigned which = (unsigned)ct_random(&writing->random) % 8;
  if (depth == 0 || which == 0 || writing->length > sizeof writing->text / 2)
    return write_leaf(writing);
  return which == 1   ? write_function(writing, depth)
         : which == 2 ? write_prefix(writing, depth, level)
                      : write_infix(writing, depth, level);
}

TEST(sweep_expression, random_expressions_have_the_value_of_their_tree) {
  struct writing writing = {.random = 7};
  int numbers = 0;
  for (int i = 0; i < 20000; i++) {
    writing.length = 0;
    const double value = write_tree(&writing, 1 + i % 6, 0), read = value_of(writing.text);
    ct_note("%s is %g, read as %g", writing.text, value, read);
    numbers += !isnan(value);
    ASSERT_TRUE(isnan(value) ? isnan(read) : read == value);
  }
  EXPECT_LT(10000, numbers);
}
