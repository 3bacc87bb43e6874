/* The replayer: a warp source that takes the warps' operations from a trace, and executes nothing.
 *
 *     trace (traces/trace.h) ──operations──► replayer ──step──► compute unit
 *
 * Everything about time comes from the models: which warp issues next, who waits for whom, what a copy costs. So a
 * replay on the machine of the recording gives the recorded run. On another machine it gives what a run there would
 * give, unless the kernel's behavior depends on time (sim/replay/marks.h).
 *
 * Pipes: their headers are real memory in a replay too, and operations on them are carried out. The resulting ids may
 * differ from the recorded ones, so the replayer translates ids that warps hold. The outcome of a reservation is the
 * recorded one: one that succeeded waits until it can succeed, and one that was refused is refused. Packets lie where
 * the recorded ids put them. mbarriers are real memory too, but tests of them have the recorded result.
 *
 * Invariant: each warp executes all operations of the recording, in the recorded order, however long each takes here.
 *
 * Not modeled: contents of memory (buffers have no data), so values that depend on them stay as recorded; mbarriers
 * that are changed by ordinary accesses. */
#ifndef SIM_REPLAY_REPLAYER_H
#define SIM_REPLAY_REPLAYER_H

#include "models/warp_source.h"
#include "sim/session/run.h"
#include "traces/trace.h"

struct replayer;

/* A replayer of a trace, which must stay open. NULL with *error filled. */
struct replayer *replayer_new(struct trace *trace, struct message *error);
void replayer_free(struct replayer *replayer); /* call it after freeing the simulation */

/* For simulation_new_with(), and for a run, which ends at the first fault. */
struct source_maker replayer_sources(struct replayer *replayer);
struct run_watcher replayer_watcher(struct replayer *replayer);

/* A replayer for a job that was read from the trace. Its launches may lie at other addresses than in the recording.
 * `prefix`: the trace is incomplete, so warps end with their operations, or earlier (prefix.h). NULL with the message
 * filled. */
struct replayer *replayer_of_job(struct trace *trace, const struct job *job, bool prefix, struct message *message);

/* Number of warps that ended before their exit. */
uint64_t replayer_cut_short(const struct replayer *replayer);

/* Why the replay is invalid; NULL: it is valid. After a fault, all warps end at once. */
const char *replayer_fault(const struct replayer *replayer);

/* Is the fault a damaged file? Otherwise the replay continues past the end of the recording. */
bool replayer_damaged(const struct replayer *replayer);

#endif
