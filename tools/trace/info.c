#include "tools/trace/info.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "models/machine_groups.h"
#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/text.h"
#include "sim/report/report.h"

enum { SOURCE_WIDTH = 80 };

/* ---- the recording ----------------------------------------------------------------------------------- */

/* Counts the operations of each launch, and of all, from the batches' headers. */
static bool count_operations(struct trace_facts *facts, struct message *message) {
  facts->by_launch = need(trace_launches(facts->trace) + 1u, sizeof *facts->by_launch);
  const uint32_t *order = trace_file_order(facts->trace);
  for (uint32_t i = 0; i < trace_batches(facts->trace); i++) {
    struct trace_batch batch;
    if (!trace_batch(facts->trace, order[i], &batch, message))
      return false;
    facts->by_launch[batch.launch] += batch.operations;
    facts->operations += batch.operations;
  }
  if (trace_sizes(facts->trace, &facts->raw, &facts->stored))
    return true;
  *message = *trace_failed(facts->trace);
  return false;
}

static void print_triple(struct text *text, const uint32_t value[3], uint32_t dimensions) {
  for (uint32_t i = 0; i < dimensions; i++)
    text_print(text, "%s%" PRIu32, i ? " x " : "", value[i]);
}

static void print_launch(struct text *text, const struct trace_facts *facts, size_t number) {
  const struct job_launch *launch = &facts->job->launches[number];
  text_print(text, "launch %-7zu kernel '%s', ", number + 1, launch->isa.kernel->name);
  print_triple(text, launch->isa.global, launch->isa.dimensions);
  text_print(text, " work-items in groups of ");
  print_triple(text, launch->isa.local, launch->isa.dimensions);
  if (launch->isa.part_groups)
    text_print(text, ", of which %u from number %u on", launch->isa.part_groups, launch->isa.first_group);
  const uint64_t operations = number < trace_launches(facts->trace) ? facts->by_launch[number] : 0;
  text_print(text, ": %" PRIu64 " operation%s of warps\n", operations, text_s(operations));
}

static void print_recording(struct text *text, const struct trace_facts *facts) {
  text_print(text, "recording      %s, on machine %s\n", facts->job->name, machine_name(facts->job->machine));
  for (size_t i = 0; i < facts->job->launch_count; i++)
    print_launch(text, facts, i);
  text_print(text, "operations     %" PRIu64 " in %" PRIu64 " bytes", facts->operations, facts->bytes);
  if (facts->operations)
    text_print(text, ": %.4f bytes an operation", (double)facts->bytes / (double)facts->operations);
  text_print(text, "\n");
  text_print(text, "blocks         %" PRIu64 " bytes, %.2f times as many before compression\n", facts->stored,
             per((double)facts->raw, (double)facts->stored));
  for (size_t i = 0; i < facts->mark_count; i++) {
    char place[PROGRAM_PLACE];
    program_place(facts->job->launches[facts->marks[i].launch].isa.program, facts->marks[i].pc, place);
    text_print(text, "depends on time  launch %" PRIu32 ", %s: %s\n", facts->marks[i].launch + 1, place,
               facts->marks[i].text);
  }
}

/* ---- kernels ------------------------------------------------------------------------------------------- */

/* The name under which an operation is counted: its class; memory classes also by access. */
static void name_of(const struct isa_info *info, char name[TRACE_KIND_NAME]) {
  const bool memory = info->class_ == ISA_CLASS_LDS || info->class_ == ISA_CLASS_GLOBAL;
  snprintf(name, TRACE_KIND_NAME, "%s%s", isa_class_name((enum isa_class)info->class_),
           !memory        ? ""
           : info->atomic ? " atomic"
           : info->store  ? " store"
                          : " load");
}

struct kind_count *trace_count_kinds(const struct kernel_count *kernel, size_t *count) {
  struct kind_count *kinds = NULL;
  *count = 0;
  for (uint32_t pc = 0; pc < kernel->program->count; pc++) {
    char name[TRACE_KIND_NAME];
    size_t i = 0;
    if (!kernel->by_pc[pc].operations)
      continue;
    name_of(&kernel->program->info[pc], name);
    while (i < *count && strcmp(kinds[i].name, name) != 0)
      i++;
    if (i == *count) {
      kinds = need_more(kinds, ++*count, sizeof *kinds);
      kinds[i] = (struct kind_count){.class_ = kernel->program->info[pc].class_};
      strcpy(kinds[i].name, name);
    }
    op_count_add(&kinds[i].count, &kernel->by_pc[pc]);
  }
  return kinds;
}

static double lanes_of(const struct op_count *count) { return per((double)count->lanes, (double)count->operations); }

static void print_kinds(struct text *text, const struct kernel_count *kernel) {
  size_t count = 0;
  struct kind_count *kinds = trace_count_kinds(kernel, &count);
  text_print(text, "  %-14s  %12s      %%  lanes  %14s\n", "class", "operations", "bytes");
  for (unsigned class_ = 0; class_ < ISA_CLASSES; class_++)
    for (size_t i = 0; i < count; i++) {
      const struct op_count *sum = &kinds[i].count;
      if (kinds[i].class_ != class_)
        continue;
      text_print(text, "  %-14s  %12" PRIu64 "  %5.1f  %5.1f", kinds[i].name, sum->operations,
                 100 * per((double)sum->operations, (double)kernel->all.operations), lanes_of(sum));
      text_print(text, sum->accesses ? "  %14" PRIu64 "\n" : "\n", sum->bytes);
    }
  free(kinds);
}

const char *trace_copy_name(bool to_lds, unsigned form) {
  static const char *const names[2][COPY_FORMS] = {{"plain out", "strided out", "2D out", "3D out"},
                                                   {"plain in", "strided in", "2D in", "3D in"}};
  return names[to_lds][form];
}

static void print_copies(struct text *text, const struct kernel_count *kernel) {
  if (kernel->all.copies)
    text_print(text, "  %-14s  %12s  %12s  %14s\n", "copies", "number", "", "bytes");
  for (unsigned to_lds = 2; to_lds-- > 0;)
    for (unsigned form = 0; form < COPY_FORMS; form++) {
      const struct copy_count *copies = &kernel->copies[to_lds][form];
      if (copies->copies)
        text_print(text, "  %-14s  %12" PRIu64 "  %12s  %14" PRIu64 "\n", trace_copy_name(to_lds, form), copies->copies,
                   "", copies->bytes);
    }
}

/* ---- lines --------------------------------------------------------------------------------------------- */

/* A source line without its indentation, truncated, and without characters that would disturb a terminal. */
static void print_source(struct text *text, const struct isa_program *program, const struct line_count *line) {
  const struct isa_source *source = line->source < program->source_count ? &program->sources[line->source] : NULL;
  const bool known = line->line && source && source->text && line->line <= source->lines;
  const char *at = known ? source->text[line->line - 1] : "";
  char clean[SOURCE_WIDTH + 1];
  size_t length = 0;
  for (at += strspn(at, " \t"); *at && *at != '\n' && *at != '\r' && length < SOURCE_WIDTH; at++)
    clean[length++] = (unsigned char)*at < ' ' || *at == 0x7f ? ' ' : *at;
  clean[length] = '\0';
  if (line->line)
    text_print(text, "%7" PRIu32 "%s%s\n", line->line, *clean ? "  " : "", clean);
  else
    text_print(text, "%7s\n", "-");
}

static void print_lines(struct text *text, const struct kernel_count *kernel) {
  const struct isa_program *program = kernel->program;
  size_t count = 0;
  struct line_count *lines = trace_count_lines(kernel, &count);
  for (size_t i = 0; i < count; i++) {
    const struct op_count *sum = &lines[i].count;
    if (!i || lines[i].source != lines[i - 1].source) {
      const bool known = lines[i].source < program->source_count;
      text_print(text, "  %s\n", file_base(known ? program->sources[lines[i].source].name : program->file));
      text_print(text, "    operations  lanes    accesses           bytes  copies    copied bytes   line\n");
    }
    text_print(text, "  %12" PRIu64 "  %5.1f", sum->operations, lanes_of(sum));
    if (sum->accesses)
      text_print(text, "%12" PRIu64 "%16" PRIu64, sum->accesses, sum->bytes);
    else
      text_print(text, "%28s", "");
    if (sum->copies)
      text_print(text, "%8" PRIu64 "%16" PRIu64, sum->copies, sum->copy_bytes);
    else
      text_print(text, "%24s", "");
    print_source(text, program, &lines[i]);
  }
  free(lines);
}

static void print_kernel(struct text *text, const struct kernel_count *kernel, bool with_lines) {
  text_print(text, "\nkernel %s in %s: %" PRIu64 " launch%s, %" PRIu64 " operation%s of warps, %.1f lanes on average\n",
             kernel->kernel->name, file_base(kernel->program->file), kernel->launches, text_es(kernel->launches),
             kernel->all.operations, text_s(kernel->all.operations), lanes_of(&kernel->all));
  print_kinds(text, kernel);
  print_copies(text, kernel);
  if (with_lines)
    print_lines(text, kernel);
}

/* ---- the text ------------------------------------------------------------------------------------------- */

static void print_all(const struct trace_facts *facts, bool lines, struct text *text) {
  print_recording(text, facts);
  for (size_t i = 0; i < facts->kernels.count; i++)
    print_kernel(text, &facts->kernels.kernels[i], lines);
}

bool trace_info(const struct recording *opened, const char *path, const struct trace_info_form *form, struct text *text,
                struct message *message) {
  struct trace_facts facts = {.trace = opened->trace, .job = &opened->job};
  struct stat file = {0};
  bool good = count_operations(&facts, message);
  if (good && !form->brief)
    good = trace_count_read(opened->trace, &opened->job, &facts.kernels, message);
  stat(path, &file);
  facts.bytes = (uint64_t)file.st_size;
  facts.marks = trace_job_marks(opened->trace, &opened->job, &facts.mark_count);
  if (good && form->json)
    trace_info_json(&facts, text);
  else if (good)
    print_all(&facts, form->lines, text);
  free(facts.marks);
  free(facts.by_launch);
  trace_count_free(&facts.kernels);
  return good;
}
