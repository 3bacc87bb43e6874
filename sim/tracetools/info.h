/* What `warpwait trace info` knows of a trace, and its two forms: text (info.c), JSON (info_json.c). */
#ifndef SIM_TRACETOOLS_INFO_H
#define SIM_TRACETOOLS_INFO_H

#include "sim/base/text.h"
#include "sim/tracetools/count.h"
#include "sim/tracetools/opened.h"

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

struct trace_info_form {
  bool brief;       /* only what can be said without reading every operation */
  bool lines, json; /* what each source line did, too; as JSON, which has them */
};

/* Appends what is to be said of the trace in file `path`. */
bool trace_info(const struct opened_trace *opened, const char *path, const struct trace_info_form *form,
                struct text *text, struct message *message);

#endif
