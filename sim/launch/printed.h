/* What work-items print with printf, in an order that does not depend on simulated time or on the host: by work-group,
 * then by work-item, then by call.
 *
 * At most PRINTED_BYTES are kept: the first ones in that order, whenever they are printed. */
#ifndef SIM_LAUNCH_PRINTED_H
#define SIM_LAUNCH_PRINTED_H

#include "isa/isa.h"

enum { PRINTED_BYTES = 16 << 20 };

struct printed {
  char *text; /* not terminated; may hold any bytes */
  size_t length;
  bool truncated;
};

void printed_free(struct printed *printed);

struct print_piece {
  uint64_t group, call; /* `call` numbers all calls of the launch, so it increases from call to call of a work-item */
  uint32_t item;
  size_t start, length;
};

/* Collects the pieces of a launch. */
struct print_log {
  struct print_piece *pieces;
  size_t count, room;
  char *text;
  size_t length, text_room;
  size_t limit; /* PRINTED_BYTES; smaller in tests */
  uint64_t calls;
  bool cut;
  struct print_piece horizon; /* when cut: pieces from here on, in that order, are dropped */
  bool busy;                  /* spin lock: a thread is adding a piece */
};

/* isa_launch.print, with a struct print_log as its context. Threads may call it at the same time, for different
 * work-items. */
void print_log_take(void *log, const struct isa_group *group, uint32_t item, const char *text, size_t length);

/* Returns all that was collected, in order, and frees the log's memory. */
struct printed print_log_finish(struct print_log *log);

#endif
