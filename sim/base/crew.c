#include "sim/base/crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/base/heap.h"
#include "sim/base/need.h"
#include "sim/base/signals.h"

enum {
  LOOKS = 4000, /* how often a thread spins before it sleeps: some 50 us */
  APART = 60    /* padding that keeps the data of different threads in separate cache lines */
};

struct share {
  atomic_uint taken; /* the latest round in which it was taken */
  char apart[APART];
};

struct member {
  struct crew *crew;
  pthread_t thread;
  unsigned number; /* 0: the caller */
  unsigned share;  /* the share that it works on */
  bool failed;     /* one of its shares failed in this round */
  size_t wanted;   /* size of the failed allocation; without failure, of one that a share did without, or 0 */
  char defect[HEAP_TEXT];
};

struct crew {
  void (*work)(void *self, unsigned share);
  void *self;
  unsigned members, shares;
  unsigned started; /* threads without the caller */
  pid_t process;    /* the process whose threads these are; 0: none so far */
  struct recovery *recovery;
  struct share *share;
  struct member *member;
  pthread_mutex_t mutex;
  pthread_cond_t begun, over;
  atomic_bool ended, caller_sleeps;
  atomic_uint round, asleep; /* threads that wait for `begun` */
  char apart[APART];
  atomic_uint left; /* shares of this round that are not done */
};

/* ---- a round ---------------------------------------------------------------------------------------- */

static void work_on_share(void *self) {
  const struct member *member = self;
  member->crew->work(member->crew->self, member->share);
}

/* Takes the share unless another thread has taken it in this round. */
static bool take_share(struct crew *crew, unsigned share, unsigned round) {
  unsigned before = round - 1;
  return atomic_compare_exchange_strong(&crew->share[share].taken, &before, round);
}

static void finish_share(struct crew *crew) {
  if (atomic_fetch_sub(&crew->left, 1) != 1 || !atomic_load(&crew->caller_sleeps))
    return;
  pthread_mutex_lock(&crew->mutex);
  pthread_cond_signal(&crew->over);
  pthread_mutex_unlock(&crew->mutex);
}

static void try_share(struct member *member, unsigned share, unsigned round) {
  struct crew *crew = member->crew;
  if (!take_share(crew, share, round))
    return;
  member->share = share;
  size_t wanted = 0;
  const bool good = heap_help(crew->recovery, work_on_share, member, &wanted, member->defect);
  if (!good || (wanted && !member->failed))
    member->wanted = wanted;
  member->failed |= !good;
  finish_share(crew);
}

/* Begins with its own shares: it mostly had them in the last round, too, so their data is in its processor's caches. */
static void work_in_round(struct member *member, unsigned round) {
  const struct crew *crew = member->crew;
  for (unsigned i = 0; i < crew->members; i++)
    for (unsigned share = (member->number + i) % crew->members; share < crew->shares; share += crew->members)
      try_share(member, share, round);
}

/* ---- threads ---------------------------------------------------------------------------------------- */

static void look_again(void) {
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause();
#endif
}

/* Waits for a round other than `round`, or for the end. */
static unsigned next_round(struct crew *crew, unsigned round) {
  for (unsigned looks = 0; looks < LOOKS; looks++, look_again())
    if (atomic_load(&crew->round) != round || atomic_load(&crew->ended))
      return atomic_load(&crew->round);
  pthread_mutex_lock(&crew->mutex);
  atomic_fetch_add(&crew->asleep, 1);
  while (atomic_load(&crew->round) == round && !atomic_load(&crew->ended))
    pthread_cond_wait(&crew->begun, &crew->mutex);
  atomic_fetch_sub(&crew->asleep, 1);
  pthread_mutex_unlock(&crew->mutex);
  return atomic_load(&crew->round);
}

static void *attend(void *self) {
  struct member *member = self;
  struct crew *crew = member->crew;
  leave_signals_to_others();
  for (unsigned round = 0;;) {
    round = next_round(crew, round);
    if (atomic_load(&crew->ended))
      return NULL;
    work_in_round(member, round);
  }
}

static void stop_threads(void *self) {
  struct crew *crew = self;
  if (crew->process != getpid())
    return;
  pthread_mutex_lock(&crew->mutex);
  atomic_store(&crew->ended, true);
  pthread_cond_broadcast(&crew->begun);
  pthread_mutex_unlock(&crew->mutex);
  for (unsigned i = 0; i < crew->started; i++)
    pthread_join(crew->member[1 + i].thread, NULL);
  pthread_cond_destroy(&crew->over);
  pthread_cond_destroy(&crew->begun);
  pthread_mutex_destroy(&crew->mutex);
}

/* Emptying the recovery point's pool first stops the threads. */
static void start_threads(struct crew *crew) {
  const bool first = !crew->process;
  crew->process = getpid();
  pthread_mutex_init(&crew->mutex, NULL);
  pthread_cond_init(&crew->begun, NULL);
  pthread_cond_init(&crew->over, NULL);
  atomic_store(&crew->asleep, 0);
  crew->started = 0;
  if (first)
    heap_hold(stop_threads, crew);
  for (; crew->started + 1 < crew->members; crew->started++) {
    struct member *member = &crew->member[1 + crew->started];
    if (pthread_create(&member->thread, NULL, attend, member))
      break;
  }
}

/* ---- the caller ------------------------------------------------------------------------------------- */

struct crew *crew_new(unsigned members, unsigned shares, void (*work)(void *self, unsigned share), void *self) {
  struct crew *crew = need(1, sizeof *crew);
  *crew = (struct crew){.work = work, .self = self, .members = members, .shares = shares};
  crew->share = need(shares, sizeof *crew->share);
  crew->member = need(members, sizeof *crew->member);
  for (unsigned i = 0; i < members; i++)
    crew->member[i] = (struct member){.crew = crew, .number = i};
  return crew;
}

void crew_free(struct crew *crew) {
  if (!crew)
    return;
  heap_release(crew);
  stop_threads(crew);
  free(crew->share);
  free(crew->member);
  free(crew);
}

static unsigned begin_round(struct crew *crew) {
  atomic_store(&crew->left, crew->shares);
  const unsigned round = atomic_fetch_add(&crew->round, 1) + 1;
  if (!atomic_load(&crew->asleep))
    return round;
  pthread_mutex_lock(&crew->mutex);
  pthread_cond_broadcast(&crew->begun);
  pthread_mutex_unlock(&crew->mutex);
  return round;
}

static void end_round(struct crew *crew) {
  for (unsigned looks = 0; looks < LOOKS; looks++, look_again())
    if (!atomic_load(&crew->left))
      return;
  pthread_mutex_lock(&crew->mutex);
  atomic_store(&crew->caller_sleeps, true);
  while (atomic_load(&crew->left))
    pthread_cond_wait(&crew->over, &crew->mutex);
  atomic_store(&crew->caller_sleeps, false);
  pthread_mutex_unlock(&crew->mutex);
}

void crew_round(struct crew *crew) {
  if (crew->process != getpid())
    start_threads(crew);
  crew->recovery = heap_recovery();
  work_in_round(&crew->member[0], begin_round(crew));
  end_round(crew);
  const struct member *failing = NULL;
  for (unsigned i = crew->members; i-- > 0; crew->member[i].failed = false)
    failing = crew->member[i].failed ? &crew->member[i] : failing;
  if (failing)
    heap_out_for(failing->wanted, failing->defect);
  for (unsigned i = 0; i < crew->members; crew->member[i++].wanted = 0)
    if (crew->member[i].wanted)
      heap_refuse(crew->member[i].wanted);
}
