/* `warpwait trace info|validate|head` of a timeline. Each prints to standard output, or fills the message. */
#ifndef SIM_CLI_TIMELINE_LOOK_H
#define SIM_CLI_TIMELINE_LOOK_H

#include "sim/cli/message.h"
#include "traces/timeline_file.h"

/* What ran, and how many events there are: of each kind, of each compute unit. */
bool timeline_info(const char *path, enum trace_open_mode mode, struct message *message);

/* Reads all of it. Of a damaged one, with TRACE_SALVAGE, what is wrong is told, and what is before is enough. */
bool timeline_check(const char *path, enum trace_open_mode mode, struct message *message);

/* The first `count` events. */
bool timeline_head(const char *path, enum trace_open_mode mode, uint64_t count, struct message *message);

/* Opens a timeline, and says on stderr what of a damaged one is read. NULL, with the message filled, when it cannot
 * be. */
struct timeline_file *timeline_look(const char *path, enum trace_open_mode mode, struct message *message);

#endif
