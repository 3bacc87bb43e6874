/* A timeline's meta "run": names and places for the numbers in its events.
 *
 * Invariant: every query has an answer, whatever the meta contains; for missing values it is an empty word or 0. */
#ifndef TOOLS_TIMELINE_RUN_H
#define TOOLS_TIMELINE_RUN_H

#include <jansson.h>

#include "sim/base/message.h"
#include "traces/timeline_file.h"

/* An instruction. */
struct timeline_code {
  const char *text, *file;
  uint32_t line; /* 0: none */
};

struct timeline_launch {
  const char *kernel;
  cycle_t start, cycles;
  const struct timeline_code *code;
  uint32_t codes;
};

struct timeline_run {
  json_t *root; /* owns the strings */
  const char *version, *machine;
  const char **stall;
  size_t stalls;
  struct timeline_launch *launch;
  size_t launches;
  struct timeline_code **program;
  size_t programs;
};

/* Reads it from the file. False with the message filled, but without the file's name. Call timeline_run_free() in
 * either case. */
bool timeline_run_read(struct timeline_file *file, struct timeline_run *run, struct message *message);
void timeline_run_free(struct timeline_run *run);

const char *timeline_run_stall(const struct timeline_run *run, uint64_t stall);
const struct timeline_code *timeline_run_code(const struct timeline_run *run, uint64_t launch, uint64_t pc);
/* A machine parameter that is a number. */
uint64_t timeline_run_parameter(const struct timeline_run *run, const char *name);

/* ---- values of events as text: words for numbers that encode words, 0x for masks and addresses ---- */

enum { TIMELINE_VALUE = 32 };

/* Word number `value` of "a|b|c"; false, with "" in `text`, if there are fewer words. */
bool timeline_word(const char *words, uint64_t value, char text[TIMELINE_VALUE]);

/* The field's value, in `text` or in the run. */
const char *timeline_value(const struct timeline_run *run, const struct timeline_event *event, unsigned field,
                           char text[TIMELINE_VALUE]);

/* The instruction at the event's pc; NULL: the event has none, or it is unknown. */
const struct timeline_code *timeline_code_of(const struct timeline_run *run, const struct timeline_event *event);

#endif
