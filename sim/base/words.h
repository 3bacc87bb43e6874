/* A list of words that it does not own, such as those of a command line. */
#ifndef SIM_BASE_WORDS_H
#define SIM_BASE_WORDS_H

#include <stddef.h>

#include "sim/base/need.h"

struct words {
  const char **word;
  size_t count;
};

static inline void words_add(struct words *words, const char *word) {
  words->word = need_more(words->word, words->count + 1, sizeof *words->word);
  words->word[words->count++] = word;
}

#endif
