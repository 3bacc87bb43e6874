#include "sim/cli/cli.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/base/nearest.h"
#include "sim/base/need.h"
#include "sim/base/put.h"
#include "sim/base/text.h"
#include "sim/cli/output.h"
#include "sim/core/params.h"

enum { OPTIONS = 96, VERBS = 32, SPARE = 1 << 16 };

/* An option by its whole name or, as getopt has it, by a beginning that no other has. */
static const struct argp_option *find_option(const struct argp_option *options, const char *word, size_t length) {
  const struct argp_option *found = NULL;
  size_t count = 0;
  for (; options->name || options->doc; options++) {
    if (!options->name || strncmp(options->name, word, length) != 0)
      continue;
    if (strlen(options->name) == length)
      return options;
    found = options;
    count++;
  }
  return count == 1 ? found : NULL;
}

static const struct argp_option *find_letter(const struct argp_option *options, char letter) {
  for (; options->name || options->doc; options++)
    if (options->name && options->key == letter)
      return options;
  return NULL;
}

/* What is wrong with the options of one word; `more`: another word follows. */
enum fault { FINE, TAKES_NEXT, UNKNOWN, LACKS_VALUE, HAS_VALUE };

static enum fault fault_of(const struct argp_option *option, bool value, bool more) {
  if (!option)
    return UNKNOWN;
  if (option->arg && !value)
    return more ? TAKES_NEXT : LACKS_VALUE;
  return !option->arg && value ? HAS_VALUE : FINE;
}

static enum fault look_at(const struct argp_option *options, const char *word, bool more,
                          const struct argp_option **option) {
  size_t length = strcspn(word, "=");
  *option = NULL;
  if (word[0] != '-' || !word[1])
    return FINE;
  if (word[1] == '-') {
    *option = find_option(options, word + 2, length - 2);
    return fault_of(*option, word[length], more);
  }
  for (const char *letter = word + 1; *letter; letter++) {
    *option = find_letter(options, *letter);
    enum fault fault = fault_of(*option, *option && (*option)->arg && letter[1], more);
    if (fault != FINE || (*option)->arg)
      return fault;
  }
  return FINE;
}

/* Other tools have --json; ours is a form of the report. */
static const char *habit_of(const struct argp_option *options, const char *word) {
  return strcmp(word, "--json") == 0 && find_letter(options, 'r') ? "--report json" : NULL;
}

static void refuse_unknown(const struct argp_option *options, const char *word, struct message *message) {
  const char *names[OPTIONS] = {"help", "version"}, *near = NULL;
  char asked[64];
  size_t count = 2;
  snprintf(asked, sizeof asked, "%.*s", (int)strcspn(word, "="), word);
  const char *habit = habit_of(options, asked);
  for (; (options->name || options->doc) && count < OPTIONS; options++)
    if (options->name && !(options->flags & OPTION_HIDDEN))
      names[count++] = options->name;
  if (strncmp(asked, "--", 2) == 0 && !habit)
    near = nearest_word(asked + 2, names, count, sizeof *names);
  if (habit || near)
    message_fail(message, "%s: no such option; did you mean '%s%s'?", asked, habit ? "" : "--", habit ? habit : near);
  else
    message_fail(message, "%s: no such option; --help lists them", asked);
}

/* argp has refused a word without saying which, or why: the first that is at fault. */
static void explain(const struct argp_option *options, int argc, char **argv, struct message *message) {
  static const struct argp_option none[] = {{0}};
  options = options ? options : none;
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    const struct argp_option *option = NULL;
    switch (look_at(options, argv[i], i + 1 < argc, &option)) {
    case FINE:
      break;
    case TAKES_NEXT:
      i++;
      break;
    case UNKNOWN:
      refuse_unknown(options, argv[i], message);
      return;
    case LACKS_VALUE:
      message_fail(message, "%.60s: needs a value, %s", argv[i], option->arg);
      return;
    case HAS_VALUE:
      message_fail(message, "%.60s: takes no value", argv[i]);
      return;
    }
  }
  message_fail(message, "%.60s: no such option; --help lists them", argv[argc - 1]);
}

/* ARGP_NO_ERRS, which silences argp's two-line errors, silences its --help too. */
static void help_if_asked(const struct argp *argp, int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0) {
      puts("warpwait " WARPWAIT_VERSION);
      exit(STATUS_FINE);
    }
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-?") == 0 || strcmp(argv[i], "-h") == 0) {
      argp_help(argp, stdout, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK, argv[0]);
      exit(STATUS_FINE);
    }
  }
}

bool cli_parse(const struct argp *argp, int argc, char **argv, struct message *input) {
  help_if_asked(argp, argc, argv);
  input->text[0] = '\0';
  if (argp_parse(argp, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP, NULL, input) == 0)
    return true;
  if (!input->text[0])
    explain(argp->options, argc, argv, input);
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

error_t cli_number(struct argp_state *state, const char *option, const char *word, uint64_t minimum, uint64_t maximum,
                   const char *unit, uint64_t *number) {
  const char *at = word;
  if (text_read_whole(&at, number) && !*at && *number >= minimum && *number <= maximum)
    return 0;
  return cli_refuse(state, "%s: '%.60s' is not a whole number in [%" PRIu64 ", %" PRIu64 "]%s", option, word, minimum,
                    maximum, unit);
}

/* All that comes, into a file; errno of what went wrong, or 0. */
static int keep_standard_input(int file) {
  char bytes[1 << 14];
  for (ssize_t got; (got = read(STDIN_FILENO, bytes, sizeof bytes)) != 0;)
    if (got > 0 ? !put_all(file, bytes, (size_t)got) : errno != EINTR)
      return errno;
  return dup2(file, STDIN_FILENO) < 0 ? errno : 0;
}

error_t cli_input(struct argp_state *state, const char *word, const char **path) {
  static const char standard[] = "/dev/stdin";
  struct message message;
  struct stat stat;
  *path = word;
  if (strcmp(word, "-") != 0 && strcmp(word, standard) != 0)
    return 0;
  *path = standard;
  if (fstat(STDIN_FILENO, &stat) != 0 || !S_ISFIFO(stat.st_mode))
    return 0;
  const int file = file_nameless("inputs that come through a pipe", &message);
  if (file < 0)
    return cli_refuse(state, "%s: %s", word, message.text);
  const int error = keep_standard_input(file);
  close(file);
  return error ? cli_refuse(state, "%s: cannot be kept in $TMPDIR: %s", word, strerror(error)) : 0;
}

bool cli_in_and_out(int key, const char *word, const char **in, const char **out) {
  const char **place = key == 'o' || *in ? out : in;
  const bool good = !*place;
  *place = word;
  return good;
}

int cli_bad_input(const struct message *message) {
  message_print(message);
  return STATUS_BAD_INPUT;
}

/* Nothing more is to fail of what is in the buffer still. */
static bool fail_standard_output(struct message *message) {
  const int error = errno;
  __fpurge(stdout);
  clearerr(stdout);
  return message_fail(message, "standard output: cannot be written: %s", strerror(error));
}

bool cli_flush(struct message *message) {
  return (fflush(stdout) == 0 && !ferror(stdout)) || fail_standard_output(message);
}

/* To standard output. A terminal gets no control characters but those of `painted` text. */
static bool put_out(const char *data, size_t size, bool painted) {
  struct text screen = {0};
  const bool shown = isatty(STDOUT_FILENO);
  if (shown)
    text_screen(&screen, data, size, painted);
  const size_t length = shown ? screen.length : size;
  const bool good = !length || fwrite(shown ? screen.data : data, 1, length, stdout) == length;
  free(screen.data);
  return good;
}

static bool output(const char *path, const char *data, size_t size, bool painted, struct message *message) {
  if (path)
    return output_write(path, data, size, message);
  return put_out(data, size, painted) ? cli_flush(message) : fail_standard_output(message);
}

bool cli_output(const char *path, const char *data, size_t size, struct message *message) {
  return output(path, data, size, false, message);
}

bool cli_output_painted(const char *text, struct message *message) {
  return output(NULL, text, strlen(text), true, message);
}

void cli_print(const char *format, ...) {
  char *line = NULL;
  va_list list;
  va_start(list, format);
  const int length = vasprintf(&line, format, list);
  va_end(list);
  if (length >= 0)
    put_out(line, (size_t)length, false);
  free(line);
}

static bool write_out(void *self, const char *data, size_t size, struct message *message) {
  (void)self;
  return cli_output(NULL, data, size, message);
}

const struct sink cli_sink = {write_out, NULL};

bool cli_output_some(struct text *text, struct message *message) { return sink_some(&cli_sink, text, message); }

/* ---- who has called ---- */

void message_print(const struct message *message) {
  struct text line = {0}, screen = {0};
  text_foreign(&line, "warpwait: %s", message->text);
  if (isatty(STDERR_FILENO))
    text_screen(&screen, line.data, line.length, false);
  fprintf(stderr, "%s\n", screen.data ? screen.data : line.data);
  free(screen.data);
  free(line.data);
}

static void warn(void *self, const struct message *message) {
  (void)self;
  message_print(message);
}

const struct caller cli_caller = {.warn = warn};

/* ---- memory ---- */

struct command {
  int (*run)(int argc, char **argv);
  int argc, status;
  char **argv;
};

static void run_command(void *self) {
  struct command *command = self;
  command->status = command->run(command->argc, command->argv);
}

enum { ASKED = 900 };

/* The words of the command, before anybody changes them. */
static void say_command(int argc, char **argv, char asked[ASKED]) {
  size_t used = 0;
  asked[0] = '\0';
  for (int i = 1; i < argc && used < ASKED; i++)
    used += (size_t)snprintf(asked + used, ASKED - used, "%s%s", i > 1 ? " " : "", argv[i]);
}

static int out_of_memory(size_t bytes, const char *asked) {
  struct message message;
  message_fail(&message, "out of memory: `warpwait %s` needs %zu bytes more", asked, bytes);
  return cli_bad_input(&message);
}

int cli_run(int (*run)(int argc, char **argv), int argc, char **argv) {
  struct command command = {.run = run, .argc = argc, .argv = argv};
  char asked[ASKED];
  size_t wanted = 0;
  say_command(argc, argv, asked);
  void *spare = malloc(SPARE); /* to say with that there is none: what the work had is not free again */
  need_json();
  const bool good = heap_try_last(run_command, &command, &wanted);
  free(spare);
  return good ? command.status : out_of_memory(wanted, asked);
}

/* ---- verbs ---- */

static int unknown_verb(const struct verb *verbs, size_t count, const char *word) {
  const char *names[VERBS];
  struct message message;
  char hint[200];
  assert(count <= VERBS && "there is room for all");
  for (size_t i = 0; i < count; i++)
    names[i] = verbs[i].name;
  message_suggest(hint, sizeof hint, word, names, count);
  message_fail(&message, "no verb '%.60s'%s", word, hint);
  return cli_bad_input(&message);
}

int cli_verb(const struct verb *verbs, size_t count, int argc, char **argv) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(argv[1], verbs[i].name) == 0) {
      char name[64];
      snprintf(name, sizeof name, "%.32s %s", argv[0], verbs[i].name);
      argv[1] = name;
      return verbs[i].run(argc - 1, argv + 1);
    }
  return unknown_verb(verbs, count, argv[1]);
}

bool cli_asks_for_help(const char *word) {
  return strcmp(word, "--help") == 0 || strcmp(word, "help") == 0 || strcmp(word, "-?") == 0 || strcmp(word, "-h") == 0;
}

void cli_list_verbs(const struct verb *verbs, size_t count) {
  for (size_t i = 0; i < count; i++)
    printf("  %-11s %s\n", verbs[i].name, verbs[i].text);
}
