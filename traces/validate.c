/* All of a file is read, and every stream decoded. */
#include "traces/reader.h"

/* Each operation of the group's warps. Returns how many; the trace says whether something was wrong. */
static uint64_t decode_group(struct trace *trace, struct trace_warp *warp, uint32_t launch, uint32_t group) {
  uint32_t warps = 0, pc;
  uint64_t operations = 0;
  trace_group_warps(trace, launch, group, &warps);
  for (uint32_t i = 0; i < warps; i++) {
    struct trace_op op;
    if (trace_warp_start(warp, launch, group, i, &pc))
      while (trace_decode(warp, &op))
        operations++;
  }
  return operations;
}

static void decode_all(struct trace *trace) {
  struct trace_warp *warp = trace_warp_new(trace);
  uint64_t operations = 0;
  if (!warp)
    block_expected(&trace->in, 0, "memory for a decoder", "none");
  for (uint32_t i = 0; warp && i < trace->row_count && !trace->in.failed; i++) {
    const struct reader_row *row = &trace->rows[i];
    if (!i || row[-1].launch != row->launch || row[-1].group != row->group)
      operations += decode_group(trace, warp, row->launch, row->group);
  }
  if (!trace->in.failed && operations != trace->operations)
    block_expected(&trace->in, trace->in.size - BLOCK_END_BYTES + 24, "the count of operations",
                   "%llu operations, where %llu are told", (unsigned long long)operations,
                   (unsigned long long)trace->operations);
  trace_warp_free(warp);
}

/* What the index says against what was found without it. */
static void compare(struct trace *whole, const struct trace *found) {
  bool same = whole->row_count == found->row_count && whole->operations == found->operations &&
              whole->meta_count == found->meta_count && whole->program_count == found->program_count &&
              whole->launch_count == found->launch_count;
  for (uint32_t i = 0; same && i < whole->row_count; i++)
    same = whole->rows[i].launch == found->rows[i].launch && whole->rows[i].group == found->rows[i].group &&
           whole->rows[i].block == found->rows[i].block && whole->rows[i].place == found->rows[i].place;
  if (!same)
    block_expected(&whole->in, whole->offsets[whole->blocks], "an index of what the blocks hold", "another");
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
    decode_all(whole);
  const bool good = !whole->in.failed;
  *error = whole->in.error;
  trace_close(whole);
  return good;
}
