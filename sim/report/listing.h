/* A program's instructions as text. */
#ifndef SIM_REPORT_LISTING_H
#define SIM_REPORT_LISTING_H

#include "isa/isa.h"
#include "opencl/opencl.h"
#include "sim/base/text.h"

/* Every kernel: one line per instruction, with its number, source line and class. */
void listing_plain(const struct isa_program *program, struct text *text);

/* Every kernel: each new source line, followed by its instructions. */
void listing_beside_source(const struct isa_program *program, struct text *text);

/* Assembly that assembles to the same program. */
void listing_assembly(const struct isa_program *program, struct text *text);

/* Every kernel, line by line: the number of operations before and after each pass that changed it, the passes' notes,
 * and the instructions that remain. */
void listing_passes(const struct isa_program *program, const struct opencl_explanation *explanation, struct text *text);

/* Whether there is source text in a language other than assembly. */
bool listing_has_source(const struct isa_program *program);

#endif
