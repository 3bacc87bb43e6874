/* OpenCL's built-ins by name: to instructions of SPIR-V and of its set OpenCL.std, whose rows (std.def) this file reads
 * for their names and operands. Parameters' types come from mangled names, because LLVM's types have no signs and its
 * pointers no elements. */
#include "opencl/llvm/ll_opencl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"

/* ---- arguments ----------------------------------------------------------------------------------- */

bool opencl_begins(const char *name, const char *begin, const char **rest) {
  if (strncmp(name, begin, strlen(begin)))
    return false;
  *rest = name + strlen(begin);
  return true;
}

static uint32_t scalar_type(struct ll *ll, char letter) {
  const unsigned bits = mangle_bits(letter);
  return mangle_is_real(letter) ? ll_real_type(ll, bits) : ll_int_type(ll, bits == 1 || !bits ? 8 : bits);
}

uint32_t opencl_type(const struct opencl *o, const struct mangle_type *type) {
  const uint32_t scalar = scalar_type(o->ll, type->letter);
  return type->count > 1 ? ll_vector_type(o->ll, scalar, type->count) : scalar;
}

uint32_t opencl_pointer(const struct opencl *o, unsigned i, uint32_t element) {
  const struct ll_value *argument = &o->call->argument[i];
  const struct ll_type *type = ll_type(o->ll, argument->type);
  const enum spirv_storage storage = (enum spirv_storage)type->count;
  if (i >= o->call->count || type->kind != LL_POINTER)
    return ll_unsupported(o->ll, argument->type, "%s without a pointer", o->call->name);
  const uint32_t written = ll_spirv_type(o->ll, element); /* the table of types may move */
  return ll_make(o->ll, OpBitcast, ll_typed_pointer(o->ll, storage, written), argument->id);
}

/* An argument with as many components as the result. */
static uint32_t widened(const struct opencl *o, unsigned i) {
  const struct ll_value *argument = &o->call->argument[i];
  const uint32_t count = ll_components(o->ll, o->call->result);
  if (count < 2 || ll_type(o->ll, argument->type)->kind == LL_VECTOR)
    return argument->id;
  uint32_t part[16];
  for (uint32_t k = 0; k < count && k < 16; k++)
    part[k] = argument->id;
  return ll_make_words(o->ll, OpCompositeConstruct, ll_spirv_type(o->ll, ll_vector_type(o->ll, argument->type, count)),
                       part, count);
}

static bool constant(const struct opencl *o, unsigned i, uint64_t *value) {
  return i < o->call->count && ll_constant_value(o->ll, o->call->argument[i].id, value);
}

uint32_t opencl_semantics(const struct opencl *o, unsigned i) {
  static const uint32_t orders[] = {0, MemorySemanticsAcquire, MemorySemanticsAcquire, MemorySemanticsRelease,
                                    MemorySemanticsAcquireRelease};
  uint64_t order;
  return constant(o, i, &order) && order < 5 ? orders[order] : MemorySemanticsSequentiallyConsistent;
}

uint32_t opencl_scope(const struct opencl *o, unsigned i) {
  static const uint32_t scopes[] = {ScopeInvocation, ScopeWorkgroup, ScopeDevice, ScopeCrossDevice, ScopeSubgroup};
  uint64_t scope;
  return constant(o, i, &scope) && scope < 5 ? scopes[scope] : ScopeDevice;
}

/* ---- OpenCL.std ---------------------------------------------------------------------------------- */

static const struct std {
  uint16_t number;
  const char *name, *signature;
} stds[] = {
#define STD(n, text, letters, ...) {n, #text, letters},
#include "opencl/lower/std.def"
#undef STD
};

static const struct std *find_std(const char *name) {
  for (size_t i = 0; i < sizeof stds / sizeof *stds; i++)
    if (!strcmp(stds[i].name, name))
      return &stds[i];
  return NULL;
}

/* OpenCL.std has names with a sign where OpenCL C has one name for both: max is s_max, u_max or fmax_common. */
static const struct std *std_of(const struct opencl *o) {
  static const struct {
    const char *name, *real;
  } reals[] = {{"max", "fmax_common"}, {"min", "fmin_common"}, {"clamp", "fclamp"}};
  char name[100];
  const char letter = opencl_letter(o, 0);
  for (size_t i = 0; mangle_is_real(letter) && i < sizeof reals / sizeof *reals; i++)
    if (!strcmp(o->name.name, reals[i].name))
      return find_std(reals[i].real);
  const struct std *row = find_std(o->name.name);
  if (row || !mangle_bits(letter))
    return row;
  snprintf(name, sizeof name, "%c_%s", mangle_is_signed(letter) ? 's' : 'u', o->name.name);
  return find_std(name);
}

/* Operands as the signature wants them: scalars for vectors are repeated, pointers get the type of what they point
 * to. */
static bool call_std(const struct opencl *o, const struct std *row, uint32_t *id) {
  uint32_t words[20] = {o->ll->std, row->number};
  const uint32_t result = o->call->result;
  unsigned i = 0;
  for (; i < o->call->count && i < 16 && row->signature[1 + i]; i++) {
    const char letter = row->signature[1 + i];
    if (letter == '.')
      break;
    if (letter == 'P')
      words[2 + i] = opencl_pointer(o, i, result);
    else if (letter == 'K')
      words[2 + i] = opencl_pointer(o, i, ll_like(o->ll, result, ll_int_type(o->ll, 32)));
    else if (letter == 'p')
      words[2 + i] = opencl_pointer(o, i, opencl_type(o, &o->name.parameter[i < o->name.count ? i : 0]));
    else
      words[2 + i] = strchr("FoX", letter) || row->signature[0] == 'v' ? opencl_argument(o, i) : widened(o, i);
  }
  *id = ll_make_words(o->ll, OpExtInst, opencl_result(o), words, i + 2);
  return true;
}

static bool call_printf(const struct opencl *o, uint32_t *id) {
  uint32_t words[LL_MOST_ARGUMENTS + 2] = {o->ll->std, LL_STD_printf};
  for (unsigned i = 0; i < o->call->count; i++)
    words[2 + i] = o->call->argument[i].id;
  *id = ll_make_words(o->ll, OpExtInst, opencl_result(o), words, o->call->count + 2);
  return true;
}

/* vload4(offset, p), vstore_half2_rtz(value, offset, p): the number of components and the rounding are in the name. */
static bool call_vector_memory(const struct opencl *o, uint32_t *id) {
  static const struct {
    const char *begin;
    uint8_t one, many, rounded_one, rounded_many;
  } rows[] = {{"vloada_half", LL_STD_vload_half, LL_STD_vloada_halfn, 0, 0},
              {"vload_half", LL_STD_vload_half, LL_STD_vload_halfn, 0, 0},
              {"vload", 0, LL_STD_vloadn, 0, 0},
              {"vstorea_half", LL_STD_vstore_half, LL_STD_vstorea_halfn, LL_STD_vstore_half_r, LL_STD_vstorea_halfn_r},
              {"vstore_half", LL_STD_vstore_half, LL_STD_vstore_halfn, LL_STD_vstore_half_r, LL_STD_vstore_halfn_r},
              {"vstore", 0, LL_STD_vstoren, 0, 0}};
  static const char *const roundings[] = {"_rte", "_rtz", "_rtp", "_rtn"};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *rest;
    if (!opencl_begins(o->name.name, rows[i].begin, &rest))
      continue;
    char *end = (char *)rest;
    const unsigned long count = isdigit((unsigned char)*rest) ? strtoul(rest, &end, 10) : 0;
    const unsigned last = o->call->count - 1;
    const bool load = o->name.name[1] == 'l';
    unsigned rounding = 4;
    for (unsigned k = 0; k < 4; k++)
      rounding = strcmp(end, roundings[k]) ? rounding : k;
    if ((*end && rounding == 4) || o->call->count != (load ? 2u : 3u) || o->name.count != o->call->count)
      return false;
    const uint8_t number =
        rounding < 4 ? (count ? rows[i].rounded_many : rows[i].rounded_one) : (count ? rows[i].many : rows[i].one);
    if (!number)
      return false;
    uint32_t words[6] = {o->ll->std, number}, used = 2;
    for (unsigned k = 0; k < last; k++)
      words[used++] = opencl_argument(o, k);
    struct mangle_type element = o->name.parameter[last];
    words[used++] = opencl_pointer(o, last, opencl_type(o, &element));
    if (load && count)
      words[used++] = (uint32_t)count;
    if (rounding < 4)
      words[used++] = rounding;
    *id = ll_make_words(o->ll, OpExtInst, opencl_result(o), words, used);
    return true;
  }
  return false;
}

/* ---- work-items ---------------------------------------------------------------------------------- */

static bool call_work_item(const struct opencl *o, uint32_t *id) {
  static const struct {
    const char *name;
    uint8_t builtin;
    int8_t beyond; /* in a fourth dimension; -1: a scalar, without dimensions */
  } rows[] = {{"get_global_id", BuiltInGlobalInvocationId, 0},
              {"get_local_id", BuiltInLocalInvocationId, 0},
              {"get_group_id", BuiltInWorkgroupId, 0},
              {"get_global_size", BuiltInGlobalSize, 1},
              {"get_local_size", BuiltInWorkgroupSize, 1},
              {"get_enqueued_local_size", BuiltInEnqueuedWorkgroupSize, 1},
              {"get_num_groups", BuiltInNumWorkgroups, 1},
              {"get_global_offset", BuiltInGlobalOffset, 0},
              {"get_work_dim", BuiltInWorkDim, -1},
              {"get_global_linear_id", BuiltInGlobalLinearId, -1},
              {"get_local_linear_id", BuiltInLocalInvocationIndex, -1},
              {"get_sub_group_size", BuiltInSubgroupSize, -1},
              {"get_max_sub_group_size", BuiltInSubgroupMaxSize, -1},
              {"get_num_sub_groups", BuiltInNumSubgroups, -1},
              {"get_enqueued_num_sub_groups", BuiltInNumEnqueuedSubgroups, -1},
              {"get_sub_group_id", BuiltInSubgroupId, -1},
              {"get_sub_group_local_id", BuiltInSubgroupLocalInvocationId, -1}};
  static const char *const masks[] = {"get_sub_group_eq_mask", "get_sub_group_ge_mask", "get_sub_group_gt_mask",
                                      "get_sub_group_le_mask", "get_sub_group_lt_mask"};
  struct ll *ll = o->ll;
  for (size_t i = 0; i < sizeof masks / sizeof *masks; i++)
    if (!strcmp(o->name.name, masks[i])) {
      *id = ll_builtin(ll, BuiltInSubgroupEqMask + (uint32_t)i, LL_WHOLE);
      return true;
    }
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(o->name.name, rows[i].name))
      continue;
    uint64_t axis = 0;
    if (rows[i].beyond < 0)
      *id = ll_builtin(ll, rows[i].builtin, LL_SCALAR);
    else if (!constant(o, 0, &axis))
      *id = ll_make(ll, OpVectorExtractDynamic, opencl_result(o), ll_builtin(ll, rows[i].builtin, LL_WHOLE),
                    opencl_argument(o, 0));
    else if (axis > 2)
      *id = ll_integer(ll, o->call->result, (uint64_t)rows[i].beyond);
    else
      *id = ll_builtin(ll, rows[i].builtin, (int)axis);
    return true;
  }
  return false;
}

/* ---- relations ----------------------------------------------------------------------------------- */

/* A truth value as OpenCL has it: 1, in vectors -1. */
static uint32_t truth(const struct opencl *o, uint32_t boolean) {
  return ll_bool_to(o->ll, boolean, o->call->result, ll_components(o->ll, o->call->result) > 1);
}

static bool call_relation(const struct opencl *o, uint32_t *id) {
  static const struct {
    const char *name;
    uint16_t op;
    uint8_t operands;
  } rows[] = {{"isequal", OpFOrdEqual, 2},
              {"isnotequal", OpFUnordNotEqual, 2},
              {"isgreater", OpFOrdGreaterThan, 2},
              {"isgreaterequal", OpFOrdGreaterThanEqual, 2},
              {"isless", OpFOrdLessThan, 2},
              {"islessequal", OpFOrdLessThanEqual, 2},
              {"islessgreater", OpFOrdNotEqual, 2},
              {"isordered", OpOrdered, 2},
              {"isunordered", OpUnordered, 2},
              {"isfinite", OpIsFinite, 1},
              {"isinf", OpIsInf, 1},
              {"isnan", OpIsNan, 1},
              {"isnormal", OpIsNormal, 1},
              {"signbit", OpSignBitSet, 1}};
  struct ll *ll = o->ll;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(o->name.name, rows[i].name) || o->call->count != rows[i].operands)
      continue;
    const uint32_t type = ll_spirv_type(ll, ll_like(ll, o->call->argument[0].type, ll_int_type(ll, 1)));
    const uint32_t words[] = {opencl_argument(o, 0), opencl_argument(o, 1)};
    *id = truth(o, ll_make_words(ll, rows[i].op, type, words, rows[i].operands));
    return true;
  }
  const bool any = !strcmp(o->name.name, "any");
  if ((!any && strcmp(o->name.name, "all")) || o->call->count != 1)
    return false;
  const uint32_t type = o->call->argument[0].type, boolean = ll_int_type(ll, 1);
  const uint32_t sign = ll_make(ll, OpSLessThan, ll_spirv_type(ll, ll_like(ll, type, boolean)), opencl_argument(o, 0),
                                ll_integer(ll, type, 0));
  *id = ll_bool_to(
      ll, ll_components(ll, type) > 1 ? ll_make(ll, any ? OpAny : OpAll, ll_spirv_type(ll, boolean), sign) : sign,
      o->call->result, false);
  return true;
}

/* ---- conversions --------------------------------------------------------------------------------- */

static char letter_of_type(const char *name, size_t length) {
  static const struct {
    const char *name;
    char letter;
  } types[] = {{"char", 'c'}, {"uchar", 'h'}, {"short", 's'}, {"ushort", 't'}, {"int", 'i'},    {"uint", 'j'},
               {"long", 'l'}, {"ulong", 'm'}, {"half", 'H'},  {"float", 'f'},  {"double", 'd'}, {"bool", 'b'}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strlen(types[i].name) == length && !memcmp(types[i].name, name, length))
      return types[i].letter;
  return 0;
}

static uint16_t conversion_op(char from, char to, bool saturated) {
  const bool from_signed = mangle_is_signed(from), to_signed = mangle_is_signed(to);
  if (mangle_is_real(from))
    return mangle_is_real(to) ? OpFConvert : to_signed ? OpConvertFToS : OpConvertFToU;
  if (mangle_is_real(to))
    return from_signed ? OpConvertSToF : OpConvertUToF;
  if (saturated && from_signed != to_signed)
    return from_signed ? OpSatConvertSToU : OpSatConvertUToS;
  return from_signed ? OpSConvert : OpUConvert;
}

/* convert_uchar4_sat_rte(float4) */
static bool call_convert(const struct opencl *o, uint32_t *id) {
  static const char *const roundings[] = {"_rte", "_rtz", "_rtp", "_rtn"};
  const char *rest;
  struct ll *ll = o->ll;
  if (!opencl_begins(o->name.name, "convert_", &rest) || o->call->count != 1)
    return false;
  const char to = letter_of_type(rest, strspn(rest, "abcdefghijklmnopqrstuvwxyz")), from = opencl_letter(o, 0);
  rest += strspn(rest, "abcdefghijklmnopqrstuvwxyz0123456789");
  const bool saturated = opencl_begins(rest, "_sat", &rest);
  unsigned rounding = 4;
  for (unsigned i = 0; i < 4; i++)
    rounding = strcmp(rest, roundings[i]) ? rounding : i;
  if (!to || !mangle_bits(from) || (*rest && rounding == 4))
    return false;
  const bool integers = !mangle_is_real(from) && !mangle_is_real(to);
  const bool same = mangle_bits(from) == mangle_bits(to) && mangle_is_real(from) == mangle_is_real(to);
  const bool other_sign = mangle_is_signed(from) != mangle_is_signed(to);
  if (same && !(integers && saturated && other_sign)) {
    *id = opencl_argument(o, 0);
    return true;
  }
  *id = ll_make(ll, conversion_op(from, to, saturated && integers), opencl_result(o), opencl_argument(o, 0));
  if (saturated && !(integers && other_sign))
    ll_emit(ll, LL_DECORATIONS, OpDecorate, *id, DecorationSaturatedConversion);
  if (rounding < 4 && !integers)
    ll_emit(ll, LL_DECORATIONS, OpDecorate, *id, DecorationFPRoundingMode, rounding);
  return true;
}

/* dot and dot_acc_sat of vectors of 8 bits. SUDot has the signed one first. */
static bool call_dot(const struct opencl *o, uint32_t *id) {
  static const uint16_t ops[2][3] = {{OpUDot, OpSUDot, OpSDot}, {OpUDotAccSat, OpSUDotAccSat, OpSDotAccSat}};
  const bool sum = !strcmp(o->name.name, "dot_acc_sat");
  if ((!sum && strcmp(o->name.name, "dot")) || o->call->count != (sum ? 3u : 2u) ||
      mangle_bits(opencl_letter(o, 0)) != 8)
    return false;
  const bool first = mangle_is_signed(opencl_letter(o, 0)), second = mangle_is_signed(opencl_letter(o, 1));
  const uint32_t a = opencl_argument(o, first || !second ? 0 : 1), b = opencl_argument(o, first || !second ? 1 : 0);
  const uint32_t words[] = {a, b, opencl_argument(o, 2)};
  *id = ll_make_words(o->ll, ops[sum][first + second], opencl_result(o), words, sum ? 3 : 2);
  return true;
}

/* ---- other numbers ------------------------------------------------------------------------------- */

static bool call_number(const struct opencl *o, uint32_t *id) {
  struct ll *ll = o->ll;
  const uint32_t result = opencl_result(o), a = opencl_argument(o, 0), b = opencl_argument(o, 1);
  const char *name = o->name.name;
  if (!strcmp(name, "dot") && o->call->count == 2 && mangle_is_real(opencl_letter(o, 0)))
    *id = ll_make(ll, ll_components(ll, o->call->argument[0].type) > 1 ? OpDot : OpFMul, result, a, b);
  else if (!strcmp(name, "bit_reverse"))
    *id = ll_make(ll, OpBitReverse, result, a);
  else if (!strcmp(name, "bitfield_insert") && o->call->count == 4)
    *id = ll_make(ll, OpBitFieldInsert, result, a, b, opencl_argument(o, 2), opencl_argument(o, 3));
  else if (!strcmp(name, "bitfield_extract_signed") && o->call->count == 3)
    *id = ll_make(ll, OpBitFieldSExtract, result, a, b, opencl_argument(o, 2));
  else if (!strcmp(name, "bitfield_extract_unsigned") && o->call->count == 3)
    *id = ll_make(ll, OpBitFieldUExtract, result, a, b, opencl_argument(o, 2));
  else
    return false;
  return true;
}

/* ---- synchronization ------------------------------------------------------------------------------ */

/* cl_mem_fence_flags: 1 local, 2 global, 4 images. Flags that the program computes count as all. */
static uint32_t memories(const struct opencl *o, unsigned i) {
  uint64_t flags;
  if (!constant(o, i, &flags))
    flags = 7;
  return (flags & 1 ? MemorySemanticsWorkgroupMemory : 0u) | (flags & 2 ? MemorySemanticsCrossWorkgroupMemory : 0u) |
         (flags & 4 ? MemorySemanticsImageMemory : 0u);
}

static bool call_barrier(const struct opencl *o, uint32_t *id) {
  struct ll *ll = o->ll;
  const char *name = o->name.name;
  const bool sub_group = !strcmp(name, "sub_group_barrier");
  *id = 0;
  if (sub_group || !strcmp(name, "barrier") || !strcmp(name, "work_group_barrier")) {
    const uint32_t scope = sub_group ? ScopeSubgroup : ScopeWorkgroup;
    ll_emit(ll, LL_CODE, OpControlBarrier, ll_word(ll, scope),
            ll_word(ll, o->call->count > 1 ? opencl_scope(o, 1) : ScopeWorkgroup),
            ll_word(ll, MemorySemanticsSequentiallyConsistent | memories(o, 0)));
    return true;
  }
  static const struct {
    const char *name;
    uint32_t order;
  } fences[] = {{"mem_fence", MemorySemanticsAcquireRelease},
                {"read_mem_fence", MemorySemanticsAcquire},
                {"write_mem_fence", MemorySemanticsRelease}};
  for (size_t i = 0; i < sizeof fences / sizeof *fences; i++)
    if (!strcmp(name, fences[i].name)) {
      ll_emit(ll, LL_CODE, OpMemoryBarrier, ll_word(ll, ScopeWorkgroup), ll_word(ll, fences[i].order | memories(o, 0)));
      return true;
    }
  if (strcmp(name, "atomic_work_item_fence"))
    return false;
  ll_emit(ll, LL_CODE, OpMemoryBarrier, ll_word(ll, opencl_scope(o, 2)),
          ll_word(ll, opencl_semantics(o, 1) | memories(o, 0)));
  return true;
}

static bool call_copy(const struct opencl *o, uint32_t *id) {
  struct ll *ll = o->ll;
  const char *name = o->name.name;
  const bool strided = !strcmp(name, "async_work_group_strided_copy");
  const uint32_t scope = ll_word(ll, ScopeWorkgroup);
  if (!strcmp(name, "wait_group_events") && o->call->count == 2) {
    const uint32_t event = ll_add_type(ll, (struct ll_type){.kind = LL_HANDLE, .name = need_copy("event")});
    ll_emit(ll, LL_CODE, OpGroupWaitEvents, scope, opencl_argument(o, 0), opencl_pointer(o, 1, event));
    *id = 0;
    return true;
  }
  if ((!strided && strcmp(name, "async_work_group_copy")) || o->call->count != (strided ? 5u : 4u) || o->name.count < 2)
    return false;
  const uint32_t element = opencl_type(o, &o->name.parameter[0]);
  const uint32_t to = opencl_pointer(o, 0, element), from = opencl_pointer(o, 1, element);
  *id = ll_make(ll, OpGroupAsyncCopy, opencl_result(o), scope, to, from, opencl_argument(o, 2),
                strided ? opencl_argument(o, 3) : ll_integer(ll, ll_int_type(ll, 64), 1),
                opencl_argument(o, strided ? 4 : 3));
  return true;
}

/* ---- pointers ------------------------------------------------------------------------------------ */

static bool call_pointer(const struct opencl *o, uint32_t *id) {
  static const struct {
    const char *name;
    enum spirv_storage storage;
  } rows[] = {{"__to_global", SPIRV_CROSS_WORKGROUP},
              {"__to_local", SPIRV_WORKGROUP},
              {"__to_private", SPIRV_FUNCTION_STORAGE}};
  struct ll *ll = o->ll;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(o->call->name, rows[i].name)) {
      *id = ll_make(ll, OpGenericCastToPtrExplicit, opencl_result(o), opencl_argument(o, 0), rows[i].storage);
      return true;
    }
  if (strcmp(o->name.name, "get_fence"))
    return false;
  const uint32_t semantics = ll_make(ll, OpGenericPtrMemSemantics, opencl_result(o), opencl_argument(o, 0));
  *id = ll_make(ll, OpShiftRightLogical, opencl_result(o), semantics, ll_word(ll, 8));
  return true;
}

/* ---- specialization constants -------------------------------------------------------------------- */

/* An OpSpecConstant of another constant's value; 0: that is no scalar constant. */
static uint32_t specialized(struct ll *ll, uint32_t type, uint32_t usual, uint32_t number) {
  const uint32_t *word = ll_definition(ll, usual, 2);
  const uint16_t op = word ? (uint16_t)word[0] : 0;
  const bool boolean = op == OpConstantTrue || op == OpConstantFalse, null = op == OpConstantNull;
  const struct ll_type of = *ll_type(ll, type);
  if (!(boolean || null || op == OpConstant) || (of.kind != LL_INT && of.kind != LL_REAL) || ll_is_odd(ll, type))
    return 0;
  const uint32_t low = op == OpConstant ? word[3] : 0, high = op == OpConstant && of.bits == 64 ? word[4] : 0,
                 id = ll_id(ll), written = ll_spirv_type(ll, type);
  if (of.bits == 1)
    ll_emit(ll, LL_DEFINITIONS, op == OpConstantTrue ? OpSpecConstantTrue : OpSpecConstantFalse, written, id);
  else if (of.bits == 64)
    ll_emit(ll, LL_DEFINITIONS, OpSpecConstant, written, id, low, high);
  else
    ll_emit(ll, LL_DEFINITIONS, OpSpecConstant, written, id, low);
  ll_emit(ll, LL_DECORATIONS, OpDecorate, id, DecorationSpecId, number);
  return id;
}

/* "__spirv_SpecConstant(7, 10)": constant 7, which is 10 unless it is set. */
static bool call_spec_constant(const struct opencl *o, uint32_t *id) {
  struct ll *ll = o->ll;
  uint64_t number;
  if (strcmp(o->name.name, "__spirv_SpecConstant") || o->call->count != 2 ||
      o->call->argument[1].type != o->call->result || !ll_constant_value(ll, opencl_argument(o, 0), &number))
    return false;
  for (size_t i = 0; i < ll->specs; i++)
    if (ll->spec[i].number == number && ll->spec[i].type == o->call->result) {
      *id = ll->spec[i].id;
      return true;
    }
  *id = specialized(ll, o->call->result, opencl_argument(o, 1), (uint32_t)number);
  if (*id)
    *vector_next(ll->spec, ll->specs, ll->spec_room) = (struct ll_spec){(uint32_t)number, o->call->result, *id};
  return *id;
}

/* ---- any built-in -------------------------------------------------------------------------------- */

bool ll_call_opencl(struct ll *ll, const struct ll_call *call, uint32_t *id) {
  struct opencl o = {.ll = ll, .call = call};
  *id = 0;
  if (!mangle_read(call->name, &o.name)) {
    snprintf(o.name.name, sizeof o.name.name, "%s", call->name);
    if (!strcmp(call->name, "printf"))
      return call_printf(&o, id);
    return call_pointer(&o, id) || opencl_image(&o, id) || opencl_pipe(&o, id);
  }
  if (call_work_item(&o, id) || call_convert(&o, id) || call_vector_memory(&o, id) || call_relation(&o, id) ||
      call_dot(&o, id) || call_number(&o, id) || call_barrier(&o, id) || call_copy(&o, id) || call_pointer(&o, id) ||
      opencl_atomic(&o, id) || opencl_group(&o, id) || opencl_image(&o, id) || opencl_pipe(&o, id) ||
      call_spec_constant(&o, id))
    return true;
  const struct std *row = std_of(&o);
  return row && call_std(&o, row, id);
}
