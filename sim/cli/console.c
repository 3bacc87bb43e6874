#include "sim/cli/console.h"

#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/put.h"
#include "sim/base/text.h"
#include "sim/cli/output.h"

/* Copies all of standard input into the file, and makes it standard input; returns 0, or errno. */
static int keep_standard_input(int file) {
  char bytes[1 << 14];
  for (ssize_t got; (got = read(STDIN_FILENO, bytes, sizeof bytes)) != 0;)
    if (got > 0 ? !put_all(file, bytes, (size_t)got) : errno != EINTR)
      return errno;
  return dup2(file, STDIN_FILENO) < 0 ? errno : 0;
}

bool console_input(const char *word, const char **path, struct message *message) {
  static const char standard[] = "/dev/stdin";
  struct message why;
  struct stat stat;
  *path = word;
  if (strcmp(word, "-") != 0 && strcmp(word, standard) != 0)
    return true;
  *path = standard;
  if (fstat(STDIN_FILENO, &stat) != 0 || !S_ISFIFO(stat.st_mode))
    return true;
  const int file = file_nameless("inputs that come through a pipe", &why);
  if (file < 0)
    return message_fail(message, "%s: %s", word, why.text);
  const int error = keep_standard_input(file);
  close(file);
  return !error || message_fail(message, "%s: cannot be stored in $TMPDIR: %s", word, strerror(error));
}

int console_bad_input(const struct message *message) {
  message_print(message);
  return STATUS_BAD_INPUT;
}

/* Drops what is left in the buffer, so that no later flush fails again. */
static bool fail_standard_output(struct message *message) {
  const int error = errno;
  __fpurge(stdout);
  clearerr(stdout);
  return message_fail(message, "standard output: cannot be written: %s", strerror(error));
}

bool console_flush(struct message *message) {
  return (fflush(stdout) == 0 && !ferror(stdout)) || fail_standard_output(message);
}

/* Writes to standard output. A terminal gets no control characters except those of `painted` text. */
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
  return put_out(data, size, painted) ? console_flush(message) : fail_standard_output(message);
}

bool console_output(const char *path, const char *data, size_t size, struct message *message) {
  return output(path, data, size, false, message);
}

bool console_output_painted(const char *text, struct message *message) {
  return output(NULL, text, strlen(text), true, message);
}

static bool write_out(void *self, const char *data, size_t size, struct message *message) {
  (void)self;
  return console_output(NULL, data, size, message);
}

const struct sink console_sink = {write_out, NULL};

/* ---- callers ---- */

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

const struct caller console_caller = {.warn = warn};

/* ---- programs that replace this one ---- */

void console_own_folder(char folder[CONSOLE_PATH]) {
  const ssize_t length = readlink("/proc/self/exe", folder, CONSOLE_PATH - 1);
  folder[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(folder, '/');
  folder[slash ? slash + 1 - folder : 0] = '\0';
}

void console_become(const char *const *places, size_t count, char **words) {
  char folder[CONSOLE_PATH], path[CONSOLE_PATH + 64];
  console_own_folder(folder);
  errno = ENOENT;
  for (size_t i = 0; *folder && i < count; i++) {
    snprintf(path, sizeof path, "%s%s", folder, places[i]);
    execv(path, words);
    if (errno != ENOENT && errno != ENOTDIR)
      return;
  }
  errno = ENOENT;
}

/* ---- memory ---- */

enum { SPARE = 1 << 16 };

struct work {
  int (*work)(void *self);
  void *self;
  int status;
};

static void run(void *self) {
  struct work *work = self;
  work->status = work->work(work->self);
}

static int out_of_memory(size_t bytes, char *const *words) {
  struct message message;
  char asked[900] = "";
  size_t used = 0;
  for (size_t i = 0; words[i] && used < sizeof asked; i++)
    used += (size_t)snprintf(asked + used, sizeof asked - used, "%s%s", i ? " " : "", words[i]);
  message_fail(&message, "out of memory: `warpwait %s` needs %zu more bytes", asked, bytes);
  return console_bad_input(&message);
}

int console_run(int (*work)(void *self), void *self, char *const *words) {
  struct work all = {.work = work, .self = self};
  size_t wanted = 0;
  void *spare = malloc(SPARE); /* for the message that there is no more */
  need_json();
  const bool good = heap_try_last(run, &all, &wanted);
  free(spare);
  return good ? all.status : out_of_memory(wanted, words);
}
