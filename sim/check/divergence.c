/* Finds where work-items that are missing at a call diverged from those that are there.
 *
 * For each warp and branch, it records which lanes went which way when they last reached it. For a call that not all
 * reach, it looks for a branch that decides about the call, and at which a work-item that is there and one that is
 * missing went different ways.
 *
 * A branch decides about an instruction if one way leads there before the ways join, and the other does not; or if the
 * other way leads only to the end. If several branches qualify within a warp, the outermost is where they diverged,
 * because lanes that diverge wait at the join. Warps do not wait for each other, so between two of them it is the
 * innermost branch that the missing one has reached as often as the other.
 *
 * Not modeled: a guard on the call itself, which separates lanes without a branch. Since warps run on, another timing
 * may show another one of several nested branches for two warps. The call and the rule are the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/cfg.h"
#include "isa/ops.h"
#include "sim/check/check_parts.h"

struct branch_lanes {
  uint64_t taken, passed; /* lanes, by each one's last time */
  uint32_t count;         /* how often the warp reached the branch */
};

/* One work-item, and the state of its warp. */
struct lane_state {
  const struct check_warp *warp;
  const struct isa_warp *isa;
  uint32_t lane;
};

/* Two work-items that diverged, and the call that only the first has reached. */
struct divergence {
  const struct isa_program *program;
  const struct act_row *acts;
  struct lane_state here, missing;
  uint32_t pc;
};

void divergence_branch(const struct checker *checker, const struct check_group *group, struct check_warp *warp,
                       const struct act_row *row, uint64_t active, uint64_t taken) {
  if (!warp->branches)
    warp->branches = need(checker->branch_count[group->launch], sizeof *warp->branches);
  struct branch_lanes *lanes = &warp->branches[row->site];
  lanes->taken = (lanes->taken & ~active) | taken;
  lanes->passed = (lanes->passed & ~active) | (active & ~taken);
  lanes->count++;
}

void divergence_free_warp(struct check_warp *warp) {
  free(warp->branches);
  warp->branches = NULL;
}

/* ---- control flow ------------------------------------------------------------------------------- */

/* Does control flow from `start` reach `goal` without passing the branch again, or `stop`? */
static bool leads_to(const struct isa_program *program, uint32_t branch, uint32_t start, uint32_t goal, uint32_t stop) {
  unsigned char *seen = need(program->count + 1, 1);
  uint32_t *stack = need(program->count + 1, sizeof *stack), depth = 0, to[2];
  bool found = false;
  stack[depth++] = start;
  seen[start] = 1;
  while (depth && !found) {
    const uint32_t pc = stack[--depth];
    found = pc == goal;
    if (pc == stop || pc == branch)
      continue;
    for (uint32_t i = cfg_successors(program->code, pc, to); i--;)
      if (!seen[to[i]]) {
        seen[to[i]] = 1;
        stack[depth++] = to[i];
      }
  }
  free(seen);
  free(stack);
  return found;
}

static const uint32_t NOWHERE = UINT32_MAX;

/* The instruction to which a branch, or an exit of some lanes, leads. */
static uint32_t target_of(const struct isa_program *program, uint32_t branch, bool taken) {
  const struct isa_inst *inst = &program->code[branch];
  if (!taken)
    return branch + 1;
  return inst->op == ISA_EXIT ? NOWHERE : isa_branch_target(inst);
}

/* Does the branch decide about `pc`, where it leads in the direction `taken`? */
static bool decides(const struct isa_program *program, uint32_t branch, bool taken, uint32_t pc) {
  const struct isa_inst *inst = &program->code[branch];
  const uint32_t to = target_of(program, branch, taken), away = target_of(program, branch, !taken);
  const uint32_t join = inst->op == ISA_EXIT ? NOWHERE : isa_branch_join(inst);
  if (to == NOWHERE)
    return false;
  if (away == NOWHERE || join == NOWHERE || !leads_to(program, branch, away, join, NOWHERE))
    return leads_to(program, branch, to, pc, NOWHERE) &&
           (away == NOWHERE || !leads_to(program, branch, away, pc, NOWHERE));
  return pc != join && leads_to(program, branch, to, pc, join) && !leads_to(program, branch, away, pc, join);
}

/* ---- the branch at which two diverged ------------------------------------------------------------ */

static const struct branch_lanes *branch_lanes_of(const struct lane_state *state, uint32_t number) {
  return state->warp->branches ? &state->warp->branches[number] : NULL;
}

/* Did they last go different ways at the branch? *taken: the one at the call has taken it. */
static bool differs(const struct divergence *divergence, uint32_t branch, bool *taken) {
  const uint32_t number = divergence->acts[branch].site;
  const struct branch_lanes *here = branch_lanes_of(&divergence->here, number),
                            *missing = branch_lanes_of(&divergence->missing, number);
  const uint64_t one = UINT64_C(1) << divergence->here.lane, other = UINT64_C(1) << divergence->missing.lane;
  if (!here || !missing)
    return false;
  *taken = here->taken & one;
  return *taken ? (missing->passed & other) != 0 : (here->passed & one) && (missing->taken & other);
}

/* Are they of different warps, and has the missing one's reached the branch as often as the other? */
static bool is_level(const struct divergence *divergence, uint32_t branch) {
  const uint32_t number = divergence->acts[branch].site;
  return divergence->here.warp != divergence->missing.warp &&
         branch_lanes_of(&divergence->missing, number)->count >= branch_lanes_of(&divergence->here, number)->count;
}

/* Is this branch a better answer than the best so far? */
static bool is_better(const struct divergence *divergence, uint32_t branch, uint32_t best) {
  bool taken = false;
  const bool inner = is_level(divergence, branch);
  if (best == NOWHERE || inner != is_level(divergence, best))
    return best == NOWHERE || inner;
  const uint32_t outside = inner ? best : branch, inside = inner ? branch : best;
  return differs(divergence, outside, &taken) && decides(divergence->program, outside, taken, inside);
}

static uint32_t find_branch(const struct divergence *divergence, const struct isa_kernel *kernel) {
  uint32_t best = NOWHERE;
  for (uint32_t pc = kernel->entry; pc < kernel->end; pc++) {
    bool taken = false;
    if (divergence->acts[pc].act == ACT_BRANCH && differs(divergence, pc, &taken) &&
        decides(divergence->program, pc, taken, divergence->pc) && is_better(divergence, pc, best))
      best = pc;
  }
  return best;
}

/* ---- hazards ------------------------------------------------------------------------------------ */

/* Appends what became of the missing work-item. */
static void add_location(const struct divergence *divergence, uint32_t item, char *detail, size_t room) {
  const struct isa_warp *isa = divergence->missing.isa;
  const uint64_t lane = UINT64_C(1) << divergence->missing.lane;
  const size_t at = strlen(detail);
  uint32_t pc = isa->pc;
  if (!(isa->live & lane)) {
    snprintf(detail + at, room - at, "; work-item %u has ended", item);
    return;
  }
  for (uint32_t depth = isa->active & lane ? 0 : isa->depth; depth--;)
    if (isa->stack[depth].mask & lane) {
      pc = isa->stack[depth].pc;
      break;
    }
  if (pc < divergence->program->count && divergence->program->line[pc])
    snprintf(detail + at, room - at, "; work-item %u continues at line %u", item, divergence->program->line[pc]);
}

/* Adds the other place to a hazard that has its own. */
static bool find_place(const struct divergence *divergence, const struct isa_launch *launch,
                       struct check_hazard *hazard) {
  const uint32_t branch = find_branch(divergence, launch->kernel), lanes = launch->warp_size;
  if (branch == NOWHERE)
    return false;
  hazard->here.item = divergence->here.warp->index * lanes + divergence->here.lane;
  hazard->other = hazard->here;
  hazard->other.pc = branch;
  hazard->other.item = divergence->missing.warp->index * lanes + divergence->missing.lane;
  return true;
}

static struct divergence divergence_at(const struct check_unit *unit, const struct check_group *group, uint32_t pc) {
  return (struct divergence){
      .program = group->shape->launch->program, .acts = unit->checker->acts[group->launch], .pc = pc};
}

static struct lane_state lane_state_of(const struct check_unit *unit, const struct check_warp *warp, uint32_t lane) {
  return (struct lane_state){warp, &unit->filter.executor->warps[warp - unit->warps], lane};
}

bool divergence_report_lanes(struct check_unit *unit, const struct check_group *group, const struct check_warp *warp,
                             const struct isa_hazard *hazard, uint64_t here) {
  const struct isa_launch *launch = group->shape->launch;
  const uint32_t lane = hazard->item % launch->warp_size;
  if (!here || here >> lane & 1) /* the item is there, with other arguments */
    return false;
  struct check_hazard found = {
      .rule = hazard->rule,
      .launch = unit->checker->filters.first + group->launch,
      .here = {launch->program, hazard->pc, {hazard->group[0], hazard->group[1], hazard->group[2]}, 0, false}};
  struct divergence divergence = divergence_at(unit, group, hazard->pc);
  divergence.here = lane_state_of(unit, warp, (uint32_t)__builtin_ctzll(here));
  divergence.missing = lane_state_of(unit, warp, lane);
  memcpy(found.detail, hazard->detail, sizeof found.detail);
  if (!find_place(&divergence, launch, &found))
    return false;
  add_location(&divergence, hazard->item, found.detail, sizeof found.detail);
  hazards_add(unit->checker, &found);
  return true;
}

/* ---- warps -------------------------------------------------------------------------------------- */

/* The machine reports a call when its warps are gone, so their places are recorded while the call is open. */

/* The instruction of a warp's call of this number; NOWHERE if it has not reached it, or it is too long ago. */
static uint32_t call_of(const struct check_warp *warp, uint32_t number) {
  const uint32_t since = warp->call_count - number;
  return since && since <= CHECK_AHEAD ? warp->call_pc[number % CHECK_AHEAD] : NOWHERE;
}

static bool is_of(const struct check_unit *unit, uint32_t slot, const struct check_group *group) {
  return unit->warps[slot].number == group->number;
}

/* The lowest instruction that warps reached as this call. *all: all of them reached the same one. */
static uint32_t least_call(const struct check_unit *unit, const struct check_group *group, uint32_t number, bool *all) {
  uint32_t least = NOWHERE;
  *all = true;
  for (uint32_t slot = 0, any = 0; slot < unit->warp_count; slot++) {
    const uint32_t pc = is_of(unit, slot, group) ? call_of(&unit->warps[slot], number) : NOWHERE;
    *all &= !is_of(unit, slot, group) || !any || pc == least;
    any |= is_of(unit, slot, group);
    least = pc < least ? pc : least;
  }
  return least;
}

/* The first call that not all warps have reached, or not the same one; NOWHERE when they are together. */
static uint32_t open_call(const struct check_unit *unit, const struct check_group *group, uint32_t *number) {
  uint32_t fewest = UINT32_MAX;
  bool all = true;
  for (uint32_t slot = 0; slot < unit->warp_count; slot++)
    if (is_of(unit, slot, group) && unit->warps[slot].call_count < fewest)
      fewest = unit->warps[slot].call_count;
  *number = fewest - 1;
  if (fewest) {
    const uint32_t pc = least_call(unit, group, *number, &all);
    if (!all)
      return pc;
  }
  *number = fewest;
  return least_call(unit, group, fewest, &all);
}

static bool find_warps(const struct check_unit *unit, const struct check_group *group, uint32_t number,
                       struct check_hazard *hazard) {
  const struct check_warp *here = NULL, *missing = NULL;
  for (uint32_t slot = 0; slot < unit->warp_count; slot++) {
    const struct check_warp *warp = &unit->warps[slot];
    const struct check_warp **first = call_of(warp, number) == hazard->here.pc ? &here : &missing;
    if (is_of(unit, slot, group) && (!*first || warp->index < (*first)->index))
      *first = warp;
  }
  if (!here || !missing)
    return false;
  struct divergence divergence = divergence_at(unit, group, hazard->here.pc);
  divergence.here = lane_state_of(unit, here, here->call_lane);
  divergence.missing = lane_state_of(unit, missing, 0);
  return find_place(&divergence, group->shape->launch, hazard);
}

void divergence_note(struct check_unit *unit, struct check_group *group) {
  struct checker *checker = unit->checker;
  const uint32_t *id = group->shape->id;
  uint32_t number = 0;
  if (!group->pending[group->calls % CHECK_AHEAD].arrived && !group->broken)
    return;
  struct check_hazard hazard = {
      .launch = checker->filters.first + group->launch,
      .here = {group->shape->launch->program, open_call(unit, group, &number), {id[0], id[1], id[2]}, 0, false}};
  if (hazard.here.pc == NOWHERE || !find_warps(unit, group, number, &hazard))
    return;
  if (!group->diverged) {
    if (checker->diverged_count == CHECK_DIVERGED)
      return;
    (void)vector_next(checker->diverged, checker->diverged_count, checker->diverged_room);
    group->diverged = checker->diverged_count;
  }
  checker->diverged[group->diverged - 1] = hazard;
}

/* A hazard of the same call that was found within a warp, or NULL. */
static const struct check_hazard *found_within(const struct checker *checker, const struct check_hazard *hazard) {
  for (size_t i = 0; i < checker->hazard_count; i++) {
    const struct check_hazard *found = &checker->hazards[i];
    if (found->rule == hazard->rule && found->here.program == hazard->here.program &&
        found->here.pc == hazard->here.pc && found->other.program)
      return found;
  }
  return NULL;
}

/* Divergence within a warp is more certain than between warps, which run on by an amount that depends on timing. */
void divergence_take(const struct checker *checker, struct check_hazard *hazard) {
  const struct check_hazard *within = found_within(checker, hazard);
  if (within) {
    hazard->here = within->here;
    hazard->other = within->other;
    return;
  }
  for (uint32_t i = 0; i < checker->diverged_count; i++) {
    const struct check_hazard *diverged = &checker->diverged[i];
    if (diverged->launch != hazard->launch || diverged->here.pc != hazard->here.pc ||
        memcmp(diverged->here.group, hazard->here.group, sizeof diverged->here.group) != 0)
      continue;
    hazard->here = diverged->here;
    hazard->other = diverged->other;
  }
}
