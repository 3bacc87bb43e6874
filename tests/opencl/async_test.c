/* Asynchronous copies, their events and the fences between them, from OpenCL C and from other compilers' modules. */
#include "isa/ops.h"
#include "isa/rows.h"
#include "tests/ct.h"
#include "tests/kernels.h"
#include "tests/opencl/group_rig.h"
#include "tests/opencl/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool open_source(struct group_rig *rig, const char *source) {
  struct isa_error error = {""};
  const bool good = group_rig_compile(rig, source, "CL2.0", &error);
  ct_note("%s", error.text);
  return EXPECT_TRUE(good);
}

static void expect_refusal(const char *source, const char *message) {
  ct_freed(group_rig_close) struct group_rig rig;
  struct isa_error error = {""};
  ct_note("%s", source);
  EXPECT_FALSE(group_rig_compile(&rig, source, "CL2.0", &error));
  EXPECT_CONTAINS(error.text, message);
}

/* ---- lines and planes -------------------------------------------------------------------------------- */

/* All numbers are only known at run time: n[] is bytes, elements, lines, planes, the pitches, the offsets. */

enum { BYTES, ELEMENTS, LINES, PLANES, LINE, PLANE, LDS_LINE, LDS_PLANE, LDS_OFFSET, OFFSET, NUMBERS };

static void planes_oracle(const uint64_t *n, const uint8_t *in, uint8_t *out) {
  const uint64_t bytes = n[BYTES];
  for (uint64_t p = 0; p < n[PLANES]; p++)
    for (uint64_t l = 0; l < n[LINES]; l++) {
      const uint64_t at = bytes * (n[OFFSET] + p * n[PLANE] + l * n[LINE]);
      memcpy(out + at, in + at, bytes * n[ELEMENTS]);
      if (p == 0)
        memcpy(out + 20000 + bytes * (3 + 40 * l), in + at, bytes * n[ELEMENTS]);
    }
}

static void expect_planes(const uint64_t n[NUMBERS]) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (open_source(&rig, CT_KERNEL(planes_source))) {
    ct_freed(ct_free) uint8_t *expected = calloc(GROUP_RIG_BYTES, 1);
    for (uint32_t i = 0; i < GROUP_RIG_BYTES; i++)
      rig.buffers[0].data[i] = (uint8_t)(1 + i * 37 % 251);
    memset(rig.buffers[1].data, 0x77, GROUP_RIG_BYTES);
    memset(expected, 0x77, GROUP_RIG_BYTES);
    memcpy(rig.buffers[2].data, n, NUMBERS * sizeof *n);
    planes_oracle(n, rig.buffers[0].data, expected);
    EXPECT_TRUE(group_rig_run(&rig));
    EXPECT_EQ(memcmp(rig.buffers[1].data, expected, GROUP_RIG_BYTES), 0);
    EXPECT_EQ(rig.hazards, 0);
  }
}

TEST(opencl_async, copies_of_planes_move_all_lines_and_leave_the_gaps_alone) {
  expect_planes((const uint64_t[NUMBERS]){4, 5, 3, 2, 11, 70, 7, 30, 2, 9});
  expect_planes((const uint64_t[NUMBERS]){3, 13, 7, 2, 13, 100, 14, 101, 5, 1});
  expect_planes((const uint64_t[NUMBERS]){16, 1, 4, 3, 9, 40, 3, 20, 0, 0});
  expect_planes((const uint64_t[NUMBERS]){4, 0, 3, 2, 11, 70, 7, 30, 2, 9});
}

TEST(opencl_async, constant_sizes_and_offsets_become_addresses_and_operands) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(constant_sizes_and_offsets))) {
    EXPECT_TRUE(group_rig_run(&rig));
    EXPECT_EQ(group_rig_met(&rig, 0), ISA_COPY_TO_LDS_2D);
    uint64_t field[COPY_FIELDS];
    isa_copy_fields(&rig.met[0].copy, field);
    EXPECT_EQ(field[COPY_GLOBAL], rig.buffers[0].base + 4 * 7);
    EXPECT_EQ(field[COPY_LDS] % 16, 5 * 4 % 16);
    EXPECT_EQ(field[COPY_ELEMENT_BYTES], 4);
    EXPECT_EQ(field[COPY_ELEMENTS], 8);
    EXPECT_EQ(field[COPY_LINES], 3);
    EXPECT_EQ(field[COPY_PLANES], 1);
    EXPECT_EQ(field[COPY_GLOBAL_LINE], 20);
    EXPECT_EQ(field[COPY_LDS_LINE], 9);
  }
}

TEST(opencl_async, a_copy_of_lines_joins_the_event_that_it_is_given) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(a_copy_of_lines))) {
    EXPECT_TRUE(group_rig_run(&rig));
    EXPECT_EQ(rig.met[1].copy.event_in, 1);
    EXPECT_EQ(rig.met[1].copy.event, 1);
    EXPECT_EQ(rig.met[2].copy.event_in, 0);
    EXPECT_EQ(rig.met[2].copy.event, 2);
    EXPECT_EQ(rig.met[3].wait.event[0], 1);
    EXPECT_EQ(rig.met[4].wait.event[0], 2);
  }
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

TEST(opencl_async, numbers_beyond_32_bits_become_the_largest_number_not_their_low_half) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (open_source(&rig, CT_KERNEL(numbers_beyond_32_bits))) {
    const uint64_t n[] = {UINT64_C(0x100000003), 6, UINT64_MAX};
    memcpy(rig.buffers[2].data, n, sizeof n);
    rig.moves_nothing = true;
    EXPECT_TRUE(group_rig_run(&rig));
    uint64_t field[6][COPY_FIELDS];
    for (unsigned i = 0; i < 6; i++)
      isa_copy_fields(&rig.met[i].copy, field[i]);
    EXPECT_EQ(field[0][COPY_ELEMENTS], UINT32_MAX);
    EXPECT_EQ(field[1][COPY_LINES], 6);
    EXPECT_EQ(field[1][COPY_GLOBAL_LINE], UINT32_MAX);
    EXPECT_EQ(field[2][COPY_ELEMENT_BYTES], 6);
    for (unsigned f = COPY_ELEMENTS; f <= COPY_LDS_PLANE; f++)
      EXPECT_EQ(field[2][f], UINT32_MAX);
    EXPECT_EQ(field[2][COPY_GLOBAL], rig.buffers[0].base + 36);
    EXPECT_EQ(field[3][COPY_LDS], UINT32_MAX);
    EXPECT_EQ(field[4][COPY_ELEMENTS], UINT32_MAX);
    EXPECT_EQ(field[5][COPY_ELEMENTS], UINT32_MAX);
  }
}

TEST(opencl_async, a_count_that_is_known_to_be_narrow_costs_nothing) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(a_count_that_is)))
    EXPECT_EQ(group_rig_count(&rig, ISA_MIN_U64), 0);
}

TEST(opencl_async, prefetches_beyond_32_bits_request_the_maximum) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig,
                     "kernel void k(global float3 *v, ulong n) { prefetch(v, 0x200000000); prefetch(v, n); }\n")) {
    EXPECT_EQ(group_rig_count(&rig, ISA_PREFETCH), 2);
    const struct isa_inst *first = rig.program->code;
    while (first->op != ISA_PREFETCH)
      first++;
    EXPECT_TRUE(first->flags & ISA_FLAG_IMM_C);
    EXPECT_EQ(first->imm, UINT32_MAX);
  }
}

/* ---- element types ----------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  unsigned bytes;
} scalars[] = {{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"int", 4},   {"uint", 4},
               {"long", 8}, {"ulong", 8}, {"half", 2},  {"float", 4},  {"double", 8}};
static const unsigned widths[] = {1, 2, 3, 4, 8, 16};
enum { SCALARS = sizeof scalars / sizeof *scalars, WIDTHS = sizeof widths / sizeof *widths, TYPES = SCALARS * WIDTHS };

/* Four copies for each of the 66 types. */
static void print_copies(FILE *out) {
  fputs(CT_KERNEL(prefetches_beyond_32_bits), out);
  for (unsigned i = 0; i < TYPES; i++) {
    fprintf(out, "  COPIES(%s", scalars[i / WIDTHS].name);
    if (widths[i % WIDTHS] > 1)
      fprintf(out, "%u", widths[i % WIDTHS]);
    fprintf(out, ", %u);\n", i + 1);
  }
  fputs("  wait_group_events(1, &e);\n}\n", out);
}

TEST(opencl_async, each_of_the_66_element_types_is_copied_at_its_size_both_ways) {
  static const enum isa_op ops[] = {ISA_COPY_TO_LDS, ISA_COPY_TO_GLOBAL, ISA_COPY_TO_LDS_STRIDED,
                                    ISA_COPY_TO_GLOBAL_STRIDED};
  ct_freed(ct_free) char *source = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&source, &size);
  print_copies(out);
  fclose(out);
  ct_freed(group_rig_close) struct group_rig rig;
  if (open_source(&rig, source)) {
    unsigned found = 0;
    for (uint32_t pc = 0; pc < rig.program->count; pc++) {
      const struct isa_inst *inst = &rig.program->code[pc];
      if (isa_rows[inst->op].class_ != ISA_CLASS_COPY)
        continue;
      const unsigned type = found / 4, width = widths[type % WIDTHS];
      ct_note("%s%u, copy %u", scalars[type / WIDTHS].name, width, found % 4);
      EXPECT_EQ(inst->op, ops[found % 4]);
      EXPECT_EQ(copy_count(inst), type + 1);
      EXPECT_EQ(copy_bytes(inst), scalars[type / WIDTHS].bytes * (width == 3 ? 4 : width));
      found++;
    }
    EXPECT_EQ(found, 4 * TYPES);
  }
}

/* ---- fences between copies --------------------------------------------------------------------------- */

TEST(opencl_async, a_fence_between_copies_orders_the_memories_in_its_flags) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (open_source(&rig, CT_KERNEL(a_fence_between_copies))) {
    static const enum isa_op expected[] = {ISA_COPY_FENCE_LDS,
                                           ISA_COPY_FENCE_GLOBAL,
                                           ISA_COPY_FENCE_ALL,
                                           ISA_BAR,
                                           ISA_COPY_FENCE_ALL,
                                           ISA_COPY_FENCE_LDS,
                                           ISA_BAR,
                                           ISA_COPY_FENCE_GLOBAL,
                                           ISA_OPS};
    memcpy(rig.buffers[0].data, (const uint32_t[]){3, 1, 0, 2}, 16);
    EXPECT_TRUE(group_rig_run(&rig));
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++)
      EXPECT_EQ(group_rig_met(&rig, i), expected[i]);
    EXPECT_EQ(rig.hazards, 0);
  }
}

TEST(opencl_async, a_fence_keeps_its_place_among_copies) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(a_fence_keeps_its))) {
    static const enum isa_op expected[] = {ISA_COPY_TO_LDS,    ISA_WAIT,        ISA_COPY_TO_GLOBAL,
                                           ISA_COPY_FENCE_LDS, ISA_COPY_TO_LDS, ISA_WAIT};
    EXPECT_TRUE(group_rig_run(&rig));
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++)
      EXPECT_EQ(group_rig_met(&rig, i), expected[i]);
  }
}

/* ---- waits ------------------------------------------------------------------------------------------- */

/* `events` copies with separate events; entry i of the list holds number i % `distinct`. */
static void expect_waits(const char *wait, uint32_t wanted, uint32_t distinct, uint32_t hazards) {
  ct_freed(group_rig_close) struct group_rig rig;
  char source[1024];
  snprintf(source, sizeof source,
           "void others(int n, event_t *list) { wait_group_events(n, list); }\n"
           "kernel void k(global int *in, global int *n) {\n"
           "  local int tile[64]; event_t e[20], few[3];\n"
           "  for (int i = 0; i < n[1]; i++) e[i] = async_work_group_copy(tile + i, in + i, 1, 0);\n"
           "  for (int i = n[1]; i < 20; i++) e[i] = e[i - n[1]];\n"
           "  few[0] = e[0]; few[1] = e[1]; few[2] = e[2];\n"
           "  %s\n"
           "}\n",
           wait);
  ct_note("%s, %u", wait, wanted);
  if (open_source(&rig, source)) {
    group_rig_words(&rig, 1)[0] = wanted;
    group_rig_words(&rig, 1)[1] = distinct;
    EXPECT_TRUE(group_rig_run(&rig));
    ct_note("%s, %u: %s", wait, wanted, rig.hazard.detail);
    EXPECT_EQ(rig.hazards > 0, hazards > 0);
    if (hazards)
      EXPECT_EQ(rig.hazard.rule, HAZARD_X13);
    uint32_t waited = 0;
    for (unsigned i = distinct; i < rig.meetings; i++) {
      const struct isa_wait *one = &rig.met[i].wait;
      const bool bar = group_rig_met(&rig, i) == ISA_BAR;
      EXPECT_EQ(!bar && one->more, i + 1 < rig.meetings); /* only the last part releases */
      for (uint32_t k = 0; !bar && k < one->count; k++, waited++)
        EXPECT_EQ(one->event[k], 1 + waited % distinct);
    }
    EXPECT_TRUE(rig.meetings > distinct); /* a wait for no events is one, too */
    if (!hazards)
      EXPECT_EQ(waited, wanted);
  }
}

TEST(opencl_async, a_wait_covers_as_many_events_as_the_run_time_count_says) {
  static const uint32_t counts[] = {0, 1, 3, 7, 8, 9, 16, 17, 20};
  for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
    expect_waits("wait_group_events(n[0], e);", counts[i], 20, 0);
    expect_waits("others(n[0], e);", counts[i], 20, 0);
  }
  for (uint32_t wanted = 0; wanted <= 3; wanted++)
    expect_waits("wait_group_events(n[0], few);", wanted, 20, 0);
}

TEST(opencl_async, an_event_may_be_in_a_list_twice) {
  expect_waits("wait_group_events(n[0], e);", 20, 3, 0);
  expect_waits("wait_group_events(20, e);", 20, 5, 0);
}

TEST(opencl_async, a_wait_covers_as_many_events_as_the_constant_count_says) {
  expect_waits("wait_group_events(0, e);", 0, 20, 0);
  expect_waits("wait_group_events(8, e);", 8, 20, 0);
  expect_waits("wait_group_events(9, e);", 9, 20, 0);
  expect_waits("others(20, e);", 20, 20, 0);
}

TEST(opencl_async, negative_counts_and_counts_beyond_the_list_are_reported) {
  expect_waits("wait_group_events(-1, e);", 0, 20, 1);
  expect_waits("wait_group_events(n[0], e);", 0u - 5, 20, 1);
  expect_waits("wait_group_events(n[0], few);", 4, 20, 1);
  expect_waits("wait_group_events(4, few);", 4, 20, 1);
}

TEST(opencl_async, work_items_that_wait_for_different_numbers_of_events_are_reported) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(work_items_that_wait))) {
    EXPECT_TRUE(group_rig_run(&rig));
    EXPECT_TRUE(rig.hazards > 0);
    EXPECT_EQ(rig.hazard.rule, HAZARD_G1);
    EXPECT_CONTAINS(rig.hazard.detail, "the number of events is");
  }
}

/* ---- modules from other compilers --------------------------------------------------------------------- */

TEST(opencl_async, lines_planes_and_fences_between_them_are_functions_of_the_module) {
  static const enum isa_op expected[] = {ISA_COPY_TO_LDS_2D, ISA_COPY_FENCE_LDS, ISA_COPY_TO_GLOBAL_3D, ISA_WAIT};
  ct_freed(group_rig_close) struct group_rig rig;
  if (open_source(&rig, CT_KERNEL(named_source))) {
    for (uint32_t i = 0; i < 64; i++)
      group_rig_words(&rig, 0)[i] = i;
    EXPECT_TRUE(group_rig_run(&rig));
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++)
      EXPECT_EQ(group_rig_met(&rig, i), expected[i]);
    for (uint32_t i = 0; i < 8; i++) /* element i of the block in out is line i / 2, i % 2 of the tile's 4 by 4 */
      EXPECT_EQ(group_rig_words(&rig, 1)[i / 4 * 4 + i / 2 % 2 * 2 + i % 2], i / 4 * 16 + i / 2 % 2 * 8 + i % 2);
  }
}

/* Copies word `from` of the first instruction of this kind to its word `to`. */
static void repeat_word(uint32_t *word, uint32_t count, uint32_t op, uint32_t to, uint32_t from) {
  for (uint32_t at = 5; at < count; at += word[at] >> 16)
    if ((word[at] & 0xffff) == op) {
      word[at + to] = word[at + from];
      return;
    }
}

/* Lowers a module whose copy has its word `from` in place of its word `to`. */
static void expect_misfit(uint32_t op, uint32_t to, uint32_t from, const char *message) {
  static const char source[] = "kernel void k(global int *in) {\n"
                               "  local int tile[64];\n"
                               "  event_t e = async_work_group_copy(tile, in, 3, 0);\n"
                               "  wait_group_events(1, &e);\n"
                               "}\n";
  static uint32_t word[4096];
  struct isa_error error = {""};
  ct_freed(ct_free) uint8_t *spirv = NULL;
  size_t size = 0;
  ct_freed(group_rig_close) struct group_rig rig = {0};
  ASSERT_TRUE(group_rig_spirv(source, "CL2.0", &spirv, &size, &error));
  memcpy(word, spirv, size);
  repeat_word(word, (uint32_t)(size / 4), op, to, from);
  EXPECT_FALSE(group_rig_lower(&rig, (const uint8_t *)word, size, &error));
  EXPECT_CONTAINS(error.text, message);
}

TEST(opencl_async, modules_whose_copies_have_operands_of_wrong_kinds_are_refused) {
  enum { SCOPE = 3, TO = 4, COUNT = 6, EVENT = 8, WAIT_SCOPE = 1, WAIT_COUNT = 2, WAIT_LIST = 3 };
  expect_misfit(OpGroupAsyncCopy, SCOPE, COUNT, ":3: copies and waits belong to a work-group, not to another scope");
  expect_misfit(OpGroupAsyncCopy, COUNT, EVENT, ":3: the counts, sizes and strides of a copy are integers");
  expect_misfit(OpGroupAsyncCopy, EVENT, COUNT, ":3: a copy must take and return an event");
  expect_misfit(OpGroupAsyncCopy, TO, COUNT, ":3: a pointer is expected here");
  expect_misfit(OpGroupWaitEvents, WAIT_SCOPE, WAIT_COUNT, ":4: copies and waits belong to a work-group");
  expect_misfit(OpGroupWaitEvents, WAIT_LIST, WAIT_COUNT, ":4: a pointer is expected");
}

/* ---- what is refused --------------------------------------------------------------------------------- */

TEST(opencl_async, copies_of_unknown_direction_and_wrong_arguments_are_refused_by_name_and_line) {
  expect_refusal(CT_KERNEL(copies_of_unknown_direction),
                 ":4: async_work_group_copy_2D2D is called with 3 arguments; it has 10");
  expect_refusal(CT_KERNEL(copies_of_unknown_direction_2),
                 ":4: async_work_group_copy_2D2D copies between local and global memory");
  expect_refusal(CT_KERNEL(copies_of_unknown_direction_3),
                 ":5: the counts, sizes and strides of a copy are integers of 32 or 64 bits");
}
