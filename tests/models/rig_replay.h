/* With WARPWAIT_RIG_REPLAY in the environment, whatever a rig runs is recorded, and replayed when the rig is freed: the
 * outcome must be the same. So every test of a model is a test of the law of replay. */
#ifndef TESTS_MODELS_RIG_REPLAY_H
#define TESTS_MODELS_RIG_REPLAY_H

#include "tests/models/rig.h"

struct rig_recording;

/* Of everything that a report could show, without addresses of the host. */
uint64_t rig_fingerprint(const struct isa_program *program, const struct launch_result *result);
uint64_t rig_mix(uint64_t hash, const void *bytes, size_t size);

/* NULL unless it is wanted; then sets rig->sources. */
struct rig_recording *rig_record(struct rig *rig);
/* The launch of rig has run. */
void rig_recorded(struct rig_recording *recording, const struct rig *rig);
/* Replays all, compares, and frees. The recording comes back from its text, too. */
void rig_replay(struct rig_recording *recording, struct rig *rig);

/* Whether a trace that becomes text and a trace again has the same bytes, with notes of failures. */
bool rig_text_comes_back(const char *path);

#endif
