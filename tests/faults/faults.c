/* A library to preload: it makes one system call fail, to see how a program reacts.
 *
 *     FAULTS_LOG=FILE            writes a letter for each call that could fail, and lets all pass
 *     FAULTS="rename 3 ENOSPC"   the third call of rename() fails this way; with a final 's' ("stays"), so do all
 *                                later ones; ENOSPC is a number, and 0 means that a write() writes half
 *
 * Forked children continue the count. Calls that only read do not count, nor do standard output, whose buffer the C
 * library writes without calling us (tests have /dev/full for it), and standard error. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum call { WRITE, FSYNC, CLOSE, RENAME, MKDIR, FORK, EXEC, OPEN, CUT, PIPE, CALLS };
static const char *const names[CALLS] = {"write", "fsync", "close", "rename", "mkdir",
                                         "fork",  "exec",  "open",  "cut",    "pipe"};
static const char letters[] = "wscrmfeotp"; /* in the log */

struct shared {
  atomic_uint count[CALLS];
};
static struct shared *shared;
static int log_file = -1, which = -1, error;
static unsigned number;
static bool stays;

__attribute__((constructor)) static void begin(void) {
  const char *log = getenv("FAULTS_LOG"), *fault = getenv("FAULTS");
  char name[16] = "", more[2] = "";
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (log)
    log_file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (!fault || sscanf(fault, "%15s %u %d %1s", name, &number, &error, more) < 3)
    return;
  stays = *more == 's';
  for (int i = 0; i < CALLS; i++)
    if (strcmp(name, names[i]) == 0)
      which = i;
}

/* Whether this call must fail. */
static bool fails(enum call call) {
  if (log_file >= 0)
    syscall(SYS_write, log_file, &letters[call], 1);
  if (!shared || (int)call != which)
    return false;
  const unsigned now = atomic_fetch_add(&shared->count[call], 1) + 1;
  if (now != number && !(stays && now > number))
    return false;
  errno = error;
  return true;
}

static bool is_output(int file) {
  const int flags = fcntl(file, F_GETFL);
  return file > STDERR_FILENO && file != log_file && flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

#define REAL(type, name, ...)                                                                                          \
  static type (*real)(__VA_ARGS__);                                                                                    \
  if (!real)                                                                                                           \
  *(void **)&real = dlsym(RTLD_NEXT, #name)

ssize_t write(int file, const void *data, size_t size) {
  REAL(ssize_t, write, int, const void *, size_t);
  return !is_output(file) || !fails(WRITE) ? real(file, data, size) : error ? -1 : real(file, data, (size + 1) / 2);
}

ssize_t pwrite64(int file, const void *data, size_t size, off64_t at) {
  REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
  return fails(WRITE) ? -1 : real(file, data, size, at);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t at) {
  REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
  return fails(WRITE) ? -1 : real(file, data, size, at);
}

int fsync(int file) {
  REAL(int, fsync, int);
  return fails(FSYNC) ? -1 : real(file);
}

int fdatasync(int file) {
  REAL(int, fdatasync, int);
  return fails(FSYNC) ? -1 : real(file);
}

/* A descriptor whose close() fails is closed nevertheless. */
int close(int file) {
  REAL(int, close, int);
  const bool failing = is_output(file) && fails(CLOSE);
  const int closed = real(file);
  if (failing)
    errno = error;
  return failing ? -1 : closed;
}

int rename(const char *from, const char *to) {
  REAL(int, rename, const char *, const char *);
  return fails(RENAME) ? -1 : real(from, to);
}

int mkdir(const char *path, mode_t mode) {
  REAL(int, mkdir, const char *, mode_t);
  return fails(MKDIR) ? -1 : real(path, mode);
}

char *mkdtemp(char *path) {
  REAL(char *, mkdtemp, char *);
  return fails(MKDIR) ? NULL : real(path);
}

pid_t fork(void) {
  REAL(pid_t, fork, void);
  return fails(FORK) ? -1 : real();
}

int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const argv[], char *const environment[]) {
  REAL(int, posix_spawn, pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
       char *const[], char *const[]);
  return fails(EXEC) ? error : real(child, path, actions, attributes, argv, environment);
}

int posix_spawnp(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[], char *const environment[]) {
  REAL(int, posix_spawnp, pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
       char *const[], char *const[]);
  return fails(EXEC) ? error : real(child, path, actions, attributes, argv, environment);
}

int execvp(const char *path, char *const argv[]) {
  REAL(int, execvp, const char *, char *const[]);
  return fails(EXEC) ? -1 : real(path, argv);
}

int execv(const char *path, char *const argv[]) {
  REAL(int, execv, const char *, char *const[]);
  return fails(EXEC) ? -1 : real(path, argv);
}

static mode_t mode_of(int flags, va_list list) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; }

static bool is_writing(int flags) { return (flags & O_ACCMODE) != O_RDONLY; }

int open(const char *path, int flags, ...) {
  REAL(int, open, const char *, int, ...);
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  return is_writing(flags) && fails(OPEN) ? -1 : real(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  REAL(int, open64, const char *, int, ...);
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  return is_writing(flags) && fails(OPEN) ? -1 : real(path, flags, mode);
}

int mkostemp(char *path, int flags) {
  REAL(int, mkostemp, char *, int);
  return fails(OPEN) ? -1 : real(path, flags);
}

int memfd_create(const char *name, unsigned flags) {
  REAL(int, memfd_create, const char *, unsigned);
  return fails(OPEN) ? -1 : real(name, flags);
}

int ftruncate(int file, off_t size) {
  REAL(int, ftruncate, int, off_t);
  return fails(CUT) ? -1 : real(file, size);
}

int ftruncate64(int file, off64_t size) {
  REAL(int, ftruncate64, int, off64_t);
  return fails(CUT) ? -1 : real(file, size);
}

int pipe2(int ends[2], int flags) {
  REAL(int, pipe2, int *, int);
  return fails(PIPE) ? -1 : real(ends, flags);
}
