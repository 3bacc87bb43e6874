/* Channels of cl_intel_channels and cl_altera_channels: what declarations become in the program, what reads and writes
 * become, and what is refused. tests/api/channel.c runs them. */
#include "isa/ops.h"
#include "isa/pipe.h"
#include "tests/ct.h"
#include "tests/kernels.h"
#include "tests/opencl/group_rig.h"

#include <string.h>

#define ENABLED "#pragma OPENCL EXTENSION cl_intel_channels : enable\n"

static void expect_channel(const struct isa_program *program, const char *name, uint32_t size, uint32_t packets,
                           uint32_t count) {
  ct_note("channel %s", name);
  for (size_t i = 0; i < program->channel_count; i++) {
    const struct isa_channel *channel = &program->channels[i];
    if (strcmp(channel->name, name) != 0)
      continue;
    EXPECT_EQ(channel->packet_size, size);
    EXPECT_EQ(channel->max_packets, packets);
    EXPECT_EQ(channel->count, count);
    EXPECT_EQ(channel->offset % ISA_PIPE_HEADER, 0);
    EXPECT_TRUE(count == 1 || channel->pitch % size == 0);
    EXPECT_GE(channel->pitch, isa_pipe_bytes(size, packets));
    return;
  }
  EXPECT_STREQ(name, "");
}

TEST(opencl_channel, declarations_give_size_depth_and_number) {
  static const char source[] =
      ENABLED "#define DEPTH 5\nenum { DEEP = 100 };\n"
              "typedef struct { float4 v; char tag; } packet;\n"
              "global int seen = 7;\n"
              "channel int plain;\n"
              "channel float4 some __attribute__((depth(DEPTH))), other __attribute__((depth(DEPTH + 1)));\n"
              "channel packet rows[3] __attribute((io(\"outside\"), depth(sizeof(packet) * DEEP)));\n"
              "channel bool flags[2][2] __attribute__((depth(0)));\n"
              "channel uchar3 unused __attribute__((depth(9)));\n"
              "kernel void k(global int *a, int i) {\n"
              "  packet p = read_channel_intel(rows[i]);\n"
              "  write_channel_intel(some, p.v);\n  write_channel_intel(other, p.v);\n"
              "  write_channel_intel(flags[i][1], p.tag > 2);\n"
              "  a[0] = read_channel_intel(plain) + seen;\n"
              "}\n";
  static const char *const standards[] = {"CL1.2", "CL2.0", "CL3.0"};
  for (size_t i = 0; i < 3; i++) {
    ct_freed(group_rig_close) struct group_rig rig = {0};
    struct isa_error error = {""};
    ct_note("%s", standards[i]);
    EXPECT_TRUE(group_rig_compile(&rig, source, standards[i], &error));
    EXPECT_STREQ(error.text, "");
    if (rig.program) {
      EXPECT_EQ(rig.program->channel_count, 5);
      expect_channel(rig.program, "plain", 4, 16, 1);
      expect_channel(rig.program, "some", 16, 5, 1);
      expect_channel(rig.program, "other", 16, 6, 1);
      expect_channel(rig.program, "rows", 32, 3200, 3);
      expect_channel(rig.program, "flags", 1, 16, 4);
      EXPECT_EQ(isa_channel_pipes(rig.program), 10);
      EXPECT_GE(rig.program->channels[0].offset, rig.program->variable_bytes);
      EXPECT_EQ(rig.program->variable_bytes, 8); /* `seen`, and the variable that is not used as a channel */
      EXPECT_EQ(rig.program->constant_bytes, 0); /* nothing from the annotations */
    }
  }
}

TEST(opencl_channel, names_that_are_not_identifiers_become_identifiers) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig,
                     ENABLED "channel int c __asm__(\"9 lives\"), d __asm__(\"$c\"), e __asm__(\".c\");\n"
                             "kernel void k(global int *a) {\n"
                             "  a[0] = read_channel_intel(c) + read_channel_intel(d) + read_channel_intel(e);\n}\n")) {
    EXPECT_EQ(rig.program->channel_count, 3);
    expect_channel(rig.program, "channel_9_lives", 4, 16, 1);
    expect_channel(rig.program, "_c", 4, 16, 1);
    expect_channel(rig.program, "_c_", 4, 16, 1);
  }
}

TEST(opencl_channel, a_packet_is_awaited_copied_and_committed_after_a_fence) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, ENABLED "channel short3 c, d;\n"
                                   "kernel void k(global short3 *a) {\n"
                                   "  write_channel_intel(d, read_channel_intel(c));\n}\n")) {
    EXPECT_EQ(group_rig_count(&rig, ISA_PIPE_RESERVE_READ_WAIT), 1);
    EXPECT_EQ(group_rig_count(&rig, ISA_PIPE_RESERVE_WRITE_WAIT), 1);
    EXPECT_EQ(group_rig_count(&rig, ISA_PIPE_COMMIT_READ), 1);
    EXPECT_EQ(group_rig_count(&rig, ISA_PIPE_COMMIT_WRITE), 1);
    EXPECT_EQ(group_rig_count(&rig, ISA_FENCE_GLOBAL), 2);
    EXPECT_EQ(group_rig_count(&rig, ISA_EXIT), 1);
    EXPECT_EQ(group_rig_count(&rig, ISA_BRA), 4); /* around the copies, and back for lanes without a packet */
    EXPECT_EQ(rig.program->kernels[0].private_bytes, 0);
    EXPECT_EQ(rig.program->kernels[0].autorun[0], 0);
  }
}

TEST(opencl_channel, nonblocking_calls_reserve_without_waiting) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(nonblocking_calls_reserve_without))) {
    EXPECT_EQ(group_rig_count(&rig, ISA_PIPE_RESERVE_READ), 1);
    EXPECT_EQ(group_rig_count(&rig, ISA_PIPE_RESERVE_WRITE), 1);
    EXPECT_EQ(group_rig_count(&rig, ISA_PIPE_RESERVE_READ_WAIT) + group_rig_count(&rig, ISA_PIPE_RESERVE_WRITE_WAIT),
              0);
  }
}

TEST(opencl_channel, an_autorun_kernel_restarts_until_it_is_dismissed) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, ENABLED "channel int c[5];\n"
                                   "__attribute__((max_global_work_dim(0))) __attribute__((autorun))\n"
                                   "__attribute__((num_compute_units(4, 2)))\n"
                                   "kernel void k(void) {\n"
                                   "  int i = get_compute_id(0);\n"
                                   "  write_channel_intel(c[i + 1], read_channel_intel(c[i]));\n}\n"
                                   "__attribute__((autorun)) kernel void once(void) { read_channel_intel(c[0]); }\n")) {
    const struct isa_kernel *kernel = &rig.program->kernels[0];
    EXPECT_EQ(kernel->autorun[0], 4);
    EXPECT_EQ(kernel->autorun[1], 2);
    EXPECT_EQ(kernel->autorun[2], 1);
    EXPECT_EQ(rig.program->kernels[1].autorun[0], 1);
    unsigned back = 0;
    for (uint32_t pc = kernel->entry; pc < kernel->end; pc++)
      back += rig.program->code[pc].op == ISA_BRA && isa_branch_target(&rig.program->code[pc]) < pc;
    EXPECT_EQ(back, 3); /* to the start, and to each of the two calls */
  }
}

TEST(opencl_channel, without_the_pragma_channel_is_an_ordinary_identifier) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, "/* cl_intel_channels are not meant */\n"
                           "kernel void k(global int *channel) { int depth = 3; channel[0] = depth; }\n"))
    EXPECT_EQ(rig.program->channel_count, 0);
}

TEST(opencl_channel, impossible_channels_are_refused_by_name) {
  static const struct {
    const char *source, *why;
  } rows[] = {
      {"kernel void k(global int *a) { a[0] = read_channel_intel(c); }\n",
       "channels need #pragma OPENCL EXTENSION cl_intel_channels : enable"},
      {"channel int c;\nkernel void k(global int *a) {}\n",
       "channels need #pragma OPENCL EXTENSION cl_intel_channels : enable"},
      {ENABLED "channel int c;\nint get(global int *from) { return read_channel_intel(*from); }\n"
               "kernel void k(global int *a) { a[0] = get(&c); }\n",
       "a channel must be named where it is read or written"},
      {ENABLED "channel int c[127];\nkernel void k(global int *a, int i) { a[0] = read_channel_intel(c[i]); }\n",
       "channel 'c' is one too many; legal: at most 126 in a program, counting each"},
      {ENABLED "channel int c __attribute__((depth(16777216)));\n"
               "kernel void k(global int *a) { a[0] = read_channel_intel(c); }\n",
       "channel 'c' is deeper than 16777215 packets"},
      {ENABLED "channel long16 c[8] __attribute__((depth(1000000)));\n"
               "kernel void k(int i) { write_channel_intel(c[i], (long16)(0)); }\n",
       "channel 'c' does not fit; legal: at most 256 MiB of channels in a program"},
      {ENABLED "channel int c;\nkernel void k(global int *a) { c = 5; a[0] = read_channel_intel(c); }\n",
       "channel 'c' is not a variable"},
      {ENABLED "channel int c;\nkernel void k(global int *a) { a[0] = read_channel_intel(c) + c; }\n",
       "channel 'c' is not a variable"},
      {ENABLED "channel int c;\n__attribute__((autorun)) __attribute__((reqd_work_group_size(8, 1, 1)))\n"
               "kernel void k(void) { write_channel_intel(c, 1); }\n",
       "autorun kernel 'k' has work-groups of 8 x 1 x 1 work-items; legal: 1 x 1 x 1"},
      {ENABLED "channel int c;\n__attribute__((autorun)) kernel void k(int i) { write_channel_intel(c, i); }\n",
       "autorun kernel 'k' has arguments, which cannot be set"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_freed(group_rig_close) struct group_rig rig = {0};
    struct isa_error error = {""};
    ct_note("row %zu: %s", i, error.text);
    EXPECT_FALSE(group_rig_compile(&rig, rows[i].source, "CL2.0", &error));
    if (!strstr(error.text, rows[i].why))
      EXPECT_STREQ(error.text, rows[i].why);
  }
}
