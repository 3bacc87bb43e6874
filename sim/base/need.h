/* Memory that the work at hand cannot do without. */
#ifndef SIM_BASE_NEED_H
#define SIM_BASE_NEED_H

#include <stddef.h>
#include <stdint.h>

/* Small things, zeroed. When there is no memory for them the work ends at its border (heap.h): these do not return
 * then. Large things that a user asked for by size (buffers) do not come from here. */
void *need(size_t count, size_t size);
void *need_more(void *old, size_t count, size_t size);
char *need_copy(const char *text);
char *need_print(const char *format, ...) __attribute__((format(printf, 1, 2))); /* a new string */

/* What somebody has made who returns NULL when there is no memory. */
void *need_made(void *made);

/* Lets jansson take its memory likewise. It would otherwise leave out of a document what there is no memory for. Its
 * functions for memory are one for the whole process: outside of borders they stay what they were, and where somebody
 * has set others already, nothing is changed. */
void need_json(void);

/* A number of bytes or things as C's functions take it. Where that has 32 bits, a larger one becomes the largest, which
 * no allocation gives. */
static inline size_t need_size(uint64_t count) { return count < SIZE_MAX ? (size_t)count : SIZE_MAX; }

#endif
