/* Cells of comma-separated values. */
#include <stdlib.h>

#include "sim/base/csv.h"
#include "tests/ct.h"

static void expect_cell(const char *text, const char *cell, const char *quoted) {
  ct_freed(ct_free) char *made = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&made, &size);
  csv_cell(file, text);
  fflush(file);
  EXPECT_STREQ(made, cell);
  rewind(file);
  csv_quoted(file, text);
  putc('\0', file);
  fclose(file);
  EXPECT_STREQ(made, quoted);
}

TEST(csv, a_cell_is_quoted_when_necessary) {
  expect_cell("", "", "\"\"");
  expect_cell("kernel.cl", "kernel.cl", "\"kernel.cl\"");
  expect_cell("a,b", "\"a,b\"", "\"a,b\"");
  expect_cell("a \"b\"", "\"a \"\"b\"\"\"", "\"a \"\"b\"\"\"");
  expect_cell("a\nb", "\"a\nb\"", "\"a\nb\"");
  expect_cell("a\rb", "\"a\rb\"", "\"a\rb\"");
}

TEST(csv, a_cell_that_a_spreadsheet_would_execute_becomes_text) {
  expect_cell("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0", "\"'=cmd|' /C calc'!A0\"");
  expect_cell("@SUM(1)", "'@SUM(1)", "\"'@SUM(1)\"");
  expect_cell("+1+cmd|x", "'+1+cmd|x", "\"'+1+cmd|x\"");
  expect_cell("-2+3", "'-2+3", "\"'-2+3\"");
  expect_cell("-", "'-", "\"'-\"");
  expect_cell("-nan(1)", "'-nan(1)", "\"'-nan(1)\"");
  expect_cell("\t=1", "'\t=1", "\"'\t=1\"");
  expect_cell("\r=1", "\"'\r=1\"", "\"'\r=1\"");
  expect_cell("\n=1", "\"'\n=1\"", "\"'\n=1\"");
  expect_cell("=\"a\",1", "\"'=\"\"a\"\",1\"", "\"'=\"\"a\"\",1\"");
}

TEST(csv, numbers_and_cells_with_a_sign_inside_are_unchanged) {
  static const char *const same[] = {"-3", "+3", "-0.5", "-.5", "-1e-3", "+1E+3", "3-4", "a=b", " =1", "0x10"};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\"", same[i]);
    expect_cell(same[i], same[i], quoted);
  }
}
