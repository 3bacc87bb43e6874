/* Validates a trace: reads the whole file and decodes every stream. */
#include "traces/reader.h"

/* Decodes the operations of a piece. Returns how many could be decoded. */
static uint64_t decode_piece_of(const struct trace_piece *piece) {
  struct trace_op op;
  uint64_t done = 0;
  while (done < piece->operations && (trace_decode_again(piece->decoder) || trace_decode(piece->decoder, &op)))
    done++;
  return done;
}

/* Decodes everything. For a prefix the total of operations is unknown. */
static void decode_all(struct trace *trace, bool prefix) {
  struct trace_walk *walk = trace_walk_new(trace);
  struct trace_piece piece;
  uint64_t operations = 0;
  if (!walk)
    block_expected(&trace->in, 0, "memory for a decoder", "none");
  while (walk && trace_walk_next(walk, &piece))
    operations += decode_piece_of(&piece);
  if (!trace->in.failed && !prefix && operations != trace->operations)
    block_expected(&trace->in, trace->in.size - BLOCK_END_BYTES + 24, "the count of operations",
                   "%llu operations instead of %llu", (unsigned long long)operations,
                   (unsigned long long)trace->operations);
  trace_walk_free(walk);
}

/* Compares the index with what was found without it. */
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

bool trace_validate(const char *path, struct message *error) {
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

bool trace_validate_prefix(const char *path, struct message *damage, struct message *error) {
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
