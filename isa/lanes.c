/* Lane loops, generated from ops.def. A row's function fetches the registers of its operands and then works through
 * blocks of 16 lanes. A full block is a loop of fixed length that the compiler vectorizes; a partial block visits its
 * lanes bit by bit.
 *
 * A destination may be one of the sources or overlap half of a pair. That is correct lane by lane: a lane reads all its
 * operands before it writes, and no lane touches another's. The pragmas below promise that to the vectorizer. */
#ifdef __clang__
/* clang warns about loops that it cannot vectorize: 64-bit divisions, and everything under a sanitizer. The pragma is
 * above the includes because clang places the warning where it first sees ops.def. */
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#include "isa/lanes.h"
#include "isa/math.h"
#include "isa/numbers.h"
#include "isa/ops.h"

#ifdef LANES_V3
#define LANES_TABLE isa_lanes_v3
#else
#define LANES_TABLE isa_lanes_base
#endif

#ifdef __clang__
#define LANES_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define LANES_INDEPENDENT _Pragma("GCC ivdep")
#endif

enum { BLOCK = 16, FULL = (1 << BLOCK) - 1 };

/* The registers of a source, or `room` filled with the immediate. */
static inline const uint32_t *source(const struct isa_warp *warp, const struct isa_inst *inst, uint8_t reg,
                                     unsigned flag, uint32_t stride, uint32_t words, uint32_t *room) {
  if (__builtin_expect(!(inst->flags & flag), 1))
    return warp->reg + (size_t)reg * stride;
  const uint32_t low = (uint32_t)inst->imm, high = (uint32_t)(inst->imm >> 32);
  for (uint32_t lane = 0; lane < stride; lane += BLOCK)
    for (uint32_t i = 0; i < BLOCK; i++)
      room[lane + i] = low;
  if (words == 2)
    for (uint32_t lane = 0; lane < stride; lane++)
      room[stride + lane] = high;
  return room;
}

static inline uint64_t source_bits(const struct isa_warp *warp, const struct isa_inst *inst, uint8_t predicate,
                                   unsigned flag) {
  return inst->flags & flag ? 0 - inst->imm : warp->pred[predicate];
}

/* For each type: fetch its registers once, read one lane, write one lane. */
#define SOURCE_WORDS(x, X, words)                                                                                      \
  const uint32_t *row_##x = source(warp, inst, inst->x, ISA_FLAG_IMM_##X, stride, words, room);
#define SOURCE_NONE(x, X)
#define SOURCE_PRED(x, X) const uint64_t bits_##x = source_bits(warp, inst, inst->x, ISA_FLAG_IMM_##X);
#define SOURCE_B32(x, X) SOURCE_WORDS(x, X, 1)
#define SOURCE_U32(x, X) SOURCE_WORDS(x, X, 1)
#define SOURCE_S32(x, X) SOURCE_WORDS(x, X, 1)
#define SOURCE_F16(x, X) SOURCE_WORDS(x, X, 1)
#define SOURCE_F32(x, X) SOURCE_WORDS(x, X, 1)
#define SOURCE_B64(x, X) SOURCE_WORDS(x, X, 2)
#define SOURCE_U64(x, X) SOURCE_WORDS(x, X, 2)
#define SOURCE_S64(x, X) SOURCE_WORDS(x, X, 2)
#define SOURCE_F64(x, X) SOURCE_WORDS(x, X, 2)

#define PAIR(x) ((uint64_t)row_##x[lane + stride] << 32 | row_##x[lane])
#define READ_NONE(x)
#define READ_PRED(x) const bool x = bits_##x >> lane & 1;
#define READ_B32(x) const uint32_t x = row_##x[lane];
#define READ_U32(x) const uint32_t x = row_##x[lane];
#define READ_S32(x) const int32_t x = (int32_t)row_##x[lane];
#define READ_F16(x) const float x = half_of(row_##x[lane]);
#define READ_F32(x) const float x = float_of(row_##x[lane]);
#define READ_B64(x) const uint64_t x = PAIR(x);
#define READ_U64(x) const uint64_t x = PAIR(x);
#define READ_S64(x) const int64_t x = (int64_t)PAIR(x);
#define READ_F64(x) const double x = double_of(PAIR(x));

#define TARGET_WORDS uint32_t *row_d = warp->reg + (size_t)inst->d * stride;
#define TARGET_PRED uint64_t bits_d = 0;
#define TARGET_B32 TARGET_WORDS
#define TARGET_U32 TARGET_WORDS
#define TARGET_S32 TARGET_WORDS
#define TARGET_F16 TARGET_WORDS
#define TARGET_F32 TARGET_WORDS
#define TARGET_B64 TARGET_WORDS
#define TARGET_U64 TARGET_WORDS
#define TARGET_S64 TARGET_WORDS
#define TARGET_F64 TARGET_WORDS

#define WRITE_32(value) row_d[lane] = (value);
#define WRITE_64(value)                                                                                                \
  const uint64_t wide = (value);                                                                                       \
  row_d[lane] = (uint32_t)wide;                                                                                        \
  row_d[lane + stride] = (uint32_t)(wide >> 32);
#define WRITE_PRED(...) block_d |= (uint32_t)(__VA_ARGS__) << (lane - base);
#define WRITE_B32(...) WRITE_32((uint32_t)(__VA_ARGS__))
#define WRITE_U32(...) WRITE_32((uint32_t)(__VA_ARGS__))
#define WRITE_S32(...) WRITE_32((uint32_t)(int32_t)(__VA_ARGS__))
#define WRITE_F16(...) WRITE_32(half_bits((float)(__VA_ARGS__)))
#define WRITE_F32(...) WRITE_32(float_bits((float)(__VA_ARGS__)))
#define WRITE_B64(...) WRITE_64((uint64_t)(__VA_ARGS__))
#define WRITE_U64(...) WRITE_64((uint64_t)(__VA_ARGS__))
#define WRITE_S64(...) WRITE_64((uint64_t)(int64_t)(__VA_ARGS__))
#define WRITE_F64(...) WRITE_64(double_bits((double)(__VA_ARGS__)))

/* A predicate is gathered block by block and merged at the end. Registers are written in place. */
#define BEGIN_PRED uint32_t block_d = 0;
#define END_PRED bits_d |= (uint64_t)block_d << base;
#define FINISH_PRED warp->pred[inst->d] = (warp->pred[inst->d] & ~mask) | (bits_d & mask);
#define BEGIN_B32
#define BEGIN_U32
#define BEGIN_S32
#define BEGIN_F16
#define BEGIN_F32
#define BEGIN_B64
#define BEGIN_U64
#define BEGIN_S64
#define BEGIN_F64
#define END_B32
#define END_U32
#define END_S32
#define END_F16
#define END_F32
#define END_B64
#define END_U64
#define END_S64
#define END_F64
#define FINISH_B32
#define FINISH_U32
#define FINISH_S32
#define FINISH_F16
#define FINISH_F32
#define FINISH_B64
#define FINISH_U64
#define FINISH_S64
#define FINISH_F64

#define FUNCTION(id)                                                                                                   \
  static void lanes_##id(struct isa_warp *warp, const struct isa_inst *inst, uint64_t mask, uint32_t stride)

#define EACH_LANE_OF(lanes)                                                                                            \
  for (uint64_t left_ = (lanes), lane64 = 0; left_ && (lane64 = (uint64_t)__builtin_ctzll(left_), true);               \
       left_ &= left_ - 1)

/* Runs a statement in each lane that takes part, block of lanes by block of lanes. */
#define IN_LANES(DT, ...)                                                                                              \
  for (uint32_t base = 0; base < stride; base += BLOCK) {                                                              \
    const uint32_t block = (uint32_t)(mask >> base) & FULL;                                                            \
    BEGIN_##DT;                                                                                                        \
    if (__builtin_expect(block == FULL, 1)) {                                                                          \
      LANES_INDEPENDENT for (uint32_t lane = base; lane < base + BLOCK; lane++) { __VA_ARGS__ }                        \
    } else {                                                                                                           \
      EACH_LANE_OF(block) {                                                                                            \
        const uint32_t lane = base + (uint32_t)lane64;                                                                 \
        __VA_ARGS__                                                                                                    \
      }                                                                                                                \
    }                                                                                                                  \
    END_##DT;                                                                                                          \
  }

/* ---- arithmetic ------------------------------------------------------------------------------ */

#define LANES_ALU(id, DT, AT, BT, CT, ...)                                                                             \
  FUNCTION(id) {                                                                                                       \
    uint32_t room[2 * ISA_LANES];                                                                                      \
    (void)room;                                                                                                        \
    SOURCE_##AT(a, A) SOURCE_##BT(b, B) SOURCE_##CT(c, C) TARGET_##DT;                                                 \
    IN_LANES(DT, READ_##AT(a) READ_##BT(b) READ_##CT(c) WRITE_##DT(__VA_ARGS__))                                       \
    FINISH_##DT;                                                                                                       \
  }

/* ALU formats with a number in the instruction. */
#define LANES_NUMBERED(id, name, DT, AT, BT, CT, ...)                                                                  \
  FUNCTION(id) {                                                                                                       \
    uint32_t room[2 * ISA_LANES];                                                                                      \
    const uint32_t name = (uint32_t)(inst->imm >> 32);                                                                 \
    (void)room;                                                                                                        \
    SOURCE_##AT(a, A) SOURCE_##BT(b, B) SOURCE_##CT(c, C) TARGET_##DT;                                                 \
    IN_LANES(DT, READ_##AT(a) READ_##BT(b) READ_##CT(c) WRITE_##DT(__VA_ARGS__))                                       \
  }
#define LANES_LOGIC(id, ...) LANES_NUMBERED(id, table, __VA_ARGS__)
#define LANES_SHIFT(id, ...) LANES_NUMBERED(id, shift, __VA_ARGS__)

/* ---- queries --------------------------------------------------------------------------------- */

static inline uint32_t global_linear_id(const struct isa_warp *warp, uint32_t lane) {
  const struct isa_group *group = warp->group;
  const struct isa_launch *launch = group->launch;
  uint32_t id[3];
  for (uint32_t axis = 0; axis < 3; axis++)
    id[axis] = group->id[axis] * launch->local[axis] + warp->local_id[axis * launch->warp_size + lane];
  return (id[2] * launch->global[1] + id[1]) * launch->global[0] + id[0];
}

#define LANES_QUERY(id, DT, AT, BT, CT, ...)                                                                           \
  FUNCTION(id) {                                                                                                       \
    const struct isa_group *group = warp->group;                                                                       \
    const struct isa_launch *launch = group->launch;                                                                   \
    const uint32_t axis = (uint32_t)inst->imm, *local_ids = warp->local_id + axis * stride;                            \
    (void)launch, (void)axis;                                                                                          \
    TARGET_##DT;                                                                                                       \
    IN_LANES(DT, const uint32_t local_id = local_ids[lane]; (void)local_id; WRITE_##DT(__VA_ARGS__))                   \
  }
#define LANES_QUERY_AXIS LANES_QUERY
#define LANES_CLOCK LANES_QUERY

/* ---- across lanes ---------------------------------------------------------------------------- */

/* All lanes read before any writes, because the destination may be the source. */
#define LANES_SHUFFLE(id, DT, AT, BT, CT, ...)                                                                         \
  FUNCTION(id) {                                                                                                       \
    uint32_t room[2 * ISA_LANES], taken[ISA_LANES];                                                                    \
    const uint32_t first = (uint32_t)__builtin_ctzll(mask);                                                            \
    (void)first;                                                                                                       \
    SOURCE_##AT(a, A) SOURCE_##BT(b, B) TARGET_##DT;                                                                   \
    EACH_LANE_OF(mask) {                                                                                               \
      const uint32_t lane = (uint32_t)lane64;                                                                          \
      READ_##BT(b) const uint32_t from = (__VA_ARGS__);                                                                \
      taken[lane] = row_a[from < stride && mask >> from & 1 ? from : lane];                                            \
    }                                                                                                                  \
    EACH_LANE_OF(mask) row_d[lane64] = taken[lane64];                                                                  \
  }

#define VOTES_NONE 0
#define VOTES_PRED source_bits(warp, inst, inst->a, ISA_FLAG_IMM_A)
#define LANES_VOTE(id, DT, AT, BT, CT, ...)                                                                            \
  FUNCTION(id) {                                                                                                       \
    const uint64_t active = mask, votes = mask & VOTES_##AT;                                                           \
    const uint32_t first = (uint32_t)__builtin_ctzll(mask);                                                            \
    (void)active, (void)votes, (void)first, (void)stride;                                                              \
    TARGET_##DT;                                                                                                       \
    for (uint32_t base = 0; base < stride; base += BLOCK) {                                                            \
      BEGIN_##DT;                                                                                                      \
      EACH_LANE_OF((uint32_t)(mask >> base) & FULL) {                                                                  \
        const uint32_t lane = base + (uint32_t)lane64;                                                                 \
        WRITE_##DT(__VA_ARGS__)                                                                                        \
      }                                                                                                                \
      END_##DT;                                                                                                        \
    }                                                                                                                  \
    FINISH_##DT;                                                                                                       \
  }

#define TYPE_OF_B32 uint32_t
#define TYPE_OF_U32 uint32_t
#define TYPE_OF_S32 int32_t
#define TYPE_OF_F16 float
#define TYPE_OF_F32 float
#define TYPE_OF_S64 int64_t
#define TYPE_OF_U64 uint64_t
#define TYPE_OF_F64 double

/* `x` starts as the first active lane's operand; `a` is the operand of each further active lane, in lane order. */
#define LANES_REDUCE(id, DT, AT, BT, CT, ...)                                                                          \
  FUNCTION(id) {                                                                                                       \
    uint32_t room[2 * ISA_LANES];                                                                                      \
    SOURCE_##AT(a, A) TARGET_##DT;                                                                                     \
    TYPE_OF_##AT x = 0;                                                                                                \
    bool begun = false;                                                                                                \
    EACH_LANE_OF(mask) {                                                                                               \
      const uint32_t lane = (uint32_t)lane64;                                                                          \
      READ_##AT(a) x = begun ? (__VA_ARGS__) : a;                                                                      \
      begun = true;                                                                                                    \
    }                                                                                                                  \
    EACH_LANE_OF(mask) {                                                                                               \
      const uint32_t lane = (uint32_t)lane64;                                                                          \
      WRITE_##DT(x)                                                                                                    \
    }                                                                                                                  \
  }

#define LANES_SCAN(id, DT, AT, BT, CT, ...)                                                                            \
  FUNCTION(id) {                                                                                                       \
    uint32_t room[2 * ISA_LANES];                                                                                      \
    SOURCE_##AT(a, A) TARGET_##DT;                                                                                     \
    TYPE_OF_##AT x = 0;                                                                                                \
    bool begun = false;                                                                                                \
    EACH_LANE_OF(mask) {                                                                                               \
      const uint32_t lane = (uint32_t)lane64;                                                                          \
      READ_##AT(a) x = begun ? (__VA_ARGS__) : a;                                                                      \
      begun = true;                                                                                                    \
      WRITE_##DT(x)                                                                                                    \
    }                                                                                                                  \
  }

#define LANES_SCAN_BEFORE(id, DT, AT, BT, CT, ...)                                                                     \
  FUNCTION(id) {                                                                                                       \
    uint32_t room[2 * ISA_LANES];                                                                                      \
    SOURCE_##AT(a, A) SOURCE_##BT(b, B) TARGET_##DT;                                                                   \
    TYPE_OF_##AT x = 0;                                                                                                \
    bool begun = false;                                                                                                \
    EACH_LANE_OF(mask) {                                                                                               \
      const uint32_t lane = (uint32_t)lane64;                                                                          \
      READ_##AT(a) READ_##BT(b) if (!begun) x = b;                                                                     \
      begun = true;                                                                                                    \
      const TYPE_OF_##AT before = x;                                                                                   \
      x = (__VA_ARGS__);                                                                                               \
      WRITE_##DT(before)                                                                                               \
    }                                                                                                                  \
  }

/* ---- not lane work --------------------------------------------------------------------------- */

#define LANES_BRANCH(...)
#define LANES_EXIT(...)
#define LANES_LOAD_ARG(...)
#define LANES_LOAD_CONST(...)
#define LANES_LOAD_PRIVATE(...)
#define LANES_STORE_PRIVATE(...)
#define LANES_PRINTF(...)
#define LANES_LOAD_LDS(...)
#define LANES_STORE_LDS(...)
#define LANES_ATOMIC_LDS(...)
#define LANES_CAS_LDS(...)
#define LANES_LOAD_GLOBAL(...)
#define LANES_STORE_GLOBAL(...)
#define LANES_ATOMIC_GLOBAL(...)
#define LANES_CAS_GLOBAL(...)
#define LANES_PREFETCH(...)
#define LANES_SYNC(...)
#define LANES_COPY_IN(...)
#define LANES_COPY_OUT(...)
#define LANES_COPY_IN_STRIDED(...)
#define LANES_COPY_OUT_STRIDED(...)
#define LANES_COPY_IN_2D(...)
#define LANES_COPY_OUT_2D(...)
#define LANES_COPY_IN_3D(...)
#define LANES_COPY_OUT_3D(...)
#define LANES_WAIT(...)
#define LANES_WAIT_FIRST(...)
#define LANES_PIPE_RESERVE(...)
#define LANES_PIPE_COMMIT(...)
#define LANES_PIPE_NUM(...)
#define LANES_PIPE_SLOT(...)
#define LANES_PIPE_BAR(...)
#define LANES_IMAGE_READ(...)
#define LANES_IMAGE_STORE(...)
#define LANES_IMAGE_QUERY(...)
#define LANES_COPY_LANE(...)
#define LANES_LANE_COMMIT(...)
#define LANES_LANE_WAIT(...)
#define LANES_MBARRIER_INIT(...)
#define LANES_MBARRIER_ARRIVE(...)
#define LANES_MBARRIER_TEST(...)
#define LANES_EXPECT(...)
#define LANES_YIELD(...)

#define OP(id, mnemonic, format, class_, D, A, B, C, text, ...) LANES_##format(id, D, A, B, C, __VA_ARGS__)
#include "isa/ops.def"
#undef OP

#define NAME_ALU(id) [ISA_##id] = lanes_##id,
#define NAME_LOGIC NAME_ALU
#define NAME_SHIFT NAME_ALU
#define NAME_QUERY NAME_ALU
#define NAME_QUERY_AXIS NAME_ALU
#define NAME_CLOCK NAME_ALU
#define NAME_SHUFFLE NAME_ALU
#define NAME_VOTE NAME_ALU
#define NAME_REDUCE NAME_ALU
#define NAME_SCAN NAME_ALU
#define NAME_SCAN_BEFORE NAME_ALU
#define NAME_BRANCH LANES_BRANCH
#define NAME_EXIT LANES_EXIT
#define NAME_LOAD_ARG LANES_LOAD_ARG
#define NAME_LOAD_CONST LANES_LOAD_CONST
#define NAME_LOAD_PRIVATE LANES_LOAD_PRIVATE
#define NAME_STORE_PRIVATE LANES_STORE_PRIVATE
#define NAME_PRINTF LANES_PRINTF
#define NAME_LOAD_LDS LANES_LOAD_LDS
#define NAME_STORE_LDS LANES_STORE_LDS
#define NAME_ATOMIC_LDS LANES_ATOMIC_LDS
#define NAME_CAS_LDS LANES_CAS_LDS
#define NAME_LOAD_GLOBAL LANES_LOAD_GLOBAL
#define NAME_STORE_GLOBAL LANES_STORE_GLOBAL
#define NAME_ATOMIC_GLOBAL LANES_ATOMIC_GLOBAL
#define NAME_CAS_GLOBAL LANES_CAS_GLOBAL
#define NAME_PREFETCH LANES_PREFETCH
#define NAME_SYNC LANES_SYNC
#define NAME_COPY_IN LANES_COPY_IN
#define NAME_COPY_OUT LANES_COPY_OUT
#define NAME_COPY_IN_STRIDED LANES_COPY_IN_STRIDED
#define NAME_COPY_OUT_STRIDED LANES_COPY_OUT_STRIDED
#define NAME_COPY_IN_2D LANES_COPY_IN_2D
#define NAME_COPY_OUT_2D LANES_COPY_OUT_2D
#define NAME_COPY_IN_3D LANES_COPY_IN_3D
#define NAME_COPY_OUT_3D LANES_COPY_OUT_3D
#define NAME_WAIT LANES_WAIT
#define NAME_WAIT_FIRST LANES_WAIT_FIRST
#define NAME_PIPE_RESERVE LANES_PIPE_RESERVE
#define NAME_PIPE_COMMIT LANES_PIPE_COMMIT
#define NAME_PIPE_NUM LANES_PIPE_NUM
#define NAME_PIPE_SLOT LANES_PIPE_SLOT
#define NAME_PIPE_BAR LANES_PIPE_BAR
#define NAME_IMAGE_READ LANES_IMAGE_READ
#define NAME_IMAGE_STORE LANES_IMAGE_STORE
#define NAME_IMAGE_QUERY LANES_IMAGE_QUERY
#define NAME_COPY_LANE LANES_COPY_LANE
#define NAME_LANE_COMMIT LANES_LANE_COMMIT
#define NAME_LANE_WAIT LANES_LANE_WAIT
#define NAME_MBARRIER_INIT LANES_MBARRIER_INIT
#define NAME_MBARRIER_ARRIVE LANES_MBARRIER_ARRIVE
#define NAME_MBARRIER_TEST LANES_MBARRIER_TEST
#define NAME_EXPECT LANES_EXPECT
#define NAME_YIELD LANES_YIELD

const isa_lanes_function LANES_TABLE[ISA_OPS] = {
#define OP(id, mnemonic, format, ...) NAME_##format(id)
#include "isa/ops.def"
#undef OP
};
