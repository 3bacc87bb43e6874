/* Traces that no run has written: complete files with arbitrary operations. A replay may end in any way, but it must
 * end, and must neither crash nor touch memory that is not its own (the sanitizer build detects this). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isa/ops.h"
#include "sim/replay/kinds.h"
#include "sim/replay/replayer.h"
#include "tests/ct.h"
#include "tests/kernels.h"
#include "tests/models/rig.h"
#include "tests/replay/play.h"

CT_FREES(struct simulation, simulation_free)

enum { TRACES = 300, OPERATIONS = 60, WARPS = 2, GROUPS = 2 };

struct dice {
  uint64_t random;
};

static uint64_t draw(struct dice *dice) {
  const uint64_t bits = ct_random(&dice->random) >> 1;
  switch (bits % 7) {
  case 0:
    return ct_random(&dice->random);
  case 1:
    return ISA_GLOBAL_BASE + bits % 4096;
  case 2:
    return UINT64_MAX - bits % 64;
  case 3:
    return bits >> 8 & UINT32_MAX;
  default:
    return bits >> 8 & 127;
  }
}

static uint64_t draw_mask(struct dice *dice) {
  const uint64_t bits = ct_random(&dice->random);
  return bits >> 60 & 1 ? UINT32_MAX : bits & UINT32_MAX;
}

/* The address of a pipe's header is correct; any other address is reported as damage. */
static void draw_vectors(struct dice *dice, struct trace_op *op, uint64_t lane[TRACE_VECTORS][TRACE_LANES],
                         uint64_t pipe) {
  for (unsigned v = 0; v < TRACE_VECTORS; v++) {
    for (unsigned i = 0; i < TRACE_LANES; i++)
      lane[v][i] = op->kind == TRACE_PIPE && v == 0 && draw(dice) % 20 ? pipe : draw(dice);
    op->vector[v] = (struct trace_vector){.offset = lane[v]};
  }
}

static void write_warp(struct dice *dice, struct trace_group *group, uint32_t warp, const struct isa_program *program,
                       uint64_t pipe) {
  uint32_t pc = 0;
  trace_warp_begin(group, warp, pc);
  for (unsigned i = 0; i < OPERATIONS; i++) {
    uint64_t field[TRACE_FIELDS], lane[TRACE_VECTORS][TRACE_LANES];
    struct trace_op op = {.pc = pc, .mask = draw_mask(dice), .field = field};
    const bool last = program->code[pc].op == ISA_EXIT && draw(dice) % 4 == 0;
    op.kind = replay_kind((enum isa_op)program->code[pc].op);
    op.next = draw(dice) % 40 ? (uint32_t)(draw(dice) % program->count) : (uint32_t)draw(dice);
    op.flags = last || draw(dice) % 100 == 0 ? TRACE_DONE : draw(dice) % 2 ? TRACE_DIVERGED : 0;
    for (unsigned f = 0; f < TRACE_FIELDS; f++)
      field[f] = draw(dice);
    field[0] = trace_kind_rows[op.kind].vectors ? draw_mask(dice) & draw_mask(dice) : field[0];
    draw_vectors(dice, &op, lane, pipe);
    trace_encode(group, warp, 1, &op);
    pc = op.next;
    if (op.flags & TRACE_DONE || pc >= program->count)
      return;
  }
}

static bool write_trace(const char *path, uint64_t seed, const struct isa_program *program, uint64_t pipe) {
  struct dice dice = {.random = seed * 7919 + 17};
  struct message error = {0};
  struct trace_writer *writer = trace_writer_open(path, &error);
  ct_freed(ct_free) uint8_t *kinds = replay_kinds(program);
  const struct trace_launch launch = {.lanes = 32, .groups = GROUPS, .warps = WARPS};
  if (!writer || !kinds)
    return false;
  trace_write_program(writer, kinds, program->count);
  trace_write_launch(writer, &launch);
  for (uint32_t number = 0; number < GROUPS; number++) {
    struct trace_group *group = trace_group_begin(writer, 0, number, WARPS, 0, 0);
    for (uint32_t warp = 0; warp < WARPS; warp++)
      write_warp(&dice, group, warp, program, pipe);
    trace_group_end(group, OPERATIONS);
  }
  return trace_writer_close(writer, &error);
}

/* Ends the replay once it cannot make progress. */
static bool watch(void *context, cycle_t cycles, uint64_t done, uint64_t groups) {
  (void)cycles;
  (void)done;
  (void)groups;
  return !replayer_fault(context);
}

static void replay(struct rig *rig, const char *path, unsigned *ends) {
  struct message error = {0};
  struct trace *trace = trace_open(path, TRACE_WHOLE, &error);
  struct replayer *replayer = trace ? replayer_new(trace, &error) : NULL;
  EXPECT_STREQ(error.text, "");
  if (replayer) {
    const struct source_maker sources = replayer_sources(replayer);
    const struct progress progress = {watch, replayer};
    ct_freed(simulation_free_at) struct simulation *simulation = simulation_new_with(&rig->machine, &sources);
    size_t count = 0;
    struct island **islands = simulation_islands(simulation, &count);
    struct host *host = host_plain(islands, count, ORDER_ASCENDING, 1);
    ct_freed(launch_result_free) struct launch_result result;
    simulation_run(simulation, host, &rig->launch, 400000, &progress, &result);
    ends[replayer_fault(replayer) ? 0 : 1]++;
    host->free(host);
    replayer_free(replayer);
  }
  if (trace)
    trace_close(trace);
}

TEST(hostile, impossible_operations_terminate) {
  static const char *const settings[] = {"cu.count=2", "cu.count=2 dma.copy=lanes mem.l1_size=8K",
                                         "cu.meet=barriers dma.copy=engine cu.barrier_blocks=accesses"};
  char path[PLAY_PATH];
  unsigned ends[2] = {0};
  play_path(path, "hostile");
  for (unsigned number = 0; number < TRACES; number++) {
    ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING};
    ct_note("trace %u", number);
    ASSERT_TRUE(rig_build(&rig, settings[number % 3], GROUPS * WARPS * 32, WARPS * 32, CT_KERNEL(kernel)));
    if (EXPECT_TRUE(write_trace(path, number, rig.program, rig.pipes[0].base)))
      replay(&rig, path, ends);
  }
  unlink(path);
  EXPECT_EQ(ends[0] + ends[1], TRACES);
  EXPECT_GT(ends[0], 0);
}
