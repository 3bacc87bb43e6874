/* Assembles source to a program: lines, labels, guards, and what happens at the end of a kernel. */
#include "isa/asm/asm.h"
#include "isa/asm/assembler.h"
#include "isa/cfg.h"
#include "isa/ops.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors ------------------------------------------------------------------------------------- */

/* What a message shows of the offending text: a limited length, and nothing that upsets a terminal. */
static void quote(struct token at, char text[48]) {
  enum { MOST = 40 };
  const size_t length = at.length < MOST ? at.length : MOST;
  for (size_t i = 0; i < length; i++)
    text[i] = at.text[i] >= ' ' && at.text[i] <= '~' ? at.text[i] : '?';
  strcpy(text + length, at.length > MOST ? "..." : "");
}

static bool fail_at(struct assembler *as, struct token at, const char *suggestion, const char *what) {
  char quoted[48] = "the end of the line";
  const char *mark = at.kind == TOKEN_END ? "" : "'";
  if (at.kind != TOKEN_END)
    quote(at, quoted);
  snprintf(as->error->text, sizeof as->error->text, "%.200s:%u:%u: %s %s%s%s%s%s", as->file, at.line, at.column, what,
           mark, quoted, mark, suggestion ? "; " : "", suggestion ? suggestion : "");
  return false;
}

bool fail(struct assembler *as, struct token at, const char *suggestion, const char *format, ...) {
  char what[160];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  return fail_at(as, at, suggestion, what);
}

bool fail_nearest(struct assembler *as, struct token at, const char *nearest, const char *format, ...) {
  char what[160], suggestion[96];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  snprintf(suggestion, sizeof suggestion, "did you mean '%.64s'?", nearest ? nearest : "");
  return fail_at(as, at, nearest ? suggestion : NULL, what);
}

bool expect_sign(struct assembler *as, char sign) {
  return lexer_take_sign(&as->lexer, sign) || fail(as, as->lexer.next, NULL, "expected '%c' instead of", sign);
}

/* ---- names -------------------------------------------------------------------------------------- */

const struct symbol *find_name(const struct assembler *as, const char *name, size_t length) {
  const struct symbol *symbol = as->scope ? symbols_find(&as->symbols, as->scope, name, length) : NULL;
  return symbol ? symbol : symbols_find(&as->symbols, SCOPE_PROGRAM, name, length);
}

bool declare(struct assembler *as, struct token name, struct symbol symbol) {
  if (name.kind != TOKEN_WORD || !isa_is_name(name.text, name.length))
    return fail(as, name, "a name is letters, digits and '_', and not r0 or p0", "bad name");
  if (find_name(as, name.text, name.length))
    return fail(as, name, "names are unique in a kernel", "this name is already defined:");
  symbol.scope = as->scope;
  symbols_add(&as->symbols, name.text, name.length, symbol);
  return true;
}

static bool add_label(struct assembler *as, struct token name) {
  const uint32_t scope = SCOPE_LABELS + as->scope;
  if (!as->scope)
    return fail(as, name, "start one with .kernel NAME", "label outside a kernel:");
  if (name.length > ISA_LONGEST_NAME || memchr(name.text, '.', name.length))
    return fail(as, name, "a name is letters, digits and '_'", "bad label");
  if (symbols_find(&as->symbols, scope, name.text, name.length))
    return fail(as, name, NULL, "this label is already defined:");
  const struct symbol symbol = {.scope = scope, .kind = SYMBOL_LABEL, .value = as->program->count};
  symbols_add(&as->symbols, name.text, name.length, symbol);
  return true;
}

static void add_mnemonics(struct assembler *as) {
  for (uint32_t op = 0; op < ISA_OPS; op++) {
    const char *name = isa_rows[op].mnemonic;
    const struct symbol symbol = {.scope = SCOPE_OPS, .kind = SYMBOL_OP, .value = op};
    symbols_add(&as->symbols, name, strlen(name), symbol);
  }
}

/* ---- kernels ------------------------------------------------------------------------------------ */

bool begin_kernel(struct assembler *as) {
  if (as->scope && !end_kernel(as))
    return false;
  struct isa_program *program = as->program;
  const struct token name = lexer_take(&as->lexer);
  if (name.kind != TOKEN_WORD || !isa_is_name(name.text, name.length))
    return fail(as, name, "write .kernel NAME", "bad kernel name:");
  for (size_t i = 0; i < program->kernel_count; i++)
    if (token_is(name, program->kernels[i].name))
      return fail(as, name, NULL, "this kernel is already defined:");
  if (program->kernel_count == ISA_MOST_KERNELS)
    return fail(as, name, NULL, "more than %d kernels at", ISA_MOST_KERNELS);
  program->kernels = need_more(program->kernels, program->kernel_count + 1, sizeof *program->kernels);
  program->kernels[program->kernel_count++] =
      (struct isa_kernel){.name = need_bytes(name.text, name.length), .entry = program->count};
  as->scope = (uint32_t)program->kernel_count;
  as->kernel_name = name;
  as->registers = as->predicates = as->bare_registers = as->bare_predicates = as->registers_wanted = 0;
  as->fixup_count = 0;
  return true;
}

static bool resolve(struct assembler *as, struct token label, uint32_t *pc) {
  const uint32_t scope = SCOPE_LABELS + as->scope;
  const struct symbol *symbol = symbols_find(&as->symbols, scope, label.text, label.length);
  if (symbol && symbol->value == as->program->count)
    return fail(as, label, "put an exit there", "no instruction follows the label");
  if (symbol) {
    *pc = symbol->value;
    return true;
  }
  char name[64];
  snprintf(name, sizeof name, "%.*s", label.length < 60 ? (int)label.length : 60, label.text);
  return fail_nearest(as, label, symbols_nearest(&as->symbols, scope, false, 1u << SYMBOL_LABEL, name),
                      "unknown label");
}

/* A join that the source names must be the computed one: the bound of the stack depends on it. */
static bool set_join(struct assembler *as, const struct fixup *fixup, const uint32_t *join) {
  struct isa_inst *inst = &as->program->code[fixup->pc];
  const uint32_t right = join[fixup->pc - current_kernel(as)->entry];
  inst->imm |= (uint64_t)right << 32;
  if (fixup->join.kind == TOKEN_END)
    return true;
  uint32_t written = ISA_NEVER;
  if (!token_is(fixup->join, "never") && !resolve(as, fixup->join, &written))
    return false;
  if (written == right)
    return true;
  char suggestion[64] = "they never meet: join=never";
  if (right != ISA_NEVER)
    snprintf(suggestion, sizeof suggestion, "they meet at line %u", as->program->line[right]);
  return fail(as, fixup->join, suggestion, "the sides of this branch do not meet at");
}

static bool set_branches(struct assembler *as) {
  const struct isa_kernel *kernel = current_kernel(as);
  for (size_t i = 0; i < as->fixup_count; i++) {
    uint32_t target = 0;
    if (!resolve(as, as->fixups[i].target, &target))
      return false;
    as->program->code[as->fixups[i].pc].imm = target;
  }
  uint32_t *join = need(kernel->end - kernel->entry, sizeof *join), depth = 0;
  cfg_joins(as->program->code, kernel->entry, kernel->end, join, &depth);
  bool good = true;
  for (size_t i = 0; good && i < as->fixup_count; i++)
    good = set_join(as, &as->fixups[i], join);
  free(join);
  return good;
}

bool end_kernel(struct assembler *as) {
  struct isa_program *program = as->program;
  struct isa_kernel *kernel = current_kernel(as);
  kernel->end = program->count;
  const struct isa_inst *last = kernel->end > kernel->entry ? &program->code[kernel->end - 1] : NULL;
  if (!last || last->guard || (last->op != ISA_EXIT && last->op != ISA_BRA))
    return fail(as, as->kernel_name, "it would run past its end", "kernel must end in exit or an unguarded bra:");
  uint32_t registers = as->registers > as->bare_registers ? as->registers : as->bare_registers;
  registers = registers > as->registers_wanted ? registers : as->registers_wanted;
  kernel->registers = registers ? registers : 1;
  return set_branches(as);
}

/* ---- lines -------------------------------------------------------------------------------------- */

static void add_instruction(struct assembler *as, const struct isa_inst *inst, uint32_t line, uint32_t column) {
  struct isa_program *program = as->program;
  const uint32_t pc = program->count++;
  program->code = vector_room(program->code, &as->code_room, program->count, sizeof *program->code);
  program->line = vector_room(program->line, &as->line_room, program->count, sizeof *program->line);
  program->column = vector_room(program->column, &as->column_room, program->count, sizeof *program->column);
  program->code[pc] = *inst;
  program->line[pc] = line;
  program->column[pc] = column <= UINT16_MAX ? (uint16_t)column : 0;
}

static bool guard(struct assembler *as, struct isa_inst *inst) {
  if (!lexer_take_sign(&as->lexer, '@'))
    return true;
  const bool negated = lexer_take_sign(&as->lexer, '!');
  uint8_t predicate = 0;
  if (!take_predicate(as, &predicate))
    return false;
  inst->guard = (uint8_t)(1 + 2 * predicate + negated);
  return true;
}

static bool unknown_operation(struct assembler *as, struct token name) {
  char text[64];
  snprintf(text, sizeof text, "%.*s", name.length < 60 ? (int)name.length : 60, name.text);
  return fail_nearest(as, name, symbols_nearest(&as->symbols, SCOPE_OPS, false, 1u << SYMBOL_OP, text),
                      "unknown operation");
}

static bool instruction(struct assembler *as) {
  struct isa_inst inst = {.d = ISA_NO_REGISTER, .a = ISA_NO_REGISTER, .b = ISA_NO_REGISTER, .c = ISA_NO_REGISTER};
  if (!as->scope)
    return fail(as, as->lexer.next, "start one with .kernel NAME", "instruction outside a kernel:");
  const uint32_t column = as->lexer.next.column;
  if (!guard(as, &inst))
    return false;
  const struct token name = lexer_take(&as->lexer);
  if (name.kind != TOKEN_WORD)
    return fail(as, name, NULL, "expected an operation instead of");
  const struct symbol *op = symbols_find(&as->symbols, SCOPE_OPS, name.text, name.length);
  if (!op)
    return unknown_operation(as, name);
  inst.op = (uint16_t)op->value;
  if (as->program->count == ISA_MOST_INSTRUCTIONS)
    return fail(as, name, NULL, "more than %d instructions at", ISA_MOST_INSTRUCTIONS);
  if (!take_operands(as, &isa_rows[inst.op], as->program->count, &inst))
    return false;
  add_instruction(as, &inst, name.line, column);
  return true;
}

/* Whether the next token is a label: a word directly followed by a colon. */
static bool at_label(const struct lexer *lexer) {
  if (lexer->next.kind != TOKEN_WORD)
    return false;
  struct lexer ahead = *lexer;
  lexer_take(&ahead);
  return token_is_sign(ahead.next, ':');
}

static bool line(struct assembler *as) {
  struct lexer *lexer = &as->lexer;
  while (at_label(lexer)) {
    const struct token name = lexer_take(lexer);
    lexer_take(lexer);
    if (!add_label(as, name))
      return false;
  }
  if (lexer->next.kind == TOKEN_END)
    return true;
  const bool is_directive = lexer->next.kind == TOKEN_WORD && lexer->next.text[0] == '.';
  if (is_directive ? !directive(as, lexer_take(lexer)) : !instruction(as))
    return false;
  return lexer->next.kind == TOKEN_END || fail(as, lexer->next, NULL, "too much on this line:");
}

/* ---- the whole source --------------------------------------------------------------------------- */

static bool lines(struct assembler *as, const char *text, size_t length) {
  struct isa_source *source = as->program->sources;
  const char *end = text + length;
  for (const char *at = text; at < end;) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    const size_t bytes = (size_t)((newline ? newline : end) - at);
    source->text[source->lines++] = need_bytes(at, bytes);
    lexer_start(&as->lexer, at, bytes, source->lines);
    if (!line(as))
      return false;
    at += bytes + 1;
  }
  if (as->scope)
    return end_kernel(as);
  snprintf(as->error->text, sizeof as->error->text, "%.200s:%u:1: the file has no kernel; start one with .kernel NAME",
           as->file, source->lines ? source->lines : 1);
  return false;
}

static uint32_t count_lines(const char *text, size_t length) {
  const char *end = text + length;
  uint32_t count = 1;
  while (text < end && (text = memchr(text, '\n', (size_t)(end - text)))) {
    text++;
    count++;
  }
  return count;
}

/* The one source file: the text itself. */
static void add_source(struct assembler *as, const char *text, size_t length) {
  struct isa_program *program = as->program;
  program->sources = need(1, sizeof *program->sources);
  program->source_count = 1;
  program->sources->name = need_copy(as->file);
  program->sources->text = need(count_lines(text, length), sizeof *program->sources->text);
}

static bool assemble(struct assembler *as, const char *text, size_t length) {
  if (length > UINT32_MAX / 2) {
    snprintf(as->error->text, sizeof as->error->text, "%.200s: the source is larger than 2 GiB", as->file);
    return false;
  }
  struct isa_program *program = as->program;
  lexer_start(&as->lexer, text, 0, 1);
  add_source(as, text, length);
  add_mnemonics(as);
  if (!lines(as, text, length))
    return false;
  program->info = need(program->count, sizeof *program->info);
  program->source = need(program->count, sizeof *program->source);
  return isa_validate(program, as->error);
}

struct isa_program *isa_assemble(const char *text, size_t length, const char *file, struct isa_error *error) {
  struct assembler as = {.error = error, .file = file, .program = isa_program_new(file)};
  const bool good = assemble(&as, text, length);
  symbols_free(&as.symbols);
  free(as.fixups);
  if (good)
    return as.program;
  isa_program_free(as.program);
  return NULL;
}
