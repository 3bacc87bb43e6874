/* What a tool that failed has said: each error as a line when there are several, and the first one as a message. */
#ifndef OPENCL_CLANG_TOOL_ERRORS_H
#define OPENCL_CLANG_TOOL_ERRORS_H

#include "opencl/clang/clang.h"
#include "opencl/clang/process.h"

struct teller {
  const char *path;   /* of the program, as the user gave it */
  bool in_memory;     /* which is no file: its text may be quoted whatever it is called */
  const char *folder; /* of temporary files: errors in these are not in the user's */
  struct isa_error *error;
  enum opencl_part *blamed;                  /* as in struct opencl_build */
  const struct opencl_reads *reads;          /* likewise */
  void (*say)(void *self, const char *line); /* likewise */
  void *self;
};

/* "k.cl: what". Always false. */
__attribute__((format(printf, 2, 3))) bool tool_fail(const struct teller *teller, const char *format, ...);

/* Notes what the error is of. */
void tool_blame(const struct teller *teller, enum opencl_part part);

/* Says a line for each error of a compiler that has found several, or everything that it has said; but for text of
 * files that may not be quoted (source_name.h). */
void tool_tell(const struct teller *teller, const struct process_end *end, bool everything);

/* Why a run has failed: the tool is missing or went down, or, of a compiler, its first error and how many there are.
 * Always false. */
bool tool_failed(const struct teller *teller, const char *tool, const struct process_end *end, bool compiler);

#endif
