/* Running a tool with posix_spawn.
 *
 * One pipe takes both of its outputs, which is read until the last writer has closed it, so that nothing can fill up.
 * While signals are held, the loop looks at those pending: one that would end us ends the tool. */
#include "opencl/clang/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/core/need.h"

enum { LOOK_MS = 100 };

extern char **environ;

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP};
enum { DEADLY = sizeof deadly / sizeof *deadly };

_Static_assert(sizeof(sigset_t) <= sizeof(struct process_hold), "a signal mask fits its room");

static void deadly_set(sigset_t *set) {
  sigemptyset(set);
  for (size_t i = 0; i < DEADLY; i++)
    sigaddset(set, deadly[i]);
}

void process_hold(struct process_hold *hold) {
  sigset_t set, old;
  deadly_set(&set);
  sigemptyset(&old);
  sigprocmask(SIG_BLOCK, &set, &old);
  memcpy(hold->mask, &old, sizeof old);
}

void process_release(const struct process_hold *hold) {
  sigset_t old;
  memcpy(&old, hold->mask, sizeof old);
  sigprocmask(SIG_SETMASK, &old, NULL);
}

static bool asked_to_end(void) {
  sigset_t pending;
  sigemptyset(&pending);
  sigpending(&pending);
  for (size_t i = 0; i < DEADLY; i++)
    if (sigismember(&pending, deadly[i]) == 1)
      return true;
  return false;
}

/* The tool gets signals as anybody does, nothing to read, and the pipe to write to. */
static int start(const char *const *argv, int output, pid_t *child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  /* posix_spawnp's argv is not const for history's sake; it is not written. */
  int error = posix_spawnp(child, argv[0], &actions, &attributes, (char *const *)(uintptr_t)argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

/* Takes what there is; false at the end. Text beyond the limit is read and forgotten. */
static bool take(int input, struct process_end *end, size_t *length) {
  char bytes[4096];
  ssize_t got = read(input, bytes, sizeof bytes);
  if (got <= 0)
    return got < 0 && errno == EINTR;
  size_t room = PROCESS_TEXT - *length, kept = (size_t)got < room ? (size_t)got : room;
  end->text = need_more(end->text, *length + kept + 1, 1);
  memcpy(end->text + *length, bytes, kept);
  *length += kept;
  end->text[*length] = '\0';
  return true;
}

static void listen_to(int input, pid_t child, struct process_end *end) {
  size_t length = 0;
  struct pollfd look = {.fd = input, .events = POLLIN};
  for (;;) {
    if (asked_to_end())
      kill(child, SIGTERM);
    if (poll(&look, 1, LOOK_MS) > 0 && !take(input, end, &length))
      return;
  }
}

static void reap(pid_t child, struct process_end *end) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  if (WIFSIGNALED(status))
    end->signal = WTERMSIG(status);
  else
    end->status = WEXITSTATUS(status);
}

void process_run(const char *const *argv, struct process_end *end) {
  int ends[2];
  pid_t child = 0;
  *end = (struct process_end){.text = need_copy("")};
  if (pipe2(ends, O_CLOEXEC) != 0) {
    end->error = errno;
    return;
  }
  end->error = start(argv, ends[1], &child);
  close(ends[1]);
  if (!end->error) {
    listen_to(ends[0], child, end);
    reap(child, end);
  }
  close(ends[0]);
}
