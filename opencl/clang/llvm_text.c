/* Rewrites LLVM assembly line by line; llvm_text.h says what and why.
 *
 * LLVM prints one instruction per line. Nothing here parses more than that. A line that does not look exactly as LLVM
 * prints it stays unchanged, and the assembler has the last word. */
#include "opencl/clang/llvm_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"

static const char *find_in(const char *line, size_t length, const char *word) {
  return memmem(line, length, word, strlen(word));
}

static bool starts(const char *line, size_t length, const char *word) {
  return length >= strlen(word) && memcmp(line, word, strlen(word)) == 0;
}

/* target datalayout = "e-i64:64-..." */
static bool add_widths(struct text *out, const char *line, size_t length) {
  if (!starts(line, length, "target datalayout = \"") || line[length - 1] != '"')
    return false;
  text_print(out, "%.*s-n8:16:32:64\"\n", (int)length - 1, line);
  return true;
}

/* define available_externally dso_local spir_func i32 @f(i32 %x) #0 {. An internal function cannot be preemptible. */
static bool keep_inline(struct text *out, const char *line, size_t length) {
  static const char define[] = "define available_externally ", local[] = "dso_local ";
  if (!starts(line, length, define))
    return false;
  const size_t before = sizeof define - 1;
  const size_t skipped = before + (starts(line + before, length - before, local) ? sizeof local - 1 : 0);
  text_print(out, "define internal %.*s\n", (int)(length - skipped), line + skipped);
  return true;
}

/* attributes #3 = { convergent nounwind }. LLVM's "convergent" does not stop passes from merging equal calls of both
 * arms of a branch into one before or behind it, which other work-items reach, too; "nomerge" does. */
static bool keep_apart(struct text *out, const char *line, size_t length) {
  static const char attributes[] = "attributes #", convergent[] = " convergent ";
  const char *found = starts(line, length, attributes) ? find_in(line, length, convergent) : NULL;
  if (!found)
    return false;
  text_print(out, "%.*s nomerge%.*s\n", (int)(found - line), line, (int)(line + length - found), found);
  return true;
}

static const char ordered_mark[] = ", !warpwait.ordered !";

/* Where the type of what is accessed starts in "  %x = load T, T addrspace(3)* %p, align 4" or "  store T %x, ...".
 * NULL if the line is neither, or `word` does not come before the type. */
static const char *find_accessed(const char *line, size_t length, const char *word) {
  static const char load[] = " = load ", store[] = "  store ";
  const char *found = *line == ' ' ? find_in(line, length, load) : NULL;
  const char *at = starts(line, length, store) ? line + sizeof store - 1 : found ? found + sizeof load - 1 : NULL;
  return at && starts(at, (size_t)(line + length - at), word) ? at + strlen(word) : NULL;
}

/* Lanes of a warp run in lockstep, so one may read from the LDS what another wrote in the instruction before. LLVM only
 * sees that s[i] and s[i + 1] differ, and then moves or removes stores. It leaves volatile accesses in order. A
 * constant address is the same in all lanes and stays as it is. */
static bool order_local(struct text *out, const char *line, size_t length) {
  static const char local[] = " addrspace(3)*";
  const char *type = find_accessed(line, length, ""), *align = type ? find_in(line, length, ", align ") : NULL;
  const char *address = align;
  while (address && address > type && address[-1] != ' ')
    address--;
  if (!address || *address != '%' || address - type < (ptrdiff_t)sizeof local ||
      memcmp(address - sizeof local, local, sizeof local - 1) != 0 ||
      starts(type, (size_t)(align - type), "volatile ") || starts(type, (size_t)(align - type), "atomic "))
    return false;
  text_print(out, "%.*svolatile %.*s%s{}\n", (int)(type - line), line, (int)(line + length - type), type, ordered_mark);
  return true;
}

static bool prepare(struct text *out, const char *line, size_t length) {
  return add_widths(out, line, length) || keep_inline(out, line, length) || keep_apart(out, line, length) ||
         order_local(out, line, length);
}

/* Our passes know the order of the LDS, so what order_local() marked is no longer volatile. */
static bool drop_order(struct text *out, const char *line, size_t length) {
  static const char word[] = "volatile ";
  const char *type = find_accessed(line, length, word), *mark = type ? find_in(line, length, ordered_mark) : NULL;
  if (!mark)
    return false;
  const char *rest = mark + sizeof ordered_mark - 1;
  rest += strspn(rest, "0123456789");
  text_print(out, "%.*s%.*s%.*s\n", (int)(type - line - (ptrdiff_t)sizeof word + 1), line, (int)(mark - type), type,
             (int)(line + length - rest), rest);
  return true;
}

/* !opencl.ocl.version = !{!0, !4} */
static bool keep_first(struct text *out, const char *line, size_t length) {
  const char *comma = find_in(line, length, ",");
  if (!starts(line, length, "!opencl.ocl.version = !{") || !comma)
    return false;
  text_print(out, "%.*s}\n", (int)(comma - line), line);
  return true;
}

/* "  %x = freeze T %y, !dbg !1" */
struct freeze {
  const char *name, *type, *value, *rest; /* "%x", "T", "%y" and ", !dbg !1" */
  int name_length, type_length, value_length, rest_length;
};

/* The operand is the last word before metadata. A constant of several words, which ends with a bracket, stays: LLVM
 * never freezes one. */
static bool find_freeze(const char *line, size_t length, struct freeze *freeze) {
  static const char word[] = " = freeze ";
  const char *found = find_in(line, length, word), *end = line + length;
  if (!found || line[strspn(line, " ")] != '%')
    return false;
  freeze->name = line + strspn(line, " ");
  freeze->type = found + sizeof word - 1;
  freeze->rest = find_in(freeze->type, (size_t)(end - freeze->type), ", !");
  freeze->rest = freeze->rest ? freeze->rest : end;
  freeze->value = freeze->rest;
  while (freeze->value > freeze->type && freeze->value[-1] != ' ')
    freeze->value--;
  if (freeze->value == freeze->type || freeze->value == freeze->rest || strchr(">}])", freeze->rest[-1]))
    return false;
  freeze->name_length = (int)(found - freeze->name);
  freeze->type_length = (int)(freeze->value - 1 - freeze->type);
  freeze->value_length = (int)(freeze->rest - freeze->value);
  freeze->rest_length = (int)(end - freeze->rest);
  return true;
}

/* bitcast does not accept aggregates, so this extracts the first member, whose type must be one word, and inserts it
 * again. */
static bool rewrite_aggregate(struct text *out, const struct freeze *f) {
  const char *member = f->type + 1 + strspn(f->type + 1, " ");
  int length = (int)strcspn(member, ", }");
  const char *bare = f->name + 1;
  if (*f->type != '{' || !isalpha((unsigned char)*member) || *bare == '"')
    return false;
  text_print(out, "  %%freeze.%.*s = extractvalue %.*s %.*s, 0%.*s\n", f->name_length - 1, bare, f->type_length,
             f->type, f->value_length, f->value, f->rest_length, f->rest);
  text_print(out, "  %.*s = insertvalue %.*s %.*s, %.*s %%freeze.%.*s, 0%.*s\n", f->name_length, f->name,
             f->type_length, f->type, f->value_length, f->value, length, member, f->name_length - 1, bare,
             f->rest_length, f->rest);
  return true;
}

static bool rewrite_freeze(struct text *out, const char *line, size_t length) {
  struct freeze f;
  if (!find_freeze(line, length, &f))
    return false;
  if (strchr("{[%", *f.type) && f.type[f.type_length - 1] != '*')
    return rewrite_aggregate(out, &f);
  text_print(out, "  %.*s = bitcast %.*s %.*s to %.*s%.*s\n", f.name_length, f.name, f.type_length, f.type,
             f.value_length, f.value, f.type_length, f.type, f.rest_length, f.rest);
  return true;
}

static bool finish(struct text *out, const char *line, size_t length) {
  return drop_order(out, line, length) || rewrite_freeze(out, line, length);
}

/* Barriers and fences, and the strongest value of each argument, as opencl-c-base.h numbers them. */
enum { ALL_MEMORIES = 7, SEQ_CST = 5, DEVICE = 2, FENCE_ARGUMENTS = 3 };
static const struct {
  const char *call;
  int strongest[FENCE_ARGUMENTS];
} fences[] = {
    {" @_Z7barrierj(", {ALL_MEMORIES}},
    {" @_Z18work_group_barrierj(", {ALL_MEMORIES}},
    {" @_Z18work_group_barrierj12memory_scope(", {ALL_MEMORIES, DEVICE}},
    {" @_Z17sub_group_barrierj(", {ALL_MEMORIES}},
    {" @_Z17sub_group_barrierj12memory_scope(", {ALL_MEMORIES, DEVICE}},
    {" @_Z9mem_fencej(", {ALL_MEMORIES}},
    {" @_Z13read_mem_fencej(", {ALL_MEMORIES}},
    {" @_Z14write_mem_fencej(", {ALL_MEMORIES}},
    {" @_Z22atomic_work_item_fencej12memory_order12memory_scope(", {ALL_MEMORIES, SEQ_CST, DEVICE}},
};

/* "call spir_func void @_Z7barrierj(i32 noundef %flags) #2": an argument ends at a comma or bracket. */
static bool strengthen_fence(struct text *out, const char *line, size_t length) {
  const char *const end = line + length, *at = NULL;
  const int *strongest = NULL;
  for (size_t i = 0; !at && i < sizeof fences / sizeof *fences; i++) {
    const char *found = find_in(line, length, fences[i].call);
    at = found ? found + strlen(fences[i].call) : NULL;
    strongest = fences[i].strongest;
  }
  const char *close = at ? memchr(at, ')', (size_t)(end - at)) : NULL;
  if (!close || !find_in(line, length, "call ") || !memchr(at, '%', (size_t)(close - at)))
    return false;
  text_print(out, "%.*s", (int)(at - line), line);
  for (int i = 0; i < FENCE_ARGUMENTS && at < close; i++) {
    const char *comma = memchr(at, ',', (size_t)(close - at)), *stop = comma ? comma : close;
    const char *value = memchr(at, '%', (size_t)(stop - at));
    text_print(out, "%.*s", (int)((value ? value : stop) - at), at);
    if (value)
      text_print(out, "%d", strongest[i]);
    at = stop < close ? stop + 1 : stop;
    text_print(out, "%s", stop < close ? "," : "");
  }
  text_print(out, "%.*s\n", (int)(end - at), at);
  return true;
}

/* "  call void asm sideeffect "", "~{memory}"() #1" returns nothing and does nothing. */
static bool drop_assembly(const char *line, size_t length) {
  return find_in(line, length, "call void asm sideeffect \"\", ") != NULL;
}

/* "@_Z30atomic_compare_exchange_strongPU3AS4VU7_AtomicfPU3AS4ff(" for float or double, in calls and declarations. The
 * new name must have the same length as the old one, because the number before it is the length. */
static bool rename_compare_exchange(struct text *out, const char *line, size_t length) {
  static const char name[] = "atomic_compare_exchange_", known[] = "__ocl__compare_exchange_";
  const char *found = find_in(line, length, name);
  const size_t before = found ? (size_t)(found - line) : 0, symbol = found ? strcspn(found, "(\n") : 0;
  if (!found || !(find_in(found, symbol, "VU7_Atomicf") || find_in(found, symbol, "VU7_Atomicd")))
    return false;
  text_print(out, "%.*s%s%.*s\n", (int)before, line, known, (int)(length - before - strlen(name)),
             found + strlen(name));
  return true;
}

/* "bitcast (<1 x i64> <i64 5> to <2 x i32>)" */
struct reinterpretation {
  const char *value;
  int value_length;
  struct scalar {
    const char *name;
    unsigned bits;
    bool real;
  } from, to;
};

/* Moves *at behind the type that it starts with. */
static bool take_scalar(const char **at, struct scalar *scalar) {
  static const struct scalar all[] = {{"i8", 8, false},   {"i16", 16, false},  {"i32", 32, false},  {"i64", 64, false},
                                      {"half", 16, true}, {"float", 32, true}, {"double", 64, true}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strncmp(*at, all[i].name, strlen(all[i].name)) == 0) {
      *scalar = all[i];
      *at += strlen(all[i].name);
      return true;
    }
  return false;
}

static bool skip_word(const char **at, const char *word) {
  if (strncmp(*at, word, strlen(word)) != 0)
    return false;
  *at += strlen(word);
  return true;
}

/* Returns the position after the closing bracket, or NULL. The value is a number without blanks. */
static const char *read_reinterpretation(const char *at, struct reinterpretation *r) {
  struct scalar again;
  uint64_t count;
  if (!skip_word(&at, "bitcast (<1 x ") || !take_scalar(&at, &r->from) || !skip_word(&at, "> <") ||
      !take_scalar(&at, &again) || !skip_word(&at, " "))
    return NULL;
  r->value = at;
  at += strspn(at, "+-.0123456789ABCDEFHabcdefhx");
  r->value_length = (int)(at - r->value);
  if (!skip_word(&at, "> to <") || !text_read_whole(&at, &count) || !skip_word(&at, " x ") ||
      !take_scalar(&at, &r->to) || !skip_word(&at, ">)") || count * r->to.bits != r->from.bits)
    return NULL;
  return at;
}

/* trunc (i64 lshr (i64 5, i64 32) to i32): LLVM folds this when it reads it. */
static void print_bits(struct text *out, const struct reinterpretation *r, unsigned low) {
  text_print(out, "trunc (i%u lshr (i%u ", r->from.bits, r->from.bits);
  if (r->from.real)
    text_print(out, "bitcast (%s %.*s to i%u)", r->from.name, r->value_length, r->value, r->from.bits);
  else
    text_print(out, "%.*s", r->value_length, r->value);
  text_print(out, ", i%u %u) to i%u)", r->from.bits, low, r->to.bits);
}

/* The first element has the lowest bits. */
static void print_elements(struct text *out, const struct reinterpretation *r) {
  for (unsigned low = 0; low < r->from.bits; low += r->to.bits) {
    text_print(out, "%s%s %s", low ? ", " : "<", r->to.name, r->to.real ? "bitcast (" : "");
    if (r->to.real)
      text_print(out, "i%u ", r->to.bits);
    print_bits(out, r, low);
    if (r->to.real)
      text_print(out, " to %s)", r->to.name);
  }
  text_print(out, ">");
}

/* "store <2 x i32> bitcast (<1 x i64> <i64 5> to <2 x i32>), ...": as_uint2(5UL). SPIR-V has no vectors of one element.
 */
static bool spell_elements(struct text *out, const char *line, size_t length) {
  const char *const end = line + length, *rest = line;
  bool found = false;
  for (const char *at = line; (at = find_in(at, (size_t)(end - at), "bitcast (<1 x "));) {
    struct reinterpretation r;
    const char *behind = read_reinterpretation(at, &r);
    if (behind) {
      text_print(out, "%.*s", (int)(at - rest), rest);
      print_elements(out, &r);
      rest = behind;
      found = true;
    }
    at = behind ? behind : at + 1;
  }
  if (found)
    text_print(out, "%.*s\n", (int)(end - rest), rest);
  return found;
}

static bool say_otherwise(struct text *out, const char *line, size_t length) {
  return drop_assembly(line, length) || strengthen_fence(out, line, length) ||
         rename_compare_exchange(out, line, length) || spell_elements(out, line, length);
}

/* Writes each line as `change` does, or unchanged if that returns false. */
static char *rewrite_counting(const char *text, bool (*change)(struct text *out, const char *line, size_t length),
                              size_t *changed) {
  struct text out = {0};
  text_print(&out, "%s", "");
  for (const char *line = text; *line;) {
    size_t length = strcspn(line, "\n");
    if (change(&out, line, length))
      ++*changed;
    else
      text_print(&out, "%.*s\n", (int)length, line);
    line += length + (line[length] == '\n');
  }
  return out.data;
}

static char *rewrite(const char *text, bool (*change)(struct text *out, const char *line, size_t length)) {
  size_t changed = 0;
  return rewrite_counting(text, change, &changed);
}

char *llvm_text_for_passes(const char *text) { return rewrite(text, prepare); }

char *llvm_text_for_spirv(const char *text) { return rewrite(text, finish); }

char *llvm_text_of_one_version(const char *text) { return rewrite(text, keep_first); }

char *llvm_text_for_translator(const char *text) {
  size_t changed = 0;
  char *made = rewrite_counting(text, say_otherwise, &changed);
  if (changed)
    return made;
  free(made);
  return NULL;
}
