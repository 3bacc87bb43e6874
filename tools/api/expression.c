/* Expressions of sweep files, for callers that have the points. */
#include <math.h>
#include <stdio.h>

#include "include/warpwait/analyse.h"
#include "sim/api/api.h"
#include "sim/base/need.h"
#include "tools/sweep/expression.h"

struct ww_expression {
  atomic_uint references;
  struct expression *made;
};

/* ---- reading ----------------------------------------------------------------------------------------------------- */

struct new_call {
  const char *text;
  uint32_t column; /* of the error */
  ww_expression *made;
};

/* Counts from 1, in UTF-8 characters, as an editor does. */
static uint32_t column_at(const char *text, size_t at) {
  uint32_t column = 1;
  for (size_t i = 0; i < at; i++)
    column += ((unsigned char)text[i] & 0xc0) != 0x80;
  return column;
}

static ww_status read_expression(void *self, struct message *message) {
  struct new_call *call = self;
  char column[24];
  size_t at = 0;
  struct expression *made = expression_read(call->text, message, &at);
  if (!made) {
    call->column = column_at(call->text, at);
    snprintf(column, sizeof column, "column %u", call->column);
    message_within(message, column);
    return WW_BAD_INPUT;
  }
  call->made = need(1, sizeof *call->made);
  atomic_init(&call->made->references, 1);
  call->made->made = made;
  return WW_OK;
}

ww_status ww_expression_new(const char *text, ww_expression **expression, ww_error *error) {
  struct new_call call = {.text = text};
  API_MADE(expression);
  API_GIVEN(text);
  const ww_status status = api_try(NULL, read_expression, &call, error);
  *expression = call.made;
  if (status == WW_BAD_INPUT && error)
    error->column = call.column;
  return status;
}

API_REF(ww_expression)

void ww_expression_unref(ww_expression *expression) {
  if (!expression || !api_unref(&expression->references))
    return;
  expression_free(expression->made);
  free(expression);
}

size_t ww_expression_name_count(const ww_expression *expression) {
  size_t count = 0;
  if (expression)
    expression_names(expression->made, &count);
  return count;
}

const char *ww_expression_name_at(const ww_expression *expression, size_t i) {
  size_t count = 0;
  return expression && i < ww_expression_name_count(expression) ? expression_names(expression->made, &count)[i] : NULL;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

struct value_call {
  const ww_expression *expression;
  const ww_column *columns;
  size_t rows;
  double *values;
};

static bool check_columns(const struct value_call *call, struct message *message) {
  for (size_t i = 0; i < ww_expression_name_count(call->expression); i++)
    if (!call->columns[i].numbers == !call->columns[i].words)
      return message_fail(message, "columns[%zu]: '%.60s' has %s", i, ww_expression_name_at(call->expression, i),
                          call->columns[i].words ? "numbers and words" : "neither numbers nor words");
  return true;
}

/* A word that reads as a number is also a number, unless it is a define such as 010, which is 8 in the kernel. */
static struct expression_operand operand_of_word(const char *word, bool define) {
  if (!word)
    return (struct expression_operand){NULL, NAN};
  const bool octal = define && expression_is_octal(word);
  return octal ? (struct expression_operand){word, NAN} : expression_operand(word);
}

static ww_status find_values(void *self, struct message *message) {
  const struct value_call *call = self;
  size_t count = 0;
  const char *const *names = expression_names(call->expression->made, &count);
  if (!check_columns(call, message))
    return WW_BAD_INPUT;
  bool *define = need(count, sizeof *define);
  struct expression_operand *operand = need(count, sizeof *operand);
  for (size_t i = 0; i < count; i++)
    define[i] = strncmp(names[i], "define.", 7) == 0;
  for (size_t row = 0; row < call->rows; row++) {
    for (size_t i = 0; i < count; i++)
      operand[i] = call->columns[i].words ? operand_of_word(call->columns[i].words[row], define[i])
                                          : (struct expression_operand){NULL, call->columns[i].numbers[row]};
    call->values[row] = expression_of(call->expression->made, operand);
  }
  free(operand);
  free(define);
  return WW_OK;
}

ww_status ww_expression_value(const ww_expression *expression, const ww_column *columns, size_t rows, double *values,
                              ww_error *error) {
  struct value_call call = {expression, columns, rows, values};
  API_GIVEN(expression);
  if (ww_expression_name_count(expression))
    API_GIVEN(columns);
  if (rows)
    API_GIVEN(values);
  return api_try(NULL, find_values, &call, error);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

struct number_call {
  const char *text;
  double number;
};

static ww_status read_number(void *self, struct message *message) {
  struct number_call *call = self;
  (void)message;
  call->number = expression_operand(call->text).number;
  return WW_OK;
}

/* Behind a recovery point numbers follow the "C" locale. */
bool ww_number(const char *text, double *number) {
  struct number_call call = {text, NAN};
  if (text)
    api_try(NULL, read_number, &call, NULL);
  if (number && !isnan(call.number))
    *number = call.number;
  return !isnan(call.number);
}
