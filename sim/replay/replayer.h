/* The replayer: a warp source that takes what warps do from a trace, and executes nothing.
 *
 *     trace (traces/trace.h) ──operations──► replayer ──step──► compute unit
 *
 * Everything that has to do with time is the models' own: which warp goes next, who waits for whom, what a copy costs.
 * So a replay on the machine of the recording is the recorded run, and on another machine the run that would have been
 * there, unless what the kernel does depends on time (sim/replay/marks.h).
 *
 * Pipes. Their headers are memory in a replay too, and operations on them are carried out. The ids that come out may
 * be others than the recorded ones, so those that warps hold are looked up. What became of a reservation is what became
 * of it in the recording: one that was got waits until it can be had, one that was refused is refused. Packets lie
 * where the recorded ids put them. mbarriers are memory too; a test of one comes out here as it did in the recording.
 *
 * Invariant: a warp's operations come in the order of the recording, and all of them, however long each takes here.
 *
 * Not modelled: bytes of memory (buffers have no data), so what depends on them cannot be other than it was; mbarriers
 * that other accesses than their own change. */
#ifndef SIM_REPLAY_REPLAYER_H
#define SIM_REPLAY_REPLAYER_H

#include "models/warp_source.h"
#include "sim/session/run.h"
#include "traces/trace.h"

struct replayer;

/* A replayer of the trace, which stays open for as long. NULL with *error filled. */
struct replayer *replayer_new(struct trace *trace, struct trace_error *error);
void replayer_free(struct replayer *replayer); /* after the simulation */

/* For simulation_new_with(), and for a run: which ends once there is a fault. */
struct source_maker replayer_sources(struct replayer *replayer);
struct run_watcher replayer_watcher(struct replayer *replayer);

/* One for a job that was read from the trace, whose launches may lie elsewhere than in the recording. `prefix`: of a
 * trace that is not whole, warps end where their operations do, or before (prefix.h). NULL with the message filled. */
struct replayer *replayer_of_job(struct trace *trace, const struct job *job, bool prefix, struct message *message);

/* Warps that have ended so. */
uint64_t replayer_cut_short(const struct replayer *replayer);

/* Why the replay cannot be what it should be; NULL: all is well. Once there is something, warps end at once. */
const char *replayer_fault(const struct replayer *replayer);

/* The fault is the file's, which is damaged; else the recording does not reach as far as the replay. */
bool replayer_damaged(const struct replayer *replayer);

#endif
