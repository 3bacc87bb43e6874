/* `warpwait trace convert` for traces: to text and back, chosen by the input's first bytes and the output's suffix. */
#ifndef TOOLS_TRACE_CONVERT_H
#define TOOLS_TRACE_CONVERT_H

#include <stdio.h>

#include "tools/trace/opened.h"

struct trace_conversion {
  const char *in, *out; /* paths */
  enum trace_open_mode mode;
  const struct caller *caller;
  bool to_text; /* else from text; set by trace_conversion_choose() */
};

/* False with the message filled if there is no such conversion. */
bool trace_conversion_choose(struct trace_conversion *conversion, struct message *message);

/* Write the output; the second takes over the descriptor. */
bool trace_to_text(const struct trace_conversion *conversion, FILE *stream, struct message *message);
bool trace_from_text(const struct trace_conversion *conversion, int file, struct message *message);

#endif
