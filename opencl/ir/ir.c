/* The IR's storage: instructions in one growing array, operands in another, blocks with lists of refs. */
#include "opencl/ir/ir.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"

struct ir *ir_new(const char *name) {
  struct ir *ir = need(1, sizeof *ir);
  ir->name = need_copy(name);
  *vector_next(ir->inst, ir->count, ir->room) = (struct ir_inst){.op = IR_UNDEF, .block = IR_NOWHERE};
  ir->target = opencl_usual_target();
  ir_block_new(ir);
  return ir;
}

void ir_free(struct ir *ir) {
  if (!ir)
    return;
  free(ir->turn.at);
  free(ir->copy.at);
  free(ir->copy_block.at);
  for (uint32_t i = 0; i < ir->blocks; i++)
    ir_free_lists(&ir->block[i]);
  for (size_t i = 0; i < ir->arg_count; i++) {
    free(ir->args[i].name);
    free(ir->args[i].type);
  }
  for (size_t i = 0; i < ir->lds_count; i++)
    free(ir->lds[i].name);
  free(ir->args);
  free(ir->lds);
  free(ir->lds_align);
  map_free(&ir->shared);
  free(ir->name);
  free(ir->inst);
  free(ir->operand);
  free(ir->block);
  free(ir->order);
  free(ir->known);
  free(ir->list);
  free(ir->from);
  free(ir->slot);
  free(ir);
}

/* ---- construction -------------------------------------------------------------------------------- */

uint32_t ir_block_new(struct ir *ir) {
  *vector_next(ir->block, ir->blocks, ir->block_room) =
      (struct ir_block){.loop = IR_NOWHERE, .outer = IR_NOWHERE, .order = IR_NOWHERE};
  return ir->blocks - 1;
}

uint32_t ir_slot_new(struct ir *ir, uint32_t bytes, uint32_t align) {
  *vector_next(ir->slot, ir->slots, ir->slot_room) = (struct ir_slot){.bytes = bytes, .align = align};
  return ir->slots - 1;
}

static ir_ref new_inst(struct ir *ir, struct ir_inst inst) {
  *vector_next(ir->inst, ir->count, ir->room) = inst;
  return ir->count - 1;
}

/* A constant or undef, which all users share. */
static ir_ref shared(struct ir *ir, uint16_t op, enum ir_width width, uint64_t bits) {
  const uint64_t hash = hash_join(bits ^ (uint64_t)width << 60, op);
  for (size_t at = 0, ref; map_next(&ir->shared, hash, &at, &ref);)
    if (ir->inst[ref].op == op && ir->inst[ref].width == width && ir->inst[ref].imm == bits)
      return (ir_ref)ref;
  map_add(&ir->shared, hash, ir->count);
  return new_inst(ir, (struct ir_inst){.op = op, .width = (uint8_t)width, .imm = bits, .block = IR_NOWHERE});
}

ir_ref ir_const(struct ir *ir, enum ir_width width, uint64_t bits) {
  assert(width != IR_NOTHING && width != IR_W4 && "constants are predicates, words or pairs");
  return shared(ir, IR_CONST, width, width == IR_PRED ? bits & 1 : width == IR_W1 ? (uint32_t)bits : bits);
}

ir_ref ir_undef(struct ir *ir, enum ir_width width) { return shared(ir, IR_UNDEF, width, 0); }

static uint32_t new_operands(struct ir *ir, const ir_ref *operand, uint32_t count) {
  const uint32_t first = ir->operand_count;
  ir->operand = vector_room(ir->operand, &ir->operand_room, (size_t)first + count, sizeof *ir->operand);
  if (count)
    memcpy(ir->operand + first, operand, count * sizeof *operand);
  ir->operand_count += count;
  return first;
}

ir_ref ir_make(struct ir *ir, uint16_t op, enum ir_width width, const ir_ref *operand, uint32_t count, uint64_t imm,
               struct ir_place place) {
  return new_inst(ir, (struct ir_inst){.op = op,
                                       .width = (uint8_t)width,
                                       .operands = new_operands(ir, operand, count),
                                       .count = count,
                                       .imm = imm,
                                       .place = place,
                                       .block = IR_NOWHERE});
}

void ir_free_lists(struct ir_block *block) {
  if (block->own_inst)
    free(block->inst);
  if (block->own_from)
    free(block->from);
  block->inst = NULL;
  block->from = NULL;
  block->count = block->room = block->from_count = 0;
  block->own_inst = block->own_from = false;
}

void ir_make_room(struct ir *ir, uint32_t block, uint32_t count) {
  struct ir_block *in = &ir->block[block];
  ir_ref *const old = in->inst;
  if (count <= in->room)
    return;
  in->room = count < 4 ? 4 : count + count / 2;
  in->inst = need_more(in->own_inst ? old : NULL, in->room, sizeof *old);
  if (!in->own_inst && in->count)
    memcpy(in->inst, old, in->count * sizeof *old);
  in->own_inst = true;
}

void ir_insert(struct ir *ir, uint32_t block, uint32_t at, ir_ref ref) {
  ir->simple = false;
  struct ir_block *in = &ir->block[block];
  ir_make_room(ir, block, in->count + 1);
  memmove(in->inst + at + 1, in->inst + at, (in->count - at) * sizeof *in->inst);
  in->inst[at] = ref;
  in->count++;
  ir->inst[ref].block = block;
}

void ir_append(struct ir *ir, uint32_t block, ir_ref ref) { ir_insert(ir, block, ir->block[block].count, ref); }

void ir_goto(struct ir *ir, uint32_t block, uint32_t to, struct ir_place place) {
  ir->simple = false;
  struct ir_block *from = &ir->block[block];
  from->end = IR_END_GOTO;
  from->condition = 0;
  from->to[0] = from->to[1] = to;
  from->place = place;
}

void ir_if(struct ir *ir, uint32_t block, ir_ref condition, uint32_t yes, uint32_t no, struct ir_place place) {
  ir_goto(ir, block, yes, place);
  if (yes == no)
    return;
  ir->block[block].end = IR_END_IF;
  ir->block[block].condition = condition;
  ir->block[block].to[1] = no;
}

void ir_exit(struct ir *ir, uint32_t block, struct ir_place place) {
  ir->simple = false;
  ir->block[block].end = IR_END_EXIT;
  ir->block[block].condition = 0;
  ir->block[block].place = place;
}

void ir_phi_add(struct ir *ir, ir_ref phi, uint32_t from, ir_ref value) {
  ir->simple = false;
  struct ir_inst *inst = &ir->inst[phi];
  ir->operand = vector_room(ir->operand, &ir->operand_room, ir->operand_count + inst->count + 2u, sizeof *ir->operand);
  /* A list at the end of the pool grows in place. Another one first moves to the end, which at most doubles its
   * space. */
  if (inst->operands + inst->count != ir->operand_count)
    inst->operands = new_operands(ir, ir->operand + inst->operands, inst->count);
  const ir_ref pair[] = {from, value};
  new_operands(ir, pair, 2);
  inst->count += 2;
}

/* ---- queries ------------------------------------------------------------------------------------- */

static enum ir_width width_of_type(enum isa_type type) {
  static const enum ir_width by_registers[] = {IR_NOTHING, IR_W1, IR_W2, IR_NOTHING, IR_W4};
  return type == TYPE_PRED ? IR_PRED : by_registers[isa_types[type].registers];
}

enum ir_width ir_width_of(enum isa_op op) {
  const struct isa_row *row = &isa_rows[op];
  return strpbrk(isa_formats[row->format].operands, "dD") ? width_of_type(row->d) : IR_NOTHING;
}

/* Operand types of copies by position; see ir.h. */
static enum isa_type copy_type(const char *operands, uint32_t position) {
  const uint32_t count = strchr(operands, 'S')   ? IR_COPY_LDS_PLANE + 1
                         : strchr(operands, 's') ? IR_COPY_LDS_LINE + 1
                                                 : IR_COPY_EVENT + 1;
  return position == IR_COPY_GLOBAL ? TYPE_U64 : position < count ? TYPE_U32 : TYPE_NONE;
}

enum isa_type ir_operand_type(enum isa_op op, uint32_t position) {
  const struct isa_row *row = &isa_rows[op];
  const char *operands = isa_formats[row->format].operands;
  if (row->class_ == ISA_CLASS_COPY)
    return copy_type(operands, position);
  if (row->class_ == ISA_CLASS_WAIT)
    return position < ISA_WAIT_EVENTS + (op == ISA_WAIT_FIRST) ? TYPE_U32 : TYPE_NONE;
  if (op == ISA_PRINTF)
    return position < 2 ? TYPE_U32 : TYPE_NONE;
  if (position == 0 && strpbrk(operands, "GHIPi"))
    return TYPE_U64;
  if (position == 0 && strchr(operands, 'L'))
    return TYPE_U32;
  if (position == 1 && strpbrk(operands, "GI"))
    return TYPE_U32;
  if (strpbrk(operands, "xoTw"))
    return TYPE_NONE;
  return (enum isa_type)(position == 0 ? row->a : position == 1 ? row->b : position == 2 ? row->c : TYPE_NONE);
}

bool ir_is_convergent(const struct ir *ir, ir_ref ref) {
  if (ir->inst[ref].op >= ISA_OPS)
    return false;
  switch ((enum isa_class)isa_rows[ir->inst[ref].op].class_) {
  case ISA_CLASS_LANE:
  case ISA_CLASS_VOTE:
  case ISA_CLASS_BARRIER:
  case ISA_CLASS_FENCE:
  case ISA_CLASS_COPY:
  case ISA_CLASS_COPY_FENCE:
  case ISA_CLASS_WAIT:
    return true;
  default:
    return false;
  }
}

bool ir_is_pure(const struct ir *ir, ir_ref ref) {
  const struct ir_inst *inst = &ir->inst[ref];
  if (inst->guard)
    return false;
  return inst->op < ISA_OPS ? isa_formats[isa_rows[inst->op].format].pure : inst->op != IR_PHI;
}

bool ir_is_removable(const struct ir *ir, ir_ref ref) {
  if (ir->inst[ref].is_volatile)
    return false;
  if (ir->inst[ref].op >= ISA_OPS)
    return true;
  const struct isa_row *row = &isa_rows[ir->inst[ref].op];
  switch ((enum isa_format)row->format) {
  case FORMAT_IMAGE_READ:
  case FORMAT_SHUFFLE:
  case FORMAT_VOTE:
  case FORMAT_REDUCE:
  case FORMAT_SCAN:
  case FORMAT_SCAN_BEFORE:
    return true;
  default:
    return row->access == ISA_ACCESS_LOAD || isa_formats[row->format].pure;
  }
}

bool ir_is_kept(const struct ir *ir, ir_ref ref) {
  if (!ir_is_removable(ir, ref))
    return true;
  if (!ir->target.checked)
    return false;
  const struct isa_row *row = ir_row(ir, ref);
  const bool shared = row->space == ISA_SPACE_LDS || row->space == ISA_SPACE_GLOBAL;
  return (shared && row->access == ISA_ACCESS_LOAD) || row->format == FORMAT_IMAGE_READ;
}

/* ---- changes ------------------------------------------------------------------------------------- */

static ir_ref final(ir_ref *with, ir_ref ref) {
  ir_ref end = ref;
  while (with[end])
    end = with[end];
  while (with[ref]) { /* shorten the chain for the next search */
    const ir_ref next = with[ref];
    with[ref] = end == ref ? 0 : end;
    ref = next;
  }
  return end;
}

void ir_replace(struct ir *ir, const ir_ref *with) {
  ir->simple = false;
  ir_ref *chain = need(ir->count, sizeof *chain);
  memcpy(chain, with, ir->count * sizeof *chain);
  for (ir_ref ref = 1; ref < ir->count; ref++) {
    struct ir_inst *inst = &ir->inst[ref];
    const bool phi = inst->op == IR_PHI;
    for (uint32_t i = phi; i < inst->count; i += 1 + phi)
      ir->operand[inst->operands + i] = final(chain, ir->operand[inst->operands + i]);
    inst->guard = final(chain, inst->guard);
    inst->keep = final(chain, inst->keep);
  }
  for (uint32_t i = 0; i < ir->blocks; i++)
    ir->block[i].condition = final(chain, ir->block[i].condition);
  free(chain);
}

void ir_sweep(struct ir *ir) {
  for (uint32_t i = 0; i < ir->blocks; i++) {
    struct ir_block *block = &ir->block[i];
    uint32_t kept = 0;
    for (uint32_t k = 0; k < block->count; k++)
      if (ir->inst[block->inst[k]].block == i)
        block->inst[kept++] = block->inst[k];
    block->count = kept;
  }
}
