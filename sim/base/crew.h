/* Threads that divide the shares of a round between them.
 *
 *     round   caller       0  2        5  ·  7              ·  waits
 *             thread 1     1  3  4  6     ·                 each share once, by whichever thread is first;
 *             thread 2     2 ...          ·                 a thread begins with its own, here 2, 5, 8
 *
 * A round ends when all of its shares are done. Then the caller sees what they wrote; what the caller writes between
 * two rounds is seen by all shares. Waiting threads spin for a while, because rounds are short and follow one another,
 * and then sleep.
 *
 * Shares run behind the caller's recovery point (sim/base/heap.h): if one of them runs out of memory, the caller does
 * so at the end of the round. The threads stop before that recovery point's pool is emptied. After a fork, the child's
 * crew has no threads and starts new ones. */
#ifndef SIM_BASE_CREW_H
#define SIM_BASE_CREW_H

#include <stdbool.h>

struct crew;

/* Creates a crew of `threads`, including the caller, for rounds of `shares`; each calls work(self, share). The first
 * round and crew_free() must be behind the same recovery point, or behind none. Threads start in the first round; if
 * none can be created, the caller does everything. */
struct crew *crew_new(unsigned threads, unsigned shares, void (*work)(void *self, unsigned share), void *self);
void crew_free(struct crew *crew);

void crew_round(struct crew *crew);

#endif
