#include "tools/page/lanes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/rows.h"
#include "lds/memo.h"
#include "models/executor.h"
#include "models/machine.h"
#include "models/result.h"
#include "models/source_filter.h"
#include "sim/base/need.h"

struct worst {
  uint8_t kind, bytes;
  uint32_t passes, phases, ways;
  uint64_t mask;
  uint64_t address[LDS_LANES];
};

/* One launch, in the order in which launches begin. */
struct watched_launch {
  struct worst **at; /* by pc */
  uint32_t count;
};

struct unit {
  struct source_filter filter;
  struct page_lanes *lanes;
  struct lds_memo *memo;
  const struct isa_launch *launches;
  uint32_t *group_launch, *warp_group; /* by slot; launches count from the first of those that run now */
};

struct page_lanes {
  struct source_filters filters;
  struct watched_launch *launch;
  size_t launch_count;
  struct lds_params params;
};

/* ---- watching ----------------------------------------------------------------------------------- */

static struct watched_launch *launch_at(struct page_lanes *lanes, size_t number, uint32_t instructions) {
  if (number >= lanes->launch_count) {
    lanes->launch = need_more(lanes->launch, number + 1, sizeof *lanes->launch);
    memset(lanes->launch + lanes->launch_count, 0, (number + 1 - lanes->launch_count) * sizeof *lanes->launch);
    lanes->launch_count = number + 1;
  }
  struct watched_launch *launch = &lanes->launch[number];
  if (!launch->at) {
    launch->at = need(instructions + 1, sizeof(void *));
    launch->count = instructions;
  }
  return launch;
}

static void record_lds_access(struct unit *unit, uint32_t slot, const struct isa_access *access, uint32_t pc) {
  const uint32_t index = unit->group_launch[unit->warp_group[slot]];
  const struct isa_launch *launch = &unit->launches[index];
  const struct isa_inst *inst = &launch->program->code[pc];
  struct isa_info info;
  struct lds_schedule schedule;
  if (isa_rows[inst->op].class_ != ISA_CLASS_LDS || !access->mask)
    return;
  isa_describe(inst, &info);
  const struct lds_request request = {.kind = info.atomic  ? LDS_ATOMIC
                                              : info.store ? LDS_WRITE
                                                           : LDS_READ,
                                      .bytes = access->bytes,
                                      .lanes = (uint8_t)launch->warp_size,
                                      .swap = info.atomic && info.sent > info.bytes / 4,
                                      .mask = access->mask,
                                      .address = access->address};
  lds_recall(unit->memo, &unit->lanes->params, &request, &schedule);
  struct watched_launch *watched = launch_at(unit->lanes, unit->lanes->filters.first + index, launch->program->count);
  struct worst *worst = watched->at[pc];
  if (worst && schedule.passes <= worst->passes)
    return;
  if (!worst)
    worst = watched->at[pc] = need(1, sizeof *worst);
  *worst = (struct worst){.kind = request.kind,
                          .bytes = request.bytes,
                          .passes = schedule.passes,
                          .phases = schedule.phases,
                          .ways = schedule.ways,
                          .mask = request.mask};
  memcpy(worst->address, access->address, launch->warp_size * sizeof *worst->address);
}

/* ---- the warp sources --------------------------------------------------------------------------- */

static void launch(void *self, const struct isa_launch *launches, size_t count) {
  struct unit *unit = self;
  (void)count;
  unit->launches = launches;
}

static const struct isa_group *start_group(void *self, uint32_t slot, uint32_t number, uint32_t linear,
                                           uint32_t lds_base, cycle_t now) {
  struct unit *unit = self;
  unit->group_launch[slot] = number;
  return warp_source_call(unit->filter.inner, start_group, slot, number, linear, lds_base, now);
}

static uint32_t start_warp(void *self, uint32_t slot, uint32_t group_slot, uint32_t index) {
  struct unit *unit = self;
  unit->warp_group[slot] = group_slot;
  return warp_source_call(unit->filter.inner, start_warp, slot, group_slot, index);
}

static uint32_t step(void *self, uint32_t slot, cycle_t now, struct isa_access *access, struct isa_result *result) {
  struct unit *unit = self;
  const uint32_t next = warp_source_call(unit->filter.inner, step, slot, now, access, result);
  if (access)
    record_lds_access(unit, slot, access, result->pc);
  return next;
}

/* ---- construction ------------------------------------------------------------------------------- */

static void start(void *self, const struct machine *machine) {
  struct unit *unit = self;
  unit->lanes = unit->filter.filters->watcher;
  unit->lanes->params = machine->lds;
  unit->memo = need(1, sizeof *unit->memo);
  unit->group_launch = need(machine->cu.groups, sizeof *unit->group_launch);
  unit->warp_group = need(machine->cu.warps, sizeof *unit->warp_group);
}

static void end(void *self) {
  struct unit *unit = self;
  free(unit->memo);
  free(unit->group_launch);
  free(unit->warp_group);
}

struct page_lanes *page_lanes_new(void) {
  struct page_lanes *lanes = need(1, sizeof *lanes);
  lanes->filters = (struct source_filters){
      .watcher = lanes,
      .unit_bytes = sizeof(struct unit),
      .calls = {.start_group.call = start_group, .start_warp.call = start_warp, .step.call = step},
      .start = start,
      .launch = launch,
      .end = end};
  return lanes;
}

static struct source_maker sources(void *self, const struct source_maker *inner) {
  struct page_lanes *lanes = self;
  return source_filters_maker(&lanes->filters, inner);
}

struct run_watcher page_lanes_watcher(struct page_lanes *lanes) {
  return (struct run_watcher){.self = lanes, .sources = sources};
}

void page_lanes_free(struct page_lanes *lanes) {
  source_filters_free(&lanes->filters);
  for (size_t i = 0; i < lanes->launch_count; i++) {
    for (uint32_t pc = 0; pc < lanes->launch[i].count; pc++)
      free(lanes->launch[i].at[pc]);
    free(lanes->launch[i].at);
  }
  free(lanes->launch);
  free(lanes);
}

/* ---- output ------------------------------------------------------------------------------------- */

/* [lane, byte in the CU's LDS, [the bank of each of its words]] */
static void print_lane(const struct page_lanes *lanes, const struct worst *worst, unsigned lane, struct text *text) {
  const uint64_t bytes = lanes->params.bank_bytes, address = worst->address[lane];
  text_print(text, "[%u,%" PRIu64 ",[", lane, address);
  for (uint64_t word = address / bytes; word <= (address + worst->bytes - 1) / bytes; word++)
    text_print(text, "%s%u", word == address / bytes ? "" : ",", lds_bank(&lanes->params, word));
  text_print(text, "]]");
}

static void print_worst(const struct page_lanes *lanes, const struct worst *worst, struct text *text) {
  static const char *const kinds[] = {[LDS_READ] = "read", [LDS_WRITE] = "write", [LDS_ATOMIC] = "atomic"};
  text_print(text, "\"kind\":\"%s\",\"bytes\":%u,\"passes\":%u,\"phases\":%u,\"ways\":%u,\"lanes\":[",
             kinds[worst->kind], worst->bytes, worst->passes, worst->phases, worst->ways);
  for (uint64_t left = worst->mask; left; left &= left - 1) {
    if (left != worst->mask)
      text_print(text, ",");
    print_lane(lanes, worst, (unsigned)__builtin_ctzll(left), text);
  }
  text_print(text, "]}");
}

void page_lanes_print(const struct page_lanes *lanes, struct text *text) {
  const char *comma = "";
  text_print(text, "[");
  for (size_t i = 0; i < lanes->launch_count; i++)
    for (uint32_t pc = 0; pc < lanes->launch[i].count; pc++)
      if (lanes->launch[i].at[pc]) {
        text_print(text, "%s\n{\"launch\":%zu,\"pc\":%u,", comma, i, pc);
        print_worst(lanes, lanes->launch[i].at[pc], text);
        comma = ",";
      }
  text_print(text, "]");
}
