/* Walks over all operations of a trace, in the order of its batches. */
#include "traces/reader.h"

/* A work-group with some batches behind the walk and some still ahead. */
struct walked_group {
  uint32_t launch, group;
  uint32_t warps;           /* length of `warp`: one more than the highest warp that had a piece */
  struct trace_warp **warp; /* NULL: no piece so far */
};

struct trace_walk {
  struct trace *trace;
  uint32_t next; /* index in the file order of the batch after the current one */
  uint32_t row;
  struct reader_batch batch; /* the current batch, if there `is` one */
  bool is;
  struct walked_group *groups;
  uint32_t group_count, group_room;
  struct trace_warp **unused;
  uint32_t unused_count, unused_room;
};

struct trace_walk *trace_walk_new(struct trace *trace) {
  struct trace_walk *walk = calloc(1, sizeof *walk);
  if (walk)
    walk->trace = trace;
  return walk;
}

void trace_walk_free(struct trace_walk *walk) {
  if (!walk)
    return;
  for (uint32_t i = 0; i < walk->group_count; i++) {
    for (uint32_t w = 0; w < walk->groups[i].warps; w++)
      trace_warp_free(walk->groups[i].warp[w]);
    free(walk->groups[i].warp);
  }
  for (uint32_t i = 0; i < walk->unused_count; i++)
    trace_warp_free(walk->unused[i]);
  free(walk->groups);
  free(walk->unused);
  free(walk);
}

static bool memory_out(struct trace_walk *walk) {
  return block_expected(&walk->trace->in, 0, "memory for the decoders of resident work-groups", "none");
}

/* Makes room for `count` elements in the array that `array` points to. */
static bool grow(struct trace_walk *walk, void *array, uint32_t *room, uint32_t count, size_t size) {
  void *at;
  if (count <= *room)
    return true;
  const uint32_t more = count > 2 * *room ? count : 2 * *room;
  memcpy(&at, array, sizeof at);
  void *grown = realloc(at, more * size);
  if (!grown)
    return memory_out(walk);
  memcpy(array, &grown, sizeof grown);
  *room = more;
  return true;
}

/* Whether the current row is the last of its group. Rows of a group are adjacent. */
static bool is_last(const struct trace_walk *walk) {
  const struct trace *trace = walk->trace;
  const struct reader_row *row = &trace->rows[walk->row];
  return walk->row + 1 == trace->row_count || row[1].launch != row->launch || row[1].group != row->group;
}

static struct walked_group *find_group(struct trace_walk *walk) {
  const struct reader_row *row = &walk->trace->rows[walk->row];
  for (uint32_t i = 0; i < walk->group_count; i++)
    if (walk->groups[i].launch == row->launch && walk->groups[i].group == row->group)
      return &walk->groups[i];
  if (!grow(walk, &walk->groups, &walk->group_room, walk->group_count + 1, sizeof *walk->groups))
    return NULL;
  walk->groups[walk->group_count] = (struct walked_group){.launch = row->launch, .group = row->group};
  return &walk->groups[walk->group_count++];
}

/* The group has no more batches: its decoders are reused. */
static bool end_group(struct trace_walk *walk) {
  struct walked_group *group = find_group(walk);
  if (!group || !grow(walk, &walk->unused, &walk->unused_room, walk->unused_count + group->warps, sizeof(void *)))
    return false;
  bool good = true;
  for (uint32_t i = 0; i < group->warps; i++)
    if (group->warp[i]) {
      good = good && reader_warp_end(group->warp[i]);
      walk->unused[walk->unused_count++] = group->warp[i];
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
  if (!order)
    return memory_out(walk);
  walk->row = order[walk->next++];
  walk->is = reader_load(trace, &trace->rows[walk->row], &walk->batch);
  return walk->is;
}

/* The decoder of a warp, at the beginning of a piece in the current batch. */
static struct trace_warp *decoder_at(struct trace_walk *walk, uint32_t index) {
  struct walked_group *group = find_group(walk);
  uint32_t room = group ? group->warps : 0, pc;
  if (!group || !grow(walk, &group->warp, &room, index + 1, sizeof(void *)))
    return NULL;
  while (group->warps < room)
    group->warp[group->warps++] = NULL;
  struct trace_warp **warp = &group->warp[index];
  if (*warp) {
    reader_warp_skip(*warp, walk->row);
    return *warp;
  }
  *warp = walk->unused_count ? walk->unused[--walk->unused_count] : trace_warp_new(walk->trace);
  if (!*warp)
    memory_out(walk);
  return *warp && reader_warp_start(*warp, group->launch, group->group, index, walk->row, &pc) ? *warp : NULL;
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
