/* What can be typed: verbs.def and options.def as tables.
 *
 *     options.def ──┬─► the parser (line.h)        verbs.def ──► which verb (cli.h)
 *     verbs.def   ──┼─► --help (help.h)
 *                   ├─► completion (complete.c)
 *                   └─► man pages, docs/commands.md (sim/docs)
 *
 * Invariant: an option that no row has can be neither typed nor asked for. */
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

/* What a value is: the parser checks numbers and choices, completion knows where others come from. */
enum value_kind {
  VALUE_NONE,      /* a flag: there is none */
  VALUE_WORD,      /* anything */
  VALUE_NUMBER,    /* a whole number in [minimum, maximum] */
  VALUE_CHOICE,    /* a word of the row's value, "text|json" */
  VALUE_SUGGESTED, /* probably a word of `words`, or of the row's value if that is NULL; whoever takes it checks it */
  VALUE_FILE,      /* a file, probably with one of the suffixes in `words` */
  VALUE_FOLDER,
  VALUE_MACHINE,   /* a built-in machine, or a file with the suffix in `words` */
  VALUE_PARAMETER, /* a parameter of a machine, and if that is in `words` "=" and a value */
  VALUE_KERNEL,    /* a kernel of the file on the line */
  VALUE_EVENTS,    /* blocks and kinds of events of a timeline, with commas between */
  VALUE_PASSES,    /* passes of the compiler, with commas between */
  VALUE_VERB,
};

struct value_row {
  enum value_kind is;
  bool optional; /* --why, --why=no */
  uint64_t minimum, maximum;
  const char *unit, *words;
};

/* Under which heading help has an option. */
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
  uint64_t verbs; /* a bit each */
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

/* What the statuses 0 and 1 mean; NULL: nothing to say of it. */
struct exit_row {
  const char *fine, *wrong;
};
extern const struct exit_row exit_rows[VERBS];

static inline bool is_of(uint64_t verbs, enum verb verb) { return verbs >> verb & 1; }

/* The row of an option of a verb by its whole name; NULL when there is none. */
const struct option_row *option_named(enum verb verb, const char *name);

/* By its letter; and by its name or, as getopt_long() has it, a beginning that no other option's name has. --help and
 * --version, which all verbs have, do not count there: `run --ver` is --verify. */
const struct option_row *option_lettered(enum verb verb, char letter);
const struct option_row *option_found(enum verb verb, const char *name, size_t length);

/* The verb of `group` (NO_VERB: of none) that is called so; NO_VERB when there is none. */
enum verb verb_named(enum verb group, const char *word);

/* The group that a verb belongs to, or NO_VERB; and the last word of its name. */
enum verb verb_group(enum verb verb);
const char *verb_word(enum verb verb);

#endif
