/* Recordings of random kernels, programs included, survive the text round trip byte for byte. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/ct.h"
#include "tests/models/random_kernel.h"
#include "tests/models/rig_replay.h"
#include "tests/replay/play.h"

enum { KERNELS = 4 };

TEST(replay, recordings_of_random_kernels_survive_a_text_round_trip) {
  char *kernels = malloc(RANDOM_TEXT), path[PLAY_PATH];
  play_path(path, "text");
  bool good = true;
  for (unsigned machine = 0; good && machine < MACHINES; machine++)
    for (unsigned number = 0; good && number < KERNELS; number++) {
      *kernels = '\0';
      random_kernel(kernels, "k", machine * KERNELS + number + 1);
      if (number % 2)
        random_kernel(kernels, "second", machine * KERNELS + number + 1000);
      ct_note("machine %u (%s), kernel %u", machine, machines[machine], number);
      play_record(&(struct play){.settings = machines[machine], .text = kernels, .global = 256, .local = 64}, path);
      good = rig_text_comes_back(path);
    }
  unlink(path);
  free(kernels);
}
