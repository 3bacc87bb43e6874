/* A test rig: assembles a kernel, builds a machine, runs one launch on it, and keeps everything for the test to check.
 *
 *     struct rig rig;
 *     rig_run(&rig, "cu.count=4 dma.setup=0", 256, 64, ".kernel k\n exit\n");
 *     EXPECT_EQ(rig.result.cycles, ...);
 *     rig_free(&rig);
 *
 * Global arguments of the kernel get the buffers 0, 1, ... in order: RIG_BUFFER bytes each, buffer 0 filled with the
 * 32-bit numbers 0, 1, 2..., the others zero. 32-bit values get rig.value[0], [1], ..., set by rig_values() before.
 * Pipe arguments get pipes of RIG_PACKETS packets of 4 bytes. Image arguments get rgba images of RIG_IMAGE texels in
 * each direction, over the bytes of the last two buffers. */
#ifndef TESTS_MODELS_RIG_H
#define TESTS_MODELS_RIG_H

#include "dma/dma.h"
#include "isa/image.h"
#include "models/machine.h"
#include "models/simulation.h"
#include "sim/core/histogram.h"
#include "sim/host/host.h"

enum {
  RIG_BUFFERS = 4,
  RIG_BUFFER = 1 << 18,
  RIG_VALUES = 8,
  RIG_PIPES = 2,
  RIG_PACKETS = 64,
  RIG_IMAGES = 2,
  RIG_IMAGE = 64,
  RIG_IMAGE_DEPTH = 4
};

struct rig {
  struct machine machine;
  struct isa_program *program;
  struct isa_memory memory;
  struct isa_buffer buffers[RIG_BUFFERS + RIG_PIPES];
  struct isa_pipe pipes[RIG_PIPES];
  struct isa_image images[RIG_IMAGES];
  enum isa_image_type image_type; /* SNORM_INT8 unless a test sets it */
  struct isa_launch launch;
  struct simulation *simulation;
  struct host *host;
  struct launch_result result;
  uint8_t args[256];
  uint32_t value[RIG_VALUES];
  enum host_order order;              /* ascending unless a test sets it */
  const struct source_maker *sources; /* executors unless a test sets it */
  struct rig_recording *recording;    /* rig_replay.h; NULL: none */
  bool functional;                    /* executed without timing */
  cycle_t limit;
  bool ok; /* built and ran */
};

/* The machine of most tests: the defaults of all parameters, with `settings` ("key=value key=value"). */
bool rig_machine(struct machine *machine, const char *settings);

/* Prepares everything but the run. NULL settings: none. `global` and `local` are 1-dimensional. */
bool rig_build(struct rig *rig, const char *settings, uint32_t global, uint32_t local, const char *text);

/* rig_build() on a cleared rig, then the run. Failures are noted as test failures. */
void rig_run(struct rig *rig, const char *settings, uint32_t global, uint32_t local, const char *text);

/* The run alone, after rig_build(). */
void rig_start(struct rig *rig);

void rig_free(struct rig *rig);

/* Word `index` of a buffer. */
uint32_t rig_word(const struct rig *rig, unsigned buffer, uint32_t index);

/* The results of the first instruction whose mnemonic starts with `mnemonic`. */
const struct pc_result *rig_pc(const struct rig *rig, const char *mnemonic);

/* How often a rule was reported. */
uint64_t rig_hazards(const struct rig *rig, enum isa_hazard_rule rule);

/* Runs a kernel, returns its cycles, and frees everything. */
uint64_t rig_cycles(const char *settings, uint32_t global, uint32_t local, const char *text);

#endif
