/* Pipes from OpenCL C: what the calls become, their results, and errors in a program. tests/differential/pipes.py tests
 * packets of all types. */
#include "isa/ops.h"
#include "isa/rows.h"
#include "tests/ct.h"
#include "tests/kernels.h"
#include "tests/opencl/group_rig.h"

#include <string.h>

/* ---- what calls become ------------------------------------------------------------------------------ */

/* The only instruction with this operation. */
static const struct isa_inst *only(const struct group_rig *rig, enum isa_op op) {
  const struct isa_inst *found = NULL;
  EXPECT_EQ(group_rig_count(rig, op), 1);
  for (uint32_t i = 0; i < rig->program->count; i++)
    if (rig->program->code[i].op == op)
      found = &rig->program->code[i];
  static const struct isa_inst none = {0};
  return found ? found : &none;
}

TEST(opencl_pipe, a_packet_is_reserved_copied_and_committed_after_a_fence) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, "kernel void k(write_only pipe short3 p, global short3 *a) { write_pipe(p, a); }\n")) {
    EXPECT_EQ(rig.program->kernels[0].args[0].kind, ISA_ARG_PIPE);
    EXPECT_EQ(pipe_kind(only(&rig, ISA_PIPE_RESERVE_WRITE)), ISA_PIPE_PACKET);
    EXPECT_EQ((uint32_t)only(&rig, ISA_PIPE_RESERVE_WRITE)->imm, 1);
    EXPECT_EQ(pipe_size(only(&rig, ISA_PIPE_SLOT_WRITE)), 8);
    EXPECT_EQ(pipe_kind(only(&rig, ISA_PIPE_COMMIT_WRITE)), ISA_PIPE_PACKET);
    EXPECT_EQ(group_rig_count(&rig, ISA_FENCE_GLOBAL), 1);
    EXPECT_EQ(group_rig_count(&rig, ISA_LD_GLOBAL_64), 1); /* all four at once */
    EXPECT_EQ(rig.program->kernels[0].private_bytes, 0);
  }
}

TEST(opencl_pipe, one_work_item_reserves_for_the_group_and_all_meet_before_the_commit) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(one_work_item_reserves))) {
    EXPECT_EQ(group_rig_count(&rig, ISA_BAR_PIPE), 2); /* before the reservation, after the commit */
    EXPECT_EQ(group_rig_count(&rig, ISA_BAR_PIPE_GLOBAL), 1);
    EXPECT_EQ(group_rig_count(&rig, ISA_BAR_GROUP), 1); /* before all read the id */
    EXPECT_EQ(group_rig_count(&rig, ISA_BAR_LDS), 0);
    EXPECT_EQ(pipe_kind(only(&rig, ISA_PIPE_RESERVE_READ)), ISA_PIPE_GROUP);
    EXPECT_NE(only(&rig, ISA_PIPE_RESERVE_READ)->guard, 0);
    EXPECT_EQ(pipe_kind(only(&rig, ISA_PIPE_COMMIT_READ)), ISA_PIPE_GROUP);
    EXPECT_NE(only(&rig, ISA_PIPE_COMMIT_READ)->guard, 0);
  }
}

TEST(opencl_pipe, a_sub_group_elects_a_lane_and_needs_no_barrier) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(a_sub_group_elects))) {
    EXPECT_EQ(group_rig_count(&rig, ISA_BAR_PIPE) + group_rig_count(&rig, ISA_BAR_PIPE_GLOBAL), 0);
    EXPECT_EQ(pipe_kind(only(&rig, ISA_PIPE_RESERVE_READ)), ISA_PIPE_SUBGROUP);
    EXPECT_EQ(group_rig_count(&rig, ISA_ELECT), 2);
    EXPECT_EQ(group_rig_count(&rig, ISA_BCAST), 2); /* the two words of the id */
    EXPECT_EQ(group_rig_count(&rig, ISA_FENCE_GLOBAL), 1);
  }
}

/* ---- results ------------------------------------------------------------------------------------------ */

TEST(opencl_pipe, results_and_counts_are_those_of_the_language) {
  ct_freed(group_rig_close) struct group_rig rig;
  const char *source = "kernel void k(write_only pipe int p, read_only pipe int q, global int *out) {\n"
                       "  int x = 5;\n"
                       "  reserve_id_t none = CLK_NULL_RESERVE_ID, zero = reserve_read_pipe(q, 1), some[2];\n"
                       "  out[0] = is_valid_reserve_id(none);\n"
                       "  out[1] = is_valid_reserve_id(zero);\n"
                       "  out[2] = read_pipe(q, &x);\n"
                       "  out[3] = x;\n"
                       "  out[4] = write_pipe(p, &x);\n"
                       "  out[5] = get_pipe_num_packets(p);\n"
                       "  out[6] = get_pipe_max_packets(p);\n"
                       "  some[0] = reserve_write_pipe(p, 2);\n"
                       "  some[1] = reserve_write_pipe(p, 2);\n" /* one is left */
                       "  out[7] = is_valid_reserve_id(some[0]);\n"
                       "  out[8] = is_valid_reserve_id(some[1]);\n"
                       "  out[9] = get_pipe_num_packets(p);\n"
                       "  for (x = 7; x < 9; x++) out[3 + x] = write_pipe(p, some[0], x - 7, &x);\n"
                       "  commit_write_pipe(p, some[0]);\n"
                       "  out[12] = get_pipe_num_packets(p);\n"
                       "  out[13] = write_pipe(p, &x);\n"
                       "  out[14] = write_pipe(p, &x);\n"
                       "}\n";
  static const int32_t expected[] = {0, 0, -1, 5, 0, 1, 4, 1, 0, 1, 0, 0, 3, 0, -1};
  static const int32_t packets[] = {5, 7, 8, 9};
  if (group_rig_open(&rig, source)) {
    const struct isa_pipe *pipe = group_rig_pipe(&rig, 0, 4, 4);
    group_rig_pipe(&rig, 1, 4, 4);
    group_rig_range(&rig, 1, 1, 32);
    group_rig_run(&rig);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
      ct_note("out[%zu]", i);
      EXPECT_EQ((int32_t)group_rig_words(&rig, 2)[i], expected[i]);
    }
    EXPECT_EQ(isa_pipe_available(pipe, ISA_PIPE_READ), 4);
    for (size_t i = 0; i < 4; i++)
      EXPECT_EQ(memcmp(isa_pipe_packet(pipe, i), &packets[i], 4), 0);
    EXPECT_EQ(rig.hazards, 0);
  }
}

TEST(opencl_pipe, ids_pass_through_functions_memory_and_structs) {
  struct group_rig rig;
  const char *source = CT_KERNEL(ids_pass_through_functions);
  if (group_rig_open(&rig, source)) {
    const struct isa_pipe *pipe = group_rig_pipe(&rig, 0, 4, 128);
    group_rig_run(&rig);
    for (uint32_t i = 0; i < 64; i++) {
      const uint32_t second = 100 + i;
      EXPECT_EQ(group_rig_words(&rig, 2)[i], 0);
      EXPECT_EQ(memcmp(isa_pipe_packet(pipe, 2 * i), &i, 4), 0);
      EXPECT_EQ(memcmp(isa_pipe_packet(pipe, 2 * i + 1), &second, 4), 0);
    }
    EXPECT_EQ(rig.hazards, 0);
  }
  group_rig_close(&rig);
}

/* ---- errors in a program ------------------------------------------------------------------------------ */

#define KERNEL                                                                                                         \
  "kernel void k(write_only pipe int p, write_only pipe int q, global int *a) {\n  uint i = get_local_id(0);\n"

TEST(opencl_pipe, broken_rules_are_reported_by_number) {
  static const struct {
    enum isa_hazard_rule rule;
    const char *source;
  } rows[] = {
      {HAZARD_R2, KERNEL "  a[i] = write_pipe(p, CLK_NULL_RESERVE_ID, 0, a);\n}\n"},
      {HAZARD_R2, KERNEL "  commit_write_pipe(p, reserve_write_pipe(p, 1000));\n}\n"}, /* the reservation failed */
      {HAZARD_R3, KERNEL "  reserve_id_t id = reserve_write_pipe(p, 1);\n  write_pipe(p, id, 0, a);\n"
                         "  write_pipe(p, id, 1, a);\n  commit_write_pipe(p, id);\n}\n"},
      {HAZARD_R4, KERNEL "  reserve_id_t id = reserve_write_pipe(p, 1);\n  write_pipe(p, id, 0, a);\n"
                         "  commit_write_pipe(p, id);\n  write_pipe(p, id, 0, a);\n}\n"},
      {HAZARD_R4, KERNEL "  reserve_id_t id = reserve_write_pipe(p, 1);\n  write_pipe(p, id, 0, a);\n"
                         "  commit_write_pipe(p, id);\n  commit_write_pipe(p, id);\n}\n"},
      {HAZARD_R7, KERNEL "  reserve_id_t id = reserve_write_pipe(p, 2);\n  write_pipe(p, id, 1, a);\n"
                         "  commit_write_pipe(p, id);\n}\n"},
      {HAZARD_R9, KERNEL "  reserve_id_t id = reserve_write_pipe(p, 1);\n  write_pipe(p, id, 0, a);\n"
                         "  write_pipe(q, id, 0, a);\n  commit_write_pipe(p, id);\n}\n"},
      {HAZARD_R10, KERNEL "  reserve_id_t id = work_group_reserve_write_pipe(p, i + 1);\n"
                          "  for (uint j = 0; j < 65; j++) if (j <= 0) write_pipe(p, id, j, a);\n"
                          "  work_group_commit_write_pipe(p, id);\n}\n"},
      {HAZARD_R10, KERNEL "  if (i < 40) {\n    reserve_id_t id = work_group_reserve_write_pipe(p, 1);\n"
                          "    write_pipe(p, id, 0, a);\n    work_group_commit_write_pipe(p, id);\n  }\n}\n"},
      {HAZARD_R11, KERNEL "  reserve_id_t id = reserve_write_pipe(p, 1);\n  write_pipe(p, id, 0, a);\n"
                          "  sub_group_commit_write_pipe(p, id);\n}\n"},
      {HAZARD_R12, "kernel void k(write_only pipe long p, write_only pipe int q, global long *a) {\n"
                   "  write_pipe(p, a);\n}\n"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_freed(group_rig_close) struct group_rig rig;
    ct_note("%s, row %zu", isa_hazard_rows[rows[i].rule].rule, i);
    if (group_rig_open(&rig, rows[i].source)) {
      group_rig_pipe(&rig, 0, 4, 200);
      group_rig_pipe(&rig, 1, 4, 200);
      group_rig_range(&rig, rows[i].rule == HAZARD_R10 ? 64 : 1, 64, 32);
      group_rig_run(&rig);
      EXPECT_GT(rig.hazards, 0);
      EXPECT_EQ(rig.hazard.rule, rows[i].rule);
    }
  }
}
