/* Generates docs/commands.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/help.h"
#include "tools/docs/pages.h"

bool next_piece(const char **at, struct piece *piece) {
  *at += strspn(*at, "\n");
  *piece = (struct piece){.words = *at, .verbatim = **at == ' '};
  while (**at && (**at == ' ') == piece->verbatim && **at != '\n') {
    *at += strcspn(*at, "\n");
    piece->length = (size_t)(*at - piece->words);
    *at += **at == '\n';
  }
  return piece->length;
}

static void print_pieces(const char *words, struct text *text) {
  struct piece piece;
  while (next_piece(&words, &piece))
    text_print(text, piece.verbatim ? "\n```\n%.*s\n```\n" : "\n%.*s\n", (int)piece.length, piece.words);
}

/* A bar would end a table cell. */
static void print_cell(const char *words, struct text *text) {
  for (; *words; words++)
    text_print(text, *words == '|' ? "\\|" : "%c", *words);
}

static void print_option(const struct option_row *row, struct text *text) {
  char option[HELP_OPTION];
  help_option(row, option);
  text_print(text, "| `");
  print_cell(option, text);
  text_print(text, "` | ");
  print_cell(row->text, text);
  text_print(text, " | `%s` |\n", row->example);
}

static void print_options(enum verb verb, enum option_group group, struct text *text) {
  bool headed = false;
  for (size_t i = 0; i < option_row_count; i++) {
    const struct option_row *row = &option_rows[i];
    if (!is_of(row->verbs, verb) || row->group != group || row->id == OPTION_HELP || row->id == OPTION_VERSION)
      continue;
    if (!headed)
      text_print(text, "\n| %s | | example |\n|---|---|---|\n", option_headings[group]);
    headed = true;
    print_option(row, text);
  }
}

static void print_examples(enum verb verb, struct text *text) {
  text_print(text, "\n```\n");
  for (size_t i = 0; i < example_row_count; i++)
    if (example_rows[i].verb == verb)
      text_print(text, "# %s\n%s\n", example_rows[i].text, example_rows[i].command);
  text_print(text, "```\n");
}

static void print_exit(enum verb verb, struct text *text) {
  struct text status = {0};
  help_exit(verb, &status);
  if (status.length)
    text_print(text, "\nExit status:\n\n```\n%s```\n", status.data);
  free(status.data);
}

static void print_verb(enum verb verb, struct text *text) {
  const char *operands = verb_rows[verb].operands;
  char usage[HELP_USAGE];
  text_print(text, "\n## `warpwait %s`\n\n%s\n", verb_rows[verb].name, verb_rows[verb].summary);
  for (const char *fence = "\n```\n"; help_usage(verb, &operands, usage); fence = "")
    text_print(text, "%s%s\n", fence, usage);
  text_print(text, "%s", verb_rows[verb].operands ? "```\n" : "");
  print_pieces(verb_rows[verb].text, text);
  for (enum option_group group = GROUP_PLAIN; group < OPTION_GROUPS; group++)
    print_options(verb, group, text);
  if (verb_rows[verb].operands)
    print_examples(verb, text);
  print_exit(verb, text);
  if (next_of(verb))
    text_print(text, "\nNext: %s\n", next_of(verb));
}

static void print_section(const struct section_row *row, struct text *text) {
  const char *comma = "";
  text_print(text, "\n## %s\n\nOf ", row->heading);
  for (enum verb verb = 0; verb < VERBS; verb++)
    if (is_of(row->verbs, verb)) {
      text_print(text, "%s`%s`", comma, verb_rows[verb].name);
      comma = ", ";
    }
  text_print(text, ".\n");
  print_pieces(row->text, text);
}

char *commands_manual(void) {
  struct text text = {0};
  text_print(
      &text,
      "# Commands\n\n"
      "Made by `make docs` from `sim/cli/verbs.def` and `sim/cli/options.def`, as are `--help`, the man pages, and "
      "what shells complete.\n\n"
      "`--option value` and `--option=value` are the same, and so are `-o FILE` and `-oFILE`. Letters without values "
      "can be joined, names of options can be shortened while they stay unambiguous, and options may follow "
      "operands; after `--`, every word is an operand. `-h` and `-V` work everywhere.\n");
  print_pieces(help_program_more, &text);
  text_print(&text, "\n| verb | |\n|---|---|\n");
  for (enum verb verb = 0; verb < VERBS; verb++)
    if (*verb_rows[verb].summary) {
      text_print(&text, "| [`%s`](#warpwait-", verb_rows[verb].name);
      for (const char *at = verb_rows[verb].name; *at; at++)
        text_print(&text, "%c", *at == ' ' ? '-' : *at);
      text_print(&text, ") | %s |\n", verb_rows[verb].summary);
    }
  for (enum verb verb = 0; verb < VERBS; verb++)
    if (*verb_rows[verb].summary)
      print_verb(verb, &text);
  for (size_t i = 0; i < section_row_count; i++)
    print_section(&section_rows[i], &text);
  return text.data;
}
