/* Inline PTX, in the forms that Triton and XLA write:
 *
 *     %v = call i32 asm sideeffect "mov.u32 $0, 0x0; @$2 ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l,b"(ptr %p, i1 %c)
 *
 * Instructions run one after another on the operands, each a number of its constraint's width: `h` 16 bits, `r` and `f`
 * 32, `l` and `d` 64, `b` a predicate. A load or store is a call of a function of our own, which branches if there is a
 * predicate: within a block of LLVM's, nothing else can. Lowering inlines it, and makes it a guarded access.
 *
 * Known: mov, ld and st of global and shared memory, cvt between f32 and bf16, bar.sync 0. Hints to caches are skipped.
 * Not known: everything else; then nothing is written, and the kernel is refused with the text. */
#include "opencl/llvm/ll.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

enum { MOST_OPERANDS = 64, MOST_ELEMENTS = 4, MOST_WORD = 32 };

struct ptx {
  struct ll *ll;
  const char *at; /* what is still to be read */
  struct ll_value operand[MOST_OPERANDS];
  unsigned outputs, operands;
  bool failed;
};

/* An access to memory: "ld.global.v4.b32". */
struct access {
  bool store, volatile_, hint; /* hint: another operand, a cache policy, ends the instruction */
  enum spirv_storage storage;
  unsigned count, bits;
};

/* ---- text ---------------------------------------------------------------------------------------- */

static void skip_blanks(struct ptx *p) { p->at += strspn(p->at, " \t\n\r"); }

static bool take_sign(struct ptx *p, char sign) {
  skip_blanks(p);
  if (*p->at != sign)
    return false;
  p->at++;
  return true;
}

static bool fail(struct ptx *p) {
  p->failed = true;
  return false;
}

static bool expect_sign(struct ptx *p, char sign) { return take_sign(p, sign) || fail(p); }

/* "$12": an operand's number. */
static bool read_operand(struct ptx *p, unsigned *number) {
  if (!expect_sign(p, '$') || *p->at < '0' || *p->at > '9')
    return fail(p);
  char *end;
  const unsigned long value = strtoul(p->at, &end, 10);
  p->at = end;
  *number = (unsigned)value;
  return value < p->operands || fail(p);
}

static bool read_number(struct ptx *p, int64_t *number) {
  skip_blanks(p);
  char *end;
  *number = (int64_t)strtoull(p->at, &end, 0); /* a minus negates it */
  if (end == p->at)
    return fail(p);
  p->at = end;
  return true;
}

/* The next part of an operation: "ld", "global", "v4", "b32" of "ld.global.v4.b32". False at its end. */
static bool next_part(struct ptx *p, char part[MOST_WORD]) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:";
  const size_t length = strspn(p->at, letters);
  if (!length || length >= MOST_WORD)
    return false;
  memcpy(part, p->at, length);
  part[length] = '\0';
  p->at += length;
  p->at += *p->at == '.';
  return true;
}

static bool next_is(struct ptx *p, const char *part) {
  char word[MOST_WORD];
  return (next_part(p, word) && !strcmp(word, part)) || fail(p);
}

/* ---- operands ------------------------------------------------------------------------------------- */

/* "=r,=r,l,b": outputs first. Their types here are integers. */
static void read_constraints(struct ptx *p, const char *text, unsigned count, const struct ll_value *argument) {
  static const struct {
    char letter;
    uint8_t bits;
  } widths[] = {{'b', 1}, {'c', 8}, {'h', 16}, {'r', 32}, {'f', 32}, {'l', 64}, {'d', 64}};
  unsigned inputs = 0;
  for (; *text && *text != '~'; text += strcspn(text, ","), text += *text == ',') {
    const bool output = *text == '=';
    text += strspn(text, "=&");
    unsigned bits = 0;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
      bits = *text == widths[i].letter ? widths[i].bits : bits;
    const bool known = (bits || *text == 'n' || *text == 'i') && (text[1] == ',' || !text[1]);
    if (!known || p->operands == MOST_OPERANDS || (output ? inputs : inputs == count)) {
      fail(p);
      return;
    }
    const uint32_t type = output ? ll_int_type(p->ll, bits) : 0;
    p->operand[p->operands++] = output ? ll_value(ll_undef(p->ll, type), type) : argument[inputs++];
    p->outputs += output;
  }
  if (inputs != count)
    fail(p);
}

/* The bits of a number, or of a vector of numbers; 0: it is something else. */
static unsigned width_of(const struct ll *ll, uint32_t type) {
  const uint8_t kind = ll_scalar(ll, type)->kind;
  const bool number = kind == LL_INT || kind == LL_REAL || kind == LL_BFLOAT;
  return number ? ll_components(ll, type) * ll_scalar(ll, type)->bits : 0;
}

/* An operand as an integer of so many bits, zero-extended or cut. */
static uint32_t bits_of(struct ptx *p, unsigned number, unsigned bits) {
  struct ll *ll = p->ll;
  struct ll_value value = p->operand[number];
  const uint32_t wanted = ll_int_type(ll, bits);
  if (ll_type(ll, value.type)->kind == LL_POINTER)
    return ll_convert(ll, "ptrtoint", value, wanted);
  const unsigned width = width_of(ll, value.type);
  if (!width || width > 64) {
    fail(p);
    return value.id;
  }
  const uint32_t whole = ll_int_type(ll, width);
  return ll_convert(ll, width < bits ? "zext" : "trunc", ll_value(ll_convert(ll, "bitcast", value, whole), whole),
                    wanted);
}

/* Gives an output a number of so many bits; under a predicate, it keeps its value otherwise. */
static void set_output(struct ptx *p, unsigned number, uint32_t id, unsigned bits, uint32_t guard) {
  struct ll *ll = p->ll;
  if (number >= p->outputs) {
    fail(p);
    return;
  }
  struct ll_value *output = &p->operand[number];
  const unsigned own = ll_type(ll, output->type)->bits;
  id = ll_convert(ll, bits < own ? "zext" : "trunc", ll_value(id, ll_int_type(ll, bits)), output->type);
  output->id = guard ? ll_select(ll, output->type, guard, id, output->id) : id;
}

/* ---- helpers: accesses under a predicate ------------------------------------------------------------ */

/* T ld(T *p, bool c, T old) { if (c) old = *p; return old; }    void st(T *p, bool c, T new) { if (c) *p = new; } */
static uint32_t write_helper(struct ll *ll, const struct access *access, uint32_t type) {
  const uint32_t written = ll_spirv_type(ll, type), boolean = ll_spirv_type(ll, ll_int_type(ll, 1)),
                 pointer = ll_spirv_type(ll, ll_pointer_type(ll, access->storage)),
                 nothing = ll_spirv_type(ll, ll_add_type(ll, (struct ll_type){.kind = LL_VOID})),
                 result = access->store ? nothing : written,
                 flags = MemoryAccessAligned | (access->volatile_ ? MemoryAccessVolatile : 0),
                 align = access->count * access->bits / 8;
  const uint32_t types[] = {result, pointer, boolean, written}, signature = ll_function_type(ll, types, 4);
  const uint32_t function = ll_id(ll), p = ll_id(ll), c = ll_id(ll), value = ll_id(ll), entry = ll_id(ll),
                 then = ll_id(ll), end = ll_id(ll), loaded = ll_id(ll), joined = ll_id(ll);
  ll_emit(ll, LL_HELPERS, OpFunction, result, function, 0, signature);
  ll_emit(ll, LL_HELPERS, OpFunctionParameter, pointer, p);
  ll_emit(ll, LL_HELPERS, OpFunctionParameter, boolean, c);
  ll_emit(ll, LL_HELPERS, OpFunctionParameter, written, value);
  ll_emit(ll, LL_HELPERS, OpLabel, entry);
  ll_emit(ll, LL_HELPERS, OpBranchConditional, c, then, end);
  ll_emit(ll, LL_HELPERS, OpLabel, then);
  if (access->store)
    ll_emit(ll, LL_HELPERS, OpStore, p, value, flags, align);
  else
    ll_emit(ll, LL_HELPERS, OpLoad, written, loaded, p, flags, align);
  ll_emit(ll, LL_HELPERS, OpBranch, end);
  ll_emit(ll, LL_HELPERS, OpLabel, end);
  if (access->store) {
    ll_emit_words(ll, LL_HELPERS, OpReturn, NULL, 0);
  } else {
    ll_emit(ll, LL_HELPERS, OpPhi, written, joined, value, entry, loaded, then);
    ll_emit(ll, LL_HELPERS, OpReturnValue, joined);
  }
  ll_emit_words(ll, LL_HELPERS, OpFunctionEnd, NULL, 0);
  return function;
}

static uint32_t helper(struct ll *ll, const struct access *access, uint32_t type) {
  char *key = need_print("%s %d %u %u%s", access->store ? "st" : "ld", access->storage, access->count, access->bits,
                         access->volatile_ ? " volatile" : "");
  struct ll_name *name = ll_name(&ll->helpers, key, strlen(key));
  if (name->id) {
    free(key);
    return name->id;
  }
  const uint32_t id = write_helper(ll, access, type);
  ll_name(&ll->helpers, key, strlen(key))->id = id;
  return id;
}

/* ---- instructions --------------------------------------------------------------------------------- */

/* Behind "ld." or "st.". */
static bool read_access(struct ptx *p, bool store, struct access *access) {
  static const char *const hints[] = {"nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "weak"};
  char part[MOST_WORD];
  *access = (struct access){.store = store, .storage = SPIRV_GENERIC, .count = 1};
  while (next_part(p, part)) {
    bool known = !strncmp(part, "L1::", 4) || !strncmp(part, "L2::", 4);
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
      known |= !strcmp(part, hints[i]);
    access->hint |= !strcmp(part, "L2::cache_hint");
    if (!strcmp(part, "volatile"))
      access->volatile_ = true;
    else if (!strcmp(part, "global"))
      access->storage = SPIRV_CROSS_WORKGROUP;
    else if (!strcmp(part, "shared") || !strcmp(part, "shared::cta"))
      access->storage = SPIRV_WORKGROUP;
    else if (!strcmp(part, "v2") || !strcmp(part, "v4"))
      access->count = (unsigned)(part[1] - '0');
    else if (strchr("busf", *part) && part[1])
      access->bits = (unsigned)strtoul(part + 1, NULL, 10);
    else if (!known)
      return fail(p);
  }
  const unsigned bits = access->bits;
  return (access->storage != SPIRV_GENERIC && (bits == 8 || bits == 16 || bits == 32 || bits == 64)) || fail(p);
}

/* "{ $0, $1 }" or "$0" */
static bool read_list(struct ptx *p, unsigned count, unsigned number[MOST_ELEMENTS]) {
  const bool braces = take_sign(p, '{');
  for (unsigned i = 0; i < count; i++)
    if ((i && !expect_sign(p, ',')) || !read_operand(p, &number[i]))
      return false;
  return !braces || expect_sign(p, '}');
}

/* "[ $4 + 16 ]" as a pointer. */
static uint32_t read_place(struct ptx *p, enum spirv_storage storage) {
  struct ll *ll = p->ll;
  unsigned number;
  int64_t offset = 0;
  if (!expect_sign(p, '[') || !read_operand(p, &number) || (take_sign(p, '+') && !read_number(p, &offset)) ||
      !expect_sign(p, ']'))
    return 0;
  const uint32_t wanted = ll_pointer_type(ll, storage);
  const struct ll_value value = p->operand[number];
  const struct ll_type type = *ll_type(ll, value.type);
  if (type.kind != LL_POINTER && type.kind != LL_INT)
    return fail(p);
  const bool pointer = type.kind == LL_POINTER;
  const uint32_t word = ll_int_type(ll, 64);
  const uint32_t base = pointer ? ll_convert(ll, "addrspacecast", value, wanted)
                                : ll_convert(ll, "inttoptr", ll_value(bits_of(p, number, 64), word), wanted);
  if (!offset)
    return base;
  return ll_make(ll, OpUntypedPtrAccessChainKHR, ll_spirv_type(ll, wanted), ll_spirv_type(ll, ll_int_type(ll, 8)), base,
                 ll_integer(ll, word, (uint64_t)offset));
}

static void read_memory(struct ptx *p, bool store, uint32_t guard) {
  struct ll *ll = p->ll;
  struct access access;
  unsigned number[MOST_ELEMENTS], policy;
  uint32_t place = 0, part[MOST_ELEMENTS];
  if (!read_access(p, store, &access))
    return;
  if (store)
    place = read_place(p, access.storage);
  if ((store && (!place || !expect_sign(p, ','))) || !read_list(p, access.count, number))
    return;
  if (!store && (!expect_sign(p, ',') || !(place = read_place(p, access.storage))))
    return;
  if (access.hint && (!expect_sign(p, ',') || !read_operand(p, &policy)))
    return;
  const uint32_t scalar = ll_int_type(ll, access.bits),
                 type = access.count > 1 ? ll_vector_type(ll, scalar, access.count) : scalar;
  for (unsigned i = 0; i < access.count; i++)
    part[i] = bits_of(p, number[i], access.bits);
  const uint32_t always = ll_integer(ll, ll_int_type(ll, 1), 1);
  const uint32_t value =
      access.count > 1 ? ll_make_words(ll, OpCompositeConstruct, ll_spirv_type(ll, type), part, access.count) : part[0];
  const uint32_t result =
      store ? ll_spirv_type(ll, ll_add_type(ll, (struct ll_type){.kind = LL_VOID})) : ll_spirv_type(ll, type);
  const uint32_t id =
      ll_make(ll, OpFunctionCall, result, helper(ll, &access, type), place, guard ? guard : always, value);
  for (unsigned i = 0; !store && i < access.count; i++)
    set_output(p, number[i], access.count > 1 ? ll_extract(ll, ll_value(id, type), i) : id, access.bits, 0);
}

/* "%ctaid.x" */
static uint32_t read_register(struct ptx *p) {
  struct ll *ll = p->ll;
  struct ll_call call = {.result = ll_int_type(ll, 32)};
  const size_t length = strcspn(++p->at, " \t\n;");
  uint32_t id = 0;
  char *name = need_print("llvm.nvvm.read.ptx.sreg.%.*s", (int)length, p->at);
  call.name = name;
  if (!ll_call_gpu(ll, &call, &id) || !id)
    fail(p);
  free(name);
  p->at += length;
  return id;
}

/* "mov.u32 $0, 0x0", "mov.u32 $0, %ctaid.x", "mov.b32 $0, $1" */
static void read_move(struct ptx *p, uint32_t guard) {
  char part[MOST_WORD];
  unsigned to, from;
  int64_t number;
  if (!next_part(p, part) || !strchr("busf", *part) || !read_operand(p, &to) || !expect_sign(p, ',')) {
    fail(p);
    return;
  }
  const unsigned bits = (unsigned)strtoul(part + 1, NULL, 10);
  const bool known = bits == 16 || bits == 32 || bits == 64;
  skip_blanks(p);
  if (!known)
    fail(p);
  else if (*p->at == '%')
    set_output(p, to, read_register(p), 32, guard);
  else if (*p->at == '$' && read_operand(p, &from))
    set_output(p, to, bits_of(p, from, bits), bits, guard);
  else if (!p->failed && read_number(p, &number))
    set_output(p, to, ll_integer(p->ll, ll_int_type(p->ll, bits), (uint64_t)number), bits, guard);
}

/* "cvt.f32.bf16 $0, $1" and "cvt.rn.bf16.f32 $0, $1" */
static void read_conversion(struct ptx *p, uint32_t guard) {
  struct ll *ll = p->ll;
  char part[MOST_WORD] = "";
  unsigned to, from;
  const bool widens = next_part(p, part) && !strcmp(part, "f32");
  if (!(widens ? next_is(p, "bf16") : !strcmp(part, "rn") && next_is(p, "bf16") && next_is(p, "f32")) ||
      !read_operand(p, &to) || !expect_sign(p, ',') || !read_operand(p, &from)) {
    fail(p);
    return;
  }
  const uint32_t real = ll_real_type(ll, 32), word = ll_int_type(ll, 32),
                 bfloat = ll_add_type(ll, (struct ll_type){.kind = LL_BFLOAT, .bits = 16});
  if (widens) {
    const uint32_t id = ll_widen(ll, ll_value(bits_of(p, from, 16), bfloat));
    set_output(p, to, ll_convert(ll, "bitcast", ll_value(id, real), word), 32, guard);
  } else {
    const uint32_t id = ll_convert(ll, "bitcast", ll_value(bits_of(p, from, 32), word), real);
    set_output(p, to, ll_narrow(ll, id, bfloat), 16, guard);
  }
}

static void read_barrier(struct ptx *p, uint32_t guard) {
  struct ll_call call = {.name = "llvm.nvvm.barrier0"};
  int64_t number;
  uint32_t id;
  if (guard || !next_is(p, "sync") || !read_number(p, &number) || number || !ll_call_gpu(p->ll, &call, &id))
    fail(p);
}

/* "@$5 ld.global.b32 $0, [$1];", "@!$5 ..." */
static void read_instruction(struct ptx *p) {
  char operation[MOST_WORD];
  uint32_t guard = 0; /* the id of a bool; 0: there is no predicate */
  if (take_sign(p, '@')) {
    const bool not = take_sign(p, '!');
    unsigned number;
    if (!read_operand(p, &number))
      return;
    const uint32_t type = ll_int_type(p->ll, 1);
    guard = bits_of(p, number, 1);
    guard = not ? ll_make(p->ll, OpLogicalNot, ll_spirv_type(p->ll, type), guard) : guard;
  }
  skip_blanks(p);
  if (!next_part(p, operation))
    fail(p);
  else if (!strcmp(operation, "mov"))
    read_move(p, guard);
  else if (!strcmp(operation, "ld") || !strcmp(operation, "st"))
    read_memory(p, *operation == 's', guard);
  else if (!strcmp(operation, "cvt"))
    read_conversion(p, guard);
  else if (!strcmp(operation, "bar"))
    read_barrier(p, guard);
  else
    fail(p);
}

/* ---- the whole ------------------------------------------------------------------------------------ */

/* The outputs as the call's result: nothing, a value, or a struct of several. */
static uint32_t result_of(struct ptx *p, uint32_t result) {
  struct ll *ll = p->ll;
  const struct ll_type type = *ll_type(ll, result);
  const bool many = type.kind == LL_STRUCT;
  uint32_t part[MOST_OPERANDS];
  if (p->outputs != (many ? type.count : type.kind != LL_VOID))
    return fail(p);
  for (unsigned i = 0; i < p->outputs; i++) {
    const uint32_t wanted = many ? type.member[i] : result;
    if (width_of(ll, wanted) != ll_type(ll, p->operand[i].type)->bits)
      return fail(p);
    part[i] = ll_convert(ll, "bitcast", p->operand[i], wanted);
  }
  return many         ? ll_make_words(ll, OpCompositeConstruct, ll_spirv_type(ll, result), part, p->outputs)
         : p->outputs ? part[0]
                      : 0;
}

bool ll_ptx(struct ll *ll, const char *text, const char *constraints, uint32_t result, unsigned count,
            const struct ll_value *argument, uint32_t *id) {
  struct ptx p = {.ll = ll, .at = text};
  const size_t written = ll->section[LL_CODE].count;
  read_constraints(&p, constraints, count, argument);
  while (!p.failed && (skip_blanks(&p), *p.at)) {
    read_instruction(&p);
    if (!p.failed && !take_sign(&p, ';') && *p.at)
      fail(&p);
  }
  *id = p.failed ? 0 : result_of(&p, result);
  if (p.failed) /* functions and constants that nothing uses do no harm */
    ll->section[LL_CODE].count = written;
  return !p.failed;
}
