/* Atomics of OpenCL 1.x, which have no order, and of C11, whose order and scope are the last arguments. */
#include "opencl/llvm/ll_opencl.h"

#include <string.h>

/* An operation's instruction for signed and unsigned integers and for floats; 0: there is none. */
static const struct operation {
  const char *name;
  uint16_t is_signed, is_unsigned, is_real;
} operations[] = {
    {"add", OpAtomicIAdd, OpAtomicIAdd, OpAtomicFAddEXT},
    {"sub", OpAtomicISub, OpAtomicISub, 0},
    {"xchg", OpAtomicExchange, OpAtomicExchange, OpAtomicExchange},
    {"min", OpAtomicSMin, OpAtomicUMin, OpAtomicFMinEXT},
    {"max", OpAtomicSMax, OpAtomicUMax, OpAtomicFMaxEXT},
    {"and", OpAtomicAnd, OpAtomicAnd, 0},
    {"or", OpAtomicOr, OpAtomicOr, 0},
    {"xor", OpAtomicXor, OpAtomicXor, 0},
};

static uint16_t find(const char *name, char letter) {
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
    if (!strcmp(operations[i].name, name))
      return mangle_is_real(letter)     ? operations[i].is_real
             : mangle_is_signed(letter) ? operations[i].is_signed
                                        : operations[i].is_unsigned;
  return 0;
}

/* atomic_add(p, v), atom_add(p, v), atomic_inc(p), atomic_cmpxchg(p, compare, v). They act on the whole device. */
static bool plain(const struct opencl *o, const char *name, uint32_t *id) {
  struct ll *ll = o->ll;
  const uint32_t scope = ll_word(ll, ScopeWorkgroup), none = ll_word(ll, 0), type = opencl_result(o);
  const uint32_t p = opencl_argument(o, 0), v = opencl_argument(o, 1);
  const uint16_t op = find(name, opencl_letter(o, 0));
  if (op && o->call->count == 2)
    *id = ll_make(ll, op, type, p, scope, none, v);
  else if (!strcmp(name, "inc") && o->call->count == 1)
    *id = ll_make(ll, OpAtomicIIncrement, type, p, scope, none);
  else if (!strcmp(name, "dec") && o->call->count == 1)
    *id = ll_make(ll, OpAtomicIDecrement, type, p, scope, none);
  else if (!strcmp(name, "cmpxchg") && o->call->count == 3)
    *id = ll_make(ll, OpAtomicCompareExchange, type, p, scope, none, none, opencl_argument(o, 2), v);
  else
    return false;
  return true;
}

/* The order and scope of a call whose operands are `operands` many: those of the default if it has no more. */
struct order {
  uint32_t scope, semantics;
};

static struct order order_of(const struct opencl *o, unsigned operands) {
  struct ll *ll = o->ll;
  return (struct order){
      ll_word(ll, o->call->count > operands + 1 ? opencl_scope(o, operands + 1) : ScopeDevice),
      ll_word(ll, o->call->count > operands ? opencl_semantics(o, operands) : MemorySemanticsSequentiallyConsistent)};
}

/* bool atomic_compare_exchange_*(p, expected, desired, success, failure, scope): floats are compared by their bits. */
static bool exchange(const struct opencl *o, uint32_t *id) {
  struct ll *ll = o->ll;
  if (o->call->count < 3)
    return false;
  const struct ll_value desired = o->call->argument[2];
  const bool real = ll_type(ll, desired.type)->kind == LL_REAL;
  const uint32_t type = real ? ll_int_type(ll, ll_type(ll, desired.type)->bits) : desired.type;
  const uint32_t written = ll_spirv_type(ll, type), p = opencl_argument(o, 0), list = opencl_argument(o, 1);
  const uint32_t value = real ? ll_make(ll, OpBitcast, written, desired.id) : desired.id;
  const uint32_t align = ll_type(ll, type)->align;
  const struct order good = order_of(o, 3);
  const uint32_t scope = ll_word(ll, o->call->count > 5 ? opencl_scope(o, 5) : ScopeDevice);
  const uint32_t bad = ll_word(ll, o->call->count > 4 ? opencl_semantics(o, 4) : MemorySemanticsSequentiallyConsistent);
  const uint32_t expected = ll_make(ll, OpLoad, written, list, MemoryAccessAligned, align);
  const uint32_t old = ll_make(ll, OpAtomicCompareExchange, written, p, scope, good.semantics, bad, value, expected);
  ll_emit(ll, LL_CODE, OpStore, list, old, MemoryAccessAligned, align);
  const uint32_t boolean = ll_int_type(ll, 1);
  const uint32_t same = ll_make(ll, OpIEqual, ll_spirv_type(ll, boolean), old, expected);
  *id = ll_convert(ll, "zext", ll_value(same, boolean), o->call->result);
  return true;
}

static bool flag(const struct opencl *o, const char *name, uint32_t *id) {
  struct ll *ll = o->ll;
  const char *rest;
  const struct order order = order_of(o, 1);
  if (opencl_begins(name, "test_and_set", &rest)) {
    const uint32_t boolean = ll_int_type(ll, 1);
    const uint32_t set = ll_make(ll, OpAtomicFlagTestAndSet, ll_spirv_type(ll, boolean), opencl_argument(o, 0),
                                 order.scope, order.semantics);
    *id = ll_convert(ll, "zext", ll_value(set, boolean), o->call->result);
    return true;
  }
  if (!opencl_begins(name, "clear", &rest))
    return false;
  ll_emit(ll, LL_CODE, OpAtomicFlagClear, opencl_argument(o, 0), order.scope, order.semantics);
  *id = 0;
  return true;
}

bool opencl_atomic(const struct opencl *o, uint32_t *id) {
  struct ll *ll = o->ll;
  const char *name, *rest;
  const uint32_t p = opencl_argument(o, 0), v = opencl_argument(o, 1);
  if (opencl_begins(o->name.name, "atom_", &name))
    return plain(o, name, id);
  if (!opencl_begins(o->name.name, "atomic_", &name) || !o->call->count || !strcmp(name, "work_item_fence"))
    return false;
  if (plain(o, name, id))
    return true;
  if (opencl_begins(name, "flag_", &rest))
    return flag(o, rest, id);
  if (opencl_begins(name, "compare_exchange_", &rest))
    return exchange(o, id);
  const size_t length = strlen(name);
  const bool has_order = length > 9 && !strcmp(name + length - 9, "_explicit");
  const size_t bare = has_order ? length - 9 : length;
  *id = 0;
  if (bare == 4 && !strncmp(name, "load", 4)) {
    const struct order order = order_of(o, 1);
    *id = ll_make(ll, OpAtomicLoad, opencl_result(o), p, order.scope, order.semantics);
    return true;
  }
  if (bare == 5 && !strncmp(name, "store", 5)) {
    const struct order order = order_of(o, 2);
    ll_emit(ll, LL_CODE, OpAtomicStore, p, order.scope, order.semantics, v);
    return true;
  }
  if (bare == 4 && !strncmp(name, "init", 4) && o->call->count == 2) {
    ll_emit(ll, LL_CODE, OpStore, p, v, MemoryAccessAligned, ll_type(ll, o->call->argument[1].type)->align);
    return true;
  }
  char operation[16] = "xchg";
  if (opencl_begins(name, "fetch_", &rest) && bare - 6 < sizeof operation) {
    memcpy(operation, rest, bare - 6);
    operation[bare - 6] = '\0';
  } else if (bare != 8 || strncmp(name, "exchange", 8)) {
    return false;
  }
  const uint16_t op = find(operation, opencl_letter(o, 0));
  if (!op || o->call->count < 2)
    return false;
  const struct order order = order_of(o, 2);
  *id = ll_make(ll, op, opencl_result(o), p, order.scope, order.semantics, v);
  return true;
}
