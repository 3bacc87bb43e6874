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

/* Records what each work-item prints, independently of the order. */
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
  simulation_run_together(rig->simulation, rig->host, launches, count, rig->limit, NULL, results);
  played->ok = true;
  for (size_t i = 0; i < count; i++) {
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
  ct_freed(rig_free) struct rig rig = {.order = play->order, .sources = sources, .limit = play->limit};
  struct played played = {.ok = false};
  if (rig_build(&rig, play->settings, play->global, play->local, play->text)) {
    if (sources && !sources->executes)
      forget_bytes(&rig);
    run_kernels(&rig, &played);
  }
  return played;
}

struct played play_run(const struct play *play) {
  return play_with(play, NULL);
}

struct played play_record(const struct play *play, const char *path) {
  struct message error = {0};
  struct recorder *recorder = recorder_new(trace_writer_open(path, &error));
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
  struct message error = {0};
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
  bool same[] = {
      EXPECT_TRUE(run->ok),
      EXPECT_TRUE(replay->ok),
      EXPECT_STREQ(replay->fault, ""),
      EXPECT_EQ(replay->end, run->end),
      EXPECT_EQ(replay->cycles, run->cycles),
      EXPECT_EQ(replay->hazards, run->hazards),
      EXPECT_EQ(replay->fingerprint, run->fingerprint),
  };
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    if (!same[i])
      return false;
  return true;
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

char *play_marks(const char *path) {
  struct message error = {0};
  struct trace *trace = trace_open(path, TRACE_WHOLE, &error);
  const char *marks = trace ? trace_meta(trace, "marks", NULL) : NULL;
  char *copy = strdup(marks ? marks : "there are none");
  if (trace)
    trace_close(trace);
  return copy;
}

/* ---- other machines */

static bool kept_as_it_is(const char *key) {
  static const char *const keys[] = {"cu.warp_size",      "cu.count",       "lds.size",      "dma.swizzle",
                                     "dma.out_of_bounds", "dma.misaligned", "dma.alignment", "cu.clock_mhz"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (strcmp(key, keys[i]) == 0)
      return true;
  return strstr(key, "pad") || strncmp(key, "isa.", 4) == 0 || strncmp(key, "dma.copy", 8) == 0;
}

/* Draws a quarter to four times the value, or another word. */
static void draw(const struct param_group *group, const struct param_row *row, const struct machine *machine,
                 uint64_t *random, char *word, size_t size) {
  const uint32_t now = param_value(group, row, machine);
  const uint32_t bits = (uint32_t)(ct_random(random) >> 33);
  char choice[32];
  unsigned choices = 0;
  if (row->kind == PARAM_CHOICE) {
    while (param_choice(row->choices, choices, choice))
      choices++;
    param_choice(row->choices, bits % choices, choice);
    snprintf(word, size, "%s", choice);
    return;
  }
  uint64_t value = row->kind == PARAM_NUMBER ? now / 4 + (uint64_t)bits % (4 * (uint64_t)now + 3)
                                             : ((uint64_t)now << 2 | 1) >> bits % 5;
  while (row->kind == PARAM_POWER_OF_TWO && value & (value - 1))
    value &= value - 1;
  value = value < row->minimum ? row->minimum : value > row->maximum ? row->maximum : value;
  snprintf(word, size, "%llu", (unsigned long long)value);
}

char *play_other_machine(const char *settings, uint64_t seed) {
  uint64_t random = seed * 6364136223846793005u + 1442695040888963407u;
  size_t length = strlen(settings);
  char *text = malloc(4096), message[PARAM_MESSAGE];
  struct machine machine;
  strcpy(text, settings);
  rig_machine(&machine, settings);
  for (unsigned tries = 0; tries < 24; tries++) {
    const struct param_group *group = &machine_groups[ct_random(&random) % MACHINE_GROUPS];
    const struct param_row *row = &group->rows[(ct_random(&random) >> 20) % group->count];
    struct machine tried = machine;
    char key[96], word[40];
    snprintf(key, sizeof key, "%s.%s", group->name, row->name);
    draw(group, row, &machine, &random, word, sizeof word);
    if (kept_as_it_is(key) || !param_set(machine_groups, MACHINE_GROUPS, &tried, key, word, message) ||
        !machine_check(&tried, message) || length + strlen(key) + strlen(word) + 3 > 1000)
      continue;
    machine = tried;
    length += (size_t)sprintf(text + length, "%s%s=%s", length ? " " : "", key, word);
  }
  return text;
}
