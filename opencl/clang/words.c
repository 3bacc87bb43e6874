#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/clang/words.h"
#include "sim/base/need.h"

void words_add(struct words *words, const char *word) {
  words->word = need_more(words->word, words->count + 2, sizeof *words->word);
  words->word[words->count++] = word;
  words->word[words->count] = NULL;
}

void words_add_list(struct words *words, const char *const *list) {
  for (; list && *list; list++)
    words_add(words, *list);
}

void words_add_joined(struct words *words, const char *head, const char *tail) {
  size_t size = strlen(head) + strlen(tail) + 1;
  char *word = need(size, 1);
  snprintf(word, size, "%s%s", head, tail);
  words->made = need_more(words->made, words->made_count + 1, sizeof *words->made);
  words->made[words->made_count++] = word;
  words_add(words, word);
}

void words_free(struct words *words) {
  for (size_t i = 0; i < words->made_count; i++)
    free(words->made[i]);
  free(words->made);
  free(words->word);
}
