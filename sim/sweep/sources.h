/* The text of a program's source and of all that it includes, so that a sweep notices when any of it has changed.
 *
 * Invariant: an `#include` counts wherever it stands, for what the compiler leaves out at one point it may see at
 * another, whose defines differ.
 *
 * Not modelled: names of files that macros make, and the compiler's own headers. */
#ifndef SIM_SWEEP_SOURCES_H
#define SIM_SWEEP_SOURCES_H

#include "sim/base/reads.h"
#include "sim/base/text.h"

/* Adds the text of the file and of those that it includes, each once. `folders`: where they are looked for besides, a
 * list that ends with NULL. What is not found, or may not be read, is left out: the compiler says whether it is
 * missed. */
void sweep_sources_add(const char *path, const char *const *folders, struct reads *reads, struct text *text);

#endif
