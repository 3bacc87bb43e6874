/* What step.c, access.c, group.c and the files of pipes, images, mbarriers and printf share: the parts of one executed
 * instruction. */
#ifndef ISA_STEP_H
#define ISA_STEP_H

#include "isa/rows.h"

/* Lanes of `mask`, lowest first. */
#define EACH_LANE(lane, mask)                                                                                          \
  for (uint64_t left_##lane = (mask), lane = 0; left_##lane && (lane = (uint64_t)__builtin_ctzll(left_##lane), true);  \
       left_##lane &= left_##lane - 1)

static inline uint32_t first_lane(uint64_t mask) { return (uint32_t)__builtin_ctzll(mask); }

static inline const uint32_t *register_row(const struct isa_warp *warp, uint32_t reg, uint32_t stride) {
  return warp->reg + (size_t)reg * stride;
}

/* Loads, stores and atomics (access.c). LDS and global accesses are only described in *access. */
void access_arg(struct isa_warp *warp, const struct isa_inst *inst, uint64_t mask);
void access_const(struct isa_warp *warp, const struct isa_inst *inst, struct isa_result *result, uint64_t mask);
void access_private(struct isa_warp *warp, const struct isa_inst *inst, uint32_t pc, uint64_t mask);
/* Checks a block of `bytes` of private memory at an 8-byte boundary. Returns the lanes in which it is in bounds, and
 * its addresses. */
uint64_t access_block(struct isa_warp *warp, const struct isa_inst *inst, uint32_t pc, uint64_t mask, uint32_t bytes,
                      uint64_t *address);
void access_lds(struct isa_warp *warp, const struct isa_inst *inst, struct isa_access *access);
void access_global(struct isa_warp *warp, const struct isa_inst *inst, struct isa_access *access);
void access_copy_lane(struct isa_warp *warp, const struct isa_inst *inst, struct isa_access *access);
void access_mbarrier(struct isa_warp *warp, const struct isa_inst *inst, struct isa_access *access);
void access_prefetch(struct isa_warp *warp, const struct isa_inst *inst, struct isa_access *access);

/* Formats what each lane prints and passes it to the launch (printf.c). */
void print_lanes(struct isa_warp *warp, const struct isa_inst *inst, uint32_t pc, uint64_t mask);

/* Pipes (pipe.c): an operation on the header, at issue and at commit; a packet's address. */
void pipe_access(struct isa_warp *warp, const struct isa_inst *inst, struct isa_access *access);
void pipe_commit(struct isa_access *access);
void pipe_slot(struct isa_warp *warp, const struct isa_inst *inst, uint32_t pc, uint64_t mask);

/* Images (image.c): reads and stores at issue, queries, and the commit of reads and stores. */
void image_read(struct isa_warp *warp, const struct isa_inst *inst, struct isa_access *access);
void image_store(struct isa_warp *warp, const struct isa_inst *inst, struct isa_access *access);
void image_query(struct isa_warp *warp, const struct isa_inst *inst, uint32_t pc, uint64_t mask);
void image_commit(struct isa_access *access);

/* mbarriers (mbarrier.c): the commit of an access. */
void mbarrier_commit(struct isa_access *access);

/* Operations of a whole work-group (group.c). */
/* Reports the lanes of the warp that are not in `here`. Reports nothing if `here` is empty: the other warps of the
 * group may have skipped the call, too. */
void step_missing(struct isa_warp *warp, uint32_t pc, uint64_t here);
void step_copy(struct isa_warp *warp, const struct isa_inst *inst, struct isa_result *result);
void step_wait(struct isa_warp *warp, const struct isa_inst *inst, struct isa_result *result);
void step_barrier(struct isa_warp *warp, const struct isa_result *result);
void step_expect(struct isa_warp *warp, const struct isa_inst *inst, const struct isa_result *result);
void step_pipe_barrier(struct isa_warp *warp, const struct isa_inst *inst, struct isa_result *result);

/* Reports a hazard of `lane` to the launch, with printf-like details. */
void step_report(const struct isa_warp *warp, uint32_t pc, enum isa_hazard_rule rule, uint32_t lane, const char *format,
                 ...) __attribute__((format(printf, 5, 6)));

#endif
