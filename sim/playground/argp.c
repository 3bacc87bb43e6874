/* glibc's argp, as far as the command line leans on it: options and words told apart and handed to a verb's parser. A
 * test holds it against glibc's. */
#include <argp.h>
#include <stdbool.h>
#include <string.h>

/* The words as they are taken: `at` is the next one. */
struct taking {
  const struct argp *argp;
  struct argp_state state;
  char **word;
  int at, count;
};

static bool ends(const struct argp_option *option) { return !option->name && !option->doc; }

/* By its whole name, or a beginning that no other has. NULL: none, or several. */
static const struct argp_option *find_long(const struct argp_option *option, const char *name, size_t length) {
  const struct argp_option *found = NULL;
  bool several = false;
  for (; option && !ends(option); option++) {
    if (!option->name || strncmp(option->name, name, length) != 0)
      continue;
    if (strlen(option->name) == length)
      return option;
    several = found;
    found = option;
  }
  return several ? NULL : found;
}

static const struct argp_option *find_short(const struct argp_option *option, char letter) {
  for (; option && !ends(option); option++)
    if (option->name && option->key == letter)
      return option;
  return NULL;
}

/* Gives the parser the option with what is joined to it, or else with the next word if it must have one. */
static error_t take_option(struct taking *taking, const struct argp_option *option, char *joined) {
  const bool next = option && option->arg && !joined && !(option->flags & OPTION_ARG_OPTIONAL);
  if (!option || (!option->arg && joined) || (next && taking->at == taking->count))
    return EINVAL;
  char *value = next ? taking->word[taking->at++] : joined;
  const error_t error = taking->argp->parser(option->key, value, &taking->state);
  return error == ARGP_ERR_UNKNOWN ? EINVAL : error;
}

static error_t take_long(struct taking *taking, char *name) {
  const size_t length = strcspn(name, "=");
  return take_option(taking, find_long(taking->argp->options, name, length), name[length] ? name + length + 1 : NULL);
}

/* "-qo FILE", "-oFILE" */
static error_t take_short(struct taking *taking, char *letters) {
  error_t error = 0;
  while (*letters && !error) {
    const struct argp_option *option = find_short(taking->argp->options, *letters++);
    const bool rest = option && option->arg && *letters;
    error = take_option(taking, option, rest ? letters : NULL);
    if (rest)
      break;
  }
  return error;
}

/* Takes the options out, and leaves the other words side by side at the front: their number in *others. */
static error_t take_options(struct taking *taking, int *others) {
  error_t error = 0;
  while (taking->at < taking->count && !error) {
    char *word = taking->word[taking->at++];
    if (strcmp(word, "--") == 0)
      break;
    if (word[0] != '-' || !word[1])
      taking->word[(*others)++] = word;
    else
      error = word[1] == '-' ? take_long(taking, word + 2) : take_short(taking, word + 1);
  }
  while (taking->at < taking->count)
    taking->word[(*others)++] = taking->word[taking->at++];
  return error;
}

error_t argp_parse(const struct argp *argp, int argc, char **argv, unsigned flags, int *next, void *input) {
  struct taking taking = {.argp = argp, .state.input = input, .word = argv + 1, .count = argc - 1};
  int others = 0;
  (void)flags;
  (void)next;
  error_t error = take_options(&taking, &others);
  for (int i = 0; i < others && !error; i++)
    error = argp->parser(ARGP_KEY_ARG, taking.word[i], &taking.state);
  if (error)
    return error == ARGP_ERR_UNKNOWN ? EINVAL : error;
  error = argp->parser(ARGP_KEY_END, NULL, &taking.state);
  return error == ARGP_ERR_UNKNOWN ? 0 : error;
}

void argp_help(const struct argp *argp, FILE *out, unsigned flags, char *name) {
  (void)flags;
  fprintf(out, "Usage: %s %s\n\n", name, argp->args_doc ? argp->args_doc : "");
  for (const struct argp_option *option = argp->options; option && !ends(option); option++)
    if (option->name && !(option->flags & OPTION_HIDDEN))
      fprintf(out, option->flags & OPTION_ARG_OPTIONAL ? "  --%s[%s%s]\n      %s\n" : "  --%s%s%s\n      %s\n",
              option->name, option->arg ? "=" : "", option->arg ? option->arg : "", option->doc ? option->doc : "");
}
