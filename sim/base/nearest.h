/* Which word may be meant by one that there is not. */
#ifndef SIM_BASE_NEAREST_H
#define SIM_BASE_NEAREST_H

#include <stddef.h>

/* Edits that make one word of the other (optimal string alignment); SIZE_MAX for words of more than 63 bytes. */
size_t nearest_distance(const char *a, const char *b);

/* The nearest of `count` words to `word` by edit distance, or NULL when none is near enough to
 * be a slip of the pen. `stride` is the distance between the `const char *`s. */
const char *nearest_word(const char *word, const char *const *words, size_t count, size_t stride);

/* Another word that is as near as `near`, the nearest; or NULL. */
const char *nearest_other(const char *word, const char *near, const char *const *words, size_t count, size_t stride);

#endif
