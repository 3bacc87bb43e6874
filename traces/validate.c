/* All of a file is read, and every stream decoded. */
#include "traces/reader.h"

/* Each operation of a warp. Returns how many; the trace says whether something was wrong. */
static uint64_t decode_warp(struct trace_warp *warp, const struct reader_row *row, uint32_t index) {
  uint64_t operations = 0;
  uint32_t pc;
  struct trace_op op;
  if (trace_warp_start(warp, row->launch, row->group, index, &pc))
    while (trace_decode(warp, &op))
      operations++;
  return operations;
}

/* Warps of a work-group that were seen, and of them those seen first in the batch that is looked at. */
struct warps {
  bool seen[TRACE_WARPS];
  uint32_t first[TRACE_WARPS], count;
};

/* The streams that begin in the batch of a row. */
static uint64_t decode_batch(struct trace *trace, struct trace_warp *warp, const struct reader_row *row,
                             struct warps *warps) {
  struct reader_batch batch;
  struct reader_piece piece;
  uint64_t operations = 0;
  warps->count = 0;
  if (!reader_load(trace, row, &batch))
    return 0;
  while (reader_piece(&batch, &piece)) {
    if (!warps->seen[piece.warp])
      warps->first[warps->count++] = piece.warp;
    warps->seen[piece.warp] = true;
  }
  for (uint32_t i = 0; i < warps->count; i++)
    operations += decode_warp(warp, row, warps->first[i]);
  return operations;
}

/* Of a prefix nobody has told how many operations there are. */
static void decode_all(struct trace *trace, bool prefix) {
  struct trace_warp *warp = trace_warp_new(trace);
  struct warps *warps = malloc(sizeof *warps);
  uint64_t operations = 0;
  if (!warp || !warps)
    block_expected(&trace->in, 0, "memory for a decoder", "none");
  for (uint32_t i = 0; i < trace->row_count && !trace->in.failed; i++) {
    const struct reader_row *row = &trace->rows[i];
    if (!i || row[-1].launch != row->launch || row[-1].group != row->group)
      memset(warps->seen, 0, trace->launches[row->launch].warps);
    operations += decode_batch(trace, warp, row, warps);
  }
  if (!trace->in.failed && !prefix && operations != trace->operations)
    block_expected(&trace->in, trace->in.size - BLOCK_END_BYTES + 24, "the count of operations",
                   "%llu operations, where %llu are told", (unsigned long long)operations,
                   (unsigned long long)trace->operations);
  free(warps);
  trace_warp_free(warp);
}

/* What the index says against what was found without it. */
static void compare(struct trace *whole, const struct trace *found) {
  bool same = whole->row_count == found->row_count && whole->operations == found->operations &&
              whole->in.meta_count == found->in.meta_count && whole->program_count == found->program_count &&
              whole->launch_count == found->launch_count;
  for (uint32_t i = 0; same && i < whole->row_count; i++)
    same = whole->rows[i].launch == found->rows[i].launch && whole->rows[i].group == found->rows[i].group &&
           whole->rows[i].block == found->rows[i].block && whole->rows[i].place == found->rows[i].place;
  if (!same)
    block_expected(&whole->in, whole->in.offsets[whole->in.blocks], "an index of what the blocks hold", "another");
}

bool trace_validate(const char *path, struct trace_error *error) {
  struct trace *found = trace_open(path, TRACE_SALVAGE, error);
  if (!found)
    return false;
  struct trace *whole = error->text[0] ? NULL : trace_open(path, TRACE_WHOLE, error);
  if (whole)
    compare(whole, found);
  trace_close(found);
  if (!whole)
    return false;
  if (!whole->in.failed)
    decode_all(whole, false);
  const bool good = !whole->in.failed;
  *error = whole->in.error;
  trace_close(whole);
  return good;
}

bool trace_validate_prefix(const char *path, struct trace_error *damage, struct trace_error *error) {
  struct trace *trace = trace_open(path, TRACE_SALVAGE, damage);
  *error = *damage;
  if (!trace)
    return false;
  decode_all(trace, true);
  const bool good = !trace->in.failed;
  *error = trace->in.error;
  trace_close(trace);
  return good;
}
