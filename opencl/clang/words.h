/* A command line: a list of words that ends with NULL, some of them its own. */
#ifndef OPENCL_CLANG_WORDS_H
#define OPENCL_CLANG_WORDS_H

#include <stddef.h>

/* {0} is one without words. */
struct words {
  const char **word;
  char **made; /* words that are ours to free */
  size_t count, made_count;
};

/* Words given are the caller's, and stay so. */
void words_add(struct words *words, const char *word);
void words_add_list(struct words *words, const char *const *list);              /* NULL: none */
void words_add_joined(struct words *words, const char *head, const char *tail); /* one word of two parts */
void words_free(struct words *words);

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif
