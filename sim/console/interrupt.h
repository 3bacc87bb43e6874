/* SIGINT, SIGTERM, SIGHUP and SIGPIPE.
 *
 * Between interrupt_begin() and interrupt_end() the first signal is only noted, and work asks for it with
 * interrupt_asked(), to come to an orderly end. Otherwise, and at the second signal, the process ends at once: files
 * that are not whole yet vanish, a line says so, and the exit status is 128 and the signal's number. Signals that were
 * ignored when the process started stay so. */
#ifndef SIM_CONSOLE_INTERRUPT_H
#define SIM_CONSOLE_INTERRUPT_H

#include <stdbool.h>

/* Once, before all else. */
void interrupt_listen(void);

/* These nest. */
void interrupt_begin(void);
void interrupt_end(void);

/* The signal that has come since the start; 0: none. */
int interrupt_asked(void);

/* Makes a file that is not whole yet, of a name as mkstemp() takes it: a signal that ends the process removes it. There
 * may be INTERRUPT_FILES of them at a time. Negative with errno when it cannot be had. */
enum { INTERRUPT_FILES = 16 };
int interrupt_guarded_file(char *name);

/* It is whole now, and has another name; or is not wanted, and goes. */
void interrupt_forgets(const char *path);
void interrupt_remove(const char *path);

/* All of them go: for a process that ends early. */
void interrupt_remove_all(void);

#endif
