/* Runs the tool as a user does, in its own folder, and captures its output and files. */
#ifndef TESTS_CLI_TOOL_H
#define TESTS_CLI_TOOL_H

#include <stdbool.h>
#include <stddef.h>

struct outcome {
  int status; /* exit status; -1 if it ended in another way */
  char *out, *err;
};

/* Runs "warpwait ARGUMENTS", split at blanks, in the test's folder. The binary is $WARPWAIT or build/warpwait. The
 * caller frees the outcome. */
struct outcome tool(const char *arguments);
/* The same, but sends SIGINT as soon as the tool handles it. */
struct outcome tool_interrupted(const char *arguments);
void outcome_free(struct outcome *outcome);
/* Frees the outcome and runs another command. */
void tool_again(struct outcome *outcome, const char *arguments);

/* The test's folder: tool_folder() makes a new one, which is removed when the program ends. */
const char *tool_folder(void);
void tool_file(const char *name, const char *text);
void tool_bytes(const char *name, const void *bytes, size_t size);
bool tool_exists(const char *name);
char *tool_read(const char *name); /* NULL if there is none */

/* Counts the files in the folder whose names were not given to tool_file() since tool_folder(). */
size_t tool_strangers(char *first, size_t size);

#endif
