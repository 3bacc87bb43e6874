/* Files that the driver writes beside the program's own: the log, traces, captures, pages. If one cannot be written,
 * the program goes on, and the user gets one line. `warpwait exec` waits for it in the file that WARPWAIT_LOST names,
 * which it has filled with blanks: there is room for the line even if the disk is full. If not, the line goes to
 * stderr, and the file disappears. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bindings/icd/icd.h"

enum { LINE = 512 }; /* as in warpwait-exec */

void icd_report_lost(const char *path, int error) {
  static bool reported;
  const char *to = getenv("WARPWAIT_LOST");
  char text[LINE + 1], line[LINE + 1];
  snprintf(text, sizeof text, "%.400s: cannot be written: %s", path, strerror(error));
  snprintf(line, sizeof line, "%-*.*s\n", LINE - 1, LINE - 1, text);
  const int file = to && !reported ? open(to, O_WRONLY | O_CLOEXEC) : -1;
  if (!reported && (file < 0 || pwrite(file, line, LINE, 0) != LINE)) {
    fprintf(stderr, "warpwait: %s\n", text);
    if (to)
      unlink(to);
  }
  if (file >= 0)
    close(file);
  reported = true;
}

int icd_open(const char *path, int flags) { return open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666); }

bool icd_write(int file, const void *data, size_t size) {
  const char *at = data;
  while (size) {
    const ssize_t wrote = write(file, at, size);
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote <= 0) {
      errno = wrote ? errno : ENOSPC;
      return false;
    }
    at += wrote;
    size -= (size_t)wrote;
  }
  return true;
}

bool icd_finish_file(int file, bool good, const char *unfinished, const char *path) {
  int error = good ? 0 : errno;
  if (file >= 0 && close(file) != 0 && !error)
    error = errno;
  if (!error && rename(unfinished, path) == 0)
    return true;
  error = error ? error : errno;
  if (file >= 0)
    unlink(unfinished);
  icd_report_lost(path, error);
  return false;
}

bool icd_write_file(const char *path, const void *data, size_t size) {
  char unfinished[ICD_PATH + 16];
  snprintf(unfinished, sizeof unfinished, "%s.unfinished", path);
  const int file = icd_open(unfinished, O_TRUNC);
  return icd_finish_file(file, file >= 0 && icd_write(file, data, size), unfinished, path);
}
