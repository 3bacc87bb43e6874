/* The cache of cache.h: one folder, one file per result, and the file name is the key. */
#include "opencl/clang/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sim/base/environment.h"
#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/put.h"
#include "sim/base/vector.h"

enum { PATH_BYTES = 4096, HEAD_BYTES = 32, HASH_DIGITS = CACHE_NAME - 1 };
static const char magic[8] = {'W', 'W', 'C', 'A', 'C', 'H', 'E', '2'};
/* With thousands of files, scanning them takes as long as compiling a small kernel. So only one small result in 256,
 * those whose name starts like this, triggers it. */
static const char trimming[] = "00";
static const char ending[] = ".ll", unfinished[] = "unfinished.";

/* ---- names --------------------------------------------------------------------------------------- */

static XXH128_canonical_t hash_of(const void *data, size_t size) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(data, size));
  return canonical;
}

/* Hashes each part's size before the part, so that different divisions into parts differ. */
void cache_name(const struct cache_part *parts, size_t count, char name[CACHE_NAME]) {
  XXH3_state_t state;
  XXH128_canonical_t hash;
  XXH3_INITSTATE(&state);
  XXH3_128bits_reset(&state);
  for (size_t i = 0; i < count; i++) {
    uint64_t size = parts[i].size;
    XXH3_128bits_update(&state, &size, sizeof size);
    XXH3_128bits_update(&state, parts[i].data, parts[i].size);
  }
  XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(&state));
  for (size_t i = 0; i < sizeof hash.digest; i++)
    snprintf(name + 2 * i, 3, "%02x", hash.digest[i]);
}

/* The cache folder; false if there is none. $XDG_CACHE_HOME and $HOME count only if they are absolute paths. */
static bool folder_path(const char *said, char path[PATH_BYTES]) {
  static const struct {
    enum environment variable;
    const char *below;
  } places[] = {{ENVIRONMENT_WARPWAIT_CACHE, ""},
                {ENVIRONMENT_XDG_CACHE_HOME, "/warpwait"},
                {ENVIRONMENT_HOME, "/.cache/warpwait"}};
  if (said)
    return *said && snprintf(path, PATH_BYTES, "%s", said) < PATH_BYTES;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    const char *value = environment(places[i].variable);
    if (value && (*value == '/' || (*value && i == 0)))
      return snprintf(path, PATH_BYTES, "%s%s", value, places[i].below) < PATH_BYTES;
  }
  return false;
}

static bool file_path(const char *said, const char *name, char path[PATH_BYTES]) {
  char folder[PATH_BYTES];
  return folder_path(said, folder) && snprintf(path, PATH_BYTES, "%s/%s%s", folder, name, ending) < PATH_BYTES;
}

/* Makes the folder and its parents. */
static void make_folder(const char *path) {
  char part[PATH_BYTES];
  snprintf(part, sizeof part, "%s", path);
  for (char *slash = part + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
    *slash = '\0';
    mkdir(part, 0700);
  }
  mkdir(part, 0700);
}

/* ---- lookup ------------------------------------------------------------------------------------- */

/* A writer of an entry controls what programs become, so only this user or root may be able to write it. */
static bool is_trusted(const struct stat *status) {
  return S_ISREG(status->st_mode) && (status->st_uid == geteuid() || status->st_uid == 0) &&
         !(status->st_mode & (S_IWGRP | S_IWOTH));
}

/* Includes the name, so that renaming files in the folder cannot pass off one program's result as another's. */
static XXH128_canonical_t hash_under(const char *name, const uint8_t *data, size_t size) {
  const XXH128_canonical_t both[] = {hash_of(name, strlen(name)), hash_of(data, size)};
  return hash_of(both, sizeof both);
}

static bool get_all(int file, uint8_t *to, size_t size) {
  while (size) {
    const ssize_t got = read(file, to, size);
    if (got == 0 || (got < 0 && errno != EINTR))
      return false;
    to += got > 0 ? got : 0;
    size -= got > 0 ? (size_t)got : 0;
  }
  return true;
}

/* Reads the rest of an open file after its head, if it matches the head. */
static bool read_result(int file, const char *name, uint8_t **data, size_t *size) {
  uint8_t head[HEAD_BYTES];
  uint64_t bytes = 0;
  struct stat status;
  if (fstat(file, &status) != 0 || !is_trusted(&status) || !get_all(file, head, sizeof head) ||
      memcmp(head, magic, sizeof magic) != 0)
    return false;
  for (unsigned i = 0; i < 8; i++)
    bytes |= (uint64_t)head[sizeof magic + i] << 8 * i;
  if (status.st_size < HEAD_BYTES || bytes != (uint64_t)status.st_size - HEAD_BYTES || bytes > CACHE_BYTES)
    return false;
  *size = bytes;
  *data = need(*size, 1);
  XXH128_canonical_t hash = {{0}};
  if (get_all(file, *data, *size))
    hash = hash_under(name, *data, *size);
  if (memcmp(hash.digest, head + 16, sizeof hash.digest) == 0)
    return true;
  free(*data);
  *data = NULL;
  return false;
}

bool cache_find(const char *folder, const char *name, uint8_t **data, size_t *size) {
  char path[PATH_BYTES];
  const int file =
      file_held(file_path(folder, name, path) ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1);
  if (file < 0)
    return false;
  bool good = read_result(file, name, data, size);
  if (good)
    futimens(file, NULL); /* marks it as used now, for cache_trim() */
  file_close(file);
  return good;
}

/* ---- storing ------------------------------------------------------------------------------------- */

static bool write_result(int file, const char *name, const uint8_t *data, size_t size) {
  uint8_t head[HEAD_BYTES];
  XXH128_canonical_t hash = hash_under(name, data, size);
  memcpy(head, magic, sizeof magic);
  for (unsigned i = 0; i < 8; i++)
    head[sizeof magic + i] = (uint8_t)((uint64_t)size >> 8 * i);
  memcpy(head + 16, hash.digest, sizeof hash.digest);
  const bool good = put_all(file, head, sizeof head) && put_all(file, data, size);
  return close(file) == 0 && good;
}

void cache_keep(const char *said, const char *name, const uint8_t *data, size_t size) {
  char folder[PATH_BYTES], path[PATH_BYTES], temporary[PATH_BYTES];
  if (size > CACHE_BYTES || !folder_path(said, folder) || !file_path(said, name, path) ||
      snprintf(temporary, sizeof temporary, "%s/%sXXXXXX", folder, unfinished) >= PATH_BYTES)
    return;
  make_folder(folder);
  int descriptor = mkostemp(temporary, O_CLOEXEC);
  if (descriptor < 0)
    return;
  if (!write_result(descriptor, name, data, size) || rename(temporary, path) != 0)
    unlink(temporary);
  if (strncmp(name, trimming, sizeof trimming - 1) == 0 || size >= CACHE_BYTES / 256)
    cache_trim(said, CACHE_BYTES);
}

/* ---- trimming ------------------------------------------------------------------------------------ */

struct entry {
  char name[HASH_DIGITS + sizeof ending];
  struct timespec used;
  uint64_t bytes;
};

/* Never removes a file that the cache did not write, whatever folder the user named. */
static bool is_ours(const char *name) {
  if (strncmp(name, unfinished, sizeof unfinished - 1) == 0)
    return strlen(name) == sizeof unfinished - 1 + 6;
  return strspn(name, "0123456789abcdef") == HASH_DIGITS && strcmp(name + HASH_DIGITS, ending) == 0;
}

static int older_first(const void *left, const void *right) {
  const struct entry *a = left, *b = right;
  if (a->used.tv_sec != b->used.tv_sec)
    return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
  if (a->used.tv_nsec != b->used.tv_nsec)
    return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
  return strcmp(a->name, b->name);
}

static size_t list_entries(DIR *folder, struct entry **entries, uint64_t *total) {
  size_t count = 0, room = 0;
  for (struct dirent *at; (at = readdir(folder));) {
    struct stat status;
    if (!is_ours(at->d_name) || fstatat(dirfd(folder), at->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    struct entry *entry = vector_next(*entries, count, room);
    *entry = (struct entry){.used = status.st_mtim, .bytes = (uint64_t)status.st_size};
    memcpy(entry->name, at->d_name, strlen(at->d_name) + 1); /* is_ours() has checked its length */
    *total += entry->bytes;
  }
  return count;
}

static void close_held(void *folder) { closedir(folder); }

void cache_trim(const char *said, uint64_t limit) {
  char path[PATH_BYTES];
  DIR *folder = folder_path(said, path) ? opendir(path) : NULL;
  if (!folder)
    return;
  heap_hold(close_held, folder);
  struct entry *entries = NULL;
  uint64_t total = 0;
  size_t count = list_entries(folder, &entries, &total);
  if (total > limit)
    qsort(entries, count, sizeof *entries, older_first);
  for (size_t i = 0; i < count && total > limit; i++) {
    unlinkat(dirfd(folder), entries[i].name, 0);
    total -= entries[i].bytes;
  }
  free(entries);
  heap_release(folder);
  closedir(folder);
}
