/* Damaged files: each is reported with the place of the damage, or read up to it. No damage crashes the reader or
 * changes the content. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/ct.h"
#include "tests/traces/made.h"
#include "traces/block.h"

CT_FREES(struct trace, trace_close)

static const struct made small = {.seed = 5, .lanes = 32, .groups = 9, .warps = 3, .operations = 3000, .wild = 30};

/* The bytes of a complete trace. */
static uint8_t *whole(const struct made *made, const char *path, size_t *size) {
  made_write(made, path, false);
  return made_read(path, size);
}

static uint64_t offset_of(const struct message *error) {
  return strtoull(strstr(error->text, ": offset ") + strlen(": offset "), NULL, 10);
}

/* The damage must be reported with a file offset, and the salvaged part must equal what was made. Returns its
 * operations. */
static uint64_t told_and_salvaged(const struct made *made, const char *path, size_t size) {
  struct message error;
  EXPECT_FALSE(trace_validate(path, &error));
  EXPECT_CONTAINS(error.text, ": offset ");
  EXPECT_CONTAINS(error.text, ": expected ");
  EXPECT_CONTAINS(error.text, ", found ");
  EXPECT_LE(offset_of(&error), size);
  ct_freed(trace_close_at) struct trace *trace = trace_open(path, TRACE_SALVAGE, &error);
  if (!trace) { /* the file's header is damaged */
    EXPECT_LT(offset_of(&error), FILE_HEADER);
    return 0;
  }
  EXPECT_CONTAINS(error.text, ", found ");
  return trace_launches(trace) ? made_check(made, trace, true) : 0;
}

TEST(damage, a_whole_trace_is_valid) {
  const char *path = made_path("whole");
  struct message error;
  made_write(&small, path, false);
  EXPECT_TRUE(trace_validate(path, &error));
  EXPECT_STREQ(error.text, "");
  ct_freed(trace_close_at) struct trace *trace = trace_open(path, TRACE_SALVAGE, &error);
  EXPECT_STREQ(error.text, "");
  EXPECT_EQ(made_check(&small, trace, false), small.groups * small.warps * small.operations);
  unlink(path);
}

TEST(damage, a_trace_cut_at_any_block_is_reported_and_read_up_to_the_cut) {
  const char *path = made_path("cut");
  size_t size;
  ct_freed(ct_free) uint8_t *bytes = whole(&small, path, &size);
  uint64_t before = 0;
  unsigned blocks = 0;
  for (size_t at = FILE_HEADER; at < size; at += BLOCK_HEADER + get32(bytes + at + 16), blocks++) {
    made_put(path, bytes, at);
    const uint64_t operations = told_and_salvaged(&small, path, at);
    ct_note("cut at %zu", at);
    EXPECT_GE(operations, before);
    before = operations;
  }
  EXPECT_GT(blocks, 10);
  EXPECT_EQ(before, small.groups * small.warps * small.operations);
  unlink(path);
}

/* A small trace has one block of data: the work-group at the cut and those after it are lost. */
TEST(damage, a_truncated_data_block_is_read_up_to_its_last_whole_batch) {
  const struct made made = {.seed = 7, .lanes = 32, .groups = 40, .warps = 2, .operations = 30, .wild = 30};
  const uint64_t all = made.groups * made.warps * made.operations;
  const char *path = made_path("within");
  size_t size, from = FILE_HEADER;
  ct_freed(ct_free) uint8_t *bytes = whole(&made, path, &size);
  while (get32(bytes + from) != BLOCK_DATA)
    from += BLOCK_HEADER + get32(bytes + from + 16);
  const size_t to = from + BLOCK_HEADER + get32(bytes + from + 16);
  uint64_t before = 0;
  for (unsigned part = 0; part <= 8; part++) {
    const size_t at = from + (to - from) * part / 8;
    made_put(path, bytes, at);
    ct_note("cut at %zu, of %zu to %zu", at, from, to);
    const uint64_t operations = told_and_salvaged(&made, path, at);
    if (part > 1)
      EXPECT_GT(operations, before);
    if (part < 8)
      EXPECT_LT(operations, all);
    before = operations;
  }
  EXPECT_EQ(before, all);
  unlink(path);
}

TEST(damage, a_trace_cut_anywhere_is_reported) {
  const char *path = made_path("anywhere");
  uint64_t state = 3;
  size_t size;
  ct_freed(ct_free) uint8_t *bytes = whole(&small, path, &size);
  for (unsigned i = 0; i < 200; i++) {
    const size_t at = i < 64 ? i : i < 128 ? size - 1 - (i - 64) : ct_random(&state) % size;
    made_put(path, bytes, at);
    ct_note("cut at %zu", at);
    told_and_salvaged(&small, path, at);
  }
  unlink(path);
}

TEST(damage, a_flipped_bit_is_reported) {
  const struct made made = {.seed = 6, .lanes = 32, .groups = 5, .warps = 2, .operations = 300, .wild = 30};
  const char *path = made_path("bit");
  uint64_t state = 4;
  size_t size;
  ct_freed(ct_free) uint8_t *bytes = whole(&made, path, &size);
  for (unsigned i = 0; i < 1000; i++) {
    const size_t bit = i < 8 * 60 ? i : ct_random(&state) % (8 * size);
    bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    made_put(path, bytes, size);
    ct_note("bit %zu of byte %zu", bit % 8, bit / 8);
    told_and_salvaged(&made, path, size);
    bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
  }
  unlink(path);
}

TEST(damage, bytes_after_the_end_are_reported) {
  const char *path = made_path("longer");
  size_t size;
  ct_freed(ct_free) uint8_t *bytes = whole(&small, path, &size);
  bytes[size] = 0;
  made_put(path, bytes, size + 1);
  told_and_salvaged(&small, path, size + 1);
  unlink(path);
}

TEST(damage, files_that_are_not_traces_are_reported) {
  static const struct {
    const char *bytes, *told;
  } files[] = {
      {"", "offset 0: expected a trace's header of 16 bytes, found a file of 0"},
      {"{\"kernel\": \"add\", \"global\": [64]}", "offset 0: expected a trace (89 57 57 54 0d 0a 1a 0a), found 7b 22"},
  };
  const char *path = made_path("none");
  struct message error;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    made_put(path, (const uint8_t *)files[i].bytes, strlen(files[i].bytes));
    EXPECT_TRUE(trace_open(path, TRACE_WHOLE, &error) == NULL);
    EXPECT_CONTAINS(error.text, files[i].told);
    EXPECT_FALSE(trace_validate(path, &error));
  }
  unlink(path);
  EXPECT_TRUE(trace_open(path, TRACE_WHOLE, &error) == NULL);
  EXPECT_CONTAINS(error.text, "cannot be read: No such file");
  EXPECT_TRUE(trace_open("/", TRACE_WHOLE, &error) == NULL);
  EXPECT_CONTAINS(error.text, "cannot be read: ");
}

/* ---- recorders that do not finish ------------------------------------------------------------ */

/* A writer that has written part of the made trace. */
static struct trace_writer *half(const char *path) {
  struct message error;
  struct trace_writer *writer = trace_writer_open(path, &error);
  uint8_t kinds[MADE_PCS];
  if (!writer)
    return NULL;
  made_kinds(&small, kinds);
  trace_write_program(writer, kinds, MADE_PCS);
  trace_write_launch(writer, &(struct trace_launch){0, small.lanes, small.groups, small.warps});
  ct_freed(ct_free) struct made_warp *warp = malloc(sizeof *warp);
  for (uint32_t number = 0; number < small.groups; number++) {
    struct trace_group *group = trace_group_begin(writer, 0, number, small.warps, 0, number);
    for (uint32_t i = 0; i < small.warps; i++) {
      made_start(warp, &small, kinds, number, i);
      trace_warp_begin(group, i, warp->op.next);
      while (made_next(warp))
        trace_encode(group, i, number, &warp->op);
    }
    if (number + 1 < small.groups)
      trace_group_end(group, number);
    trace_writer_settle(writer, number);
  }
  return writer;
}

TEST(damage, a_killed_recorder_leaves_what_it_has_written) {
  const char *path = made_path("killed");
  struct message error;
  trace_writer_abandon(half(path));
  EXPECT_FALSE(trace_validate(path, &error));
  ct_freed(trace_close_at) struct trace *trace = trace_open(path, TRACE_SALVAGE, &error);
  EXPECT_CONTAINS(error.text, "expected a block's header of 28 bytes, found the end of the file after 0");
  EXPECT_GT(made_check(&small, trace, true), small.warps * small.operations);
  unlink(path);
}

TEST(damage, a_run_that_ends_early_leaves_a_complete_trace) {
  const char *path = made_path("early");
  struct message error;
  EXPECT_TRUE(trace_writer_close(half(path), &error));
  EXPECT_TRUE(trace_validate(path, &error));
  unlink(path);
}

TEST(damage, a_full_disk_is_reported_and_keeps_what_was_written) {
  const char *path = made_path("full");
  struct message error;
  struct rlimit before, limit;
  getrlimit(RLIMIT_FSIZE, &before);
  limit = before;
  limit.rlim_cur = 200000;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limit);
  struct trace_writer *writer = half(path);
  EXPECT_FALSE(trace_writer_good(writer));
  EXPECT_FALSE(trace_writer_close(writer, &error));
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_DFL);
  EXPECT_CONTAINS(error.text, "offset 200000: cannot be written: File too large");
  ct_freed(trace_close_at) struct trace *trace = trace_open(path, TRACE_SALVAGE, &error);
  EXPECT_CONTAINS(error.text, ", found ");
  EXPECT_GT(made_check(&small, trace, true), small.warps * small.operations);
  unlink(path);
}

TEST(damage, a_full_device_is_reported) {
  struct message error;
  struct trace_writer *writer = trace_writer_open("/dev/full", &error);
  EXPECT_TRUE(writer == NULL);
  EXPECT_CONTAINS(error.text, "/dev/full: cannot be written: No space left on device");
  EXPECT_TRUE(trace_writer_open("/nonexistent/trace.wwt", &error) == NULL);
  EXPECT_CONTAINS(error.text, "cannot be written: No such file");
}
