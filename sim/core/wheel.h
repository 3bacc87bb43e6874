/* An event wheel: which of a fixed set of items is due when, in constant time.
 *
 * A slot a cycle, WHEEL_SLOTS of them; an item that is due later than the wheel reaches goes into its
 * last slot and on from there. Items of one cycle come out in the order of wheel_add(), however far off they were and
 * whenever wheel_take() was called meanwhile.
 *
 * Invariant: every item in the wheel lies in the slots [from, from + WHEEL_SLOTS), and none in an
 * earlier slot than one whose turn has come. An item is in the wheel at most once. */
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
    uint64_t number; /* of wheel_add() calls before it */
    uint32_t next;   /* in its slot */
  } * items;
  uint32_t *first, *last;       /* of each slot; `first` is WHEEL_NONE when it is empty */
  uint64_t filled[WHEEL_WORDS]; /* slots that are not empty */
  uint64_t filled_words;        /* words of `filled` that are not zero */
  cycle_t from;                 /* the first cycle that has a slot */
  uint64_t added;               /* calls of wheel_add() so far */
};

/* Room for items 0 to count - 1, or none yet. False when memory runs out. */
bool wheel_init(struct wheel *wheel, uint32_t count);
void wheel_free(struct wheel *wheel);

/* Makes room for items up to count - 1, more than before: for a set that grows. */
void wheel_widen(struct wheel *wheel, uint32_t count);

/* `item` is due at `at`, which lies in no slot that is over. */
void wheel_add(struct wheel *wheel, uint32_t item, cycle_t at);

/* The earliest cycle at which wheel_take() may have something to do, or NEVER. */
cycle_t wheel_next(const struct wheel *wheel);

/* The next item due at `now` or before, taken out, or WHEEL_NONE. */
uint32_t wheel_take(struct wheel *wheel, cycle_t now);

#endif
