/* docgen DIR: writes the reference pages that are made from rows. A program of its own: users have no
 * need of it, and the tests compare what it writes with what is in docs/. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/asm/asm.h"
#include "isa/isa.h"
#include "sim/base/file.h"
#include "sim/cli/cli.h"
#include "sim/cli/output.h"
#include "sim/docs/manual.h"
#include "sim/import/opcodes.h"

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
};

int main(int argc, char **argv) {
  struct message message;
  if (argc != 2) {
    fputs("docgen: usage: docgen DIR\n", stderr);
    return STATUS_BAD_INPUT;
  }
  for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
    char path[4096];
    char *text = pages[i].make();
    snprintf(path, sizeof path, "%.4000s/%s", argv[1], pages[i].file);
    bool good = text && output_write(path, text, strlen(text), &message);
    free(text);
    if (!good) {
      message_print(&message);
      return STATUS_BAD_INPUT;
    }
  }
  return STATUS_FINE;
}
