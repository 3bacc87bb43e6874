#include "sim/report/fidelity.h"

#include <stdlib.h>
#include <string.h>

#include "isa/rows.h"
#include "models/machine.h"
#include "sim/base/json_out.h"
#include "sim/base/text.h"
#include "sim/launch/machines.h"
#include "sim/report/report.h"

#define VALIDATED "h200"

/* A kind with a smaller share of the warps' instructions does not characterize a launch: a timestamp, a loop's
 * setup. */
static const double MAIN_SHARE = 0.01;

const struct fidelity_row fidelity_rows[] = {
#define FEWEST(...)
#define KIND(...)
#define CLASS(...) {__VA_ARGS__},
#include "sim/report/fidelity.def"
#undef FEWEST
#undef KIND
#undef CLASS
};
const size_t fidelity_row_count = sizeof fidelity_rows / sizeof *fidelity_rows;

enum {
#define FEWEST(rows) FEWEST_ROWS = rows,
#define KIND(id, rows) ROWS_OF_##id = rows,
#define CLASS(...)
#include "sim/report/fidelity.def"
#undef FEWEST
#undef KIND
#undef CLASS
};

const unsigned fidelity_fewest = FEWEST_ROWS;

const struct fidelity_kind_row fidelity_kind_rows[FIDELITY_KINDS] = {
#define MAIN true
#define SIDE false
#define OP(id, part, name, ...) [FIDELITY_##id] = {name, part, ROWS_OF_##id},
#define RUN(id, part, name, ...) [FIDELITY_##id] = {name, part, ROWS_OF_##id},
#include "sim/report/fidelity.kinds.def"
#undef MAIN
#undef SIDE
#undef OP
#undef RUN
};

/* ---- the machine ----------------------------------------------------------------------------------- */

static bool same_machine(const struct machine *a, const struct machine *b) {
  for (size_t g = 0; g < MACHINE_MODEL_GROUPS; g++)
    for (size_t i = 0; i < machine_groups[g].count; i++) {
      const struct param_row *row = &machine_groups[g].rows[i];
      if (param_value(&machine_groups[g], row, a) != param_value(&machine_groups[g], row, b))
        return false;
    }
  return true;
}

/* Whether the machine is a preset that models no device. Reading a preset takes a tenth of a millisecond. */
static bool is_no_device(const struct machine *machine) {
  struct machine preset;
  struct message message = {0};
  for (size_t i = 0; i < preset_count; i++)
    if (machine_load(presets[i].name, NULL, NULL, &preset, &message) && same_machine(machine, &preset))
      return true;
  return false;
}

enum fidelity_machine fidelity_of_machine(const struct machine *machine, const struct machine *file) {
  struct machine validated;
  struct message message = {0};
  const bool known = machine_load(VALIDATED, NULL, NULL, &validated, &message);
  if (known && same_machine(machine, &validated))
    return FIDELITY_VALIDATED;
  if (known && same_machine(file, &validated))
    return FIDELITY_CHANGED;
  return is_no_device(file) ? FIDELITY_NO_DEVICE : FIDELITY_OWN;
}

/* ---- the class ------------------------------------------------------------------------------------- */

static bool op_has(enum fidelity_kind kind, const struct isa_program *program, uint32_t pc) {
  const struct isa_info *op = &program->info[pc];
  const enum isa_format format = isa_rows[program->code[pc].op].format;
  switch (kind) {
#define OP(id, part, name, ...)                                                                                        \
  case FIDELITY_##id:                                                                                                  \
    return __VA_ARGS__;
#define RUN(...)
#include "sim/report/fidelity.kinds.def"
#undef OP
#undef RUN
  default:
    return false;
  }
}

static bool run_has(enum fidelity_kind kind, const struct launch_result *run) {
  switch (kind) {
#define OP(...)
#define RUN(id, part, name, ...)                                                                                       \
  case FIDELITY_##id:                                                                                                  \
    return __VA_ARGS__;
#include "sim/report/fidelity.kinds.def"
#undef OP
#undef RUN
  default:
    return false;
  }
}

static void find_kinds(const struct isa_program *program, const struct launch_result *result, struct fidelity *of) {
  for (enum fidelity_kind kind = 0; kind < FIDELITY_KINDS; kind++) {
    const uint64_t bit = UINT64_C(1) << kind;
    const bool by_run = run_has(kind, result);
    uint64_t issues = 0;
    for (uint32_t pc = 0; pc < program->count; pc++)
      if (result->by_pc[pc].issues && op_has(kind, program, pc))
        issues += result->by_pc[pc].issues;
    if (by_run || issues)
      of->kinds |= bit;
    if (fidelity_kind_rows[kind].main && (by_run || (double)issues > MAIN_SHARE * (double)result->cu.warp_instructions))
      of->main |= bit;
  }
}

const struct fidelity_row *fidelity_find(const char *limit, const char *operations) {
  const struct fidelity_row *of_limit = NULL, *of_all = NULL;
  for (size_t i = 0; i < fidelity_row_count; i++) {
    const struct fidelity_row *row = &fidelity_rows[i];
    if (!row->limit)
      of_all = row;
    else if (strcmp(row->limit, limit) == 0 && !row->operations)
      of_limit = row;
    else if (strcmp(row->limit, limit) == 0 && strcmp(row->operations, operations) == 0)
      return row;
  }
  return of_limit ? of_limit : of_all;
}

static uint64_t uncovered_of(uint64_t kinds) {
  uint64_t uncovered = 0;
  for (enum fidelity_kind kind = 0; kind < FIDELITY_KINDS; kind++)
    if (fidelity_kind_rows[kind].rows < FEWEST_ROWS)
      uncovered |= kinds & UINT64_C(1) << kind;
  return uncovered;
}

struct fidelity fidelity_of(const struct job *job, size_t launch, const struct launch_result *result,
                            enum fidelity_machine machine) {
  struct fidelity of = {.machine = job->origin == JOB_IMPORTED ? FIDELITY_IMPORTED : machine};
  if (result->end != END_FINISHED)
    return of;
  const struct report_likely likely = report_likely(job->machine, result);
  of.limit = likely.key ? likely.key : "none";
  of.said = likely.key ? likely.said : "nothing";
  find_kinds(job->launches[launch].isa.program, result, &of);
  if (of.machine != FIDELITY_VALIDATED)
    return of;
  char *operations = fidelity_words(of.main);
  of.row = fidelity_find(of.limit, operations);
  of.uncovered = uncovered_of(of.kinds);
  free(operations);
  return of;
}

/* ---- output ---------------------------------------------------------------------------------------- */

/* Whether the job can be repeated on the validated machine as it is: a recording may not fit there. */
static bool can_repeat(const struct job *job) {
  struct machine validated;
  struct job there = {.machine = &validated};
  struct message message;
  if (job->origin == JOB_EXECUTED)
    return true;
  bool good = machine_load(VALIDATED, NULL, NULL, &validated, &message);
  validated.isa = job->machine->isa;
  for (size_t i = 0; good && i < job->launch_count; i++)
    good = job->launches[i].isa.warp_size == validated.cu.warp_size && job_fits(&there, &job->launches[i], &message);
  return good;
}

char *fidelity_words(uint64_t kinds) {
  struct text text = {0};
  text_print(&text, "%s", "");
  for (enum fidelity_kind kind = 0; kind < FIDELITY_KINDS; kind++)
    if (kinds >> kind & 1)
      text_print(&text, "%s%s", text.length ? ", " : "", fidelity_kind_rows[kind].name);
  return text.data;
}

static void say_row(const struct fidelity *of, struct text *text) {
  const struct fidelity_row *row = of->row;
  text_print(text, "Fidelity: median error %.1f %%, 90th percentile %.1f %%, in %s%s measurements", row->median,
             row->most, row->limit ? "" : "all ", TEXT_WHOLE(row->rows));
  if (row->operations)
    text_print(text, " whose counters name the same limit (%s), with the same operations (%s).", of->said,
               *row->operations ? row->operations : "arithmetic");
  else if (row->limit)
    text_print(text, " whose counters name the same limit (%s), but with other operations.", of->said);
  else
    text_print(text, "; too few resemble this launch.");
  if (of->uncovered) {
    char *words = fidelity_words(of->uncovered);
    text_print(text, " Not validated: %s.", words);
    free(words);
  }
}

char *fidelity_sentence(const struct fidelity *of, const struct job *job) {
  struct text text = {0};
  switch (of->machine) {
  case FIDELITY_VALIDATED:
    if (of->row)
      say_row(of, &text);
    else
      text_print(&text, "Fidelity: unknown, because the launch did not finish.");
    break;
  case FIDELITY_CHANGED:
    text_print(&text, "Fidelity: unknown, because parameters differ from the measured machine '" VALIDATED "'.");
    break;
  case FIDELITY_NO_DEVICE:
    text_print(&text, "Fidelity: unknown, because the machine '%s' models no real GPU; %s --machine " VALIDATED ".",
               job->machine_file->name, can_repeat(job) ? "try" : "record with");
    break;
  case FIDELITY_OWN:
    text_print(&text, "Fidelity: unknown, because the machine '%s' was not compared with a GPU.",
               job->machine_file->name);
    break;
  case FIDELITY_IMPORTED:
    text_print(&text, "Fidelity: unknown, because imported traces were not compared with a GPU.");
    break;
  }
  return text.data;
}

static json_t *list_of(uint64_t kinds) {
  json_t *list = json_array();
  for (enum fidelity_kind kind = 0; kind < FIDELITY_KINDS; kind++)
    if (kinds >> kind & 1)
      json_array_append_new(list, json_string(fidelity_kind_rows[kind].name));
  return list;
}

json_t *fidelity_json(const struct fidelity *of, const struct job *job) {
  const struct fidelity_row *row = of->row;
  json_t *object = json_object();
  char *sentence = fidelity_sentence(of, job);
  json_object_set_new(object, "validated", json_boolean(of->machine == FIDELITY_VALIDATED));
  json_set_word(object, "sentence", sentence);
  json_object_set_new(object, "limit", of->limit ? json_string(of->limit) : json_null());
  json_object_set_new(object, "operations", list_of(of->main));
  json_object_set_new(object, "kinds", list_of(of->kinds));
  json_object_set_new(object, "like",
                      !row              ? json_null()
                      : row->operations ? json_string("limit and operations")
                      : row->limit      ? json_string("limit")
                                        : json_string("all"));
  json_object_set_new(object, "rows", row ? json_of_whole(row->rows) : json_null());
  json_object_set_new(object, "p50", row ? json_real(row->median / 100) : json_null());
  json_object_set_new(object, "p90", row ? json_real(row->most / 100) : json_null());
  json_object_set_new(object, "uncovered", list_of(of->uncovered));
  free(sentence);
  return object;
}
