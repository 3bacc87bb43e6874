/* Walks over all operations of a trace, in the order of its batches. */
#include "sim/base/need.h"
#include "sim/base/vector.h"
#include "traces/reader.h"

/* A work-group with some batches behind the walk and some still ahead. */
struct walked_group {
  uint32_t launch, group;
  size_t warps;             /* length of `warp`: more than the highest warp that had a piece */
  struct trace_warp **warp; /* NULL: no piece so far */
};

struct trace_walk {
  struct trace *trace;
  uint32_t next; /* index in the file order of the batch after the current one */
  uint32_t row;
  struct reader_batch batch; /* the current batch, if there `is` one */
  bool is;
  struct walked_group *groups;
  size_t group_count, group_room;
  struct trace_warp **unused;
  size_t unused_count, unused_room;
};

struct trace_walk *trace_walk_new(struct trace *trace) {
  struct trace_walk *walk = need(1, sizeof *walk);
  walk->trace = trace;
  return walk;
}

void trace_walk_free(struct trace_walk *walk) {
  if (!walk)
    return;
  for (size_t i = 0; i < walk->group_count; i++) {
    for (size_t w = 0; w < walk->groups[i].warps; w++)
      trace_warp_free(walk->groups[i].warp[w]);
    free(walk->groups[i].warp);
  }
  for (size_t i = 0; i < walk->unused_count; i++)
    trace_warp_free(walk->unused[i]);
  free(walk->groups);
  free(walk->unused);
  free(walk);
}

/* Whether the current row is the last of its group. Rows of a group are adjacent. */
static bool is_last(const struct trace_walk *walk) {
  const struct trace *trace = walk->trace;
  const struct reader_row *row = &trace->rows[walk->row];
  return walk->row + 1 == trace->row_count || row[1].launch != row->launch || row[1].group != row->group;
}

static struct walked_group *find_group(struct trace_walk *walk) {
  const struct reader_row *row = &walk->trace->rows[walk->row];
  for (size_t i = 0; i < walk->group_count; i++)
    if (walk->groups[i].launch == row->launch && walk->groups[i].group == row->group)
      return &walk->groups[i];
  struct walked_group *group = vector_next(walk->groups, walk->group_count, walk->group_room);
  *group = (struct walked_group){.launch = row->launch, .group = row->group};
  return group;
}

/* The group has no more batches: its decoders are reused. */
static bool end_group(struct trace_walk *walk) {
  struct walked_group *group = find_group(walk);
  bool good = true;
  for (size_t i = 0; i < group->warps; i++)
    if (group->warp[i]) {
      good = good && reader_warp_end(group->warp[i]);
      *vector_next(walk->unused, walk->unused_count, walk->unused_room) = group->warp[i];
    }
  free(group->warp);
  *group = walk->groups[--walk->group_count];
  return good;
}

static bool next_batch(struct trace_walk *walk) {
  struct trace *trace = walk->trace;
  if (walk->is && is_last(walk) && !end_group(walk))
    return false;
  walk->is = false;
  const uint32_t *order = trace_file_order(trace);
  if (walk->next == trace->row_count || trace->in.failed)
    return false;
  walk->row = order[walk->next++];
  walk->is = reader_load(trace, &trace->rows[walk->row], &walk->batch);
  return walk->is;
}

/* The decoder of a warp, at the beginning of a piece in the current batch. */
static struct trace_warp *decoder_at(struct trace_walk *walk, uint32_t index) {
  struct walked_group *group = find_group(walk);
  size_t room = group->warps;
  uint32_t pc;
  group->warp = vector_room(group->warp, &room, index + 1u, sizeof(struct trace_warp *));
  while (group->warps < room)
    group->warp[group->warps++] = NULL;
  struct trace_warp **warp = &group->warp[index];
  if (*warp) {
    reader_warp_skip(*warp, walk->row);
    return *warp;
  }
  *warp = walk->unused_count ? walk->unused[--walk->unused_count] : trace_warp_new(walk->trace);
  return reader_warp_start(*warp, group->launch, group->group, index, walk->row, &pc) ? *warp : NULL;
}

bool trace_walk_next(struct trace_walk *walk, struct trace_piece *piece) {
  struct reader_piece next;
  while (!walk->is || !reader_piece(&walk->batch, &next))
    if (!next_batch(walk))
      return false;
  const struct reader_row *row = &walk->trace->rows[walk->row];
  *piece = (struct trace_piece){row->launch, row->group, next.warp, next.operations, decoder_at(walk, next.warp)};
  return piece->decoder;
}
