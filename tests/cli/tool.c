#include "tests/cli/tool.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES = 64, ARGUMENTS = 64 };

extern char **environ;
static char folder[64];
static char known[FILES][64];
static size_t known_count;

static void path_of(const char *name, char path[256]) { snprintf(path, 256, "%s/%s", folder, name); }

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at) {
  (void)status;
  (void)kind;
  return at->level ? remove(path) : 0;
}

static void empty(void) {
  if (*folder)
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  known_count = 0;
}

static void leave(void) {
  empty();
  rmdir(folder);
}

const char *tool_folder(void) {
  if (*folder) {
    empty();
    return folder;
  }
  strcpy(folder, "/tmp/warpwait-cli-XXXXXX");
  if (!mkdtemp(folder))
    abort();
  atexit(leave);
  return folder;
}

void tool_bytes(const char *name, const void *bytes, size_t size) {
  char path[256];
  path_of(name, path);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0 || known_count == FILES)
    abort();
  snprintf(known[known_count++], sizeof known[0], "%s", name);
}

void tool_file(const char *name, const char *text) { tool_bytes(name, text, strlen(text)); }

bool tool_exists(const char *name) {
  char path[256];
  path_of(name, path);
  return access(path, F_OK) == 0;
}

static char *drain(FILE *file) {
  size_t size = 0, capacity = 1 << 16;
  char *text = malloc(capacity);
  for (size_t got; (got = fread(text + size, 1, capacity - size - 1, file)) > 0;) {
    size += got;
    if (capacity - size == 1)
      text = realloc(text, capacity *= 2);
  }
  text[size] = '\0';
  fclose(file);
  return text;
}

char *tool_read(const char *name) {
  char path[256];
  path_of(name, path);
  FILE *file = fopen(path, "rb");
  return file ? drain(file) : NULL;
}

size_t tool_strangers(char *first, size_t size) {
  size_t count = 0;
  DIR *directory = opendir(folder);
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    bool expected = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    for (size_t i = 0; i < known_count; i++)
      expected |= strcmp(known[i], entry->d_name) == 0;
    if (!expected && !count++)
      snprintf(first, size, "%s", entry->d_name);
  }
  if (directory)
    closedir(directory);
  return count;
}

static const char *binary(void) {
  static char path[4096];
  const char *name = getenv("WARPWAIT");
  if (!*path && !realpath(name ? name : "build/warpwait", path))
    strcpy(path, "/nonexistent/warpwait");
  return path;
}

/* Standard output and error go to unnamed files, so no pipe can fill up and nothing interleaves. If the tests run in
 * the background, SIGINT may be ignored; the tool must receive it. */
static int start(char *const argv[], FILE *out, FILE *err, pid_t *child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &interrupt);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder);
  posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(err), STDERR_FILENO);
  int error = posix_spawn(child, binary(), &actions, &attributes, argv, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/* The process has started up: according to Linux it has used a processor for half a second. */
static bool is_at_work(pid_t child) {
  char path[64];
  unsigned long long ticks = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
  FILE *file = fopen(path, "r");
  if (file && fscanf(file, "%*d (warpwait) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu", &ticks) != 1)
    ticks = 0;
  if (file)
    fclose(file);
  return ticks * 2 >= (unsigned long long)sysconf(_SC_CLK_TCK);
}

/* A hanging tool must not block the tests forever. */
static void interrupt(pid_t child) {
  for (int wait = 0; wait < 3000 && !is_at_work(child); wait++)
    usleep(10000);
  kill(child, is_at_work(child) ? SIGINT : SIGKILL);
}

static struct outcome start_and_wait(const char *arguments, bool interrupted) {
  char *argv[ARGUMENTS] = {"warpwait"}, *copy = strdup(arguments), *rest = copy, *word;
  size_t count = 1;
  while ((word = strsep(&rest, " ")) && count < ARGUMENTS - 1)
    if (*word)
      argv[count++] = word;
  FILE *out = tmpfile(), *err = tmpfile();
  pid_t child = 0;
  int status = 0;
  struct outcome outcome = {.status = -1};
  if (start(argv, out, err, &child) == 0) {
    if (interrupted)
      interrupt(child);
    if (waitpid(child, &status, 0) == child && WIFEXITED(status))
      outcome.status = WEXITSTATUS(status);
  }
  rewind(out);
  rewind(err);
  outcome.out = drain(out);
  outcome.err = drain(err);
  free(copy);
  return outcome;
}

struct outcome tool(const char *arguments) {
  return start_and_wait(arguments, false);
}

struct outcome tool_interrupted(const char *arguments) {
  return start_and_wait(arguments, true);
}

void outcome_free(struct outcome *outcome) {
  free(outcome->out);
  free(outcome->err);
}

void tool_again(struct outcome *outcome, const char *arguments) {
  outcome_free(outcome);
  *outcome = tool(arguments);
}
