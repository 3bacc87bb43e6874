/* Parses expressions by recursive descent, with a function for each level of binding, into steps of a stack machine. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"
#include "tools/sweep/expression_parts.h"

struct reading {
  struct expression *expression;
  const char *at;
  unsigned depth;
  struct message *message;
};

/* Functions: name, minimum and maximum number of arguments, step. */
static const struct function {
  const char *name;
  unsigned least, most;
  enum step_kind kind;
} functions[] = {
    {"min", 2, 64, STEP_MIN},  {"max", 2, 64, STEP_MAX},  {"abs", 1, 1, STEP_ABS},
    {"log2", 1, 1, STEP_LOG2}, {"ceil", 1, 1, STEP_CEIL}, {"floor", 1, 1, STEP_FLOOR},
};

static bool read_or(struct reading *reading);

__attribute__((format(printf, 2, 3))) static bool fail(struct reading *reading, const char *format, ...) {
  char what[128];
  va_list list;
  va_start(list, format);
  vsnprintf(what, sizeof what, format, list);
  va_end(list);
  if (*reading->at)
    return message_fail(reading->message, "%s, at '%.40s%s'", what, reading->at, strlen(reading->at) > 40 ? "..." : "");
  return message_fail(reading->message, "%s, at its end", what);
}

static void skip_blanks(struct reading *reading) { reading->at += strspn(reading->at, " \t"); }

/* Takes an operator or a parenthesis. */
static bool accept_token(struct reading *reading, const char *token) {
  skip_blanks(reading);
  if (strncmp(reading->at, token, strlen(token)) != 0)
    return false;
  reading->at += strlen(token);
  return true;
}

static bool add(struct reading *reading, struct step step) {
  struct expression *expression = reading->expression;
  if (expression->step_count == EXPRESSION_STEPS)
    return fail(reading, "longer than %d terms and signs", EXPRESSION_STEPS);
  *vector_next(expression->steps, expression->step_count, expression->step_room) = step;
  return true;
}

static bool add_kind(struct reading *reading, enum step_kind kind) { return add(reading, (struct step){.kind = kind}); }

/* The index of a text in a list, which keeps each once. */
static int intern(char ***list, size_t *count, const char *text, size_t length) {
  for (size_t i = 0; i < *count; i++)
    if (strlen((*list)[i]) == length && memcmp((*list)[i], text, length) == 0)
      return (int)i;
  *list = need_more(*list, *count + 1, sizeof **list);
  char *copy = need(length + 1, 1);
  memcpy(copy, text, length);
  (*list)[*count] = copy;
  return (int)(*count)++;
}

static bool read_number(struct reading *reading) {
  const char *end = reading->at;
  const double number = expression_number(reading->at, &end);
  if (isalnum((unsigned char)*end) || *end == '_' || *end == '.' || end == reading->at)
    return fail(reading, "not a number");
  if (!isfinite(number))
    return fail(reading, "a number that is too large");
  reading->at = end;
  return add(reading, (struct step){.kind = STEP_NUMBER, .number = number});
}

static bool read_word(struct reading *reading) {
  const char quote = *reading->at, *text = reading->at + 1, *end = strchr(text, quote);
  if (!end)
    return fail(reading, "a quote that is not closed");
  reading->at = end + 1;
  const int word = intern(&reading->expression->words, &reading->expression->word_count, text, (size_t)(end - text));
  return add(reading, (struct step){.kind = STEP_WORD, .a = word});
}

/* A word in quotes can only be compared. */
static bool number_wanted(struct reading *reading) {
  const struct expression *expression = reading->expression;
  return expression->steps[expression->step_count - 1].kind != STEP_WORD ||
         fail(reading, "a word in quotes can only be compared with a name, by == or !=");
}

/* The arguments of a function, after its opening parenthesis. From the second on, each is combined with the result so
 * far. */
static bool read_call(struct reading *reading, const struct function *function) {
  unsigned count = 0;
  do {
    if (!read_or(reading) || !number_wanted(reading) || (++count > 1 && !add_kind(reading, function->kind)))
      return false;
  } while (count < function->most && accept_token(reading, ","));
  if (count < function->least)
    return fail(reading, "%s() takes %u arguments or more", function->name, function->least);
  if (!accept_token(reading, ")"))
    return fail(reading, "expected ')' after %s()'s argument%s", function->name, function->most > 1 ? "s" : "");
  return count > 1 || add_kind(reading, function->kind);
}

static bool read_name(struct reading *reading) {
  const char *name = reading->at;
  while (isalnum((unsigned char)*reading->at) || *reading->at == '_' || *reading->at == '.')
    reading->at++;
  const size_t length = (size_t)(reading->at - name);
  skip_blanks(reading);
  for (size_t i = 0; *reading->at == '(' && i < sizeof functions / sizeof *functions; i++)
    if (strlen(functions[i].name) == length && memcmp(functions[i].name, name, length) == 0)
      return accept_token(reading, "(") && read_call(reading, &functions[i]);
  if (*reading->at == '(') {
    reading->at = name;
    return fail(reading, "no such function (there are min, max, abs, log2, ceil, floor)");
  }
  struct expression *expression = reading->expression;
  const int number = intern(&expression->names, &expression->name_count, name, length);
  return expression->name_count > EXPRESSION_NAMES ? fail(reading, "more than %d names", EXPRESSION_NAMES)
                                                   : add(reading, (struct step){.kind = STEP_NAME, .a = number});
}

static bool read_primary(struct reading *reading) {
  skip_blanks(reading);
  const unsigned char next = (unsigned char)*reading->at;
  if (next == '(') {
    reading->at++;
    return read_or(reading) && (accept_token(reading, ")") || fail(reading, "expected ')'"));
  }
  if (next == '"' || next == '\'')
    return read_word(reading);
  if (isdigit(next) || next == '.')
    return read_number(reading);
  if (isalpha(next) || next == '_')
    return read_name(reading);
  return fail(reading, "expected a number, a name or '('");
}

static bool read_unary(struct reading *reading);

static bool read_power(struct reading *reading) {
  if (!read_primary(reading))
    return false;
  if (!accept_token(reading, "^"))
    return true;
  return number_wanted(reading) && read_unary(reading) && number_wanted(reading) && add_kind(reading, STEP_POWER);
}

/* All nesting passes through here. */
static bool read_unary(struct reading *reading) {
  if (reading->depth == EXPRESSION_NESTING)
    return fail(reading, "nested deeper than %d", EXPRESSION_NESTING);
  reading->depth++;
  bool good;
  if (accept_token(reading, "-"))
    good = read_unary(reading) && number_wanted(reading) && add_kind(reading, STEP_MINUS);
  else if (accept_token(reading, "!"))
    good = read_unary(reading) && number_wanted(reading) && add_kind(reading, STEP_NOT);
  else
    good = read_power(reading);
  reading->depth--;
  return good;
}

/* Operators of one level. One that starts with another operator is listed before it. */
struct infix {
  const char *text;
  enum step_kind kind;
};

static const struct infix products[] = {{"*", STEP_MULTIPLY}, {"/", STEP_DIVIDE}, {"%", STEP_REMAINDER}, {NULL, 0}};
static const struct infix sums[] = {{"+", STEP_ADD}, {"-", STEP_SUBTRACT}, {NULL, 0}};
static const struct infix comparisons[] = {{"==", STEP_EQUAL}, {"!=", STEP_UNEQUAL},  {"<=", STEP_AT_MOST},
                                           {"<", STEP_BELOW},  {">=", STEP_AT_LEAST}, {">", STEP_ABOVE},
                                           {NULL, 0}};
static const struct infix conjunctions[] = {{"&&", STEP_AND}, {NULL, 0}};
static const struct infix disjunctions[] = {{"||", STEP_OR}, {NULL, 0}};

static const struct infix *take_one_of(struct reading *reading, const struct infix *infix) {
  for (; infix->text; infix++)
    if (accept_token(reading, infix->text))
      return infix;
  return NULL;
}

/* Operands of `next`, joined by operators of one level, left-associative. */
static bool read_level(struct reading *reading, const struct infix *level, bool (*next)(struct reading *)) {
  if (!next(reading))
    return false;
  const struct infix *infix;
  while ((infix = take_one_of(reading, level)))
    if (!number_wanted(reading) || !next(reading) || !number_wanted(reading) || !add_kind(reading, infix->kind))
      return false;
  return true;
}

static bool read_products(struct reading *reading) { return read_level(reading, products, read_unary); }
static bool read_sums(struct reading *reading) { return read_level(reading, sums, read_products); }

/* Is [from, end) a single name or word? */
static bool is_operand(const struct step *from, const struct step *end) {
  return end - from == 1 && (from->kind == STEP_NAME || from->kind == STEP_WORD);
}

/* Adds a comparison of the steps from `left` and from `right` on. If both are a single name or word, it compares them
 * as written, else as numbers. */
static bool add_comparison(struct reading *reading, size_t left, size_t right, enum step_kind kind) {
  struct expression *expression = reading->expression;
  const struct step *a = expression->steps + left, *b = expression->steps + right,
                    *end = expression->steps + expression->step_count;
  const bool quoted = b[-1].kind == STEP_WORD || end[-1].kind == STEP_WORD;
  if ((kind != STEP_EQUAL && kind != STEP_UNEQUAL) || !is_operand(a, b) || !is_operand(b, end))
    return !quoted ? add_kind(reading, kind)
                   : fail(reading, "a word in quotes can only be compared with a name, by == or !=");
  const struct step *word = a->kind == STEP_WORD ? a : b->kind == STEP_WORD ? b : NULL;
  const struct step same = {.kind = kind == STEP_EQUAL ? STEP_SAME : STEP_NOT_SAME,
                            .a = a->kind == STEP_NAME ? a->a : -1 - a->a,
                            .b = b->kind == STEP_NAME ? b->a : -1 - b->a,
                            .number = word ? expression_operand(expression->words[word->a]).number : NAN};
  expression->step_count = left;
  expression->steps[expression->step_count++] = same;
  return true;
}

static bool read_comparison(struct reading *reading) {
  const size_t left = reading->expression->step_count;
  if (!read_sums(reading))
    return false;
  const struct infix *infix = take_one_of(reading, comparisons);
  if (!infix)
    return true;
  const size_t right = reading->expression->step_count;
  if (!read_sums(reading) || !add_comparison(reading, left, right, infix->kind))
    return false;
  const char *behind = reading->at;
  if (!take_one_of(reading, comparisons))
    return true;
  reading->at = behind;
  skip_blanks(reading);
  return fail(reading, "comparisons do not chain; write a < b && b < c");
}

static bool read_and(struct reading *reading) { return read_level(reading, conjunctions, read_comparison); }
static bool read_or(struct reading *reading) { return read_level(reading, disjunctions, read_and); }

static bool read_all(struct reading *reading) {
  if (!read_or(reading) || !number_wanted(reading))
    return false;
  skip_blanks(reading);
  if (*reading->at == '=')
    return fail(reading, "expected an operator ('==' compares)");
  return !*reading->at || fail(reading, "expected an operator");
}

struct expression *expression_read(const char *text, struct message *message, size_t *at) {
  struct expression *expression = need(1, sizeof *expression);
  struct reading reading = {.expression = expression, .at = text, .message = message};
  if (read_all(&reading))
    return expression;
  if (at)
    *at = (size_t)(reading.at - text);
  expression_free(expression);
  return NULL;
}
