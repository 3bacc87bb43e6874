/* Marks: where, in a recorded run, what a kernel does depends on time.
 *
 * A replay does what the recording did, on every machine. That is what a run would do there, unless a value that
 * depends on time steers the kernel (isa/steering.h). Such values are found in two ways:
 *
 *   by the instruction   get.clock, what an atomic operation returns, what becomes of an operation on a pipe
 *   by the bytes         a load that steers reads bytes of global memory that another work-group writes in the same
 * launch, before it or after it; or bytes of the LDS that another warp writes without a barrier between, that a copy
 * brings and nobody has waited for, or that nobody of this work-group has written
 *
 * For the bytes there are shadows, one of global memory and one of each LDS: who wrote and who read each word last.
 * Both are kept as instructions issue: who conflicts with whom does not depend on who comes first.
 *
 * Invariant: shadows are there only when a load from their space steers; the marks do not depend on the order in which
 * compute units are stepped.
 *
 * Not modelled: races within a work-group in global memory; values that are the same in any order although two
 * work-groups make them, other than by atomic operations that commute; bytes that other parameters of the machine than
 * its times change (dma.out_of_bounds, dma.swizzle, dma.misaligned). */
#ifndef SIM_REPLAY_MARKS_H
#define SIM_REPLAY_MARKS_H

#include "isa/isa.h"
#include "traces/trace.h"

enum mark {
#define MARK(id, ...) MARK_##id,
#include "sim/replay/marks.def"
#undef MARK
  MARKS
};

struct mark_row {
  const char *name, *text;
};
extern const struct mark_row mark_rows[MARKS];

struct marks;

/* Of a program: a byte an instruction, what is to be looked at when it issues. 0: nothing. */
enum mark_watch {
  WATCH_CLOCK = 1 << MARK_CLOCK,
  WATCH_ATOMIC = 1 << MARK_ATOMIC,
  WATCH_PIPE = 1 << MARK_PIPE,
  WATCH_GLOBAL = 8,   /* global memory that it reads or writes */
  WATCH_LDS = 16,     /* the LDS that it reads or writes */
  WATCH_READS = 32,   /* what it reads of these steers */
  WATCH_COMMUTE = 64, /* the order of such writes does not show */
  WATCH_ORDER = 128,  /* a barrier or a wait, or a copy */
};

/* Of a resident work-group and its warps. */
enum { MARK_COPIES = 64 };
struct marked_group {
  uint32_t launch, id; /* the launch's number; its own in the global shadow */
  uint64_t serial;     /* its own in the LDS's */
  uint32_t warps;
  uint8_t arrived[MARK_COPIES]; /* warps that have come to the last copies, by their number */
};
struct marked_warp {
  uint32_t index, barriers, copies;
  uint32_t waited[MARK_COPIES]; /* events, by their number */
};

/* A compute unit's LDS. */
struct marked_lds {
  uint64_t *writer, *reader; /* a word each 4 bytes; NULL until they are wanted */
  uint32_t bytes;
  uint64_t serials;
};

struct marks *marks_new(void);
void marks_free(struct marks *marks);

/* What to look at in a program; NULL when memory is out. The caller frees it. */
uint8_t *marks_watch(const struct isa_program *program);

/* Launches begin at once, the first of them number `first`. `watched` are what marks_watch() says of their programs. */
void marks_launch(struct marks *marks, uint32_t first, const struct isa_launch *launches, size_t count,
                  const uint8_t *const *watched);

/* Whether anything of the program is to be looked at in the LDS; then its shadow must be there. */
void marks_lds(struct marked_lds *lds, const struct isa_program *program, const uint8_t *watch, uint32_t bytes);

void marks_group(struct marks *marks, struct marked_lds *lds, struct marked_group *group, uint32_t launch,
                 uint32_t number, uint32_t linear, uint32_t warps);
void marks_warp(struct marked_warp *warp, uint32_t index);

/* An instruction with something to look at has been issued. */
void marks_step(struct marks *marks, struct marked_lds *lds, struct marked_group *group, struct marked_warp *warp,
                const struct isa_group *shape, uint8_t watch, const struct isa_access *access,
                const struct isa_result *result);

/* The marks as text, a line each: launch, pc, name; in this order, without repetitions. The caller frees it. */
char *marks_text(struct marks *marks);

#endif
