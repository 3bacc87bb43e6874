/* Which errors of copies are found and which bytes are moved: copies of all forms, without a machine around them. */
#include <stdlib.h>
#include <string.h>

#include "dma/params.h"
#include "models/group.h"
#include "tests/ct.h"

enum { BASE = 0x10000, BYTES = 1000, LDS = 512 };
#define NONE HAZARDS

static struct isa_buffer buffers[] = {{.name = "data", .base = BASE, .bytes = BYTES}};
static struct isa_memory memory = {.buffers = buffers, .count = 1};
static const struct isa_launch launch = {.memory = &memory, .lds_bytes = LDS};

struct checked {
  struct copy_scope scope;
  enum isa_hazard_rule rule; /* the first one reported, or NONE */
  size_t rules;
  uint64_t elements; /* that move */
  char detail[160];
};

static struct checked check(const uint64_t field[COPY_FIELDS], enum dma_out_of_bounds policy) {
  static struct cu cu;
  cu = (struct cu){.dma_params = &(const struct dma_params){.out_of_bounds = policy, .alignment = 16},
                   .params = &(const struct cu_params){.warp_size = 32}};
  static struct cu_kernel kernel_at_work;
  struct cu_kernel *kernel = &kernel_at_work;
  *kernel = (struct cu_kernel){.cu = &cu, .launch = &launch};
  struct cu_group group = {.active = true, .kernel = kernel, .call.copy = isa_copy_of(field)};
  struct checked checked = {.scope = copy_check(&cu, &group), .rule = NONE, .rules = kernel->hazard_count};
  checked.elements = checked.scope.bytes / (field[COPY_ELEMENT_BYTES] ? field[COPY_ELEMENT_BYTES] : 1);
  if (kernel->hazard_count) {
    checked.rule = kernel->hazards[0].first.rule;
    memcpy(checked.detail, kernel->hazards[0].first.detail, sizeof checked.detail);
  }
  return checked;
}

#define LINES(FORM, ELEMENTS, N, PLANES)                                                                               \
  [COPY_FORM] = FORM, [COPY_ELEMENTS] = ELEMENTS, [COPY_LINES] = N, [COPY_PLANES] = PLANES
#define PITCHES(GL, LL, GP, LP)                                                                                        \
  [COPY_GLOBAL_LINE] = GL, [COPY_LDS_LINE] = LL, [COPY_GLOBAL_PLANE] = GP, [COPY_LDS_PLANE] = LP

TEST(copy_check, each_form_reports_its_error_and_the_part_that_exists) {
  static const struct {
    uint64_t copy[COPY_FIELDS];
    enum isa_hazard_rule rule;
    uint64_t elements;
  } rows[] = {
      /* a line that is 4 bytes too long on the global side: 250 elements exist */
      {{LINES(ISA_COPY_PLAIN, 100, 1, 1), PITCHES(1, 1, 0, 0), [COPY_ELEMENT_BYTES] = 4, [COPY_GLOBAL] = BASE + 600},
       NONE,
       100},
      {{LINES(ISA_COPY_PLAIN, 101, 1, 1), PITCHES(1, 1, 0, 0), [COPY_ELEMENT_BYTES] = 4, [COPY_GLOBAL] = BASE + 600},
       HAZARD_X2,
       100},
      {{LINES(ISA_COPY_PLAIN, 129, 1, 1), PITCHES(1, 1, 0, 0), [COPY_ELEMENT_BYTES] = 4, [COPY_GLOBAL] = BASE},
       HAZARD_X2,
       128},
      /* stride 25: elements 0, 25, ... 225 and the last one at 249 */
      {{LINES(ISA_COPY_STRIDED, 1, 10, 1), PITCHES(25, 1, 0, 0), [COPY_ELEMENT_BYTES] = 4, [COPY_GLOBAL] = BASE},
       NONE,
       10},
      {{LINES(ISA_COPY_STRIDED, 1, 11, 1), PITCHES(25, 1, 0, 0), [COPY_ELEMENT_BYTES] = 4, [COPY_GLOBAL] = BASE},
       HAZARD_X2,
       10},
      {{LINES(ISA_COPY_STRIDED, 1, 4, 1), PITCHES(0, 1, 0, 0), [COPY_ELEMENT_BYTES] = 4, [COPY_GLOBAL] = BASE},
       HAZARD_X1,
       4},
      /* 3-byte elements, 5 lines of 7 elements 60 apart: ends at (4 * 60 + 7) * 3 = 741 of 1000 */
      {{LINES(ISA_COPY_2D, 7, 5, 1), PITCHES(60, 7, 0, 0), [COPY_ELEMENT_BYTES] = 3, [COPY_GLOBAL] = BASE + 259},
       NONE,
       35},
      /* one byte further: the last element of the last line is cut off */
      {{LINES(ISA_COPY_2D, 7, 5, 1), PITCHES(60, 7, 0, 0), [COPY_ELEMENT_BYTES] = 3, [COPY_GLOBAL] = BASE + 260},
       HAZARD_X2,
       34},
      /* LDS: lines of 4-byte elements, 40 elements apart; the fourth begins at 480 of 512 bytes and has room for 8 */
      {{LINES(ISA_COPY_2D, 10, 6, 1), PITCHES(10, 40, 0, 0), [COPY_ELEMENT_BYTES] = 4, [COPY_GLOBAL] = BASE},
       HAZARD_X2,
       38},
      {{LINES(ISA_COPY_2D, 8, 4, 1), PITCHES(10, 40, 0, 0), [COPY_ELEMENT_BYTES] = 4, [COPY_GLOBAL] = BASE}, NONE, 32},
      /* planes of 2 lines of 3 elements, lines 5 and planes 100 apart: the third plane begins at 800 and ends at 832 */
      {{LINES(ISA_COPY_3D, 3, 2, 3), PITCHES(5, 3, 100, 6), [COPY_ELEMENT_BYTES] = 4, [COPY_GLOBAL] = BASE + 168},
       NONE,
       18},
      {{LINES(ISA_COPY_3D, 3, 2, 3), PITCHES(5, 3, 100, 6), [COPY_ELEMENT_BYTES] = 4, [COPY_GLOBAL] = BASE + 172},
       HAZARD_X2,
       17},
      {{LINES(ISA_COPY_3D, 3, 2, 3), PITCHES(5, 3, 100, 6), [COPY_ELEMENT_BYTES] = 4, [COPY_GLOBAL] = BASE + 190},
       HAZARD_X2,
       14},
      /* lines and planes that overlap on either side; a single line or plane cannot overlap */
      {{LINES(ISA_COPY_2D, 8, 2, 1), PITCHES(7, 8, 0, 0), [COPY_ELEMENT_BYTES] = 1, [COPY_GLOBAL] = BASE},
       HAZARD_X3,
       16},
      {{LINES(ISA_COPY_2D, 8, 2, 1), PITCHES(8, 7, 0, 0), [COPY_ELEMENT_BYTES] = 1, [COPY_GLOBAL] = BASE},
       HAZARD_X3,
       16},
      {{LINES(ISA_COPY_2D, 8, 1, 1), PITCHES(0, 0, 0, 0), [COPY_ELEMENT_BYTES] = 1, [COPY_GLOBAL] = BASE}, NONE, 8},
      {{LINES(ISA_COPY_3D, 8, 2, 2), PITCHES(8, 8, 15, 16), [COPY_ELEMENT_BYTES] = 1, [COPY_GLOBAL] = BASE},
       HAZARD_X4,
       32},
      {{LINES(ISA_COPY_3D, 8, 2, 2), PITCHES(8, 8, 16, 15), [COPY_ELEMENT_BYTES] = 1, [COPY_GLOBAL] = BASE},
       HAZARD_X4,
       32},
      {{LINES(ISA_COPY_3D, 8, 2, 1), PITCHES(8, 8, 0, 0), [COPY_ELEMENT_BYTES] = 1, [COPY_GLOBAL] = BASE}, NONE, 16},
      /* copies must be aligned to elements, lines only to bytes */
      {{LINES(ISA_COPY_PLAIN, 2, 1, 1), PITCHES(1, 1, 0, 0), [COPY_ELEMENT_BYTES] = 4, [COPY_GLOBAL] = BASE + 2},
       HAZARD_X14,
       2},
      {{LINES(ISA_COPY_2D, 2, 1, 1),
        PITCHES(1, 1, 0, 0), [COPY_ELEMENT_BYTES] = 4, [COPY_GLOBAL] = BASE + 3, [COPY_LDS] = 1},
       NONE,
       2},
      /* an empty copy is never wrong, wherever it is */
      {{LINES(ISA_COPY_PLAIN, 0, 1, 1), PITCHES(1, 1, 0, 0), [COPY_ELEMENT_BYTES] = 4, [COPY_GLOBAL] = 0}, NONE, 0},
      {{LINES(ISA_COPY_STRIDED, 1, 0, 1), PITCHES(0, 1, 0, 0), [COPY_ELEMENT_BYTES] = 4, [COPY_GLOBAL] = 1}, NONE, 0},
      {{LINES(ISA_COPY_2D, 5, 0, 1), PITCHES(0, 0, 0, 0), [COPY_ELEMENT_BYTES] = 4, [COPY_GLOBAL] = 1}, NONE, 0},
      {{LINES(ISA_COPY_2D, 5, 2, 1), PITCHES(0, 0, 0, 0), [COPY_ELEMENT_BYTES] = 0, [COPY_GLOBAL] = 1}, NONE, 0},
      {{LINES(ISA_COPY_3D, 5, 2, 0), PITCHES(0, 0, 0, 0), [COPY_ELEMENT_BYTES] = 4, [COPY_LDS] = 4096}, NONE, 0},
      {{LINES(ISA_COPY_2D, 5, 2, 1), PITCHES(5, 5, 0, 0), [COPY_ELEMENT_BYTES] = 4, [COPY_GLOBAL] = 0}, HAZARD_X15, 0},
      /* no product wraps around: pitches and counts of 2^32 - 1 are out of bounds, not inside */
      {{LINES(ISA_COPY_2D, 2, 3, 1), PITCHES(UINT32_MAX, 2, 0, 0), [COPY_ELEMENT_BYTES] = 16, [COPY_GLOBAL] = BASE},
       HAZARD_X2,
       2},
      {{LINES(ISA_COPY_3D, 1, 2, UINT32_MAX), PITCHES(UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX),
        [COPY_ELEMENT_BYTES] = UINT32_MAX, [COPY_GLOBAL] = BASE},
       HAZARD_X4,
       0},
      {{LINES(ISA_COPY_2D, 1, 3, 1), PITCHES(1u << 31, 1, 0, 0), [COPY_ELEMENT_BYTES] = 1u << 31, [COPY_GLOBAL] = BASE},
       HAZARD_X2,
       0},
      {{LINES(ISA_COPY_2D, 4, 2, 1), PITCHES(4, 4, 0, 0), [COPY_ELEMENT_BYTES] = 4, [COPY_GLOBAL] = UINT64_MAX - 15},
       HAZARD_X2,
       0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct checked checked = check(rows[i].copy, DMA_ERROR);
    ct_note("row %zu: %s", i, checked.detail);
    EXPECT_EQ(checked.rule, rows[i].rule);
    EXPECT_EQ(checked.elements, rows[i].elements);
    EXPECT_FALSE(checked.scope.clipped);
  }
}

/* Counts the copy's elements that exist on both sides, one by one. */
static uint64_t count_existing(const uint64_t copy[COPY_FIELDS]) {
  uint64_t count = 0, bytes = copy[COPY_ELEMENT_BYTES];
  for (uint64_t plane = 0; plane < copy[COPY_PLANES]; plane++)
    for (uint64_t line = 0; line < copy[COPY_LINES]; line++)
      for (uint64_t i = 0; i < copy[COPY_ELEMENTS]; i++) {
        uint64_t global =
            copy[COPY_GLOBAL] + (plane * copy[COPY_GLOBAL_PLANE] + line * copy[COPY_GLOBAL_LINE] + i) * bytes;
        uint64_t lds = copy[COPY_LDS] + (plane * copy[COPY_LDS_PLANE] + line * copy[COPY_LDS_LINE] + i) * bytes;
        count += global >= BASE && global + bytes <= BASE + BYTES && lds + bytes <= LDS;
      }
  return count;
}

TEST(copy_check, all_existing_bytes_of_separate_lines_and_planes_are_moved) {
  uint64_t random = 5, cut = 0;
  for (unsigned i = 0; i < 4000; i++) {
    uint32_t draw[9];
    for (unsigned d = 0; d < 9; d++)
      draw[d] = (uint32_t)(ct_random(&random) >> 40);
    uint64_t copy[COPY_FIELDS] = {
        LINES(ISA_COPY_3D, 1 + draw[0] % 8, 1 + draw[1] % 5, 1 + draw[2] % 4), [COPY_ELEMENT_BYTES] = 1 + draw[3] % 5,
        [COPY_GLOBAL] = BASE + draw[4] % BYTES, [COPY_LDS] = draw[5] % LDS};
    copy[COPY_GLOBAL_LINE] = copy[COPY_ELEMENTS] + draw[6] % 9;
    copy[COPY_LDS_LINE] = copy[COPY_ELEMENTS] + draw[7] % 5;
    copy[COPY_GLOBAL_PLANE] = copy[COPY_LINES] * copy[COPY_GLOBAL_LINE] + draw[8] % 40;
    copy[COPY_LDS_PLANE] = copy[COPY_LINES] * copy[COPY_LDS_LINE] + draw[8] % 7;
    struct checked checked = check(copy, DMA_ERROR);
    uint64_t all = copy[COPY_ELEMENTS] * copy[COPY_LINES] * copy[COPY_PLANES];
    EXPECT_EQ(checked.elements, count_existing(copy));
    EXPECT_EQ(checked.rule, checked.elements < all ? HAZARD_X2 : NONE);
    cut += checked.elements < all;
  }
  EXPECT_GT(cut, 500);
  EXPECT_LT(cut, 3500);
}

TEST(copy_check, with_zero_or_skip_only_the_lds_bounds_a_copy) {
  uint64_t copy[COPY_FIELDS] = {LINES(ISA_COPY_2D, 10, 5, 1),
                                PITCHES(100, 10, 0, 0), [COPY_ELEMENT_BYTES] = 4, [COPY_GLOBAL] = BASE};
  struct checked checked = check(copy, DMA_ZERO);
  EXPECT_EQ(checked.rule, NONE);
  EXPECT_EQ(checked.elements, 50);
  EXPECT_TRUE(checked.scope.clipped); /* lines begin at 0, 400, 800, 1200 ...; the buffer has 1000 bytes */
  EXPECT_EQ(checked.scope.from, BASE);
  EXPECT_EQ(checked.scope.to, BASE + BYTES);
  copy[COPY_LDS] = 500;
  checked = check(copy, DMA_SKIP);
  EXPECT_EQ(checked.rule, HAZARD_X2);
  EXPECT_EQ(checked.elements, 3);
  EXPECT_FALSE(checked.scope.clipped); /* all that remains of the copy exists */
}

TEST(copy_check, a_copy_that_starts_before_its_buffer_is_attributed_to_the_buffer_it_reaches) {
  uint64_t copy[COPY_FIELDS] = {LINES(ISA_COPY_PLAIN, 20, 1, 1),
                                PITCHES(1, 1, 0, 0), [COPY_ELEMENT_BYTES] = 4, [COPY_GLOBAL] = BASE - 16};
  struct checked checked = check(copy, DMA_ZERO);
  EXPECT_EQ(checked.scope.from, BASE);
  EXPECT_TRUE(checked.scope.clipped);
  EXPECT_EQ(checked.elements, 20);
  checked = check(copy, DMA_ERROR);
  EXPECT_EQ(checked.rule, HAZARD_X2);
  EXPECT_EQ(checked.elements, 0);
  copy[COPY_GLOBAL] = BASE - 160; /* does not reach the buffer */
  checked = check(copy, DMA_ZERO);
  EXPECT_EQ(checked.scope.from, checked.scope.to);
}
