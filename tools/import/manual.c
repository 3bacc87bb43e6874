/* The manual page of opcodes, generated from their rows. */
#include <stdio.h>
#include <stdlib.h>

#include "isa/rows.h"
#include "tools/import/opcodes.h"

static void put_operations(FILE *out, const struct sass_family_row *row) {
  if (row->operations) {
    fprintf(out, "`%s`", row->operations);
    return;
  }
  for (unsigned i = 0; i < 3; i++)
    if (!i || row->op[i] != row->op[i - 1])
      fprintf(out, "%s`%s`", i ? " " : "", isa_rows[row->op[i]].mnemonic);
  fprintf(out, ", else `%s`", isa_rows[row->op[3]].mnemonic);
}

static void put_families(FILE *out) {
  fputs("| family | operations | what is kept, and what is not |\n|---|---|---|\n", out);
  for (enum sass_family family = 0; family < SASS_FAMILIES; family++) {
    const struct sass_family_row *row = &sass_families[family];
    fprintf(out, "| %s | ", row->name);
    put_operations(out, row);
    fprintf(out, " | %s |\n", row->text);
  }
}

static void put_opcodes(FILE *out) {
  fputs("\n## Opcodes\n\n| family | opcodes |\n|---|---|\n", out);
  for (enum sass_family family = 0; family < SASS_FAMILIES; family++) {
    bool any = false;
    for (size_t i = 0; i < sass_opcode_count; i++) {
      if (sass_opcodes[i].family != family)
        continue;
      if (!any)
        fprintf(out, "| %s |", sass_families[family].name);
      fprintf(out, " %s", sass_opcodes[i].name);
      any = true;
    }
    if (any)
      fputs(" |\n", out);
  }
}

static void put_losses(FILE *out) {
  fputs("\n## What is counted and reported\n\n| what | what becomes of it |\n|---|---|\n", out);
  for (enum sass_loss loss = 0; loss < SASS_LOSSES; loss++)
    fprintf(out, "| %s | %s |\n", sass_losses[loss].name, sass_losses[loss].text);
}

char *sass_manual(void) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  fprintf(
      out,
      "# Opcodes of Accel-Sim's traces\n\nGenerated from `tools/import/sass.def` by `make docs`; edit the rows, not "
      "this page. [accel-sim.md](accel-sim.md) says how traces are\nimported.\n\n"
      "%zu opcodes, each what stands before the first dot of an instruction's name. A family's operation costs "
      "what an operation of\nits class costs on the machine ([isa.md](isa.md)); of several, which one depends on "
      "how many registers are read, or on the width.\nBehind `else` is what an instruction without a result is. "
      "`int` is the family of that name.\n\n## Families\n\n",
      sass_opcode_count);
  put_families(out);
  put_opcodes(out);
  put_losses(out);
  if (fclose(out) == 0)
    return text;
  free(text);
  return NULL;
}
