/* Operations that a whole work-group does together. The executor takes their operands from the first
 * active lane and reports lanes that are missing (G2) or of another opinion (G1); whether the warps
 * agree with each other is for those to see who see them all. */
#include "isa/step.h"

#include <stdio.h>

/* Lanes that never ran or have left are missing too; a warp that is switched off as a whole may be in
 * agreement with the others, so it says nothing here. */
static void report_missing(const struct isa_warp *warp, const struct isa_result *result) {
  const uint64_t missing = warp->all & ~result->mask;
  if (missing && result->mask)
    step_report(warp, result->pc, HAZARD_G2, first_lane(missing), "%d of %d lanes of warp %u take part",
                __builtin_popcountll(result->mask), __builtin_popcountll(warp->all), warp->index);
}

void group_barrier(struct isa_warp *warp, const struct isa_result *result) {
  const struct isa_inst *inst = &warp->group->launch->program->code[result->pc];
  if (isa_rows[inst->op].class_ == ISA_CLASS_BARRIER)
    report_missing(warp, result);
}

/* One operand of a group operation: register `reg`, the same in all lanes or else G1, once. */
static uint32_t agreed(const struct isa_warp *warp, const struct isa_result *result, uint8_t reg, const char *what,
                       bool *reported) {
  const uint32_t *row = register_row(warp, reg, warp->group->launch->warp_size);
  const uint32_t value = row[first_lane(result->mask)];
  if (!*reported)
    EACH_LANE(lane, result->mask) {
      if (row[lane] == value)
        continue;
      step_report(warp, result->pc, HAZARD_G1, (uint32_t)lane, "%s is %u in lane %u but %u in lane %u", what, value,
                  first_lane(result->mask), row[lane], (unsigned)lane);
      *reported = true;
      break;
    }
  return value;
}

/* A null event becomes a new one, with the same number in every warp: each counts for itself. */
static void take_event(struct isa_warp *warp, const struct isa_inst *inst, struct isa_result *result, bool *reported) {
  const uint32_t stride = warp->group->launch->warp_size;
  result->copy.event_in = agreed(warp, result, inst->d, "the event", reported);
  result->copy.event = result->copy.event_in ? result->copy.event_in : ++warp->events;
  if (!result->copy.event_in)
    EACH_LANE(lane, result->mask) warp->reg[(size_t)inst->d * stride + lane] = result->copy.event;
}

void group_copy(struct isa_warp *warp, const struct isa_inst *inst, struct isa_result *result) {
  if (!result->mask)
    return;
  report_missing(warp, result);
  bool reported = false;
  const uint8_t format = isa_rows[inst->op].format;
  const bool strided = format == FORMAT_COPY_IN_STRIDED || format == FORMAT_COPY_OUT_STRIDED;
  struct isa_copy *copy = &result->copy;
  copy->to_lds = format == FORMAT_COPY_IN || format == FORMAT_COPY_IN_STRIDED;
  copy->element_bytes = copy_bytes(inst);
  const uint32_t low = agreed(warp, result, inst->b, "the global address (low half)", &reported);
  const uint32_t high = agreed(warp, result, (uint8_t)(inst->b + 1), "the global address (high half)", &reported);
  copy->global = (uint64_t)high << 32 | low;
  copy->lds =
      inst->flags & ISA_FLAG_IMM_A ? copy_lds(inst) : agreed(warp, result, inst->a, "the LDS offset", &reported);
  copy->elements =
      inst->flags & ISA_FLAG_IMM_C ? copy_count(inst) : agreed(warp, result, inst->c, "the element count", &reported);
  copy->form = strided ? ISA_COPY_STRIDED : ISA_COPY_PLAIN;
  copy->lines = copy->planes = copy->global_line = copy->lds_line = 1;
  if (strided) {
    copy->lines = copy->elements;
    copy->elements = 1;
    copy->global_line = inst->flags & ISA_FLAG_IMM_STRIDE
                            ? copy_stride(inst)
                            : agreed(warp, result, (uint8_t)copy_stride(inst), "the stride", &reported);
  }
  take_event(warp, inst, result, &reported);
}

void group_wait(struct isa_warp *warp, const struct isa_inst *inst, struct isa_result *result) {
  if (!result->mask)
    return;
  report_missing(warp, result);
  bool reported = false;
  struct isa_wait *wait = &result->wait;
  wait->count = 0;
  while (wait->count < ISA_WAIT_EVENTS && wait_register(inst, wait->count) != ISA_NO_REGISTER) {
    char what[24];
    snprintf(what, sizeof what, "event %u of the wait", wait->count + 1);
    wait->event[wait->count] = agreed(warp, result, wait_register(inst, wait->count), what, &reported);
    wait->count++;
  }
}
