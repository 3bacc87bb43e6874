/* A list of words, such as a command line: it ends with NULL, and owns only some of the words. */
#ifndef SIM_BASE_WORDS_H
#define SIM_BASE_WORDS_H

#include <stddef.h>

/* {0} is an empty list, whose `word` is NULL. */
struct words {
  const char **word;
  size_t count, room;
  char **made; /* the words that it owns */
  size_t made_count, made_room;
};

/* A word stays the caller's and must outlive the list. */
void words_add(struct words *words, const char *word);
void words_add_list(struct words *words, const char *const *list);              /* NULL: an empty list */
void words_add_joined(struct words *words, const char *head, const char *tail); /* two parts as one word */
void words_free(struct words *words);

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif
