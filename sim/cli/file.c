#include "sim/cli/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/cli/unfinished.h"
#include "sim/core/need.h"

static bool read_all(FILE *file, size_t limit, char **data, size_t *size) {
  size_t capacity = 65536, length = 0;
  char *bytes = need(capacity, 1);
  for (;;) {
    length += fread(bytes + length, 1, capacity - 1 - length, file);
    if (length < capacity - 1 || length > limit)
      break;
    capacity *= 2;
    bytes = need_more(bytes, capacity, 1);
  }
  bytes[length] = '\0';
  *data = bytes;
  *size = length;
  return !ferror(file);
}

bool file_read(const char *path, size_t limit, char **data, size_t *size, struct message *message) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return message_fail(message, "%s: %s", path, strerror(errno));
  bool good = read_all(file, limit, data, size);
  int error = errno;
  fclose(file);
  if (good && *size <= limit)
    return true;
  free(*data);
  *data = NULL;
  return good ? message_fail(message, "%s: larger than the %zu bytes that are read", path, limit)
              : message_fail(message, "%s: %s", path, strerror(error));
}

bool file_exists(const char *path) { return access(path, F_OK) == 0; }

bool file_is_folder(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool is_special(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static bool write_all(int descriptor, const char *data, size_t size) {
  while (size) {
    ssize_t done = write(descriptor, data, size);
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return false;
    data += done;
    size -= (size_t)done;
  }
  return true;
}

static bool write_special(const char *path, const void *data, size_t size, struct message *message) {
  int descriptor = open(path, O_WRONLY | O_CLOEXEC);
  bool good = descriptor >= 0 && write_all(descriptor, data, size);
  int error = errno;
  if (descriptor >= 0)
    close(descriptor);
  return good ? true : message_fail(message, "%s: %s", path, strerror(error));
}

/* A name of its own in the folder of `path`, open for writing, with the mode a new file would get. */
static int open_beside(const char *path, char *temporary, size_t size) {
  if ((size_t)snprintf(temporary, size, "%s.XXXXXX", path) >= size) {
    errno = ENAMETOOLONG;
    return -1;
  }
  int descriptor = mkostemp(temporary, O_CLOEXEC);
  mode_t mask = umask(0);
  umask(mask);
  if (descriptor >= 0)
    fchmod(descriptor, 0666 & ~mask);
  return descriptor;
}

bool file_write(const char *path, const void *data, size_t size, struct message *message) {
  if (is_special(path))
    return write_special(path, data, size, message);
  char temporary[4096];
  int descriptor = open_beside(path, temporary, sizeof temporary);
  if (descriptor < 0)
    return message_fail(message, "%s: cannot be written: %s", path, strerror(errno));
  bool good = write_all(descriptor, data, size);
  good &= close(descriptor) == 0;
  good = good && rename(temporary, path) == 0;
  if (good)
    return true;
  int error = errno;
  unlink(temporary);
  return message_fail(message, "%s: cannot be written: %s", path, strerror(error));
}

bool file_begin(struct file_piecewise *file, const char *path, struct message *message) {
  *file = (struct file_piecewise){.path = path};
  const bool special = is_special(path);
  const int descriptor =
      special ? open(path, O_WRONLY | O_CLOEXEC) : open_beside(path, file->temporary, sizeof file->temporary);
  if (descriptor >= 0 && !special)
    unfinished_add(file->temporary);
  file->stream = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  if (file->stream)
    return true;
  const int error = errno;
  if (descriptor >= 0)
    close(descriptor);
  if (descriptor >= 0 && !special)
    unlink(file->temporary);
  return message_fail(message, "%s: cannot be written: %s", path, strerror(error));
}

bool file_end(struct file_piecewise *file, bool good, struct message *message) {
  errno = 0;
  bool written = !ferror(file->stream);
  written &= fclose(file->stream) == 0;
  const bool named = good && written && (!file->temporary[0] || rename(file->temporary, file->path) == 0);
  const int error = errno ? errno : EIO; /* an earlier failure's reason is gone */
  if (!named && file->temporary[0])
    unlink(file->temporary);
  unfinished_done(file->temporary);
  if (named)
    return true;
  return good ? message_fail(message, "%s: cannot be written: %s", file->path, strerror(error)) : false;
}

/* Of files that are not there yet the folder and the name decide. */
bool file_is_same(const char *a, const char *b) {
  struct stat of_a, of_b;
  if (stat(a, &of_a) == 0 && stat(b, &of_b) == 0)
    return S_ISREG(of_a.st_mode) && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
  if (strcmp(file_base(a), file_base(b)) != 0)
    return false;
  char *folder_a = file_beside(a, "."), *folder_b = file_beside(b, ".");
  const bool same = stat(folder_a, &of_a) == 0 && stat(folder_b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
                    of_a.st_ino == of_b.st_ino;
  free(folder_a);
  free(folder_b);
  return same;
}

bool file_can_write(const char *path, struct message *message) {
  if (file_is_folder(path))
    return message_fail(message, "%s: cannot be written: %s", path, strerror(EISDIR));
  if (is_special(path))
    return true;
  char temporary[4096];
  int descriptor = open_beside(path, temporary, sizeof temporary);
  if (descriptor < 0)
    return message_fail(message, "%s: cannot be written: %s", path, strerror(errno));
  close(descriptor);
  unlink(temporary);
  return true;
}

char *file_beside(const char *from, const char *name) {
  const char *slash = strrchr(from, '/');
  if (!slash || name[0] == '/')
    return need_copy(name);
  size_t folder = (size_t)(slash - from) + 1;
  char *joined = need(folder + strlen(name) + 1, 1);
  memcpy(joined, from, folder);
  strcpy(joined + folder, name);
  return joined;
}

const char *file_base(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

const char *file_extension(const char *path) {
  const char *dot = strrchr(file_base(path), '.');
  return dot ? dot : "";
}
