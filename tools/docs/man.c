/* Man pages, in roff with the `man` macros. There, a line that begins with a dot or an apostrophe is a request, a
 * backslash is an escape, and a bare hyphen may become a typographic one that does not work when pasted into a
 * shell. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/version.h"
#include "sim/cli/help.h"
#include "tools/docs/pages.h"

enum { WIDTH = 76 /* of lines in the source file; readers do not see it */ };

static size_t column_of(const struct text *text) {
  size_t at = text->length;
  while (at && text->data[at - 1] != '\n')
    at--;
  return text->length - at;
}

/* Whether the line has no room for the word after the blank. */
static bool is_full(const char *blank, const struct text *text) {
  return column_of(text) + 1 + strcspn(blank + 1, " \n") > WIDTH;
}

static void print_letter(char letter, struct text *text) {
  if ((letter == '.' || letter == '\'') && !column_of(text))
    text_print(text, "\\&");
  if (letter == '$') /* keeps a variable's name from being hyphenated */
    text_print(text, "\\%%");
  text_print(text, letter == '\\' ? "\\e" : letter == '-' ? "\\-" : "%c", letter);
}

/* Prints words as roff. Text in backticks is bold; a verbatim line stays one line. */
static void print_words(const char *words, size_t length, bool verbatim, struct text *text) {
  bool bold = false;
  for (size_t i = 0; i < length; i++) {
    if (words[i] == ' ' && i + 1 < length && words[i + 1] != ' ' && is_full(words + i, text))
      text_print(text, verbatim ? " \\\n" : "\n");
    else if (words[i] == '`' && !verbatim)
      text_print(text, (bold = !bold) ? "\\fB" : "\\fR");
    else
      print_letter(words[i], text);
  }
}

static void print_line(const char *words, struct text *text) {
  print_words(words, strlen(words), false, text);
  text_print(text, "\n");
}

/* `apart`: there is text above. */
static void print_pieces(const char *words, bool apart, struct text *text) {
  struct piece piece;
  for (; next_piece(&words, &piece); apart = true) {
    text_print(text, "%s%s", apart ? ".PP\n" : "", piece.verbatim ? ".EX\n" : "");
    print_words(piece.words, piece.length, piece.verbatim, text);
    text_print(text, piece.verbatim ? "\n.EE\n" : "\n");
  }
}

static void print_heading(const char *heading, struct text *text) {
  text_print(text, ".SH ");
  for (; *heading; heading++)
    text_print(text, "%c", toupper((unsigned char)*heading));
  text_print(text, "\n");
}

static void print_option(const struct option_row *row, struct text *text) {
  struct text names = {0};
  text_print(&names, "%s%s%s`--%s`%s", *row->letter ? "`-" : "", row->letter, *row->letter ? "`, " : "", row->name,
             row->kind.optional ? "[="
             : row->value       ? " "
                                : "");
  text_print(text, ".TP\n");
  print_words(names.data, names.length, false, text);
  if (row->value) {
    text_print(text, "\\fI");
    print_words(row->value, strlen(row->value), true, text);
    text_print(text, "\\fR%s", row->kind.optional ? "]" : "");
  }
  text_print(text, "\n");
  print_line(row->text, text);
  free(names.data);
}

static void print_options(enum verb verb, enum option_group group, struct text *text) {
  bool headed = false;
  for (size_t i = 0; i < option_row_count; i++) {
    if (!is_of(option_rows[i].verbs, verb) || option_rows[i].group != group)
      continue;
    if (!headed)
      text_print(text, ".SS %s\n", option_headings[group]);
    headed = true;
    print_option(&option_rows[i], text);
  }
}

static void print_examples(enum verb verb, struct text *text) {
  const char *apart = "";
  text_print(text, ".SH EXAMPLES\n");
  for (size_t i = 0; i < example_row_count; i++) {
    if (example_rows[i].verb != verb)
      continue;
    text_print(text, "%s", apart);
    print_line(example_rows[i].text, text);
    text_print(text, ".RS\n.EX\n");
    print_words(example_rows[i].command, strlen(example_rows[i].command), true, text);
    text_print(text, "\n.EE\n.RE\n");
    apart = ".PP\n";
  }
}

static void print_exit(enum verb verb, struct text *text) {
  struct text status = {0};
  help_exit(verb, &status);
  if (status.length) {
    text_print(text, ".SH EXIT STATUS\n");
    print_pieces(status.data, false, text);
  }
  free(status.data);
}

/* "warpwait-trace-info" */
static void print_name(enum verb verb, char name[PAGE_NAME]) {
  snprintf(name, PAGE_NAME, "warpwait%s%s", verb == NO_VERB ? "" : "-", verb == NO_VERB ? "" : verb_rows[verb].name);
  for (char *blank = name; (blank = strchr(blank, ' '));)
    *blank = '-';
}

void man_name(enum verb verb, char name[PAGE_NAME]) {
  print_name(verb, name);
  strcat(name, ".1");
}

/* The page's title, its name, and its sentence, which there begins in lower case and has no period. */
static void print_head(enum verb verb, const char *sentence, struct text *text) {
  char name[PAGE_NAME], title[PAGE_NAME];
  print_name(verb, name);
  for (size_t i = 0; i < sizeof name; i++)
    title[i] = (char)toupper((unsigned char)name[i]);
  text_print(text, ".\\\" Made from sim/cli/verbs.def and sim/cli/options.def.\n");
  text_print(text, ".TH %s 1 %s \"warpwait %s\"\n.ad l\n.SH NAME\n", title, WARPWAIT_DATE, WARPWAIT_VERSION);
  print_words(name, strlen(name), false, text);
  text_print(text, " \\- %c", tolower((unsigned char)*sentence));
  print_words(sentence + 1, strlen(sentence) - 2, false, text);
  text_print(text, "\n.SH SYNOPSIS\n");
}

static void print_synopsis(enum verb verb, struct text *text) {
  const char *operands = verb_rows[verb].operands;
  char usage[HELP_USAGE];
  for (const char *next = ".EX\n"; help_usage(verb, &operands, usage); next = "") {
    text_print(text, "%s", next);
    print_words(usage, strlen(usage), true, text);
    text_print(text, "\n");
  }
  text_print(text, ".EE\n.SH DESCRIPTION\n");
  print_line(verb_rows[verb].summary, text);
  print_pieces(verb_rows[verb].text, true, text);
}

static void print_sections(enum verb verb, struct text *text) {
  for (size_t i = 0; i < section_row_count; i++)
    if (is_of(section_rows[i].verbs, verb)) {
      print_heading(section_rows[i].heading, text);
      print_pieces(section_rows[i].text, false, text);
    }
}

static void print_reference(enum verb verb, const char *comma, struct text *text) {
  char name[PAGE_NAME];
  print_name(verb, name);
  text_print(text, "%s.BR ", comma);
  print_words(name, strlen(name), false, text);
  text_print(text, " (1)");
}

static void print_verb(enum verb verb, struct text *text) {
  print_head(verb, verb_rows[verb].summary, text);
  print_synopsis(verb, text);
  if (option_named(verb, "help"))
    text_print(text, ".SH OPTIONS\n");
  for (enum option_group group = GROUP_PLAIN; group < OPTION_GROUPS; group++)
    print_options(verb, group, text);
  print_sections(verb, text);
  print_examples(verb, text);
  print_exit(verb, text);
  if (next_of(verb)) {
    print_heading("Next", text);
    print_pieces(next_of(verb), false, text);
  }
}

static void print_group(enum verb group, struct text *text) {
  const bool all = group == NO_VERB;
  print_head(group, all ? help_program : verb_rows[group].summary, text);
  text_print(text, ".B warpwait %s%sVERB\n[OPTION...]\n.SH DESCRIPTION\n", all ? "" : verb_rows[group].name,
             all ? "" : " ");
  print_line(all ? help_program : verb_rows[group].summary, text);
  print_pieces(all ? help_program_more : verb_rows[group].text, true, text);
  text_print(text, ".SH VERBS\n");
  for (enum verb verb = 0; verb < VERBS; verb++)
    if (verb_group(verb) == group && *verb_rows[verb].summary) {
      print_reference(verb, ".TP\n", text);
      text_print(text, "\n");
      print_line(verb_rows[verb].summary, text);
    }
}

/* Refers to the page that lists the verb, and the pages that this page lists. */
static void print_see_also(enum verb verb, struct text *text) {
  if (verb == NO_VERB)
    return;
  text_print(text, ".SH SEE ALSO\n");
  print_reference(verb_group(verb), "", text);
  text_print(text, "\n");
}

char *man_page(enum verb verb) {
  struct text text = {0};
  if (verb == NO_VERB || !verb_rows[verb].operands)
    print_group(verb, &text);
  else
    print_verb(verb, &text);
  print_see_also(verb, &text);
  return text.data;
}
