/* Calls: reads one, and asks in turn LLVM's intrinsics, the module's own functions, and the target's built-ins. What
 * nobody knows becomes a call of an imported function, which lowering knows or refuses. */
#include "opencl/llvm/ll.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

uint32_t ll_call_import(struct ll *ll, const char *name, uint32_t result, unsigned count,
                        const struct ll_value *argument) {
  const uint32_t written = ll_spirv_type(ll, result), folded = ll->folding;
  ll->folding = false;
  uint32_t types[LL_MOST_ARGUMENTS + 1] = {written};
  for (unsigned i = 0; i < count; i++)
    types[1 + i] = ll_spirv_type(ll, argument[i].type);
  const uint32_t type = ll_function_type(ll, types, count + 1);
  /* One import for each form of a function, because SPIR-V's types have no variadic functions. */
  char *key = need_print("%s\n%u", name, type);
  struct ll_name *import = ll_name(&ll->imports, key, strlen(key));
  if (import->id) {
    free(key);
  } else {
    import->id = ll_id(ll);
    import->type = type;
  }
  const uint32_t function = import->id;
  uint32_t words[LL_MOST_ARGUMENTS + 1] = {function};
  for (unsigned i = 0; i < count; i++)
    words[1 + i] = argument[i].id;
  const uint32_t id = ll_make_words(ll, OpFunctionCall, written, words, count + 1);
  ll->folding = folded;
  return id;
}

uint32_t ll_std(struct ll *ll, uint32_t instruction, uint32_t type, unsigned count, ...) {
  uint32_t words[8] = {ll->std, instruction};
  va_list arguments;
  va_start(arguments, count);
  for (unsigned i = 0; i < count; i++)
    words[2 + i] = va_arg(arguments, uint32_t);
  va_end(arguments);
  return ll_make_words(ll, OpExtInst, ll_spirv_type(ll, type), words, count + 2);
}

uint32_t ll_builtin(struct ll *ll, uint32_t builtin, int component) {
  const bool mask = builtin >= LL_BUILTINS, vector = component != LL_SCALAR;
  const bool wide = (vector && !mask) || builtin == BuiltInGlobalLinearId || builtin == BuiltInLocalInvocationIndex;
  const uint32_t scalar = ll_int_type(ll, wide ? 64 : 32);
  const uint32_t type = vector ? ll_vector_type(ll, scalar, mask ? 4 : 3) : scalar;
  const uint32_t pointer = ll_typed_pointer(ll, SPIRV_INPUT, ll_spirv_type(ll, type));
  uint32_t *variable = &ll->builtin[mask ? LL_BUILTINS + builtin - BuiltInSubgroupEqMask : builtin];
  if (!*variable) {
    *variable = ll_id(ll);
    ll_emit(ll, LL_DEFINITIONS, OpVariable, pointer, *variable, SPIRV_INPUT);
    ll_emit(ll, LL_DECORATIONS, OpDecorate, *variable, DecorationBuiltIn, builtin);
  }
  const uint32_t id = ll_make(ll, OpLoad, ll_spirv_type(ll, type), *variable);
  return component >= 0 ? ll_make(ll, OpCompositeExtract, ll_spirv_type(ll, scalar), id, (uint32_t)component) : id;
}

/* ---- reading ------------------------------------------------------------------------------------- */

/* Attributes of a call and operand bundles, behind it. */
static void skip_behind(struct ll *ll) {
  static const char *const words[] = {"nounwind",  "readnone",     "readonly",  "willreturn", "convergent",
                                      "nomerge",   "noreturn",     "cold",      "memory",     "alwaysinline",
                                      "noinline",  "strictfp",     "builtin",   "nobuiltin",  "nofree",
                                      "nosync",    "mustprogress", "norecurse", "argmemonly", "inaccessiblememonly",
                                      "writeonly", "speculatable", "nocallback"};
  for (;;) {
    bool known = ll->token.kind == LL_GROUP || ll->token.kind == LL_STRING || ll_is(ll, "=");
    for (size_t i = 0; i < sizeof words / sizeof *words && !known; i++)
      known = ll_is(ll, words[i]);
    if (known)
      ll_advance(ll);
    else if (ll_is(ll, "[") || ll_is(ll, "("))
      ll_skip_brackets(ll);
    else
      return;
  }
}

/* "metadata !12", an argument of debug intrinsics. */
static void skip_metadata(struct ll *ll) {
  ll_advance(ll);
  for (unsigned open = 0; ll->token.kind != LL_END && (open || (!ll_is(ll, ",") && !ll_is(ll, ")")));) {
    open += ll_is(ll, "(") || ll_is(ll, "{");
    open -= ll_is(ll, ")") || ll_is(ll, "}");
    ll_advance(ll);
  }
}

static void read_arguments(struct ll *ll, struct ll_call *call) {
  ll_expect(ll, "(");
  while (!ll_is(ll, ")") && ll->token.kind != LL_END) {
    if (ll_is(ll, "metadata")) {
      skip_metadata(ll);
    } else {
      const struct ll_value value = ll_read_operand(ll);
      if (call->count == LL_MOST_ARGUMENTS)
        ll_fail(ll, "a call with more than %d arguments", LL_MOST_ARGUMENTS);
      else
        call->argument[call->count++] = value;
    }
    if (!ll_take(ll, ","))
      break;
  }
  ll_expect(ll, ")");
}

/* asm sideeffect "text", "constraints"(arguments). Empty text only keeps LLVM from moving accesses. */
static struct ll_value read_assembly(struct ll *ll, uint32_t result) {
  struct ll_call call = {.result = result};
  char room[80];
  while (ll->token.kind == LL_WORD)
    ll_advance(ll);
  const struct ll_token token = ll->token;
  ll_advance(ll);
  ll_expect(ll, ",");
  char *text = ll_string(&token), *constraints = ll_string(&ll->token);
  ll_advance(ll);
  read_arguments(ll, &call);
  uint32_t id = 0;
  const bool empty = !token.length && ll_type(ll, result)->kind == LL_VOID;
  if (!empty && !ll->failed &&
      !(ll->target == LL_NVPTX && ll_ptx(ll, text, constraints, result, call.count, call.argument, &id)))
    id = ll_unsupported(ll, result, "inline assembly '%s'", ll_text(&token, room));
  free(text);
  free(constraints);
  return ll_value(id, result);
}

/* A function of the module. The argument of a by-value parameter is a pointer; lowering copies what it points to. */
static uint32_t call_function(struct ll *ll, uint32_t function, const struct ll_call *call) {
  uint32_t words[LL_MOST_ARGUMENTS + 1] = {function};
  for (unsigned i = 0; i < call->count; i++)
    words[1 + i] = call->argument[i].id;
  return ll_make_words(ll, OpFunctionCall, ll_spirv_type(ll, call->result), words, call->count + 1);
}

/* Functions that only tell LLVM something. */
static bool is_idle(const char *name) {
  static const char *const begins[] = {
      "llvm.dbg.",           "llvm.lifetime.", "llvm.assume",       "llvm.experimental.noalias",
      "llvm.invariant.",     "llvm.donothing", "llvm.sideeffect",   "llvm.pseudoprobe",
      "llvm.var.annotation", "llvm.prefetch",  "llvm.stackrestore", "llvm.annotation.metadata"};
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
    if (!strncmp(name, begins[i], strlen(begins[i])))
      return true;
  return false;
}

/* An intrinsic such as llvm.fma.bf16, in float. */
static bool call_bfloat(struct ll *ll, const struct ll_call *call, uint32_t *id) {
  struct ll_call wide = *call;
  wide.result = ll_like(ll, call->result, ll_real_type(ll, 32));
  for (unsigned i = 0; i < wide.count; i++)
    if (ll_is_bfloat(ll, wide.argument[i].type))
      wide.argument[i] = ll_value(ll_widen(ll, wide.argument[i]), wide.result);
  if (!ll_call_intrinsic(ll, &wide, id))
    return false;
  *id = ll_narrow(ll, *id, call->result);
  return true;
}

static uint32_t call_named(struct ll *ll, struct ll_call *call, const struct ll_global *callee) {
  uint32_t id = 0;
  if (!strncmp(call->name, "llvm.", 5) && ll_is_bfloat(ll, call->result) && call_bfloat(ll, call, &id))
    return id;
  if (!strncmp(call->name, "llvm.", 5) && ll_call_intrinsic(ll, call, &id))
    return id;
  if (callee && callee->is_function && callee->is_defined)
    return call_function(ll, callee->id, call);
  const bool known = ll->target == LL_SPIR ? ll_call_opencl(ll, call, &id) : ll_call_gpu(ll, call, &id);
  return known ? id : ll_call_import(ll, call->name, call->result, call->count, call->argument);
}

/* Behind "call": "fast spir_func noundef float @f(float noundef %x) #3 [ "bundle"() ]" */
struct ll_value ll_read_call(struct ll *ll) {
  struct ll_call call = {0};
  char room[80];
  ll_skip_to_type(ll);
  call.result = ll_read_type(ll);
  if (ll_type(ll, call.result)->kind == LL_FUNCTION)
    call.result = ll_type(ll, call.result)->element;
  if (ll_take(ll, "asm")) {
    const struct ll_value value = read_assembly(ll, call.result);
    skip_behind(ll);
    return value;
  }
  const struct ll_token name = ll->token;
  const bool cast = ll_take(ll, "bitcast") && ll_expect(ll, "("); /* of a function of another type */
  if (cast)
    ll_read_type(ll);
  const struct ll_token callee = ll->token;
  ll_advance(ll);
  if (cast) {
    ll_expect(ll, "to");
    ll_read_type(ll);
    ll_expect(ll, ")");
  }
  char *text = ll_string(&callee);
  call.name = text;
  if (is_idle(text)) {
    ll_skip_brackets(ll);
    call.result =
        ll_type(ll, call.result)->kind == LL_OTHER ? ll_add_type(ll, (struct ll_type){.kind = LL_VOID}) : call.result;
  } else {
    read_arguments(ll, &call);
  }
  uint32_t id = 0;
  if (callee.kind == LL_LOCAL)
    id = ll_unsupported(ll, call.result, "a call through a pointer");
  else if (callee.kind != LL_GLOBAL)
    ll_fail_at(ll, name.line, "a function is expected, not '%s'", ll_text(&name, room));
  else if (!is_idle(text))
    id = call_named(ll, &call, ll_find_global(ll, callee.at, callee.length));
  free(text);
  skip_behind(ll);
  return ll_value(id, call.result);
}
