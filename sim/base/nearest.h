/* Which word an unknown word was probably meant to be. */
#ifndef SIM_BASE_NEAREST_H
#define SIM_BASE_NEAREST_H

#include <stddef.h>

/* Number of edits that turn one word into the other (optimal string alignment); case does not count. SIZE_MAX if a word
 * exceeds 63 bytes. */
size_t nearest_distance(const char *a, const char *b);

/* The nearest of `count` words to `word` by edit distance. NULL if none is near enough to be a typo. `stride` is the
 * distance between the `const char *`s. */
const char *nearest_word(const char *word, const char *const *words, size_t count, size_t stride);

/* Another word that is as near as `near`, the nearest one, or NULL. */
const char *nearest_other(const char *word, const char *near, const char *const *words, size_t count, size_t stride);

#endif
