/* What can be typed: verbs.def and options.def as tables.
 *
 *     options.def ──┬─► the parser (command.h)     verbs.def ──► which verb (cli.h)
 *     verbs.def   ──┼─► --help (help.h)
 *                   ├─► completion (complete.c)
 *                   └─► man pages, docs/commands.md (tools/docs)
 *
 * Invariant: an option without a row can be neither typed nor queried. */
#ifndef SIM_CLI_ROWS_H
#define SIM_CLI_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum verb {
#define VERB(id, ...) VERB_##id,
#define GROUP(id, ...) VERB_##id,
#include "sim/cli/verbs.def"
  VERBS,
  NO_VERB = VERBS
};

enum option {
#define OPTION(id, ...) OPTION_##id,
#include "sim/cli/options.def"
  OPTIONS
};

/* What kind of value an option has: the parser checks numbers and choices; completion knows the sources of the
 * others. */
enum value_kind {
  VALUE_NONE,      /* a flag: no value */
  VALUE_WORD,      /* anything */
  VALUE_NUMBER,    /* a whole number in [minimum, maximum] */
  VALUE_CHOICE,    /* a word of the row's value, "text|json" */
  VALUE_SUGGESTED, /* usually a word of `words` (NULL: of the row's value); the code that uses it checks it */
  VALUE_FILE,      /* a file, usually with a suffix in `words` */
  VALUE_FOLDER,
  VALUE_MACHINE,   /* a built-in machine, or a file with the suffix in `words` */
  VALUE_PARAMETER, /* a parameter of a machine; also "=" and a value if `words` contains "=" */
  VALUE_KERNEL,    /* a kernel of the file that is the operand */
  VALUE_EVENTS,    /* units and kinds of a timeline's events, separated by commas */
  VALUE_PASSES,    /* compiler passes, separated by commas */
  VALUE_VERB,
};

struct value_row {
  enum value_kind is;
  bool optional; /* both --why and --why=no are legal */
  uint64_t minimum, maximum;
  const char *unit, *words;
};

/* The heading in help under which the option appears. */
enum option_group {
  GROUP_HIDDEN,
  GROUP_PLAIN,
  GROUP_MACHINE,
  GROUP_KERNEL,
  GROUP_REPORT,
  GROUP_OUTPUT,
  GROUP_PARTS,
  GROUP_RUN,
  GROUP_OPENCL,
  GROUP_READS,
  GROUP_GENERAL,
  OPTION_GROUPS
};
extern const char *const option_headings[OPTION_GROUPS];

struct option_row {
  enum option id;
  const char *letter; /* "" or one */
  const char *name, *value;
  struct value_row kind;
  enum option_group group;
  uint64_t verbs; /* a bitmap */
  const char *text, *example;
};
extern const struct option_row option_rows[];
extern const size_t option_row_count;

struct verb_row {
  const char *name;     /* "trace info" */
  const char *operands; /* NULL: a group of verbs */
  const char *summary;  /* "": not shown */
  const char *text;
};
extern const struct verb_row verb_rows[VERBS];

struct operands_row {
  size_t fewest, most;
  struct value_row kind;
  const char *missing, *enough;
};
extern const struct operands_row operands_rows[VERBS];

struct example_row {
  enum verb verb;
  const char *command, *text;
};
extern const struct example_row example_rows[];
extern const size_t example_row_count;

struct section_row {
  uint64_t verbs;
  const char *heading, *text;
};
extern const struct section_row section_rows[];
extern const size_t section_row_count;

/* What the statuses 0 and 1 mean; NULL: not explained. */
struct exit_row {
  const char *fine, *wrong;
};
extern const struct exit_row exit_rows[VERBS];

/* What helps after a verb; NULL: nothing is known. */
const char *next_of(enum verb verb);

static inline bool is_of(uint64_t verbs, enum verb verb) { return verbs >> verb & 1; }

/* The row of a verb's option by its full name; NULL: there is none. */
const struct option_row *option_named(enum verb verb, const char *name);

/* By letter; and by name or, like getopt_long(), by a unique prefix. Prefixes ignore --help and --version, which all
 * verbs have: `run --ver` is --verify. */
const struct option_row *option_lettered(enum verb verb, char letter);
const struct option_row *option_found(enum verb verb, const char *name, size_t length);

/* The verb of this name in `group` (NO_VERB: outside groups); NO_VERB: there is none. */
enum verb verb_named(enum verb group, const char *word);

/* The group of a verb, or NO_VERB; and the last word of its name. */
enum verb verb_group(enum verb verb);
const char *verb_word(enum verb verb);

#endif
