/* An event wheel: which items of a fixed set are due when, in constant time.
 *
 * There is a slot per cycle, WHEEL_SLOTS in all. An item that is due after the last slot waits in the last slot and
 * moves on from there. Items of the same cycle come out in the order of wheel_add(), however far ahead they were added
 * and whenever wheel_take() was called in between.
 *
 * Invariant: every item in the wheel is in a slot in [from, from + WHEEL_SLOTS), and none in a slot whose cycle is
 * over. An item is in the wheel at most once. */
#ifndef SIM_CORE_WHEEL_H
#define SIM_CORE_WHEEL_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/core/time.h"

enum { WHEEL_SLOTS = 4096, WHEEL_WORDS = WHEEL_SLOTS / 64 };

#define WHEEL_NONE UINT32_MAX

struct wheel {
  struct wheel_item {
    cycle_t at;
    uint64_t number; /* number of wheel_add() calls before its own */
    uint32_t next;   /* the next item in its slot */
  } * items;
  uint32_t *first, *last;       /* of each slot; `first` is WHEEL_NONE when it is empty */
  uint64_t filled[WHEEL_WORDS]; /* slots that are not empty */
  uint64_t filled_words;        /* words of `filled` that are not zero */
  cycle_t from;                 /* the earliest cycle with a slot */
  uint64_t added;               /* calls of wheel_add() so far */
};

/* Makes room for items 0 to count - 1; count may be 0. */
void wheel_init(struct wheel *wheel, uint32_t count);
void wheel_free(struct wheel *wheel);

/* Makes room for more items, up to count - 1, if the set grows. */
void wheel_widen(struct wheel *wheel, uint32_t count);

/* `item` is due at `at`, whose cycle must not be over. */
void wheel_add(struct wheel *wheel, uint32_t item, cycle_t at);

/* The earliest cycle at which wheel_take() may return an item, or NEVER. */
cycle_t wheel_next(const struct wheel *wheel);

/* Takes out the next item that is due at or before `now`. WHEEL_NONE if there is none. */
uint32_t wheel_take(struct wheel *wheel, cycle_t now);

#endif
