#include "sim/cli/help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN = 30 /* where descriptions of options begin */ };

const char help_program[] = "Show where a GPU's warps wait, on a cycle-approximate simulator of compute units, a "
                            "banked LDS and a DMA engine.";

const char help_program_more[] =
    "An output named - is standard output; a trace or a report named - is standard input.\n\n"
    "Exit status:\n"
    "  0    success\n"
    "  1    the simulated kernel did not pass: a failed check, a deadlock or the cycle limit; a hazard\n"
    "       found by `check`; a difference found by `diff`\n"
    "  2    bad input, reported in one line\n"
    "  3    a bug in warpwait\n"
    "  128  plus the number of the signal that ended it, such as 130 if interrupted";

/* Folds all lines except those that begin with two blanks. */
static void print_paragraphs(const char *words, struct text *text) {
  for (const char *at = words; *at; at += strcspn(at, "\n"), at += *at == '\n') {
    const size_t from = text->length;
    text_print(text, "%.*s\n", (int)strcspn(at, "\n"), at);
    if (*at != ' ')
      text_fold(text, from, 0);
  }
}

static bool has_options(enum verb verb) {
  bool any = false;
  for (size_t i = 0; i < option_row_count; i++)
    any |= is_of(option_rows[i].verbs, verb) && option_rows[i].group != GROUP_GENERAL;
  return any;
}

bool help_usage(enum verb verb, const char **operands, char usage[HELP_USAGE]) {
  const char *form = *operands;
  if (!form)
    return false;
  const size_t length = strcspn(form, "\n");
  snprintf(usage, HELP_USAGE, "warpwait %s%s%s%.*s", verb_rows[verb].name, has_options(verb) ? " [OPTION...]" : "",
           length ? " " : "", (int)length, form);
  *operands = form[length] ? form + length + 1 : NULL;
  return true;
}

void help_option(const struct option_row *row, char option[HELP_OPTION]) {
  const bool letter = *row->letter, optional = row->kind.optional;
  snprintf(option, HELP_OPTION, "%s%s%s--%s%s%s%s", letter ? "-" : "", row->letter, letter ? ", " : "", row->name,
           optional     ? "[="
           : row->value ? " "
                        : "",
           row->value ? row->value : "", optional ? "]" : "");
}

static void print_option(const struct option_row *row, struct text *text) {
  const size_t from = text->length;
  char option[HELP_OPTION];
  help_option(row, option);
  const int blanks = *row->letter ? 2 : 6;
  text_print(text, "%*s%-*s", blanks, "", COLUMN - blanks, option);
  if (strlen(option) + (size_t)blanks + 1 > COLUMN)
    text_print(text, "\n%*s", COLUMN, "");
  text_print(text, "%s\n", row->text);
  text_fold(text, from, COLUMN);
}

static void print_options(enum verb verb, enum option_group group, struct text *text) {
  bool headed = false;
  for (size_t i = 0; i < option_row_count; i++) {
    if (!is_of(option_rows[i].verbs, verb) || option_rows[i].group != group)
      continue;
    if (!headed)
      text_print(text, "\n%s:\n", option_headings[group]);
    headed = true;
    print_option(&option_rows[i], text);
  }
}

static void print_sections(enum verb verb, struct text *text) {
  for (size_t i = 0; i < section_row_count; i++)
    if (is_of(section_rows[i].verbs, verb)) {
      text_print(text, "\n%s:\n", section_rows[i].heading);
      print_paragraphs(section_rows[i].text, text);
    }
}

static void print_examples(enum verb verb, struct text *text) {
  text_print(text, "\nExamples:\n");
  for (size_t i = 0; i < example_row_count; i++)
    if (example_rows[i].verb == verb)
      text_print(text, "  %s\n      %s\n", example_rows[i].command, example_rows[i].text);
}

void help_exit(enum verb verb, struct text *text) {
  const struct exit_row *row = &exit_rows[verb];
  if (!row->fine)
    return;
  text_print(text, "  0    %s\n", row->fine);
  if (row->wrong)
    text_print(text, "  1    %s\n", row->wrong);
  text_print(text, "  2    bad input\n  3    a bug in warpwait\n  130  interrupted\n");
}

void help_next(enum verb verb, struct text *text) {
  struct text line = {0};
  if (!next_of(verb))
    return;
  text_print(&line, "Next: %s", next_of(verb));
  text_print(text, "\n");
  text_paragraph(text, line.data);
  free(line.data);
}

char *help_report(enum verb verb, char *report) {
  struct text text = {0};
  if (!*report)
    return report;
  text_add(&text, report, strlen(report));
  free(report);
  help_next(verb, &text);
  return text.data;
}

static void print_verb(enum verb verb, struct text *text) {
  const struct verb_row *row = &verb_rows[verb];
  const char *operands = row->operands;
  char usage[HELP_USAGE];
  for (bool first = true; help_usage(verb, &operands, usage); first = false)
    text_print(text, "%s %s\n", first ? "Usage:" : "      ", usage);
  text_print(text, "\n");
  text_paragraph(text, row->summary);
  text_print(text, "%s", *row->text ? "\n" : "");
  print_paragraphs(row->text, text);
  for (enum option_group group = GROUP_PLAIN; group < OPTION_GROUPS; group++)
    print_options(verb, group, text);
  print_sections(verb, text);
  print_examples(verb, text);
  if (exit_rows[verb].fine)
    text_print(text, "\nExit status:\n");
  help_exit(verb, text);
  help_next(verb, text);
}

static void print_group(enum verb group, struct text *text) {
  const bool all = group == NO_VERB;
  const char *name = all ? "" : verb_rows[group].name;
  text_print(text, "Usage: warpwait %s%sVERB [OPTION...]\n\n", name, all ? "" : " ");
  print_paragraphs(all ? help_program : verb_rows[group].summary, text);
  text_print(text, "\nVerbs:\n");
  for (enum verb verb = 0; verb < VERBS; verb++)
    if (verb_group(verb) == group && *verb_rows[verb].summary)
      text_print(text, "  %-11s %s\n", verb_word(verb), verb_rows[verb].summary);
  text_print(text, "\n`warpwait %s%sVERB --help` describes a verb.\n", name, all ? "" : " ");
  text_print(text, "\n");
  print_paragraphs(all ? help_program_more : verb_rows[group].text, text);
}

void help_text(enum verb verb, struct text *text) {
  if (verb == NO_VERB || !verb_rows[verb].operands)
    print_group(verb, text);
  else
    print_verb(verb, text);
}
