#include "sim/base/heap.h"

/* The C library's own. */
#undef __assert_fail
#undef malloc
#undef calloc
#undef realloc
#undef reallocarray
#undef strdup
#undef strndup
#undef free

#include <assert.h>
#include <locale.h>
#include <setjmp.h>
#include <stdio.h>

#include "sim/base/map.h"

enum { FIRST_ROOM = 64, FIRST_HELD = 4 };

struct recovery {
  jmp_buf at;
  struct heap_pool *pool; /* NULL: nothing is listed */
  struct recovery *outer;
  locale_t locale; /* the thread's locale outside it */
  size_t wanted;   /* size of the first allocation that failed; 0: none did */
};

/* Per thread. */
static _Thread_local struct recovery *innermost __attribute__((tls_model("initial-exec")));
static _Thread_local char defect[HEAP_TEXT];

static struct heap_pool *pool_now(void) { return innermost ? innermost->pool : NULL; }

/* Records a failed allocation of `bytes`. Returns NULL. */
static void *refuse(size_t bytes) {
  if (innermost && !innermost->wanted)
    innermost->wanted = !bytes ? 1 : bytes < HEAP_DEFECT ? bytes : HEAP_DEFECT - 1;
  return NULL;
}

size_t heap_refused(void) { return innermost ? innermost->wanted : 0; }

/* ---- the table: open addressing; removal leaves no gap -------------------------------------- */

static size_t home_of(const struct heap_pool *pool, const void *block) {
  return (size_t)(hash_number((uintptr_t)block >> 4) >> 16) & (pool->room - 1);
}

/* The block's slot, or the free one where it would be. */
static size_t slot_of(const struct heap_pool *pool, const void *block) {
  size_t slot = home_of(pool, block);
  while (pool->slot[slot] && pool->slot[slot] != block)
    slot = (slot + 1) & (pool->room - 1);
  return slot;
}

static bool grow(struct heap_pool *pool) {
  struct heap_pool larger = {.room = pool->room ? 2 * pool->room : FIRST_ROOM};
  larger.slot = calloc(larger.room, sizeof *larger.slot);
  if (!larger.slot)
    return false;
  for (size_t i = 0; i < pool->room; i++)
    if (pool->slot[i])
      larger.slot[slot_of(&larger, pool->slot[i])] = pool->slot[i];
  free(pool->slot);
  pool->slot = larger.slot;
  pool->room = larger.room;
  return true;
}

/* A spin lock is enough: helpers allocate rarely, and the critical sections are short. */
static void lock(struct heap_pool *pool) {
  while (__atomic_test_and_set(&pool->busy, __ATOMIC_ACQUIRE))
    ;
}

static void unlock(struct heap_pool *pool) { __atomic_clear(&pool->busy, __ATOMIC_RELEASE); }

/* Returns false if there is no memory for the table. */
static bool list(struct heap_pool *pool, void *block) {
  lock(pool);
  const bool good = 2 * (pool->count + 1) <= pool->room || grow(pool);
  if (good) {
    pool->slot[slot_of(pool, block)] = block;
    pool->count++;
  }
  unlock(pool);
  return good;
}

static bool pool_remove(struct heap_pool *pool, const void *block) {
  if (!pool->room)
    return false;
  size_t gap = slot_of(pool, block);
  if (!pool->slot[gap])
    return false;
  for (size_t at = (gap + 1) & (pool->room - 1); pool->slot[at]; at = (at + 1) & (pool->room - 1)) {
    const size_t home = home_of(pool, pool->slot[at]);
    if (((at - home) & (pool->room - 1)) < ((at - gap) & (pool->room - 1)))
      continue; /* its home is behind the gap, so it stays */
    pool->slot[gap] = pool->slot[at];
    gap = at;
  }
  pool->slot[gap] = NULL;
  pool->count--;
  return true;
}

/* Returns whether the block was listed. */
static bool unlist(struct heap_pool *pool, const void *block) {
  lock(pool);
  const bool there = pool_remove(pool, block);
  unlock(pool);
  return there;
}

void heap_pool_empty(struct heap_pool *pool) {
  while (pool->held_count) {
    const struct heap_held held = pool->held[--pool->held_count];
    held.drop(held.thing);
  }
  for (size_t i = 0; i < pool->room; i++)
    free(pool->slot[i]);
  free(pool->slot);
  free(pool->held);
  *pool = (struct heap_pool){0};
}

/* Drops the list. The blocks stay. */
static void forget(struct heap_pool *pool) {
  assert(!pool->held_count && "what is held is released in the call that took it");
  free(pool->slot);
  free(pool->held);
}

/* ---- recovery points ------------------------------------------------------------------------------------------ */

/* Switches the thread to the "C" locale. Returns the previous one. The C library has the "C" object anyway. */
static locale_t set_c_locale(void) { return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0)); }

static bool run_behind(struct recovery *recovery, void (*work)(void *self), void *self, size_t *wanted) {
  recovery->outer = innermost;
  recovery->locale = set_c_locale();
  const bool good = setjmp(recovery->at) == 0;
  if (good) {
    innermost = recovery;
    work(self);
  }
  innermost = recovery->outer;
  uselocale(recovery->locale);
  if (!good && wanted)
    *wanted = recovery->wanted;
  return good;
}

bool heap_try(struct heap_pool *pool, void (*work)(void *self), void *self, size_t *wanted) {
  struct heap_pool own = {0};
  struct recovery recovery = {.pool = pool ? pool : &own};
  const bool good = run_behind(&recovery, work, self, wanted);
  if (!good)
    heap_pool_empty(recovery.pool);
  else if (!pool)
    forget(&own);
  return good;
}

bool heap_try_last(void (*work)(void *self), void *self, size_t *wanted) {
  struct recovery recovery = {0};
  return run_behind(&recovery, work, self, wanted);
}

bool heap_pass(void (*work)(void *self), void *self, size_t *wanted) {
  struct recovery recovery = {.pool = pool_now()};
  const bool good = run_behind(&recovery, work, self, wanted);
  if (good && recovery.wanted)
    refuse(recovery.wanted);
  return good;
}

struct recovery *heap_recovery(void) {
  return innermost;
}

bool heap_help(struct recovery *helped, void (*work)(void *self), void *self, size_t *wanted, char text[HEAP_TEXT]) {
  struct recovery recovery = {.pool = helped ? helped->pool : NULL};
  const bool good = run_behind(&recovery, work, self, NULL);
  *wanted = recovery.wanted;
  if (!good)
    memcpy(text, defect, HEAP_TEXT);
  return good;
}

void heap_refuse(size_t wanted) { refuse(wanted); }

void heap_out_for(size_t wanted, const char *text) {
  memcpy(defect, text, HEAP_TEXT);
  heap_out(wanted);
}

bool heap_guarded(void) { return innermost; }

struct recovery *heap_suspend(void) {
  struct recovery *recovery = innermost, *outermost = recovery;
  while (outermost && outermost->outer)
    outermost = outermost->outer;
  if (outermost)
    uselocale(outermost->locale);
  innermost = NULL;
  return recovery;
}

void heap_resume(struct recovery *recovery) {
  innermost = recovery;
  if (recovery)
    set_c_locale();
}

void heap_out(size_t bytes) {
  assert(innermost && "memory ran out behind no recovery point");
  refuse(bytes);
  if (bytes == HEAP_DEFECT) /* even if an allocation failed before */
    innermost->wanted = bytes;
  longjmp(innermost->at, 1);
}

#ifdef __GLIBC__ /* elsewhere nothing calls it: see heap.h */
void heap_defect(const char *assertion, const char *file, unsigned line, const char *function) {
  if (!pool_now())
    __assert_fail(assertion, file, line, function);
  snprintf(defect, sizeof defect, "a defect of Warpwait, please report it: %.60s:%u: %.50s(): %.60s", file, line,
           function, assertion);
  heap_out(HEAP_DEFECT);
}
#endif

const char *heap_defect_text(void) { return defect; }

void heap_hold(void (*drop)(void *thing), void *thing) {
  struct heap_pool *pool = pool_now();
  if (!pool)
    return;
  if (pool->held_count == pool->held_room) {
    const size_t room = pool->held_room ? 2 * pool->held_room : FIRST_HELD;
    struct heap_held *more = reallocarray(pool->held, room, sizeof *more);
    if (!more) {
      drop(thing);
      heap_out(room * sizeof *more);
    }
    pool->held = more;
    pool->held_room = room;
  }
  pool->held[pool->held_count++] = (struct heap_held){drop, thing};
}

void heap_release(const void *thing) {
  struct heap_pool *pool = pool_now();
  size_t i = pool ? pool->held_count : 0;
  while (i && pool->held[i - 1].thing != thing)
    i--;
  if (!i)
    return;
  memmove(&pool->held[i - 1], &pool->held[i], (pool->held_count - i) * sizeof *pool->held);
  pool->held_count--;
}

/* ---- blocks ------------------------------------------------------------------------------------------- */

/* Lists the block of `bytes` and returns it. NULL if there is no block, or no memory for the list. */
static void *listed(void *block, size_t bytes) {
  struct heap_pool *pool = block ? pool_now() : NULL;
  if (block && (!pool || list(pool, block)))
    return block;
  free(block);
  return refuse(bytes);
}

void *heap_malloc(size_t size) { return listed(malloc(size), size); }

void *heap_calloc(size_t count, size_t size) {
  size_t bytes = 0;
  return listed(calloc(count, size), __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes);
}

/* A block of an owner outside the recovery point stays theirs, even if it moves. */
void *heap_realloc(void *old, size_t size) {
  struct heap_pool *pool = old ? pool_now() : NULL;
  if (!old)
    return heap_malloc(size);
  const bool ours = pool && unlist(pool, old);
  void *block = realloc(old, size);
  if (ours && (block || size)) /* cannot fail: the block was just removed from the list */
    list(pool, block ? block : old);
  return block || !size ? block : refuse(size);
}

void *heap_reallocarray(void *old, size_t count, size_t size) {
  size_t bytes = 0;
  return __builtin_mul_overflow(count, size, &bytes) ? refuse(SIZE_MAX) : heap_realloc(old, bytes);
}

char *heap_strdup(const char *text) { return listed(strdup(text), strlen(text) + 1); }

char *heap_strndup(const char *text, size_t most) { return listed(strndup(text, most), strnlen(text, most) + 1); }

void heap_free(void *block) {
  struct heap_pool *pool = block ? pool_now() : NULL;
  if (pool)
    unlist(pool, block);
  free(block);
}

void heap_disown(const void *block) {
  struct heap_pool *pool = pool_now();
  if (block && pool)
    unlist(pool, block);
}
