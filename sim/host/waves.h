/* Waveforms of something that is over: changes of values, played back to SystemC's tracing.
 *
 * It knows signals and changes, not what they mean. SystemC's kernel runs anew, from time 0, also in a process in which
 * a simulation has run before. */
#ifndef SIM_HOST_WAVES_H
#define SIM_HOST_WAVES_H

#ifdef __cplusplus
extern "C" {
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/time.h"

struct wave {
  const char *name; /* dots are levels of the hierarchy */
  int bits;
};

/* From cycle `at` on a wave's value is larger by `step`, modulo 2^64. All begin with 0. */
struct wave_change {
  cycle_t at;
  uint64_t step;
  uint32_t wave;
};

struct waves {
  const struct wave *wave;
  size_t count;
  const char *comment; /* at the file's beginning */
  uint32_t clock_mhz;
  bool (*next)(void *self, struct wave_change *change); /* in the order of their cycles; false: no more */
  void *self;
};

/* Writes them to `path`, whole or not at all. False, with *message filled (static text), when that fails. */
bool host_waves(const struct waves *waves, const char *path, const char **message);

#ifdef __cplusplus
}
#endif

#endif
