/* The examples of the help texts work, and each verb reads each of its options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/rows.h"
#include "tests/cli/tool.h"
#include "tests/ct.h"

enum { TEXT = 600 };

/* A folder in which examples/ and tests/ are visible, as in the root of the project. */
static void folder(void) {
  static const char *const seen[] = {"examples", "tests"};
  char root[4096], from[4200], to[200];
  const char *folder = tool_folder(), *warpwait = getenv("WARPWAIT");
  if (!getcwd(root, sizeof root))
    abort();
  if (warpwait && realpath(warpwait, from)) /* searches start the tool from there */
    setenv("WARPWAIT", from, 1);
  for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
    snprintf(from, sizeof from, "%s/%s", root, seen[i]);
    snprintf(to, sizeof to, "%s/%s", folder, seen[i]);
    if (symlink(from, to) != 0)
      abort();
  }
  tool_file("known.txt", "# nothing\n");
  tool_file("numbers.txt", "0\n7\n");
}

/* Status 1 means a difference of two reports, or whatever else an example is about. */
static bool works(const char *command) {
  ct_freed(outcome_free) struct outcome outcome = tool(command + strlen("warpwait "));
  const bool good = outcome.status == 0 || outcome.status == 1;
  if (!good)
    ct_note("%s: status %d: %s", command, outcome.status, outcome.err);
  return good;
}

/* The playground serves until it is interrupted, if it was built. */
static bool is_served(enum verb verb) { return verb == VERB_PLAYGROUND; }

static void expect_that_examples_work(void) {
  folder();
  for (size_t i = 0; i < example_row_count; i++)
    if (!is_served(example_rows[i].verb))
      EXPECT_TRUE(works(example_rows[i].command));
}

/* Whether a verb's example works with the option's example appended, or shows the option itself. An assertion ends a
 * verb that does not read the option. */
static bool is_asked_for(const struct option_row *row, enum verb verb) {
  char command[TEXT], name[40];
  bool good = false;
  snprintf(name, sizeof name, " --%s ", row->name);
  for (size_t i = 0; i < example_row_count && !good; i++) {
    const char *example = example_rows[i].command + strlen("warpwait ");
    const size_t length = strlen(verb_rows[verb].name);
    if (example_rows[i].verb != verb || strncmp(example, verb_rows[verb].name, length) != 0 || example[length] != ' ')
      continue;
    snprintf(command, sizeof command, "%s %s", example_rows[i].command, row->example);
    good = strstr(example, name) || works(command);
  }
  return good;
}

/* The tests have no cluster and no browser. */
static bool is_tried(const struct option_row *row, enum verb verb) {
  return is_of(row->verbs, verb) && verb_rows[verb].operands && !is_served(verb) && row->id != OPTION_DASK &&
         row->id != OPTION_SHARDS;
}

TEST(examples, all_run_in_order_and_each_option_works_under_each_of_its_verbs) {
  expect_that_examples_work();
  for (size_t i = 0; i < option_row_count; i++)
    for (enum verb verb = 0; verb < VERBS; verb++)
      if (is_tried(&option_rows[i], verb))
        EXPECT_TRUE(is_asked_for(&option_rows[i], verb));
}
