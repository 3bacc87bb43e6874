/* Operations that a whole work-group executes together. The executor takes the operands from the first active lane. It
 * reports lanes that are missing (isa_divergence_rule()) or have different operands (G1, R10). Whether the warps agree
 * with each other is checked where all of them are known.
 *
 * One mistake gives one report. A lane that has exited is reported as missing at the next call and at no later one. A
 * lane that missed a copy does not have its event; at the wait, that does not count as a different operand. */
#include "isa/ops.h"
#include "isa/step.h"

#include <stdio.h>
#include <string.h>

void group_missing(struct isa_warp *warp, uint32_t pc, uint64_t here) {
  const uint64_t missing = warp->all & ~here, gone = warp->all & ~warp->live;
  if (!here || !(missing & ~warp->missed))
    return;
  warp->missed |= gone;
  step_report(warp, pc, isa_divergence_rule(warp->group->launch->program, pc), first_lane(missing),
              "only %d of %d lanes of warp %u are active", __builtin_popcountll(here), __builtin_popcountll(warp->all),
              warp->index);
}

static void report_missing(struct isa_warp *warp, const struct isa_result *result) {
  group_missing(warp, result->pc, result->mask);
}

void group_barrier(struct isa_warp *warp, const struct isa_result *result) {
  const struct isa_inst *inst = &warp->group->launch->program->code[result->pc];
  if (isa_rows[inst->op].class_ != ISA_CLASS_FENCE)
    report_missing(warp, result);
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

void group_expect(struct isa_warp *warp, const struct isa_inst *inst, const struct isa_result *result) {
  if (inst->op == ISA_EXPECT_WARP)
    group_missing(warp, result->pc, result->mask);
  else if (result->mask)
    expect_operand(warp, inst, result->pc, result->mask);
}

/* One operand of a group operation: register `reg`, which must be the same in all lanes of `mask`. Reports `rule` once
 * if it is not. */
static uint32_t agreed_as(const struct isa_warp *warp, uint32_t pc, uint64_t mask, uint8_t reg, const char *what,
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

static uint32_t agreed(const struct isa_warp *warp, const struct isa_result *result, uint8_t reg, const char *what,
                       bool *reported) {
  return agreed_as(warp, result->pc, result->mask, reg, what, HAZARD_G1, reported);
}

/* The lanes to compare the events of: those that took part in all copies, or else the first lane. */
static uint64_t knowing(const struct isa_warp *warp, const struct isa_result *result) {
  const uint64_t know = result->mask & ~warp->strayed;
  return know ? know : result->mask & (0 - result->mask);
}

static uint32_t agreed_event(const struct isa_warp *warp, const struct isa_result *result, uint8_t reg,
                             const char *what, bool *reported) {
  return agreed_as(warp, result->pc, knowing(warp, result), reg, what, HAZARD_G1, reported);
}

/* A register pair that must be the same in all lanes. */
static uint64_t agreed_pair(const struct isa_warp *warp, const struct isa_result *result, uint8_t reg, const char *what,
                            bool *reported) {
  const uint32_t low = agreed_as(warp, result->pc, result->mask, reg, what, HAZARD_R10, reported);
  const uint32_t high = agreed_as(warp, result->pc, result->mask, (uint8_t)(reg + 1), what, HAZARD_R10, reported);
  return (uint64_t)high << 32 | low;
}

void group_pipe_barrier(struct isa_warp *warp, const struct isa_inst *inst, struct isa_result *result) {
  bool reported = false;
  if (!result->mask)
    return;
  report_missing(warp, result);
  result->pipe[0] = agreed_pair(warp, result, inst->a, "the pipe's address", &reported);
  result->pipe[1] = agreed_pair(warp, result, inst->c, "the count or id", &reported);
}

/* A null event becomes a new event. Each warp counts for itself, and so all get the same number. */
static void take_event(struct isa_warp *warp, const struct isa_inst *inst, struct isa_result *result, bool *reported) {
  const uint32_t stride = warp->group->launch->warp_size;
  result->copy.event_in = agreed_event(warp, result, inst->d, "the event", reported);
  result->copy.event = result->copy.event_in ? result->copy.event_in : ++warp->events;
  if (!result->copy.event_in)
    EACH_LANE(lane, result->mask) warp->reg[(size_t)inst->d * stride + lane] = result->copy.event;
}

static bool is_inward(uint8_t format) {
  return format == FORMAT_COPY_IN || format == FORMAT_COPY_IN_STRIDED || format == FORMAT_COPY_IN_2D ||
         format == FORMAT_COPY_IN_3D;
}

static enum isa_copy_form form_of(const char *letters) {
  return strchr(letters, 'S')   ? ISA_COPY_3D
         : strchr(letters, 's') ? ISA_COPY_2D
         : strchr(letters, 't') ? ISA_COPY_STRIDED
                                : ISA_COPY_PLAIN;
}

/* A strided copy has one element per line. */
static void take_stride(const struct isa_warp *warp, const struct isa_inst *inst, struct isa_result *result,
                        bool *reported) {
  struct isa_copy *copy = &result->copy;
  copy->lines = copy->elements;
  copy->elements = 1;
  copy->global_line = inst->flags & ISA_FLAG_IMM_STRIDE
                          ? copy_stride(inst)
                          : agreed(warp, result, (uint8_t)copy_stride(inst), "the stride", reported);
}

/* The named operands of a copy of lines or planes. */
static void take_fields(const struct isa_warp *warp, const struct isa_inst *inst, struct isa_result *result,
                        bool *reported) {
  struct isa_copy *copy = &result->copy;
  uint32_t *const field[COPY_FIELDS_3D] = {
      [COPY_SIZE] = &copy->element_bytes, [COPY_LINES] = &copy->lines,   [COPY_GLOBAL_LINE] = &copy->global_line,
      [COPY_LDS_LINE] = &copy->lds_line,  [COPY_PLANES] = &copy->planes, [COPY_GLOBAL_PLANE] = &copy->global_plane,
      [COPY_LDS_PLANE] = &copy->lds_plane};
  for (unsigned i = 0; i < (copy->form == ISA_COPY_3D ? COPY_FIELDS_3D : COPY_FIELDS_2D); i++) {
    char what[24];
    snprintf(what, sizeof what, "%s=", isa_copy_fields[i]);
    *field[i] = agreed(warp, result, copy_register(inst, i), what, reported);
  }
}

void group_copy(struct isa_warp *warp, const struct isa_inst *inst, struct isa_result *result) {
  if (!result->mask)
    return;
  report_missing(warp, result);
  bool reported = false;
  const uint8_t format = isa_rows[inst->op].format;
  struct isa_copy *copy = &result->copy;
  *copy = (struct isa_copy){.form = form_of(isa_formats[format].operands),
                            .to_lds = is_inward(format),
                            .element_bytes = copy_bytes(inst),
                            .lines = 1,
                            .planes = 1,
                            .global_line = 1,
                            .lds_line = 1};
  const uint32_t low = agreed(warp, result, inst->b, "the global address (low half)", &reported);
  const uint32_t high = agreed(warp, result, (uint8_t)(inst->b + 1), "the global address (high half)", &reported);
  copy->global = (uint64_t)high << 32 | low;
  copy->lds =
      inst->flags & ISA_FLAG_IMM_A ? copy_lds(inst) : agreed(warp, result, inst->a, "the LDS offset", &reported);
  copy->elements =
      inst->flags & ISA_FLAG_IMM_C ? copy_count(inst) : agreed(warp, result, inst->c, "the element count", &reported);
  if (copy->form == ISA_COPY_STRIDED)
    take_stride(warp, inst, result, &reported);
  else if (copy->form != ISA_COPY_PLAIN)
    take_fields(warp, inst, result, &reported);
  take_event(warp, inst, result, &reported);
  warp->strayed |= warp->live & ~result->mask;
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
  const int32_t wanted = (int32_t)agreed(warp, result, inst->c, "the number of events", reported);
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

void group_wait(struct isa_warp *warp, const struct isa_inst *inst, struct isa_result *result) {
  if (!result->mask)
    return;
  report_missing(warp, result);
  bool reported = false;
  struct isa_wait *wait = &result->wait;
  wait->more = inst->op == ISA_WAIT_MORE;
  wait->count = events_listed(inst);
  if (inst->op == ISA_WAIT_FIRST)
    wait->count = first_events(warp, inst, result, wait->count, &reported);
  for (uint32_t i = 0; i < wait->count; i++) {
    char what[32];
    snprintf(what, sizeof what, "event %u of the wait", i + 1);
    wait->event[i] = agreed_event(warp, result, wait_register(inst, i), what, &reported);
  }
  if (!(result->mask & ~warp->strayed))
    wait_for_own(warp, inst, result, wait->count, wait);
}
