/* Who has asked for a piece of work, and is told of it while it goes on.
 *
 *     work that takes long ──stops?──────────► the caller: a person at a terminal, or a program
 *                          ──how far it is───►
 *                          ──what is odd─────►
 *                          ──what others say─►
 *
 * Invariant: whether and what a caller answers changes no result, but for the work that it ends. All of it may be NULL,
 * and so may the caller: then nobody is told, and nothing is ended. */
#ifndef SIM_BASE_CALLER_H
#define SIM_BASE_CALLER_H

#include <stdbool.h>

#include "sim/base/message.h"

struct dealer;

struct caller {
  void *self;
  void (*busy)(void *self, bool begins); /* work that asks stops() begins, or ends; these nest */
  bool (*stops)(void *self);             /* the work is to come to its end, without a result */
  bool (*due)(void *self);               /* it is time to say how far it is: */
  void (*progress)(void *self, const char *line);
  void (*warn)(void *self, const struct message *message);
  void (*quote)(void *self, const char *line); /* what a compiler says of a program, in its own words */
  const struct dealer *dealer; /* whose workers serve work that has many parts (sim/sweep/workers.h); NULL: threads */
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

static inline const struct dealer *caller_dealer(const struct caller *caller) { return caller ? caller->dealer : NULL; }

/* A line that takes the place of the one before. */
void caller_progress(const struct caller *caller, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Where text goes that may be long: in pieces, as it grows. */
struct sink {
  bool (*write)(void *self, const char *data, size_t size, struct message *message);
  void *self;
};

struct text;

/* All of the text. */
bool sink_text(const struct sink *sink, const struct text *text, struct message *message);

/* Who keeps all in a text. */
struct sink sink_into(struct text *text);

/* What there is once it has some length; the text is empty then. */
bool sink_some(const struct sink *sink, struct text *text, struct message *message);

#endif
