/* The law of replay: a replay on the recording's machine equals the recorded run in every figure. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isa/asm/asm.h"
#include "tests/ct.h"
#include "tests/models/random_kernel.h"
#include "tests/replay/play.h"

CT_FREES(struct isa_program, isa_program_free)

enum { KERNELS = 15 };

static void random_play(struct play *play, char *text, unsigned machine, unsigned number, bool pairs) {
  *text = '\0';
  random_kernel(text, "k", machine * KERNELS + number + 1);
  if (pairs)
    random_kernel(text, "second", machine * KERNELS + number + 1000);
  *play = (struct play){.settings = machines[machine], .text = text, .global = 64 + 32 * (number % 9), .local = 64};
}

static void replays(bool pairs) {
  char *text = malloc(RANDOM_TEXT), path[PLAY_PATH], other[PLAY_PATH];
  play_path(path, "law");
  play_path(other, "order");
  for (unsigned machine = 0; machine < MACHINES; machine++)
    for (unsigned number = 0; number < KERNELS; number++) {
      struct play play;
      ct_note("machine %u (%s), kernel %u", machine, machines[machine], number);
      random_play(&play, text, machine, number, pairs);
      const struct played run = play_run(&play), recorded = play_record(&play, path);
      if (!play_same(&run, &recorded))
        break;
      const struct played replayed = play_replay(&play, path);
      if (!play_same(&run, &replayed))
        break;
      play.order = ORDER_SHUFFLED;
      play_record(&play, other);
      EXPECT_TRUE(play_same_files(path, other));
    }
  unlink(path);
  unlink(other);
  free(text);
}

TEST(replay, two_hundred_random_kernels_replay_as_they_ran) { replays(false); }

TEST(replay, pairs_of_concurrent_kernels_replay_as_they_ran) { replays(true); }

/* WARPWAIT_REPLAY_MACHINES: tries more machines than a test has time for. */
static unsigned other_machines(void) {
  const char *wanted = getenv("WARPWAIT_REPLAY_MACHINES");
  return wanted ? (unsigned)strtoul(wanted, NULL, 10) : 2;
}

static bool fits(const struct play *play) {
  struct machine machine;
  struct isa_error error;
  rig_machine(&machine, play->settings);
  ct_freed(isa_program_free_at) struct isa_program *program =
      isa_assemble(play->text, strlen(play->text), "k.wws", &error);
  const struct isa_launch launch = {.program = program,
                                    .kernel = &program->kernels[0],
                                    .dimensions = 1,
                                    .global = {play->global, 1, 1},
                                    .local = {play->local, 1, 1},
                                    .groups = {play->global, 1, 1},
                                    .warp_size = machine.cu.warp_size,
                                    .lds_bytes = program->kernels[0].lds_bytes};
  return simulation_occupancy(&machine, &launch).groups_per_cu;
}

/* Returns whether the kernel is flagged; if not, its replay on other machines must equal a run there. */
static bool marked_or_lawful(struct play *play, const char *path, uint64_t seed) {
  const char *settings = play->settings;
  const struct played recorded = play_record(play, path);
  char *marks = play_marks(path);
  const bool marked = *marks;
  EXPECT_TRUE(recorded.ok);
  free(marks);
  for (unsigned other = 0; !marked && other < other_machines(); other++) {
    ct_freed(ct_free) char *machine = play_other_machine(settings, seed * 1000 + other);
    play->settings = machine;
    ct_note("recorded on '%s', replayed on '%s':\n%s", settings, machine, play->text);
    if (fits(play)) {
      const struct played run = play_run(play), replay = play_replay(play, path);
      play_same(&run, &replay);
    }
  }
  play->settings = settings;
  return marked;
}

static unsigned marked_kernels(bool tame) {
  char *text = malloc(RANDOM_TEXT), path[PLAY_PATH];
  unsigned marked = 0;
  play_path(path, tame ? "tame" : "wild");
  for (unsigned machine = 0; machine < MACHINES; machine++)
    for (unsigned number = 0; number < KERNELS; number++) {
      struct play play;
      random_play(&play, text, machine, number, false);
      *text = '\0';
      if (tame)
        tame_kernel(text, "k", machine * KERNELS + number);
      else
        random_kernel(text, "k", machine * KERNELS + number + 5000);
      marked += marked_or_lawful(&play, path, machine * KERNELS + number);
    }
  unlink(path);
  free(text);
  return marked;
}

TEST(replay, race_free_kernels_are_unflagged_and_replay_exactly_on_other_machines) {
  EXPECT_EQ(marked_kernels(true), 0);
}

TEST(replay, unflagged_kernels_with_races_replay_exactly_on_other_machines) {
  EXPECT_LT(marked_kernels(false), MACHINES * KERNELS);
}
