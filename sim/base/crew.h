/* Threads that take the shares of a round between them.
 *
 *     round   caller       0  2        5  ·  7              ·  waits
 *             thread 1     1  3  4  6     ·                 each share once, by whoever comes first;
 *             thread 2     2 ...          ·                 a thread begins with its own, of which this has 2, 5, 8
 *
 * A round ends when all of its shares are done: what they wrote is then seen by the caller, and what the caller writes
 * between two rounds is seen by all shares. Threads that wait look again and again for a while, since rounds are short
 * and follow one another, and then sleep.
 *
 * Shares run behind the border of the caller (sim/base/heap.h): memory that runs out in one of them runs out in the
 * caller, when the round is over; and threads stop before what is in that border's pool is given up. After a fork the
 * child's crew has no threads, and starts others. */
#ifndef SIM_BASE_CREW_H
#define SIM_BASE_CREW_H

#include <stdbool.h>

struct crew;

/* The first round and crew_free() come from behind one border, or from none. `threads`, with the caller, for rounds of
 * `shares`: work(self, share). NULL: out of memory. Threads start in the first round; when none can be had, the caller
 * does it all. */
struct crew *crew_new(unsigned threads, unsigned shares, void (*work)(void *self, unsigned share), void *self);
void crew_free(struct crew *crew);

void crew_round(struct crew *crew);

#endif
