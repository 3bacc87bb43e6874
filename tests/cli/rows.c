/* The command line: the rows of verbs and options, and the parser that uses them. */
#include <ctype.h>
#define option glibc_option /* our enum is called option too */
#include <getopt.h>
#undef option
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/command.h"
#include "sim/cli/help.h"
#include "tests/ct.h"

enum { WORDS = 24, TEXT = 600 };

/* ---- rows ---------------------------------------------------------------------------------------- */

static bool both(const struct option_row *a, const struct option_row *b) { return a->verbs & b->verbs; }

TEST(rows, no_two_options_of_a_verb_have_one_name_or_letter) {
  for (size_t i = 0; i < option_row_count; i++)
    for (size_t j = 0; j < i; j++) {
      const struct option_row *a = &option_rows[i], *b = &option_rows[j];
      if (!both(a, b))
        continue;
      ct_note("--%s and --%s", a->name, b->name);
      EXPECT_TRUE(strcmp(a->name, b->name) != 0);
      EXPECT_TRUE(!*a->letter || strcmp(a->letter, b->letter) != 0);
      EXPECT_TRUE(a->id != b->id || a->group == GROUP_HIDDEN || b->group == GROUP_HIDDEN);
    }
}

static bool is_sentence(const char *text) {
  const size_t length = strlen(text);
  return length && isupper((unsigned char)text[0]) && (text[length - 1] == '.') && !strchr(text, '\n');
}

TEST(rows, options_are_complete) {
  for (size_t i = 0; i < option_row_count; i++) {
    const struct option_row *row = &option_rows[i];
    ct_note("--%s", row->name);
    EXPECT_TRUE(row->verbs && row->name[0] && strlen(row->letter) <= 1);
    EXPECT_TRUE(row->group == GROUP_HIDDEN ? !*row->text : is_sentence(row->text));
    EXPECT_EQ(row->value == NULL, row->kind.is == VALUE_NONE);
    EXPECT_TRUE(!row->value || strlen(row->value) < 24);
    EXPECT_TRUE(row->kind.is != VALUE_CHOICE || strchr(row->value, '|'));
    EXPECT_TRUE(row->kind.is != VALUE_NUMBER || row->kind.minimum < row->kind.maximum);
    for (const char *at = row->name; *at; at++)
      EXPECT_TRUE(islower((unsigned char)*at) || *at == '-');
  }
}

TEST(rows, verbs_are_complete) {
  for (enum verb verb = 0; verb < VERBS; verb++) {
    const struct verb_row *row = &verb_rows[verb];
    const struct operands_row *operands = &operands_rows[verb];
    size_t examples = 0;
    for (size_t i = 0; i < example_row_count; i++)
      examples += example_rows[i].verb == verb;
    ct_note("%s", row->name);
    EXPECT_EQ(verb_named(verb_group(verb), verb_word(verb)), verb);
    if (!*row->summary)
      continue;
    EXPECT_TRUE(is_sentence(row->summary));
    EXPECT_TRUE(!*row->text || row->text[strlen(row->text) - 1] == '.');
    EXPECT_EQ(examples >= 1 && examples <= 5, row->operands != NULL);
    EXPECT_TRUE(operands->fewest <= operands->most);
    EXPECT_TRUE(!operands->fewest || *operands->missing);
  }
}

TEST(rows, help_sections_have_verbs_and_a_heading) {
  for (size_t i = 0; i < section_row_count; i++) {
    EXPECT_TRUE(section_rows[i].verbs);
    EXPECT_TRUE(isupper((unsigned char)section_rows[i].heading[0]));
  }
}

/* ---- help ---------------------------------------------------------------------------------------- */

static void expect_narrow(const char *text) {
  for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    ct_note("%.*s", (int)strcspn(line, "\n"), line);
    EXPECT_LE(strcspn(line, "\n"), 100);
  }
}

TEST(help, has_all_options_and_examples_in_lines_of_100_columns) {
  for (enum verb verb = 0; verb <= NO_VERB; verb++) {
    struct text text = {0};
    if (verb != NO_VERB && !*verb_rows[verb].summary)
      continue;
    help_text(verb, &text);
    expect_narrow(text.data);
    for (size_t i = 0; i < option_row_count && verb != NO_VERB && verb_rows[verb].operands; i++) {
      char option[HELP_OPTION];
      help_option(&option_rows[i], option);
      if (is_of(option_rows[i].verbs, verb) && option_rows[i].group != GROUP_HIDDEN)
        EXPECT_CONTAINS(text.data, option);
    }
    for (size_t i = 0; i < example_row_count; i++)
      if (example_rows[i].verb == verb)
        EXPECT_CONTAINS(text.data, example_rows[i].command);
    EXPECT_TRUE(!strstr(text.data, "--order") && !strstr(text.data, "complete"));
    free(text.data);
  }
}

/* ---- examples ------------------------------------------------------------------------------------ */

/* Splits a copy of the line at blanks. */
static char *cut(const char *line, char *words[WORDS]) {
  char *copy = strdup(line), *rest = copy, *word;
  size_t count = 0;
  while ((word = strsep(&rest, " ")) && count < WORDS - 1)
    if (*word)
      words[count++] = word;
  words[count] = NULL;
  return copy;
}

/* The verb of "warpwait trace info ..."; *words advances past it. */
static enum verb verb_of(char ***words) {
  enum verb verb = NO_VERB;
  for (++*words; **words; ++*words) {
    const enum verb next = verb_named(verb, **words);
    if (next == NO_VERB)
      break;
    verb = next;
  }
  return verb;
}

TEST(rows, examples_parse) {
  for (size_t i = 0; i < example_row_count; i++) {
    char *words[WORDS], **at = words;
    struct command command;
    struct message message = {""};
    ct_freed(ct_free) char *line = cut(example_rows[i].command, words);
    ct_note("%s", line);
    EXPECT_STREQ(words[0], "warpwait");
    EXPECT_TRUE(is_sentence(example_rows[i].text));
    const enum verb verb = verb_of(&at);
    EXPECT_TRUE(verb < VERBS && command_parse(&command, verb, at, &message));
    EXPECT_STREQ(message.text, "");
    command_free(&command);
  }
}

/* The verb's own example with the option's example appended. */
static void expect_taken(const struct option_row *row, enum verb verb) {
  for (size_t i = 0; i < example_row_count; i++) {
    char text[TEXT], *words[WORDS], **at = words;
    struct command command;
    struct message message = {""};
    snprintf(text, sizeof text, "%s %s", example_rows[i].command, row->example);
    ct_freed(ct_free) char *line = cut(text, words);
    if (verb_of(&at) == verb) {
      ct_note("%s", text);
      EXPECT_TRUE(command_parse(&command, verb, at, &message));
      EXPECT_STREQ(message.text, "");
      EXPECT_TRUE(command_has(&command, row->id) || command.wants_help || command.wants_version);
      command_free(&command);
    }
  }
}

TEST(rows, each_options_example_parses_under_each_of_its_verbs) {
  for (size_t i = 0; i < option_row_count; i++)
    for (enum verb verb = 0; verb < VERBS; verb++)
      if (is_of(option_rows[i].verbs, verb))
        expect_taken(&option_rows[i], verb);
}

/* ---- the parser ---------------------------------------------------------------------------------- */

/* Formats the parsed line as "report=json 'a' 'b'", or as "!" and the message. */
static void parse(enum verb verb, const char *line, char told[TEXT]) {
  char *words[WORDS];
  ct_freed(command_free) struct command command;
  struct message message = {""};
  ct_freed(ct_free) char *copy = cut(line, words);
  size_t used = 0;
  const bool good = command_parse(&command, verb, words, &message);
  told[0] = '\0';
  if (!good)
    snprintf(told, TEXT, "!%.500s", message.text);
  else if (command.wants_help || command.wants_version)
    snprintf(told, TEXT, "%s", command.wants_help ? "help" : "version");
  for (size_t i = 0; good && i < command.count; i++)
    used += (size_t)snprintf(told + used, TEXT - used, "%s%s%s%s", used ? " " : "", command.given[i].row->name,
                             command.given[i].word ? "=" : "", command.given[i].word ? command.given[i].word : "");
  for (size_t i = 0; good && i < command.operands.count; i++)
    used += (size_t)snprintf(told + used, TEXT - used, "%s'%s'", used ? " " : "", command.operands.word[i]);
}

static void expect(enum verb verb, const char *line, const char *wanted) {
  char told[TEXT];
  parse(verb, line, told);
  ct_note("%s %s", verb_rows[verb].name, line);
  EXPECT_STREQ(told, wanted);
}

TEST(command, options_are_accepted_by_letter_name_and_prefix) {
  expect(VERB_RUN, "a.json", "'a.json'");
  expect(VERB_RUN, "a.json --report json", "report=json 'a.json'");
  expect(VERB_RUN, "a.json --report=json", "report=json 'a.json'");
  expect(VERB_RUN, "a.json -r json -o x", "report=json out=x 'a.json'");
  expect(VERB_RUN, "a.json -rjson -ox", "report=json out=x 'a.json'");
  expect(VERB_RUN, "a.json -qo x", "quiet out=x 'a.json'");
  expect(VERB_RUN, "a.json -qox", "quiet out=x 'a.json'");
  expect(VERB_RUN, "a.json --rep json --annot", "report=json annotate 'a.json'");
  expect(VERB_RUN, "a.json --ver", "verify 'a.json'"); /* not --version */
  expect(VERB_RUN, "a.json --html x --html-v y=1", "html=x html-vary=y=1 'a.json'");
  expect(VERB_RUN, "a.json --out=", "out= 'a.json'");
  expect(VERB_RUN, "a.json -s a=1 -s b=2", "set=a=1 set=b=2 'a.json'");
}

TEST(command, optional_values_must_be_joined) {
  expect(VERB_RUN, "--why a.json", "why 'a.json'");
  expect(VERB_RUN, "--why=no a.json", "why=no 'a.json'");
  expect(VERB_RUN, "--why no", "why 'no'");
}

TEST(command, operands_may_stand_anywhere_and_everything_after_two_dashes_is_one) {
  expect(VERB_DIFF, "a --top 3 b", "top=3 'a' 'b'");
  expect(VERB_DIFF, "--top 3 a b", "top=3 'a' 'b'");
  expect(VERB_DIFF, "a b --top 3", "top=3 'a' 'b'");
  expect(VERB_DIFF, "-- --top -q", "'--top' '-q'");
  expect(VERB_DIFF, "- --", "!two reports, traces or logs are needed; --help says more");
  expect(VERB_DIFF, "- x", "'-' 'x'");
  expect(VERB_DIFF, "-o -- a b", "out=-- 'a' 'b'");
}

TEST(command, hidden_options_are_accepted) {
  expect(VERB_RUN, "a.json --order shuffled:3", "order=shuffled:3 'a.json'");
  expect(VERB_ASM, "a.cl --output b", "output=b 'a.cl'");
  expect(VERB_ASM, "a.cl --ou b", "output=b 'a.cl'"); /* out and output are one option */
}

TEST(command, help_is_given_whatever_else_is_wrong) {
  expect(VERB_RUN, "--frob --help", "help");
  expect(VERB_RUN, "-h", "help");
  expect(VERB_RUN, "a b c -?", "help");
  expect(VERB_RUN, "--report xml --version", "version");
  expect(VERB_RUN, "-V", "version");
  expect(VERB_RUN, "-- --help", "'--help'");
}

TEST(command, each_error_is_reported) {
  expect(VERB_RUN, "", "!a launch file or a kernel is missing; --help says more");
  expect(VERB_RUN, "a b c", "!b: only one launch file or kernel is allowed");
  expect(VERB_RUN, "a --zork", "!--zork: no such option; --help lists them");
  expect(VERB_RUN, "a --repotr json", "!--repotr: no such option; did you mean '--report'?");
  expect(VERB_RUN, "a --reprot=json", "!--reprot: no such option; did you mean '--report'?");
  expect(VERB_RUN, "a --json", "!--json: no such option; did you mean '--report json'?");
  expect(VERB_ASM, "a --json", "!--json: is not an option of this verb, but of `warpwait trace info`");
  expect(VERB_RUN, "a --ordr x", "!--ordr: no such option; --help lists them"); /* hidden options are not suggested */
  expect(VERB_RUN, "a --o x", "!--o: no such option; --help lists them");       /* out, offset, order */
  expect(VERB_RUN, "a --hel", "!--hel: no such option; did you mean '--help'?");
  expect(VERB_RUN, "a --=x", "!--: no such option; --help lists them");
  expect(VERB_RUN, "a -qx", "!-qx: no such option; --help lists them");
  expect(VERB_RUN, "a --quiet=1", "!--quiet=1: takes no value");
  expect(VERB_RUN, "a --out", "!--out: needs a value, FILE");
  expect(VERB_RUN, "a -qo", "!-qo: needs a value, FILE");
  expect(VERB_RUN, "a --report xml", "!--report: 'xml' is not one of: text json");
  expect(VERB_RUN, "a --report tex", "!--report: 'tex' is not one of: text json");
  expect(VERB_RUN, "a --why=maybe", "!--why: 'maybe' is not one of: yes no");
  expect(VERB_CHECK, "a --max-hazards x", "!--max-hazards: 'x' is not a whole number in [0, 4294967295] hazards");
  expect(VERB_EXPLAIN, "a -j0", "!--jobs: '0' is not a whole number in [1, 256] processes");
  expect(VERB_EXPLAIN, "a -j257", "!--jobs: '257' is not a whole number in [1, 256] processes");
  expect(VERB_EXPLAIN, "a -j257 -x", "!--jobs: '257' is not a whole number in [1, 256] processes"); /* the first */
  expect(VERB_PLAYGROUND, "x", "!x: no operand is allowed; --folder names the folder");
}

TEST(command, words_of_verbs_without_options_are_not_parsed) {
  char *words[] = {(char[]){"--help"}, (char[]){"-x"}, NULL};
  ct_freed(command_free) struct command command;
  struct message message;
  EXPECT_TRUE(command_parse(&command, VERB_SWEEP_QUERY, words, &message));
  EXPECT_EQ(command.word_count, 2);
  EXPECT_EQ(command.count + command.operands.count, 0);
}

TEST(command, given_options_can_be_queried_and_the_last_counts) {
  char *words[] = {(char[]){"--set=a"}, (char[]){"--max-cycles=5"},
                   (char[]){"-sb"},     (char[]){"--max-cycles=7"},
                   (char[]){"-q"},      (char[]){"x"},
                   (char[]){"-rjson"},  NULL};
  ct_freed(command_free) struct command command;
  struct message message;
  uint64_t number = 1, other = 2;
  ASSERT_TRUE(command_parse(&command, VERB_RUN, words, &message));
  EXPECT_TRUE(command_number(&command, OPTION_MAX_CYCLES, &number));
  EXPECT_EQ(number, 7);
  EXPECT_FALSE(command_number(&command, OPTION_FROM, &other));
  EXPECT_EQ(other, 2);
  EXPECT_EQ(command_choice(&command, OPTION_REPORT), 1);
  EXPECT_EQ(command_choice(&command, OPTION_HOST), 0);
  EXPECT_STREQ(command_forgotten(&command)->name, "set");
  struct words sets = command_words(&command, OPTION_SET);
  EXPECT_EQ(sets.count, 2);
  EXPECT_STREQ(sets.word[1], "b");
  EXPECT_STREQ(command_word(&command, OPTION_SET), "b");
  EXPECT_STREQ(command_forgotten(&command)->name, "quiet");
  EXPECT_TRUE(command_has(&command, OPTION_QUIET));
  EXPECT_TRUE(!command_forgotten(&command));
  EXPECT_STREQ(command_operand(&command, 0), "x");
  EXPECT_TRUE(!command_operand(&command, 1));
  free(sets.word);
}

/* ---- compared with glibc ------------------------------------------------------------------------------- */

/* One key for all rows of an option: --out and --output are the same. */
static int key_of(const struct option_row *row, enum verb verb) {
  for (size_t i = 0; i < option_row_count; i++)
    if (option_rows[i].id == row->id && is_of(option_rows[i].verbs, verb) && *option_rows[i].letter)
      return *option_rows[i].letter;
  return 256 + (int)row->id;
}

/* What getopt_long() makes of a line, in the format of parse(); false: it refuses. */
static bool parse_theirs(enum verb verb, char **words, size_t count, char told[TEXT]) {
  struct glibc_option longs[OPTIONS + 1] = {{0}};
  char shorts[2 * OPTIONS + 2] = "", *argv[WORDS] = {(char[]){"warpwait"}};
  size_t used = 0, options = 0;
  for (size_t i = 0; i < option_row_count; i++) {
    const struct option_row *row = &option_rows[i];
    const int has = row->kind.is == VALUE_NONE ? no_argument
                    : row->kind.optional       ? optional_argument
                                               : required_argument;
    if (!is_of(row->verbs, verb) || row->id == OPTION_HELP || row->id == OPTION_VERSION)
      continue;
    longs[options++] = (struct glibc_option){row->name, has, NULL, key_of(row, verb)};
    strcat(strcat(shorts, row->letter), *row->letter && has ? ":" : "");
  }
  memcpy(argv + 1, words, count * sizeof *words);
  told[0] = '\0';
  optind = 0;
  opterr = 0;
  for (int key, at; at = -1, (key = getopt_long((int)count + 1, argv, shorts, longs, &at)) != -1;) {
    if (key == '?')
      return false;
    used += (size_t)snprintf(told + used, TEXT - used, "%s%d%s%s", used ? " " : "", key, optarg ? "=" : "",
                             optarg ? optarg : "");
  }
  for (int i = optind; i <= (int)count; i++)
    used += (size_t)snprintf(told + used, TEXT - used, "%s'%s'", used ? " " : "", argv[i]);
  return true;
}

static void report_ours(const struct command *command, char told[TEXT]) {
  size_t used = 0;
  told[0] = '\0';
  for (size_t i = 0; i < command->count; i++) {
    const struct given *given = &command->given[i];
    used += (size_t)snprintf(told + used, TEXT - used, "%s%d%s%s", used ? " " : "", key_of(given->row, command->verb),
                             given->word ? "=" : "", given->word ? given->word : "");
  }
  for (size_t i = 0; i < command->operands.count; i++)
    used += (size_t)snprintf(told + used, TEXT - used, "%s'%s'", used ? " " : "", command->operands.word[i]);
}

static void expect_as_theirs(enum verb verb, char **words, size_t count) {
  char line[TEXT] = "", ours[TEXT], theirs[TEXT];
  ct_freed(command_free) struct command command;
  struct message message = {""};
  for (size_t i = 0; i < count; i++)
    snprintf(line + strlen(line), sizeof line - strlen(line), " %s", words[i]);
  ct_note("%s%s", verb_rows[verb].name, line);
  const bool good = command_parse(&command, verb, words, &message);
  const size_t operands = command.operands.count;
  report_ours(&command, ours);
  if (!parse_theirs(verb, words, count, theirs))
    EXPECT_FALSE(good);
  else if (strstr(message.text, "is not a whole number")) /* which glibc does not check */
    EXPECT_FALSE(good);
  else if (good || operands < operands_rows[verb].fewest || operands > operands_rows[verb].most)
    EXPECT_STREQ(ours, theirs);
  else
    EXPECT_STREQ(message.text, "");
}

/* The values are legal for every number; options with choices are left out. */
TEST(command, words_are_parsed_as_glibc_parses_them) {
  static const enum verb verbs[] = {VERB_ASM,         VERB_DIS,        VERB_TRACE_SLICE,
                                    VERB_TRACE_MERGE, VERB_TRACE_DIFF, VERB_SWEEP_RUN};
  static const char *const pieces[] = {
      "1",       "a",         "-",        "--",    "",      "--out",  "--ou",   "--out=1", "-o",         "-o1",
      "-D",      "-DI",       "-I",       "-q",    "-qq",   "-qj1",   "-j",     "--out=",  "--salvage",  "--sal",
      "--s",     "--memory",  "--mem=1",  "--fr",  "--to",  "--to=1", "--from", "--group", "--files",    "--files=1",
      "--shard", "--context", "--count1", "-n",    "-n1",   "-x",     "--no",   "--no-c",  "--define=a", "--=1",
      "--left",  "--le",      "--l",      "--lim", "--all", "--a",    "--an",   "--time",  "--tim"};
  uint64_t random = 1;
  for (int i = 0; i < 20000; i++) {
    const enum verb verb = verbs[ct_random(&random) % (sizeof verbs / sizeof *verbs)];
    char *words[WORDS] = {NULL};
    const size_t count = ct_random(&random) % 8;
    for (size_t at = 0; at < count; at++)
      words[at] = strdup(pieces[ct_random(&random) % (sizeof pieces / sizeof *pieces)]);
    expect_as_theirs(verb, words, count);
    for (size_t at = 0; at < count; at++)
      free(words[at]);
  }
}
