/* What `warpwait trace info` knows of a trace, and its two forms: text (trace_info.c), JSON (trace_info_json.c). */
#ifndef SIM_CLI_TRACE_INFO_H
#define SIM_CLI_TRACE_INFO_H

#include "sim/cli/text.h"
#include "sim/cli/trace_count.h"
#include "sim/cli/trace_verbs.h"

enum { TRACE_KIND_NAME = 32 };

struct trace_facts {
  struct trace *trace;
  const struct job *job;
  uint64_t bytes, raw, stored;     /* of the file; of its blocks before compression and after */
  uint64_t operations, *by_launch; /* of all; of each launch of the trace */
  struct trace_mark *marks;
  size_t mark_count;
  struct trace_count kernels; /* none when they were not asked for */
};

/* Operations of a kernel by class; loads, stores and atomics apart. */
struct kind_count {
  uint8_t class_; /* enum isa_class */
  char name[TRACE_KIND_NAME];
  struct op_count count;
};

/* Those that there are, in the order of the program. The caller frees them. */
struct kind_count *trace_count_kinds(const struct kernel_count *kernel, size_t *count);

/* "2D in", ... */
const char *trace_copy_name(bool to_lds, unsigned form);

void trace_info_json(const struct trace_facts *facts, struct text *text);

#endif
