#include "sim/check/report.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/need.h"

const struct check_key check_keys[] = {
#define KEY(key, text) {key, text},
#include "sim/check/report.keys.def"
#undef KEY
};
const size_t check_key_count = sizeof check_keys / sizeof *check_keys;

bool *check_find_suppressed(const struct check_report *report, struct suppressions *all) {
  bool *suppressed = need(report->hazard_count, sizeof *suppressed);
  for (size_t i = 0; i < report->hazard_count; i++) {
    const struct check_hazard *hazard = &report->hazards[i];
    const bool pair = hazard->other.program;
    const struct suppress_place here = check_suppress_place(&hazard->here);
    const struct suppress_place other = pair ? check_suppress_place(&hazard->other) : here;
    suppressed[i] = suppressions_fit(all, isa_hazard_rows[hazard->rule].rule, &here, pair ? &other : NULL);
  }
  return suppressed;
}

size_t check_suppressed(const struct check_report *report) {
  size_t count = 0;
  for (size_t i = 0; i < report->hazard_count; i++)
    count += report->suppressed[i];
  return count;
}

bool check_whole(const struct check_report *report) {
  for (size_t i = 0; i < report->count; i++)
    if (report->results[i].end != END_FINISHED)
      return false;
  return report->count == report->job->launch_count;
}

/* ---- places ------------------------------------------------------------------------------------- */

/* The program's own file has the path that the user gave, and an included file the one from which it was read. */
static const char *path_of(const struct isa_program *program, const struct isa_source *source) {
  const bool own = strcmp(source->name, program->file) == 0;
  const char *path = own || !source->path ? source->name : source->path;
  while (strncmp(path, "./", 2) == 0)
    path += 2;
  return path;
}

struct check_place check_place(const struct check_side *side) {
  const struct isa_program *program = side->program;
  struct check_place place = {.path = program->file};
  if (side->pc < program->count && program->line[side->pc]) {
    place.line = program->line[side->pc];
    place.column = program->column[side->pc];
    place.text = isa_source_text(program, side->pc);
    if (program->source[side->pc] < program->source_count)
      place.path = path_of(program, &program->sources[program->source[side->pc]]);
  }
  place.name = file_base(place.path);
  return place;
}

struct suppress_place check_suppress_place(const struct check_side *side) {
  const struct check_place place = check_place(side);
  return (struct suppress_place){place.path, place.line, place.column};
}

void check_other_name(enum isa_hazard_rule rule, char text[static 64]) {
  const char *mark = strstr(isa_hazard_rows[rule].advice, "{other:");
  const char *words = mark ? strchr(mark, ':') + 1 : "the other place";
  const bool one = strncmp(words, "one ", 4) == 0; /* one of two: seen from here, the other one */
  const char *from = one ? words + 4 : words;
  snprintf(text, 64, "%s%.*s", one ? "the other " : "", (int)strcspn(from, "}"), from);
}

/* Advice within a work-group does not help between work-groups, and vice versa. A hazard in global memory may occur in
 * both. */
static void cut_advice(const struct check_hazard *hazard, char *text) {
  char *between = strstr(text, "; between work-groups, ");
  if (!between || !hazard->other.program)
    return;
  if (memcmp(hazard->here.group, hazard->other.group, sizeof hazard->here.group) != 0)
    memmove(text, between + 2, strlen(between + 2) + 1);
  else if (hazard->space == CHECK_LDS)
    *between = '\0';
}

void check_advice(const struct check_hazard *hazard, char text[static ISA_ADVICE]) {
  const struct check_place here = check_place(&hazard->here);
  const struct check_place other = hazard->other.program ? check_place(&hazard->other) : here;
  const bool one_file = strcmp(here.path, other.path) == 0;
  isa_hazard_advice(hazard->rule, one_file ? here.line : 0, one_file && hazard->other.program ? other.line : 0, text);
  cut_advice(hazard, text);
}

void check_local_id(const struct isa_launch *launch, const struct check_side *side, uint32_t id[3]) {
  const uint32_t *groups = launch->groups, *at = side->group;
  struct isa_group group;
  isa_group_place(&group, launch, at[0] + groups[0] * (at[1] + groups[1] * at[2]));
  id[0] = side->item % group.size[0];
  id[1] = side->item / group.size[0] % group.size[1];
  id[2] = side->item / group.size[0] / group.size[1];
}

/* ---- bytes -------------------------------------------------------------------------------------- */

static uint64_t local_start(const struct isa_launch *launch, const struct isa_arg *arg) {
  uint32_t start = 0;
  memcpy(&start, launch->args + arg->offset, arg->bytes < sizeof start ? arg->bytes : sizeof start);
  return start;
}

/* A local argument extends to the next one. */
static uint64_t local_end(const struct isa_launch *launch, uint64_t start) {
  uint64_t end = launch->lds_bytes;
  for (size_t i = 0; i < launch->kernel->arg_count; i++) {
    const struct isa_arg *arg = &launch->kernel->args[i];
    const uint64_t next = arg->kind == ISA_ARG_LOCAL ? local_start(launch, arg) : end;
    end = next > start && next < end ? next : end;
  }
  return end;
}

struct check_variable check_variable_at(const struct isa_launch *launch, uint64_t offset) {
  const struct isa_kernel *kernel = launch->kernel;
  struct check_variable found = {0};
  for (size_t i = 0; i < kernel->lds_count; i++)
    if (offset >= kernel->lds[i].offset && offset - kernel->lds[i].offset < kernel->lds[i].bytes)
      return (struct check_variable){kernel->lds[i].name, kernel->lds[i].offset,
                                     (uint64_t)kernel->lds[i].offset + kernel->lds[i].bytes};
  for (size_t i = 0; i < kernel->arg_count && offset >= kernel->lds_bytes; i++) {
    const uint64_t start = kernel->args[i].kind == ISA_ARG_LOCAL ? local_start(launch, &kernel->args[i]) : UINT64_MAX;
    if (start <= offset && (!found.name || start > found.start))
      found = (struct check_variable){kernel->args[i].name, start, local_end(launch, start)};
  }
  return found;
}

static void find_buffer(const struct isa_memory *memory, uint64_t address, struct check_bytes *bytes) {
  const struct isa_buffer *buffer = isa_memory_near(memory, address);
  if (!buffer)
    return;
  *bytes = (struct check_bytes){.name = buffer->name, .offset = address - buffer->base};
  if (bytes->offset >= buffer->bytes)
    bytes->beyond = buffer;
}

struct check_bytes check_bytes(const struct job *job, const struct check_hazard *hazard) {
  const struct isa_launch *launch = &job->launches[hazard->launch].isa;
  struct check_bytes bytes = {.offset = hazard->address};
  if (hazard->space == CHECK_GLOBAL)
    find_buffer(launch->memory, hazard->address, &bytes);
  const struct check_variable variable =
      hazard->space == CHECK_LDS ? check_variable_at(launch, hazard->address) : (struct check_variable){0};
  if (variable.name)
    bytes = (struct check_bytes){.name = variable.name, .offset = hazard->address - variable.start};
  return bytes;
}
