/* Facts about a trace for `warpwait trace info`, and their two forms: text (info.c), JSON (info_json.c). */
#ifndef TOOLS_TRACE_INFO_H
#define TOOLS_TRACE_INFO_H

#include "sim/base/text.h"
#include "tools/trace/count.h"
#include "tools/trace/opened.h"

enum { TRACE_KIND_NAME = 32 };

struct trace_facts {
  struct trace *trace;
  const struct job *job;
  uint64_t bytes, raw, stored;     /* file size; size of its blocks before and after compression */
  uint64_t operations, *by_launch; /* total; per launch of the trace */
  struct trace_mark *marks;
  size_t mark_count;
  struct trace_count kernels; /* empty if not requested */
};

/* Operations of a kernel by class; loads, stores and atomics separately. */
struct kind_count {
  uint8_t class_; /* enum isa_class */
  char name[TRACE_KIND_NAME];
  struct op_count count;
};

/* The kinds that occur, in program order. The caller frees them. */
struct kind_count *trace_count_kinds(const struct kernel_count *kernel, size_t *count);

/* Such as "2D in". */
const char *trace_copy_name(bool to_lds, unsigned form);

void trace_info_json(const struct trace_facts *facts, struct text *text);

struct trace_info_form {
  bool brief;       /* only what is known without reading every operation */
  bool lines, json; /* also counts per source line; JSON, which includes them */
};

/* Appends the facts about the trace in file `path`. */
bool trace_info(const struct recording *opened, const char *path, const struct trace_info_form *form, struct text *text,
                struct message *message);

#endif
