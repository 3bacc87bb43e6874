/* The verbs of `warpwait sweep` (sweep_store.c, ...). */
#ifndef SIM_CLI_SWEEP_VERBS_H
#define SIM_CLI_SWEEP_VERBS_H

#include "sim/base/message.h"
#include "sim/sweep/store.h"

/* Each takes "warpwait sweep VERB" as argv[0] and returns an exit status. */
int sweep_verb_run(int argc, char **argv);
int sweep_verb_merge(int argc, char **argv);
int sweep_verb_csv(int argc, char **argv);
int sweep_verb_info(int argc, char **argv);
int sweep_verb_python(int argc, char **argv);

/* Writes the points to a file, whole or not at all; NULL: to standard output. */
bool sweep_write_csv(struct store *store, const char *path, struct message *message);

#endif
