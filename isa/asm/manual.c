/* The reference manual as markdown: every row of ops.def, in the order of the file. The expression that it prints for
 * an operation is the text that the executor is compiled from. */
#include "isa/asm/asm.h"
#include "isa/ops.h"
#include "isa/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *commit_point(enum isa_class class_) {
  switch (class_) {
  case ISA_CLASS_LDS:
  case ISA_CLASS_MBARRIER:
  case ISA_CLASS_PHASE:
    return "the first pass over the LDS banks";
  case ISA_CLASS_GLOBAL:
  case ISA_CLASS_PIPE:
    return "the L2 accepts the access";
  case ISA_CLASS_COPY_LANE:
    return "read when the L2 accepts the access, written in its first pass over the LDS banks";
  case ISA_CLASS_COPY:
    return "each burst lands";
  case ISA_CLASS_COPY_FENCE:
    return "never: it orders the copies around it";
  case ISA_CLASS_BARRIER:
    return "the last warp arrives";
  case ISA_CLASS_FENCE:
  case ISA_CLASS_WAIT:
  case ISA_CLASS_LANE_WAIT:
    return "what it waits for is done";
  case ISA_CLASS_PREFETCH:
    return "never: it changes no state";
  default:
    return "issue";
  }
}

/* How an operand with this letter is written. */
static void put_operand(FILE *out, char letter, const struct isa_row *row) {
  const struct isa_operand *operand = isa_operand(letter);
  if (operand->shape) {
    fputs(operand->shape, out);
    return;
  }
  fprintf(out, "%c:", letter | 0x20);
  for (const char *c = isa_types[isa_operand_type(row, operand->named[0])].name; *c; c++)
    fputc(*c >= 'A' && *c <= 'Z' ? *c | 0x20 : *c, out);
}

/* Escapes a bar, which would end the table cell. */
static void put_cell(FILE *out, const char *text) {
  for (; *text; text++)
    fputs(*text == '|' ? "\\|" : (char[]){*text, '\0'}, out);
}

static void put_row(FILE *out, const struct isa_row *row) {
  fprintf(out, "| `%s` | ", row->mnemonic);
  bool first = true;
  for (const char *letter = isa_formats[row->format].operands; *letter; letter++) {
    if (!isa_has_operand(row, *letter))
      continue;
    fputs(first ? "" : ", ", out);
    put_operand(out, *letter, row);
    first = false;
  }
  fprintf(out, " | %s | ", isa_class_name(row->class_));
  put_cell(out, row->text);
  fputs(" | `", out);
  put_cell(out, row->expression);
  fputs("` |\n", out);
}

static void put_classes(FILE *out) {
  static const char *const texts[ISA_CLASSES] = {
#define CLASS(id, name, runs, text) text,
#include "isa/classes.def"
#undef CLASS
  };
  fputs("## Classes\n\nThe class says which unit runs an operation and when its effect is there.\n\n"
        "| class | runs | commits when |\n|---|---|---|\n",
        out);
  for (enum isa_class class_ = 0; class_ < ISA_CLASSES; class_++)
    fprintf(out, "| %s | %s | %s |\n", isa_class_name(class_), texts[class_], commit_point(class_));
}

static void put_types(FILE *out) {
  fputs("\n## Operand types\n\n| type | is | registers | bytes in memory |\n|---|---|---|---|\n", out);
  for (enum isa_type type = 1; type < ISA_TYPES; type++) {
    const struct isa_type_row *row = &isa_types[type];
    fprintf(out, "| %s | %s | %u | %u |\n", row->name, row->text, row->registers, row->bytes);
  }
}

char *isa_manual(void) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  fprintf(out,
          "# The operations\n\nGenerated from `isa/ops.def` by `make docs`; edit the rows, not this page. How to "
          "write them down is in\n[assembly.md](assembly.md).\n\n"
          "%d operations. The expression is the C text that the executor is compiled from: `a`, `b`, `c` are a "
          "lane's operands, the\nvalue is what is written; of loads, stores, branches, copies and mbarriers it is a "
          "description. "
          "Shift and rotate amounts are taken modulo the width. "
          "Division by zero gives all ones. Floats\nround to nearest even, keep subnormals, and every NaN is the "
          "quiet NaN of its width.\n\n",
          ISA_OPS);
  put_classes(out);
  put_types(out);
  fputs("\n## Operations\n\n| operation | operands | class | effect | expression |\n|---|---|---|---|---|\n", out);
  for (enum isa_op op = 0; op < ISA_OPS; op++)
    put_row(out, &isa_rows[op]);
  if (fclose(out) == 0)
    return text;
  free(text);
  return NULL;
}
