/* How much of other work-groups' times is known to be over: a time for each part, by number.
 *
 *     struct known ──► node ──► node ... ──► leaf: 16 times
 *     another      ──► node ─────┘           equal nodes are shared
 *
 * In a chain of groups that hand over to each other, each knows what all before it knew. So nodes are shared, and only
 * those that differ are copied: the cost of a hand-over does not grow with the number of groups before it.
 *
 * Invariant: a node with more than one reference does not change. A time of 0 means that nothing is known. */
#ifndef SIM_CHECK_KNOWN_H
#define SIM_CHECK_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KNOWN_PART_BITS = 48 }; /* of a part's number */

struct known_node;

struct known {
  struct known_node *root; /* NULL: nothing */
};

static inline bool known_is_empty(const struct known *known) { return known->root == NULL; }

/* The part is over until `when`, or until a later time that is known already. */
void known_set(struct known *known, uint64_t part, uint32_t when);
/* Adds all that `from` knows. */
void known_join(struct known *into, const struct known *from);
bool known_has(const struct known *known, uint64_t part, uint32_t when);
void known_free(struct known *known);

#endif
