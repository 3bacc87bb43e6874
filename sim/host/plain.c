/* A plain loop over windows: all islands but the hub, then the hub.
 *
 *     H, S = the earliest step of the hub, and of any other island
 *     L = the lookahead of each;  R = the hub's lookahead, L or more
 *     every other island runs up to min(H, S + L) + R
 *     the hub runs up to min(S, H + R) + L, with the new S
 *
 * What the hub sends at H or later arrives at H + R or later. What the others send arrives at the hub at S + L or
 * later, and the hub's answer another R later; the same holds from the hub's side. So the islands of a window cannot
 * affect each other, and their order does not matter. A credit from the hub takes only L, so R is larger than L only if
 * no port to the hub ever fills. Long windows matter: with 132 compute units, each run of an island begins by loading
 * its state into the host's caches.
 *
 * If there is no hub, or its lookahead is 1 because it is linked to something outside, any two islands may be linked:
 *
 *     T = the earliest step of any island
 *     every island due before T + its lookahead runs up to there
 *
 * With a waveform, every island runs one cycle at a time.
 *
 * With threads, the islands except the hub are divided into shares, which a crew takes. While the hub runs, the others
 * wait, so shared data needs no lock. Islands are dealt to shares in turn, because neighbors often have equal work.
 *
 * `slot` keeps the islands' next steps together: finding the earliest of 133 touches 2 KB. */
#include <stdlib.h>

#include "sim/base/crew.h"
#include "sim/base/need.h"
#include "sim/host/host.h"
#include "sim/host/vcd.h"

struct slot {
  cycle_t next;
  struct island *island;
};

struct plain_host {
  struct host host;
  struct island *hub; /* NULL: none */
  struct slot *slot;
  size_t count;
  enum host_order order;
  uint32_t random;
  struct crew *crew; /* NULL: none */
  struct host_sharing sharing;
  size_t shared; /* runs of islands so far in this launch, in windows that are worth threads */
  cycle_t until; /* end of the window of all islands but the hub */
};

static void on_woken(void *context, cycle_t at) {
  struct slot *slot = context;
  island_lower(slot->island, &slot->next, at);
}

static void plain_free(struct host *host) {
  struct plain_host *plain = (struct plain_host *)host;
  for (size_t i = 0; i < plain->count; i++)
    plain->slot[i].island->woken = NULL;
  crew_free(plain->crew);
  free(plain->slot);
  free(plain);
}

static cycle_t earliest(const struct plain_host *plain) {
  cycle_t next = NEVER;
  for (size_t i = 0; i < plain->count; i++)
    next = cycle_min(next, plain->slot[i].next);
  return next;
}

static cycle_t after(cycle_t at, cycle_t cycles) { return at > NEVER - cycles ? NEVER : at + cycles; }

/* The hub's slot, if windows can alternate. */
static struct slot *hub_of(const struct plain_host *plain) {
  return plain->hub && plain->hub->lookahead > 1 && !plain->host.waveform ? plain->hub->host : NULL;
}

/* The earliest step of the other islands. */
static cycle_t earliest_of_others(const struct plain_host *plain, const struct slot *hub) {
  cycle_t next = NEVER;
  for (size_t i = 0; i < plain->count; i++)
    next = &plain->slot[i] == hub ? next : cycle_min(next, plain->slot[i].next);
  return next;
}

/* The cycle until which nothing can arrive from the other side. That side next steps at `theirs`, or when it receives
 * what we send at `ours`. */
static cycle_t free_until(cycle_t theirs, cycle_t their_lookahead, cycle_t ours, cycle_t our_lookahead) {
  return after(cycle_min(theirs, after(ours, our_lookahead)), their_lookahead);
}

/* Runs every `step`-th of the other islands, from number `first` on. */
static void run_others(struct plain_host *plain, size_t first, size_t step) {
  for (size_t i = first; i < plain->count; i += step) {
    struct slot *slot = &plain->slot[i];
    if (!slot->island->hub && slot->next < plain->until)
      slot->next = island_run(slot->island, plain->until);
  }
}

static void run_share(void *self, unsigned share) {
  struct plain_host *plain = self;
  run_others(plain, share, plain->host.shares);
}

static bool worth_threads(struct plain_host *plain) {
  size_t due = 0;
  if (!plain->crew || plain->host.one_by_one)
    return false;
  for (size_t i = 0; i < plain->count; i++)
    due += plain->slot[i].next < plain->until;
  if (due < plain->sharing.islands)
    return false;
  plain->shared += due;
  return plain->shared > plain->sharing.later;
}

static void run_alternately(struct plain_host *plain, struct slot *hub, cycle_t limit) {
  const cycle_t ahead = hub->island->lookahead, hub_lookahead = hub->island->hub_lookahead;
  plain->until = cycle_min(free_until(hub->next, hub_lookahead, earliest_of_others(plain, hub), ahead), limit);
  if (worth_threads(plain))
    crew_round(plain->crew);
  else
    run_others(plain, 0, 1);
  const cycle_t end = cycle_min(free_until(earliest_of_others(plain, hub), ahead, hub->next, hub_lookahead), limit);
  if (hub->next < end)
    hub->next = island_run(hub->island, end);
}

static void run_together(struct plain_host *plain, cycle_t now, cycle_t limit) {
  for (size_t i = 0; i < plain->count; i++) {
    struct slot *slot = &plain->slot[i];
    cycle_t until = cycle_min(now + (plain->host.waveform ? 1 : slot->island->lookahead), limit);
    if (slot->next < until)
      slot->next = island_run(slot->island, until);
  }
}

static size_t below(struct plain_host *plain, size_t bound) {
  plain->random ^= plain->random << 13;
  plain->random ^= plain->random >> 17;
  plain->random ^= plain->random << 5;
  return plain->random % bound;
}

static void shuffle_components(struct plain_host *plain, struct island *island) {
  size_t order[ISLAND_COMPONENTS];
  for (size_t i = 0; i < island->parts; i++) {
    size_t j = below(plain, i + 1);
    order[i] = order[j];
    order[j] = i;
  }
  island_order(island, order);
}

static void shuffle(struct plain_host *plain) {
  for (size_t i = plain->count; i-- > 1;) {
    size_t j = below(plain, i + 1);
    struct slot kept = plain->slot[i];
    plain->slot[i] = plain->slot[j];
    plain->slot[j] = kept;
    plain->slot[i].island->host = &plain->slot[i];
    plain->slot[j].island->host = &plain->slot[j];
  }
  for (size_t i = 0; i < plain->count; i++)
    shuffle_components(plain, plain->slot[i].island);
}

static cycle_t plain_run(struct host *host, cycle_t limit) {
  struct plain_host *plain = (struct plain_host *)host;
  for (size_t i = 0; i < plain->count; i++)
    plain->slot[i].next = plain->slot[i].island->next;
  cycle_t now = earliest(plain);
  for (; now < limit; now = earliest(plain)) {
    if (plain->order == ORDER_SHUFFLED)
      shuffle(plain);
    if (plain->host.waveform)
      waveform_advance(plain->host.waveform, now);
    struct slot *hub = hub_of(plain);
    if (hub)
      run_alternately(plain, hub, limit);
    else
      run_together(plain, now, limit);
  }
  if (now == NEVER)
    plain->shared = 0;
  return now;
}

static void reverse_components(struct island *island) {
  size_t order[ISLAND_COMPONENTS];
  for (size_t i = 0; i < island->parts; i++)
    order[i] = island->parts - 1 - i;
  island_order(island, order);
}

struct host *host_plain(struct island **islands, size_t count, enum host_order order, uint32_t seed) {
  struct plain_host *plain = need(1, sizeof *plain);
  struct slot *slot = need(count, sizeof *slot);
  *plain = (struct plain_host){.host = {.run = plain_run, .free = plain_free},
                               .slot = slot,
                               .count = count,
                               .order = order,
                               .random = seed ? seed : 1};
  for (size_t i = 0; i < count; i++) {
    struct island *island = islands[order == ORDER_DESCENDING ? count - 1 - i : i];
    slot[i] = (struct slot){island->next, island};
    island->woken = on_woken;
    island->host = &slot[i];
    plain->hub = island->hub ? island : plain->hub;
    if (order == ORDER_DESCENDING)
      reverse_components(island);
  }
  return &plain->host;
}

/* There are more shares than threads, so that a thread that finishes early takes another share. */
struct host *host_threads(struct island **islands, size_t count, const struct host_sharing *sharing) {
  enum { SHARES = 4 };
  const unsigned threads = sharing->threads < HOST_THREADS ? sharing->threads : HOST_THREADS;
  struct host *host = host_plain(islands, count, ORDER_ASCENDING, 0);
  struct plain_host *plain = (struct plain_host *)host;
  if (threads < 2)
    return host;
  host->shares = SHARES * threads;
  plain->sharing = *sharing;
  plain->crew = crew_new(threads, host->shares, run_share, plain);
  for (size_t i = 0; i < count; i++)
    islands[i]->share = (unsigned)(i % host->shares);
  return host;
}
