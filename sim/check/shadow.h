/* The shadow of a memory: for each word, or byte, who has touched it and from which instruction.
 *
 *     address ──► page of 4096 bytes ──► cell ──► touch ──► touch ...
 *                 a cell a word, or a byte       the newest kinds of touches to it; the first lies in the cell itself
 *
 * A page has a cell for each word of 4 bytes until somebody touches less than a word: then it gets one for each byte,
 * which begin as copies of their word's.
 *
 * A cell keeps a few touches for each instruction and kind, as witnesses: two by different work-items, of which whoever
 * comes later differs from one, so that no pair of instructions is overlooked. Where less than barriers orders, there
 * are more of them, up to a limit: two of each warp, one of each work-group, one of each event of copies in flight
 * (touch.c, check_parts.h). What is kept of a byte therefore grows with the kernel's text and not with the number of
 * work-items that touch it.
 *
 * Invariant: a cell whose group is 0 has no touches, its first touch is never missing while there are others, and none
 * of these is later in its work-group's time. */
#ifndef SIM_CHECK_SHADOW_H
#define SIM_CHECK_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum touch_kind {
  TOUCH_READ,
  TOUCH_WRITE,
  TOUCH_ATOMIC_READ,
  TOUCH_ATOMIC, /* that writes */
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
  uint32_t group; /* number among all groups of the run; 0: the cell is empty */
  uint32_t when;  /* in the group's own time; a copy's names it */
  uint32_t who;   /* site << SHADOW_ITEM_BITS | work-item in its group, 0 for a copy */
  uint32_t kind : 3;
  /* Of the first touch of a cell. settled: a further read from its site changes nothing, */
  uint32_t only_reads : 1;     /* all touches of the cell are reads, by work-items or copies */
  uint32_t settled_items : 1;  /* of the same group, in the same time between barriers: the second witness is there */
  uint32_t settled_groups : 1; /* of any group: the second witness is of another one */
  uint32_t next : 26;          /* index of the next touch; 0: none */
};

struct shadow_page {
  bool bytes;   /* a cell a byte, not a word */
  bool ignored; /* nobody wants to know */
  struct touch cell[];
};

/* Touches behind the first ones, of all shadows. */
struct touch_pool {
  struct touch *at;             /* at[0] is not used */
  uint32_t count, room, unused; /* `unused`: the first of a chain that was given back, or 0 */
  uint32_t *chains;             /* the first ones of the other chains */
  uint32_t chain_count, chain_room;
};

struct shadow {
  uint64_t base; /* a multiple of SHADOW_PAGE_BYTES: of the first page */
  struct shadow_page **pages;
  size_t page_count;
  uint64_t host_bytes;
};

/* The page of an address; made when it is not there yet. The address is not below `base`. */
struct shadow_page *shadow_page(struct shadow *shadow, uint64_t address);

/* Cells of bytes for a page of words. */
struct shadow_page *shadow_refine(struct shadow *shadow, uint64_t address, struct touch_pool *pool);

/* Nothing that is touched in [address, address + bytes) is kept from now on. */
void shadow_ignore(struct shadow *shadow, uint64_t address, uint64_t bytes);

void shadow_free(struct shadow *shadow);

/* The index of a new touch, or 0 when there are too many. */
uint32_t touch_pool_take(struct touch_pool *pool);
/* Gives back a chain, which is not looked at until its touches are taken again. */
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
