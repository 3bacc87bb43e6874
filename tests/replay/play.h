/* Kernels that are run, recorded and replayed, and what of each is compared: all that a report could show. */
#ifndef TESTS_REPLAY_PLAY_H
#define TESTS_REPLAY_PLAY_H

#include "models/simulation.h"
#include "sim/host/host.h"
#include "tests/models/rig.h"

enum { PLAY_PATH = 64 };

/* What to play: the kernels of `text`, one, or several at once. */
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
  char fault[600]; /* of a replay, "" when there is none */
};

/* A name for a file that no other process uses. */
void play_path(char path[PLAY_PATH], const char *what);

struct played play_run(const struct play *play);
struct played play_record(const struct play *play, const char *path);
struct played play_replay(const struct play *play, const char *path); /* without any byte of memory */

/* The marks of a trace, as its meta has them; the caller frees them. */
char *play_marks(const char *path);

/* Parameters of a machine, other than `settings` and `seed` would have it: its times, sizes and policies, but for what
 * changes bytes, the warps' size and the LDS's. The caller frees them. */
char *play_other_machine(const char *settings, uint64_t seed);

/* Whether the replay was the run, with notes of failures. */
bool play_same(const struct played *run, const struct played *replay);

/* Whether two files hold the same bytes. */
bool play_same_files(const char *a, const char *b);

#endif
