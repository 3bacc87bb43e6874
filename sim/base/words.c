#include "sim/base/words.h"

#include <stdlib.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"

void words_add(struct words *words, const char *word) {
  words->word = vector_room(words->word, &words->room, words->count + 2, sizeof *words->word);
  words->word[words->count++] = word;
  words->word[words->count] = NULL;
}

void words_add_list(struct words *words, const char *const *list) {
  for (; list && *list; list++)
    words_add(words, *list);
}

void words_add_joined(struct words *words, const char *head, const char *tail) {
  char *word = *vector_next(words->made, words->made_count, words->made_room) = need_print("%s%s", head, tail);
  words_add(words, word);
}

void words_free(struct words *words) {
  for (size_t i = 0; i < words->made_count; i++)
    free(words->made[i]);
  free(words->made);
  free(words->word);
}
