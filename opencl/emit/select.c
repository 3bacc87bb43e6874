/* From SSA values to runs of vregs.
 *
 * Every value is a list of words, each a vreg, a constant, or undefined. Taking words out of a pair and joining them
 * are matters of naming: only if an instruction needs words side by side that are not, are they copied into a new run,
 * once per IR_JOIN. The work goes backward first (wanted.c), then forward block by block, and last to the phis
 * (phis.c).
 *
 * Constants become immediates where the instruction has room; constants.c makes the others. A predicate's complement
 * costs no instruction if a guard, a branch, a select or and-not takes it. */
#include "opencl/emit/select.h"
#include "opencl/emit/machine.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

#include <stdlib.h>
#include <string.h>

/* ---- values --------------------------------------------------------------------------------------- */

uint32_t select_width_words(enum ir_width width) {
  static const uint8_t words[] = {[IR_NOTHING] = 0, [IR_PRED] = 1, [IR_W1] = 1, [IR_W2] = 2, [IR_W4] = 4};
  return words[width];
}

static enum vreg_kind width_kind(enum ir_width width) { return width == IR_PRED ? VREG_PRED : VREG_WORD; }

/* Gives constants their words, because no instruction does. */
static void know_constants(struct select *s) {
  for (ir_ref ref = 1; ref < s->ir->count; ref++) {
    const struct ir_inst *inst = &s->ir->inst[ref];
    const uint64_t imm = inst->op == IR_SLOT ? s->slot[inst->imm] : inst->imm;
    for (uint32_t i = 0; i < select_width_words(inst->width) && (inst->op == IR_CONST || inst->op == IR_SLOT); i++)
      select_words(s, ref)[i] = (struct word){WORD_CONST, i < 2 ? (uint32_t)(imm >> 32 * i) : 0};
  }
}

static void define(struct select *s, ir_ref ref, uint32_t head) {
  const struct ir_inst *inst = &s->ir->inst[ref];
  for (uint32_t i = 0; i < select_width_words(inst->width); i++)
    select_words(s, ref)[i] = (struct word){WORD_VREG, head + i};
}

static uint32_t define_run(struct select *s, ir_ref ref) {
  const struct ir_inst *inst = &s->ir->inst[ref];
  const uint32_t head = machine_run(s->m, width_kind(inst->width), select_width_words(inst->width));
  define(s, ref, head);
  return head;
}

/* ---- operands in registers --------------------------------------------------------------------------- */

static bool side_by_side(struct select *s, const struct word *word, uint32_t words) {
  for (uint32_t i = 0; i < words; i++)
    if (word[i].is != WORD_VREG || word[i].what != word[0].what + i ||
        machine_head(s->m, word[i].what) != machine_head(s->m, word[0].what))
      return false;
  return true;
}

void select_move(struct select *s, struct machine_inst *copy, uint32_t to, struct word from) {
  machine_move(s->m, copy,
               (struct machine_move){.to = to,
                                     .from = from.is == WORD_VREG ? from.what : 0,
                                     .value = from.is == WORD_CONST ? from.what : 0,
                                     .undefined = from.is == WORD_ANY});
}

/* Copies these words into a new run. */
static uint32_t gather(struct select *s, const struct word *word, uint32_t words) {
  const uint32_t head = machine_run(s->m, VREG_WORD, words);
  struct machine_inst copy = {.op = MACHINE_COPY, .place = s->place};
  for (uint32_t i = 0; i < words; i++) {
    if (word[i].is != WORD_ANY)
      select_move(s, &copy, head + i, word[i]);
    if (word[i].is == WORD_VREG)
      s->m->vreg[head + i].same = s->m->vreg[word[i].what].same;
  }
  if (copy.count) /* words with any value need no move */
    machine_append(&s->m->block[s->at], &copy);
  return head;
}

static uint32_t in_registers(struct select *s, ir_ref ref, enum vreg_kind kind, uint32_t words) {
  static const struct word anything[4] = {{0}};
  const struct word *word = ref ? select_words(s, ref) : anything;
  uint64_t imm;
  if (side_by_side(s, word, words))
    return word[0].what;
  if (words == 1 && word[0].is == WORD_ANY)
    return machine_run(s->m, kind, 1);
  if (select_constant(s, ref, words, &imm))
    return select_constant_vreg(s, imm, kind, words);
  return gather(s, word, words);
}

/* ---- instructions ------------------------------------------------------------------------------------ */

static enum vreg_kind type_kind(uint8_t type) { return type == TYPE_PRED ? VREG_PRED : VREG_WORD; }
static uint32_t type_words(uint8_t type) { return type == TYPE_PRED ? 1 : isa_types[type].registers; }

static bool immediate_fits(uint64_t imm, uint8_t type) { return type != TYPE_F16 || imm <= UINT16_MAX; }

static const uint8_t immediate_flags[3] = {ISA_FLAG_IMM_A, ISA_FLAG_IMM_B, ISA_FLAG_IMM_C};

static uint32_t *field_of(struct machine_inst *inst, uint32_t position) {
  uint32_t *const fields[3] = {&inst->a, &inst->b, &inst->c};
  return fields[position];
}

/* Operand a, b or c of an instruction that may have one immediate among them. */
static void source(struct select *s, struct machine_inst *out, ir_ref ref, uint32_t position, uint8_t type) {
  uint64_t imm;
  if (type == TYPE_NONE)
    return;
  if (!out->flags && select_constant(s, ref, type_words(type), &imm) && immediate_fits(imm, type)) {
    out->flags |= immediate_flags[position];
    out->imm |= imm; /* the high half may hold a pipe */
    return;
  }
  *field_of(out, position) = in_registers(s, ref, type_kind(type), type_words(type));
}

/* [register + imm] in a space of 32-bit addresses. */
static void short_address(struct select *s, struct machine_inst *out, ir_ref ref) {
  uint64_t offset = 0;
  if (ref && !select_constant(s, ref, 1, &offset))
    out->a = in_registers(s, ref, VREG_WORD, 1);
  out->imm = (uint32_t)(out->imm + offset);
}

static void index_of(struct select *s, struct machine_inst *out, ir_ref ref, bool has_imm) {
  uint64_t offset = 0;
  if (ref && has_imm && select_constant(s, ref, 1, &offset))
    out->imm += offset;
  else if (ref)
    out->b = in_registers(s, ref, VREG_WORD, 1);
}

/* Packs a number of a copy into imm at `shift`, if it fits. */
static bool packs(struct select *s, struct machine_inst *out, ir_ref ref, uint64_t most, unsigned shift, uint8_t flag) {
  uint64_t number;
  if (!select_constant(s, ref, 1, &number) || number > most)
    return false;
  out->imm |= number << shift;
  out->flags |= flag;
  return true;
}

static void add_to_list(struct select *s, struct machine_inst *out, uint32_t vreg) {
  struct machine_function *m = s->m;
  if (!out->count)
    out->list = m->lists;
  *vector_next(m->list, m->lists, m->list_room) = vreg;
  out->count++;
}

static void stride_of(struct select *s, struct machine_inst *out, ir_ref ref) {
  if (!ref) { /* contiguous elements */
    out->imm |= UINT64_C(1) << COPY_STRIDE_SHIFT;
    out->flags |= ISA_FLAG_IMM_STRIDE;
  } else if (!packs(s, out, ref, COPY_MOST_STRIDE, COPY_STRIDE_SHIFT, ISA_FLAG_IMM_STRIDE)) {
    add_to_list(s, out, in_registers(s, ref, VREG_WORD, 1));
  }
}

/* Up to `most` operands from position `first` on, in registers that imm will name; a list may be shorter. Undefined
 * operands are 0, so that a wait for an undefined event fails the same way each time. */
static void listed(struct select *s, struct machine_inst *out, const struct folded *f, uint32_t first, uint32_t most) {
  for (uint32_t i = first; i < first + most && i < f->count && f->operand[i]; i++) {
    const bool made = s->ir->inst[f->operand[i]].op != IR_UNDEF;
    add_to_list(s, out, made ? in_registers(s, f->operand[i], VREG_WORD, 1) : select_constant_vreg(s, 0, VREG_WORD, 1));
  }
}

static void operand(struct select *s, struct machine_inst *out, const struct isa_row *row, char letter,
                    const struct folded *f) {
  switch (letter) {
  case 'a':
    source(s, out, f->operand[0], 0, row->a);
    break;
  case 'b':
    source(s, out, f->operand[1], 1, row->b);
    break;
  case 'c':
    source(s, out, f->operand[2], 2, row->c);
    break;
  case 'B':
    out->b = in_registers(s, f->operand[1], type_kind(row->b), type_words(row->b));
    break;
  case 'C':
    out->c = in_registers(s, f->operand[2], type_kind(row->c), type_words(row->c));
    break;
  case 'G':
    out->a = in_registers(s, f->operand[0], VREG_WORD, 2);
    index_of(s, out, f->operand[1], true);
    break;
  case 'I':
    out->a = in_registers(s, f->operand[0], VREG_WORD, 2);
    index_of(s, out, f->operand[1], false);
    break;
  case 'H':
  case 'P':
  case 'i':
    out->a = in_registers(s, f->operand[0], VREG_WORD, 2);
    break;
  case 'L':
    short_address(s, out, f->operand[0]);
    break;
  case 'f':
    out->imm = (uint32_t)out->imm | s->ir->inst[f->operand[1]].imm << 32;
    break;
  case 'l':
    if (!packs(s, out, f->operand[0], COPY_MOST_LDS, COPY_LDS_SHIFT, ISA_FLAG_IMM_A))
      out->a = in_registers(s, f->operand[0], VREG_WORD, 1);
    break;
  case 'g':
    out->b = in_registers(s, f->operand[1], VREG_WORD, 2);
    break;
  case 'n':
    if (!packs(s, out, f->operand[2], COPY_MOST_COUNT, COPY_COUNT_SHIFT, ISA_FLAG_IMM_C))
      out->c = in_registers(s, f->operand[2], VREG_WORD, 1);
    break;
  case 't':
    stride_of(s, out, f->operand[3]);
    break;
  case 'r':
    out->a = in_registers(s, f->operand[0], VREG_WORD, 1);
    break;
  case 's':
  case 'S':
    listed(s, out, f, IR_COPY_SIZE, 1);
    listed(s, out, f, IR_COPY_LINES, isa_operand(letter)->listed - 1u);
    break;
  case 'N':
    out->c = in_registers(s, f->operand[IR_WAIT_COUNT], VREG_WORD, 1);
    break;
  case 'w':
    listed(s, out, f, 0, ISA_WAIT_EVENTS);
    break;
  default:
    break;
  }
}

/* Copies the old value into the result register of an instruction that also reads it. */
static void tie(struct select *s, struct machine_inst *out, ir_ref before) {
  struct machine_inst copy = {.op = MACHINE_COPY, .place = s->place};
  for (uint32_t i = 0; i < s->m->vreg[out->d].words; i++)
    select_move(s, &copy, out->d + i, select_words(s, before)[i]);
  machine_append(&s->m->block[s->at], &copy);
  out->tied = true;
}

static void result(struct select *s, struct machine_inst *out, ir_ref ref, ir_ref before) {
  const struct isa_row *row = &isa_rows[out->op];
  if (row->d == TYPE_NONE || (!s->value[ref].wanted && strchr(isa_formats[row->format].operands, 'D')))
    return;
  out->d = define_run(s, ref);
  if (before)
    tie(s, out, before);
}

static uint64_t imm_of(const struct ir_inst *inst, const struct isa_row *row) {
  if (row->class_ == ISA_CLASS_COPY)
    return inst->imm ? (unsigned)__builtin_ctzll(inst->imm) : 0;
  if (isa_has_high_number((enum isa_format)row->format))
    return inst->imm << 32;
  return strpbrk(isa_formats[row->format].operands, "xoGHL") ? inst->imm : 0;
}

static bool made_of_nothing(const struct isa_row *row) {
  return row->format == FORMAT_QUERY || row->format == FORMAT_QUERY_AXIS || row->format == FORMAT_LOAD_ARG;
}

static void instruction(struct select *s, ir_ref ref) {
  const struct ir_inst *inst = &s->ir->inst[ref];
  const struct folded f = select_fold(s->ir, ref);
  struct machine_inst out = {.op = f.op, .place = s->place, .fixed = inst->is_volatile, .order = inst->order};
  if (f.op == ISA_WAIT && !f.count)
    return;
  const struct isa_row *row = &isa_rows[out.op];
  bool not = inst->guard_not;
  uint64_t always = !not ;
  const ir_ref guard = inst->guard ? select_plain(s->ir, inst->guard, &not ) : 0;
  if (guard && select_constant(s, guard, 1, &always) && (always != 0) == not ) { /* never runs */
    memcpy(select_words(s, ref), inst->keep ? select_words(s, inst->keep) : (struct word[4]){{0}},
           sizeof s->value[0].word);
    return;
  }
  const bool sometimes = guard && select_words(s, guard)[0].is == WORD_VREG;
  out.imm = imm_of(inst, row);
  for (const char *letter = isa_formats[row->format].operands; *letter; letter++)
    operand(s, &out, row, *letter, &f);
  if (sometimes) {
    out.guard = select_words(s, guard)[0].what;
    out.guard_not = not ;
  }
  result(s, &out, ref, row->class_ == ISA_CLASS_COPY ? f.operand[IR_COPY_EVENT] : sometimes ? inst->keep : 0);
  machine_append(&s->m->block[s->at], &out);
  if (made_of_nothing(row) && !out.guard && out.d)
    select_can_be_made_again(s->m, &out);
}

/* ---- naming ------------------------------------------------------------------------------------------ */

static void join(struct select *s, ir_ref ref) {
  const struct folded parts = select_join(s->ir, ref);
  struct word *word = select_words(s, ref);
  for (uint32_t i = 0; i < parts.count; i++)
    word[i] = parts.operand[i] ? select_words(s, parts.operand[i])[0]
                               : (struct word){parts.zero_above && i ? WORD_CONST : WORD_ANY, 0};
  uint64_t imm;
  if (s->value[ref].run && !side_by_side(s, word, parts.count) && !select_constant(s, ref, parts.count, &imm))
    define(s, ref, gather(s, word, parts.count));
}

static void select_one(struct select *s, ir_ref ref) {
  const struct ir_inst *inst = &s->ir->inst[ref];
  uint32_t number;
  ir_ref of;
  s->place = inst->place;
  if (!s->value[ref].wanted && !ir_is_kept(s->ir, ref))
    return;
  if (select_is_join(inst))
    join(s, ref);
  else if (select_is_word(s->ir, ref, &of, &number))
    select_words(s, ref)[0] = of ? select_words(s, of)[number] : (struct word){0};
  else if (inst->op == IR_PHI)
    return;
  else if (inst->op == IR_COPY || inst->op == ISA_MOV_32 || inst->op == ISA_MOV_64 || inst->op == ISA_MOV_P)
    memcpy(select_words(s, ref), select_words(s, ir_operand(s->ir, ref, 0)), sizeof s->value[0].word);
  else if (inst->op < ISA_OPS)
    instruction(s, ref);
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

static bool is_web(const struct ir *ir, ir_ref ref) {
  return ir->inst[ref].op == IR_PHI && ir->block[ir->inst[ref].block].from_count > 1;
}

/* Phis of one predecessor are only other names; the others get their vregs before anything else. */
static void begin_phis(struct select *s, uint32_t at) {
  const struct ir_block *block = &s->ir->block[at];
  for (uint32_t i = 0; i < block->count && s->ir->inst[block->inst[i]].op == IR_PHI; i++) {
    const ir_ref ref = block->inst[i];
    if (!s->value[ref].wanted)
      continue;
    if (is_web(s->ir, ref))
      define_run(s, ref);
    else if (ir_operand(s->ir, ref, 1))
      memcpy(select_words(s, ref), select_words(s, ir_operand(s->ir, ref, 1)), sizeof s->value[0].word);
  }
}

static void end_block(struct select *s, uint32_t at) {
  const struct ir_block *block = &s->ir->block[at];
  struct machine_block *out = &s->m->block[at];
  out->end = block->end;
  out->place = block->place;
  out->depth = block->depth;
  memcpy(out->to, block->to, sizeof out->to);
  if (block->end != IR_END_IF)
    return;
  const ir_ref condition = select_plain(s->ir, block->condition, &out->condition_not);
  const struct word word = select_words(s, condition)[0];
  out->condition = word.what;
  if (word.is == WORD_VREG)
    return;
  const bool yes = (word.is == WORD_CONST && word.what) != out->condition_not;
  out->end = IR_END_GOTO;
  out->condition = 0;
  out->to[0] = block->to[!yes];
}

static void select_block(struct select *s, uint32_t at) {
  const struct ir_block *block = &s->ir->block[at];
  s->at = at;
  begin_phis(s, at);
  for (uint32_t i = 0; i < block->count; i++)
    select_one(s, block->inst[i]);
  end_block(s, at);
}

/* ---- the whole --------------------------------------------------------------------------------------- */

static void lay_slots(struct select *s) {
  s->slot = need(s->ir->slots, sizeof *s->slot);
  const uint64_t begin = s->ir->null_room; /* no variable may be at the null pointer's address */
  uint64_t at = begin;
  for (uint32_t i = 0; i < s->ir->slots; i++) {
    const struct ir_slot *slot = &s->ir->slot[i];
    const uint32_t align = slot->align ? slot->align : 1;
    if (slot->gone)
      continue;
    at = (at + align - 1) / align * align;
    s->slot[i] = (uint32_t)at;
    at += slot->bytes;
    if (at > UINT32_MAX / 2) /* far more than a kernel may have; emit reports that */
      at = UINT32_MAX / 2;
  }
  s->m->frame = at == begin ? 0 : (uint32_t)at;
}

struct machine_function *machine_select(struct ir *ir) {
  ir_analyze(ir);
  struct select s = {.ir = ir, .m = machine_new(ir->blocks)};
  s.value = need(ir->count, sizeof *s.value);
  s.between = need(2 * ir->blocks, sizeof *s.between);
  select_wanted(&s);
  lay_slots(&s);
  know_constants(&s);
  for (uint32_t i = 0; i < ir->ordered; i++)
    select_block(&s, ir->order[i]);
  for (uint32_t i = 0; i < ir->ordered; i++)
    select_phi_copies(&s, ir->order[i]);
  select_order(&s);
  free(s.value);
  free(s.between);
  free(s.slot);
  free(s.shared);
  map_free(&s.by_imm);
  return s.m;
}
