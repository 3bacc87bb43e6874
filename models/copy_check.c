/* Finds what is wrong with a copy, and how much of it exists.
 *
 * Elements have an order: planes, lines, elements. A copy that does not fit moves a prefix of that sequence. If pitches
 * keep lines and planes apart, these are exactly the elements that exist on both sides. If they overlap (X1, X3, X4,
 * which are reported), elements behind the first missing one are not moved either. */
#include <stdio.h>

#include "dma/dma.h"
#include "models/group.h"
#include "sim/base/sizes.h"

static uint64_t mul(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return size_times(a, b, &product) ? product : UINT64_MAX;
}

static bool has_lines(const struct isa_copy *copy) { return copy->form == ISA_COPY_2D || copy->form == ISA_COPY_3D; }

/* Elements of the copy; 0 if a count or the element size is 0. */
static uint64_t all_elements(const struct isa_copy *copy) {
  return copy->element_bytes ? mul(mul(copy->elements, copy->lines), copy->planes) : 0;
}

/* ---- bounds ----------------------------------------------------------------------------- */

/* How many of `count` lines, of `reach` elements each and `pitch` apart, fit into `room` elements. */
static uint64_t within(uint64_t room, uint64_t reach, uint64_t pitch, uint64_t count) {
  if (reach > room)
    return 0;
  uint64_t fit = pitch ? (room - reach) / pitch + 1 : count;
  return fit < count ? fit : count;
}

/* Elements before the first one outside the `bytes` that follow the copy's start. No overflow: a product of two counts
 * or pitches fits in 64 bits, and nothing farther from the start than `bytes` is computed. */
static uint64_t leading(const struct isa_copy *copy, uint64_t line, uint64_t plane, uint64_t bytes) {
  uint64_t room = bytes / copy->element_bytes;
  uint64_t whole = (copy->lines - 1) * line + copy->elements; /* from the start of a plane to its end */
  uint64_t planes = within(room, whole, plane, copy->planes);
  if (planes == copy->planes)
    return all_elements(copy);
  room -= cycle_min(room, mul(planes, plane));
  uint64_t lines = within(room, copy->elements, line, copy->lines);
  room -= cycle_min(room, mul(lines, line));
  uint64_t rest = lines < copy->lines ? cycle_min(room, copy->elements) : 0;
  return mul(planes, (uint64_t)copy->lines * copy->elements) + lines * copy->elements + rest;
}

static uint64_t lds_elements(const struct cu_group *group) {
  const struct isa_copy *copy = &group->call.copy;
  uint32_t bytes = group->kernel->launch->lds_bytes;
  return leading(copy, copy->lds_line, copy->lds_plane, copy->lds < bytes ? bytes - copy->lds : 0);
}

/* The end of the copy on the global side, or UINT64_MAX. */
static uint64_t global_end(const struct isa_copy *copy) {
  uint64_t last = 0, end = 0;
  const bool fits =
      size_of_planes(copy->elements, copy->lines, copy->global_line, copy->planes, copy->global_plane, &last) &&
      size_times(last, copy->element_bytes, &end) && size_plus(copy->global, end, &end);
  return fits ? end : UINT64_MAX;
}

static bool holds(const struct isa_buffer *buffer, uint64_t address) {
  return buffer && address >= buffer->base && address - buffer->base < buffer->bytes;
}

/* The buffer of a copy: the one that holds its first byte. If the copy starts before a buffer, like a tile's border,
 * the one that it reaches. NULL: none. */
static const struct isa_buffer *buffer_of(const struct cu_group *group) {
  const struct isa_copy *copy = &group->call.copy;
  struct isa_memory *memory = group->kernel->launch->memory;
  const struct isa_buffer *buffer = isa_memory_near(memory, copy->global);
  if (holds(buffer, copy->global))
    return buffer;
  buffer = isa_memory_near(memory, global_end(copy) - 1);
  return buffer && buffer->base + buffer->bytes > copy->global ? buffer : NULL;
}

/* Describes the copy's shape on one side, where its lines are `line` elements apart. */
static void describe(const struct isa_copy *copy, uint32_t line, char *text, size_t size) {
  if (has_lines(copy))
    snprintf(text, size, "%ux%ux%u elements of %u bytes, lines %u apart,", copy->elements, copy->lines, copy->planes,
             copy->element_bytes, line);
  else
    snprintf(text, size, "%u elements of %u bytes at stride %u", copy->elements * copy->lines, copy->element_bytes,
             line);
}

static void report_global(struct cu *cu, const struct cu_group *group, uint64_t fit) {
  const struct isa_copy *copy = &group->call.copy;
  const struct isa_buffer *buffer = isa_memory_near(group->kernel->launch->memory, copy->global);
  char what[80], detail[256];
  describe(copy, copy->global_line, what, sizeof what);
  snprintf(detail, sizeof detail, "%s from byte %lld of buffer '%.40s' of %llu bytes; %llu fit", what,
           buffer ? (long long)(copy->global - buffer->base) : (long long)copy->global,
           buffer ? buffer->name : "(none)", buffer ? (unsigned long long)buffer->bytes : 0, (unsigned long long)fit);
  group_hazard(cu, group, HAZARD_X2, group->call.pc, detail);
}

static void report_lds(struct cu *cu, const struct cu_group *group, uint64_t fit) {
  const struct isa_copy *copy = &group->call.copy;
  char what[80], detail[256];
  describe(copy, copy->lds_line, what, sizeof what);
  snprintf(detail, sizeof detail, "%s at byte %u of the work-group's LDS of %u bytes; %llu fit", what, copy->lds,
           group->kernel->launch->lds_bytes, (unsigned long long)fit);
  group_hazard(cu, group, HAZARD_X2, group->call.pc, detail);
}

/* With dma.out_of_bounds zero or skip, missing elements on the global side are no error. Whatever moves the copy
 * handles them. */
static void check_bounds(struct cu *cu, const struct cu_group *group, struct copy_scope *scope) {
  const struct isa_copy *copy = &group->call.copy;
  const struct isa_buffer *buffer = buffer_of(group);
  uint64_t lds = lds_elements(group), global = 0;
  scope->from = buffer ? buffer->base : 1; /* an empty buffer */
  scope->to = buffer ? buffer->base + buffer->bytes : 1;
  if (holds(buffer, copy->global))
    global = leading(copy, copy->global_line, copy->global_plane, scope->to - copy->global);
  if (cu->dma_params->out_of_bounds != DMA_ERROR) {
    scope->clipped = global < cycle_min(scope->elements, lds);
    global = scope->elements;
  }
  if (global < scope->elements && global <= lds)
    report_global(cu, group, global);
  else if (lds < scope->elements)
    report_lds(cu, group, lds);
  scope->elements = cycle_min(scope->elements, cycle_min(global, lds));
}

/* ---- arguments -------------------------------------------------------------------------- */

/* Lines overlap if they are less than a line apart, planes if they are less than a plane apart. */
static void check_pitches(struct cu *cu, const struct cu_group *group) {
  const struct isa_copy *copy = &group->call.copy;
  char detail[256];
  if (copy->form == ISA_COPY_STRIDED && !copy->global_line)
    group_hazard(cu, group, HAZARD_X1, group->call.pc, "");
  if (!has_lines(copy))
    return;
  if (copy->lines > 1 && (copy->global_line < copy->elements || copy->lds_line < copy->elements)) {
    snprintf(detail, sizeof detail, "lines of %u elements are %u apart in global memory, %u in the LDS", copy->elements,
             copy->global_line, copy->lds_line);
    group_hazard(cu, group, HAZARD_X3, group->call.pc, detail);
  }
  uint64_t global = (uint64_t)copy->lines * copy->global_line, lds = (uint64_t)copy->lines * copy->lds_line;
  if (copy->planes > 1 && (copy->global_plane < global || copy->lds_plane < lds)) {
    snprintf(detail, sizeof detail,
             "planes of %llu elements are %u apart in global memory, planes of %llu are %u apart in the LDS",
             (unsigned long long)global, copy->global_plane, (unsigned long long)lds, copy->lds_plane);
    group_hazard(cu, group, HAZARD_X4, group->call.pc, detail);
  }
}

/* Copies of lines may start at any byte; the pointers of the other forms are to elements. */
static void check_alignment(struct cu *cu, const struct cu_group *group) {
  const struct isa_copy *copy = &group->call.copy;
  char detail[96];
  if (has_lines(copy) || !(copy->global % copy->element_bytes || copy->lds % copy->element_bytes))
    return;
  snprintf(detail, sizeof detail, "global address 0x%llx, LDS offset %u, elements of %u bytes",
           (unsigned long long)copy->global, copy->lds, copy->element_bytes);
  group_hazard(cu, group, HAZARD_X14, group->call.pc, detail);
}

static void check_event(struct cu *cu, struct cu_group *group) {
  char detail[96];
  if (!group->call.copy.event_in || group_find_event(group, group->call.copy.event_in))
    return;
  snprintf(detail, sizeof detail, "event %u", group->call.copy.event_in);
  group_hazard(cu, group, HAZARD_X11, group->call.pc, detail);
}

struct dma_descriptor copy_lines(const struct cu_group *group) {
  const struct isa_copy *copy = &group->call.copy;
  uint64_t bytes = copy->element_bytes, line = copy->elements * bytes;
  return (struct dma_descriptor){
      .to_lds = copy->to_lds,
      .global = copy->global,
      .lds = group->lds_base + copy->lds,
      .element_bytes = copy->element_bytes,
      .line_bytes =
          (uint32_t)line | (line > UINT32_MAX ? 1u << 31 : 0), /* a length that does not fit keeps its alignment */
      .lines = copy->lines,
      .planes = copy->planes,
      .global_pitch = copy->global_line * bytes,
      .global_plane = copy->global_plane * bytes,
      .lds_pitch = (uint32_t)(copy->lds_line * bytes),
      .lds_plane = (uint32_t)(copy->lds_plane * bytes),
  };
}

/* Whether lines must start and end at multiples of dma.alignment (dma_aligned()), or else nothing moves. */
static bool refuses(const struct cu *cu) {
  return cu->dma_params->misaligned == DMA_REFUSE && cu->dma_params->copy == DMA_BY_ENGINE;
}

/* The address in the CU's LDS counts, as in the engine, because cu.lds_unit may be less than the alignment. */
static bool refused(struct cu *cu, const struct cu_group *group) {
  const struct isa_copy *copy = &group->call.copy;
  const struct dma_descriptor lines = copy_lines(group);
  if (!refuses(cu) || dma_aligned(cu->dma_params, &lines))
    return false;
  char base[64] = "", detail[256];
  if (group->lds_base & (cu->dma_params->alignment - 1))
    snprintf(base, sizeof base, " of a work-group's LDS at byte %u", group->lds_base);
  snprintf(detail, sizeof detail, "lines of %llu bytes at global address 0x%llx, LDS offset %u%s; dma.alignment is %u",
           (unsigned long long)copy->elements * copy->element_bytes, (unsigned long long)copy->global, copy->lds, base,
           cu->dma_params->alignment);
  group_hazard(cu, group, HAZARD_M3, group->call.pc, detail);
  return true;
}

/* A copy that moves only in part must be aligned, too, for an engine that refuses misaligned lines: what moves of the
 * last line ends at a multiple of dma.alignment. */
static void keep_aligned(const struct cu *cu, const struct isa_copy *copy, struct copy_scope *scope) {
  while (refuses(cu) && scope->elements % copy->elements * copy->element_bytes & (cu->dma_params->alignment - 1))
    scope->elements--;
}

struct copy_scope copy_check(struct cu *cu, struct cu_group *group) {
  struct copy_scope scope = {.elements = all_elements(&group->call.copy)};
  bool anything = scope.elements > 0, null = anything && !group->call.copy.global;
  if (null)
    group_hazard(cu, group, HAZARD_X15, group->call.pc, "");
  if (anything && !null) {
    check_pitches(cu, group);
    check_alignment(cu, group);
  }
  check_event(cu, group);
  if (anything && !null)
    check_bounds(cu, group, &scope);
  if (null || (anything && refused(cu, group)))
    scope.elements = 0;
  else if (anything)
    keep_aligned(cu, &group->call.copy, &scope);
  return scope;
}
