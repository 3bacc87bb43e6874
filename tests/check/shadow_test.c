/* The shadow memory's pages, and the pool that holds their cells. */
#include "isa/isa.h"
#include "sim/check/shadow.h"

#include <malloc.h>

#include "tests/ct.h"

static struct touch touch_by(uint32_t group, uint32_t site) {
  return (struct touch){.group = group, .who = site << SHADOW_ITEM_BITS};
}

TEST(shadow, a_page_starts_empty_and_never_moves) {
  struct shadow shadow = {.base = 0x10000};
  struct shadow_page *first = shadow_page(&shadow, 0x10000), *before = first;
  for (unsigned i = 0; i < 16; i++) { /* up to 128 MiB further */
    struct shadow_page *page = shadow_page(&shadow, 0x10000 + ((uint64_t)SHADOW_PAGE_BYTES << i));
    EXPECT_TRUE(page != first && page != before);
    before = page;
  }
  EXPECT_TRUE(shadow_page(&shadow, 0x10000) == first);
  EXPECT_TRUE(shadow_page(&shadow, 0x10000 + SHADOW_PAGE_BYTES - 1) == first);
  EXPECT_FALSE(first->bytes || first->ignored || first->cell[0].group);
  shadow_free(&shadow);
  EXPECT_EQ(shadow.base, 0x10000);
  EXPECT_EQ(shadow.table_count, 0);
}

TEST(shadow, what_lies_between_two_distant_pages_takes_no_memory) {
  struct shadow shadow = {.base = ISA_VARIABLE_BASE};
  const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  shadow_page(&shadow, ISA_VARIABLE_BASE);
  shadow_page(&shadow, ISA_GLOBAL_BASE);
  EXPECT_LT(mallinfo2().uordblks + mallinfo2().hblkhd - before, 128 << 10); /* 33 KiB for the two pages */
  shadow_free(&shadow);
}

TEST(shadow, bytes_start_with_the_touches_of_their_word) {
  struct shadow shadow = {0};
  struct touch_pool pool = {0};
  struct shadow_page *words = shadow_page(&shadow, 0);
  const uint32_t behind = touch_pool_take(&pool), last = touch_pool_take(&pool);
  pool.at[behind] = touch_by(2, 5);
  pool.at[behind].next = last & SHADOW_MOST_NEXT;
  pool.at[last] = touch_by(3, 6);
  words->cell[1] = touch_by(1, 4);
  words->cell[1].next = behind & SHADOW_MOST_NEXT;
  const struct shadow_page *bytes = shadow_refine(&shadow, 4, &pool);
  EXPECT_TRUE(bytes->bytes && shadow_page(&shadow, 0) == bytes);
  for (unsigned i = 4; i < 8; i++) {
    const struct touch *second = &pool.at[bytes->cell[i].next], *third = &pool.at[second->next];
    EXPECT_EQ(touch_site(&bytes->cell[i]), 4);
    EXPECT_EQ(touch_site(second), 5);
    EXPECT_EQ(touch_site(third), 6);
    EXPECT_EQ(third->next, 0);
    EXPECT_TRUE(i == 4 || bytes->cell[i].next != bytes->cell[4].next); /* from now on each byte has its own */
  }
  EXPECT_FALSE(bytes->cell[3].group || bytes->cell[8].group);
  shadow_free(&shadow);
  touch_pool_free(&pool);
}

TEST(shadow, ignoring_covers_whole_pages) {
  struct shadow shadow = {.base = SHADOW_PAGE_BYTES};
  struct shadow_page *before = shadow_page(&shadow, 2 * SHADOW_PAGE_BYTES);
  shadow_ignore(&shadow, 2 * SHADOW_PAGE_BYTES, SHADOW_PAGE_BYTES + 1);
  EXPECT_TRUE(before->ignored && shadow_page(&shadow, 3 * SHADOW_PAGE_BYTES)->ignored);
  EXPECT_FALSE(shadow_page(&shadow, SHADOW_PAGE_BYTES)->ignored ||
               shadow_page(&shadow, 4 * SHADOW_PAGE_BYTES)->ignored);
  shadow_free(&shadow);
}

TEST(shadow, released_touches_are_reused) {
  struct touch_pool pool = {0};
  uint32_t chain[3][8];
  for (unsigned i = 0; i < 3; i++)
    for (unsigned k = 0; k < 8; k++) {
      chain[i][k] = touch_pool_take(&pool);
      EXPECT_NE(chain[i][k], 0);
      pool.at[chain[i][k]].next = 0;
      if (k)
        pool.at[chain[i][k - 1]].next = chain[i][k] & SHADOW_MOST_NEXT;
    }
  const uint32_t made = pool.count;
  for (unsigned i = 0; i < 3; i++)
    touch_pool_give(&pool, chain[i][0]);
  bool taken[64] = {false};
  for (unsigned i = 0; i < 24; i++) {
    const uint32_t index = touch_pool_take(&pool);
    EXPECT_FALSE(taken[index]);
    taken[index] = true;
  }
  EXPECT_EQ(pool.count, made);
  EXPECT_NE(touch_pool_take(&pool), 0);
  EXPECT_EQ(pool.count, made + 1);
  touch_pool_free(&pool);
}

TEST(shadow, a_touch_holds_the_last_item_and_the_last_site) {
  const uint32_t item = (1u << SHADOW_ITEM_BITS) - 1, site = SHADOW_MOST_SITES - 1;
  const struct touch touch = {.who = site << SHADOW_ITEM_BITS | item};
  EXPECT_EQ(touch_item(&touch), item);
  EXPECT_EQ(touch_site(&touch), site);
  EXPECT_GE(item + 1, 64 * 64); /* of 64 warps of 64 lanes */
}
