/* Verbs that are in Python, and where they and other files of warpwait are: beside the program. */
#ifndef SIM_CLI_PYTHON_H
#define SIM_CLI_PYTHON_H

#include <stddef.h>

enum { PYTHON_PATH = 4096 };

/* The folder of this program, with a slash at its end; "" when it is not known. */
void python_folder(char folder[PYTHON_PATH]);

/* Becomes the first of these commands, which are paths from that folder. Returns when there is none, or it cannot be
 * started: errno says why, ENOENT that there is none. */
void python_become(const char *const *places, size_t count, char **words);

#endif
