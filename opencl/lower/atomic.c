/* Atomic operations. On the LDS and on global memory, each is a row of the ISA. On private memory, which no other
 * work-item sees, it is a load, the arithmetic and a store. A pointer with several possible spaces takes them one after
 * another, each under its guard; ir_inst.keep passes the old value from one to the next. Atomic loads and stores also
 * have rows of their own, which act like plain ones but bypass the L1.
 *
 * All are device-wide, whatever scope the program requests: there is one L2, and the LDS belongs to one work-group.
 * Memory semantics become fences: a release fence before the operation, an acquire fence after it. OpenCL 1.x atomics
 * have no semantics and get no fence. What the program requests stays with the operation, for `warpwait check`. */
#include "opencl/lower/group.h"

enum kind { KIND_INTEGER, KIND_FLOAT, KIND_ANY };

/* Operations by width: 32 and 64 bits. */
struct atomic_row {
  uint16_t opcode;
  uint8_t kind; /* of values that it accepts */
  uint16_t lds[2], global[2];
  uint16_t combine[2]; /* combines the old value and the operand */
};

#define ROW(opcode, kind, name32, name64, combine32, combine64)                                                        \
  {                                                                                                                    \
    Op##opcode, kind, {ISA_ATOM_LDS_##name32, ISA_ATOM_LDS_##name64},                                                  \
        {ISA_ATOM_GLOBAL_##name32, ISA_ATOM_GLOBAL_##name64}, {                                                        \
      ISA_##combine32, ISA_##combine64                                                                                 \
    }                                                                                                                  \
  }

/* clang-format off */
static const struct atomic_row rows[] = {
    ROW(AtomicIAdd,       KIND_INTEGER, ADD_32,  ADD_64,  ADD_32,   ADD_64),
    ROW(AtomicISub,       KIND_INTEGER, ADD_32,  ADD_64,  ADD_32,   ADD_64),
    ROW(AtomicIIncrement, KIND_INTEGER, ADD_32,  ADD_64,  ADD_32,   ADD_64),
    ROW(AtomicIDecrement, KIND_INTEGER, ADD_32,  ADD_64,  ADD_32,   ADD_64),
    ROW(AtomicSMin,       KIND_INTEGER, MIN_S32, MIN_S64, MIN_S32,  MIN_S64),
    ROW(AtomicUMin,       KIND_INTEGER, MIN_U32, MIN_U64, MIN_U32,  MIN_U64),
    ROW(AtomicSMax,       KIND_INTEGER, MAX_S32, MAX_S64, MAX_S32,  MAX_S64),
    ROW(AtomicUMax,       KIND_INTEGER, MAX_U32, MAX_U64, MAX_U32,  MAX_U64),
    ROW(AtomicAnd,        KIND_INTEGER, AND_32,  AND_64,  AND_32,   AND_64),
    ROW(AtomicOr,         KIND_INTEGER, OR_32,   OR_64,   OR_32,    OR_64),
    ROW(AtomicXor,        KIND_INTEGER, XOR_32,  XOR_64,  XOR_32,   XOR_64),
    ROW(AtomicFAddEXT,    KIND_FLOAT,   ADD_F32, ADD_F64, FADD_F32, FADD_F64),
    ROW(AtomicFMinEXT,    KIND_FLOAT,   MIN_F32, MIN_F64, FMIN_F32, FMIN_F64),
    ROW(AtomicFMaxEXT,    KIND_FLOAT,   MAX_F32, MAX_F64, FMAX_F32, FMAX_F64),
    ROW(AtomicExchange,            KIND_ANY,     XCHG_32, XCHG_64, MOV_32, MOV_64),
    ROW(AtomicFlagTestAndSet,      KIND_ANY,     XCHG_32, XCHG_64, MOV_32, MOV_64),
    ROW(AtomicCompareExchange,     KIND_INTEGER, CAS_32,  CAS_64,  SEL_32, SEL_64),
    ROW(AtomicCompareExchangeWeak, KIND_INTEGER, CAS_32,  CAS_64,  SEL_32, SEL_64),
};
/* clang-format on */
#undef ROW

static const struct atomic_row *find(uint16_t opcode) {
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (rows[i].opcode == opcode)
      return &rows[i];
  return NULL;
}

/* ---- memory order ----------------------------------------------------------------------------------- */

static const uint64_t release =
    MemorySemanticsRelease | MemorySemanticsAcquireRelease | MemorySemanticsSequentiallyConsistent;
static const uint64_t acquire =
    MemorySemanticsAcquire | MemorySemanticsAcquireRelease | MemorySemanticsSequentiallyConsistent;

/* The semantics that need fences, and all that the operation promises. */
struct order {
  uint64_t semantics;
  uint8_t promised; /* ISA_ORDERS_* */
};

static struct order order_from(uint64_t semantics, uint64_t scope) {
  return (struct order){scope == ScopeInvocation ? 0 : semantics, build_order(semantics, scope)};
}

/* Scope and semantics are two consecutive ids. An order that is not constant is treated as the strictest. */
static struct order order_of(struct build *b, const uint32_t *id) {
  uint64_t semantics;
  if (!spirv_integer(b->module, id[1], &semantics))
    semantics = MemorySemanticsSequentiallyConsistent;
  return order_from(semantics, build_memory_scope(b, id[0]));
}

static void fence_if(struct build *b, struct order order, uint64_t wanted) {
  if (order.semantics & wanted)
    build_fence(b, order.semantics);
}

/* ---- the operation ---------------------------------------------------------------------------------- */

struct atomic {
  const struct atomic_row *row;
  bool wide, compares;
  ir_ref compare, value;
  uint8_t order; /* ISA_ORDERS_* */
};

/* The value to store if memory held `old`. */
static ir_ref combined(struct build *b, const struct atomic *atomic, ir_ref old) {
  const enum isa_op op = (enum isa_op)atomic->row->combine[atomic->wide];
  if (op == ISA_MOV_32 || op == ISA_MOV_64)
    return atomic->value;
  if (!atomic->compares)
    return build_op(b, op, old, atomic->value, 0);
  const enum isa_op equal = atomic->wide ? ISA_SETP_EQ_U64 : ISA_SETP_EQ_U32;
  return build_op(b, op, atomic->value, old, build_op(b, equal, old, atomic->compare, 0));
}

static ir_ref on_private(struct build *b, const struct atomic *atomic, struct build_place place, ir_ref keep) {
  const bool wide = atomic->wide;
  const ir_ref old = build_memory_op(b, wide ? ISA_LD_PRIVATE_64 : ISA_LD_PRIVATE_32, place, 0, 0, keep);
  build_memory_op(b, wide ? ISA_ST_PRIVATE_64 : ISA_ST_PRIVATE_32, place, 0, combined(b, atomic, old), 0);
  return old;
}

/* Returns the old value. */
static ir_ref operate(struct build *b, const struct atomic *atomic, struct build_pointer pointer) {
  struct build_place place[4];
  const unsigned places = build_spaces(b, pointer, place);
  ir_ref old = 0;
  for (unsigned i = 0; i < places; i++) {
    if (place[i].space == SPACE_TABLE) {
      if (places == 1)
        build_fail(b, "an atomic operation on constant memory");
      continue;
    }
    if (place[i].space == SPACE_PRIVATE) {
      old = on_private(b, atomic, place[i], old);
      continue;
    }
    const uint16_t *op = place[i].space == SPACE_LOCAL ? atomic->row->lds : atomic->row->global;
    old = build_memory_op(b, (enum isa_op)op[atomic->wide], place[i], atomic->compare, atomic->value, old);
    b->ir->inst[old].order = atomic->order;
  }
  return old ? old : ir_undef(b->ir, atomic->wide ? IR_W2 : IR_W1);
}

static bool check(struct build *b, const struct spirv_type *type, uint8_t kind) {
  const bool integer = type && type->kind == SPIRV_INT, real = type && type->kind == SPIRV_FLOAT;
  const bool fits = (integer && kind != KIND_FLOAT) || (real && kind != KIND_INTEGER);
  if (fits && (type->bits == 32 || type->bits == 64))
    return true;
  return build_fail(b, "an atomic operation on a value of this type; legal: 32 and 64 bits, %s",
                    kind == KIND_FLOAT ? "float or double" : "int, uint, long or ulong");
}

/* The operand that the instruction names or implies. */
static ir_ref operand_of(struct build *b, const struct spirv_inst *inst, bool wide) {
  const ir_ref one = wide ? build_64(b, 1) : build_32(b, 1);
  if (inst->op == OpAtomicIIncrement || inst->op == OpAtomicFlagTestAndSet)
    return one;
  if (inst->op == OpAtomicIDecrement)
    return wide ? build_64(b, UINT64_MAX) : build_32(b, UINT32_MAX);
  const bool compares = inst->op == OpAtomicCompareExchange || inst->op == OpAtomicCompareExchangeWeak;
  const ir_ref value = build_value(b, inst->word[compares ? 7 : 6]);
  return inst->op == OpAtomicISub ? build_op(b, wide ? ISA_NEG_64 : ISA_NEG_32, value, 0, 0) : value;
}

/* type result pointer scope semantics [semantics if unequal] [value [comparator]] */
static bool lower_operation(struct build *b, const struct spirv_inst *inst, const struct atomic_row *row) {
  const bool flag = inst->op == OpAtomicFlagTestAndSet;
  const struct spirv_type *type = build_type(b, inst->word[1]);
  if (flag ? !build_same_parts(b, inst->word[2], 0) : !check(b, type, row->kind))
    return false;
  struct atomic atomic = {.row = row, .wide = !flag && type->bits == 64, .compares = row->combine[0] == ISA_SEL_32};
  const struct build_pointer pointer = build_pointer(b, inst->word[3]);
  atomic.value = operand_of(b, inst, atomic.wide);
  atomic.compare = atomic.compares ? build_value(b, inst->word[8]) : 0;
  ir_ref *result = build_define(b, inst->word[2]);
  if (b->failed || !result)
    return false;
  const struct order order = order_of(b, inst->word + 4);
  atomic.order = order.promised;
  fence_if(b, order, release);
  const ir_ref old = operate(b, &atomic, pointer);
  fence_if(b, order, acquire);
  result[0] = flag ? build_with(b, ISA_SETP_NE_U32, old, 0) : old;
  return !b->failed;
}

/* The memory semantics of a constant argument; an order that is not constant is treated as the strictest. */
static uint64_t order_called(struct build *b, uint32_t id) {
  static const uint64_t orders[] = {0, MemorySemanticsAcquire, MemorySemanticsAcquire, MemorySemanticsRelease,
                                    MemorySemanticsAcquireRelease};
  uint64_t order;
  return spirv_integer(b->module, id, &order) && order < sizeof orders / sizeof *orders
             ? orders[order]
             : MemorySemanticsSequentiallyConsistent;
}

/* The same of a scope, as opencl-c-base.h numbers them. */
static uint64_t scope_called(struct build *b, uint32_t id) {
  static const uint64_t scopes[] = {ScopeInvocation, ScopeWorkgroup, ScopeDevice, ScopeCrossDevice, ScopeSubgroup};
  uint64_t scope;
  return spirv_integer(b->module, id, &scope) && scope < sizeof scopes / sizeof *scopes ? scopes[scope] : ScopeDevice;
}

/* object expected desired [order order [scope]]: for floats, compared by their bits. `expected` receives the old
 * value. */
bool build_compare_exchange_call(struct build *b, const struct spirv_inst *inst, const char *name) {
  const struct spirv_type *type = build_type(b, inst->word[6]), *success = build_type(b, inst->word[2]);
  if (!check(b, type, KIND_ANY))
    return false;
  if (!success || success->kind != SPIRV_BOOL)
    return build_fail(b, "%s must return a bool", name);
  const bool wide = type->bits == 64;
  const uint64_t scope = inst->words > 9 ? scope_called(b, inst->word[9]) : ScopeDevice;
  const struct order order =
      order_from(inst->words > 7 ? order_called(b, inst->word[7]) : MemorySemanticsSequentiallyConsistent, scope);
  struct atomic atomic = {
      .row = find(OpAtomicCompareExchange), .wide = wide, .compares = true, .order = order.promised};
  const struct build_pointer object = build_pointer(b, inst->word[4]), expected = build_pointer(b, inst->word[5]);
  atomic.value = build_value(b, inst->word[6]);
  ir_ref *result = build_define(b, inst->word[2]);
  if (b->failed || !result)
    return false;
  build_load(b, expected, type, (uint32_t)type->size, &atomic.compare);
  fence_if(b, order, release);
  const ir_ref old = operate(b, &atomic, object);
  fence_if(b, order, acquire);
  build_store(b, expected, type, (uint32_t)type->size, &old);
  result[0] = build_op(b, wide ? ISA_SETP_EQ_U64 : ISA_SETP_EQ_U32, old, atomic.compare, 0);
  return !b->failed;
}

/* Replaces loads and stores from `first` on, of 4 or 8 bytes each, with atomic ones. They are single accesses already.
 * Those of private memory stay, because no other work-item sees it. */
static void make_indivisible(struct build *b, uint32_t first, uint8_t order) {
  for (uint32_t i = first; i < b->ir->count; i++) {
    const struct isa_row *row = ir_row(b->ir, i);
    struct ir_inst *inst = &b->ir->inst[i];
    if ((row->space == ISA_SPACE_LDS || row->space == ISA_SPACE_GLOBAL) && isa_types[row->a].bytes >= 4) {
      inst->op = isa_access_op(row->space, row->access, ISA_VIA_ATOMIC, row->a);
      inst->order = order;
    }
  }
}

static bool lower_load_atomic(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = build_type(b, inst->word[1]);
  ir_ref *result = build_define(b, inst->word[2]);
  if (!check(b, type, KIND_ANY) || !result)
    return false;
  const struct order order = order_of(b, inst->word + 4);
  fence_if(b, order, MemorySemanticsSequentiallyConsistent);
  const uint32_t first = b->ir->count;
  build_load(b, build_pointer(b, inst->word[3]), type, (uint32_t)type->size, result);
  build_volatile(b, first);
  make_indivisible(b, first, order.promised);
  fence_if(b, order, acquire);
  return !b->failed;
}

static bool lower_store_atomic(struct build *b, const struct spirv_inst *inst) {
  static const struct spirv_type flag_type = {.kind = SPIRV_INT, .bits = 32, .size = 4, .align = 4, .parts = 1};
  const bool clears = inst->op == OpAtomicFlagClear;
  const struct spirv_type *type = clears ? &flag_type : build_type(b, inst->word[4]);
  if (!check(b, type, KIND_ANY))
    return false;
  const ir_ref value = clears ? build_32(b, 0) : build_value(b, inst->word[4]);
  const struct order order = order_of(b, inst->word + 2);
  fence_if(b, order, release);
  const uint32_t first = b->ir->count;
  build_store(b, build_pointer(b, inst->word[1]), type, (uint32_t)type->size, &value);
  make_indivisible(b, first, order.promised);
  fence_if(b, order, MemorySemanticsSequentiallyConsistent);
  return !b->failed;
}

bool build_atomic(struct build *b, const struct spirv_inst *inst) {
  char room[32];
  const struct atomic_row *row = find(inst->op);
  if (row)
    return lower_operation(b, inst, row);
  if (inst->op == OpAtomicLoad)
    return lower_load_atomic(b, inst);
  if (inst->op == OpAtomicStore || inst->op == OpAtomicFlagClear)
    return lower_store_atomic(b, inst);
  return build_fail(b, "%s is not supported", spirv_op_name(inst->op, room));
}
