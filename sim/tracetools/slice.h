/* A part of a trace as a trace: some launches, or some work-groups of them, whole. Of several wishes each asks for
 * less.
 *
 * Not modelled: what launches that are left out had put into the L2, or made of memory. */
#ifndef SIM_TRACETOOLS_SLICE_H
#define SIM_TRACETOOLS_SLICE_H

#include "sim/tracetools/opened.h"

struct trace_range {
  uint64_t first, last;
  bool given;
};

struct trace_slice {
  const char *path;
  enum trace_open_mode mode;
  struct trace_range launches, groups; /* from 1; from 0 */
  bool window;                         /* work-groups that began in these cycles: */
  uint64_t from, to;
};

/* Writes the slice. Takes the descriptor; `name` is the file's in messages. */
bool trace_slice(const struct trace_slice *wishes, int file, const char *name, const struct caller *caller,
                 struct message *message);

#endif
