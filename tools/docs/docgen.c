/* docgen docs|man FOLDER: writes the reference pages that are generated from rows, or the man pages. It is a separate
 * program because users do not need it; the tests compare its output with docs/. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/asm/asm.h"
#include "sim/cli/cli.h"
#include "sim/cli/output.h"
#include "tools/docs/manual.h"
#include "tools/docs/pages.h"
#include "tools/import/opcodes.h"

static const struct {
  const char *file;
  char *(*make)(void);
} pages[] = {
    {"isa.md", isa_manual},
    {"parameters.md", params_manual},
    {"report.md", report_manual},
    {"hazards.md", hazards_manual},
    {"check-report.md", check_manual},
    {"timeline-events.md", timeline_manual},
    {"accel-sim-opcodes.md", sass_manual},
    {"commands.md", commands_manual},
};

/* Frees the text. */
static bool write_page(const char *folder, const char *file, char *text, struct message *message) {
  char path[4096];
  snprintf(path, sizeof path, "%.3900s/%s", folder, file);
  const bool good = text && output_write(path, text, strlen(text), message);
  free(text);
  return good;
}

static bool write_docs(const char *folder, struct message *message) {
  bool good = true;
  for (size_t i = 0; i < sizeof pages / sizeof *pages && good; i++)
    good = write_page(folder, pages[i].file, pages[i].make(), message);
  return good;
}

/* A page for each verb that help lists, and one for the program. */
static bool write_man(const char *folder, struct message *message) {
  bool good = true;
  for (enum verb verb = 0; verb <= NO_VERB && good; verb++) {
    char name[PAGE_NAME];
    if (verb != NO_VERB && !*verb_rows[verb].summary)
      continue;
    man_name(verb, name);
    good = write_page(folder, name, man_page(verb), message);
  }
  return good;
}

int main(int argc, char **argv) {
  struct message message;
  const bool docs = argc == 3 && strcmp(argv[1], "docs") == 0, man = argc == 3 && strcmp(argv[1], "man") == 0;
  if (!docs && !man) {
    fputs("docgen: usage: docgen docs|man FOLDER\n", stderr);
    return STATUS_BAD_INPUT;
  }
  return (docs ? write_docs : write_man)(argv[2], &message) ? STATUS_FINE : console_bad_input(&message);
}
