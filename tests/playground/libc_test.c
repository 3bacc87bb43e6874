/* tools/playground/libc.c. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/ct.h"

#define reallocarray playground_reallocarray
void *playground_reallocarray(void *old, size_t count, size_t size);
#include "tools/playground/libc.c"
#undef reallocarray

TEST(playground, an_array_that_is_too_large_is_refused) {
  errno = 0;
  EXPECT_TRUE(!playground_reallocarray(NULL, SIZE_MAX / 2, 3));
  EXPECT_EQ(errno, ENOMEM);
}
