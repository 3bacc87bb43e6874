#include "sim/host/vcd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Copies all lines but those from "$date" to its "$end". */
static bool copy_undated(FILE *from, FILE *to) {
  char line[4096];
  bool in_date = false;
  while (fgets(line, sizeof line, from)) {
    bool starts = strncmp(line, "$date", 5) == 0, ends = in_date && strncmp(line, "$end", 4) == 0;
    in_date |= starts;
    if (!in_date && fputs(line, to) == EOF)
      return false;
    in_date &= !ends;
  }
  return !ferror(from);
}

/* A device or a pipe, which is written straight and never replaced. */
static bool is_special(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

bool vcd_finish(const char *partial, const char *path) {
  char undated[4096];
  const bool special = is_special(path);
  if ((size_t)snprintf(undated, sizeof undated, "%s%s", special ? path : partial, special ? "" : ".undated") >=
      sizeof undated) {
    errno = ENAMETOOLONG;
    return false;
  }
  FILE *from = fopen(partial, "r"), *to = fopen(undated, "w");
  bool good = from && to && copy_undated(from, to);
  if (from)
    fclose(from);
  if (to)
    good &= fclose(to) == 0;
  good = good && (special || rename(undated, path) == 0);
  int error = errno;
  unlink(partial);
  if (!good && !special)
    unlink(undated);
  errno = error;
  return good;
}
