/* With WARPWAIT_RIG_REPLAY in the environment, everything that a rig runs is recorded, and replayed when the rig is
 * freed: the outcome must be the same. So every test of a model also tests the law of replay. */
#ifndef TESTS_MODELS_RIG_REPLAY_H
#define TESTS_MODELS_RIG_REPLAY_H

#include "tests/models/rig.h"

struct rig_recording;

/* Covers everything that a report could show, without host addresses. */
uint64_t rig_fingerprint(const struct isa_program *program, const struct launch_result *result);
uint64_t rig_mix(uint64_t hash, const void *bytes, size_t size);

/* NULL unless recording is enabled. Otherwise sets rig->sources. */
struct rig_recording *rig_record(struct rig *rig);
/* To be called after rig's launch has run. */
void rig_recorded(struct rig_recording *recording, const struct rig *rig);
/* Replays all launches, compares, and frees. The recording must also survive a conversion to text and back. */
void rig_replay(struct rig_recording *recording, struct rig *rig);

/* Whether a trace that is converted to text and back has the same bytes; notes failures. */
bool rig_text_comes_back(const char *path);

#endif
