/* `warpwait trace info|validate|head` for a timeline. Each writes to the sink, or fills the message; for a damaged
 * file, a warning says how much was read. */
#ifndef TOOLS_TIMELINE_LOOK_H
#define TOOLS_TIMELINE_LOOK_H

#include "sim/base/caller.h"
#include "traces/timeline_file.h"

/* What ran, and the number of events of each kind and compute unit. */
bool timeline_info(const char *path, enum trace_open_mode mode, const struct sink *sink, const struct caller *caller,
                   struct message *message);

/* Reads all of it. With TRACE_SALVAGE, damage is only a warning, and the part before it is enough. */
bool timeline_check(const char *path, enum trace_open_mode mode, const struct caller *caller, struct message *message);

/* The first `count` events. */
bool timeline_head(const char *path, enum trace_open_mode mode, uint64_t count, const struct sink *sink,
                   const struct caller *caller, struct message *message);

/* Opens a timeline; for a damaged one, warns how much is read. NULL with the message filled if it cannot be opened. */
struct timeline_file *timeline_look(const char *path, enum trace_open_mode mode, const struct caller *caller,
                                    struct message *message);

#endif
