/* What a timeline's meta "run" says: names and places behind the numbers of its events.
 *
 * Invariant: whatever the meta holds, every question has an answer; what it does not say is an empty word or 0. */
#ifndef SIM_TIMELINE_RUN_H
#define SIM_TIMELINE_RUN_H

#include <jansson.h>

#include "sim/base/message.h"
#include "traces/timeline_file.h"

/* An instruction. */
struct timeline_code {
  const char *text, *file;
  uint32_t line; /* 0: of none */
};

struct timeline_launch {
  const char *kernel;
  cycle_t start, cycles;
  const struct timeline_code *code;
  uint32_t codes;
};

struct timeline_run {
  json_t *root; /* owns the words */
  const char *version, *machine;
  const char **stall;
  size_t stalls;
  struct timeline_launch *launch;
  size_t launches;
  struct timeline_code **program;
  size_t programs;
};

/* Reads it from the file. False, with the message filled (but for a file's name). timeline_run_free() it either way. */
bool timeline_run_read(struct timeline_file *file, struct timeline_run *run, struct message *message);
void timeline_run_free(struct timeline_run *run);

const char *timeline_run_stall(const struct timeline_run *run, uint64_t stall);
const struct timeline_code *timeline_run_code(const struct timeline_run *run, uint64_t launch, uint64_t pc);
/* A number among the machine's parameters. */
uint64_t timeline_run_parameter(const struct timeline_run *run, const char *name);

#endif
