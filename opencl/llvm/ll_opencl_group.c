/* Built-ins of work-groups and sub-groups: votes, broadcasts, reductions, scans, ballots, shuffles. */
#include "opencl/llvm/ll_opencl.h"

#include <string.h>

static uint32_t is_not_zero(const struct opencl *o, unsigned i) {
  struct ll *ll = o->ll;
  const uint32_t type = o->call->argument[i].type;
  return ll_make(ll, OpINotEqual, ll_spirv_type(ll, ll_int_type(ll, 1)), opencl_argument(o, i),
                 ll_integer(ll, type, 0));
}

/* A bool as the call's integer. */
static uint32_t number(const struct opencl *o, uint32_t boolean) {
  return ll_bool_to(o->ll, boolean, o->call->result, false);
}

/* ---- reductions and scans ------------------------------------------------------------------------ */

/* The instruction of an operation by the kind of its values: over a group in uniform control flow, and over whichever
 * work-items are there. */
static const struct {
  const char *name;
  uint16_t group[3], non_uniform[3]; /* signed, unsigned, real */
} reductions[] = {
    {"add",
     {OpGroupIAdd, OpGroupIAdd, OpGroupFAdd},
     {OpGroupNonUniformIAdd, OpGroupNonUniformIAdd, OpGroupNonUniformFAdd}},
    {"mul",
     {OpGroupIMulKHR, OpGroupIMulKHR, OpGroupFMulKHR},
     {OpGroupNonUniformIMul, OpGroupNonUniformIMul, OpGroupNonUniformFMul}},
    {"min",
     {OpGroupSMin, OpGroupUMin, OpGroupFMin},
     {OpGroupNonUniformSMin, OpGroupNonUniformUMin, OpGroupNonUniformFMin}},
    {"max",
     {OpGroupSMax, OpGroupUMax, OpGroupFMax},
     {OpGroupNonUniformSMax, OpGroupNonUniformUMax, OpGroupNonUniformFMax}},
    {"and",
     {OpGroupBitwiseAndKHR, OpGroupBitwiseAndKHR, 0},
     {OpGroupNonUniformBitwiseAnd, OpGroupNonUniformBitwiseAnd, 0}},
    {"or", {OpGroupBitwiseOrKHR, OpGroupBitwiseOrKHR, 0}, {OpGroupNonUniformBitwiseOr, OpGroupNonUniformBitwiseOr, 0}},
    {"xor",
     {OpGroupBitwiseXorKHR, OpGroupBitwiseXorKHR, 0},
     {OpGroupNonUniformBitwiseXor, OpGroupNonUniformBitwiseXor, 0}},
    {"logical_and",
     {OpGroupLogicalAndKHR, OpGroupLogicalAndKHR, 0},
     {OpGroupNonUniformLogicalAnd, OpGroupNonUniformLogicalAnd, 0}},
    {"logical_or",
     {OpGroupLogicalOrKHR, OpGroupLogicalOrKHR, 0},
     {OpGroupNonUniformLogicalOr, OpGroupNonUniformLogicalOr, 0}},
    {"logical_xor",
     {OpGroupLogicalXorKHR, OpGroupLogicalXorKHR, 0},
     {OpGroupNonUniformLogicalXor, OpGroupNonUniformLogicalXor, 0}},
};

static bool reduce(const struct opencl *o, const char *name, uint32_t scope, bool uniform, uint32_t *id) {
  static const struct {
    const char *begin;
    uint32_t operation;
    bool uniform;
  } forms[] = {{"reduce_", GroupOperationReduce, true},
               {"scan_inclusive_", GroupOperationInclusiveScan, true},
               {"scan_exclusive_", GroupOperationExclusiveScan, true},
               {"clustered_reduce_", GroupOperationClusteredReduce, false}};
  struct ll *ll = o->ll;
  const char letter = opencl_letter(o, 0), *what = NULL;
  size_t form = 0;
  while (form < 4 && !opencl_begins(name, forms[form].begin, &what))
    form++;
  if (form == 4 || !o->call->count)
    return false;
  const unsigned kind = mangle_is_real(letter) ? 2 : mangle_is_signed(letter) ? 0 : 1;
  for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++) {
    if (strcmp(reductions[i].name, what))
      continue;
    const uint16_t op = (uniform && forms[form].uniform ? reductions[i].group : reductions[i].non_uniform)[kind];
    const bool logical = !strncmp(what, "logical_", 8);
    const uint32_t type = logical ? ll_spirv_type(ll, ll_int_type(ll, 1)) : opencl_result(o);
    const uint32_t value = logical ? is_not_zero(o, 0) : opencl_argument(o, 0);
    const uint32_t words[] = {ll_word(ll, scope), forms[form].operation, value, opencl_argument(o, 1)};
    if (!op)
      return false;
    *id = ll_make_words(ll, op, type, words, form == 3 ? 4 : 3);
    *id = logical ? number(o, *id) : *id;
    return true;
  }
  return false;
}

/* ---- votes and broadcasts ------------------------------------------------------------------------ */

/* work_group_broadcast(v, x, y, z): the ids become a vector. */
static uint32_t position(const struct opencl *o) {
  struct ll *ll = o->ll;
  const unsigned axes = o->call->count - 1;
  uint32_t axis[3];
  for (unsigned i = 0; i < axes; i++)
    axis[i] = opencl_argument(o, 1 + i);
  if (axes == 1)
    return axis[0];
  return ll_make_words(ll, OpCompositeConstruct, ll_spirv_type(ll, ll_vector_type(ll, o->call->argument[1].type, axes)),
                       axis, axes);
}

static bool vote(const struct opencl *o, const char *name, uint32_t scope, uint32_t *id) {
  struct ll *ll = o->ll;
  const uint32_t boolean = ll_spirv_type(ll, ll_int_type(ll, 1));
  const bool all = !strcmp(name, "all");
  if ((all || !strcmp(name, "any")) && o->call->count == 1)
    *id = number(o, ll_make(ll, all ? OpGroupAll : OpGroupAny, boolean, ll_word(ll, scope), is_not_zero(o, 0)));
  else if (!strcmp(name, "broadcast") && o->call->count >= 2 && o->call->count <= 4)
    *id = ll_make(ll, OpGroupBroadcast, opencl_result(o), ll_word(ll, scope), opencl_argument(o, 0), position(o));
  else
    return false;
  return true;
}

/* ---- sub-groups without uniform control flow ------------------------------------------------------ */

static const struct {
  const char *name;
  uint16_t op;
  uint8_t arguments;
  bool predicate, truth; /* the first argument, the result is a truth value */
  int8_t operation;      /* a literal behind the scope; -1: none */
} rows[] = {
    {"elect", OpGroupNonUniformElect, 0, false, true, -1},
    {"non_uniform_all", OpGroupNonUniformAll, 1, true, true, -1},
    {"non_uniform_any", OpGroupNonUniformAny, 1, true, true, -1},
    {"non_uniform_all_equal", OpGroupNonUniformAllEqual, 1, false, true, -1},
    {"non_uniform_broadcast", OpGroupNonUniformBroadcast, 2, false, false, -1},
    {"broadcast_first", OpGroupNonUniformBroadcastFirst, 1, false, false, -1},
    {"ballot", OpGroupNonUniformBallot, 1, true, false, -1},
    {"inverse_ballot", OpGroupNonUniformInverseBallot, 1, false, true, -1},
    {"ballot_bit_extract", OpGroupNonUniformBallotBitExtract, 2, false, true, -1},
    {"ballot_bit_count", OpGroupNonUniformBallotBitCount, 1, false, false, GroupOperationReduce},
    {"ballot_inclusive_scan", OpGroupNonUniformBallotBitCount, 1, false, false, GroupOperationInclusiveScan},
    {"ballot_exclusive_scan", OpGroupNonUniformBallotBitCount, 1, false, false, GroupOperationExclusiveScan},
    {"ballot_find_lsb", OpGroupNonUniformBallotFindLSB, 1, false, false, -1},
    {"ballot_find_msb", OpGroupNonUniformBallotFindMSB, 1, false, false, -1},
    {"shuffle", OpGroupNonUniformShuffle, 2, false, false, -1},
    {"shuffle_xor", OpGroupNonUniformShuffleXor, 2, false, false, -1},
    {"shuffle_up", OpGroupNonUniformShuffleUp, 2, false, false, -1},
    {"shuffle_down", OpGroupNonUniformShuffleDown, 2, false, false, -1},
    {"rotate", OpGroupNonUniformRotateKHR, 2, false, false, -1},
    {"clustered_rotate", OpGroupNonUniformRotateKHR, 3, false, false, -1},
};

static bool non_uniform(const struct opencl *o, const char *name, uint32_t *id) {
  struct ll *ll = o->ll;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(rows[i].name, name) || o->call->count != rows[i].arguments)
      continue;
    uint32_t words[6] = {ll_word(ll, ScopeSubgroup)}, count = 1;
    if (rows[i].operation >= 0)
      words[count++] = (uint32_t)rows[i].operation;
    for (unsigned k = 0; k < o->call->count; k++)
      words[count++] = k == 0 && rows[i].predicate ? is_not_zero(o, 0) : opencl_argument(o, k);
    const uint32_t type = rows[i].truth ? ll_spirv_type(ll, ll_int_type(ll, 1)) : opencl_result(o);
    *id = ll_make_words(ll, rows[i].op, type, words, count);
    *id = rows[i].truth ? number(o, *id) : *id;
    return true;
  }
  return false;
}

/* ---- cl_intel_subgroups -------------------------------------------------------------------------- */

static bool intel(const struct opencl *o, const char *name, uint32_t *id) {
  static const struct {
    const char *name;
    uint16_t op;
    uint8_t arguments;
  } shuffles[] = {{"shuffle", OpSubgroupShuffleINTEL, 2},
                  {"shuffle_xor", OpSubgroupShuffleXorINTEL, 2},
                  {"shuffle_up", OpSubgroupShuffleUpINTEL, 3},
                  {"shuffle_down", OpSubgroupShuffleDownINTEL, 3}};
  struct ll *ll = o->ll;
  const char *rest;
  const uint32_t words[] = {opencl_argument(o, 0), opencl_argument(o, 1), opencl_argument(o, 2)};
  for (size_t i = 0; i < sizeof shuffles / sizeof *shuffles; i++)
    if (!strcmp(shuffles[i].name, name) && o->call->count == shuffles[i].arguments) {
      *id = ll_make_words(ll, shuffles[i].op, opencl_result(o), words, shuffles[i].arguments);
      return true;
    }
  const bool read = opencl_begins(name, "block_read", &rest);
  const bool image = opencl_letter(o, 0) == 'N';
  *id = 0;
  if (read && image)
    *id = ll_make(ll, OpSubgroupImageBlockReadINTEL, opencl_result(o), words[0], words[1]);
  else if (read && o->name.count)
    *id = ll_make(ll, OpSubgroupBlockReadINTEL, opencl_result(o),
                  opencl_pointer(o, 0, opencl_type(o, &o->name.parameter[0])));
  else if (opencl_begins(name, "block_write", &rest) && image)
    ll_emit(ll, LL_CODE, OpSubgroupImageBlockWriteINTEL, words[0], words[1], words[2]);
  else if (opencl_begins(name, "block_write", &rest) && o->name.count)
    ll_emit(ll, LL_CODE, OpSubgroupBlockWriteINTEL, opencl_pointer(o, 0, opencl_type(o, &o->name.parameter[0])),
            words[1]);
  else
    return false;
  return true;
}

bool opencl_group(const struct opencl *o, uint32_t *id) {
  const char *name, *rest;
  if (opencl_begins(o->name.name, "intel_sub_group_", &name))
    return intel(o, name, id);
  if (opencl_begins(o->name.name, "work_group_", &name))
    return vote(o, name, ScopeWorkgroup, id) || reduce(o, name, ScopeWorkgroup, true, id);
  if (!opencl_begins(o->name.name, "sub_group_", &name))
    return false;
  if (opencl_begins(name, "non_uniform_", &rest) && reduce(o, rest, ScopeSubgroup, false, id))
    return true;
  return vote(o, name, ScopeSubgroup, id) || reduce(o, name, ScopeSubgroup, true, id) || non_uniform(o, name, id);
}
