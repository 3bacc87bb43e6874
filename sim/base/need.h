/* Memory that the program cannot do without. */
#ifndef SIM_BASE_NEED_H
#define SIM_BASE_NEED_H

#include <stddef.h>
#include <stdint.h>

/* Small things, zeroed. There is nothing sensible to do without them: calls what need_failing() was given, which does
 * not return. Large things that a user asked for by size (buffers) do not come from here. */
void *need(size_t count, size_t size);
void *need_more(void *old, size_t count, size_t size);
char *need_copy(const char *text);
char *need_print(const char *format, ...) __attribute__((format(printf, 1, 2))); /* a new string */

/* Who says that `bytes` more are not to be had, and ends the process; abort() does as long as there is nobody. A
 * process has one, set as it begins. */
void need_failing(void (*fail)(size_t bytes));

/* A number of bytes or things as C's functions take it. Where that has 32 bits, a larger one becomes the largest, which
 * no allocation gives. */
static inline size_t need_size(uint64_t count) { return count < SIZE_MAX ? (size_t)count : SIZE_MAX; }

#endif
