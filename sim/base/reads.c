#include "sim/base/reads.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/text.h"
#include "sim/base/vector.h"

void reads_free(struct reads *reads) {
  for (size_t i = 0; i < reads->count; i++)
    free(reads->path[i]);
  for (size_t i = 0; i < reads->folders; i++)
    free(reads->folder[i]);
  free(reads->folder);
  free(reads->path);
  map_free(&reads->known);
  free(reads->root);
  *reads = (struct reads){0};
}

/* Records "./a" as "a". */
static void note(struct reads *reads, const char *path) {
  while (path[0] == '.' && path[1] == '/' && path[2])
    path += 2;
  const uint64_t hash = hash_bytes(path, strlen(path));
  for (size_t at = 0, i; map_next(&reads->known, hash, &at, &i);)
    if (strcmp(reads->path[i], path) == 0)
      return;
  map_add(&reads->known, hash, reads->count);
  *vector_next(reads->path, reads->count, reads->room) = need_copy(path);
}

struct reads reads_apart(const struct reads *reads) {
  struct reads apart = {.confined = reads->confined, .listed = reads->listed};
  apart.root = reads->root ? need_copy(reads->root) : NULL;
  apart.folder = need(reads->folders, sizeof *apart.folder);
  for (; apart.folders < reads->folders; apart.folders++)
    apart.folder[apart.folders] = need_copy(reads->folder[apart.folders]);
  return apart;
}

void reads_take(struct reads *reads, const struct reads *apart) {
  for (size_t i = 0; reads && i < apart->count; i++)
    note(reads, apart->path[i]);
}

char *reads_begin(struct reads *reads, const char *path) {
  if (!reads)
    return NULL;
  char *before = reads->root, *folder = file_beside(path, ".");
  note(reads, path);
  reads->root = realpath(folder, NULL);
  free(folder);
  return before;
}

void reads_end(struct reads *reads, char *before) {
  if (!reads)
    return;
  free(reads->root);
  reads->root = before;
}

void reads_folder(struct reads *reads, const char *path) {
  char *real = reads ? realpath(path, NULL) : NULL;
  if (!real)
    return;
  reads->folder = need_more(reads->folder, reads->folders + 1, sizeof *reads->folder);
  reads->folder[reads->folders++] = real;
}

static bool is_below(const char *path, const char *root) {
  const size_t length = strlen(root);
  return strncmp(path, root, length) == 0 && (path[length] == '/' || strcmp(root, "/") == 0);
}

static bool is_inside(const struct reads *reads, const char *path) {
  bool inside = is_below(path, reads->root);
  for (size_t i = 0; !inside && i < reads->folders; i++)
    inside = is_below(path, reads->folder[i]);
  return inside;
}

bool reads_allow(struct reads *reads, const char *path, struct message *message) {
  if (!reads)
    return true;
  note(reads, path);
  if (!reads->confined || !reads->root)
    return true;
  char *real = realpath(path, NULL);
  struct stat status;
  /* The code that reads a missing file reports it. A file that is open may exist without having a path. */
  const bool good =
      (real ? is_inside(reads, real) : stat(path, &status) != 0) ||
      message_fail(message, "'%.200s' is outside %.200s; --confined allows only files inside", path, reads->root);
  free(real);
  return good;
}

bool reads_plain(struct reads *reads, const char *path, struct message *message) {
  struct stat status;
  if (!reads_allow(reads, path, message))
    return false;
  return stat(path, &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) ||
         message_fail(message, "%s: is not a regular file", path);
}

bool reads_file(struct reads *reads, const char *path, size_t limit, char **data, size_t *size,
                struct message *message) {
  *data = NULL;
  return reads_plain(reads, path, message) && file_read(path, limit, data, size, message);
}

bool reads_is_named(const char *path, const char *extension) {
  char *real = realpath(path, NULL);
  const bool named = strcmp(file_extension(real ? real : path), extension) == 0;
  free(real);
  return named;
}

void reads_print(const struct reads *reads, struct text *text) {
  for (size_t i = 0; i < reads->count; i++)
    text_print(text, "%s\n", reads->path[i]);
}
