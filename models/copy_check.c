/* Finds what is wrong with a copy, and how much of it exists.
 *
 * The bytes of a copy have an order: planes, lines, bytes. A copy that does not fit moves a prefix of that sequence, of
 * whole elements. If pitches keep lines and planes apart, these are exactly the elements that exist on both sides. If
 * they overlap (X1, X3, X4, which are reported), elements behind the first missing one are not moved either. */
#include <stdio.h>

#include "dma/dma.h"
#include "models/group.h"

static bool has_lines(const struct isa_copy *copy) { return copy->form == ISA_COPY_2D || copy->form == ISA_COPY_3D; }

/* ---- bounds ----------------------------------------------------------------------------- */

/* How many of `count` lines, of `reach` bytes each and `pitch` apart, fit into `room` bytes. */
static uint64_t within(uint64_t room, uint64_t reach, uint64_t pitch, uint64_t count) {
  if (reach > room)
    return 0;
  uint64_t fit = pitch ? (room - reach) / pitch + 1 : count;
  return fit < count ? fit : count;
}

/* Bytes of whole elements before the first one outside the `room` bytes that follow the side's start. Products that do
 * not fit in 64 bits become larger than any room. */
static uint64_t leading(const struct rect *side, uint64_t element, uint64_t room) {
  uint64_t whole = rect_times(side->lines - 1, side->pitch); /* from the start of a plane to its end */
  whole = whole < UINT64_MAX - side->bytes ? whole + side->bytes : UINT64_MAX;
  uint64_t planes = within(room, whole, side->plane, side->planes);
  if (planes == side->planes)
    return rect_all(side);
  room -= cycle_min(room, rect_times(planes, side->plane));
  uint64_t lines = within(room, side->bytes, side->pitch, side->lines);
  room -= cycle_min(room, rect_times(lines, side->pitch));
  uint64_t rest = lines < side->lines ? cycle_min(room, side->bytes) / element * element : 0;
  return rect_times(planes, rect_times(side->lines, side->bytes)) + lines * side->bytes + rest;
}

/* Reports that only the first `fit` bytes of the copy exist on one of its sides. */
static void report_outside(struct cu *cu, const struct cu_group *group, bool global, uint64_t fit) {
  const struct isa_copy *copy = &group->call.copy;
  const unsigned long long elements = fit / copy->element_bytes;
  char what[80], detail[256];
  uint64_t field[COPY_FIELDS];
  isa_copy_fields(copy, field);
  const unsigned line = (unsigned)field[global ? COPY_GLOBAL_LINE : COPY_LDS_LINE];
  const unsigned count = (unsigned)field[COPY_ELEMENTS], lines = (unsigned)field[COPY_LINES];
  if (has_lines(copy))
    snprintf(what, sizeof what, "%ux%ux%u elements of %u bytes, lines %u apart,", count, lines,
             (unsigned)field[COPY_PLANES], copy->element_bytes, line);
  else
    snprintf(what, sizeof what, "%u elements of %u bytes at stride %u", count * lines, copy->element_bytes, line);
  if (global) {
    const struct isa_buffer *buffer = isa_memory_near(group->kernel->launch->memory, copy->global.base);
    snprintf(detail, sizeof detail, "%s from byte %lld of buffer '%.40s' of %llu bytes; %llu fit", what,
             (long long)(copy->global.base - (buffer ? buffer->base : 0)), buffer ? buffer->name : "(none)",
             buffer ? (unsigned long long)buffer->bytes : 0, elements);
  } else {
    snprintf(detail, sizeof detail, "%s at byte %u of the work-group's LDS of %u bytes; %llu fit", what,
             (unsigned)copy->lds.base, group->kernel->launch->lds_bytes, elements);
  }
  group_hazard(cu, group, HAZARD_X2, group->call.pc, detail);
}

/* The buffer of a copy is the one that holds its first byte. If the copy starts before a buffer, like a tile's border,
 * it is the one that it reaches. With dma.out_of_bounds zero or skip, missing elements on the global side are no error.
 * Whatever moves the copy handles them. */
static void check_bounds(struct cu *cu, const struct cu_group *group, struct copy_scope *scope) {
  const struct isa_copy *copy = &group->call.copy;
  const struct isa_launch *launch = group->kernel->launch;
  const uint64_t start = copy->global.base, room = launch->lds_bytes - cycle_min(launch->lds_bytes, copy->lds.base);
  uint64_t lds = leading(&copy->lds, copy->element_bytes, room), global = 0, end = UINT64_MAX;
  const struct isa_buffer *buffer = isa_memory_near(launch->memory, start);
  const bool inside = buffer && start >= buffer->base && start - buffer->base < buffer->bytes;
  if (!inside) {
    buffer = isa_memory_near(launch->memory, (rect_end(&copy->global, &end) ? end : UINT64_MAX) - 1);
    buffer = buffer && buffer->base + buffer->bytes > start ? buffer : NULL;
  }
  scope->from = buffer ? buffer->base : 1; /* an empty buffer */
  scope->to = buffer ? buffer->base + buffer->bytes : 1;
  if (inside)
    global = leading(&copy->global, copy->element_bytes, scope->to - start);
  if (cu->dma_params->out_of_bounds != DMA_ERROR) {
    scope->clipped = global < cycle_min(scope->bytes, lds);
    global = scope->bytes;
  }
  if (global < scope->bytes && global <= lds)
    report_outside(cu, group, true, global);
  else if (lds < scope->bytes)
    report_outside(cu, group, false, lds);
  scope->bytes = cycle_min(scope->bytes, cycle_min(global, lds));
}

/* ---- arguments -------------------------------------------------------------------------- */

/* `moves`: the copy is not of nothing. */
static void check_arguments(struct cu *cu, struct cu_group *group, bool moves) {
  const struct isa_copy *copy = &group->call.copy;
  const uint32_t pc = group->call.pc;
  char detail[256];
  uint64_t field[COPY_FIELDS];
  isa_copy_fields(copy, field);
  if (moves && copy->form == ISA_COPY_STRIDED && !copy->global.pitch)
    group_hazard(cu, group, HAZARD_X1, pc, "");
  if (moves && has_lines(copy) && (rect_lines_overlap(&copy->global) || rect_lines_overlap(&copy->lds))) {
    snprintf(detail, sizeof detail, "lines of %u elements are %u apart in global memory, %u in the LDS",
             (unsigned)field[COPY_ELEMENTS], (unsigned)field[COPY_GLOBAL_LINE], (unsigned)field[COPY_LDS_LINE]);
    group_hazard(cu, group, HAZARD_X3, pc, detail);
  }
  if (moves && has_lines(copy) && (rect_planes_overlap(&copy->global) || rect_planes_overlap(&copy->lds))) {
    snprintf(detail, sizeof detail,
             "planes of %llu elements are %u apart in global memory, planes of %llu are %u apart in the LDS",
             (unsigned long long)(field[COPY_LINES] * field[COPY_GLOBAL_LINE]), (unsigned)field[COPY_GLOBAL_PLANE],
             (unsigned long long)(field[COPY_LINES] * field[COPY_LDS_LINE]), (unsigned)field[COPY_LDS_PLANE]);
    group_hazard(cu, group, HAZARD_X4, pc, detail);
  }
  /* Copies of lines may start at any byte; the pointers of the other forms are to elements. */
  if (moves && !has_lines(copy) && (copy->global.base % copy->element_bytes || copy->lds.base % copy->element_bytes)) {
    snprintf(detail, sizeof detail, "global address 0x%llx, LDS offset %u, elements of %u bytes",
             (unsigned long long)copy->global.base, (unsigned)copy->lds.base, copy->element_bytes);
    group_hazard(cu, group, HAZARD_X14, pc, detail);
  }
  if (copy->event_in && !group_find_event(group, copy->event_in)) {
    snprintf(detail, sizeof detail, "event %u", copy->event_in);
    group_hazard(cu, group, HAZARD_X11, pc, detail);
  }
}

/* Reports a copy that an engine refuses. The address in the CU's LDS counts, as in the engine, because cu.lds_unit may
 * be less than the alignment. */
static void report_refused(struct cu *cu, const struct cu_group *group) {
  const struct isa_copy *copy = &group->call.copy;
  char base[64] = "", detail[256];
  if (group->lds_base & (cu->dma_params->alignment - 1))
    snprintf(base, sizeof base, " of a work-group's LDS at byte %u", group->lds_base);
  snprintf(detail, sizeof detail, "lines of %llu bytes at global address 0x%llx, LDS offset %u%s; dma.alignment is %u",
           (unsigned long long)copy->global.bytes, (unsigned long long)copy->global.base, (unsigned)copy->lds.base,
           base, cu->dma_params->alignment);
  group_hazard(cu, group, HAZARD_M3, group->call.pc, detail);
}

struct copy_scope copy_check(struct cu *cu, struct cu_group *group) {
  const struct isa_copy *copy = &group->call.copy;
  struct copy_scope scope = {.global = copy->global, .lds = copy->lds};
  scope.lds.base += group->lds_base;
  scope.bytes = copy->element_bytes ? rect_all(&copy->global) : 0;
  const bool anything = scope.bytes > 0, null = anything && !copy->global.base;
  if (null)
    group_hazard(cu, group, HAZARD_X15, group->call.pc, "");
  check_arguments(cu, group, anything && !null);
  if (null)
    scope.bytes = 0;
  else if (anything)
    check_bounds(cu, group, &scope);
  /* An engine may take only lines that start and end at multiples of dma.alignment. */
  if (anything && !null && cu->dma_params->misaligned == DMA_REFUSE && cu->dma_params->copy == DMA_BY_ENGINE) {
    if (!dma_aligned(cu->dma_params, &scope.global, &scope.lds)) {
      report_refused(cu, group);
      scope.bytes = 0;
    }
    /* What moves of the last line of a copy in part must end there, too. */
    while (scope.bytes % scope.global.bytes & (cu->dma_params->alignment - 1))
      scope.bytes -= copy->element_bytes;
  }
  if (copy->form == ISA_COPY_STRIDED && copy->global.pitch == copy->global.bytes &&
      copy->lds.pitch == copy->lds.bytes) {
    scope.global = rect_joined(scope.global);
    scope.lds = rect_joined(scope.lds);
  }
  return scope;
}
