/* The second reading: operations of warps, in the order of the trace. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/replay/kinds.h"
#include "tools/import/import.h"

enum {
  BUCKETS = 1 << 12,
  MISSING = 1 << 16, /* maximum of missing thread blocks */
};

/* A warp, and its last instruction, which is written only when the next one is known. */
struct warp {
  const struct sass_inst *inst; /* NULL: none yet */
  uint64_t line;
  uint64_t pc;
  uint32_t mask, left_out;
  uint32_t seen;        /* lanes that ran since the last jump */
  uint32_t exited;      /* lanes that have exited */
  uint32_t last;        /* the last nonzero mask */
  uint32_t parts;       /* of a lane copy: lines so far, */
  bool placed, reached; /* and whether the shared, the global addresses were among them */
  bool ended;
  uint64_t address[SASS_LANES], place[SASS_LANES];
};

struct group {
  struct group *next; /* in its bucket */
  uint64_t number;
  struct trace_group *trace;
  uint32_t live; /* warps that have not exited */
  struct warp warp[];
};

struct output {
  struct sass_import *import;
  struct trace_writer *writer;
  size_t number; /* of the launch */
  const struct sass_launch *launch;
  const struct sass_header *header;
  const struct sass_kernel *kernel;
  struct group *groups[BUCKETS]; /* groups in progress, by number */
  uint8_t *written;              /* bitmap of the groups that have begun */
  uint64_t now;                  /* operations written so far */
};

/* ---- operations --------------------------------------------------------------------------------------------- */

static uint32_t lanes_of(const struct output *output, uint32_t warp) {
  const uint32_t *block = output->launch->block;
  const uint32_t left = block[0] * block[1] * block[2] - warp * SASS_LANES;
  return left >= SASS_LANES ? UINT32_MAX : (1u << left) - 1;
}

/* Each lane's words of matrices whose rows begin at the addresses of lanes 0, 1, ...: rows are consecutive, and each
 * lane has `bytes` of them. Lanes whose row has no address are left out. */
static void spread_rows(const struct sass_inst *inst, struct warp *warp) {
  uint64_t row[SASS_LANES];
  memcpy(row, warp->address, sizeof row);
  const uint32_t listed = warp->mask;
  warp->mask = warp->left_out = 0;
  for (uint32_t lane = 0; listed && lane < SASS_LANES; lane++) {
    const uint32_t at = lane * inst->bytes;
    if (!(listed >> at / 16 & 1))
      continue;
    warp->address[lane] = row[at / 16] + at % 16;
    warp->mask |= 1u << lane;
  }
}

/* Keeps global addresses; turns others into offsets in the LDS. */
static void settle_addresses(struct output *output, struct warp *warp, const struct sass_line *line) {
  const struct sass_inst *inst = warp->inst;
  const bool generic = sass_is_generic(inst), shared = sass_is_shared(inst);
  const uint64_t base = !shared ? 0 : output->launch->lds_shift + (generic ? output->header->shared_base : 0);
  warp->left_out = 0;
  for (uint32_t left = warp->mask; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    if (generic && sass_space_of(output->header, line->address[lane]) != inst->space)
      warp->left_out |= 1u << lane;
    warp->address[lane] = line->address[lane] - base;
  }
  if (warp->left_out)
    sass_lose(output->import, SASS_LOST_SPACES, output->launch->path, line->number);
  if (sass_is_matrix(inst))
    spread_rows(inst, warp);
}

/* Takes one of the two lines of a lane copy. */
static void settle_copy(struct output *output, struct warp *warp, const struct sass_line *line) {
  const bool place = sass_is_place(line) && !warp->placed;
  uint64_t *to = place ? warp->place : warp->address;
  for (uint32_t left = warp->mask; left; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    to[lane] = line->address[lane] - (place ? output->launch->lds_shift : 0);
  }
  warp->parts++;
  warp->placed |= place;
  warp->reached |= !place;
}

/* Completes a copy that has only one line. A missing destination is made up; without a source, the lanes copy
 * nothing. */
static void settle_sides(struct output *output, struct warp *warp) {
  const char *path = output->launch->path;
  if (!warp->reached) {
    warp->left_out = warp->mask;
    sass_lose(output->import, SASS_LOST_ADDRESS, path, warp->line);
  } else if (!warp->placed) {
    for (uint32_t lane = 0; lane < SASS_LANES; lane++)
      warp->place[lane] = (uint64_t)lane * warp->inst->bytes;
    sass_lose(output->import, SASS_LOST_PLACE, path, warp->line);
  }
}

/* Whether some of the lanes that ran the code before a branch take it, and others do not. */
static bool diverges(const struct warp *warp) {
  return warp->inst->family == SASS_BRANCH && warp->mask && warp->seen & ~warp->mask;
}

/* Tracks the lanes that run together: until a jump, or until the PC continues elsewhere. */
static void note_lanes(struct warp *warp, const struct sass_line *line) {
  const enum sass_family family = warp->inst->family;
  const bool straight = line->pc > warp->pc && line->pc - warp->pc <= 24;
  const bool jumps = family == SASS_BRANCH || family == SASS_EXIT || family == SASS_RECONVERGE;
  warp->seen = straight && !jumps ? warp->seen | warp->mask : 0;
}

static void encode(struct output *output, struct group *group, uint32_t index, const struct trace_op *op) {
  trace_encode(group->trace, index, output->now++, op);
}

/* Writes the warp's last instruction, once the next one is known. */
static void flush(struct output *output, struct group *group, uint32_t index, uint32_t next, bool done) {
  struct warp *warp = &group->warp[index];
  const struct sass_inst *inst = warp->inst;
  uint64_t bytes[SASS_LANES];
  struct trace_op op = {
      .pc = inst->place,
      .next = next,
      .mask = warp->mask,
      .flags = (done ? TRACE_DONE : 0) | (diverges(warp) ? TRACE_DIVERGED : 0),
  };
  op.vector[0].offset = warp->address;
  if (inst->family == SASS_LANE_COPY) {
    if (warp->mask)
      settle_sides(output, warp);
    op.vector[1].offset = warp->place;
  } else if (inst->family == SASS_CACHE) { /* the cache line at the address, whatever its size on this machine */
    for (uint32_t lane = 0; lane < SASS_LANES; lane++)
      bytes[lane] = 1;
    op.vector[1].offset = bytes;
  }
  const uint64_t field[1] = {warp->left_out};
  op.field = field;
  encode(output, group, index, &op);
  const bool lost = inst->loss >= 0 && (inst->loss != SASS_LOST_BATCHES || output->kernel->lane_copies);
  if (lost && warp->mask)
    sass_lose(output->import, (enum sass_loss)inst->loss, output->launch->path, warp->line);
}

/* ---- warps and groups ----------------------------------------------------------------------------------------- */

static struct group **find_group(struct output *output, uint64_t number) {
  struct group **at = &output->groups[number % BUCKETS];
  while (*at && (*at)->number != number)
    at = &(*at)->next;
  return at;
}

static struct group *begin_group(struct output *output, uint64_t number) {
  const uint32_t warps = output->launch->warps;
  struct group *group = need(1, sizeof *group + warps * sizeof *group->warp);
  group->trace = trace_group_begin(output->writer, (uint32_t)output->number, (uint32_t)number, warps, 0, output->now);
  group->live = warps;
  group->number = number;
  struct group **bucket = &output->groups[number % BUCKETS];
  group->next = *bucket;
  *bucket = group;
  output->written[number / 8] |= (uint8_t)(1u << number % 8);
  return group;
}

/* A warp's last operation is an exit, which is added if the trace lacks it. */
static void end_warp(struct output *output, struct group *group, uint32_t index) {
  struct warp *warp = &group->warp[index];
  const uint32_t end = output->kernel->end;
  if (warp->ended)
    return;
  warp->ended = true;
  group->live--;
  if (warp->inst && warp->inst->family == SASS_EXIT) {
    flush(output, group, index, warp->inst->place + 1, true);
    return;
  }
  if (warp->inst)
    flush(output, group, index, end, false);
  else
    trace_warp_begin(group->trace, index, end);
  const uint32_t lanes = warp->last ? warp->last : lanes_of(output, index);
  encode(output, group, index, &(struct trace_op){.pc = end, .next = end, .mask = lanes, .flags = TRACE_DONE});
}

static void end_group(struct output *output, uint64_t number) {
  struct group **at = find_group(output, number), *group = *at;
  if (!group)
    return;
  for (uint32_t i = 0; i < output->launch->warps; i++) {
    const struct warp *warp = &group->warp[i];
    if (!warp->ended && !(warp->inst && warp->inst->family == SASS_EXIT))
      sass_lose(output->import, SASS_LOST_EXITS, output->launch->path, warp->line);
    end_warp(output, group, i);
  }
  trace_group_end(group->trace, output->now);
  trace_writer_settle(output->writer, output->now);
  *at = group->next;
  free(group);
}

/* Whether this is the second line of a lane copy. */
static bool is_second(const struct warp *warp, const struct sass_inst *inst, const struct sass_line *line) {
  return warp->inst == inst && inst->family == SASS_LANE_COPY && warp->parts == 1 && warp->mask == line->mask &&
         (!line->mask || warp->placed != sass_is_place(line));
}

static void take_inst(struct output *output, struct group *group, const struct sass_inst *inst,
                      const struct sass_line *line) {
  struct warp *warp = &group->warp[line->warp];
  if (warp->inst && is_second(warp, inst, line)) {
    settle_copy(output, warp, line);
    return;
  }
  if (warp->inst) {
    flush(output, group, line->warp, inst->place, false);
    note_lanes(warp, line);
  } else {
    trace_warp_begin(group->trace, line->warp, inst->place);
  }
  warp->inst = inst;
  warp->line = line->number;
  warp->pc = line->pc;
  warp->mask = line->mask;
  warp->last = line->mask ? line->mask : warp->last;
  warp->left_out = 0;
  warp->parts = 0;
  warp->placed = warp->reached = false;
  if (inst->family == SASS_LANE_COPY)
    settle_copy(output, warp, line);
  else if (line->memory)
    settle_addresses(output, warp, line);
}

/* ---- a launch --------------------------------------------------------------------------------------------------- */

static bool write_begin(void *self, const struct sass_header *header, struct message *message) {
  struct output *output = self;
  const struct sass_launch *launch = output->launch;
  output->header = header;
  if (header->groups != launch->groups || header->warps != launch->warps)
    return message_fail_at(message, launch->path, 0, "changed while it was read");
  output->written = need(launch->groups / 8 + 1, 1);
  return true;
}

static bool write_instruction(void *self, const struct sass_line *line, struct message *message) {
  struct output *output = self;
  const char *path = output->launch->path;
  const struct sass_inst *inst = sass_kernel_find(output->kernel, output->header, line);
  struct group *group = *find_group(output, line->group);
  if (!inst)
    return message_fail_at(message, path, line->number, "changed while it was read");
  if (!group && output->written[line->group / 8] >> line->group % 8 & 1)
    return message_fail_at(message, path, line->number, "the thread block has already ended");
  group = group ? group : begin_group(output, line->group);
  struct warp *warp = &group->warp[line->warp];
  if (warp->ended)
    return message_fail_at(message, path, line->number, "all lanes of the warp have already ended");
  take_inst(output, group, inst, line);
  if (inst->family == SASS_EXIT) {
    warp->exited |= line->mask;
    if (!(lanes_of(output, line->warp) & ~warp->exited))
      end_warp(output, group, line->warp);
  }
  if (!group->live)
    end_group(output, line->group);
  sass_report(output->import, output->number);
  return trace_writer_good(output->writer) || message_fail_at(message, path, 0, "the trace cannot be written");
}

static bool write_end_group(void *self, uint64_t group, struct message *message) {
  (void)message;
  end_group(self, group);
  return true;
}

/* Thread blocks missing from the trace end at once. */
static bool write_missing(struct output *output, struct message *message) {
  uint64_t missing = 0;
  for (uint64_t number = 0; number < output->launch->groups; number++)
    missing += !(output->written[number / 8] >> number % 8 & 1);
  if (missing > MISSING)
    return message_fail_at(message, output->launch->path, 0,
                           "%llu of the grid's %u thread blocks are missing; at most %d may be",
                           (unsigned long long)missing, output->launch->groups, MISSING);
  for (uint64_t number = 0; missing && number < output->launch->groups; number++) {
    if (output->written[number / 8] >> number % 8 & 1)
      continue;
    struct group *group = begin_group(output, number);
    sass_lose(output->import, SASS_LOST_BLOCKS, output->launch->path, 0);
    for (uint32_t i = 0; i < output->launch->warps; i++)
      end_warp(output, group, i);
    end_group(output, number);
  }
  return true;
}

static bool write_launch(struct output *output, struct message *message) {
  const struct sass_visitor visitor = {output, write_begin, write_instruction, write_end_group};
  bool good = sass_read(output->launch->path, &visitor, message);
  for (size_t i = 0; i < BUCKETS; i++)
    while (output->groups[i])
      end_group(output, output->groups[i]->number);
  good = good && write_missing(output, message);
  free(output->written);
  output->written = NULL;
  return good;
}

/* ---- all launches ------------------------------------------------------------------------------------------------ */

static void write_launches(struct sass_import *import, struct trace_writer *writer) {
  for (size_t i = 0; i < import->launch_count; i++) {
    const struct sass_launch *launch = &import->launches[i];
    trace_write_launch(
        writer,
        &(struct trace_launch){.program = 0, .lanes = SASS_LANES, .groups = launch->groups, .warps = launch->warps});
  }
}

bool sass_import_write(struct sass_import *import, struct trace_writer *writer, struct message *message) {
  uint8_t *kinds = replay_kinds(import->program);
  struct output output = {.import = import, .writer = writer};
  bool good = true;
  import->instructions = 0;
  trace_write_program(writer, kinds, import->program->count);
  write_launches(import, writer);
  for (; good && output.number < import->launch_count; output.number++) {
    output.launch = &import->launches[output.number];
    output.kernel = &import->kernels[output.launch->kernel];
    good = write_launch(&output, message);
  }
  free(kinds);
  return good;
}
