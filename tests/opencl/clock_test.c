/* cl_khr_kernel_clock: what is read, and that a read stays where the source has it. */
#include "isa/ops.h"
#include "tests/ct.h"
#include "tests/kernels.h"
#include "tests/opencl/group_rig.h"
#include "tests/opencl/words.h"

#include <stdlib.h>

static bool open_source(struct group_rig *rig, const char *source) {
  struct isa_error error = {""};
  const bool good = group_rig_compile(rig, source, "CL2.0", &error);
  ct_note("%s", error.text);
  return EXPECT_TRUE(good);
}

static bool is_among(uint16_t op, const enum isa_op *ops, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (op == ops[i])
      return true;
  return false;
}

/* Lists the program's operations that are among `ops`, in order. */
static uint32_t order(const struct group_rig *rig, const enum isa_op *ops, uint32_t count, uint16_t *found,
                      uint32_t most) {
  uint32_t n = 0;
  for (uint32_t pc = 0; pc < rig->program->count && n < most; pc++)
    if (is_among(rig->program->code[pc].op, ops, count))
      found[n++] = rig->program->code[pc].op;
  return n;
}

TEST(opencl_clock, a_clock_read_stays_between_its_neighbors) {
  static const enum isa_op expected[] = {
      ISA_GET_CLOCK,      ISA_LD_GLOBAL_32, ISA_GET_CLOCK, ISA_LD_GLOBAL_32, ISA_GET_CLOCK,
      ISA_COPY_TO_LDS,    ISA_GET_CLOCK,    ISA_WAIT,      ISA_GET_CLOCK,    ISA_LD_LDS_32,
      ISA_GET_CLOCK,      ISA_BAR_LDS,      ISA_GET_CLOCK, ISA_ST_LDS_32,    ISA_GET_CLOCK,
      ISA_COPY_TO_GLOBAL, ISA_WAIT,         ISA_GET_CLOCK, ISA_ST_GLOBAL_32, ISA_GET_CLOCK,
  };
  enum { EXPECTED = sizeof expected / sizeof *expected };
  ct_freed(group_rig_close) struct group_rig rig;
  if (open_source(&rig, CT_KERNEL(a_clock_read_stays))) {
    uint16_t found[EXPECTED + 1];
    const uint32_t count = order(&rig, expected, EXPECTED, found, EXPECTED + 1);
    EXPECT_EQ(count, EXPECTED);
    for (uint32_t i = 0; i < count && i < EXPECTED; i++)
      EXPECT_STREQ(isa_op_name(found[i]), isa_op_name(expected[i]));
  }
}

TEST(opencl_clock, two_reads_stay_two_and_an_unused_read_stays) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (open_source(&rig, CT_KERNEL(two_reads_stay_two)))
    EXPECT_EQ(group_rig_count(&rig, ISA_GET_CLOCK), 4);
}

TEST(opencl_clock, all_six_functions_read_the_clock_in_order_low_word_first) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (open_source(&rig, CT_KERNEL(all_six_functions_read))) {
    const uint64_t start = UINT64_C(7) << 32, *t = (const uint64_t *)(const void *)rig.buffers[0].data;
    group_rig_range(&rig, 1, 1, 32);
    rig.clock = start;
    EXPECT_TRUE(group_rig_run(&rig));
    for (uint32_t i = 0; i < 6; i++) {
      EXPECT_GE(t[i], i ? t[i - 1] + 1 : start);
      EXPECT_LT(t[i], start + rig.program->count);
    }
  }
}

/* Replaces the call of the clock by OpReadClockKHR, which has the same length, with word `from` of the barrier as its
 * scope. */
static void read_by_instruction(struct words *w, uint32_t from) {
  uint32_t scope = 0;
  for (int twice = 0; twice < 2; twice++)
    for (uint32_t at = 5; at < w->count; at += w->word[at] >> 16) {
      const uint32_t op = w->word[at] & 0xffff;
      if (op == OpControlBarrier)
        scope = w->word[at + from];
      else if (op == OpFunctionCall && w->word[at] >> 16 == 4 && scope) {
        w->word[at] = 4u << 16 | OpReadClockKHR;
        w->word[at + 3] = scope;
      }
    }
}

static void expect_instruction(const char *source, uint32_t from, const char *message) {
  static struct words w;
  struct isa_error error = {""};
  ct_freed(ct_free) uint8_t *spirv = NULL;
  size_t size = 0;
  ct_freed(group_rig_close) struct group_rig rig = {0};
  ASSERT_TRUE(group_rig_spirv(source, "CL2.0", &spirv, &size, &error));
  ASSERT_TRUE(size <= sizeof w.word);
  memcpy(w.word, spirv, size);
  w.count = (uint32_t)(size / 4);
  read_by_instruction(&w, from);
  const bool good = group_rig_lower(&rig, (const uint8_t *)w.word, size, &error);
  ct_note("%s", error.text);
  EXPECT_EQ(good, !message);
  if (message)
    EXPECT_CONTAINS(error.text, message);
  else
    EXPECT_EQ(group_rig_count(&rig, ISA_GET_CLOCK), 1);
}

TEST(opencl_clock, modules_may_use_the_spirv_instruction) {
  enum { SCOPE = 1 };
  expect_instruction("kernel void k(global ulong *t) { barrier(1); *t = clock_read_device(); }", SCOPE, NULL);
  expect_instruction("kernel void k(global uint2 *t) { barrier(1); *t = clock_read_hilo_device(); }", SCOPE, NULL);
}
