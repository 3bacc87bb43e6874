/* SIGINT, SIGTERM, SIGHUP and SIGPIPE.
 *
 * Between interrupt_begin() and interrupt_end(), the first signal is only recorded; work polls interrupt_asked() and
 * stops in an orderly way. At other times, and at the second signal, the process ends at once: it removes unfinished
 * files, prints a line, and exits with 128 plus the signal's number. Signals that were ignored when the process started
 * stay ignored. */
#ifndef SIM_CLI_INTERRUPT_H
#define SIM_CLI_INTERRUPT_H

#include <stdbool.h>

/* Call once, before everything else. */
void interrupt_listen(void);

/* These nest. */
void interrupt_begin(void);
void interrupt_end(void);

/* The signal received since the start; 0: none. */
int interrupt_asked(void);

/* Creates an unfinished file, with a name template for mkstemp(): a signal that ends the process removes it. At most
 * INTERRUPT_FILES exist at a time. Negative with errno on failure. */
enum { INTERRUPT_FILES = 16 };
int interrupt_guarded_file(char *name);

/* The file is finished and renamed; or it is unwanted, and removed. */
void interrupt_forgets(const char *path);
void interrupt_remove(const char *path);

/* Removes all unfinished files, for a process that ends early. */
void interrupt_remove_all(void);

#endif
