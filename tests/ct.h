/* C tests: a thin layer over GoogleTest (tests/ct.cpp is the only C++).
 *
 *     TEST(lds, two_lanes_same_word_broadcast_in_one_pass) {
 *       EXPECT_EQ(passes(...), 1);
 *     }
 *
 * The test's name states the behavior. EXPECT_* note a failure and continue, ASSERT_* return from the test function.
 * Comparisons are of 64-bit integers or of strings. */
#ifndef TESTS_CT_H
#define TESTS_CT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*ct_function)(void);

void ct_register(const char *suite, const char *name, const char *file, int line, ct_function function);

/* Each notes a failure with a printf-like explanation of the values, and returns whether it passed. */
bool ct_true(bool passed, const char *text, const char *file, int line);
bool ct_compare(int64_t a, int64_t b, const char *op, const char *a_text, const char *b_text, const char *file,
                int line);
bool ct_string(const char *a, const char *b, const char *a_text, const char *b_text, const char *file, int line);
bool ct_contains(const char *text, const char *part, const char *file, int line);

/* Printed with every failure of the running test until replaced: which row of a table, which seed. Cleared when a test
 * starts. */
void ct_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif

#define TEST(suite, name)                                                                                              \
  static void suite##_##name(void);                                                                                    \
  __attribute__((constructor)) static void register_##suite##_##name(void) {                                           \
    ct_register(#suite, #name, __FILE__, __LINE__, suite##_##name);                                                    \
  }                                                                                                                    \
  static void suite##_##name(void)

/* Frees a variable at the end of its block, also after a failed ASSERT: `ct_freed(rig_free) struct rig rig;`. What a
 * pointer points to is freed by ct_free, or by function_at, which CT_FREES defines. */
#define ct_freed(function) __attribute__((cleanup(function), unused))
#define CT_FREES(type, function)                                                                                       \
  static inline void function##_at(type **at) { function(*at); }

static inline void ct_free(void *at) {
  void *memory;
  memcpy(&memory, at, sizeof memory);
  free(memory);
}

#define EXPECT_TRUE(x) ct_true((x), #x, __FILE__, __LINE__)
#define EXPECT_FALSE(x) ct_true(!(x), "!(" #x ")", __FILE__, __LINE__)
#define EXPECT_EQ(a, b) ct_compare((int64_t)(a), (int64_t)(b), "==", #a, #b, __FILE__, __LINE__)
#define EXPECT_NE(a, b) ct_compare((int64_t)(a), (int64_t)(b), "!=", #a, #b, __FILE__, __LINE__)
#define EXPECT_LT(a, b) ct_compare((int64_t)(a), (int64_t)(b), "<", #a, #b, __FILE__, __LINE__)
#define EXPECT_LE(a, b) ct_compare((int64_t)(a), (int64_t)(b), "<=", #a, #b, __FILE__, __LINE__)
#define EXPECT_GT(a, b) ct_compare((int64_t)(a), (int64_t)(b), ">", #a, #b, __FILE__, __LINE__)
#define EXPECT_GE(a, b) ct_compare((int64_t)(a), (int64_t)(b), ">=", #a, #b, __FILE__, __LINE__)
#define EXPECT_STREQ(a, b) ct_string((a), (b), #a, #b, __FILE__, __LINE__)
#define EXPECT_CONTAINS(text, part) ct_contains((text), (part), __FILE__, __LINE__)

#define ASSERT_TRUE(x)                                                                                                 \
  do {                                                                                                                 \
    if (!EXPECT_TRUE(x))                                                                                               \
      return;                                                                                                          \
  } while (0)
#define ASSERT_EQ(a, b)                                                                                                \
  do {                                                                                                                 \
    if (!EXPECT_EQ(a, b))                                                                                              \
      return;                                                                                                          \
  } while (0)
#define ASSERT_STREQ(a, b)                                                                                             \
  do {                                                                                                                 \
    if (!EXPECT_STREQ(a, b))                                                                                           \
      return;                                                                                                          \
  } while (0)

/* Deterministic random numbers for tests: xorshift64*, never seeded from the clock. */
static inline uint64_t ct_random(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(2685821657736338717);
}

#endif
