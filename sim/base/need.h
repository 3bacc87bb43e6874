/* Memory that the current work cannot do without. */
#ifndef SIM_BASE_NEED_H
#define SIM_BASE_NEED_H

#include <stddef.h>
#include <stdint.h>

/* Small blocks, zeroed. When out of memory, these functions do not return: the work ends at its recovery point
 * (heap.h). Large blocks whose size the user chose (buffers) must not come from here. */
void *need(size_t count, size_t size);
void *need_more(void *old, size_t count, size_t size);
char *need_copy(const char *text);
char *need_bytes(const char *text, size_t length); /* a string of the first bytes of `text` */
char *need_print(const char *format, ...) __attribute__((format(printf, 1, 2))); /* a new string */

/* Makes jansson use the same memory. Otherwise it would silently leave out parts of a document when out of memory.
 * jansson's memory functions are process-wide: outside recovery points they stay what they were, and if the program
 * has already set its own, nothing changes. */
void need_json(void);

/* A number of bytes or elements as a size_t. If that has 32 bits, a larger number becomes the largest size_t, which no
 * allocation can provide. */
static inline size_t need_size(uint64_t count) { return count < SIZE_MAX ? (size_t)count : SIZE_MAX; }

#endif
