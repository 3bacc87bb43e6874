/* Running out of memory: every allocation of the library, and what happens if one fails.
 *
 *     API function ──heap_try──► work ──► need() fails ──┐
 *          ▲                                               │ longjmp
 *          └───── false: everything allocated is freed ◄───┘
 *
 * Running out of memory ends at a *recovery point*; heap_try() runs work behind one. Blocks that the work allocates are
 * listed in the recovery point's *pool* until they are freed. When out of memory, need() jumps back to the recovery
 * point, and the pool is emptied. So no function passes the failure up, and nothing leaks. On success, the blocks that
 * are left belong to the code that has pointers to them.
 *
 * The Makefile includes this header before every C file, so that malloc() and the like are the functions below. They
 * return NULL as usual, for sizes that a user chose; only need() (need.h) does not.
 *
 * A pool may outlive its recovery point. For example, a device lists there what its simulation owns, over many calls,
 * and frees all of it at once.
 *
 * Invariant: a block is in at most one pool. Only the thread behind the pool's recovery point and the threads that help
 * it (heap_help()) use the pool. Outside recovery points these functions are the C library's.
 *
 * Invariant: no jump leaves somebody else's code, which may throw, switch stacks or not return. The caller's functions
 * (sinks, ticks, events, points, metrics) are called between heap_suspend() and heap_resume(), or after the recovery
 * point. SystemC is too, and its methods step islands behind a recovery point of their own (heap_help()). zlib and
 * libpng call our allocators, which return NULL. Only jansson is left by a jump: it is C, holds nothing but memory, and
 * its memory is in the pool.
 *
 * A recovery point is also where a broken invariant ends: a failing assert() jumps back to it, so that our defect does
 * not end the program that we are part of. And a thread behind a recovery point reads and writes numbers in the "C"
 * locale, whatever the program's locale is.
 *
 * Not covered: what other libraries allocate, unless they let us provide their memory. heap_hold() is for other
 * resources, such as open files. */
#ifndef SIM_BASE_HEAP_H
#define SIM_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

struct heap_held {
  void (*drop)(void *thing);
  void *thing;
};

struct heap_pool {
  void **slot; /* a hash table of the blocks */
  size_t room, count;
  struct heap_held *held; /* dropped in reverse order */
  size_t held_count, held_room;
  bool busy; /* a spin lock: a thread is changing the table */
};

/* Runs work(self) behind a recovery point. Returns false and empties `pool` if it failed: when out of memory, *wanted
 * is the size of the failed allocation; for a broken invariant, it is HEAP_DEFECT, and heap_defect_text() says which.
 * On success, the pool lists the blocks that are left. pool == NULL: uses a pool for this call only, and nothing is
 * listed afterwards. `wanted` may be NULL. */
#define HEAP_DEFECT SIZE_MAX
bool heap_try(struct heap_pool *pool, void (*work)(void *self), void *self, size_t *wanted);

/* The same without a pool: after a failure the blocks leak. For a process that then ends; a broken invariant ends it at
 * once. */
bool heap_try_last(void (*work)(void *self), void *self, size_t *wanted);

/* For a caller that must clean up when the work runs out of memory, for example because threads use its stack frame.
 * Calls work(self) as if directly, but returns false if that ran out of memory. The caller then cleans up and continues
 * with heap_out(*wanted). heap_hold() would be too late, because it drops things when the stack frames are gone. */
bool heap_pass(void (*work)(void *self), void *self, size_t *wanted);

/* For a thread of ours that helps a thread behind a recovery point, which waits for it or works beside it: like
 * heap_pass(), with that recovery point's pool. recovery == NULL: there is none. If it returns false, the helped thread
 * must continue with heap_out_for(*wanted, defect). If it returns true, *wanted is the size of an allocation that
 * failed and that the helper did without, or 0; the helped thread passes it to heap_refuse(). */
struct recovery;
enum { HEAP_TEXT = 240 };
struct recovery *heap_recovery(void); /* of the calling thread */
bool heap_help(struct recovery *recovery, void (*work)(void *self), void *self, size_t *wanted, char defect[HEAP_TEXT]);
__attribute__((noreturn)) void heap_out_for(size_t wanted, const char *defect);
void heap_refuse(size_t wanted); /* as if an allocation of `wanted` bytes had failed here without ending the work */

/* Frees all listed blocks and drops all held things. */
void heap_pool_empty(struct heap_pool *pool);

/* The size of the first allocation behind the innermost recovery point that failed, even if the work did without it. 0:
 * none failed. */
size_t heap_refused(void);

/* Whether the thread is behind a recovery point. */
bool heap_guarded(void);

/* Jumps back to the recovery point, which must exist: out of memory, or HEAP_DEFECT. */
__attribute__((noreturn)) void heap_out(size_t bytes);

/* A failing assert() calls this. It jumps back to the recovery point with the text. Without a recovery point that has a
 * pool, the process ends. */
__attribute__((noreturn)) void heap_defect(const char *assertion, const char *file, unsigned line,
                                           const char *function);
const char *heap_defect_text(void); /* of the thread's latest defect; "" if there was none */
#if defined __GLIBC__ && !defined __cplusplus
#define __assert_fail heap_defect
#endif

/* Surrounds calls of foreign code from behind a recovery point. What that code allocates is its own, and its calls of
 * our functions have their own recovery points. Between these two functions the thread has no recovery point. */
struct recovery *heap_suspend(void);
void heap_resume(struct recovery *recovery);

/* Calls drop(thing) if the work runs out of memory before heap_release(thing). If there is no memory to register it,
 * drops it at once and fails like need(). */
void heap_hold(void (*drop)(void *thing), void *thing);
void heap_release(const void *thing);

void *heap_malloc(size_t size) __attribute__((malloc));
void *heap_calloc(size_t count, size_t size) __attribute__((malloc));
void *heap_realloc(void *old, size_t size);
void *heap_reallocarray(void *old, size_t count, size_t size);
char *heap_strdup(const char *text);
char *heap_strndup(const char *text, size_t most);
void heap_free(void *block);

/* The block leaves the pool: from now on it belongs to the code that points to it, whatever becomes of the pool. */
void heap_disown(const void *block);

#ifdef __cplusplus /* has its own allocations */
}
#else
#define malloc heap_malloc
#define calloc heap_calloc
#define realloc heap_realloc
#define reallocarray heap_reallocarray
#undef strdup
#define strdup heap_strdup
#undef strndup
#define strndup heap_strndup
#define free heap_free
#endif

#endif
