/* Operations that a whole work-group executes together. The executor takes the operands from the first active lane. It
 * reports lanes that are missing (isa_divergence_rule()) or have different operands (G1, R10). Whether the warps agree
 * with each other is checked where all of them are known.
 *
 * One mistake gives one report. A lane that has exited is reported as missing at the next call and at no later one. A
 * lane that missed a copy does not have its event; at the wait, that does not count as a different operand. */
#include "isa/ops.h"
#include "isa/step.h"

void step_missing(struct isa_warp *warp, uint32_t pc, uint64_t here) {
  const uint64_t missing = warp->all & ~here, gone = warp->all & ~warp->live;
  if (!here || !(missing & ~warp->missed))
    return;
  warp->missed |= gone;
  step_report(warp, pc, isa_divergence_rule(warp->group->launch->program, pc), first_lane(missing),
              "only %d of %d lanes of warp %u are active", __builtin_popcountll(here), __builtin_popcountll(warp->all),
              warp->index);
}

void step_barrier(struct isa_warp *warp, const struct isa_result *result) {
  const struct isa_inst *inst = &warp->group->launch->program->code[result->pc];
  if (isa_rows[inst->op].class_ != ISA_CLASS_FENCE)
    step_missing(warp, result->pc, result->mask);
}

/* Reports the first lane in which the operand is not what an `expect` requires. */
static void expect_operand(struct isa_warp *warp, const struct isa_inst *inst, uint32_t pc, uint64_t mask) {
  const uint32_t lanes = warp->group->launch->warp_size, first = first_lane(mask);
  const uint32_t *row = inst->flags & ISA_FLAG_IMM_A ? NULL : register_row(warp, inst->a, lanes);
  const uint32_t expected = row ? row[first] : (uint32_t)inst->imm;
  EACH_LANE(lane, mask) {
    const uint32_t a = row ? row[lane] : expected;
    if (inst->op == ISA_EXPECT_INSIDE && a >= lanes)
      step_report(warp, pc, HAZARD_S2, (uint32_t)lane, "%u is not below %u, the lanes of a warp", a, lanes);
    else if (inst->op != ISA_EXPECT_INSIDE && a != expected)
      step_report(warp, pc, HAZARD_S2, (uint32_t)lane, "it is %u in lane %u but %u in lane %u", expected, first, a,
                  (unsigned)lane);
    else if (inst->op == ISA_EXPECT_LANE && (a >= lanes || !(mask >> a & 1)))
      step_report(warp, pc, HAZARD_S2, (uint32_t)lane, "lane %u of warp %u is not active", a, warp->index);
    else
      continue;
    return;
  }
}

void step_expect(struct isa_warp *warp, const struct isa_inst *inst, const struct isa_result *result) {
  if (inst->op == ISA_EXPECT_WARP)
    step_missing(warp, result->pc, result->mask);
  else if (result->mask)
    expect_operand(warp, inst, result->pc, result->mask);
}

/* One operand of a group operation: register `reg`, which must be the same in all lanes of `mask`. Reports `rule` once
 * if it is not. */
static uint32_t read_uniform(const struct isa_warp *warp, uint32_t pc, uint64_t mask, uint8_t reg, const char *what,
                             enum isa_hazard_rule rule, bool *reported) {
  const uint32_t *row = register_row(warp, reg, warp->group->launch->warp_size);
  const uint32_t value = row[first_lane(mask)];
  if (!*reported)
    EACH_LANE(lane, mask) {
      if (row[lane] == value)
        continue;
      step_report(warp, pc, rule, (uint32_t)lane, "%s is %u in lane %u but %u in lane %u", what, value,
                  first_lane(mask), row[lane], (unsigned)lane);
      *reported = true;
      break;
    }
  return value;
}

static uint32_t uniform_operand(const struct isa_warp *warp, const struct isa_result *result, uint8_t reg,
                                const char *what, bool *reported) {
  return read_uniform(warp, result->pc, result->mask, reg, what, HAZARD_G1, reported);
}

/* An event, which lanes that took part in all copies must agree on. If there are none, that of the first lane. */
static uint32_t uniform_event(const struct isa_warp *warp, const struct isa_result *result, uint8_t reg,
                              const char *what, bool *reported) {
  const uint64_t know = result->mask & ~warp->diverged;
  return read_uniform(warp, result->pc, know ? know : result->mask & -result->mask, reg, what, HAZARD_G1, reported);
}

/* A register pair that must be the same in all lanes. */
static uint64_t uniform_pair(const struct isa_warp *warp, const struct isa_result *result, uint8_t reg,
                             const char *what, bool *reported) {
  const uint32_t low = read_uniform(warp, result->pc, result->mask, reg, what, HAZARD_R10, reported);
  const uint32_t high = read_uniform(warp, result->pc, result->mask, (uint8_t)(reg + 1), what, HAZARD_R10, reported);
  return (uint64_t)high << 32 | low;
}

void step_pipe_barrier(struct isa_warp *warp, const struct isa_inst *inst, struct isa_result *result) {
  bool reported = false;
  if (!result->mask)
    return;
  step_missing(warp, result->pc, result->mask);
  result->pipe[0] = uniform_pair(warp, result, inst->a, "the pipe's address", &reported);
  result->pipe[1] = uniform_pair(warp, result, inst->c, "the count or id", &reported);
}

void step_copy(struct isa_warp *warp, const struct isa_inst *inst, struct isa_result *result) {
  if (!result->mask)
    return;
  step_missing(warp, result->pc, result->mask);
  const struct isa_format_row *row = &isa_formats[isa_rows[inst->op].format];
  bool reported = false;
  uint64_t field[COPY_FIELDS] = {
      [COPY_FORM] = row->form, [COPY_TO_LDS] = row->to_lds, [COPY_ELEMENT_BYTES] = copy_bytes(inst),
      [COPY_LINES] = 1,        [COPY_PLANES] = 1,           [COPY_GLOBAL_LINE] = 1,
      [COPY_LDS_LINE] = 1};
  const uint32_t low = uniform_operand(warp, result, inst->b, "the global address (low half)", &reported);
  const uint32_t high =
      uniform_operand(warp, result, (uint8_t)(inst->b + 1), "the global address (high half)", &reported);
  field[COPY_GLOBAL] = (uint64_t)high << 32 | low;
  field[COPY_LDS] = inst->flags & ISA_FLAG_IMM_A ? copy_lds(inst)
                                                 : uniform_operand(warp, result, inst->a, "the LDS offset", &reported);
  field[COPY_ELEMENTS] = inst->flags & ISA_FLAG_IMM_C
                             ? copy_count(inst)
                             : uniform_operand(warp, result, inst->c, "the element count", &reported);
  if (row->form == ISA_COPY_STRIDED) { /* one element per line */
    field[COPY_LINES] = field[COPY_ELEMENTS];
    field[COPY_ELEMENTS] = 1;
    field[COPY_GLOBAL_LINE] = inst->flags & ISA_FLAG_IMM_STRIDE
                                  ? copy_stride(inst)
                                  : uniform_operand(warp, result, (uint8_t)copy_stride(inst), "the stride", &reported);
  }
  const unsigned named = row->form == ISA_COPY_3D ? COPY_NAMED_3D : row->form == ISA_COPY_2D ? COPY_NAMED_2D : 0;
  for (unsigned i = 0; i < named; i++)
    field[isa_copy_operands[i].field] =
        uniform_operand(warp, result, copy_register(inst, i), isa_copy_operands[i].label, &reported);
  /* A null event becomes a new event. Each warp counts for itself, and so all get the same number. */
  field[COPY_EVENT_IN] = uniform_event(warp, result, inst->d, "the event", &reported);
  field[COPY_EVENT] = field[COPY_EVENT_IN] ? field[COPY_EVENT_IN] : ++warp->events;
  uint32_t *const reg = warp->reg + (size_t)inst->d * warp->group->launch->warp_size;
  if (!field[COPY_EVENT_IN])
    EACH_LANE(lane, result->mask) reg[lane] = (uint32_t)field[COPY_EVENT];
  result->copy = isa_copy_of(field);
  warp->diverged |= warp->live & ~result->mask;
}

static uint32_t events_listed(const struct isa_inst *inst) {
  uint32_t count = 0;
  while (count < ISA_WAIT_EVENTS && wait_register(inst, count) != ISA_NO_REGISTER)
    count++;
  return count;
}

/* How many of the `listed` events to wait for. */
static uint32_t first_events(const struct isa_warp *warp, const struct isa_inst *inst, const struct isa_result *result,
                             uint32_t listed, bool *reported) {
  const int32_t wanted = (int32_t)uniform_operand(warp, result, inst->c, "the number of events", reported);
  if (wanted >= 0 && wanted <= (int32_t)listed)
    return (uint32_t)wanted;
  step_report(warp, result->pc, HAZARD_X13, first_lane(result->mask), "%d events of a list of %u", wanted, listed);
  return wanted < 0 ? 0 : listed;
}

static void add_event(struct isa_wait *wait, uint32_t event) {
  for (uint32_t i = 0; i < wait->count; i++)
    if (wait->event[i] == event)
      return;
  if (wait->count < ISA_WAIT_EVENTS)
    wait->event[wait->count++] = event;
}

/* No lane took part in all copies: each lane waits for the events of the copies that it took part in. */
static void wait_for_own(const struct isa_warp *warp, const struct isa_inst *inst, const struct isa_result *result,
                         uint32_t listed, struct isa_wait *wait) {
  struct isa_wait own = {.more = wait->more};
  for (uint32_t i = 0; i < listed; i++) {
    const uint32_t *row = register_row(warp, wait_register(inst, i), warp->group->launch->warp_size);
    EACH_LANE(lane, result->mask) if (row[lane] && row[lane] <= warp->events) add_event(&own, row[lane]);
  }
  if (own.count)
    *wait = own;
}

void step_wait(struct isa_warp *warp, const struct isa_inst *inst, struct isa_result *result) {
  if (!result->mask)
    return;
  static const char *const labels[ISA_WAIT_EVENTS] = {
      "event 1 of the wait", "event 2 of the wait", "event 3 of the wait", "event 4 of the wait",
      "event 5 of the wait", "event 6 of the wait", "event 7 of the wait", "event 8 of the wait"};
  step_missing(warp, result->pc, result->mask);
  bool reported = false;
  struct isa_wait *wait = &result->wait;
  wait->more = inst->op == ISA_WAIT_MORE;
  wait->count = events_listed(inst);
  if (inst->op == ISA_WAIT_FIRST)
    wait->count = first_events(warp, inst, result, wait->count, &reported);
  for (uint32_t i = 0; i < wait->count; i++)
    wait->event[i] = uniform_event(warp, result, wait_register(inst, i), labels[i], &reported);
  if (!(result->mask & ~warp->diverged))
    wait_for_own(warp, inst, result, wait->count, wait);
}
