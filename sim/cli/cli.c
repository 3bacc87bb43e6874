#include "sim/cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/file.h"

enum { OPTIONS = 64, OPTION_NAME = 32 };

static const struct argp_option *find_option(const struct argp_option *options, const char *word, size_t length) {
  for (; options->name || options->doc; options++)
    if (options->name && strlen(options->name) == length && strncmp(options->name, word, length) == 0)
      return options;
  return NULL;
}

static const struct argp_option *find_letter(const struct argp_option *options, char letter) {
  for (; options->name || options->doc; options++)
    if (options->name && options->key == letter)
      return options;
  return NULL;
}

/* argp has refused this word without saying why. */
static void explain(const struct argp_option *options, const char *word, struct message *message) {
  static const struct argp_option none[] = {{0}};
  const char *names[OPTIONS];
  size_t count = 0, length = strcspn(word, "=");
  options = options ? options : none;
  const struct argp_option *letter = strncmp(word, "--", 2) != 0 && length == 2 ? find_letter(options, word[1]) : NULL;
  if (letter && letter->arg) {
    message_fail(message, "%.60s: needs a value, %s", word, letter->arg);
    return;
  }
  if (strncmp(word, "--", 2) != 0) {
    message_fail(message, "%.60s: no such option; --help lists them", word);
    return;
  }
  const struct argp_option *option = find_option(options, word + 2, length - 2);
  if (option) {
    message_fail(message, option->arg ? "%.60s: needs a value, %s" : "%.60s: takes no value", word, option->arg);
    return;
  }
  char dashed[OPTIONS][OPTION_NAME], asked[64], hint[400];
  for (; (options->name || options->doc) && count < OPTIONS - 2; options++)
    if (options->name && !(options->flags & OPTION_HIDDEN))
      snprintf(dashed[count++], OPTION_NAME, "--%.20s", options->name);
  strcpy(dashed[count++], "--help");
  strcpy(dashed[count++], "--version");
  for (size_t i = 0; i < count; i++)
    names[i] = dashed[i];
  snprintf(asked, sizeof asked, "%.*s", (int)(length < 63 ? length : 63), word);
  message_suggest(hint, sizeof hint, asked, names, count);
  message_fail(message, "%s: no such option%s", asked, hint);
}

/* ARGP_NO_ERRS, which silences argp's two-line errors, silences its --help too. */
static void help_if_asked(const struct argp *argp, int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0) {
      puts("warpwait " WARPWAIT_VERSION);
      exit(CLI_FINE);
    }
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-?") == 0) {
      argp_help(argp, stdout, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK, argv[0]);
      exit(CLI_FINE);
    }
  }
}

bool cli_parse(const struct argp *argp, int argc, char **argv, struct message *input) {
  int next = 0;
  help_if_asked(argp, argc, argv);
  input->text[0] = '\0';
  if (argp_parse(argp, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP, &next, input) == 0)
    return true;
  if (!input->text[0])
    explain(argp->options, next > 1 && next <= argc ? argv[next - 1] : argv[argc - 1], input);
  return false;
}

error_t cli_refuse(struct argp_state *state, const char *format, ...) {
  struct message *message = state->input;
  va_list list;
  va_start(list, format);
  vsnprintf(message->text, sizeof message->text, format, list);
  va_end(list);
  return EINVAL;
}

int cli_bad_input(const struct message *message) {
  message_print(message);
  return CLI_BAD_INPUT;
}

bool cli_output(const char *path, const char *data, size_t size, struct message *message) {
  if (path)
    return file_write(path, data, size, message);
  if (fwrite(data, 1, size, stdout) == size && fflush(stdout) == 0)
    return true;
  return message_fail(message, "standard output: %s", strerror(errno));
}
