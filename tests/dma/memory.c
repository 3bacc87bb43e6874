/* Creating engines when memory runs out. */
#include <stdlib.h>

#include "tests/dma/rig.h"

#ifndef __SANITIZE_ADDRESS__ /* the sanitizer has its own malloc() */

#undef malloc                  /* the C library's malloc(), which sim/base/heap.h calls */
#undef calloc                  /* the same */
static unsigned until_failure; /* calls; 0: none fails */

extern void *__libc_malloc(size_t size), *__libc_calloc(size_t count, size_t size);

static bool fails(void) { return until_failure && !--until_failure; }

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }

TEST(dma, an_engine_is_created_completely_or_not_at_all) {
  const struct dma_params params = usual_dma();
  unsigned calls = 0;
  for (bool made = false; !made;) {
    struct dma dma;
    until_failure = ++calls;
    made = dma_init(&dma, &params, NULL, NULL, MEMORY_LATENCY, NULL, NULL);
    ct_note("call %u", calls);
    EXPECT_EQ(made, until_failure == 1); /* the next one */
    EXPECT_EQ(dma.work != NULL, made);
    until_failure = 0;
    dma_free(&dma);
  }
  EXPECT_GT(calls, 7); /* the work, its requests and their numbers, and two blocks for each side */
}
#endif
