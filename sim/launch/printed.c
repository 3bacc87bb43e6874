/* Pieces are appended, and sorted at the end. When they reach twice the limit they are sorted at once, and those beyond
 * the limit are dropped, with all later pieces that sort after them. */
#include "sim/launch/printed.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"

void printed_free(struct printed *printed) {
  free(printed->text);
  *printed = (struct printed){0};
}

static int in_order(const void *left, const void *right) {
  const struct print_piece *a = left, *b = right;
  if (a->group != b->group)
    return a->group < b->group ? -1 : 1;
  if (a->item != b->item)
    return a->item < b->item ? -1 : 1;
  return (a->call > b->call) - (a->call < b->call);
}

/* Sorts the pieces, copies their text in order, and drops what is beyond the limit. */
static void settle(struct print_log *log) {
  size_t kept = 0, length = 0;
  if (log->count)
    qsort(log->pieces, log->count, sizeof *log->pieces, in_order);
  while (kept < log->count && length + log->pieces[kept].length <= log->limit)
    length += log->pieces[kept++].length;
  if (kept < log->count) {
    log->horizon = log->pieces[kept];
    log->cut = true;
  }
  char *text = need(length, 1);
  length = 0;
  for (size_t i = 0; i < kept; i++) {
    struct print_piece *piece = &log->pieces[i];
    memcpy(text + length, log->text + piece->start, piece->length);
    piece->start = length;
    length += piece->length;
  }
  free(log->text);
  log->text = text;
  log->length = log->text_room = length;
  log->count = kept;
}

struct printing {
  struct print_log *log;
  const struct isa_group *group;
  uint32_t item;
  const char *text;
  size_t length;
};

static void take(void *self) {
  const struct printing *printing = self;
  struct print_log *log = printing->log;
  const size_t length = printing->length;
  const uint32_t *groups = printing->group->launch->groups, *id = printing->group->id;
  const struct print_piece piece = {
      .group = id[0] + (uint64_t)groups[0] * (id[1] + (uint64_t)groups[1] * id[2]),
      .call = log->calls++,
      .item = printing->item,
      .start = log->length,
      .length = length,
  };
  if (!length || (log->cut && in_order(&piece, &log->horizon) > 0))
    return;
  log->text = vector_room(log->text, &log->text_room, log->length + length, 1);
  memcpy(log->text + log->length, printing->text, length);
  log->length += length;
  *vector_next(log->pieces, log->count, log->room) = piece;
  if (log->length > 2 * log->limit)
    settle(log);
}

/* One thread at a time. When out of memory, a thread releases the lock before it fails. */
void print_log_take(void *context, const struct isa_group *group, uint32_t item, const char *text, size_t length) {
  struct print_log *log = context;
  struct printing printing = {log, group, item, text, length};
  size_t wanted = 0;
  while (__atomic_test_and_set(&log->busy, __ATOMIC_ACQUIRE))
    ;
  const bool good = heap_pass(take, &printing, &wanted);
  __atomic_clear(&log->busy, __ATOMIC_RELEASE);
  if (!good)
    heap_out(wanted);
}

struct printed print_log_finish(struct print_log *log) {
  settle(log);
  const struct printed printed = {log->text, log->length, log->cut};
  free(log->pieces);
  *log = (struct print_log){.limit = log->limit};
  return printed;
}
