/* Values that a shuffle read from no lane: undefined, but only wrong where they are used.
 *
 *     shfl.up.b32  r6, r2, r5      in the lanes below r5, r6 is undefined;
 *     add.i32      r6, r2, r6      it still is,
 *     sel.b32      r2, r6, r2, p0  and r2 is not, because p0 selects the other value there
 *
 * Each register and predicate has a mask of the lanes in which it is undefined. Arithmetic passes undefined lanes on.
 * They are used where they decide a branch, or reach memory or a call; that is reported once, and the value then counts
 * as defined.
 *
 * Not modeled: values in memory. One that is spilled to private memory comes back as defined. */
#include <stdlib.h>

#include "isa/ops.h"
#include "sim/check/check_parts.h"

enum { SLOTS = 256 + ISA_PREDICATES };

/* By scoreboard slot. */
struct undefined {
  uint64_t lanes[SLOTS];
  uint32_t pc[SLOTS]; /* of the shuffle */
};

/* An instruction that a warp is about to execute. */
struct about {
  const struct isa_warp *isa;
  const struct isa_inst *inst;
  const struct isa_info *info;
  uint64_t mask;
};

static uint32_t guard_slot(const struct isa_inst *inst) { return 256 + ((inst->guard - 1u) >> 1); }

static uint64_t lanes_of(const struct isa_warp *isa, const struct isa_inst *inst) {
  if (!inst->guard)
    return isa->active;
  const uint64_t holds = isa->pred[(inst->guard - 1) >> 1];
  return isa->active & ((inst->guard - 1) & 1 ? ~holds : holds);
}

/* ---- one operand ------------------------------------------------------------------------------------- */

/* An operand of 32 or 64 bits, or a predicate: its undefined lanes, and those in which it is 0. */
struct operand {
  uint64_t undefined, zero;
};

static struct operand operand_of(const struct undefined *undefined, const struct about *about, uint8_t field,
                                 uint8_t flag, uint8_t type) {
  const uint32_t stride = about->isa->group->launch->warp_size;
  if (type == TYPE_NONE || about->inst->flags & flag)
    return (struct operand){0, about->inst->imm ? 0 : UINT64_MAX};
  if (type == TYPE_PRED)
    return (struct operand){undefined->lanes[256 + field], ~about->isa->pred[field]};
  struct operand operand = {0, UINT64_MAX};
  for (uint32_t i = 0; i < isa_types[type].registers; i++) {
    const uint32_t *row = about->isa->reg + (size_t)(field + i) * stride;
    operand.undefined |= undefined->lanes[field + i];
    for (uint32_t lane = 0; lane < stride; lane++)
      operand.zero &= ~((uint64_t)(row[lane] != 0) << lane);
  }
  return operand;
}

/* ---- results ----------------------------------------------------------------------------------------- */

/* Lanes of an arithmetic result that do not depend on an undefined operand's value. */
static uint64_t independent(const struct undefined *undefined, const struct about *about) {
  const struct isa_inst *inst = about->inst;
  const struct isa_row *row = &isa_rows[inst->op];
  const struct operand a = operand_of(undefined, about, inst->a, ISA_FLAG_IMM_A, row->a);
  const struct operand b = operand_of(undefined, about, inst->b, ISA_FLAG_IMM_B, row->b);
  switch (inst->op) {
  case ISA_SEL_32:
  case ISA_SEL_64: {
    const struct operand c = operand_of(undefined, about, inst->c, ISA_FLAG_IMM_C, row->c);
    return ~c.undefined & ((~c.zero & ~a.undefined) | (c.zero & ~b.undefined));
  }
  case ISA_AND_32:
  case ISA_AND_64:
  case ISA_MUL_32:
  case ISA_MUL_64:
  case ISA_AND_P:
    return (a.zero & ~a.undefined) | (b.zero & ~b.undefined);
  case ISA_ANDN_P:
    return (a.zero & ~a.undefined) | (~b.zero & ~b.undefined);
  case ISA_OR_P:
    return (~a.zero & ~a.undefined) | (~b.zero & ~b.undefined);
  default:
    return 0;
  }
}

/* The lane that a lane reads from; UINT32_MAX: none. */
static uint32_t source_of(const struct about *about, uint32_t lane) {
  const struct isa_inst *inst = about->inst;
  const uint32_t stride = about->isa->group->launch->warp_size;
  const uint32_t b = inst->op == ISA_BCAST          ? 0
                     : inst->flags & ISA_FLAG_IMM_B ? (uint32_t)inst->imm
                                                    : about->isa->reg[(size_t)inst->b * stride + lane];
  const uint32_t from = inst->op == ISA_SHFL_IDX    ? b
                        : inst->op == ISA_SHFL_UP   ? lane - b
                        : inst->op == ISA_SHFL_DOWN ? lane + b
                        : inst->op == ISA_SHFL_XOR  ? lane ^ b
                                                    : (uint32_t)__builtin_ctzll(about->mask);
  return from < stride && about->mask >> from & 1 ? from : UINT32_MAX;
}

/* The lanes of a shuffle that read from no lane. */
static uint64_t lost_lanes(const struct about *about) {
  uint64_t lost = 0;
  for (uint64_t left = about->mask; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(left);
    lost |= (uint64_t)(source_of(about, lane) == UINT32_MAX) << lane;
  }
  return lost;
}

static uint64_t shuffled(const struct undefined *undefined, const struct about *about, uint64_t lost) {
  const struct isa_inst *inst = about->inst;
  const struct isa_row *row = &isa_rows[inst->op];
  const uint64_t from = operand_of(undefined, about, inst->a, ISA_FLAG_IMM_A, row->a).undefined;
  uint64_t result = lost | (operand_of(undefined, about, inst->b, ISA_FLAG_IMM_B, row->b).undefined & about->mask);
  for (uint64_t left = about->mask & ~lost; left && from; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(left);
    result |= (from >> source_of(about, lane) & 1) << lane;
  }
  return result;
}

/* ---- uses -------------------------------------------------------------------------------------------- */

static void report_use(struct check_unit *unit, const struct check_group *group, const struct check_warp *warp,
                       const struct about *about, uint32_t shuffle, uint64_t lanes) {
  const struct isa_launch *launch = group->shape->launch;
  const uint32_t *at = group->shape->id;
  const uint32_t item = warp->index * launch->warp_size + (uint32_t)__builtin_ctzll(lanes);
  const struct check_hazard found = {.rule = HAZARD_S3,
                                     .launch = unit->checker->filters.first + group->launch,
                                     .count = (uint64_t)__builtin_popcountll(lanes),
                                     .here = {launch->program, shuffle, {at[0], at[1], at[2]}, item, false},
                                     .other = {launch->program, about->isa->pc, {at[0], at[1], at[2]}, item, false}};
  hazards_add(unit->checker, &found);
}

/* The undefined lanes of what the instruction reads; *shuffle is where they come from. */
static uint64_t lanes_read(const struct undefined *undefined, const struct about *about, uint32_t *shuffle) {
  uint64_t lanes = 0;
  for (uint32_t i = about->info->writes; i < about->info->slots; i++) {
    const uint32_t slot = about->info->slot[i];
    const bool guard = about->inst->guard && slot == guard_slot(about->inst);
    const uint64_t here = undefined->lanes[slot] & (guard ? about->isa->active : about->mask);
    if (here)
      *shuffle = undefined->pc[slot];
    lanes |= here;
  }
  return lanes;
}

static void forget_read(struct undefined *undefined, const struct about *about, uint64_t lanes) {
  for (uint32_t i = about->info->writes; i < about->info->slots; i++)
    undefined->lanes[about->info->slot[i]] &= ~lanes;
}

void undefined_step(struct check_unit *unit, const struct check_group *group, struct check_warp *warp,
                    const struct act_row *row, const struct isa_warp *isa) {
  const struct isa_program *program = group->shape->launch->program;
  const struct isa_inst *inst = &program->code[isa->pc];
  const struct about about = {isa, inst, &program->info[isa->pc], lanes_of(isa, inst)};
  const uint64_t lost = row->act == ACT_SHUFFLE && !row->kind ? lost_lanes(&about) : 0;
  if (!warp->undefined && !lost)
    return;
  if (!warp->undefined)
    warp->undefined = need(1, sizeof *warp->undefined);
  struct undefined *undefined = warp->undefined;
  uint32_t shuffle = isa->pc;
  const uint64_t read = lanes_read(undefined, &about, &shuffle);
  uint64_t result = 0;
  switch ((enum isa_format)isa_rows[inst->op].format) {
  case FORMAT_SHUFFLE:
    result = shuffled(undefined, &about, lost);
    break;
  case FORMAT_VOTE:
  case FORMAT_REDUCE:
  case FORMAT_SCAN:
  case FORMAT_SCAN_BEFORE:
    result = read ? about.mask : 0;
    break;
  case FORMAT_ALU:
  case FORMAT_LOGIC:
  case FORMAT_SHIFT:
    result = read ? read & ~independent(undefined, &about) : 0;
    break;
  case FORMAT_STORE_PRIVATE:
    break;
  default:
    if (read) {
      report_use(unit, group, warp, &about, shuffle, read);
      forget_read(undefined, &about, read);
    }
    break;
  }
  for (uint32_t i = 0; i < about.info->writes; i++) {
    const uint32_t slot = about.info->slot[i];
    undefined->lanes[slot] = (undefined->lanes[slot] & ~about.mask) | result;
    undefined->pc[slot] = result ? shuffle : undefined->pc[slot];
  }
}

void undefined_free_warp(struct check_warp *warp) {
  free(warp->undefined);
  warp->undefined = NULL;
}
