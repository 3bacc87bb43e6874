/* Files without a name, which disappear with the process however it ends. Opening them again needs Linux. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/environment.h"
#include "sim/base/file.h"
#include "sim/base/text.h"

int file_nameless(const char *what, struct message *message) {
  char path[4096];
  snprintf(path, sizeof path, "%s/warpwait.XXXXXX", environment_temporary());
  int file = open(environment_temporary(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0 && (file = mkostemp(path, O_CLOEXEC)) >= 0) /* the file system has no nameless files */
    unlink(path);
  if (file < 0)
    message_fail(message, "%.300s: %s (set TMPDIR to keep %s elsewhere)", environment_temporary(), text_errno(errno),
                 what);
  return file;
}

void file_nameless_name(const char *what, char name[FILE_NAMELESS_NAME]) {
  snprintf(name, FILE_NAMELESS_NAME, "%s in %.200s (TMPDIR)", what, environment_temporary());
}

void file_nameless_path(int file, char path[FILE_NAMELESS_PATH]) {
  snprintf(path, FILE_NAMELESS_PATH, "/proc/self/fd/%d", file);
}
