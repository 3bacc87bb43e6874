#include "sim/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/need.h"
#include "sim/base/text.h"

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

static void close_held(void *file) { fclose(file); }

bool file_read(const char *path, size_t limit, char **data, size_t *size, struct message *message) {
  FILE *file = fopen(path, "rbe");
  if (!file && errno == ENOMEM)
    heap_out(BUFSIZ);
  if (!file)
    return message_fail(message, "%s: %s", path, text_errno(errno));
  heap_hold(close_held, file);
  bool good = read_all(file, limit, data, size);
  int error = errno;
  if (!good && error == ENOMEM)
    heap_out(BUFSIZ);
  heap_release(file);
  fclose(file);
  if (good && *size <= limit)
    return true;
  free(*data);
  *data = NULL;
  return good ? message_fail(message, "%s: larger than %zu bytes, the most that are read", path, limit)
              : message_fail(message, "%s: %s", path, text_errno(error));
}

static void drop(void *file) { close((int)(intptr_t)file); }

int file_held(int file) {
  if (file >= 0)
    heap_hold(drop, (void *)(intptr_t)file);
  return file;
}

int file_close(int file) {
  heap_release((void *)(intptr_t)file);
  return close(file);
}

const char *file_read_regular(const char *path, size_t limit, char **data, size_t *size) {
  const int file = file_held(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status;
  *data = NULL;
  *size = 0;
  if (file < 0)
    return text_errno(errno);
  if (fstat(file, &status) != 0)
    status = (struct stat){0};
  const bool regular = S_ISREG(status.st_mode), fits = (uint64_t)status.st_size <= limit;
  const size_t room = regular && fits ? (size_t)status.st_size : 0;
  const char *why = !regular ? "is not a regular file" : !fits ? text_errno(EFBIG) : NULL;
  *data = need(room + 1, 1);
  for (ssize_t got = 1; !why && got && *size < room;) {
    got = read(file, *data + *size, room - *size);
    why = got < 0 && errno != EINTR ? text_errno(errno) : NULL;
    *size += got > 0 ? (size_t)got : 0;
  }
  file_close(file);
  return why;
}

bool file_exists(const char *path) { return access(path, F_OK) == 0; }

bool file_is_folder(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* For files that do not exist yet, compares folder and name. */
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
