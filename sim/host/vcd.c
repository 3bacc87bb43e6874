#include "sim/host/vcd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
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

bool vcd_finish(const char *partial, const char *path) {
  char undated[4096];
  if ((size_t)snprintf(undated, sizeof undated, "%s.undated", partial) >= sizeof undated) {
    errno = ENAMETOOLONG;
    return false;
  }
  FILE *from = fopen(partial, "r"), *to = fopen(undated, "w");
  bool good = from && to && copy_undated(from, to);
  if (from)
    fclose(from);
  if (to)
    good &= fclose(to) == 0;
  good = good && rename(undated, path) == 0;
  int error = errno;
  unlink(partial);
  if (!good)
    unlink(undated);
  errno = error;
  return good;
}
