/* The verbs of `warpwait trace`, a file each (trace_info.c, ...), and what they share. */
#ifndef SIM_CLI_TRACE_VERBS_H
#define SIM_CLI_TRACE_VERBS_H

#include <argp.h>

#include "sim/cli/cli.h"
#include "sim/cli/output.h"
#include "sim/tracetools/opened.h"

/* Each takes "warpwait trace VERB" as argv[0] and returns an exit status. */
int trace_verb_info(int argc, char **argv);
int trace_verb_validate(int argc, char **argv);
int trace_verb_head(int argc, char **argv);
int trace_verb_diff(int argc, char **argv);
int trace_verb_slice(int argc, char **argv);
int trace_verb_merge(int argc, char **argv);
int trace_verb_convert(int argc, char **argv);
int trace_verb_import(int argc, char **argv);

/* A call of a verb that reads one trace; what a verb has besides stands behind it. */
struct trace_call {
  struct message message; /* first: see cli_parse() */
  const char *path;
  bool salvage;
};

enum { KEY_SALVAGE = 256, KEY_OF_TRACE_VERB = 264 /* and up: each verb's own */ };

/* A row of a table of options. */
#define SALVAGE_OPTION                                                                                                 \
  { "salvage", KEY_SALVAGE, NULL, 0, "Read what is intact of a damaged trace", 1 }

/* The path, --salvage, or ARGP_ERR_UNKNOWN; the state's input starts with the call. */
error_t trace_option(int key, const char *word, struct argp_state *state);

static inline enum trace_open_mode trace_mode(const struct trace_call *call) {
  return call->salvage ? TRACE_SALVAGE : TRACE_WHOLE;
}

/* An option's value: a whole number from `minimum` on. */
error_t trace_number(struct argp_state *state, const char *option, const char *word, uint64_t minimum,
                     uint64_t *number);

/* The trace of a call, open, with its warnings on stderr. */
static inline bool trace_look_at(struct trace_call *call, struct opened_trace *opened) {
  return trace_look(call->path, trace_mode(call), &cli_caller, opened, &call->message);
}

/* Writes a trace beside `path`, reads its job as a replay does, which would refuse it at once if it were none, and
 * gives it its name. `write` takes the descriptor, and returns false with the message filled. */
bool trace_write_file(const char *path, bool (*write)(void *self, int file, const char *name, struct message *message),
                      void *self, struct message *message);

#endif
