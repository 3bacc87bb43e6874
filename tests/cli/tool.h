/* Running the tool as a user does: in a folder of its own, with what it says and leaves captured. */
#ifndef TESTS_CLI_TOOL_H
#define TESTS_CLI_TOOL_H

#include <stdbool.h>
#include <stddef.h>

struct outcome {
  int status; /* exit status; -1 when it died otherwise */
  char *out, *err;
};

/* Runs "warpwait ARGUMENTS", cut at blanks, in the test's folder. The binary is that of $WARPWAIT, or
 * build/warpwait. The caller frees the outcome. */
struct outcome tool(const char *arguments);
/* The same, but sends SIGINT as soon as the tool catches it. */
struct outcome tool_interrupted(const char *arguments);
void outcome_free(struct outcome *outcome);

/* The test's folder: made anew by tool_folder(), emptied and removed when the program ends. */
const char *tool_folder(void);
void tool_file(const char *name, const char *text);
void tool_bytes(const char *name, const void *bytes, size_t size);
bool tool_exists(const char *name);
char *tool_read(const char *name); /* NULL when there is none */

/* Files of the folder whose names were not given to tool_file() since tool_folder(). */
size_t tool_strangers(char *first, size_t size);

#endif
