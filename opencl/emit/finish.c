/* Generates the code: instructions with their registers, parallel copies in an order that overwrites nothing before it
 * is read, and as few branches as the block order allows.
 *
 * Branches bypass empty blocks that only lead on. An edge to a block that only ends becomes an `exit`, guarded if the
 * other side follows. Joins come from cfg_joins() on the finished code. */
#include "isa/cfg.h"
#include "opencl/emit/moves.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

#include <stdlib.h>
#include <string.h>

struct finish {
  struct machine_function *m;
  struct code code;
  struct moves *moves;
  uint32_t *start;      /* by block: its first instruction */
  bool *skipped, *ends; /* by block: it is empty and leads on, or is empty and ends */
};

/* ---- instructions ------------------------------------------------------------------------------------- */

void code_add(struct code *code, struct isa_inst inst, struct ir_place place) {
  *vector_next(code->at, code->count, code->room) = (struct code_inst){inst, place, 0};
}

static uint8_t field(const struct machine_function *m, uint32_t vreg) {
  return vreg ? (uint8_t)machine_place(m, vreg) : ISA_NO_REGISTER;
}

static uint64_t imm_of(const struct machine_function *m, const struct machine_inst *inst) {
  const char *letters = isa_formats[isa_rows[inst->op].format].operands;
  uint64_t imm = inst->imm;
  if (inst->memory)
    imm += code_spill_base(m) + 4 * (uint64_t)machine_place(m, inst->memory);
  if (strchr(letters, 't') && inst->count)
    imm |= (uint64_t)field(m, m->list[inst->list]) << COPY_STRIDE_SHIFT;
  if (strpbrk(letters, "wsS")) {
    imm = UINT64_MAX;
    for (uint32_t i = 0; i < inst->count; i++)
      imm ^= (uint64_t)(ISA_NO_REGISTER ^ field(m, m->list[inst->list + i])) << 8 * i;
  }
  return imm;
}

static void instruction(struct finish *f, const struct machine_inst *inst) {
  const struct machine_function *m = f->m;
  struct isa_inst out = {.op = inst->op,
                         .flags = inst->flags,
                         .d = field(m, inst->d),
                         .a = field(m, inst->a),
                         .b = field(m, inst->b),
                         .c = field(m, inst->c),
                         .imm = imm_of(m, inst)};
  if (inst->guard)
    out.guard = (uint8_t)(1 + 2 * field(m, inst->guard) + inst->guard_not);
  code_add(&f->code, out, inst->place);
  f->code.at[f->code.count - 1].order = inst->order;
}

static void fill(struct finish *f, const struct machine_block *block) {
  for (uint32_t i = 0; i < block->count; i++)
    if (block->inst[i].op == MACHINE_COPY)
      moves_emit(f->moves, &block->inst[i], block->first + i, &f->code);
    else
      instruction(f, &block->inst[i]);
}

/* ---- branches ----------------------------------------------------------------------------------------- */

static bool is_empty(const struct finish *f, const struct machine_block *block) {
  for (uint32_t i = 0; i < block->count; i++)
    if (block->inst[i].op != MACHINE_COPY || !moves_are_none(f->m, &block->inst[i]))
      return false;
  return true;
}

/* Does a path of empty blocks lead from `block` back to it? */
static bool goes_round(const struct finish *f, const bool *empty, uint32_t block) {
  uint32_t at = f->m->block[block].to[0], steps = 0;
  while (at != block && empty[at] && f->m->block[at].end == IR_END_GOTO && steps++ < f->m->blocks)
    at = f->m->block[at].to[0];
  return at == block;
}

static void find_skipped(struct finish *f) {
  struct machine_function *m = f->m;
  bool *empty = need(m->blocks, sizeof *empty);
  for (uint32_t i = 0; i < m->ordered; i++)
    empty[m->order[i]] = is_empty(f, &m->block[m->order[i]]);
  for (uint32_t i = 0; i < m->ordered; i++) {
    const uint32_t at = m->order[i];
    f->skipped[at] = empty[at] && m->block[at].end == IR_END_GOTO && !goes_round(f, empty, at);
    f->ends[at] = empty[at] && m->block[at].end == IR_END_EXIT;
  }
  free(empty);
}

static uint32_t target(const struct finish *f, uint32_t block) {
  while (f->skipped[block])
    block = f->m->block[block].to[0];
  return block;
}

/* `imm` is a block's number until all blocks are placed. */
static void branch(struct finish *f, uint32_t to, uint8_t guard, struct ir_place place) {
  code_add(&f->code,
           (struct isa_inst){ISA_BRA, guard, 0, ISA_NO_REGISTER, ISA_NO_REGISTER, ISA_NO_REGISTER, ISA_NO_REGISTER, to},
           place);
}

static void emit_exit(struct finish *f, uint8_t guard, struct ir_place place) {
  code_add(&f->code,
           (struct isa_inst){ISA_EXIT, guard, 0, ISA_NO_REGISTER, ISA_NO_REGISTER, ISA_NO_REGISTER, ISA_NO_REGISTER, 0},
           place);
}

/* Position in the order of the next block that is not skipped. Blocks that only end count only if `ends`. */
static uint32_t next_of(const struct finish *f, uint32_t at, bool ends) {
  for (at++; at < f->m->ordered; at++)
    if (!f->skipped[f->m->order[at]] && (ends || !f->ends[f->m->order[at]]))
      break;
  return at;
}

static bool is_at(const struct finish *f, uint32_t at, uint32_t block) {
  return at < f->m->ordered && f->m->order[at] == block;
}

/* Emits an unconditional branch or exit if one is needed. Returns the position to continue at. */
static uint32_t emit_branch(struct finish *f, uint32_t at, uint32_t to, struct ir_place place) {
  const uint32_t next = next_of(f, at, false), next_end = next_of(f, at, true);
  if (f->ends[to]) {
    if (next_end < next)
      return next_end;
    emit_exit(f, 0, place);
  } else if (!is_at(f, next, to)) {
    branch(f, to, 0, place);
  }
  return next;
}

static uint32_t choose(struct finish *f, uint32_t at, const struct machine_block *block) {
  uint32_t yes = target(f, block->to[0]), no = target(f, block->to[1]);
  const uint32_t next = next_of(f, at, false);
  bool not = block->condition_not;
  if (yes == no || (f->ends[yes] && f->ends[no]))
    return emit_branch(f, at, yes, block->place);
  /* Makes `no` the side that needs no branch or, if both need one, the side that is taken less often. */
  if (is_at(f, next, yes) ||
      (!is_at(f, next, no) && (f->ends[yes] || (!f->ends[no] && f->m->block[yes].depth < f->m->block[no].depth)))) {
    const uint32_t old = yes;
    yes = no;
    no = old;
    not = !not ;
  }
  const uint8_t guard = (uint8_t)(1 + 2 * machine_place(f->m, block->condition) + not );
  if (f->ends[yes])
    emit_exit(f, guard, block->place);
  else
    branch(f, yes, guard, block->place);
  return emit_branch(f, at, no, block->place);
}

static void blocks(struct finish *f) {
  struct machine_function *m = f->m;
  uint32_t at = f->skipped[m->order[0]] ? next_of(f, 0, false) : 0;
  const uint32_t first = target(f, m->order[0]);
  if (f->ends[first])
    emit_exit(f, 0, m->block[first].place);
  else if (!is_at(f, at, first))
    branch(f, first, 0, m->block[first].place);
  if (f->ends[first])
    return;
  while (at < m->ordered) {
    const struct machine_block *block = &m->block[m->order[at]];
    f->start[m->order[at]] = f->code.count;
    fill(f, block);
    if (block->end == IR_END_IF) {
      at = choose(f, at, block);
    } else if (block->end == IR_END_GOTO) {
      at = emit_branch(f, at, target(f, block->to[0]), block->place);
    } else {
      emit_exit(f, 0, block->place);
      at = next_of(f, at, false);
    }
  }
}

/* ---- the program -------------------------------------------------------------------------------------- */

/* Instructions that passes made from nothing, such as a variable's first value, get the place of the instruction
 * before; at the start of the kernel, of the one after. */
static void fill_places(struct code *code) {
  struct ir_place known = {0};
  for (uint32_t i = 0; i < code->count && !known.line; i++)
    known = code->at[i].place;
  for (uint32_t i = 0; i < code->count; i++)
    known = code->at[i].place = code->at[i].place.line ? code->at[i].place : known;
}

static void fill_program(struct isa_program *program, const struct finish *f) {
  const struct code *code = &f->code;
  program->code = need(code->count, sizeof *program->code);
  program->info = need(code->count, sizeof *program->info);
  program->line = need(code->count, sizeof *program->line);
  program->column = need(code->count, sizeof *program->column);
  program->source = need(code->count, sizeof *program->source);
  program->order = need(code->count, sizeof *program->order);
  for (uint32_t i = 0; i < code->count; i++) {
    program->code[i] = code->at[i].inst;
    if (code->at[i].inst.op == ISA_BRA)
      isa_branch_set(&program->code[i], f->start[code->at[i].inst.imm], ISA_NEVER);
    program->line[i] = code->at[i].place.line;
    program->column[i] = code->at[i].place.column;
    program->source[i] = code->at[i].place.source;
    program->order[i] = code->at[i].order;
  }
  program->count = code->count;
}

static void set_joins(struct isa_program *program) {
  uint32_t *join = need(program->count, sizeof *join), depth;
  cfg_joins(program->code, 0, program->count, join, &depth);
  for (uint32_t pc = 0; pc < program->count; pc++)
    if (program->code[pc].op == ISA_BRA)
      isa_branch_set(&program->code[pc], isa_branch_target(&program->code[pc]), join[pc]);
  free(join);
}

void machine_finish(struct machine_function *m, struct isa_program *program) {
  struct finish f = {.m = m, .moves = moves_new(m)};
  f.start = need(m->blocks, sizeof *f.start);
  f.skipped = need(m->blocks, sizeof *f.skipped);
  f.ends = need(m->blocks, sizeof *f.ends);
  find_skipped(&f);
  blocks(&f);
  fill_places(&f.code);
  fill_program(program, &f);
  set_joins(program);
  moves_free(f.moves);
  free(f.code.at);
  free(f.start);
  free(f.skipped);
  free(f.ends);
}
