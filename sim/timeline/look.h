/* `warpwait trace info|validate|head` of a timeline. Each writes to the sink, or fills the message;
 * what of a damaged file is read is a warning. */
#ifndef SIM_TIMELINE_LOOK_H
#define SIM_TIMELINE_LOOK_H

#include "sim/base/caller.h"
#include "traces/timeline_file.h"

/* What ran, and how many events there are: of each kind, of each compute unit. */
bool timeline_info(const char *path, enum trace_open_mode mode, const struct sink *sink, const struct caller *caller,
                   struct message *message);

/* Reads all of it. Of a damaged one, with TRACE_SALVAGE, what is wrong is told, and what is before is enough. */
bool timeline_check(const char *path, enum trace_open_mode mode, const struct caller *caller, struct message *message);

/* The first `count` events. */
bool timeline_head(const char *path, enum trace_open_mode mode, uint64_t count, const struct sink *sink,
                   const struct caller *caller, struct message *message);

/* Opens a timeline, and warns of what of a damaged one is read. NULL, with the message filled, when it cannot
 * be. */
struct timeline_file *timeline_look(const char *path, enum trace_open_mode mode, const struct caller *caller,
                                    struct message *message);

#endif
