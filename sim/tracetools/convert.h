/* `warpwait trace convert` of traces: into text and back. The input's first bytes and the output's suffix decide. */
#ifndef SIM_TRACETOOLS_CONVERT_H
#define SIM_TRACETOOLS_CONVERT_H

#include <stdio.h>

#include "sim/tracetools/opened.h"

struct trace_conversion {
  const char *in, *out; /* paths */
  enum trace_open_mode mode;
  const struct caller *caller;
  bool to_text; /* else from text: trace_conversion_choose() says it */
};

/* False with the message filled when the one does not become the other. */
bool trace_conversion_choose(struct trace_conversion *conversion, struct message *message);

/* Writes the output; the second one takes the descriptor. */
bool trace_to_text(const struct trace_conversion *conversion, FILE *stream, struct message *message);
bool trace_from_text(const struct trace_conversion *conversion, int file, struct message *message);

#endif
