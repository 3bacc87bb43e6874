/* Reports what clang said when it failed: the first error as a message and, if there are several, each error as a line.
 */
#ifndef OPENCL_CLANG_TOOL_ERRORS_H
#define OPENCL_CLANG_TOOL_ERRORS_H

#include "opencl/clang/clang.h"
#include "opencl/clang/process.h"

struct reporter {
  const char *path;   /* of the program, as the user gave it */
  bool in_memory;     /* the program is not a file: its text may be quoted whatever its name */
  const char *folder; /* of temporary files: errors in them are not in the user's files */
  struct isa_error *error;
  enum opencl_part *blamed;                  /* as in struct opencl_build */
  const struct opencl_reads *reads;          /* the same */
  void (*say)(void *self, const char *line); /* the same */
  void *self;
};

/* Fills in "k.cl: what". Always false. */
__attribute__((format(printf, 2, 3))) bool tool_fail(const struct reporter *reporter, const char *format, ...);

/* Records the part of the build that the error is about. */
void tool_blame(const struct reporter *reporter, enum opencl_part part);

/* The end of a warning that is always shown. */
#define TOOL_UNINITIALIZED "[-Wuninitialized]"

/* Calls say() with a line for each error if clang has found several, and for each variable that is not initialized
 * if it has found none; or with everything that it printed. Text of files that may not be quoted is left out
 * (source_name.h). */
void tool_report(const struct reporter *reporter, const struct process_end *end, bool everything);

/* Fills in why a run failed: `tool`, the path or name of clang, is missing or crashed, or its first error and their
 * number. Always false. */
bool tool_failed(const struct reporter *reporter, const char *tool, const struct process_end *end);

#endif
