/* warpwait trace info --json: docs/trace-tools.md lists the keys. */
#include <jansson.h>
#include <stdlib.h>

#include "models/machine_groups.h"
#include "sim/base/file.h"
#include "sim/base/json_out.h"
#include "sim/report/report.h"
#include "tools/trace/info.h"

static json_t *launch_list(const struct trace_facts *facts) {
  json_t *list = json_array();
  for (size_t i = 0; i < facts->job->launch_count; i++) {
    const struct isa_launch *launch = &facts->job->launches[i].isa;
    json_t *object = json_object();
    json_set_word(object, "kernel", launch->kernel->name);
    json_object_set_new(object, "global", json_of_triple(launch->global));
    json_object_set_new(object, "local", json_of_triple(launch->local));
    json_set_whole(object, "first_work_group", launch->first_group);
    json_set_whole(object, "work_groups", isa_launch_groups(launch));
    json_set_whole(object, "operations", i < trace_launches(facts->trace) ? facts->by_launch[i] : 0);
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *mark_list(const struct trace_facts *facts) {
  json_t *list = json_array();
  for (size_t i = 0; i < facts->mark_count; i++) {
    const struct trace_mark *mark = &facts->marks[i];
    char place[PROGRAM_PLACE];
    json_t *object = json_object();
    program_place(facts->job->launches[mark->launch].isa.program, mark->pc, place);
    json_set_whole(object, "launch", mark->launch + 1);
    json_set_word(object, "place", place);
    json_set_word(object, "why", mark->text);
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *count_object(const struct op_count *count) {
  json_t *object = json_object();
  json_set_whole(object, "operations", count->operations);
  json_set_whole(object, "lanes", count->lanes);
  json_set_whole(object, "accesses", count->accesses);
  json_set_whole(object, "bytes", count->bytes);
  json_set_whole(object, "copies", count->copies);
  json_set_whole(object, "copy_bytes", count->copy_bytes);
  return object;
}

static json_t *class_list(const struct kernel_count *kernel) {
  json_t *list = json_array();
  size_t count = 0;
  struct kind_count *kinds = trace_count_kinds(kernel, &count);
  for (size_t i = 0; i < count; i++) {
    json_t *object = count_object(&kinds[i].count);
    json_set_word(object, "class", kinds[i].name);
    json_array_append_new(list, object);
  }
  free(kinds);
  return list;
}

static json_t *copy_list(const struct kernel_count *kernel) {
  json_t *list = json_array();
  for (unsigned to_lds = 2; to_lds-- > 0;)
    for (unsigned form = 0; form < COPY_FORMS; form++) {
      const struct copy_count *copies = &kernel->copies[to_lds][form];
      json_t *object = json_object();
      if (!copies->copies) {
        json_decref(object);
        continue;
      }
      json_set_word(object, "form", trace_copy_name(to_lds, form));
      json_set_whole(object, "copies", copies->copies);
      json_set_whole(object, "copy_bytes", copies->bytes);
      json_array_append_new(list, object);
    }
  return list;
}

static json_t *line_list(const struct kernel_count *kernel) {
  const struct isa_program *program = kernel->program;
  json_t *list = json_array();
  size_t count = 0;
  struct line_count *lines = trace_count_lines(kernel, &count);
  for (size_t i = 0; i < count; i++) {
    json_t *object = count_object(&lines[i].count);
    const bool known = lines[i].source < program->source_count;
    json_set_word(object, "file", file_base(known ? program->sources[lines[i].source].name : program->file));
    json_set_whole(object, "line", lines[i].line);
    json_array_append_new(list, object);
  }
  free(lines);
  return list;
}

static json_t *kernel_list(const struct trace_facts *facts) {
  json_t *list = json_array();
  for (size_t i = 0; i < facts->kernels.count; i++) {
    const struct kernel_count *kernel = &facts->kernels.kernels[i];
    json_t *object = count_object(&kernel->all);
    json_set_word(object, "kernel", kernel->kernel->name);
    json_set_word(object, "file", file_base(kernel->program->file));
    json_set_whole(object, "launches", kernel->launches);
    json_object_set_new(object, "classes", class_list(kernel));
    json_object_set_new(object, "copy_forms", copy_list(kernel));
    json_object_set_new(object, "by_line", line_list(kernel));
    json_array_append_new(list, object);
  }
  return list;
}

void trace_info_json(const struct trace_facts *facts, struct text *text) {
  json_t *root = json_object();
  json_set_word(root, "recording", facts->job->name);
  json_set_word(root, "machine", machine_name(facts->job->machine));
  json_set_whole(root, "file_bytes", facts->bytes);
  json_set_whole(root, "block_bytes", facts->stored);
  json_set_whole(root, "raw_bytes", facts->raw);
  json_set_whole(root, "operations", facts->operations);
  json_object_set_new(root, "launches", launch_list(facts));
  json_object_set_new(root, "depends_on_time", mark_list(facts));
  json_object_set_new(root, "kernels", kernel_list(facts));
  char *dump = json_dumps(root, JSON_INDENT(2));
  if (dump)
    text_print(text, "%s\n", dump);
  free(dump);
  json_decref(root);
}
