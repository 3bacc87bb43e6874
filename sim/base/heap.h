/* Memory that runs out: every allocation of the library, and what happens when one fails.
 *
 *     API function ──heap_try──► work ──► need() fails ──┐
 *          ▲                                               │ longjmp
 *          └───── false: all that the work had is free ◄───┘
 *
 * A *border* is where running out of memory ends: heap_try() runs work behind one. Blocks that the work allocates are
 * listed in the border's *pool* until they are freed. When memory runs out, need() goes back to the border, and the
 * pool is emptied: nobody has to hand the failure up, and nothing leaks. When all goes well, what the work has left
 * belongs to whoever has pointers to it.
 *
 * The Makefile includes this header in front of every file in C, so that malloc() and its kin mean the functions below.
 * They return NULL as usual; need() (need.h) is what does not.
 *
 * A pool may outlive its border: a device lists there what its simulation owns, over many calls, and gives all of it up
 * at once.
 *
 * Invariant: a block is in at most one pool, and only the thread that is behind the pool's border touches the pool, and
 * threads that help it (heap_help). Outside of borders these are the C library's functions.
 *
 * A border is also where a broken invariant ends: assert() that fails goes back to it likewise, so that a defect of
 * ours does not end the program that we are part of. And a thread behind a border reads and writes numbers as the "C"
 * locale does, whatever the program's locale is.
 *
 * Not covered: what other libraries allocate. Those that let us (zlib, jansson) take their memory from here; for things
 * such as open files there is heap_hold(). */
#ifndef SIM_BASE_HEAP_H
#define SIM_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct heap_held {
  void (*drop)(void *thing);
  void *thing;
};

struct heap_pool {
  void **slot; /* a hash table of the blocks */
  size_t room, count;
  struct heap_held *held; /* the one taken last is dropped first */
  size_t held_count, held_room;
  bool busy; /* a thread is changing the table: others wait */
};

/* Runs work(self) behind a border. False: memory ran out, and *wanted bytes more were not to be had (wanted may be
 * NULL), or HEAP_DEFECT: an invariant is broken, and heap_defect_text() says which. `pool` is emptied then; when all
 * goes well it lists what the work has left. NULL: a pool for this call alone, after which nothing is listed. */
#define HEAP_DEFECT SIZE_MAX
bool heap_try(struct heap_pool *pool, void (*work)(void *self), void *self, size_t *wanted);

/* The same without a pool: what the work had is lost. For a process that ends then; a broken invariant ends it at
 * once. */
bool heap_try_last(void (*work)(void *self), void *self, size_t *wanted);

/* For who cannot leave things as they are when memory runs out, such as threads that use its stack frame: work(self),
 * as if called by itself, but false when memory ran out. Whoever called puts its things in order and goes on with
 * heap_out(*wanted). What heap_hold() drops comes too late for that: by then the frames are gone. */
bool heap_pass(void (*work)(void *self), void *self, size_t *wanted);

/* A thread of ours that helps one behind a border, which waits for it or works beside it: as heap_pass(), with that
 * border's pool. NULL: there is none. When memory has run out or an invariant is broken, `defect` says which: the
 * helped thread goes on with heap_out_for(). When all went well, *wanted is what the helper was refused and did
 * without, or 0: the helped thread passes it on to heap_refuse(). */
struct border;
enum { HEAP_TEXT = 240 };
struct border *heap_border(void); /* the thread's own */
bool heap_help(struct border *border, void (*work)(void *self), void *self, size_t *wanted, char defect[HEAP_TEXT]);
_Noreturn void heap_out_for(size_t wanted, const char *defect);
void heap_refuse(size_t wanted); /* as if an allocation of so many bytes had failed here, which was done without */

/* Frees all that is listed, and drops what is held. */
void heap_pool_empty(struct heap_pool *pool);

/* The first allocation behind the innermost border that failed, in bytes, though it may have been done without; 0: none
 * did. */
size_t heap_refused(void);

/* Whether the thread is behind a border. */
bool heap_guarded(void);

/* Memory has run out, or HEAP_DEFECT: back to the border. There must be one. */
_Noreturn void heap_out(size_t bytes);

/* What assert() calls when it fails: back to the border, with the text. Where there is none, or none with a pool, the
 * process ends. */
_Noreturn void heap_defect(const char *assertion, const char *file, unsigned line, const char *function);
const char *heap_defect_text(void); /* of the thread's last one; "" before */
#ifdef __GLIBC__
#define __assert_fail heap_defect
#endif

/* Code that is not ours is called from behind a border: what it allocates is its own, and its calls of ours have
 * borders of their own. The thread has none between these two. */
struct border *heap_suspend(void);
void heap_resume(struct border *border);

/* drop(thing) if memory runs out before heap_let_go(thing). When even that cannot be noted, it is dropped at once, and
 * memory has run out. */
void heap_hold(void (*drop)(void *thing), void *thing);
void heap_let_go(const void *thing);

void *heap_malloc(size_t size) __attribute__((malloc));
void *heap_calloc(size_t count, size_t size) __attribute__((malloc));
void *heap_realloc(void *old, size_t size);
void *heap_reallocarray(void *old, size_t count, size_t size);
char *heap_strdup(const char *text);
char *heap_strndup(const char *text, size_t most);
void heap_free(void *block);

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
