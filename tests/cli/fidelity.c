/* A report's statement of its expected error; docs/report.md states the rule. */
#include "sim/report/fidelity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/asm/asm.h"
#include "models/machine.h"
#include "sim/launch/machines.h"
#include "sim/report/report.h"
#include "tests/cli/fixture.h"
#include "tests/cli/tool.h"
#include "tests/ct.h"

/* ---- the table ------------------------------------------------------------------------------------- */

static bool is_limit(const char *key) {
  struct machine machine;
  const struct launch_result nothing = {0};
  struct utilization all[UTILIZATIONS];
  bool found = strcmp(key, "none") == 0;
  machine_defaults(&machine);
  report_utilizations(&machine, &nothing, all);
  for (size_t i = 0; i < UTILIZATIONS; i++)
    found |= strcmp(all[i].key, key) == 0;
  for (size_t i = 0; i < STALLS; i++)
    found |= strcmp(stall_rows[i].name, key) == 0;
  return found;
}

/* Names of main kinds, in their order: fidelity_words() returns no others. */
static bool are_operations(const char *words) {
  uint64_t kinds = 0;
  char list[400], part[100];
  snprintf(list, sizeof list, ", %s,", words);
  for (enum fidelity_kind kind = 0; kind < FIDELITY_KINDS; kind++) {
    snprintf(part, sizeof part, ", %s,", fidelity_kind_rows[kind].name);
    kinds |= (uint64_t)(strstr(list, part) && fidelity_kind_rows[kind].main) << kind;
  }
  ct_freed(ct_free) char *again = fidelity_words(kinds);
  return strcmp(again, words) == 0;
}

TEST(fidelity, rows_name_limits_and_classes_that_reports_have) {
  for (size_t i = 0; i < fidelity_row_count; i++) {
    const struct fidelity_row *row = &fidelity_rows[i];
    ct_note("%s; %s", row->limit ? row->limit : "any", row->operations ? row->operations : "any");
    EXPECT_TRUE(row->limit || !row->operations);
    EXPECT_TRUE(!row->limit || is_limit(row->limit));
    EXPECT_TRUE(!row->operations || are_operations(row->operations));
    EXPECT_LE(fidelity_fewest, row->rows);
    EXPECT_TRUE(0 <= row->median && row->median <= row->most && row->most < 1000);
  }
}

TEST(fidelity, each_class_finds_its_own_row) {
  for (size_t i = 0; i < fidelity_row_count; i++) {
    const struct fidelity_row *row = &fidelity_rows[i];
    ct_note("%s; %s", row->limit ? row->limit : "any", row->operations ? row->operations : "any");
    EXPECT_EQ(fidelity_find(row->limit ? row->limit : "no such limit",
                            row->operations ? row->operations : "no such operations") -
                  fidelity_rows,
              i);
  }
}

TEST(fidelity, rare_classes_use_the_figures_of_their_limit_and_rare_limits_those_of_all) {
  const struct fidelity_row *own = fidelity_find("lds_passes", "LDS accesses"),
                            *limit = fidelity_find("lds_passes", "LDS accesses, pipes"),
                            *all = fidelity_find("pipe_full", "LDS accesses");
  ASSERT_TRUE(own->operations && limit->limit);
  EXPECT_STREQ(own->operations, "LDS accesses");
  EXPECT_STREQ(limit->limit, "lds_passes");
  EXPECT_TRUE(limit->operations == NULL);
  EXPECT_TRUE(all->limit == NULL && all->operations == NULL);
  EXPECT_LT(own->rows, limit->rows);
  EXPECT_LT(limit->rows, all->rows);
}

TEST(fidelity, kinds_have_unique_names_and_at_most_all_measurements) {
  const struct fidelity_row *all = fidelity_find("", "");
  for (enum fidelity_kind i = 0; i < FIDELITY_KINDS; i++) {
    for (enum fidelity_kind j = 0; j < i; j++)
      EXPECT_NE(strcmp(fidelity_kind_rows[i].name, fidelity_kind_rows[j].name), 0);
    EXPECT_LE(fidelity_kind_rows[i].rows, all->rows);
  }
  EXPECT_LE(FIDELITY_KINDS, 64); /* bits */
  EXPECT_LE(fidelity_fewest, fidelity_kind_rows[FIDELITY_LOADS].rows);
  EXPECT_EQ(fidelity_kind_rows[FIDELITY_PIPES].rows, 0);
}

/* ---- machines -------------------------------------------------------------------------------------- */

static enum fidelity_machine machine_is(const char *file, const char *set) {
  struct machine machine, of_file;
  struct message message = {""};
  EXPECT_TRUE(machine_read(file, "mine.ini", &of_file, &message));
  machine = of_file;
  EXPECT_TRUE(!set || machine_set(&machine, set, &message));
  return fidelity_of_machine(&machine, &of_file);
}

TEST(fidelity, only_the_parameters_that_were_measured_are_validated) {
  EXPECT_EQ(machine_is("base = h200\n", NULL), FIDELITY_VALIDATED);
  EXPECT_EQ(machine_is("base = h200\n", "lds.banks=32"), FIDELITY_VALIDATED); /* as it was */
  EXPECT_EQ(machine_is("base = h200\n", "cu.count=131"), FIDELITY_CHANGED);
  EXPECT_EQ(machine_is("base = h200\n", "mem.link_latency=63"), FIDELITY_CHANGED);
  EXPECT_EQ(machine_is("base = h200\n[cu]\ncount = 131\n", NULL), FIDELITY_OWN);
  EXPECT_EQ(machine_is("base = h200\n[cu]\ncount = 131\n", "cu.count=132"), FIDELITY_VALIDATED);
  EXPECT_EQ(machine_is("base = teaching\n", NULL), FIDELITY_NO_DEVICE);
  EXPECT_EQ(machine_is("base = teaching\n", "dma.channels=2"), FIDELITY_NO_DEVICE);
  EXPECT_EQ(machine_is("base = dsp\n", NULL), FIDELITY_NO_DEVICE);
}

/* ---- the class of a launch ------------------------------------------------------------------------- */

/* A launch on h200 with these counts of issued instructions. The caller frees by_pc. */
struct launched {
  struct isa_program *program;
  struct job_launch launch;
  struct launch_result result;
  struct machine machine, file;
  struct job job;
};

enum { LOAD, STORE, ADD, PIPE, ATOMIC, EXIT, INSTRUCTIONS };

static void launch(struct launched *of) {
  static const char text[] = ".kernel k\n.arg p global\n.reg v\n.reg64 q\n.pred ok\n"
                             " ld.global.b32 v, [q]\n st.global.b32 [q], v\n add.i32 v, v, v\n pipe.num v, [q]\n"
                             " atom.global.add.i32 _, [q], v\n exit\n";
  struct isa_error error;
  struct message message = {""};
  *of = (struct launched){.program = isa_assemble(text, strlen(text), "k.wws", &error)};
  if (!EXPECT_TRUE(of->program != NULL))
    puts(error.text);
  EXPECT_EQ(of->program->count, INSTRUCTIONS);
  EXPECT_TRUE(machine_load("h200", NULL, NULL, &of->machine, &message));
  of->file = of->machine;
  of->job = (struct job){.machine = &of->machine, .machine_file = &of->file};
  of->launch.isa.program = of->program;
  of->job.launches = &of->launch;
  of->job.launch_count = 1;
  of->result.end = END_FINISHED;
  of->result.together = 1;
  of->result.work_groups = 1;
  of->result.cycles = of->result.together_cycles = of->result.together_active = 100000;
  of->result.cu.active_cycles = of->result.resident_cycles = 100000;
  of->result.stalls[STALL_MEMORY] = 90000;
  of->result.cu.warp_instructions = 1000;
  of->result.by_pc = calloc(of->program->count, sizeof *of->result.by_pc);
}

static void end(struct launched *of) {
  isa_program_free(of->program);
  free(of->result.by_pc);
}

static struct fidelity found(const struct launched *of) {
  return fidelity_of(&of->job, 0, &of->result, fidelity_of_machine(of->job.machine, of->job.machine_file));
}

static void expect_words(uint64_t kinds, const char *wanted) {
  ct_freed(ct_free) char *words = fidelity_words(kinds);
  EXPECT_STREQ(words, wanted);
}

TEST(fidelity, a_kind_is_a_main_one_above_1_percent_of_the_instructions) {
  struct launched of;
  launch(&of);
  of.result.by_pc[LOAD].issues = 11;
  of.result.by_pc[STORE].issues = 10;
  of.result.by_pc[ADD].issues = 979;
  struct fidelity fidelity = found(&of);
  EXPECT_STREQ(fidelity.limit, "memory");
  EXPECT_EQ(fidelity.machine, FIDELITY_VALIDATED);
  expect_words(fidelity.kinds, "loads, stores");
  expect_words(fidelity.main, "loads");
  EXPECT_EQ(fidelity.row - fidelity_rows, fidelity_find("memory", "loads") - fidelity_rows);
  of.result.cu.copies_plain = 1; /* a launch may consist of a single copy */
  fidelity = found(&of);
  expect_words(fidelity.main, "loads, plain copies");
  end(&of);
}

TEST(fidelity, unmeasured_features_are_named) {
  struct launched of;
  launch(&of);
  of.result.by_pc[LOAD].issues = 500;
  struct fidelity fidelity = found(&of);
  expect_words(fidelity.uncovered, "");
  of.result.by_pc[PIPE].issues = 1; /* however few */
  of.result.by_pc[ATOMIC].issues = 1;
  of.result.mem.atomics = 1;
  fidelity = found(&of);
  expect_words(fidelity.uncovered, "pipes");
  of.result.work_groups = 2;
  of.result.together = 2;
  fidelity = found(&of);
  expect_words(fidelity.uncovered, "pipes, atomics under contention, launches at once");
  end(&of);
}

TEST(fidelity, other_machines_and_unfinished_launches_have_no_figures) {
  struct launched of;
  launch(&of);
  of.result.by_pc[PIPE].issues = 500;
  of.job.machine->mem.link_latency++;
  struct fidelity fidelity = found(&of);
  EXPECT_EQ(fidelity.machine, FIDELITY_CHANGED);
  EXPECT_TRUE(fidelity.row == NULL && !fidelity.uncovered);
  expect_words(fidelity.kinds, "pipes"); /* the script makes the table from it */
  of.machine = of.file;
  of.result.end = END_CYCLE_LIMIT;
  fidelity = found(&of);
  EXPECT_TRUE(fidelity.row == NULL && fidelity.limit == NULL && !fidelity.kinds);
  end(&of);
}

/* ---- the text ---------------------------------------------------------------------------------- */

static void expect_sentence(const struct fidelity *fidelity, const char *wanted) {
  const struct job job = {.machine_file = &(struct machine){.name = "mine"}};
  ct_freed(ct_free) char *sentence = fidelity_sentence(fidelity, &job);
  EXPECT_STREQ(sentence, wanted);
}

TEST(fidelity, the_sentence_names_the_class_its_measurements_and_what_they_lack) {
  const struct fidelity_row own = {"memory", "loads, barriers", 1212, 4.1, 11.8}, arithmetic = {"unit", "", 21, 0, 0.1},
                            limit = {"memory", NULL, 2000, 5, 13}, all = {NULL, NULL, 29907, 2, 9.2};
  struct fidelity fidelity = {.machine = FIDELITY_VALIDATED, .said = "global memory latency", .row = &own};
  expect_sentence(&fidelity,
                  "Fidelity: median error 4.1 %, 90th percentile 11.8 %, in 1,212 measurements whose "
                  "counters name the same limit (global memory latency), with the same operations (loads, barriers).");
  fidelity.uncovered = UINT64_C(1) << FIDELITY_PIPES | UINT64_C(1) << FIDELITY_CONTENTION;
  fidelity.row = &limit;
  expect_sentence(&fidelity,
                  "Fidelity: median error 5.0 %, 90th percentile 13.0 %, in 2,000 measurements whose "
                  "counters name the same limit (global memory latency), but with other operations. Not validated: "
                  "pipes, atomics under contention.");
  fidelity.uncovered = 0;
  fidelity.row = &all;
  expect_sentence(&fidelity, "Fidelity: median error 2.0 %, 90th percentile 9.2 %, in all 29,907 measurements; too few "
                             "resemble this launch.");
  fidelity.row = &arithmetic;
  fidelity.said = "execution units";
  expect_sentence(&fidelity, "Fidelity: median error 0.0 %, 90th percentile 0.1 %, in 21 measurements whose counters "
                             "name the same limit (execution units), with the same operations (arithmetic).");
}

TEST(fidelity, an_unmeasured_machine_is_reported_as_such) {
  struct fidelity fidelity = {.machine = FIDELITY_CHANGED};
  expect_sentence(&fidelity, "Fidelity: unknown, because parameters differ from the measured machine 'h200'.");
  fidelity.machine = FIDELITY_OWN;
  expect_sentence(&fidelity, "Fidelity: unknown, because the machine 'mine' was not compared with a GPU.");
  fidelity.machine = FIDELITY_NO_DEVICE;
  expect_sentence(&fidelity, "Fidelity: unknown, because the machine 'mine' models no real GPU; try --machine h200.");
  fidelity.machine = FIDELITY_VALIDATED;
  expect_sentence(&fidelity, "Fidelity: unknown, because the launch did not finish.");
}

static json_t *fidelity_in(const char *arguments) {
  ct_freed(outcome_free) struct outcome outcome = tool(arguments);
  json_t *root = json_loads(outcome.out, 0, NULL);
  EXPECT_EQ(outcome.status, 0);
  json_t *object = json_object_get(json_array_get(json_object_get(root, "launches"), 0), "fidelity");
  EXPECT_TRUE(object != NULL);
  json_incref(object);
  json_decref(root);
  return object;
}

static const char *word(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

TEST(fidelity, the_json_report_has_figures_only_for_the_validated_machine) {
  char text[2000];
  fixture_folder();
  snprintf(text, sizeof text, fixture_launch, "");
  tool_file("l.json", text);
  json_t *h200 = fidelity_in("run l.json --report json --why=no --machine h200"),
         *changed = fidelity_in("run l.json --report json --why=no --machine h200 --set cu.count=8"),
         *teaching = fidelity_in("run l.json --report json --why=no --machine teaching");
  char operations[] = "loads, stores"; /* "plus" */
  const struct fidelity_row *row = fidelity_find(word(h200, "limit"), operations);
  EXPECT_TRUE(json_is_true(json_object_get(h200, "validated")));
  EXPECT_EQ(json_integer_value(json_object_get(h200, "rows")), row->rows);
  EXPECT_EQ(lround(1000 * json_real_value(json_object_get(h200, "p50"))),
            lround(10 * row->median)); /* tenths of a percent */
  EXPECT_EQ(lround(1000 * json_real_value(json_object_get(h200, "p90"))), lround(10 * row->most));
  EXPECT_STREQ(word(h200, "like"), row->operations ? "limit and operations" : row->limit ? "limit" : "all");
  EXPECT_EQ(json_array_size(json_object_get(h200, "operations")), 2);
  EXPECT_EQ(json_array_size(json_object_get(h200, "uncovered")), 0);
  EXPECT_CONTAINS(word(h200, "sentence"), "90th percentile");
  EXPECT_FALSE(json_is_true(json_object_get(changed, "validated")));
  EXPECT_TRUE(json_is_null(json_object_get(changed, "p90")) && json_is_null(json_object_get(teaching, "p90")));
  EXPECT_CONTAINS(word(changed, "sentence"), "differ from the measured machine 'h200'");
  EXPECT_CONTAINS(word(teaching, "sentence"), "the machine 'teaching' models no real GPU");
  EXPECT_TRUE(json_equal(json_object_get(changed, "operations"), json_object_get(h200, "operations")));
  json_decref(h200);
  json_decref(changed);
  json_decref(teaching);
}

TEST(fidelity, the_text_report_shows_fidelity_below_the_bottleneck_within_100_columns) {
  char text[2000];
  fixture_folder();
  snprintf(text, sizeof text, fixture_launch, "");
  tool_file("l.json", text);
  ct_freed(outcome_free) struct outcome outcome = tool("run l.json --machine h200");
  const char *bound = strstr(outcome.out, "ound by "), *line = strstr(outcome.out, "\nFidelity: "),
             *table = strstr(outcome.out, "\n% of peak");
  if (EXPECT_TRUE(bound && line && table)) {
    EXPECT_TRUE(bound < line && line < table);
    EXPECT_LE(strcspn(line + 1, "\n"), 100);
  }
}
