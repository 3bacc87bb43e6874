/* The recorder: a warp source around each executor, which writes what its warps do into a trace.
 *
 *     compute unit ──step──► recorder ──step──► executor
 *                               └──operations──► trace_writer (traces/trace.h)
 *
 * An operation goes into the trace when it has been stepped, with the hazards that the step reported and what it
 * printed as notes. Operations on pipes are the exception: what became of a reservation is known when its reply is
 * here, so it and what its warp does until then are kept that long.
 *
 * Programs are written as metas "program0", "program1", ... (object files, isa_encode()) when a launch first has them,
 * with the base names of their files: a report shows no more. Equal object files are one program. The meta "rules" has
 * the hazards' names, a line each, in the order of the numbers in notes. The last meta, "marks", says where what a
 * kernel did depended on time (marks.h).
 *
 * Invariant: recording changes nothing of the run; the trace depends on what the warps did, and on no order in which
 * compute units were stepped.
 *
 * Not modelled: bytes of memory and registers, and when operations issued. */
#ifndef SIM_REPLAY_RECORDER_H
#define SIM_REPLAY_RECORDER_H

#include "models/warp_source.h"
#include "sim/session/run.h"
#include "traces/trace.h"

struct recorder;

/* Takes the writer of a trace that has just begun. NULL when that is NULL. */
struct recorder *recorder_new(struct trace_writer *writer);

/* For simulation_new_with(), and for a run: which ends when the file cannot be written. */
struct source_maker recorder_sources(struct recorder *recorder);
struct run_watcher recorder_watcher(struct recorder *recorder);

/* A run has ended, and another one may follow, on the same machine: then with recorder_watcher() again. */
void recorder_rest(struct recorder *recorder);

/* To write further metas. */
struct trace_writer *recorder_writer(struct recorder *recorder);

/* What the recorder says of programs (of which `kinds` are replay_kinds()) and launches, and of the hazards' rules: for
 * traces that nobody has run. */
void recorder_write_program(struct trace_writer *writer, const struct isa_program *program, const uint8_t *kinds,
                            uint32_t number);
void recorder_write_launch(struct trace_writer *writer, const struct isa_launch *launch, uint32_t program);
void recorder_write_rules(struct trace_writer *writer);

/* Ends the trace and frees the recorder. The simulation must not run any more, but may still be there. False, with
 * *error filled, when not all could be written. */
bool recorder_close(struct recorder *recorder, struct trace_error *error);

/* Frees the recorder, and leaves the file as it is: without its end. */
void recorder_abandon(struct recorder *recorder);

#endif
