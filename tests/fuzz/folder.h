/* A folder for a fuzzer, for readers that take a file name. */
#ifndef TESTS_FUZZ_FOLDER_H
#define TESTS_FUZZ_FOLDER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FUZZ_PATH = 80 };
static char fuzz_folder[] = "/tmp/fuzz.XXXXXX"; /* made when the first file is written */
static char fuzz_path[2][FUZZ_PATH];            /* files in it */

static inline void fuzz_folder_remove(void) {
  for (int i = 0; i < 2; i++)
    unlink(fuzz_path[i]);
  rmdir(fuzz_folder);
}

/* Writes a file of the folder (at most two exist) and returns its path. */
static inline const char *fuzz_file_put(const char *name, const void *data, size_t size) {
  if (!*fuzz_path[0] && (!mkdtemp(fuzz_folder) || atexit(fuzz_folder_remove) != 0))
    abort();
  char path[FUZZ_PATH];
  snprintf(path, sizeof path, "%s/%s", fuzz_folder, name);
  const int place = *fuzz_path[0] && strcmp(fuzz_path[0], path) != 0;
  strcpy(fuzz_path[place], path);
  FILE *file = fopen(path, "wb");
  if (!file || (size && fwrite(data, size, 1, file) != 1) || fclose(file) != 0)
    abort();
  return fuzz_path[place];
}

#endif
