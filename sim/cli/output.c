#include "sim/cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/put.h"
#include "sim/cli/interrupt.h"

enum { LINKS = 40, BUFFER = 1 << 16 };

static bool fail(struct message *message, const char *path, int error) {
  return message_fail(message, "%.500s: cannot be written: %s", path, strerror(error));
}

/* ---- destinations -------------------------------------------------------------------------------- */

bool output_is_standard(const char *path) { return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0; }

/* The descriptor that a path names, or -1. */
static int descriptor_of(const char *path) {
  static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
  if (output_is_standard(path))
    return STDOUT_FILENO;
  if (strcmp(path, "/dev/stderr") == 0)
    return STDERR_FILENO;
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    const size_t length = strlen(folders[i]);
    char *end = NULL;
    const long number = strncmp(path, folders[i], length) == 0 ? strtol(path + length, &end, 10) : -1;
    if (number >= 0 && number < 1 << 20 && end > path + length && !*end)
      return (int)number;
  }
  return -1;
}

/* In a folder where all users may create files but remove only their own, links of other users are not followed: a user
 * who guesses our output's name could make us replace any file of ours. Linux has this rule for open()
 * (fs.protected_symlinks), but readlink() bypasses it. */
static bool is_trap(const char *link) {
  struct stat of_link, of_folder;
  char *folder = file_beside(link, ".");
  const bool shared = lstat(link, &of_link) == 0 && stat(folder, &of_folder) == 0 &&
                      (of_folder.st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH);
  free(folder);
  return shared && of_link.st_uid != geteuid() && of_link.st_uid != of_folder.st_uid;
}

/* Where the path leads after following all links, even if nothing is there; NULL with errno. */
static char *resolve_links(const char *path) {
  char *at = need_copy(path);
  for (int links = 0; links < LINKS; links++) {
    char link[4096];
    const ssize_t length = readlink(at, link, sizeof link - 1);
    if (length < 0)
      return at;
    link[length] = '\0';
    if (is_trap(at)) {
      free(at);
      errno = EACCES;
      return NULL;
    }
    char *next = file_beside(at, link);
    free(at);
    at = next;
  }
  free(at);
  errno = ELOOP;
  return NULL;
}

static bool is_special(const struct stat *status) { return !S_ISREG(status->st_mode) && !S_ISDIR(status->st_mode); }

/* Opens destinations that are written directly; -1 with errno 0 for others. */
static int open_straight(const char *path) {
  struct stat status;
  const int descriptor = descriptor_of(path);
  if (descriptor >= 0)
    return fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (stat(path, &status) == 0 && is_special(&status))
    return open(path, O_WRONLY | O_CLOEXEC);
  errno = 0;
  return -1;
}

/* ---- the temporary file -------------------------------------------------------------------------- */

/* Sets the owner, group and mode of the existing file, or those of a new file. A user who cannot give the file away can
 * still give it to one of their groups. */
static void take_after(int file, const struct stat *before, bool there) {
  const mode_t mask = umask(0);
  umask(mask);
  const bool kept =
      !there || fchown(file, before->st_uid, before->st_gid) == 0 || fchown(file, (uid_t)-1, before->st_gid) == 0;
  fchmod(file, !there ? 0666 & ~mask : before->st_mode & (kept ? 0777 : 0707));
}

/* "folder/.name.XXXXXX", which matches none of the user's patterns. */
static char *name_beside(const char *target) {
  const char *base = file_base(target);
  const size_t size = strlen(target) + sizeof "..XXXXXX";
  char *name = need(size, 1);
  snprintf(name, size, "%.*s.%.200s.XXXXXX", (int)(base - target), target, base);
  return name;
}

/* Opens the output's temporary file; false with errno on failure. */
static bool open_beside(struct output *output) {
  struct stat status;
  output->target = resolve_links(output->path);
  if (!output->target)
    return false;
  const bool there = stat(output->target, &status) == 0;
  if (there && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    return false;
  }
  if (there && access(output->target, W_OK) != 0)
    return false;
  output->temporary = name_beside(output->target);
  output->file = interrupt_guarded_file(output->temporary);
  if (output->file < 0)
    return false;
  take_after(output->file, &status, there);
  return true;
}

/* ---- the life of an output ----------------------------------------------------------------------- */

static ssize_t write_output(void *self, const char *data, size_t size) {
  struct output *output = self;
  if (put_all(output->file, data, size))
    return (ssize_t)size;
  output->error = output->error ? output->error : errno;
  return 0;
}

static void free_names(struct output *output) {
  free(output->temporary);
  free(output->target);
}

/* Abandons an output. What was written directly cannot be taken back. */
static void abandon_output(struct output *output) {
  if (output->file >= 0)
    close(output->file);
  if (output->temporary)
    interrupt_remove(output->temporary);
  free_names(output);
}

bool output_begin(struct output *output, const char *path, struct message *message) {
  *output = (struct output){.path = path, .file = open_straight(path)};
  const bool open = output->file >= 0 || (!errno && open_beside(output));
  int error = errno;
  if (open) {
    output->stream = fopencookie(output, "w", (cookie_io_functions_t){.write = write_output});
    error = ENOMEM;
  }
  if (output->stream) {
    setvbuf(output->stream, NULL, _IOFBF, BUFFER);
    return true;
  }
  abandon_output(output);
  return fail(message, path, error);
}

int output_duplicate(const struct output *output) { return fcntl(output->file, F_DUPFD_CLOEXEC, 0); }

/* Some file systems do not support fsync(). */
static bool synchronize(int file) { return fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP; }

static bool close_file(struct output *output) {
  const int file = output->file;
  output->file = -1;
  return close(file) == 0;
}

bool output_end(struct output *output, bool good, struct message *message) {
  const bool flushed = fclose(output->stream) == 0;
  int error = output->error ? output->error : flushed ? 0 : errno;
  if (good && !error && output->temporary &&
      (!synchronize(output->file) || !close_file(output) || rename(output->temporary, output->target) != 0))
    error = errno;
  if (good && !error && !output->temporary && !close_file(output))
    error = errno;
  if (good && !error && output->temporary)
    interrupt_forgets(output->temporary);
  if (good && !error) {
    free_names(output);
    return true;
  }
  abandon_output(output);
  return good && fail(message, output->path, error);
}

static bool put_some(void *self, const char *data, size_t size, struct message *message) {
  const struct output *output = self;
  (void)message;
  return fwrite(data, 1, size, output->stream) == size && !output->error;
}

struct sink output_sink(struct output *output) {
  return (struct sink){put_some, output};
}

bool output_write(const char *path, const void *data, size_t size, struct message *message) {
  struct output output;
  if (!output_begin(&output, path, message))
    return false;
  if (!put_all(output.file, data, size))
    output.error = errno;
  return output_end(&output, true, message);
}

bool output_possible(const char *path, struct message *message) {
  struct stat status;
  struct output output = {.path = path, .file = -1};
  if (descriptor_of(path) >= 0 || (stat(path, &status) == 0 && is_special(&status)))
    return true;
  const bool good = open_beside(&output);
  const int error = errno;
  abandon_output(&output);
  return good || fail(message, path, error);
}
