/* Expressions over columns: the notation and values of sweep files. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "tests/api/rig.h"
#include "tests/ct.h"

enum { ROWS = 3 };

static const double channels[] = {1, 2, 4}, zero[] = {0, 1, 2}, missing[] = {5, NAN, INFINITY};
static const char *const machine[] = {"a", "b", "a"}, *const mixed[] = {"8", "8.0", "auto"},
                         *const octal[] = {"010", "8", NULL};

static const struct {
  const char *name;
  ww_column column;
} table[] = {{"dma.channels", {.numbers = channels}},
             {"zero", {.numbers = zero}},
             {"y", {.numbers = missing}},
             {"machine", {.words = machine}},
             {"mixed", {.words = mixed}},
             {"define.D", {.words = octal}},
             {"arg.d", {.words = octal}}};

static ww_column column_of(const char *name) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i].name, name) == 0)
      return table[i].column;
  ct_note("no column %s", name);
  EXPECT_TRUE(false);
  return (ww_column){NULL, NULL};
}

static void find(const char *text, double values[ROWS]) {
  ct_freed(ww_expression_unref_at) ww_expression *expression = NULL;
  ww_column columns[8];
  ww_error error = {.text = ""};
  if (!EXPECT_EQ(ww_expression_new(text, &expression, &error), WW_OK)) {
    ct_note("%s", error.text);
    return;
  }
  for (size_t i = 0; i < ww_expression_name_count(expression); i++)
    columns[i] = column_of(ww_expression_name_at(expression, i));
  EXPECT_EQ(ww_expression_value(expression, columns, ROWS, values, &error), WW_OK);
}

#define NONE NAN

static const struct {
  const char *text;
  double values[ROWS];
} rows[] = {
    {"dma.channels * 4K + 2^3^2", {4608, 8704, 16896}},
    {"-2^2", {-4, -4, -4}},
    {"machine == 'a' && dma.channels < 4", {1, 0, 0}},
    {"1 / zero", {NONE, 1, .5}},
    {"max(zero, 1, dma.channels)", {1, 2, 4}},
    {"-7 % 4", {-3, -3, -3}},
    {"0x10", {16, 16, 16}},
    {"machine < 3", {0, 0, 0}},
    {"log2(dma.channels) == zero", {1, 1, 1}},
    {"!(1 / zero < 5)", {1, 0, 0}},
    /* A quoted word compared with numbers is the number that it spells. */
    {"dma.channels == '2' || zero > 1", {0, 1, 1}},
    {"dma.channels == '2.0'", {0, 1, 0}},
    {"'0x4' != dma.channels", {1, 1, 0}},
    {"dma.channels == 'two'", {0, 0, 0}},
    {"dma.channels != 'two'", {1, 1, 1}},
    /* Compared with words it is the word; words that spell a number count as that number. */
    {"mixed == '8'", {1, 0, 0}},
    {"mixed == 8", {1, 1, 0}},
    {"mixed * 2", {16, 16, NONE}},
    {"mixed == machine", {0, 0, 0}},
    {"mixed != machine", {1, 1, 1}},
    {"mixed == dma.channels", {0, 0, 0}},
    {"mixed != dma.channels", {1, 1, 1}},
    /* C would read this define as octal. */
    {"define.D == 10 || define.D == 8", {0, 1, 0}},
    {"define.D == '010'", {1, 0, 0}},
    {"arg.d == 10", {1, 0, 0}},
    /* No comparison holds for a missing value. */
    {"arg.d == '8' || arg.d != '8'", {1, 1, 0}},
    {"y", {5, NONE, INFINITY}},
    {"y == y", {1, 0, 1}},
    {"y != 5", {0, 0, 1}},
    {"y != 'x'", {1, 0, 1}},
    {"y == '5' || y != '5'", {1, 0, 1}},
    {"!y", {0, 1, 0}},
};

TEST(expressions, over_columns_have_the_same_values_as_in_sweep_files) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double values[ROWS] = {-99, -99, -99};
    find(rows[i].text, values);
    for (size_t row = 0; row < ROWS; row++) {
      const double is = values[row], wanted = rows[i].values[row];
      if (!EXPECT_TRUE(isnan(wanted) ? isnan(is) : !(is < wanted || is > wanted)))
        ct_note("%s: row %zu: %g", rows[i].text, row, is);
    }
  }
}

TEST(expressions, list_each_column_once_in_order_of_first_use) {
  ct_freed(ww_expression_unref_at) ww_expression *expression = NULL;
  EXPECT_EQ(ww_expression_new("b + max(a.c, b) * a.c == 3 || d != 'word'", &expression, NULL), WW_OK);
  EXPECT_EQ(ww_expression_name_count(expression), 3);
  EXPECT_STREQ(ww_expression_name_at(expression, 0), "b");
  EXPECT_STREQ(ww_expression_name_at(expression, 1), "a.c");
  EXPECT_STREQ(ww_expression_name_at(expression, 2), "d");
  EXPECT_TRUE(!ww_expression_name_at(expression, 3));
  ww_expression_unref(ww_expression_ref(expression));
}

static const struct {
  const char *text, *message;
  uint32_t column;
} faults[] = {
    {"1 < 2 < 3", "column 7: comparisons do not chain; write a < b && b < c, at '< 3'", 7},
    {"dma.channels <", "column 15: expected a number, a name or '(', at its end", 15},
    {"(1", "column 3: expected ')', at its end", 3},
    {"foo $", "column 5: expected an operator, at '$'", 5},
    {"max(1)", "column 6: max() takes 2 arguments or more, at ')'", 6},
    {"", "column 1: expected a number, a name or '(', at its end", 1},
    {"a == 'M\xc3\xbcller' b", "column 15: expected an operator, at 'b'", 15},
};

TEST(expressions, that_are_malformed_are_refused_with_the_column) {
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    ww_expression *expression = NULL;
    ww_error error = {.text = ""};
    EXPECT_EQ(ww_expression_new(faults[i].text, &expression, &error), WW_BAD_INPUT);
    EXPECT_TRUE(!expression);
    EXPECT_STREQ(error.text, faults[i].message);
    EXPECT_EQ(error.column, faults[i].column);
    EXPECT_EQ(error.line, 0);
    EXPECT_STREQ(error.file, "");
  }
  ct_freed(ct_free) char *deep = malloc(100001);
  ww_expression *expression = NULL;
  ww_error error = {.text = ""};
  memset(deep, '(', 100000);
  deep[100000] = '\0';
  EXPECT_EQ(ww_expression_new(deep, &expression, &error), WW_BAD_INPUT);
  EXPECT_CONTAINS(error.text, "column 65: nested deeper than 64");
}

TEST(expressions, need_a_column_for_each_name) {
  struct rig rig = {.error = {.text = ""}};
  ww_expression *expression = NULL;
  ww_error *error = &rig.error;
  double values[ROWS] = {7, 7, 7};
  const ww_column neither[] = {{.numbers = channels}, {NULL, NULL}}, both[] = {{channels, machine}, {channels, NULL}};
  rig_fine(&rig, ww_expression_new("a + b", &expression, error));
  rig_refused(&rig, ww_expression_value(expression, neither, ROWS, values, error), WW_BAD_INPUT,
              "columns[1]: 'b' has neither numbers nor words");
  rig_refused(&rig, ww_expression_value(expression, both, ROWS, values, error), WW_BAD_INPUT,
              "columns[0]: 'a' has numbers and words");
  EXPECT_EQ(values[0], 7);
  rig_fine(&rig, ww_expression_value(expression, (ww_column[]){{channels, NULL}, {zero, NULL}}, 0, NULL, error));
  ww_expression_unref(expression);
  rig_fine(&rig, ww_expression_new("2 * 3", &expression, error));
  rig_fine(&rig, ww_expression_value(expression, NULL, 2, values, error));
  EXPECT_EQ(values[1], 6);
  EXPECT_EQ(values[2], 7);
  ww_expression_unref(expression);
}

TEST(expressions, numbers_have_units) {
  static const struct {
    const char *text;
    double number;
  } numbers[] = {{"64K", 65536}, {"-1.5e3", -1500}, {"0x40", 64}, {"2G", 2147483648.0}, {"+5", 5}, {".5M", 524288}};
  static const char *const words[] = {"K", "1.2.3", "a", "", " 5", "5 ", "nan", "inf", "1e999", "0.5f", "-", "1,5"};
  double number = 0;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    EXPECT_TRUE(ww_number(numbers[i].text, &number));
    EXPECT_EQ(number, numbers[i].number);
  }
  number = 3;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!EXPECT_FALSE(ww_number(words[i], &number)))
      ct_note("%s", words[i]);
  EXPECT_FALSE(ww_number(NULL, &number));
  EXPECT_EQ(number, 3);
  EXPECT_TRUE(ww_number("1", NULL));
}

/* Parsed once; nothing is allocated for each row. */
TEST(expressions, over_many_rows_are_fast) {
  enum { MANY = 100000 };
  double *numbers = malloc(MANY * sizeof *numbers), *values = malloc(MANY * sizeof *values), sum = 0;
  ct_freed(ww_expression_unref_at) ww_expression *expression = NULL;
  for (size_t i = 0; i < MANY; i++)
    numbers[i] = (double)i;
  EXPECT_EQ(ww_expression_new("a % 7 == 3 && !(a * 2 > 100000)", &expression, NULL), WW_OK);
  const clock_t before = clock();
  EXPECT_EQ(ww_expression_value(expression, &(ww_column){.numbers = numbers}, MANY, values, NULL), WW_OK);
  EXPECT_LT(clock() - before, CLOCKS_PER_SEC); /* some 10 ms without sanitizers */
  for (size_t i = 0; i < MANY; i++)
    sum += values[i];
  EXPECT_EQ(sum, (50000 - 3) / 7 + 1);
  free(numbers);
  free(values);
}
