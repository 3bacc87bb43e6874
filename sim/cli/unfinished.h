/* Files that are written under another name until they are whole: they vanish when a signal ends the program before
 * that. Invariant: from unfinished_add() to unfinished_done() SIGINT, SIGTERM and SIGHUP remove the file, say so in a
 * line and end with 128 and the signal's number; one that was ignored stays so.
 *
 * A run listens to SIGINT by itself (runner.h). */
#ifndef SIM_CLI_UNFINISHED_H
#define SIM_CLI_UNFINISHED_H

/* A path too long for any file is none. */
void unfinished_add(const char *path);
void unfinished_done(const char *path);

#endif
