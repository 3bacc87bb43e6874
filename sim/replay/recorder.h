/* The recorder: a warp source around each executor, which writes the operations of its warps into a trace.
 *
 *     compute unit ──step──► recorder ──step──► executor
 *                               └──operations──► trace_writer (traces/trace.h)
 *
 * An operation is written after its step, with the hazards that the step reported and what it printed as notes.
 * Reservations of pipe packets are the exception: their outcome is known only with the reply, so the warp's operations
 * are held back until then.
 *
 * When a launch first uses a program, it is written as meta "program0", "program1", ... (an object file, isa_encode()).
 * It has only the base names of its files, which is all that reports show. Equal object files are one program. The meta
 * "rules" has the hazards' names, one per line, in the order of the numbers in notes. The last meta, "marks", says
 * where the kernel's behavior depended on time (marks.h).
 *
 * Invariant: recording does not change the run. The trace depends on what the warps did, not on the order in which
 * compute units were stepped.
 *
 * Not modeled: the contents of memory and registers, and when operations issued. */
#ifndef SIM_REPLAY_RECORDER_H
#define SIM_REPLAY_RECORDER_H

#include "models/warp_source.h"
#include "sim/session/run.h"
#include "traces/trace.h"

struct recorder;

/* Takes over the writer of a new trace. NULL when the writer is NULL. */
struct recorder *recorder_new(struct trace_writer *writer);

/* For simulation_new_with(), and for a run, which ends when the file cannot be written. */
struct source_maker recorder_sources(struct recorder *recorder);
struct run_watcher recorder_watcher(struct recorder *recorder);

/* Ends a run. Another one may follow on the same machine, with a new recorder_watcher(). */
void recorder_rest(struct recorder *recorder);

/* For writing further metas. */
struct trace_writer *recorder_writer(struct recorder *recorder);

/* Write what the recorder writes about programs (`kinds` is their replay_kinds()), launches and the hazards' rules. For
 * traces that do not come from a run. */
void recorder_write_program(struct trace_writer *writer, const struct isa_program *program, const uint8_t *kinds,
                            uint32_t number);
void recorder_write_launch(struct trace_writer *writer, const struct isa_launch *launch, uint32_t program);
void recorder_write_rules(struct trace_writer *writer);

/* Ends the trace and frees the recorder. The simulation must have stopped, but need not be freed. False, with *error
 * filled, when something could not be written. */
bool recorder_close(struct recorder *recorder, struct message *error);

/* Frees the recorder without ending the file. */
void recorder_abandon(struct recorder *recorder);

#endif
