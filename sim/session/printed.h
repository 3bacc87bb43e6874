/* What work-items print with printf, in an order that does not depend on time or host: by work-group, then work-item,
 * then the order of its calls.
 *
 * At most PRINTED_BYTES are kept: those that come first in that order, whatever is printed when. */
#ifndef SIM_SESSION_PRINTED_H
#define SIM_SESSION_PRINTED_H

#include "isa/isa.h"

enum { PRINTED_BYTES = 16 << 20 };

struct printed {
  char *text; /* not terminated; may hold any bytes */
  size_t length;
  bool truncated;
};

void printed_free(struct printed *printed);

struct print_piece {
  uint64_t group, call; /* `call` counts all calls of the launch: it grows with those of a work-item */
  uint32_t item;
  size_t start, length;
};

/* Collects the pieces of a launch. */
struct print_log {
  struct print_piece *pieces;
  size_t count, room;
  char *text;
  size_t length, text_room;
  size_t limit; /* PRINTED_BYTES; tests have less */
  uint64_t calls;
  bool cut;
  struct print_piece horizon; /* when cut: what comes here or later in the order is not kept */
  bool busy;                  /* a thread adds a piece: others wait */
};

/* isa_launch.print, with a struct print_log as its context. Threads may print at once, a work-item in one at a time. */
void print_log_take(void *log, const struct isa_group *group, uint32_t item, const char *text, size_t length);

/* Gives all that was collected, in order, and frees the log's own memory. */
struct printed print_log_finish(struct print_log *log);

#endif
