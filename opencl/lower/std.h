/* Shared by the files that lower OpenCL.std: the rows of std.def, one component of a call, a whole call.
 *
 * Most instructions work on each component of a vector by itself. Such a row names either operations of the ISA or a
 * function that gets one component's operands as scalars (struct std_lane). The other rows (geometry, vload, shuffle,
 * ...) name a function that gets the whole call.
 *
 * A row's signature has one letter for the result, then one for each operand. std.c checks calls against it, so the
 * functions may rely on it:
 *
 *     f  floats of one width, as many components as the call          F  the same, with a component count of its own
 *     n  integers of one width                                        w  integers of twice that width
 *     x  integers or floats of one width                              c  integers as wide as f, n or x
 *     k  32-bit integers                                              p  a pointer
 *     o  an integer scalar of 32 or 64 bits                           l  a literal
 *     X  a vector of any type, checked by the function                v  no result
 *     P  a pointer to a second result like f                          K  a pointer to a second result like k
 *     .  any further operands
 *
 * A component function of a row with P or K leaves that result in struct std_lane.second. */
#ifndef OPENCL_LOWER_STD_H
#define OPENCL_LOWER_STD_H

#include "opencl/lower/build.h"

struct std_row;

struct std_lane {
  struct build *b;
  const struct std_row *row;
  unsigned bits; /* of f, n or x; 32 for a half computed in float */
  ir_ref arg[3];
  ir_ref second;
};

struct std_call {
  struct build *b;
  const struct spirv_inst *inst;
  const struct std_row *row;
  uint32_t result;
  const struct spirv_type *type; /* of the result */
  const uint32_t *operand;       /* ids and literals, as in the signature */
};

typedef ir_ref std_component(struct std_lane *lane);
typedef bool std_whole(const struct std_call *call);

/* How to extend 8- and 16-bit integer operands before the row gets them. */
enum std_extend { STD_AS_IS, STD_SIGNED, STD_UNSIGNED };

struct std_row {
  uint16_t number; /* in the extended instruction set */
  const char *name;
  const char *signature;
  uint16_t op[3];      /* ISA operations for 16, 32 and 64 bits */
  std_component *lane; /* or an expansion of one component */
  std_whole *whole;    /* or an expansion of the whole call */
  bool wide;           /* halves are computed in float and rounded */
  enum std_extend extend;
};

extern const struct std_row std_rows[];
extern const unsigned std_row_count;

/* The row of an instruction; NULL: the set has no such number. */
const struct std_row *std_find(uint32_t number);

/* The ISA operation for the lane's width. */
#define STD_FLOAT(lane, ID) ((lane)->bits == 16 ? ISA_##ID##_F16 : (lane)->bits == 32 ? ISA_##ID##_F32 : ISA_##ID##_F64)
#define STD_MATH(lane, ID) ((lane)->bits == 64 ? ISA_##ID##_F64 : ISA_##ID##_F32) /* no half form */
#define STD_INT(lane, ID) ((lane)->bits == 64 ? ISA_##ID##_64 : ISA_##ID##_32)
#define STD_S(lane, ID) ((lane)->bits == 64 ? ISA_##ID##_S64 : ISA_##ID##_S32)
#define STD_U(lane, ID) ((lane)->bits == 64 ? ISA_##ID##_U64 : ISA_##ID##_U32)
#define STD_SU(lane, ID) ((lane)->row->extend == STD_SIGNED ? STD_S(lane, ID) : STD_U(lane, ID))

/* Constants of the lane's width. */
ir_ref std_float(const struct std_lane *lane, double value);
ir_ref std_int(const struct std_lane *lane, uint64_t value);

std_component std_copysign, std_fdim, std_fract, std_frexp, std_lgamma_r, std_maxmag, std_minmag, std_modf, std_nan,
    std_nextafter, std_remquo, std_sincos, std_fclamp, std_degrees, std_radians, std_mix, std_step, std_smoothstep,
    std_sign;
std_component std_same, std_abs_diff, std_s_add_sat, std_u_add_sat, std_s_sub_sat, std_u_sub_sat, std_hadd, std_rhadd,
    std_clamp, std_clz, std_ctz, std_popcount, std_mul_hi, std_mad_hi, std_s_mad_sat, std_u_mad_sat, std_rotate,
    std_upsample, std_bitselect;
std_whole std_cross, std_distance, std_length, std_normalize, std_fast_distance, std_fast_length, std_fast_normalize;
std_whole std_vload, std_vstore, std_vload_half, std_vstore_half, std_shuffle, std_select;

/* Rounds a float or double of `bits` to a half in FPRoundingMode `mode` (convert.c). */
ir_ref std_round_to_half(struct build *b, ir_ref value, unsigned bits, unsigned mode);

bool build_prefetch(struct build *b, const struct spirv_inst *inst); /* async.c */

#endif
