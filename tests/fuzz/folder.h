/* A folder of a fuzzer's own, for readers that want a file by name. */
#ifndef TESTS_FUZZ_FOLDER_H
#define TESTS_FUZZ_FOLDER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char fuzz_file[80]; /* the file in it; "" before the first is written */

static inline void fuzz_folder_remove(void) {
  unlink(fuzz_file);
  *strrchr(fuzz_file, '/') = '\0';
  rmdir(fuzz_file);
}

/* Writes the input to the file, and returns its path. */
static inline const char *fuzz_file_put(const void *data, size_t size) {
  if (!*fuzz_file) {
    char folder[] = "/tmp/fuzz.XXXXXX";
    if (!mkdtemp(folder))
      abort();
    snprintf(fuzz_file, sizeof fuzz_file, "%s/input", folder);
    atexit(fuzz_folder_remove);
  }
  FILE *file = fopen(fuzz_file, "wb");
  if (!file || (size && fwrite(data, size, 1, file) != 1) || fclose(file) != 0)
    abort();
  return fuzz_file;
}

#endif
