/* Allocates registers in rounds: find when every vreg is live, coalesce moves, assign places. What finds no place is
 * spilled, and the next round starts over. Predicates go first, because spilled predicates need words. */
#include "opencl/emit/emit.h"
#include "opencl/emit/moves.h"
#include "sim/base/need.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE_FROM = 64 }; /* from this many registers on, bundles may be wider than any operand */

static bool fail(const struct isa_program *program, const struct ir *ir, struct isa_error *error, const char *what) {
  snprintf(error->text, sizeof error->text, "%.200s: kernel '%.60s' %s", program->file, ir->name, what);
  return false;
}

/* Assigns places to predicates and words. Returns the first kind that does not fit; VREG_KINDS if both do. */
static enum vreg_kind place_all(struct machine_function *m, bool may_spill) {
  if (machine_color(m, VREG_PRED, may_spill))
    return VREG_PRED;
  return machine_color(m, VREG_WORD, may_spill) ? VREG_WORD : VREG_KINDS;
}

enum fit { FITS, SPILLS, STUCK };

/* Repeats until everything has a place. If spilling is not allowed, returns SPILLS as soon as it would be necessary. */
static enum fit allocate(struct machine_function *m, bool may_spill) {
  uint32_t most = m->bound[VREG_WORD] < WIDE_FROM ? 4 : RUN_MOST;
  enum fit fit = FITS;
  for (;;) {
    machine_find_live(m);
    if (!may_spill && (m->least[VREG_PRED] > m->bound[VREG_PRED] || m->least[VREG_WORD] > m->bound[VREG_WORD]))
      return SPILLS;
    machine_coalesce(m, most);
    const enum vreg_kind crowded = place_all(m, may_spill);
    if (crowded == VREG_KINDS)
      return fit;
    fit = SPILLS;
    if (!may_spill)
      return fit;
    if (!machine_spill(m, crowded))
      return STUCK;
    most = 4;
  }
}

static void add_kernel(struct ir *ir, const struct machine_function *m, struct isa_program *program) {
  struct isa_kernel *kernel = program->kernels = need(1, sizeof *kernel);
  program->kernel_count = 1;
  const uint32_t spilled = m->used[VREG_MEMORY];
  *kernel = (struct isa_kernel){.name = need_copy(ir->name),
                                .end = program->count,
                                .registers = m->used[VREG_WORD] ? m->used[VREG_WORD] : 1,
                                .lds_bytes = ir->lds_bytes,
                                .scratch = ir->scratch,
                                .scratch_bytes = ir->scratch_bytes,
                                .private_bytes = spilled ? code_spill_base(m) + 4 * spilled : (m->frame + 3) / 4 * 4,
                                .spilled = spilled,
                                .arg_count = ir->arg_count,
                                .arg_bytes = ir->arg_bytes};
  memcpy(kernel->required_local, ir->required_local, sizeof kernel->required_local);
  memcpy(kernel->autorun, ir->autorun, sizeof kernel->autorun);
  kernel->args = need(ir->arg_count, sizeof *kernel->args);
  for (size_t i = 0; i < ir->arg_count; i++) {
    kernel->args[i] = ir->args[i];
    kernel->args[i].name = need_copy(ir->args[i].name);
    kernel->args[i].type = need_copy(ir->args[i].type);
  }
  kernel->lds_count = ir->lds_count;
  kernel->lds = need(ir->lds_count, sizeof *kernel->lds);
  for (size_t i = 0; i < ir->lds_count; i++) {
    kernel->lds[i] = ir->lds[i];
    kernel->lds[i].name = need_copy(ir->lds[i].name);
  }
}

/* Bounds memory places by what is spilled at worst, four words per word for alignment: most kernels spill nothing. */
static void bound_memory(struct machine_function *m) {
  uint32_t most = 0;
  for (uint32_t v = 0; v < m->vregs && most < m->bound[VREG_MEMORY]; v++)
    most += m->vreg[v].kind == VREG_MEMORY ? 4 : 0;
  m->bound[VREG_MEMORY] = most < m->bound[VREG_MEMORY] ? most : m->bound[VREG_MEMORY];
}

static bool emit(struct ir *ir, struct machine_function *m, bool placed, struct isa_program *program,
                 struct isa_error *error) {
  if (m->frame > ISA_MOST_PRIVATE_BYTES)
    return fail(program, ir, error, "has private variables of more than 256 MiB");
  if (!placed)
    return fail(program, ir, error, "has an instruction that needs more registers than are allowed");
  bound_memory(m);
  if (machine_color(m, VREG_MEMORY, false))
    return fail(program, ir, error, "spills more registers than fit in private memory");
  machine_finish(m, program);
  add_kernel(ir, m, program);
  return true;
}

static struct machine_function *select_within(struct ir *ir) {
  struct machine_function *m = machine_select(ir);
  enum { MOST_SPILLED = 1 << 14 /* words; each has its own list of segments */ };
  const uint32_t base = code_spill_base(m), most = (uint32_t)ISA_MOST_PRIVATE_BYTES;
  const uint32_t room = base < most ? (most - base) / 4 : 0;
  m->bound[VREG_WORD] = ir->target.registers < ISA_REGISTERS ? ir->target.registers : ISA_REGISTERS;
  m->bound[VREG_PRED] = ISA_PREDICATES;
  m->bound[VREG_MEMORY] = room < MOST_SPILLED ? room : MOST_SPILLED;
  return m;
}

/* Is any register from `allowed` on occupied while the block runs? */
static bool is_crowded(const struct machine_function *m, const struct machine_block *block, uint32_t allowed) {
  const uint32_t start = 2 * block->first, end = start + 2 * block->count;
  for (uint32_t r = allowed; r < m->used[VREG_WORD]; r++) {
    const struct live *holds = &m->file[VREG_WORD][r];
    for (uint32_t i = 0; i < holds->count; i++)
      if (holds->segment[i].start < end && start < holds->segment[i].end)
        return true;
  }
  return false;
}

/* The instructions of all blocks, by number. */
static struct machine_inst *copy_of(struct machine_function *m) {
  machine_number(m);
  struct machine_inst *was = need(m->times / 2 + 1, sizeof *was);
  for (uint32_t i = 0; i < m->ordered; i++) {
    const struct machine_block *block = &m->block[m->order[i]];
    if (block->count)
      memcpy(was + block->first, block->inst, block->count * sizeof *was);
  }
  return was;
}

static enum fit allocate_as_it_was(struct machine_function *m, const struct machine_inst *was) {
  for (uint32_t i = 0; i < m->ordered; i++) {
    struct machine_block *block = &m->block[m->order[i]];
    if (block->count)
      memcpy(block->inst, was + block->first, block->count * sizeof *was);
  }
  return allocate(m, true);
}

static enum fit allocate_ahead(struct machine_function *m, const struct machine_inst *was, uint32_t registers) {
  enum { AHEAD = 16, AHEAD_OF_FEW = 8 };
  const bool moved = machine_load_ahead(m, registers < WIDE_FROM ? AHEAD_OF_FEW : AHEAD);
  const enum fit fit = allocate(m, !moved);
  return moved && fit != FITS ? allocate_as_it_was(m, was) : fit;
}

/* Tries a better order and keeps it if it spills nothing and takes no more registers than allowed, so that it costs no
 * occupancy. Otherwise retries with fewer registers in the crowded blocks, or in all blocks if something spilled, and
 * in the end returns to the original order. If that one spills as well, keeps it at once, because other orders seldom
 * help. */
static enum fit allocate_scheduled(struct machine_function *m, const struct machine_inst *was) {
  enum { TRIES = 5, STEP = 4 };
  struct schedule *schedule = schedule_new(m, was);
  uint32_t *less = need(m->blocks, sizeof *less);
  const uint32_t allowed = schedule_allowed(schedule);
  enum fit fit = FITS;
  bool done = false;
  for (uint32_t try = 0; try < TRIES && !done; try++) {
    const bool moved = schedule_again(schedule, less);
    fit = allocate(m, !moved);
    done = !moved || (fit == FITS && m->used[VREG_WORD] <= allowed);
    for (uint32_t i = 0; i < m->ordered && !done; i++)
      if (fit != FITS || is_crowded(m, &m->block[m->order[i]], allowed))
        less[m->order[i]] += STEP;
    if (!try && fit != FITS && !done)
      done = (fit = allocate_as_it_was(m, was)) != FITS;
  }
  schedule_free(schedule);
  free(less);
  return done ? fit : allocate_as_it_was(m, was);
}

static enum fit allocate_in_order(struct machine_function *m, const struct opencl_target *target) {
  if (!opencl_pass_runs(target, PASS_schedule) && !opencl_pass_runs(target, PASS_ahead))
    return allocate(m, true);
  struct machine_inst *was = copy_of(m);
  const enum fit fit =
      opencl_pass_runs(target, PASS_schedule) ? allocate_scheduled(m, was) : allocate_ahead(m, was, target->registers);
  free(was);
  return fit;
}

bool emit_kernel(struct ir *ir, struct isa_program *program, struct isa_error *error) {
  struct machine_function *m = select_within(ir);
  const enum fit fit = allocate_in_order(m, &ir->target);
  const bool good = emit(ir, m, fit != STUCK, program, error);
  machine_free(m);
  return good;
}
