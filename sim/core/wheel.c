#include "sim/core/wheel.h"

#include <assert.h>
#include <stdlib.h>

#include "sim/base/need.h"

void wheel_init(struct wheel *wheel, uint32_t count) {
  *wheel = (struct wheel){
      .items = need(count, sizeof *wheel->items),
      .first = need(WHEEL_SLOTS, sizeof *wheel->first),
      .last = need(WHEEL_SLOTS, sizeof *wheel->last),
  };
  for (unsigned slot = 0; slot < WHEEL_SLOTS; slot++)
    wheel->first[slot] = WHEEL_NONE;
}

void wheel_free(struct wheel *wheel) {
  free(wheel->items);
  free(wheel->first);
  free(wheel->last);
  *wheel = (struct wheel){0};
}

void wheel_widen(struct wheel *wheel, uint32_t count) {
  wheel->items = need_more(wheel->items, count, sizeof *wheel->items);
}

static void mark(struct wheel *wheel, unsigned slot) {
  wheel->filled[slot / 64] |= UINT64_C(1) << slot % 64;
  wheel->filled_words |= UINT64_C(1) << slot / 64;
}

static void unmark(struct wheel *wheel, unsigned slot) {
  wheel->filled[slot / 64] &= ~(UINT64_C(1) << slot % 64);
  if (!wheel->filled[slot / 64])
    wheel->filled_words &= ~(UINT64_C(1) << slot / 64);
}

static unsigned slot_for(const struct wheel *wheel, cycle_t at) {
  return (unsigned)(cycle_min(at, wheel->from + WHEEL_SLOTS - 1) % WHEEL_SLOTS);
}

void wheel_add(struct wheel *wheel, uint32_t item, cycle_t at) {
  assert(at >= wheel->from && "an item is due in a slot that is still to come");
  const unsigned slot = slot_for(wheel, at);
  wheel->items[item] = (struct wheel_item){.at = at, .number = wheel->added++, .next = WHEEL_NONE};
  if (wheel->first[slot] == WHEEL_NONE)
    wheel->first[slot] = item;
  else
    wheel->items[wheel->last[slot]].next = item;
  wheel->last[slot] = item;
  mark(wheel, slot);
}

/* Moves on an item that was in the last slot. In its new slot it precedes items that were added after it. */
static void move_on(struct wheel *wheel, uint32_t item) {
  const unsigned slot = slot_for(wheel, wheel->items[item].at);
  uint32_t *link = &wheel->first[slot];
  while (*link != WHEEL_NONE && wheel->items[*link].number < wheel->items[item].number)
    link = &wheel->items[*link].next;
  if (*link == WHEEL_NONE)
    wheel->last[slot] = item;
  wheel->items[item].next = *link;
  *link = item;
  mark(wheel, slot);
}

cycle_t wheel_next(const struct wheel *wheel) {
  if (!wheel->filled_words)
    return NEVER;
  unsigned start = (unsigned)(wheel->from % WHEEL_SLOTS), word = start / 64;
  uint64_t here = wheel->filled[word] >> start % 64;
  if (here)
    return wheel->from + (unsigned)__builtin_ctzll(here);
  /* Searches the words after this one, then wraps around; the lower slots of this word are last. */
  uint64_t after = word == WHEEL_WORDS - 1 ? 0 : wheel->filled_words & (UINT64_MAX << (word + 1));
  unsigned found = (unsigned)__builtin_ctzll(after ? after : wheel->filled_words);
  unsigned slot = found * 64 + (unsigned)__builtin_ctzll(wheel->filled[found]);
  return wheel->from + (slot - start) % WHEEL_SLOTS;
}

uint32_t wheel_take(struct wheel *wheel, cycle_t now) {
  for (cycle_t next = wheel_next(wheel); next <= now; next = wheel_next(wheel)) {
    unsigned slot = (unsigned)(next % WHEEL_SLOTS);
    uint32_t item = wheel->first[slot];
    wheel->from = next;
    wheel->first[slot] = wheel->items[item].next;
    if (wheel->first[slot] == WHEEL_NONE)
      unmark(wheel, slot);
    if (wheel->items[item].at <= next)
      return item;
    move_on(wheel, item);
  }
  if (wheel->from <= now)
    wheel->from = now + 1;
  return WHEEL_NONE;
}
