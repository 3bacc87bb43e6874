/* Reports that name the most costly limit: they equal those of the command line; traces of other runs are refused. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/api/rig.h"
#include "tests/ct.h"

static struct kept read_all(FILE *file) {
  struct kept kept = {NULL, 0};
  char piece[4096];
  for (size_t got = 1; file && got;) {
    got = fread(piece, 1, sizeof piece, file);
    rig_sink(&kept).write(&kept, piece, got);
  }
  return kept;
}

/* The output of `warpwait VERB FILE WORDS`. */
static char *command(const char *verb, const char *file, const char *words) {
  const char *tool = getenv("WARPWAIT");
  char line[700];
  snprintf(line, sizeof line, "%s %s %s -q %s 2>/dev/null", tool ? tool : "build/warpwait", verb, file, words);
  FILE *pipe = popen(line, "r");
  struct kept kept = read_all(pipe);
  pclose(pipe);
  return kept.text;
}

/* ---- compared with the command line ---------------------------------------------------------------------------- */

static void expect_printed(struct rig *rig, const ww_report *report, ww_form form, char *wanted) {
  ct_freed(ct_free) char *text = rig_write(rig, report, form);
  EXPECT_STREQ(text, wanted);
  free(wanted);
}

static ww_report *run_file(struct rig *rig, const char *path, const char *machine, const ww_watch *watch) {
  ww_report *report = NULL;
  ct_freed(ww_machine_unref_at) ww_machine *loaded = NULL;
  FILE *file = fopen(path, "rb");
  struct kept text = read_all(file);
  fclose(file);
  if (machine)
    rig_fine(rig, ww_machine_load(rig->context, machine, &loaded, &rig->error));
  rig_fine(rig, ww_file_run(rig->context, (ww_bytes){text.text, text.length, path}, loaded, watch, false, NULL, &report,
                            &rig->error));
  free(text.text);
  return report;
}

/* Lifts the limits. The result keeps `report` alive. */
static ww_report *why(struct rig *rig, ww_report *report, const ww_trace *trace, bool always) {
  ww_report *lifted = NULL;
  rig_fine(rig, ww_report_why(report, trace, always, NULL, &lifted, &rig->error));
  ww_report_unref(report);
  return lifted;
}

/* Each of the two tests takes half of the files. */
static void find_files(glob_t *found) {
  glob("examples/*/launch*.json", 0, NULL, found);
  glob("docs/lessons/*/launch*.json", GLOB_APPEND, NULL, found);
  EXPECT_GE(found->gl_pathc, 40);
}

TEST(why, reports_of_launch_files_equal_those_of_the_command_line) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(globfree) glob_t found;
  find_files(&found);
  for (size_t i = 0; i < found.gl_pathc; i += 2) {
    const char *path = found.gl_pathv[i];
    ct_freed(ww_report_unref_at) ww_report *lifted = why(&rig, run_file(&rig, path, NULL, NULL), NULL, false);
    ct_note("%s", path);
    expect_printed(&rig, lifted, WW_JSON, command("run", path, "--report json"));
    if (i % 4 == 0)
      expect_printed(&rig, lifted, WW_TEXT, command("run", path, ""));
  }
}

TEST(why, always_gives_the_savings_of_lifted_limits) {
  static const char path[] = "examples/02_bank_conflict/launch.json";
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ww_report *lifted = why(&rig, run_file(&rig, path, "h200", NULL), NULL, true);
  expect_printed(&rig, lifted, WW_TEXT, command("run", path, "--machine h200 --why"));
  lifted = why(&rig, lifted, NULL, false); /* again, as by default */
  expect_printed(&rig, lifted, WW_TEXT, command("run", path, "--machine h200"));
  ww_report_unref(lifted);
}

static ww_trace *open_kept(struct rig *rig, const struct kept *kept) {
  ww_trace *trace = NULL;
  rig_fine(rig, ww_trace_open(rig->context, (ww_bytes){kept->text, kept->length, NULL}, false, &trace, &rig->error));
  return trace;
}

/* The report of a run explained by its trace equals the replay's report. It also equals the run's own, unless warps do
 * other work once a limit is lifted, as warps that wait for pipes do. */
TEST(why, a_trace_gives_the_report_of_replay_and_mostly_that_of_run) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(globfree) glob_t found;
  size_t others = 0;
  find_files(&found);
  for (size_t i = 1; i < found.gl_pathc; i += 2) {
    const char *path = found.gl_pathv[i];
    char name[] = "/tmp/warpwait-why-XXXXXX.wwt";
    struct kept recorded = {NULL, 0};
    const ww_watch watch = {.size = sizeof watch, .trace = rig_sink(&recorded)};
    ww_report *report = run_file(&rig, path, NULL, &watch), *replayed = NULL;
    ct_freed(ww_trace_unref_at) ww_trace *trace = open_kept(&rig, &recorded);
    ww_report *by_file = why(&rig, ww_report_ref(report), NULL, false), *by_trace = why(&rig, report, trace, false);
    char *a = rig_write(&rig, by_file, WW_JSON), *b = rig_write(&rig, by_trace, WW_JSON);
    ct_note("%s", path);
    EXPECT_TRUE(strcmp(a, b) == 0 || strstr(path, "pipe"));
    others += strcmp(a, b) != 0;
    free(a);
    free(b);
    ww_report_unref(by_file);
    ww_report_unref(by_trace);
    if (i % 3 == 0) {
      const int file = mkstemps(name, 4);
      EXPECT_EQ(write(file, recorded.text, recorded.length), (ssize_t)recorded.length);
      rig_fine(&rig, ww_trace_replay(trace, NULL, NULL, &replayed, &rig.error));
      replayed = why(&rig, replayed, trace, false);
      expect_printed(&rig, replayed, WW_JSON, command("replay", name, "--report json"));
      ww_report_unref(replayed);
      close(file);
      unlink(name);
    }
    free(recorded.text);
  }
  EXPECT_LE(others, 4);
}

/* ---- runs of devices --------------------------------------------------------------------------------------------- */

struct ran {
  ww_buffer *data;
  ww_launch *launch;
  ww_report *report;
  ww_trace *trace;
};

static struct ran run_plus(struct rig *rig) {
  struct ran ran = {.data = NULL};
  struct kept recorded = {NULL, 0};
  const ww_watch watch = {.size = sizeof watch, .trace = rig_sink(&recorded)};
  ran.launch = rig_plus(rig, &ran.data, 5);
  rig_fine(rig, ww_run(rig->device, &ran.launch, 1, &watch, &ran.report, &rig->error));
  ran.trace = open_kept(rig, &recorded);
  free(recorded.text);
  return ran;
}

static void give_up(struct ran *ran) {
  ww_report_unref(ran->report);
  ww_trace_unref(ran->trace);
  ww_launch_unref(ran->launch);
  ww_buffer_unref(ran->data);
}

TEST(why, explains_a_devices_run_from_its_trace) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  struct ran ran = run_plus(&rig);
  ct_freed(ww_report_unref_at) ww_report *lifted = NULL;
  const char *text = NULL, *by = NULL;
  rig_fine(&rig, ww_report_why(ran.report, ran.trace, false, NULL, &lifted, &rig.error));
  EXPECT_TRUE(ww_report_text(ran.report, "launches[0].bottleneck.by", &by));
  EXPECT_STREQ(by, "accounts");
  EXPECT_TRUE(ww_report_text(lifted, "launches[0].bottleneck.by", &by));
  EXPECT_STREQ(by, "lifting");
  EXPECT_TRUE(ww_report_text(lifted, "launches[0].bottleneck.sentence", &text));
  EXPECT_EQ(ww_report_cycles(lifted, 0), ww_report_cycles(ran.report, 0));
  give_up(&ran); /* the result keeps what it needs alive */
  char *json = rig_write(&rig, lifted, WW_JSON), *source = rig_write(&rig, lifted, WW_SOURCE);
  EXPECT_CONTAINS(json, text);
  EXPECT_TRUE(source && *source);
  free(json);
  free(source);
}

TEST(why, matches_the_report_for_runs_that_are_too_long_or_unfinished) {
  static const char source[] = ".kernel long\n.reg i\n.pred more\n"
                               "  mov.b32 i, 0\n"
                               "again: add.i32 i, i, 1\n"
                               "  setp.lt.u32 more, i, 70000\n"
                               "@more bra again\n"
                               "  exit\n"
                               ".kernel spin\n"
                               "again: bra again\n"
                               "  exit\n";
  static const char *const kernels[] = {"long", "spin"};
  ct_freed(rig_free) struct rig rig = rig_with("teaching", source);
  for (int i = 0; i < 2; i++) {
    struct kept recorded = {NULL, 0};
    const ww_watch watch = {.size = sizeof watch, .trace = rig_sink(&recorded), .cycle_limit = i ? 1000 : 0};
    ct_freed(ww_launch_unref_at) ww_launch *launch = rig_launch(&rig, kernels[i], 1, 1);
    ct_freed(ww_report_unref_at) ww_report *report = NULL;
    rig_fine(&rig, ww_run(rig.device, &launch, 1, &watch, &report, &rig.error));
    ct_freed(ww_trace_unref_at) ww_trace *trace = open_kept(&rig, &recorded);
    ct_freed(ww_report_unref_at) ww_report *lifted = why(&rig, ww_report_ref(report), trace, false);
    expect_printed(&rig, lifted, WW_TEXT, rig_write(&rig, report, WW_TEXT));
    expect_printed(&rig, lifted, WW_JSON, rig_write(&rig, report, WW_JSON));
    free(recorded.text);
  }
}

TEST(why, cannot_explain_a_run_that_started_with_warm_caches) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  struct ran cold = run_plus(&rig);
  struct kept recorded = {NULL, 0};
  const ww_watch watch = {.size = sizeof watch, .trace = rig_sink(&recorded)};
  ww_report *warm = NULL, *lifted = cold.report;
  rig_fine(&rig, ww_run(rig.device, &cold.launch, 1, &watch, &warm, &rig.error));
  ct_freed(ww_trace_unref_at) ww_trace *trace = open_kept(&rig, &recorded);
  rig_refused(&rig, ww_report_why(warm, trace, false, NULL, &lifted, &rig.error), WW_UNSUPPORTED,
              "started with warm caches");
  EXPECT_TRUE(!lifted);
  ww_report_unref(warm);
  free(recorded.text);
  give_up(&cold);
}

static bool stop(void *self, size_t done, size_t of) {
  ++*(int *)self;
  return done && of;
}

TEST(why, can_be_cancelled_by_its_tick) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  struct ran ran = run_plus(&rig);
  int asked = 0;
  ww_report *lifted = NULL;
  const ww_work work = {.size = sizeof work, .threads = 1, .self = &asked, .tick = stop};
  rig_refused(&rig, ww_report_why(ran.report, ran.trace, false, &work, &lifted, &rig.error), WW_CANCELLED, "");
  EXPECT_GE(asked, 1);
  EXPECT_TRUE(!lifted);
  give_up(&ran);
}
