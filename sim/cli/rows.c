#include "sim/cli/rows.h"

#include <string.h>

#include "sim/base/workers.h"
#include "sim/core/component.h"
#include "sim/host/host.h"
#include "sim/report/report.h"
#include "traces/trace.h"

/* clang-format off */

/* ---- abbreviations in the rows ----------------------------------------------------------------- */

#define IN(id)    (UINT64_C(1) << VERB_##id)
#define LAUNCHERS (IN(RUN) | IN(CHECK) | IN(EXPLAIN))
#define BUILDS    (LAUNCHERS | IN(ASM) | IN(DIS))
#define READERS   (IN(TRACE_INFO) | IN(TRACE_HEAD) | IN(TRACE_DIFF) | IN(TRACE_SLICE) | IN(TRACE_MERGE) | IN(TRACE_CONVERT))
#define RAW       (IN(SWEEP_QUERY) | IN(SWEEP_PLOT) | IN(SWEEP_REPORT) | IN(SWEEP_OPTIMIZE) | IN(EXEC) | IN(COMPLETE)) /* parse their own words */
#define ALL_VERBS (((UINT64_C(1) << VERBS) - 1) & ~RAW)

#define FLAG                   {.is = VALUE_NONE}
#define WORD                   {.is = VALUE_WORD}
#define NUMBER(low, high, of)  {.is = VALUE_NUMBER, .minimum = low, .maximum = high, .unit = of}
#define CHOICE                 {.is = VALUE_CHOICE}
#define OPTIONAL_CHOICE        {.is = VALUE_CHOICE, .optional = true}
#define SUGGESTED(some)        {.is = VALUE_SUGGESTED, .words = some}
#define FILES(suffixes)        {.is = VALUE_FILE, .words = suffixes}
#define FOLDER                 {.is = VALUE_FOLDER}
#define MACHINE_NAME           {.is = VALUE_MACHINE, .words = "ini"}
#define MACHINE_ONLY           {.is = VALUE_MACHINE}
#define PARAMETER              {.is = VALUE_PARAMETER, .words = "="}
#define PARAMETER_NAME         {.is = VALUE_PARAMETER, .words = ""}
#define KERNEL_NAME            {.is = VALUE_KERNEL}
#define EVENT_NAMES            {.is = VALUE_EVENTS}
#define PASS_NAMES             {.is = VALUE_PASSES}
#define VERB_NAME              {.is = VALUE_VERB}

/* ---- tables ------------------------------------------------------------------------------------ */

const char *const option_headings[OPTION_GROUPS] = {
  [GROUP_PLAIN]   = "Options",
  [GROUP_MACHINE] = "Machine",
  [GROUP_KERNEL]  = "Without a launch file",
  [GROUP_REPORT]  = "Report",
  [GROUP_OUTPUT]  = "Output files",
  [GROUP_PARTS]   = "Parts of a timeline (all conditions must hold)",
  [GROUP_RUN]     = "Run",
  [GROUP_OPENCL]  = "OpenCL C",
  [GROUP_READS]   = "Files from others",
  [GROUP_GENERAL] = "General",
};

const struct option_row option_rows[] = {
#define OPTION(id_, letter_, name_, value_, kind_, group_, verbs_, text_, example_) \
  {.id = OPTION_##id_, .letter = letter_, .name = name_, .value = value_, .kind = kind_, .group = GROUP_##group_, \
   .verbs = verbs_, .text = text_, .example = example_},
#define SAME OPTION
#include "sim/cli/options.def"
};
const size_t option_row_count = sizeof option_rows / sizeof *option_rows;

const struct verb_row verb_rows[VERBS] = {
#define VERB(id, function, name, operands, summary, text) [VERB_##id] = {name, operands, summary, text},
#define GROUP(id, name, summary, text) [VERB_##id] = {name, NULL, summary, text},
#include "sim/cli/verbs.def"
};

const struct operands_row operands_rows[VERBS] = {
#define OPERANDS(id, fewest, most, kind, missing, enough) [VERB_##id] = {fewest, most, kind, missing, enough},
#include "sim/cli/verbs.def"
};

const struct example_row example_rows[] = {
#define EXAMPLE(id, command, text) {VERB_##id, command, text},
#include "sim/cli/verbs.def"
};
const size_t example_row_count = sizeof example_rows / sizeof *example_rows;

const struct section_row section_rows[] = {
#define SECTION(verbs, heading, text) {verbs, heading, text},
#include "sim/cli/verbs.def"
};
const size_t section_row_count = sizeof section_rows / sizeof *section_rows;

const struct exit_row exit_rows[VERBS] = {
#define EXIT(id, fine, wrong) [VERB_##id] = {fine, wrong},
#include "sim/cli/verbs.def"
};

static const struct {
  uint64_t verbs;
  const char *text;
} next_rows[] = {
#define NEXT(verbs, text) {verbs, text},
#include "sim/cli/verbs.def"
};

/* clang-format on */

/* ---- lookup ------------------------------------------------------------------------------------ */

const char *next_of(enum verb verb) {
  for (size_t i = 0; i < sizeof next_rows / sizeof *next_rows; i++)
    if (is_of(next_rows[i].verbs, verb))
      return next_rows[i].text;
  return NULL;
}

const struct option_row *option_named(enum verb verb, const char *name) {
  for (size_t i = 0; i < option_row_count; i++)
    if (is_of(option_rows[i].verbs, verb) && strcmp(option_rows[i].name, name) == 0)
      return &option_rows[i];
  return NULL;
}

const struct option_row *option_lettered(enum verb verb, char letter) {
  for (size_t i = 0; i < option_row_count; i++)
    if (is_of(option_rows[i].verbs, verb) && option_rows[i].letter[0] == letter)
      return &option_rows[i];
  return NULL;
}

const struct option_row *option_found(enum verb verb, const char *name, size_t length) {
  const struct option_row *found = NULL;
  bool several = false;
  for (size_t i = 0; i < option_row_count; i++) {
    const struct option_row *row = &option_rows[i];
    if (!is_of(row->verbs, verb) || strncmp(row->name, name, length) != 0)
      continue;
    if (strlen(row->name) == length)
      return row;
    if (row->id == OPTION_HELP || row->id == OPTION_VERSION)
      continue;
    several |= found && found->id != row->id;
    found = row;
  }
  return several ? NULL : found;
}

const char *verb_word(enum verb verb) {
  const char *blank = strrchr(verb_rows[verb].name, ' ');
  return blank ? blank + 1 : verb_rows[verb].name;
}

enum verb verb_group(enum verb verb) {
  const char *name = verb_rows[verb].name;
  const size_t length = (size_t)(verb_word(verb) - name);
  for (enum verb group = 0; length && group < VERBS; group++)
    if (strlen(verb_rows[group].name) == length - 1 && strncmp(verb_rows[group].name, name, length - 1) == 0)
      return group;
  return NO_VERB;
}

enum verb verb_named(enum verb group, const char *word) {
  for (enum verb verb = 0; verb < VERBS; verb++)
    if (verb_group(verb) == group && strcmp(verb_word(verb), word) == 0)
      return verb;
  return NO_VERB;
}
