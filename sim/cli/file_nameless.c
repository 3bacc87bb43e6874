/* Files without a name, which are gone with the process however that ends; where they are opened again is Linux's. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/file.h"

int file_nameless(const char *what, struct message *message) {
  const char *folder = getenv("TMPDIR");
  char path[4096];
  snprintf(path, sizeof path, "%s/warpwait.XXXXXX", folder && *folder ? folder : "/tmp");
  const int file = mkostemp(path, O_CLOEXEC);
  if (file < 0)
    message_fail(message, "%.300s: %s (TMPDIR says where %s are kept)", path, strerror(errno), what);
  else
    unlink(path);
  return file;
}

void file_nameless_path(int file, char path[FILE_NAMELESS_PATH]) {
  snprintf(path, FILE_NAMELESS_PATH, "/proc/self/fd/%d", file);
}
