/* Instructions but those of ll_number.c and ll_call.c: memory, control flow, atomics. A local name gets its id when
 * something first mentions it; its definition may follow. */
#include "opencl/llvm/ll.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"

/* ---- names --------------------------------------------------------------------------------------- */

uint32_t ll_local(struct ll *ll, const struct ll_token *token, uint32_t type) {
  char room[80];
  struct ll_name *name = ll_name(&ll->values, token->at, token->length);
  if (!name->id) {
    name->id = ll_id(ll);
    name->type = type;
    name->line = token->line;
  }
  if (ll_spirv_type(ll, name->type) != ll_spirv_type(ll, type))
    ll_fail_at(ll, token->line, "'%%%s' has another type elsewhere", ll_text(token, room));
  return name->id;
}

/* Gives a value its name. If something has used the name before, its id stands: a phi, behind which no copy can stand,
 * gets it unless it has a name, and any other value is copied. */
void ll_define(struct ll *ll, const struct ll_token *token, struct ll_value value) {
  char room[80];
  struct ll_name *name = ll_name(&ll->values, token->at, token->length);
  uint32_t *last = ll->where == LL_CODE ? ll->section[LL_CODE].at + ll->start : NULL;
  const bool is_phi = last && (uint16_t)last[0] == OpPhi && last[2] == value.id && ll->named_phi != value.id;
  if (name->defined) {
    ll_fail_at(ll, token->line, "'%%%s' is already defined", ll_text(token, room));
  } else if (!name->id) {
    name->id = value.id;
    name->type = value.type;
  } else if (name->id != value.id) {
    if (ll_spirv_type(ll, name->type) != ll_spirv_type(ll, value.type))
      ll_fail_at(ll, token->line, "'%%%s' has another type where it is used", ll_text(token, room));
    if (is_phi)
      last[2] = name->id;
    else
      ll_emit(ll, LL_CODE, OpCopyObject, ll_spirv_type(ll, value.type), name->id, value.id);
  }
  ll->named_phi = is_phi ? name->id : ll->named_phi;
  name->defined = true;
}

enum { HINT_WORDS = 5 }; /* behind each label: room for OpLoopMerge */

static uint32_t label_id(struct ll *ll, const struct ll_token *token) {
  struct ll_name *name = ll_name(&ll->labels, token->at, token->length);
  if (!name->id) {
    name->id = ll_id(ll);
    name->line = token->line;
  }
  return name->id;
}

/* "label %name" */
static uint32_t read_label(struct ll *ll) {
  ll_expect(ll, "label");
  const struct ll_token token = ll->token;
  if (token.kind != LL_LOCAL) {
    ll_fail(ll, "a label is expected");
    return 1;
  }
  ll_advance(ll);
  const uint32_t id = label_id(ll, &token);
  const struct ll_name *name = ll_find(&ll->labels, token.at, token.length);
  if (name->defined)
    ll->back_to = name->word;
  return id;
}

uint32_t ll_unsupported(struct ll *ll, uint32_t type, const char *format, ...) {
  char why[200] = "!";
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(why + 1, sizeof why - 1, format, arguments);
  va_end(arguments);
  if (ll->block)
    return ll_call_import(ll, why, type, 0, NULL);
  ll_fail(ll, "%s is not supported", why + 1);
  return 1;
}

/* ---- memory -------------------------------------------------------------------------------------- */

/* ", align 4" */
static uint32_t read_align(struct ll *ll) {
  uint64_t align = 0;
  if (ll_take_comma(ll) && ll_expect(ll, "align"))
    ll_take_number(ll, &align);
  return align <= 1 << 20 ? (uint32_t)align : 1 << 20;
}

/* A pointer to a byte `offset` behind another. */
static uint32_t byte_at(struct ll *ll, struct ll_value pointer, uint64_t offset) {
  const uint32_t byte = ll_spirv_type(ll, ll_int_type(ll, 8));
  if (!offset)
    return pointer.id;
  return ll_make(ll, OpUntypedPtrAccessChainKHR, ll_spirv_type(ll, pointer.type), byte, pointer.id,
                 ll_integer(ll, ll_int_type(ll, 64), offset));
}

/* The pieces, of 32, 16 or 8 bits, that make up an integer of another width in memory. */
static unsigned piece_bits(unsigned left) { return left >= 32 ? 32 : left >= 16 ? 16 : 8; }

/* i24 has three bytes in memory. */
static uint32_t load_odd(struct ll *ll, uint32_t type, struct ll_value pointer, uint32_t flags) {
  const unsigned bits = (ll_type(ll, type)->bits + 7) / 8 * 8, width = ll_width(ll_type(ll, type)->bits);
  const uint32_t wide = ll_int_type(ll, width), id = ll_spirv_type(ll, wide);
  uint32_t sum = 0;
  for (unsigned at = 0, step; at < bits; at += step) {
    step = piece_bits(bits - at);
    const uint32_t piece = ll_int_type(ll, step), from = byte_at(ll, pointer, at / 8);
    uint32_t part = ll_make(ll, OpLoad, ll_spirv_type(ll, piece), from, flags | MemoryAccessAligned, 1);
    part = ll_convert(ll, "zext", ll_value(part, piece), wide);
    if (at)
      part = ll_make(ll, OpShiftLeftLogical, id, part, ll_integer(ll, wide, at));
    sum = sum ? ll_make(ll, OpBitwiseOr, id, sum, part) : part;
  }
  return sum;
}

static void store_odd(struct ll *ll, struct ll_value value, struct ll_value pointer, uint32_t flags) {
  const unsigned bits = (ll_type(ll, value.type)->bits + 7) / 8 * 8, width = ll_width(ll_type(ll, value.type)->bits);
  const uint32_t wide = ll_int_type(ll, width), id = ll_spirv_type(ll, wide);
  for (unsigned at = 0, step; at < bits; at += step) {
    step = piece_bits(bits - at);
    uint32_t part = at ? ll_make(ll, OpShiftRightLogical, id, value.id, ll_integer(ll, wide, at)) : value.id;
    part = ll_convert(ll, "trunc", ll_value(part, wide), ll_int_type(ll, step));
    ll_emit(ll, LL_CODE, OpStore, byte_at(ll, pointer, at / 8), part, flags | MemoryAccessAligned, 1);
  }
}

/* "alloca T [, i32 count] [, align 4] [, addrspace(5)]": a variable. */
static struct ll_value read_alloca(struct ll *ll) {
  ll_take(ll, "inalloca");
  uint32_t type = ll_read_type(ll);
  uint64_t align = 0, space = 0;
  int64_t count = 1;
  bool known = true;
  while (ll_take_comma(ll))
    if (ll_take(ll, "align")) {
      ll_take_number(ll, &align);
    } else if (ll_take(ll, "addrspace")) {
      ll_expect(ll, "(");
      ll_take_number(ll, &space);
      ll_expect(ll, ")");
    } else {
      ll_read_type(ll);
      known = ll_peek_integer(ll, &count) && count > 0;
      ll_advance(ll);
    }
  const uint32_t result = ll_pointer_type(ll, ll_storage(ll, space));
  if (!known)
    return ll_value(ll_unsupported(ll, result, "a variable whose size the program computes"), result);
  if (count > 1)
    type = ll_add_type(ll, (struct ll_type){.kind = LL_ARRAY, .element = type, .count = (uint64_t)count});
  const uint32_t pointer = ll_typed_pointer(ll, SPIRV_FUNCTION_STORAGE, ll_spirv_type(ll, type));
  const uint32_t id = ll_id(ll);
  const uint32_t words[] = {4 << 16 | OpVariable, pointer, id, SPIRV_FUNCTION_STORAGE};
  for (size_t i = 0; i < 4; i++)
    *vector_next(ll->entry.at, ll->entry.count, ll->entry.room) = words[i];
  if (align)
    ll_emit(ll, LL_DECORATIONS, OpDecorate, id, DecorationAlignment, (uint32_t)align);
  if (ll_type(ll, result)->count == SPIRV_GENERIC)
    return ll_value(ll_make(ll, OpPtrCastToGeneric, ll_spirv_type(ll, result), id), result);
  return ll_value(id, result);
}

/* What "syncscope("agent") seq_cst" says: a scope and memory semantics. */
struct order {
  uint32_t scope, semantics;
};

static struct order read_order(struct ll *ll) {
  static const struct {
    const char *word;
    uint32_t semantics;
  } orders[] = {{"unordered", 0},
                {"monotonic", 0},
                {"acquire", MemorySemanticsAcquire},
                {"release", MemorySemanticsRelease},
                {"acq_rel", MemorySemanticsAcquireRelease},
                {"seq_cst", MemorySemanticsSequentiallyConsistent}};
  struct order order = {ScopeCrossDevice, 0};
  if (ll_take(ll, "syncscope")) {
    ll_expect(ll, "(");
    const struct ll_token scope = ll->token;
    order.scope =
        ll_token_is(&scope, "singlethread") || ll_token_is(&scope, "wavefront") ||
                ll_token_is(&scope, "wavefront-one-as") || ll_token_is(&scope, "singlethread-one-as")
            ? ScopeInvocation
        : ll_token_is(&scope, "workgroup") || ll_token_is(&scope, "workgroup-one-as") || ll_token_is(&scope, "block")
            ? ScopeWorkgroup
            : ScopeDevice;
    ll_advance(ll);
    ll_expect(ll, ")");
  }
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
    if (ll_take(ll, orders[i].word)) {
      order.semantics = orders[i].semantics;
      return order;
    }
  ll_fail(ll, "an order of memory accesses is expected");
  return order;
}

static uint32_t semantics_id(struct ll *ll, struct order order) {
  return ll_word(
      ll, order.semantics ? order.semantics | MemorySemanticsCrossWorkgroupMemory | MemorySemanticsWorkgroupMemory : 0);
}

/* Elements of such a vector lie beside each other in memory, but not in a value: in memory, it is one number. */
static bool is_dense(const struct ll *ll, uint32_t type) {
  return ll_components(ll, type) > 1 && ll_scalar(ll, type)->kind == LL_INT &&
         (ll_is_odd(ll, type) || ll_scalar(ll, type)->bits == 1);
}

static uint32_t dense_type(struct ll *ll, uint32_t type) {
  return ll_int_type(ll, ll_components(ll, type) * ll_scalar(ll, type)->bits);
}

static uint32_t load(struct ll *ll, uint32_t type, struct ll_value pointer, uint32_t flags, uint32_t align) {
  if (is_dense(ll, type)) {
    const uint32_t whole = dense_type(ll, type);
    return ll_convert(ll, "bitcast", ll_value(load(ll, whole, pointer, flags, align), whole), type);
  }
  if (ll_is_odd(ll, type))
    return load_odd(ll, type, pointer, flags);
  const uint32_t id = ll_id(ll), written = ll_spirv_type(ll, type);
  ll_begin(ll, LL_CODE, OpLoad);
  ll_put(ll, written);
  ll_put(ll, id);
  ll_put(ll, pointer.id);
  ll_put(ll, flags | (align ? MemoryAccessAligned : 0));
  if (align)
    ll_put(ll, align);
  ll_finish(ll);
  return id;
}

static void store(struct ll *ll, struct ll_value value, struct ll_value pointer, uint32_t flags, uint32_t align) {
  if (is_dense(ll, value.type)) {
    const uint32_t whole = dense_type(ll, value.type);
    store(ll, ll_value(ll_convert(ll, "bitcast", value, whole), whole), pointer, flags, align);
    return;
  }
  if (ll_is_odd(ll, value.type)) {
    store_odd(ll, value, pointer, flags);
    return;
  }
  ll_begin(ll, LL_CODE, OpStore);
  ll_put(ll, pointer.id);
  ll_put(ll, value.id);
  ll_put(ll, flags | (align ? MemoryAccessAligned : 0));
  if (align)
    ll_put(ll, align);
  ll_finish(ll);
}

static struct ll_value read_load(struct ll *ll) {
  const bool atomic = ll_take(ll, "atomic");
  const uint32_t flags = ll_take(ll, "volatile") ? MemoryAccessVolatile : 0;
  const uint32_t type = ll_read_type(ll);
  ll_expect(ll, ",");
  const struct ll_value pointer = ll_read_operand(ll);
  if (atomic) {
    const struct order order = read_order(ll);
    read_align(ll);
    return ll_value(ll_make(ll, OpAtomicLoad, ll_spirv_type(ll, type), pointer.id, ll_word(ll, order.scope),
                            semantics_id(ll, order)),
                    type);
  }
  return ll_value(load(ll, type, pointer, flags, read_align(ll)), type);
}

static void read_store(struct ll *ll) {
  const bool atomic = ll_take(ll, "atomic");
  const uint32_t flags = ll_take(ll, "volatile") ? MemoryAccessVolatile : 0;
  struct ll_value operand[2];
  ll_read_operands(ll, operand, 2);
  const struct ll_value value = operand[0], pointer = operand[1];
  if (atomic) {
    const struct order order = read_order(ll);
    read_align(ll);
    ll_emit(ll, LL_CODE, OpAtomicStore, pointer.id, ll_word(ll, order.scope), semantics_id(ll, order), value.id);
    return;
  }
  store(ll, value, pointer, flags, read_align(ll));
}

static void read_fence(struct ll *ll) {
  const struct order order = read_order(ll);
  ll_emit(ll, LL_CODE, OpMemoryBarrier, ll_word(ll, order.scope), semantics_id(ll, order));
}

/* "atomicrmw volatile add ptr addrspace(1) %p, i32 %v syncscope("agent") monotonic, align 4" */
static struct ll_value read_atomic(struct ll *ll) {
  static const struct {
    const char *word;
    uint16_t op;
  } operations[] = {{"xchg", OpAtomicExchange}, {"add", OpAtomicIAdd},     {"sub", OpAtomicISub},
                    {"and", OpAtomicAnd},       {"or", OpAtomicOr},        {"xor", OpAtomicXor},
                    {"max", OpAtomicSMax},      {"min", OpAtomicSMin},     {"umax", OpAtomicUMax},
                    {"umin", OpAtomicUMin},     {"fadd", OpAtomicFAddEXT}, {"fmax", OpAtomicFMaxEXT},
                    {"fmin", OpAtomicFMinEXT}};
  char room[80];
  ll_take(ll, "volatile");
  const struct ll_token what = ll->token;
  ll_advance(ll);
  struct ll_value operand[2];
  ll_read_operands(ll, operand, 2);
  const struct ll_value pointer = operand[0];
  struct ll_value value = operand[1];
  const struct order order = read_order(ll);
  read_align(ll);
  const uint32_t type = ll_spirv_type(ll, value.type);
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
    if (ll_token_is(&what, operations[i].word)) {
      value.id =
          ll_make(ll, operations[i].op, type, pointer.id, ll_word(ll, order.scope), semantics_id(ll, order), value.id);
      return value;
    }
  value.id = ll_unsupported(ll, value.type, "atomicrmw %s", ll_text(&what, room));
  return value;
}

/* "cmpxchg weak ptr %p, i32 %old, i32 %new acq_rel monotonic, align 4" returns { i32, i1 }. */
static struct ll_value read_exchange(struct ll *ll) {
  ll_take(ll, "weak");
  ll_take(ll, "volatile");
  struct ll_value operand[3];
  ll_read_operands(ll, operand, 3);
  const struct ll_value pointer = operand[0], expected = operand[1], desired = operand[2];
  const struct order good = read_order(ll);
  struct order bad = read_order(ll);
  bad.scope = good.scope;
  read_align(ll);
  const uint32_t boolean = ll_int_type(ll, 1);
  uint32_t *member = need(2, sizeof *member);
  member[0] = expected.type;
  member[1] = boolean;
  const uint32_t pair = ll_add_type(ll, (struct ll_type){.kind = LL_STRUCT, .count = 2, .member = member});
  if (ll_type(ll, expected.type)->kind != LL_INT)
    return ll_value(ll_unsupported(ll, pair, "cmpxchg of pointers"), pair);
  const uint32_t found =
      ll_make(ll, OpAtomicCompareExchange, ll_spirv_type(ll, expected.type), pointer.id, ll_word(ll, good.scope),
              semantics_id(ll, good), semantics_id(ll, bad), desired.id, expected.id);
  const uint32_t same = ll_make(ll, OpIEqual, ll_spirv_type(ll, boolean), found, expected.id);
  return ll_value(ll_make(ll, OpCompositeConstruct, ll_spirv_type(ll, pair), found, same), pair);
}

/* ---- control flow -------------------------------------------------------------------------------- */

static void end_block(struct ll *ll) { ll->block = 0; }

static void read_branch(struct ll *ll) {
  if (ll_is(ll, "label")) {
    const uint32_t to = read_label(ll);
    ll_emit(ll, LL_CODE, OpBranch, to);
    end_block(ll);
    return;
  }
  const struct ll_value condition = ll_read_operand(ll);
  ll_expect(ll, ",");
  const uint32_t yes = read_label(ll);
  ll_expect(ll, ",");
  const uint32_t no = read_label(ll);
  if (yes == no)
    ll_emit(ll, LL_CODE, OpBranch, yes);
  else
    ll_emit(ll, LL_CODE, OpBranchConditional, condition.id, yes, no);
  end_block(ll);
}

/* "switch i32 %x, label %default [ i32 1, label %a i32 2, label %b ]" */
static void read_switch(struct ll *ll) {
  struct ll_words cases = {0};
  struct ll_value selector = ll_read_operand(ll);
  const struct ll_type *type = ll_type(ll, selector.type);
  const unsigned bits = type->kind == LL_INT ? type->bits : 0, width = ll_width(bits);
  if (!bits || !width)
    ll_fail(ll, "a switch over something other than an integer of up to 64 bits");
  if (bits == 1) {
    const uint32_t byte = ll_int_type(ll, 8);
    selector = ll_value(ll_bool_to(ll, selector.id, byte, false), byte);
  }
  ll_expect(ll, ",");
  const uint32_t otherwise = read_label(ll);
  ll_expect(ll, "[");
  while (!ll_is(ll, "]") && ll->token.kind != LL_END) {
    int64_t value = 0;
    ll_read_type(ll);
    if (ll_is(ll, "true") || ll_is(ll, "false"))
      value = ll_is(ll, "true");
    else if (!ll_peek_integer(ll, &value))
      ll_fail(ll, "a case is expected");
    ll_advance(ll);
    ll_expect(ll, ",");
    const uint32_t label = read_label(ll);
    const uint64_t literal = bits < 64 ? (uint64_t)value & ((UINT64_C(1) << bits) - 1) : (uint64_t)value;
    *vector_next(cases.at, cases.count, cases.room) = (uint32_t)literal;
    if (width == 64)
      *vector_next(cases.at, cases.count, cases.room) = (uint32_t)(literal >> 32);
    *vector_next(cases.at, cases.count, cases.room) = label;
  }
  ll_expect(ll, "]");
  ll_begin(ll, LL_CODE, OpSwitch);
  ll_put(ll, selector.id);
  ll_put(ll, otherwise);
  for (size_t i = 0; i < cases.count; i++)
    ll_put(ll, cases.at[i]);
  ll_finish(ll);
  free(cases.at);
  end_block(ll);
}

/* "phi i32 [ %a, %entry ], [ 0, %loop ]". LLVM names a predecessor once for each edge from it; SPIR-V's reader keeps
 * one of these. */
static struct ll_value read_phi(struct ll *ll) {
  struct ll_words pairs = {0};
  ll_skip_flags(ll);
  const uint32_t type = ll_read_type(ll), id = ll_id(ll);
  do {
    ll_expect(ll, "[");
    ll->in_phi = true;
    const uint32_t value = ll_read_value(ll, type);
    ll->in_phi = false;
    ll_expect(ll, ",");
    const struct ll_token from = ll->token;
    if (from.kind != LL_LOCAL)
      ll_fail(ll, "a label is expected");
    ll_advance(ll);
    ll_expect(ll, "]");
    const uint32_t label = label_id(ll, &from);
    *vector_next(pairs.at, pairs.count, pairs.room) = value;
    *vector_next(pairs.at, pairs.count, pairs.room) = label;
  } while (ll_take_comma(ll));
  const uint32_t written = ll_spirv_type(ll, type);
  ll_begin(ll, LL_CODE, OpPhi);
  ll_put(ll, written);
  ll_put(ll, id);
  for (size_t i = 0; i < pairs.count; i++)
    ll_put(ll, pairs.at[i]);
  ll_finish(ll);
  free(pairs.at);
  return ll_value(id, type);
}

static void read_return(struct ll *ll) {
  if (ll_take(ll, "void"))
    ll_emit_words(ll, LL_CODE, OpReturn, NULL, 0);
  else
    ll_emit(ll, LL_CODE, OpReturnValue, ll_read_operand(ll).id);
  end_block(ll);
}

/* ---- one instruction ----------------------------------------------------------------------------- */

/* Puts words into the code that is already written, at `at`. */
static void insert_words(struct ll *ll, size_t at, const uint32_t *word, size_t count) {
  struct ll_words *code = &ll->section[LL_CODE];
  if (!count)
    return;
  code->at = vector_room(code->at, &code->room, code->count + count, sizeof *code->at);
  memmove(code->at + at + count, code->at + at, (code->count - at) * sizeof *code->at);
  memcpy(code->at + at, word, count * sizeof *word);
  code->count += count;
}

/* Hints are at the branch back to the loop's first block, which in SPIR-V has them. The labels do not matter: SPIR-V's
 * reader ignores them. */
static void write_hints(struct ll *ll, uint32_t node) {
  const uint32_t copies = ll_loop_copies(ll, node), label = 1;
  const bool counted = copies > 1 && copies < UINT32_MAX;
  const uint32_t merge[HINT_WORDS] = {(counted ? 5u : 4u) << 16 | OpLoopMerge, label, label,
                                      counted       ? 0x100
                                      : copies == 1 ? 2
                                                    : 1,
                                      counted ? copies : 1 << 16 | OpNop};
  if (copies && ll->back_to)
    memcpy(ll->section[LL_CODE].at + ll->back_to, merge, sizeof merge);
}

static void write_place(struct ll *ll, uint32_t node, size_t at) {
  const struct ll_place place = ll_place(ll, node);
  if (place.file && memcmp(&place, &ll->written, sizeof place)) {
    insert_words(ll, at, (const uint32_t[]){4 << 16 | OpLine, place.file, place.line, place.column}, 4);
    ll->written = place;
  }
}

/* Reads ", !dbg !7, !tbaa !9" behind an instruction whose words begin at `at`. */
static void read_attachments(struct ll *ll, size_t at) {
  char room[80];
  while (ll_take(ll, ",")) {
    const struct ll_token kind = ll->token;
    uint32_t node;
    if (kind.kind != LL_META)
      ll_fail(ll, "metadata is expected, not '%s'", ll_text(&kind, room));
    ll_advance(ll);
    const bool list = ll->token.kind == LL_META && !ll->token.length;
    if (ll_node(ll, &ll->token, &node) && ll_token_is(&kind, "dbg"))
      write_place(ll, node, at);
    else if (ll_node(ll, &ll->token, &node) && ll_token_is(&kind, "llvm.loop"))
      write_hints(ll, node);
    ll_advance(ll);
    if (list && ll_is(ll, "{"))
      ll_skip_brackets(ll);
  }
}

static bool read_effect(struct ll *ll, const struct ll_token *op) {
  if (ll_token_is(op, "store"))
    read_store(ll);
  else if (ll_token_is(op, "br"))
    read_branch(ll);
  else if (ll_token_is(op, "ret"))
    read_return(ll);
  else if (ll_token_is(op, "switch"))
    read_switch(ll);
  else if (ll_token_is(op, "fence"))
    read_fence(ll);
  else if (ll_token_is(op, "unreachable")) {
    ll_emit_words(ll, LL_CODE, OpUnreachable, NULL, 0);
    end_block(ll);
  } else
    return false;
  return true;
}

static bool read_result(struct ll *ll, const struct ll_token *op, struct ll_value *value) {
  if (ll_token_is(op, "load"))
    *value = read_load(ll);
  else if (ll_token_is(op, "alloca"))
    *value = read_alloca(ll);
  else if (ll_token_is(op, "phi"))
    *value = read_phi(ll);
  else if (ll_token_is(op, "call"))
    *value = ll_read_call(ll);
  else if (ll_token_is(op, "atomicrmw"))
    *value = read_atomic(ll);
  else if (ll_token_is(op, "cmpxchg"))
    *value = read_exchange(ll);
  else
    return ll_read_number(ll, op, value);
  return true;
}

static void read_instruction(struct ll *ll) {
  char room[80];
  struct ll_token name = {0};
  if (ll->token.kind == LL_GROUP) { /* #dbg_value(...), since version 19 */
    ll_advance(ll);
    ll_skip_brackets(ll);
    return;
  }
  if (ll->token.kind == LL_LOCAL) {
    name = ll->token;
    ll_advance(ll);
    ll_expect(ll, "=");
  }
  if (ll_is(ll, "tail") || ll_is(ll, "musttail") || ll_is(ll, "notail"))
    ll_advance(ll);
  const struct ll_token op = ll->token;
  const size_t at = ll->section[LL_CODE].count;
  struct ll_value value = {0};
  ll->back_to = 0;
  ll_advance(ll);
  if (op.kind != LL_WORD || (!read_effect(ll, &op) && !read_result(ll, &op, &value))) {
    ll_fail_at(ll, op.line, "'%s' is not an instruction that is supported", ll_text(&op, room));
    return;
  }
  if (name.at)
    ll_define(ll, &name, value);
  read_attachments(ll, at);
}

/* ---- a body -------------------------------------------------------------------------------------- */

/* Every name that was used must have been defined. */
static void check_names(struct ll *ll) {
  for (size_t i = 0; i < ll->values.count; i++)
    if (!ll->values.at[i].defined) {
      const struct ll_token token = {LL_LOCAL, ll->values.at[i].at, ll->values.at[i].length, 0};
      char room[80];
      ll_fail_at(ll, ll->values.at[i].line, "'%%%s' is not defined in this function", ll_text(&token, room));
    }
  for (size_t i = 0; i < ll->labels.count; i++)
    if (!ll->labels.at[i].defined) {
      const struct ll_token token = {LL_LOCAL, ll->labels.at[i].at, ll->labels.at[i].length, 0};
      char room[80];
      ll_fail_at(ll, ll->labels.at[i].line, "there is no label '%s' in this function", ll_text(&token, room));
    }
}

/* The name of a first block that has none: the number behind those of the parameters. */
static struct ll_token entry_name(struct ll *ll) {
  uint32_t count = 0;
  do
    snprintf(ll->entry_name, sizeof ll->entry_name, "%" PRIu32, count++);
  while (ll_find(&ll->values, ll->entry_name, strlen(ll->entry_name)));
  return (struct ll_token){LL_LABEL, ll->entry_name, strlen(ll->entry_name), ll->token.line};
}

static void begin_block(struct ll *ll, const struct ll_token *token) {
  char room[80];
  const uint32_t id = label_id(ll, token);
  struct ll_name *name = ll_find(&ll->labels, token->at, token->length);
  if (ll->block)
    ll_fail_at(ll, token->line, "the block before label '%s' does not end", ll_text(token, room));
  else if (name->defined)
    ll_fail_at(ll, token->line, "label '%s' is already defined", ll_text(token, room));
  name->defined = true;
  ll->block = id;
  ll->written = (struct ll_place){0};
  ll_emit(ll, LL_CODE, OpLabel, id);
  name->word = ll->section[LL_CODE].count;
  for (unsigned i = 0; i < HINT_WORDS; i++)
    ll_emit_words(ll, LL_CODE, OpNop, NULL, 0);
}

/* From behind the "{" to behind the "}". */
void ll_read_body(struct ll *ll) {
  size_t variables = 0; /* where they go, behind the first label */
  while (!ll_is(ll, "}") && ll->token.kind != LL_END) {
    if (ll->token.kind == LL_LABEL) {
      const struct ll_token token = ll->token;
      ll_advance(ll);
      begin_block(ll, &token);
    } else if (!variables) {
      const struct ll_token token = entry_name(ll);
      begin_block(ll, &token);
    } else if (!ll->block) {
      ll_fail(ll, "a label is expected, because the block before has ended");
    } else {
      read_instruction(ll);
      continue;
    }
    if (!variables) {
      variables = ll->section[LL_CODE].count;
      ll_bind_parameters(ll);
    }
  }
  if (ll->block || !variables)
    ll_fail(ll, "a function ends within a block, or has none");
  check_names(ll);
  if (variables)
    insert_words(ll, variables, ll->entry.at, ll->entry.count);
  ll->entry.count = 0;
  ll_expect(ll, "}");
}
