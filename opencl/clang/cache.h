/* Results of the OpenCL C tools, kept between runs in a folder: by default $WARPWAIT_CACHE, else
 * $XDG_CACHE_HOME/warpwait, else $HOME/.cache/warpwait.
 *
 * A result is a file whose name is a hash of everything that it depends on:
 *
 *     "WWCACHE2"   8 bytes
 *     size         8 bytes, little-endian
 *     XXH3_128    16 bytes, canonical, of the hashes of the name and of the result
 *     the result
 *
 * It is written under a name of its own and renamed, so that runs at the same time never see half of one. Damaged
 * files, and those that someone else could have written, count as absent. Nothing here fails: a cache that cannot be
 * used is no cache. When all results together are larger than CACHE_BYTES, those not used for longest go: not at once,
 * but before 256 more are likely to have come.
 *
 * Not modelled: locks. Two runs that miss at once both work, and one result stays. */
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

/* The name of what depends on these parts, in this order. */
void cache_name(const struct cache_part *parts, size_t count, char name[CACHE_NAME]);

/* The result of that name; the caller frees it. Of all three, `folder` NULL is the environment's, and "" none. */
bool cache_find(const char *folder, const char *name, uint8_t **data, size_t *size);

void cache_keep(const char *folder, const char *name, const uint8_t *data, size_t size);

/* Removes the results not used for longest until the rest have at most `limit` bytes. */
void cache_trim(const char *folder, uint64_t limit);

#endif
