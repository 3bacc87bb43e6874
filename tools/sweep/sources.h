/* The text of a program's source and of all files that it includes, so that a sweep notices when any of them changes.
 *
 * Invariant: every `#include` counts, even one that the preprocessor skips, because another point's defines may enable
 * it.
 *
 * Not modeled: file names that macros form, and the compiler's own headers. */
#ifndef TOOLS_SWEEP_SOURCES_H
#define TOOLS_SWEEP_SOURCES_H

#include "sim/base/reads.h"
#include "sim/base/text.h"

/* Appends the text of the file and of those that it includes, each once. `folders` are searched for includes; the list
 * ends with NULL. Files that are missing or must not be read are skipped: the compiler reports them if they matter. */
void sweep_sources_add(const char *path, const char *const *folders, struct reads *reads, struct text *text);

#endif
