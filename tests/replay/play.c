#include "tests/replay/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/replay/recorder.h"
#include "sim/replay/replayer.h"
#include "tests/ct.h"
#include "tests/models/rig_replay.h"

void play_path(char path[PLAY_PATH], const char *what) {
  snprintf(path, PLAY_PATH, "%s/warpwait-%d-%s.wwt", P_tmpdir, (int)getpid(), what);
}

/* ---- playing */

/* Who prints what, in an order that is everybody's. */
static void print(void *context, const struct isa_group *group, uint32_t item, const char *text, size_t length) {
  const uint64_t where[3] = {group->launch->number, group->id[0], item};
  *(uint64_t *)context += rig_mix(rig_mix(1, where, sizeof where), text, length);
}

static void run_kernels(struct rig *rig, struct played *played) {
  const size_t count = rig->program->kernel_count;
  struct launch_result results[RESULT_TOGETHER];
  struct isa_launch copies[RESULT_TOGETHER], *launches[RESULT_TOGETHER];
  uint64_t printed = 0;
  for (size_t i = 0; i < count; i++) {
    copies[i] = rig->launch;
    copies[i].kernel = &rig->program->kernels[i];
    copies[i].lds_bytes = copies[i].kernel->lds_bytes;
    copies[i].print = print;
    copies[i].print_context = &printed;
    launches[i] = &copies[i];
  }
  memset(results, 0, sizeof results);
  played->ok = simulation_run_together(rig->simulation, rig->host, launches, count, rig->limit, NULL, results);
  for (size_t i = 0; played->ok && i < count; i++) {
    played->fingerprint = played->fingerprint * 31 + rig_fingerprint(rig->program, &results[i]);
    played->cycles += results[i].cycles;
    played->hazards += results[i].hazard_count;
    played->end = results[i].end > played->end ? results[i].end : played->end;
    launch_result_free(&results[i]);
  }
  played->fingerprint ^= printed;
}

static void forget_bytes(struct rig *rig) {
  for (size_t i = 0; i < RIG_BUFFERS; i++) {
    free(rig->buffers[i].data);
    rig->buffers[i].data = NULL;
  }
}

static struct played play_with(const struct play *play, const struct source_maker *sources) {
  struct rig rig = {.order = play->order, .sources = sources, .limit = play->limit};
  struct played played = {.ok = false};
  if (rig_build(&rig, play->settings, play->global, play->local, play->text)) {
    if (sources && !sources->executes)
      forget_bytes(&rig);
    run_kernels(&rig, &played);
  }
  rig_free(&rig);
  return played;
}

struct played play_run(const struct play *play) {
  return play_with(play, NULL);
}

struct played play_record(const struct play *play, const char *path) {
  struct trace_error error = {0};
  struct recorder *recorder = recorder_new(path, &error);
  struct played played = {.ok = false};
  EXPECT_STREQ(error.text, "");
  if (!recorder)
    return played;
  const struct source_maker sources = recorder_sources(recorder);
  played = play_with(play, &sources);
  played.ok = recorder_close(recorder, &error) && played.ok;
  EXPECT_STREQ(error.text, "");
  return played;
}

struct played play_replay(const struct play *play, const char *path) {
  struct trace_error error = {0};
  struct trace *trace = trace_open(path, TRACE_WHOLE, &error);
  struct replayer *replayer = trace ? replayer_new(trace, &error) : NULL;
  struct played played = {.ok = false};
  EXPECT_STREQ(error.text, "");
  if (replayer) {
    const struct source_maker sources = replayer_sources(replayer);
    played = play_with(play, &sources);
    snprintf(played.fault, sizeof played.fault, "%s", replayer_fault(replayer) ? replayer_fault(replayer) : "");
    replayer_free(replayer);
  }
  if (trace)
    trace_close(trace);
  return played;
}

bool play_same(const struct played *run, const struct played *replay) {
  bool same = EXPECT_TRUE(run->ok) & EXPECT_TRUE(replay->ok);
  same &= EXPECT_STREQ(replay->fault, "");
  same &= EXPECT_EQ(replay->end, run->end);
  same &= EXPECT_EQ(replay->cycles, run->cycles);
  same &= EXPECT_EQ(replay->hazards, run->hazards);
  return same & EXPECT_EQ(replay->fingerprint, run->fingerprint);
}

bool play_same_files(const char *a, const char *b) {
  FILE *first = fopen(a, "rb"), *second = fopen(b, "rb");
  bool same = first && second;
  for (int byte = 0; same && byte != EOF;) {
    byte = getc(first);
    same = getc(second) == byte;
  }
  if (first)
    fclose(first);
  if (second)
    fclose(second);
  return same;
}
