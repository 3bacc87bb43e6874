/* The shadow of a memory: who touched each word or byte, and from which instruction.
 *
 *     address ──► table of 4 MiB ──► page of 4096 bytes ──► cell ──► touch ──► touch ...
 *                                    a cell per word or byte        the latest touches of each kind; the first one is
 *                                                                   in the cell itself
 * Tables are made when they are touched: program variables and buffers are 1 GiB apart.
 *
 * A page has a cell for each 4-byte word until an access touches less than a word. Then it gets a cell for each byte,
 * which starts as a copy of the word's.
 *
 * A cell keeps a few touches for each instruction and kind, as witnesses. Two by different work-items are enough: any
 * later work-item differs from at least one of them, so no pair of instructions is missed. If something weaker than
 * barriers orders accesses, there are more, up to a limit: two for each warp, one for each work-group, one for each
 * event of copies in flight (touch.c, check_parts.h). So the memory per byte grows with the kernel's code, not with the
 * number of work-items that touch it.
 *
 * Invariant: a cell whose group is 0 has no touches. A cell with touches always has a first one, and none of the others
 * is later than it in its work-group's time. */
#ifndef SIM_CHECK_SHADOW_H
#define SIM_CHECK_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum touch_kind {
  TOUCH_READ,
  TOUCH_WRITE,
  TOUCH_ATOMIC_READ,
  TOUCH_ATOMIC, /* a write */
  TOUCH_COPY_READ,
  TOUCH_COPY_WRITE,
};

enum {
  SHADOW_PAGE_BYTES = 4096,
  SHADOW_SITE_BITS = 20,
  SHADOW_MOST_SITES = 1 << SHADOW_SITE_BITS,
  SHADOW_ITEM_BITS = 32 - SHADOW_SITE_BITS,
  SHADOW_MOST_NEXT = (1 << 26) - 1,
};

struct touch {
  uint32_t group; /* its number among all groups of the run; 0: the cell is empty */
  uint32_t when;  /* in the group's own time; identifies a copy */
  uint32_t who;   /* site << SHADOW_ITEM_BITS | work-item in its group, 0 for a copy */
  uint32_t kind : 3;
  /* In the first touch of a cell. settled: another read from its site changes nothing */
  uint32_t only_reads : 1;     /* all touches of the cell are reads, by work-items or copies */
  uint32_t settled_items : 1;  /* by the same group, in the same time between barriers: there is a second witness */
  uint32_t settled_groups : 1; /* by any group: there is a second witness of another group */
  uint32_t next : 26;          /* index of the next touch; 0: none */
};

struct shadow_page {
  bool bytes;   /* a cell per byte, not per word */
  bool ignored; /* its touches are not recorded */
  struct touch cell[];
};

/* Storage of the touches after the first ones, for all shadows. */
struct touch_pool {
  struct touch *at; /* at[0] is not used */
  size_t room;
  uint32_t count, unused; /* `unused`: the first touch of a freed chain, or 0 */
  uint32_t *chains;       /* the first touches of the other freed chains */
  size_t chain_count, chain_room;
};

struct shadow {
  uint64_t base;               /* address of the first page; a multiple of SHADOW_PAGE_BYTES */
  struct shadow_page ***table; /* NULL: nothing in it was touched */
  size_t table_count;
};

/* The page of an address, which must not be below `base`; created on first use. */
struct shadow_page *shadow_page(struct shadow *shadow, uint64_t address);

/* Replaces a page of words by one of bytes. */
struct shadow_page *shadow_refine(struct shadow *shadow, uint64_t address, struct touch_pool *pool);

/* From now on, touches in [address, address + bytes) are not recorded. */
void shadow_ignore(struct shadow *shadow, uint64_t address, uint64_t bytes);

void shadow_free(struct shadow *shadow);

/* The index of a new touch, or 0 when there are too many. */
uint32_t touch_pool_take(struct touch_pool *pool);
/* Frees a chain without walking it. */
void touch_pool_give(struct touch_pool *pool, uint32_t first);
void touch_pool_free(struct touch_pool *pool);

static inline uint32_t touch_site(const struct touch *touch) { return touch->who >> SHADOW_ITEM_BITS; }
static inline uint32_t touch_item(const struct touch *touch) {
  return touch->who & ((UINT32_C(1) << SHADOW_ITEM_BITS) - 1);
}
static inline bool touch_is_copy(uint32_t kind) { return kind >= TOUCH_COPY_READ; }
static inline bool touch_is_atomic(uint32_t kind) { return kind == TOUCH_ATOMIC_READ || kind == TOUCH_ATOMIC; }
static inline bool touch_is_read(uint32_t kind) {
  return kind == TOUCH_READ || kind == TOUCH_ATOMIC_READ || kind == TOUCH_COPY_READ;
}

#endif
