/* A trace reads back as it was written. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/ct.h"
#include "tests/traces/made.h"

CT_FREES(struct trace, trace_close)
CT_FREES(struct trace_warp, trace_warp_free)

static void round_trip(const struct made *made) {
  const char *path = made_path("round");
  struct message error;
  made_write(made, path, false);
  struct trace *trace = trace_open(path, TRACE_WHOLE, &error);
  ct_note("%s", error.text);
  if (EXPECT_TRUE(trace != NULL)) {
    EXPECT_EQ(made_check(made, trace, false), (uint64_t)made->groups * made->warps * made->operations);
    EXPECT_STREQ(trace_meta(trace, "machine", NULL), "of a test");
    trace_close(trace);
  }
  unlink(path);
}

TEST(round_trip, operations_survive_a_round_trip) {
  static const uint32_t lanes[] = {1, 16, 32, 33, 64};
  for (unsigned i = 0; i < 40; i++)
    round_trip(&(struct made){.seed = 1 + i,
                              .lanes = lanes[i % 5],
                              .groups = 1 + i % 7,
                              .warps = 1 + i % 4,
                              .operations = 1 + i * 37,
                              .wild = i % 3 * 20});
}

TEST(round_trip, streams_of_many_blocks_survive_a_round_trip) {
  round_trip(&(struct made){.seed = 77, .lanes = 32, .groups = 9, .warps = 3, .operations = 5000, .wild = 60});
}

TEST(round_trip, the_order_of_compute_units_does_not_change_the_bytes) {
  const struct made made = {.seed = 8, .lanes = 16, .groups = 21, .warps = 3, .operations = 2000, .wild = 40};
  const char *path = made_path("order");
  size_t size, other;
  made_write(&made, path, false);
  ct_freed(ct_free) uint8_t *forwards = made_read(path, &size);
  made_write(&made, path, true);
  ct_freed(ct_free) uint8_t *backwards = made_read(path, &other);
  EXPECT_EQ(size, other);
  EXPECT_TRUE(size == other && memcmp(forwards, backwards, size) == 0);
  EXPECT_GT(size, 2 * TRACE_BLOCK_BYTES);
  unlink(path);
}

TEST(round_trip, batches_report_which_warps_have_operations_and_when) {
  const struct made made = {.seed = 8, .lanes = 32, .groups = 6, .warps = 2, .operations = 4000, .wild = 50};
  const char *path = made_path("batches");
  struct message error;
  uint64_t operations = 0;
  made_write(&made, path, false);
  ct_freed(trace_close_at) struct trace *trace = trace_open(path, TRACE_WHOLE, &error);
  struct trace_batch batch, before = {0};
  EXPECT_GT(trace_batches(trace), made.groups);
  for (uint32_t i = 0; i < trace_batches(trace); i++) {
    ct_note("batch %u", i);
    ASSERT_TRUE(trace_batch(trace, i, &batch, &error));
    EXPECT_EQ(batch.warps, made.warps);
    EXPECT_LE(batch.from, batch.to);
    const bool next = i && batch.group != before.group;
    EXPECT_EQ(before.last, next);
    EXPECT_TRUE(!i || next || batch.from == before.to);
    EXPECT_LE(batch.cu, 1);
    operations += batch.operations;
    before = batch;
  }
  EXPECT_TRUE(before.last);
  EXPECT_EQ(operations, made.groups * made.warps * made.operations);
  unlink(path);
}

/* Decoders in the middle of their streams do not disturb each other. */
TEST(round_trip, warps_can_be_read_in_parallel) {
  enum { GROUPS = 5, WARPS = 3 };
  const struct made made = {.seed = 9, .lanes = 32, .groups = GROUPS, .warps = WARPS, .operations = 3000, .wild = 50};
  const char *path = made_path("side");
  struct message error;
  made_write(&made, path, false);
  ct_freed(trace_close_at) struct trace *trace = trace_open(path, TRACE_WHOLE, &error);
  struct trace_warp *warps[GROUPS * WARPS];
  uint32_t pcs[GROUPS * WARPS], left = GROUPS * WARPS;
  uint64_t operations = 0;
  for (unsigned i = 0; i < GROUPS * WARPS; i++) {
    warps[i] = trace_warp_new(trace);
    ASSERT_TRUE(trace_warp_start(warps[i], 0, i / WARPS, i % WARPS, &pcs[i]));
  }
  while (left) {
    left = 0;
    for (unsigned i = 0; i < GROUPS * WARPS; i++) {
      struct trace_op op;
      if (!trace_decode(warps[i], &op))
        continue;
      ct_note("warp %u of group %u", i % WARPS, i / WARPS);
      ASSERT_EQ(op.pc, pcs[i]);
      pcs[i] = op.next;
      operations++;
      left++;
    }
  }
  EXPECT_EQ(operations, GROUPS * WARPS * made.operations);
  for (unsigned i = 0; i < GROUPS * WARPS; i++)
    trace_warp_free(warps[i]);
  unlink(path);
}

/* ---- several threads ------------------------------------------------------------------------------ */

enum { READ_GROUPS = 6, READ_WARPS = 3, READERS = 3 };

static uint64_t mix(uint64_t hash, uint64_t value) { return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15); }

/* Combines all operations of the trace in one number. */
static uint64_t read_all_streams(struct trace *trace) {
  ct_freed(trace_warp_free_at) struct trace_warp *warp = trace_warp_new(trace);
  struct trace_op op;
  uint64_t hash = 1;
  for (uint32_t i = 0; i < READ_GROUPS * READ_WARPS; i++) {
    uint32_t pc = 0;
    hash = mix(hash, trace_warp_start(warp, 0, i / READ_WARPS, i % READ_WARPS, &pc));
    while (trace_decode(warp, &op))
      hash = mix(mix(mix(hash, op.pc), op.mask), op.next);
  }
  return hash;
}

struct reading {
  const struct trace *of;
  uint64_t hash;
  bool failed;
};

static void *read_beside(void *self) {
  struct reading *reading = self;
  ct_freed(trace_close_at) struct trace *own = trace_share(reading->of);
  reading->hash = read_all_streams(own);
  reading->failed = trace_failed(own);
  return NULL;
}

TEST(round_trip, threads_can_read_one_trace_in_parallel) {
  const struct made made = {
      .seed = 21, .lanes = 32, .groups = READ_GROUPS, .warps = READ_WARPS, .operations = 4000, .wild = 40};
  const char *path = made_path("threads");
  struct message error;
  made_write(&made, path, false);
  ct_freed(trace_close_at) struct trace *trace = trace_open(path, TRACE_WHOLE, &error);
  unlink(path);
  struct reading reading[READERS];
  pthread_t thread[READERS];
  for (unsigned i = 0; i < READERS; i++) {
    reading[i] = (struct reading){.of = trace};
    ASSERT_EQ(pthread_create(&thread[i], NULL, read_beside, &reading[i]), 0);
  }
  const uint64_t expected = read_all_streams(trace);
  for (unsigned i = 0; i < READERS; i++) {
    pthread_join(thread[i], NULL);
    EXPECT_EQ(reading[i].hash, expected);
    EXPECT_TRUE(!reading[i].failed);
  }
  EXPECT_STREQ(trace_meta(trace, "machine", NULL), "of a test"); /* shared data are still there */
}

TEST(round_trip, an_error_belongs_to_the_reader_that_met_it) {
  const struct made made = {
      .seed = 22, .lanes = 32, .groups = READ_GROUPS, .warps = READ_WARPS, .operations = 4000, .wild = 40};
  const char *path = made_path("failure");
  struct message error;
  made_write(&made, path, false);
  struct trace *trace = trace_open(path, TRACE_WHOLE, &error), *other = trace_share(trace);
  size_t size = 0;
  ct_freed(ct_free) uint8_t *bytes = made_read(path, &size);
  const uint64_t expected = read_all_streams(other);
  memset(bytes + size / 3, 0, size / 3); /* of blocks of operations */
  made_put(path, bytes, size);
  read_all_streams(trace);
  EXPECT_TRUE(trace_failed(trace) != NULL);
  EXPECT_TRUE(!trace_failed(other));
  EXPECT_EQ(read_all_streams(other), expected); /* from its own blocks */
  trace_close(other);
  trace_close(trace);
  unlink(path);
}

/* Whether two files have the same bytes. */
static bool same_bytes(const char *path, const char *other) {
  size_t size, other_size;
  uint8_t *one = made_read(path, &size), *two = made_read(other, &other_size);
  const bool same = size == other_size && memcmp(one, two, size) == 0;
  free(one);
  free(two);
  return same;
}

/* A second path for the test; the caller frees it. */
static char *beside(const char *path) {
  char *other = malloc(strlen(path) + 7);
  strcpy(other, path);
  return strcat(other, ".again");
}

/* A writer that has the same description of the run as the trace. */
static struct trace_writer *writer_like(const struct trace *trace, const char *path) {
  struct message error;
  struct trace_writer *writer = trace_writer_open(path, &error);
  uint32_t count;
  const uint8_t *kinds = trace_program(trace, 0, &count);
  trace_write_meta(writer, "machine", "of a test", 9);
  trace_write_program(writer, kinds, count);
  trace_write_launch(writer, trace_launch(trace, 0));
  return writer;
}

TEST(round_trip, a_decoded_trace_is_rewritten_to_the_same_bytes) {
  const struct made made = {.seed = 10, .lanes = 32, .groups = 1, .warps = 1, .operations = 900, .wild = 50};
  const char *path = made_path("first");
  ct_freed(ct_free) char *again = beside(path);
  struct message error;
  made_write(&made, path, false);
  ct_freed(trace_close_at) struct trace *trace = trace_open(path, TRACE_WHOLE, &error);
  struct trace_writer *writer = writer_like(trace, again);
  struct trace_group *group = trace_group_begin(writer, 0, 0, 1, 0, 0);
  ct_freed(trace_warp_free_at) struct trace_warp *warp = trace_warp_new(trace);
  struct trace_op op;
  uint32_t pc;
  cycle_t now = 0;
  ASSERT_TRUE(trace_warp_start(warp, 0, 0, 0, &pc));
  trace_warp_begin(group, 0, pc);
  for (; trace_decode(warp, &op); now++)
    trace_encode(group, 0, now, &op);
  trace_group_end(group, now - 1);
  trace_write_meta(writer, "last", "", 0);
  EXPECT_TRUE(trace_writer_close(writer, &error));
  EXPECT_TRUE(same_bytes(path, again));
  unlink(path);
  unlink(again);
}

TEST(round_trip, batches_are_copied_byte_for_byte_in_file_order) {
  const struct made made = {.seed = 12, .lanes = 32, .groups = 9, .warps = 2, .operations = 3000, .wild = 50};
  const char *path = made_path("copied");
  ct_freed(ct_free) char *again = beside(path);
  struct message error;
  made_write(&made, path, false);
  ct_freed(trace_close_at) struct trace *trace = trace_open(path, TRACE_WHOLE, &error);
  struct trace_writer *writer = writer_like(trace, again);
  const uint32_t *order = trace_file_order(trace);
  for (uint32_t i = 0; i < trace_batches(trace); i++) {
    struct trace_batch batch;
    ASSERT_TRUE(trace_batch(trace, order[i], &batch, &error));
    trace_writer_settle(writer, batch.to);
    EXPECT_TRUE(trace_write_batch(writer, trace, order[i], 0, batch.group, 0, &error));
  }
  trace_writer_settle(writer, NEVER);
  trace_write_meta(writer, "last", "", 0);
  EXPECT_TRUE(trace_writer_close(writer, &error));
  EXPECT_TRUE(same_bytes(path, again));
  unlink(path);
  unlink(again);
}

TEST(round_trip, selected_work_groups_make_a_valid_trace) {
  const struct made made = {.seed = 13, .lanes = 32, .groups = 9, .warps = 2, .operations = 3000, .wild = 50};
  const char *path = made_path("whole");
  ct_freed(ct_free) char *again = beside(path);
  struct message error;
  made_write(&made, path, false);
  ct_freed(trace_close_at) struct trace *trace = trace_open(path, TRACE_WHOLE, &error);
  struct trace_writer *writer = writer_like(trace, again);
  const uint32_t *order = trace_file_order(trace);
  uint64_t operations = 0;
  for (uint32_t i = 0; i < trace_batches(trace); i++) {
    struct trace_batch batch;
    ASSERT_TRUE(trace_batch(trace, order[i], &batch, &error));
    if (batch.group % 2)
      EXPECT_TRUE(trace_write_batch(writer, trace, order[i], 0, batch.group, 1000, &error));
    operations += batch.group % 2 ? batch.operations : 0;
  }
  EXPECT_TRUE(trace_writer_close(writer, &error));
  EXPECT_TRUE(trace_validate(again, &error));
  ct_freed(trace_close_at) struct trace *part = trace_open(again, TRACE_WHOLE, &error);
  EXPECT_EQ(made_check(&made, part, true), operations);
  EXPECT_EQ(operations, 4 * made.warps * made.operations);
  unlink(path);
  unlink(again);
}

TEST(round_trip, a_batch_that_ends_after_the_last_cycle_is_refused) {
  const struct made made = {.seed = 3, .lanes = 32, .groups = 1, .warps = 1, .operations = 10, .wild = 0};
  const char *path = made_path("late");
  ct_freed(ct_free) char *again = beside(path);
  made_write(&made, path, false);
  for (unsigned left = 0; left < 2; left++) {
    struct message error;
    struct trace_batch batch;
    ct_freed(trace_close_at) struct trace *trace = trace_open(path, TRACE_WHOLE, &error);
    struct trace_writer *writer = writer_like(trace, again);
    ASSERT_TRUE(trace_batch(trace, 0, &batch, &error));
    EXPECT_GT(batch.to, batch.from + 1);
    EXPECT_TRUE(
        trace_write_batch(writer, trace, 0, 0, batch.group, NEVER - 1 - (left ? batch.to : batch.from), &error));
    EXPECT_TRUE(trace_writer_close(writer, &error));
    EXPECT_EQ(trace_validate(again, &error), left == 1);
  }
  unlink(path);
  unlink(again);
}

/* Adds an operation's contents to a hash, number by number. */
static uint64_t digest(uint64_t sum, const struct trace_op *op, unsigned lanes) {
  const struct trace_kind_row *row = &trace_kind_rows[op->kind];
  uint64_t numbers[8 + TRACE_FIELDS + TRACE_VECTORS * TRACE_LANES + 3] = {op->pc,    op->next, op->mask,
                                                                          op->flags, op->kind, op->notes};
  size_t count = 6;
  for (unsigned i = 0; op->mask && i < row->fields; i++)
    numbers[count++] = op->field[i];
  for (unsigned i = 0; row->vectors > i && trace_lanes(op); i++) {
    uint64_t value[TRACE_LANES];
    trace_spread(&op->vector[i], lanes, value);
    for (uint64_t left = trace_lanes(op); left; left &= left - 1)
      numbers[count++] = value[__builtin_ctzll(left)];
  }
  for (unsigned i = 0; op->notes && i < 3; i++)
    numbers[count++] = op->note->value[i];
  for (size_t i = 0; i < count; i++)
    sum = (sum ^ numbers[i]) * UINT64_C(0x100000001b3);
  return sum;
}

/* tests/traces/version1.wwt was written when version 1 was current: 2 groups of 2 warps, 60 operations each, half of
 * them wild. */
TEST(round_trip, files_of_version_1_stay_readable) {
  struct message error;
  ct_freed(trace_close_at) struct trace *trace = trace_open("tests/traces/version1.wwt", TRACE_WHOLE, &error);
  ct_note("%s", error.text);
  ASSERT_TRUE(trace != NULL);
  ct_freed(trace_warp_free_at) struct trace_warp *warp = trace_warp_new(trace);
  uint64_t sum = 0, operations = 0;
  for (uint32_t i = 0; i < 4; i++) {
    struct trace_op op;
    uint32_t pc;
    ASSERT_TRUE(trace_warp_start(warp, 0, i / 2, i % 2, &pc));
    for (; trace_decode(warp, &op); operations++)
      sum = digest(sum, &op, trace_launch(trace, 0)->lanes);
  }
  EXPECT_TRUE(trace_failed(trace) == NULL);
  EXPECT_EQ(operations, 240);
  EXPECT_EQ(sum, UINT64_C(0xcb4694c4ad8ac33c));
}
