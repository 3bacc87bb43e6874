/* A command line: a NULL-terminated list of words, some of which it owns. */
#ifndef OPENCL_CLANG_WORDS_H
#define OPENCL_CLANG_WORDS_H

#include <stddef.h>

/* {0} is an empty list. */
struct words {
  const char **word;
  char **made; /* the words that it owns */
  size_t count, made_count;
};

/* A word stays the caller's and must outlive the list. */
void words_add(struct words *words, const char *word);
void words_add_list(struct words *words, const char *const *list);              /* NULL: an empty list */
void words_add_joined(struct words *words, const char *head, const char *tail); /* two parts as one word */
void words_free(struct words *words);

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif
