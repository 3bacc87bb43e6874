/* The caller of long work, who can stop it and is informed while it runs.
 *
 *     long work ──stops?──────────────────► the caller: a person at a terminal, or a program
 *               ──progress────────────────►
 *               ──warnings────────────────►
 *               ──what a compiler reports─►
 *
 * Invariant: the caller's answers do not change any result; they can only end the work. Every member may be NULL, and
 * so may the caller: then nobody is informed, and nothing is stopped. */
#ifndef SIM_BASE_CALLER_H
#define SIM_BASE_CALLER_H

#include <stdbool.h>

#include "sim/base/message.h"

struct worker_pool;

struct caller {
  void *self;
  void (*busy)(void *self, bool begins); /* work that calls stops() begins or ends; calls nest */
  bool (*stops)(void *self);             /* whether the work must end without a result */
  bool (*due)(void *self);               /* whether it is time to report progress */
  void (*progress)(void *self, const char *line);
  void (*warn)(void *self, const struct message *message);
  void (*quote)(void *self, const char *line); /* a compiler's message about a program, verbatim */
  const struct worker_pool *pool; /* its workers do work that has many parts (sim/base/workers.h); NULL: threads */
};

static inline void caller_busy(const struct caller *caller, bool begins) {
  if (caller && caller->busy)
    caller->busy(caller->self, begins);
}

static inline bool caller_stops(const struct caller *caller) {
  return caller && caller->stops && caller->stops(caller->self);
}

static inline bool caller_due(const struct caller *caller) {
  return caller && caller->progress && caller->due && caller->due(caller->self);
}

static inline void caller_warn(const struct caller *caller, const struct message *message) {
  if (caller && caller->warn)
    caller->warn(caller->self, message);
}

static inline void caller_quote(const struct caller *caller, const char *line) {
  if (caller && caller->quote)
    caller->quote(caller->self, line);
}

static inline const struct worker_pool *caller_pool(const struct caller *caller) {
  return caller ? caller->pool : NULL;
}

/* Reports progress: a line that replaces the previous one. */
void caller_progress(const struct caller *caller, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A destination for text that may be long. It gets the text in pieces. */
struct sink {
  bool (*write)(void *self, const char *data, size_t size, struct message *message);
  void *self;
};

struct text;

/* Writes all of the text. */
bool sink_text(const struct sink *sink, const struct text *text, struct message *message);

/* A sink that appends everything to a text. */
struct sink sink_into(struct text *text);

/* Writes the text once it is long enough, and empties it. */
bool sink_some(const struct sink *sink, struct text *text, struct message *message);

#endif
