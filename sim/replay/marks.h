/* Marks: places in a recorded run where the kernel's behavior depends on time.
 *
 * A replay repeats the recording on every machine. A run there would do the same, unless a value that depends on time
 * steers the kernel (isa/steering.h). Such values are found in two ways:
 *
 *   by the instruction   get.clock, results of atomic operations, and results of operations on pipes
 *   by the bytes         a load that steers reads bytes of global memory that another work-group writes in the same
 *                        launch, earlier or later; or bytes of the LDS that another warp writes without a barrier in
 *                        between, that come from a copy nobody has waited for, or that this work-group has not written
 *
 * For the bytes there is a shadow of global memory and one of each LDS: who wrote and who read each word last. Both are
 * updated as instructions issue. Whether two accesses conflict does not depend on their order.
 *
 * Invariant: a shadow exists only if a load from its space steers. The marks do not depend on the order in which
 * compute units are stepped.
 *
 * Not modeled: races in global memory within a work-group, or in images; values that are the same in any order although
 * two work-groups produce them, except by atomic operations that commute; bytes that depend on parameters of the
 * machine other than times (dma.out_of_bounds, dma.swizzle, dma.misaligned). */
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

/* For each instruction of a program, a byte: what to check when it issues. 0: nothing. */
enum mark_watch {
  WATCH_CLOCK = 1 << MARK_CLOCK,
  WATCH_ATOMIC = 1 << MARK_ATOMIC,
  WATCH_PIPE = 1 << MARK_PIPE,
  WATCH_GLOBAL = 8,   /* global memory that it reads or writes */
  WATCH_LDS = 16,     /* LDS that it reads or writes */
  WATCH_READS = 32,   /* the values that it reads there steer */
  WATCH_COMMUTE = 64, /* it writes by an operation that commutes */
  WATCH_ORDER = 128,  /* a barrier, a wait or a copy */
};

/* A resident work-group, and its warps. */
enum { MARK_COPIES = 64 };
struct marked_group {
  uint32_t launch, id; /* number of the launch; number in the global shadow */
  uint64_t serial;     /* number in the shadow of the LDS */
  uint32_t warps;
  uint8_t arrived[MARK_COPIES]; /* warps that have reached each of the last copies, by the copy's number modulo
                                 * MARK_COPIES */
};
struct marked_warp {
  uint32_t index, barriers, copies;
  uint32_t waited[MARK_COPIES]; /* the latest event waited for, by its number modulo MARK_COPIES */
};

/* The shadow of a compute unit's LDS. */
struct marked_lds {
  uint64_t *writer, *reader; /* one entry for each 4 bytes; NULL until needed */
  uint32_t bytes;
  uint64_t serials;
};

struct marks *marks_new(void);
void marks_free(struct marks *marks);

/* What to check in a program. The caller frees it. */
uint8_t *marks_watch(const struct isa_program *program);

/* `count` launches begin to run at once; the first has number `first`. `watched` has the marks_watch() of each. */
void marks_launch(struct marks *marks, uint32_t first, const struct isa_launch *launches, size_t count,
                  const uint8_t *const *watched);

/* Creates the shadow of the LDS if the program needs it. */
void marks_lds(struct marked_lds *lds, const struct isa_program *program, const uint8_t *watch, uint32_t bytes);

void marks_group(struct marks *marks, struct marked_lds *lds, struct marked_group *group, uint32_t launch,
                 uint32_t number, uint32_t linear, uint32_t warps);
void marks_warp(struct marked_warp *warp, uint32_t index);

/* An instruction with something to check has issued. */
void marks_step(struct marks *marks, struct marked_lds *lds, struct marked_group *group, struct marked_warp *warp,
                const struct isa_group *shape, uint8_t watch, const struct isa_access *access,
                const struct isa_result *result);

/* The marks as text, sorted and without duplicates, a line each: launch, pc, name. The caller frees it. */
char *marks_text(struct marks *marks);

#endif
