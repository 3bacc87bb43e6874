#include "sim/cli/python.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void python_folder(char folder[PYTHON_PATH]) {
  const ssize_t length = readlink("/proc/self/exe", folder, PYTHON_PATH - 1);
  folder[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(folder, '/');
  folder[slash ? slash + 1 - folder : 0] = '\0';
}

void python_become(const char *const *places, size_t count, char **words) {
  char folder[PYTHON_PATH], path[PYTHON_PATH + 64];
  python_folder(folder);
  errno = ENOENT;
  for (size_t i = 0; *folder && i < count; i++) {
    snprintf(path, sizeof path, "%s%s", folder, places[i]);
    execv(path, words);
    if (errno != ENOENT && errno != ENOTDIR)
      return;
  }
  errno = ENOENT;
}
