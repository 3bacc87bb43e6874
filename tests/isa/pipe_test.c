/* Pipes: reservations and commits under the rules of OpenCL C (Q), and wrong ids. */
#include "isa/asm/asm.h"
#include "isa/ops.h"
#include "isa/pipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ct.h"
#include "tests/isa/rig.h"

CT_FREES(struct isa_program, isa_program_free)

enum { SIZE = 12 };
static const enum isa_pipe_direction READ = ISA_PIPE_READ, WRITE = ISA_PIPE_WRITE;

static const struct isa_pipe_user nobody = {0, {0, 0, 0}, 0, 0};

static void open_pipe(struct isa_pipe *pipe, uint32_t max_packets) {
  uint8_t *data = calloc(1, isa_pipe_bytes(SIZE, max_packets));
  isa_pipe_init(pipe, "p", 3, ISA_GLOBAL_BASE, data, SIZE, max_packets);
}

static void close_pipe(struct isa_pipe *pipe) {
  free(pipe->data);
  isa_pipe_free(pipe);
}

static uint64_t reserve(struct isa_pipe *pipe, enum isa_pipe_direction direction, uint32_t count) {
  return isa_pipe_reserve(pipe, direction, ISA_PIPE_ITEM, count, &nobody);
}

/* Marks all packets of a write reservation as written, and commits the reservation. */
static void commit(struct isa_pipe *pipe, enum isa_pipe_direction direction, uint64_t id) {
  enum isa_hazard_rule rule;
  for (uint32_t i = 0; direction == ISA_PIPE_WRITE && isa_pipe_slot(pipe, direction, id, i, &rule); i++)
    continue;
  EXPECT_EQ(isa_pipe_commit(pipe, direction, ISA_PIPE_ITEM, id), HAZARDS);
}

static uint64_t can_read(const struct isa_pipe *pipe) { return isa_pipe_available(pipe, ISA_PIPE_READ); }
static uint64_t can_write(const struct isa_pipe *pipe) { return isa_pipe_available(pipe, ISA_PIPE_WRITE); }

/* ---- reservations --------------------------------------------------------------------------------- */

TEST(pipe, a_reservation_is_granted_in_full_or_not_at_all) {
  struct isa_pipe pipe;
  open_pipe(&pipe, 5);
  const struct {
    enum isa_pipe_direction direction;
    uint32_t count;
    bool granted;
  } rows[] = {
      {READ, 1, false},                                                 /* the pipe is empty */
      {WRITE, 0, false},                                                /* a reservation of no packets is refused */
      {WRITE, 6, false},                                                /* more than it can ever hold */
      {WRITE, UINT32_MAX, false}, {WRITE, 3, true},  {WRITE, 3, false}, /* two are left */
      {READ, 1, false},                                                 /* reserved is not yet written */
      {WRITE, 2, true},           {WRITE, 1, false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const uint64_t before = can_write(&pipe);
    ct_note("row %zu", i);
    EXPECT_EQ(reserve(&pipe, rows[i].direction, rows[i].count) != 0, rows[i].granted);
    EXPECT_EQ(can_write(&pipe), rows[i].granted ? before - rows[i].count : before);
  }
  EXPECT_EQ(pipe.stats.full, 5);
  EXPECT_EQ(pipe.stats.empty, 2);
  EXPECT_EQ(pipe.stats.reservations, 2);
  close_pipe(&pipe);
}

TEST(pipe, packets_become_readable_in_the_order_of_their_reservations) {
  struct isa_pipe pipe;
  open_pipe(&pipe, 8);
  const uint64_t first = reserve(&pipe, WRITE, 2), second = reserve(&pipe, WRITE, 3), third = reserve(&pipe, WRITE, 1);
  commit(&pipe, WRITE, third);
  commit(&pipe, WRITE, second);
  EXPECT_EQ(can_read(&pipe), 0); /* the first still holds them */
  commit(&pipe, WRITE, first);
  EXPECT_EQ(can_read(&pipe), 6);
  EXPECT_EQ(pipe.stats.written, 6);
  EXPECT_EQ(pipe.stats.most, 6);
  close_pipe(&pipe);
}

TEST(pipe, room_is_freed_in_the_order_of_the_reservations_that_read) {
  struct isa_pipe pipe;
  open_pipe(&pipe, 4);
  commit(&pipe, WRITE, reserve(&pipe, WRITE, 4));
  const uint64_t first = reserve(&pipe, READ, 1), second = reserve(&pipe, READ, 2);
  EXPECT_EQ(can_read(&pipe), 1);
  commit(&pipe, READ, second);
  EXPECT_EQ(can_write(&pipe), 0);
  commit(&pipe, READ, first);
  EXPECT_EQ(can_write(&pipe), 3);
  EXPECT_EQ(pipe.stats.read, 3);
  close_pipe(&pipe);
}

TEST(pipe, packets_of_a_reservation_wrap_around_and_come_out_unchanged) {
  struct isa_pipe pipe;
  open_pipe(&pipe, 7);
  uint32_t in = 0, out = 0;
  for (uint32_t round = 0; round < 1000; round++) {
    const uint32_t count = 1 + round % 7;
    enum isa_hazard_rule rule;
    const uint64_t write = reserve(&pipe, WRITE, count);
    for (uint32_t i = 0; i < count; i++, in++)
      memcpy(pipe.data + (isa_pipe_slot(&pipe, WRITE, write, i, &rule) - pipe.base), &in, sizeof in);
    commit(&pipe, WRITE, write);
    EXPECT_EQ(memcmp(isa_pipe_packet(&pipe, count - 1), &(uint32_t){in - 1}, 4), 0);
    const uint64_t read = reserve(&pipe, READ, count);
    for (uint32_t i = 0; i < count; i++, out++) {
      const uint64_t address = isa_pipe_slot(&pipe, READ, read, i, &rule);
      EXPECT_EQ((address - pipe.base - ISA_PIPE_HEADER) % SIZE, 0);
      EXPECT_EQ(memcmp(pipe.data + (address - pipe.base), &out, sizeof out), 0);
    }
    commit(&pipe, READ, read);
  }
  close_pipe(&pipe);
}

TEST(pipe, the_header_shows_counters_and_sizes) {
  struct isa_pipe pipe;
  uint64_t counters[4];
  uint32_t sizes[2];
  open_pipe(&pipe, 9);
  commit(&pipe, WRITE, reserve(&pipe, WRITE, 5));
  reserve(&pipe, WRITE, 2);
  commit(&pipe, READ, reserve(&pipe, READ, 1));
  reserve(&pipe, READ, 3);
  memcpy(counters, pipe.data, sizeof counters);
  memcpy(sizes, pipe.data + ISA_PIPE_SIZES, sizeof sizes);
  EXPECT_EQ(counters[0], 7);
  EXPECT_EQ(counters[1], 5);
  EXPECT_EQ(counters[2], 4);
  EXPECT_EQ(counters[3], 1);
  EXPECT_EQ(sizes[0], SIZE);
  EXPECT_EQ(sizes[1], 9);
  close_pipe(&pipe);
}

TEST(pipe, open_reservations_are_limited_and_single_packets_do_not_count) {
  struct isa_pipe pipe;
  open_pipe(&pipe, 100);
  isa_pipe_launch(&pipe, 3);
  uint64_t id = 0;
  for (unsigned i = 0; i < 3; i++)
    EXPECT_NE(id = reserve(&pipe, WRITE, 1), 0);
  EXPECT_EQ(reserve(&pipe, WRITE, 1), 0);
  EXPECT_EQ(pipe.stats.over_limit, 1);
  EXPECT_EQ(pipe.stats.full, 0);
  EXPECT_NE(isa_pipe_reserve(&pipe, WRITE, ISA_PIPE_PACKET, 1, &nobody), 0);
  commit(&pipe, WRITE, id);
  EXPECT_NE(reserve(&pipe, WRITE, 1), 0);
  EXPECT_EQ(pipe.stats.reservations, 4);
  close_pipe(&pipe);
}

/* ---- ids ------------------------------------------------------------------------------------------ */

TEST(pipe, wrong_ids_are_distinguished_by_cause) {
  struct isa_pipe pipe;
  enum isa_hazard_rule rule;
  open_pipe(&pipe, 10);
  commit(&pipe, WRITE, reserve(&pipe, WRITE, 4));
  const uint64_t id = reserve(&pipe, WRITE, 2), read = reserve(&pipe, READ, 2), done = reserve(&pipe, READ, 1);
  EXPECT_EQ(isa_pipe_commit(&pipe, READ, ISA_PIPE_ITEM, done), HAZARDS);
  const struct {
    enum isa_pipe_direction direction;
    uint64_t id;
    enum isa_hazard_rule rule;
  } rows[] = {
      {WRITE, 0, HAZARD_R2},
      {WRITE, UINT64_MAX, HAZARD_R2},
      {WRITE, UINT64_C(1) << 63, HAZARD_R2},
      {WRITE, 12345, HAZARD_R2},
      {READ, id, HAZARD_R9},                               /* the other direction */
      {WRITE, id ^ UINT64_C(1) << 57, HAZARD_R9},          /* another pipe */
      {WRITE, (id & ~UINT64_C(0xffffff)) | 10, HAZARD_R2}, /* beyond the ring */
      {READ, done, HAZARD_R4},                             /* twice */
      {WRITE, id + 1, HAZARD_R4},                          /* no longer or not yet reserved */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_note("row %zu", i);
    EXPECT_EQ(isa_pipe_commit(&pipe, rows[i].direction, ISA_PIPE_ITEM, rows[i].id), rows[i].rule);
    if (rows[i].rule != HAZARD_R4) {
      EXPECT_EQ(isa_pipe_slot(&pipe, rows[i].direction, rows[i].id, 0, &rule), 0);
      EXPECT_EQ(rule, rows[i].rule);
    }
  }
  EXPECT_EQ(isa_pipe_slot(&pipe, WRITE, id, 2, &rule), 0);
  EXPECT_EQ(rule, HAZARD_R3);
  EXPECT_NE(isa_pipe_slot(&pipe, WRITE, id, 1, &rule), 0);
  EXPECT_EQ(rule, HAZARDS);
  EXPECT_EQ(isa_pipe_commit(&pipe, WRITE, ISA_PIPE_ITEM, id), HAZARD_R7); /* packet 0 was never written */
  EXPECT_EQ(isa_pipe_commit(&pipe, READ, ISA_PIPE_GROUP, read), HAZARD_R11);
  EXPECT_EQ(can_read(&pipe), 3); /* violations of R7 and R11 still commit */
  close_pipe(&pipe);
}

TEST(pipe, an_id_is_never_null_and_does_not_repeat_for_64_laps) {
  struct isa_pipe pipe;
  static uint64_t seen[2 * 64 * 3];
  size_t count = 0;
  open_pipe(&pipe, 3);
  while (count < sizeof seen / sizeof *seen) {
    const enum isa_pipe_direction direction = count % 2 ? ISA_PIPE_READ : ISA_PIPE_WRITE;
    const uint64_t id = reserve(&pipe, direction, 1);
    EXPECT_TRUE(id != 0 && id != UINT64_MAX);
    for (size_t i = 0; i < count; i++)
      EXPECT_NE(seen[i], id);
    seen[count++] = id;
    commit(&pipe, direction, id);
  }
  close_pipe(&pipe);
}

/* ---- random sequences compared with a list ------------------------------------------------------- */

TEST(pipe, random_sequences_agree_with_a_list_of_blocks) {
  enum { BLOCKS = 64 };
  uint64_t seed = 11;
  for (uint32_t max = 1; max < 40; max += 1 + max / 3) {
    struct isa_pipe pipe;
    struct {
      uint64_t id;
      uint32_t count;
      bool committed;
    } block[2][BLOCKS] = {0};
    uint32_t blocks[2] = {0}, readable = 0, used = 0;
    open_pipe(&pipe, max);
    for (unsigned step = 0; step < 3000; step++) {
      const enum isa_pipe_direction direction = (enum isa_pipe_direction)(ct_random(&seed) & 1);
      const uint32_t count = (uint32_t)(ct_random(&seed) % (max + 2)), at = (uint32_t)(ct_random(&seed) % BLOCKS);
      if (ct_random(&seed) & 1) {
        const bool fits = count && blocks[direction] < BLOCKS && count <= (direction == READ ? readable : max - used);
        if (blocks[direction] == BLOCKS)
          continue;
        const uint64_t id = reserve(&pipe, direction, count);
        EXPECT_EQ(id != 0, fits);
        if (!fits)
          continue;
        block[direction][blocks[direction]].id = id;
        block[direction][blocks[direction]].count = count;
        block[direction][blocks[direction]++].committed = false;
        *(direction == READ ? &readable : &used) += direction == READ ? 0 - count : count;
      } else if (at < blocks[direction] && !block[direction][at].committed) {
        commit(&pipe, direction, block[direction][at].id);
        block[direction][at].committed = true;
      }
      while (blocks[direction] && block[direction][0].committed) {
        *(direction == READ ? &used : &readable) +=
            direction == READ ? 0 - block[direction][0].count : block[direction][0].count;
        memmove(&block[direction][0], &block[direction][1], --blocks[direction] * sizeof block[0][0]);
      }
      EXPECT_EQ(can_read(&pipe), readable);
      EXPECT_EQ(can_write(&pipe), max - used);
    }
    EXPECT_GT(pipe.stats.read, 0);
    close_pipe(&pipe);
  }
}

/* ---- instructions ---------------------------------------------------------------------------------- */

/* Turns the rig's second buffer into a pipe, the kernel's first argument. */
static void add_pipe(struct rig *rig, struct isa_pipe *pipe, uint32_t max_packets) {
  *pipe = (struct isa_pipe){0};
  rig->buffers[1].bytes = isa_pipe_bytes(4, max_packets);
  rig->memory.pipes = pipe;
  rig->memory.pipe_count = 1;
  memcpy(rig->args, &rig->buffers[1].base, 8);
  isa_pipe_init(pipe, "p", 1, rig->buffers[1].base, rig->buffers[1].data, 4, max_packets);
}

static bool open_rig(struct rig *rig, struct isa_pipe *pipe, const char *source, uint32_t items, uint32_t max_packets) {
  const bool good = rig_open(rig, source, items, 32);
  if (good)
    add_pipe(rig, pipe, max_packets);
  return good;
}

#define HEAD ".kernel k\n.arg p pipe\n ld.arg.b64 r2, p\n get.lane r1\n"

TEST(pipe, lanes_are_served_in_lane_order_until_the_pipe_refuses) {
  ct_freed(rig_close) struct rig rig;
  ct_freed(isa_pipe_free) struct isa_pipe pipe;
  if (!open_rig(&rig, &pipe,
                HEAD " pipe.reserve.write r4, [r2], 1, kind=packet\n setp.ne.u64 p0, r4, 0\n"
                     "@p0 pipe.slot.write r6, [r2], r4, 0, size=4\n@p0 st.global.b32 [r6], r1\n"
                     "@p0 pipe.commit.write [r2], r4, kind=packet\n pipe.num r0, [r2]\n exit\n",
                32, 20))
    return;
  EXPECT_TRUE(rig_run(&rig, 100));
  for (uint32_t lane = 0; lane < 32; lane++) {
    EXPECT_EQ(rig_pred(&rig, 0, lane), lane < 20);
    EXPECT_EQ(rig_reg(&rig, 0, lane), 20);
  }
  for (uint32_t i = 0; i < 20; i++)
    EXPECT_EQ(memcmp(isa_pipe_packet(&pipe, i), &i, 4), 0);
  EXPECT_EQ(pipe.stats.full, 12);
  EXPECT_EQ(pipe.stats.reservations, 0);
  EXPECT_EQ(rig.hazards, 0);
}

TEST(pipe, a_waiting_reservation_serves_lanes_until_one_must_wait) {
  ct_freed(rig_close) struct rig rig;
  ct_freed(isa_pipe_free) struct isa_pipe pipe;
  if (!open_rig(&rig, &pipe, HEAD " pipe.reserve.write.wait r4, [r2], 3, kind=item\n exit\n", 32, 20))
    return;
  for (unsigned i = 0; i < 3; i++)
    rig_step(&rig, 0);
  EXPECT_EQ(rig.access.pipe.waiting, UINT32_MAX & ~UINT32_C(0x3f)); /* six of 3 are 18 of 20 */
  EXPECT_TRUE(rig.access.pipe.held);
  for (uint32_t lane = 0; lane < 6; lane++)
    EXPECT_NE(rig_pair(&rig, 4, lane), 0);
  /* the first is read and freed: one more fits */
  const uint64_t first = rig_pair(&rig, 4, 0);
  isa_pipe_commit(&pipe, WRITE, ISA_PIPE_ITEM, first);
  EXPECT_EQ(isa_pipe_commit(&pipe, READ, ISA_PIPE_ITEM, reserve(&pipe, READ, 3)), HAZARDS);
  isa_access_commit(&rig.access);
  EXPECT_EQ(rig.access.pipe.waiting, UINT32_MAX & ~UINT32_C(0x7f));
  EXPECT_NE(rig_pair(&rig, 4, 6), 0);
  EXPECT_EQ(pipe.stats.held, 1);
  /* no more packets will come */
  isa_pipe_refuse(&rig.access);
  EXPECT_EQ(rig.access.pipe.waiting, 0);
  EXPECT_EQ(rig.access.pipe.refused, UINT32_MAX & ~UINT32_C(0x7f));
  EXPECT_EQ(rig_pair(&rig, 4, 31), 0);
}

static void keep_hazard(void *context, const struct isa_hazard *hazard) { *(struct isa_hazard *)context = *hazard; }

/* Item 37 of 64, in the second warp of group (1, 0, 2). */
TEST(pipe, an_open_reservation_is_reported_with_its_work_item) {
  const uint32_t global[3] = {32, 4, 6}, local[3] = {16, 2, 2}, offset[3] = {0};
  ct_freed(rig_close) struct rig rig;
  struct isa_pipe pipe;
  struct isa_hazard found = {.item = 0};
  ASSERT_TRUE(rig_open_range(&rig,
                             HEAD " get.local_id r1, x\n get.local_id r0, y\n shl.b32 r0, r0, 4\n"
                                  " add.i32 r1, r1, r0\n get.local_id r0, z\n shl.b32 r0, r0, 5\n"
                                  " add.i32 r1, r1, r0\n setp.eq.u32 p0, r1, 37\n"
                                  "@p0 pipe.reserve.write r4, [r2], 3, kind=item\n exit\n",
                             3, global, local, offset, 1 + 0 * 2 + 2 * 4, 32));
  add_pipe(&rig, &pipe, 20);
  EXPECT_TRUE(rig_run(&rig, 100));
  isa_pipe_end(&pipe, 0, keep_hazard, &found);
  EXPECT_EQ(found.rule, HAZARD_R6);
  EXPECT_EQ(rig.program->code[found.pc].op, ISA_PIPE_RESERVE_WRITE);
  EXPECT_EQ(found.item, 37);
  EXPECT_EQ(found.group[0], 1);
  EXPECT_EQ(found.group[1], 0);
  EXPECT_EQ(found.group[2], 2);
  isa_pipe_free(&pipe);
}

TEST(pipe, lanes_whose_address_is_no_pipe_get_no_packet_and_a_hazard) {
  ct_freed(rig_close) struct rig rig;
  ct_freed(isa_pipe_free) struct isa_pipe pipe;
  if (!open_rig(&rig, &pipe,
                HEAD " mov.b64 r4, -1\n add.i64 r2, r2, 8\n pipe.reserve.read r4, [r2], 1, kind=item\n exit\n", 32, 4))
    return;
  EXPECT_TRUE(rig_run(&rig, 100));
  EXPECT_EQ(rig_pair(&rig, 4, 5), 0);
  ASSERT_EQ(rig.hazards, 1);
  EXPECT_EQ(rig.hazard[0].rule, HAZARD_M1);
}

/* ---- kernels and launches that share a pipe --------------------------------------------------------- */

TEST(pipe, uses_of_a_pipe_are_found_until_its_register_is_overwritten) {
  enum { READS = 1 << ISA_PIPE_READ, WRITES = 1 << ISA_PIPE_WRITE };
  static const struct {
    const char *body;
    unsigned a, b;
  } rows[] = {
      {" exit\n", 0, 0},
      {" ld.arg.b64 p, a\n pipe.num n, [p]\n exit\n", 0, 0},
      {" ld.arg.b64 p, a\n pipe.reserve.read id, [p], 1, kind=item\n exit\n", READS, 0},
      {" ld.arg.b64 p, b\n pipe.reserve.read.wait id, [p], 1, kind=item\n exit\n", 0, READS},
      {" ld.arg.b64 p, a\n ld.arg.b64 q, b\n pipe.reserve.read id, [p], 1, kind=item\n"
       " pipe.reserve.write.wait id, [q], 1, kind=item\n exit\n",
       READS, WRITES},
      {" ld.arg.b64 p, a\n pipe.reserve.write id, [p], 1, kind=item\n ld.arg.b64 p, b\n"
       " pipe.commit.read [p], id, kind=item\n exit\n",
       WRITES, READS},
      /* another address */
      {" ld.arg.b64 p, a\n mov.b64 p, 0\n pipe.reserve.write id, [p], 1, kind=item\n exit\n", 0, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[600];
    struct isa_error error = {.text = ""};
    snprintf(text, sizeof text,
             ".kernel k\n.arg a pipe\n.arg b pipe\n.reg n\n.reg64 p, q, id\n%s"
             ".kernel other\n.registers 4\n pipe.reserve.read r0, [r2], 1, kind=item\n exit\n",
             rows[i].body);
    ct_freed(isa_program_free_at) struct isa_program *program = isa_assemble(text, strlen(text), "t", &error);
    ct_note("%s%s", rows[i].body, error.text);
    ASSERT_TRUE(program != NULL);
    const struct isa_kernel *kernel = &program->kernels[0];
    EXPECT_EQ(isa_arg_directions(program, kernel, &kernel->args[0]), rows[i].a);
    EXPECT_EQ(isa_arg_directions(program, kernel, &kernel->args[1]), rows[i].b);
    for (unsigned direction = ISA_PIPE_READ; direction <= ISA_PIPE_WRITE; direction++)
      if (!(rows[i].a >> direction & 1)) /* without a use, the result is exactly the kernel's end */
        EXPECT_EQ(isa_arg_first_use(program, kernel, &kernel->args[0], direction), kernel->end);
  }
}

static void count_hazard(void *context, const struct isa_hazard *hazard) {
  *(unsigned *)context += hazard->rule == HAZARD_R6;
}

TEST(pipe, an_open_reservation_is_reported_with_its_kernel) {
  struct isa_pipe pipe;
  const struct isa_pipe_user second = {.kernel = 1};
  unsigned first_hazards = 0, second_hazards = 0;
  open_pipe(&pipe, 8);
  isa_pipe_reserve(&pipe, WRITE, ISA_PIPE_ITEM, 2, &second);
  isa_pipe_end(&pipe, 0, count_hazard, &first_hazards);
  isa_pipe_end(&pipe, 1, count_hazard, &second_hazards);
  EXPECT_EQ(first_hazards, 0);
  EXPECT_EQ(second_hazards, 1);
  close_pipe(&pipe);
}
