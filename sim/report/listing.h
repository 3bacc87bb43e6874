/* A program's instructions for people to read. */
#ifndef SIM_REPORT_LISTING_H
#define SIM_REPORT_LISTING_H

#include "isa/isa.h"
#include "opencl/opencl.h"
#include "sim/base/text.h"

/* Every kernel: a line an instruction, with its number, its source line and its class. */
void listing_plain(const struct isa_program *program, struct text *text);

/* Every kernel: the source line whenever it is another one than before, and below it what it became. */
void listing_beside_source(const struct isa_program *program, struct text *text);

/* As assembly, which makes the same program. */
void listing_assembly(const struct isa_program *program, struct text *text);

/* Every kernel, line by line: how many operations it had before and after each pass that changed that, what passes note
 * of it, and the instructions that are left. */
void listing_passes(const struct isa_program *program, const struct opencl_explanation *explanation, struct text *text);

/* There is source text, of a language other than the one that a disassembly is in. */
bool listing_has_source(const struct isa_program *program);

#endif
