/* The verbs of `warpwait sweep` (sweep_store.c, ...). */
#ifndef SIM_CLI_SWEEP_VERBS_H
#define SIM_CLI_SWEEP_VERBS_H

#include "sim/base/message.h"
#include "sim/sweep/store.h"

/* Writes the points to a file, whole or not at all; NULL: to standard output. */
bool sweep_write_csv(struct store *store, const char *path, struct message *message);

#endif
