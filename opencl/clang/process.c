/* Runs a tool with posix_spawn. Its input is a file in memory. One loop reads both outputs until the last writer has
 * closed them or the tool has ended, so neither can fill up while the loop waits for the other. */
#include "opencl/clang/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/environment.h"
#include "sim/base/need.h"
#include "sim/base/put.h"
#include "sim/base/vector.h"

enum { LOOK_MS = 100, CHUNK = 1 << 16 };

enum { OUTPUT, TEXT, PIPES };

/* An output of the tool: its pipe, -1 once it is closed, and what came through it. */
struct stream {
  int file;
  char *at;
  size_t size, room, most;
};

struct running {
  const struct process *process;
  struct process_end end;
  pid_t child;         /* 0: not started, or ended */
  bool status_unknown; /* its exit status is unknown */
  int theirs[3];       /* its standard input, output and error; -1: not open here */
  struct stream stream[PIPES];
  double deadline; /* on the monotonic clock */
};

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void shut(int *file) {
  if (*file >= 0)
    close(*file);
  *file = -1;
}

/* ---- starting ------------------------------------------------------------------------------------ */

static bool open_files(struct running *running) {
  const struct process *process = running->process;
  int *theirs = running->theirs;
  theirs[0] = memfd_create("input", MFD_CLOEXEC);
  if (theirs[0] < 0 || !put_all(theirs[0], process->input, process->input_bytes) || lseek(theirs[0], 0, SEEK_SET) < 0)
    return false;
  for (int i = 0; i < PIPES; i++) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      return false;
    running->stream[i].file = ends[0];
    theirs[1 + i] = ends[1];
  }
  return true;
}

/* "NAME=VALUE"; the caller frees it. */
static char *variable(const char *name, const char *value) {
  const size_t size = strlen(name) + strlen(value) + 2;
  char *text = need(size, 1);
  snprintf(text, size, "%s=%s", name, value);
  return text;
}

/* clang obeys environment variables, so only those that it cannot run without are passed on. */
static void make_environment(const char *folder, char *made[6]) {
  static const enum environment kept[] = {ENVIRONMENT_PATH, ENVIRONMENT_LD_LIBRARY_PATH};
  size_t count = 0;
  made[count++] = variable("TMPDIR", folder);
  made[count++] = variable("HOME", folder);
  made[count++] = variable("LC_ALL", "C");
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    if (environment(kept[i]))
      made[count++] = variable(environment_name(kept[i]), environment(kept[i]));
  made[count] = NULL;
}

/* The tool is its own process group, so an interrupt from the terminal reaches it only through us. SIGPIPE and SIGXFSZ
 * end it even if we ignore them. */
static int spawn(struct running *running) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, usual;
  char *variables[6];
  sigemptyset(&none);
  sigfillset(&usual);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  /* May run out of memory, so it comes before the C library allocates what nobody would then free. */
  make_environment(running->process->folder, variables);
  posix_spawn_file_actions_init(&actions);
  int error = 0;
  for (int i = 0; i < 3 && !error; i++)
    error = posix_spawn_file_actions_adddup2(&actions, running->theirs[i], i);
  error = error ? error : posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  const bool described = !error;
  /* posix_spawnp's argv lacks const only for historical reasons; it is not written. */
  const char *const *argv = running->process->argv;
  if (described)
    error = posix_spawnp(&running->child, argv[0], &actions, &attributes, (char *const *)(uintptr_t)argv, variables);
  for (size_t i = 0; variables[i]; i++)
    free(variables[i]);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (!described)
    heap_out(1); /* fails only when out of memory */
  return error;
}

static void limit(pid_t child) {
  const struct {
    __rlimit_resource_t what;
    rlim_t most;
  } limits[] = {{RLIMIT_CPU, PROCESS_SECONDS},
                {RLIMIT_AS, (rlim_t)PROCESS_MEMORY},
                {RLIMIT_FSIZE, PROCESS_OUTPUT},
                {RLIMIT_CORE, 0}};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    struct rlimit limit;
    if (prlimit(child, limits[i].what, NULL, &limit) != 0 || limit.rlim_cur <= limits[i].most)
      continue;
    limit.rlim_cur = limits[i].most;
    prlimit(child, limits[i].what, &limit, NULL);
  }
}

/* ---- while it runs ------------------------------------------------------------------------------- */

static void stop(struct running *running, const char *why) {
  if (!running->end.why && !running->end.cancelled)
    running->end.why = why;
  if (running->child > 0)
    kill(-running->child, SIGKILL);
}

/* Text beyond the limit is discarded; a truncated result would be wrong, so a result beyond it stops the tool. */
static void read_stream(struct running *running, int which) {
  struct stream *stream = &running->stream[which];
  char bytes[CHUNK];
  const ssize_t got = read(stream->file, bytes, sizeof bytes);
  if (got <= 0) {
    if (got == 0 || errno != EINTR)
      shut(&stream->file);
    return;
  }
  const size_t left = stream->most - stream->size, kept = (size_t)got < left ? (size_t)got : left;
  if (kept < (size_t)got && which == OUTPUT)
    stop(running, "produced more than 256 MiB");
  stream->at = vector_room(stream->at, &stream->room, stream->size + kept + 1, 1);
  memcpy(stream->at + stream->size, bytes, kept);
  stream->size += kept;
  stream->at[stream->size] = '\0';
}

static void look_after(struct running *running) {
  const struct process *process = running->process;
  if (process->cancelled && process->cancelled(process->self)) {
    running->end.cancelled = true;
    stop(running, NULL);
  }
  if (seconds() > running->deadline)
    stop(running, "took more than 10 minutes");
}

/* Waits for the tool's end; with WNOHANG, only checks. If the host program ignores the end of its children or waits for
 * them itself, the exit status is lost. */
static void reap(struct running *running, int how) {
  struct process_end *end = &running->end;
  int status = 0;
  pid_t reaped;
  while ((reaped = waitpid(running->child, &status, how)) < 0 && errno == EINTR)
    continue;
  if (reaped == 0)
    return;
  running->child = 0;
  running->status_unknown = reaped < 0;
  if (reaped < 0) {
    end->error = errno == ECHILD ? 0 : errno;
    return;
  }
  end->status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (end->signal == SIGXCPU)
    end->why = "took more than 5 minutes of processor time";
  if (end->signal == SIGXFSZ)
    end->why = "wrote a file of more than 256 MiB";
}

/* Other processes may hold the outputs open for longer, for example one that another thread of ours has just forked.
 * Once the tool has ended, everything that it wrote is in the pipes. */
static void attend(struct running *running) {
  while (running->stream[OUTPUT].file >= 0 || running->stream[TEXT].file >= 0) {
    struct pollfd look[PIPES];
    for (int i = 0; i < PIPES; i++)
      look[i] = (struct pollfd){.fd = running->stream[i].file, .events = POLLIN};
    look_after(running);
    const int ready = poll(look, PIPES, running->child ? LOOK_MS : 0);
    if (!running->child && (ready == 0 || running->end.why || running->end.cancelled))
      return;
    if (ready == 0)
      reap(running, WNOHANG);
    for (int i = 0; ready > 0 && i < PIPES; i++)
      if (look[i].revents)
        read_stream(running, i);
  }
}

/* Cleans up after running out of memory. */
static void abandon(void *self) {
  struct running *running = self;
  if (running->child > 0) {
    kill(-running->child, SIGKILL);
    reap(running, 0);
  }
  for (int i = 0; i < PIPES; i++) {
    shut(&running->stream[i].file);
    shut(&running->theirs[1 + i]);
  }
  shut(&running->theirs[0]);
}

void process_run(const struct process *process, struct process_end *end) {
  struct running *running = need(1, sizeof *running);
  *running = (struct running){
      .process = process,
      .theirs = {-1, -1, -1},
      .stream =
          {[OUTPUT] = {-1, need_copy(""), 0, 1, PROCESS_OUTPUT}, [TEXT] = {-1, need_copy(""), 0, 1, PROCESS_TEXT}},
      .deadline = seconds() + 2 * PROCESS_SECONDS};
  heap_hold(abandon, running);
  struct process_end *own = &running->end;
  own->error = open_files(running) ? spawn(running) : errno;
  for (int i = 0; i < 3; i++)
    shut(&running->theirs[i]);
  if (!own->error) {
    limit(running->child);
    attend(running);
    if (running->child > 0)
      reap(running, 0);
    if (running->status_unknown) /* whether it wrote a result says whether it succeeded */
      own->status = running->stream[OUTPUT].size == 0;
  }
  heap_release(running);
  for (int i = 0; i < PIPES; i++)
    shut(&running->stream[i].file);
  *end = *own;
  end->text = running->stream[TEXT].at;
  end->output = running->stream[OUTPUT].at;
  end->output_bytes = running->stream[OUTPUT].size;
  free(running);
}

void process_free(struct process_end *end) {
  free(end->text);
  free(end->output);
}
