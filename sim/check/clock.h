/* Vector clocks: for each part of the other work-groups, by number, the time until which all that it did happened
 * before.
 *
 *     struct vector_clock ──► node ──► node ... ──► leaf: 16 times
 *     another      ──► node ─────┘           equal nodes are shared
 *
 * In a chain of groups that synchronize with each other, the clock of each covers those of all before it. So nodes are
 * shared, and only those that differ are copied: the cost of a release does not grow with the number of groups before
 * it.
 *
 * Invariant: a node with more than one reference does not change. A time of 0: nothing happened before. */
#ifndef SIM_CHECK_CLOCK_H
#define SIM_CHECK_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLOCK_PART_BITS = 48 }; /* of a part's number */

struct clock_node;

struct vector_clock {
  struct clock_node *root; /* NULL: nothing */
};

static inline bool clock_is_empty(const struct vector_clock *clock) { return clock->root == NULL; }

/* Raises the time of a part to `when`. */
void clock_set(struct vector_clock *clock, uint64_t part, uint32_t when);
/* Takes the later time of each part. */
void clock_join(struct vector_clock *into, const struct vector_clock *from);
/* Did all that the part did until `when` happen before? */
bool clock_covers(const struct vector_clock *clock, uint64_t part, uint32_t when);
void clock_free(struct vector_clock *clock);

#endif
