/* warpwait complete [WORD...]: completions for the last word after `warpwait`. The shell scripts in sim/cli/completion
 * call it; they contain no verbs or options, so they never go stale.
 *
 * Each line is a candidate, a tab, and its description. ":files json cl" requests files with these suffixes, ":folders"
 * requests folders: shells list both better. A candidate that ends in "=" or "," continues without a blank. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/machine.h"
#include "opencl/opencl.h"
#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/cli/cli.h"
#include "sim/core/timeline.h"
#include "sim/launch/kernels.h"
#include "sim/launch/machines.h"

struct completion {
  struct text text;
  const char *word; /* the word to complete, */
  size_t at;        /* from this position: after "--report=" */
  const char *file; /* the first operand before it, or NULL */
};

static void offer(struct completion *completion, const char *candidate, const char *end, const char *text) {
  const char *begun = completion->word + completion->at;
  if (strncmp(candidate, begun, strlen(begun)) == 0)
    text_print(&completion->text, "%.*s%s%s\t%s\n", (int)completion->at, completion->word, candidate, end, text);
}

/* ---- values -------------------------------------------------------------------------------------- */

/* Offers the words between these separators. */
static void offer_each(struct completion *completion, const char *words, const char *between) {
  char *copy = need_copy(words), *rest = copy;
  for (const char *word; (word = strsep(&rest, between));)
    if (*word)
      offer(completion, word, "", "");
  free(copy);
}

static void offer_files(struct completion *completion, const char *suffixes) {
  text_print(&completion->text, ":files %s\n", suffixes);
}

/* Also offers files with this suffix; NULL: no files. */
static void offer_machines(struct completion *completion, const char *suffix) {
  if (suffix)
    offer_files(completion, suffix);
  for (size_t i = 0; i < preset_count; i++)
    offer(completion, presets[i].name, "", "built-in machine");
}

/* "dma.queue", and after "=" its choices, if any. */
static void offer_parameters(struct completion *completion, const char *end) {
  char key[64];
  const char *begun = completion->word + completion->at;
  const size_t length = strcspn(begun, "=");
  snprintf(key, sizeof key, "%.*s", (int)length, begun);
  const struct param_row *chosen = begun[length] ? param_find(machine_groups, MACHINE_GROUPS, key, NULL, NULL) : NULL;
  if (chosen && chosen->choices) {
    completion->at += length + 1;
    offer_each(completion, chosen->choices, " ");
  }
  for (struct machine_param at = {0}; !begun[length] && machine_param_next(&at);)
    offer(completion, at.key, end, at.row->text);
}

static void offer_kernels(struct completion *completion) {
  struct text names = {0};
  if (completion->file)
    kernels_of_file(completion->file, &names);
  if (names.data)
    offer_each(completion, names.data, "\n");
  free(names.data);
}

/* Completes only the last item of a list. */
static void begin_last(struct completion *completion) {
  const char *comma = strrchr(completion->word + completion->at, ',');
  completion->at = comma ? (size_t)(comma + 1 - completion->word) : completion->at;
}

static void offer_passes(struct completion *completion) {
  begin_last(completion);
  for (enum opencl_pass pass = 0; pass < OPENCL_PASSES; pass++)
    if (pass != PASS_meet)
      offer(completion, opencl_pass[pass].name, "", opencl_pass[pass].text);
}

static void offer_events(struct completion *completion) {
  begin_last(completion);
  for (unsigned i = 0; i < TIMELINE_BLOCKS; i++)
    offer(completion, timeline_block_rows[i].name, "", timeline_block_rows[i].text);
  for (unsigned i = 0; i < TIMELINE_KINDS; i++)
    offer(completion, timeline_kind_rows[i].name, "", timeline_kind_rows[i].text);
}

static void offer_verbs(struct completion *completion, enum verb group) {
  for (enum verb verb = 0; verb < VERBS; verb++)
    if (verb_group(verb) == group && *verb_rows[verb].summary)
      offer(completion, verb_word(verb), "", verb_rows[verb].summary);
}

static void offer_values(struct completion *completion, const struct value_row *kind, const char *value) {
  switch (kind->is) {
  case VALUE_CHOICE:
  case VALUE_SUGGESTED:
    offer_each(completion, kind->words ? kind->words : value, "|");
    break;
  case VALUE_FILE:
    offer_files(completion, kind->words);
    break;
  case VALUE_FOLDER:
    text_print(&completion->text, ":folders\n");
    break;
  case VALUE_MACHINE:
    offer_machines(completion, kind->words);
    break;
  case VALUE_PARAMETER:
    offer_parameters(completion, kind->words);
    break;
  case VALUE_KERNEL:
    offer_kernels(completion);
    break;
  case VALUE_EVENTS:
    offer_events(completion);
    break;
  case VALUE_PASSES:
    offer_passes(completion);
    break;
  case VALUE_VERB:
    offer_verbs(completion, completion->file ? verb_named(NO_VERB, completion->file) : NO_VERB);
    break;
  case VALUE_NONE:
  case VALUE_WORD:
  case VALUE_NUMBER:
    break;
  }
}

/* ---- options ------------------------------------------------------------------------------------- */

static void offer_options(struct completion *completion, enum verb verb) {
  char name[40];
  for (size_t i = 0; i < option_row_count; i++) {
    const struct option_row *row = &option_rows[i];
    snprintf(name, sizeof name, "--%s", row->name);
    if (is_of(row->verbs, verb) && row->group != GROUP_HIDDEN)
      offer(completion, name, "", row->text);
  }
}

/* The option at the end of the word whose value is the next word, or NULL. */
static const struct option_row *awaits_value(enum verb verb, const char *word) {
  const struct option_row *row = NULL;
  if (word[0] != '-' || !word[1] || strchr(word, '='))
    return NULL;
  if (word[1] == '-')
    row = option_found(verb, word + 2, strlen(word + 2));
  for (const char *letter = word + 1; word[1] != '-' && *letter; letter++) {
    row = option_lettered(verb, *letter);
    if (row && row->value && letter[1])
      return NULL;
  }
  return row && row->value && !row->kind.optional ? row : NULL;
}

/* Completes a word that begins with a hyphen: an option, or a value after "=". */
static void complete_option(struct completion *completion, enum verb verb) {
  const char *equals = strchr(completion->word, '=');
  if (!equals) {
    offer_options(completion, verb);
    return;
  }
  const struct option_row *row = strncmp(completion->word, "--", 2) == 0
                                     ? option_found(verb, completion->word + 2, (size_t)(equals - completion->word) - 2)
                                     : NULL;
  completion->at = (size_t)(equals + 1 - completion->word);
  if (row)
    offer_values(completion, &row->kind, row->value);
}

/* Completes the last word after a verb. */
static void complete_word(struct completion *completion, enum verb verb, char **words) {
  const struct option_row *awaited = NULL;
  bool options = true;
  size_t operands = 0;
  for (; words[1]; words++) {
    const bool is_option = options && words[0][0] == '-' && words[0][1];
    if (!awaited && !is_option && !operands++)
      completion->file = *words;
    options &= awaited || strcmp(*words, "--") != 0;
    awaited = awaited || !is_option ? NULL : awaits_value(verb, *words);
  }
  if (awaited)
    offer_values(completion, &awaited->kind, awaited->value);
  else if (options && completion->word[0] == '-')
    complete_option(completion, verb);
  else if (operands < operands_rows[verb].most)
    offer_values(completion, &operands_rows[verb].kind, "");
}

/* Completes the last word after a group. */
static void complete(struct completion *completion, enum verb group, char **words) {
  const enum verb verb = words[1] ? verb_named(group, words[0]) : NO_VERB;
  if (group == VERB_SWEEP && words[1] && strcmp(file_extension(words[0]), ".ini") == 0) {
    complete_word(completion, VERB_SWEEP_RUN, words);
  } else if (verb != NO_VERB && verb_rows[verb].operands) {
    complete_word(completion, verb, words + 1);
  } else if (verb != NO_VERB) {
    complete(completion, verb, words + 1);
  } else if (!words[1]) {
    offer_verbs(completion, group);
    offer_options(completion, VERB_HELP); /* --help and --version, which every verb has */
    if (group == VERB_SWEEP)
      offer_values(completion, &operands_rows[VERB_SWEEP_RUN].kind, "");
  }
}

int verb_complete(struct command *command) {
  struct completion completion = {0};
  struct message message;
  if (command->word_count) {
    completion.word = command->words[command->word_count - 1];
    complete(&completion, NO_VERB, command->words);
  }
  return cli_end(&completion.text, true, &message);
}
