/* A cache for what clang makes of OpenCL C, kept between runs in a folder: by default $WARPWAIT_CACHE, else
 * $XDG_CACHE_HOME/warpwait, else $HOME/.cache/warpwait.
 *
 * A result is a file whose name is a hash of everything that it depends on:
 *
 *     "WWCACHE2"   8 bytes
 *     size         8 bytes, little-endian
 *     XXH3_128    16 bytes, canonical, of the hashes of the name and of the result
 *     the result
 *
 * It is written under a temporary name and renamed, so concurrent runs never see half a file. Damaged files, and files
 * that someone else could have written, count as absent. Nothing here fails: if the cache cannot be used, everything is
 * compiled. When all results together exceed CACHE_BYTES, the least recently used are removed: not at once, but about
 * once every 256 new results.
 *
 * There are no locks. If two runs miss at once, both compile, and one result stays. */
#ifndef OPENCL_CLANG_CACHE_H
#define OPENCL_CLANG_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_BYTES (UINT64_C(256) << 20)

enum { CACHE_NAME = 33 };

struct cache_part {
  const void *data;
  size_t size;
};

/* The name of the result that depends on these parts, in this order. */
void cache_name(const struct cache_part *parts, size_t count, char name[CACHE_NAME]);

/* Finds the result with that name; the caller frees it. For all three functions, `folder` NULL is the environment's
 * folder, and "" is no cache. */
bool cache_find(const char *folder, const char *name, uint8_t **data, size_t *size);

void cache_keep(const char *folder, const char *name, const uint8_t *data, size_t size);

/* Removes the least recently used results until the rest have at most `limit` bytes. */
void cache_trim(const char *folder, uint64_t limit);

#endif
