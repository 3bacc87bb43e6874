/* Kernels that are run, recorded and replayed, and the comparison of everything that a report could show. */
#ifndef TESTS_REPLAY_PLAY_H
#define TESTS_REPLAY_PLAY_H

#include "models/simulation.h"
#include "sim/host/host.h"
#include "tests/models/rig.h"

enum { PLAY_PATH = 64 };

/* What to play: the kernels of `text`, one alone or several concurrently. */
struct play {
  const char *settings, *text;
  uint32_t global, local;
  enum host_order order;
  cycle_t limit; /* 0: the rig's */
};

struct played {
  bool ok;
  uint64_t fingerprint, cycles, hazards;
  enum launch_end end;
  char fault[600]; /* of a replay; "" if there is none */
};

/* A file name that no other process uses. */
void play_path(char path[PLAY_PATH], const char *what);

struct played play_run(const struct play *play);
struct played play_record(const struct play *play, const char *path);
struct played play_replay(const struct play *play, const char *path); /* with no byte of memory */

/* The flags of a trace, as its meta holds them; the caller frees them. */
char *play_marks(const char *path);

/* Changed parameters for another machine than `settings`, drawn by `seed`: times, sizes and policies, except those that
 * change bytes, the warp size and the LDS size. The caller frees them. */
char *play_other_machine(const char *settings, uint64_t seed);

/* Whether the replay equals the run; notes failures. */
bool play_same(const struct played *run, const struct played *replay);

/* Whether two files have the same bytes. */
bool play_same_files(const char *a, const char *b);

#endif
